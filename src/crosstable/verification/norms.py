"""Norm codes: what the formula gives on posted ratings, beside the code the page carries.

Re-entries are one player: the norm follows from all games of both rows and stands on both (readings 104). The
opponents' posted ratings are used, so that this settles the formula and not the rating behind it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from crosstable.engine.competitors import Competitor, competitors
from crosstable.formulas.norms import NO_NORM, NORM_GAMES, highest_norm
from crosstable.terms import NORM_CODES, RatingSystem
from crosstable.verification.pages import Page


class NormRow(NamedTuple):
    """One row of a Regular page: games played (all rows of the member), the code posted and the code computed."""

    event: str
    section: int
    number: int
    games: int
    rows: int
    posted: str
    computed: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same, no norm included."""
        return self.posted == self.computed


class NormTally(NamedTuple):
    """How many rows agree: those with four or more games of their own, and those with fewer."""

    rows: int
    agree: int
    few_games: int
    few_games_with_code: int
    few_games_agree: int
    differ: tuple[NormRow, ...]


def norm_rows(page: Page) -> list[NormRow]:
    """The rows of a Regular page; none of other systems, which carry the code of their Regular twin at most."""
    if page.system is not RatingSystem.OTBR:
        return []
    who = competitors(page.checked.section, page.checked.backgrounds)
    rows = []
    for competitor in who:
        code = _code(page, competitor, who)
        for entry in competitor.entries:
            own_games = sum(cell.result.is_game for cell in entry.cells)
            posted = page.players[entry.number].details.get("norm", "")
            rows.append(
                NormRow(
                    page.event_id,
                    page.checked.section.number,
                    entry.number,
                    own_games,
                    len(competitor.entries),
                    posted,
                    code,
                )
            )
    return rows


def _code(page: Page, competitor: Competitor, who: tuple[Competitor, ...]) -> str:
    strengths = []
    for side in competitor.sides:
        posted = page.players[who[side.opponent].entries[0].number].posted.get(page.system)
        if posted is None:
            return ""
        strengths.append(posted.rating)
    level = highest_norm(competitor.score, strengths, competitor.most_meetings)
    return "" if level == NO_NORM else NORM_CODES[level]


def norm_tally(rows: Iterable[NormRow]) -> NormTally:
    """Count agreement; rows on fewer than four games of their own are counted apart."""
    every = list(rows)
    enough = [row for row in every if row.games >= NORM_GAMES]
    few = [row for row in every if row.games < NORM_GAMES]
    with_code = [row for row in few if row.posted]
    return NormTally(
        rows=len(enough),
        agree=sum(row.agrees for row in enough),
        few_games=len(few),
        few_games_with_code=len(with_code),
        few_games_agree=sum(row.agrees for row in with_code),
        differ=tuple(row for row in every if not row.agrees),
    )
