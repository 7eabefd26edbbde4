"""The records of a player, from file to posting, are those that docs/architecture.md lists, each with its reason."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.source import ROOT, Module, modules, snippet

# The way of a player from a file to a posting.
ON_THE_WAY = (
    *("terms", "replaying", "record_rows", "checks", "pipeline", "formulas", "engine", "history"),
    *("office.checking", "office.sections", "office.submissions", "office.ledger", "office.bulk"),
)
# What holds a player is a record of one, whatever it is called.
PLAYERS = {
    *("PlayerRating", "Numbers", "Background", "Entry", "ReportedPlayer", "EntryFact", "Competitor"),
    *("RatedPlayer", "Posting"),
}
# Records on the way that are not a player's: whole sections and pages, and what is known of a member elsewhere.
OTHERS = {
    "ReportedSection": "a section as it was read",
    "Section": "a section from check to posting",
    "RatedField": "a section after the five steps, in columns",
    "RatedSection": "a section rated in one system",
    "Background": "what an entry brings",
    "CareerRow": "an event on the page of a member",
    "MemberPage": "the page of a member",
    "StartingRating": "a journal entry about a member",
    "Decision": "a journal entry about a member",
    "Merge": "a journal entry about a member",
    "Person": "a member as the office knows them",
    "PostingKey": "what a posting is about",
    "Stored": "a posting with its number",
    "RatingChange": "what a run did to a member",
    "Derived": "every posting of an office",
    "Moved": "what a decision or a starting rating did",
    "PlayerResult": "the library's public view of a rated player",
}


def listed() -> set[str]:
    """The records in the first column of the table, and those named beside them."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = page.split("## The records of a player")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {name for cell in rows for name in re.findall(r"`(\w+)`", cell)}


def is_on_the_way(module: Module) -> bool:
    """Whether a module is one of those that a player passes."""
    name = module.name.removeprefix("crosstable.")
    return any(name == one or name.startswith(f"{one}.") for one in ON_THE_WAY)


def fields_of(made: ast.ClassDef) -> dict[str, str]:
    """The fields of a record and their types, as they are written."""
    annotated = (one for one in made.body if isinstance(one, ast.AnnAssign))
    return {one.target.id: ast.unparse(one.annotation) for one in annotated if isinstance(one.target, ast.Name)}


def records_in(module: Module) -> Iterator[str]:
    """The records of a module that have a member's id, or that hold a player."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and any("NamedTuple" in ast.unparse(base) for base in node.bases):
            fields = fields_of(node)
            held = {word for written in fields.values() for word in re.findall(r"\w+", written)}
            if "member_id" in fields or held & PLAYERS:
                yield node.name


def test_a_player_has_no_other_records_than_those_that_are_listed() -> None:
    found = {name for module in modules() if is_on_the_way(module) for name in records_in(module)}
    assert found - OTHERS.keys() <= listed(), "say in docs/architecture.md why it is needed, or do without it"
    assert found >= OTHERS.keys(), "a record that is no more"


def test_every_listed_record_is_there() -> None:
    classes = {
        node.name
        for module in modules()
        if is_on_the_way(module)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    assert listed() <= classes
    assert {"ReportedPlayer", "Entry", "Competitor", "RatedPlayer", "Posting"} <= listed()


def test_another_record_of_a_player_is_found() -> None:
    """By the member's id or by what it holds; what holds no player is none."""
    text = "class A(NamedTuple):\n    member_id: str\nclass B(NamedTuple):\n    who: tuple[Entry, ...]\n"
    assert list(records_in(snippet("made", text + "class C(NamedTuple):\n    day: date\n"))) == ["A", "B"]
