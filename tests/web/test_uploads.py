"""Uploads: what a director sees before anything is stored, and what hostile files cannot do."""

import base64
import gzip
import html
import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from crosstable.errors import Fault, FormatError
from crosstable.formats import Reading
from crosstable.formats.uschess_write import write as write_dbf
from crosstable.office.checking import WITHHELD
from crosstable.office.ledger.journal import head
from crosstable.office.members import import_members
from crosstable.terms import Report
from crosstable.web import child_reading
from crosstable.web.acting import submit_for
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.policies import Actor, ActorKind
from crosstable.web.problems import Problem
from crosstable.web.uploads import carried_files, uploads_of
from tests.documents import valid
from tests.engine.wallcharts import Played
from tests.office.made_office import AUTHOR, document, member_id, person, posted, quad, report, run, section
from tests.web.people import OTHER, OWN, TODAY, Site, belonging, event_file, site

MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site on which nothing is ever stored."""
    with site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def seen(made: Site, *files: tuple[str, bytes], who: str = "nobody") -> str:
    """The page that an upload gives, as text."""
    made.come_in(who)
    reply = made.client.post("/upload", files=[("files", one) for one in files])
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def acts_of(made: Site) -> int:
    with made.office.reading() as connection:
        newest = head(connection)
    assert newest is not None
    return newest.seq


def rated_rows(page: str) -> list[tuple[str, str]]:
    """The rating after the event and, for those who see them, its decimals, row by row."""
    after = re.findall(r'data-label="After"><b>([^<]*)</b>', page)
    exact = re.findall(r'data-label="Exactly">([^<]*)<', page) or [""] * len(after)
    return list(zip(after, exact, strict=True))


def submit(made: Site, who: str, page: str, **fields: str) -> tuple[int, str]:
    """Submit what a page of this person carries along."""
    carried = re.search(r'name="carried" value="([^"]+)"', page)
    mark = re.search(r'name="mark" value="(\w{64})"', page)
    assert carried
    assert mark
    reply = made.client.post(
        "/upload/submit", data={"mark": mark[1], "carried": carried[1], **fields}, follow_redirects=True
    )
    return reply.status_code, html.unescape(reply.text)


# From a file to posted ratings.


def test_a_preview_is_what_is_posted_and_stores_nothing(here: Site) -> None:
    made = quad("new", TODAY)
    before = acts_of(here)
    page = seen(here, event_file(made)[1], who="tina")
    assert "Everything is ready" in page
    assert acts_of(here) == before
    status, told = submit(here, "tina", page)
    assert (status, "1 section accepted and rated" in told) == (200, True)
    after = {about.member_id: found for about, found in posted(here.office).items() if about.event_id == "new"}
    expected = [after[member_id(number)].rating_after or 0.0 for number in (1, 2, 3, 4)]
    assert [exact for _, exact in rated_rows(page)] == [f"{rating:.2f}" for rating in expected]
    assert here.client.get("/events/new").status_code == 200


def test_a_director_submits_for_the_own_affiliate(here: Site) -> None:
    page = seen(here, event_file(quad("plain", TODAY))[1], who="tina")
    assert submit(here, "tina", page)[0] == 200
    foreign = event_file(belonging(quad("foreign", TODAY), OTHER))
    page = seen(here, foreign[1], who="tina")
    assert "It would be refused" in page
    assert "belongs to affiliate B2222222; you act for A1111111" in page
    reply = here.client.post("/upload/submit", data={"mark": here.come_in("tina")}, files=[foreign])
    assert (reply.status_code, "belongs to affiliate B2222222; you act for A1111111" in reply.text) == (403, True)
    here.come_in("anna")
    assert (
        "affiliate A1111111" in here.client.get("/administration/events/plain").text
    )  # hers, though the file named none
    here.come_in("otto")
    assert here.client.get("/events/plain/correction").status_code == 403


def test_a_section_with_errors_is_held_while_the_others_go_on(here: Site) -> None:
    good = section("1 | W2\n2 | L1", TODAY)
    bad = section("1 =3 | W2\n2 =77 | L1", TODAY, number=2)
    page = seen(here, event_file(report("mixed", good, bad))[1], who="tina")
    assert "1 section of 2 would be" in " ".join(page.split())
    assert "Nobody here has the id 10000077" in page
    status, told = submit(here, "tina", page)
    assert (status, "1 section accepted and rated, 1 section held" in told) == (200, True)


def test_the_same_file_twice_is_answered_not_repeated(here: Site) -> None:
    file = event_file(quad("twice", TODAY))[1]
    submit(here, "tina", seen(here, file, who="tina"))
    before = acts_of(here)
    assert "in the record already" in seen(here, file, who="tina")
    mark = here.come_in("tina")
    reply = here.client.post("/upload/submit", data={"mark": mark}, files=[("files", file)], follow_redirects=True)
    assert (reply.status_code, "nothing to do" in reply.text) == (200, True)
    assert acts_of(here) == before


def test_another_file_about_a_rated_event_is_asked_for_as_a_correction(here: Site) -> None:
    other = quad("own-late", Played(start=date(2026, 11, 7)), "1 | L2 D3 W4\n2 | W1 L4 L3\n3 | L4 D1 W2\n4 | W3 W2 L1")
    page = seen(here, event_file(belonging(other, OWN))[1], who="tina")
    assert "round 1 was W2 and is L2" in page
    before = posted(here.office)
    status, told = submit(here, "tina", page, event="own-late", reason="the result was reversed")
    assert (status, "The office looks at it" in told) == (200, True)
    assert posted(here.office) == before
    assert submit(here, "tina", page, event="own-late", reason="")[0] == 409
    assert submit(here, "tina", page, event="other", reason="not hers")[0] == 403


def test_a_correction_by_the_office_leaves_an_event_with_its_affiliate(here: Site) -> None:
    other = quad("own-late", Played(start=date(2026, 11, 7)), "1 | L2 D3 W4\n2 | W1 L4 L3\n3 | L4 D1 W2\n4 | W3 W2 L1")
    page = seen(here, event_file(other)[1], who="anna")
    status, told = submit(here, "anna", page, event="own-late", reason="the result was reversed")
    assert (status, "Corrected (entry" in told) == (200, True)
    assert "affiliate A1111111" in here.client.get("/administration/events/own-late").text


def test_a_file_that_cannot_be_read_is_not_submitted(here: Site) -> None:
    mark = here.come_in("tina")
    for files, code in (
        ([("files", ("a.txt", b"x"))], 422),
        ([], 400),
        ([event_file(quad("a")), event_file(quad("b"))], 400),
    ):
        assert here.client.post("/upload/submit", data={"mark": mark}, files=files or None).status_code == code


def test_who_acts_for_nobody_submits_nothing(here: Site) -> None:
    """There is no such account; were there one, nothing would be theirs."""
    reading = here.client.app.state.reading  # type: ignore[attr-defined]
    with pytest.raises(Problem, match="may not submit"):
        submit_for(reading, Actor(ActorKind.TD, "nobody"), document(quad("a", TODAY)))


def test_the_office_may_add_players_who_are_not_known(here: Site) -> None:
    made = quad("fresh", TODAY, "1 =1 | W2 D3 W4\n2 =52 | L1 L4 L3\n3 =53 | L4 D1 W2\n4 =54 | W3 W2 L1")
    page = seen(here, event_file(made)[1], who="tina")
    assert submit(here, "tina", page, new_members="yes")[1].count("1 section held")  # a director may not
    page = seen(here, event_file(quad("fresh-2", TODAY, "1 =1 | W2\n2 =55 | L1"))[1], who="anna")
    assert "1 section accepted and rated" in submit(here, "anna", page, new_members="yes", openings="yes")[1]


def test_whoever_is_not_logged_in_sees_everything_and_submits_nothing(shared: Site) -> None:
    page = seen(shared, event_file(quad("new", TODAY))[1])
    assert "log in" in page
    assert 'name="carried"' not in page
    assert shared.client.post("/upload/submit", data={"mark": "0" * 64}).status_code == 401


def test_three_tables_are_one_event_and_other_files_are_one_each(shared: Site) -> None:
    tables = list(write_dbf(quad("20261114", TODAY)).items())
    page = seen(shared, *tables, event_file(quad("b", TODAY))[1], ("c.json", b"{}"))
    assert len(re.findall(r'<h2 id="upload', page)) == 3


def test_without_a_file_there_is_a_word_about_it(shared: Site) -> None:
    shared.come_in("nobody")
    reply = shared.client.post("/upload", files=[("files", ("", b""))])
    assert (reply.status_code, "Choose at least one file" in reply.text) == (400, True)
    assert shared.client.post("/upload").status_code == 400


def test_a_preview_for_anybody_uses_no_stored_birth_date_and_says_so(here: Site) -> None:
    """An unrated child's start moves by 50 points a year (§2.3): a made-up event must not show it to the day.

    Directors, who could submit the file, see what would be posted.
    """
    made = quad("trap", TODAY, "1 =60 | W2 D3 W4\n2 =61 | L1 L4 L3\n3 =62 | L4 D1 W2\n4 =63 | W3 W2 L1")
    found = {}
    for year in (2016, 2010):
        children = [person(number, birth_date=date(year, 3, number - 50)) for number in range(60, 64)]
        import_members(here.office, AUTHOR, children)
        run(here.office)
        for who in ("nobody", "rosa", "tina", "anna"):
            page = seen(here, event_file(made)[1], who=who)
            found[year, who] = rated_rows(page)
            assert (html.unescape(page).count(WITHHELD) == 4) is (who in ("nobody", "rosa"))
            assert str(year) not in "".join(after for after, _ in found[year, who])
    for who in ("nobody", "rosa"):
        assert found[2016, who] == found[2010, who]
        assert all(re.fullmatch(r"\d+P\d+", after) for after, _ in found[2016, who])
    for who in ("tina", "anna"):
        assert found[2016, who] != found[2010, who]
        assert all(re.fullmatch(r"\d+\.\d\d", exact) for _, exact in found[2016, who])


def test_a_preview_by_program_tells_what_the_page_tells(here: Site) -> None:
    """Anonymous callers get posted numbers and are told what was not used; a director's token gets all of it."""
    import_members(here.office, AUTHOR, [person(60, birth_date=date(2016, 3, 9))])
    run(here.office)
    made = event_file(quad("trap", TODAY, "1 =60 | L2 L3 L4\n2 =1 | W1 L4 L3\n3 =2 | L4 W1 W2\n4 =3 | W3 W2 W1"))[1][1]
    here.come_in("nobody")
    public = valid(here.client.post("/api/v1/previews", content=made).json())
    own = valid(here.client.post("/api/v1/previews", content=made, headers=here.token("tina")).json())
    assert (public["format"], public["status"], public["is_new"]) == ("crosstable-preview/1", "accepted", True)
    assert (public["is_exact"], own["is_exact"]) == (False, True)
    (shown,), (exact,) = public["rated"], own["rated"]
    assert [WITHHELD in row["assumed"] for row in shown["players"]] == [True, False, False, False]
    assert not any(WITHHELD in row["assumed"] for row in exact["players"])
    assert all(row["after"]["rating"] == int(row["after"]["rating"]) for row in shown["players"])
    assert any(row["after"]["rating"] % 1.0 for row in exact["players"])
    assert "2016" not in str(public)
    assert here.client.post("/api/v1/previews", content=b"").status_code == 400
    wrong = here.client.post("/api/v1/previews", content=b"nonsense")
    assert (wrong.status_code, bool(wrong.json()["faults"])) == (422, True)


