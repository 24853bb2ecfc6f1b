"""Reports of studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch
from typing import TypeVar

from outscore.reports.documents import Document, Table, overview
from outscore.reports.documents.layouts import Column, counts, names, numbers, table
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
    SizeFit,
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
_Row = TypeVar("_Row")

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
    columns: list[Column[Threshold]] = [
        Column("relation", lambda threshold: threshold.relation),
        counts("pairs", lambda threshold: len(_pairs(study, threshold.relation))),
        numbers("p ≤ 0.05", lambda threshold: _significant_pairs(study, threshold.relation)),
        numbers("n.s. up to", lambda threshold: _largest(study, threshold.relation, shown)),
        *_of_threshold(setting, shown, lambda threshold: threshold),
    ]
    without = "n.s. up to: the largest gain of a pair that is not significant at 0.05."
    notes = [_explained(setting), without, *_refusals(study.thresholds)]
    if setting.fit is Fit.WINDOW and study.thresholds[0].threshold is None:
        notes.append("The fits scaled, isotonic and logistic use more pairs than window does.")
    caption = (
        f"Gains{_in(setting)} above which 95% are significant: {format_count(study.n_systems)} systems, "
        f"{_extent(study)}."
    )
    return _document(study, "Gain and confidence", lead, [table(study.thresholds, columns)], notes, caption)


def _answer(study: GainStudy, shown: ScoreFormat) -> str:
    """Return the thresholds in a sentence, or the reason why it is missing."""
    every, *others = study.thresholds
    if every.threshold is None:
        return f"No threshold in {study.setting.metric.title}: {every.reason}."
    points = " points" if study.setting.metric.as_percentage else ""
    defined = [
        f"{threshold.relation} from {shown.score(threshold.threshold)}"
        for threshold in others
        if threshold.threshold is not None
    ]
    beside = f" ({', '.join(defined)})" if defined else ""
    at = f"{shown.score(every.threshold)}{points} in {study.setting.metric.title}"
    return f"95% of the gains above {at} are significant{beside}."


def _pairs(study: GainStudy, relation: str) -> list[StudyPair]:
    return [pair for pair in study.pairs if relation in ("all", pair.relation)]


def _significant_pairs(study: GainStudy, relation: str) -> str:
    """Return how many pairs are significant, and their proportion."""
    pairs = _pairs(study, relation)
    n = sum(map(_significant, pairs))
    return f"{format_count(n)} ({format_share(n, len(pairs))})" if pairs else NOTHING


def _largest(study: GainStudy, relation: str, shown: ScoreFormat) -> str:
    """Return the largest gain of a pair that is not significant."""
    others = [pair.gain for pair in _pairs(study, relation) if not _significant(pair)]
    return shown.gain(max(others)) if others else NOTHING


def _significant(pair: StudyPair) -> bool:
    return pair.p_value <= 0.05


@study_document.register
def _(study: SizeStudy) -> Document:
    setting, points = study.setting, study.points
    shown = threshold_format(setting, [point.threshold for point in points])
    lead = f"{format_count(study.n_systems)} systems, {_extent(study)} in total. {_answer_by_size(study, shown)}"
    columns: list[Column[SizePoint]] = [
        counts(f"{setting.unit}s", lambda point: point.items),
        Column("sets", lambda point: _sets(study, point)),
        Column("relation", lambda point: point.threshold.relation),
        numbers("median", lambda point: _gain(point.median_gain, shown)),
        *_of_threshold(setting, shown, _threshold_of),
    ]
    fits = [fit for fit in study.fits if fit.slope is not None]
    fit_columns: list[Column[SizeFit]] = [
        Column("sets", lambda fit: "first" if fit.order == "initial" else "random"),
        Column("relation", lambda fit: fit.relation),
        numbers(f"threshold · √{setting.unit}s", lambda fit: shown.score(fit.slope or 0.0)),
        numbers("R²", lambda fit: _decimals(fit.r_squared)),
        numbers("exponent", lambda fit: _decimals(fit.exponent)),
        numbers("sizes", lambda fit: str(fit.n_sizes)),
    ]
    tables = [table(_with_tests(points), columns)]
    if fits:
        tables.append(table(fits, fit_columns, caption=f"Threshold = slope / √{setting.unit}s, by least squares:"))
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
    return _document(study, "Thresholds by size of the test set", lead, tables, notes, caption)


@study_document.register
def _(study: DomainStudy) -> Document:
    setting, points = study.setting, study.points
    shown = threshold_format(setting, [point.threshold for point in points])
    every = [(point.domain, point.threshold) for point in points if point.threshold.relation == "all"]
    lead = f"Test sets of {format_counted(study.items, setting.unit)}. {_listed(every, setting, shown)}."
    columns: list[Column[DomainPoint]] = [
        names("domain", lambda point: point.domain, fitted=False),
        counts(f"{setting.unit}s", lambda point: point.n_units),
        numbers("sets", lambda point: str(point.n_test_sets)),
        numbers("score", lambda point: shown.score(point.score)),
        Column("relation", lambda point: point.threshold.relation),
        numbers("median", lambda point: _gain(point.median_gain, shown)),
        *_of_threshold(setting, shown, _threshold_of),
    ]
    notes = [_explained(setting), "Score: the mean of the systems on the whole domain."]
    notes += _refusals_of_points(study, [(point.domain, point.threshold) for point in points])
    caption = (
        f"Gains{_in(setting)} above which 95% are significant, by domain: test sets of "
        f"{format_counted(study.items, setting.unit)}."
    )
    return _document(study, "Thresholds by domain", lead, [table(_with_tests(points), columns)], notes, caption)


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
    columns: list[Column[CalibrationBin]] = [
        Column("p", _range),
        counts("tests", lambda row: row.n_tests),
        numbers("right", _share),
        numbers(_level(study.setting), lambda row: _ends(row.share_low, row.share_high)),
        numbers("1 − p", lambda row: NOTHING if row.nominal is None else format_probability(row.nominal)),
    ]
    notes = [
        "1 − p: mean over these tests. BK12 found 92% for p from 0.04 to 0.06 with 1,600 sentences of translation.",
        "Intervals are over systems and test sets.",
    ]
    if study.n_equal:
        left = "is" if study.n_equal == 1 else "are"
        notes.append(f"{format_counted(study.n_equal, 'pair')} of equal score on the population {left} left out.")
    tables = [table((window, *study.bins), columns)]
    return _document(study, "How often the observed winner is the better system", lead, tables, notes, lead)


def _range(row: CalibrationBin | TransferBin) -> str:
    """Return the p-values of a bin."""
    return f"{format_exactly(row.low)} to {format_exactly(row.high)}"


def _share(row: CalibrationBin) -> str:
    return NOTHING if row.n_tests == 0 else format_share(row.n_right, row.n_tests)


@study_document.register
def _(study: TransferStudy) -> Document:
    bins = [row for row in study.bins if row.n_pairs]
    span = f"with p-values from {study.bins[0].low:g} to {study.bins[-1].high:g} on {study.board}"
    kept = [f"{_kept([row for row in bins if row.other == other])} on {other}" for other in study.others]
    lead = f"Of the pairs {span}, the same system scores better in {', '.join(kept)} ({study.setting.metric.title})."
    columns: list[Column[TransferBin]] = [
        names("other", lambda row: row.other, fitted=False),
        Column("p", _range),
        counts("pairs", lambda row: row.n_pairs),
        numbers("kept", lambda row: NOTHING if row.n_pairs == 0 else format_share(row.n_kept, row.n_pairs)),
        numbers(_level(study.setting), lambda row: _ends(row.share_low, row.share_high)),
    ]
    note = "Intervals assume independent pairs. Pairs share systems and a test set, so the proportions vary more."
    return _document(study, "Gains confirmed on other leaderboards", lead, [table(study.bins, columns)], [note], lead)


def _kept(bins: Sequence[TransferBin]) -> str:
    """Return how many pairs keep their sign, over all bins."""
    n_pairs, n_kept = sum(row.n_pairs for row in bins), sum(row.n_kept for row in bins)
    return "no pairs" if n_pairs == 0 else f"{format_share(n_kept, n_pairs)} of {format_count(n_pairs)}"


def _document(
    study: Study, title: str, lead: str, tables: Sequence[Table], notes: Sequence[str], caption: str
) -> Document:
    heading = f"{title}: {study.setting.metric.title}"
    return overview(study, heading, (lead,), tables, (*notes, ONE_SIDED), caption=caption)


def threshold_format(setting: StudySetting, thresholds: Iterable[Threshold]) -> ScoreFormat:
    """Return the format of a study's gains, as fine as the middle interval of its thresholds needs."""
    defined = [threshold for threshold in thresholds if threshold.threshold is not None]
    half_widths = [
        (threshold.high - threshold.low) / 2
        for threshold in defined
        if threshold.high is not None and threshold.low is not None
    ]
    values = [threshold.threshold or 0.0 for threshold in defined]
    return score_format(values, half_widths, values, percentage=setting.metric.as_percentage)


