"""Veils that were worked out once, kept beside the record: a large office would walk for minutes at every start.

What is kept is of one run and of one text of the rules about veils; for another run it is where a walk goes on from.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from crosstable import __version__
from crosstable.office import public, supplements, veiled_record, veils
from crosstable.office.account_tables import kept_veils
from crosstable.office.database import Office
from crosstable.office.ledger.fold import Progress, in_silence
from crosstable.office.ledger.postings import Key, PostingKey
from crosstable.office.tables import current_posting
from crosstable.office.veiled_record import Checkpoint, Hidden, RecordVeils, Walked
from crosstable.office.veils import Span, Veil
from crosstable.office.views import known
from crosstable.terms import RatingSystem

# An office with fewer postings walks in seconds.
LARGE = 50_000
_QUICKLY = 1


def program(*more: ModuleType) -> str:
    """What works veils out, and more: another version, or another text of its rules, does it anew."""
    digest = hashlib.sha256(__version__.encode())
    for module in (veils, veiled_record, public, supplements, *more):
        assert module.__file__ is not None
        digest.update(Path(module.__file__).read_bytes())
    return digest.hexdigest()


def kept(connection: Connection) -> RecordVeils | None:
    """The veils that were kept, of the newest run or of an earlier one."""
    query = select(kept_veils.c.content).where(kept_veils.c.program == program())
    content = connection.execute(query.order_by(kept_veils.c.run.desc()).limit(1)).scalar()
    return None if content is None else RecordVeils.restored(connection, _walked(json.loads(zlib.decompress(content))))


def keep(office: Office, found: RecordVeils) -> None:
    """Keep veils instead of older ones."""
    walked = found.walked
    if walked is None:
        return
    content = zlib.compress(json.dumps(_document(walked), separators=(",", ":")).encode(), _QUICKLY)
    with office.writing("the site", "keeping veils") as connection:
        newer = select(func.count()).where(kept_veils.c.run > walked.run, kept_veils.c.program == program())
        if connection.execute(newer).scalar():
            return
        connection.execute(delete(kept_veils))
        row = {"run": walked.run, "program": program(), "content": content}
        connection.execute(insert(kept_veils).values(row))


def is_large(connection: Connection, large: int = LARGE) -> bool:
    """Whether keeping veils is worth it."""
    query = select(func.count()).select_from(current_posting)
    return (connection.execute(query).scalar() or 0) >= large


def veils_of(connection: Connection, run: int, progress: Progress = in_silence) -> RecordVeils:
    """The veils of a run: kept, or worked out from those that were kept, or from nothing."""
    before = kept(connection)
    if before is not None and before.record.through == run:
        return before
    return RecordVeils(connection, run, progress, before=before)


def is_prepared(connection: Connection) -> bool:
    """Whether the veils of the newest run are kept."""
    return _kept_run(connection) == known(connection).run


def prepare(office: Office, progress: Progress = in_silence, large: int = LARGE) -> None:
    """Work the veils of a large office out and keep them, if that was not done since the last run."""
    with office.reading() as connection:
        if not is_large(connection, large):
            return
        if is_prepared(connection):
            return
        found = veils_of(connection, known(connection).run, progress)
    keep(office, found)


def _kept_run(connection: Connection) -> int | None:
    return connection.execute(select(func.max(kept_veils.c.run)).where(kept_veils.c.program == program())).scalar()


# As a document, in columns: most of it is the same again and again.


def _document(walked: Walked) -> dict[str, Any]:
    keys = list(walked.postings)
    hidden = list(walked.postings.values())
    return {
        "run": walked.run,
        "members": [key.member_id for key in keys],
        "systems": [int(key.system) for key in keys],
        "events": [key.event_id for key in keys],
        "numbers": [key.section for key in keys],
        "clear": [int(one.is_clear) for one in hidden],
        "before": _spans((at, one.before) for at, one in enumerate(hidden)),
        "after": _spans((at, one.after) for at, one in enumerate(hidden)),
        "sections": [
            [event, number, int(system), int(veil.is_clear), _spans(veil.before.items()), _spans(veil.after.items())]
            for (event, number, system), veil in walked.sections.items()
        ],
        "place": [*(day.toordinal() for day in walked.last.after[:2]), *walked.last.after[2:]],
        "spans": [[member, int(system), *span] for (member, system), span in walked.last.spans.items()],
        "blurred": [[member, int(system)] for member, system in sorted(walked.last.blurred)],
    }


def _spans(found: Iterable[tuple[int, Span | None]]) -> list[tuple[int, float, float]]:
    return [(at, span.low, span.high) for at, span in found if span is not None]


def _walked(document: Mapping[str, Any]) -> Walked:
    before, after = _by_place(document["before"]), _by_place(document["after"])
    columns = (document[name] for name in ("members", "systems", "events", "numbers", "clear"))
    systems = tuple(RatingSystem)
    postings = {
        PostingKey(member, systems[system], event, number): Hidden(bool(clear), before.get(at), after.get(at))
        for at, (member, system, event, number, clear) in enumerate(zip(*columns, strict=True))
    }
    spans = {(member, systems[system]): Span(low, high) for member, system, low, high in document["spans"]}
    blurred = frozenset((member, systems[system]) for member, system in document["blurred"])
    ended, started, event_id, section = document["place"]
    place = Key(date.fromordinal(ended), date.fromordinal(started), event_id, section)
    return Walked(document["run"], postings, dict(_sections(document)), Checkpoint(place, spans, blurred))


def _sections(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int, RatingSystem], Veil]]:
    for event, number, system, clear, before, after in document["sections"]:
        yield (event, number, RatingSystem(system)), Veil(bool(clear), _by_place(before), _by_place(after))


def _by_place(found: Iterable[tuple[int, float, float]]) -> dict[int, Span]:
    return {at: Span(low, high) for at, low, high in found}
