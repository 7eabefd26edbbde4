"""``office users`` and ``office tokens``: who may come in through the site; the host makes the first account here.

Also ``office proposals``, and what takes two people on the command line: proposed by one account, approved by another.
"""

import argparse
import getpass
import sys
from collections.abc import Callable, Sequence
from datetime import datetime

from crosstable.cli.office_access import author_of, login_name, office_command, opened
from crosstable.cli.office_changes import rate_and_tell
from crosstable.cli.options import Parser, add_command, add_commands, flag, option, take
from crosstable.cli.printing import columns, print_json, print_table, say, warn
from crosstable.errors import OfficeError, RefusedError
from crosstable.office.accounts import (
    Account,
    NewAccount,
    Role,
    account_of,
    accounts,
    add_account,
    set_disabled,
    set_password,
)
from crosstable.office.consent import consent_state, is_consent_on, set_consent_limits, switch_consent
from crosstable.office.corrections import RequestPolicy
from crosstable.office.credentials import (
    LONGEST_DAYS,
    NewToken,
    Proven,
    Scope,
    Token,
    add_token,
    proven_by_password,
    revoke_token,
    tokens,
)
from crosstable.office.database import Office
from crosstable.office.effects import Foreseen, foreseen
from crosstable.office.late_facts import facts_wish
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.journal import Author
from crosstable.office.proposals import (
    Proposal,
    ProposalKind,
    ProposalState,
    ProposedAction,
    approve,
    carry_out,
    carry_out_alone,
    consent_wish,
    correction_needs_two,
    needs_two,
    proposal_of,
    proposals,
    propose,
    propose_request,
    refuse,
)
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.sentences import american, counted
from crosstable.terms import PlayerRating, Report

COLUMNS = columns(">No.", "By", "~What", "~Why", "State", ">Entry")
CHANGED = columns("Member", "Name", "System", ">Before", ">After")
# So many rating changes are printed before somebody approves.
MOST_CHANGES = 40


def is_by_two(office: Office) -> bool:
    """Whether the office has switched consent on."""
    with office.reading() as connection:
        return is_consent_on(connection, office.clock())


def proven_account(office: Office, name: str) -> Proven:
    """Somebody of the office, who types the password of their account."""
    return proven_by_password(office, name, one_password(f"Password of {name}: "))


