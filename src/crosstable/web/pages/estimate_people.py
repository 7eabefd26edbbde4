"""Members in an estimate: whoever is named by id stands for their live rating, a pasted list for its people."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crosstable.app.estimating import Fields
from crosstable.office.public import Shown
from crosstable.office.public_index import Listed
from crosstable.office.rounding import half_up
from crosstable.terms import RatingSystem
from crosstable.web.reading import Snapshot

# Fields that name people: the player, a pasted list of opponents.
ME, ENTRIES = "me", "entries"
MOST_ENTRIES = 50
_RESULT_AND_ID = re.compile(r"([WDLTwdlt?]+)([A-Za-z]?\d{5,12})")
_PERSON = re.compile(r"^\s*[A-Za-z]?\d{5,12}\s*$|[^\W\d_]{3}")
_LINE = re.compile(r"[\n;|\t]+")


class Named(NamedTuple):
    """Fields without people: who plays, where that is known, the opponents' names or blanks, and problems in words."""

    fields: Fields
    player: Listed | None
    names: tuple[str, ...]
    games: str
    problems: tuple[str, ...]


def has_people(fields: Fields) -> bool:
    """Whether anything in an address names a member."""
    return any(
        name in (ME, ENTRIES)
        or (name == "game" and _RESULT_AND_ID.search(text))
        or (name == "rating" and _PERSON.search(text))
        for name, text in fields
    )


def named(read: Snapshot, fields: Fields) -> Named:
    """An address with ratings in the place of people. ``games`` keeps their ids, for the form."""
    given = dict(fields)
    problems: list[str] = []
    rating = given.get("rating", "")
    who = rating if _PERSON.search(rating) else given.get(ME, "")
    player = _meant(read, who, problems) if who.strip() and (who == rating or not rating.strip()) else None
    mine = _live(read, player) if player is not None else {}
    asked = given.get("system", "")
    system = RatingSystem[asked] if asked in RatingSystem.__members__ else next(iter(mine), RatingSystem.OTBR)
    tokens = [token for name, text in fields if name == "game" for token in re.split(r"[\s,]+", text) if token]
    tokens += [f"T{one.member_id}" for one in _entries(read, given.get(ENTRIES, ""), problems) if one != player]
    games = [_game(read, token, system, problems) for token in tokens]
    kept = [(name, text) for name, text in fields if name not in (ME, ENTRIES, "game")]
    if player is not None:
        kept = [(name, text) for name, text in kept if name not in ("rating", "games", "system")]
        kept += [("rating", rating_text(mine.get(system))), ("system", system.name)]
    texts = " ".join(text for text, _ in games)
    return Named([*kept, ("game", texts)], player, tuple(name for _, name in games), " ".join(tokens), tuple(problems))


def _game(read: Snapshot, token: str, system: RatingSystem, problems: list[str]) -> tuple[str, str]:
    """A game as the calculator takes it, and the name of the opponent where it is known."""
    found = _RESULT_AND_ID.fullmatch(token)
    if found is None:
        return token, ""
    member = read.member(found[2].upper())
    if member is None:
        problems.append(f"Nobody has the ID {found[2]}.")
        return token, ""
    return f"{found[1]}{rating_text(_live(read, member).get(system))}", member.name


def _live(read: Snapshot, member: Listed) -> dict[RatingSystem, Shown]:
    return {one.system: one.live for one in read.files.file(member).member.systems}


def rating_text(shown: Shown | None) -> str:
    """A rating with its games, in the notation of an estimate."""
    if shown is None:
        return "U"
    rating = f"{half_up(shown.rating, shown.places):g}"
    return rating if shown.games is None else f"{rating}/{shown.games:g}"


def _entries(read: Snapshot, text: str, problems: list[str]) -> Iterator[Listed]:
    """The people of a pasted list: a line each, by id or by name."""
    lines = [line.strip(" ,.") for line in _LINE.split(text)]
    for line in [line for line in lines if line][:MOST_ENTRIES]:
        if (member := _meant(read, line, problems)) is not None:
            yield member


def _meant(read: Snapshot, line: str, problems: list[str]) -> Listed | None:
    """The member whom a line names; numbers before a name and ratings behind it do not matter."""
    if (known := read.member(line.strip())) is not None:
        return known
    words = re.sub(r"^\d{1,3}[.)]?\s+|\s+\d{3,4}(P\d+)?$|\s+(unr|unrated)\.?$", "", line, flags=re.IGNORECASE)
    answer = read.index.search(words, 3)
    exact = [one.member for one in answer.found if not one.is_near]
    if len(exact) == 1:
        return exact[0]
    if exact:
        problems.append(f"Several people are called {words}: {_listed(exact)}. Give the ID.")
    else:
        near = f" Did you mean {_listed([one.member for one in answer.found])}?" if answer.found else ""
        problems.append(f"Nobody is called {words}.{near}")
    return None


def _listed(members: Sequence[Listed]) -> str:
    return ", ".join(f"{one.name} ({one.member_id})" for one in members)
