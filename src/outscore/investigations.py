"""Studies of leaderboards: what BK12 asked of all pairs of systems, in one call each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from outscore.errors import OptionError, Problem
from outscore.given import whole, wrong
from outscore.leaderboards import Leaderboard
from outscore.naming import nearest, printable, quoted
from outscore.results.studies import CalibrationStudy, DomainStudy, GainStudy, SizeStudy, TransferStudy
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

__all__ = ["study_calibration", "study_domains", "study_gain", "study_size", "study_transfer"]

# From the name of a system to a mark such as "combination"; see `StudySystems`.
Relations = Mapping[str, str]


def study_gain(
    board: Leaderboard,
    options: StudyOptions | None = None,
    *,
    metric: str | None = None,
    relations: Relations | None = None,
) -> GainStudy:
    """Return confidence (1 − p) against gain for all pairs, and the gain from which on 95% of them are significant.

    Parameters
    ----------
    board : Leaderboard
    options : StudyOptions, optional
        How thresholds are come by, the test, resamples, the seed.
    metric : str, optional
        Which one, where there are several; the first by default.
    relations : mapping from name to mark, optional
        Systems that make a relation of their own with any other, such as system combinations.

    Raises
    ------
    DataError
        Systems that lack items of others.
    OptionError
        An unknown metric or system.

    Examples
    --------
    >>> scores = {"a": [1, 0, 0, 1, 0, 0], "b": [1, 1, 0, 1, 1, 1], "c": [0, 1, 0, 1, 0, 0]}
    >>> study = study_gain(Leaderboard.from_scores(scores, metric="accuracy"))
    >>> [(pair.candidate, pair.baseline, round(pair.p_value, 4)) for pair in study.pairs]
    [('b', 'a', 0.0156), ('b', 'c', 0.0156), ('a', 'c', 0.6418)]
    >>> study.thresholds[0].threshold, study.thresholds[0].reason
    (None, 'no pair has p-values from 0.04 to 0.06')
    """
    found = _systems(board, metric, relations)
    return gain_study(found.systems, _options(options), notes=found.notes)


def study_size(
    board: Leaderboard,
    sizes: int | Iterable[int],
    options: StudyOptions | None = None,
    *,
    subsets: int = 10,
    metric: str | None = None,
    relations: Relations | None = None,
) -> SizeStudy:
    """Return thresholds by the size of the test set, with the fit of the 1/√n law.

    Parameters
    ----------
    board, options, metric, relations
        As for `study_gain`.
    sizes : int or iterable of int
    subsets : int
        Random subsets of each size, beside the first items.

    Raises
    ------
    OptionError
        A size beyond the test set.
    """
    found, options = _systems(board, metric, relations), _options(options)
    several = sizes if isinstance(sizes, Iterable) and not isinstance(sizes, str) else [sizes]
    wanted, count = [whole(size, "--sizes") for size in several], whole(subsets, "--subsets")
    return size_study(found.systems, wanted, options, subsets=count, notes=found.notes)


def study_domains(
    boards: Mapping[str, Leaderboard] | Leaderboard,
    options: StudyOptions | None = None,
    *,
    items: int | None = None,
    subsets: int = 10,
    metric: str | None = None,
    relations: Relations | None = None,
) -> DomainStudy:
    """Return thresholds of several domains at one size of the test set.

    Parameters
    ----------
    boards : mapping from name to Leaderboard, or Leaderboard
        One board a domain, or one whose strata are the domains.
    options, metric, relations
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
    options, count = _options(options), whole(subsets, "--subsets")
    size = None if items is None else whole(items, "--items")
    if isinstance(boards, Leaderboard):
        one = _systems(boards, metric, relations)
        domains, notes = by_stratum(one.systems, one.stratum_names), list(one.notes)
    else:
        _check_boards(boards, "boards")
        found = {name: _systems(board, metric, relations, name) for name, board in boards.items()}
        domains = [each.systems.named(printable(name)) for name, each in found.items()]
        notes = [note for each in found.values() for note in each.notes]
    return domain_study(domains, options, items=size, subsets=count, notes=notes)


def study_calibration(
    board: Leaderboard,
    options: StudyOptions | None = None,
    *,
    items: int | None = None,
    repeats: int = 1000,
    metric: str | None = None,
) -> CalibrationStudy:
    """Return how often tests with p-values near 0.05 point at the better system, the board being the population.

    Parameters
    ----------
    board, options, metric
        As for `study_gain`. 1,000 resamples do for each test set.
    items : int, optional
        Of each test set, or clusters; by default as many as the board has.
    repeats : int
        Test sets drawn.
    """
    found, options = _systems(board, metric, None), _options(options)
    size = None if items is None else whole(items, "--items")
    times = whole(repeats, "--repeats")
    return calibration_study(found.systems, options, items=size, repeats=times, notes=found.notes)


