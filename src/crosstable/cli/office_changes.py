"""``office rerate``, ``changes``, ``log``: runs, the rating changes of each, and the journal: who did what and why."""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crosstable.cli.office_access import author_of, login_name, office_command, opened
from crosstable.cli.options import Parser, count, flag, option, take
from crosstable.cli.printing import Bar, columns, print_json, print_table, say, warn
from crosstable.errors import FAULTY, OfficeError
from crosstable.office.database import Office
from crosstable.office.ledger.journal import Author, EntryKind, JournalEntry, act_of
from crosstable.office.ledger.postings import OWN
from crosstable.office.ledger.rerate import Run, last_run, rerate, sections_ahead
from crosstable.office.ledger.runs import RatedInSystems, StageClock, Watch
from crosstable.office.public import PublicChange, PublicEntry, PublicOffice
from crosstable.office.security_log import SecurityEntry, security_entries
from crosstable.office.views import StoredChange, log, ripple, ripple_size
from crosstable.sentences import american, counted

if TYPE_CHECKING:
    from sqlalchemy import Connection

# A run prints so many lines of its rating changes; ``office changes`` prints all.
MOST_LINES = 30
# Of rating changes of more lines than this only those that are printed are read.
MOST_READ = 2000
MOST_PLACES = 3
MOST_CAUSES = 10
SECURITY_COLUMNS = columns(">Entry", "When (UTC)", "Who", "What", "About", "~More")
LOG_COLUMNS = columns(">Entry", "When (UTC)", "Who", "~What", "About", "~Why")
# What reveals more of a member than the journal may show.
_NOT_SHOWN = ("birth_date", "birth_year", "secret")
COLUMNS = columns("Member", "Name", "System", ">Before", ">After", ">Change", "Through", "Because of")


def add_rerate(made: Parser) -> None:
    """What ``office rerate`` takes."""
    epilog = "Only what journal entries since the last run touch is rated. A second run finds nothing to do."
    office_command(made, _rerate, "--by", "--reason", epilog=epilog)
    take(made, "--json", json="print the rating changes as JSON")
    flag(made, "--times", "print the time of each stage")


def _rerate(options: argparse.Namespace) -> int:
    with opened(options) as office:
        clock = StageClock()
        made = _rated_now(office, author_of(options, "rating run"), clock)
        if options.times:  # not among the answers, which may be JSON
            for name, seconds in clock.seconds.items():
                warn(f"{name:<22} {seconds:8.2f} s")
        if options.json:
            with office.reading() as connection:
                lines = [] if made is None else ripple(connection, made.act)
                causes = _causes(connection, lines).values()
                print_json(changes_document(None if made is None else made.act, lines, causes))
            return 0 if made is None else _tell_unratable(made)
        if made is None:
            say("nothing to rate: no journal entry since the last run touches a rating")
            return 0
        return _tell_run(office, made)


def rate_if_asked(office: Office, options: argparse.Namespace, why: str) -> int:
    """Rate at once where ``--rate`` is given; otherwise say that a run is due."""
    if options.rate:
        return rate_and_tell(office, options, why)
    say("not rated yet; to rate: crosstable office rerate")
    return 0


def rate_and_tell(
    office: Office,
    options: argparse.Namespace,
    why: str,
    *,
    is_brief: bool = False,
    checked: Sequence[RatedInSystems] = (),
) -> int:
    """Rate after another command, and print what changed; the reason given is that of the other command."""
    made = _rated_now(office, Author(options.by or login_name(), why), StageClock(), checked)
    if made is None or (is_brief and not made.ripple):
        return 0
    return _tell_run(office, made, is_brief=is_brief)


def _rated_now(office: Office, author: Author, clock: StageClock, checked: Sequence[RatedInSystems] = ()) -> Run | None:
    ahead = 0
    if sys.stderr.isatty():
        with office.reading() as connection:
            ahead = sections_ahead(connection)
    with Bar("rating", ahead) as bar:
        return rerate(office, author, watch=Watch(bar.done, clock, checked=checked))


