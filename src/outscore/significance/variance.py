"""What units and runs add to the variance of a gain, or of a score.

The model is Y_sir = μ_s + a_si + b_sr + e_sir, for unit i and run r of system s: effects of units that systems share,
of runs, and their interaction. A gain over new units and new runs varies by σ²_D/n + Σ τ_s²/m_s + Σ ω_s²/(n·m_s), of
which a test over units sees the first part alone (McCullagh 2000; Owen 2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.design import Units
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.naming import quoted
from outscore.results import Alternative
from outscore.rows import Rows
from outscore.significance.influence import Leverage, Spread, of_normal, spread_of
from outscore.significance.p_values import normal_quantile, student_p_value
from outscore.significance.pair import AnyPair, Pair, SystemRuns

_FAR = 0.01  # so rarely, at most, one of normal runs of a system is called far from the others
_TIE = 1e-12


def parts_of_gain(pair: AnyPair) -> Sequence[Spread]:
    """Return the spreads of a pair's gain over everything that was sampled: units or both clusterings, and runs."""
    if pair.two_way is not None:
        assert isinstance(pair, Pair)
        over = [Units(len(codes), codes) for codes in pair.two_way]
        return [spread_of(Pair(pair.metric, of.sums(pair.baseline), of.sums(pair.candidate))) for of in over]
    if pair.runs is not None and pair.runs.random:
        return gain_variance(pair).parts
    return [spread_of(pair)]


@dataclass(frozen=True)
class RunFactor:
    """What the runs of one system, or paired runs or templates of both, add to the variance of the gain.

    Attributes
    ----------
    n_runs : int
        m.
    between : float
        V_R: the variance of the mean of m runs' scores, by their spread. It holds interaction as well.
    interaction : float
        V_E: what the interaction of items and runs adds; `GainVariance.items` holds it, too. 0 where items are crossed
        with both runs and templates: what is counted more than once is then left in (Owen & Eckles 2012).
    kind : str
        "run" or "template".
    """

    n_runs: int
    between: float
    interaction: float
    kind: str = "run"

    @property
    def beyond_items(self) -> float:
        """S = max(V_R − c·V_E, 0) with c = max(0, (m − 3)/(m − 1)).

        With few runs interaction is left in twice, because V_R itself is too uncertain.
        """
        m = self.n_runs
        return max(self.between - max(0.0, (m - 3) / (m - 1)) * self.interaction, 0.0)


@dataclass(frozen=True)
class GainVariance:
    """The variance of a gain over items and runs.

    Attributes
    ----------
    units : Spread
        Over units, these runs given.
    n_units : int
    factors : tuple of RunFactor
        One a system; one alone of paired runs. With templates beside runs theirs is the first.
    run_scores : tuple of ndarray, shape (m,)
        The scores of the runs of each system.
    template_scores : tuple of ndarray, shape (T,)
        Of templates beside runs.
    run_noise : tuple of float
        By how much the runs of each system would differ (sd) if interaction with items were all that tells them apart;
        0 of one run.
    constant : bool
        Whether the first system is a constant.
    """

    units: Spread
    n_units: int
    factors: tuple[RunFactor, ...]
    run_scores: tuple[FloatArray, ...]
    run_noise: tuple[float, ...] = ()
    constant: bool = False
    template_scores: tuple[FloatArray, ...] = ()

    @property
    def items(self) -> float:
        """V_I: the variance over units."""
        return float(self.units.variance)

    @property
    def degrees(self) -> float:
        """Of that variance."""
        return float(self.units.design_degrees)

    @property
    def parts(self) -> Sequence[Spread]:
        """The spreads over units and over new runs of each system."""
        return [self.units, *(of_normal(one.beyond_items, one.n_runs - 1.0) for one in self.factors)]

    @cached_property
    def total(self) -> float:
        """V = V_I + Σ S."""
        return self.items + math.fsum(factor.beyond_items for factor in self.factors)

    @cached_property
    def total_degrees(self) -> float:
        """ν = V² / (V_I²/ν_I + Σ V_R²/(m − 1)), after Satterthwaite (1946)."""
        return satterthwaite(
            self.total, [(self.items, self.degrees), *((one.between, one.n_runs - 1) for one in self.factors)]
        )

    @property
    def components(self) -> tuple[float, float, float]:
        """What items, runs and their interaction add to the variance of the gain: σ²_D/n, Σ τ²/m, Σ ω²/(n·m).

        Method of moments, each at least 0 (Cornfield & Tukey 1956).
        """
        interaction = math.fsum(one.interaction for one in self.factors)
        runs = math.fsum(max(one.between - one.interaction, 0.0) for one in self.factors)
        return max(self.items - interaction, 0.0), runs, interaction

    @property
    def of_templates(self) -> float:
        """What templates add: a part of the second one of the `components`."""
        return math.fsum(max(one.between - one.interaction, 0.0) for one in self.factors if one.kind == "template")

    def anew(self, n_units: float, n_runs: Sequence[int]) -> float:
        """Return the variance of the gain with another number of units and of runs of each factor (equation 1)."""
        items, _, _ = self.components
        variance = items * self.n_units / n_units
        for factor, m in zip(self.factors, n_runs, strict=True):
            variance += max(factor.between - factor.interaction, 0.0) * factor.n_runs / m
            variance += factor.interaction * factor.n_runs * self.n_units / (m * n_units)
        return variance

    @property
    def run_sd(self) -> tuple[float, float]:
        """The standard deviation of a run's score from run to run, over the systems, and its degrees of freedom.

        The root of the mean of the systems' variances: it holds what each run's own items add as well.
        """
        drawn = self.run_scores[self.constant :]
        parts = [(_variance_of(scores), len(scores) - 1) for scores in drawn if len(scores) > 1]
        if not parts:
            return math.nan, 0.0
        whole = math.fsum(variance for variance, _ in parts)
        return math.sqrt(whole / len(parts)), satterthwaite(whole, parts)

    @property
    def share_won(self) -> float:
        """The share of pairs of a run of each system of which the candidate's scores better, ties half."""
        one, other = self.run_scores
        return float((np.sign(other[None] - one[:, None]) + 1).mean() / 2)


