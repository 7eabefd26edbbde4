"""The rows of a section: numbers, ids, re-entries, memberships, what each player brings; and what an entry list shows.

An entry list is checked before round 1; players who differ from everybody else are named then or later.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from crosstable.checks.controls import Timing
from crosstable.checks.findings import SectionPlace, section_number, section_place
from crosstable.engine.records import Assumption
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.formulas.foreign import is_automatic
from crosstable.limits import (
    FAR_ABOVE_THE_REST,
    FEWEST_TO_STAND_OUT,
    MEMBER_ID_DIGITS,
    MOST_FROM_OTHER_STATES,
    MOST_ROUNDS,
    NARROWEST_RANGE,
    YEARS_FROM_THE_REST,
)
from crosstable.rules.constants import Constants
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import (
    GAME_SCORES,
    Background,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
    SectionType,
    is_of_usa,
)

# Where ratings come from that are an office's own: its counts are not a report's to correct.
OWN_RECORD = "office"

# What no entry list has to have yet, and what is said otherwise of it.
NOT_YET = frozenset(
    {"no-time-control", "no-dates", "in-the-future", "re-entry", "re-entry-differs", "re-entry-same-round"}
)
# Patterns are compiled when first used: only entry lists need them.
_UNDER = r"(?ai)\b(?:U|Under|Below)[ ./-]{0,2}(\d{3,4})\b"
_RANGE = r"(?a)(?<!\d)(\d{3,4}) ?[-\N{EN DASH}] ?(\d{3,4})(?!\d)"
_DAYS_OF_A_YEAR = 365.25


def player_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Every fault of a section's rows, their games apart."""
    if not section.players:
        return [fault("no-player", place.whole)]
    faults = []
    numbers = Counter(player.number for player in section.players if player.number is not None)
    for number, count in numbers.items():
        if count > 1:
            faults.append(fault("duplicate-number", place.whole, number=number, rows=count))
    for at, player in enumerate(section.players):
        faults += [fault(key, place.row(player, at), **values) for key, values in _row_faults(player)]
    faults += _blank_id_faults(section, place)
    faults += _re_entry_faults(section, place)
    return faults


def _row_faults(player: ReportedPlayer) -> list[Said]:
    """What is wrong with a row by itself."""
    found = []
    if player.number is None:
        found.append(Said("no-number", {}))
    if player.member_id and not _is_member_id(player.member_id):
        found.append(Said("member-id-shape", {"given": player.member_id}))
    if len(player.cells) > MOST_ROUNDS:
        found.append(Said("too-many-rounds", {"rounds": len(player.cells)}))
    for system, standing in player.background.standings.items():
        if player.background.origin != OWN_RECORD:
            found += _count_faults(system, standing)
    start = player.background.given_start
    if start is not None:
        found.append(Said("start-given", {"rating": start.rating, "games": start.games}))
    return found


def _is_member_id(text: str) -> bool:
    return len(text) == MEMBER_ID_DIGITS and text.isascii() and text.isdigit()


def _count_faults(system: RatingSystem, standing: PlayerRating) -> list[Said]:
    """More results than games: half-K games count half, so up to twice as many can be."""
    results = (standing.wins or 0) + (standing.draws or 0) + (standing.losses or 0)
    if standing.games is None or results <= standing.games:
        return []
    code = "counts-half-k" if results <= 2 * standing.games else "counts-disagree"
    return [Said(code, {"system": system.name, "results": results, "games": standing.games})]


