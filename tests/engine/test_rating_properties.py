"""§1, §5, §7, §8: laws that hold for every section, tried on random ones.

Sums of floats depend on their order, so what must not matter may still move a rating by a last digit: 1e-9 allows
for that and for nothing else.
"""

import copy
import json
import math
import random
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crosstable.checks import check
from crosstable.engine import rate
from crosstable.engine.records import Assumption
from crosstable.formats import event_json
from crosstable.pipeline.rating import RatedEvent
from crosstable.rules.constants import FIDE_RESCALED_ON
from crosstable.rules.editions import EDITIONS
from tests.amounts import amount
from tests.engine.by_file import EventFile, Row, rated_file, rows_by_system
from tests.engine.random_events import LAST_DAY, random_event

TOLERANCE = 1e-9
NUMBERS = ("pre", "post", "effective_games", "k", "score", "expected", "bonus", "games_before", "games_after")
WORDS = ("formula", "floor", "norm", "assumed")
GAMES = "WLDNRS"


@st.composite
def events(draw: st.DrawFn, *kinds: str) -> EventFile:
    """A random event that can be rated, of these types of section if any are named."""
    event, _ = random_event(draw(st.integers(0, 50_000)))
    assume(not kinds or event["sections"][0]["type"] in kinds)
    assume(not rated_file(event).has_errors)
    return event


many = settings(max_examples=amount(25, 2500))
shuffles = st.integers(0, 10_000).map(random.Random)


def same(one: Row, other: Row) -> bool:
    """Whether two results say the same of one player, pairing numbers apart."""
    return (
        all(close(one[name], other[name]) for name in NUMBERS)
        and all(one[name] == other[name] for name in WORDS)
        and same_start(one["initial"], other["initial"])
    )


def close(one: float | None, other: float | None) -> bool:
    """Both absent, or within the tolerance."""
    if one is None or other is None:
        return one is other
    return math.fabs(one - other) <= TOLERANCE


def same_start(one: Row | None, other: Row | None) -> bool:
    """Whether two starts are the same; the dates of their sources may have moved together."""
    if one is None or other is None:
        return one is other
    if (one["rating"], one["games"]) != (other["rating"], other["games"]):
        return False
    pairs = zip(one["sources"], other["sources"], strict=True)
    return all(close(here.get("weight"), there.get("weight")) for here, there in pairs)


def differing(one: EventFile, other: EventFile, number_there: Callable[[int], int] = int) -> list[str]:
    """The players whose results in two events are not the same."""
    here, there = rows_by_system(one), rows_by_system(other)
    assert here.keys() == there.keys()
    return [
        f"{system}, player {number}: {row} and {there[system][number_there(number)]}"
        for system, rows in here.items()
        for number, row in rows.items()
        if not same(row, there[system][number_there(number)])
    ]


def section_of(event: EventFile) -> dict[str, Any]:
    """The only section of a random event."""
    section: dict[str, Any] = event["sections"][0]
    return section


def days_of(event: EventFile) -> tuple[date, date]:
    """Start and end of the section."""
    section, whole = section_of(event), event["event"]
    return (
        date.fromisoformat(section.get("start_date") or whole["start_date"]),
        date.fromisoformat(section.get("end_date") or whole["end_date"]),
    )


def opponent_of(cell: str) -> int:
    """The opponent's number in a cell, 0 for none."""
    return int("".join(filter(str.isdigit, cell)) or 0)


# Names, numbers and order


@many
@given(events(), shuffles)
def test_pairing_numbers_and_member_ids_are_only_names(event: EventFile, rng: random.Random) -> None:
    """§1: other numbers and ids, the same people and games, the same ratings."""
    numbers = [player["number"] for player in section_of(event)["players"]]
    new_number = dict(zip(numbers, rng.sample(range(1, 500), len(numbers)), strict=True))
    other = copy.deepcopy(event)
    for player in section_of(other)["players"]:
        player["number"] = new_number[player["number"]]
        player["member_id"] = str(99999999 - int(player["member_id"]))
        player["rounds"] = [renamed(cell, new_number) for cell in player["rounds"]]
    assert not differing(event, other, new_number.__getitem__)


def renamed(cell: str, new_number: dict[int, int]) -> str:
    """A cell with the opponent's new number."""
    opponent = opponent_of(cell)
    return cell.replace(str(opponent), str(new_number[opponent])) if opponent else cell


@many
@given(events(), shuffles)
def test_the_order_of_rows_and_rounds_does_not_matter(event: EventFile, rng: random.Random) -> None:
    """§1: everybody is rated at once, and a section's games have no order."""
    other = copy.deepcopy(event)
    players = section_of(other)["players"]
    rounds = len(players[0]["rounds"])
    order = rng.sample(range(rounds), rounds)
    for player in players:
        if section_of(event)["type"] == "round_robin":  # rows of a round robin have no common rounds
            rng.shuffle(player["rounds"])
        else:
            player["rounds"] = [player["rounds"][at] for at in order]
    rng.shuffle(players)
    assert not differing(event, other)