def satterthwaite(whole: float, parts: Sequence[tuple[float, float]]) -> float:
    """Return whole² / Σ part²/degrees; the degrees of all together where there is no variance."""
    squares = math.fsum((part / whole) ** 2 / degrees for part, degrees in parts) if whole > 0 else 0.0
    return 1 / squares if squares > 0 else math.fsum(degrees for _, degrees in parts)


def gain_variance(pair: AnyPair) -> GainVariance:
    """Return the variance of a pair's gain, or of the score of one system, over units and runs.

    All parts come from influences: what each run's score loses without each unit (`influence.Leverage`).

    Parameters
    ----------
    pair : AnyPair
        With runs.
    """
    runs = pair.runs
    assert runs is not None
    known: GainVariance = runs.computed("variance", lambda: _variance(runs, Leverage(pair.sizes, runs.strata)))
    return known


# The scores of a system's runs, shape (m,), and the influences of units on them, (m, n): higher is better.
_Known: TypeAlias = tuple[FloatArray, FloatArray]


def _known(runs: SystemRuns, place: int, leverage: Leverage) -> _Known:
    """Return the scores of a system's runs and the influences on them, rounding left out."""
    scores, influences = [], []
    for rows in runs.systems[place]:
        totals = rows.sum(axis=0)
        score = float(runs.metric.score(totals))
        scores.append(score)
        influences.append(leverage.influences(score - runs.metric.score(totals - rows)))
    return runs.sign * np.array(scores), runs.sign * np.array(influences)


def _variance(runs: SystemRuns, leverage: Leverage) -> GainVariance:
    """Return V_I, V_R and V_E of a baseline and a candidate, or of one system."""

    def size_of(scores: FloatArray, influences: FloatArray) -> float:
        return float(np.abs(scores).max() + np.abs(influences).max())

    def beyond_rounding(influences: FloatArray, size: float) -> Spread:
        # What rounding leaves of runs, or systems, that are alike is no spread.
        alike = float(np.abs(influences).max()) <= _TIE * size
        return leverage.spread(np.zeros_like(influences) if alike else influences)

    def parts(scores: FloatArray, influences: FloatArray) -> tuple[FloatArray, RunFactor | None]:
        mean = np.sort(influences, axis=0).sum(axis=0) / len(influences)  # the same in any order of runs
        m = len(scores)
        if m < 2:
            return mean, None
        size = size_of(scores, influences)
        errors = sorted(float(beyond_rounding(run - mean, size).variance) for run in influences)
        return mean, RunFactor(m, _variance_of(scores) / m, math.fsum(errors) / (m * (m - 1)), runs.kind)

    own = [_known(runs, place, leverage) for place in range(len(runs.systems))]
    if runs.n_templates > 1:
        return _over_templates(runs, own, leverage)
    of_systems = [parts(*system) for system in own]
    factors = [factor for _, factor in of_systems]
    noise = tuple(0.0 if one is None else math.sqrt(one.interaction * one.n_runs) for one in factors)
    if runs.paired and len(own) > 1:
        units, factor = parts(own[1][0] - own[0][0], own[1][1] - own[0][1])
        factors = [factor]
    else:
        units = of_systems[-1][0] if len(own) == 1 else of_systems[1][0] - of_systems[0][0]
        factors = factors[runs.constant and len(own) > 1 :]
    return GainVariance(
        beyond_rounding(units, max(size_of(*system) for system in own)),
        runs.n_units,
        tuple(factor for factor in factors if factor is not None),
        tuple(runs.sign * scores for scores, _ in own),
        noise,
        constant=runs.constant,
    )


