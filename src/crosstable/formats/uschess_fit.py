"""Making texts fit the fields of a rating report: cut and respelled as pairing programs do, each change a warning."""

import unicodedata
from collections.abc import Sequence

from crosstable.errors import Fault, TimeControlError
from crosstable.faults import fault
from crosstable.formats.dbf import Field
from crosstable.formats.uschess_2c import shortened
from crosstable.rules.time_controls import parse_time_control, split_schedule
from crosstable.terms import TimeControl

_TEXTS = frozenset({"H_NAME", "H_CITY", "H_COUNTRY", "S_SEC_NAME", "D_NAME"})
_CONTROL = "S_TIMECTL"
# What tells apart sections, players and games: where it does not fit, nothing can be written.
_NEEDED = ("H_TOT_SECT", "S_SEC_NUM", "S_TOT_RNDS", "S_LST_PAIR", "D_SEC_NUM", "D_PAIR_NUM", "D_RND")
# Letters that do not come apart into a plain one and an accent.
_PLAIN = str.maketrans(
    {
        **{"ß": "ss", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Ł": "L", "ł": "l"},
        **{"Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Þ": "Th", "þ": "th", "½": "1/2"},
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
        **{"\N{LEFT SINGLE QUOTATION MARK}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'"},
        **{"\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"'},
        **{"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{NO-BREAK SPACE}": " "},
    }
)


def make_fit(table: str, fields: Sequence[Field], rows: Sequence[dict[str, str]], changes: list[Fault]) -> None:
    """Change the rows of a table so that they fit its fields."""
    for number, row in enumerate(rows, 1):
        for field in fields:
            text, place = row.get(field.name, ""), f"{table}, record {number}, field {field.name}"
            if text and not field.name.startswith(_NEEDED):
                row[field.name] = _fitted(text, field, place, changes)
        if not row.get("D_NAME", "x"):
            row["D_NAME"] = f"Player {row['D_PAIR_NUM']}"


def _fitted(text: str, field: Field, place: str, changes: list[Fault]) -> str:
    plain = in_plain_letters(text)
    if plain != text:
        changes.append(fault("respelled", place, text=text, written=plain))
    if len(plain) <= field.width:
        return plain
    if field.name in _TEXTS:
        cut = shortened(plain, field.width)
        changes.append(fault("shortened", place, text=plain, width=field.width, written=cut))
        return cut
    if field.name == _CONTROL and (control := _slowest(plain)):
        changes.append(fault("not-written:control", place, text=plain, written=control))
        return control
    changes.append(fault("not-written:field", place, text=plain))
    return ""


def in_plain_letters(text: str) -> str:
    """A text in ASCII: accents go, a few letters are written out, and what has no plain letter is left out."""
    if text.isascii() and text.isprintable():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return " ".join("".join(letter for letter in apart if letter.isascii() and letter.isprintable()).split())


def _slowest(text: str) -> str:
    """The slowest control of a schedule in the spelling of US Chess, by which the section is rated; or nothing."""
    try:
        return _official(max(map(parse_time_control, split_schedule(text)), key=lambda control: control.total))
    except TimeControlError:
        return ""


def _official(control: TimeControl) -> str:
    *first, last = control.stages
    stages = [f"{stage.moves}/{stage.minutes}" for stage in first]
    stages.append(f"{last.moves or ('SD' if first else 'G')}/{last.minutes}")
    sign = "+" if control.is_increment else "d"
    return ",".join(stages) + (f";{sign}{control.seconds}" if control.seconds >= 0 else "")