def with_contacts(made: Report) -> Report:
    """The same with what a pairing program knows of its first player."""
    (only,) = made.sections
    first = only.players[0]._replace(details={"email": "a@b.example", "phone": "555-0100", "birth_date": "2013-05-17"})
    return made._replace(sections=(only._replace(players=(first, *only.players[1:])),))


def test_contacts_in_reports_are_told_to_nobody(here: Site) -> None:
    """Not by a preview that differs from the record, nor in the log of the correction that brought them."""
    made = belonging(quad("own-late", Played(start=date(2026, 11, 7))), OWN)
    page = seen(here, event_file(with_contacts(made))[1], who="anna")
    assert "a@b.example" in page  # the office itself sees what differs
    assert submit(here, "anna", page, event="own-late", reason="a newer file")[0] == 200
    (act,) = (one["act"] for one in here.client.get("/changes.json?kind=correct").json()["acts"])
    here.come_in("nobody")
    pages = [
        here.client.get(path).text
        for path in (f"/changes/{act}", f"/changes/{act}.json", f"/api/v1/log/{act}", "/changes", "/api/v1/log")
    ]
    other = made._replace(name="Own, once more")
    previews = [seen(here, event_file(other)[1], who=who) for who in ("nobody", "otto", "rosa")]
    reply = here.client.post("/api/v1/submissions", files=[event_file(other)], headers=here.token("tina"))
    assert reply.status_code == 409
    for text in (*pages[:3], *previews, reply.text):
        assert "(Member, Boris 1): other particulars changed" in html.unescape(text)
    for text in (*pages, *previews, reply.text):
        assert not re.search("a@b|555-0100|2013-05-17|'email'|'phone'", html.unescape(text))


