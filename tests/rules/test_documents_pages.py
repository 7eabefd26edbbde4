"""The tables of the pages about sources say what the rules say: dates, B, time controls, classes."""

import re
from collections.abc import Iterator
from datetime import date

import pytest

from crosstable.calculator.figures import CLASSES
from crosstable.errors import CrosstableError
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import EDITIONS
from crosstable.rules.time_controls import parse_time_control, systems_for
from crosstable.terms import RatingSystem
from tools.citations import PAGES

DAY = re.compile(r"\d{4}-\d\d-\d\d")
NAMES = {"Blitz": ("OTBB",), "Quick": ("OTBQ",), "dual": ("OTBR", "OTBQ"), "Regular": ("OTBR",)}


def rows(source: str, number: int) -> Iterator[list[str]]:
    """The rows of the tables in a section of a page."""
    text = "\n".join(path.read_text("utf-8") for path in PAGES[source])
    (section,) = re.findall(rf"^## §{number} .*?(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    for line in section.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_the_dates_of_the_page_are_those_of_the_amendments() -> None:
    """§8, rules history §1, both ways."""
    taken = {date.fromisoformat(found[0]) for row in rows("rules history", 1) if (found := DAY.match(row[-1]))}
    assert len(taken) > 15
    assert taken == {amendment.effective for amendment in AMENDMENTS}


def test_the_table_of_b_is_that_of_the_editions() -> None:
    """§4.2, §8, rules history §1."""
    told = [(row[0], float(row[1])) for row in rows("rules history", 1) if len(row) == 2 and DAY.match(row[0])]
    values = [(edition.name, edition.constants.bonus_threshold) for edition in EDITIONS]
    changed = [now for before, now in zip([("", 0.0), *values], values, strict=False) if before[1] != now[1]]
    assert told == changed


@pytest.mark.parametrize("row", list(rows("official facts", 5))[1:], ids=lambda row: row[0])
def test_the_table_of_time_controls_is_what_the_rules_give(row: list[str]) -> None:
    """§1, footnote 1, official facts §5."""
    for text in re.split(r", (?=G/|\d)", row[0]):
        control = parse_time_control(text)
        assert control.total == int(row[1])
        if row[2].startswith("not ratable"):
            with pytest.raises(CrosstableError):
                systems_for(control, is_online=False, ranges=EDITIONS[-1].controls)
        else:
            found = systems_for(control, is_online=False, ranges=EDITIONS[-1].controls)
            assert tuple(RatingSystem(one).name for one in found) == NAMES[row[2]]


def test_the_table_of_classes_is_what_the_calculator_gives() -> None:
    """Official facts §2."""
    cells = [pair for row in list(rows("official facts", 2))[1:] for pair in (row[:2], row[3:])]
    told = {name: int(lowest) for name, lowest in cells if name}
    assert told == {one.title.removeprefix("Class "): one.lowest for one in CLASSES}
