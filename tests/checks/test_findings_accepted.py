"""Warnings can be accepted by code with a reason that is kept; errors cannot."""

import pytest

from crosstable.checks.findings import Accepted, accept
from crosstable.errors import AcceptanceError, CrosstableError, Fault
from crosstable.faults import fault

LONG = fault("long-section", "section 1", "The section lasts 60 days.")
LONG_TOO = fault("long-section", "section 2", "The section lasts 61 days.")
NO_ID = fault("no-member-id", "section 1, player 3", "The player has no member id.")
NOT_MIRRORED = fault("not-mirrored", "section 1, player 1, round 1", "'W2', but player 2 shows nothing in round 1.")


def test_every_warning_of_an_accepted_code_is_kept_with_its_reason() -> None:
    left, kept = accept([LONG, NOT_MIRRORED, NO_ID, LONG_TOO], {"long-section": " a league "})
    assert left == [NOT_MIRRORED, NO_ID]
    assert kept == [Accepted(LONG, "a league"), Accepted(LONG_TOO, "a league")]


def test_a_code_that_was_not_found_is_no_harm() -> None:
    assert accept([NO_ID], {"long-section": "a league"}) == ([NO_ID], [])


def test_nothing_accepted_changes_nothing() -> None:
    assert accept((LONG,), {}) == ([LONG], [])


@pytest.mark.parametrize("faults", [[], [NOT_MIRRORED]])
def test_an_error_cannot_be_accepted(faults: list[Fault]) -> None:
    """Whether or not it was found: an error stops, and nobody may wave it through."""
    with pytest.raises(AcceptanceError, match=r"not-mirrored is an error, which cannot be accepted\."):
        accept(faults, {"not-mirrored": "both agree"})


@pytest.mark.parametrize(
    ("code", "nearest"),
    [("long-sections", "long-section"), ("Total-Disagree", "total-disagrees"), ("paired", "paired-twice")],
)
def test_an_unknown_code_gives_the_nearest_known_one(code: str, nearest: str) -> None:
    with pytest.raises(AcceptanceError, match=f"there is no check '{code}'; did you mean {nearest}\\?"):
        accept([], {code: "because"})


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_reason_is_needed(reason: str) -> None:
    with pytest.raises(CrosstableError, match="long-section is accepted only with a reason"):
        accept([LONG], {"long-section": reason})
