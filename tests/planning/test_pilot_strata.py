"""Pilots with strata: test sets keep their shares, and are tested with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Level
from outscore._types import FloatArray
from outscore.results import Alternative
from outscore.wings.planning.simulating import _drawn

STRATA = np.repeat(np.arange(4), [20, 40, 60, 80])


def stratified(seed: int = 2) -> tuple[FloatArray, FloatArray]:
    """Scores whose differences vary by 1 within strata, and by far more between them; no gain on the whole."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=200) + np.array([3, -3, 2, -1.0])[STRATA]
    baseline = rng.normal(size=200)
    return baseline, baseline + d - d.mean() + 0.05


def test_test_sets_of_a_pilot_keep_the_shares_of_its_strata() -> None:
    """Within strata a gain of 0.3 is 3 standard errors of 100 items: the power is Φ(3 − 1.645), about 0.91."""
    plain, kept = (
        outscore.pilot(*stratified(), strata=strata, n_sets=2_000, n_checks=30) for strata in (None, STRATA.tolist())
    )
    assert kept.describe().startswith("A pilot of 200 items, in 4 strata, whose proportions test sets keep: ")
    for test in ("bootstrap", "paired-t"):
        asked: dict[str, Any] = {"tests": test, "level": Level(alternative=Alternative.GREATER)}
        power = outscore.plan_power(kept, [100], [0.3], **asked).rows[0].power
        assert power.value == pytest.approx(0.912, abs=0.04)
        assert outscore.plan_power(plain, [100], [0.3], **asked).rows[0].power.value < 0.5
        assert power.check is not None
        assert (power.check.n_more, power.check.n_fewer) == (0, 0)
    weights = next(_drawn(np.random.default_rng(0), 5, 50, np.full(200, 1 / 200), STRATA))
    assert [weights[:, h == STRATA].sum(axis=1).tolist() for h in range(4)] == [[k] * 5 for k in (5, 10, 15, 20)]


def test_strata_of_right_or_wrong_items_are_simulated() -> None:
    rng = np.random.default_rng(4)
    one = rng.integers(0, 2, 200).astype(float)
    other = np.where(rng.random(200) < 0.2, 1 - one, one)
    pilot = outscore.pilot(one, other, metric="accuracy", strata=STRATA.tolist(), n_sets=256, n_checks=10)
    for row in outscore.plan_power(pilot, [300], [0.06]).rows:
        assert row.power.n_sets == 256
        assert row.power.check is not None
        assert row.power.check.n_more + row.power.check.n_fewer <= 1  # steps of p lie close to alpha


def test_f1_within_strata_is_decided_as_the_test_decides() -> None:
    rng = np.random.default_rng(6)
    gold = rng.poisson(np.array([1, 2, 4, 8])[STRATA])
    systems = []
    for share in (0.6, 0.65):
        tp = rng.binomial(gold, share)
        systems.append(np.column_stack([tp, tp + rng.poisson(0.6, 200), gold]).astype(float))
    pilot = outscore.pilot(*systems, metric="f1", strata=STRATA.tolist(), n_sets=400, n_checks=40)
    power = outscore.plan_power(pilot, [200], [0.03], tests="bootstrap").rows[0].power
    assert power.check is not None
    assert power.check.n_more + power.check.n_fewer <= 3  # the tests themselves have 2,000 resamples


def test_too_few_items_for_the_strata_are_refused_and_never_planned() -> None:
    pilot = outscore.pilot(*stratified(), strata=STRATA.tolist(), n_sets=500)
    assert pilot.fewest_units == 15  # of which the smallest stratum has a tenth
    with pytest.raises(outscore.OptionError, match="expected at least 15"):
        outscore.plan_power(pilot, [14], [0.3])
    assert outscore.plan_items(pilot, 1.2, tests="paired-t").rows[0].units >= 15


def test_strata_of_one_unit_are_refused_or_merged() -> None:
    strata = ["alone", *map(str, STRATA[1:])]
    with pytest.raises(outscore.DataError, match=r'stratum "alone" has one item.*one-unit-stratum'):
        outscore.pilot(*stratified(), strata=strata)
    pilot = outscore.pilot(*stratified(), strata=strata, collapse_strata=True, n_sets=500)
    notes = outscore.plan_power(pilot, [100], [0.3], tests="paired-t").notes
    assert any('"alone" has one item and was merged with "0"' in note for note in notes)
