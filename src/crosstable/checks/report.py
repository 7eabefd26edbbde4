"""``check``: a report in, checked sections and all faults out.

The report as a whole comes first: ids and dates of the event, and members who stand in it under two names or two ids.
With each section goes who may play a rated match (§7) and whose rating a foreign event updates (§6).
"""

import math
from collections.abc import Callable
from datetime import date

from crosstable.catalogue import TEMPLATES
from crosstable.checks.controls import Timing, timing
from crosstable.checks.findings import SectionPlace, section_number, section_place
from crosstable.checks.games import game_faults, pairing_faults
from crosstable.checks.players import brought, low_rating_faults, player_faults
from crosstable.engine.records import Assumption
from crosstable.errors import Fault, NoEditionError, Severity
from crosstable.faults import Said, fault
from crosstable.formulas.foreign import has_enough_games, is_eligible
from crosstable.formulas.outcome import may_play_match, official_rating
from crosstable.limits import (
    AFFILIATE_ID_DIGITS,
    EARLIEST_BIRTH,
    EVENT_ID_DIGITS,
    LONGEST_SECTION,
    MEMBER_ID_DIGITS,
    MOST_GAMES_OF_A_MATCH,
    MOST_GAMES_OF_A_REPORT,
    MOST_HOURS_OF_PLAY,
)
from crosstable.rules.amending import Edition
from crosstable.rules.editions import EDITIONS, Calendar, edition_by, edition_for
from crosstable.rules.time_controls import parse_time_control
from crosstable.terms import (
    GAME_SCORES,
    NOT_PUBLISHED,
    Background,
    Cell,
    Entry,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
    Result,
    Section,
    SectionType,
    is_of_usa,
)
from crosstable.tuples import NamedTuple


def eligible(
    section: ReportedSection, place: SectionPlace, edition: Edition, when: Timing
) -> tuple[Timing, list[Fault]]:
    """The systems in which a match or a foreign event may be rated, and every fault that the rules make."""
    if section.kind is not SectionType.MATCH:
        return when, _foreign_faults(section, place, edition)
    if len(section.players) != 2:
        return when, [fault("match-players", place.whole, players=len(section.players))]
    faults = _length_faults(section, place, edition)
    if section.match_waiver:
        return when, [*faults, fault("match-waived", place.whole, reason=section.match_waiver)]
    reasons = {system: _reasons(section, system, edition) for system in when.systems}
    left = tuple(system for system in when.systems if not reasons[system])
    for system, found in reasons.items():
        for player, reason in found:
            here, values = place.row(player), {"system": system.name, **reason.values}
            if left:
                why = TEMPLATES[reason.key].say(**values).text
                faults.append(fault("match-system", here, f"The match is not rated in {system.name}. {why}"))
            else:
                faults.append(fault(reason.key, here, **values))
    if left and left != when.systems:
        when = when._replace(systems=left, assumed=(*when.assumed, Assumption.MATCH_SYSTEMS))
    return when, faults


def _length_faults(section: ReportedSection, place: SectionPlace, edition: Edition) -> list[Fault]:
    """Matches of more games than US Chess's rules of 2006 for them know."""
    games = max(sum(cell.result in GAME_SCORES for cell in player.cells) for player in section.players)
    if not edition.constants.match_needs_established or games <= MOST_GAMES_OF_A_MATCH:
        return []
    return [fault("match-long" if games <= MOST_GAMES_OF_A_REPORT else "match-too-long", place.whole, games=games)]


def _reasons(section: ReportedSection, system: RatingSystem, edition: Edition) -> list[tuple[ReportedPlayer, Said]]:
    """Why a match is not rated in a system, player by player (§7; readings 73)."""
    standings = [player.background.standings.get(system) for player in section.players]
    gap = _published(standings[0]) - _published(standings[1])
    reasons = [(player, _why_not(one, gap, edition)) for player, one in zip(section.players, standings, strict=True)]
    return [(player, reason) for player, reason in reasons if reason is not None]


def _published(standing: PlayerRating | None) -> float:
    """The rating of the last list, or what the pre-event rating would be on one: a whole number (readings 80)."""
    if standing is None or standing.published == NOT_PUBLISHED:
        return math.nan
    return float(official_rating(standing.rating if standing.published is None else standing.published))


