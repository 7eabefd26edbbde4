"""Computed against posted: verdicts, causes, carried state, fitted starts, norms, evidence.

Posted figures come from the second engine of the tests, so that agreement is that of two independent calculations.
"""

from datetime import date
from typing import Any

import pytest

from crosstable.errors import FormatError
from crosstable.formats import archive
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import edition_for
from crosstable.terms import (
    Background,
    OutsideRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
    Standing,
)
from crosstable.verify import Verdict, pages_of, verify
from crosstable.verify.causes import (
    ALL_LOSSES,
    ALL_WINS,
    END_DATE,
    MATCH_CAP,
    MONEY_FLOOR,
    OTHER_PRE,
    UNEXPLAINED,
    UNKNOWN_COUNT,
)
from crosstable.verify.evidence import evidence, sides
from crosstable.verify.norms import norm_rows, norm_tally
from crosstable.verify.pages import CORRECTED_SINCE, ONLINE_FAULT, contradicts_itself, is_clean
from crosstable.verify.quirks import with_online_fault
from crosstable.verify.rows import verdict_of
from crosstable.verify.whole import FITTED_START, tally
from tests.verify.made_pages import archive_bytes, page_line, pages, player, reports


def quad(**changes: Any) -> list[dict[str, Any]]:
    """Four rated players, all games mirrored; ``p1`` … give a player's own facts."""
    facts: list[dict[str, Any]] = [
        {"rating": 1850.0, "games": 120},
        {"rating": 1700.0, "games": 60},
        {"rating": 1500.0, "games": 12},
        {"rating": 1300.0, "games": 3},
    ]
    rounds = [["W2", "W3", "W4"], ["L1", "W4", "D3"], ["L1", "W4", "D2"], ["L3", "L2", "L1"]]
    for at, own in enumerate(facts):
        own.update(changes.get(f"p{at + 1}", {}))
    return [player(at + 1, own.pop("rating"), own.pop("games"), rounds[at], **own) for at, own in enumerate(facts)]


