"""Templates, judges and annotators that all systems meet, alone and beside runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore import DataError, NotApplicableError, OptionError

Grid = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


@pytest.fixture
def grid() -> Grid:
    """Two systems' scores, shapes (n, m, T) = (30, 3, 4) and (30, 2, 4)."""
    rng = np.random.default_rng(7)
    item, template = rng.normal(size=(30, 1, 1)), rng.normal(0, 0.3, (1, 1, 4))
    one = item + template + rng.normal(0, 0.5, (30, 3, 4)) + rng.normal(0, 0.2, (1, 3, 1))
    other = 0.4 + item + rng.normal(0, 0.3, (1, 1, 4)) + rng.normal(0, 0.5, (30, 2, 4)) + rng.normal(0, 0.2, (1, 2, 1))
    return one, other


def test_three_factors_add_up(grid: Grid) -> None:
    one, other = grid
    result = outscore.compare(one, other, runs="random", templates="random", tests="crossed-t").comparisons[0]
    d = other.mean(axis=(1, 2)) - one.mean(axis=(1, 2))
    parts = [
        (d.var(ddof=1) / 30, 29),
        ((other.mean(axis=(0, 1)) - one.mean(axis=(0, 1))).var(ddof=1) / 4, 3),
        (one.mean(axis=(0, 2)).var(ddof=1) / 3, 2),
        (other.mean(axis=(0, 2)).var(ddof=1) / 2, 1),
    ]
    variance = sum(part for part, _ in parts)
    degrees = variance**2 / sum(part**2 / nu for part, nu in parts)
    t = d.mean() / math.sqrt(variance)
    test = result.test
    assert test.name == "crossed-t"
    assert test.statistic == pytest.approx(t, rel=1e-12)
    assert test.df == pytest.approx(degrees, rel=1e-12)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(t), degrees), rel=1e-12)
    reach = stats.t.isf(0.025, degrees) * math.sqrt(variance)
    assert result.interval.high - result.gain == pytest.approx(reach, rel=1e-9)
    assert result.components is not None
    assert result.components.items == pytest.approx(parts[0][0] / variance)
    assert result.components.templates == pytest.approx(parts[1][0] / variance)
    assert result.components.interaction == 0
    assert result.templates is not None
    assert result.templates.candidate_scores == pytest.approx(other.mean(axis=(0, 1)))
    assert result.runs is not None
    assert result.runs.baseline_scores == pytest.approx(one.mean(axis=(0, 2)))
    assert "new runs and new templates on new items" in result.sentence
    assert "items, templates and runs" in result.sentence
    # One system has two runs.
    assert result.verdict == "inconclusive"


def test_paired_runs_beside_templates(grid: Grid) -> None:
    one, other = grid[0][:, :2], grid[1]
    options: Any = {"runs": "random", "templates": "random", "pair_runs": True, "tests": "crossed-t"}
    test = outscore.compare(one, other, **options).comparisons[0].test
    d = other - one
    parts = [
        (d.mean(axis=tuple({0, 1, 2} - {axis})).var(ddof=1) / d.shape[axis], d.shape[axis] - 1) for axis in range(3)
    ]
    variance = sum(part for part, _ in parts)
    assert test.statistic == pytest.approx(d.mean() / math.sqrt(variance), rel=1e-12)
    assert test.df == pytest.approx(variance**2 / sum(part**2 / nu for part, nu in parts), rel=1e-12)


def test_templates_alone_are_paired_runs(grid: Grid) -> None:
    one, other = grid[0][:, 0], grid[1][:, 0]
    templates = outscore.compare(one, other, templates="random").comparisons[0]
    runs = outscore.compare(one, other, runs="random", pair_runs=True).comparisons[0]
    assert templates.test.p_value == runs.test.p_value
    assert templates.interval == runs.interval
    assert templates.runs is None
    assert templates.run_sd is None
    assert templates.components is not None
    assert templates.components.runs == 0
    assert templates.templates is not None
    assert templates.templates.names == ("1", "2", "3", "4")
    assert ", for new templates on new items" in templates.sentence
    assert "|templates:random|T:4|" in templates.test.signature


