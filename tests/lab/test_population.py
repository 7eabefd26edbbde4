"""What makes a made-up federation like a real one: returners, regions, sandbaggers, a pandemic; and its parameters."""

import math
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crosstable.errors import HistoryError
from crosstable.lab.population import (
    EPOCH,
    NEVER,
    PARAMETERS,
    WEAKEST,
    Federation,
    Population,
    changed,
    known_on,
    made_population,
    parameter_lines,
    strength_on,
    written,
)
from crosstable.lab.simulate import Simulated, simulated

YEAR = 365.25
LAB_PAGE = Path(__file__).parents[2] / "docs" / "lab-federation.md"


def people_in(federation: Federation) -> Population:
    """The people of a federation: they are the first that its luck decides."""
    seed = np.random.SeedSequence(federation.seed).spawn(2)[0]
    return made_population(federation, np.random.Generator(np.random.PCG64(seed)))


def one_member(**facts: float) -> Population:
    """A population of one, who never pauses and holds nothing back unless told so."""
    usual = dict.fromkeys(Population._fields, 0.0) | {"away": NEVER, "back": NEVER, "holds": NEVER, "honest": NEVER}
    kinds = {"activity": float, "peak": float, "gap": float, "pace_years": float, "rust": float, "decline": float}
    return Population(
        **{name: np.array([value], dtype=kinds.get(name, int)) for name, value in (usual | facts).items()}
    )


def rows_of(made: Simulated) -> pl.DataFrame:
    """Entries of members with their section's days and what the truth says of them."""
    sections = made.archive.sections.select(
        "start",
        "end",
        "is_online",
        section=pl.int_range(pl.len(), dtype=pl.UInt32),
        month=pl.col("end").dt.month_start(),
    )
    entries = made.archive.entries.select("section", "member").with_columns(
        made.truth["strength"], made.truth["held_back"]
    )
    return entries.filter(pl.col("member") >= 0).join(sections, on="section")


# Returners

RETURNING = Federation(members=500, sections=500, years=12, seed=3, returners=0.5, away_years=3.0)


def test_who_is_away_does_not_play_and_comes_back() -> None:
    people = people_in(RETURNING)
    played = rows_of(simulated(RETURNING)).with_columns(day=pl.col("month").to_physical().cast(pl.Int64))
    day, member = played["day"].to_numpy(), played["member"].to_numpy()
    # Who plays in a month is decided on its first day, and no earlier than the federation's first.
    is_away = (people.away[member] <= day) & (day < people.back[member])
    assert not is_away.any()
    before, after = (set(member[chosen]) for chosen in (day < people.away[member], day >= people.back[member]))
    assert len({one for one in before & after if people.back[one] < NEVER}) > 20


def test_as_many_return_as_are_asked_for_and_after_as_many_years() -> None:
    people = people_in(RETURNING._replace(members=4000))
    returns = people.back < NEVER
    assert 0.46 < returns.mean() < 0.54
    years = (people.back - people.away)[returns] / YEAR
    assert years.min() >= 0.99
    assert 2.8 < years.mean() < 3.2
    assert not (people_in(RETURNING._replace(returners=0.0)).back < NEVER).any()


def test_nobody_improves_while_away_and_rust_wears_off() -> None:
    """A year played and two away: exp(-1/2) of the gap is left; 30 points of rust, exp(-1) of it a year later."""
    away, back = round(YEAR), round(3 * YEAR)
    people = one_member(peak=1800, gap=400, pace_years=2.0, away=away, back=back, rust=30)
    who = np.array([0])
    for day in (away + 200, back):
        assert strength_on(people, who, day)[0] == round(1800 - 400 * math.exp(-away / YEAR / 2) - 30)
    later = back + round(YEAR)
    played = (later - back + away) / YEAR
    expected = 1800 - 400 * math.exp(-played / 2) - 30 * math.exp(-(later - back) / YEAR)
    assert strength_on(people, who, later)[0] == round(expected)
    assert strength_on(people, who, away - 1)[0] == round(1800 - 400 * math.exp(-(away - 1) / YEAR / 2))


