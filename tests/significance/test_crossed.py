"""Runs drawn as items are, samples, weighted strata: exact oracles, closed forms, what changes nothing."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import outscore
from outscore import F1, Mean, Rows
from outscore.cli import main
from outscore.design import Axis, Cells
from outscore.errors import OutscoreError
from outscore.results import Method, RunLaw, Verdict
from outscore.significance import Resampling
from tests.calibration.runs import bleu_runs, f1_runs, parts
from tests.kit import RunDesign, Runs, output_metric
from tests.reports.kit import explain_verdict
from tests.significance.kit import (
    Crossing,
    GainLaws,
    GainVariance,
    LevelsPart,
    Leverage,
    Pair,
    StratumMean,
    far_levels,
    gain_variance,
    mean_of_cells,
    of_normal,
    tipping_sd,
)

FloatArray = npt.NDArray[np.float64]
EXACT = 1e-12
A = np.array([[1, 0], [1, 1], [0, 0], [0, 1]], dtype=float)
B = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 1, 0]], dtype=float)


def compared(one: Any, other: Any, **options: Any) -> outscore.Comparison:
    """Return the comparison of two systems of which an item has a row of scores, one a run."""
    options = {"metric": "mean", "runs": "random", **options}
    if options["runs"] == "random":
        options = {"tests": "crossed-t", **options}
    result: outscore.ComparisonResult = outscore.compare(one, other, **options)
    return result.comparisons[0]


def crossed_systems(
    n: int = 40, m: tuple[int, int] = (3, 3), tau: float = 0.1, gain: float = 0.0, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng([seed, n, *m])
    items = rng.normal(size=(n, 1))
    one, other = (
        items + 0.5 * rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, runs)) + tau * rng.normal(size=(1, runs))
        for runs in m
    )
    return one, other + gain


def pair_of(
    one: FloatArray, other: FloatArray, *, paired: bool = False, strata: Any = None, metric: Any = None
) -> Pair:
    """Return a pair of rows run by run, shape (m, n, k), or of scores, shape (n, m)."""
    metric = metric or Mean()
    systems = tuple(np.stack([of.T, np.ones_like(of.T)], axis=-1) if of.ndim == 2 else of for of in (one, other))
    over, rows = mean_of_cells(metric, systems)
    runs = Runs(RunDesign.RANDOM, paired)
    return Pair(over, rows[0], rows[1], strata, crossing=Crossing(metric, (runs,), systems, strata))


def laws_of(pair: Pair, **options: Any) -> GainLaws:
    return GainLaws([pair], Resampling(**options))


def long_table(path: Path, systems: dict[str, FloatArray], **columns: Any) -> str:
    """Write scores, one a system, item and run, and return the path; columns are labels of items."""
    lines = [",".join(["system", "item", "run", "score", *columns])]
    for name, scores in systems.items():
        for (item, run), score in np.ndenumerate(scores):
            if not math.isnan(score):
                labels = [str(labels[item]) for labels in columns.values()]
                lines.append(",".join([name, f"q{item}", str(run), repr(float(score)), *labels]))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--format", "json"])
    printed = capsys.readouterr()
    assert not stopped.value.code, printed.err
    return json.loads(printed.out)


# Oracles: numbers derived by hand or by every way.


def check_the_oracle(c: Any) -> None:
    assert c["gain"] == pytest.approx(1 / 4, rel=EXACT)
    (test,) = c["tests"]
    assert test["name"] == "crossed-t"
    assert test["df"] == pytest.approx(1176 / 293, rel=EXACT)
    assert test["statistic"] == pytest.approx(0.25 / math.sqrt(7 / 216), rel=EXACT)
    assert test["p_value"] == pytest.approx(0.237011791994, abs=EXACT)
    assert c["interval"]["low"] == pytest.approx(-0.249147488245, abs=EXACT)
    assert c["interval"]["high"] == pytest.approx(0.749147488245, abs=EXACT)
    assert c["verdict"] == "inconclusive"
    # σ²_D/n = max(V_I − Σ V_E, 0), Σ τ²/m = Σ max(V_R − V_E, 0), Σ V_E
    parts_ = [Fraction(0), Fraction(1, 48) - Fraction(5, 432), Fraction(1, 24) + Fraction(5, 432)]
    for name, part in zip(("items", "runs", "interaction"), parts_, strict=True):
        assert c["components"][name] == pytest.approx(float(part / sum(parts_)), abs=EXACT)


def test_crossed_t_of_four_items() -> None:
    result = outscore.compare(A, B, metric="mean", runs="random", tests="crossed-t")
    check_the_oracle(json.loads(result.to_json())["comparisons"][0])
    one_sided = compared(A, B, alternative="greater")
    assert one_sided.test.p_value == pytest.approx(0.118505895997, abs=EXACT)
    assert any("No verdict: two" in warning for warning in one_sided.warnings)


def test_crossed_t_of_four_items_from_a_long_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = long_table(tmp_path / "long.csv", {"A": A, "B": B})
    found = asked(capsys, "compare", f"{table}:A", f"{table}:B", "--run", "run", "--runs", "random", "-t", "crossed-t")
    check_the_oracle(found["comparisons"][0])


def test_components_of_four_items() -> None:
    variance = gain_variance(pair_of(A, B))
    assert variance.items == pytest.approx(5 / 432, rel=EXACT)
    assert [of.between for of in variance.factors] == pytest.approx([0, 1 / 48], abs=EXACT)
    assert [of.interaction for of in variance.factors] == pytest.approx([1 / 24, 5 / 432], rel=EXACT)
    assert variance.total == pytest.approx(7 / 216, rel=EXACT)


@pytest.mark.parametrize(
    ("alternative", "bootstrap", "swap"), [("greater", "1/256", "1/8"), ("two-sided", "1/128", "1/4")]
)
def test_runs_that_are_fixed_keep_exact_laws(alternative: str, bootstrap: str, swap: str) -> None:
    found = compared(A, B, runs="fixed", tests=["bootstrap", "randomization"], alternative=alternative)
    assert [test.p_value for test in found.tests] == pytest.approx(
        [float(Fraction(bootstrap)), float(Fraction(swap))], rel=EXACT
    )
    sums = compared(
        [3, 6, 0, 3], [6, 6, 2, 4], runs=None, tests=["bootstrap", "randomization"], alternative=alternative
    )
    assert [test.p_value for test in sums.tests] == pytest.approx([test.p_value for test in found.tests], rel=EXACT)


def test_relabelling_runs() -> None:
    found = compared(A, B, tests="permute-runs", alternative="greater")
    assert found.test.p_value == pytest.approx(3 / 10, rel=EXACT)


def pigeonhole_of(a: FloatArray, b: FloatArray) -> dict[Fraction, Fraction]:
    """Return the law of the gain over all draws of items and of runs, by counting."""
    n, law = len(a), dict[Fraction, int]()
    a_, b_ = (np.rint(of).astype(int).tolist() for of in (a, b))
    for items in product(range(n), repeat=n):
        of_runs = [[sum(of[i][r] for i in items) for r in range(len(of[0]))] for of in (a_, b_)]
        for one in product(range(a.shape[1]), repeat=a.shape[1]):
            for other in product(range(b.shape[1]), repeat=b.shape[1]):
                gain = Fraction(sum(of_runs[1][r] for r in other), n * b.shape[1]) - Fraction(
                    sum(of_runs[0][r] for r in one), n * a.shape[1]
                )
                law[gain] = law.get(gain, 0) + 1
    whole = sum(law.values())
    return {gain: Fraction(count, whole) for gain, count in law.items()}


def test_the_pigeonhole_law() -> None:
    """All 4⁴·2²·3³ draws: 4087/27648 one-sided, Var* = 13/576 + 37/1728 by the identity."""
    law, laws = pigeonhole_of(A, B), laws_of(pair_of(A, B))
    drawn = laws.pigeonhole()
    assert drawn.exact
    one_sided = drawn.outside(-math.inf, 0.5).value
    assert one_sided == pytest.approx(4087 / 27648, rel=EXACT)
    assert float(sum(mass for gain, mass in law.items() if gain >= Fraction(1, 2))) == pytest.approx(one_sided)
    two_sided = drawn.outside(0.0, 0.5).value
    assert two_sided == pytest.approx(0.291739004630, abs=EXACT)
    mean = sum(gain * mass for gain, mass in law.items())
    variance = sum((gain - mean) ** 2 * mass for gain, mass in law.items())
    assert variance == Fraction(19, 432) == Fraction(13, 576) + Fraction(37, 1728)
    below = Fraction(0)
    for gain in sorted(law):
        assert drawn.below(float(gain)) == pytest.approx(float(below + law[gain] / 2), abs=EXACT)
        below += law[gain]
    of = gain_variance(pair_of(A, B))
    squares = sum(float(((y - y.mean(1, keepdims=True) - y.mean(0) + y.mean()) ** 2).sum()) / y.size**2 for y in (A, B))
    runs = sum(factor.between * factor.degrees / factor.n_levels for factor in of.factors)
    assert of.items * 3 / 4 + runs + squares == pytest.approx(19 / 432, rel=EXACT)


def test_the_pigeonhole_test_needs_ten_runs_and_says_so_where_only_exact_will_do() -> None:
    one, other = crossed_systems(20, (10, 10))
    with pytest.raises(OutscoreError, match="needs 10 runs"):
        compared(one[:, :9], other, tests="pigeonhole")
    with pytest.raises(OutscoreError, match="not-exact"):
        compared(one, other, tests="pigeonhole", method="exact")
    test = compared(one, other, tests="pigeonhole", n_resamples=2000).test
    assert (test.exact, test.n_resamples) == (False, 2000)


@pytest.mark.parametrize("doors", ["python", "table"])
def test_strata_of_equal_weight(doors: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """d = (1, 1, −1), (1, 0): the gain is 5/12, p = 2/9 one-sided; t has V = 25/144 = Var* with n_h − 1 draws."""
    scores, strata = [1, 1, -1, 1, 0], list("xxxyy")
    asks: Any = {"tests": ["bootstrap", "paired-t"], "alternative": "greater"}
    if doors == "python":
        c = outscore.compare([0] * 5, scores, metric="mean", strata=strata, weights="macro", **asks).comparisons[0]
        gain, p, t = c.gain, c.test.p_value, c.tests[1].statistic
    else:
        table = tmp_path / "s.csv"
        lines = [f"{i},{h},0,{d}" for i, (h, d) in enumerate(zip(strata, scores, strict=True))]
        table.write_text("\n".join(["item,subject,a,b", *lines]))
        asked_for = f"compare {table}:a {table}:b --stratum subject --weights macro --alternative greater"
        found = asked(capsys, *asked_for.split(), "--test", "bootstrap,paired-t")["comparisons"][0]
        gain, p, t = found["gain"], found["tests"][0]["p_value"], found["tests"][1]["statistic"]
    assert gain == pytest.approx(5 / 12, rel=EXACT)
    assert p == pytest.approx(2 / 9, rel=EXACT)
    assert t == pytest.approx(5 / 12 / math.sqrt(25 / 144), rel=EXACT)


def by_item(scores: FloatArray) -> dict[str, list[float]]:
    """Scores of shape (n, runs) by item, as an array with more runs than items is taken to be turned."""
    return {str(item): row.tolist() for item, row in enumerate(scores)}


def test_pass_at_k_through_both_doors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of five right: pass@2 = 7/10; three of ten: pass@5 = 11/12."""
    right = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=float)
    none = np.zeros_like(right)
    c = compared(by_item(none), by_item(right), runs="samples", reduce="pass@2")
    assert c.candidate_score == pytest.approx((7 / 10 + 0 + 1) / 3, rel=EXACT)
    ten = np.array([[1] * 3 + [0] * 7, [0] * 10], dtype=float)
    c = compared(by_item(np.zeros_like(ten)), by_item(ten), runs="samples", reduce="pass@5")
    assert c.candidate_score == pytest.approx(11 / 24, rel=EXACT)
    table = long_table(tmp_path / "long.csv", {"A": none, "B": right})
    options = ["--run", "run", "--runs", "samples", "--reduce", "pass@2"]
    found = asked(capsys, "compare", f"{table}:A", f"{table}:B", *options)["comparisons"][0]
    assert found["candidate_score"] == pytest.approx(17 / 30, rel=EXACT)


