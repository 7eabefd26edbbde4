"""Official pages as cases: figures of published crosstables, and what they settle.

Event 202503213862 (US Chess, dual-rated, last rated on March 21, 2025), section 2, with ratings, counts and results.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main
from crosstable.engine import rate
from crosstable.formats import archive
from crosstable.terms import Result
from crosstable.verification import Verdict, pages_of, verify
from crosstable.verification.pages import Page, rows_of
from tests.verification.made_pages import archive_bytes, line, pages, player, quad
from tools.law_evidence import BLEND, credits_of, evidence

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
ROUNDS = ("W2 W5 W3", "L1 W7 W6", "W6 W4 L1", "W8 L3 D5", "W7 L1 D4", "L3 W8 L2", "L5 L2 W8", "L4 L6 L7")
# Before and after, each with the count of a provisional rating.
REGULAR = "1206/6 1347/9, - 1285/3, 1170 1241, 1296 1264, 1227 1216, 1281 1228, 753 758, 531/9 515/12"
QUICK = "1168/6 1312/9, - 1284/3, 1104 1198, 1252 1218, 1175 1164, 1326 1266, 665 679, 540/9 517/12"


def page_of_2025(system: str, last_rated: str = "2025-03-21") -> Page:
    """The section in one system."""
    rows = []
    for number, (rounds, ratings) in enumerate(zip(ROUNDS, _figures(system), strict=True), start=1):
        cells = [{"result": cell[0], "opp": int(cell[1:])} for cell in rounds.split()]
        about = {"name": f"P{number}", "id": f"M{number}", "score": None, "norm": None, "quality": "clean_unrated"}
        rows.append({"no": number, "rounds": cells, **about, **ratings})
    event = {
        **{"id": "202503213862", "section_no": 2, "start_date": "2025-03-21", "end_date": "2025-03-21"},
        **{"time_control": "G/60;d5", "systems": ["R", "Q"], "this_system": system, "rating_sys_code": "D"},
        **{"k_factor_code": "F", "tnmt_type": "S", "rounds": 3, "processed": f"Rated: {last_rated}"},
    }
    [report] = archive.read(archive_bytes({"source": "", "event": event, "players": rows}), "2025.jsonl.gz")
    [page] = pages_of(report)
    return page


def _figures(system: str) -> list[dict[str, Any]]:
    figures = []
    for text in (REGULAR if system == "R" else QUICK).split(","):
        (pre, pre_games), (post, post_games) = (_figure(one) for one in text.split())
        status = "unrated" if pre is None else "established" if pre_games is None else "provisional"
        figures.append({"pre": pre, "pre_games": pre_games, "post": post, "post_games": post_games, "status": status})
    return figures


def _figure(text: str) -> tuple[int | None, int | None]:
    rating, _, games = text.partition("/")
    return (None if rating == "-" else int(rating)), (int(games) if games else None)


@pytest.mark.parametrize(("threshold", "agree"), [(10.0, 13), (12.0, 16), (14.0, 13)])
def test_a_page_of_march_2025_has_the_bonus_threshold_of_12(threshold: float, agree: int) -> None:
    """§8: 12 from February 2023 on, here until 10 was announced (readings 111); §2.3: an adult starts at 1300."""
    right = 0
    for system in "RQ":
        page = page_of_2025(system)
        assert page.checked.edition.constants.bonus_threshold == 12.0
        backgrounds = {
            number: one if one.standings else one._replace(adult=True) for number, one in page.backgrounds.items()
        }
        constants = page.checked.edition.constants._replace(bonus_threshold=threshold)
        rated = rate(
            page.checked.section.with_backgrounds(backgrounds),
            page.system,
            page.checked.edition._replace(constants=constants),
        )
        right += sum(row.verdict is Verdict.WITHIN for row in rows_of(page, rated))
    assert right == agree


def test_verify_explains_every_row_of_that_page_with_one_free_number_a_system() -> None:
    """Decision 0003; with the threshold of 10, as if rated again in June 2025, no start explains them all."""
    found = verify(page_of_2025(system) for system in "RQ")
    assert (found.all_posted, found.all_explained) == (16, 16)
    assert [fit.free_numbers for fit in found.fitted] == [1, 1]
    later = verify(page_of_2025(system, "2025-06-03") for system in "RQ")
    assert later.all_explained < 16


def first_online(day: str, last_rated: str, games: int) -> list[Page]:
    """A Regular section with counts for four, then one of them in their first online Quick section, credited so."""
    before = line("202001010001", "2020-01-01", quad())
    rows = [player(1, None, None, ["W2"], member="M00002", adult=True), player(2, 1500.0, 60, ["L1"], member="MX")]
    after = line(f"{day.replace('-', '')}0001", day, rows, this_system="OQ", rating_sys_code="OQ")
    after["event"]["processed"] = f"Rated: {last_rated}"
    after["players"][0]["post_games"] = games
    return pages(before, after)


@pytest.mark.parametrize(
    ("day", "last_rated", "games", "count"),
    [
        ("2020-07-01", "2021-06-16", 1, (1, 0, 0)),
        ("2020-07-01", "2021-06-16", 11, (0, 0, 1)),
        ("2020-07-01", "2021-06-23", 11, (0, 1, 0)),
        ("2020-07-01", "2021-06-23", 1, (0, 0, 1)),
        ("2020-07-01", "2021-06-23", 5, (0, 0, 0)),  # neither: less than the blend gives, more than the list
        ("2020-05-01", "2021-06-23", 1, (1, 0, 0)),
    ],
)
def test_credited_games_tell_the_blend_from_the_lists(
    day: str, last_rated: str, games: int, count: tuple[int, int, int]
) -> None:
    """§2, 2015 text §2.4: an established rating of half a year ago gives 10 games of a blend, none by the list."""
    found = {amendment.summary: counted for amendment, counted in evidence(first_online(day, last_rated, games))}
    assert found[BLEND.summary] == count


def test_credits_need_a_rating_of_another_system_from_before_the_section() -> None:
    """§2: what was posted on the very day, in the same system or for somebody else is no source."""
    [page] = pages(line("202007010001", "2020-07-01", quad(p4={"rating": None, "games": None, "adult": True})))
    seen: dict[str, Any] = {}
    assert credits_of(page, seen)[1:] == (0, 0)
    assert credits_of(page, seen)[1:] == (0, 0)
    assert json.dumps(sorted(seen)) == '["M00001", "M00002", "M00003", "M00004"]'


def test_the_own_column_of_a_round_robin_in_an_archive_is_no_game() -> None:
    """Published round robins print ``*****`` there."""
    made = line("201601010001", "2016-01-01", quad())
    for at, row in enumerate(made["players"]):
        row["rounds"].insert(at, {"result": "*****", "opp": None})
    made["event"]["rounds"] = 4
    [page] = pages(made)
    assert [page.players[number].cells[number - 1].result for number in (1, 2, 3, 4)] == [Result.OWN_COLUMN] * 4
    assert {row.verdict for row in verify([page]).alone} == {Verdict.WITHIN}


def test_the_list_of_wanted_pages_is_one_that_fetch_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is fetched: the first event stops it, not the list. The page of figures prints the list."""
    wanted = DOCS / "wanted-pages.txt"
    where = ["--offline", "--cache", str(tmp_path / "kept"), "--out", str(tmp_path / "pages")]
    assert main(["fetch", "--list", str(wanted), *where]) == 1
    said = capsys.readouterr().err
    assert "is no event id" not in said
    assert "200602269881" in said
    assert wanted.read_text("utf-8") in (DOCS / "fidelity.md").read_text("utf-8")
