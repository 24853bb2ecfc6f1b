"""`outscore score`: systems by themselves, each score with its interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from outscore.arguments import alpha_of
from outscore.cli.arguments import cluster_of, computing, processes_and_threads, resampling_of
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads, refuse_mistaken
from outscore.cli.unknown_options import refuse_options
from outscore.errors import OptionError, Problem
from outscore.readers.door import read_apart
from outscore.readers.reading import Work, system_files
from outscore.results import Method
from outscore.significance.system_scores import score_systems


def score(
    *systems: Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)],
    reads: SystemReads | None = None,
    method: Method = Method.AUTO,
    n_resamples: Annotated[str, Parameter(allow_leading_hyphen=True)] = "100000",
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    jobs: int | None = None,
    executor: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    alpha: float | None = None,
    confidence_level: float | None = None,
    writes: Writes | None = None,
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
    confidence_level
        The same, the other way round: 0.95 is --alpha 0.05.
    writes
        Where the answer goes.
    """
    reads, writes = reads or SystemReads(), writes or Writes()
    with writing(writes, of_systems=True) as write:
        level = alpha_of(alpha, confidence_level)
        resampling = resampling_of(method, n_resamples, seed)
        processes, threads = processes_and_threads(jobs)
        cluster = cluster_of(executor)
        refuse_options(systems, "score", beside=reads.references)
        refuse_mistaken(systems, metrics=reads.metric or (), references=reads.references)
        sources = system_files(systems)
        if not sources:
            what = "expected at least one system, got none"
            raise OptionError(Problem("outscore score", what, "Name the file of one.", "no-system"))
        with progress_bar(shown=not writes.quiet and bool(reads.references), doing="scoring") as scored:
            work = Work(jobs=processes, progress=scored)
            read = read_apart(sources, reads.metric or None, reads.reading, work=work)
        with computing(threads, cluster) as running:
            with progress_bar(shown=not writes.quiet) as progress:
                result = score_systems(read, replace(resampling, executor=running, progress=progress), level)
            write(result)
