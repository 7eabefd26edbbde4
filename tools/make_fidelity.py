"""Make ``docs/fidelity.md`` and its plot anew: ``tools/make_fidelity.py ARCHIVE PAGES MEMBERS``."""

import math
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from crosstable.formats import archive, member_pages, msa
from crosstable.formulas.outcome import peak_floor
from crosstable.output.charts import bar_chart
from crosstable.output.verify_html import plot_bins
from crosstable.rules.amending import Amendment
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.documents import evidence_for
from crosstable.rules.editions import EDITIONS, PEAKS_COUNT_FROM
from crosstable.terms import PlayerRating, RatingSystem
from crosstable.verification import Page, Row, Verdict, Verification, by_era, pages_of, tally, unexplained, verify
from crosstable.verification.causes import NAMED_CAUSES, UNEXPLAINED
from crosstable.verification.pages import EXACT_PAGES_FROM
from crosstable.verification.whole import (
    Exactness,
    NormTally,
    exactness,
    inputs_known,
    kinds_of_causes,
    norm_rows,
    norm_tally,
)
from tools.date_evidence import date_evidence
from tools.first_pass import first_pass
from tools.search_constants import search_constants

DOCS = Path(__file__).resolve().parent.parent / "docs"
INTRODUCTION = """\
# Fidelity: what US Chess posted, reproduced

<!-- Made by tools/make_fidelity.py from an archive of official crosstables that is not part of the project. -->

Official crosstables of 2001 to 2021, half of a public set, and some of the same pages as people save them were rated
page by page with this engine and compared with what was posted. A row is clean if the player's own rating, the
opponents' and the opponents' opponents' are all known. Nothing is tuned per section; the tolerance of one point follows
from whole-number posting ([decision 0003](decisions/0003-what-counts-as-reproduced.md)). The rules of `verify` (below)
were made with these pages in view; each half of the events by itself shows that no figure hangs on a few of them. No
crosstable of the other half of the public set was looked at.

"""
RULES = """
## The rules of `verify`, and why each must hold in general

- **The day of rating decides the rules.** A page is rated by what was known on the last day it was rated: a rule
  that was announced later cannot have acted on it. Online pages last rated by June 16, 2021, follow a fault that was
  repaired afterwards; they count apart, and among all posted rows they are rated with that fault.
- **The program of the day of rating rates a page.** A page last rated before 2004 was rated by the program of then,
  which stored whole numbers after each pass; one rated again since was not, whenever it was played.
- **A page is read as it was rated.** A result that the other row lacks counts on its own row, because the posted
  figures of such rows show it. A match has two players, so a page coded as one with more is an ordinary section. A page
  that names no system, or a control that nobody can read, was rated in the systems whose ratings it posts. A page
  marked as corrected since shows other results than those that were rated, so it counts apart.
- **A row is clean if all within two games of it is known.** Steps 4 and 5 each look one game further, and no step looks
  beyond that. A count that does not grow by the games played contradicts itself, so that input is not known. A re-entry
  is one player and counts once.
- **A point is the tolerance.** Two figures rounded by half a point each can differ by that much
  ([decision 0003](decisions/0003-what-counts-as-reproduced.md)); whole numbers that were stored are exact.
- **The posted count gives the credited games.** An unrated player's count after a section is what they were credited
  with and the games they played. An established rating shows no count, so the credit is the most that the rules
  give.
- **A start by age lies between the youngest and the adult start.** The rules know no other start without credited
  games. Starts are fitted to the posted rows that rest on them; each is one free number, and a section with as many
  free numbers as rows proves nothing and explains nothing. A hidden fact beside the starts is one more free number,
  and is kept only where it explains at least one more row.
- **A page settles a hidden fact if two or more rows agree on it.** Whether a provisional player only won or only
  lost so far, and the count of an established player, are never shown. One such fact is one free number; the second
  row that it brings about, while it makes no right row wrong, is a confirmation. With one row only it stays a likely
  cause, and the row counts as one that differs. The table says how many rows and facts that concerns.
- **Carried state is implied by what was seen.** Counts, peaks and floors seen in action on earlier pages go on to
  later ones. Of an all-wins or all-losses past only a settled one is carried, or one that the member's own row
  shows, and it holds only while the games seen are all the games of the rating. A rating below a carried floor
  refutes it: nobody is rated below a floor. A count that is not known goes on at the member's own pace where two
  earlier pages show one: it can only grow, and a row that leans on it never counts as one with nothing hidden. Where a
  page explains more rows without what was carried, the page refutes that, and it is not used there.
- **Floors.** Above the computed rating a posted figure is a floor only at 150 or less, or at a hundred from 1200 to
  2200 not above the rating before: the rules (§5) know no other level, and who was unrated has no hundred for a floor.
- **A likely cause changes no count.** It is named only if the page, rated again with that one fact changed, gives the
  posted figure and no right row turns wrong; a row that no cause explains stays unexplained.
"""
NOT_REPRODUCED = """
## What is not reproduced, and why

Every row that differs is listed with a likely cause. Each cause was tried: the page rated again with that one fact
changed, or a few of them one after the other, brings the figure within a point and makes no row wrong that was right.

- **An all-wins or all-losses past.** The special formula treats such players differently, and a page shows only how
  many games a rating rests on. Where earlier pages of the archive show all of a player's games, the row is reproduced.
- **An unknown game count.** Pages do not show the count of an established player. Above about 1928 (before May 2013:
  1681) it matters; the largest possible effective count is taken.
- **A floor that the page does not show**: here one above the old rating, set by a prize or an office decision.

Not compared: pages rated with the online fault that was repaired in June 2021 (`verify --online-fault` compares them,
rated with that fault), one page marked as corrected since, and rows that rest on an unrated player's start, which is
not published. For those sections the starts that fit best are found and reported as fitted, never as known. Among every
posted row all of them count.
"""
WANTED = """
## Wanted pages

Whoever has a network can add to this proof. The list below is [a file](wanted-pages.txt) that `crosstable fetch --list`
reads; for each event it says of which time it is and what it could tell.

```text
{}```
"""
# What the table of an amendment cannot count, because the rows lean on a start or have decimals.
ALSO = {
    "2023-02-01 Bonus point threshold reduced to 12.": "; of 16 rows of a page last rated on March 21, 2025 "
    "(202503213862, section 2, the unrated player an adult), 16 fit with 12, 13 with 10, 13 with 14",
}
PARTS = 2


