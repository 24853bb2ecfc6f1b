"""Logs of lighteval: ``details_TASK_TIME.parquet``, and the ``results_TIME.json`` of the same run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from outscore.data.items import ItemTexts
from outscore.errors import DataError
from outscore.metrics.families.columns import direction_of
from outscore.readers.base import check_width
from outscore.readers.files import held_back, most_bytes, too_large
from outscore.results.record import parquet_library
from outscore.text.naming import listed, printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_of_items
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of, digest_of, facts_of, range_of, under

_STAMP = r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?"
_DETAILS = re.compile(rf"details_(.+)_({_STAMP})\.parquet")
_RESULTS = re.compile(rf"results_({_STAMP})\.json")
_RESULTS_BEGIN = re.compile(rb'\s*\{\s*"config_general"\s*:\s*\{')
_MAGIC = b"PAR1"
_BYTES_OF_CELL = 8
_DIGESTED = {"document": ("query",), "prompt": ("prompt",), "target": ("choices", "gold_index", "gold")}
_SHARES = re.compile(r"(?:.*_)?(?:acc|acc_norm|em|qem|pem|pqem|exact_match|extractive_match|pass@k.*)(?:_.*)?|acc.*")


class Lighteval(LogFormat):
    """Details and results of Hugging Face's lighteval; details are Parquet, which needs polars.

    A row is a document, with one number per metric. Based on the code of lighteval 0.6 to 0.13; untested on real files.
    """

    name = "lighteval"
    suffixes = (".parquet", ".json")

    def recognizes(self, file: LogFile) -> bool:
        if _DETAILS.fullmatch(file.name):
            return file.head.startswith(_MAGIC)
        return _RESULTS.fullmatch(file.name) is not None and _RESULTS_BEGIN.match(file.head) is not None

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        results = [file for file in files if _RESULTS.fullmatch(file.name)]
        details = [file for file in files if _DETAILS.fullmatch(file.name)]
        if not details:
            what = "details are missing next to the results; means cannot be compared item by item"
            advice = "Run lighteval with --save-details, and pass its folder."
            raise wrong_log(files[0].where, what, advice, "no-samples")
        described: set[Path] = set()
        last: Log | None = None
        results_by_path: dict[Path, Mapping[str, Any]] = {}
        for file in details:
            if last is not None:
                yield last
            run_results = _results_of(file, results)
            if run_results is not None:
                described.add(run_results.path.resolve())
                if run_results.path not in results_by_path:
                    results_by_path = {run_results.path: _results_in(run_results)}
            last = _log_of(file, results_by_path[run_results.path] if run_results is not None else None)
        notes = [
            f"{file.where} has no details, and is left out" for file in results if file.path.resolve() not in described
        ]
        if last is not None:
            yield replace(last, notes=[*last.notes, *notes])

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        frame = _frame(log.file, texts=True)
        texts: dict[str, ItemTexts] = {}
        for item, index in first_of_items(zip(_items(frame), range(frame.height), strict=True), items):
            row = {name: frame[name][index] for name in frame.columns}
            texts[item] = ItemTexts(_text(row.get("query")), _target(row), _text(row.get("answer")))
        return texts


def _results_in(file: LogFile) -> Mapping[str, Any]:
    results = file.json()
    if not isinstance(results, Mapping):
        raise wrong_log(file.where, "expected an object with results")
    return results


def _results_of(file: LogFile, results: Sequence[LogFile]) -> LogFile | None:
    """Return the results of the same time: next to the details, where lighteval puts them, or among the files."""
    match = _DETAILS.fullmatch(file.name)
    assert match is not None
    name = f"results_{match[2]}.json"
    folder = file.path.resolve().parent
    folders = [folder, folder.parent]
    parts = folder.parts
    if "details" in parts:
        # details/ORG/MODEL/TIME/ and results/ORG/MODEL/
        part = len(parts) - 1 - parts[::-1].index("details")
        folders.append(Path(*parts[:part], "results", *parts[part + 1 : -1]))
    near = next((path for index in folders if (path := beside(index, name)) is not None), None)
    named = [result for result in results if result.name == name]
    return named[0] if near is None and len(named) == 1 else near


def _frame(file: LogFile, *, texts: bool = False) -> Any:
    """Return the needed columns, under their names since 0.11."""
    polars = parquet_library(file.where)
    data = file.data
    if not (data.startswith(_MAGIC) and data.endswith(_MAGIC)):
        raise _damaged(file, "no Parquet mark at both ends")
    try:
        with held_back():
            lazy = polars.scan_parquet(BytesIO(data))
            schema = lazy.collect_schema()
            check_width(len(schema), file.where)
            n_rows = lazy.select(polars.len()).collect().item()
            if n_rows * len(schema) * _BYTES_OF_CELL > most_bytes():
                raise too_large(str(file.path), most_bytes())
            columns = _columns(schema, polars, texts=texts)
            if "metric" not in columns:
                what = f"expected metrics as fields of a column, got the columns {listed(list(schema))}"
                raise wrong_log(file.where, what)
            frame = lazy.select(**columns).collect()
    except DataError:
        raise
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError, ValueError) as error:
        raise _damaged(file, str(error).partition("\n")[0]) from None
    if not frame.height:
        raise wrong_log(file.where, "expected one row per document, got none", slug="empty")
    return frame


def _columns(schema: Mapping[str, Any], polars: ModuleType, *, texts: bool) -> dict[str, Any]:
    """Return the expressions to select; before 0.11, from top-level columns."""
    columns: dict[str, Any] = {}
    for name in ("metric", "metrics"):
        if isinstance(schema.get(name), polars.Struct):
            columns["metric"] = polars.col(name)
            break
    doc = schema.get("doc")
    if isinstance(doc, polars.Struct):
        inside = {field.name for field in doc.fields}
        for name in ("id", "query", "choices", "gold_index"):
            if name in inside:
                columns[name] = polars.col("doc").struct.field(name)
    else:
        for name, old in {"query": "example", "prompt": "full_prompt", "choices": "choices", "gold": "gold"}.items():
            if old in schema:
                columns[name] = polars.col(old)
    if texts:
        response = schema.get("model_response")
        if isinstance(response, polars.Struct) and "text" in {field.name for field in response.fields}:
            columns["answer"] = polars.col("model_response").struct.field("text")
        elif "predictions" in schema:
            columns["answer"] = polars.col("predictions")
    return columns


def _items(frame: Any) -> list[str]:
    """Return the documents' ids; their positions if they have none."""
    if "id" in frame.columns:
        ids = [name_in(id_) for id_ in frame["id"].to_list()]
        if all(ids):
            return ids
    return [str(row) for row in range(frame.height)]


