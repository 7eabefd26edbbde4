"""Reading the records of a rating report: typed access by field, every fault collected with its place."""

from collections.abc import Mapping
from datetime import date

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.dbf import Record, Table
from crosstable.formats.findings import FaultList

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_DATE_LENGTH = 8
_LONGEST_NUMBER = 5


class Row:
    """One record being read."""

    def __init__(self, table: Table, record: Record, faults: FaultList) -> None:
        self._table = table
        self._record = record
        self._faults = faults

    @property
    def place(self) -> str:
        """File, record, and what the record itself says it is about."""
        return f"{self._table.name}, record {self._record.number}{self._about()}"

    def _about(self) -> str:
        values = self._record.values
        section = values.get("S_SEC_NUM") or values.get("D_SEC_NUM") or ""
        pairing = values.get("D_PAIR_NUM") or ""
        words = [f"section {section}"] if section.isalnum() else []
        words += [f"pairing number {pairing}"] if pairing.isalnum() else []
        return f" ({', '.join(words)})" if words else ""

    def at(self, field: str) -> str:
        """The place of a field."""
        return f"{self.place}, field {field}"

    def report(self, code: str, field: str, message: str, remedy: str = "") -> None:
        """Collect a fault about a field."""
        self._faults.append(fault(code, self.at(field), message, remedy))

    def raw(self, field: str) -> str:
        """What stands in a field, good or bad."""
        return self._record.values.get(field, "")

    def text(self, field: str) -> str:
        """The text of a field, empty where there is none; what cannot be printed is a fault."""
        text = self.raw(field).replace("\N{NO-BREAK SPACE}", " ").strip()
        if text.isprintable():
            return text
        shown = "".join(letter if letter.isprintable() else _REPLACEMENT for letter in text)
        self.report("bad-value", field, f"{shown!r} holds characters that cannot be printed.")
        return shown

    def name(self, field: str) -> str:
        """A name, tidied."""
        tidy = tidy_name(self.raw(field))
        return tidy if tidy.isprintable() else self.text(field)

    def whole(self, field: str) -> int | None:
        """A whole number, or ``None`` where the field is blank or holds something else, which is a fault."""
        text = self.text(field)
        if not text:
            return None
        if not (text.isascii() and text.isdigit()):
            self.report("wrong-type", field, f"{text!r} is no whole number.")
            return None
        if len(text) > _LONGEST_NUMBER:
            self.report("bad-value", field, f"{text} is too large.")
            return None
        return int(text)

    def day(self, field: str) -> date | None:
        """A date written YYYYMMDD, or ``None`` where the field is blank."""
        text = self.text(field)
        if not text.strip("0"):
            return None
        if len(text) == _DATE_LENGTH and text.isascii() and text.isdigit():
            try:
                return date(int(text[:4]), int(text[4:6]), int(text[6:]))
            except ValueError:
                pass
        self.report("bad-date", field, f"{text!r} is not a date.", "Write it as YYYYMMDD.")
        return None

    def details(self, fields: Mapping[str, str]) -> dict[str, str]:
        """What the file carries beyond rating, by the names that all formats share."""
        texts = {detail: self.text(field) for detail, field in fields.items()}
        return {detail: text for detail, text in texts.items() if text}


def tidy_name(text: str) -> str:
    """A name without the tabulator that some people put after its comma."""
    return ", ".join(part.strip() for part in text.split(",")) if ",\t" in text else text.strip()


def live_rows(table: Table, faults: FaultList) -> list[Row]:
    """The records that are not marked as deleted, with a warning for each that is."""
    rows = []
    for record in table.records:
        row = Row(table, record, faults)
        if record.is_deleted:
            faults.append(_deleted(row.place))
        else:
            rows.append(row)
    return rows


def _deleted(place: str) -> Fault:
    return fault("ignored-record", place, "The record is marked as deleted and was left out.")
