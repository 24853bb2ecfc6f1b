"""Charts of studies, like the figures of BK12."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch
from typing import TypeVar

from outscore.reports.figures import LOOKS, Figure, Form, Level, Look, Mark, Panel, Scale, Series, looks_for
from outscore.text.naming import printable
from outscore.text.numbers import ScoreFormat, format_count, format_counted, format_exactly, format_share, state_p
from outscore.wings.studies.documents import threshold_format
from outscore.wings.studies.results import (
    ALL_PAIRS,
    DIFFERENT_FAMILY,
    SAME_FAMILY,
    CalibrationBin,
    CalibrationStudy,
    DomainPoint,
    DomainStudy,
    GainStudy,
    PartOrder,
    SizePoint,
    SizeStudy,
    Study,
    StudyPair,
    StudySetting,
    TransferBin,
    TransferStudy,
)

_Point = TypeVar("_Point", SizePoint, DomainPoint)

BLUE, RED, INK, GREY = LOOKS[0], LOOKS[1], LOOKS[-2], LOOKS[-1]
RELATIONS = {ALL_PAIRS: INK, SAME_FAMILY: RED, DIFFERENT_FAMILY: BLUE}
UNKNOWN = "family unknown"
CURVE_POINTS = 60
DOUBTFUL = 0.01
FAR = 2.0


@singledispatch
def study_figure(study: Study) -> Figure:
    """Return the charts of a study.

    Gains: confidence, 1 − p, against gain by relation, with the thresholds (BK12, Figures 2 to 8). Sizes: thresholds
    by size with the 1/√n curve (Figures 9 and 10). Domains: thresholds by domain (Figure 11). Calibration: the
    proportion of correct tests by p-value. Transfer: the proportion of pairs that keep their sign.
    """
    raise NotImplementedError(type(study))


@study_figure.register
def _(study: GainStudy) -> Figure:
    scale, shown = study.setting.metric.factor, threshold_format(study.setting, study.thresholds)
    relations = {pair.relation for pair in study.pairs}
    names: list[str | None] = [threshold.relation for threshold in study.thresholds if threshold.relation in relations]
    names += [None] if None in relations else []
    # Most pairs of a leaderboard are very significant and would compress the others into a corner.
    furthest = FAR * max((pair.gain for pair in study.pairs if pair.p_value > DOUBTFUL), default=0.0)
    near = [pair for pair in study.pairs if furthest == 0 or pair.gain <= furthest]

    def mark(pair: StudyPair) -> Mark:
        label = (
            f"{printable(pair.candidate)} over {printable(pair.baseline)}: "
            f"gain {shown.gain(pair.gain)}, {state_p(pair.p_value)}"
        )
        # A tie adds half of the resamples: a p-value above it means no more than 0.5.
        return Mark(pair.gain * scale, max(1 - pair.p_value, 0.5), label)

    at = {threshold.relation: threshold.threshold for threshold in study.thresholds if threshold.threshold is not None}
    looks = _looks([name or UNKNOWN for name in names])
    series = tuple(
        Series(
            name or UNKNOWN,
            looks[name or UNKNOWN],
            tuple(mark(pair) for pair in near if pair.relation == name),
            at=at[name] * scale if name in at else None,
        )
        for name in names
    )
    if not any(line.at is not None for line in series) and ALL_PAIRS in at:
        series = (*series, Series(ALL_PAIRS, INK, at=at[ALL_PAIRS] * scale))
    low, high = study.setting.window
    notes = ["vertical lines: thresholds"] if at else []
    beyond = len(study.pairs) - len(near)
    if beyond:
        shown_not = f"{'is' if beyond == 1 else 'are'} not shown"
        notes.append(f"{format_counted(beyond, 'pair')} of larger gains, all with p ≤ {DOUBTFUL:g}, {shown_not}")
    window = Level(1 - high, 1 - low, f"p from {format_exactly(low)} to {format_exactly(high)}")
    return Figure(
        "Confidence against gain",
        tuple(notes),
        Scale(f"gain{_unit(study.setting)}"),
        Scale("1 − p", low=0.5, high=1.0),
        (Panel("", series),),
        levels=(window,),
    )


@study_figure.register
def _(study: SizeStudy) -> Figure:
    scale, order, units = study.setting.metric.factor, study.main_order, f"{study.setting.unit}s"
    points = _drawn(study.along(order), lambda point: point.items)
    least, most = (f(point.items for point in study.points) for f in (min, max))
    sizes = [least * (most / least) ** (step / CURVE_POINTS) for step in range(CURVE_POINTS + 1)]
    slopes = {fit.relation: fit.slope for fit in study.fits if fit.order is order and fit.slope is not None}
    curves = {name: tuple((items, scale * slope / items**0.5) for items in sizes) for name, slope in slopes.items()}
    series = _threshold_series([(point, point.items) for point in points], study, curves)
    how = "random subsets" if order is PartOrder.RANDOM else f"the first {units}"
    return Figure(
        "Threshold by size of the test set",
        (f"{how}; dashed: slope / √{units}, a straight line on logarithmic axes",),
        Scale(units, Form.COUNT, log=True),
        Scale(f"threshold{_unit(study.setting)}", log=True),
        (Panel("", series),),
    )


@study_figure.register
def _(study: DomainStudy) -> Figure:
    points = _drawn(study.points, lambda point: point.domain)
    domains = list(dict.fromkeys(point.domain for point in study.points))
    series = _threshold_series([(point, domains.index(point.domain)) for point in points], study, {})
    return Figure(
        "Threshold by domain",
        (f"test sets of {format_counted(study.items, study.setting.unit)}",),
        Scale(f"threshold{_unit(study.setting)}"),
        Scale("", names=tuple(map(printable, domains))),
        (Panel("", series),),
    )


@study_figure.register
def _(study: CalibrationStudy) -> Figure:
    rows = [row for row in study.bins if row.share is not None and row.nominal is not None]

    def mark(row: CalibrationBin) -> Mark:
        assert row.share is not None
        assert row.nominal is not None
        label = (
            f"p from {format_exactly(row.low)} to {format_exactly(row.high)}: "
            f"{format_share(row.n_right, row.n_tests)} of {format_counted(row.n_tests, 'test')} correct"
        )
        return Mark(1 - row.nominal, row.share, label, row.share_low, row.share_high)

    marks = tuple(map(mark, rows))
    ends = [mark.x for mark in marks]
    low, high = (min(ends), max(ends)) if ends else (0.01, 0.5)
    steps = [low * (high / low) ** (step / CURVE_POINTS) for step in range(CURVE_POINTS + 1)] if low > 0 else []
    lowest = min([0.5, *(mark.low for mark in marks if mark.low is not None)])
    return Figure(
        "How often the observed winner is the better system",
        (
            f"{format_count(study.n_test_sets)} test sets of {format_counted(study.items, study.setting.unit)}; "
            "dashed: 1 − p",
        ),
        Scale("p (mean of the bin)", log=True),
        Scale("tests whose winner is better", Form.SHARE, low=lowest, high=1.0),
        (
            Panel(
                "",
                (
                    Series("correct tests", BLUE, marks),
                    Series("1 − p", GREY, curve=tuple((p, 1 - p) for p in steps)),
                ),
            ),
        ),
    )


@study_figure.register
def _(study: TransferStudy) -> Figure:
    bins = list(dict.fromkeys((row.low, row.high) for row in study.bins))

    def mark(row: TransferBin, share: float) -> Mark:
        label = f"same sign in {format_share(row.n_kept, row.n_pairs)} of {format_counted(row.n_pairs, 'pair')}"
        return Mark(share, bins.index((row.low, row.high)), label, row.share_low, row.share_high)

    series = tuple(
        Series(
            printable(other),
            look,
            tuple(mark(row, row.share) for row in study.bins if row.other == other and row.share is not None),
        )
        for other, look in zip(study.others, looks_for(len(study.others)), strict=True)
    )
    return Figure(
        "Gains confirmed on other leaderboards",
        (f"by p-value on {printable(study.board)}",),
        Scale("pairs that keep their sign", Form.SHARE, low=0.0, high=1.0),
        Scale(
            f"p on {printable(study.board)}",
            names=tuple(f"{format_exactly(low)} to {format_exactly(high)}" for low, high in bins),
        ),
        (Panel("", series),),
    )


def _threshold_series(
    places: Sequence[tuple[SizePoint | DomainPoint, float]],
    study: SizeStudy | DomainStudy,
    curves: Mapping[str, tuple[tuple[float, float], ...]],
) -> tuple[Series, ...]:
    """Return the thresholds of each relation, from points with their positions, and its curve."""
    shown = threshold_format(study.setting, [point.threshold for point in study.points])
    names = list(dict.fromkeys(point.threshold.relation for point, _ in places))
    return tuple(
        Series(
            name,
            look,
            tuple(
                _threshold_mark(point, position, study, shown)
                for point, position in places
                if point.threshold.relation == name
            ),
            curve=curves.get(name, ()),
        )
        for name, look in _looks(names).items()
    )


def _threshold_mark(
    point: SizePoint | DomainPoint, position: float, study: SizeStudy | DomainStudy, shown: ScoreFormat
) -> Mark:
    """Return the mark of a threshold: sizes on the horizontal axis, a domain in its row."""
    threshold, scale = point.threshold, study.setting.metric.factor
    assert threshold.threshold is not None
    sized = format_counted(point.items, study.setting.unit)
    where = printable(point.domain) if isinstance(point, DomainPoint) else sized
    label = f"{where}, {threshold.relation}: {shown.score(threshold.threshold)}"
    low, high = (None if end is None else end * scale for end in (threshold.low, threshold.high))
    if threshold.low is not None and threshold.high is not None:
        label += f" ({shown.score(threshold.low)} to {shown.score(threshold.high)})"
    value = threshold.threshold * scale
    x, y = (value, position) if isinstance(point, DomainPoint) else (position, value)
    return Mark(x, y, label, low, high)


def _drawn(points: Sequence[_Point], place_of: Callable[[_Point], object]) -> list[_Point]:
    """Return the points with thresholds. Points of all pairs are left out if relations have points."""
    defined = [point for point in points if point.threshold.threshold is not None]
    related = {place_of(point) for point in defined if point.threshold.relation != ALL_PAIRS}
    return [point for point in defined if point.threshold.relation != ALL_PAIRS or place_of(point) not in related]


def _looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a style for each name. Relations of families have the first styles."""
    names = list(names)
    looks = {UNKNOWN: GREY, **RELATIONS}
    further = (look for look in looks_for(len(names) + 2 * len(LOOKS)) if look not in looks.values())
    return {name: looks.get(name) or next(further) for name in names}


def _unit(setting: StudySetting) -> str:
    points = ", points" if setting.metric.as_percentage else ""
    return f" in {printable(setting.metric.title)}{points}"
