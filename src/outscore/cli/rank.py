"""`outscore rank`: many systems, every pair."""

from __future__ import annotations

from typing import Any

from outscore.asking import ask_ranking
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import BoardReads
from outscore.readers.reading import Files, Work
from outscore.results import Alternative


@arguments.from_table("rank", alternative=Alternative.TWO_SIDED)
def rank(
    *systems: str,
    reads: BoardReads | None = None,
    writes: Writes | None = None,
    **options: Any,
) -> None:
    """Rank systems using all pairwise tests, corrected for multiple comparisons.

    Pass one file per system, as for outscore compare, or a folder of such files. Or pass one file for all systems. It
    is a leaderboard file (TOML), a table with the columns system, item and score, or a table with one column per
    system. With -m bradley-terry pass a table of pairwise comparisons with the columns system_a, system_b and outcome
    (1, 0.5 for a tie, 0).

    Parameters
    ----------
    systems
        Files of the systems, or one leaderboard file or table.
    reads
        How systems are read.
    writes
        Output files and formats.
    n_resamples
        Maximum number of bootstrap samples or permutations, such as 1e6. It also limits the normal samples of P(best)
        and max-T.
    alternative
        Direction of the test. Use two-sided, because the data decide which system of a pair scores better. greater
        reproduces BK12.
    alpha
        Significance level of ranks and groups (default: 0.05). Intervals have the confidence level 1 - alpha.
    interval
        Interval of the gains of pairs. test: all gains that the first test does not reject. The others come from the
        bootstrap distribution.
    emulate
        Also print what WMT's rule would conclude from human scores. wmt24: Wilcoxon tests per domain, combined.
        wmt25: Wilcoxon test over segments. wmt26: bootstrap over segments. It is never the verdict.
    tasks
        Claim about several datasets (--test-set). count: one ranking per dataset. fixed: the same, and a ranking by
        their average. random: one ranking per dataset, and a ranking for other datasets like these.
    """
    reads = reads or BoardReads()
    writes = writes or Writes()
    values = arguments.values_of("rank", options)
    with writing(writes, table=values["table"], methods=values["methods"]) as write:
        processes, pool = arguments.computing(values.pop("jobs"), values.pop("executor"))
        question = ask_ranking(**arguments.taken_by("rank", values))
        refuse_mistaken(systems, "rank", metrics=reads.metric, references=reads.reference, tests=values["tests"])
        with progress_bar(shown=not writes.quiet, doing="scoring") as scored:
            work = Work(jobs=processes, progress=scored)
            read = question.read(Files(systems), reads.metric or None, reads.reading, work)
        with pool as running:
            with progress_bar(shown=not writes.quiet) as progress:
                rankings = question.answer(read, running, progress)
            write(*rankings, **{name: values[name] for name in ("chart_of", "pairs", "details")})