# The rounds above do not mirror round by round, so the pages are round robins, matched pair by pair.
def line(event_id: str, day: str, players: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return page_line(event_id, day, players, kind="round_robin", **changes)


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
    assert verdict_of(pre, computed, posted, date.fromisoformat(day)) is verdict


def test_two_independent_calculations_agree_on_a_plain_page() -> None:
    found = verify(pages(line("201601010001", "2016-01-01", quad())))
    counted = tally(found.alone)
    assert (counted.rows, counted.clean_rows, counted.within_1, counted.unexplained) == (4, 4, 4, 0)
    assert {row.cause for row in found.alone} == {""}


def test_a_hidden_losing_past_is_named_with_its_player() -> None:
    hidden = quad(p4={"wins": 0, "draws": 0, "losses": 3, "games": 3})
    found = verify(pages(line("201601010001", "2016-01-01", hidden)))
    causes = {row.number: row.cause for row in found.alone if row.verdict is Verdict.UNEXPLAINED}
    assert causes[4] == ALL_LOSSES
    assert set(causes.values()) <= {ALL_LOSSES, f"{ALL_LOSSES}, of player 4"}


def test_a_hidden_winning_past_is_named() -> None:
    hidden = quad(p1={"wins": 3, "draws": 0, "losses": 0, "games": 3})
    found = verify(pages(line("201601010001", "2016-01-01", hidden)))
    assert {row.cause for row in found.alone if row.number == 1} == {ALL_WINS}


def test_a_count_that_the_page_does_not_show_is_named_with_one_that_fits() -> None:
    hidden = quad(p2={"rating": 2300.0, "games": 27})
    found = verify(pages(line("201601010001", "2016-01-01", hidden)))
    [cause] = [row.cause for row in found.alone if row.number == 2]
    assert cause.startswith(UNKNOWN_COUNT)
    assert "would fit" in cause


def test_a_figure_that_nothing_explains_is_said_to_be_so() -> None:
    made = line("201601010001", "2016-01-01", quad())
    made["players"][0]["post"] += 41
    made["players"][1]["post"] = 1800
    causes = {row.number: row.cause for row in verify(pages(made)).alone}
    assert causes[1] == UNEXPLAINED
    assert causes[2] == MONEY_FLOOR


def test_a_past_seen_on_an_earlier_page_explains_a_later_one() -> None:
    """§4.1: three losses of a newcomer are all his games, so the next page follows from an all-losses past."""
    first = [
        player(1, 1500.0, 80, ["W4", "D2", ""], member="MA"),
        player(2, 1450.0, 80, ["", "D1", "W4"], member="MB"),
        player(3, 1400.0, 80, ["", "", ""], member="MC"),
        player(4, None, None, ["L1", "", "L2"], member="MD", adult=True),
    ]
    before = line("201601010001", "2016-01-01", first)
    newcomer = before["players"][3]
    second = quad(
        p1={"rating": 1150.0},
        p2={"rating": 1100.0},
        p3={"rating": 1000.0},
        p4={"rating": float(newcomer["post"]), "games": 2, "wins": 0, "draws": 0, "losses": 2, "member": "MD"},
    )
    found = verify(pages(before, line("201602010001", "2016-02-01", second)))
    alone = tally([row for row in found.alone if row.event == "201602010001"])
    carried = tally([row for row in found.carried if row.event == "201602010001"])
    assert alone.unexplained > 0
    assert carried.unexplained == 0


def test_a_peak_seen_earlier_predicts_the_floor() -> None:
    """§5: a peak of 1850 gives a floor of 1600."""
    high = quad(p2={"rating": 1850.0, "games": 200, "member": "MB"})
    low = quad(p2={"rating": 1605.0, "games": 203, "peak": 1850.0, "member": "MB"})
    found = verify(pages(line("201601010001", "2016-01-01", high), line("201602010001", "2016-02-01", low)))
    [alone] = [row for row in found.alone if row.event == "201602010001" and row.number == 2]
    [carried] = [row for row in found.carried if row.event == "201602010001" and row.number == 2]
    assert (alone.posted, alone.verdict) == (1600.0, Verdict.AT_FLOOR)
    assert carried.verdict is Verdict.WITHIN
    assert tally(found.carried).floors_predicted == 1


def test_a_floor_seen_in_action_is_remembered_until_a_lower_rating_shows() -> None:
    on_floor = quad(p2={"rating": 1700.0, "games": 60, "floor": 1700, "member": "MB"})
    below = quad(p2={"rating": 1650.0, "games": 63, "member": "MB"})
    lines = (
        line("201601010001", "2016-01-01", on_floor),
        line("201602010001", "2016-02-01", on_floor),
        line("201603010001", "2016-03-01", below),
    )
    found = verify(pages(*lines))
    by_event = {row.event: row for row in found.carried if row.number == 2}
    assert by_event["201601010001"].verdict is Verdict.AT_FLOOR
    assert by_event["201602010001"].verdict is Verdict.WITHIN
    assert by_event["201603010001"].verdict is Verdict.WITHIN


def test_an_unknown_start_is_fitted_and_counted_apart() -> None:
    """§2.3: the newcomer is 13 years old, so his start is 650; the page does not say so."""
    players = quad(p4={"rating": None, "games": None, "birth_date": "2003-01-01"})
    made = line("201601010001", "2016-01-01", players)
    for row in made["players"]:
        row["quality"] = "clean_unrated"
    found = verify(pages(made))
    [fit] = found.fitted
    [start] = fit.starts
    assert (start.number, start.games) == (4, 0.0)
    assert (fit.rows, fit.within) == (4, 4)
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
    assert not any(is_clean(page, number) for number in (1, 2, 3, 4))


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


def test_a_pre_event_rating_that_was_not_the_one_used_is_named_from_the_page_before() -> None:
    """The page shows 1560 for a player whom the page before left at 1640, and was rated from 1640."""
    others = {"p3": {"games": 60}, "p4": {"games": 60}}
    before = line("201601010001", "2016-01-01", quad(**others, p2={"rating": 1700.0, "games": 60, "member": "MB"}))
    left_at = float(before["players"][1]["post"])
    strangers: dict[str, Any] = {f"p{at}": {"games": 60, "member": f"M2{at}"} for at in (1, 3, 4)}
    after = line("201602010001", "2016-02-01", quad(**strangers, p2={"rating": left_at, "games": 63, "member": "MB"}))
    after["players"][1]["pre"] = left_at - 80
    found = verify(pages(before, after))
    [row] = [row for row in found.carried if row.event == "201602010001" and row.number == 2]
    assert row.cause == f"{OTHER_PRE} ({left_at:g})"


def test_inputs_are_known_when_counts_do_not_matter_and_pasts_are_seen() -> None:
    """Readings 44: below about 1928 the count of an established player does not matter; a P12's past does."""
    first = quad(p3={"rating": 1500.0, "games": 30}, p4={"rating": 1300.0, "games": 40})
    found = verify(pages(line("201601010001", "2016-01-01", first)))
    assert [row.inputs_known for row in found.carried] == [True] * 4
    hidden = verify(pages(line("201601010001", "2016-01-01", quad())))
    assert not any(row.inputs_known for row in hidden.carried)
    high = quad(p1={"rating": 2100.0}, p3={"rating": 1500.0, "games": 30}, p4={"rating": 1300.0, "games": 40})
    assert not any(row.inputs_known for row in verify(pages(line("201601010001", "2016-01-01", high))).carried)


def test_losses_that_leave_a_rating_where_it_was_show_a_losing_past() -> None:
    """§4.1: with nothing but losses, losing to players 400 points up changes nothing, and the next page knows it."""
    weak = {"rating": 400.0, "games": 6, "wins": 0, "draws": 0, "losses": 6, "member": "MW"}
    first = line("201601010001", "2016-01-01", quad(p4=dict(weak)))
    assert first["players"][3]["post"] == 400
    ratings = {1: 700.0, 2: 650.0, 3: 600.0}
    close = {f"p{at}": {"rating": rating, "games": 60, "member": f"M2{at}"} for at, rating in ratings.items()}
    second = line("201602010001", "2016-02-01", quad(**close, p4={**weak, "games": 9, "losses": 9}))
    found = verify(pages(first, second))
    later = [row for row in found.carried if row.event == "201602010001"]
    assert all(row.verdict is not Verdict.UNEXPLAINED for row in later)


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
        Background(standings={RatingSystem.OTBR: Standing(1500.0, 60.0)}),
        "row 1",
        posted={RatingSystem.OTBR: Posted(1520.0)},
    )
    day = date(2012, 5, 1)
    section = ReportedSection(
        1, "", SectionType.SWISS, False, ("G/90;d5",), (RatingSystem.OTBR,), day, day, (rated, newcomer), "section"
    )
    return Report("201205010001", "", day, day, (section,), "file")


