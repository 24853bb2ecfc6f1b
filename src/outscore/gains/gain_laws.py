"""The distribution of a pair's gain: the first exact one that applies, or samples from draws shared by all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from outscore._types import FloatArray
from outscore.data.cells import each
from outscore.data.coercion import choice
from outscore.errors import NotApplicableError, Problem
from outscore.gains.crossing import Crossing
from outscore.gains.pair import Pair
from outscore.gains.recomputed import RecomputedPair
from outscore.laws.exact import (
    GridLaw,
    bootstrap_law,
    enumerated_bootstrap_law,
    enumerated_crossed_law,
    enumerated_swap_law,
    grid_law,
    swap_law,
    two_count_swap_law,
)
from outscore.laws.executors import executor_of
from outscore.laws.law import Law, MirroredLaw, SampledLaw, StagedLaw
from outscore.laws.tolerances import (
    FEW_RECOMPUTED_SWAPS,
    FEW_RECOMPUTED_UNITS,
    FEWEST_FIRST,
    FIRST_RESAMPLES,
    MOST_COMPOSITIONS,
    WEIGHTS_OF_FIRST,
)
from outscore.options import opt
from outscore.results import Alternative, Method, Ties

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from outscore.laws.resampling import Engine, Progress
    from outscore.laws.resampling.schemes import Weights


# The code that draws samples is imported on demand: most distributions are exact.

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis about the gain.

    Its boundary δ₀, `null_gain`, is 0 except for claims with a margin.
    """

    alternative: Alternative = Alternative.GREATER
    null_gain: float = 0.0
    ties: Ties = Ties.COUNT


@dataclass(frozen=True)
class Resampling:
    """How distributions are computed.

    Attributes
    ----------
    n_resamples : int
        r, the number of samples.
    seed : int
        Non-negative.
    executor : concurrent.futures.Executor, optional
        Computes the samples, in any form that `outscore.compare` accepts.
    progress : callable, optional
        Called with the number of samples done and their total.
    alpha : float, optional
        Level of the decision. If given, some samples are drawn first, and the rest only if the decision is unclear.
    """

    method: Method = Method.AUTO
    n_resamples: int = 100_000
    seed: int = 12345
    executor: Executor | None = None
    progress: Progress | None = None
    alpha: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", choice(Method, self.method, opt("method")))
        if self.executor is not None:
            object.__setattr__(self, "executor", executor_of(self.executor))

    @property
    def engine(self) -> Engine:
        """The engine that draws the samples."""
        from outscore.laws.resampling import Engine

        return Engine(self.seed, self.executor, self.progress)

    def reporting(self, items: Sequence[_Item]) -> Iterator[_Item]:
        """Yield items, and report the number done after each."""
        for done, item in enumerate(items, 1):
            yield item
            if self.progress is not None:
                self.progress(done, len(items))