def _tell_run(office: Office, made: Run, *, is_brief: bool = False) -> int:
    """What a run changed; in brief, ratings that are new are only counted."""
    with office.reading() as connection:
        many, changed = ripple_size(connection, made.act)
        say(f"run {made.act}: {counted(made.sections, 'section')} rated, {counted(changed, 'rating')} new or changed")
        lines = ripple(connection, made.act, most=MOST_LINES if many > MOST_READ else None)
        wanted = [line for line in lines if line.rating_before is not None] if is_brief else lines
        _print_changes(wanted[:MOST_LINES], _causes(connection, wanted[:MOST_LINES]))
    left = max(many if many > MOST_READ else 0, len(wanted)) - MOST_LINES
    if left > 0:
        say(f"and {left:,} more: crosstable office changes {made.act}")
    return _tell_unratable(made)


def _tell_unratable(made: Run) -> int:
    for key, why in made.unratable.items():
        warn(f"event {key.event_id}, section {key.section} cannot be rated: {why}")
    return FAULTY if made.unratable else 0


def add_changes(made: Parser) -> None:
    """What ``office changes`` takes."""
    office_command(made, _changes, "--json", "--public")
    option(made, "run_number RUN", "the run's journal entry (default: the newest)", nargs="?", type=int)
    option(made, "--member ID", "everything that ever changed this member's ratings", default="")


def _changes(options: argparse.Namespace) -> None:
    if options.public and options.member:
        raise OfficeError("the public form is for one run: crosstable office changes RUN --public")
    with opened(options) as office, office.reading() as connection:
        run = last_run(connection) if options.public and options.run_number is None else options.run_number
        act = None if run is None else act_of(connection, run)
        if run is not None and not options.member and (act is None or act.kind is not EntryKind.RATE):
            raise OfficeError(f"entry {run} is not a rating run; crosstable office log --kind rate lists them")
        if options.public:
            _print_public(PublicOffice(connection, None), run, options)
            return
        lines = ripple(connection, run, member_id=options.member)
        causes = _causes(connection, lines)
    if options.json:
        print_json(changes_document(run, lines, causes.values()))
    elif lines:
        _print_changes(lines, causes, with_runs=bool(options.member))
    else:
        say("no rating changed")


def _causes(connection: "Connection", lines: Sequence[StoredChange]) -> dict[int, JournalEntry]:
    """The journal entries behind some lines."""
    numbers = sorted({act for line in lines for act in line.causes})
    return {number: act for number in numbers if (act := act_of(connection, number)) is not None}


def _print_changes(lines: Sequence[StoredChange], causes: dict[int, JournalEntry], *, with_runs: bool = False) -> None:
    """Rating changes as a table, and below it the journal entries that caused them."""
    shown = [line for line in lines if line.change != 0.0]
    rows = [
        (
            *(line.member_id, line.name, line.system.name),
            *(rating_figure(line.rating_before), rating_figure(line.rating_after)),
            change_text(line.rating_before, line.rating_after),
            _some(_places(line.sections), f"and {len(_places(line.sections)) - MOST_PLACES} more") or "own record",
            f"entry {_some(list(map(str, line.causes)), '…')}" + (f", run {line.run}" if with_runs else ""),
        )
        for line in shown
    ]
    print_table(COLUMNS, rows)
    if len(shown) < len(lines):
        say(f"{counted(len(lines) - len(shown), 'rating')} more did not change")
    for act in list(causes.values())[:MOST_CAUSES]:
        why = f": {act.reason}" if act.reason else ""
        say(f"entry {act.seq}: {act.kind.value} {act.subject}, {american(act.at)} by {act.actor}{why}")
    if len(causes) > MOST_CAUSES:
        say(f"and {counted(len(causes) - MOST_CAUSES, 'more entry', 'more entries')}: crosstable office log")


def _places(sections: Iterable[tuple[str, int]]) -> list[str]:
    """The sections through which a change went; a starting rating or a decision is the member's own."""
    return [f"{event}/{number}" for event, number in sections if not event.startswith(OWN)]


def _some(texts: list[str], rest: str) -> str:
    return ", ".join([*texts[:MOST_PLACES], rest] if len(texts) > MOST_PLACES else texts)