def _why_not(standing: PlayerRating | None, gap: float, edition: Edition) -> Said | None:
    """Why a player may not play a rated match, or nothing (§7; readings 73)."""
    if standing is None:
        return Said("match-not-eligible:unrated", {})
    if standing.published == NOT_PUBLISHED:
        return Said("match-not-eligible:not-published", {})
    constants = edition.constants
    games = math.inf if standing.games is None else standing.games
    if math.isnan(gap) or may_play_match(constants, games, gap):
        return None
    if math.fabs(gap) > constants.match_published_gap:
        values = {"apart": math.fabs(gap), "most": constants.match_published_gap}
        return Said("match-not-eligible:gap", values)
    values = {"games": games, "established_above": constants.established_above}
    return Said("match-not-eligible:provisional", values)


def _foreign_faults(section: ReportedSection, place: SectionPlace, edition: Edition) -> list[Fault]:
    rated = [player for player in section.players if player.is_rated]
    if not rated:
        return [fault("foreign-nobody", place.whole, "No player is marked to be rated.")]
    faults = []
    for player in rated:
        reason = why_not_abroad(player, edition)
        if reason is not None:
            faults.append(fault(reason.key, place.row(player), **reason.values))
        elif player.has_opted_in and (needed := why_not_abroad(player._replace(has_opted_in=None), edition)):
            _, _, which = needed.key.partition(":")
            faults.append(fault(f"opted-in:{which}", place.row(player), **needed.values))
    return faults


def why_not_abroad(player: ReportedPlayer, edition: Edition) -> Said | None:
    """Why a player's rating is not updated (§6).

    That they are a member, and that their flag is USA, may be unknown to a file and is not held against them; that they
    opted in must be said where they are below the rating from which nobody has to, or under another flag.
    """
    constants = edition.constants
    standing = player.background.standings.get(RatingSystem.OTBR)
    if standing is None:
        return Said("foreign-not-eligible:unrated", {})
    if player.is_member is False:
        return Said("foreign-not-eligible:no-member", {})
    fide = math.nan if player.background.fide is None else player.background.fide.rating
    games = math.inf if standing.games is None else standing.games
    has_flag = is_of_usa(player.fide_flag)
    if is_eligible(constants, games, fide, has_flag, bool(player.has_opted_in)):
        return None
    if not has_enough_games(constants, games):
        values = {"games": games, "established_above": constants.established_above}
        return Said("foreign-not-eligible:provisional", values)
    if not has_flag:
        return Said("foreign-not-eligible:flag", {"flag": player.fide_flag})
    return Said("foreign-not-eligible:not-opted-in", {"automatic_from": constants.foreign_automatic_from})


# From the official edition of a section to the one by which it is rated.
Ruling = Callable[[Edition], Edition]


def officially(edition: Edition) -> Edition:
    """The ruling of everybody who does not ask for a rule set."""
    return edition


class CheckedSection(NamedTuple):
    """A section that may be rated, the edition of its day, and what the report says of it."""

    section: Section
    edition: Edition
    report: ReportedSection


class CheckedEvent(NamedTuple):
    """Every section that may be rated and every fault of the report."""

    report: Report
    sections: tuple[CheckedSection, ...]
    faults: tuple[Fault, ...]

    @property
    def has_errors(self) -> bool:
        """Whether any fault stops the rating."""
        return any(found.severity.stops for found in self.faults)


def check(
    report: Report,
    *,
    today: date | None = None,
    calendar: Calendar = Calendar.LISTED,
    ruled: Ruling = officially,
    is_posted: bool = False,
) -> CheckedEvent:
    """Check a whole report; with ``today`` a section that ends later is a fault.

    ``ruled`` makes of each section's official edition the one by which it is rated; ``is_posted`` says that the results
    are posted, so that the systems named are those of the posted ratings.
    """
    faults = report_faults(report)
    sections: list[CheckedSection] = []
    for at in range(len(report.sections)):
        found, checked = check_section(report, at, today, calendar, ruled, is_posted=is_posted)
        faults += found
        stopping = {Severity.ERROR} if is_posted else {Severity.ERROR, Severity.CONFIRM}
        if checked is not None and not any(f.severity in stopping for f in found):
            sections.append(checked)
    return CheckedEvent(report, tuple(sections), tuple(faults))


