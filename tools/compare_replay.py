"""Replay official crosstables as one history, and compare with the plain engine bit for bit.

``python tools/compare_replay.py FOLDER`` takes a folder of archived official crosstables (gzipped JSON lines). Every
page becomes a section of one system; what a member brought to their first page opens their record.
"""

import math
import sys

from crosstable.history import index as indexing
from crosstable.history.adjustments import Adjustments
from crosstable.history.replay import Replayer
from crosstable.history.running import ratings_frame
from crosstable.lab.posted_pages import history_of, pages_in
from tests.history.interpreted import interpreted_replay


def main() -> int:
    """Say how many ratings were compared, or which differ."""
    pages = pages_in(sys.argv[1])
    archive = history_of(pages, is_carried=True)
    index = indexing.build(archive)
    replayer = Replayer(index)
    adjustments = Adjustments(archive, index)
    adjustments.prepare(replayer)
    replayer.replay(adjustments.checkpoints())
    found = {
        (section, member, system): (before, after, None if math.isinf(games) else games)
        for section, member, system, before, after, games in ratings_frame(replayer).iter_rows()
    }
    due = {
        (line.section, line.member, int(line.system)): (line.rating_before, line.rating_after, line.games_after)
        for line in interpreted_replay(archive).lines
    }
    wrong = [place for place in sorted({*found, *due}) if found.get(place) != due.get(place)]
    for place in wrong[:20]:
        print(f"section {place[0]}, member {place[1]}: replay {found.get(place)}, plain engine {due.get(place)}")
    print(
        f"Replay against the plain engine on {len(pages):,} official crosstables, {archive.games.height:,} games: "
        f"{len(due) - len(wrong):,} of {len(due):,} ratings are the same bit for bit."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
