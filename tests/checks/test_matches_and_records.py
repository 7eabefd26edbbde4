"""§2, §4.1, §6, §7: matches, foreign events and rating records as a report brings them, around the formulas.

Figures of §7 and §6 are those of the 2025 text; half-K sections (2004 text) count half in N.
"""

import json
from typing import Any

import pytest

from crosstable.engine.records import Assumption
from crosstable.formats import event_json, members
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.rules.rule_sets import RuleSet
from crosstable.terms import Past
from tests.checks.provoked import abroad, dual_match, pair, published, with_player
from tests.event_files import EventFile, event_file, player, record


def rated(event: EventFile, **options: Any) -> RatedEvent:
    """The event, rated as far as it may be."""
    return rate(event_json.read(json.dumps(event).encode(), "event.json").report, today=None, **options)


def codes(event: RatedEvent) -> list[str]:
    """The codes of all findings."""
    return [found.code for found in event.faults]


# Dual-rated matches


def test_a_dual_match_is_rated_in_the_system_that_allows_it() -> None:
    """§7, readings 73: both established in Regular, one on ten Quick games: Regular is rated, Quick is not."""
    found = rated(dual_match())
    assert codes(found) == ["match-system"]
    assert "not rated in OTBQ. The player's OTBQ rating is on 10 games" in found.faults[0].message
    assert [one.system.name for one in found.rated[0]] == ["OTBR"]
    assert all(Assumption.MATCH_SYSTEMS in one.assumed for one in found.rated[0][0].players)


def test_a_dual_match_that_no_system_allows_is_refused() -> None:
    """§7: provisional in both."""
    event = dual_match()
    event["sections"][0]["players"][0]["ratings"]["OTBR"] = published(1700.0, 25)
    found = rated(event)
    assert codes(found) == ["match-not-eligible", "match-not-eligible"]
    assert found.rated == ()


def test_a_match_in_a_system_without_ratings_is_rated_in_the_other() -> None:
    """§7: players without Quick ratings play a rated Regular match at a dual-rated control."""
    rows = [player(n, cell, ratings={"OTBR": published(1700.0)}) for n, cell in ((1, "W2"), (2, "L1"))]
    found = rated(event_file(*rows, type="match", time_control="G/45;d5"))
    assert codes(found) == ["match-system", "match-system"]
    assert [one.system.name for one in found.rated[0]] == ["OTBR"]


def test_who_is_on_no_list_may_not_play_a_match() -> None:
    """§7: published ratings; 0 says that there is none."""
    rows = [player(1, "W2", ratings={"OTBR": published(1700.0)}), player(2, "L1", ratings={"OTBR": published(1700.0)})]
    rows[1]["ratings"]["OTBR"]["published"] = 0
    assert codes(rated(event_file(*rows, type="match"))) == ["match-not-eligible"]


# Two players


def test_two_players_and_two_games_are_rated_once_somebody_confirms_it() -> None:
    """§7, readings 77: they must be coded as a match; one game passes without a word."""
    event = pair("W2 D2", "L1 D1")
    held = rated(event)
    assert [(one.code, one.severity.value) for one in held.faults] == [("two-player-section", "confirm")]
    assert held.has_errors
    assert held.rated == ()
    confirmed = rated(event, accept={"two-player-section": "a quad of which two came"})
    assert confirmed.faults == ()
    assert not confirmed.has_errors
    assert [(one.fault.code, one.reason) for one in confirmed.accepted] == [
        ("two-player-section", "a quad of which two came")
    ]
    assert len(confirmed.rated) == 1
    assert codes(rated(pair("W2", "L1"))) == []


