"""Findings that a director has looked at and accepts, each code with the reason, which is kept with the result."""

from collections.abc import Iterable, Mapping

from crosstable.errors import AcceptanceError, Fault, Severity
from crosstable.tuples import NamedTuple


class Accepted(NamedTuple):
    """A warning, or a finding to confirm, that was accepted, and why."""

    fault: Fault
    reason: str


def accept(faults: Iterable[Fault], accepted: Mapping[str, str]) -> tuple[list[Fault], list[Accepted]]:
    """The faults that are left, and those whose code is accepted; ``accepted`` gives the reason of each code.

    Raises ``AcceptanceError`` for a code that is not known, that is an error, or that has no reason.
    """
    reasons = {code.strip(): reason.strip() for code, reason in accepted.items()}
    for code, reason in reasons.items():
        _check_code(code, reason)
    left = []
    kept = []
    for found in faults:
        if found.code in reasons and found.severity is not Severity.ERROR:
            kept.append(Accepted(found, reasons[found.code]))
        else:
            left.append(found)
    return left, kept


def _check_code(code: str, reason: str) -> None:
    from crosstable.catalogue import CATALOGUE

    kind = CATALOGUE.get(code)
    if kind is None:
        raise AcceptanceError(f"there is no check {code!r}; did you mean {_nearest(code, CATALOGUE)}?")
    if kind.severity is Severity.ERROR:
        raise AcceptanceError(f"{code} is an error, which cannot be accepted. {kind.remedy}")
    if not reason:
        raise AcceptanceError(f"{code} is accepted only with a reason: {code}=the reason in a few words")


def _nearest(code: str, codes: Iterable[str]) -> str:
    from difflib import get_close_matches

    (near,) = get_close_matches(code.lower(), list(codes), n=1, cutoff=0.0)
    return near
