"""Studies for programs: JSON (schemas "outscore/study-…/1") and tidy CSV.

Keys may be added within a version; they are listed after those that were there before.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from io import StringIO
from typing import Any

from outscore.reports.json_report import written
from outscore.reports.rankings.csv_report import _cell
from outscore.reports.studies.tables import Study
from outscore.results.studies import (
    CalibrationBin,
    CalibrationStudy,
    DomainPoint,
    DomainStudy,
    GainStudy,
    SizePoint,
    SizeStudy,
    StudySetting,
    Threshold,
    TransferStudy,
)

__all__ = ["studies_to_json", "study_to_csv", "study_to_json", "thresholds_to_csv"]


def study_to_json(study: Study) -> str:
    """Write a study as JSON.

    Floats have all their digits, gains are differences of scores, never percentages; what was refused or is not known
    is null.
    """
    return written(_content(study))


def studies_to_json(studies: Sequence[Study]) -> str:
    """Write several studies (schema "outscore/studies/1"): an object with a list of them."""
    return written({"schema": "outscore/studies/1", "results": [_content(study) for study in studies]})


def study_to_csv(study: Study) -> str:
    """Write a study as CSV with a header, one row a pair, a threshold or a bin; floats have all their digits."""
    return _csv(_rows(study))


def thresholds_to_csv(study: GainStudy) -> str:
    """Write the thresholds of a gain study as CSV, one row a relation."""
    return _csv([_plain(each) for each in study.thresholds])


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
    for row in rows:
        writer.writerow([_cell(value) for value in row.values()])
    return out.getvalue()


def _plain(held: object) -> dict[str, Any]:
    """Return the fields of a flat result by name."""
    return {each.name: getattr(held, each.name) for each in fields(held)}  # type: ignore[arg-type]


def _threshold(threshold: Threshold) -> dict[str, Any]:
    return _plain(threshold)


def _point(point: SizePoint | DomainPoint) -> dict[str, Any]:
    """Return a point with its threshold among its own fields."""
    found = _plain(point)
    threshold = found.pop("threshold")
    return {**found, **_threshold(threshold)}


@singledispatch
def _rows(study: Study) -> list[dict[str, Any]]:
    raise NotImplementedError(type(study))


@_rows.register
def _(study: GainStudy) -> list[dict[str, Any]]:
    return [_plain(pair) for pair in study.pairs]


@_rows.register
def _(study: SizeStudy) -> list[dict[str, Any]]:
    return [_point(point) for point in study.points]


@_rows.register
def _(study: DomainStudy) -> list[dict[str, Any]]:
    return [_point(point) for point in study.points]


@_rows.register
def _(study: CalibrationStudy) -> list[dict[str, Any]]:
    return [_plain(each) for each in (study.window, *study.bins)]


@_rows.register
def _(study: TransferStudy) -> list[dict[str, Any]]:
    return [_plain(each) for each in study.bins]


@singledispatch
def _content(study: Study) -> dict[str, Any]:
    raise NotImplementedError(type(study))


@_content.register
def _(study: GainStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "pairs": _rows(study),
        "thresholds": [_threshold(each) for each in study.thresholds],
        **_about(study),
        "n_items": study.n_items,
        "n_units": study.n_units,
        "n_systems": study.n_systems,
    }


@_content.register
def _(study: SizeStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "points": _rows(study),
        "fits": [_plain(fit) for fit in study.fits],
        **_about(study),
        "n_items": study.n_items,
        "n_systems": study.n_systems,
    }


@_content.register
def _(study: DomainStudy) -> dict[str, Any]:
    return {"schema": study.schema, "points": _rows(study), **_about(study), "items": study.items}


@_content.register
def _(study: CalibrationStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "window": _bin(study.window),
        "bins": [_bin(each) for each in study.bins],
        **_about(study),
        "n_items": study.n_items,
        "items": study.items,
        "n_test_sets": study.n_test_sets,
        "n_systems": study.n_systems,
        "n_equal": study.n_equal,
    }


@_content.register
def _(study: TransferStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "board": study.board,
        "others": list(study.others),
        "bins": _rows(study),
        **_about(study),
    }


def _bin(each: CalibrationBin) -> dict[str, Any]:
    return _plain(each)


def _about(study: Study) -> dict[str, Any]:
    setting: StudySetting = study.setting
    return {
        "version": setting.version,
        "signature": study.signature,
        "metric": {
            "name": setting.metric.name,
            "higher_is_better": setting.metric.higher_is_better,
            "as_percentage": setting.metric.as_percentage,
            "spec": setting.metric.spec,
            "signature": setting.metric.signature,
        },
        "test": setting.test,
        "alternative": "greater",
        "direction": "data",
        "exact": setting.exact,
        "n_resamples": setting.n_resamples,
        "seed": setting.seed,
        "fit": setting.fit.value,
        "window_low": setting.window[0],
        "window_high": setting.window[1],
        "min_pairs": setting.min_pairs,
        "confidence_level": setting.confidence_level,
        "warnings": list(study.warnings),
    }
