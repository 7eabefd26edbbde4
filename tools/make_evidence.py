"""Make ``rules/evidence.py`` anew from an archive of official crosstables: ``python tools/make_evidence.py FOLDER``.

For every amendment, how many posted rows agree only with the side of its date they are on, and how many only with the
other side. The folder is the archive's; it is not part of the project.
"""

import sys
from pathlib import Path

from crosstable.formats import archive
from crosstable.verify import pages_of
from crosstable.verify.evidence import evidence

TARGET = Path(__file__).resolve().parent.parent / "src" / "crosstable" / "rules" / "evidence.py"
HEAD = '''"""What official results of 2001 to 2021 say of each amendment; made by ``tools/make_evidence.py``.

``before`` and ``since`` count posted rows on either side of the date that fit only their own side, ``against`` those
that fit only the other.
An amendment that is not here could not be told from these results: its rule is unproven here, not doubted.
"""

from typing import NamedTuple

from crosstable.rules.law import Amendment


class Evidence(NamedTuple):
    """Rows for and against an amendment."""

    before: int
    since: int
    against: int

    @property
    def verdict(self) -> str:
        """``proven (n of n)``, ``in doubt (n of n)`` or ``unproven here``; one side alone proves no date."""
        told = self.before + self.since + self.against
        if self.since == 0 or self.before == 0:
            held = "before" if self.before else "since"
            count = self.before + self.since
            return f"unproven here (the rule {held} it: {count} of {told})" if told else "unproven here"
        word = "proven" if self.before + self.since >= SURE * told else "in doubt"
        return f"{word} ({self.before + self.since} of {told})"


SURE = 0.95
UNPROVEN = Evidence(0, 0, 0)


def evidence_for(amendment: Amendment) -> Evidence:
    """What official results say of an amendment."""
    return EVIDENCE.get(f"{amendment.effective} {amendment.summary}", UNPROVEN)


'''


def main(folder: str) -> int:
    """Count, and write the module."""
    pages = [
        page
        for path in sorted(Path(folder).glob("*.jsonl.gz"))
        for report in archive.read(path.read_bytes(), path.name)
        for page in pages_of(report)
    ]
    lines = [HEAD, "EVIDENCE: dict[str, Evidence] = {\n"]
    for amendment, count in evidence(pages):
        if any(count):
            key = f"{amendment.effective} {amendment.summary}"
            lines.append(f"    {key!r}: Evidence({count.before}, {count.since}, {count.against}),\n".replace("'", '"'))
    lines.append("}\n")
    TARGET.write_text("".join(lines), "utf-8")
    print(f"{len(pages)} pages; wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
