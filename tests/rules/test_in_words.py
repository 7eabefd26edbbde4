"""Every number of the rules that a sentence prints comes from the edition: change one, and every text follows.

A constant is set to a number that no rule has; each text that speaks of it must then say the new number.
"""

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, NamedTuple

import pytest

from crosstable.calculator.answers import answer, headline, notes, sentences
from crosstable.calculator.texts import differences, texts
from crosstable.catalogue import CATALOGUE, meaning_of
from crosstable.checks import check
from crosstable.cli import calculator as calculator_command
from crosstable.cli import estimate as estimate_command
from crosstable.formats import event_json
from crosstable.output.words import rating_text
from crosstable.rules.amending import Edition
from crosstable.rules.constants import NO_LIMIT, Constants, Initialisation, conversion
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.in_words import phrases
from crosstable.rules.statements import statements
from crosstable.terms import PlayerRating, RatingSystem
from tests.calculator.requested import asked
from tests.checks.provoked import abroad, match, published
from tests.event_files import EventFile, record

NEWEST = EDITIONS[-1]
# Before the blend unrated players started from lists, and CFC ratings counted by their height.
BY_LISTS = edition_for(date(2016, 1, 1))
NUMBERS = [name for name, value in NEWEST.constants._asdict().items() if type(value) in (int, float)]
FLAGS = [name for name, value in NEWEST.constants._asdict().items() if isinstance(value, bool)]
RANGES = [name for name in NEWEST.controls._fields if name not in ("counts_seconds", "quick_from")]
ONLY_BY_LISTS = {"cfc_split"}
# A number that stands in no rule.
ODD = 137


def text_of(edition: Edition) -> str:
    """Every rule of an edition in words."""
    return "\n".join(one.sentence.text for one in statements(edition))


def changed(edition: Edition, **constants: Any) -> Edition:
    """An edition with other constants."""
    return edition._replace(constants=edition.constants._replace(**constants))


# The rules in words


@pytest.mark.parametrize("name", NUMBERS)
def test_the_rules_in_words_follow_every_number(name: str) -> None:
    """§1 to §7: the new number is said wherever the old one was."""
    edition = BY_LISTS if name in ONLY_BY_LISTS else NEWEST
    before = text_of(edition)
    after = text_of(changed(edition, **{name: type(getattr(edition.constants, name))(ODD)}))
    assert str(ODD) not in before
    assert str(ODD) in after


@pytest.mark.parametrize("name", FLAGS)
def test_the_rules_in_words_follow_every_flag(name: str) -> None:
    edition = NEWEST
    assert text_of(changed(edition, **{name: not getattr(edition.constants, name)})) != text_of(edition)


@pytest.mark.parametrize("name", ["fide", "fide_youth", "cfc"])
def test_the_rules_in_words_follow_every_conversion(name: str) -> None:
    """§2.1, §2.2, §6."""
    after = text_of(changed(NEWEST, **{name: conversion((137.0, False, 138.0, 139.0), (NO_LIMIT, True, 140.0, 141.0))}))
    assert "138 + 139 × " in after
    assert "below 137" in after
    assert "140 + 141 × " in after


@pytest.mark.parametrize("system", NEWEST.systems)
def test_the_rules_in_words_follow_every_game_factor(system: RatingSystem) -> None:
    """§2, item 1."""
    for source in NEWEST.systems:
        if source is not system:
            rows = [list(row) for row in NEWEST.constants.game_factors]
            rows[system][source] = float(ODD)
            after = text_of(changed(NEWEST, game_factors=tuple(map(tuple, rows))))
            (line,) = [one for one in after.splitlines() if f"{ODD} of {source.title}" in one]
            assert line.startswith(f"A start in {system.title} ")


