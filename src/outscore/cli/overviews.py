"""Where studies and plans go: a report, a page and a chart of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from outscore.cli.output import chart_destination, chosen_format, destination, refuse_bare, written
from outscore.reports import FORMATS

__all__ = ["Writes", "writing"]


@Parameter(name="*")
@dataclass(frozen=True)
class Writes:
    """Where the answer goes.

    Attributes
    ----------
    format
        Default: text, or what the name of the output file says (.txt, .json, .csv, .md, .tex).
    bare
        In LaTeX: the tabulars alone, without tables around them.
    output
        Write to this file; whole, or not at all.
    report
        Write a page (HTML) to this file: one file that loads nothing.
    chart
        Draw a chart into this file: .svg, .png, .pdf, .html or .json (Vega-Lite).
    quiet
        Print only the first paragraph, and no progress.
    """

    format: Literal["text", "json", "csv", "markdown", "latex"] | None = None
    bare: Annotated[bool, Parameter(negative="")] = False
    output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None
    report: str | None = None
    chart: str | None = None
    quiet: Annotated[bool, Parameter(alias="-q", negative="")] = False

    @property
    def chosen(self) -> str:
        """The format.

        Raises
        ------
        OptionError
            A name of the output file that says none.
        """
        chosen = chosen_format(self.format, self.output, FORMATS)
        refuse_bare(chosen, bare=self.bare)
        return chosen


@contextmanager
def writing(writes: Writes) -> Iterator[Callable[..., None]]:
    """Yield what writes results; all files are whole, or not there.

    It takes the results, one a metric, and `as_csv`, what CSV is to hold, where it is not the results' own table.

    Raises
    ------
    OptionError
        A name that says no format, or that of another output.
    FileAccessError, MissingDependencyError
        As `destination` and `chart_destination`.
    """
    chosen = writes.chosen
    with ExitStack() as stack:
        write = stack.enter_context(destination(writes.output))
        write_page = None if writes.report is None else stack.enter_context(destination(writes.report, "--report"))
        draw = stack.enter_context(chart_destination(writes.chart))

        def write_all(*results: Any, as_csv: Callable[[], str] | None = None) -> None:
            if draw is not None:
                from outscore.reports import chart_of

                draw(chart_of(results))
            if write_page is not None:
                from outscore.reports.html import results_to_html

                write_page(results_to_html(results))
            if chosen == "csv" and as_csv is not None:
                write(as_csv())
            else:
                to_file = writes.output is not None
                write(written(results, chosen, to_file=to_file, quiet=writes.quiet, bare=writes.bare))

        yield write_all
