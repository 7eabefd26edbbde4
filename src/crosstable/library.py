"""The public library: read, check, rate, explain, estimate, verify, and the records they give.

>>> import crosstable as ct
>>> players = [
...     {"name": "Ann", "ratings": {"OTBR": "1512/40"}, "rounds": "W2 D3"},
...     {"name": "Bo", "ratings": {"OTBR": "1640/120"}, "rounds": "L1 W3"},
...     {"name": "Cy", "ratings": {"OTBR": "1455P17"}, "rounds": "U D1"},
... ]
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from crosstable.pipeline.checking import CheckedReport
from crosstable.pipeline.checking import check as check_report
from crosstable.pipeline.rating import Options, RatedEvent
from crosstable.pipeline.rating import rate as rate_report
from crosstable.pipeline.reading import Source
from crosstable.pipeline.reading import read as read_source
from crosstable.remedies import Reader
from crosstable.rules.editions import Calendar
from crosstable.terms import Report

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from polars import DataFrame

    from crosstable.calculator.estimate import Estimate
    from crosstable.calculator.requests import EstimateRequest
    from crosstable.explanation import Line
    from crosstable.formats.members import MembersFile, MemberSource
    from crosstable.pipeline.verifying import VerifiedEvents
    from crosstable.rules.rule_sets import RuleSet

Path = str | os.PathLike[str]
Day = date | str


class RateOptions(TypedDict, total=False):
    """How an event is rated. All are optional; days are dates or texts such as ``2026-06-14``.

    Attributes:
        members: The path of a members file or rating list with what players had before the event, or a list of
            paths; later files override earlier ones.
        control: The time control of sections that name none, like ``G/60;d5``.
        start: The first day of sections that have no start date.
        end: The last day of sections that have no end date.
        override: Whether ``control``, ``start`` and ``end`` replace what the file says.
        sections: The numbers of the sections to rate (default: all).
        exclude: The numbers of sections to leave out.
        pairing_ratings: Whether the pairing rating is taken where nothing else is known of a player.
        after_round: Rate the event as it stood after this round.
        accept: Warnings that are accepted: a reason for each code.
        calendar: Which dates pick the rules: ``listed`` (default), the 2025 list by the day a section starts, or
            ``announced``, the announcements of the time by the day it ends.
        rules: A rule set, its TOML file, or the day whose rules rate everything.
        today: The day by which a section must be over (default: today in UTC; ``None``: no such check).
    """

    members: "Path | MembersFile | Sequence[Path | MembersFile]"
    control: str
    start: Day | None
    end: Day | None
    override: bool
    sections: Iterable[int]
    exclude: Iterable[int]
    pairing_ratings: bool
    after_round: int | None
    accept: Mapping[str, str]
    calendar: Calendar | str
    rules: "RuleSet | Path | None"
    today: Day | None


def read(source: Source | Sequence[Path], *, name: str = "") -> Report:
    """Read an event from a file of any known format, or from plain Python data.

    Args:
        source: A path (a file, or a folder with the three US Chess DBF files), several DBF paths, the bytes of a file,
            an open file, a dict shaped like an event file, or one section's dict.
        name: The name used for the source in messages.

    Returns:
        The report as read. It is not checked yet; ``check`` says everything that is wrong with it.

    Raises:
        FormatError: Nothing of the source can be read.

    >>> section = {
    ...     "time_control": "G/90;d5",
    ...     "start_date": "2026-06-14",
    ...     "end_date": "2026-06-14",
    ...     "players": [
    ...         {"name": "Ann", "ratings": {"OTBR": "1512/40"}, "rounds": "W2"},
    ...         {"name": "Bo", "ratings": {"OTBR": "1640/120"}, "rounds": "L1"},
    ...     ],
    ... }
    >>> report = read(section)
    >>> [player.name for player in report.sections[0].players]
    ['Ann', 'Bo']
    """
    return read_source(source, name)


def check(source: Source | Sequence[Path], **options: Unpack[RateOptions]) -> CheckedReport:
    """Every finding about an event, with its place and remedy: the same findings that ``rate`` reports.

    Args:
        source: What ``read`` takes, or the report that it gave.
        **options: How the event would be rated (``RateOptions``).

    Returns:
        A record with ``faults``, ``has_errors`` and ``to_dict()``, the document ``crosstable-checked/1``.

    >>> [fault.code for fault in check({"players": [{"rounds": "W1"}]}).faults if fault.severity == "error"]
    ['plays-self', 'no-time-control', 'no-dates']
    """
    return check_report(read_source(source), **_options(options))


def rate(source: Source | Sequence[Path], **options: Unpack[RateOptions]) -> RatedEvent:
    """Rate an event under the rules of the day each section started.

    A section with an error is not rated, and ``faults`` says why; the others are, unless their ratings follow from it.

    Args:
        source: What ``read`` takes, or the report that it gave.
        **options: Where ratings come from and which rules apply (``RateOptions``).

    Returns:
        A record with ``sections``, ``faults``, ``has_errors``, ``to_dict()`` (the document ``crosstable-rated/1``) and
        ``to_frame()`` (where Polars is installed).

    >>> section = {
    ...     "time_control": "G/90;d5",
    ...     "start_date": "2026-06-14",
    ...     "end_date": "2026-06-14",
    ...     "players": [
    ...         {"name": "Ann", "ratings": {"OTBR": "1512/40"}, "rounds": "W2"},
    ...         {"name": "Bo", "ratings": {"OTBR": "1640/120"}, "rounds": "L1"},
    ...     ],
    ... }
    >>> rated = rate(section)
    >>> ann = rated.sections[0].systems["OTBR"].players[0]
    >>> ann.rounded, ann.formula
    (1541, 'standard')
    """
    return rate_report(read_source(source), **_options(options))


def explain(
    rated: RatedEvent, *, player: int, section: int | None = None, system: str | None = None
) -> "tuple[Line, ...]":
    """The whole calculation of one player, step by step, each line with its section of the rating document.

    Args:
        rated: What ``rate`` gave.
        player: The player's number in the section.
        section: The section's number; optional if only one section was rated.
        system: One system, such as ``OTBR`` (default: every system of the section, one after the other).

    Returns:
        Lines with ``text``, ``section`` (the § of the document; empty where a line cites none), ``formula`` and
        ``value``. A ``formula`` is Python arithmetic with ``sqrt``, ``exp``, ``floor``, ``ceil`` of ``math``; ``None``
        where nothing is computed.

    Raises:
        LookupError: There is no such section, system or player.
    """
    from crosstable.explanation import explain as explain_section
    from crosstable.pipeline.explaining import chosen

    if not isinstance(rated, RatedEvent):
        raise TypeError("explain takes what rate gave")
    if not all(isinstance(number, int | None) for number in (player, section)):
        raise TypeError("player and section are numbers")
    found = chosen(rated, player, section, system)
    return tuple(line for one in found for line in explain_section(one, player))


def estimate(rating: str | float, results: str | Iterable[str], /, **fields: object) -> "Estimate":
    """One player's new rating from what the player knows: the rating before, the opponents, the results.

    Args:
        rating: ``1512``, ``1512/40`` with the games it is based on, ``1641P17``, or ``U`` for unrated.
        results: The games as a text, ``W1640 D1720 L1600``, or one by one.
        **fields: More that is known: ``games``, ``date``, ``control``, ``system``, ``record``, ``peak``, ``birth``,
            ``fide`` …, the fields of ``POST /api/v1/estimate``.

    Returns:
        An estimate with ``post`` (in full), ``official`` (the whole number), ``k``, ``expected``, ``bonus`` and more.

    Raises:
        UnratableSectionError: The request has faults; the exception carries all of them.

    >>> estimate("1512/40", "W1640 D1720 L1600", date="2026-06-14").official
    1538
    """
    from crosstable.calculator.estimate import estimate as estimate_request

    written = results if isinstance(results, str) else list(results)
    if not isinstance(written, str) and not all(isinstance(game, str) for game in written):
        raise TypeError("games are texts: a result and the opponent's rating, like W1640")
    return estimate_request(_request(rating, written if isinstance(written, str) else " ".join(written), fields))


def estimates(
    rating: "ArrayLike | DataFrame",
    opponents: "ArrayLike | None" = None,
    scores: "ArrayLike | None" = None,
    *,
    games: "ArrayLike | None" = None,
    **fields: object,
) -> Any:  # noqa: ANN401 - an array for arrays, a frame for a frame
    """Many estimates at once, over arrays or a Polars frame; every row agrees with ``estimate``.

    Args:
        rating: The rating of each row, or a frame with the columns ``rating``, ``opponents``, ``scores`` (lists) and,
            where known, ``games``.
        opponents: For each row the opponents' ratings, filled up with NaN where rows have fewer games.
        scores: For each row 1, 0.5 or 0 against each opponent, NaN where there is none.
        games: The games that each rating is based on, NaN where not known (established).
        **fields: What all rows share: ``date``, ``control``, ``system``, ``dual``, ``online``.

    Returns:
        The rating after the event of each row as an array; for a frame, the frame with a column ``post``.

    Raises:
        ValueError: The arrays do not fit each other, or hold a value that is not a rating, count or score.
        UnratableSectionError: The shared fields have faults; the exception carries all of them.

    >>> estimates(
    ...     [1512, 1800],
    ...     [[1640, 1720], [1750, float("nan")]],
    ...     [[1, 0.5], [0, float("nan")]],
    ...     games=[40, 300],
    ...     date="2026-06-14",
    ... ).round(2).tolist()
    [1552.31, 1780.37]
    """
    from crosstable.calculator.estimate import checked
    from crosstable.calculator.what_if import arrays_of, estimated

    if hasattr(rating, "columns") and hasattr(rating, "with_columns"):
        if games is not None or opponents is not None or scores is not None:
            raise ValueError("a frame holds its own games, opponents and scores as columns")
        return _estimated_frame(cast("DataFrame", rating), fields)
    if opponents is None or scores is None:
        raise ValueError("opponents and scores are needed for an array of ratings")
    _require_known(fields, ("date", "control", "system", "dual", "online"), "field that all rows can share")
    request = _request("1500", "W1500", fields)
    return estimated(arrays_of(rating, games, opponents, scores), request, checked(request))


def _estimated_frame(frame: "DataFrame", fields: Mapping[str, object]) -> "DataFrame":
    import polars as pl

    missing = [name for name in ("rating", "opponents", "scores") if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame has no column {', '.join(missing)}")
    most = max((len(row) for row in frame["opponents"].to_list()), default=0)

    def padded(name: str) -> list[list[float]]:
        return [[*row, *[float("nan")] * (most - len(row))] for row in frame[name].to_list()]

    games = frame["games"].cast(pl.Float64).fill_null(float("nan")) if "games" in frame.columns else None
    post = estimates(frame["rating"].to_numpy(), padded("opponents"), padded("scores"), games=games, **fields)
    return frame.with_columns(pl.Series("post", post))


def _request(rating: str | float, games: str, fields: Mapping[str, object]) -> "EstimateRequest":
    """The request of an estimate; raises ``UnratableSectionError`` with every fault, unknown fields included."""
    from crosstable.calculator.reading import NAMES, read_object
    from crosstable.errors import UnratableSectionError

    _require_known(fields, set(NAMES) - {"rating", "game"}, "field of an estimate")
    given = {name: value.isoformat() if isinstance(value, date) else value for name, value in fields.items()}
    reading = read_object({"rating": rating, "game": games, **given}, _today())
    if reading.request is None or reading.faults:
        raise UnratableSectionError(reading.faults)
    return reading.request


def verify(*sources: Source, calendar: Calendar | str = Calendar.LISTED) -> "VerifiedEvents":
    """Compare computed ratings with the posted ones that event files and saved pages carry.

    Args:
        *sources: What ``read`` takes; each event is compared where it has posted figures.
        calendar: ``listed`` (default) or ``announced``: which dates pick the rules.

    Returns:
        A record with ``to_dict()``, the document ``crosstable-verify/1``, and ``faults``: the errors of posted sections
        that could not be compared.
    """
    from crosstable.pipeline.verifying import posted_pages
    from crosstable.pipeline.verifying import verify as verify_pages

    reports = [(report.place, report) for report in map(read_source, sources)]
    posted = posted_pages(reports, _calendar(calendar))
    return verify_pages(posted.pages)._replace(faults=posted.faults)


def _today() -> date:
    from datetime import UTC, datetime

    return datetime.now(tz=UTC).date()


def _day(day: Day | None, name: str) -> date | None:
    if isinstance(day, str):
        from crosstable.formats.dates import day_of

        found = day_of(day)
        if found is None:
            raise ValueError(f"{name}: {day!r} is no date; write it as 2026-06-14 or 6/14/2026")
        return found
    if not isinstance(day, date | None):
        raise TypeError(f"{name} is a date, or a text such as 2026-06-14")
    return day


def _calendar(given: Calendar | str) -> Calendar:
    choices = [calendar.value for calendar in Calendar]
    if given not in choices:
        raise ValueError(f"calendar is one of {', '.join(choices)}")
    return Calendar(given)


def _numbers(given: object, name: str) -> frozenset[int]:
    """Numbers of sections."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} is a list of section numbers, like [1, 3]")
    numbers = list(given)
    if not all(isinstance(number, int) for number in numbers):
        raise TypeError(f"{name} is a list of section numbers, like [1, 3]")
    return frozenset(numbers)


