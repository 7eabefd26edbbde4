"""``office decide`` and ``office settings``: floors, titles, matches, adjustments, late facts, what the public sees."""

import argparse
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from crosstable.cli.office_access import author_of, office_command, opened
from crosstable.cli.office_accounts import change_limits, done_or_proposed, is_by_two, propose_facts
from crosstable.cli.office_accounts import switch as switch_consent
from crosstable.cli.office_changes import rate_if_asked
from crosstable.cli.options import SYSTEMS, Parser, add_command, add_commands, also, day, flag, option
from crosstable.cli.printing import print_json, say, warn
from crosstable.errors import RefusedError
from crosstable.limits import CLOCK_AHEAD
from crosstable.office.consent import consent_state
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, set_fact
from crosstable.office.late_facts import divided
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.ledger.journal import acts, clock_days
from crosstable.office.members import import_members, read_fact
from crosstable.office.proposals import fact_wish, ruling_wish
from crosstable.office.retention import Keep, kept_days, let_go, set_kept_days
from crosstable.office.settings import (
    MEMBERSHIPS,
    PUBLIC_DECIMALS,
    SETTINGS,
    TOTP,
    UNCERTAINTY,
    identity,
    is_on,
    set_clock_days,
    show_as,
    switch,
)
from crosstable.sentences import american, counted
from crosstable.terms import OutsideRating, RatingSystem

_FINAL = (DecisionKind.REVOKE, DecisionKind.WAIVE_MATCH)
_OUTSIDE = ("fide_rating", "cfc_rating")
FACTS = (
    "name, state, birth-date, birth-year, adult, canadian-resident, fide-id, cfc-id, fide-flag, member-until, "
    "age-lists (yes: on lists by age group, no: left out), fide-rating=1850@2026-05-01 or cfc-rating=… (with the date "
    "of the list). NAME= removes a fact"
)
ON, OFF = "on", "off"


class Kind(NamedTuple):
    """A kind of decision: what it does, the options it cannot do without, and those it may have."""

    summary: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


KINDS: Mapping[DecisionKind, Kind] = {
    DecisionKind.MONEY_FLOOR: Kind(
        "set the floor earned by a large prize in a class section, from the day after",
        ("member", "prize", "limit"),
        ("event", "effective", "system"),
    ),
    DecisionKind.LIFE_MASTER: Kind("grant the Original Life Master title with its floor", ("member",), ("effective",)),
    DecisionKind.FLOOR: Kind("set a floor", ("member", "system", "level"), ("effective",)),
    DecisionKind.CEILING: Kind("keep a rating at or below a level", ("member", "system", "level"), ("effective",)),
    DecisionKind.LOWER_FLOOR: Kind("lower a member's floor", ("member", "system", "level"), ("effective",)),
    DecisionKind.GRANT_MATCH_FLOOR: Kind(
        "grant the lower floor that a match result calls for", ("member", "event", "section"), ("system",)
    ),
    DecisionKind.REFUSE_MATCH_FLOOR: Kind(
        "refuse the lower floor that a match result calls for", ("member", "event", "section"), ("system",)
    ),
    DecisionKind.WAIVE_MATCH: Kind("accept a match that does not meet the conditions", ("event", "section")),
    DecisionKind.ADJUST: Kind("set a rating, and its games", ("member", "system", "level"), ("games", "effective")),
    DecisionKind.OPT_IN: Kind("rate the member's foreign FIDE events", ("member",), ("effective",)),
    DecisionKind.OPT_OUT: Kind("stop rating the member's foreign FIDE events", ("member",), ("effective",)),
    DecisionKind.FACT: Kind("record a fact about a member that is new or was wrong", ("member",)),
    DecisionKind.REVOKE: Kind("revoke an earlier decision", ("entry",)),
}
OPTIONS: Mapping[str, dict[str, Any]] = {
    "member": {"metavar": "ID", "help": "the member"},
    "system": {"choices": SYSTEMS, "help": "the rating system"},
    "level": {"type": float, "metavar": "RATING", "help": "the rating of the floor or ceiling, or the new rating"},
    "prize": {"type": float, "metavar": "AMOUNT", "help": "the prize in dollars"},
    "limit": {"type": float, "metavar": "RATING", "help": "the rating limit of the section (2000 for U2000)"},
    "event": {"metavar": "EVENT", "help": "the event's id"},
    "section": {"type": int, "metavar": "N", "help": "the section's number"},
    "effective": {"type": day, "metavar": "DATE", "help": "the first day it applies (default: today)"},
    "games": {"type": float, "metavar": "N", "help": "the number of games the rating is based on"},
    "entry": {
        "type": int,
        "metavar": "N",
        "help": "the decision's journal entry, as crosstable office log shows it",
    },
}