def test_the_tipping_point() -> None:
    known = GainVariance((of_normal(0.011**2, 499.0),), 500, (), {})
    assert tipping_sd(known, 0.03, 0.05, (1, 1)) == pytest.approx(0.00752615421, abs=1e-11)
    # From scores: d̄ = 0.03, s²(d)/n = 0.011² exactly.
    d = np.tile([1.0, -1.0], 50)
    d = 0.03 + d * 0.011 * math.sqrt(99)
    fixed = compared(np.zeros((100, 1)), d[:, None], runs="fixed")
    z = stats.norm.isf(0.025)
    assert fixed.tipping_run_sd == pytest.approx(math.sqrt((0.03 / z) ** 2 - 0.011**2) / math.sqrt(2), rel=1e-10)
    with pytest.raises(OutscoreError, match=r"one-run") as refused:
        compared(np.zeros((100, 1)), d[:, None])
    assert "0.00753 (sd)" in str(refused.value)


@pytest.mark.parametrize(
    ("n", "m", "se"), [(500, 1, 0.025140), (500, 3, 0.019253), (500, 5, 0.017844), (1000, 3, 0.014048)]
)
def test_planning(n: int, m: int, se: float) -> None:
    """σ_D² = 0.12, τ = 0.006 and ω² = 0.08 in both, from a pilot of any size."""
    n0, m0 = 200, 4
    interaction = 0.08 / (n0 * m0)
    factor = LevelsPart(Runs(RunDesign.RANDOM), m0, 0.006**2 / m0 + interaction, interaction)
    pilot = GainVariance((of_normal(0.12 / n0 + 2 * interaction, n0 - 1.0),), n0, (factor, factor), {})
    variance = pilot.anew(n, (m, m))
    assert variance == pytest.approx(0.12 / n + 2 * 0.006**2 / m + 2 * 0.08 / (n * m), rel=EXACT)
    assert math.sqrt(variance) == pytest.approx(se, abs=5e-7)
    if n == 1000:
        assert 2 * 0.006**2 / m / variance == pytest.approx(0.122, abs=5e-4)


