"""The code that the scores of a sweep come from: kept results and workers are held against it."""

import hashlib
from functools import cache
from pathlib import Path

import crosstable
from crosstable.history.kernel.compiling import sources_digest

# What scores depend on beside what is compiled: how a history is laid out, which games are predicted, what is summed.
SCORING = ("history", "folding.py", "lab/metrics.py", "lab/predictions.py", "lab/sweep_lanes.py", "lab/sweep_tasks.py")


@cache
def code_digest() -> str:
    """A hash of the version, of every source that the scores depend on, and of the compiler."""
    package = Path(crosstable.__file__).parent
    digest = hashlib.sha256(f"{crosstable.__version__}\0{sources_digest()}".encode())
    for name in SCORING:
        path = package / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
