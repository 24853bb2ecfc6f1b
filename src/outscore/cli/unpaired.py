"""`outscore compare --unpaired`: systems that were scored on items of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.cli.arguments import processes_and_threads
from outscore.cli.arguments import seed as parse_seed
from outscore.cli.compare import read_files
from outscore.cli.output import progress_bar
from outscore.cli.overviews import Writes, writing
from outscore.cli.reading import SystemReads
from outscore.cli.systems import refuse_mistaken, refuse_options
from outscore.coercion import whole_number
from outscore.errors import OptionError, Problem
from outscore.readers.reading import Work
from outscore.results import Alternative
from outscore.significance import Resampling
from outscore.significance.unpaired import compare_samples, tests_of_samples

__all__ = ["compare_unpaired"]


def compare_unpaired(
    systems: Sequence[str],
    baseline: str | None,
    reads: SystemReads,
    *,
    tests: Sequence[str] | None,
    alternative: Alternative,
    alpha: float,
    n_resamples: str,
    seed: str | None,
    jobs: int | None,
    writes: Writes,
) -> None:
    """Read systems, compare them as independent samples, and write the result.

    Raises
    ------
    OutscoreError
        As `read_compared` and `compare_samples`; several metrics.
    """
    names = tests_of_samples(tests)
    resampling = Resampling(n_resamples=whole_number(n_resamples, "--n-resamples"), seed=parse_seed(seed))
    refuse_options(systems, "compare", beside=reads.references)
    refuse_mistaken(systems, metrics=reads.metric or (), references=reads.references)
    with writing(writes) as write:
        with progress_bar(shown=not writes.quiet and bool(reads.references), doing="scoring") as scored:
            work = Work(jobs=processes_and_threads(jobs)[0], progress=scored)
            read = read_files(systems, baseline, reads, work)
        if len(read.metrics) > 1:
            what = f"expected one metric with --unpaired, got {len(read.metrics)}"
            raise OptionError(Problem("--metric", what, "Compare on one at a time.", "several-metrics"))
        with progress_bar(shown=not writes.quiet) as progress:
            resampling = replace(resampling, progress=progress)
            result = compare_samples(
                read.metrics[0], read.rows[0], names, alternative, alpha, resampling, notes=read.notes
            )
        write(result)
