"""``office explain``: the calculation of a member's rating in a section, replayed from what stood before it."""

import argparse
from typing import TYPE_CHECKING

from crosstable.cli.explain import explained_text
from crosstable.cli.office_desk import SYSTEMS, add_command, add_public_option, add_question_options, opened
from crosstable.cli.office_drawing import print_json, rating_figure, say, warn
from crosstable.engine import RatedSection
from crosstable.errors import OfficeError
from crosstable.explanation import explain
from crosstable.office.ledger.facts import Record, State
from crosstable.office.views import SectionView, history, known, section_view
from crosstable.pipeline.explaining import explained_document

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from crosstable.cli.office_desk import Commands


def add_explain(commands: "Commands") -> None:
    """The command of this module."""
    made = add_command(commands, "explain", "the whole calculation of a member's rating in a section", _explain)
    made.add_argument("member", metavar="MEMBER", help="the member's id")
    made.add_argument(
        "section", metavar="EVENT/SECTION", help="the event's id and the section's number; the event alone if enough"
    )
    made.add_argument("--system", choices=SYSTEMS, help="one system (default: every system of the section)")
    add_question_options(made)
    add_public_option(made)


def _explain(options: argparse.Namespace) -> int:
    if options.public:
        from crosstable.cli import office_public

        return office_public.explain(options)
    with opened(options) as office, office.reading() as connection:
        record = known(connection, options.known_on).record
        member = record.one_id(options.member)
        event_id, number = place_of(record, options.section, member)
        view = section_view(connection, event_id, number, options.known_on)
        chosen = _chosen(view, member, options)
        posted = _posted(connection, member, options)
    for rated in chosen:
        player = next(player for player in rated.players if player.member_id == member)
        lines = explain(rated, player.number)
        if options.json:
            print_json({**explained_document(rated, player.number, lines), "event": event_id, "member": member})
            continue
        for line in explained_text(rated, player.number, lines).splitlines():
            say(line)
        found = posted.get((event_id, number, rated.system.name))
        if player.after is not None and found != player.after.rating:
            shown = "nothing" if found is None else rating_figure(found)
            warn(f"note: posted is {shown}; the record changed since the last run: crosstable office rerate")
    return 0


def place_of(record: Record, text: str, member: str) -> tuple[str, int]:
    """An event and a section as they were typed; without a section, the only one that the member played in."""
    event_id, slash, number = text.rpartition("/")
    if slash and number.isdecimal():
        return event_id, int(number)
    played = sorted(place[1] for place in record.sections_of(record.same_member(member)) if place[0] == text)
    if len(played) == 1:
        return text, played[0]
    if not played:
        raise OfficeError(
            f"member {member} did not play in an event {text}; crosstable office history {member} lists them"
        )
    which = " or ".join(f"{text}/{one}" for one in played)
    raise OfficeError(f"member {member} played in several sections of event {text}; say {which}")


def _chosen(view: SectionView, member: str, options: argparse.Namespace) -> list[RatedSection]:
    heading = view.heading
    where = f"section {heading.number} of event {heading.event_id}"
    if heading.state is not State.ACCEPTED:
        raise OfficeError(f"{where} is {heading.state.value}, so it rates nobody")
    if not any(player.member_id == member for rated in view.rated for player in rated.players):
        raise OfficeError(f"member {options.member} did not play in {where}")
    chosen = [rated for rated in view.rated if options.system in (None, rated.system.name)]
    if not chosen:
        systems = ", ".join(rated.system.name for rated in view.rated)
        raise OfficeError(f"{where} is rated {systems}, not {options.system}")
    return chosen


def _posted(
    connection: "Connection", member: str, options: argparse.Namespace
) -> dict[tuple[str, int, str], float | None]:
    lines = history(connection, member, options.known_on)
    return {
        (line.posting.event_id, line.posting.section, line.posting.system.name): line.posting.rating_after
        for line in lines
    }
