"""English texts in another language: read from the ``.po`` file that translators edit, then found whole or with values.

Pages say what the record, the rules and the calculations say, and those speak English to everybody: to files, to
programs, to the command line, from other processes and from years ago. So a text is translated where a page prints it.
A text that the catalogue holds is looked up; otherwise the sentence is looked for whose words fit it, and what stands
in its places is translated in turn. What fits nothing stays as it is: a name, a number, a code.

Catalogues: what English texts are in another language, read from the ``.po`` file that translators edit. A text may
have named places (``{count} of {total}``), which stand in the translation too. A text that counts has two forms:
``{number} event`` and ``{number} events``.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from markupsafe import Markup, escape

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY_TEXT, SPAN_TEXT, MONTH_TEXT = "{month} {day}, {year}", "{month} {first}-{last}, {year}", "{month} {year}"
MONTHS_TEXT = "{month} {day} to {month2} {day2}, {year}"
# With the month in three letters.
SHORT_TEXT = "{mon} {day}, {year}"
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_DATES = re.compile(rf"\b(?P<month>{_MONTH}) (?:(?P<first>\d\d?)(?:-(?P<last>\d\d?))?, )?(?P<year>\d{{4}})\b")
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})(?=, (?:{_MONTH}) \d)")
PLACE = re.compile(r"\{([A-Za-z_]\w*)(?:[:!][^{}]*)?\}")
_SPAN = re.compile(
    rf"\b(?P<month>{_MONTH}) (?P<day>\d\d?) to (?P<month2>{_MONTH}) (?P<day2>\d\d?), (?P<year>\d{{4}})\b"
)
_SHORT = re.compile(rf"\b(\d\d?) (?P<month>{_MONTH}) (\d\d)\b")
_COUNT = re.compile(r"([\d,.]+) (.+)", re.DOTALL)
# Left out of an explanation where a formula is its value already.
_EQUALS = "{formula} = "
_LANGUAGE = re.compile(r"[A-Za-z][a-z]")
_WORD = re.compile(r"[A-Za-z]{2,}")
# Between these marks a text may be several; at the first two kinds it is enough that some are known.
_BREAKS = (
    re.compile(r"(?<=[.!?”]) +(?=[A-Z“(])"),
    re.compile(r"; | · "),
    re.compile(r": "),
    re.compile(r" and | to | or | → "),
)
# The parts of a list.
_LIST = re.compile(r", | \(|\)")
# So many letters a sentence has besides its places, and two for each of them; a shorter one would fit anything.
FEWEST_LETTERS = 3
# So many letters of a text may be unknown, and four more for each letter of the sentence; a name is, but no sentence.
MOST_UNKNOWN = 60
MOST_KEPT = 20_000
_NODES = re.compile(
    r'(<bdi>.*?</bdi>|<script.*?</script>)|>([^<>]+)<|\b((?:aria-label|title|data-label)=")([^"]*)', re.DOTALL
)

# The fields of a reply that scripts show, and the one that holds what somebody wrote.
TOLD = frozenset({"message", "remedy", "where", "label", "assumed", "detail"})
_NOT_TOLD = "drafts"


class Sentence(NamedTuple):
    """A text with places: what it looks like in English, its longest words, and its translation."""

    english: str
    words: str
    letters: int
    first: str
    translated: str

    @property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """What the sentence looks like; most are never looked for."""
        return _compiled(self.english)

    def is_small(self, text: str) -> bool:
        """Whether a text begins as the sentence does; the other way a word became a sentence, or a part of one."""
        return not self.first or text.startswith(self.first)


class Catalogue(NamedTuple):
    """The texts of one language."""

    code: str
    texts: Mapping[str, str]
    # By both English forms, with the place for the number.
    counts: Mapping[str, str]
    of_templates: frozenset[str] = frozenset()
    # What each script says, by its name.
    of_scripts: Mapping[str, Mapping[str, str]] = MappingProxyType({})

    def words(self, scripts: Iterable[str]) -> dict[str, str]:
        """What these scripts say, and those that they take up."""
        named = set(scripts)
        named |= {other for one in named for other in TAKEN_UP.get(one, ())}
        return {text: said for one in sorted(named) for text, said in self.of_scripts.get(one, {}).items()}


# The scripts that say something and are taken up by another one.
TAKEN_UP: Mapping[str, tuple[str, ...]] = {"workbench": ("workbench-table", "drafts"), "drafts": ("workbench-table",)}


class Language:
    """One language: whatever a page says, said in it."""

    def __init__(self, known: Catalogue) -> None:
        self.code = known.code
        self.known = known
        self.known_text: Callable[[str], str | None] = lru_cache(maxsize=MOST_KEPT)(self._known_text)
        self.say: Callable[[str], str] = lru_cache(maxsize=MOST_KEPT)(self._say)
        self.texts = {**_inner(known.texts), **known.texts}
        by_start: dict[str, list[Sentence]] = defaultdict(list)
        spoken = {english: said for english, said in self.texts.items() if english not in known.of_templates}
        for sentence, start in _sentences(spoken):
            by_start[start].append(sentence)
        anywhere = by_start.pop("", [])
        self.sentences = {start: _longest_first(some + anywhere) for start, some in by_start.items()}
        self.anywhere = _longest_first(anywhere)

    def said(self, value: object) -> object:
        """What a template prints: a text in this language, anything else as it is."""
        return self.say(value) if type(value) is str else value

    def told(self, value: Any, name: str = "") -> Any:  # noqa: ANN401 (whatever a document holds)
        """A reply to the script of a page, with whatever the script shows in this language."""
        if isinstance(value, dict):
            return {key: one if key == _NOT_TOLD else self.told(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self.told(one, name) for one in value]
        return self.say(value) if name in TOLD and isinstance(value, str) else value

    def markup(self, made: Markup) -> Markup:
        """A piece of a page that was made in English; the names in it (``<bdi>``) stay as they are."""
        return Markup(_NODES.sub(self._node, made))

    def _node(self, found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        if found[3]:
            return f"{found[3]}{escape(self.say(unescape(found[4])))}"
        return f">{escape(self.say(unescape(found[2])))}<"

    def _say(self, text: str) -> str:
        known = self.known_text(text)
        if known is not None:
            return known
        bare = self.dates(" ".join(text.split()))
        return _with_blanks(text, self._sentence(bare, is_loose=True) or self._loose_parts(bare) or bare)

    def _known_text(self, text: str) -> str | None:
        """The text in this language, nothing where a word of it is not known; what has no words needs no knowing."""
        if not _LANGUAGE.search(text):
            return text
        bare = " ".join(text.split())
        known = self.texts.get(bare)
        if known is None:
            bare = self.dates(bare)
            known = self._whole(bare)
        for breaks in _BREAKS:
            if known is None:
                known = self._split(breaks, bare, self.known_text)
        return None if known is None else _with_blanks(text, known)

    def _whole(self, text: str) -> str | None:
        """A text that the catalogue has: as it is, a count, a list, a sentence with places, or with a small letter."""
        if text in self.texts:
            return self.texts[text]
        if text.endswith(".") and text[:-1] in self.texts:
            return f"{self.texts[text[:-1]]}."
        if text.startswith("(") and text.endswith(")"):
            inner = self.known_text(text[1:-1])
            return None if inner is None else f"({inner})"
        if (count := _COUNT.fullmatch(text)) and (form := self.known.counts.get(f"{{number}} {count[2]}")):
            return form.format(number=count[1])
        other = _swapped(text)
        if other in self.texts:
            return _swapped(self.texts[other])
        return self._split(_LIST, text, self.known_text) or self._sentence(text, is_loose=False)

    def _sentence(self, text: str, *, is_loose: bool) -> str | None:
        """The sentence with the most words that fits a text, its values known too, unless it is taken loosely."""
        first = _WORD.match(text)
        for sentence in self.sentences.get(first[0].lower() if first else "", self.anywhere):
            if sentence.words not in text:
                continue
            for pattern in sentence.patterns:
                fits = pattern.fullmatch(text)
                if fits is None:
                    continue
                found = fits.groupdict()
                known = {name: self.known_text(value) for name, value in found.items()}
                unknown = sum(len(found[name]) for name, one in known.items() if one is None)
                if unknown and not (is_loose and unknown <= MOST_UNKNOWN + 4 * sentence.letters):
                    continue
                said = {name: self.say(found[name]) if one is None else one for name, one in known.items()}
                made = PLACE.sub(lambda place: said[place[1]], sentence.translated)  # noqa: B023 (called at once)
                return made if sentence.is_small(text) else _swapped(made)
        return None

    def _loose_parts(self, text: str) -> str | None:
        """Several sentences, one after the other, of which some are known."""
        found = (self._split(breaks, text, self.say) for breaks in _BREAKS[:2])
        return next((one for one in found if one is not None), None)

    def _split(self, breaks: re.Pattern[str], text: str, say: Callable[[str], str | None]) -> str | None:
        marks = breaks.findall(text)
        if not marks:
            return None
        said: list[str] = []
        for part in breaks.split(text):
            one = say(part)
            if one is None:
                return None
            said.append(one)
        made = "".join((said[0], *(f"{self._mark(mark)}{one}" for mark, one in zip(marks, said[1:], strict=True))))
        return None if made == text else made

    def _mark(self, mark: str) -> str:
        return f" {self.texts.get(mark.strip(), mark.strip())} " if _WORD.search(mark) else mark

    # days

    def dates(self, text: str) -> str:
        """A text with the days in it as the language writes them."""
        text = _SPAN.sub(self._span, _WEEKDAY.sub(lambda found: self._word(found[0]), text))
        text = _SHORT.sub(lambda found: found[0].replace(found["month"], self._word(found["month"])), text)
        return _DATES.sub(self._date, text)

    def _word(self, name: str) -> str:
        return self.known.texts.get(name, name)

    def _span(self, found: re.Match[str]) -> str:
        given = found.groupdict()
        months = {"month": self._word(given["month"]), "month2": self._word(given["month2"])}
        return self._word(MONTHS_TEXT).format(**{**given, **months})

    def _date(self, found: re.Match[str]) -> str:
        texts, given = self.known.texts, found.groupdict()
        form = SPAN_TEXT if given["last"] else DAY_TEXT if given["first"] else MONTH_TEXT
        if form == DAY_TEXT and len(given["month"]) == len("Jun"):
            form = SHORT_TEXT
        given["month"] = self._word(given["month"])
        return texts.get(form, form).format(**given, mon=given["month"], day=given["first"])

    def day(self, day: date) -> str:
        """A day in short: ``14 jun 2026``."""
        return self.dates(f"{day:%b} {day.day}, {day.year}")

    def time(self, value: date | datetime | str) -> Markup:
        """A day, or a minute of one, that a machine can read too."""
        iso = value if isinstance(value, str) else value.isoformat()
        at = datetime.fromisoformat(iso)
        clock = f", {at:%H:%M}" if "T" in iso else ""
        return Markup(f'<time datetime="{escape(iso)}">{self.day(at)}{clock}</time>')


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


@cache
def language_of(code: str) -> Language:
    """A language with its catalogue; read once, when somebody asks for it."""
    return Language(catalogue(code))


def _with_blanks(text: str, said: str) -> str:
    """What is said, with the blanks around a text."""
    return f"{text[: len(text) - len(text.lstrip())]}{said}{text[len(text.rstrip()) :]}"


def _swapped(text: str) -> str:
    return text[:1].swapcase() + text[1:]


def _longest_first(some: list[Sentence]) -> tuple[Sentence, ...]:
    return tuple(sorted(some, key=lambda one: -one.letters))


def _inner(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts that a mark joins to what stands before (``, and more``), without it: the mark may be where a text ends."""
    found = {}
    for english, translated in texts.items():
        for start, end in ((", ", ""), ("; ", ""), (": ", ""), ("(", ")")):
            if english.startswith(start) and translated.startswith(start) and english.endswith(end):
                found[english.removeprefix(start).removesuffix(end)] = translated.removeprefix(start).removesuffix(end)
    return found


