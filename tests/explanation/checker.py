"""A checker of explanations as programs read them: ``explain --json`` beside the event file that was rated.

It knows the grammar of the interface, the numbers of the rules, and the file; of the words of an explanation only how
formulas, dates and rounds are written. Every number that is printed must be one of these: in a formula that gives the
value beside it within 1e-9, known from the file or the rules, or told by a line before. So whoever changes any printed
number is found out.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from crosstable.formulas import norms
from crosstable.formulas.initial import CEILING_SLACK, DAYS_A_YEAR
from crosstable.formulas.outcome import WHOLE_SLACK
from crosstable.formulas.standard import RATING_SCALE
from crosstable.rules.amending import Edition
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.constants import FIDE_RESCALED_BELOW, FIDE_RESCALED_BY, FIDE_RESCALED_ON
from crosstable.rules.documents import IN_FORCE
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, PEAKS_COUNT_FROM
from tests.explanation.formulas import evaluated

TOLERANCE = 1e-9
# Ratings and points are printed to four places, what they are multiplied by to six.
PLACES = (6, 4)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\?)")
GOES_ON = re.compile(r"\.?\d")
SIGNED = re.compile(r"\(-\d+(?:\.\d+)?(?:e-?\d+)?\)|(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
IN_FORMULA = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
DAY = re.compile(r"\b([A-Z][a-z]+) (\d{1,2}), (\d{4})\b")
ROUND = re.compile(r"Round (\d+): (won against|drew with|lost to|a \w+ by forfeit against|against|)\s?player (\d+)")
POINTS = {"won against": "WN", "drew with": "DR", "lost to": "LS"}
CITED = re.compile(r"§\d(\.\d)?|node \d|norms")
MONTHS = {f"{date(2000, month, 1):%B}": month for month in range(1, 13)}
# What arithmetic itself needs: halves, squares, powers of ten, the bounds of an expectancy.
ARITHMETIC = (0.0, 0.5, 1.0, 2.0, 10.0)
OF_NORMS = (norms.NORM_MARGIN, norms.NORM_WIDTH_ABOVE, norms.NORM_WIDTH_BELOW, *norms.NORM_LEVELS)
OF_OTHERS = (RATING_SCALE, DAYS_A_YEAR, CEILING_SLACK, WHOLE_SLACK, FIDE_RESCALED_BELOW, FIDE_RESCALED_BY)
# Sentences that say only that nothing changed.
UNSAID = {"result.untouched", "result.opponent"}
# Sentences that quote a title, an amendment, an assumption.
QUOTING = {"rules.document", "rules.date_assumed", "rules.by_results", "rules.assumed", "assumed"}
# What only makes up for the last digits of floats is not printed.
UNPRINTED = re.compile(f" [+-] ({CEILING_SLACK!r}|{WHOLE_SLACK!r})")
SUM = re.compile(r"sum\(\(((?:[^()]|\([^()]*\))*?),?\)\)")


@lru_cache(maxsize=100_000)
def shown(number: float, places: int | None) -> str:
    """A number as texts print it: to so many places, or with all its digits; no zeros at the end."""
    text = format(Decimal(repr(float(number))), "f") if places is None else f"{number:.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def printings(number: float) -> Iterator[str]:
    """The ways in which a number that is known may be printed."""
    return (shown(number, places) for places in (*PLACES, None))


def numbers_of(thing: object) -> Iterator[float]:
    """Every number in a file, or in a table of the rules."""
    if isinstance(thing, bool) or thing is None:
        return
    if isinstance(thing, int | float):
        yield float(thing)
    elif isinstance(thing, Mapping):
        for inner in thing.values():
            yield from numbers_of(inner)
    elif isinstance(thing, Sequence) and not isinstance(thing, str):
        for inner in thing:
            yield from numbers_of(inner)


def days_of(thing: object) -> Iterator[date]:
    """Every day in a file."""
    if isinstance(thing, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", thing):
        yield date.fromisoformat(thing)
    elif isinstance(thing, Mapping):
        for inner in thing.values():
            yield from days_of(inner)
    elif isinstance(thing, list):
        for inner in thing:
            yield from days_of(inner)


# Numbers of the rules with more decimals than are printed of others.
TINY = {
    number
    for edition in EDITIONS
    for number in numbers_of(edition.constants)
    if shown(number, PLACES[0]) != shown(number, None)
}
# What is quoted: titles of documents, and amendments.
QUOTED = {document.title for document in IN_FORCE} | {
    text for one in AMENDMENTS for text in (one.summary, one.source, f"stated as {one.stated};")
}


@dataclass(frozen=True)
class Case:
    """A section as its file has it, as it was rated in a system, its days, and the edition that rated it."""

    section: Mapping[str, Any]
    results: Sequence[Mapping[str, Any]]
    days: tuple[date, date]
    edition: Edition
    system: str

    def rows(self, number: int) -> list[Mapping[str, Any]]:
        """The rows of a player in the file."""
        own = {number, *self.result(number).get("merged_with", ())}
        return [player for player in self.section["players"] if player["number"] in own]

    def result(self, number: int) -> Mapping[str, Any]:
        """The result of a player."""
        return next(row for row in self.results if row["number"] == number)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers that need no line: of the file, of the rules, of the results of the section."""
        given = (self.edition.constants, self.section, self.results)
        return frozenset((*ARITHMETIC, *OF_NORMS, *OF_OTHERS, *numbers_of(given)))

    @cached_property
    def printed(self) -> frozenset[str]:
        """The same as texts print them."""
        return frozenset(text for number in self.numbers for text in printings(number))

    def counts(self, number: int) -> Iterator[float]:
        """What follows from the rows of a player: counts, sums of match changes, days between days."""
        rows = self.rows(number)
        letters = [cell[:1] for row in rows for cell in row["rounds"]]
        yield from (float(at) for at in range(len(letters) + 2))
        yield from (at / 2 for at in range(len(letters) + 2))
        record = rows[0]["ratings"].get(self.system) or {}
        for name, wanted in (("wins", "WN"), ("draws", "DR")):
            yield (record.get(name) or 0.0) + sum(letter in tuple(wanted) for letter in letters)
        yield (record.get("events") or 0.0) + 1.0
        changes = [one["change"] for one in record.get("match_changes") or []]
        for count in range(len(changes) + 1):
            yield from map(math.fsum, combinations(changes, count))
        days = {self.days[1], *days_of(rows)} | {date(row["birth_year"], 7, 1) for row in rows if "birth_year" in row}
        yield from (float((one - other).days) for one in days for other in days)

    @cached_property
    def known_days(self) -> frozenset[date]:
        """The days that may be named."""
        ours = {*self.days, self.edition.effective, LAW_SEEN_THROUGH, PEAKS_COUNT_FROM, *days_of(self.section)}
        return frozenset(ours | {date.fromordinal(FIDE_RESCALED_ON), *(one.effective for one in AMENDMENTS)})


