"""Strata: what one unit less of each gives by every way, t within strata, and strata of one unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore import F1, Labels, Mean, Ratio, Rows
from outscore.data.strata import scales
from outscore.design import Design, Units
from outscore.results import Alternative, Estimator, Method
from outscore.significance import PairedT, Resampling
from outscore.significance.intervals import _jackknife
from tests.laws.kit import BootstrapScheme, shard_stream
from tests.significance.kit import GainLaws, Hypothesis, Pair, SystemTable

TWO_SIDED, GREATER, LESS = Alternative.TWO_SIDED, Alternative.GREATER, Alternative.LESS
SIZES = (3, 7, 2, 12, 5)
STRATA = np.repeat(np.arange(len(SIZES)), SIZES)
N = len(STRATA)
RNG = np.random.default_rng(17)


def pair_of(d: Any, shared: Any = None, strata: Any = STRATA) -> Pair:
    metric = Mean() if shared is None else Ratio()
    shared = np.ones(len(d)) if shared is None else shared
    return Pair(metric, np.column_stack([np.zeros(len(d)), shared]), np.column_stack([d, shared]).astype(float), strata)


def unbiased_variance(values: Any, strata: Any = STRATA) -> float:
    """Of the sum of all: Σ n_h s_h²."""
    return float(sum(np.sum(strata == h) * np.var(values[strata == h], ddof=1) for h in np.unique(strata)))


def test_the_oracle_by_size_weights() -> None:
    """d = (1, 1, −1), (1, 0): one draw of two weighs 2, two of three 3/2. By size the gain is ⅖, and p = P(δ* ≥ ⅘)."""
    result = outscore.compare([0] * 5, [1, 1, -1, 1, 0], strata=list("xxxyy"), tests="bootstrap", alternative="greater")
    law: dict[Fraction, Fraction] = {}
    for one in (1, 1, -1):
        for two in (1, 1, -1):
            for other in (1, 0):
                gain = Fraction(3, 2) * (one + two) / 5 + 2 * Fraction(other) / 5
                law[gain] = law.get(gain, Fraction(0)) + Fraction(1, 18)
    true = sum(mass for gain, mass in law.items() if gain >= Fraction(4, 5))
    assert result.comparisons[0].test.p_value == pytest.approx(float(true), rel=1e-12)
    assert sum(gain * mass for gain, mass in law.items()) == Fraction(2, 5)


@pytest.mark.parametrize("kind", ["whole", "real"])
def test_the_variance_of_a_resampled_gain_is_the_unbiased_one(kind: str) -> None:
    """20,000 resamples tell a variance to 1%: 4.5 standard errors of it; the exact law's spread is it."""
    d = RNG.integers(-3, 4, N).astype(float) if kind == "whole" else RNG.exponential(size=N)
    pair = pair_of(d)
    gains = GainLaws([pair], Resampling(Method.MONTE_CARLO, seed=3)).gains(20_000, swapped=False)
    true = unbiased_variance(d) / N**2
    assert gains.var() == pytest.approx(true, rel=0.06)
    assert abs(gains.mean() - pair.gain) < 4.5 * np.sqrt(true / 20_000)
    law: Any = GainLaws([pair], Resampling()).law()
    if law.exact:
        assert law.spread() == pytest.approx(np.sqrt(true), rel=1e-9)


def test_rankings_know_the_unbiased_errors() -> None:
    systems = [Rows(name, np.column_stack([RNG.normal(size=N), np.ones(N)])) for name in "abc"]
    table = SystemTable(Mean(), [system.values for system in systems], STRATA)
    variances, (covariance, unit) = np.asarray(table.spreads().variance), table.covariance()
    covariance = covariance * unit**2
    for variance, one, other in zip(variances, table.pairs.better, table.pairs.worse, strict=True):
        d = table.rows[one][:, 0] - table.rows[other][:, 0]
        assert variance == pytest.approx(unbiased_variance(d) / N**2)
        assert covariance[one, one] + covariance[other, other] - 2 * covariance[one, other] == pytest.approx(variance)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_ranks_of_right_or_wrong_systems_are_what_comparisons_are(test: str) -> None:
    right = {name: RNG.integers(0, 2, N).astype(float) for name in "abc"}
    ranking = outscore.rank(right, metric="accuracy", strata=STRATA.tolist(), tests=test, n_resamples=500)
    for pair in ranking.pairs:
        one = outscore.compare(
            right[pair.baseline],
            right[pair.candidate],
            metric="accuracy",
            strata=STRATA.tolist(),
            tests=test,
            alternative="two-sided",
        ).comparisons[0]
        assert pair.exact
        assert pair.p_value == pytest.approx(one.test.p_value, rel=1e-9)


def test_one_stratum_of_all_items_is_none() -> None:
    d = RNG.normal(size=20).tolist()
    alone, none = (
        outscore.compare([0.0] * 20, d, strata=strata, tests=["bootstrap", "paired-t"], alternative="two-sided")
        for strata in (["all"] * 20, None)
    )
    assert alone.comparisons[0].tests == none.comparisons[0].tests
    assert alone.comparisons[0].interval == none.comparisons[0].interval