# Hostile names.

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    '=HYPERLINK("http://evil.example")',
    "abc\u202egnp.exe",
    "x" * 10_000,
    "nul\x00nul",
    "line\r\nbreak",
    "{{ 7 * 7 }}",
    "\x1b[2J",
    "../../etc/passwd",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_and_do_nothing(shared: Site, name: str) -> None:
    """In names of players, sections, events and files."""
    made = json.loads(document(quad("names", TODAY)).content)
    made["event"]["name"] = made["sections"][0]["name"] = made["sections"][0]["players"][0]["name"] = name
    shared.come_in("nobody")
    content = json.dumps(made).encode()
    reply = shared.client.post("/upload", files=[("files", (name[:200].replace("\x00", "") + ".json", content))])
    assert reply.status_code == 200
    assert "<script>alert" not in reply.text
    assert "<img src=x" not in reply.text
    assert "\u202e" not in reply.text
    assert "\x1b" not in reply.text
    assert ">49<" not in reply.text
    assert "script-src 'self'" in reply.headers["content-security-policy"]


# Hostile files: fifty of them, each refused in words, quickly, with nothing stored.


def zipped(*members: tuple[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are part of the corpus
        with zipfile.ZipFile(made, "w", how) as archive:
            for name, content in members:
                archive.writestr(name, content)
    return made.getvalue()


def tables() -> dict[str, bytes]:
    return {name.lower(): content for name, content in write_dbf(quad("20261114", TODAY)).items()}


def flagged(data: bytes, at: int, value: int) -> bytes:
    """A zip with two bytes of every listed member set to something else."""
    changed = bytearray(data)
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        struct.pack_into("<H", changed, place + at, value)
        place = data.find(b"PK\x01\x02", place + 4)
    return bytes(changed)


def bomb_sheet() -> bytes:
    types = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    return zipped(("[Content_Types].xml", types), ("xl/worksheets/sheet1.xml", b"<a>" + b"A" * 40_000_000))


def event_bytes() -> bytes:
    return document(quad("event", TODAY)).content


CORPUS: dict[str, Callable[[], tuple[str, bytes]]] = {
    # bombs
    "a zip that unpacks to 40 MB of nothing": lambda: ("a.zip", zipped(("thexport.dbf", bytes(40_000_000)))),
    "a zip of 60 MB in three": lambda: ("a.zip", zipped(*((f"{n}.dbf", bytes(20_000_000)) for n in range(3)))),
    "a zip in a zip": lambda: ("a.zip", zipped(("b.zip", zipped(("thexport.dbf", b"x" * 999))))),
    "a zip in a zip called dbf": lambda: ("a.zip", zipped(("thexport.dbf", zipped(("x", b"x" * 99))))),
    "a hundred members": lambda: ("a.zip", zipped(*((f"{n}.dbf", b"\x03") for n in range(100)))),
    "a workbook that unpacks to 40 MB": lambda: ("a.xlsx", bomb_sheet()),
    "gzip": lambda: ("a.gz", gzip.compress(bytes(5_000_000))),
    "gzip called txt": lambda: ("a.txt", gzip.compress(b"x")),
    "xml entities": lambda: (
        "a.html",
        b'<!DOCTYPE a [<!ENTITY b "bbbb">' + b'<!ENTITY c "&b;&b;&b;&b;">' * 50 + b"]><a>&c;</a>",
    ),
    "deep json": lambda: ("a.json", b"[" * 100_000),
    "deep json objects": lambda: ("a.json", b'{"a":' * 50_000),
    "a long number": lambda: ("a.json", b'{"event": ' + b"9" * 4_000_000 + b"}"),
    "a long string": lambda: ("a.json", b'"' + b"a" * 6_000_000 + b'"'),
    "numbers that are none": lambda: ("a.json", b'{"event": NaN, "sections": [Infinity]}'),
    "many sections": lambda: ("a.json", b'{"format": "crosstable-event/1", "sections": [' + b"{}," * 20_000 + b"{}]}"),
    "keys twice": lambda: ("a.json", b'{"format":"crosstable-event/1","format":"x","event":{},"event":[]}'),
    # slips
    "a path out": lambda: ("a.zip", zipped(("../../../etc/cron.d/x", b"* * * * * root true"))),
    "an absolute path": lambda: ("a.zip", zipped(("/etc/passwd", b"root::0:0"))),
    "a drive": lambda: ("a.zip", zipped(("C:\\Windows\\x.dbf", b"x"))),
    "a nul in a name": lambda: ("a.zip", zipped(("th\x00export.dbf", b"x"))),
    "one name twice": lambda: ("a.zip", zipped(("a.dbf", b"x"), ("a.dbf", b"y"))),
    "only folders": lambda: ("a.zip", zipped(("a/", b""), ("b/", b""))),
    "an encrypted member": lambda: ("a.zip", flagged(zipped(("a.dbf", b"x" * 99)), 8, 1)),
    "an unknown packing": lambda: ("a.zip", flagged(zipped(("a.dbf", b"x" * 99)), 10, 99)),
    "bzip2 inside": lambda: ("a.zip", zipped(("a.dbf", b"x" * 9999), how=zipfile.ZIP_BZIP2)),
    "lzma inside": lambda: ("a.zip", zipped(("a.dbf", b"x" * 9999), how=zipfile.ZIP_LZMA)),
    "a zip cut off": lambda: ("a.zip", zipped(("a.dbf", b"x" * 999))[:-30]),
    "a zip with a head only": lambda: ("a.zip", b"PK\x03\x04" + b"\x00" * 40),
    "an empty zip": lambda: ("a.zip", zipped()),
    "a huge size in the list": lambda: ("a.zip", flagged(zipped(("a.dbf", b"x" * 99)), 26, 0x7FFF)),
    # polyglots and wrong names
    "a zip called json": lambda: ("a.json", zipped(*tables().items())),
    "a zip called trf": lambda: ("a.trf", zipped(*tables().items())),
    "json called zip": lambda: ("a.zip", event_bytes()),
    "json called xlsx": lambda: ("a.xlsx", event_bytes()),
    "json called dbf": lambda: ("a.dbf", event_bytes()),
    "json before a zip": lambda: ("a.zip", event_bytes() + zipped(*tables().items())),
    "a program called csv": lambda: ("a.csv", b"MZ" + bytes(2000)),
    "an elf called txt": lambda: ("a.txt", b"\x7fELF" + bytes(2000)),
    "a pdf called txt": lambda: ("a.txt", b"%PDF-1.7\n" + b"x" * 2000),
    "a pdf with its own name": lambda: ("a.pdf", b"%PDF-1.7\n" + b"x" * 2000),
    "a picture": lambda: ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(500)),
    "a script page": lambda: ("a.html", b"<html><script>fetch('http://evil.example')</script></html>"),
    # tables
    "a table cut off": lambda: ("thexport.dbf", tables()["thexport.dbf"][:60]),
    "a table of random bytes": lambda: ("thexport.dbf", b"\x03" + os.urandom(3000)),
    "a table that says it is huge": lambda: (
        "thexport.dbf",
        tables()["thexport.dbf"][:4] + struct.pack("<I", 2**31 - 1) + tables()["thexport.dbf"][8:],
    ),
    "a table with rows of no length": lambda: (
        "thexport.dbf",
        tables()["thexport.dbf"][:10] + b"\x00\x00" + tables()["thexport.dbf"][12:],
    ),
    # texts
    "nothing": lambda: ("a.txt", b""),
    "a byte": lambda: ("a", b"\xff"),
    "random bytes": lambda: ("a.bin", os.urandom(100_000)),
    "a million lines": lambda: ("a.csv", b"a,b,c\n" * 1_000_000),
    "one long line": lambda: ("a.csv", b"a," * 4_000_000),
    "utf-16": lambda: ("a.csv", "No,Name,Rating\n1,Ada,1500\n".encode("utf-16")),
}


def test_the_corpus_has_fifty_files() -> None:
    assert len(CORPUS) >= 50


@pytest.mark.parametrize("name", CORPUS)
def test_a_hostile_file_is_refused_in_words_and_stores_nothing(shared: Site, name: str) -> None:
    before = acts_of(shared)
    page = seen(shared, CORPUS[name](), who="anna")
    assert re.search(r"cannot be read|It would be refused|would be <b class=\"error\">held", page), page[:3000]
    assert "Traceback" not in page
    assert acts_of(shared) == before


def test_more_than_ten_files_are_refused(shared: Site) -> None:
    shared.come_in("nobody")
    files = [("files", (f"{number}.json", b"{}")) for number in range(11)]
    assert shared.client.post("/upload", files=files).status_code in (400, 413)


def test_a_form_that_is_none_is_refused(shared: Site) -> None:
    shared.come_in("nobody")
    for kind, content in (
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"no boundary here"),
        ("multipart/form-data; boundary=" + "x" * 5000, b"--"),
        ("application/x-www-form-urlencoded", b"files=1&" * 100),
    ):
        assert shared.client.post("/upload", content=content, headers={"Content-Type": kind}).status_code == 400


