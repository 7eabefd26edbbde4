"""Results as Polars frames, where Polars is installed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosstable.errors import MissingLibraryError, install_line
from crosstable.pipeline.results import PlayerResult, SectionResult

if TYPE_CHECKING:
    from polars import DataFrame

# What a table holds of a player; the rest is nested and stands in the document.
COLUMNS = tuple(name for name in PlayerResult._fields if name not in ("initial", "floor", "range", "merged_with"))


def frame_of(sections: Sequence[SectionResult]) -> "DataFrame":
    """A row for each player in each system of each section."""
    try:
        import polars as pl
    except ImportError as error:
        raise MissingLibraryError(f"to_frame needs Polars: {install_line('history')}") from error
    rows = [
        {
            "section": section.number,
            "section_name": section.name,
            "system": rated.system,
            "edition": rated.edition,
            **{name: _plain(getattr(player, name)) for name in COLUMNS},
            "initial_rating": None if player.initial is None else player.initial["rating"],
            "floor": None if player.floor is None else player.floor["name"],
            "floor_level": None if player.floor is None else float(player.floor["level"]),
            "range_low": None if player.range is None else player.range[0],
            "range_high": None if player.range is None else player.range[1],
        }
        for section in sections
        for rated in section.systems.values()
        for player in rated.players
    ]
    text, number, whole = pl.String(), pl.Float64(), pl.Int64()
    types = {
        **{"section": whole, "section_name": text, "system": text, "edition": text},
        **{"number": whole, "member_id": text, "name": text, "pre": number, "games_before": number, "post": number},
        **{"rounded": whole, "games_after": number, "formula": text, "effective_games": number, "k": number},
        **{"score": number, "expected": number, "bonus": number, "norm": text, "assumed": text, "rating_from": text},
        **{"floor_requested": number, "rank": whole, "initial_rating": number, "floor": text, "floor_level": number},
        **{"range_low": number, "range_high": number},
    }
    return pl.DataFrame(rows, schema=types, strict=False)


def _plain(value: object) -> object:
    return "; ".join(value) if isinstance(value, tuple) else value
