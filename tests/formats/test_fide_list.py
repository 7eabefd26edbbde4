"""FIDE's monthly lists, in the layouts that ratings.fide.com had in October 2026; the people are made up.

Widths of the combined list: 15 id, 61 name, 4 federation, 4 sex, 5, 5 and 15 titles, 4 online title, then 6, 4 and 3
for each rating, its games and its K, 6 birth year, 4 flag. Single lists have one rating under the code of their month;
the legacy list has no online titles. XML: players with fideid, country, rating and games among others.
"""

import zipfile
from datetime import date
from pathlib import Path

import pytest

from crosstable.errors import FormatError
from crosstable.formats.fide_list import ListedPlayer, opened

PEOPLE = f"{'ID Number':<15}{'Name':<61}Fed Sex Tit  WTit {'OTit':<15}"
COMBINED = f"{PEOPLE}FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
STANDARD = f"{PEOPLE}FOA OCT26 Gms K  B-day Flag"
LEGACY = f"{PEOPLE}SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
ADA = ListedPlayer("2000001", "USA", 2211.0, 9)
BEN = ListedPlayer("30900002", "CAN", None, 0)


def row(one: ListedPlayer, heading: str = COMBINED, *, titles: str = "", shift: str = "") -> str:
    """A line of a list."""
    rating, games = f"{one.rating or 0:g}", str(one.games)
    line = f"{one.fide_id:<15}{shift}{'Player, Some':<61}{one.federation:<4}{'F':<4}{'WFM':<5}{'WFM':<5}{titles:<15}"
    line += "AFM " if heading is not LEGACY else ""
    line += f"{rating:<6}{games:<4}{'20':<3}"
    line += "" if heading is STANDARD else f"{'1900':<6}{'3':<4}{'20':<3}{'0':<6}{'0':<4}{'20':<3}"
    return f"{line}{'1990':<6}{'w':<4}"


def xml(*players: ListedPlayer) -> str:
    one = "<player><fideid>{}</fideid><name>Player, Some</name><country>{}</country><title></title><rating>{}</rating>"
    one += "<games>{}</games><k>20</k><rapid_rating>1900</rapid_rating><birthday>1990</birthday></player>\n"
    body = "".join(one.format(p.fide_id, p.federation, f"{p.rating or 0:g}", p.games) for p in players)
    return f"<playerslist>\n{body}</playerslist>\n"


def read(path: Path) -> tuple[date | None, list[ListedPlayer]]:
    with opened(str(path)) as found:
        return found.month, list(found.players)


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("\r\n".join([COMBINED, row(ADA), row(BEN), ""]), None),
        ("\n".join([STANDARD, row(ADA, STANDARD), row(BEN, STANDARD)]), date(2026, 10, 1)),
        ("\n".join([LEGACY, row(ADA, LEGACY), row(BEN, LEGACY)]), None),
        # Titles of other kinds may be a character too long, which moves the rest of the line.
        ("\n".join([COMBINED, row(ADA, titles="SI,FI,LSI,SLI,NA"), row(BEN)]), None),
        (xml(ADA, BEN), None),
    ],
    ids=["combined", "standard", "legacy", "overflow", "xml"],
)
@pytest.mark.parametrize("is_zipped", [False, True])
def test_every_layout_is_read(tmp_path: Path, text: str, month: date | None, is_zipped: bool) -> None:
    path = tmp_path / "list"
    if is_zipped:
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr("players_list.xml" if text.startswith("<") else "players_list.txt", text)
    else:
        path.write_text(text, "latin-1")
    assert read(path) == (month, [ADA, BEN])


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("rapid_rating_list.txt", "\n".join([STANDARD, row(ADA, STANDARD)]), "rapid or blitz"),
        ("list.txt", "CFC#,Expiry,Last,First,Prov,City,Rating", "not the heading of a FIDE list"),
        ("list.txt", "", "not the heading of a FIDE list"),
        ("list.txt", "\n".join([COMBINED, row(ADA)[1:]]), "line 2: The columns are not those"),
        ("list.txt", "\n".join([COMBINED, row(ADA, shift="    ")]), "line 2: "),
        ("list.txt", "\n".join([COMBINED.replace("FOA SRtng", "FOA  SRtng"), row(ADA)]), "columns are not those"),
        ("list.txt", "\n".join([COMBINED, row(ADA).replace("2211", "22x1")]), "'22x1'"),
        ("list.xml", xml(ADA).replace("</playerslist>", ""), "cannot be read"),
        ("list.xml", xml(ADA).replace("2211", "?"), "FIDE id 2000001"),
        ("list.xml", xml(ADA).replace("USA", "United States"), "no FIDE id, federation"),
        ("missing.txt", None, "cannot be read"),
    ],
)
def test_what_is_no_such_list_is_refused_with_its_place(tmp_path: Path, name: str, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, "latin-1")
    with pytest.raises(FormatError, match=told):
        read(tmp_path / name)


def test_a_zip_of_two_lists_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lists.zip", "w") as bundle:
        bundle.writestr("one.txt", "")
        bundle.writestr("two.txt", "")
    with pytest.raises(FormatError, match="2 lists"):
        read(tmp_path / "lists.zip")
