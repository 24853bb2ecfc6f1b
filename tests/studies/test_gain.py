"""The gain study against plain loops of comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outscore
from outscore import StudyOptions
from outscore._types import FloatArray
from outscore.metrics import ColumnMetric
from outscore.results import Estimator, Method, Ties
from outscore.significance import Randomization, Resampling
from tests.scored import scored
from tests.studies.boards import ACCURACY, F1_METRIC, MEAN, answers, board_of, counts
from tests.studies.kit import ALL_PAIRS, DIFFERENT_FAMILY, SAME_FAMILY, GainStudy, StudySystems, gain_study

R = 2000


def plain(
    columns: list[FloatArray], metric: ColumnMetric, **options: object
) -> dict[frozenset[str], tuple[float, float]]:
    """Return gain and p-value of every pair, one comparison each, the better-scoring system as candidate."""
    found = {}
    for i in range(len(columns)):
        for j in range(i):
            pair = [columns[i], columns[j]]
            gains = [
                outscore.compare(*order, metric=metric, tests="bootstrap", n_resamples=10).comparisons[0].gain
                for order in (pair, pair[::-1])
            ]
            one, other = pair if gains[0] >= 0 else pair[::-1]
            asked: dict[str, Any] = {"tests": "bootstrap", "alternative": "greater", "n_resamples": R, **options}
            result = outscore.compare(one, other, metric=metric, **asked)
            comparison = result.comparisons[0]
            found[frozenset({f"s{i}", f"s{j}"})] = comparison.gain, comparison.tests[0].p_value
    return found


CASES = [
    ("binary", answers(5, 60, seed=1), ACCURACY, {}),
    ("binary, sampled", answers(5, 60, seed=1), ACCURACY, {"method": "monte-carlo"}),
    ("real", [np.random.default_rng(i).normal(0.1 * i, 1, 40) for i in range(4)], MEAN, {}),
    ("counts", counts(4, 80, seed=2), F1_METRIC, {"method": "monte-carlo"}),
    (
        "strict, plain",
        answers(4, 30, seed=3),
        ACCURACY,
        {"method": "monte-carlo", "ties": "strict", "estimator": "plain"},
    ),
    ("randomization", counts(4, 50, seed=4), F1_METRIC, {"tests": "randomization"}),
]


@pytest.mark.usefixtures("order_as_given")
@pytest.mark.parametrize(
    ("columns", "metric", "options"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_p_values_are_those_of_comparisons(
    columns: list[FloatArray], metric: ColumnMetric, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The canonical order of two systems of several is another: the order given has the same draws.
    for module in ("questions.comparing", "wings.studies.systems"):
        monkeypatch.setattr(f"outscore.{module}.in_canonical_order", lambda systems, design: (systems, design))
    asked = StudyOptions(
        resampling=Resampling(Method(options.get("method", "auto")), R),
        ties=Ties(options.get("ties", "count")),
        estimator=Estimator(options.get("estimator", "add-one")),
        **({"test": Randomization()} if "tests" in options else {}),  # type: ignore[arg-type]
    )
    study = gain_study(board_of(columns, metric), asked)
    expected = plain(columns, metric, **options)
    assert len(study.pairs) == len(expected)
    for pair in study.pairs:
        gain, p = expected[frozenset({pair.baseline, pair.candidate})]
        assert pair.gain >= 0
        assert pair.gain == pytest.approx(gain, abs=1e-12)
        assert pair.p_value == pytest.approx(p, rel=1e-9)


def test_lower_is_better_turns_gains() -> None:
    systems = board_of(answers(4, 60, seed=5), outscore.Mean(higher_is_better=False))
    study = gain_study(systems, StudyOptions())
    scores = dict(zip(systems.names, systems.scores, strict=True))
    assert all(scores[pair.candidate] <= scores[pair.baseline] for pair in study.pairs)


def families_of(study: GainStudy) -> dict[str | None, list[float]]:
    found: dict[str | None, list[float]] = {}
    for pair in study.pairs:
        found.setdefault(pair.relation, []).append(pair.gain)
    return found


@pytest.fixture(scope="module")
def board() -> StudySystems:
    return board_of(answers(40, 120, seed=6, spread=0.8), ACCURACY, families=[f"f{i % 8}" for i in range(40)])


@pytest.fixture(scope="module")
def study(board: StudySystems) -> GainStudy:
    return gain_study(board, StudyOptions(min_pairs=3))


def test_thresholds_are_percentiles_of_the_gains_in_the_window(study: GainStudy) -> None:
    for relation in (ALL_PAIRS, SAME_FAMILY, DIFFERENT_FAMILY):
        gains = [
            pair.gain for pair in study.pairs if relation in (ALL_PAIRS, pair.relation) and 0.04 <= pair.p_value <= 0.06
        ]
        (threshold,) = [each for each in study.thresholds if each.relation == relation]
        assert threshold.n_pairs == len(gains)
        assert threshold.threshold == pytest.approx(float(np.percentile(gains, 95)), rel=1e-12)
        assert threshold.low is not None
        assert threshold.high is not None
        assert min(gains) <= threshold.low <= threshold.high <= max(gains)


def test_relations_part_the_pairs(study: GainStudy) -> None:
    held = families_of(study)
    assert set(held) == {SAME_FAMILY, DIFFERENT_FAMILY}
    assert len(held[SAME_FAMILY]) == 8 * 10  # five systems in each of eight families
    assert len(held[DIFFERENT_FAMILY]) == 40 * 39 // 2 - 80


def test_few_pairs_give_no_threshold_but_a_reason(board: StudySystems) -> None:
    found = gain_study(board, StudyOptions(min_pairs=10**6))
    for threshold in found.thresholds:
        assert threshold.threshold is threshold.low is threshold.high is None
        assert threshold.reason is not None
        assert "1000000 are needed" in threshold.reason


def test_no_families_give_no_threshold_but_a_reason() -> None:
    found = gain_study(board_of(answers(6, 60, seed=7), ACCURACY), StudyOptions(min_pairs=1))
    assert {pair.relation for pair in found.pairs} == {None}
    reasons = {each.relation: each.reason for each in found.thresholds}
    assert reasons[SAME_FAMILY] == reasons[DIFFERENT_FAMILY] == "the families are unknown"


def test_an_empty_window_gives_no_threshold_but_a_reason() -> None:
    same = answers(1, 60, seed=8)[0]
    found = gain_study(board_of([same, same, same], ACCURACY), StudyOptions())
    assert [pair.p_value for pair in found.pairs] == [1.0, 1.0, 1.0]
    assert found.thresholds[0].reason == "no pair has p-values from 0.04 to 0.06"


def test_marks_make_relations_of_their_own() -> None:
    from dataclasses import replace

    systems = board_of(answers(5, 60, seed=9), ACCURACY, families=["a", "a", "b", "b", "c"])
    marked = replace(systems, kinds=(None, "combination", None, "oracle", None))
    assert marked.relations == ("all", "same-family", "different-family", "combination", "combination/oracle", "oracle")
    assert marked.relation(0, 1) == "combination"
    assert marked.relation(1, 3) == "combination/oracle"
    assert marked.relation(2, 4) == DIFFERENT_FAMILY
    study = gain_study(marked, StudyOptions())
    assert sum(pair.relation == "combination" for pair in study.pairs) == 3
    assert [each.relation for each in study.thresholds] == list(marked.relations)


def test_nothing_depends_on_the_order_of_the_systems(board: StudySystems) -> None:
    backwards = StudySystems(
        metric=board.metric,
        names=board.names[::-1],
        rows=board.rows[::-1],
        families=board.families[::-1],
        kinds=board.kinds[::-1],
        strata=None,
    )
    one, other = (gain_study(each, StudyOptions(min_pairs=3)) for each in (board, backwards))
    key = {frozenset({pair.baseline, pair.candidate}): pair.p_value for pair in one.pairs}
    assert key == {frozenset({pair.baseline, pair.candidate}): pair.p_value for pair in other.pairs}
    assert [each.threshold for each in one.thresholds] == [each.threshold for each in other.thresholds]


def test_clusters_and_strata_are_resampled_as_in_comparisons() -> None:
    columns = answers(3, 60, seed=10)
    clusters, strata = np.arange(60) // 3, np.arange(60) // 30
    rows = [ACCURACY.rows_of(outscore.Rows(f"s{i}", values[:, None])) for i, values in enumerate(columns)]
    systems = StudySystems.of_scores(scored(ACCURACY, rows, clusters=clusters, strata=strata))
    study = gain_study(systems, StudyOptions())
    assert (study.n_items, study.n_units) == (60, 20)
    expected = plain(columns, ACCURACY, clusters=[str(c) for c in clusters], strata=[str(c) for c in strata])
    for pair in study.pairs:
        assert pair.p_value == pytest.approx(expected[frozenset({pair.baseline, pair.candidate})][1], rel=1e-9)
