"""The client: one question at a time, at a polite rate, tried again where that helps, every answer kept on disk.

Events and members become the files and records that everything else here works with.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlencode

from crosstable import __version__
from crosstable.errors import FetchError, NotThereError
from crosstable.formats import Reading, members, ratings_api
from crosstable.formats.members import MembersFile
from crosstable.formats.msa_header import SYSTEMS
from crosstable.formats.ratings_api import Member
from crosstable.terms import RatingSystem
from crosstable.uschess import answers
from crosstable.uschess.answers import EventSummary, MemberGame, MemberNorm, MemberSection, Supplement

if TYPE_CHECKING:
    from types import TracebackType

    import httpx


OFFICIAL = "https://ratings-api.uschess.org"
# The API sends at most so many items at a time.
PAGE = 100
MOST_PAGES = 200
# Seconds: between two questions, until an answer, and how long one that was kept is fresh.
POLITE = 0.5
PATIENCE = 20.0
FRESH = 24 * 3600.0
TRIES = 4
LONGEST_WAIT = 60.0
_BUSY = frozenset({429, 500, 502, 503, 504})


class FetchOptions(NamedTuple):
    """Where to ask, where to keep answers, and how.

    Without ``base`` and ``key``, CROSSTABLE_API and CROSSTABLE_API_KEY say it. With ``is_offline`` only what was kept
    is read; with ``is_fresh`` everything is asked for anew.
    """

    base: str = ""
    cache: str = ""
    key: str = ""
    is_offline: bool = False
    is_fresh: bool = False
    pause: float = POLITE


_USUAL = FetchOptions()


class Answers:
    """Answers that were kept, a file for each question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, address: str) -> Path:
        return self.folder / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.json"

    def kept(self, address: str, newest: float) -> object:
        """What was answered, ``None`` where nothing was or that was too long ago."""
        path = self._path(address)
        try:
            if time.time() - path.stat().st_mtime > newest:
                return None
            whole = json.loads(path.read_bytes())
        except (OSError, ValueError):  # never asked, or cut short: ask again
            return None
        is_whole = isinstance(whole, dict) and whole.get("address") == address
        return whole.get("answer") if is_whole else None

    def keep(self, address: str, answer: object) -> None:
        """Keep an answer: the whole file appears at once, or none."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(address)
        begun = path.with_suffix(f".{os.getpid()}.begun")
        begun.write_text(json.dumps({"address": address, "answer": answer}), encoding="utf-8")
        begun.replace(path)


def default_cache() -> Path:
    """Where answers are kept unless somebody says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or str(Path.home() / ".cache")
    return Path(base, "crosstable", "uschess")