def check_section(
    report: Report,
    at: int,
    today: date | None = None,
    calendar: Calendar = Calendar.LISTED,
    ruled: Ruling = officially,
    *,
    is_posted: bool = False,
) -> tuple[list[Fault], CheckedSection | None]:
    """Every fault of one section, and the section as it can be rated where its dates and rules are known."""
    section = report.sections[at]
    place = section_place(section, at)
    here = place.whole
    faults = [*player_faults(section, place), *game_faults(section, place), *pairing_faults(section, place)]
    start, end = section.start or report.start, section.end or report.end
    if start is None or end is None:
        faults += _control_faults_without_dates(section, here, start or end)
        missing = "start" if end is not None else "end" if start is not None else "start and no end"
        remedy = f"Give --{missing} DATE, or write it in the file." if start or end else ""
        return [*faults, fault("no-dates", here, "", remedy, missing=missing)], None
    faults += _date_faults(section, place, start, end, today)
    try:
        edition = ruled(edition_by(calendar, start, end))
    except NoEditionError as error:
        return [*faults, fault("no-rules", here, f"{str(error).capitalize()}.")], None
    if section.is_half_k and not edition.constants.half_k_is_allowed:
        faults.append(fault("half-k", here, start=start))
    faults += low_rating_faults(section, place, edition.constants)
    when, found = timing(section, here, edition, is_posted=is_posted)
    faults += [*found, *_day_faults(section, here, when, (end - start).days + 1)]
    if section.kind.is_foreign or section.kind is SectionType.MATCH:
        from crosstable.checks.report import eligible

        when, found = eligible(section, place, edition, when)
        faults += found
    entries = tuple(
        _entry(section, player, brought(section, player, edition.constants, when))
        for player in section.players
        if player.number is not None
    )
    checked = _section(report, at, when, (start, end), entries)
    return faults, CheckedSection(checked, edition, section)


def _control_faults_without_dates(section: ReportedSection, place: str, known: date | None) -> list[Fault]:
    """Faults of the time control by the rules of the date that is known, or of today's text where none is."""
    is_in_scope = known is not None and known >= EDITIONS[0].effective
    edition = edition_for(known) if known is not None and is_in_scope else EDITIONS[-1]
    return timing(section, place, edition)[1]


def _date_faults(
    section: ReportedSection, place: SectionPlace, start: date, end: date, today: date | None
) -> list[Fault]:
    faults = []
    here = place.whole
    if end < start:
        faults.append(fault("dates-reversed:section", here, start=start, end=end))
    if today is not None and end > today:
        faults.append(fault("in-the-future", here, end=end))
    days = (end - start).days
    if days > LONGEST_SECTION:
        faults.append(fault("long-section", here, start=start, end=end, days=days))
    return [*faults, *birth_faults(section, place, end), *_list_faults(section, place, start, end)]


def _day_faults(section: ReportedSection, place: str, when: Timing, days: int) -> list[Fault]:
    """More hours of play a day than a section can have: twice the fastest control for every game of a player."""
    if when.control is None or days < 1:
        return []
    control = min(map(parse_time_control, section.time_controls), key=lambda one: one.total)
    played = (sum(cell.result in GAME_SCORES for cell in player.cells) for player in section.players)
    rounds = max(played, default=0)
    hours = rounds * 2 * control.total / 60 / days
    if hours <= MOST_HOURS_OF_PLAY:
        return []
    return [fault("long-days", place, rounds=rounds, control=control.text, hours=hours)]


def _list_faults(section: ReportedSection, place: SectionPlace, start: date, end: date) -> list[Fault]:
    """Outside ratings of lists that came out too late: the one in force at the start counts (§2.1; readings 105)."""
    faults = []
    for at, player in enumerate(section.players):
        for federation, outside in (("FIDE", player.background.fide), ("CFC", player.background.cfc)):
            if outside is None or outside.as_of is None or outside.as_of <= start:
                continue
            if outside.as_of > end:
                late = {"federation": federation, "as_of": outside.as_of, "end": end}
                faults.append(fault("list-after-end", place.row(player, at), **late))
            elif federation == "FIDE":
                faults.append(fault("list-after-start", place.row(player, at), as_of=outside.as_of, start=start))
    return faults


def birth_faults(section: ReportedSection, place: SectionPlace, end: date) -> list[Fault]:
    """Birth dates that cannot be, as the players of a section bring them."""
    faults = []
    for at, player in enumerate(section.players):
        born = player.background.birth_date
        if born is not None and born > end:
            faults.append(fault("birth-date", place.row(player, at), number=player.number, born=born))
        elif born is not None and born.year < EARLIEST_BIRTH:
            faults.append(fault("birth-date-early:player", place.row(player, at), number=player.number, born=born))
    return faults


def _section(report: Report, at: int, when: Timing, days: tuple[date, date], entries: tuple[Entry, ...]) -> Section:
    section = report.sections[at]
    return Section(
        number=section_number(section, at),
        name=section.name,
        kind=section.kind,
        is_online=section.is_online,
        time_control=when.control,
        systems=when.systems,
        start=days[0],
        end=days[1],
        entries=entries,
        is_half_k=section.is_half_k,
        is_dual_control=when.is_dual,
        event_id=report.event_id,
    )


