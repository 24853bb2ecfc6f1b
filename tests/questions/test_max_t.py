"""max-T, P(best) and the covariances that they are drawn from, against plain versions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

import outscore
from outscore import Rows
from outscore._types import AnyArray, FloatArray
from outscore.design.templates import Templates
from outscore.metrics import F1, Mean, Metric
from outscore.questions.ranks import max_t as max_t_module
from tests.kit import NormalDraws, RankingSettings, RunDesign, Runs, rank_scores
from tests.scored import scored
from tests.significance.kit import Crossing, Leverage, Pair, Pairs, covariance_of_levels, gain_variance
from tests.significance.plain import plain_p_value

DRAWS = 100_000


def scores_of(s: int, n: int, seed: int = 1, spread: float = 1.0) -> dict[str, FloatArray]:
    """Systems whose items are correlated, and whose differences are skewed."""
    rng = np.random.default_rng(seed)
    shared = rng.exponential(size=n)
    return {f"s{k}": shared + spread * rng.exponential(size=n) + 0.12 * k for k in range(s)}


def plain_max_t(
    systems: dict[str, FloatArray], p_values: dict[frozenset[str], float], own_share: float, *, skewed: bool = True
) -> Any:
    """Single-step shares of each step of max-T from plain normal draws, made step-down as Westfall & Young do."""
    names = list(systems)
    values = np.array(list(systems.values()))
    n = values.shape[1]
    u = (values - values.mean(axis=1, keepdims=True)) / np.sqrt(n * (n - 1))
    rng = np.random.default_rng(5)
    errors = np.linalg.cholesky(u @ u.T) @ rng.standard_normal((len(u), DRAWS))
    drawn, thresholds = {}, {}
    for i, one in enumerate(names):
        for j, other in enumerate(names[:i]):
            d = u[i] - u[j]
            m = (d**2).sum() ** 2 / (d**4).sum()
            own = min(own_share / m, 1.0)
            common = (errors[i] - errors[j]) / np.sqrt(d @ d)
            key = frozenset((one, other))
            drawn[key] = np.abs(np.sqrt(1 - own) * common + np.sqrt(own) * rng.standard_normal(DRAWS))
            kappa, t = (d**3).sum() / (d @ d) ** 1.5, (values[i].mean() - values[j].mean()) / np.sqrt(d @ d)
            entering = (
                plain_p_value(float(t), float(kappa), float(m), n - 1, cautious=True) if skewed else p_values[key]
            )
            thresholds[key] = -float(ndtri(max(entering, p_values[key]) / 2))
    left = sorted(thresholds, key=lambda key: thresholds[key])
    found = {}
    largest = np.zeros(DRAWS)
    for key in left:
        largest = np.maximum(largest, drawn[key])
        found[key] = max(float((largest >= thresholds[key]).mean()), p_values[key])
    highest = 0.0
    for key in reversed(left):
        highest = max(highest, found[key])
        found[key] = highest
    return found


def corrected(ranking: outscore.Ranking) -> dict[frozenset[str], float]:
    return {frozenset((pair.baseline, pair.candidate)): float(pair.p_maxt or 0) for pair in ranking.pairs}


def far_off(found: dict[frozenset[str], float], expected: dict[frozenset[str], float], r: int) -> float:
    """By how many standard errors of the two samples of draws the largest difference is off."""
    return max(
        abs(found[key] - p) / math.sqrt(max(p * (1 - p), 1e-4) * (1 / r + 1 / DRAWS)) for key, p in expected.items()
    )


@pytest.mark.parametrize("n", [12, 40, 400])
def test_max_t_is_the_plain_one(n: int) -> None:
    """15 pairs; 4.8 standard errors are a false alarm in 40,000 sets of draws, and both seeds are fixed."""
    systems = scores_of(6, n)
    ranking = outscore.rank(systems, n_resamples=DRAWS)
    p_values = {frozenset((pair.baseline, pair.candidate)): pair.p_value for pair in ranking.pairs}
    found = corrected(ranking)
    assert far_off(found, plain_max_t(systems, p_values, 6.0), ranking.n_resamples) < 4.8
    # Without a share of its own each pair would hang on the others too much.
    if n < 400:
        assert far_off(found, plain_max_t(systems, p_values, 0.0), ranking.n_resamples) > 4.8


def test_max_t_of_binary_scores_starts_from_exact_p_values() -> None:
    rng = np.random.default_rng(8)
    hard = rng.normal(size=300)
    systems = {f"s{k}": (hard + 0.5 * rng.normal(size=300) < 0.15 * k).astype(float) for k in range(5)}
    ranking = outscore.rank(systems, n_resamples=DRAWS)
    assert ranking.tests == ("randomization",)
    p_values = {frozenset((pair.baseline, pair.candidate)): pair.p_value for pair in ranking.pairs}
    expected = plain_max_t(systems, p_values, 6.0, skewed=False)
    assert far_off(corrected(ranking), expected, ranking.n_resamples) < 4.8
    for pair in ranking.pairs:
        assert pair.exact
        assert pair.p_value <= float(pair.p_maxt or 0) <= pair.p_holm + 0.01


def test_max_t_depends_on_the_seed_alone() -> None:
    systems = scores_of(6, 50)
    once = outscore.rank(systems)
    assert outscore.rank(systems) == once
    other = outscore.rank(systems, seed=1)
    assert other != once
    assert corrected(other) == pytest.approx(corrected(once), abs=0.02)
    order = np.random.default_rng(2).permutation(50)
    shuffled = {name: systems[name][order] for name in reversed(systems)}
    assert corrected(outscore.rank(shuffled)) == corrected(once)


def test_one_pair_pays_nothing() -> None:
    (pair,) = outscore.rank(scores_of(2, 30), n_resamples=DRAWS).pairs
    assert pair.p_value == pair.p_maxt == pair.p_holm


@pytest.mark.parametrize("exponent", [130, -130, 500, -500, 900, -900])
@pytest.mark.parametrize("strata", [None, np.repeat([0, 1], 20)], ids=["items", "strata"])
def test_no_p_value_depends_on_the_scale_of_the_scores(exponent: int, strata: AnyArray | None) -> None:
    """Numbers this large or small are beyond what readers accept, and beyond the range of single precision."""
    every = [np.column_stack([values, np.ones(40)]) for values in scores_of(6, 40).values()]

    def found(scale: float) -> Any:
        systems = [Rows(f"s{k}", rows * [scale, 1]) for k, rows in enumerate(every)]
        (ranking,) = rank_scores(scored(Mean(), systems, strata=strata), RankingSettings())
        pairs = [(pair.p_value, pair.p_maxt, pair.p_holm, pair.interval.low / scale) for pair in ranking.pairs]
        return pairs, [(system.name, system.p_best, system.group) for system in ranking.systems]

    assert found(2.0**exponent) == found(1.0)


def test_p_best_is_the_share_of_normal_draws_in_which_a_system_is_best() -> None:
    """4.5 standard errors: a false alarm in 10⁵ sets of draws."""
    systems = scores_of(5, 60)
    ranking = outscore.rank(systems, n_resamples=DRAWS)
    values = np.array([systems[system.name] for system in ranking.systems])
    draws = np.random.default_rng(3).multivariate_normal(values.mean(axis=1), np.cov(values) / 60, size=DRAWS)
    shares = np.bincount(draws.argmax(axis=1), minlength=5) / DRAWS
    for system, share in zip(ranking.systems, shares, strict=True):
        error = np.sqrt(0.25 * (1 / ranking.n_resamples + 1 / DRAWS))
        assert system.p_best == pytest.approx(share, abs=4.5 * error)


def test_draws_have_the_covariance_that_was_asked() -> None:
    root = np.random.default_rng(6).normal(size=(4, 4))
    covariance = root @ root.T
    draws = NormalDraws(covariance, 3)
    errors = np.concatenate([draws.errors(block) for block in range(12)], axis=1)
    np.testing.assert_allclose(np.cov(errors), covariance, atol=0.05 * float(np.diag(covariance).max()))


def crossing_of(metric: Metric, n_runs: int, n_templates: int, *, paired: bool) -> Crossing:
    """Four systems of several runs, or templates too, with effects of items, runs and templates."""
    rng = np.random.default_rng(9)
    n, shape = 40, (n_runs,) if n_templates == 1 else (n_runs, n_templates)
    hard, shared = rng.normal(size=n), rng.normal(0, 0.2, shape)
    systems = []
    for _ in range(4):
        own = shared if paired or n_templates > 1 else rng.normal(0, 0.2, shape)
        values = hard + own[..., None] + rng.normal(0, 0.5, (*shape, n))
        if isinstance(metric, F1):
            found = np.rint(np.exp(values))
            others = (found + rng.poisson(1, found.shape) for _ in range(2))
            systems.append(np.stack([found, *others], axis=-1))
        else:
            systems.append(np.stack([values, np.ones_like(values)], axis=-1))
    factors = (Runs(RunDesign.RANDOM, paired), Templates(RunDesign.RANDOM))[: len(shape)]
    return Crossing(metric, factors, tuple(systems))


@pytest.mark.parametrize("metric", [Mean(), F1()], ids=lambda metric: metric.name)
@pytest.mark.parametrize(
    ("n_runs", "n_templates", "paired"), [(3, 1, False), (6, 1, False), (6, 1, True), (3, 4, False)]
)
def test_covariances_over_levels_give_the_variance_of_each_gain(
    metric: Metric, n_runs: int, n_templates: int, paired: bool
) -> None:
    """A pair's variance from the covariances of scores is V_I + V_R (and V_T), less the interaction counted twice."""
    crossing = crossing_of(metric, n_runs, n_templates, paired=paired)
    over = tuple(range(len(crossing.factors)))
    for i in range(4):
        for j in range(i):
            contrast = np.zeros(4)
            contrast[[i, j]] = 1, -1
            one, other = (crossing.systems[k].mean(axis=over) for k in (j, i))
            pair = Pair(metric, one, other, crossing=crossing.of(j, i))
            known, covariance = gain_variance(pair), covariance_of_levels(crossing, Leverage(pair.sizes))
            beyond = known.total - known.items
            found = float(contrast @ covariance @ contrast)
            if all(of.beyond_items > 0 for of in known.factors):
                assert found == pytest.approx(beyond, rel=1e-9)
            else:
                assert found <= beyond + 1e-12