def study_transfer(
    board: Leaderboard,
    others: Mapping[str, Leaderboard] | None = None,
    options: StudyOptions | None = None,
    *,
    stratum: str | None = None,
    name: str = "board",
    metric: str | None = None,
) -> TransferStudy:
    """Return, by p-value on one board, the share of pairs that keep their sign on others.

    Parameters
    ----------
    board : Leaderboard
    others : mapping from name to Leaderboard, optional
        Boards of the same systems, known by their names.
    options, metric
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
        advice = "Name other boards with --transfer, or a stratum of this one with --transfer-from."
        raise OptionError(Problem("study transfer", f"expected other boards or a stratum, got {got}", advice, "usage"))
    here = _systems(board, metric, None)
    if others is not None:
        _check_boards(others, "others")
        parts = [_systems(other, metric, None, called) for called, other in others.items()]
        found = [part.systems.named(printable(called)) for part, called in zip(parts, others, strict=True)]
        return transfer_study(here.systems.named(printable(name)), found, options, notes=here.notes)
    return transfer_study(*_parted(here, str(stratum)), options, notes=here.notes)


@dataclass(frozen=True, eq=False)
class _Found:
    """A leaderboard's systems on one metric, the names of their strata, and what a reader must know of them."""

    systems: StudySystems
    stratum_names: tuple[str, ...]
    notes: tuple[str, ...]


def _systems(board: Leaderboard, metric: str | None, relations: Relations | None, called: str | None = None) -> _Found:
    """Return what a board holds on a metric; `called` is its name where it stands beside others."""
    if not isinstance(board, Leaderboard):
        raise _no_board("board" if called is None else printable(str(called)), board)
    if not isinstance(relations, Mapping | None):
        raise wrong("relations", "a mapping from names of systems to marks", relations)
    unknown = sorted(set(relations or ()) - set(board.names))
    if unknown:
        what = f"unknown system {quoted(unknown[0])}"
        raise OptionError(Problem("relations", what, nearest(unknown[0], board.names), "unknown-system"))
    if called is not None and metric is not None and metric not in board.metrics:
        what = f"expected the metric {quoted(metric)} as on the other boards, got {', '.join(board.metrics)}"
        advice = "Name one metric for all boards with -m."
        raise OptionError(Problem(printable(called), what, advice, "several-metrics"))
    found = board.aligned(metric)
    systems = StudySystems.of_rows(
        found.metric,
        found.items.systems,
        families=board.families,
        kinds=[(relations or {}).get(name) for name in board.names],
        clusters=found.items.clusters,
        strata=found.items.strata,
    )
    strata = tuple(map(printable, found.items.stratum_names))
    return _Found(systems.renamed(board.names), strata, found.notes)


def _options(given: StudyOptions | None) -> StudyOptions:
    if not isinstance(given, StudyOptions | None):
        raise wrong("options", "an outscore.StudyOptions", given)
    return given or StudyOptions()


def _check_boards(given: Mapping[str, Leaderboard], argument: str) -> None:
    if not isinstance(given, Mapping):
        raise wrong(argument, "a mapping from names to leaderboards", given)


def _no_board(where: str, got: object) -> OptionError:
    (problem,) = wrong(where, "an outscore.Leaderboard", got).problems
    return OptionError(replace(problem, advice="Leaderboard.read reads one from a file."))


def _parted(found: _Found, stratum: str) -> tuple[StudySystems, list[StudySystems]]:
    """Return the systems on one stratum, and on each of the others."""
    known, stratum = found.stratum_names, printable(stratum)
    if not known:
        what = "expected a board with strata, got one without"
        raise OptionError(Problem("--transfer-from", what, "Name a column of strata with --stratum.", "no-strata"))
    if stratum not in known:
        what = f"unknown stratum {quoted(stratum)}"
        raise OptionError(Problem("--transfer-from", what, nearest(stratum, known), "unknown-stratum"))
    if len(known) == 1:
        what = f"expected at least two strata, got one: {quoted(stratum)}"
        raise OptionError(Problem("--transfer-from", what, "Name another board with --transfer.", "one-stratum"))
    parts = by_stratum(found.systems, known)
    return parts.pop(known.index(stratum)), parts
