"""Scores that a system lacks in some run, or sample: an error, their items left out, or 0; in files and in memory."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.kit import MissingTreatment

import outscore
from outscore import DataError

N, M = 30, 3
LOST = {"A": (7, 0), "B": (3, 1)}
Form = Callable[[Path, dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def _scores() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    scores = {name: rng.integers(0, 2, (N, M)).astype(float) for name in "AB"}
    for name, cell in LOST.items():
        scores[name][cell] = np.nan
    return scores


def _cells(scores: dict[str, Any], *, blank: bool) -> list[tuple[str, int, int, str]]:
    return [
        (name, item, run, "" if np.isnan(of[item, run]) else f"{of[item, run]:g}")
        for name, of in scores.items()
        for item in range(N)
        for run in range(M)
        if blank or not np.isnan(of[item, run])
    ]


def long_table(folder: Path, scores: dict[str, Any], *, blank: bool = False) -> tuple[tuple[Any, ...], dict[str, Any]]:
    path = folder / "long.csv"
    lines = [f"{name},q{item},{run},{score}" for name, item, run, score in _cells(scores, blank=blank)]
    path.write_text("\n".join(["system,item,run,score", *lines]))
    return (f"{path}:A", f"{path}:B"), {"run": "run"}


def blank_cells(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return long_table(folder, scores, blank=True)


def wide_table(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    cells = {(name, item, run): score for name, item, run, score in _cells(scores, blank=True)}
    lines = [f"q{i},{r},{cells['A', i, r]},{cells['B', i, r]}" for i in range(N) for r in range(M)]
    path = folder / "wide.csv"
    path.write_text("\n".join(["item,run,A,B", *lines]))
    return (str(path),), {"run": "run", "baseline": "A"}


def run_files(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    files: dict[str, list[str]] = {"A": [], "B": []}
    for name in files:
        for run in range(M):
            path = folder / f"{name}{run}.csv"
            lines = [f"q{i},{s}" for other, i, r, s in _cells(scores, blank=False) if (other, r) == (name, run)]
            path.write_text("\n".join(["item,score", *lines]))
            files[name].append(str(path))
    return tuple(f"{name}={','.join(paths)}" for name, paths in files.items()), {}


def arrays(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    del folder
    return (scores["A"], scores["B"]), {}


def mappings(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    del folder
    return tuple({f"q{i}": list(of[i]) for i in range(N)} for of in scores.values()), {}


def frames(folder: Path, scores: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    pandas = pytest.importorskip("pandas")
    del folder
    items, runs = np.repeat(np.arange(N), M), np.tile(np.arange(M), N)
    made = tuple(pandas.DataFrame({"item": items, "run": runs, "score": of.ravel()}) for of in scores.values())
    return made, {"run": "run"}


FORMS: tuple[Form, ...] = (long_table, blank_cells, wide_table, run_files, arrays, mappings, frames)
# Of these a cell is absent; of the others it says that there is nothing, which is a mistake unless told.
SILENT = (long_table, run_files, arrays, mappings)


@pytest.mark.parametrize("runs", ["samples", "fixed", "random"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_what_is_missing_is_counted_and_never_filled(tmp_path: Path, form: Form, runs: str) -> None:
    scores = _scores()
    systems, options = form(tmp_path, scores)

    def compared(**missing: Any) -> Any:
        return outscore.compare(*systems, runs=runs, **options, **missing).comparisons[0]

    zero = compared(zero_missing=True)
    assert zero.missing == outscore.results.MissingScores(1, 1, N * M, N * M, MissingTreatment.ZERO)
    assert (zero.baseline_score, zero.candidate_score) == pytest.approx(
        [np.nan_to_num(of).mean() for of in scores.values()]
    )
    dropped = compared(drop_missing=True)
    assert (dropped.missing.baseline, dropped.missing.candidate) == (1, 1)
    if runs == "samples":
        kept = [np.nanmean(of, axis=1).mean() for of in scores.values()]
        assert dropped.missing.treated == "averaged"
        assert dropped.n_items == N
    else:
        # Both items are left out of both systems.
        whole = ~np.isnan(scores["A"] + scores["B"]).any(axis=1)
        kept = [of[whole].mean() for of in scores.values()]
        assert dropped.missing.treated == "dropped"
        assert dropped.n_items == N - 2
    assert (dropped.baseline_score, dropped.candidate_score) == pytest.approx(kept)
    (said,) = (finding.sentence for finding in dropped.findings if finding.key == "missing")
    assert "lacks 1 of 90 scores" in said
    if runs == "samples" and form in SILENT:
        assert compared().missing == dropped.missing
        return
    with pytest.raises(DataError, match=r"missing-cells|not-a-number|not-finite") as refused:
        compared()
    if form in SILENT:
        text = str(refused.value)
        assert ('"q7"' in text) or ('"8"' in text)
        assert "drop_missing=True" in text
        assert "zero_missing=True" in text


def test_items_by_position_stay_together(tmp_path: Path) -> None:
    scores = _scores()
    options: Any = {"runs": "fixed", "drop_missing": True}
    by_place = outscore.compare(scores["A"], scores["B"], **options).comparisons[0]
    systems, _ = mappings(tmp_path, scores)
    by_id = outscore.compare(*systems, **options).comparisons[0]
    assert by_place.correlation == by_id.correlation
    assert by_place.test.p_value == by_id.test.p_value


@pytest.mark.parametrize(("reduce", "beside"), [("maj@2", "answer"), ("best@2", "selector")])
def test_a_missing_sample_that_scores_0_is_no_answer_and_selected_last(
    tmp_path: Path, reduce: str, beside: str
) -> None:
    cells = _cells(_scores(), blank=False)
    path = tmp_path / "samples.csv"
    shown = {"answer": {"1": "yes", "0": "no"}, "selector": {"1": "0.9", "0": "0.1"}}[beside]
    lines = [f"{name},q{item},{run},{score},{shown[score]}" for name, item, run, score in cells]
    path.write_text("\n".join([f"system,item,run,score,{beside}", *lines]))
    options: Any = {"run": "run", "reduce": reduce, "zero_missing": True}
    result = outscore.compare(f"{path}:A", f"{path}:B", **options).comparisons[0]
    assert result.n_items == N
    assert result.missing is not None
    assert result.missing.treated == "zero"


def test_unequal_shares_are_refused_unless_told(tmp_path: Path) -> None:
    scores = _scores()
    scores["B"][:10, 1] = np.nan
    systems, known = long_table(tmp_path, scores)
    options: Any = known
    for runs in ("samples", "fixed", "random"):
        with pytest.raises(DataError, match=r'run "1" on item "q0".*\[unequally-missing\]'):
            outscore.compare(*systems, runs=runs, **options)
        for told in ("zero_missing", "drop_missing"):
            options[told] = True
            result = outscore.compare(*systems, runs=runs, **options).comparisons[0]
            del options[told]
            assert result.missing is not None
            assert (result.missing.baseline, result.missing.candidate) == (1, 10)


def test_the_level_of_unequal_shares_is_kept_over_all_systems(tmp_path: Path) -> None:
    scores = {name: np.nan_to_num(of) for name, of in _scores().items()}
    scores["B"][:6, 1] = np.nan
    scores["C"] = scores["A"][::-1].copy()
    assert 0.05 / 2 < stats.fisher_exact(np.array([[6, N * M - 6], [0, N * M]]))[1] <= 0.05
    with pytest.raises(DataError, match=r"B: lacks 6 of 90 scores .*, A 0 of 90: .*unequally-missing"):
        outscore.compare({name: scores[name] for name in "AB"}, runs="samples")
    with pytest.raises(DataError, match=r"B: lacks 6 of 90 scores .*, A 0 of 90: .*unequally-missing"):
        outscore.compare({name: scores[name] for name in "BA"}, runs="samples")
    result = outscore.compare(scores, runs="samples")
    assert [comparison.candidate for comparison in result.comparisons] == ["B", "C"]


def test_averages_over_subsets_of_samples_need_no_equal_numbers(tmp_path: Path) -> None:
    correct = {"A": [3] * 15 + [1] * 15, "B": [2] * 15 + [0] * 15}
    n = {"A": [5] * 30, "B": [5, 3] * 15}
    lines = [
        f"{name},q{item},{sample},{int(sample < correct[name][item])}"
        for name in correct
        for item in range(30)
        for sample in range(n[name][item])
    ]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join(["system,item,sample,score", *lines]))
    systems: tuple[str, ...] = (f"{path}:A", f"{path}:B")
    options: Any = {"run": "sample"}
    result = outscore.compare(*systems, reduce="pass@3", **options).comparisons[0]
    expected = {
        name: np.mean([1 - comb(of_n - c, 3) / comb(of_n, 3) for of_n, c in zip(n[name], correct[name], strict=True)])
        for name in n
    }
    assert (result.baseline_score, result.candidate_score) == pytest.approx((expected["A"], expected["B"]))
    assert result.n_items == 30
    assert any(
        "B: has 3 to 5 samples per item. pass@3 is unbiased for any number from 3 on" in w for w in result.warnings
    )
    with pytest.raises(DataError, match="few-samples"):
        outscore.compare(*systems, reduce="pass@4", **options)
    with pytest.raises(DataError, match="unequally-missing"):
        outscore.compare(*systems, runs="samples", **options)
