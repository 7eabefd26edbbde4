"""Bounds that no rating leaves, over random sections that crowd against them.

The bounds are those of the document (§4.1, §5, §7), written out here and not taken from the program.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

import pytest

from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.terms import Formula, MatchChange, RatingSystem
from tests.office.claims import by_member
from tests.office.conftest import NewOffice
from tests.office.made_office import AUTHOR, bring, enter, join, member_id, opening, person, posted, report, run
from tests.office.random_federation import Pool, random_day, random_match, random_report

# §5: nobody is below 100, and over the board not below 100 + 4 per win + 2 per draw + 1 per event, at most 150.
ABSOLUTE_FLOOR = 100.0
PERSONAL_TOP = 150.0
# §4.1: a special rating ends at 2700.
SPECIAL_TOP = 2700.0
# §7: a match moves a rating by at most 50, matches of 180 days by 100, of three years by 200, net.
MATCH, HALF_YEAR, THREE_YEARS = 50.0, 100.0, 200.0
TOLERANCE = 1e-9
LOW, HIGH = (100.0, 101.0, 118.0, 149.5, 160.0), (2500.0, 2640.0, 2690.0, 2700.0)
MEMBERS = 10
EVE = date(2020, 12, 31)


def at_the_bounds(office: Office, seed: int) -> None:
    """Members as low and as high as can be, on few and on many games, who play one another in twelve events."""
    rng = random.Random(seed)
    openings = [
        opening(number, rng.choice(LOW if number % 2 else HIGH), rng.choice((3.0, 8.0, 26.0, 90.0)), as_of=EVE)
        for number in range(1, MEMBERS - 1)
    ]
    join(office, [person(number) for number in range(1, MEMBERS + 1)], openings)
    pool = Pool([number for number in range(1, MEMBERS + 1) if number % 2])
    other = Pool([number for number in range(1, MEMBERS + 1) if not number % 2])
    for at, day in enumerate(sorted(random_day(rng) for _ in range(12))):
        bring(office, random_report(rng, rng.choice((pool, other)), f"e{at:02}", day))
    run(office)


def test_i10_no_rating_is_below_its_absolute_floors_or_a_special_one_above_2700(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    met = {"absolute": 0, "personal": 0, "high special": 0}
    for seed in (*seeds, *(seed + 50 for seed in seeds)):
        office = new_office()
        at_the_bounds(office, seed)
        for posting in sections(posted(office).values()):
            assert posting.rating_after is not None
            assert posting.rating_after >= ABSOLUTE_FLOOR
            floor = personal_floor(posting)
            assert posting.rating_after >= floor
            met["absolute" if floor == ABSOLUTE_FLOOR else "personal"] += posting.rating_after == floor
            if posting.formula == Formula.SPECIAL:
                assert posting.rating_after <= SPECIAL_TOP
                met["high special"] += posting.rating_after > SPECIAL_TOP - 150
    assert met["personal"], met
    assert met["high special"], met


def sections(postings: Iterable[Posting]) -> Iterator[Posting]:
    return (posting for posting in postings if not posting.event_id.startswith(OWN))


def personal_floor(posting: Posting) -> float:
    """AF by §5, from the counts after the section; online there is none."""
    if posting.system >= RatingSystem.OLR:
        return ABSOLUTE_FLOOR
    earned = 4.0 * (posting.wins or 0) + 2.0 * (posting.draws or 0) + (posting.events or 0)
    return min(ABSOLUTE_FLOOR + earned, PERSONAL_TOP)


def test_i10_counts_and_peaks_only_grow(new_office: NewOffice, seeds: Sequence[int]) -> None:
    for seed in seeds:
        office = new_office()
        at_the_bounds(office, seed)
        for chain in by_member(posted(office).values()).values():
            for one, other in pairwise(chain):
                for name in ("games_after", "wins", "draws", "losses", "events", "games_at_2200"):
                    assert getattr(one, name) <= getattr(other, name), (name, one, other)
                assert (one.peak or 0.0) <= (other.peak or 0.0)
                if other.peak is not None:
                    assert other.rating_after is not None
                    assert other.peak >= other.rating_after


@pytest.mark.parametrize("kind", [DecisionKind.FLOOR, DecisionKind.LIFE_MASTER])
def test_i10_a_floor_that_is_decided_holds_from_its_day_on(office: Office, kind: DecisionKind) -> None:
    """And only from then on, as long as nothing revokes it."""
    level = 2200.0
    join(office, [person(1), person(2)], [opening(1, 2210.0, as_of=EVE, peak=2210.0), opening(2, 1900.0, as_of=EVE)])
    for number, day in enumerate((date(2024, 1, 1), date(2024, 5, 1), date(2024, 9, 1))):
        lost = random_match(random.Random(1), (2, 1), day)
        enter(office, report(f"m{number}", lost._replace(match_waiver="made up")))
    run(office)
    below = ratings_of(office)
    assert below[1] < level
    act = decide(office, AUTHOR, Ruling(kind, member_id(1), RatingSystem.OTBR, date(2024, 3, 1), level))
    run(office)
    held = ratings_of(office)
    assert held[1] == below[1]
    assert held[2:] == [level, level]
    decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    run(office)
    assert ratings_of(office) == below


def ratings_of(office: Office, number: int = 1) -> list[float]:
    chain = by_member(posted(office).values())[member_id(number), RatingSystem.OTBR]
    return [one.rating_after or 0.0 for one in chain]


def matches_only(office: Office, seed: int) -> None:
    """Four players of one strength, too low for floors, and forty matches, many one-sided, within some years."""
    rng = random.Random(seed)
    past = (MatchChange(date(2020, 11, 1), 40.0), MatchChange(date(2020, 12, 1), -15.5))
    openings = [opening(number, 1190.0, as_of=EVE, match_changes=past if number == 1 else ()) for number in range(1, 5)]
    join(office, [person(number) for number in range(1, 5)], openings)
    day = date(2021, 1, 1)
    played = []
    for number in range(1, 41):
        day += timedelta(days=rng.choice((0, 1, 20, 90, 170)))
        pair = rng.sample(range(1, 5), 2)
        pair = sorted(pair) if rng.random() < 0.6 else pair  # the first named wins more often than not
        played.append(random_match(rng, pair, min(day, date(2026, 6, 1)), number)._replace(match_waiver="made up"))
    enter(office, report("matches", *played))
    run(office)


def test_i11_matches_move_a_rating_by_50_and_by_100_and_200_net_in_their_windows(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    """A sum that older matches have left beyond a limit may stay there, but grows no further (readings 74, 107)."""
    met = {"match": 0, "half year": 0, "three years": 0}
    for seed in {1, *seeds}:
        office = new_office()
        matches_only(office, seed)
        for (_, system), chain in by_member(posted(office).values()).items():
            changes = list(recorded_changes(chain[0]))
            for one in sections(chain):
                if one.rating_before is None:
                    continue
                assert one.rating_after is not None
                assert one.floor_kind is None
                assert not one.bonus
                change = one.rating_after - one.rating_before
                assert abs(change) <= MATCH + TOLERANCE
                met["match"] += abs(change) > MATCH - TOLERANCE
                for name, limit, since in windows(one.ended):
                    before = sum(past for day, past in changes if since <= day <= one.ended)
                    after = before + change
                    assert abs(after) <= max(limit, abs(before)) + TOLERANCE, (seed, system, name, one)
                    met[name] += abs(after) > limit - TOLERANCE
                changes.append((one.ended, change))
    assert all(met.values()), met


def recorded_changes(first: Posting) -> Iterator[tuple[date, float]]:
    standing = first.standing
    assert standing is not None
    if first.event_id.startswith(OWN):
        yield from standing.match_changes


def windows(end: date) -> Iterator[tuple[str, float, date]]:
    yield "half year", HALF_YEAR, end - timedelta(days=180)
    yield "three years", THREE_YEARS, end.replace(year=end.year - 3)