def _sentences(texts: Mapping[str, str]) -> Iterator[tuple[Sentence, str]]:
    """The texts with places, each with the word that it starts with."""
    shorter = {one.replace(_EQUALS, ""): said.replace(_EQUALS, "") for one, said in texts.items() if _EQUALS in one}
    for english, translated in (*texts.items(), *shorter.items()):
        literals = PLACE.split(english)[::2]
        letters = sum(len(word) for literal in literals for word in _WORD.findall(literal))
        if len(literals) < 2 or letters < max(FEWEST_LETTERS, 2 * (len(literals) - 1)):
            continue
        first = literals[0][:1] if literals[0][:1].isalpha() else ""
        start = _WORD.match(literals[0])
        key = start[0].lower() if start and start.end() < len(literals[0]) else ""
        longest = max((literals[0][1:], *literals[1:]), key=len).strip()
        yield Sentence(english, longest, letters, first, translated), key


@cache
def _compiled(english: str) -> tuple[re.Pattern[str], ...]:
    literals = PLACE.split(english)[::2]
    first = literals[0][:1] if literals[0][:1].isalpha() else ""
    beginning = f"[{first}{first.swapcase()}]{re.escape(literals[0][1:])}" if first else re.escape(literals[0])
    return tuple(re.compile(one, re.DOTALL) for one in _patterns(beginning, PLACE.findall(english), literals[1:]))