class RatingsApi:
    """The ratings API, for reading. Use it in a ``with`` statement: it holds a connection."""

    def __init__(self, options: FetchOptions = _USUAL, *, wait: Callable[[float], None] | None = None) -> None:
        self.base = (options.base or os.environ.get("CROSSTABLE_API") or OFFICIAL).rstrip("/")
        self._key = options.key or os.environ.get("CROSSTABLE_API_KEY", "")
        self._options, self._wait = options, wait or time.sleep
        self._kept = Answers(Path(options.cache) if options.cache else default_cache())
        self._client: httpx.Client | None = None
        self._last = -POLITE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        if self._client is not None:
            self._client.close()

    # what can be asked

    def event(self, event_id: str) -> dict[str, Any]:
        """A rated event and the numbers of its sections."""
        return self._object(f"rated-events/{event_id}", needed="sections")

    def section(self, event_id: str, number: int) -> dict[str, Any]:
        """A section: its dates, time control, system and format."""
        return self._object(f"rated-events/{event_id}/sections/{number}")

    def standings(self, event_id: str, number: int) -> list[Any]:
        """Every row of a section's standings, with posted ratings before and after."""
        rows = list(self._items(f"rated-events/{event_id}/sections/{number}/standings"))
        answers.each({"items": rows}, self.base, answers.standing)
        return rows

    def member(self, member_id: str) -> dict[str, Any]:
        """A member with their ratings."""
        return self._object(f"members/{member_id}")

    def member_sections(self, member_id: str) -> list[MemberSection]:
        """The sections a member played in, newest first."""
        return self._records(f"members/{member_id}/sections", answers.member_section)

    def member_games(self, member_id: str, opponent_id: str = "", system: str = "") -> list[MemberGame]:
        """The rated games of a member, with one opponent or in one system (R, Q, B, OR, OQ, OB) where that is asked."""
        given = {"OpponentId": opponent_id, "RatingSource": system}
        asked = {name: text for name, text in given.items() if text}
        return self._records(f"members/{member_id}/games", answers.member_game, asked)

    def supplements(self, member_id: str) -> list[Supplement]:
        """The official ratings of a member, list by list."""
        return self._records(f"members/{member_id}/rating-supplements", answers.supplement)

    def norms(self, member_id: str) -> list[MemberNorm]:
        """The norms of a member."""
        return answers.each(self._object(f"members/{member_id}/norms"), self.base, answers.member_norm)

    def rated_events(self, first: str, last: str) -> list[EventSummary]:
        """The events that ended in a span of days (``2026-03-01``)."""
        return self._records("rated-events", answers.event_summary, {"FromDate": first, "ToDate": last})

    # how it is asked

    def _records(
        self, path: str, made: Callable[[Any], answers.Made], asked: Mapping[str, str] | None = None
    ) -> list[answers.Made]:
        return answers.each({"items": list(self._items(path, asked or {}))}, self.base, made)

    def _items(self, path: str, asked: Mapping[str, str] | None = None) -> Iterator[Any]:
        """The items of all pages. The API knows its parameters with capitals only, and ignores others in silence."""
        for page in range(MOST_PAGES):
            part = {"Offset": str(page * PAGE), "Size": str(PAGE)}
            answer = self._object(path, {**(asked or {}), **part}, needed="items")
            yield from answer["items"]
            if not answer.get("hasNextPage"):
                return
        raise FetchError(f"{self.base} has more than {MOST_PAGES * PAGE:,} items at {path}.")

    def _object(self, path: str, asked: Mapping[str, str] | None = None, needed: str = "") -> dict[str, Any]:
        """An answer, kept or asked for; one of another shape, or without the list that is needed, is never kept."""
        version = "v2" if self._key and path.startswith("members") and path.count("/") == 1 else "v1"
        address = f"{self.base}/api/{version}/{path}" + (f"?{urlencode(asked)}" if asked else "")
        is_offline = self._options.is_offline
        newest = float("inf") if is_offline else 0.0 if self._options.is_fresh else FRESH
        answer = self._kept.kept(address, newest)
        is_kept = answer is not None
        if not is_kept:
            if is_offline:
                raise FetchError(f"{address} was never fetched here. Run the command once without --offline.")
            answer = self._asked(address)
        if not isinstance(answer, dict):
            raise FetchError(f"{address} answered in a shape that is not known: an object was expected.")
        if needed and not isinstance(answer.get(needed), list):
            raise FetchError(f"{address} answered in a shape that is not known: it has no {needed}.")
        if not is_kept:
            self._kept.keep(address, answer)
        return answer

    def _asked(self, address: str) -> object:
        """The answer of the server, tried again while it is busy or cannot be reached (decision 0013)."""
        import httpx

        said = ""
        for attempt in range(TRIES):
            pause = self._last + self._options.pause - time.monotonic()
            if pause > 0:
                self._wait(pause)
            wait = float(2**attempt)
            try:
                response = self._session().get(address)
            except httpx.TimeoutException:
                said = f"{self.base} did not answer within {PATIENCE:g} seconds."
            except httpx.RemoteProtocolError:
                said = f"{self.base} broke off before its answer was whole."
            except httpx.HTTPError as error:
                said = f"{self.base} cannot be reached ({str(error) or type(error).__name__}). Is there a network?"
            else:
                if response.status_code not in _BUSY:
                    return _answer(response, address)
                said = _busy(response.status_code, self.base)
                wait = _retry_after(response.headers.get("Retry-After", ""), wait)
            finally:
                self._last = time.monotonic()
            if attempt + 1 < TRIES:
                self._wait(min(wait, LONGEST_WAIT))
        raise FetchError(f"{said} What was fetched so far is kept: run the same command again later.")

    def _session(self) -> "httpx.Client":
        import httpx

        if self._client is None:
            headers = {"Accept": "application/json", "User-Agent": f"crosstable/{__version__}"}
            if self._key:
                headers["X-Api-Key"] = self._key
            self._client = httpx.Client(headers=headers, timeout=PATIENCE, follow_redirects=True)
        return self._client


