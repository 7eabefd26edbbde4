"""Public forms, field by field: posted numbers, the working without starts by age, and nothing of a birth date.

The rule is that of docs/decisions/0004; the expected starts are computed by hand from §2.3 (50 points a year of age).
"""

import json
import math
import re
from datetime import date

import pytest

from crosstable.engine import RatedSection
from crosstable.explanation import Line, explain
from crosstable.explanation.lines import has_age_start
from crosstable.office.ledger.postings import Key, postings_of
from crosstable.office.public import (
    Shown,
    public_document,
    public_lines,
    public_posting,
    public_ripple,
    public_rows,
)
from crosstable.office.settings import DECIMALS, WHOLE, half_up
from crosstable.office.views import StoredChange
from crosstable.terms import Background, GivenStart, OutsideRating, PlayerRating, RatingSystem
from tests import event_files
from tests.engine.by_file import rated_file
from tests.engine.wallcharts import Played, rate_wallchart
from tests.office.made_office import OTBR

QUAD = """
    1 | W2 D3 W4 | R: {one}
    2 | L1 L4 L3 | R: 1410/40
    3 | L4 D1 W2 | R: 1505.5/60
    4 | W3 W2 L1 | R: 1322.25/9
"""
CHILD = Background(birth_date=date(2014, 3, 3))
BEGINNER = """
    1 | L2 L3 L4 | R: Unrated
    2 | W1 D4 L3 | R: 1410/40
    3 | W4 W1 W2 | R: 1505.5/60
    4 | L3 D2 W1 | R: 1322.25/9
"""
DAY = date(2026, 7, 4)
AT = Key(DAY, DAY, "quad", 1)
AGE = (DAY - date(2014, 3, 3)).days / 365.25
START = 50.0 * AGE


@pytest.fixture(scope="module")
def by_age() -> RatedSection:
    """A child of twelve who lost three games: the rating is the start, 50 points a year of age (§2.3)."""
    return rate_wallchart(BEGINNER, known={1: CHILD})


def text_of(lines: tuple[Line, ...]) -> str:
    return "\n".join(str(line) for line in lines)


def test_the_start_that_the_tests_look_for_is_the_one_that_the_engine_takes(by_age: RatedSection) -> None:
    """The tests below can fail: the office's own explanation has the age and the start in full."""
    assert by_age.players[0].prior == pytest.approx(START, abs=1e-9)
    told = text_of(explain(by_age, 1))
    assert f"{START:.4f}" in told
    assert f"{AGE:.6f}" in told
    assert f"{by_age.players[0].strength:.4f}" in text_of(explain(by_age, 2))


# Ratings.


def test_everybody_is_shown_as_the_posted_whole_number(by_age: RatedSection) -> None:
    """The rounding is the official one: half up."""
    for player, row in zip(by_age.players, public_rows(by_age), strict=True):
        assert player.after is not None
        assert row.after is not None
        assert row.after.rating == math.floor(player.after.rating + 0.5)
    assert next(row.after.text for row in public_rows(by_age) if row.after) == f"{math.floor(START + 0.5)}P3"


def test_decimals_are_two_places_and_never_the_full_number(by_age: RatedSection) -> None:
    rows = public_rows(by_age, DECIMALS)
    for player, row in zip(by_age.players, rows, strict=True):
        assert player.after is not None
        assert row.after is not None
        assert row.after.rating == pytest.approx(player.after.rating, abs=0.005)
        assert row.after.rating == round(row.after.rating, 2) != player.after.rating
        assert re.fullmatch(r"\d+\.\d\d(P\d+)?", row.after.text)


def test_who_may_see_everything_sees_the_full_number_beside_the_whole_one(by_age: RatedSection) -> None:
    for player, row in zip(by_age.players, public_rows(by_age, None), strict=True):
        assert player.after is not None
        assert row.after is not None
        assert row.after.rating == player.after.rating
        assert re.fullmatch(r"\d+(P\d+)?", row.after.text)
        assert row.working["effective_games"] == player.effective


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (Shown(1641.4, 17.0, True), "1641P17"),
        (Shown(1794.5, 40.0), "1795"),
        (Shown(1794.5, None), "1795"),
        (Shown(1641.4, 17.0, True, DECIMALS), "1641.40P17"),
    ],
)
def test_a_rating_is_printed_as_crosstables_print_it(shown: Shown, text: str) -> None:
    """Official facts §4: 1641P17 is a provisional rating on 17 games."""
    assert shown.text == text


