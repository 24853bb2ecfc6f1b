"""Logs of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, and ``results_TIME.json`` next to them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.errors import DataError, Problem
from outscore.metrics.families.columns import direction_of
from outscore.readers.kept.packing import unpacked_name
from outscore.text.naming import listed, printable, quoted
from outscore.wings.logs.base import (
    Log,
    LogFile,
    LogFormat,
    LogMetric,
    as_score,
    json_in,
    name_in,
    without_scores,
    wrong_log,
)
from outscore.wings.logs.files import beside, first_of_items, raw_rows
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of, digest_of, range_of, text_in, under

_STAMP = r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?"
_SAMPLES = re.compile(rf"samples_(.+)_({_STAMP})\.(jsonl|json)")
# If an output path ends in ".json", the results have its name.
_RESULTS = re.compile(rf".+_({_STAMP})\.json")
_RESULTS_BEGIN = re.compile(rb'\s*\{\s*"results"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
# Before 0.4.3, samples were one array per file, named after the model's arguments and the task.
_ARRAY_BEGINS = re.compile(rb'\s*\[\s*\{\s*"doc_id"\s*:\s*\d+\s*,\s*"doc"\s*:')
_OWN_KEYS = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash")
) | {"prompt_hash", "target_hash", "task_name"}
_DIGESTS = {"document": "doc_hash", "prompt": "prompt_hash", "target": "target_hash"}
_DIGEST_LENGTH = 16
_MOST_COLUMNS = 256
_NOT_IN_NAMES = re.compile(r'["\\\x00-\x1f]')  # of fields, as msgspec reads them
_LONGEST_FACT = 120
# Metrics that the harness does not aggregate by the mean, unless the task says otherwise.
_NOT_MEANS = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "brier_score": "brier_score",
    "bypass": "bypass",
    "mcc": "matthews_corrcoef",
    "f1": "f1",
    "bleu": "bleu",
    "chrf": "chrf",
    "chrf++": "chrf++",
    "ter": "ter",
}
_NO_FILTER = "none"
_SHARES = frozenset(("acc", "acc_norm", "acc_mutual_info", "acc_bytes", "exact_match"))
# The metric that leaderboards, papers and the harness's documentation report, if a task has several.
_CONVENTION = ("acc_norm", "acc", "exact_match", "prompt_level_strict_acc")
_FILTERS = ("strict-match", _NO_FILTER)
_MODEL = re.compile(r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)")


class LmEval(LogFormat):
    """Samples and results of EleutherAI's lm-evaluation-harness, 0.4 and later.

    A row has the scores of one document under one filter. A metric is named ``metric,filter``, as in the results;
    without the filter if it is "none". Repeats of a generation have one common score and are not runs.
    """

    name = "lm-evaluation-harness"

    def recognizes(self, file: LogFile) -> bool:
        if _SAMPLES.fullmatch(file.name):
            return b'"doc_id"' in file.head
        if _ARRAY_BEGINS.match(file.head):
            return True
        return file.name.endswith(".json") and _is_results(file)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        results = [file for file in files if not _is_samples(file)]
        samples = [file for file in files if _is_samples(file)]
        if not samples:
            samples = [
                sample_file for file in results if file.root == file.path for sample_file in _samples_beside(file)
            ]
        runs: dict[Path, _Run] = {}
        described: set[Path] = set()
        for file in samples:
            run_results = _results_beside(file)
            if run_results is not None:
                described.add(run_results.path)
                if run_results.path not in runs:
                    runs = {run_results.path: _Run(run_results)}  # those of one run follow each other
            try:
                yield _log_of(file, runs[run_results.path] if run_results is not None else _Run())
            except _NothingToCompareError as error:
                # A single named file: others in its folder are read as well.
                yield without_scores(error.problems[0], file.path)
        for file in results:
            if file.path not in described:
                yield without_scores(_no_samples(file), file.path)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        texts: dict[str, ItemTexts] = {}
        rows = raw_rows(log.file)
        named = ((name_in(json_in(line, where, _Id).doc_id), (where, line)) for where, line in rows)
        for item, (where, line) in first_of_items(named, items):
            row = json_in(line, where, _TextRow)
            texts[item] = ItemTexts(_prompt(row.arguments), text_in(row.target), _answer(row))
        return texts


class _Id(msgspec.Struct):
    doc_id: Any = None


class _TextRow(msgspec.Struct):
    target: Any = None
    arguments: Any = None
    filtered_resps: Any = None


def _prompt(arguments: object) -> str | None:
    """Return the first text of the model's input."""
    while isinstance(arguments, Mapping | list) and arguments:
        arguments = next(iter(arguments.values())) if isinstance(arguments, Mapping) else arguments[0]
    return text_in(arguments)


