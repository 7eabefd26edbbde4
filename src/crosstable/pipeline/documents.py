"""What the JSON documents of the pipeline share: findings, accepted warnings, and the rule set that was used."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from crosstable.checks.findings import Accepted
from crosstable.errors import Fault
from crosstable.faults import level_of

if TYPE_CHECKING:
    from crosstable.rules.rule_sets import RuleSet


def fault_object(fault: Fault) -> dict[str, str]:
    """A finding as programs read it."""
    return {
        "code": fault.code,
        "severity": fault.severity.value,
        "level": level_of(fault).value,
        "place": fault.place,
        "message": fault.message,
        "remedy": fault.remedy,
    }


def fault_objects(faults: Iterable[Fault]) -> list[dict[str, str]]:
    """Findings as programs read them."""
    return [fault_object(fault) for fault in faults]


def accepted_objects(accepted: Iterable[Accepted]) -> list[dict[str, str]]:
    """Warnings that were accepted, each with its reason."""
    return [
        {"code": one.fault.code, "place": one.fault.place, "message": one.fault.message, "reason": one.reason}
        for one in accepted
    ]


def rules_of(rules: "RuleSet | None") -> dict[str, Any]:
    """The field ``rules`` of a document, where a rule set was asked for."""
    if rules is None:
        return {}
    from crosstable.rules.rule_sets import document_of

    return {"rules": document_of(rules)}
