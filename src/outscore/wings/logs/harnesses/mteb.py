"""Logs of MTEB: ``MODEL/REVISION/TASK.json``, with one score per task or subset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from outscore.text.naming import listed, printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import beside
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import under

_MARKS = (b'"dataset_revision"', b'"mteb_version"')
_NAMED = re.compile(rb'"(?:task_name|mteb_dataset_name)"\s*:')
_META = "model_meta.json"
# Tasks whose main score is the speed of the machine.
_SPEEDS = ("CPUSpeedTask", "GPUSpeedTask")


class Mteb(LogFormat):
    """Results of MTEB, with all results of a model in one log: items are tasks, or subsets of tasks, not texts.

    Subsets of a task are correlated. Tasks that measure speed are left out, as a mean with a speed is meaningless.
    Tested on results of embeddings-benchmark/results at f4cc6c8.
    """

    name = "MTEB"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if not head.lstrip().startswith(b"{") or not all(mark in head for mark in _MARKS):
            return False
        return _NAMED.search(head) is not None

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        folders: dict[Path, list[LogFile]] = {}
        for file in files:
            folders.setdefault(file.path.parent, []).append(file)
        systems = {folder: _system(folder) for folder in folders}
        old: list[str] = []
        timed: list[str] = []
        logs = []
        for folder, folder_files in folders.items():
            system = systems[folder]
            if list(systems.values()).count(system) > 1:
                system = f"{system}@{printable(folder.resolve().name)}"
            log = _log_of(folder_files, system, old, timed)
            if log is not None:
                logs.append(log)
        if not logs and timed and not old:
            what = f"expected scores of tasks, got only speeds: {listed(timed)}"
            raise wrong_log(files[0].where, what, "Pass the results of other tasks as well.", "no-scores")
        if not logs:
            what = "expected a main score per task, got results without one, from MTEB before 1.11"
            advice = "Evaluate again, or load and write them with a newer MTEB."
            raise wrong_log(files[0].where, what, advice, "no-scores")
        if old:
            note = f"left out, as they have no main score: {listed(old)}"
            logs[0] = replace(logs[0], notes=[*logs[0].notes, note])
        if timed:
            note = f"left out, as their main score is a speed: {listed(timed)}"
            logs[0] = replace(logs[0], notes=[*logs[0].notes, note])
        return logs


class _Task(msgspec.Struct):
    task_name: Any = None
    dataset_revision: Any = None
    scores: Any = None


def _system(folder: Path) -> str:
    """Return the model's name: from the metadata, or the parent of the revision's folder."""
    meta = beside(folder, _META)
    name = name_in(under(meta.json(), "name")) if meta is not None else ""
    if "/" in name:
        return name
    return printable(folder.resolve().parent.name.replace("__", "/"))


def _log_of(files: Sequence[LogFile], system: str, old: list[str], timed: list[str]) -> Log | None:
    """Return the log of the results of a folder; collect files without main scores, and speeds."""
    records = RecordBuilder()
    for file in files:
        task = file.json(_Task)
        name = name_in(task.task_name)
        if not name or not isinstance(task.scores, Mapping):
            old.append(file.name)
            continue
        if name in _SPEEDS:
            timed.append(file.name)
            continue
        for split, subsets in task.scores.items():
            if not isinstance(subsets, list):
                raise wrong_log(file.where, f'expected a list of scores under "{printable(str(split))}"')
            for subset in subsets:
                if not isinstance(subset, Mapping) or "main_score" not in subset:
                    raise wrong_log(file.where, 'expected one object with "main_score" per subset')
                subset_name = name_in(subset.get("hf_subset"), "default")
                called = name if subset_name == "default" else f"{name}/{subset_name}"
                records.add(
                    called if split == "test" else f"{called} ({printable(str(split))})",
                    scores={"main_score": as_score(subset["main_score"])},
                    labels={"task": name},
                    digests={"document": name_in(task.dataset_revision)},
                )
    if not records:
        return None
    metric = LogMetric(name="main_score", scores=records.scores("main_score"), is_main=True)
    several = len(set(records.labels["task"])) < len(records)
    return records.log(files[0].path, system, "MTEB", [metric], cluster="task" if several else None)
