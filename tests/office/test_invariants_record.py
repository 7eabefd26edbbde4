"""What the record always says, over seeded random federations."""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select

from crosstable.engine import RatedPlayer
from crosstable.engine.rating import rate_competitors
from crosstable.errors import NoEditionError, OfficeError, Severity
from crosstable.office import tables
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_result
from crosstable.office.database import Office
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.journal import EntryKind, act_of, acts, digest_of_rows
from crosstable.office.ledger.postings import OWN, Posting, posting_from
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish, published_rows, supplements
from crosstable.office.views import section_view
from crosstable.rules.editions import edition_for
from crosstable.terms import FloorKind, Formula, RatingSystem, Report, Result
from tests.engine.random_events import EDITION_DAYS
from tests.engine.wallcharts import Played
from tests.office.claims import by_member, chains_link
from tests.office.conftest import NewOffice
from tests.office.made_office import (
    AUTHOR,
    NOW,
    QUAD,
    club_members,
    document,
    enter,
    headings_of,
    join,
    member_id,
    opening,
    posted,
    quad,
    record_of,
    report,
    run,
    section,
    send,
)
from tests.office.random_federation import Federation, federation

MEMBERS, EVENTS = 10, 7
TOLERANCE = 1e-9
TODAY = NOW.date()
DUAL = {RatingSystem.OTBR, RatingSystem.OTBQ}


def settled(new_office: NewOffice, made: Federation) -> Office:
    office = new_office()
    made.settle(office)
    run(office)
    return office


def all_postings(connection: Connection) -> list[tuple[Mapping[str, Any], Posting]]:
    """Every posting ever written, with its number, run and what it supersedes."""
    found = connection.execute(select(tables.posting).order_by(tables.posting.c.posting_id)).mappings()
    return [(dict(row), posting_from([row[name] for name in Posting._fields])) for row in found]


def test_i7_every_rating_starts_where_the_one_before_it_ended(new_office: NewOffice, seeds: Sequence[int]) -> None:
    for seed in seeds:
        postings = posted(settled(new_office, federation(seed, MEMBERS, EVENTS))).values()
        assert sum(len(chain) > 2 for chain in by_member(postings).values()) > MEMBERS / 2
        chains_link(postings)


def test_i7_a_chain_that_does_not_link_is_found(office: Office) -> None:
    join(office, *club_members())
    enter(office, quad("q"))
    run(office)
    first, *others = posted(office).values()
    with pytest.raises(AssertionError):
        chains_link([first, *(one._replace(rating_before=1.0) for one in others)])
    with pytest.raises(AssertionError):
        chains_link([one._replace(games_after=(one.games_after or 0) + 0.25) for one in posted(office).values()])


