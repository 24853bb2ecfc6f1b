"""Logs of OpenAI Evals (openai/evals): JSON Lines of a specification, events, and a final report."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, json_in, name_in, wrong_log
from outscore.logs.heads import keys_at
from outscore.logs.rows import rows_in
from outscore.logs.values import aggregates_of, digest_of, facts_of, filled, under
from outscore.text.naming import printable

_MOST_METRICS = 1_000
# What evals of all kinds report as means of what they recorded; other keys mean other things in each.
_MEANS = ("accuracy", "f1_score")


class OpenAIEvals(LogFormat):
    """Logs that ``oaieval`` writes, by its local recorder.

    Items are samples; what several events of one sample record are runs. A ``match`` is the metric ``accuracy``, and
    each number of a ``metrics`` event a metric by its key. A sample without an event of a score has none. Made
    after the recorder; of real logs one of three samples was tried, in the README of Significant-Gravitas/
    Auto-GPT-Benchmarks at 6a621b0.
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


class _Scores:
    """The scores of one metric, by the sample and how many its sample had before."""

    def __init__(self) -> None:
        self.records: array[int] = array("q")
        self.values: array[float] = array("d")
        self.times: dict[int, int] = {}


def _log_of(file: LogFile) -> Log:
    spec, report = _Spec(), None
    items: dict[str, int] = {}
    cells: dict[tuple[int, int], int] = {}  # a record for each sample and repetition
    metrics: dict[str, _Scores] = {}
    prompts: dict[int, str] = {}
    targets: dict[int, str] = {}
    failed: set[int] = set()
    matches = False
    for place, (where, row) in enumerate(rows_in(file, _Row)):
        if row.spec is not None:
            if place:
                raise wrong_log(where, "expected events of one run, got the specification of another")
            spec = row.spec
        elif row.final_report is not None:
            report = row.final_report
        elif isinstance(row.type, str) and row.sample_id is not None:
            name = name_in(row.sample_id)
            if not name:
                raise wrong_log(where, 'expected a name as "sample_id", got something else')
            item = items.setdefault(name, len(items))
            values: Mapping[str, Any] = {}
            data = bytes(row.data) or b"{}"
            if row.type in ("match", "sampling"):
                part = json_in(data, where, _Data)
                if row.type == "match":
                    values, matches = {"accuracy": part.correct}, True
                    targets.setdefault(item, _digest(part.expected))
                else:
                    prompts.setdefault(item, _digest(part.prompt))
            elif row.type == "metrics":
                values = json_in(data, where, dict[str, Any])
                # FuzzyMatch records its accuracy twice.
                values = {key: value for key, value in values.items() if key != "accuracy" or not matches}
            elif row.type == "error":
                failed.add(item)
            for key, value in values.items():
                if isinstance(value, bool | int | float):
                    _add(metrics, key, item, cells, as_score(value), where)
    if not items:
        raise wrong_log(file.where, "expected events of samples, got none", slug="empty")
    if not metrics:
        what = 'expected scores of samples, as events "match" or "metrics", got none'
        raise wrong_log(file.where, what, "Its eval records no score a sample.", "no-scores")
    for item in range(len(items)):
        cells.setdefault((item, 0), len(cells))
    return _described(file, spec, report, list(items), cells, metrics, prompts, targets, failed)


def _add(
    metrics: dict[str, _Scores], key: str, item: int, cells: dict[tuple[int, int], int], value: float, where: str
) -> None:
    scores = metrics.get(key)
    if scores is None:
        if len(metrics) >= _MOST_METRICS:
            raise wrong_log(where, f"expected at most {_MOST_METRICS:,} metrics, got more", slug="too-many-metrics")
        scores = metrics[key] = _Scores()
    time = scores.times[item] = scores.times.get(item, -1) + 1
    scores.records.append(cells.setdefault((item, time), len(cells)))
    scores.values.append(value)


def _described(
    file: LogFile,
    spec: _Spec,
    report: object,
    names: Sequence[str],
    cells: Mapping[tuple[int, int], int],
    metrics: Mapping[str, _Scores],
    prompts: Mapping[int, str],
    targets: Mapping[int, str],
    failed: Collection[int],
) -> Log:
    n = len(cells)
    rated = []
    without = np.ones(n, dtype=bool)
    for key, of in metrics.items():
        scores = np.full(n, np.nan)
        scores[np.frombuffer(of.records, dtype=np.int64)] = np.frombuffer(of.values, dtype=np.float64)
        without &= np.isnan(scores)
        own = under(report, key)
        rated.append(
            LogMetric(
                name=printable(key) or "unnamed",
                scores=scores,
                lowest=0.0 if key in _MEANS else None,
                highest=1.0 if key in _MEANS else None,
                is_main=key == "accuracy",
                aggregates=aggregates_of({"mean-of-records": own}) if key in _MEANS else (),
            )
        )
    notes = [] if report is not None else ["is of a run that is not finished, or was killed: it has no final report"]
    several = any(time for _, time in cells)
    records = list(cells)  # in the order of their numbers
    return Log(
        path=str(file.path),
        system=_system(spec, file),
        task=name_in(spec.eval_name, "unknown task"),
        item_ids=[names[item] for item, _ in records],
        metrics=rated,
        runs=[str(time + 1) for _, time in records] if several else None,
        n_errors=sum(item in failed and bool(without[cells[item, time]]) for item, time in records),
        digests=filled(
            {name: [of.get(item, "") for item, _ in records] for name, of in (("prompt", prompts), ("target", targets))}
        ),
        facts=_facts(spec),
        notes=notes,
    )


def _system(spec: _Spec, file: LogFile) -> str:
    functions = spec.completion_fns if isinstance(spec.completion_fns, list) else [spec.completion_fns]
    names = [name_in(one) for one in functions]
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
        return "\n".join(filter(None, (_shown(under(one, "content") or one) for one in value)))
    return value if isinstance(value, str) else ""
