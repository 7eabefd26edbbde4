"""What official results of 2001 to 2021 say of each amendment; made by ``tools/make_evidence.py``.

``before`` and ``since`` count posted rows on either side of the date that fit only their own side, ``against`` those
that fit only the other.
An amendment that is not here could not be told from these results: its rule is unproven here, not doubted.
"""

from typing import NamedTuple

from crosstable.rules.law import Amendment


class Evidence(NamedTuple):
    """Rows for and against an amendment."""

    before: int
    since: int
    against: int

    @property
    def verdict(self) -> str:
        """``proven (n of n)``, ``in doubt (n of n)`` or ``unproven here``; one side alone proves no date."""
        told = self.before + self.since + self.against
        if self.since == 0 or self.before == 0:
            held = "before" if self.before else "since"
            count = self.before + self.since
            return f"unproven here (the rule {held} it: {count} of {told})" if told else "unproven here"
        word = "proven" if self.before + self.since >= SURE * told else "in doubt"
        return f"{word} ({self.before + self.since} of {told})"


SURE = 0.95
UNPROVEN = Evidence(0, 0, 0)


def evidence_for(amendment: Amendment) -> Evidence:
    """What official results say of an amendment."""
    return EVIDENCE.get(f"{amendment.effective} {amendment.summary}", UNPROVEN)


EVIDENCE: dict[str, Evidence] = {
    "2008-06-06 Bonus point threshold reduced to 6.": Evidence(179, 334, 1),
    "2008-08-07 Personal absolute floors from 100 to 150, over the board.": Evidence(9, 152, 0),
    "2012-08-03 Bonus point threshold increased to 8.": Evidence(308, 464, 0),
    "2013-03-01 Over-the-board Blitz ratings added, for totals from 5 to 10; Quick is above 10.": Evidence(3, 82, 0),
    "2013-05-08 Effective games give lower values, so ratings move more, above all from 1800 to 2200.": Evidence(
        1287, 5163, 11
    ),
    "2013-05-08 Smaller K above 2200 for Regular ratings in dual-rated sections.": Evidence(2, 13, 0),
    "2014-03-20 Bonus point threshold increased to 10.": Evidence(360, 187, 1),
    "2014-09-01 Ratings are stored with decimals; before, as whole numbers, up on a gain and down on a loss.": Evidence(
        3421, 0, 156
    ),
    "2015-06-01 Bonus point threshold increased to 12.": Evidence(153, 225, 0),
    "2017-06-01 Bonus point threshold increased to 14.": Evidence(195, 968, 0),
    "2023-02-01 Bonus point threshold reduced to 12.": Evidence(968, 0, 0),
}
