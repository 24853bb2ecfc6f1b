"""Where studies and plans go: a report, a page and a chart of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.cli.output import chart_destination, destination, terminal_layout
from outscore.cli.systems import refuse_overwriting
from outscore.errors import OptionError, Problem
from outscore.naming import printable
from outscore.reports.overviews import FORMATS, Overview, document_of, to_text

__all__ = ["Writes", "writing"]

FORMAT_OF_SUFFIX = {
    "": "text",
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}


@Parameter(name="*")
@dataclass(frozen=True)
class Writes:
    """Where the answer goes.

    Attributes
    ----------
    format
        Default: text, or what the name of the output file says (.txt, .json, .csv, .md, .tex).
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
        if self.format is not None:
            return self.format
        suffix = PurePath(self.output or "").suffix.lower()
        found = FORMAT_OF_SUFFIX.get(suffix)
        if found is None:
            known = ", ".join(one for one in FORMAT_OF_SUFFIX if one)
            what = f'expected a name that ends in one of {known}, got "{printable(suffix)}"'
            page = suffix in (".html", ".htm")
            advice = "A page is written by --report." if page else "Name the format with --format."
            raise OptionError(Problem("--output", what, advice, "unknown-format"))
        return found


@contextmanager
def writing(writes: Writes, inputs: Sequence[str] = ()) -> Iterator[Callable[..., None]]:
    """Yield what writes results; all files are whole, or not there.

    It takes the results, one a metric, and `as_csv`, what CSV is to hold, where it is not the results' own table. Of
    several results the first one is drawn as the chart.

    Raises
    ------
    OptionError
        A name that says no format, or that of an input.
    FileAccessError, MissingDependencyError
        As `destination` and `chart_destination`.
    """
    chosen = writes.chosen
    with ExitStack() as stack:
        for path in (writes.output, writes.report, writes.chart):
            refuse_overwriting(path, inputs)
        write = stack.enter_context(destination(writes.output))
        write_page = None if writes.report is None else stack.enter_context(destination(writes.report))
        draw = stack.enter_context(chart_destination(writes.chart))

        def write_all(*results: Overview, as_csv: Callable[[], str] | None = None) -> None:
            if draw is not None:
                from outscore.reports.overviews import chart_of

                draw(chart_of(results[0]))
            if write_page is not None:
                from outscore.reports.html.overviews import overviews_to_html

                write_page(overviews_to_html(results))
            if chosen == "csv" and as_csv is not None:
                write(as_csv())
            elif chosen != "text":
                write(FORMATS[chosen](results))
            elif writes.quiet:
                write("".join(f"{printable(document_of(result).paragraphs[0])}\n" for result in results))
            else:
                layout = terminal_layout(to_file=writes.output is not None)
                write(to_text(results, width=layout.width, ascii_only=layout.ascii_only))

        yield write_all
