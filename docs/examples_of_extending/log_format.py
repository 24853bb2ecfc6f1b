"""A reader of evaluation logs: JSON with a model's name and its samples, each with an id and a score."""

from __future__ import annotations

import json
from typing import Any

from outscore.errors import DataError, Problem
from outscore.naming import printable
from outscore.readers import Table, TableFormat


class SampleLog(TableFormat):
    """``{"model": ..., "samples": [{"id": ..., "score": ...}, ...]}``: a long table, one row a sample."""

    name = "sample log"
    extensions = (".evallog",)

    def sniff(self, first_line: bytes) -> bool:
        return first_line.lstrip().startswith(b'{"model"')

    def parse(self, data: bytes, source: str) -> Table:
        try:
            log: Any = json.loads(data)
            samples = [(str(sample["id"]), sample["score"]) for sample in log["samples"]]
            model = str(log["model"])
        except (ValueError, LookupError, TypeError) as error:
            what = f"expected a log with a model and samples, each with an id and a score, got none: {error!r}"
            raise DataError(Problem(printable(source), what, "Check that this is the right file.", "no-log")) from None
        ids, scores = [item for item, _ in samples], [score for _, score in samples]
        return Table(source, {"system": [model] * len(samples), "item": ids, "score": scores}, None)
