"""Rows of the tables that are asked for most, written in one go; the templates around them say what they are.

A template asks for every cell by itself, which is most of the work of a long table. Here as there every text is
escaped, and what a file holds is made visible (``plain``).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from crosstable.calculator.estimate import GamePoints
from crosstable.calculator.what_if import NormChance, Possibility
from crosstable.web.pages.member_history import HistoryRow
from crosstable.web.shapes import SYSTEM_NAMES, Rating
from crosstable.web.templating import address, day, figure, places, plain, signed, visible

_ARROW = '<span class="unseen">to</span><span aria-hidden="true">→</span>'
_UNRATED = '<span class="quiet">Unrated</span>'
_WORDS = {1.0: "won", 0.5: "drew", 0.0: "lost"}


def rating_text(one: Rating | None) -> str:
    """A rating, provisional ones with their games."""
    if one is None:
        return _UNRATED
    if not one.provisional:
        return f'<span class="rating">{one.text}</span>'
    games = "few" if one.games is None else f"{one.games:g}"
    return f'<span class="rating provisional" title="provisional, on {games} games">{one.text}</span>'


def change_text(value: float | None) -> str:
    """A change in whole points, up or down."""
    if value is None:
        return ""
    style = "up" if value >= 0.5 else "down" if value <= -0.5 else "quiet"
    return f'<span class="{style}">{signed(value, places(value))}</span>'


@lru_cache(maxsize=16_384)
def _section_link(event: str, section: int, name: str) -> str:
    return f'<a href="{escape(address("events", event, "sections", section))}">{plain(name)}</a>'


def history_rows(rows: Iterable[HistoryRow]) -> Markup:
    """The lines of a member's history."""
    return Markup("".join(map(_history_row, rows)))  # every text in it is escaped


def _history_row(row: HistoryRow) -> str:
    system, place = SYSTEM_NAMES[row.system], row.place
    what = escape(visible(row.what))
    section = what if place is None else _section_link(place.event, place.section, place.name)
    notes = "".join(f' <small class="tag">{escape(note)}</small>' for note in row.notes)
    score = "" if row.played is None else f"{row.score:g}/{row.played}"
    why = ""
    if row.player is not None and place is not None:
        there = escape(address("events", place.event, "sections", place.section, "players", row.player))
        why = f' <a href="{there}?system={row.system}">why<span class="unseen"> {what}, {system}</span></a>'
    return (
        f'<tr>\n<td>{day(row.ended)}</td>\n<th scope="row">{section}{notes}</th>\n'
        f'<td class="s"><span class="dot {row.system.lower()}" aria-hidden="true"></span>{system}</td>\n'
        f'<td class="n" data-label="Score">{score}</td>\n'
        f"<td>{rating_text(row.before)} {_ARROW} <b>{rating_text(row.after)}</b></td>\n"
        f'<td class="n">{change_text(row.change)}{why}</td>\n</tr>\n'
    )


def game_rows(games: Sequence[GamePoints], names: Sequence[str]) -> Markup:
    """What each game of an estimate brought; opponents by name where they have one."""
    rows = (
        f'<tr><td class="n no">{number}</td><th scope="row">{_WORDS[game.score]}</th>'
        f'<td class="n" data-label="Opponent at">{plain(names[game.opponent - 1]) + " " if any(names) else ""}'
        f"{game.met_at:.0f}</td>"
        f'<td class="n" data-label="Expected">{figure(game.expected)}</td>'
        f'<td class="n" data-label="Points">{signed(game.points, 1)}</td></tr>'
        for number, game in enumerate(games, start=1)
    )
    return Markup("".join(rows))


def outcome_rows(ways: Iterable[Possibility], chances: Mapping[float, float]) -> Markup:
    """The new rating for every score, and the chance of it."""
    rows = (
        f'<tr><th scope="row" class="n">{way.score:g}</th><td class="n">{way.official}</td>'
        f'<td class="n">{change_text(way.change)}</td><td class="n">{figure(way.bonus or None, 1)}</td>'
        f'<td class="n">{_percent(chances.get(way.score, 0.0))}</td></tr>'
        for way in ways
    )
    return Markup("".join(rows))


def _percent(chance: float) -> str:
    return "under 1 %" if 0.0 < chance < 0.01 else f"{100.0 * chance:.0f} %"


def spark(past: Sequence[int]) -> Markup:
    """A small line of the ratings of the last lists; nothing where they say nothing."""
    if len(past) < 2:
        return Markup("")
    low, span = min(past), max(max(past) - min(past), 20)
    points = " ".join(
        f"{1 + 58 * at / (len(past) - 1):.0f},{15 - 14 * (one - low) / span:.0f}" for at, one in enumerate(past)
    )
    return Markup(f'<svg class="spark" viewBox="0 0 60 16" aria-hidden="true"><polyline points="{points}"/></svg>')


def norm_rows(chances: Iterable[NormChance]) -> Markup:
    """The score that each norm needs."""
    rows = (
        f'<tr><th scope="row">{one.title}</th><td class="n">{one.level}</td>'
        f'<td class="n">{"out of reach" if one.needed is None else f"{one.needed:g}"}</td></tr>'
        for one in chances
    )
    return Markup("".join(rows))
