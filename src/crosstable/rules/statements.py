"""The rules of an edition as a director reads them: sentences, each with its section and the document it is known from.

Every number in a sentence comes from the edition. A statement names the rules that it speaks of, so that the amendment
that last changed one of them is its document.
"""

import math
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from crosstable.rules.amending import Amendment, Edition
from crosstable.rules.constants import Constants, Credit, Initialisation, Priority
from crosstable.rules.editions import HALF_K_ENDED, PEAKS_COUNT_FROM
from crosstable.rules.in_words import (
    DESCRIBED,
    age_based,
    bonus_repeats,
    converted_by,
    foreign_conditions,
    games_credited,
    listed,
    match_conditions,
    match_limits,
    month_of,
)
from crosstable.rules.rule_sets import printed_lines
from crosstable.rules.time_controls import ANY_LENGTH, ANY_SECONDS
from crosstable.sentences import Sentence, Template
from crosstable.terms import RatingSystem, Source

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = ("", "first", "second", "third", "fourth", "fifth")
# Rules of an edition that are no constants, and the section that has them.
_SECTION_OF = {"systems": "1", "controls": "1", "lists": ""}
_CHANGED_BY = {"systems": "adds_systems"}


DOCUMENTS = (
    "The texts of 2004, 2015, 2020 and 2025 are the rating committee's documents of those years; sections (§) are "
    "those of the 2025 text."
)
TIME_CONTROLS = "Time controls and rating systems"
FLOORS = "Floors"


class Statement(NamedTuple):
    """A rule in words: the part it belongs to, the sentence, the § of the 2025 document, the rules it speaks of.

    Supplements are no matter of that document; their section is empty.
    """

    part: str
    sentence: Sentence
    section: str
    names: tuple[str, ...]

    @property
    def mark(self) -> str:
        """The section as it stands before how the statement is known: ``§4.2; ``."""
        return f"§{self.section}; " if self.section else ""


class Known(NamedTuple):
    """How a statement is known: since when it is in force, whether that day is assumed, and the documents."""

    since: date
    is_assumed: bool
    source: str


def known_from(edition: Edition, statement: Statement) -> Known:
    """The amendment that last changed what a statement speaks of; else the one with which the rules begin."""
    names = {_CHANGED_BY.get(name, name) for name in statement.names}
    touching = [amendment for amendment in edition.amendments if names & amendment.changes.keys()]
    last: Amendment = touching[-1] if touching else edition.amendments[0]
    return Known(last.effective, last.is_uncertain, last.source)


def statements(edition: Edition) -> tuple[Statement, ...]:
    """Every rule of an edition in words, in the order in which a director asks for them."""
    parts = {
        TIME_CONTROLS: _time_controls(edition),
        "Provisional and established ratings": _ratings(edition.constants),
        "How an unrated player starts": _starts(edition),
        "Which formula": _formulas(edition.constants),
        "K": _k(edition.constants),
        "Bonus": _bonus(edition.constants),
        FLOORS: _floors(edition.constants),
        "Matches": _matches(edition.constants),
        "Foreign FIDE events": _foreign(edition.constants),
        "Rating supplements": _lists(edition),
    }
    return tuple(_statement(part, said) for part, found in parts.items() for said in found)


class ChangedStatement(NamedTuple):
    """A rule that two editions say otherwise: its part, its §, and both sentences; one that is not there is empty."""

    part: str
    section: str
    before: str
    after: str


def changed_statements(before: Edition, after: Edition) -> tuple[ChangedStatement, ...]:
    """What differs between two editions in words, in the order of the parts."""
    old = {one.sentence.key: one for one in statements(before)}
    new = {one.sentence.key: one for one in statements(after)}
    parts = list(dict.fromkeys(one.part for one in (*old.values(), *new.values())))
    found = [
        ChangedStatement(
            one.part, one.section, *(side[key].sentence.text if key in side else "" for side in (old, new))
        )
        for key, one in {**old, **new}.items()
    ]
    return tuple(sorted((one for one in found if one.before != one.after), key=lambda one: parts.index(one.part)))


def said_of(edition: Edition, part: str) -> tuple[str, ...]:
    """The sentences of one part."""
    return tuple(one.sentence.text for one in statements(edition) if one.part == part)


class _Said(NamedTuple):
    """A sentence and the rules that it speaks of."""

    sentence: Sentence
    names: tuple[str, ...]


def _statement(part: str, said: _Said) -> Statement:
    first = said.names[0]
    section = _SECTION_OF[first] if first in _SECTION_OF else DESCRIBED[first].paragraph
    return Statement(part, said.sentence, section, said.names)


def _said(key: str, text: str, constants: Constants, *names: str, **values: object) -> _Said:
    """A sentence about constants, which are put in by their names beside other values."""
    chosen = {name: getattr(constants, name) for name in names}
    return _Said(Template(f"rules:{key}", text).say(**chosen, **values), names)


