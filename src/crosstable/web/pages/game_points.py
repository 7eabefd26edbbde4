"""What each game of a section brought: exactly where the working is public, else from the numbers that are shown.

An estimate from shown numbers says nothing that its reader could not work out alone, so it tells no birth date; it has
a link, and says how near it comes to what was posted.
"""

from collections.abc import Mapping
from typing import NamedTuple

from crosstable.calculator.estimate import Estimate, estimate
from crosstable.calculator.links import link_of
from crosstable.calculator.points import points_of
from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt
from crosstable.errors import UnratableSectionError
from crosstable.formulas.rounding import official_rating
from crosstable.office.public import PublicRow, Shown
from crosstable.terms import Cell, Formula, Result, SectionType
from crosstable.web.pages.sections import Rated

_PLAIN = {
    Result.WIN_ONE_SIDED: Result.WIN,
    Result.DRAW_ONE_SIDED: Result.DRAW,
    Result.LOSS_ONE_SIDED: Result.LOSS,
}


class Brought(NamedTuple):
    """Points by round; where they are estimated, the estimate's working, link and result."""

    points: Mapping[int, float]
    working: Mapping[str, float]
    link: str = ""
    estimated: int | None = None


NOTHING = Brought({}, {})


def brought(one: Rated, number: int) -> Brought:
    """What each game of a row brought, as far as that can be said in public."""
    row = one.rows[number]
    cells = _games(one, number)
    if row.before is None or row.formula is None or one.rated.section.kind.is_foreign:
        return NOTHING
    if one.veil.is_clear:
        return _exact(one, number, cells)
    found = _estimated(one, row, cells)
    if found is None:
        return NOTHING
    working = {}
    if found.k is not None and found.bonus is not None:
        working = {"expected": found.expected, "k": found.k, "bonus": found.bonus}
    return Brought(_by_round(found, cells), working, link_of(found.request), found.official)


def _games(one: Rated, number: int) -> list[tuple[int, Cell]]:
    entry = next(entry for entry in one.rated.section.entries if entry.number == number)
    return [
        (at, cell) for at, cell in enumerate(entry.cells, start=1) if cell.result.is_game and cell.opponent in one.rows
    ]


def _exact(one: Rated, number: int, cells: list[tuple[int, Cell]]) -> Brought:
    player = next(player for player in one.rated.players if player.number == number)
    if player.merged_with:
        return NOTHING
    points = points_of(player, one.rated.edition.constants)
    if len(points) != len(cells):
        return NOTHING
    by_round = {at: game.points for (at, _), game in zip(cells, points, strict=True)}
    return Brought(by_round, one.rows[number].working or {})


def _estimated(one: Rated, row: PublicRow, cells: list[tuple[int, Cell]]) -> Estimate | None:
    assert row.before is not None
    section = one.rated.section
    results: dict[int, list[Result]] = {}
    for _, cell in cells:
        results.setdefault(cell.opponent, []).append(_PLAIN.get(cell.result, cell.result))
    opponents = tuple(_opponent(one.rows[number], tuple(some)) for number, some in results.items())
    own = _shown(row.before)
    if own is None or any(opponent.rating is None and opponent.post_event is None for opponent in opponents):
        return None
    request = EstimateRequest(
        section.start,
        opponents,
        own,
        row.before.games,
        system=one.rated.system,
        is_dual=section.is_dual_control and not one.rated.system.is_online,
        is_match=section.kind is SectionType.MATCH,
        opponents_at=OpponentsAt.AFTER,
    )
    try:
        return estimate(request)
    except UnratableSectionError:  # a count or a rating that no estimate takes
        return None


def _opponent(row: PublicRow, results: tuple[Result, ...]) -> Opponent:
    before, after = _shown(row.before), _shown(row.after)
    games = None if row.before is None or before is None else row.before.games
    return Opponent(before, results, games, after)


def _shown(shown: Shown | None) -> float | None:
    """A rating as a reader sees it: a whole number, or the middle of a range."""
    if shown is None:
        return None
    if shown.between is not None:
        return float((shown.between[0] + shown.between[1]) // 2)
    return None if shown.rating is None else float(official_rating(shown.rating))


def _by_round(found: Estimate, cells: list[tuple[int, Cell]]) -> dict[int, float]:
    """The points of an estimate, whose games stand opponent by opponent, put back into rounds."""
    order = list(dict.fromkeys(cell.opponent for _, cell in cells))
    stored = sorted(cells, key=lambda one: (order.index(one[1].opponent), one[0]))
    return {at: game.points for (at, _), game in zip(stored, found.points, strict=True)}


def is_leave_one_out(formula: str | None) -> bool:
    """Whether points do not add up: the special formula has no parts."""
    return formula == Formula.SPECIAL.name.lower()
