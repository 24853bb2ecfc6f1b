"""Logs of tau-bench: lists of trials, and the runs of tau2-bench."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore._types import FloatArray
from outscore.data.items import ItemTexts
from outscore.data.rows import RunDesign
from outscore.text.naming import printable
from outscore.wings.logs.base import Log, LogFile, LogFormat, LogMetric, as_score, name_in, wrong_log
from outscore.wings.logs.files import first_of_array, first_of_items, folder_name, keys_at
from outscore.wings.logs.records import RecordBuilder
from outscore.wings.logs.values import SHARE, digest_of, facts_of, last_answer, range_of, text_in

_NEAR_ONE = 1e-6
_DOMAINS = ("airline", "retail", "telecom")
_DOMAIN = re.compile(rf"(?:^|[-_.])({'|'.join(_DOMAINS)})(?=$|[-_.])")
# Names written by the runner: STRATEGY-MODEL-TEMPERATURE_range_0--1_user-MODEL-STRATEGY_TIME.json
_WRITTEN = re.compile(r"(.+)-([\d.]+)_range_(-?\d+)-(-?\d+)_user-(.+)_(\w+)")
# Actions that only tasks of one domain use, if the file name has no domain.
_ACTIONS = {
    "airline": frozenset(("book_reservation", "cancel_reservation", "send_certificate", "search_direct_flight")),
    "retail": frozenset(("cancel_pending_order", "exchange_delivered_order_items", "return_delivered_order_items")),
}
# Simulations that tau2 leaves out of its metrics, as the agent was not at fault.
_NOT_EVALUATED = frozenset(("infrastructure_error", "context_window_exceeded"))


class _Action(msgspec.Struct):
    name: Any = None


class _Task(msgspec.Struct):
    instruction: Any = None
    actions: list[_Action] | None = None


class _Info(msgspec.Struct):
    task: _Task | None = None
    error: Any = None


class _Trial(msgspec.Struct):
    task_id: Any = None
    trial: Any = None
    reward: Any = None
    info: _Info | None = None


class _TextTrial(_Trial):
    traj: Any = None


class TauBench(LogFormat):
    """Trials of tau-bench. A trial that ended in an error has the reward 0, as in tau-bench itself.

    "success" is a reward of 1 to within 1e-6, as for pass^k.
    """

    name = "tau-bench"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if b'"reward"' not in head or b'"task_id"' not in head:
            return False
        first = first_of_array(head)
        return first is not None and {"task_id", "reward", "info"} <= keys_at(head, first).keys()

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(self._log_of, files)

    def _log_of(self, file: LogFile) -> Log:
        records = RecordBuilder()
        domain = _domain_in(file.name)
        n_errors = 0
        for index, row in enumerate(file.json(list[_Trial])):
            item = name_in(row.task_id)
            if not item:
                raise wrong_log(file.where, f'trial {index + 1}: expected a number as "task_id"')
            task = None if row.info is None else row.info.task
            document = digest_of(text_in(task.instruction) or "") if task is not None else ""
            scores = {"reward": _reward(row.reward)}
            records.add(item, name_in(row.trial, "0"), scores, digests={"document": document})
            n_errors += row.info is not None and row.info.error is not None
            domain = domain or _domain_of(task)
        if not records:
            raise wrong_log(file.where, "expected trials, got none", slug="empty")
        system, facts = _system_in(file.name)
        errors = f"trials that ended in an error, with the reward 0 from tau-bench: {n_errors:,}"
        return records.log(
            file.path,
            system,
            f"tau-bench {domain}".rstrip(),
            _metrics(records.scores("reward")),
            has_runs=True,
            runs_are=RunDesign.SAMPLES,
            facts=facts,
            named_by_path=not facts,  # the runner's names show which file is another run
            notes=[errors] if n_errors else [],
        )

    def texts(self, log: Log, items: Collection[str]) -> Mapping[str, ItemTexts]:
        texts: dict[str, ItemTexts] = {}
        rows = ((name_in(row.task_id), row) for row in log.file.json(list[_TextTrial]))
        for item, row in first_of_items(rows, items):
            instruction = row.info.task.instruction if row.info is not None and row.info.task is not None else None
            texts[item] = ItemTexts(text_in(instruction), None, last_answer(row.traj))
        return texts


def _metrics(scores: FloatArray) -> list[LogMetric]:
    success = np.where(np.isnan(scores), np.nan, np.abs(scores - 1) <= _NEAR_ONE)
    return [
        # Environments other than tau-bench's may have larger rewards.
        LogMetric(name="reward", scores=scores, is_main=True, **range_of(scores)),
        LogMetric(name="success", scores=success, **SHARE),
    ]


def _reward(value: object) -> float:
    return math.nan if isinstance(value, str) else as_score(value)


def _domain_in(name: str) -> str:
    match = _DOMAIN.search(name.removesuffix(".json").lower())
    return match[1] if match is not None else ""


def _domain_of(task: _Task | None) -> str:
    """Return the domain that has the actions of a task."""
    names = {
        action.name for action in (task.actions if task is not None else None) or () if isinstance(action.name, str)
    }
    return next((domain for domain, actions in _ACTIONS.items() if names & actions), "")


def _system_in(name: str) -> tuple[str, dict[str, str]]:
    """Return the agent from the file name, without the domain; settings in the runner's names are facts."""
    stem = name.removesuffix(".json")
    match = _WRITTEN.fullmatch(stem)
    if match is None:
        return printable(_DOMAIN.sub("", stem).strip("-_.") or stem), {}
    user, range_of = printable(match[5]), f"{match[3]} to {match[4]}"
    return printable(match[1]), {"temperature": match[2], "tasks": range_of, "user": user}


