"""How each kind of result is written, drawn and shown: what its own methods ask for, in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outscore.results import Comparison, ComparisonResult, ComparisonResults, Ranking, Rankings
from outscore.results.shown import Shown

__all__ = ["Shows", "shows"]


@dataclass(frozen=True)
class Shows:
    """What is asked to write a result; each takes it, and the options that its format has."""

    text: Callable[[Any], str]
    html: Callable[[Any], str]
    notebook: Callable[[Any], str]
    markdown: Callable[..., str]
    latex: Callable[..., str]
    chart: Callable[[Any], Any]


def shows(result: Shown) -> Shows:
    """Return how a result is shown."""
    match result:
        case Comparison():
            return _comparisons([result.alone])
        case ComparisonResult():
            return _comparisons([result])
        case ComparisonResults():
            return _comparisons(result.results)
        case Ranking():
            return _rankings([result])
        case Rankings():
            return _rankings(result.results)
        case _:
            return _overview()


def _comparisons(results: Sequence[ComparisonResult]) -> Shows:
    from outscore import reports

    def html(_: object) -> str:
        from outscore.reports.html import several_to_html

        return several_to_html(results)

    def notebook(_: object) -> str:
        from outscore.reports.html.notebook import comparisons_in_notebook

        return comparisons_in_notebook(results)

    def chart(_: object) -> Any:
        from outscore.reports.charts import comparisons_chart

        return comparisons_chart(results)

    one = results[0] if len(results) == 1 else None
    return Shows(
        text=lambda _: reports.several_to_text(results),
        html=html,
        notebook=notebook,
        markdown=lambda _: reports.to_markdown(one) if one else reports.several_to_markdown(results),
        latex=lambda _, **options: reports.several_to_latex(results, **options),
        chart=chart,
    )


def _rankings(rankings: Sequence[Ranking]) -> Shows:
    from outscore.reports import rankings as reports

    def html(_: object) -> str:
        from outscore.reports.html import several_rankings_to_html

        return several_rankings_to_html(rankings)

    def notebook(_: object) -> str:
        from outscore.reports.html.notebook import rankings_in_notebook

        return rankings_in_notebook(rankings)

    def chart(_: object) -> Any:
        from outscore.reports.charts import forest_chart, stacked

        return stacked([forest_chart(ranking) for ranking in rankings])

    return Shows(
        text=lambda _, **options: reports.several_rankings_to("text", rankings, **options),
        html=html,
        notebook=notebook,
        markdown=lambda _, **options: reports.several_rankings_to("markdown", rankings, **options),
        latex=lambda _, **options: reports.several_rankings_to("latex", rankings, **options),
        chart=chart,
    )


def _overview() -> Shows:
    from outscore.reports import overviews

    def html(result: Any) -> str:
        from outscore.reports.html.overviews import overviews_to_html

        return overviews_to_html([result])

    def notebook(result: Any) -> str:
        from outscore.reports.html.notebook import overview_in_notebook

        return overview_in_notebook(result)

    return Shows(
        text=lambda result: overviews.to_text([result]),
        html=html,
        notebook=notebook,
        markdown=lambda result: overviews.to_markdown([result]),
        latex=lambda result, **options: overviews.to_latex([result], **options),
        chart=lambda result: overviews.chart_of([result]),
    )
