"""What a release is made of, in ``dist``: wheel, source archive, one file that any Python runs, and checksums.

The same sources give the same bytes: the times inside are those of SOURCE_DATE_EPOCH, otherwise of the first day that a
ZIP file knows.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The libraries of a plain install, which are Python alone.
PURE = ("rich", "markdown-it-py", "mdurl", "pygments", "xlsxwriter")
# Any Python may be asked to run it: what an older one cannot do is said before anything is imported.
MAIN = """import sys

if sys.version_info < (3, 11):
    sys.exit("Crosstable needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])
from crosstable.cli import entry

sys.argv[0] = "crosstable"
entry()
"""
EARLIEST = 315532800  # 1980-01-01, the first day of the ZIP format


def main() -> None:
    """Make everything anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(EARLIEST))
    out.mkdir(parents=True, exist_ok=True)
    for old in filter(Path.is_file, out.iterdir()):
        old.unlink()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(out)], check=True, cwd=ROOT)
    (wheel,) = out.glob("*.whl")
    single_file(wheel, out / "crosstable.pyz")
    if (out / "app").is_dir():  # the browser application, where `make app` was run before
        pack(out / "app", out / "crosstable-app.zip")
    files = sorted(filter(Path.is_file, out.iterdir()))
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (out / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(sums, end="")


def single_file(wheel: Path, made: Path) -> None:
    """One file that runs with any Python from 3.11 on: the program and the libraries that are Python alone."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-compile", "--target", folder]
        subprocess.run([*pip, str(wheel), *pinned()], check=True)
        Path(folder, "__main__.py").write_text(MAIN, encoding="utf-8")
        shutil.rmtree(Path(folder, "bin"), ignore_errors=True)
        pack(Path(folder), made, b"#!/usr/bin/env python3\n")
    made.chmod(0o755)


def pinned() -> list[str]:
    """The pure libraries in the versions that the tests ran with."""
    lines = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").splitlines()
    found = {line.partition("==")[0]: line.split()[0] for line in lines if "==" in line}
    return [found[name] for name in PURE]


def pack(folder: Path, made: Path, first: bytes = b"") -> None:
    """A ZIP file behind a first line: the files in one order, each with the same time."""
    with made.open("wb") as file:
        file.write(first)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_file() and "__pycache__" not in name and not name.endswith(("/RECORD", "/direct_url.json")):
                    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    entry.create_system = 3  # whichever system packs it
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    main()
