"""What the studies' commands share: how systems are read, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal  # noqa: F401 - inherited annotations are read with the names of this module

from cyclopts import Parameter

from outscore.cli.arguments import seed as parse_seed
from outscore.cli.arguments import threads
from outscore.cli.reading import BoardReads
from outscore.coercion import whole_number
from outscore.readers.families import families_of
from outscore.results import Estimator, Method, Ties
from outscore.results.studies import Fit
from outscore.scores import Scores
from outscore.significance import Resampling, test_named
from outscore.studies import IsotonicFit, LogisticFit, ScaledFit, StudyOptions, ThresholdRule, WindowRule

__all__ = ["Asks", "Reads"]

RULES: dict[Fit, type[ThresholdRule]] = {
    Fit.WINDOW: WindowRule,
    Fit.ISOTONIC: IsotonicFit,
    Fit.LOGISTIC: LogisticFit,
    Fit.SCALED: ScaledFit,
}


@Parameter(name="*")
@dataclass(frozen=True)
class Reads(BoardReads):
    """How systems are read, and which of them make relations of their own.

    Attributes
    ----------
    relations
        FILE:COLUMN of a table that marks some systems, for example as combination, and leaves the others empty. A
        marked system's pairs are a relation of their own.
    """

    relations: str | None = None

    def marks(self, scores: Scores) -> dict[str, str]:
        """Return the marks of systems, by their names."""
        if self.relations is None:
            return {}
        marks = families_of(scores.names, self.relations)
        return {name: mark for name, mark in zip(scores.names, marks, strict=True) if mark is not None}


@Parameter(name="*")
@dataclass(frozen=True)
class Asks:
    """How p-values and thresholds are come by.

    Attributes
    ----------
    test
        bootstrap (default) or another test, one-sided in the direction that the data took.
    fit
        Of thresholds: window (BK12's percentile of the gains of pairs with p near 0.05), or, for boards of few pairs,
        scaled, isotonic or logistic.
    window
        The p-values that count as near 0.05.
    min_pairs
        Thresholds that would rest on fewer pairs are refused.
    method
        auto: exact wherever that is quick; exact: or an error; monte-carlo: sampled.
    n_resamples
        Resamples of a test set where p-values are sampled; by default 1e5 for gain and transfer, 1e4 for each test set
        of size and domains, 1e3 for each of calibration.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads. The result does not depend on it.
    ties
        Whether a replicate equal to the threshold counts (>=) or not (>, as BK12).
    estimator
        Of sampled p-values: add-one (c+1)/(r+1), or plain c/r, as BK12.
    confidence_level
        Of the intervals.
    """

    test: Annotated[str, Parameter(alias="-t")] = "bootstrap"
    fit: Fit = Fit.WINDOW
    window: tuple[float, float] = (0.04, 0.06)
    min_pairs: int = 10
    method: Method = Method.AUTO
    n_resamples: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    jobs: int = 1
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    confidence_level: float = 0.95

    def options(self, n_resamples: int) -> StudyOptions:
        """Return what is asked of a study, whose resamples are `n_resamples` by default."""
        threads(self.jobs)
        r = n_resamples if self.n_resamples is None else whole_number(self.n_resamples, "--n-resamples")
        return StudyOptions(
            rule=RULES[self.fit](*self.window),
            min_pairs=self.min_pairs,
            test=test_named(self.test),
            resampling=Resampling(self.method, r, parse_seed(self.seed)),
            ties=self.ties,
            estimator=self.estimator,
            confidence_level=self.confidence_level,
        )
