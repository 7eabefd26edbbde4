"""What the commands print for programs is valid by its published schema, in the office's own and in the public form."""

import copy
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crosstable import schemas
from crosstable.cli import main
from crosstable.office import accounts
from tests.architecture.source import ROOT
from tests.cli.club import CHAMPIONSHIP, SWISS, Desk
from tests.cli.conftest import Run
from tests.documents import faults_of, name_of, printed, valid
from tests.event_files import event_file, player

SAMPLE = str(ROOT / "examples" / "summer-quads.json")
HAZEL, OAK = "30000007", "30000011"
FILES: dict[str, list[tuple[str, ...]]] = {
    "rated": [
        ("rate", SAMPLE, "--json"),
        ("rate", SAMPLE, "--json", "--rules", "2015-06-01"),
        ("rate", "no.json", "--json"),
    ],
    "checked": [("check", SAMPLE, "--json"), ("check", SAMPLE, "--json", "--rules", "2015-06-01")],
    "explained": [("explain", SAMPLE, "--section", "1", "--player", "1", "--json")],
    "estimate": [
        ("estimate", "1700/30", "W1600", "L1900", "--date", "2026-07-04", "--explain", "--norms", "--json"),
        ("estimate", "U", "W1600", "D1750", "W1500", "--date", "2026-07-04", "--json"),
        ("estimate", "1700/30", "T1600", "T1900", "--next", "1800", "--target", "1720", "--range", "--json"),
        ("estimate", "17OO", "W1600", "--json"),
    ],
    "findings": [("findings", "--json"), ("findings", "wrong-type", "--json", "--on", "2016-01-01")],
    "rules": [("lab", "rules", "2015-06-01", "--on", "2026-01-01", "--json")],
    "event": [("convert", SAMPLE, "--to", "json")],
}
OFFICE: dict[str, list[tuple[str, ...]]] = {
    "office-status": [("status",)],
    "office-users": [("users", "list")],
    "office-tokens": [("tokens", "list")],
    "office-log": [("log",), ("log", "--public")],
    "office-security-log": [("log", "--security")],
    "office-proposals": [("proposals", "list")],
    "office-ripple": [("changes",), ("changes", "--public"), ("changes", "--member", HAZEL), ("rerate",)],
    "office-standings": [("ratings", HAZEL), ("ratings", HAZEL, "--public"), ("ratings", OAK, "--public")],
    "office-history": [("history", HAZEL), ("history", HAZEL, "--public"), ("history", OAK, "--public")],
    "explained": [("explain", HAZEL, SWISS), ("explain", HAZEL, SWISS, "--public")],
    "office-lists": [("supplements",)],
    "office-list": [("supplements", "2026-06"), ("supplements", "2026-06", "--system", "OTBR")],
    "office-top": [("supplements", "2026-06", "--top", "3")],
    "office-member": [("members", "show", HAZEL)],
    "office-settings": [("settings", "show")],
    "office-verified": [("verify",)],
}
# These take a compiled replay, a folder of pages or a federation: they are validated where they are made.
ELSEWHERE = {
    "archive": "tests/history/test_archive.py",
    "audit": "tests/verification/test_audit.py",
    "doctor": "tests/cli/test_reference_shell.py",
    "replay": "tests/cli/test_history.py",
    "backtest": "tests/cli/test_lab.py",
    "comparison": "tests/lab/test_posted_pages_resemblance.py",
    "lab-committee": "tests/lab/test_committee.py",
    "lab-report": "tests/lab/test_reporting.py",
    "lab-targets": "tests/lab/test_targets.py",
    "sweep": "tests/lab/test_sweep_tasks.py",
    "sweep-folder": "tests/lab/test_sweep_tasks.py",
    "verify": "tests/cli/test_files_of_directors.py",
    "office-backup": "tests/cli/test_documents.py",
    "office-person": "tests/cli/test_office_consent.py",
    "office-erasures": "tests/cli/test_office_consent.py",
    "office-fide-list": "tests/cli/test_office_members.py",
    "preview": "tests/web/test_uploads.py",
}


def documents_of(run: Run, name: str, *arguments: str) -> list[Any]:
    """The documents of a command, all of the format."""
    found = printed(run(*arguments).out)
    assert found
    assert {name_of(one["format"]) for one in found} == {name}
    return found


def open_to_change(document: Any, name: str) -> list[str]:
    """Changes of a document, at its top and in the objects right below, that its schema does not notice."""
    properties = schemas.schema(name)["required"]
    unnoticed = []
    for field in document:
        less = {key: value for key, value in document.items() if key != field}
        if field in properties and field != "format" and not faults_of(less):
            unnoticed.append(f"without {field}")
    if not faults_of({**document, "unheard_of": 1}):
        unnoticed.append("with a new field")
    for field, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            more = copy.deepcopy(document)
            more[field][0]["unheard_of"] = 1
            if not faults_of(more):
                unnoticed.append(f"with a new field in {field}")
            for inner in value[0]:
                more = copy.deepcopy(document)
                more[field][0][inner] = {"no": "such value"}
                if not faults_of(more) and (name, field, inner) not in ANYTHING:
                    unnoticed.append(f"with another {inner} in {field}")
    return unnoticed


