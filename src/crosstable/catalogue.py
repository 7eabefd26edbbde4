"""Every code that a fault can have: how grave it is, what it means, and how it is put right.

Readers and checks make faults only through ``fault``, so a code that is not in this list cannot be reported, and
``docs/checks.md`` is printed from it. Codes are stable: programs and directors rely on them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from crosstable.errors import Fault, Severity

ERROR, WARNING = Severity.ERROR, Severity.WARNING


class Kind(NamedTuple):
    """What a code means: its severity, the general statement, the general remedy."""

    severity: Severity
    meaning: str
    remedy: str


CATALOGUE: Mapping[str, Kind] = {
    # Files
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
    # Events and sections
    "no-section": Kind(ERROR, "The event has no section.", "Add a section with its players."),
    "no-player": Kind(ERROR, "The section has no player.", "Add the players of the section."),
    "duplicate-section": Kind(ERROR, "Two sections have the same number.", "Number the sections 1, 2, 3 …"),
    "no-dates": Kind(ERROR, "The section has no start or end date, nor has the event.", "Give both dates."),
    "dates-reversed": Kind(ERROR, "The section ends before it starts.", "Correct the start or the end date."),
    "in-the-future": Kind(ERROR, "The section ends in the future.", "Correct the dates, or rate it when it is over."),
    "no-rules": Kind(ERROR, "No rules are known for the day the section started.", "Check the start date."),
    "rule-not-found": Kind(
        ERROR,
        "A rule that was in force on that day is needed, but its document was not found.",
        "Give the player's start by hand (start: rating and games), or leave the section out.",
    ),
    "half-k": Kind(ERROR, "Half-K sections ended in March 2006.", "Set k_factor to full, or correct the start date."),
    # Time controls and systems
    "no-time-control": Kind(
        ERROR, "The section has neither a time control nor systems.", "Give the time control, like G/60;d5."
    ),
    "time-control-not-read": Kind(ERROR, "The time control cannot be understood.", "Write it like G/60;d5."),
    "time-control-not-rated": Kind(ERROR, "The time control is not rated in any system.", "Correct the time control."),
    "delay-not-given": Kind(
        WARNING,
        "The time control names no delay or increment, and a usual one would change the system.",
        "Write the delay out, d0 if there was none.",
    ),
    "delays-differ": Kind(
        WARNING, "The stages name different delays; the first one counts.", "Check the time control."
    ),
    "system-not-in-force": Kind(
        ERROR, "The rating system did not exist on the day the section started.", "Check the date and the control."
    ),
    "systems-disagree": Kind(
        WARNING, "The systems named are not those of the time control; the named ones are used.", "Check both."
    ),
    # Players
    "duplicate-number": Kind(ERROR, "Two rows have the same number.", "Give every row a number of its own."),
    "no-number": Kind(ERROR, "A row has no number.", "Number the rows 1, 2, 3 …"),
    "member-id-shape": Kind(WARNING, "A member id is not eight digits.", "Correct the id."),
    "re-entry": Kind(
        WARNING,
        "A member has several rows in one section; they are rated as one player on all games.",
        "Check that it is a re-entry and not a wrong id.",
    ),
    "re-entry-differs": Kind(
        ERROR, "The rows of one member bring different ratings.", "Give both rows the same ratings."
    ),
    "birth-date": Kind(ERROR, "A player is born after the section.", "Correct the birth date."),
    "counts-disagree": Kind(
        ERROR, "Wins, draws and losses are more than the games.", "Correct the counts or the games."
    ),
    # Games
    "unknown-code": Kind(
        ERROR, "A cell holds no known result.", "Use W, L, D with the opponent's number, or X F B H U Z."
    ),
    "no-opponent": Kind(ERROR, "A game names no opponent.", "Write the opponent's number after the letter."),
    "opponent-missing": Kind(ERROR, "A game names an opponent who is not in the section.", "Correct the number."),
    "plays-self": Kind(ERROR, "A player is paired with himself.", "Correct the opponent's number."),
    "not-mirrored": Kind(
        ERROR,
        "The opponent's row does not show the same game.",
        "Correct one of the two rows; if the sides really disagree, use N, R or S.",
    ),
    "one-sided": Kind(
        WARNING,
        "A result stands on one row alone (N, R or S) and is rated for that player only.",
        "Settle the result with both players if you can.",
    ),
    "same-colour": Kind(WARNING, "Both rows give the same colour for a game.", "Correct the colour on one row."),
    "too-many-rounds": Kind(ERROR, "A row has more cells than any section can have.", "Check the file."),
    # Matches and foreign events
    "match-players": Kind(ERROR, "A match has exactly two players.", "Correct the section type or its players."),
    "match-not-eligible": Kind(
        ERROR,
        "The players may not play a rated match.",
        "Rate it as another type if it was none, or give match_waiver with the office's reason.",
    ),
    "match-waived": Kind(WARNING, "The conditions for a match are waived.", "Nothing to do: the reason is kept."),
    "foreign-system": Kind(
        ERROR, "A foreign FIDE event updates Regular ratings only.", "Leave systems out or give OTBR."
    ),
    "foreign-not-eligible": Kind(
        ERROR, "The player's rating is not updated from foreign events.", "Take the rate mark away."
    ),
    "foreign-nobody": Kind(WARNING, "Nobody in a foreign event is marked to be rated.", "Mark players with rate."),
}


def fault(code: str, place: str, message: str, remedy: str = "") -> Fault:
    """A finding of a catalogued kind; the catalogue's remedy stands unless a nearer one is given."""
    kind = CATALOGUE[code]
    return Fault(code, kind.severity, place, message, remedy or kind.remedy)
