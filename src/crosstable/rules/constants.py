"""The numbers of the rules, as one record that formulas read; every one of them may differ between editions.

The record is a named tuple of floats, integers and tuples of them, so that the compiled replay takes it as it is.
Shapes never vary between editions: a conversion always has four pieces, a priority list always eight places.
A number whose document was not found is ``UNKNOWN``; whoever meets it reports what is missing.
"""

import math
from datetime import date
from enum import IntEnum

from crosstable.terms import RatingSystem, Source
from crosstable.tuples import NamedTuple

UNKNOWN = math.nan
NO_LIMIT = math.inf


class Initialisation(IntEnum):
    """How an unrated player starts: the first source of a priority list, or a blend of all (§2)."""

    PRIORITY = 0
    BLEND = 1


class Credit(IntEnum):
    """How many games a source of a priority list is worth (2015 text §2.1 to §2.5)."""

    NOTHING = 0
    ITS_GAMES = 1
    FULL = 2
    BY_RATING = 3


class Piece(NamedTuple):
    """One piece of a conversion: it reaches up to ``limit``, the limit itself included where ``is_closed``."""

    limit: float
    is_closed: bool
    intercept: float
    slope: float


Conversion = tuple[Piece, Piece, Piece, Piece]


class Priority(NamedTuple):
    """One line of a priority list: a source, the games it must be based on, what it is credited with."""

    source: Source
    at_least: float
    at_most: float
    credit: Credit


PriorityList = tuple[Priority, Priority, Priority, Priority, Priority, Priority, Priority, Priority]
PriorityLists = tuple[PriorityList, PriorityList, PriorityList, PriorityList, PriorityList, PriorityList]
Factors = tuple[float, float, float, float, float, float]
GameFactors = tuple[Factors, Factors, Factors, Factors, Factors, Factors]


class Constants(NamedTuple):
    """Every number of one edition that a formula reads, grouped by section of the document."""

    # §1 and §3
    established_above: float
    absolute_floor: float
    effective_cap: float
    effective_base: float
    effective_slope: float
    effective_centre: float
    effective_limit: float
    # §2
    initialisation: Initialisation
    priorities: PriorityLists
    game_factors: GameFactors
    credited_cap: float
    strength_unit: float
    strength_cap: float
    staleness_rate: float
    fide: Conversion
    fide_youth: Conversion
    fide_split: float
    fide_games_above: float
    fide_games_below: float
    cfc: Conversion
    cfc_split: float
    cfc_games_above: float
    cfc_games_below: float
    cfc_needs_residence: bool
    age_base: float
    age_slope: float
    age_youngest: float
    age_oldest: float
    too_young_is_adult: bool
    adult_start: float
    unknown_start: float
    # §4.1
    special_games: float
    special_spread: float
    special_cap: float
    step_3_games: float
    # §4.2
    k_numerator: float
    k_effective_weight: float
    k_cap: float
    half_k_is_allowed: bool
    dual_k_is_reduced: bool
    dual_k_above: float
    dual_k_flat_from: float
    dual_k_base: float
    dual_k_slope: float
    dual_k_flat: float
    bonus_threshold: float
    bonus_games: float
    bonus_least_games: float
    bonus_meetings: int
    bonus_meetings_in_three: int
    # §5
    personal_floor_is_used: bool
    personal_per_win: float
    personal_per_draw: float
    personal_per_event: float
    personal_event_games: float
    personal_floor_top: float
    peak_drop: float
    peak_step: float
    peak_lowest: float
    peak_lowest_since_2010: float
    peak_highest: float
    life_master_level: float
    life_master_games: int
    money_prize: float
    money_highest: float
    # §6
    foreign_needs_established: bool
    foreign_automatic_from: float
    # §7
    match_needs_established: bool
    match_published_gap: float
    match_change: float
    match_half_year: float
    match_half_year_days: int
    match_three_years: float
    match_years: int
    floor_request_drop: float
    stores_whole_numbers: bool


def conversion(*pieces: tuple[float, bool, float, float]) -> Conversion:
    """A conversion from its printed pieces, the last one reaching without limit, padded to four."""
    rows = [Piece(*piece) for piece in pieces]
    rows += [rows[-1]] * (4 - len(rows))
    return (rows[0], rows[1], rows[2], rows[3])