def one_password(prompt: str) -> str:
    """A password, typed on a terminal, or the next line of standard input."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")


def done_or_proposed(office: Office, options: argparse.Namespace, wish: ProposedAction, author: Author) -> int | None:
    """Do what the host wishes, or propose it where the office has switched consent on and it takes two people."""
    if not is_by_two(office):
        return carry_out(office, author, wish)
    if not needs_two(office, wish):
        return carry_out_alone(office, author, wish)
    who = proposer(office, options, wish.summary)
    number = propose(office, Author(who.name, author.reason or wish.summary), wish, who.credential)
    tell_proposed(number)
    return None


def propose_facts(office: Office, options: argparse.Namespace, author: Author, people: Sequence[Person]) -> None:
    """Propose facts about members that two people have to agree on."""
    wish = facts_wish(people)
    who = proposer(office, options, wish.summary)
    number = propose(office, Author(who.name, author.reason or wish.summary), wish, who.credential)
    tell_proposed(number, warn if getattr(options, "json", False) else say)


def proposer(office: Office, options: argparse.Namespace, summary: str) -> Proven:
    """Who proposes: somebody of the office with an account, for two names alone could be one person."""
    if not options.account:
        raise RefusedError(f"consent is on, and this takes two people ({summary}): say who proposes it: --account NAME")
    return proven_account(office, options.account)


def asking(office: Office, options: argparse.Namespace, event_id: str) -> "RequestPolicy | bool":
    """Whether a correction is only asked for: where somebody wants so, or where it takes two people."""
    if not is_by_two(office):
        return bool(options.request)
    who = proven_account(office, options.account) if options.account else None
    options.proposer = who

    def is_needed(record: Record, report: Report) -> bool:
        ends = [day for day in (report.end, *(section.end for section in report.sections)) if day is not None]
        takes_two = correction_needs_two(record, report.event_id, ends)
        if takes_two and who is None and not options.request:
            proposer(office, options, f"correct event {event_id}")
        return bool(options.request) or takes_two

    def follow(record: Record, act: int) -> int | None:
        if who is None:
            return None
        return propose_request(office, record, Author(who.name, options.reason.strip()), act)

    return RequestPolicy(is_needed, follow)


def tell_proposed(number: int, tell: Callable[[str], None] = say) -> None:
    """How somebody else goes on."""
    tell(f"proposed (proposal {number}); somebody else approves it: crosstable office proposals approve {number}")


def add_proposals(made: Parser) -> None:
    """What ``office proposals`` takes."""
    group = add_commands(made)
    listed = office_command(add_command(group, "list", "list what waits for a second person"), _list_waiting, "--json")
    flag(listed, "--all", "also those that are settled")
    shown = add_command(group, "show", "show a proposal and the rating changes that it would bring")
    agreed = add_command(group, "approve", "approve what somebody else proposed, with the password of your account")
    refused = add_command(
        group, "refuse", "refuse a proposal, or take your own back, with the password of your account"
    )
    for one, run in ((shown, _show), (agreed, _approve), (refused, _refuse)):
        option(one, "number N", "the number of the proposal", type=int)
        office_command(one, run, *(() if run is _show else ("--account",)))
    flag(agreed, "--no-rate", "do not rate afterwards")


def _list_waiting(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = proposals(office, is_open=None if options.all else True)[::-1]
    if options.json:
        print_json({"format": "crosstable-office-proposals/1", "proposals": [_object(one) for one in found]})
    else:
        print_table(COLUMNS, [_row(one) for one in found], "nothing waits for a second person")


def _row(one: Proposal) -> tuple[str, ...]:
    state = one.state.value if one.settled_by is None else f"{one.state.value} by {one.settled_by}"
    return str(one.number), one.proposed_by, one.wish.summary, one.reason, state, str(one.act or "")


def _object(one: Proposal) -> dict[str, object]:
    fields = {**one._asdict(), "state": one.state.value}
    del fields["wish"]
    return {**fields, "kind": one.wish.kind.value, "summary": one.wish.summary}


def _open(office: Office, number: int) -> Proposal:
    found = proposal_of(office, number)
    if found is None:
        raise OfficeError(f"there is no proposal {number}; crosstable office proposals list shows them")
    return found


def _show(options: argparse.Namespace) -> None:
    with opened(options) as office:
        _tell(office, _open(office, options.number))


def _tell(office: Office, one: Proposal) -> None:
    """A proposal with everything that it says, and what it would change."""
    say(f"proposal {one.number} by {one.proposed_by}: {one.wish.summary}")
    say(f"  why: {one.reason}")
    particulars = one.wish.particulars
    if any("birth" in f"{name} {text}" for name, text in particulars):
        about = f"proposal {one.number}"
        note_apart(office, SecurityKind.BIRTH_DATE_READ, login_name(), about, by="office proposals")
    for name, text in particulars:
        say(f"  {name}: {text}")
    if one.state is not ProposalState.OPEN:
        say(f"  {one.state.value} by {one.settled_by}")
    elif one.wish.kind not in (ProposalKind.PUBLISH, ProposalKind.CONSENT):
        tell_foreseen(foreseen(office, lambda other: carry_out(other, Author("preview", "looked at"), one.wish)))


def tell_foreseen(found: Foreseen | None) -> None:
    """The rating changes that something would bring."""
    if found is None:
        say("  its rating changes cannot be shown now: somebody is writing, or a run would take long")
        return
    say(f"  it would change {counted(found.total, 'rating')}")
    rows = [
        (one.member_id, found.names.get(one.member_id, ""), one.system.name, _rating(one.before), _rating(one.after))
        for one in found.changes[:MOST_CHANGES]
    ]
    if rows:
        print_table(CHANGED, rows, "")
    if found.total > len(rows):
        say(f"  and {found.total - len(rows):,} more")


def _rating(one: PlayerRating | None) -> str:
    return "" if one is None else f"{one.rating:.2f}"


def _approver(office: Office, options: argparse.Namespace) -> Proven:
    if not options.account:
        raise RefusedError("say whose account approves it: --account NAME")
    return proven_account(office, options.account)


def _approve(options: argparse.Namespace) -> int:
    with opened(options) as office:
        one = _open(office, options.number)
        _tell(office, one)
        who = _approver(office, options)
        act = approve(office, who, options.number)
        say(f"proposal {options.number} is approved (entry {act})")
        options.by = who.name
        return 0 if options.no_rate else rate_and_tell(office, options, f"after approving proposal {options.number}")


def _refuse(options: argparse.Namespace) -> None:
    with opened(options) as office:
        _open(office, options.number)
        refuse(office, _approver(office, options).name, options.number)
    say(f"proposal {options.number} is refused")


# Settings of consent itself.


def switch(options: argparse.Namespace) -> None:
    """Switch consent on or off."""
    with opened(options) as office:
        author = author_of(options)
        if options.value == "on" or not options.account:
            act = switch_consent(office, author, on=options.value == "on")
            tell = "" if options.value == "on" or act is None else ": in force in 7 days, at once with two people"
            say(f"consent: {options.value}" + (" already" if act is None else f" (entry {act}){tell}"))
            return
        done_or_proposed(office, options, consent_wish(), author)


def change_limits(options: argparse.Namespace) -> None:
    """Change how late, how large and of how many rating changes an event may be without a second person."""
    with opened(options) as office:
        with office.reading() as connection:
            now = consent_state(connection, office.clock()).limits
        given = {name: value for name in now._fields if (value := getattr(options, name)) is not None}
        limits = now._replace(**given)
        if is_by_two(office):
            done_or_proposed(office, options, consent_wish(limits), author_of(options))
            return
        act = set_consent_limits(office, author_of(options), limits)
        said = ", ".join(f"{name} {value}" for name, value in limits._asdict().items())
        say(f"consent limits: {said}" + (" already" if act is None else f" (entry {act})"))


def two_accounts(office: Office, names: Sequence[str]) -> str:
    """Two people of the office who type their passwords, for what is done to the office's own accounts."""
    if len(set(names)) != 2:
        raise RefusedError("consent is on: accounts of the office take two people: --account NAME --account OTHER")
    return " and ".join(proven_account(office, name).name for name in names)


