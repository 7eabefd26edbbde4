"""Coming in and going out: by name and password, or by the link that ``crosstable serve`` printed on the machine."""

import math
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Request, Response

from crosstable.office.accounts import Account, Role, begin_try, forget_try, has_accounts, proven
from crosstable.office.credentials import (
    KNOWN_LASTS,
    close_session,
    follow_link,
    half_session_of,
    know_browser,
    known_browser,
    open_half_session,
    open_session,
)
from crosstable.office.database import Office
from crosstable.office.second_factor import begin_enrolling, confirm, is_enrolled, needs_second, opens, otpauth
from crosstable.web.forms import in_office, in_queue, local_path, page, went
from crosstable.web.gate import (
    FORM_COOKIE,
    KNOWN_COOKIE,
    SESSION_COOKIE,
    client_address,
    cookie_of,
    drop_cookie,
    mark_of,
    new_secret,
    office_of,
    reading_of,
    require_mark,
    set_cookie,
    text_of,
)
from crosstable.web.limits import PASSWORDS
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route

WRONG = "The name or the password is not right."
WRONG_CODE = "This code is not right, or it was used already. Wait for the next one."


async def login_page(request: Request) -> Response:
    """The form to log in with."""
    onward = local_path(request.query_params.get("next", ""), "")
    return await _login_page(request, onward=onward)


async def _login_page(request: Request, status: int = 200, **context: Any) -> Response:  # noqa: ANN401
    """The form, marked by a cookie of its own, so that nobody is logged in by a foreign page."""
    secret = cookie_of(request, FORM_COOKIE) or new_secret()
    is_set_up = await in_office(has_accounts, office_of(request))
    known = {"mark": mark_of(secret), "is_set_up": is_set_up, "wrong": "", "name": "", "onward": ""}
    reply = page(request, "administration/login.html", status, **{**known, **context})
    set_cookie(request, reply, FORM_COOKIE, secret)
    return reply


async def log_in(request: Request) -> Response:
    """Log in; a wrong name and a wrong password get the same answer after the same time."""
    form = await require_mark(request, cookie_of(request, FORM_COOKIE))
    name, onward = text_of(form, "name", 40), local_path(text_of(form, "next"), "")
    password = form.get("password")
    office, address = office_of(request), client_address(request)
    given = password if isinstance(password, str) else ""
    tried = await in_queue(PASSWORDS, try_password, office, name, given, address, _known(request))
    if tried.wait:
        reply = await _login_page(request, 429, wrong=tried.too_often, name=name, onward=onward)
        reply.headers["Retry-After"] = str(tried.wait)
        return reply
    account = tried.account
    if account is None:
        return await _login_page(request, 401, wrong=WRONG, name=name, onward=onward)
    if await in_office(needs_second, office, account):
        half = await in_office(open_half_session, office, account.name)
        reply = went(f"/login/code?{urlencode({'next': onward})}" if onward else "/login/code")
        set_cookie(request, reply, SESSION_COOKIE, half)
        return reply
    return await _come_in(request, account.name, onward or _home(account))


async def code_page(request: Request) -> Response:
    """The form for the second factor, or to set one up."""
    return await _code_page(request, local_path(request.query_params.get("next", ""), ""))


async def _code_page(request: Request, onward: str, status: int = 200, wrong: str = "") -> Response:
    office = office_of(request)
    account = await in_office(half_session_of, office, cookie_of(request, SESSION_COOKIE)[:200])
    if account is None:
        return went("/login")
    secret = cookie_of(request, FORM_COOKIE) or new_secret()
    known: dict[str, Any] = {"mark": mark_of(secret), "onward": onward, "wrong": wrong, "key": "", "codes": []}
    if not await in_office(is_enrolled, office, account.name):
        known["key"] = key = await in_office(begin_enrolling, office, account.name)
        known["otpauth"] = otpauth(key, account.name, reading_of(request).name)
    reply = page(request, "administration/second_factor.html", status, **known)
    set_cookie(request, reply, FORM_COOKIE, secret)
    return reply


