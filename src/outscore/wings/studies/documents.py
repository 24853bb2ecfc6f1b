"""Reports of studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import TypeVar

from outscore.reports.documents import Document, Table, name, overview
from outscore.text.numbers import (
    ScoreFormat,
    format_count,
    format_counted,
    format_exactly,
    format_level,
    format_probability,
    format_share,
    score_format,
)
from outscore.wings.studies.results import (
    ALL_PAIRS,
    CalibrationBin,
    CalibrationStudy,
    DomainPoint,
    DomainStudy,
    Fit,
    GainStudy,
    PartOrder,
    SizePoint,
    SizeStudy,
    Study,
    StudyPair,
    StudySetting,
    Threshold,
    TransferBin,
    TransferStudy,
)

_Point = TypeVar("_Point", SizePoint, DomainPoint)

NOTHING = "-"
ONE_SIDED = (
    "p-values are one-sided in the observed direction (gain ≥ 0), as in BK12. They are valid for a claim made "
    "before seeing the data; for one made afterwards, they are too small by half."
)


@singledispatch
def study_document(study: Study) -> Document:
    """Return the report of a study."""
    raise NotImplementedError(type(study))


@study_document.register
def _(study: GainStudy) -> Document:
    setting = study.setting
    shown = threshold_format(setting, study.thresholds)
    lead = (
        f"{format_count(study.n_systems)} systems on {_extent(study)}, {format_counted(len(study.pairs), 'pair')}. "
        f"{_answer(study, shown)}"
    )
    table = Table(
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
    notes = [_explained(setting), without, *_refusals(study.thresholds)]
    if setting.fit is Fit.WINDOW and study.thresholds[0].threshold is None:
        notes.append("The fits scaled, isotonic and logistic use more pairs than window does.")
    caption = (
        f"Gains{_in(setting)} above which 95% are significant: {format_count(study.n_systems)} systems, "
        f"{_extent(study)}."
    )
    return _document(study, "Gain and confidence", lead, [table], notes, caption)


def _answer(study: GainStudy, shown: ScoreFormat) -> str:
    """Return the thresholds in a sentence, or the reason why it is missing."""
    every, *others = study.thresholds
    if every.threshold is None:
        return f"No threshold in {study.setting.metric.title}: {every.reason}."
    points = " points" if study.setting.metric.as_percentage else ""
    known = [
        f"{threshold.relation} from {shown.score(threshold.threshold)}"
        for threshold in others
        if threshold.threshold is not None
    ]
    beside = f" ({', '.join(known)})" if known else ""
    at = f"{shown.score(every.threshold)}{points} in {study.setting.metric.title}"
    return f"95% of the gains above {at} are significant{beside}."


def _counted(study: GainStudy, relation: str, shown: ScoreFormat) -> tuple[str, str, str]:
    pairs = [pair for pair in study.pairs if relation in ("all", pair.relation)]
    significant = [pair for pair in pairs if _significant(pair)]
    others = [pair.gain for pair in pairs if not _significant(pair)]
    share = f"{format_count(len(significant))} ({format_share(len(significant), len(pairs))})" if pairs else NOTHING
    return format_count(len(pairs)), share, shown.gain(max(others)) if others else NOTHING


def _significant(pair: StudyPair) -> bool:
    return pair.p_value <= 0.05


@study_document.register
def _(study: SizeStudy) -> Document:
    setting, points = study.setting, study.points
    shown = threshold_format(setting, [point.threshold for point in points])
    lead = f"{format_count(study.n_systems)} systems, {_extent(study)} in total. {_answer_by_size(study, shown)}"
    table = Table(
        (f"{setting.unit}s", "sets", "relation", "median", *_threshold_headings(setting)),
        tuple(
            (
                format_count(point.items),
                _sets(study, point),
                point.threshold.relation,
                _gain(point.median_gain, shown),
                *_threshold_cells(point.threshold, shown),
            )
            for point in _with_tests(points)
        ),
        frozenset({0, 3, 4, 5, 6}),
    )
    fits = [fit for fit in study.fits if fit.slope is not None]
    law = Table(
        ("sets", "relation", f"threshold · √{setting.unit}s", "R²", "exponent", "sizes"),
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
        f"Threshold = slope / √{setting.unit}s, by least squares:",
    )
    notes = [_explained(setting), "Median: the median gain of the pairs with p-values in the window."]
    notes += _refusals_of_points(
        study,
        [(f"{format_counted(point.items, setting.unit)} ({_sets(study, point)})", point.threshold) for point in points],
    )
    if fits:
        notes.append(f"If thresholds follow 1/√n, threshold · √{setting.unit}s is constant and the exponent is -0.5.")
    else:
        notes.append("Fewer than two sizes have a threshold, so 1/√n is not fitted.")
    caption = f"Gains{_in(setting)} above which 95% are significant, by size of the test set."
    tables = [table, law] if fits else [table]
    return _document(study, "Thresholds by size of the test set", lead, tables, notes, caption)


@study_document.register
def _(study: DomainStudy) -> Document:
    setting, points = study.setting, study.points
    shown = threshold_format(setting, [point.threshold for point in points])
    every = [(point.domain, point.threshold) for point in points if point.threshold.relation == "all"]
    lead = f"Test sets of {format_counted(study.items, setting.unit)}. {_listed(every, setting, shown)}."
    table = Table(
        ("domain", f"{setting.unit}s", "sets", "score", "relation", "median", *_threshold_headings(setting)),
        tuple(
            (
                name(point.domain),
                format_count(point.n_units),
                str(point.n_test_sets),
                shown.score(point.score),
                point.threshold.relation,
                _gain(point.median_gain, shown),
                *_threshold_cells(point.threshold, shown),
            )
            for point in _with_tests(points)
        ),
        frozenset({1, 2, 3, 5, 6, 7, 8}),
    )
    notes = [_explained(setting), "Score: the mean of the systems on the whole domain."]
    notes += _refusals_of_points(study, [(point.domain, point.threshold) for point in points])
    caption = (
        f"Gains{_in(setting)} above which 95% are significant, by domain: test sets of "
        f"{format_counted(study.items, setting.unit)}."
    )
    return _document(study, "Thresholds by domain", lead, [table], notes, caption)


@study_document.register
def _(study: CalibrationStudy) -> Document:
    window = study.window
    span = f"p-values from {window.low:g} to {window.high:g}"
    if window.n_tests < study.setting.min_pairs:
        few = "No test has" if window.n_tests == 0 else f"Only {format_counted(window.n_tests, 'test')} had"
        answer = f"{few} {span}, too few to estimate how often the observed winner is better on the population"
    else:
        share = _share(window)
        answer = (
            f"In {share} of {format_counted(window.n_tests, 'test')} with {span}, the observed winner is also "
            "better on the population"
        )
    lead = (
        f"{answer}: {study.setting.metric.title}, {study.n_systems} systems, {format_count(study.n_test_sets)} test "
        f"sets of {format_counted(study.items, study.setting.unit)} drawn from {format_count(study.n_units)}."
    )
    table = Table(
        ("p", "tests", "right", _level(study.setting), "1 − p"),
        tuple(_calibration_row(row) for row in (window, *study.bins)),
        frozenset({1, 2, 3, 4}),
    )
    notes = [
        "1 − p: mean over these tests. BK12 found 92% for p from 0.04 to 0.06 with 1,600 sentences of translation.",
        "Intervals are over systems and test sets.",
    ]
    if study.n_equal:
        left = "is" if study.n_equal == 1 else "are"
        notes.append(f"{format_counted(study.n_equal, 'pair')} of equal score on the population {left} left out.")
    return _document(study, "How often the observed winner is the better system", lead, [table], notes, lead)


def _calibration_row(row: CalibrationBin) -> tuple[str, ...]:
    nominal = NOTHING if row.nominal is None else format_probability(row.nominal)
    return (
        f"{format_exactly(row.low)} to {format_exactly(row.high)}",
        format_count(row.n_tests),
        _share(row),
        _ends(row.share_low, row.share_high),
        nominal,
    )


def _share(row: CalibrationBin) -> str:
    return NOTHING if row.n_tests == 0 else format_share(row.n_right, row.n_tests)


@study_document.register
def _(study: TransferStudy) -> Document:
    bins = [row for row in study.bins if row.n_pairs]
    span = f"with p-values from {study.bins[0].low:g} to {study.bins[-1].high:g} on {study.board}"
    kept = [f"{_kept([row for row in bins if row.other == other])} on {other}" for other in study.others]
    lead = f"Of the pairs {span}, the same system scores better in {', '.join(kept)} ({study.setting.metric.title})."
    table = Table(
        ("other", "p", "pairs", "kept", _level(study.setting)),
        tuple(
            (
                name(row.other),
                f"{format_exactly(row.low)} to {format_exactly(row.high)}",
                format_count(row.n_pairs),
                NOTHING if row.n_pairs == 0 else format_share(row.n_kept, row.n_pairs),
                _ends(row.share_low, row.share_high),
            )
            for row in study.bins
        ),
        frozenset({2, 3, 4}),
    )
    note = "Intervals assume independent pairs. Pairs share systems and a test set, so the proportions vary more."
    return _document(study, "Gains confirmed on other leaderboards", lead, [table], [note], lead)


def _kept(bins: Sequence[TransferBin]) -> str:
    """Return how many pairs keep their sign, over all bins."""
    n_pairs, n_kept = sum(row.n_pairs for row in bins), sum(row.n_kept for row in bins)
    return "no pairs" if n_pairs == 0 else f"{format_share(n_kept, n_pairs)} of {format_count(n_pairs)}"


def _document(
    study: Study, title: str, lead: str, tables: Sequence[Table], notes: Sequence[str], caption: str
) -> Document:
    setting = study.setting
    return overview(
        f"{title}: {setting.metric.title}",
        (lead,),
        tables,
        (*notes, ONE_SIDED),
        warnings=study.warnings,
        signature=study.signature,
        version=setting.version,
        caption=caption,
    )


def threshold_format(setting: StudySetting, thresholds: Iterable[Threshold]) -> ScoreFormat:
    """Return the format of a study's gains, as fine as the middle interval of its thresholds needs."""
    known = [threshold for threshold in thresholds if threshold.threshold is not None]
    half_widths = [
        (threshold.high - threshold.low) / 2
        for threshold in known
        if threshold.high is not None and threshold.low is not None
    ]
    values = [threshold.threshold or 0.0 for threshold in known]
    return score_format(values, half_widths, values, percentage=setting.metric.as_percentage)


