"""What reports of studies say, each thing once: a sentence, tables of text, notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from statistics import median

from outscore.numbers import ScoreFormat, format_count, format_exactly, format_level, format_share, score_format
from outscore.results.studies import (
    CalibrationBin,
    CalibrationStudy,
    DomainStudy,
    Fit,
    GainStudy,
    SizeStudy,
    StudyPair,
    StudySetting,
    Threshold,
    TransferStudy,
)

__all__ = ["Study", "StudyText", "TextTable", "threshold_format", "written"]

Study = GainStudy | SizeStudy | DomainStudy | CalibrationStudy | TransferStudy
NOTHING = "-"


@dataclass(frozen=True)
class TextTable:
    """A table of text.

    Attributes
    ----------
    headings : tuple of str
    rows : tuple of tuple of str
        Names of users as they stand.
    right : frozenset of int
        Columns of numbers.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]


@dataclass(frozen=True)
class StudyText:
    """What a report of a study says.

    Attributes
    ----------
    lead : str
    tables : tuple of TextTable
    notes : tuple of str
    signature : str
    """

    lead: str
    tables: tuple[TextTable, ...]
    notes: tuple[str, ...]
    signature: str


@singledispatch
def written(study: Study) -> StudyText:
    """Return what a report says of a study."""
    raise NotImplementedError(type(study))


@written.register
def _(study: GainStudy) -> StudyText:
    setting = study.setting
    lead = (
        f"{_title(setting)}: {format_count(study.n_systems)} systems on {format_count(study.n_items)} items, "
        f"{format_count(len(study.pairs))} pairs."
    )
    shown = threshold_format(setting, study.thresholds)
    table = TextTable(
        ("relation", "pairs", "p ≤ 0.05", "n.s. up to", *_threshold_headings(setting)),
        tuple(
            (
                threshold.relation,
                *_counted(study, threshold.relation, shown),
                *_threshold_cells(threshold, shown),
            )
            for threshold in study.thresholds
        ),
        frozenset(range(1, 7)),
    )
    without = "n.s. up to: the largest gain of a pair that is not significant at 0.05."
    return StudyText(
        lead, (table,), (_explained(setting), without, *_refusals(study.thresholds), *study.warnings), study.signature
    )


def _counted(study: GainStudy, relation: str, shown: ScoreFormat) -> tuple[str, str, str]:
    pairs = [pair for pair in study.pairs if relation in ("all", pair.relation)]
    significant = [pair for pair in pairs if _significant(pair)]
    others = [pair.gain for pair in pairs if not _significant(pair)]
    share = f"{format_count(len(significant))} ({format_share(len(significant), len(pairs))})" if pairs else NOTHING
    return format_count(len(pairs)), share, shown.gain(max(others)) if others else NOTHING


def _significant(pair: StudyPair) -> bool:
    return pair.p_value <= 0.05


@written.register
def _(study: SizeStudy) -> StudyText:
    setting, points = study.setting, study.points
    lead = (
        f"{_title(setting)}, by size of the test set: {study.n_systems} systems, {format_count(study.n_items)} items "
        "in all."
    )
    shown = threshold_format(setting, [point.threshold for point in points])
    known = [point for point in points if point.threshold.n_pairs > 0 or point.threshold.relation == "all"]
    table = TextTable(
        ("items", "sets", "relation", "median gain", *_threshold_headings(setting)),
        tuple(
            (
                format_count(point.items),
                "first" if point.order == "initial" else f"{point.n_test_sets} random",
                point.threshold.relation,
                _gain(point.median_gain, shown),
                *_threshold_cells(point.threshold, shown),
            )
            for point in known
        ),
        frozenset({0, 3, 4, 5, 6}),
    )
    fits = [fit for fit in study.fits if fit.slope is not None]
    law = TextTable(
        ("sets", "relation", "threshold · √items", "R²", "exponent", "sizes"),
        tuple(
            (
                "first" if fit.order == "initial" else "random",
                fit.relation,
                shown.score(fit.slope or 0.0),
                _decimals(fit.r_squared),
                _decimals(fit.exponent),
                str(fit.n_sizes),
            )
            for fit in fits
        ),
        frozenset({2, 3, 4, 5}),
    )
    notes = [_explained(setting), "Median gain: of the pairs with p-values in the window."]
    if fits:
        notes.append("Where the 1/√n law holds, threshold · √items is one number and the exponent is -0.5.")
    else:
        notes.append("Fewer than two sizes have a threshold: there is no fit of the 1/√n law.")
    return StudyText(lead, (table, law) if fits else (table,), (*notes, *study.warnings), study.signature)


@written.register
def _(study: DomainStudy) -> StudyText:
    setting, points = study.setting, study.points
    lead = f"{_title(setting)}, by domain: test sets of {format_count(study.items)} items."
    shown = threshold_format(setting, [point.threshold for point in points])
    known = [point for point in points if point.threshold.n_pairs > 0 or point.threshold.relation == "all"]
    table = TextTable(
        ("domain", "items", "sets", "score", "relation", "median gain", *_threshold_headings(setting)),
        tuple(
            (
                point.domain,
                format_count(point.n_items),
                str(point.n_test_sets),
                shown.score(point.score),
                point.threshold.relation,
                _gain(point.median_gain, shown),
                *_threshold_cells(point.threshold, shown),
            )
            for point in known
        ),
        frozenset({1, 2, 3, 5, 6, 7, 8}),
    )
    notes = [_explained(setting), "Score: the mean of the systems on the whole domain."]
    return StudyText(lead, (table,), (*notes, *study.warnings), study.signature)


