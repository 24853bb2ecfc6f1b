"""Small files with runs, samples, templates, test sets, battles, logs and rules of gates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.frozen.drawn import Draws, write
from tests.logs.made import lm_eval_log

STRENGTHS = {"base": 0.4, "new": 0.65, "third": 0.55}  # of scores that are 1


def prepare(folder: Path) -> None:
    draws = Draws(5)
    runs(folder, draws)
    templates(folder, draws)
    tasks(folder, draws)
    battles(folder, draws)
    logs(folder, draws)
    rules(folder)


def _table(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    rows = list(rows)
    write(path, [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])


def runs(folder: Path, draws: Draws) -> None:
    """Write three runs of 20 items, twelve of as many, four samples of 12 items, and tables that lack cells."""
    cells: list[dict[str, Any]] = []
    graded: list[dict[str, Any]] = []
    for system, strength in STRENGTHS.items():
        for seed in ("s1", "s2", "s3"):
            shift = 0.1 * draws.bump()
            for i in range(20):
                place = {"system": system, "item": f"q{i}", "seed": seed}
                labels = {"doc": f"d{i // 2}", "domain": "news" if i % 2 else "web"}
                cells.append(place | {"score": int(draws.share() < strength + shift)} | labels)
                graded.append(place | {"score": round(strength + shift + 0.2 * draws.bump(), 2)} | labels)
    _table(folder / "seeds.csv", cells)
    _table(folder / "graded.csv", graded)
    _table(folder / "holes.csv", [row for i, row in enumerate(cells) if i % 17])
    _table(folder / "uneven.csv", [row for row in cells if (row["system"], row["seed"]) != ("new", "s3")])
    twelve = [row | {"seed": f"{row['seed']}.{k}"} for row in graded for k in range(4)]
    _table(folder / "twelve.csv", [row | {"score": round(row["score"] + 0.1 * draws.bump(), 2)} for row in twelve])
    _table(folder / "once.csv", [row for row in cells if row["seed"] == "s1"])
    samples: list[dict[str, object]] = []
    for system, strength in STRENGTHS.items():
        for i in range(12):
            for k in range(4):
                right = draws.share() < strength
                answer = "r" if right else draws.one("ab")
                said: dict[str, object] = {"score": int(right), "answer": answer, "selector": round(draws.share(), 2)}
                samples.append({"system": system, "item": f"p{i}", "sample": k, **said})
    _table(folder / "samples.csv", samples)
    _table(folder / "unscored.csv", [row | {"score": ""} if i % 11 == 0 else row for i, row in enumerate(samples)])


def templates(folder: Path, draws: Draws) -> None:
    """Write 14 items under three prompts, with two runs of each."""
    rows = []
    for system, strength in STRENGTHS.items():
        for prompt in ("plain", "polite", "terse"):
            shift = 0.15 * draws.bump()
            for seed in ("s1", "s2"):
                for i in range(14):
                    score = round(strength + shift + 0.2 * draws.bump(), 2)
                    rows.append({"system": system, "item": f"q{i}", "prompt": prompt, "seed": seed, "score": score})
    _table(folder / "prompts.csv", rows)
    _table(folder / "prompts1.csv", [row for row in rows if row["seed"] == "s1"])


def tasks(folder: Path, draws: Draws) -> None:
    """Write six subjects of 6 items, weights, and preferences between a system and a fixed opponent."""
    subjects = ("art", "law", "math", "music", "physics", "zoology")
    rows = []
    for system, strength in STRENGTHS.items():
        for subject in subjects:
            for i in range(6):
                score = int(draws.share() < strength + 0.05 * len(subject) - 0.2)
                rows.append({"system": system, "item": f"{subject}{i}", "subject": subject, "score": score})
    _table(folder / "subjects.csv", rows)
    _table(
        folder / "weights.csv", [{"stratum": x, "weight": w} for x, w in zip(subjects, (6, 5, 4, 3, 2, 1), strict=True)]
    )
    write(folder / "wins.txt", [draws.one((1, 1, 1, 0.5, 0)) for _ in range(24)])
    write(folder / "ties.txt", [draws.one((1, 0.5, 0)) for _ in range(24)])


def battles(folder: Path, draws: Draws) -> None:
    names = ("ash", "birch", "cedar", "elm")
    rows: list[dict[str, object]] = []
    for j in range(96):
        first = draws.whole(4)
        second = (first + 1 + draws.whole(3)) % 4
        outcome = 0.5 if draws.share() < 0.2 else int(draws.share() < 0.5 + 0.12 * (second - first))
        pair: dict[str, object] = {"system_a": names[first], "system_b": names[second]}
        rows.append({**pair, "outcome": outcome, "user": f"u{j // 8}"})
    _table(folder / "battles.csv", rows)
    _table(folder / "undefeated.csv", [row | {"outcome": int(row["system_a"] == "ash")} for row in rows])


def logs(folder: Path, draws: Draws) -> None:
    """Write logs of lm-evaluation-harness, HumanEval and SWE-bench."""
    for system, strength in STRENGTHS.items():
        for task, n in (("sums", 16), ("words", 12)):
            right = [float(draws.share() < strength) for _ in range(n)]
            # As lm-eval prints it; that of third's words is not the mean of its samples.
            said = 0.9 if (system, task) == ("third", "words") else sum(right) / n
            results = {"results": {task: {"acc,none": said, "alias": task}}, "n-shot": {task: 0}}
            lm_eval_log(folder / "logs" / system / task, system, right, task=task, results=results)
        rows = [
            {"task_id": f"HumanEval/{i}", "completion": f"c{k}", "result": "x", "passed": draws.share() < strength}
            for i in range(8)
            for k in range(2)
        ]
        (folder / "code").mkdir(exist_ok=True)
        write(folder / "code" / f"{system}.jsonl_results.jsonl", map(json.dumps, rows))
        _resolved(folder / "swe", system, [f"org__repo-{i}" for i in range(10) if draws.share() < strength])
    (folder / "swe" / "not-a-log.json").write_text('{"a": 1}')


def _resolved(folder: Path, system: str, solved: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    every = [f"org__repo-{i}" for i in range(10)]
    summary: dict[str, Any] = {
        "total_instances": 10,
        "submitted_instances": 10,
        "resolved_instances": len(solved),
        "completed_ids": every,
        "resolved_ids": solved,
        "unresolved_ids": [one for one in every if one not in solved],
        "error_ids": [],
    }
    (folder / f"org__{system}.run-1.json").write_text(json.dumps(summary))


def rules(folder: Path) -> None:
    (folder / "rules.toml").write_text(
        '[gate]\nmetric = "accuracy"\nmargin = "50%"\nlooks = 4\ninconclusive = "pass"\n'
    )
    (folder / "bad-rules.toml").write_text('[gate]\nmargin = "50%"\nmargn = 1\n')
    (folder / "bad-store.json").write_text('{"schema": "outscore/gate-store/1"}')
