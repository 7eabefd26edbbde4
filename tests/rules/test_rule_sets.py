"""Rule sets: what they change, how they are read, and every way in which one can be wrong."""

import math
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crosstable.errors import NoEditionError, RuleSetError
from crosstable.rules.constants import NO_LIMIT, Constants, Credit, Initialisation
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.in_words import DESCRIBED, INSIDE
from crosstable.rules.rule_files import Difference, differences, read_rule_set, rule_set, rules_from, rules_text
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, changed, document_of, folded
from crosstable.terms import RatingSystem, Source

DOCS = Path(__file__).parents[2] / "docs"


def written(tmp_path: Path, text: str, name: str = "mine.toml") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def faults(tmp_path: Path, text: str) -> dict[str, str]:
    """Every fault of a file, by its place."""
    with pytest.raises(RuleSetError) as raised:
        read_rule_set(written(tmp_path, text))
    return {fault.place: fault.message for fault in raised.value.faults}


def test_the_official_rules_change_nothing() -> None:
    assert all(OFFICIAL.edition(edition) is edition for edition in EDITIONS)
    assert OFFICIAL.is_official
    assert OFFICIAL.base_name == "by date"


def test_by_date_a_change_holds_in_every_edition_and_nothing_else_changes() -> None:
    rules = rule_set(bonus_threshold=11)
    for official in EDITIONS:
        edition = rules.edition(official)
        assert edition.constants == official.constants._replace(bonus_threshold=11.0)
        assert (edition.effective, edition.systems, edition.controls) == (
            official.effective,
            official.systems,
            official.controls,
        )
        assert edition.title == f"{official.name}, rule set {rules.title}"


def test_on_a_day_every_section_has_the_constants_of_that_day_and_the_systems_of_its_own() -> None:
    """2025 text §8: B was 14 from 2017-06-01 to 2023-01-31, and there was no Blitz before 2013-03-01."""
    rules = rule_set("2020-01-01")
    edition = rules.edition(edition_for(date(2005, 1, 1)))
    assert edition.constants == edition_for(date(2020, 1, 1)).constants
    assert edition.constants.bonus_threshold == 14.0
    assert edition.systems == (RatingSystem.OTBR, RatingSystem.OTBQ)
    assert edition.name == "2017-06-01"
    assert rules.base_name == "2017-06-01"
    assert rule_set(date(2020, 1, 1)) == rules
    with pytest.raises(NoEditionError):
        rule_set("2000-12-31")


def test_equal_rules_have_equal_digests_however_they_are_written(tmp_path: Path) -> None:
    factors = dict.fromkeys(("OTBQ", "OTBB", "OLR", "OLQ", "OLB"), 5.0)
    assert rule_set(name="x", game_factors={"OTBR": factors}).digest == OFFICIAL.digest
    assert rule_set("2025-01-01").digest == rule_set("2026-08-01").digest
    assert rule_set("2025-01-01", bonus_threshold=10).digest == rule_set("2025-01-01").digest
    one = rule_set(bonus_threshold=9, fide={"1": {"slope": 1.5}})
    other = read_rule_set(written(tmp_path, "[changes]\nfide.1.slope = 1.5\nbonus_threshold = 9.0"))
    assert (one.digest, other.name) == (other.digest, "mine")
    assert one.digest not in {OFFICIAL.digest, rule_set(bonus_threshold=9).digest}
    assert re.fullmatch(r"[0-9a-f]{16}", one.digest)


def test_tables_are_changed_inside_and_what_fills_them_up_follows() -> None:
    """FIDE conversion of 2024 (2025 text §2.1): two pieces, the second of which fills the third and fourth."""
    constants = EDITIONS[-1].constants
    found = changed(constants, rule_set("2025-01-01", fide={2: {"intercept": 30}}).changes)
    assert [piece.intercept for piece in found.fide] == [-1073.0, 30.0, 30.0, 30.0]
    found = changed(constants, rule_set(game_factors={"OLB": {"OTBB": 7}}).changes)
    assert found.game_factors[RatingSystem.OLB] == (10.0, 5.0, 7.0, 5.0, 5.0, 5.0)
    assert found.game_factors[:5] == constants.game_factors[:5]
    found = changed(constants, rule_set(priorities={"OTBR": {"3": {"credit": "full", "source": "otbb"}}}).changes)
    assert found.priorities[RatingSystem.OTBR][2][:1] + found.priorities[RatingSystem.OTBR][2][3:] == (
        Source.OTBB,
        Credit.FULL,
    )
    assert [line.source for line in found.priorities[RatingSystem.OTBR][3:]] == [Source.AGE] * 5


