"""Decisions in the administration: floors, titles, ceilings, matches, ratings by hand, merging ids of one person."""

import math
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Request, Response
from starlette.datastructures import FormData, QueryParams

from crosstable.office.database import Office
from crosstable.office.decisions import Ruling
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.proposals import ProposedAction, fact_wish, merging, ruling_wish
from crosstable.terms import RatingSystem
from crosstable.web.acting import Outcome, act_on
from crosstable.web.forms import actor_in, in_queue, page, went
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.pages.administration import Coming, foreseen_of, told
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route

LARGEST = 1e7
# So many members who are called alike are named.
MOST_ALIKE = 8
_DETAILS = frozenset({"prize", "limit", "games", "act"})


class Kind(NamedTuple):
    """A kind of decision: what it does, the fields it cannot do without, and those it may have."""

    words: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


KINDS: Mapping[DecisionKind, Kind] = {
    DecisionKind.FLOOR: Kind("Set a floor", ("member", "system", "level"), ("effective",)),
    DecisionKind.LOWER_FLOOR: Kind("Lower a floor", ("member", "system", "level"), ("effective",)),
    DecisionKind.CEILING: Kind("Set a ceiling", ("member", "system", "level"), ("effective",)),
    DecisionKind.MONEY_FLOOR: Kind("Floor from a money prize", ("member", "prize", "limit"), ("event", "effective")),
    DecisionKind.LIFE_MASTER: Kind("Original Life Master", ("member",), ("effective",)),
    DecisionKind.ADJUST: Kind("Set a rating by hand", ("member", "system", "level"), ("games", "effective")),
    DecisionKind.WAIVE_MATCH: Kind("Waive the conditions of a match", ("event", "section")),
    DecisionKind.GRANT_MATCH_FLOOR: Kind("Grant the lower floor a match asks for", ("member", "event", "section")),
    DecisionKind.REFUSE_MATCH_FLOOR: Kind("Refuse the lower floor a match asks for", ("member", "event", "section")),
    DecisionKind.OPT_IN: Kind("Opt in to foreign events", ("member",), ("effective",)),
    DecisionKind.OPT_OUT: Kind("Opt out of foreign events", ("member",), ("effective",)),
    DecisionKind.REVOKE: Kind("Take a decision back", ("act",)),
}
# By what they are about.
SUBJECTS: Mapping[str, tuple[DecisionKind, ...]] = {
    "Floors and ceilings": (
        *(DecisionKind.FLOOR, DecisionKind.LOWER_FLOOR, DecisionKind.CEILING, DecisionKind.MONEY_FLOOR),
        DecisionKind.LIFE_MASTER,
    ),
    "Ratings by hand": (DecisionKind.ADJUST,),
    "Matches": (DecisionKind.WAIVE_MATCH, DecisionKind.GRANT_MATCH_FLOOR, DecisionKind.REFUSE_MATCH_FLOOR),
    "Foreign events": (DecisionKind.OPT_IN, DecisionKind.OPT_OUT),
    "Earlier decisions": (DecisionKind.REVOKE,),
}
LABELS: Mapping[str, str] = {
    "member": "Member (name or ID)",
    "system": "System",
    "level": "Level",
    "prize": "Prize in dollars",
    "limit": "Rating limit of the section",
    "event": "Event",
    "section": "Section",
    "effective": "From which day",
    "games": "Games it counts for",
    "act": "Journal entry of the decision",
}
FACTS: Mapping[str, str] = {
    "name": "Name",
    "state": "State",
    "birth-date": "Birth date",
    "birth-year": "Year of birth, where no birth date is kept",
    "adult": "Adult (yes or no)",
    "canadian-resident": "Lives in Canada (yes or no)",
    "fide-id": "FIDE id",
    "cfc-id": "CFC id",
    "fide-flag": "FIDE federation",
    "member-until": "Member until",
    "age-lists": "On lists by age group (yes or no)",
}

_GIVEN = frozenset({*LABELS, "fact", "value", "into", "reason"})


async def decisions_page(request: Request) -> Response:
    """The forms of all kinds of decision; with ``try`` what one of them would change."""
    query = request.query_params
    given = {name: text_of(query, name, 100) for name in query if name in _GIVEN}
    tried, which = None, text_of(query, "try", 40)
    if which:
        tried = await in_queue(FILES, _foreseen, office_of(request), reading_of(request), which, query)
    context: dict[str, Any] = {
        "kinds": KINDS,
        "subjects": SUBJECTS,
        "labels": LABELS,
        "facts": FACTS,
        "systems": list(RatingSystem),
    }
    context |= {
        "systems": list(RatingSystem),
        "which": which or text_of(query, "which", 40),
        "given": given,
        "tried": tried,
    }
    return page(request, "administration/decisions.html", **context)