def low_rating_faults(section: ReportedSection, place: SectionPlace, constants: Constants) -> list[Fault]:
    """Ratings below the absolute floor (§5), which are none; readers take a list's 0 for unrated."""
    lowest = min(constants.absolute_floor, LOWEST_FLOOR)
    faults = []
    for at, player in enumerate(section.players):
        own = player.background
        ratings = {f"{system.name} rating": standing.rating for system, standing in own.standings.items()}
        outside = {"FIDE rating": own.fide, "CFC rating": own.cfc, "starting rating": own.given_start}
        ratings |= {what: one.rating for what, one in outside.items() if one is not None}
        if player.pairing_rating:
            ratings["pairing rating"] = player.pairing_rating
        low = {what: rating for what, rating in ratings.items() if rating < lowest}
        for what, rating in low.items():
            faults.append(fault("rating-too-low", place.row(player, at), what=what, rating=rating, lowest=lowest))
    return faults


def _re_entry_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    rows: dict[str, list[ReportedPlayer]] = {}
    for player in section.players:
        if player.member_id:
            rows.setdefault(player.member_id, []).append(player)
    faults = []
    for member_id, players in rows.items():
        if len(players) < 2:
            continue
        numbers = " and ".join(str(player.number) for player in players)
        here = place.row(players[1])
        who = {"member_id": member_id, "rows": numbers}
        faults.append(fault("re-entry", here, **who))
        if len({repr(player.background) for player in players}) > 1:
            faults.append(fault("re-entry-differs", here, **who))
        if both := _rounds_of_both(players):
            faults.append(fault("re-entry-same-round", here, round_number=both[0] + 1, **who))
    return faults


def _rounds_of_both(players: Sequence[ReportedPlayer]) -> list[int]:
    """The rounds, counted from 0, in which more than one row has a game."""
    rounds = Counter(at for player in players for at, cell in enumerate(player.cells) if cell.result in GAME_SCORES)
    return sorted(at for at, count in rounds.items() if count > 1)


def _blank_id_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Players without a member id: one fault each, or one in all where nobody has one; opponents abroad need none."""
    blank = []
    needed = 0
    for at, player in enumerate(section.players):
        if player.is_rated or not section.kind.is_foreign:
            needed += 1
            if not player.member_id:
                blank.append(at)
    if 1 < needed == len(blank):
        return [fault("no-member-id:all", place.whole, players=needed)]
    return [fault("no-member-id:player", place.row(section.players[at], at)) for at in blank]


def brought(section: ReportedSection, player: ReportedPlayer, constants: Constants, when: Timing) -> Background:
    """What a player brings, with what had to be taken for granted about it."""
    background = player.background
    assumed = [*background.assumed, *when.assumed]
    if background.given_start is not None:
        assumed.append(Assumption.START_BY_HAND)
    if section.match_waiver and section.kind is SectionType.MATCH:
        assumed.append(Assumption.MATCH_WAIVED)
    if section.kind.is_foreign:
        assumed += _assumed_abroad(player, constants)
    if section.kind is SectionType.MATCH and any(s.published is None for s in background.standings.values()):
        assumed.append(Assumption.PUBLISHED)
    if not section.kind.is_foreign and when.control is None and _k_may_be_smaller(background, constants, when):
        assumed.append(Assumption.NO_CONTROL)
    return background._replace(assumed=tuple(assumed))


def _k_may_be_smaller(background: Background, constants: Constants, when: Timing) -> bool:
    """Whether a dual-rated control, which nothing rules out, would make a player's K smaller (§4.2)."""
    if when.is_dual or RatingSystem.OTBR not in when.systems or not constants.dual_k_is_reduced:
        return False
    ratings = [standing.rating for standing in background.standings.values()]
    ratings += [outside.rating for outside in (background.fide, background.cfc) if outside is not None]
    return max(ratings, default=0.0) > constants.dual_k_above


def _assumed_abroad(player: ReportedPlayer, constants: Constants) -> list[Assumption]:
    """What a file leaves open of the conditions (§6): a member, under the USA flag or included by the office."""
    has_flag = is_of_usa(player.fide_flag)
    assumed = []
    if player.is_member is None or (player.fide_flag is None and not player.has_opted_in):
        assumed.append(Assumption.FOREIGN_MEMBER)
    elif not has_flag:
        assumed.append(Assumption.FOREIGN_FLAG)
    fide = player.background.fide
    needs_opting_in = not is_automatic(constants, math.nan if fide is None else fide.rating, has_flag)
    if player.is_rated and player.has_opted_in and has_flag and needs_opting_in:
        assumed.append(Assumption.OPTED_IN)
    return assumed


