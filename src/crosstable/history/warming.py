"""Compiling everything on a history of one game, so that whoever waits can be told what for."""

from datetime import date

from crosstable.history.archive import Archive, empty_table, table_of
from crosstable.history.archive_checks import content_faults
from crosstable.history.index import build
from crosstable.history.kernel.compiling import say_cached
from crosstable.history.replay import Replayer
from crosstable.history.results import changed_frame, owners_in, ratings_frame, standings_frame
from crosstable.rules.editions import EDITIONS


def smallest_archive() -> Archive:
    """Two members who played a game in each of two sections."""
    day = EDITIONS[-1].effective
    members = table_of(
        "members",
        {
            "member_id": ["1", "2"],
            "name": ["One", "Two"],
            "birth_date": [date(1990, 1, 1), None],
            **{name: ["", ""] for name in ("state", "fide_id", "cfc_id", "fide_flag")},
            "canadian_resident": [False, False],
        },
    )
    sections = table_of(
        "sections",
        {
            "event_id": ["1", "1"],
            "number": [1, 2],
            **{name: ["", ""] for name in ("event_name", "name", "time_control", "match_waiver")},
            "start": [day, day],
            "end": [day, day],
            "kind": [0, 0],
            "systems": [1, 1],
            "asked_systems": [1, 1],
            **{name: [False, False] for name in ("is_online", "is_dual_control", "is_half_k")},
        },
    )
    entries = table_of("entries", {"section": [0, 0, 1, 1], "number": [1, 2, 1, 2], "member": [0, 1, 0, 1]})
    game = {"round": 1, "first": 0, "second": 1, "result": 2, "colour": 0}
    games = table_of("games", {"section": [0, 1], **{name: [value, value] for name, value in game.items()}})
    outside, openings, decisions = (empty_table(name) for name in ("outside", "openings", "decisions"))
    return Archive(members, outside, openings, decisions, sections, entries, games)


def warm_up() -> None:
    """Compile the checks, the index, the replay and what writes results; from then on they are kept on disk."""
    archive = smallest_archive()
    content_faults(archive.tables)
    replayer = Replayer(build(archive), 1)
    replayer.replay()
    standings_frame(replayer)
    changed_frame(replayer, owners_in(replayer), 0)
    ratings_frame(replayer)
    say_cached()
