"""A member's games: points for both sides, scores by class and colour, best wins; and two members head to head."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, NamedTuple

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.calculator.figures import CLASSES, rating_class
from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.office.ledger.postings import OWN
from crosstable.office.public_file import PublicFile, PublicGame
from crosstable.office.public_index import Listed
from crosstable.office.settings import half_up
from crosstable.terms import RatingSystem, total
from crosstable.web.pages.explanations import RESULTS, PlayedSection, played_section
from crosstable.web.pages.members import MOST_ID, MemberId, OneSystem, require_member
from crosstable.web.pages.sections import games_of, rated_section, shares_of
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.shapes import SYSTEM_NAMES, Place, Rating, place_of, rating_of

MOST_WINS, MOST_OPPONENTS = 5, 8
# Of so many games head to head it is said what they brought: each is a section to be rated.
MOST_WITH_POINTS = 12
COLOURS = {"w": "With white", "b": "With black"}


class Score(BaseModel):
    """Wins, draws and losses of some games."""

    name: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games they are."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The part of the points that was made, in percent."""
        return 100.0 * (self.wins + self.draws / 2.0) / self.games


class GameLine(BaseModel):
    """A game, with the ratings that both brought to its section; head to head the newest ones with points for both."""

    place: Place
    ended: str
    round: int
    result: str
    score: float
    colour: str
    opponent_id: str
    opponent_name: str
    own: Rating | None
    opponent: Rating | None
    points: float | None = None
    opponent_points: float | None = None


class OpponentLine(BaseModel):
    """Somebody who was met, and the score against them."""

    member_id: str
    score: Score


class SectionPlayed(BaseModel):
    """A section with its games."""

    place: Place
    ended: str
    player: int
    played: PlayedSection


class GamesView(View):
    """A member's games in one system; of the sections one page, newest first."""

    member_id: str
    name: str
    system: str
    system_name: str
    systems: list[str]
    all: Score | None
    by_class: list[Score]
    by_colour: list[Score]
    best_wins: list[GameLine]
    opponents: list[OpponentLine]
    sections: list[SectionPlayed]
    paging: Paging


def member_games(
    read: Snapshot,
    member_id: MemberId,
    system: OneSystem = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=10, description="Sections on a page, at most 10.")] = 4,
) -> GamesView:
    """Every game of a member in one system: opponents, expected scores, and points for both sides."""
    listed = require_member(read, member_id)
    file = read.files.file(listed)
    rated = [one.system for one in file.member.systems]
    chosen = RatingSystem[system] if system else (rated or [RatingSystem.OTBR])[0]
    games = read.files.games(listed, file.postings, chosen)
    played = [
        one.posting
        for one in reversed(file.postings)
        if one.posting.system is chosen and not one.posting.event_id.startswith(OWN)
    ]
    some, paging = paged(played, page, size)
    wins = sorted((game for game in games if game.score == 1.0 and game.before), key=_strength, reverse=True)
    return GamesView(
        as_of=as_of(read),
        member_id=listed.member_id,
        name=listed.name,
        system=chosen.name,
        system_name=SYSTEM_NAMES[chosen.name],
        systems=[one.name for one in rated],
        all=_score("All games", games),
        by_class=_scores(games, _class_of, [one.title for one in CLASSES] + [UNRATED]),
        by_colour=_scores(games, lambda game: COLOURS.get(game.colour, ""), list(COLOURS.values())),
        best_wins=[_line(read, game) for game in wins[:MOST_WINS]],
        opponents=_opponents(games),
        sections=[_section(read, one.event_id, one.section, one.number, chosen) for one in some],
        paging=paging,
    )


UNRATED = "Unrated"


def _strength(game: PublicGame) -> float:
    assert game.before is not None
    return game.before.rating


def _class_of(game: PublicGame) -> str:
    return UNRATED if game.before is None else rating_class(game.before.rating).title


def _score(name: str, games: Sequence[PublicGame]) -> Score | None:
    if not games:
        return None
    wins, draws, losses = (sum(game.score == score for game in games) for score in RESULTS)
    return Score(name=name, wins=wins, draws=draws, losses=losses)


def _scores(games: Sequence[PublicGame], of: Callable[[PublicGame], str], names: Iterable[str]) -> list[Score]:
    found = (_score(name, [game for game in games if of(game) == name]) for name in names)
    return [one for one in found if one is not None]


def _opponents(games: Sequence[PublicGame]) -> list[OpponentLine]:
    """Those who were met most often."""
    by_id: dict[str, list[PublicGame]] = {}
    for game in games:
        if game.opponent_id:
            by_id.setdefault(game.opponent_id, []).append(game)
    most = sorted(by_id.items(), key=lambda one: (-len(one[1]), one[1][-1].opponent_name))[:MOST_OPPONENTS]
    found = ((who, _score(some[-1].opponent_name, some)) for who, some in most)
    return [OpponentLine(member_id=who, score=score) for who, score in found if score is not None]


