"""Counts of a verification: verdicts, by rule period and system, exactness to the point, kinds of causes."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from crosstable.terms import FloorKind, RatingSystem
from crosstable.verification.pages import WITHIN_DECIMALS, Row, Verdict, is_right


class Tally(NamedTuple):
    """The counts of one way of computing: clean rows and what became of them.

    ``decimals`` of them have a posted figure with decimals, and ``within_001`` of those agree to a hundredth;
    ``settled_rows`` agree only with a hidden fact that the page itself settles.
    """

    rows: int
    clean_rows: int
    decimals: int
    within_001: int
    within_1: int
    at_floor: int
    unexplained: int
    exact: int
    floors_predicted: int
    settled_rows: int

    @property
    def share(self) -> float:
        """Per cent of the clean rows that a point or a floor explains."""
        return 100.0 * (self.within_1 + self.at_floor) / self.clean_rows if self.clean_rows else 0.0


class Exactness(NamedTuple):
    """Rows explained while whole numbers were stored, and how many of them are right to the point."""

    explained: int
    exact: int

    @property
    def share(self) -> float:
        """Per cent of the explained rows that are exact."""
        return 100.0 * self.exact / self.explained if self.explained else 0.0


def tally(rows: Sequence[Row]) -> Tally:
    """Count rows and verdicts; only clean rows have one that counts."""
    clean = [row for row in rows if row.is_clean]
    verdicts = Counter(row.verdict for row in clean)
    decimals = [row for row in clean if row.has_decimals]
    return Tally(
        rows=len(rows),
        clean_rows=len(clean),
        decimals=len(decimals),
        within_001=sum(abs(row.error) <= WITHIN_DECIMALS for row in decimals),
        within_1=verdicts[Verdict.WITHIN],
        at_floor=verdicts[Verdict.AT_FLOOR],
        unexplained=verdicts[Verdict.UNEXPLAINED],
        exact=sum(row.verdict is Verdict.WITHIN and abs(row.error) <= 0.5 for row in clean),
        floors_predicted=sum(row.verdict is Verdict.WITHIN and row.floor_kind is not FloorKind.NONE for row in clean),
        settled_rows=sum(bool(row.cause) and row.verdict is not Verdict.UNEXPLAINED for row in clean),
    )


def by_era(rows: Sequence[Row]) -> dict[tuple[str, RatingSystem], list[Row]]:
    """Clean rows by rule period and system, oldest first."""
    groups: dict[tuple[str, RatingSystem], list[Row]] = {}
    for row in rows:
        if row.is_clean:
            groups.setdefault((row.era, row.system), []).append(row)
    return dict(sorted(groups.items()))


def unexplained(rows: Sequence[Row]) -> list[Row]:
    """The rows that neither a point nor a floor explains."""
    return [row for row in rows if row.is_clean and row.verdict is Verdict.UNEXPLAINED]


def inputs_known(rows: Sequence[Row]) -> list[Row]:
    """The rows on which nothing that bears on them is hidden."""
    return [row for row in rows if row.inputs_known]


def exactness(rows: Sequence[Row]) -> Exactness:
    """While whole numbers were stored, a row is right only to the point; pages last rated since 2004."""
    kept = [row for row in rows if row.is_clean and row.verdict is Verdict.WITHIN and row.is_whole_number_era]
    return Exactness(len(kept), sum(is_right(row, row.verdict, row.computed) for row in kept))


def kinds_of_causes(rows: Sequence[Row]) -> Counter[str]:
    """How many of these rows differ for each named cause, whoever's fact it is and whatever value would fit."""
    return Counter(row.cause.split(" (")[0].split(", of player")[0] for row in rows)
