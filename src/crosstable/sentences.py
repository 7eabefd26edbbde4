"""Sentences: templates with an id and named values.

Every sentence that a person reads is a template with an id of its own and values that are put in by name. Numbers of
the rules come from the edition that is spoken of, never from the template. The id and the values travel with the text,
so that the same sentence can be said in another language later.
"""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

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
