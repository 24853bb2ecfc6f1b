"""BLEU of many totals at once."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.metrics.families.translation import SMOOTHING, Bleu


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("smooth_method", SMOOTHING)
def test_a_score_does_not_depend_on_its_company(smooth_method: str, effective_order: bool) -> None:
    """Totals that all have matches are scored in a shorter way than those among which one has none."""
    rng = np.random.default_rng(0)
    matches = np.sort(rng.integers(1, 500, size=(300, 4)))[:, ::-1]
    ngrams = matches + rng.integers(0, 500, size=(300, 4))
    totals = np.column_stack([ngrams[:, 0], rng.integers(300, 900, size=300), matches, ngrams]).astype(float)
    metric = Bleu(smooth_method=smooth_method, effective_order=effective_order)
    alone = metric.score(totals)
    among = metric.score(np.vstack([totals, np.zeros(10), totals[:1]]))
    assert among[:300] == pytest.approx(alone, rel=1e-14)
    assert among[300] == 0.0
    assert 0 < alone.min() < alone.max() <= 100
