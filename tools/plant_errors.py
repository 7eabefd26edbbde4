"""Plant errors of a federation on saved official pages whose ratings reproduce, and count what ``audit`` makes of them.

Usage: ``python tools/plant_errors.py FOLDER [COUNT] [SEED]``. A planted error is rated with one input changed (a
result, the bonus, a rating or a game count before the event); the page shows the input as it was. Counted are the rows
that moved by more than a point: found (not called right), the true kind of reason among those listed, and first of
them. Rows without it are printed.
"""

import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from crosstable.errors import FormatError
from crosstable.formulas.outcome import official_rating
from crosstable.pipeline.reading import read
from crosstable.pipeline.verifying import posted_pages
from crosstable.rules.editions import EDITIONS
from crosstable.terms import Background, Cell, Entry, PlayerRating, Result, Section
from crosstable.verification.audit import AuditedRow, AuditVerdict, audited_page
from crosstable.verification.hypotheses import OTHER_SIDE, SOLVING, TURNED, Suspicion, rated_again
from crosstable.verification.pages import Page

EACH_KIND = 3
LARGEST_FIELD = 80
Planted = tuple[str, str, Mapping[int, float] | None]


def main() -> int:
    """Plant and count."""
    folder, count, seed = sys.argv[1], int([*sys.argv, "600"][2]), int([*sys.argv, "", "1"][3] or 1)
    random.seed(seed)
    counted: Counter[str] = Counter()
    files = sorted(Path(folder).glob("*.html"))
    random.shuffle(files)
    for page in _clean_pages(files):
        for kind, said, ratings in _planted(page):
            if ratings is not None:
                _count(counted, (kind, said), _moved(page, ratings))
        if counted["errors"] >= count:
            break
    print(", ".join(f"{name} {number}" for name, number in sorted(counted.items())))
    return 0


def _clean_pages(files: list[Path]) -> Iterator[Page]:
    """Pages of rated players of which every posted rating reproduces."""
    for path in files:
        try:
            pages = posted_pages([(path.name, read(path))]).pages
        except FormatError:
            continue
        for page in pages:
            brought = page.backgrounds.values()
            is_plain = not page.apart and not page.checked.section.kind.is_foreign
            if is_plain and len(page.players) <= LARGEST_FIELD and all(page.system in one.standings for one in brought):
                rows = audited_page(page)
                if rows and all(row.verdict is AuditVerdict.REPRODUCED for row in rows):
                    yield page


def _planted(page: Page) -> Iterator[Planted]:
    """Errors: their kind, what a reason for them says, and the ratings that follow."""
    section, edition = page.checked.section, page.checked.edition
    about = Suspicion(page, page.backgrounds, (), frozenset())
    thresholds = sorted({one.constants.bonus_threshold for one in EDITIONS} | {math.inf})
    for _ in range(EACH_KIND):
        entry = random.choice(section.entries)
        games = [at for at, cell in enumerate(entry.cells) if cell.result in TURNED]
        if games:
            at = random.choice(games)
            other = random.choice(TURNED[entry.cells[at].result])
            yield "result", "the game of", rated_again(about, with_result(section, entry.number, at, other), edition)
        threshold = random.choice(thresholds)
        changed = edition._replace(constants=edition.constants._replace(bonus_threshold=threshold))
        yield "bonus", "bonus", rated_again(about, section, changed)
        record = page.backgrounds[entry.number].standings[page.system]
        moved = record._replace(rating=record.rating + random.choice((-60, -35, -20, 20, 35, 60)))
        yield "rating", SOLVING, rated_again(_with(about, entry, moved), section, edition)
        if record.games is not None:
            moved = record._replace(games=max(1.0, record.games + random.choice((-6, -4, 4, 8))))
            yield "count", "a count of", rated_again(_with(about, entry, moved), section, edition)


def with_result(section: Section, number: int, at: int, result: Result) -> Section:
    """A section with another result of one game, on both rows."""
    cells = {entry.number: list(entry.cells) for entry in section.entries}
    opponent = cells[number][at].opponent
    meeting = sum(cell.opponent == opponent for cell in cells[number][:at])
    there = [i for i, cell in enumerate(cells[opponent]) if cell.opponent == number][meeting]
    for one, place, other in ((number, at, result), (opponent, there, OTHER_SIDE[result])):
        blank = Cell(Result.BLANK, 0, "")
        cells[one][place] = blank if other is Result.BLANK else cells[one][place]._replace(result=other)
    return section._replace(
        entries=tuple(entry._replace(cells=tuple(cells[entry.number])) for entry in section.entries)
    )


def _with(about: Suspicion, entry: Entry, record: PlayerRating) -> Suspicion:
    own = about.backgrounds[entry.number]
    brought: dict[int, Background] = dict(about.backgrounds)
    brought[entry.number] = own._replace(standings={**own.standings, about.page.system: record})
    return about._replace(backgrounds=brought)


def _moved(page: Page, ratings: Mapping[int, float]) -> list[AuditedRow]:
    """The audited rows that moved by more than a point."""
    plain = rated_again(Suspicion(page, page.backgrounds, (), frozenset()), page.checked.section, page.checked.edition)
    assert plain is not None
    shown = dict(page.players)
    for number, player in page.players.items():
        if page.system in player.posted:
            posted = player.posted[page.system]._replace(rating=float(official_rating(ratings[number])))
            shown[number] = player._replace(posted={**player.posted, page.system: posted})
    moved = {number for number in ratings if math.fabs(official_rating(ratings[number]) - plain[number]) > 1.0}
    rows = audited_page(page._replace(players=shown)) if moved else []
    return [row for row in rows if row.number in moved]


def _count(counted: Counter[str], planted: tuple[str, str], rows: list[AuditedRow]) -> None:
    counted["errors"] += bool(rows)
    kind, said = planted
    for row in rows:
        whats = [one.what for one in row.hypotheses]
        is_found, is_listed = (
            row.verdict in (AuditVerdict.DIFFERS, AuditVerdict.UNKNOWN),
            any(said in one for one in whats),
        )
        counted["rows"] += 1
        counted[f"rows, {kind}"] += 1
        counted["found"] += is_found
        counted["listed"] += is_listed
        counted["first"] += bool(whats) and said in whats[0]
        if not is_listed:
            which = f"{row.event}, section {row.section}, {row.system.name}, player {row.number}"
            print(f"{kind}: {which}: {row.posted:g} for {row.computed:.2f}: {row.verdict} {row.cause} {whats[:2]}")


if __name__ == "__main__":
    sys.exit(main())
