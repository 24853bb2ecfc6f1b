"""What `outscore.compare` takes, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore

BASELINE = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
CANDIDATE = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def p_of(*systems: Any, **options: Any) -> float:
    result: outscore.ComparisonResult = outscore.compare(*systems, tests="randomization", **options)
    return result.comparisons[0].tests[0].p_value


def test_systems_of_every_kind_give_the_same_result(tmp_path: Path) -> None:
    ids = [f"q{i}" for i in range(6)]
    order = [3, 1, 0, 5, 4, 2]
    expected = p_of(BASELINE, CANDIDATE)
    assert expected == 0.5
    assert p_of(BASELINE, CANDIDATE, alternative="greater") == 0.25
    assert p_of(np.array(BASELINE), tuple(CANDIDATE)) == expected
    assert p_of(dict(zip(ids, BASELINE, strict=True)), {ids[i]: CANDIDATE[i] for i in order}) == expected
    frame = pd.DataFrame({"id": ids, "score": BASELINE})
    other = pl.DataFrame({"id": [ids[i] for i in order], "score": [CANDIDATE[i] for i in order]})
    assert p_of(frame, other) == expected
    (tmp_path / "a.csv").write_text(frame.to_csv(index=False))
    assert p_of(str(tmp_path / "a.csv"), other) == expected
    assert p_of(tmp_path / "a.csv", other) == expected


def test_a_sorted_frame_is_paired_by_its_index() -> None:
    frame = pd.DataFrame({"score": BASELINE})
    other = pd.DataFrame({"score": CANDIDATE}).sort_values("score")
    assert p_of(frame, other) == p_of(BASELINE, CANDIDATE)


def test_clusters_and_strata_can_be_columns_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,doc,score\na,x,1\nb,x,0\nc,y,1\nd,y,0\ne,z,0\nf,z,1\n")
    result = outscore.compare(path, dict(zip("abcdef", CANDIDATE, strict=True)), clusters="doc")
    assert result.n_units == 3
    assert "3 clusters" in result.comparisons[0].sentence


def test_names() -> None:
    result = outscore.compare(BASELINE, CANDIDATE, BASELINE, names=["old", "new", "same"])
    assert [(c.baseline, c.candidate) for c in result.comparisons] == [("old", "new"), ("old", "same")]
    default = outscore.compare(BASELINE, CANDIDATE, BASELINE)
    assert [c.candidate for c in default.comparisons] == ["candidate 1", "candidate 2"]


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": "little"},
        {"alpha": 1.0},
        {"alpha": 0.05, "confidence_level": 0.9},
        {"alpha": float("nan")},
        {"confidence_level": 95},
        {"margin": "x", "claim": "not-worse"},
        {"margin": True, "claim": "not-worse"},
        {"margin": -1.0, "claim": "not-worse"},
        {"margin": 2.0, "claim": "not-worse", "metric": "accuracy"},
        {"claim": "equivalent"},
        {"claim": "equivalent", "margin": 0.1, "alternative": "less"},
        {"claim": "best"},
        {"tests": 3},
        {"tests": [3]},
        {"tests": []},
        {"tests": outscore.Bootstrap},
        {"tests": "bootstraps"},
        {"metric": outscore.F1},
        {"metric": 3},
        {"metric": "f2"},
        {"names": "ab"},
        {"names": [1, 2]},
        {"names": ["one"]},
        {"n_resamples": 0},
        {"n_resamples": 2.5},
        {"n_resamples": 10**9},
        {"seed": -1},
        {"seed": "0"},
        {"method": "exactly"},
        {"interval": "t"},
        {"ties": "some"},
        {"estimator": "minus-one"},
        {"clusters": [1, 2]},
        {"clusters": [1] * 6},
        {"strata": [1, 1, 2, 2, 3, 3], "clusters": [1, 2, 2, 3, 3, 1]},
    ],
    ids=str,
)
def test_wrong_arguments_are_one_line(options: dict[str, Any]) -> None:
    with pytest.raises(outscore.OutscoreError) as error:
        outscore.compare(BASELINE, CANDIDATE, **options)
    assert len(str(error.value).splitlines()) == 1


def test_a_comparison_needs_a_candidate() -> None:
    with pytest.raises(outscore.OptionError, match="at least one candidate"):
        outscore.compare(BASELINE)


def test_exact_or_nothing() -> None:
    rng = np.random.default_rng(0)
    counts = np.column_stack([rng.integers(0, 3, (40, 1)), rng.integers(3, 6, (40, 2))])
    others = np.column_stack([rng.integers(0, 3, (40, 1)), rng.integers(3, 6, 40), counts[:, 2]])
    assert outscore.compare(counts, others, metric="f1", tests="randomization").comparisons[0].tests[0].exact
    with pytest.raises(outscore.NotApplicableError, match="no exact law"):
        outscore.compare(counts, others, metric="f1", tests="bootstrap", method="exact")


def test_the_global_random_state_is_left_alone() -> None:
    before = np.random.get_state()  # noqa: NPY002 - that is the point
    outscore.compare(BASELINE, CANDIDATE, method="monte-carlo", n_resamples=500)
    after = np.random.get_state()  # noqa: NPY002
    assert str(before) == str(after)


def test_results_are_frozen() -> None:
    result = outscore.compare(BASELINE, CANDIDATE)
    with pytest.raises(AttributeError):
        result.seed = 3  # type: ignore[misc]


def test_names_with_two_hyphens_are_no_options(tmp_path: Path) -> None:
    good, bad = tmp_path / "a--test.txt", tmp_path / "b--score.txt"
    good.write_text("1\n0\n")
    bad.write_text("1\nno --metric mean\n")
    with pytest.raises(outscore.DataError) as error:
        outscore.compare(good, bad)
    assert str(error.value).startswith(f'{bad}:2: expected a number, got "no --metric mean".')


def test_an_argument_that_there_is_not_is_offered_another() -> None:
    misspelt: dict[str, Any] = {"refernces": ["x"]}
    with pytest.raises(TypeError, match=r'unexpected keyword argument .refernces.\. Did you mean "references"\?'):
        outscore.rank({"a": [1, 0], "b": [0, 1]}, **misspelt)
    unlike: dict[str, Any] = {"zzz": 1}
    with pytest.raises(TypeError, match=r"help\(outscore\.read\)"):
        outscore.compare([1, 0], [0, 1], **unlike)


@pytest.mark.parametrize("value", [None, "foo", 3])
@pytest.mark.parametrize("name", ["alternative", "ties", "estimator", "claim", "interval", "unit", "run_law", "method"])
def test_words_that_are_none_of_an_argument_are_refused(name: str, value: object) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(outscore.OptionError, match=f"{name}: unknown value"):
        outscore.compare(BASELINE, CANDIDATE, **options)
    with pytest.raises(outscore.OptionError, match=f"{name}: unknown value"):
        outscore.compare(BASELINE, CANDIDATE, unpaired=True, **options)
    if name in {"alternative", "ties", "estimator", "interval"}:
        with pytest.raises(outscore.OptionError, match=f"{name}: unknown value"):
            outscore.rank(BASELINE, CANDIDATE, **options)


def test_empty_runs_and_arguments_of_another_question_are_one_line() -> None:
    with pytest.raises(outscore.DataError, match="baseline: expected scores, got none"):
        outscore.compare([], [], runs="fixed")
    with pytest.raises(TypeError, match=r"'run_law'\. It is an argument of outscore\.compare\."):
        outscore.score(BASELINE, run_law="normal")  # type: ignore[call-arg]
