"""The damage is the same each time, changes every file, and the law about it finds readers that break it."""

import json

import pytest

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.terms import Background, Report, ReportedPlayer, ReportedSection, SectionType
from tests.formats.mutations import MUTATIONS, Shape, TookTooLongError, must_read_or_refuse, mutations, shape_of

DATA = b"name 12\nother 13\nlast 14\n" * 20


def reading(players: int, *codes: str) -> Reading:
    player = ReportedPlayer(1, "", "", (), Background(), "row")
    section = ReportedSection(1, "", SectionType.SWISS, False, (), (), None, None, (player,) * players, "section")
    faults = tuple(fault(code, "here", "Wrong.") for code in codes)
    return Reading(Report("", "", None, None, (section,), "file"), faults)


ORIGINAL = reading(3)


def test_the_same_seed_gives_the_same_damage() -> None:
    assert list(mutations(DATA, 1, 200)) == list(mutations(DATA, 1, 200))
    assert list(mutations(DATA, 1, 200)) != list(mutations(DATA, 2, 200))


def test_every_mutation_changes_the_file_and_hardly_any_comes_twice() -> None:
    found = list(mutations(DATA, 1, 500))
    assert DATA not in found
    assert len(found) == 500
    assert len(set(found)) > 450


@pytest.mark.parametrize("data", [b"", b"x", b"12", b"\n", b"\x03" * 40])
def test_any_file_can_be_damaged(data: bytes) -> None:
    assert len(list(mutations(data, 1, 100))) == 100


def test_the_number_of_mutations_has_a_default() -> None:
    assert MUTATIONS > 0
    assert len(list(mutations(DATA, 1))) == MUTATIONS


def test_the_shape_counts_sections_and_players() -> None:
    assert shape_of(ORIGINAL) == Shape(1, 3)


def test_a_reader_that_refuses_or_reads_the_same_keeps_the_law() -> None:
    def refuses(_data: bytes) -> Reading:
        raise FormatError(fault("damaged-file", "file", "Wrong."))

    assert must_read_or_refuse(refuses, ORIGINAL, b"") is None
    assert must_read_or_refuse(lambda _: ORIGINAL, ORIGINAL, b"") == ORIGINAL


def test_another_number_of_players_must_be_a_fault_or_be_what_the_file_states() -> None:
    assert must_read_or_refuse(lambda _: reading(2, "damaged-file"), ORIGINAL, b"") is not None
    assert must_read_or_refuse(lambda _: reading(2), ORIGINAL, b"", lambda _: Shape(1, 2)) is not None
    for faulty in (reading(2), reading(2, "ignored-record")):
        with pytest.raises(AssertionError):
            must_read_or_refuse(lambda _, faulty=faulty: faulty, ORIGINAL, b"")  # type: ignore[misc]
        with pytest.raises(AssertionError):
            must_read_or_refuse(lambda _, faulty=faulty: faulty, ORIGINAL, b"", lambda _: None)  # type: ignore[misc]


def test_another_exception_breaks_the_law() -> None:
    with pytest.raises(json.JSONDecodeError):
        must_read_or_refuse(lambda data: json.loads(data), ORIGINAL, b"{")


def test_a_refusal_without_a_place_breaks_the_law() -> None:
    def refuses(_data: bytes) -> Reading:
        raise FormatError(fault("damaged-file", "", "Wrong."))

    with pytest.raises(AssertionError):
        must_read_or_refuse(refuses, ORIGINAL, b"")


def test_a_refusal_by_a_warning_breaks_the_law() -> None:
    def refuses(_data: bytes) -> Reading:
        raise FormatError(fault("ignored-record", "file", "Wrong."))

    with pytest.raises(AssertionError):
        must_read_or_refuse(refuses, ORIGINAL, b"")


def test_a_reader_that_hangs_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(_data: bytes) -> Reading:
        while True:
            try:
                sum(range(1000))
            except Exception:  # what a careless reader does
                return ORIGINAL

    monkeypatch.setattr("tests.formats.mutations.SECONDS", 0.05)
    with pytest.raises(TookTooLongError):
        must_read_or_refuse(hangs, ORIGINAL, b"")


def test_a_reader_that_takes_too_much_memory_breaks_the_law() -> None:
    with pytest.raises(MemoryError):
        must_read_or_refuse(lambda _: reading(len(bytearray(300_000_000))), ORIGINAL, b"")
