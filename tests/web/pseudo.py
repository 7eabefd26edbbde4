"""A language for tests: every letter of the catalogue's texts with an accent, so that plain words were forgotten."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

import pytest

from crosstable.app import answering
from crosstable.languages.texts import FOLDER, LANGUAGES, Language, catalogue_of, entries
from crosstable.web import templating

CODE = "xx"
ACCENTED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "àƀçđéƒğħíĵķłɱñóþɋŕšŧúṽŵẋýžÀƁÇĐÉƑĞĦÍĴĶŁṀÑÓÞɊŔŠŦÚṼŴẊÝŽ",
)
# Places and tags stay as they are, and entities too.
_KEPT = re.compile(r"(\{[^{}]*\}|<[^<>]*>|&#?\w+;)")
# What stands in these is data, or none of people's business.
DATA = frozenset({"bdi", "code", "pre", "script", "style", "textarea", "time", "kbd"})
VOID = frozenset(
    {"area", "br", "col", "hr", "img", "input", "link", "meta", "path", "rect", "line", "circle", "polyline"}
)
TOLD = frozenset({"aria-label", "title", "placeholder", "alt", "data-label"})
FEWEST_WORDS = 3
WORD = re.compile(r"(?<![\w&])[A-Za-z]*[a-z]{2,}[A-Za-z]*(?![\w;])")


@cache
def pseudo() -> Language:
    """The language of accents."""
    with open(FOLDER / "es.po", encoding="utf-8") as file:
        found = [one._replace(translated=tuple(map(accented, one.english))) for one in entries(iter(file))]
    return Language(catalogue_of(CODE, iter(found)))


def accented(text: str) -> str:
    """A text as the language says it."""
    parts = _KEPT.split(text)
    return "".join(part if at % 2 else part.translate(ACCENTED) for at, part in enumerate(parts))


def speak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every site that is made from now on know the language of accents."""
    language = pseudo()
    monkeypatch.setitem(LANGUAGES, CODE, "XX")
    for module in (templating, answering):
        monkeypatch.setattr(module, "language_of", lambda _: language)


class _Outside(HTMLParser):
    """What a page says without accents."""

    def __init__(self) -> None:
        super().__init__()
        self.silent: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in TOLD and value:
                self._look(value)
        if tag in DATA or any(name == "lang" for name, _ in attrs if tag != "html"):
            self.silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        # a sentence is no name, wherever it stands
        is_sentence = self.silent[-1:] == ["bdi"] and data.rstrip().endswith((".", "?"))
        is_sentence = is_sentence and len(WORD.findall(data)) >= FEWEST_WORDS
        if not self.silent or (is_sentence and pseudo().known_text(data) is not None):
            self._look(data)

    def _look(self, text: str) -> None:
        if WORD.search(text):
            self.found.append(" ".join(text.split()))


def outside(page: str) -> Iterator[str]:
    """Every text of a page that is not translated."""
    reader = _Outside()
    reader.feed(page)
    yield from reader.found