@pytest.mark.parametrize("metric", ["mean", "f1"])
def test_a_fixed_factor_is_averaged(grid: Grid, metric: str) -> None:
    rng = np.random.default_rng(3)
    if metric == "mean":
        one, other = grid[0][:, :2], grid[1]
    else:
        gold = rng.integers(1, 4, (30, 1, 1))
        tp = rng.binomial(np.broadcast_to(gold, (30, 4, 4)), 0.5)
        one, other = (np.stack([of, of + 1, np.broadcast_to(gold, of.shape)], axis=-1) for of in (tp[:, :2], tp[:, 2:]))

    def compared(runs: str, templates: str, *, turned: bool = False) -> Any:
        systems = [np.swapaxes(of, 1, 2) if turned else of for of in (one, other)]
        options: Any = {"runs": runs, "templates": templates, "metric": metric, "n_resamples": 500}
        return outscore.compare(*systems, **options).comparisons[0]

    fixed = compared("fixed", "fixed")
    assert ", for these runs and these templates on new items" in fixed.sentence
    random = compared("random", "fixed")
    assert random.gain == pytest.approx(fixed.gain)
    assert ", for new runs and these templates on new items" in random.sentence
    assert random.templates.names == ("1", "2", "3", "4")
    # Runs that are fixed and templates that are random: the same the other way round, but for pairing.
    turned = compared("fixed", "random", turned=True)
    assert turned.gain == pytest.approx(fixed.gain)
    assert turned.templates.baseline_scores == pytest.approx(random.runs.baseline_scores)
    assert turned.test.df != random.test.df


def test_samples_are_reduced_template_by_template() -> None:
    rng = np.random.default_rng(5)
    one, other = (rng.integers(0, 2, (25, 4, 3)) for _ in range(2))
    options: Any = {"runs": "samples", "reduce": "pass@2", "templates": "random"}
    result = outscore.compare(one, other, **options).comparisons[0]
    wrong = 4 - one.sum(axis=1)
    score = 1 - wrong * (wrong - 1) / 12
    assert result.templates is not None
    assert result.templates.baseline_scores == pytest.approx(score.mean(axis=0))
    assert result.baseline_score == pytest.approx(score.mean())
    assert "4 samples per item" in result.sentence


def _written(tmp_path: Path, one: Any, other: Any, order: list[int], sep: str = "t") -> str:
    path = tmp_path / f"scores-{'-'.join(map(str, order))}.csv"
    lines = ["system,item,run,prompt,score"]
    for name, scores in (("A", one), ("B", other)):
        n, m, t = scores.shape
        lines += [
            f"{name},q{i},{r},{sep}{k},{float(scores[i, r, k])!r}"
            for k in order[:t]
            for i in range(n)
            for r in range(m)
        ]
    path.write_text("\n".join(lines))
    return str(path)


def test_tables_in_any_order(grid: Grid, tmp_path: Path) -> None:
    options: Any = {"run": "run", "template": "prompt", "runs": "random", "templates": "random"}
    results = []
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        path = _written(tmp_path, *grid, order)
        results.append(outscore.compare(f"{path}:A", f"{path}:B", **options).comparisons[0])
    one, other = (result.tests[0] for result in results)
    assert one.p_value == other.p_value
    assert one.p_value == outscore.compare(*grid, runs="random", templates="random").comparisons[0].tests[0].p_value
    assert results[0].templates is not None
    assert results[0].templates.names == ("t0", "t1", "t2", "t3")


