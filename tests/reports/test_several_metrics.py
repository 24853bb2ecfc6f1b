"""Reports on several metrics: all of them in one table, then each by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from outscore.results import ComparisonResult, MetricDescription

from .conftest import a_comparison, a_result, several_with_holm
from .written import WRITERS, to_latex, to_text

PERSONS = MetricDescription(
    "span-f1", True, True, "span-f1:type=person", "span-f1|a package:1.2", "span F1 (type=person)"
)
ALL = replace(PERSONS, spec="span-f1", signature=None, title="span F1")

Format = Callable[[Sequence[ComparisonResult]], str]


@pytest.fixture
def two() -> list[ComparisonResult]:
    """The same systems on one metric with two options."""
    return [a_result(a_comparison(metric=metric, gain=gain)) for metric, gain in ((ALL, 0.0425), (PERSONS, 0.011))]


def flat(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


@pytest.mark.parametrize("name", ["text", "markdown", "latex"])
def test_each_metric_stands_apart_under_its_options(name: str, two: list[ComparisonResult]) -> None:
    text = flat(WRITERS[name](two, **({"details": True} if name == "text" else {})))
    assert "span F1 (%)" in text.replace("Span", "span")
    assert "span F1 (type=person)" in text.replace("Span", "span")
    assert text.startswith("%" if name == "latex" else "gpt-4o against gpt-4-turbo on 2 metrics")
    assert "not corrected for the number of metrics" in text
    assert text.count("a package:1.2") == 1
    for result in two:
        assert result.signature in text


def test_text_begins_with_one_table_and_has_a_rule_for_each(two: list[ComparisonResult]) -> None:
    text = to_text(two)
    assert "━" not in text
    table, *sections = re.split(r"^(?:span F1.*) ━+$", to_text(two, details=True), flags=re.MULTILINE)
    assert len(sections) == 2
    assert "\nIn all rows: baseline 68.1.\n" in table
    assert re.search(r"^span F1 \(%\) +72.4 +\+4.3 +\+2.0 to \+6.5 +0.00032 +better$", table, re.MULTILINE)
    assert re.search(
        r"^span F1 \(type=person\) \(%\) +69.2 +\+1.1 +-1.2 to \+3.4 +0.00032 +better$", table, re.MULTILINE
    )
    assert max(map(len, table.split("\n"))) <= 80
    assert to_text(two, ascii_only=True).isascii()


def test_latex_asks_for_its_package_once(two: list[ComparisonResult]) -> None:
    text = WRITERS["latex"](two)
    assert text.count("booktabs") == 1
    assert text.count(r"\begin{table}") == 1
    assert to_latex(two, details=True).count(r"\begin{table}") == 3


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_several_candidates_have_a_row_each(name: str) -> None:
    first = several_with_holm()
    other = replace(first, metric=PERSONS, comparisons=tuple(replace(c, metric=PERSONS) for c in first.comparisons))
    text = flat(WRITERS[name]([first, other]))
    head = text[: text.index("better", text.index("verdict")) + 400]
    assert "3 candidates against gpt-4-turbo on 2 metrics" in head
    assert "after Holm's correction over 3 comparisons (3 candidates), for each metric separately." in head
    assert "0.00096" in head  # Holm's
