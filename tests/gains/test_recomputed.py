"""Metrics without sufficient statistics: their p-values are those of their twins that have rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

from outscore import RecomputedMetric, Rows, SignificanceTest
from outscore.design import Units
from outscore.errors import NotApplicableError, OptionError
from outscore.metrics import F1, Ratio
from outscore.results import Alternative, ComparisonResult, IntervalMethod, Method, Ranking
from outscore.significance import Bootstrap, Randomization, Resampling, SkewT
from tests.kit import RankingSettings, Settings, compare_scores, output_metric, rank_scores
from tests.scored import scored
from tests.significance.kit import RecomputedPair


@dataclass(frozen=True)
class RecomputedPearson(RecomputedMetric[float, float]):
    name = "pearson-recomputed"
    higher_is_better = True
    output_type = float
    reference_type = float
    citation = "numpy.corrcoef"

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        if np.ptp(outputs) == 0 or np.ptp(references) == 0:
            return 0.0
        return float(np.corrcoef(outputs, references)[0, 1])


@dataclass(frozen=True)
class Distinct(RecomputedMetric[str, str]):
    """The number of different outputs: a metric of texts that no rows can give."""

    name = "distinct"
    higher_is_better = True
    output_type = str
    reference_type = str
    citation = "none"

    def score_of(self, outputs: Sequence[str], references: Sequence[str]) -> float:
        assert isinstance(outputs, list)
        return float(len(set(outputs)))


def numbers(n: int, seed: int = 3) -> tuple[list[float], list[float], list[float]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 12, n)
    worse, better = (gold + rng.integers(-spread, spread + 1, n) for spread in (8, 5))
    return gold.astype(float).tolist(), worse.astype(float).tolist(), better.astype(float).tolist()


def run(metric: Any, n: int = 60, *, clusters: Any = None, strata: Any = None, **fields: Any) -> ComparisonResult:
    gold, worse, better = numbers(n)
    systems = [Rows(name, metric.rows(outputs, gold)) for name, outputs in (("a", worse), ("b", better))]
    given = {
        "tests": [Bootstrap(), Randomization()],
        "alternative": Alternative.GREATER,
        "interval": IntervalMethod.PERCENTILE,
        "resampling": Resampling(Method.MONTE_CARLO, n_resamples=300),
        **fields,
    }
    return compare_scores(scored(metric, systems, clusters=clusters, strata=strata), Settings(**given))[0]


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(20), 3)])
@pytest.mark.parametrize("alternative", list(Alternative))
def test_recomputing_gives_what_rows_give_on_the_same_draws(clusters: Any, alternative: Alternative) -> None:
    one = run(output_metric("pearson"), clusters=clusters, alternative=alternative).comparisons[0]
    other = run(RecomputedPearson(), clusters=clusters, alternative=alternative).comparisons[0]
    assert other.gain == pytest.approx(one.gain, abs=1e-12)
    assert other.test.n_exceeding == one.test.n_exceeding
    assert (other.interval.low, other.interval.high) == pytest.approx((one.interval.low, one.interval.high))
    # Units on which the systems agree are not swapped, so that the draws of both ways are the same here, too.
    assert other.tests[1].n_exceeding == one.tests[1].n_exceeding
    assert (other.helped, other.hurt, other.unchanged, other.correlation) == (None, None, None, None)


def test_recomputing_has_the_spread_of_strata_whose_rows_are_weighted() -> None:
    """Whole units have the first two moments of weighted ones; 4,000 resamples tell an interval's width to about 2%."""
    strata = np.repeat([0, 1, 2, 3], [3, 7, 20, 30])
    asked: dict[str, Any] = {"strata": strata, "resampling": Resampling(Method.MONTE_CARLO, n_resamples=4_000)}
    one = run(output_metric("pearson"), **asked).comparisons[0]
    other = run(RecomputedPearson(), **asked).comparisons[0]
    assert other.gain == pytest.approx(one.gain, abs=1e-12)
    assert other.interval.high - other.interval.low == pytest.approx(one.interval.high - one.interval.low, rel=0.1)
    assert other.test.p_value == pytest.approx(one.test.p_value, abs=0.03)
    assert other.tests[1].n_exceeding == one.tests[1].n_exceeding


def test_spearman_is_scipys_on_every_resample() -> None:
    gold, worse, better = numbers(30)
    metric = output_metric("spearman")
    pair = RecomputedPair(metric, metric.rows(worse, gold), metric.rows(better, gold), Units(30))
    weights = np.random.default_rng(1).multinomial(30, [1 / 30] * 30, 20)
    for drawn, gain in zip(weights, pair.gains(weights), strict=True):
        index = np.repeat(np.arange(30), drawn)
        rho = [
            stats.spearmanr(np.array(outputs)[index], np.array(gold)[index]).statistic for outputs in (worse, better)
        ]
        assert gain == pytest.approx(rho[1] - rho[0], abs=1e-12)
    assert pair.gain == pytest.approx(pair.gains(np.ones((1, 30), dtype=int))[0])


