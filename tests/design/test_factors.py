"""Crossed factors by one rule: any number of them, in memory and in tables, with their own words."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import DataError, OptionError
from outscore._types import AnyArray
from tests.frozen.cases import run

SHARED = Path(__file__).resolve().parents[3] / "shared"
NAMES = ("run", "template", "rater")


def module_of(path: Path) -> Any:
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the checkout")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def systems(shape: tuple[int, ...], seed: int = 0) -> tuple[Any, Any]:
    """Return scores of two systems, shape (n, levels of the first factor, ...), with effects of items and levels."""
    rng = np.random.default_rng(seed)

    def one(gain: float) -> Any:
        scores = gain + rng.normal(size=(shape[0], *(1,) * (len(shape) - 1))) * 0.2
        for axis in range(1, len(shape)):
            effect = [1] * len(shape)
            effect[axis] = shape[axis]
            scores = scores + rng.normal(0, 0.2, effect)
        return scores + rng.normal(0, 0.5, shape)

    return one(0.0), one(0.3)


def claims(*names: str) -> Any:
    return {f"{name}s": "sampled" if name == "rater" else "random" for name in names}


@pytest.mark.parametrize("names", [of for k in (1, 2, 3) for of in itertools.combinations(NAMES, k)])
def test_the_variance_is_that_of_one_rule(names: tuple[str, ...]) -> None:
    oracle = module_of(SHARED / "architecture" / "variance_of_factors.py")
    one, other = systems((40, *(5, 4, 3)[: len(names)]))
    shared = [name for name in names if name != "run"]
    gain, t, nu = oracle.crossed(*(np.moveaxis(of, 0, -1) for of in (one, other)), names, shared)
    options: Any = {"metric": "mean", "tests": "crossed-t", **claims(*names)}
    c = outscore.compare(one, other, **options).comparisons[0]
    assert c.gain == pytest.approx(gain, rel=1e-12)
    assert c.test.statistic == pytest.approx(t, rel=1e-12)
    assert c.test.df == pytest.approx(nu, rel=1e-12)


def law_of_random_runs(oracle: Any, one: AnyArray, other: AnyArray) -> Any:
    """V of units, of the means over runs, and of the runs of each system, less their interaction from 4 runs on."""
    n = len(one)
    units = oracle.ratio(other.mean(axis=1) - one.mean(axis=1))
    parts = [(units.error**2, units.skewness, units.effective, n - 1.0)]
    for runs in (one, other):
        m = runs.shape[1]
        rest = runs - runs.mean(axis=1, keepdims=True)
        interaction = (rest - rest.mean(axis=0)).var(axis=0).sum() * n / (n - 1) / n / (m * (m - 1))
        between = runs.mean(axis=0).var(ddof=1) / m - max(0.0, (m - 3) / (m - 1)) * interaction
        parts.append((max(between, 0.0), 0.0, m / 3, m - 1.0))
    return oracle.combined(units.estimate, parts)


def test_the_default_of_random_runs_is_the_rule_written_out() -> None:
    oracle = module_of(SHARED / "designs" / "references" / "default_rule.py")
    for m in (3, 6):
        one, other = systems((35, m), seed=m)
        law = law_of_random_runs(oracle, one, other)
        test = outscore.compare(one, other, metric="mean", runs="random").comparisons[0].test
        assert test.name == "skew-t"
        assert test.df == pytest.approx(float(oracle.statistic(law)[1]), rel=1e-10)
        assert test.p_value == pytest.approx(float(oracle.p_value(law)), rel=1e-10)


def test_what_is_sampled_is_drawn_in_every_command() -> None:
    one, other = systems((30, 4, 3, 5))
    options = claims(*NAMES)
    compared = outscore.compare({"a": one, "b": other}, **options).comparisons[0]
    (pair,) = outscore.rank({"a": one, "b": other}, **options).pairs
    assert pair.p_value == pytest.approx(compared.test.p_value, rel=1e-12)
    scores = outscore.score({"a": one, "b": other}, **options)
    against = outscore.compare(one, against=0.0, **options).comparisons[0]
    ends = scores.scores[0].interval
    assert (ends.low, ends.high) == pytest.approx((against.interval.low, against.interval.high), rel=1e-9)
    said = "runs:random|templates:random|raters:sampled"
    assert all(said in of for of in (compared.test.signature, scores.signature))
    assert "|m:4,4|paired:no|T:3|J:5|" in compared.test.signature
    assert "means over 4 runs each, 3 templates and 5 raters" in compared.sentence
    assert compared.components is not None
    parts = compared.components
    assert parts.others is not None
    shares = parts.items, parts.runs, parts.interaction, parts.templates or 0.0, parts.others["raters"]
    assert sum(shares) == pytest.approx(1)


def test_raters_are_called_raters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = systems((30, 5))
    lines = [
        f"{name},q{item},r{rater},{float(scores[item, rater])!r}"
        for name, scores in (("a", one), ("b", other))
        for item in range(30)
        for rater in range(5)
    ]
    Path("scores.csv").write_text("\n".join(["system,item,annotator,score", *lines]))
    systems_of = "compare scores.csv:a scores.csv:b --details"
    for option in ("--rater annotator", ""):
        status, out, err = run(f"{systems_of} {option} --raters sampled")
        assert status == 0, err
        text = " ".join(out.split())
        for said in ("means over 5 raters", ", for new raters on new items", "raters:sampled|J:5", "raters ("):
            assert said in text
        assert "template" not in text
        assert "runs" not in text
    plain = run(f"{systems_of} --raters sampled --format json")
    assert run(f"{systems_of} --raters random --format json") == plain
    (c,) = json.loads(plain[1])["comparisons"]
    assert (c["raters"]["claim"], c["raters"]["names"]) == ("random", [f"r{rater}" for rater in range(5)])
    assert "for these raters on new items" in run(f"{systems_of} --raters fixed -q")[1]
    assert run(f"{systems_of} --rater annotator")[2].endswith("(new raters as well). [raters-undeclared]\n")
    named = run(f"{systems_of} --template annotator --templates random -q")[1]
    assert "for new templates on new items" in named


def test_errors_call_a_factor_by_its_name() -> None:
    one, other = systems((20, 3))
    with pytest.raises(DataError, match=r"expected at least 2 raters, got one: \"1\".*\[one-rater\]"):
        outscore.compare(one[:, :1], other[:, :1], raters="sampled")
    with pytest.raises(DataError, match=r"\[different-raters\]"):
        outscore.compare(one, other[:, :2], raters="fixed")
    with pytest.raises(OptionError, match=r"^raters: .*All systems have the same raters\. \[unknown-value\]"):
        outscore.compare(one, other, raters="samples")
    with pytest.raises(DataError, match=r"shape \(n, runs, templates, raters\), got fewer axes"):
        outscore.compare(one, other, **claims(*NAMES))
    with pytest.raises(outscore.NotApplicableError, match=r"treats raters as fixed.*raters"):
        outscore.compare(one, other, raters="sampled", tests="bootstrap")
    with pytest.raises(OptionError, match=r"\[raters-random\]"):
        outscore.pilot(one, other, raters="sampled")


def test_fixed_factors_are_averaged_beside_random_ones() -> None:
    one, other = systems((25, 3, 4, 2))
    options: Any = {"runs": "random", "templates": "fixed", "raters": "fixed", "metric": "mean"}
    c = outscore.compare(one, other, **options).comparisons[0]
    plain = outscore.compare(one.mean(axis=(2, 3)), other.mean(axis=(2, 3)), runs="random", metric="mean")
    assert c.test.p_value == pytest.approx(plain.comparisons[0].test.p_value, rel=1e-9)
    assert "for new runs, these templates and these raters" in c.sentence
    everything = outscore.compare(one, other, metric="mean", runs="fixed", templates="fixed", raters="fixed")
    averages = outscore.compare(one.mean(axis=(1, 2, 3)), other.mean(axis=(1, 2, 3)), metric="mean")
    expected = averages.comparisons[0].tests[0].p_value
    assert everything.comparisons[0].test.p_value == pytest.approx(expected, rel=1e-9)


def test_crossed_clusterings_and_a_sampled_factor_add_up() -> None:
    one, other = systems((48, 4))
    documents, authors = np.repeat(np.arange(8), 6), np.tile(np.arange(6), 8)
    options: Any = {"metric": "mean", "clusters": [documents, authors], "raters": "sampled"}
    d = other - one
    by_item = d.mean(axis=1).reshape(8, 6)
    parts = [of.var(ddof=1) / len(of) for of in (by_item.mean(axis=1), by_item.mean(axis=0), d.mean(axis=0))]
    c = outscore.compare(one, other, **options, tests="crossed-t").comparisons[0]
    assert c.test.statistic == pytest.approx(d.mean() / math.sqrt(sum(parts)), rel=1e-10)
    nu = sum(parts) ** 2 / sum(v**2 / k for v, k in zip(parts, (7, 5, 3), strict=True))
    assert c.test.df == pytest.approx(nu, rel=1e-10)
    assert outscore.compare(one, other, **options).comparisons[0].test.name == "skew-t"


def test_clusters_of_items_rated_by_several() -> None:
    """Clusters of one size are the items of their means."""
    one, other = systems((40, 4))
    clusters = np.repeat(np.arange(10), 4)
    means = [of.reshape(10, 4, 4).mean(axis=1) for of in (one, other)]
    sampled: Any = {"metric": "mean", "raters": "sampled"}
    cases: list[Any] = [((one, other), {"clusters": clusters}), (means, {})]
    p = [outscore.compare(*of, **sampled, **options).comparisons[0].test.p_value for of, options in cases]
    assert p[0] == pytest.approx(p[1], rel=1e-9)