def _line(read: Snapshot, game: PublicGame) -> GameLine:
    return GameLine(
        place=place_of(read, game.event_id, game.section),
        ended=_ended(read, game),
        round=game.round,
        result=RESULTS[game.score],
        score=game.score,
        colour={"w": "white", "b": "black"}.get(game.colour, ""),
        opponent_id=game.opponent_id,
        opponent_name=game.opponent_name,
        own=rating_of(game.own),
        opponent=rating_of(game.before),
    )


def _ended(read: Snapshot, game: PublicGame) -> str:
    event = read.event_by_id.get(game.event_id)
    return "" if event is None or event.ended is None else event.ended.isoformat()


def _section(read: Snapshot, event_id: str, number: int, player: int | None, system: RatingSystem) -> SectionPlayed:
    heading = read.public.record.heading(event_id, number)
    assert heading is not None
    assert heading.ended is not None
    assert player is not None
    one = next(one for one in rated_section(read, heading) if one.rated.system is system)
    return SectionPlayed(
        place=place_of(read, event_id, number),
        ended=heading.ended.isoformat(),
        player=player,
        played=played_section(one, player),
    )


# two members


class Side(BaseModel):
    """One of two members, with their live ratings by system."""

    member_id: str
    name: str
    ratings: dict[str, Rating]


class SystemScore(BaseModel):
    """The score of two members in one system, from the first one's side, and what their ratings made expect.

    ``expected`` is the sum over games of which both ratings before the section are known (``counted``).
    """

    system: str
    score: Score
    expected: float
    counted: int


class AgainstView(View):
    """Two members: their scores against each other in each system, and every game, newest first."""

    one: Side
    other: Side
    scores: list[SystemScore]
    games: list[GameLine]


class _Met(NamedTuple):
    system: RatingSystem
    games: list[PublicGame]


def against(
    read: Snapshot,
    member_id: MemberId,
    other_id: Annotated[str, Path(max_length=MOST_ID, description="The other member's id.")],
) -> AgainstView:
    """Two members head to head: the score in each system, and every game with the ratings before it."""
    one, other = require_member(read, member_id), require_member(read, other_id)
    if one.member_id == other.member_id:
        raise not_found("Nobody plays against themselves; choose two members.")
    file = read.files.file(one)
    met = [_Met(each.system, _between(read, file, one, other, each.system)) for each in file.member.systems]
    systems = {_key(game): each.system for each in reversed(met) for game in each.games}
    games = {_key(game): game for each in reversed(met) for game in each.games}
    newest = sorted(games.values(), key=lambda game: (_ended(read, game), *_key(game)), reverse=True)
    ids = {one.member_id, *one.also}
    lines = [_line(read, game) for game in newest]
    lines[:MOST_WITH_POINTS] = [
        _with_points(read, line, ids, systems[_key(game)])
        for line, game in zip(lines[:MOST_WITH_POINTS], newest, strict=False)
    ]
    return AgainstView(
        as_of=as_of(read),
        one=_side(file),
        other=_side(read.files.file(other)),
        scores=[_in_system(each) for each in met if each.games],
        games=lines,
    )


def _key(game: PublicGame) -> tuple[str, int, int]:
    return game.event_id, game.section, game.round


def _with_points(read: Snapshot, line: GameLine, ids: set[str], system: RatingSystem) -> GameLine:
    """A game with what it brought to both sides, as far as that is public."""
    heading = read.public.record.heading(line.place.event, line.place.section)
    rated = [] if heading is None else rated_section(read, heading)
    for one in rated:
        mine = [number for number, row in one.rows.items() if row.member_id in ids]
        met = [(own, cell.opponent) for own in mine for at, cell in games_of(one, own) if at == line.round]
        if one.rated.system is system and met:
            own, other = (shares_of(one, number) for number in met[0])
            share, back = own and own.games.get(line.round), other and other.games.get(line.round)
            return line.model_copy(update={"points": share and share.points, "opponent_points": back and back.points})
    return line


def _between(read: Snapshot, file: PublicFile, one: Listed, other: Listed, system: RatingSystem) -> list[PublicGame]:
    games = read.files.games(one, file.postings, system)
    return [game for game in games if game.opponent_id == other.member_id]


def _side(file: PublicFile) -> Side:
    ratings = {one.system.name: rating_of(one.live) for one in file.member.systems}
    return Side(
        member_id=file.member.member_id,
        name=file.member.name,
        ratings={name: rating for name, rating in ratings.items() if rating is not None},
    )


def _in_system(met: _Met) -> SystemScore:
    score = _score(SYSTEM_NAMES[met.system.name], met.games)
    assert score is not None
    expected = [
        winning_expectancy(odds(game.own.rating), odds(game.before.rating))
        for game in met.games
        if game.own is not None and game.before is not None
    ]
    return SystemScore(system=met.system.name, score=score, expected=half_up(total(expected), 2), counted=len(expected))


PAGES = (
    Page(
        "/members/{member_id}/games",
        member_games,
        "games.html",
        api="/members/{member_id}/games",
        summary="A member's games",
        tag="members",
    ),
    Page(
        "/members/{member_id}/against/{other_id}",
        against,
        "against.html",
        api="/members/{member_id}/against/{other_id}",
        summary="Two members head to head",
        tag="members",
    ),
)
