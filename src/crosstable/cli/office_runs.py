"""``office rerate`` and ``office changes``: rating what acts touched, and who changed by how much, and why."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY
from crosstable.cli.office_desk import add_act_options, add_command, add_public_option, deed_of, opened, run_deed
from crosstable.cli.office_documents import ripple_document
from crosstable.cli.office_drawing import (
    Column,
    change_text,
    counted,
    print_json,
    print_table,
    rating_figure,
    say,
    warn,
)
from crosstable.cli.progress import progress
from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.ledger.acts import Act, Deed, act_of
from crosstable.office.ledger.rerate import Run, last_run, rerate, sections_ahead
from crosstable.office.ledger.watching import CheckedResult, StageClock, Watch
from crosstable.office.views import RippleRow, ripple, ripple_size

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from crosstable.cli.office_desk import Commands

# A run prints so many lines of its ripple; ``office changes`` prints all.
MOST_LINES = 30
# Of a ripple of more lines than this only those that are printed are read.
MOST_READ = 2000
MOST_PLACES = 3
MOST_CAUSES = 10
COLUMNS = (
    Column("Member"),
    Column("Name"),
    Column("System"),
    Column("Before", is_right=True),
    Column("After", is_right=True),
    Column("Change", is_right=True),
    Column("Through"),
    Column("Because of"),
)


def add(commands: "Commands") -> None:
    """The commands of this module."""
    made = add_command(
        commands, "rerate", "rate what changed since the last run, and print the rating changes", _rerate
    )
    made.epilog = "Only what the acts since the last run touch is rated; a second run finds nothing to do."
    add_act_options(made)
    made.add_argument("--json", action="store_true", help="print the rating changes as JSON")
    made.add_argument("--times", action="store_true", help="print how long each stage of the run took")
    asked = add_command(
        commands, "changes", "the rating changes of a run: who, by how much, through what, and why", _ripple
    )
    asked.add_argument("run_number", nargs="?", type=int, metavar="RUN", help="the run's act (default: the newest run)")
    asked.add_argument("--member", metavar="ID", default="", help="everything that ever moved this member")
    asked.add_argument("--json", action="store_true", help="print it as JSON")
    add_public_option(asked)


def rated_now(
    office: Office, deed: Deed, clock: StageClock | None = None, checked: Sequence[CheckedResult] = ()
) -> Run | None:
    """A rating run with a bar, where somebody watches."""
    with progress("rating", _sections_ahead(office) if sys.stderr.isatty() else 0) as tell:
        return rerate(office, deed, watch=Watch(tell, clock or StageClock(), checked=checked))


def _sections_ahead(office: Office) -> int:
    with office.reading() as connection:
        return sections_ahead(connection)


def rate_if_asked(office: Office, options: argparse.Namespace, why: str) -> int:
    """Rate at once where ``--rate`` is given; otherwise say that a run is due."""
    if options.rate:
        return rate_and_tell(office, run_deed(options, why))
    say("ratings follow with the next run: crosstable office rerate")
    return 0


def rate_and_tell(
    office: Office,
    deed: Deed,
    *,
    is_brief: bool = False,
    idle: str = "",
    clock: StageClock | None = None,
    checked: Sequence[CheckedResult] = (),
) -> int:
    """Rate, and print what changed; in brief, ratings that are new are only counted. ``idle``: nothing was to do."""
    made = rated_now(office, deed, clock, checked)
    if made is None or (is_brief and not made.ripple):
        if idle:
            say(idle)
        return 0
    with office.reading() as connection:
        many, changed = ripple_size(connection, made.act)
        say(f"run {made.act}: {counted(made.sections, 'section')} rated, {counted(changed, 'rating')} new or changed")
        lines = ripple(connection, made.act, most=MOST_LINES if many > MOST_READ else None)
        wanted = [line for line in lines if line.rating_before is not None] if is_brief else lines
        print_ripple(wanted[:MOST_LINES], _causes(connection, wanted[:MOST_LINES]))
    left = max(many if many > MOST_READ else 0, len(wanted)) - MOST_LINES
    if left > 0:
        say(f"and {left:,} more: crosstable office changes {made.act}")
    return _tell_unratable(made)


def _tell_unratable(made: Run) -> int:
    for key, why in made.unratable.items():
        warn(f"event {key.event_id}, section {key.section} cannot be rated: {why}")
    return FAULTY if made.unratable else 0


def _rerate(options: argparse.Namespace) -> int:
    with opened(options) as office:
        deed, clock = deed_of(options, "rating run"), StageClock()
        if not options.json:
            idle = "nothing to rate: no act since the last run touches a rating"
            code = rate_and_tell(office, deed, idle=idle, clock=clock)
            _tell_times(clock if options.times else StageClock())
            return code
        made = rated_now(office, deed, clock)
        _tell_times(clock if options.times else StageClock())
        with office.reading() as connection:
            lines = [] if made is None else ripple(connection, made.act)
            run = None if made is None else made.act
            causes = _causes(connection, lines).values()
            print_json(ripple_document(run, lines, causes, is_public=False))
        return 0 if made is None else _tell_unratable(made)


def _tell_times(clock: StageClock) -> None:
    """How long each stage took; not among the answers, which may be JSON."""
    for name, seconds in clock.seconds.items():
        warn(f"{name:<22} {seconds:8.2f} s")


def _ripple(options: argparse.Namespace) -> int:
    if options.public:
        return _public_ripple(options)
    with opened(options) as office, office.reading() as connection:
        lines = ripple(connection, options.run_number, member_id=options.member)
        causes = _causes(connection, lines)
        if options.run_number is not None and not lines and not _is_run(connection, options.run_number):
            raise OfficeError(
                f"act {options.run_number} is no rating run; crosstable office log --kind rate shows them"
            )
    if options.json:
        print_json(ripple_document(options.run_number, lines, causes.values(), is_public=False))
    elif lines:
        print_ripple(lines, causes, with_runs=bool(options.member))
    else:
        say("nobody's rating changed")
    return 0


def _public_ripple(options: argparse.Namespace) -> int:
    """The ripple of one run as anybody may see it; what moved a member is told by his public history."""
    from crosstable.cli import office_public

    if options.member:
        raise OfficeError("the public form is of one run: crosstable office changes RUN --public")
    with opened(options) as office, office.reading() as connection:
        run = last_run(connection) if options.run_number is None else options.run_number
        if not _is_run(connection, run):
            raise OfficeError(f"act {run} is no rating run; crosstable office log --kind rate shows them")
    options.known_on = None
    return office_public.ripple(options, run)


def _is_run(connection: "Connection", number: int) -> bool:
    found = act_of(connection, number)
    return found is not None and found.kind.value == "rate"


def _causes(connection: "Connection", lines: Sequence[RippleRow]) -> dict[int, Act]:
    """The acts behind some lines."""
    numbers = sorted({act for line in lines for act in line.causes})
    return {number: act for number in numbers if (act := act_of(connection, number)) is not None}


def print_ripple(lines: Sequence[RippleRow], causes: dict[int, Act], *, with_runs: bool = False) -> None:
    """A ripple as a table, and below it the acts that caused it."""
    shown = [line for line in lines if line.change != 0.0]
    rows = [
        (
            line.member_id,
            line.name,
            line.system.name,
            rating_figure(line.rating_before),
            rating_figure(line.rating_after),
            change_text(line.rating_before, line.rating_after),
            _places(line),
            _acts_text(line) + (f", run {line.run}" if with_runs else ""),
        )
        for line in shown
    ]
    if rows:
        print_table(COLUMNS, rows)
    if len(shown) < len(lines):
        say(f"{counted(len(lines) - len(shown), 'rating')} more came out the same")
    for act in list(causes.values())[:MOST_CAUSES]:
        why = f": {act.reason}" if act.reason else ""
        say(f"act {act.seq}: {act.kind.value} {act.subject}, {act.at:%Y-%m-%d} by {act.actor}{why}")
    if len(causes) > MOST_CAUSES:
        say(f"and {counted(len(causes) - MOST_CAUSES, 'more act')}: crosstable office log")


def _places(line: RippleRow) -> str:
    """The sections through which a change went; an opening or a decision is the member's own."""
    own = [f"{event}/{number}" for event, number in line.sections if not event.startswith("@")]
    some = own[:MOST_PLACES]
    if len(own) > MOST_PLACES:
        some.append(f"and {len(own) - MOST_PLACES} more")
    return ", ".join(some) or "own standing"


def _acts_text(line: RippleRow) -> str:
    some = [str(number) for number in line.causes[:MOST_PLACES]]
    if len(line.causes) > MOST_PLACES:
        some.append("…")
    return f"act {', '.join(some)}"
