"""A site without a server: the pages that need no office, answered in a worker of the browser that shows them.

A request has a method, a path, a query, fields and files, or a JSON body, and the reply a status, a kind and a body, as
on the site; the scripts of the site's pages ask for the same addresses. ``tools/make_app.py`` makes the folder.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from crosstable.app.estimating import (
    ANSWER_TEMPLATE,
    TEMPLATE,
    Nobody,
    answer_context,
    answered,
    asked_of,
    beside,
    document_of,
    form_context,
    games_text,
    is_asked,
    is_refused,
)
from crosstable.app.showing import (
    AUDIT,
    NOTHING,
    RATE,
    Given,
    Typed,
    audited_file,
    completed_with,
    given_of,
    rated_file,
    typed_of,
)
from crosstable.app.templating import Site, environment_of
from crosstable.errors import AcceptanceError, Fault, FormatError
from crosstable.formats.detect import Input, inputs, read_input
from crosstable.languages.templates import in_language
from crosstable.languages.texts import ENGLISH, LANGUAGES, language_of
from crosstable.output.verify_html import verify_body
from crosstable.pipeline.auditing import audit_reports
from crosstable.pipeline.explaining import chosen, explained_document
from crosstable.pipeline.rating import rate, unreadable
from crosstable.pipeline.reading import of_reading
from crosstable.pipeline.verifying import posted_pages, verify
from crosstable.pipeline.workbench import Tools
from crosstable.pipeline.workbench import answer as workbench_answer
from crosstable.remedies import Reader, for_reader
from crosstable.terms import Report

VERIFY = "verify.html"
HTML, JSON = "text/html; charset=utf-8", "application/json"
TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "web", "templates")
# The pages of the folder by their addresses on the site; in other languages ``estimate.es.html`` and the like.
PAGES = {
    "/": "index.html",
    "/estimate": "estimate.html",
    "/upload": "event.html",
    "/rate": "explain.html",
    "/verify": "verify.html",
    "/audit": "audit.html",
}
_FILE = re.compile(r"/(\w+)(?:\.[a-z]{2})?\.html")
_PATHS = {file.removesuffix(".html"): path for path, file in PAGES.items()}
LINKS = {"/estimate": "Estimate", "/upload": "Event", "/rate": "Explain", "/verify": "Verify", "/audit": "Audit"}
MOST_KEPT = 10
_ANCHOR = re.compile(r'<a\b[^>]*?\shref="/[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_ADDRESS = re.compile(r'\b(href|src|action|formaction)="/([^"?#]*)')
_KEPT: dict[str, "Files"] = {}
Files = Sequence[tuple[str, bytes]]


class Request(NamedTuple):
    """What a page asks."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    fields: Sequence[tuple[str, str]] = ()
    body: str = ""
    files: Files = ()
    language: str = ENGLISH

    def text(self, name: str) -> str:
        """A field of the form as one line, empty where it is not there."""
        return " ".join(dict(self.fields).get(name, "").split())


class Reply(NamedTuple):
    """What a page is told."""

    status: int
    kind: str
    body: str


def answer(asked: str, files: Files = ()) -> str:
    """The reply to a request, both as JSON; files come beside it, by name and content."""
    given = json.loads(asked)
    request = Request(
        given["method"],
        given["path"],
        [(name, text) for name, text in given.get("query", ())],
        [(name, text) for name, text in given.get("fields", ())],
        given.get("body", ""),
        [(name, bytes(content)) for name, content in files],
        given["language"],
    )
    return json.dumps(reply_to(request)._asdict(), ensure_ascii=False)


def reply_to(request: Request) -> Reply:
    """The reply of whoever answers at an address; what the input lacks is a reply too."""
    file = _FILE.fullmatch(request.path)
    path = _PATHS.get(file[1], request.path) if file else request.path
    answers = _ANSWERS.get((request.method, path))
    if answers is None:
        return _problem(request, 404, "There is no such page here.")
    try:
        return answers(request)
    except (ValueError, AcceptanceError) as error:
        return _problem(request, 422, str(error))
    except LookupError as error:
        return _problem(request, 404, f"{str(error.args[0]).capitalize()}.")


def _problem(request: Request, status: int, detail: str) -> Reply:
    return _told(request, {"title": "Something in the request is wrong", "status": status, "detail": detail}, status)


def _told(request: Request, document: object, status: int = 200) -> Reply:
    """What the script of a page is told, in the language of the page."""
    if request.language != ENGLISH:
        document = language_of(request.language).told(document)
    return _document(document, status)


def _document(document: object, status: int = 200) -> Reply:
    body = json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace").decode()
    return Reply(status, JSON, body)


# Pages.