class _Side(msgspec.Struct):
    implementation: Any = None
    llm: Any = None
    llm_args: Any = None


class _Environment(msgspec.Struct):
    domain_name: Any = None


class _RunInfo(msgspec.Struct):
    git_commit: Any = None
    num_trials: Any = None
    max_steps: Any = None
    seed: Any = None
    agent_info: _Side | None = None
    user_info: _Side | None = None
    environment_info: _Environment | None = None


class _RewardInfo(msgspec.Struct):
    reward: Any = None


class _Simulation(msgspec.Struct):
    id: Any = None
    task_id: Any = None
    trial: Any = None
    reward: Any = None
    reward_info: _RewardInfo | None = None
    termination_reason: Any = None


class _TaskOf2(msgspec.Struct):
    id: Any = None
    user_scenario: Any = None


class _Run(msgspec.Struct):
    info: _RunInfo
    simulations: list[_Simulation] | None = None
    simulation_index: list[_Simulation] | None = None
    tasks: list[_TaskOf2] | None = None


class Tau2Bench(LogFormat):
    """Runs of tau2-bench: one file with all simulations, or results.json with a folder of them.

    Simulations that tau2 does not evaluate (infrastructure_error, context_window_exceeded) have no score.
    """

    name = "tau2-bench"
    suffixes = (".json",)

    def recognizes(self, file: LogFile) -> bool:
        head = file.head
        if b'"info"' not in head or b'"num_trials"' not in head:
            return False
        keys = keys_at(head)
        if "info" not in keys or "results" in keys:
            return False
        info_keys = keys_at(head, keys["info"]).keys()
        return "num_trials" in info_keys and bool({"user_info", "agent_info", "environment_info"} & info_keys)

    def read(self, files: Sequence[LogFile]) -> Iterable[Log]:
        return map(self._log_of, files)

    def _log_of(self, file: LogFile) -> Log:
        run = file.json(_Run)
        simulations = run.simulations or run.simulation_index or list(_beside(file))
        if not simulations:
            raise wrong_log(file.where, "expected simulations, got none", slug="empty")
        records = RecordBuilder()
        documents = {name_in(task.id): _digest_of(task) for task in run.tasks or ()}
        for index, row in enumerate(simulations):
            item = name_in(row.task_id)
            if not item:
                raise wrong_log(file.where, f'simulation {index + 1}: expected a name as "task_id"')
            lost = isinstance(row.termination_reason, str) and row.termination_reason in _NOT_EVALUATED
            records.n_errors += lost
            reward = row.reward_info.reward if row.reward_info is not None else row.reward
            scores = {"reward": math.nan if lost else _reward(reward)}
            records.add(item, name_in(row.trial, "0"), scores, digests={"document": documents.get(item, "")})
        agent = run.info.agent_info or _Side()
        user = run.info.user_info or _Side()
        domain = name_in(run.info.environment_info.domain_name) if run.info.environment_info is not None else ""
        return records.log(
            file.path,
            _system_of(file, agent),
            f"tau2 {domain or _domain_in(file.name)}".rstrip(),
            _metrics(records.scores("reward")),
            has_runs=True,
            runs_are=RunDesign.SAMPLES,
            facts=_facts(run.info, agent, user),
            apart=("agent", "agent settings"),
            named_by_path=not name_in(agent.llm),
        )


def _digest_of(task: _TaskOf2) -> str:
    """Return a digest of the user's instructions in the file, independent of layout."""
    if task.user_scenario is None:
        return ""
    try:
        return digest_of(json.dumps(task.user_scenario, sort_keys=True))
    except (RecursionError, ValueError):  # deep nesting; numbers with thousands of digits
        return ""


def _system_of(file: LogFile, agent: _Side) -> str:
    """Return the model of the agent; the name of the file or of its folder if there is none."""
    stem = file.name.removesuffix(".json")
    if stem == "results":
        stem = folder_name(file.path.parent)
    return name_in(agent.llm) or printable(stem) or "unnamed"


def _facts(info: _RunInfo, agent: _Side, user: _Side) -> dict[str, str]:
    facts = {
        "agent": agent.implementation,
        "agent settings": _settings(agent.llm_args),
        "user": user.llm,
        "user settings": _settings(user.llm_args),
        "trials": info.num_trials,
        "most steps": info.max_steps,
        "seed": info.seed,
        "commit": info.git_commit,
    }
    return facts_of(facts)


def _settings(arguments: object) -> str:
    """Return only temperature and effort: other arguments may be addresses and keys."""
    names = ("temperature", "top_p", "max_tokens", "reasoning_effort")
    values = arguments if isinstance(arguments, dict) else {}
    return ", ".join(f"{key} {name_in(values[key])}" for key in names if name_in(values.get(key)))


def _beside(file: LogFile) -> Iterator[_Simulation]:
    """Yield the simulations in the folder next to results.json, if it lists none."""
    folder = file.path.parent / "simulations"
    if not folder.is_dir():
        return
    for path in sorted(folder.glob("*.json")):
        if path.is_file():
            yield LogFile(path).json(_Simulation)
