"""Evidence for the law: per amendment, how many posted rows tell the two sides of its date apart, and how many agree.

Each page is rated once under its own law and once under the law as it would be without the amendment (on the days it
is in force) or with it already (on the days before), with what earlier pages show carried along. A row tells the two
apart when the posted figure agrees with one of them only: within a point where they differ by more than two, to the
point where the rule is about single points (storage, personal floors). Amendments about time controls are tried on the
systems that pages were rated in, the blend of starts on the games that unrated players were credited with.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.engine.starts import start_of
from crosstable.errors import TimeControlError, UnsupportedEditionError
from crosstable.formulas.outcome import official_rating
from crosstable.rules.amending import Amendment, Edition, amended
from crosstable.rules.amendments import AMENDMENTS, FIRST_EDITION
from crosstable.rules.constants import Initialisation
from crosstable.rules.time_controls import ControlRanges, parse_time_control, systems_of_schedule
from crosstable.terms import Background, PlayerRating, RatingSystem
from crosstable.verification.carried import Carried
from crosstable.verification.causes import explained
from crosstable.verification.pages import CORRECTED_SINCE, WITHIN, Page, Row, rated_as_then, rows_of
from crosstable.verification.starts import credited_games

APART = 2.0 * WITHIN
TO_THE_POINT = frozenset({"stores_whole_numbers", "personal_floor_is_used"})
# Rules that act on rated players; starts of newcomers are not published, so pages cannot tell those apart.
TELLING = frozenset(
    {
        "bonus_threshold",
        "bonus_meetings_in_three",
        "effective_base",
        "dual_k_is_reduced",
        "personal_floor_is_used",
        "peak_lowest_since_2010",
        "stores_whole_numbers",
        "match_change",
        "match_half_year",
    }
)
BLEND = next(amendment for amendment in AMENDMENTS if "initialisation" in amendment.changes)
# What earlier pages posted for each member, by system.
Seen = dict[str, dict[RatingSystem, PlayerRating]]


class Side(NamedTuple):
    """One page beside an amendment: whether it is in force there, and the edition of the other side of the date."""

    amendment: Amendment
    is_in_force: bool
    other: Edition


class Count(NamedTuple):
    """Rows that agree only with the side they are on, before the date and from it on, and rows against that."""

    before: int
    since: int
    against: int


def evidence(
    pages: Iterable[Page], progress: Callable[[int], None] = lambda done: None
) -> list[tuple[Amendment, Count]]:
    """The counts of every amendment that pages can tell about."""
    counts: dict[int, list[int]] = {}
    memory, seen = Carried(), Seen()
    for done, page in enumerate(sorted(pages, key=lambda page: page.order), start=1):
        progress(done)
        if page.apart != CORRECTED_SINCE:
            _add(counts, *credits_of(page, seen))
        if page.apart:
            continue
        backgrounds = memory.backgrounds(page)
        rated = _rated(page, backgrounds, page.checked.edition)
        if rated is None:
            continue
        own = rows_of(page, rated)
        memory.learn(page, rated, explained(page, backgrounds, own).changes)
        for side in sides(page.checked.edition):
            other = _rated(page, backgrounds, side.other)
            if other is not None:
                agree, against = _compared(own, rows_of(page, other), side.amendment)
                _add(counts, side, agree, against)
        for side, agree, against in _controls(page):
            _add(counts, side, agree, against)
    return [(AMENDMENTS[at], Count(*count)) for at, count in sorted(counts.items())]


def _add(counts: dict[int, list[int]], side: Side, agree: int, against: int) -> None:
    count = counts.setdefault(AMENDMENTS.index(side.amendment), [0, 0, 0])
    count[1 if side.is_in_force else 0] += agree
    count[2] += against


def sides(edition: Edition) -> Iterator[Side]:
    """The amendments next to a page's law: of every telling rule the last in force and the next to come."""
    seen = []
    for field in sorted(TELLING):
        touching = [amendment for amendment in AMENDMENTS if field in amendment.changes]
        in_force = [amendment for amendment in touching if amendment in edition.amendments]
        to_come = [amendment for amendment in touching if amendment not in edition.amendments]
        for amendment in (*in_force[-1:], *to_come[:1]):
            if amendment not in seen:
                seen.append(amendment)
                yield _side(edition, amendment)


def _side(edition: Edition, amendment: Amendment) -> Side:
    changed = {name: value for name, value in amendment.changes.items() if name in edition.constants._fields}
    if amendment in edition.amendments:
        before = _before(amendment).constants
        changed = {name: getattr(before, name) for name in changed}
    other = edition._replace(constants=edition.constants._replace(**changed))
    return Side(amendment, amendment in edition.amendments, other)