def test_a_match_at_its_limit_is_named() -> None:
    """§7: a match changes a rating by 50 points at most; a page that shows more than that differs by that limit."""
    rows = [
        player(1, 1500.0, 80, ["W2"] * 6, published=1500),
        player(2, 1700.0, 80, ["L1"] * 6, published=1700),
    ]
    made = page_line("201601010001", "2016-01-01", rows, kind="match")
    found = verify(pages(made))
    assert {row.verdict for row in found.alone} == {Verdict.WITHIN}
    made["players"][0]["post"] = 1600
    [row] = [row for row in verify(pages(made)).alone if row.number == 1]
    assert row.cause in (MATCH_CAP, MONEY_FLOOR)


def test_a_section_that_follows_the_rules_of_its_end_is_named() -> None:
    """Readings 98: a section of 2014-03-17 to 04-07 follows the threshold of 2014-03-20."""
    strong = [
        player(1, 1500.0, 80, ["W2", "W3", "W4", "W5"]),
        *(player(n, 1750.0, 80, ["", "", "", ""]) for n in (2, 3, 4, 5)),
    ]
    for at, loser in enumerate(strong[1:]):
        loser["rounds"][at] = "L1"
    made = page_line("201404070001", "2014-04-07", strong)
    made["event"]["start_date"] = "2014-03-17"
    [row] = [row for row in verify(pages(made)).alone if row.number == 1]
    assert row.cause == END_DATE