def file_of(path: str, language: str) -> str:
    """The file of a page in a language."""
    file = PAGES[path]
    return file if language == ENGLISH else f"{file.removesuffix('.html')}.{language}.html"


@lru_cache(maxsize=len(LANGUAGES))
def _environment(language: str) -> Environment:
    made = environment_of(FileSystemLoader(TEMPLATES), Site(is_demo=False, is_app=True))
    made.globals.update(office="Crosstable", canonical="", twin="", actor=None, read=None, mark="", may_submit=False)
    made.globals.update(identity={"color": "", "logo": "", "contact": ""}, site_links=_links)
    if language != ENGLISH:
        in_language(made, language_of(language))
    return made


def _page(request: Request, template: str, here: str, status: int = 200, **context: Any) -> Reply:  # noqa: ANN401
    language = request.language
    known = {
        "here": here,
        "wrong": "",
        "other_languages": [(code, name, file_of(here, code)) for code, name in LANGUAGES.items() if code != language],
    }
    text = _environment(language).get_template(template).render({**known, **context})
    return Reply(status, HTML, relative(text, language))


def _links(here: str) -> Markup:
    marked = ' aria-current="page"'
    links = (f'<li><a href="{path}"{marked if path == here else ""}>{word}</a></li>' for path, word in LINKS.items())
    return Markup("\n".join(links))  # nothing in it comes from outside


def relative(text: str, language: str = ENGLISH) -> str:
    """A page of the site for a folder under any path; a link to a page that is not there becomes its words."""

    def there(found: re.Match[str]) -> str:
        path = f"/{found[2]}"
        return f'{found[1]}="{file_of(path, language) if path in PAGES else path[1:]}'

    def link(found: re.Match[str]) -> str:
        path = _ADDRESS.search(found[0])
        assert path is not None
        return found[0] if f"/{path[2]}" in PAGES or "." in path[2] else found[1]

    return _ADDRESS.sub(there, _ANCHOR.sub(link, text))


def _form(template: str, here: str, **context: Any) -> Callable[[Request], Reply]:  # noqa: ANN401
    return lambda request: _page(request, template, here, **context)


def _estimate_page(request: Request) -> Reply:
    context, status = _estimated(request)
    return _page(request, TEMPLATE, "/estimate", status, **context)


def _estimate_answer(request: Request) -> Reply:
    """What the page says below its form, alone: its script asks for it as somebody types."""
    context, status = _estimated(request)
    text = _environment(request.language).get_template(ANSWER_TEMPLATE).render(context)
    return Reply(status, HTML, relative(text, request.language))


def _estimated(request: Request) -> tuple[dict[str, Any], int]:
    """What the estimate page shows of a question, and the status of the reply."""
    context = form_context(request.query, request.query, Nobody(games_text(request.query)))
    if not is_asked(context, has_games="game" in dict(request.query)):
        return context, 200
    question = asked_of(request.query)
    context |= answer_context(question, answered(question.reading, beside(question)))
    context["query"] = urlencode(request.query)
    context["link"] = context["link"].replace("/estimate?", f"{file_of('/estimate', request.language)}?", 1)
    return context, 422 if is_refused(context["done"]) else 200


def _estimate(request: Request) -> Reply:
    question = asked_of(request.query)
    return _document(document_of(answered(question.reading, question.questions)))


# Files.


def reports_of(files: Files) -> Iterator[tuple[str, Report | Fault]]:
    """The events in some files, read as the command line reads them: DBF tables are one event together."""
    with TemporaryDirectory() as folder:
        paths = {}
        for at, (name, content) in enumerate(files):
            within = os.path.join(folder, f"{at}" if name.lower()[-4:] != ".dbf" else "tables")
            os.makedirs(within, exist_ok=True)
            path = os.path.join(within, os.path.basename(name.replace("\\", "/")) or "file")
            with open(path, "wb") as file:
                file.write(content)
            paths[path] = os.path.basename(path)
        for one in inputs(list(paths)):
            name = " + ".join(paths[path] for path in one.paths)
            try:
                yield name, of_reading(read_input(Input(name, one.paths)))
            except FormatError as error:
                place = paths.get(error.fault.place, error.fault.place)
                yield name, error.fault._replace(place=place)


def _workbench(request: Request) -> Reply:
    tools = Tools(lambda files: [found for _, found in reports_of(files)], datetime.now(tz=UTC).date())
    return _told(request, workbench_answer(json.loads(request.body), tools))


def _rate(request: Request) -> Reply:
    try:
        given = given_of(request.text)
    except ValueError as error:
        return _page(request, RATE, "/rate", 422, given=NOTHING, shown=[], wrong=str(error))
    carried = request.text("carried")
    files = _KEPT.get(carried, ()) if carried else request.files
    if not files:
        return _page(request, RATE, "/rate", 422, given=given, shown=[], wrong="Choose a file.")
    carried = carried or _keep(files)
    shown = [rated_file(name, found, given, request.text("why"), carried) for name, found in reports_of(files)]
    return _page(request, RATE, "/rate", given=given, shown=shown)


