"""Rankings against the plain way: a comparison of every pair by itself."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import outscore
from outscore import Rows
from outscore._types import AnyArray, FloatArray
from outscore.errors import NotApplicableError, OptionError
from outscore.metrics import F1, Accuracy, Mean, Metric, Precision
from outscore.results import (
    Alternative,
    Comparison,
    Correction,
    Estimator,
    IntervalMethod,
    Method,
    Ranking,
    Ties,
    format_corrected_p,
)
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    McNemar,
    PairedT,
    Randomization,
    Resampling,
    SignificanceTest,
    test_named,
)
from tests.kit import RankingSettings, Settings, compare_scores, rank_scores
from tests.laws.kit import SampledLaw
from tests.scored import scored
from tests.significance.kit import GainLaws, Hypothesis, Pairs, ScoreDraws, SystemTable, benjamini_hochberg, holm

N = 66
RNG = np.random.default_rng(11)
GOLD = RNG.poisson(2, N)
HARD = RNG.random(N)
CLUSTERS, STRATA = np.arange(N) // 3, (np.arange(N) >= 30).astype(int)
LABELS: list[tuple[AnyArray | None, AnyArray | None]] = [(None, None), (CLUSTERS, None), (None, STRATA)]


def f1_rows(recall: float) -> FloatArray:
    found = RNG.binomial(GOLD, recall)
    return np.column_stack([found, found + RNG.poisson(0.5, N), GOLD]).astype(np.float64)


def named(*values: FloatArray) -> list[Rows]:
    return [Rows(f"s{k}", rows) for k, rows in enumerate(values)]


F1_SYSTEMS = named(*map(f1_rows, (0.5, 0.6, 0.55, 0.7)))
F1_SYSTEMS.append(replace(F1_SYSTEMS[1], name="copy"))
RIGHT = named(
    *(np.column_stack([(HARD + 0.3 * RNG.random(N) < q).astype(float), np.ones(N)]) for q in (0.5, 0.62, 0.55, 0.7))
)
REAL = named(*(np.column_stack([HARD + 0.3 * RNG.normal(size=N) + q, np.ones(N)]) for q in (0.05, 0.1, 0.0, 0.2)))
DATA: dict[str, tuple[Metric, list[Rows]]] = {
    "f1": (F1(), F1_SYSTEMS),
    "accuracy": (Accuracy(), RIGHT),
    "mean": (Mean(), REAL),
    "losses": (Mean(higher_is_better=False), REAL),
    "errors": (Mean(higher_is_better=False), RIGHT),
}


def settings(
    test: SignificanceTest | None = None, method: Method = Method.MONTE_CARLO, **options: object
) -> RankingSettings:
    resampling = Resampling(method, int(str(options.pop("r", 2000))), 7)
    return RankingSettings(tests=(test or Bootstrap(),), resampling=resampling, **options)  # type: ignore[arg-type]


def ranked(metric: Metric, systems: list[Rows], asked: RankingSettings, **labels: Any) -> Ranking:
    return rank_scores(scored(metric, systems, **labels), asked)[0]


def one_by_one(
    metric: Metric,
    systems: list[Rows],
    asked: RankingSettings,
    ranking: Ranking,
    clusters: AnyArray | None = None,
    strata: AnyArray | None = None,
) -> list[Comparison]:
    """The plain way: `compare_scores` of every pair, its candidate the better-scoring system."""
    by_name = {system.name: system for system in systems}
    given = Settings(
        tests=asked.tests,
        resampling=asked.resampling,
        alternative=asked.alternative,
        ties=asked.ties,
        estimator=asked.estimator,
        interval=asked.interval,
    )
    return [
        compare_scores(
            scored(metric, [by_name[pair.baseline], by_name[pair.candidate]], clusters=clusters, strata=strata), given
        )[0].comparisons[0]
        for pair in ranking.pairs
    ]


@pytest.mark.usefixtures("order_as_given")
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize(("clusters", "strata"), LABELS, ids=["items", "clusters", "strata"])
@pytest.mark.parametrize("alternative", [Alternative.TWO_SIDED, Alternative.GREATER])
def test_sampled_pairs_are_what_comparisons_one_by_one_are(
    data: str, clusters: AnyArray | None, strata: AnyArray | None, alternative: Alternative
) -> None:
    metric, systems = DATA[data]
    asked = settings(alternative=alternative)
    ranking = ranked(metric, systems, asked, clusters=clusters, strata=strata)
    for pair, plain in zip(
        ranking.pairs, one_by_one(metric, systems, asked, ranking, clusters=clusters, strata=strata), strict=True
    ):
        test = plain.test
        assert pair.gain == pytest.approx(plain.gain, abs=1e-13)
        if {pair.baseline, pair.candidate} == {"s1", "copy"}:
            assert pair.p_value == 1
            continue
        assert pair.n_exceeding == test.n_exceeding
        assert (pair.p_value, pair.p_value_low, pair.p_value_high) == (
            test.p_value,
            test.p_value_low,
            test.p_value_high,
        )
        assert pair.interval.low == pytest.approx(plain.interval.low, abs=1e-12)
        assert pair.interval.high == pytest.approx(plain.interval.high, abs=1e-12)
        assert (pair.wins, pair.ties, pair.losses) == (plain.helped, plain.unchanged, plain.hurt)
        assert not pair.exact


@pytest.mark.parametrize("data", ["accuracy", "errors"])
@pytest.mark.parametrize("test", [Bootstrap(), Randomization()], ids=lambda test: test.name)
@pytest.mark.parametrize(("clusters", "strata"), LABELS, ids=["items", "clusters", "strata"])
@pytest.mark.parametrize("ties", Ties)
def test_exact_pairs_are_what_comparisons_one_by_one_are(
    data: str, test: SignificanceTest, clusters: AnyArray | None, strata: AnyArray | None, ties: Ties
) -> None:
    metric, systems = DATA[data]
    asked = settings(test, Method.AUTO, ties=ties)
    ranking = ranked(metric, systems, asked, clusters=clusters, strata=strata)
    comparisons = one_by_one(metric, systems, asked, ranking, clusters=clusters, strata=strata)
    for pair, plain in zip(ranking.pairs, comparisons, strict=True):
        assert pair.exact
        assert pair.p_value == pytest.approx(plain.test.p_value, rel=1e-9)
        assert pair.p_value_low <= plain.test.p_value * (1 + 1e-9)
        # If all binary items that differ point one way, the end of the score test is no exact one.
        one_way = 0 in (pair.wins, pair.losses)
        assert pair.interval.exact == plain.interval.exact
        assert pair.interval.exact or one_way
        assert pair.interval.low == pytest.approx(plain.interval.low, abs=1e-9)
        assert pair.interval.high == pytest.approx(plain.interval.high, abs=1e-9)


@pytest.mark.slow
def test_means_of_decimals_are_exact_as_well() -> None:
    systems = [Rows(system.name, system.values.round(2)) for system in REAL[:3]]
    for test in (Bootstrap(), Randomization()):
        asked = settings(test, Method.AUTO)
        ranking = ranked(Mean(), systems, asked)
        for pair, plain in zip(ranking.pairs, one_by_one(Mean(), systems, asked, ranking), strict=True):
            assert pair.exact
            assert pair.p_value == pytest.approx(plain.test.p_value, rel=1e-12)
            # Subsets of so many different items are sampled.
            assert pair.interval.exact == isinstance(test, Bootstrap)
            if pair.interval.exact:
                assert pair.interval.low == pytest.approx(plain.interval.low, abs=1e-12)


def test_tests_that_know_no_table_are_asked_pair_by_pair() -> None:
    metric, systems = DATA["accuracy"]
    tests = (BootstrapUncentred(), PairedT(), McNemar())
    asked = replace(settings(method=Method.AUTO), tests=tests)
    ranking = ranked(metric, systems, asked)
    assert ranking.correction is Correction.HOLM
    for pair, plain in zip(ranking.pairs, one_by_one(metric, systems, asked, ranking), strict=True):
        expected = [test.p_value for test in plain.tests]
        assert [pair.p_value, *pair.other_p_values.values()] == pytest.approx(expected, rel=1e-9)
    with pytest.raises(NotApplicableError, match="mcnemar"):
        ranked(Mean(), REAL, replace(asked, tests=(McNemar(),)))


@pytest.mark.usefixtures("order_as_given")
@pytest.mark.parametrize("data", ["f1", "mean"])
@pytest.mark.parametrize("alternative", [Alternative.TWO_SIDED, Alternative.GREATER])
def test_swaps_are_shared_by_all_pairs(data: str, alternative: Alternative) -> None:
    metric, systems = DATA[data]
    asked = settings(Randomization(), alternative=alternative)
    ranking = ranked(metric, systems, asked)
    order = SystemTable.order(metric, [system.values for system in systems])
    table = SystemTable(metric, [systems[i].values for i in order])
    # The plain way, of which GainLaws holds all replicates: swaps of the units on which any pair differs.
    pairs = [table.pair(index) for index in range(len(table.pairs))]
    laws = GainLaws(pairs, asked.resampling)
    for index, found in enumerate(ranking.pairs):
        p = Randomization().p_value(pairs[index], laws.of_pair(index), Hypothesis(alternative))
        if {found.baseline, found.candidate} == {"s1", "copy"}:
            assert found.p_value == 1
        else:
            assert found.n_exceeding == p.n_exceeding


def test_systems_that_hardly_differ_do_not_decide_about_others() -> None:
    """A pair with one item between them has no variance at all in a third of the resamples."""
    right = (np.arange(60) < 30).astype(float)
    almost = right.copy()
    almost[-1] = 1
    far = np.where(np.arange(60) < 55, 1.0, right)
    systems = named(*(np.column_stack([values, np.ones(60)]) for values in (right, almost, far, right)))
    ranking = ranked(Accuracy(), systems, settings(r=5000))
    p = {(pair.candidate, pair.baseline): pair.p_maxt for pair in ranking.pairs}
    assert float(p["s2", "s0"] or 1) < 1e-3
    assert float(p["s2", "s1"] or 1) < 1e-3
    assert float(p["s1", "s0"] or 0) > 0.5
    assert max(p["s0", "s3"] or 0, p.get(("s3", "s0")) or 0) == 1


def test_a_sampled_p_value_at_its_floor_is_a_bound_and_that_of_identical_systems_exact() -> None:
    metric, systems = DATA["f1"]
    far = replace(systems[0], name="far", values=systems[0].values * [0.0, 1.0, 1.0])
    ranking = ranked(metric, [*systems, far], settings())
    for pair in ranking.pairs:
        assert pair.is_bound == (pair.n_exceeding == 0)
        if "far" in (pair.baseline, pair.candidate):
            assert pair.is_bound
            assert format_corrected_p(ranking, pair, Correction.NONE) == "≤ 0.0005"
            assert format_corrected_p(ranking, pair, Correction.HOLM).startswith("≤ ")
        if {pair.baseline, pair.candidate} == {"s1", "copy"}:
            assert pair.exact
            assert pair.n_exceeding is None
            assert (pair.p_value, pair.p_value_low, pair.p_value_high, pair.p_maxt) == (1, 1, 1, 1)


def peak_of(n_systems: int, n: int, method: Method) -> tuple[float, Ranking]:
    """Return the megabytes that a ranking of real scores takes beside its resamples."""
    rng = np.random.default_rng(4)
    systems = named(*(np.column_stack([rng.normal(size=n), np.ones(n)]) for _ in range(n_systems)))
    tracemalloc.start()
    ranking = ranked(Mean(), systems, settings(method=method, r=300))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return peak, ranking


def test_enumerated_laws_are_not_kept() -> None:
    """Ten pairs of 92,378 multisets each take the memory of one."""
    one, _ = peak_of(2, 10, Method.EXACT)
    ten, ranking = peak_of(5, 10, Method.EXACT)
    assert all(pair.exact and pair.interval.exact for pair in ranking.pairs)
    assert ten < one + 5


def test_a_budget_decides_whether_few_units_are_enumerated() -> None:
    """6 systems of 9 items are, as a comparison would; 19 of 12 would take minutes and gigabytes, and are sampled."""
    _, ranking = peak_of(6, 9, Method.AUTO)
    rng = np.random.default_rng(4)
    systems = named(*(np.column_stack([rng.normal(size=9), np.ones(9)]) for _ in range(6)))
    asked = settings(method=Method.AUTO, r=300)
    for pair, plain in zip(ranking.pairs, one_by_one(Mean(), systems, asked, ranking), strict=True):
        assert pair.exact
        assert pair.p_value == pytest.approx(plain.test.p_value, rel=1e-12)
        assert (pair.interval.low, pair.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))
    peak, many = peak_of(19, 12, Method.AUTO)
    assert peak < 40
    assert not any(pair.exact for pair in many.pairs)


@pytest.mark.usefixtures("order_as_given")
def test_large_scans_find_the_same_quantiles_and_counts_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond some resamples only tails are sorted, and beyond some pairs in several chunks."""
    metric, systems = F1(), F1_SYSTEMS[:4]
    asked = settings(r=40_000)
    plain = ranked(metric, systems, asked)
    monkeypatch.setattr("outscore.gains.score_draws.MOST_TAIL_VALUES", 10_000)
    monkeypatch.setattr("outscore.gains.score_draws.SCORE_BLOCK", 1_000)
    assert ranked(metric, systems, asked) == plain
    monkeypatch.setattr("outscore.gains.gain_laws.FIRST_RESAMPLES", 40_000)  # comparisons draw all at once, too
    for pair, alone in zip(plain.pairs, one_by_one(metric, systems, asked, plain), strict=True):
        assert pair.n_exceeding == alone.test.n_exceeding
        assert pair.interval.low == pytest.approx(alone.interval.low, abs=1e-12)
        assert pair.interval.high == pytest.approx(alone.interval.high, abs=1e-12)


