"""The rows of a section: numbers, ids, re-entries, and whether what each player brings adds up."""

from collections import Counter

from crosstable.catalogue import fault
from crosstable.engine.records import Assumption
from crosstable.errors import Fault
from crosstable.terms import Background, ReportedPlayer, ReportedSection, SectionType, Standing

ID_DIGITS = 8
MOST_ROUNDS = 200


def player_faults(section: ReportedSection, place: str) -> list[Fault]:
    """Every fault of a section's rows, their games apart."""
    if not section.players:
        return [fault("no-player", place, "The section has no player.")]
    faults = []
    numbers = Counter(player.number for player in section.players if player.number is not None)
    for number, count in numbers.items():
        if count > 1:
            faults.append(fault("duplicate-number", place, f"Number {number} stands on {count} rows."))
    for at, player in enumerate(section.players):
        faults += _row_faults(player, place, at)
    faults += _re_entry_faults(section, place)
    return faults


def _row_faults(player: ReportedPlayer, place: str, at: int) -> list[Fault]:
    faults = []
    here = f"{place}, player {player.number}"
    if player.number is None:
        faults.append(fault("no-number", f"{place}, row {at + 1}", "The row has no number."))
    if player.member_id and not _is_member_id(player.member_id):
        message = f"The member id {player.member_id!r} is not eight digits."
        faults.append(fault("member-id-shape", here, message))
    if len(player.cells) > MOST_ROUNDS:
        message = f"The row has {len(player.cells)} rounds; at most {MOST_ROUNDS} can be read."
        faults.append(fault("too-many-rounds", here, message))
    for system, standing in player.background.standings.items():
        if _counts_too_much(standing):
            message = f"In {system.name} wins, draws and losses are more than the {standing.games:g} games."
            faults.append(fault("counts-disagree", here, message))
    return faults


def _is_member_id(text: str) -> bool:
    return len(text) == ID_DIGITS and text.isascii() and text.isdigit()


def _counts_too_much(standing: Standing) -> bool:
    counts = (standing.wins or 0) + (standing.draws or 0) + (standing.losses or 0)
    return standing.games is not None and counts > standing.games


def _re_entry_faults(section: ReportedSection, place: str) -> list[Fault]:
    rows: dict[str, list[ReportedPlayer]] = {}
    for player in section.players:
        if player.member_id:
            rows.setdefault(player.member_id, []).append(player)
    faults = []
    for member_id, players in rows.items():
        if len(players) < 2:
            continue
        numbers = " and ".join(str(player.number) for player in players)
        message = f"Member {member_id} stands on rows {numbers}; they are rated once on all games."
        faults.append(fault("re-entry", place, message))
        if len({repr(player.background) for player in players}) > 1:
            message = f"Rows {numbers} of member {member_id} bring different ratings or birth dates."
            faults.append(fault("re-entry-differs", place, message))
    return faults


def brought(section: ReportedSection, player: ReportedPlayer) -> Background:
    """What a player brings, with what had to be taken for granted about it."""
    background = player.background
    assumed = list(background.assumed)
    if section.kind.is_foreign and None in (player.is_member, player.fide_flag, player.has_opted_in):
        assumed.append(Assumption.FOREIGN_MEMBER)
    if section.kind is SectionType.MATCH and any(s.published is None for s in background.standings.values()):
        assumed.append(Assumption.PUBLISHED)
    return background._replace(assumed=tuple(assumed))
