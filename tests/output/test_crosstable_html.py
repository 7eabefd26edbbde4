"""The page: well formed, readable by everybody, loading nothing, with nothing of a report as markup."""

import json
import re
from html.parser import HTMLParser

import pytest

from crosstable.output.crosstable_html import STYLE, crosstable_page
from tests.checks.provoked import abroad, pair
from tests.event_files import event_file, player, quad
from tests.output.rated_events import SAMPLE, decorated, official, rated, renamed

VOID = {"meta"}
Attributes = dict[str, str | None]


class Page(HTMLParser):
    """Reads a page, demanding that every tag is closed in its turn; keeps tags, and the texts of table cells."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, Attributes]] = []
        self.rows: list[list[str]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len({name for name, _ in attrs})
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data
        if "tr" in self.open and self.rows[-1]:
            self.rows[-1][-1] += data

    def named(self, tag: str) -> list[Attributes]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_a_tag_that_is_not_closed_is_found() -> None:
    with pytest.raises(AssertionError):
        Page("<p><b>bold</p>")


def test_the_quad_is_shown_by_rank_with_its_ratings() -> None:
    """§1: the quad of readings, Part 1: 1860.75, 1825.31 on 3 games, 1580.74 on 15, 1654.79."""
    _, heads, *rows = Page(crosstable_page(rated(quad()))).rows
    assert heads == ["Rank", "No.", "Player", "Points", "Regular", "Round 1", "Round 2", "Round 3"]
    assert rows == [
        ["1", "1", "Player, 1 10000001", "2.5", "1850 to→ 1861 +10.75", "W2", "D3", "W4"],
        ["2", "4", "Player, 4 10000004", "2.0", "Unrated to→ 1825P3", "W3", "W2", "L1"],
        ["3", "3", "Player, 3 10000003", "1.5", "1500P12 to→ 1581P15 +80.74", "L4", "D1", "W2"],
        ["4", "2", "Player, 2 10000002", "0.0", "1700 to→ 1655 −45.21", "L1", "L4", "L3"],
    ]


def test_a_dual_section_has_a_column_for_each_system() -> None:
    """The published section of 2026: 656.85 and 650.17, whole numbers half up; counts are assumed, so with a mark."""
    _, heads, first, *_ = Page(crosstable_page(rated(official()))).rows
    assert heads[4:6] == ["Regular", "Quick"]
    assert first[4:6] == ["554 to→ 657* +102.63", "546 to→ 650* +103.68"]


def test_norms_and_floors_stand_with_the_rating_and_norms_in_the_notes_too() -> None:
    text = crosstable_page(rated(decorated()))
    rows = Page(text).rows
    assert rows[2][4].endswith(", norm\N{NO-BREAK SPACE}2")
    assert rows[3][4] == "1700 to→ 1700 +0.00, peak\N{NO-BREAK SPACE}floor\N{NO-BREAK SPACE}1700"
    assert "<h3>Norms</h3>" in text
    assert "held at" not in text
    assert ", H half-point bye" not in text
    assert "the number is the opponent's" in text


def test_warnings_are_never_on_the_sheet() -> None:
    """Readings 92: a one-sided result comes with a warning; it is for the director, on standard error."""
    event = rated(pair("N2", "U"))
    assert event.faults
    assert event.faults[0].message not in crosstable_page(event)


def test_what_was_assumed_is_for_the_screen_only() -> None:
    """The published section of 2026 gives no counts, so results rest on something assumed."""
    text = crosstable_page(rated(official()))
    assert '<div class="screen">\n<h3>Assumed</h3>' in text
    assert "<div>\n<h3>Norms</h3>" in crosstable_page(rated(decorated()))
    assert re.search(r"\.screen,[^{]*\{ display: none \}", STYLE.partition("@media print")[2])


def test_every_sheet_of_paper_has_the_head_of_the_event_and_the_page() -> None:
    """The head stands in each table's own head, which paper repeats; a section's director stands for the event's."""
    event = json.loads(json.dumps(SAMPLE))
    event["event"]["details"] = {"city": "Dayton", "state": "OH", "affiliate": "A6000001", "chief_td": "12345678"}
    event["sections"][1]["details"] = {"chief_td": "87654321"}
    first, second = (row[0] for row in Page(crosstable_page(rated(event))).rows if len(row) == 1)
    assert first.startswith(
        "Summer QuadsJune 14, 2026 · Dayton, OH · Affiliate A6000001 · Chief TD ID 12345678Section 1"
    )
    assert "Chief TD ID 87654321Section 2: Blitz" in second
    assert "break-after: page" in STYLE
    assert '"Page " counter(page) " of " counter(pages)' in STYLE


