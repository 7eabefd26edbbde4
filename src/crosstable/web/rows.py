"""Rows of the tables that are asked for most, written in one go; the templates around them say what they are.

A template asks for every cell by itself, which is most of the work of a long table. Here as there every text is
escaped, and what a file holds is made visible (``plain``).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from crosstable.app.templating import address, change_text, day, plain, visible
from crosstable.web.pages.member_history import HistoryRow
from crosstable.web.shapes import SYSTEM_NAMES, Rating

_ARROW = '<span class="unseen">to</span><span aria-hidden="true">→</span>'
_UNRATED = '<span class="quiet">Unrated</span>'


def rating_text(one: Rating | None) -> str:
    """A rating, provisional ones with their games."""
    if one is None:
        return _UNRATED
    if not one.provisional:
        return f'<span class="rating">{one.text}</span>'
    games = "few" if one.games is None else f"{one.games:g}"
    return f'<span class="rating provisional" title="provisional, on {games} games">{one.text}</span>'


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
        why = f' <a href="{there}?system={row.system}">why<span class="unseen"> <bdi>{what}</bdi>, {system}</span></a>'
    return (
        f'<tr>\n<td>{day(row.ended)}</td>\n<th scope="row">{section}{notes}</th>\n'
        f'<td class="s"><span class="dot {row.system.lower()}" aria-hidden="true"></span>{system}</td>\n'
        f'<td class="n" data-label="Score">{score}</td>\n'
        f"<td>{rating_text(row.before)} {_ARROW} <b>{rating_text(row.after)}</b></td>\n"
        f'<td class="n">{change_text(row.change)}{why}</td>\n</tr>\n'
    )


def spark(past: Sequence[int]) -> Markup:
    """A small line of the ratings of the last lists; nothing where they say nothing."""
    if len(past) < 2:
        return Markup("")
    low, span = min(past), max(max(past) - min(past), 20)
    points = " ".join(
        f"{1 + 58 * at / (len(past) - 1):.0f},{15 - 14 * (one - low) / span:.0f}" for at, one in enumerate(past)
    )
    return Markup(f'<svg class="spark" viewBox="0 0 60 16" aria-hidden="true"><polyline points="{points}"/></svg>')