@pytest.mark.parametrize("alternative", list(Alternative))
def test_paired_t_within_strata_is_satterthwaites(alternative: Alternative) -> None:
    d = RNG.normal(0.2, 1, N) + STRATA
    d -= 1.5
    variances = np.array([np.var(d[h == STRATA], ddof=1) * size / N**2 for h, size in enumerate(SIZES)])
    t = d.mean() / np.sqrt(variances.sum())
    degrees = variances.sum() ** 2 / (variances**2 / (np.array(SIZES) - 1)).sum()
    true = {GREATER: stats.t.sf(t, degrees), LESS: stats.t.cdf(t, degrees), TWO_SIDED: 2 * stats.t.sf(abs(t), degrees)}
    found = PairedT().p_value(pair_of(d), GainLaws([], Resampling()), Hypothesis(alternative))
    assert found.statistic == pytest.approx(t)
    assert found.probability == pytest.approx(true[alternative], rel=1e-9)


def test_two_strata_of_one_size_are_welchs_t() -> None:
    one, other = RNG.normal(size=8), RNG.normal(0.5, 2, 8)
    spread = pair_of(np.concatenate([one, -other]), strata=np.repeat([0, 1], 8)).spread
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert spread.design_degrees == pytest.approx(welch.df)
    assert (one.mean() - other.mean()) / 2 / np.sqrt(spread.variance) == pytest.approx(welch.statistic)


def test_strata_that_cancel_without_any_spread_are_no_gain() -> None:
    d = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    strata = np.repeat([0, 1], 3)
    for alternative in Alternative:
        found = PairedT().p_value(pair_of(d, strata=strata), GainLaws([], Resampling()), Hypothesis(alternative))
        assert (found.statistic, found.probability) == (0.0, 1.0)


@pytest.mark.parametrize("weights", ["equal", "unequal"])
@pytest.mark.parametrize("strata", [None, STRATA], ids=["items", "strata"])
@pytest.mark.parametrize("alternative", list(Alternative))
def test_limits_of_t_are_where_its_p_value_is_alpha(weights: str, strata: Any, alternative: Alternative) -> None:
    shared = np.ones(N) if weights == "equal" else RNG.lognormal(0, 0.4, N)
    pair = pair_of(shared * RNG.normal(0.3, 1, N), shared, strata)
    laws = GainLaws([], Resampling())
    interval = PairedT().interval(pair, laws, 0.1, Hypothesis(alternative), Estimator.ADD_ONE)
    assert interval is not None
    assert interval.low < pair.gain < interval.high
    assert [np.isinf(interval.low), np.isinf(interval.high)] == [alternative is LESS, alternative is GREATER]
    for end in (interval.low, interval.high):
        if np.isfinite(end):
            asked = Hypothesis(alternative, null_gain=end)
            assert PairedT().p_value(pair, laws, asked).probability == pytest.approx(0.1, rel=1e-6)


def test_the_acceleration_of_bca_is_that_of_the_law_within_strata() -> None:
    strata = np.repeat([0, 1, 2], [10, 30, 160])
    d = RNG.exponential(size=200) + 3 * strata
    influence = _jackknife(pair_of(d, strata=strata))
    multiples, divisor = scales(strata)
    second = third = 0.0
    for h in range(3):
        own, weight = d[strata == h] - d[strata == h].mean(), multiples[strata == h][0] / divisor
        second += weight**2 * (len(own) - 1) * (own**2).mean()
        third += weight**3 * (len(own) - 1) * (own**3).mean()
    assert (influence**3).sum() / (influence**2).sum() ** 1.5 == pytest.approx(third / second**1.5, rel=0.02)


ONE_UNIT = [
    (list("aabbbc"), None, 'strata: stratum "c" has one item'),
    (list("aabcde"), None, '4 strata have one item each: "b", "c", "d" and 1 more'),
    (list("aabbcc"), [0, 0, 1, 2, 3, 4], 'stratum "a" has one cluster'),
]


@pytest.mark.parametrize(("strata", "clusters", "told"), ONE_UNIT)
def test_strata_of_one_unit_are_named(strata: list[str], clusters: Any, told: str) -> None:
    for run in (outscore.compare, lambda a, b, **labels: outscore.rank({"a": a, "b": b}, **labels)):
        with pytest.raises(outscore.DataError) as error:
            run([1, 2, 3, 4, 5, 6], [2, 2, 3, 5, 5, 7], strata=strata, clusters=clusters)
        assert told in str(error.value)
        assert str(error.value).endswith("[one-unit-stratum]")
    assert "collapse_strata=True" in str(error.value)


def test_codes_without_names_are_refused_as_well() -> None:
    with pytest.raises(outscore.DataError, match=r'stratum "1" has one item.*one-unit-stratum'):
        Units(4, strata=np.array([0, 0, 1, 0]))


