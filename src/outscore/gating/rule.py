"""A gate: whether a candidate is shown not to be worse than a baseline by the margin, or shown to be worse.

Two one-sided tests answer for each metric and task: passing rejects δ ≤ −margin, failing δ ≥ 0, both by the default
test of claims with a margin. Where the range of the scores is known it is the score test, which allows for losses that
the test set happens not to hold; else it is the skewness-corrected t-test. All metrics and tasks have to pass, each at
the whole level: the union of their null hypotheses is rejected where each of them is (Berger 1982). One that fails is
enough, and Holm's correction keeps the level over all of them.

A baseline that is compared again and again spends its level: look k has α/(k(k+1)), which sum to α, or α/K where K
looks are planned. By Bonferroni's inequality this holds however looks depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.design.scores import Scores
from outscore.errors import NotApplicableError, Problem
from outscore.gating.results import GateCheck, GateOutcome, GateResult, HurtItem, SequentialStop
from outscore.metrics import AnyMetric
from outscore.metrics.options import describe_metric
from outscore.options import opt
from outscore.questions.comparing import compare_scores
from outscore.questions.findings import claims_of
from outscore.questions.item_tables import item_table
from outscore.questions.looks import ErrorRate, GateRule, Look, spent_level
from outscore.questions.parts import by_test_set
from outscore.questions.settings import Settings
from outscore.results import Alternative, Claim, Comparison, Verdict
from outscore.significance.p_values import holm
from outscore.significance.registry import test_named
from outscore.text.naming import listed
from outscore.text.numbers import format_count

_MOST_HURT = 10
_MOST_LOOKS = 10_000


def gate_scores(scores: Scores, rule: GateRule, look: Look) -> GateResult:
    """Return what a gate says of a candidate, the second system, against a baseline, the first.

    Parameters
    ----------
    scores : Scores
        Of two systems.
    rule : GateRule
    look : Look

    Raises
    ------
    OptionError
        A margin that is none, or of a metric that there is not.
    NotApplicableError
        A metric, or a design, that no test fits.
    DataError
        Fewer than two clusters, or items of a task.

    References
    ----------
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling. Holm (1979). Tango (1998).
    """
    rule.margins.check_names(scores)
    shown = look.level or rule.alpha  # of intervals, where nothing is left to spend
    parts = _parts(scores)
    pairs = [_tested(part, rule.margins.of(part.metrics[0], task, part.rows[0]), shown) for task, part in parts]
    adjusted = holm([worse.tests[0].p_value for _, worse in pairs])
    outcomes = outcomes_of(
        [one.tests[0].p_value if one.verdict is Verdict.NOT_WORSE else 1.0 for one, _ in pairs],
        [p if worse.verdict is Verdict.WORSE else 1.0 for p, (_, worse) in zip(adjusted, pairs, strict=True)],
        look.level,
    )
    checks = [
        _check(*part, pair, p, outcome, shown)
        for part, pair, p, outcome in zip(parts, pairs, adjusted, outcomes, strict=True)
    ]
    first = pairs[0][0]
    return gate_result(
        scores,
        rule,
        look,
        outcome_of(outcomes),
        checks,
        candidate=first.candidate,
        signature=first.tests[0].signature,
        warnings=[*_spent(rule, look), *_warnings([check.name for check in checks], pairs)],
    )


def gate_result(
    scores: Scores,
    rule: GateRule,
    look: Look,
    outcome: GateOutcome,
    checks: Sequence[GateCheck],
    *,
    candidate: str,
    signature: str,
    warnings: Sequence[str],
    sequential: SequentialStop | None = None,
) -> GateResult:
    """Return the result of a look at a candidate, with the baseline the first system of `scores`.

    The signature is that of the first check, to which the look is added.
    """
    planned = "" if rule.looks is None else f"/{rule.looks}"
    return GateResult(
        outcome=outcome,
        look=look.number,
        level=look.level,
        alpha=rule.alpha,
        error=rule.error,
        looks=rule.looks,
        total_looks=look.total,
        baseline=scores.names[0],
        candidate=candidate,
        commit=look.commit,
        n_runs=look.n_runs,
        undecided=rule.undecided,
        checks=tuple(checks),
        findings=claims_of(scores.design),
        over=scores.design.over(scores.rows[0]),
        sequential=sequential,
        pairing=scores.audit,
        signature=f"{signature}|look:{look.number}{planned}|level:{look.level:.4g}|error:{rule.error}",
        version=__version__,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def outcomes_of(p_pass: Sequence[float], adjusted_p_fail: Sequence[float], level: float) -> list[GateOutcome]:
    """Return the outcome of each metric and task; a loss that is shown to be less than the margin is tolerated."""
    return [
        GateOutcome.PASSED if passing <= level else GateOutcome.FAILED if failing <= level else GateOutcome.UNDECIDED
        for passing, failing in zip(p_pass, adjusted_p_fail, strict=True)
    ]


def outcome_of(outcomes: Sequence[GateOutcome]) -> GateOutcome:
    """Return the outcome of all metrics and tasks together: one that fails is enough, and all have to pass."""
    if GateOutcome.FAILED in outcomes:
        return GateOutcome.FAILED
    return GateOutcome.PASSED if set(outcomes) == {GateOutcome.PASSED} else GateOutcome.UNDECIDED


def _parts(scores: Scores) -> list[tuple[str | None, Scores]]:
    """Return the scores on each metric of each task, with the task's name where there are several."""
    one_set = scores.design.test_sets is None
    tasks = [(None, scores)] if one_set else zip(scores.design.test_set_names, by_test_set(scores), strict=True)
    return [(task, of.on(metric)) for task, of in tasks for metric in of.metrics]


