"""Acts: appended, never changed, bound to one another; what was known on a day."""

import hashlib
import struct
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Connection, text

from crosstable.errors import OfficeError
from crosstable.office.audit import audit
from crosstable.office.database import Office, open_office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger import journal
from crosstable.office.ledger.journal import (
    NO_HASH,
    Author,
    Change,
    EntryKind,
    act_of,
    acts,
    append,
    canonical,
    head,
    last_act_of,
)
from crosstable.office.members import import_members
from crosstable.office.proof import proof
from crosstable.office.settings import confirm_clock, set_clock_days
from crosstable.office.status import status
from crosstable.office.supplements import run_by
from tests.office.made_office import (
    AUTHOR,
    FOUNDED,
    NOW,
    REQUIRE_LIKELY,
    HandClock,
    club_members,
    enter,
    join,
    member_id,
    person,
    quad,
    run,
    unguarded,
)


def write(office: Office, subject: str) -> int:
    with office.writing(AUTHOR.actor, "an act") as connection:
        return append(connection, office.clock, AUTHOR, Change(EntryKind.DECIDE, subject, {"said": subject}))


def test_every_entry_commits_to_the_one_before_it(office: Office) -> None:
    """SHA-256 over the digest before, that of the entry and what is said of its rows, computed by its definition."""
    write(office, "first")
    write(office, "second")
    with office.reading() as connection:
        chain = list(acts(connection))
        rows = connection.execute(text("SELECT * FROM act ORDER BY seq")).mappings().all()
        assert list(proof(connection)) == []
    assert [act.seq for act in chain] == [1, 2, 3]
    assert [act.previous for act in chain] == [NO_HASH, chain[0].digest, chain[1].digest]
    for row, act in zip(rows, chain, strict=True):
        plain = [row[name].encode() for name in ("at", "kind", "actor", "subject")]
        personal = [row[name].encode() for name in ("reason", "before", "after")]
        hidden = struct.pack("<4Q", 0, *map(len, personal)) + b"".join(personal)
        entry = struct.pack("<6Q", 0, row["seq"], *map(len, plain)) + b"".join(plain)
        entry += hashlib.sha256(row["salt"].encode() + hidden).digest()
        whole = act.previous.encode() + hashlib.sha256(entry).digest() + b"{}"
        assert act.digest == hashlib.sha256(whole).hexdigest()


def test_an_act_says_who_did_what_when_and_why(office: Office) -> None:
    seq = write(office, "a subject")
    with office.reading() as connection:
        act = act_of(connection, seq)
        assert act == head(connection)
        assert act_of(connection, seq + 1) is None
        assert list(acts(connection, after=seq)) == []
    assert act is not None
    assert (act.kind, act.actor, act.reason, act.subject) == (
        EntryKind.DECIDE,
        AUTHOR.actor,
        AUTHOR.reason,
        "a subject",
    )
    assert (act.at, act.before, act.after) == (NOW, None, {"said": "a subject"})


def test_what_stood_before_stands_beside_what_stands_after(office: Office) -> None:
    join(office, [person(1)])
    set_fact(office, Author("registrar", "a letter"), member_id(1), {"birth_date": date(2010, 2, 3)})
    with office.reading() as connection:
        act = head(connection)
    assert act is not None
    assert (act.before["birth_date"], act.after["birth_date"]) == (None, "2010-02-03")
    assert act.reason == "a letter"


