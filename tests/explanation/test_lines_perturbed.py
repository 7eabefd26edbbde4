"""Every number of an explanation follows the edition that rated: constants are changed, and the words with them.

A place of a template that is named like a constant speaks of it (``test_words`` finds no number of the rules outside of
places). Each constant is changed here in turn, sections whose explanations speak of it are rated again, and their lines
must print the new number, in words and in the formula.
"""

import math
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any, NamedTuple

import pytest

from crosstable.engine import rate
from crosstable.explanation import Line, explain
from crosstable.explanation.telling import Figures, kinds_in, plain
from crosstable.explanation.words import WORDS
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.rules.editions import edition_for
from crosstable.rules.rule_sets import changed
from crosstable.terms import Background, Cell, Entry, PlayerRating, RatingSystem, Result, Section, SectionType
from tests.explanation.formulas import evaluated
from tests.explanation.sample import everybody, rated_sections

SPOKEN_OF = {
    name: {key for key, words in WORDS.items() if name in kinds_in(words.template.text, words.formula)}
    for name in Constants._fields
}
# Constants of which no explanation speaks by their own name, and why.
NOT_SPOKEN_OF = {
    "initialisation": "the sentences of a blend and of a priority list differ",
    "priorities": "the line that was taken is told, with its credit",
    "game_factors": "told as the Game Factor of a source",
    "fide": "told as the piece that converts",
    "fide_youth": "told as the piece that converts",
    "cfc": "told as the piece that converts",
    "cfc_needs_residence": "a source that does not count is not told",
    "too_young_is_adult": "there is a sentence for either",
    "half_k_is_allowed": "checked before anything is rated",
    "dual_k_is_reduced": "there is a sentence for either",
    "personal_floor_is_used": "there is a sentence for either",
    "money_prize": "decided by the office",
    "money_highest": "decided by the office",
    "foreign_needs_established": "checked before anything is rated",
    "foreign_automatic_from": "checked before anything is rated",
    "match_needs_established": "checked before anything is rated",
    "stores_whole_numbers": "there is a sentence for either",
}
# A sentence that appears only where this constant is not what it is in every edition.
APPEARS = {"k_effective_weight": "standard.k", "k_cap": "standard.k"}
TRIES = 5


class Case(NamedTuple):
    """A section in one system, what its players brought, and one of them."""

    section: Section
    system: RatingSystem
    edition: Edition
    number: int

    def lines(self, name: str = "", value: object = None) -> tuple[Line, ...]:
        """The explanation of the player, with one constant of the rules changed."""
        changes = {name: value} if name else {}
        edition = self.edition._replace(constants=changed(self.edition.constants, changes))
        return explain(rate(self.section, self.system, edition), self.number)


def made(first: PlayerRating, cells: str, second: PlayerRating, *, on: date = date(2025, 8, 2), **section: Any) -> Case:
    """Two players, of whom the first has these results against the second."""
    mirror = {"W": "L", "L": "W", "D": "D"}
    entries = (
        Entry(1, "m1", "", tuple(Cell(Result(letter), 2, "") for letter in cells), background=brings(first)),
        Entry(2, "m2", "", tuple(Cell(Result(mirror[letter]), 1, "") for letter in cells), background=brings(second)),
    )
    kind = section.pop("kind", SectionType.SWISS)
    made_section = Section(1, "", kind, False, None, (RatingSystem.OTBR,), on, on, entries, **section)
    return Case(made_section, RatingSystem.OTBR, edition_for(on), 1)


def brings(record: PlayerRating) -> Background:
    """What somebody with this rating record brings."""
    return Background({RatingSystem.OTBR: record})


MASTER = PlayerRating(2201.0, 900.0, 300, 300, 300, 90, 2230.0, 2230.0, games_at_2200=500)


@cache
def by_sentence() -> dict[str, list[Case]]:
    """For every sentence some cases in which it is said."""
    found: dict[str, list[Case]] = {}

    def note(case: Case, lines: tuple[Line, ...]) -> None:
        for key in {line.key for line in lines}:
            found.setdefault(key, []).append(case)

    checked = {id(rated): checked for _, checked, rated in rated_sections()}
    for _, rated, player, lines in everybody():
        one = checked[id(rated)]
        note(Case(one.section, rated.system, one.edition, player.number), lines)
    for case in (
        made(MASTER, "LLL", MASTER),
        made(MASTER, "LWLWLW", MASTER),
        made(PlayerRating(1305.0, 60.0, 20, 20, 20, 9, 1505.0, 1505.0), "LLL", PlayerRating(1200.0, 60.0)),
        made(PlayerRating(2300.0, 50.0, 20, 10, 20, 9, 2300.0), "L", MASTER, is_dual_control=True),
        made(PlayerRating(2600.0, 50.0, 20, 10, 20, 9, 2600.0), "L", MASTER, is_dual_control=True),
    ):
        note(case, case.lines())
    return found


def another(name: str, value: float) -> float:
    """A number near a constant, but not it; less where with more nobody is met too often."""
    if isinstance(value, int):
        return value - 1 if name == "bonus_meetings_in_three" else value + 1
    return 777.0 if math.isinf(value) else 3.0 if value == 0.0 else value * 1.0625


