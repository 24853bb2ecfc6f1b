"""Tests over units and runs: the crossed t-test, the permutation test of whole runs, the pigeonhole bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import numpy as np

from outscore._types import FloatArray
from outscore.gains.crossing import FEWEST_FOR_VERDICT, Crossing
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.influence import satterthwaite
from outscore.gains.pair import Pair
from outscore.gains.variance import gain_variance
from outscore.laws.law import Law, root
from outscore.laws.student import student_p_value, student_quantile
from outscore.laws.tolerances import LEAST_P, MOST_RUN_LABELLINGS, NOISE, TAIL_ERROR
from outscore.options import opt
from outscore.results import Alternative, Estimator, Interval, RunLaw
from outscore.significance.base import CROSSED, UNITS, SignificanceTest, one_sided, tail
from outscore.significance.p_values import PValue
from outscore.significance.t_tests import StudentLaw
from outscore.text.naming import in_a_row

FEWEST_FOR_PIGEONHOLE = 10
_NODES, _FEWER = 400, 280  # nodes of the quadrature of two t distributions, and a coarser one to estimate its error


class _OfLevels(SignificanceTest):
    """A test that draws or relabels the levels of crossed factors, such as runs."""

    samples = UNITS | CROSSED
    requires = CROSSED

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        del hypothesis
        if pair.crossing is None:
            return f"generalizes to new runs, but the systems have no runs: see {opt('run')} and {opt('runs')}"
        return None

    def beside_another(self, pair: Pair) -> str | None:
        """Return why a test of one random factor does not apply; None if only one factor is random."""
        if pair.crossing is None or len(pair.crossing.factors) == 1:
            return None
        first, *others = pair.crossing.factors
        plurals = in_a_row([factor.plural for factor in others])
        options = " and ".join(opt(factor.plural, "fixed") for factor in others)
        return f"supports random {first.plural} only, but {plurals} are random as well: see {options}"


@dataclass(frozen=True)
class CrossedT(_OfLevels):
    """The t-test over items and crossed factors, t = (δ̂ − δ₀)/√V with V = V_I + Σ S and Satterthwaite's degrees.

    Null hypothesis: over the populations of items and of runs (or templates, or raters) the gain is 0 (or δ₀). Effects
    of runs are assumed to be roughly normal. With two runs there is no verdict, and with 3 or 4 the p-value is
    approximate: see docs/calibration.md.

    Parameters
    ----------
    law : {"satterthwaite", "fiducial"}
        Distribution of t. "fiducial" adds up the t distributions of items and of each system's runs (Behrens–Fisher;
        Robinson 1976). It keeps the level with as few as two runs and has less power.
    run_sd : float or "borrowed", optional
        Standard deviation of a run's score, for a system with one run: a published value, or "borrowed" to use that of
        the other system.
    """

    law: RunLaw = RunLaw.SATTERTHWAITE
    run_sd: float | Literal["borrowed"] | None = None

    name = "crossed-t"
    cites = ("satterthwaite1946", "bell2002")
    samples = UNITS | CROSSED | {"crossed clusters"}
    title = "crossed t test over {drawn}"
    intervals = MappingProxyType({"crossed-t": "crossed t"})

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        missing = super().obstacle(pair, hypothesis)
        if missing is not None or pair.crossing is None:
            return missing
        if self.law is RunLaw.FIDUCIAL or self.run_sd == "borrowed":
            missing = self.beside_another(pair)
        if missing is None and isinstance(self.run_sd, float):
            wide = pair.crossing.metric.as_percentage and self.run_sd > 1
            sd, points = f"{self.run_sd:g}", f"{100 * self.run_sd:g}"
            return f"got {opt('run_sd', sd)}, which means {points} points: write {sd}% for points" if wide else None
        if missing is not None:
            return missing
        fewer, more = sorted(pair.crossing.n_levels(0))
        if self.run_sd == "borrowed" and more >= FEWEST_FOR_VERDICT:
            return None
        if fewer > 1:
            return None
        if self.run_sd == "borrowed":
            return (
                f"needs a system with {FEWEST_FOR_VERDICT} runs or more, to borrow the variance of runs from it, "
                "but there is none"
            )
        return "needs at least two runs of each system"

    def withheld(self, pair: Pair) -> str | None:
        if pair.crossing is None or self.run_sd is not None or self.law is RunLaw.FIDUCIAL:
            return None
        return pair.crossing.withheld("11.1%")

    def error(self, pair: Pair) -> tuple[float, float]:
        """Return √V and its degrees of freedom."""
        variance, crossing = gain_variance(pair), pair.crossing
        assert crossing is not None
        # A system with several runs does not borrow: the ordinary formula includes both.
        if self.run_sd is None or (self.run_sd == "borrowed" and min(crossing.n_levels(0)) > 1):
            return math.sqrt(variance.total), variance.total_degrees
        # The variance of the first factor, runs, is given. Those of the others are estimated.
        per_run = sum(1 / len(rows) for rows in crossing.drawn)
        parts = [(variance.items, variance.degrees)]
        if self.run_sd == "borrowed":
            (of_runs,) = variance.factors
            # V_R of the system with runs is s²/m. Each mean of runs then gets s² divided by its own number of runs.
            lent = of_runs.between * of_runs.n_levels * per_run
            parts.append((lent, of_runs.degrees))
        else:
            # A published value is taken as known. It adds to V, but not to the uncertainty of V, so it is left out of
            # the degrees of freedom.
            lent = self.run_sd**2 * per_run
            parts += [
                (factor.between, factor.degrees) for factor in variance.factors if factor.factor != crossing.factors[0]
            ]
        estimated = math.fsum(part for part, _ in parts)
        whole = estimated if self.run_sd == "borrowed" else estimated + lent
        return math.sqrt(whole), parts[0][1] if len(parts) == 1 else float(satterthwaite(parts, added=math.fsum))

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        error, degrees = self.error(pair)
        excess = pair.gain - hypothesis.null_gain
        if error == 0 and abs(excess) <= pair.tolerance:
            return PValue(1.0, "t distribution", statistic=0.0, degrees=degrees)
        t = excess / error if error > 0 else math.copysign(math.inf, excess)
        if self.law is RunLaw.FIDUCIAL and error > 0:
            scales, of_parts = self._scales(pair)
            # The difference of two quadrature rules bounds the error of the coarser, and so that of the finer by far.
            p, coarser = (_fiducial_p(excess, scales, of_parts, hypothesis.alternative, n) for n in (_NODES, _FEWER))
            off = abs(p - coarser) + 1e-9
            return PValue(p, "Behrens–Fisher distribution", off, statistic=t, degrees=degrees)
        p = student_p_value(t, degrees, hypothesis.alternative)
        # A t of exactly 0 has no error.
        off = TAIL_ERROR * p if abs(t) > NOISE else 0.0
        return PValue(p, "t distribution", off, statistic=t, degrees=degrees)

    def _scales(self, pair: Pair) -> tuple[Sequence[float], Sequence[float]]:
        """Return the scales and degrees of freedom of the t distributions of items and of runs, to be added up."""
        variance = gain_variance(pair)
        parts = [
            (variance.items, variance.degrees),
            *((factor.beyond_items, factor.degrees) for factor in variance.factors),
        ]
        return [math.sqrt(part) for part, _ in parts], [degrees for _, degrees in parts]

    def interval(
        self, pair: Pair, laws: GainLaws, alpha: float, hypothesis: Hypothesis, estimator: Estimator
    ) -> Interval:
        del laws, estimator
        tail = alpha / (2 if hypothesis.alternative is Alternative.TWO_SIDED else 1)
        error, degrees = self.error(pair)
        if self.law is RunLaw.FIDUCIAL and error > 0:
            reach = _fiducial_reach(tail, *self._scales(pair))
        else:
            reach = error * student_quantile(tail, degrees)
        interval = Interval(pair.gain - reach, pair.gain + reach, 1 - alpha, self.name, exact=False)
        return one_sided(interval, hypothesis.alternative)

    def gain_law(self, pair: Pair, laws: GainLaws) -> Law:
        del laws
        error, degrees = self.error(pair)
        return StudentLaw(pair.gain, error, degrees)

    def remarks(self, pair: Pair) -> Sequence[str]:
        if pair.crossing is None or self.run_sd is not None:
            return ()
        error_rates = ("8.2%", "6.4%") if self.law is RunLaw.SATTERTHWAITE else ()
        return pair.crossing.rough("crossed t test", error_rates, ("7.5%", "6.5%"))


def _fiducial_p(
    excess: float, scales: Sequence[float], degrees: Sequence[float], alternative: Alternative, n_nodes: int = _NODES
) -> float:
    """Return the p-value of a gain under the sum of scaled t distributions."""
    match alternative:
        case Alternative.GREATER:
            return _above(excess, scales, degrees, n_nodes)
        case Alternative.LESS:
            return _above(-excess, scales, degrees, n_nodes)
        case Alternative.TWO_SIDED:
            return min(2 * _above(abs(excess), scales, degrees, n_nodes), 1.0)


def _above(value: float, scales: Sequence[float], degrees: Sequence[float], n_nodes: int = _NODES) -> float:
    """Return P(Σ scale·T > value), by quadrature over the quantiles of all terms but the widest."""
    from scipy.special import stdtr, stdtrit

    # The widest distribution is smooth on the scale of the others. So few nodes suffice for integrating its tail over
    # them.
    order = sorted((scale, nu) for scale, nu in zip(scales, degrees, strict=True) if scale > 0)
    *others, (scale, nu) = order
    levels, weights = quadrature(n_nodes)
    below = levels[: n_nodes // 2]  # the rest by symmetry: levels near 1 are rounded, and SciPy 1.14 gives NaN for 1
    rest, mass = np.zeros(1), np.ones(1)
    for width, its_degrees in others:
        quantiles = stdtrit(its_degrees, below)
        rest = np.add.outer(rest, width * np.concatenate([quantiles, -quantiles[::-1]])).ravel()
        mass = np.multiply.outer(mass, weights).ravel()
    return float(np.clip(mass @ stdtr(nu, (rest - value) / scale), LEAST_P, 1.0))


@cache
def quadrature(n_nodes: int = _NODES) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights for integrals over (0, 1) of functions that may be steep at both ends."""
    # The tanh-sinh rule (Takahasi & Mori 1974): nodes crowd towards both ends, where quantiles of t are infinite.
    # Beyond ± 3.4 the weights are below 1e-18.
    x = np.linspace(-3.4, 3.4, n_nodes)
    u = np.pi / 2 * np.sinh(x)
    levels = 1 / (1 + np.exp(-2 * u))
    weights = np.cosh(x) / np.cosh(u) ** 2
    return levels, weights / weights.sum()


