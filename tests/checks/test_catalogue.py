"""The catalogue: every message can be said, meanings follow the edition, and a message is said in one way only."""

from datetime import date
from string import Formatter

import pytest

from crosstable.catalogue import CATALOGUE, TEMPLATES, meaning_of
from crosstable.faults import fault
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.in_words import phrases


def places(text: str) -> set[str]:
    """The names of the values that a text has places for."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("edition", [EDITIONS[0], EDITIONS[-1]], ids=["first", "last"])
def test_every_meaning_can_be_said_under_an_edition(edition: Edition) -> None:
    words = phrases(edition)
    for code in CATALOGUE:
        said = meaning_of(code, words)
        assert said.endswith(".")
        assert "{" not in said


def test_every_message_belongs_to_a_code_and_no_remedy_has_a_place_that_nobody_fills() -> None:
    assert {key.partition(":")[0] for key in TEMPLATES} == set(CATALOGUE)
    assert not [code for code, kind in CATALOGUE.items() if places(kind.remedy)]


def test_a_meaning_is_a_message_only_where_it_has_no_place() -> None:
    """Values of a finding are those of its section; a meaning's are those of an edition."""
    for code, kind in CATALOGUE.items():
        if not kind.says:
            assert not places(kind.meaning), code


@pytest.mark.parametrize(
    ("code", "day", "words"),
    [
        # 2025 text §7, item 2; before 2006 only the limit of three years is known (rules history §11).
        ("match-limited", date(2026, 1, 1), "50 points in a match, 100 net in 180 days, 200 net in 3 years."),
        ("match-limited", date(2001, 1, 1), "at a limit: 200 net in 3 years."),
        ("match-not-eligible", date(2026, 1, 1), "established, published ratings that are at most 400 points apart."),
        ("match-not-eligible", date(2001, 1, 1), "need published ratings that are at most 400 points apart."),
        ("bonus-lost", date(2026, 1, 1), "more than twice, or more than once in 3 games."),
        ("half-k", date(2026, 1, 1), "Half-K sections ended in March 2006."),
        ("foreign-not-eligible", date(2026, 1, 1), "from 2200 FIDE up under the USA flag"),
        ("floor-requested", date(2026, 1, 1), "a floor 100 points lower."),
    ],
)
def test_a_meaning_speaks_of_the_rules_of_its_day(code: str, day: date, words: str) -> None:
    """§4.2, §6, §7: the numbers of the documents."""
    assert words in meaning_of(code, phrases(edition_for(day)))


def test_values_are_put_in_and_the_remedy_stands_unless_a_nearer_one_is_given() -> None:
    found = fault("dates-reversed:event", "event", start=date(2026, 2, 1), end=date(2026, 1, 31))
    assert found.code == "dates-reversed"
    assert found.message == "The event starts on 2026-02-01 and ends on 2026-01-31."
    assert found.remedy == CATALOGUE["dates-reversed"].remedy
    assert fault("bad-value", "here", "It is -1.", "Give 1.")[2:] == ("here", "It is -1.", "Give 1.")


def test_a_code_without_a_message_says_its_meaning() -> None:
    assert fault("no-section", "event").message == "The event has no section."


@pytest.mark.parametrize(("name", "values"), [("long-section", {"days": 46}), ("no-section:event", {})])
def test_a_ready_message_takes_no_values_and_no_suffix(name: str, values: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="either a message or the values"):
        fault(name, "here", "Too long.", **values)


def test_a_value_that_is_missing_fails_at_once() -> None:
    with pytest.raises(KeyError, match="days"):
        fault("long-section", "here", start=1, end=2)