def test_random_runs_make_p_best_less_sure() -> None:
    rng = np.random.default_rng(10)
    items = rng.normal(size=200)
    systems = {
        name: items[:, None] + gain + rng.normal(0, 0.3, 5) + rng.normal(0, 0.2, (200, 5))
        for name, gain in (("a", 0.0), ("b", 0.15))
    }
    fixed, drawn = (outscore.rank(systems, runs=runs) for runs in ("fixed", "random"))
    assert (fixed.correction, drawn.correction) == ("max-t", "holm")
    assert fixed.systems[0].p_best > drawn.systems[0].p_best
    # One pair: P(best) is Φ(gain/error), of which 4.5 standard errors are a false alarm in 10⁵.
    [pair] = drawn.pairs
    compared = outscore.compare({name: systems[name] for name in (pair.baseline, pair.candidate)}, runs="random")
    statistic = compared.comparisons[0].test.statistic
    assert statistic is not None
    error = 4.5 * np.sqrt(0.25 / 100_000)
    assert drawn.systems[0].p_best == pytest.approx(float(norm.cdf(statistic)), abs=error + 0.02)
    assert pair.p_maxt is None


def test_scores_of_systems_with_no_spread_are_drawn_as_they_are() -> None:
    constant: dict[str, AnyArray] = {"a": np.full(20, 0.4), "b": np.full(20, 0.5), "c": np.full(20, 0.5)}
    ranking = outscore.rank(constant)
    shares = {system.name: system.p_best for system in ranking.systems}
    assert shares["a"] == 0
    assert shares["b"] == shares["c"] == 0.5


