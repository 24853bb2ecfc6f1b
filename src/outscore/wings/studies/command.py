"""`outscore study`: the analyses of BK12 for all pairs of a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import PurePath
from typing import Annotated, Any

from cyclopts import App, Parameter

from outscore.cli import arguments
from outscore.cli.arguments import computing
from outscore.cli.mistakes import refuse_mistaken
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import BoardReads
from outscore.data.coercion import whole_number
from outscore.design.options import options_of_command
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.boards import families_of
from outscore.readers.files import split_spec
from outscore.significance import Resampling, test_named
from outscore.wings.studies import IsotonicFit, LogisticFit, ScaledFit, StudyOptions, ThresholdRule, WindowRule
from outscore.wings.studies.investigations import (
    study_calibration,
    study_domains,
    study_gain,
    study_size,
    study_transfer,
)
from outscore.wings.studies.results import Fit

RULES: dict[Fit, type[ThresholdRule]] = {
    Fit.WINDOW: WindowRule,
    Fit.ISOTONIC: IsotonicFit,
    Fit.LOGISTIC: LogisticFit,
    Fit.SCALED: ScaledFit,
}


def _options(values: Mapping[str, Any], n_resamples: int) -> StudyOptions:
    """Return the options of a study, with `n_resamples` as the default number of resamples."""
    r = n_resamples if values["n_resamples"] is None else values["n_resamples"]
    converted: dict[str, Any] = {
        "rule": RULES[Fit(values["rule"])](*values["window"]),
        "test": test_named(values["test"]),
        "resampling": Resampling(values["method"], r, values["seed"]),
    }
    return StudyOptions(
        **{field.name: values[field.name] for field in fields(StudyOptions) if field.name in values} | converted
    )


def _marks(relations: str | None, scores: Scores) -> dict[str, str]:
    """Return the marks of systems, by their names, which form additional relations."""
    if relations is None:
        return {}
    marks = families_of(scores.names, relations)
    return {name: mark for name, mark in zip(scores.names, marks, strict=True) if mark is not None}


_HELP = "A leaderboard file or a table of all systems; or at least two system files."
System = Annotated[str, Parameter(name="SYSTEM", allow_leading_hyphen=True, help=_HELP)]


study = App(
    name="study",
    help="Analyse a leaderboard: from which gain do systems differ significantly?",
)


@study.command
@arguments.from_table("study-gain")
def gain(
    *systems: System,
    reads: BoardReads = BoardReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Show confidence (1 - p) against gain for all pairs, and the gain above which 95% are significant."""
    table = options.get("table")
    if table is not None and writes.chosen not in ("csv", "parquet"):
        what = f"applies to csv and parquet, and the format is {writes.chosen}"
        raise OptionError(Problem(opt("table"), what, f"Leave it out, or add {opt('format', 'csv')}.", "usage"))
    with _running("gain", systems, reads, options, writes, n_resamples=100_000) as run:
        board = reads.scores(systems)
        marks = _marks(run.values["relations"], board)
        results = [study_gain(board, run.options, metric=metric, relations=marks) for metric in board.metrics]
        run.write(*results, thresholds=table == "thresholds")