def add_decide(made: Parser) -> None:
    """What ``office decide`` takes: a command of its own for every kind."""
    group = add_commands(made)
    for kind, what in KINDS.items():
        one = add_command(group, kind.value, what.summary)
        office_command(one, _decide, "--by", "--reason!", "--account", "--rate")
        one.set_defaults(kind=kind)
        for name in (*what.needs, *what.takes):
            added = one.add_argument(f"--{name}", required=name in what.needs, **OPTIONS[name])
            if name == "entry":
                also(one, "--act", added)
        if kind is DecisionKind.FACT:
            one.set_defaults(run=_fact)
            option(one, "facts NAME=VALUE", FACTS, nargs="+")


def _decide(options: argparse.Namespace) -> int:
    given = vars(options)
    named = {"prize": "prize", "limit": "limit", "games": "games", "entry": "act"}
    details = {field: given[name] for name, field in named.items() if given.get(name) is not None}
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
        act = done_or_proposed(office, options, ruling_wish(ruling), author_of(options))
        if act is None:
            return 0
        undone = "" if options.kind in _FINAL else f"; to revoke it: crosstable office decide revoke --entry {act}"
        say(f"{options.kind.value} is decided (entry {act}){undone}")
        return rate_if_asked(office, options, f"after deciding {options.kind.value}")


def _fact(options: argparse.Namespace) -> int:
    try:
        facts = dict(read_fact(text) for text in options.facts)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    outside = {name: facts[name] for name in _OUTSIDE if name in facts}
    if outside and len(outside) < len(facts):
        raise RefusedError("give FIDE and CFC ratings in a separate command")
    with opened(options) as office:
        act = _set_outside(office, options, outside) if outside else _set_facts(office, options, facts)
        if act is None:
            return 0
        say(f"member {options.member}: {', '.join(name.replace('_', '-') for name in facts)} (entry {act})")
        return rate_if_asked(office, options, f"after a fact about {options.member}")


def _set_facts(office: Office, options: argparse.Namespace, facts: dict[str, Any]) -> int | None:
    """One fact may be a proposal; several at once only where one person is enough."""
    if not is_by_two(office):
        return set_fact(office, author_of(options), options.member, facts)
    if len(options.facts) > 1:
        raise RefusedError("consent is on: give one fact in a command")
    return done_or_proposed(office, options, fact_wish(options.member, options.facts[0]), author_of(options))


def _set_outside(office: Office, options: argparse.Namespace, outside: Mapping[str, OutsideRating]) -> int | None:
    from crosstable.errors import OfficeError
    from crosstable.office.views import known, member_view

    with office.reading() as connection:
        person = member_view(connection, options.member).person
    ratings = {name.removesuffix("_rating"): (rating,) for name, rating in outside.items()}
    said, author = Person(person.member_id, person.name, **ratings), author_of(options)  # type: ignore[arg-type]
    if is_by_two(office):
        with office.reading() as connection:
            by_two = divided(known(connection).record, [said]).by_two
        if by_two:
            propose_facts(office, options, author, by_two)
            return None
    made = import_members(office, author, [said])
    if made.act is None:
        raise OfficeError(f"nothing of that is new about member {options.member}")
    return made.act


