"""The rule of a gate: pass if a loss of the margin is ruled out, fail if the candidate is significantly worse.

Each metric and task has two one-sided tests. Passing rejects δ ≤ −margin, failing rejects δ ≥ 0, both with the
default test for margins. If the range of the scores is known, this is the score test, which allows for rare losses
that the test set does not contain; otherwise it is the skewness-corrected t-test. All metrics and tasks have to
pass, each at the full level: the union of the null hypotheses is rejected if each of them is rejected (Berger
1982). One failure fails the gate, with Holm's correction over all of them.

Repeated checks against a baseline share α: check k has level α/(k(k+1)), which sum to α, or α/K if K checks are
planned. By Bonferroni's inequality this holds for any dependence between checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore._version import __version__
from outscore.data.rows import Rows
from outscore.design.scores import Scores
from outscore.errors import NotApplicableError, Problem
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
from outscore.results.items import lowest
from outscore.significance.corrections import holm
from outscore.significance.registry import test_named
from outscore.text.naming import listed
from outscore.text.numbers import format_count
from outscore.wings.gating.results import GateCheck, GateOutcome, GateResult, HurtItem, SequentialStop

_MOST_HURT = 10


def gate_scores(scores: Scores, rule: GateRule, look: Look) -> GateResult:
    """Return the result of a gate for a candidate, the second system, against a baseline, the first.

    Raises NotApplicableError if no test applies to the metric or the design.

    References
    ----------
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling. Holm (1979). Tango (1998).
    """
    rule.margins.check_names(scores)
    shown = look.level or rule.alpha  # of intervals, if no level is left
    parts = _parts(scores)
    pairs = [_tested(part, rule.margins.of(part.metrics[0], task, part.rows[0]), shown) for task, part in parts]
    adjusted = holm([worse.test.p_value for _, worse in pairs])
    outcomes = outcomes_of(
        [comparison.test.p_value if comparison.verdict is Verdict.NOT_WORSE else 1.0 for comparison, _ in pairs],
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
        signature=first.test.signature,
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
    """Return the result of a check of a candidate; the baseline is the first system of `scores`.

    The signature is that of the first metric and task, extended by the level, and by the number of the check of a
    stored baseline.
    """
    planned = "" if rule.looks is None else f"/{rule.looks}"
    # Two systems are compared once; only a stored baseline counts its checks.
    before, after = (f"|look:{look.number}{planned}", f"|error:{rule.error}") if look.total else ("", "")
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
        inconclusive=rule.inconclusive,
        checks=tuple(checks),
        findings=claims_of(scores.design),
        over=scores.design.over(scores.rows[0]),
        sequential=sequential,
        pairing=scores.audit,
        signature=f"{signature}{before}|level:{look.level:.4g}{after}",
        version=__version__,
        rules_file=rule.file,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def outcomes_of(p_pass: Sequence[float], adjusted_p_fail: Sequence[float], level: float) -> list[GateOutcome]:
    """Return the outcome of each metric and task; a significant loss passes if it is shown to be below the margin."""
    return [
        GateOutcome.PASSED if passing <= level else GateOutcome.FAILED if failing <= level else GateOutcome.INCONCLUSIVE
        for passing, failing in zip(p_pass, adjusted_p_fail, strict=True)
    ]


def outcome_of(outcomes: Sequence[GateOutcome]) -> GateOutcome:
    """Return the outcome over all metrics and tasks: all have to pass, one failure fails the gate."""
    if GateOutcome.FAILED in outcomes:
        return GateOutcome.FAILED
    return GateOutcome.PASSED if set(outcomes) == {GateOutcome.PASSED} else GateOutcome.INCONCLUSIVE


def _parts(scores: Scores) -> list[tuple[str | None, Scores]]:
    """Return the scores of each metric and task, with the task's name if there are several."""
    is_single_task = scores.design.test_sets is None
    tasks = [(None, scores)] if is_single_task else zip(scores.design.test_set_names, by_test_set(scores), strict=True)
    return [(task, scores_of_task.on(metric)) for task, scores_of_task in tasks for metric in scores_of_task.metrics]