def _foreseen(office: Office, reading: Reading, which: str, query: QueryParams) -> Coming:
    return foreseen_of(office, _wish(reading, which, query))


def _wish(reading: Reading, which: str, form: FormData | QueryParams) -> ProposedAction:
    """What a form of this page asks for: a kind of decision, a fact, a merge."""
    if which == "merge":
        return merging(_member(reading, text_of(form, "member", 60)), _member(reading, text_of(form, "into", 60)))
    if which == "fact":
        name = text_of(form, "fact", 40)
        if name not in FACTS:
            raise Problem(422, "That is nothing that is kept about a member.")
        return fact_wish(_member(reading, text_of(form, "member", 60)), f"{name}={text_of(form, 'value', 100)}")
    if which not in {one.value for one in KINDS}:
        raise Problem(404, "There is no such decision.")
    ruling = ruling_of(DecisionKind(which), form)
    return ruling_wish(ruling._replace(member_id=_member(reading, ruling.member_id)))


def _member(reading: Reading, given: str) -> str:
    """The id of a member; a name that only one member has is as good."""
    is_id = any(one.isdigit() for one in given) and " " not in given
    if not given or is_id or reading.tag is None:
        return given
    found = [one.member for one in reading.now.index.search(given, MOST_ALIKE).found]
    exact = [one for one in found if one.name.casefold() == given.casefold()] or found
    if len(exact) != 1:
        alike = "; ".join(f"{one.name} {one.member_id}" for one in exact)
        raise Problem(422, f"{given}: {f'choose one by its ID: {alike}' if alike else 'nobody is called like that'}.")
    return exact[0].member_id


async def decide_as(request: Request, which: str) -> Response:
    """Decide, put a fact right or merge two ids, or propose it; ``try`` only shows what it would change."""
    form = await form_of(request)
    office, reading = office_of(request), reading_of(request)
    if text_of(form, "try"):
        given = {name: text_of(form, name, 100) for name in form if name in _GIVEN}
        return went(f"/administration/decisions?{urlencode({'try': which, **given})}#{which}")

    def do() -> Outcome:
        return act_on(office, actor_in(request), _wish(reading, which, form), text_of(form, "reason"))

    return await told(request, await in_queue(FILES, do), "/administration/decisions")


async def decide_kind(request: Request, kind: str) -> Response:
    """A decision."""
    return await decide_as(request, kind if kind in {one.value for one in KINDS} else "")


def ruling_of(kind: DecisionKind, form: FormData | QueryParams) -> Ruling:
    """A decision as a form describes it; every field that is missing or wrong is told."""
    what, wrong, found = KINDS[kind], [], dict[str, Any]()
    for name in (*what.needs, *what.takes):
        value = text_of(form, name, 60)
        if not value and name in what.needs:
            wrong.append({"where": LABELS[name], "what": "is needed"})
        elif value:
            try:
                found[name] = _READERS.get(name, str)(value)
            except (ValueError, KeyError):
                wrong.append({"where": LABELS[name], "what": f"{value!r} cannot be right"})
    if wrong:
        raise Problem(422, "; ".join(f"{one['where']}: {one['what']}" for one in wrong), errors=wrong)
    details = {name: value for name, value in found.items() if name in _DETAILS}
    return Ruling(
        kind=kind,
        member_id=found.get("member", ""),
        system=found.get("system"),
        effective=found.get("effective"),
        value=found.get("level"),
        event_id=found.get("event", ""),
        section=found.get("section"),
        details=details,
    )


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or not 0 <= value <= LARGEST:
        raise ValueError(text)
    return value


def _whole(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise ValueError(text)
    return int(_number(text))


_READERS: Mapping[str, Any] = {
    "system": lambda text: RatingSystem[text],
    "level": _number,
    "prize": _number,
    "limit": _number,
    "games": _number,
    "section": _whole,
    "act": _whole,
    "effective": date.fromisoformat,
}


async def set_fact(request: Request) -> Response:
    """A fact about a member that arrives late, or was wrong, or that is proposed."""
    return await decide_as(request, "fact")


async def merge(request: Request) -> Response:
    """Two ids of one person become one, or that is proposed."""
    return await decide_as(request, "merge")


ROUTES = (
    Route("/administration/decisions", decisions_page, Policy.OFFICE),
    Route("/administration/decisions/{kind}", decide_kind, Policy.OFFICE, ("POST",)),
    Route("/administration/facts", set_fact, Policy.OFFICE, ("POST",)),
    Route("/administration/merge", merge, Policy.OFFICE, ("POST",)),
)
