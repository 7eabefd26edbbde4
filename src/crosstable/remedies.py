"""Remedies that name what their reader can do: an option of the command, a field of the form, a parameter.

The catalogue's remedies are for whoever types commands. Where a page, a program that calls the API or a program that
calls the library has another way to do the same, it stands here. A test holds that no remedy for them names an option.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from crosstable.errors import Fault


class Reader(StrEnum):
    """Who reads a finding."""

    COMMAND = "command"
    PAGE = "page"
    DRAFT = "draft"
    API = "api"
    LIBRARY = "library"


_PAGE, _DRAFT, _API, _LIBRARY = Reader.PAGE, Reader.DRAFT, Reader.API, Reader.LIBRARY
_DAY = "Choose the day here, or write it in the line of the section."
_CONTROL = "Choose the time control here, or write it in the line of the section, like G/60;d5."
_PAIRING = "to take these with everything else assumed"
_FROM_FIDE = "to start all of them from FIDE ratings"
_UNRATED = "write unrated for those who have none"
_NOT_ALONE = "Send the file of the event; ratings alone are not rated."
_EVERYBODY = (_PAGE, _API, _LIBRARY)
REMEDIES: Mapping[str, Mapping[Reader, str]] = {
    "rating-not-known": {
        _PAGE: f"Send an event file with their ratings, or tick “Take pairing ratings” {_PAIRING}.",
        _DRAFT: f"Write the ratings into the crosstable, or choose “Take the file's pairing ratings” {_PAIRING}.",
        _API: f"Send an event file with their ratings, or pairing=true {_PAIRING}.",
        _LIBRARY: f"Give members=FILE with their ratings, or pairing_ratings=True {_PAIRING}.",
    },
    "not-used": {
        _PAGE: "Take the time control and dates out of the file, or leave the form empty.",
        _API: "Add override=true to replace what the file says.",
        _LIBRARY: "Add override=True to replace what the file says.",
    },
    **{
        f"{which}-not-read": {
            _PAGE: f"Write it as YYYY-MM-DD in the file, or give the {which} date in the form.",
            _DRAFT: _DAY,
            _API: f"Write it as YYYY-MM-DD, or add {which}=YYYY-MM-DD.",
            _LIBRARY: f'Write it as YYYY-MM-DD, or give {which}="YYYY-MM-DD".',
        }
        for which in ("start", "end")
    },
    "no-dates": {
        _PAGE: "Give both dates in the form, or write them in the file.",
        _DRAFT: _DAY,
        _API: "Add start=DATE and end=DATE, or write them in the file.",
        _LIBRARY: "Give start=DATE and end=DATE, or write them in the file.",
    },
    "no-time-control": {
        _PAGE: "Give the time control in the form, like G/60;d5, or write it in the file.",
        _DRAFT: _CONTROL,
        _API: "Add control=G/60;d5, or write it in the file.",
        _LIBRARY: 'Give control="G/60;d5", or write it in the file.',
    },
    "time-control-not-read": {
        _PAGE: "Write it like G/60;d5 in the file.",
        _DRAFT: _CONTROL,
        _API: "Write it like G/60;d5, or add control=G/60;d5 and override=true.",
        _LIBRARY: 'Write it like G/60;d5, or give control="G/60;d5", override=True.',
    },
    "no-ratings": {
        _PAGE: f"Send a file with a column Rating; {_UNRATED}.",
        _API: f"Send a file with a column Rating; {_UNRATED}.",
        _LIBRARY: f"Give members=FILE with their ratings, or add a column Rating; {_UNRATED}.",
    },
    "fide-ratings-only": {
        _PAGE: f"Send a file with US Chess ratings, or tick “Take pairing ratings” {_FROM_FIDE}.",
        _DRAFT: f"Write the ratings into the crosstable, or choose “Take the file's pairing ratings” {_FROM_FIDE}.",
        _API: f"Send a file with US Chess ratings, or pairing=true {_FROM_FIDE}.",
        _LIBRARY: f"Give members=FILE with US Chess ratings, or pairing_ratings=True {_FROM_FIDE}.",
    },
    "memberships-not-checked": {
        _PAGE: "Give the end date in the form.",
        _API: "Add end=DATE.",
        _LIBRARY: "Give end=DATE.",
    },
    "no-game": dict.fromkeys(_EVERYBODY, "Enter the results."),
    "all-unrated": {
        _PAGE: "Send a file with their ratings, if they have any.",
        _API: "Send an event file with their ratings, if they have any.",
        _LIBRARY: "Give members=FILE with their ratings, if they have any.",
    },
    "not-mirrored": {
        _PAGE: "Correct one of the two rows.",
        _DRAFT: "Say whose row is right, or correct either of the two.",
        _API: "Correct one of the two rows.",
    },
    "report-incomplete": {_DRAFT: "Fill it in under “For the rating report”, or add it where you submit the report."},
    "played-before": dict.fromkeys(
        _EVERYBODY,
        "If it is the same tournament, do not send it again. If both were played, the office confirms it.",
    ),
    "member-not-known": {
        _PAGE: "Correct the id, or report a new member: the office then adds them.",
        _API: "Correct the id, or ask the ratings office to add the member.",
        _LIBRARY: "Correct the id, or add the member to the office first.",
    },
    "new-member": {
        _PAGE: "The section waits until the office adds the member.",
        _API: "The section waits until the office adds the member.",
        _LIBRARY: "Add the member to the office, or correct the id.",
    },
    "shortened": dict.fromkeys(_EVERYBODY, "If the cut reads badly, shorten it yourself."),
    "systems-disagree": dict.fromkeys(
        _EVERYBODY, "Leave systems out: the time control decides. In an office, the office must confirm them."
    ),
    "start-given": dict.fromkeys(
        _EVERYBODY,
        "Take start out: the starting rating follows from other ratings and from age. In an office, the office must "
        "confirm it.",
    ),
    "match-waived": dict.fromkeys(_EVERYBODY, "The office may waive them, nobody else; it must confirm the section."),
    "opted-in": dict.fromkeys(_EVERYBODY, "Check it with the office, which must confirm it."),
    "systems-named": dict.fromkeys(_EVERYBODY, "Give the time control. Without one the office decides."),
    "fide-not-on-record": dict.fromkeys(
        _EVERYBODY, "The office looks it up and enters it, or confirms the section as it is."
    ),
    "money-prize": dict.fromkeys(_EVERYBODY, "The office sets the floor."),
    "cfc-notice": dict.fromkeys(_EVERYBODY, "A notice to the office, which looks it up and enters it."),
    "late-submission": dict.fromkeys(_EVERYBODY, "Two people of the office look at its rating changes and approve it."),
}
# Remedies that readers of files give in place of the catalogue's; a test finds those that name an option.
NEARER: Mapping[str, Mapping[Reader, str]] = {
    "Give it with --members FILE to rate or check an event.": {
        **dict.fromkeys((_PAGE, _API), _NOT_ALONE),
        _LIBRARY: "Give it as members=FILE to rate or check an event.",
    },
    "If it is a members file, give it with --members FILE.": {
        **dict.fromkeys((_PAGE, _API), _NOT_ALONE),
        _LIBRARY: "If it is a members file, give it as members=FILE.",
    },
}


def for_reader(faults: Iterable[Fault], reader: Reader) -> tuple[Fault, ...]:
    """The findings with remedies for this reader."""
    return tuple(_told(found, reader) for found in faults)


def _told(found: Fault, reader: Reader) -> Fault:
    remedies = NEARER.get(found.remedy) or REMEDIES.get(found.code, {})
    remedy = remedies.get(reader) or (remedies.get(Reader.PAGE) if reader is Reader.DRAFT else None)
    return found if remedy is None else found._replace(remedy=remedy)
