"""Coming in and going out: by name and password, or by the link that ``crosstable serve`` printed on the machine."""

import math
from typing import Any, NamedTuple

from fastapi import Request, Response

from crosstable.office.accounts import Account, Role, begin_try, forget_try, has_accounts, proven
from crosstable.office.credentials import close_session, follow_link, open_session
from crosstable.office.database import Office
from crosstable.web.forms import in_office, in_queue, local_path, page, went
from crosstable.web.gate import (
    FORM_COOKIE,
    SESSION_COOKIE,
    client_address,
    cookie_of,
    drop_cookie,
    mark_of,
    new_secret,
    office_of,
    require_mark,
    set_cookie,
    text_of,
)
from crosstable.web.limits import PASSWORDS
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route

WRONG = "The name or the password is not right."


async def login_page(request: Request) -> Response:
    """The form to log in with."""
    onward = local_path(request.query_params.get("next", ""), "")
    return await _login_page(request, onward=onward)


async def _login_page(request: Request, status: int = 200, **context: Any) -> Response:  # noqa: ANN401
    """The form, marked by a cookie of its own, so that nobody is logged in by a foreign page."""
    secret = cookie_of(request, FORM_COOKIE) or new_secret()
    is_set_up = await in_office(has_accounts, office_of(request))
    known = {"mark": mark_of(secret), "is_set_up": is_set_up, "wrong": "", "name": "", "onward": ""}
    reply = page(request, "desk/login.html", status, **{**known, **context})
    set_cookie(request, reply, FORM_COOKIE, secret)
    return reply


async def log_in(request: Request) -> Response:
    """Log in; a wrong name and a wrong password get the same answer after the same time."""
    form = await require_mark(request, cookie_of(request, FORM_COOKIE))
    name, onward = text_of(form, "name", 40), local_path(text_of(form, "next"), "")
    password = form.get("password")
    office, address = office_of(request), client_address(request)
    given = password if isinstance(password, str) else ""
    tried = await in_queue(PASSWORDS, try_password, office, name, given, address)
    if tried.wait:
        reply = await _login_page(request, 429, wrong=tried.too_often, name=name, onward=onward)
        reply.headers["Retry-After"] = str(tried.wait)
        return reply
    account = tried.account
    if account is None:
        return await _login_page(request, 401, wrong=WRONG, name=name, onward=onward)
    return await _come_in(request, account.name, onward or _home(account))


def _home(account: Account) -> str:
    """Where somebody goes on from the login."""
    if account.role is Role.OFFICE:
        return "/desk"
    return "/my-events" if account.affiliate else "/account"


class Tried(NamedTuple):
    """A try of a password: the account that it opened, or in how many seconds it may be tried."""

    account: Account | None
    wait: int = 0

    @property
    def too_often(self) -> str:
        """Why it was not looked at."""
        minutes = -(-self.wait // 60)
        return f"Too many wrong passwords. Try again in {f'{minutes} minutes' if minutes > 1 else 'a minute'}."


def try_password(office: Office, name: str, password: str, address: str) -> Tried:
    """Try a password, wherever it is asked for; it counts as failed until it has turned out to be right."""
    begun = begin_try(office, name, address)
    if begun.failure_id is None:
        return Tried(None, max(1, math.ceil(begun.wait.total_seconds())))
    account = proven(office, name, password)
    if account is not None:
        forget_try(office, begun.failure_id)
    return Tried(account)


async def _come_in(request: Request, name: str, onward: str) -> Response:
    """A new session; one that the browser had before, or was given by somebody else, ends."""
    office = office_of(request)
    old = cookie_of(request, SESSION_COOKIE)
    if old:
        await in_office(close_session, office, old[:200])
    secret = await in_office(open_session, office, name)
    reply = went(onward)
    set_cookie(request, reply, SESSION_COOKIE, secret)
    drop_cookie(request, reply, FORM_COOKIE)
    return reply


async def log_out(request: Request) -> Response:
    """End the session."""
    await in_office(close_session, office_of(request), cookie_of(request, SESSION_COOKIE)[:200])
    reply = went("/")
    drop_cookie(request, reply, SESSION_COOKIE)
    return reply


async def machine_page(request: Request, link: str) -> Response:
    """The page that the printed link opens: looking at it uses nothing up, only the button does."""
    secret = cookie_of(request, FORM_COOKIE) or new_secret()
    reply = page(request, "desk/machine.html", mark=mark_of(secret), link=link[:100])
    set_cookie(request, reply, FORM_COOKIE, secret)
    return reply


async def come_in_by_link(request: Request) -> Response:
    """Come in as the person at the machine, once per link."""
    form = await require_mark(request, cookie_of(request, FORM_COOKIE))
    office = office_of(request)
    if not await in_office(follow_link, office, text_of(form, "link", 100)):
        raise Problem(403, "This link was used already, or it is too old. Start crosstable serve again for a new one.")
    return await _come_in(request, "", "/desk")


ROUTES = (
    Route("/login", login_page, Policy.PUBLIC),
    Route("/login", log_in, Policy.LIMITED, ("POST",)),
    Route("/logout", log_out, Policy.SIGNED_IN, ("POST",)),
    Route("/machine/{link}", machine_page, Policy.PUBLIC),
    Route("/machine", come_in_by_link, Policy.LIMITED, ("POST",)),
)
