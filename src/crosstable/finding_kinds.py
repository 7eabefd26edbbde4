"""What a kind of finding is; the kinds about files, written reports, entry lists, the rules, and of an office."""

from collections.abc import Mapping

from crosstable.errors import Level, Severity
from crosstable.limits import FAR_FROM_RATING, LONGEST_EVENT_ID, MOST_GAMES_OF_A_MATCH, MOST_GAMES_OF_A_REPORT
from crosstable.tuples import NamedTuple

ERROR, CONFIRM, WARNING = Severity.ERROR, Severity.CONFIRM, Severity.WARNING
LEVELS = {ERROR: Level.FATAL, CONFIRM: Level.HOT, WARNING: Level.MEDIUM}


class Kind(NamedTuple):
    """What a code means: its severity, the general statement, the general remedy, and what a finding says.

    ``says`` is the text of the code's message, or several of them by the suffix of their ids; a code without one
    says its meaning, unless the finding brings a text of its own. ``ranked`` is its level where that is not the
    usual one of its severity.
    """

    severity: Severity
    meaning: str
    remedy: str
    says: str | Mapping[str, str] = ""
    ranked: Level | None = None

    @property
    def level(self) -> Level:
        """Fatal, Hot, Medium or Mild."""
        return self.ranked or LEVELS[self.severity]


