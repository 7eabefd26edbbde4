"""The notebook: every cell runs as it stands, at a small size, and its outputs are kept."""

import json
from pathlib import Path

import pytest

from tools.make_notebook import code_of, executed, main, run_cell

NOTEBOOK = Path(__file__).parents[2] / "examples" / "laboratory.ipynb"
SIZE = "MEMBERS, YEARS, FEDERATIONS = "


def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = executed(
        json.loads(NOTEBOOK.read_text("utf-8")), lambda code: f"{SIZE}60, 1, 3" if code.startswith(SIZE) else code
    )
    kept = json.loads(NOTEBOOK.read_text("utf-8"))
    for new, old in zip(code_of(made), code_of(kept), strict=True):
        assert [one["output_type"] for one in new["outputs"]] == [one["output_type"] for one in old["outputs"]]
        assert old["execution_count"] == new["execution_count"]
    assert next(code_of(kept))["source"][0].startswith(SIZE)


def test_outputs_are_what_a_cell_prints_and_what_it_ends_in(tmp_path: Path) -> None:
    names: dict[str, object] = {}
    assert run_cell("x = 2\nprint(x)\nx * 21", names) == ("2\n", "42")
    assert run_cell("y = x", names) == ("", None)
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["1 + 1"]}, {"cell_type": "markdown"}]}))
    main(str(path))
    cell = json.loads(path.read_text())["cells"][0]
    assert cell["outputs"][0]["data"] == {"text/plain": ["2"]}
