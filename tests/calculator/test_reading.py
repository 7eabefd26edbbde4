"""Links reproduce requests, readers report every fault at once, and hostile input is refused cleanly."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.calculator.answers import answer, answer_object, request_object
from crosstable.calculator.reading import (
    LONGEST_LINK,
    MOST_FAULTS,
    game_text,
    link_of,
    number_text,
    query_of,
    read_game,
    read_link,
    read_object,
    read_request,
)
from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt
from crosstable.errors import Severity
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem, Result
from tests.calculator.requested import TODAY, asked

ratings = st.one_of(st.integers(100, 3500).map(float), st.floats(100, 3500).map(lambda value: round(value, 4)))
days = st.dates(date(2001, 1, 1), date(2026, 7, 4))
results = st.lists(st.sampled_from([Result.WIN, Result.DRAW, Result.LOSS, None]), min_size=1, max_size=3).map(tuple)


@st.composite
def opponents(draw: st.DrawFn) -> Opponent:
    """An opponent with whatever may be known of them; scores leave room for the games against the player."""
    rating = draw(st.none() | ratings)
    found = draw(results)
    games = None if rating is None else draw(st.none() | st.integers(0, 500).map(float))
    opponent = Opponent(rating, found, games, draw(st.none() | ratings))
    if draw(st.booleans()):
        known = [each for each in found if each is not None]
        against = sum({Result.WIN: 0.0, Result.DRAW: 0.5, Result.LOSS: 1.0}[each] for each in known)
        others = draw(st.integers(0, 5))
        half_points = draw(st.integers(0, 2 * others))
        if known or others:
            opponent = opponent._replace(score=against + half_points / 2.0, played=len(known) + others)
    return opponent


@st.composite
def requests(draw: st.DrawFn) -> EstimateRequest:
    """Any sound request."""
    day = draw(st.dates(date(2016, 1, 1), date(2026, 7, 4)))
    rating = draw(st.none() | ratings)
    games = None if rating is None else draw(st.none() | st.integers(0, 999).map(float))
    outside = st.none() | st.builds(OutsideRating, ratings, st.none() | st.dates(date(2001, 1, 1), date(2015, 12, 31)))
    request = EstimateRequest(
        section_date=day,
        opponents=tuple(draw(st.lists(opponents(), min_size=1, max_size=6))),
        rating=rating,
        games=games,
        events=draw(st.none() | st.integers(0, 99)),
        floor=draw(st.none() | ratings),
        adult=draw(st.none() | st.booleans()),
        fide=draw(outside),
        cfc=draw(outside),
        canadian_resident=draw(st.booleans()),
        system=draw(st.none() | st.sampled_from(list(RatingSystem)[:3])),
        opponents_at=draw(st.none() | st.sampled_from(list(OpponentsAt))),
        field_rating=draw(st.none() | ratings),
    )
    if draw(st.booleans()):
        request = request._replace(age=float(draw(st.integers(5, 90))))
    elif draw(st.booleans()):
        request = request._replace(birth_date=draw(st.dates(date(1930, 1, 1), date(2010, 1, 1))))
    if rating is not None and games is not None and draw(st.booleans()):
        wins = draw(st.integers(0, int(games)))
        request = request._replace(record=(wins, 0, int(games) - wins), peak=draw(st.none() | ratings))
    if draw(st.booleans()):
        request = request._replace(others=((RatingSystem.OLB, PlayerRating(1500.5, 12.0, as_of=date(2015, 1, 1))),))
    return request


@given(requests())
def test_a_link_gives_the_same_request(request: EstimateRequest) -> None:
    reading = read_link(link_of(request), TODAY)
    assert (reading.request, reading.faults) == (request, ())


@given(requests())
def test_a_json_request_gives_the_same_request(request: EstimateRequest) -> None:
    reading = read_object(json.loads(json.dumps(request_object(request))), TODAY)
    assert (reading.request, reading.faults) == (request, ())


def test_a_link_gives_the_same_answer() -> None:
    request = asked("1512/40", "W1640 D1720P12 L1600:1610@3/4 T1800 WLU", control="G/60;d5")
    found = answer(request)
    again = read_link(f"{found.link}#result", TODAY)
    assert again.request is not None
    assert answer_object(answer(again.request)) == answer_object(found)
    assert found.link == (
        "/estimate?date=2026-07-04&control=G/60%3Bd5&rating=1512&games=40&game=W1640,D1720/12,L1600:1610@3/4,?1800,WLU"
    )
    assert read_link(query_of(request), TODAY).request == request


def test_the_day_is_today_unless_a_link_says_so() -> None:
    """A link always names its day, so that it means the same tomorrow."""
    request = asked("1500", "W1600")
    assert request.section_date == TODAY
    assert read_link(link_of(request), date(2030, 1, 1)).request == request


@pytest.mark.parametrize(
    ("text", "opponent"),
    [
        ("W1640", Opponent(1640.0, (Result.WIN,))),
        ("d1720/12", Opponent(1720.0, (Result.DRAW,), 12.0)),
        ("L1641P17", Opponent(1641.0, (Result.LOSS,), 17.0)),
        ("LU", Opponent(None, (Result.LOSS,))),
        ("Wunr", Opponent(None, (Result.WIN,))),
        ("WU:1410", Opponent(None, (Result.WIN,), post_event=1410.0)),
        ("WDL1500", Opponent(1500.0, (Result.WIN, Result.DRAW, Result.LOSS))),
        ("T1800", Opponent(1800.0, (None,))),
        ("?1800.25", Opponent(1800.25, (None,))),
        ("W1500:1520@3.5/5", Opponent(1500.0, (Result.WIN,), None, 1520.0, 3.5, 5)),
    ],
)
def test_the_notation_of_games(text: str, opponent: Opponent) -> None:
    assert read_game(text) == opponent
    assert read_game(game_text(opponent)) == opponent


@given(ratings)
def test_numbers_are_written_so_that_they_read_back(value: float) -> None:
    assert float(number_text(value)) == value
    assert "e" not in number_text(value)


def test_games_may_be_written_with_blanks_commas_and_lines() -> None:
    written = asked("1500", "W 1640, D 1720\nL1600;".replace(";", "") + "  w u")
    assert [game_text(each) for each in written.opponents] == ["W1640", "D1720", "L1600", "WU"]


FAULTS = [
    ("", ["missing-field rating", "missing-field game"]),
    ("rating=1500", ["missing-field game"]),
    ("rating=nan&game=W1500", ["bad-value rating"]),
    ("rating=inf&game=W1500", ["bad-value rating"]),
    ("rating=-1500&game=W1500", ["bad-value rating"]),
    ("rating=1e3&game=W1500", ["bad-value rating"]),
    ("rating=99999&game=W1500", ["bad-value rating"]),
    ("rating=99&game=W1500", ["bad-value rating"]),
    ("rating=%D9%A1%D9%A5%D9%A0%D9%A0&game=W1500", ["bad-value rating"]),
    ("rating=1500/10&games=11&game=W1500", ["bad-value games"]),
    ("rating=1500&rating=1600&game=W1500", ["bad-value rating"]),
    ("rating=U&games=5&game=W1500", ["bad-value rating"]),
    ("rating=1500&games=1.5&game=W1500", ["bad-value games"]),
    ("rating=1500&games=999999&game=W1500", ["bad-value games"]),
    ("rating=1500/5&record=4-1-1&game=W1500", ["counts-disagree record"]),
    ("rating=1500&record=4&game=W1500", ["bad-value record"]),
    ("rating=1500&game=X1500", ["bad-value game 1"]),
    ("rating=1500&game=W1500,W,D9999,Q", ["bad-value game 2", "bad-value game 4", "bad-value game 3"]),
    ("rating=1500&game=W1500@3/2", ["bad-value game 1"]),
    ("rating=1500&game=L1500@0/4", ["bad-value game 1"]),
    ("rating=1500&game=W1500@0.25/4", ["bad-value game 1"]),
    ("rating=1500&game=W1500@0/0", ["bad-value game 1"]),
    ("rating=1500&game=W1500&date=2026-02-30", ["bad-date date"]),
    ("rating=1500&game=W1500&date=1999-12-31", ["no-rules date"]),
    ("rating=1500&game=W1500&date=9999-12-31", ["bad-date date"]),
    ("rating=1500&game=W1500&control=fast", ["time-control-not-read control"]),
    ("rating=1500&game=W1500&control=G/1", ["time-control-not-rated control"]),
    ("rating=1500&game=W1500&control=G/60;d5&system=OTBB", ["bad-value system"]),
    ("rating=1500&game=W1500&system=OTB", ["bad-value system"]),
    ("rating=1500&game=W1500&system=OLR&date=2012-01-01", ["system-not-in-force system"]),
    ("rating=1500&game=W1500&system=OTBB&dual=1", ["bad-value dual"]),
    ("rating=1500&game=W1500,W1600&match=1", ["match-players match"]),
    ("rating=U&game=W1500&age=12&birth=2010-01-01", ["bad-value age"]),
    ("rating=U&game=W1500&age=121", ["bad-value age"]),
    ("rating=U&game=W1500&birth=2027-01-01", ["birth-date birth"]),
    ("rating=U&game=W1500&fide=abc", ["bad-value fide"]),
    ("rating=U&game=W1500&fide=1500@2027-01-01", ["bad-date fide"]),
    ("rating=U&game=W1500&other=OTBQ", ["bad-value other 1"]),
    ("rating=U&game=W1500&other=OTBQ:1500&other=OTBQ:1600", ["bad-value other"]),
    ("rating=U&game=W1500&other=OTBQ:9999@2027-01-01", ["bad-value other OTBQ", "bad-date other OTBQ"]),
    ("rating=1500&game=W1500&adult=maybe", ["bad-value adult"]),
    ("rating=1500&game=W1500&opponents=later", ["bad-value opponents"]),
    ("rating=1500&game=W1500&peak=1" + "0" * 200, ["bad-value peak"]),
]


@pytest.mark.parametrize(("query", "found"), FAULTS, ids=[query[:50] for query, _ in FAULTS])
def test_every_fault_is_found_with_its_place_and_a_remedy(query: str, found: list[str]) -> None:
    reading = read_link(query.replace(";", "%3B"), TODAY)
    assert reading.request is None
    assert [f"{fault.code} {fault.place}" for fault in reading.faults] == found
    assert all(fault.message.endswith(".") and fault.remedy.endswith(".") for fault in reading.faults)


def test_all_faults_are_reported_at_once() -> None:
    reading = read_link("rating=nan&games=-3&game=W1e9,W9999&date=2026-02-30&control=G/1&record=x", TODAY)
    assert [fault.place for fault in reading.faults] == [
        "rating",
        "games",
        "game 1",
        "date",
        "record",
        "control",
        "game 2",
    ]


def test_an_unknown_field_is_a_warning_and_the_rest_is_answered() -> None:
    reading = read_link("rating=1500&game=W1500&utm_source=x%1b[2J", TODAY)
    assert reading.request is not None
    assert [(fault.code, fault.severity) for fault in reading.faults] == [("unknown-field", Severity.WARNING)]


@pytest.mark.parametrize(
    "query",
    [
        "rating=1500&game=" + ",".join(["W1500"] * 101),
        "rating=1500&game=" + "W" * 100 + "1500,W1500",
        "rating=1500&" + "&".join(["game=W1500"] * 200),
        "rating=1500&game=" + "W1500 " * 1200,
        "rating=" + "1" * LONGEST_LINK,
        "rating=1500&game=" + ",".join(["W1500@50/100"] * 11),
        "&".join(["x=1"] * 1000),
        "rating=1500&game=" + "W" * 5000,
        "\x00\x1b[31m=\x00&" * 50,
        "%ff%fe=%00&rating=%ff",
    ],
)
def test_too_much_is_refused(query: str) -> None:
    reading = read_link(query, TODAY)
    assert reading.request is None
    assert 0 < len(reading.faults) <= MOST_FAULTS
    assert all(fault.message.isprintable() and len(fault.message) < 300 for fault in reading.faults)


def test_a_text_that_no_form_can_hold_is_refused() -> None:
    """A form or a JSON body may be longer than a link."""
    reading = read_request([("rating", "1500"), ("game", "W 1500 " * 1_000_000)], TODAY)
    assert reading.request is None
    assert [fault.place for fault in reading.faults] == ["game 1"]


def test_a_hundred_games_are_answered() -> None:
    request = asked("1500/50", ",".join(["W1500"] * 100))
    assert answer(request).estimate.played == 100


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_the_reader(name: str, text: str) -> None:
    for field in ("rating", "game", "control", "date", "fide", "other", "record", name):
        reading = read_request([("rating", "1500"), ("game", "W1500"), (field, text)], TODAY)
        assert reading.request is not None or reading.faults


@pytest.mark.parametrize(
    ("document", "codes"),
    [
        ([], ["wrong-type"]),
        ("x", ["wrong-type"]),
        ({"rating": {"a": 1}, "game": "W1500"}, ["wrong-type", "missing-field"]),
        ({"rating": 1500, "game": [["W1500"]]}, ["wrong-type", "missing-field"]),
        ({"rating": float("nan"), "game": "W1500"}, ["bad-value"]),
        ({"rating": 10**400, "game": "W1500"}, ["bad-value"]),
        ({"rating": 1500.5, "game": ["W1500"] * 10_000}, ["bad-value"]),
    ],
)
def test_a_json_body_that_is_none_is_refused(document: object, codes: list[str]) -> None:
    reading = read_object(document, TODAY)
    assert reading.request is None
    assert [fault.code for fault in reading.faults][: len(codes)] == codes


def test_a_json_body_may_hold_numbers_and_flags() -> None:
    body = {"rating": 1512.0, "games": 40, "game": ["W1640", "D1720"], "dual": True, "floor": None, "online": False}
    assert read_object(body, TODAY).request == asked("1512/40", "W1640 D1720", dual="1")
