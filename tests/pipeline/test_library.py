"""The public library: its names, its examples, plain data, frames, arrays; and what importing it costs."""

import doctest
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crosstable as ct
from crosstable import library
from crosstable.formats import members
from tests.amounts import amount
from tests.architecture.source import ROOT
from tests.event_files import event_file, player, quad
from tests.pipeline.samples import two_sections

# The library as somebody without a type checker calls it.
loose: Any = ct
SAMPLE = ROOT / "examples" / "summer-quads.json"


def test_every_public_name_is_there_and_documented() -> None:
    assert dir(ct) == sorted(ct.__all__)
    for name in ct.__all__:
        found = getattr(ct, name)
        assert name.startswith("__") or found.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'rates'"):
        ct.rates  # noqa: B018


def test_the_examples_of_the_docstrings_run() -> None:
    tried = doctest.testmod(library, optionflags=doctest.ELLIPSIS)
    assert (tried.failed, tried.attempted > 10) == (0, True)


def test_importing_the_library_imports_nothing_heavy() -> None:
    program = "import sys, crosstable; print('\\n'.join(name for name in sys.modules if '.' in name))"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert [name for name in ran.stdout.split() if name.startswith("crosstable.")] == []


def test_the_example_of_the_readme_runs_and_prints_what_it_says() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    parsed = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    assert len(parsed.examples) >= 5
    assert tried.run(parsed).failed == 0


# Reading


def test_a_path_bytes_an_open_file_and_plain_data_give_the_same() -> None:
    data = SAMPLE.read_bytes()
    ways = [ct.read(SAMPLE), ct.read(str(SAMPLE)), ct.read(data), ct.read(io.BytesIO(data)), ct.read(json.loads(data))]
    ways.append(ct.read(io.StringIO(data.decode())))
    assert len({str(one.sections) for one in ways}) == 1
    assert ct.read(ways[0]) is ways[0]


def test_a_section_from_plain_data_in_three_lines() -> None:
    """The quad of the README: 1500P12 -> 1581P15, and the unrated adult starts at 1825 on 3 games."""
    rows = [("1850/120", "W2 D3 W4"), ("1700/30", "L1 L4 L3"), ("1500/12", "L4 D1 W2"), ("U", "W3 W2 L1")]
    players = [{"ratings": {"OTBR": rating}, "rounds": rounds, "adult": rating == "U"} for rating, rounds in rows]
    rated = ct.rate({"time_control": "G/90;d5", "players": players}, start="2026-06-14", end="2026-06-14")
    assert [one.rounded for one in rated.sections[0].systems["OTBR"].players][2:] == [1581, 1825]


def test_plain_data_takes_days_and_numbers_and_names_what_is_wrong() -> None:
    section = {"start_date": date(2026, 6, 14), "end_date": date(2026, 6, 14), "time_control": "G/90;d5"}
    rows = [{"ratings": {"OTBR": 1500}, "rounds": ["W2"]}, {"ratings": {"OTBR": "abc"}, "rounds": ["L1"]}]
    found = ct.check({**section, "players": rows})
    assert [(one.code, one.place) for one in found.faults if one.severity == "error"] == [
        ("wrong-type", "sections[0].players[1].ratings.OTBR.rating")
    ]


@pytest.mark.parametrize(
    ("rating", "games"),
    [
        (np.float64(1512), np.int64(40)),
        (np.int32(1512), np.float32(40)),
        (Decimal(1512), Decimal(40)),
        (Fraction(1512), 40),
        (np.array(1512), np.array(40)),
    ],
)
def test_plain_data_takes_the_numbers_of_other_libraries(rating: object, games: object) -> None:
    rows: list[dict[str, object]] = [{"ratings": {"OTBR": {"rating": rating, "games": games}}, "rounds": "W2"}]
    rows += [{"number": np.int64(2), "ratings": {"OTBR": rating}, "rounds": "L1"}]
    found = ct.rate({"time_control": "G/90;d5", "players": rows}, start="2026-06-14", end="2026-06-14")
    one, two = found.sections[0].systems["OTBR"].players
    assert (one.pre, one.games_before, two.pre) == (1512.0, 40.0, 1512.0)