def _fiducial_reach(tail: float, scales: Sequence[float], degrees: Sequence[float]) -> float:
    """Return q with P(Σ scale·T > q) = tail."""

    def excess(q: float) -> float:
        return _above(q, scales, degrees) - tail

    high = sum(scale * student_quantile(tail, nu) for scale, nu in zip(scales, degrees, strict=True))
    while excess(high) > 0:
        high *= 2
    return root(excess, 0.0, high, within=1e-9 * high)


@dataclass(frozen=True)
class PermuteRuns(_OfLevels):
    """The permutation test of whole runs: all relabellings of the m_A + m_B runs, or all swaps if runs are paired.

    Null hypothesis: the scores of the two procedures have the same distribution, not only the same mean. With
    m = 2, 3, 5 runs each, the one-sided p-value is at least 1/6, 1/20, 1/252.
    """

    name = "permute-runs"
    cites = ("pitman1937",)
    title = "permutation test of whole runs"

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        missing = super().obstacle(pair, hypothesis)
        missing = missing or self.beside_another(pair)
        if missing is None and hypothesis.null_gain != 0:
            return "does not support a margin"
        if missing is None and pair.crossing is not None and pair.crossing.has_constant:
            return "relabels the runs of two systems, but a constant has no runs"
        if missing is None and pair.crossing is not None and _n_labellings(pair.crossing) > MOST_RUN_LABELLINGS:
            return "enumerates all labellings, but so many runs have more than a million"
        return missing

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        del laws
        crossing = pair.crossing
        assert crossing is not None
        (factor,) = crossing.factors
        before, after = (crossing.sign * scores for scores in gain_variance(pair).scores[factor.name])
        if factor.is_shared:
            # The bits of the numbers below 2ᵐ are all ways of swapping the runs of m pairs.
            signs = 1 - 2 * ((np.arange(2 ** len(before))[:, None] >> np.arange(len(before))) & 1)
            gains = signs @ (after - before) / len(before)
        else:
            scores = np.concatenate([before, after])
            chosen = np.array(list(combinations(range(len(scores)), len(after))))
            sums = scores[chosen].sum(axis=1)
            gains = sums / len(after) - (scores.sum() - sums) / len(before)
        observed = math.fsum(after) / len(after) - math.fsum(before) / len(before)
        # The same runs added in another order differ in the last bits, but the observed labelling has to count.
        slack = NOISE * float(np.abs(np.concatenate([before, after])).max())
        match hypothesis.alternative:
            case Alternative.GREATER:
                extreme = gains >= observed - slack
            case Alternative.LESS:
                extreme = gains <= observed + slack
            case Alternative.TWO_SIDED:
                extreme = np.abs(gains) >= abs(observed) - slack
        return PValue(float(extreme.mean()), "exact: all labellings", statistic=observed, least=1 / len(gains))


