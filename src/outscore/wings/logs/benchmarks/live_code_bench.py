"""Logs of LiveCodeBench: ``*_eval_all.json`` of its runner, and the files behind its site."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.text.naming import printable, quoted
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import first_of_array, first_of_items, folder_name, keys_at
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, number_in, text_in

_ENDING = "_eval_all"
_SCENARIO = re.compile(r"(?:Scenario\.)?([A-Za-z]+)_(\d+)_([\d.]+)(?:_.*)?_eval_all")
_NO_SYSTEM = frozenset(("output", "outputs", "results", "logs"))
_NOT_RUN = -1  # the score of a model that was not run with or without a chain of thought


class LiveCodeBench(LogFormat):
    """Answers to the questions of LiveCodeBench.

    Files of its runner have one verdict per sample, correct or incorrect. Files of its site have one score per
    question, a percentage, the mean over samples. If models have several rows per question, as in output
    prediction, each row is an item, QUESTION#1, QUESTION#2, ..., in order, and the question is a cluster. Rows with
    a sample_id are items of that id. A score of -1 means that the model was not run.
    """

    name = "LiveCodeBench"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        return _is_graded(file) or _is_site(file)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        for file in files:
            if _is_site(file):
                yield from _site(file)
            else:
                yield _graded(file)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        if not _is_graded(log.file):
            return {}
        texts: dict[str, ItemTexts] = {}
        rows = ((_item_of(row), row) for row in log.file.json(list[_TextRow]))
        for item, row in first_of_items(rows, items):
            answers = row.code_list if isinstance(row.code_list, list) else row.pred_list
            answer = answers[0] if isinstance(answers, list) and answers else None
            texts[item] = ItemTexts(text_in(row.question_content), None, text_in(answer))
        return texts


def _is_graded(file: LogFile) -> bool:
    head = file.head
    if b'"question_id"' not in head:
        return False
    first = first_of_array(head)
    if first is None:
        return False
    keys = keys_at(head, first).keys()
    # Long texts may precede the verdicts; then the name must identify the format.
    return "question_id" in keys and (
        "graded_list" in keys or ("output_list" in keys and file.name.endswith(f"{_ENDING}.json"))
    )


def _is_site(file: LogFile) -> bool:
    head = file.head
    if b'"performances"' not in head:
        return False
    keys = keys_at(head)
    first = first_of_array(head, keys["performances"]) if "performances" in keys else None
    if first is None:
        return False
    row = keys_at(head, first).keys()
    return "model" in row and bool({"pass@1", "Pass@1"} & row) and bool({"question_id", "sample_id"} & row)


class _Graded(msgspec.Struct):
    question_id: Any = None
    test_id: Any = None
    id: Any = None
    graded_list: list[Any] | None = None
    pass_at_1: Any = msgspec.field(default=None, name="pass@1")
    contest_id: Any = None
    difficulty: Any = None
    platform: Any = None


class _TextRow(msgspec.Struct):
    question_id: Any = None
    test_id: Any = None
    id: Any = None
    question_content: Any = None
    code_list: Any = None
    pred_list: Any = None


def _item_of(row: _Graded | _TextRow) -> str:
    """Return the question, with the test if a question has several, and the sample's id if there is one."""
    sample = name_in(row.id)
    if sample:
        return sample
    question, test = name_in(row.question_id), name_in(row.test_id)
    return f"{question}#{test}" if question and test else question


def _right(verdict: object) -> float:
    """Return whether a sample is correct: one truth value, or in older files a list for its tests; errors are < 0."""
    verdicts = verdict if isinstance(verdict, list) else [verdict]
    scores = [math.nan if isinstance(verdict, str) else as_score(verdict) for verdict in verdicts]
    if not scores or any(map(math.isnan, scores)):
        return math.nan
    return float(all(score > 0 for score in scores))


def _graded(file: LogFile) -> Log:
    records = RecordBuilder()
    means: list[float] = []
    times: Counter[str] = Counter()
    for index, row in enumerate(file.json(list[_Graded])):
        item, question = _item_of(row), name_in(row.question_id)
        if not item or not question:
            raise wrong_log(file.where, f'row {index + 1}: "question_id" is missing')
        if row.graded_list is None:
            raise wrong_log(file.where, f'row {index + 1}: verdicts as "graded_list" are missing')
        times[item] += 1
        row_labels = {"contest": row.contest_id, "difficulty": row.difficulty, "platform": row.platform}
        labels = {"question": question} | {name: name_in(value) for name, value in row_labels.items()}
        for sample, verdict in enumerate(row.graded_list):
            records.add(item, str(sample), {"pass": _right(verdict)}, labels=labels)
        means.append(as_score(row.pass_at_1))
    if not records:
        raise wrong_log(file.where, "expected questions with verdicts, got none", slug="empty")
    n_items = len(set(records.items))
    clustered = len(set(records.labels["question"])) < n_items
    if not clustered:
        del records.labels["question"]
    task, facts = _scenario(file)
    mean = math.fsum(means) / len(means) if len(times) == len(means) else math.nan
    aggregates = aggregates_of({"mean": mean}, len(means))
    return records.log(
        file.path,
        printable(_system_of(file)),
        task,
        [LogMetric(name="pass", scores=records.scores("pass"), is_main=True, aggregates=aggregates, **SHARE)],
        has_runs=n_items < len(records),
        runs_are=RunDesign.SAMPLES,
        cluster="question" if clustered else None,
        facts=facts,
        apart=tuple(facts),
        named_by_path=True,
    )


