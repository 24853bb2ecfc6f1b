"""Logs of Every Eval Ever: ``UUID.json``, the results of a model, and ``UUID_samples.jsonl`` next to it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import numpy as np

from outscore._types import FloatArray
from outscore.data.items import ItemTexts
from outscore.text.naming import printable, quoted
from outscore.wings.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_keys, first_of_items, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of, count_in, facts_of, last_answer, under

_SAMPLE_KEYS = frozenset(("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"))
_RESULT_KEYS = frozenset(("schema_version", "evaluation_id", "evaluation_results", "model_info", "source_metadata"))
# Keys in a sample's metadata from converters that do not describe the item.
_NO_LABELS = frozenset(("lm_eval_metrics", "filter", "stop_reason", "epoch", "doc_hash", "prompt_hash", "target_hash"))
# Digests kept by the converter from lm-evaluation-harness, with the number of significant characters.
_DIGESTS = {"document": "doc_hash", "prompt": "prompt_hash", "target": "target_hash"}
_DIGEST_LENGTH = 16


class EveryEvalEver(LogFormat):
    """RecordBuilder of Every Eval Ever, schema 0.2 and 0.3, with their samples.

    A log is one model in one evaluation, with a metric for each result that its samples name. A sample belongs to
    the result in ``evaluation_result_id``, else in ``evaluation_name``, else to the only one. The score is
    ``evaluation.score``; ``is_correct`` may just mean "above 0". Duplicate items are kept: the schema has no field
    for runs. Documents are identified by ``sample_hash``; for lm-evaluation-harness, which hashes the prompt with
    the model's template, the digest of the document is taken from the metadata.
    """

    name = "Every Eval Ever"

    def recognizes(self, file: LogFile) -> bool:
        return b'"schema_version"' in file.head and (_holds_samples(file) or _holds_results(file))

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        samples = {file.path: file for file in files if _holds_samples(file)}
        described: dict[Path, LogFile] = {}  # by the position of their samples
        for part in files:
            for its in () if part.path in samples else _samples_beside(part):
                samples.setdefault(its.path, its)
                described[its.path] = part
        if not samples:
            what = "samples are missing next to the results; means cannot be compared item by item"
            advice = "Convert the logs with their samples (--include_samples), or pass the harness's own logs."
            raise wrong_log(files[0].where, what, advice, "no-samples")
        elsewhere: Mapping[str, LogFile] | None = None
        for path, file in sorted(samples.items()):
            lies = described.get(path) or _results_beside(file)
            results = _results_in(lies) if lies is not None else []
            if not results:
                if elsewhere is None:  # as in stores by digest, where files are not next to each other
                    lying = [file for file in files if _holds_results(file)]
                    elsewhere = {result.evaluation_id: part for part in lying for result in _results_in(part)}
                wanted = {sample.evaluation_id for _, sample in rows_in(file, _Sample)}
                files_elsewhere = [elsewhere[part] for part in sorted(wanted) if part in elsewhere]
                results = [result for index in files_elsewhere for result in _results_in(index)]
            yield from _logs_of(file, {result.evaluation_id: result for result in results})

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        rows = (
            (name_in(row.sample_id), row)
            for _, row in rows_in(log.file, _TextRow)
            if name_in(row.model_id) == log.system and name_in(row.evaluation_name) == log.task
        )
        texts: dict[str, ItemTexts] = {}
        for item, row in first_of_items(rows, items):
            answer = _joined(under(row.output, "raw")) or last_answer(row.messages)
            texts[item] = ItemTexts(_joined(under(row.input, "raw")), _joined(under(row.input, "reference")), answer)
        return texts


class _Evaluation(msgspec.Struct):
    score: Any = None


class _Sample(msgspec.Struct):
    evaluation_id: str = ""
    model_id: Any = None
    evaluation_name: Any = None
    evaluation_result_id: str | None = None
    sample_id: Any = None
    sample_hash: str | None = None
    evaluation: _Evaluation | None = None
    error: Any = None
    metadata: dict[str, Any] | None = None


class _TextRow(msgspec.Struct):
    model_id: Any = None
    evaluation_name: Any = None
    sample_id: Any = None
    input: Any = None
    output: Any = None
    messages: Any = None


class _MetricConfig(msgspec.Struct):
    evaluation_description: str | None = None
    metric_id: str | None = None
    metric_name: str | None = None
    metric_unit: str | None = None
    lower_is_better: bool = False
    min_score: Any = None
    max_score: Any = None
    has_unknown_level: bool | None = None
    llm_scoring: Any = None


class _Details(msgspec.Struct):
    score: Any = None
    uncertainty: dict[str, Any] | None = None


class _Result(msgspec.Struct):
    evaluation_name: str = ""
    evaluation_result_id: str | None = None
    metric_config: _MetricConfig = msgspec.field(default_factory=_MetricConfig)
    score_details: _Details = msgspec.field(default_factory=_Details)
    source_data: Any = None
    generation_config: Any = None


class _Place(msgspec.Struct):
    file_path: str = ""


class _Results(msgspec.Struct):
    """One record: a model, and the datasets of its evaluation."""

    evaluation_id: str = ""
    evaluation_results: list[_Result] = []
    eval_library: Any = None
    detailed_evaluation_results: _Place | None = None


def _holds_samples(file: LogFile) -> bool:
    return first_keys(file.head).keys() >= _SAMPLE_KEYS


def _holds_results(file: LogFile) -> bool:
    first = first_keys(file.head)
    keys, whole = first.keys(), first.is_whole
    return not keys >= _SAMPLE_KEYS and (
        keys >= _RESULT_KEYS or (not whole and keys >= {"schema_version", "evaluation_id", "source_metadata"})
    )


def _samples_beside(file: LogFile) -> Iterable[LogFile]:
    """Yield the samples that results name, or that have the same file name; only in the same folder."""
    named = [
        result.detailed_evaluation_results.file_path
        for result in _results_in(file)
        if result.detailed_evaluation_results
    ]
    stem = file.name.removesuffix(".jsonl").removesuffix(".json")
    for name in dict.fromkeys((*(PurePosixPath(path).name for path in named), f"{stem}_samples.jsonl")):
        samples = beside(file.path.parent, name)
        if samples is not None and _holds_samples(samples):
            yield samples


def _results_beside(file: LogFile) -> LogFile | None:
    """Return the results that belong to samples: the same name in the same folder."""
    stem = file.name.removesuffix(".jsonl").removesuffix(".json")
    if not stem.endswith("_samples"):
        return None
    return beside(file.path.parent, f"{stem.removesuffix('_samples')}.json")


def _results_in(file: LogFile) -> Sequence[_Results]:
    """Return the records in a file: one, or those of an array, as outscore writes several."""
    if file.head.lstrip().startswith(b"["):
        several: Sequence[_Results] = file.json(list[_Results])
        return several
    return [file.json(_Results)]


@dataclass(eq=False)
class _Records(RecordBuilder):
    """The records of one model in one evaluation, with a metric for each result; "" if samples name none."""

    most: int = 2**31
    evaluations: set[str] = field(default_factory=set)
    errors: set[int] = field(default_factory=set)
    first_metric: str = ""  # for lm-evaluation-harness, the metric of the score

    def add_sample(self, sample: _Sample, item: str) -> None:
        """Add a row; rows of other results on the same item belong to the same record."""
        result_id = sample.evaluation_result_id or ""
        time = self.time(item, result_id)
        record = self.index_of.get((item, time))
        if record is None:
            metadata = sample.metadata or {}
            digests = {name: name_in(metadata.get(key))[:_DIGEST_LENGTH] for name, key in _DIGESTS.items()}
            record = self.add(item, digests={**digests, "sample": sample.sample_hash or ""}, key=(item, time))
            self.metadata.add({key: value for key, value in metadata.items() if key not in _NO_LABELS})
            if record == 0:
                self.first_metric = _lm_eval_metric(metadata)
        failed = isinstance(sample.error, str) and sample.error  # converters write a score even then
        score = math.nan if failed or sample.evaluation is None else as_score(sample.evaluation.score)
        self.score(record, result_id, score)
        if failed:
            self.errors.add(record)
        self.evaluations.add(sample.evaluation_id)


def _lm_eval_metric(metadata: Mapping[str, Any]) -> str:
    """Return the metric of the score in data from lm-evaluation-harness: its first number."""
    text = metadata.get("lm_eval_metrics")
    try:
        metrics: Any = msgspec.json.decode(text) if isinstance(text, str) else None
    except (msgspec.DecodeError, RecursionError):
        return ""
    numbers = metrics.items() if isinstance(metrics, Mapping) else ()
    return next((printable(name) for name, value in numbers if isinstance(value, int | float)), "")


def _logs_of(file: LogFile, described: Mapping[str, _Results]) -> Iterable[Log]:
    logs = defaultdict[tuple[str, str], _Records](_Records)
    for where, sample in rows_in(file, _Sample):
        item, model, task = name_in(sample.sample_id), name_in(sample.model_id), name_in(sample.evaluation_name)
        for key, value in (("sample_id", item), ("model_id", model), ("evaluation_name", task)):
            if not value:
                raise wrong_log(where, f'expected a name as "{key}"')
        logs[model, task].add_sample(sample, item)
    if not logs:
        raise wrong_log(file.where, "expected one row per sample, got none", slug="empty")
    for (model, task), records in logs.items():
        yield _log_of(
            file,
            model,
            task,
            records,
            [described[evaluation] for evaluation in records.evaluations if evaluation in described],
        )


def _log_of(file: LogFile, model: str, task: str, records: _Records, described: Sequence[_Results]) -> Log:
    results = [result for results_of_file in described for result in results_of_file.evaluation_results]
    notes: list[str] = []
    metrics: list[LogMetric] = []
    used: list[_Result] = []
    for column in records.columns:
        fitting = _fitting(column, task, records.first_metric, results)
        result = fitting[0] if len(fitting) == 1 else None
        if result is not None:
            used.append(result)
        elif results:
            what = "no result has this name" if not fitting else f"{len(fitting)} results have this name"
            notes.append(f"samples of {quoted(column or task)} do not name their result: {what}")
        metrics.append(
            _metric(
                column,
                records.scores(column),
                result,
                records.first_metric,
                [metric.name for metric in metrics],
                described,
            )
        )
    hashes = records.digests.pop("sample")
    if not all(records.digests["document"]):
        records.digests = {"document": hashes}
    records.n_errors = len(records.errors)
    records.labels = records.metadata.telling(records.items)
    return records.log(file.path, model, task, metrics, facts=_facts(used, described), notes=notes)


def _fitting(result_id: str, task: str, first_metric: str, results: Sequence[_Result]) -> Sequence[_Result]:
    """Return the results that samples may belong to: ideally one."""
    if result_id and (by_id := [result for result in results if result.evaluation_result_id == result_id]):
        return by_id
    by_name = [result for result in results if name_in(result.evaluation_name) == task]
    if len(by_name) > 1 and first_metric:
        by_name = [result for result in by_name if first_metric in _called(result.metric_config)] or by_name
    return by_name or (results if len(results) == 1 else ())


def _called(config: _MetricConfig) -> Sequence[str]:
    names = (config.metric_name, config.metric_id, config.evaluation_description)
    return [printable(name) for name in names if name]


def _metric(
    result_id: str,
    scores: FloatArray,
    result: _Result | None,
    first_metric: str,
    taken: Collection[str],
    described: Sequence[_Results],
) -> LogMetric:
    config = _MetricConfig() if result is None else result.metric_config
    name = printable(config.metric_name or config.metric_id or "") or first_metric or printable(result_id) or "score"
    if name in taken:
        name = printable(result_id) or f"{name} {len(taken) + 1}"
    if config.has_unknown_level:
        scores[scores == -1] = math.nan
    lowest, highest, scale = _range(config, scores)
    return LogMetric(
        name=name,
        scores=scores,
        higher_is_better=not config.lower_is_better,
        lowest=lowest,
        highest=highest,
        is_main=not taken,
        aggregates=() if result is None else _aggregates(result, scale, _library(described)[0]),
    )


def _range(config: _MetricConfig, scores: FloatArray) -> tuple[float | None, float | None, float]:
    """Return the range of a sample's score, and the factor from it to the unit of the result.

    The range is that of results; if these are percentages, samples may still be proportions.
    """
    ends = [as_score(end) for end in (config.min_score, config.max_score)]
    lowest, highest = (end if math.isfinite(end) else None for end in ends)
    finite = scores[np.isfinite(scores)]
    percent = ends == [0.0, 100.0] or (config.metric_unit or "").lower() in ("percent", "percentage", "%")
    if percent and len(finite) and finite.min() >= 0 and finite.max() <= 1:
        return 0.0, 1.0, 100.0
    within = (lowest is None or (finite >= lowest).all()) and (highest is None or (finite <= highest).all())
    return (lowest, highest, 1.0) if within else (None, None, 1.0)


def _aggregates(result: _Result, scale: float, library: str) -> Sequence[Aggregate]:
    uncertainty = result.score_details.uncertainty or {}
    error = uncertainty.get("standard_error")
    # Data from lm-evaluation-harness call a formula a bootstrap; a true bootstrap is not a check.
    computed = under(error, "method") == "analytic" or library in ("lm_eval", "lm-evaluation-harness")
    values = {"mean": result.score_details.score, "stderr": under(error, "value") if computed else None}
    return aggregates_of(values, count_in(uncertainty.get("num_samples")), scale)


def _library(described: Sequence[_Results]) -> tuple[str, str]:
    """Return the name and the version of the harness."""
    library = next((record.eval_library for record in described if isinstance(record.eval_library, Mapping)), None)
    return name_in(under(library, "name")), name_in(under(library, "version"))


def _facts(used: Sequence[_Result], described: Sequence[_Results]) -> Mapping[str, str]:
    library, version = _library(described)
    facts: dict[str, object] = {"harness version": f"{library} {version}".strip() if library != "unknown" else ""}
    for result in used[:1]:
        facts["dataset"] = under(result.source_data, "hf_repo") or under(result.source_data, "dataset_name")
        facts["split"] = under(result.source_data, "hf_split")
        judges = under(result.metric_config.llm_scoring, "judges")
        if isinstance(judges, list):
            facts["judge"] = ", ".join(name_in(under(judge, "model_info", "id")) for judge in judges[:3])
        for key in ("temperature", "max_tokens"):
            facts[key.replace("_", " ")] = under(result.generation_config, "generation_args", key)
    return facts_of(facts)


def _joined(value: object) -> str | None:
    """Return text, or several as lines."""
    if isinstance(value, list):
        return "\n".join(line for line in value if isinstance(line, str)) or None
    return value if isinstance(value, str) else None
