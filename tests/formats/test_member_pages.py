"""Saved pages of one member: the details with ratings and floor, and the tournament history.

The pages are put together as those of US Chess were; every name and figure is made up.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import member_pages, members
from crosstable.formats.detect import read_data
from crosstable.terms import RatingSystem
from tests.formats.mutations import mutations, share

HEAD = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">
<html><head><title>US Chess MSA - Member Details &nbsp; ({what})</title></head><body >
<table border=1 width=764><tr bgcolor=EEEEFF><td align=center><font size=+1><b>12345671: ANN ADAMS</b></font></td></tr>
<tr><td><table border=0 cellspacing=9>
"""
DETAILS = """<tr>
<td valign=top>
{title} Rating
</td>

<td>
<b><nobr>
{rating}&nbsp;&nbsp;
{more}</nobr>
</b>
</td>
<td>
</td>
</tr>
"""
ROW = """<tr bgcolor=FFFFC0>
<td width=120>{day}<br><small>{event} </small></td>
<td width=350><a href=XtblMain.php?{event}-12345671>SOME OPEN (TX)</a><br><small>1: OPEN</small></td>
<td width=160>{regular}</td>
<td width=160>{quick}</td>
<td width=160>&nbsp;</td>
</tr>
"""


def details() -> bytes:
    """A page of details: Regular with a floor, a provisional online Quick rating, the rest unrated."""
    rows = [
        DETAILS.format(title="Regular", rating="1797", more="2021-02<br>(Current floor is 1700)"),
        DETAILS.format(title="Quick", rating="(Unrated)", more=""),
        DETAILS.format(title="Online-Quick", rating="1459 (Based on 7 games)", more="2021-03"),
        DETAILS.format(title="Correspondence", rating="1500", more="2021-03"),
    ]
    return (HEAD.format(what="General") + "".join(rows) + "</table></td></tr></table></body></html>").encode()


def history(since: int = 3) -> bytes:
    """Three events, newest first: an online one, one past 25 games, and the first."""
    rows = [
        ROW.format(day="2021-01-02", event="202101020001", regular="&nbsp;", quick="ONL:(Unrated) => <b>1459 (P7)</b>"),
        ROW.format(day="2019-05-04", event="201905040001", regular="1720 (P24) => <b>1801</b>", quick="&nbsp;"),
        ROW.format(day="2019-01-06", event="201901060001", regular="(Unrated) => <b>1720 (P24)</b>", quick="&nbsp;"),
    ]
    count = f"<tr><td><b>Events for this player since late 1991: {since} </b></td></tr>"
    return (HEAD.format(what="Tournament History") + count + "".join(rows) + "</table></body></html>").encode()


def test_details_give_every_published_rating_with_its_supplement_and_the_floor() -> None:
    page = member_pages.read(details(), "member.html")
    assert (page.member_id, page.name, page.career) == ("12345671", "ANN ADAMS", ())
    regular, online = page.standings[RatingSystem.OTBR], page.standings[RatingSystem.OLQ]
    assert set(page.standings) == {RatingSystem.OTBR, RatingSystem.OLQ}
    assert (regular.rating, regular.games, regular.as_of, regular.published) == (1797.0, None, date(2021, 2, 1), 1797.0)
    assert [floor.level for floor in regular.floors] == [1700.0]
    assert (online.rating, online.games, online.floors) == (1459.0, 7.0, ())


def test_a_history_gives_every_event_oldest_first_in_its_own_system() -> None:
    page = member_pages.read(history(), "history.html")
    found = [(row.on, row.system.name, row.before and row.before.games, row.after.rating) for row in page.career]
    assert found == [
        (date(2019, 1, 6), "OTBR", None, 1720.0),
        (date(2019, 5, 4), "OTBR", 24.0, 1801.0),
        (date(2021, 1, 2), "OLQ", None, 1459.0),
    ]
    assert page.is_whole
    assert not member_pages.read(history(since=40), "history.html").is_whole


def test_a_saved_page_of_a_member_is_a_members_file_and_no_event() -> None:
    """What a history leaves is the rating after the last event in each system."""
    found = members.read(details(), "member.html")
    assert found.backgrounds["12345671"].standings[RatingSystem.OTBR].rating == 1797.0
    assert (found.names, found.faults) == ({"12345671": "ANN ADAMS"}, ())
    left = members.read(history(), "history.html").backgrounds["12345671"].standings
    assert (left[RatingSystem.OTBR].rating, left[RatingSystem.OTBR].as_of) == (1801.0, date(2019, 5, 4))
    for page in (details(), history()):
        with pytest.raises(FormatError, match="page of one member") as caught:
            read_data(page, "saved.html")
        assert "--members" in str(caught.value.fault.remedy)


def test_a_page_that_names_no_member_is_refused() -> None:
    with pytest.raises(FormatError, match="names no member"):
        member_pages.read(details().replace(b"12345671: ANN", b"ANN"), "member.html")


def archive() -> bytes:
    lines = [
        {
            "member": "M1",
            "page": "details",
            "ratings": {"R": {"rating": 1932, "games": None, "supplement": "2015-11", "floor": 1700}, "Q": None},
        },
        {
            "member": "M1",
            "page": "history",
            "rows": [
                {"end_date": "2015-10-01", "event": "201510010001", "R": {"pre": [1980, None], "post": [1932, None]}},
                {"end_date": "2015-09-01", "event": "201509010001", "Q": {"pre": None, "post": None}},
            ],
            "events_since_1991": 2,
        },
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def test_an_archive_of_such_pages_has_one_a_line() -> None:
    data = gzip.compress(archive())
    assert member_pages.archived(data)
    first, second = member_pages.read_archive(data, "members.jsonl.gz")
    assert [floor.level for floor in first.standings[RatingSystem.OTBR].floors] == [1700.0]
    assert [(row.before and row.before.rating, row.after.rating) for row in second.career] == [(1980.0, 1932.0)]
    assert second.is_whole
    with pytest.raises(FormatError, match="line 1"):
        list(member_pages.read_archive(gzip.compress(b'{"page": "details"}\n'), "members.jsonl.gz"))
    assert not any(
        member_pages.archived(other) for other in (b"{}", b"\x1f\x8bnonsense", gzip.compress(b'{"event": 1}'))
    )


def test_a_damaged_page_or_archive_is_read_or_refused() -> None:
    def archived(data: bytes) -> list[object]:
        return list(member_pages.read_archive(data, "members.jsonl.gz"))

    def packed(data: bytes) -> list[object]:
        return archived(gzip.compress(data, 1))

    def page(data: bytes) -> list[object]:
        return [member_pages.read(data, "member.html")]

    readers = ((page, details()), (page, history()), (packed, archive()), (archived, gzip.compress(archive(), mtime=0)))
    found = Counter(
        _outcome(read, damaged) for read, sound in readers for damaged in mutations(sound, seed=19, count=share(4))
    )
    assert set(found) == {"read", "refused"}


def _outcome(read: Callable[[bytes], list[object]], data: bytes) -> str:
    try:
        read(data)
    except FormatError:
        return "refused"
    return "read"
