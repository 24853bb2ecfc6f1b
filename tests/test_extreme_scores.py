"""Scores of extreme size: results without warnings of NumPy, which all tests turn into errors, or one line."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import outscore
from outscore.errors import DataError, OptionError

SCORES = {
    "huge": [1e100, -1e100, 3e99, 1e100, 5.0, 1e99, 0.0, 1.0],
    "small": [1e-100, 2e-100, 0.0, 1e-110, 5e-324, 0.0, 1e-100, 2e-320],
    "equal": [1.0] * 8,
    "binary": [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0],
    "mixed": [1e-300, 1e90, 0.0, 1.0, -1.0, 5.0, 1e15, 1e-15],
}


@pytest.mark.parametrize("names", [*itertools.combinations(SCORES, 3)])
def test_a_ranking_of_extreme_scores(names: tuple[str, ...]) -> None:
    ranking = outscore.rank({name: SCORES[name] for name in names}, n_resamples=200)
    assert all(0 <= pair.p_value <= pair.p_maxt <= 1 for pair in ranking.pairs if pair.p_maxt is not None)
    assert {system.name for system in ranking.systems} == set(names)


def test_pairs_far_below_the_others_are_corrected_with_draws_of_their_own() -> None:
    # Three pairs: max-T is at most Šidák's 1 − (1 − p)³, and at least p.
    rng = np.random.default_rng(11)
    large = 1e90 * rng.normal(size=40)
    before = rng.normal(size=40)
    ranking = outscore.rank({"large": large, "before": before, "after": before + rng.normal(0.4, 1.0, size=40)})
    pair = ranking.pair("before", "after")
    assert pair.p_maxt is not None
    assert 0 < pair.p_value <= pair.p_maxt <= 1 - (1 - pair.p_value) ** 3 + 0.02  # the error of 10^4 draws


def test_constants_are_as_large_as_scores_at_most() -> None:
    assert outscore.compare(SCORES["binary"], against=1e100, metric="mean").gain == -1e100
    with pytest.raises(OptionError, match=r"against: expected a finite number of at most 1e\+100 in size, got 1e\+200"):
        outscore.compare(SCORES["binary"], against=1e200, metric="mean")


def test_a_ratio_of_an_item_that_could_overflow_is_refused() -> None:
    with pytest.raises(DataError, match=r"expected a number of at least 1e-100, got 4.9\d*e-324"):
        outscore.score([[1e100, 5e-324], [1.0, 1e100]], metric="ratio")


def test_agreement_refuses_scores_whose_squares_overflow(tmp_path: Path) -> None:
    lines = [f"s{s},{i},{(s + i) % 3},{10.0 ** (100 * s)}" for s in range(3) for i in range(4)]
    (tmp_path / "meta.csv").write_text("system,id,human,metric\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"numbers of at most 1e\+100 in size, got 1e\+200"):
        outscore.meta(f"{tmp_path}/meta.csv:human", f"{tmp_path}/meta.csv:metric")
