"""The report as a whole: ids and dates of the event, and members who stand in it under two names or two ids."""

from crosstable.checks.places import section_place
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.limits import AFFILIATE_ID_DIGITS, EVENT_ID_DIGITS, MEMBER_ID_DIGITS
from crosstable.terms import Report

DIRECTORS = {"chief_td": "chief director", "assistant_td": "assistant director"}


def report_faults(report: Report) -> list[Fault]:
    """Every fault that no section shows by itself."""
    if not report.sections:
        return [fault("no-section", report.place)]
    return [*_number_faults(report), *_date_faults(report), *_id_faults(report), *_identity_faults(report)]


def _number_faults(report: Report) -> list[Fault]:
    faults = []
    seen = set()
    for at, section in enumerate(report.sections):
        if section.number is not None and section.number in seen:
            faults.append(fault("duplicate-section", section_place(section, at).whole, number=section.number))
        seen.add(section.number)
    return faults


def _date_faults(report: Report) -> list[Fault]:
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