@dataclass(frozen=True)
class OneByOne(RecomputedMetric[float, float]):
    """Spearman's rank correlation, one test set at a time."""

    name = "spearman-one-by-one"
    higher_is_better = True
    output_type = float
    reference_type = float
    citation = "none"

    def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
        return float(output_metric("spearman").score_of(outputs, references))


@pytest.mark.parametrize("clusters", [None, np.sort(np.arange(60) ** 2 % 17)])
def test_scores_of_many_sets_at_once_are_those_of_one_to_the_last_bit(clusters: Any) -> None:
    units = Units(60, None if clusters is None else np.unique(clusters, return_inverse=True)[1])
    gold, worse, better = numbers(60)
    pairs = [
        RecomputedPair(metric, metric.rows(worse, gold), metric.rows(better, gold), units)
        for metric in (output_metric("spearman"), OneByOne())
    ]
    rng = np.random.default_rng(2)
    weights = rng.multinomial(units.count, [1 / units.count] * units.count, 1200)  # several blocks, of several sizes
    swaps = rng.integers(0, 2, (1200, pairs[0].n_differing))
    assert np.array_equal(pairs[0].gains(weights), pairs[1].gains(weights))
    assert np.array_equal(pairs[0].gains_after(swaps), pairs[1].gains_after(swaps))
    assert np.array_equal(pairs[0].jackknife, pairs[1].jackknife)
    for one in pairs:
        assert one.gains(weights[5:6])[0] == pairs[0].gains(weights)[5]


