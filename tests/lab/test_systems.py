"""Rating systems beside rule sets: Elo and Glicko by their authors' examples, and systems of one's own."""

import math
from collections import defaultdict
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from crosstable.errors import HistoryError
from crosstable.history.archive import write
from crosstable.lab import Draws, backtest, other_system, standard_system
from crosstable.lab.judgements import backtest_document, backtest_text
from crosstable.lab.known_systems import glicko2_update, glicko_update, no_cap, official_bonus, official_expectancy
from crosstable.lab.population import Federation
from crosstable.lab.predictions import losses_from
from crosstable.lab.simulate import Simulated, simulated
from crosstable.lab.systems import Section, _parameters
from tests.lab.textbook import Prediction, mean, predictions

FEW = Draws(seed=3, replicates=30, threads=1)
NONE = Draws(replicates=0)


@pytest.fixture(scope="module")
def made() -> Simulated:
    return simulated(Federation(members=120, sections=90, years=3, start=date(2015, 1, 1), seed=8, founders=0.5))


@pytest.fixture(scope="module")
def folder(made: Simulated, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("systems") / "archive")
    write(made.archive, path)
    return path


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


def test_elo_is_judged_on_the_same_games_by_the_same_figures(made: Simulated, folder: str) -> None:
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


def test_a_span_is_judged_by_what_was_learned_before_it(made: Simulated, folder: str) -> None:
    start = made.archive.sections["start"]
    found = backtest(folder, against="elo", span=("2016-07-01", None), draws=FEW)
    known = elo_of(list(predictions(made.archive)), 32.0, 1500.0)
    late = [(s - e) ** 2 for section, e, s in known if start[section] >= date(2016, 7, 1)]
    assert 100 < found.games == len(late) < len(known)
    assert found.rivals[0].judged.overall.brier.value == pytest.approx(mean(late), abs=1e-9)


def test_results_name_the_system_and_its_parameters(folder: str) -> None:
    found = backtest(folder, against="elo:k=24", draws=NONE)
    assert backtest_document(found)["against"][0]["rules"] == {
        **{"name": "elo:k=24", "system": "elo"},
        "parameters": {"initial_rating": 1500.0, "same_starts": 0.0, "k": 24.0},
    }
    said = backtest_text(found)
    assert "Another system: Elo (initial_rating 1500, same_starts 0, k 24)" in said
    assert "Differences, official less elo:k=24" in said
    assert set(found.frame["rules"]) == {"official", "elo:k=24", "official less elo:k=24"}
    assert repr(found).startswith("<Backtest of official against elo:k=24: ")


def test_glicko_and_glicko2_give_the_examples_of_their_author() -> None:
    """M. Glickman's own: 1500, 200 against 1400/30 (won), 1550/100 and 1700/300 (lost).

    The Glicko system: 1464, 151.4. Example of the Glicko-2 system: 1464.06, 151.52, 0.05999, a period after the last.
    """
    games = Section(30.0, np.array([0, 0, 0]), np.array([1, 2, 3]), np.array([1.0, 0.0, 0.0]))
    opponents = [[1400.0, 30.0, 30.0, 0.06], [1550.0, 100.0, 30.0, 0.06], [1700.0, 300.0, 30.0, 0.06]]
    p = _parameters(("initial_rd", "period_days", "c", "tau"))(350.0, 30.0, 0.0, 0.5)
    people = np.array([[1500.0, 200.0, 30.0], *[one[:3] for one in opponents]])
    glicko_update(people, games, p)
    assert people[0, :2] == pytest.approx([1464.1, 151.4], abs=0.06)
    people = np.array([[1500.0, 200.0, 0.0, 0.06], *opponents])
    glicko2_update(people, games, p)
    assert people[0] == pytest.approx([1464.06, 151.52, 30.0, 0.05999], abs=0.01)  # he rounds on the way


OWN = """
parameters = {"k": 24.0}

def start(newcomer, p):
    return (1500.0,)

def predict(one, other, day, p):
    return 1.0 / (1.0 + 10.0 ** ((other[0] - one[0]) / 400.0))

def update(people, section, p):
    before = people.copy()
    for one, other, score in zip(section.one, section.other, section.score):
        change = p.k * (score - predict(before[one], before[other], section.day, p))
        people[one, 0] += change
        people[other, 0] -= change
"""


