"""The pages about sources: in each of them who cites what.

The words of these pages are written by hand; only the lines that begin with "Cited in" are made.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from os.path import relpath
from pathlib import Path

from tools.citations import DOCS, ROOT, Citation, all_citations, holder

CITED = "*Cited in:*"
# A part of a page that can be cited: a reading, or a numbered section.
_PLACE = re.compile(r'^(?:### <a id="r(?P<reading>\d+)"></a>|## §(?P<section>\d+) ).*$', re.MULTILINE)


@cache
def by_place() -> dict[tuple[str, str], list[Citation]]:
    """Every citation in code and tests, by what it cites."""
    found: dict[tuple[str, str], list[Citation]] = defaultdict(list)
    for citation in all_citations():
        if citation.file.endswith(".py"):
            found[citation.source, citation.place].append(citation)
    return found


def within(cited: Iterable[Citation], *folders: str) -> list[Citation]:
    """Those in some folders."""
    return [one for one in cited if one.file.startswith(folders)]


def _code(cited: Iterable[Citation]) -> list[str]:
    """A link for each module that cites something, with its functions that do."""
    names: dict[str, set[str]] = defaultdict(set)
    for one in cited:
        names[one.file].add(holder(one))
    linked = {file: f"[{file.removeprefix('src/crosstable/')}]({relpath(ROOT / file, DOCS)})" for file in sorted(names)}
    inside = {file: ", ".join(f"`{name}`" for name in sorted(names[file]) if name) for file in linked}
    return [f"{link}: {inside[file]}" if inside[file] else link for file, link in linked.items()]


def _tests(cited: Iterable[Citation]) -> list[str]:
    """A link for each test file that cites something, with how often, the most frequent first."""
    counts = Counter(one.file for one in within(cited, "tests/") if not one.file.startswith("tests/architecture/"))
    ordered = sorted(counts, key=lambda file: (-counts[file], file))
    return [f"[{file.removeprefix('tests/')}]({relpath(ROOT / file, DOCS)}) ({counts[file]})" for file in ordered]


def source_page(source: str, page: Path) -> str:
    """A page of sources as it stands, with new lines that say where each of its parts is cited."""
    text = re.sub(rf"^{re.escape(CITED)}.*\n\n?", "", page.read_text("utf-8"), flags=re.MULTILINE)
    parts = list(_PLACE.finditer(text))
    ends = [_end(text, part, following) for part, following in zip(parts, [*parts[1:], None], strict=True)]
    made = text[: parts[0].start()]
    for part, end, following in zip(parts, ends, [*parts[1:], None], strict=True):
        said = text[part.start() : end].rstrip("\n")
        after = text[end : following.start() if following else len(text)]
        cited = by_place().get((source, part["reading"] or part["section"]), [])
        made += f"{said}\n\n{_cited_line(cited)}{after}"
    return made.rstrip("\n") + "\n"


def _end(text: str, part: re.Match[str], following: re.Match[str] | None) -> int:
    """Where the words of a part end: before the next heading."""
    limit = following.start() if following else len(text)
    heading = re.compile(r"^##? ", re.MULTILINE).search(text, part.end(), limit)
    return heading.start() if heading else limit


def _cited_line(cited: Iterable[Citation]) -> str:
    code, tests = _code(within(cited, "src/")), _tests(cited)
    words = [*code, *([f"tests {', '.join(tests)}"] if tests else [])]
    return f"{CITED} {'; '.join(words)}.\n\n" if words else ""
