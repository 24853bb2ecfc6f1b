"""The public functions of meta-evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from outscore.asking import DEFAULT_SEED
from outscore.data.arguments import typed
from outscore.wings.metaeval.asking import ask_meta, read_meta
from outscore.wings.metaeval.results import MetaResult, OtherSystems

if TYPE_CHECKING:
    from outscore.design.scores import Scores
    from outscore.results import Correction
    from outscore.significance.base import SignificanceTest


@typed
def meta(
    human: Any,
    *metrics: Any,
    statistic: str | Sequence[str] = "acc-t",
    epsilon: str | float = "best",
    systems: OtherSystems | str | Sequence[str] = OtherSystems.FIXED,
    weights: Mapping[str, float] | None = None,
    clusters: str | Sequence[object] | None = None,
    test_sets: str | None = None,
    id_column: str | None = None,
    records: str | None = None,
    tests: SignificanceTest | str = "auto",
    correction: Correction | str | None = None,
    alpha: float | None = None,
    confidence_level: float | None = None,
    n_resamples: int | None = None,
    seed: int = DEFAULT_SEED,
    emulate: str | None = None,
) -> MetaResult:
    """Return metrics ranked by their agreement with people, with tests of all pairs.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> quality = rng.normal(size=(200, 4)) + [0, 0.2, 0.4, 0.6]  # 200 segments, 4 systems
    >>> human = (quality + rng.normal(size=quality.shape)).round()
    >>> scores = {"good": quality, "weak": quality + 3 * rng.normal(size=quality.shape)}
    >>> result = meta(human, scores)
    >>> [metric.name for metric in result], result.pair("good", "weak").p_value < 0.001
    (['good', 'weak'], True)

    Parameters
    ----------
    human : str, path, array or data frame
        Human scores: an array of items and systems, with NaN for outputs that were not rated. Or a file, as on the
        command line: of mt-metrics-eval, a column of a table as "FILE:COLUMN", or a table of items and systems.
    *metrics : mapping, array, data frame, str or path
        Metrics: a mapping of names to arrays of the same shape, or files.
    statistic : str or sequence of str
        The statistic of agreement: "acc-t" (Deutsch, Foster & Freitag 2023), "spa" (Thompson et al. 2024), "pearson"
        over all outputs, "pearson-item", "spearman-item", "kendall-item" and "kendall-c-item" (means over segments),
        "pearson-system", "spearman-system", "kendall-system", "kendall-c-system" and "pairwise-accuracy" (Kocmi et al.
        2021) of the systems' means, "preference" on pairs such as chosen and rejected, "agreement" or "kappa" of
        labels. Several are averaged.
    epsilon : {"best", "refit"} or float
        The largest difference of scores that acc-t counts as a tie: the best one for each metric, the best one in each
        resample, or a number.
    systems : {"fixed", "sampled"}, str or sequence of str
        Whether claims are about these systems or about new systems. If sampled, systems are the units: the scores of
        two metrics are swapped system by system, in all 2^S ways for up to 20 systems. Names of systems, such as
        "A,B,C" or ["sampled", "A", "B", "C"], restrict the comparison to them.
    weights : mapping of str to float, optional
        Weights of language pairs and statistics in the average. Default: equal weights.
    clusters : str or sequence, optional
        Documents: one per item, a column, "FILE:COLUMN" or "none". Default: the documents of mt-metrics-eval, or a
        column called document.
    test_sets : str, optional
        The column of language pairs or tasks. The score is their average.
    id_column : str, optional
        The column of items.
    records : str, optional
        The dotted path of the records in JSON files with several lists, such as "run.results".
    tests : SignificanceTest or str
        The test, as for `rank`. Default: as for `rank`, but the bootstrap for statistics of the systems' means.
    correction : {"max-t", "holm", "bh", "none"}, optional
        The correction for the number of pairs.
    alpha, confidence_level : float, optional
        Significance level of ranks and groups, and confidence level of intervals, 1 − alpha. Pass one of them.
        Default: 0.05.
    n_resamples : int, optional
        Maximum number of bootstrap samples or permutations. Default: 10,000 for statistics of the systems' means, else
        100,000.
    seed : int
        Random seed.
    emulate : {"mtme"}, optional
        Also compute the results of mt-metrics-eval, for acc-t and spa.

    Returns
    -------
    MetaResult

    Raises
    ------
    DataError, FileAccessError
        Scores that cannot be read, or that are of different systems or items.
    OptionError
        An argument out of its range, or an unknown name.
    NotApplicableError
        The test does not apply to the statistic, or the statistic has no scores of systems to sample.
    """
    question = ask_meta(
        statistic,
        epsilon=epsilon,
        systems=systems,
        weights=weights,
        tests=tests,
        correction=correction,
        alpha=alpha,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=seed,
        emulate=emulate,
    )
    how: dict[str, Any] = {"clusters": clusters, "test_sets": test_sets, "id_column": id_column, "records": records}
    data = read_meta(human, *metrics, of=question, **how)
    return question.answer(data)


@typed
def meta_scores(
    human: Any,
    *metrics: Any,
    statistic: str | Sequence[str] = "acc-t",
    epsilon: str | float = "best",
    weights: Mapping[str, float] | None = None,
    clusters: str | Sequence[object] | None = None,
    test_sets: str | None = None,
    id_column: str | None = None,
    records: str | None = None,
) -> Scores:
    """Return metrics as systems whose items are segments, for `compare`, `rank` and `score`.

    The score of a metric is its agreement with people. Arguments are those of `meta`.

    >>> import numpy as np, outscore
    >>> rng = np.random.default_rng(0)
    >>> human = rng.integers(0, 5, size=(100, 3))
    >>> scores = meta_scores(human, {"a": human + rng.normal(size=human.shape), "b": rng.normal(size=human.shape)})
    >>> outscore.compare(scores).comparisons[0].verdict.value
    'worse'
    """
    question = ask_meta(statistic, epsilon=epsilon, weights=weights)
    how: dict[str, Any] = {"clusters": clusters, "test_sets": test_sets, "id_column": id_column, "records": records}
    data = read_meta(human, *metrics, of=question, **how)
    return question.scores(data).scores
