"""A report, completed, checked and rated: every section in every system it belongs to, with all that was found.

A section with an error is not rated; the others are, unless their ratings follow from it. Dual-rated sections are rated
twice, each time from what the players brought; neither sees the other's result. Ratings that come from a members file
or an office chain: a member's later section starts where the earlier one ended.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack

from crosstable.checks import CheckedSection
from crosstable.checks.findings import Accepted, accept, section_number, section_place
from crosstable.checks.plausibility import plausibility
from crosstable.checks.players import NOT_YET, entry_faults, membership_faults, odd_ones_out
from crosstable.checks.report import check_section, officially, report_faults
from crosstable.engine import RatedPlayer, RatedSection
from crosstable.engine import rate as rate_section
from crosstable.engine.rating import Replay, rate_systems, rated_field
from crosstable.engine.records import Assumption
from crosstable.engine.starts import competitors
from crosstable.errors import Fault, UnsupportedEditionError
from crosstable.faults import fault
from crosstable.formulas.outcome import fewest_established
from crosstable.pipeline.reading import (
    after_round,
    all_unrated,
    chosen,
    completed,
    has_game,
    is_settled,
    members_faults,
    missing_ratings,
    ratings_not_given,
    section_of,
    unknown_sections,
    unrated_in_a_system,
    unused,
    with_members,
    with_outside,
    with_pairing_ratings,
)
from crosstable.pipeline.results import SectionResult, accepted_objects, fault_objects, rules_of, section_result
from crosstable.remedies import Reader, for_reader
from crosstable.rules.amending import Edition
from crosstable.rules.editions import LAW_SEEN_THROUGH, Calendar
from crosstable.sentences import sentence_of
from crosstable.terms import RatingSystem, Report, ReportedPlayer, ReportedSection, Section
from crosstable.tuples import NamedTuple

if TYPE_CHECKING:
    from polars import DataFrame

    from crosstable.formats.members import MemberDetails, MemberSource
    from crosstable.rules.rule_sets import RuleSet

FORMAT = "crosstable-rated/1"
# A range narrower than this is no range.
NARROW = 0.005
Ranges = Mapping[tuple[int, RatingSystem, int], tuple[float, float]]
NO_RANGES: Ranges = {}


class RatingSource(Protocol):
    """Where ratings come from when not from the file: an office's record."""

    chained: frozenset[str]
    # whose sections wait for an earlier one that has errors
    waiting: frozenset[str]

    def filled(self, report: Report) -> Report:
        """The report whose players bring what the source knows of them, not what the file says."""

    def faults(
        self, report: Report, at: int, checked: CheckedSection | None, found: Sequence[Fault]
    ) -> Sequence[Fault]:
        """The findings about a section of the filled report: what may be told of ``found``, and the source's own."""


class Options(TypedDict, total=False):
    """How a report is rated. All are optional.

    ``members``: members files and rating lists, a later one wins. ``control``, ``start``, ``end`` complete sections
    that have none, or replace theirs with ``override``. ``sections`` and ``exclude`` choose sections by number.
    ``pairing_ratings`` takes the pairing rating where nothing else is known. ``after_round`` rates the event as it
    stood then. ``accept`` holds a reason for each code of a finding that is accepted. ``calendar`` and ``rules`` pick
    the rules, ``today`` is the day by which a section is over (default: the day by the clock in UTC), ``ranges`` says
    whether results are computed again where an assumption may change them, ``entry_lists`` whether a section without a
    game is an entry list and no error, ``reader`` for whom remedies are written.
    """

    members: Sequence["MemberSource"]
    control: str
    start: date | None
    end: date | None
    override: bool
    sections: Collection[int]
    exclude: Collection[int]
    pairing_ratings: bool
    after_round: int | None
    accept: Mapping[str, str]
    calendar: Calendar
    rules: "RuleSet | None"
    today: date | None
    ranges: bool
    entry_lists: bool
    reader: Reader
    source: RatingSource | None


