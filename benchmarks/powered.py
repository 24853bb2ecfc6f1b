"""Error rates of prediction-powered comparisons without a true difference, for few human labels.

    python benchmarks/powered.py [--nulls 1000] [--write]

Each set has the differences between two systems, by people and by a judge, on n labelled items and N others.
Populations are chosen to make λ hard to estimate: skewed labels, judges that know nothing or nearly everything or have
heavy tails, another scale, 0 and 1, clusters. Rows of human labels only have the rates of the test without the judge.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from outscore.asking import ComparisonQuestion, ask_comparison
from outscore.data.rows import Labels as ItemLabels
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.design.scores import Scores
from outscore.errors import DataError
from outscore.metrics.families.columns import Mean
from outscore.questions.comparing import compare_scores
from outscore.readers.reading import Reading
from outscore.wings.human.powered import LabelledMetric

LEVEL = 0.05
SIZES = tuple((n, ratio * n) for n in (15, 20, 30, 50) for ratio in (1, 5, 50))
PER_CLUSTER = 4
Labels = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Labels]


def _normal(r: float) -> Draw:
    """Return normal labels with a judge that correlates by r."""

    def draw(rng: np.random.Generator, n: int) -> Labels:
        human = rng.standard_normal(n)
        return human, r * human + np.sqrt(1 - r * r) * rng.standard_normal(n)

    return draw


def _lognormal(judge: Callable[[np.random.Generator, np.ndarray], np.ndarray]) -> Draw:
    """Return lognormal labels, of mean 0, with a judge of their logarithms."""

    def draw(rng: np.random.Generator, n: int) -> Labels:
        logs = rng.standard_normal(n)
        return np.exp(logs) - np.exp(0.5), judge(rng, logs)

    return draw


def _heavy_judge(rng: np.random.Generator, n: int) -> Labels:
    """Return labels that are those of a lognormal judge, plus normal noise."""
    judge = np.exp(rng.standard_normal(n))
    return judge - np.exp(0.5) + rng.standard_normal(n), judge


def _errors(noise: float) -> Draw:
    """Return differences of two systems' MQM scores (half of them 0, the rest gamma) with a judge on another scale."""

    def one(rng: np.random.Generator, n: int) -> Labels:
        human = -np.where(rng.random(n) < 0.5, 0, rng.gamma(0.6, 6.0, n))
        return human, -0.02 * np.log1p(-human) + noise * rng.standard_normal(n)

    def draw(rng: np.random.Generator, n: int) -> Labels:
        (a, judged), (b, other) = one(rng, n), one(rng, n)
        return a - b, judged - other

    return draw


def _binary(agreement: float) -> Draw:
    """Return differences of two systems of 70% correct items, with a judge that agrees with people that often."""

    def one(rng: np.random.Generator, n: int) -> Labels:
        human = (rng.random(n) < 0.7).astype(np.float64)
        return human, np.where(rng.random(n) < agreement, human, 1 - human)

    def draw(rng: np.random.Generator, n: int) -> Labels:
        (a, judged), (b, other) = one(rng, n), one(rng, n)
        return a - b, judged - other

    return draw


def _rare(rng: np.random.Generator, n: int) -> Labels:
    """Return differences that are mostly 0, of either sign otherwise, with a judge that sees most of them."""
    human = np.where(rng.random(n) < 0.25, rng.standard_normal(n) * 3, 0.0)
    return human, human * (rng.random(n) < 0.8) + 0.3 * rng.standard_normal(n)


POPULATIONS: Mapping[str, Draw] = {
    "normal, ρ = 0": _normal(0.0),
    "normal, ρ = .95": _normal(0.95),
    "lognormal, ρ = 0": _lognormal(lambda rng, logs: rng.standard_normal(len(logs))),
    "lognormal, lognormal judge, ρ = 0": _lognormal(lambda rng, logs: np.exp(rng.standard_normal(len(logs)))),
    "lognormal, judge of logarithms": _lognormal(lambda rng, logs: logs + rng.standard_normal(len(logs))),
    "lognormal, judge on 3% of the scale": _lognormal(
        lambda rng, logs: 0.03 * np.exp(logs + 0.3 * rng.standard_normal(len(logs)))
    ),
    "normal noise, lognormal judge": _heavy_judge,
    "error counts, weak judge": _errors(0.05),
    "error counts, good judge": _errors(0.01),
    "0 and 1, agreement 60%": _binary(0.6),
    "0 and 1, agreement 95%": _binary(0.95),
    "75% ties": _rare,
}


