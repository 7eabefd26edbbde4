"""What may leave the office: results without anything from which a birth date can be computed.

Birth dates and ages never leave. What hangs on one is said by a ``Veil``: where it is clear, a section is shown with
its whole working and all decimals; where it is not, ratings are whole numbers or spans, and nothing that was computed
on the way is shown, for anybody of the section. The same forms serve pages, files and the command line.

Hashes stay inside as well: who knows all of a row but a birth date could try every day until the hash fits.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explain import Line, explain
from crosstable.explain.lines import FLOOR_NAMES, RESULTS
from crosstable.formulas.rounding import official_rating
from crosstable.office.differences import public_differences
from crosstable.office.ledger.acts import Act, ActKind
from crosstable.office.ledger.postings import Posting
from crosstable.office.veiled_record import Hidden
from crosstable.office.veils import ESTABLISHED_ABOVE, Span, Veil, veil_of
from crosstable.office.views import RippleRow
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import FloorKind, Formula, RatingSystem, Standing

UNRATED = "Unrated"
NOT_PUBLIC = "not public: a birth date could be computed from"
# What of the first step is said of nobody whose birth date is known: each is a function of it.
_BY_AGE = frozenset(
    {"age", "age_based", "age_based_then", "strength_for_age", "staleness_factor", "weight", "total_weight", "mean"}
)
# What a posting says of the way to its result, and what carries decimals.
_WORKING = (
    *("prior", "effective", "k", "expected", "bonus", "computed"),
    *("peak", "peak_since_2010", "match_changes", "games_at_2200"),
)
_FLOOR = ("floor_kind", "floor_level", "requested_floor")
_JSON_WORKING = ("effective_games", "k", "expected", "bonus")
# What an act of each kind says after it that the public may read; never a digest.
_SAID: Mapping[ActKind, Sequence[str]] = {
    ActKind.FOUNDED: ("name",),
    ActKind.MEMBERS: ("new", "changed", "opened"),
    ActKind.OPENING: ("opened",),
    ActKind.MERGE: ("member", "into"),
    ActKind.UNMERGE: ("member", "into"),
    ActKind.SUBMIT: ("event", "sections"),
    ActKind.IMPORT: ("events", "sections"),
    ActKind.CONFIRM: ("sections", "withdrawn", "differences"),
    ActKind.CORRECT: ("event", "differences", "requested"),
    ActKind.WITHDRAW: ("sections",),
    ActKind.DECIDE: ("kind", "system", "effective", "value", "event_id", "section"),
    ActKind.RATE: ("engine", "sections", "postings"),
    ActKind.PUBLISH: ("month", "basis", "cut_off", "rows"),
}
# Reasons of these acts are about persons: a corrected birth date stands in them.
_PERSONAL = frozenset({ActKind.MEMBERS, ActKind.OPENING})


class Shown(NamedTuple):
    """A rating as the public sees it: itself, or ``between`` two bounds; on so many games (``None``: not known)."""

    rating: float | None
    between: tuple[int, int] | None
    games: float | None
    is_provisional: bool = False

    @property
    def text(self) -> str:
        """As crosstables print it: ``1641P17``, ``1794``, ``650-680P4`` (official facts §4)."""
        if self.between is not None:
            whole = f"{self.between[0]}-{self.between[1]}"
        else:
            assert self.rating is not None
            whole = str(official_rating(self.rating))
        return f"{whole}P{self.games:g}" if self.is_provisional and self.games is not None else whole


class PublicRow(NamedTuple):
    """A player's result in a section; ``working`` is there where the section is clear."""

    number: int
    merged_with: tuple[int, ...]
    member_id: str
    name: str
    before: Shown | None
    after: Shown | None
    formula: str | None
    played: int
    score: float
    floor: tuple[str, float] | None
    norm: str | None
    assumed: tuple[str, ...]
    working: Mapping[str, float] | None


class PublicPosting(NamedTuple):
    """A posting without its working and decimals, with its ratings as they are shown."""

    posting: Posting
    before: Shown | None
    after: Shown | None


class PublicAct(NamedTuple):
    """An act as the public log has it: to the minute, without hashes and without what is said of a person."""

    seq: int
    at: datetime
    kind: str
    actor: str
    reason: str
    subject: str
    said: Mapping[str, Any]


class PublicRipple(NamedTuple):
    """A line of a ripple; ``change`` is there where both ratings are shown."""

    run: int
    member_id: str
    name: str
    system: RatingSystem
    before: Shown | None
    after: Shown | None
    change: float | None
    sections: tuple[tuple[str, int], ...]
    causes: tuple[int, ...]


