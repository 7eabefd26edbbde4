"""The report: one page that needs nothing else, says what was found, and can be made again from what it says."""

import json
import math
import re
import shlex
import tomllib
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from crosstable.cli import main
from crosstable.errors import HistoryError
from crosstable.history.archive import write
from crosstable.lab import Backtest, Draws, Report, backtest, report, rule_set
from crosstable.lab.drawing import Estimate
from crosstable.lab.judgements import Rival, _median, backtest_document
from crosstable.lab.known_systems import other_system
from crosstable.lab.measures import CROSSED
from crosstable.lab.population import Federation
from crosstable.lab.report_content import GROUPINGS, decimals_of, estimate, number, verdict
from crosstable.lab.reporting import file_of
from crosstable.lab.simulate import simulated, write_truth
from crosstable.rules.rule_files import read_rule_set, rules_text
from tests.documents import valid

FEW = Draws(seed=3, replicates=20, threads=1)
FEDERATION = Federation(members=150, sections=130, years=4, start=date(2012, 1, 1), seed=6, founders=0.5)
SLOW = rule_set(name='Slow <i>&</i> "mild"', k_numerator=400, since="2013-05-08")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("report") / "fed")
    made = simulated(FEDERATION)
    write(made.archive, path)
    write_truth(made.truth, path)
    return path


@pytest.fixture(scope="module")
def found(folder: str) -> Backtest:
    """Judged against a rule set and Elo."""
    return backtest(folder, against=[SLOW, "elo"], draws=FEW)


@pytest.fixture(scope="module")
def page(found: Backtest) -> str:
    return report(found).html


def text_of(page: str) -> str:
    """What a reader sees of a page, tags apart."""
    return unescape(re.sub(r"<[^>]*>", " ", page.partition("</style>")[2]))


def test_the_page_loads_nothing_and_runs_nothing(page: str) -> None:
    assert not re.search(r"https?:|//|<script|<link|<img|<iframe|@import|url\(|\ssrc=|\son\w+=", page)
    assert set(re.findall(r'href="(.)', page)) == {"#"}


def test_every_plot_has_words_and_a_table(page: str) -> None:
    figures = page.count("<figure>")
    assert figures > 12
    assert len(re.findall(r'<svg class="plot wide"[^>]* role="img" aria-label="[^"]{10,}', page)) == figures
    sections = re.findall(r"<section.*?</section>", page, flags=re.DOTALL)
    assert all("<table>" in one for one in sections if "<figure>" in one)


def test_names_of_rule_sets_are_text(page: str) -> None:
    assert "<i>" not in page
    assert 'Slow <i>&</i> "mild"' in text_of(page)


def test_the_page_has_the_numbers_of_the_back_test(page: str, found: Backtest) -> None:
    for one in found.everyone:
        assert estimate(one.overall.deviance) in page
        assert estimate(one.calibration_error) in page
        assert all(estimate(each.brier) in page for each in one.measures if each.grouping != CROSSED)
    for rival in found.rivals:
        gap = rival.differences.overall.brier
        assert estimate(gap, decimals_of(gap)) in page
        assert verdict(found, rival) in text_of(page)
    for cohort in found.judged.cohorts:
        if cohort.age == "25 to 49":
            assert estimate(cohort.added_up, 1) in page
    assert all(estimate(one.bonus_a_rating, 3) in page for one in found.judged.points)
    assert found.archive_digest in page
    showing = found.judged.showing
    assert showing is not None
    assert estimate(showing.median_games, 0) in page
    for heading in ("Calibration", "Era", "System", "Rating", "Age", "Games", "Inflation", "Against the truth"):
        assert f">{heading}</h" in page