@written.register
def _(study: CalibrationStudy) -> StudyText:
    window = study.window
    lead = (
        f"Of {format_count(window.n_tests)} tests with p-values from {window.low:g} to {window.high:g}, "
        f"{_share(window)} point at the system that is better on the population: {study.setting.metric.spec}, "
        f"{study.n_systems} systems, {format_count(study.n_test_sets)} test sets of {format_count(study.items)} items "
        f"drawn from {format_count(study.n_items)}."
    )
    table = TextTable(
        ("p", "tests", "right", _level(study.setting), "1 − p"),
        tuple(_calibration_row(each) for each in (window, *study.bins)),
        frozenset({1, 2, 3, 4}),
    )
    notes = [
        "1 − p: its mean over these tests. BK12 found 92% from 0.04 to 0.06 for 1,600 sentences of translation.",
        "Intervals draw systems and test sets again: other systems could have other shares.",
    ]
    if study.n_equal:
        notes.append(f"{study.n_equal} pair(s) of equal score on the population are left out.")
    return StudyText(lead, (table,), (*notes, *study.warnings), study.signature)


def _calibration_row(each: CalibrationBin) -> tuple[str, ...]:
    nominal = NOTHING if each.nominal is None else f"{100 * each.nominal:.1f}%"
    return (
        f"{format_exactly(each.low)} to {format_exactly(each.high)}",
        format_count(each.n_tests),
        _share(each),
        _ends(each.share_low, each.share_high),
        nominal,
    )


def _share(each: CalibrationBin) -> str:
    return NOTHING if each.n_tests == 0 else format_share(each.n_right, each.n_tests)


@written.register
def _(study: TransferStudy) -> StudyText:
    lead = (
        f"Pairs of {study.board} in which the same system scores better on "
        f"{', '.join(study.others)}: {study.setting.metric.spec}, by p-value on {study.board}."
    )
    table = TextTable(
        ("other", "p", "pairs", "kept", _level(study.setting)),
        tuple(
            (
                each.other,
                f"{format_exactly(each.low)} to {format_exactly(each.high)}",
                format_count(each.n_pairs),
                NOTHING if each.n_pairs == 0 else format_share(each.n_kept, each.n_pairs),
                _ends(each.share_low, each.share_high),
            )
            for each in study.bins
        ),
        frozenset({2, 3, 4}),
    )
    note = "Intervals take pairs to be independent; they share systems and a test set, so that shares vary more."
    return StudyText(lead, (table,), (note, *study.warnings), study.signature)


def threshold_format(setting: StudySetting, thresholds: Iterable[Threshold]) -> ScoreFormat:
    """Return how gains of a study are written: as finely as the middle interval of its thresholds."""
    found = [each for each in thresholds if each.threshold is not None]
    widths = [each.high - each.low for each in found if each.high is not None and each.low is not None]
    held = [width for width in widths if width > 0]
    values = [each.threshold or 0.0 for each in found]
    return score_format(values, [median(held)] if held else [], values, percentage=setting.metric.as_percentage)


def _title(setting: StudySetting) -> str:
    unit = ", in points," if setting.metric.as_percentage else ""
    return f"Gains in {setting.metric.spec}{unit} from which on 95% of the pairs are significant"


def _threshold_headings(setting: StudySetting) -> tuple[str, str, str]:
    return ("used", "threshold", _level(setting))


def _level(setting: StudySetting) -> str:
    return f"{format_level(setting.confidence_level)} interval"


def _threshold_cells(threshold: Threshold, shown: ScoreFormat) -> tuple[str, str, str]:
    low, high = threshold.low, threshold.high
    interval = NOTHING if low is None or high is None else f"{shown.score(low)} to {shown.score(high)}"
    return format_count(threshold.n_pairs), _gain(threshold.threshold, shown), interval


def _gain(gain: float | None, shown: ScoreFormat) -> str:
    return NOTHING if gain is None else shown.score(gain)


def _decimals(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"{100 * low:.1f}% to {100 * high:.1f}%"


def _explained(setting: StudySetting) -> str:
    low, high = (format_exactly(end) for end in setting.window)
    match setting.fit:
        case Fit.WINDOW:
            how = f"the 95th percentile of the gains of the pairs with p-values from {low} to {high}"
        case Fit.SCALED:
            how = (
                f"the 95th percentile of the gains that pairs with p-values from 0.001 to 0.25 would need for "
                f"p = {format_exactly(sum(setting.window) / 2)}, if resampled gains are about normal"
            )
        case Fit.ISOTONIC:
            how = "the gain at which an isotonic curve of the share of significant pairs reaches 95%"
        case Fit.LOGISTIC:
            how = "the gain at which a logistic curve of the share of significant pairs by log gain reaches 95%"
    return (
        f"Threshold: {how}; refused with fewer than {setting.min_pairs}. Intervals draw systems again, not test sets."
    )


def _refusals(thresholds: Sequence[Threshold]) -> list[str]:
    return [f"{each.relation}: {each.reason}." for each in thresholds if each.reason is not None]
