"""A director's whole event as DBF files: 200 players, seven rounds, three sections, checked and rated."""

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.start_up import best_of, event
from crosstable.formats import event_json, uschess_write

PLAYERS = 66
ROUNDS = 7
SECTIONS = 3
LIMIT_SECONDS = 1.0


def director() -> str:
    """Seconds of the whole process, start included, and the members file with it."""
    made = event("G/45;d5", PLAYERS, ROUNDS)
    made["sections"] = [
        {**made["sections"][0], "number": number, "name": f"Section {number}"} for number in range(1, SECTIONS + 1)
    ]
    report = event_json.read(json.dumps(made).encode(), "event.json").report
    with tempfile.TemporaryDirectory() as folder:
        for name, data in uschess_write.write(report).items():
            Path(folder, name).write_bytes(data)
        members = Path(folder, "members.json")
        members.write_text(json.dumps(made["sections"][0]["players"]))
        crosstable = str(Path(sys.executable).with_name("crosstable"))
        files = [str(path) for path in sorted(Path(folder).glob("*.DBF"))]
        best = best_of({"rate": [crosstable, "rate", *files, "--members", str(members), "--json"]})
    return (
        f"DBF event of {PLAYERS * SECTIONS} players, {ROUNDS} rounds, {SECTIONS} dual-rated sections, read, checked "
        f"and rated, whole process: {best['rate']:.2f} s   limit {LIMIT_SECONDS:g} s\n"
    )
