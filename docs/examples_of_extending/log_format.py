"""Readers of evaluation logs: JSON with a model's name and its samples, and rows of one record each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from outscore.data.rows import RunDesign
from outscore.wings.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.row_format import RowFormat


class Sample(msgspec.Struct):
    id: Any
    score: Any = None


class Content(msgspec.Struct):
    model: str
    samples: list[Sample]
    mean: Any = None


class SampleLog(LogFormat):
    """``{"model": ..., "mean": ..., "samples": [{"id": ..., "score": ...}, ...]}``: one system on one task."""

    name = "sample log"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        return file.head.lstrip().startswith(b'{"model"') and b'"samples"' in file.head

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            content = file.json(Content)
            records = RecordBuilder()
            for sample in content.samples:
                item = name_in(sample.id)
                if not item:
                    raise wrong_log(file.where, "expected an id of each sample, got none")
                records.add(item, scores={"score": as_score(sample.score)})
            mean = Aggregate("mean", as_score(content.mean))
            metric = LogMetric(name="score", scores=records.scores("score"), aggregates=[mean])
            yield records.log(file.path, content.model, "samples", [metric])


# Where each row is a record, its keys are all there is to say.
ROWS = RowFormat(
    name="sample rows",
    suffixes=(".jsonl",),
    marks=frozenset(("question", "model", "trial", "points")),
    item="question",
    system="model",
    task=lambda item: "samples",
    run="trial",
    repeats=RunDesign.SAMPLES,
    scores={"points": "points"},
    texts_of=("question", None, "answer"),
)