@pytest.mark.parametrize("test", [Bootstrap(), Randomization()], ids=lambda test: test.name)
def test_threads_give_the_same_ranking(test: SignificanceTest) -> None:
    metric, systems = DATA["f1"]
    asked = settings(test, r=30_000)
    expected = ranked(metric, systems, asked)
    with ThreadPoolExecutor(3) as threads:
        parallel = replace(asked, resampling=replace(asked.resampling, executor=threads))
        assert ranked(metric, systems, parallel) == expected


def test_the_order_of_the_systems_does_not_matter() -> None:
    metric, systems = DATA["mean"]
    one, other = (ranked(metric, given, settings(method=Method.AUTO)) for given in (systems, systems[::-1]))
    assert one == other


def test_systems_stand_best_first_with_what_the_pairs_say() -> None:
    for metric, systems in DATA.values():
        ranking = ranked(metric, systems, settings())
        scores = [system.score for system in ranking.systems]
        assert scores == sorted(scores, reverse=metric.higher_is_better)
        assert sum(system.p_best for system in ranking.systems) == pytest.approx(1)
        for above, below in pairwise(ranking.systems):
            assert above.gain_to_next == pytest.approx(abs(above.score - below.score), abs=1e-12)
            assert below.gain_to_best == pytest.approx(abs(scores[0] - below.score), abs=1e-12)
        significant = {
            (pair.candidate, pair.baseline) for pair in ranking.pairs if pair.corrected(ranking.correction) <= 0.05
        }
        for system in ranking.systems:
            assert system.rank_low == 1 + sum(pair[1] == system.name for pair in significant)
            assert system.rank_high == len(scores) - sum(pair[0] == system.name for pair in significant)
            assert system.interval.low <= system.score <= system.interval.high
        for pair in ranking.pairs:
            assert pair.gain >= 0