def priority_list(*lines: tuple[Source, float, float, Credit]) -> PriorityList:
    """A priority list from its printed lines; age, which always answers, fills the rest."""
    rows = [Priority(*line) for line in lines]
    rows += [Priority(Source.AGE, 0.0, NO_LIMIT, Credit.NOTHING)] * (8 - len(rows))
    return (rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7])


# §2.1 of each text: FIDE to the US Chess scale.
FIDE_2001 = conversion((NO_LIMIT, True, 50.0, 1.0))
FIDE_EARLY_2008 = conversion((2200.0, False, 0.0, 1.0), (NO_LIMIT, True, 50.0, 1.0))
# Of July 2008 only the lower part was found: from 2000 on nobody can start from FIDE until May 2015 (rules history §5).
FIDE_JULY_2008 = conversion((2000.0, False, 720.0, 0.625), (NO_LIMIT, True, UNKNOWN, UNKNOWN))
FIDE_2015 = conversion((2000.0, True, 180.0, 0.94), (NO_LIMIT, True, 20.0, 1.02))
FIDE_2024 = conversion((2000.0, True, -1073.0, 1.5667), (NO_LIMIT, True, 20.0, 1.02))

# FIDE's own change, no rule of US Chess: on this day (counted as ``formulas.outcome`` does) it raised every rating
# below a level by so much of what was missing to it. The conversions of 2024 are for the new scale.
FIDE_RESCALED_ON = date(2024, 3, 1).toordinal()
FIDE_RESCALED_BELOW = 2000.0
FIDE_RESCALED_BY = 0.4

# §6: opponents in foreign youth events.
YOUTH_NOT_FOUND = conversion((NO_LIMIT, True, UNKNOWN, UNKNOWN))
YOUTH_2009 = conversion((2000.0, True, 560.0, 0.76), (NO_LIMIT, True, 80.0, 1.0))
YOUTH_2024 = conversion((2000.0, True, -453.0, 1.2667), (NO_LIMIT, True, 80.0, 1.0))

# §2.2: CFC to the US Chess scale. The pieces of 2025 do not quite meet; they stand as printed (readings 32).
CFC_2001 = conversion((1500.0, True, -90.0, 1.0), (NO_LIMIT, True, -240.0, 1.1))
CFC_2025 = conversion(
    (1150.0, False, -115.0, 0.815),
    (1610.0, False, -650.0, 1.28),
    (2000.0, False, -856.0, 1.41),
    (NO_LIMIT, True, -240.0, 1.1),
)

_FIDE_LINE = (Source.FIDE, 0.0, NO_LIMIT, Credit.BY_RATING)
_CFC_LINE = (Source.CFC, 0.0, NO_LIMIT, Credit.BY_RATING)
_FIDE_ONLINE = (Source.FIDE, 0.0, NO_LIMIT, Credit.NOTHING)
_CFC_ONLINE = (Source.CFC, 0.0, NO_LIMIT, Credit.NOTHING)
_NO_LIST = priority_list()


def _any(source: Source, credit: Credit) -> tuple[Source, float, float, Credit]:
    return (source, 0.0, NO_LIMIT, credit)


def _on_four(source: Source, credit: Credit) -> tuple[Source, float, float, Credit]:
    # The lists ask for four games of another US Chess rating, the blend for none (readings 27).
    return (source, 4.0, NO_LIMIT, credit)


# Two systems of 2001: FIDE, CFC, the other US Chess rating (rules history §7).
PRIORITIES_2001: PriorityLists = (
    priority_list(_FIDE_LINE, _CFC_LINE, _on_four(Source.OTBQ, Credit.NOTHING)),
    priority_list(_FIDE_LINE, _CFC_LINE, _on_four(Source.OTBR, Credit.ITS_GAMES)),
    _NO_LIST,
    _NO_LIST,
    _NO_LIST,
    _NO_LIST,
)
# 2015 text §2.1 to §2.5. Online Quick from online Blitz is worth ten games, the reverse none: as printed.
PRIORITIES_2015: PriorityLists = (
    PRIORITIES_2001[RatingSystem.OTBR],
    priority_list(_on_four(Source.OTBR, Credit.ITS_GAMES), _FIDE_LINE, _CFC_LINE),
    priority_list(
        (Source.OTBR, 25.5, NO_LIMIT, Credit.FULL),  # established: more than 25 games, which half-K counts in halves
        _FIDE_LINE,
        _CFC_LINE,
        _on_four(Source.OTBR, Credit.ITS_GAMES),
        _on_four(Source.OTBQ, Credit.NOTHING),
    ),
    _NO_LIST,
    priority_list(
        _any(Source.OLB, Credit.FULL),
        _any(Source.OTBQ, Credit.NOTHING),
        _any(Source.OTBB, Credit.NOTHING),
        _any(Source.OTBR, Credit.NOTHING),
        _FIDE_ONLINE,
        _CFC_ONLINE,
    ),
    priority_list(
        _any(Source.OLQ, Credit.NOTHING),
        _any(Source.OTBB, Credit.NOTHING),
        _any(Source.OTBQ, Credit.NOTHING),
        _any(Source.OTBR, Credit.NOTHING),
        _FIDE_ONLINE,
        _CFC_ONLINE,
    ),
)

