"""Templates: Jinja2 with everything escaped, and the few words that every page needs.

Filters: ``plain`` (a name, made visible and of its own direction), ``own`` (one where no tag may stand), ``figure``,
``signed``, ``day``, ``month``, ``counted``, ``places``.
"""

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from crosstable import __version__
from crosstable.calculator.estimate import GamePoints
from crosstable.calculator.what_if import NormChance, Possibility, norm_title
from crosstable.checks.findings import words_of
from crosstable.errors import Fault, Severity
from crosstable.languages.texts import ENGLISH
from crosstable.output.words import printable
from crosstable.remedies import Reader, for_reader
from crosstable.sentences import american, american_days, counted
from crosstable.terms import RatingSystem

# More findings of one kind than these are one line.
FEW = 3
MINUS = "\N{MINUS SIGN}"
# In how many places a change is printed that is no whole number.
DECIMALS = 2
SYSTEM_NAMES = {system.name: system.title[0].upper() + system.title[1:] for system in RatingSystem}
# What a text may not hold as it is in a page; most hold none of it.
_SPECIAL = re.compile(r"""[&<>"']""").search
_WORDS = {1.0: "won", 0.5: "drew", 0.0: "lost"}


class Site:
    """What every page says of the site; ``is_app`` where it is a folder of files and this machine answers."""

    def __init__(self, *, is_demo: bool, is_app: bool = False) -> None:
        self.is_demo = is_demo
        self.is_app = is_app
        self.version = __version__


class _Generator(CodeGenerator):
    """Templates print by ``shown`` alone, where Jinja calls ``finalize``, ``escape`` and makes a ``Markup`` of it."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        assert finalize.src is not None
        assert frame.eval_ctx.autoescape
        assert not frame.eval_ctx.volatile
        self.write("environment.shown(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write(")")


class Shared(Environment):
    """Templates that share one plain dictionary of globals: the chain of two that each usually gets is slow to copy."""

    code_generator_class = _Generator

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 (those of Jinja)
        super().__init__(**options)
        self._made: dict[str, Template] = {}

    def _load_template(self, name: str, globals: MutableMapping[str, Any] | None) -> Template:
        """A template, kept as long as the environment: asking Jinja's own cache, which lets go, takes longer."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = super()._load_template(name, globals)
        return made

    @staticmethod
    def shown(value: object) -> str:
        """What a template prints of a value: visible, and escaped where it is no piece of a page."""
        if type(value) is str:
            text = value if value.isprintable() else printable(value)
            return text if _SPECIAL(text) is None else escape(text)
        return value if type(value) is Markup else escape(value)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The globals of a template; none has its own."""
        assert not d
        return self.globals


def environment_of(loader: BaseLoader, site: Site) -> Environment:
    """What every template is rendered with."""
    made = Shared(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(plain=plain, signed=signed, day=day, counted=counted, figure=figure, places=places, month=month)
    made.filters.update(own=own, said=said, piece=said, for_page=for_page)
    made.globals.update(lang=ENGLISH, other_languages=(), script_words=no_words)
    made.globals.update(site=site, address=address, names=SYSTEM_NAMES, days=days, day_of=day_of)
    made.globals.update(game_rows=game_rows, outcome_rows=outcome_rows, norm_rows=norm_rows, norm_title=norm_title)
    return made


def visible(value: object) -> object:
    """Whatever a template prints: no text of a file can turn the direction of a line or hide in it."""
    return printable(value) if type(value) is str and not value.isprintable() else value


class ToldFinding(NamedTuple):
    """Findings of one kind as a page tells them: the first, and where and what the others are."""

    place: str
    message: str
    remedy: str
    code: str
    others: tuple[tuple[str, str], ...]


def for_page(faults: Iterable[Fault | Mapping[str, str]]) -> list[ToldFinding]:
    """Findings for whoever reads a page: what they can do there, places in words, and one line for many of a kind."""
    found = [one if isinstance(one, Fault) else _fault_of(one) for one in faults]
    by: dict[tuple[str, str], list[Fault]] = {}
    for one in for_reader(found, Reader.PAGE):
        by.setdefault((one.code, one.remedy), []).append(one)
    told = []
    for some in by.values():
        for first, *others in [some] if len(some) > FEW else [[one] for one in some]:
            more = tuple((words_of(one.place), one.message) for one in others)
            told.append(ToldFinding(words_of(first.place), first.message, first.remedy, first.code, more))
    return told


def _fault_of(said: Mapping[str, str]) -> Fault:
    fields: dict[str, Any] = {name: said[name] for name in Fault._fields}
    return Fault(**{**fields, "severity": Severity(said["severity"])})


def no_words(head: str, is_app: bool) -> str:
    """What scripts say in another language than English: they know their English."""
    return ""


def said(value: object) -> object:
    """A text, or a piece that Python made, in the language of the page; ``in_language`` has it speak another."""
    return value


def address(*parts: object) -> str:
    """A path from its parts, each quoted: ``address("events", id, "sections", 3)``."""
    return "/" + "/".join([_quoted(str(part)) for part in parts])


@lru_cache(maxsize=4096)
def _quoted(part: str) -> str:
    return quote(part, safe="")


def plain(text: str) -> Markup:
    """A name from a file: escaped, its control characters visible, its direction its own."""
    return Markup(f"<bdi>{escape(text if text.isprintable() else printable(text))}</bdi>")


def own(text: str) -> Markup:
    """A name from a file where no tag may stand, as in titles: said in no other language."""
    return Markup(escape(text if text.isprintable() else printable(text)))  # nothing in it is left unescaped


def signed(value: float, digits: int = 0) -> str:
    """A change with its sign; no change has none."""
    text = f"{abs(value):.{digits}f}"
    if not text.strip("0."):
        return text
    return f"+{text}" if value > 0 else f"{MINUS}{text}"


def places(value: float) -> int:
    """How many places a change is printed to: two where the office shows decimals, else none."""
    return 0 if value == int(value) else DECIMALS


def figure(value: float | None, digits: int = 2) -> str:
    """A number with so many digits; nothing where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def days(start: str | None, end: str) -> str:
    """The days of an event as people say them: June 14 to 16, 2026."""
    last = date.fromisoformat(end)
    return american_days(date.fromisoformat(start) if start else last, last)


