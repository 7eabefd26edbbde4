"""Execute a notebook and keep what its cells show: ``python -m tools.make_notebook examples/laboratory.ipynb``.

Code cells are run one after the other in an empty folder. Of each are kept what it prints and what its last expression
is, as text. A cell that fails ends everything, and the file stays as it was.
"""

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

Cell = dict[str, Any]
# Of tables so many rows are shown.
ROWS = 12


def code_of(notebook: dict[str, Any]) -> Iterator[Cell]:
    """The cells that have code."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, str | None]:
    """Run the code of a cell; returns what it printed, and its last expression as text, if it ends in one."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed), pl.Config(tbl_rows=ROWS, tbl_cols=-1, tbl_width_chars=120):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        text = None if value is None else repr(value)
    return printed.getvalue(), text


def executed(notebook: dict[str, Any], changed: Callable[[str], str] = str) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run in this folder; ``changed`` may change their code."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for count, cell in enumerate(code_of(notebook), start=1):
        printed, value = run_cell(changed("".join(cell["source"])), names)
        cell["execution_count"], cell["outputs"] = count, []
        if printed:
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": _lines(printed)})
        if value is not None:
            about = {"output_type": "execute_result", "execution_count": count, "metadata": {}}
            cell["outputs"].append({**about, "data": {"text/plain": _lines(value)}})
    return notebook


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(path: str) -> None:
    """Execute a notebook and write it with its outputs."""
    file = Path(path).resolve()
    notebook = json.loads(file.read_text(encoding="utf-8"))
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = executed(notebook)
        os.chdir(here)
    file.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