def test_a_posting_and_a_ripple_have_whole_numbers_and_no_other_change(by_age: RatedSection) -> None:
    posting = next(one for one in postings_of(by_age) if one.number == 3)
    shown = public_posting(posting)
    assert posting.rating_before == 1505.5
    assert posting.rating_after is not None
    assert shown.before == Shown(1506.0, 60.0)
    assert shown.after == Shown(float(math.floor(posting.rating_after + 0.5)), 63.0)
    row = StoredChange(7, "1", "One", OTBR, 1500.2, 1512.7, (("e", 1),), (3,))
    assert (public_ripple(row).before, public_ripple(row).change) == (Shown(1500.0, None), 13.0)
    assert public_ripple(row, DECIMALS).change == 12.5
    assert public_ripple(row._replace(rating_before=None)).change is None


# The working.


@pytest.mark.parametrize("places", [WHOLE, DECIMALS])
def test_the_numbers_of_a_start_by_age_stand_on_nobodys_lines(places: int) -> None:
    """Neither the first estimate (Step 1) nor the strength of the first pass (Step 3), in full or rounded."""
    rated = rate_wallchart(QUAD.format(one="Unrated"), known={1: CHILD})
    child = rated.players[0]
    assert child.prior == pytest.approx(START, abs=1e-9)
    own = numbers_of([line for number in (1, 2, 3, 4) for line in explain(rated, number)])
    for hidden in (START, child.strength):
        assert min(abs(found - hidden) for found in own) < 0.01  # what is looked for is there to be found
    lines = [line for number in (1, 2, 3, 4) for line in public_lines(rated, number, places)]
    for hidden in (START, child.strength):
        assert min(abs(found - hidden) for found in numbers_of(lines)) > 1.0
    mine = public_lines(rated, 1, places)
    assert not {line.name for line in mine} & {"age", "age_based", "most_effective", "adjusted_prior"}
    assert "Step 3" not in {line.part for line in mine}
    assert any("not public" in line.text for line in mine)


def numbers_of(lines: list[Line]) -> list[float]:
    """Every number that lines print or carry."""
    printed = [float(found) for line in lines for found in re.findall(r"\d+(?:\.\d+)?", line.text)]
    return [*printed, *(line.value for line in lines if not math.isnan(line.value))]


def test_weights_made_with_an_age_are_hidden_even_where_the_start_hangs_on_nothing() -> None:
    """One source gives the start whatever it weighs (§2), but its weight tells the age."""
    known = Background(fide=OutsideRating(1500.0, date(2026, 6, 1)), birth_date=date(2000, 5, 5))
    rated = rate_wallchart(BEGINNER, known={1: known})
    assert has_age_start(rated)
    names = {line.name for line in explain(rated, 1)}
    hidden = {"age_based_then", "strength_for_age", "staleness_factor", "weight", "total_weight", "mean"}
    assert hidden <= names
    assert not hidden & {line.name for line in public_lines(rated, 1) if line.part == "Step 1"}


def test_a_start_that_was_given_by_hand_is_public() -> None:
    known = CHILD._replace(given_start=GivenStart(700.0, 0.0))
    rated = rate_wallchart(BEGINNER, known={1: known})
    assert not has_age_start(rated)
    assert "700" in text_of(public_lines(rated, 1))


def test_a_source_of_a_start_is_rounded_like_every_rating() -> None:
    regular = PlayerRating(604.27, 12.0, 4, 4, 4, 2, as_of=DAY)
    played = Played(start=date(2026, 8, 1), control="G/15;d5")
    known = {1: Background(standings={OTBR: regular})}
    rated = rate_wallchart(BEGINNER.replace("R:", "Q:"), played, RatingSystem.OTBQ, known=known)
    assert "604.27" in text_of(explain(rated, 1))
    assert "604.27" not in text_of(public_lines(rated, 1))


