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

from crosstable.errors import FormatError
from crosstable.pipeline.checking import CheckedReport
from crosstable.pipeline.checking import check as check_report
from crosstable.pipeline.rating import Options, RatedEvent
from crosstable.pipeline.rating import rate as rate_report
from crosstable.pipeline.reading import Source
from crosstable.pipeline.reading import read as read_source
from crosstable.remedies import Reader, for_reader
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
    """How to rate an event. Every option may be left out. A day is a date or a text such as ``2026-06-14``.

    Attributes:
        members: The path of a members file or rating list with the ratings before the event, or a list of paths.
            Where two files disagree, the one that comes later in the list counts.
        control: The time control, such as ``G/60;d5``, of sections for which the file gives none.
        start: The first day of sections that have no start date.
        end: The last day of sections that have no end date.
        override: Whether ``control``, ``start`` and ``end`` replace what the file says.
        sections: The numbers of the sections to rate (default: all).
        exclude: The numbers of sections to leave out.
        pairing_ratings: Whether to use the rating that the file has for pairing if no other is known.
        after_round: Rate the event as it was after this round.
        accept: Findings that you accept: a reason for each code.
        calendar: Which rules apply to a section. ``listed`` (default): each rule begins on its date in the 2025
            document, and the day the section starts decides. ``announced``: each rule begins on the date announced at
            the time, and the day the section ends decides.
        rules: A rule set, its TOML file, or a day whose rules apply to everything.
        today: A section must have ended by this day (default: today in UTC; ``None``: no such check).
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
        The report as it was read, not yet checked. ``check`` lists what is wrong with it.

    Raises:
        FormatError: The source cannot be read at all.

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
    return _report(source, name)


def check(source: Source | Sequence[Path], **options: Unpack[RateOptions]) -> CheckedReport:
    """Check an event: every finding has its place and says how to fix it. ``rate`` reports the same findings.

    Args:
        source: Anything that ``read`` takes, or the report that it returned.
        **options: How the event would be rated (``RateOptions``).

    Returns:
        A record with ``faults`` (the findings, each a `Fault`: an error, something to confirm, or a warning),
        ``has_errors`` and ``to_dict()``, which gives the document ``crosstable-checked/1``.

    Raises:
        FormatError: The source cannot be read at all.

    >>> [fault.code for fault in check({"players": [{"rounds": "W1"}]}).faults if fault.severity == "error"]
    ['plays-self', 'no-time-control', 'no-dates']
    """
    return check_report(_report(source), **_options(options))


def rate(source: Source | Sequence[Path], **options: Unpack[RateOptions]) -> RatedEvent:
    """Rate an event under the rules of the day each section started.

    A section with an error is not rated; ``faults`` says why. The other sections are rated. But if a player of the
    section with the error also plays in a later section, that one is not rated either: the rating before it is not
    known.

    Args:
        source: Anything that ``read`` takes, or the report that it returned.
        **options: Where ratings come from and which rules apply (``RateOptions``).

    Returns:
        A record with ``sections``, ``faults``, ``has_errors``, ``to_dict()`` (the document ``crosstable-rated/1``) and
        ``to_frame()`` (a row for each player in each system of each section; needs Polars).

    Raises:
        FormatError: The source cannot be read at all.

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
    return rate_report(_report(source), **_options(options))


def explain(
    rated: RatedEvent, *, player: int, section: int | None = None, system: str | None = None
) -> "tuple[Line, ...]":
    """Show the whole calculation of one player, step by step. Each line names its section of the rating document.

    Args:
        rated: What ``rate`` returned.
        player: The player's number in the section.
        section: The section's number. You may leave it out if only one section was rated.
        system: A rating system, such as ``OTBR`` (default: all systems of the section, one after the other).

    Returns:
        Lines with ``text``, ``section`` (the § of the rating document, or empty), ``formula`` and ``value``. A
        ``formula`` is Python arithmetic that may use ``sqrt``, ``exp``, ``floor`` and ``ceil`` of ``math``; it is
        ``None`` in a line that computes nothing.

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
    """Estimate one player's new rating from the rating before the event, the opponents and the results.

    Args:
        rating: ``1512``; ``1512/40`` or ``1641P17`` with the number of games behind it; or ``U`` for unrated.
        results: The games as one text, ``W1640 D1720 L1600``, or as a list.
        **fields: Other facts: ``games``, ``date``, ``control``, ``system``, ``record``, ``peak``, ``birth``, ``fide``
            and the other names of a link (``docs/calculator.md``), which are the fields of ``POST /api/v1/estimate``.

    Returns:
        An estimate with ``post`` (with all decimals; ``rating`` is the same), ``official`` (the whole number), ``k``,
        ``expected``, ``bonus`` …

    Raises:
        UnratableSectionError: The request has mistakes; the exception lists all of them.

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
    """Make many estimates at once, for arrays or a Polars frame. Each row gives the same as ``estimate``.

    Args:
        rating: The rating of each row, or a frame with the columns ``rating``, ``opponents`` and ``scores`` (lists)
            and, if known, ``games``.
        opponents: The opponents' ratings of each row. Fill shorter rows with NaN.
        scores: The score against each opponent of each row: 1, 0.5 or 0, or NaN if there is no opponent.
        games: The number of games behind each rating. NaN means an established rating with an unknown number.
        **fields: Facts that all rows share: ``date``, ``control``, ``system``, ``dual`` (whether the section is
            dual-rated), ``online`` (whether it was played online).

    Returns:
        An array with the new rating of each row; for a frame, the frame with a column ``post``.

    Raises:
        ValueError: The shapes of the arrays differ, or a value is not a rating, a count or a score.
        UnratableSectionError: The shared fields have mistakes; the exception lists all of them.

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
    given = {name: _iso(value) if name in ("date", "birth") else value for name, value in fields.items()}
    reading = read_object({"rating": rating, "game": games, **given}, _today())
    if reading.request is None or reading.faults:
        raise UnratableSectionError(reading.faults)
    return reading.request


def verify(*sources: Source, calendar: Calendar | str = Calendar.LISTED) -> "VerifiedEvents":
    """Compare computed ratings with the posted ratings in event files and saved pages.

    Args:
        *sources: Anything that ``read`` takes. Events without posted ratings are ignored.
        calendar: ``listed`` (default) or ``announced``, as in ``RateOptions``.

    Returns:
        A record with ``to_dict()``, which gives the document ``crosstable-verify/1``, and ``faults``: errors in posted
        sections that could not be compared.
    """
    from crosstable.pipeline.verifying import posted_pages
    from crosstable.pipeline.verifying import verify as verify_pages

    reports = [(report.place, report) for report in map(_report, sources)]
    posted = posted_pages(reports, _calendar(calendar))
    return verify_pages(posted.pages)._replace(faults=posted.faults)


def _iso(value: object) -> object:
    """A day as the calculator reads it; what is no day stays as it is, for the calculator says what is wrong."""
    from crosstable.formats.dates import day_of

    found = day_of(value) if isinstance(value, str) else value
    return found.isoformat() if isinstance(found, date) else value


def _report(source: Source | Sequence[Path], name: str = "") -> Report:
    """What a source holds; the finding about one that cannot be read says what a caller of the library can do."""
    try:
        return read_source(source, name)
    except FormatError as error:
        raise FormatError(*for_reader([error.fault], Reader.LIBRARY)) from error


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
