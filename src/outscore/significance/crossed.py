"""Several runs of each system, drawn as items are: what items, runs and both together add to the variance of a gain.

The model is Y_sir = μ_s + a_si + b_sr + e_sir, for item i and run r of system s: item effects that systems share, run
effects, interaction. A gain over new items and new runs varies by σ²_D/n + Σ τ_s²/m_s + Σ ω_s²/(n·m_s), of which a test
over items sees the first part alone (McCullagh 2000; Owen 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, Problem
from outscore.laws import Law, Probability
from outscore.metrics import AnyMetric, RatioMetric
from outscore.naming import quoted
from outscore.results import Alternative, Estimator, Interval, RunLaw
from outscore.rows import Rows
from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, one_sided
from outscore.significance.p_values import normal_quantile, student_p_value, student_quantile
from outscore.significance.pair import AnyPair, SystemRuns
from outscore.significance.t_tests import StudentLaw, mean_error
from outscore.strata import n_draws

__all__ = [
    "FEWEST_FOR_PIGEONHOLE",
    "FEWEST_FOR_VERDICT",
    "CrossedT",
    "GainVariance",
    "PermuteRuns",
    "Pigeonhole",
    "RunFactor",
    "crossed_deviations",
    "far_run_remarks",
    "far_runs",
    "gain_variance",
    "one_run",
    "quadrature",
    "run_deviations",
    "system_variances",
    "tipping_run_sd",
]

FEWEST_FOR_VERDICT = 3
FEWEST_FOR_PIGEONHOLE = 10
_MOST_LABELLINGS = 2**20
_FAR = 0.01  # so rarely, at most, one of normal runs of a system is called far from the others
_NODES, _FEWER = 400, 280  # of the quadrature of two t distributions, and to tell its error
_TIE = 1e-12
_NORMAL_95 = 1.959964


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
    items : float
        V_I: over items, these runs given.
    degrees : float
        Of that variance; n − 1 without strata.
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
    n_resamples : int, optional
        How many resamples told the variance over items; None of closed forms.
    constant : bool
        Whether the first system is a constant.
    """

    items: float
    degrees: float
    n_units: int
    factors: tuple[RunFactor, ...]
    run_scores: tuple[FloatArray, ...]
    run_noise: tuple[float, ...] = ()
    n_resamples: int | None = None
    constant: bool = False
    template_scores: tuple[FloatArray, ...] = ()

    @cached_property
    def total(self) -> float:
        """V = V_I + Σ S."""
        return self.items + math.fsum(factor.beyond_items for factor in self.factors)

    @cached_property
    def total_degrees(self) -> float:
        """ν = V² / (V_I²/ν_I + Σ V_R²/(m − 1)), after Satterthwaite (1946)."""
        return _satterthwaite(
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
        return math.sqrt(whole / len(parts)), _satterthwaite(whole, parts)

    @property
    def share_won(self) -> float:
        """The share of pairs of a run of each system of which the candidate's scores better, ties half."""
        one, other = self.run_scores
        return float((np.sign(other[None] - one[:, None]) + 1).mean() / 2)


def _satterthwaite(whole: float, parts: Sequence[tuple[float, float]]) -> float:
    """Return whole² / Σ part²/degrees; the degrees of all together where there is no variance."""
    squares = math.fsum((part / whole) ** 2 / degrees for part, degrees in parts) if whole > 0 else 0.0
    return 1 / squares if squares > 0 else math.fsum(degrees for _, degrees in parts)


def gain_variance(pair: AnyPair, laws: PairLaws) -> GainVariance:
    """Return the variance of a pair's gain, or of the score of one system, over items and runs.

    Of metrics that are linear in items it is computed in closed form; of others from r resamples of the items that all
    runs of both systems share, V_I = n/(n − 1)·Var(δ*) (within strata n_h − 1 units are drawn, and the factor is 1).

    Parameters
    ----------
    pair : AnyPair
        With runs.
    laws : PairLaws
    """
    runs = pair.runs
    assert runs is not None
    return _in_closed_form(runs) if runs.shared is not None else _from_draws(runs, laws)


_Known: TypeAlias = tuple[FloatArray, FloatArray]


def _in_closed_form(runs: SystemRuns) -> GainVariance:
    """Return the variances of means of items, whose weights ℓ all runs share; of unequal weights by linearisation."""
    shared = runs.shared
    assert shared is not None
    assert isinstance(runs.metric, RatioMetric)
    top, whole, mean = np.asarray(runs.metric.numerator), math.fsum(shared), float(shared.mean())

    def known(place: int) -> _Known:
        tops = runs.sign * (runs.systems[place] @ top)
        scores = np.array([math.fsum(run) for run in tops]) / whole
        # Of items of one weight the score of the run is but a constant.
        return scores, (tops - np.outer(scores, shared)) / mean

    def spread(values: FloatArray) -> tuple[float, float]:
        error, degrees = mean_error(values, runs.strata)
        return error**2, degrees

    return _variance(runs, "closed", known, spread)


def _from_draws(runs: SystemRuns, laws: PairLaws) -> GainVariance:
    """Return the variances of any metric, from its scores under shared draws of items."""
    drawn = laws.run_scores()

    def known(place: int) -> _Known:
        scores = np.atleast_1d(runs.metric.score(runs.systems[place].sum(axis=1)))
        return runs.sign * scores, runs.sign * drawn[place].T

    n, strata = runs.n_units, runs.strata
    degrees = float(n_draws(strata, n) - (strata is None))
    factor = n / (n - 1) if strata is None else 1.0
    key = laws.laws.resampling.seed, laws.laws.resampling.n_resamples
    variance = _variance(runs, key, known, lambda values: (factor * float(np.var(values)), degrees))
    return replace(variance, n_resamples=laws.laws.resampling.n_resamples)


def _variance(
    runs: SystemRuns, how: object, known: Callable[[int], _Known], spread: Callable[[FloatArray], tuple[float, float]]
) -> GainVariance:
    """Return V_I, V_R and V_E.

    Parameters
    ----------
    runs : SystemRuns
        Of a baseline and a candidate, or of one system.
    how : object
        Tells ways to know how scores vary apart: what is computed of a system serves all its pairs.
    known : callable
        From a system's place to the scores of its runs, shape (m,), turned so that higher is better, and what tells how
        they vary with items: deviations item by item, shape (m, n), or replicates, shape (m, r).
    spread : callable
        From such values of a mean over runs to its variance over items, and degrees of freedom.
    """

    def size_of(scores: FloatArray, values: FloatArray) -> float:
        return float(np.abs(scores).max() + np.abs(values).max())

    def beyond_rounding(values: FloatArray, size: float) -> tuple[float, float]:
        # What rounding leaves of runs, or systems, that are alike is no spread.
        return spread(values if float(np.abs(values).max()) > _TIE * size else np.zeros_like(values))

    def parts(scores: FloatArray, values: FloatArray) -> tuple[FloatArray, RunFactor | None]:
        mean = np.sort(values, axis=0).sum(axis=0) / len(values)  # the same in any order of runs
        m = len(scores)
        if m < 2:
            return mean, None
        size = size_of(scores, values)
        errors = sorted(beyond_rounding(run - mean, size)[0] for run in values)
        return mean, RunFactor(m, _variance_of(scores) / m, math.fsum(errors) / (m * (m - 1)), runs.kind)

    places = range(len(runs.systems))
    own = [runs.computed((how, "known"), place, partial(known, place)) for place in places]
    if runs.n_templates > 1:
        return _over_templates(runs, own, spread)
    of_systems = [runs.computed((how, "parts"), place, partial(parts, *own[place])) for place in places]
    factors = [factor for _, factor in of_systems]
    noise = tuple(0.0 if one is None else math.sqrt(one.interaction * one.n_runs) for one in factors)
    if runs.paired and len(own) > 1:
        items, factor = parts(own[1][0] - own[0][0], own[1][1] - own[0][1])
        factors = [factor]
    else:
        items = of_systems[-1][0] if len(own) == 1 else of_systems[1][0] - of_systems[0][0]
        factors = factors[runs.constant and len(own) > 1 :]
    variance, degrees = beyond_rounding(items, max(size_of(*system) for system in own))
    return GainVariance(
        variance,
        degrees,
        runs.n_units,
        tuple(factor for factor in factors if factor is not None),
        tuple(runs.sign * scores for scores, _ in own),
        noise,
        constant=runs.constant,
    )


def _over_templates(
    runs: SystemRuns, known: Sequence[_Known], spread: Callable[[FloatArray], tuple[float, float]]
) -> GainVariance:
    """Return V_I, V_T and V_R where each run meets each template: the sum of them is the variance of the gain."""
    grids = [scores.reshape(-1, runs.n_templates) for scores, _ in known]
    values = [np.sort(of, axis=0).sum(axis=0) / len(of) for _, of in known]
    items, degrees = spread(values[-1] if len(values) == 1 else values[1] - values[0])
    of_runs = [np.sort(grid, axis=1).sum(axis=1) / grid.shape[1] for grid in grids]
    of_templates = [np.sort(grid, axis=0).sum(axis=0) / len(grid) for grid in grids]

    def factor(scores: FloatArray, kind: str) -> RunFactor:
        return RunFactor(len(scores), _variance_of(scores) / len(scores), 0.0, kind)

    factors = [factor(of_templates[-1] - (of_templates[0] if len(known) > 1 else 0.0), "template")]
    differences = [of_runs[1] - of_runs[0]] if runs.paired and len(known) > 1 else of_runs
    factors += [factor(scores, "run") for scores in differences if len(scores) > 1]
    sign = runs.sign
    return GainVariance(
        items,
        degrees,
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
    """Return the runs' scores of every system with what interaction makes of them, 0 where the metric is not linear."""
    alone = [runs.of(place) for place in range(len(runs.systems))]
    if runs.shared is not None:
        each = [_in_closed_form(of) for of in alone]
        scores, noise = (tuple(of.run_scores[0] for of in each), tuple(of.run_noise[0] for of in each))
    else:
        scores = tuple(np.atleast_1d(runs.metric.score(rows.sum(axis=1))) for rows in runs.systems)
        noise = (0.0,) * len(alone)
    return GainVariance(0.0, 0.0, runs.n_units, (), scores, noise)


def crossed_deviations(runs: SystemRuns, n_resamples: int, seed: int) -> FloatArray:
    """Return by how much systems' scores are off over new items and new runs, shape (s, r).

    Normal over items, with their covariance, and Student's over runs: of linear metrics alone. Turned so that higher is
    better.
    """
    from outscore.significance.simulated import symmetric_roots

    shared, n = runs.shared, runs.n_units
    assert shared is not None
    assert isinstance(runs.metric, RatioMetric)
    top, mean = np.asarray(runs.metric.numerator), float(shared.mean())
    own = [runs.sign * (rows @ top) for rows in runs.systems]
    scores = [tops.sum(axis=1) / shared.sum() for tops in own]
    items = np.stack([(tops.mean(axis=0) - of.mean() * shared) / mean for tops, of in zip(own, scores, strict=True)])
    codes = np.zeros(n, dtype=np.int64) if runs.strata is None else runs.strata
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        items[:, members] -= items[:, members].mean(axis=1, keepdims=True)
        items[:, members] *= math.sqrt(len(members) / (len(members) - 1)) / n
    stream = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(4,))))

    def normal(deviations: FloatArray) -> FloatArray:
        """Return normal vectors with the covariance Σ dᵢdᵢᵀ of columns, shape (s, r)."""
        ((root,), _) = symmetric_roots((deviations @ deviations.T)[None])
        return np.asarray(root @ stream.standard_normal((len(root), n_resamples)))

    def student(of: FloatArray) -> FloatArray:
        """Return Student's vectors with the covariance of means over m draws, shape (s, m) to (s, r)."""
        m = of.shape[1]
        spread = (of - of.mean(axis=1, keepdims=True)) / math.sqrt(m * max(m - 1, 1))
        return np.asarray(normal(spread) / np.sqrt(stream.chisquare(max(m - 1, 1), n_resamples) / max(m - 1, 1)))

    deviations = normal(items)
    grids = [of.reshape(-1, runs.n_templates) for of in scores]
    of_runs = [grid.mean(axis=1) for grid in grids]
    paired = [np.stack(of_runs)] if runs.paired else [of[None] for of in of_runs]
    deviations = deviations + np.concatenate([student(of) for of in paired])
    if runs.n_templates > 1:
        deviations += student(np.stack([grid.mean(axis=0) for grid in grids]))
    return np.asarray(deviations)


