"""The question of `outscore.meta`: which metric agrees better with people. Metrics are systems, segments are items."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from outscore._version import __version__
from outscore.asking import alpha_of, listed_tests, resampling_of
from outscore.data.coercion import number, wrong
from outscore.data.rows import Labels, Rows
from outscore.design.options import with_defaults
from outscore.design.scores import Scores, Systems
from outscore.errors import DataError, NotApplicableError, OptionError, Problem
from outscore.gains.canonical import in_canonical_order
from outscore.gains.score_draws import draw_scores
from outscore.metrics import Metric
from outscore.options import leave_out, opt
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.questions.signatures import joined
from outscore.results import Correction, Interval, Method, Ranking
from outscore.significance import Resampling
from outscore.significance.auto import Auto
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.randomization import Randomization
from outscore.text.naming import listed, quoted
from outscore.text.numbers import format_count, format_counted
from outscore.wings.metaeval.agreement.statistics import BEST, REFIT, Agreement, Measured, Statistic, statistic_named
from outscore.wings.metaeval.agreement.swaps import MOST_ENUMERATED, SystemSwaps, measured_by_system
from outscore.wings.metaeval.agreement.totals import Averaged, OfMeans, OfTotals
from outscore.wings.metaeval.emulation import emulated
from outscore.wings.metaeval.judgements import Judgements, with_chosen
from outscore.wings.metaeval.reading.arrays import judgements_from, named_metrics
from outscore.wings.metaeval.reading.tables import MetaReading, read_judgements
from outscore.wings.metaeval.results import MetaResult, MetaTask, MetricPair, OtherSystems, RankedMetric
from outscore.words.warnings import COMPARE_TO_LIST, few_for_bootstrap

if TYPE_CHECKING:
    from outscore.laws.resampling import Progress

_OF_BOOTSTRAPS = 10_000  # resamples, by default
_FEW_SYSTEMS = 30
_MOST_SLOW = 2**22  # swaps in all pairs, of statistics that need the ranks of systems
_WORDS = re.compile(r"(?<![-=\w])(system|cluster|item)(s?)\b(?!=)")
_SAME_SEGMENTS = "The claim is about other systems on these segments. It does not extend to other segments."


@dataclass(frozen=True, eq=False)
class Task:
    """A statistic on the judgements of a language pair or task, and its weight."""

    data: Judgements
    statistic: Statistic
    weight: float = 1.0

    def named(self, tasks: Sequence[Task]) -> str:
        """Return the name of the task among others: of its data, of its statistic, or of both."""
        parts = []
        if len({task.data.name for task in tasks}) > 1:
            parts.append(self.data.name)
        if not parts or len({task.statistic.name for task in tasks}) > 1:
            parts.append(self.statistic.name)
        return " ".join(parts)


@dataclass(frozen=True, eq=False)
class MetaScores:
    """Metrics as systems whose items are segments."""

    scores: Scores  # for `compare`, `rank` and `score`
    tasks: tuple[Task, ...]
    measured: tuple[Measured, ...]  # of each task
    unit: str  # "document", "segment" or "system"
    systems: OtherSystems = OtherSystems.FIXED

    @property
    def statistic(self) -> str:
        """The name of the statistic, or of several with a plus."""
        return "+".join(dict.fromkeys(task.statistic.name for task in self.tasks))

    @property
    def title(self) -> str:
        """The statistic in a sentence."""
        titles = list(dict.fromkeys(task.statistic.title for task in self.tasks))
        return " and ".join(titles) if len(titles) < 3 else f"{', '.join(titles[:-1])} and {titles[-1]}"

    @property
    def enumerates(self) -> bool:
        """Whether all swaps of systems take no more than some seconds."""
        s, m = len(self.tasks[0].data.systems), len(self.scores.names)
        slow = isinstance(getattr(self.scores.metrics[0], "function", None), OfMeans)
        return s <= MOST_ENUMERATED and (not slow or 2**s * m * (m - 1) // 2 <= _MOST_SLOW)


def metrics_as_systems(tasks: Sequence[Task], systems: OtherSystems = OtherSystems.FIXED) -> MetaScores:
    """Return the scores of all metrics that all tasks have, item by item. Systems are units only in a single task."""
    names = [name for name in tasks[0].data.metrics if all(name in task.data.metrics for task in tasks)]
    if not names:
        what = "no metric has scores for all language pairs"
        raise DataError(Problem("metrics", what, "Check the names of the metrics.", "no-metric"))
    notes = [note for data in dict.fromkeys(task.data for task in tasks) for note in data.notes]
    lacking = [name for task in tasks for name in task.data.metrics if name not in names]
    if lacking:
        notes.append(f"Left out, because not all language pairs have them: {listed(list(dict.fromkeys(lacking)))}.")
    if systems is OtherSystems.SAMPLED:
        if len(tasks) > 1:
            what = f"applies to one language pair and one statistic, got {len(tasks)} tasks"
            raise OptionError(Problem(opt("systems", "sampled"), what, "Pass one of each.", "several-tasks"))
        measured = [measured_by_system(tasks[0].statistic, tasks[0].data)]
    else:
        measured = [task.statistic.measured(task.data) for task in tasks]
    notes += [note for values in measured for note in values.notes]
    metric, rows, ids, documents, sets = _assembled(tasks, measured, names, systems)
    several = len(set(sets)) > 1
    read = Systems(
        metrics=(metric,),
        rows=(tuple(Rows(name, rows[name], ids) for name in names),),
        families=(None,) * len(names),
        clusters=None if documents is None else Labels("documents", documents),
        strata=Labels("language pairs", sets) if several else None,
        notes=tuple(dict.fromkeys(notes)),
    )
    unit = "system" if systems is OtherSystems.SAMPLED else "segment" if documents is None else "document"
    return MetaScores(read.paired(), tuple(tasks), tuple(measured), unit, systems)


def _assembled(
    tasks: Sequence[Task], measured: Sequence[Measured], names: Sequence[str], systems: OtherSystems
) -> tuple[Metric, Mapping[str, Any], tuple[str, ...], tuple[str, ...] | None, tuple[str, ...]]:
    """Return the metric, the rows by name, and the id, the document and the data of each item."""
    if systems is OtherSystems.SAMPLED:
        data = tasks[0].data
        return measured[0].metric, measured[0].rows, data.systems, None, (data.name,) * len(data.systems)
    every = list(dict.fromkeys(task.data for task in tasks))
    used = [
        np.unique(
            np.concatenate([values.segments for task, values in zip(tasks, measured, strict=True) if task.data is data])
        )
        for data in every
    ]
    prefixes = [f"{data.name} " if len(every) > 1 else "" for data in every]
    ids = [
        prefix + data.items[p]
        for data, prefix, segments in zip(every, prefixes, used, strict=True)
        for p in segments.tolist()
    ]
    sets = [data.name for data, segments in zip(every, used, strict=True) for _ in segments]
    documents: list[str] | None = None
    if any(data.documents is not None for data in every):
        documents = [
            prefix + document
            for data, prefix, segments in zip(every, prefixes, used, strict=True)
            for document in _documents_of(data, segments.tolist())
        ]
    together = None if documents is None else tuple(documents)
    if len(tasks) == 1:
        return measured[0].metric, measured[0].rows, tuple(ids), together, tuple(sets)
    starts = np.cumsum([0, *(len(segments) for segments in used)])
    widths = [values.rows[names[0]].shape[1] for values in measured]
    edges = np.cumsum([0, *widths])
    rows = {name: np.zeros((len(ids), edges[-1])) for name in names}
    total = sum(task.weight for task in tasks)
    parts = []
    for task, values, low, high in zip(tasks, measured, edges[:-1], edges[1:], strict=True):
        index = every.index(task.data)
        segments = starts[index] + np.searchsorted(used[index], values.segments)
        for name in names:
            rows[name][segments, low:high] = values.rows[name]
        parts.append((slice(int(low), int(high)), values.metric, task.weight / total))
    kinds = list(dict.fromkeys(task.statistic.name for task in tasks))
    metric = OfTotals("+".join(kinds), "average agreement", int(edges[-1]), Averaged(tuple(parts)), -1.0)
    return metric, rows, tuple(ids), together, tuple(sets)


def _documents_of(data: Judgements, segments: Sequence[int]) -> Iterator[str]:
    """Yield the documents of segments that count; each segment is its own if there are no documents."""
    for index in segments:
        document = data.items[index] if data.documents is None else data.documents[index]
        if not document:
            what = f"item {quoted(data.items[index])} has no document"
            advice = f"Give every item one, or pass {opt('clusters', 'none')}."
            raise DataError(Problem(data.name, what, advice, "missing-label"))
        yield document


@dataclass(frozen=True)
class MetaQuestion:
    """The options of a meta-evaluation, and its answer: which metrics agree better with people."""

    statistics: tuple[Statistic, ...]
    systems: OtherSystems = OtherSystems.FIXED
    weights: Mapping[str, float] = field(default_factory=dict)  # weights of tasks, by name. Default: 1.
    tests: Sequence[SignificanceTest] = (Auto(),)
    correction: Correction | None = None
    resampling: Resampling = field(default_factory=Resampling)
    alpha: float = 0.05
    emulate: str | None = None  # A program whose results are emulated
    chosen: tuple[str, ...] = ()  # the systems to compare; all if empty

    @property
    def labels(self) -> bool:
        """Whether scores are labels."""
        return any(isinstance(statistic, Agreement) for statistic in self.statistics)

    def reading(self, given: Mapping[str, Any]) -> MetaReading:
        """Return how to read the scores, from the arguments of `outscore.meta`."""
        columns: Any = {name: given.get(name) for name in ("test_sets", "id_column", "records")}
        return MetaReading(given.get("clusters"), as_labels=self.labels, systems=self.chosen, **columns)

    def scores(self, data: Sequence[Judgements]) -> MetaScores:
        """Return the metrics as systems."""
        tasks = [Task(judgements, statistic) for judgements in data for statistic in self.statistics]
        names = [task.named(tasks) for task in tasks]
        for name in self.weights:
            if name not in names:
                what = f"expected a task ({listed(names)}), got {quoted(name)}"
                raise OptionError(Problem(opt("weights"), what, "Write TASK=WEIGHT,...", "unknown-task"))
        weighted = [replace(task, weight=self.weights.get(name, 1.0)) for task, name in zip(tasks, names, strict=True)]
        kept = [task for task in weighted if task.weight > 0]
        if not kept:
            what = "expected weights of 0 or more, not all of them 0"
            raise OptionError(Problem(opt("weights"), what, "", "bad-weight"))
        return metrics_as_systems(kept, self.systems)

    def answer(self, data: Sequence[Judgements], progress: Progress | None = None) -> MetaResult:
        """Return the metrics in the order of their agreement, with tests of all pairs."""
        read = self.scores(data)
        emulation = None if self.emulate is None else emulated(self.emulate, data, self.statistics)
        if len(read.scores) == 1:
            result = self._single_metric_result(read)
        else:
            settings = self._settings(read, replace(self.resampling, progress=progress))
            (ranking,) = rank_scores(read.scores, settings)
            intervals = self._intervals(read, settings.resampling)
            result = _result(read, ranking, intervals, by_bootstrap=_bootstraps(read.tasks))
        return replace(result, emulation=emulation)

    def _settings(self, read: MetaScores, resampling: Resampling) -> RankingSettings:
        tests, by_default = self.tests, isinstance(self.tests[0], Auto)
        if by_default and _bootstraps(read.tasks):
            tests = (Bootstrap(),)
        if read.systems is OtherSystems.SAMPLED:
            if not by_default and not all(isinstance(test, Randomization) for test in tests):
                what = "applies only to randomization, which swaps systems"
                advice = f"Omit {opt('tests')}."
                raise NotApplicableError(Problem(opt("systems", "sampled"), what, advice, "no-swaps"))
            tests = (SystemSwaps(),)
            resampling = replace(resampling, method=Method.EXACT if read.enumerates else Method.MONTE_CARLO)
        smooth = all(task.statistic.is_smooth for task in read.tasks) and read.systems is OtherSystems.FIXED
        correction = self.correction or (None if smooth else Correction.HOLM)
        return RankingSettings(
            tests=tests,
            resampling=resampling,
            correction=correction,
            max_t=smooth or correction is Correction.MAX_T,
            alpha=self.alpha,
        )

    def _intervals(self, read: MetaScores, resampling: Resampling) -> Mapping[str, Interval]:
        """Return bootstrap intervals of the scores if a statistic needs them: score ± a quantile of the deviations."""
        if read.systems is OtherSystems.SAMPLED and not read.tasks[0].statistic.is_smooth:
            return dict.fromkeys(read.scores.names, _unknown(self.alpha))
        if read.systems is OtherSystems.SAMPLED or not _bootstraps(read.tasks):
            return {}
        metric = read.scores.metric_with_rows("which resampling needs")
        systems, design = in_canonical_order(read.scores.rows[0], read.scores.design)
        units = design.units
        sums = [units.sums(system.values) for system in systems]
        draws = draw_scores(metric, sums, units.strata, resampling, shared=False)
        reach = np.quantile(np.abs(draws.deviations), 1 - self.alpha, axis=1).tolist()
        low, high = metric.score_range or (-np.inf, np.inf)
        scores = [float(metric.score(unit_sums.sum(axis=0))) for unit_sums in sums]
        return {
            system.name: Interval(max(score - r, low), min(score + r, high), 1 - self.alpha, "symmetric", exact=False)
            for system, score, r in zip(systems, scores, reach, strict=True)
        }

    def _single_metric_result(self, read: MetaScores) -> MetaResult:
        """Return the agreement of a single metric, with its interval."""
        from outscore.questions.system_scores import score_systems

        scored = score_systems(read.scores, self.resampling, self.alpha)
        score = scored.scores[0]
        name = read.scores.names[0]
        interval = self._intervals(read, self.resampling).get(name, score.interval)
        signed = dict(part.split(":", 1) for part in scored.signature.split("|"))
        if interval is not score.interval:
            signed |= {"interval": interval.method, "r": str(self.resampling.n_resamples)}
        metric = RankedMetric(name, score.score, _epsilon(read, name), interval, 1, 1, 1, "a", 1, _of_tasks(read, name))
        return MetaResult(
            metrics=(metric,),
            pairs=(),
            n_units=score.n_units,
            test=interval.method,
            correction=Correction.NONE,
            alpha=self.alpha,
            n_resamples=self.resampling.n_resamples,
            seed=self.resampling.seed,
            signature=joined(**signed),
            version=__version__,
            warnings=tuple(
                _worded(warning, read.unit) for warning in scored.warnings if warning not in read.scores.notes
            ),
            **_shared_fields(read),
        )


def _shared_fields(read: MetaScores) -> dict[str, Any]:
    """Return the parts of a result that do not depend on the number of metrics."""
    notes = read.scores.notes
    if read.systems is OtherSystems.SAMPLED:
        notes = (*notes, _SAME_SEGMENTS)
        if not read.enumerates:
            notes = (*notes, f"Swaps are sampled: each pair of metrics has 2^{len(read.tasks[0].data.systems)}.")
    return {
        "statistic": read.statistic,
        "title": read.title,
        "tasks": _tasks(read),
        "unit": read.unit,
        "systems": read.systems,
        "notes": notes,
    }


def _bootstraps(tasks: Sequence[Task]) -> bool:
    """Return whether the bootstrap is the default test."""
    return any(task.statistic.bootstraps for task in tasks)


def _epsilon(read: MetaScores, name: str) -> float | None:
    return read.measured[0].epsilons.get(name) if len(read.tasks) == 1 else None


def _of_tasks(read: MetaScores, name: str) -> Mapping[str, float]:
    """Return a metric's score on each task, if there are several."""
    if len(read.tasks) == 1:
        return {}
    return {
        task.named(read.tasks): float(values.metric.score(values.rows[name].sum(axis=0)))
        for task, values in zip(read.tasks, read.measured, strict=True)
    }


