"""What is asked of a ranking, and what its readers are warned of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from outscore.errors import OptionError, Problem
from outscore.results import Alternative, Correction, Estimator, RankedPair, Ties
from outscore.significance.base import Question, SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.comparing import Settings
from outscore.significance.gain_laws import Resampling
from outscore.significance.influence import enough_units
from outscore.significance.max_t import most_pairs_measured
from outscore.significance.p_values import PValue
from outscore.significance.tables import SystemTable

__all__ = ["RankingSettings", "ranking_warnings"]

_NEGLIGIBLE_BOUND = 1e-12
_NORMAL_95 = 1.96  # standard deviations to each side that hold 95% of a normal law


@dataclass(frozen=True)
class RankingSettings:
    """Everything that is asked of a ranking.

    Attributes
    ----------
    tests : sequence of SignificanceTest
        The first one's p-values are corrected, and give ranks and groups.
    resampling : Resampling
        Its n_resamples serve p-values that are sampled, max-T, intervals and P(best).
    alternative : Alternative
        two-sided, because the direction of a pair comes from the data; or greater, as BK12.
    ties, estimator : enumerations
    correction : Correction, optional
        The one that ranks and groups go by. By default max-T where the first test is the bootstrap, whose
        correction it is, and Holm's otherwise.
    max_t : bool
        Whether to compute max-T.
    alpha : float
        In (0, 1); the confidence level of intervals is 1 − alpha.
    """

    tests: Sequence[SignificanceTest] = field(default_factory=lambda: (Bootstrap(),))
    resampling: Resampling = field(default_factory=Resampling)
    alternative: Alternative = Alternative.TWO_SIDED
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    correction: Correction | None = None
    max_t: bool = True
    alpha: float = 0.05

    @property
    def confidence_level(self) -> float:
        return 1 - self.alpha

    def __post_init__(self) -> None:
        # What is wrong with them is wrong with them in a comparison too, and said in the same words.
        Settings(
            tests=self.tests,
            resampling=self.resampling,
            alternative=self.alternative,
            alpha=self.alpha,
        )
        if self.alternative is Alternative.LESS:
            raise OptionError(
                Problem(
                    "--alternative",
                    "in a ranking the better-scoring system of each pair is the candidate: less asks nothing",
                    "Use two-sided or greater.",
                    "out-of-range",
                )
            )
        if self.correction is Correction.MAX_T and not self.max_t:
            raise OptionError(
                Problem("--correction", "max-t was asked for and left out at once", "Drop one.", "out-of-range")
            )

    @property
    def chosen_correction(self) -> Correction:
        """The correction that ranks and groups go by."""
        if self.correction is not None:
            return self.correction
        return Correction.MAX_T if self.max_t and isinstance(self.tests[0], Bootstrap) else Correction.HOLM

    @property
    def question(self) -> Question:
        """What is asked of the better-scoring system of each pair."""
        return Question(self.alternative, 0.0, self.ties)


def ranking_warnings(
    pairs: Sequence[RankedPair],
    p_values: Sequence[PValue],
    table: SystemTable,
    settings: RankingSettings,
    *,
    unit: str,
) -> list[str]:
    """Return what a reader of a ranking must know, in full sentences.

    Parameters
    ----------
    pairs : sequence of RankedPair
    p_values : sequence of PValue
        Of the first test, pair by pair.
    table : SystemTable
    settings : RankingSettings
    unit : str
        "item" or "cluster".
    """
    alpha, m, r = settings.alpha, len(pairs), settings.resampling.n_resamples
    found = []
    if settings.alternative is Alternative.GREATER:
        found.append(
            "One-sided p-values in the direction that the data took, as BK12 report them: under the null hypothesis "
            "they are half as large as they should be."
        )
    correction = settings.chosen_correction
    least = 1 / (r + 1)
    if correction is Correction.HOLM and any(not pair.exact for pair in pairs) and m * least > alpha:
        found.append(
            f"With {r} resamples the smallest p-value is {least:.2g}, and Holm's correction over {m} pairs makes it "
            f"{min(m * least, 1.0):.2g}: raise --n-resamples, or use max-t."
        )
    close = sum(not pair.exact and pair.p_value_low <= alpha <= pair.p_value_high for pair in pairs)
    if close and correction is Correction.NONE:
        found.append(
            f"The sampled p-values of {close} pair(s) are too close to {alpha:g} to call: their intervals hold it. "
            "Raise --n-resamples."
        )
    if correction is Correction.MAX_T:
        # Those that hold α in the interval of Wilson's at 95%.
        error = _NORMAL_95 * math.sqrt(alpha * (1 - alpha) / r)
        sampled = [pair.p_maxt for pair in pairs if not (pair.exact and pair.p_maxt == pair.p_value)]
        close = sum(p is not None and abs(p - alpha) <= error for p in sampled)
        if close:
            found.append(
                f"The max-T p-values of {close} pair(s), sampled, are too close to {alpha:g} to call: with "
                "another seed the groups could be others. Raise --n-resamples."
            )
    if table.n_units < enough_units(alpha) and (
        isinstance(settings.tests[0], Bootstrap) or correction is Correction.MAX_T
    ):
        found.append(
            f"With {table.n_units} {unit}s the bootstrap rejects true nulls too often; --test randomization does not "
            "where equal systems are alike."
        )
    if correction is Correction.MAX_T and table.n_units >= enough_units(alpha) and m > most_pairs_measured(table):
        found.append(
            f"Of {m} pairs on {table.n_units} {unit}s max-t may tell too many equal systems apart: its error was "
            f"measured for at most {most_pairs_measured(table)} pairs on so few (docs/calibration.md). Randomization, "
            "which takes Holm's correction, keeps it."
        )
    same = int(table.identical.sum())
    if same:
        found.append(f"{same} pair(s) of systems have the same rows: their p-values are 1.")
    if correction is Correction.BH:
        found.append(
            "Benjamini and Hochberg's correction bounds the share of false discoveries, not the chance of any: rank "
            "intervals by it may all together be wrong more often than alpha says."
        )
    bounds = sum(p.is_bound for p in p_values)
    if bounds and any(p.is_bound and p.value > _NEGLIGIBLE_BOUND for p in p_values):
        found.append(f"No resample reaches the threshold of {bounds} pair(s): their p-values are bounds.")
    return found
