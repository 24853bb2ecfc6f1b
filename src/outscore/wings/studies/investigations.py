"""Studies of leaderboards: the analyses of BK12 for all pairs of systems, one function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from outscore.asking import read_scores
from outscore.data.coercion import wrong
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.readers.reading import Reading
from outscore.signatures import asked_of, declared
from outscore.text.naming import nearest, printable, quoted
from outscore.wings.studies import (
    StudyOptions,
    StudySystems,
    by_stratum,
    calibration_study,
    domain_study,
    gain_study,
    size_study,
    transfer_study,
)
from outscore.wings.studies.results import CalibrationStudy, DomainStudy, GainStudy, SizeStudy, TransferStudy

if TYPE_CHECKING:
    from outscore.declared import (
        StudyCalibrationOptions,
        StudyDomainsOptions,
        StudyGainOptions,
        StudySizeOptions,
        StudyTransferOptions,
    )


@declared
def study_gain(
    systems: object,
    options: StudyOptions | None = None,
    *,
    metric: AnyMetric | str | None = None,
    **more: Unpack[StudyGainOptions],
) -> GainStudy:
    """Return confidence (1 − p) against gain for all pairs, and the gain above which 95% are significant.

    Parameters
    ----------
    systems : Scores, or what `outscore.read` makes them of
        At least two systems with different names.
    options : StudyOptions, optional
        The rule for thresholds, the test, resamples and the seed.
    metric : AnyMetric or str, optional
        As for `outscore.read`. For scores on several metrics, the one to use; by default the first.

    Raises
    ------
    DataError
        A system lacks items that others have.
    OptionError
        A metric or system is unknown.

    Examples
    --------
    >>> scores = {"a": [1, 0, 0, 1, 0, 0], "b": [1, 1, 0, 1, 1, 1], "c": [0, 1, 0, 1, 0, 0]}
    >>> study = study_gain(scores, metric="accuracy")
    >>> [(pair.candidate, pair.baseline, round(pair.p_value, 4)) for pair in study.pairs]
    [('b', 'a', 0.0156), ('b', 'c', 0.0156), ('a', 'c', 0.6418)]
    >>> study.thresholds[0].threshold, study.thresholds[0].reason
    (None, 'no pair has p-values from 0.04 to 0.06')
    """
    values, how, _ = asked_of("study_gain", more)
    board = _board(systems, metric, values["relations"], how)
    return gain_study(board.systems, _options(options), notes=board.notes)


@declared
def study_size(
    systems: object,
    sizes: int | Sequence[int],
    options: StudyOptions | None = None,
    *,
    metric: AnyMetric | str | None = None,
    **more: Unpack[StudySizeOptions],
) -> SizeStudy:
    """Return thresholds by the size of the test set, with a fit of 1/√n.

    Parameters
    ----------
    systems, options, metric
        As for `study_gain`.
    sizes : int or sequence of int
        Numbers of items.

    Raises
    ------
    OptionError
        A size exceeds the test set.
    """
    values, how, _ = asked_of("study_size", more)
    board, options = _board(systems, metric, values["relations"], how), _options(options)
    wanted = [sizes] if isinstance(sizes, int) else sizes
    return size_study(board.systems, wanted, options, subsets=values["subsets"], notes=board.notes)


@declared
def study_domains(
    boards: object,
    options: StudyOptions | None = None,
    *,
    metric: AnyMetric | str | None = None,
    **more: Unpack[StudyDomainsOptions],
) -> DomainStudy:
    """Return thresholds of several domains at the same size of the test set.

    Parameters
    ----------
    boards : mapping from name to systems, or systems
        Systems as for `study_gain`: those of each domain, or systems whose strata are the domains.
    options, metric
        As for `study_gain`.

    Raises
    ------
    OptionError
        There is a single domain, or a domain has fewer items.
    """
    options = _options(options)
    values, how, _ = asked_of("study_domains", more)
    relations, items, subsets = (values[name] for name in ("relations", "items", "subsets"))
    if not isinstance(boards, Mapping):
        board = _board(boards, metric, relations, how)
        domains, notes = by_stratum(board.systems, board.stratum_names), list(board.notes)
    else:
        parts = {name: _board(systems, metric, relations, how, str(name)) for name, systems in boards.items()}
        domains = [board.systems.named(printable(str(name))) for name, board in parts.items()]
        notes = [note for board in parts.values() for note in board.notes]
    return domain_study(domains, options, items=items, subsets=subsets, notes=notes)


@declared
def study_calibration(
    systems: object,
    options: StudyOptions | None = None,
    *,
    metric: AnyMetric | str | None = None,
    **more: Unpack[StudyCalibrationOptions],
) -> CalibrationStudy:
    """Return how often the observed winner is the better system, by p-value, with the leaderboard as the population.

    Parameters
    ----------
    systems, options, metric
        As for `study_gain`. 1,000 resamples are enough for each test set.
    """
    values, how, _ = asked_of("study_calibration", more)
    board, options = _board(systems, metric, None, how), _options(options)
    return calibration_study(board.systems, options, notes=board.notes, **values)


@declared
def study_transfer(
    systems: object,
    others: Mapping[str, object] | None = None,
    options: StudyOptions | None = None,
    *,
    name: str = "board",
    metric: AnyMetric | str | None = None,
    **more: Unpack[StudyTransferOptions],
) -> TransferStudy:
    """Return, by p-value on one leaderboard, the proportion of pairs that keep their sign on others.

    Parameters
    ----------
    others : mapping from name to systems, optional
        The same systems on other test sets, matched by name.
    systems, options, metric
        As for `study_gain`.
    name : str
        Name of the first leaderboard; a stratum has its own name.

    Raises
    ------
    OptionError
        Both other leaderboards and a stratum are given, or neither; or the stratum is unknown, or the only one.
    DataError
        A leaderboard shares fewer than two systems with the first.
    """
    options = _options(options)
    values, how, _ = asked_of("study_transfer", more)
    stratum = values["stratum"]
    if (others is None) == (stratum is None):
        got = "neither" if others is None else "both"
        advice = f"Pass other leaderboards with {opt('others')}, or a stratum of this one with {opt('stratum')}."
        raise OptionError(
            Problem("study transfer", f"expected other leaderboards or a stratum, got {got}", advice, "usage")
        )
    here = _board(systems, metric, None, how)
    if others is None:
        return transfer_study(*_parted(here, str(stratum)), options, notes=here.notes)
    parts = {printable(str(name)): _board(other, metric, None, how, str(name)) for name, other in others.items()}
    named = [part.systems.named(name) for name, part in parts.items()]
    return transfer_study(here.systems.named(printable(name)), named, options, notes=here.notes)


@dataclass(frozen=True, eq=False)
class _Board:
    """Systems on one metric, the names of their strata, and notes for readers."""

    systems: StudySystems
    stratum_names: tuple[str, ...]
    notes: tuple[str, ...]


def _board(
    systems: object,
    metric: AnyMetric | str | None,
    relations: Mapping[str, str] | None,
    reading: Reading,
    called: str | None = None,
) -> _Board:
    """Return the systems of scores on a metric; `called` is the name of their leaderboard, if there are several."""
    if isinstance(systems, Scores):
        names = [metric.name for metric in systems.metrics]
        if called is not None and isinstance(metric, str) and metric not in names:
            what = f"expected the metric {quoted(metric)} as on the other leaderboards, got {', '.join(names)}"
            advice = "Pass one metric for all leaderboards with -m."
            raise OptionError(Problem(printable(called), what, advice, "several-metrics"))
    several = systems if isinstance(systems, tuple) else (systems,)
    scores = read_scores(several, metric, reading).on(None)
    scores.check_names()
    unknown = sorted(set(relations or ()) - set(scores.names))
    if unknown:
        what = f"unknown system {quoted(unknown[0])}"
        raise OptionError(Problem("relations", what, nearest(unknown[0], scores.names), "unknown-system"))
    board = StudySystems.of_scores(scores, [(relations or {}).get(name) for name in scores.names])
    return _Board(board, tuple(map(printable, scores.design.stratum_names)), scores.notes)


def _options(options: StudyOptions | None) -> StudyOptions:
    if not isinstance(options, StudyOptions | None):
        raise wrong("options", "an outscore.StudyOptions", options)
    return options or StudyOptions()


def _parted(board: _Board, stratum: str) -> tuple[StudySystems, list[StudySystems]]:
    """Return the systems on one stratum, and on each of the others."""
    names, stratum = board.stratum_names, printable(stratum)
    if not names:
        what = "expected a leaderboard with strata, got one without"
        raise OptionError(Problem(opt("stratum"), what, f"Pass a column of strata with {opt('strata')}.", "no-strata"))
    if stratum not in names:
        what = f"unknown stratum {quoted(stratum)}"
        raise OptionError(Problem(opt("stratum"), what, nearest(stratum, names), "unknown-stratum"))
    if len(names) == 1:
        what = f"expected at least two strata, got one: {quoted(stratum)}"
        raise OptionError(
            Problem(opt("stratum"), what, f"Pass another leaderboard with {opt('others')}.", "one-stratum")
        )
    parts = by_stratum(board.systems, names)
    return parts.pop(names.index(stratum)), parts