def _tasks(read: MetaScores) -> tuple[MetaTask, ...]:
    total = sum(task.weight for task in read.tasks)
    segments = [task.statistic.segments(task.data).tolist() for task in read.tasks]
    return tuple(
        MetaTask(
            task.data.name,
            task.statistic.name,
            task.weight / total,
            len(task.data.systems),
            len(indices),
            None if task.data.documents is None else len({task.data.documents[index] for index in indices}),
        )
        for task, indices in zip(read.tasks, segments, strict=True)
    )


def _result(read: MetaScores, ranking: Ranking, intervals: Mapping[str, Interval], *, by_bootstrap: bool) -> MetaResult:
    """Return the result of a ranking; `by_bootstrap` if the bootstrap is the default test."""
    metrics = tuple(
        RankedMetric(
            system.name,
            system.score,
            _epsilon(read, system.name),
            intervals.get(system.name, system.interval),
            system.rank,
            system.rank_low,
            system.rank_high,
            system.group,
            system.cluster,
            _of_tasks(read, system.name),
        )
        for system in ranking.systems
    )
    has_intervals = read.systems is OtherSystems.FIXED or read.tasks[0].statistic.is_smooth
    pairs = tuple(
        MetricPair(
            pair.candidate,
            pair.baseline,
            pair.gain,
            pair.interval if has_intervals else _unknown(ranking.alpha),
            pair.p_value,
            pair.corrected(ranking.correction),
        )
        for pair in ranking.pairs
    )
    notes, unit = read.scores.notes, read.scores.design.units.name
    few = {few_for_bootstrap(ranking.n_units, unit): few_for_bootstrap(ranking.n_units, unit, by_default=True)}
    shown = [
        few.get(warning, warning) if by_bootstrap else warning for warning in ranking.warnings if warning not in notes
    ]
    warnings = [_worded(warning, read.unit) for warning in shown]
    if read.systems is OtherSystems.SAMPLED:
        warnings = [*_on_other_systems(read, ranking), *warnings]
    same = ["n_units", "correction", "alpha", "n_resamples", "seed", "signature", "version"]
    return MetaResult(
        metrics=metrics,
        pairs=pairs,
        test=ranking.tests[0],
        warnings=tuple(warnings),
        **{name: getattr(ranking, name) for name in same},
        **_shared_fields(read),
    )


