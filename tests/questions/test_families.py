"""Families of comparisons: one correction, the same with datasets, candidates and metrics, and named in the output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.errors import OptionError
from outscore.results import Family, Multiplicity
from tests.significance.kit import Place, corrected, holm
from tests.test_documentation import ROOT

SETS = ("art", "law", "sport")
CANDIDATES = ("a", "b")
REPLAY = ROOT.parent / "shared" / "logs" / "lmeval-made-replay"


def by_definition(p_values: Sequence[float]) -> list[float]:
    """Holm (1979) as it is written: the j-th smallest of m times m - j + 1, never below a smaller one's."""
    m, adjusted, before = len(p_values), [0.0] * len(p_values), 0.0
    for place, j in enumerate(sorted(range(m), key=lambda j: p_values[j])):
        before = max(before, min(1.0, (m - place) * p_values[j]))
        adjusted[j] = before
    return adjusted


@pytest.fixture(scope="module")
def systems() -> dict[str, list[float]]:
    rng = np.random.default_rng(7)
    base = rng.normal(size=90)
    moved = {"a": np.repeat([0.5, -0.4, 0.2], 30), "b": np.repeat([0.3, 0.0, 0.6], 30)}
    return {"base": base.tolist()} | {name: (base + by + rng.normal(size=90)).tolist() for name, by in moved.items()}


def compared(systems: Any, **options: Any) -> Any:
    sets = [name for name in SETS for _ in range(30)]
    return outscore.compare(systems, baseline="base", metric="mean", test_sets=sets, tests="paired-t", **options)


def table_of(result: Any, kind: str) -> np.ndarray[Any, Any]:
    return np.array([[getattr(one, kind) for one in both.test_sets] for both in result.comparisons])


def test_the_table_of_a_metric_is_one_family(systems: Any) -> None:
    result = compared(systems)
    plain, adjusted = table_of(result, "p_value"), table_of(result, "adjusted_p_value")
    assert adjusted.ravel().tolist() == pytest.approx(by_definition(plain.ravel().tolist()), rel=1e-12)
    assert result.multiplicity == Multiplicity(Family.TABLE, 6, "holm")
    for both in result.comparisons:
        for one in both.test_sets:
            claimed = "inconclusive" if one.adjusted_p_value > 0.05 else "better" if one.gain > 0 else "worse"
            assert one.verdict == claimed
        assert list(both.better_on) == [one.test_set for one in both.test_sets if one.verdict == "better"]
    for text in (result.to_text(), result.to_text(details=True), result.to_markdown(), result.to_latex()):
        said = " ".join(text.replace("$", "").replace("\\times", "×").split())
        assert "after Holm's correction over 6 comparisons (2 candidates × 3 datasets)." in said


def test_a_family_of_candidates_or_datasets_is_a_column_or_a_row(systems: Any) -> None:
    of_candidates = compared(systems, family="candidates")
    plain, adjusted = table_of(of_candidates, "p_value"), table_of(of_candidates, "adjusted_p_value")
    for column in range(3):
        assert adjusted[:, column] == pytest.approx(by_definition(plain[:, column].tolist()), rel=1e-12)
    assert "over 2 comparisons (2 candidates), for each dataset separately." in " ".join(
        of_candidates.to_text().split()
    )
    of_datasets = compared(systems, family="datasets")
    adjusted = table_of(of_datasets, "adjusted_p_value")
    for row in range(2):
        assert adjusted[row] == pytest.approx(by_definition(plain[row].tolist()), rel=1e-12)
    assert of_datasets.multiplicity == Multiplicity(Family.DATASETS, 3, "holm")


def test_a_dataset_by_itself_is_corrected_as_the_family_of_candidates(systems: Any) -> None:
    """So what a table says of a dataset with this family is what a comparison of the dataset alone says."""
    alone = outscore.compare(
        {name: scores[:30] for name, scores in systems.items()}, baseline="base", metric="mean", tests="paired-t"
    )
    table = table_of(compared(systems, family="candidates"), "adjusted_p_value")
    assert [one.adjusted_p_value for one in alone.comparisons] == pytest.approx(table[:, 0], rel=1e-12)
    assert alone.comparisons[0].multiplicity == Multiplicity(Family.TABLE, 2, "holm")


def test_averages_are_a_table_of_their_own_unless_all_are_one_family(systems: Any) -> None:
    result = compared(systems, tasks="fixed")
    averages = [both.average for both in result.comparisons]
    assert [one.adjusted_p_value for one in averages] == pytest.approx(holm([one.p_value for one in averages]))
    assert averages[0].multiplicity.size == 2
    assert result.multiplicity.size == 6
    whole = compared(systems, tasks="fixed", family="all")
    p_values = [*table_of(whole, "p_value").ravel(), *(both.average.p_value for both in whole.comparisons)]
    adjusted = [*table_of(whole, "adjusted_p_value").ravel()]
    adjusted += [both.average.adjusted_p_value for both in whole.comparisons]
    assert adjusted == pytest.approx(by_definition(p_values), rel=1e-12)
    assert whole.multiplicity == whole.comparisons[0].average.multiplicity == Multiplicity(Family.ALL, 8, "holm")
    assert "over 8 comparisons (all in this output)." in " ".join(whole.to_text().split())


