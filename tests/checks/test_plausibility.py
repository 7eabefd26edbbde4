"""§4.1, §4.2, §7: what only the rated result shows. Expected figures are worked out beside each case."""

import json
import math
from collections.abc import Sequence
from datetime import date

import pytest

from crosstable.checks.plausibility import plausibility
from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine.records import PassWorking, RatedGame
from crosstable.errors import Fault, Severity
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from crosstable.terms import FloorKind, Formula, PlayerRating, SectionType
from tests.checks.provoked import pair
from tests.event_files import event_file, player


def rated_pair() -> RatedSection:
    """A section of 2025 (B = 10) with one game, to be changed into what a case needs."""
    ((rated,),) = rate(read(json.dumps(pair("W2", "L1")).encode()), today=None).rated
    assert rated.edition.constants.bonus_threshold == 10.0
    return rated


BASE = rated_pair()


def faults(changed: RatedPlayer, kind: SectionType = SectionType.SWISS) -> list[Fault]:
    """The warnings about a section of one row."""
    section = BASE.section._replace(kind=kind)
    return plausibility(BASE._replace(section=section, players=(changed,)))


def performed(prior: float, opponents: Sequence[float], scores: Sequence[float], games: float = 40.0) -> RatedPlayer:
    """A player of this prior with these results, whose rating rises where the score is above the expected one."""
    sides = tuple(
        RatedGame(at, at + 1, "", score, strength, strength, strength, strength)
        for at, (strength, score) in enumerate(zip(opponents, scores, strict=True), start=1)
    )
    score = sum(scores)
    expected = sum(min(1.0, max(0.0, 0.5 + (prior - strength) / 800.0)) for strength in opponents)
    final = PassWorking(0.0, 0.0, 0.0, prior + (score - expected), prior)
    return BASE.players[0]._replace(
        before=PlayerRating(prior, games), prior=prior, score=score, games=sides, final=final, formula=Formula.SPECIAL
    )


@pytest.mark.parametrize(
    ("prior", "opponents", "scores", "message"),
    [
        # All wins: 400 above the strongest, so 2100.
        (
            1500.0,
            [1700.0, 1600.0, 1500.0],
            [1, 1, 1],
            "performed 2100 in 3 games, 600 points above the rating of 1500.",
        ),
        (1500.0, [1699.0, 1600.0, 1500.0], [1, 1, 1], ""),
        # All losses: 400 below the weakest, so 900.
        (1500.0, [1300.0, 1400.0, 1500.0], [0, 0, 0], "performed 900 in 3 games, 600 points below the rating of 1500."),
        (1500.0, [1301.0, 1400.0, 1500.0], [0, 0, 0], ""),
        # Three of four against equals: PWe is 3/4 at 200 points above them.
        (1500.0, [1900.0] * 4, [1, 1, 1, 0], "performed 2100 in 4 games, 600 points above the rating of 1500."),
        (1500.0, [1899.0] * 4, [1, 1, 1, 0], ""),
        # One of four: 200 points below them.
        (1500.0, [1050.0] * 4, [0.5, 0.5, 0, 0], "performed 850 in 4 games, 650 points below the rating of 1500."),
        # Who beats the weak or loses to the strong performs at the rating, however far away they are.
        (2000.0, [700.0] * 5, [1] * 5, ""),
        (700.0, [2000.0] * 5, [0] * 5, ""),
        # Two games say next to nothing.
        (1500.0, [2500.0] * 2, [1, 1], ""),
    ],
)
def test_a_performance_600_points_away_is_told(
    prior: float, opponents: list[float], scores: list[float], message: str
) -> None:
    """§4.1 with no games before: the rating at which the expected score is the score, nearest to the prior."""
    found = faults(performed(prior, opponents, scores))
    assert [(each.code, each.message) for each in found] == (
        [("far-from-performance", f"The player {message}")] if message else []
    )


def test_a_performance_above_the_cap_of_special_ratings_is_told_as_it_is() -> None:
    """2500 and 400 are 2900, though no special rating may pass 2700."""
    (found,) = faults(performed(2200.0, [2500.0] * 3, [1, 1, 1]))
    assert found.message.startswith("The player performed 2900 in 3 games, 700 points above")


