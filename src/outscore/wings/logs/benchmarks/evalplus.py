"""Logs of EvalPlus, of its EvalPerf, and of BigCodeBench, which uses the same format."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np

from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.text.naming import printable, quoted
from outscore.wings.logs.base import Aggregate, Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_of_array, first_of_items, folder_name, keys_at
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, text_in

_PASSED = ("pass", "success")  # "success" before 0.2
_PASS_AT = re.compile(r"pass@(\d{1,9})")
_GENERATED = re.compile(r"(.+?)_([^_]+)_temp_(\d+(?:\.\d+)?)(.*)")
_BIG = re.compile(r"(.+?)--(?:main--)?bigcodebench-((?:hard-)?(?:complete|instruct))--(.+)")
_NO_STEM = frozenset(("", "samples"))  # names of output files in the harness's examples
_NO_SYSTEM = frozenset(("humaneval", "mbpp", "results", "evalplus_results", "evalperf", "logs"))


class _Sample(msgspec.Struct):
    base_status: Any = None
    plus_status: Any = None
    status: Any = None


class _Old(msgspec.Struct):
    base: list[Any] = []
    plus: list[Any] = []


class _Results(msgspec.Struct):
    eval: dict[str, list[_Sample] | _Old]
    date: Any = None
    hash: Any = None
    pass_at_k: Any = None


class _Answer(msgspec.Struct):
    solution: Any = None


class _Answers(msgspec.Struct):
    eval: dict[str, list[_Answer] | _Old]


class _Judged(LogFormat):
    """Objects with "eval": for each task, a list of evaluated samples, whose places are the runs."""

    suffixes = (".json",)
    ending: ClassVar[str] = "_eval_results"
    # By metric, whether it is the main one.
    metrics: ClassVar[Mapping[str, bool]]

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if b'"eval"' not in head:
            return False
        keys = keys_at(head)
        return "eval" in keys and self._judged(head, keys["eval"])

    def _judged(self, head: bytes, start: int) -> bool:
        """Return whether the value of "eval" has samples in this harness's format."""
        raise NotImplementedError

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(self._log_of, files)

    def _log_of(self, file: LogFile) -> Log:
        results = file.json(_Results)
        records = RecordBuilder()
        for task, samples in results.eval.items():
            for run, judged in enumerate(self._scores(samples, f"{file.where}: {quoted(task)}")):
                records.add(printable(task), str(run), judged)
        if not records:
            raise wrong_log(file.where, "expected samples of tasks, got none", slug="empty")
        figures = self._figures_of(file, results)
        metrics = [
            LogMetric(
                name=name,
                scores=scores,
                is_main=is_main,
                aggregates=_aggregates(figures.get(name)),
                **SHARE,
            )
            for name, is_main in self.metrics.items()
            if not np.isnan(scores := records.scores(name)).all()
        ]
        if not metrics:
            raise wrong_log(file.where, 'expected samples with a status such as "pass", got none', slug="no-scores")
        system, task, facts = self._named(_stem(file, self.ending), records.items[0])
        facts |= {name: printable(fact) for name, fact in (("data set", name_in(results.hash)),) if fact}
        return records.log(
            file.path,
            printable(system) or "unnamed",
            task,
            metrics,
            has_runs=len(set(records.items)) < len(records),
            runs_are=RunDesign.SAMPLES,
            facts=facts,
            apart=("backend", "temperature"),
            named_by_path=True,
        )

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        tasks = log.file.json(_Answers).eval.items()
        rows = ((printable(task), samples) for task, samples in tasks if isinstance(samples, list) and samples)
        return {item: ItemTexts(answer=text_in(answers[0].solution)) for item, answers in first_of_items(rows, items)}

    def _scores(self, samples: list[_Sample] | _Old, where: str) -> Sequence[Mapping[str, float]]:
        """Return the scores of each sample of a task, by metric."""
        raise NotImplementedError

    def _figures_of(self, file: LogFile, results: _Results) -> Mapping[str, Any]:
        """Return the harness's pass@k, by metric."""
        raise NotImplementedError

    def _named(self, stem: str, first: str) -> tuple[str, str, dict[str, str]]:
        """Return system, task and facts from the file's name and the first task."""
        raise NotImplementedError


