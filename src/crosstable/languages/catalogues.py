"""Catalogues: what English texts are in another language, read from the ``.po`` file that translators edit.

A text may have named places (``{count} of {total}``), which stand in the translation too. A text that counts has two
forms: ``{number} event`` and ``{number} events``.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

FOLDER = Path(__file__).parent
ENGLISH = "en"
# The languages of the pages, by their own names; English needs no catalogue.
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "es": "Español"}
_LINE = re.compile(r'(msgid|msgid_plural|msgstr(?:\[\d\])?)? ?(".*")$')


class Entry(NamedTuple):
    """A text of the catalogue: English (one, several) and translated (one, several); most have one form only."""

    english: tuple[str, ...]
    translated: tuple[str, ...]
    # The files that say it.
    where: tuple[str, ...] = ()

    @property
    def is_of_templates(self) -> bool:
        """Whether only templates say it, which are translated before they are compiled."""
        return bool(self.where) and all(one.endswith(".html") for one in self.where)


class Catalogue(NamedTuple):
    """The texts of one language."""

    code: str
    texts: Mapping[str, str]
    # By both English forms, with the place for the number.
    counts: Mapping[str, str]
    of_templates: frozenset[str] = frozenset()
    # What scripts say goes with every page.
    of_scripts: Mapping[str, str] = MappingProxyType({})


def entries(lines: Iterator[str]) -> Iterator[Entry]:
    """The texts of a ``.po`` file; its heading, the entry without English, is left out."""
    fields: dict[str, str] = {}
    last = ""
    for line in (*lines, "\n"):
        if line.startswith("#: "):
            fields["where"] = fields.get("where", "") + line[2:]
        found = _LINE.match(line.rstrip("\n"))
        if found:
            last = found[1] or last
            fields[last] = fields.get(last, "") + json.loads(found[2])
        elif not line.strip():
            if fields.get("msgid"):
                yield _entry(fields)
            fields = {}


def _entry(fields: Mapping[str, str]) -> Entry:
    where = tuple(fields.get("where", "").split())
    if "msgid_plural" in fields:
        return Entry((fields["msgid"], fields["msgid_plural"]), (fields["msgstr[0]"], fields["msgstr[1]"]), where)
    return Entry((fields["msgid"],), (fields["msgstr"],), where)


def catalogue_of(code: str, found: Iterator[Entry]) -> Catalogue:
    """A catalogue of these texts; what is not translated stays English."""
    texts: dict[str, str] = {}
    counts: dict[str, str] = {}
    of_templates: set[str] = set()
    of_scripts: dict[str, str] = {}
    for entry in found:
        if entry.is_of_templates:
            of_templates.add(entry.english[0])
        if any(one.endswith(".js") for one in entry.where):
            of_scripts.update(zip(entry.english, entry.translated, strict=True))
        if all(entry.translated):
            (texts if len(entry.english) == 1 else counts).update(zip(entry.english, entry.translated, strict=True))
    return Catalogue(code, texts, counts, frozenset(of_templates), of_scripts)


@cache
def catalogue(code: str) -> Catalogue:
    """The catalogue of a language that ships with the program."""
    with open(FOLDER / f"{code}.po", encoding="utf-8") as file:
        return catalogue_of(code, entries(iter(file)))