def taken_apart(formula: str) -> tuple[list[str], list[str]]:
    """A formula as texts print it, in signs instead of words: what stands around its numbers, and the numbers."""
    formula = SUM.sub(lambda found: found[1].replace(", ", " + "), UNPRINTED.sub("", formula))
    for word, sign in (("10 ** ", "10^"), (" ** 2", "²"), ("sqrt(", "√("), ("exp(", "e^("), (" * ", " × ")):
        formula = formula.replace(word, sign)
    return SIGNED.split(formula), SIGNED.findall(formula)


@lru_cache(maxsize=100_000)
def forms(written: str) -> tuple[str, ...]:
    """How a number of a formula may be printed, a negative one in brackets."""
    number = float(written.strip("()"))
    texts = {shown(number, places) for places in (*PLACES, None if number in TINY else PLACES[0])}
    return tuple(sorted((f"({text})" if text.startswith("-") else text for text in texts), key=len, reverse=True))


def without(text: str, formula: str, value: float) -> str | None:
    """A text without the equation of a formula and its value; nothing where it does not print it."""
    words, numbers = taken_apart(formula)
    steps = [[form + after for form in forms(number)] for number, after in zip(numbers, words[1:], strict=True)]
    steps.append([f" = {sign}{shown(value, places)}" for places in PLACES for sign in ("", "+")])
    for first in steps[0]:
        start = text.find(words[0] + first)
        while start >= 0:
            at = _past(text, start + len(words[0]), steps)
            if at and not text[start - 1 : start].isdigit() and not GOES_ON.match(text, at):
                return text[:start] + text[at:]
            start = text.find(words[0] + first, start + 1)
    return None