# Titles whose holders from other federations play without a membership.
EXEMPT_TITLES = frozenset({"GM", "IM", "WGM", "WIM"})
# Sections whose players need none: JTP, and sanctioned state games.
EXEMPT_CODINGS = ("JTP", "STATEGAMES")


def membership_faults(
    section: ReportedSection,
    place: SectionPlace,
    until: Mapping[str, date],
    end: date | None,
    code: str = "membership",
) -> list[Fault]:
    """Players whose membership ended before the section did; ``until`` has its last day by id.

    What a file says itself (``member``: false) counts too; foreign events have conditions of their own (§6). Who was
    a member on the section's last day or has renewed since passes (official facts §6).
    """
    coding = "".join(filter(str.isalpha, section.details.get("coding", ""))).upper()
    if section.kind.is_foreign or coding.startswith(EXEMPT_CODINGS):
        return []
    faults = []
    for at, player in enumerate(section.players):
        last = until.get(player.member_id)
        if last is not None and end is not None and last < end:
            found = fault(f"{code}:expired", place.row(player, at), until=last, end=end)
        elif last is None and player.is_member is False:
            found = fault(f"{code}:none", place.row(player, at))
        else:
            continue
        if not _is_exempt(player):
            faults.append(found)
    return faults


def _is_exempt(player: ReportedPlayer) -> bool:
    """House players, and masters of other federations."""
    details = player.details
    federation = (player.fide_flag or details.get("federation", "")).upper()
    is_foreign_master = details.get("title", "").upper() in EXEMPT_TITLES and federation not in ("", "USA")
    return is_foreign_master or bool(details.get("exemption"))


_GENERATIONS = frozenset({"", "jr", "sr", "ii", "iii", "iv"})
# Names less alike than this are probably two people.
ALIKE = 0.45


def are_alike(one: str, other: str) -> bool:
    """Whether two names may be those of one person; a missing name contradicts nobody."""
    return not one or not other or likeness(one, other) >= ALIKE


def likeness(one: str, other: str) -> float:
    """How much two names are alike, 0 to 1, whatever their order and case."""
    from difflib import SequenceMatcher  # few files ask, and every start would wait for it

    first, second = (" ".join(sorted(name.casefold().replace(",", " ").split())) for name in (one, other))
    return SequenceMatcher(None, first, second).ratio()


def agree(one: str, other: str) -> bool:
    """Whether two names say the same: each word of the shorter begins one of the other, or is begun by it."""
    words = [_words(name) for name in (one, other)]
    shorter, longer = sorted(words, key=len)
    return all(any(word.startswith(its) or its.startswith(word) for its in longer) for word in shorter)


def _words(name: str) -> set[str]:
    """The words of a name in plain letters, without Jr. and the like."""
    from unicodedata import normalize

    plain = normalize("NFKD", name).encode("ascii", "ignore").decode().casefold().replace("'", "")
    return set(re.split(r"[^a-z0-9]+", plain)) - _GENERATIONS


def entry_faults(report: Report, at: int) -> list[Fault]:
    """What is wrong with the entries of a section: entered twice, over its limit, unrated."""
    section = report.sections[at]
    place = section_place(section, at)
    faults = []
    limit = limit_of(section.name)
    ratings = [_rating(player) for player in section.players]
    for row, (player, rating) in enumerate(zip(section.players, ratings, strict=True)):
        if rating is None and any(ratings):
            faults.append(fault("unrated-player", place.row(player, row)))
        elif rating is not None and limit is not None and rating >= limit:
            faults.append(fault("over-limit", place.row(player, row), rating=rating, section=section.name))
    return [*faults, *_duplicates(report, at, place)]