# The closed form, the weights form, and what the calibration suite writes out.


@pytest.mark.parametrize("m", [(3, 3), (2, 5), (6, 4)])
def test_the_closed_form_is_what_calibration_writes_out(m: tuple[int, int]) -> None:
    one, other = crossed_systems(60, m, gain=0.2)
    expected = parts(one[None], other[None])
    c = compared(one, other)
    assert c.tests[0].df == pytest.approx(expected.degrees[0], rel=1e-11)
    assert c.tests[0].p_value == pytest.approx(expected.crossed_t()[0], rel=1e-11)


def test_the_closed_form_of_paired_runs_is_what_calibration_writes_out() -> None:
    one, other = crossed_systems(60, (5, 5), gain=0.2)
    c = compared(one, other, pair_runs=True)
    assert c.tests[0].p_value == pytest.approx(parts(one[None], other[None], paired=True).crossed_t()[0], rel=1e-11)
    assert c.runs is not None
    assert c.runs.paired


def corpus(name: str, m: int, n: int = 40, sizes: tuple[int, ...] = (), seed: int = 1) -> Pair:
    of = (f1_runs if name == "f1" else bleu_runs)(0.2, sizes)
    one, other = of.draw(np.random.default_rng(seed), n, m, 0.2)
    metric = of.metric
    strata = np.repeat(np.arange(len(sizes)), sizes) if sizes else None
    if strata is not None:
        metric = StratumMean(of.metric, (1 / len(sizes),) * len(sizes))
        one, other = metric.placed(one, strata), metric.placed(other, strata)
    return pair_of(one, other, metric=metric, strata=strata)


@pytest.mark.parametrize("name", ["f1", "bleu"])
@pytest.mark.parametrize("sizes", [(), (10, 30)])
def test_corpus_metrics_by_the_jackknife(name: str, sizes: tuple[int, ...]) -> None:
    """V_I, V_E and V_R from what each run scores without each item."""
    pair = corpus(name, 3, sizes=sizes)
    found, crossing = gain_variance(pair), pair.crossing
    assert crossing is not None
    metric, n, leverage = crossing.metric, crossing.n_units, Leverage(pair.sizes, crossing.strata)

    def influences(rows: FloatArray) -> FloatArray:
        without = [float(metric.score(np.delete(rows, i, axis=0).sum(axis=0))) for i in range(n)]
        return leverage.influences(float(metric.score(rows.sum(axis=0))) - np.array(without))

    of = [np.stack([influences(run) for run in rows]) for rows in crossing.systems]
    assert found.items == pytest.approx(((of[1].mean(axis=0) - of[0].mean(axis=0)) ** 2).sum(), rel=1e-9)
    for own, rows, part in zip(of, crossing.systems, found.factors, strict=True):
        m = len(own)
        scores = np.array([float(metric.score(run.sum(axis=0))) for run in rows])
        assert part.between == pytest.approx(scores.var(ddof=1) / m, rel=1e-9)
        assert part.interaction == pytest.approx(((own - own.mean(axis=0)) ** 2).sum() / (m * (m - 1)), rel=1e-9)


# What changes nothing.


def same(one: outscore.Comparison, other: outscore.Comparison, sign: float = 1.0, factor: float = 1.0) -> None:
    assert other.gain == pytest.approx(sign * factor * one.gain, rel=1e-9, abs=1e-12 * factor)
    for first, second in zip(one.tests, other.tests, strict=True):
        assert second.p_value == pytest.approx(first.p_value, rel=1e-9)
        assert (second.df is None) == (first.df is None)
        if first.df is not None:
            assert second.df == pytest.approx(first.df, rel=1e-9)
            assert first.statistic is not None
            assert second.statistic == pytest.approx(sign * first.statistic, rel=1e-9, abs=1e-12)
    assert other.components == pytest.approx(one.components) if one.components is None else True
    ends = sorted(sign * factor * end for end in (one.interval.low, one.interval.high))
    assert [other.interval.low, other.interval.high] == pytest.approx(ends, rel=1e-9, abs=1e-12 * factor)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("runs", ["random", "fixed"])
def test_the_order_of_runs_changes_not_a_bit(paired: bool, runs: str) -> None:
    if paired and runs == "fixed":
        pytest.skip("fixed runs are not paired")
    one, other = crossed_systems(30, (5, 5), gain=0.3)
    options = {"runs": runs, "pair_runs": True} if paired else {"runs": runs}
    order = [3, 0, 4, 1, 2]
    before = compared(one, other, **options)
    after = compared(one[:, order], other[:, order if paired else [1, 4, 0, 3, 2]], **options)
    assert after.test.p_value == before.test.p_value
    assert (after.interval, after.gain, after.components, after.run_sd) == (
        before.interval,
        before.gain,
        before.components,
        before.run_sd,
    )


