"""Finding members by id, by a pasted list of ids, by name with accents, typos and any order of words; and places.

In memory, and the same over both stores (decision 0013).
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crosstable.office.public_index import Listed, ListedEvent

MOST_FOUND = 500
MOST_WORDS = 12
MOST_IDS = 500
MOST_QUERY = 5_000
# So many times as many as are wanted are looked at.
MANY_TIMES = 20
# How much of the trigrams of a query a name must share with it to be offered as a near miss.
NEAR = 0.45
# Letters that no decomposition takes apart.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
        "þ": "th",
        "ð": "d",
    }
)
_WORD = re.compile(r"\w+")
_ID = re.compile(r"(?<![\w-])[A-Za-z]?\d{5,12}(?![\w-])")


# Names of the states that files write as two letters.
_STATES = """
AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas,
KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi,
MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island,
SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
WV West Virginia, WI Wisconsin, WY Wyoming, PR Puerto Rico
"""
STATES = {code: name for code, _, name in (one.strip().partition(" ") for one in _STATES.split(","))}


class Found(NamedTuple):
    """A member that was found, and whether the name is only near what was asked for."""

    member: Listed
    is_near: bool = False


class Answer(NamedTuple):
    """What a search gave; ``missing`` are ids of a pasted list that are not known.

    ``likeness`` says how near the nearest name is, where none is what was asked for.
    """

    found: tuple[Found, ...]
    missing: tuple[str, ...] = ()
    is_cut: bool = False
    likeness: int = 0


def folded(text: str) -> str:
    """A name in plain small letters: accents off, case folded."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(char for char in apart if not unicodedata.combining(char))


class Words:
    """Texts by their words, and by trigrams of them: what begins with all words of a query, or comes near to them."""

    def __init__(self, texts: Iterable[str]) -> None:
        words: dict[str, array[int]] = {}
        for at, text in enumerate(texts):
            for word in set(_WORD.findall(folded(text))):
                words.setdefault(word, array("I")).append(at)
        self._words = sorted(words)
        self._holders = words
        self._grams: dict[str, array[int]] = {}
        self._lengths = array("I")
        for number, word in enumerate(self._words):
            grams = _grams(word)
            self._lengths.append(len(grams))
            for gram in grams:
                self._grams.setdefault(gram, array("I")).append(number)

    def with_all(self, words: Sequence[str], most: int) -> list[int]:
        """Texts that have a word that begins with each of these; whole words first.

        Of one word alone, which may be two letters, not all are looked at where few are wanted.
        """
        if len(words) == 1:
            return self._with_one(words[0], most)
        held: set[int] | None = None
        for word in words:
            some = {at for known in self._beginning(word) for at in self._holders[known]}
            held = some if held is None else held & some
            if not held:
                return []
        whole = [set(self._holders.get(word, ())) for word in set(words)]
        return sorted(held or (), key=lambda at: (-sum(at in some for some in whole), at))

    def _with_one(self, word: str, most: int) -> list[int]:
        whole = self._holders.get(word, array("I"))[: MANY_TIMES * most]
        found: dict[int, None] = dict.fromkeys(whole)
        for known in self._beginning(word):
            if len(found) > MANY_TIMES * most:
                break
            found.update(dict.fromkeys(self._holders[known]))
        return [*whole, *sorted(list(found)[len(whole) :])]

    def _beginning(self, word: str) -> Iterator[str]:
        at = bisect_left(self._words, word)
        while at < len(self._words) and self._words[at].startswith(word):
            yield self._words[at]
            at += 1

    def near(self, words: Sequence[str]) -> tuple[list[int], int]:
        """Texts that resemble the words, each of which counts by its best likeness; and how near the first one is."""
        score: Counter[int] = Counter()
        for word in words:
            for known, likeness in self._alike(word):
                for at in self._holders[known]:
                    score[at] += likeness
        if not score:
            return [], 0
        best = max(score.values())
        near = [at for at, points in score.items() if points >= best * 0.7]
        return sorted(near, key=lambda at: (-score[at], at)), best

    def _alike(self, word: str) -> list[tuple[str, int]]:
        grams = _grams(word)
        shared: Counter[int] = Counter()
        for gram in grams:
            shared.update(self._grams.get(gram, ()))
        found = []
        for number, count in shared.items():
            likeness = 2 * count / (len(grams) + self._lengths[number])
            if likeness >= NEAR:
                found.append((self._words[number], round(1000 * likeness)))
        return sorted(found, key=lambda one: -one[1])[:20]


