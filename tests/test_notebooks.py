"""The notebooks among the examples: what they store is what they show, and what else belongs to them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parent.parent / "examples" / "notebooks"


@pytest.mark.slow
def test_stored_outputs_are_those_of_today() -> None:
    """Executed in a process of its own: kernels bring event loops, and warnings, that are not ours."""
    for module in ("nbclient", "ipykernel"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    command = [sys.executable, str(NOTEBOOKS / "execute.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"examples/notebooks/execute.py --write stores them anew.\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["translation", "language_models", "retrieval"])
def test_notebooks_are_small_and_every_cell_ran(name: str) -> None:
    path = NOTEBOOKS / f"{name}.ipynb"
    assert path.stat().st_size < 200_000
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells)
    assert not any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])
    # What renders no HTML has the text of every result.
    data = [output["data"] for cell in cells for output in cell["outputs"] if "data" in output]
    assert all({"text/plain", "text/html"} <= set(of) for of in data)