USER_COLUMNS = columns("Name", "Role", "Affiliate", "Full name", "Last login", "State")
TOKEN_COLUMNS = columns("Token", "Of", "Scope", "Affiliate", "Expires", "Last used", "State")


def add_users(made: Parser) -> None:
    """What ``office users`` takes."""
    group = add_commands(made)
    added = add_command(group, "add", "add an account; type the password, or pipe it in")
    office_command(added, _add, "name")
    roles = [role.value for role in Role]
    added.add_argument("--role", choices=roles, default=Role.OFFICE.value, help="their role (default: %(default)s)")
    take(added, "--affiliate", affiliate="for td and club: the affiliate they act for")
    option(added, "--full-name NAME", "their full name", default="")
    office_command(add_command(group, "list", "list all accounts"), _list_users, "--json")
    disabled = add_command(group, "disable", "disable an account and its tokens, at once")
    office_command(disabled, _disable, "name")
    flag(disabled, "--undo", "enable it again")
    lost = add_command(group, "second-factor", "take the second factor from an account whose owner lost it")
    office_command(lost, _second_factor, "name")
    changed = add_command(group, "password", "change the password of an account and end its sessions")
    office_command(changed, _password, "name")
    for one in (added, disabled, lost, changed):
        words = "where consent is on, for accounts of the office: the two people who agree (give it twice)"
        option(one, "--account NAME", words, action="append", default=[])


