"""What official results of 2001 to 2021 say of each amendment; made by ``tools/make_evidence.py``, not by hand.

``agree`` counts posted rows that fit only the side of the date they are on, ``against`` those that fit only the other.
An amendment that is not here could not be told from these results: its rule is unproven here, not doubted.
"""

from typing import NamedTuple

from crosstable.rules.law import Amendment


class Evidence(NamedTuple):
    """Rows for and against an amendment."""

    agree: int
    against: int

    @property
    def verdict(self) -> str:
        """``proven (n of n)``, ``in doubt (n of n)`` or ``unproven here``."""
        told = self.agree + self.against
        if told == 0:
            return "unproven here"
        word = "proven" if self.agree >= SURE * told else "in doubt"
        return f"{word} ({self.agree} of {told})"


SURE = 0.95
UNPROVEN = Evidence(0, 0)


def evidence_for(amendment: Amendment) -> Evidence:
    """What official results say of an amendment."""
    return EVIDENCE.get(f"{amendment.effective} {amendment.summary}", UNPROVEN)


EVIDENCE: dict[str, Evidence] = {
    "2008-06-06 Bonus point threshold reduced to 6.": Evidence(513, 1),
    "2008-08-07 Personal absolute floors from 100 to 150, over the board.": Evidence(161, 0),
    "2012-08-03 Bonus point threshold increased to 8.": Evidence(772, 0),
    "2013-03-01 Over-the-board Blitz ratings added, for totals from 5 to 10; Quick is above 10.": Evidence(85, 0),
    "2013-05-08 Effective games give lower values, so ratings move more, above all from 1800 to 2200.": Evidence(
        6450, 11
    ),
    "2013-05-08 Smaller K above 2200 for Regular ratings in dual-rated sections.": Evidence(15, 0),
    "2014-03-20 Bonus point threshold increased to 10.": Evidence(547, 1),
    "2014-09-01 Ratings are stored with decimals; before, as whole numbers, up on a gain and down on a loss.": Evidence(
        3421, 156
    ),
    "2015-06-01 Bonus point threshold increased to 12.": Evidence(494, 0),
    "2017-06-01 Bonus point threshold increased to 14.": Evidence(1163, 0),
    "2023-02-01 Bonus point threshold reduced to 12.": Evidence(968, 0),
    "2025-01-01 Bonus point threshold reduced to 10.": Evidence(225, 0),
}
