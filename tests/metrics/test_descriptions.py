"""What metrics say of themselves."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import comb

import pytest

from outscore import ColumnMetric, RatioMetric
from outscore.metrics import METRICS
from tests.kit import OUTPUT_METRICS, output_metrics
from tests.laws.kit import FEW_RECOMPUTED_SWAPS, FEW_RECOMPUTED_UNITS, MOST_COMPOSITIONS, MOST_SWITCHED_UNITS
from tests.metrics.kit import Exactness, Kind, describe, options_of, parsed

BracketF1, BracketRecall = output_metrics("bracket-f1 bracket-recall")

EVERY = [*METRICS.values(), *OUTPUT_METRICS.values()]


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.__name__)
def test_every_metric_describes_itself(metric: type) -> None:
    found = describe(metric)
    assert found.summary.endswith(".")
    assert "\n" not in found.summary
    assert found.statistics
    assert found.columns or found.output_type
    assert {option.name for option in found.options} == {field.name for field in fields(metric)}
    for option in found.options:  # the default that is shown is one that can be written
        if option.default and "\\" not in option.default:
            written = f"{found.name}:{option.name}={option.default}"
            assert options_of(metric, parsed(written)[1]) == {option.name: getattr(metric(), option.name)}


@pytest.mark.parametrize(
    ("name", "bootstrap", "randomization"),
    [
        ("bleu", Exactness.FEW_DRAWN, Exactness.FEW_SWAPPED),
        ("spearman", Exactness.FEWER_DRAWN, Exactness.FEWER_SWAPPED),
        ("wer", Exactness.ALWAYS, Exactness.ALWAYS),
        ("span-recall", Exactness.ALWAYS, Exactness.ALWAYS),
        ("span-f1", Exactness.SHARED, Exactness.COUNTS),
        ("bracket-recall", Exactness.SHARED, Exactness.COUNTS),  # EVALB leaves sentences out, by system
        ("aer", Exactness.SHARED, Exactness.COUNTS),
    ],
)
def test_exactness_follows_from_the_class(name: str, bootstrap: Exactness, randomization: Exactness) -> None:
    found = describe(OUTPUT_METRICS[name])
    assert (found.bootstrap, found.randomization) == (bootstrap, randomization)


def test_a_ratio_whose_coefficients_are_no_whole_numbers_has_no_law_of_two_counts() -> None:
    @dataclass(frozen=True)
    class Weighted(RatioMetric, ColumnMetric):
        name = "weighted"
        columns = statistics = ("a", "b")
        numerator = (0.5, 0.0)
        denominator = (0.0, 1.0)
        higher_is_better = True

    assert describe(Weighted).randomization is Exactness.SHARED


def test_the_numbers_of_units_are_those_of_enumeration() -> None:
    assert comb(2 * 12 - 1, 12) <= MOST_COMPOSITIONS < comb(2 * 13 - 1, 13)
    assert Exactness.FEW_DRAWN.value == "12 units"
    assert Exactness.FEWER_DRAWN.value == f"{FEW_RECOMPUTED_UNITS} units"
    assert Exactness.FEWER_SWAPPED.value == f"{FEW_RECOMPUTED_SWAPS} units"
    assert Exactness.FEW_SWAPPED.value == f"{MOST_SWITCHED_UNITS} units"


def test_columns_of_labels_are_named_once() -> None:
    assert describe(OUTPUT_METRICS["kappa"]).statistics == ("disagreement", "predicted[LABEL]", "gold[LABEL]")
    assert describe(OUTPUT_METRICS["macro-span-f1"]).statistics == ("tp TYPE", "predicted TYPE", "gold TYPE")


def test_options_are_described_where_a_docstring_refers_to() -> None:
    assert describe(BracketRecall).options == describe(BracketF1).options
    assert all(option.description for option in describe(BracketRecall).options)


def test_kinds() -> None:
    kinds = {metric: describe(OUTPUT_METRICS[metric]).kind for metric in ("spearman", "pearson")}
    assert kinds == {"spearman": Kind.RECOMPUTED, "pearson": Kind.OUTPUTS}
    assert describe(METRICS["f1"]).kind is Kind.COLUMNS
