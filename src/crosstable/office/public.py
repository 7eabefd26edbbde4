"""What may leave the office: what a federation posts, and the working of every section.

Posted ratings are whole numbers for the public, or have two places where the office shows decimals. Never public are
birth dates, ages, contacts, and the numbers of a start by age. The same forms serve pages, files and the command line.

Hashes stay inside as well: who knows all of a row but a birth date could try every day until the hash fits.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.errors import OfficeError
from crosstable.explanation import Line
from crosstable.explanation.lines import has_age_start, public_working, started_by_age
from crosstable.explanation.lines import public_lines as lines_for_everybody
from crosstable.formulas.outcome import Level, official_rating
from crosstable.office.comparing import public_differences
from crosstable.office.ledger.backgrounds import postings_of_member
from crosstable.office.ledger.facts import Heading, Record
from crosstable.office.ledger.journal import EntryKind, JournalEntry, act_of
from crosstable.office.ledger.postings import Posting
from crosstable.office.settings import UNCERTAINTY, WHOLE, half_up, is_on, public_places
from crosstable.office.titles import Title, titles_of
from crosstable.office.views import KnownOn, StoredChange, history, known, log, member_view, rated_section, ripple
from crosstable.pipeline.rating import RatedEvent
from crosstable.rules.editions import EDITIONS
from crosstable.terms import FloorKind, Formula, PlayerRating, RatingSystem, Source

UNRATED = "Unrated"
ESTABLISHED_ABOVE = EDITIONS[-1].constants.established_above
# What an act of each kind says after it that the public may read; never a digest.
_SAID: Mapping[EntryKind, Sequence[str]] = {
    EntryKind.FOUNDED: ("name",),
    EntryKind.MEMBERS: ("new", "changed", "opened"),
    EntryKind.OPENING: ("opened",),
    EntryKind.MERGE: ("member", "into"),
    EntryKind.UNMERGE: ("member", "into"),
    EntryKind.SUBMIT: ("event", "sections"),
    EntryKind.IMPORT: ("events", "sections"),
    EntryKind.CONFIRM: ("sections", "withdrawn", "differences"),
    EntryKind.CORRECT: ("event", "differences", "requested"),
    EntryKind.WITHDRAW: ("sections",),
    EntryKind.DECIDE: ("kind", "system", "effective", "value", "event_id", "section"),
    EntryKind.RATE: ("engine", "sections", "postings"),
    EntryKind.PUBLISH: ("month", "basis", "cut_off", "rows"),
    EntryKind.SETTINGS: (
        *("public_decimals", "uncertainty", "memberships", "name", "contact", "color", "clock_days", "consent"),
    ),
    EntryKind.UPGRADE: ("from", "to"),
    EntryKind.CLOCK: ("clock", "last"),
}
# Reasons of these acts are about persons: a corrected birth date stands in them.
_PERSONAL = frozenset({EntryKind.MEMBERS, EntryKind.OPENING, EntryKind.ERASE})


class Shown(NamedTuple):
    """A rating as it is shown, on so many games (``None``: not known), printed to so many places."""

    rating: float
    games: float | None
    is_provisional: bool = False
    places: int = WHOLE

    @property
    def text(self) -> str:
        """As crosstables print it: ``1641P17``, ``1794`` (official facts §4)."""
        figure = f"{self.rating:.{self.places}f}" if self.places else str(official_rating(self.rating))
        return f"{figure}P{self.games:g}" if self.is_provisional and self.games is not None else figure


class PublicRow(NamedTuple):
    """A player's result in a section; ``working`` has the numbers of the last pass where there was one."""

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
    working: Mapping[str, float]


class PublicPosting(NamedTuple):
    """A posting with its ratings as they are shown; the rest of it is the office's."""

    posting: Posting
    before: Shown | None
    after: Shown | None


class PublicEntry(NamedTuple):
    """A journal entry as the public log has it: to the minute, without hashes and without what is said of a person."""

    seq: int
    at: datetime
    kind: str
    actor: str
    reason: str
    subject: str
    said: Mapping[str, Any]
    approved_by: str = ""


class PublicChange(NamedTuple):
    """A rating change of a run."""

    run: int
    member_id: str
    name: str
    system: RatingSystem
    before: Shown | None
    after: Shown | None
    change: float | None
    sections: tuple[tuple[str, int], ...]
    causes: tuple[int, ...]


def shown(rating: float | None, games: float | None, places: int | None = WHOLE) -> Shown | None:
    """A rating to so many places (``None``: in full, for those who may see everything); nothing for no rating."""
    if rating is None:
        return None
    is_provisional = games is not None and games <= ESTABLISHED_ABOVE
    if places is None:
        return Shown(rating, games, is_provisional)
    return Shown(half_up(rating, places), games, is_provisional, places)


def _standing(standing: PlayerRating | None, places: int | None) -> Shown | None:
    return None if standing is None else shown(standing.rating, standing.games, places)


# Sections and their players.


