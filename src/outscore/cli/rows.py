"""`outscore rows`: score systems once, and keep the sufficient statistics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import destination, progress_bar
from outscore.cli.streams import complain
from outscore.destinations import file_destination
from outscore.errors import FileAccessError, OptionError, Problem
from outscore.metrics import metrics_listed
from outscore.metrics.options import spec_of
from outscore.metrics.outputs import output_metric_named
from outscore.readers.kept.files import check_kept_name, in_file_name
from outscore.readers.kept.rows import KeptRows, packed_rows
from outscore.readers.outputs import rows_to_keep
from outscore.readers.registry import InputFiles
from outscore.readers.scoring import Scoring
from outscore.readers.sources import Source, file_stem, sources_named
from outscore.text.naming import printable
from outscore.text.numbers import format_count, format_counted, score_format


@arguments.from_table("rows")
def rows(
    system: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *more: Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)],
    **options: Any,
) -> None:
    """Score outputs once and keep the sufficient statistics of each item for later commands.

    Pass these files to outscore compare, rank or gate in place of outputs. Each file belongs to one system and one
    metric. It holds the metric's options and a digest of the references. Files with other options or references
    cannot be compared.

    Parameters
    ----------
    system
        Outputs of a system: FILE, FILE:COLUMN or NAME=FILE. - is standard input, and a folder means all its files.
    more
        More systems. Score all systems of a comparison at once, because metrics such as macro-f1 need the labels of
        all.
    """
    values = arguments.values_of("rows", options)
    n_jobs, metric, reference, output, quiet = (
        arguments.processes_of(values["jobs"]),
        *(values[name] for name in ("metric", "references", "output", "quiet")),
    )
    specs = [system, *more]
    refuse_mistaken(specs, "rows", metrics=metric, references=reference)
    systems = sources_named(specs)
    several = next((source for source in systems if source.parts), None)
    if several is not None:
        what = f"expected one file per system, got {len(several.parts)} runs"
        raise OptionError(Problem(several.shown, what, "Pass each run as a system.", "several-runs"))
    metrics = [output_metric_named(name) for text in metric for name in metrics_listed(text)]
    with ExitStack() as stack:
        targets = _targets(stack, output, systems, [spec_of(metric) for metric in metrics])
        writers = [stack.enter_context(file_destination(target)) for target in targets]
        with progress_bar(shown=not quiet, doing="scoring") as progress:
            files, scoring = InputFiles(), Scoring(n_jobs, progress)
            kept = [
                kept_system
                if file.name is None
                else replace(kept_system, rows=replace(kept_system.rows, name=printable(file.name)))
                for metric in metrics
                for kept_system, file in zip(
                    rows_to_keep(
                        systems,
                        reference,
                        metric,
                        format_name=values["input_format"],
                        scoring=scoring,
                        files=files,
                    ),
                    systems,
                    strict=True,
                )
            ]
        for kept_system, write in zip(kept, writers, strict=True):
            write(packed_rows(kept_system))
    if not quiet:
        _print(kept, targets)
        for remark in dict.fromkeys(remark for kept_system in kept for remark in _remarks(kept_system)):
            complain(f"warning: {remark}")  # standard output is the table


def _targets(stack: ExitStack, output: str, systems: Sequence[Source], metrics: Sequence[str]) -> list[str]:
    """Return the names of the files to write, metric by metric."""
    if not (output.endswith(("/", os.sep)) or Path(output).is_dir()):
        if len(systems) > 1 or len(metrics) > 1:
            counts = f"{format_counted(len(systems), 'system')} and {format_counted(len(metrics), 'metric')}"
            what = f"expected a folder for {counts}, got a file"
            raise OptionError(Problem(printable(output), what, "End the name of a folder with /.", "several-files"))
        check_kept_name(output)
        return [output]
    called = [file_stem(file.spec) if file.name is None else in_file_name(file.name) for file in systems]
    names = [f"{name}.{in_file_name(metric)}.npz" for metric in metrics for name in called]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        what = f"two files would have the name {printable(twice)}"
        raise OptionError(Problem(printable(output), what, "Write them to different folders.", "same-name"))
    stack.enter_context(_folder(output))
    return [str(Path(output) / name) for name in names]


@contextmanager
def _folder(path: str) -> Iterator[None]:
    """Create a folder, and remove it if it stays empty."""
    folder = Path(path)
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileAccessError(
            Problem(printable(path), f"cannot create folder: {reason}", "Pass another one with -o.", "cannot-write")
        ) from None
    try:
        yield
    finally:
        if made:
            with suppress(OSError):
                folder.rmdir()


def _remarks(kept: KeptRows) -> Sequence[str]:
    """Return the remarks on the scoring of a system."""
    return [*kept.metric.origin.remarks, *(f"{kept.rows.name}: {remark}" for remark in kept.rows.remarks)]


def _print(kept: Sequence[KeptRows], targets: Sequence[str]) -> None:
    """Print one line per file: system, metric, number of items, score, name of the file."""
    scores = [kept_system.metric.score_of_set(kept_system.rows.values) for kept_system in kept]
    lines = [("system", "metric", "items", "score", "file")]
    for kept_system, score, target in zip(kept, scores, targets, strict=True):
        percentage = kept_system.metric.as_percentage
        alike = [value for other, value in zip(kept, scores, strict=True) if other.named == kept_system.named]
        written = score_format(alike, [], percentage=percentage).score(score)
        metric = spec_of(kept_system.named) + (" in %" if percentage else "")
        lines.append((kept_system.rows.name, metric, format_count(len(kept_system.rows)), written, printable(target)))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    with destination(None) as write:
        for name, metric, items, score_text, file in lines:
            start = f"{name:<{widths[0]}}  {metric:<{widths[1]}}"
            write(f"{start}  {items:>{widths[2]}}  {score_text:>{widths[3]}}  {file}\n")
