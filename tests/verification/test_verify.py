"""Computed against posted: verdicts, pages, fitted starts, norms, evidence.

Posted figures come from the second engine of the tests, so that agreement is that of two independent calculations.
"""

import math
from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import archive
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import edition_for
from crosstable.terms import (
    Background,
    Formula,
    OutsideRating,
    Past,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)
from crosstable.verification import Verdict, pages_of, tally, verify
from crosstable.verification.pages import (
    CORRECTED_SINCE,
    ONLINE_FAULT,
    clean_rows,
    contradicts_itself,
    rated_as_then,
    stored_by_pass,
    verdict_of,
    with_online_fault,
)
from crosstable.verification.slopes import special_effect
from crosstable.verification.trials import Trials
from crosstable.verification.whole import FITTED_START, norm_rows, norm_tally
from tests.verification.made_pages import archive_bytes, line, page_line, pages, player, quad, reports
from tools.law_evidence import evidence, sides


@pytest.mark.parametrize(
    ("pre", "computed", "posted", "day", "verdict"),
    [
        (1500.0, 1512.3, 1513.0, "2015-06-01", Verdict.WITHIN),
        (1500.0, 1512.3, 1514.0, "2015-06-01", Verdict.UNEXPLAINED),
        (1600.0, 1588.0, 1600.0, "2015-06-01", Verdict.AT_FLOOR),
        (1590.0, 1588.0, 1600.0, "2015-06-01", Verdict.UNEXPLAINED),
        (1250.0, 1188.0, 1200.0, "2010-04-01", Verdict.AT_FLOOR),
        (1250.0, 1188.0, 1200.0, "2010-03-31", Verdict.UNEXPLAINED),
        (2350.0, 2288.0, 2300.0, "2015-06-01", Verdict.UNEXPLAINED),
        (140.0, 100.0, 118.0, "2015-06-01", Verdict.AT_FLOOR),
        (140.0, 130.0, 118.0, "2015-06-01", Verdict.UNEXPLAINED),
    ],
)
def test_a_verdict_is_a_point_or_a_possible_floor(
    pre: float, computed: float, posted: float, day: str, verdict: Verdict
) -> None:
    """As the interface defines it: a floor is 150 or less, or a hundred from 1200 (1400 before 2010-04) to 2200."""
    assert verdict_of(edition_for(date.fromisoformat(day)).constants, pre, computed, posted) is verdict


def test_two_independent_calculations_agree_on_a_plain_page() -> None:
    found = verify(pages(line("201601010001", "2016-01-01", quad())))
    counted = tally(found.alone)
    assert (counted.rows, counted.clean_rows, counted.within_1, counted.unexplained) == (4, 4, 4, 0)
    assert {row.cause for row in found.alone} == {""}


def test_an_unknown_start_is_fitted_and_counted_apart() -> None:
    """§2.3: the newcomer is 13 years old, so their start is 650; the page does not say so."""
    players = quad(p4={"rating": None, "games": None, "birth_date": "2003-01-01"})
    made = line("201601010001", "2016-01-01", players)
    for row in made["players"]:
        row["quality"] = "clean_unrated"
    found = verify(pages(made))
    [fit] = found.fitted
    assert (fit.rows, fit.within, fit.free_numbers) == (4, 4, 1)
    assert fit.proves
    assert (found.all_posted, found.all_explained) == (4, 4)
    assert found.apart[FITTED_START] == 4
    assert tally(found.alone).clean_rows == 0


def test_pages_of_the_online_fault_and_corrected_pages_are_left_apart() -> None:
    online = line("202101010001", "2021-01-01", quad(), this_system="OR", processed="Rated: 2021-06-16")
    repaired = line("202101010002", "2021-01-01", quad(), this_system="OR", processed="Rated: 2021-06-17")
    corrected = line("201601010001", "2016-01-01", quad(), notes=["corrected_since"])
    assert [page.apart for page in pages(online, repaired, corrected)] == [ONLINE_FAULT, "", CORRECTED_SINCE]
    found = verify(pages(online, corrected))
    assert found.apart == {ONLINE_FAULT: 4, CORRECTED_SINCE: 4}
    assert found.alone == ()


def test_the_online_fault_is_a_quirk_that_doubles_the_weight_of_effective_games() -> None:
    """K = 800/(2N' + m) (readings 103); a page without it is left as it is."""
    [page, plain] = pages(
        line("202101010001", "2021-01-01", quad(), this_system="OR", processed="Rated: 2021-06-16"),
        line("201601010001", "2016-01-01", quad()),
    )
    faulty = with_online_fault(page)
    assert faulty.apart == ""
    assert faulty.checked.edition.constants.k_effective_weight == 2.0
    assert with_online_fault(plain) is plain


