"""Studies of leaderboards: what BK12 asked of all pairs of systems, in one call each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Unpack

from outscore.api import ReadOptions, reading_of
from outscore.asking import read_scores
from outscore.data.coercion import whole, wrong
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.studies import (
    StudyOptions,
    StudySystems,
    by_stratum,
    calibration_study,
    domain_study,
    gain_study,
    size_study,
    transfer_study,
)
from outscore.studies.results import CalibrationStudy, DomainStudy, GainStudy, SizeStudy, TransferStudy
from outscore.text.naming import nearest, printable, quoted

# From the name of a system to a mark such as "combination"; see `StudySystems`.
Relations = Mapping[str, str]


def study_gain(
    systems: object,
    options: StudyOptions | None = None,
    *,
    metric: AnyMetric | str | None = None,
    relations: Relations | None = None,
    **reading: Unpack[ReadOptions],
) -> GainStudy:
    """Return confidence (1 − p) against gain for all pairs, and the gain from which on 95% of them are significant.

    Parameters
    ----------
    systems : Scores, or what `outscore.read` makes them of
        At least two, of different names.
    options : StudyOptions, optional
        How thresholds are come by, the test, resamples, the seed.
    metric : AnyMetric or str, optional
        As for `outscore.read`; of scores on several which one, the first by default.
    relations : mapping from name to mark, optional
        Systems that make a relation of their own with any other, such as system combinations.
    **reading
        How systems are read: references, families, clusters, strata, ... as for `outscore.read`.

    Raises
    ------
    DataError
        Systems that lack items of others.
    OptionError
        An unknown metric or system.

    Examples
    --------
    >>> scores = {"a": [1, 0, 0, 1, 0, 0], "b": [1, 1, 0, 1, 1, 1], "c": [0, 1, 0, 1, 0, 0]}
    >>> study = study_gain(scores, metric="accuracy")
    >>> [(pair.candidate, pair.baseline, round(pair.p_value, 4)) for pair in study.pairs]
    [('b', 'a', 0.0156), ('b', 'c', 0.0156), ('a', 'c', 0.6418)]
    >>> study.thresholds[0].threshold, study.thresholds[0].reason
    (None, 'no pair has p-values from 0.04 to 0.06')
    """
    board = _board(systems, metric, relations, reading)
    return gain_study(board.systems, _options(options), notes=board.notes)


def study_size(
    systems: object,
    sizes: int | Iterable[int],
    options: StudyOptions | None = None,
    *,
    subsets: int = 10,
    metric: AnyMetric | str | None = None,
    relations: Relations | None = None,
    **reading: Unpack[ReadOptions],
) -> SizeStudy:
    """Return thresholds by the size of the test set, with the fit of the 1/√n law.

    Parameters
    ----------
    systems, options, metric, relations, reading
        As for `study_gain`.
    sizes : int or iterable of int
    subsets : int
        Random subsets of each size, beside the first items.

    Raises
    ------
    OptionError
        A size beyond the test set.
    """
    board, options = _board(systems, metric, relations, reading), _options(options)
    several = sizes if isinstance(sizes, Iterable) and not isinstance(sizes, str) else [sizes]
    wanted, count = [whole(size, opt("sizes")) for size in several], whole(subsets, opt("subsets"))
    return size_study(board.systems, wanted, options, subsets=count, notes=board.notes)


def study_domains(
    boards: object,
    options: StudyOptions | None = None,
    *,
    items: int | None = None,
    subsets: int = 10,
    metric: AnyMetric | str | None = None,
    relations: Relations | None = None,
    **reading: Unpack[ReadOptions],
) -> DomainStudy:
    """Return thresholds of several domains at one size of the test set.

    Parameters
    ----------
    boards : mapping from name to systems, or systems
        Systems as for `study_gain`: those of each domain, or those of all, whose strata are the domains.
    options, metric, relations, reading
        As for `study_gain`.
    items : int, optional
        By default as many as the smallest domain has.
    subsets : int
        Random subsets of each domain.

    Raises
    ------
    OptionError
        A single domain, or more items than one has.
    """
    options, count = _options(options), whole(subsets, opt("subsets"))
    size = None if items is None else whole(items, opt("items"))
    if not isinstance(boards, Mapping):
        board = _board(boards, metric, relations, reading)
        domains, notes = by_stratum(board.systems, board.stratum_names), list(board.notes)
    else:
        parts = {name: _board(systems, metric, relations, reading, str(name)) for name, systems in boards.items()}
        domains = [board.systems.named(printable(str(name))) for name, board in parts.items()]
        notes = [note for board in parts.values() for note in board.notes]
    return domain_study(domains, options, items=size, subsets=count, notes=notes)


def study_calibration(
    systems: object,
    options: StudyOptions | None = None,
    *,
    items: int | None = None,
    repeats: int = 1000,
    metric: AnyMetric | str | None = None,
    **reading: Unpack[ReadOptions],
) -> CalibrationStudy:
    """Return how often tests with p-values near 0.05 point at the better system, the board being the population.

    Parameters
    ----------
    systems, options, metric, reading
        As for `study_gain`. 1,000 resamples do for each test set.
    items : int, optional
        Of each test set, or clusters; by default as many as the board has.
    repeats : int
        Test sets drawn.
    """
    board, options = _board(systems, metric, None, reading), _options(options)
    size = None if items is None else whole(items, opt("items"))
    times = whole(repeats, opt("repeats"))
    return calibration_study(board.systems, options, items=size, repeats=times, notes=board.notes)


def study_transfer(
    systems: object,
    others: Mapping[str, object] | None = None,
    options: StudyOptions | None = None,
    *,
    stratum: str | None = None,
    name: str = "board",
    metric: AnyMetric | str | None = None,
    **reading: Unpack[ReadOptions],
) -> TransferStudy:
    """Return, by p-value on one board, the share of pairs that keep their sign on others.

    Parameters
    ----------
    board : Leaderboard
    others : mapping from name to systems, optional
        The same systems on other test sets, known by their names.
    options, metric, reading
        As for `study_gain`.
    stratum : str, optional
        In the place of `others`: p-values are those on this stratum of the board, and signs those on each of its
        other strata.
    name : str
        What to call the first board; a stratum has its own name.

    Raises
    ------
    OptionError
        Both other boards and a stratum, or neither; an unknown stratum, or the only one.
    DataError
        A board that shares fewer than two systems with the first.
    """
    options = _options(options)
    if (others is None) == (stratum is None):
        got = "neither" if others is None else "both"
        advice = f"Name other boards with {opt('others')}, or a stratum of this one with {opt('stratum')}."
        raise OptionError(Problem("study transfer", f"expected other boards or a stratum, got {got}", advice, "usage"))
    here = _board(systems, metric, None, reading)
    if others is None:
        return transfer_study(*_parted(here, str(stratum)), options, notes=here.notes)
    if not isinstance(others, Mapping):
        raise wrong("others", "a mapping from names to systems", others)
    parts = {printable(str(name)): _board(other, metric, None, reading, str(name)) for name, other in others.items()}
    named = [part.systems.named(name) for name, part in parts.items()]
    return transfer_study(here.systems.named(printable(name)), named, options, notes=here.notes)


@dataclass(frozen=True, eq=False)
class _Board:
    """Systems on one metric, the names of their strata, and what a reader must know of them."""

    systems: StudySystems
    stratum_names: tuple[str, ...]
    notes: tuple[str, ...]


def _board(
    systems: object,
    metric: AnyMetric | str | None,
    relations: Relations | None,
    reading: ReadOptions,
    called: str | None = None,
) -> _Board:
    """Return what systems are on a metric; `called` is their board's name where it stands beside others."""
    if not isinstance(relations, Mapping | None):
        raise wrong("relations", "a mapping from names of systems to marks", relations)
    if isinstance(systems, Scores):
        known = [one.name for one in systems.metrics]
        if called is not None and isinstance(metric, str) and metric not in known:
            what = f"expected the metric {quoted(metric)} as on the other boards, got {', '.join(known)}"
            advice = "Name one metric for all boards with -m."
            raise OptionError(Problem(printable(called), what, advice, "several-metrics"))
    several = systems if isinstance(systems, tuple) else (systems,)
    scores = read_scores(several, metric, reading_of(reading)).on(None)
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
    known, stratum = board.stratum_names, printable(stratum)
    if not known:
        what = "expected a board with strata, got one without"
        raise OptionError(Problem(opt("stratum"), what, f"Name a column of strata with {opt('strata')}.", "no-strata"))
    if stratum not in known:
        what = f"unknown stratum {quoted(stratum)}"
        raise OptionError(Problem(opt("stratum"), what, nearest(stratum, known), "unknown-stratum"))
    if len(known) == 1:
        what = f"expected at least two strata, got one: {quoted(stratum)}"
        raise OptionError(Problem(opt("stratum"), what, f"Name another board with {opt('others')}.", "one-stratum"))
    parts = by_stratum(board.systems, known)
    return parts.pop(known.index(stratum)), parts
