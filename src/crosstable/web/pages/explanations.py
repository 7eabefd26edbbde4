"""Why a rating is what it is: the calculation of one row of a section, in plain words first, then step by step."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.explanation import Line, usual_document
from crosstable.explanation.lines import has_age_start, is_coarse
from crosstable.office.public import PublicRow, public_lines
from crosstable.terms import GAME_SCORES, Formula
from crosstable.web.pages.game_points import brought, is_leave_one_out
from crosstable.web.pages.members import SystemName
from crosstable.web.pages.sections import EventId, Rated, SectionNumber, rated_section, require_section
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import SYSTEM_NAMES, Rating, change_of, rating_of

PARTS = {
    "Rules": "The rules that apply",
    "Step 1": "What the player came with",
    "Step 2": "How many games that rating counts for",
    "Step 3": "A first rating for those who were unrated",
    "Step 4": "First pass",
    "Step 5": "Second pass, against the opponents of the first",
    "Foreign event": "A foreign event",
    "Result": "The result",
    "Assumed": "What had to be assumed",
}

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
    result: str
    score: float
    opponent: int
    opponent_id: str
    opponent_name: str
    before: Rating | None
    after: Rating | None
    points: float | None


class Explained(BaseModel):
    """The calculation in one system."""

    system: str
    name: str
    edition: str
    before: Rating | None
    after: Rating | None
    change: float | None
    summary: list[str]
    is_rounded: bool
    is_from_posted: bool
    games: list[GameShape]
    points_add_up: bool
    document: str
    parts: list[Part]

    @property
    def has_points(self) -> bool:
        """Whether it can be said what any game brought."""
        return any(game.points is not None for game in self.games)


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


def _explained(one: Rated, player: int, places: int) -> Explained:
    row = one.rows[player]
    before, after = rating_of(row.before), rating_of(row.after)
    name = one.rated.system.name
    lines = public_lines(one.rated, player, places)
    return Explained(
        system=name,
        name=SYSTEM_NAMES[name],
        edition=one.rated.edition.name,
        before=before,
        after=after,
        change=change_of(before, after),
        summary=_summary(row),
        is_rounded=is_coarse(one.rated),
        is_from_posted=has_age_start(one.rated),
        games=_games(one, player, brought(one, player)),
        points_add_up=not is_leave_one_out(row.formula),
        document=usual_document(lines),
        parts=_parts([_named(line, one.rows) for line in lines]),
    )


def _summary(row: PublicRow) -> list[str]:
    """The result in plain words."""
    if row.formula is None:
        return ["No rated game was played here, so the rating stayed as it was."]
    said = [f"The score was {row.score:g} of {row.played}."]
    working = row.working
    if "expected" in working:
        expected, k = working["expected"], working["k"]
        said = [
            f"The score was {row.score:g} of {row.played}, and {expected:g} were expected against these opponents.",
            f"Each point above or below that is worth {k:g} rating points (K).",
        ]
        if working.get("bonus"):
            said.append(f"So good a result earns a bonus of {working['bonus']:g}.")
    elif row.formula == Formula.SPECIAL.name.lower():
        said.append(
            "On few games, or with only wins or only losses so far, the rating is found at which this score "
            "would have been expected."
        )
    if row.floor is not None:
        kind, level = row.floor
        said.append(f"The rating would have fallen lower; the {kind.replace('_', ' ')} floor held it at {level:g}.")
    if row.norm is not None:
        said.append(f"A norm was earned ({row.norm}).")
    return said


def _games(one: Rated, player: int, points: Mapping[int, float]) -> list[GameShape]:
    entry = next(entry for entry in one.rated.section.entries if entry.number == player)
    found = []
    for at, cell in enumerate(entry.cells, start=1):
        other = one.rows.get(cell.opponent)
        if not cell.result.is_game or other is None:
            continue
        score = GAME_SCORES[cell.result]
        found.append(
            GameShape(
                round=at,
                result={1.0: "won", 0.5: "drew", 0.0: "lost"}[score],
                score=score,
                opponent=cell.opponent,
                opponent_id=other.member_id,
                opponent_name=other.name,
                before=rating_of(other.before),
                after=rating_of(other.after),
                points=points.get(at),
            )
        )
    return found


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