def _entry(section: ReportedSection, player: ReportedPlayer, background: Background) -> Entry:
    assert player.number is not None
    cells = tuple(Cell(cell.result or Result.BLANK, cell.opponent, cell.colour) for cell in player.cells)
    is_rated = bool(player.is_rated) if section.kind.is_foreign else True
    said = player.fide_flag, player.has_opted_in
    return Entry(player.number, player.member_id, player.name, cells, is_rated, background, *said)


DIRECTORS = {"chief_td": "chief director", "assistant_td": "assistant director"}


def report_faults(report: Report) -> list[Fault]:
    """Every fault that no section shows by itself."""
    if not report.sections:
        return [fault("no-section", report.place)]
    return [*_number_faults(report), *_event_date_faults(report), *_id_faults(report), *_identity_faults(report)]


def _number_faults(report: Report) -> list[Fault]:
    faults = []
    seen = set()
    for at, section in enumerate(report.sections):
        if section.number is not None and section.number in seen:
            faults.append(fault("duplicate-section", section_place(section, at).whole, number=section.number))
        seen.add(section.number)
    return faults


def _event_date_faults(report: Report) -> list[Fault]:
    """The event's dates among themselves and against its id; sections that take them over report the rest."""
    faults = []
    if report.start is not None and report.end is not None and report.end < report.start:
        if all(section.start and section.end for section in report.sections):
            faults.append(fault("dates-reversed:event", report.place, start=report.start, end=report.end))
    else:
        faults += _outside_faults(report)
    digits = report.event_id
    is_official = _is_number(digits, EVENT_ID_DIGITS)
    if is_official and report.end is not None and not digits.startswith(report.end.isoformat().replace("-", "")):
        faults.append(fault("event-id-date", report.place, given=digits, end=report.end))
    return faults


def _outside_faults(report: Report) -> list[Fault]:
    faults = []
    for at, section in enumerate(report.sections):
        here = section_place(section, at).whole
        if section.start is not None and report.start is not None and section.start < report.start:
            faults.append(fault("section-outside-event:start", here, section=section.start, event=report.start))
        if section.end is not None and report.end is not None and section.end > report.end:
            faults.append(fault("section-outside-event:end", here, section=section.end, event=report.end))
    return faults


def _id_faults(report: Report) -> list[Fault]:
    """Ids of the affiliate and of the directors that cannot be ones (official facts §6)."""
    faults = []
    affiliate = report.details.get("affiliate", "")
    if affiliate and not _is_affiliate(affiliate):
        faults.append(fault("affiliate-id-shape", report.place, given=affiliate))
    for name, who in DIRECTORS.items():
        held = [(report.details.get(name, ""), report.place)]
        held += [(s.details.get(name, ""), section_place(s, at).whole) for at, s in enumerate(report.sections)]
        for text, place in held:
            wrong = [each for each in text.split(",") if each.strip("0") and not _is_number(each, MEMBER_ID_DIGITS)]
            faults += [fault("director-id-shape", place, who=who, given=each) for each in wrong]
    return faults


def _is_affiliate(text: str) -> bool:
    return text[:1].isascii() and text[:1].isalpha() and _is_number(text[1:], AFFILIATE_ID_DIGITS)


def _is_number(text: str, digits: int) -> bool:
    return len(text) == digits and text.isascii() and text.isdigit()


def _identity_faults(report: Report) -> list[Fault]:
    """Names that stand with two ids, and ids that stand with two names, each told at the first row that differs."""
    id_of: dict[str, str] = {}
    name_of: dict[str, tuple[str, str]] = {}
    told: set[str] = set()
    faults = []
    for at, section in enumerate(report.sections):
        for player in section.players:
            name = " ".join(player.name.replace(",", " ").casefold().split())
            if not name or not player.member_id:
                continue
            known_id = id_of.setdefault(name, player.member_id)
            if known_id != player.member_id and name not in told:
                told.add(name)
                here = section_place(section, at).row(player)
                ids = {"member_id": player.member_id, "other_id": known_id}
                faults.append(fault("duplicate-name", here, name=player.name, **ids))
            known_name, as_written = name_of.setdefault(player.member_id, (name, player.name))
            if known_name != name and player.member_id not in told:
                told.add(player.member_id)
                here = section_place(section, at).row(player)
                names = {"name": player.name, "other_name": as_written}
                faults.append(fault("id-with-two-names", here, member_id=player.member_id, **names))
    return faults
