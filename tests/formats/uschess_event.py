"""A small rating report in format 2C, written out by hand.

Section 1 has three rounds, section 2 two; so the third cell of section 2's players is spare.
"""

from collections.abc import Mapping, Sequence

from tests.formats.dbf_builder import Layout, table

EVENT: Layout = [
    *(("H_FORMAT", "C", 5), ("H_PROGRAM", "C", 10), ("H_EVENT_ID", "C", 12), ("H_NAME", "C", 35)),
    *(("H_TOT_SECT", "C", 2), ("H_BEG_DATE", "C", 8), ("H_END_DATE", "C", 8), ("H_AFF_ID", "C", 8)),
    *(("H_CITY", "C", 21), ("H_STATE", "C", 2), ("H_ZIPCODE", "C", 10), ("H_COUNTRY", "C", 21)),
    *(("H_SENDCROS", "C", 1), ("H_CTD_ID", "C", 8), ("H_ATD_ID", "C", 8), ("H_OTHER_TD", "C", 255)),
]
SECTION: Layout = [
    *(("S_EVENT_ID", "C", 12), ("S_SEC_NUM", "C", 2), ("S_SEC_NAME", "C", 30), ("S_R_SYSTEM", "C", 1)),
    *(("S_TIMECTL", "C", 40), ("S_CTD_ID", "C", 8), ("S_ATD_ID", "C", 8), ("S_TRN_TYPE", "C", 1)),
    *(("S_TOT_RNDS", "C", 2), ("S_LST_PAIR", "C", 4), ("S_BEG_DATE", "C", 8), ("S_END_DATE", "C", 8)),
    *(("S_SCH_LVL", "C", 1), ("S_GR_PRIX", "C", 1), ("S_GP_PTS", "C", 3), ("S_FIDE", "C", 1)),
]
PLAYER: Layout = [
    *(("D_EVENT_ID", "C", 12), ("D_SEC_NUM", "C", 2), ("D_PAIR_NUM", "C", 4), ("D_MEM_ID", "C", 8)),
    *(("D_NAME", "C", 30), ("D_STATE", "C", 2), ("D_RATING", "C", 4)),
]
Row = Mapping[str, str | bytes]


def player_layout(rounds: int) -> Layout:
    return [*PLAYER, *((f"D_RND{number:02}", "C", 7) for number in range(1, rounds + 1))]


def event_row(**changes: str) -> Row:
    row = {
        "H_FORMAT": "2C",
        "H_PROGRAM": "SWISSSYS11",
        "H_NAME": "Spring Open",
        "H_TOT_SECT": "2",
        "H_BEG_DATE": "20260404",
        "H_END_DATE": "20260405",
        "H_AFF_ID": "A1234567",
        "H_CITY": "Springfield",
        "H_STATE": "OR",
        "H_ZIPCODE": "97000",
        "H_COUNTRY": "USA",
        "H_SENDCROS": "N",
        "H_CTD_ID": "20000001",
        "H_ATD_ID": "20000002",
        "H_OTHER_TD": "20000003,20000004",
    }
    return {**row, **changes}


def section_row(number: str, players: str, **changes: str) -> Row:
    row = {
        "S_SEC_NUM": number,
        "S_SEC_NAME": f"Section {number}",
        "S_R_SYSTEM": "R",
        "S_TIMECTL": "G/60;d5",
        "S_CTD_ID": "20000001",
        "S_TRN_TYPE": "S",
        "S_TOT_RNDS": "3",
        "S_LST_PAIR": players,
        "S_GR_PRIX": "N",
        "S_FIDE": "N",
    }
    return {**row, **changes}


def player_row(section: str, number: str, cells: str, **changes: str | bytes) -> Row:
    row: dict[str, str | bytes] = {
        "D_SEC_NUM": section,
        "D_PAIR_NUM": number,
        "D_MEM_ID": f"3000{int(section):02}{int(number):02}",
        "D_NAME": f"PLAYER, {'ABCDEFGHIJ'[int(number) - 1]}",
        "D_STATE": "OR",
        "D_RATING": "1500",
        **{f"D_RND{at:02}": cell for at, cell in enumerate(cells.split(), 1)},
    }
    return {**row, **changes}


SECTIONS = [
    section_row("1", "4", S_BEG_DATE="20260404", S_END_DATE="20260405", S_SCH_LVL="N", S_GP_PTS="10"),
    section_row("2", "3", S_TRN_TYPE="S", S_TOT_RNDS="2", S_R_SYSTEM="D"),
]
PLAYERS = [
    player_row("1", "1", "W4B W2W D3B", D_RATING="1951"),
    player_row("1", "2", "W3W L1B H0"),
    player_row("1", "3", "L2B X0 D1W", D_MEM_ID="00000000"),
    player_row("1", "4", "L1W F0 U0", D_MEM_ID="", D_RATING="0", D_STATE=""),
    player_row("2", "1", "W2W B0 U0"),
    player_row("2", "2", "L1B D3W U0"),
    player_row("2", "3", "Z0 D2B U0"),
]


def tables(
    event: Row | None = None,
    sections: Sequence[Row] | None = None,
    players: Sequence[Row] | None = None,
    rounds: int = 3,
) -> dict[str, bytes]:
    """The three files; what is not given is as above."""
    return {
        "THEXPORT.DBF": table(EVENT, [event_row() if event is None else event]),
        "TSEXPORT.DBF": table(SECTION, SECTIONS if sections is None else sections),
        "TDEXPORT.DBF": table(player_layout(rounds), PLAYERS if players is None else players),
    }


def one_section(rows: Sequence[str], rounds: int, **changes: str) -> dict[str, bytes]:
    """An event of one section, given as the cells of its players."""
    section = section_row("1", str(len(rows)), **{"S_TOT_RNDS": str(rounds), **changes})
    players = [player_row("1", str(number), cells) for number, cells in enumerate(rows, 1)]
    return tables(event_row(H_TOT_SECT="1"), [section], players, max(rounds, *(len(row.split()) for row in rows)))
