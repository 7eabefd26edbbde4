"""Sweeps: their scores are those of back-tests, their numbers do not depend on how they run, and they go on."""

import json
import math
import pickle
import shutil
import tomllib
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

import crosstable
from crosstable.errors import HistoryError, RuleSetError
from crosstable.history.archive import digest, empty_table, read, write
from crosstable.lab import Days, Draws, Sweep, SweepOptions, Where, backtest, other_system, rule_set, sweep
from crosstable.lab.backtesting import rival_of
from crosstable.lab.documents import PARTIAL
from crosstable.lab.plans import plan_from, plan_of, plan_text
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.lab.sweep_folder import Folder, Tried
from crosstable.lab.sweep_tasks import NO_SCORES, Job, Scored, Scores, code_digest
from crosstable.lab.sweeping import ranked, sweep_document, write_sweep
from crosstable.rules.rule_sets import RuleSet
from tests.documents import valid

# Three sections that start later end before the last one that starts until then.
UNTIL = date(2003, 7, 13)
DRAWS = Draws(seed=3, replicates=40)
OPTIONS = SweepOptions(Days(choose_until=UNTIL), draws=DRAWS)
ALONE = Where(jobs=1)
PLAN = {"grid": {"k_numerator": [80, 400, 800], "bonus_threshold": [8, 12]}}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("sweep") / "fed")
    write(simulate(Federation(members=200, sections=150, years=4, seed=5)), folder)
    return folder


@pytest.fixture(scope="module")
def found(archive: str) -> Sweep:
    return sweep(archive, PLAN, options=OPTIONS._replace(judges_all=True), where=ALONE)


def test_scores_and_paired_intervals_are_those_of_back_tests(archive: str, found: Sweep) -> None:
    """The back-test rates by the ordinary replay, keeps its working, and takes a logarithm a game.

    That is another way to the same numbers: they agree but for rounding in sums of some thousand games.
    """
    judged = found.judgement
    rules = judged.best.varied.rules
    assert isinstance(rules, RuleSet)
    spans = {"choosing": (None, UNTIL), "judging": (UNTIL + timedelta(days=1), None)}
    for name, span in spans.items():
        told = backtest(archive, rules, "official", span=span, draws=DRAWS)
        mine = getattr(judged.best.scored, name)
        assert mine.games == told.games
        assert mine.deviance == pytest.approx(told.judged.overall.deviance.value, rel=1e-11)
        assert mine.brier == pytest.approx(told.judged.overall.brier.value, rel=1e-11)
        differences = judged.chosen_by if name == "choosing" else judged.differences
        assert told.differences is not None
        rated = next(one for one in told.judged.measures if one.group == "no unrated player")
        assert mine.rated == pytest.approx(rated.deviance.value, rel=1e-11)
        for metric, mine_too in differences.items():
            due = {one.group: one for one in told.differences.measures}["all" if metric != "rated" else rated.group]
            of = "deviance" if metric == "rated" else metric
            assert mine_too == pytest.approx(getattr(due, of), rel=1e-7)


def test_a_rule_set_scores_the_same_bits_alone_in_company_and_on_two_threads(archive: str, found: Sweep) -> None:
    one_by_one = sweep(archive, PLAN, options=OPTIONS._replace(judges_all=True, lanes=1), where=Where(jobs=2))
    assert one_by_one.tried == found.tried
    assert one_by_one.judgement == found.judgement


def test_the_later_span_is_walked_for_the_best_alone_unless_asked(archive: str, found: Sweep) -> None:
    """Also where sections of the two spans overlap: those that the replay meets on its way are no score."""
    days = read(archive).sections.select("start", "end")
    last = days.filter(pl.col("start") <= UNTIL)["end"].max()
    assert days.filter((pl.col("start") > UNTIL) & (pl.col("end") < last)).height == 3
    quick = sweep(archive, PLAN, options=OPTIONS, where=ALONE)
    assert [one.scored.choosing for one in quick.tried] == [one.scored.choosing for one in found.tried]
    assert {one.scored.judging.games for one in quick.tried} == {0}
    assert quick.judgement == found.judgement


