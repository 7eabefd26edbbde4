"""Rating lists of any size: every layout gives the same ratings, found by an index that is made once.

The layouts are those of programs that load the real files (US Chess: positions and field names; FIDE and Canada: their
own titles); the people are invented.
"""

import os
import re
from array import array
from datetime import date
from pathlib import Path

import pytest

import crosstable as ct
from crosstable.errors import FormatError
from crosstable.formats import dbf, rating_lists
from crosstable.formats.members import MembersFile
from crosstable.formats.rating_lists import RatingList, opened
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem
from tests.event_files import event_file, player
from tests.formats.mutations import mutations, share

SIX = tuple(RatingSystem)
# id, name, expiration, state, the six ratings
ANN = ("12345671", "ADAMS, ANN", "2027-03-31", "TX", "1512/12", "1480", "0", "", "1300", "")
BO = ("12345672", "BAKER,BO", "", "OH", "1820", "", "", "", "", "")
CY = ("12345673", "CHEN, CY", "", "", "", "", "", "", "", "")
PEOPLE = (CY, ANN, BO)  # in no order
EXPECTED = {
    "12345671": {
        RatingSystem.OTBR: PlayerRating(1512.0, 12.0),
        RatingSystem.OTBQ: PlayerRating(1480.0),
        RatingSystem.OLQ: PlayerRating(1300.0),
    },
    "12345672": {RatingSystem.OTBR: PlayerRating(1820.0)},
    "12345673": {},
}
FIELDS = {
    "Golden": ("MEM_ID", "MEM_NAME", "EXPIRED", "STATE", "R_LPB_RAT", "Q_LPB_RAT"),
    "uscffide": (
        *("MEM_ID", "MEM_NAME", "EXPIRED", "STATE", "R_LPB_RAT", "Q_LPB_RAT"),
        *("B_LPB_RAT", "ONL_R_RTG", "ONL_Q_RTG", "ONL_B_RTG"),
    ),
    "monthly": ("R_MEM_ID", "R_MEM_NAME", "R_EXP_DATE", "R_STATE", "R_RATING1", "R_RATING2"),
}


def written(folder: Path, name: str, data: str | bytes) -> str:
    path = folder / name
    path.write_bytes(data.encode("cp1252") if isinstance(data, str) else data)
    return str(path)


def table(fields: tuple[str, ...]) -> bytes:
    """A DBF table with these fields, dates as pairing programs keep them."""
    rows = [dict(zip(fields, (*one[:2], one[2].replace("-", ""), *one[3:]), strict=False)) for one in PEOPLE]
    made = (*(dbf.Field(name, "C", 30) for name in fields), dbf.Field("OTHER", "C", 3))
    return dbf.write("x", made, [{**row, "OTHER": "???"} for row in rows], date(2026, 8, 1))


def wide(one: tuple[str, ...]) -> str:
    """A row of rtglist.txt of today: each rating with a column behind it that nobody explained."""
    head = (one[0], one[1], one[3], "USA", "?", "A", "2000001", "USA", "2026-08")
    return "\t".join([*head, *(cell for rating in one[4:] for cell in (rating, "7"))])


def narrow(one: tuple[str, ...]) -> str:
    return "\t".join((one[0], one[1], one[3], "USA", "?", "A", "", "", "2026-08", *one[4:]))


