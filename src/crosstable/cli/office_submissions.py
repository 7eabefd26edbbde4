"""``office submit``: directors' files into the record; checks first, then rating."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY
from crosstable.cli.office_desk import add_act_options, add_command, deed_of, opened, run_deed, today
from crosstable.cli.office_drawing import counted, say, warn, warn_of_faults
from crosstable.cli.office_runs import rate_and_tell
from crosstable.cli.progress import progress
from crosstable.errors import FormatError
from crosstable.formats.detect import Input, inputs
from crosstable.office.database import Office
from crosstable.office.ledger.facts import State
from crosstable.office.submissions import Status, Submission, Wishes, document_of, submit
from crosstable.office.views import known

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

MOST_DIFFERENCES = 20


def add(commands: "Commands") -> None:
    """The command of this module."""
    made = add_command(commands, "submit", "check event files of any known format, record them and rate them", _submit)
    made.epilog = (
        "A section with errors is held and named while the others go on. The same file twice is answered, not "
        "repeated; the same event with other bytes is offered as a correction. Exit code 1: a file was refused, "
        "differs, or has a section that is held."
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file, or a folder with the three DBF files")
    made.add_argument("--new-members", action="store_true", help="add players whom the office does not know yet")
    made.add_argument(
        "--openings",
        action="store_true",
        help="with --new-members: what the file says they had before the event is their opening standing",
    )
    made.add_argument("--no-rate", action="store_true", help="only record; crosstable office rerate rates later")
    add_act_options(made)


def _submit(options: argparse.Namespace) -> int:
    if options.openings and not options.new_members:
        warn("crosstable office submit: --openings needs --new-members")
        return 2
    chosen = inputs(options.files)
    with opened(options) as office:
        found = _submit_all(office, options, chosen)
        is_sound = all(_is_sound(one) for one in found)
        stored = sum(one.status is Status.ACCEPTED for one in found)
        code = 0
        if not options.no_rate:
            checked = [each for one in found for each in one.checked]
            code = rate_and_tell(
                office, run_deed(options, f"after submitting {counted(stored, 'event')}"), checked=checked
            )
        elif stored:
            say("not rated yet: crosstable office rerate")
    return code if is_sound else FAULTY


def _is_sound(one: Submission) -> bool:
    return one.status in (Status.ACCEPTED, Status.KNOWN) and not one.held


def _submit_all(office: Office, options: argparse.Namespace, chosen: Sequence[Input]) -> list[Submission]:
    """Submit one file after the other, each in a transaction of its own, and tell what became of them."""
    wishes = Wishes(options.new_members, options.openings)
    found: list[Submission] = []
    try:
        with progress("submitting", len(chosen)) as tell:
            for done, given in enumerate(chosen, start=1):
                found.append(_submit_one(office, options, given, wishes))
                tell(done)
    finally:  # also when the user stops it half-way: these files are done
        for made in found:
            tell_of(office, made)
    return found


def _submit_one(office: Office, options: argparse.Namespace, given: Input, wishes: Wishes) -> Submission:
    try:
        document = document_of(given)
    except FormatError as error:
        return Submission(given.name, Status.REFUSED, faults=(error.fault,))
    return submit(office, deed_of(options), document, today(office), wishes)


def _tell_waiting(office: Office, event_id: str) -> None:
    """Sections of a known event that rate nobody, and what would change that."""
    with office.reading() as connection:
        headings = known(connection).record.headings_of(event_id)
    for one in headings:
        if one.state is State.HELD:
            say(f"  section {one.number} is held: crosstable office confirm {event_id}, with --new-members if need be")
        elif one.state is State.WITHDRAWN:
            say(f"  section {one.number} is withdrawn: crosstable office correct {event_id} FILE brings it back")


def tell_of(office: Office, made: Submission) -> None:
    """What became of a file."""
    name = made.name
    event = f"event {made.event_id}{f' {made.event_name}' if made.event_name else ''}"
    if made.status is Status.REFUSED:
        warn_of_faults(name, made.faults)
        say(f"{name}: refused; nothing of it was stored")
    elif made.status is Status.KNOWN:
        say(f"{name}: {made.message}")
        _tell_waiting(office, made.event_id)
    elif made.status is Status.DIFFERS:
        say(f"{name}: {made.message.replace('FILE', name)}")
        for text in made.differences[:MOST_DIFFERENCES]:
            say(f"  {text}")
        if len(made.differences) > MOST_DIFFERENCES:
            say(f"  and {len(made.differences) - MOST_DIFFERENCES:,} more differences")
    else:
        warn_of_faults(name, made.faults)
        noun = "section" if len(made.accepted) == 1 else "sections"
        taken = f"{noun} {', '.join(map(str, made.accepted))} accepted" if made.accepted else "no section accepted"
        say(f"{name}: {event}, {taken} (act {made.act})")
        for held in made.held:
            errors = len([fault for fault in held.faults if fault.severity.stops])
            say(f"  held: section {held.number}{f' {held.name}' if held.name else ''}, {counted(errors, 'error')}")
        if made.held:
            say(
                f"  to go on: crosstable office correct {made.event_id} FILE (or --member WRONG=RIGHT) puts it right; "
                f"where only members were missing, crosstable office confirm {made.event_id} --new-members adds them"
            )
