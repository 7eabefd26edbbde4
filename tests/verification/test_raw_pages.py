"""Pages as people save them: the day of rating reaches every rule that asks for it, and nothing odd loses a section.

The pages are built here; posted figures come from the second engine of the tests.
"""

from datetime import date

import pytest

from crosstable.pipeline.verifying import posted_pages
from crosstable.terms import Report
from crosstable.verification import pages_of, tally, verify
from crosstable.verification.pages import CORRECTED_SINCE, ONLINE_FAULT, Page, with_online_fault
from crosstable.verification.whole import exactness
from tests.verification.made_pages import line, page_line, player, quad, raw_report


def only_page(report: Report) -> Page:
    """The one page of a report."""
    [page] = pages_of(report)
    return page


@pytest.mark.parametrize(
    ("processed", "threshold"),
    [
        ("Rated: 2025-03-21", 12.0),
        ("Rated: 2025-03-21 Re-Rated: 2025-06-02", 10.0),
        ("Rated: 2025-06-03", 10.0),
    ],
)
def test_a_rule_announced_after_the_day_of_rating_is_withheld(processed: str, threshold: float) -> None:
    """Readings 111: the threshold of 10 was announced in late May 2025, for sections from January 1 on."""
    page = only_page(raw_report(line("202503210001", "2025-03-20", quad()), processed))
    assert page.checked.edition.constants.bonus_threshold == threshold


@pytest.mark.parametrize(
    ("processed", "apart"),
    [
        ("Rated: 2021-01-02 Re-Rated: 2021-06-16", ONLINE_FAULT),
        ("Rated: 2021-06-17", ""),
        ("Rated: 2021-01-02 Re-Rated: 2021-06-23", ""),
        ("Rated: 2021-06-17 Note: A correction has been made since", CORRECTED_SINCE),
    ],
)
def test_the_online_fault_is_recognized_by_the_last_day_of_rating(processed: str, apart: str) -> None:
    """Readings 103."""
    made = line("202101010001", "2021-01-01", quad(), this_system="OR", rating_sys_code="OR")
    page = only_page(raw_report(made, processed.replace("Note: A", "A")))
    assert page.apart == apart
    assert (with_online_fault(page).checked.edition.constants.k_effective_weight == 2.0) is (apart == ONLINE_FAULT)


def test_saved_pages_are_exact_to_the_point_while_whole_numbers_were_stored() -> None:
    """Readings 98; a page that was never rated since 2004, and one of later, do not count."""
    settled = {"p3": {"games": 60}, "p4": {"games": 60}}
    days = {
        "201301010001": ("2013-01-01", "Rated: 2013-01-02"),
        "200201010001": ("2002-01-01", "Rated: 2003-12-31"),
        "201501010001": ("2015-01-01", "Rated: 2015-01-02"),
    }
    made = [raw_report(line(event, day, quad(**settled)), processed) for event, (day, processed) in days.items()]
    found = verify(page for report in made for page in pages_of(report))
    assert exactness(found.carried) == (4, 4)
    assert tally(found.alone).clean_rows == 12


def test_the_day_of_rating_above_all_sections_serves_a_section_without_one() -> None:
    report = raw_report(line("201601010001", "2016-01-01", quad()), "Rated: 2016-01-05")
    [section] = report.sections
    bare = section._replace(details={name: text for name, text in section.details.items() if name != "rated"})
    assert only_page(report._replace(sections=(bare,))).rated_on == date(2016, 1, 5)


@pytest.mark.parametrize("control", ["40", "ADAGIO", "G/90;d5"])
def test_a_control_that_cannot_be_read_loses_no_section(control: str) -> None:
    report = raw_report(line("201601010001", "2016-01-01", quad()), "Rated: 2016-01-05", control)
    posted = posted_pages([("saved.html", report)])
    assert posted.faults == ()
    assert tally(verify(posted.pages).alone).within_1 == 4


def test_an_unrated_player_of_a_saved_page_makes_their_circle_unclean_and_is_fitted() -> None:
    """§2.3: the player is 13, so they start at 650; the page says neither, and 4 rows rest on one free number."""
    players = quad(p4={"rating": None, "games": None, "birth_date": "2003-01-01"})
    report = raw_report(line("201601010001", "2016-01-01", players), "Rated: 2016-01-05")
    found = verify(pages_of(report))
    [fit] = found.fitted
    assert tally(found.alone).clean_rows == 0
    assert (fit.rows, fit.within, fit.free_numbers) == (4, 4, 1)


def test_many_starts_of_different_ages_are_fitted_together() -> None:
    """§2.3: twelve players, eight of them unrated and from 6 to 13 years old, meet in five rounds."""
    pairings = ["2 1 4 3 6 5 8 7 10 9 12 11", "3 4 1 2 7 8 5 6 11 12 9 10", "12 5 6 7 2 3 4 9 8 11 10 1"]
    pairings += ["5 9 7 12 1 10 3 11 2 6 8 4", "8 11 10 9 12 7 6 1 4 3 2 5"]
    players = []
    for number in range(1, 13):
        opponents = [int(text.split()[number - 1]) for text in pairings]
        results = ["W" if (number * 7 + other * 5) % 11 < (other * 7 + number * 5) % 11 else "L" for other in opponents]
        rounds = [
            f"{'D' if (number + other) % 5 == 0 else result}{other}"
            for other, result in zip(opponents, results, strict=True)
        ]
        years = {"birth_date": f"{2002 + number // 2 * 1}-03-01"}
        rated = number % 3 == 0
        players.append(
            player(
                number,
                700.0 + 40 * number if rated else None,
                60 if rated else None,
                rounds,
                **({} if rated else years),
            )
        )
    found = verify(pages_of(raw_report(page_line("201601010001", "2016-01-01", players), "Rated: 2016-01-05")))
    [fit] = found.fitted
    assert (fit.rows, fit.within, fit.free_numbers) == (12, 12, 8)
    assert (found.all_posted, found.all_explained) == (12, 12)


def test_a_fit_with_as_many_free_numbers_as_rows_proves_nothing() -> None:
    """Two unrated players and a draw: whatever was posted, a start can be found for it."""
    rows = [player(1, None, None, ["D2"], adult=True), player(2, None, None, ["D1"], adult=True)]
    found = verify(pages_of(raw_report(page_line("201601010001", "2016-01-01", rows), "Rated: 2016-01-05")))
    [fit] = found.fitted
    assert (fit.free_numbers, fit.rows, fit.proves) == (2, 2, False)
    assert (found.all_posted, found.all_explained) == (2, 0)
