"""Made-up federations: the same from the same seed, sound by every check, and about as a federation is."""

from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from crosstable.checks import check
from crosstable.checks.report import check_section
from crosstable.errors import Severity
from crosstable.history.archive import Archive, read, write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate, summary_of
from crosstable.office.submissions import Status, SubmitOptions
from crosstable.terms import RatingSystem, Report, Section, SectionType
from tests.amounts import amount
from tests.history.interpreted import InterpretedReplay, interpreted_replay
from tests.office.made_office import HandClock, founded, run, send
from tests.office.season import season
from tools.archive_reports import Brings, reported

# Large enough for shares to settle, small enough to be made in a second or two.
WHOLE = Federation(members=2000, sections=1000, seed=11)
STRONG = Federation(
    members=220,
    sections=200,
    start=date(2016, 1, 1),
    years=8,
    seed=5,
    founders=0.5,
    career_years=12.0,
    adult_strength=2100.0,
    junior_strength=1800.0,
    median_size=10.0,
    matches=0.04,
    abroad=0.06,
    prizes=0.02,
)


@cache
def whole() -> Archive:
    """A federation from 2001 to 2025."""
    return simulate(WHOLE, is_compiled=False)


def share(frame: pl.DataFrame, condition: pl.Expr) -> float:
    """The share of rows for which something holds."""
    found: float = frame.select(condition.mean()).item()
    return found


# The seed


def test_the_same_seed_gives_the_same_federation() -> None:
    again = simulate(WHOLE._replace(), is_compiled=False)
    for name, frame in whole().tables.items():
        assert frame.equals(again.tables[name]), name


def test_another_seed_gives_another() -> None:
    small = Federation(members=200, sections=20, years=2)
    assert not simulate(small).games.equals(simulate(small._replace(seed=2)).games)


def test_compiled_play_is_the_same_play() -> None:
    """The interpreter's games are the measure; everything that is played comes about."""
    federation = STRONG._replace(sections=100, double_games=0.2, withdrawals=0.1, forfeits=0.05)
    interpreted, compiled = (simulate(federation, is_compiled=one) for one in (False, True))
    for name, frame in interpreted.tables.items():
        assert frame.equals(compiled.tables[name]), name


