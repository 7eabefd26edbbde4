"""Finished English texts in another language: whole, with values, in lists, and what stays as it is."""

import pytest
from markupsafe import Markup

from crosstable.languages.texts import Catalogue, Language, language_of

TEXTS = {
    "Won": "Ganó",
    "the rating {verb}{moved}": "el rating {verb}{moved}",
    "rose": "subió",
    "from {old} to {new}": "de {old} a {new}",
    "{name} has no rating.": "{name} no tiene rating.",
    ", and more": ", y más",
    "and": "y",
    "Regular": "Regular",
    "online Quick": "Quick en línea",
    "June": "junio",
    "July": "julio",
    "Jun": "jun",
    "{month} {day}, {year}": "{day} de {month} de {year}",
    "{mon} {day}, {year}": "{day} {mon} {year}",
    "{month} {day} to {month2} {day2}, {year}": "del {day} de {month} al {day2} de {month2} de {year}",
    "{month} {first}-{last}, {year}": "{first}-{last} de {month} de {year}",
    "{month} {year}": "{month} de {year}",
    "Only here": "Solo aquí",
    "R0 = {formula} = {value}.": "R0 = {formula} = {value}.",
    "The number is {formula} = {value}.": "El número es {formula} = {value}.",
}


@pytest.fixture(scope="module")
def language() -> Language:
    counts = {"{number} game": "{number} partida", "{number} games": "{number} partidas"}
    return Language(Catalogue("es", TEXTS, counts, frozenset({"Only here"})))


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("Won", "Ganó"),
        (" won ", " ganó "),
        ("Doe, Jane has no rating.", "Doe, Jane no tiene rating."),
        ("The rating rose from 1300 to 1387.", "El rating subió de 1300 a 1387."),
        ("1,200 games", "1,200 partidas"),
        ("1 game", "1 partida"),
        ("Regular and online Quick", "Regular y Quick en línea"),
        ("Won; Ed has no rating. Won", "Ganó; Ed no tiene rating. Ganó"),
        ("June 14, 2026", "14 de junio de 2026"),
        ("June 13-14, 2026", "13-14 de junio de 2026"),
        ("June 27 to July 5, 2026", "del 27 de junio al 5 de julio de 2026"),
        ("June 2026", "junio de 2026"),
        ("Jun 3, 2026", "3 jun 2026"),
        ("The number is 5.", "El número es 5."),
        ("Doe, Jane", "Doe, Jane"),
        ("Won, Jane", "Won, Jane"),
        ("G/60;d5", "G/60;d5"),
        ("1512P17", "1512P17"),
        ("", ""),
    ],
)
def test_a_text_is_said_in_the_language(language: Language, english: str, spanish: str) -> None:
    assert language.say(english) == spanish
    assert language.said(english) == spanish


def test_numbers_and_pieces_of_pages_are_not_texts(language: Language) -> None:
    assert language.said(5) == 5
    assert language.said(Markup("Won")) == Markup("Won")


def test_a_piece_is_translated_but_for_the_names_in_it(language: Language) -> None:
    made = Markup(
        '<td title="Won"><bdi>Won</bdi> Won</td><script>{"a": "Won"}</script><b data-label="x">1 game &amp; 2</b>'
    )
    said = language.markup(made)
    assert said.startswith('<td title="Ganó"><bdi>Won</bdi> Won</td>')  # a text beside a name belongs to it
    assert '<script>{"a": "Won"}</script>' in said


def test_the_spanish_of_explanations_reads_well() -> None:
    say = language_of("es").say
    assert say(
        "The score was 2 of 3, where 1.19 were expected against these opponents, and the rating rose from 1300 to 1387."
    ) == ("El puntaje fue 2 de 3, cuando se esperaban 1.19 contra estos rivales, y el rating subió de 1300 a 1387.")
    assert say("The win over Doe, Jane brought most, 13; the loss to Roe, Ed cost most, 12.") == (
        "La victoria sobre Doe, Jane fue lo que más aportó, 13; la derrota ante Roe, Ed fue lo que más costó, 12."
    )
    assert say("OTBR: 1300 on 40 games, of December 31, 2026, 5 days before the section's end.") == (
        "OTBR: 1300 con 40 partidas, del 31 de diciembre de 2026, 5 días antes del final de la sección."
    )
    assert say("1512 → 1538 (+26), stays Class C") == "1512 → 1538 (+26), sigue en Clase C"
