"""Files that name somebody who was erased: the results count, the name does not come back, and an erasure repeats.

The office is that of ``kept_offices.story``: member 9 is a child who starts by age in section s/1.
"""

from pathlib import Path

import pytest
from sqlalchemy import select

from crosstable.errors import OfficeError
from crosstable.office import checking, submissions, tables
from crosstable.office.audit import audit
from crosstable.office.backups import backup, restore
from crosstable.office.corrections import correct_by_file, correct_member
from crosstable.office.database import Office
from crosstable.office.erasing import ERASED, erase_member
from crosstable.office.erasure_list import listed_in
from crosstable.office.submissions import Status
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.kept_offices import TODAY, story
from tests.office.made_office import AUTHOR, HandClock, document, enter, join, member_id, person, report, section, send
from tests.office.made_office import run as rate_now
from tests.office.test_erasing import ASKED, CHILD, every_text, is_named, ratings

NAME = "Member, Jonas 9"


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    made = copy_of(story)
    erase_member(made, ASKED, CHILD)
    return made


def named(made: Report, name: str = NAME) -> Report:
    """The report with the erased person's name on their rows, as a director's file has it."""
    sections = tuple(
        one._replace(
            players=tuple(
                player._replace(name=name, state="OH") if player.member_id == CHILD else player
                for player in one.players
            )
        )
        for one in made.sections
    )
    return made._replace(sections=sections)


def swiss(chart: str = "1 | W2 D9\n2 | L1 W4\n4 | U L2\n9 =9 | B D1") -> Report:
    """The event in which the child started."""
    return report("s", section(chart, Played(start=TODAY.replace(2025, 2, 8), control="G/30;d5")))


def test_a_correction_by_file_brings_nothing_back(club: Office) -> None:
    before = ratings(club)
    made = correct_by_file(club, AUTHOR, "s", document(named(swiss())), TODAY)
    assert not made.is_stored, made.differences  # nothing but the name differs
    changed = named(swiss("1 | W2 W9\n2 | L1 W4\n4 | U L2\n9 =9 | B L1"))
    made = correct_by_file(club, AUTHOR, "s", document(changed), TODAY)
    assert made.is_stored
    assert [one.code for one in made.faults if one.place == "event"] == ["erased-member"]
    assert not is_named(every_text(club), NAME)
    assert rate_now(club) is not None
    assert audit(club).findings == ()
    # Taken back, everybody has the ratings they had: the start that was kept for them is not lost.
    back = correct_by_file(club, AUTHOR, "s", document(named(swiss())), TODAY)
    assert back.is_stored
    rate_now(club)
    assert ratings(club) == before
    with pytest.raises(OfficeError, match="is erased already, and nothing of them is back"):
        erase_member(club, ASKED, CHILD)


def test_a_new_file_brings_nothing_back(club: Office) -> None:
    made = named(report("new", section("1 | W2\n2 =9 | L1", Played(start=TODAY.replace(day=1)))))
    assert send(club, made).status is Status.ACCEPTED
    assert not is_named(every_text(club), NAME)
    with club.reading() as connection:
        kept = connection.execute(select(tables.document).where(tables.document.c.event_id == "new")).mappings().one()
    assert (kept["name"], bytes(kept["content"]), kept["digest"][:7]) == (ERASED, b"", "erased-")
    assert send(club, made).status is Status.KNOWN
    rate_now(club)
    assert audit(club).findings == ()


def test_an_id_that_is_put_right_brings_nothing_back(club: Office) -> None:
    """The file had the id of somebody else by mistake."""
    join(club, [person(90)])
    chart = section("1 | W2\n2 =90 | L1", Played(start=TODAY.replace(day=1)))
    players = tuple(one._replace(name=NAME) if one.member_id == member_id(90) else one for one in chart.players)
    enter(club, report("new", chart._replace(players=players)))
    assert correct_member(club, AUTHOR, "new", (member_id(90), CHILD), TODAY).is_stored
    with club.reading() as connection:
        rows = connection.execute(select(tables.entry).where(tables.entry.c.member_id == CHILD)).mappings().all()
    assert {row["name"] for row in rows} == {ERASED}


@pytest.mark.parametrize("name", ["Ordway, Jonas", "Muñoz, Íñigo"])
def test_a_row_under_a_wrong_id_goes_however_its_name_is_written(club: Office, name: str) -> None:
    """Pairing programs write names in capitals; the section is held, because nobody has the id."""
    asked = person(90)._replace(name=name)
    join(club, [asked])
    chart = section("1 | W2\n2 =95 | L1", Played(start=TODAY.replace(day=1)))
    players = tuple(one._replace(name=name.upper()) if one.number == 2 else one for one in chart.players)
    send(club, report("new", chart._replace(players=players)))
    assert name.upper() in every_text(club)
    erase_member(club, ASKED, asked.member_id)
    assert name.casefold() not in every_text(club).casefold()
    assert audit(club).findings == ()


def test_what_is_back_all_the_same_is_found_and_erased_again(
    club: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions stored the name of a file that came after the erasure."""
    with monkeypatch.context() as earlier:
        earlier.setattr(checking, "erased_in", lambda record, made: frozenset())
        earlier.setattr(submissions, "erased_in", lambda record, made: frozenset())
        send(club, named(report("new", section("1 | W2\n2 =9 | L1", Played(start=TODAY.replace(day=1))))))
    rate_now(club)
    assert is_named(every_text(club), NAME)
    found = [one.what for one in audit(club).findings]
    assert found == [f"member {CHILD} is erased, and a row of entry names them again; erase them again"]
    backup(club, str(tmp_path / "backup.zip"))
    with club.reading() as connection:
        listed = listed_in(connection)
    target = tmp_path / "restored.db"
    assert restore(str(tmp_path / "backup.zip"), str(target), HandClock(), listed=listed).erased == 1
    assert NAME.encode() + b"'" not in target.read_bytes()
    erase_member(club, ASKED, CHILD)
    assert not is_named(every_text(club), NAME)
    assert audit(club).findings == ()


def test_nobody_gets_the_start_of_another_person(copy_of: CopyOf) -> None:
    """Two people of one section are erased, one of them rated: their row says nothing of a start."""
    club = copy_of(story)
    join(club, [person(12, birth_date=TODAY.replace(2014))])
    enter(club, report("new", section("1 | W2\n2 =12 | L1", Played(start=TODAY.replace(day=1)))))
    rate_now(club)
    erase_member(club, ASKED, member_id(1))
    erase_member(club, ASKED, member_id(12))
    with club.reading() as connection:
        table = tables.entry.c
        query = select(table.member_id).where(table.event_id == "new", table.extra.contains("start"))
        assert set(connection.execute(query).scalars()) == {member_id(12)}