def test_identical_systems_share_everything() -> None:
    metric, systems = DATA["f1"]
    for test in (Bootstrap(), Randomization()):
        for ties in Ties:
            ranking = ranked(metric, systems, settings(test, ties=ties))
            found = next(pair for pair in ranking.pairs if {pair.baseline, pair.candidate} == {"s1", "copy"})
            assert (found.gain, found.p_value, found.p_holm, found.p_bh, found.p_maxt) == (0, 1, 1, 1, 1)
            one, other = (next(s for s in ranking.systems if s.name == name) for name in ("s1", "copy"))
            assert one.rank == other.rank
            assert one.p_best == other.p_best
            assert set(one.group) & set(other.group)
            assert any("identical scores" in warning for warning in ranking.warnings)


def test_a_constant_gain_is_as_significant_as_resamples_can_tell() -> None:
    values = RNG.normal(size=N)
    rows = named(np.column_stack([values, np.ones(N)]), np.column_stack([values + 0.5, np.ones(N)]))
    (pair,) = ranked(Mean(), rows, settings(r=999)).pairs
    assert pair.p_value == pair.p_maxt == 0.001
    assert pair.interval.low == pytest.approx(0.5)


def test_p_best_counts_how_often_a_system_scores_best() -> None:
    metric, systems = DATA["accuracy"]
    ranking = ranked(metric, systems, settings(r=4000))
    draws = np.random.default_rng(5).multinomial(N, np.full(N, 1 / N), size=20_000)
    scores = np.array([draws @ system.values[:, 0] for system in systems])
    best = scores == scores.max(axis=0)
    shares = (best / best.sum(axis=0)).mean(axis=1)
    for system, share in zip(systems, shares, strict=True):
        found = next(each for each in ranking.systems if each.name == system.name)
        # 4.5 standard errors of the sampled share; two independent sets of draws: a false alarm in 10⁵ runs.
        assert found.p_best == pytest.approx(share, abs=4.5 * np.sqrt(0.25 * (1 / 4000 + 1 / 20_000)))