def _print_public(office: PublicOffice, run: int, options: argparse.Namespace) -> None:
    """The rating changes of one run as anybody may see them."""
    lines = office.ripple(run)
    if options.json:
        causes = office.acts({act for line in lines for act in line.causes})
        print_json(changes_document(run, lines, causes, public=True))
        return
    rows = [
        (
            *(line.member_id, line.name, line.system.name),
            *("" if end is None else end.text for end in (line.before, line.after)),
            *("", ", ".join(_places(line.sections)), f"entry {', '.join(map(str, line.causes))}"),
        )
        for line in lines
    ]
    print_table(COLUMNS, rows, "no rating changed")


def rating_figure(rating: float | None) -> str:
    """A rating to the hundredth."""
    return "" if rating is None else f"{rating:.2f}"


def change_text(before: float | None, after: float | None) -> str:
    """By how much a rating moved."""
    if after is None:
        return "gone"
    return "new" if before is None else f"{after - before:+.2f}"


def changes_document(
    run: int | None,
    lines: Sequence[StoredChange | PublicChange],
    causes: Iterable[JournalEntry | PublicEntry],
    **public: bool,
) -> dict[str, Any]:
    """``crosstable-office-ripple/1``: the rating changes of a run, and the journal entries that caused them."""
    return {
        "format": "crosstable-office-ripple/1",
        **public,
        "run": run if run is not None else lines[0].run if lines else None,
        "lines": [_line_object(line) for line in lines],
        "acts": {
            str(act.seq): {"kind": str(act.kind), "subject": act.subject, "by": act.actor, "reason": act.reason}
            for act in causes
        },
    }


def _line_object(line: StoredChange | PublicChange) -> dict[str, Any]:
    if isinstance(line, PublicChange):
        before, after = (None if end is None else end.rating for end in (line.before, line.after))
        change = line.change
    else:
        before, after = line.rating_before, line.rating_after
        change = None if math.isnan(line.change) else line.change
    return {
        "run": line.run,
        "member": line.member_id,
        "name": line.name,
        "system": line.system.name,
        "before": before,
        "after": after,
        "change": change,
        "sections": line.sections,
        "acts": line.causes,
    }


def add_log(made: Parser) -> None:
    """What ``office log`` takes."""
    office_command(made, _log, "--known-on", "--json", "--public")
    option(made, "subject EVENT|MEMBER", "only entries about it", nargs="?", default="")
    kinds = [kind.value for kind in EntryKind]
    made.add_argument("--kind", action="append", default=[], choices=kinds, help="only this kind of entry (repeatable)")
    option(made, "--last N", "only the newest N", type=count)
    words = "the security log: accounts, tokens, logins of the office, approvals, who read birth dates"
    flag(made, "--security", words)


def _security(options: argparse.Namespace) -> None:
    """The security log, which is chained like the journal."""
    with opened(options) as office, office.reading() as connection:
        found = security_entries(connection, options.last)
    found = [one for one in found if options.subject in ("", one.subject)]
    if options.json:
        entries = [{**one._asdict(), "at": one.at.isoformat()} for one in found]
        print_json({"format": "crosstable-office-security-log/1", "entries": entries})
        return
    print_table(SECURITY_COLUMNS, [_security_row(one) for one in found], "the security log is empty")
    if found:
        say(f"head of the security log {found[-1].digest}")


def _security_row(one: SecurityEntry) -> tuple[str, ...]:
    more = ", ".join(f"{name} {value}" for name, value in one.details.items() if value not in (None, ""))
    return str(one.seq), f"{one.at:%Y-%m-%d %H:%M}", one.actor, one.kind, one.subject, more


def _log(options: argparse.Namespace) -> None:
    if options.security:
        _security(options)
        return
    found: Sequence[JournalEntry | PublicEntry]
    with opened(options) as office, office.reading() as connection:
        if options.public:
            every = PublicOffice(connection, options.known_on).log()
            some = [act for act in every if options.subject in ("", act.subject)]
            found = [act for act in some if act.kind in (options.kind or [act.kind])]
        else:
            found = log(connection, options.known_on, subject=options.subject, kinds=options.kind)
    if options.last is not None:
        found = found[-options.last :]
    if options.json:
        public = {"public": True} if options.public else {}
        print_json({"format": "crosstable-office-log/1", **public, "acts": [_act_object(act) for act in found]})
    else:
        print_table(LOG_COLUMNS, [_log_row(act) for act in found], "no such journal entry")


