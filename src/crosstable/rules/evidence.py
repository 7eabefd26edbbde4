"""What official results of 2001 to 2021 say of each amendment.

``before`` and ``since`` count posted rows on either side of the date that fit only their own side, ``against`` those
that fit only the other. An amendment that the table does not have could not be told from these results: its rule is
unproven here, not doubted.
"""

from typing import NamedTuple

from crosstable.rules.amending import Amendment
from crosstable.rules.evidence_table import ROWS


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
EVIDENCE = {amendment: Evidence(*counts) for amendment, counts in ROWS.items()}


def evidence_for(amendment: Amendment) -> Evidence:
    """What official results say of an amendment."""
    return EVIDENCE.get(f"{amendment.effective} {amendment.summary}", UNPROVEN)
