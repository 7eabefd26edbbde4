"""§1 to §7: the words of an explanation, one sentence for every field of every working record."""

import inspect
import pkgutil
import re
from importlib import import_module
from typing import get_args

import pytest

import crosstable.formulas
from crosstable.explanation.lines import Working
from crosstable.explanation.words import WORDS, Words
from crosstable.formulas.floors import Limited
from crosstable.formulas.outcome import Outcome

RECORDS = {kind.__name__: kind for kind in get_args(Working)}
# The sections of the 2025 text that a sentence may cite.
CITED = re.compile(r"§(?:1|2|2\.1|2\.2|2\.3|3|4\.1|4\.2|5|6|7|8)(?:, §2\.2)?")


def worked_records() -> set[str]:
    """The records of the formulas that carry a working: those that say what their last field is."""
    found = set()
    for info in pkgutil.iter_modules(crosstable.formulas.__path__):
        module = import_module(f"crosstable.formulas.{info.name}")
        for name, kind in inspect.getmembers(module, inspect.isclass):
            is_record = issubclass(kind, tuple) and kind.__module__ == module.__name__
            if is_record and "the last field is" in " ".join((kind.__doc__ or "").split()):
                found.add(name)
    return found


def test_every_working_record_has_words() -> None:
    found = worked_records()
    assert len(found) >= 5
    assert set(WORDS) == set(RECORDS)
    assert found - {Limited.__name__} <= set(WORDS)


def test_what_floors_do_is_said_in_the_words_of_the_outcome() -> None:
    """§5: the record of floors and ceiling is passed on, field by field, in the outcome."""
    assert {f"floor_{name}" if name in ("kind", "level") else name for name in Limited._fields} <= set(Outcome._fields)


@pytest.mark.parametrize("name", sorted(WORDS))
def test_every_field_has_a_sentence_or_is_said_elsewhere_and_no_sentence_lacks_a_field(name: str) -> None:
    assert list(WORDS[name]) == list(RECORDS[name]._fields)
    assert any(words is not None for words in WORDS[name].values())


@pytest.mark.parametrize(
    ("name", "field", "words"),
    [
        pytest.param(name, field, words, id=f"{name}.{field}")
        for name, fields in WORDS.items()
        for field, words in fields.items()
        if words is not None
    ],
)
def test_every_sentence_cites_its_section_and_says_its_number(name: str, field: str, words: Words) -> None:
    assert CITED.fullmatch(words.section)
    said = words.sentence.format(value=1234.5)
    assert re.search(r"1234\.5|\+1234\.5|1235", said), said
    assert said.endswith(".")
    assert "{" not in said