def clustered(draw: Draw) -> Draw:
    """Return labels in clusters of `PER_CLUSTER` items, whose labels have a part in common."""

    def draws(rng: np.random.Generator, n: int) -> Labels:
        shared, own = draw(rng, n // PER_CLUSTER), draw(rng, n)
        human, judge = (np.repeat(of, PER_CLUSTER) + 0.7 * part for of, part in zip(shared, own, strict=True))
        return human, judge

    return draws


def scores_of(human: np.ndarray, judge: np.ndarray, labelled: np.ndarray, clusters: np.ndarray | None) -> Scores:
    """Return a system with these differences, and a baseline of 0."""
    ones, known = np.ones(len(human)), labelled.astype(np.float64)
    rows = [
        Rows(name, np.column_stack([known, scale * human * known, known, scale * judge, ones]))
        for name, scale in (("a", 0.0), ("b", 1.0))
    ]
    codes = None if clusters is None else ItemLabels("cluster", tuple(map(str, clusters)))
    design, _ = Design.of_items(rows[0], codes, None)
    return Scores((LabelledMetric(Mean()),), (tuple(rows),), (None, None), design)


def p_value(scores: Scores) -> float:
    """Return the p-value of the default test, without the bootstrap beside it."""
    question = ask_comparison(Reading(), tests="skew-t")
    assert isinstance(question, ComparisonQuestion)
    return compare_scores(scores, question.settings)[0].comparisons[0].p_value


def rate(draw: Draw, n: int, other: int, nulls: int, clusters: str = "") -> tuple[float, float]:
    """Return the percentages of nulls that are rejected, and that are refused as not random.

    Parameters
    ----------
    draw : callable
    n, other : int
        Numbers of labelled and other units. Without others the test is that of human labels only.
    nulls : int
    clusters : str
        "whole" clusters are units and are labelled as a whole. Of "mixed" clusters one item is labelled.
    """
    rng, p_values = np.random.default_rng(11), []
    size, total = (PER_CLUSTER if clusters else 1), (n if clusters == "mixed" else n + other)
    drawn, items = (clustered(draw) if clusters else draw), np.arange(size * total)
    labelled = items % size == 0 if clusters == "mixed" else items < n * size
    for _ in range(nulls):
        human, judge = drawn(rng, size * total)
        if other == 0 and not clusters:
            rows = (
                Rows("a", np.column_stack([0 * human, np.ones(n)])),
                Rows("b", np.column_stack([human, np.ones(n)])),
            )
            p_values.append(p_value(Scores((Mean(),), (rows,), (None, None), Design(n))))
            continue
        try:
            p_values.append(p_value(scores_of(human, judge, labelled, items // size if clusters else None)))
        except DataError as error:
            if error.problems[0].slug != "labels-not-random":
                raise
    return 100 * float(np.mean(np.array(p_values) <= LEVEL)), 100 * (1 - len(p_values) / nulls)


def measured(nulls: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the data file."""
    few = ("normal, ρ = .95", "lognormal, judge of logarithms", "error counts, good judge")
    counts = [(n, 0) for n in (15, 20, 30, 50)]
    designs: tuple[tuple[str, Sequence[tuple[int, int]], Iterable[str], str], ...] = (
        ("items", SIZES, POPULATIONS, ""),
        ("whole clusters", [(n, 5 * n) for n, _ in counts], few, "whole"),
        ("one label per cluster", counts, few, "mixed"),
        ("human labels only", counts, POPULATIONS, ""),
    )
    for design, sizes, names, clusters in designs:
        for name in names:
            for n, other in sizes:
                rejected, refused = rate(POPULATIONS[name], n, other, nulls, clusters)
                row = (design, name, str(n), str(other), f"{rejected:.1f}")
                print(", ".join(row), f"({refused:.2f}% refused as not random)", flush=True)
                yield row


if __name__ == "__main__":
    import figures

    parser = argparse.ArgumentParser()
    parser.add_argument("--nulls", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="docs/calibration/few-human-labels.csv, and its table")
    chosen = parser.parse_args()
    made = [*measured(chosen.nulls)]
    if chosen.write:
        figures.write("few-human-labels", ("design", "population", "labelled", "other", "percent"), made)
        figures.renew()
