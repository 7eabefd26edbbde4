"""Whether players were members until the section ended (rulebook 23C); renewing later is as good.

House players, JTP sections and foreign masters need no membership.
"""

from collections.abc import Mapping
from datetime import date

from crosstable.checks.places import SectionPlace
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.terms import ReportedPlayer, ReportedSection

# Titles whose holders from other federations play without a membership.
EXEMPT_TITLES = frozenset({"GM", "IM", "WGM", "WIM"})


def membership_faults(
    section: ReportedSection, place: SectionPlace, until: Mapping[str, date], end: date | None
) -> list[Fault]:
    """Players whose membership ended before the section did; ``until`` has its last day by id.

    What a file says itself (``member``: false) counts too; foreign events have conditions of their own (§6).
    """
    if section.kind.is_foreign or section.details.get("coding", "").upper().startswith("JTP"):
        return []
    faults = []
    for at, player in enumerate(section.players):
        last = until.get(player.member_id)
        if last is not None and end is not None and last < end:
            found = fault("membership:expired", place.row(player, at), until=last, end=end)
        elif last is None and player.is_member is False:
            found = fault("membership:none", place.row(player, at))
        else:
            continue
        if not _is_exempt(player):
            faults.append(found)
    return faults


def _is_exempt(player: ReportedPlayer) -> bool:
    """House players, and masters of other federations."""
    details = player.details
    federation = (player.fide_flag or details.get("federation", "")).upper()
    is_foreign_master = details.get("title", "").upper() in EXEMPT_TITLES and federation not in ("", "USA")
    return is_foreign_master or bool(details.get("exemption"))