def shown(rating: float | None, games: float | None, span: Span | None, *, is_clear: bool) -> Shown | None:
    """A rating as it is shown: in full, as a whole number, or between bounds; nothing for no rating."""
    if rating is None:
        return None
    is_provisional = games is not None and games <= ESTABLISHED_ABOVE
    if span is not None and span.is_hidden(games):
        return Shown(None, span.shown, games, is_provisional)
    return Shown(rating if is_clear else float(official_rating(rating)), None, games, is_provisional)


def _standing(standing: Standing | None, span: Span | None, veil: Veil) -> Shown | None:
    return None if standing is None else shown(standing.rating, standing.games, span, is_clear=veil.is_clear)


# Sections and their players.


def public_rows(rated: RatedSection, veil: Veil) -> tuple[PublicRow, ...]:
    """Every row of a rated section."""
    return tuple(public_row(player, veil) for player in rated.players)


def public_row(player: RatedPlayer, veil: Veil) -> PublicRow:
    """One player's result."""
    after = _standing(player.after, veil.after.get(player.number), veil)
    has_played = player.formula is not Formula.NONE
    outcome = player.outcome
    floor = None
    if has_played and outcome.floor_kind is not FloorKind.NONE and (after is None or after.between is None):
        floor = outcome.floor_kind.name.lower(), outcome.floor_level
    return PublicRow(
        number=player.number,
        merged_with=player.merged_with,
        member_id=player.member_id,
        name=player.name,
        before=_standing(player.before, veil.before.get(player.number), veil),
        after=after,
        formula=player.formula.name.lower() if has_played else None,
        played=player.played,
        score=player.score,
        floor=floor,
        norm=player.norm,
        assumed=tuple(str(note) for note in player.assumed),
        working=_working(player) if veil.is_clear and has_played else None,
    )


def _working(player: RatedPlayer) -> dict[str, float]:
    if player.formula is not Formula.STANDARD:
        return {"effective_games": player.effective}
    final = player.final
    return {"effective_games": player.effective, "k": final.k, "expected": final.expected, "bonus": final.bonus}


# Explanations.


def public_lines(rated: RatedSection, number: int, veil: Veil) -> tuple[Line, ...]:
    """The calculation of one player as far as it is public; raises ``KeyError`` if there is no such number."""
    lines = explain(rated, number)
    player = next(player for player in rated.players if player.number == number)
    if not veil.is_clear:
        return tuple(_few_words(lines, player, veil))
    if player.start is None or math.isnan(player.start.age):
        return lines
    return tuple(_without_age(lines))


def _without_age(lines: Sequence[Line]) -> Iterator[Line]:
    """The whole calculation but for what an age, or a weight made with one, says."""
    is_said = False
    for line in lines:
        if line.part == "Step 1" and line.name in _BY_AGE:
            if not is_said:
                yield Line("Step 1", "§2", f"What age contributes to the start is {NOT_PUBLIC} it.", "", math.nan)
            is_said = True
        else:
            yield line


def _few_words(lines: Sequence[Line], player: RatedPlayer, veil: Veil) -> Iterator[Line]:
    """What is said where the working is hidden: rules, ratings as shown, results, games, norm."""
    yield from (line for line in lines if line.part == "Rules")
    row = public_row(player, veil)
    if row.before is not None:
        yield _say("Step 1", "§1", f"The pre-event rating is {row.before.text}.")
    else:
        yield _say("Step 1", "§2", "The player was unrated.")
    for game in player.games:
        yield _say("Games", "§1", f"Round {game.round_number}: {RESULTS[game.score]} player {game.opponent}.")
    if row.formula is not None:
        yield _say("Result", "§4", f"The {row.formula} formula applies; the score is S = {row.score:g}.")
        yield _say("Result", "§1", f"The strengths that the section was computed with are {NOT_PUBLIC} them.")
    if row.floor is not None:
        kind, level = player.outcome.floor_kind, row.floor[1]
        yield _say("Result", "§5", f"The {FLOOR_NAMES[kind]} of {level:g} holds the rating up.")
    if row.after is not None:
        yield _say("Result", "§1", f"The rating after the section is {row.after.text}.")
    if row.norm is not None:
        yield _say("Result", "norms", f"A norm was earned: {row.norm}.")
    yield from (line for line in lines if line.part == "Assumed")


def _say(part: str, section: str, text: str) -> Line:
    return Line(part, section, text, "", math.nan)


# crosstable-rated/1.


def veils_of_event(event: RatedEvent) -> dict[tuple[int, RatingSystem], Veil]:
    """The veils of an event that stands alone: nothing is known to be hidden before it."""
    return {(rated.section.number, rated.system): veil_of(rated) for by_system in event.rated for rated in by_system}


