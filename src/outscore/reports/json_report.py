"""Results as JSON, for programs. The names and meanings of its keys are fixed by the schema's version.

Keys may be added within a version; they are listed after those that were there before, so that two reports can
be compared line by line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from outscore.results import Check, Comparison, ComparisonResult, TestResult

__all__ = ["several_to_json", "to_json", "written"]


def to_json(result: ComparisonResult) -> str:
    """Write a comparison as JSON (schema "outscore/comparison/1").

    Floats have all their digits: reading them gives the same numbers back. A number that is not finite is null.
    Scores are fractions and gains their differences, never percentages. Only ASCII is written, so that the
    output survives any encoding.
    """
    return written(_result(result))


def several_to_json(results: Sequence[ComparisonResult]) -> str:
    """Write comparisons on several metrics (schema "outscore/comparisons/1"): an object with a list of `to_json`'s."""
    return written({"schema": "outscore/comparisons/1", "results": [_result(result) for result in results]})


def written(whole: dict[str, Any]) -> str:
    """Return an object as JSON: null for what is not finite, and a list of numbers on one line."""
    text = json.dumps(_finite(whole), indent=2, allow_nan=False)
    # Lists of numbers go on one line. Strings hold no line breaks of their own, so none of them is touched.
    return re.sub(r"\[\n\s+([^][{}\"]*)\n\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def _result(result: ComparisonResult) -> dict[str, Any]:
    return {
        "schema": result.schema,
        "version": result.version,
        "signature": result.signature,
        "metric": asdict(result.metric),
        "n_items": result.n_items,
        "n_units": result.n_units,
        "comparisons": [
            {**_comparison(comparison), "sentence": comparison.sentence} for comparison in result.comparisons
        ],
        "seed": result.seed,
    }


def _comparison(c: Comparison) -> dict[str, Any]:
    return {
        "baseline": c.baseline,
        "candidate": c.candidate,
        "baseline_score": c.baseline_score,
        "candidate_score": c.candidate_score,
        "gain": c.gain,
        "interval": {
            "low": c.interval.low,
            "high": c.interval.high,
            "confidence_level": c.interval.confidence_level,
            "method": c.interval.method,
            "exact": c.interval.exact,
        },
        "helped": c.helped,
        "hurt": c.hurt,
        "unchanged": c.unchanged,
        "correlation": c.correlation,
        "claim": c.claim.value,
        "margin": c.margin,
        "alpha": c.alpha,
        "verdict": c.verdict.value,
        "tests": [_test(test) for test in c.tests],
        "left_out": [{"name": name, "reason": reason} for name, reason in c.left_out],
        "warnings": list(c.warnings),
        "histogram": {
            "edges": list(c.histogram.edges),
            "probabilities": list(c.histogram.probabilities),
            "exact": c.histogram.exact,
        },
    }


def _test(test: TestResult) -> dict[str, Any]:
    return {
        "name": test.name,
        "alternative": test.alternative.value,
        "ties": test.ties.value,
        "p_value": test.p_value,
        "adjusted_p_value": test.adjusted_p_value,
        "exact": test.exact,
        "n_resamples": test.n_resamples,
        "n_exceeding": test.n_exceeding,
        "p_value_low": test.p_value_low,
        "p_value_high": test.p_value_high,
        "assumes_independence": test.assumes_independence,
        "statistic": test.statistic,
        "computation": test.computation,
        "inflation": test.inflation,
        "signature": test.signature,
        "checks": [_check(check) for check in test.checks],
        "unit": test.unit,
        "n_units": test.n_units,
        "emulates": test.emulates,
        "reason": test.reason,
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "computation": check.computation,
        "seed": check.seed,
        "p_value": check.p_value,
        "p_value_low": check.p_value_low,
        "p_value_high": check.p_value_high,
        "n_resamples": check.n_resamples,
        "n_exceeding": check.n_exceeding,
        "agrees": check.agrees,
    }


def _finite(value: Any) -> Any:
    """Return the same tree with null for NaN and infinity, which JSON does not know."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
