"""Written ratings and results: one reader, tried with every way that people write them."""

import pytest

from crosstable.notation import WrittenRating, read_number, read_rating, read_results, shown, split_games
from crosstable.terms import Result


@pytest.mark.parametrize(
    ("text", "rating", "games"),
    [
        ("1512", 1512.0, None),
        ("1,512", 1512.0, None),
        (" 1512.25 ", 1512.25, None),
        ("1512/40", 1512.0, 40.0),
        ("1641P17", 1641.0, 17.0),
        ("1641p17", 1641.0, 17.0),
        ("1641 P 17", 1641.0, 17.0),
        ("1,641P17", 1641.0, 17.0),
        ("1512*", 1512.0, None),
        ("0", 0.0, None),
        ("U", None, None),
        ("UNR", None, None),
        ("unr.", None, None),
        ("Unrated", None, None),
        ("NEW", None, None),
        ("NR", None, None),
        ("none", None, None),
        ("----", None, None),
    ],
)
def test_a_rating_is_read(text: str, rating: float | None, games: float | None) -> None:
    assert read_rating(text) == WrittenRating(rating, games)


WRONG = (
    "",
    "abc",
    "15,12",
    "1512P",
    "P17",
    "-1512",
    "1e3",
    "1512/",
    "1,5122",
    "\N{FULLWIDTH DIGIT ONE}512",
    "1512/4/5",
)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_rating_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no rating; write 1512, 1512/40 or 1512P17"):
        read_rating(text)


def test_a_number_has_no_sign_and_no_games() -> None:
    assert read_number("1,512.5") == 1512.5
    for text in ("", "-1", "1/2", "nan", "1P7"):
        with pytest.raises(ValueError, match="is no number"):
            read_number(text)


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("W", [Result.WIN]),
        ("wdl", [Result.WIN, Result.DRAW, Result.LOSS]),
        ("T?", [None, None]),
        ("+", [Result.WIN]),
        ("=", [Result.DRAW]),
        ("-", [Result.LOSS]),
        ("1-0", [Result.WIN]),
        ("0-1", [Result.LOSS]),
        ("1/2-1/2", [Result.DRAW]),
        ("0.5-0.5", [Result.DRAW]),
        ("½-½", [Result.DRAW]),
    ],
)
def test_results_are_read(text: str, results: list[Result | None]) -> None:
    assert list(read_results(text)) == results


def test_games_are_parted_by_blanks_commas_and_semicolons() -> None:
    text = "W1640, D 1,720;L1600  1 - 0 1500 1/2-1/2 1641P17 +U ½-½ 1700"
    assert split_games(text, 50) == ["W1640", "D1720", "L1600", "1-01500", "1/2-1/21641P17", "+U", "½-½1700"]


def test_a_shown_text_is_short_and_cannot_act_on_a_terminal() -> None:
    assert shown("a\x1b" + "b" * 50) == "“a�" + "b" * 38 + "…”"
