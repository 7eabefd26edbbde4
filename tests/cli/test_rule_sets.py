"""Rule sets through the doors: ``rate``, ``explain``, ``check``, ``history replay`` and ``lab rules`` with them."""

import json
from pathlib import Path

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from crosstable.history.archive import write as write_archive
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.cli.conftest import Run

SAMPLE = str(Path(__file__).parents[2] / "examples" / "summer-quads.json")
SLOW = 'name = "Slow"\n[changes]\nk_numerator = 80\nbonus_threshold = 1000\n'


@pytest.fixture
def slow(tmp_path: Path) -> str:
    path = tmp_path / "slow.toml"
    path.write_text(SLOW, encoding="utf-8")
    return str(path)


def test_rate_follows_the_rule_set_and_names_it(run: Run, slow: str) -> None:
    """§4.2: K = 800 / (N' + m), here with 80 in its place; the rating is R0 + K (S - E) without a bonus."""
    ran = run("rate", SAMPLE, "--rules", slow, "--json")
    document = json.loads(ran.out)
    assert ran.code == 0
    assert document["rules"]["name"] == "Slow"
    assert document["rules"]["changes"] == {"k_numerator": 80.0, "bonus_threshold": 1000.0}
    standard = 0
    for section in document["sections"]:
        for player in section["systems"].get("OTBR", {"players": []})["players"]:
            if player["formula"] == "standard" and player["floor"] is None:
                played = player["games_after"] - player["games_before"] if player["games_before"] else 3
                assert player["k"] == pytest.approx(80.0 / (player["effective_games"] + played), abs=1e-9)
                change = player["k"] * (player["score"] - player["expected"])
                assert player["post"] == pytest.approx(player["pre"] + change, abs=1e-9)
                standard += 1
    assert standard >= 3


def test_without_a_rule_set_no_result_speaks_of_one(run: Run) -> None:
    assert "rules" not in json.loads(run("rate", SAMPLE, "--json").out)
    assert "rule set" not in run("rate", SAMPLE).out


@pytest.mark.parametrize("form", [(), ("--text",), ("--html",), ("--each-round",)])
def test_every_form_for_people_names_the_rule_set_and_its_digest(run: Run, slow: str, form: tuple[str, ...]) -> None:
    digest = json.loads(run("rate", SAMPLE, "--rules", slow, "--json").out)["rules"]["digest"]
    assert f"rule set Slow ({digest})" in run("rate", SAMPLE, "--rules", slow, *form).out


def test_tables_for_spreadsheets_name_the_rule_set_in_a_column(run: Run, slow: str, tmp_path: Path) -> None:
    digest = json.loads(run("rate", SAMPLE, "--rules", slow, "--json").out)["rules"]["digest"]
    rows = pl.read_csv(run("rate", SAMPLE, "--rules", slow, "--csv").out.encode())
    assert set(rows["rules"]) == {f"Slow ({digest})"}
    book = tmp_path / "rated.xlsx"
    assert run("rate", SAMPLE, "--rules", slow, "--xlsx", str(book)).code == 0
    *walls, data = CalamineWorkbook.from_path(book).sheet_names
    titles, first, *_ = CalamineWorkbook.from_path(book).get_sheet_by_name(data).to_python()
    assert dict(zip(titles, first, strict=True))["rules"] == f"Slow ({digest})"
    for name in walls:
        lines = CalamineWorkbook.from_path(book).get_sheet_by_name(name).to_python()
        assert f"rule set Slow ({digest})" in str(lines[3][0])
    assert "rules" not in run("rate", SAMPLE, "--csv").out.splitlines()[0]


def test_explain_and_check_take_a_rule_set(run: Run, slow: str) -> None:
    ran = run("explain", SAMPLE, "--section", "1", "--player", "1", "--system", "OTBR", "--rules", slow)
    assert "under the edition of January 1, 2025, rule set Slow (" in ran.out
    ran = run("explain", SAMPLE, "--section", "1", "--player", "1", "--system", "OTBR", "--rules", slow, "--json")
    assert json.loads(ran.out)["rules"]["name"] == "Slow"
    assert run("check", SAMPLE, "--rules", slow).code == 0
    assert json.loads(run("check", SAMPLE, "--rules", slow, "--json").out)["rules"]["name"] == "Slow"