def _log_row(act: JournalEntry | PublicEntry) -> tuple[str, ...]:
    words = what_was_done(act) if isinstance(act, JournalEntry) else ""
    what = f"{act.kind}: {words}" if words else str(act.kind)
    who = act.author if isinstance(act, JournalEntry) else act.actor
    return str(act.seq), f"{act.at:%Y-%m-%d %H:%M}", who, what, act.subject, act.reason


def _act_object(act: JournalEntry | PublicEntry) -> dict[str, Any]:
    found = {
        "act": act.seq,
        "at": act.at.isoformat(),
        "kind": str(act.kind),
        "by": act.actor,
        "reason": act.reason,
        "about": act.subject,
    }
    if act.approved_by:
        found["approved_by"] = act.approved_by
    if isinstance(act, PublicEntry):
        return {**found, "after": dict(act.said)}
    if act.login:
        found["login"] = act.login
    return {**found, "before": _shown(act.before), "after": _shown(act.after), "digest": act.digest}


def _shown(value: Any) -> Any:  # noqa: ANN401 (what an entry wrote is any JSON)
    """What a journal entry wrote, without the birth date of a member and the secret of the office."""
    if not isinstance(value, dict):
        return value
    return {name: "not shown" if name in _NOT_SHOWN and inner else inner for name, inner in value.items()}


def what_was_done(act: JournalEntry) -> str:
    """What a journal entry did, in a few words."""
    words = _WORDS.get(act.kind)
    return "" if words is None else words(act)


def _members(act: JournalEntry) -> str:
    if "members" not in act.after:
        before = act.before or {}
        return ", ".join(name.replace("_", " ") for name, value in act.after.items() if before.get(name) != value)
    said = {"new": "{} new", "changed": "{} changed", "opened": "{} starting ratings"}
    return ", ".join(words.format(act.after[name]) for name, words in said.items() if act.after.get(name))


def _submitted(act: JournalEntry) -> str:
    states = [state for state, _ in act.after["sections"].values()]
    held = states.count("held")
    return counted(len(states), "section") + (f", {held} held" if held else "")


def _corrected(act: JournalEntry) -> str:
    found = act.after["differences"]
    asked = "requested: " if act.after["requested"] else ""
    return f"{asked}{found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")


def _decided(act: JournalEntry) -> str:
    value = act.after["value"]
    return f"{act.after['kind']}{f' {value:g}' if value is not None else ''}"


def _sections(act: JournalEntry) -> str:
    said = []
    for name, word in (("sections", "section"), ("withdrawn", "withdrawn: section")):
        if act.after.get(name):
            said.append(f"{word} {', '.join(map(str, act.after[name]))}")
    if granted := act.after.get("granted"):
        said.append(f"agreed: {granted[0]}" + (f" and {len(granted) - 1} more" if len(granted) > 1 else ""))
    return "; ".join(said)


_WORDS: Mapping[EntryKind, Callable[[JournalEntry], str]] = {
    EntryKind.MEMBERS: _members,
    EntryKind.OPENING: _members,
    EntryKind.MERGE: lambda act: f"into {act.after['into']}",
    EntryKind.UNMERGE: lambda act: f"from {act.after['into']}",
    EntryKind.SUBMIT: _submitted,
    EntryKind.IMPORT: lambda act: (
        f"{counted(act.after['events'], 'event')}, {counted(act.after['sections'], 'section')}"
    ),
    EntryKind.CONFIRM: _sections,
    EntryKind.CORRECT: _corrected,
    EntryKind.WITHDRAW: _sections,
    EntryKind.DECIDE: _decided,
    EntryKind.RATE: lambda act: (
        f"{counted(act.after['sections'], 'section')}, {counted(act.after['postings'], 'posting')}"
    ),
    EntryKind.PUBLISH: lambda act: f"{counted(act.after['rows'], 'row')}",
    EntryKind.SETTINGS: lambda act: (
        f"{act.subject} {act.after.get('clock_days') or ('on' if any(act.after.values()) else 'off')}"
    ),
    EntryKind.UPGRADE: lambda act: f"from schema {act.after['from']} to {act.after['to']}",
    EntryKind.ERASE: lambda act: "personal values" if act.after["members"] else "originals that are no longer kept",
    EntryKind.CLOCK: lambda act: f"the clock is right; the entry before it was stamped {act.after['last']}",
}
