"""Whatever statement of whatever deed fails, nothing of the deed is stored, and the next try does all of it.

The oracle is the same season without a fault: after each deed both offices hold the same rows, down to the hashes of
their acts. The try after a failure at statement k goes one statement further, so each is the retry of the one before,
and the last one is whole.
"""

from collections.abc import Callable, Iterator
from datetime import date

import pytest
from sqlalchemy.exc import DBAPIError

from crosstable.errors import OfficeError
from crosstable.office.corrections import ChangedResult, confirm, correct_by_file, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.founding import found_office
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members, unmerge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.office.tables import metadata
from crosstable.terms import RatingSystem
from tests.amounts import IS_SOAK
from tests.engine.wallcharts import Played
from tests.office.faults import Failure, Raw, StatementFailedError, address_of, failing_at, raw, state_of
from tests.office.made_office import (
    AUTHOR,
    FOUNDED,
    QUAD,
    SECRET,
    club_members,
    derived,
    document,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    report,
    run,
    section,
    send,
)

TODAY = date(2026, 11, 15)
DUAL = Played(start=date(2026, 7, 4), control="G/45;d5")
LATER = Played(start=date(2026, 9, 5))
# Members 5 to 8 in the place of 1 to 4.
OTHERS = "1 =5 | W2 D3 W4\n2 =6 | L1 L4 L3\n3 =7 | L4 D1 W2\n4 =8 | W3 W2 L1"
WITH_A_STRANGER = "1 =5 | W2 W3\n2 =6 | L1 W4\n3 =77 | W4 L1\n4 =8 | L3 L2"
MENDED = "1 =5 | W2 W3\n2 =6 | L1 W4\n3 =7 | W4 L1\n4 =8 | L3 L2"
MANY_POINTS = 1000

Deed = Callable[[Office], object]
FAILURES = (DBAPIError, OfficeError, StatementFailedError, KeyboardInterrupt)
# Statements and commits of a season; far fewer would mean that the hook misses some.
MANY_ENOUGH = 300
# Deeds fail at every seventh statement, a founding (which repeats every migration) at every twentieth; in a soak both
# at every one.
LEAP, FOUNDING_LEAP = (1, 1) if IS_SOAK else (7, 20)


def mixed(office: Office) -> None:
    """Submit an event of which one section is dual-rated and the other one is held."""
    sections = section(QUAD, DUAL), section(WITH_A_STRANGER, DUAL, number=2)
    send(office, report("mixed", *sections))


# A season in which everything happens that an office can write.
SEASON: dict[str, Deed] = {
    "members import": lambda office: join(office, *club_members()),
    "submit": lambda office: enter(office, quad("summer", DUAL)),
    "first run": run,
    "submit another": lambda office: enter(office, quad("autumn", LATER, OTHERS)),
    "submit with a section held": mixed,
    "run": run,
    "correct one result": lambda office: correct_result(
        office, AUTHOR, "summer", ChangedResult(section=1, player=1, round_number=1, cell="L2"), TODAY
    ),
    "correct by file": lambda office: correct_by_file(
        office, AUTHOR, "mixed", document(report("mixed", section(QUAD, DUAL), section(MENDED, DUAL, number=2))), TODAY
    ),
    "ask for a correction": lambda office: correct_result(
        office, AUTHOR, "autumn", ChangedResult(section=1, player=1, round_number=2, cell="W3"), TODAY, is_request=True
    ),
    "confirm": lambda office: confirm(office, AUTHOR, "autumn", TODAY),
    "decide": lambda office: decide(
        office,
        AUTHOR,
        Ruling(DecisionKind.FLOOR, member_id(2), RatingSystem.OTBR, effective=date(2026, 1, 1), value=1400.0),
    ),
    "a late fact": lambda office: set_fact(office, AUTHOR, member_id(4), {"birth_date": date(1990, 5, 6)}),
    "merge": lambda office: merge_members(office, AUTHOR, member_id(5), member_id(1)),
    "run after corrections": run,
    "publish": lambda office: publish(office, AUTHOR, Month(2026, 12), Basis.NOW),
    "unmerge": lambda office: unmerge_members(office, AUTHOR, member_id(5)),
    "withdraw": lambda office: withdraw(office, AUTHOR, "autumn"),
    "more members": lambda office: join(office, [person(9), person(10)], [opening(9, 1650.0)]),
    "last run": run,
}


