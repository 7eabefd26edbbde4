"""Finding members: accents, typos, word order, ids, pasted lists."""

from datetime import date

import pytest

from crosstable.office.public_index import Listed, ListedEvent
from crosstable.web.search import Index, folded, places_of

PEOPLE = (
    Listed("12345678", "Öztürk-Łukasiewicz, Zoë", "CA"),
    Listed("12345679", "O'Neill, Seán", "MA", ("11111111",)),
    Listed("12345680", "Müller, Jürgen", "TX"),
    Listed("12345681", "Miller, George", "TX"),
    Listed("12345682", "Nguyễn, Thị Hương", "WA"),
    Listed("12345683", "Johnson, Robert James", "OH"),
    Listed("12345684", "Johnston, Roberta", "OH"),
    Listed("12345685", "Strauß, Anna", "NY"),
    Listed("A1", "Short, Ed", "NY"),
)
INDEX = Index(PEOPLE)


def found(query: str) -> list[str]:
    return [one.member.member_id for one in INDEX.search(query).found]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("ozturk", "12345678"),
        ("ÖZTÜRK", "12345678"),
        ("lukasiewicz zoe", "12345678"),
        ("Zoë Łukasiewicz", "12345678"),
        ("sean oneill", "12345679"),
        ("o'neill", "12345679"),
        ("muller", "12345680"),
        ("nguyen huong", "12345682"),
        ("robert johnson", "12345683"),
        ("johnson, r", "12345683"),
        ("strauss", "12345685"),
        ("johnst", "12345684"),
        ("ed short", "A1"),
    ],
)
def test_a_name_is_found_however_it_is_written(query: str, first: str) -> None:
    assert found(query)[:1] == [first]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Jonson Robert", "12345683"),
        ("mueller jurgen", "12345680"),
        ("Nguyne", "12345682"),
        ("lukasievicz", "12345678"),
    ],
)
def test_a_typo_still_finds_the_name_and_says_that_it_is_near(query: str, first: str) -> None:
    answer = INDEX.search(query)
    assert answer.found[0].member.member_id == first
    assert answer.found[0].is_near


def test_an_id_finds_its_member_and_a_merged_one_finds_whom_it_stands_for() -> None:
    assert found("12345680") == ["12345680"]
    assert found("11111111") == ["12345679"]
    assert found("A1") == ["A1"]


def test_a_pasted_list_finds_all_and_names_those_that_are_not_there() -> None:
    answer = INDEX.search("1. Miller 12345681 \t 1650\n2. Nobody 99999999\n3. Strauss\t12345685\r\n12345681")
    assert [one.member.member_id for one in answer.found] == ["12345681", "12345685"]
    assert answer.missing == ("99999999",)


@pytest.mark.parametrize("query", ["", "   ", "zzzzzzzz", "%", "'; DROP TABLE member; --", "\x00", "((((", "🂡"])
def test_what_is_not_there_is_not_found(query: str) -> None:
    assert found(query) == []


def test_long_and_strange_queries_are_answered() -> None:
    INDEX.search("a " * 20_000)
    INDEX.search("12345678 " * 5_000)
    assert found("\N{COMBINING ACUTE ACCENT}" * 500) == []


def test_too_many_are_cut() -> None:
    answer = INDEX.search("johns", most=1)
    assert len(answer.found) == 1
    assert answer.is_cut


def test_folding_takes_accents_and_case_off() -> None:
    assert folded("ÅSTRÖM Øre Æble Straße İ \N{LATIN SMALL LETTER DOTLESS I}") == "astrom ore aeble strasse i i"


def held(number: str, name: str, club: str, city: str, state: str) -> ListedEvent:
    day = date(2026, 8, 1)
    return ListedEvent(number, name, day, day, (), day, f"A{number}", club, city, state)


PLACES = places_of(
    [
        held("202608010001", "Dallas Tornado", "Dallas Knights", "Dallas", "TX"),
        held("202608010002", "Winter Open", "Stockton Chess Club", "Stockton", "CA"),
        held("202608010003", "São Paulo Quads", "Center", "Worcester", "MA"),
    ]
)


@pytest.mark.parametrize(
    ("query", "first", "is_near"),
    [
        ("tornado", "Dallas Tornado", False),
        ("sao paulo", "São Paulo Quads", False),
        ("texas", "Texas", False),
        ("TX", "Texas", False),
        ("202608010002", "Winter Open", False),
        ("dalas tornadoe", "Dallas Tornado", True),
        ("stocton", "Stockton Chess Club", True),
        ("masachusetts", "Massachusetts", True),
        ("worchester", "Center", True),
    ],
)
def test_events_clubs_and_places_are_found_however_they_are_written(query: str, first: str, is_near: bool) -> None:
    found, near = PLACES.search(query, 5)
    assert (found[0].name, near) == (first, is_near)


def test_places_are_offered_as_near_only_where_they_come_nearer_than_a_name() -> None:
    likeness = INDEX.search("Jonson Robert").likeness
    assert likeness > 1000
    assert PLACES.search("Jonson Robert", 5, likeness) == ([], False)
    assert PLACES.search("dalas", 5, None) == ([], False)
    assert PLACES.search("x", 5) == ([], False)
