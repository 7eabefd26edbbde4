"""Before round 1: what an entry list shows, and, then or later, players who differ from everybody else."""

import re
from collections import Counter
from collections.abc import Mapping

from crosstable.checks.findings import SectionPlace, section_number, section_place
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.limits import (
    FAR_ABOVE_THE_REST,
    FEWEST_TO_STAND_OUT,
    MOST_FROM_OTHER_STATES,
    NARROWEST_RANGE,
    YEARS_FROM_THE_REST,
)
from crosstable.terms import RatingSystem, Report, ReportedPlayer, ReportedSection

# What no entry list has to have yet, and what is said otherwise of it.
NOT_YET = frozenset(
    {"no-time-control", "no-dates", "in-the-future", "re-entry", "re-entry-differs", "re-entry-same-round"}
)
# Patterns are compiled when first used: only entry lists need them.
_UNDER = r"(?ai)\b(?:U|Under|Below)[ ./-]{0,2}(\d{3,4})\b"
_RANGE = r"(?a)(?<!\d)(\d{3,4}) ?[-\N{EN DASH}] ?(\d{3,4})(?!\d)"
_DAYS_OF_A_YEAR = 365.25


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
