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


@arguments.from_table("systems reads method n_resamples seed jobs executor alpha confidence_level writes")
def score(
    *systems: str,
    reads: SystemReads | None = None,
    n_resamples: str = "100000",
    seed: str | None = None,
    jobs: int | None = None,
    executor: str | None = None,
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """Score systems by themselves: each score on each metric, with its interval.

    Binary items have Clopper and Pearson's exact interval, in clusters, strata or with weights Korn and Graubard's.
    Means and ratios whose range is known have that of the score test, all others that of the skewness-corrected t-test.
    To find out which of two systems is better, use outscore compare, which pairs them.

    Parameters
    ----------
    systems
        The systems' files, as for outscore compare: FILE, FILE:COLUMN or NAME=FILE; a folder stands for its files. Or
        one board (TOML). Without clusters and strata each may have items of its own.
    reads
        How systems are read.
    method
        As for outscore compare. No interval of a score draws resamples.
    n_resamples
        As for outscore compare. No interval of a score draws resamples.
    seed
        As for outscore compare. No interval of a score draws resamples.
    jobs
        As for outscore compare.
    executor
        As for outscore compare.
    alpha
        The intervals' confidence level is 1 - alpha. Default: 0.05.
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
            write(*results)