# Floors


@many
@given(events())
def test_no_result_is_under_its_floor_and_none_under_100(event: EventFile) -> None:
    """§5: 100 for all, the personal absolute floor, that of the peak, those set by decision; a ceiling may be lower."""
    start, _ = days_of(event)
    by_number = {player["number"]: player for player in section_of(event)["players"]}
    for system, rows in rows_by_system(event).items():
        for number, row in rows.items():
            if row["formula"] is None:
                continue
            record = by_number[number]["ratings"].get(system, {})
            assert row["post"] >= 100.0
            assert row["post"] >= min(floor_by_hand(record, system, start), record.get("ceiling", math.inf))


def floor_by_hand(record: dict[str, Any], system: str, start: date) -> float:
    """The floor that a record has earned by §5 before the section, whose own games could only raise it."""
    floors = [100.0]
    if system.startswith("OTB") and start >= date(2008, 8, 7):
        counted = 4 * record.get("wins", 0) + 2 * record.get("draws", 0) + record.get("events", 0)
        floors.append(min(100.0 + counted, 150.0))
    given = record.get("floor", [])
    listed = given if isinstance(given, list) else [given]
    floors += [one["level"] if isinstance(one, dict) else one for one in listed]
    if record and (record["games"] is None or record["games"] > 25):
        peak = record.get("peak", record["rating"])
        newer = record.get("peak_since_2010", peak)
        earned = [level for level in (hundred_below(peak),) if level >= 1400]
        earned += [level for level in (hundred_below(newer),) if level >= 1200 and start >= date(2010, 4, 1)]
        floors += [min(level, record.get("lowered_floor", math.inf)) for level in earned]
    return max(floors)


