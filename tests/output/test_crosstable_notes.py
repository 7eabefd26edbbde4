"""What stands below a crosstable: each kind of note, once, with the players it concerns."""

from datetime import date

from crosstable.output.crosstable import NORM_TITLES, legend, notes_of, tables_of
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.pipeline.reading import read
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import RuleSet
from crosstable.sentences import american_days, spans
from crosstable.terms import NORM_CODES, RatingSystem
from tests.checks.provoked import pair, sound
from tests.event_files import event_file, player, quad, record
from tests.output.rated_events import decorated, official, rated, with_rated


def notes(event: RatedEvent) -> dict[str, tuple[str, ...]]:
    return {found.heading: found.lines for found in notes_of(event, tables_of(event))}


def test_nothing_is_noted_where_nothing_is_to_say() -> None:
    assert notes(rated(sound())) == {}


def test_the_example_of_a_provisional_rating_stands_in_the_table_and_is_provisional_there() -> None:
    """Ratings on 12 games are provisional by §1, and established under a rule set that asks for more than nine."""
    event = event_file(player(1, "W2", 1500.0, 12), player(2, "L1", 1500.0, 300))
    said = legend(tables_of(rated(event)))
    assert "1500P12 is a provisional rating on 12 games." in said
    rules = RuleSet("above nine", EDITIONS[-1].effective, {"established_above": 9.0})
    said = legend(tables_of(rate(read(event), rules=rules, today=None)))
    assert not [text for text in said if "provisional" in text]


def test_norms_are_listed_by_level_highest_first() -> None:
    """Official facts §1: four wins over 1600s are a norm at 1600, the Second Category.

    The other winner beats four 1200s: at 1200 every C is 0.5 and 4 - 2 is more than 1; at 1400 d is 200, every C is 1.
    """
    event = decorated()
    rows = event["sections"][0]["players"]
    rows.append(player(6, "W7 W8 W9 W10", 1100.0))
    rows += [player(7 + at, ["U"] * at + ["L6"], 1200.0, 60) for at in range(4)]
    assert notes(rated(event))["Norms"] == (
        "Section 1, norm 2, Second Category: Player, 1 (No. 1).",
        "Section 1, norm 4, Fourth Category: Player, 6 (No. 6).",
    )


def test_every_norm_has_a_title() -> None:
    assert list(NORM_TITLES) == list(NORM_CODES)


def test_floors_limits_and_requests_are_noted() -> None:
    """§7: ten draws of 1500 and 1900 move both by more than the 50 of a match; a peak of 2100 holds at 1900 (§5).

    K is about 30 and 23, S - E about 4.1: the change would be 123 and -93. The floor met asks for one 100 lower.
    """
    one = player(1, ["D2"] * 10, ratings={"OTBR": record(1500.0, published=1500.0)})
    other = player(2, ["D1"] * 10, ratings={"OTBR": record(1900.0, 60, peak=2100.0, published=1900.0)})
    found = notes(rated(event_file(one, other, type="match")))
    assert found["Floors"] == ("Section 1, player 2, Player, 2, Regular: held at the peak floor 1900.",)
    assert found["Limits"] == (
        "Section 1, player 2, Player, 2, Regular: the limits of match play leave a change of -50.00.",
        "Section 1, player 2, Player, 2, Regular: counts as a request for a floor of 1800.",
        "Section 1, player 1, Player, 1, Regular: the limits of match play leave a change of +50.00.",
    )


def test_a_ceiling_is_noted() -> None:
    event = event_file(
        player(1, "W2", ratings={"OTBR": record(1400.0, ceiling=1401.0)}), player(2, "L1", 1900.0), player(3, "U")
    )
    assert notes(rated(event))["Limits"] == ("Section 1, player 1, Player, 1, Regular: held at a ceiling.",)


def test_what_was_assumed_is_told_once_with_its_players() -> None:
    """The published section gives neither counts nor peaks; three of its six players are established: 1, 3, 4."""
    assumed = notes(rated(official()))["Assumed"]
    assert [line.partition(": ")[0] for line in assumed] == ["Section 1, players 1-6", "Section 1, players 1, 3-4"]
    assert [line.split(": ")[1] for line in assumed] == ["wins, draws, losses, events", "peak"]


def test_where_ratings_come_from_is_noted() -> None:
    event = rated(quad())
    ((section,),) = event.rated
    players = tuple(row._replace(origin="members.csv" if row.number > 1 else "") for row in section.players)
    event = with_rated(event, (section._replace(players=players),))
    assert notes(event)["Ratings not from the report"] == ("Section 1, players 2-4: members.csv.",)


def test_a_range_is_noted() -> None:
    event = rated(quad())._replace(ranges={(1, RatingSystem.OTBR, 4): (1800.0, 1825.314)})
    (line,) = notes(event)["Results that an assumption may change"]
    assert line == "Section 1, player 4, Player, 4, Regular: between 1800.00 and 1825.31."


def test_findings_are_not_among_the_notes() -> None:
    """Readings 92: a result that stands on one row only is rated with a warning, which is not for the wall."""
    event = rated(pair("N2", "U"))
    assert event.faults
    assert not any(event.faults[0].message in line for lines in notes(event).values() for line in lines)


def test_a_note_cannot_hold_what_cannot_be_printed() -> None:
    event = rated(quad())
    ((section,),) = event.rated
    players = tuple(row._replace(origin="\x1b[2J\u202e") for row in section.players)
    event = with_rated(event, (section._replace(players=players),))
    assert "\\u001b[2J\\u202e" in notes(event)["Ratings not from the report"][0]


def test_numbers_are_written_short() -> None:
    assert spans([7, 3, 1, 2, 2, 9, 10]) == "1-3, 7, 9-10"
    assert spans([]) == ""


def test_days_are_written_as_americans_do() -> None:
    day = date(2026, 6, 14)
    assert american_days(day, day) == "June 14, 2026"
    assert american_days(date(2026, 6, 13), day) == "June 13-14, 2026"
    assert american_days(date(2026, 5, 30), day) == "May 30 to June 14, 2026"
    assert american_days(date(2025, 12, 27), date(2026, 1, 2)) == "December 27, 2025 to January 2, 2026"