def test_a_system_of_ones_own_is_judged_like_any_other(folder: str, tmp_path: Path) -> None:
    """Elo written by a user in plain Python, from a file and as an object, gives what the compiled one gives."""
    path = tmp_path / "mine.py"
    path.write_text(OWN, encoding="utf-8")
    scope: dict[str, object] = {}
    exec(OWN, scope)
    mine = SimpleNamespace(
        __name__="mine", **{name: scope[name] for name in ("parameters", "start", "predict", "update")}
    )
    found = backtest(folder, against=["elo:k=24", str(path), mine, f"{path}:k=16"], draws=NONE)  # type: ignore[list-item]
    elo, of_file, of_object, slower = (one.judged for one in found.rivals)
    for own in (of_file, of_object):
        assert [one.deviance.value for one in own.measures] == pytest.approx([m.deviance.value for m in elo.measures])
    assert slower.rules.name == f"{path}:k=16"
    assert slower.overall.deviance.value != of_file.overall.deviance.value
    path.write_text("parameters = {}", encoding="utf-8")
    with pytest.raises(HistoryError, match=r"mine\.py has no start, no predict, no update"):
        other_system(str(path))
    with pytest.raises(HistoryError, match=r"there is no file nowhere\.py"):
        other_system("nowhere.py")
    path.write_text(OWN.replace("return 1.0 /", "return 2.0 +"), encoding="utf-8")
    with pytest.raises(HistoryError, match="gave no expectation between 0 and 1"):
        backtest(folder, against=f"{path}:k=0", draws=NONE)


def test_starts_of_the_judged_rules_are_on_offer(made: Simulated, folder: str) -> None:
    """On the first day everybody is new: from the same starts Elo expects what the judged rules expect."""
    first = made.archive.sections["start"].sort()[0]
    found = backtest(folder, against=["elo:same_starts=1", "elo"], span=(None, first), draws=NONE)
    same, alike = (one.judged.overall.deviance.value for one in found.rivals)
    assert same == pytest.approx(found.judged.overall.deviance.value)
    assert alike == pytest.approx(math.log(2.0))


def test_hooks_change_the_standard_formula(folder: str) -> None:
    """A K of 32 for all, no bonus and no cap is Elo; a cap of nothing leaves everybody where they started."""
    hooked = standard_system(
        lambda r, n, m, p: 32.0,
        lambda a, b, p: 1.0 / (1.0 + 10.0 ** ((b - a) / 400.0)),
        lambda c, m, p: 0.0,
        lambda c, p: c,
    )
    found = backtest(folder, against=[hooked, "elo", "standard:change_cap=0"], draws=NONE)
    mine, elo, still = (one.judged.overall for one in found.rivals)
    assert mine.deviance.value == pytest.approx(elo.deviance.value)
    assert still.deviance.value == pytest.approx(math.log(2.0))
    # §4.2 by hand: 45 points of change in four games exceed 10 times the root of four by 25; two games earn nothing.
    p = SimpleNamespace(bonus_threshold=10.0, change_cap=30.0, scale=400.0)
    assert (official_bonus(45.0, 4.0, p), official_bonus(45.0, 2.0, p), no_cap(45.0, p)) == (25.0, 0.0, 30.0)
    assert official_expectancy(1900.0, 1500.0, p) == pytest.approx(10 / 11)


def test_costs_of_given_expectations_are_compiled_with_the_same_bits() -> None:
    """By pocket calculator: -ln 0.75 = 0.287682, -ln 0.25 = 1.386294."""
    expected, score = np.array([0.75, 0.75]), np.array([1.0, 0.0])
    found = losses_from(expected, score)
    assert found.deviance == pytest.approx([0.287682, 1.386294], abs=5e-7)
    assert found.expected.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("elo:q=3", "elo has no parameter 'q'; it has initial_rating, same_starts, k"),
        ("glicko2:tau=-1", "glicko2: tau is '-1'; it should be a number from 0 on"),
        ("elo:k=fast", "elo: k is 'fast'; it should be a number from 0 on"),
        (
            "trueskill",
            "there are elo, glicko, glicko2, standard, or a Python file",
        ),
    ],
)
def test_a_wrong_wish_is_told(text: str, said: str) -> None:
    with pytest.raises(HistoryError, match=said):
        other_system(text)


def test_wishes_by_name_and_as_text_are_the_same() -> None:
    assert other_system("glicko2", tau=0.3) == other_system("glicko2:tau=0.3")
    assert other_system("glicko2:tau=0.3").name == "glicko2:tau=0.3"
    assert other_system("elo:k=32").name == "elo"
