"""Make the outputs of ``docs/lab-tutorial.md`` anew: ``python tools/make_tutorial.py FOLDER``.

FOLDER holds official pages; the tutorial calls it ``$PAGES``. Every ``sh`` block of the tutorial is run as it is, in
an empty folder, with the files that the page says to put there; what it prints goes between the two comments after it,
and pictures that the page shows are kept beside it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "lab-tutorial.md"
BEGIN, END = "<!-- output -->\n", "<!-- end of output -->"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([\w.-]+)`:\s*$")


def made(text: str, folder: Path, pages: str) -> str:
    """The tutorial with its outputs made anew in a folder."""
    parts, last = [], 0
    for block in _BLOCK.finditer(text):
        kind, content = block.groups()
        if kind == "sh":
            begin = text.index(BEGIN, block.end())
            parts += [text[last:begin], BEGIN, shown(run(content, folder, pages))]
            last = text.index(END, begin)
        elif named := _NAMED.search(text[: block.start()].rstrip()):
            (folder / named.group(1)).write_text(content, "utf-8")
    return "".join((*parts, text[last:]))


def run(command: str, folder: Path, pages: str) -> str:
    """What a command prints; one that fails ends everything."""
    print(f"$ {command.strip()}", file=sys.stderr)
    beside = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join((beside, os.environ["PATH"])), "PAGES": pages}
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"the command of the tutorial failed: {command.strip()}")
    return done.stdout


def shown(output: str) -> str:
    """An output as the page shows it: tables of Markdown as they are, everything else as text."""
    return f"\n{output.strip()}\n\n" if output.startswith("|") else f"\n```text\n{output.strip()}\n```\n\n"


def main(pages: str) -> int:
    """Run the tutorial and write its outputs into the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tutorial = made(PAGE.read_text("utf-8"), folder, os.path.abspath(pages))
        for picture in re.findall(r"\]\(images/([\w.-]+\.svg)\)", tutorial):
            shutil.copyfile(folder / picture, DOCS / "images" / picture)
    PAGE.write_text(tutorial, "utf-8")
    print("wrote docs/lab-tutorial.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
