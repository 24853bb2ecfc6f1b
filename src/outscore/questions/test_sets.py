"""Comparisons and rankings on several datasets: each dataset, their number, their average, and other tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore._version import __version__
from outscore.design import Design
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.questions.claims import contradicts, verdict
from outscore.questions.comparing import Tested, compare_scores, contests_of, results_of
from outscore.questions.findings import claims_of
from outscore.questions.parts import by_test_set, over_strata, over_tasks
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.questions.settings import Settings
from outscore.questions.several_tests import FEW_TASKS, at_least, deciding_tasks
from outscore.results import Alternative, Claim, Comparison, ComparisonResult, IntervalMethod, Verdict
from outscore.results.rankings import Ranking
from outscore.results.test_sets import Tasks, TestSetComparison, TestSetsComparison, TestSetsResult
from outscore.significance.auto import Auto
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.randomization import Randomization
from outscore.significance.t_tests import PairedT
from outscore.text.naming import listed
from outscore.words.warnings import few_tasks, without_tasks

_NOT_CLAIMED = (Verdict.WORSE, Verdict.INCONCLUSIVE)


def compare_test_sets(
    scores: Scores,
    settings: Settings,
    tasks: Tasks = Tasks.COUNT,
    combination: str = "bonferroni",
    margin: float | str | None = None,
) -> list[TestSetsResult]:
    """Return the comparison of all systems with the first one on each dataset, and the claim about all datasets.

    `tasks` is count (the minimum number of datasets on which the candidate is better, and these datasets), fixed (the
    average over these datasets, equally weighted) or random (the average over other tasks like these, with tasks as
    units). `combination` is "bonferroni", or "fisher", which needs independent p-values. `margin` is that of
    `compare_scores`.

    Errors are a single dataset, a dataset of a single item, Fisher's method for dependent p-values, and fewer than five
    tasks for a claim about others.
    """
    design = scores.design
    if combination == "fisher" and design.new_levels:
        what = f"needs independent p-values, but all datasets share the same {design.new_levels[0].plural}"
        raise OptionError(Problem(opt("combination"), what, "Use bonferroni.", "fisher-dependent"))
    parts = by_test_set(scores)
    average = _average(scores, parts, settings, tasks, margin)
    of_sets = results_of([contests_of(part, settings, margin) for part in parts], settings.family, average)
    averages = of_sets.pop() if average else None
    results = [
        _result(
            design,
            [results[index] for results in of_sets],
            [part.on(part.metrics[index]) for part in parts],
            None if averages is None else averages[index],
            settings,
            tasks,
            combination,
            margin,
        )
        for index in range(len(scores.metrics))
    ]
    return [
        replace(
            result,
            pairing=scores.audit_on(metric),
            warnings=tuple(dict.fromkeys((*scores.notes, *result.warnings))) if scores.audit else result.warnings,
        )
        for result, metric in zip(results, scores.metrics, strict=True)
    ]


def rank_test_sets(scores: Scores, settings: RankingSettings, tasks: Tasks = Tasks.COUNT) -> list[Ranking]:
    """Return the ranking by the average over datasets, if `tasks` is about it, and then the ranking on each dataset.

    Random tasks use the t-test over tasks with Holm's correction. Errors are those of `compare_test_sets` and
    `rank_scores`.
    """
    parts = by_test_set(scores)
    rankings = []
    if tasks is Tasks.FIXED:
        rankings += [_on(ranking, "average") for ranking in rank_scores(over_strata(scores), settings)]
    elif tasks is Tasks.RANDOM:
        over = over_tasks(scores, parts)
        chosen = settings
        if not over.design.new_levels and isinstance(settings.tests[0], Bootstrap):
            chosen = replace(settings, tests=(PairedT(),), max_t=False, interval=IntervalMethod.TEST)
        rankings += [_on(ranking, "other tasks") for ranking in rank_scores(over, chosen)]
    for part, name in zip(parts, scores.design.test_set_names, strict=True):
        own_metrics = tuple(metric.on_test_set(name) for metric in part.metrics)
        # The first ranking has the notes of all.
        own_part = replace(part, metrics=own_metrics, notes=() if rankings else part.notes)
        rankings += [_on(ranking, name) for ranking in rank_scores(own_part, settings)]
    if rankings and scores.audit is not None:
        rankings[0] = replace(rankings[0], pairing=scores.audit_on(scores.metrics[0]))
    return rankings


def _on(ranking: Ranking, test_set: str) -> Ranking:
    """Return a ranking with the dataset in the title of its metric."""
    metric = ranking.metric
    return replace(ranking, metric=replace(metric, title=f"{metric.title} ({test_set})"), test_set=test_set)


def _average(
    scores: Scores, parts: Sequence[Scores], settings: Settings, tasks: Tasks, margin: float | str | None
) -> list[Tested]:
    """Return the tests of the average by metric; none if datasets are only counted."""
    if tasks is Tasks.COUNT:
        return []
    if tasks is Tasks.FIXED:
        return contests_of(over_strata(scores), settings, margin)
    over = over_tasks(scores, parts)
    chosen = settings
    if isinstance(settings.tests[0], Auto) and not over.design.new_levels:
        chosen = replace(settings, tests=(PairedT(), *([Randomization()] if settings.margin is None else [])))
    return contests_of(over, chosen, margin)


def _result(
    design: Design,
    of_sets: Sequence[ComparisonResult],
    parts: Sequence[Scores],
    average: ComparisonResult | None,
    settings: Settings,
    tasks: Tasks,
    combination: str,
    margin: float | str | None,
) -> TestSetsResult:
    """Return the result on one metric."""
    two_sided = settings.claim is Claim.BETTER and settings.alternative is Alternative.TWO_SIDED
    level = settings.alpha / 2 if two_sided else settings.alpha
    one_sided = [_one_sided(result, part, settings, margin) for result, part in zip(of_sets, parts, strict=True)]
    comparisons = []
    for index, first in enumerate(of_sets[0].comparisons):
        on_sets = [result.comparisons[index] for result in of_sets]
        directed = [
            max(on_set.test.p_value, min(2 * p_values[index], 1.0)) if two_sided else p_values[index]
            for on_set, p_values in zip(on_sets, one_sided, strict=True)
        ]
        directed = [1.0 if _without_verdict(on_set) else p for p, on_set in zip(directed, on_sets, strict=True)]
        # The p-value against the direction of the gain is bounded by 1.
        ups = [p if on_set.gain >= 0 else 1.0 for p, on_set in zip(directed, on_sets, strict=True)]
        downs = [p if on_set.gain < 0 else 1.0 for p, on_set in zip(directed, on_sets, strict=True)]
        sides = [ups, downs] if two_sided else [directed]
        counts = [at_least([p / 2 for p in side] if two_sided else side, level, combination).count for side in sides]
        names = design.test_set_names
        rows = tuple(
            TestSetComparison(
                name,
                on_set.n_items,
                on_set.baseline_score,
                on_set.candidate_score,
                on_set.gain,
                on_set.interval,
                on_set.test.name,
                on_set.test.p_value,
                p,
                on_set.adjusted_p_value,
                on_set.verdict,
                on_set.test.quantity,
            )
            for name, on_set, p in zip(names, on_sets, directed, strict=True)
        )
        better, worse = counts[0], counts[1] if len(counts) > 1 else None
        if settings.alternative is Alternative.LESS:
            better, worse = 0, counts[0]
        verdicts = [on_set.verdict for on_set in on_sets]
        comparisons.append(
            TestSetsComparison(
                first.baseline,
                first.candidate,
                rows,
                better,
                tuple(name for name, v in zip(names, verdicts, strict=True) if v not in _NOT_CLAIMED),
                worse,
                tuple(name for name, v in zip(names, verdicts, strict=True) if v is Verdict.WORSE),
                None if average is None else average.comparisons[index],
            )
        )
    return TestSetsResult(
        of_sets[0].metric,
        tasks,
        combination,
        settings.alternative,
        settings.alpha,
        tuple(comparisons),
        (average or of_sets[0]).signature + f"|tasks:{tasks}|N:{len(parts)}",
        __version__,
        settings.resampling.seed,
        tuple(dict.fromkeys(_warnings(design.test_set_names, of_sets, average, comparisons, tasks, settings))),
        settings.claim,
        settings.margin,
        claims_of(design),
        of_sets[0].comparisons[0].over,
        multiplicity=of_sets[0].comparisons[0].multiplicity,
    )


def _one_sided(result: ComparisonResult, part: Scores, settings: Settings, margin: float | str | None) -> list[float]:
    """Return the p-values of each candidate in the direction of its gain, or of the one-sided alternative."""
    if settings.claim is not Claim.BETTER or settings.alternative is not Alternative.TWO_SIDED:
        return [comparison.test.p_value for comparison in result.comparisons]
    sides = {comparison.gain >= 0 for comparison in result.comparisons}
    of_sides = {
        up: compare_scores(
            part, replace(settings, alternative=Alternative.GREATER if up else Alternative.LESS), margin
        )[0].comparisons
        for up in sides
    }
    return [of_sides[comparison.gain >= 0][index].p_value for index, comparison in enumerate(result.comparisons)]


def _without_verdict(comparison: Comparison) -> bool:
    """Return whether a dataset has no verdict whatever its p-value, so that it counts as not significant."""
    test = comparison.test
    if test.sign is None:
        return comparison.withheld is not None
    return contradicts(
        verdict(comparison.claim, test.alternative, 0.0, test.sign, comparison.alpha),
        comparison.gain,
        comparison.margin,
    )


def _warnings(
    names: Sequence[str],
    of_sets: Sequence[ComparisonResult],
    average: ComparisonResult | None,
    comparisons: Sequence[TestSetsComparison],
    tasks: Tasks,
    settings: Settings,
) -> list[str]:
    """Return the warnings."""
    warnings = []
    if tasks is Tasks.RANDOM:
        for both in comparisons:
            gains = np.array([on_set.gain for on_set in both.test_sets])
            if len(gains) >= FEW_TASKS:
                continue
            deciding = deciding_tasks(gains, settings.alpha, settings.alternative)
            if len(deciding):
                alone = [both.test_sets[index].test_set for index in deciding]
                warnings.append(without_tasks(both.candidate, alone))
        if len(of_sets) < FEW_TASKS:
            warnings.append(few_tasks(len(of_sets)))
    for comparison in () if average is None else average.comparisons:
        warnings += comparison.warnings
    owners: dict[str, list[str]] = {}
    for index in range(len(comparisons)):
        for name, result in zip(names, of_sets, strict=True):
            for warning in result.comparisons[index].warnings:
                owners.setdefault(warning, []).append(name)
    for warning, where in owners.items():
        several = list(dict.fromkeys(where))
        warnings.append(warning if len(several) == len(names) else f"{listed(several)}: {warning}")
    return warnings