def test_whole_tables_are_replaced() -> None:
    pieces = [{"limit": 1000, "is_closed": False, "intercept": 1, "slope": 2}, {"intercept": 3, "slope": 4}]
    lines = [{"source": "FIDE", "credit": "its_games", "at_most": 9}]
    rules = rule_set("2025-01-01", cfc=pieces, priorities={"OLB": lines}, initialisation="PRIORITY")
    found = rules.edition(EDITIONS[0]).constants
    assert found.cfc == ((1000.0, False, 1.0, 2.0), *[(NO_LIMIT, True, 3.0, 4.0)] * 3)
    assert found.priorities[RatingSystem.OLB][0] == (Source.FIDE, 0.0, 9.0, Credit.ITS_GAMES)
    assert found.initialisation is Initialisation.PRIORITY
    assert document_of(rules)["changes"] == {
        "cfc": [
            {"limit": 1000.0, "is_closed": False, "intercept": 1.0, "slope": 2.0},
            {"limit": "inf", "is_closed": True, "intercept": 3.0, "slope": 4.0},
        ],
        "priorities.OLB": [{"source": "FIDE", "at_least": 0.0, "at_most": 9.0, "credit": "its_games"}],
        "initialisation": "priority",
    }


def test_a_file_may_be_gone_on_from(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "Mine"\nbase = 2015-06-01\nnote = "why"\n[changes]\nk_numerator = 700\n')
    rules = rule_set(Path(path), bonus_threshold=9)
    assert rules == RuleSet(
        "Mine with bonus_threshold 9", date(2015, 6, 1), {"k_numerator": 700.0, "bonus_threshold": 9.0}
    )
    assert rule_set(rules) is rules
    assert rule_set("official") is OFFICIAL


def test_a_rule_set_may_hold_for_a_time(tmp_path: Path) -> None:
    """2025 text §8: B fell from 10 to 6 on 2008-06-06 and rose to 8 on 2012-08-03; here the first did not happen."""
    text = 'name = "no 6"\nsince = 2008-06-06\nuntil = "2012-08-03"\n[changes]\nbonus_threshold = 10\n'
    rules = read_rule_set(written(tmp_path, text))
    days = [date(2008, 6, 5), date(2008, 6, 6), date(2012, 8, 2), date(2012, 8, 3)]
    found = [rules.edition(edition_for(day)) for day in days]
    assert [edition.constants.bonus_threshold for edition in found] == [10.0, 10.0, 10.0, 8.0]
    assert [edition.ruled is None for edition in found] == [True, False, False, True]
    assert rules == rule_set(name="no 6", since="2008-06-06", until=date(2012, 8, 3), bonus_threshold=10)
    assert rules.digest != rule_set(bonus_threshold=10).digest != rule_set(since="2008-06-06").digest == OFFICIAL.digest
    document = document_of(rules)
    assert (document["since"], document["until"]) == ("2008-06-06", "2012-08-03")
    with pytest.raises(RuleSetError, match="would end on 2012-08-03 and begin on 2014-03-20"):
        rule_set(rules, since="2014-03-20")  # the other end is that of the rule set
    assert [one.since for one in differences(rules)] == [date(2008, 6, 6)]
    of_a_day = rule_set("2025-01-01", since="2012-08-03", bonus_threshold=9)
    assert [(one.official, one.changed) for one in differences(of_a_day)] == [("10", "9")]


def test_the_example_of_the_documentation_is_a_rule_set(tmp_path: Path) -> None:
    page = (DOCS / "rule-sets.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    rules = read_rule_set(written(tmp_path, example))
    assert rules.name == "A softer bonus"
    assert rules.changes["game_factors.OTBQ.OTBR"] == 8.0


def test_every_constant_is_described_and_every_official_value_makes_sense() -> None:
    assert tuple(DESCRIBED) == Constants._fields
    for edition in EDITIONS:
        for name, described in DESCRIBED.items():
            value = getattr(edition.constants, name)
            if isinstance(value, float) or type(value) is int:
                assert described.least <= value <= described.most, (edition.name, name)
        for piece in (*edition.constants.fide, *edition.constants.cfc):
            for field in ("limit", "intercept", "slope"):
                value = getattr(piece, field)
                assert math.isnan(value) or INSIDE[field].least <= value <= INSIDE[field].most


def test_all_faults_of_a_file_are_told_at_once_with_the_nearest_right_name(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        """
        nam = "x"
        bonus_games = 4
        name = ""
        base = "1999-01-01"
        note = 3
        [changes]
        bonus_treshold = 12
        k_numerator = "800"
        half_k_is_allowed = 1
        bonus_meetings = 2.0
        effective_base = 0
        peak_step = nan
        initialisation = "blnd"
        fide.1.slop = 1
        fide.first.slope = 1
        cfc = []
        fide_youth = [{ limit = 5, slope = 1 }]
        priorities.OTBX.1.credit = "full"
        priorities.OTBQ.1.credit = "all"
        priorities.OLB.1.at_leest = 4
        priorities.OTBR = [{ source = "GIVEN", credit = "full" }, 3, { sorce = "FIDE" }]
        game_factors.OTBR = 3
        game_factors.OTBR2.OTBR = 3
        special_games.x = 3
        match_change = -1
        age_base = {}
        """,
    )
    assert found == {
        "nam": "There is no 'nam' in a rule set. Did you mean name?",
        "bonus_games": "There is no 'bonus_games' in a rule set. Did you mean changes.bonus_games?",
        "name": "The name is ''; it should be a text of one line.",
        "base": "No rules are known for a section starting 1999-01-01: the rating system of these documents began on "
        "2001-01-01.",
        "note": "The note should be a text.",
        "bonus_treshold": "There is no constant 'bonus_treshold'. Did you mean bonus_threshold?",
        "k_numerator": "The value is '800'; it should be a number.",
        "half_k_is_allowed": "The value is 1; it should be true or false.",
        "bonus_meetings": "The value is 2.0; it should be a whole number.",
        "effective_base": "0 makes no sense here: give 0.01 to 10.",
        "peak_step": "The value is nan; it should be a number.",
        "initialisation": "The value is 'blnd'. Did you mean blend?",
        "fide.1.slop": "There is no 'slop' in it. Did you mean slope?",
        "fide.first.slope": "It should end in a number from 1 on and one of limit, is_closed, intercept, slope.",
        "cfc": "It should be a list of 1 to 4 tables with limit, is_closed, intercept, slope.",
        "fide_youth.1": "A piece needs an intercept and a slope.",
        "priorities.OTBX.1.credit": "There is no rating system 'OTBX'. Did you mean OTBR?",
        "priorities.OTBQ.1.credit": "The value is 'all'. There are nothing, its_games, full, by_rating.",
        "priorities.OLB.1.at_leest": "There is no 'at_leest' in it. Did you mean at_least?",
        "priorities.OTBR.1.source": "The value is 'GIVEN'. There are OTBR, OTBQ, OTBB, OLR, OLQ, OLB, FIDE, CFC, AGE.",
        "priorities.OTBR.2": "It should be a table with source, at_least, at_most, credit.",
        "priorities.OTBR.3.sorce": "There is no 'sorce' in it. Did you mean source?",
        "game_factors.OTBR": "game_factors is a table by rating system: write game_factors.OTBR.OTBQ = ….",
        "game_factors.OTBR2.OTBR": "There is no rating system 'OTBR2'. Did you mean OTBR?",
        "special_games.x": "special_games is no table; give it a value: special_games = ….",
        "match_change": "-1 makes no sense here: give at least 0.",
        "age_base": "The value is {}; it should be a number.",
    }


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('base = "soon"', "base", "The base is 'soon'; it should be 'by date' or a day such as 2025-01-01."),
        ("base = 7", "base", "The base is 7; it should be 'by date' or a day such as 2025-01-01."),
        ("since = 7", "since", "The value is 7; it should be a day such as 2025-01-01."),
        (
            'until = "2012-08-04"',
            "until",
            "No edition begins on 2012-08-04, so rules cannot change on it. Did you mean 2012-08-03?",
        ),
        (
            "since = 2012-08-03\nuntil = 2008-06-06",
            "until",
            "The rules would end on 2008-06-06 and begin on 2012-08-03; until should be the later day.",
        ),
        ("changes = 3", "changes", "The changes should be a table: a line each, as bonus_threshold = 12."),
        ("[changes]\nzzzzzzzz = 3", "zzzzzzzz", "There is no constant 'zzzzzzzz'."),
        (
            "[changes]\npriorities = 3",
            "priorities",
            "priorities is a table by rating system: write priorities.OTBR = ….",
        ),
        (
            '[changes.priorities]\nOTBR = [{ source = "FIDE" }]',
            "priorities.OTBR.1",
            "A line needs a source and a credit.",
        ),
        (
            "[changes]\nfide = [{ limit = 9, intercept = 1, slope = 1 }]",
            "fide",
            "The limits of the pieces should rise, and the last piece has none.",
        ),
        (
            "[changes]\nfide.2.slope = 1",
            "fide.2.slope",
            "There is no such place in the edition of 2001-01-01; give the whole table.",
        ),
        (
            "[changes]\npriorities.OTBB.1.at_least = 1",
            "priorities.OTBB.1.at_least",
            "There is no such place in the edition of 2001-01-01; give the whole table.",
        ),
        (
            "base = 2025-01-01\n[changes]\ncfc.1.limit = 1700",
            "cfc",
            "The limits of its pieces do not rise in the edition of 2025-01-01.",
        ),
        (
            "[changes]\nage_youngest = 25",
            "age_youngest",
            "age_youngest is above age_oldest in the edition of 2001-01-01.",
        ),
    ],
)
def test_a_fault_is_told_in_a_sentence(tmp_path: Path, text: str, place: str, said: str) -> None:
    assert faults(tmp_path, text) == {place: said}


