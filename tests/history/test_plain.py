"""The plain fold of an archive: the engine section by section, and what the office makes of the same facts."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crosstable.engine import rate
from crosstable.history.archive import Archive
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.bulk.deriving import derived as derived_of
from crosstable.rules.editions import edition_for
from crosstable.terms import (
    Background,
    Cell,
    Entry,
    OutsideRating,
    PlayerRating,
    RatingSystem,
    Result,
    Section,
    SectionType,
)
from tests.history.archive_office import settle
from tests.history.interpreted import Line, interpreted_replay
from tests.history.small_archives import small_archive
from tests.office.made_office import HandClock, founded, record_of

# No matches and nothing abroad: the loop below is to stay so simple that nobody doubts it.
PLAIN = Federation(members=150, sections=60, years=3, founders=0.5, matches=0.0, abroad=0.0, prizes=0.0, ceilings=0.0)
# Everything, and strong players, so that matches and foreign events come about.
EVERYTHING = Federation(
    members=120,
    sections=70,
    start=date(2018, 1, 1),
    years=4,
    seed=5,
    founders=0.7,
    career_years=15.0,
    juniors=0.3,
    adult_strength=2150.0,
    junior_strength=1900.0,
    median_size=10.0,
    matches=0.1,
    abroad=0.1,
    prizes=0.15,
    ceilings=0.05,
    double_games=0.1,
)
LETTERS = {(2, True): "W", (1, True): "D", (0, True): "L", (2, False): "L", (1, False): "D", (0, False): "W"}


def one_by_one(archive: Archive) -> dict[tuple[int, int, RatingSystem], tuple[float, float | None]]:
    """Rating and games after each section, by section, member and system: read from the tables row by row."""
    people = archive.members.to_dicts()
    standings: dict[int, dict[RatingSystem, PlayerRating]] = {}
    for row in archive.openings.iter_rows(named=True):
        fields = (
            "rating",
            "games",
            "wins",
            "draws",
            "losses",
            "events",
            "peak",
            "peak_since_2010",
            "games_at_2200",
            "as_of",
        )
        standings.setdefault(row["member"], {})[RatingSystem.OTBR] = PlayerRating(
            **{name: row[name] for name in fields}
        )
    found = {}
    for at, heading in enumerate(archive.sections.to_dicts()):
        rows = archive.entries.filter(pl.col("section") == at).to_dicts()
        games = archive.games.filter(pl.col("section") == at).to_dicts()
        section = _section(heading, rows, games, people)
        brought = {
            row["number"]: _background(archive, row["member"], people[row["member"]], heading, standings)
            for row in rows
        }
        edition = edition_for(heading["start"])
        results = [rate(section.with_backgrounds(brought), system, edition) for system in section.systems]
        for rated in results:
            for row, player in zip(rows, rated.players, strict=True):
                if player.games and player.after is not None:
                    standings.setdefault(row["member"], {})[rated.system] = player.after
                    found[at, row["member"], rated.system] = player.after.rating, player.after.games
    return found


def _section(
    heading: Mapping[str, Any], rows: list[dict[str, Any]], games: list[dict[str, Any]], people: list[dict[str, Any]]
) -> Section:
    entries = []
    for at, row in enumerate(rows):
        own = {game["round"]: game for game in games if at in (game["first"], game["second"])}
        cells = []
        for round_number in range(1, max((game["round"] for game in games), default=0) + 1):
            game = own.get(round_number)
            if game is None:
                cells.append(Cell(Result.BLANK, 0, ""))
                continue
            is_first = game["first"] == at
            other = game["second"] if is_first else game["first"]
            cells.append(Cell(Result(LETTERS[game["result"], is_first]), rows[other]["number"], ""))
        person = people[row["member"]]
        entries.append(Entry(row["number"], person["member_id"], person["name"], tuple(cells)))
    systems = tuple(system for system in RatingSystem if heading["systems"] & 2**system)
    kind = (SectionType.SWISS, SectionType.ROUND_ROBIN)[heading["kind"]]
    return Section(
        heading["number"],
        heading["name"],
        kind,
        heading["is_online"],
        None,
        systems,
        heading["start"],
        heading["end"],
        tuple(entries),
        heading["is_half_k"],
        heading["is_dual_control"],
    )


def _background(
    archive: Archive,
    member: int,
    person: Mapping[str, Any],
    heading: Mapping[str, Any],
    standings: Mapping[int, Mapping[RatingSystem, PlayerRating]],
) -> Background:
    lists = archive.outside.filter(pl.col("member") == member).sort("as_of")
    fide = lists.filter((pl.col("body") == 0) & (pl.col("as_of") <= heading["start"])).tail(1).to_dicts()
    cfc = lists.filter((pl.col("body") == 1) & (pl.col("as_of") <= heading["end"])).tail(1).to_dicts()
    return Background(
        standings=dict(standings.get(member, {})),
        fide=OutsideRating(fide[0]["rating"], fide[0]["as_of"]) if fide else None,
        cfc=OutsideRating(cfc[0]["rating"], cfc[0]["as_of"]) if cfc else None,
        birth_date=person["birth_date"],
        adult=person["adult"],
        canadian_resident=person["canadian_resident"],
    )


def lines_of(lines: list[Line]) -> dict[tuple[int, int, RatingSystem], tuple[float, float | None]]:
    return {(line.section, line.member, line.system): (line.rating_after, line.games_after) for line in lines}


@pytest.mark.parametrize(
    ("start", "half_k"), [(date(2003, 1, 1), 0.2), (date(2012, 7, 1), 0.0), (date(2019, 6, 1), 0.0)]
)
def test_the_plain_fold_is_the_engine_section_by_section(start: date, half_k: float) -> None:
    """Bit for bit, in three eras: half-K and whole numbers, new systems, the blend."""
    archive = simulate(PLAIN._replace(start=start, half_k=half_k, seed=start.year))
    folded = interpreted_replay(archive)
    assert lines_of(folded.lines) == one_by_one(archive)
    assert not folded.unratable
    assert len(folded.lines) > archive.entries.height / 2


def test_lines_chain() -> None:
    """What stood before a section is what stood after the one before it; the end is the last line of each."""
    folded = interpreted_replay(simulate(PLAIN._replace(opened=0.0)))
    last: dict[tuple[int, RatingSystem], Line] = {}
    for line in folded.lines:
        before = last.get((line.member, line.system))
        expected = (None, None) if before is None else (before.rating_after, before.games_after)
        assert (line.rating_before, line.games_before) == expected
        last[line.member, line.system] = line
    ends = {
        (member, system): standing.rating
        for member, own in folded.standings.items()
        for system, standing in own.items()
    }
    assert ends == {key: line.rating_after for key, line in last.items()}


def test_the_office_makes_the_same_of_the_same_facts(tmp_path: Path) -> None:
    """The office's own replay of its database, into which the archive came as reports and decisions."""
    archive = simulate(EVERYTHING)
    kinds = set(archive.sections["kind"])
    assert kinds == {0, 1, 2, 3}
    assert {"money-floor", "ceiling", "opt-in"} <= set(archive.decisions["kind"])
    office = founded(str(tmp_path / "office.db"), HandClock())
    settle(archive, office)
    with office.reading() as connection:
        derived = derived_of(record_of(connection))
    office.close()
    folded = interpreted_replay(archive)
    ids = archive.members["member_id"]
    ours = {
        (ids[member], system): standing for member, own in folded.standings.items() for system, standing in own.items()
    }
    in_order = sorted(derived.postings.values(), key=lambda posting: posting.key)
    theirs = {(posting.member_id, posting.system): posting.standing for posting in in_order}
    assert ours == theirs
    sections = archive.sections
    lines = {
        (ids[line.member], line.system, sections["event_id"][line.section], sections["number"][line.section]): line[3:]
        for line in folded.lines
    }
    posted = {
        tuple(about): (p.rating_before, p.games_before, p.rating_after, p.games_after, p.norm)
        for about, p in derived.postings.items()
        if p.played
    }
    assert lines == posted


