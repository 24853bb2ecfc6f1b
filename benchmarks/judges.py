"""Coverage of intervals of agreement, and error rates of tests of judges, on simulated data chosen to hurt.

    python benchmarks/judges.py [--nulls 2000] [--write]

Coverage: each item has a true label, and each rater gives another one with probability e. Few items, skewed labels and
few errors are hard: all raters often agree on all items. Or items have a quality, and ratings from 1 to 5 its rounded
value with normal noise of standard deviation e. The true coefficient is that of 400,000 items.

Nulls: two judges with the same accuracy; a judge with the same sensitivity and specificity for all systems, of equal or
different quality, whose errors on an item are correlated; a judge without position bias.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import outscore
from outscore._types import FloatArray
from outscore.metrics.families.classification import Kappa
from outscore.metrics.families.raters import Agreement, Alpha
from outscore.wings.judging.measures import coefficient_interval, proportion, summed

GRADED = (0.0,) * 5
LABELS: dict[str, tuple[float, ...]] = {
    "2 equal": (0.5, 0.5),
    "2, 90:10": (0.9, 0.1),
    "4, 40 to 10": (0.4, 0.3, 0.2, 0.1),
    "4, 85:5:5:5": (0.85, 0.05, 0.05, 0.05),
    "ratings 1 to 5": GRADED,
}
MEASURES = ("agreement", "kappa", "AC1", "Fleiss", "α nominal", "α ordinal", "α interval")
BESIDE = ("kappa", "α interval")  # with the percentile bootstrap
FOUR = (0.2, 0.4, 0.6, 0.8)
SIZES, ERRORS, NOISE, LEVEL = (15, 30, 100), (0.02, 0.15), (0.3, 0.8), 0.05


def ratings(n: int, labels: tuple[float, ...], e: float, rng: np.random.Generator) -> np.ndarray:
    """Return the labels of two raters, shape (n, 2)."""
    c = len(labels)
    if labels == GRADED:
        graded = rng.normal(3, 1.1, n)[:, None] + e * rng.normal(size=(n, 2))
        return np.clip(np.round(graded), 1, c).astype(int) - 1
    true = rng.choice(c, n, p=labels)[:, None]
    return np.where(rng.random((n, 2)) < e, (true + rng.integers(1, c, (n, 2))) % c, true)


def measured(name: str, codes: np.ndarray, c: int) -> tuple[Agreement | Alpha | Kappa, FloatArray]:
    """Return a coefficient, and its rows of items."""
    if name == "kappa":
        names = tuple(map(str, range(c)))
        kappa = Kappa(labels=names)
        return kappa, kappa.rows(*([names[code] for code in codes[:, side]] for side in (0, 1)))
    counts = (codes[:, :, None] == np.arange(c)).sum(axis=1).astype(float)
    kinds = {"agreement": "raw", "AC1": "ac1", "Fleiss": "fleiss"}
    if name in kinds:
        of = Agreement(c, kinds[name])
        return of, of.rows(counts)
    alpha = Alpha(tuple(map(float, range(c))), name.split()[1])
    return alpha, alpha.rows(counts)


@cache
def truth(name: str, labels: tuple[float, ...], e: float) -> float:
    """Return the coefficient of the population."""
    metric, rows = measured(name, ratings(400_000, labels, e, np.random.default_rng(1)), len(labels))
    return float(metric.score(rows.sum(axis=0)))


def covers(
    name: str, labels: tuple[float, ...], e: float, n: int, rng: np.random.Generator
) -> tuple[bool, bool] | None:
    """Return whether outscore's interval and the percentile bootstrap's cover the truth; None if undefined."""
    metric, rows = measured(name, ratings(n, labels, e, rng), len(labels))
    true, items = truth(name, labels, e), np.arange(n)
    if name == "agreement":
        found = proportion(1 - rows[:, 0], items, LEVEL)
        assert found is not None
        low, high = found.low, found.high
    else:
        ends = coefficient_interval(metric, lambda: iter([summed(rows, items)]), LEVEL)
        if ends is None or ends[1] is None or ends[2] is None:
            return None
        low, high = ends[1], ends[2]
    if name not in BESIDE:
        return low <= true <= high, False
    sampled = metric.score(rng.multinomial(n, np.full(n, 1 / n), 1000) @ rows)
    least, most = np.quantile(sampled, [LEVEL / 2, 1 - LEVEL / 2])
    return low <= true <= high, bool(least <= true <= most)


def coverage(sets: int) -> Iterator[list[str]]:
    """Yield the table of coverage."""
    yield ["labels", "e", "items", "undefined", *MEASURES, *(f"bootstrap, {name}" for name in BESIDE)]
    rows = [(*one, e, n) for one in LABELS.items() for e in (NOISE if one[1] == GRADED else ERRORS) for n in SIZES]
    for title, labels, e, n in rows:
        rng, cells, beside, undefined = np.random.default_rng(2), [], {}, 0
        for name in MEASURES:
            found = [covers(name, labels, e, n, rng) for _ in range(sets)]
            known = [one for one in found if one is not None]
            undefined = max(undefined, sets - len(known))
            own, beside[name] = 100 * np.mean(known, axis=0)
            cells.append(f"{own:.1f}")
        cells += [f"{beside[name]:.1f}" for name in BESIDE]
        row = [title, f"{e:g}", str(n), f"{100 * undefined / sets:.1f}", *cells]
        print(", ".join(row), flush=True)
        yield row


def judged(
    n: int, quality: tuple[float, ...], rng: np.random.Generator, *, same_items: bool = True
) -> dict[str, list[Any]]:
    """Return verdicts with sensitivity 0.9 and specificity 0.75 for every system; half of all errors are shared."""
    table: dict[str, list[Any]] = {"item": [], "system": [], "verdict": [], "human": []}
    luck = rng.random(n)
    for place, of in enumerate(quality):
        human = rng.random(n) < of
        chance = np.where(rng.random(n) < 0.5, luck, rng.random(n))
        wrong = chance < np.where(human, 0.1, 0.25)
        table["item"] += [f"{i if same_items else i + place * n}" for i in range(n)]
        table["system"] += [f"s{place}"] * n
        table["verdict"] += (human ^ wrong).astype(int).tolist()
        table["human"] += human.astype(int).tolist()
    return table


def frame(columns: dict[str, list[Any]]) -> object:
    import polars as pl

    return pl.DataFrame(columns)


def of_errors(n: int, quality: tuple[float, ...], rng: np.random.Generator, *, same_items: bool) -> bool:
    result = outscore.judges(frame(judged(n, quality, rng, same_items=same_items)))
    p = result.errors[0].p_value
    return p is not None and p <= LEVEL


def of_difference(n: int, rng: np.random.Generator) -> bool:
    """Return whether the interval of the difference of two sensitivities, 0.95 and 0.75, misses it."""
    table: dict[str, list[Any]] = {"item": [], "system": [], "verdict": [], "human": []}
    luck = rng.random(n)
    for system, right in (("a", 0.95), ("b", 0.75)):
        human = rng.random(n) < 0.6
        verdict = human & (np.where(rng.random(n) < 0.5, luck, rng.random(n)) < right)
        table["item"] += [f"{i}" for i in range(n)]
        table["system"] += [system] * n
        table["verdict"] += verdict.astype(int).tolist()
        table["human"] += human.astype(int).tolist()
    for one in outscore.judges(frame(table)).errors[0].differences:
        if one.measure == "sensitivity":
            true = 0.2 if one.higher == "a" else -0.2
            return not one.low <= true <= one.high
    return False


def of_two(n: int, accuracy: float, rng: np.random.Generator) -> bool:
    human = rng.random(n) < 0.5
    right = rng.random((2, n)) < accuracy
    table = {
        "item": [f"{i}" for i in range(n)] * 2,
        "judge": ["a"] * n + ["b"] * n,
        "verdict": np.where(right, human, ~human).astype(int).ravel().tolist(),
        "human": human.astype(int).tolist() * 2,
    }
    (pair,) = outscore.judges(frame(table)).comparison
    return pair.p_value <= LEVEL


def of_positions(n: int, consistent: float, rng: np.random.Generator) -> bool:
    mind, place = rng.random(n) < 0.6, rng.random(n) < 0.5
    same = rng.random(n) < consistent
    main, again = np.where(same, mind, place), np.where(same, mind, ~place)
    table = {
        "item": [f"{i}" for i in range(n)] * 2,
        "order": ["AB"] * n + ["BA"] * n,
        "verdict": ["A" if one else "B" for one in (*main, *again)],
    }
    position = outscore.judges(frame(table)).first_position
    assert position is not None
    return position.p_value <= LEVEL


def nulls(sets: int) -> Iterator[list[str]]:
    """Yield the table of error rates."""
    yield ["null hypothesis", *(f"{n} items" for n in (15, 30, 100, 300))]
    rows: dict[str, Callable[[int, np.random.Generator], bool]] = {
        "errors, 2 systems of quality 0.6": lambda n, rng: of_errors(n, (0.6, 0.6), rng, same_items=True),
        "errors, 2 systems of quality 0.3 and 0.8": lambda n, rng: of_errors(n, (0.3, 0.8), rng, same_items=True),
        "errors, the same, other items": lambda n, rng: of_errors(n, (0.3, 0.8), rng, same_items=False),
        "errors, 4 systems of quality 0.2 to 0.8": lambda n, rng: of_errors(n, FOUR, rng, same_items=True),
        "interval of a difference of 0.2": of_difference,
        "two judges, accuracy 0.8": lambda n, rng: of_two(n, 0.8, rng),
        "two judges, accuracy 0.97": lambda n, rng: of_two(n, 0.97, rng),
        "position bias, 70% consistent": lambda n, rng: of_positions(n, 0.7, rng),
    }
    for title, rejects in rows.items():
        rng = np.random.default_rng(3)
        rates = [100 * np.mean([rejects(n, rng) for _ in range(sets)]) for n in (15, 30, 100, 300)]
        row = [title, *(f"{rate:.1f}" for rate in rates)]
        print(", ".join(row), flush=True)
        yield row


if __name__ == "__main__":
    import figures

    parser = argparse.ArgumentParser()
    parser.add_argument("--nulls", type=int, default=2000)
    parser.add_argument("--write", action="store_true", help="docs/calibration/judges-*.csv, and their tables")
    arguments = parser.parse_args()
    for name, (header, *rows) in (
        ("judges-coverage", coverage(arguments.nulls)),
        ("judges-nulls", nulls(arguments.nulls)),
    ):
        if arguments.write:
            figures.write(name, header, rows)
            figures.renew()