def run_deviations(runs: SystemRuns, n_resamples: int, seed: int) -> FloatArray:
    """Return by how much the mean of each system's runs is off when its runs are drawn anew, shape (s, r).

    Runs are drawn with replacement, their deviations × √(m/(m − 1)): the variance is the unbiased one. Turned so that
    higher is better; paired runs are drawn together, and so are templates.
    """
    stream = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(4,))))
    drawn: dict[int, FloatArray] = {}
    grids = [
        runs.sign * np.atleast_1d(runs.metric.score(rows.sum(axis=1))).reshape(-1, runs.n_templates)
        for rows in runs.systems
    ]

    def off(scores: FloatArray, *, paired: bool) -> FloatArray:
        m = len(scores)
        if m not in drawn or not paired:
            drawn[m] = stream.multinomial(m, np.full(m, 1 / m), size=n_resamples) / m
        return np.asarray(drawn[m] @ (scores - scores.mean()) * math.sqrt(m / max(m - 1, 1)))

    deviations = [off(grid.mean(axis=1), paired=runs.paired) for grid in grids]
    if runs.n_templates > 1:
        drawn.clear()
        deviations = [own + off(grid.mean(axis=0), paired=True) for own, grid in zip(deviations, grids, strict=True)]
    return np.stack(deviations)