def _answer_by_size(study: SizeStudy, shown: ScoreFormat) -> str:
    """Return the thresholds of all pairs by size, with the fitted exponent; for random subsets, if there are any."""
    order, unit = study.main_order, study.setting.unit
    chosen = [point for point in study.along(order) if point.threshold.relation == ALL_PAIRS]
    listed = _listed([(format_counted(point.items, unit), point.threshold) for point in chosen], study.setting, shown)
    exponents = [fit.exponent for fit in study.fits if fit.order is order and fit.relation == ALL_PAIRS]
    law = (
        f", proportional to n to the power of {exponents[0]:.2f} (1/√n: -0.5)"
        if exponents and exponents[0] is not None
        else ""
    )
    return f"{listed}{law}."


def _in(setting: StudySetting) -> str:
    return f" in {setting.metric.title}{', in points,' if setting.metric.as_percentage else ''}"


def _listed(thresholds: Iterable[tuple[str, Threshold]], setting: StudySetting, shown: ScoreFormat) -> str:
    """Return the gains above which 95% are significant, by name."""
    unit = ", in points" if setting.metric.as_percentage else ""
    listed = ", ".join(f"{where} {_gain(threshold.threshold, shown, 'none')}" for where, threshold in thresholds)
    return f"Thresholds in {setting.metric.title}{unit}: {listed}"


