"""The client: one question at a time, at a polite rate, tried again where that helps, every answer kept on disk."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlencode

from crosstable import __version__
from crosstable.errors import FetchError, NotThereError
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
        """The answer of the server, tried again while it is busy or cannot be reached."""
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
