"""Ratings of other federations on the US Chess scale, and ratings from age, by date."""

from datetime import date
from typing import Any

from .errors import NotKnown


def on_scale(start: date, record: dict[str, Any]) -> float:
    """Give a FIDE rating on the scale of the section's day: on 2024-03-01 FIDE added 0.4 x (2000 - R) below 2000."""
    rating, stamp = float(record["rating"]), record.get("as_of")
    change = date(2024, 3, 1)
    listed = date.fromisoformat(stamp) if stamp else start
    if rating >= 2000 or (listed < change) == (start < change) or not stamp:
        return rating
    return rating + 0.4 * (2000 - rating) if listed < change else (rating - 800) / 0.6


def fide_to_us(start: date, fide: float) -> float:
    """Convert a FIDE rating (2025 text §2.1; 2020 text §2.1; 2015 text §2.6; rules history §5)."""
    if start >= date(2024, 3, 1):
        return -1073 + 1.5667 * fide if fide <= 2000 else 20 + 1.02 * fide
    if start >= date(2015, 6, 1):
        return 180 + 0.94 * fide if fide <= 2000 else 20 + 1.02 * fide
    if start >= date(2008, 7, 1):
        if fide >= 2000:
            raise NotKnown("the upper branch of the FIDE conversion of July 2008")
        return 720 + 0.625 * fide
    if start >= date(2008, 1, 1):
        return fide if fide < 2200 else fide + 50
    return fide + 50


def youth_fide_to_us(start: date, fide: float) -> float:
    """Convert an opponent's FIDE rating in a youth event (2025 text §6; 2015 text §6; rules history §5)."""
    if start < date(2009, 1, 1):
        raise NotKnown("the conversion for youth events before 2009")
    if fide > 2000:
        return 80 + fide
    return -453 + 1.2667 * fide if start >= date(2024, 3, 1) else 560 + 0.76 * fide


def cfc_to_us(start: date, cfc: float) -> float:
    """Convert a CFC rating (2025 text §2.2; 2015 text §2.6; rules history §6; readings 32: as printed)."""
    if start < date(2025, 1, 1):
        return cfc - 90 if cfc <= 1500 else 1.1 * cfc - 240
    if cfc < 1150:
        return -115 + 0.815 * cfc
    if cfc < 1610:
        return -650 + 1.28 * cfc
    if cfc < 2000:
        return -856 + 1.41 * cfc
    return -240 + 1.1 * cfc


def age_based(start: date, birth: date | None, adult: bool, day: date) -> float:
    """Give the rating that age on a day stands for (2025 text §2.3; 2015 text §2.6; rules history §4).

    `start` chooses the rule, `day` is the day on which the age is taken (readings 21, 22, 24); the result is
    not rounded (readings 29).
    """
    unknown = 1300.0 if adult else 750.0
    if birth is None:
        return unknown
    age = (day - birth).days / 365.25
    if start >= date(2020, 6, 1):
        if age < 3:
            return unknown
        return 50 * age if age <= 26 else 1300.0
    if start >= date(2006, 7, 1):
        return 50 * age if 3 <= age <= 26 else 1300.0
    return 300 + 50 * age if 4 <= age <= 20 else 1300.0
