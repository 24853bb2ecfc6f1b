"""Metrics of labels against scikit-learn."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore import Metric, RatioMetric
from outscore._types import FloatArray
from outscore.errors import DataError, OptionError
from outscore.metrics.families.classification import (
    Kappa,
    LabelAccuracy,
    MacroF1,
    MacroPrecision,
    MacroRecall,
    Mcc,
    MicroF1,
    MicroPrecision,
    MicroRecall,
    labels_of,
)
from tests.kit import GoldLabel, Label

sklearn_metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")

FUNCTIONS = {
    "precision": sklearn_metrics.precision_score,
    "recall": sklearn_metrics.recall_score,
    "f1": sklearn_metrics.f1_score,
}
WEIGHTS = (None, "linear", "quadratic")


def every_metric(labels: tuple[str, ...]) -> list[Any]:
    return [
        LabelAccuracy(),
        *(
            micro(counted)
            for micro in (MicroPrecision, MicroRecall, MicroF1)
            for counted in ((), labels[0], labels[:2])
        ),
        *(macro(labels) for macro in (MacroPrecision, MacroRecall, MacroF1)),
        Mcc(labels),
        *(Kappa(labels, weights) for weights in WEIGHTS),
    ]


def expected(metric: Any, outputs: Sequence[str], references: Sequence[str]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of single labels and of what is undefined
        if isinstance(metric, LabelAccuracy):
            return float(sklearn_metrics.accuracy_score(references, outputs))
        if isinstance(metric, Mcc):
            return float(sklearn_metrics.matthews_corrcoef(references, outputs))
        if isinstance(metric, Kappa):
            options: dict[str, Any] = {"labels": list(metric.labels), "weights": metric.weights}
            return float(np.nan_to_num(sklearn_metrics.cohen_kappa_score(outputs, references, **options)))
        average, _, kind = metric.name.partition("-")
        counted = [metric.labels] if isinstance(metric.labels, str) else list(metric.labels)
        known = set(references) | set(outputs)
        if average == "macro":  # scikit-learn counts labels that neither side holds as 0
            counted = [label for label in counted if label in known]
        if average == "micro" and counted and not known & set(counted):
            return 0.0  # scikit-learn refuses labels of which no reference holds any
        options = {"labels": counted or None, "average": average, "zero_division": 0}
        return float(FUNCTIONS[kind](references, outputs, **options))


def score_of(metric: Any, outputs: Sequence[str], references: Sequence[str]) -> float:
    return float(metric.score(metric.rows(outputs, references).sum(axis=0)))


labels = st.sampled_from(["a", "b", "c", "d"])
pairs = st.lists(st.tuples(labels, labels), min_size=1, max_size=30)


@settings(max_examples=30, deadline=None)
@given(pairs, st.booleans())
def test_scores_are_those_of_scikit_learn(items: list[tuple[str, str]], other_labels: bool) -> None:
    outputs, references = zip(*items, strict=True)
    known = labels_of(references, outputs, "abcde" if other_labels else ())
    for metric in every_metric(known):
        assert score_of(metric, outputs, references) == pytest.approx(expected(metric, outputs, references), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(pairs)
def test_a_systems_own_labels_give_the_defaults_of_scikit_learn(items: list[tuple[str, str]]) -> None:
    outputs, references = zip(*items, strict=True)
    own = labels_of(references, outputs)
    for macro, function in ((MacroPrecision, "precision"), (MacroRecall, "recall"), (MacroF1, "f1")):
        default = FUNCTIONS[function](references, outputs, average="macro", zero_division=0)
        assert score_of(macro(own), outputs, references) == pytest.approx(default, abs=1e-9)


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(1, 4))], ids="part {}".format
)
def test_tokens_of_every_ner_system(data: Callable[[str], Path], part: int) -> None:
    folder = data("ner-wnut17")

    def column(path: Path) -> list[str]:
        return [line.rpartition("\t")[2] for line in path.read_text(encoding="utf-8").split("\n") if line]

    references = column(folder / "gold.bio")
    systems = {path.stem: column(path) for path in sorted((folder / "systems").iterdir())}
    assert len(systems) == 7
    known = labels_of(references, *systems.values())
    assert len(known) == 13
    for outputs in [*systems.values()][part::4]:
        assert len(outputs) == len(references) == 23394
        for metric in every_metric(known):
            assert score_of(metric, outputs, references) == pytest.approx(
                expected(metric, outputs, references), abs=1e-9
            )
        assert_defaults(outputs, references, known)


def assert_defaults(outputs: Sequence[str], references: Sequence[str], known: tuple[str, ...]) -> None:
    """Check macro averages and scores of single classes, as scikit-learn gives them without any option."""
    own = labels_of(references, outputs)
    scores = sklearn_metrics.precision_recall_fscore_support
    macro = scores(references, outputs, average="macro", zero_division=0)
    by_class = scores(references, outputs, labels=list(own), average=None, zero_division=0)
    macro_totals = MacroF1(known).rows(outputs, references).sum(axis=0)
    for metric, average in zip((MacroPrecision(known), MacroRecall(known), MacroF1(known)), macro, strict=False):
        assert float(metric.score(macro_totals)) == pytest.approx(average, abs=1e-9)
    for label, *of_label in zip(own, *by_class[:3], strict=True):
        totals = MicroF1(label).rows(outputs, references).sum(axis=0)
        for micro, score in zip((MicroPrecision(label), MicroRecall(label), MicroF1(label)), of_label, strict=True):
            assert float(micro.score(totals)) == pytest.approx(score, abs=1e-9)


def test_a_label_that_another_system_makes_up_does_not_count() -> None:
    references, outputs, other = ["a", "b", "a"], ["a", "b", "b"], ["a", "c", "a"]
    metric = MacroF1().fitted(references, [outputs, other])
    assert metric.labels == ("a", "b", "c")
    assert_defaults(outputs, references, metric.labels)
    assert_defaults(other, references, metric.labels)
    alone = MacroF1().fitted(references, [outputs])
    assert score_of(metric, outputs, references) == score_of(alone, outputs, references)


def test_accuracies_of_every_language_model(data: Callable[[str], Path]) -> None:
    lines = (data("llm-cruxeval") / "correct.tsv").read_text(encoding="utf-8").split("\n")
    header, *records = [line.split("\t") for line in lines if line]
    columns = dict(zip(header, zip(*records, strict=True), strict=True))
    systems = [values for values in columns.values() if set(values) <= {"0", "1"}]
    assert len(systems) == 51
    gold = ["1"] * 800
    for outputs in systems:
        assert score_of(LabelAccuracy(), outputs, gold) == sklearn_metrics.accuracy_score(gold, outputs)


OUTPUTS = ["a", "b", "b", "c", "junk", "a"]
REFERENCES = ["a", "b", "c", "c", "a", "b"]
KNOWN = labels_of(REFERENCES, OUTPUTS)


@pytest.mark.parametrize("metric", every_metric(KNOWN), ids=lambda metric: repr(metric))
def test_rows_add_up_and_scores_are_vectorised(metric: Any) -> None:
    rows: FloatArray = metric.rows(OUTPUTS, REFERENCES)
    assert rows.shape == (6, len(metric.statistics))
    assert np.array_equal(np.vstack([metric.rows([o], [r]) for o, r in zip(OUTPUTS, REFERENCES, strict=True)]), rows)
    weights = np.random.default_rng(1).integers(0, 3, size=(4, 5, 6)).astype(np.float64)
    totals = weights @ rows
    scores = metric.score(totals)
    assert scores.shape == (4, 5)
    for index in np.ndindex(4, 5):
        assert scores[index] == metric.score(totals[index])
        repeats = weights[index].astype(int)
        if repeats.any():
            repeated = [list(np.repeat(side, repeats)) for side in (OUTPUTS, REFERENCES)]
            assert scores[index] == pytest.approx(score_of(metric, repeated[0], repeated[1]), abs=1e-12)
    assert metric.score(np.zeros(rows.shape[1])) == 0
    assert metric.rows([], []).shape == (0, rows.shape[1])
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert isinstance(metric, Metric)
    assert metric.score(totals.astype(np.float32)).shape == (4, 5)


@pytest.mark.parametrize("metric", every_metric(KNOWN), ids=lambda metric: repr(metric))
def test_items_that_are_right_score_higher(metric: Any) -> None:
    right, wrong, turned = metric.item_scores(metric.rows(["a", "b", "a"], ["a", "a", "b"]))
    # A label that is not given cannot harm its precision, one that is not gold cannot harm its recall.
    assert right >= max(wrong, turned)
    assert right > min(wrong, turned)


def test_classification_is_a_ratio_where_it_is_one() -> None:
    ratios = [metric for metric in every_metric(KNOWN) if isinstance(metric, RatioMetric)]
    assert {metric.name for metric in ratios} == {"accuracy", "micro-precision", "micro-recall", "micro-f1"}
    assert {metric.name for metric in ratios if metric.is_proportion} == {"accuracy", "micro-precision", "micro-recall"}


def test_labels_may_be_typed() -> None:
    outputs, references = [Label("a"), Label("b")], [GoldLabel("a"), GoldLabel("a")]
    assert score_of(LabelAccuracy(), outputs, references) == 0.5
    assert labels_of(references, outputs) == ("a", "b")
    assert pickle.loads(pickle.dumps(outputs)) == outputs


def test_labels_of_other_systems_change_no_agreement() -> None:
    for metric in (Mcc, Kappa):
        more = metric(labels_of(KNOWN, ["d", "zz"]))
        assert score_of(more, OUTPUTS, REFERENCES) == pytest.approx(score_of(metric(KNOWN), OUTPUTS, REFERENCES))


def test_labels_of_numbers_are_ordered_by_value() -> None:
    assert labels_of(["10", "9", "-1", "2.5"]) == ("-1", "2.5", "9", "10")
    assert labels_of(["2", "nan", "1"]) == ("1", "2", "nan")
    assert labels_of(["10", "9", "x"]) == ("10", "9", "x")
    assert labels_of([]) == ()
    ratings, gold = ["1", "10", "2", "9", "10"], ["2", "9", "1", "10", "10"]
    numbers = [[int(label) for label in side] for side in (ratings, gold)]
    for weights in WEIGHTS:
        assert score_of(Kappa(labels_of(gold, ratings), weights), ratings, gold) == pytest.approx(
            sklearn_metrics.cohen_kappa_score(*numbers, weights=weights), abs=1e-9
        )


@pytest.mark.parametrize("metric", [MacroF1(), Mcc(), Kappa()])
def test_labels_must_be_known(metric: Any) -> None:
    with pytest.raises(OptionError, match=r"labels_of\(references, \*outputs\)\. \[no-labels\]$"):
        metric.rows(["a"], ["a"])


@pytest.mark.parametrize("metric", [Mcc(("a", "b")), Kappa(("a", "b"))])
def test_agreement_needs_all_labels(metric: Any) -> None:
    with pytest.raises(DataError, match=r'^\[1\]: expected a label of the metric, got "x\\n".*\[unknown-label\]$'):
        metric.rows(["a", "x\n"], ["a", "b"])


def test_weights_that_are_none() -> None:
    with pytest.raises(OptionError, match=r'got "quadrat". Did you mean "quadratic"\? \[unknown-weights\]'):
        Kappa(("a",), weights="quadrat")


def test_rows_of_different_lengths_are_refused() -> None:
    for metric in every_metric(KNOWN):
        with pytest.raises(ValueError):  # noqa: PT011  (readers align; this is for programmers)
            metric.rows(["a", "b"], ["a"])


def test_an_output_without_a_label_is_wrong_as_in_scikit_learn() -> None:
    references, outputs = ["2", "10", "2", "10", "10"], ["2", "", "", "10", "2"]
    found = labels_of(references, outputs)
    assert found == ("2", "10", "")
    for metric in every_metric(found):
        if not getattr(metric, "weights", None):
            assert score_of(metric, outputs, references) == pytest.approx(expected(metric, outputs, references))
        else:
            with pytest.raises(DataError, match=r"^\[1\]: empty label: .* \[missing-label\]\n\[2\]: "):
                metric.rows(outputs, references)
