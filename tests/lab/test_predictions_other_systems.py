"""Elo and Glicko-2 beside rule sets: what goes to the library, what comes back, and what is said where it is not."""

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from crosstable.errors import HistoryError
from crosstable.history.archive import write
from crosstable.lab import Draws, backtest, other_system
from crosstable.lab import predictions as systems
from crosstable.lab.backtesting import backtest_document, backtest_text
from crosstable.lab.population import Federation
from crosstable.lab.predictions import INTERPRETER, Games, OtherSystem, People, interpreter, losses_from, predicted_by
from crosstable.lab.simulate import Simulated, simulated
from crosstable.lab.with_riix import library, main, predicted
from tests.lab.riix_stand_in import write_stand_in
from tests.lab.textbook import Prediction, mean, predictions

FEW = Draws(seed=3, replicates=30, threads=1)


@pytest.fixture(scope="module")
def made() -> Simulated:
    return simulated(Federation(members=120, sections=90, years=3, start=date(2015, 1, 1), seed=8, founders=0.5))


@pytest.fixture(scope="module")
def folder(made: Simulated, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("systems") / "archive")
    write(made.archive, path)
    return path


@pytest.fixture
def riix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in, found by this interpreter and by those that it starts."""
    place = write_stand_in(tmp_path)
    monkeypatch.setenv("PYTHONPATH", place)
    monkeypatch.setenv(INTERPRETER, sys.executable)
    monkeypatch.syspath_prepend(place)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "riix"]:
        del sys.modules[name]


def elo_of(games: list[Prediction], k: float, start: float) -> list[tuple[int, float, float]]:
    """Elo once more: section, expectation and score of every game; a stranger is somebody new each time."""
    ratings: dict[tuple[str, int], float] = defaultdict(lambda: start)
    found = []
    by_section: dict[tuple[int, str], list[Prediction]] = defaultdict(list)
    for game in games:
        by_section[game.section, game.system].append(game)
    for (section, system), inside in by_section.items():
        changes: dict[tuple[str, int], float] = defaultdict(float)
        for game in inside:
            one, other = [(system, who) for who in game.members]
            expected = 1.0 / (1.0 + math.pow(10.0, (ratings[other] - ratings[one]) / 400.0))
            found.append((section, expected, game.score))
            changes[one] += k * (game.score - expected)
            changes[other] -= k * (game.score - expected)
        for who, change in changes.items():
            ratings[who] += change
    return found


def test_elo_is_judged_on_the_same_games_by_the_same_figures(made: Simulated, folder: str, riix: None) -> None:
    """The other side is an Elo of this file over the games of the plain engine; 1e-9 for the order of sums."""
    games = list(predictions(made.archive))
    assert all(who >= 0 for game in games for who in game.members)
    found = backtest(folder, against=["elo:k=24", "official"], draws=FEW)
    known = elo_of(games, 24.0, 1500.0)
    deviance = [-(s * math.log(e) + (1.0 - s) * math.log(1.0 - e)) for _, e, s in known]
    elo, official = found.rivals
    assert elo.judged.overall.games == len(known) > 1000
    assert elo.judged.overall.deviance.value == pytest.approx(mean(deviance), abs=1e-9)
    assert elo.judged.overall.brier.value == pytest.approx(mean([(s - e) ** 2 for _, e, s in known]), abs=1e-9)
    gap = mean([game.deviance for game in games]) - mean(deviance)
    assert elo.differences.overall.deviance.value == pytest.approx(gap, abs=1e-9)
    assert elo.differences.overall.deviance.low < gap < elo.differences.overall.deviance.high
    assert {one.deviance.value for one in official.differences.measures} == {0.0}
    assert {one.group for one in elo.judged.measures} == {one.group for one in official.judged.measures}
    assert (elo.judged.points, elo.judged.cohorts, elo.judged.showing) == ([], [], None)


def test_a_span_is_judged_by_what_was_learned_before_it(made: Simulated, folder: str, riix: None) -> None:
    start = made.archive.sections["start"]
    found = backtest(folder, against="elo", span=("2016-07-01", None), draws=FEW)
    known = elo_of(list(predictions(made.archive)), 32.0, 1500.0)
    late = [(s - e) ** 2 for section, e, s in known if start[section] >= date(2016, 7, 1)]
    assert 100 < found.games == len(late) < len(known)
    assert found.rivals[0].judged.overall.brier.value == pytest.approx(mean(late), abs=1e-9)


def test_results_name_the_system_and_its_parameters(folder: str, riix: None) -> None:
    found = backtest(folder, against="elo:k=24", draws=FEW)
    assert backtest_document(found)["against"][0]["rules"] == {
        **{"name": "elo:k=24", "system": "elo", "library": "riix"},
        "parameters": {"initial_rating": 1500.0, "k": 24.0},
    }
    said = backtest_text(found)
    assert "Another system: Elo of riix (initial_rating 1500, k 24)" in said
    assert "Differences, official less elo:k=24" in said
    assert set(found.frame["rules"]) == {"official", "elo:k=24", "official less elo:k=24"}
    assert repr(found).startswith("<Backtest of official against elo:k=24: ")


def test_a_period_is_so_many_days_and_systems_are_apart(riix: None) -> None:
    """By hand: days 0, 29, 45 and 61 are steps 0, 0, 1 and 2 of thirty days; the other system begins at its own 0."""
    games = {
        "section": np.array([0, 1, 2, 2, 3]),
        "system": np.array([0, 0, 0, 1, 0]),
        "one": np.array([5, 5, 7, 7, -3]),
        "other": np.array([7, 9, 9, 9, 5]),
        "score": np.array([1.0, 0.5, 0.0, 0.0, 1.0]),
        "day": np.array([1000, 1029, 1045, 1045, 1061]),
    }
    parameters = {"initial_rating": 1500.0, "initial_rd": 350.0, "initial_sigma": 0.06, "tau": 0.5}
    found = predicted(games, "glicko2", {**parameters, "period_days": 30.0})
    assert found.tolist() == [0.5, 0.5, 0.501, 0.5, 0.502]
    assert predicted(games, "glicko2", {**parameters, "period_days": 20.0}).tolist() == [0.5, 0.501, 0.502, 0.5, 0.503]
    # K 32: the first game makes 1516 and 1484; the stranger of the last one is nobody seen before.
    found = predicted(games, "elo", {"initial_rating": 1500.0, "k": 32.0})
    assert found[:2].tolist() == [0.5, 1.0 / (1.0 + 10.0 ** (-16.0 / 400.0))]
    assert found[3] == 0.5


def test_the_program_reads_games_and_writes_expectations(
    tmp_path: Path, riix: None, capsys: pytest.CaptureFixture[str]
) -> None:
    given, out = str(tmp_path / "games.npz"), str(tmp_path / "expected.npy")
    parameters = json.dumps({"initial_rating": 1500.0, "k": 32.0})
    zero, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    of_a_game = {"section": zero, "system": zero, "one": zero, "other": one, "day": zero, "score": np.ones(1)}
    np.savez(given, allow_pickle=False, kind=np.array("elo"), parameters=np.array(parameters), **of_a_game)
    main(given, out)
    assert np.load(out).tolist() == [0.5]
    assert capsys.readouterr().out == f"{library()}\n"


def test_costs_of_given_expectations_are_compiled_with_the_same_bits() -> None:
    """By pocket calculator: -ln 0.75 = 0.287682, -ln 0.25 = 1.386294; the squares 0.0625 and 0.5625."""
    expected, score = np.array([0.75, 0.75]), np.array([1.0, 0.0])
    found = losses_from(expected, score)
    assert found.deviance == pytest.approx([0.287682, 1.386294], abs=5e-7)
    assert found.brier.tolist() == [0.0625, 0.5625]
    assert found.expected.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("elo:q=3", "elo has no parameter 'q'; it has initial_rating, k"),
        ("glicko2:tau=0", "glicko2: tau is '0'; it should be a number above 0"),
        ("elo:k=fast", "elo: k is 'fast'; it should be a number above 0"),
        ("trueskill", "there is no rating system 'trueskill' to compare with; there are elo, glicko2"),
    ],
)
def test_a_wrong_wish_is_told(text: str, said: str) -> None:
    with pytest.raises(HistoryError, match=said):
        other_system(text)


def test_wishes_by_name_and_as_text_are_the_same() -> None:
    assert other_system("glicko2", tau=0.3) == other_system("glicko2:tau=0.3")
    assert other_system("glicko2:tau=0.3").name == "glicko2:tau=0.3"
    assert other_system("elo:k=32").name == "elo"


def nothing_played() -> tuple[Games, People]:
    none = np.zeros(0, dtype=np.int32)
    games = Games(none, none.astype(np.uint8), none, none, np.zeros(0))
    return games, People(none.astype(np.uint32), none, none.astype(np.uint8), np.zeros(0), np.zeros(0), np.zeros(0))


def asked_of(python: Path, text: str) -> OtherSystem:
    """Elo by an interpreter that is a shell script."""
    python.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    python.chmod(0o755)
    return other_system("elo", python=str(python))


def test_without_riix_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INTERPRETER, raising=False)
    monkeypatch.setattr(systems, "find_spec", lambda name: None)
    monkeypatch.setattr(systems, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HistoryError, match=r"riix is not installed, which Elo is taken from; make peers"):
        interpreter(other_system("elo"))
    there = tmp_path / ".venv-peers" / "bin" / "python"
    there.parent.mkdir(parents=True)
    there.touch()
    assert interpreter(other_system("elo")) == str(there)
    monkeypatch.setattr(systems, "find_spec", lambda name: object())
    assert interpreter(other_system("elo")) == sys.executable
    assert interpreter(other_system("elo", python="mine")) == "mine"


def test_an_interpreter_that_fails_is_told(tmp_path: Path) -> None:
    games, people = nothing_played()
    python, day = tmp_path / "python", np.zeros(0, dtype=np.int32)
    with pytest.raises(HistoryError, match=r"cannot be run: No such file or directory; make peers"):
        predicted_by(other_system("elo", python=str(tmp_path / "nowhere")), games, people, day)
    with pytest.raises(HistoryError, match=r"python has no riix; make peers"):
        predicted_by(
            asked_of(python, "echo \"ModuleNotFoundError: No module named 'riix'\" >&2; exit 1"), games, people, day
        )
    with pytest.raises(HistoryError, match=r"Elo by .*python failed: out of memory"):
        predicted_by(asked_of(python, "echo out of memory >&2; exit 1"), games, people, day)
    with pytest.raises(HistoryError, match=r"failed: it said nothing"):
        predicted_by(asked_of(python, "exit 1"), games, people, day)


def test_what_is_no_expectation_is_refused(tmp_path: Path) -> None:
    games, people = nothing_played()
    saved = tmp_path / "saved.npy"
    np.save(saved, np.array([1.5]))
    system = asked_of(tmp_path / "python", f'cp {saved} "$4"; echo riix 9')
    with pytest.raises(HistoryError, match="riix 9 gave no expectation between 0 and 1 for some games"):
        predicted_by(system, games, people, np.zeros(0, dtype=np.int32))