def _tested(scores: Scores, margin: float, alpha: float) -> tuple[Comparison, Comparison]:
    """Return the two comparisons of one metric, for passing and for failing, by the same test."""
    passing = Settings(claim=Claim.NOT_WORSE, margin=margin, alpha=alpha)
    try:
        comparison = compare_scores(scores, passing)[0].comparisons[0]
        failing = Settings(tests=(test_named(comparison.test.name),), alternative=Alternative.LESS, alpha=alpha)
        other = compare_scores(scores, failing)[0].comparisons[0]
    except NotApplicableError as error:
        what = error.problems[0].what.removeprefix("it ")
        advice = "Gate on more items, or on a metric that is a mean of scores per item."
        where = f"gate on {scores.metrics[0].name}"
        raise NotApplicableError(Problem(where, f"its test {what}", advice, "not-applicable")) from None
    return comparison, other


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
        test=passing.test.name,
        p_pass=passing.test.p_value,
        p_fail=failing.test.p_value,
        adjusted_p_fail=adjusted,
        outcome=outcome,
        helped=passing.helped,
        hurt=passing.hurt,
        unchanged=passing.unchanged,
        items_hurt=_items_hurt(metric, *systems),
    )


def _items_hurt(metric: AnyMetric, baseline: Rows, candidate: Rows) -> tuple[HurtItem, ...]:
    """Return the items on which the candidate loses most, at most ten; empty if the metric has no scores per item."""
    table = item_table(metric, baseline, candidate)
    if table.differences is None or table.baseline_scores is None or table.candidate_scores is None:
        return ()
    return most_hurt(table.item_ids, table.baseline_scores, table.candidate_scores, table.differences)


def most_hurt(
    items: Sequence[str], baseline: Sequence[float], candidate: Sequence[float], differences: Sequence[float]
) -> tuple[HurtItem, ...]:
    """Return the items with the lowest negative differences, at most ten, the lowest first; see `lowest`."""
    worst = [index for index in lowest(differences, _MOST_HURT) if differences[index] < 0]
    listed = [differences[index] for index in worst]
    unlisted = [differences.count(difference) - listed.count(difference) for difference in listed]
    return tuple(HurtItem(items[at], baseline[at], candidate[at], n) for at, n in zip(worst, unlisted, strict=True))


def _spent(rule: GateRule, look: Look) -> list[str]:
    """Return a warning if all checks are used, or less of alpha is left than the rule needs."""
    if look.total > 0 and look.level < spent_level(rule, look.number):
        where = "baseline" if rule.error is ErrorRate.PER_BASELINE else "commit"
        left = f"only {look.level:.4g} of {rule.alpha:g} is" if look.level > 0 else f"nothing of {rule.alpha:g} is"
        return [
            f"Earlier checks of this {where} used another rule ({opt('alpha')}, {opt('looks')} or "
            f"{opt('error')}), and {left} left. Accept a new baseline to start again."
        ]
    if look.level > 0:
        return []
    if rule.error is ErrorRate.PER_COMMIT:
        planned = (
            f"All {format_count(rule.looks)} checks of this commit are"
            if rule.looks
            else "The only check of this commit is"
        )
        return [
            f"{planned} used, so no decision is possible. Plan repeated runs with {opt('looks')}, or accept a "
            "new baseline."
        ]
    return [
        f"All {format_count(rule.looks or 0)} planned checks of this baseline are used, so no decision is "
        "possible. Accept a new baseline."
    ]


def _warnings(names: Sequence[str], pairs: Sequence[tuple[Comparison, Comparison]]) -> list[str]:
    """Return the warnings, with the metrics and tasks they concern if these are not all."""
    owners: dict[str, dict[str, None]] = {}
    for name, pair in zip(names, pairs, strict=True):
        for warning in (warning for comparison in pair for warning in comparison.warnings):
            owners.setdefault(warning, {})[name] = None
    return [
        warning if len(owners[warning]) == len(names) else f"{listed(list(owners[warning]))}: {warning}"
        for warning in owners
    ]
