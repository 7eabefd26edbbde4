"""``office decide``: a command for every kind of decision, and what each does to a rating."""

from datetime import date
from typing import Any

import pytest

from crosstable.cli.office_decisions import KINDS
from crosstable.office import proposals
from crosstable.office.decisions import Ruling
from crosstable.office.ledger.facts import DecisionKind
from crosstable.terms import RatingSystem
from tests.cli.club import CHAMPIONSHIP, QUICK, Desk

ASH, BIRCH, QUINCE = "30000001", "30000002", "30000021"
OTBR = RatingSystem.OTBR
WHEN = ("--effective", "2026-01-15")
THEN = date(2026, 1, 15)
Kind = DecisionKind


def rating(club: Desk, member: str, system: str = "OTBR") -> float:
    return float(club.asked("ratings", member)["ratings"][system]["rating"])


def test_every_kind_of_decision_has_a_command() -> None:
    assert set(KINDS) == set(DecisionKind)


MEMBER = ("--member", ASH)
RULINGS: list[tuple[tuple[str, ...], Ruling]] = [
    (
        ("money-floor", *MEMBER, "--prize", "2500", "--limit", "2000", "--event", QUICK),
        Ruling(Kind.MONEY_FLOOR, ASH, event_id=QUICK, details={"prize": 2500.0, "limit": 2000.0}),
    ),
    (("life-master", *MEMBER, *WHEN), Ruling(Kind.LIFE_MASTER, ASH, effective=THEN)),
    (("floor", *MEMBER, "--system", "OTBR", "--level", "1900"), Ruling(Kind.FLOOR, ASH, OTBR, value=1900.0)),
    (("ceiling", *MEMBER, "--system", "OTBR", "--level", "1900"), Ruling(Kind.CEILING, ASH, OTBR, value=1900.0)),
    (
        ("lower-floor", *MEMBER, "--system", "OTBR", "--level", "1600", *WHEN),
        Ruling(Kind.LOWER_FLOOR, ASH, OTBR, THEN, 1600.0),
    ),
    (
        ("grant-match-floor", *MEMBER, "--event", QUICK, "--section", "1", "--system", "OTBQ"),
        Ruling(Kind.GRANT_MATCH_FLOOR, ASH, RatingSystem.OTBQ, event_id=QUICK, section=1),
    ),
    (
        ("refuse-match-floor", *MEMBER, "--event", QUICK, "--section", "1"),
        Ruling(Kind.REFUSE_MATCH_FLOOR, ASH, event_id=QUICK, section=1),
    ),
    (("waive-match", "--event", QUICK, "--section", "2"), Ruling(Kind.WAIVE_MATCH, event_id=QUICK, section=2)),
    (
        ("adjust", *MEMBER, "--system", "OTBR", "--level", "1850.5", "--games", "30", *WHEN),
        Ruling(Kind.ADJUST, ASH, OTBR, THEN, 1850.5, details={"games": 30.0}),
    ),
    (("opt-in", *MEMBER, *WHEN), Ruling(Kind.OPT_IN, ASH, effective=THEN)),
    (("opt-out", *MEMBER), Ruling(Kind.OPT_OUT, ASH)),
    (("revoke", "--entry", "17"), Ruling(Kind.REVOKE, details={"act": 17})),
    (("revoke", "--act", "18"), Ruling(Kind.REVOKE, details={"act": 18})),  # the earlier name of the option
]


