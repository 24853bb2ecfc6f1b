"""A comparison depends on the data and the seed alone; its double check on other draws."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import outscore

RNG = np.random.default_rng(3)
GOLD = RNG.poisson(2, 90)
SYSTEMS = [
    np.column_stack([tp, tp + RNG.poisson(0.5, 90), GOLD])
    for tp in (RNG.binomial(GOLD, part) for part in (0.5, 0.6, 0.7))
]
OPTIONS: dict[str, Any] = {"metric": "f1", "tests": ["bootstrap", "randomization"], "n_resamples": 5000, "seed": 0}


@pytest.mark.parametrize("method", ["auto", "monte-carlo"])
def test_threads_and_processes_give_the_same_result(method: str) -> None:
    expected = outscore.compare(*SYSTEMS, method=method, **OPTIONS)
    assert outscore.compare(*SYSTEMS, method=method, **OPTIONS) == expected
    with ThreadPoolExecutor(3) as threads:
        assert outscore.compare(*SYSTEMS, method=method, executor=threads, **OPTIONS) == expected
    if method == "auto":
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
            assert outscore.compare(*SYSTEMS, method=method, executor=processes, **OPTIONS) == expected


def test_threads_of_linear_algebra_change_nothing() -> None:
    """Products of 3,000 items and hundreds of resamples are divided among threads where the library has several."""
    threadpoolctl = pytest.importorskip("threadpoolctl", reason="comes with scikit-learn")
    rng = np.random.default_rng(4)
    gold = rng.poisson(2, 3000)
    rows = {name: np.column_stack([gold // 2, gold, gold + rng.poisson(1, 3000)]) for name in "abcd"}
    graded = {name: rng.normal(size=3000) for name in rows}
    found = []
    for threads in (1, 2):
        with threadpoolctl.threadpool_limits(threads, user_api="blas"):
            libraries = [each for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"]
            if {each["num_threads"] for each in libraries} != {threads}:
                pytest.skip("a linear algebra library whose threads are not told from outside")
            ranked = [outscore.rank(rows, metric="f1", n_resamples=200), outscore.rank(graded, n_resamples=200)]
            found.append([ranking.to_json() for ranking in ranked])
    assert found[0] == found[1]


def test_candidates_share_draws() -> None:
    together = outscore.compare(*SYSTEMS, **OPTIONS)
    for candidate, found in zip(SYSTEMS[1:], together.comparisons, strict=True):
        alone = outscore.compare(SYSTEMS[0], candidate, **OPTIONS).comparisons[0]
        assert alone.test.n_exceeding == found.test.n_exceeding
        assert alone.interval == found.interval


def test_an_unchanged_item_changes_no_swap() -> None:
    more = [np.concatenate([system, [[3, 5, 4]] * 7]) for system in SYSTEMS[:2]]
    options = OPTIONS | {"tests": "randomization", "method": "monte-carlo", "metric": "recall"}
    one, other = (outscore.compare(*systems, **options).comparisons[0].test for systems in (SYSTEMS[:2], more))
    assert one.n_exceeding == other.n_exceeding


def test_the_double_check_draws_again_and_asks_the_exact_law() -> None:
    scores = [system[:, 0] for system in SYSTEMS[:2]]
    options: dict[str, Any] = {
        "tests": ["bootstrap", "randomization", "paired-t"],
        "n_resamples": 4000,
        "double_check": True,
    }
    exact = outscore.compare(*scores, **options).comparisons[0].tests
    sampled = outscore.compare(*scores, method="monte-carlo", **options).comparisons[0].tests
    for derived, drawn in zip(exact[:2], sampled[:2], strict=True):
        assert [check.n_resamples for check in derived.checks] == [4000, 4000]
        assert len({check.seed for check in derived.checks}) == 2
        again, true = drawn.checks
        assert again.seed != 12345
        assert again.n_exceeding != drawn.n_exceeding
        assert true.p_value == derived.p_value
        assert all(check.agrees for check in (*derived.checks, again, true))
    assert exact[2].checks == sampled[2].checks == ()


def test_a_double_check_that_disagrees_is_told() -> None:
    from outscore.questions.pair_tests import _agree
    from tests.significance.kit import PValue

    true = PValue(0.05, "exact", 1e-12)
    assert _agree(PValue.of_counts(520, 10_000), true)
    assert not _agree(PValue.of_counts(600, 10_000), true)
    assert not _agree(true, PValue.of_counts(600, 10_000))
    assert not _agree(PValue.of_counts(600, 10_000), PValue.of_counts(450, 10_000))
    assert not _agree(true, PValue(0.0500001, "exact", 1e-12))
