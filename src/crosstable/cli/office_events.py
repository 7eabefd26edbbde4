"""``office submit``, ``correct``, ``confirm``, ``withdraw``: events into the record; earlier versions stay in it."""

import argparse
from collections.abc import Sequence

from crosstable.cli.office_access import author_of, login_name, office_command, opened, today
from crosstable.cli.office_accounts import asking, done_or_proposed, is_by_two, tell_proposed
from crosstable.cli.office_changes import rate_and_tell, rate_if_asked
from crosstable.cli.options import Parser, also, flag, option, take
from crosstable.cli.printing import Bar, say, sections_text, warn_of_faults
from crosstable.errors import FAULTY, FormatError, RefusedError, Severity
from crosstable.formats.detect import Input, inputs
from crosstable.office.comparing import birth_differences
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    Seen,
    confirm,
    correct_by_file,
    correct_member,
    correct_result,
)
from crosstable.office.database import Office
from crosstable.office.effects import submit_first
from crosstable.office.ledger.facts import Person, State
from crosstable.office.originals import newcomers_waiting
from crosstable.office.proposals import confirmation, note_proposed, withdrawal
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.status import about_event
from crosstable.office.submissions import Status, Submission, SubmitOptions, document_of
from crosstable.office.views import known
from crosstable.sentences import counted

MOST_DIFFERENCES = 20
_RESULT_OPTIONS = ("section", "player", "round", "result")


def add_submit(made: Parser) -> None:
    """What ``office submit`` takes."""
    office_command(
        made,
        _submit,
        *("--new-members", "--no-rate", "--by", "--reason"),
        epilog="A section with errors is held and named; the others go on. Submitting the same file again changes "
        "nothing. A different file of the same event is offered as a correction. Exit code 1: a file was refused or "
        "differs, or a section is held.",
    )
    take(made, "files", files="an event file, or a folder with the three DBF files")
    words = "with --new-members: the file's ratings before the event are their starting ratings"
    also(made, "--openings", flag(made, "--starting-ratings", words))


def _submit(options: argparse.Namespace) -> int:
    if options.starting_ratings and not options.new_members:
        raise RefusedError("--starting-ratings needs --new-members")
    chosen = inputs(options.files)
    with opened(options) as office:
        found = _submit_all(office, options, chosen)
        is_sound = all(one.status in (Status.ACCEPTED, Status.KNOWN) and not one.held for one in found)
        stored = sum(one.status is Status.ACCEPTED for one in found)
        code = 0
        if not options.no_rate:
            checked = [each for one in found for each in one.checked]
            code = rate_and_tell(office, options, f"after submitting {counted(stored, 'event')}", checked=checked)
        elif stored:
            say("not rated yet; to rate: crosstable office rerate")
    return code if is_sound else FAULTY


def _submit_all(office: Office, options: argparse.Namespace, chosen: Sequence[Input]) -> list[Submission]:
    """Submit one file after the other, each in a transaction of its own, and tell what became of them."""
    found: list[Submission] = []
    try:
        with Bar("submitting", len(chosen)) as bar:
            for done, given in enumerate(chosen, start=1):
                found.append(_submit_one(office, options, given))
                bar.done(done)
    finally:  # also when the user stops it half-way: these files are done
        for made in found:
            _tell_submitted(office, made)
    return found


def _submit_one(office: Office, options: argparse.Namespace, given: Input) -> Submission:
    try:
        document = document_of(given)
    except FormatError as error:
        return Submission(given.name, Status.REFUSED, faults=(error.fault,))
    wanted = SubmitOptions(options.new_members, options.starting_ratings)
    made = submit_first(office, author_of(options), document, today(office), wanted)
    with office.reading() as connection:
        private = birth_differences(known(connection).record, document.reading.report)
    if private:
        note_apart(office, SecurityKind.BIRTH_DATE_READ, login_name(), f"event {made.event_id}", by="office submit")
    return made._replace(faults=(*made.faults, *private))


def _tell_submitted(office: Office, made: Submission) -> None:
    """What became of a file."""
    name = made.name
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
        _tell_accepted(made)


def _tell_accepted(made: Submission) -> None:
    warn_of_faults(made.name, made.faults)
    event = f"event {made.event_id}{f' {made.event_name}' if made.event_name else ''}"
    say(f"{made.name}: {event}, {sections_text(made.accepted)} accepted (entry {made.act})")
    for held in made.held:
        severities = [fault.severity for fault in held.faults]
        errors, to_confirm = severities.count(Severity.ERROR), severities.count(Severity.CONFIRM)
        why = [counted(errors, "error")] if errors or not to_confirm else []
        why += [f"{to_confirm} to confirm"] if to_confirm else []
        say(f"  held: section {held.number}{f' {held.name}' if held.name else ''}, {', '.join(why)}")
    if made.held:
        stopping = {fault.severity for held in made.held for fault in held.faults}
        if Severity.CONFIRM in stopping:
            say(f"  to agree to it: crosstable office confirm {made.event_id} (to refuse it: --without-requests)")
        if Severity.ERROR in stopping:
            say(f"  to correct it: crosstable office correct {made.event_id} FILE (or --member WRONG=RIGHT)")
        if any(fault.code == "member-not-known" for held in made.held for fault in held.faults):
            say(f"  to add missing members: crosstable office confirm {made.event_id} --new-members")


def _tell_waiting(office: Office, event_id: str) -> None:
    """Sections of a known event that rate nobody, and what would change that."""
    with office.reading() as connection:
        headings = known(connection).record.headings_of(event_id)
    for one in headings:
        if one.state is State.HELD:
            say(f"  section {one.number} is held; to accept it: crosstable office confirm {event_id} [--new-members]")
        elif one.state is State.WITHDRAWN:
            say(f"  section {one.number} is withdrawn; to bring it back: crosstable office correct {event_id} FILE")


