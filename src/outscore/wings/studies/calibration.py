"""Calibration of p-values: on fresh test sets (BK12, section 4.2), and on other leaderboards (Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore.errors import DataError, OptionError, Problem
from outscore.laws.law import clopper_pearson
from outscore.laws.tolerances import NOISE
from outscore.options import opt
from outscore.questions.signatures import encoded
from outscore.text.naming import quoted
from outscore.text.numbers import format_count
from outscore.wings.studies.boards import StudyOptions, few_units_notes, indistinct_notes, resolution_of, system_weights
from outscore.wings.studies.pair_tests import PairTests
from outscore.wings.studies.results import CalibrationBin, CalibrationStudy, TransferBin, TransferStudy
from outscore.wings.studies.systems import MOST_SUBSETS, StudySystems, drawn_from

# BK12's Table 1; for the calibration, the bins around them show the rest of the curve.
_TABLE_EDGES = (0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)
_EDGES = (0.0, *_TABLE_EDGES, 0.16, 0.32, 0.5)
_REPLICATES = 500
_LARGEST_SET = 10**7
_KEY = 7  # of the random stream for drawing test sets again
_MOST_UNDEFINED = 0.05


def calibration_study(
    systems: StudySystems,
    options: StudyOptions,
    *,
    items: int | None = None,
    repeats: int = 1000,
    notes: Sequence[str] = (),
) -> CalibrationStudy:
    """Return, by p-value, how often the system with the higher score is better, as `outscore.study_calibration`.

    The whole set is the population. Test sets are drawn from it by item, with replacement. On each, all pairs are
    tested one-sided, in the observed direction.

    Binary scores have exact p-values. Others are sampled: with r = 1,000, a p-value of 0.05 has a standard error of
    0.007. This blurs the bins, which matters little if the proportion changes slowly. If no resample reaches the
    statistic of a test, its p-value is only known to be about 1/(r + 1) or less. Bins that begin below that are
    merged, and a warning gives the r that separates them.

    Intervals are percentiles of a bootstrap over both systems and test sets (Owen 2007), as pairs share systems and
    test sets. They are never narrower than Clopper-Pearson intervals for as many independent tests. Cost: that of
    `pair_tests` for each test set; memory: 9 bytes per test.
    """
    n = systems.n_units if items is None else items
    if not 2 <= n <= _LARGEST_SET:
        advice = "A single unit has no variance." if n < 2 else ""
        what = f"expected 2 to {_LARGEST_SET:,} {systems.unit}s of each test set, got {n}"
        raise OptionError(Problem(opt("items"), what, advice, "out-of-range"))
    if not 2 <= repeats <= MOST_SUBSETS:
        what = f"expected 2 to {format_count(MOST_SUBSETS)}, got {repeats}"
        raise OptionError(Problem(opt("repeats"), what, "", "out-of-range"))
    s = len(systems)
    sign = 1.0 if systems.metric.higher_is_better else -1.0
    truth = sign * systems.scores
    first, second = np.triu_indices(s, k=1)
    equal = np.abs(truth[first] - truth[second]) <= NOISE * max(float(np.abs(truth).max()), 1e-300)
    if equal.all():
        raise DataError(Problem(systems.source, "all systems score the same", "No system is better.", "all-equal"))
    pair_of = np.zeros((s, s), dtype=np.int64)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    p_values, right = np.ones((repeats, len(first))), np.zeros((repeats, len(first)), dtype=bool)
    valued = np.ones((repeats, len(first)), dtype=bool)
    exact = True
    sets = drawn_from(systems, n, repeats, options.resampling.seed)
    for t, tests in enumerate(options.tests_on(systems, sets)):
        columns = pair_of[tests.better, tests.worse]
        p_values[t, columns] = tests.p_values
        valued[t, columns] = tests.valued
        right[t, columns] = truth[tests.better] > truth[tests.worse]
        exact &= tests.exact
        if options.resampling.progress is not None:
            options.resampling.progress(t + 1, repeats)
    kept = np.flatnonzero(~equal)
    shares = _Shares(p_values[:, kept], right[:, kept], first[kept], second[kept], s, options)
    rule = options.rule
    resolution = resolution_of(p_values[:, kept], ~valued[:, kept])
    edges = (_EDGES[0], *(edge for edge in _EDGES[1:-1] if edge >= resolution), _EDGES[-1])
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
            *indistinct_notes(resolution, _EDGES[1], options, f"the bins up to {edges[1]:g} are merged"),
        ),
    )


class _Shares:
    """Tests of all test sets and pairs, shape (t, m), and proportions of those that are correct."""

    def __init__(
        self,
        p_values: FloatArray,
        right: BoolArray,
        first: IntArray,
        second: IntArray,
        s: int,
        options: StudyOptions,
    ) -> None:
        self._p, self._right, self._options = p_values, right, options
        seed = options.resampling.seed
        stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEY,)))
        t = len(p_values)
        self._sets = stream.multinomial(t, np.full(t, 1 / t), size=_REPLICATES).astype(np.float32)
        weights = system_weights(s, _REPLICATES, seed)
        self._pairs = (weights[:, first] * weights[:, second]).astype(np.float32)

    def between(self, low: float, high: float, *, closed: bool) -> BoolArray:
        """Return which p-values are in an interval, shape (t, m); its lower end is included if `closed`."""
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
            # If all tests are correct, they are so in every replicate, even if there are few.
            low_end, high_end = clopper_pearson(n_right, n_tests, self._options.confidence_level)
            ends = min(float(quantiles[0]), low_end), max(float(quantiles[1]), high_end)
        nominal = float(1 - self._p[chosen].mean())
        return CalibrationBin(low, high, n_tests, n_right, n_right / n_tests, *ends, nominal)

    def _weighted(self, chosen: BoolArray) -> FloatArray:
        """Return how many tests are chosen in each replicate of systems and test sets, shape (replicates,)."""
        some = np.flatnonzero(chosen.any(axis=0))
        counts = self._sets @ chosen[:, some].astype(np.float32)
        return np.asarray(np.einsum("bm,bm->b", counts, self._pairs[:, some], dtype=np.float64))


def transfer_study(
    systems: StudySystems,
    others: Sequence[StudySystems],
    options: StudyOptions,
    *,
    notes: Sequence[str] = (),
) -> TransferStudy:
    """Return, by p-value on one leaderboard, the proportion of pairs with the same sign on others.

    Systems are matched by name.

    Pairs whose statistic no resample reaches belong to no bin, and bins that begin below 1/(r + 1) are empty.
    Intervals are Clopper-Pearson intervals, which assume independent pairs. As pairs share systems and test sets,
    the proportions vary more.
    """
    if not others:
        raise OptionError(Problem(opt("others"), "expected at least one other leaderboard, got none", "", "no-other"))
    tests = options.tests(systems)
    resolution = resolution_of(tests.p_values, ~tests.valued)
    bins: list[TransferBin] = []
    warnings = [*notes]
    for other in others:
        index_of = {name: index for index, name in enumerate(other.names)}
        shared = [name for name in systems.names if name in index_of]
        if len(shared) < 2:
            what = f"expected at least two systems of {quoted(systems.source)}, got {len(shared)}"
            raise DataError(Problem(other.source, what, "Systems are matched by name.", "no-shared-systems"))
        if len(shared) < len(systems):
            warnings.append(
                f"{other.source} lacks {len(systems) - len(shared)} of the {len(systems)} systems; their pairs "
                "are left out."
            )
        bins += _bins(systems, tests, other, index_of, resolution, options)
    return TransferStudy(
        setting=options.setting(systems, exact=tests.exact),
        board=systems.source,
        others=tuple(other.source for other in others),
        n_items=systems.n_items,
        n_units=systems.n_units,
        n_systems=len(systems),
        bins=tuple(bins),
        signature=options.signature(
            systems,
            "transfer",
            exact=tests.exact,
            fit=False,
            window=False,
            others=",".join(encoded(other.source).replace(",", "%2C") for other in others),
        ),
        warnings=(
            *warnings,
            *few_units_notes([systems.n_units], systems.unit, options),
            *indistinct_notes(resolution, _TABLE_EDGES[0], options, "bins that begin below are empty"),
        ),
    )


def _bins(
    systems: StudySystems,
    tests: PairTests,
    other: StudySystems,
    index_of: dict[str, int],
    resolution: float,
    options: StudyOptions,
) -> list[TransferBin]:
    gains = _gains_on(systems, tests, other, index_of)
    common = ~np.isnan(gains)
    kept = gains > 0
    bins = []
    for low, high in pairwise(_TABLE_EDGES):
        # Pairs whose p-values are only bounds may belong to this bin or a lower one.
        chosen = common & (tests.p_values > low) & (tests.p_values <= high) & (low >= resolution)
        n, c = int(chosen.sum()), int((chosen & kept).sum())
        ends = clopper_pearson(c, n, options.confidence_level) if n else (None, None)
        bins.append(TransferBin(other.source, low, high, n, c, c / n if n else None, *ends))
    return bins


def _gains_on(systems: StudySystems, tests: PairTests, other: StudySystems, index_of: dict[str, int]) -> FloatArray:
    """Return each pair's gain on another leaderboard, 0 for rounding errors, NaN if it lacks one of the systems."""
    sign = 1.0 if other.metric.higher_is_better else -1.0
    scores = np.array([sign * other.scores[index_of[name]] if name in index_of else np.nan for name in systems.names])
    gains = scores[tests.better] - scores[tests.worse]
    return np.where(np.abs(gains) <= NOISE * np.nanmax(np.abs(scores)), 0.0, gains)
