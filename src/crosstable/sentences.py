"""Sentences: templates with an id and named values.

Every sentence that a person reads is a template with an id of its own and values that are put in by name. Numbers of
the rules come from the edition that is spoken of, never from the template. The id and the values travel with the text,
so that the same sentence can be said in another language later.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from crosstable.tuples import NamedTuple

if TYPE_CHECKING:
    from string import Formatter


class Sentence(NamedTuple):
    """A sentence that was said: the id of its template, the values put in, and the text."""

    key: str
    values: Mapping[str, object]
    text: str

    def __str__(self) -> str:
        return self.text


class Template(NamedTuple):
    """A sentence that can be said: its id, and its text with named places such as ``{k_numerator:g}``."""

    key: str
    text: str

    def say(self, formatter: "Formatter | None" = None, /, **values: object) -> Sentence:
        """The sentence with these values put in, by a formatter that may know how to print them."""
        text = self.text.format_map(values) if formatter is None else formatter.vformat(self.text, (), values)
        return Sentence(self.key, values, text)


def american(day: date) -> str:
    """A day as Americans write it: ``June 14, 2026``."""
    return f"{day:%B} {day.day}, {day.year}"


def american_days(start: date, end: date) -> str:
    """A span of days as Americans write it: ``June 13-14, 2026``, ``June 27 to July 5, 2026``."""
    if start == end:
        return american(end)
    if (start.year, start.month) == (end.year, end.month):
        return f"{start:%B} {start.day}-{end.day}, {end.year}"
    return f"{f'{start:%B} {start.day}' if start.year == end.year else american(start)} to {american(end)}"


def sentence_of(said: object) -> str:
    """What an error says as a sentence: with a capital, and a full stop."""
    text = str(said)
    return f"{text[0].upper()}{text[1:]}."


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun: ``1 section``, ``2,000 sections``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def spans(numbers: Iterable[int]) -> str:
    """Numbers in short: ``1-4, 7``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
