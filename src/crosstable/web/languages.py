"""Which language a page is in: what the address says (``?lang=es``, remembered in a cookie), the cookie, the browser.

What programs read (the API and the twins) stays English. The cookie is none of a session: pages stay public and kept.
"""

from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable.languages.texts import ENGLISH, LANGUAGES, language_of

NAME = "lang"
# How a scope says the language of its answer.
KEY = "crosstable.language"
_COOKIE = f"{NAME}={{}}; Path=/; Max-Age=31536000; SameSite=Lax"
_FOR_PROGRAMS = ("/api/", "/static/", "/feeds/")
# What a question in an address may hold as it is.
_AS_WRITTEN = "%+&=;,/:@!$*()?~"


def code_of(scope: Scope) -> str:
    """The language in which a request is answered."""
    code: str = scope.get(KEY, ENGLISH)
    return code


class InLanguages:
    """Finds out the language of a request, and keeps what was asked for by the address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or _is_for_programs(scope["path"]):
            await self.app(scope, receive, send)
            return
        asked = b""
        if NAME.encode() + b"=" in scope["query_string"]:
            asked, scope = _asked(scope)
        code = asked.decode() or _preferred(scope)
        if code != ENGLISH:
            scope = {**scope, KEY: code}
        await self.app(scope, receive, _keeping(send, code) if asked else send)


def _is_for_programs(path: str) -> bool:
    return path.endswith(".json") or path.startswith(_FOR_PROGRAMS)


def _asked(scope: Scope) -> tuple[bytes, Scope]:
    """The language that an address names, and the request without that."""
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    wanted = [value for name, value in pairs if name == NAME and value in LANGUAGES]
    if not wanted:
        return b"", scope
    rest = urlencode([pair for pair in pairs if pair[0] != NAME])
    return wanted[-1].encode(), {**scope, "query_string": rest.encode("latin-1")}


def _preferred(scope: Scope) -> str:
    """The language that a cookie or else the browser asks for."""
    accepted = b""
    for name, value in scope["headers"]:
        if name == b"cookie" and NAME.encode() in value:
            for one in value.split(b";"):
                key, _, text = one.strip().partition(b"=")
                code: str = text.decode("latin-1")
                if key == NAME.encode() and code in LANGUAGES:
                    return code
        elif name == b"accept-language":
            accepted = value
    return accepted_language(accepted) if accepted else ENGLISH


@lru_cache(maxsize=1024)
def accepted_language(header: bytes) -> str:
    """The first language of ours by the weights of an ``Accept-Language``; English where there is none."""
    wanted = []
    for at, one in enumerate(header.decode("latin-1").split(",")[:20]):
        tag, _, weight = one.strip().partition(";")
        code = tag.strip().partition("-")[0].casefold()
        try:
            value = float(weight.strip().removeprefix("q=") or 1.0)
        except ValueError:
            continue
        if code in LANGUAGES and value > 0:
            wanted.append((-value, at, code))
    return min(wanted)[2] if wanted else ENGLISH


def _keeping(send: Send, code: str) -> Send:
    async def with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            cookie = (b"set-cookie", _COOKIE.format(code).encode())
            message = {**message, "headers": [*message["headers"], cookie]}
        await send(message)

    return with_cookie


def told_in(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """What the script of a page shows of a reply, in the language of the page."""
    code = code_of(request.scope)
    told: dict[str, Any] = reply if code == ENGLISH else language_of(code).told(reply)
    return told


def address_in(request: Request, code: str) -> str:
    """The address of the same page in a language."""
    asked = quote(request.scope["query_string"], safe=_AS_WRITTEN)
    return f"{quote(request.url.path)}?{asked}{'&' if asked else ''}{NAME}={code}"
