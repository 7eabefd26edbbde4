"""What of an explanation is public (§2.3): no birth date, no age, no number of a start by age, no hidden decimals."""

import math
import re
from datetime import date, timedelta
from typing import Any

import pytest

from crosstable.engine import RatedSection
from crosstable.explanation import Line, explain
from crosstable.explanation.lines import is_coarse, public_lines, started_by_age
from crosstable.explanation.telling import kinds_in
from crosstable.explanation.words import WORDS
from crosstable.formulas.outcome import official_rating
from crosstable.terms import Formula
from tests.engine.by_file import rated_file
from tests.event_files import EventFile, event_file, player, record
from tests.explanation.sample import rated_sections

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
BORN = "2014-02-03"


def rated(event: EventFile, system: str = "OTBR") -> RatedSection:
    """The only section, rated."""
    (section,) = (one for one in rated_file(event).rated[0] if one.system.name == system)
    return section


def texts(lines: tuple[Line, ...]) -> str:
    """All sentences."""
    return "\n".join(line.text for line in lines)


def with_newcomer(**more: Any) -> EventFile:
    """An unrated player born on a known day, who meets an established and a provisional player."""
    return event_file(
        player(1, "W2 L3", **{"birth_date": BORN, **more}),
        player(2, "L1 U", 912.37, 40),
        player(3, "W4 W1", 850.61, 12),
        player(4, "L3 U", 700.25, 60),
    )


def everybody_established() -> EventFile:
    return event_file(player(1, "W2 D3", 1512.34, 40), player(2, "L1 U", 1640.5, 90), player(3, "U D1", 1555.25, 30))


def decimals_of(number: float) -> int:
    """How many decimals a number needs."""
    return len(f"{number:.9f}".rstrip("0").partition(".")[2])


def most_decimals(lines: tuple[Line, ...], kinds: str) -> int:
    """The most decimals that any value of some kinds has."""
    found = [0]
    for line in lines:
        words = WORDS[line.key]
        for name, kind in kinds_in(words.template.text, words.formula).items():
            if kind.lstrip("+") in kinds and kind and name in line.values and isinstance(line.values[name], float):
                found.append(decimals_of(line.values[name]) if math.isfinite(line.values[name]) else 0)
    return max(found)


def test_a_start_by_age_is_on_nobodys_lines() -> None:
    """§2.3: 50 × Age on the last day; Step 3 shows in nothing either, and nor does the day itself."""
    section = rated(with_newcomer())
    own = section.players[0]
    assert started_by_age(section, own)
    hidden = [own.prior, own.strength, own.start.age if own.start else math.nan]
    for one in section.players:
        lines = public_lines(section, one.number)
        numbers = [float(number) for line in lines for number in NUMBER.findall(line.text)]
        numbers += [line.value for line in lines]
        numbers += [value for line in lines for value in line.values.values() if isinstance(value, float)]
        for secret in hidden:
            assert not any(math.isclose(number, secret, abs_tol=0.5) for number in numbers), (secret, texts(lines))
        assert BORN not in texts(lines)
        assert not {line.part for line in lines} & {"Step 3"}
        hidden_keys = ("age", "start.age", "special.prior", "special.knot", "special.at_start", "estimate.")
        assert not any(line.key.startswith(hidden_keys) for line in lines)


def test_in_such_a_section_the_working_is_made_of_posted_numbers() -> None:
    """§3, §4.2: N', K, E and the change of player 2 by hand from what is posted: 912 before, the opponent's after."""
    section = rated(with_newcomer())
    posted = {one.number: official_rating(one.after.rating) for one in section.players if one.after is not None}
    lines = {line.name: line for line in public_lines(section, 2) if line.name}
    constants = section.edition.constants
    most = 50.0 / math.sqrt(0.662 + 0.00000739 * (2569.0 - 912.0) ** 2)
    expected = 1.0 / (1.0 + 10.0 ** ((posted[1] - 912.0) / 400.0))
    k = constants.k_numerator / (most + 1.0)
    assert lines["effective"].value == pytest.approx(most, abs=1e-4)
    assert lines["expected"].value == pytest.approx(expected, abs=1e-4)
    assert lines["k"].value == pytest.approx(k, abs=1e-4)
    assert lines["from_posted"].value == round(912.0 + k * (0.0 - expected))
    told = texts(public_lines(section, 2))
    assert f"Round 1: lost to player 1, met at {posted[1]}, posted after the section" in told
    assert f"the posted result is {posted[2]}." in told
    assert most_decimals(public_lines(section, 2), "rp") == 0


def test_what_is_made_of_posted_numbers_follows_from_nothing_else() -> None:
    """Another birth date with the same posted numbers gives the same lines, to the letter."""
    seen: dict[tuple[object, ...], set[str]] = {}
    for day in range(1, 29):
        section = rated(with_newcomer(birth_date=f"2012-03-{day:02}"))
        posted = tuple(official_rating(one.after.rating) for one in section.players if one.after is not None)
        told = "".join(texts(public_lines(section, one.number)) for one in section.players)
        seen.setdefault(posted, set()).add(told)
    assert len(seen) < 28
    assert {len(told) for told in seen.values()} == {1}


