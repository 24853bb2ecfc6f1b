"""Logs in the form of simple-evals-ru: ``results/BENCHMARK/MODEL.jsonl``, one line per question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, as_score
from outscore.wings.logs.files import folder_name, path_name
from outscore.wings.logs.row_format import RowFormat


class _SimpleEvals(RowFormat):
    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            folder = printable(folder_name(file.path.parent)) or self.name
            yield from (replace(log, task=folder) for log in self._logs_in(file))


def _score(value: object) -> float:
    if value is not None and not isinstance(value, bool):
        raise ValueError('expected true or false as "is_correct"')
    return as_score(value)


# OpenAI's simple-evals itself writes no scores of items, other than into HTML. The model is the name of the file, and
# the benchmark that of its folder. Tested on results of kuk/simple-evals-ru at 5fb1507.
SIMPLE_EVALS = _SimpleEvals(
    name="simple-evals",
    marks=frozenset(("id", "instruction", "answer", "is_correct", "bench_cost")),
    item="id",
    system=lambda file: path_name(file, file.name.partition(".jsonl")[0]),
    task=lambda _item: "simple-evals",
    scores={"is_correct": "is_correct"},
    score_of=_score,
    texts_of=("instruction", None, "answer"),
)
