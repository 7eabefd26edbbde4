"""The words: for every field of every working record, the § it comes from and the sentence that says it.

A sentence may use ``{value}`` and the names of the other fields of its record. ``None`` marks a field that is said
elsewhere: in the line of another field, or in a sentence of its own in ``explain.lines``.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Words(NamedTuple):
    """The section of the document and the sentence for one field."""

    section: str
    sentence: str


WORDS: Mapping[str, Mapping[str, Words | None]] = {
    "SourceWeight": {
        "converted": Words("§2.1, §2.2", "On the US Chess scale that is X = {value:.2f}."),
        "game_factor": Words("§2", "Game Factor G = {value:g}."),
        "age_based_then": Words("§2.3", "The age-based rating at that time was P = {value:.2f}."),
        "strength_for_age": Words("§2", "Strength for age Z = min(6, (X - P)/350) = {value:.4f}."),
        "staleness_factor": Words("§2", "Staleness Factor S = {value:.4f}."),
        "weight": Words("§2", "Adjusted Weight W = G × S = {value:.4f}."),
    },
    "Initial": {
        "source": None,
        "total_weight": Words("§2", "The weights add up to {value:.4f}."),
        "mean": Words("§2", "The weighted average is {value:.4f}."),
        "rating": Words("§2", "The initial rating is R0 = {value:.4f}."),
        "games": Words("§2", "It is treated as based on N = {value:g} games."),
    },
    "SpecialRating": {
        "adjusted_prior": Words("§4.1", "The adjusted initial rating is R0' = {value:.4f}."),
        "adjusted_score": Words("§4.1", "The adjusted score is S' = {value:.4f}."),
        "converged": None,
        "uncapped": Words("§4.1", "The rating at which the expected score equals S' is M = {value:.4f}."),
        "rating": Words("§4.1", "The special rating, at most 2700, is {value:.4f}."),
    },
    "StandardUpdate": {
        "k": Words("§4.2", "K = {value:.4f}."),
        "expected": Words("§4.2", "The expected score is E = {value:.4f}."),
        "change": Words("§4.2", "K(S - E) = {value:+.4f}."),
        "bonus": Words("§4.2", "The bonus is {value:.4f}."),
        "rating": Words("§4.2", "The standard rating is R0 + K(S - E) + bonus = {value:.4f}."),
    },
    "MatchLimits": {
        "computed": Words("§7", "The match would change the rating by {value:+.4f}."),
        "within_match": Words("§7", "Held to the limit of one match: {value:+.4f}."),
        "within_half_year": Words("§7", "Held to the net limit of 180 days: {value:+.4f}."),
        "change": Words("§7", "Held to the net limit of three years: {value:+.4f}."),
    },
    "Outcome": {
        "limited_change": Words("§7", "The limits of match play leave a change of {value:+.4f}."),
        "floor_kind": None,
        "floor_level": None,
        "requested_floor": Words(
            "§7", "This counts as a request to lower the floor to {value:g}; until granted it holds."
        ),
        "is_at_ceiling": None,
        "rating": Words("§1", "The rating after the section is {value:.4f}."),
    },
}