def test_members_lose_strength_after_the_age_of_40_only() -> None:
    """Eight points a year: none on the 40th birthday, 8 a year later, 160 at 60; rest or play makes no difference."""
    who = np.array([0])
    people = one_member(
        peak=1800, gap=0, pace_years=2.0, decline=8, born=0, away=round(45 * YEAR), back=round(50 * YEAR)
    )
    expected = {20: 1800, 39.9: 1800, 40: 1800, 41: 1792, 47: 1744, 60: 1640}
    assert {age: strength_on(people, who, round(age * YEAR))[0] for age in expected} == expected


def test_the_decline_of_a_federation_is_that_of_everybody() -> None:
    """Sixty-five years after the first day everybody has been over 40 for years, and nobody improves any more."""
    steady = Federation(members=500, seed=3, returners=0.0, adult_growth=1.0, junior_growth=1.0)
    people, weaker = people_in(steady), people_in(steady._replace(decline=4.0))
    day, who = steady.first_day + round(65 * YEAR), np.arange(500)
    lost = strength_on(people, who, day) - strength_on(weaker, who, day)
    expected = 4.0 * ((day - people.born) / YEAR - 40.0)
    unclipped = strength_on(weaker, who, day) > WEAKEST
    assert unclipped.sum() > 400
    assert lost[unclipped] == pytest.approx(expected[unclipped], abs=1.0)  # two roundings


def test_those_who_get_stronger_improve_more_by_their_talent() -> None:
    """Half a point more for each point above the mean of the juniors or of the adults; nobody gets weaker by it."""
    plain = Federation(members=2000, seed=3, region_spread=0.0)
    people, gifted = people_in(plain), people_in(plain._replace(talent=0.5))
    assert np.array_equal(people.peak, gifted.peak)
    above = people.peak - np.where(people.is_junior, plain.junior_strength, plain.adult_strength)
    assert gifted.gap == pytest.approx(np.maximum(people.gap + 0.5 * above, 0.0), abs=1.0)  # two roundings
    assert (gifted.gap == 0.0).any()


def test_a_region_gives_no_talent() -> None:
    """Strong regions have strong members who improve as much as others: the mean is that of the region."""
    even = Federation(members=2000, seed=3, region_spread=0.0, regions=3, talent=0.5)
    assert np.array_equal(people_in(even).gap, people_in(even._replace(region_spread=200.0)).gap)


def test_founders_have_played_before_and_nobody_is_too_old() -> None:
    """A federation that begins with everybody at the start of a career would only ever improve."""
    federation = Federation(members=3000, years=5, founders=0.5)
    people = people_in(federation)
    founders = people.joined < federation.first_day
    assert founders.sum() == 1500
    assert (np.diff(people.joined) >= 0).all()
    assert 4.0 < (federation.first_day - people.joined[founders & people.is_junior]).mean() / YEAR < 6.0
    assert ((people.left - people.born) / YEAR).max() <= 95.01


# Regions

REGIONAL = Federation(
    members=2000,
    sections=300,
    years=4,
    seed=5,
    regions=5,
    region_spread=200.0,
    fast_players=1.0,
    matches=0.0,
)


@cache
def regional(national: float) -> pl.DataFrame:
    """Entries of a federation with five regions, with the state of each player."""
    made = simulated(REGIONAL._replace(national=national))
    states = made.archive.members.select("state", member=pl.int_range(pl.len(), dtype=pl.Int32))
    events = made.archive.sections.select("event_id", section=pl.int_range(pl.len(), dtype=pl.UInt32))
    return rows_of(made).join(states, on="member").join(events, on="section")


@pytest.mark.parametrize(("national", "low", "high"), [(0.0, 0.97, 1.0), (0.3, 0.62, 0.78), (1.0, 0.0, 0.12)])
def test_so_many_sections_are_of_one_region(national: float, low: float, high: float) -> None:
    """A few small national sections happen to be of one region."""
    assert regional(national)["state"].n_unique() == 5
    states = regional(national).group_by("section").agg(pl.col("state").n_unique())
    assert low <= (states["state"] == 1).sum() / states.height <= high