class Measured(NamedTuple):
    """A name for some pages and what verifying them gave."""

    name: str
    found: Verification


def main(folder: str, saved: str, members: str) -> int:
    """Verify the archive, its halves and the saved pages, and write the page."""
    reports = [
        report
        for path in sorted(Path(folder).glob("*.jsonl.gz"))
        for report in archive.read(path.read_bytes(), path.name)
    ]
    pages = [page for report in reports for page in pages_of(report)]
    found = verify(pages)
    norms = norm_tally(row for page in pages for row in norm_rows(page))
    parts = [Measured("the archive", found)]
    for part in range(PARTS):
        own = [page for page in pages if (zlib.crc32(page.event_id.encode()) >> 8) % PARTS == part]
        parts.append(Measured(f"half {part + 1} of its events, by itself", verify(own)))
    each = [
        list(pages_of(msa.read(path.read_bytes(), path.name).report)) for path in sorted(Path(saved).glob("*.html"))
    ]
    parts.append(Measured("saved pages, each by itself", _each_alone(each)))
    floors = _floors(Path(members), pages)
    text = (
        INTRODUCTION
        + _figures(parts, norms, first_pass(pages))
        + floors
        + RULES
        + search_constants([page for pages_of_one in each for page in pages_of_one])
        + _eras(found)
        + NOT_REPRODUCED
        + _causes(found)
        + _evidence()
        + date_evidence(pages)
        + WANTED.format((DOCS / "wanted-pages.txt").read_text("utf-8"))
    )
    (DOCS / "fidelity.md").write_text(text, "utf-8")
    (DOCS / "fidelity.svg").write_text(_plot(found.alone), "utf-8")
    print(f"{len(pages)} pages; wrote docs/fidelity.md and docs/fidelity.svg")
    return 0


def _each_alone(each: Sequence[Sequence[Page]]) -> Verification:
    """Every saved page verified by itself, and the counts of all together."""
    every = [verify(pages) for pages in each]
    return Verification(
        tuple(row for one in every for row in one.alone),
        tuple(row for one in every for row in one.carried),
        sum((one.apart for one in every), Counter()),
        tuple(fit for one in every for fit in one.fitted),
        sum(one.pages for one in every),
        (sum(one.settled[0] for one in every), sum(one.settled[1] for one in every)),
        sum(one.all_posted for one in every),
        sum(one.all_explained for one in every),
    )


