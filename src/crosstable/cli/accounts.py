"""``office users`` and ``office tokens``: who may come in through the site; the host makes the first account here."""

import argparse
import getpass
import sys
from typing import TYPE_CHECKING

from crosstable.cli.office_desk import add_command, add_group, login_name, opened
from crosstable.cli.office_drawing import Column, counted, print_json, print_table, say
from crosstable.errors import OfficeError
from crosstable.office.accounts import (
    Account,
    NewAccount,
    Role,
    accounts,
    add_account,
    set_disabled,
    set_password,
)
from crosstable.office.credentials import LONGEST_DAYS, NewToken, Scope, Token, add_token, revoke_token, tokens

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands

USER_COLUMNS = (
    Column("Name"),
    Column("Role"),
    Column("Affiliate"),
    Column("Full name"),
    Column("Last login"),
    Column("State"),
)
TOKEN_COLUMNS = (
    Column("Token"),
    Column("Of"),
    Column("Scope"),
    Column("Affiliate"),
    Column("Expires"),
    Column("Last used"),
    Column("State"),
)


def add(commands: "Commands") -> None:
    """The commands of this module."""
    _add_users(add_group(commands, "users", "accounts of the site: directors, clubs, office staff, committee"))
    _add_tokens(add_group(commands, "tokens", "tokens of programs that submit events for an affiliate"))


def _add_users(group: "Commands") -> None:
    added = add_command(group, "add", "make an account; the password is asked for, or read from standard input", _add)
    added.add_argument("name", metavar="NAME", help="the name to log in with")
    added.add_argument("--role", choices=[role.value for role in Role], default=Role.OFFICE.value, help="what they are")
    added.add_argument("--affiliate", metavar="ID", default="", help="for td and club: the affiliate they act for")
    added.add_argument("--full-name", metavar="NAME", default="", help="how they are called")
    listed = add_command(group, "list", "every account", _list)
    listed.add_argument("--json", action="store_true", help="print it as JSON")
    disabled = add_command(group, "disable", "shut an account: it is out at once, and its tokens with it", _disable)
    disabled.add_argument("name", metavar="NAME", help="the account")
    disabled.add_argument("--undo", action="store_true", help="open it again")
    changed = add_command(group, "password", "give an account another password, and end its sessions", _password)
    changed.add_argument("name", metavar="NAME", help="the account")


def _add_tokens(group: "Commands") -> None:
    added = add_command(group, "add", "make a token; it is shown once", _add_token)
    added.add_argument("name", metavar="NAME", help="the account that it belongs to")
    added.add_argument("--scope", choices=[scope.value for scope in Scope], default=Scope.SUBMIT.value, help="for what")
    added.add_argument("--affiliate", metavar="ID", default="", help="for tokens of the office: the affiliate")
    added.add_argument(
        "--days", type=int, default=LONGEST_DAYS, metavar="N", help=f"how long it lasts (at most {LONGEST_DAYS})"
    )
    listed = add_command(group, "list", "every token, without its secret", _list_tokens)
    listed.add_argument("name", metavar="NAME", nargs="?", help="only those of this account")
    listed.add_argument("--json", action="store_true", help="print it as JSON")
    revoked = add_command(group, "revoke", "make a token worthless at once", _revoke)
    revoked.add_argument("token", metavar="TOKEN", help="the token's number, as tokens list shows it")


def asked_password() -> str:
    """A password, typed twice on a terminal, or the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        raise OfficeError("the two passwords differ; nothing was changed")
    return first


def _add(options: argparse.Namespace) -> int:
    wanted = NewAccount(options.name, Role(options.role), options.affiliate, options.full_name)
    with opened(options) as office:
        made = add_account(office, login_name(), wanted, asked_password())
        say(f"{made.name} may log in as {_shown_role(made)}")
        others = [one for one in accounts(office) if one.role is Role.OFFICE and not one.is_disabled]
        if made.role is Role.OFFICE and len(others) == 1:
            say("publishing, and what touches published lists, takes two people: add a second one, or do it here")
    return 0


def _shown_role(account: Account) -> str:
    return f"{account.role.value} for {account.affiliate}" if account.affiliate else account.role.value


def _list(options: argparse.Namespace) -> int:
    with opened(options) as office:
        found = accounts(office)
    if options.json:
        print_json({"format": "crosstable-office-users/1", "users": [_user_document(one) for one in found]})
    elif found:
        print_table(USER_COLUMNS, [_user_row(one) for one in found])
    else:
        say("no accounts: crosstable office users add NAME makes the first one")
    return 0


def _user_document(account: Account) -> dict[str, object]:
    return {**account._asdict(), "role": account.role.value}


def _user_row(account: Account) -> tuple[str, ...]:
    login = "never" if account.last_login is None else f"{account.last_login:%Y-%m-%d %H:%M}"
    state = "disabled" if account.is_disabled else ""
    return account.name, account.role.value, account.affiliate, account.full_name, login, state


def _disable(options: argparse.Namespace) -> int:
    with opened(options) as office:
        set_disabled(office, login_name(), options.name, is_disabled=not options.undo)
    say(f"{options.name} may log in again" if options.undo else f"{options.name} is shut out")
    return 0


def _password(options: argparse.Namespace) -> int:
    with opened(options) as office:
        set_password(office, login_name(), options.name, asked_password())
    say(f"{options.name} has a new password; whoever was logged in with the old one is out")
    return 0


def _add_token(options: argparse.Namespace) -> int:
    wanted = NewToken(options.name, Scope(options.scope), options.affiliate, options.days)
    with opened(options) as office:
        made, secret = add_token(office, login_name(), wanted)
    say(
        f"token {made.token_id} of {made.owner} for {made.affiliate}, {made.scope.value}, until {made.expires:%Y-%m-%d}"
    )
    say("it is shown only now:")
    say(secret)
    return 0


def _list_tokens(options: argparse.Namespace) -> int:
    with opened(options) as office:
        found = tokens(office, options.name)
        now = office.clock()
    if options.json:
        documents = [{**one._asdict(), "scope": one.scope.value, "is_valid": one.is_valid(now)} for one in found]
        print_json({"format": "crosstable-office-tokens/1", "tokens": documents})
    elif found:
        print_table(TOKEN_COLUMNS, [_token_row(one, is_valid=one.is_valid(now)) for one in found])
    else:
        say(counted(0, "token"))
    return 0


def _token_row(token: Token, *, is_valid: bool) -> tuple[str, ...]:
    used = "never" if token.last_used is None else f"{token.last_used:%Y-%m-%d %H:%M}"
    state = "revoked" if token.revoked else "" if is_valid else "expired"
    expires = f"{token.expires:%Y-%m-%d}"
    return token.token_id, token.owner, token.scope.value, token.affiliate, expires, used, state


def _revoke(options: argparse.Namespace) -> int:
    with opened(options) as office:
        revoke_token(office, login_name(), options.token)
    say(f"token {options.token} is worthless now")
    return 0