def _tested(scores: Scores, margin: float, alpha: float) -> tuple[Comparison, Comparison]:
    """Return the comparison that can pass, and the one that can fail, on one metric: by the same test."""
    passing = Settings(claim=Claim.NOT_WORSE, margin=margin, alpha=alpha)
    try:
        one = compare_scores(scores, passing)[0].comparisons[0]
        failing = Settings(tests=(test_named(one.tests[0].name),), alternative=Alternative.LESS, alpha=alpha)
        other = compare_scores(scores, failing)[0].comparisons[0]
    except NotApplicableError as error:
        what = error.problems[0].what.removeprefix("it ")
        advice = "Gate on more items, or on a metric that is a mean of items' own scores."
        where = f"gate on {scores.metrics[0].name}"
        raise NotApplicableError(Problem(where, f"its test {what}", advice, "not-applicable")) from None
    return one, other


def _check(
    task: str | None,
    scores: Scores,
    pair: tuple[Comparison, Comparison],
    adjusted: float,
    outcome: GateOutcome,
    alpha: float,
) -> GateCheck:
    (metric,), (systems,) = scores.metrics, scores.rows
    passing, failing = pair
    low, high = passing.interval, failing.interval
    assert passing.margin is not None
    return GateCheck(
        metric=describe_metric(metric),
        test_set=task,
        margin=passing.margin,
        n_items=passing.n_items,
        n_units=passing.n_units,
        baseline_score=passing.baseline_score,
        candidate_score=passing.candidate_score,
        gain=passing.gain,
        interval=replace(low, high=high.high, confidence_level=1 - 2 * alpha, exact=low.exact and high.exact),
        test=passing.tests[0].name,
        p_pass=passing.tests[0].p_value,
        p_fail=failing.tests[0].p_value,
        adjusted_p_fail=adjusted,
        outcome=outcome,
        helped=passing.helped,
        hurt=passing.hurt,
        items_hurt=_items_hurt(metric, *systems),
    )


def _items_hurt(metric: AnyMetric, baseline: Rows, candidate: Rows) -> tuple[HurtItem, ...]:
    """Return the items on which the candidate loses most, ten at most; none where items have no scores of their own."""
    table = item_table(metric, baseline, candidate)
    if table.differences is None or table.baseline_scores is None or table.candidate_scores is None:
        return ()
    return most_hurt(table.item_ids, table.baseline_scores, table.candidate_scores, table.differences)


def most_hurt(
    items: Sequence[str], baseline: Sequence[float], candidate: Sequence[float], differences: Sequence[float]
) -> tuple[HurtItem, ...]:
    """Return the items with the lowest differences below 0, ten at most, the worst first."""
    losses = [(difference, place) for place, difference in enumerate(differences) if difference < 0]
    worst = [place for _, place in sorted(losses)[:_MOST_HURT]]
    return tuple(HurtItem(items[place], baseline[place], candidate[place]) for place in worst)


def _spent(rule: GateRule, look: Look) -> list[str]:
    """Return what is to be said where all looks are spent, or less is left than the rule has for this one."""
    if look.total > 0 and look.level < spent_level(rule, look.number):
        where = "baseline" if rule.error is ErrorRate.PER_BASELINE else "commit"
        left = f"only {look.level:.4g} of {rule.alpha:g} is" if look.level > 0 else f"nothing of {rule.alpha:g} is"
        return [
            f"Earlier looks at this {where} were made by other rules ({opt('alpha')}, {opt('looks')} or "
            f"{opt('error')}), and {left} left to spend: a new baseline starts anew."
        ]
    if look.level > 0:
        return []
    if rule.error is ErrorRate.PER_COMMIT:
        planned = (
            f"All {format_count(rule.looks)} looks at this commit are"
            if rule.looks
            else "The one look at this commit is"
        )
        return [
            f"{planned} spent, so that nothing can be decided: plan runs again with {opt('looks')}, or accept a new "
            "baseline."
        ]
    return [
        f"All {format_count(rule.looks or 0)} planned looks at this baseline are spent, so that nothing can be "
        "decided: accept a new baseline."
    ]


def _warnings(names: Sequence[str], pairs: Sequence[tuple[Comparison, Comparison]]) -> list[str]:
    """Return what a reader must know, and of which metrics and tasks, where it is not of all."""
    of: dict[str, dict[str, None]] = {}
    for name, pair in zip(names, pairs, strict=True):
        for warning in (warning for comparison in pair for warning in comparison.warnings):
            of.setdefault(warning, {})[name] = None
    return [warning if len(of[warning]) == len(names) else f"{listed(list(of[warning]))}: {warning}" for warning in of]