def test_names_of_runs_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = crossed_systems(6, (10, 10), gain=0.3)
    found = []
    for labels in (range(10), "abcdefghij", [7, 3, 10, 100, 2, 1, 55, 4, 0.5, 9]):
        lines = ["system,item,run,score"]
        for name, scores in (("A", one), ("B", other)):
            lines += [f"{name},q{i},{labels[r]},{float(y)!r}" for (i, r), y in np.ndenumerate(scores)]
        table = tmp_path / "long.csv"
        table.write_text("\n".join(lines))
        c = asked(capsys, "compare", f"{table}:A", f"{table}:B", "--run", "run", "--runs", "random")["comparisons"][0]
        found.append([c["tests"][0]["p_value"], c["interval"]["low"], c["components"]["items"]])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("factor", [100.0, 1e60])
@pytest.mark.parametrize("options", [{}, {"pair_runs": True}, {"run_law": "fiducial"}])
def test_units_change_nothing(factor: float, options: Any) -> None:
    one, other = crossed_systems(30, (4, 4), gain=0.3)
    same(compared(one, other, **options), compared(factor * one, factor * other, **options), factor=factor)


@pytest.mark.parametrize("options", [{}, {"pair_runs": True}, {"run_law": "fiducial"}])
def test_swapping_the_systems_turns_the_sign(options: Any) -> None:
    one, other = crossed_systems(30, (4, 4), gain=0.3)
    same(compared(one, other, **options), compared(other, one, **options), sign=-1.0)


def test_a_metric_of_which_lower_is_better_turns_the_sign() -> None:
    one, other = crossed_systems(30, (4, 3), gain=0.3)
    same(compared(one, other), compared(one, other, lower_is_better=True), sign=-1.0)


def test_seeds_change_nothing() -> None:
    one, other = crossed_systems(30, (3, 4), gain=0.3)
    first = compared(one, other)
    assert compared(one, other, seed=7).tests[0].p_value == first.tests[0].p_value  # closed form: nothing is drawn


def test_clusters_are_the_items_of_their_sums() -> None:
    """Clusters of one size: what their means give, with n counting clusters."""
    one, other = crossed_systems(40, (3, 4), gain=0.3)
    clusters = np.repeat(np.arange(10), 4)
    means = [of.reshape(10, 4, -1).mean(axis=1) for of in (one, other)]
    same(compared(*means), compared(one, other, clusters=clusters))


def test_clusters_of_unequal_sizes_by_linearisation() -> None:
    one, other = crossed_systems(40, (3, 4), gain=0.3)
    sizes = np.array([1, 2, 3, 4, 5, 6, 7, 8, 4])
    clusters = np.repeat(np.arange(9), sizes)

    share = sizes / 40

    def influences(scores: FloatArray) -> FloatArray:
        sums = np.stack([np.bincount(clusters, weights=run) for run in scores.T], axis=1)
        return np.asarray((sums - np.outer(sizes, scores.mean(axis=0))) / 40 / np.sqrt(1 - share)[:, None])

    a, b = influences(one), influences(other)
    v_i = ((b.mean(axis=1) - a.mean(axis=1)) ** 2).sum()
    v_r = [of.mean(axis=0).var(ddof=1) / of.shape[1] for of in (one, other)]
    v_e = [((of - of.mean(axis=1, keepdims=True)) ** 2).sum() for of in (a, b)]
    v_e = [of / (m * (m - 1)) for of, m in zip(v_e, (3, 4), strict=True)]
    total = v_i + v_r[0] + max(v_r[1] - v_e[1] / 3, 0)
    test = compared(one, other, clusters=clusters).test
    assert test.statistic == pytest.approx((other.mean() - one.mean()) / math.sqrt(total), rel=1e-10)
    leverage = share**2 / (1 - share)
    nu = 1 / ((share**2).sum() + leverage.sum() ** 2 - (leverage**2).sum())
    degrees = total**2 / (v_i**2 / nu + v_r[0] ** 2 / 2 + v_r[1] ** 2 / 3)
    assert test.df == pytest.approx(degrees, rel=1e-10)


@pytest.mark.parametrize("weights", ["macro", "size", {"x": 0.5, "y": 0.25, "z": 0.25}, {"x": 0, "y": 1, "z": 3}])
@pytest.mark.parametrize("m", [(3, 4), (5, 5)])
def test_runs_within_weighted_strata(weights: Any, m: tuple[int, int]) -> None:
    """V_I = Σ ω_h² s_h²(d̄)/n_h, V_E likewise, V_R of the runs' weighted scores."""
    one, other = crossed_systems(40, m, gain=0.3)
    strata = np.repeat(["x", "y", "z"], [8, 12, 20])
    sizes = {"x": 8, "y": 12, "z": 20}
    share = {"macro": dict.fromkeys("xyz", 1 / 3), "size": {h: n / 40 for h, n in sizes.items()}}
    of = share[weights] if isinstance(weights, str) else {h: w / sum(weights.values()) for h, w in weights.items()}

    def variance(values: FloatArray) -> tuple[float, float]:
        each = [of[h] ** 2 * values[strata == h].var(ddof=1) / n for h, n in sizes.items()]
        return sum(each), sum(each) ** 2 / sum(v**2 / (n - 1) for v, n in zip(each, sizes.values(), strict=True))

    scores = [sum(of[h] * y[strata == h].mean(axis=0) for h in sizes) for y in (one, other)]
    v_i, degrees = variance(other.mean(axis=1) - one.mean(axis=1))
    total, below = v_i, v_i**2 / degrees
    for y, runs in zip((one, other), scores, strict=True):
        k = y.shape[1]
        v_r = np.var(runs, ddof=1) / k
        v_e = sum(variance(y[:, r] - y.mean(axis=1))[0] for r in range(k)) / (k * (k - 1))
        total += max(v_r - max(0, (k - 3) / (k - 1)) * v_e, 0)
        below += v_r**2 / (k - 1)
    gain = float(np.mean(scores[1]) - np.mean(scores[0]))
    c = compared(one, other, strata=strata, weights=weights)
    assert c.gain == pytest.approx(gain, rel=1e-10)
    assert c.test.statistic == pytest.approx(gain / math.sqrt(total), rel=1e-10)
    assert c.test.df == pytest.approx(total**2 / below, rel=1e-10)


