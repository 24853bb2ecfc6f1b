"""A sequential gate: it checks items one by one and stops when its outcome is certain, for costly evaluations.

The wealth of a gambler who bets against the null hypothesis is an e-process: under the null hypothesis, it ever
reaches 1/α with probability at most α (Ville 1939). So one may check after every item and stop at any time. A test
for a fixed number of items rejects far too often if it is repeated like this.

Items are checked in a random order, independent of the order in which they arrive: the first half of a file sorted
by topic may show a loss that the whole does not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from outscore._types import FloatArray, IntArray
from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.design.scores import Scores
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.laws.student import normal_quantile
from outscore.metrics import AnyMetric, RatioMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.looks import GateRule, Look
from outscore.questions.signatures import encoded, joined
from outscore.significance.corrections import holm
from outscore.significance.score_test import reweighted_variance
from outscore.text.naming import printable, quoted
from outscore.text.numbers import format_count, format_counted
from outscore.wings.gating.results import POWER_SETS, GateCheck, GateOutcome, GateResult, SequentialStop
from outscore.wings.gating.rule import gate_result, most_hurt, outcome_of, outcomes_of

# λ(1 − m) is at most 0.95, so that the worst possible item leaves a twentieth of the wealth.
_BOLDEST = 0.95
# Bets are set again after every item of the first and last 100, and in between after 2% of the items so far, or left:
# 400 settings of 2,000 items. Rare settings at the start would miss a candidate that loses every item.
_SETTINGS = 50
# Items with the largest possible (d + m)² = 1 that are assumed before the first. With one, losses that the first items
# do not show cost up to 8 points of power; with three, scores that use little of their range lose 5.
_ASSUMED = 2
_BLOCK = 4096  # items whose wealths are computed together
_FEWEST_FOR_POWER = 30  # items checked, below which their differences are too few to simulate others
_MOST_FOR_POWER = 20_000  # items of the gate: the simulation then takes a second
_MOST_POWERS = 6  # inconclusive checks with a power, which take half a second each for 2,000 items
_GRID = 200  # steps of the range to which simulated gains are rounded, so that memory does not grow with the items
_TEST = "e-process"


def order_of_items(ids: Iterable[str], seed: int) -> list[int]:
    """Return the places of items in random order: sorted by the SHA-256 of the seed, a colon and the id, in UTF-8.

    A script in any language can reproduce it: sort ids by the digest of, for example, ``12345:q17``.

    Examples
    --------
    >>> ids = ["q1", "q2", "q3", "q4"]
    >>> [ids[place] for place in order_of_items(ids, 12345)]
    ['q4', 'q2', 'q3', 'q1']
    """
    # Lone surrogates in a damaged id have no UTF-8 encoding.
    digests = [sha256(f"{seed}:{item}".encode("utf-8", "surrogatepass")).digest() for item in ids]
    return sorted(range(len(digests)), key=digests.__getitem__)


def gate_order(baseline: Scores, seed: int) -> list[str]:
    """Return the ids of a baseline's items in the order of a sequential gate; item numbers if there are no ids."""
    ids = _ids(baseline)
    return [ids[item] for item in order_of_items(ids, seed)]


