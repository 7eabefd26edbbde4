"""Rating classes, from Senior Master to Class J (official facts §2), by the rounded rating."""

from typing import NamedTuple

from crosstable.formulas.rounding import official_rating


class RatingClass(NamedTuple):
    """A class: its letter or short name, what people say, and the lowest rating in it."""

    code: str
    title: str
    lowest: int


CLASSES = (
    RatingClass("SM", "Senior Master", 2400),
    RatingClass("M", "National Master", 2200),
    RatingClass("X", "Expert", 2000),
    RatingClass("A", "Class A", 1800),
    RatingClass("B", "Class B", 1600),
    RatingClass("C", "Class C", 1400),
    RatingClass("D", "Class D", 1200),
    RatingClass("E", "Class E", 1000),
    RatingClass("F", "Class F", 800),
    RatingClass("G", "Class G", 600),
    RatingClass("H", "Class H", 400),
    RatingClass("I", "Class I", 200),
    RatingClass("J", "Class J", 100),
)
# The old calculator page has one class below 1000 and calls it F; the official list goes down to J.
PAGE_CLASSES = (*CLASSES[:8], RatingClass("F", "Class F", 0))


def rating_class(rating: float) -> RatingClass:
    """The class of a rating, by the official figure; nobody is rated below the last one."""
    official = official_rating(rating)
    return next((each for each in CLASSES if official >= each.lowest), CLASSES[-1])


def page_class(rating: float) -> RatingClass:
    """The class as the old calculator page has it: everything below 1000 is F."""
    official = official_rating(rating)
    return next((each for each in PAGE_CLASSES if official >= each.lowest), PAGE_CLASSES[-1])
