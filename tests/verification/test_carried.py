"""Carried state: what earlier pages of a member show is used on later ones, and only that.

Posted figures come from the second engine of the tests, which knows what the pages hide.
"""

from datetime import date
from typing import Any

import pytest

from crosstable.record_rows import CareerRow, MemberPage
from crosstable.terms import Floor, FloorKind, PlayerRating, RatingSystem
from crosstable.verification import Row, Verdict, tally, verify
from crosstable.verification.causes import ALL_LOSSES, ALL_WINS
from crosstable.verification.pages import with_online_fault
from tests.verification.made_pages import line, pages, player, quad


def test_a_past_seen_on_an_earlier_page_explains_a_later_one() -> None:
    """§4.1: three losses of a newcomer are all their games, so the next page follows from an all-losses past."""
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
    alone = [row for row in found.alone if row.event == "201602010001"]
    carried = [row for row in found.carried if row.event == "201602010001"]
    assert [tally(rows).unexplained for rows in (alone, carried)] == [0, 0]
    assert any(row.cause == ALL_LOSSES for row in alone), "two rows agree on the past, which the page settles"
    assert {row.cause for row in carried} == {""}
    assert found.settled == (1, 0)


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


def test_what_a_page_refutes_is_dropped_for_good() -> None:
    """§5: a peak of 1850 gives a floor of 1600, unless it was lowered; a rating of 1550 shows that, and it stays so."""
    high = quad(p2={"rating": 1850.0, "games": 200, "member": "MB"})
    lower = quad(p2={"rating": 1550.0, "games": 203, "peak": 1550.0, "member": "MB"})
    later = quad(p2={"rating": 1602.0, "games": 206, "peak": 1620.0, "member": "MB"})
    days = (
        ("201601010001", "2016-01-01", high),
        ("201602010001", "2016-02-01", lower),
        ("201603010001", "2016-03-01", later),
    )
    found = verify(pages(*(line(*day) for day in days)))
    rows = {row.event: row for row in found.carried if row.number == 2}
    assert {row.verdict for row in rows.values()} == {Verdict.WITHIN}
    assert {row.floor_kind for row in rows.values()} == {FloorKind.NONE}
    assert rows["201603010001"].posted < 1600.0


def career(*rows: tuple[str, float | None, float], floor: float = 0.0, as_of: str = "2015-12-01") -> MemberPage:
    """A member's Regular history: the day, the rating before and after, both established; and a published floor."""
    events = tuple(
        CareerRow(
            date.fromisoformat(day),
            day,
            RatingSystem.OTBR,
            None if pre is None else PlayerRating(pre),
            PlayerRating(post),
        )
        for day, pre, post in rows
    )
    floors = (Floor(FloorKind.OFFICE, floor),) if floor else ()
    published = PlayerRating(1700.0, as_of=date.fromisoformat(as_of), floors=floors)
    return MemberPage("MB", "", {RatingSystem.OTBR: published}, events)


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (career(("2013-05-01", 1800.0, 1850.0)), FloorKind.PEAK),
        (career(("2016-03-01", 1800.0, 1850.0)), FloorKind.NONE),  # after the section
        (career(("2013-05-01", None, 1850.0)), FloorKind.NONE),  # a first event, or one of another system
        (career(("2013-05-01", 2000.0, 2050.0)), FloorKind.NONE),  # a floor of 1800, which the rating refutes
        (career(floor=1600.0), FloorKind.OFFICE),
        (career(floor=1700.0), FloorKind.NONE),
        (career(floor=1600.0, as_of="2016-03-01"), FloorKind.NONE),
    ],
)
def test_a_history_fills_the_gap_before_a_page(page: MemberPage, kind: FloorKind) -> None:
    """§5: a peak of 1850 gives a floor of 1600; so does a published one, where it was published by then."""
    low = quad(p2={"rating": 1605.0, "games": 203, "peak": 1850.0, "member": "MB"})
    found = verify(pages(line("201602010001", "2016-02-01", low)), members=[page])
    [row] = [row for row in found.carried if row.number == 2]
    assert (row.posted, row.floor_kind) == (1600.0, kind)
    assert row.verdict is (Verdict.AT_FLOOR if kind is FloorKind.NONE else Verdict.WITHIN)


