"""`outscore compare --unpaired`: systems that were scored on items of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.cli.arguments import processes_and_threads
from outscore.cli.arguments import seed as parse_seed
from outscore.cli.compared import read_compared
from outscore.cli.output import progress_bar
from outscore.cli.overviews import Writes, writing
from outscore.cli.systems import refuse_mistaken, refuse_options
from outscore.errors import OptionError, Problem
from outscore.given import whole_number
from outscore.readers import Tables
from outscore.readers.inputs import Reading
from outscore.results import Alternative
from outscore.significance import Resampling
from outscore.significance.unpaired import compare_samples, unpaired_test_named

__all__ = ["compare_unpaired"]


def compare_unpaired(
    systems: Sequence[str],
    baseline: str | None,
    reading: Reading,
    *,
    tests: Sequence[str],
    alternative: Alternative,
    alpha: float,
    n_resamples: str,
    seed: str | None,
    jobs: int | None,
    writes: Writes,
) -> None:
    """Read systems, compare them as independent samples, and write what was found.

    Raises
    ------
    OutscoreError
        As `read_compared` and `compare_samples`; several metrics.
    """
    named = [unpaired_test_named(name) for given in tests for name in given.split(",")]
    resampling = Resampling(n_resamples=whole_number(n_resamples, "--n-resamples"), seed=parse_seed(seed))
    refuse_options(systems, "compare", beside=reading.references)
    refuse_mistaken(systems, metrics=reading.metrics, references=reading.references)
    with writing(writes) as write:
        with progress_bar(shown=not writes.quiet and bool(reading.references), doing="scoring") as scored:
            read = read_compared(
                systems,
                baseline,
                reading,
                with_responses=False,
                tables=Tables(),
                corpora=None,
                jobs=processes_and_threads(jobs)[0],
                progress=scored,
            )
        if len(read.metrics) > 1:
            what = f"expected one metric with --unpaired, got {len(read.metrics)}"
            raise OptionError(Problem("--metric", what, "Compare on one at a time.", "several-metrics"))
        with progress_bar(shown=not writes.quiet) as progress:
            result = compare_samples(
                read.metrics[0],
                read.rows[0],
                named,
                alternative,
                alpha,
                replace(resampling, progress=progress),
                notes=read.notes,
            )
        write(result)
