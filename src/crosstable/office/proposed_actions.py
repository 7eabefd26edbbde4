"""What somebody of the office can propose: its kind, its arguments, one sentence, and all of it for whoever agrees."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple


class ProposalKind(StrEnum):
    """What can be proposed."""

    CONFIRM = "confirm"
    WITHDRAW = "withdraw"
    DECIDE = "decide"
    FACT = "fact"
    MERGE = "merge"
    UNMERGE = "unmerge"
    STARTS = "starts"
    PUBLISH = "publish"
    CONSENT = "consent"


class ProposedAction(NamedTuple):
    """What somebody of the office proposes to do: of which kind, with which arguments, in one sentence."""

    kind: ProposalKind
    arguments: Mapping[str, Any]
    summary: str

    @property
    def particulars(self) -> list[tuple[str, str]]:
        """All of it by name, for whoever has to agree; birth dates may stand among it."""
        return list(_particulars(self.arguments))


def _particulars(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in said.items():
        if value is None or value in ("", [], {}):
            continue
        if name == "versions":
            yield "as of", ", ".join(f"section {number}: act {act}" for number, act in value)
        elif name == "members":
            for one in value:
                known = [f"{word.replace('_', ' ')} {text}" for word, text in one.items() if text not in (None, "", [])]
                yield "new member", ", ".join(known)
        elif name == "starts":
            for one in value:
                games = f" on {one['games']:g} games" if one.get("games") is not None else ""
                yield "starting rating", f"{one['member']} {one['system']} {one['rating']:g}{games}, {one['source']}"
        elif isinstance(value, dict):
            yield from _particulars(value)
        else:
            yield name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else str(value)