def hundred_below(peak: float) -> float:
    """§5: the rounded peak less 200, down to the hundred, 2100 at most (1941 gives 1700, 1999.51 gives 1800)."""
    return min(2100.0, (math.floor(peak + 0.5) - 200) // 100 * 100.0)


def test_the_floor_by_hand_is_that_of_the_examples() -> None:
    """§5: the four examples of the text."""
    counts = {"rating": 110.0, "games": 30, "wins": 3, "draws": 1, "events": 10}
    assert floor_by_hand(counts, "OTBR", date(2025, 8, 1)) == 124.0
    assert [hundred_below(peak) for peak in (1941.0, 1999.51, 1388.0)] == [1700.0, 1800.0, 1100.0]


# Counting


@given(events())
def test_games_grow_by_the_games_played(event: EventFile) -> None:
    """§7: N grows by m, by m/2 in a half-K section (2004 text); an unknown N stays unknown."""
    section = section_of(event)
    share = 0.5 if section.get("k_factor") == "half" else 1.0
    for rows in rows_by_system(event).values():
        for number, row in rows.items():
            played = rated_games(section, number)
            before = row["initial"]["games"] if row["initial"] else row["games_before"]
            if row["formula"] is None:
                assert row["games_after"] == row["games_before"]
            else:
                assert played > 0
                assert row["games_after"] == (None if before is None else before + share * played)


def rated_games(section: dict[str, Any], number: int) -> int:
    """The rated games of a player on all their rows; abroad only those against opponents with a FIDE rating (§6)."""
    players = {player["number"]: player for player in section["players"]}
    rows = [row for row in players.values() if row["member_id"] == players[number]["member_id"]]
    cells = [cell for row in rows for cell in row["rounds"] if cell[:1] in tuple(GAMES)]
    if section["type"].startswith("foreign"):
        cells = [cell for cell in cells if "FIDE" in players[opponent_of(cell)]["ratings"]]
    return len(cells)


@given(events(), st.sampled_from(("B", "H", "U", "Z", "*", "", "X1", "F1")))
def test_a_player_without_a_rated_game_is_untouched_and_touches_nobody(event: EventFile, cell: str) -> None:
    """§7, readings 40: byes and forfeits are no games; the player keeps what they had, even nothing."""
    section = section_of(event)
    assume(section["type"] != "match")
    other = copy.deepcopy(event)
    idle = copy.deepcopy(section["players"][-1]) | {"number": 900, "member_id": "90000000", "rounds": [cell]}
    section_of(other)["players"].append(idle)
    assert not differing(event, other)
    for system, rows in rows_by_system(other).items():
        before = idle["ratings"].get(system, {})
        row = rows[900]
        assert (row["formula"], row["initial"], row["floor"], row["norm"]) == (None, None, None, None)
        assert row["post"] == row["pre"] == before.get("rating")
        assert row["games_after"] == row["games_before"] == before.get("games")


# Days


@many
@given(events(), st.integers(-4000, 4000))
def test_between_two_edition_dates_the_day_does_not_matter(event: EventFile, shift: int) -> None:
    """§8: all days moved together, within one edition, change nothing.

    Three years are counted to the same calendar date (readings 107), so match changes near that age are left out.
    """
    start, end = days_of(event)
    moved = start + timedelta(days=shift)
    dates = [edition.effective for edition in EDITIONS]
    at = max(index for index, day in enumerate(dates) if day <= start)
    upper = dates[at + 1] if at + 1 < len(dates) else LAST_DAY
    if not dates[at] <= moved < upper:  # a day of this edition, for the shift to lead to
        moved = dates[at] + timedelta(days=shift % (upper - dates[at]).days)
    without_old_matches(event, end)
    without_rescaled_lists(event, start, moved)
    other = json.loads(json.dumps(event), object_hook=lambda fields: shifted(fields, moved - start))
    assert days_of(other)[0] == moved
    assert not differing(event, other)


def without_old_matches(event: EventFile, end: date) -> None:
    """Take away match changes of about three years ago."""
    for player in section_of(event)["players"]:
        for record in player["ratings"].values():
            if "match_changes" in record:
                record["match_changes"] = [
                    past
                    for past in record["match_changes"]
                    if not 1094 <= (end - date.fromisoformat(past["date"])).days <= 1097
                ]


def without_rescaled_lists(event: EventFile, start: date, moved: date) -> None:
    """Take away the day of a FIDE list where FIDE changed its scale between the list and a section, then or moved."""
    changed = date.fromordinal(FIDE_RESCALED_ON)
    for player in section_of(event)["players"]:
        record = player["ratings"].get("FIDE", {})
        if "as_of" in record:
            listed = date.fromisoformat(record["as_of"])
            if len({day >= changed for day in (listed, listed + (moved - start), start, moved)}) > 1:
                del record["as_of"]


def shifted(fields: dict[str, Any], by: timedelta) -> dict[str, Any]:
    """An object with every date in it moved."""
    names = ("start_date", "end_date", "as_of", "birth_date", "date")
    moved = {name: (date.fromisoformat(fields[name]) + by).isoformat() for name in names if name in fields}
    return fields | moved


# Two systems


def dual_events() -> st.SearchStrategy[EventFile]:
    """Random events whose section is rated Regular and Quick."""
    return st.integers(0, 10_000).map(lambda at: random_event(dual_seeds()[at % len(dual_seeds())])[0])


@cache
def dual_seeds() -> list[int]:
    """The seeds, among the first few hundred, of dual-rated sections."""
    return [seed for seed in range(400) if is_dual(rated_file(random_event(seed)[0]))]


def is_dual(rated: RatedEvent) -> bool:
    """Whether the only section was rated in two systems."""
    return not rated.has_errors and len(rated.rated[0]) == 2


@given(dual_events())
def test_a_dual_section_is_two_sections(event: EventFile) -> None:
    """§7, readings 18 and 19: each system alone gives what it gives beside the other, and says that it was named."""
    both = rows_by_system(event)
    for system, rows in both.items():
        alone = copy.deepcopy(event)
        section_of(alone)["systems"] = [system]
        (found,) = rows_by_system(alone).values()
        for number, row in rows.items():
            assert found[number] | {"assumed": [], "rank": 0} == row | {"assumed": [], "rank": 0}
            assert set(found[number]["assumed"]) - set(row["assumed"]) <= {Assumption.SYSTEMS_NAMED}


@given(dual_events(), st.floats(100.0, 2800.0), st.sampled_from(("OTBR", "OTBQ")))
def test_in_a_dual_section_the_other_ratings_do_not_matter(event: EventFile, rating: float, system: str) -> None:
    """§7: there is no connection but for newcomers, whose other ratings are therefore left as they are."""
    other_system = {"OTBR": "OTBQ", "OTBQ": "OTBR"}[system]
    other = copy.deepcopy(event)
    for player in section_of(other)["players"]:
        if system in player["ratings"]:
            player["ratings"][other_system] = {"rating": rating, "games": 30}
    assert not rated_file(other).has_errors
    here, there = rows_by_system(event)[system], rows_by_system(other)[system]
    assert here == {number: row | {"rank": here[number]["rank"]} for number, row in there.items()}


def test_dual_sections_are_there_to_be_tried() -> None:
    assert len(dual_seeds()) >= 20


# Purity


@given(events())
def test_rating_changes_nothing_and_says_the_same_again(event: EventFile) -> None:
    """§1: pure; the same arguments give the same record, bit by bit, and stay as they were."""
    checked = check(event_json.read(json.dumps(event).encode(), "event.json").report)
    assume(checked.sections)  # two players who met more than once wait for somebody who says that it is no match
    section, edition, _ = checked.sections[0]
    before = repr((section, edition))
    for system in section.systems:
        first = rate(section, system, edition)
        assert repr(first) == repr(rate(section, system, edition))
    assert repr((section, edition)) == before