def test_what_is_decided_and_brought_counts() -> None:
    """The small archive by hand: a ceiling of 2200 from March on, an opening that is carried, an event abroad."""
    folded = interpreted_replay(small_archive())
    by_place = {(line.section, line.member, line.system): line for line in folded.lines}
    assert by_place[0, 1, RatingSystem.OTBR].rating_before == 2250.0
    assert by_place[1, 1, RatingSystem.OTBR].rating_after == 2200.0
    assert by_place[0, 3, RatingSystem.OTBR].rating_before is None
    abroad = by_place[2, 0, RatingSystem.OTBR]
    assert abroad.rating_before == by_place[1, 0, RatingSystem.OTBR].rating_after
    assert abroad.rating_after > (abroad.rating_before or 0.0)
    assert not [line for line in folded.lines if line.member < 0]


def test_a_section_before_the_rules_began_is_left_out_with_its_reason() -> None:
    archive = small_archive()
    early = archive.sections.with_columns(
        start=pl.when(pl.col("number") == 1).then(date(2000, 1, 1)), end=pl.col("end")
    )
    folded = interpreted_replay(archive._replace(sections=early))
    assert folded.lines == []
    assert set(folded.unratable) == {0, 1, 2}
    assert "no rules are known" in folded.unratable[0]


def test_progress_is_told_section_by_section() -> None:
    told: list[int] = []
    interpreted_replay(small_archive(), told.append)
    assert told == [1, 2, 3]
