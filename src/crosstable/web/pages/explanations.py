"""Why a rating is what it is: the calculation of one row of a section, in plain words first, then step by step."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.app.estimating import PARTS
from crosstable.explanation import Line, usual_document
from crosstable.explanation.lines import has_age_start, is_coarse
from crosstable.office.public import PublicRow, public_lines
from crosstable.terms import GAME_SCORES
from crosstable.web.pages.members import SystemName
from crosstable.web.pages.sections import (
    EventId,
    Rated,
    SectionNumber,
    Shares,
    games_of,
    rated_section,
    require_section,
    shares_of,
)
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import SYSTEM_NAMES, Rating, change_of, rating_of

RESULTS = {1.0: "won", 0.5: "drew", 0.0: "lost"}
NOUNS = {1.0: "win over", 0.5: "draw with", 0.0: "loss to"}
_PLAYER = re.compile(r"\bplayer (\d+)\b")


class Step(BaseModel):
    """A sentence of the calculation, the section of the document that it follows, and its number as it is printed.

    ``formula`` is always null: rounded numbers give no exact one.
    """

    text: str
    section: str
    name: str | None
    value: float | None
    document: str | None
    symbol: str | None
    formula: str | None


class Part(BaseModel):
    """A part of the calculation."""

    part: str
    title: str
    steps: list[Step]


class GameShape(BaseModel):
    """A game of the section as the crosstable shows it."""

    round: int
    colour: str
    result: str
    score: float
    opponent: int
    opponent_id: str
    opponent_name: str
    before: Rating | None
    after: Rating | None
    expected: float | None
    points: float | None
    opponent_points: float | None


class OtherShare(BaseModel):
    """What moved a rating beside the games: a bonus, a floor, rounding."""

    name: str
    points: float


class PlayedSection(BaseModel):
    """A player's section in one system: its games, and what else moved the rating."""

    system: str
    name: str
    before: Rating | None
    after: Rating | None
    change: float | None
    is_rounded: bool
    is_in_turn: bool
    games: list[GameShape]
    others: list[OtherShare]

    @property
    def has_points(self) -> bool:
        """Whether it can be said what any game brought."""
        return any(game.points is not None for game in self.games)


class Explained(PlayedSection):
    """The calculation in one system."""

    edition: str
    summary: list[str]
    is_from_posted: bool
    document: str
    parts: list[Part]


class ExplanationView(View):
    """Why one player's rating is what it is after one section."""

    event_id: str
    event_name: str
    number: int
    section_name: str
    player: int
    member_id: str
    name: str
    systems: list[Explained]


PlayerNumber = Annotated[int, Path(ge=0, le=1_000_000, description="The pairing number of the player in the report.")]


def explanation(
    read: Snapshot,
    event_id: EventId,
    number: SectionNumber,
    player: PlayerNumber,
    system: Annotated[SystemName, Query(description="Only this system.")] = "",
) -> ExplanationView:
    """The whole calculation of one row of a section, as far as it is public."""
    heading = require_section(read, event_id, number)
    rated = [one for one in rated_section(read, heading) if system in ("", one.rated.system.name)]
    mine = [one for one in rated if player in one.rows]
    if not mine:
        raise not_found("There is no such rated row in this section.")
    row = mine[0].rows[player]
    return ExplanationView(
        as_of=as_of(read),
        event_id=event_id,
        event_name=read.event(event_id).name,
        number=number,
        section_name=heading.name,
        player=player,
        member_id=row.member_id,
        name=row.name,
        systems=[_explained(one, player, read.public.places) for one in mine],
    )


def played_section(one: Rated, player: int) -> PlayedSection:
    """The games of a row in one system."""
    row = one.rows[player]
    before, after = rating_of(row.before), rating_of(row.after)
    system = one.rated.system.name
    mine = shares_of(one, player)
    return PlayedSection(
        system=system,
        name=SYSTEM_NAMES[system],
        before=before,
        after=after,
        change=change_of(before, after),
        is_rounded=is_coarse(one.rated),
        is_in_turn=mine is not None and mine.is_in_turn,
        games=list(_games(one, player, mine)),
        others=[OtherShare(name=name, points=points) for name, points in (mine.others if mine else ())],
    )


