"""Write docs/reproductions.md: the papers' numbers, theirs beside ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import outscore
from outscore._types import FloatArray
from outscore.results import TestResult

PAGE = Path(__file__).resolve().parent / "reproductions.md"
SHUFFLES = 2**20  # as many as Yeh drew


@dataclass(frozen=True)
class Figure:
    """One printed number and ours."""

    what: str
    theirs: str
    ours: str
    remark: str


def helped_and_hurt(items: int, helped: int, hurt: int) -> tuple[list[int], list[int]]:
    """Return a baseline and a candidate, right (1) or wrong (0) on each item, with these differences."""
    same = items - helped - hurt
    return [0] * helped + [1] * hurt + [1] * same, [1] * helped + [0] * hurt + [1] * same


def yeh_responses() -> tuple[FloatArray, FloatArray]:
    """Return the rows (tp, predicted, gold) of methods I and II of Yeh 2000, section 3.3, response by response.

    103 gold relations: 19 found by both, 28 by I alone, 6 by II alone; 5 spurious by both, 43 by I alone, 9 by II
    alone; 50 gold relations found by neither.
    """
    kinds = [(19, 1, 1, 1), (28, 1, 1, 0), (6, 1, 0, 1), (5, 0, 1, 1), (43, 0, 1, 0), (9, 0, 0, 1), (50, 1, 0, 0)]
    methods = []
    for method in (2, 3):
        rows = [(kind[1] * kind[method], kind[method], kind[1]) for kind in kinds for _ in range(kind[0])]
        methods.append(np.array(rows, dtype=float))
    return methods[0], methods[1]


def yeh_found() -> tuple[list[int], list[int]]:
    """Return which of the 103 gold relations methods I and II found."""
    return [1] * 47 + [0] * 56, [1] * 19 + [0] * 28 + [1] * 6 + [0] * 50


def p_of(*systems: object, metric: str = "accuracy", test: str = "bootstrap", **options: Any) -> TestResult:
    """Return the one test of a comparison, of a gain where nothing else is said, as the papers ask."""
    options = {"alternative": "greater", **options}
    result: outscore.ComparisonResult = outscore.compare(*systems, metric=metric, tests=test, **options)
    return result.comparisons[0].tests[0]


def jansen() -> list[Figure]:
    """Return the figures of Jansen's primer."""
    ten = helped_and_hurt(10, 4, 3)
    five_hundred, two, seven = helped_and_hurt(500, 10, 7), helped_and_hurt(100, 2, 0), helped_and_hurt(100, 7, 2)
    uncentred = "bootstrap-uncentred"
    return [
        Figure(
            "ten questions, 4 helped, 3 hurt: uncentred p",
            "0.4316",
            f"{p_of(*ten, test=uncentred).p_value:.9f}",
            "his from 10,000 resamples: 2.0 standard errors away",
        ),
        Figure("the same, recentred, ties counted", "", f"{p_of(*ten).p_value:.9f}", "SLP's ≥"),
        Figure("the same, recentred, strict", "", f"{p_of(*ten, ties='strict').p_value:.9f}", "BK12's >"),
        Figure(
            "500 questions, 10 helped, 7 hurt: uncentred p",
            "",
            f"{p_of(*five_hundred, test=uncentred).p_value:.12f}",
            "",
        ),
        Figure(
            "100 questions, 2 helped, 0 hurt: uncentred p",
            "approximately 0.13",
            f"{p_of(*two, test=uncentred).p_value:.14f}",
            "",
        ),
        Figure(
            "100 questions, 7 helped, 2 hurt: uncentred p",
            "above 0.05",
            f"{p_of(*seven, test=uncentred).p_value:.9f}",
            "",
        ),
    ]


