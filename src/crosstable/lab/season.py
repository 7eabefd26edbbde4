"""A season of a small federation as event files: what a demonstration office is filled with."""

from datetime import date

from crosstable.folding import in_force
from crosstable.history.archive import Archive
from crosstable.history.archive_facts import openings_of, outside_of
from crosstable.history.archive_reports import reports_of
from crosstable.history.archive_sections import ArchivedSection
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.terms import Background, PlayerRating, RatingSystem, Report

FIRST_DAY = date(2025, 9, 1)


def season_federation(seed: int = 1) -> Federation:
    """About two hundred members, most of them rated already, and some forty sections in a year."""
    return Federation(
        members=200,
        sections=40,
        start=FIRST_DAY,
        years=1,
        seed=seed,
        founders=0.9,
        opened=0.85,
        career_years=15.0,
        activity_spread=0.6,
        median_size=14.0,
        size_spread=0.5,
        matches=0.04,
        abroad=0.0,
        prizes=0.0,
        ceilings=0.0,
    )


def season(seed: int = 1) -> list[Report]:
    """The reports of a season, in the order of their dates; each player brings what he had when it began.

    To be submitted to an office that adds the members and takes their ratings as openings.
    """
    archive = simulate(season_federation(seed))
    people = archive.members.to_dicts()
    outside = outside_of(archive)
    standings = _standings(archive)

    def brings(archived: ArchivedSection, at: int) -> Background:
        member = archived.rows[at].member
        person = people[member]
        fide, cfc = outside.get(member, ([], []))
        return Background(
            standings=standings.get(member, {}),
            fide=in_force(fide, archived.section.start),
            cfc=in_force(cfc, archived.section.end),
            birth_date=person["birth_date"],
            adult=person["adult"],
            canadian_resident=person["canadian_resident"],
        )

    return reports_of(archive, brings)


def _standings(archive: Archive) -> dict[int, dict[RatingSystem, PlayerRating]]:
    found: dict[int, dict[RatingSystem, PlayerRating]] = {}
    for member, opening in openings_of(archive):
        found.setdefault(member, {})[opening.system] = opening.standing
    return found