def add_settings(made: Parser) -> None:
    """What ``office settings`` takes."""
    group = add_commands(made)
    office_command(add_command(group, "show", "show every setting"), _show, "--json")
    for setting, (summary, epilog, values) in _SETTINGS.items():
        made = add_command(group, setting.replace("_", "-"), summary)
        office_command(made, _switch, *("--by", "--reason"), epilog=f"Off by default. {epilog}")
        made.add_argument("value", choices=(ON, OFF), help=values)
        made.set_defaults(setting=setting)
    made = add_command(group, "consent", "ask for two people where ratings are set by hand or published periods change")
    office_command(
        made,
        switch_consent,
        *("--by", "--reason", "--account"),
        epilog="Off by default. It takes two accounts of the office. Two people switch it off at once (--account "
        "proposes it), one alone with a delay of 7 days.",
    )
    made.add_argument("value", choices=(ON, OFF), help="on: two people; off: one")
    made = add_command(group, "consent-limits", "say which late events one person may still accept")
    office_command(made, change_limits, *("--by", "--reason", "--account"), epilog="Of a period that is published.")
    option(made, "--days N", "how many days after its end an event may come", type=int)
    option(made, "--players N", "how many players it may have", type=int)
    option(made, "--changes N", "how many ratings it may change", type=int)
    made = add_command(group, "keep", "say for how many days something is kept; office clear lets go of what is older")
    office_command(made, _keep, *("--by", "--reason"), epilog="0 keeps it for ever, which is the default of all four.")
    option(made, "--originals DAYS", "submitted files, from the day they came in", type=int)
    option(made, "--proposals DAYS", "proposals that are settled", type=int)
    option(made, "--security-log DAYS", "names and details of the security log", type=int)
    option(made, "--access DAYS", "sessions, tokens and tries to log in that are over", type=int)
    made = add_command(group, "clock-days", "say how far after the last entry the next one may be without a word")
    office_command(made, _set_days, *("--by", "--reason"), epilog=f"{CLOCK_AHEAD} days by default; see office clock.")
    made.add_argument("days", type=int, help="a number of days")
    for setting, summary in _IDENTITY.items():
        made = add_command(group, setting, summary)
        office_command(made, _show_as, *("--by", "--reason"), epilog="An empty text takes it back.")
        made.add_argument("text", help=_TEXTS.get(setting, "the text"))
        made.set_defaults(setting=setting)


_IDENTITY = {
    "name": "say what the office is called on its site",
    "contact": "say whom to ask, at the end of every page",
    "color": "choose the color of the site's buttons",
    "logo": "choose the picture beside the office's name",
}
_TEXTS = {"color": "like #1f5c4a, dark enough for white letters", "logo": "a PNG file of at most 32 KB"}
_SETTINGS = {
    PUBLIC_DECIMALS: (
        "show two decimals of ratings to the public, or not",
        "Two decimals of a first rated section reveal the birth date of a player who started by age to within days. "
        "The office and the directors of an event always see everything.",
        "on: two decimals; off: whole numbers",
    ),
    UNCERTAINTY: (
        "show by how many points a Regular rating may be off, or not",
        "On the pages and in the API of members, for live Regular ratings: 1800 ± 255 says that 95 of a hundred such "
        "players are that near to their rating. It is no part of the rating system; it was fitted on official results.",
        "on: members' pages show a ±; off: they do not",
    ),
    MEMBERSHIPS: (
        "hold sections with a player who was no member, or only warn",
        "A membership must last until the section's end or have been renewed since (office members import, 'member "
        "until'). House players, JTP sections, sanctioned state games and foreign masters need none.",
        "on: an error, the section is held; off: a warning",
    ),
    TOTP: (
        "ask accounts of the office for a code beside the password, or not",
        "Codes come from an app on a telephone (TOTP). The first login after this sets it up and shows recovery codes. "
        "Who lost both is helped on the host: crosstable office users second-factor NAME.",
        "on: a code at every login of the office; off: no code of those who have none",
    ),
}