def _patterns(beginning: str, names: Sequence[str], literals: Sequence[str]) -> Iterator[str]:
    """What a sentence looks like; where two places touch, the first may be a word, or nothing."""
    ways = (r"\S*", ".*?") if "" in literals[:-1] else (".*?",)
    for way in ways:
        pattern, known = beginning, set[str]()
        for at, (name, literal) in enumerate(zip(names, literals, strict=True), start=1):
            place = way if literal == "" and at < len(names) else ".*?"
            pattern += f"(?P={name})" if name in known else f"(?P<{name}>{place})"
            known.add(name)
            pattern += re.escape(literal)
        yield pattern


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
    of_scripts: dict[str, dict[str, str]] = {}
    for entry in found:
        if entry.is_of_templates:
            of_templates.add(entry.english[0])
        for script in (Path(one).stem for one in entry.where if one.endswith(".js")):
            of_scripts.setdefault(script, {}).update(zip(entry.english, entry.translated, strict=True))
        if all(entry.translated):
            (texts if len(entry.english) == 1 else counts).update(zip(entry.english, entry.translated, strict=True))
    return Catalogue(code, texts, counts, frozenset(of_templates), of_scripts)


@cache
def catalogue(code: str) -> Catalogue:
    """The catalogue of a language that ships with the program."""
    with open(FOLDER / f"{code}.po", encoding="utf-8") as file:
        return catalogue_of(code, entries(iter(file)))
