"""Every player's rating as it would stand if the event had ended after each round."""

from collections.abc import Sequence

from crosstable.engine import RatedSection
from crosstable.output.words import pre_text, printable, rating_text, section_title
from crosstable.pipeline.rating import RatedEvent

WIDTH = 9


def each_round_text(event: RatedEvent, stages: Sequence[RatedEvent]) -> str:
    """A table per section and system; a stage that could not be rated leaves its column empty."""
    lines = [f"{event.report.name or event.report.event_id}, rated as it stood after each round\n"]
    for at, by_system in enumerate(event.rated):
        lines.append(f"\n{section_title(by_system)}\n")
        for system, rated in enumerate(by_system):
            lines += _table(rated, [_stage(stage, at, system) for stage in stages])
    return "".join(lines)


def _stage(stage: RatedEvent, section: int, system: int) -> RatedSection | None:
    return None if stage.has_errors else stage.rated[section][system]


def _table(rated: RatedSection, stages: Sequence[RatedSection | None]) -> list[str]:
    constants = rated.edition.constants
    names = [printable(player.name) or player.member_id for player in rated.players]
    width = max(map(len, names), default=0)
    rounds = max((len(entry.cells) for entry in rated.section.entries), default=0)
    heads = "".join(f"{f'after {number}':>{WIDTH}}" for number in range(1, rounds + 1))
    lines = [f"\n{rated.system.name}\n{'No':>4}  {'Player':<{width}}{'before':>{WIDTH}}{heads}\n"]
    for at, player in enumerate(rated.players):
        cells = "".join(
            f"{'' if stage is None else rating_text(constants, stage.players[at].after):>{WIDTH}}"
            for stage in stages[:rounds]
        )
        lines.append(f"{player.number:>4}  {names[at]:<{width}}{pre_text(constants, player):>{WIDTH}}{cells}\n")
    return lines
