"""Charts of plans, with the optional package Altair; `charts.save_chart` writes them."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from outscore.naming import printable
from outscore.numbers import format_count, format_exactly
from outscore.reports.charts import require_altair
from outscore.results import Alternative
from outscore.results.plans import Plan, PlanQuestion, PlanTable

__all__ = ["plan_chart"]

# Okabe and Ito's colours, which colour-blind people tell apart; shapes and dashes say the same again.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 1], [1, 3], [10, 4]]
_SIZE = {"width": 300, "height": 220}
_LINE = 90  # characters of a subtitle


def plan_chart(plan: Plan | PlanTable) -> Any:
    """Return an Altair chart of a plan.

    Of a table: p against the share of items hurt, a line for each gain and a panel for each size, with a rule at α.
    Of power: power against items (or against the gain, where there is one size), a line for each gain and a panel
    for each test. Of detectable gains and of items needed: the one against the other, a line for each test.

    Raises
    ------
    MissingDependencyError
        Without Altair.
    """
    return _table_chart(plan) if isinstance(plan, PlanTable) else _plan_chart(plan)


def _table_chart(table: PlanTable) -> Any:
    alt = require_altair()

    gains = [f"+{format_exactly(gain)}%" for gain in sorted({row.gain for row in table.rows})]
    sizes = [f"{format_count(items)} items" for items in sorted({row.items for row in table.rows})]
    values = [
        {
            "items": f"{format_count(row.items)} items",
            "gain": f"+{format_exactly(row.gain)}%",
            "hurt": row.hurt_percent,
            "p": row.p_value,
        }
        for row in table.rows
    ]
    base = alt.Chart(alt.Data(values=values))
    lines = base.mark_line(point=alt.OverlayMarkDef(filled=True, size=30)).encode(
        x=alt.X("hurt:Q", title="items hurt (%)"),
        y=alt.Y("p:Q", title="p-value to expect", scale=alt.Scale(domainMin=0)),
        **_lines("gain", "gain", gains),
        tooltip=[_tip("items:N", "test set"), _tip("gain:N"), _tip("hurt:Q", "hurt (%)"), _tip("p:Q", "p", ".4f")],
    )
    level = base.mark_rule(color="#666666", strokeDash=[3, 3]).encode(y=alt.datum(table.alpha))
    title = f"p-values to expect, {_sided(table.alternative)} {table.test}; dashed: {format_exactly(table.alpha)}"
    return _panels(alt.layer(lines, level), "items", sizes, title)


def _plan_chart(plan: Plan) -> Any:
    alt = require_altair()

    scale = 100 if plan.metric.as_percentage else 1
    unit = f"gain in {plan.metric.name}" + (" (points)" if plan.metric.as_percentage else "")
    rows = plan.rows
    tests = list(dict.fromkeys(row.test for row in rows))
    values: list[dict[str, Any]] = [
        {
            "test": row.test,
            "items": row.items,
            "size": f"{format_count(row.items)} items",
            "gain": row.gain * scale,
            "amount": f"+{format_exactly(row.gain * scale)}",
            "power": row.power.value,
            "low": row.power.low,
            "high": row.power.high,
        }
        for row in rows
    ]
    base = alt.Chart(alt.Data(values=values))
    tips = [
        _tip("test:N"),
        _tip("items:Q", "items", ","),
        _tip("gain:Q", unit, ".4~g"),
        _tip("power:Q", "power", ".1%"),
    ]
    title = f"{_sided(plan.alternative).capitalize()} tests at {format_exactly(plan.alpha)}"
    if plan.comparisons > 1:
        title += f" over {plan.comparisons} comparisons"
    items = alt.X("items:Q", title="items", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="~s"))
    mark = {"point": alt.OverlayMarkDef(filled=True, size=40)}
    if plan.question is PlanQuestion.POWER:
        y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
        several_sizes = len({row.items for row in rows}) > 1
        amounts = [f"+{format_exactly(gain * scale)}" for gain in sorted({row.gain for row in rows})]
        by = _lines("amount", unit, amounts) if several_sizes else _lines("size", "test set", [values[0]["size"]])
        x = items if several_sizes else alt.X("gain:Q", title=unit)
        lines = base.mark_line(**mark).encode(x=x, y=y, **by, tooltip=tips)
        # What the simulation leaves open; of exact powers nothing is seen.
        open_ = base.mark_rule().encode(x=x, y="low:Q", y2="high:Q", color=by["color"])
        aim = base.mark_rule(color="#666666", strokeDash=[3, 3]).encode(y=alt.datum(0.8))
        return _panels(alt.layer(lines, open_, aim), "test", tests, _titled(f"{title}; dashed: 80%", plan))
    gain = alt.Y("gain:Q", title=unit, scale=alt.Scale(zero=True))
    if plan.question is PlanQuestion.GAIN:
        title = f"Smallest gain detected with {plan.target:.0%} power. {title}"
        return (
            base.mark_line(**mark)
            .encode(x=items, y=gain, **_lines("test", "test", tests), tooltip=tips)
            .properties(title=_titled(title, plan), width=420, height=280)
        )
    title = f"Items needed for {plan.target:.0%} power. {title}"
    needed = alt.Y("items:Q", title="items", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="~s"))
    return (
        base.mark_line(**mark)
        .encode(x=alt.X("gain:Q", title=unit), y=needed, **_lines("test", "test", tests), tooltip=tips)
        .properties(title=_titled(title, plan), width=420, height=280)
    )


def _titled(title: str, plan: Plan) -> Any:
    """Return a title that says beneath what was assumed."""
    return require_altair().TitleParams(title, subtitle=wrap(printable(plan.basis), _LINE))


def _lines(field: str, title: str, names: list[str]) -> dict[str, Any]:
    """Return encodings that tell lines apart by colour, by dashes and by the shape of their points."""
    alt = require_altair()

    count = len(names)
    colours = [_COLOURS[i % len(_COLOURS)] for i in range(count)]
    dashes = [_DASHES[i % len(_DASHES)] for i in range(count)]
    return {
        "color": alt.Color(f"{field}:N", title=title, sort=names, scale=alt.Scale(domain=names, range=colours)),
        "strokeDash": alt.StrokeDash(
            f"{field}:N", title=title, sort=names, scale=alt.Scale(domain=names, range=dashes)
        ),
    }


def _panels(layers: Any, field: str, names: list[str], title: Any) -> Any:
    alt = require_altair()

    facet = alt.Facet(f"{field}:N", title=None, sort=names)
    return layers.properties(**_SIZE).facet(facet=facet, columns=2).properties(title=title)


def _tip(field: str, title: str | None = None, form: str | None = None) -> Any:
    alt = require_altair()

    more = {} if form is None else {"format": form}
    return alt.Tooltip(field, title=title or field.partition(":")[0], **more)


def _sided(alternative: Alternative) -> str:
    return "two-sided" if alternative is Alternative.TWO_SIDED else "one-sided"
