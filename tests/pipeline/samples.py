"""Files of every kind, sound and unsound, for tests that compare the ways to one answer."""

import json
from collections.abc import Mapping
from typing import Any

from tests.amounts import IS_SOAK
from tests.architecture.source import ROOT
from tests.checks.provoked import CASES
from tests.event_files import event_file, player, quad

EXAMPLES = ("club-autumn-swiss.csv", "club-blitz.csv", "club-championship.trf", "club-quick-night.json")


def two_sections(**second: object) -> dict[str, Any]:
    """Two sections that share a member; the second may be given faults."""
    event = quad()
    other = event_file(player(1, "W2", 1500.0), player(2, "L1", 1600.0))["sections"][0]
    event["sections"].append({**other, "number": 2, **second})
    return event


def samples() -> Mapping[str, bytes]:
    """The content of every sample by its name."""
    found = {name: (ROOT / "examples" / name).read_bytes() for name in (*EXAMPLES, "summer-quads.json")}
    found["quad.json"] = json.dumps(quad()).encode()
    found["one-faulty-section.json"] = json.dumps(two_sections(time_control="nonsense")).encode()
    pairing = event_file(player(1, "W2", pairing_rating=1501.0), player(2, "L1", pairing_rating=1502.0))
    found["pairing-ratings.json"] = json.dumps(pairing).encode()
    found["not-readable.bin"] = b"\x00\x01\x02 this is nothing"
    for at, case in enumerate(CASES):
        if not IS_SOAK and sum(other.code == case.code for other in CASES[:at]) > 1:
            continue  # two of every kind of finding go through every way; all of them in a soak
        found[f"fault-{at}-{case.code}.json"] = json.dumps(case.event).encode()
    return found
