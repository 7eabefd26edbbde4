"""§3: the effective number of games.

=========  =======================================================================
symbol     here
=========  =======================================================================
N          ``games``: games the rating is based on; infinite where not known
N*         ``most_effective_games``
N'         ``effective_games``
R0         ``prior``
=========  =======================================================================
"""

import math

from crosstable.rules.constants import Constants


def most_effective_games(constants: Constants, prior: float) -> float:
    """N*, the games a rating of this height can be worth (§3, equation 1)."""
    if prior > constants.effective_limit:
        return constants.effective_cap
    below = constants.effective_centre - prior
    spread = constants.effective_base + constants.effective_slope * (below * below)
    return constants.effective_cap / math.sqrt(spread)


def effective_games(constants: Constants, prior: float, games: float) -> float:
    """N', the smaller of N and N* (§3)."""
    return min(games, most_effective_games(constants, prior))