def _over_templates(runs: SystemRuns, known: Sequence[_Known], leverage: Leverage) -> GainVariance:
    """Return V_I, V_T and V_R where each run meets each template: the sum of them is the variance of the gain."""
    grids = [scores.reshape(-1, runs.n_templates) for scores, _ in known]
    values = [np.sort(of, axis=0).sum(axis=0) / len(of) for _, of in known]
    units = leverage.spread(values[-1] if len(values) == 1 else values[1] - values[0])
    of_runs = [np.sort(grid, axis=1).sum(axis=1) / grid.shape[1] for grid in grids]
    of_templates = [np.sort(grid, axis=0).sum(axis=0) / len(grid) for grid in grids]

    def factor(scores: FloatArray, kind: str) -> RunFactor:
        return RunFactor(len(scores), _variance_of(scores) / len(scores), 0.0, kind)

    factors = [factor(of_templates[-1] - (of_templates[0] if len(known) > 1 else 0.0), "template")]
    differences = [of_runs[1] - of_runs[0]] if runs.paired and len(known) > 1 else of_runs
    factors += [factor(scores, "run") for scores in differences if len(scores) > 1]
    sign = runs.sign
    return GainVariance(
        units,
        runs.n_units,
        tuple(factors),
        tuple(sign * scores for scores in of_runs),
        (0.0,) * len(of_runs),
        template_scores=tuple(sign * scores for scores in of_templates),
    )


def _variance_of(scores: FloatArray) -> float:
    """Return s², 0 where scores differ by rounding alone; the same in any order."""
    centre = math.fsum(scores) / len(scores)
    deviations = scores - centre
    if float(np.abs(deviations).max()) <= _TIE * float(np.abs(scores).max()):
        return 0.0
    return math.fsum(deviations**2) / (len(scores) - 1)


def far_runs(scores: FloatArray, noise: float) -> list[int]:
    """Return the places of runs that lie far from all others of their system.

    The externally studentised deviation of each is tested by Student's t with m − 2 degrees of freedom, at 1% over the
    m runs together (Grubbs 1969); other runs that differ by less than their noise are taken to differ by that.

    Parameters
    ----------
    scores : ndarray, shape (m,)
    noise : float
        As of `GainVariance.run_noise`.

    Examples
    --------
    >>> far_runs(np.array([0.81, 0.80, 0.82, 0.79, 0.31]), 0.01), far_runs(np.array([0.81, 0.80, 0.31]), 0.01)
    ([4], [])
    """
    m, far = len(scores), []
    for place in range(m) if m > 2 else ():
        others = np.delete(scores, place)
        scale = max(math.sqrt(_variance_of(others)), noise) * math.sqrt(1 + 1 / (m - 1))
        off = abs(float(scores[place]) - math.fsum(others) / (m - 1))
        if off > _TIE * float(np.abs(scores).max()) and (
            scale == 0 or m * student_p_value(off / scale, m - 2, Alternative.TWO_SIDED) <= _FAR
        ):
            far.append(place)
    return far


