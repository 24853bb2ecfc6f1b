"""Logs of terminal-bench and of its successor Harbor: ``results.json`` of a run, ``result.json`` of each trial."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from outscore.data.rows import RunDesign
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside, first_of_array, keys_at, path_name
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, aggregates_of, digest_of, facts_of, range_of, under

# What says nothing about the system in the name of a file of results: "2025-08-27__22-13-13_results.json".
_DATED = re.compile(r"(\d{4}-\d\d-\d\d__\d\d-\d\d-\d\d)?[-_.]?results$")
_FOLDERS = frozenset(("runs", "results", "logs"))
# The reward of a task that has one; tasks with several rewards have no main one.
_REWARD = "reward"


class TerminalBench(LogFormat):
    """Runs of terminal-bench: an item is a task, and its trials are samples.

    A trial without a verdict counts as unresolved, as in terminal-bench's accuracy. Agent and model are those of
    ``run_metadata.json`` beside the results; without it, the path names the system. Tested on results of
    laude-institute/terminal-bench-leaderboard at 8e1925a.
    """

    name = "terminal-bench"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        if b'"is_resolved"' not in file.head:
            return False
        keys = keys_at(file.head)
        first = first_of_array(file.head, keys.get("results", len(file.head)))
        return first is not None and keys_at(file.head, first).keys() >= {"task_id", "is_resolved", "failure_mode"}

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(_run_log, files)


class _Trial(msgspec.Struct):
    task_id: Any = None
    instruction: Any = None
    is_resolved: bool | None = None


class _Run(msgspec.Struct):
    results: list[_Trial]
    accuracy: Any = None
    pass_at_k: Any = None


def _run_log(file: LogFile) -> Log:
    run: _Run = file.json(_Run)
    if not run.results:
        raise wrong_log(file.where, "expected results of tasks, got none", slug="empty")
    records = RecordBuilder()
    for trial in run.results:
        item = name_in(trial.task_id)
        if not item:
            raise wrong_log(file.where, 'expected a name as "task_id" of each result')
        digest = digest_of(trial.instruction) if isinstance(trial.instruction, str) else ""
        scores = {"resolved": float(trial.is_resolved is True)}
        records.add(item, str(records.time(item)), scores, digests={"prompt": digest})
    figures: dict[str, object] = {"mean-of-records": run.accuracy}
    if isinstance(run.pass_at_k, Mapping):
        figures |= {f"pass@{k}": value for k, value in run.pass_at_k.items()}
    unclear = sum(trial.is_resolved is None for trial in run.results)
    metadata_file = beside(file.path.parent, "run_metadata.json") if file.name == "results.json" else None
    metadata = metadata_file.json() if metadata_file is not None else None
    agent, model = (name_in(under(metadata, key)) for key in ("agent_name", "model_name"))
    stem = _DATED.sub("", file.name.removesuffix(".json"))
    return records.log(
        file.path,
        _system(agent, model) if agent else path_name(file, stem, _FOLDERS),
        name_in(under(metadata, "dataset_name"), "terminal-bench"),
        [
            LogMetric(
                name="resolved",
                scores=records.scores("resolved"),
                is_main=True,
                aggregates=aggregates_of(figures),
                **SHARE,
            )
        ],
        runs_are=RunDesign.SAMPLES,
        facts=facts_of({"dataset version": under(metadata, "dataset_version")}),
        named_by_path=not agent,
        notes=[f"trials without a verdict, which count as unresolved: {unclear:,}"] if unclear else [],
    )


def _system(agent: str, model: str) -> str:
    return f"{agent} ({model})" if model else agent


class Harbor(LogFormat):
    """Trials of Harbor: an item is a task, its trials are samples, and each reward is a metric.

    All trials of a job with one agent, model and dataset are one log. A trial without rewards has no score, whereas
    Harbor's mean counts 0. Based on Harbor's code, 0.x; tested on files written with its classes.
    """

    name = "Harbor"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        if b'"task_checksum"' not in file.head:
            return False
        return keys_at(file.head).keys() >= {"task_name", "trial_name", "task_checksum", "agent_info"}

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        jobs: dict[tuple[Path, str, str], tuple[LogFile, RecordBuilder]] = {}
        for file in files:
            trial: _HarborTrial = file.json(_HarborTrial)
            item, agent = name_in(trial.task_name), name_in(under(trial.agent_info, "name"))
            if not (item and agent):
                raise wrong_log(file.where, 'expected names as "task_name" and "agent_info"')
            system = _system(agent, name_in(under(trial.agent_info, "model_info", "name")))
            key = file.path.parent.parent, system, name_in(trial.source, "Harbor")
            _, records = jobs.setdefault(key, (file, RecordBuilder()))
            record = records.add(item, str(records.time(item)), digests={"document": name_in(trial.task_checksum)})
            rewards = under(trial.verifier_result, "rewards")
            rewards = rewards if isinstance(rewards, Mapping) and trial.reward_valid is not False else {}
            for name, value in rewards.items():
                records.score(record, printable(str(name)) or "unnamed", as_score(value), file.where)
            records.n_errors += all(math.isnan(as_score(value)) for value in rewards.values())
        for (_, system, task), (file, records) in jobs.items():
            if not records.columns:
                raise wrong_log(file.where, "expected rewards of trials, got none", slug="no-scores")
            metrics = [
                LogMetric(name=name, scores=scores, is_main=name == _REWARD, **range_of(scores))
                for name in records.columns
                for scores in [records.scores(name)]
            ]
            yield records.log(file.path, system, task, metrics, runs_are=RunDesign.SAMPLES)


class _HarborTrial(msgspec.Struct):
    task_name: Any = None
    source: Any = None
    task_checksum: Any = None
    agent_info: Any = None
    verifier_result: Any = None
    reward_valid: Any = None  # false after exceptions that make a reward meaningless