def _explained(one: Rated, player: int, places: int) -> Explained:
    lines = public_lines(one.rated, player, places)
    played = played_section(one, player)
    return Explained(
        **dict(played),
        edition=one.rated.edition.name,
        summary=summary_of(one.rows[player], played.games),
        is_from_posted=has_age_start(one.rated),
        document=usual_document(lines),
        parts=_parts([_named(line, one.rows) for line in lines]),
    )


def summary_of(row: PublicRow, games: Sequence[GameShape]) -> list[str]:
    """The result in three sentences: what happened, how it counts, which games mattered most."""
    if row.formula is None:
        return ["No rated game was played here, so the rating stayed as it was."]
    return [_what_happened(row), _how_it_counts(row), _what_mattered(games)]


def _what_happened(row: PublicRow) -> str:
    expected = row.working.get("expected")
    against = "" if expected is None else f", where {expected:.2f} were expected against these opponents"
    assert row.after is not None
    became = f"the first rating is {row.after.text}"
    if row.before is not None:
        change = row.after.rating - row.before.rating
        verb = "rose" if change > 0 else "fell" if change < 0 else "stayed"
        moved = f" from {row.before.text} to {row.after.text}" if change else f" at {row.after.text}"
        became = f"the rating {verb}{moved}"
    norm = "" if row.norm is None else f", with a norm ({row.norm})"
    return f"The score was {row.score:g} of {row.played}{against}, and {became}{norm}."


def _how_it_counts(row: PublicRow) -> str:
    working = row.working
    held = ""
    if row.floor is not None:
        kind, level = row.floor
        held = f"; the {kind.replace('_', ' ')} floor held it at {level:g} where it would have fallen lower"
    if "k" in working:
        bonus = f", and so good a result earns a bonus of {working['bonus']:.0f}" if working.get("bonus") else ""
        return f"Each point above or below that is worth {working['k']:.1f} rating points (K){bonus}{held}."
    return (
        "On few games, or with only wins or only losses so far, the rating is found at which this score would have "
        f"been expected{held}."
    )


def _what_mattered(games: Sequence[GameShape]) -> str:
    known = sorted((game for game in games if game.points), key=lambda game: game.points or 0.0)
    if not known:
        return "There is no rating before this section, or none that is public, so no game has points of its own."
    said = []
    for game, verb in ((known[-1], "brought"), (known[0], "cost")):
        assert game.points is not None
        if (game.points > 0.0) == (verb == "brought"):
            with_whom = f"{NOUNS[game.score]} {game.opponent_name}"
            said.append(f"the {with_whom} {verb} most, {abs(game.points):g}")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _games(one: Rated, player: int, mine: Shares | None) -> Iterator[GameShape]:
    """The rated games of a row, with the points of both sides where they can be told."""
    for at, cell in games_of(one, player):
        other = one.rows[cell.opponent]
        score = GAME_SCORES[cell.result]
        share, theirs = mine and mine.games.get(at), shares_of(one, cell.opponent)
        back = theirs and theirs.games.get(at)
        yield GameShape(
            round=at,
            colour={"w": "white", "b": "black"}.get(cell.colour, ""),
            result=RESULTS[score],
            score=score,
            opponent=cell.opponent,
            opponent_id=other.member_id,
            opponent_name=other.name,
            before=rating_of(other.before),
            after=rating_of(other.after),
            expected=None if share is None else share.expected,
            points=None if share is None else share.points,
            opponent_points=None if back is None else back.points,
        )


def _named(line: Line, rows: Mapping[int, PublicRow]) -> Line:
    """Opponents by name: a crosstable numbers its rows by points, so the number of a report would mislead."""

    def name(found: re.Match[str]) -> str:
        row = rows.get(int(found[1]))
        return row.name if row and row.name else found[0]

    return line._replace(text=_PLAYER.sub(name, line.text))


def _parts(lines: Sequence[Line]) -> list[Part]:
    return [
        Part(
            part=part,
            title=PARTS.get(part, part),
            steps=[
                Step(
                    text=line.text,
                    section=line.section,
                    name=line.name or None,
                    value=None if math.isnan(line.value) else line.value,
                    document=line.document or None,
                    symbol=line.symbol or None,
                    formula=line.formula,
                )
                for line in some
            ],
        )
        for part, some in groupby(lines, key=lambda line: line.part)
    ]


PAGES = (
    Page(
        "/events/{event_id}/sections/{number}/players/{player}",
        explanation,
        "explanation.html",
        api="/events/{event_id}/sections/{number}/players/{player}",
        summary="Why a rating is what it is",
        tag="events",
    ),
)