def add_correct(made: Parser) -> None:
    """What ``office correct`` takes."""
    office_command(
        made,
        _correct,
        *("event", "--by", "--reason!", "--account", "--rate"),
        epilog="Give one of: a FILE that replaces the event; --section, --player, --round and --result for one game, "
        "which is changed on both rows; --member. Exit code 1: the corrected event has errors, or nothing differs. "
        "Nothing is stored then.",
    )
    option(made, "file FILE", "the corrected event, in any known format", nargs="*")
    option(made, "--section S", "the section of the result", type=int)
    option(made, "--player P", "the player's number in the section", type=int)
    option(made, "--round R", "the round", type=int)
    option(made, "--result W7", "the correct result of the player: W7, L7b, D3, X, H …")
    option(made, "--member WRONG=RIGHT", "a wrong member id and the correct one")
    flag(made, "--request", "only request it; crosstable office confirm accepts it")


def _correct(options: argparse.Namespace) -> int:
    if wrong := _wrong_usage(options):
        raise RefusedError(wrong)
    with opened(options) as office:
        try:
            made = _corrected(office, options)
        except FormatError as error:
            warn_of_faults(options.file[0], [error.fault])
            raise RefusedError("the file cannot be read; nothing was stored", FAULTY) from error
        return _tell_corrected(office, options, made)


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
        return f"--member {options.member}: write the wrong id and the correct one as WRONG=RIGHT"
    if options.file and len(inputs(options.file)) > 1:
        return "give one file"
    return ""


def _corrected(office: Office, options: argparse.Namespace) -> Correction:
    author, day, event = author_of(options), today(office), options.event
    asks = asking(office, options, event)
    if options.member is not None:
        wrong, _, right = options.member.partition("=")
        return correct_member(office, author, event, (wrong, right), day, is_request=asks)
    if options.result is not None:
        change = ChangedResult(options.section, options.player, options.round, options.result)
        return correct_result(office, author, event, change, day, is_request=asks)
    document = document_of(inputs(options.file)[0])
    return correct_by_file(office, author, event, document, day, is_request=asks)


def _tell_corrected(office: Office, options: argparse.Namespace, made: Correction) -> int:
    warn_of_faults(f"event {made.event_id}", made.faults)
    if not made.is_stored:
        has_errors = any(fault.severity.stops for fault in made.faults)
        same = f"nothing differs from event {made.event_id} in the record"
        raise RefusedError(f"nothing was stored: {'the corrected event has errors' if has_errors else same}", FAULTY)
    for text in made.differences:
        say(text)
    if made.is_requested:
        if made.proposal is not None:
            note_proposed(office, options.proposer, made.proposal)
            tell_proposed(made.proposal)
            return 0
        say(f"requested (entry {made.act}); to accept it: crosstable office confirm {made.event_id}")
        return 0
    say(f"event {made.event_id} is corrected (entry {made.act})")
    _tell_questions(office, made.event_id)
    return rate_if_asked(office, options, f"after correcting {made.event_id}")


def add_confirm(made: Parser) -> None:
    """What ``office confirm`` takes."""
    office_command(made, _confirm, "event", "--section", "--by", "--reason", "--account", "--rate")
    take(made, "--new-members", new_members="first add the players the office does not know")
    words = "refuse what only the office may say: starting ratings by hand, waivers, other systems, opting in"
    flag(made, "--without-requests", words)


def _confirm(options: argparse.Namespace) -> int:
    with opened(options) as office:
        people: list[Person] = []
        if options.new_members:
            with office.reading() as connection:
                people = newcomers_waiting(known(connection).record, options.event, options.section)
        if is_by_two(office):
            with office.reading() as connection:
                record = known(connection).record
                wish = confirmation(record, options.event, options.section, people, refuses=options.without_requests)
            author = author_of(options, "as it was asked for")
            act = done_or_proposed(office, options, wish, author)
            if act is None:
                return 0
            say(f"event {options.event} is confirmed (entry {act})")
            return rate_if_asked(office, options, f"after confirming {options.event}")
        seen = Seen(newcomers=people, refuses=options.without_requests)
        made = confirm(office, author_of(options), options.event, today(office), options.section, seen)
        told = [one for one in made.faults if not made.is_stored or one.severity is not Severity.CONFIRM]
        warn_of_faults(f"event {made.event_id}", told)
        if not made.is_stored:
            raise RefusedError("nothing was stored: there are still errors", FAULTY)
        if options.new_members:
            say(counted(len(people), "new member") if people else "no new members")
        for text in made.differences:
            say(text)
        say(f"event {made.event_id} is confirmed (entry {made.act})")
        return rate_if_asked(office, options, f"after confirming {made.event_id}")


def add_withdraw(made: Parser) -> None:
    """What ``office withdraw`` takes."""
    office_command(made, _withdraw, "event", "--section", "--by", "--reason!", "--account", "--rate")


def _withdraw(options: argparse.Namespace) -> int:
    with opened(options) as office:
        wish = withdrawal(options.event, tuple(options.section))
        act = done_or_proposed(office, options, wish, author_of(options))
        if act is None:
            return 0
        what = f": {sections_text(options.section)} withdrawn" if options.section else " is withdrawn"
        say(f"event {options.event}{what} (entry {act}); the record keeps what was submitted")
        _tell_questions(office, options.event)
        return rate_if_asked(office, options, f"after withdrawing {options.event}")


def _tell_questions(office: Office, event_id: str) -> None:
    """Money floors that rest on what was withdrawn or changed."""
    with office.reading() as connection:
        for one in about_event(known(connection).record, event_id):
            say(f"member {one.member_id}: {one.message}")
            say(f"    {one.remedy}")
