"""What one click can put right: for a finding about a draft, changes of the draft with a label for the button.

A change is a path into the draft and the new value; ``None`` takes out what is there.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta

from crosstable.checks.players import are_alike
from crosstable.errors import Fault
from crosstable.formats.event_json import read_cell
from crosstable.pipeline.drafts import Change, Fix, Neighbors, Path, Spot
from crosstable.sentences import american, american_days
from crosstable.terms import AS_ONE_SIDED, MIRRORED, POINTS, ReportedCell, Result, total

USUAL_CONTROLS = ("G/90;d5", "G/60;d5", "G/45;d5", "G/30;d5", "G/15;d5", "G/5;d0", "90+30")
MOST_MEMBERS = 5
_OTHER_COLOR = {"w": "b", "b": "w", "": ""}
# Which column or field of the draft a finding is about, where it is not a cell.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "member_id": (
        *("member-id-shape", "no-member-id", "id-needed", "member-not-known", "not-in-members-file", "other-name"),
        *("re-entry", "re-entry-same-round", "id-with-two-names", "odd-one-out", "membership", "not-a-member"),
        *("far-from-performance", "duplicate-entry"),
    ),
    "name": ("duplicate-name",),
    "number": ("no-number", "duplicate-number"),
    "rating": (
        *("rating-too-low", "counts-disagree", "counts-half-k", "re-entry-differs", "unrated-player", "bad-value"),
        *("rating-not-known", "no-ratings", "all-unrated", "fide-ratings-only", "list-after-end", "list-after-start"),
    ),
    "time_control": (
        *("no-time-control", "time-control-not-read", "time-control-not-rated", "delay-not-given", "delays-differ"),
        *("systems-disagree", "system-code", "systems-named", "long-days", "system-not-in-force"),
    ),
    "start_date": ("start-not-read", "dates-reversed", "section-outside-event", "no-rules", "half-k"),
    "end_date": ("no-dates", "end-not-read", "in-the-future", "long-section", "late-report"),
    "type": ("two-player-section", "match-players", "match-not-eligible"),
}
# What of the event as a whole a click leaves out.
_OF_EVENTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "event-id-date": {"event id": ("id",)},
    "event-id-shape": {"event id": ("id",)},
    "affiliate-id-shape": {"affiliate": ("details", "affiliate")},
}
# Findings about a row after which nothing but the rest of the event can be rated.
_OF_WHOLE_SECTIONS = ("too-many-rounds", "before-opening")
_FIELD_OF = {code: field for field, codes in _FIELDS.items() for code in codes}


def field_of(code: str) -> str:
    """The column or field that a finding is about; empty where it is a cell, or nothing in particular."""
    return _FIELD_OF.get(code, "")


def other_spot(code: str, spot: Spot | None, near: Neighbors) -> Spot | None:
    """The other cell of a game whose two rows do not agree."""
    if code not in ("not-mirrored", "same-colour") or spot is None or spot.row is None:
        return None
    if spot.round is None:
        return next((other for _, other in _unanswered(spot, near)), None)
    return near.row_of(spot, near.cell(spot).opponent)


def cell_of(code: str, spot: Spot | None, near: Neighbors) -> Spot | None:
    """The cell that a finding about a row means, where it is a game whose two rows do not agree."""
    if code != "not-mirrored" or spot is None or spot.row is None or spot.round is not None:
        return spot
    return next((own for own, _ in _unanswered(spot, near)), spot)


def fixes_for(found: Fault, spot: Spot | None, near: Neighbors) -> Iterator[Fix]:
    """Every change that may be what the director means, the likeliest first."""
    if spot is None:
        yield from _of_event(found.code, near)
        return
    if spot.row is not None and spot.round is not None and found.code in _OF_CELLS:
        yield from _OF_CELLS[found.code](spot, near)
    elif spot.row is not None and found.code in _OF_ROWS:
        yield from _OF_ROWS[found.code](spot, near)
    elif found.code in _OF_SECTIONS:
        yield from _OF_SECTIONS[found.code](spot, near)
    if found.severity.stops and (spot.row is None or found.code in _OF_WHOLE_SECTIONS):
        name = near.section(spot).get("name") or f"section {spot.section + 1}"
        yield Fix(f"Leave {name} out", ((("event", "sections", spot.section), None),))


def _of_event(code: str, near: Neighbors) -> Iterator[Fix]:
    if code == "other-affiliate":
        said = {"affiliate": near.own.affiliate_id, "affiliate_name": near.own.name or None}
        changes = tuple((("event", "event", "details", name), value) for name, value in said.items())
        yield Fix(f"Send it for {near.own.name or near.own.affiliate_id}", changes)
    for word, names in _OF_EVENTS.get(code, {}).items():
        yield Fix(f"Leave the {word} out", ((("event", "event", *names), None),))


# Cells.


def _set(spot: Spot, text: str) -> Change:
    assert spot.row is not None
    assert spot.round is not None
    return ("event", "sections", spot.section, "players", spot.row, "rounds", spot.round), text


def _text(result: Result, opponent: int, color: str) -> str:
    return f"{result.value}{opponent or ''}{color}"


def _answering(near: Neighbors, spot: Spot, of: ReportedCell, opponent: Spot) -> str:
    """What a cell must be to answer the game that an opponent's cell shows."""
    assert of.result is not None
    number = near.player(opponent).get("number") or 0
    return _text(MIRRORED[of.result], number, _OTHER_COLOR[of.colour] or near.cell(spot).colour)


