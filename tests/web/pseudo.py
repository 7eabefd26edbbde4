"""A language for tests: every text of the catalogue in brackets, so that whatever stands outside was forgotten."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from crosstable.languages.catalogues import FOLDER, LANGUAGES, Catalogue, Entry, catalogue_of, entries
from crosstable.languages.texts import Language
from crosstable.web import templating

CODE = "xx"
OPEN, CLOSE = "⟦", "⟧"
# What stands in these is data, or none of people's business.
DATA = frozenset({"bdi", "code", "pre", "script", "style", "textarea", "time", "kbd"})
VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "path", "rect", "line", "circle", "polyline"})
TOLD = frozenset({"aria-label", "title", "placeholder", "alt", "data-label"})
WORD = re.compile(r"[A-Za-z]*[a-z]{2,}[A-Za-z]*")


def pseudo() -> Language:
    """The language of brackets."""
    with open(FOLDER / "es.po", encoding="utf-8") as file:
        found = [Entry(one.english, tuple(map(_bracketed, one.english))) for one in entries(iter(file))]
    return Language(catalogue_of(CODE, iter(found)))


def _bracketed(text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


def speak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every site that is made from now on know the language of brackets."""
    language = pseudo()
    monkeypatch.setitem(LANGUAGES, CODE, "XX")  # type: ignore[arg-type]
    monkeypatch.setattr(templating, "language_of", lambda _: language)


class _Outside(HTMLParser):
    """What a page says outside of brackets."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.silent: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in TOLD and value:
                self._look(value, 0)
        if tag in DATA:
            self.silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.depth = self._look(data, self.depth)

    def _look(self, text: str, depth: int) -> int:
        outside = ""
        for char in text:
            if char == CLOSE:
                depth -= 1
            outside += char if depth == 0 and char not in (OPEN, CLOSE) else ""
            if char == OPEN:
                depth += 1
        if WORD.search(outside):
            self.found.append(" ".join(outside.split()))
        return depth


def outside(page: str) -> Iterator[str]:
    """Every text of a page that is not translated."""
    reader = _Outside()
    reader.feed(page)
    yield from reader.found
