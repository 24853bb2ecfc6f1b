"""Fisher's exact test of two shares of missing cells, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from outscore.laws.exact.missing import shares_differ


@given(st.integers(0, 80), st.integers(0, 80), st.floats(0, 1), st.floats(0, 1))
def test_shares_differ_is_scipys(n_a: int, n_b: int, share_a: float, share_b: float) -> None:
    a, b = round(n_a * share_a), round(n_b * share_b)
    expected = scipy.stats.fisher_exact(np.array([[a, n_a - a], [b, n_b - b]])).pvalue
    assert shares_differ(a, n_a, b, n_b) == pytest.approx(expected, rel=1e-11)
    assert shares_differ(b, n_b, a, n_a) == pytest.approx(expected, rel=1e-11)
    assert shares_differ(n_a - a, n_a, n_b - b, n_b) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("counts", [(120, 2500, 180, 2500), (3000, 100_000, 3300, 100_000), (0, 5000, 400, 5000)])
def test_many_cells(counts: tuple[int, int, int, int]) -> None:
    a, n_a, b, n_b = counts
    expected = scipy.stats.fisher_exact(np.array([[a, n_a - a], [b, n_b - b]])).pvalue
    assert shares_differ(*counts) == pytest.approx(expected, rel=1e-9)


def test_edges() -> None:
    assert shares_differ(0, 0, 0, 0) == shares_differ(0, 10, 0, 20) == shares_differ(10, 10, 20, 20) == 1
    assert 0 < shares_differ(0, 10**6, 10**6, 10**6) < 1e-300
    with pytest.raises(ValueError, match="missing"):
        shares_differ(3, 2, 0, 2)