def _answer(row: _TextRow) -> str | None:
    """Return the filtered answer; for log-likelihoods, the choice with the highest."""
    filtered = row.filtered_resps
    if (
        isinstance(filtered, list)
        and len(filtered) > 1
        and all(isinstance(choice, list) and choice for choice in filtered)
    ):
        scores = [as_score(choice[0]) for choice in filtered]
        if not np.isfinite(scores).any():
            return None
        best = int(np.nanargmax(scores))
        args = row.arguments
        continuation = under(args, f"gen_args_{best}", "arg_1")
        if isinstance(args, list) and best < len(args) and isinstance(args[best], list) and len(args[best]) > 1:
            continuation = args[best][1]
        return continuation.strip() if isinstance(continuation, str) else f"choice {best}"
    while isinstance(filtered, list) and filtered:
        filtered = filtered[0]
    return text_in(filtered)


def _is_samples(file: LogFile) -> bool:
    return _SAMPLES.fullmatch(file.name) is not None or _ARRAY_BEGINS.match(file.head) is not None


def _is_results(file: LogFile) -> bool:
    """Return whether a file starts like results: with their time, or with keys that only they have."""
    if _RESULTS_BEGIN.match(file.head) is None:
        return False
    return _RESULTS.fullmatch(file.name) is not None or b'_stderr"' in file.head or b"_stderr," in file.head


def _results_beside(file: LogFile) -> LogFile | None:
    """Return the results that have the time of these samples in their names: nothing else links the two."""
    match = _SAMPLES.fullmatch(file.name)
    folder = file.path.parent
    stamp = match[2] if match is not None else ""
    results = beside(folder, f"results_{stamp}.json" if stamp else "results.json")
    if results is not None or not stamp:
        return results
    names = ((unpacked_name(path.name), path) for path in sorted(folder.iterdir()))
    others = (LogFile(path) for name, path in names if name.endswith(f"_{stamp}.json") and not _SAMPLES.fullmatch(name))
    return next((other for other in others if _is_results(other)), None)


def _samples_beside(file: LogFile) -> Sequence[LogFile]:
    """Return the samples of these results."""
    match = _RESULTS.fullmatch(file.name)
    if match is None:
        return ()
    names = ((_SAMPLES.fullmatch(unpacked_name(path.name)), path) for path in sorted(file.path.parent.iterdir()))
    return [
        LogFile(path) for match_of_name, path in names if match_of_name is not None and match_of_name[2] == match[1]
    ]


def _no_samples(file: LogFile) -> Problem:
    """Return the problem of results without samples."""
    version = name_in(under(_results_in(file), "lm_eval_version"))
    old = not version and not any(
        "," in key for task_results in _tasks_in(_results_in(file)).values() for key in task_results
    )
    before = ", written before 0.4" if old else ""
    what = f"samples are missing next to the results{before}; means cannot be compared item by item"
    return Problem(file.where, what, "Run lm_eval 0.4.3 or later with --log_samples.", "no-samples")


def _results_in(file: LogFile) -> Mapping[str, Any]:
    results = file.json()
    if not isinstance(results, Mapping):
        raise wrong_log(file.where, "expected an object with results")
    return results


