"""The public functions `read`, `compare`, `rank` and `score`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from outscore.asking import DEFAULT_SEED, SamplesQuestion, ask_comparison, ask_ranking, ask_scores, read_scores
from outscore.data.arguments import checked_options, typed
from outscore.data.rows import RunDesign
from outscore.design.options import CROSSED_OPTIONS
from outscore.design.scores import Scores
from outscore.laws.executors import executor_of
from outscore.metrics import AnyMetric
from outscore.options import OPTIONS, named_otherwise, opt
from outscore.questions.item_tables import KnownItems, ScoredItems
from outscore.readers.reading import Reading
from outscore.results import (
    Alternative,
    Claim,
    ComparisonResult,
    ComparisonResults,
    Estimator,
    Family,
    IntervalMethod,
    Method,
    RunLaw,
    Ties,
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
    """The arguments of `read`, which all functions of systems accept."""

    references: object
    families: Families
    clusters: object
    strata: object
    collapse_strata: bool
    names: Sequence[str | None] | None
    input_format: str | None
    lower_is_better: bool
    id_column: str | None
    score_column: str | None
    records: str | None
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
    mapping: object
    total: int | str | None
    duplicates: str | None
    follow_links: bool
    human: str | None
    judge: str | None


@typed
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
        One argument with all systems, or one argument per system.

        All systems: a mapping from names to systems, a list of systems or files, a folder (all its files), or a
        leaderboard file (TOML). Or one table of all systems as a file or data frame (of any library that narwhals
        supports), either long (columns system, item, score) or wide (one column per system). Or a data frame of
        outputs with one column per system, with `references` as the name of a column. `Scores` are returned unchanged.

        One system: an array, list or series with one score per item, a mapping from item ids to scores, or a data
        frame with a column of scores. The shape is (n, columns) for ``ratio`` (numerator, denominator) and for
        ``precision``, ``recall`` and ``f1`` (tp, predicted, gold). Or a file, written as ``FILE``, ``FILE:COLUMN`` or
        ``NAME=FILE``. With `references` it is a file, list, series or mapping of outputs, such as texts, labels or
        lists of tags. `Rows` of a metric and files of cached scores (``outscore rows``) are accepted as well.
    metric : AnyMetric or str, or a list of them, optional
        Metric, such as ``outscore.F1()`` or ``"f1"``, or with `references` a metric of outputs, such as
        ``"bleu:tokenize=zh"``. By default the metric of the leaderboard file or of cached scores, otherwise the mean.
    references : str, path, list, series or mapping, optional
        One reference per item. For metrics that accept several references per item, also a list of such lists (or
        paths), one per reference. For a data frame of outputs, the name of its column of references.
    families : mapping from name to family, or FILE:COLUMN, optional
        Systems that are expected to be correlated, such as those of one research group or base model.
    clusters, strata : sequence, mapping from item id, series, Labels or str, optional
        One label per item of the first system, or the name of a column, a file with one label per line, or
        ``FILE:COLUMN``. Clusters (such as documents) are resampled as a whole. Strata keep their size, and each needs
        two items or clusters. A list of two clusterings, such as ``["document", "annotator"]``, means crossed
        clusterings, which only `compare` supports. "none" means no clusters or no strata, whatever logs, formats or
        leaderboard files declare.
    collapse_strata : bool
        Merge strata of one item or cluster. Several are merged into one stratum. A single one is merged with the
        smallest other stratum.
    names : sequence of str, optional
        Names of the systems. By default short file names, or the names of series or of a mapping.
    input_format : str, optional
        Format of files of outputs and references. ``outscore formats`` lists all formats.
    lower_is_better : bool
        Whether lower scores are better, for ``mean`` and ``ratio``.
    id_column, score_column : str, optional
        Columns of item ids and scores. Recognized by default.
    records : str, optional
        The dotted path of the records in JSON files with several lists, such as "run.results".
    drop_missing : bool
        Keep only the items that all systems have. By default missing items raise an error. In memory, a score of None,
        NaN or NA is missing.
    skip_unreadable : bool
        Skip systems that cannot be read or lack items, with a note. By default they raise an error.
    run : str, optional
        Column of runs or samples in tables. Several files of one system are written as ``NAME=FILE,FILE,...``. Arrays
        have the shape (n, m).
    runs : {"samples", "fixed", "random"}, optional
        The kind of runs, required if there are several. Samples are answers drawn independently per item. Otherwise all
        items of a run share its draw (seed, checkpoint, few-shot examples). The claim is then about these runs on new
        items ("fixed") or about new runs on new items ("random").
    reduce : str, optional
        Score of an item's samples: "mean" (default), "pass@5", "pass^5", "maj@8", "best@4".
    pair_runs : bool
        Whether runs of the same name share their draw between systems.
    template : str, optional
        Column of prompt templates in tables. All systems share the templates. Arrays have the shape (n, T), or (n, m,
        T) with runs.
    templates : {"fixed", "random"}, optional
        Whether the claim is about these templates, with scores averaged over them, or about new templates as well.
    rater : str, optional
        Column of raters (annotators, judges) in tables. All raters score all systems. Arrays have the shape (n, J),
        (n, m, J) with runs, or (n, m, T, J) with runs and templates.
    raters : {"fixed", "sampled"}, optional
        Whether the claim is about these raters, with scores averaged over them, or about new raters as well.
    standardize : {"raters"}, optional
        Replace scores by z-scores of each rater, over all scores in one table. This changes the question from points
        to standard deviations of raters.
    zero_missing : bool
        Score missing items 0.
    weights : {"macro", "size"}, mapping or str, optional
        Weights of the strata in the score: equal ("macro"), by number of items ("size"), by name, or from a file. By
        default all items weigh the same.
    test_sets : as strata, optional
        Dataset of each item, such as its task or language. Each dataset has its own score.
    task : str or sequence of str, optional
        Tasks, or groups of tasks, to read from evaluation logs. By default all, each a dataset.
    mapping : str, path or mapping, optional
        Map of fields, as a TOML file or a mapping with the same keys: item, metrics, and optionally system, task, run,
        records and labels. Files of any format are then read like logs.
    total : int or str, optional
        Number of items, for logs that list only solved items, or a file of all item ids.
    duplicates : {"first", "last"}, optional
        Which record of a log to keep if an item has different scores in the same run. By default this is an error.
    follow_links : bool
        Follow links in folders of logs that lead out of the folder. By default they are left out with a note.
    human, judge : str, optional
        Columns of human labels (empty for most items) and of a judge's labels (of all items). `compare`, `rank` and
        `score` then estimate the score by human labels, made more precise by the judge's (prediction-powered).

    Raises
    ------
    FileAccessError, MissingDependencyError
        If a file cannot be read.
    DataError
        If systems cannot be paired, numbers are not finite, counts are inconsistent, or a stratum has one item.
    OptionError
        If an argument is out of range or a name is unknown.

    Examples
    --------
    >>> scores = read({"old": [1, 0, 0, 1], "new": [1, 1, 0, 1], "other": [1, 1, 1, 1]}, metric="accuracy")
    >>> scores.names, scores.design.n_items
    (('old', 'new', 'other'), 4)
    """
    return read_scores(systems, metric, reading_of(reading))


