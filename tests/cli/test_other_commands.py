"""§8: ``explain``, ``check``, ``rules`` and ``schema`` from the command line."""

import json
from itertools import pairwise

import pytest

from crosstable import schemas
from crosstable.catalogue import CATALOGUE
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import DESCRIBED
from tests.architecture.source import ROOT
from tests.checks.provoked import pair, sound
from tests.cli.conftest import Run, Write, in_short
from tests.event_files import event_file, player, quad

SAMPLE = str(ROOT / "examples" / "summer-quads.json")


@pytest.mark.parametrize("last", ["-1", "0", "two"])
def test_after_round_is_a_round_and_no_number_counts_from_the_end(run: Run, last: str) -> None:
    ran = run("rate", SAMPLE, f"--after-round={last}")
    assert (ran.code, ran.out) == (2, "")
    assert "is not a whole number of at least 1" in ran.err


# explain


def test_explain_tells_every_step_with_its_section(run: Run, write: Write) -> None:
    """§1: the round robin of readings, Part 1, player 1: 1855.8941 after Step 4, 1860.7503 after Step 5."""
    ran = run("explain", write(quad()), "--player", "1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Player, 1, section 1, OTBR\n")
    for heading in ("Rules", "Step 1", "Step 2", "Step 4", "Step 5", "Result"):
        assert f"\n{heading}\n" in ran.out
    assert "R0 + K(S - E) + bonus = 1850 + 5.8941 + 0 = 1855.8941. (§4.2)" in ran.out
    assert "The rating after the section is 1860.7503. (§1)" in ran.out


def test_explain_as_json_has_every_number_in_full(run: Run, write: Write) -> None:
    """§4.1: the newcomer's first estimate is 1687.5, the end 1825.310269."""
    ran = run("explain", write(quad()), "--player", "4", "--json")
    found = json.loads(ran.out)
    assert {name: found[name] for name in ("format", "section", "player", "system", "edition")} == {
        "format": "crosstable-explained/1",
        "section": 1,
        "player": 4,
        "system": "OTBR",
        "edition": "2025-01-01",
    }
    fields = {"part", "section", "text", "name", "value", "key", "document", "symbol", "formula"}
    assert all(set(line) == fields for line in found["lines"])
    values = {(line["part"], line["name"]): line["value"] for line in found["lines"]}
    assert values["Step 3", "strength"] == 1687.5
    assert values["Result", "rating"] == pytest.approx(1825.310269, abs=6e-7)
    assert values["Step 1", "age"] is None
    (estimate,) = (line for line in found["lines"] if (line["part"], line["symbol"]) == ("Step 3", "M"))
    assert (estimate["key"], estimate["document"]) == ("special.solved", "2025 text")
    assert estimate["formula"] == (
        "(sum((1.0 * 1300.0, 1500.0, 1700.0, 1850.0)) + 2 * 400.0 * (2.5 - 0.0 - 4.0 / 2)) / 4.0"
    )


def test_explain_cites_the_document_of_the_edition_that_rated(run: Run, write: Write) -> None:
    """2015 text §2.6 has the age-based rating; the list of dated changes is §8 of the 2025 text; half K was of 2004."""
    ran = run("explain", write(quad(on="2016-03-05")), "--player", "4")
    assert "Sections (§) are those of The US Chess Rating system, June 1, 2015" in ran.out
    assert "and the player is reported as an adult. (§2.6)" in ran.out
    assert "(2025 text §8)" in ran.out
    half = run("explain", write(quad(on="2005-03-05", k_factor="half")), "--player", "1")
    assert "(2004 text node 5)" in half.out