def test_provisional_players_are_looked_at_and_newcomers_are_not() -> None:
    """A start from age claims nothing about who somebody is; a rating on three games does."""
    changed = performed(1500.0, [2000.0] * 3, [1, 1, 1], games=3.0)
    assert [each.code for each in faults(changed)] == ["far-from-performance"]
    assert faults(changed._replace(before=None)) == []


def standard(k: float, score: float, expected: float, played: int, meetings: int) -> RatedPlayer:
    """A standard update without a bonus, of a player who met somebody so often."""
    row = performed(1500.0, [1500.0] * played, [score / played] * played)
    final = PassWorking(k, expected, 0.0, 1500.0 + k * (score - expected), 1500.0)
    return row._replace(final=final, formula=Formula.STANDARD, earns_bonus=False, most_meetings=meetings)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        # 32 × 2 = 64 points; the bonus begins at 10 × √4 = 20.
        (standard(32.0, 3.0, 1.0, 4, 3), "One opponent was met 3 times in 4 games, so 44.0 bonus points are lost."),
        # Three games count as four.
        (standard(32.0, 2.5, 1.5, 3, 2), "One opponent was met 2 times in 3 games, so 12.0 bonus points are lost."),
        # 10 × 2 = 20 is not above 20.
        (standard(10.0, 3.0, 1.0, 4, 3), ""),
        (standard(32.0, 1.0, 2.0, 4, 3), ""),
        # Two games never earn a bonus, so none is lost.
        (standard(32.0, 2.0, 0.5, 2, 2), ""),
        (standard(32.0, 3.0, 1.0, 4, 3)._replace(earns_bonus=True), ""),
        (standard(32.0, 3.0, 1.0, 4, 3)._replace(formula=Formula.SPECIAL), ""),
    ],
)
def test_a_bonus_lost_to_a_repeat_is_told(changed: RatedPlayer, message: str) -> None:
    """§4.2: K(S - E) above B√m' earns a bonus unless somebody was met a third time, or twice in three games."""
    assert [(each.code, each.message) for each in faults(changed)] == ([("bonus-lost", message)] if message else [])


def test_a_match_has_no_bonus_to_lose() -> None:
    """§7: the bonus never applies to matches."""
    assert faults(standard(32.0, 3.0, 1.0, 4, 4), SectionType.MATCH) == []


def test_limits_and_floors_of_a_match_are_told() -> None:
    """§7: fifty points are the most; who meets the floor asks for one 100 points lower."""
    changed = standard(32.0, 0.0, 2.0, 4, 4)
    held = changed.outcome._replace(
        limited_change=-50.0, floor_kind=FloorKind.PEAK, floor_level=1500.0, requested_floor=1400.0
    )
    found = faults(changed._replace(outcome=held), SectionType.MATCH)
    assert [(each.code, each.message) for each in found] == [
        ("match-limited", "The match is worth -64.0 points; -50.0 is as far as it may go."),
        ("floor-requested", "The match took the player to the floor of 1500; the office may lower it to 1400."),
    ]
    assert all(each.severity is Severity.WARNING for each in found)


def test_rows_of_one_member_are_told_once_and_rows_without_games_never() -> None:
    changed = performed(1500.0, [2000.0] * 3, [1, 1, 1])
    rows = (
        changed._replace(number=2, merged_with=(5,)),
        changed._replace(number=5, merged_with=(2,)),
        changed._replace(number=6, formula=Formula.NONE),
    )
    found = plausibility(BASE._replace(players=rows))
    assert [each.place for each in found] == ["section 1, player 2 (Player, 1), OTBR"]


def test_with_the_report_the_place_names_the_row_of_the_file() -> None:
    """A player of 1000 who beats four of 1700, whom they take 100 points of at most, performs 2000 or more."""
    event = event_file(
        player(1, "W2 W3 W4 W5", 1000.0), *(player(2 + at, ["U"] * at + ["L1"], 1700.0) for at in range(4))
    )
    report = read(json.dumps(event).encode())
    ((rated,),) = rate(report, today=date(2026, 1, 1)).rated
    (found,) = plausibility(rated, report.sections[0])
    assert found.place == "section 1, player 1 (Player, 1), OTBR [sections[0].players[0]]"


def test_an_ordinary_result_gives_no_warning() -> None:
    assert plausibility(BASE) == []
    assert all(math.isnan(row.outcome.limited_change) for row in BASE.players)
