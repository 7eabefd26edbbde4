"""What a file says of members that the record knows otherwise, or not at all: told, and never taken for granted.

Also what differs between two versions of an event or a section, in sentences a director understands.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from crosstable.checks.findings import section_place
from crosstable.checks.players import limit_of
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.formulas.outcome import money_floor, official_rating
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.published import Published
from crosstable.office.sections import EventFact, SectionRows
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import RatingSystem, Report, ReportedPlayer, ReportedSection, Section


def differing(
    published: Published, player: ReportedPlayer, brought: ReportedPlayer, person: Person, section: Section
) -> Iterator[Said]:
    """What to tell of a player as the file has them (``player``) and as the record does (``brought``, ``person``).

    Whether a birth date is the stored one is for the office alone (``birth_differences``): whoever could ask it of a
    file after the other would find the date.
    """
    what = [*_facts(player, person, section), *_ratings(published, player, brought, section)]
    known, fide = brought.background, player.background.fide
    listed = person.fide and known.fide is not None and known.fide in person.fide
    if fide is not None and listed and known.fide is not None and known.fide.rating != fide.rating:
        what.append(f"FIDE rating {fide.rating:g}, on record {known.fide.rating:g}")
    if what:
        yield Said("record-differs", {"what": "; ".join(what)})
    if fide is not None and not listed and _counts(player, brought, section):
        yield Said("fide-not-on-record", {"rating": fide.rating})
    notices = list(_notices(player, person))
    if notices:
        yield Said("cfc-notice", {"what": "; ".join(notices)})


def _facts(player: ReportedPlayer, person: Person, section: Section) -> Iterator[str]:
    own = player.background
    has_birth = person.birth_date is not None or person.birth_year is not None
    if not has_birth and (own.birth_date is not None or own.birth_year is not None):
        yield "birth date, on record none"
    if not has_birth and own.adult is not None and person.adult is None:
        yield "adult, on record unknown"
    if player.fide_flag and player.fide_flag.upper() != person.fide_flag.upper():
        yield f"FIDE flag {player.fide_flag}, on record {person.fide_flag or 'none'}"
    until = person.member_until
    if player.is_member is not None and until is not None and player.is_member is not (until >= section.end):
        yield "membership"


def _ratings(published: Published, player: ReportedPlayer, brought: ReportedPlayer, section: Section) -> Iterator[str]:
    """Ratings before the section that are neither the live nor the published ones."""
    for system, said in player.background.standings.items():
        kept, shown = brought.background.standings.get(system), official_rating(said.rating)
        if kept is not None and official_rating(kept.rating) == shown:
            continue
        if published.before(brought.member_id, system, section.start) != shown:
            known = "none" if kept is None else str(official_rating(kept.rating))
            yield f"{system.title} rating {shown}, on record {known}"


def _counts(player: ReportedPlayer, brought: ReportedPlayer, section: Section) -> bool:
    """Whether a FIDE rating matters: to somebody who is rated abroad, or who is unrated."""
    if section.kind.is_foreign:
        return bool(player.is_rated)
    systems: set[RatingSystem] = set(section.systems)
    return not systems <= set(brought.background.standings)


def _notices(player: ReportedPlayer, person: Person) -> Iterator[str]:
    cfc = player.background.cfc
    if cfc is not None and all(known.rating != cfc.rating for known in person.cfc):
        yield f"CFC rating {cfc.rating:g}"
    if player.background.canadian_resident and not person.canadian_resident:
        yield "lives in Canada"


def birth_differences(record: Record, report: Report) -> list[Fault]:
    """Birth dates, years of birth and marks of adults that are not the stored ones: for the office's eyes."""
    rows = [
        (section_place(section, at).row(player, row), player)
        for at, section in enumerate(report.sections)
        for row, player in enumerate(section.players)
    ]
    people = record.people([record.one_id(player.member_id) for _, player in rows if player.member_id])
    found = []
    for place, player in rows:
        person, own = people.get(record.one_id(player.member_id)), player.background
        if person is None:
            continue
        year = person.birth_year if person.birth_date is None else person.birth_date.year
        pairs = (
            ("birth date", own.birth_date, person.birth_date),
            ("year of birth", own.birth_year, year),
            ("adult", own.adult, person.adult),
        )
        what = [words for words, said, kept in pairs if None not in (said, kept) and said != kept]
        if what:
            found.append(fault("record-differs", place, what=", ".join(what)))
    return found


class WonPrize(NamedTuple):
    """A prize that sets a money floor (§5): who won it, how much, under which limit, and the floor."""

    player: ReportedPlayer
    amount: float
    limit: float
    level: float


