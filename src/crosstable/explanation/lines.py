"""``explain``: every step of one player's calculation as a line, in the order of §1."""

import math
from collections.abc import Iterator, Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.starts import first_step
from crosstable.explanation.steps import (
    ABROAD,
    abroad,
    closing,
    one_pass,
    own_rows,
    result,
    second_step,
    third_step,
    unrated_rounds,
)
from crosstable.explanation.telling import Line, Telling, kinds_in, telling
from crosstable.explanation.words import FLOOR_NAMES, RESULTS, WORDS
from crosstable.rules.amending import Amendment, Knowledge
from crosstable.rules.documents import TEXTS_SINCE, document_for
from crosstable.rules.editions import LAW_SEEN_THROUGH, doubts
from crosstable.terms import Formula, SectionType

__all__ = ["FLOOR_NAMES", "RESULTS", "Line", "explain", "usual_document"]

# What the rules with doubtful dates bear on: unrated players, matches, foreign events, and things outside a section's
# rating.
START_RULES = frozenset({"fide", "priorities", "age_base"})
MATCH_RULES = frozenset({"match_change", "match_half_year"})
FOREIGN_RULES = frozenset({"fide_youth", "foreign_needs_established"})
OTHER_RULES = frozenset({"money_prize"})

# Rules that a sentence rests on without naming a number of them, by how its key begins.
RESTS_ON = (
    ("standard.k_dual", "dual_k_is_reduced"),
    ("start.first", "priorities"),
    ("start.converted_FIDE", "fide"),
)


def explain(rated: RatedSection, number: int) -> tuple[Line, ...]:
    """The whole calculation of the player with this number; raises ``KeyError`` if there is none."""
    return tuple(lines_of(telling(rated, player_of(rated, number))))


def usual_document(lines: Sequence[Line]) -> str:
    """The document that most lines of a working cite, so that only another has to be named with its section."""
    documents = [line.document for line in lines if line.document and line.part != "Rules"]
    return max(documents, key=documents.count, default="")


def player_of(rated: RatedSection, number: int) -> RatedPlayer:
    """The player with a number; raises ``KeyError`` if there is none."""
    player = next((player for player in rated.players if player.number == number), None)
    if player is None:
        raise KeyError(number)
    return player


def lines_of(tell: Telling) -> Iterator[Line]:
    """Every line of a telling."""
    working = list(working_of(tell))
    yield from rules(tell)
    yield from not_from_texts(tell, working)
    yield from working


def working_of(tell: Telling) -> Iterator[Line]:
    """What was computed, step by step."""
    if tell.player.formula is Formula.NONE:
        yield from untouched(tell)
        return
    yield from first_step(tell)
    yield from second_step(tell)
    if tell.rated.section.kind.is_foreign:
        yield from abroad(tell)
    else:
        yield from third_step(tell)
        yield from one_pass(tell, "Step 4")
        yield from one_pass(tell, "Step 5")
    yield from result(tell)
    yield from closing(tell)


def rules(tell: Telling) -> Iterator[Line]:
    """Which rules apply, and which of their dates are in doubt (§8)."""
    section, edition = tell.rated.section, tell.rated.edition
    ruled = "" if edition.ruled is None else f", rule set {edition.ruled.name} ({edition.ruled.digest})"
    yield tell.line(
        *("Rules", "rules.edition"),
        **{"start": section.start, "end": section.end, "system": tell.rated.system.title},
        **{"edition": edition.effective, "ruled": ruled, "seen_through": LAW_SEEN_THROUGH},
    )
    yield tell.line("Rules", "rules.document", title=document_for(edition.effective).title)
    if tell.player.merged_with:
        rows = sorted((tell.player.number, *tell.player.merged_with))
        yield tell.line("Rules", "rules.rows", rows=" and ".join(map(str, rows)))
    for amendment in (one for one in doubts(section.start) if _touches(one, tell)):
        yield tell.line(
            *("Rules", "rules.date_assumed"),
            **{"summary": amendment.summary, "stated": amendment.stated, "effective": amendment.effective},
        )


def not_from_texts(tell: Telling, working: Sequence[Line]) -> Iterator[Line]:
    """The rules that the working speaks of and that no whole text of their time has (§8)."""
    effective = tell.rated.edition.effective
    spoken_of = {name for key in {line.key for line in working} for name in _spoken_of(key)}
    latest: dict[str, Amendment] = {}
    for amendment in tell.rated.edition.amendments:
        latest |= dict.fromkeys(amendment.changes, amendment)
    told = dict.fromkeys(latest[name].summary for name in sorted(spoken_of) if name in latest)
    for amendment in tell.rated.edition.amendments:
        is_printed = effective >= (amendment.printed or TEXTS_SINCE)
        if amendment.summary in told and amendment.knowledge is not Knowledge.TEXT and not is_printed:
            key = "rules.by_results" if amendment.knowledge is Knowledge.RESULTS else "rules.assumed"
            yield tell.line("Rules", key, summary=amendment.summary, source=amendment.source)


def _spoken_of(key: str) -> Iterator[str]:
    """The rules that a sentence speaks of: the constants in it, and what it rests on without naming it."""
    yield from kinds_in(WORDS[key].template.text, WORDS[key].formula)
    yield from (rule for begin, rule in RESTS_ON if key.startswith(begin))


def untouched(tell: Telling) -> Iterator[Line]:
    """What is said of somebody without a rated game."""
    after = tell.player.after
    is_opponent = tell.rated.section.kind.is_foreign and not any(entry.is_rated for entry in own_rows(tell))
    key = "result.opponent" if is_opponent else "result.untouched"
    yield tell.line("Result", key, math.nan if after is None else after.rating)
    if not is_opponent:
        yield from unrated_rounds(tell, ABROAD if tell.rated.section.kind.is_foreign else "Result")


def _touches(amendment: Amendment, tell: Telling) -> bool:
    """Whether a rule whose date is in doubt can bear on this player's result."""
    names = set(amendment.changes)
    if names & START_RULES:
        return tell.player.start is not None
    if names & MATCH_RULES:
        return tell.rated.section.kind is SectionType.MATCH
    if names & FOREIGN_RULES:
        return tell.rated.section.kind.is_foreign
    return not names & OTHER_RULES
