"""The calculator's quick figures, why other calculators differ, and how ratings work."""

from datetime import date
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from crosstable.calculator.answers import badge_object, difference_object
from crosstable.calculator.figures import (
    BADGES,
    CLASSES,
    FULL_SCORE_DIFFERENCE,
    LABEL,
    PAGE_ESTABLISHED,
    badge,
    old_page,
    page_class,
    performance_ratings,
    rating_class,
    thresholds,
)
from crosstable.calculator.reading import read_game
from crosstable.calculator.requests import HIGHEST_RATING, LOWEST_RATING, MOST_GAMES, Opponent
from crosstable.calculator.texts import RESOURCES, differences, texts
from crosstable.formulas.standard import effective_games, k_factor, most_effective_games, odds, winning_expectancy
from crosstable.notation import read_rating, split_games
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH
from crosstable.terms import GAME_SCORES, RatingSystem, total
from crosstable.web.problems import Problem
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import SYSTEM_NAMES


class CalculatorView(View):
    """Quick figures for a rating and some games; nothing where none are given."""

    rating: str
    game: str
    classes: list[dict[str, Any]]
    rating_class: str | None
    old_class: str | None
    performance: dict[str, Any] | None
    badge: dict[str, Any] | None
    badges: list[dict[str, Any]]
    thresholds: tuple[float, float]
    expected: float | None
    k: float | None
    effective_games: float | None
    old_page: dict[str, Any] | None
    old_label: str
    full_score_points: float
    errors: list[str]


class DifferencesView(View):
    """Why other calculators differ, each by an example."""

    differences: list[dict[str, Any]]


class TextShape(BaseModel):
    """A part of the page."""

    code: str
    title: str
    paragraphs: tuple[str, ...]


class AboutView(View):
    """How ratings work, what a rated tournament needs, and what an estimate is not."""

    edition: str
    law_seen_through: date
    texts: list[TextShape]
    resources: list[dict[str, str]]
    classes: list[dict[str, Any]]
    systems: dict[str, str]


def calculator(
    read: Snapshot,
    rating: Annotated[str, Query(max_length=40, description="1512, 1512/40 or 1641P17.")] = "",
    game: Annotated[str, Query(max_length=2000, description="W1640 D1720 L1600")] = "",
) -> CalculatorView:
    """Performance by every method, badge, class and K, from a rating and some games."""
    errors: list[str] = []
    own, games = _player(rating, errors)
    met = _met(game, errors)
    opponents = [one.rating for one in met for _ in one.results if one.rating is not None]
    scores = [GAME_SCORES[result] for one in met for result in one.results if result is not None]
    constants = EDITIONS[-1].constants
    expected = k = effective = None
    if own is not None and opponents:
        expected = total(winning_expectancy(odds(own), odds(one)) for one in opponents)
        effective = most_effective_games(constants, own) if games is None else effective_games(constants, own, games)
        k = (
            None
            if games is not None and games <= constants.special_games
            else k_factor(constants, effective, len(scores))
        )
    marks = thresholds(len(scores) or 4)
    page = None
    if own is not None and opponents:
        page = old_page(own, PAGE_ESTABLISHED if games is None else games, opponents, scores)._asdict()
    return CalculatorView(
        as_of=as_of(read),
        rating=rating,
        game=game,
        classes=[one._asdict() for one in CLASSES],
        rating_class=None if own is None else rating_class(own).title,
        old_class=None if own is None else page_class(own).title,
        performance=performance_ratings(constants, opponents, scores)._asdict() if opponents else None,
        badge=None if expected is None else badge_object(badge(total(scores), expected, len(scores))),
        badges=[badge_object(one) for one in BADGES],
        thresholds=(marks.high, marks.low),
        expected=expected,
        k=k,
        effective_games=effective,
        old_page=page,
        old_label=LABEL,
        full_score_points=FULL_SCORE_DIFFERENCE,
        errors=errors,
    )


def _player(text: str, errors: list[str]) -> tuple[float | None, float | None]:
    if not text.strip():
        return None, None
    try:
        rating, games = read_rating(text)
    except ValueError as error:
        errors.append(str(error))
        return None, None
    if rating is None or not LOWEST_RATING <= rating <= HIGHEST_RATING:
        errors.append(f"A rating between {LOWEST_RATING:g} and {HIGHEST_RATING:g} is needed here.")
        return None, None
    return rating, games


def _met(text: str, errors: list[str]) -> list[Opponent]:
    found = []
    for word in split_games(text, MOST_GAMES + 1):
        try:
            one = read_game(word)
        except ValueError as error:
            errors.append(str(error))
            continue
        if one.rating is None or None in one.results or not LOWEST_RATING <= one.rating <= HIGHEST_RATING:
            errors.append(f"{word[:40]}: a rated opponent and a result are needed here, like W1640.")
            continue
        found.append(one)
    if sum(len(one.results) for one in found) > MOST_GAMES:
        raise Problem(422, f"At most {MOST_GAMES} games are taken.")
    return found


def why_calculators_differ(read: Snapshot) -> DifferencesView:
    """Each difference between other calculators and the rules, shown by an example."""
    return DifferencesView(as_of=as_of(read), differences=[difference_object(one) for one in differences()])


def about(read: Snapshot) -> AboutView:
    """How ratings work, in plain words."""
    edition = EDITIONS[-1]
    return AboutView(
        as_of=as_of(read),
        edition=edition.name,
        law_seen_through=LAW_SEEN_THROUGH,
        texts=[TextShape(**text._asdict()) for text in texts(edition)],
        resources=[one._asdict() for one in RESOURCES],
        classes=[one._asdict() for one in CLASSES],
        systems={system.name: SYSTEM_NAMES[system.name] for system in RatingSystem},
    )


PAGES = (
    Page(
        "/calculator",
        calculator,
        "calculator.html",
        api="/calculator",
        summary="Performance, badge, class and K",
        tag="estimate",
    ),
    Page("/why-calculators-differ", why_calculators_differ, "differences.html"),
    Page("/about", about, "about.html"),
)