class Index:
    """Every member, by id and by the words of the name."""

    def __init__(self, members: Sequence[Listed]) -> None:
        self.members = members
        self.by_id = {one: member for member in members for one in (*member.also, member.member_id)}
        self._names = Words(member.name for member in members)

    def search(self, query: str, most: int = MOST_FOUND) -> Answer:
        """The members that a query means, the likeliest first."""
        query = query[:MOST_QUERY].strip()
        if not query:
            return Answer(())
        ids = list(dict.fromkeys(one.upper() for one in _ID.findall(query)))[:MOST_IDS]
        known = self._by_ids(query, ids)
        if known is not None:
            return known
        words = _WORD.findall(folded(query))[:MOST_WORDS]
        exact = self._names.with_all(words, most)
        near, likeness = ([], 0) if exact else self._names.near(words)
        found = [Found(self.members[at]) for at in exact] + [Found(self.members[at], True) for at in near]
        return Answer(tuple(found[:most]), is_cut=len(found) > most, likeness=likeness)

    def _by_ids(self, query: str, ids: Sequence[str]) -> Answer | None:
        whole = self.by_id.get(query)
        if whole is not None:
            return Answer((Found(whole),))
        found = list(dict.fromkeys(self.by_id[one] for one in ids if one in self.by_id))
        missing = tuple(one for one in ids if one not in self.by_id)
        if not found and not missing:
            return None
        return Answer(tuple(Found(member) for member in found), missing)


def _grams(word: str) -> set[str]:
    """Bigrams and trigrams of a word with its ends marked; short names have few trigrams."""
    marked = f"^{word}$"
    ends = len(marked) + 1
    return {marked[at : at + size] for size in (2, 3) for at in range(ends - size)}


class Place(NamedTuple):
    """An event, a club or a state, as a search offers it."""

    kind: str
    key: str
    name: str
    text: str
    letters: str


class Places:
    """States, clubs and events, by the words of their names and towns."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = places
        self._words = Words(place.letters for place in places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def search(self, query: str, most: int, likeness: int | None = 0) -> tuple[list[Place], bool]:
        """The places that have every word of a query, or that come near to it, and whether they only do that.

        Only those count as near that come nearer than ``likeness``; none where that is ``None``.
        """
        words = _WORD.findall(folded(query[:MOST_QUERY]))[:MOST_WORDS]
        if not words or max(map(len, words)) < 2:
            return [], False
        exact = self._words.with_all(words, most)
        if exact or likeness is None:
            return [self.places[at] for at in exact[:most]], False
        near, best = self._words.near(words)
        return ([self.places[at] for at in near[:most]], True) if best > likeness else ([], False)


def places_of(events: Sequence[ListedEvent]) -> Places:
    """States and clubs, then events, the newest first."""
    states: dict[str, int] = {}
    clubs: dict[str, ListedEvent] = {}
    for event in events:
        if event.state:
            states[event.state] = states.get(event.state, 0) + 1
        if event.affiliate:
            clubs.setdefault(event.affiliate, event)
    found = [
        Place("state", state, STATES.get(state, state), f"state, {count} events", f"{state} {STATES.get(state, '')}")
        for state, count in states.items()
    ]
    for key, event in clubs.items():
        name = event.club or key
        found.append(Place("club", key, name, f"club, {event.where}".rstrip(", "), f"{name} {key} {event.where}"))
    for event in events:
        text = f"event, {event.ended:%b} {event.ended.day}, {event.ended.year}" if event.ended else "event"
        letters = f"{event.name} {event.event_id} {event.where}"
        found.append(Place("event", event.event_id, event.name, text, letters))
    return Places(found)
