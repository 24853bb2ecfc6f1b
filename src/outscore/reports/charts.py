"""Figures as charts for papers and notebooks, with the optional package Altair, and files of charts."""

from __future__ import annotations

import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePath
from textwrap import wrap
from typing import Any

from outscore.errors import FileAccessError, MissingDependencyError, OptionError, Problem
from outscore.options import opt
from outscore.reports.figures import LOOKS, Bars, Cells, Figure, Form, Panel, Scale
from outscore.text.naming import printable

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")
DOTS_PER_INCH = 200
GREY = LOOKS[-1].colour
SHADES = ("#f1f3f5", "#cfe3f3", "#6aaed6", "#0b4f8a")
CELL = 22  # height, in pixels
ALONE, AMONG_OTHERS = {"width": 480, "height": 300}, {"width": 300, "height": 220}
ROW, BETWEEN = 16, 10  # heights of a series in a named row, and of what is between rows
LEGEND, LETTER_WIDTH = 18, 6  # pixels
LINE = 90  # characters of a subtitle
SIZES = (60, 32, 14)  # of marks that are few, many, a cloud
AXES: dict[Form, dict[str, Any]] = {
    Form.NUMBER: {},
    Form.COUNT: {"format": "~s", "labelSeparation": 6},
    Form.SHARE: {"format": "~%"},
    Form.GAIN: {"labelExpr": "datum.value == 0 ? '0' : format(datum.value, '+')"},
}


def figures_chart(figures: Sequence[Figure]) -> Any:
    """Return figures as an Altair chart, several one below the other. Without Altair, an error is raised."""
    charts = [figure_chart(figure) for figure in figures]
    if len(charts) == 1:
        return charts[0]
    apart = dict.fromkeys(("color", "fill", "shape", "strokeDash"), "independent")
    return require_altair().vconcat(*charts).resolve_scale(**apart)


def figure_chart(figure: Figure) -> Any:
    """Return a figure as an Altair chart. Without Altair, an error is raised."""
    if figure.bars is not None:
        return _law(figure, figure.bars)
    if figure.cells is not None:
        return _matrix(figure, figure.cells)
    alt = require_altair()
    every = [series for panel in figure.panels for series in panel.series]
    # One table for all layers: panels are made of it.
    data = alt.Data(values=[row for panel in figure.panels for row in _rows(figure, panel)])
    x, y = _channel(alt.X, "x", figure.x), _channel(alt.Y, "y", figure.y)
    below = figure.y.names and len(every) > 1 and all(panel.stacked for panel in figure.panels)
    offset = {"yOffset": alt.YOffset("series:N", sort=list(figure.kinds))} if below else {}
    color, fill, shape, dash = _looks(figure, {series.name for series in every if series.hollow})

    def layer(kind: str) -> Any:
        return alt.Chart().transform_filter(alt.datum.kind == kind)

    layers = []
    if figure.levels:
        bands = layer("level").mark_rect(color=GREY, opacity=0.18)
        layers.append(bands.encode(y=_channel(alt.Y, "low", figure.y), y2="high:Q"))
        lines = layer("level").transform_filter("datum.low == datum.high").mark_rule(color=GREY, strokeDash=[3, 3])
        layers.append(lines.encode(y=_channel(alt.Y, "low", figure.y)))
    if any(series.curve for series in every):
        layers.append(layer("curve").mark_line(strokeDash=[5, 3]).encode(x=x, y=y, color=color))
    if any(series.at is not None for series in every):
        layers.append(layer("line").mark_rule(strokeDash=[6, 4], strokeWidth=1.5).encode(x=x, color=color))
    if any(series.joined for series in every):
        layers.append(layer("mark").mark_line().encode(x=x, y=y, color=color, strokeDash=dash))
    if any(mark.low is not None for series in every for mark in series.marks):
        ends = (
            {"x": _channel(alt.X, "low", figure.x), "x2": "high:Q", "y": y}
            if figure.y.names
            else {"x": x, "y": _channel(alt.Y, "low", figure.y), "y2": "high:Q"}
        )
        # Of one colour each: an encoding would be merged into the legend of the points, which would lose its filling.
        by_colour: dict[str, list[str]] = {}
        for name, look in figure.kinds.items():
            by_colour.setdefault(look.colour, []).append(name)
        for colour, names in by_colour.items():
            marks = layer("mark").transform_filter(alt.FieldOneOfPredicate(field="series", oneOf=names))
            layers.append(marks.mark_rule(strokeWidth=1.5, opacity=0.6, color=colour).encode(**ends, **offset))
    crowded = max(panel.crowded for panel in figure.panels)
    points = layer("mark").mark_point(filled=True, size=SIZES[crowded], opacity=0.6 if crowded else 1, stroke=None)
    if any(series.hollow for series in every):
        points = layer("mark").mark_point(size=SIZES[0], strokeWidth=2, opacity=1)
        points = points.encode(fill=fill)
    layers.append(points.encode(x=x, y=y, color=color, shape=shape, tooltip=["series:N", "said:N"], **offset))
    if any(mark.aside for series in every for mark in series.marks):
        aside = layer("mark").mark_text(align="left", fontSize=10, color=GREY)
        layers.append(aside.encode(x=alt.value(ALONE["width"] + 8), y=y, text="aside:N"))
    notes = [*figure.notes, figure.nothing] if figure.is_empty else figure.notes
    title = alt.TitleParams(figure.title, subtitle=[line for note in notes for line in wrap(note, LINE)])
    chart = alt.layer(*layers, data=data)
    if len(figure.panels) > 1:
        facet = alt.Facet("panel:N", title=None, sort=[panel.name for panel in figure.panels])
        return (
            chart.properties(**AMONG_OTHERS)
            .facet(facet=facet, columns=3 if len(figure.panels) == 3 else 2)
            .properties(title=title)
        )
    lines = max(len(panel.series) if panel.stacked else 1 for panel in figure.panels)
    size = ALONE if not figure.y.names else {**ALONE, "height": len(figure.y.names) * (ROW * lines + BETWEEN)}
    return chart.properties(**size, title=title)