def test_an_event_is_held_in_one_region() -> None:
    """Sections of one region are never in an event with those of another."""
    alone = (
        regional(0.3)
        .group_by("event_id", "section")
        .agg(pl.col("state").unique())
        .filter(pl.col("state").list.len() == 1)
    )
    homes = alone.group_by("event_id").agg(pl.col("state").list.first().n_unique(), sections=pl.len())
    assert homes["state"].max() == 1
    assert (homes["sections"] > 1).sum() > 20


def test_regions_differ_in_size_and_strength() -> None:
    people = people_in(REGIONAL._replace(members=10_000))
    adults = ~people.is_junior
    means = [people.peak[(people.region == region) & adults].mean() for region in range(5)]
    assert max(means) - min(means) > 150
    sizes = np.bincount(people.region)
    assert sizes[0] > 2 * sizes[4] > 500
    alike = people_in(REGIONAL._replace(members=10_000, region_spread=0.0))
    means = [alike.peak[(alike.region == region) & ~alike.is_junior].mean() for region in range(5)]
    assert max(means) - min(means) < 60


def test_there_is_a_region_for_every_2500_members() -> None:
    assert [people_in(Federation(members=members)).region.max() + 1 for members in (2000, 7600, 120_000)] == [1, 3, 44]


# Sandbaggers

HOLDING = Federation(
    members=300, sections=500, years=8, seed=2, juniors=0.0, sandbaggers=1.0, held_back=300.0, money=0.5, online=0.0
)


def test_sandbaggers_hold_back_then_collect_then_are_honest() -> None:
    """Three spans: nothing is shown, all of it in some sections (those for money), and everything always."""
    people = people_in(HOLDING)
    rows = rows_of(simulated(HOLDING)).with_columns(day=pl.col("month").to_physical().cast(pl.Int64))
    member, held = rows["member"].to_numpy(), rows["held_back"].to_numpy()
    # Who plays with what is decided on the first day of a month.
    day = np.maximum(rows["day"].to_numpy(), HOLDING.first_day)
    holds = (people.holds[member] <= day) & (day < people.collects[member])
    collects = (people.collects[member] <= day) & (day < people.honest[member])
    assert (held[holds] == people.held_back[member[holds]]).all()
    assert set(np.sign(held[collects])) == {0.0, 1.0}
    assert 0.3 < (held[collects] > 0).mean() < 0.8
    assert not held[~holds & ~collects].any()
    assert holds.sum() > 200
    assert collects.sum() > 200


def test_games_are_played_with_what_is_shown() -> None:
    """By true strengths those who hold back score far too little; by what they show, and the others, about enough."""
    made = simulated(HOLDING._replace(white_advantage=0))
    entries = made.archive.entries.with_columns(made.truth["strength"], made.truth["held_back"])
    row = entries.select("section", "strength", "held_back", at=pl.col("number").cast(pl.UInt16) - 1)
    games = made.archive.games.join(row, left_on=["section", "first"], right_on=["section", "at"])
    games = games.join(row, left_on=["section", "second"], right_on=["section", "at"], suffix="_of_other")
    one_holds = games.filter((pl.col("held_back") > 0) & (pl.col("held_back_of_other") == 0))
    score = one_holds["result"].to_numpy() / 2.0
    difference = (one_holds["strength_of_other"] - one_holds["strength"]).to_numpy()
    assert len(score) > 500
    assert (score - 1.0 / (1.0 + 10.0 ** (difference / 400.0))).mean() < -0.15
    shown = difference + one_holds["held_back"].to_numpy()
    assert abs((score - 1.0 / (1.0 + 10.0 ** (shown / 400.0))).mean()) < 0.05


def test_sandbaggers_are_taken_for_less_until_they_are_honest() -> None:
    people = one_member(holds=100, collects=200, honest=300, held_back=150)
    strength = np.array([1700])
    taken_for = [int(known_on(people, np.array([0]), strength, day)[0]) for day in (99, 100, 250, 299, 300)]
    assert taken_for == [1700, 1550, 1550, 1550, 1700]