def test_exact_score_intervals_of_binary_tables_are_binomial() -> None:
    metric, systems = DATA["accuracy"]
    ranking = ranked(metric, systems, settings(method=Method.AUTO))
    for system in ranking.systems:
        assert system.interval.exact
        limits = binomtest(round(N * system.score), N).proportion_ci(0.95, method="exact")
        assert (system.interval.low, system.interval.high) == pytest.approx((limits.low, limits.high))


def test_what_a_ranking_warns_of() -> None:
    metric, systems = DATA["f1"]
    greater = ranked(metric, systems, settings(alternative=Alternative.GREATER))
    assert any("half as large" in warning for warning in greater.warnings)
    few = ranked(metric, systems, settings(), clusters=np.arange(N) // 6)
    assert any("11 clusters" in warning for warning in few.warnings)
    coarse = ranked(metric, systems, settings(r=99, correction=Correction.HOLM, max_t=False))
    assert any("Increase n_resamples" in warning for warning in coarse.warnings)
    assert all(pair.p_maxt is None for pair in coarse.pairs)


def test_pairs_whose_variance_few_items_carry_are_counted_in_one_line() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(4, 200))
    values[0, :2] += 40
    systems = {f"s{k}": row for k, row in enumerate(values)}
    [told] = [warning for warning in outscore.rank(systems).warnings if "of the variance" in warning]
    assert told.startswith("In 3 of 6 pairs fewer than 5 items account for most of the variance of the gain")
    exact = outscore.rank(systems, tests="randomization", n_resamples=999)
    assert not any("of the gain" in warning for warning in exact.warnings)
    ordinary = {name: values for name, values in systems.items() if name != "s0"}
    assert outscore.rank(ordinary).warnings == ()


