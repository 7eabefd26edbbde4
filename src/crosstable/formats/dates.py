"""The one reader of days as people and programs write them.

Read in every file: ``2026-08-30``, ``2026/8/30``, ``2026.08.30``, ``20260830``; with the month in words ``Aug 30,
2026``, ``August 30th 2026``, ``30 August 2026``, ``30-Aug-26``; with the day of the week before or a time of day
behind. Where all is numbers and the year comes last, files differ, and ``Custom`` says how: an American file writes
``8/30/26`` with the month first, a FIDE file ``30.08.2026`` with the day first. In every other case both orders are
tried: ``28/07/2005`` can mean one day only, ``07-08-2026`` two, and is an error that names both.
"""

import re
from collections.abc import Mapping
from datetime import date

from crosstable.tuples import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
# Years of two digits from this one on are of the last century.
PIVOT = 70
FIRST_YEAR, LAST_YEAR = 1000, 2999  # 0026 is a slip
LONGEST = 60
# Patterns are compiled when first used: most files write YYYY-MM-DD, which needs none.
_WEEKDAY = r"(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+"
_CLOCK = r"(?:T|\s+)\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?$"
_SEP = r"(?P<sep>\s?[/.-]\s?)"
_YEAR_FIRST = rf"(?P<y>\d{{4}}){_SEP}(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})"
_COMPACT = r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"
_YEAR_LAST = rf"(?P<a>\d{{1,2}}){_SEP}(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}|\d\d)"
_WORD = r"(?P<word>[A-Za-z]{3,9})\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>\d{4}|\d\d)"
_MONTH_THEN_DAY = rf"{_WORD}[\s-]?{_DAY}(?:,\s?|\s|-){_YEAR}"
_DAY_THEN_MONTH = rf"{_DAY}\.?[\s-]?(?:of\s)?{_WORD}(?:,\s?|[\s-])?{_YEAR}"
_ENDS = r"\s+(?:-|to|through|thru|until)\s+"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_TILL = r"\s?(?:-|to|&|and)\s?"
_WORD_SPAN = rf"(?P<head>{_WORD}\s?)(?P<d>{_NTH}){_TILL}(?P<rest>{_NTH},?\s?\d{{4}})"
_DAY_SPAN = rf"(?P<d>{_NTH}){_TILL}{_NTH}(?P<rest>\s{_WORD},?\s\d{{4}})"
# May 30-June 1, 2026; 6/13-6/14/2026
_YEAR_ONCE = (
    rf"(?P<first>{_WORD}\s?{_NTH}){_TILL}(?P<last>[A-Za-z]{{3,9}}\.?\s?{_NTH}(?P<y>,?\s?\d{{4}}))",
    r"(?P<first>\d{1,2}/\d{1,2})\s?-\s?(?P<last>\d{1,2}/\d{1,2}(?P<y>/\d{4}|/\d\d))",
)
_NUMBER_SPAN = r"(?P<head>\d{4}[/-]\d{1,2}[/-])(?P<d>\d{1,2})\s?-\s?(?P<rest>\d{1,2})"
_SLASH_SPAN = r"(?P<head>\d{1,2}/)(?P<d>\d{1,2})\s?-\s?(?P<rest>\d{1,2}(?P<y>/\d{4}|/\d\d))"
_DASHES = str.maketrans({"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{NO-BREAK SPACE}": " "})


class Custom(NamedTuple):
    """How a kind of file writes days in numbers with the year last: the order that goes with a separator."""

    usual: Mapping[str, str]
    with_short_year: Mapping[str, str]


AMERICAN = Custom({"/": "mdy"}, {"/": "mdy"})
FIDE = Custom({".": "dmy"}, {".": "dmy", "/": "ymd"})


