"""The folder of a sweep: a Parquet file for every rule set as it is finished, and what the sweep is of.

A file gets its name only when it is whole, and the name is made of everything that the scores depend on: the constants,
the archive, the spans, and the code that scores. So a half-written file is never taken for a result, a sweep goes
on where it was stopped, and a result of something else is never taken for one of this.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
from polars.exceptions import PolarsError

from crosstable.errors import HistoryError
from crosstable.lab.documents import PARTIAL, plain, whole, write_whole
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.plans import Plan, Varied
from crosstable.lab.sweep_tasks import Days, Job, Scored, Scores
from crosstable.machine import try_lock
from crosstable.rules.rule_sets import RuleSet

RESULTS = "results"
ABOUT, DOCUMENT, LOCK = "about.json", "sweep.json", "lock"
FORMAT = "crosstable-sweep-folder/1"
SCHEMA: Mapping[str, Any] = {
    "rules": pl.String,
    "digest": pl.String,
    "values": pl.String,
    **{f"{span}_games": pl.Int64 for span in ("choosing", "judging")},
    **{f"{span}_{name}": pl.Float64 for span in ("choosing", "judging") for name in Scores._fields[1:]},
}


class Tried(NamedTuple):
    """One rule set of a sweep and its scores."""

    varied: Varied
    scored: Scored


class Folder:
    """Results on disk."""

    def __init__(self, path: str, job: Job, days: Days, *, starts_anew: bool) -> None:
        self.path = path
        self._results = os.path.join(path, RESULTS)
        self._settings = {
            "format": FORMAT,
            "archive": job.archive,
            "days": plain(list(days)),
            "walks_all": job.judges_all,
        }
        self._code = job.code
        self._lock = -1
        self._begin(starts_anew=starts_anew)

    def _begin(self, *, starts_anew: bool) -> None:
        try:
            os.makedirs(self.path, exist_ok=True)
            is_ours = os.path.exists(os.path.join(self.path, ABOUT))
            if not (starts_anew and is_ours):
                self._refuse_others()
            self._take()
            if starts_anew and is_ours:
                self._clear()
            # First of all: a folder that holds anything without it is taken for somebody else's.
            write_whole(os.path.join(self.path, ABOUT), json.dumps(self._settings, indent=1) + "\n")
            os.makedirs(self._results, exist_ok=True)
            self._clear(only_partial=True)
        except OSError as error:
            self.close()
            raise HistoryError(f"results cannot be kept in {self.path}: {error.strerror or error}") from error

    def _take(self) -> None:
        """One sweep writes into a folder at a time; the lock ends with the process, whatever becomes of it."""
        self._lock = os.open(os.path.join(self.path, LOCK), os.O_RDWR | os.O_CREAT, 0o644)
        if not try_lock(self._lock):
            self.close()
            raise HistoryError(
                f"another sweep is writing into {self.path}; wait for it, or give another folder with --out"
            )

    def close(self) -> None:
        """Let others write into the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def begin_plan(self, plan: Plan) -> None:
        """Remove the document of another plan, which would be taken for that of the one that begins."""
        path = os.path.join(self.path, DOCUMENT)
        if not os.path.exists(path):
            return
        try:
            with open(path, encoding="utf-8") as file:
                tried = {one["digest"] for one in json.load(file)["tried"]}
        except (OSError, ValueError, KeyError, TypeError):
            tried = set()
        if tried != {one.rules.digest for one in plan.varied}:
            os.remove(path)

    def _refuse_others(self) -> None:
        """A folder that holds something else is not written into."""
        about = os.path.join(self.path, ABOUT)
        if not os.path.exists(about):
            if set(os.listdir(self.path)) - {LOCK}:
                raise HistoryError(f"{self.path} is not empty and holds no sweep; give another folder with --out")
            return
        with open(about, encoding="utf-8") as file:
            text = file.read()
        try:
            found = json.loads(text)
        except ValueError:
            found = {}
        named = {"archive": "archive", "days": "span of days", "walks_all": "choice of what is judged"}
        other = [said for key, said in named.items() if found.get(key) != self._settings[key]]
        if other:
            raise HistoryError(
                f"{self.path} holds a sweep of another {' and another '.join(other)}; give another folder with --out, "
                "or --restart to throw its results away"
            )

    def _clear(self, *, only_partial: bool = False) -> None:
        """Remove results, or those that a stopped sweep left half-written; nothing else in the folder."""
        for name in os.listdir(self._results) if os.path.isdir(self._results) else []:
            if PARTIAL in name or (name.endswith(".parquet") and not only_partial):
                os.remove(os.path.join(self._results, name))
        for name in () if only_partial else (DOCUMENT, ABOUT):
            if os.path.exists(os.path.join(self.path, name)):
                os.remove(os.path.join(self.path, name))

    def _file(self, rules: RuleSet | OtherSystem) -> str:
        key = json.dumps([rules.digest, self._settings, self._code])
        return os.path.join(self._results, f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.parquet")

    def find(self, varied: Varied) -> Scored | None:
        """The scores of a rule set that was finished before."""
        path = self._file(varied.rules)
        if not os.path.exists(path):
            return None
        try:
            frame = pl.read_parquet(path, memory_map=False)
        except (PolarsError, OSError):
            return None  # damaged since: it is computed again
        if dict(frame.schema) != dict(SCHEMA) or frame.height != 1 or frame["digest"][0] != varied.rules.digest:
            return None
        row = frame.fill_null(float("nan")).row(0, named=True)
        return Scored(*(Scores(*(row[f"{span}_{name}"] for name in Scores._fields)) for span in Scored._fields))

    def keep(self, tried: Tried) -> None:
        """Write the scores of a rule set."""
        try:
            with whole(self._file(tried.varied.rules)) as partial:
                frame_of([tried]).write_parquet(partial)
        except OSError as error:
            raise HistoryError(f"a result cannot be written into {self.path}: {error.strerror or error}") from error


def frame_of(found: Sequence[Tried]) -> pl.DataFrame:
    """Results as a table, a row for every rule set; what was not scored is null."""
    rows = [
        {
            "rules": varied.rules.name,
            "digest": varied.rules.digest,
            "values": json.dumps(varied.values, ensure_ascii=False),
            **{
                f"{span}_{name}": getattr(getattr(scored, span), name)
                for span in Scored._fields
                for name in Scores._fields
            },
        }
        for varied, scored in found
    ]
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))