@pytest.mark.parametrize(
    ("rows", "is_told"),
    [
        (("W2 W2", "L1 L1", "W4 D4", "L3 D3"), 2),
        (("W2 W2", "L1 L1", "U U"), 1),
        (("W2 W3", "L1 D4", "D4 L1", "D3 D2"), 0),
        (("D2 D2 D3", "D1 D1 U", "U U D1"), 0),
        (("W2 U", "L1 U", "W4 D4", "L3 D3"), 1),
    ],
)
def test_pairs_among_others_who_met_only_each_other_are_told(rows: tuple[str, ...], is_told: int) -> None:
    """§7, readings 77: matches put together in one section."""
    players = [player(at, cells, 1600.0) for at, cells in enumerate(rows, start=1)]
    assert codes(rated(event_file(*players))) == ["pair-alone"] * is_told


# Foreign events


FIDE_2300 = {"OTBR": record(2300.0), "FIDE": {"rating": 2300, "as_of": "2025-08-01"}}
FIDE_2199 = {"OTBR": record(2300.0), "FIDE": {"rating": 2199, "as_of": "2025-08-01"}}


@pytest.mark.parametrize(
    ("fields", "refused", "assumed"),
    [
        ({"ratings": FIDE_2300, "fide_opt_in": None}, "", None),
        ({"ratings": FIDE_2300, "fide_opt_in": None, "fide_flag": "usa"}, "", None),
        ({"ratings": FIDE_2300, "fide_opt_in": None, "fide_flag": None}, "", Assumption.FOREIGN_MEMBER),
        ({"ratings": FIDE_2300, "fide_opt_in": None, "member": None}, "", Assumption.FOREIGN_MEMBER),
        ({"ratings": FIDE_2300, "fide_opt_in": None, "fide_flag": "CAN"}, "FIDE flag is CAN, not USA", None),
        ({"ratings": FIDE_2300, "fide_opt_in": True, "fide_flag": "CAN"}, "", Assumption.FOREIGN_FLAG),
        ({"ratings": FIDE_2199, "fide_opt_in": None}, "nothing says that they opted in", None),
        ({"ratings": FIDE_2199, "fide_opt_in": None, "fide_flag": None}, "nothing says that they opted in", None),
        ({"ratings": FIDE_2199, "fide_opt_in": True}, "", Assumption.OPTED_IN),
        ({"fide_opt_in": None}, "nothing says that they opted in", None),
        ({"fide_opt_in": True}, "", Assumption.OPTED_IN),
    ],
)
def test_whose_rating_a_foreign_event_updates(fields: dict[str, Any], refused: str, assumed: Assumption | None) -> None:
    """§6: from 2200 FIDE under the USA flag without asking; below it, or without a FIDE rating, by opting in."""
    found = rated(abroad(**fields))
    if refused:
        assert codes(found) == ["foreign-not-eligible"]
        assert refused in found.faults[0].message
        return
    is_by_word = assumed in (Assumption.OPTED_IN, Assumption.FOREIGN_FLAG)
    assert codes(found) == (["opted-in"] if is_by_word else [])
    told = set(found.rated[0][0].players[0].assumed)
    of_members = {Assumption.FOREIGN_MEMBER, Assumption.FOREIGN_FLAG, Assumption.OPTED_IN}
    assert told & of_members == ({assumed} if assumed else set())


# Records


def test_four_wins_on_two_games_are_a_past_of_wins() -> None:
    """§4.1, 2004 text: four wins in half-K sections are two games, and all of them wins."""
    counts = {"wins": 4, "draws": 0, "losses": 0}
    rows = [player(1, "W2", ratings={"OTBR": record(1700.0, 2, **counts)}), player(2, "L1", 1650.0)]
    held = rated(event_file(*rows, on="2005-08-01"))
    assert codes(held) == ["counts-half-k"]
    found = rated(event_file(*rows, on="2005-08-01"), accept={"counts-half-k": "half-K sections of 2005"})
    assert found.faults == ()
    assert found.rated[0][0].players[0].past is Past.ALL_WINS