# The child.


def test_a_child_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_reading, "PATIENCE", 0.001)
    with pytest.raises(FormatError, match="longer than"):
        read_in_child([File("a.json", event_bytes())])


def test_a_child_has_little_memory_and_writes_no_file(tmp_path: Path) -> None:
    """The same interpreter, told to be greedy inside the limits that the child sets itself."""
    limited = "import os; from crosstable.web import child_reading; child_reading._limit()\n"
    greedy = f"{limited}bytearray(600 * 1024 * 1024)"
    writing = f"{limited}os.write(os.open('made', os.O_CREAT | os.O_WRONLY), b'x')"
    for code, said in ((greedy, b"MemoryError"), (writing, b"File too large")):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=tmp_path)
        assert done.returncode != 0
        assert said in done.stderr or done.returncode < 0


def test_what_a_child_says_is_taken_back_only_as_our_own_nouns() -> None:
    for evil in (pickle.dumps(os.system), pickle.dumps(print), pickle.dumps(Path("/tmp")), pickle.dumps([1, 2])):
        with pytest.raises(pickle.UnpicklingError):
            child_reading._answer(evil)
    reading = document(quad("a", TODAY)).reading
    assert child_reading._answer(pickle.dumps(reading)) == reading
    assert isinstance(reading.report, Report)