@pytest.mark.parametrize(
    ("formula", "prior", "computed", "stored"),
    [
        (Formula.STANDARD, 1500.0, 1510.02, 1511.0),
        (Formula.STANDARD, 1500.0, 1489.98, 1489.0),
        (Formula.SPECIAL, 1500.0, 1510.02, 1510.0),
        (Formula.SPECIAL, 1500.0, 1489.5, 1490.0),
    ],
)
def test_the_program_of_before_2004_kept_whole_numbers_of_a_pass(
    formula: Formula, prior: float, computed: float, stored: float
) -> None:
    """Readings 81: a standard rating up on a gain and down on a loss, a special one to the nearest, halves up."""
    assert stored_by_pass(formula, prior, computed) == stored


def by_hand(ratings: list[float], *, is_old: bool) -> list[float]:
    """Both passes over three established players, of whom the first draws with both others (2004 text, nodes 3, 5)."""
    scores = [{1: 0.5, 2: 0.5}, {0: 0.5, 2: 0.0}, {0: 0.5, 1: 1.0}]
    met = list(ratings)
    for _ in range(2):
        after = []
        for at, rating in enumerate(ratings):
            change = sum(score - 1 / (1 + 10 ** ((met[other] - rating) / 400)) for other, score in scores[at].items())
            after.append(rating + 800 / (50 / math.sqrt(1 + (2200 - rating) ** 2 / 100000) + 2) * change)
        met = [
            (math.ceil(new) if new > old else math.floor(new)) if is_old else new
            for new, old in zip(after, ratings, strict=True)
        ]
    return [math.ceil(new) if new > old else math.floor(new) for new, old in zip(after, ratings, strict=True)]


def test_pages_last_rated_before_2004_are_rated_as_the_program_of_then_did() -> None:
    """The program of since then rates older sections its own way; nothing tells of pages without a day of rating."""
    ratings = [1500.0, 1400.0, 1473.0]
    assert by_hand(ratings, is_old=True) != by_hand(ratings, is_old=False)
    rows = [
        player(1, ratings[0], 90, ["D2", "D3", "U"]),
        player(2, ratings[1], 90, ["D1", "U", "L3"]),
        player(3, ratings[2], 90, ["U", "D1", "W2"]),
    ]
    days = ("Rated: 2003-12-31", "Rated: 2004-01-01", "Rated: 2002-03-01 Re-Rated: 2010-01-01")
    made = pages(*(page_line("200203010001", "2002-03-01", rows, processed=day) for day in days))
    made.append(made[0]._replace(rated_on=None))
    for page, is_old in zip(made, (True, False, False, False), strict=True):
        rated = rated_as_then(page, page.backgrounds)
        assert [one.after and one.after.rating for one in rated.players] == by_hand(ratings, is_old=is_old)
        assert all(one.intermediate.rating == math.floor(one.intermediate.rating) for one in rated.players) is is_old


@pytest.mark.parametrize(("start", "rating", "slope"), [(766.7, 767.0, 1.0), (766.7, 766.7, 1.0), (766.7, 900.0, 0.0)])
def test_a_start_that_nobody_is_near_to_is_the_rating_itself(start: float, rating: float, slope: float) -> None:
    """§4.1: then f is zero at R0, which the program of before 2004 kept as a whole number."""
    constants = edition_for(date(2002, 3, 1)).constants
    assert special_effect(constants, 0, (start, 0.0, Past.MIXED), rating, [(1, 2500.0)]) == (0, slope, [])


def test_trials_rate_a_page_of_before_2004_as_a_whole_rating_does() -> None:
    """With somebody under the special formula, and somebody who did not play."""
    rows = [*quad(), player(5, 1450.0, 80, ["U", "U", "U"])]
    [page] = pages(line("200203010001", "2002-03-01", rows, processed="Rated: 2002-03-20"))
    rated = rated_as_then(page, page.backgrounds)
    trials = Trials(page, page.backgrounds)
    assert trials.ratings() == [one.after and one.after.rating for one in rated.players]
    assert [trials.rating_alone(one.number) for one in rated.players[:4]] == trials.ratings()[:4]


def test_a_result_that_the_other_row_lacks_counts_on_its_own_row() -> None:
    """Readings 92."""
    rows = [player(1, 1500.0, 80, ["W2"]), player(2, 1500.0, 80, ["U"]), player(3, 1500.0, 80, ["U"])]
    made = page_line("201601010001", "2016-01-01", [*rows[:1], *rows[1:]])
    [page] = pages(made)
    assert page.checked.section.entries[0].cells[0].result is Result.WIN_ONE_SIDED


def test_a_page_coded_as_a_match_with_more_than_two_players_is_a_section() -> None:
    made = page_line("201601010001", "2016-01-01", [player(n, 1500.0, 80, ["U"]) for n in (1, 2, 3)])
    made["event"]["tnmt_type"] = "M"
    assert [page.checked.section.kind for page in pages(made)] == [SectionType.SWISS]


