"""Studies for programs: JSON (schemas "outscore/study-…/1") and tidy CSV.

Keys may be added within a version; they are listed after those that were there before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import singledispatch
from typing import Any

from outscore.reports.csv_tables import records_to_csv
from outscore.reports.documents.studies import Study
from outscore.reports.json_report import written
from outscore.results.studies import (
    CalibrationStudy,
    DomainStudy,
    GainStudy,
    SizeStudy,
    StudySetting,
    TransferStudy,
    record_of,
)

__all__ = ["studies_to_csv", "studies_to_json", "thresholds_to_csv"]


def studies_to_json(studies: Sequence[Study]) -> str:
    """Write a study as JSON; several, of one metric each, as an object with a list of them ("outscore/studies/1").

    Floats have all their digits, gains are differences of scores, never percentages; what was refused or is not known
    is null.
    """
    contents = [_content(study) for study in studies]
    return written(contents[0] if len(contents) == 1 else {"schema": "outscore/studies/1", "results": contents})


def studies_to_csv(studies: Sequence[Study]) -> str:
    """Write studies as CSV with a header, one row a pair, a threshold or a bin; floats have all their digits.

    The last column, `metric`, tells the rows of several studies apart.
    """
    return _csv((study, study.records()) for study in studies)


def thresholds_to_csv(studies: Sequence[GainStudy]) -> str:
    """Write the thresholds of gain studies as CSV, one row a relation, with the metric in the last column."""
    return _csv((study, [record_of(each) for each in study.thresholds]) for study in studies)


def _csv(tables: Iterable[tuple[Study, Sequence[Mapping[str, object]]]]) -> str:
    return records_to_csv(
        [{**record, "metric": study.setting.metric.spec} for study, records in tables for record in records]
    )


@singledispatch
def _content(study: Study) -> dict[str, Any]:
    raise NotImplementedError(type(study))


@_content.register
def _(study: GainStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "pairs": study.records(),
        "thresholds": [record_of(each) for each in study.thresholds],
        **_about(study),
        "n_items": study.n_items,
        "n_units": study.n_units,
        "n_systems": study.n_systems,
        "unit": study.setting.unit,
    }


@_content.register
def _(study: SizeStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "points": study.records(),
        "fits": [asdict(fit) for fit in study.fits],
        **_about(study),
        "n_items": study.n_items,
        "n_systems": study.n_systems,
        "n_units": study.n_units,
        "unit": study.setting.unit,
    }


@_content.register
def _(study: DomainStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "points": study.records(),
        **_about(study),
        "items": study.items,
        "n_items": study.n_items,
        "n_units": study.n_units,
        "n_systems": study.n_systems,
        "unit": study.setting.unit,
    }


@_content.register
def _(study: CalibrationStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "window": record_of(study.window),
        "bins": [record_of(each) for each in study.bins],
        **_about(study),
        "n_items": study.n_items,
        "items": study.items,
        "n_test_sets": study.n_test_sets,
        "n_systems": study.n_systems,
        "n_equal": study.n_equal,
        "n_units": study.n_units,
        "unit": study.setting.unit,
    }


@_content.register
def _(study: TransferStudy) -> dict[str, Any]:
    return {
        "schema": study.schema,
        "board": study.board,
        "others": list(study.others),
        "bins": study.records(),
        **_about(study),
        "n_items": study.n_items,
        "n_units": study.n_units,
        "n_systems": study.n_systems,
        "unit": study.setting.unit,
    }


def _about(study: Study) -> dict[str, Any]:
    setting: StudySetting = study.setting
    return {
        "version": setting.version,
        "signature": study.signature,
        "metric": asdict(setting.metric),
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
