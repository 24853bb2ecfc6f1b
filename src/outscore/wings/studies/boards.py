"""Options of studies, and the thresholds of a leaderboard's relations with intervals over systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

import numpy as np

from outscore._types import BoolArray, FloatArray, IntArray
from outscore._version import __version__
from outscore.data.coercion import choice, number, whole, wrong
from outscore.errors import OptionError, Problem
from outscore.gains.gain_laws import Resampling
from outscore.gains.influence import enough_units
from outscore.laws.executors import mapped, task_size
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.signatures import encoded, joined
from outscore.results import Estimator, Ties
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.registry import test_named
from outscore.wings.studies.pair_tests import PairTests, pair_tests
from outscore.wings.studies.results import ALL_PAIRS, DIFFERENT_FAMILY, SAME_FAMILY, StudySetting, Threshold
from outscore.wings.studies.systems import StudySystems, TestSet
from outscore.wings.studies.thresholds import ThresholdRule, WindowRule, weighted_percentiles

FEWEST_PAIRS = 10
_CELLS = 2**22  # number of weights in memory
_KEY = 5  # of the random stream for drawing systems
_MOST_UNDEFINED = 0.05  # of the resampled leaderboards
_BEYOND_RANGE = 1 + 1e-9  # rounding of fits and quantiles is no gain beyond the range


@dataclass(frozen=True)
class StudyOptions:
    """Options of a study.

    Attributes
    ----------
    rule : ThresholdRule
        How thresholds are computed.
    min_pairs : int
        The smallest number of tests for a threshold. A 95th percentile of ten numbers lies between the two largest;
        of fewer, it is little more than the maximum.
    test : SignificanceTest
        A test or its name.
    estimator : Estimator
        Members or their names.
    confidence_level : float
        Of the intervals.

    Raises
    ------
    OptionError
        A number is out of range, a name is unknown, or a value has the wrong type.
    """

    rule: ThresholdRule = field(default_factory=WindowRule)
    min_pairs: int = FEWEST_PAIRS
    test: SignificanceTest = field(default_factory=Bootstrap)
    resampling: Resampling = field(default_factory=Resampling)
    ties: Ties = Ties.COUNT
    estimator: Estimator = Estimator.ADD_ONE
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        rule, test, resampling = self.rule, self.test, self.resampling
        if not isinstance(rule, ThresholdRule):
            raise wrong("rule", "a rule such as outscore.wings.studies.ScaledFit()", rule)
        test = test_named(test) if isinstance(test, str) else test
        if not isinstance(test, SignificanceTest):
            raise wrong(opt("tests"), 'a test such as outscore.Bootstrap() or "bootstrap"', test)
        checked = {
            "test": test,
            "ties": choice(Ties, self.ties, opt("ties")),
            "estimator": choice(Estimator, self.estimator, opt("estimator")),
            "min_pairs": whole(self.min_pairs, opt("min_pairs")),
            "confidence_level": number(self.confidence_level, opt("confidence_level")),
        }
        if not isinstance(resampling, Resampling):
            raise wrong("resampling", "an outscore.significance.Resampling", resampling)
        r, seed = whole(resampling.n_resamples, opt("n_resamples")), whole(resampling.seed, opt("seed"))
        checked["resampling"] = replace(resampling, n_resamples=r, seed=seed)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.min_pairs < 1:
            raise OptionError(
                Problem(opt("min_pairs"), f"expected at least 1, got {self.min_pairs}", "", "out-of-range")
            )
        if not 0 < self.confidence_level < 1:
            what = f"expected a number between 0 and 1, got {self.confidence_level:g}"
            raise OptionError(Problem(opt("confidence_level"), what, "", "out-of-range"))
        if not 1 <= self.resampling.n_resamples <= 10**8:
            what = f"expected 1 to 1e8, got {self.resampling.n_resamples}"
            raise OptionError(Problem(opt("n_resamples"), what, "", "out-of-range"))
        if self.resampling.seed < 0:
            raise OptionError(
                Problem(opt("seed"), f"expected at least 0, got {self.resampling.seed}", "", "out-of-range")
            )

    def tests(self, systems: StudySystems, resampling: Resampling | None = None, *, many: bool = False) -> PairTests:
        """Return the tests of all pairs on one test set."""
        return pair_tests(
            systems,
            resampling or self.resampling,
            test=self.test,
            ties=self.ties,
            estimator=self.estimator,
            many=many,
        )

    def tests_on(self, systems: StudySystems, sets: Iterable[TestSet]) -> Iterator[PairTests]:
        """Yield the tests of all pairs on each test set, in order; in parallel with an executor."""
        executor = self.resampling.executor
        alone = replace(self, resampling=replace(self.resampling, executor=None, progress=None))
        work = partial(alone._tests_on, systems)
        if executor is None:
            return chain.from_iterable(work([test_set]) for test_set in sets)
        every = list(sets)
        step = task_size(executor, len(every), 1)
        tasks = [every[start : start + step] for start in range(0, len(every), step)]
        return chain.from_iterable(mapped(executor, work, tasks))

    def _tests_on(self, systems: StudySystems, sets: Iterable[TestSet]) -> list[PairTests]:
        return [
            self.tests(systems.take(test_set.index), replace(self.resampling, seed=test_set.seed), many=True)
            for test_set in sets
        ]

    def setting(self, systems: StudySystems, *, exact: bool) -> StudySetting:
        """Return the settings that a result reports."""
        metric = systems.metric
        return StudySetting(
            metric=describe_metric(metric),
            test=self.test.name,
            n_resamples=self.resampling.n_resamples,
            exact=exact,
            fit=self.rule.fit,
            window=(self.rule.low, self.rule.high),
            min_pairs=self.min_pairs,
            confidence_level=self.confidence_level,
            seed=self.resampling.seed,
            version=__version__,
            unit=systems.unit,
        )

    def signature(
        self,
        systems: StudySystems,
        study: str,
        /,
        *,
        exact: bool,
        fit: bool = True,
        window: bool = True,
        **more: object,
    ) -> str:
        """Return a signature like those of comparisons.

        Parameters
        ----------
        fit, window : bool
            Whether the study uses the rule of thresholds, and its window.
        **more
            Further parts; `systems` and `n` for several leaderboards.
        """
        parts: dict[str, object] = {"study": study, "test": self.test.name}
        if self.test.centre is not None:
            parts["centre"] = self.test.centre
        parts |= {"alternative": "greater", "direction": "data", "ties": self.ties.value}
        r = self.resampling.n_resamples if self.test.resamples else "asymptotic"
        if not exact and self.test.resamples:
            parts["estimator"] = self.estimator.value
        parts |= {"r": "exact" if exact else r, "systems": len(systems)}
        parts |= {"n": systems.n_units, "unit": systems.unit, **more}
        parts["fit"] = self.rule.fit.value if fit else None
        parts["window"] = f"{self.rule.low:g}-{self.rule.high:g}" if window else None
        metric = encoded(describe_metric(systems.metric).spec)
        parts |= {"seed": self.resampling.seed, "metric": metric, "version": __version__}
        return joined(**parts)


def thresholds_of(systems: StudySystems, tests: PairTests, options: StudyOptions) -> tuple[Threshold, ...]:
    """Return the threshold of every relation.

    Intervals are percentiles of a bootstrap over systems: s systems are drawn with replacement, and a pair counts
    mᵢ mⱼ times (the vertex bootstrap of Snijders & Borgatti 1999; Owen 2007). Pairs that share a system are
    dependent, so drawing pairs independently would give intervals that are too narrow. The p-values are kept:
    intervals reflect the choice of systems, not of the test set.
    """
    weights = system_weights(len(systems), options.rule.replicates, options.resampling.seed)
    return tuple(
        _threshold(name, tests, _members(systems, tests, name), systems, options, weights) for name in systems.relations
    )


def gains_near_alpha(systems: StudySystems, tests: PairTests, relation: str, options: StudyOptions) -> FloatArray:
    """Return the gains of a relation's tests in the window."""
    near = WindowRule(options.rule.low, options.rule.high).used(tests)
    return tests.gains[near & _members(systems, tests, relation)]


