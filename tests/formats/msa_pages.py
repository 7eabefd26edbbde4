"""Published crosstables for the tests, put together as the pages of US Chess were (formats, part 2)."""

from collections.abc import Sequence

RULE = "-" * 71

# Dual rated, four players, three rounds: three lines a player. Player 4 has no rating shown.
RESERVE = (
    ("1", "ANN ADAMS", "3.0", ("W   2", "W   3", "X    "), "TX", "12345671 / R: 1641P17->1657P19", "N:2", "WB "),
    ("2", "BEA O&#39;BRIEN", "1.5", ("L   1", "D   3", "B    "), "OK", "12345672 / R: 1540   ->1555  ", "", "BW "),
    ("3", "CY CLARK", "0.5", ("H    ", "L   1", "     "), "", "12345673 / R: Unrated-> 952P2 ", "", " W "),
    ("4", "DEE DAVIS", "0.0", ("F    ", "U    ", "Z    "), "CAN", "12345674 /                     ", "", "   "),
)
RESERVE_QUICK = ("Q: 1500P5 ->1521P7 ", "Q: 1480   ->1490  ", "Q: Unrated-> 900P2", "")
# A round robin: the own column has stars, the columns are opponents.
QUAD = (
    ("1", "EVE EVANS", "1.5", ("*****", "W   2", "D   3"), "NY", "12345675 / Q: 1803   ->1810   ", "", "   "),
    ("2", "FAY FOX", "1.0", ("L   1", "*    ", "W   3"), "NY", "12345676 / Q: 1790   ->1785   ", "", "   "),
    ("3", "GUS GRAY", "0.5", ("D   1", "L   2", "*    "), "NY", "12345677 / Q: 1700   ->1702   ", "", "   "),
)
Row = tuple[str, str, str, tuple[str, ...], str, str, str, str]


def table(rows: Sequence[Row], further: Sequence[str] = ()) -> list[str]:
    """The lines of a table, links left out."""
    rounds = len(rows[0][3])
    lines = [
        RULE,
        f" Pair | Player Name                     |Total|{'Round|' * rounds} ",
        f" Num  | USCF ID / Rtg (Pre->Post)       | Pts |{''.join(f'  {at + 1}  |' for at in range(rounds))} ",
        RULE,
    ]
    for at, (number, name, total, cells, state, ratings, norm, colours) in enumerate(rows):
        lines.append(f"{number:>5} | {name:<32}|{total:<5}|{'|'.join(cells)}|")
        lines.append(f"{state:>5} | {ratings:<32}|{norm:<5}|{'|'.join(f'{colour:<5}' for colour in colours)}|")
        if at < len(further) and further[at]:
            lines.append(f"      |            {further[at]:<21}|     |{'     |' * rounds}")
        lines.append(RULE)
    return lines


def linked(line: str) -> str:
    """A line with the links that pages put around numbers and names."""
    number, bar, rest = line.partition(" | ")
    if not bar or not number.strip().isdigit():
        return line
    name, bar, cells = rest.partition("|")
    pad = name[len(name.rstrip()) :]
    number = f"    <a href=XtblPlr.php?202608300103-001-12345671>{number.strip()}</a>"
    return f"{number} | <a href=MbrDtlMain.php?12345671>{name.rstrip()}</a>{pad}|{cells}"


def section(number: int, name: str, stats: str, lines: Sequence[str], dates: str = "2026-08-29 thru 2026-08-30") -> str:
    """One section of a page with its heading."""
    return f"""
<a anchor="Section{number}"></a>
<table border=1 bgcolor=FFFFFF><tr><td colspan=3 align=center>
<b>Section {number} - {name}</b>
</td></tr>
<tr><td width=70>
Chf. Asst. TD
</td><td width=1></td><td>
<b>SOMEBODY ELSE</b> &nbsp;<small>(10000003)</small>
</td></tr>
<tr><td width=120 bgcolor=EEEEEE>
Section Date(s)
</td><td width=1></td><td>
<b>{dates}</b>
</td></tr>
<tr><td>
Processed
</td><td></td><td>
<b>Received: 2026-09-01 &nbsp; Entered: 2026-09-02 &nbsp; Rated: 2026-09-02 Re-Rated: 2026-10-01</b>
</td></tr>
<tr><td>
Stats
</td><td></td><td>
<b>{stats}</b>
</td></tr>
<tr><td colspan=3>
<pre>{chr(10).join(lines[:1])}
<i> * Numbers and names are links (here they lead nowhere).</i>
Note:  A norm stands under the points.<br>More about norms is said elsewhere.
{chr(10).join(linked(line) for line in lines)}
Note:  Norms may come later.
</pre>
</td></tr></table>
"""


RESERVE_STATS = (
    "3 Rounds,&nbsp; 4 Players;  &nbsp;K Factor: F  &nbsp;Rating Sys: D (FIDE Rated)  &nbsp;Tnmt Type: S  "
    "<br>Time Control: G/60;d5"
)
QUAD_STATS = (
    "3 Rounds,&nbsp; 3 Players;  &nbsp;K Factor: H  &nbsp;Rating Sys: Q   &nbsp;Tnmt Type: R  "
    "<br>Time Control: Round 1: G/25;d3, Round 2: G/20;d3"
)


def page(*sections: str) -> bytes:
    """A whole page; both sample sections unless told."""
    shown = sections or (
        section(1, "RESERVE", RESERVE_STATS, table(RESERVE, RESERVE_QUICK)),
        section(2, "(unnamed)", QUAD_STATS, table(QUAD), "2026-08-29"),
    )
    return f"""
<!--
organizer = (unknown) <pre> 12345678 | not part of the page |
-->
<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">
<html>
<head>
<title>US Chess MSA - Cross Table for SUMMER QUADS (Event 202608300103)</title>
<style type='text/css'>td {{color: black}} pre > a {{color: red}}</style></head>
<body >
<script>if (1 < 2) document.write("<pre>");</script>
<table border=0><tr><td colspan=3>
<b>Event Summary</b>
</td>
<tr><td width=70>
Event
</td><td width=1 rowspan=12></td><td>
<b>SUMMER &quot;QUADS&quot; &amp; MORE</b> &nbsp;<small>(202608300103)</small>
</td></tr>
<tr><td>
Location
</td><td>
<b>SPRINGFIELD, TX &nbsp;73301 &nbsp;USA</b>
</td></tr>
<tr><td>
Event Date(s)
</td><td>
<b>2026-08-29 thru 2026-08-30 </b>
</td></tr>
<tr><td>
Sponsoring Affiliate
</td><td>
<b><a href=http://example.org/?A6000001>SOME CHESS CLUB</a></b> &nbsp;<small>(A6000001)</small>
</td></tr>
<tr><td>
Chief&nbsp; TD
</td><td>
<b>SOMEBODY</b> &nbsp;<small>(10000001)</small>
</td></tr>
<tr><td valign=top>
Other TDs
</td><td>
<b>ONE MORE</b> &nbsp;<small>(10000002)</small><br />
<b>YET ANOTHER</b> &nbsp;<small>(10000004)</small><br />
</td></tr>
<tr><td>
Processed
</td><td>
<b>Received: 2026-09-01 &nbsp; Entered: 2026-09-02 &nbsp; Rated: 2026-09-02</b>
</td></tr>
<tr><td>
Stats
</td><td>
<b>{len(shown)} Section(s),&nbsp; 7 Players</b>
</td></tr>
</table>
{"".join(shown)}
</body>
</html>
""".encode()
