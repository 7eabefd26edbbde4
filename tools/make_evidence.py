"""Count ``ROWS`` of ``rules/documents.py`` anew from official results: ``python tools/make_evidence.py ARCHIVE PAGES``.

For every amendment, how many posted rows agree only with the side of its date they are on, and how many only with the
other side. Archive and saved pages are not part of the project.
"""

import sys
from pathlib import Path

from crosstable.formats import archive, msa
from crosstable.verification import pages_of
from tools.law_evidence import evidence

TARGET = Path(__file__).resolve().parent.parent / "src" / "crosstable" / "rules" / "documents.py"
HEAD = "ROWS: dict[str, tuple[int, int, int]] = {\n"


def main(folder: str, saved: str) -> int:
    """Count, and write the table; of the saved pages those of events that the archive lacks."""
    reports = [
        report
        for path in sorted(Path(folder).glob("*.jsonl.gz"))
        for report in archive.read(path.read_bytes(), path.name)
    ]
    archived = {report.event_id for report in reports}
    reports += [
        report
        for path in sorted(Path(saved).glob("*.html"))
        if (report := msa.read(path.read_bytes(), path.name).report).event_id not in archived
    ]
    pages = [page for report in reports for page in pages_of(report)]
    lines = [HEAD]
    for amendment, count in evidence(pages):
        if any(count):
            key = f"{amendment.effective} {amendment.summary}"
            lines.append(f'    "{key}": ({count.before}, {count.since}, {count.against}),\n')
    lines.append("}\n")
    before, _, rest = TARGET.read_text("utf-8").partition(HEAD)
    TARGET.write_text(before + "".join(lines) + rest.partition("\n}\n")[2], "utf-8")
    print(f"{len(pages)} pages; wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
