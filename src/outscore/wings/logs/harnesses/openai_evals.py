"""Logs of OpenAI Evals (openai/evals): JSON Lines of a specification, events, and a final report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.wings.logs.files import keys_at, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, UNKNOWN, aggregates_of, digest_of, facts_of, under

_MOST_METRICS = 1_000
# Keys that all evals report as means of their records; other keys differ in meaning.
_MEANS = ("accuracy", "f1_score")


class OpenAIEvals(LogFormat):
    """Logs that ``oaieval`` writes, by its local recorder.

    Items are samples; several events of one sample are runs. A ``match`` is the metric ``accuracy``, and each
    number of a ``metrics`` event is a metric named by its key. A sample without such an event has no score. Based
    on the recorder's code; tested on one real log of three samples, in the README of
    Significant-Gravitas/Auto-GPT-Benchmarks at 6a621b0.
    """

    name = "OpenAI Evals"
    suffixes = (".jsonl",)

    def recognizes(self, file: LogFile) -> bool:
        if not file.head.startswith(b'{"spec"'):
            return False
        return keys_at(file.head, len(b'{"spec":')).keys() >= {"eval_name", "run_id"}

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        inputs: dict[str, str] = {}
        answers: dict[str, str] = {}
        targets: dict[str, str] = {}
        for _, row in rows_in(log.file, _TextRow):
            item = name_in(row.sample_id)
            if item not in items:
                continue
            if row.type == "sampling" and item not in inputs:
                inputs[item], answers[item] = _shown(under(row.data, "prompt")), _shown(under(row.data, "sampled"))
            elif row.type == "match":
                targets.setdefault(item, _shown(under(row.data, "expected")))
        return {
            item: ItemTexts(inputs.get(item) or None, targets.get(item) or None, answers.get(item) or None)
            for item in items
            if item in inputs or item in targets
        }


class _Spec(msgspec.Struct):
    completion_fns: Any = None
    model_name: Any = None
    eval_name: Any = None
    split: Any = None
    run_config: Any = None


class _Data(msgspec.Struct):
    correct: Any = None
    expected: msgspec.Raw = msgspec.Raw()
    prompt: msgspec.Raw = msgspec.Raw()


class _Row(msgspec.Struct):
    spec: _Spec | None = None
    final_report: Any = None
    sample_id: Any = None
    type: Any = None
    data: msgspec.Raw = msgspec.Raw()


class _TextRow(msgspec.Struct):
    sample_id: Any = None
    type: Any = None
    data: Any = None


def _log_of(file: LogFile) -> Log:
    spec, report = _Spec(), None
    records = RecordBuilder(_MOST_METRICS)
    digests: dict[str, dict[str, str]] = {"prompt": {}, "target": {}}  # by sample
    items: dict[str, None] = {}
    failed: set[str] = set()
    matches = False
    for index, (where, row) in enumerate(rows_in(file, _Row)):
        if row.spec is not None:
            if index:
                raise wrong_log(where, "expected events of one run, got the specification of another")
            spec = row.spec
        elif row.final_report is not None:
            report = row.final_report
        elif isinstance(row.type, str) and row.sample_id is not None:
            item = name_in(row.sample_id)
            if not item:
                raise wrong_log(where, 'expected a name as "sample_id"')
            items[item] = None
            values: Mapping[str, Any] = {}
            data = bytes(row.data) or b"{}"
            if row.type in ("match", "sampling"):
                part = json_in(data, where, _Data)
                if row.type == "match":
                    values, matches = {"accuracy": part.correct}, True
                    digests["target"].setdefault(item, _digest(part.expected))
                else:
                    digests["prompt"].setdefault(item, _digest(part.prompt))
            elif row.type == "metrics":
                values = json_in(data, where, dict[str, Any])
                # FuzzyMatch records its accuracy twice.
                values = {key: value for key, value in values.items() if key != "accuracy" or not matches}
            elif row.type == "error":
                failed.add(item)
            for key, value in values.items():
                if isinstance(value, bool | int | float):
                    records.score(_record_index(records, item, records.time(item, key)), key, as_score(value), where)
    if not items:
        raise wrong_log(file.where, "expected events of samples, got none", slug="empty")
    if not records.columns:
        what = 'expected scores of samples, as events "match" or "metrics", got none'
        raise wrong_log(file.where, what, "Its eval records no score per sample.", "no-scores")
    for item in items:
        _record_index(records, item, 0)
    metrics = [
        LogMetric(
            name=printable(key) or "unnamed",
            scores=records.scores(key),
            is_main=key == "accuracy",
            aggregates=aggregates_of({"mean-of-records": under(report, key)}) if key in _MEANS else (),
            **(SHARE if key in _MEANS else UNKNOWN),
        )
        for key in records.columns
    ]
    without = np.all([np.isnan(metric.scores) for metric in metrics], axis=0)
    records.n_errors = sum(item in failed and bool(none) for item, none in zip(records.items, without, strict=True))
    records.digests = {
        name: [digest_of_item.get(item, "") for item in records.items] for name, digest_of_item in digests.items()
    }
    notes = [] if report is not None else ["comes from a run that is unfinished or was killed: it has no final report"]
    task = name_in(spec.eval_name, "unknown task")
    return records.log(file.path, _system(spec, file), task, metrics, facts=_facts(spec), notes=notes)


def _record_index(records: RecordBuilder, item: str, time: int) -> int:
    """Return the place of the record of a sample and repetition."""
    record = records.index_of.get((item, time))
    return records.add(item, str(time + 1), key=(item, time)) if record is None else record


def _system(spec: _Spec, file: LogFile) -> str:
    functions = spec.completion_fns if isinstance(spec.completion_fns, list) else [spec.completion_fns]
    names = [name_in(function) for function in functions]
    return ", ".join(filter(None, names)) or name_in(spec.model_name) or printable(file.path.stem)


def _facts(spec: _Spec) -> dict[str, str]:
    facts = {
        "split": spec.split,
        "limit": under(spec.run_config, "max_samples"),
        "seed": under(spec.run_config, "seed"),
        "eval class": under(spec.run_config, "eval_spec", "cls"),
        "judge": under(spec.run_config, "eval_spec", "args", "eval_completion_fn"),
        "rubric": under(spec.run_config, "eval_spec", "args", "modelgraded_spec"),
        "data": under(spec.run_config, "eval_spec", "args", "samples_jsonl"),
    }
    return facts_of(facts)


def _digest(raw: msgspec.Raw) -> str:
    data = bytes(raw)
    return digest_of(data) if data != b"null" else ""


def _shown(value: object) -> str:
    """Return a text, or those of the messages of a prompt."""
    if isinstance(value, list):
        return "\n".join(filter(None, (_shown(under(message, "content") or message) for message in value)))
    return value if isinstance(value, str) else ""
