"""Results do not depend on the order of the items, and those of exchanged systems are mirrored."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore
from outscore import Rows, Scores
from outscore._types import AnyArray, IntArray
from outscore.design import Axis, Cells, Clusters, Design, Strata
from outscore.errors import NotApplicableError
from outscore.metrics import F1, Accuracy, Mean, Metric
from outscore.questions.system_scores import score_systems
from outscore.results import Alternative, ComparisonResult, Interval, IntervalMethod, Method
from outscore.significance import Auto, Bootstrap, BootstrapUncentred, Randomization, Resampling, SignificanceTest
from tests.conftest import examples
from tests.kit import RankingSettings, RunDesign, Settings, compare_scores, output_metric, rank_scores
from tests.laws.kit import MirroredLaw, SampledLaw
from tests.scored import scored
from tests.significance.kit import in_canonical_order, row_order

TESTS: dict[str, SignificanceTest] = {
    test.name: test for test in (Bootstrap(), BootstrapUncentred(), Randomization(), Auto())
}
METRICS: dict[str, Metric] = {
    "mean": Mean(),
    "grades": Mean(),
    "accuracy": Accuracy(),
    "F1": F1(),
    "WER": output_metric("wer"),
    "BLEU": output_metric("bleu"),
}


def drawn(metric: str, n: int, seed: int, count: int = 2) -> list[Rows]:
    """Systems on n items, many of which are alike."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n)
    systems = []
    for place in range(count):
        rows: list[AnyArray]
        right, scores = rng.binomial(sizes, min(0.4 + 0.1 * place, 0.9)), rng.normal(0.2 * place, 1, n)
        match metric:
            case "mean":
                rows = [scores, np.ones(n)]
            case "grades":
                rows = [np.round(scores, 1), np.ones(n)]
            case "accuracy":
                rows = [scores > 0, np.ones(n)]
            case "F1":
                rows = [right, right + rng.poisson(1, n), sizes]
            case "WER":
                rows = [sizes - right, sizes]
            case _:
                grams = [4 + sizes - k for k in range(4)]
                found = [rng.binomial(of, 0.6 - 0.1 * k) for k, of in enumerate(grams)]
                rows = [grams[0] + rng.integers(0, 3, n), grams[0], *found, *grams]
        systems.append(Rows(f"s{place}", np.column_stack(rows).astype(float)))
    return systems


