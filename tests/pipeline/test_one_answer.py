"""One file through command line, page, API and library: the same findings, ratings and lines."""

import ast
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crosstable as ct
from crosstable.catalogue import CATALOGUE
from crosstable.cli import main
from crosstable.faults import fault
from crosstable.formats.detect import GIVE_APART
from crosstable.remedies import Reader, for_reader
from tests.architecture.source import modules
from tests.pipeline.samples import samples
from tests.web.client import TestClient
from tests.web.site import client, made_file

Capture = pytest.CaptureFixture[str]
SAMPLES = samples()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("site"))) as made:
        made.app.state.limiter.most = 100_000  # type: ignore[attr-defined]
        yield made


def found(faults: Any) -> list[tuple[str, str, str, str]]:
    """Findings without their remedies, which name what each reader can do."""
    return [(one["code"], one["severity"], one["place"], one["message"]) for one in faults]


def by_command(name: str, path: Path, capsys: Capture, *more: str) -> tuple[int, dict[str, Any]]:
    code = main([name, str(path), "--json", *more])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_way_gives_the_same_findings_and_ratings(
    name: str, site: TestClient, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / name
    path.write_bytes(SAMPLES[name])
    code, rated = by_command("rate", path, capsys)
    check_code, checked = by_command("check", path, capsys)
    has_errors = any(one["severity"] != "warning" for one in rated["faults"])
    assert code == check_code == (1 if has_errors else 0)
    assert checked["faults"] == rated["faults"]
    replies = {
        kind: site.post(f"/api/v1/{kind}", params={"name": name}, content=SAMPLES[name]) for kind in ("rate", "check")
    }
    page = site.post("/rate", files={"files": (name, SAMPLES[name])})
    assert page.status_code == 200
    shown = html.unescape(page.text)
    for one in rated["faults"]:
        assert one["message"] in without_marks(shown)
    if replies["rate"].status_code == 422:  # nothing of the file can be read
        assert {kind: found(reply.json()["faults"]) for kind, reply in replies.items()} == dict.fromkeys(
            replies, found(rated["faults"])
        )
        with pytest.raises(ct.FormatError):
            ct.read(SAMPLES[name], name=name)
        return
    api = {kind: reply.json() for kind, reply in replies.items()}
    assert found(api["rate"]["faults"]) == found(api["check"]["faults"]) == found(rated["faults"])
    assert api["rate"]["sections"] == rated["sections"]
    event = ct.rate(path)
    assert event.to_dict()["sections"] == rated["sections"]
    assert found(event.to_dict()["faults"]) == found(rated["faults"])
    assert found(ct.check(path).to_dict()["faults"]) == found(rated["faults"])
    assert posts_on(page.text) == {
        (str(section["number"]), system, str(row["number"])): "" if row["post"] is None else f"{row['post']:.4f}"
        for section in rated["sections"]
        for system, one in section["systems"].items()
        for row in one["players"]
    }


def without_marks(text: str) -> str:
    """The text of a page without the marks around names."""
    return re.sub(r"</?bdi>", "", text)


def posts_on(page: str) -> dict[tuple[str, str, str], str]:
    """The exact ratings on the page by section, system and number."""
    seen = {}
    for table in re.finditer(r'data-section="(\d+)" data-system="(\w+)">(.*?)</table>', page, re.DOTALL):
        for row in re.finditer(r'skipped">(\d+)</td>.*?data-label="Exactly">([^<]*)<', table[3], re.DOTALL):
            seen[table[1], table[2], row[1]] = row[2]
    return seen


@pytest.mark.parametrize("name", ["quad.json", "summer-quads.json", "club-quick-night.json", "club-championship.trf"])
def test_every_way_gives_the_same_lines(name: str, site: TestClient, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / name
    path.write_bytes(SAMPLES[name])
    for section in ct.rate(path).sections:
        number = section.number
        assert main(["explain", str(path), "--section", str(number), "--player", "2", "--json"]) == 0
        documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [one["system"] for one in documents] == list(section.systems)
        texts = [line["text"] for one in documents for line in one["lines"]]
        assert [line.text for line in ct.explain(ct.rate(path), section=number, player=2)] == texts
        params = {"name": name, "section": number, "player": 2}
        reply = site.post("/api/v1/explain", params=params, content=SAMPLES[name])
        assert reply.status_code == 200
        assert reply.json() == documents
        first = site.post("/rate", files={"files": (name, SAMPLES[name])}).text
        carried = re.search(r'name="carried" value="([^"]+)"', first)
        assert carried
        page = site.post("/rate", data={"carried": carried[1], "why": f"{number}:2"})
        shown = re.findall(r"<li><span>(.*?)</span>", page.text, re.DOTALL)
        assert [without_marks(html.unescape(line)) for line in shown] == texts


def test_the_page_tells_the_working_of_the_system_whose_row_was_asked_about(site: TestClient) -> None:
    name = "summer-quads.json"
    for system in ("OTBR", "OTBQ"):
        page = site.post("/rate", files={"files": (name, SAMPLES[name])}, data={"why": f"1:2:{system}"})
        shown = [
            without_marks(html.unescape(one)) for one in re.findall(r"<li><span>(.*?)</span>", page.text, re.DOTALL)
        ]
        assert shown == [line.text for line in ct.explain(ct.rate(SAMPLES[name]), section=1, player=2, system=system)]
    assert site.post("/rate", files={"files": (name, SAMPLES[name])}, data={"why": "1:2:OLB"}).status_code == 404


def test_a_completed_file_is_the_same_by_command_api_and_library(
    site: TestClient, tmp_path: Path, capsys: Capture
) -> None:
    name = "pairing-ratings.json"
    path = tmp_path / name
    path.write_bytes(SAMPLES[name])
    given = ("--pairing-ratings", "--control", "G/30;d5", "--override")
    code, rated = by_command("rate", path, capsys, *given)
    assert code == 0
    assert list(rated["sections"][0]["systems"]) == ["OTBR", "OTBQ"]
    assert "time_control: given beside the file" in rated["sections"][0]["systems"]["OTBQ"]["players"][0]["assumed"]
    params = {"name": name, "pairing": "true", "control": "G/30;d5", "override": "true"}
    assert site.post("/api/v1/rate", params=params, content=SAMPLES[name]).json()["sections"] == rated["sections"]
    event = ct.rate(path, pairing_ratings=True, control="G/30;d5", override=True)
    assert event.to_dict()["sections"] == rated["sections"]


def test_an_entry_list_is_checked_as_one_and_not_rated_by_command_api_and_library(
    site: TestClient, tmp_path: Path, capsys: Capture
) -> None:
    name = "entries.csv"
    path = tmp_path / name
    path.write_text("No,Name,ID,Rating\n1,Ann,12345671,1500\n2,Bo,12345672,\n3,Cy,12345673,1400\n", encoding="utf-8")
    content = path.read_bytes()
    for kind, library in (("check", ct.check), ("rate", ct.rate)):
        code, document = by_command(kind, path, capsys)
        reply = site.post(f"/api/v1/{kind}", params={"name": name}, content=content).json()
        assert found(reply["faults"]) == found(document["faults"])
        assert found(library(path).to_dict()["faults"]) == found(document["faults"])
        assert ("no-game" in {one["code"] for one in document["faults"]}) is (kind == "rate") is bool(code)


def test_a_remedy_names_what_its_reader_can_do(site: TestClient, tmp_path: Path, capsys: Capture) -> None:
    name = "pairing-ratings.json"
    path = tmp_path / name
    path.write_bytes(SAMPLES[name])
    _, rated = by_command("rate", path, capsys)
    remedies = {
        "command": rated["faults"][-1]["remedy"],
        "api": site.post("/api/v1/check", content=SAMPLES[name]).json()["faults"][-1]["remedy"],
        "library": ct.check(path).faults[-1].remedy,
    }
    page = html.unescape(site.post("/rate", files={"files": (name, SAMPLES[name])}).text)
    assert "--pairing-ratings" in remedies["command"]
    assert "pairing=true" in remedies["api"]
    assert "pairing_ratings=True" in remedies["library"]
    assert "tick “Take pairing ratings”" in page


# What only somebody who types commands can do: --control, crosstable members, (office confirm).
TYPED = re.compile(r"--\w|\bcrosstable \w|\boffice (confirm|decide|members|status)\b")


@pytest.mark.parametrize("reader", [one for one in Reader if one is not Reader.COMMAND])
def test_no_remedy_for_pages_and_programs_names_an_option_or_a_command(reader: Reader) -> None:
    """Neither those of the catalogue nor those that readers of files give in their place."""
    found = [fault(code, "", "It is so.") for code in CATALOGUE]
    found += [fault("not-readable", "", "It is so.", remedy) for remedy in typed_in_sources()]
    told = for_reader(found, reader)
    assert len([one for one in found if TYPED.search(one.remedy)]) > 15
    assert [one.remedy for one in told if TYPED.search(one.remedy)] == []


def typed_in_sources() -> set[str]:
    """Texts of what reads and checks files that name an option."""
    return {
        node.value
        for module in modules()
        if module.name.startswith(("crosstable.formats", "crosstable.checks", "crosstable.pipeline"))
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"(?<!\S)--[a-z]", node.value)
    }


def test_a_list_of_ratings_in_place_of_an_event_is_told_to_each_reader(
    site: TestClient, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "list.csv"
    titles = "CFC#,Expiry,Last,First,Prov,City,Rating,High,Active Rtg,Active High,FIDE Number,FIDE Rating"
    path.write_text(f"{titles}\n100123,01/01/2027,Doe,Ann,ON,Ottawa,1500,1510,1400,1410,0,0\n", encoding="utf-8")
    content = path.read_bytes()
    assert by_command("rate", path, capsys)[1]["faults"][0]["remedy"] == GIVE_APART
    with pytest.raises(ct.FormatError, match="members=FILE"):
        ct.rate(path)
    for kind in ("rate", "check", "previews"):
        reply = site.post(f"/api/v1/{kind}", params={"name": "list.csv"}, content=content)
        assert reply.status_code == 422
        assert reply.json()["faults"][0]["remedy"] in reply.json()["detail"]
        assert "Send the file of the event; ratings alone are not rated." in reply.json()["detail"]
    assert "--members" not in site.post("/rate", files={"files": ("list.csv", content)}).text