def _unknown(alpha: float) -> Interval:
    """Return an unbounded interval: the statistic is not smooth, so influences of systems do not describe it."""
    return Interval(-np.inf, np.inf, 1 - alpha, "skew-t", exact=False)


def _worded(warning: str, unit: str) -> str:
    """Return a warning of a ranking in the words of meta-evaluation: its systems are metrics, its clusters units."""
    words = {"system": "metric", "cluster": unit, "item": unit}
    return _WORDS.sub(lambda match: words[match[1]] + match[2], warning.removesuffix(f" {COMPARE_TO_LIST}"))


def _on_other_systems(read: MetaScores, ranking: Ranking) -> Iterator[str]:
    """Yield warnings that few systems show little about new systems."""
    s, m = len(read.tasks[0].data.systems), len(ranking.pairs)
    n_significant = sum(pair.corrected(ranking.correction) <= ranking.alpha for pair in ranking.pairs)
    least = 2.0 ** (1 - s) * (1 if ranking.correction is Correction.NONE else m)
    if ranking.tests[0] == Randomization.name and least > ranking.alpha:
        after = "" if least == 2.0 ** (1 - s) else f" after correction for {format_counted(m, 'pair')}"
        yield (
            f"With {format_counted(s, 'system')} no p-value can be below {least:.2g}{after}, so no pair of metrics can "
            "differ significantly for new systems. Compare fewer metrics, or use more systems."
        )
    elif 2 * n_significant < m:
        yield (
            f"{format_counted(s, 'system')} show little about new systems. {format_count(n_significant)} of "
            f"{format_counted(m, 'pair')} of metrics differ significantly, but the others may differ as well."
        )
    elif s < _FEW_SYSTEMS:
        yield f"{format_counted(s, 'system')} are a small sample for a claim about new systems."