def test_a_birth_date_that_counts_in_a_blend_is_not_told_either() -> None:
    """§2, items 3 to 5: strength for age, staleness and weight are made with an age; N shows in the games after."""
    quick = {"OTBQ": record(900.0, 20) | {"as_of": "2023-01-15"}}
    section = rated(with_newcomer(ratings=quick))
    assert section.players[0].start is not None
    assert section.players[0].start.sources
    lines = public_lines(section, 1)
    assert {"game_factor", "converted", "games"} <= {line.name for line in lines}
    hidden = {"age_based_then", "strength_for_age", "staleness_factor", "weight", "total_weight", "mean", "rating"}
    assert not hidden & {line.name for line in lines if line.part == "Step 1"}
    assert "What age contributes to the start is not public." in texts(lines)
    assert not [line for line in lines if line.part == "Step 2"]


def test_with_a_provisional_player_both_passes_are_in_whole_numbers() -> None:
    """Decimals of a first section are not posted, so nobody's working shows them."""
    section = rated(event_file(player(1, "W2 D3", 1512.34, 12), player(2, "L1 U", 1640.5), player(3, "U D1", 1555.25)))
    assert is_coarse(section)
    for one in section.players:
        lines = public_lines(section, one.number, decimals=True)
        assert most_decimals(lines, "rp") == 0
        assert most_decimals(lines, "e") == 2
        assert {"Step 4", "Step 5"} <= {line.part for line in lines}
        assert not re.search(r"1512\.\d|1640\.\d|1555\.\d", texts(lines))


def test_among_established_players_ratings_are_rounded_as_they_are_posted() -> None:
    section = rated(everybody_established())
    assert not is_coarse(section)
    whole = public_lines(section, 1)
    assert most_decimals(whole, "r") == 0
    assert "R0 = 1512 on" in texts(whole)
    assert most_decimals(whole, "e") == 4
    shown = public_lines(section, 1, decimals=True)
    assert most_decimals(shown, "r") == 2
    assert "R0 = 1512.34 on" in texts(shown)


def test_nothing_public_has_a_formula_or_a_value_that_is_not_printed() -> None:
    """Over random sections: rounded numbers give no exact formula, and values are those of the text."""
    for _, _, section in rated_sections()[:60]:
        for one in section.players:
            for line in public_lines(section, one.number):
                assert line.formula is None
                words = WORDS[line.key]
                printed = kinds_in(words.template.text)
                names = kinds_in(words.template.text, words.formula) if "formula" in printed else printed
                assert set(line.values) <= set(names)


def test_the_sections_say_which_form_they_have() -> None:
    """Over random sections: coarse where somebody who counts is not established, and all that is said is said why."""
    forms = set()
    for _, _, section in rated_sections():
        one = section.players[0]
        keys = {line.key for line in public_lines(section, one.number)}
        (form,) = keys & {"public.posted", "public.coarse", "public.by_age"}
        assert is_coarse(section) == (form != "public.posted")
        if form != "public.by_age" and one.formula is not Formula.NONE:
            told = {line.key for line in explain(section, one.number)} - {"start.no_resident"}  # where somebody lives
            assert told == keys - {form}
        forms.add(form)
    assert len(forms) == 3


def test_who_neither_played_nor_was_met_makes_nothing_coarse() -> None:
    event = everybody_established()
    event["sections"][0]["players"].append(player(4, "U U", birth_date=BORN))
    assert not is_coarse(rated(event))


def test_opponents_abroad_make_nothing_coarse() -> None:
    """§6: they stand at FIDE ratings; whether they have a rating here does not count."""
    event = event_file(
        player(1, "D2", 2400.0, rate=True, member=True, fide_flag="USA", fide_opt_in=True),
        player(2, "D1", ratings={"FIDE": {"rating": 2400}}),
        type="foreign_fide",
    )
    assert not is_coarse(rated(event))


def test_a_start_without_a_birth_date_is_told() -> None:
    """§2.3: 750 says of nobody how old they are."""
    section = rated(event_file(player(1, "W2"), player(2, "L1", 1500.0)))
    assert not started_by_age(section, section.players[0])
    assert "The age-based rating is 750:" in texts(public_lines(section, 1))


def test_a_start_by_hand_is_told() -> None:
    event = event_file(
        player(1, "W2", start={"rating": 1850, "games": 4}, birth_date="2001-02-03"),
        player(2, "L1", 1800.0),
        on="2012-03-03",
    )
    assert "R0 = 1850" in texts(public_lines(rated(event), 1))


def test_every_birth_date_of_a_fortnight_reads_the_same() -> None:
    """50 points a year are 0.137 a day: within two weeks no whole number moves here, and nothing else may."""
    first = date.fromisoformat(BORN)
    seen = set()
    for days in range(14):
        event = with_newcomer()
        event["sections"][0]["players"][0]["birth_date"] = (first + timedelta(days=days)).isoformat()
        section = rated(event)
        seen.add(tuple(texts(public_lines(section, one.number)) for one in section.players))
    assert len(seen) == 1


def test_nobody_can_be_explained_who_is_not_there() -> None:
    with pytest.raises(KeyError):
        public_lines(rated(everybody_established()), 9)
