"""§8 of the 2025 text: what official results say of each amendment."""

import pytest

from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.documents import EVIDENCE, UNPROVEN, Evidence, evidence_for


def test_all_evidence_belongs_to_an_amendment() -> None:
    """§8: evidence is filed by date and words, so an amendment that is reworded must not lose its own."""
    found = [evidence_for(amendment) for amendment in AMENDMENTS]
    assert sorted(one for one in found if one != UNPROVEN) == sorted(EVIDENCE.values())
    assert UNPROVEN in found


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Evidence(0, 0, 0), "unproven here"),
        (Evidence(968, 0, 0), "unproven here (the rule before it: 968 of 968)"),
        (Evidence(3421, 0, 156), "unproven here (the rule before it: 3421 of 3577)"),
        (Evidence(0, 5, 1), "unproven here (the rule since it: 5 of 6)"),
        (Evidence(153, 225, 0), "proven (378 of 378)"),
        (Evidence(95, 95, 10), "proven (190 of 200)"),
        (Evidence(95, 94, 11), "in doubt (189 of 200)"),
    ],
)
def test_a_verdict_counts_the_rows_that_can_tell(evidence: Evidence, verdict: str) -> None:
    """§8, readings 112: proven where 95 in 100 of the rows that can tell are for it."""
    assert evidence.verdict == verdict