def test_halves_are_rounded_up_as_official_ratings_are() -> None:
    assert [half_up(value, 0) for value in (1512.5, 1513.5, -0.5)] == [1513.0, 1514.0, 0.0]


# crosstable-rated/1.


def test_the_keys_of_a_rated_document_are_each_decided_about() -> None:
    """A new key of crosstable-rated/1 fails here until somebody has decided whether it is public."""
    players = [
        {"number": 1, "birth_date": "2014-03-03", "rounds": ["L2", "L2"]},
        {"number": 2, "ratings": {"OTBR": {"rating": 1400.25, "games": 40}}, "rounds": ["W1", "W1"]},
    ]
    days = {"start_date": "2026-07-04", "end_date": "2026-07-04"}
    section = {"number": 1, "type": "swiss", "time_control": "G/90;d5", "players": players}
    event = rated_file(
        {"format": "crosstable-event/1", "event": {"id": "1", "name": "Two", **days}, "sections": [section]}
    )
    document = event.to_dict()
    public = public_document(document, event)
    first, second = public["sections"][0]["systems"]["OTBR"]["players"]
    told = {"number", "rank", "member_id", "name", "games_before", "games_after", "formula", "score", "norm", "assumed"}
    changed = {"pre", "initial", "post", "rounded", "effective_games", "k", "expected", "bonus", "floor"}
    assert set(first) == set(second) == told | changed
    assert first["initial"] == {"rating": None, "games": 0, "sources": [{"source": "AGE"}]}
    own = document["sections"][0]["systems"]["OTBR"]["players"][1]
    assert own["post"] != own["rounded"]
    assert (second["pre"], second["post"]) == (1400.0, float(own["rounded"]))
    # made of posted numbers: 1400 before, and what is posted for the opponent after
    assert second["k"] == pytest.approx(own["k"], abs=0.05)
    expected = 2.0 / (1.0 + 10.0 ** ((first["post"] - 1400.0) / 400.0))
    assert second["expected"] == pytest.approx(expected, abs=1e-4)
    assert "2014" not in json.dumps(public)
    with_decimals = public_document(document, event, DECIMALS)["sections"][0]["systems"]["OTBR"]["players"][1]
    assert with_decimals["post"] == half_up(own["post"], 2)
    assert with_decimals["k"] == second["k"]


def test_where_age_counts_in_a_blend_only_its_sources_are_named_and_no_range_is_told() -> None:
    """A count that is not known makes a range of results (§3); its ends hang on the start as well."""
    players = [
        {
            "number": 1,
            "birth_date": "2004-03-03",
            "ratings": {"FIDE": {"rating": 1500, "as_of": "2026-06-01"}},
            "rounds": ["L2", "L2"],
        },
        {"number": 2, "ratings": {"OTBR": {"rating": 2100.25, "games": None}}, "rounds": ["W1", "W1"]},
    ]
    days = {"start_date": "2026-07-04", "end_date": "2026-07-04"}
    section = {"number": 1, "type": "swiss", "time_control": "G/90;d5", "players": players}
    event = rated_file(
        {"format": "crosstable-event/1", "event": {"id": "1", "name": "Two", **days}, "sections": [section]}
    )
    document = event.to_dict()
    first, second = public_document(document, event)["sections"][0]["systems"]["OTBR"]["players"]
    own = document["sections"][0]["systems"]["OTBR"]["players"]
    assert "range" in own[1]
    assert "range" not in second
    assert set(own[0]["initial"]["sources"][0]) - set(first["initial"]["sources"][0]) == {"weight"}
    assert first["initial"]["rating"] is None


def test_a_range_of_results_is_rounded_too() -> None:
    """A count that is not known makes a range of results (§3), which is no range of a posted rating."""
    rows = (event_files.player(1, "W2 W2", 2100.25, None), event_files.player(2, "L1 L1", 2050.5))
    event = rated_file(event_files.event_file(*rows))
    documents = (event.to_dict(), public_document(event.to_dict(), event))
    (own, _), (shown, _) = (one["sections"][0]["systems"]["OTBR"]["players"] for one in documents)
    assert shown["range"] == [half_up(end, 0) for end in own["range"]]
