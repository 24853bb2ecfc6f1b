"""Sentences about several datasets: the number on which a claim holds, and their average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outscore.options import opt
from outscore.results import Alternative, Claim, Comparison
from outscore.results.test_sets import Tasks, TestSetsComparison, TestSetsResult
from outscore.text.naming import in_a_row, name
from outscore.text.numbers import ScoreFormat, format_counted, format_exactly, format_level, state_p
from outscore.words.comparisons import about_metric, claims, explain_family, write_sentence

ONE_BY_ONE = "Intervals are not corrected. They can exclude 0 although the verdict, from p (Holm), is inconclusive."
OTHER_QUANTITY = "Tests and verdicts are about the {}. The mean gains were not tested, so they have no intervals."
_MOST_NAMED = 8  # datasets in a sentence
_COMBINED = {"bonferroni": "combined by Bonferroni's method", "fisher": "combined by Fisher's method"}


def about(result: TestSetsResult) -> str:
    """Return the description of the metric in brackets."""
    return ", ".join(about_metric(result.metric, result.over, name))


def sentences(result: TestSetsResult, both: TestSetsComparison, scores: ScoreFormat) -> Sequence[str]:
    """Return the claims about one candidate."""
    n, confidence = len(both.test_sets), format_level(1 - result.alpha)
    sure = ""
    if both.k_hat or both.l_hat:
        alone = " for this candidate alone" if len(result.comparisons) > 1 else ""
        sure = f"With {confidence} confidence{alone} "
    parts = [
        f"{sure}{name(both.candidate)} is {_counted(result, both, scores)} ({about(result)}, {_tested(result, both)})"
        f"{claims(result.findings)}."
    ]
    if both.average is not None:
        parts.append(_average(result, both.average, n))
    return parts


def _tested(result: TestSetsResult, both: TestSetsComparison) -> str:
    """Return the items of all datasets, the tests of the claim about them, and how p-values are combined."""
    n_items = format_counted(sum(dataset.n_items for dataset in both.test_sets), "item")
    tests = in_a_row([name(test) for test in dict.fromkeys(dataset.test for dataset in both.test_sets)])
    level = f"at α = {format_exactly(result.alpha)}"
    return f"{n_items}; p-values by {tests}, {_COMBINED[result.combination]}, {level}"


def _counted(result: TestSetsResult, both: TestSetsComparison, scores: ScoreFormat) -> str:
    """Return on how many datasets the claim about a candidate holds."""
    n, baseline = len(both.test_sets), name(both.baseline)
    worse = "" if not both.l_hat else f"worse on at least {both.l_hat}{_which(both.worse_on, both.l_hat)}"
    if result.alternative is Alternative.LESS:
        return f"{worse or 'not shown to be worse on any'} of {n} datasets, against {baseline}"
    claimed = f"better than {baseline}"
    if result.margin is not None:
        size = f"{scores.size(result.margin)}{result.metric.points}"
        equivalent = f"within ±{size} of {baseline}"
        not_worse = f"not worse than {baseline} by {size} or more"
        claimed = equivalent if result.claim is Claim.EQUIVALENT else not_worse
    if both.k_hat:
        on = f"on all {n} datasets"
        if both.k_hat < n:
            on = f"on at least {both.k_hat} of {n} datasets{_which(both.better_on, both.k_hat)}"
        better = f"{claimed} {on}"
        return f"{better}, and {worse}" if worse else better
    if worse:
        return f"{worse} of {n} datasets than {baseline}, and not shown to be better on any"
    return f"not shown to be {claimed} on any of {n} datasets"


def _which(names: Sequence[str], count: int) -> str:
    """Return the datasets of a count in brackets, or an empty text if the verdicts are not as many."""
    if len(names) != count:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f" ({', '.join(map(name, names[:_MOST_NAMED]))}{more})"


def _average(result: TestSetsResult, average: Comparison, n: int) -> str:
    datasets = "these datasets" if result.tasks is Tasks.FIXED else f"other tasks like these {n}"
    beside = ""
    if len(average.tests) > 1:
        test = average.tests[1]
        named = "Sign flips of whole tasks" if test.unit == "task" else f"The {test.title}"
        beside = f" {named}: {state_p(test.p_value, result.alpha)}."
    return f"On the average of {datasets}: {write_sentence(average, name=name)}{beside}"


def caption(result: TestSetsResult) -> str:
    """Return the caption of the table of all datasets."""
    return (
        f"Gains on each of {len(result.comparisons[0].test_sets)} datasets ({about(result)}), with uncorrected "
        f"{format_level(1 - result.alpha)} intervals. {explain_correction(result)}"
    )


def explain_correction(result: TestSetsResult) -> str:
    """Return how the corrected p-values of the table are computed."""
    datasets = result.comparisons[0].test_sets
    skewed = any(dataset.test == "skew-t" for dataset in datasets)
    return explain_family(result.multiplicity, len(result.comparisons), len(datasets), skewed=skewed)


def explain_count(result: TestSetsResult, *, both_told: bool) -> Iterator[str]:
    """Yield the rule of the number of datasets, and its difference from the verdicts."""
    of_gains = result.claim is Claim.BETTER and result.alternative is Alternative.TWO_SIDED
    if both_told:
        yield "p (directed) is the larger of p and twice the one-sided p in the direction of the gain."
    sides = ", separately for gains and losses" if of_gains else ""
    several = " It is not corrected for the number of candidates." if len(result.comparisons) > 1 else ""
    yield (
        f"The number of datasets in a claim has another rule than the verdicts: partial conjunction of the p-values "
        f"of one candidate, {_COMBINED[result.combination]}{sides} (Dror et al. 2017).{several}"
    )


def explain_tasks(result: TestSetsResult) -> str:
    """Return the scope of the claim about several datasets."""
    match result.tasks:
        case Tasks.COUNT:
            return f"The claim counts datasets. For the average gain use {opt('tasks', 'fixed')}."
        case Tasks.FIXED:
            return "The average is over these datasets, equally weighted, on new items. It does not extend to others."
        case Tasks.RANDOM:
            return "The claim is about other tasks like these. Tasks are the units."
