"""`outscore rank`: many systems, every pair."""

from __future__ import annotations

from typing import Any

from outscore.asking import ask_ranking
from outscore.cli import arguments
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import BoardReads
from outscore.data.coercion import whole_number
from outscore.readers.reading import Files, Work
from outscore.results import Alternative


@arguments.from_table(
    "systems reads test method n_resamples seed jobs executor alternative ties estimator correction max_t alpha "
    "confidence_level interval run_law run_sd tasks pairs details bare format output report chart chart_of quiet",
    alternative=Alternative.TWO_SIDED,
)
def rank(
    *systems: str,
    reads: BoardReads | None = None,
    test: list[str] | None = None,
    n_resamples: str = "100000",
    seed: str | None = None,
    jobs: int | None = None,
    executor: str | None = None,
    pairs: bool = False,
    details: bool = False,
    chart_of: str = "scores",
    **options: Any,
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
    jobs
        As for outscore compare.
    executor
        As for outscore compare.
    alternative
        two-sided, because the data say which system of a pair scores better; greater reproduces BK12.
    alpha
        Level of ranks and groups; the intervals' confidence level is 1 - alpha. Default: 0.05.
    interval
        Of the gains of pairs. test (the default): all gains that the first test does not reject, as compare shows. Or
        from the bootstrap distribution: percentile, basic, bca.
    run_law
        As for outscore compare.
    run_sd
        As for outscore compare.
    tasks
        With --test-set: a ranking on each test set (count), after that by their average (fixed), or with tasks as units
        (random: of other tasks like these).
    details
        Show of several metrics not only the table, but the ranking by each, too.
    format
        Default: text, or what the name of the output file says (.txt, .json, .csv, .parquet, .md, .tex). With csv and
        parquet, --pairs writes one row a pair instead of one row a system. every-eval-ever is one record a system: an
        array of them, or a file each where the output is a folder.
    report
        Write a page (HTML) to this file: one file that loads nothing, with the systems, their scores, and all pairs.
    chart
        Draw into this file: .svg, .png, .pdf, .html or .json.
    quiet
        Print only one sentence, and no progress.
    """
    reads = reads or BoardReads()
    writes = Writes(**{name: options.pop(name) for name in Writes.__annotations__ if name in options})
    with writing(writes, of_systems=True) as write:
        processes, pool = arguments.computing(jobs, executor)
        options |= {"n_resamples": whole_number(n_resamples, "--n-resamples"), "seed": arguments.seed_of(seed)}
        question = ask_ranking(tests=[name for text in test or ["auto"] for name in text.split(",")], **options)
        refuse_mistaken(systems, "rank", metrics=reads.metric, references=reads.reference, tests=test)
        with progress_bar(shown=not writes.quiet, doing="scoring") as scored:
            work = Work(jobs=processes, progress=scored)
            read = question.read(Files(systems), reads.metric or None, reads.reading, work)
        with pool as running:
            with progress_bar(shown=not writes.quiet) as progress:
                rankings = question.answer(read, running, progress)
            write(*rankings, chart_of=chart_of, pairs=pairs, details=details)
