"""The library's front doors: systems of any kind to scores, and scores to a result, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from outscore.asking import DEFAULT_SEED, SamplesQuestion, ask_comparison, ask_ranking, ask_scores, read_scores
from outscore.data.coercion import check_kinds
from outscore.data.rows import RunDesign
from outscore.design.options import CROSSED_OPTIONS
from outscore.design.scores import Scores
from outscore.laws.executors import executor_of
from outscore.metrics import AnyMetric
from outscore.questions.item_tables import KnownItems, ScoredItems
from outscore.readers.reading import Reading
from outscore.results import (
    Alternative,
    Claim,
    ComparisonResult,
    ComparisonResults,
    Estimator,
    IntervalMethod,
    Method,
    RunLaw,
    Ties,
    Unit,
)
from outscore.results.shown import Shown, let_know_items
from outscore.significance import SignificanceTest
from outscore.text.naming import nearest

if TYPE_CHECKING:
    from outscore.laws.executors import AnyExecutor
    from outscore.readers.reading import Families
    from outscore.results import Correction, Ranking, Rankings, ScoreResult, UnpairedResult
    from outscore.results.test_sets import Tasks, TestSetsResult


class ReadOptions(TypedDict, total=False):
    """How systems are read: the arguments of `read`, which every function takes that takes systems."""

    references: object
    families: Families
    clusters: object
    strata: object
    collapse_strata: bool
    names: Sequence[str] | None
    input_format: str | None
    lower_is_better: bool
    id_column: str | None
    score_column: str | None
    drop_missing: bool
    skip_unreadable: bool
    run: str | None
    runs: RunDesign | str | None
    reduce: str | None
    pair_runs: bool
    template: str | None
    templates: RunDesign | str | None
    rater: str | None
    raters: RunDesign | str | None
    standardize: Literal["raters"] | None
    zero_missing: bool
    weights: object
    test_sets: object
    task: str | Sequence[str] | None
    total: int | str | None
    duplicates: str | None


def read(*systems: object, metric: object = None, **reading: Unpack[ReadOptions]) -> Scores:
    """Return the scores of systems, paired item by item, for `compare`, `rank`, `score` and studies.

    For a single analysis pass the systems to it directly. To reuse them, call `read` once. Systems are files, data
    frames, arrays, lists or mappings. Items are paired by id if all systems have ids, and by position otherwise.

    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"system": ["old", "old", "new", "new"], "item": ["q1", "q2", "q2", "q1"], "score": [0.2, 0.4, 0.5, 0.3]}
    ... )
    >>> scores = read(frame)
    >>> scores.names, scores.design.n_items
    (('old', 'new'), 2)

    Parameters
    ----------
    *systems : str or path, mapping, data frame, array, list, series or Rows
        One argument that holds all of them, or one argument a system.

        All in one: a mapping from names to systems; a board (TOML); one table of all systems, long (columns system,
        item, score) or wide (one column a system), as a file or a data frame of any library that narwhals knows; a
        folder, which stands for its files; a list of files or of systems; `Scores`, as they are. With `references` as
        the name of a column, a data frame of outputs, one column a system.

        One system: one number an item as an array, list or series, of shape (n, columns) for `ratio` (numerator,
        denominator) and for `precision`, `recall`, `f1` (tp, predicted, gold); a mapping from item id to that; a data
        frame with a column of scores; a file, ``FILE:COLUMN`` or ``NAME=FILE`` as on the command line; with references
        outputs: a file, or a list, series or mapping from item id of texts, labels, lists of tags, ...; `Rows` that
        are a metric's own; kept rows. Items are paired by id where all systems have ids, by position otherwise.
    metric : AnyMetric or str, or a list of them, optional
        Such as ``outscore.F1()`` or ``"f1"``; with `references` one of outputs, such as ``"bleu:tokenize=zh"``. By
        default what a board says, for kept rows their own, and else the mean of scores.
    references : str, path, list, series or mapping, optional
        What outputs are scored against, one an item. For metrics that take several references also a list of such
        lists (or of paths), one for each reference that the items have. For a data frame of outputs the name of its
        column of references.
    families : mapping from name to family, or FILE:COLUMN, optional
        Systems that are expected to be correlated: of one research group, on one base model.
    clusters, strata : sequence, mapping from item id, series, Labels or str, optional
        One label an item of the first system; a str names a column, a file of one label a line, or ``FILE:COLUMN``.
        Clusters (documents, prompts) are resampled and swapped whole; strata keep their size, and each needs two
        items, or clusters. A pair of such as clusters, as in ``["document", "annotator"]``, is two crossed clusterings,
        which `compare` knows alone.
    collapse_strata : bool
        Merge strata of one item, or cluster: into one together, a single one into the smallest other stratum.
    names : sequence of str, optional
        Of the systems; by default short ones of their files, those of series or of a mapping.
    input_format : str, optional
        Of files of outputs and references, by name, as `outscore formats` lists them.
    lower_is_better : bool
        For "mean" and "ratio": scores are losses or errors.
    id_column, score_column : str, optional
        Columns of files and data frames; guessed by default.
    drop_missing : bool
        Take the items that all systems have instead of raising.
    skip_unreadable : bool
        Leave out systems that cannot be read, or that lack items of the others, and say so, instead of raising.
    run : str, optional
        The column of tables and frames that tells the runs of a system, or the samples of an item, apart. Files are
        runs of one system as ``NAME=FILE,FILE,...``; in memory an item may have one number a run: shape (n, m), lists.
    runs : {"samples", "fixed", "random"}, optional
        What runs are; needed where there are several. Samples are answers drawn item by item, as with a temperature.
        All items of a run share its draw (a seed, a checkpoint, few-shot examples): "fixed" claims something of these
        very runs on new items, "random" of new runs on new items.
    reduce : str, optional
        Of the samples of an item to one score: "mean", "pass@5", "pass^5", "maj@8", "best@4". The mean by default.
    pair_runs : bool
        Runs of one name share their draw between systems.
    template : str, optional
        The column of tables and frames with the prompt templates, which all systems meet. Without runs, files and an
        axis in memory (n, T) are templates; with runs the axes are (n, m, T).
    templates : {"fixed", "random"}, optional
        What is claimed of templates: something of these very ones, which are averaged, or of others like them as well.
    rater : str, optional
        The column of tables and frames with the raters (annotators, judges), who score all systems. In memory the last
        axis: (n, J), (n, m, J) with runs, (n, m, T, J) with runs and templates.
    raters : {"fixed", "sampled"}, optional
        What is claimed of raters: something of these very ones, who are averaged, or of others like them as well.
    standardize : {"raters"}, optional
        Replaces scores by z-scores of each rater, over all scores in one table. This changes the question from points
        to standard deviations of raters.
    zero_missing : bool
        What a system lacks scores 0, as a wrong answer does.
    weights : {"macro", "size"}, mapping or str, optional
        The share of each stratum in the score: the same for all, as its items, by its name, or a table as a file. By
        default all items weigh the same.
    test_sets : as strata, optional
        Test sets, tasks, languages that have scores of their own.
    task : str or sequence of str, optional
        Of logs of evaluation harnesses: the tasks, or groups of tasks, to read. By default all, each a test set.
    total : int or str, optional
        Of logs that name only what was solved: the number of items of the test set, or a file of their ids.
    duplicates : {"first", "last"}, optional
        Of logs: which record is kept where several of an item and run have different scores. By default an error.

    Raises
    ------
    FileAccessError, MissingDependencyError
        A file that cannot be read.
    DataError
        Systems that cannot be paired, numbers that are not finite, counts that contradict each other, a stratum of one.
    OptionError
        An argument out of its range, or an unknown name.

    Examples
    --------
    >>> scores = read({"old": [1, 0, 0, 1], "new": [1, 1, 0, 1], "other": [1, 1, 1, 1]}, metric="accuracy")
    >>> scores.names, scores.design.n_items
    (('old', 'new', 'other'), 4)
    """
    return read_scores(systems, metric, reading_of(reading))


def reading_of(options: ReadOptions) -> Reading:
    """Return how systems are to be read; an argument that there is not is a TypeError, as in all of Python."""
    known = {*ReadOptions.__annotations__, *(option.argument for option in CROSSED_OPTIONS)}
    for name in options:
        if name not in known:
            offer = nearest(name, ["metric", *known, *CompareOptions.__annotations__])
            if name in CompareOptions.__annotations__:
                offer = "It is an argument of outscore.compare."
            elif not offer.startswith("Did"):
                offer = "Those that say how systems are read stand in help(outscore.read)."
            raise TypeError(f"unexpected keyword argument {name!r}. {offer}")
    check_kinds(options, CROSSED_OPTIONS)
    return Reading(**options)


class _Question(ReadOptions, total=False):
    """What all questions take: how laws are computed, and the level."""

    method: Method | str
    n_resamples: int
    seed: int
    alpha: float | None
    confidence_level: float | None
    executor: AnyExecutor | None


class _Tested(_Question, total=False):
    """What all tests take."""

    alternative: Alternative | str
    ties: Ties | str
    estimator: Estimator | str


class CompareOptions(_Tested, total=False):
    """What `compare` takes beside the systems and the metric."""

    baseline: str | None
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None
    interval: IntervalMethod | str
    unit: Unit | str
    claim: Claim | str
    margin: float | str | None
    double_check: bool
    run_law: RunLaw | str
    run_sd: float | str | None
    tasks: Tasks | str | None
    combination: str
    against: float | str | None


class RankOptions(_Tested, total=False):
    """What `rank` takes beside the systems and the metric."""

    tests: SignificanceTest | str | Sequence[SignificanceTest | str]
    correction: Correction | str | None
    max_t: bool
    interval: IntervalMethod | str
    tasks: Tasks | str | None
    emulate: Literal["wmt24", "wmt25"] | None


@overload
def compare(
    *systems: object, unpaired: Literal[True], metric: AnyMetric | str | None = None, **options: Unpack[CompareOptions]
) -> UnpairedResult: ...
@overload
def compare(
    *systems: object, metric: AnyMetric | str | None = None, **options: Unpack[CompareOptions]
) -> ComparisonResult: ...
@overload
def compare(
    *systems: object, metric: list[Any] | tuple[Any, ...], **options: Unpack[CompareOptions]
) -> ComparisonResults: ...
def compare(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    baseline: str | None = None,
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None = None,
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alternative: Alternative | str = Alternative.TWO_SIDED,
    ties: Ties | str = Ties.COUNT,
    estimator: Estimator | str = Estimator.ADD_ONE,
    alpha: float | None = None,
    confidence_level: float | None = None,
    interval: IntervalMethod | str = IntervalMethod.TEST,
    unit: Unit | str = Unit.ITEM,
    claim: Claim | str = Claim.BETTER,
    margin: float | str | None = None,
    double_check: bool = False,
    unpaired: bool = False,
    run_law: RunLaw | str = RunLaw.SATTERTHWAITE,
    run_sd: float | str | None = None,
    tasks: Tasks | str | None = None,
    combination: str = "bonferroni",
    against: float | str | None = None,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> ComparisonResult | ComparisonResults | UnpairedResult | TestSetsResult:
    """Compare candidates with a baseline, and return their gains with intervals, p-values and verdicts.

    The first system is the baseline, unless `baseline` names another one. All others are candidates. Items are paired
    by id if all systems have ids, and by position otherwise. The first test gives the verdict. With several candidates
    its p-values are corrected (Holm). To compare all pairs of many systems, see `rank`.

    >>> import pandas as pd
    >>> scores = pd.DataFrame({"old": [1, 0, 0, 0, 0, 0, 0, 1, 0, 1], "new": [1, 1, 1, 1, 0, 1, 1, 1, 1, 1]})
    >>> result = compare(scores, baseline="old", metric="accuracy")
    >>> round(result.gain, 3), result.p_value, str(result.verdict)
    (0.6, 0.03125, 'better')
    >>> round(result.interval.low, 2), round(result.interval.high, 2)
    (0.16, 1.0)

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, series, Rows or Scores
        The baseline, then one candidate or several, each as `read` takes one system; several candidates may also be
        one argument: a mapping from their names to systems, a list of systems, or a data frame whose columns are the
        systems. With `baseline` they may be all in one, as `read` takes them.
    metric : AnyMetric or str, or a list of them, optional
        As for `read`. Of a list the systems are compared on each.
    baseline : str, optional
        The name or the file of the system to beat; the first one by default.
    tests : SignificanceTest or str, or a sequence of them, or "all"
        The first gives the verdict. "all" leaves out the tests that do not apply, and says so. By default "auto":
        randomization (exact) for items scored 0 or 1 without clusters, "binomial" (exact) for such items against a
        constant, else "skew-t", a t-test corrected for skewness, with the bootstrap shown beside it. With a margin the
        score test, where the range of the scores is known.
    method : {"auto", "exact", "monte-carlo"}
        auto derives p-values exactly where that is possible and samples otherwise.
    n_resamples : int
        Resamples where p-values are sampled, at least 1.
    seed : int
        Of the resamples, at least 0. The same seed gives the same result to the last bit.
    alternative : {"two-sided", "greater", "less"}
        About the gain, which is positive where the candidate is better. One side is for a direction that was fixed
        before looking. Claims with a margin have their own.
    ties : {"count", "strict"}
        Whether a replicate equal to the threshold counts (≥) or not (>, as BK12 write it).
    estimator : {"add-one", "plain"}
        (c + 1)/(r + 1) or c/r, of sampled p-values.
    alpha, confidence_level : float, optional
        Level of the verdict, in (0, 1), and of the interval of the gain, 1 − alpha: one sets both. 0.05 by default.
    interval : {"test", "percentile", "basic", "bca"}
        All gains that the test of the verdict does not reject, or an interval from the bootstrap law.
    unit : {"item", "response"}
        What randomization swaps beside the verdict, which is that of items (or clusters): single responses, of metrics
        that have them.
    claim : {"better", "not-worse", "equivalent"}
        The last two need a `margin`: a large p-value of a difference is no evidence of equality.
    margin : float or str, optional
        The largest loss that would not matter, positive, in the unit of the score: of a share 0.01 or "1%".
    double_check : bool
        Compute resampling tests a second time, with other resamples, and exactly where one can (Yeh 2000).
    unpaired : bool
        The systems were scored on different items: two independent samples. `tests` are then "welch" (the default),
        "rank-sum" and "label-permutation", by name; options of pairs (clusters, strata, unit, claim, ...) are refused.
    run_law : {"satterthwaite", "fiducial"}
        Of the crossed t test of random runs; the latter keeps its level with two runs, too, and finds less.
    run_sd : float or "borrowed", optional
        Where a system has one run: by how much its score varies from run to run (standard deviation), as published, or
        as that of the other system does.
    tasks : {"count", "fixed", "random"}, optional
        With `test_sets`, what is claimed: on at least how many the candidate is better, and on which (the default);
        of their average; of other tasks like these.
    combination : {"bonferroni", "fisher"}
        Of the p-values of test sets; the latter counts more, of independent ones.
    against : float or str, optional
        A constant in the place of the baseline, in the unit of the score: of preferences (1, 0.5 for a tie, 0) 0.5.
        All systems are then candidates, and one is enough.
    executor : concurrent.futures.Executor, distributed.Client or str, optional
        Where resamples are computed: threads, processes, or a Dask cluster, by its client or as "dask://HOST:PORT". The
        result does not depend on it.
    **reading
        How systems are read: references, clusters, strata, names, ... as for `read`.

    Returns
    -------
    ComparisonResult
        Of a list of metrics `ComparisonResults`, which holds one each; with `unpaired` an `UnpairedResult`; with
        `test_sets` a `TestSetsResult`, on the first metric.

    Raises
    ------
    DataError, FileAccessError, MissingDependencyError
        As `read`.
    OptionError
        An argument out of its range, or an unknown name.
    NotApplicableError
        A named test that does not fit the metric, or no exact law under ``method="exact"``.

    Examples
    --------
    Jansen's ten questions: right (1) or wrong (0).

    >>> baseline = [1, 1, 1, 0, 0, 0, 0, 1, 1, 0]
    >>> candidate = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    >>> result = compare(baseline, candidate, metric="accuracy", tests="bootstrap", alternative="greater")
    >>> round(result.gain, 3), round(result.p_value, 9), str(result.verdict)
    (0.1, 0.429402952, 'inconclusive')

    Outputs and references, scored by a metric:

    >>> gold = ["pos", "neg", "neg", "pos", "neg", "pos"]
    >>> one, other = ["pos", "pos", "pos", "neg", "neg", "pos"], ["pos", "neg", "neg", "pos", "neg", "neg"]
    >>> compare(one, other, references=gold, metric="macro-f1", tests="randomization").p_value
    0.625
    """
    how_read, several, running = reading_of(reading), isinstance(metric, list | tuple), executor_of(executor)
    question = ask_comparison(
        how_read,
        baseline=baseline,
        tests=tests,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        alternative=alternative,
        ties=ties,
        estimator=estimator,
        alpha=alpha,
        confidence_level=confidence_level,
        interval=interval,
        unit=unit,
        claim=claim,
        margin=margin,
        double_check=double_check,
        unpaired=unpaired,
        run_law=run_law,
        run_sd=run_sd,
        tasks=tasks,
        combination=combination,
        against=against,
    )
    if isinstance(question, SamplesQuestion):
        if several:
            from outscore.questions.unpaired import refuse_of_pairs

            refuse_of_pairs(metric=True)
        unpaired_result: UnpairedResult = question.answer(question.read(systems, metric, how_read), running)[0]
        return unpaired_result
    items = question.read(systems, metric, how_read)
    results = question.answer(items, running)
    first: ComparisonResult | TestSetsResult = results[0]
    if items.scores.design.test_sets is not None:
        _let_know(first, items, [0])
        return first
    for place, result in enumerate(results):
        _let_know(result, items, [place])
        for candidate, comparison in enumerate(result.comparisons, 1):
            let_know_items(comparison, KnownItems(items, ((place, 0, candidate),)))
    if not several and len(results) == 1:
        return first
    together = ComparisonResults(tuple(results))
    _let_know(together, items, range(len(results)))
    return together


def _let_know(result: Shown, items: ScoredItems, metrics: Iterable[int]) -> None:
    """Let a result know the items of all candidates against the first system, on some metrics."""
    pairs = tuple((metric, 0, candidate) for metric in metrics for candidate in range(1, len(items.scores)))
    let_know_items(result, KnownItems(items, pairs))


@overload
def rank(*systems: object, metric: AnyMetric | str | None = None, **options: Unpack[RankOptions]) -> Ranking: ...
@overload
def rank(*systems: object, metric: list[Any] | tuple[Any, ...], **options: Unpack[RankOptions]) -> Rankings: ...
def rank(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] = "auto",
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alternative: Alternative | str = Alternative.TWO_SIDED,
    ties: Ties | str = Ties.COUNT,
    estimator: Estimator | str = Estimator.ADD_ONE,
    correction: Correction | str | None = None,
    max_t: bool = True,
    alpha: float | None = None,
    confidence_level: float | None = None,
    interval: IntervalMethod | str = IntervalMethod.TEST,
    run_law: RunLaw | str = RunLaw.SATTERTHWAITE,
    run_sd: float | str | None = None,
    tasks: Tasks | str | None = None,
    emulate: Literal["wmt24", "wmt25"] | None = None,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> Ranking | Rankings:
    """Rank systems using all pairwise tests, corrected for multiple comparisons.

    Each system has a score with its interval, a rank, and letters of groups: two systems that share a letter are not
    significantly different. ``ranking["name"]`` is a system, and ``ranking.pair("a", "b")`` is the gain of b over a
    with its interval and p-values.

    >>> import pandas as pd
    >>> answers = {"a": [0, 0, 1, 0, 0, 0, 0, 0], "b": [1, 1, 1, 1, 1, 1, 1, 1], "c": [1, 1, 1, 1, 1, 1, 1, 0]}
    >>> scores = pd.DataFrame(answers)
    >>> ranking = rank(scores, metric="accuracy")
    >>> [(system.name, system.rank, system.group) for system in ranking]
    [('b', 1, 'a'), ('c', 2, 'ab'), ('a', 3, 'b')]
    >>> ranking.pair("a", "b").gain, ranking.pair("a", "b").p_value
    (0.875, 0.015625)

    Parameters
    ----------
    *systems : mapping, data frame, path, list of paths or Scores
        As `read` takes them; with the metric "bradley-terry" one table of battles, a file or a data frame, with the
        columns system_a, system_b and outcome (1, 0.5 for a tie, 0), and with `clusters` that of users.
    metric : AnyMetric or str, or a list of them, optional
        As for `read`, or "bradley-terry". Of a list each ranks; of `Scores` or a board of several
        metrics the first one does by default.
    tests : SignificanceTest or str, or a sequence of them
        The first one's p-values are corrected, and give ranks and groups. By default the test that `compare` takes.
    method, n_resamples, seed, ties, estimator, executor
        As for `compare`. Resamples are for p-values and intervals that are sampled. As many normal draws serve P(best),
        and at most as many max-T.
    alternative : {"two-sided", "greater", "less"}
        Of every pair; the data say which of its systems is the better one, so that only the two-sided test keeps its
        level.
    correction : {"max-t", "holm", "bh", "none"}, optional
        What ranks and groups go by; by default max-T with the default test and the bootstrap, Holm's with other tests
        and with random runs.
    max_t : bool
        Whether max-T is computed at all.
    alpha, confidence_level : float, optional
        Level of ranks and groups, and of intervals, 1 − alpha: one sets both. 0.05 by default.
    interval : {"test", "percentile", "basic", "bca"}
        Of the gains of pairs, as for `compare`, each by itself: no correction makes it wider.
    run_law, run_sd
        As for `compare`.
    tasks : {"count", "fixed", "random"}, optional
        With `test_sets`: a ranking on each, after that by their average ("fixed"), or with tasks as units ("random").
    emulate : {"wmt24", "wmt25"}, optional
        Also computes what WMT's rule would conclude from human scores, as ``ranking.emulated``. It is never the
        verdict.
    **reading
        How systems are read: references, families, clusters, strata, ... as for `read`.

    Returns
    -------
    Ranking
        Of a list of metrics `Rankings`, which holds one each.

    Raises
    ------
    DataError, FileAccessError, MissingDependencyError
        As `read`; fewer than two systems, or two of one name.
    OptionError
        An argument out of its range, or an unknown name.
    NotApplicableError
        A test that does not fit the metric, or no exact law under ``method="exact"``.

    Examples
    --------
    >>> ranking = rank({"a": [1, 0, 0, 1], "b": [1, 1, 0, 1], "c": [1, 0, 0, 1]}, metric="accuracy", n_resamples=1000)
    >>> [round(pair.p_holm, 3) for pair in ranking.pairs]
    [1.0, 1.0, 1.0]
    """
    from outscore.results import Rankings

    how_read, several, running = reading_of(reading), isinstance(metric, list | tuple), executor_of(executor)
    question = ask_ranking(
        tests=tests,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        alternative=alternative,
        ties=ties,
        estimator=estimator,
        correction=correction,
        max_t=max_t,
        alpha=alpha,
        confidence_level=confidence_level,
        interval=interval,
        run_law=run_law,
        run_sd=run_sd,
        tasks=tasks,
        emulate=emulate,
    )
    read = question.read(systems, metric, how_read)
    if not isinstance(read, Scores):
        rankings = question.answer(read, running)
        return Rankings(tuple(rankings)) if several else rankings[0]
    on_test_sets = read.design.test_sets is not None
    scores = read if several and not on_test_sets else read.on(None)
    rankings = question.answer(scores, running)
    if on_test_sets:
        return Rankings(tuple(rankings))
    ranking = Rankings(tuple(rankings)) if several else rankings[0]
    let_know_items(ranking, KnownItems(ScoredItems(scores)))
    return ranking


def score(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alpha: float | None = None,
    confidence_level: float | None = None,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> ScoreResult:
    """Return the scores of systems, each with a confidence interval.

    To find out whether one system is better than another, use `compare`, which pairs their items. With one score
    `score` and `interval` are attributes of the result. With several, ``result["name"]`` is the score of one system.

    >>> import pandas as pd
    >>> result = score(pd.Series([1, 1, 1, 0, 1, 1, 0, 1, 1, 1], name="new"), metric="accuracy")
    >>> result.score, round(result.interval.low, 3), round(result.interval.high, 3)
    (0.8, 0.444, 0.975)

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, series, Rows or Scores
        One or several, each as `read` takes one system; or one mapping from names to systems, list of systems, board,
        or data frame whose columns are the systems. Without clusters and strata they need not have the same items.
    metric, n_resamples, seed, executor
        As for `compare`. No interval of a score draws resamples.
    method : {"auto", "exact", "monte-carlo"}
        As for `compare`.
    alpha, confidence_level : float, optional
        Of the intervals: one sets both. 0.05 by default.
    **reading
        How systems are read: references, clusters, strata, names, ... as for `read`.

    Returns
    -------
    ScoreResult
        The interval of each score is exact for binary items (Clopper & Pearson), with effective numbers for binary
        items in clusters, strata or with weights (Korn & Graubard), by the score test for means and ratios whose range
        is known, and otherwise by the t-test corrected for skewness (`Interval.method` names the method).

    Raises
    ------
    DataError
        Numbers that are not finite, a system of one item, labels that do not fit.
    OptionError
        An argument out of its range, or an unknown name.

    Examples
    --------
    >>> result = score([1, 1, 1, 0, 1, 1, 0, 1, 1, 1], metric="accuracy").scores[0]
    >>> result.score, round(result.interval.low, 3), round(result.interval.high, 3), result.interval.method
    (0.8, 0.444, 0.975, 'clopper-pearson')
    """
    running = executor_of(executor)
    question = ask_scores(
        method=method, n_resamples=n_resamples, seed=seed, alpha=alpha, confidence_level=confidence_level
    )
    result: ScoreResult = question.answer(question.read(systems, metric, reading_of(reading)), running)[0]
    return result
