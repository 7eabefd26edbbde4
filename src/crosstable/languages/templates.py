"""Templates of another language: made from the English ones before they are compiled, so that a page costs the same.

Nothing in a template is marked: whatever stands between its tags, and in attributes that people are told, is a text. It
ends at a statement and at a tag that begins a new line or box; a tag within a sentence is part of the text
(``<a>…</a>``, a second one ``<a2>…</a2>``), and what a template puts in is a place (``{name}``). What is put in is
translated as it is printed, but never what stands in the value of a field.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Environment
from jinja2.ext import Extension
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from crosstable.languages.texts import PLACE, Language

# Tags within a sentence; what stands in some of them is no language.
INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "br",
        "code",
        "em",
        "i",
        "kbd",
        "output",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "wbr",
    ]
)
NO_LANGUAGE = frozenset({"bdi", "code", "kbd", "samp"})
VOID = frozenset({"br", "wbr"})
_OPAQUE = ("script", "style", "pre", "textarea")
_JINJA = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
_TOKENS = re.compile(
    rf"(?P<expression>\{{\{{.*?\}}\}})|(?P<statement>\{{%.*?%\}}|\{{#.*?#\}}|<!.*?>)"
    rf"|(?P<opaque><(?P<kind>{'|'.join(_OPAQUE)})\b.*?</(?P=kind)>)"
    rf'|(?P<tag></?[a-zA-Z](?:{_JINJA}|"(?:{_JINJA}|[^"])*"|[^<>"{{]|\{{)*?>)',
    re.DOTALL,
)
_ATTRIBUTES = re.compile(
    rf'(?P<name>\s(?:aria-label|title|placeholder|alt|data-label|data-[a-z]+-word)|name="description" content)='
    rf'"(?P<text>(?:{_JINJA}|[^"])*)"',
    re.DOTALL,
)
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_WORDS = re.compile(r"[A-Za-z][a-z]")
_NO_TEXT = re.compile(r'\s*[a-z-]+="')  # an attribute that a block puts into a tag
_NAMES = re.compile(r"\['(\w+)'\]|'[^']*'|\"[^\"]*\"|([A-Za-z_]\w*)")
_NO_NAMES = frozenset(["if", "else", "not", "and", "or", "in", "is", "none", "loop", "last", "first", "true", "false"])
_MARKED = re.compile(r"<(/?)([a-z]+\d*)(/?)>")
# The functions of templates that give pieces of a page.
PIECES = frozenset({"game_rows", "outcome_rows", "norm_rows", "history_rows", "history_chart", "site_links"})
Say = Callable[[str], str]
# The script of every page, and those that the head of one names.
EVERYWHERE = "suggest"
_SCRIPTS = re.compile(r'/static/([\w-]+)\.js"')


class Token(NamedTuple):
    """A piece of a template: ``text``, ``expression``, ``statement``, ``opaque`` or ``tag``, and its source."""

    kind: str
    source: str

    @property
    def name(self) -> str:
        """The name of a tag."""
        found = _TAG.match(self.source)
        return found[1].lower() if found else ""

    @property
    def is_end(self) -> bool:
        """Whether this is an end tag."""
        return self.source.startswith("</")


class Text(NamedTuple):
    """A text of a template: how it reads, and the sources of its places and tags."""

    message: str
    places: dict[str, str]
    tags: dict[str, tuple[str, str]]


def tokens(source: str) -> Iterator[Token]:
    """The pieces of a template, in order."""
    at = 0
    for found in _TOKENS.finditer(source):
        if found.start() > at:
            yield Token("text", source[at : found.start()])
        kind = next(name for name in ("expression", "statement", "opaque", "tag") if found[name])
        yield Token(kind, found[0])
        at = found.end()
    if at < len(source):
        yield Token("text", source[at:])


def has_words(text: str) -> bool:
    """Whether a piece between tags says something; entities alone do not."""
    return _WORDS.search(re.sub(r"&#?\w+;", "", text)) is not None and not _NO_TEXT.match(text)


def _runs(pieces: Sequence[Token]) -> Iterator[list[Token]]:
    """Stretches of a template that one text may span: between statements, boxes, and tags that are not closed."""
    run: list[Token] = []
    for piece in pieces:
        if piece.kind in ("statement", "opaque") or (piece.kind == "tag" and piece.name not in INLINE):
            yield from _balanced(run)
            yield [piece]
            run = []
        else:
            run.append(piece)
    yield from _balanced(run)


def _balanced(run: list[Token]) -> Iterator[list[Token]]:
    """A stretch, broken at tags whose other half stands elsewhere."""
    opened: list[int] = []
    matched: set[int] = set()
    for at, piece in enumerate(run):
        if piece.kind != "tag" or piece.name in VOID:
            continue
        if not piece.is_end:
            opened.append(at)
        elif opened and run[opened[-1]].name == piece.name:
            matched |= {opened.pop(), at}
    part: list[Token] = []
    for at, piece in enumerate(run):
        if piece.kind == "tag" and piece.name not in VOID and at not in matched:
            if part:
                yield part
            yield [piece]
            part = []
        else:
            part.append(piece)
    if part:
        yield part


def _inside(run: Sequence[Token], start: int) -> int:
    """Where the tag that begins at a place of a stretch ends."""
    depth = 0
    for at in range(start, len(run)):
        piece = run[at]
        if piece.kind == "tag" and piece.name not in VOID:
            depth += -1 if piece.is_end else 1
        if depth == 0:
            return at
    raise AssertionError("a stretch is balanced")


def _is_sentence(run: Sequence[Token]) -> bool:
    """Whether words stand in a stretch outside of its tags."""
    at = 0
    while at < len(run):
        if run[at].kind == "text" and has_words(run[at].source):
            return True
        at = _inside(run, at) + 1 if run[at].kind == "tag" else at + 1
    return False


class Translated:
    """One template in another language; what it says is noted."""

    def __init__(self, say: Say, mark: str = "") -> None:
        self.say = say
        # The filter that translates what is put in; none where texts are only collected.
        self.mark = mark

    def template(self, source: str) -> str:
        """The source of a template."""
        return "".join(map(self._run, _runs(list(tokens(source)))))

    def _run(self, run: list[Token]) -> str:
        if len(run) == 1 and run[0].kind == "opaque":
            start, end, rest = run[0].source.partition(">")
            return f"{self._tag(start)}{end}{rest}" if run[0].name == "textarea" else run[0].source
        if len(run) == 1 and run[0].kind == "statement":
            return run[0].source
        if len(run) == 1 and run[0].kind == "tag":
            return self._tag(run[0].source)
        if _is_sentence(run):
            return self._sentence(run)
        out: list[str] = []
        at = 0
        while at < len(run):
            piece = run[at]
            if piece.kind == "tag" and piece.name not in VOID:
                last = _inside(run, at)
                within = run[at + 1 : last]
                is_plain = piece.name in NO_LANGUAGE
                inner = "".join(one.source for one in within) if is_plain else self._run(within) if within else ""
                out += [self._tag(piece.source), inner, run[last].source]
                at = last
            else:
                out.append(self._expression(piece.source) if piece.kind == "expression" else piece.source)
            at += 1
        return "".join(out)

    def _expression(self, source: str) -> str:
        if not self.mark:
            return source
        found = re.fullmatch(r"\{\{([-+]?)(.*?)([-+]?)\}\}", source, re.DOTALL)
        assert found
        return f"{{{{{found[1]} ({found[2].strip()})|{self.mark} {found[3]}}}}}"

    def _tag(self, source: str) -> str:
        """A tag with what people are told of it."""
        return _ATTRIBUTES.sub(self._attribute, source)

    def _attribute(self, found: re.Match[str]) -> str:
        pieces = list(tokens(found["text"]))
        out = []
        run: list[Token] = []
        for piece in [*pieces, Token("statement", "")]:
            if piece.kind == "statement":
                if run:
                    out.append(self._run([Token("text", one.source) if one.kind == "tag" else one for one in run]))
                out.append(piece.source)
                run = []
            else:
                run.append(piece)
        return f'{found["name"]}="{"".join(out)}"'

    def _sentence(self, run: list[Token]) -> str:
        whole = "".join(piece.source for piece in run)
        before, after = whole[: len(whole) - len(whole.lstrip())], whole[len(whole.rstrip()) :]
        text = self._text(run)
        said = self.say(text.message)
        said = PLACE.sub(lambda place: self._expression(text.places[place[1]]), said) if text.places else said
        return before + _MARKED.sub(lambda tag: self._put_back(text, tag), said) + after

    def _put_back(self, text: Text, tag: re.Match[str]) -> str:
        opening, closing = text.tags[tag[2]]
        return closing if tag[1] else self._tag(opening)

    def _text(self, run: Sequence[Token]) -> Text:
        message, places, tags = "", dict[str, str](), dict[str, tuple[str, str]]()
        opened: list[str] = []
        at = 0
        while at < len(run):
            piece = run[at]
            if piece.kind == "expression":
                message += f"{{{_name(piece.source, places)}}}"
            elif piece.kind == "text":
                message += piece.source
            elif piece.name in VOID:
                tags[piece.name] = (piece.source, "")
                message += f"<{piece.name}>"
            elif piece.is_end:
                name = opened.pop()
                tags[name] = (tags[name][0], piece.source)
                message += f"</{name}>"
            elif piece.name in NO_LANGUAGE or not any(
                one.kind == "expression" or (has_words(one.source) and one.kind == "text")
                for one in run[at : _inside(run, at)]
            ):
                end = _inside(run, at)
                name = _free(piece.name, tags)
                tags[name] = ("".join(one.source for one in run[at : end + 1]), "")
                message += f"<{name}/>"
                at = end
            else:
                name = _free(piece.name, tags)
                tags[name] = (piece.source, "")
                opened.append(name)
                message += f"<{name}>"
            at += 1
        return Text(" ".join(message.split()), places, tags)


def _free(name: str, taken: object) -> str:
    assert isinstance(taken, dict)
    return name if name not in taken else next(f"{name}{n}" for n in range(2, 99) if f"{name}{n}" not in taken)


def _name(source: str, places: dict[str, str]) -> str:
    """The name of a place: the last word of what is put in."""
    inner = source.strip("{}-+ ")
    words = _words_in(inner.split("|")[0]) or _words_in(inner)
    wanted = words[-1] if words else "value"
    for name, known in places.items():
        if known == source:
            return name
    name = _free(wanted, places)
    places[name] = source
    return name


def _words_in(expression: str) -> list[str]:
    found = (key or word for key, word in _NAMES.findall(expression))
    return [word for word in found if word and word not in _NO_NAMES]


def messages(source: str) -> list[str]:
    """The texts of a template, for the catalogue."""
    found: list[str] = []

    def note(message: str) -> str:
        found.append(message)
        return message

    Translated(note).template(source)
    return found


class InLanguage(Extension):
    """Gives every template of an environment in the language of its global ``language``."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """A template's source in the language."""
        language = self.environment.globals["language"]
        assert isinstance(language, Language)
        return Translated(lambda message: language.known.texts.get(message, message), "said").template(source)


def in_language(environment: Environment, language: Language) -> None:
    """Let an environment speak a language; the pieces of pages that Python makes are translated when they are made."""
    known: dict[str, Any] = environment.globals
    known.update(language=language, lang=language.code, script_words=_script_words(language))
    known["names"] = {code: language.say(name) for code, name in known["names"].items()}
    for name in PIECES & known.keys():
        known[name] = _spoken(language, known[name])
    environment.filters.update(said=language.said, piece=language.markup, day=lru_cache(maxsize=4096)(language.time))
    environment.add_extension(InLanguage)


def _script_words(language: Language) -> Callable[[str, bool], Markup]:
    @lru_cache(maxsize=100)
    def words(head: str, is_app: bool) -> Markup:
        """What the scripts in the head of a page say; all that scripts say in the application, which is one page."""
        known = language.known
        named = known.of_scripts if is_app else [EVERYWHERE, *_SCRIPTS.findall(head)]
        return htmlsafe_json_dumps(known.words(named), ensure_ascii=False, separators=(",", ":"))

    return words


def _spoken(language: Language, make: Callable[..., Markup]) -> Callable[..., Markup]:
    def made(*given: object) -> Markup:
        return language.markup(make(*given))

    return made
