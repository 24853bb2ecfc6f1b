"""The public functions `read`, `compare`, `rank` and `score`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from outscore.asking import SamplesQuestion, ask_comparison, ask_ranking, ask_scores, read_scores
from outscore.design.scores import Scores
from outscore.metrics import AnyMetric
from outscore.questions.item_tables import KnownItems, ScoredItems
from outscore.results import ComparisonResult, ComparisonResults
from outscore.results.shown import Shown, let_know_items
from outscore.signatures import asked_of, declared, reading_of

if TYPE_CHECKING:
    from outscore.declared import CompareOptions, RankOptions, ReadOptions, ScoreOptions
    from outscore.results import Ranking, Rankings, ScoreResult, UnpairedResult
    from outscore.results.test_sets import TestSetsResult


@declared
def read(*systems: object, metric: object = None, **options: Unpack[ReadOptions]) -> Scores:
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

        Arrays of scores by run, template or rater have the shape (n, m, T, J), without the axes that are not declared.
    metric : AnyMetric or str, or a list of them, optional
        Metric, such as ``outscore.F1()`` or ``"f1"``, or with `references` a metric of outputs, such as
        ``"bleu:tokenize=zh"``. By default the metric of the leaderboard file or of cached scores, otherwise the mean.

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
    return read_scores(systems, metric, reading_of(options))


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
@declared
def compare(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    unpaired: bool = False,
    **options: Any,
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
    unpaired : bool
        The systems were scored on different items, as two independent samples. The default is then "unconditional" for
        binary items, else "skew-t". Other tests are "permutation" and "brunner-munzel", and for replication "fisher",
        "welch", "rank-sum" and "label-permutation". Options of paired items, such as strata or runs, raise an error.

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
    question_options, how_read, running = asked_of("compare", options)
    question = ask_comparison(how_read, unpaired=unpaired, **question_options)
    if isinstance(question, SamplesQuestion):
        unpaired_result: UnpairedResult = question.answer(question.read(systems, metric, how_read), running)[0]
        return unpaired_result
    items = question.read(systems, metric, how_read)
    results = question.answer(items, running)
    first: ComparisonResult | TestSetsResult = results[0]
    if items.scores.design.test_sets is not None:
        _let_know(first, items, [0])
        return first
    for index, result in enumerate(results):
        _let_know(result, items, [index])
        for candidate, comparison in enumerate(result.comparisons, 1):
            let_know_items(comparison, KnownItems(items, ((index, 0, candidate),)))
    if not isinstance(metric, list | tuple) and len(results) == 1:
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
@declared
def rank(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    **options: Unpack[RankOptions],
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
    alternative : {"two-sided", "greater", "less"}
        Direction of the test for every pair. The data decide which system of a pair scores better, so only the
        two-sided test controls the error rate.
    tasks : {"count", "fixed", "random"}, optional
        The rankings on several `test_sets`: one per dataset, preceded by a ranking by their average ("fixed") or for
        other tasks like these ("random").

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

    question_options, how_read, running = asked_of("rank", options)
    question, several = ask_ranking(**question_options), isinstance(metric, list | tuple)
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


@declared
def score(
    *systems: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    **options: Unpack[ScoreOptions],
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
    metric : AnyMetric or str, or a list of them, optional
        See `read`.
    best_of : int, optional
        The number of systems, such as checkpoints, from which each system was chosen as the best on these items. The
        scores then have `interval_as_chosen`. With the scores of all systems, use `rank`.

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
    question_options, how_read, running = asked_of("score", options)
    question = ask_scores(**question_options)
    result: ScoreResult = question.answer(question.read(systems, metric, how_read), running)[0]
    return result
