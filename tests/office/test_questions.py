"""What the record asks its office: prizes without a floor, floors whose event is gone, ceilings below floors (§5).

Since 2020 a prize of $4,000 or more in a section under 2000 or a lower limit sets a floor at that limit.
"""

from datetime import date

from crosstable.errors import Severity
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.status import Question, about_event, administration_status, status
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    club_members,
    join,
    member_id,
    quad,
    rating_of,
    record_of,
    report,
    run,
    section,
    send,
)

LOST = "1 =2 | L2 L3 L4\n2 =1 | W1 U U\n3 =3 | U W1 U\n4 =5 | U U W1"


def won(event_id: str, prize: str, name: str = "U1500", day: date = date(2026, 7, 4)) -> Report:
    """Member 2, rated 1400, wins a prize in a section."""
    made = section("1 =2 | W2 W3\n2 =1 | L1 U\n3 =3 | U L1", Played(start=day), name=name)
    players = (made.players[0]._replace(details={"prize": prize}), *made.players[1:])
    return report(event_id, made._replace(players=players))


def asked(office: Office) -> list[Question]:
    """The open questions, the same in the administration and in the status."""
    found = list(status(office).questions)
    assert list(administration_status(office).questions) == found
    return found


def test_a_prize_leads_the_office_to_its_floor_and_a_withdrawn_event_to_its_end(office: Office) -> None:
    join(office, *club_members())
    run(office)
    done = send(office, won("open", "$4,500"))
    assert [(one.code, one.severity) for one in done.faults if "prize" in one.code] == [
        ("money-prize", Severity.WARNING)
    ]
    send(office, won("small", "3999.99", day=date(2026, 7, 5)))
    send(office, won("strong", "9,000", name="Under 2100", day=date(2026, 7, 6)))
    send(office, won("open to all", "9,000", name="Open", day=date(2026, 7, 7)))
    run(office)
    (found,) = asked(office)
    assert (found.member_id, found.event_id, found.entry) == (member_id(2), "open", None)
    assert "won $4,500 under 1500 in event open, which sets a money floor of 1500" in found.message
    prize = Ruling(DecisionKind.MONEY_FLOOR, member_id(2), event_id="open", details={"prize": 4500, "limit": 1500})
    first = decide(office, AUTHOR, prize)
    assert asked(office) == []
    send(office, quad("late", Played(start=date(2026, 8, 1)), LOST))
    run(office)
    assert rating_of(office, 2) == 1500.0  # they never were that high: the floor lifts them
    correct_result(office, AUTHOR, "open", ChangedResult(1, 1, 1, "D2"), NOW.date())
    (found,) = asked(office)
    assert (found.entry, "was changed since" in found.message) == (first, True)
    again = decide(office, AUTHOR, prize)
    assert asked(office) == []
    withdraw(office, AUTHOR, "open")
    (found,) = asked(office)
    assert (found.entry, "is withdrawn" in found.message) == (again, True)
    with office.reading() as connection:
        assert about_event(record_of(connection), "open") == [found]
        assert about_event(record_of(connection), "small") == []
    run(office)
    assert rating_of(office, 2) == 1500.0  # until the office says so
    for act in (first, again):
        decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    assert asked(office) == []
    run(office)
    assert rating_of(office, 2) < 1500.0
    Claims(office).after_a_run()


def test_a_ceiling_below_a_floor_is_asked_about(office: Office) -> None:
    join(office, *club_members())
    run(office)
    decide(office, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(2), OTBR, date(2026, 1, 1), 1390.0))
    decide(office, AUTHOR, Ruling(DecisionKind.CEILING, member_id(2), OTBR, date(2026, 1, 1), 1395.0))
    assert asked(office) == []
    act = decide(office, AUTHOR, Ruling(DecisionKind.CEILING, member_id(2), OTBR, date(2026, 1, 2), 1380.0))
    (found,) = asked(office)
    assert (found.member_id, found.entry) == (member_id(2), act)
    assert "The ceiling of 1380 in OTBR is below the office floor of 1390; the ceiling holds." in found.message
