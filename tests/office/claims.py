"""What must hold of an office whatever happened in it; each claim raises with what it found."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from sqlalchemy import Connection, func, select

from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.postings import OWN, Posting, PostingKey, all_current
from crosstable.office.ledger.rerate import last_run
from crosstable.office.proof import proof
from crosstable.office.supplements import ListRow, published_rows, supplements
from crosstable.office.views import ripple
from crosstable.terms import RatingSystem
from tests.office.made_office import derived, posted, run

Postings = Mapping[PostingKey, Posting]
Place = tuple[str, RatingSystem]


class Claims:
    """The claims about one office, with what was seen of it before."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.before: Postings = posted(office)
        with office.reading() as connection:
            self.run = last_run(connection)
        self.lists: dict[str, list[ListRow]] = {}

    def after_a_run(self) -> None:
        """Everything that must hold when all is rated."""
        stored = posted(self.office)
        follows_from_the_facts(stored, derived(self.office))
        chains_link(stored.values())
        with self.office.reading() as connection:
            state_is_the_sum(connection, stored.values())
            assert list(proof(connection)) == []
            newest = last_run(connection)
            runs = connection.execute(select(tables.run.c.act).where(tables.run.c.act > self.run)).scalars().all()
            assert list(runs) in ([], [newest]), f"runs {runs} since the last look"
            if newest != self.run:
                self._ripple_tells_what_changed(connection, newest, stored)
        assert run(self.office) is None, "a second run had something to do"
        self.before, self.run = stored, newest
        self.after_a_list()

    def _ripple_tells_what_changed(self, connection: Connection, newest: int, stored: Postings) -> None:
        """Exactly those are named whose postings changed, with the ratings before and after, and acts since the run."""
        changed = {_place(one) for one in set(self.before.items()) ^ set(stored.items())}
        lines = {(line.member_id, line.system): line for line in ripple(connection, newest)}
        assert lines.keys() == changed
        then, now = last_of(self.before.values()), last_of(stored.values())
        for place, line in lines.items():
            assert line.rating_before == (then[place].rating_after if place in then else None), line
            assert line.rating_after == (now[place].rating_after if place in now else None), line
            assert line.causes, line
            assert all(self.run < act < newest for act in line.causes), (self.run, newest, line)

    def after_a_list(self) -> None:
        """Lists that were published stay as they were; new ones are remembered."""
        with self.office.reading() as connection:
            found = {one.month: published_rows(connection, one.month) for one in supplements(connection)}
        for month, rows in self.lists.items():
            assert found.get(month) == rows, f"the list of {month} changed"
        self.lists = found

    def after_everything(self) -> None:
        """What ``office verify`` says, which recomputes every posting and every list."""
        run(self.office)
        self.after_a_run()
        assert audit(self.office).findings == ()


def _place(item: tuple[PostingKey, Posting]) -> Place:
    return item[0].member_id, item[0].system


def follows_from_the_facts(stored: Postings, made: Postings) -> None:
    """What is stored equals rating everything from zero, posting by posting and bit by bit."""
    differing = [about for about in stored.keys() | made.keys() if stored.get(about) != made.get(about)]
    shown = [(about, stored.get(about), made.get(about)) for about in sorted(differing)[:2]]
    assert not differing, f"{len(differing)} postings differ: {shown}"


def by_member(postings: Iterable[Posting]) -> dict[Place, list[Posting]]:
    """The postings of each member in each system, in the order of the fold."""
    chains: dict[Place, list[Posting]] = {}
    for posting in sorted(postings, key=lambda one: one.key):
        chains.setdefault((posting.member_id, posting.system), []).append(posting)
    return chains


def last_of(postings: Iterable[Posting]) -> dict[Place, Posting]:
    """The last posting of each member in each system."""
    return {place: chain[-1] for place, chain in by_member(postings).items()}


def chains_link(postings: Iterable[Posting]) -> None:
    """Every posting starts where the one before it ended, and N grows by the games played."""
    for chain in by_member(postings).values():
        assert chain[0].rating_before is None, chain[0]
        for one, other in pairwise(chain):
            assert (one.rating_after, one.games_after) == (other.rating_before, other.games_before), (one, other)
        for fault in grows_wrongly(chain):
            raise AssertionError(fault)


def grows_wrongly(chain: Iterable[Posting]) -> Iterator[str]:
    """Postings of sections after which N is not what it was before and the games played; half of them in half K."""
    for one in chain:
        if one.event_id.startswith(OWN) or one.games_after is None:
            continue
        assert one.played
        before = one.start_games if one.rating_before is None else one.games_before
        assert before is not None
        if one.games_after not in (before + one.played, before + one.played / 2):
            yield f"{before} and {one.played} games make {one.games_after}: {one}"


def state_is_the_sum(connection: Connection, postings: Iterable[Posting]) -> None:
    """The state that the last run wrote down is the sum of the fingerprints of what is current."""
    table = tables.run
    written = connection.execute(select(table.c.state_after).order_by(table.c.act.desc()).limit(1)).scalar()
    assert written == text_of(sum(one.fingerprint for one in postings))
    newest = select(func.max(tables.posting.c.posting_id)).group_by("member_id", "system", "event_id", "section")
    rated = tables.posting.c.rating_after.is_not(None)
    numbers = connection.execute(
        select(tables.posting.c.posting_id).where(tables.posting.c.posting_id.in_(newest), rated)
    )
    assert set(numbers.scalars()) == {stored.posting_id for stored in all_current(connection).values()}