def public_document(document: Mapping[str, Any], veils: Mapping[tuple[int, RatingSystem], Veil]) -> dict[str, Any]:
    """The public form of what ``rated_document`` made; ``veils`` by section number and system, all of them."""
    sections = [
        {
            **section,
            "systems": {
                name: {
                    **rated,
                    "players": [
                        _public_object(row, veils[section["number"], RatingSystem[name]]) for row in rated["players"]
                    ],
                }
                for name, rated in section["systems"].items()
            },
        }
        for section in document["sections"]
    ]
    # faults quote what a file says, birth dates included: their codes and places say enough
    faults = [{key: fault[key] for key in ("code", "severity", "place")} for fault in document["faults"]]
    return {**document, "sections": sections, "faults": faults}


def _public_object(row: Mapping[str, Any], veil: Veil) -> dict[str, Any]:
    """One player; where something is hidden, ``pre_between`` and ``post_between`` hold the bounds."""
    found = {**row, "initial": _public_start(row["initial"], veil)}
    if veil.is_clear:
        return found
    found |= dict.fromkeys(_JSON_WORKING)
    found.pop("range", None)
    for name, games, spans in (("pre", "games_before", veil.before), ("post", "games_after", veil.after)):
        seen = shown(row[name], row[games], spans.get(row["number"]), is_clear=False)
        found[name] = None if seen is None else seen.rating
        if seen is not None and seen.between is not None:
            found[f"{name}_between"] = list(seen.between)
    if found["post"] is None:
        found |= {"rounded": None, "floor": None}
        found.pop("floor_requested", None)
    return found


def _public_start(initial: Mapping[str, Any] | None, veil: Veil) -> dict[str, Any] | None:
    if initial is None:
        return None
    names = ("source", "rating", "games", "as_of", "converted") if veil.is_clear else ("source",)
    sources = [{name: source[name] for name in names if name in source} for source in initial["sources"]]
    return {"rating": initial["rating"] if veil.is_clear else None, "games": initial["games"], "sources": sources}


# Postings, ripples, the log.


def public_posting(posting: Posting, hidden: Hidden) -> PublicPosting:
    """A posting as histories show it."""
    before = shown(posting.rating_before, posting.games_before, hidden.before, is_clear=hidden.is_clear)
    after = shown(posting.rating_after, posting.games_after, hidden.after, is_clear=hidden.is_clear)
    if hidden.is_clear:
        return PublicPosting(posting, before, after)
    gone: dict[str, Any] = dict.fromkeys(_WORKING)
    if after is None or after.between is not None:
        gone |= dict.fromkeys(_FLOOR)
    bare = posting._replace(
        rating_before=None if before is None else before.rating,
        rating_after=None if after is None else after.rating,
        **gone,
    )
    return PublicPosting(bare, before, after)


def public_ripple(row: RippleRow, before: Span | None, after: Span | None) -> PublicRipple:
    """A line of a ripple, in whole numbers; ``before`` and ``after`` are the spans of what is hidden.

    A ripple does not say on how many games a rating stands, so nobody counts as established in it.
    """
    old, new = (
        None if seen is None else seen._replace(games=None, is_provisional=False)
        for seen in (
            shown(row.rating_before, 0.0, before, is_clear=False),
            shown(row.rating_after, 0.0, after, is_clear=False),
        )
    )
    change = None
    if old is not None and new is not None and old.rating is not None and new.rating is not None:
        change = new.rating - old.rating
    return PublicRipple(row.run, row.member_id, row.name, row.system, old, new, change, row.sections, row.causes)


def public_act(act: Act) -> PublicAct:
    """An act of the public log."""
    names = _SAID.get(act.kind, ())
    after = act.after if isinstance(act.after, dict) else {}
    # What is only asked for is not so yet, and may be wrong about people: the act that accepts it says what it was.
    is_asked = act.kind is ActKind.CORRECT and bool(after.get("requested"))
    if is_asked:
        names = [name for name in names if name != "differences"]
    said = {name: after[name] for name in names if after.get(name) is not None}
    if isinstance(said.get("sections"), dict):  # by number; the values hold digests
        said["sections"] = sorted(int(number) for number in said["sections"])
    if isinstance(said.get("differences"), list):
        said["differences"] = public_differences(map(str, said["differences"]))
    reason = "" if act.kind in _PERSONAL or is_asked else act.reason
    return PublicAct(
        act.seq, act.at.replace(second=0, microsecond=0), act.kind.value, act.actor, reason, act.subject, said
    )
