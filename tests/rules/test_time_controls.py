"""§1 of the 2025 text, footnote 1: time controls as people write them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.errors import TimeControlError
from crosstable.rules.time_controls import parse_time_control, split_schedule, stages_disagree, stored_spelling
from crosstable.terms import Stage

GAME = 0  # a stage without a move count: the rest of the game
NOT_WRITTEN = -1


def read(text: str) -> tuple[tuple[Stage, ...], int, bool]:
    """Stages, seconds and whether they are an increment."""
    control = parse_time_control(text)
    return control.stages, control.seconds, control.is_increment


@pytest.mark.parametrize(
    ("text", "stages", "seconds", "is_increment"),
    [
        ("G/60;d5", [(GAME, 60)], 5, False),
        ("G/60 d/5", [(GAME, 60)], 5, False),
        ("G/25+5", [(GAME, 25)], 5, True),
        ("G/45;inc30", [(GAME, 45)], 30, True),
        ("G/90;+30", [(GAME, 90)], 30, True),
        ("40/90,SD/30;d5", [(40, 90), (GAME, 30)], 5, False),
        ("30/30 SD/30", [(30, 30), (GAME, 30)], NOT_WRITTEN, False),
        ("40/120, 20/60, SD/30", [(40, 120), (20, 60), (GAME, 30)], NOT_WRITTEN, False),
    ],
)
def test_every_notation_of_the_rulebook(
    text: str, stages: list[tuple[int, int]], seconds: int, is_increment: bool
) -> None:
    """§1, footnote 1: the spellings listed in official facts §5."""
    assert read(text) == (tuple(Stage(*stage) for stage in stages), seconds, is_increment)


@pytest.mark.parametrize(
    ("text", "stages", "seconds", "is_increment"),
    [
        ("G/5d0", [(GAME, 5)], 0, False),
        ("G/3+2", [(GAME, 3)], 2, True),
        ("G/7d3", [(GAME, 7)], 3, False),
        ("G/20+5", [(GAME, 20)], 5, True),
        ("G/26d3", [(GAME, 26)], 3, False),
    ],
)
def test_the_notations_of_the_rating_document(
    text: str, stages: list[tuple[int, int]], seconds: int, is_increment: bool
) -> None:
    """§1, footnote 1 (2025 text): its own five examples."""
    assert read(text) == (tuple(Stage(*stage) for stage in stages), seconds, is_increment)


@pytest.mark.parametrize(
    "text",
    [
        "G/90; d5",
        "G90; d5",
        "G/90;D5",
        "g/90;d5",
        "  G/90;d5  ",
        "G/90, d5",
        "G/90 d5",
        "G/90d5",
        "G 90 d5",
        "G-90;d5",
        "G\\90;d5",
        "GAME/90;d5",
        "GAME 90 d5",
        "Game in 90 minutes, 5 second delay",
        "G/90' d/5",
        "G/90 (d5)",
        "G/90 delay 5",
        "G/90 delay 5 seconds",
        "G/90 del:5",
        "G/90 TD/5",
        'G/90 5" delay',
        "G/90 with 5-sec delay",
        "SD/90;d5",
        "S/D 90 d5",
        "Sudden death 90 d=5",
    ],
)
def test_loose_spellings_of_one_control(text: str) -> None:
    """§1, footnote 1: spellings of real rating reports (``G/90; d5``, ``G60; d5``) and their like."""
    control = parse_time_control(text)
    assert (control.stages, control.seconds, control.is_increment) == ((Stage(GAME, 90),), 5, False)
    assert (control.main_minutes, control.total) == (90, 95)
    assert control.text == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "G/90;+30",
        "G/90+30",
        "G/90 +30",
        "G/90;inc30",
        "G/90 inc/30",
        "G/90 inc. 30",
        "G/90 increment 30",
        "G/90 incr 30 sec",
        "G/90 i30",
        "G/90 30 second increment",
        "G/90 plus 30 seconds",
        "90+30",
        "90 + 30",
    ],
)
def test_loose_spellings_of_an_increment(text: str) -> None:
    """§1, footnote 1: delay or increment, the sum is the same; bare ``90+30`` is how FIDE events are announced."""
    assert read(text) == ((Stage(GAME, 90),), 30, True)
    assert parse_time_control(text).total == 120


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("40/2;SD/1", [120, 60]),
        ("40/2", [120]),
        ("40/3", [180]),
        ("40/120, SD/1", [120, 60]),
        ("40/2 hours, SD/1 hour", [120, 60]),
        ("40/2hrs; SD/60", [120, 60]),
        ("40 in 2h, G/30", [120, 30]),
        ("40 moves in 2 hours, then SD/1", [120, 60]),
        ("30/90; G/1", [90, 60]),
    ],
)
def test_hours_of_old_reports(text: str, minutes: list[int]) -> None:
    """§1, footnote 1: 40/2;SD/1 is two hours and one (official results of 2002 to 2006); 4 is no hour."""
    assert [stage.minutes for stage in parse_time_control(text).stages] == minutes


def test_a_game_in_one_to_three_minutes_is_no_game_in_hours() -> None:
    """§1, footnote 1: only where a stage counts moves are 1 to 3 hours."""
    assert parse_time_control("G/3;+2").main_minutes == 3
    assert parse_time_control("G/1").main_minutes == 1


def test_a_game_in_two_hours_says_so() -> None:
    """§1, footnote 1: with the word, hours are hours in a single stage too."""
    assert parse_time_control("G/2 hours; d5").main_minutes == 120


@pytest.mark.parametrize("text", ["G/1440", "G/1440;d5", "1440+5", "G/24 hours"])
def test_a_game_in_a_whole_day_is_the_longest_that_is_read(text: str) -> None:
    """§1, footnote 1: a minute more is a slip of the pen (below)."""
    assert parse_time_control(text).main_minutes == 1440


@pytest.mark.parametrize("text", ["G/60 no delay", "G/60, no inc", "G/60 no increment", "No delay, G/60"])
def test_no_delay_in_words_is_none(text: str) -> None:
    """§1, footnote 1: written out, none is not the same as nothing written."""
    assert parse_time_control(text).seconds == 0


def test_the_total_is_all_minutes_and_the_seconds_once() -> None:
    """§1, footnote 1, readings 15: the sum of all stages, plus the delay counted once; unwritten counts as none."""
    assert parse_time_control("40/90,SD/30;d5").total == 125
    assert parse_time_control("30/30 SD/30").total == 60
    assert parse_time_control("40/120, 20/60, SD/30").main_minutes == 210


def test_the_first_of_several_delays_counts() -> None:
    """§1, readings 15: and a warning is due where they differ."""
    control = parse_time_control("40/90;d5,SD/30;d10")
    assert control.seconds == 5
    assert stages_disagree(control)


@pytest.mark.parametrize(
    ("text", "disagree"),
    [
        ("40/90;d5,SD/30;d5", False),
        ("40/90,SD/30;d5", False),
        ("40/90;+30,SD/30;+30", False),
        ("40/90;d10,SD/30;d5", True),
        ("G/60;d5", False),
        ("40/90,SD/30", False),
    ],
)
def test_stages_disagree_only_where_two_delays_differ(text: str, disagree: bool) -> None:
    """§1, readings 15: SD/30 is no delay of 30 seconds."""
    assert stages_disagree(parse_time_control(text)) is disagree


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "blitz",
        "d5",
        "+5",
        "no delay",
        "G/",
        "G/sixty",
        "60",
        "G/60;d5 and friends",
        "G/60;;d",
        "G/\N{ARABIC-INDIC DIGIT SIX}\N{ARABIC-INDIC DIGIT ZERO};d5",
        "3|2",
        "G/60" + " " * 80 + ";d5",
        "G/9999;d5",
        "G/1441",
        "G/1441;d5",
        "1441+5",
        "9999+5",
        "99999999999999999999+5",
        "40/9999,SD/30;d5",
    ],
)
def test_what_cannot_be_read_is_refused_with_its_text(text: str) -> None:
    """§1, footnote 1: nothing is guessed; the message holds what was written and how it should look."""
    with pytest.raises(TimeControlError) as raised:
        parse_time_control(text)
    assert repr(text.strip()) in str(raised.value)
    assert "G/60;d5" in str(raised.value)


@given(st.text())
def test_any_text_is_a_control_or_a_time_control_error(text: str) -> None:
    """§1, footnote 1: arbitrary text raises nothing else."""
    try:
        control = parse_time_control(text)
    except TimeControlError:
        return
    assert control.stages
    assert control.total >= control.main_minutes >= 0


PIECES = st.sampled_from(
    [
        "G",
        "G/",
        "SD/",
        "40/",
        "40",
        "/",
        "30",
        "5",
        "0",
        "90",
        "d",
        "+",
        "inc",
        "delay",
        ";",
        ",",
        " ",
        "no delay",
        "in",
        "h",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_heap_of_pieces_is_a_control_or_a_time_control_error(text: str) -> None:
    """§1, footnote 1: texts that nearly are time controls."""
    try:
        control = parse_time_control(text)
    except TimeControlError:
        return
    assert max(stage.minutes for stage in control.stages) <= 24 * 60
    assert control.seconds >= NOT_WRITTEN
    assert stages_disagree(control) in (True, False)


@given(
    st.integers(1, 600),
    st.integers(0, 120),
    st.booleans(),
    st.sampled_from(["G/{}{}{}{}", "g/{}{}{}{}", "G{}{}{}{}", "GAME/{}{}{}{}", "G/{}{} {}{}"]),
    st.sampled_from([";", "; ", ",", " "]),
)
def test_a_single_stage_is_read_as_it_was_written(
    minutes: int, seconds: int, is_increment: bool, shape: str, between: str
) -> None:
    """§1, footnote 1: whatever the punctuation."""
    text = shape.format(minutes, between, "+" if is_increment else "d", seconds)
    assert read(text) == ((Stage(GAME, minutes),), seconds, is_increment)


@pytest.mark.parametrize(
    ("text", "stages", "seconds", "is_increment"),
    [
        ("60 min + 5 sec", [(GAME, 60)], 5, True),
        ("90'+30\"", [(GAME, 90)], 30, True),
        ("90\N{PRIME}+30\N{DOUBLE PRIME}", [(GAME, 90)], 30, True),
        ("3'+2''", [(GAME, 3)], 2, True),
        ("1h30+30s", [(GAME, 90)], 30, True),
        ("1 hour 30 min + 30 sec per move", [(GAME, 90)], 30, True),
        ("2 hours", [(GAME, 120)], NOT_WRITTEN, False),
        ("90 + 30 sec", [(GAME, 90)], 30, True),
        ("60;d5", [(GAME, 60)], 5, False),
        ("60 min, 5 sec delay", [(GAME, 60)], 5, False),
        ("25m+5s", [(GAME, 25)], 5, True),
        ("G150/5S", [(GAME, 150)], 5, False),
        ("GAME 100 + 30 SEC INCREMENT", [(GAME, 100)], 30, True),
        ("G/30+5DELAY", [(GAME, 30)], 5, False),
        ("30 minutes per player, 5 second delay", [(GAME, 30)], 5, False),
        ("40/120, ALL/60", [(40, 120), (GAME, 60)], NOT_WRITTEN, False),
        ("40/120, 60", [(40, 120), (GAME, 60)], NOT_WRITTEN, False),
        ("100'x40+15'+30\"", [(40, 100), (GAME, 15)], 30, True),
        ("90'/40 + 30' + 30\" per move from move 1", [(40, 90), (GAME, 30)], 30, True),
        ("90 min for 40 moves + 30 min for the rest + 30 sec", [(40, 90), (GAME, 30)], 30, True),
    ],
)
def test_minutes_first_as_federations_and_organizers_announce_them(
    text: str, stages: list[tuple[int, int]], seconds: int, is_increment: bool
) -> None:
    """§1, footnote 1: texts of real files of pairing programs, and their like."""
    assert read(text) == (tuple(Stage(*stage) for stage in stages), seconds, is_increment)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("25/5", "G/25;d5", "25 moves in 5 minutes"),
        ("90/30", "G/90;d30", "90 moves in 30 minutes"),
        ("40/4", "G/40;d4", "40 moves in 4 minutes"),
        ("G/60;5", "G/60;d5", "G/60;+5"),
        ("G/60 5", "G/60;d5", "G/60;+5"),
        ("40/90, 30", "40/90,SD/30", "40/90;+30"),
        ("G/20;d5, G/10;d5", "G/20", "G/10"),
    ],
)
def test_what_can_mean_two_things_is_refused_with_both(text: str, first: str, second: str) -> None:
    """§1, footnote 1: either reading may be in another system."""
    with pytest.raises(TimeControlError, match=re.escape(f"{text!r} can be read as {first} or as {second}")):
        parse_time_control(text)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("90'+30\"", "G/90;+30"),
        ("90+30", "G/90;+30"),
        ("60 min, 5 sec delay", "G/60;d5"),
        ("G150/5S", "G/150;d5"),
        ("100'x40+15'+30\"", "40/100,SD/15;+30"),
        ("40/120, ALL/60", "40/120,SD/60"),
        *(
            (text, text)
            for text in ("G/60;d5", "G/90; d5", "G60; d5", "40/90, SD/30, d10", "40/2;SD/1", "G/60", "blitz")
        ),
    ],
)
def test_a_control_is_written_as_us_chess_stores_it(text: str, stored: str) -> None:
    """§1, footnote 1: 6,000 sections of 2026 are spelled like this; it is the same control."""
    assert stored_spelling(text) == stored
    if text != stored:
        assert read(stored) == read(text)


# Schedules


@pytest.mark.parametrize(
    ("text", "controls"),
    [
        ("G/60;d5", ("G/60;d5",)),
        (" G/60;d5 ", ("G/60;d5",)),
        ("Round 1: G/45;d5, Round 2: G/60;d5", ("G/45;d5", "G/60;d5")),
        ("Rd 1: G/45;d5; Rd 2: G/60;d5", ("G/45;d5", "G/60;d5")),
        (
            "Schedule 1 Round 1: 40/100,SD/30;d10, Schedule 2 Round 1: G/60;d10",
            ("40/100,SD/30;d10", "G/60;d10"),
        ),
        ("G/60: d5", ("G/60: d5",)),
        ("G/40; d10 in rounds 1-3, then 40/120, SD/30; d10", ("G/40; d10", "40/120, SD/30; d10")),
        ("40/120, SD/30; d10 (2-day schedule, G/40; d10 in rounds 1-3)", ("40/120, SD/30; d10", "G/40; d10")),
        ("Rounds 1-2 G/60;d5; rounds 3 to 5 G/90;d5", ("G/60;d5", "G/90;d5")),
        ("", ("",)),
        ("Round 1:", ()),
    ],
)
def test_a_schedule_is_split_round_by_round(text: str, controls: tuple[str, ...]) -> None:
    """§1, footnote 1: merged schedules as crosstables of 2019 write them."""
    assert split_schedule(text) == controls
