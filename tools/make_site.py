"""The documentation site: the pages of ``docs`` and those of the root in one folder, and MkDocs over them.

A link to a page of the root becomes a link to its copy; one to a folder of the sources becomes plain text.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "build" / "pages"
ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
ROOT_PAGES["SECURITY.md"] = "SECURITY.md"
# What the theme would fetch from another host so that the search works in a folder; ours does that itself.
_OUTSIDE = re.compile(r'<script src="https://[^"]*"></script>')
# The corner of a table is no header.
_EMPTY_HEADER = re.compile(r"<th([^>]*)></th>")
# In a table GitHub wants the bar of a command escaped, MkDocs shows the backslash.
_ROW = re.compile(r"^\|.*$", flags=re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def main() -> None:
    """Lay out the pages and build the site with the MkDocs at the path that is given."""
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES)
    for page in PAGES.rglob("*.md"):
        page.write_text(linked(page.read_text(encoding="utf-8"), page.parent), encoding="utf-8")
    for name, page_name in ROOT_PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        (PAGES / page_name).write_text(linked(text, PAGES), encoding="utf-8")
    for own in (ROOT / "tools" / "docs_site").iterdir():
        shutil.copy(own, PAGES / own.name)
    subprocess.run([sys.argv[1], "build", "-q", "--clean", "-f", str(ROOT / "mkdocs.yml")], check=True, cwd=ROOT)
    site = ROOT / "build" / "docs"
    (site / "404.html").unlink()  # its links begin at the root of a host, and nobody meets it in a folder
    for page in site.rglob("*.html"):
        own_script = f'<script src="{"../" * (len(page.relative_to(site).parts) - 1)}site.js"></script>'
        text = _OUTSIDE.sub(own_script, page.read_text(encoding="utf-8"))
        text = _EMPTY_HEADER.sub(r"<td\1></td>", text)
        page.write_text(text.replace('role="dialog"', 'role="dialog" aria-label="Search"'), encoding="utf-8")
    print(f"The site: {ROOT / 'build' / 'docs' / 'index.html'}")


def linked(text: str, folder: Path) -> str:
    """A page with links that hold inside the site."""

    def link(found: re.Match[str]) -> str:
        mark, words, to = found.groups()
        path, _, anchor = to.partition("#")
        if "://" in to or not path:
            return found[0]
        name = Path(path).name
        up = "../" * len(folder.relative_to(PAGES).parts)
        if name in ROOT_PAGES and name != "README.md":
            return f"[{words}]({up}{ROOT_PAGES[name]}{'#' * bool(anchor)}{anchor})"
        if (folder / path).exists() or ((ROOT / path).exists() and path in ROOT_PAGES):
            return found[0]
        return words if not mark else ""

    bars = _ROW.sub(lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), text)
    return _LINK.sub(link, bars)


if __name__ == "__main__":
    main()
