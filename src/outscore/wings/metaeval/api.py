"""The public functions of meta-evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from outscore.signatures import declared_alone
from outscore.wings.metaeval.asking import ask_meta, read_meta
from outscore.wings.metaeval.results import MetaResult

if TYPE_CHECKING:
    from outscore.declared import MetaOptions, MetaScoresOptions
    from outscore.design.scores import Scores


@declared_alone
def meta(human: Any, *metrics: Any, **options: Unpack[MetaOptions]) -> MetaResult:
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
    question = ask_meta(**options)
    return question.answer(read_meta(human, *metrics, question=question, **options))


@declared_alone
def meta_scores(human: Any, *metrics: Any, **options: Unpack[MetaScoresOptions]) -> Scores:
    """Return metrics as systems whose items are segments, for `compare`, `rank` and `score`.

    The score of a metric is its agreement with people. Arguments are those of `meta`.

    >>> import numpy as np, outscore
    >>> rng = np.random.default_rng(0)
    >>> human = rng.integers(0, 5, size=(100, 3))
    >>> scores = meta_scores(human, {"a": human + rng.normal(size=human.shape), "b": rng.normal(size=human.shape)})
    >>> outscore.compare(scores).comparisons[0].verdict.value
    'worse'
    """
    question = ask_meta(**options)
    return question.scores(read_meta(human, *metrics, question=question, **options)).scores
