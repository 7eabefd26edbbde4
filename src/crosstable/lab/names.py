"""Names that nobody has, made of syllables; as many different ones as a federation needs."""

import numpy as np
import polars as pl

_FIRST_PARTS = ("Al", "Be", "Ca", "Do", "El", "Fa", "Ga", "He", "Il", "Jo", "Ka", "Lo", "Ma", "Ne", "Or", "Ro")
_MIDDLE_PARTS = ("", "ba", "di", "lo", "mi", "na", "ri", "ta", "ve", "lan", "ren", "sil")
_LAST_PARTS = ("dra", "kin", "la", "len", "mar", "na", "ric", "ron", "ssa", "tan", "via", "vin")
_ENDINGS = ("bech", "dale", "fell", "gard", "hurst", "lund", "mere", "nall", "quist", "rell", "thorpe", "wick")
_TOWN_ENDINGS = ("borough", "bridge", "bury", "field", "ford", "haven", "ton", "ville", "water", "wood")
# Coprime to every number of combinations below, so that stepping by it meets each of them once.
_STEP = 1_000_003
# Two letters that no real state has.
STATES = tuple(f"{letter}Q" for letter in "ABCDEFGHIKLMNOPRSTUVWXYZ") + tuple(
    f"{letter}X" for letter in "ABCDEFGHIKLMNOPRSUVW"
)


def member_names(count: int, rng: np.random.Generator) -> pl.Series:
    """Names as "Last, First", all different up to some five million."""
    given = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _LAST_PARTS]
    family = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _ENDINGS]
    combinations = len(given) * len(family)
    start = int(rng.integers(combinations))
    chosen = (np.arange(count, dtype=np.int64) * _STEP + start) % combinations
    table = pl.DataFrame(
        {
            "family": pl.Series(family).gather(chosen // len(given)),
            "given": pl.Series(given).gather(chosen % len(given)),
        }
    )
    return table.select(pl.concat_str("family", "given", separator=", ").alias("name"))["name"]


def town_names(count: int, rng: np.random.Generator) -> list[str]:
    """Names of places, all different up to some two thousand."""
    towns = [one + two + three for one in _FIRST_PARTS for two in _MIDDLE_PARTS for three in _TOWN_ENDINGS]
    return [towns[at] for at in rng.permutation(len(towns))[:count]]
