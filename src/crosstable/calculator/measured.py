"""How far estimates were from posted results, measured: the figures that ``tools/measure_estimates.py`` printed."""

from datetime import date
from typing import NamedTuple

from crosstable.calculator.requests import OpponentsAt
from crosstable.terms import Formula

MEASURED_ON = date(2026, 11, 15)
SOURCE = (
    "clean rows of 1,061 official crosstables of 2001 to 2021, each estimated from its own row alone, with "
    "whole-number ratings and without knowing peaks, floors and earlier results"
)


# Low ratings move more, and so do the errors: the lowest rating of each band under the standard formula.
BANDS = (1800.0, 1200.0, 0.0)


class Measured(NamedTuple):
    """Sizes of errors, estimate less posted rating, in points: half, nine tenths and 99 of 100 are not larger.

    ``lowest`` is the lowest rating of the band that was measured.
    """

    kind: OpponentsAt
    formula: Formula
    lowest: float
    rows: int
    half: float
    nine_tenths: float
    ninety_nine: float
    largest: float

    @property
    def sentence(self) -> str:
        """In plain words."""
        return (
            f"Half of {self.rows:,} such estimates were within {_points(self.half)} of the posted rating, nine in ten "
            f"within {_points(self.nine_tenths)}."
        )


def _points(size: float) -> str:
    return "1 point" if size <= 1.0 else f"{size:.0f} points"


def band_of(formula: Formula, rating: float) -> float:
    """The lowest rating of the band that a rating belongs to; under the special formula all are one band."""
    if formula is Formula.SPECIAL:
        return 0.0
    return next(lowest for lowest in BANDS if rating >= lowest)


MEASURED = (
    Measured(OpponentsAt.BEFORE, Formula.SPECIAL, 0.0, 472, 5.50, 35.00, 310.40, 470.00),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 0.0, 2402, 5.01, 24.00, 56.12, 142.62),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 1200.0, 5036, 2.00, 8.67, 36.00, 101.50),
    Measured(OpponentsAt.BEFORE, Formula.STANDARD, 1800.0, 4359, 1.00, 4.73, 29.00, 57.23),
    Measured(OpponentsAt.AFTER, Formula.SPECIAL, 0.0, 472, 1.17, 9.00, 332.00, 471.75),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 0.0, 2402, 1.00, 8.00, 27.92, 141.65),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 1200.0, 5036, 0.43, 2.00, 30.70, 104.07),
    Measured(OpponentsAt.AFTER, Formula.STANDARD, 1800.0, 4359, 0.18, 1.02, 26.52, 55.00),
    Measured(OpponentsAt.SCORES, Formula.SPECIAL, 0.0, 472, 4.27, 21.00, 353.32, 486.72),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 0.0, 2402, 3.88, 18.90, 43.00, 142.67),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 1200.0, 5036, 1.71, 7.00, 33.68, 105.64),
    Measured(OpponentsAt.SCORES, Formula.STANDARD, 1800.0, 4359, 1.00, 5.00, 26.66, 58.00),
)


def typical_error(kind: OpponentsAt, formula: Formula, rating: float) -> Measured:
    """What was measured for this kind of estimate, this formula and ratings like this one."""
    wanted = (kind, formula, band_of(formula, rating))
    return next(each for each in MEASURED if (each.kind, each.formula, each.lowest) == wanted)
