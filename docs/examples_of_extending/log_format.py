"""A reader of evaluation logs: JSON with a model's name and its samples, each with an id and a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log


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
            ids = [name_in(sample.id) for sample in content.samples]
            if not all(ids):
                raise wrong_log(file.where, "expected an id of each sample, got none")
            scores = np.array([as_score(sample.score) for sample in content.samples])
            mean = as_score(content.mean)
            metric = LogMetric(name="score", scores=scores, aggregates=[Aggregate("mean", mean)])
            yield Log(path=str(file.path), system=content.model, task="samples", item_ids=ids, metrics=[metric])