def test_a_rule_set_of_a_day_rates_by_its_edition(run: Run) -> None:
    document = json.loads(run("rate", SAMPLE, "--rules", "2018-01-01", "--json").out)
    assert {system["edition"] for section in document["sections"] for system in section["systems"].values()} == {
        "2017-06-01"
    }


@pytest.mark.parametrize("command", ["rate", "explain", "check", "history", "lab"])
def test_a_rule_set_with_faults_is_told_with_all_of_them(run: Run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("[changes]\nbonus_treshold = 1\nk_numerator = -5\n", encoding="utf-8")
    arguments = {
        "rate": ("rate", SAMPLE, "--rules", str(path)),
        "explain": ("explain", SAMPLE, "--player", "1", "--section", "1", "--rules", str(path)),
        "check": ("check", SAMPLE, "--rules", str(path)),
        "history": ("history", "replay", "nowhere", "--out", str(tmp_path / "out"), "--rules", str(path)),
        "lab": ("lab", "rules", str(path)),
    }
    ran = run(*arguments[command])
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err == (
        f"{path}: bonus_treshold: There is no constant 'bonus_treshold'. Did you mean bonus_threshold?\n"
        f"{path}: k_numerator: -5 makes no sense here: give 1 to 100000.\n"
        "    docs/rule-sets.md lists every constant with its meaning and the numbers that make sense.\n"
    )


def test_what_is_neither_a_file_nor_a_day_is_wrong_usage(run: Run) -> None:
    ran = run("rate", SAMPLE, "--rules", "soon")
    assert ran.code == 2
    assert "'soon' is neither a file nor a date; write a date as YYYY-MM-DD" in ran.err
    ran = run("rate", SAMPLE, "--rules", "1999-12-31")
    assert ran.code == 1
    assert "no rules are known for a section starting 1999-12-31" in ran.err


def test_lab_rules_prints_what_a_rule_set_changes(run: Run, slow: str) -> None:
    ran = run("lab", "rules", slow, "--on", "2026-01-01")
    assert ran.code == 0
    title, *lines = ran.out.splitlines()
    assert title.startswith("Slow (")
    assert title.endswith("), on the edition of each section's day")
    assert lines == [
        "bonus_threshold: 10 -> 1000 (since 2025-01-01)",
        "k_numerator: 800 -> 80 (since 2025-01-01)",
    ]
    document = json.loads(run("lab", "rules", slow, "--json").out)
    assert document["format"] == "crosstable-rules/1"
    assert document["differences"][-1] == {
        "since": "2001-01-01",
        "rule": "k_numerator",
        "official": "800",
        "changed": "80",
    }
    ran = run("lab", "rules", "2025-01-01")
    assert ran.out.endswith("on the edition of 2025-01-01\nNothing differs from the official rules.\n")
    assert run("lab", "rules", slow, "--on", "2000-01-01").code == 1
    assert run("lab", "rules", slow, "--on", "once").code == 2


def test_lab_rules_needs_no_heavy_library(run: Run, slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run("lab", "rules", slow).code == 0


def test_a_replay_says_by_which_rules_it_was_made(run: Run, slow: str, tmp_path: Path) -> None:
    archive, official, out = (str(tmp_path / name) for name in ("archive", "official", "out"))
    write_archive(simulate(Federation(members=60, sections=40, years=4, seed=2)), archive)
    assert "rules: official (" in run("history", "replay", archive, "--out", official).out
    ran = run("history", "replay", archive, "--out", out, "--rules", slow)
    heading = json.loads((tmp_path / "out" / "replay.json").read_text("utf-8"))
    assert heading["rules"] == f"Slow ({heading['rule_set']['digest']})"
    assert f"rules: {heading['rules']}" in ran.out
    ratings = [pl.read_parquet(f"{folder}/ratings.parquet") for folder in (official, out)]
    assert ratings[0].drop("before", "after").equals(ratings[1].drop("before", "after"))
    assert not ratings[0].equals(ratings[1])
    refused = run("history", "replay", archive, "--out", out, "--from-year", "2002")
    assert refused.code == 1
    assert "made under other rules" in refused.err