def _answer(response: "httpx.Response", address: str) -> object:
    status = response.status_code
    if status == 404:
        raise NotThereError(f"{address} was not found. Check the id.")
    if status in (401, 403):
        raise FetchError(f"{address} asks for a key. Give one with --key or in CROSSTABLE_API_KEY.")
    if status != 200:
        raise FetchError(f"{address} answered with status {status}.")
    try:
        return response.json()
    except ValueError as error:
        raise FetchError(f"{address} answered with something that is not JSON, or was cut short. Try again.") from error


def _busy(status: int, base: str) -> str:
    return f"{base} asks to come back later (status {status})." if status == 429 else f"{base} has a fault ({status})."


def _retry_after(text: str, otherwise: float) -> float:
    return float(text) if text.isdigit() else otherwise


def event_of(api: RatingsApi, event_id: str) -> Reading:
    """A rated event with all its sections, as its file would be read."""
    event = api.event(event_id)
    numbers = _numbers(event.get("sections"))
    if numbers is None:
        raise FetchError(f"{api.base} answered in a shape that is not known: event {event_id} has no section numbers.")
    sections = [{**api.section(event_id, at), "standings": api.standings(event_id, at)} for at in numbers]
    whole = json.dumps({"event": {**event, "sections": []}, "sections": sections})
    return ratings_api.read(whole.encode(), f"event {event_id}")


def with_counts(api: RatingsApi, reading: Reading, matters: Callable[[date, float], bool]) -> Reading:
    """An event with the game counts of established players, where they matter, counted from the members' sections.

    ``matters`` says so of a day and a rating. A count that cannot be had stays unknown.
    """
    report = reading.report
    sections = []
    for section in report.sections:
        start, players = section.start or report.start, []
        for player in section.players:
            known = dict(player.background.standings)
            for system, record in known.items():
                is_asked = player.member_id and record.games is None and system in player.posted
                if start is not None and is_asked and matters(start, record.rating):
                    place = (report.event_id, section.number or 0)
                    known[system] = record._replace(games=games_before(api, player.member_id, system, place))
            players.append(player._replace(background=player.background._replace(standings=known)))
        sections.append(section._replace(players=tuple(players)))
    return reading._replace(report=report._replace(sections=tuple(sections)))


def games_before(api: RatingsApi, member_id: str, system: RatingSystem, place: tuple[str, int]) -> float | None:
    """How many games a member's rating stood on before a section (event id and number).

    Counted are the games of every section since the last one that shows a count, which is that of a provisional rating.
    Nothing where the section is not among the member's, or none shows a count.
    """
    played = api.member_sections(member_id)
    before = False
    since: set[tuple[str, int]] = set()
    for section in played:  # newest first
        change = next((one for one in section.changes if one.system is system), None)
        if before and change is not None:
            if change.games_after is not None:
                code = next(name for name, one in SYSTEMS.items() if one is system)
                games = api.member_games(member_id, system=code)
                return change.games_after + sum(
                    one.result.is_game and (one.event_id, one.section) in since for one in games
                )
            since.add((section.event_id, section.number))
        before = before or (section.event_id, section.number) == place
    return None


def _numbers(listed: object) -> list[int] | None:
    """The numbers of the sections of an event; nothing where they are not as published."""
    if not isinstance(listed, list):
        return None
    found = [one["number"] for one in listed if isinstance(one, dict) and isinstance(one.get("number"), int)]
    return found if len(found) == len(listed) else None


def member_of(api: RatingsApi, member_id: str) -> Member:
    """A member and their ratings of today."""
    return ratings_api.read_member(json.dumps(api.member(member_id)).encode(), f"member {member_id}")


def members_file(api: RatingsApi, ids: Iterable[str]) -> dict[str, Any]:
    """Members as a members file: their answers themselves. Who is not there is left out."""
    found = []
    for one in ids:
        try:
            found.append(api.member(one))
        except NotThereError:
            continue
    return {"members": found}


class ApiMembers:
    """The members of the API as the ratings before an event (``--members uschess``)."""

    name = "US Chess ratings API"
    federation = ""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options

    def of(self, ids: Collection[str]) -> MembersFile:
        """What the API says of these ids today."""
        with RatingsApi(self._options) as api:
            found = members_file(api, sorted(one for one in ids if one.isdigit()))
        return members.read(json.dumps(found).encode(), self.name)