def test_an_opponent_abroad_is_shown_as_not_rated() -> None:
    rows = Page(crosstable_page(rated(abroad()))).rows
    assert rows[3][4] == "not rated"


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    page = Page(crosstable_page(rated(SAMPLE)))
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    attributes = {name for _, given in page.tags for name in given}
    assert not attributes & {"src", "href", "action", "style"}
    assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?:", STYLE)
    assert "default-src 'none'" in str([given.get("content") for given in page.named("meta")])


def test_a_table_says_what_it_is_and_which_cells_are_heads() -> None:
    page = Page(crosstable_page(rated(SAMPLE)))
    assert page.named("html") == [{"lang": "en"}]
    assert page.texts["title"] == "Summer Quads"
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") == tags.count("thead") == tags.count("tbody") == 2
    assert tags.count("h1") == tags.count("main") == 1
    scopes = [given.get("scope") for given in page.named("th")]
    assert scopes.count("row") == 9
    assert set(scopes) == {"row", "col"}
    names = {given["id"] for _, given in page.tags if "id" in given}
    assert {given["aria-labelledby"] for given in page.named("div") if "role" in given} == names


def test_the_caption_says_how_a_section_was_played_and_rated() -> None:
    page = Page(crosstable_page(rated(SAMPLE)))
    played = "Round robin · June 14, 2026 · 3 rounds · 4 players · G/45;d5"
    assert f"{played} · rated Regular and Quick · rules in force since January 1, 2025" in page.texts["caption"]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "A & B", "\"><img src=x onerror='1'>"])
def test_a_name_is_no_markup(name: str) -> None:
    event = quad(name=name)
    event["event"]["name"] = name
    event["sections"][0]["players"][0]["name"] = name
    page = Page(crosstable_page(rated(event)))
    assert page.rows[2][2] == f"{name} 10000001"
    assert page.texts["title"] == name
    assert page.texts["bdi"].count(name) == 5
    assert not {tag for tag, _ in page.tags} & {"script", "img"}


def test_characters_that_change_the_direction_are_shown() -> None:
    text = crosstable_page(renamed(rated(quad()), "a\u202eb\u2066c\x07\ud800"))
    assert "a\\u202eb\\u2066c\\u0007\\ud800" in text
    assert text.encode()


def test_an_event_without_name_and_dates_has_a_page() -> None:
    event = pair("W2", "L1", name="", start_date="2025-08-01", end_date="2025-08-02")
    event["event"] = {"id": "", "name": ""}
    for row in event["sections"][0]["players"]:
        row["member_id"] = ""
    event["sections"][0]["players"][0]["number"], event["sections"][0]["players"][1]["number"] = 2, 1
    event["sections"][0]["players"][0]["rounds"], event["sections"][0]["players"][1]["rounds"] = ["W1"], ["L2"]
    page = Page(crosstable_page(rated(event)))
    assert (page.texts["title"], page.texts["bdi"][:14]) == ("event", "eventSection 1")
    assert page.texts["p"].startswith("1 section · 2 players")
    assert page.rows[2][1:3] == ["2", "Player, 1 "]
    assert "August 1-2, 2025" in page.texts["caption"]


@pytest.mark.parametrize(("rounds", "width"), [(7, "upright"), (8, "wide")])
def test_a_section_of_many_rounds_is_printed_on_its_side(rounds: int, width: str) -> None:
    rows = player(1, ["D2"] * rounds, 1500.0), player(2, ["D1"] * rounds, 1500.0), player(3, ["U"] * rounds, 1500.0)
    assert Page(crosstable_page(rated(event_file(*rows)))).named("section")[0] == {"class": f"sheet {width}"}


def test_printed_tables_repeat_their_heads_and_break_between_rows() -> None:
    printed = STYLE.partition("@media print")[2]
    assert "thead { display: table-header-group }" in printed
    assert re.search(r"tr,[^{]*\{ break-inside: avoid \}", printed)
    assert "@page { margin:" in STYLE


def palettes() -> list[dict[str, str]]:
    """The colours of the light screen, the dark screen and paper."""
    found = re.findall(r":root \{([^}]*)\}", STYLE)
    assert len(found) == 3
    return [dict(re.findall(r"--(\w+): #(\w+)", each)) for each in found]


def luminance(colour: str) -> float:
    """Relative luminance as the accessibility guidelines (WCAG 2) define it."""
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_the_guidelines_do() -> None:
    """WCAG 2: black on white is 21 to 1; #777 on white is the well-known 4.48 that just fails."""
    assert contrast("000", "fff") == pytest.approx(21.0)
    assert contrast("777777", "ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark", "paper"])
@pytest.mark.parametrize("ink", ["ink", "faint"])
@pytest.mark.parametrize("ground", ["paper", "stripe"])
def test_every_text_is_readable_on_its_ground(palette: dict[str, str], ink: str, ground: str) -> None:
    """WCAG 2, level AA: 4.5 to 1 for text."""
    assert contrast(palette[ink], palette[ground]) >= 4.5