def test_a_file_that_is_no_rule_set_is_told(tmp_path: Path) -> None:
    assert "is not TOML" in faults(tmp_path, "name = ")["file"]
    assert "larger than" in faults(tmp_path, "#" * (1 << 20) + "\n")["file"]
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "\xe9"')
    with pytest.raises(RuleSetError, match="is not TOML"):
        read_rule_set(str(path))
    with pytest.raises(RuleSetError, match="cannot be read"):
        rule_set(str(tmp_path / "nowhere.toml"))


def test_changes_by_name_are_held_against_the_same_table() -> None:
    with pytest.raises(RuleSetError, match=r"changes: bonus_treshold: .* Did you mean bonus_threshold\?"):
        rule_set(bonus_treshold=12)


def test_differences_name_the_day_since_which_they_hold() -> None:
    """2025 text §8: B is 10 from 2001 and again from 2014-03-20 and from 2025; 6, 8, 12, 14 between."""
    found = differences(rule_set(bonus_threshold=10))
    assert found == [
        Difference(date(2008, 6, 6), "bonus_threshold", "6", "10"),
        Difference(date(2012, 8, 3), "bonus_threshold", "8", "10"),
        Difference(date(2015, 6, 1), "bonus_threshold", "12", "10"),
        Difference(date(2017, 6, 1), "bonus_threshold", "14", "10"),
        Difference(date(2023, 2, 1), "bonus_threshold", "12", "10"),
    ]
    assert differences(OFFICIAL) == []
    assert differences(rule_set("2025-01-01")) == []
    on = differences(rule_set("2025-01-01"), date(2024, 12, 31))
    assert [(one.rule, one.official, one.changed) for one in on if one.rule == "bonus_threshold"] == [
        ("bonus_threshold", "12", "10")
    ]
    blended = differences(rule_set(initialisation="blend"), date(2005, 1, 1))
    assert {one.rule for one in blended if "-" in (one.official, one.changed)} >= {
        "start in OTBR",
        "game factors in OTBR",
    }