def iso_day(text: str) -> date | None:
    """The day of a text written YYYY-MM-DD and in no other way, or ``None``."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def day_of(text: str) -> date | None:
    """A day whose year has four digits, as an American file writes it; ``None`` where that is none, or several."""
    if (day := iso_day(text)) is not None:
        return day
    try:
        return read_day(text, short_years=False, strict=True)
    except ValueError:
        return None


def read_day(
    text: str, custom: Custom = AMERICAN, *, like: str = "", short_years: bool = True, strict: bool = False
) -> date:
    """The day of a text; raises ``ValueError`` with a sentence where it is none or can be read in several ways.

    ``like`` is another date of the same file, which may show the order of day and month. ``short_years`` are years of
    two digits; they do not say the century of a birth. ``strict`` takes no order but the custom's: where a whole column
    of dates is read one by one, one that is the other way round makes all of them doubtful.
    """
    from crosstable.notation import shown  # costs more than reading most days does

    days = readings(text, custom, like=like, strict=strict)
    if days and not short_years and not re.search(r"\d{4}", text):
        raise ValueError(f"{shown(text)} does not say the century. Write the year with four digits.")
    if len(days) == 1:
        return days[0]
    if not days:
        raise ValueError(f"{shown(text)} is not a date.")
    listed = " or ".join(day.isoformat() for day in days)
    raise ValueError(f"{shown(text)} can be read as {listed}.")


def readings(text: str, custom: Custom = AMERICAN, *, like: str = "", strict: bool = False) -> list[date]:
    """Every day that a text can mean, as a rule one; the first is the custom's."""
    tidy = _tidy(text)
    if found := _match(_YEAR_FIRST, tidy) or _match(_COMPACT, tidy):
        return _days([(found["y"], found["m"], found["d"])])
    if found := _match(_MONTH_THEN_DAY, tidy) or _match(_DAY_THEN_MONTH, tidy):
        month = _month(found["word"])
        return _days([(found["y"], month, found["d"])]) if month else []
    if found := _match(_YEAR_LAST, tidy):
        return _days(_orders(found, custom, like, strict))
    return []


def read_span(text: str, custom: Custom = AMERICAN) -> tuple[date, date]:
    """The first and the last day of ``June 13-14, 2026``, ``6/13/2026 - 6/14/2026`` or one day; raises like a day."""
    first, last = _ends(_tidy(text))
    return read_day(first, custom, like=last), read_day(last, custom, like=first)


def _ends(tidy: str) -> tuple[str, str]:
    if found := _match(_WORD_SPAN, tidy):
        year = found["rest"][-4:]
        return f"{found['head']}{found['d']}, {year}", f"{found['head']}{found['rest']}"
    if found := _match(_NUMBER_SPAN, tidy):
        return found["head"] + found["d"], found["head"] + found["rest"]
    if found := _match(_SLASH_SPAN, tidy):
        return found["head"] + found["d"] + found["y"], found["head"] + found["rest"]
    if found := _match(_DAY_SPAN, tidy):
        return found["d"] + found["rest"], re.split(_TILL, tidy, maxsplit=1)[1]
    for pattern in _YEAR_ONCE:
        if found := _match(pattern, tidy):
            return found["first"] + found["y"], found["last"]
    parts = re.split(_ENDS, tidy, flags=re.ASCII)
    return (parts[0], parts[1]) if len(parts) == 2 else (tidy, tidy)


def _match(pattern: str, text: str) -> re.Match[str] | None:
    return re.fullmatch(pattern, text, re.ASCII)


def _tidy(text: str) -> str:
    tidy = " ".join(text[:LONGEST].translate(_DASHES).split())
    return re.sub(_CLOCK, "", re.sub(f"^{_WEEKDAY}", "", tidy), flags=re.ASCII)


def _month(word: str) -> str:
    return next((str(at) for at, name in enumerate(MONTHS, start=1) if name.startswith(word.lower())), "")


def _shows(like: str) -> tuple[str, str]:
    """The separator of a date, and the order of day and month that it shows by a number above 12."""
    found = _match(_YEAR_LAST, _tidy(like))
    if found is None or (int(found["a"]) > 12) == (int(found["b"]) > 12):
        return "", ""
    return found["sep"].strip(), "dmy" if int(found["a"]) > 12 else "mdy"


def _orders(found: re.Match[str], custom: Custom, like: str, strict: bool) -> list[tuple[str, str, str]]:
    """Year, month and day in every order that the text may have."""
    year, sep = found["y"], found["sep"].strip()
    in_order = {
        order: _in_order(order, found["a"], found["b"], year)
        for order in (("mdy", "dmy", "ymd") if len(year) == 2 else ("mdy", "dmy"))
    }
    settled = (custom.with_short_year if len(year) == 2 else custom.usual).get(sep, "")
    shown_sep, shown_order = _shows(like)
    if shown_sep == sep and settled != "ymd":
        return [in_order[shown_order]]
    if settled and (strict or _days([in_order[settled]])):
        return [in_order[settled]]
    return list(in_order.values())


def _in_order(order: str, *numbers: str) -> tuple[str, str, str]:
    at = dict(zip(order, numbers, strict=True))
    return at["y"], at["m"], at["d"]


def _days(parts: list[tuple[str, str, str]]) -> list[date]:
    """The days of the calendar among these, each once."""
    days = []
    for year, month, day in parts:
        number = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= PIVOT else 2000)
        try:
            days.append(date(number, int(month), int(day)))
        except ValueError:
            continue
    return [day for day in dict.fromkeys(days) if FIRST_YEAR <= day.year <= LAST_YEAR]
