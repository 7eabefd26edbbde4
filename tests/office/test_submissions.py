"""Submissions: checks first, a section with errors is held, the same file twice is answered and not repeated."""

import zipfile
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from crosstable.checks.players import likeness
from crosstable.errors import OfficeError, Severity
from crosstable.formats.detect import Input
from crosstable.formats.event_json_write import write
from crosstable.office.checking import members_in
from crosstable.office.corrections import Seen, confirm
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind, Heading, State
from crosstable.office.ledger.journal import EntryKind, head
from crosstable.office.members import merge_members
from crosstable.office.originals import newcomers_waiting, originals
from crosstable.office.settings import MEMBERSHIPS, switch
from crosstable.office.status import status
from crosstable.office.submissions import (
    Status,
    Submission,
    SubmitOptions,
    document_of,
    document_of_bytes,
    event_like,
    event_of,
    submit,
)
from crosstable.terms import Background, GivenStart, OutsideRating, PlayerRating, Report, SectionType
from tests.engine.wallcharts import Played
from tests.formats.uschess_event import tables as report_files
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    QUAD,
    club_members,
    document,
    enter,
    join,
    member_id,
    person,
    posted,
    quad,
    rating_of,
    record_of,
    report,
    run,
    section,
    send,
)

TODAY = NOW.date()
EVERYTHING = SubmitOptions(adds_members=True, takes_openings=True)


@pytest.fixture
def members(copy_of: CopyOf) -> Office:
    return copy_of(eight_members)


def eight_members(office: Office) -> None:
    join(office, *club_members())
    run(office)


def errors(done: Submission) -> set[str]:
    return {fault.code for fault in done.faults if fault.severity is Severity.ERROR}


def heading(office: Office, event_id: str, number: int = 1) -> Heading:
    with office.reading() as connection:
        found = record_of(connection).heading(event_id, number)
    assert found is not None
    return found


def test_a_report_is_stored_with_its_file_and_its_act(members: Office) -> None:
    sent = document(quad("q"))
    done = submit(members, AUTHOR, sent, TODAY)
    assert (done.status, done.event_id, done.accepted, done.held) == (Status.ACCEPTED, "q", (1,), ())
    with members.reading() as connection:
        last = head(connection)
        assert last is not None
        assert (last.kind, last.seq, last.after["document"]) == (EntryKind.SUBMIT, done.act, sent.digest)
        (kept,) = originals(record_of(connection), "q")
    assert kept.content == sent.content


def test_a_section_with_errors_is_held_while_the_others_go_on(members: Office) -> None:
    """One bad row blocks nobody else."""
    unknown = section("1 =5 | W2\n2 =77 | L1", number=2)
    done = send(members, report("q", section(QUAD), unknown))
    assert done.accepted == (1,)
    (held,) = done.held
    assert (held.number, [fault.code for fault in held.faults if fault.severity is Severity.ERROR]) == (
        2,
        ["member-not-known"],
    )
    run(members)
    assert {about.section for about in posted(members) if about.event_id == "q"} == {1}
    found = status(members)
    assert [one.number for one in found.held] == [2]


def test_what_was_held_is_confirmed_when_its_checks_pass(members: Office) -> None:
    send(members, report("q", section("1 =5 | W2\n2 =77 | L1")))
    again = confirm(members, AUTHOR, "q", TODAY)
    assert not again.is_stored
    assert {fault.code for fault in again.faults} >= {"member-not-known"}
    with members.reading() as connection:
        people = newcomers_waiting(record_of(connection), "q")
    assert [one.member_id for one in people] == [member_id(77)]
    assert confirm(members, AUTHOR, "q", TODAY, seen=Seen(newcomers=people)).is_stored
    assert heading(members, "q").state is State.ACCEPTED
    with pytest.raises(OfficeError, match="nothing of event q waits"):
        confirm(members, AUTHOR, "q", TODAY)


def test_the_same_file_twice_is_answered_and_not_repeated(members: Office) -> None:
    first = send(members, quad("q"))
    again = send(members, quad("q"))
    assert (again.status, again.event_id, again.act) == (Status.KNOWN, "q", first.act)
    assert again.message == "this file came in as event q on 2026-11-15 by registrar; nothing to do"


def test_the_same_event_with_other_bytes_is_answered_too(members: Office) -> None:
    first = send(members, quad("q"))
    other = document_of_bytes(write(quad("q")) + b"\n\n", "again.json")
    again = submit(members, AUTHOR, other, TODAY)
    assert (again.status, again.act) == (Status.KNOWN, first.act)
    assert again.message == "event q is in the record already and nothing differs"


