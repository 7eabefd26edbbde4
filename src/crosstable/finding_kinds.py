"""What a kind of finding is, and the kinds that are about files rather than about chess."""

from collections.abc import Mapping
from typing import NamedTuple

from crosstable.errors import Severity

ERROR, WARNING = Severity.ERROR, Severity.WARNING


class Kind(NamedTuple):
    """What a code means: its severity, the general statement, the general remedy, and what a finding says.

    ``says`` is the text of the code's message, or several of them by the suffix of their ids; a code without one
    says its meaning, unless the finding brings a text of its own.
    """

    severity: Severity
    meaning: str
    remedy: str
    says: str | Mapping[str, str] = ""


FILES: Mapping[str, Kind] = {
    "not-readable": Kind(ERROR, "The file cannot be read at all.", "Give a file of one of the known formats."),
    "damaged-file": Kind(
        ERROR, "The file's own sums do not agree, so nothing in it can be trusted.", "Export or copy the file again."
    ),
    "ignored-record": Kind(WARNING, "A record of the file is not understood and was left out.", "Check that record."),
    "wrong-type": Kind(ERROR, "A field holds the wrong kind of value.", "Write the kind of value it names."),
    "missing-field": Kind(ERROR, "A field that is needed is not there.", "Add the field."),
    "unknown-field": Kind(WARNING, "A field is not known and was ignored.", "Remove it or correct its name."),
    "bad-value": Kind(ERROR, "A value is outside what is possible.", "Correct the value."),
    "bad-date": Kind(ERROR, "A date is not a date of the calendar.", "Write it as YYYY-MM-DD."),
    "start-not-read": Kind(
        ERROR,
        "The start date is not a date, or can be read in two ways.",
        "Write it as YYYY-MM-DD, or give --start YYYY-MM-DD.",
    ),
    "end-not-read": Kind(
        ERROR,
        "The end date is not a date, or can be read in two ways.",
        "Write it as YYYY-MM-DD, or give --end YYYY-MM-DD.",
    ),
    "rating-column-not-known": Kind(
        ERROR,
        "A column of numbers that look like ratings has a title that is not known, and no other column has ratings.",
        "Call it Rating (used for pairing), Pre-event rating, FIDE rating, or delete it.",
    ),
    "no-ratings": Kind(
        ERROR,
        "The file has no column of ratings, so nobody's rating is known.",
        "Give --members FILE with their ratings, or add a column Rating; write unrated for those who have none.",
        "The file has no ratings of the {count} players.",
    ),
    "fide-ratings-only": Kind(
        ERROR,
        "The file has FIDE ratings, and nobody's US Chess rating is known.",
        "Give --members FILE with US Chess ratings, or --pairing-ratings to start all of them from FIDE ratings.",
        "The file has only FIDE ratings of the {count} players; US Chess ratings are needed.",
    ),
    "no-game": Kind(
        ERROR,
        "No game of the section has a result, so there is nothing to rate.",
        "Enter the results; crosstable check and crosstable convert read it as an entry list.",
    ),
    "entry-list": Kind(
        WARNING,
        "No game of the section has a result; it was read as an entry list and is not rated.",
        "Nothing to do if the section has not been played.",
    ),
    "result-missing": Kind(
        WARNING,
        "Games are paired and have no result yet; they are not rated.",
        "Enter their results before the event is rated.",
        "Games without a result yet, which are not rated: {count}.",
    ),
    "code-page-guessed": Kind(
        WARNING,
        "The text of the file is not plain ASCII and nothing says in which code page it is, so one was guessed.",
        "Check names with accents; if they are wrong, export the file again or correct them.",
    ),
}