def _level(setting: StudySetting) -> str:
    return f"{format_level(setting.confidence_level)} interval"


def _threshold_of(point: SizePoint | DomainPoint) -> Threshold:
    return point.threshold


def _of_threshold(
    setting: StudySetting, shown: ScoreFormat, threshold_of: Callable[[_Row], Threshold]
) -> Iterator[Column[_Row]]:
    """Yield the columns of a threshold, which `of` takes from a row."""

    def interval(row: _Row) -> str:
        low, high = threshold_of(row).low, threshold_of(row).high
        return NOTHING if low is None or high is None else f"{shown.score(low)} to {shown.score(high)}"

    yield counts("used", lambda row: threshold_of(row).n_pairs)
    yield numbers("threshold", lambda row: _gain(threshold_of(row).threshold, shown))
    yield numbers(_level(setting), interval)


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
    """Return the points with tests, and the points of all pairs. Notes explain the rest."""
    return [point for point in points if point.threshold.n_pairs > 0 or point.threshold.relation == ALL_PAIRS]


def _refusals_of_points(study: SizeStudy | DomainStudy, points: Sequence[tuple[str, Threshold]]) -> list[str]:
    """Return why thresholds or intervals are missing. Too few tests need no reason: the table has their number."""
    relations = list(dict.fromkeys(threshold.relation for _, threshold in points))
    refusals = []
    for relation in relations:
        relation_points = [(where, threshold) for where, threshold in points if threshold.relation == relation]
        places_by_reason: dict[str, list[str]] = {}
        for where, threshold in relation_points:
            few = 0 < threshold.n_pairs < study.setting.min_pairs
            if threshold.reason is not None and not (threshold.threshold is None and few):
                places_by_reason.setdefault(threshold.reason, []).append(where)
        for reason, at_points in places_by_reason.items():
            at = "" if len(at_points) == len(relation_points) else f", {', '.join(at_points)}"
            refusals.append(f"{relation}{at}: {reason}.")
    return refusals


def _refusals(thresholds: Sequence[Threshold]) -> list[str]:
    return [f"{threshold.relation}: {threshold.reason}." for threshold in thresholds if threshold.reason is not None]
