"""The paragraph on methods for a paper: data, metrics, tests, corrections, intervals and software."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from outscore.results import Comparison, ComparisonResult, Correction, Interval, MetricDescription, Ranking
from outscore.results.scores import ScoreResult, SystemScore, UnpairedResult, UnpairedTest
from outscore.text.naming import in_a_row, name
from outscore.text.numbers import format_count, format_counted, format_exactly
from outscore.words.comparisons import (
    claims,
    counted_items,
    describe_test,
    in_clusters,
    interval_of,
    starts_from_larger,
)
from outscore.words.papers import correction_of, for_each, joined, of_pairs
from outscore.words.rankings import items_of, ranking_test
from outscore.words.references import SOFTWARE, cite
from outscore.words.unpaired import TESTED, describe_unpaired, gains_format

MOST_NAMED = 4  # systems that are named rather than counted
_POWERED = ("angelopoulos2023", "angelopoulos2024")
METHODS = {
    "clopper-pearson": "Clopper-Pearson (exact)",
    "korn-graubard": "Korn-Graubard",
    "score": "score test",
    "skew-t": "skewness-corrected t",
}


@dataclass(frozen=True)
class Works:
    """What finds the keys of works: of a test and of a metric, by their names; and whether metrics have signatures."""

    of_test: Callable[[str], Sequence[str]]
    of_metric: Callable[[str], Sequence[str]]
    signed: bool = True


def comparison_methods(results: Sequence[ComparisonResult], works: Works) -> str:
    """Return the paragraph of comparisons of the same systems, one result per metric."""
    first = results[0].comparisons[0]
    candidates = [c.candidate for c in results[0].comparisons]
    baseline = "a constant" if first.against is not None else f"the baseline {name(first.baseline)}"
    data = [
        (
            _data(f"{format_counted(result.n_items, 'item')}{in_clusters(result.comparisons[0])}", first),
            _title(result.metric),
        )
        for result in results
    ]
    measures = _measures([result.metric for result in results], works)
    sentences = [f"We compared {_systems(candidates)} with {baseline} by {measures} {for_each(data)}"]
    every = [c for result in results for c in result.comparisons]
    measured = "gains" if first.found is None else interval_of(first)
    tested = _of_each(every, lambda c: f"{describe_test(c)}{_cited(c, works)}")
    level = f"at a significance level of {format_exactly(first.alpha)}{claims(first.findings)}"
    p_values = [_of_each(every, _how)]
    skewed = any(map(starts_from_larger, every))
    start = ", which starts from a larger p-value than that of the test if gains are skewed" if skewed else ""
    p_values += correction_of(first.multiplicity, len(results), _by_holm(), start)
    what = "the gains" if first.found is None else "each candidate"
    sentences.append(f"We tested {what} with the {tested} {level}")
    sentences.append(f"The p-values are {in_a_row(p_values)}")
    sampled = any(c.test.n_resamples is not None for c in every)
    seed = results[0].seed if sampled else None
    intervals = [c.interval if c.found is None or c.found.interval is None else c.found.interval for c in every]
    return joined([*sentences, _computed(measured, intervals, results[0].version, seed)])


def ranking_methods(rankings: Sequence[Ranking], works: Works) -> str:
    """Return the paragraph of rankings of the same systems, one per metric or dataset."""
    first = rankings[0]
    data, tested = [], []
    for ranking in rankings:
        title = _title(ranking.metric)
        data.append((_data(items_of(ranking), ranking), title))
        test = f"{ranking_test(ranking)}{cite(works.of_test(ranking.tests[0]))}"
        samples = f" from {format_count(ranking.n_resamples)} normal draws"
        samples = samples if ranking.correction is Correction.MAX_T and not ranking.of_battles else ""
        correction = f"{of_pairs(ranking)}{samples}{cite(ranking.correction.cites)}"
        tested.append((f"{test}, {correction}", title))
    measures = _measures([ranking.metric for ranking in rankings], works)
    systems = [system.name for system in first.systems]
    level = f"a significance level of {format_exactly(first.alpha)}"
    if len(rankings) > 1:
        level += f", for each {'metric' if first.test_set is None else 'dataset'} separately"
    return joined(
        [
            f"We ranked {_systems(systems)} by {measures} {for_each(data)}",
            f"We tested all pairs with the {for_each(tested)}, at {level}{claims(first.findings)}",
            _computed(
                "scores", [s.interval for ranking in rankings for s in ranking.systems], first.version, first.seed
            ),
        ]
    )


def unpaired_methods(results: Sequence[UnpairedResult], works: Works) -> str:
    """Return the paragraph of comparisons of systems that were scored on different items."""
    [result] = results
    first = result.comparisons[0]
    candidates = [comparison.candidate for comparison in result.comparisons]
    sizes = [(first.baseline, first.n_baseline, first.baseline_clusters)]
    sizes += [
        (comparison.candidate, comparison.n_candidate, comparison.candidate_clusters)
        for comparison in result.comparisons
    ]
    items = [f"{counted_items(n_items, n_clusters)} for {name(system)}" for system, n_items, n_clusters in sizes]
    test = first.tests[0]
    keys = [*works.of_test(test.name), *(["schuirmann1987"] if result.claim == "equivalent" else [])]
    p_values = [for_each((_how_unpaired(c.tests[0]), name(c.candidate)) for c in result.comparisons)]
    p_values += correction_of(result.multiplicity, method=_by_holm())
    intervals = [comparison.interval for comparison in result.comparisons if comparison.interval.method != "none"]
    seed = result.seed if test.computation.endswith("permutations") else None
    sentences = [
        f"We compared {_systems(candidates)} with the baseline {name(first.baseline)} by "
        f"{_measures([result.metric], works)} on different items: {in_a_row(items)}",
        f"We tested {TESTED.get(test.quantity, 'the gains' if len(candidates) > 1 else 'the gain')} with the "
        f"{describe_unpaired(result, test, gains_format(result))}{cite(keys)} at a significance level of "
        f"{format_exactly(result.alpha)}",
        f"The p-values are {in_a_row(p_values)}",
    ]
    return joined([*sentences, *([_computed("gains", intervals, result.version, seed)] if intervals else [])])


def score_methods(results: Sequence[ScoreResult], works: Works) -> str:
    """Return the paragraph of scores of single systems."""
    [result] = results
    data = []
    for score in result.scores:
        items = counted_items(score.n_items, None if score.n_units == score.n_items else score.n_units)
        data.append((_data(items, score), name(score.system)))
    measures = _measures([score.metric for score in result.scores], works)
    return joined(
        [
            f"We scored {_systems([score.system for score in result.scores])} by {measures} {for_each(data)}",
            _computed("scores", [score.interval for score in result.scores], result.version, None),
        ]
    )


def _by_holm() -> str:
    return f"corrected by Holm's method{cite(Correction.HOLM.cites)}"


def _systems(systems: Sequence[str]) -> str:
    names = [name(system) for system in dict.fromkeys(systems)]
    return in_a_row(names) if len(names) <= MOST_NAMED else f"{format_count(len(names))} systems"


def _title(metric: MetricDescription) -> str:
    return name(metric.title)


def _measures(metrics: Iterable[MetricDescription], works: Works) -> str:
    """Return metrics with their works and signatures."""
    once = {metric.spec: metric for metric in metrics}
    return in_a_row(
        [
            f"{_title(metric)}{cite(works.of_metric(metric.name))}"
            + (f" with the signature {name(metric.signature)}" if works.signed and metric.signature is not None else "")
            for metric in once.values()
        ]
    )


def _of_each(comparisons: Sequence[Comparison], write: Callable[[Comparison], str]) -> str:
    """Return a text that is true of all comparisons, or the texts of each metric or, if these differ, candidate."""
    metrics = {c.metric.spec for c in comparisons}
    of_metrics = dict.fromkeys((write(c), _title(c.metric)) for c in comparisons)
    if len(of_metrics) <= len(metrics):
        return for_each(of_metrics)
    by = [f" by {_title(c.metric)}" if len(metrics) > 1 else "" for c in comparisons]
    return for_each((write(c), f"{name(c.candidate)}{metric}") for c, metric in zip(comparisons, by, strict=True))


def _data(n: str, result: Comparison | Ranking | SystemScore) -> str:
    """Return the items, what scores average over, and the works on prediction-powered scores."""
    over = "" if result.over is None else f" ({result.over})"
    return f"on {n}{over}{cite(_POWERED if result.prediction_powered is not None else ())}"


def _cited(c: Comparison, works: Works) -> str:
    """Return the works of the first test, and of the claim of equivalence."""
    keys = [*works.of_test(c.test.name), *(["schuirmann1987"] if c.claim == "equivalent" else [])]
    return cite(keys)


def _how(c: Comparison) -> str:
    """Return how the p-value of the verdict was computed: "exact", "from the t distribution"."""
    test = c.test
    if test.computation == "asymptotic":
        return f"from the {test.distribution}" if test.distribution else "asymptotic"
    if test.n_resamples is None:
        return "exact" if test.exact and not test.is_bound else "upper bounds"
    return f"from {format_count(test.n_resamples)} resamples"


def _how_unpaired(test: UnpairedTest) -> str:
    """Return how a p-value of different items was computed."""
    if test.is_bound:
        return "upper bounds"
    return f"from {test.computation}" if test.computation.endswith("permutations") else test.computation


def _computed(what: str, intervals: Sequence[Interval], version: str, seed: int | None) -> str:
    """Return the sentence on intervals and software."""
    titles = {
        METHODS.get(interval.method, interval.title)
        if interval.title == interval.method
        else interval.title: interval.cites
        for interval in intervals
    }
    kinds = in_a_row([f"{title} intervals{cite(keys)}" for title, keys in titles.items()])
    seeded = "" if seed is None else f" and the random seed {seed}"
    level = intervals[0].level
    software = f"All results were computed with outscore {version}{cite([SOFTWARE])}{seeded}"
    return f"The {level} intervals of the {what} are {kinds}, without correction for multiple comparisons. {software}"