def failures_of(office: Office, deed: Deed, failure: Failure = Failure.REFUSED, every: int = 1) -> Iterator[int]:
    """Try a deed until it succeeds, failing one statement later each time; yields after each failure."""
    for at in range(1, MANY_POINTS, every):
        try:
            with failing_at(at, failure):
                deed(office)
        except FAILURES:
            yield at
        else:
            return
    raise AssertionError("the deed never succeeds")


@pytest.fixture
def clean(new_office: Callable[[], Office]) -> dict[str, dict[str, str]]:
    """The states after each deed of a season without faults."""
    office = new_office()
    states = {}
    with raw(address_of(office)) as connection:
        for name, deed in SEASON.items():
            deed(office)
            states[name] = state_of(connection)
    assert posted(office) == derived(office)
    return states


def season_of_failures(office: Office, failure: Failure, clean: dict[str, dict[str, str]]) -> int:
    """Go through a season with a failure at every statement; returns how many there were."""
    points = 0
    with raw(address_of(office)) as connection:
        for name, deed in SEASON.items():
            before = state_of(connection)
            for at in failures_of(office, deed, failure, LEAP):
                assert state_of(connection) == before, f"{name}: the failure at statement {at} left something behind"
                points += 1
            assert state_of(connection) == clean[name], f"{name}: not what it is without failures"
    return points


def test_a_failing_statement_leaves_nothing_behind_and_the_next_try_is_whole(
    new_office: Callable[[], Office], clean: dict[str, dict[str, str]]
) -> None:
    assert season_of_failures(new_office(), Failure.REFUSED, clean) > MANY_ENOUGH // LEAP


@pytest.mark.parametrize("store", ["sqlite"])
@pytest.mark.parametrize("failure", [Failure.INTERRUPTED, *([Failure.UNANSWERED] if IS_SOAK else [])])
def test_a_deed_that_is_broken_off_anywhere_leaves_nothing_behind(
    failure: Failure, new_office: Callable[[], Office], clean: dict[str, dict[str, str]]
) -> None:
    assert season_of_failures(new_office(), failure, clean) > MANY_ENOUGH // LEAP


def test_a_dual_rated_section_is_posted_in_both_systems_or_in_neither(office: Office) -> None:
    """The section is G/45, which is rated as Regular and as Quick (§1, footnote 1)."""
    join(office, *club_members())
    enter(office, quad("summer", DUAL))
    query = "SELECT DISTINCT system FROM posting WHERE event_id = 'summer'"
    for _ in failures_of(office, run):
        with raw(address_of(office)) as connection:
            assert connection.rows(query) == []
    with raw(address_of(office)) as connection:
        assert sorted(connection.rows(query)) == [(int(RatingSystem.OTBR),), (int(RatingSystem.OTBQ),)]


def test_a_founding_that_fails_anywhere_leaves_no_office_and_can_be_repeated(
    address: str, new_office: Callable[[], Office]
) -> None:
    with raw(address) as connection, raw(address_of(new_office())) as founded_at_once:
        last = foundings_that_fail(address, connection, FOUNDING_LEAP)
        assert last > len(metadata.tables), "each table takes a statement at least"
        assert state_of(connection) == state_of(founded_at_once)


def foundings_that_fail(address: str, connection: Raw, every: int) -> int:
    """Found an office until that succeeds; returns the statement at which it failed last."""
    for at in range(1, MANY_POINTS, every):
        try:
            with failing_at(at):
                found_office(address, "Office", AUTHOR, lambda: FOUNDED, secret=SECRET).close()
        except FAILURES:
            assert set(state_of(connection)) == {""}, f"the failure at statement {at} left tables behind"
        else:
            return at - every
    raise AssertionError("the founding never succeeds")
