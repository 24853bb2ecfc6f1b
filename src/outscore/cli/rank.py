"""`outscore rank`: many systems, every pair."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from cyclopts import Parameter

from outscore.api import battles_in
from outscore.arguments import alpha_of, refuse_tasks, run_sd_of, tasks_of
from outscore.cli.arguments import cluster_of, computing, processes_and_threads, resampling_of
from outscore.cli.output import FormatName, Writes, progress_bar, writing
from outscore.cli.reading import BoardReads, refuse_mistaken
from outscore.cli.unknown_options import refuse_options
from outscore.design.scores import Scores
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.results import Alternative, Correction, Estimator, IntervalMethod, Method, RunLaw, Ties
from outscore.significance import test_named
from outscore.wings import from_wing


def rank(
    *systems: Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True)],
    reads: BoardReads | None = None,
    test: Annotated[list[str] | None, Parameter(alias="-t", negative="")] = None,
    method: Method = Method.AUTO,
    n_resamples: Annotated[str, Parameter(allow_leading_hyphen=True)] = "100000",
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    jobs: int | None = None,
    executor: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    alternative: Alternative = Alternative.TWO_SIDED,
    ties: Ties = Ties.COUNT,
    estimator: Estimator = Estimator.ADD_ONE,
    correction: Correction | None = None,
    max_t: bool = True,
    alpha: float | None = None,
    confidence_level: float | None = None,
    interval: IntervalMethod = IntervalMethod.TEST,
    run_law: RunLaw = RunLaw.SATTERTHWAITE,
    run_sd: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    tasks: Literal["count", "fixed", "random"] | None = None,
    pairs: Annotated[bool, Parameter(negative="")] = False,
    details: Annotated[bool, Parameter(negative="")] = False,
    bare: Annotated[bool, Parameter(negative="")] = False,
    format: FormatName | None = None,  # noqa: A002 - the option's name
    output: Annotated[str | None, Parameter(alias="-o", allow_leading_hyphen=True)] = None,
    report: str | None = None,
    chart: str | None = None,
    chart_of: Literal["scores", "gains", "p-values"] = "scores",
    quiet: Annotated[bool, Parameter(alias="-q", negative="")] = False,
) -> None:
    """Rank systems: every pair tested on shared draws, corrected for there being many.

    Either one file a system, as for outscore compare, or a folder of them; or one file of all: a board (TOML:
    references, metrics, clusters, strata, and the name, file and family of every system), or a table with the columns
    system, item, score, or with one column a system. With -m bradley-terry one table of battles: the columns system_a,
    system_b, outcome (1, 0.5 for a tie, 0), and the user that --cluster names.

    Parameters
    ----------
    systems
        The systems' files, at least two, each FILE or NAME=FILE; a folder stands for its files. Or one board or table.
    reads
        How systems are read.
    test
        A test; may be repeated; the first one's p-values are corrected, and give ranks and groups. By default the test
        that outscore compare takes.
    method
        auto: exact wherever that is quick; exact: or an error; monte-carlo: sampled.
    n_resamples
        Resamples for sampled p-values and intervals, and normal draws for P(best). Max-T draws at most as many,
        rounded up to a multiple of 8,192; 1e6 is understood.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    jobs
        As for outscore compare.
    executor
        As for outscore compare.
    alternative
        two-sided, because the data say which system of a pair scores better; greater reproduces BK12.
    ties
        Whether a replicate equal to the threshold counts (>=) or not (>).
    estimator
        Of sampled p-values: add-one (c+1)/(r+1), or plain c/r.
    correction
        What ranks and groups go by: max-t (the default with the default test and the bootstrap), holm (the default with
        other tests and with random runs), bh or none.
    max_t
        Whether to compute max-T at all.
    alpha
        Level of ranks and groups; the intervals' confidence level is 1 - alpha. Default: 0.05.
    confidence_level
        The same, the other way round: 0.95 is --alpha 0.05.
    interval
        Of the gains of pairs. test (the default): all gains that the first test does not reject, as compare shows. Or
        from the bootstrap distribution: percentile, basic, bca.
    run_law, run_sd
        As for outscore compare.
    tasks
        With --test-set: a ranking on each test set (count), after that by their average (fixed), or with tasks as units
        (random: of other tasks like these).
    pairs
        List every pair.
    details
        Show of several metrics not only the table, but the ranking by each, too.
    bare
        In LaTeX: the tabular alone, without a table around it.
    format
        Default: text, or what the name of the output file says (.txt, .json, .csv, .parquet, .md, .tex). With csv and
        parquet, --pairs writes one row a pair instead of one row a system. every-eval-ever is one record a system: an
        array of them, or a file each where the output is a folder.
    output
        Write to this file; whole, or not at all.
    report
        Write a page (HTML) to this file: one file that loads nothing, with the systems, their scores, and all pairs.
    chart
        Draw into this file: .svg, .png, .pdf, .html or .json.
    chart_of
        What the chart shows: scores with their intervals; gains against confidence, as BK12's Figure 2; or the
        p-values of all pairs. Several metrics or test sets: a panel each.
    quiet
        Print only one sentence, and no progress.
    """
    reads = reads or BoardReads()
    with writing(Writes(format, bare, output, report, chart, quiet), of_systems=True) as write:
        names = [name for text in test or ["auto"] for name in text.split(",")]
        settings = RankingSettings(
            tests=[test_named(name) for name in names],
            resampling=resampling_of(method, n_resamples, seed),
            alternative=alternative,
            ties=ties,
            estimator=estimator,
            correction=correction,
            max_t=max_t,
            alpha=alpha_of(alpha, confidence_level),
            interval=interval,
            run_law=run_law,
            run_sd=run_sd_of(run_sd),
        )
        processes, threads = processes_and_threads(jobs)
        cluster = cluster_of(executor)
        refuse_options(systems, "rank", beside=reads.reference or ())
        refuse_mistaken(systems, tests=test or ())
        battles = battles_in(systems, reads.metric or None, lambda: reads.reading)
        with progress_bar(shown=not quiet, doing="scoring") as scored:
            scores = battles or reads.scores(systems, jobs=processes, progress=scored)
        with computing(threads, cluster) as running:
            with progress_bar(shown=not quiet) as progress:
                resampling = replace(settings.resampling, executor=running, progress=progress)
                settings = replace(settings, resampling=resampling)
                if not isinstance(scores, Scores):
                    rankings = [from_wing("battles.ranking:rank_battles")(scores, settings)]
                elif scores.design.test_sets is not None:
                    from outscore.questions.test_sets import rank_test_sets

                    rankings = rank_test_sets(scores, settings, tasks_of(tasks))
                else:
                    refuse_tasks(tasks)
                    rankings = rank_scores(scores, settings)
            write(*rankings, chart_of=chart_of, pairs=pairs, details=details)
