"""The demonstration office: ten years of an invented federation, unpacked from a seed that carries its ratings.

``tools/make_demo.py`` makes the seed; a test shows that the ratings follow from its record.
"""

import lzma
from pathlib import Path

from crosstable.office.accounts import NewAccount, Role
from crosstable.office.ledger.journal import Author
from crosstable.office.upgrading import upgrade_office

NAME = "Demonstration Chess Federation"
SEED = Path(__file__).with_suffix(".xz")
# One account for each role; the login page of the demonstration names them, and no other page.
ACCOUNTS = (
    NewAccount("anna", Role.OFFICE, "", "Anna of the office"),
    NewAccount("boris", Role.OFFICE, "", "Boris of the office"),
    NewAccount("tina", Role.TD, "A9000000", "Tina, tournament director"),
    NewAccount("clara", Role.CLUB, "A9000000", "Clara of a club"),
    NewAccount("rosa", Role.RESEARCH, "", "Rosa, researcher"),
)
PASSWORD = "demonstration only"


def make_demo(path: str) -> None:
    """Unpack the office into a file that is not there yet."""
    with open(path, "xb") as office:
        office.write(lzma.decompress(SEED.read_bytes()))
    upgrade_office(path, Author(NAME, "the seed is of an older schema"))