def public_rows(rated: RatedSection, places: int | None = WHOLE) -> tuple[PublicRow, ...]:
    """Every row of a rated section; ``places`` is ``None`` for those who may see everything."""
    return tuple(_row(rated, player, places) for player in rated.players)


def _row(rated: RatedSection, player: RatedPlayer, places: int | None) -> PublicRow:
    has_played = player.formula is not Formula.NONE
    outcome = player.outcome
    has_floor = has_played and outcome.floor_kind is not FloorKind.NONE
    return PublicRow(
        number=player.number,
        merged_with=player.merged_with,
        member_id=player.member_id,
        name=player.name,
        before=_standing(player.before, places),
        after=_standing(player.after, places),
        formula=player.formula.name.lower() if has_played else None,
        played=player.played,
        score=player.score,
        floor=(outcome.floor_kind.name.lower(), outcome.floor_level) if has_floor else None,
        norm=player.norm,
        assumed=tuple(str(note) for note in player.assumed),
        working=_working(player) if places is None else public_working(rated, player),
    )


def _working(player: RatedPlayer) -> dict[str, float]:
    """The numbers of the last pass in full."""
    if player.formula is Formula.NONE:
        return {}
    if player.formula is Formula.SPECIAL:
        return {"effective_games": player.effective}
    final = player.final
    return {"effective_games": player.effective, "k": final.k, "expected": final.expected, "bonus": final.bonus}


def public_lines(rated: RatedSection, number: int, places: int = WHOLE) -> tuple[Line, ...]:
    """The calculation of one player as anybody may read it; raises ``KeyError`` if there is no such number."""
    return lines_for_everybody(rated, number, decimals=places > WHOLE)


# crosstable-rated/1.


def public_document(document: Mapping[str, Any], event: RatedEvent, places: int = WHOLE) -> dict[str, Any]:
    """The public form of the document of a rated event."""
    by_place = {(rated.section.number, rated.system.name): rated for some in event.rated for rated in some}
    sections = [
        {
            **section,
            "systems": {
                name: {
                    **found,
                    "players": _public_players(found["players"], by_place[section["number"], name], places),
                }
                for name, found in section["systems"].items()
            },
        }
        for section in document["sections"]
    ]
    # faults quote what a file says, birth dates included: their codes and places say enough
    faults = [{key: fault[key] for key in ("code", "severity", "place")} for fault in document["faults"]]
    return {**document, "sections": sections, "faults": faults}


def _public_players(rows: Sequence[Mapping[str, Any]], rated: RatedSection, places: int) -> list[dict[str, Any]]:
    """The rows of a section; where somebody started by age, what an assumption might change would tell the start."""
    has_ranges = not has_age_start(rated)
    found = []
    for row, player in zip(rows, rated.players, strict=True):
        shown = {**row, "initial": _public_start(row["initial"], places, is_by_age=started_by_age(rated, player))}
        for name in ("pre", "post"):
            shown[name] = None if row[name] is None else half_up(row[name], places)
        working = public_working(rated, player)
        shown |= {name: working.get(name) for name in ("effective_games", "k", "expected", "bonus")}
        if "range" in shown:
            shown["range"] = [half_up(end, places) for end in row["range"]] if has_ranges else None
        found.append({name: value for name, value in shown.items() if name != "range" or value is not None})
    return found


def _public_start(initial: Mapping[str, Any] | None, places: int, *, is_by_age: bool) -> dict[str, Any] | None:
    """A start: where age counted only what else it was made of, without their weights."""
    if initial is None:
        return None
    names = ("source", "rating", "games", "as_of", "converted")
    sources = [
        {name: _source_value(source[name], places) for name in names if name in source} for source in initial["sources"]
    ]
    by_age_alone = [source["source"] for source in sources] == [Source.AGE.name]
    rating = None if is_by_age or by_age_alone else half_up(initial["rating"], places)
    return {"rating": rating, "games": initial["games"], "sources": sources}


def _source_value(value: object, places: int) -> object:
    return half_up(value, places) if isinstance(value, float) else value


# Postings, ripples, the log.


def public_posting(posting: Posting, places: int = WHOLE) -> PublicPosting:
    """A posting as histories show it."""
    before = shown(posting.rating_before, posting.games_before, places)
    return PublicPosting(posting, before, shown(posting.rating_after, posting.games_after, places))


def public_ripple(row: StoredChange, places: int = WHOLE) -> PublicChange:
    """A line of a ripple; it does not say on how many games a rating stands."""
    old, new = shown(row.rating_before, None, places), shown(row.rating_after, None, places)
    change = None if old is None or new is None else half_up(new.rating - old.rating, places)
    return PublicChange(row.run, row.member_id, row.name, row.system, old, new, change, row.sections, row.causes)