def _name(near: Neighbors, spot: Spot) -> str:
    player = near.player(spot)
    return str(player.get("name") or f"player {player.get('number')}")


def _mirror(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Believe this row, or the other; or take both as they are, each on its own row."""
    cell = near.cell(spot)
    other = near.row_of(spot, cell.opponent)
    if other is None or cell.result not in MIRRORED:
        return
    theirs = near.cell(other)
    here = _answering(near, other, cell, spot)
    yield Fix(f"{_name(near, spot)} is right: {_name(near, other)} {here}", (_set(other, here),))
    if theirs.result in MIRRORED and theirs.opponent == near.player(spot).get("number"):
        there = _answering(near, spot, theirs, other)
        yield Fix(f"{_name(near, other)} is right: {_name(near, spot)} {there}", (_set(spot, there),))
        each = [
            _set(at, _text(AS_ONE_SIDED[one.result], one.opponent, one.colour))
            for at, one in ((spot, cell), (other, theirs))
            if one.result in AS_ONE_SIDED
        ]
        yield Fix("They disagree: rate each row by itself", tuple(each))
    yield from _answer_others(spot, near)
    rows = (spot, other) if theirs.opponent == near.player(spot).get("number") else (spot,)
    yield Fix("Not played", tuple(_set(at, Result.UNPAIRED.value) for at in rows))


def _unanswered(spot: Spot, near: Neighbors) -> Iterator[tuple[Spot, Spot]]:
    """Games of a row that the opponent shows otherwise, in whatever round, as round robins may have them."""
    number = near.player(spot).get("number")
    for at in range(len(near.player(spot).get("rounds", ()))):
        cell = near.cell(spot._replace(round=at))
        other = near.row_of(spot, cell.opponent) if cell.result in MIRRORED else None
        if other is None:
            continue
        theirs = [other._replace(round=place) for place in range(len(near.player(other).get("rounds", ())))]
        naming = [one for one in theirs if near.cell(one).opponent == number]
        if naming and not any(near.cell(one).result is MIRRORED[cell.result or Result.DRAW] for one in naming):
            yield spot._replace(round=at), naming[0]


def _pair(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The same in a round robin, whose rounds need not agree."""
    for own, other in _unanswered(spot, near):
        for right, wrong in ((own, other), (other, own)):
            text = _answering(near, wrong, near.cell(right), right)
            yield Fix(f"{_name(near, right)} is right: {_name(near, wrong)} {text}", (_set(wrong, text),))


def _answer_others(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Make the cell answer a row that names this player in the round."""
    for other, cell in near.naming(spot):
        here = _answering(near, spot, cell, other)
        if near.player(other).get("number") != near.cell(spot).opponent:
            yield Fix(f"{_name(near, spot)} played {_name(near, other)}: {here}", (_set(spot, here),))


def _settle(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """A cell that names nobody, or somebody who cannot be: who names this player, else not played."""
    cell = near.cell(spot)
    swapped = str(cell.opponent)[::-1]
    if len(swapped) > 1 and cell.result in MIRRORED:
        other = near.row_of(spot, int(swapped))
        if other is not None and near.cell(other).opponent == near.player(spot).get("number"):
            meant = _text(cell.result, int(swapped), cell.colour)
            yield Fix(f"Swap the digits: {meant}", (_set(spot, meant),))
    yield from _answer_others(spot, near)
    yield Fix("Not played", (_set(spot, Result.UNPAIRED.value),))


def _paired_twice(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The rows that name this player and are not named back were not played."""
    own = near.cell(spot).opponent
    for other, _ in near.naming(spot):
        if near.player(other).get("number") != own:
            yield Fix(f"{_name(near, other)} did not play {_name(near, spot)}", (_set(other, Result.UNPAIRED.value),))


def _two_sided(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Take the result of this row as the game's."""
    cell = near.cell(spot)
    other = near.row_of(spot, cell.opponent)
    both = {one: two for two, one in AS_ONE_SIDED.items()}
    if cell.result in both and other is not None:
        here = _text(both[cell.result], cell.opponent, cell.colour)
        there = _answering(near, other, read_cell(here), spot)
        yield Fix(f"{_name(near, spot)} is right: {here}", (_set(spot, here), _set(other, there)))


def _rounds(words: Callable[[int], str]) -> Callable[[Spot, Neighbors], Iterator[Fix]]:
    def made(spot: Spot, near: Neighbors) -> Iterator[Fix]:
        rounds = max((len(one.get("rounds", ())) for one in near.section(spot)["players"]), default=0)
        yield Fix(words(rounds), ((_field(spot, "details", "rounds"), str(rounds)),))

    return made


def _swap_color(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    cell = near.cell(spot)
    other = near.row_of(spot, cell.opponent)
    for at in (spot, other):
        if at is not None:
            one = near.cell(at)
            text = _text(one.result or Result.BLANK, one.opponent, _OTHER_COLOR[one.colour])
            words = "White" if _OTHER_COLOR[one.colour] == "w" else "Black"
            yield Fix(f"{_name(near, at)} had {words}", (_set(at, text),))


# Rows.


def _player(spot: Spot, field: str) -> Path:
    assert spot.row is not None
    return "event", "sections", spot.section, "players", spot.row, field


def _members(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Members with the name of the row; an id with two neighboring digits swapped stands first."""
    player = near.player(spot)
    given, name = str(player.get("member_id") or ""), str(player.get("name") or "")
    swapped = {given[:at] + given[at + 1] + given[at] + given[at + 2 :] for at in range(len(given) - 1)} - {given}
    found = dict(near.find(name)) if name else {}
    likely = [one for one in found if one != given and are_alike(name, found[one])]
    for one in sorted(likely, key=lambda one: one not in swapped)[:MOST_MEMBERS]:
        words = "Swap two digits" if one in swapped else "Choose"
        yield Fix(f"{words}: {found[one]}, {one}", ((_player(spot, "member_id"), one),))


def _no_id(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    yield from _members(spot, near)
    if near.player(spot).get("member_id"):
        yield Fix("Leave the id out", ((_player(spot, "member_id"), None),))


def _same_person(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """One name with two ids: give this row the other id, or the other row this one's."""
    player = near.player(spot)
    own = player.get("member_id")
    for at, section in enumerate(near.event["sections"]):
        for row, other in enumerate(section["players"]):
            theirs = other.get("member_id")
            if other.get("name") == player.get("name") and theirs != own:
                yield Fix(f"One person: {theirs}", ((_player(spot, "member_id"), theirs),))
                yield Fix(f"One person: {own}", ((_player(Spot(at, row, None), "member_id"), own),))
                return


def _number(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    taken = {one.get("number") for one in near.section(spot)["players"]}
    free = next(number for number in range(1, len(taken) + 2) if number not in taken)
    yield Fix(f"Give it number {free}", ((_player(spot, "number"), free),))


def _same_ratings(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The rows of one member bring what the first of them brings."""
    rows = near.section(spot)["players"]
    member = near.player(spot).get("member_id")
    same = [row for row, one in enumerate(rows) if one.get("member_id") == member]
    first = rows[same[0]]
    changes = tuple(
        (_player(spot._replace(row=row), field), first.get(field))
        for row in same[1:]
        for field in ("ratings", "hand", "pairing_rating", "birth_date", "birth_year", "adult")
    )
    yield Fix(f"Take those of row {first.get('number')}", changes)


def _sum(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    rounds = near.player(spot).get("rounds", [])
    cells = [near.cell(spot._replace(round=at)) for at in range(len(rounds))]
    points = total(POINTS.get(cell.result or Result.BLANK, 0.0) for cell in cells)
    yield Fix(f"The results are right: {points:g}", ((_player(spot, "total"), points),))


def _without(*fields: str) -> Callable[[Spot, Neighbors], Iterator[Fix]]:
    def made(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
        words = fields[0].replace("_", " ")
        yield Fix(f"Leave the {words} out", tuple((_player(spot, field), None) for field in fields))

    return made


def _unrated(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("Unrated", ((_player(spot, "hand"), "unrated"),))


# Sections.


def _field(spot: Spot, *names: str) -> Path:
    return ("event", "sections", spot.section, *names)


def _controls(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The usual time controls, and the one of another section first."""
    others = [str(one.get("time_control") or "") for one in near.event["sections"]]
    own = others[spot.section]
    for one in dict.fromkeys([*(other for other in others if other and other != own), *USUAL_CONTROLS]):
        yield Fix(one, ((_field(spot, "time_control"), one),))


def _delay(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    own = str(near.section(spot).get("time_control") or "")
    for delay in ("d5", "d0", "d3", "+30"):
        yield Fix(f"{own};{delay}", ((_field(spot, "time_control"), f"{own};{delay}"),))


def _by_control(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("Let the time control decide", ((_field(spot, "systems"), None),))


def _dates(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """A date that is known for the other end, for the event, or in the event's id."""
    section, event = near.section(spot), near.event.get("event", {})
    digits = re.match(r"(\d{4})(\d\d)(\d\d)", str(event.get("id") or ""))
    days = [section.get("start_date"), section.get("end_date"), event.get("start_date"), event.get("end_date")]
    if digits:
        days.append("-".join(digits.groups()))
    if not any(days):
        yield from _lately(spot, near.today)
    for day in dict.fromkeys(day for day in days if day):
        missing = [field for field in ("start_date", "end_date") if not section.get(field)]
        changes: list[Change] = [(_field(spot, field), day) for field in missing]
        # The event has the day too where it has none of its own.
        changes += [(("event", "event", field), day) for field in missing if event and not event.get(field)]
        if changes:
            yield Fix(f"One day: {_in_words(day)}", tuple(changes))


def _lately(spot: Spot, today: date) -> Iterator[Fix]:
    """The last weekend and today, where a file names no day at all."""
    sunday = today - timedelta(days=(today.weekday() + 1) % 7)
    saturday = sunday - timedelta(days=1)
    for start, end in dict.fromkeys([(saturday, sunday), (saturday, saturday), (sunday, sunday), (today, today)]):
        words = american_days(start, end) if start != end else f"{start:%A}, {american(start)}"
        yield Fix(words, ((_field(spot, "start_date"), start.isoformat()), (_field(spot, "end_date"), end.isoformat())))


def _in_words(day: str) -> str:
    """A date as people say it; what is none stays as it is."""
    try:
        return american(date.fromisoformat(day))
    except ValueError:
        return day


def _reversed(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    section, event = near.section(spot), near.event.get("event", {})
    start, end = (section.get(name) or event.get(name) for name in ("start_date", "end_date"))
    yield Fix("Swap the two dates", ((_field(spot, "start_date"), end), (_field(spot, "end_date"), start)))


def _event_days(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The dates of the event as its sections have them, or the section's as the event has them."""
    event = near.event.get("event", {})
    for field, pick in (("start_date", min), ("end_date", max)):
        days = [str(day) for one in near.event["sections"] if (day := one.get(field))]
        if days and event.get(field) not in (None, pick(days)):
            words = f"The event's {field.replace('_', ' ')} is {_in_words(pick(days))}"
            yield Fix(words, ((("event", "event", field), pick(days)),))
    gone = tuple((_field(spot, field), None) for field in ("start_date", "end_date"))
    yield Fix("The section has the dates of the event", gone)


def _kind(value: str, words: str) -> Callable[[Spot, Neighbors], Iterator[Fix]]:
    def made(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
        yield Fix(words, ((_field(spot, "type"), value),))

    return made


def _full_k(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("Rate it with full K", ((_field(spot, "k_factor"), None),))


def _pairing(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("Take the file's pairing ratings", ((("ratings", "pairing"), True),))


def _all_unrated(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("All of them are unrated", ((_field(spot, "details", "ratings"), None),))


def _renumber(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Sections numbered in their order."""
    changes = tuple((("event", "sections", at, "number"), at + 1) for at in range(len(near.event["sections"])))
    yield Fix("Number the sections 1, 2, 3 …", changes)


def _renumber_rows(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Rows whose number stands on an earlier row get a free one."""
    taken: set[int] = set()
    changes: list[Change] = []
    numbers = [one.get("number") for one in near.section(spot)["players"]]
    for row, number in enumerate(numbers):
        if number in taken:
            free = next(one for one in range(1, 2 * len(numbers) + 1) if one not in taken and one not in numbers)
            changes.append((_player(spot._replace(row=row), "number"), free))
            number = free
        taken.add(number or 0)
    yield Fix("Give the second row a free number", tuple(changes))


def _not_rated(spot: Spot, _near: Neighbors) -> Iterator[Fix]:
    yield Fix("Not rated here", ((_player(spot, "rate"), False),))


def _without_outside(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """Ratings of other federations are left out."""
    for federation in ("FIDE", "CFC"):
        if federation in (near.player(spot).get("ratings") or {}):
            yield Fix(f"Leave the {federation} rating out", (((*_player(spot, "ratings"), federation), None),))


def _too_low(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    """The lowest of the player's ratings cannot be one: that of another federation, or their own."""
    given = near.player(spot).get("ratings") or {}
    lowest = min(given, key=lambda name: given[name]["rating"], default="")
    yield from _without_outside(spot, near) if lowest in ("FIDE", "CFC") else _unrated(spot, near)


def _one_day(spot: Spot, near: Neighbors) -> Iterator[Fix]:
    section, event = near.section(spot), near.event.get("event", {})
    start = section.get("start_date") or event.get("start_date")
    if start and start != (section.get("end_date") or event.get("end_date")):
        yield Fix(f"One day: {_in_words(start)}", ((_field(spot, "end_date"), start),))


Make = Callable[[Spot, Neighbors], Iterator[Fix]]
_OF_CELLS: Mapping[str, Make] = {
    "not-mirrored": _mirror,
    "unknown-code": _settle,
    "no-opponent": _settle,
    "opponent-missing": _settle,
    "plays-self": _settle,
    "paired-twice": _paired_twice,
    "one-sided": _two_sided,
    "same-colour": _swap_color,
    "round-not-announced": _rounds(lambda rounds: f"The section has {rounds} rounds"),
}
_OF_ROWS: Mapping[str, Make] = {
    **dict.fromkeys(("other-name", "member-not-known", "not-in-members-file", "id-needed", "no-member-id"), _members),
    **dict.fromkeys(("re-entry", "re-entry-same-round", "id-with-two-names", "member-id-shape"), _no_id),
    "not-mirrored": _pair,
    "duplicate-name": _same_person,
    "no-number": _number,
    "re-entry-differs": _same_ratings,
    "total-disagrees": _sum,
    "rating-too-low": _too_low,
    "list-after-end": _without_outside,
    "list-after-start": _without_outside,
    "fide-not-on-record": _without_outside,
    "foreign-not-eligible": _not_rated,
    "match-not-eligible": _kind("swiss", "Make it a Swiss"),
    "counts-disagree": _unrated,
    "birth-date": _without("birth_date", "birth_year"),
    "birth-date-early": _without("birth_date", "birth_year"),
    "start-given": _without("start"),
    "bad-value": _unrated,
}
_OF_SECTIONS: Mapping[str, Make] = {
    **dict.fromkeys(("no-time-control", "time-control-not-read", "time-control-not-rated"), _controls),
    "delay-not-given": _delay,
    "systems-disagree": _by_control,
    "system-not-in-force": _by_control,
    "no-dates": _dates,
    "rounds-missing": _rounds(lambda rounds: f"There were {rounds} rounds"),
    "in-the-future": _one_day,
    "systems-named": _controls,
    "start-not-read": _dates,
    "end-not-read": _dates,
    "dates-reversed": _reversed,
    "section-outside-event": _event_days,
    "two-player-section": _kind("match", "Make it a match"),
    "match-players": _kind("swiss", "Make it a Swiss"),
    "half-k": _full_k,
    "rating-not-known": _pairing,
    "fide-ratings-only": _pairing,
    "no-ratings": _all_unrated,
    "duplicate-section": _renumber,
    "duplicate-number": _renumber_rows,
}