def asked_password() -> str:
    """A password, typed twice on a terminal, or the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        raise OfficeError("the two passwords differ; nothing was changed")
    return first


def _by(office: Office, options: argparse.Namespace, role: Role | None) -> str:
    """Who does something to an account: the login, or where consent is on, two people for one of the office."""
    if role is not Role.OFFICE or not is_by_two(office):
        return login_name()
    return two_accounts(office, options.account)


def _role_of(office: Office, name: str) -> Role | None:
    found = account_of(office, name)
    return None if found is None else found.role


def _add(options: argparse.Namespace) -> None:
    wanted = NewAccount(options.name, Role(options.role), options.affiliate, options.full_name)
    with opened(options) as office:
        made = add_account(office, _by(office, options, wanted.role), wanted, asked_password())
        role = f"{made.role.value} for {made.affiliate}" if made.affiliate else made.role.value
        say(f"{made.name} may log in as {role}")
        others = [one for one in accounts(office) if one.role is Role.OFFICE and not one.is_disabled]
        if made.role is Role.OFFICE and len(others) == 1:
            say("with a second account, publishing and changes of published periods take two people on the site")


def _list_users(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = accounts(office)
    if options.json:
        users = [{**one._asdict(), "role": one.role.value} for one in found]
        print_json({"format": "crosstable-office-users/1", "users": users})
    else:
        none = "there are no accounts; to add the first one: crosstable office users add NAME"
        print_table(USER_COLUMNS, [_user_row(one) for one in found], none)


def _user_row(account: Account) -> tuple[str, ...]:
    state = "disabled" if account.is_disabled else ""
    login = _instant(account.last_login)
    return account.name, account.role.value, account.affiliate, account.full_name, login, state


def _instant(at: datetime | None) -> str:
    return "never" if at is None else f"{at:%Y-%m-%d %H:%M}"


def _disable(options: argparse.Namespace) -> None:
    with opened(options) as office:
        who = _by(office, options, _role_of(office, options.name))
        set_disabled(office, who, options.name, is_disabled=not options.undo)
    say(f"{options.name} may log in again" if options.undo else f"{options.name} is disabled")


def _password(options: argparse.Namespace) -> None:
    with opened(options) as office:
        who = _by(office, options, _role_of(office, options.name))
        set_password(office, who, options.name, asked_password())
    say(f"{options.name} has a new password; sessions with the old one have ended")


def _second_factor(options: argparse.Namespace) -> None:
    from crosstable.office.second_factor import remove

    with opened(options) as office:
        remove(office, _by(office, options, _role_of(office, options.name)), options.name)
    say(f"{options.name} has no second factor any more; the next login sets one up where the office asks for it")


def add_tokens(made: Parser) -> None:
    """What ``office tokens`` takes."""
    group = add_commands(made)
    added = add_command(group, "add", "add a token; it is shown once")
    office_command(added, _add_token, "name")
    scopes, words = [scope.value for scope in Scope], "what it may do (default: %(default)s)"
    added.add_argument("--scope", choices=scopes, default=Scope.SUBMIT.value, help=words)
    take(added, "--affiliate", affiliate="for a token of the office: the affiliate")
    most = f"how many days it lasts (default and most: {LONGEST_DAYS})"
    option(added, "--days N", most, type=int, default=LONGEST_DAYS)
    listed = office_command(add_command(group, "list", "list all tokens, without secrets"), _list_tokens, "--json")
    option(listed, "name NAME", "only tokens of this account", nargs="?")
    revoked = office_command(add_command(group, "revoke", "revoke a token, at once"), _revoke)
    option(revoked, "token TOKEN", "the token's id, as tokens list shows it")


def _add_token(options: argparse.Namespace) -> None:
    wanted = NewToken(options.name, Scope(options.scope), options.affiliate, options.days)
    with opened(options) as office:
        made, secret = add_token(office, login_name(), wanted)
    whose = f"token {made.token_id} of {made.owner} for {made.affiliate}"
    say(f"{whose}, {made.scope.value}, until {american(made.expires)}")
    say("It is shown only once:")
    say(secret)


def _list_tokens(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = tokens(office, options.name)
        now = office.clock()
    if options.json:
        documents = [{**one._asdict(), "scope": one.scope.value, "is_valid": one.is_valid(now)} for one in found]
        print_json({"format": "crosstable-office-tokens/1", "tokens": documents})
    else:
        print_table(TOKEN_COLUMNS, [_token_row(one, now) for one in found], counted(0, "token"))


def _token_row(token: Token, now: datetime) -> tuple[str, ...]:
    state = "revoked" if token.revoked else "" if token.is_valid(now) else "expired"
    expires, used = f"{token.expires:%Y-%m-%d}", _instant(token.last_used)
    return token.token_id, token.owner, token.scope.value, token.affiliate, expires, used, state


def _revoke(options: argparse.Namespace) -> None:
    with opened(options) as office:
        revoke_token(office, login_name(), options.token)
    say(f"token {options.token} is revoked")