def test_another_version_of_an_event_is_offered_as_a_correction(members: Office) -> None:
    enter(members, quad("q"))
    other = quad("q", wallchart=QUAD.replace("W2 D3 W4", "D2 D3 W4").replace("L1 L4 L3", "D1 L4 L3"))
    done = send(members, other)
    assert (done.status, done.act) == (Status.DIFFERS, 0)
    assert done.differences == (
        "section 1: player 1 (Member, Boris 1): round 1 was W2 and is D2",
        "section 1: player 2 (Member, Clara 2): round 1 was L1 and is D1",
    )
    assert "crosstable office correct q FILE --reason" in done.message


def test_an_event_without_an_id_gets_one_of_its_end_and_is_known_by_name_and_dates(members: Office) -> None:
    made = quad("")._replace(event_id="", name="Winter Quads")
    assert [send(members, made).event_id, send(members, made).event_id] == ["202607040010"] * 2
    assert send(members, made._replace(name="Other Quads")).event_id == "202607040020"
    with members.reading() as connection:
        record = record_of(connection)
        found = event_like(record, made)
        assert found is not None
        assert (found.event_id, found.name) == ("202607040010", "Winter Quads")
        assert event_like(record, made._replace(name="Nobody's Quads")) is None
        with pytest.raises(OfficeError, match="there is no event nowhere"):
            event_of(record, "nowhere")