def reading_of(options: ReadOptions) -> Reading:
    """Return the options of `read` as an object, or raise TypeError for an unknown argument."""
    known = {*ReadOptions.__annotations__, *(option.argument for option in CROSSED_OPTIONS)}
    for name, given in options.items():
        if name not in known:
            flags = {option.argument for options in OPTIONS.values() for option in options if option.type == "flag"}
            names = ["metric", *known, *CompareOptions.__annotations__]
            offer = nearest(name, [opt(of, True) if of in flags else of for of in names])
            ours = named_otherwise(name)
            if ours:
                offer = f"Use {next((way for way in ours if way.startswith(f'{given}_')), ' or '.join(ours))}."
            elif name in {"candidate", "candidates"}:
                offer = "Pass baseline: all other systems are candidates."
            elif name in CompareOptions.__annotations__:
                offer = "It is an argument of outscore.compare."
            elif not offer.startswith("Did"):
                offer = "See help(outscore.read) for the arguments of reading."
            raise TypeError(f"unexpected keyword argument {name!r}. {offer}")
    return Reading(**checked_options(options, ReadOptions.__annotations__, CROSSED_OPTIONS))


class _Question(ReadOptions, total=False):
    """Arguments of all functions: computation and significance level."""

    method: Method | str
    n_resamples: int
    seed: int
    alpha: float | None
    confidence_level: float | None
    executor: AnyExecutor | None