def test_explain_takes_every_system_of_the_section_or_one(run: Run) -> None:
    """§7: a dual section is two calculations."""
    both = run("explain", SAMPLE, "--section", "1", "--player", "2").out
    assert "section 1, OTBR" in both
    assert "section 1, OTBQ" in both
    one = run("explain", SAMPLE, "--section", "1", "--player", "2", "--system", "OTBQ").out
    assert "section 1, OTBR" not in one
    lines = run("explain", SAMPLE, "--section", "1", "--player", "2", "--json").out.splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["OTBR", "OTBQ"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([SAMPLE, "--player", "1"], "the event has sections 1, 2; name one"),
        ([SAMPLE, "--section", "7", "--player", "1"], "there is no rated section 7; the sections are 1, 2"),
        ([SAMPLE, "--section", "1", "--player", "9"], "there is no player 9 in section 1"),
        ([SAMPLE, "--section", "2", "--player", "1", "--system", "OTBR"], "section 2 is rated OTBB, not OTBR"),
        ([SAMPLE, "--section", "1"], "the following arguments are required: --player"),
        ([SAMPLE, "--section", "one", "--player", "1"], "invalid int value: 'one'"),
        ([SAMPLE, "--section", "1", "--player", "1", "--system", "OTB"], "invalid choice: 'OTB'"),
    ],
)
def test_explain_says_what_it_cannot_find(run: Run, arguments: list[str], words: str) -> None:
    ran = run("explain", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_explain_of_a_faulty_file_is_its_faults(run: Run, write: Write) -> None:
    ran = run("explain", write(pair("W2", "W1")), "--player", "1")
    assert (ran.code, ran.out) == (1, "")
    assert "[not-mirrored]" in ran.err


# check


def test_check_tells_faults_with_place_and_remedy(run: Run, write: Write) -> None:
    """Every error and warning, and the count of each; here a fault is the result, so it is standard output."""
    path = write(pair("W2", "W1", colour="red"))
    ran = run("check", path)
    assert (ran.code, ran.err) == (1, "")
    told = in_short(ran.out)
    assert f"{path}: error: section 1, player 1, round 1: 'W2', but player 2 shows 'W1' in round 1.\n" in told
    assert f"{path}: warning: sections[0].colour: colour is not known here.\n" in told
    assert ran.out.endswith(f"{path}: 2 errors, 1 warning\n")


def test_check_finds_a_rule_that_is_missing(run: Run, write: Write) -> None:
    """§2.1: the FIDE conversion from 2000 up between July 2008 and May 2015 was not found."""
    newcomer = player(1, "W2", ratings={"FIDE": {"rating": 2100}})
    ran = run("check", write(event_file(newcomer, player(2, "L1", 1700.0), on="2012-03-03")))
    assert ran.code == 1
    assert "[rule-not-found]" in ran.out


def test_check_of_sound_files_and_of_warnings_is_zero(run: Run, write: Write) -> None:
    path = write(sound())
    assert run("check", path) == (0, f"{path}: 0 errors, 0 warnings\n", "")
    assert run("check", write(pair("N2", "U"))).code == 0


def test_check_as_json_is_a_document_a_line(run: Run, write: Write) -> None:
    paths = [write(sound(), "a.json"), write(pair("W2", "U"), "b.json"), write(b"{", "c.json")]
    ran = run("check", "--json", *paths)
    assert ran.code == 1
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert [each["format"] for each in found] == ["crosstable-checked/1"] * 3
    assert [each["file"] for each in found] == paths
    assert [[fault["code"] for fault in each["faults"]] for each in found] == [[], ["not-mirrored"], ["not-readable"]]


# rules


def test_rules_is_the_timeline(run: Run) -> None:
    """§8: every amendment, oldest first, with what is assumed said."""
    ran = run("rules")
    assert (ran.code, ran.err) == (0, "")
    dates = [line[:10] for line in ran.out.splitlines() if line[:2] == "20"]
    assert dates == sorted(dates)
    assert len(dates) == len(AMENDMENTS)
    assert "2008-06-06  Bonus point threshold reduced to 6." in ran.out
    assert "date assumed; stated as 2006-??-??" in ran.out


@pytest.mark.parametrize(
    ("day", "threshold"),
    [
        *(("2001-01-01", "10"), ("2008-06-05", "10"), ("2008-06-06", "6"), ("2012-08-03", "8"), ("2014-03-20", "10")),
        *(("2015-06-01", "12"), ("2017-05-31", "12"), ("2017-06-01", "14"), ("2023-02-01", "12"), ("2024-12-31", "12")),
        ("2025-01-01", "10"),
    ],
)
def test_rules_on_a_day_have_the_threshold_of_the_list(run: Run, day: str, threshold: str) -> None:
    """§8: the table of B."""
    found = json.loads(run("rules", "--on", day, "--json").out)
    assert found["rules"]["bonus_threshold"] == threshold
    assert found["law_seen_through"] == "2025-07-26"


def test_rules_on_a_day_say_how_newcomers_start(run: Run) -> None:
    """§2: game factors since the blend, priority lists before; systems as they were born (§8)."""
    before = json.loads(run("rules", "--on", "2020-05-31", "--json").out)["rules"]
    after = json.loads(run("rules", "--on", "2020-06-01", "--json").out)["rules"]
    assert before["systems"] == "OTBR, OTBQ, OTBB, OLB, OLQ"
    assert after["systems"] == "OTBR, OTBQ, OTBB, OLB, OLQ, OLR"
    assert before["start in OTBQ"].startswith("OTBR on 4 games or more")
    assert "start in OTBQ" not in after
    assert after["game factors in OLB"] == "10, 5, 10, 5, 5, 5"
    assert "game factors in OLB" not in before


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2026-01-01", "based on more than 25 games"),
        ("2026-01-01", "with B = 10 and m"),
        ("2026-01-01", "§4.2; since January 1, 2025: 2025 text §8; notice of May 2025"),
        ("2026-01-01", "50 points in a match, 100 net in 180 days, 200 net in 3 years."),
        ("2026-01-01", "over the board: 30 to 65."),
        ("2010-01-01", "with B = 6 and m"),
        ("2010-01-01", "since March 1, 2006 (date assumed): report of 2006"),
        ("2001-01-01", "An organizer may ask for half K."),
    ],
)
def test_rules_of_a_day_are_told_in_words_with_their_documents(run: Run, day: str, words: str) -> None:
    """§1, §4.2, §7, §8: the numbers of the documents, each with its section."""
    out = run("rules", "--on", day).out
    assert words in " ".join(out.split())