@study.command
@arguments.from_table("study-size")
def size(
    *systems: System,
    reads: BoardReads = BoardReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Show the threshold by the size of the test set, with a fit of 1/sqrt(n)."""
    with _running("size", systems, reads, options, writes, n_resamples=10_000) as run:
        wanted = [whole_number(part, opt("sizes")) for part in run.values["sizes"].split(",") if part.strip()]
        board = reads.scores(systems)
        marks, subsets = _marks(run.values["relations"], board), run.values["subsets"]
        run.write(
            *(
                study_size(board, wanted, run.options, subsets=subsets, metric=metric, relations=marks)
                for metric in board.metrics
            )
        )


@study.command
@arguments.from_table("study-domains")
def domains(
    *boards: Annotated[str, Parameter(name="BOARD", allow_leading_hyphen=True)],
    reads: BoardReads = BoardReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Compare thresholds between domains at the same size of the test set.

    Parameters
    ----------
    boards
        Leaderboard files or tables of all systems, one per domain; or a single one, or system outputs, with --stratum.
    """
    with _running("domains", boards, reads, options, writes, n_resamples=10_000) as run:
        relations, sets = run.values["relations"], {name: run.values[name] for name in ("items", "subsets")}
        # Outputs with a common reference are the systems of one leaderboard, whose strata are the domains.
        several = {"board": reads.scores(boards)} if reads.reference else _named(boards, reads)
        marks = {name: mark for scores in several.values() for name, mark in _marks(relations, scores).items()}
        domains_or_board: Mapping[str, Scores] | Scores = several if len(several) != 1 else next(iter(several.values()))
        metrics = [metric.name for metric in next(iter(several.values())).metrics] if several else [""]
        run.write(
            *(study_domains(domains_or_board, run.options, metric=name, relations=marks, **sets) for name in metrics)
        )


@study.command
@arguments.from_table("study-calibration")
def calibration(
    *systems: System,
    reads: BoardReads = BoardReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Show how often the system with the higher score is the better one, by p-value.

    The leaderboard is the population: test sets are drawn from it with replacement. With --transfer or
    --transfer-from, this command is outscore study transfer.
    """
    to, stratum, items, repeats = (
        options.pop(name, None) for name in ("transfer", "transfer_from", "items", "repeats")
    )
    if to or stratum is not None:
        drawn = [name for name, value in ((opt("items"), items), (opt("repeats"), repeats)) if value is not None]
        if drawn:
            what = f"does not apply with {opt('others') if to else opt('stratum')}, which draws no test sets"
            raise OptionError(Problem(", ".join(drawn), what, "Leave it out.", "usage"))
        _transferred(systems, to or (), stratum, reads, options, writes, named=(opt("others"), opt("stratum")))
        return
    _refuse_thresholds(reads, options, windows=True)
    times = 1000 if repeats is None else repeats
    with _running("calibration", systems, reads, options, writes, n_resamples=1000) as run:
        board = reads.scores(systems)
        run.write(
            *(
                study_calibration(board, run.options, items=items, repeats=times, metric=metric)
                for metric in board.metrics
            )
        )


@study.command
@arguments.from_table("study-transfer")
def transfer(
    *systems: System,
    reads: BoardReads = BoardReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Show how many gains keep their sign on other test sets, by p-value.

    Other test sets are other leaderboards of the same systems, or other strata of one leaderboard, such as its domains.
    """
    to, stratum = options.pop("to", None), options.pop("from_", None)
    if not to and stratum is None:
        what = "expected other test sets for comparing signs, got none"
        raise OptionError(
            Problem(
                "study transfer", what, f"Pass leaderboards with {opt('to')}, or a stratum with {opt('from')}.", "usage"
            )
        )
    _transferred(systems, to or (), stratum, reads, options, writes, named=(opt("to"), opt("from")))


def _transferred(
    systems: Sequence[str],
    to: Sequence[str],
    stratum: str | None,
    reads: BoardReads,
    given: Mapping[str, Any],
    writes: Writes,
    *,
    named: tuple[str, str],
) -> None:
    """Run the transfer study; `named` are the names of its two options."""
    if to and stratum is not None:
        what = "signs are compared on other leaderboards or on other strata, not on both"
        raise OptionError(Problem(named[1], what, f"Leave out one of {named[0]} and {named[1]}.", "usage"))
    _refuse_thresholds(reads, given, windows=False)
    with _running("transfer", [*systems, *to], reads, given, writes, n_resamples=100_000) as run:
        board = reads.scores(systems)
        if stratum is not None:
            run.write(
                *(study_transfer(board, None, run.options, stratum=stratum, metric=metric) for metric in board.metrics)
            )
            return
        others = _named(to, reads)
        called = _label(systems[0]) if len(systems) == 1 else "these systems"
        run.write(*(study_transfer(board, others, run.options, name=called, metric=metric) for metric in board.metrics))


def _refuse_thresholds(reads: BoardReads, given: Mapping[str, Any], *, windows: bool) -> None:
    """Refuse options of thresholds and relations for a study that has none."""
    values = arguments.values_of("study-transfer", given)
    changed = {
        option.argument
        for option in options_of_command("study-transfer").values()
        if values[option.argument] != option.default
    }
    is_set = {opt("families"): reads.families is not None}
    is_set |= {opt(name): name in changed for name in ("relations", "rule", "min_pairs")}
    is_set[opt("window")] = not windows and "window" in changed
    unused = [name for name, is_given in is_set.items() if is_given]
    if unused:
        what = "applies to thresholds and relations, which this study does not have"
        raise OptionError(Problem(", ".join(unused), what, "Leave it out.", "usage"))


def _named(specs: Sequence[str], reads: BoardReads) -> dict[str, Scores]:
    labels = [_label(spec) for spec in specs]
    names = labels if len(set(labels)) == len(labels) else list(specs)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(Problem(twice, "is listed twice", "List each leaderboard once.", "usage"))
    return {name: reads.scores([spec]) for name, spec in zip(names, specs, strict=True)}


def _label(spec: str) -> str:
    """Return a short name of a leaderboard: its file's, or its folder's if the file is called board."""
    path = PurePath(split_spec(spec)[0])
    stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return path.parent.name if stem == "board" and path.parent.name else stem


@dataclass(frozen=True)
class _Run:
    """A running study: its options, and its output."""

    values: Mapping[str, Any]
    options: StudyOptions
    write: Callable[..., None]


@contextmanager
def _running(
    command: str,
    systems: Sequence[str],
    reads: BoardReads,
    given: Mapping[str, Any],
    writes: Writes,
    *,
    n_resamples: int,
) -> Iterator[_Run]:
    with writing(writes) as write:
        values = arguments.values_of(f"study-{command}", given)
        options = _options(values, n_resamples)
        _, pool = computing(values["jobs"], values["executor"])
        refuse_mistaken(systems, f"study {command}", metrics=reads.metric, references=reads.reference)
        with pool as executor, progress_bar(shown=not writes.quiet) as progress:
            resampling = replace(options.resampling, executor=executor, progress=progress)
            yield _Run(values, replace(options, resampling=resampling), write)
