"""Every number of the oracle of WMT23, English to German: mt-metrics-eval's own values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from tests.metaeval.kit import MetaReading, read_judgements

ROOT = Path(__file__).resolve().parents[3] / "shared" / "data" / "meta-wmt23-en-de"
HUMAN, METRICS = ROOT / "wmt23/human-scores/en-de.mqm.seg.score", ROOT / "wmt23/metric-scores/en-de"
KEYS = {
    "acc-t": "acc_t",
    "pearson": "seg_pearson",
    "kendall-item": "kendall_b_item",
    "pearson-system": "sys_pearson",
    "spa": "spa_b1e5_float64",
}
FEW = 1000  # resamples

pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason="the WMT23 data are not in ../shared")


@pytest.fixture(scope="module")
def oracle() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "ORACLE.json").read_text())
    return found


def ranked(statistic: str, **options: Any) -> Any:
    return outscore.meta(HUMAN, METRICS, statistic=statistic, n_resamples=FEW, **options)


def test_the_data_are_those_of_the_oracle(oracle: dict[str, Any]) -> None:
    (data,) = read_judgements([str(HUMAN), str(METRICS)], MetaReading())
    assert (len(data.systems), int(data.rated.all(axis=0).sum())) == (oracle["systems"], oracle["segments"])
    assert set(data.metrics) == set(oracle["metrics"])
    assert len(data.items) == 557
    assert data.documents is not None
    assert len(set(data.documents)) == 192
    assert "refA" not in data.systems
    assert set(data.system_scores) == {"BLEU", "chrF"}


def test_a_rated_reference_that_no_metric_uses_is_a_system(tmp_path: Path) -> None:
    human = tmp_path / "human-scores" / HUMAN.name
    human.parent.mkdir()
    human.write_bytes(HUMAN.read_bytes())
    for file in METRICS.glob("*.seg.score"):
        # Metrics scored with refB rate refA like any other system: here the scores of the best system, halved.
        lines = [line for line in file.read_text().splitlines() if not line.startswith("refA\t")]
        lines += [f"refA\t{float(line.split()[1]) / 2}" for line in lines if line.startswith("GPT4-5shot\t")]
        (tmp_path / file.name.replace("-refA", "-refB")).write_text("\n".join(lines) + "\n")
    (data,) = read_judgements([str(human), str(tmp_path)], MetaReading())
    assert len(data.systems) == 13
    assert "refA" in data.systems
    assert any(note.startswith("Compared as systems") and note.endswith(': "refA".') for note in data.notes)
    (chosen,) = read_judgements([str(human), str(tmp_path)], MetaReading(systems=data.systems[:12]))
    assert chosen.systems == data.systems[:12]
    result = outscore.meta(human, tmp_path, statistic="pearson", n_resamples=FEW)
    for metric in result:
        both = data.human, data.metrics[metric.name]
        rated = np.isfinite(both[0]) & np.isfinite(both[1])
        assert metric.score == pytest.approx(np.corrcoef(both[0][rated], both[1][rated])[0, 1], abs=1e-12)


@pytest.mark.parametrize("statistic", KEYS)
def test_scores(statistic: str, oracle: dict[str, Any]) -> None:
    tolerance = 5e-4 if statistic == "spa" else 1e-12
    result = ranked(statistic)
    assert len(result) == 16
    for metric in result:
        assert metric.score == pytest.approx(oracle["metrics"][metric.name][KEYS[statistic]], abs=tolerance)
        if statistic == "acc-t":
            assert metric.epsilon == pytest.approx(oracle["metrics"][metric.name]["epsilon"], abs=1e-12)


def test_accuracy_without_ties(oracle: dict[str, Any]) -> None:
    for metric in ranked("acc-t", epsilon=0):
        assert metric.score == pytest.approx(oracle["metrics"][metric.name]["acc23_eps0_item"], abs=1e-12)


def test_pairwise_accuracy_is_exact(oracle: dict[str, Any]) -> None:
    for metric in ranked("pairwise-accuracy"):
        agreeing, every = oracle["metrics"][metric.name]["sys_pairwise_agree"]
        assert metric.score == agreeing / every


def test_swaps_of_systems_are_enumerated(oracle: dict[str, Any]) -> None:
    result = ranked("pearson-system", systems="sampled")
    for better, worse, gain, p in oracle["exact_permutation_of_systems_pearson_one_sided"]:
        pair = result.pair(better, worse)
        assert pair.better == better
        assert pair.gain == pytest.approx(gain, abs=1e-12)
        assert pair.p_value / 2 == p  # two-sided; swapping all systems turns the gain
    assert "no pair of metrics can differ" in result.warnings[0]


def test_what_mt_metrics_eval_prints(oracle: dict[str, Any]) -> None:
    result = ranked("acc-t", emulate="mtme")
    assert result.emulation is not None
    pairs = {(pair.better.partition("[")[0], pair.worse.partition("[")[0]): pair for pair in result.emulation.pairs}
    for names, (wins, discordant, p) in oracle["pairs_of_metrics_acc_t_one_by_one_exact_binomial_one_sided"].items():
        better, _, worse = names.partition(" over ")
        pair = pairs[better, worse]
        # The oracle took the smallest of equally good thresholds, mt-metrics-eval another one.
        found = pair.smallest_epsilon or (pair.wins, pair.discordant, pair.p_value)
        assert found[:2] == (wins, discordant)
        assert found[2] == pytest.approx(p, abs=1e-6)
        assert pair.p_value == pytest.approx(p, abs=4e-4)
        own = result.pair(pair.better, pair.worse)
        segments = oracle["same_with_segments_as_units_normal_one_sided"][names]
        assert own.p_value / 2 > pair.p_value
        assert own.p_value / 2 == pytest.approx(segments, abs=0.06)  # ours has documents as units
    epsilons = {metric.name: metric.epsilon for metric in result.emulation.metrics}
    assert epsilons == pytest.approx({name: of["epsilon"] for name, of in oracle["metrics"].items()}, abs=1e-12)
    assert result.emulation.metrics[0].rank == 1


def test_segments_as_units(oracle: dict[str, Any]) -> None:
    result = ranked("acc-t", clusters="none")
    assert result.unit == "segment"
    for names, p in oracle["same_with_segments_as_units_normal_one_sided"].items():
        better, worse = (
            next(metric.name for metric in result if metric.name.partition("[")[0] == name)
            for name in names.split(" over ")
        )
        assert result.pair(better, worse).p_value / 2 == pytest.approx(p, abs=2e-3)


def test_soft_accuracy_of_mt_metrics_eval(oracle: dict[str, Any]) -> None:
    result = ranked("spa", emulate="mtme")
    assert result.emulation is not None
    for metric in result.emulation.metrics:
        assert metric.score == pytest.approx(oracle["metrics"][metric.name]["spa_official"], abs=5e-3)
        assert metric.rank is None


def test_the_report_says_what_differs() -> None:
    files = [METRICS / f"{name}.seg.score" for name in ("COMET-refA", "GEMBA-MQM-src", "BLEU-refA")]
    text = " ".join(outscore.meta(HUMAN, *files, emulate="mtme").to_text().split())
    assert "COMET agrees best with people of 3 metrics: acc-t 0.574 (en-de, 12 systems, 460 segments in 190" in text
    assert "Results of mt-metrics-eval" in text
    assert "its p-values are too small" in text