@pytest.mark.parametrize("back", [timedelta(0), timedelta(seconds=1), timedelta(days=400)])
def test_times_never_run_backwards_whatever_a_clock_does(office: Office, clock: HandClock, back: timedelta) -> None:
    write(office, "first")
    clock.go(days=-back.days, seconds=-back.seconds)
    write(office, "second")
    with office.reading() as connection:
        *_, one, other = acts(connection)
    assert other.at == one.at + timedelta(microseconds=1)


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_clock_that_was_ahead_is_refused_and_what_it_stamped_is_repaired(
    office: Office, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A2: one moment 20 years ahead; afterwards lists by rule and what was known on a day go on as if it never was."""
    monkeypatch.setattr(journal, "require_likely", REQUIRE_LIKELY)
    join(office, [person(number) for number in (1, 2, 3, 4)])
    with closing(open_office(office.url, clock)) as opened:
        clock.go(days=91)
        with pytest.raises(OfficeError, match=r"February 14, 2027, 91 days after .* office clock --confirm"):
            enter(opened, quad("refused"))
        set_clock_days(office, AUTHOR, 8000)  # nobody watches this one
        assert set_clock_days(opened, AUTHOR, 8000) is None
        clock.go(days=20 * 365)
        enter(opened, quad("ahead"))
        rated = run(opened)
        clock.go(days=-20 * 365)
        with pytest.raises(OfficeError, match="February 14, 2027, 7,300 days before the last entry"):
            write(opened, "behind")
        assert any("stamped February 9, 2047" in one for one in status(opened).cautions)
        confirm_clock(opened, AUTHOR)
        write(opened, "right again")
        assert not any("stamped" in one for one in status(opened).cautions)
        with pytest.raises(OfficeError, match="one day at least"):
            set_clock_days(opened, AUTHOR, 0)
        with opened.reading() as connection:
            last = head(connection)
            assert last is not None
            assert last.at.date() == clock.today
            assert last_act_of(connection, clock.today) == last.seq
            assert rated is not None
            assert run_by(connection, clock.now + timedelta(seconds=1)) == rated.act
            assert run_by(connection, clock.now - timedelta(days=1)) == 0
        assert audit(opened).findings == ()


def test_what_was_known_on_a_day_ends_with_that_day(office: Office, clock: HandClock) -> None:
    """A day counts to its end in UTC; an instant counts itself."""
    clock.now = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    write(office, "late on the first")
    clock.now = datetime(2026, 3, 2, tzinfo=UTC)
    write(office, "early on the second")
    with office.reading() as connection:
        found = [last_act_of(connection, date(2026, 3, day)) for day in (1, 2, 3)]
        assert found == [2, 3, 3]
        assert last_act_of(connection, None) == 3
        assert last_act_of(connection, FOUNDED.date() - timedelta(days=1)) == 0
        assert last_act_of(connection, clock.now) == 3
        assert last_act_of(connection, clock.now - timedelta(microseconds=1)) == 2


def test_only_what_has_one_spelling_has_a_place_in_the_record() -> None:
    assert canonical({"b": date(2026, 1, 2), "a": [1.0, None, "é"]}) == '{"a":[1.0,null,"é"],"b":"2026-01-02"}'
    with pytest.raises(TypeError, match="no place in the record"):
        canonical({"a": {1, 2}})


def lost(connection: Connection) -> None:
    connection.execute(text("DELETE FROM act WHERE seq = 3"))


def lost_whole(connection: Connection) -> None:
    with unguarded(connection, "commitment"):
        for table in ("act", "commitment"):
            connection.execute(text(f"DELETE FROM {table} WHERE seq IN (2, 3)"))


def far_away(connection: Connection) -> None:
    """As a damaged byte may have it; nobody counts up to there."""
    connection.execute(text("UPDATE act SET seq = 2147483647 WHERE seq = 3"))


def below_all(connection: Connection) -> None:
    connection.execute(text("UPDATE act SET seq = -3 WHERE seq = 3"))


def reworded(connection: Connection) -> None:
    connection.execute(text("UPDATE act SET reason = 'another reason' WHERE seq = 3"))


def rebound(connection: Connection) -> None:
    with unguarded(connection, "commitment"):
        connection.execute(text("UPDATE commitment SET previous = :no WHERE seq = 3"), {"no": NO_HASH})


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        (lost, ["journal entry 3 is missing"]),
        (
            lost_whole,
            ["journal entries 2 to 3 are missing", "journal entry 4 is not bound to the entry before it"],
        ),
        (
            far_away,
            [
                "journal entry 3 is missing",
                "journal entries 5 to 2147483646 are missing",
                "what journal entry 2147483647 commits to is missing",
            ],
        ),
        (below_all, ["-3 is no number of a journal entry", "journal entry 3 is missing"]),
        (reworded, ["journal entry 3 was changed after it was written"]),
        (
            rebound,
            [
                "journal entry 3 is not bound to the entry before it",
                "journal entry 3 was changed after it was written",
            ],
        ),
    ],
)
def test_an_act_that_was_tampered_with_is_found(
    office: Office, tamper: Callable[[Connection], None], told: list[str]
) -> None:
    for subject in "abc":
        write(office, subject)
    with office.writing("nobody", "tampering") as connection, unguarded(connection, "act"):
        tamper(connection)
    with office.reading() as connection:
        found = list(proof(connection))
        assert [one.what for one in found] == told
        assert all(one.entry is None or f" {one.entry} " in f"{one.what} " for one in found)


def test_what_is_refused_leaves_no_act(office: Office) -> None:
    join(office, *club_members())
    with office.reading() as connection:
        before = head(connection)
    with pytest.raises(OfficeError, match="not something the office keeps"):
        set_fact(office, AUTHOR, member_id(1), {"shoe_size": 43})
    with pytest.raises(OfficeError, match="needs a reason"):
        set_fact(office, Author("registrar", ""), member_id(1), {"adult": True})
    assert import_members(office, AUTHOR, [person(1)]).act is None
    with office.reading() as connection:
        assert head(connection) == before
