"""Logs of aider's benchmark: ``.aider.results.json`` in the folder of each exercise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from outscore.data.rows import Missing
from outscore.text.naming import listed, printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, name_in, wrong_log
from outscore.wings.logs.files import keys_at, whole_path
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE

_NAME = ".aider.results.json"
_MOST_TRIES = 1000


class Aider(LogFormat):
    """Exercises of aider's benchmark, RUN/EXERCISE or RUN/LANGUAGE/exercises/practice/EXERCISE; a run is a system.

    "pass_2" is true if one of the first two tries passed all tests. An exercise that ended in an exception has no
    score. Untested on real files.
    """

    name = "aider"
    suffixes = (_NAME,)

    def recognizes(self, file: LogFile) -> bool:
        if file.name != _NAME:
            return False
        keys = keys_at(file.head).keys()
        return bool({"tests_outcomes", "testcase", "exception"} & keys)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        runs: dict[Path, list[tuple[str, str, LogFile]]] = {}
        for file in files:
            run, language, exercise = _parts_of_path(file)
            runs.setdefault(run, []).append((language, exercise, file))
        for run, exercises in runs.items():
            yield _log_of(run, exercises)


def _parts_of_path(file: LogFile) -> tuple[Path, str, str]:
    """Return the folder of the run, the language if runs have several, and the exercise."""
    folder = whole_path(file.path).parent
    if folder.parent.name == "practice" and folder.parent.parent.name == "exercises":
        language = folder.parent.parent.parent
        return language.parent, language.name, folder.name
    return folder.parent, "", folder.name


class _Result(msgspec.Struct):
    tests_outcomes: list[Any] | None = None
    exception: Any = None
    model: Any = None
    edit_format: Any = None
    commit_hash: Any = None


def _log_of(run: Path, files: Sequence[tuple[str, str, LogFile]]) -> Log:
    records = RecordBuilder()  # of the try that passed, from 1; infinity if none passed
    most = 0
    facts: dict[str, dict[str, None]] = {"model": {}, "edit format": {}, "commit": {}}
    for language, exercise, file in files:
        result = file.json(_Result)
        outcomes = result.tests_outcomes or []
        if len(outcomes) > _MOST_TRIES or not all(isinstance(outcome, bool) for outcome in outcomes):
            raise wrong_log(file.where, 'expected one true or false per try as "tests_outcomes"')
        most = max(most, len(outcomes))
        records.add(
            printable(f"{language}/{exercise}" if language else exercise),
            scores={"first": float(outcomes.index(True) + 1) if True in outcomes else math.inf} if outcomes else {},
            labels={"language": printable(language)},
        )
        records.n_errors += not outcomes
        for name, value in (
            ("model", result.model),
            ("edit format", result.edit_format),
            ("commit", result.commit_hash),
        ):
            if name_in(value):
                facts[name][name_in(value)] = None
    if not most:
        what = "expected test results of some exercise, got only exceptions"
        raise wrong_log(files[0][2].where, what, "Run the benchmark with unit tests.", "no-scores")
    tries, n_errors = records.scores("first"), records.n_errors
    notes = [
        f"different {name}s in one run: {listed(list(values))}" for name, values in facts.items() if len(values) > 1
    ]
    if n_errors:
        notes.append(
            f"exercises that ended without tests, which aider counts as failed ({Missing.ZERO.option}): {n_errors:,}"
        )
    return records.log(
        files[0][2].path if len(files) == 1 else run,
        printable(run.name) or "unnamed",
        "aider",
        [
            LogMetric(
                name=f"pass_{k}", scores=np.where(np.isnan(tries), np.nan, tries <= k), is_main=k == most, **SHARE
            )
            for k in range(1, most + 1)
        ],
        facts={name: next(iter(values)) for name, values in facts.items() if len(values) == 1 and name != "model"},
        notes=notes,
    )