def counted(what: str, theirs: int | None, exact: float, sampled: TestResult) -> Figure:
    """Return a figure of Yeh's shuffles: counts of 2²⁰, with how far his lies from the exact law."""
    error = math.sqrt(SHUFFLES * exact * (1 - exact))
    own = (sampled.n_exceeding or 0) - exact * SHUFFLES
    remark = f"our own 2²⁰ swaps: {sampled.n_exceeding:,} ({own / error:+.1f} standard errors)"
    if theirs is not None:
        remark = f"his lies {(theirs - exact * SHUFFLES) / error:+.1f} standard errors off; {remark}"
    return Figure(what, "" if theirs is None else f"{theirs:,} of 2²⁰", f"{exact * SHUFFLES:,.3f} of 2²⁰", remark)


def yeh() -> list[Figure]:
    """Return the figures of Yeh 2000."""
    one, two = yeh_responses()
    figures = []
    for name, theirs in (("recall", "45.6 / 24.3"), ("precision", "49.5 / 64.1"), ("f1", "47.5 / 35.2")):
        comparison = outscore.compare(two, one, metric=name).comparisons[0]
        scores = f"{comparison.candidate_score * 100:.1f} / {comparison.baseline_score * 100:.1f}"
        figures.append(Figure(f"{name} of methods I / II, %", theirs, scores, ""))
    found_one, found_two = yeh_found()
    comparison = outscore.compare(found_two, found_one, metric="accuracy").comparisons[0]
    figures.append(Figure("r12 of what the two find", "0.345", f"{comparison.correlation:.3f}", ""))
    chi = p_of(two, one, metric="precision", test="chi-squared", alternative="two-sided")
    figures.append(Figure("χ² of (47, 48; 25, 14)", "2.380", f"{chi.statistic:.3f}", ""))
    for what, metric, baseline, candidate, count in (
        ("recall, I over II", "recall", two, one, 96),
        ("F, I over II", "f1", two, one, 14794),
        ("precision, II over I", "precision", one, two, 25770),
    ):
        exact = p_of(baseline, candidate, metric=metric, test="randomization")
        sampled = p_of(
            baseline, candidate, metric=metric, test="randomization", method="monte-carlo", n_resamples=SHUFFLES
        )
        figures.append(counted(f"{what}: swaps at least as good", count, exact.p_value, sampled))
    both = p_of(one, two, metric="precision", test="randomization", alternative="two-sided")
    figures.append(Figure("precision, two-sided p", "less than a 4% chance", f"{both.p_value:.7f}", ""))
    for r12, theirs in ((0.38, "1.27"), (0.50, "1.41"), (0.80, "2.24")):
        figures.append(Figure(f"1/√(1 − r12) for r12 = {r12:.2f}", theirs, f"{1 / math.sqrt(1 - r12):.2f}", ""))
    return figures


def page() -> str:
    """Return the page."""

    def table(figures: list[Figure]) -> str:
        lines = ["| what | printed | outscore | |", "|---|---|---|---|"]
        return "\n".join([*lines, *(f"| {f.what} | {f.theirs} | {f.ours} | {f.remark} |" for f in figures)])

    return f"""# Reproductions

This page compares figures of two published papers with outscore's. `python docs/reproductions.py` writes it. outscore's
figures are exact unless stated otherwise; sampled ones use the default seed. [Thresholds](thresholds.md) compares those
of Berg-Kirkpatrick et al.

## Jansen, *Non-parametric Bootstrap Resampling Primer for NLP*

{table(jansen())}

## Yeh 2000, *More accurate tests for the statistical significance of result differences*

Section 3.3 has 103 gold relations: 19 found by both methods, 28 only by I, 6 only by II. Of the spurious relations, 5
are from both, 43 only from I, 9 only from II. The unit that is swapped is a response that exactly one method gave.

{table(yeh())}

Yeh's count for recall agrees with the exact distribution. His counts for F and precision differ from it by more than
2²⁰ random shuffles can explain. Sampling the same swaps agrees with the exact distribution, and so does a sum of
binomial coefficients (`tests/test_papers.py`). The cause may be another rule for ties, another unit of shuffling or an
error. His conclusions are still valid.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