def test_the_best_is_chosen_on_the_earlier_span_and_a_bad_rule_set_is_seen_to_be_bad(archive: str) -> None:
    """K ten times too small: ratings hardly move, so predictions of a federation that improves must be worse."""
    every = sweep(archive, PLAN, options=OPTIONS, where=ALONE)
    scores = [one.scored.choosing.rated for one in every.tried]
    assert scores == sorted(scores)
    assert every.judgement.best.varied == every.tried[0].varied
    assert [one.varied.values["k_numerator"] for one in every.tried[-2:]] == [80.0, 80.0]
    bad = sweep(archive, {"grid": {"k_numerator": [80]}}, options=OPTIONS, where=ALONE)
    assert all(one.low > 0.0 for one in bad.judgement.differences.values())
    assert "predicts worse" in str(bad)


def test_who_could_rate_fewer_games_stands_last_whatever_he_scored(found: Sweep) -> None:
    """By hand: a better mean of fewer games is no better, and the text says of how many."""
    first, second, *_ = found.tried
    scores = second.scored.choosing
    fewer = second._replace(scored=second.scored._replace(choosing=Scores(scores.games - 5, 0.1, 0.1, 0.1)))
    nothing = second._replace(scored=second.scored._replace(choosing=NO_SCORES))
    order = ranked([nothing, fewer, first], "deviance")
    assert order == [first, fewer, nothing]
    told = str(found._replace(tried=(first, fewer)))
    assert f"1 could not rate all {scores.games:,} games, and stand last" in told
    assert f"  of {scores.games - 5:,} games" in told
    assert "could not rate" not in str(found)


def test_without_a_day_two_thirds_of_the_games_are_for_choosing(archive: str) -> None:
    some = sweep(archive, {"grid": {"k_numerator": [800]}}, options=SweepOptions(draws=DRAWS), where=ALONE)
    scored = some.judgement.best.scored
    share = scored.choosing.games / (scored.choosing.games + scored.judging.games)
    assert share == pytest.approx(2 / 3, abs=0.02)  # a whole day more or less


class StoppedError(Exception):
    """Somebody pulled the plug."""


def test_a_stopped_sweep_goes_on_and_nothing_half_written_counts(archive: str, tmp_path: Path, found: Sweep) -> None:
    out = tmp_path / "out"
    options = OPTIONS._replace(judges_all=True, lanes=1)

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        sweep(archive, PLAN, out, options=options, where=ALONE, progress=stop)
    kept = sorted((out / "results").glob("*.parquet"))
    assert len(kept) == 3
    kept[0].write_bytes(kept[0].read_bytes()[:100])  # damaged
    shutil.copy(kept[1], f"{kept[1]}{PARTIAL}1")  # half-written
    seen: list[tuple[int, int]] = []
    again = sweep(archive, PLAN, out, options=options, where=ALONE, progress=lambda *now: seen.append(now))
    assert seen[0] == (2, 6)
    assert again.resumed == 2
    assert again.tried == found.tried
    assert not list((out / "results").glob(f"*{PARTIAL}*"))
    assert len(list((out / "results").glob("*.parquet"))) == 6
    more = {"grid": {"k_numerator": [80, 400, 800], "bonus_threshold": [8, 12, 16]}}
    assert sweep(archive, more, out, options=options, where=ALONE).resumed == 6


