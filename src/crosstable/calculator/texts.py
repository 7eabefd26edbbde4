"""The calculator's own words: how ratings work, what a rated tournament needs, what an estimate is not."""

from typing import NamedTuple

from crosstable.rules.law import Edition
from crosstable.rules.statements import FLOORS, TIME_CONTROLS, said_of
from crosstable.sentences import Template


class Text(NamedTuple):
    """A part of the calculator's page: a code for programs, a title, and its paragraphs."""

    code: str
    title: str
    paragraphs: tuple[str, ...]


class Resource(NamedTuple):
    """A page of the federation."""

    title: str
    address: str


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


def how_ratings_work(edition: Edition) -> Text:
    """How ratings work under an edition, in plain words (§1, §4, §5)."""
    constants = edition.constants
    said = [Template(f"about:{key}", text).say(**constants._asdict()) for key, text in _HOW.items()]
    return Text("ratings", "How ratings work", tuple(sentence.text for sentence in said))


_HOW = {
    "expected": "A rating says how strong somebody has played so far. Before every game the two ratings say what score "
    "is expected: one half against an equal, about three quarters against somebody 200 points lower, one tenth against "
    "somebody about 380 points higher.",
    "k": "After the event the expected scores of all games are added up. A player who scores more gains, one who "
    "scores less loses: the difference is multiplied by K. K is {k_numerator:g} divided by the games the rating is "
    "worth, at most {effective_cap:g}, and the games just played, so new and low ratings move quickly and old and high "
    "ones slowly.",
    "bonus": "A player who gains very much in one event gets a bonus on top: whatever the gain exceeds "
    "{bonus_threshold:g} times the root of the number of games by. A player who has {special_games:g} games or fewer, "
    "or has won or lost all of them, is rated by another formula, which looks for the rating that explains all results "
    "at once.",
    "passes": "Everybody is rated twice: first against the opponents' ratings from before the event, then against what "
    "that made of them. A rating never falls below its floor, and never below {absolute_floor:g}. It is provisional "
    "until it is based on more than {established_above:g} games.",
}


def requirements(edition: Edition) -> Text:
    """What a rated tournament needs under an edition, its time controls first (§1, §5)."""
    return Text(
        "requirements",
        "What a rated tournament needs",
        (
            *said_of(edition, TIME_CONTROLS),
            "The organizer is a US Chess affiliate, the director is certified, and all players are members.",
            "Both players have the same time. Games in which one side never moved, byes and forfeits are not rated.",
            "The director sends in a report with every section, player and result; crosstable check finds its mistakes "
            "before the office does.",
            *said_of(edition, FLOORS),
        ),
    )


def texts(edition: Edition) -> tuple[Text, ...]:
    """All parts, in the order of a page."""
    return how_ratings_work(edition), requirements(edition), DISCLAIMER
