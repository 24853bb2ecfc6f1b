"""Tests of two metrics hold their level on null hypotheses; docs/human-measured.md#meta-evaluation has all of them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

import outscore
from tests.metaeval.test_wmt23 import ROOT

pytestmark = pytest.mark.slow
_SURE = 0.999  # a test that holds 6.5% fails with a probability of at most 0.1% per case


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    return importlib.import_module("meta_nulls")


@pytest.mark.skipif(not ROOT.is_dir(), reason="the WMT23 data are not in ../shared")
@pytest.mark.parametrize("statistic", ["acc-t", "pearson", "kendall-item", "pearson-system"])
def test_metrics_exchanged_on_documents(statistic: str, script: ModuleType) -> None:
    sets = 250
    data = script.read_pair(ROOT / "wmt23", *script.PAIRS[0])
    rate = script.null_rate(data, statistic, sets, 7, resampled=True)
    assert rate.rejected[0] <= binom.ppf(_SURE, sets, 0.065)


def test_segments_of_one_document_are_not_independent() -> None:
    """Documents as units hold the level where the signs of single pairs do not."""
    rng, sets, rejected, by_pairs = np.random.default_rng(1), 200, 0, 0
    for _ in range(sets):
        quality = rng.normal(size=(80, 5))
        human = (2 * quality + rng.normal(size=quality.shape)).round()
        first, second = (np.repeat(rng.normal(size=(16, 5)), 5, axis=0) for _ in range(2))
        metrics = {"a": quality + first, "b": quality + second}
        documents = np.repeat(np.arange(16), 5).tolist()
        result = outscore.meta(human, metrics, clusters=documents, emulate="mtme")
        rejected += result.pairs[0].p_value <= 0.05
        assert result.emulation is not None
        by_pairs += result.emulation.pairs[0].p_value <= 0.025
    assert rejected <= binom.ppf(_SURE, sets, 0.065)
    assert by_pairs > 2 * max(rejected, 0.05 * sets)