@pytest.mark.parametrize(
    "day",
    [
        datetime(2026, 6, 14, 19, 30),  # noqa: DTZ001 - frames hold such times
        np.datetime64("2026-06-14"),
        np.datetime64("2026-06-14T19:30:00.000000000"),
        pl.Series([date(2026, 6, 14)])[0],
    ],
)
def test_plain_data_takes_the_days_of_other_libraries(day: object) -> None:
    section = {"start_date": day, "end_date": day, "time_control": "G/90;d5"}
    found = ct.rate({**section, "players": [{"rounds": "W2"}, {"rounds": "L1"}]})
    assert not found.has_errors
    assert found.report.sections[0].start == date(2026, 6, 14)


def test_what_is_no_event_says_so() -> None:
    with pytest.raises(ct.FormatError, match="this is no path"):
        ct.read("quad\0.json")
    with pytest.raises(ct.FormatError, match="no format that is known"):
        ct.read(b"nothing of the kind")
    with pytest.raises(ct.FormatError, match="cannot be opened"):
        ct.read("there-is-no-such-file.json")
    with pytest.raises(ValueError, match="2 events are given"):
        ct.read([SAMPLE, SAMPLE])


# Rating


def test_options_are_those_of_the_command(tmp_path: Path) -> None:
    event = event_file(player(1, "W2", pairing_rating=1500.0), player(2, "L1", pairing_rating=1600.0), time_control="")
    errors = [one.code for one in ct.check(event).faults if one.severity == "error"]
    assert errors == ["no-time-control", "rating-not-known"]
    assert ct.rate(event, control="G/90;d5", pairing_ratings=True).sections[0].systems["OTBR"].players[0].pre == 1500.0
    known = tmp_path / "members.csv"
    known.write_text("Member ID,OTBR rating\n10000001,1512P17\n10000002,1800/40\n")
    for given in (known, str(known), [known], members.read(known.read_bytes(), "members.csv")):
        rated = ct.rate(event, control="G/90;d5", members=given)
        assert [one.games_before for one in rated.sections[0].systems["OTBR"].players] == [17, 40]
    assert ct.rate(quad(), calendar="announced", rules="2015-06-01").sections[0].systems["OTBR"].edition
    with pytest.raises(ct.CrosstableError, match="no check 'nothing'"):
        ct.rate(quad(), accept={"nothing": "why"})


def test_sections_are_chosen_and_left_out() -> None:
    data = json.loads(SAMPLE.read_text("utf-8"))
    numbers = [section["number"] for section in data["sections"]]
    assert [one.number for one in ct.rate(data, sections=[numbers[0]]).sections] == numbers[:1]
    assert [one.number for one in ct.rate(data, exclude=[numbers[0]]).sections] == numbers[1:]


def test_a_frame_has_a_row_for_each_player_and_system() -> None:
    frame = ct.rate(SAMPLE).to_frame()
    rows = [row for section in ct.rate(SAMPLE).sections for one in section.systems.values() for row in one.players]
    assert frame["post"].to_list() == [row.post for row in rows]
    assert frame.schema["rounded"] == pl.Int64()
    assert ct.rate({"players": []}).to_frame().height == 0


def test_explain_names_what_there_is() -> None:
    rated = ct.rate(SAMPLE)
    number = rated.sections[0].number
    lines = ct.explain(rated, section=number, player=1)
    assert lines[-1].part in ("Result", "Assumed")
    assert {line.section for line in lines} > {"§3"}
    for given, said in (
        ({"player": 1}, "the event has sections"),
        ({"section": number, "player": 99}, "no player 99"),
        ({"section": 99, "player": 1}, "no rated section 99"),
        ({"section": number, "player": 1, "system": "OLB"}, "not OLB"),
    ):
        with pytest.raises(LookupError, match=said):
            ct.explain(rated, **given)
    with pytest.raises(LookupError, match="section 2 was not rated, because it has errors; rated: 1"):
        ct.explain(ct.rate(two_sections(time_control="nonsense")), section=2, player=1)
    with pytest.raises(LookupError, match="no section of the event was rated"):
        ct.explain(ct.rate({"players": []}), player=1)


# Estimates