def test_a_value_that_is_not_there_in_one_edition_is_not_taken_from_another() -> None:
    """A rule set by date keeps what was never found: the youth conversion before 2009 (2015 text §6)."""
    first: Any = rule_set(bonus_threshold=3).edition(EDITIONS[0]).constants
    assert math.isnan(first.fide_youth[0].slope)


def test_a_table_that_is_changed_as_a_whole_replaces_what_was_changed_inside_of_it_before() -> None:
    """The order of changes is the order in which they are made."""
    assert folded({"fide.1.slope": 0.5, "bonus_threshold": 9, "fide": ()}) == {"bonus_threshold": 9, "fide": ()}


def test_a_rule_set_with_tables_and_days_is_written_as_it_was() -> None:
    rules = rule_set(
        "2025-01-01",
        name='a "quoted" one',
        peak_lowest=math.inf,
        initialisation="priority",
        dual_k_is_reduced=False,
        cfc=[{"limit": 1500, "intercept": -90, "slope": 1}, {"intercept": -240, "slope": 1.1}],
    )
    changed = rule_set(rules, name="inside", cfc={"1": {"slope": 0.9}}, game_factors={"OTBQ": {"OTBR": 8}})
    changed = rule_set(changed, priorities={"OTBQ": [{"source": "OTBR", "credit": "full"}]})
    changed = rule_set(changed, name="inside", priorities={"OTBQ": {"1": {"at_least": 9}}})
    dated = rule_set(bonus_threshold=12, name="dated", since="2024-03-01", until="2025-01-01")
    for one in (rules, changed, dated):
        again = rules_from(tomllib.loads(rules_text(one)), "again")
        assert (again.name, again.digest) == (one.name, one.digest)
    assert changed.changes["cfc.1.slope"] == 0.9  # a change inside of a table that is changed as a whole