def _answer_by_size(study: SizeStudy, shown: ScoreFormat) -> str:
    """Return the thresholds of all pairs by size, with the fitted exponent; for random subsets, if there are any."""
    order, unit = study.main_order, study.setting.unit
    chosen = [point for point in study.along(order) if point.threshold.relation == ALL_PAIRS]
    said = _listed([(format_counted(point.items, unit), point.threshold) for point in chosen], study.setting, shown)
    exponents = [fit.exponent for fit in study.fits if fit.order is order and fit.relation == ALL_PAIRS]
    law = (
        f", proportional to n to the power of {exponents[0]:.2f} (1/√n: -0.5)"
        if exponents and exponents[0] is not None
        else ""
    )
    return f"{said}{law}."


def _in(setting: StudySetting) -> str:
    return f" in {setting.metric.title}{', in points,' if setting.metric.as_percentage else ''}"


def _listed(thresholds: Iterable[tuple[str, Threshold]], setting: StudySetting, shown: ScoreFormat) -> str:
    """Return the gains above which 95% are significant, by name."""
    unit = ", in points" if setting.metric.as_percentage else ""
    listed = ", ".join(f"{where} {_gain(threshold.threshold, shown, 'none')}" for where, threshold in thresholds)
    return f"Thresholds in {setting.metric.title}{unit}: {listed}"


