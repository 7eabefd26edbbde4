"""A season for a demonstration: reports that an office takes as they are."""

from collections import Counter
from pathlib import Path

from crosstable.checks import check
from crosstable.lab.simulate import season
from crosstable.office.submissions import Status, Wishes
from crosstable.terms import Report, SectionType
from tests.office.made_office import HandClock, founded, run, send


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
        assert not faults


def test_an_office_takes_a_season(tmp_path: Path) -> None:
    """Every report accepted whole, members and openings taken from the reports, each event rated before the next."""
    office = founded(str(tmp_path / "office.db"), HandClock())
    for report in season():
        done = send(office, report, Wishes(adds_members=True, takes_openings=True))
        assert done.status is Status.ACCEPTED
        assert not done.held, done.held
        assert run(office) is not None
    office.close()