def limit_of(name: str) -> float | None:
    """The first rating that is too high for a section by its name: 1600 for U1600, 2000 for 1600-1999; or none."""
    tops = [float(found[1]) for found in re.finditer(_UNDER, name)]
    spans = [(int(found[1]), int(found[2])) for found in re.finditer(_RANGE, name)]
    return max([*tops, *(high + 1.0 for low, high in spans if high - low >= NARROWEST_RANGE)], default=None)


def _rating(player: ReportedPlayer) -> float | None:
    """The highest Regular rating that is known of a player, or of the systems that they have."""
    standings = player.background.standings
    record = standings.get(RatingSystem.OTBR) or next(iter(standings.values()), None)
    known = [player.pairing_rating] if record is None else [player.pairing_rating, record.rating, record.published]
    return max((rating for rating in known if rating), default=None)


def _duplicates(report: Report, at: int, place: SectionPlace) -> list[Fault]:
    """Entries of somebody who stands further up too: by the same id, or by the same name where one has no id."""
    ids: dict[str, tuple[int, int | None]] = {}
    names: dict[str, tuple[int, int | None, str]] = {}
    faults = []
    for number, section in enumerate(report.sections[: at + 1]):
        for row, player in enumerate(section.players):
            name = " ".join(player.name.replace(",", " ").casefold().split())
            earlier = ids.get(player.member_id) if player.member_id else None
            if name in names and not (player.member_id and names[name][2]):
                earlier = earlier or names[name][:2]
            if earlier is not None and number == at:
                there, other = earlier
                kind = "section" if there == at else "event"
                values = {"who": player.name or player.member_id}
                values["other"] = str(other if there == at else section_number(report.sections[there], there))
                faults.append(fault(f"duplicate-entry:{kind}", place.row(player, row), **values))
            if player.member_id:
                ids.setdefault(player.member_id, (number, player.number))
            if name:
                names.setdefault(name, (number, player.number, player.member_id))
    return faults


def odd_ones_out(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Players whose state, rating or age differs from everybody else's: the ids of other people often show so."""
    players = section.players
    ratings = {at: rating for at, player in enumerate(players) if (rating := _rating(player)) is not None}
    births = {at: born.toordinal() / _DAYS_OF_A_YEAR for at, p in enumerate(players) if (born := p.background.born)}
    found = _out_of_state({at: player.state.upper() for at, player in enumerate(players) if player.state})
    for at, above in _apart(ratings, FAR_ABOVE_THE_REST):
        found.append((at, Said("odd-one-out:rating", {"rating": ratings[at], "above": above})))
    for side, years in (("younger", births), ("older", {at: -born for at, born in births.items()})):
        for at, apart in _apart(years, YEARS_FROM_THE_REST):
            found.append((at, Said(f"odd-one-out:{side}", {"years": int(apart)})))
    return [fault(said.key, place.row(players[at], at), **said.values) for at, said in found]


def _out_of_state(states: Mapping[int, str]) -> list[tuple[int, Said]]:
    usual, count = Counter(states.values()).most_common(1)[0] if states else ("", 0)
    if len(states) < FEWEST_TO_STAND_OUT or len(states) - count > MOST_FROM_OTHER_STATES:
        return []
    most = {"count": count, "players": len(states), "usual": usual}
    others = [(at, state) for at, state in states.items() if state != usual]
    return [(at, Said("odd-one-out:state", {"state": state, **most})) for at, state in others]


def _apart(values: Mapping[int, float], limit: float) -> list[tuple[int, float]]:
    """Whose value is more than a limit above the next, and by how much."""
    if len(values) < FEWEST_TO_STAND_OUT:
        return []
    top, second = sorted(values, key=lambda at: -values[at])[:2]
    above = values[top] - values[second]
    return [(top, above)] if above > limit else []