class _Tested(_Question, total=False):
    """Arguments of all tests."""

    alternative: Alternative | str
    ties: Ties | str
    estimator: Estimator | str


class CompareOptions(_Tested, total=False):
    """Arguments of `compare` other than the systems and the metric."""

    baseline: str | None
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None
    interval: IntervalMethod | str
    claim: Claim | str
    margin: float | str | None
    double_check: bool
    run_law: RunLaw | str
    run_sd: float | str | None
    tasks: Tasks | str | None
    combination: str
    family: Family | str
    against: float | str | None
    best_of: int | None


class RankOptions(_Tested, total=False):
    """Arguments of `rank` other than the systems and the metric."""

    tests: SignificanceTest | str | Sequence[SignificanceTest | str]
    correction: Correction | str | None
    max_t: bool
    interval: IntervalMethod | str
    tasks: Tasks | str | None
    emulate: Literal["wmt24", "wmt25", "wmt26"] | None


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
@typed
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
    claim: Claim | str = Claim.BETTER,
    margin: float | str | None = None,
    double_check: bool = False,
    unpaired: bool = False,
    run_law: RunLaw | str = RunLaw.SATTERTHWAITE,
    run_sd: float | str | None = None,
    tasks: Tasks | str | None = None,
    combination: str = "bonferroni",
    family: Family | str = Family.TABLE,
    against: float | str | None = None,
    best_of: int | None = None,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> ComparisonResult | ComparisonResults | UnpairedResult | TestSetsResult:
    """Compare candidates with a baseline, and return their gains with intervals, p-values and verdicts.

    The first system is the baseline, unless `baseline` names another one. All others are candidates. Items are paired
    by id if all systems have ids, and by position otherwise. The first test gives the verdict. With several candidates
    or datasets its p-values have Holm's correction. To compare all pairs of many systems, use `rank`.

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
        The baseline, then the candidates, each as one system of `read`. Several candidates may also be one argument: a
        mapping from names to systems, a list of systems, or a data frame with one column per system. With `baseline`,
        all systems may be one argument, as in `read`.
    metric : AnyMetric or str, or a list of them, optional
        See `read`. For a list, the systems are compared on each metric.
    baseline : str, optional
        Name or file of the baseline. By default the first system.
    tests : SignificanceTest or str, or a sequence of them, or "all"
        The first test gives the verdict. "all" runs all tests that apply. The default is randomization (exact) for
        binary items without clusters, "binomial" (exact) for such items against a constant, and otherwise "skew-t", a
        t-test corrected for skewness, with the bootstrap beside it. With a margin it is the score test, if the range
        of the scores is known.
    method : {"auto", "exact", "monte-carlo"}
        How p-values are computed. "auto" is exact if possible, and sampled otherwise.
    n_resamples : int
        Maximum number of bootstrap samples or permutations, at least 1. Exact p-values need none.
    seed : int
        Random seed, at least 0. The same seed gives the same result to the last bit.
    alternative : {"two-sided", "greater", "less"}
        Direction of the test. The gain is positive if the candidate is better. Use "greater" or "less" only if the
        direction was fixed before looking at the data. Claims with a margin have their own alternative.
    ties : {"count", "strict"}
        Whether resamples equal to the threshold count (≥) or not (>, as in BK12).
    estimator : {"add-one", "plain"}
        Estimator of sampled p-values: (c + 1)/(r + 1) or c/r.
    alpha, confidence_level : float, optional
        Significance level, in (0, 1), and confidence level of the interval, 1 − alpha. Pass one of them. By default
        0.05 and 0.95.
    interval : {"test", "percentile", "basic", "bca"}
        Interval of the gain: all gains that the test of the verdict does not reject, or an interval from the bootstrap
        distribution.
    claim : {"better", "not-worse", "equivalent"}
        The last two need a `margin`. A large p-value of a difference does not show equality.
    margin : float or str, optional
        Largest loss that does not matter, positive, in the unit of the score. For proportions 0.01 or "1%".
    double_check : bool
        Compute resampling tests a second time, with other resamples and exactly if possible (Yeh 2000).
    unpaired : bool
        The systems were scored on different items, as two independent samples. The default is then "unconditional" for
        binary items, else "skew-t". Other tests are "permutation" and "brunner-munzel", and for replication "fisher",
        "welch", "rank-sum" and "label-permutation". Options of paired items, such as strata or runs, raise an error.
    run_law : {"satterthwaite", "fiducial"}
        Distribution of the crossed t-test of new runs. "fiducial" controls the error rate even with two runs, but has
        less power.
    run_sd : float or "borrowed", optional
        Standard deviation of a run's score, for systems with one run: a published value, or that of the other system.
    tasks : {"count", "fixed", "random"}, optional
        The claim about several `test_sets`: the number of datasets on which the candidate is better (default), the
        average of these datasets, or other tasks like these.
    combination : {"bonferroni", "fisher"}
        How p-values of datasets are combined. "fisher" has more power but assumes that datasets are independent.
    family : {"table", "candidates", "datasets", "all"}
        Comparisons that are corrected together: all of one metric (candidates times datasets), all candidates on one
        dataset, all datasets of one candidate, or those of all metrics.
    against : float or str, optional
        Constant to compare with instead of a baseline, in the unit of the score. It is 0.5 for preferences (1, 0.5 for
        a tie, 0). All systems are then candidates, and one is enough. If a column such as "order" has the order of the
        answers, the verdicts on an item in both orders are one unit.
    best_of : int, optional
        The number of systems from which the candidate was chosen on these items. The result then has a warning,
        because no test corrects for the choice. With the scores of all systems, pass them as candidates.
    executor : concurrent.futures.Executor, distributed.Client or str, optional
        Threads, processes or a Dask cluster ("dask://HOST:PORT") for resampling. The result does not depend on it.
    **reading
        Arguments of `read`: references, clusters, strata, names, ...

    Returns
    -------
    ComparisonResult
        `ComparisonResults` for a list of metrics, `UnpairedResult` with `unpaired`, and `TestSetsResult` (on the first
        metric) with `test_sets`.

    Raises
    ------
    DataError, FileAccessError, MissingDependencyError
        See `read`.
    OptionError
        If an argument is out of range or a name is unknown.
    NotApplicableError
        If a named test does not fit the metric, or ``method="exact"`` is not possible.

    Examples
    --------
    Jansen's ten questions, answered correctly (1) or not (0).

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
        claim=claim,
        margin=margin,
        double_check=double_check,
        unpaired=unpaired,
        run_law=run_law,
        run_sd=run_sd,
        tasks=tasks,
        combination=combination,
        family=family,
        against=against,
        best_of=best_of,
    )
    if isinstance(question, SamplesQuestion):
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
    """Attach the items of all candidates and the first system, on some metrics, to a result."""
    pairs = tuple((metric, 0, candidate) for metric in metrics for candidate in range(1, len(items.scores)))
    let_know_items(result, KnownItems(items, pairs))


@overload
def rank(*systems: object, metric: AnyMetric | str | None = None, **options: Unpack[RankOptions]) -> Ranking: ...
@overload
def rank(*systems: object, metric: list[Any] | tuple[Any, ...], **options: Unpack[RankOptions]) -> Rankings: ...
@typed
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
    emulate: Literal["wmt24", "wmt25", "wmt26"] | None = None,
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
        Systems as in `read`. With the metric "bradley-terry" one table of pairwise comparisons, as a file or data
        frame, with the columns system_a, system_b and outcome (1, 0.5 for a tie, 0). `clusters` may name its column of
        users.
    metric : AnyMetric or str, or a list of them, optional
        See `read`, or "bradley-terry". For a list, there is one ranking per metric. For `Scores` or a leaderboard file
        with several metrics the default is the first one.
    tests : SignificanceTest or str, or a sequence of them
        The first test gives ranks and groups, by its corrected p-values. See `compare` for the default.
    method, n_resamples, seed, ties, estimator, executor
        See `compare`. `n_resamples` also limits the normal samples of P(best) and max-T.
    alternative : {"two-sided", "greater", "less"}
        Direction of the test for every pair. The data decide which system of a pair scores better, so only the
        two-sided test controls the error rate.
    correction : {"max-t", "holm", "bh", "none"}, optional
        Correction for ranks and groups. By default max-T with the default test and the bootstrap, and Holm's with other
        tests and with new runs.
    max_t : bool
        Whether to compute max-T p-values.
    alpha, confidence_level : float, optional
        Significance level of ranks and groups, and confidence level of intervals, 1 − alpha. Pass one of them. By
        default 0.05 and 0.95.
    interval : {"test", "percentile", "basic", "bca"}
        Interval of the gain of each pair, as in `compare`. Intervals are not corrected.
    run_law, run_sd
        See `compare`.
    tasks : {"count", "fixed", "random"}, optional
        The rankings on several `test_sets`: one per dataset, preceded by a ranking by their average ("fixed") or for
        other tasks like these ("random").
    emulate : {"wmt24", "wmt25", "wmt26"}, optional
        Also compute what WMT's rule would conclude from human scores, as ``ranking.emulated``. It is never the
        verdict.
    **reading
        Arguments of `read`: references, families, clusters, strata, ...

    Returns
    -------
    Ranking
        `Rankings` for a list of metrics.

    Raises
    ------
    DataError, FileAccessError, MissingDependencyError
        See `read`. Also if there are fewer than two systems, or two have the same name.
    OptionError
        If an argument is out of range or a name is unknown.
    NotApplicableError
        If a test does not fit the metric, or ``method="exact"`` is not possible.

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
    # A leaderboard file has several metrics, of which the first is ranked.
    several = several or ("," in f"{metric}{how_read.score_column}" and len(read.metrics) > 1)
    on_test_sets = read.design.test_sets is not None
    scores = read if several and not on_test_sets else read.on(None)
    rankings = question.answer(scores, running)
    if on_test_sets:
        return Rankings(tuple(rankings))
    ranking = Rankings(tuple(rankings)) if several else rankings[0]
    let_know_items(ranking, KnownItems(ScoredItems(scores)))
    return ranking


@typed
def score(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    method: Method | str = Method.AUTO,
    n_resamples: int = 100_000,
    seed: int = DEFAULT_SEED,
    alpha: float | None = None,
    confidence_level: float | None = None,
    best_of: int | None = None,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> ScoreResult:
    """Return the scores of systems, each with a confidence interval.

    To test whether one system is better than another, use `compare`, which pairs their items. With one score, `score`
    and `interval` are attributes of the result. With several, ``result["name"]`` is the score of one system.

    >>> import pandas as pd
    >>> result = score(pd.Series([1, 1, 1, 0, 1, 1, 0, 1, 1, 1], name="new"), metric="accuracy")
    >>> result.score, round(result.interval.low, 3), round(result.interval.high, 3)
    (0.8, 0.444, 0.975)

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, series, Rows or Scores
        One argument per system, each as one system of `read`. Or one mapping from names to systems, list of systems,
        leaderboard file, or data frame with one column per system. Without clusters and strata the systems may have
        different items.
    metric, n_resamples, seed, executor
        See `compare`. Intervals of scores need no resamples.
    method : {"auto", "exact", "monte-carlo"}
        See `compare`.
    alpha, confidence_level : float, optional
        Significance level and confidence level of the intervals, 1 − alpha. Pass one of them. By default 0.05 and 0.95.
    best_of : int, optional
        The number of systems, such as checkpoints, from which each system was chosen as the best on these items. The
        scores then have `interval_as_chosen`. With the scores of all systems, use `rank`.
    **reading
        Arguments of `read`: references, clusters, strata, names, ...

    Returns
    -------
    ScoreResult
        Binary items have Clopper-Pearson intervals (exact), or Korn-Graubard intervals with clusters, strata or
        weights. Means and ratios with a known range have the interval of the score test. All other metrics have the
        interval of the skewness-corrected t-test. `Interval.method` is the method.

    Raises
    ------
    DataError
        If numbers are not finite, a system has one item, or labels do not fit.
    OptionError
        If an argument is out of range or a name is unknown.

    Examples
    --------
    >>> result = score([1, 1, 1, 0, 1, 1, 0, 1, 1, 1], metric="accuracy").scores[0]
    >>> result.score, round(result.interval.low, 3), round(result.interval.high, 3), result.interval.method
    (0.8, 0.444, 0.975, 'clopper-pearson')
    """
    running = executor_of(executor)
    question = ask_scores(
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        alpha=alpha,
        confidence_level=confidence_level,
        best_of=best_of,
    )
    result: ScoreResult = question.answer(question.read(systems, metric, reading_of(reading)), running)[0]
    return result