def _time_controls(edition: Edition) -> Iterator[_Said]:
    ranges = edition.controls

    def said(key: str, text: str) -> _Said:
        return _Said(Template(f"rules:{key}", text).say(**ranges._asdict()), ("controls",))

    systems = listed(f"{system.title} ({system.name})" for system in edition.systems)
    yield _Said(Template("rules:systems", "Ratings exist in {systems}.").say(systems=systems), ("systems",))
    if ranges.counts_seconds:
        yield said(
            "total",
            "Add the minutes of all stages and the seconds of delay or increment: G/60;d5 is 65, G/3;+2 is 5.",
        )
    else:
        yield said("main-time", "The minutes of all stages decide; delay and increment do not count.")
    yield said("regular", "Regular: {regular_from} or more, with a main time of at least {quick_main_from} minutes.")
    if ranges.dual_to:
        long = "" if ranges.dual_seconds_to == ANY_SECONDS else " and a delay of at most {dual_seconds_to} seconds"
        yield said(
            "dual",
            f"Regular and Quick at once (dual-rated), over the board: {{regular_from}} to {{dual_to}}{long}. "
            "Online there is no dual rating.",
        )
    if ranges.online_quick_to:
        yield said("online-quick", "Online, Quick reaches up to {online_quick_to}, by the letter of the 2015 text.")
    if ranges.online_to != ANY_LENGTH:
        yield said("online-limit", "Online, nothing above {online_to} is rated.")
    stage = "less than {regular_from}, in one sudden-death stage of at least {quick_main_from} minutes."
    if ranges.blitz_to:
        yield said("quick", f"Quick: more than {{blitz_to}}, {stage}")
        yield said(
            "blitz",
            "Blitz: {blitz_from} to {blitz_to}, in one sudden-death stage of at least {blitz_main_from} minutes.",
        )
    else:
        yield said("quick-alone", f"Quick: {{quick_from}} or more, {stage}")


def _ratings(constants: Constants) -> Iterator[_Said]:
    yield _said(
        "established",
        "A rating is established once it is based on more than {established_above:g} games; until then it is "
        "provisional and printed with its games, like 1500P{example:g}.",
        constants,
        "established_above",
        example=min(12.0, constants.established_above),
    )
    if constants.stores_whole_numbers:
        text = "Ratings are stored as whole numbers, rounded up on a gain and down on a loss."
        yield _said("whole-numbers", text, constants, "stores_whole_numbers")
    else:
        text = "Ratings are stored with decimals; the official rating is the nearest whole number, halves up."
        yield _said("decimals", text, constants, "stores_whole_numbers")


def _starts(edition: Edition) -> Iterator[_Said]:
    constants = edition.constants
    if constants.initialisation is Initialisation.BLEND:
        yield from _blended(edition)
    else:
        yield from _by_priority(edition)
    yield _said(
        "fide",
        "A FIDE rating becomes {converted}. It counts for {games}.",
        constants,
        *("fide", "fide_split", "fide_games_above", "fide_games_below"),
        converted=converted_by(constants.fide, "FIDE"),
        games=games_credited(constants.fide_games_above, constants.fide_games_below, constants.fide_split),
    )
    who = ", of residents of Canada only," if constants.cfc_needs_residence else ""
    yield _said(
        "cfc",
        "A CFC rating{who} becomes {converted}. It counts for {games}.",
        constants,
        *("cfc", "cfc_split", "cfc_games_above", "cfc_games_below", "cfc_needs_residence"),
        converted=converted_by(constants.cfc, "CFC"),
        games=games_credited(constants.cfc_games_above, constants.cfc_games_below, constants.cfc_split),
        who=who,
    )
    yield _said(
        "age",
        "Without any of these the age decides: {start} from {age_youngest:g} to "
        "{age_oldest:g} (days are counted), {adult_start:g} beyond.",
        constants,
        *("age_slope", "age_base", "age_youngest", "age_oldest", "adult_start"),
        start=age_based(constants),
    )
    young = "as if an adult" if constants.too_young_is_adult else "as if there were no birth date"
    yield _said(
        "no-age",
        "Without a birth date an adult starts at {adult_start:g}, anybody else at {unknown_start:g}; an age below "
        "{age_youngest:g} is taken for a mistake, and counts {young}.",
        constants,
        *("unknown_start", "adult_start", "age_youngest", "too_young_is_adult"),
        young=young,
    )


