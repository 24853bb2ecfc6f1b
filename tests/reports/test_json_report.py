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
    assert read["tests"][0]["p_value"] == comparison.tests[0].p_value == 1.25e-20
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
        {"name": "mcnemar", "reason": "needs items that are right (1) or wrong (0)"}
    ]


def test_the_whole_of_one_report(results: dict[str, ComparisonResult]) -> None:
    read = json.loads(results["one_exact"].to_json())
    histogram = read["comparisons"][0].pop("histogram")
    assert len(histogram["edges"]) == len(histogram["probabilities"]) + 1 == 41
    signature = "test:bootstrap|centre:2d|alternative:greater|ties:count|r:exact|n:800|unit:item|seed:12345"
    assert read == {
        "schema": "outscore/comparison/1",
        "version": "0.1.0",
        "signature": f"{signature}|metric:accuracy|version:0.1.0",
        "metric": {"name": "accuracy", "higher_is_better": True, "as_percentage": True}
        | {"spec": "accuracy", "signature": None, "title": "accuracy"},
        "n_items": 800,
        "n_units": 800,
        "comparisons": [
            {
                "baseline": "gpt-4-turbo",
                "candidate": "gpt-4o",
                "baseline_score": 0.68125,
                "candidate_score": 0.72375,
                "gain": 0.0425,
                "interval": {
                    "low": 0.0425 - 1.96 * 0.0117,
                    "high": 0.0425 + 1.96 * 0.0117,
                    "confidence_level": 0.95,
                    "method": "percentile",
                    "exact": True,
                },
                "helped": 61,
                "hurt": 27,
                "unchanged": 712,
                "correlation": 0.7443,
                "claim": "better",
                "margin": None,
                "alpha": 0.05,
                "verdict": "better",
                "tests": [
                    {
                        "name": "bootstrap",
                        "alternative": "greater",
                        "ties": "count",
                        "p_value": 0.0003214,
                        "adjusted_p_value": 0.0003214,
                        "exact": True,
                        "n_resamples": None,
                        "n_exceeding": None,
                        "p_value_low": 0.0003214 * (1 - 2e-13),
                        "p_value_high": 0.0003214 * (1 + 2e-13),
                        "assumes_independence": False,
                        "statistic": None,
                        "computation": "exact: lattice",
                        "inflation": None,
                        "signature": "test:bootstrap|alternative:greater|n:800|version:0.1.0",
                        "checks": [],
                        "unit": "item",
                        "n_units": None,
                        "emulates": None,
                        "reason": None,
                    }
                ],
                "left_out": [],
                "warnings": [],
                "sentence": results["one_exact"].sentences[0],
            }
        ],
        "seed": 12345,
    }


def test_lists_of_numbers_stand_on_one_line(results: dict[str, ComparisonResult]) -> None:
    lines = results["jansen"].to_json().splitlines()
    assert sum('"edges": [' in line and line.endswith("],") for line in lines) == 1
    assert len(lines) < 80