@pytest.mark.parametrize("system", BY_LISTS.systems)
def test_the_rules_in_words_follow_every_line_of_a_list(system: RatingSystem) -> None:
    """2015 text §2.1 to §2.5."""
    lists = list(BY_LISTS.constants.priorities)
    for at in range(3):
        lines = list(lists[system])
        lines[at] = lines[at]._replace(at_least=float(ODD))
        after = changed(BY_LISTS, priorities=(*lists[:system], tuple(lines), *lists[system + 1 :]))
        assert f"on {ODD} games or more" in text_of(after)
    assert text_of(changed(BY_LISTS, initialisation=Initialisation.BLEND)) != text_of(BY_LISTS)


@pytest.mark.parametrize(
    "name", [name for name in NEWEST.controls._fields if name not in ("counts_seconds", "quick_from")]
)
def test_the_rules_in_words_follow_every_range_of_time_controls(name: str) -> None:
    """§1, footnote 1; below the Blitz range the least total of Quick is spoken of only where there is no Blitz."""
    given: dict[str, Any] = {name: ODD}
    assert str(ODD) in text_of(NEWEST._replace(controls=NEWEST.controls._replace(**given)))
    before_blitz = NEWEST.controls._replace(blitz_to=0, quick_from=ODD)
    assert f"Quick: {ODD} or more" in text_of(NEWEST._replace(controls=before_blitz))
    assert "do not count" in text_of(NEWEST._replace(controls=NEWEST.controls._replace(counts_seconds=False)))


def test_the_rules_in_words_follow_how_supplements_are_made() -> None:
    """Official facts §3."""
    lists = NEWEST.lists
    for changes, words in (
        ({"lists_a_year": ODD}, f"{ODD} supplements a year"),
        ({"fewest_games": ODD}, f"from {ODD} games on"),
        ({"cutoff_week": 2}, "second Wednesday"),
        ({"cutoff_weekday": 6}, "third Sunday"),
    ):
        assert words in text_of(NEWEST._replace(lists=lists._replace(**changes)))


def test_nothing_of_an_edition_is_left_out() -> None:
    """A constant that none of the tests above changes would be a rule that nobody is told of."""
    tables = {"fide", "fide_youth", "cfc", "game_factors", "priorities", "initialisation"}
    assert set(NUMBERS) | set(FLAGS) | tables == set(Constants._fields)


# Texts beside the rules: which constants each speaks of


class Speaker(NamedTuple):
    """A text, as a function of the edition, and the numbers it speaks of."""

    text: Callable[[Edition], str]
    names: tuple[str, ...]


def findings(edition: Edition) -> str:
    """What every finding means."""
    words = phrases(edition)
    return "\n".join(meaning_of(code, words) for code in CATALOGUE)


def faults_of(event: EventFile) -> Callable[[Edition], str]:
    """What the checks say of a file under an edition."""

    def said(edition: Edition) -> str:
        report = event_json.read(json.dumps(event).encode(), "event.json").report
        return "\n".join(found.message for found in check(report, ruled=lambda official: edition).faults)

    return said


def estimated(player: str, games: str, **fields: str) -> Callable[[Edition], str]:
    """What an estimate says; its numbers are those of the real rules, its words those of the edition."""
    found = answer(asked(player, games, **fields)).estimate

    def said(edition: Edition) -> str:
        under = found._replace(rated=found.rated._replace(edition=edition))
        return "\n".join((headline(under), *sentences(under), *notes(under)))

    return said


def about(edition: Edition) -> str:
    """How ratings work and what a tournament needs."""
    return "\n".join(paragraph for text in texts(edition) for paragraph in text.paragraphs)


def compared(edition: Edition) -> str:
    """Why other calculators differ."""
    return "\n".join(" ".join(one) for one in differences(edition))


def printed(edition: Edition) -> str:
    """A rating on so many games that ODD decides whether it is provisional."""
    return rating_text(edition.constants, PlayerRating(1500.0, float(ODD)))


