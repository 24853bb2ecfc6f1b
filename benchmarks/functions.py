"""Measure functions as metrics beside a plain loop, which calls the function for each resample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from measuring import QUICK, Line, cpu_seconds, pretty, table_of_lines
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import f1_score, roc_auc_score  # type: ignore[import-untyped]

import outscore

N, R = 285, 200 if QUICK else 2000
REPEATS = 3
Sides = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


def sklearn_auc(outputs: Sequence[float], references: Sequence[int]) -> float:
    return float(roc_auc_score(references, outputs))


def sklearn_macro_f1(outputs: Sequence[str], references: Sequence[str]) -> float:
    return float(f1_score(references, outputs, average="macro"))


def pure_macro_f1(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Return macro-F1 as plain Python computes it: the mean over labels of 2 · right / (answered + expected)."""
    right, total = dict.fromkeys(references, 0), dict.fromkeys(references, 0)
    for output, reference in zip(outputs, references, strict=True):
        total[reference] += 1
        total[output] = total.get(output, 0) + 1
        if output == reference:
            right[reference] += 1
    return sum(2 * right.get(label, 0) / total[label] for label in total) / len(total)


def auc(outputs: NDArray[Any], references: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """Return the areas under ROC curves by the sums of the ranks of what is right (Mann & Whitney 1947)."""
    n = outputs.shape[axis]
    ranks, right = rankdata(outputs, axis=axis), references.sum(axis=axis)
    return np.asarray(((ranks * references).sum(axis=axis) - right * (right + 1) / 2) / (right * (n - right)))


def auc_of_lists(outputs: Sequence[float], references: Sequence[int]) -> float:
    return float(auc(np.array(outputs), np.array(references)))


def predictions() -> Sides:
    rng = np.random.default_rng(1)
    right = rng.integers(0, 2, N)
    baseline, candidate = (spread * right + rng.normal(size=N) for spread in (0.8, 1.1))
    return baseline.tolist(), candidate.tolist(), right.tolist()


def labels() -> Sides:
    rng = np.random.default_rng(1)
    names = np.array(["contradiction", "entailment", "neutral"])
    right = rng.choice(names, N)
    baseline, candidate = (np.where(rng.random(N) < share, right, rng.choice(names, N)) for share in (0.5, 0.6))
    return baseline.tolist(), candidate.tolist(), right.tolist()


def looped(function: Callable[..., Any], sides: Sides, arrays: bool) -> NDArray[Any]:
    """Return the gains on r resamples as a plain loop computes them, from arrays or from lists."""
    stream = np.random.default_rng(1)
    gains = np.empty(R)
    columns = [np.array(side) if arrays else list(side) for side in sides]
    for place in range(R):
        drawn = stream.integers(N, size=N)
        if arrays:
            baseline, candidate, right = (column[drawn] for column in columns)
        else:
            items = drawn.tolist()
            baseline, candidate, right = ([column[i] for i in items] for column in columns)
        gains[place] = function(candidate, right) - function(baseline, right)
    return gains


def compared(function: Callable[..., Any], sides: Sides, tests: str | None, counts: list[int]) -> None:
    """Compare two systems and put together what their result says."""
    calls = 0

    def counted(*given: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        return function(*given, **keywords)

    metric = outscore.Recomputed(counted, function.__name__, vectorized=function is auc)
    *systems, right = sides
    str(outscore.compare(*systems, references=right, metric=metric, tests=tests, n_resamples=R))
    counts.append(calls)


def line(
    what: str, function: Callable[..., Any], sides: Sides, *, tests: str | None, arrays: bool, target: str
) -> Line:
    counts: list[int] = []
    looping = auc_of_lists if function is auc else function
    ours, theirs = [], []
    for _ in range(REPEATS):  # in turn, so that both meet the same load
        theirs.append(cpu_seconds(partial(looped, looping, sides, arrays), repeats=1))
        ours.append(cpu_seconds(partial(compared, function, sides, tests, counts), repeats=1))
    ratio = min(ours) / min(theirs)
    shown = f"{ratio:.2f} × its time" if ratio > 1 / 2 else f"{1 / ratio:.1f} × faster"
    kind = "arrays" if arrays else "lists"
    return Line(
        f"{what}, {tests or 'default'}",
        f"{pretty(min(ours))} ({counts[0]:,} calls)",
        f"{pretty(min(theirs))} (a loop over {kind}, {2 * R:,} calls)",
        shown,
        target,
    )


def main() -> None:
    """Measure everything and print the section."""
    scores, classes = predictions(), labels()
    lines = []
    for what, function, sides, arrays in (
        ("AUC by `sklearn.metrics.roc_auc_score`", sklearn_auc, scores, True),
        ("macro-F1 by `sklearn.metrics.f1_score`", sklearn_macro_f1, classes, False),
        ("macro-F1 in plain Python", pure_macro_f1, classes, False),
        ("AUC by `scipy.stats.rankdata`", auc_of_lists, scores, False),
        ("AUC by `scipy.stats.rankdata`", auc_of_lists, scores, True),
    ):
        for tests in (None, "bootstrap"):
            target = "≤ 1.2 ×" if sides is classes or function is sklearn_auc else ""
            lines.append(line(what, function, sides, tests=tests, arrays=arrays, target=target))
    lines += [
        line("AUC by `scipy.stats.rankdata`, vectorized", auc, scores, tests=tests, arrays=True, target="")
        for tests in (None, "bootstrap")
    ]
    print(f"""\
A function as a metric (`outscore.Recomputed`), beside a loop that calls it for both systems on each of {R:,}
resamples of {N} items. outscore's time is that of the whole comparison and its text. The least processor times of
{REPEATS} runs in turn.

{table_of_lines(lines)}

The default test needs the scores without each item, which the loop does not compute: up to 2 × {N} more calls. A loop
may hand out arrays where outscore hands out lists, which cost as much as converting {N} numbers twice.""")


if __name__ == "__main__":
    main()