def ask_meta(**given: Any) -> MetaQuestion:
    """Return the question of `outscore.meta`, from its arguments."""
    values = with_defaults("meta", given)
    epsilon, emulate, weights = values["epsilon"], values["emulate"], values["weights"] or {}
    names = _statistics(values["statistic"])
    if epsilon not in (BEST, REFIT):
        epsilon = number(epsilon, opt("epsilon"), f"Or pass {BEST} or {REFIT}.")
        if not 0 <= epsilon < float("inf"):
            what = f"expected 0 or more, got {epsilon:g}"
            raise OptionError(Problem(opt("epsilon"), what, "", "out-of-range"))
    if epsilon != BEST and "acc-t" not in names:
        raise OptionError(Problem(opt("epsilon"), "applies only to acc-t", leave_out(), "no-epsilon"))
    if emulate not in (None, "mtme"):
        what = f"expected mtme, got {quoted(str(emulate))}"
        raise OptionError(Problem(opt("emulate"), what, "", "unknown-program"))
    for name, weight in weights.items():
        if not 0 <= number(weight, opt("weights")) < float("inf"):
            what = f"expected 0 or more for {quoted(str(name))}, got {weight:g}"
            raise OptionError(Problem(opt("weights"), what, "", "bad-weight"))
    statistics = tuple(statistic_named(name, epsilon) for name in dict.fromkeys(names))
    claim, wanted = _systems(values["systems"])
    if len({isinstance(statistic, Agreement) for statistic in statistics}) > 1:
        what = "agreement and kappa are of labels, and cannot be averaged with statistics of scores"
        raise OptionError(Problem(opt("statistic"), what, "Run them separately.", "labels-and-scores"))
    chosen = listed_tests(values["tests"])
    if not chosen:
        raise wrong("tests", "a test, or several", values["tests"])
    if values["n_resamples"] is None:
        bootstraps = any(statistic.bootstraps for statistic in statistics)
        values["n_resamples"] = _OF_BOOTSTRAPS if bootstraps else Resampling.n_resamples
    return MetaQuestion(
        statistics,
        claim,
        weights,
        chosen,
        values["correction"],
        resampling_of(values),
        alpha_of(values),
        emulate,
        wanted,
    )