def day_of(iso: str) -> str:
    """A day as people say it."""
    return american(date.fromisoformat(iso))


@lru_cache(maxsize=4096)
def day(value: date | datetime | str) -> Markup:
    """A day, or a minute of one, as Americans write it, that a machine can read too."""
    iso = value if isinstance(value, str) else value.isoformat()
    at = datetime.fromisoformat(iso)
    clock = f", {at:%H:%M}" if "T" in iso else ""
    return Markup(f'<time datetime="{escape(iso)}">{at:%b} {at.day}, {at.year}{clock}</time>')


@lru_cache(maxsize=1024)
def month(value: str) -> str:
    """The month of a list in words: October 2026."""
    return f"{date.fromisoformat(f'{value}-01'):%B %Y}"


# Rows of tables, written in one go: a template asks for every cell by itself, which is most of the work of a table.


def change_text(value: float | None) -> str:
    """A change in whole points, up or down."""
    if value is None:
        return ""
    style = "up" if value >= 0.5 else "down" if value <= -0.5 else "quiet"
    return f'<span class="{style}">{signed(value, places(value))}</span>'


def game_rows(games: Sequence[GamePoints], names: Sequence[str]) -> Markup:
    """What each game of an estimate brought; opponents by name where they have one."""
    are_named = any(names)
    rows = [
        f'<tr><td class="n no">{number}</td><th scope="row">{_WORDS[score]}</th><td class="n" data-label="Opponent at">'
        f'{plain(names[at - 1]) + " " if are_named else ""}{met_at:.0f}</td><td class="n" data-label="Expected">'
        f'{expected:.2f}</td><td class="n" data-label="Points">{signed(points, 1)}</td></tr>'
        for number, (at, score, met_at, expected, points, _) in enumerate(games, start=1)
    ]
    return Markup("".join(rows))


def outcome_rows(ways: Iterable[Possibility], chances: Mapping[float, float]) -> Markup:
    """The new rating for every score, and the chance of it."""
    rows = [
        f'<tr><th scope="row" class="n">{score:g}</th><td class="n">{official}</td><td class="n">{change_text(change)}'
        f'</td><td class="n">{f"{bonus:.1f}" if bonus else ""}</td><td class="n">{_percent(chances.get(score, 0.0))}'
        "</td></tr>"
        for score, _, official, change, bonus in ways
    ]
    return Markup("".join(rows))


def _percent(chance: float) -> str:
    return "under 1 %" if 0.0 < chance < 0.01 else f"{100.0 * chance:.0f} %"


def norm_rows(chances: Iterable[NormChance]) -> Markup:
    """The score that each norm needs."""
    rows = (
        f'<tr><th scope="row">{one.title}</th><td class="n">{one.level}</td>'
        f'<td class="n">{"out of reach" if one.needed is None else f"{one.needed:g}"}</td></tr>'
        for one in chances
    )
    return Markup("".join(rows))