def test_the_child_answers_with_a_reading_or_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its main function, here in this process and without its limits."""
    monkeypatch.setattr(child_reading, "_limit", lambda: None)
    for content, kind in ((event_bytes(), Reading), (b"nothing", Fault)):
        answer = io.BytesIO()
        asked = io.BytesIO(pickle.dumps([("a.json", content)]))
        streams = SimpleNamespace(stdin=SimpleNamespace(buffer=asked), stdout=SimpleNamespace(buffer=answer))
        monkeypatch.setattr(child_reading, "sys", streams)
        child_reading.main()
        assert isinstance(child_reading._answer(answer.getvalue()), kind)
    several = child_reading.read_together([File(name, content) for name, content in tables().items()])
    assert len(several.report.sections) == 1


def test_an_event_with_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_reading, "MOST_ROWS", 3)
    with pytest.raises(FormatError, match="It has 1 sections and 4 rows; at most 500 and 3"):
        read_in_child([File("a.json", event_bytes())])


def test_a_child_that_dies_is_told_as_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(FormatError, match="limits of memory and time"):
        read_in_child([File("a.json", event_bytes())])


# What a page carries along.


def test_what_a_page_carries_along_is_what_was_sent() -> None:
    (upload,) = uploads_of([File("a.json", event_bytes())])
    assert upload.document is not None
    assert carried_files(upload.carried) == [File("a.json", event_bytes())]
    (again,) = uploads_of(carried_files(upload.carried))
    assert again.document is not None
    assert again.document.digest == upload.document.digest


def test_what_is_too_long_is_not_carried_along() -> None:
    (upload,) = uploads_of([File("a.bin", os.urandom(5 * MEGABYTE))])
    assert upload.carried == ""
    assert isinstance(upload.fault, Fault)


@pytest.mark.parametrize(
    "given",
    [
        "!",
        base64.b64encode(b"no zip").decode(),
        base64.b64encode(zipped(*((f"{n}", b"") for n in range(11)))).decode(),
        base64.b64encode(flagged(zipped(("a", b"x" * 99)), 8, 1)).decode(),
        base64.b64encode(flagged(zipped(("a", b"x" * 99)), 10, 99)).decode(),
        base64.b64encode(zipped(("a", bytes(60_000_000)))).decode(),
    ],
)
def test_what_a_page_did_not_carry_along_is_refused(given: str) -> None:
    with pytest.raises(Problem):
        carried_files(given)


def test_files_of_one_name_are_kept_apart(shared: Site) -> None:
    """Two folders, two files called the same; and names that are paths."""
    first, second = (event_file(quad(event, TODAY))[1][1] for event in ("one", "two"))
    page = seen(shared, ("a/event.json", first), ("b\\event.json", second), ("../..", b"x"), (" ", b"x"))
    assert "event.json" in page
    assert "event (2).json" in page
    assert "b\\event" not in page
