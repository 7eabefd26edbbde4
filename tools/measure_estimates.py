"""How far estimates are from posted results: ``python tools/measure_estimates.py FOLDER``.

The folder holds archives of official crosstables (``*.jsonl.gz``); it is not part of the project. Every clean row is
estimated from what its player knows: the row alone, with the opponents' ratings before the event, after it, or with
their scores. The figures that ``calculator/figures.py`` holds are printed by this program.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from crosstable.calculator.estimate import estimate
from crosstable.calculator.figures import band_of
from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt
from crosstable.errors import UnratableSectionError
from crosstable.formats import archive
from crosstable.terms import GAME_SCORES, Formula, PlayerRating, Result, SectionType
from crosstable.verification import pages_of
from crosstable.verification.pages import Page, clean_rows

Key = tuple[OpponentsAt, Formula, float]
PLAIN = {1.0: Result.WIN, 0.5: Result.DRAW, 0.0: Result.LOSS}
Errors = dict[Key, list[float]]


def games_of(page: Page, number: int) -> list[tuple[int, float]]:
    """Opponent and score of every rated game of a row."""
    cells = page.players[number].cells
    return [
        (cell.opponent, GAME_SCORES[cell.result])
        for cell in cells
        if cell.result is not None and cell.result.is_game and cell.opponent in page.players
    ]


def standing_of(page: Page, number: int) -> PlayerRating | None:
    """What a row had before the section."""
    return page.players[number].background.standings.get(page.system)


def request_of(page: Page, number: int) -> EstimateRequest | None:
    """What the player of a row can tell a calculator after the event; nothing where a figure is missing."""
    own = standing_of(page, number)
    games = games_of(page, number)
    if own is None or not games:
        return None
    by_opponent: dict[int, list[float]] = defaultdict(list)
    for opponent, score in games:
        by_opponent[opponent].append(score)
    opponents = [_opponent(page, opponent, scores) for opponent, scores in by_opponent.items()]
    if None in opponents:
        return None
    section = page.checked.section
    return EstimateRequest(
        section_date=section.start,
        opponents=tuple(each for each in opponents if each is not None),
        rating=own.rating,
        games=own.games,
        system=page.system,
        is_dual=section.is_dual_control,
        is_match=section.kind is SectionType.MATCH,
    )


def _opponent(page: Page, number: int, scores: list[float]) -> Opponent | None:
    before = standing_of(page, number)
    posted = page.players[number].posted.get(page.system)
    games = games_of(page, number)
    if before is None or posted is None or not games:
        return None
    total = sum(score for _, score in games)
    results = tuple(PLAIN[score] for score in scores)
    return Opponent(before.rating, results, before.games, posted.rating, total, len(games))


def errors_of(page: Page) -> Iterator[tuple[Key, float]]:
    """Estimate less posted rating, for every clean row of a page and every kind of estimate, with its band."""
    clean = clean_rows(page)
    for number, player in page.players.items():
        posted = player.posted.get(page.system)
        request = request_of(page, number) if posted is not None and number in clean else None
        if request is None or posted is None:
            continue
        for kind in OpponentsAt:
            try:
                found = estimate(request._replace(opponents_at=kind))
            except UnratableSectionError:  # one-sided results: the opponent's total has no room for this game
                continue
            yield (kind, found.formula, band_of(found.formula, found.prior)), found.rating - posted.rating


def quantile(sizes: list[float], share: float) -> float:
    """The size that this share of errors does not exceed; ``sizes`` is sorted."""
    return sizes[min(len(sizes) - 1, int(share * len(sizes)))]


def table(errors: Mapping[Key, list[float]]) -> Iterator[str]:
    """The distribution of the errors, a line per kind, formula and band of ratings (the lowest of each is shown)."""
    heads = f"{'rows':>7} {'median':>7} {'90 %':>7} {'99 %':>7} {'largest':>8} {'mean':>7}"
    yield f"{'opponents':9} {'formula':9} {'from':>5} {heads}"
    for (kind, formula, lowest), found in sorted(errors.items()):
        sizes = sorted(abs(error) for error in found)
        name = formula.name.lower() if formula is not Formula.NONE else "all"
        figures = [quantile(sizes, 0.5), quantile(sizes, 0.9), quantile(sizes, 0.99)]
        spread = " ".join(f"{figure:7.2f}" for figure in figures)
        mean = sum(found) / len(found)
        yield f"{kind:9} {name:9} {lowest:5.0f} {len(sizes):7} {spread} {sizes[-1]:8.2f} {mean:+7.2f}"


def main() -> int:
    """Estimate every clean row of a folder and print how far off the estimates are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with archives of official crosstables")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth page")
    options = parser.parse_args()
    errors: Errors = defaultdict(list)
    pages = 0
    for path in sorted(options.folder.glob("*.jsonl.gz")):
        for at, report in enumerate(archive.read(path.read_bytes(), path.name)):
            for page in pages_of(report) if at % options.every == 0 else ():
                if page.apart:
                    continue
                pages += 1
                for key, error in errors_of(page):
                    errors[key].append(error)
                    errors[key[0], Formula.NONE, 0.0].append(error)
    print(f"{pages} pages of {options.folder.name}, measured on {datetime.now(tz=UTC).date()}")
    print("\n".join(table(errors)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
