"""The pages beside the code keep their promises: the changelog, the decisions, the pinned requirements."""

import math
import re
import tomllib

import pytest

from tests.architecture.source import ROOT
from tools.package_page import page

LONGEST_PAGE = 400
DECISIONS = ROOT / "docs" / "decisions"
WORKED = (ROOT / "docs" / "how-ratings-work.md").read_text(encoding="utf-8")
# A line such as `K = 800 / (23.6 + 3) = 30.1`: the arithmetic, and the number that it gives.
_SUM = re.compile(r"^(?:.*= |expected )?([-+ ×/^²√().,0-9a-z]+) = (\+?-?[\d.]+)$", flags=re.MULTILINE)


def changelog_faults(text: str) -> list[str]:
    """Versions that do not say which sections must be rated again."""
    _, *entries = re.split(r"^## ", text, flags=re.MULTILINE)
    if not entries:
        return ["no version at all"]
    return [
        f"{entry.splitlines()[0]}: no line 'Impacted sections:'"
        for entry in entries
        if not re.search(r"^\*{0,2}Impacted sections:\*{0,2} \S", entry, flags=re.MULTILINE)
    ]


def unlisted(index: str, names: list[str]) -> list[str]:
    """Decision pages that the index does not link to, and links that lead nowhere."""
    linked = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", index)
    return sorted(set(names) ^ set(linked))


def unpinned(requirements: str, names: list[str]) -> list[str]:
    """Dependencies that the requirement file does not pin."""
    pinned = set(re.findall(r"^([a-z0-9-]+)==\S+", requirements, flags=re.MULTILINE))
    return [name for name in names if name not in pinned]


def test_every_version_says_which_sections_it_touches() -> None:
    assert changelog_faults((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == []


def test_every_decision_is_in_the_index() -> None:
    names = [path.name for path in DECISIONS.glob("[0-9]*.md")]
    assert names
    assert unlisted((DECISIONS / "README.md").read_text(encoding="utf-8"), names) == []


def test_every_dependency_is_pinned_with_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[^\w-]", dependency)[0].lower() for dependency in project["dependencies"]]
    requirements = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert names
    assert unpinned(requirements, names) == []
    _, *pins = re.split(r"^(?=[a-z0-9-]+==)", requirements, flags=re.MULTILINE)
    assert all("--hash=sha256:" in pin for pin in pins)


@pytest.mark.parametrize(
    "text",
    [
        "# Changelog\n",
        "## [0.1.0]\n\n### Added\n\n- x\n",
        "## [0.1.0]\n\n**Impacted sections:**\n",
        "## [1]\n\nImpacted\n",
    ],
)
def test_a_version_without_the_line_is_found(text: str) -> None:
    assert len(changelog_faults(text)) == 1


def test_a_version_with_the_line_passes() -> None:
    text = "## [0.1.0]\n\n**Impacted sections:** none.\n\n## [0]\n\nImpacted sections: OTBR\n"
    assert changelog_faults(text) == []


def test_an_unlisted_decision_and_a_dead_link_are_found() -> None:
    assert unlisted("- [one](0001-one.md)\n- [two](0002-two.md)", ["0001-one.md", "0003-three.md"]) == [
        "0002-two.md",
        "0003-three.md",
    ]


def test_an_unpinned_dependency_is_found() -> None:
    assert unpinned("rich==15.0.0 \\\n    --hash=sha256:00\n", ["rich", "click"]) == ["click"]


def test_no_page_is_too_long_to_read() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    lines = {page.name: page.read_text(encoding="utf-8").count("\n") for page in pages}
    assert len(lines) > 40
    assert {name for name, count in lines.items() if count > LONGEST_PAGE} == set()


def test_every_page_is_in_the_navigation_of_the_documentation_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    named = set(re.findall(r": (\S+\.md)$", navigation, flags=re.MULTILINE))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages - named == set()
    assert named - pages == {"index.md", "decisions/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}


def test_the_page_of_the_package_has_no_link_that_leads_nowhere() -> None:
    shown = page((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "](docs/" not in shown
    assert page("![a](b.png) [c](docs/d.md#e) [f](https://g.example)") == " c [f](https://g.example)"
    assert shown.count("```") == (ROOT / "README.md").read_text(encoding="utf-8").count("```")


def test_make_soak_runs_every_test_that_knows_a_larger_amount() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    run = re.findall(r"^LONGER := (.*)$", makefile, flags=re.MULTILINE)[0].split()
    files = (ROOT / "tests").rglob("*.py")
    know = [path for path in files if "\nfrom tests.amounts import" in path.read_text("utf-8")]
    assert len(know) > 20
    assert [path.name for path in know if not any(path.is_relative_to(ROOT / one) for one in run)] == []


# What a sentence tells people to make, install or run, apart from the program's own commands.
TARGETS = r"`make ([a-z]+)"
EXTRAS = r"crosstable\[([\w,-]+)\]"
TOOLS = r"`(?:PYTHONPATH=\. )?python (?:-m tools\.|tools/)(\w+)"
DEPLOYED = r"`deploy/([\w.-]+)`"


def there_is() -> dict[str, set[str]]:
    """The targets of the Makefile, the extras, the tools and the files of ``deploy``, by how pages name them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {
        TARGETS: set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE)),
        EXTRAS: set(project["optional-dependencies"]),
        TOOLS: {path.stem for path in (ROOT / "tools").glob("*.py")},
        DEPLOYED: {path.name for path in (ROOT / "deploy").iterdir()},
    }


def lost(text: str) -> list[str]:
    """What a page names that is not there."""
    return [
        one
        for how, names in there_is().items()
        for found in re.findall(how, text)
        for one in found.split(",")
        if one not in names
    ]


def test_what_the_pages_tell_people_to_make_or_install_is_there() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert [(page.name, found) for page in pages if (found := lost(page.read_text("utf-8")))] == []
    wrong = '`make gold`, `pip install "crosstable[site,gold]"`, `python -m tools.make_gold`, `deploy/gold`'
    assert lost(wrong) == ["gold", "gold", "make_gold", "gold"]


def sums(page: str) -> list[tuple[str, float, float]]:
    """Every line of arithmetic on a page: as written, what it gives, and how far the printed number is off."""
    found = []
    for written, answer in _SUM.findall(page):
        python = written.replace("×", "*").replace("²", "**2").replace("^", "**").replace("√", "sqrt")
        value = eval(python, {"sqrt": math.sqrt, "floor": math.floor, "min": min, "max": max})
        found.append((written, value, abs(value - float(answer))))
    return found


def test_the_arithmetic_of_the_worked_examples_is_right() -> None:
    """Python's own arithmetic; numbers are rounded to four places, so the last digit may be off by one."""
    shown = "".join(re.findall(r"^```text\n(.*?)^```$", WORKED, flags=re.MULTILINE | re.DOTALL))
    found = sums(shown)
    assert len(found) == sum(" = " in line for line in shown.splitlines()) > 20
    assert [one for one in found if one[2] > 1.01e-4] == []


def test_a_wrong_sum_is_found() -> None:
    ((written, value, off),) = sums("K = 800 / (23.616608 + 3) = 31.056422\n")
    assert (written, round(value, 4), round(off, 4)) == ("800 / (23.616608 + 3)", 30.0564, 1.0)