@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (7, 4), (199, 200)])
def test_unequal_numbers_of_runs_that_are_fixed(sizes: tuple[int, int]) -> None:
    """Rows of averages: what averaging beforehand gives."""
    one, other = crossed_systems(12, sizes, gain=0.3)
    one, other = np.rint(4 * one), np.rint(4 * other)
    found = compared(by_item(one), by_item(other), runs="fixed", tests="randomization")
    least = math.lcm(*sizes)
    sums = [np.rint(of.sum(axis=1) * (least // of.shape[1])) for of in (one, other)]
    plain = compared(*sums, runs=None, tests="randomization")
    assert found.test.p_value == pytest.approx(plain.test.p_value, rel=1e-9)
    assert found.gain == pytest.approx(plain.gain / least, rel=1e-12)


# Ties, and what is degenerate.


def test_ties() -> None:
    copies = np.tile(crossed_systems(20, (1, 1))[0], (1, 3))
    assert compared(copies, copies).test.p_value == 1.0
    apart = compared(copies, copies + 0.5)
    assert apart.test.p_value < 1e-300
    assert apart.components is None
    assert apart.run_sd is not None
    assert apart.run_sd.estimate == 0
    one, _ = crossed_systems(20, (3, 3))
    equal = compared(one, one)  # V > 0, the gain is 0
    assert (equal.test.p_value, equal.test.statistic) == (1.0, 0.0)
    assert compared(copies, copies, claim="not-worse", margin=0.1).test.p_value < 1e-300


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e6, -3e9])
def test_runs_that_are_alike_but_for_rounding_do_not_vary(offset: float) -> None:
    items = np.linspace(0, 1, 20)[:, None] + offset
    noise = np.spacing(np.abs(items) + 1) * np.array([[0, 1, -1]])
    found = compared(items + noise, items[::-1] + noise[:, ::-1])
    assert found.run_sd is not None
    assert found.run_sd.estimate == 0
    assert found.components is None or found.components.items == pytest.approx(1.0)


def test_copies_of_runs_are_the_runs_fixed() -> None:
    """V_R = V_E = 0: paired t over items is what remains, with more degrees of freedom for nothing."""
    one, other = crossed_systems(30, (1, 1), gain=0.2)
    c = compared(np.tile(one, (1, 4)), np.tile(other, (1, 4)))
    t = compared(one[:, 0], other[:, 0], runs=None, tests="paired-t").test
    assert c.test.p_value == pytest.approx(t.p_value, rel=1e-10)


# Few runs.


@pytest.mark.parametrize("m", [(1, 1), (1, 3), (3, 1)])
def test_one_run_is_refused(m: tuple[int, int]) -> None:
    one, other = crossed_systems(30, m, gain=1.0)
    with pytest.raises(OutscoreError, match=r"but not if the score of one run varies by more than .* \[one-run\]"):
        compared(one, other)


@pytest.mark.parametrize("m", [(1, 1), (1, 3)])
def test_a_published_run_sd(m: tuple[int, int]) -> None:
    one, other = crossed_systems(30, m, gain=1.0)
    c = compared(one, other, run_sd=0.2)
    v_i = (other.mean(axis=1) - one.mean(axis=1)).var(ddof=1) / 30
    total = v_i + 0.04 * (1 / m[0] + 1 / m[1])
    assert c.test.statistic == pytest.approx(c.gain / math.sqrt(total), rel=1e-10)
    assert c.test.df == pytest.approx(29, rel=EXACT)
    assert c.components is not None
    assert c.components.items == pytest.approx(v_i / total, rel=1e-10)
    assert c.components.runs == pytest.approx(1 - v_i / total, rel=1e-10)


def test_a_borrowed_run_sd() -> None:
    one, other = crossed_systems(30, (1, 5), gain=1.0)
    c = compared(one, other, run_sd="borrowed")
    v_i, s2 = (other.mean(axis=1) - one[:, 0]).var(ddof=1) / 30, other.mean(axis=0).var(ddof=1)
    lent = s2 * (1 + 1 / 5)
    assert c.test.statistic == pytest.approx(c.gain / math.sqrt(v_i + lent), rel=1e-10)
    assert c.test.df == pytest.approx((v_i + lent) ** 2 / (v_i**2 / 29 + lent**2 / 4), rel=1e-10)
    with pytest.raises(OutscoreError, match="3 runs or more"):
        compared(one, other[:, :2], run_sd="borrowed")


@pytest.mark.parametrize("run_sd", [0.0, 0.1, "borrowed"])
def test_runs_that_are_there_are_not_passed_over(run_sd: Any) -> None:
    """A published spread in place of the observed one would make new runs of fixed ones."""
    with pytest.raises(OutscoreError, match="run-sd-known"):
        compared(*crossed_systems(30, (3, 3)), run_sd=run_sd)


def test_two_runs_withhold_the_verdict_everywhere() -> None:
    one, other = crossed_systems(30, (2, 2), gain=3.0)
    withheld = compared(one, other)
    assert withheld.verdict is Verdict.INCONCLUSIVE
    assert withheld.withheld == withheld.warnings[0]
    assert explain_verdict(withheld).startswith("No verdict: two runs")
    text = str(withheld)
    assert "not rejected" not in text
    assert " ".join(text.split()).count("No verdict: two") == 1
    assert compared(one, np.c_[other, other[:, :1] + 0.1]).verdict is Verdict.INCONCLUSIVE
    assert compared(one, other, run_law="fiducial", alpha=0.2).verdict is Verdict.BETTER
    ranking = outscore.rank({"one": one, "other": other}, metric="mean", runs="random", tests="crossed-t")
    assert any("No verdict: two" in warning for warning in ranking.warnings)
    assert [(system.rank_low, system.rank_high) for system in ranking.systems] == [(1, 2), (1, 2)]
    three = outscore.rank(
        {"one": one, "other": np.c_[other, other[:, :1]], "third": one - 9},
        metric="mean",
        runs="random",
        tests="crossed-t",
    )
    assert any("No verdict: two" in warning for warning in three.warnings)


def test_few_runs_are_called_rough() -> None:
    for m in (3, 4):
        c = compared(*crossed_systems(30, (m, m)))
        assert any(f"With {m} runs the crossed t test is approximate" in warning for warning in c.warnings)
    assert not any("is approximate" in warning for warning in compared(*crossed_systems(30, (5, 5))).warnings)


# A run that lies far from its fellows.


def test_a_run_far_from_its_fellows_is_marked() -> None:
    one, other = crossed_systems(200, (6, 6), tau=0.02)
    assert not any("is an outlier" in warning for warning in compared(one, other).warnings)
    other[:, 3] -= 1
    (warning,) = [w for w in compared(one, other).warnings if "is an outlier" in w]
    assert warning.startswith('candidate: run "4" is an outlier')
    ranking = outscore.rank({"one": one, "other": other}, metric="mean", runs="random", tests="crossed-t")
    assert any("is an outlier" in warning for warning in ranking.warnings)


def test_normal_runs_are_seldom_far() -> None:
    """At most 1% of systems: 400 each, and 5 standard errors (a false alarm of 1e-5)."""
    rng = np.random.default_rng(0)
    for m in (3, 5, 10):
        marked = sum(bool(far_levels(scores, 0.0)) for scores in rng.normal(size=(400, m)))
        assert marked <= 4 + 5 * math.sqrt(3.96)
    alike = np.repeat([0.5, 0.5, 0.5, 0.52], 1)
    assert far_levels(alike, 0.02) == []  # one item more of fifty: interaction alone makes that
    assert far_levels(alike, 0.0) == [3]


# Other laws.


@pytest.mark.parametrize("excess", [0.1, 0.5, 1.0, 2.5])
def test_the_fiducial_law_against_draws(excess: float) -> None:
    """A million draws tell p to 5 standard errors, a false alarm of 6e-7."""
    one, other = crossed_systems(25, (3, 4), tau=0.3)
    other += excess - (other.mean() - one.mean())
    pair = pair_of(one, other)
    variance = gain_variance(pair)
    rng = np.random.default_rng(3)
    drawn = math.sqrt(variance.items) * rng.standard_t(variance.degrees, 10**6)
    for factor in variance.factors:
        drawn += math.sqrt(factor.beyond_items) * rng.standard_t(factor.degrees, 10**6)
    p = float((np.abs(drawn) >= excess).mean())
    found = compared(one, other, run_law="fiducial")
    assert found.test.p_value == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 10**6) + 1e-9)
    # The interval ends where p = 0.05.
    edge = found.interval.high - found.gain
    at_edge = compared(one, other - found.gain + edge, run_law="fiducial").test.p_value
    assert at_edge == pytest.approx(0.05, abs=1e-6)


