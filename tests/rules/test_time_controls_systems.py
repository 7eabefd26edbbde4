"""§1 of the 2025 text, footnote 1: which systems a time control belongs to, by date (rules history §12)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.errors import TimeControlError
from crosstable.rules.editions import edition_for
from crosstable.rules.time_controls import (
    counted_time,
    is_dual_control,
    parse_time_control,
    systems_for,
    systems_of_schedule,
)
from crosstable.terms import RatingSystem

TODAY = date(2026, 7, 4)
REGULAR = ("OTBR",)
DUAL = ("OTBR", "OTBQ")
QUICK = ("OTBQ",)
BLITZ = ("OTBB",)


def systems(text: str, on: date = TODAY, *, is_online: bool = False) -> tuple[str, ...]:
    """The names of the systems of a control on a day."""
    ranges = edition_for(on).controls
    return tuple(s.name for s in systems_for(parse_time_control(text), is_online=is_online, ranges=ranges))


def schedule(texts: list[str], on: date = TODAY, *, is_online: bool = False) -> tuple[str, ...]:
    """The names of the systems of a section whose rounds have these controls."""
    controls = [parse_time_control(text) for text in texts]
    ranges = edition_for(on).controls
    return tuple(s.name for s in systems_of_schedule(controls, is_online=is_online, ranges=ranges))


# Official facts §5: the table of examples under the present rules.
TABLE = [
    ("G/3;+2", 5, BLITZ),
    ("G/5;d0", 5, BLITZ),
    ("G/7;d3", 10, BLITZ),
    ("G/10;d0", 10, BLITZ),
    ("G/10;+1", 11, QUICK),
    ("G/20;+5", 25, QUICK),
    ("G/25;d4", 29, QUICK),
    ("G/26;d3", 29, QUICK),
    ("G/25;d5", 30, DUAL),
    ("G/25;+5", 30, DUAL),
    ("G/27;d3", 30, DUAL),
    ("G/20;d10", 30, DUAL),
    ("G/30;d0", 30, DUAL),
    ("G/30;d5", 35, DUAL),
    ("30/30,SD/30;d5", 65, DUAL),
    ("G/60;d5", 65, DUAL),
    ("G/55;+10", 65, DUAL),
    ("G/61;d5", 66, REGULAR),
    ("G/45;+30", 75, REGULAR),
    ("G/65;d5", 70, REGULAR),
    ("40/90,SD/30;d5", 125, REGULAR),
]


@pytest.mark.parametrize(("text", "total", "names"), TABLE)
def test_the_table_of_examples(text: str, total: int, names: tuple[str, ...]) -> None:
    """§1, footnote 1: official facts §5, row by row."""
    assert parse_time_control(text).total == total
    assert systems(text) == names


@pytest.mark.parametrize(("text", "total", "names"), TABLE)
def test_the_table_of_examples_online(text: str, total: int, names: tuple[str, ...]) -> None:
    """§1, footnote 1, readings 17: the same without dual; below 30 OLQ, from 30 OLR."""
    online = {BLITZ: "OLB", QUICK: "OLQ", DUAL: "OLR", REGULAR: "OLR"}[names]
    assert systems(text, is_online=True) == (online,)


@pytest.mark.parametrize(
    ("text", "total", "reason"),
    [
        ("G/4;+25", 29, "main time of 5 minutes or more"),
        ("G/2;+3", 5, "main time of 3 minutes or more"),
        ("G/1;d2", 3, "Blitz needs a total of 5 or more"),
        ("G/4;+26", 30, "main time of 4 minutes; at least 5 are needed"),
        ("G/4;+60", 64, "main time of 4 minutes; at least 5 are needed"),
        ("G/4;d0", 4, "Blitz needs a total of 5 or more"),
        ("10/10,SD/10;d5", 25, "one sudden-death stage"),
        ("40 moves in 20 minutes", 20, "one sudden-death stage"),
    ],
)
@pytest.mark.parametrize("is_online", [False, True])
def test_what_is_not_ratable_says_why(text: str, total: int, reason: str, is_online: bool) -> None:
    """§1, footnote 1, readings 16, official facts §5: the reason names the control and the limit."""
    assert parse_time_control(text).total == total
    with pytest.raises(TimeControlError) as raised:
        systems(text, is_online=is_online)
    assert text in str(raised.value)
    assert reason in str(raised.value)


# Rules history §12, the day before, the day and the day after each change.
CHANGES = [
    (date(2002, 1, 1), "G/30", REGULAR, DUAL),
    (date(2002, 1, 1), "G/60", REGULAR, DUAL),
    (date(2002, 1, 1), "G/61", REGULAR, REGULAR),
    (date(2002, 1, 1), "G/29", QUICK, QUICK),
    (date(2002, 1, 1), "G/10", QUICK, QUICK),
    (date(2004, 1, 1), "G/9", None, QUICK),
    (date(2004, 1, 1), "G/5", None, QUICK),
    (date(2004, 1, 1), "G/4", None, None),
    (date(2004, 1, 1), "G/10", QUICK, QUICK),
    (date(2008, 8, 1), "G/45;+16", DUAL, REGULAR),
    (date(2008, 8, 1), "G/45;+15", DUAL, DUAL),
    (date(2008, 8, 1), "G/60;d5", DUAL, DUAL),
    (date(2012, 1, 1), "G/25;d5", QUICK, DUAL),
    (date(2012, 1, 1), "G/29;d0", QUICK, QUICK),
    (date(2012, 1, 1), "G/60;d5", DUAL, DUAL),
    (date(2012, 1, 1), "G/60;d6", DUAL, REGULAR),
    (date(2012, 1, 1), "G/65;d0", REGULAR, DUAL),
    (date(2012, 1, 1), "G/35;+30", REGULAR, DUAL),
    (date(2012, 1, 1), "G/3;+10", None, None),
    (date(2013, 3, 1), "G/5;d0", QUICK, BLITZ),
    (date(2013, 3, 1), "G/10;d0", QUICK, BLITZ),
    (date(2013, 3, 1), "G/7;d3", QUICK, BLITZ),
    (date(2013, 3, 1), "G/10;+1", QUICK, QUICK),
    (date(2013, 3, 1), "G/3;+2", None, BLITZ),
    (date(2013, 3, 1), "G/60;d5", DUAL, DUAL),
]


@pytest.mark.parametrize(("day", "text", "before", "since"), CHANGES)
def test_classes_before_and_since_each_change(
    day: date, text: str, before: tuple[str, ...] | None, since: tuple[str, ...] | None
) -> None:
    """§1, §8, rules history §12: ``None`` is not ratable."""
    ordinal = day.toordinal()
    for on, names in ((ordinal - 1, before), (ordinal, since), (ordinal + 1, since)):
        if names is None:
            with pytest.raises(TimeControlError, match="too fast to be rated"):
                systems(text, date.fromordinal(on))
        else:
            assert systems(text, date.fromordinal(on)) == names


@pytest.mark.parametrize(
    ("day", "text", "names"),
    [
        (date(2001, 1, 1), "G/30;d5", REGULAR),
        (date(2001, 6, 1), "G/29;d5", QUICK),
        (date(2001, 6, 1), "G/10", QUICK),
        (date(2003, 6, 1), "G/60;d5", DUAL),
        (date(2006, 6, 1), "30/30,SD/30", DUAL),
        (date(2011, 12, 31), "G/25;d10", QUICK),
    ],
)
def test_before_2012_the_main_time_alone_counts(day: date, text: str, names: tuple[str, ...]) -> None:
    """§1, rules history §12: any deduction for a delay clock was ignored."""
    assert systems(text, day) == names
    assert counted_time(parse_time_control(text), edition_for(day).controls) == parse_time_control(text).main_minutes


@pytest.mark.parametrize(
    ("system", "born"),
    [
        (RatingSystem.OTBR, date(2001, 1, 1)),
        (RatingSystem.OTBQ, date(2001, 1, 1)),
        (RatingSystem.OTBB, date(2013, 3, 1)),
        (RatingSystem.OLB, date(2014, 10, 1)),
        (RatingSystem.OLQ, date(2015, 3, 1)),
        (RatingSystem.OLR, date(2020, 6, 1)),
    ],
)
def test_each_system_exists_from_its_date(system: RatingSystem, born: date) -> None:
    """§8 (2025 text), rules history §1, readings 6 to 8."""
    assert system in edition_for(born).systems
    if born > date(2001, 1, 1):
        assert system not in edition_for(date.fromordinal(born.toordinal() - 1)).systems


def test_the_six_systems_are_named_and_sorted_as_in_the_document() -> None:
    """§1 (2025 text): three over the board, three online."""
    assert [system.title for system in RatingSystem] == [
        "Regular",
        "Quick",
        "Blitz",
        "online Regular",
        "online Quick",
        "online Blitz",
    ]
    assert [system.name for system in RatingSystem if system.is_online] == ["OLR", "OLQ", "OLB"]


@given(st.integers(1, 200), st.integers(0, 90), st.booleans())
def test_every_total_belongs_where_the_footnote_says(minutes: int, seconds: int, is_online: bool) -> None:
    """§1, footnote 1 (2025 text): 5..10 Blitz, above 10 and below 30 Quick, 30..65 dual, above 65 Regular."""
    total = minutes + seconds
    least_main = 3 if total <= 10 else 5
    text = f"G/{minutes};d{seconds}"
    if total < 5 or minutes < least_main:
        with pytest.raises(TimeControlError):
            systems(text, is_online=is_online)
        return
    expected: tuple[str, ...]
    if total <= 10:
        expected = BLITZ
    elif total < 30:
        expected = QUICK
    else:
        expected = DUAL if total <= 65 else REGULAR
    if is_online:
        expected = (expected[0].replace("OTB", "OL"),)
    assert systems(text, is_online=is_online) == expected


@pytest.mark.parametrize(
    ("text", "is_dual"), [("G/25;d4", False), ("G/25;d5", True), ("G/60;d5", True), ("G/61;d5", False)]
)
def test_the_control_of_the_smaller_k_is_the_dual_one(text: str, is_dual: bool) -> None:
    """§4.2 (2025 text), readings 58: 30 <= mm + ss <= 65."""
    assert is_dual_control(parse_time_control(text), edition_for(TODAY).controls) is is_dual


# Merged schedules


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["G/60;d5"], DUAL),
        (["G/30;d5", "G/60;d5"], DUAL),
        (["G/60;d5", "40/90,SD/30;d5"], REGULAR),
        (["40/90,SD/30;d5", "G/30;d5"], REGULAR),
        (["G/15;d5", "G/20;d5"], QUICK),
        (["G/5;d0", "G/5;d0"], BLITZ),
        (["G/5;d0", "G/5 d/0"], BLITZ),
        (["G/5;d0", "G/5"], BLITZ),
    ],
)
def test_the_slowest_round_decides(texts: list[str], names: tuple[str, ...]) -> None:
    """§1, official facts §5: rounds may differ, and two spellings of one Blitz control are one control."""
    assert schedule(texts) == names


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["G/20;d3", "G/60;d5"], "mixed in one section"),
        (["G/60;d5", "G/20;d3", "G/90;d5"], "mixed in one section"),
        (["G/5;d0", "G/20;d3"], "mixed in one section"),
        (["G/5;d0", "G/3;+2"], "all Blitz rounds must share one control"),
        (["G/60;d5", "G/1;d0"], "too fast to be rated"),
    ],
)
@pytest.mark.parametrize("is_online", [False, True])
def test_fast_rounds_may_not_be_mixed_in(texts: list[str], reason: str, is_online: bool) -> None:
    """§1, official facts §5: games under 30 minutes can never be Regular; all Blitz rounds share one control."""
    with pytest.raises(TimeControlError, match=reason):
        schedule(texts, is_online=is_online)


def test_a_round_that_is_regular_alone_is_slower_than_a_dual_one() -> None:
    """§1, rules history §12: in 2009 a long increment makes G/45;+30 Regular, though its main time is shorter."""
    assert schedule(["G/45;+30", "G/60;d5"], date(2009, 3, 7)) == REGULAR


def test_an_online_schedule_is_never_dual() -> None:
    """§1, readings 17."""
    assert schedule(["G/30;d5", "G/60;d5", "G/90;d5"], is_online=True) == ("OLR",)
