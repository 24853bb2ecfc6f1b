"""Run tasks of Inspect with the extension that is installed, without a model: `python inspect_ended.py FOLDER`.

A program of its own: inspect_ai takes seconds to import, warns, and changes zipfile.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from inspect_ai import Task, eval, eval_set  # noqa: A004, E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.hooks._hooks import get_all_hooks  # noqa: E402
from inspect_ai.scorer import match  # noqa: E402
from inspect_ai.solver import Solver, solver  # noqa: E402


@solver
def answers(right: int) -> Solver:
    async def solve(state: Any, generate: Any) -> Any:
        if right < 0:
            raise RuntimeError("no answer")
        state.output.completion = state.target.text if int(state.sample_id) < right else "wrong"
        return state

    return solve


def made(name: str, right: int) -> Task:
    samples = [Sample(id=i, input=f"{name} {i}?", target=str(i)) for i in range(30)]
    return Task(dataset=MemoryDataset(samples, name=name), solver=answers(right), scorer=match(), name=name)


def ended(title: str, baseline: str | Path | None, *tasks: Task, folder: Path) -> None:
    """Run tasks, and print what the hook prints below a title."""
    os.environ["OUTSCORE_BASELINE"] = str(baseline or "")
    print(f"# {title}", flush=True)  # noqa: T201
    options: dict[str, Any] = {"model": "mockllm/model", "display": "none", "log_dir": str(folder / title)}
    if title == "set":
        eval_set(list(tasks), retry_attempts=0, **options)
    else:
        eval(list(tasks), **options)


def main(folder: Path) -> None:
    one = next((folder / "baseline").glob("*sums*.eval"), None)
    if one is None:  # the first run makes the baseline, of two tasks, without the extension
        tasks = [made("sums", 12), made("words", 20)]
        eval(tasks, model="mockllm/model", display="none", log_dir=str(folder / "baseline"))
        print("hooks", len(get_all_hooks()))  # noqa: T201
        return
    ended("better", one, made("sums", 25), folder=folder)
    ended("other", one, made("words", 25), folder=folder)
    ended("both", folder / "baseline", made("sums", 12), made("words", 8), folder=folder)
    ended("set", one, made("sums", 25), folder=folder)
    ended("failed", one, made("sums", -1), folder=folder)
    ended("missing", folder / "nosuch.eval", made("sums", 25), folder=folder)
    ended("off", None, made("sums", 25), folder=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