def texts(rng: np.random.Generator) -> tuple[dict[str, list[str]], list[str]]:
    """Three systems' outputs, of which each word is that of the reference with another probability."""
    words = np.array([f"w{k}" for k in range(200)])
    references = [rng.choice(words, rng.integers(8, 25)) for _ in range(N)]
    systems = {}
    for k, right in enumerate((0.7, 0.72, 0.75)):
        outputs = [np.where(rng.random(len(of)) < right, of, rng.choice(words, len(of))) for of in references]
        systems[f"s{k}"] = [" ".join(output[: len(output) - int(rng.integers(0, 2))]) for output in outputs]
    return systems, [" ".join(of) for of in references]


def kinds_of_data() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    rng = np.random.default_rng(12)
    real = {name: HARD + rng.exponential(0.3, N) for name in "abc"}
    f1 = {rows.name: rows.values for rows in F1_SYSTEMS[:4]}
    right = {rows.name: rows.values[:, 0] for rows in RIGHT}
    runs = {name: HARD[:, None] + rng.normal(0, 0.1, 4) + rng.normal(0, 0.4, (N, 4)) for name in "abc"}
    outputs, references = texts(rng)
    sizes = np.repeat(np.arange(12), rng.multinomial(N - 12, np.full(12, 1 / 12)) + 1)
    return {
        "real": (real, {}),
        "binary": (right, {}),
        "binary in clusters": (right, {"clusters": sizes.tolist()}),
        "clusters": (real, {"clusters": sizes.tolist()}),
        "strata": (real, {"strata": STRATA.tolist()}),
        "weighted strata": (real, {"strata": STRATA.tolist(), "weights": "macro"}),
        "losses": (real, {"lower_is_better": True}),
        "f1": (f1, {"metric": "f1"}),
        "f1 in clusters": (f1, {"metric": "f1", "clusters": sizes.tolist()}),
        "bleu": (outputs, {"metric": "bleu", "references": references}),
        "random runs": (runs, {"runs": "random"}),
        "random runs in clusters": (runs, {"runs": "random", "clusters": sizes.tolist()}),
        "paired runs": (runs, {"runs": "random", "pair_runs": True}),
        "fixed runs": (runs, {"runs": "fixed"}),
        "recomputed": (real, {"metric": "spearman", "references": HARD.tolist()}),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", kinds_of_data())
def test_a_pair_has_the_p_value_and_the_interval_of_its_comparison(kind: str) -> None:
    systems, options = kinds_of_data()[kind]
    ranking = outscore.rank(systems, **options)
    for pair in ranking.pairs:
        both = {name: systems[name] for name in (pair.baseline, pair.candidate)}
        plain = outscore.compare(both, **options).comparisons[0]
        assert plain.tests[0].name == ranking.tests[0]
        assert pair.gain == pytest.approx(plain.gain, rel=1e-12)
        assert pair.p_value == pytest.approx(plain.test.p_value, rel=1e-9)
        assert pair.interval.method == plain.interval.method
        ends = pair.interval.low, pair.interval.high
        assert ends == pytest.approx((plain.interval.low, plain.interval.high), rel=1e-7, abs=1e-10)


def test_a_max_t_that_another_seed_could_turn_is_told() -> None:
    metric, systems = DATA["f1"]
    ranking = ranked(metric, systems, settings(r=500))
    p = [float(pair.p_maxt or 0) for pair in ranking.pairs]
    near = next(value for value in p if 0.01 < value < 0.9)
    far = max(np.linspace(0.05, 0.95, 91), key=lambda alpha: min(abs(value - alpha) for value in p))
    assert min(abs(value - far) for value in p) > 0.045  # 2 standard errors at α = ½
    for alpha, warned in ((near * 0.999, True), (float(far), False)):
        found = ranked(metric, systems, settings(r=500, alpha=alpha))
        assert any("another seed" in warning for warning in found.warnings) == warned
    holm_only = ranked(metric, systems, settings(r=500, alpha=near * 0.999, correction=Correction.HOLM))
    assert not any("another seed" in warning for warning in holm_only.warnings)


def test_corrections_are_of_the_p_values_of_the_pairs() -> None:
    for metric, systems in DATA.values():
        pairs = ranked(metric, systems, settings()).pairs
        plain = [pair.p_value for pair in pairs]
        assert [pair.p_holm for pair in pairs] == pytest.approx(holm(plain))
        assert [pair.p_bh for pair in pairs] == pytest.approx(benjamini_hochberg(plain))


def test_the_signature_says_what_max_t_rests_on() -> None:
    metric, systems = DATA["accuracy"]
    by_max_t, by_holm = (
        ranked(metric, systems, settings(method=Method.AUTO, correction=correction)).signature
        for correction in (Correction.MAX_T, Correction.HOLM)
    )
    assert "|r:exact|" in by_max_t
    # Draws come in blocks of 8,192.
    assert "|systems:4|correction:max-t|maxt:r=8192|version:" in by_max_t
    assert "|systems:4|correction:holm|version:" in by_holm


def test_max_t_that_was_left_out_is_no_other_correction() -> None:
    metric, systems = DATA["f1"]
    pair = ranked(metric, systems, settings(r=99, max_t=False)).pairs[0]
    with pytest.raises(OptionError, match="left out"):
        pair.corrected(Correction.MAX_T)


@pytest.mark.usefixtures("order_as_given")
def test_bk12_is_reproduced_by_one_sided_strict_plain_p_values() -> None:
    metric, systems = DATA["f1"]
    asked = settings(alternative=Alternative.GREATER, ties=Ties.STRICT, estimator=Estimator.PLAIN)
    ranking = ranked(metric, systems, asked)
    for pair, plain in zip(ranking.pairs, one_by_one(metric, systems, asked, ranking), strict=True):
        if pair.gain > 0:
            assert pair.p_value == plain.test.p_value


def test_what_cannot_be_asked() -> None:
    with pytest.raises(OptionError, match="not available in rankings"):
        settings(alternative=Alternative.LESS)
    with pytest.raises(OptionError, match="max-t"):
        settings(correction=Correction.MAX_T, max_t=False)
    with pytest.raises(OptionError, match=r"^alpha"):
        settings(alpha=0.0)
    with pytest.raises(NotApplicableError, match="no exact"):
        ranked(F1(), F1_SYSTEMS, settings(method=Method.EXACT))


def test_exact_laws_of_two_counts_serve_randomization() -> None:
    systems = F1_SYSTEMS[:3]
    asked = settings(Randomization(), Method.AUTO)
    ranking = ranked(Precision(), systems, asked)
    for pair, plain in zip(ranking.pairs, one_by_one(Precision(), systems, asked, ranking), strict=True):
        assert pair.exact
        assert pair.p_value == pytest.approx(plain.test.p_value, rel=1e-12)


@pytest.mark.slow
@pytest.mark.usefixtures("order_as_given")
@pytest.mark.parametrize("method", [Method.AUTO, Method.MONTE_CARLO])
@pytest.mark.parametrize("data", ["f1", "losses"])
@pytest.mark.parametrize("interval", IntervalMethod)
@pytest.mark.parametrize("test", [Bootstrap(), Randomization(), PairedT()], ids=lambda test: test.name)
def test_intervals_of_pairs_are_those_of_comparisons(
    test: SignificanceTest, interval: IntervalMethod, data: str, method: Method
) -> None:
    metric, systems = DATA[data]
    if data == "f1" and isinstance(test, PairedT):
        test = BootstrapUncentred()
    asked = settings(test, method, r=300, interval=interval)
    # Inverting the exact law of a swap takes seconds a pair.
    slow = (interval, data, method) == (IntervalMethod.TEST, "losses", Method.AUTO)
    ranking = ranked(metric, systems[: 2 if slow else 3], asked)
    assert (f"|interval:{interval}|" in ranking.signature) == (interval is not IntervalMethod.TEST)
    for pair in ranking.pairs:
        two = {system.name: system for system in systems}
        given = Settings([test], resampling=asked.resampling, interval=interval)
        plain = compare_scores(scored(metric, [two[pair.baseline], two[pair.candidate]]), given)[0].comparisons[0]
        assert pair.interval.method == plain.interval.method
        if plain.interval.exact and not pair.interval.exact:
            continue  # of many pairs
        assert (pair.interval.low, pair.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


# Gains of a few large items: the bootstrap distribution is far from symmetric.
SKEWED = named(
    *(np.column_stack([row, np.ones(N)]) for row in (np.random.default_rng(5).random((6, N)) ** 9 + 0.2).round(3))
)
INVERTED = ["bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "cr2-t", "skew-t", "score"]


@pytest.mark.parametrize("method", [Method.AUTO, Method.MONTE_CARLO])
@pytest.mark.parametrize(
    ("test", "data"),
    [(test, data) for data in ("skewed", "accuracy") for test in INVERTED]
    + [(test, "accuracy") for test in ("mcnemar", "sign", "wilcoxon")],
)
def test_the_interval_of_a_pair_does_not_contradict_its_test(test: str, data: str, method: Method) -> None:
    metric, systems = {"skewed": (Mean(), SKEWED), "accuracy": (Accuracy(), RIGHT)}[data]
    if (data, method) == ("skewed", Method.AUTO) and test.startswith("bootstrap"):
        systems = systems[:3]  # exact distributions of skewed gains take a second per pair and level
    for alpha in (0.03, 0.1, 0.3):
        pairs = ranked(metric, systems, settings(test_named(test), method, r=999, alpha=alpha)).pairs
        assert all((pair.p_value > alpha) == pair.interval.holds(0.0) for pair in pairs if pair.gain > 0)


def test_the_default_interval_of_randomization_inverts_it_as_a_comparison_does() -> None:
    d = np.array([0.0] * 40 + [0.02] * 12 + [0.3, 0.4, 0.5, -0.08])
    systems = named(np.column_stack([d, np.ones(len(d))]), np.column_stack([0 * d, np.ones(len(d))]))
    asked = RankingSettings(tests=(Randomization(),))
    (pair,) = ranked(Mean(), systems, asked).pairs
    plain = compare_scores(scored(Mean(), systems[::-1]), Settings([Randomization()]))[0].comparisons[0]
    assert pair.interval == plain.interval
    assert pair.interval.method == "randomization"
    assert (pair.p_value > 0.05) == pair.interval.holds(0.0)


def test_sampled_symmetric_intervals_are_those_of_sorted_resamples() -> None:
    rng = np.random.default_rng(3)
    gains = rng.normal(size=70_000)  # more than a pilot's: the tails alone are kept
    draws = ScoreDraws(np.stack([gains, 0 * gains]))
    pairs = Pairs(np.array([0]), np.array([1]), np.array([1.0]), np.array([0.0]))
    scan = draws.scan(pairs, Hypothesis(Alternative.TWO_SIDED), 0.025)
    assert scan.reach[0] == SampledLaw(gains + 1, tolerance=0.0).reach(1.0, 0.05)


def test_intervals_that_contradict_their_tests_are_warned_of() -> None:
    """Swaps of F1 cannot be inverted, so the intervals are the default test's."""
    rng = np.random.default_rng(5)
    systems = {}
    for s in range(6):
        tp = rng.poisson(2, 12)
        spurious = rng.poisson(1 + 0.2 * s, 12) * (rng.random(12) < 0.4) * 4
        systems[f"s{s}"] = np.column_stack([tp, tp + spurious, tp + rng.poisson(1, 12)])
    ranking = outscore.rank(systems, metric="f1", tests="randomization", n_resamples=1000)
    against = [p for p in ranking.pairs if p.gain > 0 and (p.p_value > 0.05) != p.interval.holds(0.0)]
    assert against
    counted = f"The intervals of {len(against)} pair{'s' if len(against) > 1 else ''} contradict"
    assert any(counted in warning for warning in ranking.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["bootstrap", "randomization", "wilcoxon"])
def test_progress_is_reported_after_each_exact_distribution(test: str) -> None:
    told: list[tuple[int, int]] = []
    resampling = Resampling(n_resamples=50, progress=lambda done, total: told.append((done, total)))
    on_grid = [Rows(system.name, system.values.round(2)) for system in REAL[:3]]
    ranking = ranked(Mean(), on_grid, RankingSettings(tests=(test_named(test),), resampling=resampling, max_t=False))
    m = len(ranking.pairs)
    assert all(pair.exact for pair in ranking.pairs)
    assert told[:m] == [(done, m) for done in range(1, m + 1)]


def test_a_one_sided_interval_has_one_end() -> None:
    metric, systems = DATA["accuracy"]
    asked = settings(alternative=Alternative.GREATER, interval=IntervalMethod.TEST)
    ranking = ranked(metric, systems, asked)
    assert all(np.isinf(pair.interval.high) and np.isfinite(pair.interval.low) for pair in ranking.pairs)
    assert "at least " in ranking.to_text(details=True)
    assert "at least " in ranking.to_latex(pairs=True)
    assert "at least " in ranking.to_html()
    assert '"high": null' in ranking.to_json()


@pytest.mark.parametrize("test", [Bootstrap(), Randomization(), McNemar()])
@pytest.mark.parametrize("metric", ["accuracy", "errors"])
def test_a_right_or_wrong_pair_has_one_p_value(test: SignificanceTest, metric: str) -> None:
    """A pair that is compared takes the sums that a table of many systems takes."""
    asked, systems = DATA[metric]
    resampling = Resampling(Method.EXACT)
    ranking = ranked(asked, systems, RankingSettings(tests=(test,), resampling=resampling))
    by_name = {system.name: system for system in systems}
    for pair in ranking.pairs:
        pairwise_settings = Settings(tests=(test,), resampling=resampling)
        both = scored(asked, [by_name[pair.baseline], by_name[pair.candidate]])
        alone = compare_scores(both, pairwise_settings)[0].comparisons[0]
        assert alone.test.p_value == pytest.approx(pair.p_value, rel=1e-13)


def test_sampled_bootstrap_intervals_are_not_called_exact() -> None:
    rng = np.random.default_rng(1)
    grades = {name: rng.integers(0, 9, 40) / 10 for name in "abc"}
    shapeless = {name: rng.normal(size=40) * np.pi for name in "abc"}
    for systems, exact in ((grades, True), (shapeless, False)):
        for pair in outscore.rank(systems, tests="bootstrap", n_resamples=1000).pairs:
            [comparison] = outscore.compare(
                systems[pair.baseline], systems[pair.candidate], tests="bootstrap", n_resamples=1000
            ).comparisons
            assert pair.exact == pair.interval.exact == comparison.interval.exact == exact