def _n_labellings(crossing: Crossing) -> int:
    n_baseline, n_candidate = crossing.n_levels(0)
    return int(2**n_baseline if crossing.factors[0].is_shared else math.comb(n_baseline + n_candidate, n_baseline))


@dataclass(frozen=True)
class Pigeonhole(_OfLevels):
    """The bootstrap of items and of runs, each drawn with replacement (Owen 2007's pigeonhole), recentred.

    Null hypothesis: as for `CrossedT`. With fewer than 10 runs it underestimates their variance: if seeds matter, it
    rejects 15% of true null hypotheses at m = 3 and 9.8% at m = 5.
    """

    name = "pigeonhole"
    cites = ("owen2007",)
    title = "pigeonhole bootstrap of {drawn}"
    resamples = True
    centre = "observed"

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        missing = super().obstacle(pair, hypothesis) or self.beside_another(pair)
        crossing = pair.crossing
        if missing is None and crossing is not None and min(crossing.n_levels(0)) < FEWEST_FOR_PIGEONHOLE:
            return f"needs {FEWEST_FOR_PIGEONHOLE} runs of each system; with fewer its type I error rate is too high"
        return missing

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        return tail(laws.pigeonhole(), hypothesis, 2 * pair.gain - hypothesis.null_gain, pair.gain)
