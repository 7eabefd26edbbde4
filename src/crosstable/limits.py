"""Limits of our own checks: numbers that no rule of US Chess sets, each of them here once.

What a finding says about such a limit is formatted from these names (``catalogue``), and the checks compare with them.
Numbers of the rules are not here: they belong to an edition (``rules.constants``).
"""

# Who stands out in a section: one of so few players from another state than all others, of so many or more; a rating so
# many points above all others; a birth so many years before or after all others. The 200 points are US Chess's own.
FEWEST_TO_STAND_OUT = 8
MOST_FROM_OTHER_STATES = 2
FAR_ABOVE_THE_REST = 200
YEARS_FROM_THE_REST = 20
# A section called U1600 or 1600-1999 has a limit; what is narrower than this is no range of ratings (2025-2026).
NARROWEST_RANGE = 50
# US Chess asks about sections that last longer, in days.
LONGEST_SECTION = 45
# Directors wish to be warned of more hours of play a day.
MOST_HOURS_OF_PLAY = 12
EARLIEST_BIRTH = 1900
# A year of birth is between these, or it is no year.
FIRST_BIRTH_YEAR, LAST_BIRTH_YEAR = 1850, 2100
# No section has more rounds; a row with more cells is no row of a crosstable.
MOST_ROUNDS = 200
# No rating is higher, and no change larger.
HIGHEST_RATING = 4000.0
# A performance so many points away from the rating hints at a wrong member id or a wrong row.
FAR_FROM_RATING = 600.0
# Below this many games a performance says next to nothing.
FEWEST_GAMES_OF_A_PERFORMANCE = 3
# Two players who met so often have played a match.
FEWEST_GAMES_OF_A_MATCH = 2
# US Chess's page of 2006 on matches names one to so many games; its reports take so many.
MOST_GAMES_OF_A_MATCH = 20
MOST_GAMES_OF_A_REPORT = 32
# US Chess asks for a report within so many days of the end, and takes one after the second by hand (official facts §6).
REPORT_DUE = 7
LATEST_REPORT = 10
# An entry of an office's journal so many days after the last one needs a word that the clock is right (an office may
# set another number), and so does one so many days before it.
CLOCK_AHEAD = 90
CLOCK_BEHIND = 1
# The shapes of ids (official facts §6).
MEMBER_ID_DIGITS = 8
AFFILIATE_ID_DIGITS = 7
EVENT_ID_DIGITS = 12
LONGEST_EVENT_ID = 40
# A section whose games are, in so large a part, those of another event on the same day was reported before.
SAME_GAMES = 0.9
# A rating that so many points move under a name that does not fit the id is looked at by the office.
LARGE_CHANGE = 100.0