def _keep(files: Files) -> str:
    """Files that a page asks about again: it carries their name along, and they stay here."""
    while len(_KEPT) >= MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)))
    name = f"kept-{int(max((one.rpartition('-')[2] for one in _KEPT), key=int, default='0')) + 1}"
    _KEPT[name] = files
    return name


class Posted(NamedTuple):
    """What a form about posted ratings holds; ``wrong`` says why nothing can be done with it."""

    typed: Typed
    given: Given
    files: Files
    wrong: str = ""


def _posted_of(request: Request) -> Posted:
    typed = typed_of(request.text, dict(request.fields).get("pasted", ""))
    files = [*request.files, *([("pasted text", typed.pasted.encode())] if typed.pasted else ())]
    try:
        return Posted(typed, given_of(request.text), files, "" if files else "Paste a crosstable, or choose a file.")
    except ValueError as error:
        return Posted(typed, NOTHING, files, str(error))


def _audit(request: Request) -> Reply:
    asked = _posted_of(request)
    if asked.wrong:
        return _page(request, AUDIT, "/audit", 422, shown=[], typed=asked.typed, wrong=asked.wrong)
    shown = [audited_file(name, found, asked.given) for name, found in reports_of(asked.files)]
    return _page(request, AUDIT, "/audit", shown=shown, typed=asked.typed)


def _verify(request: Request) -> Reply:
    asked = _posted_of(request)
    if asked.wrong:
        return _page(request, VERIFY, "/verify", 422, errors=(), body="", typed=asked.typed, wrong=asked.wrong)
    found = list(reports_of(asked.files))
    posted = posted_pages((name, completed_with(one, asked.given)) for name, one in found if isinstance(one, Report))
    faults = [one for _, one in found if isinstance(one, Fault)]
    errors = for_reader([*faults, *(one for _, one in posted.faults)], Reader.PAGE)
    if not posted.pages:
        wrong = "There are no posted ratings here that can be compared."
        return _page(request, VERIFY, "/verify", 422, errors=errors, body="", typed=asked.typed, wrong=wrong)
    verified = verify(posted.pages)
    body = Markup(verify_body(verified.found, verified.norms))  # its texts are escaped
    return _page(request, VERIFY, "/verify", errors=errors, body=body, typed=asked.typed)


# Documents, as the command line prints them.


def _rated(request: Request) -> Reply:
    pairing = bool(request.text("pairing"))
    events = (
        unreadable(name, found) if isinstance(found, Fault) else rate(found, pairing_ratings=pairing)
        for name, found in reports_of(request.files)
    )
    return _document([event.to_dict() for event in events])


def _explained(request: Request) -> Reply:
    section, player = int(request.text("section")), int(request.text("player"))

    def made(report: Report) -> list[dict[str, Any]]:
        return [explained_document(rated, player) for rated in chosen(rate(report), player, section, None)]

    return _document([_said(name, found, made) for name, found in reports_of(request.files)])


def _audited(request: Request) -> Reply:
    found = reports_of(request.files)
    return _document([_said(name, one, lambda report: audit_reports([("", report)]).to_dict()) for name, one in found])


def _said(name: str, found: Report | Fault, made: Callable[[Report], Any]) -> Any:  # noqa: ANN401
    return {"file": name, "faults": [found._asdict()]} if isinstance(found, Fault) else made(found)


_ANSWERS: dict[tuple[str, str], Callable[[Request], Reply]] = {
    ("GET", "/"): _form("app/home.html", "/"),
    ("GET", "/estimate"): _estimate_page,
    ("GET", "/estimate/answer"): _estimate_answer,
    ("GET", "/estimate.json"): _estimate,
    ("GET", "/upload"): _form("administration/upload.html", "/upload", shown=[], exports={}),
    ("POST", "/upload/check"): _workbench,
    ("GET", "/rate"): _form(RATE, "/rate", given=NOTHING, shown=[]),
    ("POST", "/rate"): _rate,
    ("POST", "/rate.json"): _rated,
    ("POST", "/explain.json"): _explained,
    ("GET", "/verify"): _form(VERIFY, "/verify", errors=(), body="", typed=Typed()),
    ("POST", "/verify"): _verify,
    ("GET", "/audit"): _form(AUDIT, "/audit", shown=[], typed=Typed()),
    ("POST", "/audit"): _audit,
    ("POST", "/audit.json"): _audited,
    ("GET", "/api/v1/suggest"): lambda _request: _document({"found": []}),
}
