"""Accounts: one's own with its tokens, and those that the office or a club looks after.

Accounts of the office itself are made and shut on the host only: otherwise one person could be two.
"""

from datetime import datetime
from typing import NamedTuple

from fastapi import Request, Response

from crosstable.errors import OfficeError
from crosstable.office.accounts import (
    LONGEST_ADDRESS,
    Account,
    AccountsAsked,
    NewAccount,
    Role,
    account_of,
    add_account,
    mail_address,
    set_disabled,
    set_mail_address,
    set_password,
    some_accounts,
)
from crosstable.office.credentials import (
    LONGEST_DAYS,
    NewToken,
    Scope,
    Token,
    add_token,
    revoke_token,
    some_tokens,
    token_of,
)
from crosstable.office.database import Office
from crosstable.web.forms import actor_in, in_office, in_queue, page, went
from crosstable.web.gate import client_address, form_of, office_of, text_of
from crosstable.web.limits import PASSWORDS
from crosstable.web.policies import Actor, ActorKind
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route
from crosstable.web.sessions import try_password

MADE_HERE = (Role.TD, Role.CLUB, Role.RESEARCH)
# So many accounts, and tokens, are shown; others are searched for.
MOST_ACCOUNTS = 100
MOST_TOKENS = 200


class Ledger(NamedTuple):
    """What somebody sees of accounts and tokens."""

    own: Account | None
    others: list[Account]
    total: int
    query: str
    tokens: list[Token]
    roles: list[Role]
    now: datetime


def ledger_of(office: Office, actor: Actor, query: str = "") -> Ledger:
    """One's own account and tokens, and those that one looks after: a club its directors, the office everybody."""
    own = account_of(office, actor.name)
    roles = _roles_of(actor)
    affiliate = actor.affiliate if actor.kind is ActorKind.CLUB else ""
    others, total = some_accounts(office, AccountsAsked(roles, affiliate, query), MOST_ACCOUNTS) if roles else ([], 0)
    names = {one.name for one in (*others, *([own] if own else []))}
    mine = some_tokens(office, names, MOST_TOKENS)
    return Ledger(own, others, total, query, mine, list(roles), office.clock())


def _roles_of(actor: Actor) -> tuple[Role, ...]:
    """The roles whose accounts somebody makes and looks after."""
    if actor.kind is ActorKind.CLUB:
        return (Role.TD,)
    return MADE_HERE if actor.is_office else ()


def looks_after(actor: Actor, account: Account) -> bool:
    """Whether somebody may shut an account, give it a password, or tokens."""
    if actor.is_office:
        return account.role is not Role.OFFICE
    is_club = actor.kind is ActorKind.CLUB
    return is_club and account.role is Role.TD and account.affiliate == actor.affiliate


async def account_page(request: Request) -> Response:
    """One's own account, its tokens, and the accounts that one looks after."""
    return await _page(request)


async def _page(request: Request, secret: str = "", said: str = "", status: int = 200) -> Response:
    query = " ".join(request.query_params.get("q", "").split())[:100]
    found = await in_office(ledger_of, office_of(request), actor_in(request), query)
    return page(
        request,
        "administration/account.html",
        status,
        found=found,
        secret=secret,
        said=said,
        scopes=list(Scope),
        longest=LONGEST_DAYS,
        mail_to=await _mail_to(request),
    )


async def _mail_to(request: Request) -> str | None:
    """Where one's notices are mailed to; nothing where no mail is sent, or nobody has notices."""
    actor = actor_in(request)
    if request.app.state.mail_server is None or actor.kind not in (ActorKind.TD, ActorKind.CLUB):
        return None
    return await in_office(mail_address, office_of(request), actor.name)


async def change_mail(request: Request) -> Response:
    """Another address for one's notices, or none."""
    if await _mail_to(request) is None:
        raise Problem(404, "No mail is sent to this account.")
    actor, given = actor_in(request), text_of(await form_of(request), "mail", LONGEST_ADDRESS + 1)
    await in_office(set_mail_address, office_of(request), actor.name, actor.name, given)
    return went("/account#mail")