def test_a_folder_of_another_sweep_is_told_and_kept(archive: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = {"grid": {"k_numerator": [800]}}
    sweep(archive, plan, out, options=OPTIONS, where=ALONE)
    later = OPTIONS._replace(days=Days(choose_until=date(2003, 12, 31)))
    with pytest.raises(HistoryError, match="another span of days"):
        sweep(archive, plan, out, options=later, where=ALONE)
    other = str(tmp_path / "other")
    write(simulate(Federation(members=60, sections=40, years=4, seed=6)), other)
    with pytest.raises(HistoryError, match="another archive"):
        sweep(other, plan, out, options=OPTIONS, where=ALONE)
    assert sweep(archive, plan, out, options=OPTIONS, where=ALONE).resumed == 1
    assert sweep(other, plan, out, options=OPTIONS._replace(starts_anew=True), where=ALONE).resumed == 0
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(HistoryError, match="holds no sweep"):
        sweep(archive, plan, full, options=OPTIONS, where=ALONE)


def test_results_of_other_code_are_not_taken(archive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever scores depend on is in the digest: a comment more in any of these files, or another version."""
    package = Path(crosstable.__file__).parent
    copy = tmp_path / "crosstable"
    for name in ("history", "formulas", "lab", "rules"):
        shutil.copytree(package / name, copy / name, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("terms.py", "replaying.py"):
        shutil.copy(package / name, copy / name)
    monkeypatch.setattr(crosstable, "__file__", str(copy / "__init__.py"))
    digests = [code_digest.__wrapped__()]
    assert digests[0] == code_digest()
    names = ("sweep_tasks", "sweep_lanes", "predictions")
    for name in (*(f"lab/{name}.py" for name in names), "history/index.py", "formulas/steps.py"):
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write("# another line\n")
        digests.append(code_digest.__wrapped__())
    monkeypatch.setattr(crosstable, "__version__", "0.0.0")
    digests.append(code_digest.__wrapped__())
    assert len(set(digests)) == len(digests)

    one = plan_of({"grid": {"k_numerator": [800]}}).varied[0]
    job = Job(archive, "0" * 64, Days(), True, 1, digests[0])
    kept = Folder(str(tmp_path / "out"), job, Days(), starts_anew=False)
    kept.keep(Tried(one, Scored(Scores(1, 0.5, 0.2, 0.4), Scores(1, 0.5, 0.2, 0.4))))
    assert kept.find(one) is not None
    kept.close()
    other = Folder(str(tmp_path / "out"), job._replace(code=digests[1]), Days(), starts_anew=False)
    assert other.find(one) is None
    other.close()


def test_one_sweep_at_a_time_writes_into_a_folder(archive: str, tmp_path: Path) -> None:
    """And the folder is a sweep's from the first file on, so that one stopped at once goes on too."""
    plan = {"grid": {"k_numerator": [800]}}
    out = tmp_path / "out"
    job = Job(archive, digest(archive), OPTIONS.days, False, 4, code_digest())
    first = Folder(str(out), job, OPTIONS.days, starts_anew=False)
    with pytest.raises(HistoryError, match="another sweep is writing into"):
        sweep(archive, plan, out, options=OPTIONS, where=ALONE)
    first.close()
    shutil.rmtree(out / "results")
    found = sweep(archive, plan, out, options=OPTIONS, where=ALONE)
    write_sweep(found, str(out))
    sweep(archive, plan, out, options=OPTIONS, where=ALONE)
    assert (out / "sweep.json").exists()
    sweep(archive, {"grid": {"k_numerator": [700]}}, out, options=OPTIONS, where=ALONE)
    assert not (out / "sweep.json").exists()  # it was of another plan


def test_a_plan_is_written_as_the_file_that_gives_it_again() -> None:
    document = {
        "base": date(2025, 1, 1),
        "changes": {"peak_lowest": math.inf, "half_k_is_allowed": False, "fide": {"1": {"slope": 0.9}}},
        "grid": {"cfc.1.slope": [0.9, 1], "cfc.1.intercept": [1.5], "age_slope": {"from": 40, "to": 50, "step": 5}},
    }
    plan = plan_of(document)
    assert json.loads(json.dumps(plan.document, allow_nan=False)) == plan.document
    again = plan_from(tomllib.loads(plan_text(plan.document)), "again.toml")
    assert again.name == plan.name
    assert [one.rules for one in again.varied] == [one.rules for one in plan.varied]


def test_what_is_written_reads_back(found: Sweep, tmp_path: Path) -> None:
    write_sweep(found, str(tmp_path))
    document = valid(json.loads((tmp_path / "sweep.json").read_text(encoding="utf-8")))
    assert document == json.loads(json.dumps(sweep_document(found)))
    assert len(document["tried"]) == 6
    frame = pl.read_parquet(tmp_path / "sweep.parquet")
    assert frame["k_numerator"].to_list() == [one.varied.values["k_numerator"] for one in found.tried]
    assert rule_set(str(tmp_path / "best.toml")).digest == found.judgement.best.varied.rules.digest


def test_random_draws_follow_the_seed_and_more_draws_go_on() -> None:
    document = {
        "random": {
            "count": 5,
            "k_numerator": {"from": 400, "to": 1200},
            "bonus_threshold": {"from": 6, "to": 14, "step": 2},
            "effective_slope": {"from": 1e-6, "to": 1e-4, "scale": "log"},
            "initialisation": ["priority", "blend"],
        }
    }
    some, same, other = plan_of(document, 1), plan_of(document, 1), plan_of(document, 2)
    assert some == same
    assert some.varied != other.varied
    document["random"]["count"] = 8
    assert plan_of(document, 1).varied[:5] == some.varied
    for one in some.varied:
        assert 400 <= one.values["k_numerator"] <= 1200
        assert one.values["bonus_threshold"] in (6, 8, 10, 12, 14)
        assert 1e-6 <= one.values["effective_slope"] <= 1e-4


def test_rule_sets_that_say_the_same_are_tried_once() -> None:
    plan = plan_of({"grid": {"bonus_threshold": [10, 10.0, 12], "k_numerator": {"from": 600, "to": 800, "step": 100}}})
    assert len(plan.varied) == 6


def test_every_fault_of_a_plan_is_told_at_once_with_the_nearest_name() -> None:
    with pytest.raises(RuleSetError) as caught:
        plan_of(
            {
                "gird": {},
                "base": "1950-01-01",
                "grid": {
                    "bonus_treshold": [1],
                    "k_numerator": [-5],
                    "credited_cap": {"from": 1, "to": 5},
                    "special_games": {"from": 9, "to": 5, "step": 1},
                    "strength_cap": {"from": 1, "to": "x", "step": 1},
                    "age_base": {"from": 1, "to": 2, "stop": 1, "step": 1},
                    "age_slope": {"from": 1, "to": 2, "scale": "lg"},
                    "adult_start": {"from": 0, "to": 9, "scale": "log"},
                    "age_oldest": [],
                    "age_youngest": 3,
                },
            }
        )
    told = {fault.place: fault.message for fault in caught.value.faults}
    assert "Did you mean grid?" in told["gird"]
    assert "Did you mean bonus_threshold?" in told["grid.bonus_treshold"]
    assert "Did you mean step?" in told["grid.age_base.stop"]
    places = {"base", "grid.k_numerator", "grid.credited_cap", "grid.special_games", "grid.strength_cap"}
    places |= {"grid.age_slope.scale", "grid.adult_start", "grid.age_oldest", "grid.age_youngest"}
    assert places <= told.keys()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "neither"),
        ({"grid": {"k_numerator": [1]}, "random": {}}, "both"),
        ({"grid": 3}, "should be a table"),
        ({"grid": {}}, "Nothing is varied"),
        ({"random": {"k_numerator": {"from": 1, "to": 2}}}, "The number of draws is missing"),
        ({"grid": {"age_youngest": [3, 100]}}, "age_youngest is above age_oldest"),
        ({"grid": {"k_numerator": {"from": 1, "to": 1000, "step": 0.1}, "age_slope": list(range(100))}}, "at most"),
        ({"grid": {"k_numerator": {"from": 1, "to": 1000, "step": 0.001}}}, "more than"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(document: dict[str, object], said: str) -> None:
    with pytest.raises(RuleSetError, match=said):
        plan_of(document)


def test_histories_and_spans_without_games_are_told(archive: str, tmp_path: Path) -> None:
    plan = {"grid": {"k_numerator": [800]}}
    for day in (date(1999, 1, 1), date(2050, 1, 1)):
        with pytest.raises(HistoryError, match=r"choose a day for --choose-until between 2001-.* and 200"):
            sweep(archive, plan, options=SweepOptions(Days(choose_until=day)), where=ALONE)
    with pytest.raises(HistoryError, match="no game to sweep over"):
        sweep(archive, plan, options=SweepOptions(Days(first=date(2050, 1, 1))), where=ALONE)
    whole = read(archive)
    sections, entries, games, decisions = (empty_table(name) for name in ("sections", "entries", "games", "decisions"))
    empty = whole._replace(sections=sections, entries=entries, games=games, decisions=decisions)
    write(empty, str(tmp_path / "empty"))
    with pytest.raises(HistoryError, match="no game to sweep over"):
        sweep(tmp_path / "empty", plan, where=ALONE)


OWN = """
parameters = {"k": 32.0, "same_starts": 0.0}
def start(newcomer, p):
    return (newcomer.official if p.same_starts else 1500.0,)
def predict(one, other, day, p):
    return 1.0 / (1.0 + 10.0 ** ((other[0] - one[0]) / 400.0))
def update(people, section, p):
    before = people.copy()
    for one, other, score in zip(section.one, section.other, section.score):
        change = p.k * (score - predict(before[one], before[other], section.day, p))
        people[one, 0] += change
        people[other, 0] -= change
"""


def test_a_system_of_ones_own_is_tuned_like_rule_sets(archive: str, tmp_path: Path) -> None:
    """The scores are those of back-tests of each trial, the trials are counted, and the official starts are on offer.

    The same file is the same in a process of its own; the best less the official rules is what a back-test finds the
    other way round.
    """
    path = tmp_path / "mine.py"
    path.write_text(OWN, encoding="utf-8")
    plan = {"system": str(path), "grid": {"k": [8, 32], "same_starts": [0, 1]}}
    options = OPTIONS._replace(judges_all=True)
    tuned = sweep(archive, plan, str(tmp_path / "out"), options=options, where=ALONE)
    assert str(tuned).splitlines()[1].startswith(f"4 trials of {path}, chosen up to {UNTIL}")
    for one in tuned.tried:
        for name, span in {"choosing": (None, UNTIL), "judging": (UNTIL + timedelta(days=1), None)}.items():
            told = backtest(archive, against=one.varied.rules, span=span, draws=Draws(replicates=0)).rivals[0].judged
            mine = getattr(one.scored, name)
            rated = next(each for each in told.measures if each.group == "no unrated player")
            assert mine.games == told.overall.games
            due = (told.overall.deviance.value, told.overall.brier.value, rated.deviance.value)
            assert mine[1:] == pytest.approx(due, rel=1e-11)
    best = tuned.judgement.best.varied
    assert best.values["same_starts"] == 1  # everybody at 1500 tells nobody from another
    later = backtest(archive, against=best.rules, span=(UNTIL + timedelta(days=1), None), draws=DRAWS).differences
    assert later is not None
    gap = later.overall.deviance
    assert tuned.judgement.differences["deviance"] == pytest.approx((-gap.value, -gap.high, -gap.low), rel=1e-9)
    write_sweep(tuned, str(tmp_path / "out"))
    assert (tmp_path / "out" / "best.txt").read_text() == f"{best.rules.name}\n"
    valid(sweep_document(tuned))
    assert rival_of(best.rules.name).digest == best.rules.digest
    again = sweep(archive, plan, str(tmp_path / "out"), options=options, where=ALONE)
    assert (again.resumed, [one.scored for one in again.tried]) == (4, [one.scored for one in tuned.tried])


def test_what_is_wrong_with_trials_of_a_system_is_told() -> None:
    with pytest.raises(RuleSetError) as told:
        plan_of({"system": "elo", "grid": {"k": [16, -1], "q": [3]}})
    assert [fault.message for fault in told.value.faults] == [
        "elo: k is -1; it should be a number from 0 on",
        "elo has no parameter 'q'; it has initial_rating, same_starts, k",
    ]
    with pytest.raises(RuleSetError, match="there is no rating system 'trueskill'"):
        plan_of({"system": "trueskill", "grid": {"k": [16]}})
    with pytest.raises(HistoryError, match="is an object of this process alone"):
        pickle.dumps(other_system(SimpleNamespace(parameters={})))  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(other_system("elo:k=24"))) == other_system("elo:k=24")