def _threshold_headings(setting: StudySetting) -> tuple[str, str, str]:
    return ("used", "threshold", _level(setting))


def _level(setting: StudySetting) -> str:
    return f"{format_level(setting.confidence_level)} interval"


def _threshold_cells(threshold: Threshold, shown: ScoreFormat) -> tuple[str, str, str]:
    low, high = threshold.low, threshold.high
    interval = NOTHING if low is None or high is None else f"{shown.score(low)} to {shown.score(high)}"
    return format_count(threshold.n_pairs), _gain(threshold.threshold, shown), interval


def _gain(gain: float | None, shown: ScoreFormat, missing: str = NOTHING) -> str:
    return missing if gain is None else shown.score(gain)


def _decimals(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NOTHING
    return f"{format_probability(low)} to {format_probability(high)}"


def _explained(setting: StudySetting) -> str:
    low, high = (format_exactly(end) for end in setting.window)
    match setting.fit:
        case Fit.WINDOW:
            how = f"the 95th percentile of the gains of the pairs with p-values from {low} to {high}"
        case Fit.SCALED:
            how = (
                "the 95th percentile of the gains that pairs with p-values from 0.001 to 0.25 (exclusive) would "
                f"need for p = {format_exactly(sum(setting.window) / 2)}, assuming approximately normal resampled "
                "gains"
            )
        case Fit.ISOTONIC:
            how = "the gain at which an isotonic regression of the proportion of significant pairs reaches 95%"
        case Fit.LOGISTIC:
            how = (
                "the gain at which a logistic regression of the proportion of significant pairs on log gain reaches 95%"
            )
    return f"Threshold: {how}; omitted with fewer than {setting.min_pairs}. Intervals are over systems, not test sets."


def _extent(study: GainStudy | SizeStudy) -> str:
    """Return the size of the test set: items, and clusters if these are resampled."""
    items = format_counted(study.n_items, "item")
    return items if study.setting.unit == "item" else f"{items} in {format_counted(study.n_units, study.setting.unit)}"


def _sets(study: SizeStudy, point: SizePoint) -> str:
    if point.items == study.n_units:
        return "all"
    return "first" if point.order is PartOrder.INITIAL else f"{point.n_test_sets} random"


def _with_tests(points: Sequence[_Point]) -> list[_Point]:
    """Return the points with tests, and those of all pairs; notes explain the others."""
    return [point for point in points if point.threshold.n_pairs > 0 or point.threshold.relation == ALL_PAIRS]


def _refusals_of_points(study: SizeStudy | DomainStudy, points: Sequence[tuple[str, Threshold]]) -> list[str]:
    """Return why thresholds or intervals are missing, unless there are too few tests, whose number the table shows."""
    relations = list(dict.fromkeys(threshold.relation for _, threshold in points))
    refusals = []
    for relation in relations:
        of_relation = [(where, threshold) for where, threshold in points if threshold.relation == relation]
        places: dict[str, list[str]] = {}
        for where, threshold in of_relation:
            few = 0 < threshold.n_pairs < study.setting.min_pairs
            if threshold.reason is not None and not (threshold.threshold is None and few):
                places.setdefault(threshold.reason, []).append(where)
        for reason, at_points in places.items():
            at = "" if len(at_points) == len(of_relation) else f", {', '.join(at_points)}"
            refusals.append(f"{relation}{at}: {reason}.")
    return refusals


def _refusals(thresholds: Sequence[Threshold]) -> list[str]:
    return [f"{threshold.relation}: {threshold.reason}." for threshold in thresholds if threshold.reason is not None]
