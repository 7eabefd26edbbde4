"""The amendments, oldest first: every dated change of the rules since 2001 that could be found.

Dates are those of the 2025 list (§8) where it has one, else of rules history §1 (readings 3 to 10). A date that the
sources leave open is a placeholder: ``stated`` keeps what they say and ``could_be`` the days between which the true
date lies. Sources: *2025 text*, *2020 text*, *2015 text* and *2004 text* are the rating committee's documents of those
years, *report* its annual reports, *notice* an announcement of the federation, *programmer* what the author of its
software wrote.
"""

from datetime import date

from crosstable.rules.constants import (
    CFC_2025,
    CONSTANTS_2001,
    FIDE_2015,
    FIDE_2024,
    FIDE_EARLY_2008,
    FIDE_JULY_2008,
    PRIORITIES_2015,
    YOUTH_2009,
    YOUTH_2024,
    Initialisation,
)
from crosstable.rules.law import Amendment, Edition, Knowledge, ListRule
from crosstable.rules.systems import ANY_LENGTH, ANY_SECONDS, NO_SLOW_QUICK, RANGES_2001
from crosstable.sentences import Template
from crosstable.terms import RatingSystem

TEXT, RESULTS, ASSUMED = Knowledge.TEXT, Knowledge.RESULTS, Knowledge.ASSUMED
FRIDAY, WEDNESDAY = 4, 2

_DUAL_2002 = RANGES_2001._replace(dual_to=60)
_QUICK_2004 = _DUAL_2002._replace(quick_from=5)
_LONG_DELAYS_2008 = _QUICK_2004._replace(dual_seconds_to=15)
_SECONDS_2012 = _LONG_DELAYS_2008._replace(counts_seconds=True, dual_to=65, dual_seconds_to=ANY_SECONDS)
_BLITZ_2013 = _SECONDS_2012._replace(blitz_to=10)
_ONLINE_2015 = _BLITZ_2013._replace(online_quick_to=65)
_ONLINE_2020 = _BLITZ_2013._replace(online_quick_to=NO_SLOW_QUICK, online_to=29)
_ONLINE_REGULAR_2020 = _ONLINE_2020._replace(online_to=ANY_LENGTH)

FIRST_EDITION = Edition(
    effective=date(2001, 1, 1),
    # The base record allows a repeat on three games; the second amendment takes it away (readings 41).
    constants=CONSTANTS_2001._replace(bonus_meetings_in_three=2),
    systems=(RatingSystem.OTBR, RatingSystem.OTBQ),
    controls=RANGES_2001,
    lists=ListRule(6, 0, 0),
    amendments=(),
)

