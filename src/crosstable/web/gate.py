"""The gate: who asks, whether a policy lets them in, and whether a form is one that we gave them.

Below ``/api/`` only a bearer token says who somebody is; everywhere else only the cookie of a session does. So no
foreign page can make a browser write through the API, and no program needs a cookie. Every write with a cookie carries
the mark of its session, which a foreign page cannot know.
"""

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from fastapi import Depends, Request, Response
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, QueryParams
from starlette.formparsers import MultiPartException

from crosstable.errors import OfficeError
from crosstable.office.credentials import SESSION_LASTS, Bearer, Scope, Session, bearer_of, session_of
from crosstable.office.database import Office
from crosstable.web.limits import Allowance, Limiter, address_of, cost_of
from crosstable.web.policies import BY_ROLE, NOBODY, Actor, ActorKind, may
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy

SESSION_COOKIE = "crosstable_session"
FORM_COOKIE = "crosstable_form"
# of a browser by which somebody has logged in
KNOWN_COOKIE = "crosstable_known"
MARK = "mark"
MOST_FILES = 10
MOST_FIELDS = 40
_SAFE = ("GET", "HEAD", "OPTIONS")
_CHARSETS = frozenset({"", "utf-8", "utf8"})
_MACHINE = Actor(ActorKind.MACHINE, "the machine")


def office_of(request: Request) -> Office:
    """The office that this site is about."""
    return reading_of(request).office


def reading_of(request: Request) -> Reading:
    """The record as it is served."""
    reading: Reading = request.app.state.reading
    return reading


def guards(policy: Policy) -> list[Any]:
    """The dependencies that enforce a policy; what is public costs nothing."""
    return [] if policy is Policy.PUBLIC else [Depends(guard(policy))]


def guard(policy: Policy) -> Callable[[Request], Awaitable[None]]:
    """What is done before a route with this policy answers."""

    async def check(request: Request) -> None:
        if not request.url.path.isprintable():  # no name of anything has such characters
            raise Problem(404, "There is nothing at this address.")
        actor = await actor_of(request)
        request.state.actor = actor
        if policy is Policy.LIMITED:
            _count(request, actor)
            return
        if not may(policy, actor):
            raise _refusal(request, actor)
        if request.method not in _SAFE and not _is_api(request):
            await require_mark(request, actor.secret)
        if request.method not in _SAFE and actor.scope is Scope.READ:
            raise Problem(403, "This token may only read.")

    return check


def _refusal(request: Request, actor: Actor) -> Problem:
    if actor.is_known:
        return Problem(403, "Your account may not do this.")
    if _is_api(request):
        said = "Send a token: Authorization: Bearer crosstable_…"
        return Problem(401, said, headers={"WWW-Authenticate": 'Bearer realm="crosstable"'})
    if request.method in _SAFE:  # a person: let them log in first, and come back
        back = f"/login?next={quote(request.url.path)}"
        return Problem(303, "Log in first.", headers={"Location": back})
    return Problem(401, "Log in first.")


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


# Who asks.


async def actor_of(request: Request) -> Actor:
    """Who asks: by a token below ``/api/``, by a session elsewhere."""
    if _is_api(request):
        return await _by_token(request)
    secret = cookie_of(request, SESSION_COOKIE)
    if not secret:
        return NOBODY
    session = await run_in_threadpool(session_of, office_of(request), secret[:200])
    return NOBODY if session is None else _by_session(session, secret)


async def is_from_known(request: Request) -> bool:
    """Whether somebody asks whom we know; whatever stands in the way of finding out, they are not."""
    try:
        return (await actor_of(request)).is_known
    except (Problem, OfficeError):
        return False


def _by_session(session: Session, secret: str) -> Actor:
    account = session.account
    if account is None:
        return _MACHINE._replace(secret=secret)
    return Actor(BY_ROLE[account.role], account.name, account.affiliate, secret)


async def _by_token(request: Request) -> Actor:
    said = request.headers.get("authorization", "")
    if not said:
        return NOBODY
    kind, _, secret = said.partition(" ")
    found: Bearer | None = None
    if kind.lower() == "bearer":
        found = await run_in_threadpool(bearer_of, office_of(request), secret.strip())
    if found is None:
        headers = {"WWW-Authenticate": 'Bearer realm="crosstable", error="invalid_token"'}
        raise Problem(401, "This token is not known here, or no longer.", headers=headers)
    # a token of the office acts for one affiliate, as a director would
    kind_of_actor = ActorKind.TD if found.account.role.value == "office" else BY_ROLE[found.account.role]
    return Actor(kind_of_actor, found.account.name, found.token.affiliate, scope=found.token.scope)


