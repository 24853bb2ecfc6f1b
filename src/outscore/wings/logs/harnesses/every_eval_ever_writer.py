"""Scores of systems in the format of Every Eval Ever: one record per system, with the uncertainty of each score.

The schema is 0.3.0. Unknown fields, such as the developer of a model, are "unknown" or left out.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.results.comparisons import Comparison, ComparisonResult, MetricDescription
from outscore.results.intervals import Interval
from outscore.results.rankings import Ranking
from outscore.results.scores import ScoreResult, StandardError, UnpairedResult
from outscore.results.test_sets import TestSetsResult

SCHEMA_VERSION = "0.3.0"
_DAY = 86_400
_OF_BINARY = ("clopper-pearson", "korn-graubard")
_NO_NAME_OF_A_FILE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


@dataclass(frozen=True)
class _Score:
    """The score of a system on a metric and a test set, for any kind of result."""

    system: str
    metric: MetricDescription
    score: float
    n_items: int
    interval: Interval | None = None
    standard_error: StandardError | None = None
    n_units: int | None = None
    test_set: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)


def results_to_every_eval_ever(results: Sequence[Any]) -> str:
    """Return the record of a system as JSON, or an array for several systems.

    Raises
    ------
    OptionError
        The result has no scores of systems: plans, studies.
    """
    records = results_to_records(results)
    return record_text(records[0] if len(records) == 1 else records)


def record_text(record: object) -> str:
    """Return a record, or several, as JSON in ASCII."""
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def results_to_records(results: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the records of all systems, in the order in which they first appear.

    Raises
    ------
    OptionError
        As `results_to_every_eval_ever`.
    """
    by_system: dict[str, dict[tuple[str, str | None], _Score]] = {}
    for result in results:
        for score in _scores_of(result):
            score = replace(score, test_set=score.test_set or _task(result, score.metric))
            by_system.setdefault(score.system, {}).setdefault((score.metric.spec, score.test_set), score)
    return [_record(system, list(scores.values()), results[0]) for system, scores in by_system.items()]


def file_of_record(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the folders and the name of a record's file below ``data/BENCHMARK/``: developer, model, UUID."""
    model = record["model_info"]
    digest = hashlib.blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=16).digest()
    return (
        _name_of_file(model.get("developer", "unknown")),
        _name_of_file(model["id"].rpartition("/")[2]),
        f"{uuid.UUID(bytes=digest, version=4)}.json",
    )


def _task(result: Any, metric: MetricDescription) -> str | None:
    """Return the only task of the systems' logs."""
    pairing = getattr(result, "pairing", None)
    tasks = {of.task for of in pairing.on(metric.name).tasks} if pairing is not None else set()
    return tasks.pop() if len(tasks) == 1 else None


def _name_of_file(name: str) -> str:
    return _NO_NAME_OF_A_FILE.sub("_", name).strip(". ")[:100] or "unknown"


def _scores_of(result: object) -> Iterator[_Score]:
    """Yield the scores of systems in a result."""
    match result:
        case ScoreResult():
            for one in result.scores:
                yield _Score(
                    *(one.system, one.metric, one.score, one.n_items, one.interval, one.standard_error, one.n_units),
                    *(one.test_set, {} if one.over is None else {"over": one.over}),
                )
        case Ranking():
            for ranked in result.systems:
                details = {"rank": f"{ranked.rank_low} to {ranked.rank_high} of {len(result.systems)}"}
                yield _Score(
                    *(ranked.name, result.metric, ranked.score, result.n_items, ranked.interval, None, result.n_units),
                    *(result.test_set, details | _over(result.over)),
                )
        case ComparisonResult():
            for comparison in result.comparisons:
                yield from _compared(comparison)
        case UnpairedResult():
            for pair in result.comparisons:
                yield _Score(pair.baseline, result.metric, pair.baseline_score, pair.n_baseline)
                p = pair.tests[0].adjusted_p_value
                gain = _gain(pair.baseline, pair.gain, pair.interval, None if math.isnan(p) else p)
                yield _Score(pair.candidate, result.metric, pair.candidate_score, pair.n_candidate, details=gain)
        case TestSetsResult():
            for of in result.comparisons:
                for on in of.test_sets:
                    base = _Score(of.baseline, result.metric, on.baseline_score, on.n_items, test_set=on.test_set)
                    yield base
                    gain = _gain(of.baseline, on.gain, on.interval, on.adjusted_p_value)
                    yield replace(base, system=of.candidate, score=on.candidate_score, details=gain)
                if of.average is not None:
                    yield from _compared(of.average, "average")
        case _:
            what = "Every Eval Ever holds scores of systems, and this result has none"
            raise OptionError(
                Problem(
                    opt("format", "every-eval-ever"), what, "Use it with outscore score, rank or compare.", "no-scores"
                )
            )