def _show(options: argparse.Namespace) -> None:
    with opened(options) as office, office.reading() as connection:
        found = {setting: is_on(connection, setting) for setting in SETTINGS}
        shown = identity(connection)._asdict()
        founded_as = next(acts(connection)).subject
        days = clock_days(connection)
        consent = consent_state(connection, office.clock())
        keep = kept_days(connection)
    if options.json:
        limits = {f"consent_{name}": value for name, value in consent.limits._asdict().items()}
        found |= {"consent": consent.is_on, "consent_off_from": consent.until, **limits}  # type: ignore[dict-item]
        found |= {f"keep_{name}": days for name, days in keep._asdict().items()}
        print_json({"format": "crosstable-office-settings/1", **found, "clock_days": days, **shown})
        return
    for setting, on in found.items():
        say(f"{setting.replace('_', '-')}: {ON if on else OFF}")
    until = "" if consent.until is None else f", until {american(consent.until.date())}"
    say(f"consent: {ON if consent.is_on else OFF}{until}")
    say("consent-limits: " + ", ".join(f"{name} {value}" for name, value in consent.limits._asdict().items()))
    say(f"keep: {_kept(keep)}")
    say(f"clock-days: {days}")
    shown["name"] = shown["name"] or founded_as
    for setting, text in shown.items():
        say(f"{setting}: {('yes' if setting == 'logo' else text) if text else 'not set'}")


def _show_as(options: argparse.Namespace) -> None:
    text = options.text
    if options.setting == "logo" and text:
        text = base64.b64encode(Path(text).read_bytes()).decode()
    with opened(options) as office:
        act = show_as(office, author_of(options), options.setting, text)
    say(f"{options.setting}: " + ("so already" if act is None else f"changed (entry {act})"))


def _keep(options: argparse.Namespace) -> None:
    with opened(options) as office:
        with office.reading() as connection:
            now = kept_days(connection)
        given = {name: days or None for name in now._fields if (days := getattr(options, name)) is not None}
        act = set_kept_days(office, author_of(options), now._replace(**given))
    say(f"keep: {_kept(now._replace(**given))}" + (" already" if act is None else f" (entry {act})"))


def _kept(keep: Keep) -> str:
    return ", ".join(
        f"{name.replace('_', '-')} " + ("for ever" if days is None else counted(days, "day"))
        for name, days in keep._asdict().items()
    )


def add_clear(made: Parser) -> None:
    """What ``office clear`` takes."""
    office_command(made, _clear, "--by", "--reason", epilog="Run it every night, for example from cron.")
    flag(made, "--scrub", "also overwrite what was erased in the file of the database; stop the site first")


def _clear(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = let_go(office, author_of(options, "no longer kept"))
        if (options.scrub or found["originals"]) and not office.store.scrub():
            warn("note: old bytes may still be in the database; see Erasure in the guide (docs/privacy.md)")
    said = [f"{name.replace('_', '-')} {number:,}" for name, number in found.items() if number]
    say(f"cleared: {', '.join(said)}" if said else "nothing is older than it is kept")


def _set_days(options: argparse.Namespace) -> None:
    with opened(options) as office:
        act = set_clock_days(office, author_of(options), options.days)
    say(f"clock-days: {options.days}" + (" already" if act is None else f" (entry {act})"))


def _switch(options: argparse.Namespace) -> None:
    with opened(options) as office:
        act = switch(office, author_of(options), options.setting, on=options.value == ON)
    said = f"{options.setting.replace('_', '-')}: {options.value}"
    say(said + (" already" if act is None else f" (entry {act})"))