def _blended(edition: Edition) -> Iterator[_Said]:
    constants = edition.constants
    yield _said(
        "blend",
        "An unrated player starts at the average of all other ratings they have, US Chess, FIDE and CFC, weighted by "
        "games, and is credited with the sum of the weights, at most {credited_cap:g} games.",
        constants,
        *("initialisation", "credited_cap"),
    )
    for system in edition.systems:
        factors = constants.game_factors[system]
        others = [f"{factors[other]:g} of {other.title}" for other in edition.systems if other is not system]
        text = "A start in {title} counts at most these games of other ratings: {others}."
        values = {"title": system.title, "others": ", ".join(others)}
        yield _said(f"game-factors-{system.name}", text, constants, *("game_factors", "initialisation"), **values)
    yield _said(
        "staleness",
        "An old rating counts less: D days make its weight exp({staleness_rate:g} (Z - {strength_cap:g}) D/365.25) of "
        "itself, with Z = (rating - age-based start of that day)/{strength_unit:g}, at most {strength_cap:g}.",
        constants,
        *("staleness_rate", "strength_cap", "strength_unit", "initialisation"),
    )


_CREDITS = {
    Credit.NOTHING: "no games",
    Credit.ITS_GAMES: "its own games",
    Credit.FULL: "the most games",
    Credit.BY_RATING: "games by its height",
}


def _by_priority(edition: Edition) -> Iterator[_Said]:
    constants = edition.constants
    for system in edition.systems:
        sources = [_source(line) for line in printed_lines(constants.priorities[system])]
        text = "An unrated player starts in {title} from the first of these: {sources}; else by age."
        values = {"title": system.title, "sources": ", ".join(sources) or "none"}
        yield _said(f"priorities-{system.name}", text, constants, *("priorities", "initialisation"), **values)
    yield _said("credited", "A start is credited with at most {credited_cap:g} games.", constants, "credited_cap")


def _source(line: Priority) -> str:
    name = RatingSystem(line.source).title if line.source < len(RatingSystem) else Source(line.source).name
    # Half-K sections counted in halves: "more than 25" is then "25.5 or more".
    is_whole = line.at_least == math.floor(line.at_least)
    least = f" on {line.at_least:g} games or more" if is_whole else f" on more than {math.floor(line.at_least)} games"
    least = least if line.at_least else ""
    most = f" on at most {line.at_most:g} games" if math.isfinite(line.at_most) else ""
    return f"{name}{least}{most} ({_CREDITS[line.credit]})"


def _formulas(constants: Constants) -> Iterator[_Said]:
    yield _said(
        "special",
        "Up to {special_games:g} games, and as long as all games were won or all lost, the special formula applies: it "
        "finds the rating at which the expected score is the score. It has no K and no bonus.",
        constants,
        "special_games",
    )
    yield _said(
        "special-limits",
        "In it a game counts as certain from {special_spread:g} points apart, and no result is above "
        "{special_cap:g}; a start without games weighs {step_3_games:g} in the first estimate.",
        constants,
        *("special_spread", "special_cap", "step_3_games"),
    )
    yield _said(
        "standard",
        "Above {special_games:g} games the standard formula applies: R + K (score - expected score) + bonus.",
        constants,
        "special_games",
    )


def _k(constants: Constants) -> Iterator[_Said]:
    yield _said(
        "effective",
        "N', the games that a rating R counts for, is the smaller of its games and {effective_cap:g}/√("
        "{effective_base:g} + {effective_slope:.8f} ({effective_centre:g} - R)²), which is {effective_cap:g} above "
        "{effective_limit:g}.",
        constants,
        *("effective_cap", "effective_base", "effective_slope", "effective_centre", "effective_limit"),
    )
    weight = "" if constants.k_effective_weight == 1.0 else f"{constants.k_effective_weight:g} "
    yield _said(
        "k",
        "K = {k_numerator:g}/({weight}N' + m), with m games in the section.",
        constants,
        *("k_numerator", "k_effective_weight"),
        weight=weight,
    )
    if math.isfinite(constants.k_cap):
        yield _said("k-cap", "No K is larger than {k_cap:g}.", constants, "k_cap")
    if constants.dual_k_is_reduced:
        yield _said(
            "dual-k",
            "In dual-rated sections the Regular K is smaller above {dual_k_above:g}: {k_numerator:g} "
            "({dual_k_base:g} - {dual_k_slope:g} R)/({weight}N' + m), and {dual_k_flat:g}/({weight}N' + m) from "
            "{dual_k_flat_from:g} up.",
            constants,
            *("dual_k_is_reduced", "dual_k_above", "dual_k_flat_from", "dual_k_base", "dual_k_slope", "dual_k_flat"),
            weight=weight,
            k_numerator=constants.k_numerator,
        )
    else:
        yield _said("one-k", "Dual-rated sections have the same K.", constants, "dual_k_is_reduced")
    if constants.half_k_is_allowed:
        yield _said("half-k", "An organizer may ask for half K.", constants, "half_k_is_allowed")
    else:
        text = "There are no half-K sections; they ended in {month}."
        yield _said("no-half-k", text, constants, "half_k_is_allowed", month=month_of(HALF_K_ENDED))