def test_inputs_are_known_when_counts_do_not_matter_and_pasts_are_seen() -> None:
    """§3: below about 1928 the count of an established player does not matter; a P12's past does."""
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


def test_wins_that_leave_a_rating_where_it_was_show_a_winning_past() -> None:
    """§4.1: with nothing but wins, beating players 400 points down changes nothing, and the next page knows it."""
    strong = {"rating": 1850.0, "games": 3, "wins": 3, "draws": 0, "losses": 0, "member": "MS"}
    weak = {f"p{at}": {"rating": 1300.0 + at, "games": 60} for at in (2, 3, 4)}
    first = line("201601010001", "2016-01-01", quad(**weak, p1=dict(strong)))
    assert first["players"][0]["post"] == 1850
    close = {f"p{at}": {"rating": 1700.0 + at, "games": 60, "member": f"M2{at}"} for at in (2, 3, 4)}
    second = line("201602010001", "2016-02-01", quad(**close, p1={**strong, "games": 6, "wins": 6}))
    found = verify(pages(first, second))
    [alone] = [row for row in found.alone if row.event == "201602010001" and row.number == 1]
    later = [row for row in found.carried if row.event == "201602010001"]
    assert alone.cause == ALL_WINS
    assert all(row.verdict is Verdict.WITHIN and not row.cause for row in later)


def master(rating: float, games: int) -> dict[str, Any]:
    """A player whose game count matters, among others whose pasts are of no account."""
    others: dict[str, Any] = {f"p{at}": {"games": 60} for at in (1, 3, 4)}
    return others | {"p2": {"rating": rating, "games": games, "member": "MB"}}


def third_page(*earlier: tuple[str, float, int], games: int) -> tuple[Row, Row]:
    """The row of a 2218 on so many games in February 2016, alone and with what earlier pages show."""
    lines = [line(f"{day.replace('-', '')}0001", day, quad(**master(rating, count))) for day, rating, count in earlier]
    lines.append(line("201602010001", "2016-02-01", quad(**master(2218.0, games))))
    found = verify(pages(*lines))
    [alone] = [row for row in found.alone if row.event == "201602010001" and row.number == 2]
    [carried] = [row for row in found.carried if row.event == "201602010001" and row.number == 2]
    return alone, carried


def test_a_count_seen_twice_goes_on_at_the_members_own_pace() -> None:
    """13 games after one page and 26 a year later, then one section unseen, of three games as their others: 29."""
    alone, carried = third_page(("2015-01-01", 2287.0, 10), ("2016-01-01", 2310.0, 23), games=29)
    assert alone.verdict is Verdict.UNEXPLAINED
    assert carried.verdict is Verdict.WITHIN
    assert not carried.inputs_known


def test_an_expected_count_is_never_taken_for_a_known_one() -> None:
    """The page after next starts where the next ended, but the count it rests on was only expected."""
    lines = [
        line("201501010001", "2015-01-01", quad(**master(2287.0, 10))),
        line("201601010001", "2016-01-01", quad(**master(2310.0, 23))),
        line("201602010001", "2016-02-01", quad(**master(2218.0, 29))),
    ]
    left_at = float(lines[-1]["players"][1]["post"])
    lines.append(line("201603010001", "2016-03-01", quad(**master(left_at, 32))))
    rows = [row for row in verify(pages(*lines)).carried if row.event == "201603010001"]
    assert not any(row.inputs_known for row in rows)


def test_a_pace_goes_on_with_time() -> None:
    """13 games in the half year before are some 20 in the nine months since: 26 and 20 are 46, more than N* can be."""
    alone, carried = third_page(("2014-11-01", 2287.0, 10), ("2015-05-01", 2310.0, 23), games=46)
    assert alone.verdict is carried.verdict is Verdict.WITHIN
    assert carried.computed == alone.computed


def test_a_count_seen_once_gives_no_pace() -> None:
    alone, carried = third_page(("2016-01-01", 2310.0, 23), games=29)
    assert alone.verdict is carried.verdict is Verdict.UNEXPLAINED
    assert carried.computed == alone.computed