def test_what_is_refused(grid: Grid, tmp_path: Path) -> None:
    one, other = grid
    with pytest.raises(OptionError, match="templates-undeclared"):
        outscore.compare(one, other, template="prompt", runs="random")
    with pytest.raises(DataError, match="different-templates"):
        outscore.compare(one, other[:, :, :3], runs="random", templates="fixed")
    with pytest.raises(DataError, match="one-template"):
        outscore.compare(one[:, :, :1], other[:, :, :1], runs="random", templates="random")
    with pytest.raises(DataError, match="wrong-shape"):
        outscore.compare(one[:, 0], other[:, 0], runs="random", templates="random")
    for test in ("permute-runs", "pigeonhole"):
        with pytest.raises(NotApplicableError, match=r"templates are random as well|random templates"):
            outscore.compare(one, other, runs="random", templates="random", tests=test)
    with pytest.raises(NotApplicableError, match=r"templates are random as well|random templates"):
        outscore.compare(one, other, runs="random", templates="random", run_law="fiducial")
    with pytest.raises(OptionError, match="not-random"):
        outscore.compare(one[:, 0], other[:, 0], templates="random", run_sd=0.1)
    path = Path(_written(tmp_path, one, other, [0, 1, 2, 3]))
    path.write_text("\n".join(line for line in path.read_text().split("\n") if ",1,t2," not in line))
    options: Any = {"run": "run", "template": "prompt", "runs": "random", "templates": "random"}
    with pytest.raises(DataError, match=r'has no scores of run "1" with template "t2"'):
        outscore.compare(f"{path}:A", f"{path}:B", **options)


def test_one_run_with_a_published_sd_beside_templates(grid: Grid) -> None:
    one, other = (of[:, :1] for of in grid)
    test = outscore.compare(one, other, runs="random", templates="random", run_sd=0.1).comparisons[0].test
    d = (other - one)[:, 0]
    items, templates = d.mean(axis=1).var(ddof=1) / 30, d.mean(axis=0).var(ddof=1) / 4
    assert test.statistic == pytest.approx(d.mean() / math.sqrt(items + templates + 2 * 0.1**2), rel=1e-12)


def test_corpus_metrics_by_draws(grid: Grid, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "one", "dog"]
    reference = [" ".join(rng.choice(words, 8)) for _ in range(25)]

    def spoilt(line: str, share: float) -> str:
        return " ".join(rng.choice(words) if rng.random() < share else word for word in line.split())

    ref = tmp_path / "ref.txt"
    ref.write_text("\n".join(reference))
    files = {}
    for name, share in (("A", 0.5), ("B", 0.2)):
        for template in range(3):
            path = tmp_path / f"{name}.{template}.txt"
            path.write_text("\n".join(spoilt(line, share) for line in reference))
            files[name, template] = str(path)
    systems = [f"{name}={','.join(files[name, template] for template in range(3))}" for name in "AB"]
    options: Any = {"references": str(ref), "metric": "bleu", "n_resamples": 300}
    result = outscore.compare(*systems, templates="random", **options).comparisons[0]
    assert result.test.name == "skew-t"
    assert result.templates is not None
    scores = [
        outscore.compare(files["A", t], files["B", t], **options).comparisons[0].candidate_score for t in range(3)
    ]
    assert result.templates.candidate_scores == pytest.approx(scores)
    both = outscore.compare(*systems, runs="random", pair_runs=True, **options).comparisons[0]
    assert both.test.p_value == result.test.p_value


def test_the_sentence_of_scores_says_which_raters() -> None:
    raters: Any = {"raters": "sampled", "metric": "mean"}
    stream = np.random.default_rng(3)
    found = outscore.score({"a": stream.normal(size=(12, 3))}, **raters)
    assert str(found).split("\n\n")[0].replace("\n", " ").endswith("), for new raters on new items.")


def test_rank_and_score(grid: Grid, tmp_path: Path) -> None:
    one, other = grid
    systems = {"A": one, "B": other, "C": other + 0.5}
    options: Any = {"runs": "random", "templates": "random"}
    ranking = outscore.rank(systems, **options)
    pair = next(pair for pair in ranking.pairs if {pair.baseline, pair.candidate} == {"A", "B"})
    better, worse = (one, other) if pair.candidate == "A" else (other, one)
    alone = outscore.compare(worse, better, **options).comparisons[0].test
    assert pair.p_value == pytest.approx(alone.p_value, rel=1e-12)
    score = outscore.score(systems, **options).scores[0]
    against = outscore.compare(one, against=0.0, **options).comparisons[0]
    assert (score.interval.low, score.interval.high) == pytest.approx((against.interval.low, against.interval.high))