def _past(text: str, at: int, steps: Iterable[Iterable[str]]) -> int:
    """The place behind a row of words, each in one of its forms; 0 where they do not stand there."""
    for wanted in steps:
        found = next((words for words in wanted if text.startswith(words, at)), "")
        if not found:
            return 0
        at += len(found)
    return at


class Checker:
    """Reads the lines of one explanation in their order."""

    def __init__(self, case: Case, number: int) -> None:
        self.case = case
        self.rows = case.rows(number)
        self.quoted = {*QUOTED, *case.result(number)["assumed"]}
        self.numbers = set(map(abs, case.numbers))
        self.printed = set(case.printed)
        self._learn(case.counts(number))

    def problems(self, lines: Iterable[Mapping[str, Any]]) -> list[str]:
        """Everything that is wrong with an explanation."""
        return [f"{problem}: {line}" for line in lines for problem in self.about(line)]

    def about(self, line: Mapping[str, Any]) -> Iterator[str]:
        """What is wrong with a line; what it tells is known from now on."""
        is_cited = CITED.fullmatch(line["section"]) and line["document"]
        if not is_cited and line["key"] not in ("assumed", "rules.document", "rules.rows"):
            yield "cites nothing"
        formula, value = line["formula"], line["value"]
        within: set[float] = set()
        if formula is not None:
            within = {float(number) for number in IN_FORMULA.findall(formula)}
            if abs(evaluated(formula) - value) > TOLERANCE:
                yield "the formula does not give the value"
            yield from (
                f"{number} could be any number" for number in within - self.numbers if _is_idle(formula, number)
            )
        elif value is not None and abs(value) not in self.numbers:
            yield "a value from nowhere"
        yield from self._text(line, within)
        self._learn(within if value is None else {*within, value})

    def _learn(self, told: Iterable[float]) -> None:
        for number in told:
            self.numbers.add(abs(number))
            self.printed.update(printings(number))

    def _text(self, line: Mapping[str, Any], within: set[float]) -> Iterator[str]:
        rest = str(line["text"])
        if line["key"] in QUOTING:
            for text in sorted(self.quoted, key=len, reverse=True):
                rest = rest.replace(text, "", 1)
        for month, day, year in DAY.findall(rest):
            if date(int(year), MONTHS[month], int(day)) not in self.case.known_days:
                yield f"{month} {day}, {year} is no day of the file"
        rest = re.sub(r"\bStep [1-5](?!\.?\d)", "", DAY.sub("", rest))
        yield from self._round(rest)
        value = set() if line["value"] is None else {shown(line["value"], places) for places in PLACES}
        if line["formula"] is not None and len(IN_FORMULA.findall(line["formula"])) > 1:
            found = without(rest, line["formula"], line["value"])
            if found is None:
                yield "the text does not print the formula with its value"
            rest = found or ""
        elif value and line["key"] not in UNSAID and not value.intersection(NUMBER.findall(rest)):
            yield f"the text does not print {value}"
        known = {shown(number, places) for number in within for places in PLACES} | value
        for number in NUMBER.findall(rest):
            if number not in self.printed and number not in known:
                yield f"{number} comes from nowhere"

    def _round(self, text: str) -> Iterator[str]:
        found = ROUND.search(text)
        if found:
            at, letters = int(found[1]) - 1, POINTS.get(found[2], "")
            cells = [row["rounds"][at] for row in self.rows if at < len(row["rounds"])]
            wanted = rf"[{letters or 'A-Z'}]{found[3]}[wb]?"
            if not any(re.fullmatch(wanted, cell) for cell in cells):
                yield f"no such round in {cells}"


def _is_idle(formula: str, number: float) -> bool:
    """Whether a number of a formula may change without changing what it gives."""
    nudged = IN_FORMULA.sub(
        lambda found: repr(float(found[0]) * 1.001 + 1e-3) if float(found[0]) == number else found[0], formula
    )
    return abs(evaluated(nudged) - evaluated(formula)) <= TOLERANCE