def test_a_provisional_count_is_not_that_of_an_established_player_at_the_same_rating() -> None:
    """The page before left them at 2218 on 13 games; established since, they have more than 25."""
    first = line("201501010001", "2015-01-01", quad(**master(2240.0, 10)))
    left_at = float(first["players"][1]["post"])
    second = line("201602010001", "2016-02-01", quad(**master(left_at, 90)))
    [row] = [row for row in verify(pages(first, second)).carried if row.event == "201602010001" and row.number == 2]
    assert row.verdict is Verdict.WITHIN


def test_a_known_count_is_carried_where_the_next_page_starts_where_the_last_ended() -> None:
    """26 games after the first page are known on the second, where a page shows none."""
    first = line("201601010001", "2016-01-01", quad(**master(2310.0, 23)))
    left_at = float(first["players"][1]["post"])
    second = line("201602010001", "2016-02-01", quad(**master(left_at, 26)))
    found = verify(pages(first, second))
    [alone] = [row for row in found.alone if row.event == "201602010001" and row.number == 2]
    [carried] = [row for row in found.carried if row.event == "201602010001" and row.number == 2]
    assert alone.verdict is Verdict.UNEXPLAINED
    assert carried.verdict is Verdict.WITHIN


def test_a_peak_shown_before_an_earlier_section_predicts_the_floor() -> None:
    """§5: 1800 before a section that lowered it is a peak as well, and gives a floor of 1600."""
    high = line("201601010001", "2016-01-01", quad(p2={"rating": 1800.0, "games": 200, "member": "MB"}))
    assert high["players"][1]["post"] < 1800
    low = quad(p2={"rating": 1605.0, "games": 203, "peak": 1800.0, "member": "MB"})
    found = verify(pages(high, line("201602010001", "2016-02-01", low)))
    [row] = [row for row in found.carried if row.event == "201602010001" and row.number == 2]
    assert (row.posted, row.verdict, row.floor_kind) == (1600.0, Verdict.WITHIN, FloorKind.PEAK)


def test_a_personal_floor_seen_in_action_keeps_the_merits_of_games_not_seen() -> None:
    """§5: three wins, a draw and four sections unseen are 18 points of the floor, now and later; a section adds one."""
    unseen = {"rating": 118.0, "games": 60, "wins": 3, "draws": 1, "losses": 56, "events": 4, "member": "MW"}
    weak = {f"p{at}": {"rating": 400.0, "games": 60} for at in (1, 2, 3)}
    first = line("201601010001", "2016-01-01", quad(**weak, p4=dict(unseen)))
    second = line("201602010001", "2016-02-01", quad(**weak, p4={**unseen, "rating": 119.0, "events": 5}))
    assert [made["players"][3]["post"] for made in (first, second)] == [119, 120]
    found = verify(pages(first, second))
    [alone] = [row for row in found.alone if row.event == "201602010001" and row.number == 4]
    [carried] = [row for row in found.carried if row.event == "201602010001" and row.number == 4]
    assert (alone.computed, alone.verdict) == (101.0, Verdict.AT_FLOOR)
    assert (carried.computed, carried.floor_kind) == (120.0, FloorKind.PERSONAL)


def test_nothing_is_carried_from_pages_with_the_online_fault_to_those_after_its_repair() -> None:
    """Readings 103: a peak of 1850 with the fault is no peak of the ratings that were computed anew without it."""
    high = quad(p2={"rating": 1850.0, "games": 200, "member": "MB"})
    low = quad(p2={"rating": 1605.0, "games": 203, "member": "MB"})
    faulty = line("202101010001", "2021-01-01", high, this_system="OR", processed="Rated: 2021-06-16")
    repaired = line("202102010001", "2021-02-01", low, this_system="OR", processed="Rated: 2021-06-17")
    assert repaired["players"][1]["post"] < 1600
    found = verify([with_online_fault(page) for page in pages(faulty, repaired)])
    assert {row.event for row in found.carried} == {"202101010001", "202102010001"}
    [row] = [row for row in found.carried if row.event == "202102010001" and row.number == 2]
    assert (row.verdict, row.floor_kind) == (Verdict.WITHIN, FloorKind.NONE)