def speaking_of(name: str, lines: tuple[Line, ...]) -> Iterator[Line]:
    """The lines whose sentence speaks of a constant."""
    return (line for line in lines if line.key in SPOKEN_OF[name])


def test_every_constant_is_spoken_of_or_it_is_said_why_not() -> None:
    assert {name for name, keys in SPOKEN_OF.items() if not keys} == set(NOT_SPOKEN_OF)


@pytest.mark.parametrize("name", sorted(set(Constants._fields) - set(NOT_SPOKEN_OF)))
def test_a_changed_constant_is_told_as_it_is(name: str) -> None:
    """The new number stands in the words and in the formula, wherever the sentence speaks of it."""
    seen = set()
    for key in {*SPOKEN_OF[name], APPEARS.get(name, "")} & set(by_sentence()):
        for case in by_sentence()[key][-TRIES:]:
            new = another(name, getattr(case.edition.constants, name))
            for line in speaking_of(name, case.lines(name, new)):
                words = WORDS[line.key]
                assert line.values[name] == new
                if name in kinds_in(words.template.text) or "{formula}" in words.template.text:
                    assert plain(new, None) in line.text
                if name in kinds_in(words.formula):
                    assert line.formula is not None
                    assert repr(new) in line.formula
                    assert evaluated(line.formula) == pytest.approx(line.value, abs=1e-9, rel=0.0)
                seen.add(line.key)
    assert seen, f"no sentence about {name} is said in any section of the sample"


def test_a_text_follows_from_its_template_and_its_values_alone() -> None:
    """So nothing of the rules gets into a text past its places."""
    for cases in by_sentence().values():
        for line in cases[0].lines():
            words = WORDS[line.key]
            if "{formula}" not in words.template.text:
                assert words.template.say(Figures(), **line.values).text == line.text


TABLES = [
    ("fide.1.slope", "start.converted_FIDE_up_to", "slope"),
    ("fide.1.intercept", "abroad.opponent_up_to", "intercept"),
    ("fide.1.limit", "start.converted_FIDE_up_to", "limit"),
    ("fide_youth.1.slope", "abroad.opponent_up_to", "slope"),
    ("cfc.1.slope", "start.converted_CFC_up_to", "slope"),
    ("game_factors.OTBR.OTBQ", "start.factor", "factor"),
]


@pytest.mark.parametrize(("name", "key", "place"), TABLES, ids=[name for name, _, _ in TABLES])
def test_a_changed_number_of_a_table_is_told_as_it_is(name: str, key: str, place: str) -> None:
    """§2, §6: the piece of a conversion and the Game Factor that were used are told from the edition."""
    seen = 0
    for case in by_sentence()[key]:
        before = {line.values[place] for line in case.lines() if line.key == key}
        (old,) = before if len(before) == 1 else (math.nan,)
        for line in case.lines(name, old * 1.0625) if not math.isnan(old) else ():
            if line.key == key and line.values[place] == old * 1.0625:
                assert plain(old * 1.0625, None) in line.text
                seen += 1
        if seen > TRIES:
            break
    assert seen


def told(case: Case, name: str, value: float) -> str:
    """All sentences of an explanation under a changed constant."""
    return "\n".join(line.text for line in case.lines(name, value))


def test_the_rule_sets_of_the_findings_are_told_as_they_are() -> None:
    """§4.2, §1: K of 400, the smaller K above 2000, established above 10 games."""
    usual = made(PlayerRating(1500.0, 12.0, 4, 4, 4, 4), "WLW", PlayerRating(1500.0, 60.0))
    strong = made(PlayerRating(2150.0, 60.0, 20, 20, 20, 9, 2150.0), "W", MASTER, is_dual_control=True)
    assert "K = 400 / (" in told(usual, "k_numerator", 400.0)
    assert "K = 800 / (" in told(usual, "", 0.0)
    uncapped = 800.0 / (12.0 + 3.0)
    assert f"K is at most 32: K = min({uncapped:.6f}, 32) = 32." in told(usual, "k_cap", 32.0)
    assert "K is at most 60: K = min(53.333333, 60) = 53.333333." in told(usual, "k_cap", 60.0)
    assert "at most" not in "\n".join(line.text for line in usual.lines() if line.key.startswith("standard.k"))
    assert "the rating is above 2000, so K is smaller: K = 800 × (6.5 - 0.0025 × 2150)" in told(
        strong, "dual_k_above", 2000.0
    )
    assert "on N = 12 games: established, on more than 10." in told(usual, "established_above", 10.0)
    assert "on N = 12 games: provisional, on no more than 25." in told(usual, "", 0.0)


def test_floors_of_the_record_are_told_with_what_they_come_from() -> None:
    """§5: 2200 after 300 games at 2200 or more; §7: a peak floor that the office lowered to 1600 holds at 1600."""
    master = made(MASTER, "LLL", PlayerRating(1900.0, 60.0, 20, 20, 20, 9, 1900.0))
    assert "floor of 2200 holds the rating up, for 500 games at that level where 300 are needed." in told(master, "", 0)
    lowered = PlayerRating(1605.0, 60.0, 20, 20, 20, 9, 1941.0, 1941.0, lowered_floor=1600.0)
    case = made(lowered, "LLL", PlayerRating(1400.0, 60.0, 20, 20, 20, 9, 1400.0))
    assert "which the office lowered to 1600, holds the rating up." in told(case, "", 0)
