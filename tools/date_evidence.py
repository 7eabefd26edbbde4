"""Dates that posted rows can settle, with the rows that tell: a part of ``docs/fidelity.md``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.constants import CONSTANTS_2001
from crosstable.terms import RatingSystem
from crosstable.verification import Page, tally, verify
from crosstable.verification.evidence import Seen, credits_of
from crosstable.verification.pages import CORRECTED_SINCE
from crosstable.verification.starts import credited_games
from crosstable.verification.whole import fitted, settled

LAST_WITHOUT, FIRST_WITH, BLEND_FROM = date(2021, 6, 16), date(2021, 6, 23), date(2020, 6, 1)
AGE = next(one for one in AMENDMENTS if "age_base" in one.changes)
BY_PROGRAMMER, ONLINE_FROM = date(2005, 9, 1), date(2014, 10, 1)
STRETCHES = {
    "started before June 1, 2020, last rated by June 16, 2021": (date.min, BLEND_FROM, date.min, FIRST_WITH),
    "started before June 1, 2020, last rated since June 23, 2021": (date.min, BLEND_FROM, FIRST_WITH, date.max),
    "started since June 1, 2020, last rated by June 16, 2021": (BLEND_FROM, date.max, date.min, FIRST_WITH),
    "started since June 1, 2020, last rated since June 23, 2021": (BLEND_FROM, date.max, FIRST_WITH, date.max),
}


def date_evidence(pages: Sequence[Page]) -> str:
    """The section about dates."""
    return "\n## Dates that these results can settle\n\n" + _blend(pages) + _others(pages)


def _blend(pages: Sequence[Page]) -> str:
    """Credited games of unrated players before and since the blend was in force, by system."""
    seen, counts = Seen(), Counter[tuple[str, RatingSystem, str]]()
    for page in sorted(pages, key=lambda page: page.order):
        if page.apart == CORRECTED_SINCE:
            continue
        start, rated = page.checked.section.start, page.rated_on or date.min
        name = next(name for name, (a, b, c, d) in STRETCHES.items() if a <= start < b and c <= rated < d)
        for credited in _credits(page):
            counts[name, page.system, "some" if credited else "none"] += 1
        side, agree, against = credits_of(page, seen)
        counts[name, page.system, "blend" if side.is_in_force else "list"] += agree
        counts[name, page.system, "list" if side.is_in_force else "blend"] += against
    lines = [
        "**The blend.** The count posted for an unrated player less the games played is what they were credited with. "
        "A row tells where another system's rating stands on an earlier page: the blend credits at least what the "
        "ratings seen give, the older lists what their first one gives.\n\n"
        "| section | system | credited nothing | 1 to 10 games | only the blend fits | only the lists fit |\n"
        "|---|---|---|---|---|---|\n"
    ]
    for name in STRETCHES:
        for system in RatingSystem:
            found = [counts[name, system, kind] for kind in ("none", "some", "blend", "list")]
            if any(found):
                lines.append(f"| {name} | {system.name} | " + " | ".join(map(str, found)) + " |\n")
    return "".join(lines) + (
        "\nSo the blend entered posted results in every system between June 17 and 23, 2021, whatever the section's "
        "start since June 1, 2020, and no row contradicts that start. Online Blitz pages of April 15 to May 25, 2020, "
        "that were rated again on June 23, 2021, are reported to have it too (readings 102, 14 rows); none of them is "
        "here, so the rules keep June 1, 2020. Two rows fit neither: in section 2 of 202104259802 two established "
        "players were credited with 8 games where their Regular and Quick ratings of 14 months before give 10. The "
        "Regular rating alone would give 8, but another row of the same section and one of 202011079412 need both: "
        "unexplained.\n"
    )


def _credits(page: Page) -> Iterator[float]:
    for number, player in page.players.items():
        posted, credited = player.posted.get(page.system), credited_games(page, number)
        is_unrated = page.system not in player.background.standings
        if posted is not None and posted.games is not None and credited is not None and is_unrated:
            yield credited


def _others(pages: Sequence[Page]) -> str:
    between = [page for page in pages if BY_PROGRAMMER <= page.checked.section.start < AGE.effective]
    after = [page for page in pages if AGE.effective <= page.checked.section.start < date(2007, 1, 1)]
    online = [page for page in pages if page.system.is_online]
    first = min(page.checked.section.start for page in online)
    quick = [page for page in pages if page.checked.report.details.get("k_factor_code") == "Q"]
    assert {page.system for page in quick} <= {RatingSystem.OTBQ}
    counted = tally(verify(quick).alone)
    older = {name: getattr(CONSTANTS_2001, name) for name in AGE.changes}
    return (
        "\n| question | candidates | what rows tell | taken |\n|---|---|---|---|\n"
        "| Since when 50 points a year of age, from 150 on? | September 2005 (the rating programmer), July 1, 2006 | "
        f"{sum(bool(list(_credits(page))) for page in between)} pages with unrated players between the two; "
        f"of the rows that rest on starts in the rest of 2006, {_fitting(after, {})} fit with it and "
        f"{_fitting(after, older)} with the formula before | July 1, 2006, marked as assumed |\n"
        "| Were online sections before October 2014 rated as ordinary Quick? | so notices of 2005 and 2009 say | "
        f"no page here says that it was online before {first:%B} {first.day}, {first.year} | ordinary Quick; untold "
        "here |\n"
        f'| What is "K Factor: Q" on old pages? | quick chess, or another K | {len(quick)} pages, all rated Quick: '
        f"{counted.within_1 + counted.at_floor} of {counted.clean_rows} clean rows fit with full K | quick chess |\n"
    )


def _fitting(pages: Sequence[Page], changes: dict[str, Any]) -> str:
    """How many rows that rest on starts are explained, with these constants."""
    right = rows = 0
    for page in pages:
        edition = page.checked.edition
        other = edition._replace(constants=edition.constants._replace(**changes))
        page = page._replace(checked=page.checked._replace(edition=other))
        before = settled(page, page.checked.backgrounds)
        fit = None if before is None else fitted(page, before)
        if fit is not None:
            right, rows = right + fit.within + fit.at_floor, rows + fit.rows
    return f"{right} of {rows}"