def _tasks_in(results: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the results of each task and group."""
    tasks = results.get("results")
    return (
        {key: task_results for key, task_results in tasks.items() if isinstance(task_results, Mapping)}
        if isinstance(tasks, Mapping)
        else {}
    )


class _Run:
    """The results of a run; may be empty."""

    def __init__(self, file: LogFile | None = None) -> None:
        self.results = _results_in(file) if file is not None else {}
        self.exists = file is not None
        self.tasks = _tasks_in(self.results)

    def of(self, *keys: str) -> Any:
        return under(self.results, *keys)

    @cached_property
    def system(self) -> str:
        """The model's name, or None."""
        name = name_in(self.of("model_name"))
        if name:
            return name
        arguments = self.of("config", "model_args")
        match = _MODEL.search(arguments) if isinstance(arguments, str) else None
        return printable(match[1]) if match is not None else ""

    def filters(self, task: str) -> Sequence[str]:
        """The filters of a task, in the order of the harness."""
        pairs = (key.partition(",") for key in self.tasks.get(task, {}))
        return list(dict.fromkeys(last for name, comma, last in pairs if comma and not name.endswith("_stderr")))

    def size(self, task: str) -> int | None:
        """The number of evaluated documents of a task."""
        for size in (self.of("n-samples", task, "effective"), self.of("results", task, "sample_len")):
            if isinstance(size, int) and not isinstance(size, bool) and size > 0:
                return size
        return None

    def settings(self, task: str, metric: str) -> Mapping[str, Any]:
        """The task's configuration of a metric."""
        metrics = self.of("configs", task, "metric_list")
        for settings_of_metric in metrics if isinstance(metrics, list) else ():
            if isinstance(settings_of_metric, Mapping) and settings_of_metric.get("metric") == metric:
                return settings_of_metric
        return {}

    def main(self, task: str, columns: Collection[tuple[str, str]]) -> tuple[str, str] | None:
        """Return the metric and filter that reports use for a task, among those with scores, or None."""
        listed = self.of("configs", task, "metric_list")
        named = [under(entry, "metric") for entry in listed] if isinstance(listed, list) else []
        names = list(dict.fromkeys(name for name, _ in columns))
        names = [name for name in names if name in named] or names
        usual = names if len(names) == 1 else [name for name in _CONVENTION if name in names]
        filters = [filter_ for name, filter_ in columns if usual and name == usual[0]]
        usual_filters = [filter_ for filter_ in (*_FILTERS, *self.filters(task)) if filter_ in filters] or filters[:1]
        return (usual[0], usual_filters[0]) if filters else None

    def aggregation(self, task: str, metric: str) -> str:
        """The harness's aggregation of the items' values; "mean" if unknown."""
        named = self.settings(task, metric).get("aggregation")
        if isinstance(named, str):
            return named
        return "mean" if named is None and metric not in _NOT_MEANS else _NOT_MEANS.get(metric, "another")

    def higher_is_better(self, task: str, metric: str) -> bool:
        for directions in (
            self.of("higher_is_better", task, metric),
            self.settings(task, metric).get("higher_is_better"),
        ):
            if isinstance(directions, bool):
                return directions
        return direction_of(metric) is not False

    @cached_property
    def groups(self) -> Mapping[str, Mapping[str, str]]:
        """By task, its groups and the weights of tasks there."""
        children = self.of("group_subtasks")
        children = children if isinstance(children, Mapping) else {}
        groups: dict[str, dict[str, str]] = {}
        for group in children:
            leaves = self._leaves(group, children)
            weights = self._weights(group, leaves) if leaves else None
            if weights is not None:
                for leaf in leaves:
                    groups.setdefault(leaf, {})[printable(str(group))] = weights
        return groups

    @staticmethod
    def _leaves(group: str, children: Mapping[str, Any]) -> Sequence[str]:
        """Return the tasks in a group and in the groups in it."""
        leaves: dict[str, None] = {}
        visited, waiting = {group}, [group]
        while waiting:
            below = children.get(waiting.pop())
            for child in below if isinstance(below, list) else ():
                if isinstance(child, str) and child not in visited:
                    visited.add(child)
                    if children.get(child):
                        waiting.append(child)
                    else:
                        leaves[child] = None
        return list(leaves)

    def _weights(self, group: str, leaves: Sequence[str]) -> str | None:
        """Return the weights of tasks in a group's score, by comparing the score with two means."""
        weights = None
        for key, value in self.tasks.get(group, {}).items():
            if "," not in key or key.partition(",")[0].endswith("_stderr") or not math.isfinite(as_score(value)):
                continue
            tasks = [leaf for leaf in leaves if math.isfinite(as_score(self.of("results", leaf, key)))]
            sizes = [self.size(leaf) for leaf in tasks]
            means = [as_score(self.of("results", leaf, key)) for leaf in tasks]
            counted_sizes = [size for size in sizes if size is not None]
            if not tasks:
                continue
            macro = math.isclose(sum(means) / len(means), as_score(value), rel_tol=1e-9, abs_tol=1e-12)
            if len(counted_sizes) < len(sizes):
                return "macro" if macro else "size"  # before sizes were written, they were the weights
            pooled = sum(mean * size for mean, size in zip(means, counted_sizes, strict=True)) / sum(counted_sizes)
            by_size = math.isclose(pooled, as_score(value), rel_tol=1e-9, abs_tol=1e-12)
            if macro != by_size:
                return "macro" if macro else "size"
            if macro:
                weights = "size"  # both so far: the harness's own default
        return weights


class _NothingToCompareError(DataError):
    """Samples without a score per item on any metric."""


@dataclass(eq=False)
class _Records(RecordBuilder):
    """The records of a file, one per item; a metric is a filter and a name."""

    most: int = _MOST_COLUMNS
    metrics_are: str = "metrics and filters"
    slug: str = "wrong-log"
    digests: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _DIGESTS})
    lists: dict[tuple[str | int, str], None] = field(default_factory=dict)
    most_rows: int = 1

    def add_row(
        self,
        item: str,
        form: str | None,
        digests: Sequence[str | None],
        values: Iterable[tuple[str, object]],
        where: str,
    ) -> None:
        """Add a row; without a filter, its number among the rows of its item is used."""
        time = self.time(item, form or "")
        if form is None and time >= self.most_rows:
            self.most_rows = time + 1
        key: str | int = time if form is None else form
        record = item if form is None or time == 0 else (item, time)
        record_index = self.index_of.get(record)
        if record_index is None:
            record_index = self.add(item, key=record)
            document, prompt, target = digests
            self.digests["document"].append((document or "")[:_DIGEST_LENGTH])
            self.digests["prompt"].append((prompt or "")[:_DIGEST_LENGTH])
            self.digests["target"].append((target or "")[:_DIGEST_LENGTH])
        for name, value in values:
            if type(value) is float:
                self.score(record_index, (key, name), value, where)
            elif not isinstance(value, list | dict):
                self.score(record_index, (key, name), as_score(value), where)
            elif len(self.lists) < _MOST_COLUMNS:
                self.lists[key, name] = None


