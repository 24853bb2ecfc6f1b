"""The margins of a gate, and the levels of its checks against a stored baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from outscore.data.coercion import check_level
from outscore.data.rows import Rows
from outscore.design.scores import Scores, score_gain_of
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.text.naming import listed, nearest, quoted
from outscore.text.numbers import format_count

_MOST_LOOKS = 10_000


class ErrorRate(StrEnum):
    """Whether alpha bounds the error rate over all checks against a baseline, or over all checks of one commit."""

    PER_BASELINE = "per-baseline"
    PER_COMMIT = "per-commit"


class InconclusivePolicy(StrEnum):
    """How an inconclusive result counts: as passed or as failed."""

    PASS = "pass"
    FAIL = "fail"


@dataclass(frozen=True)
class Margins:
    """The largest tolerated losses."""

    default: float | str | None = None  # as users write it, in the unit of each metric's score
    by_name: Mapping[str, float | str] = field(default_factory=dict)  # the margin of a metric, or of ``task/metric``
    # The source of each margin by name, and of the default under "", for errors. By default the option.
    places: Mapping[str, str] = field(default_factory=dict)
    advice: str = ""  # The advice if a metric has no margin. By default to pass one.

    def of(self, metric: AnyMetric, test_set: str | None, systems: Sequence[Rows] = ()) -> float:
        """Return the margin of a metric on a task, in the unit of its score.

        The rows of systems decide whether a percentage applies to a metric of binary scores. A margin that is missing
        or out of range is an error.
        """
        named = (key for key in (f"{test_set}/{metric.name}", metric.name) if key in self.by_name)
        key = next(named, "")
        written = self.by_name[key] if key else self.default
        if written is None:
            advice = self.advice or f"Pass {opt('margin')}, such as 0.02 or 2% for a proportion, or 0.5 for BLEU."
            what = f"{metric.name} has no margin"
            raise OptionError(Problem(opt("margin"), what, advice, "bad-margin"))
        where = self._place(key)
        margin = score_gain_of(written, where, metric, systems)
        if not 0 < margin < math.inf:
            what = f"expected a positive number, got {margin:g}"
            raise OptionError(Problem(where, what, "Pass the largest tolerated loss.", "bad-margin"))
        return margin

    def _place(self, key: str) -> str:
        return self.places.get(key, opt("margin"))

    def check_names(self, scores: Scores) -> None:
        """Refuse margins of unknown metrics or tasks, such as mistyped names."""
        metrics = [metric.name for metric in scores.metrics]
        known_names = [*metrics, *(f"{task}/{name}" for task in scores.design.test_set_names for name in metrics)]
        for name in self.by_name:
            if name not in known_names:
                what = f"unknown metric {quoted(name)}"
                offer = nearest(name, known_names)
                advice = offer if offer.startswith("Did") else f"Known: {listed(known_names)}."
                raise OptionError(Problem(self._place(name), what, advice, "unknown-metric"))


def check_looks(looks: int, argument: str | None = None) -> None:
    """Refuse a number of planned checks that is out of range."""
    if not 1 <= looks <= _MOST_LOOKS:
        what = f"expected 1 to {format_count(_MOST_LOOKS)}, got {looks}"
        raise OptionError(Problem(argument or opt("looks"), what, "", "out-of-range"))


@dataclass(frozen=True)
class GateRule:
    """The rule of a gate. A level out of range is an error, and so is a number of checks that is not 1 to 10,000."""

    margins: Margins
    alpha: float = 0.05  # in (0, 1)
    error: ErrorRate = ErrorRate.PER_BASELINE  # what alpha bounds
    looks: int | None = None  # the number of planned checks
    # By default an inconclusive result has an exit status of its own, 3.
    inconclusive: InconclusivePolicy | None = None
    file: str | None = None  # the rules file that was read, with its table

    def __post_init__(self) -> None:
        check_level(self.alpha)
        if self.looks is not None:
            check_looks(self.looks)


@dataclass(frozen=True)
class Look:
    """One check against a baseline."""

    # The number of the check, from 1: of the baseline, or of the commit if alpha bounds the errors per commit.
    number: int
    total: int  # The checks against a stored baseline so far, including this one. 0 if it is not stored.
    level: float
    commit: str | None = None
    n_runs: int = 1  # the number of averaged runs of the commit


def look_at_two(rule: GateRule, commit: str | None) -> Look:
    """Return the check of two systems without a stored baseline: the only one, unless more are planned."""
    return Look(1, 0, rule.alpha / (rule.looks or 1), commit)


def spent_level(rule: GateRule, number: int) -> float:
    """Return the level of check `number`: α/(k(k+1)), or α/K for each of K planned checks and 0 after them.

    If alpha bounds the errors per commit and no checks are planned, the first check of a commit has all of it. Later
    runs of the commit are averaged with the first one and cannot change the decision.

    Examples
    --------
    >>> rule = GateRule(Margins(0.02))
    >>> [round(spent_level(rule, k), 6) for k in (1, 2, 20)]
    [0.025, 0.008333, 0.000119]
    >>> from dataclasses import replace
    >>> planned = replace(rule, looks=4)
    >>> [round(spent_level(planned, k), 6) for k in (1, 4, 5)]
    [0.0125, 0.0125, 0.0]
    >>> [spent_level(replace(rule, error=ErrorRate.PER_COMMIT), k) for k in (1, 2)]
    [0.05, 0.0]
    """
    planned = 1 if rule.looks is None and rule.error is ErrorRate.PER_COMMIT else rule.looks
    if planned is None:
        return rule.alpha / (number * (number + 1))
    return rule.alpha / planned if number <= planned else 0.0


def left_level(rule: GateRule, before: Sequence[float]) -> float:
    """Return the level of the next check after checks with the levels `before`: at most the rest of α.

    The rest is smaller than the level of the rule only if earlier checks had another rule.

    Examples
    --------
    >>> rule = GateRule(Margins(0.02))
    >>> left_level(rule, [0.025]) == spent_level(rule, 2)
    True
    >>> from dataclasses import replace
    >>> round(left_level(replace(rule, looks=5), [0.025, 0.02]), 6), left_level(rule, [0.05])
    (0.005, 0.0)
    """
    level = spent_level(rule, len(before) + 1)
    left, rounding = rule.alpha - math.fsum(before), 1e-12 * rule.alpha
    if level <= left + rounding:
        return level
    return left if left > rounding else 0.0
