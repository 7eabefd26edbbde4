"""The calculator's own words: how ratings work, what a rated tournament needs, what an estimate is not."""

from collections.abc import Iterator
from typing import NamedTuple

from crosstable.rules.law import Edition


class Text(NamedTuple):
    """A part of the calculator's page: a code for programs, a title, and its paragraphs."""

    code: str
    title: str
    paragraphs: tuple[str, ...]


class Resource(NamedTuple):
    """A page of the federation."""

    title: str
    address: str


HOW_RATINGS_WORK = Text(
    "ratings",
    "How ratings work",
    (
        "A rating says how strong somebody has played so far. Before every game the two ratings say what score is "
        "expected: one half against an equal, about three quarters against somebody 200 points lower, one tenth "
        "against somebody about 380 points higher.",
        "After the event the expected scores of all games are added up. Who scores more gains, who scores less loses: "
        "the difference is multiplied by K. K is 800 divided by the games the rating is worth and the games just "
        "played, so new and low ratings move quickly and old and high ones slowly.",
        "Who gains very much in one event gets a bonus on top: whatever the gain exceeds ten times the root of the "
        "number of games by. Who has eight games or fewer, or has won or lost all of them, is rated by another "
        "formula, which looks for the rating that explains all results at once.",
        "Everybody is rated twice: first against the opponents' ratings from before the event, then against what that "
        "made of them. A rating never falls below its floor.",
    ),
)
DISCLAIMER = Text(
    "disclaimer",
    "What an estimate is not",
    (
        "Crosstable is not US Chess, and an estimate is not a rating. It takes what you enter and the rules of the "
        "day; the office also knows what all others did in the event, the decimals of every rating, and corrections to "
        "earlier events. Only what US Chess publishes is official.",
    ),
)
RESOURCES = (
    Resource("US Chess", "https://www.uschess.org/"),
    Resource("Overview of the rating system", "https://www.uschess.org/content/view/11469/329/"),
    Resource("Member lookup: ratings and tournament results", "https://www.uschess.org/msa/MbrDtlMain.php"),
)


def requirements(edition: Edition) -> Text:
    """What a rated tournament needs under an edition, its time controls first (§1)."""
    return Text(
        "requirements",
        "What a rated tournament needs",
        (
            *time_controls(edition),
            "The organiser is a US Chess affiliate, the director is certified, and all players are members.",
            "Both players have the same time. Games in which one side never moved, byes and forfeits are not rated.",
            "The director sends in a report with every section, player and result; crosstable check finds its mistakes "
            "before the office does.",
            "Players have floors: 100 for everybody, up to 150 by results, and for established players the hundred 200 "
            "points below their highest rating, from 1200 to 2100.",
        ),
    )


def time_controls(edition: Edition) -> tuple[str, ...]:
    """The time controls of each system under an edition, in sentences (§1, footnote 1)."""
    return tuple(_time_controls(edition))


def _time_controls(edition: Edition) -> Iterator[str]:
    ranges = edition.controls
    if ranges.counts_seconds:
        yield "Add the minutes of all stages and the seconds of delay or increment: G/60;d5 is 65, G/3;+2 is 5."
    else:
        yield "The minutes of all stages decide; delay and increment do not count."
    yield f"Regular: {ranges.regular_from} or more."
    if ranges.dual_to:
        yield (
            f"Regular and Quick at once (dual-rated), over the board: {ranges.regular_from} to {ranges.dual_to}. "
            "Online there is no dual rating."
        )
    if ranges.blitz_to:
        yield f"Quick: more than {ranges.blitz_to}, less than {ranges.regular_from}, in one sudden-death stage."
        yield (
            f"Blitz: {ranges.blitz_from} to {ranges.blitz_to}, in one sudden-death stage with at least "
            f"{ranges.blitz_main_from} minutes."
        )
    else:
        yield f"Quick: {ranges.quick_from} or more, less than {ranges.regular_from}, in one sudden-death stage."


def texts(edition: Edition) -> tuple[Text, ...]:
    """All parts, in the order of a page."""
    return HOW_RATINGS_WORK, requirements(edition), DISCLAIMER
