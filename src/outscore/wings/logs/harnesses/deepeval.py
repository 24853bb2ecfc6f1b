"""Test runs of DeepEval: ``.deepeval/.latest_test_run.json``, and ``test_run_*.json`` of its results folder."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from outscore.data.items import ItemTexts
from outscore.metrics.families.columns import direction_of
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.wings.logs.files import first_of_array, first_of_items, keys_at, path_name
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import (
    SHARE,
    aggregates_of,
    count_in,
    directed,
    facts_of,
    name_of_text,
    number_in,
    text_in,
    under,
)

_MOST_METRICS = 1_000
_GENERIC = re.compile(r"\.?(latest_test_run|latest_run_full|temp_test_run_data|test_run[_-]?[\d_-]*)$")
_FOLDERS = frozenset((".deepeval", "results", "test_runs"))
# Metrics of which higher is better in all versions; in old versions it was lower for bias, toxicity, hallucination.
_HIGHER = re.compile(
    r"(turn )?(contextual (precision|recall|relevancy)|faithfulness)|(exact|pattern) match|summarization"
    r"|(argument|json|tool) correctness|(answer|turn) relevancy|conversation completeness|goal accuracy|mcp use"
    r"|knowledge retention|plan (adherence|quality)|prompt alignment|(role|topic) adherence|step efficiency|tool use"
    r"|(mcp )?task completion|.* \[(conversational ?)?(dag|geval)\]",
    re.IGNORECASE,
)


class DeepEval(LogFormat):
    """Test runs of DeepEval, of single questions and of conversations.

    An item is a test case, named by its input, as names may be positions. Metrics are ``success``, whether all
    metrics passed, and the score of each. The log shows the direction of a metric: on which side of its threshold it
    passes. If it does not, the name of the metric decides, and else the user. Tested on
    a run of PRKULKAR1992/DeepEval at f6449e5, and on one written by DeepEval 4.
    """

    name = "DeepEval"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if b'"testCases"' not in head:
            return False
        keys = keys_at(head)
        keys = keys_at(head, keys["testRunData"]) if "testRunData" in keys else keys
        first = first_of_array(head, keys["testCases"]) if "testCases" in keys else None
        if first is None:
            return False
        return "conversationalTestCases" in keys or keys_at(head, first).keys() >= {"name", "input"}

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_log_of, files)

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        cases = ((_item(case), case) for case in _run(log.file).test_cases)
        return {
            item: ItemTexts(text_in(case.input), text_in(case.expected_output), text_in(case.actual_output))
            for item, case in first_of_items(cases, items)
        }


class _Metric(msgspec.Struct, rename="camel"):
    name: Any = None
    threshold: Any = None
    success: Any = None
    score: Any = None
    evaluation_model: Any = None


class _Case(msgspec.Struct, rename="camel"):
    name: Any = None
    input: Any = None
    scenario: Any = None
    success: Any = None
    metrics_data: list[_Metric] | None = None
    actual_output: Any = None
    expected_output: Any = None


class _Run(msgspec.Struct, rename="camel"):
    test_cases: list[_Case] = []
    conversational_test_cases: list[_Case] = []
    identifier: Any = None
    hyperparameters: Any = None
    test_passed: Any = None
    test_failed: Any = None
    dataset_alias: Any = None


class _Wrapped(_Run, rename="camel"):
    test_run_data: _Run | None = None


def _run(file: LogFile) -> _Run:
    wrapped: _Wrapped = file.json(_Wrapped)
    return wrapped.test_run_data or wrapped


def _item(case: _Case) -> str:
    return name_of_text(case.input) or name_of_text(case.scenario) or name_in(case.name)


def _log_of(file: LogFile) -> Log:
    run = _run(file)
    records = RecordBuilder(_MOST_METRICS)
    by_metric: dict[str, list[_Metric]] = {}
    for index, case in enumerate([*run.test_cases, *run.conversational_test_cases]):
        where = f"{file.where}: test case {index + 1}"
        item = _item(case)
        if not item:
            raise wrong_log(where, 'expected a text as "input", or a name')
        scores = {"success": float(case.success)} if isinstance(case.success, bool) else {}
        records.add(item, scores=scores)
        for metric in case.metrics_data or ():
            name = printable(name_in(metric.name)) or "unnamed"
            by_metric.setdefault(name, []).append(metric)
            records.score(index, ("metric", name), number_in(metric.score), where)
    if not records:
        raise wrong_log(file.where, "expected test cases, got none", slug="empty")
    counts = [count_in(count) or 0 for count in (run.test_passed, run.test_failed)]
    aggregates = aggregates_of({"mean-of-records": counts[0] / sum(counts)} if sum(counts) else {})
    metrics = [
        LogMetric(name="success", scores=records.scores("success"), is_main=True, aggregates=aggregates, **SHARE)
    ]
    for name, case_metrics in by_metric.items():
        called = name if name != "success" else "metric/success"
        metrics += directed(called, records.scores(("metric", name)), _higher_is_better(name, case_metrics))
    system = name_in(run.identifier) or name_in(under(run.hyperparameters, "model"))
    judges = sorted({name_in(metric.evaluation_model) for metrics in by_metric.values() for metric in metrics} - {""})
    return records.log(
        file.path,
        system or path_name(file, _GENERIC.sub("", file.name.removesuffix(".json")), _FOLDERS),
        name_in(run.dataset_alias, "DeepEval"),
        metrics,
        facts=facts_of({"judge": ", ".join(judges[:3])}),
        named_by_path=not system,
    )


def _higher_is_better(name: str, case_metrics: Sequence[_Metric]) -> bool | None:
    """Return on which side of its threshold a metric passes, if cases show it; else what its name says."""
    sides = {
        metric.success == (score > threshold)
        for metric in case_metrics
        for score, threshold in [(number_in(metric.score), number_in(metric.threshold))]
        # A score at the threshold passes in both directions. NaN is on no side.
        if isinstance(metric.success, bool) and (score < threshold or score > threshold)
    }
    if sides:
        return sides.pop() if len(sides) == 1 else None
    return True if _HIGHER.fullmatch(name) else direction_of(name)