def public_act(act: JournalEntry) -> PublicEntry:
    """An act of the public log."""
    names = _SAID.get(act.kind, ())
    after = act.after if isinstance(act.after, dict) else {}
    # What is only asked for is not so yet, and may be wrong about people: the act that accepts it says what it was.
    is_asked = act.kind is EntryKind.CORRECT and bool(after.get("requested"))
    if is_asked:
        names = [name for name in names if name != "differences"]
    said = {name: after[name] for name in names if after.get(name) is not None}
    if isinstance(said.get("sections"), dict):  # by number; the values hold digests
        said["sections"] = sorted(int(number) for number in said["sections"])
    if isinstance(said.get("differences"), list):
        said["differences"] = public_differences(map(str, said["differences"]))
    reason = "" if act.kind in _PERSONAL or is_asked else act.reason
    at, kind = act.at.replace(second=0, microsecond=0), act.kind.value
    return PublicEntry(act.seq, at, kind, act.author, reason, act.subject, said, act.approved_by)


class PublicSystem(NamedTuple):
    """A member in one system: the live rating, and the one of the newest list with its month."""

    system: RatingSystem
    live: Shown
    official: Shown | None
    month: str | None
    floor: Level | None = None


class PublicMember(NamedTuple):
    """A member without anything that only the office needs to know."""

    member_id: str
    other_ids: tuple[str, ...]
    name: str
    state: str
    fide_id: str
    systems: tuple[PublicSystem, ...]
    titles: tuple[Title, ...]


class PublicHistoryLine(NamedTuple):
    """One posting of a member with the names of its event and section."""

    posting: PublicPosting
    event_name: str
    section_name: str


class PublicSection(NamedTuple):
    """A section in one system."""

    event_id: str
    number: int
    name: str
    system: RatingSystem
    edition: str
    rows: tuple[PublicRow, ...]


class PublicOffice:
    """What anybody may ask of an office, as known now or on a past day.

    ``record`` is the record as the newest run knew it, ``places`` how many decimals of a rating are public;
    ``has_uncertainty`` says whether the ± of Regular ratings is.
    """

    def __init__(self, connection: Connection, known_on: KnownOn = None) -> None:
        self._connection = connection
        self._known_on = known_on
        self._newest, self.run = known(connection, known_on)
        self.record = Record(connection, self.run)
        self.places = public_places(connection, self._newest.through)
        self.has_uncertainty = is_on(connection, UNCERTAINTY, self._newest.through)

    def member(self, member_id: str) -> PublicMember:
        """A member and their ratings."""
        view = member_view(self._connection, member_id, self._known_on)
        systems = []
        for one in view.systems:
            live = self._posting(one.last).after
            assert live is not None
            official = None if one.official is None else shown(float(one.official.rating), one.official.games)
            floor = None if one.floor.kind is FloorKind.NONE else one.floor
            systems.append(PublicSystem(one.system, live, official, one.official and one.official.month, floor))
        person = view.person
        titles = tuple(titles_of(self._connection, member_id, self._known_on))
        return PublicMember(
            view.member_id, view.other_ids, person.name, person.state, person.fide_id, tuple(systems), titles
        )

    def history(self, member_id: str) -> list[PublicHistoryLine]:
        """Everything that moved a member's ratings."""
        return [
            PublicHistoryLine(self._posting(line.posting), line.event_name, line.section_name)
            for line in history(self._connection, member_id, self._known_on)
        ]

    def postings(self, member_id: str) -> list[PublicPosting]:
        """The same without names, for who knows them already."""
        root = self._newest.one_id(member_id)
        return [self._posting(posting) for posting in postings_of_member(self._connection, root, self.run)]

    def _posting(self, posting: Posting) -> PublicPosting:
        return public_posting(posting, self.places)

    def rated(self, heading: Heading) -> tuple[RatedSection, ...]:
        """A section as it is rated, in each of its systems."""
        return rated_section(self.record, self.run, heading)

    def section(self, event_id: str, number: int) -> list[PublicSection]:
        """A section, in each system that it is rated in."""
        heading = self.record.heading(event_id, number)
        if heading is None:
            raise OfficeError(f"event {event_id} has no section {number}")
        return [
            PublicSection(
                event_id, number, heading.name, rated.system, rated.edition.name, public_rows(rated, self.places)
            )
            for rated in self.rated(heading)
        ]

    def explain(self, event_id: str, number: int, player: int) -> dict[RatingSystem, tuple[Line, ...]]:
        """The calculation of one row of a section, in each system; raises ``KeyError`` where there is no such row."""
        heading = self.record.heading(event_id, number)
        rated = () if heading is None else self.rated(heading)
        if not rated:
            raise OfficeError(f"event {event_id} has no rated section {number}")
        return {one.system: public_lines(one, player, self.places) for one in rated}

    def log(self) -> list[PublicEntry]:
        """The acts of the office, oldest first."""
        return [public_act(act) for act in log(self._connection, self._known_on)]

    def acts(self, numbers: Iterable[int]) -> list[PublicEntry]:
        """Some journal entries, oldest first."""
        found = (act_of(self._connection, number) for number in sorted(numbers))
        return [public_act(act) for act in found if act is not None]

    def ripple(self, run: int) -> list[PublicChange]:
        """What a run did to whom."""
        return [public_ripple(row, self.places) for row in ripple(self._connection, run)]
