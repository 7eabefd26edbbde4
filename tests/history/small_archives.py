"""A small archive written by hand, in which every table has rows and every kind of row is there."""

from datetime import date

import polars as pl

from crosstable.history.archive import Archive, table_of

SWISS, ROUND_ROBIN, MATCH, FOREIGN = 0, 1, 2, 3


def small_archive() -> Archive:
    """Four members, three sections: a Swiss with byes and a one-sided result, a match, an event abroad."""
    return Archive(
        members=table_of(
            "members",
            {
                "member_id": ["10000001", "10000002", "10000003", "10000004"],
                "name": ["Member, Ada", "Member, Boris", "Member, Clara", "Member, Dmitri"],
                "state": ["NQ"] * 4,
                "birth_date": [date(1980, 1, 1), None, date(2010, 5, 5), None],
                "adult": [None, True, None, None],
                "canadian_resident": [False, False, False, True],
                "fide_id": ["2000001", "", "", ""],
                "cfc_id": ["", "", "", "100004"],
                "fide_flag": ["USA", "", "", ""],
            },
        ),
        outside=table_of(
            "outside",
            {
                "member": [0, 0, 3],
                "body": [0, 0, 1],
                "as_of": [date(2020, 1, 1), date(2021, 1, 1), date(2020, 6, 1)],
                "rating": [2250.0, 2260.0, 1500.0],
            },
        ),
        openings=table_of(
            "openings",
            {
                "member": [0, 1],
                "system": [0, 0],
                "as_of": [date(2020, 1, 1)] * 2,
                "rating": [2300.0, 2250.0],
                "games": [None, 60.0],
                "peak": [None, 2280.0],
                "games_at_2200": [0, 10],
                "floors": ['[["MONEY", 2000.0]]', None],
                "match_changes": [None, '[["2019-11-30", 12.5]]'],
                "source": ["an older list"] * 2,
                "act": [1, 1],
            },
        ),
        decisions=table_of(
            "decisions",
            {
                "act": [2, 3],
                "kind": ["ceiling", "opt-in"],
                "member": [1, 0],
                "system": [0, None],
                "effective": [date(2021, 3, 1), date(2020, 2, 1)],
                "value": [2200.0, None],
                "event_id": ["", ""],
                "details": ["{}", "{}"],
            },
        ),
        sections=table_of(
            "sections",
            {
                "event_id": ["202102070001", "202103140001", "202104110001"],
                "number": [1, 1, 1],
                "event_name": ["Club Swiss", "A Match", "Abroad"],
                "name": ["Open", "Match", "International"],
                "start": [date(2021, 2, 7), date(2021, 3, 13), date(2021, 4, 3)],
                "end": [date(2021, 2, 7), date(2021, 3, 14), date(2021, 4, 11)],
                "kind": [SWISS, MATCH, FOREIGN],
                "is_online": [False] * 3,
                "time_control": ["G/60;d5", "G/90;d5|G/60;d30", ""],
                "asked_systems": [0, 0, 0],
                "systems": [3, 1, 1],
                "is_dual_control": [True, False, False],
                "is_half_k": [False] * 3,
                "match_waiver": [""] * 3,
            },
        ),
        entries=table_of(
            "entries",
            {
                "section": [0, 0, 0, 0, 1, 1, 2, 2],
                "number": [1, 2, 3, 4, 1, 2, 1, 2],
                "member": [0, 1, 2, 3, 0, 1, 0, -1],
                "name": [None, None, "Member, C.", None, None, None, None, "Stranger, A"],
                "rate": [None, None, None, None, None, None, True, None],
                "fide": [None, None, None, None, None, None, None, 2300.0],
                "fide_as_of": [None, None, None, None, None, None, None, date(2021, 4, 1)],
                "start_rating": [None, None, None, 1450.0, None, None, None, None],
                "start_games": [None, None, None, 5.0, None, None, None, None],
                "unplayed": [None, None, "2:H 3:X4", "2:B 3:F3", None, None, None, None],
            },
        ),
        games=table_of(
            "games",
            {
                "section": [0, 0, 0, 0, 0, 1, 1, 2],
                "round": [1, 1, 2, 3, 3, 1, 2, 1],
                "first": [0, 1, 0, 0, 1, 0, 0, 0],
                "second": [2, 3, 1, 1, 0, 1, 1, 1],
                "result": [2, 2, 1, 6, 5, 0, 1, 2],
                "colour": [1, 0, 2, 0, 0, 1, 2, 1],
            },
        ),
        source={"written": "by hand"},
    )


def merged_archive() -> Archive:
    """The small archive after two ids were merged into the second member's: every optional table and column is there.

    The first of them brought an earlier starting rating, the second one entered the match.
    """
    archive = small_archive()
    blank = {"state": ["NQ"] * 2, "canadian_resident": [False] * 2, "cfc_id": [""] * 2, "fide_flag": [""] * 2}
    earlier = archive.openings[1].with_columns(as_of=pl.lit(date(2019, 6, 1)), rating=pl.lit(2100.0))
    openings = pl.concat([earlier, archive.openings]).with_columns(member_id=pl.Series(["20000001", None, None]))
    return archive._replace(
        members=archive.members.with_columns(
            pl.Series("birth_year", [None, None, 2010, None], dtype=pl.Int32),
            pl.Series("age_lists", [None, None, True, None]),
            birth_date=pl.Series([date(1980, 1, 1), None, date(2010, 7, 1), None]),
            is_year_only=pl.Series([None, None, True, None]),
        ),
        openings=openings,
        decisions=archive.decisions.with_columns(member_id=pl.Series(["20000002", None])),
        sections=archive.sections.with_columns(details=pl.Series([None, '{"chief": "12345678"}', None])),
        entries=archive.entries.with_columns(
            other_starts=pl.Series([None] * 3 + ['{"OTBQ":[1400.0,4.0]}'] + [None] * 4, dtype=pl.String),
            member_id=pl.Series([None] * 5 + ["20000002", None, "30000001"], dtype=pl.String),
            rounds=pl.Series([None, "W4 D1w R1 -", *[None] * 6]),
            extra=pl.Series([None] * 4 + ['{"pairing_rating": 2301.0}', None, None, None], dtype=pl.String),
        ),
        merged=table_of(
            "merged",
            {
                "member_id": ["20000001", "20000002"],
                "name": ["Member, Boris", "Member, B."],
                **blank,
                "birth_year": [None, 1979],
                "age_lists": [None, False],
                "fide_id": ["", "2000002"],
                "into_id": ["20000002", "10000002"],
                "outside": [None, '[["FIDE","2020-01-01",2150.0]]'],
            },
        ),
        events=table_of(
            "events",
            {
                "event_id": ["202102070001"],
                "start": [date(2021, 2, 6)],
                "details": ['{"city": "Springfield"}'],
            },
        ),
    )