def test_tables_are_the_same_in_whatever_portions_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but names and decisions, whose luck is drawn portion by portion."""
    federation = STRONG._replace(sections=60)
    at_once = simulate(federation)
    monkeypatch.setattr("crosstable.lab.simulate.PORTION", 50)
    in_parts = simulate(federation)
    for name in ("members", "outside", "openings", "games"):
        assert in_parts.tables[name].equals(at_once.tables[name]), name
    assert in_parts.sections.drop("event_name").equals(at_once.sections.drop("event_name"))
    strangers = pl.col("name").is_not_null()
    assert in_parts.entries.drop("name").equals(at_once.entries.drop("name"))
    assert in_parts.entries.select(strangers).equals(at_once.entries.select(strangers))


def test_a_federation_says_what_it_was_made_from() -> None:
    assert whole().source["simulated"]["seed"] == 11
    assert whole().source["simulated"]["start"] == "2001-01-01"


# Soundness


def test_a_federation_is_a_sound_archive(tmp_path: Path) -> None:
    write(whole(), str(tmp_path))
    for name, frame in read(str(tmp_path)).tables.items():
        assert frame.equals(whole().tables[name]), name


@pytest.mark.parametrize("federation", [STRONG, WHOLE._replace(members=400, sections=150, half_k=0.0, ceilings=0.0)])
def test_sections_pass_every_check(federation: Federation) -> None:
    """With the ratings that the plain replay gives them, no section has an error, or systems of its own."""
    archive = simulate(federation)
    replayed = 0
    kinds = set()
    for taken in InterpretedReplay(archive):
        archived = taken.archived
        assert not taken.unratable
        replayed += 1
        section = reported(archived, _brings(taken.rated[0].section))
        days = archived.section.start, archived.section.end
        faults, checked = check_section(Report(archived.section.event_id, "", *days, (section,), ""), 0)
        errors = {fault.code for fault in faults if fault.severity is Severity.ERROR}
        assert errors <= {"foreign-not-eligible"}  # who opted in is known to the office, not to a report
        if errors:
            continue
        assert checked is not None
        assert checked.section.systems == archived.section.systems
        assert checked.section.is_dual_control == archived.section.is_dual_control
        kinds.add(archived.section.kind)
    assert replayed == archive.sections.height
    assert federation is not STRONG or len(kinds) == 5


def _brings(rated: Section) -> Brings:
    return lambda archived, at: rated.entries[at].background


def test_every_section_can_be_rated() -> None:
    """FIDE ratings keep clear of the years whose conversion was not found, or somebody would bring one then."""
    federation = Federation(members=500, sections=160, seed=3, adult_strength=2000.0, canadians=0.05)
    archive = simulate(federation)
    assert archive.outside.height > 100
    assert interpreted_replay(archive).unratable == {}


def test_an_event_id_begins_with_the_day_the_event_ended() -> None:
    sections = whole().sections
    ends = sections["end"].dt.strftime("%Y%m%d")
    assert (sections["event_id"].str.slice(0, 8) == ends).all()
    assert (sections["event_id"].str.len_chars() == 12).all()


# Pairings


def sides() -> pl.DataFrame:
    """Every game twice, as each of its two players sees it."""
    games = whole().games.join(_kinds(), on="section")
    one = games.select("section", "kind", "round", row="first", other="second")
    return pl.concat([one, games.select("section", "kind", "round", row="second", other="first")])


def _kinds() -> pl.DataFrame:
    return whole().sections.select("kind", section=pl.int_range(pl.len(), dtype=pl.UInt32))


def test_nobody_plays_two_games_in_a_round() -> None:
    assert not sides().select(pl.struct("section", "round", "row").is_duplicated().any()).item()


def test_nobody_meets_an_opponent_twice_in_a_swiss_section() -> None:
    """Where each pairing plays two games, the two stand in rounds that follow each other."""
    met = sides().filter(pl.col("kind") == 0).group_by("section", "row", "other").agg("round")
    twice = met.filter(pl.col("round").list.len() > 1)["round"].to_list()
    assert all(len(rounds) == 2 and max(rounds) - min(rounds) == 1 and min(rounds) % 2 == 1 for rounds in twice)
    doubled = met.group_by("section").agg((pl.col("round").list.len() == 2).mean()).get_column("round")
    assert set(doubled) == {0.0, 1.0}, "a section plays two games in every pairing or in none"


def test_every_row_has_a_cell_in_every_round() -> None:
    """A game, a bye, a forfeit or the mark of having withdrawn; in foreign events opponents only play the members."""
    played = sides().group_by("section", "row").len("games")
    entries = whole().entries.with_columns(row=pl.col("number").cast(pl.UInt16) - 1).join(_kinds(), on="section")
    cells = pl.col("unplayed").str.count_matches(":").fill_null(0)
    counted = entries.join(played, on=["section", "row"], how="left").filter(pl.col("kind") < 3)
    counts = counted.select("section", count=cells + pl.col("games").fill_null(0))
    assert counts.group_by("section").agg(pl.col("count").n_unique())["count"].max() == 1


def test_round_robins_are_complete() -> None:
    """Everybody is paired with everybody else once, or twice; what was not played is a forfeit or nobody was there."""
    robins = sides().filter(pl.col("kind") == 1).group_by("section", "row", "other").len()
    assert robins["len"].max() == 2
    sizes = whole().entries.group_by("section").len("size")
    full = robins.group_by("section", "row").len("opponents").join(sizes, on="section")
    assert (full["opponents"] < full["size"]).all()
    assert share(full, pl.col("opponents") == pl.col("size") - 1) > 0.6


# Shares: wide bounds around what ``Federation`` asks for


def test_as_much_is_played_as_was_asked_for() -> None:
    found = summary_of(whole())
    assert 950 <= found.sections <= 1000
    assert 20 <= found.games / found.sections <= 60
    assert found.members_who_played > found.members / 2
    assert 0.05 < found.draws / found.games < 0.25


def test_sections_are_of_all_sizes() -> None:
    size = whole().entries.group_by("section").len("size")["size"]
    assert size.min() == 2
    assert share(whole().entries.group_by("section").len("size"), pl.col("size") > 20) < 0.5
    assert 60 < int(size.max()) <= 200  # type: ignore[arg-type]


def test_kinds_of_sections() -> None:
    sections = whole().sections
    assert 0.07 < share(sections, pl.col("kind") == 1) < 0.13
    assert 0.002 < share(sections, pl.col("kind") == 2) < 0.03
    assert 0.3 < share(sections.filter(pl.col("start") >= date(2002, 1, 1)), pl.col("systems") == 3) < 0.42
    assert {system for system, played in summary_of(whole()).by_system.items() if played.games} == set(RatingSystem)


def test_online_play_begins_in_2014_and_rules_the_pandemic() -> None:
    sections = whole().sections
    assert share(sections.filter(pl.col("end") < date(2014, 10, 1)), pl.col("is_online")) == 0.0
    assert 0.02 < share(sections.filter(pl.col("end") > date(2021, 8, 1)), pl.col("is_online")) < 0.15
    in_pandemic = pl.col("end").is_between(date(2020, 6, 1), date(2021, 6, 30))
    assert share(sections.filter(in_pandemic), pl.col("is_online")) > 0.55


def test_half_k_ends_in_march_2006() -> None:
    archive = simulate(Federation(members=500, sections=200, years=8, half_k=0.3))
    half_k = archive.sections.filter("is_half_k")
    assert half_k.height > 10
    assert half_k["start"].max() < date(2006, 3, 1)  # type: ignore[operator]


def test_old_reports_may_name_systems_instead_of_a_control() -> None:
    sections = whole().sections
    unnamed = sections.filter((pl.col("time_control") == "") & (pl.col("kind") < 3))
    assert unnamed.height > 0
    assert unnamed["start"].max() < date(2004, 1, 1)  # type: ignore[operator]
    assert (unnamed["asked_systems"] == unnamed["systems"]).all()


def test_the_stronger_usually_wins() -> None:
    """Rows stand by strength as far as a director knows it, so the first of two should score more."""
    scored = whole().games.filter(pl.col("first") + 4 < pl.col("second"))["result"].mean()
    assert float(scored or 0) > 1.2  # type: ignore[arg-type]


def test_white_scores_a_little_more() -> None:
    games = whole().games
    white = games.select(
        pl.when(pl.col("colour") == 1).then(pl.col("result")).otherwise(2 - pl.col("result"))
    ).to_series()
    assert 1.02 < float(white.mean() or 0) < 1.12  # type: ignore[arg-type]
    assert 0.45 < share(games, pl.col("colour") == 1) < 0.55


def test_unrated_players_come_with_and_without_birth_dates() -> None:
    members = whole().members
    assert 0.6 < share(members, pl.col("birth_date").is_not_null()) < 0.8
    undated = members.filter(pl.col("birth_date").is_null())
    assert set(undated["adult"].to_list()) == {True, False, None}
    assert members.filter(pl.col("birth_date").is_not_null())["adult"].null_count() == members["birth_date"].count()


def test_outside_ratings_have_dates_and_owners() -> None:
    archive = simulate(WHOLE._replace(sections=1, canadians=0.05))
    bodies = Counter(archive.outside["body"].to_list())
    assert bodies[0] > 50
    assert bodies[1] > 50
    owners = archive.members.with_row_index("member").join(archive.outside, on="member", how="semi")
    assert (owners.select(pl.col("fide_id") + pl.col("cfc_id")).to_series() != "").all()


def test_names_are_different() -> None:
    members = whole().members
    assert members["name"].n_unique() == members.height
    assert members["name"].str.contains(r"^[A-Z][a-z]+, [A-Z][a-z]+$").all()


def test_progress_counts_sections() -> None:
    told: list[int] = []
    archive = simulate(Federation(members=200, sections=30, years=2), told.append)
    assert told == sorted(told)
    assert told[-1] == archive.sections.height


def test_a_federation_too_small_to_play_is_an_archive_without_sections() -> None:
    archive = simulate(Federation(members=20, sections=5, years=1, founders=0.0, career_years=0.01))
    assert archive.members.height == 20
    assert archive.sections.is_empty()
    assert summary_of(archive).first is None


def members(reports: list[Report]) -> set[str]:
    return {player.member_id for report in reports for section in report.sections for player in section.players}


def test_a_season_is_about_two_hundred_members_and_forty_sections() -> None:
    reports = season()
    sections = [section for report in reports for section in report.sections]
    assert 140 <= len(members(reports)) <= 200
    assert 35 <= len(sections) <= 40
    assert {SectionType.SWISS, SectionType.ROUND_ROBIN} <= {section.kind for section in sections}


def test_the_same_seed_gives_the_same_season() -> None:
    assert season(3) == season(3)
    assert season(3) != season(4)


def test_reports_are_in_order_and_without_fault() -> None:
    for seed in range(1, 4):
        reports = season(seed)
        assert [report.end for report in reports] == sorted(report.end for report in reports if report.end)
        faults = Counter(fault.code for report in reports for fault in check(report).faults)
        assert set(faults) <= {"long-days"}  # slow games on short weekends: warned of, and real


def test_an_office_takes_a_season(tmp_path: Path) -> None:
    """Every report accepted whole, members and starting ratings taken from it, each event rated before the next."""
    office = founded(str(tmp_path / "office.db"), HandClock())
    for report in season()[: amount(20, 40)]:
        done = send(office, report, SubmitOptions(adds_members=True, takes_openings=True))
        assert done.status is Status.ACCEPTED
        assert not done.held, done.held
        assert run(office) is not None
    office.close()