def test_rules_as_text_name_the_edition_and_json_has_the_same_sentences(run: Run) -> None:
    out = run("rules", "--on", "2026-01-01").out
    assert out.startswith("The rules of January 1, 2025, as of the text of July 26, 2025.\n\nTime controls")
    found = json.loads(run("rules", "--on", "2026-01-01", "--json").out)["sentences"]
    assert len({one["id"] for one in found}) == len(found)
    for one in found:
        assert one["text"] in " ".join(out.split())
    (supplements,) = [one for one in found if one["part"] == "Rating supplements"]
    assert supplements["section"] is None


@pytest.mark.parametrize("days", [("2024-12-31", "2025-01-01"), ("2025-01-01", "2024-12-31")])
def test_rules_between_two_days_in_either_order(run: Run, days: tuple[str, str]) -> None:
    """§8: on 2025-01-01 two things changed: the CFC conversion and the threshold."""
    found = json.loads(run("rules", "--diff", *days, "--json").out)
    assert (found["from"], found["to"]) == ("2024-12-31", "2025-01-01")
    assert set(found["changed"]) == {"cfc", "bonus_threshold"}
    assert found["changed"]["bonus_threshold"] == ["12", "10"]
    assert len(found["amendments"]) == 2
    out = " ".join(run("rules", "--diff", *days).out.split())
    assert "with B = 12 and m" in out[out.index("Bonus Before: ") : out.index("After: ", out.index("Bonus Before: "))]
    assert "with B = 10 and m" in out[out.rindex("After: ") :]
    for one in found["statements"]:
        assert one["before"] != one["after"]
        assert f"Before: {one['before']} After: {one['after']} ({one['section']})" in out


def test_rules_between_two_days_are_told_in_words_and_not_by_the_names_of_constants(run: Run) -> None:
    """Every edition beside the next: what changed in it has a sentence, and no name of a constant is printed."""
    for earlier, later in pairwise(EDITIONS):
        days = earlier.effective.isoformat(), later.effective.isoformat()
        found = json.loads(run("rules", "--diff", *days, "--json").out)
        assert found["changed"]
        assert found["statements"], days
        out = run("rules", "--diff", *days).out
        assert not [name for name in DESCRIBED if "_" in name and name in out]