def _figures(parts: list[Measured], norms: NormTally, rounded: str) -> str:
    found = parts[0].found
    return (
        "| | clean rows | within 1 | at a floor | differ | explained | of these by settled facts | without these |\n"
        "|---|---|---|---|---|---|---|---|\n"
        + "".join(_line(f"{name}: each section alone", one.alone, one.settled[0]) for name, one in parts)
        + "".join(
            _line(f"{name}: with what earlier pages show", one.carried, one.settled[1]) for name, one in parts[:-1]
        )
        + _line("of the archive's, nothing hidden", inputs_known(found.carried), 0)
        + "\n| | every posted row | reproduced or explained | | sections with fitted starts | their rows | explained "
        "| free numbers | beyond the free numbers |\n|---|---|---|---|---|---|---|---|---|\n"
        + "".join(_every_row(name, one) for name, one in parts)
        + "\n*Beyond the free numbers*: (explained less free) of (rows less free).\n\n"
        + "".join(_exact(name, one) for name, one in parts)
        + rounded
        + f"- Floors predicted from earlier pages: {tally(found.carried).floors_predicted}.\n"
        f"- Norm codes: {norms.agree} of {norms.rows} Regular rows with four or more games agree, earned and not "
        f"earned; so do all {norms.few_games_agree} codes on fewer games of one row of a re-entry. The one other "
        "row has an opponent whose rating is not shown.\n"
        "- Foreign FIDE events (§6): no posted page of one is here, so nothing here proves that rule or speaks against "
        "it.\n"
        f"- Counted apart: {found.apart['online_fault']} clean rows of the online fault, "
        f"{found.apart['corrected_since']} rows of a page corrected since.\n"
        "- Published decimals (a dual-rated section of 2026): every rated row within 0.01 in both systems. A 64-player "
        "event of 2015: 62 rows within 0.75, the two others at their floors, all 64 norm codes.\n\n"
        "![Errors of all compared rows, posted less computed](fidelity.svg)\n\n"
        "Posted less computed, in points; heights are square roots of the counts.\n"
    )


def _floors(members: Path, archived: Sequence[Page]) -> str:
    """Official floors of members beside what the peaks of their histories give (§5)."""
    pages = list(member_pages.read_archive(members.read_bytes(), members.name))
    histories = {page.member_id: page for page in pages if page.career}
    agree: Counter[bool] = Counter()
    known: Counter[bool] = Counter()
    other: list[str] = []
    published = {page.member_id: page.standings for page in pages if RatingSystem.OTBR in page.standings}
    floors = sum(_official(standings) > 0.0 for standings in published.values())
    for member, standings in published.items():
        page = histories.get(member)
        peaks = [row for row in page.career if row.system is RatingSystem.OTBR and row.before] if page else []
        if page is None or not peaks:
            continue
        newer = [row.after.rating for row in peaks if row.on >= PEAKS_COUNT_FROM]
        highest = max(max(row.after.rating, row.before.rating if row.before else 0.0) for row in peaks)
        computed = peak_floor(EDITIONS[-1].constants, highest, max(newer, default=math.nan))
        official = _official(standings)
        known[page.is_whole] += 1
        agree[page.is_whole] += computed == official
        if computed != official:
            names = ["none" if math.isinf(level) else f"{level:g}" for level in (official, computed)]
            other.append(f"{names[0]} (the highest rating here, {highest:g}, gives {names[1]})")
    return (
        f"\nOfficial floors: {floors} members' pages show one. With and without one, the peak of the history "
        f"gives the Regular floor that US Chess shows for {agree[True]} of {known[True]} members whose whole career "
        f"since 1991 is here, and for {agree[False]} of {known[False]} whose history is cut off. The others: "
        f"{', '.join(sorted(other))}; an older peak, a prize or a title can have set these, which are inputs. "
        + _beside_pages(archived, {member: _official(standings) for member, standings in published.items()})
    )


def _official(standings: Mapping[RatingSystem, PlayerRating]) -> float:
    return max((floor.level for floor in standings[RatingSystem.OTBR].floors), default=-math.inf)


def _beside_pages(pages: Sequence[Page], floors: Mapping[str, float]) -> str:
    """Official Regular floors beside the established ratings that the crosstables of the archive show."""
    peaks: dict[str, list[tuple[date, float]]] = {}
    for page in (page for page in pages if page.system is RatingSystem.OTBR):
        for player in page.players.values():
            before, after = player.background.standings.get(page.system), player.posted.get(page.system)
            if player.member_id in floors and before is not None and before.games is None and after is not None:
                found = peaks.setdefault(player.member_id, [])
                found += [(page.checked.section.start, one) for one in (before.rating, after.rating)]
    counts: Counter[int] = Counter()
    for member, found in peaks.items():
        newer = max((rating for day, rating in found if day >= PEAKS_COUNT_FROM), default=math.nan)
        least = peak_floor(EDITIONS[-1].constants, max(rating for _, rating in found), newer)
        counts[(floors[member] > least) - (floors[member] < least)] += 1
    return (
        f"Of {len(peaks)} members with Regular crosstables here, {counts[0]} have the floor that these demand, "
        f"{counts[1]} a higher one, {counts[-1]} a lower one, which would be a contradiction.\n"
    )