def _systems(given: object) -> tuple[OtherSystems, tuple[str, ...]]:
    """Return the claim and the chosen systems in a list such as "sampled,A,B"."""
    parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else given
    if not (isinstance(parts, Sequence) and parts and all(isinstance(part, str) and part for part in parts)):
        raise wrong("systems", f"{', '.join(OtherSystems)}, or the names of systems", given)
    claims = list(dict.fromkeys(part for part in parts if part in list(OtherSystems)))
    if len(claims) > 1:
        what = "expected one of fixed and sampled, got both"
        raise OptionError(Problem(opt("systems"), what, "Pass one of them.", "both-claims"))
    claim = OtherSystems(claims[0]) if claims else OtherSystems.FIXED
    return claim, tuple(dict.fromkeys(part for part in parts if part not in claims))


def _statistics(names: object) -> list[str]:
    given = names.split(",") if isinstance(names, str) else names if isinstance(names, Iterable) else [names]
    stripped = [name.strip() if isinstance(name, str) else "" for name in given]
    if not all(stripped) or not stripped:
        raise wrong(opt("statistic"), "the name of a statistic, or several", names)
    return stripped


def read_meta(human: Any, *metrics: Any, question: MetaQuestion, **given: Any) -> list[Judgements]:
    """Return the judgements of each language pair or task, from files, or from arrays of items and systems."""
    reading, clusters = question.reading(given), given.get("clusters")
    if not _is_path(human):
        reading.refuse_columns("applies only to tables in files")
        return with_chosen(judgements_from(human, named_metrics(metrics), clusters), question.chosen)
    for metric in metrics:
        if not _is_path(metric):
            raise wrong("metrics", "files, as for the human scores", metric)
    if not (clusters is None or isinstance(clusters, str)):
        raise wrong(opt("clusters"), "a column, FILE:COLUMN or none, because scores are in files", clusters)
    return read_judgements([os.fspath(metric) for metric in (human, *metrics)], reading)


def _is_path(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "__fspath__")
