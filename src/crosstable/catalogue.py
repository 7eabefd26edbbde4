"""Every code that a finding can have: how grave it is, what it means, how it is put right, and what it says.

Readers and checks make findings only through ``faults.fault``, so a code that is not in this list cannot be reported;
``crosstable findings`` and ``docs/checks.md`` are printed from it. Codes are stable: programs and directors rely on
them. Numbers of our own checks come from ``limits``; numbers of the rules come from the edition that is spoken of:
messages get them as values, meanings have places for them that ``meaning_of`` fills.
"""

from collections.abc import Iterable, Mapping

from crosstable.errors import Level
from crosstable.finding_kinds import (
    CONFIRM,
    ENTRIES,
    ERROR,
    FILES,
    OFFICE_FINDINGS,
    RULE_FINDINGS,
    WARNING,
    WRITING,
    Kind,
)
from crosstable.limits import (
    AFFILIATE_ID_DIGITS,
    EARLIEST_BIRTH,
    LATEST_REPORT,
    LONGEST_SECTION,
    MEMBER_ID_DIGITS,
    MOST_HOURS_OF_PLAY,
    MOST_ROUNDS,
    REPORT_DUE,
)
from crosstable.sentences import Template

NO_MEMBER = {
    "expired": "The membership ended on {until}, before the section's end on {end}.",
    "none": "The file says that the player is not a member.",
}
EXEMPT = "Renew the membership. House players, JTP sections, sanctioned state games and foreign masters need none."