def _log_of(file: LogFile, run: _Run) -> Log:
    records = _Records()
    attribute_of: dict[str, str] = {}  # by metric, the attribute of the row
    decoder = _decoder(attribute_of)
    last: object = None
    attributes: list[tuple[str, str]] = []
    for where, line in raw_rows(file):
        try:
            row = decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            row = json_in(line, where, decoder.type)
        names = row.metrics
        if names is None:
            values = _values_of(line, where)
        else:
            if names != last or last is None:
                new = _new_metrics(names, attribute_of, where)
                if new:
                    attribute_of |= new
                    decoder = _decoder(attribute_of)
                    row = json_in(line, where, decoder.type)
                last, attributes = names, [(name, attribute_of[name]) for name in names if name in attribute_of]
            values = [(name, getattr(row, attribute)) for name, attribute in attributes]
        doc_id = row.doc_id
        item = str(doc_id) if type(doc_id) is int else name_in(doc_id)
        if not item:
            raise wrong_log(where, 'expected a number or a name as "doc_id"')
        records.add_row(item, row.filter, (row.doc_hash, row.prompt_hash, row.target_hash), values, where)
    if not records.items:
        raise wrong_log(file.where, "expected one row per document, got none", slug="empty")
    return _described(file, run, records)


def _new_metrics(names: object, attributes: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the attributes of metrics that are new in this row."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise wrong_log(where, 'expected a list of names as "metrics"')
    new = dict.fromkeys(name for name in names if name not in attributes and name not in _OWN_KEYS)
    if any(_NOT_IN_NAMES.search(name) for name in new):
        raise wrong_log(where, 'names in "metrics" contain quotation marks or control characters')
    if len(attributes) + len(new) > _MOST_COLUMNS:
        raise wrong_log(where, f"expected at most {_MOST_COLUMNS} metrics, got more")
    return {name: f"metric_{len(attributes) + index}" for index, name in enumerate(new)}


def _decoder(names: Mapping[str, str]) -> msgspec.json.Decoder[Any]:
    """Return a decoder for the needed part of a row."""
    fields: list[tuple[str, Any, Any]] = [
        ("doc_id", Any, None),
        ("filter", str | None, None),
        ("metrics", Any, None),
        *((key, str | None, None) for key in _DIGESTS.values()),
        *((attribute, Any, None) for attribute in names.values()),
    ]
    rename = {attribute: name for name, attribute in names.items()}
    return msgspec.json.Decoder(msgspec.defstruct("_Row", fields, rename=rename, gc=False))


def _values_of(line: bytes, where: str) -> Sequence[tuple[str, object]]:
    """Return the metrics of a row without a list of them, before 0.4.7: all other keys."""
    try:
        row = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        return [(key, msgspec.json.decode(raw)) for key, raw in row.items() if key not in _OWN_KEYS]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return [(key, value) for key, value in json_in(line, where, dict[str, Any]).items() if key not in _OWN_KEYS]


def _task_of(file: LogFile, run: _Run) -> str:
    """Return the task of samples; for arrays before 0.4.3, the task in the results that ends the file's name."""
    match = _SAMPLES.fullmatch(file.name)
    if match is not None:
        return match[1]
    stem = file.name.rpartition(".")[0]
    return max((task for task in run.tasks if stem.endswith(f"_{task}") or stem == task), key=len, default=stem)


def _described(file: LogFile, run: _Run, records: _Records) -> Log:
    """Return the log with data from its results."""
    task = _task_of(file, run)
    filters = run.filters(task)
    notes = []
    if not run.exists:
        notes.append("results of the same time are missing, so the system is named after the folder")
    if records.most_rows > 1 and len(filters) != records.most_rows:
        notes.append(f"rows have no filters; those of a document are named 1 to {records.most_rows}")

    def filtered(key: str | int) -> str:
        if not isinstance(key, int):
            return key
        single = _NO_FILTER if records.most_rows == 1 else f"{key + 1}"
        return filters[key] if len(filters) == records.most_rows else single

    lists = [_title(name, filtered(key)) for key, name in records.lists if (key, name) not in records.columns]
    if not records.columns:
        what = f"items have no scores, only lists ({listed(lists)})"
        raise _NothingToCompareError(wrong_log(file.where, what, "Compare another metric.", "no-scores").problems[0])
    if lists:
        notes.append(f"left out, as items have lists of numbers instead of scores: {listed(lists)}")
    n_items = len(set(records.items))
    size = run.size(task)
    if size is not None and size > n_items:
        notes.append(f"has {n_items:,} of the {size:,} evaluated documents")
    metrics = {}
    for key, name in records.columns:
        scores = records.scores((key, name))
        metric = _metric(name, filtered(key), scores, run, task, None if size == n_items else size)
        if metric is not None:
            metrics[name, filtered(key)] = metric
            if run.aggregation(task, name) == "perplexity":
                notes.append(f"scores of {quoted(metric.shown)} are log-likelihoods; higher is better")
    main = run.main(task, metrics)
    if main is not None and len(metrics) > 1:
        metrics[main] = replace(metrics[main], is_main=True, is_by_convention=True)
    return records.log(
        file.path,
        run.system or printable(file.path.resolve().parent.name),
        printable(task),
        list(metrics.values()),
        facts=_facts(run, task),
        groups=run.groups.get(task, {}),
        notes=notes,
    )


def _title(name: str, filtered: str) -> str:
    return printable(name if filtered == _NO_FILTER else f"{name} ({filtered})")


def _metric(
    name: str, filtered: str, scores: np.ndarray[Any, Any], run: _Run, task: str, size: int | None
) -> LogMetric | None:
    """Return a metric with the harness's own figures; None if it was bypassed."""
    aggregation = run.aggregation(task, name)
    if aggregation == "bypass":
        return None
    called = f"{name},{filtered}"
    figures = {"mean": run.of("results", task, called), "stderr": run.of("results", task, f"{name}_stderr,{filtered}")}
    higher, explanation = run.higher_is_better(task, name), None
    if aggregation == "perplexity":
        # The score is exp of minus the mean of these values, so its direction is reversed.
        figures, higher = {"mean": -math.log(value) if (value := as_score(figures["mean"])) > 0 else None}, True
    elif aggregation != "mean":
        figures["stderr"] = None
        explanation = f"the harness reports {_aggregation_name(aggregation)}, not the mean over documents"
    return LogMetric(
        name=printable(name if filtered == _NO_FILTER else called),
        title=_title(name, filtered),
        aliases=(printable(called),) if filtered == _NO_FILTER else (),
        scores=scores,
        higher_is_better=higher,
        # A document without a value of the metric was not counted.
        aggregates=aggregates_of(figures, int(np.isfinite(scores).sum()) if size is None else size),
        aggregation=None if explanation is None else _aggregation_name(aggregation),
        explanation=explanation,
        **range_of(scores if name in _SHARES and aggregation == "mean" else None),
    )


def _aggregation_name(aggregation: str) -> str:
    """Return the name of an aggregation, unless it is the source of a function."""
    return printable(aggregation) if aggregation.isidentifier() else "a custom function"


def _facts(run: _Run, task: str) -> Mapping[str, str]:
    """Return the settings that should agree between compared logs."""
    dataset = [run.of("configs", task, key) for key in ("dataset_path", "dataset_name", "test_split")]
    generation = run.of("configs", task, "generation_kwargs")
    facts = {
        "task version": run.of("versions", task),
        "dataset": ", ".join(name for name in map(name_in, dataset) if name) or None,
        "few-shot examples": run.of("n-shot", task),
        "few-shot seed": run.of("config", "fewshot_seed"),
        "limit": run.of("config", "limit"),
        "repeats": run.of("configs", task, "repeats"),
        "generation settings": run.of("config", "gen_kwargs") if generation is None else generation,
        "chat template": run.of("chat_template_sha"),
        "system instruction": run.of("system_instruction_sha"),
        "harness version": run.of("lm_eval_version"),
    }
    return {name: _brief(fact) for name, fact in facts.items() if fact is not None}


def _brief(fact: object) -> str:
    """Return a setting on one line; truncated values get a digest."""
    text = json.dumps(fact, sort_keys=True, ensure_ascii=False) if isinstance(fact, Mapping | list) else str(fact)
    if len(text) <= _LONGEST_FACT:
        return printable(text)
    return f"{printable(text[:_LONGEST_FACT])}... ({digest_of(text)})"