# What an act wrote is whatever its kind of act writes.
ANYTHING = {
    *(("office-log", "acts", "before"), ("office-log", "acts", "after")),
    ("office-security-log", "entries", "details"),
}


@pytest.mark.parametrize("name", FILES)
def test_documents_about_files_are_valid(run: Run, name: str) -> None:
    for arguments in FILES[name]:
        for document in documents_of(run, name, *arguments):
            assert name == "event" or open_to_change(document, name) == []


def test_what_is_optional_in_a_rated_event_is_valid_too(run: Run, tmp_path: Path) -> None:
    """A start by age and one by a FIDE rating."""
    rows = [
        player(1, "W2 W3 W4", 1500.0),
        player(2, "L1 W4 W3", None) | {"birth_date": "2012-05-01"},
        player(3, "W4 L1 L2", None) | {"ratings": {"FIDE": {"rating": 1600, "as_of": "2025-07-01"}}, "adult": True},
        player(4, "L3 L2 L1", 1450.0),
    ]
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event_file(*rows)), encoding="utf-8")
    (document,) = documents_of(run, "rated", "rate", str(path), "--json")
    rated = next(iter(document["sections"][0]["systems"].values()))["players"]
    found = [source["source"] for row in rated if row["initial"] for source in row["initial"]["sources"]]
    assert found == ["AGE", "FIDE"]


@pytest.fixture
def full(club: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The club with a list, an account, a token and a decision."""
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n" * 9))
    club.done("users", "add", "tina", "--role", "td", "--affiliate", "A1234567")
    club.done("tokens", "add", "tina", "--days", "30")
    club.done("publish", "2026-06", "--cut-off", "played")
    club.done("withdraw", CHAMPIONSHIP, "--reason", "a wrong result", "--rate")
    return club


def test_documents_of_an_office_are_valid(full: Desk) -> None:
    for name, questions in OFFICE.items():
        for question in questions:
            found = printed(full.done(*question, "--json"))
            assert {name_of(one["format"]) for one in found} == {name}, question
            for document in found:
                assert open_to_change(document, name) == [], question
                assert document.get("public", name == "office-list") is (
                    "--public" in question or name == "office-list"
                )


@pytest.mark.parametrize("question", [("log",), ("changes",), ("ratings", HAZEL), ("history", HAZEL)], ids=" ".join)
def test_the_public_form_has_the_fields_of_the_own_one_or_fewer(full: Desk, question: tuple[str, ...]) -> None:
    own, public = (full.asked(*question, *form) for form in ((), ("--public",)))
    assert public.pop("public") is True
    assert own.keys() == public.keys()
    for mine, theirs in zip(parts(own), parts(public), strict=True):
        assert theirs.keys() <= mine.keys()
        own = {"before", "digest", "login", "note", "wins", "draws", "losses", "peak", "floors", "ceiling"}
        assert mine.keys() - theirs.keys() <= own


def parts(document: Any) -> list[Any]:
    """The entries of a document: acts, lines or ratings."""
    found = document.get("lines") or document.get("ratings") or document["acts"]
    return list(found.values()) if isinstance(found, dict) else found


def test_public_numbers_are_the_rounded_own_ones(full: Desk) -> None:
    """The club shows whole numbers, so a public rating is the official one."""
    own, public = (full.asked("ratings", HAZEL, *form)["ratings"] for form in ((), ("--public",)))
    assert {name: one["rounded"] for name, one in own.items()} == {name: one["rating"] for name, one in public.items()}
    for name, one in public.items():
        assert {field: one[field] for field in ("rounded", "last", "official", "floor")} == {
            field: own[name][field] for field in ("rounded", "last", "official", "floor")
        }


def test_a_whole_number_is_not_rounded_twice(club: Desk) -> None:
    """With two decimals shown, the official number is still that of the exact rating."""
    club.done("settings", "public-decimals", "on", "--reason", "members agreed")
    own, public = (club.asked("history", HAZEL, *form)["lines"] for form in ((), ("--public",)))
    assert [one["after"]["rounded"] for one in public] == [one["after"]["rounded"] for one in own]


def test_a_backup_says_what_it_holds(club: Desk) -> None:
    club.done("backup", "office.zip")
    with zipfile.ZipFile(club.folder / "office.zip") as archive:
        found = valid(json.loads(archive.read("manifest.json")))
    assert open_to_change(found, "office-backup") == []


def test_every_format_is_validated_somewhere() -> None:
    assert {*FILES, *OFFICE, *ELSEWHERE} == {"event", *schemas.names()}
    for path in ELSEWHERE.values():
        assert "valid(" in (ROOT / path).read_text("utf-8")


def test_rating_reads_no_schema(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "crosstable.schemas")
    assert main(["rate", SAMPLE, "--json"]) == 0
    assert capsys.readouterr().out
    assert "crosstable.schemas" not in sys.modules
