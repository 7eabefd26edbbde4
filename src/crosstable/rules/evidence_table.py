"""Counted from official results of 2001 to 2021 by ``tools/make_evidence.py``; not to be edited."""

# amendment: rows before its date, rows since, rows against
ROWS: dict[str, tuple[int, int, int]] = {
    "2002-01-01 Sections with a main time of 30 to 60 minutes are rated both Regular and Quick.": (0, 312, 0),
    "2004-01-01 Quick rating extended down to 5 minutes.": (0, 3, 0),
    "2008-06-06 Bonus point threshold reduced to 6.": (179, 334, 1),
    "2008-08-07 Personal absolute floors from 100 to 150, over the board.": (9, 164, 0),
    "2012-01-01 Main time and delay are added; dual rating from 30 up to 65.": (0, 15, 0),
    "2012-08-03 Bonus point threshold increased to 8.": (308, 464, 0),
    "2013-03-01 Over-the-board Blitz ratings added, for totals from 5 to 10; Quick is above 10.": (6, 82, 0),
    "2013-05-08 Effective games give lower values, so ratings move more, above all from 1800 to 2200.": (
        1287,
        5173,
        11,
    ),
    "2013-05-08 Smaller K above 2200 for Regular ratings in dual-rated sections.": (2, 13, 0),
    "2014-03-20 Bonus point threshold increased to 10.": (360, 187, 1),
    "2014-09-01 Ratings are stored with decimals; before, as whole numbers, up on a gain and down on a loss.": (
        3421,
        0,
        156,
    ),
    "2015-06-01 Bonus point threshold increased to 12.": (153, 225, 0),
    "2017-06-01 Bonus point threshold increased to 14.": (195, 967, 0),
    "2020-06-01 Online Regular ratings added, from a total of 30 on.": (0, 44, 0),
    "2020-06-01 Initial ratings are blended from all other ratings, weighted by games and age of the rating.": (
        80,
        197,
        0,
    ),
    "2023-02-01 Bonus point threshold reduced to 12.": (967, 0, 0),
}