@dataclass(eq=False)
class GainLaws:
    """The distributions of the gain of one of several pairs over the same units, each computed once on demand.

    Parameters
    ----------
    pairs : sequence of Pair
        All on one metric, with the same numbers of units and strata. They share their samples.
    index : int
        Which pair it is.
    most : int
        Maximum number of samples of a pair to enumerate.
    """

    pairs: Sequence[Pair]
    resampling: Resampling
    index: int = field(default=0, kw_only=True)
    most: int = field(default=MOST_COMPOSITIONS, kw_only=True)
    _laws: dict[float | None, list[Law | None]] = field(default_factory=dict, init=False, repr=False)
    _gains: dict[tuple[bool, int], FloatArray] = field(default_factory=dict, init=False, repr=False)
    _totals: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)
    _grids: dict[int, GridLaw | None] = field(default_factory=dict, init=False, repr=False)
    _mirrored_pairs: list[tuple[Pair, float]] = field(default_factory=list, init=False, repr=False)

    def of_pair(self, index: int) -> GainLaws:
        """Return the distributions of another of the pairs."""
        other = copy(self)
        other.index = index
        return other

    @property
    def _oriented(self) -> Sequence[tuple[Pair, float]]:
        """Each pair and 1, or its mirror image and −1 if it favours the baseline: both then have the same draws."""
        if not self._mirrored_pairs:
            self._mirrored_pairs.extend(
                (pair.mirrored, -1.0) if pair.favours_baseline else (pair, 1.0) for pair in self.pairs
            )
        return self._mirrored_pairs

    def law(self, null_gain: float | None = None, *, or_sampled: bool = False) -> Law:
        """Return the distribution of the gain over drawn units or, given δ₀, over swaps of rows with probability ½.

        With method "exact" it raises a NotApplicableError if there is no exact distribution, unless `or_sampled`
        accepts a sampled one.
        """
        # All pairs at once, even if one is asked for: those without an exact distribution share one set of draws and
        # one product, which costs hardly more than that of one pair.
        laws, method, index = self._laws.get(null_gain), self.resampling.method, self.index
        if laws is None:
            laws = [None] * len(self.pairs)
            for i, (pair, sign) in enumerate(self._oriented) if method is not Method.MONTE_CARLO else ():
                if null_gain is None:
                    laws[i] = _exact_bootstrap_law(pair, self.most, self._grids.get(i))
                else:
                    laws[i] = _exact_swap_law(pair, sign * null_gain, self.most)
            missing = [i for i, law in enumerate(laws) if law is None]
            if missing and method is not Method.EXACT:  # sampled together from shared draws
                for i, law in zip(missing, self._sampled(missing, null_gain), strict=True):
                    laws[i] = law
            self._laws[null_gain] = laws
        chosen = laws[index]
        if chosen is None:
            # Only p-values are refused. An interval may be sampled although --method exact asks for exact p-values.
            if not or_sampled:
                raise self._not_exact()
            (chosen,) = self._sampled([index], null_gain)
        return chosen if self._oriented[index][1] > 0 else MirroredLaw(chosen)

    @property
    def has_cheap_grid(self) -> bool:
        """Whether the exact distribution of the gain over drawn units costs next to nothing."""
        law = None if self.resampling.method is Method.MONTE_CARLO else self._grid_law(self.index)
        return law is not None and law.is_cheap

    def _grid_law(self, index: int) -> GridLaw | None:
        if index not in self._grids:
            pair = self._oriented[index][0]
            linear = pair.linear
            known = None if linear is None else grid_law(linear.d, linear.shared, pair.strata, linear.precision)
            self._grids[index] = known
        return self._grids[index]

    def subset_totals(self) -> FloatArray:
        """Return the totals of the pair's columns over random subsets of its units, shape (first r, columns)."""
        return self._subset_totals(self.index, self._first_of(self.index))

    def _subset_totals(self, index: int, n_resamples: int) -> FloatArray:
        from outscore.laws.resampling import SwapScheme

        pair = self.pairs[index]
        if index not in self._totals or len(self._totals[index]) < n_resamples:
            self._totals[index] = self.resampling.engine.replicates(
                SwapScheme(pair.n_units), pair.columns, np.asarray, n_resamples
            )
        return self._totals[index][:n_resamples]

    def gains(self, n_resamples: int, *, swapped: bool) -> FloatArray:
        """Return the gains under the first r draws of units, or swaps, shape (r,), whatever the method."""
        if (swapped, n_resamples) not in self._gains:
            # Drawn for all pairs, as in `law`.
            everybody = range(len(self.pairs))
            self._gains[swapped, n_resamples] = (
                self._sample_swap(everybody, 0.0, n_resamples)
                if swapped
                else self._sample_bootstrap(everybody, n_resamples)
            )
        return self._oriented[self.index][1] * self._gains[swapped, n_resamples][:, self.index]

    def level_scores(self) -> Sequence[FloatArray]:
        """Return the scores of all runs of each system of the pair under shared draws of units, shapes (r, m)."""
        part = self._crossing
        key = "drawn", self.resampling.seed, self.resampling.n_resamples
        whole = part.whole or part
        every: Sequence[FloatArray] = whole.computed(key, partial(self._drawn_level_scores, whole))
        return every if part.whole is None else [every[index] for index in part.places]

    def _drawn_level_scores(self, crossing: Crossing) -> Sequence[FloatArray]:
        """Return the scores of all cells of all systems that were read together, by one product."""
        from outscore.laws.resampling import BootstrapScheme

        columns = np.concatenate([cell for rows in crossing.systems for cell in each(rows)], axis=1)
        scheme = BootstrapScheme(crossing.n_units, crossing.strata)
        n_cells = crossing.n_levels(0)
        statistic = partial(_scores_of_cells, crossing.metric.score, sum(n_cells))
        scores = self.resampling.engine.replicates(scheme, columns, statistic, self.resampling.n_resamples)
        return np.split(scores, np.cumsum(n_cells)[:-1], axis=1)

    def pigeonhole(self) -> Law:
        """Return the distribution of the gain over units and runs, drawn with replacement (Owen 2007).

        For systems crossed with one factor. It is enumerated if there are few possible draws, else sampled, with runs
        on a stream of their own.
        """
        crossing, pair = self._crossing, self.pairs[self.index]
        # The mirror image is computed for a pair that favours the baseline, as `_oriented` does without cells.
        places = (1, 0) if pair.favours_baseline else (0, 1)
        law: Law | None = None
        # The enumeration draws from all units alike, so strata are left to sampling.
        if crossing.strata is None:
            law = enumerated_crossed_law(
                [crossing.systems[index] for index in places],
                crossing.metric.score,
                crossing.sign,
                paired=crossing.factors[0].is_shared,
                tolerance=pair.tolerance,
            )
        if law is None or self.resampling.method is Method.MONTE_CARLO:
            if self.resampling.method is Method.EXACT:
                raise self._not_exact()
            law = SampledLaw(self._pigeonhole_gains(places), tolerance=pair.tolerance)
        return MirroredLaw(law) if pair.favours_baseline else law

    def _pigeonhole_gains(self, places: tuple[int, int]) -> FloatArray:
        """Return sampled gains of the second of two systems over the first, shape (r,)."""
        crossing, r = self._crossing, self.resampling.n_resamples
        # Key 4 is used by no scheme of units. So runs have a stream of their own, and units have the draws of all other
        # tests.
        stream = np.random.Generator(np.random.SFC64(np.random.SeedSequence(self.resampling.seed, spawn_key=(4,))))
        n_first, n_second = (crossing.n_levels(0)[index] for index in places)
        of_first = stream.multinomial(n_first, np.full(n_first, 1 / n_first), size=r) / n_first
        # Paired runs are drawn together, as units are.
        of_second = of_first
        if not crossing.factors[0].is_shared:
            of_second = stream.multinomial(n_second, np.full(n_second, 1 / n_second), size=r) / n_second
        first, second = (self.level_scores()[system] for system in places)
        return np.asarray(crossing.sign * ((second * of_second).sum(axis=1) - (first * of_first).sum(axis=1)))

    @property
    def _crossing(self) -> Crossing:
        crossing = self.pairs[self.index].crossing
        assert crossing is not None
        return crossing

    def _not_exact(self) -> NotApplicableError:
        pair = self.pairs[self.index]
        what = f"the {pair.metric.name} of these {pair.n_units} units has no exact distribution under this test"
        return NotApplicableError(Problem(opt("method", "exact"), what, f"Use {opt('method', 'auto')}.", "not-exact"))

    def _sampled(self, indices: Sequence[int], null_gain: float | None) -> list[Law]:
        """Return the distributions of some pairs from shared samples: some first, and all if they are needed."""
        r, alpha = self.resampling.n_resamples, self.resampling.alpha
        # Pairs that are sampled together share draws, so all begin with the smallest of their numbers.
        some = min(self._first_of(index) for index in indices)
        if alpha is None or r <= some:
            return [*self._by_resamples(indices, null_gain, r)]
        # Shared by the pairs and called at most once: if one decision is close, all samples of all pairs come from one
        # product.
        every = cache(partial(self._by_resamples, indices, null_gain, r))
        return [
            StagedLaw(law, every, position, r, alpha, len(self.pairs), is_sum=self.pairs[index].linear is not None)
            for position, (index, law) in enumerate(
                zip(indices, self._by_resamples(indices, null_gain, some), strict=True)
            )
        ]

    def _first_of(self, index: int) -> int:
        """Return the number of samples of a pair that are drawn first."""
        r, pair = self.resampling.n_resamples, self.pairs[index]
        if self.resampling.alpha is None:
            return r
        sums = max(1, WEIGHTS_OF_FIRST // pair.n_units // FEWEST_FIRST) * FEWEST_FIRST
        return min(r, FIRST_RESAMPLES if pair.linear is None else sums)

    def _by_resamples(self, indices: Sequence[int], null_gain: float | None, r: int) -> list[SampledLaw]:
        """Return the distributions of some pairs from r shared samples."""
        laws = []
        gains = self._sample_bootstrap(indices, r) if null_gain is None else self._sample_swap(indices, null_gain, r)
        for i, sampled in zip(indices, gains.T, strict=True):
            pair = self._oriented[i][0]
            laws.append(SampledLaw(sampled, tolerance=pair.tolerance, blur=pair.blur))
        return laws

    def _sample_bootstrap(self, indices: Sequence[int], n_resamples: int) -> FloatArray:
        """Return the gains of the upright pairs under shared draws, shape (r, pairs)."""
        from outscore.laws.resampling import BootstrapScheme

        chosen = [self._oriented[i][0] for i in indices]
        whole = isinstance(chosen[0], RecomputedPair)
        scheme = BootstrapScheme(chosen[0].n_units, chosen[0].strata, whole=whole, shared=False)
        gains = [pair.gains for pair in chosen]
        if whole:
            return self.resampling.engine.recomputed(scheme, partial(_gain_columns, gains), n_resamples)
        columns = [pair.columns for pair in chosen]
        if scheme.strata is None and all(pair.equal_weights for pair in chosen):
            # All samples have the same denominator.
            gains = [partial(_mean_gains, float(totals[:, 1].sum())) for totals in columns]
            columns = [totals[:, :1] for totals in columns]
        statistic = partial(_side_by_side, gains, [c.shape[1] for c in columns])
        return self.resampling.engine.replicates(scheme, np.column_stack(columns), statistic, n_resamples)

    def _sample_swap(self, indices: Sequence[int], null_gain: float, n_resamples: int) -> FloatArray:
        """Return the gains of the upright pairs after swaps, shape (r, pairs), from shared draws of shared units."""
        from outscore.laws.resampling import SwapScheme

        pairs, nulls = [self._oriented[i][0] for i in indices], [self._oriented[i][1] * null_gain for i in indices]
        if isinstance(pairs[0], RecomputedPair):
            # Pairs that are recomputed have different units to swap. Two identical systems have none, but a scheme
            # needs one.
            schemes = [SwapScheme(max(1, pair.n_differing)) for pair in pairs]
            swaps = [partial(_gain_columns, [partial(_gains_after, pair, 0.0)]) for pair in pairs]
            engine = self.resampling.engine
            return np.concatenate(
                [engine.recomputed(scheme, swap, n_resamples) for scheme, swap in zip(schemes, swaps, strict=True)],
                axis=1,
            )
        if len(pairs) == 1 and nulls == [0.0] and pairs[0].linear and pairs[0].n_differing == pairs[0].n_units:
            # The interval needs the same subsets, with their denominators.
            taken = self._oriented[indices[0]][1] * self._subset_totals(indices[0], n_resamples)
            return pairs[0].gains_after(taken, 0.0)[:, None]
        changes = [pair.changes(null) for pair, null in zip(pairs, nulls, strict=True)]
        everything = np.column_stack(changes)
        # A unit on which no pair differs needs no swap.
        differing = everything[(everything != 0).any(axis=1)]
        if len(differing) == 0:
            differing = everything[:1]
        statistic = partial(
            _side_by_side,
            [partial(_gains_after, pair, null) for pair, null in zip(pairs, nulls, strict=True)],
            [c.shape[1] for c in changes],
        )
        return self.resampling.engine.replicates(SwapScheme(len(differing)), differing, statistic, n_resamples)


class DrawnLaws(GainLaws):
    """The distributions of one pair whose samples were drawn together with those of other pairs.

    Parameters
    ----------
    resampling : Resampling
        Options with which they were drawn.
    drawn : callable
        Returns the gains under the bootstrap, shape (r,).
    subsets : callable
        For linear gains, returns the totals of d and ℓ over random subsets of units, shape (r, 2).
    """

    def __init__(
        self,
        pair: Pair,
        resampling: Resampling,
        sampled: Callable[[], FloatArray],
        subsets: Callable[[], FloatArray],
    ) -> None:
        super().__init__([pair], resampling)
        self._drawn, self._subsets = sampled, subsets

    def subset_totals(self) -> FloatArray:
        return self._subsets()

    @property
    def _oriented(self) -> Sequence[tuple[Pair, float]]:
        """The pair as it was drawn."""
        return [(pair, 1.0) for pair in self.pairs]

    def _sample_bootstrap(self, indices: Sequence[int], n_resamples: int) -> FloatArray:
        if n_resamples > self.resampling.n_resamples:
            return super()._sample_bootstrap(indices, n_resamples)
        return self._drawn()[:n_resamples, None]


def _scores_of_cells(score: Callable[[FloatArray], FloatArray], n_cells: int, totals: FloatArray) -> FloatArray:
    """Return the score of each cell, shape (b, m), from the totals of all cells side by side."""
    return np.asarray(score(totals.reshape(len(totals), n_cells, -1)))


def _gains_after(pair: Pair, null_gain: float, taken: FloatArray) -> FloatArray:
    return pair.gains_after(taken, null_gain)


def _gain_columns(gains: Sequence[Callable[[Any], FloatArray]], weights: Weights) -> FloatArray:
    return np.column_stack([gain(weights) for gain in gains])


def _mean_gains(whole: float, totals: FloatArray) -> FloatArray:
    """Return Σ wd / Σ wℓ, shape (r, 1) to (r,), if all units have the same ℓ, which add up to `whole`."""
    return np.asarray(totals[:, 0] / whole)


def _side_by_side(
    gains: Sequence[Callable[[FloatArray], FloatArray]], widths: Sequence[int], totals: FloatArray
) -> FloatArray:
    """Return each pair's gains from its own columns of the totals, shape (b, pairs)."""
    stops = np.cumsum(widths)
    return np.column_stack(
        [gain(totals[:, stop - width : stop]) for gain, width, stop in zip(gains, widths, stops, strict=True)]
    )


def _exact_bootstrap_law(pair: Pair, most: int, grid: GridLaw | None) -> Law | None:
    if pair.linear is not None:
        linear = pair.linear
        return bootstrap_law(linear.d, linear.shared, pair.strata, most=most, precision=linear.precision, grid=grid)
    # Enumeration takes any metric, but few units.
    if isinstance(pair, RecomputedPair) and (pair.strata is not None or pair.n_units > FEW_RECOMPUTED_UNITS):
        return None
    return enumerated_bootstrap_law(pair.columns, pair.gains, pair.strata, tolerance=pair.tolerance, most=most)


def _exact_swap_law(pair: Pair, null_gain: float, most: int) -> Law | None:
    if pair.linear is not None:
        precision = pair.linear.precision if null_gain == 0 else pair.linear.precision_at(null_gain)
        d, shared = pair.linear.d, pair.linear.shared
        return swap_law(d, shared, null_gain, most=most, precision=precision)
    # Two counts before enumeration: F1 of thousands of sentences has 2ⁿ swaps, but a small grid of counts.
    law = None if pair.two_counts is None else two_count_swap_law(pair.two_counts)
    if law is not None or (isinstance(pair, RecomputedPair) and pair.n_differing > FEW_RECOMPUTED_SWAPS):
        return law
    gain_of = partial(_gains_after, pair, null_gain)
    return enumerated_swap_law(pair.changes(null_gain), gain_of, tolerance=pair.tolerance, most=most)
