"""``make app``: the browser application as a folder of static files, ``dist/app``.

Pyodide comes from the registry that npm is set to, in the version and with the hash that stand here, and is kept in
``build``. The library goes in without what needs a machine of its own, compiled for the Python that Pyodide is. Heavy
files are stored compressed, so that any server sends them so.
"""

import argparse
import base64
import gzip
import hashlib
import importlib.util
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from crosstable import __version__
from crosstable.app.answering import PAGES, Request, file_of, reply_to
from crosstable.languages.texts import LANGUAGES

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "crosstable"
PYODIDE = "0.29.5"
INTEGRITY = "sha512-TkYrUv9m8QmfImADKRmpwZulL48E0uUaBSO+dvRQKyAJc0qh9gu7jn8btyHPh3NZm1r2IH2YrJhIr7Q2B9urAw=="
# What the browser has no use for; a test holds that nothing else imports it.
LEFT_OUT = frozenset({"__main__", "office", "history", "lab", "web", "cli", "uschess", "schemas"})
TEMPLATES = (
    *("base.html", "parts.html", "estimate.html", "estimate_answer.html", "rate.html", "audit.html", "verify.html"),
    *("administration/parts.html", "administration/said.html", "administration/upload.html", "app/home.html"),
)
LIBRARIES = ("jinja2", "markupsafe", "xlsxwriter")
STATIC = (
    *("site.css", "crosstable.css", "workbench.css", "estimate.css", "mark.svg", "audit.js", "drafts.js", "drop.js"),
    *("estimate.js", "suggest.js", "words.js", "workbench.js", "workbench-table.js"),
)
DEMONSTRATION = ("club-autumn-swiss.csv", "club-members.csv")
WASM, BYTES, SCRIPT = "application/wasm", "application/octet-stream", "text/javascript"
COMPILE = """
import { loadPyodide } from %(module)s;
import { readFileSync, writeFileSync } from "node:fs";
const python = await loadPyodide({ env: { HOME: "/home", PYTHONHASHSEED: "0" } });
python.FS.writeFile("/source.zip", readFileSync(%(source)s));
python.runPython(`
import compileall, os, py_compile, zipfile
with zipfile.ZipFile("/source.zip") as source:
    source.extractall("/made")
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH  # no times inside: the same sources give the same bytes
assert compileall.compile_dir("/made", quiet=1, legacy=True, ddir="", optimize=2, invalidation_mode=mode)
with zipfile.ZipFile("/made.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for folder, _, files in sorted(os.walk("/made")):
        for file in sorted(files):
            if not file.endswith(".py"):
                path = os.path.join(folder, file)
                with open(path, "rb") as one:
                    made.writestr(zipfile.ZipInfo(os.path.relpath(path, "/made")), one.read(), zipfile.ZIP_DEFLATED, 9)
`);
writeFileSync(%(made)s, python.FS.readFile("/made.zip"));
"""


class Heavy(NamedTuple):
    """A file that the worker loads: under which name it is asked for, and what stands in the folder."""

    name: str
    kind: str
    content: bytes
    is_packed: bool

    @property
    def path(self) -> str:
        """A name that changes with the content, and that no server takes for something to unpack."""
        return f"files/{self.name}.{hashlib.sha256(self.content).hexdigest()[:12]}.bin"


