"""`outscore score`: the score of each system, with its interval."""

from __future__ import annotations

from typing import Any

from outscore.asking import ask_scores
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.readers.reading import Files, Work


@arguments.from_table("score")
def score(
    *systems: str,
    reads: SystemReads | None = None,
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
    values = arguments.values_of("score", options)
    with writing(writes, methods=values["methods"]) as write:
        processes, pool = arguments.computing(values.pop("jobs"), values.pop("executor"))
        question = ask_scores(**arguments.taken_by("score", values))
        refuse_mistaken(systems, "score", metrics=reads.metric, references=reads.reference)
        with progress_bar(shown=not writes.quiet and bool(reads.reference), doing="scoring") as scored:
            work = Work(jobs=processes, progress=scored)
            read = question.read(Files(systems), reads.metric or None, reads.reading, work)
        with pool as running:
            with progress_bar(shown=not writes.quiet) as progress:
                results = question.answer(read, running, progress)
            write(*results, details=values["details"])