def test_the_fiducial_law_of_one_part_is_students() -> None:
    """Runs that do not vary: t over items, n − 1 degrees of freedom."""
    one, other = (np.tile(of, (1, 3)) for of in crossed_systems(25, (1, 1), gain=0.2))
    fiducial, student = (compared(one, other, run_law=law).test.p_value for law in RunLaw)
    assert fiducial == pytest.approx(student, rel=1e-6)


@pytest.mark.parametrize("m", [(3, 4), (5, 5)])
@pytest.mark.parametrize("paired", [False, True])
def test_permuting_runs_by_every_way(m: tuple[int, int], paired: bool) -> None:
    if paired and m[0] != m[1]:
        pytest.skip("runs of unequal number are not paired")
    one, other = (np.rint(4 * of) for of in crossed_systems(8, m, tau=1.0, gain=0.5))
    a, b = ([Fraction(int(total), 8) for total in of.sum(axis=0)] for of in (one, other))
    if paired:
        differences = [y - x for x, y in zip(a, b, strict=True)]
        observed = sum(differences, Fraction()) / len(a)
        signs = product((1, -1), repeat=len(a))
        gains = [sum(map(Fraction.__mul__, differences, map(Fraction, of)), Fraction()) / len(a) for of in signs]
    else:
        observed, every = sum(b, Fraction()) / len(b) - sum(a, Fraction()) / len(a), range(len(a + b))
        sums = [sum(((a + b)[place] for place in chosen), Fraction()) for chosen in combinations(every, len(b))]
        gains = [new / len(b) - (sum(a + b) - new) / len(a) for new in sums]
    for alternative, hits in (
        ("greater", sum(gain >= observed for gain in gains)),
        ("two-sided", sum(abs(gain) >= abs(observed) for gain in gains)),
    ):
        found = compared(one, other, tests="permute-runs", alternative=alternative, pair_runs=paired)
        assert found.test.p_value == pytest.approx(hits / len(gains), rel=EXACT)


def test_permuting_many_runs() -> None:
    """11 and 11 runs have 705,432 labellings; 12 and 12 too many, and the test says so."""
    one, other = crossed_systems(6, (11, 11), tau=1.0, gain=50.0)
    found = compared(by_item(one), by_item(other), tests="permute-runs")
    assert found.test.p_value == pytest.approx(2 / 705_432, rel=EXACT)
    with pytest.raises(OutscoreError, match="more than a million"):
        compared(*map(by_item, crossed_systems(6, (12, 12))), tests="permute-runs")


def test_claims_with_a_margin() -> None:
    one, other = crossed_systems(30, (5, 5), gain=-0.1)
    c = compared(one, other, claim="not-worse", margin=0.5)
    se = abs(compared(one, other).gain / compared(one, other).test.statistic)  # type: ignore[operator]
    df = c.test.df or math.nan
    assert c.test.p_value == pytest.approx(stats.t.sf((c.gain + 0.5) / se, df), rel=1e-9)
    (warning,) = [warning for warning in c.warnings if "margin" in warning]
    assert "bootstrap" not in warning  # of which crossed t is none
    both = compared(one, other, claim="equivalent", margin=0.5).test
    expected = max(stats.t.sf((c.gain + 0.5) / se, df), stats.t.cdf((c.gain - 0.5) / se, df))
    assert both.p_value == pytest.approx(expected, rel=1e-9)


# Pairing.


def test_runs_pair_by_their_names(tmp_path: Path) -> None:
    one, other = crossed_systems(12, (3, 3))
    with pytest.raises(OutscoreError, match="unpaired-runs"):
        compared(one[:, :2], other, pair_runs=True)
    table = Path(long_table(tmp_path / "long.csv", {"A": one, "B": other}))
    lines = table.read_text().replace(",0,", ",zero,").splitlines()
    table.write_text("\n".join(line.replace(",zero,", ",0,") if line.startswith("A") else line for line in lines))
    read: Any = {"run": "run", "runs": "random", "pair_runs": True}
    with pytest.raises(OutscoreError, match='"zero"'):
        outscore.compare(f"{table}:A", f"{table}:B", **read)
    assert outscore.compare(f"{table}:A", f"{table}:B", **{**read, "pair_runs": False}).comparisons