def main() -> None:
    """Make the folder anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "app")
    make(parser.parse_args().out)


def make(out: Path) -> None:
    """Write everything and say how much a first visit loads."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "static").mkdir(parents=True)
    (out / "files").mkdir()
    with tempfile.TemporaryDirectory() as folder:
        package = pyodide(ROOT / "build", Path(folder))
        heavy = heavy_files(package)
        lock = json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))
        shutil.copy(package / "pyodide.js", out)
    for one in heavy:
        (out / one.path).write_bytes(one.content)
    for code in LANGUAGES:
        for path in PAGES:
            page = reply_to(Request("GET", path, language=code)).body
            (out / file_of(path, code)).write_text(page, encoding="utf-8")
    for name in STATIC:
        shutil.copy(SOURCE / "web" / "static" / name, out / "static")
    for name in ("answer.js", "app.js", "language.js"):
        shutil.copy(SOURCE / "app" / "static" / name, out / "static")
    for name in DEMONSTRATION:
        shutil.copy(ROOT / "examples" / name, out)
    (out / "manifest.webmanifest").write_text(json.dumps(manifest()), encoding="utf-8")
    files = {
        one.name: {"path": one.path, "size": len(one.content), "kind": one.kind, "isPacked": one.is_packed}
        for one in heavy
    }
    total = sum(len(one.content) for one in heavy)
    _script(out, "worker.js", FILES=files, LOCK={"info": lock["info"], "packages": {}}, TOTAL=total)
    light = sorted(
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file() and path.suffix != ".bin"
    )
    sums = b"".join(hashlib.sha256((out / name).read_bytes()).digest() for name in light)
    version = f"{__version__}-{hashlib.sha256(sums).hexdigest()[:12]}"
    _script(out, "sw.js", PAGES=light, HEAVY=[one.path for one in heavy], VERSION=version)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{out}: {size / 1e6:.2f} MB in {len(light) + len(heavy) + 1} files")


def _script(out: Path, name: str, **given: Any) -> None:  # noqa: ANN401
    text = (SOURCE / "app" / "static" / name).read_text(encoding="utf-8")
    mark = "/* put in by tools/make_app.py */ {}"
    assert mark in text
    (out / name).write_text(text.replace(mark, json.dumps(given)), encoding="utf-8")


def manifest() -> dict[str, Any]:
    """What a browser needs to install the folder as an application."""
    return {
        "name": "Crosstable: chess ratings",
        "short_name": "Crosstable",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#fbfaf6",
        "theme_color": "#1f5c4a",
        "icons": [{"src": "static/mark.svg", "sizes": "any", "type": "image/svg+xml"}],
    }


def pyodide(kept: Path, folder: Path) -> Path:
    """The unpacked package, checked against its hash; loaded where it is not kept from before."""
    kept.mkdir(exist_ok=True)
    archive = kept / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        npm = ["npm", "pack", f"pyodide@{PYODIDE}", "--pack-destination", str(kept), "--silent"]
        subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        archive.unlink()
        raise SystemExit(f"pyodide {PYODIDE} has the hash {found}, not {INTEGRITY}.")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def heavy_files(package: Path) -> list[Heavy]:
    """What the worker loads."""
    packed = [("pyodide.asm.wasm", WASM), ("pyodide.asm.js", SCRIPT)]
    found = [Heavy(name, kind, gzip.compress((package / name).read_bytes(), 9, mtime=0), True) for name, kind in packed]
    found.append(Heavy("python_stdlib.zip", BYTES, (package / "python_stdlib.zip").read_bytes(), False))
    found.append(Heavy("crosstable.zip", BYTES, compiled(library(), package), False))
    return found


def library() -> bytes:
    """The library and what it needs, as source."""
    files: dict[str, Path] = {}
    for path in sorted(SOURCE.rglob("*")):
        within = path.relative_to(SOURCE)
        if path.suffix in (".py", ".json", ".css", ".po") and within.parts[0].removesuffix(".py") not in LEFT_OUT:
            files[f"crosstable/{within.as_posix()}"] = path
    files |= {f"crosstable/web/templates/{name}": SOURCE / "web" / "templates" / name for name in TEMPLATES}
    for name in LIBRARIES:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        files |= {f"{name}/{one.relative_to(folder).as_posix()}": one for one in sorted(folder.rglob("*.py"))}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return made.getvalue()


def compiled(source: bytes, package: Path) -> bytes:
    """The same with bytecode in the place of source, made by the Python that will run it."""
    given, made = package / "source.zip", package / "made.zip"
    given.write_bytes(source)
    names = {"module": package / "pyodide.mjs", "source": given, "made": made}
    script = COMPILE % {name: json.dumps(str(path)) for name, path in names.items()}
    subprocess.run(["node", "--input-type=module", "-e", script], check=True)
    return made.read_bytes()


if __name__ == "__main__":
    main()