def test_i8_whoever_was_once_on_a_list_is_on_every_later_one(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """Lists of what was played by the cut-off of a year's first month, oldest first."""
    for seed in seeds:
        office = settled(new_office, federation(seed, MEMBERS, EVENTS))
        seen: set[tuple[str, RatingSystem]] = set()
        for year in range(2021, 2027):
            publish(office, AUTHOR, Month(year, 1), Basis.PLAYED)
            with office.reading() as connection:
                listed = {(row.member_id, row.system) for row in published_rows(connection, f"{year}-01")}
            assert seen <= listed, (seed, year, seen - listed)
            seen = listed
        assert len(seen) > MEMBERS / 2


def test_i9_a_published_list_never_changes(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a correction, nor by another attempt, nor by other rules; its digest is that of its rows."""
    join(office, *club_members())
    enter(office, quad("q", Played(start=date(2026, 7, 4))))
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    with office.reading() as connection:
        (made,), rows = supplements(connection), published_rows(connection, "2026-12")
    written = [{"month": "2026-12", **row._asdict(), "system": int(row.system)} for row in rows]
    assert made.digest == digest_of_rows(written)
    correct_result(office, AUTHOR, "q", ChangedResult(1, 1, 1, "L2"), TODAY)
    before = posted(office)
    monkeypatch.setattr("crosstable.history.plain.edition_for", lambda day: edition_for(date(2020, 1, 1)))
    run(office)
    assert posted(office) != before
    with pytest.raises(OfficeError, match="a list is never changed"):
        publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    with office.reading() as connection:
        assert (supplements(connection), published_rows(connection, "2026-12")) == ([made], rows)


def test_i12_a_dual_section_is_posted_in_both_systems_or_in_neither(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        office = settled(new_office, federation(seed, MEMBERS, EVENTS))
        with office.reading() as connection:
            dual = [one for one in headings_of(record_of(connection)) if set(one.systems) == DUAL]
            written = all_postings(connection)
        assert dual, f"no dual section with seed {seed}"
        for heading in dual:
            place = heading.event_id, heading.number
            members = {system: set[tuple[str, int]]() for system in DUAL}
            for row, posting in written:
                if (posting.event_id, posting.section) == place:
                    members[posting.system].add((posting.member_id, row["run"]))
            assert members[RatingSystem.OTBR] == members[RatingSystem.OTBQ]


def test_i12_where_one_system_cannot_be_rated_the_other_is_not_posted(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    join(office, *club_members())
    enter(office, quad("q", Played(control="G/45;d5")))

    def quick_has_no_rules(checked: Any, system: RatingSystem, *others: Any) -> Any:
        if system is RatingSystem.OTBQ:
            raise NoEditionError("no rules are known for Quick")
        return rate_competitors(checked, system, *others)

    monkeypatch.setattr("crosstable.engine.rating.rate_competitors", quick_has_no_rules)
    done = run(office)
    assert done is not None
    assert list(done.unratable.values()) == ["no rules are known for Quick"]
    assert not [about for about in posted(office) if about.event_id == "q"]


MIRROR = {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW}
RATED = {*MIRROR, Result.WIN_ONE_SIDED, Result.DRAW_ONE_SIDED, Result.LOSS_ONE_SIDED}


def test_i13_each_game_is_seen_from_both_sides_and_what_was_not_played_is_not_rated(
    new_office: NewOffice, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        office = settled(new_office, federation(seed, MEMBERS, EVENTS))
        with office.reading() as connection:
            record = record_of(connection)
            headings = [one for one in headings_of(record) if one.state is State.ACCEPTED]
            every = record.entries(headings)
        games: Counter[tuple[str, int, str]] = Counter()
        for heading in headings:
            rows = {entry.number: entry for entry in every[heading.event_id, heading.number]}
            for entry in rows.values():
                for at, cell in enumerate(entry.cells):
                    if cell.result in MIRROR:
                        other = rows[cell.opponent].cells[at]
                        assert (other.opponent, other.result) == (entry.number, MIRROR[cell.result])
                    games[heading.event_id, heading.number, entry.member_id] += cell.result in RATED
        for posting in posted(office).values():
            if not posting.event_id.startswith(OWN):
                at_home = games[posting.event_id, posting.section, posting.member_id]
                assert posting.played is not None
                assert 0 < posting.played <= at_home  # abroad, games against unrated players do not count (§6)


def test_i13_a_game_that_one_side_tells_otherwise_holds_its_section(office: Office, seeds: Sequence[int]) -> None:
    made = federation(5, MEMBERS, 12)
    join(office, made.people, made.openings)
    run(office)
    rng = random.Random(5)
    broken = 0
    for one in made.reports:
        first = one.sections[0]
        games = [(row, at) for row, player in enumerate(first.players) for at in range(len(player.cells))]
        row, at = rng.choice([(r, a) for r, a in games if first.players[r].cells[a].result in MIRROR] or [(0, 0)])
        cells = list(first.players[row].cells)
        if cells[at].result not in MIRROR:
            continue
        cells[at] = cells[at]._replace(result=Result.DRAW if cells[at].result is not Result.DRAW else Result.WIN)
        players = list(first.players)
        players[row] = players[row]._replace(cells=tuple(cells))
        wrong = one._replace(sections=(first._replace(players=tuple(players)), *one.sections[1:]))
        done = send(office, wrong)
        assert first.number in {held.number for held in done.held}
        assert "not-mirrored" in {fault.code for fault in done.faults if fault.severity is Severity.ERROR}
        broken += 1
    assert broken > 8


def test_i15_the_stored_working_adds_up_to_the_stored_rating(new_office: NewOffice, seeds: Sequence[int]) -> None:
    """§4.2: R + K(S - E) + B; then limits, a floor, a ceiling; and a replay shows the same working."""
    for seed in seeds:
        office = settled(new_office, federation(seed, MEMBERS, EVENTS))
        checked = 0
        for posting in posted(office).values():
            if posting.formula != Formula.STANDARD:
                continue
            assert None not in (posting.k, posting.score, posting.expected, posting.bonus, posting.prior)
            total = posting.prior + posting.k * (posting.score - posting.expected) + posting.bonus  # type: ignore[operator]
            assert posting.computed == pytest.approx(total, abs=TOLERANCE)
            if posting.floor_kind is not None:
                assert posting.floor_kind != FloorKind.NONE
                assert posting.rating_after == posting.floor_level
            checked += 1
        assert checked > 20
        _replay_shows_what_is_posted(office)


def _replay_shows_what_is_posted(office: Office) -> None:
    current = posted(office)
    places = {(about.event_id, about.section) for about in current if not about.event_id.startswith(OWN)}
    for event_id, number in sorted(places):
        with office.reading() as connection:
            view = section_view(connection, event_id, number)
        for rated in view.rated:
            for player in rated.players:
                about = (player.member_id, rated.system, event_id, number)
                if player.played:
                    stored = next(one for key, one in current.items() if tuple(key) == about)
                    assert player.after is not None
                    assert stored.standing == player.after._replace(floors=(), ceiling=None)
                    assert stored.computed == player.final.computed
                    assert stored.rating_after == pytest.approx(_what_stands(player), abs=TOLERANCE)


def _what_stands(player: RatedPlayer) -> float:
    """From what was computed to what stands: the limits of matches, a floor, the ceiling (§5, §7)."""
    outcome = player.outcome
    if outcome.is_at_ceiling:
        assert player.before is not None
        assert player.before.ceiling is not None
        return player.before.ceiling
    if outcome.floor_kind is not FloorKind.NONE:
        return outcome.floor_level
    return player.final.computed if math.isnan(outcome.limited_change) else player.prior + outcome.limited_change


def test_i16_an_old_section_is_rated_by_the_rules_of_the_day_it_started(office: Office) -> None:
    """A section on each of the days of §8, as the tests list them, and on the eve of each; rated, corrected, rated."""
    days = [date.fromisoformat(day) for day in EDITION_DAYS]
    starts = sorted({start for day in days for start in (day, max(day - timedelta(days=1), days[0]))})
    join(office, club_members()[0], [opening(number, 1500.0, as_of=date(2000, 12, 31)) for number in (1, 2, 3, 4)])
    expected = {
        number: max(day for day in days if day <= start).isoformat() for number, start in enumerate(starts, start=1)
    }
    enter(office, of_all_times(starts, QUAD))
    first = run(office)
    assert first is not None
    assert editions(office, first.act) == expected
    drawn = document(of_all_times(starts, QUAD.replace("W2 D3 W4", "D2 D3 W4").replace("L1 L4", "D1 L4")))
    assert correct_by_file(office, AUTHOR, "old", drawn, TODAY).is_stored
    second = run(office)
    assert second is not None
    assert editions(office, second.act) == expected


def of_all_times(starts: Sequence[date], wallchart: str) -> Report:
    """An event with a section on each of some days, all of which end so much later that only the start can decide."""
    return report(
        "old",
        *(
            section(wallchart, Played(start=start, end=start + timedelta(days=40)), number)
            for number, start in enumerate(starts, start=1)
        ),
    )


def editions(office: Office, act: int) -> dict[int, str]:
    table = tables.rated_section
    query = select(table.c.section, table.c.edition).where(table.c.run == act)
    with office.reading() as connection:
        return {number: edition for number, edition in connection.execute(query).all()}  # noqa: C416 (rows are no pairs)


def test_i17_every_posting_has_one_run_one_cause_and_one_actor(new_office: NewOffice, seeds: Sequence[int]) -> None:
    for seed in seeds:
        made = federation(seed, MEMBERS, EVENTS)
        office = settled(new_office, made)
        changed = made.reports[0].sections[0]
        player, opponent = next(
            (player.number or 0, player.cells[0].opponent) for player in changed.players if player.cells[0].opponent
        )
        change = ChangedResult(changed.number or 0, player, 1, f"D{opponent}")
        correct_result(office, AUTHOR._replace(actor="the director"), made.reports[0].event_id, change, TODAY)
        run(office)
        with office.reading() as connection:
            written = all_postings(connection)
            numbers = {act.seq: act for act in acts(connection)}
            _supersede_once(written)
            for row, posting in written:
                act = numbers[row["run"]]
                assert (act.kind, act.actor) == (EntryKind.RATE, AUTHOR.actor)
                _has_one_cause(connection, row["run"], posting)


def _supersede_once(written: Sequence[tuple[Mapping[str, Any], Posting]]) -> None:
    """A posting is superseded by at most one, which is about the same and of a later run."""
    by_number = {row["posting_id"]: (row, posting) for row, posting in written}
    superseded = [row["supersedes"] for row, _ in written if row["supersedes"] is not None]
    assert len(superseded) == len(set(superseded))
    for row, posting in written:
        if row["supersedes"] is not None:
            old_row, old = by_number[row["supersedes"]]
            assert (old.about, old_row["run"] < row["run"]) == (posting.about, True)


def _has_one_cause(connection: Connection, number: int, posting: Posting) -> None:
    table = tables.ripple
    where = (table.c.run == number, table.c.member_id == posting.member_id, table.c.system == int(posting.system))
    (line,) = connection.execute(select(table).where(*where)).mappings().all()
    causes = [int(act) for act in line["causes"].strip("[]").split(",")]
    assert causes
    for cause in causes:
        act = act_of(connection, cause)
        assert act is not None
        assert act.seq < number
        assert act.kind in (EntryKind.MEMBERS, EntryKind.OPENING, EntryKind.SUBMIT, EntryKind.CORRECT)
        assert act.actor


def test_i17_a_cause_is_the_act_that_touched_a_member_and_no_other(office: Office) -> None:
    """Two corrections in one run: who was reached by one of them only has that one as their cause."""
    join(office, *club_members(12))
    other = "1 =9 | W2 D3 W4\n2 =10 | L1 L4 L3\n3 =11 | L4 D1 W2\n4 =12 | W3 W2 L1"
    enter(office, quad("a"), quad("b", wallchart=other))
    run(office)
    first = correct_result(office, AUTHOR, "a", ChangedResult(1, 1, 1, "L2"), TODAY)
    second = correct_result(office, AUTHOR, "b", ChangedResult(1, 1, 1, "L2"), TODAY)
    done = run(office)
    assert done is not None
    causes = {line.member_id: line.causes for line in done.ripple}
    assert causes == {
        **{member_id(number): (first.act,) for number in (1, 2, 3, 4)},
        **{member_id(number): (second.act,) for number in (9, 10, 11, 12)},
    }