class EvalPlus(_Judged):
    """``*_eval_results.json`` of EvalPlus, since 0.2.1 and before.

    "base" means the tests of HumanEval or MBPP, "plus" these and the tests of EvalPlus.
    """

    name = "EvalPlus"
    metrics: ClassVar[Mapping[str, bool]] = {"plus": True, "base": False}

    def _judged(self, head: bytes, start: int) -> bool:
        first = next(iter(keys_at(head, start).values()), None)
        if first is None:
            return False
        sample = first_of_array(head, first)
        if sample is None:
            return {"base", "plus"} <= keys_at(head, first).keys()
        return "base_status" in keys_at(head, sample)

    def _scores(self, samples: list[_Sample] | _Old, where: str) -> Sequence[Mapping[str, float]]:
        if isinstance(samples, _Old):
            if samples.plus and len(samples.plus) != len(samples.base):
                what = f"expected as many results of plus as of base, got {len(samples.plus)} and {len(samples.base)}"
                raise wrong_log(where, what)
            base = [_first(status) for status in samples.base]
            plus = [_first(status) for status in samples.plus] or [None] * len(base)
        else:
            base = [sample.base_status for sample in samples]
            plus = [sample.plus_status for sample in samples]
        return [
            {"base": (b := _passed(base_status)), "plus": b * _passed(plus_status)}
            for base_status, plus_status in zip(base, plus, strict=True)
        ]

    def _figures_of(self, file: LogFile, results: _Results) -> Mapping[str, Any]:
        del file
        return results.pass_at_k if isinstance(results.pass_at_k, dict) else {}

    def _named(self, stem: str, first: str) -> tuple[str, str, dict[str, str]]:
        system, facts = _system_and_facts(stem)
        return system, {"HumanEval": "HumanEval+", "Mbpp": "MBPP+"}.get(_data_set(first), _data_set(first)), facts


class BigCodeBench(_Judged):
    """``*_eval_results.json`` of BigCodeBench, and ``*_pass_at_k.json`` next to it."""

    name = "BigCodeBench"
    metrics: ClassVar[Mapping[str, bool]] = {"pass": True}

    def _judged(self, head: bytes, start: int) -> bool:
        keys = keys_at(head, start)
        first = next(iter(keys.values()), None)
        sample = None if first is None else first_of_array(head, first)
        if sample is None:
            return False
        return {"status", "details"} <= keys_at(head, sample).keys() or (
            next(iter(keys)).startswith("BigCodeBench/") and "base_status" not in keys_at(head, sample)
        )

    def _scores(self, samples: list[_Sample] | _Old, where: str) -> Sequence[Mapping[str, float]]:
        if isinstance(samples, _Old):
            raise wrong_log(where, "expected a list of samples, got something else")
        return [{"pass": _passed(sample.status)} for sample in samples]

    def _figures_of(self, file: LogFile, results: _Results) -> Mapping[str, Any]:
        del results
        name = file.name.replace("eval_results.json", "pass_at_k.json")
        figures_file = beside(file.path.parent, name) if name != file.name else None
        return {} if figures_file is None else {"pass": figures_file.json()}

    def _named(self, stem: str, first: str) -> tuple[str, str, dict[str, str]]:
        del first
        match = _BIG.fullmatch(stem)
        if match is None:
            return stem, "BigCodeBench", {}
        return match[1], f"BigCodeBench {match[2]}", {"generation": printable(match[3])}


def _aggregates(figures: Any) -> list[Aggregate]:
    """Return the harness's pass@k, of which pass@1 is the mean."""
    matches = {key: _PASS_AT.fullmatch(str(key)) for key in figures} if isinstance(figures, Mapping) else {}
    named = {key: int(match[1]) for key, match in matches.items() if match is not None}
    return aggregates_of({"mean" if k == 1 else f"pass@{k}": figures[key] for key, k in named.items()})