def system_weights(s: int, replicates: int, seed: int) -> IntArray:
    """Return how often each system is drawn in each replicate of a leaderboard, shape (replicates, s)."""
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEY,)))
    return stream.multinomial(s, np.full(s, 1 / s), size=replicates)


def _members(systems: StudySystems, tests: PairTests, relation: str) -> BoolArray:
    if relation == ALL_PAIRS:
        return np.ones(len(tests), dtype=bool)
    s = len(systems)
    related = np.array([[systems.relation(i, j) == relation for j in range(s)] for i in range(s)])
    return np.asarray(related[tests.better, tests.worse])


def _threshold(
    relation: str,
    tests: PairTests,
    members: BoolArray,
    systems: StudySystems,
    options: StudyOptions,
    weights: IntArray,
) -> Threshold:
    rule = options.rule
    chosen = np.flatnonzero(members & rule.used(tests))
    gains, p_values = tests.gains[chosen], tests.p_values[chosen]
    n_pairs = len(chosen)
    if n_pairs < options.min_pairs:
        return Threshold(relation, None, None, None, n_pairs, _too_few(relation, n_pairs, members, systems, options))
    value = float(rule.thresholds(gains, p_values, np.ones((1, n_pairs), dtype=np.int64))[0])
    if not np.isfinite(value):
        return Threshold(relation, None, None, None, n_pairs, rule.reason(gains, p_values))
    largest = systems.largest_gain
    most = np.inf if largest is None else largest * _BEYOND_RANGE
    if value > most:
        far = f"it would exceed the possible range of {describe_metric(systems.metric).spec}"
        return Threshold(relation, None, None, None, n_pairs, far)
    replicates = np.concatenate(
        [
            rule.thresholds(gains, p_values, part[:, tests.better[chosen]] * part[:, tests.worse[chosen]])
            for part in np.array_split(weights, max(1, len(weights) * n_pairs // _CELLS))
        ]
    )
    defined = replicates[np.isfinite(replicates) & (replicates <= most)]
    if len(defined) < (1 - _MOST_UNDEFINED) * len(replicates):
        share = 1 - len(defined) / len(replicates)
        lost = f"{share:.0%} of the resampled leaderboards have no threshold, so it has no interval"
        return Threshold(relation, value, None, None, n_pairs, lost)
    tail = (1 - options.confidence_level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Threshold(relation, value, float(low), float(high), n_pairs)


def few_units_notes(sizes: Iterable[int], unit: str, options: StudyOptions) -> tuple[str, ...]:
    """Return warnings about test sets that are too small for the bootstrap."""
    few = [f"{size:,}" for size in sorted({*sizes}) if size < enough_units(0.05)]
    if not few or not options.test.name.startswith("bootstrap"):
        return ()
    listed = " and ".join([", ".join(few[:-1]), few[-1]] if len(few) > 1 else few)
    return (f"With {listed} {unit}s the bootstrap has too many false positives.",)


def _too_few(relation: str, n_pairs: int, members: BoolArray, systems: StudySystems, options: StudyOptions) -> str:
    family = relation in {SAME_FAMILY, DIFFERENT_FAMILY}
    if not members.any():
        if family and all(name is None for name in systems.families):
            return "the families are unknown"
        return "no pair has this relation"
    window = f"p-values from {options.rule.low:g} to {options.rule.high:g}"
    usable = window if isinstance(options.rule, WindowRule) else "p-values that this fit can use"
    if n_pairs == 0:
        return f"no pair has {usable}"
    return f"only {n_pairs} pair{'s have' if n_pairs > 1 else ' has'} {usable}; {options.min_pairs} are needed"


def spread_of(gains: FloatArray) -> tuple[float | None, float | None]:
    """Return the 5th percentile and the median of gains; None if there are no gains."""
    if len(gains) == 0:
        return None, None
    low, middle = (weighted_percentiles(gains, np.ones((1, len(gains)), dtype=np.int64), q)[0] for q in (0.05, 0.5))
    return float(low), float(middle)


def resolution_of(p_values: FloatArray, bounds: BoolArray) -> float:
    """Return the p-value below which these are only bounds; 0 if none is a bound."""
    return float(np.max(p_values, where=bounds, initial=0.0))


def indistinct_notes(resolution: float, edge: float, options: StudyOptions, so: str) -> tuple[str, ...]:
    """Return a warning if bins begin below `resolution`, where p-values are only bounds.

    `edge` is the smallest p-value between two bins; `so` is the consequence for those below it.
    """
    if resolution <= edge:
        return ()
    r, least = options.resampling.n_resamples, math.ceil(1 / edge)
    return (
        f"With {r:,} resamples, p-values below {resolution:.3g} are indistinguishable: {so}. Use {least:,} "
        f"resamples ({opt('n_resamples')}) to resolve all bins.",
    )
