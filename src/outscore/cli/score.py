"""`outscore score`: systems by themselves, each score with its interval."""

from __future__ import annotations

from typing import Any

from outscore.asking import ask_scores
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.data.coercion import whole_number
from outscore.readers.reading import Files, Work


@arguments.from_table("systems reads method n_resamples seed jobs executor alpha confidence_level details writes")
def score(
    *systems: str,
    reads: SystemReads | None = None,
    n_resamples: str = "100000",
    seed: str | None = None,
    jobs: int | None = None,
    executor: str | None = None,
    details: bool = False,
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """Score systems: each score on each metric, with its confidence interval.

    The interval is Clopper and Pearson's for binary items, and Korn and Graubard's in clusters, strata or with weights.
    Means and ratios with a known range have the interval of the score test, all others that of the skewness-corrected
    t-test. Use outscore compare to find out which of two systems is better.

    Parameters
    ----------
    systems
        Files of the systems, or one leaderboard file. Without clusters and strata each system may have its own items.
    reads
        How systems are read.
    writes
        Where the answer goes.
    """
    reads, writes = reads or SystemReads(), writes or Writes()
    with writing(writes, of_systems=True) as write:
        processes, pool = arguments.computing(jobs, executor)
        options |= {"n_resamples": whole_number(n_resamples, "--n-resamples"), "seed": arguments.seed_of(seed)}
        question = ask_scores(**options)
        refuse_mistaken(systems, "score", metrics=reads.metric, references=reads.reference)
        with progress_bar(shown=not writes.quiet and bool(reads.reference), doing="scoring") as scored:
            work = Work(jobs=processes, progress=scored)
            read = question.read(Files(systems), reads.metric or None, reads.reading, work)
        with pool as running:
            with progress_bar(shown=not writes.quiet) as progress:
                results = question.answer(read, running, progress)
            write(*results, details=details)
