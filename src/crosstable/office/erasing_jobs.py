"""Jobs that speak of a person who is erased: files that wait, and files and findings of jobs that are over."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Connection, select, update

from crosstable.errors import CrosstableError, OfficeError
from crosstable.formats import members as members_format
from crosstable.formats.detect import read_data
from crosstable.office.account_tables import job
from crosstable.office.accounts import instant
from crosstable.office.jobs import OPEN, JobKind, JobState

_TEXTS = ("author", "reason", "error")
_JSON = ("wish", "result")


class Whom(Protocol):
    """Who is erased."""

    @property
    def ids(self) -> Sequence[str]:
        """Under which they are known."""

    @property
    def names(self) -> Sequence[str]:
        """Every spelling of the name."""

    def without(self, said: str) -> str:
        """A text without the name."""


def require_none_waits(connection: Connection, person: Whom) -> None:
    """Refuse while the file of a job that waits names the person: it would bring the name back when it is stored."""
    waiting = [row["job_id"] for row in jobs_about(connection, person) if row["state"] in OPEN]
    if waiting:
        raise OfficeError(
            f"a file that waits names member {person.ids[0]}: job {', '.join(waiting)}. Let a worker store it first, "
            f"or cancel it (crosstable office jobs cancel {waiting[0]}); nothing was erased"
        )


def cancel_waiting(connection: Connection, person: Whom, now: datetime) -> None:
    """Cancel jobs of a restored office whose files name somebody who was erased since."""
    said = "its file names a person who was erased; send it again without them"
    values = {"state": JobState.CANCELED.value, "ended": instant(now), "lease": None, "error": said}
    for row in jobs_about(connection, person):
        if row["state"] in OPEN:
            connection.execute(update(job).where(job.c.job_id == row["job_id"]).values(values))


def clear_ended(connection: Connection, person: Whom) -> None:
    """Drop the files of jobs that are over and name the person, and the name from what the jobs say."""
    for row in jobs_about(connection, person):
        if row["state"] not in OPEN:
            values = {name: row[name] and person.without(row[name]) for name in _TEXTS}
            values |= {name: row[name] and json.dumps(_cleared(json.loads(row[name]), person)) for name in _JSON}
            connection.execute(update(job).where(job.c.job_id == row["job_id"]).values(content=None, **values))


def _cleared(value: Any, person: Whom) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return person.without(value)
    if isinstance(value, list):
        return [_cleared(one, person) for one in value]
    return {name: _cleared(one, person) for name, one in value.items()} if isinstance(value, dict) else value


def jobs_about(connection: Connection, person: Whom) -> Iterator[Mapping[Any, Any]]:
    """Jobs that speak of a person."""
    for row in connection.execute(select(job)).mappings().all():
        told = [*(row[name] or "" for name in _TEXTS), *(str(json.loads(row[name] or "{}")) for name in _JSON)]
        if row["content"] is not None:
            told += _said(JobKind(row["kind"]), json.loads(row["wish"])["name"], bytes(row["content"]), person)
        said = "\n".join(told).casefold()
        if any(word.casefold() in said for word in (*person.ids, *person.names)):
            yield row


def _said(kind: JobKind, name: str, content: bytes, person: Whom) -> list[str]:
    """What a file says; one that cannot be read may say anything."""
    try:
        read: object = members_format.read(content, name) if kind is JobKind.IMPORT else read_data(content, name)
    except CrosstableError:
        return [person.ids[0]]
    return [repr(read), content.decode("latin-1")]
