"""How a finding is made. The catalogue is opened with the first one: most events give none."""

from collections.abc import Mapping

from crosstable.errors import Fault, Level, Severity
from crosstable.tuples import NamedTuple


class Said(NamedTuple):
    """What is to be said of a place: the id of a message and the values to put in."""

    key: str
    values: Mapping[str, object]


def fault(name: str, place: str, message: str = "", remedy: str = "", /, **values: object) -> Fault:
    """A finding of a catalogued kind; the catalogue's remedy stands unless a nearer one is given.

    ``name`` is the id of a message: a code, with a suffix after a colon where the code has several messages; ``values``
    are put in by name. Readers give a ``message`` of their own where it is about a file and not about the rules.
    """
    from crosstable.catalogue import CATALOGUE, TEMPLATES

    code, _, suffix = name.partition(":")
    kind = CATALOGUE[code]
    if message and (suffix or values):
        raise TypeError(f"{name}: either a message or the values of one, not both")
    text = message or TEMPLATES[name].say(**values).text
    return Fault(code, kind.severity, place, text, remedy or kind.remedy)


def severity_of(code: str) -> Severity | None:
    """How grave findings of a code usually are; nothing for a code that is not known."""
    from crosstable.catalogue import CATALOGUE

    kind = CATALOGUE.get(code)
    return None if kind is None else kind.severity


def level_of(found: Fault) -> Level:
    """How the validation of US Chess would rank a finding."""
    from crosstable.catalogue import CATALOGUE
    from crosstable.finding_kinds import LEVELS

    kind = CATALOGUE.get(found.code)
    return LEVELS[found.severity] if kind is None else kind.level
