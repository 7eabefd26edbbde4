"""A submission is rated once: what was rated while it was checked is posted, where it still brings the same."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from crosstable.engine import rate
from crosstable.engine.rating import rate_competitors
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import RatedInSystems, StageClock, Watch
from crosstable.terms import Report, SectionType
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.made_office import (
    AUTHOR,
    OTBR,
    club_members,
    join,
    member_id,
    person,
    quad,
    report,
    run,
    section,
    send,
)

DAY = date(2026, 5, 1)


@pytest.fixture
def club(office: Office, monkeypatch: pytest.MonkeyPatch) -> "Counted":
    join(office, *club_members())
    run(office)
    return Counted(office, monkeypatch)


class Counted:
    """An office, and every call of the engine."""

    def __init__(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        self.office = office
        self.calls = 0
        monkeypatch.setattr("crosstable.pipeline.rating._LATELY", [])
        monkeypatch.setattr("crosstable.pipeline.rating.rate_section", self._counting(rate))
        monkeypatch.setattr("crosstable.engine.rating.rate_competitors", self._counting(rate_competitors))

    def _counting(self, rating: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any) -> Any:
            self.calls += 1
            return rating(*given)

        return counted

    def submitted(self, made: Report) -> tuple[RatedInSystems, ...]:
        """Submit a report; what it was rated to."""
        return send(self.office, made).checked

    def rated(self, checked: tuple[RatedInSystems, ...]) -> int:
        """Rate; how often the engine was called since the beginning."""
        assert rerate(self.office, AUTHOR, watch=Watch(clock=StageClock(), checked=checked)) is not None
        found = self.calls
        Claims(self.office).after_a_run()
        return found


def test_a_submission_is_rated_once(club: Counted) -> None:
    assert club.rated(club.submitted(quad("q", Played(start=DAY)))) == 1


def test_a_dual_rated_section_is_rated_once_in_each_system(club: Counted) -> None:
    assert club.rated(club.submitted(quad("q", Played(start=DAY, control="G/45;d5")))) == 2


def test_what_changed_since_is_rated_again(club: Counted) -> None:
    """A floor was decided after the file came in."""
    checked = club.submitted(quad("q", Played(start=DAY)))
    decide(club.office, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(1), OTBR, date(2026, 1, 1), 1600.0))
    assert club.rated(checked) == 2


def test_another_version_of_the_section_is_rated_again(club: Counted) -> None:
    checked = club.submitted(quad("q", Played(start=DAY)))
    other = tuple(
        tuple(rated._replace(section=rated.section._replace(is_half_k=True)) for rated in one) for one in checked
    )
    assert club.rated(other) == 2


def test_an_event_abroad_is_rated_again(club: Counted) -> None:
    """Who is rated in it follows from the record."""
    join(club.office, [person(70, fide_flag="USA")])
    abroad = section("1 | W2\n2 =70 | L1", Played(DAY, DAY, SectionType.FOREIGN_FIDE))
    checked = club.submitted(report("f", abroad))
    assert club.rated(checked) >= len(checked)
