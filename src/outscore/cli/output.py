"""Where answers go: standard output, or files that are written whole or not at all; and how far the work is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from outscore.cli import arguments
from outscore.cli.streams import complain
from outscore.errors import FileAccessError, OptionError, Problem
from outscore.reports import FORMATS, answers, report
from outscore.reports import chart_of as chart_of_results
from outscore.results.record import parquet_library
from outscore.text.naming import printable
from outscore.wings import from_wing

if TYPE_CHECKING:
    from outscore.laws.resampling import Progress

PIPED_WIDTH = 80
FormatName: TypeAlias = Literal[
    "text", "json", "csv", "parquet", "markdown", "latex", "typst", "html", "every-eval-ever"
]
RECORDS: FormatName = "every-eval-ever"
FORMAT_OF_SUFFIX = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}


def terminal_layout(*, to_file: bool) -> dict[str, Any]:
    """Return how wide text is for standard output or for a UTF-8 file, and what it may contain: fields of a layout."""
    if to_file or sys.stdout is None:
        return {"width": PIPED_WIDTH}
    terminal = sys.stdout.isatty()
    width = PIPED_WIDTH
    if terminal or "COLUMNS" in os.environ:
        import shutil  # and with it all that unpacks archives

        width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns
    try:
        "█▁─δ±".encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return {"width": width, "color": color, "ascii_only": ascii_only}


def format_of_file(output: str, formats: Collection[str]) -> str:
    """Return the format that the name of the output file says, one of those that the command writes.

    Raises
    ------
    OptionError
        A name that says none of them.
    """
    suffix = PurePath(output).suffix.lower()
    named = FORMAT_OF_SUFFIX.get(suffix)
    if named is None or named not in formats:
        known = ", ".join(end for end, name in FORMAT_OF_SUFFIX.items() if end and name in formats)
        what = f'expected a name that ends in one of {known}, got "{printable(suffix)}"'
        page = suffix in (".html", ".htm")
        advice = "Name the format with --format."
        if page:
            advice = "Write an HTML report with --report, or only its tables with --format html."
        raise OptionError(Problem("--output", what, advice, "unknown-format"))
    return named


@contextmanager
def destination(path: str | None, option: str = "-o", *, binary: bool = False) -> Iterator[Callable[[Any], object]]:
    """Yield a function that writes the report, text or bytes, to `path` or to standard output.

    A file is opened before anything is computed, under another name, and takes its own once it is complete:
    an error or an interruption leaves no half-written file, and an old file as it was. Until then it can neither be
    read nor be written by another option: who reads it meets an error before anything is lost.

    Parameters
    ----------
    path : str or None
    option : str
        That names the file, for messages.
    binary : bool
        Whether bytes are written.

    Raises
    ------
    FileAccessError
        Where the file cannot be written.
    OptionError
        Where another option writes it.
    """
    suffix = PurePath(path or "").suffix.lower()
    if option == "--report" and suffix == ".pdf":
        what = f'a report is an HTML page: expected a name that ends in .html, got "{printable(suffix)}"'
        raise OptionError(Problem(option, what, "Other formats are written by -o.", "unknown-format"))
    if path is None or path == "-":
        if sys.stdout is None:
            raise FileAccessError(Problem("standard output", "is closed", "Name a file with -o.", "cannot-write"))
        yield sys.stdout.buffer.write if binary else sys.stdout.write
        return
    from outscore.destinations import file_destination  # it imports what makes temporary files

    with file_destination(path, option) as write:
        yield lambda data: write(data.encode() if isinstance(data, str) else data)


@contextmanager
def chart_destination(path: str) -> Iterator[Callable[[Any], None]]:
    """Yield a function that draws an Altair chart into a file, in the format that its name says.

    Raises
    ------
    OptionError
        A name that says no format.
    FileAccessError
        Where the file cannot be written.
    MissingDependencyError
        Without Altair and vl-convert.
    """
    from outscore.destinations import file_destination
    from outscore.reports.charts import chart_bytes, checked_suffix

    suffix = checked_suffix(PurePath(path).suffix)
    with file_destination(path, "--chart") as write:
        yield lambda chart: write(chart_bytes(chart, suffix))


_REFRESHED = 0.05  # seconds between two states of a bar


@contextmanager
def progress_bar(*, shown: bool, doing: str = "resampling") -> Iterator[Progress | None]:
    """Yield what reports progress on standard error: by a bar on a terminal, by a line now and then elsewhere.

    None where nothing is to be shown.
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
            # Until the next stage reports something the bar moves back and forth.
            bar.update(task, completed=done, total=None if done >= total else total)

        yield advance