def far_run_remarks(metric: AnyMetric, systems: Sequence[Rows], variance: GainVariance) -> list[str]:
    """Return a sentence for each run of some systems that lies far from the others of its own."""
    factor, remarks = 100.0 if metric.as_percentage else 1.0, []
    for system, scores, noise in zip(systems, variance.run_scores, variance.run_noise, strict=True):
        for place in far_runs(scores, noise):
            name = str(place + 1) if system.runs is None else system.runs.names[place]
            own, others = scores[place], np.delete(scores, place)
            low, high = factor * others.min(), factor * others.max()
            remarks.append(
                f"{system.name}: run {quoted(name)} scores {factor * own:.4g}, far from its other runs, which score "
                f"{low:.4g} to {high:.4g}. Crossed t takes runs to be near normal: where one in ten of one system is "
                "bad, it rejects up to 11.8% of true nulls at 5% with 5 runs."
            )
    return remarks


def system_variances(runs: SystemRuns) -> GainVariance:
    """Return the runs' scores of every system with what interaction makes of them."""
    leverage = Leverage(runs.sizes, runs.strata)
    each = [_variance(runs.of(place), leverage) for place in range(len(runs.systems))]
    scores, noise = (tuple(of.run_scores[0] for of in each), tuple(of.run_noise[0] for of in each))
    return GainVariance(Spread(0.0, 0.0, 1.0, 1.0), runs.n_units, (), scores, noise)


def covariance_of_runs(runs: SystemRuns, leverage: Leverage) -> FloatArray:
    """Return what runs, and templates, add to the covariances of the systems' scores, shape (s, s).

    Systems share paired runs and templates; other runs are drawn for each system separately. As in `RunFactor`, what
    interaction with units adds is subtracted where there are four runs or more, so that the variance of a gain is that
    of `gain_variance`, but where that is cut off at 0. Turned so that higher is better.
    """
    known = [_known(runs, place, leverage) for place in range(len(runs.systems))]
    grids = [scores.reshape(-1, runs.n_templates) for scores, _ in known]

    def of_means(values: Sequence[FloatArray]) -> FloatArray:
        """Return the covariances of means over m draws that all systems share, shape (m, ...) each."""
        m = len(values[0])
        off = np.array([(of - of.mean(axis=0)).ravel() for of in values])
        return np.asarray(off @ off.T / (m * max(m - 1, 1)))

    def of_runs(values: Sequence[FloatArray]) -> FloatArray:
        return of_means(values) if runs.paired else np.diag([float(of_means([of])[0, 0]) for of in values])

    covariance = of_runs([grid.mean(axis=1) for grid in grids])
    if runs.n_templates > 1:
        return covariance + of_means([grid.mean(axis=0) for grid in grids])
    kept = [max(0.0, (m - 3) / (m - 1)) if m > 1 else 0.0 for m in runs.n_runs]
    return covariance - np.sqrt(np.multiply.outer(kept, kept)) * of_runs([influences for _, influences in known])


def one_run(runs: SystemRuns, alpha: float) -> OptionError:
    """Return why runs cannot be random where a system has but one, with what can be said instead."""
    what = "one run of a system does not tell how runs vary"
    if runs.shared is not None and len(runs.systems) == 2:
        variance = _variance(runs, Leverage(runs.shared, runs.strata))
        one, other = (math.fsum(scores) / len(scores) for scores in variance.run_scores)
        gain = runs.sign * (other - one)
        tipping = tipping_run_sd(variance, gain, alpha, runs.n_drawn)
        if tipping is None:
            what += f". Its gain of {gain:.4g} is not significant even on new items alone"
        else:
            what += (
                f". On new items alone its gain of {gain:.4g} is significant, and would no longer be if one run's "
                f"score varies by more than {tipping:.3g} (sd) from run to run"
            )
    advice = "Add runs, pass --run-sd with a published value (or borrowed), or --runs fixed."
    return OptionError(Problem("--runs random", what, advice, "one-run"))


def tipping_run_sd(variance: GainVariance, gain: float, alpha: float, n_runs: Sequence[int]) -> float | None:
    """Return the sd of a run's score from run to run beyond which the gain would no longer be significant, two-sided.

    τ* = √((δ̂/z)² − V_I) / √(Σ 1/m_s). None where the items alone do not tell the systems apart.

    Examples
    --------
    >>> known = GainVariance(0.011**2, 499.0, 500, (), (np.zeros(1), np.zeros(1)))
    >>> round(tipping_run_sd(known, 0.03, 0.05, (1, 1)), 10)
    0.0075261542
    """
    left = (gain / normal_quantile(alpha / 2)) ** 2 - variance.items
    return math.sqrt(left / sum(1 / m for m in n_runs)) if left > 0 else None