def _first(result: object) -> object:
    """Return the status of a result [status, details]."""
    return result[0] if isinstance(result, list) and result else None


def _passed(status: object) -> float:
    """Return whether a status means that all tests passed; NaN without one, as with only the base tests."""
    return float(status in _PASSED) if isinstance(status, str) else math.nan


def _data_set(task: str) -> str:
    return printable(task.partition("/")[0])


def _stem(file: LogFile, ending: str) -> str:
    """Return the name of the system: the file name without its suffix, or the folder if that has no name."""
    stem = file.name.removesuffix(".json").removesuffix(".brief")
    stem = "" if stem == ending.lstrip("_") else stem.removesuffix(ending)
    if stem.removesuffix("-sanitized") not in _NO_STEM:
        return stem
    folder = folder_name(file.path.parent, _NO_SYSTEM)
    return folder + stem.removeprefix("samples") if folder else stem


def _system_and_facts(stem: str) -> tuple[str, dict[str, str]]:
    """Return MODEL from MODEL_BACKEND_temp_T, and the other parts as facts; any further part belongs to the model."""
    match = _GENERATED.fullmatch(stem)
    if match is None:
        return stem, {}
    return match[1] + match[4], {"backend": printable(match[2]), "temperature": printable(match[3])}


class _Measured(msgspec.Struct):
    dps: Any = None
    dps_norm: Any = None
    pass_at_1: Any = msgspec.field(default=None, name="pass@1")


class _Performance(msgspec.Struct):
    eval: dict[str, _Measured]
    config: Any = None
    summary: Any = None
    n_samples: Any = None
    temperature: Any = None
    min_correct: Any = None


class EvalPerf(LogFormat):
    """``*_evalperf_results.brief.json`` of EvalPlus's EvalPerf, and the full file.

    All three metrics are percentages. Tasks with too few correct samples have no "dps"; they differ between systems.
    """

    name = "EvalPerf"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if b'"dps"' not in head and "evalperf_results" not in file.name:
            return False
        keys = keys_at(head)
        if "eval" not in keys or not {"config", "n_samples", "min_correct"} & keys.keys():
            return False
        first = next(iter(keys_at(head, keys["eval"]).values()), None)
        return first is not None and bool({"dps", "results", "ref"} & keys_at(head, first).keys())

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(self._log_of, files)

    def _log_of(self, file: LogFile) -> Log:
        rows = file.json(_Performance)
        if not rows.eval:
            raise wrong_log(file.where, "expected tasks, got none", slug="empty")
        config = rows.config if isinstance(rows.config, dict) else {}
        summary = rows.summary if isinstance(rows.summary, dict) else {}
        records = RecordBuilder()
        for task, row in rows.eval.items():
            values = {"dps": row.dps, "dps_norm": row.dps_norm, "pass@1": row.pass_at_1}
            records.add(printable(task), scores={name: as_score(value) for name, value in values.items()})
        metrics = [
            LogMetric(
                name=name,
                scores=scores,
                lowest=0.0,
                highest=100.0,
                is_main=name == "dps",
                aggregates=aggregates_of({"mean": summary.get(name)}),
            )
            for name in records.columns
            if not np.isnan(scores := records.scores(name)).all()
        ]
        if not metrics:
            raise wrong_log(file.where, "expected a number as dps or pass@1 in at least one task", slug="no-scores")
        system, facts = _system_and_facts(_stem(file, "_evalperf_results"))
        settings = ("n_samples", "temperature", "min_correct", "max_profile")
        named_settings = {key: name_in(config.get(key, getattr(rows, key, None))) for key in settings}
        facts |= {key.replace("_", " "): value for key, value in named_settings.items() if value}
        return records.log(
            file.path,
            printable(system) or "unnamed",
            "EvalPerf",
            metrics,
            facts=facts,
            apart=("backend", "temperature"),
            named_by_path=True,
        )
