"""The default test of new runs: few runs, runs that are not normal, corpus metrics; and what pilots predict.

`test_default.py` has its level on items and on clusters of unequal sizes. Checks fail by chance as often as
`tests.calibration.checks` says; seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.calibration.checks import Check, assert_all
from tests.calibration.new_runs import of_procedures
from tests.calibration.runs import CorpusRuns, FloatArray, Procedures, bleu_runs, f1_runs, fiducial_p, planned

pytestmark = pytest.mark.slow


def p_values(procedures: Procedures, count: int) -> FloatArray:
    return np.concatenate([sets.p_values() for sets in of_procedures(procedures, count, paired=procedures.shared)])


def kept(what: object, p: FloatArray, most: float, most_at_1: float) -> Iterator[Check]:
    """Check that no more true nulls are rejected than so many at 5% and at 1%."""
    for alpha, high in ((0.05, most), (0.01, most_at_1)):
        yield Check(f"{what}, alpha = {alpha:g}", int((p <= alpha).sum()), len(p), 0.0, high)


@pytest.mark.parametrize("shared", [False, True], ids=["of each system", "paired"])
def test_numbers_of_runs(shared: bool) -> None:
    checks: list[Check] = []
    for m in ((3, 3), (10, 10)) if shared else ((3, 3), (10, 10), (10, 3), (3, 10)):
        procedures = Procedures("real", 200, m, (2.0, 2.0), shared=shared)
        few = min(m) < 5
        checks += kept(procedures, p_values(procedures, 500), 0.085 if few else 0.06, 0.04 if few else 0.02)
    assert_all(checks)


def test_two_runs_are_too_few_for_a_verdict() -> None:
    """About 11% where one system alone varies: why it is withheld."""
    p = p_values(Procedures("real", 200, (2, 2), (0, 8)), 1000)
    assert_all([Check("two runs", int((p <= 0.05).sum()), len(p), 0.09, 0.13)])


def test_one_bad_run_in_ten_breaks_it() -> None:
    """What the result assumes, and says: run effects near normal."""
    p = p_values(Procedures("real", 200, (5, 5), (0, 8), seeds="bad"), 1000)
    assert_all([Check("one bad run in ten", int((p <= 0.05).sum()), len(p), 0.09, 0.14)])


def test_the_fiducial_law_keeps_its_level_with_two_runs() -> None:
    checks: list[Check] = []
    for rho in ((0, 0), (0, 8)):
        procedures = Procedures("real", 100, (2, 2), rho)
        checks += kept(procedures, fiducial_p(procedures, 60), 0.05, 0.01)
    assert_all(checks)


@pytest.mark.parametrize("of", [f1_runs, bleu_runs])
@pytest.mark.parametrize("sizes", [(), (20, 40, 80, 160)])
def test_corpus_metrics(of: Callable[..., CorpusRuns], sizes: tuple[int, ...]) -> None:
    checks: list[Check] = []
    for tau in (0.0, 0.3):
        runs = of(tau, sizes)
        new, items = runs.measure(sum(sizes) or 200, 5, 75)
        checks += kept(f"{runs.name}, tau = {tau}, {sizes}", new, 0.06, 0.02)
        low, high = (0.0, 0.08) if tau == 0 else (0.2, 0.7)
        checks.append(Check(f"{runs.name}, tau = {tau}: items", int((items <= 0.05).sum()), len(items), low, high))
    assert_all(checks)


@pytest.mark.parametrize("rho", [0.5, 2.0])
def test_pilots_predict_standard_errors(rho: float) -> None:
    """Of 500 pilots of 5 runs the mean predicted variance is that of the model, 6% off at most: floors raise it."""
    predicted, true = planned(Procedures("real", 500, (5, 5), (rho, rho)), 500, 10, 500)
    error = float((predicted**2).std() / np.sqrt(len(predicted)))
    assert -5 * error <= float((predicted**2).mean()) - true**2 <= 5 * error + 0.06 * true**2
