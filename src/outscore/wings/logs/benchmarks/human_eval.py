"""Logs of OpenAI's HumanEval: ``SAMPLES_results.jsonl``, one line per sample."""

from __future__ import annotations

import math

from outscore.data.rows import RunDesign
from outscore.text.naming import printable
from outscore.wings.logs.base import LogFile
from outscore.wings.logs.files import folder_name
from outscore.wings.logs.row_format import RowFormat

_NO_SYSTEM = frozenset(("data", "humaneval", "human-eval", "human_eval", "results", "samples", "logs"))


def _score(passed: object) -> float:
    if passed is not None and not isinstance(passed, bool):
        raise ValueError('expected true or false as "passed"')
    return math.nan if passed is None else float(passed)


def _system_of(file: LogFile) -> str:
    """Return the name of the file; of its folder if the file is called "samples", as by human-eval."""
    stem = file.name.removesuffix("_results.jsonl").removesuffix(".jsonl")
    name = folder_name(file.path.parent, _NO_SYSTEM) or stem if stem == "samples" else stem
    return printable(name) or "unnamed"


HUMAN_EVAL = RowFormat(
    name="HumanEval",
    marks=frozenset(("task_id", "result", "passed")),
    item="task_id",
    system=_system_of,
    task=lambda item: printable(item.partition("/")[0]) if "/" in item else "HumanEval",
    scores={"pass": "passed"},
    score_of=_score,
    repeats=RunDesign.SAMPLES,
    texts_of=(None, None, "completion"),
)