# §2, Game Factors: a row per system being started, a column per source. Over-the-board Regular counts 10
# everywhere; online Quick and Blitz take 10 from their over-the-board twin; everything else counts 5.
_USUAL: Factors = (10.0, 5.0, 5.0, 5.0, 5.0, 5.0)
GAME_FACTORS_2020: GameFactors = (
    _USUAL,
    _USUAL,
    _USUAL,
    _USUAL,
    (10.0, 10.0, 5.0, 5.0, 5.0, 5.0),
    (10.0, 5.0, 10.0, 5.0, 5.0, 5.0),
)

CONSTANTS_2001 = Constants(
    established_above=25.0,
    absolute_floor=100.0,
    effective_cap=50.0,
    effective_base=1.0,
    effective_slope=0.00001,
    effective_centre=2200.0,
    effective_limit=2200.0,
    # §2. Lists first; factors, strength and staleness are those of the blend, which reads them since 2020 only.
    initialisation=Initialisation.PRIORITY,
    priorities=PRIORITIES_2001,
    game_factors=GAME_FACTORS_2020,
    credited_cap=10.0,
    strength_unit=350.0,
    strength_cap=6.0,
    staleness_rate=0.06,
    fide=FIDE_2001,
    fide_youth=YOUTH_NOT_FOUND,
    fide_split=2150.0,
    fide_games_above=10.0,
    fide_games_below=5.0,
    cfc=CFC_2001,
    cfc_split=1500.0,
    cfc_games_above=5.0,
    cfc_games_below=0.0,
    cfc_needs_residence=False,
    age_base=300.0,
    age_slope=50.0,
    age_youngest=4.0,
    age_oldest=20.0,
    too_young_is_adult=True,
    adult_start=1300.0,
    unknown_start=750.0,
    # §4.1
    special_games=8.0,
    special_spread=400.0,
    special_cap=2700.0,
    step_3_games=1.0,
    # §4.2. The weight of N' is 1 in every edition (readings 103), and none limits K; the smaller K is not used before
    # 2013.
    k_numerator=800.0,
    k_effective_weight=1.0,
    k_cap=NO_LIMIT,
    half_k_is_allowed=True,
    dual_k_is_reduced=False,
    dual_k_above=2200.0,
    dual_k_flat_from=2500.0,
    dual_k_base=6.5,
    dual_k_slope=0.0025,
    dual_k_flat=200.0,
    bonus_threshold=10.0,
    bonus_games=3.0,
    bonus_least_games=4.0,
    bonus_meetings=2,
    bonus_meetings_in_three=1,
    # §5. Personal floors are not used before 2008, nor the newer peak floors before 2010.
    personal_floor_is_used=False,
    personal_per_win=4.0,
    personal_per_draw=2.0,
    personal_per_event=1.0,
    personal_event_games=3.0,
    personal_floor_top=150.0,
    peak_drop=200.0,
    peak_step=100.0,
    peak_lowest=1400.0,
    peak_lowest_since_2010=NO_LIMIT,
    peak_highest=2100.0,
    life_master_level=2200.0,
    life_master_games=300,
    money_prize=1000.0,
    money_highest=2000.0,
    # §6
    foreign_needs_established=False,
    foreign_automatic_from=2200.0,
    # §7. Of the limits of a match only that of three years is older than 2006 (rules history §11).
    match_needs_established=False,
    match_published_gap=400.0,
    match_change=NO_LIMIT,
    match_half_year=NO_LIMIT,
    match_half_year_days=180,
    match_three_years=200.0,
    match_years=3,
    floor_request_drop=0.0,
    stores_whole_numbers=True,
)
