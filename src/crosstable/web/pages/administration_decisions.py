"""Decisions on the desk: floors, titles, ceilings, matches, ratings by hand, merging two ids of one person."""

import math
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.office.decisions import Ruling
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.proposals import fact_wish, merging, ruling_wish
from crosstable.terms import RatingSystem
from crosstable.web.acting import act_on
from crosstable.web.forms import actor_in, in_office, page
from crosstable.web.gate import form_of, office_of, text_of
from crosstable.web.pages.administration import told
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route

LARGEST = 1e7
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
LABELS: Mapping[str, str] = {
    "member": "Member ID",
    "system": "System",
    "level": "Level",
    "prize": "Prize in dollars",
    "limit": "Rating limit of the section",
    "event": "Event",
    "section": "Section",
    "effective": "From which day",
    "games": "Games it counts for",
    "act": "Act of the decision",
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


async def decisions_page(request: Request) -> Response:
    """The forms of all kinds of decision."""
    return page(request, "desk/decisions.html", kinds=KINDS, labels=LABELS, facts=FACTS, systems=list(RatingSystem))


async def decide_kind(request: Request, kind: str) -> Response:
    """Decide, or propose it."""
    if kind not in {one.value for one in KINDS}:
        raise Problem(404, "There is no such decision.")
    form = await form_of(request)
    wish = ruling_wish(ruling_of(DecisionKind(kind), form))
    outcome = await in_office(act_on, office_of(request), actor_in(request), wish, text_of(form, "reason"))
    return await told(request, outcome, "/desk/decisions")


def ruling_of(kind: DecisionKind, form: FormData) -> Ruling:
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
    form = await form_of(request)
    name = text_of(form, "fact", 40)
    if name not in FACTS:
        raise Problem(422, "That is nothing that is kept about a member.")
    wish = await in_office(fact_wish, text_of(form, "member", 40), f"{name}={text_of(form, 'value', 100)}")
    outcome = await in_office(act_on, office_of(request), actor_in(request), wish, text_of(form, "reason"))
    return await told(request, outcome, "/desk/decisions")


async def merge(request: Request) -> Response:
    """Two ids of one person become one, or that is proposed."""
    form = await form_of(request)
    wish = merging(text_of(form, "member", 40), text_of(form, "into", 40))
    outcome = await in_office(act_on, office_of(request), actor_in(request), wish, text_of(form, "reason"))
    return await told(request, outcome, "/desk/decisions")


ROUTES = (
    Route("/desk/decisions", decisions_page, Policy.OFFICE),
    Route("/desk/decisions/{kind}", decide_kind, Policy.OFFICE, ("POST",)),
    Route("/desk/facts", set_fact, Policy.OFFICE, ("POST",)),
    Route("/desk/merge", merge, Policy.OFFICE, ("POST",)),
)
