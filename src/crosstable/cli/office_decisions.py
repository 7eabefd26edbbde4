"""``office decide``: floors, titles, ceilings, matches, adjustments, opting in, and facts that arrive late."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from crosstable.cli.files import USAGE
from crosstable.cli.office_desk import (
    SYSTEMS,
    add_act_options,
    add_command,
    add_group,
    add_rate_option,
    day,
    deed_of,
    opened,
)
from crosstable.cli.office_drawing import say, warn
from crosstable.cli.office_runs import rate_if_asked
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.late_facts import read_fact
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.members import import_members
from crosstable.terms import OutsideRating, RatingSystem

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

_FINAL = (DecisionKind.REVOKE, DecisionKind.WAIVE_MATCH)
_OUTSIDE = ("fide_rating", "cfc_rating")


class Kind(NamedTuple):
    """A kind of decision: what it does, the options it cannot do without, and those it may have."""

    summary: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


KINDS: Mapping[DecisionKind, Kind] = {
    DecisionKind.MONEY_FLOOR: Kind(
        "the floor that a large prize in a class section sets, from the day after it was won",
        ("member", "prize", "limit"),
        ("event", "effective", "system"),
    ),
    DecisionKind.LIFE_MASTER: Kind("the Original Life Master title with its floor", ("member",), ("effective",)),
    DecisionKind.FLOOR: Kind("a floor set by the office", ("member", "system", "level"), ("effective",)),
    DecisionKind.CEILING: Kind("a rating may not rise above a level", ("member", "system", "level"), ("effective",)),
    DecisionKind.LOWER_FLOOR: Kind("lower a member's floor", ("member", "system", "level"), ("effective",)),
    DecisionKind.GRANT_MATCH_FLOOR: Kind(
        "grant the lower floor that the result of a match asks for", ("member", "event", "section"), ("system",)
    ),
    DecisionKind.REFUSE_MATCH_FLOOR: Kind(
        "refuse the lower floor that the result of a match asks for", ("member", "event", "section"), ("system",)
    ),
    DecisionKind.WAIVE_MATCH: Kind("accept a match that does not meet its conditions", ("event", "section")),
    DecisionKind.ADJUST: Kind(
        "set a rating, and its games if given", ("member", "system", "level"), ("games", "effective")
    ),
    DecisionKind.OPT_IN: Kind("the member wants foreign FIDE events rated", ("member",), ("effective",)),
    DecisionKind.OPT_OUT: Kind("the member no longer wants foreign events rated", ("member",), ("effective",)),
    DecisionKind.FACT: Kind("a fact about a member that arrives late, or was wrong", ("member",)),
    DecisionKind.REVOKE: Kind("take an earlier decision back", ("act",)),
}
OPTIONS: Mapping[str, dict[str, Any]] = {
    "member": {"metavar": "ID", "help": "the member"},
    "system": {"choices": SYSTEMS, "help": "the rating system"},
    "level": {"type": float, "metavar": "RATING", "help": "the level"},
    "prize": {"type": float, "metavar": "AMOUNT", "help": "the prize in dollars"},
    "limit": {
        "type": float,
        "metavar": "RATING",
        "help": "the rating limit of the section (2000 for U2000)",
    },
    "event": {"metavar": "EVENT", "help": "the event's id"},
    "section": {"type": int, "metavar": "N", "help": "the section's number"},
    "effective": {"type": day, "metavar": "DATE", "help": "from which day on (default: today)"},
    "games": {"type": float, "metavar": "N", "help": "the games that the rating counts for"},
    "act": {"type": int, "metavar": "N", "help": "the act of the decision, as crosstable office log shows it"},
}


def add(commands: "Commands") -> None:
    """The command of this module, with a command of its own for every kind."""
    group = add_group(commands, "decide", "decisions of the office about floors, titles, matches, ratings and facts")
    for kind, what in KINDS.items():
        made = add_command(group, kind.value, what.summary, _decide)
        made.set_defaults(kind=kind)
        for name in (*what.needs, *what.takes):
            made.add_argument(f"--{name}", required=name in what.needs, **OPTIONS[name])
        if kind is DecisionKind.FACT:
            _add_facts(made)
        add_act_options(made, needs_reason=True)
        add_rate_option(made)


def _add_facts(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "facts",
        nargs="+",
        metavar="NAME=VALUE",
        help="name, state, birth-date, adult, canadian-resident, fide-id, cfc-id, fide-flag, member-until "
        "or age-lists (yes: listed by age group, no: left out); "
        "fide-rating=1850@2026-05-01 and cfc-rating=… are the rating of a list with its day; nothing after the = takes "
        "a fact back",
    )
    made.set_defaults(run=_fact)


def _decide(options: argparse.Namespace) -> int:
    given = vars(options)
    details = {name: given[name] for name in ("prize", "limit", "games", "act") if given.get(name) is not None}
    ruling = Ruling(
        kind=options.kind,
        member_id=given.get("member") or "",
        system=RatingSystem[given["system"]] if given.get("system") else None,
        effective=given.get("effective"),
        value=given.get("level"),
        event_id=given.get("event") or "",
        section=given.get("section"),
        details=details,
    )
    with opened(options) as office:
        act = decide(office, deed_of(options), ruling)
        undone = "" if options.kind in _FINAL else f"; crosstable office decide revoke --act {act} takes it back"
        say(f"{options.kind.value} is decided (act {act}){undone}")
        return rate_if_asked(office, options, f"after deciding {options.kind.value}")


def _fact(options: argparse.Namespace) -> int:
    try:
        facts = dict(read_fact(text) for text in options.facts)
    except ValueError as error:
        warn(f"crosstable office decide fact: {error}")
        return USAGE
    outside = {name: facts[name] for name in _OUTSIDE if name in facts}
    if outside and len(outside) < len(facts):
        warn("crosstable office decide fact: give FIDE and CFC ratings in a command of their own")
        return USAGE
    with opened(options) as office:
        act = (
            _set_outside(office, options, outside)
            if outside
            else set_fact(office, deed_of(options), options.member, facts)
        )
        say(f"member {options.member}: {', '.join(name.replace('_', '-') for name in facts)} (act {act})")
        return rate_if_asked(office, options, f"after a fact about {options.member}")


def _set_outside(office: Office, options: argparse.Namespace, outside: Mapping[str, OutsideRating]) -> int:
    from crosstable.errors import OfficeError
    from crosstable.office.views import member_view

    with office.reading() as connection:
        known = member_view(connection, options.member).person
    ratings = {name.removesuffix("_rating"): (rating,) for name, rating in outside.items()}
    made = import_members(office, deed_of(options), [Person(known.member_id, known.name, **ratings)])  # type: ignore[arg-type]
    if made.act is None:
        raise OfficeError(f"nothing of that is new about member {options.member}")
    return made.act
