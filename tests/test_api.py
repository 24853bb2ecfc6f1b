"""What `outscore.compare` takes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import outscore
from outscore.errors import DataError, OptionError

BASELINE = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
CANDIDATE = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def p_of(*systems: Any, **options: Any) -> float:
    result: outscore.ComparisonResult = outscore.compare(*systems, tests="randomization", **options)
    return result.comparisons[0].test.p_value


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


@pytest.mark.parametrize("name", ["item", "question", "name"])
def test_a_default_index_beside_ids_is_no_column(name: str) -> None:
    frame = pd.DataFrame({name: list("abcdef"), "old": BASELINE, "new": CANDIDATE})
    for systems in (frame, frame[frame.old.notna()], frame.iloc[::-1]):
        assert outscore.compare(systems, baseline="old").comparisons[0].warnings == ()
        assert outscore.rank(systems).warnings == ()
    other = frame.rename(columns={name: "number"})
    assert outscore.rank(other, id_column="number").warnings == ()
    assert outscore.rank(other).warnings == ('Column "number" of frame has no scores and was left out.',)


OLD = [1.0, float("nan"), 3.0, 2.0, 5.0, 4.0, 0.5]
NEW = [1.5, 1.0, 3.5, float("nan"), 5.5, 6.0, 1.0]
_KINDS: dict[str, Callable[[list[float]], Any]] = {
    "list": list,
    "None": lambda scores: [None if score != score else score for score in scores],
    "array": np.array,
    "series": pd.Series,
    "Float64": lambda scores: pd.Series(scores).convert_dtypes(),
    "objects": lambda scores: pd.Series(scores, dtype=object).where(pd.notna(scores), pd.NA),
    "polars": lambda scores: pl.Series(scores, nan_to_null=True),
    "mapping": lambda scores: dict(enumerate(scores)),
    "frame": lambda scores: pd.DataFrame({"item": range(7), "score": scores}),
    "without ids": lambda scores: pl.DataFrame({"score": scores}),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_missing_scores_in_memory_can_be_dropped(kind: str) -> None:
    of = _KINDS[kind]
    both = [place for place in range(7) if place not in (1, 3)]
    expected = outscore.compare([OLD[i] for i in both], [NEW[i] for i in both])
    result = outscore.compare(of(OLD), of(NEW), drop_missing=True)
    assert (result.n_items, result.p_value, result.gain) == (5, expected.p_value, expected.gain)
    assert result.comparisons[0].warnings[0] == "Left out 2 item(s) that not all systems have."
    way = r"pass drop_missing=True to leave the item out of all systems, or zero_missing=True to score it 0\."
    with pytest.raises(DataError, match=way):
        outscore.compare(of(OLD), of(NEW))
    zeroed = outscore.compare(of(OLD), of(NEW), zero_missing=True)
    assert zeroed.gain == pytest.approx(outscore.compare(np.nan_to_num(OLD), np.nan_to_num(NEW)).gain)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_missing_scores_in_one_frame_can_be_dropped(frame: Callable[[Any], Any]) -> None:
    systems = frame({"old": OLD, "new": NEW})
    assert outscore.compare(systems, baseline="old", drop_missing=True).n_items == 5
    assert outscore.rank(systems, drop_missing=True).n_items == 5


def test_places_of_missing_scores_agree_with_ids() -> None:
    """A list whose scores are missing is paired by position with all items of a system that has ids."""
    ids, labels = list("gfedcba"), list("uuvvwww")
    both = [place for place in range(7) if place not in (1, 3)]
    expected = outscore.compare([OLD[i] for i in both], [NEW[i] for i in both], clusters=[labels[i] for i in both])
    for other in (dict(zip(ids, NEW, strict=True)), pd.DataFrame({"item": ids, "score": NEW})):
        for systems in ((OLD, other), (np.array(OLD), other)):
            result = outscore.compare(*systems, drop_missing=True, clusters=labels)
            assert (result.p_value, result.gain) == (expected.p_value, expected.gain)
    with pytest.raises(DataError, match="different-lengths"):
        outscore.compare(OLD, dict(zip(ids[:6], NEW, strict=False)), drop_missing=True)


def test_names_of_columns_after_a_frame_are_no_systems() -> None:
    frame = pd.DataFrame({"item": range(6), "old": BASELINE, "new": CANDIDATE})
    for systems in (("old", "new"), (["old", "new"],)):
        with pytest.raises(OptionError, match=r'Write compare\(df\[\["old", "new"\]\], baseline="old"\)\.'):
            outscore.compare(frame, *systems)
    with pytest.raises(OptionError, match="name one of its columns as baseline"):
        outscore.compare(frame, "new")
    with pytest.raises(TypeError, match="Pass baseline: all other systems are candidates"):
        outscore.compare(frame, candidate="new")  # type: ignore[call-overload]


def test_the_only_comparison_has_its_sentence_and_warnings_on_the_result() -> None:
    result = outscore.compare(OLD, NEW, drop_missing=True)
    (comparison,) = result.comparisons
    assert (result.sentence, result.warnings) == (comparison.sentence, comparison.warnings)
    assert result.warnings
    several = outscore.compare(BASELINE, CANDIDATE, BASELINE)
    with pytest.raises(AttributeError, match="expected one candidate, got 2"):
        several.sentence  # noqa: B018


def test_completion_lists_no_attributes_of_other_modules() -> None:
    ranking = outscore.rank({"old": BASELINE, "new": CANDIDATE})
    comparison = outscore.compare(BASELINE, CANDIDATE)
    for result in (ranking, comparison, comparison.comparisons[0]):
        listed = set(dir(result))
        assert not listed & {"json_keys", "later_types", "pair_columns", "score_format", "alone"}
        assert {"to_text", "n_items", "metric"} <= listed
        assert result.json_keys


def test_identical_systems_are_reported() -> None:
    warning = "The systems have identical scores. Is it the same file or column twice?"
    assert warning in outscore.compare(BASELINE, list(BASELINE)).warnings
    assert warning not in outscore.compare(BASELINE, CANDIDATE).warnings
    assert warning not in outscore.compare([1.0] * 6, against=1.0).warnings


def test_missing_is_two_arguments_in_python() -> None:
    with pytest.raises(TypeError, match=r"Use drop_missing=True\.$"):
        outscore.compare(OLD, NEW, missing="drop")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"Use zero_missing=True\.$"):
        outscore.compare(OLD, NEW, missing="zero")  # type: ignore[call-overload]


def test_names() -> None:
    result = outscore.compare(BASELINE, CANDIDATE, BASELINE, names=["old", "new", "same"])
    assert [(c.baseline, c.candidate) for c in result.comparisons] == [("old", "new"), ("old", "same")]
    default = outscore.compare(BASELINE, CANDIDATE, BASELINE)
    assert [c.candidate for c in default.comparisons] == ["candidate 1", "candidate 2"]


def test_exact_or_nothing() -> None:
    rng = np.random.default_rng(0)
    counts = np.column_stack([rng.integers(0, 3, (40, 1)), rng.integers(3, 6, (40, 2))])
    others = np.column_stack([rng.integers(0, 3, (40, 1)), rng.integers(3, 6, 40), counts[:, 2]])
    assert outscore.compare(counts, others, metric="f1", tests="randomization").comparisons[0].test.exact
    with pytest.raises(outscore.NotApplicableError, match="no exact distribution"):
        outscore.compare(counts, others, metric="f1", tests="bootstrap", method="exact")


def test_the_global_random_state_is_left_alone() -> None:
    before = np.random.get_state()  # noqa: NPY002 - that is the point
    outscore.compare(BASELINE, CANDIDATE, method="monte-carlo", n_resamples=500)
    after = np.random.get_state()  # noqa: NPY002
    assert str(before) == str(after)


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
    with pytest.raises(
        TypeError, match=r'^read\(\) got an unexpected keyword argument .refernces.\. Did you mean "references"\?$'
    ):
        outscore.read([1, 0], [1, 1], **misspelt)
    unlike: dict[str, Any] = {"zzz": 1}
    with pytest.raises(TypeError, match=r"help\(outscore\.read\)"):
        outscore.compare([1, 0], [0, 1], **unlike)


@pytest.mark.parametrize("value", [None, "foo", 3])
@pytest.mark.parametrize("name", ["alternative", "ties", "estimator", "claim", "interval", "run_law", "method"])
def test_words_that_are_none_of_an_argument_are_refused(name: str, value: object) -> None:
    options: dict[str, Any] = {name: value}
    said = "unknown value" if isinstance(value, str) else f"expected one of .*, got {value}"
    with pytest.raises(outscore.OptionError, match=f"{name}: {said}"):
        outscore.compare(BASELINE, CANDIDATE, **options)
    with pytest.raises(outscore.OptionError, match=f"{name}: {said}"):
        outscore.compare(BASELINE, CANDIDATE, unpaired=True, **options)
    if name in {"alternative", "ties", "estimator", "interval"}:
        with pytest.raises(outscore.OptionError, match=f"{name}: {said}"):
            outscore.rank(BASELINE, CANDIDATE, **options)


def test_empty_runs_and_arguments_of_another_question_are_one_line() -> None:
    with pytest.raises(outscore.DataError, match="baseline: expected scores, got none"):
        outscore.compare([], [], runs="fixed")
    with pytest.raises(TypeError, match=r"'run_law'\. It is an argument of outscore\.compare\."):
        outscore.score(BASELINE, run_law="normal")  # type: ignore[call-arg]


SPREAD = outscore.Spread(0.3)
CALLS: dict[str, dict[str, Any]] = {
    "compare": {"*": (BASELINE, CANDIDATE)},
    "rank": {"*": ({"a": BASELINE, "b": CANDIDATE},)},
    "score": {"*": (BASELINE,)},
    "read": {"*": (BASELINE, CANDIDATE)},
    "gate": {"baseline": BASELINE, "candidate": CANDIDATE, "margin": 0.1, "metric": "accuracy"},
    "plan_items": {"population": SPREAD, "gain": 0.05},
    "plan_power": {"population": SPREAD, "items": 100, "gain": 0.05},
    "plan_gain": {"population": SPREAD, "items": 100},
    "plan_gate": {"population": SPREAD, "margin": 0.05},
    "plan_runs": {"gain": 0.06, "items": 500, "item_sd": 0.35, "run_sd": 0.006},
}


def test_iterators_are_read_as_lists_once() -> None:
    plan = outscore.plan_table(iter([100]), (gain for gain in (0.05, 0.1)), hurt_percents=iter([2]))
    assert plan.rows == outscore.plan_table([100], [0.05, 0.1], hurt_percents=[2]).rows
    given: Any = (name for name in ("old", "new"))
    names = outscore.compare(BASELINE, CANDIDATE, names=given).comparisons[0]
    assert (names.baseline, names.candidate) == ("old", "new")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"documents": 3}, "documents: expected a list of whole numbers, got 3"),
        ({"ratings": [1, 2.5]}, r"ratings\[1\]: expected a whole number, got 2.5"),
        ({"alpha": None}, "alpha: expected a number, such as 0.02 or 2%, got None"),
        ({"comparisons": 10**400}, r"comparisons: expected a whole number of at most 2\^128 in size"),
        ({"rater": b"r"}, "rater: expected text, got bytes"),
        ({"gain": 1e308}, r"gain: expected a finite number of at most 1e\+100 in size, got 1e\+308"),
    ],
)
def test_arguments_have_the_types_of_the_signature(options: dict[str, Any], said: str) -> None:
    with pytest.raises(outscore.OptionError, match=f"^{said}"):
        outscore.plan_human("pilot.csv", **options)


@pytest.mark.parametrize("name", ["compare", "rank", "score", "read"])
def test_odd_systems_are_refused_in_one_line(name: str) -> None:
    for what, odd in {"None": None, "3": 3, "a set of 2 values": {1, 2}, "an object of type object": object()}.items():
        with pytest.raises((outscore.DataError, outscore.OptionError), match=f"got {what}"):
            getattr(outscore, name)(BASELINE, odd)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("gate", {"alpha": "x"}, 'alpha: expected a number, such as 0.02 or 2%, got "x"'),
        ("gate", {"metric": pd.Series([1.0])}, "metric: expected a metric such as .*, got a Series of 1 value"),
        ("rank", {"score_column": 3}, "score_column: expected text, got 3"),
        ("score", {"runs": []}, "runs: expected one of samples, fixed, random, got a list of 0 values"),
        ("compare", {"names": 3, "unpaired": True}, "names: expected a list of strings, got 3"),
        ("compare", {"run_sd": pd.Series([1.0])}, "run_sd: expected a number, .*, got a Series of 1 value"),
        ("compare", {"drop_missing": "yes"}, 'drop_missing: expected True or False, got "yes"'),
        ("plan_runs", {"level": 0.1}, "level: expected a Level .*, got 0.1"),
        ("plan_items", {"tests": 3}, "tests: expected tests such as .*, got 3"),
        ("plan_gate", {"looks": [1]}, "looks: expected a whole number, got a list of 1 value"),
    ],
)
def test_what_an_argument_is_and_what_it_was_given_is_said(name: str, options: dict[str, Any], said: str) -> None:
    usual = {key: value for key, value in CALLS[name].items() if key != "*"}
    with pytest.raises(outscore.OptionError, match=said):
        getattr(outscore, name)(*CALLS[name].get("*", ()), **(usual | options))


@pytest.mark.parametrize("kind", ["wide", "long"])
def test_a_table_that_can_be_ranked_can_be_scored(kind: str, tmp_path: Path) -> None:
    scores = {"old": [0, 1, 0, 0, 1, 0], "new": [1, 1, 0, 1, 1, 1]}
    wide = pd.DataFrame({"id": list("abcdef"), **scores, "length": [3, 4, 5, 6, 7, 9]})
    rows = [
        (system, item, score) for system, column in scores.items() for item, score in zip("abcdef", column, strict=True)
    ]
    frame = wide if kind == "wide" else pd.DataFrame(rows, columns=["system", "id", "score"])
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    for table in (frame, str(path)):
        result = outscore.score(table, metric="accuracy")
        assert {score.system: score.score for score in result.scores} == pytest.approx({"old": 1 / 3, "new": 5 / 6})
        ranking = outscore.rank(table, metric="accuracy")
        assert {system.name for system in ranking} == {"old", "new"}
        taken = 'Columns "old" and "new" are taken as systems. To score one column, pass score_column=COLUMN.'
        assert (taken in result.warnings) == (kind == "wide")
        assert not any("are taken" in warning for warning in ranking.warnings)
    raters = pd.DataFrame({"id": list("abc"), "rater_1": [1, 0, 1], "rater_2": [1, 1, 0]})
    with pytest.raises(outscore.OutscoreError, match="which-column"):
        outscore.score(raters, metric="accuracy")


def test_numbered_columns_are_offered_as_runs() -> None:
    columns = {
        f"{system}_{run}": [run % 2, 1, 0, int(system == "new")] for system in ("old", "new") for run in (1, 2, 3)
    }
    scores = outscore.read(pd.DataFrame(columns), metric="accuracy")
    (note,) = [note for note in scores.notes if "runs" in note]
    assert note.startswith('Columns "old_1" to "old_3" may be runs of one system')
    versions = {name: [1, 0, 1, 0] for name in ("gpt-3", "gpt-4", "gpt-5", "a_1", "a_2")}
    assert not any("runs" in note for note in outscore.read(pd.DataFrame(versions), metric="accuracy").notes)


def test_a_chart_is_written_into_the_file_that_is_named(tmp_path: Path) -> None:
    result = outscore.compare([0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 1, 1], metric="accuracy")
    chart = result.chart(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == json.loads(chart.to_json())