def test_a_set_that_cannot_be_scored_is_told() -> None:
    @dataclass(frozen=True)
    class Short(OneByOne):
        def scores_of(self, outputs: Any, references: Any) -> Any:
            return super().scores_of(outputs, references)[:1]

    @dataclass(frozen=True)
    class Spread(OneByOne):
        def score_of(self, outputs: Sequence[float], references: Sequence[float]) -> float:
            with np.errstate(invalid="ignore", divide="ignore"):
                return float(np.float64(1.0) / np.ptp(outputs))

    for metric, says in ((Short(), "for each of 9 test sets, got float64 of shape"), (Spread(), "finite score .*inf")):
        rows = metric.rows([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
        pair = RecomputedPair(metric, rows, rows, Units(3))
        with pytest.raises(OptionError, match=says):
            pair.gains(np.repeat([[1, 1, 1], [3, 0, 0], [0, 2, 1]], 3, axis=0))


def test_few_units_are_enumerated() -> None:
    metric, n = RecomputedPearson(), 5
    result = run(metric, n, resampling=Resampling(Method.EXACT))
    bootstrap, randomization = result.comparisons[0].tests
    assert bootstrap.exact
    assert randomization.exact
    gold, worse, better = (np.array(side) for side in numbers(n))

    def gain(a: Any, b: Any, references: Any) -> float:
        return metric.score_of(b, references) - metric.score_of(a, references)

    delta = gain(worse, better, gold)
    draws = [gain(worse[i], better[i], gold[i]) for i in map(list, product(range(n), repeat=n))]
    assert bootstrap.p_value == pytest.approx(np.mean([x >= 2 * delta - 1e-12 for x in draws]), rel=1e-9)
    swaps = [
        gain(np.where(bits, better, worse), np.where(bits, worse, better), gold)
        for bits in map(np.array, product([False, True], repeat=n))
    ]
    assert randomization.p_value == pytest.approx(np.mean([x >= delta - 1e-12 for x in swaps]), rel=1e-9)


def test_texts_are_given_as_lists_and_bca_works() -> None:
    metric = Distinct()
    references = ["x"] * 12
    systems = [
        Rows(name, metric.rows(outputs, references))
        for name, outputs in (("a", list("abcaabbccaab")), ("b", list("abcdefghijkl")))
    ]
    settings = Settings(tests=[Randomization()], interval=IntervalMethod.BCA, resampling=Resampling(n_resamples=300))
    found = compare_scores(scored(metric, systems), settings)[0].comparisons[0]
    assert (found.baseline_score, found.candidate_score) == (3.0, 12.0)
    assert found.interval.low <= found.gain


def test_identical_systems_are_never_told_apart() -> None:
    gold, worse, _ = numbers(40)
    rows = Rows("a", output_metric("spearman").rows(worse, gold))
    settings = Settings(tests=[Bootstrap(), Randomization()], resampling=Resampling(n_resamples=50))
    tests = compare_scores(scored(output_metric("spearman"), [rows, rows]), settings)[0].comparisons[0].tests
    assert [test.p_value for test in tests] == [1.0, 1.0]


def test_progress_is_told() -> None:
    told = []
    run(RecomputedPearson(), resampling=Resampling(n_resamples=600, progress=lambda *given: told.append(given)))
    assert told[:3] == [(256, 600), (512, 600), (600, 600)]


def test_no_exact_law_for_many_units() -> None:
    with pytest.raises(NotApplicableError, match="not-exact"):
        run(RecomputedPearson(), resampling=Resampling(Method.EXACT))


def test_identical_systems_of_few_items_have_a_p_of_exactly_one() -> None:
    rows = Rows("a", np.array([[1.0, 2.0], [0.1, 0.3], [0.7, 0.9]]))
    for fields in ({"tests": [Bootstrap()]}, {"tests": [Bootstrap()], "alternative": Alternative.TWO_SIDED}):
        test = compare_scores(scored(Ratio(), [rows, rows]), Settings(**fields))[0].comparisons[0].test
        assert test.p_value == 1.0


def test_an_interval_is_sampled_where_only_the_test_has_to_be_exact() -> None:
    counts = np.array([[3.0, 4, 5], [1, 2, 2], [0, 3, 1], [2, 2, 4]] * 10)
    other = counts.copy()
    other[::3] += [0, 1, 0]
    settings = Settings(tests=[Randomization()], resampling=Resampling(Method.EXACT, n_resamples=500))
    found = compare_scores(scored(F1(), [Rows("a", other), Rows("b", counts)]), settings)[0].comparisons[0]
    assert found.test.exact
    assert not found.interval.exact


# Many systems


def systems_of(metric: Any, n: int, s: int = 4) -> list[Rows]:
    """Return systems of rising noise, and one twice."""
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 12, n).astype(float)
    outputs = [(gold + rng.integers(-3 - k, 4 + k, n)).tolist() for k in range(s)]
    return [Rows(f"s{k}", metric.rows(of, gold.tolist())) for k, of in enumerate([*outputs, outputs[1]])]


def ranked(metric: Any, systems: list[Rows], clusters: Any = None, strata: Any = None, **fields: Any) -> Ranking:
    asked = {"resampling": Resampling(Method.MONTE_CARLO, 300), **fields}
    return rank_scores(scored(metric, systems, clusters=clusters, strata=strata), RankingSettings(**asked))[0]


@pytest.mark.slow
@pytest.mark.parametrize("labels", [{}, {"clusters": np.arange(60) // 3}, {"strata": np.arange(60) // 20}], ids=str)
@pytest.mark.parametrize("alternative", [Alternative.TWO_SIDED, Alternative.GREATER])
@pytest.mark.parametrize("interval", [IntervalMethod.TEST, IntervalMethod.PERCENTILE])
@pytest.mark.parametrize("first", [SkewT(), Bootstrap()], ids=lambda test: test.name)
def test_pairs_of_a_ranking_are_what_comparisons_are(
    labels: dict[str, Any],
    alternative: Alternative,
    interval: IntervalMethod,
    first: SignificanceTest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The canonical order of two systems of several is another: the order given has the same draws.
    for module in ("comparing", "ranks.ranking"):
        name = f"outscore.questions.{module}.in_canonical_order"
        monkeypatch.setattr(name, lambda systems, design: (systems, design))
    metric, systems = output_metric("spearman"), systems_of(output_metric("spearman"), 60)
    tests = [first, Randomization()]
    ranking = ranked(metric, systems, tests=tests, alternative=alternative, interval=interval, **labels)
    by_name = {system.name: system for system in systems}
    settings = Settings(
        tests=tests,
        alternative=alternative,
        interval=interval,
        resampling=Resampling(Method.MONTE_CARLO, 300),
    )
    for pair in ranking.pairs:
        two = [by_name[pair.baseline], by_name[pair.candidate]]
        plain = compare_scores(scored(metric, two, **labels), settings)[0].comparisons[0]
        assert pair.gain == pytest.approx(plain.gain, abs=1e-13)
        assert [pair.p_value, pair.other_p_values["randomization"]] == pytest.approx(
            [test.p_value for test in plain.tests], rel=1e-9
        )
        assert (pair.interval.low, pair.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


@pytest.mark.parametrize("n", [60, 240], ids=["few units", "many units"])
@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters"])
def test_a_ranking_is_that_of_the_twin_with_rows(n: int, clustered: bool) -> None:
    clusters = np.arange(n) // 2 if clustered else None
    twins = [
        ranked(metric, systems_of(metric, n), clusters) for metric in (output_metric("pearson"), RecomputedPearson())
    ]
    for one, other in zip(twins[0].pairs, twins[1].pairs, strict=True):
        assert (other.candidate, other.n_exceeding) == (one.candidate, one.n_exceeding)
        assert (other.p_value, other.p_maxt) == pytest.approx((one.p_value, one.p_maxt))
        assert (other.interval.low, other.interval.high) == pytest.approx((one.interval.low, one.interval.high))
    for mine, its in zip(twins[0].systems, twins[1].systems, strict=True):
        assert its.p_best == mine.p_best
        assert (its.rank_low, its.rank_high, its.group) == (mine.rank_low, mine.rank_high, mine.group)
        for value, expected in ((its.score, mine.score), (its.interval.low, mine.interval.low)):
            assert value == pytest.approx(expected)


def test_rankings_of_few_units_are_those_of_all_resamples() -> None:
    """Five units: 5⁵ draws, 2⁵ swaps."""
    n, metric = 5, output_metric("spearman")
    systems = systems_of(metric, n, 3)[:3]
    ranking = ranked(metric, systems, tests=[Bootstrap(), Randomization()], resampling=Resampling())
    rows = {system.name: system.values for system in systems}
    draws = [np.array(drawn) for drawn in product(range(n), repeat=n)]
    scores = {name: np.array([metric.score_of_set(of[drawn]) for drawn in draws]) for name, of in rows.items()}
    for pair in ranking.pairs:
        one, other = pair.candidate, pair.baseline
        gains = scores[one] - scores[other] - pair.gain
        assert pair.exact
        assert pair.p_value == pytest.approx(np.mean(np.abs(gains) >= pair.gain - 1e-12))
        swapped = []
        for chosen in product([False, True], repeat=n):
            mask = np.array(chosen)[:, None]
            swapped.append(
                metric.score_of_set(np.where(mask, rows[other], rows[one]))
                - metric.score_of_set(np.where(mask, rows[one], rows[other]))
            )
        share = np.mean(np.abs(swapped) >= pair.gain - 1e-12)
        assert pair.other_p_values["randomization"] == pytest.approx(share)


def test_any_function_ranks_texts() -> None:
    metric = Distinct()
    texts = ["abcaabbccaab", "abcdefghijkl", "abcdabcdabcd", "abcdabcdabcd"]
    systems = [Rows(f"s{k}", metric.rows(list(text), ["x"] * 12)) for k, text in enumerate(texts)]
    ranking = ranked(metric, systems)
    assert [(system.name, system.rank) for system in ranking.systems] == [("s1", 1), ("s2", 2), ("s3", 2), ("s0", 4)]
    same = next(pair for pair in ranking.pairs if pair.gain == 0)
    assert (same.p_value, same.p_maxt, same.exact, same.wins) == (1, 1, True, None)
    assert any("identical scores" in warning for warning in ranking.warnings)


def test_a_ranking_does_not_depend_on_where_it_is_computed() -> None:
    metric = RecomputedPearson()
    systems = systems_of(metric, 40)
    plain = ranked(metric, systems, resampling=Resampling(Method.MONTE_CARLO, 1100))
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(2)):
        with pool as executor:
            assert ranked(metric, systems, resampling=Resampling(Method.MONTE_CARLO, 1100, executor=executor)) == plain


def test_a_ranking_by_an_exact_law_that_there_is_not_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="not-exact"):
        ranked(
            output_metric("spearman"),
            systems_of(output_metric("spearman"), 60),
            tests=(Bootstrap(),),
            resampling=Resampling(Method.EXACT),
        )


@pytest.mark.slow
def test_equal_systems_are_not_told_apart() -> None:
    """60 units, 5 systems, Spearman: 100 data sets, an error of at most 6.5%, and a false alarm once in 10⁴."""
    rng, metric, trials, errors = np.random.default_rng(8), output_metric("spearman"), 100, 0
    for trial in range(trials):
        gold = rng.normal(size=60)
        shared = gold + rng.normal(size=60)
        systems = [Rows(f"s{k}", metric.rows((shared + rng.normal(size=60)).tolist(), gold.tolist())) for k in range(5)]
        ranking = ranked(metric, systems, resampling=Resampling(Method.MONTE_CARLO, 299, trial))
        errors += any(float(pair.p_maxt or 0) <= 0.05 for pair in ranking.pairs)
    assert binom.ppf(1e-4, trials, 0.01) <= errors <= binom.ppf(1 - 1e-4, trials, 0.065)
