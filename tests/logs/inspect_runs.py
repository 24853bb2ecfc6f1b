"""Run Inspect itself, without a model: write logs of all layouts, and print what it says of them as JSON.

A program of its own: inspect_ai takes seconds to import, warns, and changes zipfile.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from inspect_ai import Epochs, Task, eval, eval_retry, task  # noqa: A004, E402
from inspect_ai.analysis import samples_df  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.hooks import Hooks, TaskEnd, hooks  # noqa: E402
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log  # noqa: E402
from inspect_ai.log._recorders.chunked.convert import convert_eval_logs_to_chunked  # noqa: E402
from inspect_ai.model import ChatMessageUser, ModelOutput  # noqa: E402
from inspect_ai.scorer import Score, Scorer, accuracy, match, mean, scorer, stderr  # noqa: E402
from inspect_ai.solver import Solver, solver  # noqa: E402

from tests.logs.kit import (  # noqa: E402
    Log,
    log_of_object,
    logs_of_frame,
)

ended: list[dict[str, Any]] = []


@hooks(name="outscore_at_the_end", description="What a user's own hook sees")
class AtTheEnd(Hooks):
    async def on_task_end(self, data: TaskEnd) -> None:
        logs = log_of_object(data.log)
        assert logs is not None
        ended.append(shown(logs[0]))


@solver
def answers() -> Solver:
    async def solve(state: Any, generate: Any) -> Any:
        state.output = ModelOutput.from_content("mockllm/model", f"answer to {state.sample_id} " + "long " * 200)
        state.messages.append(state.output.choices[0].message)
        if str(state.sample_id) == "7" and state.epoch == 2:
            raise RuntimeError("no answer")
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def parts() -> Scorer:
    async def score(state: Any, target: Any) -> Score:
        if str(state.sample_id) == "4":
            return Score.unscored(reason="no_response")
        return Score(value={"length": int(state.sample_id) / 3, "late": state.epoch > 1})

    return score


@scorer(metrics=[accuracy(), stderr(), stderr(cluster="topic")])
def grade() -> Scorer:
    async def score(state: Any, target: Any) -> Score:
        return Score(value="CIPN"[(int(state.sample_id) * 7 + state.epoch * 3) % 4], answer=str(state.epoch))

    return score


@solver
def fails_once() -> Solver:
    async def solve(state: Any, generate: Any) -> Any:
        if Path("fails").exists() and str(state.sample_id) == "2":
            raise RuntimeError("no answer")
        state.output = ModelOutput.from_content("mockllm/model", str(state.sample_id))
        return state

    return solve


@task
def tried_again() -> Task:
    samples = [Sample(id=i, input=f"Question {i}?", target="0" if i == 1 else str(i)) for i in range(3)]
    return Task(dataset=MemoryDataset(samples, name="made"), solver=fails_once(), scorer=match())


def write_one_run_in_two_logs(folder: Path, options: dict[str, Any]) -> None:
    """Write a failed run and its retry, a log and its conversion, and a log without its samples."""
    Path("fails").touch()
    again = {"model": options["model"], "display": "none"}
    failed = eval(f"{__file__}@tried_again", log_dir=str(folder / "retried"), max_samples=1, **again)
    Path("fails").unlink()
    eval_retry(failed, log_dir=str(folder / "retried"), display="none")
    (log,) = eval(tried_again(), log_dir=str(folder / "converted"), log_format="eval", **again)
    write_eval_log(read_eval_log(log.location), log.location.replace(".eval", ".json"))
    eval(tried_again(), log_dir=str(folder / "no-samples"), epochs=4, log_samples=False, **again)


def shown(log: Log) -> dict[str, Any]:
    """Return a log as JSON has it, NaN as null."""
    scores = {of.name: [None if score != score else score for score in of.scores.tolist()] for of in log.metrics}
    return {
        "system": log.system,
        "task": log.task,
        "items": list(log.item_ids),
        "runs": None if log.runs is None else list(log.runs),
        "scores": scores,
        "labels": {name: list(of) for name, of in log.labels.items()},
        "digests": {name: list(of) for name, of in log.digests.items()},
    }


def main(folder: Path) -> None:
    samples = [
        Sample(
            id=i if i % 2 else str(i),
            input=f"Question {i}? " + "word " * 50 * i if i < 5 else [ChatMessageUser(content=f"Question {i}? " * 200)],
            target=str(i),
            metadata={"topic": f"t{i % 3}", "number": i, "long": "x" * 2000},
        )
        for i in range(1, 9)
    ]
    dataset = MemoryDataset(samples, name="made")
    made = Task(dataset=dataset, solver=answers(), scorer=[parts(), grade()], name="made", headline_metric="grade")
    once = Task(dataset=dataset[:3], solver=answers(), scorer=grade(), name="once")
    options: dict[str, Any] = {"model": "mockllm/model", "display": "none", "fail_on_error": False}
    epochs = Epochs(3, ["mean", "pass_at_2", "max"])
    (log,) = eval(made, epochs=epochs, log_dir=str(folder / "eval"), log_format="eval", **options)
    eval(once, log_dir=str(folder / "once"), log_format="eval", **options)
    whole: EvalLog = read_eval_log(log.location)
    write_eval_log(whole, str(folder / "json" / "made.json"))
    convert_eval_logs_to_chunked(log.location, str(folder / "chunked"))
    attended = list(ended)
    write_one_run_in_two_logs(folder, options)
    objects = log_of_object(whole)
    frames = logs_of_frame(samples_df(str(folder / "eval"), quiet=True))
    assert objects is not None
    assert frames is not None
    results = whole.results
    assert results is not None
    print(  # noqa: T201
        json.dumps(
            {
                "object": shown(objects[0]),
                "frame": shown(frames[0]),
                "ended": attended,
                "figures": [
                    [one.scorer, one.name, one.reducer, {name: of.value for name, of in one.metrics.items()}]
                    for one in results.scores
                ],
                "headline": None if results.headline is None else results.headline.scorer,
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