def _rows(figure: Figure, panel: Panel) -> Iterator[dict[str, object]]:
    names = figure.y.names
    for level in figure.levels:
        yield {"kind": "level", "panel": panel.name, "low": level.low, "high": level.high}
    for series in panel.drawn:
        common = {"series": series.name, "panel": panel.name}
        for mark in series.marks:
            fields = {"x": mark.x, "y": names[int(mark.y)] if names else mark.y, "low": mark.low, "high": mark.high}
            yield {"kind": "mark", **common, **fields, "said": mark.said, "aside": mark.aside}
        for x, y in series.curve:
            yield {"kind": "curve", **common, "x": x, "y": y}
        if series.at is not None:
            yield {"kind": "line", **common, "x": series.at}


def _channel(kind: Any, field: str, scale: Scale) -> Any:
    alt = require_altair()
    if scale.names:
        axis = alt.Axis(labelLimit=300, domain=False, ticks=False)
        return kind(f"{field}:N", title=scale.title or None, sort=list(scale.names), axis=axis)
    fixed = {name: end for name, end in (("domainMin", scale.low), ("domainMax", scale.high)) if end is not None}
    room = {} if "domainMin" in fixed else {"padding": 8}
    made = alt.Scale(type="log" if scale.log else "linear", nice=False, zero=False, **fixed, **room)
    return kind(f"{field}:Q", title=scale.title, scale=made, axis=alt.Axis(**AXES[scale.form]))


def _looks(figure: Figure, hollow: Collection[str]) -> tuple[Any, Any, Any, Any]:
    """Return the encodings of series by colour, by filling and shape of points, and by dashes of lines."""
    alt = require_altair()
    names, looks = list(figure.kinds), list(figure.kinds.values())
    aside = max(
        (len(mark.aside) for panel in figure.panels for series in panel.series for mark in series.marks), default=0
    )
    beyond = LEGEND + LETTER_WIDTH * aside  # what stands between the panel and its legend
    every = [series for panel in figure.panels for series in panel.series]
    listed = [name for name in names if any(series.name == name and (series.marks or series.curve) for series in every)]
    title = figure.legend or None
    legend = alt.Legend(title=title, titleLimit=300, labelLimit=300, offset=beyond, values=listed)
    legend = legend if len(listed) > 1 else None

    def coded(channel: Any, values: Sequence[object]) -> Any:
        return channel("series:N", sort=names, scale=alt.Scale(domain=names, range=list(values)), legend=legend)

    return (
        coded(alt.Color, [look.colour for look in looks]),
        coded(alt.Fill, ["white" if name in hollow else look.colour for name, look in zip(names, looks, strict=True)]),
        coded(alt.Shape, [look.shape for look in looks]),
        coded(alt.StrokeDash, [list(look.dashes) or [1, 0] for look in looks]),
    )


