"""Where compiled code is kept, and whether any is, as can be told without the compiler."""

import os
from pathlib import Path

# A file that is there when everything was compiled once.
COMPLETE = "all"


def compiled_folder(sources: str) -> Path:
    """Where the compiled code of some sources is kept."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "crosstable" / f"compiled-{sources}"


def has_compiled() -> bool:
    """Whether anything was ever compiled and kept here, of these sources or others."""
    folder = compiled_folder("*")
    return any(folder.parent.glob(f"{folder.name}/{COMPLETE}"))