def test_each_metric_is_a_family_unless_all_are_one() -> None:
    rng = np.random.default_rng(3)
    rows = {name: rng.integers(0, 2, (80, 3)) for name in ("base", "a", "b")}
    rows["a"][:30] = 1
    frame = {name: np.column_stack([of[:, 0], of[:, 0] + of[:, 1], of[:, 0] + of[:, 2]]) for name, of in rows.items()}
    metrics = ["precision", "recall"]
    results: Any = outscore.compare(frame["base"], frame["a"], frame["b"], metric=metrics)
    for result in results:
        plain = [one.p_value for one in result.comparisons]
        assert [one.adjusted_p_value for one in result.comparisons] == pytest.approx(by_definition(plain), rel=1e-12)
    text = " ".join(results.to_text().split())
    assert (
        "p (Holm) is p after Holm's correction over 2 comparisons (2 candidates), for each metric separately." in text
    )
    together: Any = outscore.compare(frame["base"], frame["a"], frame["b"], metric=metrics, family="all")
    plain = [one.p_value for one in together.comparisons]
    adjusted = [one.adjusted_p_value for one in together.comparisons]
    assert adjusted == pytest.approx(by_definition(plain), rel=1e-12)
    assert "over 4 comparisons (2 metrics × 2 candidates)." in " ".join(together.to_text().split())
    assert "not corrected for the number of metrics" not in together.to_latex(table="scores")


def test_tests_are_corrected_separately_and_one_comparison_is_not(systems: Any) -> None:
    result = outscore.compare(systems, baseline="base", metric="mean", tests=["paired-t", "sign"])
    for place in range(2):
        plain = [one.tests[place].p_value for one in result.comparisons]
        assert [one.tests[place].adjusted_p_value for one in result.comparisons] == by_definition(plain)
    only = outscore.compare(systems["base"], systems["a"], metric="mean")
    assert only.comparisons[0].multiplicity == Multiplicity(Family.TABLE, 1, "none")
    assert "Holm" not in only.to_text(details=True)


def test_the_family_of_datasets_needs_datasets(systems: Any) -> None:
    with pytest.raises(OptionError, match="needs several datasets"):
        outscore.compare(systems, baseline="base", metric="mean", family="datasets")


def test_unpaired_systems_and_gates_name_their_family(systems: Any) -> None:
    unpaired: Any = outscore.compare(systems, baseline="base", metric="mean", unpaired=True)
    plain = [one.tests[0].p_value for one in unpaired.comparisons]
    assert [one.tests[0].adjusted_p_value for one in unpaired.comparisons] == pytest.approx(by_definition(plain))
    assert unpaired.multiplicity == Multiplicity(Family.TABLE, 2, "holm")
    gate = outscore.gate(systems["base"], systems["a"], metric="mean", margin=0.5)
    assert gate.multiplicity == Multiplicity(Family.ALL, 1, "none")


def test_families_of_places() -> None:
    places = [Place(metric=m, candidate=c, dataset=d) for m in range(2) for c in range(3) for d in range(4)]
    p_values = np.random.default_rng(1).uniform(size=len(places)).tolist()
    sizes = {Family.TABLE: 12, Family.CANDIDATES: 3, Family.DATASETS: 4, Family.ALL: 24}
    for family, size in sizes.items():
        adjusted, families = corrected(p_values, p_values, places, family)
        assert {one.size for one in families} == {size}
        assert all(p <= of * (1 + 1e-12) for p, of in zip(p_values, adjusted, strict=True))


@pytest.mark.skipif(not REPLAY.exists(), reason=f"{REPLAY} is not there")
def test_one_pair_of_logs_has_one_corrected_p_value_per_family() -> None:
    """gpt-4o-mini on gsm8k: randomization p = .04096. Three rules under one name gave .0410, .1229 and .1471."""
    baseline, candidate = "replay/Meta-Llama-3-8B-Instruct", "replay/gpt-4o-mini-2024-07-18"

    def p_of(**options: Any) -> Any:
        result: Any = outscore.compare(str(REPLAY), baseline=baseline, **options)
        one = result[candidate]
        if "task" in options:
            return one.adjusted_p_value, one.multiplicity.size, one.verdict
        one = one["gsm8k_replay"]
        return one.adjusted_p_value, result.multiplicity.size, one.verdict

    p = 0.04095959151163697
    assert p_of() == (pytest.approx(6 * p, rel=1e-9), 15, "inconclusive")
    assert p_of(family="candidates") == (pytest.approx(3 * p, rel=1e-9), 5, "inconclusive")
    assert p_of(task="gsm8k_replay") == (pytest.approx(3 * p, rel=1e-9), 5, "inconclusive")
    assert p_of(family="datasets") == (pytest.approx(p, rel=1e-9), 3, "better")
    haiku: Any = outscore.compare(str(REPLAY), baseline=baseline, family="datasets")
    row = haiku["replay/claude-3-haiku-20240307"]["numersense_smaller"]
    assert row.adjusted_p_value == pytest.approx(2 * row.p_value, rel=1e-9)  # .0981, with gains and losses together
