"""Charts for papers and notebooks, with the optional package Altair: results in, a chart out, and files of charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from outscore.errors import FileAccessError, MissingDependencyError, OptionError, Problem
from outscore.naming import printable
from outscore.numbers import format_exactly, format_level
from outscore.reports.wording import interval_heading, table_format
from outscore.results import (
    Claim,
    Comparison,
    ComparisonResult,
    Correction,
    Ranking,
    comparison_format,
    format_corrected_p,
    ranking_format,
)

if TYPE_CHECKING:
    import altair

__all__ = [
    "SUFFIXES",
    "chart_bytes",
    "checked_suffix",
    "comparisons_chart",
    "forest_chart",
    "gain_chart",
    "heatmap_chart",
    "law_chart",
    "require_altair",
    "save_chart",
    "stacked",
]

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
DOTS_PER_INCH = 200
ROW, CELL = 18, 22  # heights, in pixels

# Okabe and Ito's blue and vermilion, which all kinds of colour vision tell apart, and grey.
BLUE, RED, GREY = "#0072b2", "#d55e00", "#6b7280"
SHADES = ("#f1f3f5", "#cfe3f3", "#6aaed6", "#0b4f8a")
SIGNED = "datum.value == 0 ? '0' : format(datum.value, '+')"
FAMILIES = {True: "same family", False: "different families", None: "family not known"}


def forest_chart(ranking: Ranking) -> altair.LayerChart:
    """Return scores with their intervals, the best first, and the letters of their groups.

    Filled points are not told apart from the best system by the corrected tests; hollow ones are.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    alt = require_altair()
    scale, scores = ranking.metric.factor, ranking_format(ranking)
    names = _names(ranking)
    values = [
        {
            "system": names[i],
            "score": _scaled(system.score, scale),
            "low": _scaled(system.interval.low, scale),
            "high": _scaled(system.interval.high, scale),
            "shown": scores.score(system.score),
            "groups": system.group,
            "best": system.among_best,
            "family": printable(system.family or ""),
        }
        for i, system in enumerate(ranking.systems)
    ]
    interval = f"{format_level(ranking.systems[0].interval.confidence_level)} interval"
    x = alt.X("score:Q", title=_title(ranking), scale=alt.Scale(zero=False))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("system:N", sort=names, title=None, axis=alt.Axis(labelLimit=300, domain=False, ticks=False))
    )
    lines = base.mark_rule(strokeWidth=2, color=BLUE).encode(x=alt.X("low:Q", title=_title(ranking)), x2="high:Q")
    points = base.mark_point(size=55, strokeWidth=2, opacity=1, color=BLUE).encode(
        x=x,
        fill=alt.when("datum.best").then(alt.value(BLUE)).otherwise(alt.value("white")),
        tooltip=["system:N", "family:N", alt.Tooltip("shown:N", title="score"), "groups:N"],
    )
    letters = base.mark_text(align="left", fontSize=10, color=GREY).encode(x=alt.value(408), text=alt.Text("groups:N"))
    chart: altair.LayerChart = alt.layer(lines, points, letters).properties(
        width=400, height=ROW * len(names), title=alt.Title("Scores and groups", subtitle=interval)
    )
    return chart


