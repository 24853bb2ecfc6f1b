"""What a comparison computes when it is asked for it: nobody sees that it was not there before."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from unittest.mock import patch

import numpy as np
import pytest

import outscore
from outscore.questions import comparing
from tests.kit import computed

RNG = np.random.default_rng(8)
BASELINE = (RNG.random(200) < 0.6).astype(float)
CANDIDATE = (RNG.random(200) < 0.7).astype(float)


def test_a_verdict_asks_for_no_interval() -> None:
    with patch.object(comparing, "gain_histogram") as histogram, patch.object(comparing, "agreeing") as interval:
        comparison = outscore.compare(BASELINE, CANDIDATE).comparisons[0]
        assert str(comparison.verdict)
        assert comparison.tests[0].p_value > 0
        assert not histogram.called
        assert not interval.called


def test_results_are_the_same_asked_early_or_late_copied_or_pickled() -> None:
    early, late = (outscore.compare(BASELINE, CANDIDATE) for _ in range(2))
    computed(early.comparisons[0])
    for result in (late, copy.deepcopy(late), pickle.loads(pickle.dumps(late)), replace(late)):
        assert result == early
        assert result.to_json() == early.to_json()
    unchanged = early.comparisons[0].unchanged
    assert unchanged == int((BASELINE == CANDIDATE).sum())
    with pytest.raises(FrozenInstanceError):
        late.comparisons[0].helped = 3  # type: ignore[misc]


def test_an_executor_is_not_asked_once_it_is_shut() -> None:
    with ThreadPoolExecutor(2) as executor:
        result = outscore.compare(
            BASELINE, CANDIDATE, tests="randomization", method="monte-carlo", n_resamples=300, executor=executor
        )
    assert result.comparisons[0].histogram.probabilities