def _plain(value: object) -> Any:
    """Return a cell of a list column as a list."""
    return value.to_list() if hasattr(value, "to_list") else value


def _text(value: object) -> str | None:
    """Return a text, or the first of several."""
    value = _plain(value)
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def _target(row: Mapping[str, Any]) -> str | None:
    choices, gold = _plain(row.get("choices")), _plain(row.get("gold_index"))
    indices = gold if isinstance(gold, list) else [gold]
    if isinstance(choices, list):
        right = [choices[at] for at in indices if isinstance(at, int) and 0 <= at < len(choices)]
        texts = [text for text in right if isinstance(text, str)]
        if texts:
            return " | ".join(texts)
    return _text(row.get("gold"))


def _log_of(file: LogFile, results: Mapping[str, Any] | None) -> Log:
    match = _DETAILS.fullmatch(file.name)
    assert match is not None
    task = _task(results or {}, match[1])
    frame = _frame(file)
    figures = _figures(results or {}, task)
    # A struct is unpacked into columns, one per metric.
    fields = frame["metric"].struct.unnest()
    metrics, lists = [], []
    for name in fields.columns:
        column = fields[name]
        if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
            scores = np.array([as_score(value) for value in column.to_list()])
            metrics.append(_metric(name, scores, figures))
        elif str(column.dtype) != "Null":
            lists.append(name)
    notes = []
    if not metrics:
        what = f"no document has a score, only other values ({listed(lists)})"
        raise wrong_log(file.where, what, "Compare another task.", "no-scores")
    if lists:
        notes.append(f"left out, as documents have no scores but other values: {listed(lists)}")
    if results is None:
        notes.append("results of the same time are missing, so the system is named after the folder")
    items = _items(frame)
    if "id" not in frame.columns:
        notes.append("documents have no ids, so items are numbered")
    records = RecordBuilder(
        items=items,
        digests={
            name: digests_of_column
            for name, columns in _DIGESTED.items()
            if (digests_of_column := _digests(frame, columns)) is not None
        },
    )
    return records.log(
        file.path,
        _system(file, results or {}),
        printable(task),
        metrics,
        facts=_facts(results or {}, task),
        groups=_groups(results or {}, task),
        notes=notes,
    )


