"""Pilots from two systems of any kind: the populations that test sets are planned for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from outscore.arguments import DEFAULT_SEED, given_systems
from outscore.errors import OptionError, Problem
from outscore.given import whole
from outscore.metrics import AnyMetric, Metric
from outscore.planning import Pilot, Simulation, pilot_of
from outscore.rows import Labels, Rows, align_items

__all__ = ["pilot", "pilot_of_systems"]


def pilot(
    baseline: object,
    candidate: object,
    *,
    metric: AnyMetric | str | None = None,
    references: object = None,
    clusters: object = None,
    strata: object = None,
    collapse_strata: bool = False,
    drop_missing: bool = False,
    names: Sequence[str] | None = None,
    input_format: str | None = None,
    lower_is_better: bool = False,
    id_column: str | None = None,
    score_column: str | None = None,
    n_sets: int = Simulation.n_sets,
    n_checks: int = Simulation.n_checks,
    seed: int = DEFAULT_SEED,
    executor: Executor | None = None,
) -> Pilot:
    """Return what two systems that were run on some items tell of test sets to come.

    `plan_power`, `plan_gain` and `plan_items` take it in the place of rates or a standard deviation: they draw test
    sets of other sizes from its items, or clusters, with replacement.

    Parameters
    ----------
    baseline, candidate : array, list, mapping from item id to score, dataframe, series, Rows, str or path
        As for `outscore.compare`: scores, or with `references` outputs.
    metric, references, drop_missing, names, input_format, lower_is_better, id_column, score_column
        As for `outscore.compare`.
    clusters, strata : sequence, mapping from item id, series, Labels or str, optional
        One label an item; where the baseline is a file also a str, as on the command line. Clusters are drawn whole;
        test sets keep the shares of strata, and are tested with them.
    collapse_strata : bool
        As for `outscore.compare`.
    n_sets : int
        Test sets that are simulated for every power, 100 to 10⁶.
    n_checks : int
        On how many of them the tests themselves are run, to check the shortcut that is taken.
    seed : int
        Of the simulation, at least 0. The same seed gives the same plan to the last bit.
    executor : concurrent.futures.Executor, optional
        Where test sets are simulated; the plan does not depend on it.

    Raises
    ------
    DataError
        Systems that cannot be paired, or that differ on fewer than 10 items (or clusters), or where fewer than 3
        effective units carry the spread: they tell nothing of it.
    OptionError
        An argument out of its range, an unknown name, or a metric without statistics that add up.

    Examples
    --------
    >>> from outscore.planning import plan_gain
    >>> baseline = [0.42, 0.31, 0.55, 0.48, 0.37, 0.61, 0.29, 0.44, 0.52, 0.36, 0.47, 0.40]
    >>> candidate = [0.45, 0.30, 0.61, 0.52, 0.35, 0.66, 0.36, 0.43, 0.55, 0.41, 0.46, 0.44]
    >>> row = plan_gain(pilot(baseline, candidate, n_sets=1000), 200, tests="paired-t").rows[0]
    >>> row.test, round(row.gain, 3)
    ('paired-t', 0.006)
    """
    simulation = Simulation(whole(n_sets, "n_sets"), whole(seed, "seed"), whole(n_checks, "n_checks"), executor)
    given = given_systems(
        [baseline, candidate],
        metric,
        references,
        names=names,
        input_format=input_format,
        lower_is_better=lower_is_better,
        id_column=id_column,
        score_column=score_column,
        drop_missing=drop_missing,
    )
    return pilot_of_systems(
        given.metric,
        given.systems,
        clusters=given.labels(clusters, "clusters"),
        strata=Labels.collapsing(given.labels(strata, "strata"), collapse_strata),
        drop_missing=drop_missing,
        simulation=simulation,
    )


def pilot_of_systems(
    metric: AnyMetric,
    systems: Sequence[Rows],
    *,
    clusters: Labels | None = None,
    strata: Labels | None = None,
    drop_missing: bool = False,
    simulation: Simulation | None = None,
) -> Pilot:
    """Return the pilot of two systems' rows, which are paired item by item first.

    Parameters
    ----------
    metric : AnyMetric
    systems : sequence of two Rows
        Rows of this metric, checked; the first is the baseline.
    clusters, strata : Labels, optional
        Of the baseline's items.
    drop_missing : bool
    simulation : Simulation, optional

    Raises
    ------
    DataError, OptionError
        As `pilot`.
    """
    if not isinstance(metric, Metric):
        what = f"{metric.name} has no statistics that add up, from which larger test sets could be drawn"
        raise OptionError(Problem("--metric", what, "Name another metric.", "recomputed-metric"))
    found = align_items(systems, clusters=clusters, strata=strata, drop_missing=drop_missing)
    baseline, candidate = found.systems
    return pilot_of(
        metric,
        baseline,
        candidate,
        clusters=found.clusters,
        strata=found.strata,
        simulation=simulation,
        remarks=found.notes,
    )
