"""Questions about systems: objects that read systems and compute results, for Python and the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from outscore.data.coercion import choice, number, place_of, wrong
from outscore.data.rows import Missing
from outscore.design.options import declared_factors, with_defaults
from outscore.design.scores import Scores, Systems
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import leave_out, opt, speaks_options
from outscore.questions.comparing import compare_scores
from outscore.questions.item_tables import ScoredItems
from outscore.questions.settings import Settings, SharedSettings
from outscore.readers.door import Request, read_compared, read_each, refuse_without_baseline
from outscore.readers.reading import Files, Reading, Work, listed_metrics, reference_files
from outscore.readers.sources import Source, sources_named, sources_of
from outscore.results import Family, Method
from outscore.significance import TESTS, Resampling, SignificanceTest, test_named
from outscore.text.naming import listed
from outscore.wings import from_wing, has_wing

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from outscore.laws.resampling import Progress
    from outscore.questions.ranks.inquiry import RankingSettings
    from outscore.questions.unpaired import SampleSettings, SeparateSystems
    from outscore.results.test_sets import Tasks

DEFAULT_SEED = Resampling.seed
DEFAULT_ALPHA = 0.05
_A_TEST = 'tests such as outscore.Randomization() or "randomization"'
_OF_PAIRS = ("method", "interval", "double_check", "family")  # options of paired systems only
_MOST_CHOICES = 10**6  # up to here the mean of the largest of normal numbers is accurate (`largest_of`)
_EMULATED = ("wmt24", "wmt25", "wmt26")  # of rankings
_Settings = TypeVar("_Settings", bound=SharedSettings)


@dataclass(frozen=True)
class ComparisonQuestion:
    """Whether candidates are better than a baseline, or than a constant.

    Attributes
    ----------
    baseline : str, optional
        Name or file of the baseline. By default the first system.
    against : float or str, optional
        Constant to compare with instead.
    margin : float or str, optional
        As the user wrote it.
    combination : str
        How p-values of datasets are combined.
    best_of : int, optional
        The number of systems from which the candidates were chosen.
    """

    settings: Settings
    baseline: str | None = None
    against: float | str | None = None
    margin: float | str | None = None
    tasks: Tasks | str | None = None
    combination: str = "bonferroni"
    best_of: int | None = None

    def read(
        self, systems: Sequence[object], metric: object, reading: Reading, work: Work | None = None
    ) -> ScoredItems:
        """Return the scores of systems, the baseline first, with access to the texts of their items."""
        scores = already_read(systems, metric, reading)
        if scores is not None:
            against = self.against
            return ScoredItems(_with_first(scores, self.baseline) if against is None else scores.against(against))
        if self.against is None:
            read = read_with_baseline(systems, metric, reading, self.baseline, work)
            return ScoredItems.of(read, read.paired())
        if not systems:
            raise _no_system("compare")
        sources, reading = _sources(systems, metric, reading, named=False)
        read = Request(sources, metric, reading, work, default_names=_scored_names).systems()
        return ScoredItems.of(read, read.paired().against(self.against))

    def answer(
        self, items: ScoredItems, executor: Executor | None = None, progress: Progress | None = None
    ) -> Sequence[Any]:
        """Return one result per metric, or one for all metrics if there are several datasets."""
        resampling = replace(self.settings.resampling, executor=executor, progress=progress)
        settings, scores = replace(self.settings, resampling=resampling), items.scores
        if self.best_of is not None:
            scores = replace(scores, notes=(*scores.notes, _note_on_choice(self.best_of)))
        if scores.design.test_sets is not None:
            from outscore.questions.test_sets import compare_test_sets

            return compare_test_sets(scores, settings, _tasks_of(self.tasks), self.combination, self.margin)
        if self.tasks is not None:
            raise _no_test_sets(opt("tasks"))
        if self.settings.family is Family.DATASETS:
            raise _no_test_sets(opt("family", "datasets"))
        return compare_scores(scores, settings, self.margin)


@dataclass(frozen=True)
class SamplesQuestion:
    """Whether candidates are better than a baseline, if the systems were scored on different items.

    Attributes
    ----------
    margin : float or str, optional
        See `compare_samples`.
    best_of : int, optional
        See `ComparisonQuestion`.
    """

    settings: SampleSettings
    baseline: str | None = None
    margin: float | str | None = None
    best_of: int | None = None

    def read(
        self, systems: Sequence[object], metric: object, reading: Reading, work: Work | None = None
    ) -> Systems | Scores | SeparateSystems:
        """Return the systems, the baseline first; one by one if a column labels the clusters of each."""
        from outscore.questions.unpaired import SeparateSystems

        _refuse_several("metric", listed_metrics(metric))
        _refuse_several("score_column", (reading.score_column or "").split(","))
        scores = already_read(systems, metric, reading)
        if scores is not None:
            _refuse_several("metric", scores.metrics)
            return _with_first(scores, self.baseline)
        reading = replace(reading, unpaired=True)
        sources, _ = _sources(systems, metric, reading, named=False)
        files = reference_files(reading.references, all(source.path is not None for source in sources)) or ()
        own_files = files if len(files) == len(sources) else ()  # references, one per system
        read: Systems | SeparateSystems
        if len(sources) < 2 or not (own_files or isinstance(reading.labellings.get("clusters"), str)):
            read = read_with_baseline(systems, metric, reading, self.baseline, work)
        else:
            read = SeparateSystems(tuple(read_each(Request(sources, metric, reading, work, self.baseline), own_files)))
        _refuse_several("metric", read.metrics)
        return read

    def answer(
        self,
        systems: Systems | Scores | SeparateSystems,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Sequence[Any]:
        """Return the result of the metric."""
        from outscore.questions.unpaired import compare_samples, samples_of

        resampling = replace(self.settings.resampling, executor=executor, progress=progress)
        settings = replace(self.settings, resampling=resampling)
        notes = systems.notes if self.best_of is None else (*systems.notes, _note_on_choice(self.best_of))
        return [compare_samples(*samples_of(systems), settings, self.margin, notes=notes)]


def _refuse_several(option: str, metrics: Sequence[AnyMetric | str]) -> None:
    """Raise if there are several metrics, given the option that chooses one."""
    if len(metrics) > 1:
        names = listed([metric if isinstance(metric, str) else metric.name for metric in metrics])
        what = f"expected one metric with {opt('unpaired', True)}, got {names}"
        raise OptionError(Problem(opt(option), what, "Pass one of them.", "several-metrics"))


@dataclass(frozen=True)
class RankingQuestion:
    """Which of many systems are better than others.

    Attributes
    ----------
    emulate : str, optional
        The tool whose conclusions are shown beside the ranking.
    """

    settings: RankingSettings
    tasks: Tasks | str | None = None
    emulate: str | None = None

    def read(self, systems: Sequence[object], metric: object, reading: Reading, work: Work | None = None) -> Any:
        """Return the scores of systems, or pairwise comparisons for metrics that rank them."""
        battles = from_wing("battles.reading:read_battles")(systems, metric, reading) if has_wing("battles") else None
        return read_scores(systems, metric, reading, work) if battles is None else battles

    def answer(self, read: Any, executor: Executor | None = None, progress: Progress | None = None) -> Sequence[Any]:
        """Return one ranking per metric or dataset."""
        resampling = replace(self.settings.resampling, executor=executor, progress=progress)
        settings = replace(self.settings, resampling=resampling)
        if not isinstance(read, Scores):
            return [from_wing("battles.ranking:rank_battles")(read, settings)]
        if read.design.test_sets is not None:
            if self.emulate is not None:
                read.refuse_test_sets("WMT ranks one language pair at a time")
            from outscore.questions.test_sets import rank_test_sets

            return rank_test_sets(read, settings, _tasks_of(self.tasks))
        if self.tasks is not None:
            raise _no_test_sets(opt("tasks"))
        from outscore.questions.ranks.ranking import rank_scores

        rankings = rank_scores(read, settings)
        if self.emulate is None:
            return rankings
        emulated = from_wing("human.emulations:emulated")
        return [
            replace(ranking, emulated=emulated(self.emulate, read.on(metric), ranking))
            for ranking, metric in zip(rankings, read.metrics, strict=True)
        ]


@dataclass(frozen=True)
class ScoreQuestion:
    """The score of each system, with an interval.

    Attributes
    ----------
    best_of : int, optional
        The number of systems from which each system was chosen.
    """

    resampling: Resampling
    alpha: float
    best_of: int | None = None

    def read(
        self, systems: Sequence[object], metric: object, reading: Reading, work: Work | None = None
    ) -> Scores | Sequence[Systems]:
        """Return the systems, each on its own items."""
        if not systems:
            raise _no_system("score")
        scores = already_read(systems, metric, reading)
        if scores is not None:
            return scores
        sources, reading = _sources(systems, metric, reading, named=False)
        reading = replace(reading, unpaired=True)
        return Request(sources, metric, reading, work, apart=True, default_names=_scored_names).groups()

    def answer(
        self, read: Scores | Sequence[Systems], executor: Executor | None = None, progress: Progress | None = None
    ) -> Sequence[Any]:
        """Return the result."""
        from outscore.questions.system_scores import score_systems

        resampling = replace(self.resampling, executor=executor, progress=progress)
        return [score_systems(read, resampling, self.alpha, self.best_of)]


def ask_comparison(reading: Reading, *, unpaired: bool = False, **given: Any) -> ComparisonQuestion | SamplesQuestion:
    """Return the question of `outscore.compare`, from its arguments.

    Raise OptionError if an argument is out of range, a name is unknown, or arguments contradict each other.
    """
    options = with_defaults("compare", given)
    baseline, against = options["baseline"], options["against"]
    if against is not None:
        named = {opt("baseline"): baseline is not None, opt("unpaired"): unpaired}
        for option, is_set in named.items():
            if is_set:
                what = f"cannot be combined with {opt('against')}"
                raise OptionError(Problem(option, what, "Omit one of them.", "against-constant"))
    best_of = None if options["best_of"] is None else _count_of_choice(options["best_of"])
    if unpaired:
        return replace(_ask_samples(reading, options), best_of=best_of)
    margin = options["margin"]  # as it was written, since a margin in per cent is refused for some metrics
    if margin is not None:
        options["margin"] = number(margin, opt("margin"))
    words = options["tests"].split(",") if isinstance(options["tests"], str) else options["tests"]
    every = isinstance(words, list | tuple) and "all" in words  # tests that do not apply are skipped
    if every:
        options["tests"] = [test() for test in TESTS.values()]
    settings = _settings(Settings, options, skip_inapplicable=every)
    return ComparisonQuestion(settings, baseline, against, margin, options["tasks"], options["combination"], best_of)


def _ask_samples(reading: Reading, options: Mapping[str, Any]) -> SamplesQuestion:
    """Return the question of systems that were scored on different items; refuse options of paired items."""
    from outscore.questions.unpaired import SampleSettings, refuse_of_pairs, tests_of_samples

    usual = with_defaults("compare", {})
    treated = reading.missing  # on the command line one option with two values
    missing = {"missing" if speaks_options() else treated.argument: treated is not Missing.ERROR}
    refuse_of_pairs(
        clusters="other_clusters" in reading.labellings,
        strata="strata" in reading.labellings,
        **missing,
        **reading.beyond_items,
        **{name: options[name] != usual[name] for name in _OF_PAIRS},
    )
    settings = SampleSettings(
        tests_of_samples(options["tests"]),
        Resampling(n_resamples=options["n_resamples"], seed=options["seed"]),
        options["alternative"],
        options["claim"],
        alpha_of(options),
    )
    return SamplesQuestion(settings, options["baseline"], options["margin"])


def ask_ranking(**given: Any) -> RankingQuestion:
    """Return the question of `outscore.rank`, from its arguments.

    Raise OptionError if an argument is out of range or a name is unknown.
    """
    from outscore.questions.ranks.inquiry import RankingSettings

    options = with_defaults("rank", given)
    emulate = options["emulate"]
    if emulate is not None and not (isinstance(emulate, str) and emulate in _EMULATED):
        raise wrong(opt("emulate"), " or ".join(_EMULATED), emulate)
    return RankingQuestion(_settings(RankingSettings, options), options["tasks"], emulate)


def ask_scores(**given: Any) -> ScoreQuestion:
    """Return the question of `outscore.score`, from its arguments. Raise OptionError if an argument is out of range."""
    options = with_defaults("score", given)
    best_of = None if options["best_of"] is None else _count_of_choice(options["best_of"])
    return ScoreQuestion(resampling_of(options), alpha_of(options), best_of)


def _count_of_choice(count: int) -> int:
    """Return the number of systems from which one was chosen, checked."""
    if not 2 <= count <= _MOST_CHOICES:
        what = f"expected 2 to {_MOST_CHOICES:,} systems, got {count:,}"
        raise OptionError(Problem(opt("best_of"), what, leave_out(), "out-of-range"))
    return count


def _note_on_choice(best_of: int) -> str:
    """Return the warning of a comparison whose candidate was chosen as the best of several on the same items."""
    from outscore.questions.chosen import largest_of
    from outscore.words.warnings import best_of_several

    return best_of_several(best_of, largest_of(best_of))


def _settings(kind: type[_Settings], options: Mapping[str, Any], **more: Any) -> _Settings:
    """Return settings from the options of a function, which have the names of the settings."""
    given = {name: value for name, value in options.items() if value is not None}
    if "tests" in given:
        given["tests"] = listed_tests(given["tests"])
    if "run_sd" in given:
        given["run_sd"] = run_sd_of(given["run_sd"])
    given |= {"resampling": resampling_of(options), "alpha": alpha_of(options)} | more
    return kind(**{field.name: given[field.name] for field in fields(kind) if field.name in given})


def resampling_of(options: Mapping[str, Any]) -> Resampling:
    """Return how distributions are computed, from the options of a function."""
    return Resampling(options.get("method", Method.AUTO), options["n_resamples"], options["seed"])


def listed_tests(tests: SignificanceTest | str | Sequence[SignificanceTest | str]) -> Sequence[SignificanceTest]:
    """Return test objects, given as objects or by name.

    Raise OptionError if a name is unknown, or an object is not a test.
    """
    several = tests.split(",") if isinstance(tests, str) else [tests] if isinstance(tests, SignificanceTest) else tests
    try:
        named = [test_named(test) if isinstance(test, str) else test for test in several]
    except TypeError:
        raise wrong("tests", _A_TEST, tests) from None
    for test in named:
        if not isinstance(test, SignificanceTest):
            raise wrong("tests", _A_TEST, test)
    return named


def run_sd_of(value: float | str) -> float | Literal["borrowed"]:
    """Return the standard deviation of a run's score: a number of 0 or more, or "borrowed".

    Raise OptionError if the value is neither.
    """
    if isinstance(value, str) and value == "borrowed":
        return "borrowed"
    sd = number(value, opt("run_sd"), f"Or use {opt('run_sd', 'borrowed')} for that of the other system.")
    if not 0 <= sd < float("inf"):
        raise OptionError(Problem(opt("run_sd"), f"expected 0 or more, got {sd:g}", "", "out-of-range"))
    return sd


def alpha_of(options: Mapping[str, Any]) -> float:
    """Return the significance level, given the level, the confidence level, or neither.

    Raise OptionError if the two contradict each other, or the confidence level is out of range.
    """
    alpha = None if options["alpha"] is None else number(options["alpha"], "alpha")
    if options.get("confidence_level") is None:
        return DEFAULT_ALPHA if alpha is None else alpha
    level = number(options["confidence_level"], "confidence_level")
    if not 0 < level < 1:
        what = f"expected a number between 0 and 1, got {level:g}"
        raise OptionError(Problem(opt("confidence_level"), what, "", "out-of-range"))
    complement = round(1 - level, 12)
    if alpha is not None and abs(alpha - complement) > 1e-9:
        what = f"expected 1 - alpha = {1 - alpha:g}, got {level:g}"
        advice = f"Pass only one of {opt('alpha')} and {opt('confidence_level')}."
        raise OptionError(Problem(opt("confidence_level"), what, advice, "two-levels"))
    return complement


def _tasks_of(tasks: Tasks | str | None) -> Tasks:
    """Return the claim about datasets, by default their number."""
    from outscore.results.test_sets import Tasks

    return Tasks.COUNT if tasks is None else choice(Tasks, tasks, "tasks")


def _no_test_sets(option: str) -> OptionError:
    """Return the error of an option for several datasets without datasets."""
    return OptionError(Problem(option, "needs several datasets", f"Pass {opt('test_sets')}.", "no-test-sets"))


def _no_system(command: str) -> OptionError:
    where, advice = (f"outscore {command}", "Pass a file (FILE or FILE:COLUMN).") if speaks_options() else (command, "")
    return OptionError(Problem(where, "expected at least one system, got none", advice, "no-system"))


def read_scores(systems: Sequence[object], metric: object, reading: Reading, work: Work | None = None) -> Scores:
    """Return the scores of systems of any kind, paired item by item; see `outscore.read`."""
    scores = already_read(systems, metric, reading)
    if scores is not None:
        return scores
    sources, reading = _sources(systems, metric, reading, named=True)
    only = sources[0] if isinstance(systems, Files) and len(sources) == 1 else None
    if only is not None and not only.is_board and (only.column or only.name or reading.references):
        what = "expected at least two systems, got one"
        advice = "Pass more systems, a table of all systems, or a leaderboard file."
        raise DataError(Problem(only.shown, what, advice, "one-system"))
    return Request(sources, metric, reading, work, one_table=True).systems().paired()


def read_with_baseline(
    systems: Sequence[object], metric: object, reading: Reading, baseline: str | None, work: Work | None = None
) -> Systems:
    """Return systems to compare, the baseline first."""
    sources, reading = _sources(systems, metric, reading, named=False)
    refuse_without_baseline(systems, sources, baseline)
    return read_compared(Request(sources, metric, reading, work, baseline))


def _sources(
    systems: Sequence[object], metric: object, reading: Reading, *, named: bool
) -> tuple[Sequence[Source], Reading]:
    """Return the systems one by one, and the reading options, as references may be a column of a data frame.

    `named`: a single mapping, data frame or table always holds all systems.
    """
    if isinstance(systems, Files):
        return sources_named(systems), reading
    if len(systems) == 1 and isinstance(reading.references, str):
        from outscore.readers.in_memory import predictions_from

        predictions = predictions_from(systems[0], reading)
        if predictions is not None:
            columns, reading = predictions
            return sources_of([columns], metric=metric, references=reading.references, named=True), reading
    sources = sources_of(
        systems,
        metric=metric,
        references=reading.references,
        one_column=not (reading.score_column is reading.id_column is reading.human is None),
        named=named,
        several=bool(declared_factors(reading)),
    )
    return sources, reading


def already_read(systems: Sequence[object], metric: object, reading: Reading) -> Scores | None:
    """Return `Scores` that were passed as systems, on the given metrics, or None for other systems.

    Raise OptionError if there are other systems beside `Scores`, or options of reading, which would have no effect.
    """
    scores = next((system for system in systems if isinstance(system, Scores)), None)
    if scores is None:
        return None
    if len(systems) > 1:
        raise OptionError(Problem("systems", "expected only Scores, got other systems as well", "", "already-read"))
    if reading.families is not None:
        from outscore.readers.boards import families_named

        scores = replace(scores, families=families_named(scores.names, reading.families, scores.families))
    for field in fields(reading):
        value = getattr(reading, field.name)
        if value is not None and value is not False and field.name != "families":
            what = "cannot be combined with Scores, which are already read"
            raise OptionError(Problem(field.name, what, "Pass it to outscore.read.", "already-read"))
    if metric is None:
        return scores
    indices = [scores.place_of(chosen) for chosen in listed_metrics(metric)]
    metrics, rows = tuple(scores.metrics[index] for index in indices), tuple(scores.rows[index] for index in indices)
    return replace(scores, metrics=metrics, rows=rows)


def _with_first(scores: Scores, baseline: str | None) -> Scores:
    """Return scores with the baseline first. Raise OptionError if no system has that name, or there is no candidate."""
    first = 0 if baseline is None else place_of(baseline, scores.names)
    if len(scores) < 2:
        raise OptionError(Problem("compare", "expected a baseline and at least one candidate", "", "no-candidate"))
    return scores.ordered([first, *(other for other in range(len(scores)) if other != first)])


def _scored_names(n: int) -> Sequence[str]:
    return ["system"] if n == 1 else [f"system {i + 1}" for i in range(n)]
