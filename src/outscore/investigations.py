"""Studies of leaderboards: what BK12 asked of all pairs of systems, in one call each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.errors import OptionError, Problem
from outscore.leaderboards import Leaderboard
from outscore.naming import nearest, printable, quoted
from outscore.results.studies import CalibrationStudy, DomainStudy, GainStudy, SizeStudy, TransferStudy
from outscore.rows import Labels, Rows
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
    systems, notes = _systems(board, metric, relations)
    return gain_study(systems, options or StudyOptions(), notes=notes)


def study_size(
    board: Leaderboard,
    sizes: Sequence[int],
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
    sizes : sequence of int
    subsets : int
        Random subsets of each size, beside the first items.

    Raises
    ------
    OptionError
        A size beyond the test set.
    """
    systems, notes = _systems(board, metric, relations)
    return size_study(systems, sizes, options or StudyOptions(), subsets=subsets, notes=notes)


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
    notes: list[str] = []
    if isinstance(boards, Leaderboard):
        systems, found = _systems(boards, metric, relations)
        notes += found
        domains = by_stratum(systems, _stratum_names(boards, metric))
    else:
        domains = []
        for name, board in boards.items():
            systems, found = _systems(board, metric, relations)
            notes += found
            domains.append(systems.named(printable(name)))
    return domain_study(domains, options or StudyOptions(), items=items, subsets=subsets, notes=notes)


def study_calibration(
    board: Leaderboard,
    options: StudyOptions | None = None,
    *,
    items: int,
    repeats: int = 1000,
    metric: str | None = None,
) -> CalibrationStudy:
    """Return how often tests with p-values near 0.05 point at the better system, the board being the population.

    Parameters
    ----------
    board, options, metric
        As for `study_gain`. 1,000 resamples do for each test set.
    items : int
        Of each test set.
    repeats : int
        Test sets drawn.
    """
    systems, notes = _systems(board, metric, None)
    return calibration_study(systems, options or StudyOptions(), items=items, repeats=repeats, notes=notes)


def study_transfer(
    board: Leaderboard,
    others: Mapping[str, Leaderboard],
    options: StudyOptions | None = None,
    *,
    name: str = "board",
    metric: str | None = None,
) -> TransferStudy:
    """Return, by p-value on one board, the share of pairs that keep their sign on others.

    Parameters
    ----------
    board : Leaderboard
    others : mapping from name to Leaderboard
        Boards of the same systems, known by their names.
    options, metric
        As for `study_gain`.
    name : str
        What to call the first board.
    """
    systems, notes = _systems(board, metric, None)
    found = [_systems(other, metric, None)[0].named(printable(called)) for called, other in others.items()]
    return transfer_study(systems.named(printable(name)), found, options or StudyOptions(), notes=notes)


def _systems(
    board: Leaderboard, metric: str | None, relations: Relations | None
) -> tuple[StudySystems, tuple[str, ...]]:
    unknown = sorted(set(relations or ()) - set(board.names))
    if unknown:
        what = f"unknown system {quoted(unknown[0])}"
        raise OptionError(Problem("relations", what, nearest(unknown[0], board.names), "unknown-system"))
    found = board.aligned(metric)
    systems = StudySystems.of_rows(
        found.metric,
        found.systems,
        families=board.families,
        kinds=[(relations or {}).get(name) for name in board.names],
        clusters=found.clusters,
        strata=found.strata,
    )
    return systems.renamed(board.names), found.notes


def _stratum_names(board: Leaderboard, metric: str | None) -> list[str]:
    """Return the labels of a board's strata, in the order of their codes."""
    if board.board.strata is None:
        return []
    return list(dict.fromkeys(_of_rows(board.board.strata, board.aligned(metric).systems[0])))


def _of_rows(labels: Labels, rows: Rows) -> Sequence[str]:
    if labels.item_ids is None or rows.item_ids is None:
        return labels.labels
    by_item = dict(zip(labels.item_ids, labels.labels, strict=True))
    return [by_item[item] for item in rows.item_ids]
