"""``office users`` and ``office tokens``: who may come in through the site; the host makes the first account here."""

import argparse
import getpass
import sys
from datetime import datetime

from crosstable.cli.office_access import login_name, office_command, opened
from crosstable.cli.office_consent import is_by_two, two_accounts
from crosstable.cli.options import Parser, add_command, add_commands, flag, option, take
from crosstable.cli.printing import columns, print_json, print_table, say
from crosstable.errors import OfficeError
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
from crosstable.office.credentials import LONGEST_DAYS, NewToken, Scope, Token, add_token, revoke_token, tokens
from crosstable.office.database import Office
from crosstable.sentences import american, counted

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
    office_command(add_command(group, "list", "list all accounts"), _list, "--json")
    disabled = add_command(group, "disable", "disable an account and its tokens, at once")
    office_command(disabled, _disable, "name")
    flag(disabled, "--undo", "enable it again")
    lost = add_command(group, "second-factor", "take the second factor from an account whose owner lost it")
    office_command(lost, _second_factor, "name")
    changed = add_command(group, "password", "change the password of an account and end its sessions")
    office_command(changed, _password, "name")
    for one in (added, disabled, changed):
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


def _list(options: argparse.Namespace) -> None:
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
        remove(office, login_name(), options.name)
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
