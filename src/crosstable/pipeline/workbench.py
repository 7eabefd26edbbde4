"""The workbench: a draft of an event goes in, and everything there is to say about it comes out.

One request, one reply, plain JSON both ways (``docs/site.md``): a server answers it, and so can a program that runs in
the browser. Nothing is stored, and nothing here knows of a site or an office; whoever answers gives ``Tools``: how
files are read, what an office knows of the players, and who is called like that.

A draft holds the event as an event file (a player may have ``hand``, a rating written by hand), texts of members files
and rating lists, which ratings count, and what the director accepts.
"""

import base64
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Any, NamedTuple

from crosstable.checks.findings import words_of
from crosstable.engine import RatedSection
from crosstable.errors import Fault, FormatError, Severity, UnratableSectionError
from crosstable.faults import level_of, severity_of
from crosstable.formats import event_json, event_json_write
from crosstable.formats.rating_lists import is_list
from crosstable.pipeline.drafts import (
    Affiliate,
    Draft,
    Fix,
    Named,
    Neighbors,
    OfficeSource,
    Path,
    Sources,
    Spot,
    members_of,
    spot_of,
)
from crosstable.pipeline.fixes import cell_of, field_of, fixes_for, other_spot
from crosstable.pipeline.rating import ExaminedSection, RatedEvent, rate, remember
from crosstable.pipeline.reading import (
    has_game,
    section_of,
)
from crosstable.pipeline.results import section_result
from crosstable.pipeline.submitting import exported
from crosstable.remedies import Reader, for_reader
from crosstable.terms import Report

HAND, READ = "hand", "read"
MOST_LISTED = 2_000_000
MOST_FINDINGS = 2000


class Tools(NamedTuple):
    """What a workbench needs from whoever answers it.

    ``read`` takes files by name and content and gives a report for each event, or the fault that says why there is
    none. ``office`` says what an office knows of a report's players; ``is_strict`` that the event will be submitted
    there, so that its findings are those of the submission. ``find`` gives ids and names of members who are called like
    a name. ``own`` is the affiliate whose events somebody sends, and its name where it is known.
    """

    read: Callable[[Sequence[tuple[str, bytes]]], Sequence[Report | Fault]]
    today: date
    office: Callable[[Report], OfficeSource | None] = lambda _report: None
    is_strict: bool = False
    find: Callable[[str], Sequence[tuple[str, str]]] = lambda _name: ()
    own: Affiliate = Affiliate()


