"""Whether two names are those of one person: a wrong digit in a member id names somebody else."""

# Names less alike than this are probably two people.
ALIKE = 0.45


def are_alike(one: str, other: str) -> bool:
    """Whether two names may be those of one person; a missing name contradicts nobody."""
    return not one or not other or likeness(one, other) >= ALIKE


def likeness(one: str, other: str) -> float:
    """How much two names are alike, 0 to 1, whatever their order and case."""
    from difflib import SequenceMatcher  # few files ask, and every start would wait for it

    first, second = (" ".join(sorted(name.casefold().replace(",", " ").split())) for name in (one, other))
    return SequenceMatcher(None, first, second).ratio()