@pytest.mark.parametrize(
    ("strata", "clusters", "codes", "note"),
    [
        ("aabbbc", None, [0, 0, 1, 1, 1, 0], 'Stratum "c" has one item and was merged with "a", the smallest.'),
        ("abccdc", None, [0, 0, 1, 1, 0, 1], '3 strata of one item each were merged into one: "a", "b", "d".'),
        ("abcdef", None, [0] * 6, '6 strata of one item each were merged into one: "a", "b", "c" and 3 more.'),
        ("aabbcc", [0, 0, 1, 1, 2, 3], [0, 0, 0, 0, 1, 1], "2 strata of one cluster each"),
        ("aaabbb", None, [0, 0, 0, 1, 1, 1], None),
    ],
)
def test_strata_of_one_unit_can_be_merged(strata: str, clusters: Any, codes: list[int], note: str | None) -> None:
    groups = None if clusters is None else Labels("clusters", tuple(map(str, clusters)))
    labels = Labels("strata", tuple(strata), collapse=True)
    design, notes = Design.of_items(Rows("x", np.ones((6, 1))), groups, labels)
    assert design.strata is not None
    assert design.strata.tolist() == codes
    assert len(design.stratum_names) == len(set(codes))
    assert (not notes) if note is None else any(text.startswith(note) for text in notes)


def test_merged_strata_are_told_in_the_result() -> None:
    given: dict[str, Any] = {"strata": list("aabbbc"), "collapse_strata": True}
    compared = outscore.compare([1, 2, 3, 4, 5, 6], [2, 2, 3, 5, 5, 7], **given)
    ranked = outscore.rank({"a": [1, 2, 3, 4, 5, 6], "b": [2, 2, 3, 5, 5, 7]}, n_resamples=100, **given)
    for warnings in (compared.comparisons[0].warnings, ranked.warnings):
        assert any("was merged with" in warning for warning in warnings)
    with pytest.raises(outscore.OptionError, match="no-strata"):
        outscore.compare([1, 2], [2, 2], collapse_strata=True)


def test_resamples_of_f1_are_those_of_weighted_rows() -> None:
    """Against the definition: weights times n_h/(n_h − 1) on the rows, from the draws that the scheme makes."""
    gold = RNG.poisson(2, N)
    rows = []
    for _ in range(2):
        tp = RNG.binomial(gold, 0.7)
        rows.append(np.column_stack([tp, tp + RNG.poisson(0.5, N), gold]).astype(float))
    pair = Pair(F1(), rows[0], rows[1], STRATA)
    found = GainLaws([pair], Resampling(Method.MONTE_CARLO, seed=5)).gains(60, swapped=False)
    scheme = BootstrapScheme(N, STRATA)
    weights = scheme.weights(shard_stream(5, 1, 0), scheme.shard)[:60].astype(float)
    sizes = np.array(SIZES)[STRATA]
    totals = [(weights * sizes / (sizes - 1)) @ part for part in rows]
    expected = F1().score(totals[1]) - F1().score(totals[0])
    assert found == pytest.approx(expected, abs=1e-12)


def test_influences_within_strata_have_the_unbiased_variance() -> None:
    """Of means of equal weights the t-test by influences is the paired one; of ratios the residuals' variance."""
    d = RNG.normal(size=N) + STRATA
    pair = pair_of(d)
    spread = pair.spread
    variances = np.array([np.var(d[h == STRATA], ddof=1) * size / N**2 for h, size in enumerate(SIZES)])
    assert spread.variance == pytest.approx(variances.sum())
    degrees = variances.sum() ** 2 / (variances**2 / (np.array(SIZES) - 1)).sum()
    assert spread.design_degrees == pytest.approx(degrees)
    lengths = RNG.lognormal(0, 1, N)
    ratio = pair_of(d * lengths, lengths)
    residuals = d * lengths - ratio.gain * lengths
    assert ratio.spread.variance == pytest.approx(unbiased_variance(residuals) / lengths.sum() ** 2)


def test_the_default_test_within_strata_is_one_however_many_they_are() -> None:
    strata = list(range(20)) * 3
    for times in (1, 2, 4):
        d = RNG.normal(size=60 * times)
        found = outscore.compare([0.0] * len(d), d, strata=strata * times).comparisons[0]
        assert [test.name for test in found.tests] == ["skew-t", "bootstrap"]
        assert found.interval.method == "skew-t"


def test_items_of_weight_0_are_not_counted_as_unchanged() -> None:
    one, other = np.arange(12.0), np.arange(12.0) + [1, -1, 1, 0] * 3
    strata = ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    [c] = outscore.compare(one, other, strata=strata, weights={"a": 1, "b": 1, "c": 0}).comparisons
    assert (c.helped, c.hurt, c.unchanged) == (4, 2, 2)
    assert "2 ties (17%), 4 of weight 0 (33%)" in " ".join(str(c).split())


@pytest.mark.parametrize(("twos", "warned"), [(10, True), (3, False)])
def test_skewness_is_not_seen_in_strata_of_two(twos: int, warned: bool) -> None:
    strata = [f"s{i // 2}" for i in range(2 * twos)] + ["rest"] * 10
    scores = np.random.default_rng(1).lognormal(size=(2, len(strata)))
    c = outscore.compare(*scores, strata=strata, weights="macro").comparisons[0]
    assert any("More than half of the units are in strata of two" in warning for warning in c.warnings) == warned
