"""Statistics of agreement against plain versions, SciPy and scikit-learn, and what does not change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import outscore
from outscore._types import FloatArray
from outscore.errors import DataError, NotApplicableError, OptionError
from outscore.wings.metaeval.agreement.confidence import sign_p_values
from outscore.wings.metaeval.agreement.statistics import STATISTICS
from outscore.wings.metaeval.agreement.ties import Pairs, best_epsilons
from tests.laws.kit import swap_law
from tests.metaeval.plain import acc_t, best_acc_t, made, sign_p_value
from tests.oracles import lattice_tail

LEVELS = st.integers(0, 4).map(float)
FEW = 500


def matrices(n: int, s: int) -> st.SearchStrategy[FloatArray]:
    return arrays(np.float64, (n, s), elements=LEVELS)


@settings(max_examples=60, deadline=None)
@given(matrices(6, 4), matrices(6, 4))
def test_the_best_threshold(human: FloatArray, scores: FloatArray) -> None:
    pairs = Pairs.of(human.T, scores.T)
    for epsilon in best_epsilons(pairs):
        assert acc_t(human, scores, epsilon) == pytest.approx(best_acc_t(human, scores), abs=1e-12)
    smallest = best_epsilons(pairs)[1]
    below = [0.0, *(gap for gap in np.unique(pairs.sizes) if gap < smallest)] if smallest else []
    assert all(acc_t(human, scores, gap) < best_acc_t(human, scores) - 1e-12 for gap in below)


def test_pairs_without_human_scores_do_not_count() -> None:
    human, metrics = made(1)
    human[::7, 0] = np.nan
    human[3] = np.nan
    result = outscore.meta(human, metrics)
    for name, scores in metrics.items():
        assert result[name].score == pytest.approx(best_acc_t(human, scores), abs=1e-12)
        assert result[name].score == pytest.approx(acc_t(human, scores, result[name].epsilon or 0.0), abs=1e-12)
    assert result.tasks[0].n_segments == 59


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_scipys(seed: int) -> None:
    human, metrics = made(seed)
    scores = metrics["a"].round(1)
    functions: dict[str, Callable[[FloatArray, FloatArray], Any]] = {
        "pearson": lambda x, y: scipy.stats.pearsonr(x, y).statistic,
        "spearman": lambda x, y: scipy.stats.spearmanr(x, y).statistic,
        "kendall": lambda x, y: scipy.stats.kendalltau(x, y).statistic,
        "kendall-c": lambda x, y: scipy.stats.kendalltau(x, y, variant="c").statistic,
    }
    for name, function in functions.items():
        by_item = [function(h, m) for h, m in zip(human, scores, strict=True) if len({*h}) > 1 and len({*m}) > 1]
        systems = function(human.mean(axis=0), scores.mean(axis=0))
        for statistic, expected in ((f"{name}-item", np.mean(by_item)), (f"{name}-system", systems)):
            found = outscore.meta(human, {"a": scores}, statistic=statistic, n_resamples=FEW)
            assert found[0].score == pytest.approx(expected, abs=1e-12)
    pooled = functions["pearson"](human.ravel(), scores.ravel())
    assert outscore.meta(human, {"a": scores}, statistic="pearson")[0].score == pytest.approx(pooled, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(arrays(np.float64, (3, 9), elements=st.integers(-3, 3).map(float)), st.booleans())
def test_sums_of_few_signs_are_enumerated(differences: FloatArray, real: bool) -> None:
    differences = differences * np.pi**0.5 + 0.01 * np.arange(9) if real else differences
    expected = [sign_p_value(one) for one in differences]
    np.testing.assert_allclose(sign_p_values(differences), expected, atol=1e-9)


@pytest.mark.parametrize("n", [30, 200, 460])
def test_sums_of_many_signs_are_inverted(n: int) -> None:
    rng = np.random.default_rng(n)
    ones = np.ones(n)
    kinds = [
        rng.normal(size=n) + 0.1,
        rng.standard_t(2, size=n),
        rng.choice([0.0, 0.0, 1.0, 5.0, 25.0], n) * rng.choice([-1, 1], n),
        rng.choice([2.0, 4.0, 3.0], n, p=[0.6, 0.37, 0.03]) * rng.choice([-1, 1], n),
    ]
    for differences in kinds:
        law = swap_law(differences, ones)
        expected = (
            lattice_tail(differences, float(differences.sum()), signs=True)
            if law is None
            else law.below(-float(differences.mean()))
        )
        # Of 30 normal values φ does not decay: p is sampled, with a standard error of at most 0.004.
        known_to = 0.016 if n == 30 and law is None else 2e-6
        assert sign_p_values(differences[None])[0] == pytest.approx(expected, abs=known_to)


def test_sums_of_many_signs_that_few_decide_are_sampled() -> None:
    """Within 4 standard errors of the share of the signs of the large ones: one false alarm in 16,000."""
    differences = np.r_[np.array([2.0, 3.0, -5.1, 8.3]), 1e-9 * np.random.default_rng(1).normal(size=60)]
    large = differences[:4]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    p = float(np.mean(large @ signs > large.sum() + 1e-6) + np.mean(np.abs(large @ signs - large.sum()) < 1e-6) / 2)
    assert sign_p_values(differences[None])[0] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 2**14))


def test_soft_accuracy_of_few_segments() -> None:
    human, metrics = made(5, n=8, s=3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    for name, scores in metrics.items():
        gaps = [
            abs(sign_p_value(human[:, i] - human[:, j]) - sign_p_value(scores[:, i] - scores[:, j])) for i, j in pairs
        ]
        found = outscore.meta(human, {name: scores}, statistic="spa", n_resamples=FEW)
        assert found[0].score == pytest.approx(1 - np.mean(gaps), abs=1e-9)


def test_preferences_count_ties_as_half() -> None:
    human = np.array([[1.0, 0.0]] * 4)
    scores = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.9, 0.1]])
    assert outscore.meta(human, {"judge": scores}, statistic="preference")[0].score == 2.5 / 4


def _scikit_learn() -> Any:
    return pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


def test_labels() -> None:
    cohen_kappa_score = _scikit_learn().cohen_kappa_score

    rng = np.random.default_rng(2)
    human = rng.integers(0, 3, size=80)
    judges = {
        name: np.where(rng.random(80) < share, human, rng.integers(0, 3, 80))
        for name, share in (("a", 0.7), ("b", 0.4))
    }
    for statistic in ("kappa", "agreement"):
        result = outscore.meta(human, judges, statistic=statistic)
        for name, labels in judges.items():
            expected = cohen_kappa_score(human, labels) if statistic == "kappa" else (human == labels).mean()
            assert result[name].score == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("statistic", [name for name in STATISTICS if name not in ("kappa", "agreement")])
def test_scales_and_orders_do_not_matter(statistic: str) -> None:
    human, metrics = made(7)
    result = outscore.meta(human, metrics, statistic=statistic, n_resamples=FEW)
    order = np.random.default_rng(0).permutation(human.shape[1])
    other = {name: 3 + 7 * scores[:, order] for name, scores in metrics.items()}
    again = outscore.meta(human[:, order], other, statistic=statistic, n_resamples=FEW)
    for metric in result:
        assert again[metric.name].score == pytest.approx(metric.score, abs=1e-9)
    # acc-t's ε may be another of equally good ones, and with it the pairs that agree.
    p = 0.1 if statistic == "acc-t" else 1e-6
    assert again.pairs[0].p_value == pytest.approx(result.pairs[0].p_value, abs=p)


def test_the_rank_of_a_metric_is_that_of_rank() -> None:
    human, metrics = made(3)
    scores = outscore.meta_scores(human, metrics)
    ranking, result = outscore.rank(scores), outscore.meta(human, metrics)
    assert [system.name for system in ranking] == [metric.name for metric in result]
    assert ranking.pairs[0].p_value == result.pairs[0].p_value
    compared = outscore.compare(scores)
    assert compared.p_value == pytest.approx(result.pairs[0].p_value, rel=1e-9)
    assert outscore.score(scores)["a"].score == result["a"].score


def test_refitting_the_threshold() -> None:
    human, metrics = made(4)
    best, refit = outscore.meta(human, metrics), outscore.meta(human, metrics, epsilon="refit")
    assert (best.test, refit.test) == ("skew-t", "bootstrap")
    for metric in best:
        assert refit[metric.name].score == pytest.approx(metric.score, abs=1e-12)
    assert refit.pairs[0].p_value == pytest.approx(best.pairs[0].p_value, abs=0.1)


def test_documents_are_units() -> None:
    human, metrics = made(6)
    documents = np.repeat(np.arange(12), 5)
    result = outscore.meta(human, metrics, clusters=documents.tolist())
    assert (result.unit, result.n_units) == ("document", 12)
    assert outscore.meta(human, metrics).unit == "segment"


def test_other_systems_need_scores_of_systems() -> None:
    human, metrics = made(8, s=6)
    with pytest.raises(NotApplicableError, match="no scores of single systems"):
        outscore.meta(human, metrics, statistic="kendall-item", systems="sampled")
    for statistic in ("acc-t", "spa", "pearson", "pearson-system", "kendall-system", "pairwise-accuracy"):
        fixed = outscore.meta(human, metrics, statistic=statistic, n_resamples=FEW)
        sampled = outscore.meta(human, metrics, statistic=statistic, systems="sampled")
        for metric in fixed:
            assert sampled[metric.name].score == pytest.approx(metric.score, abs=1e-9)
        assert (sampled.unit, sampled.n_units) == ("system", 6)
        assert sampled.pairs[0].p_value * 2**6 == pytest.approx(round(sampled.pairs[0].p_value * 2**6))
        assert sampled.warnings


def test_swaps_of_systems_are_plain_enumeration() -> None:
    human, metrics = made(9, s=6)
    of_people = human.mean(axis=0)
    a, b = (scipy.stats.zscore(metrics[name].mean(axis=0)) for name in ("a", "b"))

    def gain(bits: int) -> float:
        swapped = np.array([bits >> k & 1 for k in range(6)], dtype=bool)
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        return float(np.corrcoef(of_people, one)[0, 1] - np.corrcoef(of_people, other)[0, 1])

    gains = np.array([gain(bits) for bits in range(2**6)])
    expected = (np.abs(gains) >= abs(gains[0]) - 1e-12).mean()
    result = outscore.meta(human, metrics, statistic="pearson-system", systems="sampled")
    assert result.pairs[0].p_value == pytest.approx(expected, abs=1e-12)


def test_averages_have_weights() -> None:
    human, metrics = made(10)
    one, other = (outscore.meta(human, metrics, statistic=name, n_resamples=FEW) for name in ("acc-t", "spa"))
    both = outscore.meta(human, metrics, statistic=["acc-t", "spa"], weights={"spa": 3}, n_resamples=FEW)
    for metric in both:
        expected = (one[metric.name].score + 3 * other[metric.name].score) / 4
        assert metric.score == pytest.approx(expected, abs=1e-12)
        assert metric.tasks == pytest.approx({"acc-t": one[metric.name].score, "spa": other[metric.name].score})
    assert [task.weight for task in both.tasks] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "acc"}, "unknown statistic"),
        ({"epsilon": -1}, "0 or more"),
        ({"epsilon": 0.1, "statistic": "spa"}, "applies only to acc-t"),
        ({"emulate": "sacrebleu"}, "expected mtme"),
        ({"weights": {"x": 1}}, "expected a task"),
        ({"weights": {"acc-t": -1}}, "0 or more"),
        ({"systems": "random"}, "fixed"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    human, metrics = made(0)
    with pytest.raises(OptionError, match=message):
        outscore.meta(human, metrics, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_ties_of_systems_are_not_broken_by_rounding(seed: int) -> None:
    """Totals of whole numbers often tie, and standardised scores do not sum to exactly the same."""
    rng = np.random.default_rng(seed)
    human, scores = (rng.integers(0, 4, (30, 7)) + 0.1 for _ in range(2))
    for values in (human, scores):
        values[:, 1] = rng.permutation(values[:, 0])
        values[:, 4] = rng.permutation(values[:, 3])
    x, y = ((10 * values).round().sum(axis=0) for values in (human, scores))
    expected = {
        "spearman-system": scipy.stats.spearmanr(x, y).statistic,
        "kendall-system": scipy.stats.kendalltau(x, y).statistic,
        "kendall-c-system": scipy.stats.kendalltau(x, y, variant="c").statistic,
        "pairwise-accuracy": np.mean(
            [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i in range(7) for j in range(i)]
        ),
    }
    for statistic, value in expected.items():
        found = outscore.meta(human, {"a": scores}, statistic=statistic, n_resamples=FEW)
        assert found[0].score == pytest.approx(value, abs=1e-12)
        sampled = outscore.meta(human, {"a": scores}, statistic=statistic, systems="sampled")
        assert sampled[0].score == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("statistic", ["spearman", "kendall", "kendall-c", "pearson"])
def test_all_swaps_of_systems(statistic: str, tied: bool) -> None:
    human, metrics = made(12, s=5)
    if tied:
        human[:, 1] = human[::-1, 0]
        for scores in metrics.values():
            scores[:, 1] = scores[::-1, 0]
    people, a, b = human.mean(axis=0), *(scipy.stats.zscore(of.mean(axis=0)).round(10) for of in metrics.values())
    functions: dict[str, Callable[[Any, Any], float]] = {
        "spearman": lambda x, y: scipy.stats.spearmanr(x, y).statistic,
        "kendall": lambda x, y: scipy.stats.kendalltau(x, y).statistic,
        "kendall-c": lambda x, y: scipy.stats.kendalltau(x, y, variant="c").statistic,
        "pearson": lambda x, y: scipy.stats.pearsonr(x, y).statistic,
    }
    score = functions[statistic]
    gains = []
    for bits in range(2**5):
        swapped = np.array([bits >> k & 1 for k in range(5)], dtype=bool)
        gains.append(score(people, np.where(swapped, b, a)) - score(people, np.where(swapped, a, b)))
    expected = (np.abs(gains) >= abs(gains[0]) - 1e-9).mean()
    result = outscore.meta(human, metrics, statistic=f"{statistic}-system", systems="sampled")
    assert result.pairs[0].p_value == pytest.approx(expected, abs=1e-12)


def test_swaps_of_twenty_systems_are_exact() -> None:
    human, metrics = made(13, n=30, s=20)
    for statistic in ("acc-t", "pearson-system"):
        p = outscore.meta(human, metrics, statistic=statistic, systems="sampled").pairs[0].p_value * 2**20
        assert p == round(p)
    many = {f"{name}{k}": scores + k * np.sin(scores) for name, scores in metrics.items() for k in range(3)}
    result = outscore.meta(human, many, statistic="kendall-system", systems="sampled", n_resamples=FEW)
    assert result.notes[-1] == "Swaps are sampled: each pair of metrics has 2^20."
    assert all((pair.p_value * (FEW + 1)) % 1 == pytest.approx(0, abs=1e-6) for pair in result.pairs)


def test_acc_t_with_missing_scores_is_the_same_for_other_systems() -> None:
    human, metrics = made(14)
    rng = np.random.default_rng(0)
    human[rng.random(human.shape) < 0.2] = np.nan
    for scores in metrics.values():
        scores[rng.random(human.shape) < 0.2] = np.nan
    fixed, sampled = (outscore.meta(human, metrics, systems=systems) for systems in ("fixed", "sampled"))
    for metric in fixed:
        assert sampled[metric.name].score == pytest.approx(metric.score, abs=1e-12)
        both = np.where(np.isfinite(metrics[metric.name]), human, np.nan)
        expected = acc_t(both, metrics[metric.name], metric.epsilon or 0.0)
        assert metric.score == pytest.approx(expected, abs=1e-12)
    assert fixed.tasks[0].n_segments == sampled.tasks[0].n_segments
    assert any("these segments" in note for note in sampled.notes)


def test_what_does_not_count_is_said() -> None:
    human, metrics = made(15)
    human[:4] = 1.0
    metrics["b"][4:6] = 2.0
    notes = outscore.meta(human, metrics, statistic="kendall-item").notes
    assert notes == (
        "4 of 60 segments do not count: people gave them equal scores.",
        "b has equal or no scores in 2 segments more, which do not count for it.",
    )
    metrics["b"][10, 0] = np.nan
    (note,) = outscore.meta(human, metrics, statistic="kendall-system", n_resamples=FEW).notes
    assert note == "b has no score of 1 rated output, so that its means are over fewer outputs."


def test_labels_are_not_averaged_with_scores() -> None:
    human, metrics = made(0)
    with pytest.raises(OptionError, match="labels"):
        outscore.meta(human, metrics, statistic=["kendall-item", "agreement"])
    many = np.arange(5000.0)
    with pytest.raises(DataError, match="at most 6,710 labels, got 10,000"):
        outscore.meta(many, {"a": many + 0.5}, statistic="kappa")


def test_kappa_of_many_labels_is_scikit_learns() -> None:
    cohen_kappa_score = _scikit_learn().cohen_kappa_score

    rng = np.random.default_rng(3)
    human = rng.integers(0, 60, 200).astype(float)
    judge = np.where(rng.random(200) < 0.7, human, rng.integers(0, 60, 200))
    [found] = outscore.meta(human, {"a": judge}, statistic="kappa", n_resamples=FEW)
    assert found.score == pytest.approx(cohen_kappa_score(judge, human))


def test_intervals_are_within_the_range_of_scores() -> None:
    human, metrics = made(16, n=12)
    close = {"a": human + 1e-3 * metrics["a"], "b": metrics["b"]}
    for statistic in ("acc-t", "preference", "kendall-item", "pearson-item"):
        for metric in outscore.meta(human, close, statistic=statistic):
            assert -1 <= metric.interval.low <= metric.interval.high <= 1


@pytest.mark.parametrize(
    "statistic", ["spa", "pearson-system", "kendall-system", "kendall-item", "acc-t", "preference"]
)
def test_one_system_is_not_enough(statistic: str) -> None:
    human, metrics = made(0)
    one = {name: scores[:, :1] for name, scores in metrics.items()}
    with pytest.raises(DataError, match="expected at least"):
        outscore.meta(human[:, :1], one, statistic=statistic)
    if statistic != "acc-t":
        with pytest.raises(DataError, match="expected human scores that differ"):
            outscore.meta(np.ones_like(human), metrics, statistic=statistic)


def test_the_bootstrap_by_default_is_not_advised_against() -> None:
    human, metrics = made(0, n=15)
    by_default = outscore.meta(human, metrics, statistic="spa", n_resamples=FEW)
    assert "With 15 segments the bootstrap has too many false positives." in by_default.warnings
    chosen = outscore.meta(human, metrics, tests="bootstrap", n_resamples=FEW)
    assert any("default test" in warning for warning in chosen.warnings)
    assert not any("system" in warning for warning in (*by_default.warnings, *chosen.warnings))
    one = outscore.meta(human, {"a": metrics["a"]}, statistic="spa", n_resamples=FEW)
    assert one.signature.startswith(f"interval:symmetric|level:0.95|r:{FEW}|")


def test_other_systems_are_tested_by_swaps_only() -> None:
    human, metrics = made(0)
    with pytest.raises(NotApplicableError, match="randomization"):
        outscore.meta(human, metrics, systems="sampled", tests="bootstrap")
    named, by_default = (
        outscore.meta(human, metrics, systems="sampled", tests=one) for one in ("randomization", "auto")
    )
    assert named.pairs[0].p_value == by_default.pairs[0].p_value


def test_weights_of_tasks() -> None:
    human, metrics = made(0)
    alone = outscore.meta(human, metrics)
    assert outscore.meta(human, metrics, weights={"acc-t": 2})["a"].score == alone["a"].score
    both = outscore.meta(human, metrics, statistic="spa, acc-t", weights={"spa": 0}, epsilon=0, n_resamples=FEW)
    assert both["a"].score == outscore.meta(human, metrics, epsilon=0)["a"].score