def labels_of(kind: str, n: int, rng: np.random.Generator) -> dict[str, AnyArray]:
    strata = np.arange(n) % 2
    clusters = rng.integers(0, n // 3, n)
    clusters[:4] = [0, 1, 2, 3]
    if kind == "clusters in strata":
        clusters = 2 * clusters + strata
    return {name: of for name, of in (("clusters", clusters), ("strata", strata)) if name in kind}


def in_order(order: IntArray, metric: str, systems: list[Rows], labels: dict[str, AnyArray]) -> Scores:
    """The items in another order, with other numbers for their clusters."""
    of = {name: np.unique(codes[order], return_inverse=True)[1] for name, codes in labels.items()}
    if "clusters" in of:
        count = int(of["clusters"].max()) + 1
        of["clusters"] = np.random.default_rng(int(order[0])).permutation(count)[of["clusters"]]
    in_order = [system.take(order) for system in systems]
    return scored(METRICS[metric], in_order, clusters=of.get("clusters"), strata=of.get("strata"))


def ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


@pytest.mark.slow
@pytest.mark.smoke
@settings(max_examples=examples(40))
@given(
    st.sampled_from(list(METRICS)),
    st.sampled_from(list(TESTS)),
    st.sampled_from(["auto", "monte-carlo"]),
    st.sampled_from(["items", "clusters", "strata", "clusters in strata"]),
    st.sampled_from(["test", "percentile", "basic", "bca"]),
    st.sampled_from(["two-sided", "greater"]),
    st.integers(8, 60),
    st.integers(0, 2**16),
)
def test_any_order_gives_the_same_result_and_exchanged_systems_mirror_it(
    metric: str, test: str, method: str, kind: str, interval: str, alternative: str, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    systems, labels = drawn(metric, n, seed), labels_of(kind, n, rng)
    asked = Settings(
        [TESTS[test]],
        alternative=Alternative(alternative),
        resampling=Resampling(Method(method), 300),
        interval=IntervalMethod(interval),
    )

    def compared(order: IntArray, systems: list[Rows], asked: Settings) -> ComparisonResult:
        (result,) = compare_scores(in_order(order, metric, systems, labels), asked)
        return result

    try:
        whole = compared(np.arange(n), systems, asked)
    except NotApplicableError:
        return
    first = whole.comparisons[0]
    assert _without_places(compared(rng.permutation(n), systems, asked).to_json()) == _without_places(whole.to_json())
    other_side = {"two-sided": "two-sided", "greater": "less"}[alternative]
    other_question = replace(asked, alternative=Alternative(other_side))
    turned = compared(rng.permutation(n), systems[::-1], other_question).comparisons[0]
    assert turned.gain == -first.gain
    assert (turned.helped, turned.hurt) == (first.hurt, first.helped)
    one, other = first.test, turned.test
    assert (other.p_value, other.p_value_low, other.p_value_high) == (one.p_value, one.p_value_low, one.p_value_high)
    assert (other.n_exceeding, other.computation) == (one.n_exceeding, one.computation)
    low, high = ends(first.interval)
    if first.interval.exact or interval == "bca":
        assert ends(turned.interval) == pytest.approx((-high, -low), rel=1e-9, abs=1e-9)
    else:
        assert ends(turned.interval) == (-high, -low)


@settings(max_examples=examples(15))
@given(
    st.sampled_from(list(METRICS)),
    st.sampled_from(["items", "clusters", "strata", "clusters in strata"]),
    st.sampled_from(["bootstrap", "randomization"]),
    st.integers(20, 60),
    st.integers(0, 2**16),
)
def test_a_ranking_depends_on_the_order_neither_of_items_nor_of_systems(
    metric: str, kind: str, test: str, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    systems, labels = drawn(metric, n, seed, 4), labels_of(kind, n, rng)
    asked = RankingSettings([TESTS[test]], Resampling(Method.MONTE_CARLO, 300))
    first = rank_scores(in_order(np.arange(n), metric, systems, labels), asked)[0]
    if len({system.score for system in first.systems}) < len(systems):
        return  # systems of equal scores stand in the order given
    for order in (np.arange(n), rng.permutation(n)):
        mixed = [systems[place] for place in rng.permutation(len(systems))]
        assert rank_scores(in_order(order, metric, mixed, labels), asked)[0].to_json() == first.to_json()


@settings(max_examples=examples(15))
@given(
    st.sampled_from(list(METRICS)),
    st.sampled_from(["items", "clusters", "strata"]),
    st.integers(8, 60),
    st.integers(0, 2**16),
)
def test_the_interval_of_a_score_does_not_depend_on_the_order_of_the_items(
    metric: str, kind: str, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    systems, labels = drawn(metric, n, seed, 1), labels_of(kind, n, rng)
    resampling = Resampling(Method.MONTE_CARLO, 300)
    orders = (np.arange(n), rng.permutation(n))
    one, other = (score_systems(in_order(order, metric, systems, labels), resampling, 0.05) for order in orders)
    assert _without_places(one.to_json()) == _without_places(other.to_json())


def _without_places(text: str) -> str:
    """Remove the items that a warning names by their place, which is that in the order given."""
    return re.sub(r"(item|cluster) \d+", "", text)


@pytest.mark.parametrize("kind", ["numbers", "text", "sets", "objects"])
def test_recomputed_metrics_are_drawn_on_any_order_of_the_items(kind: str) -> None:
    """Of objects nothing but the identity is known: they stay in the order given."""
    n, rng = 30, np.random.default_rng(1)
    items: dict[str, Any] = {
        "numbers": [rng.integers(0, 4, n).tolist() for _ in range(2)],
        "text": [[f"word {word}" for word in rng.integers(0, 4, n)] for _ in range(2)],
        "sets": [[frozenset(map(str, rng.integers(0, 4, 3))) for _ in range(n)] for _ in range(2)],
        "objects": [[object() for _ in range(n)] for _ in range(2)],
    }
    outputs = items[kind]

    def variety(outputs: Sequence[Any], references: Sequence[Any]) -> float:
        return len(set(outputs)) / len(outputs)

    def compared(order: IntArray, systems: list[list[Any]]) -> outscore.Comparison:
        return outscore.compare(
            *([system[place] for place in order] for system in systems),
            references=[place % 3 for place in order.tolist()],
            metric=outscore.Recomputed(variety, name="variety"),
            tests=["bootstrap", "randomization"],
            n_resamples=100,
        ).comparisons[0]

    first = compared(np.arange(n), outputs)
    assert compared(np.arange(n), outputs).tests == first.tests
    if kind == "objects":
        return
    again, turned = compared(rng.permutation(n), outputs), compared(rng.permutation(n), outputs[::-1])
    assert (again.tests, again.interval) == (first.tests, first.interval)
    assert [test.p_value for test in turned.tests] == [test.p_value for test in first.tests]
    assert ends(turned.interval) == (-first.interval.high, -first.interval.low)


@pytest.mark.parametrize("test", ["crossed-t", "pigeonhole"])
@pytest.mark.parametrize("paired", [False, True])
def test_items_with_runs_are_drawn_in_any_order(test: str, paired: bool) -> None:
    rng, n, m = np.random.default_rng(1), 40, 10
    systems = []
    for place in range(2):
        runs = np.stack([system.values for system in drawn("F1", n, 1 + place, m)])
        systems.append(Rows(f"s{place}", runs.sum(axis=0), cells=Cells((Axis("run", tuple("abcdefghij")),), runs)))

    def compared(order: IntArray, systems: list[Rows]) -> outscore.Comparison:
        of = [system.take(order) for system in systems]
        options: dict[str, Any] = {"runs": RunDesign.RANDOM, "pair_runs": paired, "n_resamples": 300}
        result: ComparisonResult = outscore.compare(*of, metric=F1(), tests=test, **options)
        return result.comparisons[0]

    first, again = compared(np.arange(n), systems), compared(rng.permutation(n), systems)
    turned = compared(rng.permutation(n), systems[::-1])
    assert (again.tests, again.interval, again.components) == (first.tests, first.interval, first.components)
    assert turned.test.p_value == pytest.approx(first.test.p_value, rel=1e-12)
    assert ends(turned.interval) == pytest.approx((-first.interval.high, -first.interval.low), rel=1e-12)


@pytest.mark.parametrize("tasks", ["count", "fixed", "random"])
def test_test_sets_are_drawn_on_any_order_of_the_items(tasks: str) -> None:
    n, rng = 120, np.random.default_rng(3)
    systems, test_sets = drawn("F1", n, 3), rng.integers(0, 6, n)
    found = []
    for order in (np.arange(n), rng.permutation(n)):
        scores = outscore.read(
            *(system.values[order] for system in systems),
            metric="f1",
            test_sets=[f"set {code}" for code in test_sets[order]],
        )
        result = outscore.compare(scores, tasks=tasks, tests=["bootstrap"], n_resamples=300, seed=1)
        record: Any = result.comparisons[0]
        found.append(
            (sorted((one.test_set, one.p_value, ends(one.interval)) for one in record.test_sets), record.average)
        )
    assert found[0][0] == found[1][0]
    if found[0][1] is not None:
        assert found[0][1].tests == found[1][1].tests
        assert found[0][1].interval == found[1][1].interval


def test_responses_are_swapped_on_any_order_of_the_items() -> None:
    rng = np.random.default_rng(1)
    gold, one, other = (
        [["O" if tag == 2 else f"B-{tag}" for tag in rng.integers(0, 3, 6)] for _ in range(30)] for _ in range(3)
    )

    def compared(order: IntArray, *systems: list[list[str]]) -> outscore.Comparison:
        return outscore.compare(
            *([system[place] for place in order] for system in systems),
            references=[gold[place] for place in order],
            metric="span-f1",
            tests=["bootstrap", "randomization-by-response"],
            method="monte-carlo",
            n_resamples=300,
        ).comparisons[0]

    first = compared(np.arange(30), one, other)
    again, turned = compared(rng.permutation(30), one, other), compared(rng.permutation(30), other, one)
    assert [test.p_value for test in again.tests] == [test.p_value for test in first.tests]
    assert [test.p_value for test in turned.tests] == [test.p_value for test in first.tests]


def test_permutations_of_labels_do_not_depend_on_the_order_of_the_items() -> None:
    rng = np.random.default_rng(1)
    for sizes in ((40, 30), (35, 35)):
        one, other = (rng.normal(shift, 1, size) for shift, size in zip((0, 0.3), sizes, strict=True))
        mixed, also_mixed = rng.permutation(one), rng.permutation(other)
        found = [
            outscore.compare(*systems, unpaired=True, tests="label-permutation", n_resamples=500).comparisons[0]
            for systems in ((one, other), (mixed, also_mixed), (also_mixed, mixed))
        ]
        assert len({comparison.tests[0].p_value for comparison in found}) == 1
        assert found[0].interval == found[1].interval


def test_equal_totals_are_told_apart_by_the_items() -> None:
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2, 50).astype(float)
    systems = [np.column_stack([rng.permutation(base), np.ones(50)]) for _ in range(4)]
    rows = np.column_stack(systems)
    for _ in range(5):
        order, mixed = rng.permutation(50), rng.permutation(4)
        found = row_order(*(systems[place][order] for place in mixed))
        np.testing.assert_array_equal(rows[order][found], rows[row_order(*systems)])


def test_the_order_keeps_strata_together_and_names_the_places_given() -> None:
    values = np.array([[3.0], [1.0], [2.0], [0.0]])
    factors = Strata(np.array([1, 0, 1, 0])), Clusters(np.array([0, 1, 0, 1]))
    design = Design(4, ids=("a", "b", "c", "d"), factors=factors)
    (rows,), sorted_design = in_canonical_order([Rows("s", values)], design)
    assert sorted_design.clusters is not None
    assert sorted_design.strata is not None
    assert sorted_design.given is not None
    assert rows.values.ravel().tolist() == [0, 1, 2, 3]
    assert sorted_design.clusters.tolist() == [0, 0, 1, 1]
    assert sorted_design.strata.tolist() == [0, 0, 1, 1]
    assert sorted_design.given.tolist() == [1, 0]


def test_a_huge_item_is_named_by_its_place_in_the_order_given() -> None:
    baseline, candidate = np.arange(60.0), np.arange(60.0) + np.random.default_rng(1).normal(0, 0.1, 60)
    baseline[17], candidate[17] = 1e14, 1e14 + 3.3
    warnings = outscore.compare(baseline, candidate).comparisons[0].warnings
    assert any("scores of item 18 are so large" in warning for warning in warnings)


def test_a_mirrored_law_is_that_of_the_negated_values() -> None:
    values = np.random.default_rng(1).normal(size=999)
    law, mirrored = SampledLaw(values, tolerance=0.0), MirroredLaw(SampledLaw(-values, tolerance=0.0))
    assert mirrored.outside(-1, 0.5) == law.outside(-1, 0.5)
    assert mirrored.below(0.3) == pytest.approx(law.below(0.3))
    assert mirrored.quantile(0.25) == law.quantile(0.25)
    assert mirrored.reach(0.1, 0.05) == law.reach(0.1, 0.05)
    assert mirrored.beyond(-1, 2) == law.beyond(-1, 2)
    assert mirrored.histogram([-1, 0, 1]) == pytest.approx(law.histogram([-1, 0, 1]))
    assert math.isclose(mirrored.spread(), law.spread(), rel_tol=0.01)
