"""The library's front door: systems in memory to a result, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from outscore.arguments import (
    DEFAULT_SEED,
    alpha_of,
    given_systems,
    given_tests,
    named_candidates,
    several_metrics,
)
from outscore.errors import OptionError, Problem
from outscore.given import choice, number, score_gain, whole
from outscore.metrics import AnyMetric
from outscore.results import (
    Alternative,
    Claim,
    ComparisonResult,
    ComparisonResults,
    Estimator,
    IntervalMethod,
    Method,
    Ties,
    Unit,
)
from outscore.rows import Labels, Rows, align_items
from outscore.significance import Auto, Randomization, Resampling, Settings, SignificanceTest, compare_rows

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from outscore.results import UnpairedResult

__all__ = ["compare", "compare_systems", "with_margin"]


class _CompareOptions(TypedDict, total=False):
    """What `compare` takes beside the systems and the metric."""

    references: object
    tests: SignificanceTest | str | Sequence[SignificanceTest | str] | None
    method: Method | str
    n_resamples: int
    seed: int
    alternative: Alternative | str
    ties: Ties | str
    estimator: Estimator | str
    alpha: float | None
    confidence_level: float | None
    interval: IntervalMethod | str
    clusters: object
    strata: object
    collapse_strata: bool
    unit: Unit | str
    claim: Claim | str
    margin: float | str | None
    double_check: bool
    drop_missing: bool
    names: Sequence[str] | None
    input_format: str | None
    lower_is_better: bool
    id_column: str | None
    score_column: str | None
    executor: Executor | None


@overload
def compare(
    baseline: object,
    *candidates: object,
    unpaired: Literal[True],
    metric: AnyMetric | str | None = None,
    **options: Unpack[_CompareOptions],
) -> UnpairedResult: ...
@overload
def compare(
    baseline: object, *candidates: object, metric: AnyMetric | str | None = None, **options: Unpack[_CompareOptions]
) -> ComparisonResult: ...
@overload
def compare(
    baseline: object, *candidates: object, metric: list[Any] | tuple[Any, ...], **options: Unpack[_CompareOptions]
) -> ComparisonResults: ...
def compare(
    baseline: object,
    *candidates: object,
    metric: AnyMetric | str | list[Any] | tuple[Any, ...] | None = None,
    references: object = None,
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
    clusters: object = None,
    strata: object = None,
    collapse_strata: bool = False,
    unit: Unit | str = Unit.ITEM,
    claim: Claim | str = Claim.BETTER,
    margin: float | str | None = None,
    double_check: bool = False,
    unpaired: bool = False,
    drop_missing: bool = False,
    names: Sequence[str] | None = None,
    input_format: str | None = None,
    lower_is_better: bool = False,
    id_column: str | None = None,
    score_column: str | None = None,
    executor: Executor | None = None,
) -> ComparisonResult | ComparisonResults | UnpairedResult:
    """Compare candidates with a baseline and say whether their gains are real or chance.

    Parameters
    ----------
    baseline, *candidates : array, list, mapping from item id to score, dataframe, series, Rows, str or path
        One number an item for metrics of one column; shape (n, columns) for `ratio` (numerator, denominator)
        and for `precision`, `recall`, `f1` (tp, predicted, gold). Dataframes of any library that narwhals
        knows; items are paired by id where all systems have ids, by position otherwise. A str or path names a file,
        or ``FILE:COLUMN``, as on the command line. With `references`, systems are outputs: the path of a file, or a
        list, series or mapping from item id of texts, labels, lists of tags, ... For a metric of outputs without
        `references`, `Rows` that are its rows already, or paths of kept rows. Several candidates may also be one
        argument: a mapping from their names to what is a system, a list of systems, or a data frame whose columns are
        the systems.
    metric : AnyMetric or str, or a list of them, optional
        Such as ``outscore.F1()`` or ``"f1"``; with `references` one of outputs, such as ``"bleu:tokenize=zh"``. By
        default the mean of scores, and for kept rows their own. Of a list each is compared on, on the same draws.
    references : str, path, list, series or mapping, optional
        What outputs are scored against, one an item. For metrics that take several references also a list of such
        lists (or of paths), one for each reference that the items have.
    tests : SignificanceTest or str, or a sequence of them, or "all"
        The first gives the verdict. "all" leaves out the tests that do not apply, and says so. By default "auto": the
        bootstrap where its measured level is good, elsewhere what holds there, with the reason; with a margin the
        score test.
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
    clusters, strata : sequence, mapping from item id, series, Labels or str, optional
        One label an item; where the baseline is a file also a str, as on the command line.
        Clusters (documents, prompts) are resampled and swapped whole; strata keep their size, and each needs two
        items, or clusters.
    collapse_strata : bool
        Merge strata of one item, or cluster: into one together, a single one into the smallest other stratum.
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
    drop_missing : bool
        Compare on the items that all systems have instead of raising.
    names : sequence of str, optional
        Of the baseline and the candidates; by default short ones of their files, those of series or of a mapping, and
        else "baseline" and "candidate".
    input_format : str, optional
        How files of outputs and references are written, where neither name nor content tells; `outscore formats` lists
        the formats.
    lower_is_better : bool
        For mean and ratio by name: scores are losses or errors.
    id_column, score_column : str, optional
        Columns of dataframes; guessed by default.
    executor : concurrent.futures.Executor, optional
        Where resamples are computed; the result does not depend on it.

    Returns
    -------
    ComparisonResult
        Of a list of metrics `ComparisonResults`, which holds one each; of unpaired systems `UnpairedResult`.

    Raises
    ------
    DataError
        Systems that cannot be paired, numbers that are not finite, counts that contradict each other, a stratum of one.
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
    >>> comparison = result.comparisons[0]
    >>> round(comparison.gain, 3), round(comparison.tests[0].p_value, 9), str(comparison.verdict)
    (0.1, 0.429402952, 'inconclusive')

    Outputs and references, scored by a metric:

    >>> gold = ["pos", "neg", "neg", "pos", "neg", "pos"]
    >>> one, other = ["pos", "pos", "pos", "neg", "neg", "pos"], ["pos", "neg", "neg", "pos", "neg", "neg"]
    >>> result = compare(one, other, references=gold, metric="macro-f1", tests="randomization")
    >>> result.comparisons[0].tests[0].p_value
    0.625
    """
    systems, own_names = named_candidates(
        baseline, candidates, metric, references, one_column=score_column is not None or id_column is not None
    )
    if not systems:
        raise OptionError(Problem("compare", "expected a baseline and at least one candidate", "", "no-candidate"))
    what_is_swapped = choice(Unit, unit, "unit")
    if unpaired:
        from outscore.significance.unpaired import compare_samples, refuse_of_pairs, unpaired_test_named

        refuse_of_pairs(
            metric=isinstance(metric, list | tuple),
            clusters=clusters is not None,
            strata=strata is not None,
            drop_missing=drop_missing,
            unit=what_is_swapped is not Unit.ITEM,
            claim=choice(Claim, claim, "claim") is not Claim.BETTER,
            margin=margin is not None,
            method=choice(Method, method, "method") is not Method.AUTO,
            interval=choice(IntervalMethod, interval, "interval") is not IntervalMethod.TEST,
            double_check=double_check,
        )
        told = tests if isinstance(tests, str | None) else [tests] if isinstance(tests, SignificanceTest) else [*tests]
        named = (told or "welch").split(",") if isinstance(told, str | None) else told
        samples = given_systems(
            [baseline, *systems],
            metric,  # type: ignore[arg-type]
            references,
            names=names if names is not None else [None, *own_names],
            input_format=input_format,
            lower_is_better=lower_is_better,
            id_column=id_column,
            score_column=score_column,
        )
        return compare_samples(
            samples.metric,
            samples.systems,
            [unpaired_test_named(one if isinstance(one, str) else one.name) for one in named],
            choice(Alternative, alternative, "alternative"),
            alpha_of(alpha, confidence_level),
            Resampling(n_resamples=whole(n_resamples, "n_resamples"), seed=whole(seed, "seed")),
        )
    if tests is None:
        tests = Auto() if what_is_swapped is Unit.ITEM else (Auto(), Randomization())
    every = isinstance(tests, str) and tests == "all"
    settings = Settings(
        tests=given_tests(tests),
        skip_inapplicable=every,
        resampling=Resampling(
            choice(Method, method, "method"), whole(n_resamples, "n_resamples"), whole(seed, "seed"), executor
        ),
        alternative=choice(Alternative, alternative, "alternative"),
        ties=choice(Ties, ties, "ties"),
        estimator=choice(Estimator, estimator, "estimator"),
        claim=choice(Claim, claim, "claim"),
        margin=None if margin is None else number(margin, "margin"),
        alpha=alpha_of(alpha, confidence_level),
        interval=choice(IntervalMethod, interval, "interval"),
        double_check=double_check,
        unit=what_is_swapped,
    )
    several = several_metrics(metric)
    results = []
    for one in several or [metric]:
        given = given_systems(
            [baseline, *systems],
            one,
            references,
            names=names if names is not None else [None, *own_names],
            input_format=input_format,
            lower_is_better=lower_is_better,
            with_responses=what_is_swapped is Unit.RESPONSE,
            id_column=id_column,
            score_column=score_column,
            drop_missing=drop_missing,
        )
        results.append(
            compare_systems(
                given.metric,
                given.systems,
                with_margin(settings, margin, given.metric, "margin"),
                clusters=given.labels(clusters, "clusters"),
                strata=Labels.collapsing(given.labels(strata, "strata"), collapse_strata),
                drop_missing=drop_missing,
            )
        )
    return results[0] if several is None else ComparisonResults(tuple(results))


def with_margin(settings: Settings, margin: float | str | None, metric: AnyMetric, argument: str) -> Settings:
    """Return settings whose margin is in the unit of a metric's score."""
    if margin is None:
        return settings
    told = score_gain(margin, argument, metric=metric.name, is_share=metric.as_percentage)
    return replace(settings, margin=told)


def compare_systems(
    metric: AnyMetric,
    systems: Sequence[Rows],
    settings: Settings,
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    drop_missing: bool = False,
    notes: Sequence[str] = (),
) -> ComparisonResult:
    """Pair systems item by item and compare them: the first is the baseline.

    Parameters
    ----------
    metric : AnyMetric
    systems : sequence of Rows
        Rows of this metric, checked.
    settings : Settings
    clusters, strata : Labels, optional
        Of the baseline's items.
    drop_missing : bool
    notes : sequence of str
        What users should know of how the systems were read.
    """
    found = align_items(systems, clusters=clusters, strata=strata, drop_missing=drop_missing)
    baseline, *others = found.systems
    told = [*notes, *found.notes]
    if len({system.item_ids is None for system in systems}) == 2:
        told.append("Not all systems have item ids: items are paired by position.")
    return compare_rows(
        metric,
        baseline,
        others,
        settings,
        clusters=found.clusters,
        strata=found.strata,
        notes=told,
    )