async def change_password(request: Request) -> Response:
    """Another password for oneself; the old one is asked for."""
    form = await form_of(request)
    actor, office = actor_in(request), office_of(request)
    old, new = form.get("old"), form.get("new")
    if not isinstance(old, str) or not isinstance(new, str):
        raise Problem(422, "Both passwords are needed.")
    tried = await in_queue(PASSWORDS, try_password, office, actor.name, old, client_address(request))
    if tried.wait:
        reply = await _page(request, said=tried.too_often, status=429)
        reply.headers["Retry-After"] = str(tried.wait)
        return reply
    if tried.account is None:
        return await _page(request, said="The old password is not right.", status=403)
    await in_queue(PASSWORDS, set_password, office, actor.name, actor.name, new)
    return went("/login")


async def make_account(request: Request) -> Response:
    """An account for somebody that one looks after."""
    form = await form_of(request)
    actor, office = actor_in(request), office_of(request)
    role = text_of(form, "role") or Role.TD.value
    if role not in [one.value for one in _roles_of(actor)]:
        raise Problem(403, "You may not make accounts of this role.")
    affiliate = actor.affiliate if actor.kind is ActorKind.CLUB else text_of(form, "affiliate", 20)
    wanted = NewAccount(text_of(form, "name", 40), Role(role), affiliate, text_of(form, "full_name", 100))
    password = form.get("password")
    given = password if isinstance(password, str) else ""
    await in_queue(PASSWORDS, add_account, office, actor.name, wanted, given)
    return went("/account#others")


async def change_account(request: Request, name: str, change: str) -> Response:
    """Shut an account that one looks after, open it again, or give it another password."""
    form = await form_of(request)
    actor, office = actor_in(request), office_of(request)
    await in_office(_require_care, office, actor, name)
    if change in ("disable", "enable"):
        await in_office(set_disabled, office, actor.name, name, is_disabled=change == "disable")
    elif change == "password":
        password = form.get("password")
        given = password if isinstance(password, str) else ""
        await in_queue(PASSWORDS, set_password, office, actor.name, name, given)
    else:
        raise Problem(404, "That cannot be done to an account.")
    return went("/account#others")


def _require_care(office: Office, actor: Actor, name: str) -> None:
    found = account_of(office, name)
    if found is None or not looks_after(actor, found):
        raise Problem(403, "You do not look after this account.")


# Tokens.


async def make_token(request: Request) -> Response:
    """A token for oneself, or for an account that one looks after; it is shown on this page only."""
    form = await form_of(request)
    actor, office = actor_in(request), office_of(request)
    owner = text_of(form, "owner", 40) or actor.name
    if owner != actor.name:
        await in_office(_require_care, office, actor, owner)
    days, scope = text_of(form, "days", 4) or str(LONGEST_DAYS), text_of(form, "scope") or Scope.SUBMIT.value
    if not days.isdecimal() or scope not in list(Scope):
        raise Problem(422, "That is no token that could be made.")
    wanted = NewToken(owner, Scope(scope), text_of(form, "affiliate", 20), int(days))
    _, secret = await in_office(add_token, office, actor.name, wanted)
    return await _page(request, secret=secret)


async def drop_token(request: Request, token_id: str) -> Response:
    """Make a token worthless."""
    actor, office = actor_in(request), office_of(request)
    await in_office(_drop, office, actor, token_id)
    return went("/account#tokens")


def _drop(office: Office, actor: Actor, token_id: str) -> None:
    token = token_of(office, token_id)
    owner = None if token is None else account_of(office, token.owner)
    if owner is None or not (owner.name == actor.name or looks_after(actor, owner)):
        raise OfficeError("there is no such token of yours")
    revoke_token(office, actor.name, token_id)


ROUTES = (
    Route("/account", account_page, Policy.SIGNED_IN),
    Route("/account/password", change_password, Policy.SIGNED_IN, ("POST",)),
    Route("/account/mail", change_mail, Policy.TD, ("POST",)),
    Route("/account/tokens", make_token, Policy.SIGNED_IN, ("POST",)),
    Route("/account/tokens/{token_id}/revoke", drop_token, Policy.SIGNED_IN, ("POST",)),
    Route("/account/others", make_account, Policy.TD, ("POST",)),
    Route("/account/others/{name}/{change}", change_account, Policy.TD, ("POST",)),
)
