"""``office decide`` and ``office settings``: floors, titles, matches, adjustments, late facts, what the public sees."""

import argparse
from collections.abc import Mapping
from typing import Any, NamedTuple

from crosstable.cli import USAGE
from crosstable.cli.office_access import author_of, office_command, opened
from crosstable.cli.office_changes import rate_if_asked
from crosstable.cli.options import SYSTEMS, Parser, add_command, add_commands, day
from crosstable.cli.printing import print_json, say, warn
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.late_facts import read_fact
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.members import import_members
from crosstable.office.settings import show_decimals, shows_decimals
from crosstable.terms import OutsideRating, RatingSystem

_FINAL = (DecisionKind.REVOKE, DecisionKind.WAIVE_MATCH)
_OUTSIDE = ("fide_rating", "cfc_rating")
ON, OFF = "on", "off"


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
    "limit": {"type": float, "metavar": "RATING", "help": "the rating limit of the section (2000 for U2000)"},
    "event": {"metavar": "EVENT", "help": "the event's id"},
    "section": {"type": int, "metavar": "N", "help": "the section's number"},
    "effective": {"type": day, "metavar": "DATE", "help": "from which day on (default: today)"},
    "games": {"type": float, "metavar": "N", "help": "the games that the rating counts for"},
    "act": {"type": int, "metavar": "N", "help": "the act of the decision, as crosstable office log shows it"},
}


def add_decide(made: Parser) -> None:
    """What ``office decide`` takes: a command of its own for every kind."""
    group = add_commands(made)
    for kind, what in KINDS.items():
        one = add_command(group, kind.value, what.summary)
        office_command(one, _decide, "--by", "--reason!", "--rate")
        one.set_defaults(kind=kind)
        for name in (*what.needs, *what.takes):
            one.add_argument(f"--{name}", required=name in what.needs, **OPTIONS[name])
        if kind is DecisionKind.FACT:
            one.set_defaults(run=_fact)
            one.add_argument(
                "facts",
                nargs="+",
                metavar="NAME=VALUE",
                help="name, state, birth-date, birth-year, adult, canadian-resident, fide-id, cfc-id, fide-flag, "
                "member-until or age-lists (yes: listed by age group, no: left out); fide-rating=1850@2026-05-01 and "
                "cfc-rating=… are the rating of a list with its day; nothing after the = takes a fact back",
            )


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
        act = decide(office, author_of(options), ruling)
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
        if outside:
            act = _set_outside(office, options, outside)
        else:
            act = set_fact(office, author_of(options), options.member, facts)
        say(f"member {options.member}: {', '.join(name.replace('_', '-') for name in facts)} (act {act})")
        return rate_if_asked(office, options, f"after a fact about {options.member}")


def _set_outside(office: Office, options: argparse.Namespace, outside: Mapping[str, OutsideRating]) -> int:
    from crosstable.errors import OfficeError
    from crosstable.office.views import member_view

    with office.reading() as connection:
        known = member_view(connection, options.member).person
    ratings = {name.removesuffix("_rating"): (rating,) for name, rating in outside.items()}
    made = import_members(office, author_of(options), [Person(known.member_id, known.name, **ratings)])  # type: ignore[arg-type]
    if made.act is None:
        raise OfficeError(f"nothing of that is new about member {options.member}")
    return made.act


# settings


def add_settings(made: Parser) -> None:
    """What ``office settings`` takes."""
    group = add_commands(made)
    office_command(add_command(group, "show", "every setting as it stands"), _show, "--json")
    decimals = add_command(group, "public-decimals", "whether the public sees two decimals of ratings")
    office_command(
        decimals,
        _decimals,
        *("--by", "--reason"),
        epilog="Off until it is switched on: two decimals of a first section give the birth date of a player who "
        "started by age to within days. The office and the directors of an event see everything either way.",
    )
    decimals.add_argument("value", choices=(ON, OFF), help="on: two decimals; off: whole numbers")


def _show(options: argparse.Namespace) -> int:
    with opened(options) as office, office.reading() as connection:
        has_decimals = shows_decimals(connection)
    if options.json:
        print_json({"format": "crosstable-office-settings/1", "public_decimals": has_decimals})
    else:
        say(f"public-decimals: {ON if has_decimals else OFF}")
    return 0


def _decimals(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = show_decimals(office, author_of(options), is_on=options.value == ON)
    say(f"public-decimals: {options.value}" + (" already" if act is None else f" (act {act})"))
    return 0
