"""Dates that posted rows can settle, with the rows that tell: a part of ``docs/fidelity.md``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from crosstable.engine import rate
from crosstable.engine.starts import start_of
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.constants import CONSTANTS_2001
from crosstable.terms import Background, GivenStart, PlayerRating, RatingSystem
from crosstable.verification import Page, Verdict, tally, verify
from crosstable.verification.pages import CORRECTED_SINCE, rows_of
from crosstable.verification.starts import credited_games, fitted_page
from crosstable.verification.whole import fitted, settled
from tools.law_evidence import Seen, credits_of, sources_of

LAST_WITHOUT, FIRST_WITH, BLEND_FROM = date(2021, 6, 16), date(2021, 6, 23), date(2020, 6, 1)
AGE = next(one for one in AMENDMENTS if "age_base" in one.changes)
BY_PROGRAMMER, ONLINE_FROM = date(2005, 9, 1), date(2014, 10, 1)
STRETCHES = {
    "started before June 1, 2020, last rated by June 16, 2021": (date.min, BLEND_FROM, date.min, FIRST_WITH),
    "started before June 1, 2020, last rated since June 23, 2021": (date.min, BLEND_FROM, FIRST_WITH, date.max),
    "started since June 1, 2020, last rated by June 16, 2021": (BLEND_FROM, date.max, date.min, FIRST_WITH),
    "started since June 1, 2020, last rated since June 23, 2021": (BLEND_FROM, date.max, FIRST_WITH, date.max),
}
AGES = range(4, 27, 2)
MANY = 1000.0  # stands for the count of an established player, which no page shows
BLENDED = """
**What the blend makes of ratings.** {0} of these rows with credited games have another system's rating on an earlier
page here. For {1} the ratings seen give exactly the games credited, at some age; for {2} they give fewer, as they must
where ratings are not seen; for {3} more. The starting rating R0 can be told where one more game anywhere would have
raised the credit, so that nothing is missing: {4} of {5} such rows come out with it. This test was the third
tried. Of all 67 rows whose credit fits and whose R0 hardly depends on age, only 14 come out; of the two whose sources a
later page shows unchanged, one does. In most of the others a source may have changed on a page that is not here, which
nothing here can check. Three more rows, looked into because they were off or had a history, agree once another page
fills the gap: in 202104058312 a rating of 895 that only the member's history shows (error 0.7; with the older 848
seen here, 35), in 202102154902 the 745 that a page of four days later shows (fitted: 745.3), and in 202106110252 the
only other rating of a whole career, Regular, 20 years old and credited with one game (error 0.7).

- Proven: the credit is at most 10, falls with the age of a rating, and a single source is taken as R0 as it stands.
- Against the text, a guess made after seeing these rows: three fit a game factor of 5, not 10, for a
  Regular rating that starts an online Regular one.
  In section 2 of 202104259802 two established players were credited with 8 games where their Regular and Quick ratings
  of 14 months before give 10; with a factor of 5 they give 8 at every age from 5 to 12. In 202105292972 four ratings of
  one career (three of them from a history, their counts inferred) give R0 882 and an error of 6.8; with a factor of 5
  they give 891 and 0.2. No row here speaks against 5. Three rows are too few to leave the text: the rules keep 10.
- Not settled: the weights of several sources otherwise. Nearly all rows with several are at the cap, where a source
  that is not seen changes R0 and not the credit; the histories at hand show neither counts nor which events were
  online, and FIDE and CFC ratings are on no page here. The wanted pages 202103193262 and 202104107772 would
  show the ratings and counts behind the start in 202105292972.
"""


def date_evidence(pages: Sequence[Page]) -> str:
    """The section about dates."""
    return "\n## Dates that these results can settle\n\n" + _blend(pages) + blended_starts(pages) + _others(pages)


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
        "that were rated again on June 23, 2021, are reported to have it too (readings 102, 14 rows). None of them is "
        "here: every online page here of April and May 2020 was last rated by June 16, 2021, and credits nobody. What "
        "later pages show of the players who were new on those settles nothing either. On their next page rated since "
        "June 23, 21 of 24 are established; the counts of the others have grown by 10, 12 and 18 games, which a credit "
        "of 10 would explain and games that are not seen as well. So the rules keep June 1, 2020.\n"
    )


def blended_starts(pages: Sequence[Page]) -> str:
    """Games credited and starting ratings of the blend, predicted from ratings on earlier pages."""
    seen, games, rows = Seen(), Counter[str](), Counter[bool]()
    for page in sorted(pages, key=lambda page: page.order):
        is_blend = page.checked.section.start >= BLEND_FROM and (page.rated_on or date.min) >= FIRST_WITH
        for number, player in page.players.items() if is_blend and not page.apart else ():
            credited, others = credited_games(page, number), sources_of(page, seen, number)
            posted = player.posted.get(page.system)
            is_unrated = posted is not None and page.system not in player.background.standings
            if not (is_unrated and credited and others):
                continue
            found = _starts_by_age(page, others)
            fits = {rating for rating, count in found if count == credited}
            games["fits" if fits else "more" if credited > min(found, key=lambda one: one[1])[1] else "fewer"] += 1
            # One more game anywhere would have been credited: so no page is missing, and the rating seen is the last.
            more = {system: one._replace(games=(one.games or MANY) + 1.0) for system, one in others.items()}
            is_last = all(count != credited for _, count in _starts_by_age(page, more))
            if len(fits) == 1 and is_last:
                rows[_is_right(page, number, GivenStart(fits.pop(), credited))] += 1
        credits_of(page, seen)
    return BLENDED.format(sum(games.values()), games["fits"], games["more"], games["fewer"], rows[True], rows.total())


def _starts_by_age(page: Page, others: dict[RatingSystem, PlayerRating]) -> set[tuple[float, float]]:
    """The starts and credited games that a blend can give, whatever the age."""
    days = page.checked.section.start, page.checked.section.end
    born = [days[1] - timedelta(days=365 * age + age // 4) for age in AGES]
    who = [Background(others, adult=True), *(Background(others, birth_date=day) for day in born)]
    starts = (start_of(one, page.system, days, page.checked.edition)[0].initial for one in who)
    return {(start.rating, start.games) for start in starts}


def _is_right(page: Page, number: int, start: GivenStart) -> bool:
    """Whether a row comes out with this start; the starts of others are fitted."""
    known = page.backgrounds
    known[number] = known[number]._replace(given_start=start)
    begun, checked = fitted_page(page, known).begun(known), page.checked
    rows = rows_of(page, rate(checked.section.with_backgrounds(begun), page.system, checked.edition))
    return next(row.verdict is not Verdict.UNEXPLAINED for row in rows if row.number == number)


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
        before = settled(page, page.backgrounds)
        fit = None if before is None else fitted(page, before)
        if fit is not None:
            right, rows = right + fit.within + fit.at_floor, rows + fit.rows
    return f"{right} of {rows}"