def test_an_estimate_reads_every_way_of_writing() -> None:
    ways = [
        ct.estimate("1512/40", "W1640 D1720 L1600", date="2026-06-14"),
        ct.estimate("1,512 / 40", "+1640, =1,720; -1600", date=date(2026, 6, 14)),
        ct.estimate(1512, ["1-0 1640", "1/2-1/2 1720", "0-1 1600"], games=40, date="6/14/2026"),
    ]
    ways.append(
        loose.estimate(np.int64(1512), "W1640 D1720 L1600", games=np.int32(40), date=np.datetime64("2026-06-14"))
    )
    assert len({one.post for one in ways}) == 1
    assert ways[0].official == round(ways[0].post)


def test_a_faulty_estimate_carries_every_fault() -> None:
    with pytest.raises(ct.UnratableSectionError) as caught:
        ct.estimate("abc", "X1640", peak="high")
    assert [fault.place for fault in caught.value.faults] == ["rating", "game 1", "peak"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: loose.rate(SAMPLE, member="x.csv"), "no option 'member'; did you mean 'members'"),
        (lambda: loose.check(SAMPLE, foo=1), "no option 'foo'; there are accept, after_round"),
        (
            lambda: loose.estimate("1512", "W1640", controll="G/5;d0"),
            "no field of an estimate 'controll'",
        ),
        (lambda: loose.estimates([1512], [[1640]], [[0]], peak=2000), "no field that all rows can share 'peak'"),
        (lambda: loose.read(42), "int is no source of an event: give a path"),
        (lambda: loose.read([{"rounds": "W2"}]), "a list holds the paths of DBF files"),
        (lambda: loose.read([]), "a list holds the paths of DBF files"),
        (lambda: loose.explain(loose.read(SAMPLE), player=1), "explain takes what rate gave"),
        (lambda: loose.explain(loose.rate(SAMPLE), player="1"), "player and section are numbers"),
        (lambda: loose.rate(SAMPLE, start=20260614), "start is a date, or a text"),
        (lambda: loose.rate(SAMPLE, sections=1), "sections is a list of section numbers"),
        (lambda: loose.rate(SAMPLE, exclude=["1"]), "exclude is a list of section numbers"),
        (lambda: loose.rate(SAMPLE, after_round="2"), "after_round is the number of a round"),
        (lambda: loose.rate(SAMPLE, accept=["no-member-id"]), "accept is a mapping"),
        (lambda: loose.rate(SAMPLE, members=3), "members is the path of a members file"),
        (lambda: loose.rate(SAMPLE, members=[{"member_id": "1"}]), "members is the path of a members file"),
        (lambda: loose.rate(SAMPLE, override="no"), "override is True or False"),
        (lambda: loose.rate(SAMPLE, pairing_ratings=1), "pairing_ratings is True or False"),
        (lambda: loose.rate(SAMPLE, control=90), "control is a text such as G/60;d5"),
        (lambda: loose.estimate(1512, [1640, 1720]), "games are texts"),
        (lambda: loose.estimate(1512, None), "games are texts"),
        (lambda: loose.estimates(pl.DataFrame({"rating": [1512.0]}).lazy()), "a frame is a polars.DataFrame"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


def test_a_wrong_value_of_an_option_says_what_is_right() -> None:
    with pytest.raises(ValueError, match="start: 'tomorrow' is no date; write it as 2026-06-14 or 6/14/2026"):
        ct.rate(SAMPLE, start="tomorrow")
    with pytest.raises(ValueError, match="calendar is one of listed, announced"):
        ct.rate(SAMPLE, calendar="foo")
    for last in (0, -1):  # a negative one would leave out the last rounds
        with pytest.raises(ValueError, match="after_round is the number of a round, 1 or more"):
            ct.rate(SAMPLE, after_round=last)


def test_many_estimates_are_what_each_of_them_is() -> None:
    """Random rows of all kinds: special and standard, at floors, with and without games known, of three editions."""
    random = np.random.default_rng(20261114)
    rows = amount(60)
    rating = random.uniform(120, 2600, rows).round(2)
    games = np.where(random.random(rows) < 0.3, np.nan, random.integers(1, 200, rows))
    most = 6
    opponents = (rating[:, None] + random.normal(0, 250, (rows, most))).clip(100, 2900).round(0)
    scores = random.choice([0.0, 0.5, 1.0], (rows, most))
    gone = np.arange(most) >= random.integers(1, most + 1, rows)[:, None]
    opponents[gone], scores[gone] = np.nan, np.nan
    letters = {1.0: "W", 0.5: "D", 0.0: "L"}
    for day, more in (("2026-06-14", {}), ("2026-06-14", {"dual": True}), ("2012-06-14", {})):
        post = ct.estimates(rating, opponents, scores, games=games, date=day, **more)
        for at in range(rows):
            met = [f"{letters[s]}{o:g}" for o, s in zip(opponents[at], scores[at], strict=True) if o == o]
            known = {} if np.isnan(games[at]) else {"games": int(games[at])}
            one = ct.estimate(float(rating[at]), met, date=day, **more, **known)
            assert post[at] == pytest.approx(one.post, abs=1e-9), (rating[at], games[at], met)


def test_many_estimates_over_a_frame() -> None:
    frame = pl.DataFrame(
        {
            "rating": [1512.0, 1800.0],
            "games": [40, None],
            "opponents": [[1640, 1720], [1750]],
            "scores": [[1.0, 0.5], [0.0]],
        }
    )
    post = ct.estimates(frame, date="2026-06-14")["post"].to_list()
    single = [
        ct.estimate("1512/40", "W1640 D1720", date="2026-06-14").post,
        ct.estimate("1800", "L1750", date="2026-06-14").post,
    ]
    assert post == pytest.approx(single, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([1500], [[1500, 1600]], [[1]]), "same shape"),
        (([1500], [[1500]], [[0.7]]), "1, 0.5 or 0"),
        (([float("nan")], [[1500]], [[1]]), "row 0 has no rating"),
        (([1500, 1600], [[1500]], [[1]]), "one row of values"),
        (([1500],), "opponents and scores are needed"),
        (([-5], [[1500]], [[1]]), "a rating lies between 100 and 3500"),
        (([1500], [[151200]], [[1]]), "a rating lies between 100 and 3500"),
        (([1500, 1500], [[1500, 1600], [1500]], [[1, 1], [1]]), "rows of one length"),
        ((pl.DataFrame({"rating": [1500.0]}),), "the frame has no column opponents, scores"),
        ((pl.DataFrame({"rating": [1500.0]}), [[1500]]), "a frame holds its own"),
        ((pl.DataFrame({"rating": [1500.0], "opponents": [1500], "scores": [[1]]}),), "opponents needs a list"),
        ((pl.DataFrame({"rating": [1500, 1600], "opponents": [[1500], [1]], "scores": [[1], None]}),), "scores needs"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(given: tuple[object, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ct.estimates(*given)  # type: ignore[arg-type]


def test_counts_of_games_are_no_negative_numbers() -> None:
    with pytest.raises(ValueError, match="a count of games lies between 0"):
        ct.estimates([1500], [[1500]], [[1]], games=[-3])


def test_verify_gives_the_document_of_the_command() -> None:
    event = quad()
    rated = ct.rate(event)
    for row, found in zip(event["sections"][0]["players"], rated.sections[0].systems["OTBR"].players, strict=True):
        row["posted"] = {"OTBR": {"rating": found.rounded, "games": None}}
    verified = ct.verify(event)
    total = verified.to_dict()["total"]
    assert (total["rows"], total["unexplained"], verified.faults) == (4, 0, ())
    event["sections"][0]["players"][0]["rounds"][0] = "W9"
    assert [found.code for _, found in ct.verify(event).faults] == ["opponent-missing", "not-mirrored"]


def test_the_examples_of_the_page_run_as_somebody_pastes_them() -> None:
    """After ``import crosstable as ct`` and nothing else."""
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    examples = [one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if one.startswith(">>> ")]
    assert len(examples) >= 5
    for at, example in enumerate(examples):
        tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        parsed = doctest.DocTestParser().get_doctest(example, {"ct": ct}, f"example {at}", "library.md", 0)
        assert tried.run(parsed).failed == 0, example
    assert "ct." in "".join(examples)