class EProcess:
    """The wealth of bets against H0: δ ≤ −m, item by item.

    E_t = Π_{i ≤ t} (1 + λᵢxᵢ) with xᵢ = dᵢ + m, both divided by the range of scores, so that dᵢ lies in [−1, 1]. The
    bet λᵢ depends only on the items before i:

        λ = max(√(2R / (s²(N − t))), x̄ / (2s²)), at most 0.95/(1 − m)

    after t of N items, with R = ln(1/α) − ln E_t, 0 or more, and x̄ and s² the means of x and x² of these t items and
    of two more with x = 0 and x² = 1. The first term is the bet with which the smallest total of the remaining items is
    enough to reach 1/α: R/λ + λs²(N − t)/2, for small λ. The second one is half of the bet with the fastest growth if
    the mean stays x̄ ("half Kelly"). It reaches 1/α sooner if the candidate is clearly good enough.

    Under H0, and items in random order, P(E_t ≥ 1/α for any t) ≤ α for any such bets, so that 1/max E is a p-value at
    any time (Ville 1939; Waudby-Smith & Ramdas 2024, Estimating means of bounded random variables by betting).

    Parameters
    ----------
    margin : float
        m, in [0, 1), as a fraction of the range. With m = 0 and negated differences, H0 is δ ≥ 0.
    n_items : int
        N, the number of items of the whole sequence.
    level : float
        α, in (0, 1).
    n_sequences : int, optional
        The number of sequences, each with bets of its own. By default there is one.

    Attributes
    ----------
    log_value, log_largest : ndarray, shape () or (sequences,)
        ln E_t, and the largest so far with E_0 = 1.

    Examples
    --------
    >>> process = EProcess(0.03, 200, 0.05)
    >>> wealths = process.add([1, 0, 0, 0, -1] * 20 + [0] * 100)
    >>> round(math.exp(wealths[-1]), 4)
    2.3706
    """

    def __init__(self, margin: float, n_items: int, level: float, n_sequences: int | None = None) -> None:
        self.margin = margin
        self._n_items = n_items
        self._target = -math.log(level)
        self._n_added = 0
        # ln E, Σ x and Σ x²
        self._sums = np.zeros((3,) if n_sequences is None else (3, n_sequences))
        self._sums[2] = _ASSUMED
        self.log_largest = np.zeros(self._sums.shape[1:])
        self._set_bets()

    @property
    def log_value(self) -> FloatArray:
        return np.asarray(self._sums[0])

    def _set_bets(self) -> None:
        log_value, total, squares = self._sums
        left = self._n_items - self._n_added
        lacking = np.maximum(self._target - log_value, 0.0)
        in_time = np.sqrt(2 * lacking * (self._n_added + _ASSUMED) / (squares * max(left, 1)))
        self._bets = np.minimum(np.maximum(in_time, total / (2 * squares)), _BOLDEST / (1 - self.margin))
        self._next = self._n_added + max(min(self._n_added, left) // _SETTINGS, 1)

    def add(self, differences: Sequence[float] | FloatArray) -> FloatArray:
        """Return ln E after each new item, for differences of shape (..., n), and the same shape."""
        x = np.asarray(differences, dtype=np.float64) + self.margin
        values = np.empty(x.shape)
        start = 0
        while start < x.shape[-1]:
            stop = min(start + self._next - self._n_added, x.shape[-1])
            part = x[..., start:stop]
            # Added up item by item, so that the sizes of blocks do not change the last bit.
            sums = np.stack((np.log1p(self._bets[..., None] * part), part, part * part))
            sums[..., 0] += self._sums
            np.cumsum(sums, axis=-1, out=sums)
            values[..., start:stop] = sums[0]
            self._sums = sums[..., -1].copy()
            self._n_added += stop - start
            if self._n_added == self._next:
                self._set_bets()
            start = stop
        if x.shape[-1]:
            self.log_largest = np.maximum(self.log_largest, values.max(axis=-1))
        return values


def powers_of_equal(
    differences: FloatArray, margin: float, n_items: int, level: float, seed: int
) -> tuple[float, float]:
    """Return how often equally good candidates pass, checked after every item and once after all of them.

    Their gains on items have the sizes of these differences, shape (n,), with random signs; differences are those of
    the items checked, as fractions of the range. `margin`, `n_items` and `level` are those of `EProcess`.
    """
    rng = np.random.default_rng(seed)
    process, critical = EProcess(margin, n_items, level, POWER_SETS), normal_quantile(level)
    sizes, size_codes = np.unique(np.rint(np.abs(differences) * _GRID) / _GRID, return_inverse=True)
    values = np.concatenate([-sizes[::-1], sizes]) + margin
    counts = np.zeros((POWER_SETS, len(values)))
    sets = np.arange(POWER_SETS)[:, None] * len(values)
    for start in range(0, n_items, _BLOCK):
        shape = (POWER_SETS, min(_BLOCK, n_items - start))
        draws = size_codes[rng.integers(len(size_codes), size=shape)]
        draws = np.where(rng.random(shape) < 0.5, len(sizes) + draws, len(sizes) - 1 - draws)
        process.add(values[draws] - margin)
        counts += np.bincount((sets + draws).ravel(), minlength=counts.size).reshape(counts.shape)
    at_once = 0
    for row in counts:
        total = float(row @ values)
        variance = n_items * reweighted_variance(values[row > 0], row[row > 0], margin - 1) if total > 0 else 0.0
        at_once += total > critical * math.sqrt(variance) and total > 0
    return float((process.log_largest >= -math.log(level)).mean()), at_once / POWER_SETS


@dataclass(eq=False)
class _Watched:
    """One metric on one task, with the steps of the order at which its items come."""

    metric: AnyMetric
    task: str | None
    metric_index: int
    margin: float
    width: float
    steps: IntArray
    passing: EProcess
    failing: EProcess

    def gains(self, before: FloatArray, after: FloatArray, start: int, stop: int) -> tuple[IntArray, FloatArray]:
        """Return the steps from `start` to `stop` with an item of this task, and the gains on these items."""
        low, high = np.searchsorted(self.steps, [start, stop])
        at = self.steps[low:high]
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return at, sign * (after[self.metric_index, at] - before[self.metric_index, at])

    def p_values(self, before: FloatArray, after: FloatArray, start: int, stop: int) -> tuple[FloatArray, FloatArray]:
        """Return 1/max E of passing and of failing after each step of a block."""
        at, gains = self.gains(before, after, start, stop)
        d = gains / self.width
        both = []
        for process, values in ((self.passing, d), (self.failing, -d)):
            largest = np.full(stop - start, float(process.log_largest))  # before the block
            reached = process.add(values)
            largest[at - start] = np.maximum(reached, largest[at - start])
            both.append(np.exp(-np.maximum.accumulate(largest)))
        return both[0], both[1]


class SequentialGate:
    """A gate that takes a candidate's scores item by item and stops when its outcome is certain.

    Items may come in any order. They are checked in the order of `gate_order`; items that come early wait in memory.
    `outcome` is that of the `n_read` items checked so far, and final unless it is inconclusive.

    The level of the check is that of both e-processes. Refused are a margin as wide as the metric's range, a metric
    that is not a mean of scores per item or has no known range, a design with clusters, weighted strata or random runs,
    and a check for which no level is left.

    Examples
    --------
    >>> from outscore import read
    >>> from outscore.questions.looks import GateRule, Margins
    >>> baseline = read({"base": [1, 0] * 100}, metric="accuracy")
    >>> gate = SequentialGate(baseline, GateRule(Margins("20%")), Look(1, 1, 0.05))
    >>> for number in range(1, 201):
    ...     if gate.add(str(number), {"accuracy": number % 2}):
    ...         break
    >>> gate.outcome.value, gate.n_read, number
    ('passed', 30, 188)
    """

    def __init__(
        self, baseline: Scores, rule: GateRule, look: Look, seed: int = 12345, *, candidate: str = "candidate"
    ) -> None:
        _check(baseline, rule, look)
        self.baseline = baseline
        self.rule = rule
        self.look = look
        self.seed = seed
        self.candidate = candidate
        ids = _ids(baseline)
        order = np.array(order_of_items(ids, seed), dtype=np.int64)
        self.order = tuple(ids[index] for index in order.tolist())
        self._step_of = {item: step for step, item in enumerate(self.order)}
        self._before = np.stack(
            [
                _item_scores(*metric_and_rows)[order]
                for metric_and_rows in zip(baseline.metrics, _firsts(baseline), strict=True)
            ]
        )
        self._after = np.full(self._before.shape, np.nan)
        self._here = np.zeros(len(order), dtype=bool)
        self._watched = _watched(baseline, rule, look.level, order)
        self._p_pass = [1.0] * len(self._watched)
        self._p_fail = [1.0] * len(self._watched)
        self._ready = 0  # consecutive steps whose items have arrived
        self.n_read = 0
        self.outcome = GateOutcome.INCONCLUSIVE

    @property
    def is_certain(self) -> bool:
        """True if no more items are needed."""
        return self.outcome is not GateOutcome.INCONCLUSIVE

    @property
    def n_waiting(self) -> int:
        """Number of items that arrived before their turn."""
        return int(self._here.sum()) - self._ready

    def add(self, item: str, scores: Mapping[str, float], where: str | None = None) -> bool:
        """Add the scores of one item, by the names of metrics, and return whether the outcome is certain.

        Raises DataError, at `where` in the input, if the item is not in the baseline or is a duplicate, or a score is
        missing or out of its range.
        """
        where = where or f"item {quoted(item)}"
        step = self._step_of.get(item)
        if step is None:
            what = f"item {quoted(item)} is not in the baseline"
            raise DataError(Problem(where, what, "Score only items of the baseline.", "unknown-item"))
        if self._here[step]:
            what = f"duplicate item {quoted(item)}"
            raise DataError(Problem(where, what, "Pass every item once.", "duplicate-item"))
        for index, metric in enumerate(self.baseline.metrics):
            score = scores.get(metric.name, math.nan)
            low, high = _range(metric)
            if not low <= score <= high:
                lacks = metric.name not in scores
                got = "none" if lacks else f"{score:g}"
                what = f"expected a score from {low:g} to {high:g} in {metric.name}, got {got}"
                advice = "Pass a score for each metric." if lacks else "Correct the score, or the metric's range."
                raise DataError(Problem(where, what, advice, "missing-score" if lacks else "out-of-range"))
            self._after[index, step] = score
        self._here[step] = True
        while self._ready < len(self._here) and self._here[self._ready]:
            self._ready += 1
        self._look()
        return self.is_certain

    def add_all(self, candidate: Scores) -> bool:
        """Add all items of a complete candidate, the one system of `candidate`, on the baseline's items."""
        order = np.array([self._step_of[item] for item in _ids(candidate)])
        for index, (metric, rows) in enumerate(zip(candidate.metrics, _firsts(candidate), strict=True)):
            self._after[index, order] = _item_scores(metric, rows)
        self._here[:] = True
        self._ready = len(self._here)
        self._look()
        return self.is_certain

    def _look(self) -> None:
        """Check all items whose turn has come, until the outcome is certain."""
        while self.n_read < self._ready and not self.is_certain:
            start, stop = self.n_read, min(self.n_read + _BLOCK, self._ready)
            p_values = [watched.p_values(self._before, self._after, start, stop) for watched in self._watched]
            p_pass, p_fail = (np.array([p[side] for p in p_values]) for side in (0, 1))
            self.n_read = self._decided(p_pass, p_fail) + start
            self._p_pass, self._p_fail = (p[:, self.n_read - start - 1].tolist() for p in (p_pass, p_fail))

    def _decided(self, p_pass: FloatArray, p_fail: FloatArray) -> int:
        """Return the number of steps of a block until the outcome is certain; all if it is not."""
        level, m = self.look.level, len(p_fail)
        passed = p_pass <= level
        # Holm's procedure rejects nothing if the smallest p-value times m is above the level.
        may_fail = ((p_fail <= level) & ~passed).any(axis=0) & (m * p_fail.min(axis=0) <= level * (1 + 1e-9))
        last: tuple[list[float], list[float]] | None = None
        for step in np.flatnonzero(passed.all(axis=0) | may_fail).tolist():
            now = p_pass[:, step].tolist(), p_fail[:, step].tolist()
            if now != last:
                self.outcome = outcome_of(outcomes_of(now[0], holm(now[1]), level))
                if self.is_certain:
                    return step + 1
                last = now
        return len(p_pass[0])

    def result(self) -> GateResult:
        """Return the result on the items checked so far.

        Raises
        ------
        DataError
            No item was checked.
        """
        if self.n_read == 0:
            what = f"no item was checked: the first in random order, {quoted(self.order[0])}, is missing"
            raise DataError(Problem(printable(self.candidate), what, "Pass the candidate's items.", "empty"))
        adjusted = holm(self._p_fail)
        outcomes = outcomes_of(self._p_pass, adjusted, self.look.level)
        rows = zip(self._watched, self._p_pass, self._p_fail, adjusted, outcomes, strict=True)
        checks_by_index = {index: check for index, row in enumerate(rows) if (check := self._check(*row)) is not None}
        doubtful = [index for index, check in checks_by_index.items() if check.outcome is GateOutcome.INCONCLUSIVE]
        for index in doubtful[:_MOST_POWERS]:
            checks_by_index[index] = self._with_powers(self._watched[index], checks_by_index[index])
        checks = [*checks_by_index.values()]
        return gate_result(
            self.baseline,
            self.rule,
            self.look,
            self.outcome,
            checks,
            candidate=self.candidate,
            signature=self._signature(),
            warnings=[*self.baseline.notes, *self._warnings(checks)],
            sequential=SequentialStop(self.n_read, len(self.order), self.seed),
        )

    def _check(
        self, watched: _Watched, p_pass: float, p_fail: float, adjusted: float, outcome: GateOutcome
    ) -> GateCheck | None:
        at, gains = watched.gains(self._before, self._after, 0, self.n_read)
        if len(at) == 0:
            return None
        before, after, d = (
            self._before[watched.metric_index, at].tolist(),
            self._after[watched.metric_index, at].tolist(),
            gains.tolist(),
        )
        return GateCheck(
            metric=describe_metric(watched.metric),
            test_set=watched.task,
            margin=watched.margin,
            n_items=len(at),
            n_units=len(at),
            baseline_score=math.fsum(before) / len(at),
            candidate_score=math.fsum(after) / len(at),
            gain=math.fsum(d) / len(at),
            interval=None,
            test=_TEST,
            p_pass=p_pass,
            p_fail=p_fail,
            adjusted_p_fail=adjusted,
            outcome=outcome,
            helped=sum(difference > 0 for difference in d),
            hurt=sum(difference < 0 for difference in d),
            unchanged=d.count(0.0),
            items_hurt=most_hurt([self.order[step] for step in at.tolist()], before, after, d),
        )

    def _with_powers(self, watched: _Watched, check: GateCheck) -> GateCheck:
        if check.n_items < _FEWEST_FOR_POWER or len(watched.steps) > _MOST_FOR_POWER:
            return check
        d = watched.gains(self._before, self._after, 0, self.n_read)[1] / watched.width
        in_sequence, at_once = powers_of_equal(
            d, watched.margin / watched.width, len(watched.steps), self.look.level, self.seed
        )
        return replace(check, equal_passes=in_sequence, equal_passes_at_once=at_once)

    def _warnings(self, checks: Sequence[GateCheck]) -> list[str]:
        warnings = []
        seen = {(check.metric.name, check.test_set) for check in checks}
        unseen = [watched for watched in self._watched if (watched.metric.name, watched.task) not in seen]
        if unseen:
            names = ", ".join(
                watched.metric.name if watched.task is None else f"{watched.metric.name} on {watched.task}"
                for watched in unseen
            )
            warnings.append(f"No item of {names} was checked before the outcome was certain or the items ended.")
        if self.n_waiting and not self.is_certain:
            warnings.append(
                f"{format_counted(self.n_waiting, 'item')} could not be checked, because item "
                f"{quoted(self.order[self.n_read])} comes before them in the random order and is missing."
            )
        return warnings

    def _signature(self) -> str:
        first = self._watched[0]
        return joined(
            test=_TEST,
            bets="adaptive",
            null=f"{-first.margin:g}",
            n=f"{self.n_read}/{len(self.order)}",
            unit="item",
            seed=self.seed,
            metric=encoded(describe_metric(first.metric).spec),
            version=__version__,
        )


def sequential_gate(scores: Scores, rule: GateRule, look: Look, seed: int = 12345) -> GateResult:
    """Return the sequential gate of a baseline and a complete candidate, with the item after which it could stop."""
    gate = SequentialGate(scores.ordered([0]), rule, look, seed, candidate=scores.names[1])
    candidate = scores.ordered([1])
    _check_items(candidate)
    gate.add_all(candidate)
    return gate.result()


def _watched(baseline: Scores, rule: GateRule, level: float, order: IntArray) -> list[_Watched]:
    """Return every metric on every task, as tracked by the gate."""
    design = baseline.design
    if design.test_sets is None:
        parts: list[tuple[str | None, IntArray]] = [(None, np.arange(len(order)))]
    else:
        codes = design.test_sets[order]
        parts = [(name, np.flatnonzero(codes == code)) for code, name in enumerate(design.test_set_names)]
    watched = []
    n_watched = len(parts) * len(baseline.metrics)
    for task, steps in parts:
        for index, metric in enumerate(baseline.metrics):
            low, high = _range(metric)
            width, margin = high - low, rule.margins.of(metric, task, baseline.rows[index])
            if margin >= width:
                what = f"expected less than {width:g}, the range of {metric.name}, got {margin:g}"
                raise OptionError(Problem(opt("margin"), what, "Pass a smaller margin.", "bad-margin"))
            passing = EProcess(margin / width, len(steps), level)
            # Holm's correction compares the smallest p-value with α over the number of checks.
            failing = EProcess(0.0, len(steps), level / n_watched)
            watched.append(_Watched(metric, task, index, margin, width, steps, passing, failing))
    return watched


def _check(baseline: Scores, rule: GateRule, look: Look) -> None:
    rule.margins.check_names(baseline)
    if look.level <= 0:
        what = "all planned checks are used, so no decision is possible"
        raise NotApplicableError(Problem(opt("sequential"), what, "Accept a new baseline.", "looks-spent"))
    design = baseline.design
    obstacles = {
        "items in clusters": design.clusters is not None or design.crossed_clusters is not None,
        "weighted strata": design.is_weighted,
        **{f"random {factor.plural}": True for factor in design.new_levels},
    }
    for what, there in obstacles.items():
        if there:
            problem = f"needs independent items of equal weight, got {what}"
            raise NotApplicableError(Problem(opt("sequential"), problem, _without(), "not-applicable"))
    for metric in baseline.metrics:
        _check_range(metric)
    _check_items(baseline)


def _without() -> str:
    return f"Leave {opt('sequential')} out."


def _check_range(metric: AnyMetric) -> None:
    """Refuse a metric without bounded scores per item."""
    if not _is_mean(metric):
        what = f"needs a mean of scores per item, which {metric.name} is not"
        raise NotApplicableError(Problem(opt("sequential"), what, _without(), "not-applicable"))
    if metric.score_range is None or not all(map(math.isfinite, metric.score_range)):
        what = f"needs a metric with a known range of item scores; {metric.name} has none"
        advice = (
            f"If it has one, declare it: {metric.name}:lowest=0,highest=1."
            if metric.described.takes_range
            else _without()
        )
        raise NotApplicableError(Problem(opt("sequential"), what, advice, "no-range"))


def _is_mean(metric: AnyMetric) -> bool:
    """Return whether the score is Σ numerator / Σ denominator with a denominator that is the same for all systems."""
    if not isinstance(metric, RatioMetric):
        return False
    used = [name for name, weight in zip(metric.statistics, metric.denominator, strict=True) if weight]
    return set(used) <= set(metric.shared_statistics)


def _check_items(system: Scores) -> None:
    """Refuse items with different weights, or scores out of range."""
    for metric, rows in zip(system.metrics, _firsts(system), strict=True):
        assert isinstance(metric, RatioMetric)
        weights = rows.values @ np.asarray(metric.denominator)
        if not (weights[0] > 0 and (weights == weights[0]).all()):
            what = (
                f"needs items of equal weight; in {metric.name} the items of {printable(rows.name)} have "
                "different weights"
            )
            raise NotApplicableError(Problem(opt("sequential"), what, _without(), "not-applicable"))
        scores, (low, high) = _item_scores(metric, rows), _range(metric)
        outside = np.flatnonzero(~((scores >= low) & (scores <= high)))
        if len(outside):
            what = f"expected scores from {low:g} to {high:g} in {metric.name}, got {scores[outside[0]]:g}"
            more = "" if len(outside) == 1 else f", and {format_count(len(outside) - 1)} more"
            advice = "Correct the scores, or the metric's range."
            raise DataError(Problem(rows.place(int(outside[0])), what + more, advice, "out-of-range"))


def _range(metric: AnyMetric) -> tuple[float, float]:
    assert metric.score_range is not None
    return metric.score_range


def _item_scores(metric: AnyMetric, rows: Rows) -> FloatArray:
    scores = metric.item_scores(rows.values)
    assert scores is not None
    return scores


def _firsts(scores: Scores) -> list[Rows]:
    return [systems[0] for systems in scores.rows]


def _ids(scores: Scores) -> tuple[str, ...]:
    return scores.design.ids or tuple(map(str, range(1, scores.design.n_items + 1)))
