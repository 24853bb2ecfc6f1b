"""Results of ragas: ``result.to_pandas()`` as CSV, JSON records or lines, and JSON documents with a list of records."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from outscore.data.items import ItemTexts
from outscore.metrics.families.columns import direction_of
from outscore.readers.tabular.cells import in_words, is_missing, is_missing_score
from outscore.text.naming import printable, quoted
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, wrong_log
from outscore.wings.logs.files import csv_header, csv_rows, first_of_array, first_of_items, keys_at, path_name, rows_in
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import aggregates_of, directed, name_of_text, text_in, under

# Metrics that only ragas has, by which its results are recognized; and others, which it has with "user_input".
_OWN = re.compile(
    r"faithfulness(_with_hhem)?|answer_relevancy|(non_llm_|id_based_)?context_(precision|recall)|context_entity_recall"
    r"|context_(relevancy|utilization)|(non_)?llm_context_precision_with(out)?_reference|noise_sensitivity"
    r"|factual_correctness|nv_(accuracy|context_relevance|response_groundedness)"
)
_OTHERS = re.compile(
    r"agent_goal_accuracy|answer_(correctness|similarity)|(bleu|chrf|data_compare|rouge|summary)_score|coherence"
    r"|conciseness|correctness|exact_match|(faithful|relevance)_rate|llm_sql_equivalence_with_reference"
    r"|(non_llm_string|semantic)_similarity|string_present|tool_call_(accuracy|f1)|topic_adherence"
)
_LOWER = ("noise_sensitivity", "harmfulness", "maliciousness")
_QUESTIONS, _TARGETS, _ANSWERS = ("user_input", "question"), ("reference", "ground_truth"), ("response", "answer")
# Columns that hold no scores, even if they hold numbers: texts, and indexes of data frames.
_NO_METRICS = frozenset((*_QUESTIONS, *_TARGETS, *_ANSWERS, "", "index", "id", "Unnamed: 0"))
_MODE = re.compile(r"\(.*\)$")  # of "factual_correctness(mode=f1)"
_GENERIC = frozenset(("evaluation_results", "ragas", "ragas_evaluation", "ragas_results", "results", "scores"))


class Ragas(LogFormat):
    """Results of ragas: an item is a question, and each other column of numbers a metric.

    The path names the system. Directions of ragas's own metrics are known; names of others tell theirs, or else users
    choose. Scores that ragas could not compute are missing. Tested on petra9090/rag-chatbot at 01887d3, whose script
    wrote the document, and on a CSV that ragas 0.4 wrote.
    """

    name = "ragas"
    suffixes = (".json", ".jsonl", ".csv")

    def recognizes(self, file: LogFile) -> bool:
        if file.name.lower().endswith(".csv"):
            return _are_of_ragas(csv_header(file))
        head = file.head
        if not any(f'"{name}"'.encode() in head for name in _QUESTIONS):
            return False
        start = first_of_array(head) or 0
        keys = keys_at(head, start)
        lists = [first_of_array(head, at) or 0 for key, at in keys.items() if keys.mark(key) == "["]
        return _are_of_ragas(keys) or any(_are_of_ragas(keys_at(head, first)) for first in lists if not start)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        rows = ((_item(row), row) for _, row in _rows(log.file, _document(log.file)))
        return {
            item: ItemTexts(*(text_in(_first(row, names)) for names in (_QUESTIONS, _TARGETS, _ANSWERS)))
            for item, row in first_of_items(rows, items)
        }


def _are_of_ragas(names: Collection[str]) -> bool:
    plain_names = [_MODE.sub("", name) for name in names]
    if "user_input" in plain_names and any(map(_OTHERS.fullmatch, plain_names)):
        return True
    return any(name in plain_names for name in _QUESTIONS) and any(map(_OWN.fullmatch, plain_names))


def _document(file: LogFile) -> object:
    """Return the whole document if it is one object with a list of records; None for rows."""
    keys = keys_at(file.head)
    return None if not keys or _are_of_ragas(keys) else file.json()


def _rows(file: LogFile, document: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records with their places."""
    if file.name.lower().endswith(".csv"):
        rows = csv_rows(file)
        _, header = next(rows, ("", list[str]()))
        yield from ((where, dict(zip(header, row, strict=False))) for where, row in rows)
    elif isinstance(document, Mapping):
        for key, values in document.items():
            rows_of_key = [row for row in values if isinstance(row, Mapping)] if isinstance(values, list) else []
            if rows_of_key and _are_of_ragas(rows_of_key[0]):
                yield from ((f"{file.where}: {printable(key)}[{n}]", row) for n, row in enumerate(rows_of_key))
                return
    else:
        yield from rows_in(file, dict[str, Any])


def _first(row: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((row[name] for name in names if name in row), None)


def _item(row: Mapping[str, Any]) -> str:
    question = _first(row, _QUESTIONS)
    return name_of_text(json.dumps(question) if isinstance(question, list) else question)


def _log_of(file: LogFile) -> Log:
    document, is_csv = _document(file), file.name.lower().endswith(".csv")
    records = RecordBuilder()
    others, first = Counter[str](), dict[str, tuple[str, object]]()  # by column, values that are no numbers
    for where, row in _rows(file, document):
        item = _item(row)
        if not item:
            raise wrong_log(where, f'expected a text as "{_QUESTIONS[0]}"')
        record = records.add(item)
        for name, value in row.items():
            score = math.nan if isinstance(value, str) and not is_csv else as_score(value)
            if not math.isnan(score):
                records.score(record, name, score, where)
            elif not _is_missing(value):
                others[name] += 1
                first.setdefault(name, (where, value))
    columns = (name for name in map(str, records.columns) if name not in _NO_METRICS)
    names = [name for name in columns if others[name] < np.count_nonzero(~np.isnan(records.scores(name)))]
    notes = []
    for name in [name for name in names if name in first]:
        names.remove(name)
        where, value = first[name]
        what = f"field {quoted(name)}: expected a number, as in most rows, got {in_words(value)}"
        if _higher_is_better(name) is not None:
            raise wrong_log(where, what, "Correct the value, or leave it empty if it is missing.", "not-a-number")
        notes.append(f"has a field that is not read as scores: {where}: {what}")
    if not names:
        raise wrong_log(file.where, "expected scores of questions, got none", slug="empty")
    metrics: list[LogMetric] = []
    for name in names:
        aggregates = aggregates_of({"mean-of-records": under(document, "summary", name)})
        metrics += directed(printable(name) or "unnamed", records.scores(name), _higher_is_better(name), aggregates)
    stem = file.name.rpartition(".")[0]
    system = path_name(file, "" if stem.lower() in _GENERIC else stem, _GENERIC)
    return records.log(file.path, system, "ragas", metrics, named_by_path=True, notes=notes)


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, str) and value.strip().lower() == "nan"
    return is_nan or is_missing(value) or is_missing_score(value)


def _higher_is_better(name: str) -> bool | None:
    plain_name = _MODE.sub("", name)
    is_known = _OWN.fullmatch(plain_name) or _OTHERS.fullmatch(plain_name)
    return False if plain_name in _LOWER else True if is_known else direction_of(plain_name)