def test_its_commands_and_files_give_the_same_numbers_again(
    found: Backtest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything is taken from the document, as a reader would; Elo is left out, it is judged elsewhere."""
    alone = Report(found._replace(rivals=found.rivals[:1], archive="again"), {})
    monkeypatch.chdir(tmp_path)
    document = report(found).document
    for name, text in alone.document["files"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (simulating,) = [one for one in document["commands"] if "simulate" in one]
    simulating = re.sub(r"--out \S+", "--out again", simulating)
    (repeated,) = alone.document["commands"]
    for command in (simulating, repeated.replace("--out report.html", "--json")):
        capsys.readouterr()
        assert main(shlex.split(command)[1:]) == 0
    again = valid(json.loads(capsys.readouterr().out))["backtest"]
    due = backtest_document(alone.found)
    assert again.pop("archive")["digest"] == due.pop("archive")["digest"]
    assert again == due


def test_a_rule_set_is_written_as_the_file_that_gives_it(tmp_path: Path) -> None:
    rules = rule_set(
        "2015-06-01",
        name="All kinds",
        bonus_threshold=12.5,
        initialisation="blend",
        dual_k_is_reduced=False,
        game_factors={"OTBQ": {"OTBR": 8}},
        cfc=[{"limit": 1500, "intercept": -90, "slope": 1}, {"intercept": -240, "slope": 1.1}],
    )
    path = tmp_path / file_of(rules)
    assert path.name == "all-kinds.toml"
    path.write_text(rules_text(rules), encoding="utf-8")
    assert read_rule_set(str(path)) == rules
    assert [file_of(one) for one in (rule_set(), rule_set("2025-06-01"))] == ["official", "2025-06-01"]


def test_files_of_one_name_do_not_overwrite_each_other(found: Backtest) -> None:
    """Two rule sets whose names differ in signs only; a third is one of them again; and a plan has its name too."""
    names = [("Slow!", 400), ("slow", 300), ("Slow!", 400), ("plan", 700)]
    rules = [rule_set(name=name, k_numerator=value) for name, value in names]
    rivals = tuple(Rival(found.judged._replace(rules=one), found.rivals[0].differences) for one in rules)
    shown = Report(found._replace(rivals=rivals), {}, SWEPT, "swept")
    files = shown.document["files"]
    given = re.findall(r"--against (\S+)", shown.document["commands"][-1])
    assert [tomllib.loads(files[name])["changes"]["k_numerator"] for name in given] == [400, 300, 400, 700]
    assert len(files) == 4
    assert given[0] == given[2] == "slow.toml"
    assert "grid" in tomllib.loads(files["plan.toml"])


def test_commands_say_everything_that_is_not_usual(found: Backtest) -> None:
    source = {"simulated": {**FEDERATION._asdict(), "start": "2012-01-01", "pandemic_from": None, "draws": 0.1234567}}
    elo = other_system("elo:k=24.123456789")
    rival = Rival(found.judged._replace(rules=elo), found.rivals[1].differences)
    simulating, reporting = Report(found._replace(rivals=(rival,)), source).document["commands"]
    assert "--set pandemic_from=none" in simulating
    assert "--set draws=0.1234567" in simulating
    assert "--against elo:k=24.123456789" in reporting
    pages = Report(found, {"pages": 1133, "carried": True})
    assert pages.document["commands"][0].startswith("crosstable lab pages PAGES --carried --out ")
    assert "PAGES is the folder of the 1,133 posted pages." in pages.html


def test_the_sweep_of_a_report_is_repeated_by_its_command(
    folder: str, found: Backtest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = tmp_path / "slow.toml"
    rules.write_text(rules_text(SLOW), encoding="utf-8")
    asked = ["--random", "2", "--vary", "bonus_threshold=8:12", "--rules", str(rules), "--draws", "20", "--seed", "4"]
    assert main(["lab", "sweep", folder, *asked, "--out", "first"]) == 0
    shown = report(found, sweep="first")
    for name, text in shown.document["files"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (command,) = [one for one in shown.document["commands"] if "lab sweep" in one]
    assert main(shlex.split(command.replace("--out first", "--out second"))[1:]) == 0
    one, other = (json.loads((tmp_path / name / "sweep.json").read_text("utf-8")) for name in ("first", "second"))
    assert one == other
    assert one["best"]["changes"]["k_numerator"] == 400
    capsys.readouterr()
    assert main(["lab", "sweep", folder, "--plan", "plan.toml", "--rules", "official", "--out", "third"]) == 2
    assert "leave out --rules" in capsys.readouterr().err
    twice = ["--grid", "k_numerator=1", "--grid", "k_numerator=2"]
    assert main(["lab", "sweep", folder, *twice, "--out", "third"]) == 2
    assert "k_numerator is given twice" in capsys.readouterr().err


def test_the_plot_of_differences_by_group_has_its_numbers_in_a_table(page: str, found: Backtest) -> None:
    for rival in found.rivals:
        drawn = [one for one in rival.differences.measures if one.grouping in GROUPINGS]
        assert drawn
        for one in drawn:
            row = f"{escape(rival.judged.rules.name)}, {escape(one.group)}</th><td>{one.games:,}</td>"
            assert f"{row}<td>{estimate(one.deviance, decimals_of(one.deviance))}</td>" in page


def differing(found: Backtest, low: float, high: float) -> Rival:
    rival = found.rivals[0]
    first = rival.differences.measures[0]._replace(deviance=Estimate((low + high) / 2, low, high))
    return Rival(rival.judged, rival.differences._replace(measures=[first]))


def test_a_verdict_says_no_more_than_its_interval(found: Backtest) -> None:
    assert "predicts better than" in verdict(found, differing(found, -0.02, -0.01))
    assert "lower by 0.0150 a game (95\N{NO-BREAK SPACE}% interval 0.0100 to 0.0200)" in verdict(
        found, differing(found, -0.02, -0.01)
    )
    assert "predicts worse than" in verdict(found, differing(found, 0.01, 0.02))
    assert "no better and no worse" in verdict(found, differing(found, -0.01, 0.02))
    assert "too few sections" in verdict(found, differing(found, math.nan, math.nan))


def test_a_difference_has_the_decimals_that_its_interval_deserves() -> None:
    assert decimals_of(Estimate(0.01, 0.005, 0.015)) == 4
    assert decimals_of(Estimate(0.00012, 0.0001, 0.00014)) == 6
    assert decimals_of(Estimate(0.0, 0.0, 0.0)) == decimals_of(Estimate(0.0, math.nan, math.nan)) == 4
    assert [number(value) for value in (-0.00001, -0.1, math.nan)] == ["0.0000", "−0.1000", "–"]
    unseen = "more than was seen"
    assert estimate(Estimate(math.inf, math.nan, math.nan), 0) == unseen
    assert estimate(Estimate(9.0, 3.0, math.inf), 0) == f"9 <small>3 to {unseen}</small>"
    assert estimate(Estimate(math.inf, 3.0, math.inf), 0) == f"{unseen} <small>3 to {unseen}</small>"
    assert _median(Estimate(9.0, 3.0, math.inf)) == f"9 [3, {unseen}]"
    assert str(Estimate(9.0, 3.0, math.inf)) == f"9.0000 [3.0000, {unseen}]"


def test_a_report_without_rivals_or_truth_is_a_page_too(folder: str, tmp_path: Path) -> None:
    made = simulated(FEDERATION)
    write(made.archive, str(tmp_path / "fed"))
    shown = report(tmp_path / "fed", span=("2014-01-01", "2015-06-30"), draws=FEW)
    assert isinstance(shown, Report)
    framed = re.fullmatch(r'<iframe title="Report" style="[^"]*" srcdoc="([^"]*)"></iframe>', shown._repr_html_())
    assert framed is not None
    assert unescape(framed[1]) == shown.html
    assert "<h1>Official: a back-test</h1>" in shown.html
    assert "Against the truth" not in shown.html
    assert "true strength" not in shown.html
    assert "from 2014-01-01 to 2015-06-30" in shown.html
    assert "--from 2014-01-01 --to 2015-06-30" in shown.document["commands"][-1]


def test_a_page_is_written_whole_or_not_at_all(
    found: Backtest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = report(found)
    path = tmp_path / "new" / "report.html"
    made.write(path)
    assert path.read_text("utf-8") == made.html
    with pytest.raises(HistoryError, match="is there already"):
        made.write(path)
    path.write_text("older", encoding="utf-8")

    def fail(*names: str) -> None:
        raise OSError("no room")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", fail)
        with pytest.raises(OSError, match="no room"):
            made.write(path, is_forced=True)
    assert [one.read_text("utf-8") for one in path.parent.iterdir()] == ["older"]
    made.write(path, is_forced=True)
    assert path.read_text("utf-8") == made.html


SCORES = {"games": 900, "deviance": 0.61, "brier": 0.17}
SWEEP: dict[str, Any] = {
    "format": "crosstable-sweep/1",
    "archive": {"folder": "elsewhere", "digest": "0"},
    "plan": {"name": "B", "varies": ["bonus_threshold"]},
    "days": {"first": None, "choose_until": "2013-12-31", "last": None},
    "metric": "deviance",
    "best": {"name": "B <14>", "choosing": SCORES, "judging": SCORES},
    "official": {"choosing": SCORES, "judging": SCORES},
    "differences": {
        span: {name: {"value": -0.0021, "low": -0.003, "high": None} for name in ("deviance", "brier")}
        for span in ("choosing", "judging")
    },
    "tried": [
        {
            "name": f"B <{value}>",
            "values": {"bonus_threshold": value},
            "choosing": {**SCORES, "deviance": 0.6 + value / 1000},
            "judging": {**SCORES, "deviance": None, "brier": None},
        }
        for value in (14, 6, 10)
    ],
}


SWEPT = {
    **SWEEP,
    "draws": {"seed": 1, "replicates": 20},
    "plan": {**SWEEP["plan"], "document": {"name": "B", "grid": {"bonus_threshold": [6, 10, 14]}}},
}


def test_a_sweep_is_shown_by_its_one_constant_or_by_its_best(found: Backtest, tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text(json.dumps(SWEEP), encoding="utf-8")
    shown = report(found, sweep=tmp_path)
    part = shown.html.partition('<section id="sweep">')[2].partition("</section>")[0]
    assert "Of 3 rule sets B <14> predicted best up to 2013-12-31, by deviance" in text_of(f"</style>{part}")
    assert "lower than that of the official rules by 0.00210 a game" in part
    assert "made on another archive, elsewhere" in part
    assert 'aria-label="Deviance by bonus_threshold"' in part
    assert "0.61400" in part
    assert f"--sweep {tmp_path}" in shown.document["commands"][-1]
    assert shown.document["sweep"] == SWEEP
    of_two = {**SWEEP, "plan": {"name": "B", "varies": ["bonus_threshold", "k_numerator"]}}
    (tmp_path / "sweep.json").write_text(json.dumps(of_two), encoding="utf-8")
    assert 'aria-label="The best of the sweep' in report(found, sweep=tmp_path).html


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "holds no finished sweep"),
        ("{", "cannot be read"),
        ("[]", "is not crosstable-sweep/1"),
        ('{"format": "crosstable-sweep/1"}', "does not hold what crosstable-sweep/1 has"),
        ('{"format": "crosstable-sweep/1", "days": [], "best": 3}', "does not hold what crosstable-sweep/1 has"),
    ],
)
def test_what_is_no_sweep_is_refused_before_anything_is_computed(
    folder: str, tmp_path: Path, text: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "sweep.json").write_text(text, encoding="utf-8")
    with pytest.raises(HistoryError, match=said):
        report("nowhere", sweep=tmp_path)
    assert main(["lab", "report", "nowhere", "--sweep", str(tmp_path), "--out", str(tmp_path / "r.html")]) == 1
    assert said in capsys.readouterr().err


def test_the_door_writes_a_page_and_never_over_another(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    asked = ["lab", "report", folder, "--draws", "20", "--threads", "1"]
    assert main([*asked, "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"written to {out}\n"
    first = out.read_text("utf-8")
    assert main([*asked, "--out", str(out)]) == 1
    assert "already exists; give another name, or --force" in capsys.readouterr().err
    assert main([*asked, "--out", str(out), "--force"]) == 0
    assert out.read_text("utf-8") == first
    assert main(asked) == 2
    assert "add --out FILE for the page, or --json" in capsys.readouterr().err
    assert main([*asked, "--out", str(tmp_path)]) == 1
    assert "is a folder; give a file" in capsys.readouterr().err
    assert main([*asked, "--from", "2030-01-01", "--json"]) == 1
    assert "there is no game to judge" in capsys.readouterr().err
    assert main([*asked, "--against", "elo:q=1", "--json"]) == 1
    assert "elo has no parameter 'q'" in capsys.readouterr().err


def test_a_page_warns_where_metrics_disagree(found: Backtest, page: str) -> None:
    rival = found.rivals[0]
    mixed = [
        one._replace(deviance=Estimate(0.02, 0.01, 0.03), brier=Estimate(-0.02, -0.03, -0.01))
        if one.group == "both established"
        else one
        for one in rival.differences.measures
    ]
    turned = Rival(rival.judged, rival.differences._replace(measures=mixed))
    told = re.findall(r"metrics disagree about official\. (.*?)</p>", report(found._replace(rivals=(turned,))).html)
    assert "Both established: better by Brier score; worse by deviance." in " ".join(told)
    assert "metrics disagree" not in page


def test_a_page_of_federations_says_so_and_how_to_repeat_it(found: Backtest, page: str) -> None:
    several = Report(found._replace(rivals=(), draws=FEW._replace(federations=7)), {})
    assert "Figures are means of 7 federations; 95 % intervals come from how these differ." in text_of(several.html)
    assert "--seeds 7 " in several.document["commands"][-1]
    assert "95 % intervals come from 20 draws of members and of times. One simulated federation is one draw" in page