@pytest.mark.parametrize("effective", [1e9, 300.0, 20.0])
def test_high_values_alone_give_the_counts_of_all_pairs(effective: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same samples without noise of the pairs' own; with it, within five standard errors of 16,384 others."""
    rng = np.random.default_rng(0)
    scores = np.sign(rng.normal(size=(60, 200)) + rng.normal(size=200) + np.linspace(-0.4, 0.4, 60)[:, None])
    scores[7] = scores[8]
    scores[7, :3] *= -1  # a pair of little variance
    covariance = np.cov(scores) / 200
    better, worse = np.triu_indices(60, 1)
    variance = np.diag(covariance)[better] + np.diag(covariance)[worse] - 2 * covariance[better, worse]
    gains = scores.mean(axis=1)[better] - scores.mean(axis=1)[worse]
    p = 2 * norm.sf(np.abs(gains) / np.sqrt(variance))
    pairs = Pairs(better, worse, gains, np.zeros(len(gains)))
    found = []
    for many in (10**9, 100):
        monkeypatch.setattr(max_t_module, "_MANY_PAIRS", many)
        monkeypatch.setattr(max_t_module, "_HIGH", 1.0)
        effectives = np.full(len(gains), effective)
        draws = NormalDraws(covariance, 1)
        found.append(max_t_module.max_t(p, p, pairs, draws, effectives, two_sided=True, alpha=0.05, most=16_384))
    if effective != 300:  # noise of 20 units reaches too far for records
        assert np.array_equal(found[0].p_values, found[1].p_values)
    else:
        one, other = found[0].p_values, found[1].p_values
        assert (np.abs(one - other) <= 5 * np.sqrt(2 * one * (1 - one) / 16_384) + 1e-4).all()
        assert not np.array_equal(one, other)
