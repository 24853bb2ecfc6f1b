"""Python calls with runs, samples, templates, test sets, weights, constants, battles, gates and plans of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import outscore
from outscore import Rates
from tests.frozen.calls import BASE, CALLS, DOCS, NEW, PARTS, REALS, calls, compare, few, shown

__all__ = ["CALLS"]

# Items × runs, and items × templates × runs.
RUNS = np.array([[x, round(x + 0.1, 1), round(x * x, 2)] for x in REALS])
MORE = np.array([[round(x + 0.1, 1), x, round(1 - x, 2)] for x in reversed(REALS)])
CUBE = np.stack([RUNS, RUNS[::-1]], axis=1)
MORE_CUBE = np.stack([MORE, MORE[::-1]], axis=1)
ANSWERS = np.array([[x, 1 - x, y] for x, y in zip(BASE, NEW, strict=True)])
MORE_ANSWERS = np.array([[x, y, y] for x, y in zip(BASE, NEW, strict=True)])
WINS = [1, 0.5, 1, 1, 0, 1, 1, 0.5, 1, 1]


def long_runs(module: Any) -> Any:
    """Return a frame of pandas or polars, one row for each system, item and run."""
    return module.DataFrame(
        [
            {"system": name, "item": f"q{i}", "seed": f"s{r}", "score": float(scores[i, r])}
            for name, scores in (("old", RUNS), ("new", MORE))
            for i in range(len(scores))
            for r in range(3)
        ]
    )


def stored(**options: Any) -> Callable[[], object]:
    """Return a look at a baseline that is stored first."""

    def look() -> object:
        outscore.gate_accept("right.csv:s1", "kept.json", metric="accuracy")
        return outscore.gate("kept.json", "right.csv:s6", **options)

    return look


calls(
    "runs",
    {
        "random": compare(RUNS, MORE, runs="random"),
        "random, paired": compare(RUNS, MORE, runs="random", pair_runs=True, names=["old", "new"]),
        "random, clusters": compare(RUNS, MORE, runs="random", clusters=DOCS, alternative="less"),
        "random, fiducial": compare(RUNS[:, :2], MORE[:, :2], runs="random", run_law="fiducial"),
        "random, a known deviation": compare(REALS, NEW, runs="random", run_sd=0.02),
        "random, one frame": lambda: outscore.compare(long_runs(pl), baseline="old", run="seed", runs="random"),
        "fixed": compare(RUNS, MORE, runs="fixed", **few),
        "fixed, strata": compare(RUNS, MORE, runs="fixed", strata=PARTS, weights="macro", **few),
        "fixed, not worse": compare(RUNS, MORE, runs="fixed", claim="not-worse", margin=0.2, **few),
        "ragged": compare([[0.1, 0.2], [0.5], [0.4, 0.6]] * 4, [[0.3], [0.7, 0.2], [0.4]] * 4, runs="samples", **few),
        "samples": compare(ANSWERS, MORE_ANSWERS, runs="samples", **few),
        "samples, pass@2": compare(ANSWERS, MORE_ANSWERS, runs="samples", reduce="pass@2", **few),
        "ranked": lambda: outscore.rank({"a": RUNS, "b": MORE, "c": RUNS[::-1]}, runs="random", **few),
        "ranked, of a frame": lambda: outscore.rank(long_runs(pd), run="seed", runs="fixed", **few),
        "scored": lambda: outscore.score(RUNS, MORE, runs="random", **few),
        "scored, samples": lambda: outscore.score(ANSWERS, runs="samples", reduce="pass^2", **few),
    },
)
calls(
    "templates",
    {
        "random": compare(RUNS, MORE, templates="random"),
        "fixed": compare(RUNS, MORE, templates="fixed", **few),
        "random, runs random": compare(CUBE, MORE_CUBE, templates="random", runs="random"),
        "random, runs samples": compare(CUBE, MORE_CUBE, templates="random", runs="samples"),
        "of a column": compare(
            "prompts1.csv:base", "prompts1.csv:new", template="prompt", templates="fixed", claim="not-worse", margin=0.3
        ),
        "ranked": lambda: outscore.rank({"a": RUNS, "b": MORE}, templates="random", **few),
        "scored": lambda: outscore.score(RUNS, templates="random", **few),
    },
)
calls(
    "test sets",
    {
        "count": compare(REALS, NEW, test_sets=PARTS, **few),
        "fixed": compare(REALS, NEW, test_sets=PARTS, tasks="fixed", **few),
        "random": compare(
            "subjects.csv:base", "subjects.csv:new", test_sets="subject", tasks="random", metric="accuracy"
        ),
        "ranked": lambda: outscore.rank({"a": REALS, "b": NEW}, test_sets=PARTS, **few),
        "scored": lambda: outscore.score(REALS, test_sets=PARTS, **few),
        "weights": compare(REALS, NEW, strata=PARTS, weights={"news": 0.7, "web": 0.3}, **few),
        "weights scored": lambda: outscore.score(REALS, strata=PARTS, weights="macro", **few),
    },
)
calls(
    "against",
    {
        "a constant": compare(WINS, against=0.5),
        "a share": compare(NEW, metric="accuracy", against="40%", claim="not-worse", margin="30%"),
        "a constant, runs": compare(RUNS, against=0.4, runs="random"),
        "a constant, clusters": compare(NEW, against=0.4, clusters=DOCS, tests="all", **few),
        "zero for missing": compare("base.csv", "few.csv", metric="accuracy", zero_missing=True),
    },
)
calls(
    "battles",
    {
        "of users": lambda: outscore.rank("battles.csv", metric="bradley-terry", clusters="user", **few),
        "of a frame": lambda: outscore.rank(pl.read_csv("battles.csv"), metric="bradley-terry", **few),
        "not connected": lambda: outscore.rank("undefeated.csv", metric="bradley-terry"),
    },
)
calls(
    "gate",
    {
        "passed": lambda: outscore.gate("right.csv:s1", "right.csv:s6", metric="accuracy", margin="20%"),
        "failed": lambda: outscore.gate("right.csv:s6", "right.csv:s1", metric="accuracy", margin=0.05),
        "in memory": lambda: outscore.gate(REALS, NEW, margin=0.5, inconclusive="pass"),
        "runs": lambda: outscore.gate(RUNS, MORE, margin=0.5, runs="random"),
        "margins": lambda: outscore.gate(
            BASE, NEW, metric=["accuracy", "mean"], margins={"accuracy": 0.4, "mean": 0.3}
        ),
        "stored": stored(margin=0.2, commit="abc"),
        "stored, looks": stored(margin=0.2, looks=2, error="per-commit"),
        "sequential": lambda: outscore.gate(
            "right.csv:s1", "right.csv:s6", metric="accuracy", margin=0.6, sequential=True
        ),
    },
)
calls(
    "plans",
    {
        "runs": lambda: outscore.plan_runs(gain=0.05, items=[500, 1000], item_sd=0.35, run_sd=0.01, interaction_sd=0.2),
        "runs of a pilot": lambda: outscore.plan_runs(RUNS, MORE, gain=0.3, items=50),
        "gate": lambda: outscore.plan_gate(Rates(hurt=0.05), "5%", target=0.8),
        "gate at a look": lambda: outscore.plan_gate(Rates(hurt=0.05), 0.1, target=[0.8, 0.9], look=5),
    },
)
calls(
    "logs",
    {
        "compared": compare("logs/base", "logs/new", task="sums"),
        "ranked": lambda: outscore.rank("logs", task="words", **few),
        "scored": lambda: outscore.score("code", **few),
    },
)
calls(
    "shown",
    {
        "runs": shown(lambda: outscore.compare(RUNS, MORE, runs="random")),
        "test sets": shown(lambda: outscore.compare(REALS, NEW, test_sets=PARTS, tasks="fixed", **few)),
        "gate": shown(lambda: outscore.gate("right.csv:s1", "right.csv:s6", metric="accuracy", margin=0.2)),
        "battles": shown(lambda: outscore.rank("battles.csv", metric="bradley-terry", **few)),
        "plan of runs": shown(lambda: outscore.plan_runs(gain=0.05, items=500, item_sd=0.35, run_sd=0.01)),
        "plan of a gate": shown(lambda: outscore.plan_gate(Rates(hurt=0.05), 0.05, target=0.8)),
    },
)
calls(
    "error",
    {
        "runs undeclared": compare(RUNS, MORE),
        "one run": compare(REALS, NEW, runs="random"),
        "a claim on runs": compare(RUNS, MORE, runs="some"),
        "a reducer of runs": compare(RUNS, MORE, runs="random", reduce="pass@2"),
        "few samples": compare(ANSWERS, MORE_ANSWERS, runs="samples", reduce="pass@5"),
        "templates undeclared": compare("prompts1.csv:base", "prompts1.csv:new", template="prompt"),
        "few tasks": compare(REALS, NEW, test_sets=PARTS, tasks="random"),
        "tasks without test sets": compare(REALS, NEW, tasks="fixed"),
        "weights without strata": compare(REALS, NEW, weights="macro"),
        "against no number": compare(WINS, against="half"),
        "a gate without margin": lambda: outscore.gate(BASE, NEW, metric="accuracy"),
        "a gate of a metric": lambda: outscore.gate(
            "one.txt", "two.txt", references="gold.txt", metric="bleu", margin=5
        ),
        "plan of one run": lambda: outscore.plan_runs(REALS, NEW, gain=0.1),
        "a task": compare("logs/base", "logs/new", task="sum"),
    },
)