def gain_chart(ranking: Ranking) -> altair.LayerChart:
    """Return gain against confidence, 1 − p, of all pairs, coloured by family (BK12, Figure 2).

    p-values are uncorrected, as in the paper.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    alt = require_altair()
    scale = ranking.metric.factor
    values = [
        {
            "gain": _scaled(pair.gain, scale),
            "confidence": _scaled(1 - pair.p_value, 1),
            "pair": f"{printable(pair.candidate)} over {printable(pair.baseline)}",
            "p": format_corrected_p(ranking, pair, Correction.NONE),
            "family": FAMILIES[pair.same_family],
        }
        for pair in ranking.pairs
    ]
    kinds = [text for kind, text in FAMILIES.items() if any(pair.same_family is kind for pair in ranking.pairs)]
    colors = [color for text, color in zip(FAMILIES.values(), (RED, BLUE, GREY), strict=True) if text in kinds]
    shapes = [
        shape for text, shape in zip(FAMILIES.values(), ("diamond", "circle", "cross"), strict=True) if text in kinds
    ]
    legend = alt.Legend(title=None) if len(kinds) > 1 else None
    points = (
        alt.Chart(alt.Data(values=values))
        .mark_point(filled=True, size=40, opacity=0.65)
        .encode(
            x=alt.X("gain:Q", title=_title(ranking, "gain in "), axis=alt.Axis(labelExpr=SIGNED)),
            y=alt.Y("confidence:Q", title="1 − p", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("family:N", scale=alt.Scale(domain=kinds, range=colors), legend=legend),
            shape=alt.Shape("family:N", scale=alt.Scale(domain=kinds, range=shapes), legend=legend),
            tooltip=["pair:N", "gain:Q", "p:N"],
        )
    )
    threshold = (
        alt.Chart(alt.Data(values=[{"level": 1 - ranking.alpha}])).mark_rule(strokeDash=[6, 4]).encode(y="level:Q")
    )
    chart: altair.LayerChart = alt.layer(threshold, points).properties(
        width=480, height=300, title="Gain against confidence"
    )
    return chart


def heatmap_chart(ranking: Ranking, correction: Correction | None = None) -> altair.LayerChart:
    """Return the p-values of all pairs as shaded cells, the better system to the left.

    Parameters
    ----------
    ranking : Ranking
    correction : Correction, optional
        That of the ranking by default.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    alt = require_altair()
    chosen, alpha = correction or ranking.correction, ranking.alpha
    bounds = (alpha, alpha / 5, alpha / 50)
    texts = [f"p > {format_exactly(alpha)}", *(f"p ≤ {format_exactly(bound)}" for bound in bounds)]
    names = dict(zip((system.name for system in ranking.systems), _names(ranking), strict=True))
    order = list(names.values())
    values = []
    for pair in ranking.pairs:
        p = pair.corrected(chosen)
        level = sum(p <= bound for bound in bounds)
        values.append(
            {
                "better": names[pair.candidate],
                "worse": names[pair.baseline],
                "level": texts[level],
                "mark": ("", "*", "**", "***")[level],
                "shade": "light" if level == len(bounds) else "dark",
                "p": format_corrected_p(ranking, pair, chosen),
            }
        )
    axis = {"labelLimit": 220, "domain": False, "ticks": False}
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("worse:N", sort=order[1:], title=None, axis=alt.Axis(orient="top", labelAngle=-90, **axis)),
        y=alt.Y("better:N", sort=order[:-1], title=None, axis=alt.Axis(**axis)),
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color("level:N", scale=alt.Scale(domain=texts, range=list(SHADES)), legend=alt.Legend(title=None)),
        tooltip=["better:N", "worse:N", "p:N"],
    )
    marks = base.mark_text(fontSize=9, baseline="middle").encode(
        text="mark:N", color=alt.when("datum.shade == 'light'").then(alt.value("white")).otherwise(alt.value("black"))
    )
    how = {
        Correction.NONE: "uncorrected",
        Correction.BH: "Benjamini–Hochberg",
        Correction.MAX_T: "max-T",
    }
    side = CELL * max(1, len(order) - 1)
    title = alt.Title("p-values of all pairs", subtitle=how.get(chosen, "Holm"))
    chart: altair.LayerChart = alt.layer(cells, marks).properties(width=side, height=side, title=title)
    return chart