def _law(figure: Figure, law: Bars) -> Any:
    alt = require_altair()
    bars = [
        {"from": a, "to": b, "density": density, "side": law.sides[a >= 0]}
        for a, b, density in (law.parts if law.has_shape else ())
    ]
    colours, sides = [LOOKS[1].colour, LOOKS[0].colour], {bar["side"] for bar in bars}
    drawn = (
        alt.Chart(alt.Data(values=bars))
        .mark_rect(stroke="white", strokeWidth=0.4)
        .encode(
            x=alt.X("from:Q", title=figure.x.title, axis=alt.Axis(**AXES[figure.x.form])),
            x2="to:Q",
            y=alt.Y("density:Q", title=None, axis=None),
            y2=alt.Y2Datum(0),
            color=alt.Color(
                "side:N",
                scale=alt.Scale(domain=list(law.sides), range=colours),
                legend=alt.Legend(title=None) if len(sides) > 1 else None,
            ),
        )
    )
    flags = [{"at": flag.at, "said": flag.said, "kind": flag.kind} for flag in figure.flags]
    placed = alt.Chart(alt.Data(values=flags))
    layers = [drawn, placed.mark_rule(strokeDash=[4, 3]).encode(x="at:Q")]
    # Two heights, so that the gain does not run into 0 and the margins.
    for which, height in (("datum.kind == 'gain'", -18), ("datum.kind != 'gain'", -4)):
        labels = placed.transform_filter(which).mark_text(baseline="bottom", fontWeight="bold", dy=height)
        layers.append(labels.encode(x="at:Q", y=alt.value(0), text="said:N"))
    if figure.span is not None:
        # An end that is not there is drawn as far as the law goes.
        places = [edge for edge in (*law.edges, *(flag.at for flag in figure.flags)) if math.isfinite(edge)]
        low, high = max(figure.span.low, min(places)), min(figure.span.high, max(places))
        ends = [{"low": low, "high": high}] if math.isfinite(low + high) else []
        span = alt.Chart(alt.Data(values=ends)).mark_rule(strokeWidth=4, color="black")
        layers.append(span.encode(x="low:Q", x2="high:Q", y=alt.value(258)))
    title = alt.Title(figure.title, subtitle=list(figure.notes), offset=32)
    return alt.layer(*layers).properties(width=480, height=260, title=title)


def _matrix(figure: Figure, matrix: Cells) -> Any:
    alt = require_altair()
    names, levels = list(matrix.names), list(matrix.levels)
    values = [
        {
            "row": names[cell.row],
            "column": names[cell.column],
            "level": levels[cell.level],
            "mark": "*" * cell.level,
            "dark": cell.level == len(levels) - 1,
            "said": cell.said,
        }
        for cell in matrix.cells
    ]
    axis = {"labelLimit": 220, "domain": False, "ticks": False}
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("column:N", sort=names[1:], title=None, axis=alt.Axis(orient="top", labelAngle=-90, **axis)),
        y=alt.Y("row:N", sort=names[:-1], title=None, axis=alt.Axis(**axis)),
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color("level:N", scale=alt.Scale(domain=levels, range=list(SHADES)), legend=alt.Legend(title=None)),
        tooltip=["row:N", "column:N", "said:N"],
    )
    colour = alt.when("datum.dark").then(alt.value("white")).otherwise(alt.value("black"))
    marks = base.mark_text(fontSize=9, baseline="middle").encode(text="mark:N", color=colour)
    side = CELL * max(1, len(names) - 1)
    title = alt.Title(figure.title, subtitle=list(figure.notes))
    return alt.layer(cells, marks).properties(width=side, height=side, title=title)


class ChartError(FileAccessError):
    """A chart cannot be drawn on this machine."""