FILES: Mapping[str, Kind] = {
    "not-readable": Kind(ERROR, "The file cannot be read at all.", "Give a file of one of the known formats."),
    "damaged-file": Kind(
        ERROR, "The file's own sums do not agree, so nothing in it can be trusted.", "Export or copy the file again."
    ),
    "rounds-missing": Kind(
        ERROR,
        "A section announces more rounds than its players have results for.",
        "Export the file again. If fewer rounds were played, correct the number of rounds.",
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
    "similar-names": Kind(
        CONFIRM,
        "Two players of a list of games have nearly the same name, never play in the same round and may be one player.",
        "Write one name, or give both their member ids.",
        "{name} and {other} may be one player under two spellings.",
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
        ranked=Level.MILD,
    ),
    "result-missing": Kind(
        WARNING,
        "Games have no result yet, or cells are empty in a round that others played; nothing of that is rated.",
        "Enter the results before the event is rated; write U for a round without a game.",
        {
            "paired": "Games without a result yet, which are not rated: {count}.",
            "empty": "Empty cells in rounds that others played: {cells}. Nothing is rated there.",
        },
    ),
    "code-page-guessed": Kind(
        WARNING,
        "The text of the file is not plain ASCII and nothing says in which code page it is, so one was guessed.",
        "Check names with accents; if they are wrong, export the file again or correct them.",
    ),
}

# Writing a rating report
WRITING: Mapping[str, Kind] = {
    "shortened": Kind(
        WARNING,
        "A text is longer than its field in the rating report and was cut.",
        "If the cut reads badly, shorten it yourself; --event-name NAME gives the event another name.",
        "{text!r} is longer than {width} characters; {written!r} was written.",
        ranked=Level.MILD,
    ),
    "respelled": Kind(
        WARNING,
        "A text holds letters that a rating report cannot carry; plain ones were written, or none.",
        "Check the spelling.",
        "{text!r} was written as {written!r}.",
        ranked=Level.MILD,
    ),
    "report-incomplete": Kind(
        WARNING,
        "A rating report lacks something that US Chess asks for.",
        "Add it to the event, or where you submit the report.",
        {
            "affiliate": "The rating report names no affiliate.",
            "city": "The rating report names no city.",
            "state": "The rating report names no state.",
            "chief_td": "The rating report names no chief director.",
        },
    ),
    "not-written": Kind(
        WARNING,
        "A rating report has no place for something that the event says.",
        "Tell it to US Chess where you submit the report, if it matters.",
        {
            "field": "{text!r} does not fit its field and was left blank.",
            "section": "The section has no game and was left out.",
            "online": "The files cannot say that the section is online; its name does. Mark it so where you submit it.",
            "systems": "The files cannot name the systems, so the section's name may. The time control decides.",
            "numbers": "The players were numbered anew, without gaps.",
            "waiver": "The files cannot say that a match is waived, so the section's name does.",
            "half_k": "The files cannot say that the section has half K, so its name does.",
            "ratings": "The ratings of {count} players were left out; the files carry pairing ratings alone.",
            "games": "Game counts of provisional ratings were left out ({count}); US Chess rates from its own record.",
            "control": "The control {text!r} does not fit; {written!r}, the slowest, was written.",
        },
    ),
}

# Before round 1
ENTRIES: Mapping[str, Kind] = {
    "duplicate-entry": Kind(
        WARNING,
        "A player is entered twice.",
        "Take one of the two entries out, or correct an id that is wrong.",
        {
            "section": "{who} is entered here and as player {other}.",
            "event": "{who} is entered here and in section {other}.",
        },
    ),
    "over-limit": Kind(
        WARNING,
        "A rating is over the limit that the name of the section gives.",
        "Check the rating, and move the player to a section that they may play in.",
        "The rating {rating:g} is over the limit of the section {section!r}.",
    ),
    "unrated-player": Kind(
        WARNING,
        "A player of an entry list has no rating.",
        "Look the player up: a blank may be an id or a rating that is missing. Nothing to do if they are unrated.",
        "The player has no rating.",
        Level.MILD,
    ),
    "memberships-not-checked": Kind(
        WARNING,
        "The file does not say when the event ends, so nobody's membership was checked.",
        "Give --end DATE.",
    ),
    "odd-one-out": Kind(
        WARNING,
        "A player differs from everybody else in the section, which may mean that the member id is another person's.",
        "Check the member id. Nothing to do if it is right.",
        {
            "state": "The player is from {state}; {count} of {players} players are from {usual}.",
            "rating": "The rating {rating:g} is {above:.0f} points above everybody else's.",
            "older": "The player is {years} years older than everybody else.",
            "younger": "The player is {years} years younger than everybody else.",
        },
        Level.MILD,
    ),
}

RULE_FINDINGS: Mapping[str, Kind] = {
    # What the rated result shows
    "far-from-performance": Kind(
        WARNING,
        f"A player performed {FAR_FROM_RATING:g} points or more above or below the rating.",
        "Check that the member id is this player's and that the results stand on the right row.",
        "The player performed {performance} in {games} games, {apart:.0f} points {side} the rating of {rating}.",
    ),
    "bonus-lost": Kind(
        WARNING,
        "Bonus points are lost because one opponent was met too often: {bonus_repeats}.",
        "Nothing to do if the pairings are right.",
        "One opponent was met {meetings} times in {games} games, so {lost:.1f} bonus points are lost.",
        ranked=Level.MILD,
    ),
    "match-limited": Kind(
        WARNING,
        "The rating change of a match is held at a limit: {match_limits}.",
        "Nothing to do: the limit is the rule.",
        "The match is worth {computed:+.1f} points; {limited:+.1f} is as far as it may go.",
        ranked=Level.MILD,
    ),
    "floor-requested": Kind(
        WARNING,
        "A match took a player to the floor, which counts as asking for a floor {floor_request_drop} points lower.",
        "The office decides; the rating stays at the floor until then.",
        "The match took the player to the floor of {floor:g}; the office may lower it to {requested:g}.",
    ),
    "ceiling-below-floor": Kind(
        WARNING,
        "The office set a ceiling below a floor of the player. The ceiling holds.",
        "Ask the office which of them is meant.",
        "The ceiling of {ceiling:g} is below the player's {kind} floor of {floor:g}; the ceiling holds.",
    ),
    # Matches
    "two-player-section": Kind(
        CONFIRM,
        "Two players who play each other more than once are a match, and must be coded as one.",
        "Make the section type match; matches have conditions and limits of their own.",
        "The section has two players, who played {games} games against each other, but is not coded as a match.",
    ),
    "pair-alone": Kind(
        WARNING,
        "Two players of a section met each other more than once and nobody else.",
        "If they chose to play each other, report their games as a section of their own, of the type match.",
        "Players {first} and {second} played {games} games against each other and none against anybody else.",
    ),
    "match-players": Kind(
        ERROR,
        "A match has exactly two players.",
        "Correct the section type or its players.",
        "The match has {players} players.",
    ),
    "match-not-eligible": Kind(
        ERROR,
        "The players may not play a rated match. {match_conditions}",
        "Rate it as another type if it was none, or give match_waiver with the office's reason.",
        {
            "unrated": "The player has no {system} rating; a match needs rated players.",
            "gap": "The published {system} ratings are {apart:.0f} points apart; {most:g} is the most.",
            "provisional": "The player's {system} rating is on {games:g} games; a match needs established ratings, on "
            "more than {established_above:g} games.",
            "not-published": "The player has no {system} rating on the list that was in force.",
        },
    ),
    "match-system": Kind(
        WARNING,
        "A dual-rated match is rated in one system only: in the other the players may not play it.",
        "Nothing to do: each system is judged by itself.",
        ranked=Level.MILD,
    ),
    "match-long": Kind(
        WARNING,
        f"A match has more than {MOST_GAMES_OF_A_MATCH} games.",
        "Check the games; report a longer match in parts.",
        f"The match has {{games}} games; {MOST_GAMES_OF_A_MATCH} is the usual limit.",
    ),
    "match-too-long": Kind(
        ERROR,
        f"A match has more than {MOST_GAMES_OF_A_REPORT} games, the most that a report of a match can hold.",
        "Report the match in parts.",
        f"The match has {{games}} games; {MOST_GAMES_OF_A_REPORT} is the most.",
    ),
    "match-waived": Kind(
        WARNING,
        "The conditions for a match are waived.",
        "The office may waive them, nobody else; an office asks for its own consent (office confirm).",
        "The conditions for a match are waived: {reason}.",
        ranked=Level.MILD,
    ),
    # Foreign events
    "foreign-system": Kind(
        ERROR,
        "A foreign FIDE event updates Regular ratings only.",
        "Leave systems out or give OTBR.",
        "A foreign FIDE event names {systems}.",
    ),
    "foreign-not-eligible": Kind(
        ERROR,
        "The player's rating is not updated from foreign events. {foreign_conditions}",
        "Take the rate mark away, or give fide_opt_in if the player opted in with the office before the event.",
        {
            "unrated": "The player has no Regular rating.",
            "no-member": "The player is not a current member.",
            "provisional": "The player's Regular rating is on {games:g} games; only established ratings, on more "
            "than {established_above:g} games, are updated.",
            "not-opted-in": "The player is not rated {automatic_from:g} FIDE or more, and nothing says that they opted "
            "in.",
            "flag": "The player's FIDE flag is {flag}, not USA, and nothing says that the office includes them.",
        },
    ),
    "opted-in": Kind(
        WARNING,
        "A foreign event updates a player's rating because the file says so: the player opted in, or the office "
        "includes them. Only the office knows that.",
        "Check it with the office; an office asks for its own consent (office confirm).",
        {
            "not-opted-in": "The file says that the player opted in; they are not rated {automatic_from:g} FIDE or "
            "more.",
            "flag": "The file says that the office includes the player, whose FIDE flag is {flag}, not USA.",
        },
    ),
    "foreign-nobody": Kind(
        WARNING,
        "Nobody in a foreign event is marked to be rated.",
        "Mark players with rate.",
        "No player is marked to be rated.",
    ),
}

OFFICE_FINDINGS: Mapping[str, Kind] = {
    "member-not-known": Kind(
        ERROR,
        "The member id is not known to the office.",
        "Correct the id, import the member (office members import), or submit with --new-members.",
        "Nobody here has the id {member_id}.",
    ),
    "new-member": Kind(
        CONFIRM,
        "The director reports a new member, whom the office does not know.",
        "The office adds the member (office confirm --new-members) or corrects the id.",
        "Nobody here has the id {member_id} yet: reported as a new member.",
    ),
    "other-affiliate": Kind(
        ERROR,
        "The report belongs to another affiliate than its director acts for.",
        "Send it for your own affiliate, or let a director of the other one send it.",
        "This event belongs to affiliate {named}; you act for {own}.",
    ),
    "systems-named": Kind(
        CONFIRM,
        "A report names systems and no time control, which alone decides them.",
        "Give the time control. Without one the office decides (office confirm).",
        "The section has no time control and names {systems}.",
    ),
    "fide-not-on-record": Kind(
        CONFIRM,
        "A member would be rated by a FIDE rating that the office does not have.",
        "The office looks it up and enters it (office decide fact), or confirms it as it is (office confirm).",
        "The file gives a FIDE rating of {rating:g}, which the office does not have.",
    ),
    "record-differs": Kind(
        WARNING,
        "The file says something of a member that the office's record does not; the record is what counts.",
        "Check the member id. If the record is wrong, tell the office.",
        "Not as the record has it: {what}.",
    ),
    "money-prize": Kind(
        WARNING,
        "A player won a prize that sets a money floor.",
        "The office sets the floor (office decide money-floor).",
        "A prize of ${amount:,.0f} under {limit:g} sets a floor of {level:g}.",
    ),
    "cfc-notice": Kind(
        WARNING,
        "The file says that a member has a CFC rating or lives in Canada; the office has not entered it.",
        "A notice to the office, which looks it up and enters it (office status, office decide fact).",
        "Not on record: {what}.",
    ),
    "id-needed": Kind(
        ERROR,
        "The player has no member id, so no rating can be posted to anybody.",
        "Give every player a member id.",
        "{name} has no member id.",
    ),
    "before-opening": Kind(
        ERROR,
        "The section ended before the starting ratings of its players were taken, which hold its result already.",
        "Leave the section out, or give the starting ratings of an earlier day.",
        "The starting ratings of {name} are as of {opened}.",
    ),
    "other-name": Kind(
        WARNING,
        "The office, or the members file, knows this member under quite another name.",
        "Check the member id: two digits may be swapped.",
        {
            "office": "The report says {reported}, the office {known} for {member_id}.",
            "file": "The report says {reported}, the members file {known} for {member_id}.",
        },
    ),
    "erased-member": Kind(
        WARNING,
        "The file names a member whom the office has erased. The results count; name, state and birth date are not "
        "taken, and the file itself is not kept.",
        "Nothing has to be done.",
        "Erased members are named: {members}. Their rows say (erased), and the file itself is not kept.",
    ),
    "played-before": Kind(
        CONFIRM,
        "Another event of the record has the same players with the same results on the same day.",
        "If it is the same tournament, do not send it again. If both were played, the office confirms it "
        "(office confirm).",
        "Event {event}, section {section}, has the same players with the same results on {end}.",
    ),
    "late-submission": Kind(
        CONFIRM,
        "The event ended in a period whose supplement is published, and it is later or larger than the office lets "
        "one person accept.",
        "Two people of the office look at its rating changes and approve it (office confirm).",
        "The section ended on {ended}; supplements are published through {through}: {why}.",
    ),
    "event-id-shape": Kind(
        ERROR,
        "The event id cannot be used.",
        f"Use up to {LONGEST_EVENT_ID} letters and digits, or leave it empty: the office then gives one.",
        "The event id {given!r} cannot be used.",
    ),
}
