"""What an archive holds, one by one: outside ratings, starting ratings, decisions, sections, and events as reports.

Every replay reads the first three here; sections as the plain engine takes them, and reports the way directors would
have sent them, are for small archives.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.history.archive import Archive
from crosstable.history.archive_checks import ArchiveError, archive_fault
from crosstable.history.archive_tables import COLOURS, FIDE, KINDS, NO_MEMBER, RESULTS, file_of, other_starts
from crosstable.record_rows import rating_from
from crosstable.replaying import Decision, DecisionKind, StartingRating
from crosstable.terms import Background, Cell, Entry, GivenStart, OutsideRating, RatingSystem, Result, Section

# The details of a decision that has none, as most have.
NO_DETAILS = "{}"


class Opened(NamedTuple):
    """A starting rating and the row of its member."""

    member: int
    opening: StartingRating


class Decided(NamedTuple):
    """A decision and the row of its member, -1 where it is about none."""

    member: int
    decision: Decision


Outside = tuple[list[OutsideRating], list[OutsideRating]]


def outside_of(archive: Archive) -> dict[int, Outside]:
    """FIDE and CFC ratings by member, oldest first."""
    found: dict[int, Outside] = {}
    for member, body, as_of, rating in archive.outside.iter_rows():
        fide, cfc = found.setdefault(member, ([], []))
        (fide if body == FIDE else cfc).append(OutsideRating(rating, as_of))
    return found


def openings_of(archive: Archive) -> list[Opened]:
    """Every starting rating; a column ``member_id``, where there is one, says under which id it was recorded."""
    ids = archive.members["member_id"]
    rows = archive.openings.iter_rows(named=True)
    return [_opened(row.get("member_id") or ids[row["member"]], row) for row in rows]


def _opened(member_id: str, row: Mapping[str, Any]) -> Opened:
    opening = StartingRating(row["act"], member_id, RatingSystem(row["system"]), rating_from(row), row["source"])
    return Opened(row["member"], opening)


def decisions_of(archive: Archive) -> list[Decided]:
    """Every decision, in the order of the archive; ``member_id`` as with starting ratings."""
    numbers = archive.decisions["member"]
    ids = archive.members["member_id"].gather(numbers.set(numbers < 0, None)).fill_null("")
    found = []
    for own_id, row in zip(ids, archive.decisions.iter_rows(named=True), strict=True):
        member_id = row.get("member_id") or own_id
        decision = Decision(
            row["act"],
            DecisionKind(row["kind"]),
            member_id,
            None if row["system"] is None else RatingSystem(row["system"]),
            row["effective"],
            row["value"],
            row["event_id"],
            row["section"],
            {} if row["details"] == NO_DETAILS else json.loads(row["details"]),
        )
        found.append(Decided(row["member"], decision))
    return _placed(archive, found)


def _placed(archive: Archive, decisions: list[Decided]) -> list[Decided]:
    """Decisions, of which those that grant a lower floor go with their match wherever it is; without it they wait."""
    granting = DecisionKind.GRANT_MATCH_FLOOR
    if not any(decision.kind is granting for _, decision in decisions):
        return decisions
    frame = archive.sections
    ends = dict(zip(zip(frame["event_id"], frame["number"], strict=True), frame["end"], strict=True))
    return [
        Decided(who, one._replace(effective=ends.get((one.event_id, one.section), date.max)))
        if one.kind is granting
        else Decided(who, one)
        for who, one in decisions
    ]


# So many sections are taken out of the tables at a time.
PORTION = 1000
People = Mapping[int, tuple[str, str]]
_BLANK = Cell(Result.BLANK, 0, "")
_NOTHING_SAID = Background()


class ArchivedSection(NamedTuple):
    """A section with its place in the archive, its row there, and the member of each entry, -1 for nobody.

    Its entries bring what the report said of them; what the record knows of a member is to be added.
    """

    at: int
    section: Section
    members: tuple[int, ...]
    said: Mapping[str, Any]

    @property
    def rows(self) -> Iterator[tuple[Entry, int]]:
        """Each entry with its member."""
        return zip(self.section.entries, self.members, strict=True)


def systems_of(mask: int) -> tuple[RatingSystem, ...]:
    """The systems whose bits are set."""
    return tuple(system for system in RatingSystem if mask >> system & 1)


def sections_of(archive: Archive) -> Iterator[ArchivedSection]:
    """Every section in the order of the replay.

    In foreign events everyone who is marked counts as rated here: who may be is known only from the rating records.
    """
    numbers = np.arange(archive.sections.height + 1)
    entry_at = np.searchsorted(archive.entries["section"].to_numpy(), numbers)
    game_at = np.searchsorted(archive.games["section"].to_numpy(), numbers)
    for first in range(0, archive.sections.height, PORTION):
        last = min(first + PORTION, archive.sections.height)
        entries = _columns(archive.entries, int(entry_at[first]), int(entry_at[last]))
        games = _columns(archive.games, int(game_at[first]), int(game_at[last]))
        people = _people(archive.members, entries["member"])
        for at, heading in enumerate(archive.sections[first:last].iter_rows(named=True), start=first):
            own_entries = _part(entries, int(entry_at[at] - entry_at[first]), int(entry_at[at + 1] - entry_at[first]))
            own_games = _part(games, int(game_at[at] - game_at[first]), int(game_at[at + 1] - game_at[first]))
            yield _section(at, heading, own_entries, _cells(at, own_entries, own_games), people)


def _columns(frame: pl.DataFrame, first: int, last: int) -> Mapping[str, list[Any]]:
    return frame[first:last].to_dict(as_series=False)


def _part(columns: Mapping[str, list[Any]], first: int, last: int) -> Mapping[str, list[Any]]:
    return {name: column[first:last] for name, column in columns.items()}


def _people(members: pl.DataFrame, wanted: Sequence[int]) -> People:
    """The ids and names of some members; those of all would take long where there are many."""
    here = pl.Series(wanted, dtype=pl.Int32).unique().sort()
    here = here.filter(here != NO_MEMBER)
    return dict(zip(here, members.select("member_id", "name")[here].iter_rows(), strict=True))


def _section(
    at: int,
    heading: Mapping[str, Any],
    entries: Mapping[str, list[Any]],
    cells: Sequence[Sequence[Cell]],
    people: People,
) -> ArchivedSection:
    kind = KINDS[heading["kind"]]
    told = zip(*(entries[name] for name in ("rate", "fide_flag", "fide_opt_in")), _brought(entries), strict=True)
    made = []
    for row, (rate, flag, opted, background) in enumerate(told):
        member_id, known_as = people.get(entries["member"][row], ("", ""))
        name = entries["name"][row]
        made.append(
            Entry(
                entries["number"][row],
                member_id,
                name if name is not None else known_as,
                tuple(cells[row]),
                not kind.is_foreign or bool(rate),
                background,
                flag,
                opted,
            )
        )
    section = Section(
        number=heading["number"],
        name=heading["name"],
        kind=kind,
        is_online=heading["is_online"],
        time_control=None,
        systems=systems_of(heading["systems"]),
        start=heading["start"],
        end=heading["end"],
        entries=tuple(made),
        is_half_k=heading["is_half_k"],
        is_dual_control=heading["is_dual_control"],
        event_id=heading["event_id"],
    )
    return ArchivedSection(at, section, tuple(entries["member"]), heading)


def _brought(entries: Mapping[str, list[Any]]) -> Iterator[Background]:
    """What the rows themselves say that their players bring."""
    columns = [entries[name] for name in ("fide", "fide_as_of", "start_rating", "start_games")]
    others = entries.get("other_starts") or [None] * len(columns[0])
    for fide, as_of, rating, games, other in zip(*columns, others, strict=True):
        start = None if rating is None else GivenStart(rating, games, other_starts(other))
        listed = None if fide is None else OutsideRating(fide, as_of)
        yield _NOTHING_SAID if start is None and listed is None else Background(fide=listed, given_start=start)


def _cells(at: int, entries: Mapping[str, list[Any]], games: Mapping[str, list[Any]]) -> list[list[Cell]]:
    """The cells of a section's rows, a cell per round, blank where a row has none."""
    numbers = entries["number"]
    found: list[dict[int, Cell]] = [{} for _ in numbers]
    for row, text in enumerate(entries["unplayed"]):
        for part in text.split(" ") if text else ():
            round_number, _, written = part.partition(":")
            found[row][int(round_number)] = unplayed_cell(written)
    columns = (games[name] for name in ("round", "first", "second", "result", "colour"))
    for round_number, first, second, result, colour in zip(*columns, strict=True):
        own, other = RESULTS[result]
        sides = [(first, Cell(own, numbers[second], COLOURS[colour][0]))]
        if other is not None:
            sides.append((second, Cell(other, numbers[first], COLOURS[colour][1])))
        for row, cell in sides:
            if round_number in found[row]:
                raise _two_cells(at, numbers[row], round_number)
            found[row][round_number] = cell
    rounds = max((round_number for row in found for round_number in row), default=0)
    return [[row.get(round_number, _BLANK) for round_number in range(1, rounds + 1)] for row in found]


def unplayed_cell(written: str) -> Cell:
    """A cell that is no game, as the archive writes it: ``H``, ``X7``, ``F12b``."""
    colour = written[-1] if written[-1] in "wb" else ""
    opponent = written[1 : len(written) - len(colour)]
    return Cell(Result(written[0]), int(opponent or 0), colour)


def _two_cells(at: int, number: int, round_number: int) -> ArchiveError:
    message = f"Player {number} of section {at} has two cells in round {round_number}."
    return ArchiveError("archive", [archive_fault(file_of("games"), message)])
