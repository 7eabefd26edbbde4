"""Styles and scripts, sent without what only their readers need: indentation, notes, and blanks between rules."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

_NOTE = re.compile(r"/\*.*?\*/", re.DOTALL)
# A quoted text stays as it is; around these marks blanks mean nothing in a rule.
_BLANKS = re.compile(r"""("[^"]*")|\s*([{};])\s*|([:,])\s+|\s+""")


def lean_styles(text: str) -> str:
    """Rules of style without notes and blanks."""
    short = _BLANKS.sub(lambda found: found[1] or found[2] or found[3] or " ", _NOTE.sub("", text))
    return short.replace(";}", "}").strip()


def lean_script(text: str) -> str:
    """A script without the notes that have a line of their own, and without indentation; its lines stay lines."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_LEAN: Mapping[str, tuple[Callable[[str], str], str]] = {
    ".css": (lean_styles, "text/css"),
    ".js": (lean_script, "text/javascript"),
}


@lru_cache(maxsize=100)
def _made(path: str, changed_at: float) -> bytes:
    """A file made lean; read again when it has changed."""
    file = Path(path)
    return _LEAN[file.suffix][0](file.read_text(encoding="utf-8")).encode()


class LeanFiles(StaticFiles):
    """A folder of files, of which styles and scripts are sent lean."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """One file, or that it has not changed."""
        whole = super().file_response(full_path, stat_result, scope, status_code)
        suffix = Path(full_path).suffix
        if suffix not in _LEAN or isinstance(whole, NotModifiedResponse):
            return whole
        lean = Response(_made(str(full_path), stat_result.st_mtime), status_code, media_type=_LEAN[suffix][1])
        for name in ("etag", "last-modified"):
            lean.headers[name] = whole.headers[name]
        if scope["method"] == "HEAD":
            lean.body = b""
        return lean