def _line(name: str, rows: Sequence[Row], facts: int) -> str:
    counted = tally(rows)
    settled = f"{counted.settled_rows} rows by {facts}" if facts else "none"
    without = 100.0 * (counted.within_1 + counted.at_floor - counted.settled_rows) / counted.clean_rows
    return (
        f"| {name} | {counted.clean_rows} | {counted.within_1} | {counted.at_floor} | {counted.unexplained} | "
        f"**{counted.share:.2f} %** | {settled} | {without:.2f} % |\n"
    )


def _every_row(name: str, found: Verification) -> str:
    fits = found.fitted
    rows, free = sum(fit.rows for fit in fits), sum(fit.free_numbers for fit in fits)
    explained = sum(fit.within + fit.at_floor for fit in fits)
    return (
        f"| {name} | {found.all_posted} | {found.all_explained} | "
        f"**{100.0 * found.all_explained / found.all_posted:.2f} %** | {len(fits)} | {rows} | {explained} | {free} | "
        f"**{100.0 * (explained - free) / (rows - free):.2f} %** |\n"
    )


def _exact(name: str, found: Verification) -> str:
    """Exactness while whole numbers were stored, on all pages and on those last rated since 2004."""
    newer, older = exactness(found.carried), _older(found.carried)
    exact, explained = newer.exact + older.exact, newer.explained + older.explained
    return (
        f"- While whole numbers were stored (before September 2014), {name}: {exact} of {explained} explained rows are "
        f"exact to the point ({100.0 * exact / explained:.2f} %); on pages last rated since 2004 {newer.exact} of "
        f"{newer.explained} ({newer.share:.2f} %), before that {older.exact} of {older.explained}.\n"
    )


def _older(rows: Sequence[Row]) -> Exactness:
    """Pages last rated before 2004, which are asked to be right within a point only."""
    older = [row for row in rows if row.is_clean and row.start < EXACT_PAGES_FROM and not row.is_whole_number_era]
    within = [row for row in older if row.verdict is Verdict.WITHIN]
    return Exactness(len(within), sum(row.computed == row.posted for row in within))


def _eras(found: Verification) -> str:
    lines = [
        "\n## By rule period and system\n\n| rules of | system | rows | within 1 | at a floor | differ | explained |\n"
    ]
    lines.append("|---|---|---|---|---|---|---|\n")
    for (era, system), rows in by_era(found.alone).items():
        counted = tally(rows)
        lines.append(
            f"| {era} | {system.name} | {counted.clean_rows} | {counted.within_1} | {counted.at_floor} | "
            f"{counted.unexplained} | {counted.share:.2f} % |\n"
        )
    return "".join(lines)


def _causes(found: Verification) -> str:
    lines = ["\n| likely cause | each section alone | with earlier pages |\n|---|---|---|\n"]
    kinds = [kinds_of_causes(unexplained(rows)) for rows in (found.alone, found.carried)]
    causes = sorted((*NAMED_CAUSES, UNEXPLAINED), key=lambda cause: -kinds[0][cause])
    lines += [f"| {cause} | {kinds[0][cause]} | {kinds[1][cause]} |\n" for cause in causes]
    return "".join(lines)


def _evidence() -> str:
    lines = [
        "\n## Evidence for each amendment\n\nRows that fit only the side of an amendment's date they are on, of all "
        "rows that fit one side only.\n\n| from | what changed | these results |\n|---|---|---|\n"
    ]
    lines += [f"| {one.effective} | {one.summary} | {_told(one)} |\n" for one in AMENDMENTS]
    return "".join(lines)


def _told(amendment: Amendment) -> str:
    return evidence_for(amendment).verdict + ALSO.get(f"{amendment.effective} {amendment.summary}", "")


def _plot(rows: tuple[Row, ...]) -> str:
    bins = plot_bins([row for row in rows if row.is_clean and row.verdict is not Verdict.AT_FLOOR])
    return bar_chart(bins, "Errors of all compared rows, posted less computed, in points") + "\n"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
