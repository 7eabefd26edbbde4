"""Finding members by id, by a pasted list of ids, by name with accents, typos and any order of words; and places."""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
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


class Found(NamedTuple):
    """A member that was found, and whether the name is only near what was asked for."""

    member: Listed
    is_near: bool = False


class Answer(NamedTuple):
    """What a search gave; ``missing`` are ids of a pasted list that are not known."""

    found: tuple[Found, ...]
    missing: tuple[str, ...] = ()
    is_cut: bool = False


def folded(text: str) -> str:
    """A name in plain small letters: accents off, case folded."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(char for char in apart if not unicodedata.combining(char))


class Index:
    """Every member, by id, by the words of the name, and by trigrams of them."""

    def __init__(self, members: Sequence[Listed]) -> None:
        self.members = members
        self.by_id = {one: member for member in members for one in (*member.also, member.member_id)}
        words: dict[str, array[int]] = {}
        for at, member in enumerate(members):
            for word in set(_WORD.findall(folded(member.name))):
                words.setdefault(word, array("I")).append(at)
        self._words = sorted(words)
        self._holders = words
        self._grams: dict[str, array[int]] = {}
        for number, word in enumerate(self._words):
            for gram in _grams(word):
                self._grams.setdefault(gram, array("I")).append(number)

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
        exact = self._with_all(words, most)
        near = [] if exact else self._near(words)
        found = [Found(self.members[at]) for at in exact] + [Found(self.members[at], True) for at in near]
        return Answer(tuple(found[:most]), is_cut=len(found) > most)

    def _by_ids(self, query: str, ids: Sequence[str]) -> Answer | None:
        whole = self.by_id.get(query)
        if whole is not None:
            return Answer((Found(whole),))
        found = list(dict.fromkeys(self.by_id[one] for one in ids if one in self.by_id))
        missing = tuple(one for one in ids if one not in self.by_id)
        if not found and not missing:
            return None
        return Answer(tuple(Found(member) for member in found), missing)

    def _with_all(self, words: Sequence[str], most: int) -> list[int]:
        """Members whose names have a word that begins with each of these; whole words first.

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
        whole = self._holders.get(word, array("I"))
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

    def _near(self, words: Sequence[str]) -> list[int]:
        """Members whose names resemble the words: each word counts by its best likeness."""
        score: Counter[int] = Counter()
        for word in words:
            for known, likeness in self._alike(word):
                for at in self._holders[known]:
                    score[at] += round(1000 * likeness)
        if not score:
            return []
        best = max(score.values())
        near = [at for at, points in score.items() if points >= best * 0.7]
        return sorted(near, key=lambda at: (-score[at], at))

    def _alike(self, word: str) -> list[tuple[str, float]]:
        grams = _grams(word)
        shared: Counter[int] = Counter()
        for gram in grams:
            shared.update(self._grams.get(gram, ()))
        found = []
        for number, count in shared.items():
            known = self._words[number]
            likeness = 2 * count / (len(grams) + len(_grams(known)))
            if likeness >= NEAR:
                found.append((known, likeness))
        return sorted(found, key=lambda one: -one[1])[:20]


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


def places_of(events: Sequence[ListedEvent]) -> list[Place]:
    """States and clubs, then events, the newest first."""
    states: dict[str, int] = {}
    clubs: dict[str, ListedEvent] = {}
    for event in events:
        if event.state:
            states[event.state] = states.get(event.state, 0) + 1
        if event.affiliate:
            clubs.setdefault(event.affiliate, event)
    found = [Place("state", state, state, f"state, {count} events", folded(state)) for state, count in states.items()]
    for key, event in clubs.items():
        name = event.club or key
        found.append(Place("club", key, name, f"club, {event.where}".rstrip(", "), folded(f"{name} {key}")))
    for event in events:
        text = f"event, {event.ended:%b} {event.ended.day}, {event.ended.year}" if event.ended else "event"
        letters = folded(f"{event.name} {event.event_id} {event.where}")
        found.append(Place("event", event.event_id, event.name, text, letters))
    return found


def find_places(places: Sequence[Place], query: str, most: int) -> list[Place]:
    """The places whose names hold every word of a query."""
    words = _WORD.findall(folded(query[:MOST_QUERY]))[:MOST_WORDS]
    found: list[Place] = []
    if not words or max(map(len, words)) < 2:
        return found
    for place in places:
        if all(word in place.letters for word in words):
            found.append(place)
            if len(found) == most:
                break
    return found