def law_chart(comparison: Comparison) -> altair.LayerChart:
    """Return the bootstrap law of a gain with 0, the gain and its interval.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    alt = require_altair()
    c, scores = comparison, comparison_format(comparison)
    scale = c.metric.factor
    edges = c.histogram.edges
    # Where a bar holds 0 it is parted there: what is left of it is a loss.
    bars: list[dict[str, float | str]] = [
        {"from": a * scale, "to": b * scale, "density": p / (right - left) / scale, "side": side}
        for left, right, p in zip(edges, edges[1:], c.histogram.probabilities, strict=False)
        if right > left and math.isfinite(left + right + p)
        for a, b, side in ((left, min(right, 0.0), "baseline better"), (max(left, 0.0), right, "candidate better"))
        if b > a
    ]
    points = ", points" if c.metric.as_percentage else ""
    marks: list[dict[str, float | str | bool | None]] = [
        {"at": 0.0, "what": "0"},
        {"at": _scaled(c.gain, scale), "what": f"δ = {scores.gain(c.gain)}", "gain": True},
    ]
    if c.margin is not None and c.claim is not Claim.BETTER:
        size = scores.size(c.margin)
        marks.append({"at": -c.margin * scale, "what": f"-{size}"})
        if c.claim is Claim.EQUIVALENT:
            marks.append({"at": c.margin * scale, "what": f"+{size}"})
    x = alt.X("from:Q", title=f"gain in {printable(c.metric.title)}{points}", axis=alt.Axis(labelExpr=SIGNED))
    sides = ["baseline better", "candidate better"]
    law = (
        alt.Chart(alt.Data(values=bars))
        .mark_rect(stroke="white", strokeWidth=0.4)
        .encode(
            x=x,
            x2="to:Q",
            y=alt.Y("density:Q", title=None, axis=None),
            y2=alt.Y2Datum(0),
            color=alt.Color(
                "side:N",
                scale=alt.Scale(domain=sides, range=[RED, BLUE]),
                legend=alt.Legend(title=None) if len({bar["side"] for bar in bars}) > 1 else None,
            ),
        )
    )
    placed = alt.Chart(alt.Data(values=[mark for mark in marks if mark["at"] is not None]))
    rules = placed.mark_rule(strokeDash=[4, 3]).encode(x="at:Q")
    # Two heights, so that the gain does not run into 0 and the margins.
    labels = [
        placed.transform_filter(which)
        .mark_text(baseline="bottom", fontWeight="bold", dy=height)
        .encode(x="at:Q", y=alt.value(0), text="what:N")
        for which, height in (("datum.gain", -18), ("!datum.gain", -4))
    ]
    low, high = _drawn_ends(c)
    ends = [{"low": _scaled(low, scale), "high": _scaled(high, scale)}]
    span = (
        alt.Chart(alt.Data(values=ends))
        .mark_rule(strokeWidth=4, color="black")
        .encode(x="low:Q", x2="high:Q", y=alt.value(258))
    )
    interval = f"{format_level(c.interval.confidence_level)} interval " + scores.interval(
        c.interval.low, c.interval.high
    )
    title = alt.Title(f"{printable(c.candidate)} against {printable(c.baseline)}", subtitle=interval, offset=32)
    chart: altair.LayerChart = alt.layer(law, rules, *labels, span).properties(width=480, height=260, title=title)
    return chart


def comparisons_chart(results: Sequence[ComparisonResult]) -> Any:
    """Return the law of one gain; of several candidates or metrics the gains with their intervals.

    Raises
    ------
    MissingDependencyError
        Altair is not installed.
    """
    every = [c for result in results for c in result.comparisons]
    return law_chart(every[0]) if len(every) == 1 else stacked([_gains_of(result) for result in results])


def stacked(charts: Sequence[Any]) -> Any:
    """Return charts one below the other."""
    return charts[0] if len(charts) == 1 else require_altair().vconcat(*charts)


def _gains_of(result: ComparisonResult) -> altair.LayerChart:
    alt = require_altair()
    scale, shown = result.metric.factor, table_format(result.comparisons)
    names = [printable(c.candidate) for c in result.comparisons]
    values = []
    for name, c in zip(names, result.comparisons, strict=True):
        low, high = _drawn_ends(c)
        values.append(
            {
                "candidate": name,
                "gain": _scaled(c.gain, scale),
                "low": _scaled(low, scale),
                "high": _scaled(high, scale),
                "shown": f"{shown.gain(c.gain)} ({shown.interval(c.interval.low, c.interval.high)})",
                "verdict": c.verdict.value,
            }
        )
    points = ", points" if result.metric.as_percentage else ""
    title = f"gain in {printable(result.metric.title)}{points}"
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("candidate:N", sort=names, title=None, axis=alt.Axis(labelLimit=300, domain=False, ticks=False))
    )
    x = alt.X("low:Q", title=title, axis=alt.Axis(labelExpr=SIGNED))
    lines = base.mark_rule(strokeWidth=2, color=BLUE).encode(x=x, x2="high:Q")
    dots = base.mark_point(size=55, filled=True, opacity=1, color=BLUE).encode(
        x=alt.X("gain:Q", title=title), tooltip=["candidate:N", "shown:N", "verdict:N"]
    )
    zero = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(strokeDash=[4, 3]).encode(x="at:Q")
    first = result.comparisons[0]
    over = alt.Title(f"Gains over {printable(first.baseline)}", subtitle=interval_heading(first))
    chart: altair.LayerChart = alt.layer(zero, lines, dots).properties(width=400, height=ROW * len(names), title=over)
    return chart


def _drawn_ends(c: Comparison) -> tuple[float, float]:
    """Return the ends of an interval as they are drawn: one that is not there, as far as the law goes."""
    edges = [*c.histogram.edges, c.gain]
    return max(c.interval.low, min(edges)), min(c.interval.high, max(edges))


def checked_suffix(suffix: str) -> str:
    """Return the suffix in small letters, before anything is computed for a chart that could not be written.

    Raises
    ------
    OptionError
        No chart can be written under this suffix.
    MissingDependencyError
        Altair or vl-convert-python is not installed.
    """
    kind = suffix.lower()
    if kind not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        what = f'expected a file name that ends in {known}, got "{printable(suffix)}"'
        raise OptionError(Problem("--chart", what, "", "chart-format"))
    require_altair()
    if kind != ".json":
        _converter()
    return kind


def chart_bytes(chart: Any, suffix: str) -> bytes:
    """Return a chart as the contents of a file.

    Parameters
    ----------
    chart : altair chart
    suffix : str
        One of `SUFFIXES`. HTML holds everything it needs, and loads nothing; JSON is the Vega-Lite specification.

    Raises
    ------
    MissingDependencyError
        vl-convert-python is not installed.
    OptionError
        No chart can be written under this suffix.
    """
    kind = checked_suffix(suffix)
    if kind == ".json":
        return f"{chart.to_json()}\n".encode()
    converter, specification = _converter(), chart.to_json()
    version = require_altair().SCHEMA_VERSION.removeprefix("v").rpartition(".")[0]
    if kind == ".html":
        # Both packages write text of users into a script as it is: a name that holds </script> would end it. U+E000,
        # which no name holds (`printable`), stands for the sign until the page is made.
        page: str = converter.vegalite_to_html(specification.replace("<", "\ue000"), bundle=True, vl_version=version)
        return page.replace("\ue000", "\\u003c").encode()
    if kind == ".svg":
        drawn: str = converter.vegalite_to_svg(specification, vl_version=version)
        return f"{drawn}\n".encode()
    made: bytes = (
        converter.vegalite_to_pdf(specification, vl_version=version)
        if kind == ".pdf"
        else converter.vegalite_to_png(specification, vl_version=version, ppi=DOTS_PER_INCH)
    )
    return made


def save_chart(chart: Any, path: str | Path) -> None:
    """Write a chart to a file, in the format that its name says.

    Raises
    ------
    MissingDependencyError, OptionError
        As `chart_bytes`.
    FileAccessError
        The file cannot be written.
    """
    written = chart_bytes(chart, PurePath(path).suffix)
    try:
        Path(path).write_bytes(written)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileAccessError(
            Problem(printable(str(path)), f"cannot write: {reason}", "Name another file with --chart.", "cannot-write")
        ) from None


def require_altair() -> Any:
    """Return the package Altair, whose types are more than a checker can follow, or say how to install it."""
    try:
        import altair
    except ImportError:
        raise _missing("altair") from None
    return altair


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise _missing("vl-convert-python") from None
    return vl_convert


def _missing(package: str) -> MissingDependencyError:
    return MissingDependencyError(
        Problem(
            "chart",
            f"expected the package {package}, which draws charts, got none",
            'Install it: pip install "outscore[plots]".',
            "missing-dependency",
        )
    )


def _names(ranking: Ranking) -> list[str]:
    return [printable(system.name) for system in ranking.systems]


def _title(ranking: Ranking, what: str = "") -> str:
    unit = (", points" if what else " (%)") if ranking.metric.as_percentage else ""
    return f"{what}{printable(ranking.metric.title)}{unit}"


def _scaled(value: float, scale: float) -> float | None:
    """Return a number as a chart takes it: JSON knows no infinity."""
    return value * scale if math.isfinite(value) else None
