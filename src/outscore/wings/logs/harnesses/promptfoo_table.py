"""The CSV of promptfoo (``promptfoo eval -o output.csv``): one row per test, several columns per prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from outscore.wings.logs.base import LogFile, as_score
from outscore.wings.logs.files import csv_header, csv_rows

# The columns after the text of each answer.
_MARKS = ["Status", "Score", "Named Scores"]
_HEADING = re.compile(r"\[(.+?)\] (.*)", re.DOTALL)


def is_table(file: LogFile) -> bool:
    """Return whether a file is a CSV of promptfoo, since it has a column of states."""
    return b",Status,Score,Named Scores," in file.head and bool(_answers(csv_header(file)))


def results_of_table(file: LogFile) -> Iterator[dict[str, Any]]:
    """Yield the results in a CSV, with the keys of results in JSON; answers that were not asked for are left out."""
    rows = csv_rows(file)
    _, header = next(rows, ("", list[str]()))
    answers = _answers(header)
    described = int(header[:1] == ["Description"])
    for number, (_, row) in enumerate(rows):
        cells = [*row, *[""] * (len(header) - len(row))]
        variables = dict(zip(header[described : answers[0]], cells[described : answers[0]], strict=True))
        for index, column in enumerate(answers):
            heading = _HEADING.fullmatch(header[column])
            text, status, score, named, *_ = cells[column:]
            if status in ("PASS", "FAIL", "ERROR"):
                yield {
                    "provider": heading[1] if heading else None,
                    "promptIdx": index,
                    "testIdx": number,
                    "description": cells[0] if described else None,
                    "vars": variables,
                    "success": status == "PASS",
                    "score": as_score(score),
                    "namedScores": _named(named),
                    "failureReason": 2 if status == "ERROR" else 1,
                    "prompt": {"label": heading[2] if heading else header[column]},
                    "response": {"output": text},
                }


def _answers(header: list[str]) -> list[int]:
    """Return the positions of the columns with answers."""
    return [at - 1 for at in range(1, len(header)) if header[at : at + 3] == _MARKS]


def _named(cell: str) -> object:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None