def _count(request: Request, actor: Actor) -> None:
    """Anybody may ask for work so often, and replies say how often (``limits``); who is known may ask more."""
    if actor.is_known or request.method in _SAFE:
        return
    _take(request, client_address(request), cost_of(_length(request)))


def charge(request: Request, actor: Actor, cost: int) -> None:
    """The same for work at an address where reading is free."""
    if not actor.is_known:
        _take(request, client_address(request), cost)


def charge_account(request: Request, actor: Actor) -> None:
    """Count a call of somebody who is known, wherever they call from."""
    if not actor.is_office:
        _take(request, f"account {actor.name}", 1)


def _take(request: Request, who: str, cost: int) -> None:
    limiter: Limiter = request.app.state.limiter
    found: Allowance = limiter.take(who, cost)
    request.state.allowance = found  # the reply states it
    if not found.is_granted:
        said = f"At most {found.limit} calls a minute from one address or account; long work counts as several."
        raise Problem(429, said)


def _length(request: Request) -> int:
    """How long a body is; one that does not say so may be as long as is allowed."""
    said = request.headers.get("content-length", "")
    most: int = request.app.state.settings.body_bytes
    if said.isdecimal():
        return min(int(said), most)
    return most if "transfer-encoding" in request.headers else 0


def client_address(request: Request) -> str:
    """Where a request comes from, as it is counted."""
    return address_of(request.scope)


# Forms that we gave.


def mark_of(secret: str) -> str:
    """The mark that forms of a session carry; it follows from its secret and tells nothing of it."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def new_secret() -> str:
    """The secret of somebody who has no session yet."""
    return secrets.token_urlsafe(32)


async def require_mark(request: Request, secret: str) -> FormData:
    """The form of a write; a problem where it is none that we gave to this browser."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise Problem(403, "This form came from another site; nothing was done.")
    form = await form_of(request)
    given = form.get(MARK)
    right = mark_of(secret).encode()
    if not secret or not isinstance(given, str) or not hmac.compare_digest(given.encode(errors="replace"), right):
        raise Problem(403, "This form is too old, or it came from somewhere else; load the page again.")
    return form


async def form_of(request: Request) -> FormData:
    """The fields and files of a form, within limits."""
    if getattr(request.state, "form", None) is None:
        most: int = request.app.state.settings.body_bytes
        _require_utf8(request)
        try:
            form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=most)
        except MultiPartException as error:
            raise Problem(400, f"The form cannot be read: {error.message}") from error
        except UnicodeError as error:
            raise Problem(400, "The form cannot be read: send it as UTF-8.") from error
        request.state.form = form
    found: FormData = request.state.form
    return found


def _require_utf8(request: Request) -> None:
    """A form may name any codec of this interpreter, and some of them make texts that nobody can write again."""
    _, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"").decode("latin-1").strip().lower() not in _CHARSETS:
        raise Problem(400, "The form cannot be read: send it as UTF-8.")


def text_of(form: FormData | QueryParams, name: str, most: int = 500) -> str:
    """A field of a form as one line, empty where it is not there."""
    value = form.get(name)
    if not isinstance(value, str):
        return ""
    line = " ".join(value.split())[:most]
    if not line.isprintable():
        raise Problem(422, f"{name}: there are characters in it that cannot be printed.")
    return line


def number_of(form: FormData | QueryParams, name: str) -> int:
    """A field that holds a whole number, 0 where it does not."""
    text = text_of(form, name, 9)
    return int(text) if text.isascii() and text.isdecimal() else 0


def set_cookie(request: Request, response: Response, name: str, secret: str, lasts: timedelta = SESSION_LASTS) -> None:
    """Give a browser its secret: no script reads it, no foreign page sends it along with a form."""
    response.set_cookie(_called(request, name), secret, max_age=int(lasts.total_seconds()), **_manners(request))


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Take a secret back."""
    response.delete_cookie(_called(request, name), **_manners(request))


def cookie_of(request: Request, name: str) -> str:
    """The secret that a browser brings, empty for none."""
    return request.cookies.get(_called(request, name), "")


def _called(request: Request, name: str) -> str:
    """Over HTTPS a cookie has the prefix that lets nobody but this very site set it."""
    return f"__Host-{name}" if request.url.scheme == "https" else name


def _manners(request: Request) -> dict[str, Any]:
    return {"path": "/", "httponly": True, "samesite": "lax", "secure": request.url.scheme == "https"}
