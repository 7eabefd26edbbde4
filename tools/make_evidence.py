"""Count ``ROWS`` of ``rules/documents.py`` anew from crosstables: ``python tools/make_evidence.py FOLDER``.

For every amendment, how many posted rows agree only with the side of its date they are on, and how many only with the
other side. The folder is the archive's; it is not part of the project.
"""

import sys
from pathlib import Path

from crosstable.formats import archive
from crosstable.verification import pages_of
from crosstable.verification.evidence import evidence

TARGET = Path(__file__).resolve().parent.parent / "src" / "crosstable" / "rules" / "documents.py"
HEAD = "ROWS: dict[str, tuple[int, int, int]] = {\n"


def main(folder: str) -> int:
    """Count, and write the table."""
    pages = [
        page
        for path in sorted(Path(folder).glob("*.jsonl.gz"))
        for report in archive.read(path.read_bytes(), path.name)
        for page in pages_of(report)
    ]
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
    sys.exit(main(sys.argv[1]))