CATALOGUE: Mapping[str, Kind] = {
    **FILES,
    # Events and sections
    "no-section": Kind(ERROR, "The event has no section.", "Add a section with its players."),
    "no-such-section": Kind(
        ERROR,
        "A section that was asked for is not in the file.",
        "Give the number of a section that is there.",
        "There is no section {number}; the file has {there}.",
    ),
    "not-used": Kind(
        WARNING,
        "A time control or date that was given was not used, because the file has its own.",
        "Add --override to replace what the file says.",
        "The {what} {given} was not used: the file says {own}.",
        ranked=Level.MILD,
    ),
    "no-player": Kind(ERROR, "The section has no player.", "Add the players of the section."),
    "number-of-players": Kind(
        WARNING, "A section announces more or fewer players than it lists.", "Check that nobody is missing."
    ),
    "duplicate-section": Kind(
        ERROR,
        "Two sections have the same number.",
        "Number the sections 1, 2, 3 …",
        "Section number {number} stands twice.",
    ),
    "no-dates": Kind(
        ERROR,
        "The section has no start or end date, nor has the event.",
        "Give --start DATE and --end DATE, or write them in the file.",
        "The section has no {missing} date that can be read.",
    ),
    "dates-reversed": Kind(
        ERROR,
        "The section ends before it starts.",
        "Correct the start or the end date.",
        {
            "section": "The section starts on {start} and ends on {end}.",
            "event": "The event starts on {start} and ends on {end}.",
        },
    ),
    "in-the-future": Kind(
        ERROR,
        "The section ends in the future.",
        "Correct the dates, or rate it when it is over.",
        "The section ends on {end}, which is still to come.",
    ),
    "long-section": Kind(
        WARNING,
        f"The section lasts longer than {LONGEST_SECTION} days.",
        "Check both dates; a league that really lasts longer can be accepted with that reason.",
        "The section starts on {start} and ends on {end}, {days} days later.",
    ),
    "long-days": Kind(
        WARNING,
        f"The section has more than {MOST_HOURS_OF_PLAY} hours of play a day.",
        "Check the time control and both dates.",
        "{rounds} games at {control} can take {hours:.0f} hours a day.",
    ),
    "late-report": Kind(
        WARNING,
        f"The report comes more than {LATEST_REPORT} days after the section's end; US Chess asks for it within "
        f"{REPORT_DUE} days.",
        "Check the dates. The office may ask why it is late.",
        "The section ended on {end}, {days} days ago.",
    ),
    "section-outside-event": Kind(
        WARNING,
        "The section starts before its event or ends after it.",
        "Correct the dates of the section or those of the event.",
        {
            "start": "The section starts on {section}, before the event ({event}).",
            "end": "The section ends on {section}, after the event ({event}).",
        },
    ),
    "event-id-date": Kind(
        WARNING,
        "An official event id begins with the day the event ended; this one begins with another day.",
        "Check the event id and the end date; the office gives the id, so leave it empty if you have none.",
        "The event id {given} does not begin with the day the event ended, {end}.",
    ),
    "affiliate-id-shape": Kind(
        WARNING,
        f"The affiliate id is not a letter and {AFFILIATE_ID_DIGITS} digits.",
        "Correct the id; it looks like A1234567.",
        f"The affiliate id {{given!r}} is not a letter and {AFFILIATE_ID_DIGITS} digits.",
    ),
    "director-id-shape": Kind(
        WARNING,
        f"A tournament director's id is not {MEMBER_ID_DIGITS} digits.",
        f"Give the director's member id, {MEMBER_ID_DIGITS} digits.",
        f"The {{who}}'s id {{given!r}} is not {MEMBER_ID_DIGITS} digits.",
    ),
    "round-not-announced": Kind(
        WARNING,
        "A game stands after the last round that the report announces.",
        "Correct the number of rounds, or take the stray result out.",
        "{cell!r} is a game, but the section is said to have {rounds} rounds.",
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
    "half-k": Kind(
        ERROR,
        "Half-K sections ended in {half_k_ended}.",
        "Set k_factor to full, or correct the start date.",
        "A half-K section cannot start on {start}.",
    ),
    # Time controls and systems
    "no-time-control": Kind(
        ERROR,
        "The section has neither a time control nor systems.",
        'Give --control "G/60;d5", or write it in the file.',
        "The section has no time control.",
    ),
    "time-control-not-read": Kind(
        ERROR,
        "The time control cannot be understood, or can be read in two ways.",
        'Write it like G/60;d5, or give --control "G/60;d5" --override.',
    ),
    "time-control-not-rated": Kind(ERROR, "The time control is not rated in any system.", "Correct the time control."),
    "delay-not-given": Kind(
        WARNING,
        "The time control names no delay or increment, and a usual one would change the system.",
        "Write the delay out, d0 if there was none.",
        "{control} names no delay and counts as {systems}; with d{seconds} it would be {usual}.",
    ),
    "delays-differ": Kind(
        WARNING,
        "The stages name different delays; the first one counts.",
        "Check the time control.",
        "{control} names more than one delay; the first one counts.",
    ),
    "system-not-in-force": Kind(
        ERROR,
        "The rating system did not exist on the day the section started.",
        "Check the date and the control.",
        "{system} ratings did not exist when the section started.",
    ),
    "systems-disagree": Kind(
        WARNING,
        "The systems named are not those of the time control; the named ones are used.",
        "Leave systems out: the time control decides. An office asks for its own consent (office confirm).",
        "The report names {named}; {control} is {by_control}.",
    ),
    "system-code": Kind(
        WARNING,
        "The letter for the rating system is not that of the time control. US Chess goes by the time control.",
        "Check the time control; if it is right there is nothing to do.",
        "The report's letter {letter} means {meant}; {control} is {by_control}.",
    ),
    **WRITING,
    # Players
    "duplicate-number": Kind(
        ERROR,
        "Two rows have the same number.",
        "Give every row a number of its own.",
        "Number {number} stands on {rows} rows.",
    ),
    "no-number": Kind(ERROR, "A row has no number.", "Number the rows 1, 2, 3 …", "The row has no number."),
    "member-id-shape": Kind(
        WARNING,
        f"A member id is not {MEMBER_ID_DIGITS} digits.",
        "Correct the id.",
        f"The member id {{given!r}} is not {MEMBER_ID_DIGITS} digits.",
    ),
    "rating-not-known": Kind(
        ERROR,
        "Players carry only the rating used for pairing, which is not the one they are rated from.",
        "Give --members FILE with their ratings (a rating list, or the file that crosstable members for writes), or "
        "--pairing-ratings to take these with everything else assumed.",
    ),
    "all-unrated": Kind(
        WARNING,
        "Nobody in a section has a rating, so all of them are rated as unrated players.",
        "Give --members FILE with their ratings, if they have any.",
        "None of the {count} players has a rating; all are rated as unrated.",
    ),
    "not-in-members-file": Kind(
        WARNING,
        "The members file does not have a player of an entry list, or one who has no rating in the event file either.",
        "Check the member id: two digits may be swapped. If it is right, add the member to the file.",
        {
            "unrated": "The members file does not have {member_id}; the player is rated as unrated.",
            "entry": "The members file does not have {member_id}.",
        },
    ),
    "re-entry": Kind(
        WARNING,
        "A member has several rows in one section; they are rated as one player on all games.",
        "Check that it is a re-entry and not a wrong id.",
        "Member {member_id} stands on rows {rows}; they are rated once on all games.",
    ),
    "re-entry-differs": Kind(
        ERROR,
        "The rows of one member bring different ratings.",
        "Give both rows the same ratings.",
        "Rows {rows} of member {member_id} bring different ratings or birth dates.",
    ),
    "re-entry-same-round": Kind(
        WARNING,
        "Two rows of one member have a game in the same round, which happens only where schedules are merged.",
        "If the schedules were not merged, two players carry the same id: correct one.",
        "Rows {rows} of member {member_id} both have a game in round {round_number}.",
    ),
    "no-member-id": Kind(
        WARNING,
        "A player has no member id; US Chess rates members only.",
        "Look the id up, or sign the player up.",
        {"player": "The player has no member id.", "all": "None of the {players} players has a member id."},
    ),
    "duplicate-name": Kind(
        WARNING,
        "The same name stands in the event with two different member ids.",
        "If it is one person, give both rows the same id; two people may share a name.",
        "{name} has the member id {member_id} here, but {other_id} on another row.",
    ),
    "id-with-two-names": Kind(
        WARNING,
        "The same member id stands in the event with two different names.",
        "If they are two people, correct the id of one; if one, write the name alike.",
        "Member {member_id} is {name} here, but {other_name} on another row.",
    ),
    "birth-date-early": Kind(
        WARNING,
        f"A player is born before {EARLIEST_BIRTH}.",
        "Correct the birth date, or leave it out.",
        {
            "player": f"Player {{number}} is born on {{born}}, before {EARLIEST_BIRTH}.",
            "member": f"Member {{member_id}} is born on {{born}}, before {EARLIEST_BIRTH}.",
        },
    ),
    "birth-date": Kind(
        ERROR,
        "A player is born after the section.",
        "Correct the birth date.",
        "Player {number} is born on {born}, after the section.",
    ),
    "counts-disagree": Kind(
        ERROR,
        "Wins, draws and losses are more than twice the games.",
        "Correct the counts or the games.",
        "In {system} wins, draws and losses are {results}, more than twice the {games:g} games.",
    ),
    "counts-half-k": Kind(
        CONFIRM,
        "Wins, draws and losses are more than the games. Only half-K sections, where a game counts half, can cause "
        "that; they ended in {half_k_ended}.",
        "Correct the counts or the games; accept it if the player played half-K sections.",
        "In {system} wins, draws and losses are {results}, more than the {games:g} games.",
    ),
    "start-given": Kind(
        WARNING,
        "The file sets an unrated player's starting rating by hand. Only the office may do that.",
        "Take start out: the starting rating follows from other ratings and from age. An office asks for its own "
        "consent (office confirm).",
        "The file starts the player at {rating:g} on {games:g} games.",
    ),
    "membership": Kind(
        WARNING,
        "A player was no member when the section ended, nor renewed since; US Chess rates members only.",
        EXEMPT,
        NO_MEMBER,
        Level.HOT,
    ),
    "not-a-member": Kind(
        ERROR,
        "A player was no member when the section ended, nor renewed since, and the office rates members only.",
        EXEMPT,
        NO_MEMBER,
    ),
    "list-after-end": Kind(
        ERROR,
        "A FIDE or CFC rating is of a list that did not exist yet when the section ended.",
        "Give the rating of the list that was in force when the section started.",
        "The {federation} rating is of {as_of}, after the section's end on {end}.",
    ),
    "list-after-start": Kind(
        WARNING,
        "A FIDE rating is of a list that came out after the section had started.",
        "Give the rating of the list that was in force when the section started.",
        "The FIDE rating is of {as_of}, after the section's start on {start}.",
    ),
    "rating-too-low": Kind(
        ERROR,
        "A rating is below the lowest that there is.",
        "Correct the rating; leave it out if the player is unrated.",
        "The {what} {rating:g} is below {lowest:g}, the lowest that there is.",
    ),
    **ENTRIES,
    # Games
    "unknown-code": Kind(
        ERROR,
        "A cell holds no known result.",
        "Use W, L, D with the opponent's number, or X F Y B H U Z.",
        "{cell!r} is no known result.",
    ),
    "no-opponent": Kind(
        ERROR,
        "A game names no opponent.",
        "Write the opponent's number after the letter.",
        "{cell!r} is a game without an opponent.",
    ),
    "opponent-missing": Kind(
        ERROR,
        "A game names an opponent who is not in the section.",
        "Correct the number.",
        "{cell!r}: there is no player {opponent} in the section.",
    ),
    "plays-self": Kind(
        ERROR,
        "A player is paired with themselves.",
        "Correct the opponent's number.",
        {
            "number": "{cell!r} pairs the player with themselves.",
            "member": "{cell!r} pairs two rows of member {member_id}.",
        },
    ),
    "not-mirrored": Kind(
        ERROR,
        "The opponent's row does not show the same game.",
        "Correct one of the two rows; if the sides really disagree, use N, R or S.",
        {
            "round": "{cell!r}, but player {opponent} shows {shown} in round {round_number}.",
            "pair": "{count} times {result} against player {opponent}, who shows {shown} times {mirrored} against "
            "player {number}.",
        },
    ),
    "paired-twice": Kind(
        ERROR,
        "Two players show a game against the same opponent in the same round.",
        "Correct the opponent's number on one of the two rows; a second game goes into a round of its own.",
        "Players {first} and {second} both show a game against player {opponent}.",
    ),
    "total-disagrees": Kind(
        WARNING,
        "A player's total is not the sum of the results.",
        "Find the result that is wrong, or correct the total; ratings go by the results.",
        "The report gives a total of {total:g}; the results add up to {points:g}.",
    ),
    "one-sided": Kind(
        WARNING,
        "A result stands on one row alone (N, R or S) and is rated for that player only.",
        "Settle the result with both players if you can.",
        "{cell!r} is rated on this row alone.",
    ),
    "same-colour": Kind(
        WARNING,
        "Both rows give the same colour for a game.",
        "Correct the colour on one row.",
        "Players {first} and {second} both have {colour}.",
    ),
    "too-many-rounds": Kind(
        ERROR,
        "A row has more cells than any section can have.",
        "Check the file.",
        f"The row has {{rounds}} rounds; at most {MOST_ROUNDS} can be read.",
    ),
    **RULE_FINDINGS,
    **OFFICE_FINDINGS,
}


def _templates(code: str, kind: Kind) -> Iterable[Template]:
    if isinstance(kind.says, str):
        return [Template(code, kind.says or kind.meaning)]
    return [Template(f"{code}:{suffix}", text) for suffix, text in kind.says.items()]


TEMPLATES: Mapping[str, Template] = {
    template.key: template for code, kind in CATALOGUE.items() for template in _templates(code, kind)
}


def meaning_of(code: str, phrases: Mapping[str, str]) -> str:
    """What a code means under an edition; ``phrases`` are its rules in words (``rules.in_words``)."""
    return Template(code, CATALOGUE[code].meaning).say(**phrases).text