HEAD = "memid\tname\tstate\tcountry\tx\tstatus\tfideid\tfed\trtglistdate\trtgreg"
SUPPLEMENT = "\n".join("\t".join((one[1], one[0], *one[2:])) for one in (ANN, CY, BO)) + "\n"
TEXTS = {
    "rtglist.txt": "\n".join((HEAD + "\tx" * 11, *map(wide, PEOPLE))),
    "rtglist-15.txt": "\n".join((HEAD + "\tx" * 5, *map(narrow, PEOPLE))),
    "RS2608T.TXT": SUPPLEMENT,
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_of_us_chess_gives_the_same_ratings(name: str, tmp_path: Path) -> None:
    found = opened(written(tmp_path, name, TEXTS[name])).of([*EXPECTED, "99999999", "A1", ""])
    assert found.faults == ()
    assert {one: dict(known.standings) for one, known in found.backgrounds.items()} == EXPECTED
    assert (found.names["12345672"], found.details["12345671"].state) == ("BAKER,BO", "TX")


@pytest.mark.parametrize("name", FIELDS)
def test_every_table_of_pairing_programs_gives_the_same_ratings(name: str, tmp_path: Path) -> None:
    found = opened(written(tmp_path, f"{name}.DBF", table(FIELDS[name]))).of(EXPECTED)
    kept = SIX[: len(FIELDS[name]) - 4]
    assert found.faults == ()
    assert {one: dict(known.standings) for one, known in found.backgrounds.items()} == {
        one: {system: record for system, record in known.items() if system in kept} for one, known in EXPECTED.items()
    }
    assert found.details["12345671"].member_until == date(2027, 3, 31)


def test_a_blitz_supplement_has_blitz_where_others_have_quick(tmp_path: Path) -> None:
    six = "\n".join("\t".join((one[1], one[0], *one[2:6])) for one in PEOPLE)
    by_name = {name: opened(written(tmp_path, name, six)).of(["12345671"]) for name in ("RS2608.TXT", "RSB2608.TXT")}
    systems = [sorted(found.backgrounds["12345671"].standings) for found in by_name.values()]
    assert systems == [[RatingSystem.OTBR, RatingSystem.OTBQ], [RatingSystem.OTBR, RatingSystem.OTBB]]


def test_expirations_are_days_months_or_for_life(tmp_path: Path) -> None:
    """WinTD writes month and year, 9999 for a life member."""
    texts = {"0228": date(2028, 2, 29), "9999": None, "LIFE": None, "20270131": date(2027, 1, 31), "00000000": None}
    rows = [f"N{at}\t1234567{at}\t{text}\tTX\t1500\t" for at, text in enumerate(texts)]
    found = opened(written(tmp_path, "RS2608T.TXT", "\n".join(rows))).of([f"1234567{at}" for at in range(5)])
    assert (found.faults, [one.member_until for one in found.details.values()]) == ((), list(texts.values()))
    wrong = opened(written(tmp_path, "RS2609T.TXT", "N\t12345670\tsoon\tTX\t1500\t")).of(["12345670"])
    assert [one.code for one in wrong.faults] == ["bad-date"]


FIDE_TITLES = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA "
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
FIDE_ROWS = (
    "2000002        Dahl, Di                                                     NOR M             SI,FI,LSI,SLI,NAAFM "
    "1938  0   20 1956  0   20 1927  0   20 1982      ",
    "2000003        Eng                                                          INA M                                "
    "0     0   40 1620  0   40 0     0   0  0000      ",
)


CFC = (
    "CFC#,Expiry,Last,First,Prov,City,Rating,High,FIDE Number,FIDE Rating\n"
    '100123,1/2/2027,Fox,Fay,ON,"Ottawa,1405,1500,,\n'
)


def test_lists_of_fide_and_canada_are_looked_up_by_their_ids(tmp_path: Path) -> None:
    """Titles that run over their column, a birth year that is not known, and Canada's quote that does not close."""
    fide = written(tmp_path, "players_list_foa.txt", "\r\n".join((FIDE_TITLES, *FIDE_ROWS)))
    rows = [player(1, "W2"), player(2, "L1"), player(3, "U")]
    for row, fide_id in ((rows[0], "2000002"), (rows[2], "2000003")):
        row["details"] = {"fide_id": fide_id}
    members = b'Member ID,CFC id,Name\n10000002,100123,"Player, 2"\n'
    lists = [written(tmp_path, "members.csv", members), fide, written(tmp_path, "tdlist.txt", CFC)]
    event = ct.rate(event_file(*rows), members=lists)
    one, two, three = (row.background for row in event.report.sections[0].players)
    assert (one.fide, one.birth_year) == (OutsideRating(1938.0), 1982)
    assert (two.cfc, two.fide) == (OutsideRating(1405.0), None)
    assert (three.fide, three.birth_year) == (None, None)
    alone = ct.rate(event_file(player(1, "W2", 1500.0), player(2, "L1")), members=fide)
    assert alone.faults == ()  # FIDE's list has no members that somebody could be missing among
    damaged = opened(written(tmp_path, "tdlist.txt", CFC.replace("1405", '14"5'))).of(["100123"])
    assert [found.code for found in damaged.faults] == ["wrong-type"], "a quote within a number is no blank"


def test_a_large_list_is_indexed_once_and_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSTABLE_CACHE", str(tmp_path / "cache"))
    rows = "".join(f"{one},{'Member':<180},{100 + one % 2000}\n" for one in range(10_000_000, 10_012_000))
    path = written(tmp_path, "list.csv", f"MEM_ID,MEM_NAME,R_LPB_RAT\n{rows}")
    found = opened(path)
    assert isinstance(found, RatingList)

    def rating(source: MembersFile | RatingList) -> float:
        return source.of(["10008001"]).backgrounds["10008001"].standings[RatingSystem.OTBR].rating

    assert rating(found) == 101.0
    (kept,) = (tmp_path / "cache").iterdir()
    made = kept.stat().st_mtime_ns
    assert rating(opened(path)) == 101.0
    assert kept.stat().st_mtime_ns == made
    other = rows.replace(",101\n", ",777\n")
    written(tmp_path, "list.csv", f"MEM_ID,MEM_NAME,R_LPB_RAT\n{other}")
    os.utime(path, ns=(made, made))
    assert rating(opened(path)) == 777.0
    sound = kept.read_bytes()
    numbers = array("Q", sound)
    shifted = array("Q", (*numbers[:3], *(number + 1 for number in numbers[3:]))).tobytes()
    other_row = array("Q", (*numbers[:3], *((number >> 33 << 33) | (numbers[9] & 2**33 - 1) for number in numbers[3:])))
    for damaged in (sound[:-3], b"", shifted, other_row.tobytes()):
        kept.write_bytes(damaged)
        assert rating(opened(path)) == 777.0
    monkeypatch.setenv("CROSSTABLE_CACHE", path)  # no folder: nothing can be kept
    assert rating(opened(path)) == 777.0


def test_a_member_who_stands_twice_and_a_record_that_is_deleted(tmp_path: Path) -> None:
    twice = opened(written(tmp_path, "RS2608T.TXT", SUPPLEMENT * 2)).of(["12345671"])
    assert [one.code for one in twice.faults] == ["bad-value"]
    data = bytearray(table(FIELDS["Golden"]))
    data[int.from_bytes(data[8:10], "little")] = ord("*")
    assert set(opened(written(tmp_path, "t.dbf", bytes(data))).of(EXPECTED).backgrounds) == {"12345671", "12345672"}


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    for data in (dbf.write("x", (dbf.Field("CITY", "C", 5),), [{"CITY": "Rome"}], date(2026, 8, 1)), b"Nothing\n"):
        with pytest.raises(FormatError):
            opened(written(tmp_path, "x.dbf", data))
    with pytest.raises(FormatError, match="a zip or a workbook"):
        opened(written(tmp_path, "ALLRTG2608.zip", b"PK\x03\x04"))
    with pytest.raises(FormatError, match="cannot be opened"):
        opened(str(tmp_path / "missing.txt"))
    assert rating_lists._cache()


LISTS: dict[str, str | bytes] = {
    **TEXTS,
    **{f"{name}.DBF": table(fields) for name, fields in FIELDS.items()},
    "players_list_foa.txt": "\r\n".join((FIDE_TITLES, *FIDE_ROWS)),
    "tdlist.txt": CFC,
    "list.csv": 'MEM_ID,MEM_NAME,R_LPB_RAT\n12345671,"ADAMS, ANN",1512/12\n12345672,"BAKER, BO",1820\n',
}


@pytest.mark.parametrize("name", LISTS)
def test_a_damaged_list_is_read_or_refused_and_every_rating_stands_in_it(name: str, tmp_path: Path) -> None:
    data = LISTS[name]
    sound = data.encode() if isinstance(data, str) else data
    ids = [*EXPECTED, "2000002", "2000003", "100123"]
    assert opened(written(tmp_path, name, sound)).of(ids).backgrounds
    for damaged in mutations(sound, seed=41, count=share(8)):
        try:
            found = opened(written(tmp_path, name, damaged)).of(ids)
        except FormatError:
            continue
        for known in found.backgrounds.values():
            ratings = [record.rating for record in known.standings.values()]
            ratings += [outside.rating for outside in (known.fide, known.cfc) if outside]
            assert all(re.search(rf"{int(rating):,}|{int(rating)}".encode(), damaged) for rating in ratings), damaged


def test_a_large_table_whose_ratings_name_no_system_is_refused_like_a_small_one(tmp_path: Path) -> None:
    rows = "".join(f"{12000000 + at},Member {at},{1000 + at % 900},Ohio\n" for at in range(80_000))
    path = written(tmp_path, "club.csv", f"Member ID,Name,Rating,State\n{rows}")
    assert os.path.getsize(path) > 2_000_000
    found = opened(path).of(["12000001"])
    assert [one.code for one in found.faults] == ["rating-column-not-known"]