def answer(request: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
    """The reply to a request: ``files`` become drafts, a draft is checked and rated, or written as a file (``to``)."""
    if "files" in request:
        return _opened(request, tools)
    if request.get("to"):
        return _exported(request)
    return _checked(request, tools)


# Files become drafts.


def _opened(request: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
    files = [(str(one["name"]), base64.b64decode(one["content"], validate=True)) for one in request["files"]]
    drafts: list[dict[str, Any]] = []
    lists: list[dict[str, str]] = []
    unread: list[Fault] = []
    read = tools.read(files)
    has_event = any(isinstance(one, Report) and any(map(has_game, one.sections)) for one in read)
    for found in read:
        is_event = isinstance(found, Report) and (not has_event or any(map(has_game, found.sections)))
        listed = None if is_event else _listed(found.place, files)
        if listed is not None:
            lists.append(listed)
        elif isinstance(found, Report):
            drafts.append(draft_of(found))
        else:
            unread.append(found)
    for draft in drafts:
        draft["members"] = lists
    first = _checked(drafts[0], tools) if drafts else {}
    refused = [{**_finding(one, None, ()), "where": one.place} for one in for_reader(unread, Reader.DRAFT)]
    return {"drafts": drafts, "members": lists, "unread": refused, **first}


def draft_of(report: Report) -> dict[str, Any]:
    """A draft of an event as it was read; what reading found stays with it until it is put right."""
    event = json.loads(event_json_write.write(report._replace(faults=())))
    read: list[dict[str, Any]] = []
    for found in report.faults:
        place = section_of(report, found)
        at = next((at for at, one in enumerate(report.sections) if one.place == place), None)
        of_section = at is not None and place is not None
        # What is about a section goes with it wherever it moves.
        kept = event["sections"][at].setdefault(READ, []) if of_section else read
        words = found.place.removeprefix(place or "") if of_section else found.place
        kept.append({**found._asdict(), "severity": found.severity.value, "place": words})
    return {"event": event, "members": [], "ratings": {"office": True, "pairing": True}, "accept": {}, READ: read}


def _listed(place: str, files: Iterable[tuple[str, bytes]]) -> dict[str, str] | None:
    """A file that is no event but a members file or a rating list, as a draft keeps it."""
    for name, content in files:
        if name == place.partition(",")[0] and len(content) <= MOST_LISTED:
            text = content.decode("utf-8", "replace")
            try:
                if members_of({"name": name, "text": text}, ()).backgrounds:
                    return {"name": name, "text": text}
            except FormatError:
                return {"name": name, "text": text} if is_list(content, name) else None
    return None


# A draft, checked and rated.


class _Outlook(NamedTuple):
    """A draft as it was checked: what is told of it, and each section as it is shown, with the event that rated it.

    ``submitted`` is the event as its office would take it; nothing where nobody could submit it.
    """

    told: RatedEvent
    shown: tuple[tuple[RatedEvent, ExaminedSection], ...]
    submitted: RatedEvent | None


def _checked(draft: Draft, tools: Tools) -> dict[str, Any]:
    report, hands = report_of(draft)
    known = tools.office(report)
    takes_office = bool(draft.get("ratings", {}).get("office", True))
    sources = Sources(draft, report, hands, known if takes_office else None)
    submitted = None if known is None or not tools.is_strict else _submitted(draft, report, known, tools.today)
    found = _outlook(submitted, lambda: _by_sources(draft, report, sources, tools.today), takes_office=takes_office)
    people = {} if known is None else known.people
    near = Neighbors(draft["event"], lambda name: [*sources.named(name), *tools.find(name)], tools.today, tools.own)
    is_strict = submitted is not None
    return {
        "findings": list(_findings(found.told, report, near, draft, people, is_strict=is_strict)),
        "accepted": _accepted(found.told),
        "sections": [
            {**_section(event, one, draft.get("have", ())), "strict": event is submitted} for event, one in found.shown
        ],
        "office": known is not None and takes_office,
        "strict": is_strict,
    }


def _by_sources(draft: Draft, report: Report, sources: Sources, today: date) -> RatedEvent:
    """The draft by the ratings it names: by hand, of lists, of an office, of the file."""
    return rate(
        report,
        source=sources,
        pairing_ratings=bool(draft.get("ratings", {}).get("pairing", True)),
        accept=_reasons(draft),
        entry_lists=True,
        today=today,
        reader=Reader.DRAFT,
    )


def _submitted(draft: Draft, report: Report, office: OfficeSource, today: date) -> RatedEvent:
    """The draft as the office would take it: by its word alone, and what is to be confirmed waits for it."""
    accept = {code: reason for code, reason in _reasons(draft).items() if severity_of(code) is not Severity.CONFIRM}
    whole = report._replace(faults=(*office.of_event(report), *report.faults))
    event = rate(whole, source=office, accept=accept, entry_lists=True, today=today, reader=Reader.DRAFT, ranges=False)
    return office.looked_at(event)


def _reasons(draft: Draft) -> dict[str, str]:
    return {code: str(reason) or "confirmed" for code, reason in dict(draft.get("accept", {})).items()}


def _outlook(submitted: RatedEvent | None, by_sources: Callable[[], RatedEvent], *, takes_office: bool) -> _Outlook:
    """What is told of a draft is what submitting it tells; sections that would be held are rated by the file."""
    if submitted is None:
        event = by_sources()
        return _Outlook(event, tuple((event, one) for one in event.examined), None)
    if takes_office and all(one.rated for one in submitted.examined):
        return _Outlook(submitted, tuple((submitted, one) for one in submitted.examined), submitted)
    other = by_sources()
    told, shown = [], list[tuple[RatedEvent, ExaminedSection]]()
    for own, looser in zip(submitted.examined, other.examined, strict=True):
        is_own = bool(own.rated) and takes_office
        shown.append((submitted, own) if is_own else (other, looser))
        said = {(one.code, one.place) for one in own.faults}
        # Why there is no rating to show, where submitting it does not say so.
        more = [one for one in looser.faults if one.severity.stops and (one.code, one.place) not in said]
        told.append(own if is_own or looser.rated else own._replace(faults=(*own.faults, *more)))
    return _Outlook(submitted._replace(examined=tuple(told)), tuple(shown), submitted)


def report_of(draft: Draft) -> tuple[Report, dict[tuple[int, int], str]]:
    """The report of a draft as it was read, and ratings by hand by section and row."""
    hands: dict[tuple[int, int], str] = {}
    _require_shape(draft)
    event = dict(draft["event"])
    event["sections"] = [_bare(section, at, hands) for at, section in enumerate(event["sections"])]
    reading = event_json.read_value(event, "draft", [])
    return reading.report._replace(faults=(*(found for found, _ in _read_faults(draft)), *reading.faults)), hands


def _read_faults(draft: Draft) -> Iterator[tuple[Fault, Path]]:
    """What reading found and nobody has settled yet, with its path in the draft."""
    for at, one in enumerate(draft.get(READ, ())):
        yield _read_fault(one, ""), (READ, at)
    for of, section in enumerate(draft["event"]["sections"]):
        for at, one in enumerate(section.get(READ, ())):
            yield _read_fault(one, f"sections[{of}]"), ("event", "sections", of, READ, at)


def _read_fault(one: object, section: str) -> Fault:
    if not isinstance(one, dict) or not all(isinstance(one.get(name), str) for name in Fault._fields):
        raise ValueError("event: what reading found has a code, a severity, a place, a message and a remedy.")
    texts = {name: one[name] for name in Fault._fields}
    return Fault(**{**texts, "severity": Severity(one["severity"]), "place": f"{section}{one['place']}"})


def _require_shape(draft: Draft) -> None:
    """Raise ``ValueError`` for what no page of ours sends: a draft whose event has not the shape of one."""
    event = draft.get("event")
    sections = event.get("sections") if isinstance(event, dict) else None
    of_event = event.get("event", {}) if isinstance(event, dict) else None
    if not isinstance(sections, list) or not isinstance(of_event, dict):
        raise ValueError("event: an event file with event and sections is needed.")
    for section in sections:
        players = section.get("players") if isinstance(section, dict) else None
        if not isinstance(players, list) or not all(isinstance(one, dict) for one in players):
            raise ValueError("event: every section is an object with a list of players.")
        if not all(isinstance(one.get("rounds", []), list) for one in players):
            raise ValueError("event: the rounds of a player are a list.")
        if not isinstance(section.get(READ, []), list):
            raise ValueError("event: what reading found in a section is a list.")


def _bare(section: dict[str, Any], at: int, hands: dict[tuple[int, int], str]) -> dict[str, Any]:
    """A section without what only a draft has."""
    players = []
    for row, player in enumerate(section["players"]):
        if text := str(player.get(HAND) or "").strip():
            hands[at, row] = text
        players.append({name: value for name, value in player.items() if name != HAND})
    return {**{name: value for name, value in section.items() if name != READ}, "players": players}


# What is said of it.


def _accepted(event: RatedEvent) -> list[dict[str, Any]]:
    """What was accepted, by code: how many findings, and the first of them in words."""
    by: dict[str, list[Fault]] = {}
    for one in event.accepted:
        by.setdefault(one.fault.code, []).append(one.fault)
    return [{"code": code, "count": len(some), "message": some[0].message} for code, some in by.items()]


def _findings(
    event: RatedEvent,
    report: Report,
    near: Neighbors,
    draft: Draft,
    people: Mapping[str, Named],
    *,
    is_strict: bool,
) -> Iterable[dict[str, Any]]:
    read = {(one.code, one.place, one.message): path for one, path in _read_faults(draft)}
    told: set[tuple[str, Spot | None]] = set()
    for found in event.faults[:MOST_FINDINGS]:
        spot = spot_of(found.place, report)
        also = other_spot(found.code, spot, near)
        if also is not None and (found.code, also) in told:
            continue
        fixes = [*fixes_for(found, spot, near)]
        spot = cell_of(found.code, spot, near)
        told.add((found.code, spot))
        if (path := read.get((found.code, found.place, found.message))) is not None:
            # Whatever is chosen settles what reading found; what is about a section leaves with it.
            fixes = [
                one if any(path[: len(of)] == of for of, _ in one.changes) else Fix(one.label, (*one.changes, gone))
                for gone in [(path, None)]
                for one in fixes
            ]
            if (
                found.code != "rounds-missing" or spot is None
            ):  # there is one number to put right, and nowhere else to do it
                fixes.append(Fix("I have put it right", ((path, None),)))
        is_open = found.severity.stops
        if found.code == "other-name" and spot is not None and spot.row is not None:
            named = f"{near.section(spot).get('number') or spot.section + 1}:{near.player(spot).get('number')}"
            is_said = named in draft.get("names", ())
            is_open = not is_said
            fixes.append(_named(named, people.get(str(near.player(spot).get("member_id"))), is_said=is_said))
        elif found.severity is Severity.WARNING or (found.severity is Severity.CONFIRM and not is_strict):
            fixes.append(Fix("It is right as it is", ((("accept", found.code), "confirmed by the director"),)))
        elif found.severity is Severity.CONFIRM:
            is_open = False
        if found.code in ("member-not-known", "new-member") and spot is not None and is_strict:
            fixes.append(_newcomer(str(near.player(spot).get("member_id")), is_said=found.code == "new-member"))
        finding = _finding(found, spot, fixes)
        finding["asks"] = "director" if is_open else "office" if found.severity.stops else ""
        if not finding["where"] and spot is not None:
            number = near.section(spot).get("number") or spot.section + 1
            finding["where"] = f"Section {number}"
        yield {**finding, **({} if also is None else {"also": also._asdict()})}


def _named(row: str, person: Named | None, *, is_said: bool) -> Fix:
    """Say that a row is the member who has its id, under another name; said of each row by itself."""
    if is_said:
        return Fix("This is not the player", ((("names", row), None),))
    return Fix(f"This is {person.name}" if person else "This is the player", ((("names", row), "yes"),), is_single=True)


def _newcomer(member: str, *, is_said: bool) -> Fix:
    """Report somebody whom the office does not know, or take that back."""
    if is_said:
        return Fix("Not a new member", ((("new_members", member), None),))
    return Fix("Report as a new member", ((("new_members", member), "yes"),))


def _finding(found: Fault, spot: Spot | None, fixes: Iterable[Fix]) -> dict[str, Any]:
    where = words_of(found.place)
    return {
        "code": found.code,
        "severity": found.severity.value,
        "level": level_of(found).value,
        "asks": "director" if found.severity.stops else "",
        "where": "" if where.startswith("sections[") or where == "draft" else where[:1].upper() + where[1:],
        "message": found.message,
        "remedy": found.remedy,
        "field": field_of(found.code),
        **(spot._asdict() if spot else {"section": None, "row": None, "round": None}),
        "fixes": [
            {
                "label": one.label,
                "changes": [{"path": list(path), "value": value} for path, value in one.changes],
                "single": one.is_single,
            }
            for one in fixes
        ],
    }


class _Shown(NamedTuple):
    """The results of a rated section as a reply has them, and a tag that changes with them."""

    rated: tuple[RatedSection, ...]
    systems: dict[str, Any]
    tag: str


# Sections of the last replies. A section that an edit leaves alone is not rated again, so it is the same object.
_LATELY: list[_Shown] = []


def _section(event: RatedEvent, examined: ExaminedSection, have: Collection[str]) -> dict[str, Any]:
    """The results of a section by system, none where it could not be rated; whoever has them gets only their tag."""
    section = {"number": examined.number, "rated": bool(examined.rated)}
    if not examined.rated:
        return {**section, "systems": {}}
    shown = next((one for one in tuple(_LATELY) if one.rated is examined.rated), None)
    if shown is None:
        systems = section_result(examined.rated, event.ranges).to_dict()["systems"]
        tag = sha256(json.dumps(systems).encode()).hexdigest()[:16]
        shown = _Shown(examined.rated, systems, tag)
    remember(_LATELY, shown)
    return {**section, "tag": shown.tag, **({} if shown.tag in have else {"systems": shown.systems})}


# A draft as a file.


def _exported(draft: Draft) -> dict[str, Any]:
    """The event of a draft in a format, base64, or the findings that keep it from being written."""
    read, hands = report_of(draft)
    report = Sources({}, read, hands, None).filled(read)._replace(faults=())
    try:
        made = exported(report, str(draft["to"]), draft.get("accept", {}))
    except UnratableSectionError as error:
        stops = for_reader(error.faults, Reader.DRAFT)
        return {"file": None, "findings": [_finding(one, spot_of(one.place, report), ()) for one in stops]}
    told = [_finding(one, spot_of(one.place, report), ()) for one in for_reader(made.faults, Reader.DRAFT)]
    return {"file": {"name": made.name, "content": base64.b64encode(made.content).decode()}, "findings": told}