def _require_known(given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise ``TypeError`` for a name that is none of those that are known, with the nearest one."""
    from difflib import get_close_matches

    for name in given:
        if name not in set(known):
            close = get_close_matches(name, sorted(known), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(known))}"
            raise TypeError(f"there is no {what} {name!r}{hint}")


def _options(given: RateOptions) -> Options:
    """The options of a call as the pipeline takes them; raises ``TypeError`` or ``ValueError`` for what is none."""
    _require_known(given, RateOptions.__annotations__, "option")
    found: dict[str, Any] = {"reader": Reader.LIBRARY, **given}
    for name in ("start", "end", "today"):
        if name in found:
            found[name] = _day(found[name], name)
    for name in ("sections", "exclude"):
        if name in found:
            found[name] = _numbers(found[name], name)
    if not isinstance(found.get("after_round"), int | None):
        raise TypeError("after_round is the number of a round")
    if not isinstance(found.get("accept", {}), Mapping):
        raise TypeError("accept is a mapping: the code of a warning and the reason for accepting it")
    if "calendar" in found:
        found["calendar"] = _calendar(found["calendar"])
    if "members" in found:
        found["members"] = _members(found["members"])
    if isinstance(found.get("rules"), str | os.PathLike):
        from crosstable.rules.rule_files import rule_set

        found["rules"] = rule_set(os.fspath(found["rules"]))
    return cast("Options", found)


def _members(given: "Path | MembersFile | Sequence[Path | MembersFile]") -> "list[MemberSource]":
    from crosstable.formats.members import MembersFile
    from crosstable.formats.rating_lists import opened

    several = [given] if isinstance(given, str | os.PathLike | MembersFile) else given
    if not isinstance(several, list | tuple) or not all(
        isinstance(one, str | os.PathLike | MembersFile) for one in several
    ):
        raise TypeError("members is the path of a members file, or a list of paths")
    return [one if isinstance(one, MembersFile) else opened(os.fspath(one)) for one in several]
