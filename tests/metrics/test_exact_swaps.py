"""The exact randomization p-values of ratios of counts, from outputs, against all swaps counted in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from outscore import RatioMetric, Rows
from outscore._types import FloatArray
from outscore.results import Alternative
from outscore.significance import test_named as named
from tests.kit import (
    Alignment,
    DependencyTree,
    GoldAlignment,
    Settings,
    TaggedSentence,
    Word,
    compare_scores,
    item_format,
    output_metric,
)
from tests.scored import scored

N = 9
Item = Callable[[np.random.Generator], Any]


def links(rng: np.random.Generator) -> frozenset[tuple[int, int]]:
    return frozenset((int(i), int(j)) for i, j in rng.integers(0, 3, (rng.integers(0, 6), 2)))


def sentence(rng: np.random.Generator) -> TaggedSentence:
    starts = rng.choice(5, rng.integers(0, 4), replace=False)
    return TaggedSentence(None, frozenset((int(s), int(s) + 1, str(rng.choice(["X", "Y"]))) for s in starts))


def tree(rng: np.random.Generator) -> Any:
    inner = ["(N a)", "(V b)", "(R c)"]
    for _ in range(rng.integers(0, 3)):
        at = int(rng.integers(0, len(inner) - 1)) if len(inner) > 1 else 0
        inner[at : at + 2] = [f"({rng.choice(['NP', 'VP'])} {' '.join(inner[at : at + 2])})"]
    return item_format("brackets").parse(f"(S {' '.join(inner)})", "tree").items[0]


def parse(rng: np.random.Generator) -> DependencyTree:
    root = int(rng.integers(0, 3))
    relations = rng.choice(["nsubj", "det", "obj"], 3)
    words = (Word("abc"[i], "_", 0 if i == root else root + 1, str(relations[i]), i, i + 1) for i in range(3))
    return DependencyTree("abc", tuple(words))


def label(rng: np.random.Generator) -> str:
    return str(rng.choice(["x", "y", "none"]))


MAKERS: dict[str, tuple[Item, Item]] = {
    "aer": (lambda rng: Alignment(links(rng)), lambda rng: GoldAlignment(links(rng), links(rng))),
    "alignment-precision": (lambda rng: Alignment(links(rng)), lambda rng: GoldAlignment(links(rng), links(rng))),
    "span-f1": (sentence, sentence),
    "span-precision": (sentence, sentence),
    "span-recall:type=X": (sentence, sentence),
    "bracket-f1": (tree, tree),
    "bracket-precision:labelled=false": (tree, tree),
    "las": (parse, parse),
    "clas": (parse, parse),
    "micro-f1:labels=x,labels=y": (label, label),
    "micro-precision:labels=x": (label, label),
    "micro-recall:labels=x": (label, label),
}


def gain_of(metric: Any, baseline: FloatArray, candidate: FloatArray) -> Fraction:
    scores = []
    for totals in (baseline.sum(axis=0), candidate.sum(axis=0)):
        top, bottom = (
            sum((Fraction(c) * Fraction(t) for c, t in zip(part, totals.tolist(), strict=True)), Fraction(0))
            for part in (metric.numerator, metric.denominator)
        )
        scores.append(top / bottom if bottom else Fraction(0))
    return (scores[1] - scores[0]) * (1 if metric.higher_is_better else -1)


@pytest.mark.parametrize("spec", MAKERS)
@pytest.mark.parametrize("seed", range(2))
def test_p_values_are_those_of_all_swaps(spec: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    metric: Any = output_metric(spec)
    assert issubclass(type(metric), RatioMetric)
    output, reference = MAKERS[spec]
    gold = [reference(rng) for _ in range(N)]
    systems = [[output(rng) for _ in range(N)] for _ in range(2)]
    a, b = (metric.rows(system, gold) for system in systems)
    delta = gain_of(metric, a, b)
    gains = [
        gain_of(metric, np.where(swapped, b, a), np.where(swapped, a, b))
        for swapped in (np.array(chosen)[:, None] for chosen in product([False, True], repeat=N))
    ]
    for alternative, meets in (
        (Alternative.GREATER, lambda gain: gain >= delta),
        (Alternative.LESS, lambda gain: gain <= delta),
        (Alternative.TWO_SIDED, lambda gain: abs(gain) >= abs(delta)),
    ):
        settings = Settings(tests=[named("randomization")], alternative=alternative)
        [result] = compare_scores(scored(metric, [Rows("a", a), Rows("b", b)]), settings)
        [test] = result.comparisons[0].tests
        expected = Fraction(sum(map(meets, gains)), 2**N)
        assert test.p_value == pytest.approx(float(expected), abs=1e-13), (alternative, test)
        assert result.comparisons[0].gain == pytest.approx(float(delta), abs=1e-12)