def prizes_in(section: ReportedSection, end: date) -> list[WonPrize]:
    """Prizes of a section that set a floor, as its report tells them.

    A player's ``prize`` and ``prize_limit``, and a section's ``rating_limit``, stand among the details; without a limit
    the section's name may say it.
    """
    constants = edition_for(max(end, EDITIONS[0].effective)).constants
    limit_of_all = _number(section.details.get("rating_limit", "")) or limit_of(section.name) or 0.0
    found = []
    for player in section.players:
        amount = _number(player.details.get("prize", ""))
        limit = _number(player.details.get("prize_limit", "")) or limit_of_all
        level = money_floor(constants, amount, limit) if amount and limit else -math.inf
        if level >= constants.absolute_floor:
            found.append(WonPrize(player, amount, limit, level))
    return found


def _number(text: str) -> float:
    """A number as people write it, 0 for none: ``$4,500``."""
    digits = text.replace("$", "").replace(",", "").strip()
    return float(digits) if re.fullmatch(r"\d{1,9}(\.\d+)?", digits) else 0.0


_WORDS = {
    "name": "the name",
    "kind": "the type",
    "is_online": "online",
    "time_controls": "the time control",
    "asked_systems": "the systems asked for",
    "systems": "the systems rated",
    "is_dual_control": "rated in two systems",
    "is_half_k": "half K",
    "match_waiver": "the match waiver",
    "started": "the start",
    "ended": "the end",
}
_NOT_THERE = "nothing"
# Particulars of a row have one word ("details", "fide"); rounds, names and member ids have two or more.
_PARTICULAR = re.compile(r"\): \w+ was ")
# So do those of an event or a section: who directed it, and how they are reached, may stand among them.
_DETAIL = re.compile(r"(the event|section \d+): detail ")


def differences(old: SectionRows | None, new: SectionRows | None) -> list[str]:
    """Every difference between two versions of a section; one of them may be missing."""
    if old is None or new is None:
        there = new or old
        assert there is not None
        what = "is new" if old is None else "is no longer there"
        return [f"section {there.heading['number']} {what} ({len(there.entries)} players)"]
    where = f"section {old.heading['number']}"
    return [f"{where}: {text}" for text in (*_heading(old.heading, new.heading), *_entries(old.entries, new.entries))]


def event_differences(event: EventFact, said: Report) -> list[str]:
    """What another version says of the event itself; where it says nothing, nothing differs."""
    found = []
    for word, was, now in (
        ("name", event.name, said.name),
        ("start", event.started, said.start),
        ("end", event.ended, said.end),
    ):
        if now and now != was:
            found.append(f"the {word} of the event was {_shown(was)} and is {now}")
    return found + [f"the event: {text}" for text in _details(event.details, {**event.details, **said.details})]


def _details(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"detail {name} was {_shown(old.get(name))} and is {_shown(new.get(name))}"


def public_differences(found: Iterable[str]) -> list[str]:
    """Differences without the particulars of persons: contacts and birth dates may stand among them."""
    said = []
    for text in found:
        detail, particular = _DETAIL.match(text), _PARTICULAR.search(text)
        if detail is not None:
            said.append(f"{detail[1]}: other particulars changed")
        else:
            said.append(text if particular is None else f"{text[: particular.start()]}): other particulars changed")
    return list(dict.fromkeys(said))


def _heading(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name, word in _WORDS.items():
        if old[name] != new[name]:
            yield f"{word} was {_shown(old[name])} and is {_shown(new[name])}"
    yield from _details(*(json.loads(one["details"]) for one in (old, new)))


def _entries(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before, after = _by_number(old), _by_number(new)
    for number in sorted(before.keys() | after.keys()):
        if number not in after:
            yield f"player {number} ({before[number]['name']}) is no longer there"
        elif number not in before:
            yield f"player {number} ({after[number]['name']}) is new"
        else:
            yield from _entry(number, before[number], after[number])
    if [one for one in before if one in after] != [one for one in after if one in before]:
        yield "the rows stand in another order"


def _by_number(rows: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Rows by number; rows without one are counted downward, so that they still can be compared."""
    return {(-1 - row["row"] if row["number"] is None else row["number"]): row for row in rows}


def _entry(number: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    who = f"player {number} ({new['name']})"
    for name, word in (("member_id", "member id"), ("name", "name")):
        if old[name] != new[name]:
            yield f"{who}: the {word} was {_shown(old[name])} and is {_shown(new[name])}"
    before, after = old["rounds"].split(), new["rounds"].split()
    for at in range(max(len(before), len(after))):
        was, now = (cells[at] if at < len(cells) else _NOT_THERE for cells in (before, after))
        if was != now:
            yield f"{who}: round {at + 1} was {was} and is {now}"
    extra, later = (json.loads(row["extra"] or "{}") for row in (old, new))
    for name in sorted(extra.keys() | later.keys()):
        if name == "total" and not (name in extra and name in later):
            continue  # a result put right leaves no stated total: that says nothing new
        if extra.get(name) != later.get(name):
            yield f"{who}: {name} was {_shown(extra.get(name))} and is {_shown(later.get(name))}"


def _shown(value: object) -> str:
    return _NOT_THERE if value is None or value == "" else str(value)