def test_counts_that_contradict_each_other_make_the_whole_circle_unknown() -> None:
    """§7: N grows by m."""
    made = line("201601010001", "2016-01-01", quad())
    made["players"][2]["post_games"] = 12
    [page] = pages(made)
    assert contradicts_itself(page, 3)
    assert not clean_rows(page)


def test_a_norm_of_two_rows_of_one_member_counts_all_games_and_stands_on_both() -> None:
    """Official facts §1 and readings 104: 3 of 4 against four players of 1800 is a norm at 1600, not on two games."""
    rows = [
        player(1, 1700.0, 80, ["W3", "W4", "", ""], member="MX"),
        player(2, 1700.0, 80, ["", "", "W5", "L6"], member="MX"),
        *(player(n, 1800.0, 80, cells) for n, cells in ((3, ["L1", "", "", ""]), (4, ["", "L1", "", ""]))),
        *(player(n, 1800.0, 80, cells) for n, cells in ((5, ["", "", "L2", ""]), (6, ["", "", "", "W2"]))),
    ]
    [page] = pages(page_line("201601010001", "2016-01-01", rows))
    found = {row.number: row for row in norm_rows(page)}
    assert found[1].computed == found[2].computed == "2"
    assert found[1].agrees
    counted = norm_tally(found.values())
    assert (counted.rows, counted.few_games_with_code, counted.few_games_agree, counted.differ) == (0, 2, 2, ())


def test_evidence_tells_the_sides_of_a_date_apart() -> None:
    """§8: the threshold rose from 10 to 12 on 2015-06-01; a large gain on either side fits its own side only."""
    strong = [
        player(1, 1500.0, 80, ["W2", "W3", "W4", "W5"]),
        *(player(n, 1750.0, 80, ["", "", "", ""]) for n in (2, 3, 4, 5)),
    ]
    for at, row in enumerate(strong[1:]):
        row["rounds"][at] = "L1"
    found = evidence(
        pages(page_line("201505010001", "2015-05-01", strong), page_line("201507010001", "2015-07-01", strong))
    )
    [count] = [count for amendment, count in found if amendment.changes == {"bonus_threshold": 12.0}][:1]
    assert (count.before, count.since, count.against) == (1, 1, 0)


def test_a_page_stands_beside_the_last_and_the_next_amendment_of_each_rule() -> None:
    found = list(sides(edition_for(date(2016, 1, 1))))
    thresholds = [(s.amendment.effective, s.is_in_force) for s in found if "bonus_threshold" in s.amendment.changes]
    assert sorted(thresholds) == [(date(2015, 6, 1), True), (date(2017, 6, 1), False)]
    assert all(side.amendment in AMENDMENTS for side in found)


def test_a_file_that_is_no_archive_is_refused_with_its_place() -> None:
    with pytest.raises(FormatError, match="not a gzipped archive"):
        list(archive.read(b"\x1f\x8bnonsense", "x.gz"))
    with pytest.raises(FormatError, match="line 1"):
        list(archive.read(archive_bytes({"event": {}}), "x.gz"))
    assert archive.looks_like(archive_bytes(line("201601010001", "2016-01-01", quad())))
    assert not archive.looks_like(b"{}")
    assert not archive.looks_like(b"\x1f\x8bnonsense")


def test_a_bye_spelt_out_is_a_bye() -> None:
    made = line("201601010001", "2016-01-01", quad())
    made["players"][0]["rounds"].append({"result": "B  YE"})
    [report] = reports(made)
    assert report.sections[0].players[0].cells[-1].result is Result.FULL_BYE


def test_a_page_whose_rule_is_missing_is_passed_over() -> None:
    """§2.1: the upper branch of the FIDE conversion of 2008 to 2015 was not found."""
    made = event_with_unknown_start()
    assert verify(pages_of(made)).alone == ()


def event_with_unknown_start() -> Report:
    """An unrated player with FIDE 2300 in 2012, and posted figures."""
    fide = OutsideRating(2300.0)
    newcomer = ReportedPlayer(
        2,
        "M2",
        "P2",
        (ReportedCell("L1", Result.LOSS, 1, ""),),
        Background(fide=fide),
        "row 2",
        posted={RatingSystem.OTBR: Posted(2200.0)},
    )
    rated = ReportedPlayer(
        1,
        "M1",
        "P1",
        (ReportedCell("W2", Result.WIN, 2, ""),),
        Background(standings={RatingSystem.OTBR: PlayerRating(1500.0, 60.0)}),
        "row 1",
        posted={RatingSystem.OTBR: Posted(1520.0)},
    )
    day = date(2012, 5, 1)
    section = ReportedSection(
        1, "", SectionType.SWISS, False, ("G/90;d5",), (RatingSystem.OTBR,), day, day, (rated, newcomer), "section"
    )
    return Report("201205010001", "", day, day, (section,), "file")