def test_a_federation_without_sandbaggers_has_none() -> None:
    assert not simulated(HOLDING._replace(sandbaggers=0.0, sections=60)).truth["held_back"].sum()


# The pandemic

CLOSING = Federation(members=600, sections=500, start=date(2019, 1, 1), years=4, seed=7, median_size=5.0)


@cache
def closing(federation: Federation) -> pl.DataFrame:
    """The sections of a federation."""
    return simulated(federation).archive.sections


def monthly(federation: Federation, first: date, last: date) -> tuple[float, float]:
    """Sections a month over the board and online that ended between two days."""
    sections = closing(federation).filter(pl.col("end").is_between(first, last))
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    online = int(sections["is_online"].sum())
    return (sections.height - online) / months, online / months


def test_hardly_anybody_plays_over_the_board_in_the_pandemic() -> None:
    board_before, online_before = monthly(CLOSING, date(2019, 1, 1), date(2020, 2, 29))
    board, online = monthly(CLOSING, date(2020, 3, 1), date(2021, 6, 30))
    board_after, _ = monthly(CLOSING, date(2021, 7, 1), date(2022, 12, 31))
    assert board < 0.25 * board_before
    assert online > 4 * online_before
    assert board_after > 0.8 * board_before


def test_the_pandemic_may_be_at_another_time_or_never() -> None:
    usual, official = (date(2019, 1, 1), date(2020, 2, 29)), (date(2020, 3, 1), date(2021, 6, 30))
    later = CLOSING._replace(pandemic_from=date(2022, 1, 1), pandemic_to=date(2022, 6, 30))
    assert monthly(later, date(2022, 1, 1), date(2022, 6, 30))[0] < 0.25 * monthly(later, *official)[0]
    never = CLOSING._replace(pandemic_from=None, pandemic_to=None)
    assert monthly(never, *official)[0] > 0.8 * monthly(never, *usual)[0]


# Parameters


def test_every_parameter_is_explained_and_listed_in_the_documentation() -> None:
    assert list(PARAMETERS) == list(Federation._fields)
    page = LAB_PAGE.read_text("utf-8")
    for name, one in PARAMETERS.items():
        default = written(getattr(Federation(), name))
        assert f"| `{name}` | {default} | {one.meaning} |" in page
    assert len(parameter_lines(Federation())) == len(PARAMETERS)


def test_parameters_change_by_name() -> None:
    made = changed(Federation(), ["juniors=0.5", "start = 2010-06-01", "pandemic_from=none", "seed=7", "keenness=-0.5"])
    assert made == Federation(juniors=0.5, start=date(2010, 6, 1), pandemic_from=None, seed=7, keenness=-0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("juniors", "'juniors' changes nothing; write it as NAME=VALUE"),
        ("junors=0.5", "there is no parameter 'junors'; 'juniors' is one"),
        ("juniors=half", "juniors is a share, and 'half' is none"),
        ("juniors=1.5", "juniors should be from 0 to 1, and is 1.5"),
        ("juniors=nan", "juniors should be from 0 to 1, and is nan"),
        ("members=19", "members should be from 20 to 1e+07, and is 19"),
        ("years=41", "years should be from 1 to 40, and is 41"),
        ("seed=1.5", "seed is a count, and '1.5' is none"),
        ("start=none", "start is a day, and 'none' is none"),
        ("start=2000-12-31", "start should be 2001-01-01 or later, and is 2000-12-31: no rules are known from before"),
        ("regions=45", "regions should be from 0 to 44, and is 45"),
        ("rust=-1", "rust should be from 0 to 1e+07, and is -1"),
    ],
)
def test_a_wrong_change_is_told(change: str, said: str) -> None:
    with pytest.raises(HistoryError) as caught:
        changed(Federation(), [change])
    assert str(caught.value) == said


def test_days_are_counted_from_1970() -> None:
    federation = Federation()
    first, last = ((day - EPOCH).days for day in (date(2020, 3, 1), date(2021, 6, 30)))
    inside = [federation.is_pandemic(day) for day in (first - 1, first, last, last + 1)]
    assert inside == [False, True, True, False]
