"""The texts that pages can say, collected anew for the catalogues: ``python -m tools.make_languages``.

Templates are not marked: ``languages.templates`` finds their texts. Sentences of Python files are found by what they
look like, single words by the tables that hold them. What a translator wrote stays; new texts wait without a
translation, and a test fails until they have one.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from crosstable.explanation.words import ALONE, RESULTS
from crosstable.explanation.words import WORDS as EXPLANATIONS
from crosstable.languages.templates import has_words, messages
from crosstable.languages.texts import (
    DAY_TEXT,
    ENGLISH,
    FOLDER,
    LANGUAGES,
    MONTH_TEXT,
    MONTHS,
    MONTHS_TEXT,
    PLACE,
    SHORT_TEXT,
    SPAN_TEXT,
)
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import edition_values
from crosstable.web.pages.explanations import NOUNS

SOURCE = FOLDER.parent
TEMPLATES = SOURCE / "web" / "templates"
SCRIPTS = (SOURCE / "web" / "static", SOURCE / "app" / "static")
# Whose sentences stand on pages.
MODULES = (
    "web/*.py",
    "web/pages/*.py",
    "app/*.py",
    "explanation/lines.py",
    "explanation/starts.py",
    "explanation/steps.py",
    "explanation/telling.py",
    "calculator/*.py",
    "output/words.py",
    "output/audit_text.py",
    "verification/*.py",
    "output/charts.py",
    "output/tie_breaks.py",
    "output/verify_html.py",
    "pipeline/*.py",
    "notation.py",
    "remedies.py",
    "finding_kinds.py",
    "catalogue.py",
    "checks/*.py",
    "formats/*.py",
    "rules/amendments.py",
    "rules/documents.py",
    "rules/in_words.py",
    "rules/statements.py",
    "rules/time_controls.py",
    "rules/amending.py",
    "office/*.py",
)
# Whose sentences only files, the command line and operators read.
NOT_ON_PAGES = (
    *("web/mail.py", "web/operations.py", "web/headers.py", "web/settings.py"),
    *("formats/archive.py", "formats/fide_list.py", "formats/member_pages.py", "office/backups.py"),
    *(
        "office/complete_files.py",
        "office/proof.py",
        "office/former.py",
        "office/founding.py",
        "office/mail_server.py",
    ),
    *("office/stores.py", "office/database.py", "office/public_file.py", "office/originals.py", "office/audit.py"),
    *("office/list_files.py", "office/outside_ratings.py", "pipeline/frames.py", "office/demonstration.py"),
    *(
        "office/plain_errors.py",
        "office/guards.py",
        "office/settings.py",
        "office/schedules.py",
        "office/erasure_list.py",
        "office/upgrading.py",
        "office/verified_parts.py",
    ),
    *("formats/event_json_write.py", "web/policies.py", "web/routes.py"),
    "web/limits.py",
)
# Tables of single words, and of anything else that does not look like a sentence.
TABLES = (
    "web.templating.SITE_LINKS",
    "app.answering.LINKS",
    "app.templating.SYSTEM_NAMES",
    "app.templating._WORDS",
    "explanation.words.FLOOR_NAMES",
    "explanation.words.RESULTS",
    "output.words.KINDS",
    "explanation.words.REACHES",
    "explanation.words.PRE_EVENT",
    "explanation.words.INITIAL",
    "explanation.words.ESTIMATE",
    "explanation.words.INTERMEDIATE",
    "explanation.words.POSTED",
    "explanation.words.UNRATED_ROUNDS",
    "calculator.figures.CLASSES",
    "web.pages.explanations.RESULTS",
    "web.problems.TITLES",
    "engine.records.Assumption",
    "output.tie_breaks.METHODS",
    "formats.detect.KNOWN",
    "office.list_files.BASES",
    "languages.texts.MONTHS",
    "languages.texts.WEEKDAYS",
)
WORDS: tuple[str, ...] = (
    *(DAY_TEXT, SPAN_TEXT, MONTH_TEXT),
    *(name[:3] for name in MONTHS),
    *(MONTHS_TEXT, SHORT_TEXT),
    *(
        "and",
        "to",
        "or",
        "yes",
        "no",
        "nothing",
        "full",
        "Tied",
        "basis",
        "digest",
        "month",
        "notice",
        "Floors",
        "Matches",
    ),
    *("head of the record", "cut-off", "ratings", "not limited", "not found", "systems", "{line} x"),
    *("from {lowest} for peaks since {day}", "first Friday", "third Friday", "third Wednesday", "Choose"),
    *("rose", "fell", "stayed", "brought", "cost", "more", "less", "alone", "new", "changed", "withdrew", "played"),
    *("White", "Black", "white", "black", "win", "draw", "loss", "wins", "draws", "losses", "unchanged", "Ceiling"),
    *("rated", "withdrawn", "accepted", "submitted", "corrected", "held", "waiting", "Explained", "Differ", "Computed"),
    *("Rows", "above", "below", "before", "since", "proven", "assumed", "once", "twice", "published", "established"),
    *("adult", "unknown", "conversion", "players", "entry", "club", "state", "director", "opponent {number}"),
    *(
        "start",
        "end",
        "td",
        "session",
        "research",
        "office",
        "founded",
        "members",
        "unmerge",
        "opening",
        "import",
        "confirm",
        "settings",
        "upgrade",
        "clock",
        "request",
    ),
    *("The US Chess Rating system, {day}", "The US Chess Rating system, proposal of {day}"),
    *("the rating system's pages of {day}", "{count} new", "{count} changed", "{count} withdrawn"),
    *(f"{{count}} of {one}" for one in ("Regular", "Quick", "Blitz", "online Regular", "online Quick", "online Blitz")),
    *(f"{{line}} × {one} {how} {{limit}}" for one in ("FIDE", "CFC") for how in ("up to", "below")),
    *("{system} on {games} games or more", "{system} on more than {games} games", "by rating", "its games"),
    *("{system} on at most {games} games", "proven ({count} of {told})", "in doubt ({count} of {told})"),
    *(f"the {one} {{name}} {did} most, {{points}}" for one in NOUNS.values() for did in ("brought", "cost")),
    *("Expert", "time control: {name}", "lists: {name}", "start in {system}"),
    *("win over {name}", "draw with {name}", "loss to {name}", "stays {title}", "now (everything rated until then)"),
    *("official results {section}", "norms", "unexplained"),
    *(
        "differs",
        "{count} right",
        "{count} explained",
        "{count} differ",
        "{count} differs",
        "{count} cannot be checked",
    ),
    *("{line} x up to {limit}", "{line} x below {limit}", "game factors in {system}"),
)
# What an argument of this name holds, programs read.
# What a table of this name holds, files and programs read.
NOT_TABLES = frozenset(
    [
        "DESCRIBED",
        "INSIDE",
        "_QUERY",
        "_PROBLEMS",
        "_PROBLEMS_BY_BODY",
        "_PARAMETERS",
        "_BODY",
        "RESPONSES",
        "ROUTES",
        "PAGES",
    ]
)
# Words of templates that are no language: classes of styles, names of attributes and of formats.
CODES = frozenset(
    [
        "selected",
        "required",
        "open",
        "tall",
        "sideways",
        "quiet",
        "warn",
        "finding",
        "down",
        "up",
        "blank",
        "csv",
        "dbf",
        "json",
        "xlsx",
        "trf26",
        "up_to",
        "no-js",
    ]
)
NOT_SAID = frozenset({"summary", "tag", "tags", "operation_id", "media_type", "pattern", "description", "help"})
NOT_CALLED = frozenset(
    {"debug", "info", "warning", "exception", "compile", "Field", "text", "execute", "AssertionError"}
)
_TAGS = re.compile(r"<[^<>]*>")
_ANY_PLACE = re.compile(r"\{(?:\w+\.)*([A-Za-z_]\w*)(?:[:!][^{}]*)?\}")
_TOLD = re.compile(r'(?:aria-label|title|data-label)="([^"]*)"')
_COUNTED = re.compile(r'counted\((?:[^()"]*,\s*)?"([a-z -]+)"(?:, "([a-z -]+)")?\)')
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_MARKED = re.compile(rf"\bphrase\(\s*(?:[\w.]+ \? )?{_QUOTED}(?: : {_QUOTED})?")
_COUNTED_IN_SCRIPTS = re.compile(r'\bcounted\([^,()]+, "([a-z ]+)"(?:, "([a-z ]+)")?\)')
# Addresses, code, formulas, headings of files and of replies, and a few words that only programs read.
_NOT_SAID = re.compile(
    r"^[/.#?%-]|\w[_=]\w|\\|^\s*[a-z-]+\.[a-z]|://|^[a-z]+/[a-z]| \| |^\{ |^[@:;]|\{\d|^Disallow|^Sitemap|^User-agent"
    r"|^attachment|^Bearer|^, \"|^\d{4}-\d\d-\d\d |^(max|min|exp|ceil|floor)\(| \*\* |^body \{|^AL |, Cookie$"
    r"|noun of ours|^node \d|^no reading$|^the database says$|^The document |^Check and rate a draft|white-space"
)
Found = dict[str | tuple[str, str], set[str]]


@cache
def collected() -> Found:
    """Every text, with the files that say it."""
    found: Found = {}

    def note(texts: Iterable[str | tuple[str, str]], where: str) -> None:
        for text in texts:
            found.setdefault(text, set()).add(where)

    for path in sorted(TEMPLATES.rglob("*.html")):
        source, where = path.read_text(), _where(path)
        note(messages(source), where)
        note(in_expressions(source), f"{where}#printed")
        note(counts(source), where)
    for path in sorted(path for folder in SCRIPTS for path in folder.glob("*.js")):
        note(in_script(path.read_text()), _where(path))
    for pattern in MODULES:
        for path in sorted(SOURCE.glob(pattern)):
            if _where(path) in NOT_ON_PAGES:
                continue
            source = path.read_text()
            is_reader = _where(path).startswith("formats/")
            found_here = (one for one in sentences(source) if not is_reader or _is_finding(one))
            if _where(path).startswith("verification/"):  # on pages players go by their names
                found_here = (one.replace("player {", "{") for one in found_here)
            note(found_here, _where(path))
            note(counts(source), _where(path))
    for name in TABLES:
        module, _, table = name.rpartition(".")
        note(texts_in(getattr(import_module(f"crosstable.{module}"), table)), f"{module.replace('.', '/')}.py")
    note(explanations(), "explanation/words.py")
    note((name.replace("_", " ") for name in edition_values(EDITIONS[-1])), "rules/constants.py")
    note(
        (("{number} game", "{number} games"), ("{number} new member", "{number} new members")), "calculator/answers.py"
    )
    note(WORDS, "tools/make_languages.py")
    return found


def explanations() -> Iterator[str]:
    """The sentences of explanations; on pages players go by their names, and some go by what they did."""
    for one in EXPLANATIONS.values():
        text = plain(one.template.text).replace("player {opponent}", "{opponent}")
        for result in RESULTS.values() if "{result}" in text else ("",):
            for alone in ("", ALONE) if "{alone}" in text else ("",):
                yield text.replace("{result}", result).replace("{alone}", alone)


def _where(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def in_script(source: str) -> Iterator[str | tuple[str, str]]:
    """The texts that a script marks with ``phrase`` and ``counted``."""
    for marked in _MARKED.findall(source):
        yield from filter(None, marked)
    for one, several in _COUNTED_IN_SCRIPTS.findall(source):
        yield f"{{number}} {one}", f"{{number}} {several or one + 's'}"


def counts(source: str) -> Iterator[tuple[str, str]]:
    """The nouns that are counted, one and several."""
    for one, several in _COUNTED.findall(source):
        yield f"{{number}} {one}", f"{{number}} {several or one + 's'}"


def texts_in(value: object) -> Iterator[str]:
    """The texts in a table."""
    if isinstance(value, str):
        if has_words(value) and value not in CODES:
            yield plain(value)
    elif isinstance(value, dict):
        yield from texts_in(tuple(value.values()))
    elif isinstance(value, Iterable):
        for one in value:
            yield from texts_in(one)


def plain(text: str) -> str:
    """A text as the catalogue has it: places by name alone, one blank between words."""
    text = text.replace("{}", "{value}", 1).replace("{}", "{value2}", 1).replace("{:g}", "{count}")
    return " ".join(_ANY_PLACE.sub(r"{\1}", text).split())


# templates


def in_expressions(source: str) -> Iterator[str]:
    """Texts that an expression of a template prints."""
    tree = Environment().parse(source)
    silent = {id(one) for node in tree.find_all(_SILENT) for one in node.find_all(nodes.Const)}
    silent |= {id(one) for node in tree.find_all(nodes.Getitem) for one in node.arg.find_all(nodes.Const)}
    silent |= {id(node.arg) for node in tree.find_all(nodes.Getitem)}
    silent |= {id(pair.key) for pair in tree.find_all(nodes.Pair)}
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "address":
            silent |= {id(one) for one in call.find_all(nodes.Const)}
    for joined in tree.find_all(nodes.Concat):
        silent |= {id(one) for one in joined.nodes}
        parts = [str(one.value) if isinstance(one, nodes.Const) else f"{{{_noun(one)}}}" for one in joined.nodes]
        if has_words(PLACE.sub("", "".join(parts))) and "/" not in "".join(parts):
            yield plain("".join(parts))
    for one in tree.find_all(nodes.Const):
        text = "" if id(one) in silent or not isinstance(one.value, str) else one.value
        if text.strip() not in CODES and has_words(text) and is_said(text):
            yield plain(text)


_SILENT = (nodes.Compare, nodes.Filter, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Include)


def _noun(node: nodes.Node) -> str:
    return node.attr if isinstance(node, nodes.Getattr) else getattr(node, "name", "value")


# Python


def is_said(text: str) -> bool:
    """Whether a text is for people: no address, no style, no code."""
    bare = _ANY_PLACE.sub("0", text).strip()
    if re.fullmatch(r"(add )?\{[^{}]*\} [a-z ]+\{[^{}]*\}", text):  # a noun with the ending of its plural
        return False
    return not _NOT_SAID.search(bare) and not bare.isupper()


def sentences(source: str) -> Iterator[str]:
    """The sentences of a Python file: texts of several words, pieces of HTML among them."""
    tree = ast.parse(source)
    silent: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id in NOT_TABLES and node.value is not None:
                silent |= {id(one) for one in ast.walk(node.value)}
        elif isinstance(node, ast.keyword) and node.arg in NOT_SAID:
            silent |= {id(one) for one in ast.walk(node.value)}
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in NOT_CALLED:
                silent |= {id(one) for one in ast.walk(node)}
        elif isinstance(node, ast.JoinedStr):
            silent |= {id(one) for one in node.values if isinstance(one, ast.Constant)}
            silent |= {id(one.format_spec) for one in node.values if isinstance(one, ast.FormattedValue)}
        elif isinstance(node, ast.Compare | ast.Subscript):
            silent |= {id(one) for one in ast.walk(node) if isinstance(one, ast.Constant)}
    for node in ast.walk(tree):
        text = None if id(node) in silent else _text(node)
        if text is not None:
            yield from _said(text)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    out, places = "", dict[str, str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            out += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            out += f"{{{_place(ast.unparse(part.value), places)}}}"
    return out


def _place(expression: str, places: dict[str, str]) -> str:
    words = [one for one in re.findall(r"'[^']*'|([A-Za-z_]\w*)", expression) if one not in ("", "if", "else", "str")]
    name = words[-1] if words else "value"
    while places.get(name, expression) != expression:
        name += "2"
    places[name] = expression
    return name


def _said(text: str) -> Iterator[str]:
    if "<" in text and ">" in text:
        for piece in (*_TAGS.split(text), *_TOLD.findall(text)):
            if has_words(PLACE.sub("", piece)) and is_said(piece):
                yield plain(piece)
    elif " " in text.strip() and has_words(PLACE.sub("", text)) and is_said(text):
        yield plain(text)


def _is_finding(text: str) -> bool:
    """Whether a text of a reader is for people: readers also know the words of files."""
    return text.endswith((".", "?")) or PLACE.search(text) is not None


# catalogues

# Fields of a heading that say when and by which program a file was written, or nothing.
_OF_NO_USE = (b'"POT-Cr', b'"PO-Rev', b'"Generated', b'"Project-Id', b'"Report-M', b'"Last-T', b'"Language-Team')


def merged(code: str) -> Catalog:
    """The catalogue of a language with the texts of today; translations stay."""
    path = FOLDER / f"{code}.po"
    with path.open("rb") as file:
        known = read_po(file, locale=code)
    made = Catalog(locale=code, fuzzy=False, header_comment=known.header_comment)
    for text, places in sorted(collected().items(), key=lambda one: (sorted(one[1])[0], str(one[0]))):
        key = text if isinstance(text, str) else text[0]
        message = known.get(key)
        translated = message.string if message is not None and message.id == text else ""
        made.add(text, translated or None, locations=[(place, 0) for place in sorted(places)])
    return made


def written(catalog: Catalog) -> bytes:
    """A catalogue as a file."""
    out = BytesIO()
    write_po(out, catalog, width=120, include_lineno=False, omit_header=False)
    lines = [one for one in out.getvalue().split(b"\n") if not one.startswith(_OF_NO_USE)]
    return b"\n".join(lines)


def main() -> None:
    """Write the catalogues, and say what waits for a translation."""
    for code in LANGUAGES:
        if code != ENGLISH:
            made = merged(code)
            (FOLDER / f"{code}.po").write_bytes(written(made))
            waiting = [one.id for one in made if one.id and not (one.string and all(one.string))]
            print(f"{code}: {len(made)} texts, {len(waiting)} without a translation", *waiting, sep="\n  ")


if __name__ == "__main__":
    main()
