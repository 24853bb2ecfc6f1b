"""Execute the notebooks beside it: tell which outputs are not those that are stored, or with --write store them.

Versions of outscore and of what it scores with are no difference: signatures name them.
"""

import argparse
import copy
import difflib
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
VERSION = re.compile(r"(version:|outscore )\d[\w.+]*")


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs that it has now, and nothing that differs from one execution to the next."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
        extra_arguments=["--log-level=ERROR"],
    )
    # What whoever executes it has in the environment, such as a commit or a seed, is not the notebook's.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OUTSCORE_", "GITHUB_", "CI"))}
    with client.setup_kernel(env=env):
        for place, cell in enumerate(notebook.cells):
            client.execute_cell(cell, place)
    count = 0
    for place, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{place}", nbformat.NotebookNode()
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def differences(stored: nbformat.NotebookNode, now: nbformat.NotebookNode) -> list[str]:
    """Return in which lines the outputs of two executions differ, but for versions."""
    lines = [VERSION.sub(r"\1", nbformat.writes(copy.deepcopy(of))).splitlines() for of in (stored, now)]
    return list(difflib.unified_diff(*lines, "stored", "now", lineterm="", n=0))


def main() -> int:
    """Execute all notebooks, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, default=sorted(FOLDER.glob("*.ipynb")))
    parser.add_argument("--write", action="store_true", help="store the outputs")
    options = parser.parse_args()
    failed = False
    for path in options.notebooks:
        now = executed(path)
        changed = differences(nbformat.read(path, as_version=4), now)
        if options.write:
            nbformat.write(now, path)
        elif changed:
            failed = True
            sys.stdout.write("".join(f"{path.name}: {line[:200]}\n" for line in changed[:20]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