def test_a_day_has_room_for_so_many_events(members: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstable.office.submissions._MOST_EVENTS_A_DAY", 1)
    enter(members, quad("")._replace(event_id="", name="First"))
    with pytest.raises(OfficeError, match="more than 1 events end on 2026-07-04"):
        send(members, quad("")._replace(event_id="", name="Second"))


def test_a_section_without_dates_is_held(members: Office) -> None:
    undated = section(QUAD, start=None, end=None)
    done = send(members, Report("", "Undated", None, None, (undated,), ""))
    assert (done.event_id, errors(done)) == ("undated", {"no-dates"})
    assert heading(members, "undated").started is None
    assert run(members) is not None  # there is nothing to rate, and nothing in the way
    assert run(members) is None


def test_some_texts_cannot_be_an_event_id(members: Office) -> None:
    for wrong in ("x" * 41, "@event", "an event"):
        done = send(members, quad("q")._replace(event_id=wrong))
        assert (done.status, errors(done)) == (Status.REFUSED, {"event-id-shape"})


def test_a_report_without_sections_is_refused(members: Office) -> None:
    done = send(members, Report("q", "Empty", TODAY, TODAY, (), ""))
    assert (done.status, errors(done)) == (Status.REFUSED, {"no-section"})
    unreadable = document_of_bytes(b'{"format": "crosstable-event/1", "event": 1, "sections": 2}', "x.json")
    assert submit(members, AUTHOR, unreadable, TODAY).status is Status.REFUSED


def test_what_reading_found_belongs_to_its_section_or_to_the_whole_file(members: Office) -> None:
    text = write(report("q", section(QUAD), section("1 =5 | W2\n2 =6 | L1", number=2))).decode()
    of_section = text.replace('"W2"', '"W2", "?"', 1)
    done = submit(members, AUTHOR, document_of_bytes(of_section.encode(), "q.json"), TODAY)
    assert [held.number for held in done.held] == [1]
    of_player = text.replace('"number": 2, "name": "Section 2"', '"number": "two", "name": "Section 2"')
    done = submit(members, AUTHOR, document_of_bytes(of_player.replace('"q"', '"r"').encode(), "r.json"), TODAY)
    assert [held.number for held in done.held] == [2]
    of_all = text.replace('"end_date": "2026-07-04"', '"end_date": "2026-07-44"', 1).replace('"id": "q"', '"id": "s"')
    done = submit(members, AUTHOR, document_of_bytes(of_all.encode(), "s.json"), TODAY)
    assert (done.status, "bad-date" in errors(done)) == (Status.REFUSED, True)


# what only an office can find


def test_players_need_an_id_that_is_known(members: Office) -> None:
    made = section("1 =5 | W2\n2 =77 | L1")
    nameless = made.players[0]._replace(member_id="", name="")
    done = send(members, report("q", made._replace(players=(nameless, made.players[1]))))
    assert errors(done) == {"id-needed", "member-not-known"}


def test_a_quite_different_name_is_a_warning(members: Office) -> None:
    made = section("1 =5 | W2\n2 =6 | L1")
    other = made.players[0]._replace(name="Zhukovsky, Wilhelmina")
    done = send(members, report("q", made._replace(players=(other, made.players[1]))))
    assert done.accepted == (1,)
    assert "other-name" in {fault.code for fault in done.faults}
    assert likeness("Lovelace, Ada", "ADA LOVELACE") == 1.0
    assert members_in([report("q", made)]) == {member_id(number): person(number).name for number in (5, 6)}


def test_a_section_before_the_opening_standings_is_held(members: Office) -> None:
    before = section("1 =1 | W2\n2 =2 | L1", Played(start=date(2023, 12, 30)))
    on_the_day = section("1 =1 | W2\n2 =2 | L1", Played(start=date(2023, 12, 31)))
    assert errors(send(members, report("q", before))) == {"before-opening"}
    assert send(members, report("r", on_the_day)).accepted == (1,)


def test_a_section_for_which_a_document_is_missing_is_held(office: Office) -> None:
    """The FIDE conversion of 2009 was not found (rules history §5)."""
    join(office, [person(1, fide=(OutsideRating(2060.0, date(2008, 10, 1)),)), person(2)])
    done = send(office, report("q", section("1 | W2\n2 | L1", Played(start=date(2009, 2, 1)))))
    assert errors(done) == {"rule-not-found"}
    assert [held.number for held in done.held] == [1]


def test_a_report_may_bring_members_and_their_ratings(office: Office) -> None:
    brings = Background(standings={OTBR: PlayerRating(1600.0, 30.0)}, birth_date=date(1999, 1, 1))
    made = section("1 =1 | W2\n2 =2 | L1")
    made = made._replace(players=tuple(player._replace(background=brings) for player in made.players))
    assert send(office, report("q", made), EVERYTHING).accepted == (1,)
    run(office)
    # K = 800 / (N' + m) with N' = 26.7 at 1600, twice the same by hand: the winner gains what the loser loses.
    assert rating_of(office, 1) - 1600.0 == pytest.approx(1600.0 - rating_of(office, 2), abs=1e-9)
    first = status(office)
    assert (first.members, first.events, first.sections, first.ratings) == (2, 1, 1, 2)


def test_a_start_that_a_report_gives_by_hand_is_kept(members: Office) -> None:
    made = section("1 =4 | W2\n2 =8 | L1\n3 =5 | H")
    players = list(made.players)
    players[0] = players[0]._replace(background=Background(given_start=GivenStart(1700, 6)), details={"team": "A"})
    enter(members, report("q", made._replace(players=tuple(players))))
    run(members)
    found = next(one for about, one in posted(members).items() if about.member_id == member_id(4))
    assert (found.prior, found.start_games, found.games_after) == (1700.0, 6.0, 7.0)


# matches and events abroad


MATCH = Played(start=date(2026, 7, 4), kind=SectionType.MATCH)


def match(one: int, other: int, played: Played = MATCH) -> Report:
    return report(f"m{one}-{other}", section(f"1 ={one} | W2 W2 W2\n2 ={other} | L1 L1 L1", played))


def test_a_match_needs_players_who_are_on_the_list_in_force(members: Office) -> None:
    """§7: established ratings, published within 400 points; the list of July 2026 follows from what was posted."""
    assert send(members, match(1, 5)).accepted == (1,)
    assert errors(send(members, match(1, 6))) == {"match-not-eligible"}  # 1300 and 1800
    assert errors(send(members, match(1, 4))) == {"match-not-eligible"}  # one of them is unrated
    late = Ruling(DecisionKind.ADJUST, member_id(8), OTBR, date(2026, 7, 1), 1400.0, details={"games": 30})
    decide(members, AUTHOR, late)
    run(members)
    done = send(members, match(1, 8))
    assert errors(done) == {"match-not-eligible"}
    assert "no OTBR rating on the list that was in force" in done.held[0].faults[0].message


def test_a_match_whose_conditions_are_waived_is_rated(members: Office) -> None:
    assert send(members, match(1, 6)).held
    waived = Ruling(DecisionKind.WAIVE_MATCH, event_id="m1-6", section=1)
    decide(members, AUTHOR._replace(reason="a final of two clubs"), waived)
    found = heading(members, "m1-6")
    assert (found.state, found.match_waiver) == (State.ACCEPTED, "a final of two clubs")
    run(members)
    assert rating_of(members, 1) == 1350.0  # §7: 50 points a match


def test_an_event_abroad_rates_those_who_opted_in(members: Office) -> None:
    """§6; opponents need no id, and no membership."""
    abroad = Played(start=date(2026, 7, 4), kind=SectionType.FOREIGN_FIDE, control="G/90;+30")
    text = "1 =5 | W2 W3 | rate\n2 =88 | L1 H | fide=1900\n3 =89 | H L1 | fide=1950"
    made = section(text, abroad)
    strangers = [player._replace(member_id="") for player in made.players[1:]]
    made = made._replace(players=(made.players[0], *strangers))
    assert errors(send(members, report("a", made))) == {"foreign-not-eligible"}
    decide(members, AUTHOR, Ruling(DecisionKind.OPT_IN, member_id(5), effective=date(2026, 1, 1)))
    assert confirm(members, AUTHOR, "a", TODAY).is_stored
    run(members)
    assert {about.member_id for about in posted(members) if about.event_id == "a"} == {member_id(5)}
    decide(members, AUTHOR, Ruling(DecisionKind.OPT_OUT, member_id(5), effective=date(2026, 7, 4)))
    run(members)
    assert not [about for about in posted(members) if about.event_id == "a"]


# files


def test_several_files_are_kept_as_one_zip_that_depends_on_nothing_else(tmp_path: Path) -> None:
    for name, content in report_files().items():
        (tmp_path / name).write_bytes(content)
    folder = document_of(Input(str(tmp_path), (str(tmp_path),)))
    paths = tuple(str(path) for path in sorted(tmp_path.iterdir()))
    assert document_of(Input("three files", paths)).content == folder.content
    with zipfile.ZipFile(BytesIO(folder.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name.lower(): content for name, content in report_files().items()
        }


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.listdir", refuse)
    with pytest.raises(OfficeError, match="Permission denied"):
        document_of(Input("folder", (str(tmp_path),)))


def test_one_file_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "quads.json"
    path.write_bytes(write(quad("q")))
    found = document_of(Input("quads.json", (str(path),)))
    assert (found.content, found.reading.report.event_id) == (path.read_bytes(), "q")


def test_an_office_that_checks_memberships_holds_sections_of_others(members: Office) -> None:
    """Rulebook 23C: a member on the last day, or renewed since; in other offices it is a warning."""
    join(members, [person(1, member_until=date(2024, 1, 5)), person(2, member_until=date(2024, 1, 6))])
    played = Played(start=date(2024, 1, 6))
    told = {fault.code: fault.severity for fault in send(members, quad("a", played)).faults}
    assert told == {"membership": Severity.WARNING, "late-report": Severity.WARNING}
    assert switch(members, AUTHOR, MEMBERSHIPS, on=True) is not None
    done = send(members, quad("b", played))
    assert (done.accepted, errors(done)) == ((), {"not-a-member"})
    state_games = quad("c", played)
    exempt = state_games.sections[0]._replace(details={"coding": "StateGames"})
    assert errors(send(members, state_games._replace(sections=(exempt,)))) == set()
    join(members, [person(9, member_until=date(2026, 12, 31))])
    merge_members(members, AUTHOR, member_id(1), member_id(9))
    assert confirm(members, AUTHOR, "b", TODAY).is_stored


@pytest.mark.parametrize(("days", "is_late"), [(10, False), (11, True)])
def test_a_report_that_comes_more_than_ten_days_after_the_end_is_told(
    members: Office, days: int, is_late: bool
) -> None:
    """Official facts §6: taken by hand then; a correction of what is known is not late."""
    made = quad("q", Played(start=TODAY - timedelta(days=days)))
    assert [fault.code for fault in send(members, made).faults] == ["late-report"] * is_late
    changed = made.sections[0]._replace(name="Another name")
    assert "late-report" not in {fault.code for fault in send(members, made._replace(sections=(changed,))).faults}


def test_a_section_of_two_players_waits_until_the_office_confirms_it(members: Office) -> None:
    """§7: two players who meet twice are a match; the office may let them be an ordinary section."""
    done = send(members, report("two", section("1 =1 | W2 D2\n2 =2 | L1 D1")))
    assert [fault.code for fault in done.held[0].faults if fault.severity.stops] == ["two-player-section"]
    assert done.accepted == ()
    assert confirm(members, AUTHOR, "two", TODAY).is_stored
    assert heading(members, "two").state is State.ACCEPTED


def test_ids_of_a_club_s_own_are_no_finding_where_the_office_knows_them(copy_of: CopyOf) -> None:
    """Members 101 and 102 of the club; nobody has 103."""
    office = copy_of(lambda made: join(made, [person(1)._replace(member_id=one) for one in ("101", "102")]))
    chart = section("1 | W2\n2 | L1\n3 | U", Played(start=date(2026, 7, 4)))
    ids = zip(chart.players, ("101", "102", "103"), strict=True)
    made = send(office, report("own", chart._replace(players=tuple(one._replace(member_id=to) for one, to in ids))))
    assert ["players[2]" in one.place for one in made.faults if one.code == "member-id-shape"] == [True]
