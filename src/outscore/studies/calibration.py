"""Whether p-values keep what they promise on fresh test sets (BK12, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.results.studies import CalibrationBin, CalibrationStudy
from outscore.significance.p_values import clopper_pearson
from outscore.studies.boards import StudyOptions, few_units_notes, indistinct_notes, resolution_of, system_weights
from outscore.studies.drawn_sets import drawn_from, tests_on
from outscore.studies.systems import StudySystems

__all__ = ["EDGES", "calibration_study"]

# BK12's Table 1 has 0.00125 to 0.08; the bins around them show the rest of the curve.
EDGES = (0.0, 0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.5)
_REPLICATES = 500
_LARGEST_SET = 10**7
_KEY = 7  # of the random stream that draws test sets again
_TIE = 1e-12
_MOST_UNDEFINED = 0.05


def calibration_study(
    systems: StudySystems,
    options: StudyOptions,
    *,
    items: int | None = None,
    repeats: int = 1000,
    notes: Sequence[str] = (),
) -> CalibrationStudy:
    """Return, by p-value, how often the system that a test set favours is better on the population.

    The whole set is taken for the population. Test sets are drawn from it item by item, with replacement; on each one
    all pairs are tested, in the direction that it shows.

    Parameters
    ----------
    systems : StudySystems
        The population.
    options : StudyOptions
        Its `resampling.n_resamples` serve each test set. Binary scores have exact p-values; others are sampled, and
        with r = 1,000 a p-value of 0.05 has a standard error of 0.007: the bins are blurred by as much, which hardly
        matters where the share changes slowly. Where no resample met a test, its p-value is known to be about 1/(r + 1)
        or less: bins that begin below that are one, and a warning says which r parts them.
    items : int, optional
        Units of each test set; by default as many as the population has.
    repeats : int
        Test sets.
    notes : sequence of str

    Raises
    ------
    OptionError
        Sizes out of range.
    DataError
        All systems score the same on the population.

    Notes
    -----
    Intervals are percentiles of a bootstrap over systems and over test sets at once (Owen 2007): pairs share systems,
    and all pairs share a test set. They are never narrower than Clopper and Pearson's for as many independent tests.
    Cost: that of `pair_tests` for each test set; memory 9 bytes a test.
    """
    n = systems.n_units if items is None else items
    if not 2 <= n <= _LARGEST_SET:
        advice = "One has no spread to resample." if n < 2 else ""
        what = f"expected 2 to {_LARGEST_SET:,} {systems.unit}s of each test set, got {n}"
        raise OptionError(Problem("--items", what, advice, "out-of-range"))
    if repeats < 2:
        raise OptionError(Problem("--repeats", f"expected at least 2, got {repeats}", "", "out-of-range"))
    s = len(systems)
    sign = 1.0 if systems.metric.higher_is_better else -1.0
    truth = sign * systems.scores
    one, other = np.triu_indices(s, k=1)
    equal = np.abs(truth[one] - truth[other]) <= _TIE * max(float(np.abs(truth).max()), 1e-300)
    if equal.all():
        raise DataError(
            Problem(systems.source, "all systems score the same", "There is no better one to point at.", "all-equal")
        )
    place = np.zeros((s, s), dtype=np.int64)
    place[one, other] = place[other, one] = np.arange(len(one))
    p_values, right = np.ones((repeats, len(one))), np.zeros((repeats, len(one)), dtype=bool)
    valued = np.ones((repeats, len(one)), dtype=bool)
    exact = True
    sets = drawn_from(systems, n, repeats, options.resampling.seed)
    for t, tests in enumerate(tests_on(systems, sets, options)):
        places = place[tests.better, tests.worse]
        p_values[t, places] = tests.p_values
        valued[t, places] = tests.valued
        right[t, places] = truth[tests.better] > truth[tests.worse]
        exact &= tests.exact
        if options.resampling.progress is not None:
            options.resampling.progress(t + 1, repeats)
    kept = np.flatnonzero(~equal)
    shares = _Shares(p_values[:, kept], right[:, kept], one[kept], other[kept], s, options)
    rule = options.rule
    resolution = resolution_of(p_values[:, kept], ~valued[:, kept])
    edges = (EDGES[0], *(edge for edge in EDGES[1:-1] if edge >= resolution), EDGES[-1])
    in_window = shares.between(rule.low, rule.high, closed=True) & valued[:, kept]
    return CalibrationStudy(
        setting=options.setting(systems, exact=exact),
        n_items=systems.n_items,
        n_units=systems.n_units,
        items=n,
        n_test_sets=repeats,
        n_systems=s,
        n_equal=int(equal.sum()),
        window=shares.bin(rule.low, rule.high, in_window),
        bins=tuple(shares.bin(low, high, shares.between(low, high, closed=False)) for low, high in pairwise(edges)),
        signature=options.signature(systems, "calibration", exact=exact, fit=False, items=n, repeats=repeats),
        warnings=(
            *notes,
            *few_units_notes([n], systems.unit, options),
            *indistinct_notes(resolution, EDGES[1], options, f"the bins up to {edges[1]:g} are one"),
        ),
    )


class _Shares:
    """Tests of all test sets and pairs, shape (t, m), and shares of those that are right."""

    def __init__(
        self,
        p_values: FloatArray,
        right: BoolArray,
        one: IntArray,
        other: IntArray,
        s: int,
        options: StudyOptions,
    ) -> None:
        self._p, self._right, self._options = p_values, right, options
        seed = options.resampling.seed
        stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEY,)))
        t = len(p_values)
        self._sets = stream.multinomial(t, np.full(t, 1 / t), size=_REPLICATES).astype(np.float32)
        weights = system_weights(s, _REPLICATES, seed)
        self._pairs = (weights[:, one] * weights[:, other]).astype(np.float32)

    def between(self, low: float, high: float, *, closed: bool) -> BoolArray:
        """Return which p-values lie between two, shape (t, m); the lower one belongs to them if `closed`."""
        return ((self._p >= low) if closed else (self._p > low)) & (self._p <= high)

    def bin(self, low: float, high: float, chosen: BoolArray) -> CalibrationBin:
        right = chosen & self._right
        n_tests, n_right = int(chosen.sum()), int(right.sum())
        if n_tests == 0:
            return CalibrationBin(low, high, 0, 0, None, None, None, None)
        every, good = self._weighted(chosen), self._weighted(right)
        defined = every > 0
        ends: tuple[float | None, float | None] = (None, None)
        if defined.mean() >= 1 - _MOST_UNDEFINED:
            tail = (1 - self._options.confidence_level) / 2
            quantiles = np.quantile(good[defined] / every[defined], [tail, 1 - tail])
            # Where all tests are right, so are all in every replicate, however few they are.
            low_end, high_end = clopper_pearson(n_right, n_tests, self._options.confidence_level)
            ends = min(float(quantiles[0]), low_end), max(float(quantiles[1]), high_end)
        nominal = float(1 - self._p[chosen].mean())
        return CalibrationBin(low, high, n_tests, n_right, n_right / n_tests, *ends, nominal)

    def _weighted(self, chosen: BoolArray) -> FloatArray:
        """Return how many tests are chosen in each replicate of systems and test sets, shape (replicates,)."""
        some = np.flatnonzero(chosen.any(axis=0))
        counts = self._sets @ chosen[:, some].astype(np.float32)
        return np.asarray(np.einsum("bm,bm->b", counts, self._pairs[:, some], dtype=np.float64))