def _metric(name: str, scores: np.ndarray[Any, Any], figures: Mapping[str, Any]) -> LogMetric:
    is_share = _SHARES.fullmatch(name) is not None
    figures_of_metric = {"mean": figures.get(name), "stderr": figures.get(f"{name}_stderr")}
    return LogMetric(
        name=printable(name),
        scores=scores,
        higher_is_better=direction_of(name) is not False,
        aggregates=aggregates_of(figures_of_metric),
        explanation="the log does not record how lighteval aggregates this metric; it is not the mean of documents",
        **range_of(scores if is_share else None),
    )


def _task(results: Mapping[str, Any], name: str) -> str:
    """Return the name of a task in the results; file names may replace bars and colons."""
    tasks = results.get("results")
    plain = re.sub(r"\W", "_", name)
    same = [task for task in (tasks if isinstance(tasks, Mapping) else ()) if re.sub(r"\W", "_", str(task)) == plain]
    return name if name in same or len(same) != 1 else str(same[0])


def _figures(results: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    figures = under(results, "results", task)
    return figures if isinstance(figures, Mapping) else {}


def _groups(results: Mapping[str, Any], task: str) -> Mapping[str, str]:
    """Return the unweighted average of tasks that includes a task, if the results have it."""
    group = re.sub(r":[^|]*", ":_average", task, count=1)
    return {printable(group): "macro"} if group != task and _figures(results, group) else {}


def _digests(frame: Any, columns: Sequence[str]) -> list[str] | None:
    """Return hashes of the values in columns; None if the columns do not exist."""
    there = [name for name in columns if name in frame.columns]
    if not there:
        return None
    rows = zip(*(frame[name].to_list() for name in there), strict=True)
    return [digest_of(repr(row)) for row in rows]


def _system(file: LogFile, results: Mapping[str, Any]) -> str:
    general = results.get("config_general")
    name = name_in(under(general, "model_name")) or name_in(under(general, "model_config", "model_name"))
    if name:
        return name
    parts = file.path.resolve().parent.parts
    if parts and re.fullmatch(_STAMP, parts[-1]):
        parts = parts[:-1]
    if "details" in parts:
        part = len(parts) - 1 - parts[::-1].index("details")
        if parts[part + 1 :]:
            return printable("/".join(parts[part + 1 :]))
    return printable(parts[-1].removeprefix("details_").replace("__", "/"))


def _facts(results: Mapping[str, Any], task: str) -> Mapping[str, str]:
    """Return the settings that should agree between compared logs."""
    shots = re.search(r"\|(\d+)(?:\|\d+)?$", task)
    return facts_of(
        {
            "task version": under(results, "versions", task),
            "few-shot examples": shots[1] if shots is not None else "",
            "limit": under(results, "config_general", "max_samples"),
            "harness version": under(results, "config_general", "lighteval_sha"),
        }
    )


def _damaged(file: LogFile, reason: str) -> DataError:
    what = f"expected Parquet, got unreadable data: {printable(reason)}"
    return wrong_log(file.where, what, "Write the file again.", "not-parquet")
