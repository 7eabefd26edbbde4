"""Files of events as directors send them."""

from datetime import date
from pathlib import Path

from tests.engine.wallcharts import Played
from tests.office.made_office import document, quad

# Long past on any machine's clock, so that no event of the tests lies in the future.
PLAYED = Played(start=date(2024, 3, 2))
GOOD = "1 =1 | W2 D3 W4\n2 =2 | L1 L4 L3\n3 =3 | L4 D1 W2\n4 =5 | W3 W2 L1"
# Two players whom nobody knows, and a win that the other side did not report as lost.
FAULTY = "1 =1 | W2 D3\n2 =88 | W1 L3\n3 =89 | D1 W2"


def saved(folder: Path, event_id: str, wallchart: str) -> str:
    """A file with an event of one section."""
    path = folder / f"{event_id}.json"
    path.write_bytes(document(quad(event_id, PLAYED, wallchart)).content)
    return str(path)