class ExaminedSection(NamedTuple):
    """A section as it was checked and rated: ``rated`` has an entry for each system, none where an error stands.

    ``confirmed`` are the codes that somebody accepted, so that findings to confirm do not stop the section.
    """

    number: int
    report: ReportedSection
    checked: CheckedSection | None
    rated: tuple[RatedSection, ...]
    faults: tuple[Fault, ...]
    confirmed: frozenset[str] = frozenset()

    @property
    def has_errors(self) -> bool:
        """Whether a finding keeps the section from being rated."""
        return any(found.severity.stops and found.code not in self.confirmed for found in self.faults)


class RatedEvent(NamedTuple):
    """A rated event. ``sections`` has the results, ``faults`` every finding.

    ``examined`` has an entry for each section: its findings, and in its field ``rated`` the calculation in each system.
    ``general`` has the findings about the whole report, ``accepted`` the findings that were accepted. ``ranges`` has
    the lowest and the highest result, by section, system and player, if an assumption can change it. ``details`` has
    what members files say about members besides their ratings. ``is_refused`` means that no section was rated, because
    of an error in the whole report.
    """

    report: Report
    examined: tuple[ExaminedSection, ...]
    general: tuple[Fault, ...] = ()
    ranges: Ranges = NO_RANGES
    accepted: tuple[Accepted, ...] = ()
    rules: "RuleSet | None" = None
    details: Mapping[str, "MemberDetails"] = {}

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every finding: about the whole report first, then section by section."""
        return (*self.general, *(found for section in self.examined for found in section.faults))

    @property
    def has_errors(self) -> bool:
        """Whether any section, or the whole report, could not be rated."""
        return _has_errors(self.faults)

    @property
    def is_refused(self) -> bool:
        """Whether an error of the whole report kept every section from being rated."""
        return _has_errors(self.general)

    @property
    def rated(self) -> tuple[tuple[RatedSection, ...], ...]:
        """The sections that were rated, each in all its systems, with the working of every step."""
        return tuple(section.rated for section in self.examined if section.rated)

    @property
    def sections(self) -> tuple[SectionResult, ...]:
        """The results of the sections that were rated."""
        return tuple(section_result(by_system, self.ranges) for by_system in self.rated)

    def to_dict(self) -> dict[str, Any]:
        """The document ``crosstable-rated/1``: the sections that could be rated, and every finding."""
        return {
            "format": FORMAT,
            "event": self.report.event_id,
            "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
            "sections": [section.to_dict() for section in self.sections],
            "faults": fault_objects(self.faults),
            **({"accepted": accepted_objects(self.accepted)} if self.accepted else {}),
            **rules_of(self.rules),
        }

    def to_frame(self) -> "DataFrame":
        """The results as a Polars frame, a row for each player in each system of each section."""
        from crosstable.pipeline.frames import frame_of

        return frame_of(self.sections)


def rate(report: Report, **options: Unpack[Options]) -> RatedEvent:
    """Complete, check and rate a report; whatever is wrong is a finding with its place and remedy."""
    return _Examination(report, options).done()


def unreadable(name: str, found: Fault, reader: Reader = Reader.COMMAND) -> RatedEvent:
    """The event of a file that could not be read: nothing but the finding that says why."""
    return RatedEvent(Report("", "", None, None, (), name), (), for_reader((found,), reader))


def _has_errors(faults: Iterable[Fault]) -> bool:
    return any(found.severity.stops for found in faults)


class _Examination:
    """One report on its way: completed, then checked section by section, then rated in the order of the replay."""

    def __init__(self, report: Report, options: Options) -> None:
        self.options = options
        self.general: list[Fault] = []
        self.of_section: dict[str, list[Fault]] = {section.place: [] for section in report.sections}
        for found in report.faults:
            if is_settled(found, options.get("start"), options.get("end")):
                continue
            place = section_of(report, found)
            (self.general if place is None else self.of_section[place]).append(found)
        # Whose ratings follow from section to section; an office rates what is sound at once and the rest later,
        # so only ratings from members files make a section wait for another.
        self.chained: frozenset[str] = frozenset()
        self.waiting: frozenset[str] = frozenset()
        self.names: dict[str, str] = {}
        self.details: dict[str, MemberDetails] = {}
        self.report = self._completed(report)
        self.until = {one: known.member_until for one, known in self.details.items() if known.member_until}
        is_none_chosen = any(one.code == "no-such-section" for one in self.general)
        self.general += [one for one in report_faults(self.report) if not (is_none_chosen and one.code == "no-section")]
        self.replay = Replay[str]()
        self.ranges: dict[tuple[int, RatingSystem, int], tuple[float, float]] = {}

    def _completed(self, report: Report) -> Report:
        options = self.options
        wanted, unwanted = options.get("sections", ()), options.get("exclude", ())
        self.general += unknown_sections(report, {*wanted, *unwanted})
        report = chosen(report, wanted, unwanted)
        source = options.get("source")
        if source is not None:
            self.chained, self.waiting = source.chained, source.waiting
            report = source.filled(report)
        for listed in options.get("members", ()):
            if listed.federation:
                report = self._with_outside(report, listed)
                continue
            members = listed.of({player.member_id for section in report.sections for player in section.players})
            self.details |= members.details
            report = with_members(report, members.backgrounds, f"members file {members.name}")
            self.chained |= frozenset(members.backgrounds)
            self.waiting |= frozenset(members.backgrounds)
            self.general += members.faults
            self.names |= members.names
        if options.get("after_round") is not None:
            report = after_round(report, options["after_round"] or 0)
        control, override = options.get("control", ""), options.get("override", False)
        for at, section in enumerate(report.sections if not override else ()):
            self.of_section[section.place] += unused(report, at, control, options.get("start"), options.get("end"))
        return completed(report, control, options.get("start"), options.get("end"), override=override)

    def _with_outside(self, report: Report, listed: "MemberSource") -> Report:
        """The report with the ratings of FIDE's or Canada's list, by the ids of the file or of the members files."""
        field = f"{listed.federation.lower()}_id"

        def outside_id(player: ReportedPlayer) -> str:
            known = self.details.get(player.member_id)
            return player.details.get(field, "") or ("" if known is None else str(getattr(known, field)))

        ids = {outside_id(player) for section in report.sections for player in section.players}
        members = listed.of(ids - {""})
        self.general += members.faults
        return with_outside(report, members.backgrounds, outside_id)

    def done(self) -> RatedEvent:
        """The whole event."""
        found = [self._checked(at) for at in range(len(self.report.sections))]
        if not _has_errors(self.general):
            for at in sorted(range(len(found)), key=lambda at: _order(found[at])):
                found[at] = self._rated(found[at], found)
        rules = self.options.get("rules")
        event = RatedEvent(self.report, tuple(found), tuple(self.general), self.ranges, (), rules, self.details)
        return _accepted(event, self.options.get("accept", {}), self.options.get("reader", Reader.COMMAND))

    def _checked(self, at: int) -> ExaminedSection:
        section, rules = self.report.sections[at], self.options.get("rules")
        today = self.options["today"] if "today" in self.options else datetime.now(tz=UTC).date()
        calendar = self.options.get("calendar", Calendar.LISTED)
        ruled = officially if rules is None else rules.edition
        found, checked = check_section(self.report, at, today, calendar, ruled)
        source = self.options.get("source")
        told = found if source is None else source.faults(self.report, at, checked, found)
        faults = [*self.of_section.get(section.place, ()), *told]
        number = section_number(section, at)
        if section.players and not has_game(section):
            faults += self._entries(at) if self._reads_entries() else [fault("no-game", f"section {number}")]
            faults = [found for found in faults if found.code not in NOT_YET or not self._reads_entries()]
            return ExaminedSection(number, section, None, (), tuple(faults))
        if self._has_members():
            faults += members_faults(self.report, at, self.names, self.waiting)
        elif source is None:
            takes_fide = self.options.get("pairing_ratings", False)
            faults += ratings_not_given(self.report, at, takes_fide=takes_fide) or all_unrated(self.report, at)
            faults += unrated_in_a_system(section, checked, f"section {number}")
        if source is None:
            faults += self._person_faults(at)
        if not self.options.get("pairing_ratings"):
            faults += missing_ratings(section, checked, f"section {number}")
        elif checked is not None:
            checked = with_pairing_ratings(checked)
        return ExaminedSection(number, section, checked, (), tuple(faults), frozenset(self.options.get("accept", {})))

    def _has_members(self) -> bool:
        """Whether a file says who the members are; a list of another federation does not."""
        return any(not listed.federation for listed in self.options.get("members", ()))

    def _person_faults(self, at: int) -> list[Fault]:
        """Memberships that ended too early, and players who differ from everybody else."""
        section, place = self.report.sections[at], section_place(self.report.sections[at], at)
        return [*membership_faults(section, place, self.until, self._end(at)), *odd_ones_out(section, place)]

    def _entries(self, at: int) -> list[Fault]:
        """What a section without a game shows as an entry list; beside played sections only that it is one."""
        section = self.report.sections[at]
        place = f"section {section_number(section, at)}"
        found = [fault("entry-list", place)]
        if any(map(has_game, self.report.sections)) or self.options.get("source") is not None:
            return found
        found += [*all_unrated(self.report, at), *entry_faults(self.report, at), *self._person_faults(at)]
        if self._has_members():
            found += members_faults(self.report, at, self.names, self.waiting, are_entries=True)
        is_member = {player.member_id for player in section.players} & self.until.keys()
        return [*found, fault("memberships-not-checked", place)] if is_member and not self._end(at) else found

    def _end(self, at: int) -> date | None:
        return self.report.sections[at].end or self.report.end

    def _reads_entries(self) -> bool:
        """Whether a section without a game is an entry list: where it is asked for, or beside played sections."""
        return self.options.get("entry_lists", False) or any(map(has_game, self.report.sections))

    def _rated(self, section: ExaminedSection, all_of: Sequence[ExaminedSection]) -> ExaminedSection:
        if section.checked is None or section.has_errors:
            return section
        place = f"section {section.number}"
        if waits := self._waits_for(section, all_of):
            message = f"Ratings of this section follow from section {waits}, which has errors."
            return section._replace(faults=(*section.faults, fault("waits-for-section", place, message)))
        checked = self._with_latest(section.checked)
        try:
            rated, ranges = _rated_lately(checked, ranges=self.options.get("ranges", True))
        except UnsupportedEditionError as error:
            found = fault("rule-not-found", place, sentence_of(error))
            return section._replace(faults=(*section.faults, found))
        self.ranges.update(ranges)
        self.replay.carry(rated, lambda member: member if member in self.chained else None)
        shown = [found for by_system in rated for found in plausibility(by_system, section.report)]
        return section._replace(checked=checked, rated=rated, faults=(*section.faults, *shown))

    def _waits_for(self, section: ExaminedSection, all_of: Sequence[ExaminedSection]) -> int | None:
        """An earlier section with errors in which somebody of a members file plays too."""
        own = self.waiting & _members(section)
        for other in all_of:
            if other is not section and other.has_errors and own & _members(other) and _order(other) <= _order(section):
                return other.number
        return None

    def _with_latest(self, checked: CheckedSection) -> CheckedSection:
        """The section with what its chained members now have."""
        if not self.replay.records:
            return checked
        latest = {
            entry.number: entry.background._replace(
                standings={**entry.background.standings, **self.replay.of(entry.member_id)}
            )
            for entry in checked.section.entries
        }
        return checked._replace(section=checked.section.with_backgrounds(latest))


def _members(section: ExaminedSection) -> set[str]:
    return {player.member_id for player in section.report.players if player.member_id}


def _order(section: ExaminedSection) -> tuple[date, date, int]:
    """The place of a section in the replay; one without dates may have come first."""
    if section.checked is None:
        return date.min, date.min, section.number
    return section.checked.section.end, section.checked.section.start, section.number


def _accepted(event: RatedEvent, reasons: Mapping[str, str], reader: Reader) -> RatedEvent:
    """The event without the warnings that were accepted, and remedies for whoever reads the others."""
    kept: list[Accepted] = []

    def left(faults: Iterable[Fault]) -> tuple[Fault, ...]:
        others, taken = accept(faults, reasons)
        kept.extend(taken)
        return for_reader(others, reader)

    general = left(event.general)
    examined = tuple(section._replace(faults=left(section.faults)) for section in event.examined)
    return event._replace(general=general, examined=examined, accepted=tuple(kept))


Bounds = dict[tuple[int, RatingSystem, int], tuple[float, float]]
# Sections of the last requests: whoever edits a draft changes one of many.
_LATELY: list[tuple[CheckedSection, bool, tuple[RatedSection, ...], Bounds]] = []
MOST_REMEMBERED = 24
_Entry = TypeVar("_Entry")


def remember(kept: list[_Entry], entry: _Entry) -> None:
    """Put an entry at the end of a short list, from which the one that was used longest ago goes."""
    kept[:] = [*(one for one in kept if one is not entry), entry][-MOST_REMEMBERED:]


def _rated_lately(checked: CheckedSection, *, ranges: bool) -> tuple[tuple[RatedSection, ...], Bounds]:
    """A section in its systems with what its results may be; one that was rated just now is not rated again."""
    for entry in reversed(tuple(_LATELY)):
        known, has_ranges, rated, found = entry
        if has_ranges is ranges and known == checked:
            remember(_LATELY, entry)
            return rated, found
    rated, found = tuple(rate_systems(checked.section, checked.edition)), {}
    for by_system in rated if ranges else ():
        found.update(_ranges(checked, by_system))
    remember(_LATELY, (checked, ranges, rated, found))
    return rated, found


def _ranges(section: CheckedSection, rated: RatedSection) -> Bounds:
    """What results may be where a count or an age is not known: the other case rated too, and both together."""
    ages = {player.number for player in rated.players if Assumption.NOT_ADULT in player.assumed}
    counts = {player.number for player in rated.players if Assumption.GAMES in player.assumed}
    cases = [(ages, set[int]()), (set[int](), counts), (ages, counts)] if ages and counts else [(ages, counts)]
    if not ages and not counts:
        return {}
    results = {player.number: [_result(player)] for player in rated.players if player.games}
    for adults, established in cases:
        otherwise = _otherwise(section, rated.system, adults, established)
        for number, rating in _ratings(otherwise, rated.system, section.edition):
            results[number].append(rating)
    return {
        (section.section.number, rated.system, number): (min(values), max(values))
        for number, values in results.items()
        if max(values) - min(values) > NARROW
    }


def _ratings(section: Section, system: RatingSystem, edition: Edition) -> list[tuple[int, float]]:
    """The numbers of all who played and what they have afterwards, without a record of every row where that will do."""
    if section.kind.is_foreign:
        players = rate_section(section, system, edition).players
        return [(player.number, _result(player)) for player in players if player.games]
    who = competitors(section)
    finals = rated_field(section, system, who, edition).finals
    return [(row.number, final) for one, final in zip(who, finals, strict=True) if one.sides for row in one.entries]


def _result(player: RatedPlayer) -> float:
    assert player.after is not None
    return player.after.rating


def _otherwise(section: CheckedSection, system: RatingSystem, adults: set[int], established: set[int]) -> Section:
    """The other case of each assumption: an adult after all, an established rating on as few games as can be."""
    fewest = fewest_established(section.edition.constants)
    changed = section.section.backgrounds
    for number in adults:
        changed[number] = changed[number]._replace(adult=True)
    for number in established:
        record = changed[number].standings[system]._replace(games=fewest)
        changed[number] = changed[number]._replace(standings={**changed[number].standings, system: record})
    return section.section.with_backgrounds(changed)
