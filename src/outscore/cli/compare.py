"""`outscore compare`: one baseline, one or several candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from outscore.arguments import alpha_of, are_all, listed_tests, refuse_against, refuse_tasks, run_sd_of, tasks_of
from outscore.cli.arguments import cluster_of, computing, option, processes_and_threads, resampling_of
from outscore.cli.output import FormatName, Writes, progress_bar, writing
from outscore.cli.reading import SystemReads, refuse_mistaken
from outscore.cli.unknown_options import refuse_options
from outscore.data.coercion import number
from outscore.design.scores import Systems
from outscore.errors import OptionError, Problem
from outscore.questions.comparing import compare_scores
from outscore.questions.item_tables import ScoredItems
from outscore.questions.settings import Settings
from outscore.readers.door import read_compared, read_systems, refuse_without_baseline
from outscore.readers.files import refuse_written
from outscore.readers.reading import Work, system_files
from outscore.results import (
    Alternative,
    Claim,
    Estimator,
    IntervalMethod,
    Method,
    RunLaw,
    Ties,
    Unit,
)
from outscore.results.items import MOST_ITEMS
from outscore.significance import EMULATIONS

OPTION = "--emulate sacrebleu"


def tests_beside_sacrebleu(
    tests: Sequence[str] | None,
    alternative: Alternative | None,
    claim: Claim,
    unit: Unit,
    clusters: str | None,
) -> Sequence[str]:
    """Return the names of the tests: the sound ones, of which the first gives the verdict, then sacreBLEU's.

    Parameters
    ----------
    tests, alternative, clusters : optional
        What was asked for by options of their own.
    claim : Claim
    unit : Unit

    Raises
    ------
    OptionError
        Other tests, one side, a claim with a margin, or units other than items.
    """
    if tests is not None:
        named = ",".join(tests)
        what = f"it names its tests itself, and cannot be combined with --test {named}"
        advice = (
            "Leave one of them out; --test takes sacrebleu-bootstrap and sacrebleu-randomization after a sound test."
        )
        raise OptionError(Problem(OPTION, what, advice, "emulate-with-test"))
    if alternative not in (None, Alternative.TWO_SIDED):
        what = f"sacreBLEU's tests are two-sided, got --alternative {alternative}"
        raise OptionError(Problem(OPTION, what, "Leave --alternative out.", "emulate-one-sided"))
    if claim is not Claim.BETTER:
        what = f"sacreBLEU's tests know no margin, got --claim {claim}"
        raise OptionError(Problem(OPTION, what, "Leave --claim out, or --emulate.", "emulate-with-claim"))
    if unit is not Unit.ITEM or clusters is not None:
        named = f"--unit {unit}" if clusters is None else f"--cluster {clusters}"
        what = f"sacreBLEU resamples and swaps single segments, got {named}"
        raise OptionError(Problem(OPTION, what, f"Leave {named.split()[0]} out, or --emulate.", "emulate-other-units"))
    return ("bootstrap", "randomization", *EMULATIONS)


_DEFAULT_TESTS = {Unit.ITEM: "auto", Unit.RESPONSE: "auto,randomization"}


def compare(
    *systems: Annotated[str, option(name="SYSTEM", allow_leading_hyphen=True)],
    baseline: str | None = None,
    reads: SystemReads | None = None,
    unit: Unit = Unit.ITEM,
    test: Annotated[list[str] | None, option(alias="-t", negative="")] = None,
    emulate: Literal["sacrebleu"] | None = None,
    method: Method = Method.AUTO,
    n_resamples: Annotated[str, option(allow_leading_hyphen=True)] = "100000",
    seed: Annotated[str | None, option(allow_leading_hyphen=True)] = None,
    jobs: int | None = None,
    executor: Annotated[str | None, option(allow_leading_hyphen=True)] = None,
    alternative: Alternative | None = None,
    ties: Ties = Ties.COUNT,
    estimator: Estimator = Estimator.ADD_ONE,
    claim: Claim = Claim.BETTER,
    margin: Annotated[str | None, option(allow_leading_hyphen=True)] = None,
    alpha: float | None = None,
    confidence_level: float | None = None,
    interval: IntervalMethod = IntervalMethod.TEST,
    double_check: Annotated[bool, option(negative="")] = False,
    run_law: RunLaw = RunLaw.SATTERTHWAITE,
    run_sd: Annotated[str | None, option(allow_leading_hyphen=True)] = None,
    tasks: Literal["count", "fixed", "random"] | None = None,
    combination: Literal["bonferroni", "fisher"] = "bonferroni",
    unpaired: Annotated[bool, option(negative="")] = False,
    against: Annotated[str | None, option(allow_leading_hyphen=True)] = None,
    details: Annotated[bool, option(negative="")] = False,
    bare: Annotated[bool, option(negative="")] = False,
    format: FormatName | None = None,  # noqa: A002 - the option's name
    output: Annotated[str | None, option(alias="-o", allow_leading_hyphen=True)] = None,
    report: str | None = None,
    source: str | None = None,
    chart: str | None = None,
    quiet: Annotated[bool, option(alias="-q", negative="")] = False,
) -> None:
    """Compare candidates with a baseline: a real gain, or chance.

    Each system is a file: one score a line, or CSV, TSV, JSONL, Parquet with a column of scores and
    perhaps one of item ids; .gz is read, - is standard input, FILE:COLUMN names the column of a table, NAME=FILE says
    what it is called. With --reference it is a file of outputs. Rows that "outscore rows" kept need neither metric nor
    reference. A folder stands for its files; a board, or one table of all systems, goes with --baseline.

    Parameters
    ----------
    systems
        The system to beat, then the systems claimed to be better, each compared with it; Holm's correction is applied
        where they are several. Or a board, a table of all systems or a folder, with --baseline.
    baseline
        The system to beat, by its name or file; all others are candidates. Default: the first one named.
    reads
        How systems are read.
    unit
        response: beside the verdict, which is that of items (or clusters), a randomization that swaps every response
        by itself, as Yeh did: each span, bracket, attachment or link that one system gave and the other did not.
    test
        A test; may be repeated; the first gives the verdict. By default auto: randomization (exact) for items scored 0
        or 1 without clusters, binomial (exact) for such items with --against, else skew-t, a t-test corrected for
        skewness; with a margin score, where the range of the scores is known. The bootstrap is shown beside it. Others:
        bootstrap, bootstrap-uncentred, paired-t, cr2-t, sign, wilcoxon, mcnemar, two-sample-t, two-proportion,
        chi-squared, or all; of random runs or templates crossed-t, permute-runs, pigeonhole; of two crossed clusterings
        two-way-t.
    emulate
        sacrebleu: bootstrap and randomization, two-sided, and beside them the p-values of sacreBLEU's formula, with
        what makes them differ.
    method
        auto: exact wherever possible; exact: or an error; monte-carlo: sampled.
    n_resamples
        Resamples where p-values are sampled; 1e6 is understood.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads for resampling (default: one), and processes for scoring outputs where that pays (default: one for each
        core). The result does not depend on it.
    executor
        The cluster that resamples: dask://HOST:PORT, the scheduler of Dask. Default: $OUTSCORE_EXECUTOR, or none. The
        result does not depend on it.
    alternative
        About the gain, which is positive where the candidate is better. Default: two-sided; greater and less are for a
        direction that was fixed before looking.
    ties
        Whether a replicate equal to the threshold counts (>=) or not (>).
    estimator
        Of sampled p-values: add-one (c+1)/(r+1), or plain c/r.
    claim
        What is claimed of the candidate; not-worse and equivalent need a margin.
    margin
        The largest loss that would not matter, in the unit of the score: of a share such as accuracy, or of scores
        that are 0 or 1, 1% or 0.01, of a metric such as BLEU 1 for one point.
    alpha
        Level of the verdict; the interval's confidence level is 1 - alpha. Default: 0.05.
    confidence_level
        The same, the other way round: 0.95 is --alpha 0.05.
    interval
        test: all gains that the test of the verdict does not reject. Or one from the bootstrap law.
    double_check
        Compute resampling tests a second time, another way, and show both.
    run_law
        Of the crossed t test of random runs; fiducial keeps its level with two runs, too, and finds less.
    run_sd
        Where a system has one run: the standard deviation of its score from run to run, as published, or borrowed from
        the other system.
    tasks
        With --test-set, what is claimed. count (default): on at least how many test sets the candidate is better, and
        on which; fixed: of their average; random: of other tasks like these.
    combination
        Of the p-values of test sets; fisher counts more, of independent ones.
    unpaired
        The systems were scored on different items: two independent samples. Tests are then welch (the default),
        rank-sum and label-permutation, and the score has to be the mean of the items' own.
    against
        A constant in the place of the baseline, in the unit of the score: of preferences (1, 0.5 for a tie, 0) 0.5. All
        systems are then candidates, and one is enough.
    details
        Show of several candidates or metrics not only the table, but each by itself, too.
    bare
        In LaTeX: the tabular alone, without a table around it.
    format
        Default: text, or what the name of the output file says (.txt, .json, .csv, .parquet, .md, .tex). CSV and
        Parquet hold one row a metric, candidate and test. every-eval-ever is one record a system: an array of them, or
        a file each where the output is a folder.
    output
        Write to this file; whole, or not at all.
    report
        Write a page (HTML) to this file: one file that loads nothing, with the law of
        the gain, the tests and the items.
    source
        For the report: a file of one source text an item, such as what was to be translated.
    chart
        Draw into this file: .svg, .png, .pdf, .html or .json. One comparison: the bootstrap distribution of the gain.
        Several candidates or test sets: a forest plot, one row per comparison with its gain, interval and a line at 0.
        Several metrics: a panel each.
    quiet
        Print only the sentence of each comparison, and no progress.
    """
    reads = reads or SystemReads()
    reading, references, cluster = reads.reading, reads.references, cluster_of(executor)
    writes = Writes(format, bare, output, report, chart, quiet)
    refuse_against(against, baseline=baseline is not None, unpaired=unpaired, responses=unit is Unit.RESPONSE)
    if unpaired:
        from outscore.questions.unpaired import refuse_of_pairs

        refuse_of_pairs(
            clusters=reading.clusters is not None,
            strata=reading.strata is not None,
            missing=reading.drop_missing or reading.zero_missing,
            **reading.beyond_items,
            unit=unit is not Unit.ITEM,
            emulate=emulate is not None,
            claim=claim is not Claim.BETTER,
            margin=margin is not None,
            method=method is not Method.AUTO,
            interval=interval is not IntervalMethod.TEST,
            double_check=double_check,
            source=source is not None,
        )
        compare_unpaired(
            systems,
            baseline,
            reads,
            tests=test,
            alternative=alternative or Alternative.TWO_SIDED,
            alpha=alpha_of(alpha, confidence_level),
            n_resamples=n_resamples,
            seed=seed,
            jobs=jobs,
            writes=writes,
        )
        return
    with writing(writes, of_systems=True) as write:
        names: Sequence[str] = [name for text in test or [_DEFAULT_TESTS[unit]] for name in text.split(",")]
        if emulate is not None:
            clusters = " --cluster ".join(reads.cluster) if reads.cluster else None
            names = tests_beside_sacrebleu(test, alternative, claim, unit, clusters)
            alternative = Alternative.TWO_SIDED
        settings = Settings(
            tests=listed_tests(names),
            skip_inapplicable=are_all(names),
            resampling=resampling_of(method, n_resamples, seed),
            alternative=alternative or Alternative.TWO_SIDED,
            ties=ties,
            estimator=estimator,
            claim=claim,
            margin=None if margin is None else number(margin, "--margin"),
            alpha=alpha_of(alpha, confidence_level),
            interval=interval,
            double_check=double_check,
            unit=unit,
            run_law=run_law,
            run_sd=run_sd_of(run_sd),
        )
        processes, threads = processes_and_threads(jobs)
        refuse_options(systems, "compare", beside=[*references, *([] if source is None else [source])])
        refuse_mistaken(systems, metrics=reads.metric or (), references=references, tests=test or ())
        if source is not None and report is None:
            raise OptionError(Problem("--source", "sources are shown in a report", "Add --report FILE.", "usage"))
        if source is not None:
            refuse_written(source)  # it is read last
        with progress_bar(shown=not quiet and bool(references), doing="scoring") as scored:
            work = Work(unit is Unit.RESPONSE, source, processes, scored)
            read = read_files(systems, baseline, reads, work, alone=against is not None)
            texts = None if report is None or read.texts is None else read.texts()  # before anything is computed
        scores = read.paired()
        if against is not None:
            scores = scores.against(against)
        known = ScoredItems(scores, None if texts is None else lambda: texts, read.read_texts)
        with computing(threads, cluster) as running:
            with progress_bar(shown=not quiet) as progress:
                resampling = replace(settings.resampling, executor=running, progress=progress)
                settings = replace(settings, resampling=resampling)
                if scores.design.test_sets is not None:
                    from outscore.questions.test_sets import compare_test_sets

                    write(*compare_test_sets(scores, settings, tasks_of(tasks), combination, margin), details=details)
                    return
                refuse_tasks(tasks)
                results = compare_scores(scores, settings, margin)
            pairs = [(0, place) for place in range(1, len(scores))]
            shown = [] if report is None else range(len(scores.metrics))
            items = [known.tables(place, pairs, MOST_ITEMS) for place in shown]
            write(*results, items=items, details=details)


def plain_comparison(argv: Sequence[str]) -> Callable[[], None] | None:
    """Return the comparison of files on metrics that arguments name, or None where they say more than that.

    It is what cyclopts makes of the same arguments. To import that, and to have it look through sixty options, takes
    as long as such a comparison does.
    """
    words = iter(argv)
    systems: list[str] = []
    metrics: list[str] = []
    for word in words:
        named = word in ("-m", "--metric")
        value = next(words, "") if named else word
        if not value[:1].isalnum() and value[:1] not in {".", "/"}:
            return None
        (metrics if named else systems).append(value)
    return partial(compare, *systems, reads=SystemReads(metric=metrics or None))


def read_files(
    systems: Sequence[str], baseline: str | None, reads: SystemReads, work: Work, *, alone: bool = False
) -> Systems:
    """Return the systems that are named, the baseline first, or `alone` without any.

    Raises
    ------
    OutscoreError
        As `read_compared`.
    """
    sources = system_files(systems)
    if alone:
        if not sources:
            what = "expected at least one system, got none"
            raise OptionError(Problem("outscore compare", what, "Name the file of one.", "no-system"))
        return read_systems(sources, reads.metric or None, reads.reading, one_table=False, work=work)
    refuse_without_baseline(systems, baseline)
    return read_compared(sources, reads.metric or None, reads.reading, baseline, work)


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
    from outscore.questions.unpaired import compare_samples, samples_of, tests_of_samples

    names = tests_of_samples(tests)
    resampling = resampling_of(Method.AUTO, n_resamples, seed)
    refuse_options(systems, "compare", beside=reads.references)
    refuse_mistaken(systems, metrics=reads.metric or (), references=reads.references)
    with writing(writes, of_systems=True) as write:
        with progress_bar(shown=not writes.quiet and bool(reads.references), doing="scoring") as scored:
            work = Work(jobs=processes_and_threads(jobs)[0], progress=scored)
            read = read_files(systems, baseline, reads, work)
        if len(read.metrics) > 1:
            what = f"expected one metric with --unpaired, got {len(read.metrics)}"
            raise OptionError(Problem("--metric", what, "Compare on one at a time.", "several-metrics"))
        with progress_bar(shown=not writes.quiet) as progress:
            resampling = replace(resampling, progress=progress)
            result = compare_samples(*samples_of(read), names, alternative, alpha, resampling, notes=read.notes)
        write(result)