def test_rules_between_two_days_without_a_change(run: Run) -> None:
    """§8: nothing changed in 2022."""
    assert run("rules", "--diff", "2022-01-01", "2022-12-31").out == (
        "Nothing changed between January 1, 2022 and December 31, 2022.\n"
    )


@pytest.mark.parametrize("arguments", [["--on", "2000-12-31"], ["--diff", "1999-01-01", "2025-01-01"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_there_are_no_rules_before_2001(run: Run, arguments: list[str], form: list[str]) -> None:
    """Readings 13: out of scope; refused, not guessed."""
    ran = run("rules", *arguments, *form)
    assert (ran.code, ran.out) == (1, "")
    assert "began on 2001-01-01" in ran.err


@pytest.mark.parametrize("arguments", [["--on", "13/2/2025"], ["--diff", "2025-01-01"], ["--on", "2025-02-30"]])
def test_rules_of_what_is_no_day_is_wrong_usage(run: Run, arguments: list[str]) -> None:
    ran = run("rules", *arguments)
    assert ran.code == 2
    assert "usage: crosstable rules" in ran.err


# findings


def test_a_finding_is_explained_by_its_code(run: Run) -> None:
    """§7: what the code means by the newest rules, and what to do."""
    ran = run("findings", "match-not-eligible")
    assert (ran.code, ran.err) == (0, "")
    words = " ".join(ran.out.split())
    assert words.startswith("match-not-eligible (error, Fatal) The players may not play a rated match.")
    assert "at most 400 points apart" in words
    assert "What to do: Rate it as another type" in words


def test_all_findings_are_listed_by_default(run: Run) -> None:
    found = json.loads(run("findings", "--json").out)
    assert (found["format"], found["edition"]) == ("crosstable-findings/1", "2025-01-01")
    assert [one["code"] for one in found["findings"]] == list(CATALOGUE)
    assert all(set(one) == {"code", "severity", "level", "meaning", "remedy"} for one in found["findings"])
    out = run("findings").out
    assert all(f"{code} ({kind.severity}, {kind.level})\n" in out for code, kind in CATALOGUE.items())


def test_a_finding_is_explained_by_the_rules_of_a_day(run: Run) -> None:
    """Rules history §11: before 2006 a match needs no established ratings."""
    assert "need published ratings" in " ".join(run("findings", "match-not-eligible", "--on", "2001-01-01").out.split())
    ran = run("findings", "--on", "2000-12-31")
    assert (ran.code, ran.out) == (1, "")
    assert "began on 2001-01-01" in ran.err


@pytest.mark.parametrize(
    ("code", "hint"), [("halfk", " Did you mean half-k"), ("Match-Player", "match-players"), ("§", "")]
)
def test_an_unknown_code_is_wrong_usage_and_near_ones_are_named(run: Run, code: str, hint: str) -> None:
    ran = run("findings", code)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"crosstable findings: there is no code {code!r}.")
    assert hint in ran.err
    assert ("Did you mean" in ran.err) is bool(hint)


# schema


def test_schema_prints_the_schema_that_ships(run: Run) -> None:
    ran = run("schema", "event")
    assert ran.code == 0
    assert ran.out == (ROOT / "src/crosstable/formats/event.schema.json").read_text("utf-8")


@pytest.mark.parametrize("name", schemas.names())
def test_schema_prints_the_schema_of_each_format(run: Run, name: str) -> None:
    ran = run("schema", name)
    assert ran.code == 0
    assert json.loads(ran.out) == schemas.schema(name)


def test_schema_without_a_name_lists_them(run: Run) -> None:
    ran = run("schema")
    assert ran.code == 0
    listed = [line.split()[0] for line in ran.out.splitlines()]
    assert listed == ["event", "members", "wallchart", *schemas.names()]


def test_schema_of_something_else_is_wrong_usage(run: Run) -> None:
    assert run("schema", "results").code == 2
