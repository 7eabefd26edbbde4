"""Styles and scripts as they are sent: shorter, and the same to a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstable.web.app import STATIC
from crosstable.web.lean_files import lean_script, lean_styles
from tests.web.client import TestClient
from tests.web.site import client, made_file

SCRIPTS, STYLES = sorted(STATIC.glob("*.js")), sorted(STATIC.glob("*.css"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("lean"))) as made:
        yield made


def test_a_blank_stays_where_it_means_something() -> None:
    styles = """
        /* A note; with a { in it. */
        .a .b > p:first-child, .c :hover { margin: 0 auto; width: calc(1rem + 2px); }
        .d::before { content: " \\25b4 ;  }"; }
        @media (max-width: 46rem) { .e { color: red; } }
    """
    assert lean_styles(styles) == (
        ".a .b > p:first-child,.c :hover{margin:0 auto;width:calc(1rem + 2px)}"
        '.d::before{content:" \\25b4 ;  }"}@media (max-width:46rem){.e{color:red}}'
    )


def test_lines_of_a_script_stay_lines() -> None:
    assert lean_script('// A note.\nif (a) {\n  b();  // why\n\n  c("// no note");\n}\n') == (
        'if (a) {\nb();  // why\nc("// no note");\n}'
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_of_a_script_goes_over_lines(path: Path) -> None:
    """Its indentation would be a part of it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.count("`") % 2 or "/*" in line] == []


@pytest.mark.parametrize("path", [*SCRIPTS, *STYLES], ids=lambda path: path.name)
def test_what_is_sent_is_shorter_and_kept_by_browsers(site: TestClient, path: Path) -> None:
    reply = site.get(f"/static/{path.name}")
    assert reply.headers["content-type"] == f"text/{'css' if path.suffix == '.css' else 'javascript'}; charset=utf-8"
    assert len(reply.content) < path.stat().st_size
    again = site.get(f"/static/{path.name}", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = site.head(f"/static/{path.name}")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(reply.content)))


def test_pictures_are_sent_as_they_are(site: TestClient) -> None:
    assert site.get("/static/mark.png").content == (STATIC / "mark.png").read_bytes()
