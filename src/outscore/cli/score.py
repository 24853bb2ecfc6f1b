"""`outscore score`: the score of each system, with its interval."""

from __future__ import annotations

from typing import Any

from outscore.asking import ask_scores
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.data.coercion import whole_number
from outscore.readers.reading import Files, Work


@arguments.from_table(
    "systems reads method n_resamples seed jobs executor best_of alpha confidence_level methods details writes"
)
def score(
    *systems: str,
    reads: SystemReads | None = None,
    n_resamples: str = "100000",
    seed: str | None = None,
    jobs: int | None = None,
    executor: str | None = None,
    methods: bool = False,
    details: bool = False,
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """Score systems on each metric, with confidence intervals.

    Binary items have Clopper-Pearson intervals, or Korn-Graubard intervals with clusters, strata or weights. Means and
    ratios with a known range have the interval of the score test. All other metrics have the interval of the
    skewness-corrected t-test. To test which of two systems is better, use outscore compare.

    Parameters
    ----------
    systems
        Files of the systems, or one leaderboard file. Without clusters and strata, systems may have different items.
    reads
        How systems are read.
    writes
        Output files and formats.
    """
    reads, writes = reads or SystemReads(), writes or Writes()
    with writing(writes, methods=methods) as write:
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