def checked_suffix(suffix: str) -> str:
    """Return the suffix in small letters, before anything is computed for a chart that could not be written.

    An unknown suffix is an error, and so is a missing package.
    """
    kind = suffix.lower()
    if kind not in SUFFIXES:
        suffixes = ", ".join(SUFFIXES)
        what = f'expected a file name that ends in {suffixes}, got "{printable(suffix)}"'
        raise OptionError(Problem(opt("chart"), what, "", "chart-format"))
    # Not imported: the packages are needed only in the process that draws.
    for module, package in (("altair", "altair"), ("vl_convert", "vl-convert-python"))[: 1 if kind == ".json" else 2]:
        if find_spec(module) is None:
            raise _missing(package)
    return kind


# With -I, no module of the current folder is imported; the paths are those of this process.
_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from outscore.reports.charts import draw; draw()"
)


def chart_bytes(chart: Any, suffix: str) -> bytes:
    """Return a chart as the contents of a file with one of `SUFFIXES`.

    HTML holds everything it needs, and loads nothing; JSON is the Vega-Lite specification. Other formats are drawn in
    another process, because the renderer ends its process if it gets too little memory. If it fails, `ChartError` is
    raised.
    """
    kind = checked_suffix(suffix)
    content = chart if isinstance(chart, Sequence) else chart.to_json()
    # Further threads of OpenBLAS would only take memory.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-c", _CHILD],
            input=pickle.dumps(sys.path) + pickle.dumps((content, kind)),
            capture_output=True,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise _not_drawn((error.strerror or str(error)).lower()) from None
    if child.returncode:
        lines = child.stderr.decode(errors="replace").split("\n")
        raise _not_drawn(next((line.strip("# ") for line in lines if _OUT_OF_MEMORY.search(line)), lines[-2:][0]))
    return child.stdout


_OUT_OF_MEMORY = re.compile("memory", re.IGNORECASE)  # in the messages of V8, OpenBLAS, Python and the linker


def _not_drawn(reason: str) -> ChartError:
    what = f"the chart was not drawn, as its renderer failed: {printable(reason.strip()) or 'no message'}"
    advice = "If memory is limited, raise the limit (ulimit -v unlimited), or pass a name ending in .json."
    return ChartError(Problem(opt("chart"), what.rstrip("."), advice, "not-drawn"))


def draw() -> None:
    """Write the chart that standard input describes to standard output, as `chart_bytes` asks for."""
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)  # libraries may print
        content, kind = pickle.load(sys.stdin.buffer)
        specification = content if isinstance(content, str) else figures_chart(content).to_json()
        output.write(_rendered(specification, kind))


def _rendered(specification: str, kind: str) -> bytes:
    """Return a Vega-Lite specification as the contents of a file."""
    if kind == ".json":
        return f"{specification}\n".encode()
    import vl_convert

    version = require_altair().SCHEMA_VERSION.removeprefix("v").rpartition(".")[0]
    if kind == ".html":
        # Both packages write text of users into a script as it is: a name that holds </script> would end it. U+E000,
        # which no name holds (`printable`), stands for the sign until the page is made.
        page: str = vl_convert.vegalite_to_html(specification.replace("<", "\ue000"), bundle=True, vl_version=version)
        return page.replace("\ue000", "\\u003c").encode()
    if kind == ".svg":
        svg: str = vl_convert.vegalite_to_svg(specification, vl_version=version)
        return f"{svg}\n".encode()
    made: bytes = (
        vl_convert.vegalite_to_pdf(specification, vl_version=version)
        if kind == ".pdf"
        else vl_convert.vegalite_to_png(specification, vl_version=version, ppi=DOTS_PER_INCH)
    )
    return made


def save_chart(chart: Any, path: str | Path) -> None:
    """Write a chart to a file, in the format that its name says. Errors are those of `chart_bytes` and of writing."""
    written = chart_bytes(chart, PurePath(path).suffix)
    try:
        Path(path).write_bytes(written)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileAccessError(
            Problem(
                printable(str(path)),
                f"cannot write: {reason}",
                f"Choose another file for {opt('chart')}.",
                "cannot-write",
            )
        ) from None


def require_altair() -> Any:
    """Return the package Altair, whose types are more than a checker can follow, or say how to install it."""
    try:
        import altair
    except ImportError:
        raise _missing("altair") from None
    return altair


def _missing(package: str) -> MissingDependencyError:
    return MissingDependencyError(
        Problem(
            "chart",
            f"expected the package {package}, which draws charts, got none",
            "Install it: pip install altair vl-convert-python",
            "missing-dependency",
        )
    )
