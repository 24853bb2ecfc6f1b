"""JSON of comparisons: all digits, and nothing that JSON does not know."""

from __future__ import annotations

import json

import pytest

from outscore.results import ComparisonResult


def refuse(constant: str) -> None:
    pytest.fail(f"{constant} is not JSON")


def test_numbers_have_all_their_digits(results: dict[str, ComparisonResult]) -> None:
    result = results["extreme_p"]
    read = json.loads(result.to_json())["comparisons"][0]
    comparison = result.comparisons[0]
    assert read["gain"] == comparison.gain
    assert read["tests"][0]["p_value"] == comparison.test.p_value == 1.25e-20
    assert tuple(read["histogram"]["edges"]) == comparison.histogram.edges
    assert tuple(read["histogram"]["probabilities"]) == comparison.histogram.probabilities


def test_what_is_not_finite_is_null(results: dict[str, ComparisonResult]) -> None:
    read = json.loads(results["undefined"].to_json(), parse_constant=refuse)["comparisons"][0]
    assert read["gain"] is None
    assert read["tests"][0]["p_value"] is None
    assert read["tests"][0]["statistic"] is None


def test_names_come_back_unchanged_and_the_output_is_ascii(results: dict[str, ComparisonResult]) -> None:
    for result in results.values():
        text = result.to_json()
        assert text.isascii()
        names = [(c["baseline"], c["candidate"]) for c in json.loads(text)["comparisons"]]
        assert names == [(c.baseline, c.candidate) for c in result.comparisons]


def test_more_keys_are_there_for_reports(results: dict[str, ComparisonResult]) -> None:
    result = results["sampled_with_warning"]
    read = json.loads(result.to_json())
    assert read["seed"] == 12345
    comparison = read["comparisons"][0]
    assert comparison["sentence"] == result.sentences[0]
    assert comparison["warnings"] == list(result.comparisons[0].warnings)
    assert [check["agrees"] for test in comparison["tests"] for check in test["checks"]] == [True, False]
    assert json.loads(results["several_with_holm"].to_json())["comparisons"][0]["left_out"] == [
        {"name": "mcnemar", "reason": "needs binary items (1 correct, 0 incorrect)"}
    ]


def test_lists_of_numbers_stand_on_one_line(results: dict[str, ComparisonResult]) -> None:
    lines = results["jansen"].to_json().splitlines()
    assert sum('"edges": [' in line and line.endswith("],") for line in lines) == 1
    assert len(lines) < 80