def _before(amendment: Amendment) -> Edition:
    edition = FIRST_EDITION
    for earlier in AMENDMENTS[: AMENDMENTS.index(amendment)]:
        edition = amended(edition, earlier)
    return edition


def _rated(page: Page, backgrounds: Mapping[int, Background], edition: Edition) -> RatedSection | None:
    try:
        return rated_as_then(page, backgrounds, edition=edition)
    except UnsupportedEditionError:
        return None


def _compared(own: Sequence[Row], other: Sequence[Row], amendment: Amendment) -> tuple[int, int]:
    """How many rows agree with their own side only, and how many with the other side only."""
    to_the_point = not TO_THE_POINT.isdisjoint(amendment.changes)
    agree = against = 0
    for mine, theirs in zip(own, other, strict=True):
        if to_the_point and _is_exact_era(mine, amendment):
            is_mine, is_theirs = (official_rating(row.computed) == row.posted for row in (mine, theirs))
        elif not to_the_point and mine.is_clean and math.fabs(mine.computed - theirs.computed) > APART:
            is_mine, is_theirs = (math.fabs(row.error) <= WITHIN for row in (mine, theirs))
        else:
            continue
        agree += is_mine and not is_theirs
        against += is_theirs and not is_mine
    return agree, against


def _is_exact_era(row: Row, amendment: Amendment) -> bool:
    """Storage can be told to the point only while pre-event ratings were whole numbers, as pages show them."""
    return "stores_whole_numbers" not in amendment.changes or row.start < amendment.effective


def _controls(page: Page) -> Iterator[tuple[Side, int, int]]:
    """The time-control amendments nearest in time, before and after, without which this control had other systems."""
    report = page.checked.report
    codes = report.details.get("rating_sys_code")
    if not codes or not report.time_controls or (page.system is RatingSystem.OTBQ and codes == "D"):
        return
    posted = {"D": (RatingSystem.OTBR, RatingSystem.OTBQ)}.get(codes, (page.system,))
    edition = page.checked.edition
    touching = [amendment for amendment in AMENDMENTS if "controls" in amendment.changes]
    own = _systems(page, edition.controls)
    before = [(one, _systems(page, _before(one).controls)) for one in touching if one in edition.amendments]
    after = [(one, _systems(page, one.changes["controls"])) for one in touching if one not in edition.amendments]
    for way in (before[::-1], after):
        for amendment, other in (pair for pair in way if pair[1] != own):
            side = Side(amendment, amendment in edition.amendments, edition)
            yield side, int(own == posted), int(other == posted)
            break


def _systems(page: Page, ranges: ControlRanges) -> tuple[RatingSystem, ...]:
    try:
        controls = [parse_time_control(text) for text in page.checked.report.time_controls]
        return systems_of_schedule(controls, is_online=page.checked.section.is_online, ranges=ranges)
    except TimeControlError:
        return ()


def credits_of(page: Page, seen: Seen) -> tuple[Side, int, int]:
    """Unrated players with another rating on an earlier page whose credited games fit one side of the blend only.

    A blend credits at least what the ratings seen give (§2), whatever the age, and more with ratings not seen; a list
    credits what its first rating gives. ``seen`` takes in what this page posted.
    """
    side = _side(page.checked.edition, BLEND)
    agree = against = 0
    for number, player in page.players.items():
        posted, others = player.posted.get(page.system), sources_of(page, seen, number)
        credited = credited_games(page, number)
        is_unrated = page.system not in player.background.standings
        if posted is not None and posted.games is not None and others and credited is not None and is_unrated:
            fits = [_fits(page, others, credited, edition) for edition in (page.checked.edition, side.other)]
            agree += fits == [True, False]
            against += fits == [False, True]
        if posted is not None:
            record = PlayerRating(posted.rating, posted.games, as_of=page.checked.section.end)
            seen.setdefault(player.member_id or f"{number}", {})[page.system] = record
    return side, agree, against


def sources_of(page: Page, seen: Seen, number: int) -> dict[RatingSystem, PlayerRating]:
    """The ratings in other systems that earlier pages show of a player."""
    records = seen.get(page.players[number].member_id or f"{number}", {})
    start = page.checked.section.start
    return {
        system: one
        for system, one in records.items()
        if system is not page.system and one.as_of is not None and one.as_of < start
    }


def _fits(page: Page, others: dict[RatingSystem, PlayerRating], credited: float, edition: Edition) -> bool:
    """Whether a side can have credited so many games; an adult's ratings weigh least."""
    section = page.checked.section
    background = Background(standings=others, adult=True)
    games = start_of(background, page.system, (section.start, section.end), edition)[0].initial.games
    is_blend = edition.constants.initialisation is Initialisation.BLEND
    return credited >= games if is_blend else credited == games
