"""Members in an estimate: whoever is named by id stands for their live rating, a pasted list for its people.

With a section of the record (``section=EVENT/NUMBER``) they stand for what they brought to it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crosstable.app.estimating import Fields
from crosstable.formulas.outcome import official_rating
from crosstable.office.public import Shown
from crosstable.office.public_index import Listed
from crosstable.office.settings import half_up
from crosstable.terms import RatingSystem
from crosstable.web.pages.estimate_section import KnownSection, known_section
from crosstable.web.reading import Snapshot

# Fields that name people: the player, a pasted list of opponents, a section of the record.
ME, ENTRIES, SECTION = "me", "entries", "section"
MOST_ENTRIES = 50
_RESULT_AND_ID = re.compile(r"([WDLTwdlt?]+)([A-Za-z]?\d{5,12})((?::[\d.]+)?(?:@[\d.]+/\d+)?)")
_SCORE = re.compile(r"\s+(\d{1,2}(?:\.[05])?)\s*(?:/|of)\s*(\d{1,2})$")
_PERSON = re.compile(r"^\s*[A-Za-z]?\d{5,12}\s*$|[^\W\d_]{3}")
# What a section of the record says itself.
_OF_EVENTS = ("games", "control", "dual", "online", "match")
_LINE = re.compile(r"[\n;|\t]+")


class Named(NamedTuple):
    """Fields without people: who plays, where that is known, the opponents' names or blanks, and problems in words."""

    fields: Fields
    player: Listed | None
    names: tuple[str, ...]
    games: str
    problems: tuple[str, ...]
    known: KnownSection | None = None


def has_people(fields: Fields) -> bool:
    """Whether anything in an address names a member."""
    return any(
        name in (ME, ENTRIES, SECTION)
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
    kept = [(name, text) for name, text in fields if name not in (ME, ENTRIES, SECTION, "game")]
    if given.get(SECTION, "").strip() and player is not None:
        known = known_section(read, given[SECTION], player, asked, tokens)
        kept = [(name, text) for name, text in kept if name not in known.fields and name not in _OF_EVENTS]
        fixed = [*kept, *known.fields.items(), ("game", " ".join(known.games))]
        return Named(fixed, player, known.names, " ".join(known.tokens), tuple(problems), known)
    if given.get(SECTION, "").strip():
        problems.append("Say whose results of that section are meant: a name or an ID.")
    listed = _entries(read, given.get(ENTRIES, ""), problems)
    tokens += [f"T{one.member_id}{score}" for one, score in listed if one != player]
    games = [_game(read, token, system, problems) for token in tokens]
    if player is not None:
        kept = [(name, text) for name, text in kept if name not in ("rating", "games", "system")]
        kept += [("rating", rating_text(mine.get(system))), ("system", system.name)]
        if (peak := _peak(read, player, system)) is not None and not given.get("peak", "").strip():
            kept.append(("peak", f"{peak}"))
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
    return f"{found[1]}{rating_text(_live(read, member).get(system))}{found[3]}", member.name


def _live(read: Snapshot, member: Listed) -> dict[RatingSystem, Shown]:
    return {one.system: one.live for one in read.files.file(member).member.systems}


def _peak(read: Snapshot, member: Listed, system: RatingSystem) -> int | None:
    """The highest established rating, which a floor follows from."""
    shown = (one.after for one in read.files.file(member).postings if one.posting.system is system)
    return max((official_rating(one.rating) for one in shown if one and not one.is_provisional), default=None)


def rating_text(shown: Shown | None) -> str:
    """A rating with its games, in the notation of an estimate."""
    if shown is None:
        return "U"
    rating = f"{half_up(shown.rating, shown.places):g}"
    return rating if shown.games is None else f"{rating}/{shown.games:g}"


def _entries(read: Snapshot, text: str, problems: list[str]) -> Iterator[tuple[Listed, str]]:
    """The people of a pasted list: a line each, by id or by name; with the score that may stand behind it."""
    lines = [line.strip(" ,.") for line in _LINE.split(text)]
    for line in [line for line in lines if line][:MOST_ENTRIES]:
        score = _SCORE.search(line)
        said = f"@{score[1]}/{score[2]}" if score else ""
        if (member := _meant(read, _SCORE.sub("", line), problems)) is not None:
            yield member, said


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
