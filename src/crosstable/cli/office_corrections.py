"""``office correct``, ``confirm``, ``withdraw``: new versions of what came in; the old ones stay in the record."""

import argparse
import sys
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, USAGE
from crosstable.cli.office_desk import (
    add_act_options,
    add_command,
    add_rate_option,
    deed_of,
    opened,
    today,
)
from crosstable.cli.office_drawing import counted, say, warn, warn_of_faults
from crosstable.cli.office_runs import rate_if_asked
from crosstable.errors import FormatError
from crosstable.formats.detect import inputs
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    Seen,
    confirm,
    correct_by_file,
    correct_member,
    correct_result,
    withdraw,
)
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Person
from crosstable.office.originals import newcomers_waiting
from crosstable.office.submissions import document_of
from crosstable.office.views import known

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

_RESULT_OPTIONS = ("section", "player", "round", "result")


def add(commands: "Commands") -> None:
    """The commands of this module."""
    _add_correct(commands)
    confirmed = add_command(commands, "confirm", "accept what is held or was asked for, if it is sound", _confirm)
    withdrawn = add_command(commands, "withdraw", "take an event, or sections of it, out of the ratings", _withdraw)
    for made, needs_reason in ((confirmed, False), (withdrawn, True)):
        made.add_argument("event", metavar="EVENT", help="the event's id")
        made.add_argument(
            "--section", type=int, action="append", default=[], metavar="N", help="only this section (repeatable)"
        )
        add_act_options(made, needs_reason=needs_reason)
        add_rate_option(made)
    confirmed.add_argument(
        "--new-members", action="store_true", help="first add players of its file whom the office does not know"
    )


def _add_correct(commands: "Commands") -> None:
    made = add_command(commands, "correct", "put an event right: by another file, one result, or a member id", _correct)
    made.epilog = (
        "Give one of: a FILE that takes the place of what came in; --section, --player, --round and --result for one "
        "game, which is changed on both rows; --member. Exit code 1: the corrected event has errors, or nothing "
        "differs; nothing is stored then."
    )
    made.add_argument("event", metavar="EVENT", help="the event's id")
    made.add_argument("file", nargs="*", metavar="FILE", help="the whole event as it should be, in any known format")
    made.add_argument("--section", type=int, metavar="S", help="the section of one result")
    made.add_argument("--player", type=int, metavar="P", help="the player's number in the section")
    made.add_argument("--round", type=int, metavar="R", help="the round")
    made.add_argument("--result", metavar="W7", help="what the player's cell should say: W7, L7b, D3, X, H …")
    made.add_argument("--member", metavar="WRONG=RIGHT", help="a wrong member id, and the right one")
    made.add_argument("--request", action="store_true", help="only ask for it; crosstable office confirm accepts it")
    add_act_options(made, needs_reason=True)
    add_rate_option(made)


def _correct(options: argparse.Namespace) -> int:
    wrong = _wrong_usage(options)
    if wrong:
        sys.stderr.write(f"crosstable office correct: {wrong}\n")
        return USAGE
    with opened(options) as office:
        try:
            made = _made(office, options)
        except FormatError as error:
            warn_of_faults(options.file[0], [error.fault])
            warn("the file cannot be read; nothing was stored")
            return FAULTY
        return _tell(office, options, made)


def _wrong_usage(options: argparse.Namespace) -> str:
    """What is wrong with the options, nothing where they say one thing."""
    given = [name for name in _RESULT_OPTIONS if getattr(options, name) is not None]
    ways = bool(options.file) + bool(given) + (options.member is not None)
    if ways != 1:
        return "give a FILE, or --section, --player, --round and --result, or --member WRONG=RIGHT"
    if given and len(given) < len(_RESULT_OPTIONS):
        missing = [f"--{name}" for name in _RESULT_OPTIONS if name not in given]
        return f"one result needs {', '.join(missing)} too"
    if options.member is not None and not all(options.member.partition("=")):
        return f"--member {options.member}: write the wrong id and the right one as WRONG=RIGHT"
    if options.file and len(inputs(options.file)) > 1:
        return "give one file"
    return ""


def _made(office: Office, options: argparse.Namespace) -> Correction:
    deed, day, event = deed_of(options), today(office), options.event
    if options.member is not None:
        wrong, _, right = options.member.partition("=")
        return correct_member(office, deed, event, (wrong, right), day, is_request=options.request)
    if options.result is not None:
        change = ChangedResult(options.section, options.player, options.round, options.result)
        return correct_result(office, deed, event, change, day, is_request=options.request)
    document = document_of(inputs(options.file)[0])
    return correct_by_file(office, deed, event, document, day, is_request=options.request)


def _tell(office: Office, options: argparse.Namespace, made: Correction) -> int:
    warn_of_faults(f"event {made.event_id}", made.faults)
    if not made.is_stored:
        if any(fault.severity.stops for fault in made.faults):
            warn("nothing was stored: as corrected, the event has errors")
        else:
            warn(f"nothing was stored: nothing differs from what the record says of event {made.event_id}")
        return FAULTY
    for text in made.differences:
        say(text)
    if made.is_requested:
        say(f"asked for (act {made.act}); crosstable office confirm {made.event_id} accepts it")
        return 0
    say(f"event {made.event_id} is corrected (act {made.act})")
    return rate_if_asked(office, options, f"after correcting {made.event_id}")


def _confirm(options: argparse.Namespace) -> int:
    with opened(options) as office:
        people: list[Person] = []
        if options.new_members:
            with office.reading() as connection:
                people = newcomers_waiting(known(connection).record, options.event, options.section)
        seen = Seen(newcomers=people)
        made = confirm(office, deed_of(options), options.event, today(office), options.section, seen)
        warn_of_faults(f"event {made.event_id}", made.faults)
        if not made.is_stored:
            warn("nothing was stored: there are still errors")
            return FAULTY
        if options.new_members:
            say(counted(len(people), "new member") if people else "no new members")
        for text in made.differences:
            say(text)
        say(f"event {made.event_id} is confirmed (act {made.act})")
        return rate_if_asked(office, options, f"after confirming {made.event_id}")


def _withdraw(options: argparse.Namespace) -> int:
    with opened(options) as office:
        act = withdraw(office, deed_of(options), options.event, options.section)
        which = f"section {', '.join(map(str, options.section))} of event" if options.section else "event"
        say(f"{which} {options.event} is withdrawn (act {act}); the record keeps what came in")
        return rate_if_asked(office, options, f"after withdrawing {options.event}")
