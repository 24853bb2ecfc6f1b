"""Tests of systems with several runs, and of strata that weigh the same, keep their level.

Checks fail by chance as often as `tests.calibration.checks` says; seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from outscore.significance import Bootstrap, PairedT, Randomization
from tests.calibration.checks import Check, assert_all, rate_of
from tests.calibration.measuring import TWO_SIDED, measure
from tests.calibration.runs import (
    CorpusRuns,
    FloatArray,
    Procedures,
    any_told_apart,
    bleu_runs,
    f1_runs,
    fiducial_p,
    macro,
    macro_f1,
    p_values,
    planned,
)

pytestmark = pytest.mark.slow


def kept(what: object, p: FloatArray, most: float, most_at_1: float) -> Iterator[Check]:
    """Check that no more true nulls are rejected than so many at 5% and at 1%."""
    for alpha, high in ((0.05, most), (0.01, most_at_1)):
        yield Check(f"{what}, alpha = {alpha:g}", int((p <= alpha).sum()), len(p), 0.0, high)


@pytest.mark.parametrize("kind", ["binary", "real", "skew"])
@pytest.mark.parametrize("n", [50, 500])
def test_crossed_t_where_both_vary_alike(kind: str, n: int) -> None:
    checks: list[Check] = []
    for m in (3, 5, 10):
        for rho in (0.0, 2.0, 8.0):
            procedures = Procedures(kind, n, (m, m), (rho, rho))
            crossed, items = p_values(procedures, 500)
            checks += kept(procedures, crossed, 0.085 if m == 3 else 0.06, 0.04 if m == 3 else 0.02)
            # Runs that are taken for fixed tell of runs that do not vary, and of no others.
            low, high = {0.0: (0.04, 0.06), 2.0: (0.12, 0.33), 8.0: (0.29, 0.60)}[rho]
            checks.append(Check(f"{procedures}: items", int((items <= 0.05).sum()), len(items), low, high))
    assert_all(checks)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_crossed_t_where_one_system_varies(kind: str) -> None:
    checks: list[Check] = []
    for m in ((3, 3), (4, 4), (5, 5), (10, 10), (10, 3), (3, 10), (5, 8)):
        for rho in (2.0, 8.0):
            procedures = Procedures(kind, 500, m, (0, rho))
            few = min(m) < 5
            checks += kept(procedures, p_values(procedures, 500)[0], 0.09 if few else 0.06, 0.04 if few else 0.02)
    assert_all(checks)


def test_two_runs_are_too_few_for_a_verdict() -> None:
    """11.1% where one system alone varies: why it is withheld."""
    p, _ = p_values(Procedures("real", 500, (2, 2), (0, 8)), 1000)
    assert_all([Check("two runs", int((p <= 0.05).sum()), len(p), 0.09, 0.13)])


@pytest.mark.parametrize("m", [3, 5, 10])
def test_crossed_t_of_paired_runs(m: int) -> None:
    checks: list[Check] = []
    for kind in ("binary", "real"):
        for rho in (0.0, 2.0, 8.0):
            procedures = Procedures(kind, 500, (m, m), (rho, rho), shared=True)
            p, _ = p_values(procedures, 500, paired=True)
            checks += kept(procedures, p, 0.085 if m == 3 else 0.06, 0.04 if m == 3 else 0.02)
    assert_all(checks)


def test_one_bad_run_in_ten_breaks_it() -> None:
    """What the result assumes, and says: run effects near normal."""
    p, _ = p_values(Procedures("real", 500, (5, 5), (0, 8), seeds="bad"), 1000)
    assert_all([Check("one bad run in ten", int((p <= 0.05).sum()), len(p), 0.09, 0.14)])


def test_the_fiducial_law_keeps_its_level_with_two_runs() -> None:
    checks: list[Check] = []
    for rho in ((0, 0), (2, 2), (0, 8)):
        procedures = Procedures("real", 100, (2, 2), rho)
        checks += kept(procedures, fiducial_p(procedures, 60), 0.05, 0.01)
    assert_all(checks)


def test_holm_of_all_pairs() -> None:
    """At most 7% of sets of 5 equal systems tell any two apart."""
    checks = []
    for m, rho in ((3, 0.0), (3, 2.0), (5, 8.0), (10, 2.0)):
        p = any_told_apart(100, m, rho, 300)
        checks.append(Check(f"m = {m}, rho = {rho:g}", int((p <= 0.05).sum()), len(p), 0.0, 0.07))
    assert_all(checks)


@pytest.mark.parametrize("of", [f1_runs, bleu_runs])
@pytest.mark.parametrize("sizes", [(), (20, 40, 80, 160)])
def test_corpus_metrics_in_weights(of: Callable[..., CorpusRuns], sizes: tuple[int, ...]) -> None:
    checks: list[Check] = []
    for tau in (0.0, 0.3):
        runs = of(tau, sizes)
        crossed, items = runs.measure(sum(sizes) or 200, 5, 75)
        checks += kept(f"{runs.name}, tau = {tau}, {sizes}", crossed, 0.06, 0.02)
        low, high = (0.0, 0.08) if tau == 0 else (0.2, 0.7)
        checks.append(Check(f"{runs.name}, tau = {tau}: items", int((items <= 0.05).sum()), len(items), low, high))
    assert_all(checks)


@pytest.mark.parametrize("sizes", [(5,) * 20, (100,) * 5, (10, 20, 40, 80, 350)], ids=str)
def test_strata_of_equal_weight(sizes: tuple[int, ...]) -> None:
    found = measure(macro("real", *sizes), sum(sizes), 400, tests=(Bootstrap(), PairedT(), Randomization()))
    assert_all(rate_of(found, test, TWO_SIDED, 0.05, 0.03, 0.07) for test in found.tests)


def test_f1_of_strata_of_equal_weight() -> None:
    sizes = (20, 40, 80, 160)
    found = measure(macro_f1(*sizes), sum(sizes), 120, tests=(Bootstrap(),))
    assert_all([rate_of(found, "bootstrap", TWO_SIDED, 0.05, 0.02, 0.08)])


@pytest.mark.parametrize("rho", [0.5, 2.0])
def test_pilots_foretell_standard_errors(rho: float) -> None:
    """Of 500 pilots of 5 runs the mean of the foretold variances is that of (1), 6% off at most: floors raise it."""
    foretold, true = planned(Procedures("real", 500, (5, 5), (rho, rho)), 500, 10, 500)
    error = float((foretold**2).std() / np.sqrt(len(foretold)))
    assert -5 * error <= float((foretold**2).mean()) - true**2 <= 5 * error + 0.06 * true**2