def _bonus(constants: Constants) -> Iterator[_Said]:
    yield _said(
        "bonus",
        "A player who gains more than B√m in a section gets the excess again, with B = {bonus_threshold:g} and m the "
        "games, at least {bonus_least_games:g}.",
        constants,
        *("bonus_threshold", "bonus_least_games"),
    )
    yield _said(
        "no-bonus",
        "There is no bonus with fewer than {bonus_games:g} games, or for a player who met one opponent {repeats}.",
        constants,
        *("bonus_games", "bonus_meetings", "bonus_meetings_in_three"),
        repeats=bonus_repeats(constants),
    )


def _floors(constants: Constants) -> Iterator[_Said]:
    yield _said("absolute", "No rating is below {absolute_floor:g}.", constants, "absolute_floor")
    if constants.personal_floor_is_used:
        yield _said(
            "personal",
            "Over the board it is {absolute_floor:g} + {personal_per_win:g} for a win + {personal_per_draw:g} for a "
            "draw + {personal_per_event:g} for an event of {personal_event_games:g} games or more, at most "
            "{personal_floor_top:g}.",
            constants,
            *("personal_floor_is_used", "personal_per_win", "personal_per_draw", "personal_per_event"),
            *("personal_event_games", "personal_floor_top", "absolute_floor"),
        )
    yield _peak(constants)
    yield _said(
        "life-master",
        "Original Life Masters, established at {life_master_level:g} or more for {life_master_games:,} games, have a "
        "Regular floor of {life_master_level:g}.",
        constants,
        *("life_master_level", "life_master_games"),
    )
    yield _said(
        "money",
        "A prize of ${money_prize:,.0f} or more in a section under {money_highest:g} or a lower limit sets a floor at "
        "that limit, in steps of {peak_step:g}.",
        constants,
        *("money_prize", "money_highest", "peak_step"),
    )


def _peak(constants: Constants) -> _Said:
    """Floors by peak, of all time and since the day from which the lower ones are earned (§5)."""
    lowest = "at no level"
    if math.isfinite(constants.peak_lowest):
        lowest = f"from {constants.peak_lowest:g} to {constants.peak_highest:g}"
    newer = ""
    if math.isfinite(constants.peak_lowest_since_2010):
        newer = f" (from {constants.peak_lowest_since_2010:g} for peaks since {PEAKS_COUNT_FROM})"
    return _said(
        "peak",
        "Established players have a floor at the {peak_step:g}-point level {peak_drop:g} below their highest "
        "established rating, {lowest}{newer}.",
        constants,
        *("peak_drop", "peak_step", "peak_lowest", "peak_highest", "peak_lowest_since_2010"),
        lowest=lowest,
        newer=newer,
    )


def _matches(constants: Constants) -> Iterator[_Said]:
    conditions = match_conditions(constants)
    yield _said(
        "match-conditions",
        "{conditions} There is no bonus.",
        constants,
        *("match_needs_established", "match_published_gap"),
        conditions=conditions,
    )
    yield _said(
        "match-limits",
        "Matches change a rating by at most: {limits}.",
        constants,
        *("match_change", "match_half_year", "match_half_year_days", "match_three_years", "match_years"),
        limits=match_limits(constants),
    )
    if constants.floor_request_drop:
        yield _said(
            "floor-request",
            "A player whom a match takes to the floor is taken to ask for a floor {floor_request_drop:g} points lower; "
            "the office decides.",
            constants,
            "floor_request_drop",
        )


def _foreign(constants: Constants) -> Iterator[_Said]:
    yield _said(
        "foreign-conditions",
        "{conditions}",
        constants,
        *("foreign_needs_established", "foreign_automatic_from"),
        conditions=foreign_conditions(constants),
    )
    yield _said(
        "foreign-youth",
        "Opponents count at their converted FIDE ratings, in youth events at {converted}; the standard formula with "
        "bonus is applied once.",
        constants,
        "fide_youth",
        converted=converted_by(constants.fide_youth, "FIDE"),
    )


def _lists(edition: Edition) -> Iterator[_Said]:
    rule = edition.lists
    cut_off = ""
    if rule.cutoff_week:
        day = f"{ORDINALS[rule.cutoff_week]} {WEEKDAYS[rule.cutoff_weekday]}"
        cut_off = f", made on the {day} of the month before"
    text = "Official ratings appear in {lists_a_year} supplements a year{cut_off}, from {fewest_games:g} games on."
    values = {"lists_a_year": rule.lists_a_year, "cut_off": cut_off, "fewest_games": rule.fewest_games}
    yield _Said(Template("rules:lists", text).say(**values), ("lists",))