@pytest.mark.parametrize("rating", [0, 1, 50, 99, 99.99])
def test_no_rating_of_an_event_file_is_below_100(rating: float) -> None:
    """§5: nobody is rated below 100; an unrated player has no rating, not 0."""
    found = rated(with_player(ratings={"OTBR": record(rating)}))
    assert codes(found) == ["rating-too-low"]
    assert f"The OTBR rating {rating:g} is below 100" in found.faults[0].message
    assert codes(rated(with_player(ratings={"OTBR": record(100.0)}))) == []


def test_a_rule_set_with_a_lower_floor_allows_lower_ratings() -> None:
    rules = RuleSet("low", changes={"absolute_floor": 50.0})
    assert codes(rated(with_player(ratings={"OTBR": record(60.0)}), rules=rules)) == []
    assert codes(rated(with_player(ratings={"OTBR": record(40.0)}), rules=rules)) == ["rating-too-low"]


def test_in_a_rating_list_0_and_blank_are_unrated() -> None:
    """Pairing programs and rating lists write 0 for unrated; anything else below 100 is an error."""
    text = "Member ID,Name,OTBR rating,Quick rating,FIDE rating\n10000001,Player 1,0,,0\n"
    found = members.read(text.encode(), "list.csv")
    assert found.faults == ()
    background = found.backgrounds["10000001"]
    assert not background.standings
    assert background.fide is None


# Membership


MEMBERS = "Member ID,Name,Expires,OTBR rating,OTBR games\n10000001,Player 1,{until},1700,40\n10000002,Player 2,,1650,40"


@pytest.mark.parametrize(
    ("until", "is_told"), [("2020-01-31", True), ("2025-07-31", True), ("2025-08-01", False), ("", False)]
)
def test_a_membership_lasts_until_the_section_s_end(until: str, is_told: bool) -> None:
    """Rulebook 23C: the section ends on 2025-08-01; it is rated with a warning."""
    listed = members.read(MEMBERS.format(until=until).encode(), "list.csv")
    found = rated(pair("W2", "L1"), members=[listed])
    assert [one.code for one in found.faults] == ["membership"] * is_told
    assert found.rated


def test_a_file_may_say_itself_that_somebody_is_no_member() -> None:
    found = rated(with_player(member=False))
    assert [(one.code, one.severity.value) for one in found.faults] == [("membership", "warning")]


@pytest.mark.parametrize(
    ("details", "coding", "is_told"),
    [
        ({}, "", True),
        ({"exemption": "HousePlayer"}, "", False),
        ({"title": "GM", "federation": "CAN"}, "", False),
        ({"title": "GM", "federation": "USA"}, "", True),
        ({"title": "FM", "federation": "CAN"}, "", True),
        ({}, "JtpK12", False),
        ({}, "State Games", False),
        ({}, "Scholastic", True),
    ],
)
def test_who_needs_no_membership(details: dict[str, str], coding: str, is_told: bool) -> None:
    """House players, JTP sections, sanctioned state games, masters of other federations."""
    listed = members.read(MEMBERS.format(until="2020-01-31").encode(), "list.csv")
    event = pair("W2", "L1", details={"coding": coding} if coding else {})
    event["sections"][0]["players"][0]["details"] = details
    report = event_json.read(json.dumps(event).encode(), "event.json").report
    found = rate(report, members=[listed], today=None)
    assert ("membership" in codes(found)) is is_told


def test_a_ceiling_below_the_floor_is_not_told_as_the_floor() -> None:
    """§5, §7: a money floor of 1800 and a ceiling of 1750 leave 1750, at which no floor stands."""
    limits: dict[str, Any] = {"floor": {"level": 1800, "origin": "money"}, "ceiling": 1750}
    rows = player(1, "L2", ratings={"OTBR": record(1750.0, **limits)}), player(2, "W1", 1700.0)
    row = rated(event_file(*rows)).to_dict()["sections"][0]["systems"]["OTBR"]["players"][0]
    assert (row["post"], row["floor"]) == (1750.0, None)
