"""How rules are known: the documents, where in each of them a rule stands, and what official results say.

Rules are cited by their section of the newest text; a document that orders them otherwise says where it has them.
``ROWS`` is written by ``tools/make_evidence.py``.
"""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from crosstable.rules.amending import Amendment
from crosstable.terms import RatingSystem

# amendment: rows before its date, rows since, rows against
ROWS: dict[str, tuple[int, int, int]] = {
    "2002-01-01 Sections with a main time of 30 to 60 minutes are rated both Regular and Quick.": (0, 312, 0),
    "2004-01-01 Quick rating extended down to 5 minutes.": (0, 3, 0),
    "2008-06-06 Bonus point threshold reduced to 6.": (180, 334, 1),
    "2008-08-07 Personal absolute floors from 100 to 150, over the board.": (9, 164, 0),
    "2012-01-01 Main time and delay are added; dual rating from 30 up to 65.": (0, 15, 0),
    "2012-08-03 Bonus point threshold increased to 8.": (308, 464, 0),
    "2013-03-01 Over-the-board Blitz ratings added, for totals from 5 to 10; Quick is above 10.": (6, 82, 0),
    "2013-05-08 Effective games give lower values, so ratings move more, above all from 1800 to 2200.": (
        1286,
        5173,
        10,
    ),
    "2013-05-08 Smaller K above 2200 for Regular ratings in dual-rated sections.": (2, 13, 0),
    "2014-03-20 Bonus point threshold increased to 10.": (360, 187, 1),
    "2014-09-01 Ratings are stored with decimals; before, as whole numbers, up on a gain and down on a loss.": (
        3423,
        0,
        146,
    ),
    "2015-06-01 Bonus point threshold increased to 12.": (153, 225, 0),
    "2017-06-01 Bonus point threshold increased to 14.": (195, 967, 0),
    "2020-06-01 Online Regular ratings added, from a total of 30 on.": (0, 44, 0),
    "2020-06-01 Initial ratings are blended from all other ratings, weighted by games and age of the rating.": (
        80,
        197,
        0,
    ),
    "2023-02-01 Bonus point threshold reduced to 12.": (967, 0, 0),
}


class Document(NamedTuple):
    """A text of the rating committee: name, title, the first edition cited by it, and where it has its own order."""

    name: str
    title: str
    since: date
    elsewhere: Mapping[str, str] = {}


# The sections of the newest text.
SECTIONS = frozenset({"1", "2", "2.1", "2.2", "2.3", "3", "4", "4.1", "4.2", "5", "6", "7", "8"})
# A start by priority list, which the newest text does not know; the list of a system, by its number.
PRIORITY_LIST = "list"
# Rules that only the pages of 2004 have.
NODES = {"half-K": "node 5", "whole-numbers": "node 8", "age-in-2001": "node 1"}

TEXT_2004 = Document("2004 text", "the rating system's pages of September 22, 2004", date(2001, 1, 1), NODES)
TEXT_2015 = Document(
    "2015 text",
    "The US Chess Rating system, June 1, 2015",
    date(2001, 1, 1),
    {"2.1": "§2.6", "2.2": "§2.6", "2.3": "§2.6"}
    | {
        f"{PRIORITY_LIST} {system.name}": f"§2.{at}"
        for at, system in enumerate(
            (RatingSystem.OTBR, RatingSystem.OTBQ, RatingSystem.OTBB, RatingSystem.OLQ, RatingSystem.OLB), start=1
        )
    },
)
TEXT_2020 = Document("2020 text", "The US Chess Rating system, proposal of September 2, 2020", date(2020, 6, 1))
TEXT_2025 = Document("2025 text", "The US Chess Rating system, July 26, 2025", date(2024, 3, 1))

# What no text has, but official results show.
OFFICIAL_RESULTS = "official results"

# The oldest complete text stands for everything before it, though not all that it says was known to hold then.
TEXTS_SINCE = date(2015, 6, 1)
IN_FORCE = (TEXT_2015, TEXT_2020, TEXT_2025)


class Citation(NamedTuple):
    """A document by its name, and the section of it."""

    document: str
    section: str


def document_for(effective: date) -> Document:
    """The document by which an edition is cited."""
    return next(document for document in reversed(IN_FORCE) if document.since <= effective)


def cited(effective: date, rule: str) -> Citation:
    """Where a rule stands, for an edition: ``4.2``, ``list OTBQ``, ``half-K``; nothing for what is no rule."""
    if rule in NODES:
        return Citation(TEXT_2004.name, NODES[rule])
    document = document_for(effective)
    if rule in document.elsewhere:
        return Citation(document.name, document.elsewhere[rule])
    if rule == "8":  # the list of dated changes is the newest text's
        return Citation(TEXT_2025.name, "§8")
    if rule in SECTIONS:
        return Citation(document.name, f"§{rule}")
    if rule.startswith(PRIORITY_LIST):  # a rule set may start people by lists where the text has a blend
        return Citation(document.name, "§2")
    return Citation(OFFICIAL_RESULTS if rule == "norms" else "", rule)


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
EVIDENCE = {amendment: Evidence(*counts) for amendment, counts in ROWS.items()}


def evidence_for(amendment: Amendment) -> Evidence:
    """What official results say of an amendment."""
    return EVIDENCE.get(f"{amendment.effective} {amendment.summary}", UNPROVEN)