def test_files_of_runs_pair_by_their_places(tmp_path: Path) -> None:
    one, other = crossed_systems(20, (3, 3), tau=0.5)
    names: dict[str, list[str]] = {"base": [], "new": []}
    for name, scores, called in (("base", one, "xyz"), ("new", other, "zxy")):
        for run in range(3):
            path = tmp_path / f"{called[run]}.{name}.txt"
            path.write_text("\n".join(map(repr, scores[:, run].tolist())))
            names[name].append(str(path))
    systems = [f"{name}={','.join(files)}" for name, files in names.items()]
    c = outscore.compare(*systems, metric="mean", runs="random", pair_runs=True).comparisons[0]
    assert c.tests[0].p_value == pytest.approx(compared(one, other, pair_runs=True).tests[0].p_value, rel=1e-9)


# Missing cells.


def test_a_run_that_lacks_an_item_is_an_error_unless_told() -> None:
    one, other = crossed_systems(20, (3, 3))
    holes = one.copy()
    holes[4, 1] = np.nan
    for runs in ("random", "fixed"):
        with pytest.raises(OutscoreError, match="missing-cells"):
            compared(holes, other, runs=runs)
    kept = np.delete(np.arange(20), 4)
    dropped = compared(holes, other, drop_missing=True)
    assert dropped.tests[0].p_value == pytest.approx(compared(one[kept], other[kept]).tests[0].p_value, rel=1e-10)
    zeroed = np.where(np.isnan(holes), 0.0, holes)
    zero = compared(holes, other, zero_missing=True)
    assert zero.tests[0].p_value == pytest.approx(compared(zeroed, other).tests[0].p_value, rel=1e-10)
    assert any("1 missing score(s) count as 0" in warning for warning in zero.warnings)


def test_samples_average_what_is_there_and_count_it() -> None:
    one, other = crossed_systems(20, (3, 3))
    one[4, 1] = one[7, 0] = np.nan
    c = compared(one, other, runs="samples", tests="paired-t")
    plain = compared(np.nanmean(one, axis=1), other.mean(axis=1), runs=None, tests="paired-t")
    assert c.tests[0].p_value == pytest.approx(plain.tests[0].p_value, rel=1e-10)
    assert any("2 of 60 samples are missing" in warning for warning in c.warnings)
    with pytest.raises(OutscoreError, match="missing-cells"):
        compared(np.where(np.arange(20)[:, None] == 3, np.nan, one), other, runs="samples")


def test_systems_that_lack_different_items_are_still_paired_item_by_item() -> None:
    """One item each, not the same: by position the rows between them would slip by one."""
    one, other = crossed_systems(20, (3, 3))
    whole = one.copy(), other.copy()
    one[4, 1] = other[9, 0] = np.nan
    kept = np.delete(np.arange(20), [4, 9])
    expected = compared(whole[0][kept], whole[1][kept])
    assert compared(one, other, drop_missing=True).tests[0].p_value == pytest.approx(
        expected.tests[0].p_value, rel=1e-9
    )
    # With labels by position, too.
    clusters = np.repeat(np.arange(10), 2)
    expected = compared(whole[0][kept], whole[1][kept], clusters=clusters[kept])
    found = compared(one, other, drop_missing=True, clusters=clusters)
    assert found.tests[0].p_value == pytest.approx(expected.tests[0].p_value, rel=1e-9)


@pytest.mark.parametrize("runs", ["samples", "fixed", "random"])
def test_unequal_shares_of_missing_cells_are_refused(runs: str) -> None:
    one, other = crossed_systems(20, (3, 3))
    other[:9, 1] = np.nan  # 9 of 60 against none
    assert stats.fisher_exact(np.array([[9, 51], [0, 60]]))[1] < 0.05
    with pytest.raises(OutscoreError, match="unequally-missing"):
        compared(one, other, runs=runs)
    assert compared(one, other, runs=runs, zero_missing=True).n_items == 20
    left = compared(one, other, runs=runs, drop_missing=True)
    assert left.n_items == (20 if runs == "samples" else 11)


def test_absent_rows_are_missing_cells(tmp_path: Path) -> None:
    one, other = crossed_systems(20, (3, 3))
    one[4, 1] = np.nan
    table = long_table(tmp_path / "long.csv", {"A": one, "B": other})
    read: Any = {"run": "run", "runs": "random"}
    with pytest.raises(OutscoreError, match=r'1 item\(s\) lack a score in some of the 3 runs: "q4"'):
        outscore.compare(f"{table}:A", f"{table}:B", **read)
    dropped = outscore.compare(f"{table}:A", f"{table}:B", **read, drop_missing=True).comparisons[0]
    assert dropped.tests[0].p_value == pytest.approx(
        compared(one, other, drop_missing=True).tests[0].p_value, rel=1e-10
    )


def test_a_cell_twice_is_refused(tmp_path: Path) -> None:
    table = Path(long_table(tmp_path / "long.csv", {"A": A, "B": B}))
    table.write_text(table.read_text() + "A,q0,0,1.0\n")
    with pytest.raises(OutscoreError, match="duplicate-cell") as refused:
        outscore.compare(f"{table}:A", f"{table}:B", run="run", runs="random")
    assert all(f"{option} (" in str(refused.value) for option in ("run", "template", "rater", "clusters"))


def test_many_cells_twice_are_one_line(tmp_path: Path) -> None:
    table = Path(long_table(tmp_path / "long.csv", {"A": A, "B": B}))
    table.write_text(table.read_text() + "A,q0,0,1.0\nA,q1,0,1.0\n")
    with pytest.raises(OutscoreError, match="; 1 more repeat") as refused:
        outscore.compare(f"{table}:A", f"{table}:B", run="run", runs="random")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("options", [{}, {"claim": "not-worse", "margin": 0.5}])
def test_what_these_runs_show_is_what_the_default_test_shows_of_fixed_runs(options: Any) -> None:
    one, other = crossed_systems(30, (3, 4), gain=0.3)
    new = outscore.compare(one, other, metric="mean", runs="random", **options).comparisons[0]
    fixed = outscore.compare(one, other, metric="mean", runs="fixed", **options).comparisons[0]
    assert new.runs is not None
    assert new.runs.fixed_p_value == pytest.approx(fixed.test.p_value, rel=EXACT)
    assert new.histogram.title == "bootstrap distribution of the gain over items, for these runs"
    assert fixed.histogram.title == "bootstrap distribution of the gain"