SPEAKERS: dict[str, Speaker] = {
    "findings": Speaker(
        findings,
        (
            *("bonus_meetings", "bonus_meetings_in_three", "bonus_games", "floor_request_drop"),
            *("match_change", "match_half_year", "match_half_year_days", "match_three_years", "match_years"),
            *("match_published_gap", "foreign_automatic_from"),
        ),
    ),
    "a match of players too far apart": Speaker(
        faults_of(match(published(1700.0), published(2101.0))), ("match_published_gap",)
    ),
    "a match of a provisional player": Speaker(
        faults_of(match(published(1700.0, 25), published(1700.0, 26))), ("established_above",)
    ),
    "a provisional player abroad": Speaker(
        faults_of(abroad(ratings={"OTBR": record(2100.0, 25)})), ("established_above",)
    ),
    "a player abroad who has not opted in": Speaker(faults_of(abroad(fide_opt_in=False)), ("foreign_automatic_from",)),
    "an estimate with a bonus": Speaker(
        estimated("1700/30", "W1600 W1750 W1800 W1900"), ("bonus_threshold", "bonus_least_games")
    ),
    "an estimate on few games": Speaker(estimated("1500/6", "W900"), ("special_games",)),
    "an estimate of an unrated player": Speaker(estimated("U", "W900"), ("unknown_start",)),
    "an estimate of a match": Speaker(
        estimated("1500", "WWWW1600", match="1"),
        ("match_change", "match_half_year", "match_half_year_days", "match_three_years", "match_years"),
    ),
    "how ratings work": Speaker(
        about,
        (
            *("k_numerator", "effective_cap", "bonus_threshold", "special_games", "established_above"),
            *("absolute_floor", "personal_floor_top", "peak_drop", "peak_lowest", "peak_highest", "life_master_games"),
            *("life_master_level", "money_prize", "money_highest"),
        ),
    ),
    "why calculators differ": Speaker(
        compared,
        (
            *("k_numerator", "effective_cap", "effective_limit", "bonus_threshold", "bonus_least_games"),
            *("special_games", "bonus_meetings", "dual_k_above", "peak_drop", "peak_step", "peak_highest"),
            *("age_slope", "adult_start"),
        ),
    ),
}
SPOKEN = [(who, name) for who, speaker in SPEAKERS.items() for name in speaker.names]


@pytest.mark.parametrize(("who", "name"), SPOKEN, ids=[f"{who}: {name}" for who, name in SPOKEN])
def test_a_text_that_speaks_of_a_number_follows_it(who: str, name: str) -> None:
    say = SPEAKERS[who].text
    assert str(ODD) not in say(NEWEST)
    assert str(ODD) in say(changed(NEWEST, **{name: type(getattr(NEWEST.constants, name))(ODD)}))


def test_a_count_that_matters_follows_the_rules() -> None:
    """§3: the count of games matters where N* is above 26: from about 1928, before 2013-05-08 from 1681."""
    say = estimated("2100", "W2100")
    assert "it matters above about 1928." in say(NEWEST)
    assert "it matters above about 1681." in say(edition_for(date(2013, 5, 7)))


def test_a_crosstable_prints_games_while_the_rating_is_provisional() -> None:
    """§1: established above 25 games, or above as many as the edition says."""
    assert printed(NEWEST) == "1500"
    assert printed(changed(NEWEST, established_above=float(ODD))) == f"1500P{ODD}"
    assert printed(changed(NEWEST, established_above=ODD - 1.0)) == "1500"


def commands() -> Iterator[tuple[Any, str, str]]:
    """A command's module, a constant that its help quotes, and where the help stands."""
    yield calculator_command, "dual_k_above", "k"
    yield estimate_command, "dual_k_above", ""
    yield estimate_command, "personal_event_games", ""


@pytest.mark.parametrize(("module", "name", "inner"), list(commands()))
def test_help_that_quotes_a_rule_follows_it(
    module: Any, name: str, inner: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What --help says of a rule is what the newest edition says."""
    texts_of_help = []
    for edition in (NEWEST, changed(NEWEST, **{name: float(ODD)})):
        monkeypatch.setattr(module, "EDITIONS", (edition,))
        with pytest.raises(SystemExit):
            module.parser().parse_args([*filter(None, [inner]), "--help"])
        texts_of_help.append(capsys.readouterr().out)
    assert str(ODD) not in texts_of_help[0]
    assert str(ODD) in texts_of_help[1]
