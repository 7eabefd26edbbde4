"""Results as JSON and as files: each file is there wholly or not at all, and the document of a folder comes last."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import polars as pl

# A file has such a name as long as it is written.
PARTIAL = ".partial-"


def plain(value: Any) -> Any:  # noqa: ANN401 (records of records)
    """Records, lists and tables as JSON holds them; a number that nobody knows is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.isoformat() if isinstance(value, date) else value


@contextmanager
def whole(path: str) -> Iterator[str]:
    """A name to write to, which becomes that of the path when everything is written, and is gone when it is not."""
    partial = f"{path}{PARTIAL}{os.getpid()}"
    try:
        yield partial
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def write_whole(path: str, text: str) -> None:
    """Write a text so that it is there wholly or not at all."""
    with whole(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(text)


def write_folder(
    folder: str, document: tuple[str, Mapping[str, Any]], texts: Mapping[str, str], tables: Mapping[str, pl.DataFrame]
) -> None:
    """Write tables (CSV or Parquet) and texts by name, and last the document, without which they are no result."""
    name, content = document
    path = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(path):
        os.remove(path)
    for name, table in tables.items():
        with whole(os.path.join(folder, name)) as partial:
            if name.endswith(".csv"):
                table.fill_nan(None).write_csv(partial)
            else:
                table.write_parquet(partial)
    for name, text in texts.items():
        write_whole(os.path.join(folder, name), text)
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
