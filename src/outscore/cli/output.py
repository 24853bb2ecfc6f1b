"""Output: standard output or files, which are written atomically, and progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from outscore.cli import arguments
from outscore.cli.streams import complain
from outscore.errors import FileAccessError, OptionError, Problem
from outscore.formats import FORMATS
from outscore.reports import answers, drawn_figures, report
from outscore.results.record import parquet_library
from outscore.text.naming import printable

if TYPE_CHECKING:
    from outscore.declared import WritesOptionsOfCommands
    from outscore.laws.resampling import Progress
else:
    WritesOptionsOfCommands = arguments.class_of("writes", __name__)

PIPED_WIDTH = 80


def terminal_layout(*, to_file: bool) -> dict[str, Any]:
    """Return the width, color and encoding of text for standard output or a UTF-8 file, as fields of a layout."""
    if to_file or sys.stdout is None:
        return {"width": PIPED_WIDTH}
    terminal = sys.stdout.isatty()
    width = PIPED_WIDTH
    if terminal or "COLUMNS" in os.environ:
        import shutil  # slow: it imports modules for archives

        width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns
    try:
        "█▁─δ±".encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return {"width": width, "color": color, "ascii_only": ascii_only}


def format_of_file(output: str, formats: Collection[str]) -> str:
    """Return the format of the output file by its suffix, one of `formats`.

    Raise OptionError if the suffix is unknown.
    """
    suffix = PurePath(output).suffix.lower()
    by_suffix = {end: name for name, format_ in FORMATS.items() for end in format_.suffixes}
    named = by_suffix.get(suffix)
    if named is None or named not in formats:
        suffixes = ", ".join(end for end, name in by_suffix.items() if end and name in formats)
        what = f'expected a name ending in {suffixes}, got "{printable(suffix)}"'
        page = suffix in (".html", ".htm")
        advice = "Pass --format."
        if page:
            advice = "Use --report for an HTML report, or --format html for only its tables."
        raise OptionError(Problem("--output", what, advice, "unknown-format"))
    return named


@contextmanager
def destination(path: str | None, option: str = "-o", *, binary: bool = False) -> Iterator[Callable[[Any], object]]:
    """Yield a function that writes the report, text or bytes, to `path` or to standard output.

    A file is opened before the computation under a temporary name and renamed when it is complete. An error or
    interruption leaves no half-written file and does not change an old one. Until then, reading the file or writing it
    by another option is an error. `option` is the option of the file, for messages. Raise FileAccessError if the file
    cannot be written, and OptionError if another option writes it.
    """
    suffix = PurePath(path or "").suffix.lower()
    if option == "--report" and suffix == ".pdf":
        what = f'expected a name ending in .html, got "{printable(suffix)}"'
        raise OptionError(Problem(option, what, "Use -o for other formats.", "unknown-format"))
    if path is None or path == "-":
        if sys.stdout is None:
            raise FileAccessError(Problem("standard output", "is closed", "Pass a file with -o.", "cannot-write"))
        yield sys.stdout.buffer.write if binary else sys.stdout.write
        return
    from outscore.destinations import file_destination  # it imports tempfile

    with file_destination(path, option) as write:
        yield lambda data: write(data.encode() if isinstance(data, str) else data)


_DRAWING = "outscore: interrupted while the chart was drawn; all other files are written."


@contextmanager
def chart_destination(path: str) -> Iterator[Callable[[Any], None]]:
    """Yield a function that takes the figures of a chart, which is written to a file in the format of its suffix.

    The chart is drawn at the end. Entered before all other outputs, it is drawn after these are written. A chart that
    cannot be drawn is a message, and does not change the exit status. Raise OptionError if the suffix is unknown. Raise
    FileAccessError if the file cannot be written. Raise MissingDependencyError without Altair and vl-convert.
    """
    from outscore.destinations import file_destination
    from outscore.reports.charts import ChartError, chart_bytes, checked_suffix

    suffix = checked_suffix(PurePath(path).suffix)
    figures: list[Any] = []
    try:
        with file_destination(path, "--chart") as write:
            yield figures.extend
            try:
                write(chart_bytes(figures, suffix))
            except KeyboardInterrupt as error:
                error.args = (_DRAWING,)
                raise
    except ChartError as error:
        complain(str(error))


_REFRESHED = 0.05  # seconds between two updates of a bar


@contextmanager
def progress_bar(*, shown: bool, doing: str = "resampling") -> Iterator[Progress | None]:
    """Yield a function that reports progress on standard error, with a bar on a terminal and lines elsewhere.

    Yield None if progress is not shown.
    """
    if not (shown and sys.stderr is not None):
        yield None
        return
    if not sys.stderr.isatty():
        now = time.monotonic()
        yield ProgressLines(doing, now, now).advance
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        shown_at = -_REFRESHED

        def advance(done: int, total: int) -> None:
            nonlocal shown_at
            now = time.monotonic()
            if done < total and now - shown_at < _REFRESHED:
                return
            shown_at = now
            # The bar moves back and forth until the next stage reports progress.
            bar.update(task, completed=done, total=None if done >= total else total)

        yield advance


@dataclass
class ProgressLines:
    """Progress lines on standard error for logs: the first after ten seconds, then at most one every ten seconds.

    Between lines, a tenth of the work or a minute passes, so that logs of long runs stay short.
    """

    FIRST, LEAST, MOST = 10.0, 10.0, 60.0  # seconds

    doing: str
    start: float
    last: float
    share: float = 0.0
    clock: Callable[[], float] = time.monotonic

    def advance(self, done: int, total: int) -> None:
        """Print the progress, if a line is due."""
        now = self.clock()
        share = done / total if total else 0.0
        if share < self.share:  # the next of several runs
            self.share = 0.0
        waited = now - self.last
        if now - self.start < self.FIRST or waited < self.LEAST:
            return
        if waited < self.MOST and share - self.share < 0.1 - 1e-9:
            return
        self.last, self.share = now, share
        complain(f"outscore: {self.doing}, {share:.0%} after {now - self.start:.0f} s")


@dataclass(frozen=True)
class Writes(WritesOptionsOfCommands):
    """Output files and formats."""

    @property
    def chosen(self) -> str:
        """The format. Raise OptionError if the output file has an unknown suffix, or a bare table is not LaTeX."""
        chosen = self.format or ("text" if self.output is None else format_of_file(self.output, FORMATS))
        if self.bare and "bare" not in FORMATS[chosen].options:
            what = f"applies only to LaTeX and Typst, got the format {chosen}"
            raise OptionError(Problem("--bare", what, "Add --format latex.", "not-latex"))
        return chosen

    @property
    def printed(self) -> bool:
        """Whether the result is printed to standard output."""
        return self.output in (None, "-")


@contextmanager
def writing(writes: Writes, *, table: str | None = None, methods: bool = False) -> Iterator[Callable[..., None]]:
    """Yield a function that writes results. All files are written atomically.

    Its arguments are the results, one per metric; `items`, the items that an HTML report shows of each result;
    `chart_of`, the content of the chart; `rendered`, called when the parts of results that are shown are computed, and
    nothing is written yet; and further fields of the layout.

    With `table` only the table of systems and metrics is written, with `methods` only the paragraph on methods. Raise
    OptionError if a suffix is unknown, two outputs have the same name, or a binary format would be printed to a
    terminal. For further errors see `destination` and `chart_destination`.
    """
    chosen = writes.chosen
    if table is not None and methods:
        raise OptionError(Problem("--table", "cannot be combined with --methods", "Leave one of them out.", "usage"))
    if table is not None and FORMATS[chosen].medium is None:
        what = f"{chosen} has no such table"
        names_of_formats = ", ".join(name for name, format_ in FORMATS.items() if format_.medium)
        raise OptionError(Problem("--table", what, f"Choose one of the formats {names_of_formats}.", "no-table"))
    if FORMATS[chosen].binary:
        if writes.printed and sys.stdout is not None and sys.stdout.isatty():
            what = f"{chosen} is binary and cannot be printed to a terminal"
            raise OptionError(Problem("--format", what, "Pass a file with -o.", "terminal"))
        parquet_library("--format")
    if writes.title is not None and writes.report is None:
        raise OptionError(Problem("--title", "a title is shown in a report", "Add --report FILE.", "usage"))
    with ExitStack() as stack:
        draw = None if writes.chart is None else stack.enter_context(chart_destination(writes.chart))
        write = stack.enter_context(destination(writes.output, binary=FORMATS[chosen].binary))
        write_page = None if writes.report is None else stack.enter_context(destination(writes.report, "--report"))

        def write_all(
            *results: Any,
            items: Sequence[Any] | None = None,
            chart_of: str = "scores",
            rendered: Callable[[], None] = lambda: None,
            **layout: Any,
        ) -> None:
            if draw is not None:
                draw(drawn_figures(results, chart_of))
            page = ""
            if write_page is not None:
                from outscore.reports.html import results_to_html

                page = results_to_html(results, items, title=writes.title)
            if chosen == "text":
                layout |= terminal_layout(to_file=writes.output is not None)
            if chosen == "text" and writes.quiet and table is None and not methods:
                text = "".join(f"{answer}\n" for answer in answers(results))
            else:
                text = report(results, chosen, bare=writes.bare, table=table, methods=methods, **layout)
            rendered()
            if write_page is not None:
                write_page(page)
            write(text)

        yield write_all
