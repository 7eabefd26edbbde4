"""Where pre-event ratings come from when the report does not carry them, and an event as it stands after a round.

Pairing files hold the rating used for pairing, without games or birth dates. Real standings come from a members file;
the pairing rating is taken for a rating only when asked for, and then says so.
"""

from collections.abc import Mapping

from crosstable.catalogue import fault
from crosstable.checks import CheckedEvent, CheckedSection
from crosstable.engine.records import Assumption
from crosstable.errors import Fault
from crosstable.terms import Background, Report, ReportedPlayer, Standing


def with_members(report: Report, members: Mapping[str, Background], origin: str) -> Report:
    """A report whose players bring what a members file says of them; those it does not know stay as they are."""
    sections = tuple(
        section._replace(players=tuple(_known(player, members, origin) for player in section.players))
        for section in report.sections
    )
    return report._replace(sections=sections)


def _known(player: ReportedPlayer, members: Mapping[str, Background], origin: str) -> ReportedPlayer:
    background = members.get(player.member_id) if player.member_id else None
    if background is None:
        return player
    own = player.background
    completed = background._replace(
        fide=background.fide or own.fide,
        cfc=background.cfc or own.cfc,
        birth_date=background.birth_date or own.birth_date,
        birth_year=background.birth_year or own.birth_year,
        adult=own.adult if background.adult is None else background.adult,
        origin=origin,
    )
    return player._replace(background=completed)


def after_round(report: Report, last: int) -> Report:
    """The report as it stood after a round: later cells are not there yet."""
    sections = tuple(
        section._replace(
            players=tuple(player._replace(cells=player.cells[:last], total=None) for player in section.players)
        )
        for section in report.sections
    )
    return report._replace(sections=sections)


def _lacks_rating(checked: CheckedSection, player: ReportedPlayer) -> bool:
    """Whether only a pairing rating is known of a player: he was rated, and nothing says how."""
    if player.number is None or not player.pairing_rating:
        return False
    background = checked.backgrounds[player.number]
    return not background.standings and background.given_start is None and not checked.section.kind.is_foreign


def missing_ratings(checked: CheckedEvent) -> list[Fault]:
    """A fault per section whose players carry nothing but pairing ratings."""
    faults = []
    for section in checked.sections:
        who = [player for player in section.report.players if _lacks_rating(section, player)]
        if who:
            some = ", ".join(str(player.number) for player in who[:8]) + (" …" if len(who) > 8 else "")
            message = f"Of {len(who)} players only the pairing rating is known (players {some})."
            faults.append(fault("rating-not-known", f"section {section.section.number}", message))
    return faults


def with_pairing_ratings(checked: CheckedEvent) -> CheckedEvent:
    """The event with pairing ratings taken for ratings, in every system of the section, where nothing else is known."""
    return checked._replace(sections=tuple(_section_by_pairing(section) for section in checked.sections))


def _section_by_pairing(checked: CheckedSection) -> CheckedSection:
    backgrounds = dict(checked.backgrounds)
    for player in checked.report.players:
        if _lacks_rating(checked, player):
            assert player.number is not None
            standing = Standing(rating=player.pairing_rating or 0.0)
            background = backgrounds[player.number]
            backgrounds[player.number] = background._replace(
                standings=dict.fromkeys(checked.section.systems, standing),
                origin="pairing rating",
                assumed=(*background.assumed, Assumption.PAIRING_RATING),
            )
    return checked._replace(backgrounds=backgrounds)