@pytest.mark.parametrize(("words", "ruling"), RULINGS, ids=[words[0] for words, _ in RULINGS])
def test_what_was_typed_reaches_the_office(
    club: Desk, words: tuple[str, ...], ruling: Ruling, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def decide(office: object, author: Any, made: Ruling) -> int:
        seen.append((author.reason, made))
        return 99

    monkeypatch.setattr(proposals, "decide", decide)
    assert f"{words[0]} is decided (entry 99)" in club.done("decide", *words, "--reason", "the board")
    assert seen == [("the board", ruling)]


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_a_decision_without_a_reason_is_wrong_usage(club: Desk, kind: DecisionKind) -> None:
    ran = club("decide", kind.value)
    assert (ran.code, ran.out) == (2, "")
    assert "--reason" in ran.err


def test_a_floor_holds_a_rating_up_and_its_revocation_lets_it_fall(club: Desk) -> None:
    before = rating(club, ASH)
    assert before < 1990.0
    floor = ("decide", "floor", "--member", ASH, "--system", "OTBR", "--level", "1990", *WHEN, "--reason", "x")
    out = club.done(*floor, "--rate")
    assert rating(club, ASH) == 1990.0
    assert "1990 floor set by the office" in club.done("ratings", ASH)
    act = out.split("--entry ")[1].split()[0]
    club.done("decide", "revoke", "--act", act, "--reason", "an error", "--rate")
    assert rating(club, ASH) == before
    assert "is revoked already" in club.refused("decide", "revoke", "--act", act, "--reason", "x")


def test_a_ceiling_holds_a_rating_down(club: Desk) -> None:
    ceiling = ("decide", "ceiling", "--member", BIRCH, "--system", "OTBR", "--level", "1850", *WHEN, "--reason", "x")
    assert rating(club, BIRCH) > 1850.0
    club.done(*ceiling, "--rate")
    assert rating(club, BIRCH) == 1850.0
    assert "ceiling 1850" in club.done("ratings", BIRCH)


def test_an_adjustment_is_a_line_of_the_history(club: Desk) -> None:
    adjust = ("decide", "adjust", "--member", QUINCE, "--system", "OTBQ", "--level", "1500", "--games", "30")
    club.done(*adjust, "--effective", "2026-02-01", "--reason", "known from abroad", "--rate")
    line = club.asked("history", QUINCE)["lines"][-1]
    assert (line["name"], line["after"]) == ("decision: adjust", {"rating": 1500.0, "rounded": 1500, "games": 30})


def test_the_money_floor_follows_from_the_prize(club: Desk) -> None:
    """§5: a prize of $4,000 or more in a section under a limit sets a floor; $100 sets none."""
    prize = ("decide", "money-floor", "--member", BIRCH, "--limit", "1800", "--event", CHAMPIONSHIP, "--reason", "x")
    club.done(*prize, "--prize", "4000", "--rate")
    assert "1800 money floor" in club.done("ratings", BIRCH)
    assert "sets no floor" in club.refused(*prize, "--prize", "100")


def test_decisions_about_nobody_or_nothing_are_refused(club: Desk) -> None:
    for words, said in (
        (("opt-in", "--member", "39999999"), "member 39999999 is not known"),
        (("floor", "--member", ASH, "--system", "OTBR", "--level", "50"), "a level between 100 and 4000"),
        (("revoke", "--act", "999"), "act 999 is no decision"),
        (("waive-match", "--event", QUICK, "--section", "9"), "there is no section 9"),
        (("grant-match-floor", "--member", ASH, "--event", QUICK, "--section", "1"), "no lower floor"),
    ):
        assert said in club.refused("decide", *words, "--reason", "x")


# Facts that arrive late


def test_a_birth_date_that_arrives_late_moves_the_start_it_gave(club: Desk) -> None:
    before = rating(club, QUINCE, "OTBQ")
    fact = ("decide", "fact", "--member", QUINCE, "--reason", "the membership form")
    out = club.done(*fact, "birth-date=2011-12-12", "--rate")
    assert "birth-date (entry" in out
    assert rating(club, QUINCE, "OTBQ") != before
    assert "born: December 12, 2011" in club.done("members", "show", QUINCE)


def test_facts_of_every_kind_are_kept_and_taken_back(club: Desk) -> None:
    fact = ("decide", "fact", "--member", ASH, "--reason", "x")
    club.done(*fact, "name=Ash, Miriam B.", "state=KY", "fide-id=2000001", "adult=yes", "canadian-resident=yes")
    club.done(*fact, "member-until=2030-01-31", "cfc_id=100", "fide-flag=USA", "canadian-resident=")
    found = club.asked("members", "show", ASH)
    kept = {name: found[name] for name in ("name", "state", "fide_id", "adult", "canadian_resident", "cfc_id")}
    assert kept == {
        "name": "Ash, Miriam B.",
        "state": "KY",
        "fide_id": "2000001",
        "adult": True,
        "canadian_resident": False,
        "cfc_id": "100",
    }
    club.done(*fact, "birth-date=", "member-until=", "adult=")
    found = club.asked("members", "show", ASH)
    assert (found["birth_date"], found["member_until"], found["adult"]) == (None, None, None)
    assert "nothing of that is new" in club.refused(*fact, "birth-date=")


def test_a_fide_rating_that_arrives_late_counts_from_its_list_on(club: Desk) -> None:
    before = rating(club, QUINCE, "OTBQ")
    fact = ("decide", "fact", "--member", QUINCE, "--reason", "x", "--rate")
    club.done(*fact, "fide-rating=1900@2026-02-01")  # a list of after the event
    assert rating(club, QUINCE, "OTBQ") == before
    club.done(*fact, "fide-rating=1900@2026-01-01")
    assert rating(club, QUINCE, "OTBQ") > before
    assert "nothing of that is new" in club.refused(*fact, "fide-rating=1900@2026-01-01")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("birth-date",), "write NAME=VALUE"),
        (("birth-date=tomorrow",), "is not a date"),
        (("adult=perhaps",), "neither yes nor no"),
        (("fide-rating=1900",), "1850@2026-05-01"),
        (("fide-rating=high@2026-01-01",), "1850@2026-05-01"),
        (("fide-rating=1900@2026-01-01", "state=KY"), "in a separate command"),
    ],
)
def test_a_fact_that_cannot_be_read_is_wrong_usage(club: Desk, words: tuple[str, ...], said: str) -> None:
    ran = club("decide", "fact", "--member", ASH, "--reason", "x", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_fact_that_the_office_does_not_keep_is_refused(club: Desk) -> None:
    said = club.refused("decide", "fact", "--member", ASH, "--reason", "x", "shoe-size=38")
    assert "shoe_size: not something the office keeps" in said
