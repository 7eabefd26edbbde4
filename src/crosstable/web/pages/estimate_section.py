"""A section of the record in an estimate: somebody's results are changed, and both passes are made again.

What the first pass makes of an opponent follows from the opponent's own games, so everybody whom the player met is
rated again, against everybody whom they met. Only posted numbers are used: ratings before the section, and for an
unrated player, whose start is not public, the first rating, which then stands still.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import rate
from crosstable.formulas.outcome import official_rating
from crosstable.office.public_index import Listed
from crosstable.office.settings import DECIMALS
from crosstable.terms import (
    AS_ONE_SIDED,
    GAME_SCORES,
    MIRRORED,
    ONE_SIDED,
    Background,
    Cell,
    Entry,
    PlayerRating,
    RatingSystem,
    Result,
    SectionType,
)
from crosstable.web.pages.sections import Rated, games_of, rated_section, require_section
from crosstable.web.problems import Problem
from crosstable.web.reading import Snapshot
from crosstable.web.shapes import Place, Rating, place_of, rating_of

_KINDS = (SectionType.SWISS, SectionType.ROUND_ROBIN)
_LETTERS = {1.0: "W", 0.5: "D", 0.0: "L"}
_RESULTS = {"W": Result.WIN, "D": Result.DRAW, "L": Result.LOSS, "T": None, "?": None}


class KnownSection(NamedTuple):
    """A player's section: what was posted, their games as the form has them, and what the calculator takes."""

    place: Place
    before: Rating | None
    after: Rating | None
    players: int
    system: RatingSystem
    tokens: tuple[str, ...]
    games: tuple[str, ...]
    names: tuple[str, ...]
    fields: Mapping[str, str]


def known_section(read: Snapshot, text: str, player: Listed, system: str, tokens: Sequence[str]) -> KnownSection:
    """The section ``EVENT/NUMBER`` with the results of ``tokens``, or as reported; a problem where it has none."""
    event_id, _, number = text.strip().partition("/")
    heading = require_section(read, event_id, int(number) if number.isdecimal() else -1)
    ids = {player.member_id, *player.also}
    for one in rated_section(read, heading):
        mine = [row for row in one.rows.values() if row.member_id in ids]
        if mine and system in ("", one.rated.system.name):
            break
    else:
        raise Problem(404, f"{player.name} was not rated in this section.")
    row, section = mine[0], one.rated.section
    if len(mine) > 1 or row.before is None or section.is_half_k or section.kind not in _KINDS:
        raise Problem(422, "What-if is not offered here: a first section, a match, a foreign event, or two rows.")
    played = games_of(one, row.number)
    letters = [token[:1].upper() for token in tokens] or [_LETTERS[GAME_SCORES[cell.result]] for _, cell in played]
    if len(letters) != len(played) or not set(letters) <= _RESULTS.keys():
        raise Problem(422, f"{player.name} has {len(played)} games in this section; change their results only.")
    met = _first_pass(one, row.number, [_RESULTS[letter] for letter in letters])
    others = [one.rows[cell.opponent] for _, cell in played]
    return KnownSection(
        place=place_of(read, event_id, heading.number),
        before=rating_of(row.before),
        after=rating_of(row.after),
        players=len(one.rows),
        system=one.rated.system,
        tokens=tuple(
            letter + (other.member_id or rating_text(one, other.number))
            for letter, other in zip(letters, others, strict=True)
        ),
        games=tuple(
            f"{letter}{rating_text(one, other.number)}:{round(strength, DECIMALS):g}"
            for letter, other, strength in zip(letters, others, met, strict=True)
        ),
        names=tuple(other.name for other in others),
        fields=_fields(one, row.number),
    )


def _fields(one: Rated, number: int) -> dict[str, str]:
    """What the calculator is to know of the player and the section."""
    section, brought = one.rated.section, _background(one, number).standings[one.rated.system]
    fields = {"rating": rating_text(one, number), "system": one.rated.system.name, "date": str(section.start)}
    if section.is_dual_control:
        fields["dual"] = "1"
    if None not in (record := (brought.wins, brought.draws, brought.losses)):
        fields["record"] = "-".join(map(str, record))
    if brought.peak is not None:
        fields["peak"] = f"{brought.peak:g}"
    return fields


def rating_text(one: Rated, number: int) -> str:
    """The rating that somebody brought to a section, in the notation of an estimate."""
    before = one.rows[number].before
    if before is None:
        return "U"
    return f"{before.rating:g}" + ("" if before.games is None else f"/{before.games:g}")


def _first_pass(one: Rated, number: int, results: Sequence[Result | None]) -> list[float]:
    """What the first pass makes of every opponent of a row, game by game, with these results of the row."""
    entries = {entry.number: entry for entry in one.rated.section.entries}
    played = games_of(one, number)
    changed = {at: result for (at, _), result in zip(played, results, strict=True)}
    near = {cell.opponent for _, cell in played} | {number}
    rows = [
        _row(one, entries[at], number, changed, near)._replace(background=_background(one, at))
        for at in sorted(entries)
    ]
    section = one.rated.section._replace(entries=tuple(rows))
    rated = rate(section, one.rated.system, one.rated.edition)
    made = {player.number: player for player in rated.players}
    met = [made[cell.opponent] for _, cell in played]
    return [other.intermediate.rating if other.games else other.prior for other in met]


def _row(one: Rated, entry: Entry, number: int, changed: Mapping[int, Result | None], near: set[int]) -> Entry:
    """A row as the first pass needs it: with its games where the player met them, else standing still."""
    if entry.number not in near or not _is_rated(one, entry.number):
        return entry._replace(cells=())
    cells = []
    for at, cell in games_of(one, entry.number):
        result: Result | None = cell.result
        if entry.number == number:
            result = changed[at]
        elif cell.opponent == number and cell.result not in ONE_SIDED:
            mine = changed[at]
            result = None if mine is None else MIRRORED[mine]
        if result is not None:
            is_held = cell.result in ONE_SIDED or cell.opponent not in near or not _is_rated(one, cell.opponent)
            cells.append(Cell(AS_ONE_SIDED.get(result, result) if is_held else result, cell.opponent, cell.colour))
    return entry._replace(cells=tuple(cells))


def _is_rated(one: Rated, number: int) -> bool:
    return one.rows[number].before is not None


def _background(one: Rated, number: int) -> Background:
    """What somebody brings: the posted rating with its games, and the record and the peak, which are public too."""
    row = one.rows[number]
    shown = row.before or row.after
    if shown is None:
        return Background()
    before = next(player.before for player in one.rated.players if player.number == number)
    known = PlayerRating(shown.rating, shown.games)
    if before is not None:
        peak = None if before.peak is None else float(official_rating(before.peak))
        known = known._replace(wins=before.wins, draws=before.draws, losses=before.losses, peak=peak)
    return Background(standings={one.rated.system: known})
