"""Events of an archive as reports, as a director would have sent them."""

from collections.abc import Callable

from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, sections_of, systems_of
from crosstable.history.archive_tables import BETWEEN_CONTROLS
from crosstable.terms import Background, Cell, Report, ReportedCell, ReportedPlayer, ReportedSection, Result

# What the player on a row of a section brings.
Brings = Callable[[ArchivedSection, int], Background]


def reports_of(archive: Archive, brings: Brings) -> list[Report]:
    """A report per event, in the order in which their last sections ended."""
    events: dict[str, list[ArchivedSection]] = {}
    for archived in sections_of(archive):
        sections = events.pop(archived.section.event_id, [])
        events[archived.section.event_id] = [*sections, archived]
    states = archive.members["state"]
    return [_report(event_id, sections, brings, lambda member: states[member]) for event_id, sections in events.items()]


def _report(event_id: str, sections: list[ArchivedSection], brings: Brings, state_of: Callable[[int], str]) -> Report:
    by_number = sorted(sections, key=lambda archived: archived.section.number)
    return Report(
        event_id=event_id,
        name=sections[0].said["event_name"],
        start=min(archived.section.start for archived in sections),
        end=max(archived.section.end for archived in sections),
        sections=tuple(reported(archived, brings, state_of) for archived in by_number),
        place="",
    )


def reported(
    archived: ArchivedSection, brings: Brings, state_of: Callable[[int], str] = lambda member: ""
) -> ReportedSection:
    """A section as a report would have it."""
    section, said = archived.section, archived.said
    controls = said["time_control"].split(BETWEEN_CONTROLS) if said["time_control"] else ()
    players = []
    for at, (entry, member) in enumerate(archived.rows):
        players.append(
            ReportedPlayer(
                number=entry.number,
                member_id=entry.member_id,
                name=entry.name,
                cells=tuple(reported_cell(cell) for cell in entry.cells),
                background=brings(archived, at),
                place="",
                state=state_of(member) if member >= 0 else "",
                is_rated=entry.is_rated if section.kind.is_foreign else None,
                fide_flag=entry.fide_flag,
                has_opted_in=entry.has_opted_in,
            )
        )
    return ReportedSection(
        number=section.number,
        name=section.name,
        kind=section.kind,
        is_online=section.is_online,
        time_controls=tuple(controls),
        systems=systems_of(said["asked_systems"]),
        start=section.start,
        end=section.end,
        players=tuple(players),
        place="",
        is_half_k=section.is_half_k,
        match_waiver=said["match_waiver"],
    )


def reported_cell(cell: Cell) -> ReportedCell:
    """A cell as it is written; a blank one is blank."""
    text = "" if cell.result is Result.BLANK else f"{cell.result.value}{cell.opponent or ''}{cell.colour}"
    return ReportedCell(text, cell.result, cell.opponent, cell.colour)