class _OfRuns(SignificanceTest):
    """A test that draws, or relabels, runs."""

    of_runs = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        del question
        if pair.runs is None:
            return "asks what other runs would score, and the systems have none: see --run and --runs"
        return None

    def beside_templates(self, pair: AnyPair) -> str | None:
        """Say that a test knows no templates beside runs."""
        if pair.runs is None or pair.runs.n_templates == 1:
            return None
        return "draws runs alone, and here templates are random as well: see --templates fixed"


@dataclass(frozen=True)
class CrossedT(_OfRuns):
    """The t-test over items and runs: t = (δ̂ − δ₀)/√V, V = V_I + Σ S, with Satterthwaite's degrees of freedom.

    Null hypothesis: over the populations of items and of runs the gain is 0 (or δ₀). Run effects are taken to be near
    normal. With two runs its verdict is withheld, with 3 or 4 it is rough: docs/calibration.md.

    Parameters
    ----------
    law : {"satterthwaite", "fiducial"}
        Of t; "fiducial" adds up Student's laws of items and of each system's runs (Behrens–Fisher; Robinson 1976),
        which keeps its level with the fewest runs and finds less.
    run_sd : float or "borrowed", optional
        The standard deviation of a run's score, where a system has one run: published, or that of the other system.
    """

    law: RunLaw = RunLaw.SATTERTHWAITE
    run_sd: float | Literal["borrowed"] | None = None

    name = "crossed-t"
    title = "crossed t test over items and runs"
    intervals = MappingProxyType({"crossed-t": "crossed t"})

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        missing = super().obstacle(pair, question)
        if missing is not None or pair.runs is None:
            return missing
        if self.law is RunLaw.FIDUCIAL or self.run_sd == "borrowed":
            missing = self.beside_templates(pair)
        if missing is not None or isinstance(self.run_sd, float):
            return missing
        one, other = sorted(pair.runs.n_runs)
        if self.run_sd == "borrowed" and other >= FEWEST_FOR_VERDICT:
            return None
        if one > 1:
            return None
        if self.run_sd == "borrowed":
            return f"borrows how runs vary from a system with {FEWEST_FOR_VERDICT} runs or more, and there is none"
        return "needs at least two runs of each system"

    def withheld(self, pair: AnyPair) -> str | None:
        runs = pair.runs
        if runs is None or runs.fewest != 2 or self.run_sd is not None or self.law is RunLaw.FIDUCIAL:
            return None
        kind = runs.kind if min(runs.n_runs) == 2 else "template"
        return (
            f"With two {kind}s the verdict is withheld: one degree of freedom tells too little of how they differ. "
            f"Where one system's alone do, 11.1% of true nulls are rejected at 5%. Add a {kind}, or pass --run-law "
            "fiducial."
        )

    def error(self, pair: AnyPair, laws: PairLaws) -> tuple[float, float]:
        """Return √V and its degrees of freedom."""
        variance, runs = laws.gain_variance(pair), pair.runs
        assert runs is not None
        per_run = sum(1 / m for m in runs.n_drawn)
        if isinstance(self.run_sd, float):
            of_templates = [(one.between, one.n_runs - 1.0) for one in variance.factors if one.kind == "template"]
            parts = [(variance.items, variance.degrees), *of_templates]
            estimated = math.fsum(part for part, _ in parts)
            degrees = _satterthwaite(estimated, parts) if of_templates else variance.degrees
            return math.sqrt(estimated + self.run_sd**2 * per_run), degrees
        if self.run_sd == "borrowed" and min(runs.n_runs) == 1:
            (known,) = variance.factors
            lent = known.between * known.n_runs * per_run
            parts = [(variance.items, variance.degrees), (lent, known.n_runs - 1)]
            whole = variance.items + lent
            return math.sqrt(whole), _satterthwaite(whole, parts)
        return math.sqrt(variance.total), variance.total_degrees

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        error, degrees = self.error(pair, laws)
        excess = pair.gain - question.null_gain
        if error == 0 and abs(excess) <= pair.tolerance:
            return Outcome(Probability(1.0), "t distribution", statistic=0.0, degrees=degrees)
        t = excess / error if error > 0 else math.copysign(math.inf, excess)
        if self.law is RunLaw.FIDUCIAL and error > 0:
            scales, of_parts = self._scales(pair, laws)
            p, coarser = (_fiducial_p(excess, scales, of_parts, question.alternative, n) for n in (_NODES, _FEWER))
            sampled = laws.gain_variance(pair).n_resamples
            probability = Probability(p, abs(p - coarser) + 1e-9, sampled)
            return Outcome(probability, "Behrens–Fisher distribution", statistic=t, degrees=degrees)
        p = student_p_value(t, degrees, question.alternative)
        variance = laws.gain_variance(pair)
        if variance.n_resamples is not None and error > 0:
            # By how much p is off where resamples tell the variance over items: 95%, of normal replicates.
            share = variance.items / error**2 * _NORMAL_95 * math.sqrt(2 / variance.n_resamples)
            ends = [student_p_value(t / math.sqrt(1 + off), degrees, question.alternative) for off in (-share, share)]
            off = max(abs(end - p) for end in ends)
            return Outcome(Probability(p, off, variance.n_resamples), "t distribution", statistic=t, degrees=degrees)
        # A t of 0 is 0: nothing is off.
        off = 1e-12 * p if abs(t) > _TIE else 0.0
        return Outcome(Probability(p, error=off), "t distribution", statistic=t, degrees=degrees)

    def _scales(self, pair: AnyPair, laws: PairLaws) -> tuple[Sequence[float], Sequence[float]]:
        """Return the scales and degrees of freedom of the t distributions that add up: of items, and of runs."""
        variance = laws.gain_variance(pair)
        parts = [
            (variance.items, variance.degrees),
            *((one.beyond_items, one.n_runs - 1.0) for one in variance.factors),
        ]
        return [math.sqrt(part) for part, _ in parts], [degrees for _, degrees in parts]

    def interval(
        self, pair: AnyPair, laws: PairLaws, alpha: float, question: Question, estimator: Estimator
    ) -> Interval:
        del estimator
        tail = alpha / (2 if question.alternative is Alternative.TWO_SIDED else 1)
        error, degrees = self.error(pair, laws)
        if self.law is RunLaw.FIDUCIAL and error > 0:
            reach = _fiducial_reach(tail, *self._scales(pair, laws))
        else:
            reach = -error * student_quantile(tail, degrees)
        interval = Interval(pair.gain - reach, pair.gain + reach, 1 - alpha, self.name, exact=False)
        return one_sided(interval, question.alternative)

    def gain_law(self, pair: AnyPair, laws: PairLaws) -> Law:
        error, degrees = self.error(pair, laws)
        return StudentLaw(pair.gain, error, degrees)

    def remarks(self, pair: AnyPair) -> Sequence[str]:
        runs = pair.runs
        if runs is None or self.run_sd is not None:
            return ()
        remarks = []
        few = runs.fewest
        if few in (3, 4) and runs.kind == "template":
            remarks.append(
                f"With {few} templates the crossed t test is rough: where they matter much it rejects up to "
                f"{'7.5%' if few == 3 else '6.5%'} of true nulls at 5%."
            )
        elif few in (3, 4) and self.law is RunLaw.SATTERTHWAITE:
            remarks.append(
                f"With {few} runs the crossed t test is rough: where the runs of one system alone vary it rejects up "
                f"to {'8.2%' if few == 3 else '6.4%'} of true nulls at 5%."
            )
        return remarks


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
    """Return P(Σ scale·T > value): the widest by its own law, the others by quadrature over their quantiles."""
    from scipy.special import stdtr, stdtrit

    order = sorted((scale, nu) for scale, nu in zip(scales, degrees, strict=True) if scale > 0)
    *others, (scale, nu) = order
    levels, weights = quadrature(n_nodes)
    rest, mass = np.zeros(1), np.ones(1)
    for width, own in others:
        rest = np.add.outer(rest, width * stdtrit(own, levels)).ravel()
        mass = np.multiply.outer(mass, weights).ravel()
    return float(np.clip(mass @ stdtr(nu, (rest - value) / scale), 5e-324, 1.0))