def test_the_fewest_items() -> None:
    one, other = map(by_item, crossed_systems(2, (3, 3)))
    assert 0 < compared(one, other).test.p_value <= 1
    with pytest.raises(OutscoreError, match="one-item"):
        compared({"0": one["0"]}, {"0": other["0"]})


def test_many_runs() -> None:
    one, other = crossed_systems(15, (200, 200), gain=0.2)
    expected = parts(one[None], other[None]).crossed_t()[0]
    assert compared(by_item(one), by_item(other)).test.p_value == pytest.approx(expected, rel=1e-10)


# Rankings.


def test_rankings_ask_crossed_t_of_all_pairs() -> None:
    one, other = crossed_systems(30, (4, 4), gain=0.3)
    third = crossed_systems(30, (4, 5), gain=0.9, seed=4)[1]
    systems = {"one": one, "other": other, "third": third}
    ranking = outscore.rank(systems, metric="mean", runs="random", tests="crossed-t")
    expected = {}
    for a, b in combinations(systems, 2):
        expected[frozenset((a, b))] = compared(systems[a], systems[b]).test.p_value
    plain = [pair.p_value for pair in ranking.pairs]
    assert plain == pytest.approx([expected[frozenset((p.baseline, p.candidate))] for p in ranking.pairs], rel=1e-9)
    ordered = sorted(plain)
    adjusted = np.maximum.accumulate([(3 - k) * p for k, p in enumerate(ordered)])
    assert sorted(pair.p_holm for pair in ranking.pairs) == pytest.approx(np.minimum(adjusted, 1).tolist())


# Properties.


scores = st.integers(-20, 20).map(lambda k: k / 4)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(2, 5), st.integers(2, 5), st.data())
def test_properties_of_the_crossed_t_test(n: int, one: int, other: int, data: st.DataObject) -> None:
    a, b = (
        np.array(data.draw(st.lists(st.lists(scores, min_size=m, max_size=m), min_size=n, max_size=n)))
        for m in (one, other)
    )
    c = compared(by_item(a), by_item(b))
    (test,) = c.tests
    assert 0 < test.p_value <= 1
    assert c.interval.low <= c.gain <= c.interval.high
    assert (test.p_value <= 0.05) == (not c.interval.holds(0.0)) or math.isclose(test.p_value, 0.05, rel_tol=1e-6)
    of = parts(a[None], b[None])
    with np.errstate(all="ignore"):
        expected = float(of.crossed_t()[0])
    if of.variance[0] > 1e-20:
        assert test.p_value == pytest.approx(expected, rel=1e-7, abs=1e-300)
    elif abs(of.gain[0]) < 1e-12:
        assert test.p_value == 1
    if c.components is not None:
        shares = (c.components.items, c.components.runs, c.components.interaction)
        assert min(shares) >= 0
        assert sum(shares) == pytest.approx(1)
    assert compared(by_item(b), by_item(a)).test.p_value == pytest.approx(test.p_value, rel=1e-9)
    assert compared(by_item(a[::-1]), by_item(b[::-1])).test.p_value == pytest.approx(test.p_value, rel=1e-9)
    fiducial = compared(by_item(a), by_item(b), run_law="fiducial").test.p_value
    assert 0 < fiducial <= 1


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 4), st.data())
def test_runs_that_are_fixed_are_their_means(n: int, one: int, other: int, data: st.DataObject) -> None:
    a, b = (
        np.array(data.draw(st.lists(st.lists(st.integers(0, 3), min_size=m, max_size=m), min_size=n, max_size=n)))
        for m in (one, other)
    )
    least = math.lcm(one, other)
    sums = [(of.sum(axis=1) * (least // of.shape[1])).tolist() for of in (a, b)]
    tests = ["bootstrap", "randomization"]
    found = compared(by_item(a), by_item(b), runs="fixed", tests=tests)
    plain = compared(*sums, runs=None, tests=tests)
    assert [test.p_value for test in found.tests] == pytest.approx([test.p_value for test in plain.tests], rel=1e-9)


def test_f1_and_bleu_with_runs_through_the_real_door() -> None:
    """Rows that carry runs: gain and p; the same to the last bit in any order of runs."""
    for of in (f1_runs(0.2), bleu_runs(0.2)):
        one, other = of.draw(np.random.default_rng(1), 40, 4, 0.2)
        metric = F1() if of.name == "F1" else output_metric("bleu")
        found = []
        for order in ([0, 1, 2, 3], [2, 0, 3, 1]):
            systems = [
                Rows(name, rows.sum(axis=0), cells=Cells((Axis("run", tuple("abcd")),), rows[order]))
                for name, rows in (("one", one), ("other", other))
            ]
            c = outscore.compare(*systems, metric=metric, runs=RunDesign.RANDOM, n_resamples=500).comparisons[0]
            found.append((c.gain, c.tests[0].p_value, c.interval))
            assert (c.tests[0].name, c.tests[0].n_resamples) == ("skew-t", None)
        assert found[0] == found[1]
        scores = [np.array([float(metric.score(run.sum(axis=0))) for run in rows]) for rows in (one, other)]
        assert found[0][0] == pytest.approx(scores[1].mean() - scores[0].mean(), rel=1e-9)


def test_method_of_resampling_is_that_of_the_law() -> None:
    pair = pair_of(A, B)
    assert laws_of(pair).pigeonhole().exact
    sampled = laws_of(pair, method=Method.MONTE_CARLO, n_resamples=50_000).pigeonhole()
    # 50,000 draws, five standard errors: a false alarm of 6e-7.
    p = 4087 / 27648
    assert sampled.outside(-math.inf, 0.5).value == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 50_000))


def test_intervals_of_a_ranking_do_not_depend_on_how_a_processor_decomposes_matrices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three paired runs of three systems: the covariance of their means has a direction without variance."""

    def ends() -> list[float]:
        stream = np.random.default_rng(0)
        systems = {name: stream.normal(size=(12, 3)) for name in "abc"}
        ranking = outscore.rank(systems, runs="random", pair_runs=True, n_resamples=200)
        return [end for system in ranking.systems for end in (system.interval.low, system.interval.high)]

    def decomposed(matrices: Any) -> tuple[Any, Any]:
        values, vectors = np_eigh(matrices)
        return values + 1e-16 * values.max(axis=-1, keepdims=True), -vectors

    here, np_eigh = ends(), np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", decomposed)
    assert ends() == pytest.approx(here, rel=1e-12)