async def show_code(request: Request) -> Response:
    """Log in with the second factor; a wrong one counts like a wrong password."""
    form = await require_mark(request, cookie_of(request, FORM_COOKIE))
    onward = local_path(text_of(form, "next"), "")
    office, half = office_of(request), cookie_of(request, SESSION_COOKIE)[:200]
    account = await in_office(half_session_of, office, half)
    if account is None:
        return went("/login")
    given = text_of(form, "code", 40), client_address(request), _known(request)
    tried = await in_office(try_code, office, account, *given)
    if tried.wait:
        reply = await _code_page(request, onward, 429, tried.too_often)
        reply.headers["Retry-After"] = str(tried.wait)
        return reply
    if tried.account is None:
        return await _code_page(request, onward, 401, WRONG_CODE)
    onward = onward or _home(account)
    if not tried.codes:
        return await _come_in(request, account.name, onward)
    secret = await in_office(open_session, office, account.name)
    await in_office(close_session, office, half)
    reply = page(request, "administration/second_factor.html", onward=onward, codes=tried.codes)
    set_cookie(request, reply, SESSION_COOKIE, secret)
    drop_cookie(request, reply, FORM_COOKIE)
    await _remember(request, reply, account.name)
    return reply


def _known(request: Request) -> str:
    return cookie_of(request, KNOWN_COOKIE)[:200]


async def _remember(request: Request, reply: Response, name: str) -> None:
    """Let the browser be known in which somebody has logged in: nobody else's wrong passwords slow it down."""
    office = office_of(request)
    if name and not await in_office(known_browser, office, name, _known(request)):
        set_cookie(request, reply, KNOWN_COOKIE, await in_office(know_browser, office, name), KNOWN_LASTS)


def try_code(office: Office, account: Account, code: str, address: str, known: str = "") -> "Tried":
    """Try a code: it counts as failed until it has turned out to be right."""
    begun = begin_try(office, account.name, address, known_browser(office, account.name, known))
    if begun.failure_id is None:
        return Tried(None, max(1, math.ceil(begun.wait.total_seconds())))
    codes: list[str] = []
    if is_enrolled(office, account.name):
        is_right = opens(office, account.name, code)
    else:
        codes = confirm(office, account.name, code) or []
        is_right = bool(codes)
    if is_right:
        forget_try(office, begun.failure_id)
    return Tried(account if is_right else None, codes=tuple(codes))


def _home(account: Account) -> str:
    """Where somebody goes on from the login."""
    if account.role is Role.OFFICE:
        return "/administration"
    return "/my-events" if account.affiliate else "/account"


class Tried(NamedTuple):
    """A try of a password: the account that it opened, or in how many seconds it may be tried."""

    account: Account | None
    wait: int = 0
    # recovery codes of a second factor that was set up just now
    codes: tuple[str, ...] = ()

    @property
    def too_often(self) -> str:
        """Why it was not looked at."""
        minutes = -(-self.wait // 60)
        return f"Too many wrong passwords. Try again in {f'{minutes} minutes' if minutes > 1 else 'a minute'}."


def try_password(office: Office, name: str, password: str, address: str, known: str = "") -> Tried:
    """Try a password, wherever it is asked for; it counts as failed until it has turned out to be right.

    ``known``: the secret of a browser by which somebody has logged in before.
    """
    begun = begin_try(office, name, address, known_browser(office, name, known))
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
    await _remember(request, reply, name)
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
    reply = page(request, "administration/machine.html", mark=mark_of(secret), link=link[:100])
    set_cookie(request, reply, FORM_COOKIE, secret)
    return reply


async def come_in_by_link(request: Request) -> Response:
    """Come in as the person at the machine, once per link."""
    form = await require_mark(request, cookie_of(request, FORM_COOKIE))
    office = office_of(request)
    if not await in_office(follow_link, office, text_of(form, "link", 100)):
        raise Problem(403, "This link was used already, or it is too old. Start crosstable serve again for a new one.")
    return await _come_in(request, "", "/administration")


ROUTES = (
    Route("/login", login_page, Policy.PUBLIC),
    Route("/login", log_in, Policy.LIMITED, ("POST",)),
    Route("/login/code", code_page, Policy.LIMITED),
    Route("/login/code", show_code, Policy.LIMITED, ("POST",)),
    Route("/logout", log_out, Policy.SIGNED_IN, ("POST",)),
    Route("/machine/{link}", machine_page, Policy.PUBLIC),
    Route("/machine", come_in_by_link, Policy.LIMITED, ("POST",)),
)