def _system_of(file: LogFile) -> str:
    return folder_name(file.path.parent, _NO_SYSTEM) or file.name.removesuffix(f"{_ENDING}.json")


def _scenario(file: LogFile) -> tuple[str, dict[str, str]]:
    """Return the task and the settings from a name such as Scenario.codegeneration_10_0.2_eval_all.json."""
    match = _SCENARIO.fullmatch(file.name.removesuffix(".json"))
    if match is None:
        return "LiveCodeBench", {}
    return f"LiveCodeBench {match[1]}", {"samples": match[2], "temperature": match[3]}


class _Performance(msgspec.Struct):
    question_id: Any = None
    sample_id: Any = None
    model: Any = None
    pass_at_1: Any = msgspec.field(default=None, name="pass@1")
    of_execution: Any = msgspec.field(default=None, name="Pass@1")
    of_execution_cot: Any = msgspec.field(default=None, name="Pass@1-COT")
    difficulty: Any = None
    platform: Any = None


class _Site(msgspec.Struct):
    performances: list[_Performance]


def _site(file: LogFile) -> Iterator[Log]:
    rows: dict[str, list[_Performance]] = defaultdict(list)
    for index, row in enumerate(file.json(_Site).performances):
        model = name_in(row.model)
        if not model:
            raise wrong_log(file.where, f'performance {index + 1}: expected a name as "model"')
        rows[model].append(row)
    ids = {model: [_item_of_site(row, file) for row in model_rows] for model, model_rows in rows.items()}
    several = _several_rows(ids)
    models = {
        model: [name_in(row.question_id) or item for row, item in zip(model_rows, ids[model], strict=True)]
        for model, model_rows in rows.items()
    }
    clustered = several or any(len(set(models[model])) < len(set(ids[model])) for model in rows)
    stem = printable(file.name.removesuffix(".json").removeprefix("performances_"))
    for model, model_rows in rows.items():
        _refuse_two_forms(model_rows, file)
        items, questions = ids[model], models[model]
        records = RecordBuilder()
        numbered = _numbered(items) if several else items
        for row, item, question, shown in zip(model_rows, items, questions, numbered, strict=True):
            labels = {"question": question} if clustered else {}
            labels["difficulty"] = name_in(row.difficulty)
            if not clustered:
                labels |= {"contest": _contest(row, item), "platform": name_in(row.platform)}
            records.add(shown, labels=labels)
        yield records.log(
            file.path,
            printable(model),
            f"LiveCodeBench {stem}",
            _metrics_of_site(model_rows, file),
            cluster="question" if clustered else None,
            notes=("rows of a question are matched by their order",) if several else (),
        )


def _metrics_of_site(rows: Sequence[_Performance], file: LogFile) -> list[LogMetric]:
    """Return the metrics for which a model was run; one without any score if there are none."""
    columns = {
        "pass@1": [row.of_execution if row.pass_at_1 is None else row.pass_at_1 for row in rows],
        "pass@1-COT": [row.of_execution_cot for row in rows],
    }
    scores = {name: np.array([_per_cent(value, file) for value in column]) for name, column in columns.items()}
    run = {name: values for name, values in scores.items() if not np.isnan(values).all()} or {
        "pass@1": scores["pass@1"]
    }
    return [
        LogMetric(name=name, scores=values, lowest=0.0, highest=100.0, is_main=name == "pass@1")
        for name, values in run.items()
    ]


def _item_of_site(row: _Performance, file: LogFile) -> str:
    name = name_in(row.sample_id) or name_in(row.question_id)
    if not name:
        raise wrong_log(file.where, 'expected a number or a name as "question_id"')
    return name


def _several_rows(ids: Mapping[str, Sequence[str]]) -> bool:
    """Return whether questions have several rows by design: every model has the same number for those it answered."""
    counts: dict[str, int] = {}
    for ids_of_model in ids.values():
        for question, count in Counter(ids_of_model).items():
            if counts.setdefault(question, count) != count:
                return False  # rows that only some models have twice are copies
    return any(count > 1 for count in counts.values())


def _numbered(questions: Sequence[str]) -> list[str]:
    """Return QUESTION#1, QUESTION#2, ... in the order of rows."""
    counts: Counter[str] = Counter()
    numbered = []
    for question in questions:
        counts[question] += 1
        numbered.append(f"{question}#{counts[question]}")
    return numbered


def _refuse_two_forms(rows: Sequence[_Performance], file: LogFile) -> None:
    """Raise an error if the rows of a model contain both question 3 and question "3"."""
    numbers = {str(row.question_id) for row in rows if isinstance(row.question_id, int)}
    both = sorted(numbers & {row.question_id for row in rows if isinstance(row.question_id, str)})
    if both:
        what = f"expected one form of an id, got {quoted(both[0])} as a number and as a text"
        raise wrong_log(file.where, what, "Write all ids of the file in one form.", "two-forms")


def _per_cent(value: object, file: LogFile) -> float:
    """Return a score, from 0 to 100; NaN if the model was not run."""
    score = number_in(value)
    if score == _NOT_RUN:
        return math.nan
    if not (math.isnan(score) or 0 <= score <= 100):
        raise wrong_log(file.where, f"expected a percentage as pass@1, got {score:g}")
    return score


def _contest(row: _Performance, item: str) -> str:
    """Return the contest of an id such as 1873_A or abc301_a; the id itself if it has none."""
    contest, cut, _ = item.rpartition("_")
    return contest if cut and isinstance(row.question_id, str) else item
