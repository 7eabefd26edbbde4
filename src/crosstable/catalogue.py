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
    "code-page-guessed": Kind(
        WARNING,
        "The text of the file is not plain ASCII and nothing says in which code page it is, so one was guessed.",
        "Check names with accents; if they are wrong, export the file again or correct them.",
    ),
    # Events and sections
    "no-section": Kind(ERROR, "The event has no section.", "Add a section with its players."),
    "no-player": Kind(ERROR, "The section has no player.", "Add the players of the section."),
    "duplicate-section": Kind(ERROR, "Two sections have the same number.", "Number the sections 1, 2, 3 …"),
    "no-dates": Kind(ERROR, "The section has no start or end date, nor has the event.", "Give both dates."),
    "dates-reversed": Kind(ERROR, "The section ends before it starts.", "Correct the start or the end date."),
    "in-the-future": Kind(ERROR, "The section ends in the future.", "Correct the dates, or rate it when it is over."),
    "long-section": Kind(
        WARNING,
        "The section lasts longer than 45 days.",
        "Check both dates; a league that really lasts longer can be accepted with that reason.",
    ),
    "section-outside-event": Kind(
        WARNING,
        "The section starts before its event or ends after it.",
        "Correct the dates of the section or those of the event.",
    ),
    "event-id-date": Kind(
        WARNING,
        "An official event id begins with the day the event ended; this one begins with another day.",
        "Check the event id and the end date; the office gives the id, so leave it empty if you have none.",
    ),
    "affiliate-id-shape": Kind(
        WARNING, "The affiliate id is not a letter and seven digits.", "Correct the id; it looks like A1234567."
    ),
    "director-id-shape": Kind(
        WARNING, "A tournament director's id is not eight digits.", "Give the director's member id, eight digits."
    ),
    "two-player-section": Kind(
        WARNING,
        "Two players who play each other more than once are a match, and must be coded as one.",
        "Make the section type match; matches have conditions and limits of their own.",
    ),
    "round-not-announced": Kind(
        WARNING,
        "A game stands after the last round that the report announces.",
        "Correct the number of rounds, or take the stray result out.",
    ),
    "waits-for-section": Kind(
        ERROR,
        "The ratings of a section follow from an earlier section of the event that has errors.",
        "Correct the errors of the other section first.",
    ),
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
    "system-code": Kind(
        WARNING,
        "The letter for the rating system is not that of the time control. US Chess goes by the time control.",
        "Check the time control; if it is right there is nothing to do.",
    ),
    # Players
    "duplicate-number": Kind(ERROR, "Two rows have the same number.", "Give every row a number of its own."),
    "no-number": Kind(ERROR, "A row has no number.", "Number the rows 1, 2, 3 …"),
    "member-id-shape": Kind(WARNING, "A member id is not eight digits.", "Correct the id."),
    "rating-not-known": Kind(
        ERROR,
        "Players carry only the rating used for pairing, which is not the one they are rated from.",
        "Give --members FILE with their ratings, or --pairing-ratings to take these with everything else assumed.",
    ),
    "re-entry": Kind(
        WARNING,
        "A member has several rows in one section; they are rated as one player on all games.",
        "Check that it is a re-entry and not a wrong id.",
    ),
    "re-entry-differs": Kind(
        ERROR, "The rows of one member bring different ratings.", "Give both rows the same ratings."
    ),
    "re-entry-same-round": Kind(
        WARNING,
        "Two rows of one member have a game in the same round, which happens only where schedules are merged.",
        "If the schedules were not merged, two players carry the same id: correct one.",
    ),
    "no-member-id": Kind(
        WARNING, "A player has no member id; US Chess rates members only.", "Look the id up, or sign the player up."
    ),
    "duplicate-name": Kind(
        WARNING,
        "The same name stands in the event with two different member ids.",
        "If it is one person, give both rows the same id; two people may share a name.",
    ),
    "id-with-two-names": Kind(
        WARNING,
        "The same member id stands in the event with two different names.",
        "If they are two people, correct the id of one; if one, write the name alike.",
    ),
    "birth-date-early": Kind(WARNING, "A player is born before 1900.", "Correct the birth date, or leave it out."),
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
    "paired-twice": Kind(
        ERROR,
        "Two players show a game against the same opponent in the same round.",
        "Correct the opponent's number on one of the two rows; a second game goes into a round of its own.",
    ),
    "total-disagrees": Kind(
        WARNING,
        "A player's total is not the sum of the results.",
        "Find the result that is wrong, or correct the total; ratings go by the results.",
    ),
    "one-sided": Kind(
        WARNING,
        "A result stands on one row alone (N, R or S) and is rated for that player only.",
        "Settle the result with both players if you can.",
    ),
    "same-colour": Kind(WARNING, "Both rows give the same colour for a game.", "Correct the colour on one row."),
    "too-many-rounds": Kind(ERROR, "A row has more cells than any section can have.", "Check the file."),
    # What the rated result shows
    "far-from-performance": Kind(
        WARNING,
        "A player performed 600 points or more above or below the rating.",
        "Check that the member id is this player's and that the results stand on the right row.",
    ),
    "bonus-lost": Kind(
        WARNING,
        "Bonus points are lost because one opponent was met too often: three times, or twice in three games.",
        "Nothing to do if the pairings are right.",
    ),
    "match-limited": Kind(
        WARNING,
        "The rating change of a match is held at a limit: 50 points, 100 in 180 days, 200 in three years.",
        "Nothing to do: the limit is the rule.",
    ),
    "floor-requested": Kind(
        WARNING,
        "A match took a player to the floor, which counts as asking for a floor 100 points lower.",
        "The office decides; the rating stays at the floor until then.",
    ),
    # Matches and foreign events
    "match-players": Kind(ERROR, "A match has exactly two players.", "Correct the section type or its players."),
    "match-not-eligible": Kind(
        ERROR,
        "The players may not play a rated match.",
        "Rate it as another type if it was none, or give match_waiver with the office's reason.",
    ),
    "match-waived": Kind(WARNING, "The conditions for a match are waived.", "Nothing to do: the reason is kept."),
    # The office
    "member-not-known": Kind(
        ERROR,
        "The member id is not known to the office.",
        "Correct the id, import the member (office members import), or submit with --new-members.",
    ),
    "id-needed": Kind(
        ERROR,
        "The player has no member id, so no rating can be posted to anybody.",
        "Give every player a member id.",
    ),
    "before-opening": Kind(
        ERROR,
        "The section ended before the opening standings of its players were taken, which hold its result already.",
        "Leave the section out, or give the opening standings of an earlier day.",
    ),
    "other-name": Kind(
        WARNING,
        "The office knows this member under quite another name.",
        "Check the member id: two digits may be swapped.",
    ),
    "event-id-shape": Kind(
        ERROR,
        "The event id cannot be used.",
        "Use up to 40 letters and digits, or leave it empty: the office then gives one.",
    ),
    # Foreign events
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
