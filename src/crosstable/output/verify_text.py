"""The table of a verification as text: per era and system, then totals, then every row that differs with its cause."""

from collections.abc import Sequence

from crosstable.verification import Row, Tally, Verification, by_era, tally, unexplained
from crosstable.verification.whole import FITTED_START, NormTally, exactness, inputs_known, kinds_of_causes

HEADS = ("rows", "within 0.01", "within 1", "at floor", "differ", "explained")
WIDTHS = (7, 13, 10, 10, 8, 11)
MOST_LISTED = 3


def verify_text(found: Verification, norms: NormTally) -> str:
    """The whole report."""
    lines = [f"{'rules of':<12}{'system':<8}{_cells(HEADS)}\n"]
    for (era, system), rows in by_era(found.alone).items():
        lines.append(_line(f"{era:<12}{system.name:<8}", tally(rows)))
    total, carried = tally(found.alone), tally(found.carried)
    lines.append("\n")
    lines.append(_line(f"{'each section alone':<20}", total))
    lines.append(_line(f"{'with carried state':<20}", carried))
    lines.append(_line(f"{'all inputs known':<20}", tally(inputs_known(found.carried))))
    lines += _others(found, norms, carried)
    lines += _causes(unexplained(found.carried))
    return "".join(lines)


def _line(label: str, counted: Tally) -> str:
    shown = (counted.clean_rows, to_a_hundredth(counted, "-"), counted.within_1, counted.at_floor, counted.unexplained)
    return f"{label}{_cells((*map(str, shown), f'{counted.share:.2f}%'))}\n"


def to_a_hundredth(counted: Tally, none: str) -> str:
    """Rows within 0.01 of those that have decimals posted, or the sign for none."""
    return f"{counted.within_001} of {counted.decimals}" if counted.decimals else none


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"{text:>{width}}" for text, width in zip(texts, WIDTHS, strict=True))


def _others(found: Verification, norms: NormTally, carried: Tally) -> list[str]:
    lines = [f"\nFloors predicted from earlier pages: {carried.floors_predicted}\n"]
    exact = exactness(found.carried)
    if exact.explained:
        lines.append(
            f"Exact to the point while whole numbers were stored (pages rated since 2004): {exact.exact} of "
            f"{exact.explained} explained rows ({exact.share:.2f}%)\n"
        )
    if carried.settled_rows:
        lines.append(f"Rows that agree with a hidden fact that their page settles: {carried.settled_rows}\n")
    if found.all_posted:
        share = 100.0 * found.all_explained / found.all_posted
        lines.append(f"Of all {found.all_posted} posted rows {found.all_explained} are explained ({share:.2f}%)\n")
    if found.apart:
        apart = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in found.apart.items())
        lines.append(f"Rows counted apart: {apart}\n")
    if found.fitted:
        rows, within = sum(fit.rows for fit in found.fitted), sum(fit.within for fit in found.fitted)
        floors = sum(fit.at_floor for fit in found.fitted)
        free = sum(fit.free_numbers for fit in found.fitted)
        lines.append(
            f"Sections with fitted starts: {len(found.fitted)}; of their {found.apart[FITTED_START]} rows {within} are "
            f"within 1 and {floors} at a floor ({100.0 * (within + floors) / max(rows, 1):.1f}%), with {free} free "
            "numbers\n"
        )
    if norms.rows:
        lines.append(
            f"Norm codes: {norms.agree} of {norms.rows} rows with four or more games agree; "
            f"{norms.few_games_agree} of {norms.few_games_with_code} codes on fewer games of a re-entry agree\n"
        )
    return lines


def _causes(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return ["\nNo row differs.\n"]
    lines = [
        "\nRows that differ with carried state, with the likely cause (--json lists those of each section alone):\n"
    ]
    lines += [f"{count:>6}  {cause}\n" for cause, count in kinds_of_causes(rows).most_common()]
    lines.append("\n")
    for row in rows:
        lines.append(
            f"{row.event} section {row.section} {row.system.name} player {row.number}: {row.pre:.0f} -> "
            f"{row.computed:.2f}, posted {row.posted:g}; {row.cause}\n"
        )
        lines += [f"    tried: {what} gives {gives:.2f}\n" for what, gives in row.tried[:MOST_LISTED]]
    return lines