def _compared(comparison: Comparison, test_set: str | None = None) -> Iterator[_Score]:
    of, over = comparison, _over(comparison.over)
    baseline = _Score(of.baseline, of.metric, of.baseline_score, of.n_items, n_units=of.n_units, details=over)
    baseline = replace(baseline, test_set=test_set)
    if of.against is None:
        yield baseline
    p_value = of.tests[0].adjusted_p_value if of.tests else None
    gain = _gain(of.baseline, of.gain, of.interval, p_value)
    yield replace(baseline, system=of.candidate, score=of.candidate_score, details=gain | over)


def _gain(baseline: str, gain: float, interval: Interval, p_value: float | None) -> dict[str, str]:
    """Return the data on a gain as text: the schema has no field for differences."""
    ends = f"[{interval.low!r}, {interval.high!r}]"
    details = {"gain": repr(gain), "gain_over": baseline, "gain_confidence_interval": ends}
    details["gain_confidence_level"] = repr(interval.confidence_level)
    return details if p_value is None else details | {"gain_p_value": repr(p_value)}


def _over(over: str | None) -> dict[str, str]:
    return {} if over is None else {"over": over}


def _record(system: str, scores: Sequence[_Score], result: Any) -> dict[str, Any]:
    """Return the record of one system."""
    today = _today()
    developer, _, name = system.rpartition("/")
    names = list(dict.fromkeys(_evaluation(score) for score in scores))
    model = {"name": system, "id": system, "developer": developer.partition("/")[0]} if developer and name else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{'+'.join(names[:3])}/{system}/{today}",
        "retrieved_timestamp": str(today),
        "source_metadata": {
            "source_name": "outscore",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "outscore",
            "version": result.version,
            "additional_details": {"signature": result.signature},
        },
        "model_info": {
            **(model or {"name": system, "id": system}),
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [_result(score) for score in scores if math.isfinite(score.score)],
    }


def _today() -> int:
    """Return the date of a record, so that the same results have the same record.

    In seconds since 1970; SOURCE_DATE_EPOCH overrides it, as in reproducible builds.
    """
    said = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(said) if said.isdecimal() and len(said) < 16 else int(time.time()) // _DAY * _DAY


def _evaluation(score: _Score) -> str:
    return score.test_set or score.metric.title


def _result(score: _Score) -> dict[str, Any]:
    metric = score.metric
    details = dict(score.details)
    if score.n_units is not None and score.n_units != score.n_items:
        details["clusters"] = str(score.n_units)
    said: dict[str, Any] = {"score": score.score, "uncertainty": _uncertainty(score)}
    return {
        "evaluation_result_id": f"{_evaluation(score)}:{metric.spec}",
        "evaluation_name": _evaluation(score),
        "source_data": {"dataset_name": score.test_set or "unknown", "source_type": "other"},
        "metric_config": _metric(score),
        "score_details": said | ({"details": details} if details else {}),
    }


def _metric(score: _Score) -> dict[str, Any]:
    """Return the metric; without a type if its range is unknown, which a continuous type requires."""
    metric = score.metric
    config: dict[str, Any] = {
        "metric_id": metric.spec,
        "metric_name": metric.title,
        "lower_is_better": not metric.higher_is_better,
    }
    ends = metric.score_range
    if ends is None and score.interval is not None and score.interval.method in _OF_BINARY:
        ends = (0.0, 1.0)
    if ends == (0.0, 1.0):
        config["metric_unit"] = "proportion"
    if ends is not None and ends[0] <= score.score <= ends[1]:
        config |= {"score_type": "continuous", "min_score": _end(ends[0]), "max_score": _end(ends[1])}
    if metric.signature is not None:
        config["additional_details"] = {"signature": metric.signature}
    return config


def _end(end: float) -> float | str:
    return end if math.isfinite(end) else "Infinity" if end > 0 else "-Infinity"


def _uncertainty(score: _Score) -> dict[str, Any]:
    """Return the uncertainty of a score."""
    known: dict[str, Any] = {}
    if score.standard_error is not None:
        known["standard_error"] = {"value": score.standard_error.value, "method": score.standard_error.method}
    interval = score.interval
    if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
        known["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": round(interval.confidence_level, 12),
            "method": f"{interval.method}, exact" if interval.exact else interval.method,
        }
    return {**known, "num_samples": score.n_items}