@dataclass
class ProgressLines:
    """Plain lines on standard error for logs: the first after ten seconds, then one each ten seconds at most.

    What is done sooner says nothing. A log of hours is spared by waiting for a tenth of the work, or a minute.
    """

    FIRST, LEAST, MOST = 10.0, 10.0, 60.0  # seconds

    doing: str
    start: float
    last: float
    share: float = 0.0
    clock: Callable[[], float] = time.monotonic

    def advance(self, done: int, total: int) -> None:
        """Tell how much is done, if it is time to."""
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


@arguments.from_table()
@dataclass(frozen=True)
class Writes:
    """Where the answer goes."""

    format: FormatName | None = None
    bare: bool = False
    output: str | None = None
    report: str | None = None
    chart: str | None = None
    quiet: bool = False

    @property
    def chosen(self) -> str:
        """The format.

        Raises
        ------
        OptionError
            A name of the output file that says none; a bare table of another format than LaTeX.
        """
        chosen = self.format or ("text" if self.output is None else format_of_file(self.output, FORMATS))
        if self.bare and not FORMATS[chosen].bare:
            what = f"applies to LaTeX and Typst, and the format is {chosen}"
            raise OptionError(Problem("--bare", what, "Add --format latex.", "not-latex"))
        return chosen

    @property
    def printed(self) -> bool:
        """Whether the answer goes to standard output."""
        return self.output in (None, "-")


@contextmanager
def writing(writes: Writes, *, of_systems: bool = False, table: str | None = None) -> Iterator[Callable[..., None]]:
    """Yield what writes results; all files are whole, or not there.

    It takes the results, one a metric, and by their names `items`, those that a page shows of each result; `chart_of`,
    what the chart shows; and what else the layout of a report has.

    Parameters
    ----------
    writes : Writes
    of_systems : bool
        Whether results hold scores of systems: Every Eval Ever has nothing else.
    table : {"scores", "intervals"}, optional
        Write only the table of systems and metrics.

    Raises
    ------
    OptionError
        A name that says no format, or that of another output; a format that does not hold such results, or that no
        terminal shows.
    FileAccessError, MissingDependencyError
        As `destination` and `chart_destination`.
    """
    chosen = writes.chosen
    if chosen == RECORDS and not of_systems:
        what = "Every Eval Ever holds scores of systems, and here there are none"
        raise OptionError(Problem("--format", what, "Use it with outscore score, rank or compare.", "no-scores"))
    if table is not None and not FORMATS[chosen].tables:
        what = f"{chosen} has no such table"
        known = ", ".join(name for name, one in FORMATS.items() if one.tables)
        raise OptionError(Problem("--table", what, f"Choose one of the formats {known}.", "no-table"))
    if FORMATS[chosen].binary:
        if writes.printed and sys.stdout is not None and sys.stdout.isatty():
            what = f"{chosen} is binary, and standard output is a terminal"
            raise OptionError(Problem("--format", what, "Name a file with -o.", "terminal"))
        parquet_library("--format")
    folder = _folder_of_records(writes) if chosen == RECORDS else None
    with ExitStack() as stack:
        write = stack.enter_context(
            destination(None if folder is not None else writes.output, binary=FORMATS[chosen].binary)
        )
        write_page = None if writes.report is None else stack.enter_context(destination(writes.report, "--report"))
        draw = None if writes.chart is None else stack.enter_context(chart_destination(writes.chart))

        def write_all(
            *results: Any,
            items: Sequence[Any] | None = None,
            chart_of: str = "scores",
            **layout: Any,
        ) -> None:
            if draw is not None:
                draw(chart_of_results(results, chart_of))
            if write_page is not None:
                from outscore.reports.html import results_to_html

                write_page(results_to_html(results, items))
            if folder is not None:
                _write_records(results, folder)
                return
            if chosen == "text" and writes.quiet and table is None:
                write("".join(f"{answer}\n" for answer in answers(results)))
                return
            if chosen == "text":
                layout |= terminal_layout(to_file=writes.output is not None)
            write(report(results, chosen, bare=writes.bare, table=table, **layout))

        yield write_all


def _folder_of_records(writes: Writes) -> Path | None:
    """Return the folder that the output is, where it is one."""
    name = writes.output or ""
    return Path(name) if name.endswith(("/", os.sep)) or (name and Path(name).is_dir()) else None


def _write_records(results: Sequence[Any], folder: Path) -> None:
    """Write a file a system, where Every Eval Ever looks for it below ``data/BENCHMARK/``."""
    from outscore.destinations import cannot_write, file_destination

    results_to_records, file_of_record, record_text = (
        from_wing(f"logs.harnesses.every_eval_ever_writer:{name}")
        for name in ("results_to_records", "file_of_record", "record_text")
    )
    for record in results_to_records(results):
        path = folder.joinpath(*file_of_record(record))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(str(path.parent), "-o", error) from None
        with file_destination(str(path)) as write:
            write(record_text(record).encode())