_ROWS: tuple[Amendment, ...] = (
    Amendment(
        date(2001, 1, 1),
        "since 2001-01-01",
        "The rating system of these documents begins: special and standard formulas, two passes, bonus threshold 10, "
        "established above 25 games; Regular and Quick.",
        TEXT,
        "2025 text §8; 2004 text",
        {},
    ),
    Amendment(
        date(2001, 1, 1),
        "not listed",
        "No bonus on three games when an opponent was met more than once.",
        RESULTS,
        "2025 text §4.2; official results of 2013 and 2021 already follow it; before 2013 assumed; the 2015 and 2020 "
        "texts give the bonus",
        {"bonus_meetings_in_three": 1},
        printed=date(2024, 3, 1),
    ),
    Amendment(
        date(2002, 1, 1),
        "2002-??-??",
        "Sections with a main time of {controls.regular_from} to {controls.dual_to} minutes are rated both Regular and "
        "Quick.",
        TEXT,
        "2025 text §8",
        {"controls": _DUAL_2002},
        could_be=(date(2001, 1, 1), date(2002, 12, 31)),
    ),
    Amendment(
        date(2004, 1, 1),
        "2004-??-??",
        "Quick rating extended down to {controls.quick_from} minutes.",
        TEXT,
        "2025 text §8; programmer: early 2004",
        {"controls": _QUICK_2004},
        could_be=(date(2003, 11, 27), date(2004, 12, 31)),
    ),
    Amendment(
        date(2006, 1, 1),
        "in force by January 2006",
        "A match changes a rating by at most {match_change:g} points.",
        ASSUMED,
        "programmer, about January 2006; the 2004 text does not have it",
        {"match_change": 50.0},
        could_be=(date(2004, 9, 22), date(2006, 1, 31)),
    ),
    Amendment(
        date(2006, 2, 1),
        "2006",
        "New match rules: established and published ratings, at most {match_half_year:g} points in 180 days, floors by "
        "request.",
        TEXT,
        "notice of 2006, new rules for rated matches",
        {"match_needs_established": True, "match_half_year": 100.0, "floor_request_drop": 100.0},
        could_be=(date(2006, 1, 1), date(2006, 12, 31)),
    ),
    Amendment(
        date(2006, 3, 1),
        "early March 2006",
        "Half-K events abolished.",
        TEXT,
        "report of 2006: approved early March",
        {"half_k_is_allowed": False},
        could_be=(date(2006, 3, 1), date(2006, 12, 31)),
    ),
    Amendment(
        date(2006, 3, 1),
        "early March 2006",
        "Money floors from a prize of ${money_prize:,.0f} (from $1,000).",
        TEXT,
        "report of 2006: approved early March",
        {"money_prize": 2000.0},
        could_be=(date(2006, 3, 1), date(2006, 12, 31)),
    ),
    Amendment(
        date(2006, 7, 1),
        "2006-??-??",
        "Age-based initialisation changed to 50 points a year from {age_youngest:g} to {age_oldest:g}.",
        TEXT,
        "2025 text §8; 2015 text §2.6; report of 2006 (programmer, late 2006: changed in September 2005)",
        {"age_base": 0.0, "age_youngest": 3.0, "age_oldest": 26.0},
        could_be=(date(2005, 9, 1), date(2006, 12, 31)),
    ),
    Amendment(
        date(2007, 2, 1),
        "February 2007 list",
        "Official lists every month, made on the first Friday of the month before.",
        TEXT,
        "notice",
        {"lists": ListRule(12, 1, FRIDAY)},
    ),
    Amendment(
        date(2008, 1, 1),
        "in force by early 2008",
        "FIDE ratings below 2200 taken unchanged, from 2200 on with 50 points added.",
        ASSUMED,
        "programmer, early 2008; the upper part by inference",
        {"fide": FIDE_EARLY_2008},
        could_be=(date(2005, 1, 1), date(2008, 6, 30)),
    ),
    Amendment(
        date(2008, 6, 6),
        "2008-06-06",
        "Bonus point threshold reduced to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8 (the 2020 text says 2008-08-07; a note of July 2008 already knows it)",
        {"bonus_threshold": 6.0},
    ),
    Amendment(
        date(2008, 7, 1),
        "July 2008",
        "New FIDE conversion, 720 + 0.625 FIDE below 2000; its upper part was not found.",
        ASSUMED,
        "ratings page of 2008; a page that calls the lower part the old formula",
        {"fide": FIDE_JULY_2008},
        could_be=(date(2008, 6, 1), date(2008, 8, 31)),
    ),
    Amendment(
        date(2008, 8, 1),
        "August 2008",
        "A section with a delay or increment over {controls.dual_seconds_to} seconds is Regular, not dual-rated.",
        ASSUMED,
        "Delegates' motion of August 2008",
        {"controls": _LONG_DELAYS_2008},
        could_be=(date(2008, 8, 1), date(2009, 12, 31)),
    ),
    Amendment(
        date(2008, 8, 7),
        "2008-08-07",
        "Personal absolute floors from 100 to 150, over the board.",
        TEXT,
        "2025 text §8, §5; official results from 2008-08 on",
        {"personal_floor_is_used": True},
    ),
    Amendment(
        date(2009, 1, 1),
        "about 2009",
        "A conversion of its own for opponents in foreign youth events.",
        ASSUMED,
        "2015 text §6; report of 2009",
        {"fide_youth": YOUTH_2009},
        could_be=(date(2008, 7, 1), date(2015, 5, 31)),
    ),
    Amendment(
        date(2010, 4, 1),
        "2010-04-01",
        "Peak floors at {peak_lowest_since_2010:g} and 1300 added, for peaks reached from this day on.",
        TEXT,
        "2025 text §8; programmer; official results for the peaks that count",
        {"peak_lowest_since_2010": 1200.0},
    ),
    Amendment(
        date(2012, 1, 1),
        "20??-??-??",
        "Main time and delay are added; dual rating from {controls.regular_from} up to {controls.dual_to}.",
        TEXT,
        "2025 text §8 (the 65 only); rulebook change of 2012-01-01",
        {"controls": _SECONDS_2012},
        could_be=(date(2012, 1, 1), date(2013, 2, 28)),
    ),
    Amendment(
        date(2012, 8, 3),
        "2012-08-03",
        "Bonus point threshold increased to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8 (the 2020 text says 2012-08-04)",
        {"bonus_threshold": 8.0},
    ),
    Amendment(
        date(2012, 10, 1),
        "November 2012 list",
        "Official lists made on the third Friday of the month before.",
        TEXT,
        "notice",
        {"lists": ListRule(12, 3, FRIDAY)},
    ),
    Amendment(
        date(2013, 3, 1),
        "2013-03-01",
        "Over-the-board Blitz ratings added, for totals from {controls.blitz_from} to {controls.blitz_to}; Quick is "
        "above {controls.blitz_to}.",
        TEXT,
        "2025 text §8; notice of 2013-03-02",
        {"adds_systems": (RatingSystem.OTBB,), "controls": _BLITZ_2013},
        announced=date(2013, 3, 2),
        keyed_to_start=True,
    ),
    Amendment(
        date(2013, 3, 1),
        "not listed",
        "Priority lists of the 2015 text: Quick starts from Regular first; a list for Blitz.",
        ASSUMED,
        "2015 text §2.1 to §2.5; the Blitz list of 2013 differed in something that was not found",
        {"priorities": PRIORITIES_2015},
        keyed_to_start=True,
        could_be=(date(2004, 9, 22), date(2015, 5, 31)),
    ),
    Amendment(
        date(2013, 5, 8),
        "2013-05-08",
        "Effective games give lower values, so ratings move more, above all from 1800 to 2200.",
        TEXT,
        "2025 text §8, §3; notice of 2013-05-13; official results",
        {
            "effective_base": 0.662,
            "effective_slope": 0.00000739,
            "effective_centre": 2569.0,
            "effective_limit": 2355.0,
        },
        announced=date(2013, 5, 13),
        ended_from=date(2013, 5, 18),
    ),
    Amendment(
        date(2013, 5, 8),
        "not listed",
        "Smaller K above 2200 for Regular ratings in dual-rated sections.",
        RESULTS,
        "2015 text §4.2; notice of 2013-05-13; official results",
        {"dual_k_is_reduced": True},
        announced=date(2013, 5, 13),
        ended_from=date(2013, 5, 18),
    ),
    Amendment(
        date(2013, 9, 1),
        "October 2013 list",
        "Official lists made on the third Wednesday of the month before.",
        TEXT,
        "notice",
        {"lists": ListRule(12, 3, WEDNESDAY)},
    ),
    Amendment(
        date(2014, 3, 20),
        "2014-03-20",
        "Bonus point threshold increased to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8; report of 2014",
        {"bonus_threshold": 10.0},
    ),
    Amendment(
        date(2014, 9, 1),
        "2014-09-01",
        "Ratings are stored with decimals; before, as whole numbers, up on a gain and down on a loss.",
        TEXT,
        "2025 text §8; 2004 text; notice: sections that ended on 2014-09-18 or later",
        {"stores_whole_numbers": False},
        ended_from=date(2014, 9, 18),
    ),
    Amendment(
        date(2014, 10, 1),
        "2014-10-01",
        "Online Blitz ratings added.",
        TEXT,
        "2025 text §8",
        {"adds_systems": (RatingSystem.OLB,)},
        keyed_to_start=True,
    ),
    Amendment(
        date(2015, 3, 1),
        "2015-03-01",
        "Online Quick ratings added.",
        TEXT,
        "2025 text §8",
        {"adds_systems": (RatingSystem.OLQ,)},
        keyed_to_start=True,
    ),
    Amendment(
        date(2015, 3, 1),
        "not listed",
        "Online Quick reaches up to a total of {controls.online_quick_to}, as over the board.",
        ASSUMED,
        "2015 text, introduction: both Quick systems from G/10+0 through G/60+5; no official result shows it",
        {"controls": _ONLINE_2015},
        keyed_to_start=True,
    ),
    Amendment(
        date(2015, 6, 1),
        "2015-06-01",
        "Bonus point threshold increased to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8; 2015 text §4.2",
        {"bonus_threshold": 12.0},
    ),
    Amendment(
        date(2015, 6, 1),
        "by 2015-06-01",
        "FIDE conversion 180 + 0.94 FIDE up to 2000, 20 + 1.02 FIDE above.",
        TEXT,
        "2015 text §2.6",
        {"fide": FIDE_2015},
        could_be=(date(2009, 1, 1), date(2015, 6, 1)),
    ),
    Amendment(
        date(2017, 1, 1),
        "between 2015 and 2018",
        "Money floors from a prize of ${money_prize:,.0f}.",
        TEXT,
        "2020 text §5; programmer, August 2018: a few years back",
        {"money_prize": 4000.0},
        could_be=(date(2015, 6, 1), date(2018, 8, 31)),
    ),
    Amendment(
        date(2017, 6, 1),
        "2017-06-01",
        "Bonus point threshold increased to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8 (the 2020 text and a notice say May 1; official results of May 2017 say June 1)",
        {"bonus_threshold": 14.0},
    ),
    Amendment(
        date(2020, 3, 25),
        "2020-03-25",
        "Online games are rated up to a total of {controls.online_to}: Blitz up to {controls.blitz_to}, Quick above.",
        TEXT,
        "Executive Board, motion of 2020-03-25",
        {"controls": _ONLINE_2020},
        keyed_to_start=True,
    ),
    Amendment(
        date(2020, 6, 1),
        "2020-06-01",
        "Online Regular ratings added, from a total of {controls.regular_from} on.",
        TEXT,
        "2025 text §8; notice of 2020-06-09",
        {"adds_systems": (RatingSystem.OLR,), "controls": _ONLINE_REGULAR_2020},
        announced=date(2020, 6, 9),
        keyed_to_start=True,
    ),
    Amendment(
        date(2020, 6, 1),
        "2020-06-01",
        "Initial ratings are blended from all other ratings, weighted by games and age of the rating.",
        TEXT,
        "2020 text §2; 2025 text §8",
        {
            "initialisation": Initialisation.BLEND,
            "fide_split": 2000.0,
            "cfc_games_below": 5.0,
            "cfc_needs_residence": True,
            "too_young_is_adult": False,
        },
        announced=date(2021, 6, 15),
    ),
    Amendment(
        date(2020, 6, 1),
        "not listed",
        "Foreign FIDE events update established Regular ratings only.",
        TEXT,
        "2020 text §6; the 2015 text does not say so",
        {"foreign_needs_established": True},
        could_be=(date(2015, 6, 1), date(2020, 9, 2)),
    ),
    Amendment(
        date(2023, 2, 1),
        "2023-02-01",
        "Bonus point threshold reduced to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8; notice of 2023-10-30",
        {"bonus_threshold": 12.0},
        announced=date(2023, 10, 30),
    ),
    Amendment(
        date(2024, 3, 1),
        "2024-03-01",
        "FIDE conversions, general and youth, follow FIDE's own rescaling of that day.",
        TEXT,
        "2025 text §8, §2.1, §6",
        {"fide": FIDE_2024, "fide_youth": YOUTH_2024},
    ),
    Amendment(
        date(2025, 1, 1),
        "2025-01-01",
        "CFC conversion in four pieces.",
        TEXT,
        "2025 text §8, §2.2",
        {"cfc": CFC_2025},
    ),
    Amendment(
        date(2025, 1, 1),
        "2025-01-01",
        "Bonus point threshold reduced to {bonus_threshold:g}.",
        TEXT,
        "2025 text §8; notice of May 2025",
        {"bonus_threshold": 10.0},
        announced=date(2025, 5, 31),
    ),
)

# A summary prints the numbers of its own row.
AMENDMENTS = tuple(row._replace(summary=Template("amendment", row.summary).say(**row.changes).text) for row in _ROWS)