@cache
def quadrature(n_nodes: int = _NODES) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights for integrals over (0, 1) of functions that may be steep at both ends."""
    x = np.linspace(-3.4, 3.4, n_nodes)
    u = np.pi / 2 * np.sinh(x)
    levels = 1 / (1 + np.exp(-2 * u))
    weights = np.cosh(x) / np.cosh(u) ** 2
    return levels, weights / weights.sum()


def _fiducial_reach(tail: float, scales: Sequence[float], degrees: Sequence[float]) -> float:
    """Return q with P(Σ scale·T > q) = tail."""
    from scipy.optimize import brentq

    def excess(q: float) -> float:
        return _above(q, scales, degrees) - tail

    high = -sum(scale * student_quantile(tail, nu) for scale, nu in zip(scales, degrees, strict=True))
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-9 * high, rtol=1e-9))


@dataclass(frozen=True)
class PermuteRuns(_OfRuns):
    """The permutation test of whole runs: all ways to relabel the m_A + m_B runs, or to swap runs that are paired.

    Null hypothesis: the two procedures give scores of one law, not only of one mean. With m = 2, 3, 5 runs each its
    one-sided p-value is at least 1/6, 1/20, 1/252.
    """

    name = "permute-runs"
    title = "permutation test of whole runs"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        missing = super().obstacle(pair, question)
        missing = missing or self.beside_templates(pair)
        if missing is None and question.null_gain != 0:
            return "knows no margin"
        if missing is None and pair.runs is not None and pair.runs.constant:
            return "relabels the runs of two systems, and a constant has none"
        if missing is None and pair.runs is not None and _n_labellings(pair.runs) > _MOST_LABELLINGS:
            return "counts labellings one by one, and so many runs have more than a million"
        return missing

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        runs = pair.runs
        assert runs is not None
        one, other = (runs.sign * scores for scores in laws.gain_variance(pair).run_scores)
        if runs.paired:
            signs = 1 - 2 * ((np.arange(2 ** len(one))[:, None] >> np.arange(len(one))) & 1)
            gains = signs @ (other - one) / len(one)
        else:
            scores = np.concatenate([one, other])
            chosen = np.array(list(combinations(range(len(scores)), len(other))))
            sums = scores[chosen].sum(axis=1)
            gains = sums / len(other) - (scores.sum() - sums) / len(one)
        observed = math.fsum(other) / len(other) - math.fsum(one) / len(one)
        slack = _TIE * float(np.abs(np.concatenate([one, other])).max())
        match question.alternative:
            case Alternative.GREATER:
                extreme = gains >= observed - slack
            case Alternative.LESS:
                extreme = gains <= observed + slack
            case Alternative.TWO_SIDED:
                extreme = np.abs(gains) >= abs(observed) - slack
        least = 1 / len(gains)
        return Outcome(Probability(float(extreme.mean())), "exact: all labellings", statistic=observed, least=least)


def _n_labellings(runs: SystemRuns) -> int:
    one, other = runs.n_runs
    return int(2**one if runs.paired else math.comb(one + other, one))


@dataclass(frozen=True)
class Pigeonhole(_OfRuns):
    """The bootstrap of items and of runs, each drawn with replacement (Owen 2007's pigeonhole), recentred.

    Null hypothesis: as of `CrossedT`. Below 10 runs it knows too little of them: with seeds that matter it rejects 15%
    of true nulls at m = 3, 9.8% at m = 5.
    """

    name = "pigeonhole"
    title = "pigeonhole bootstrap of items and runs"
    resamples = True
    centre = "observed"

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        missing = super().obstacle(pair, question) or self.beside_templates(pair)
        if missing is None and pair.runs is not None and min(pair.runs.n_runs) < FEWEST_FOR_PIGEONHOLE:
            return f"needs {FEWEST_FOR_PIGEONHOLE} runs of each system, with fewer it rejects true nulls too often"
        return missing

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        from outscore.significance.base import tail

        law = laws.pigeonhole()
        probability = tail(law, question, 2 * pair.gain - question.null_gain, pair.gain)
        return Outcome(probability, law.how, least=law.least)


def one_run(runs: SystemRuns, alpha: float) -> OptionError:
    """Return why runs cannot be random where a system has but one, with what can be said instead."""
    what = "one run of a system does not tell how runs vary"
    if runs.shared is not None and len(runs.systems) == 2:
        variance = _in_closed_form(runs)
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
