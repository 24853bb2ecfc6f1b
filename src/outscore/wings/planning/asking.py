"""Plans from pilots: pairs of systems, or of their runs, on some items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from outscore.asking import already_read, read_with_baseline
from outscore.errors import OptionError, Problem
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.signatures import asked_of, declared

if TYPE_CHECKING:
    from outscore.declared import PilotOptions, PlanRunsOptions
    from outscore.wings.planning import Pilot
    from outscore.wings.planning.results import RunsPlan


@declared
def pilot(*systems: object, metric: AnyMetric | str | None = None, **options: Unpack[PilotOptions]) -> Pilot:
    """Return a pilot: two systems on some items, as the basis for planning test sets.

    `plan_power`, `plan_gain` and `plan_items` accept it in place of rates or a standard deviation. They draw test
    sets of other sizes from its items, or clusters, with replacement.

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, series, Rows or Scores
        Baseline and candidate, each a system as for `read`.
    metric
        As for `read`.
    seed : int
        Random seed of the simulation, at least 0. The same seed gives the same plan to the last bit.
    executor : concurrent.futures.Executor, distributed.Client or str, optional
        Where test sets are simulated, as for `compare`; the plan does not depend on it.
    **reading
        As for `read`: references, clusters, strata, names and others. Clusters are drawn whole. Test sets keep the
        proportions of the strata and are tested with them.

    Raises
    ------
    DataError
        The systems cannot be paired, differ on fewer than 10 items (or clusters), or have fewer than 3 effective
        units, too few to estimate the variance.
    OptionError
        An argument is out of its range, a name is unknown, or the metric has no sufficient statistics that can be
        summed.

    Examples
    --------
    >>> from outscore.wings.planning import plan_gain
    >>> baseline = [0.42, 0.31, 0.55, 0.48, 0.37, 0.61, 0.29, 0.44, 0.52, 0.36, 0.47, 0.40]
    >>> candidate = [0.45, 0.30, 0.61, 0.52, 0.35, 0.66, 0.36, 0.43, 0.55, 0.41, 0.46, 0.44]
    >>> row = plan_gain(pilot(baseline, candidate, n_sets=1000), 200, tests="paired-t").rows[0]
    >>> row.test, round(row.gain, 3)
    ('paired-t', 0.006)
    """
    from outscore.wings.planning import Simulation, pilot_of

    values, how, executor = asked_of("pilot", options)
    simulation = Simulation(
        Simulation.n_sets if values["n_sets"] is None else values["n_sets"],
        values["seed"],
        Simulation.n_checks if values["n_checks"] is None else values["n_checks"],
        executor,
    )
    scores = already_read(systems, metric, how) or read_with_baseline(systems, metric, how, None).paired()
    return pilot_of(scores, simulation)


@declared
def plan_runs(
    *systems: object,
    gain: float | str,
    metric: AnyMetric | str | None = None,
    **options: Unpack[PlanRunsOptions],
) -> RunsPlan:
    """Return the number of runs of each system needed to detect a gain.

    The variance of a gain over new items and new runs is V(n, m) = σ²_D/n + Σ τ²/m + Σ ω²/(n·m), with the variance
    between items, between runs, and of their interaction. If σ²_D/n is too large, no number of runs is enough.

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, Rows or Scores
        A pilot: baseline and candidate, each with at least two runs, as for `read`. Or none, with standard
        deviations instead.
    gain : float or str
        The smallest true gain of interest, positive, in the unit of the score.
    metric
        As for `read`.
    **reading
        As for `read`: run, pair_runs, references and others; runs are "random".

    Raises
    ------
    DataError
        As `read`.
    OptionError
        An argument is out of its range, both a pilot and standard deviations are given, or a system has one run.

    Examples
    --------
    >>> plan = plan_runs(gain=0.06, items=[500, 1000], item_sd=0.35, run_sd=0.006, interaction_sd=0.28)
    >>> [row.runs for row in plan.rows]
    [4, 3]
    """
    from outscore.wings.planning.runs import RunVariances, plan_of_runs, variances_of

    values, how, _ = asked_of("plan_runs", options)
    items = values["items"]
    how_planned = {name: values[name] for name in ("target", "level", "cost_item", "cost_run")}
    sds = {name: values[name] for name in ("item_sd", "run_sd", "interaction_sd")}
    if not systems:
        for name in ("item_sd", "run_sd"):
            if sds[name] is None:
                what = "expected a pilot of two systems, or standard deviations, got neither"
                advice = f"Pass {opt('item_sd')} and {opt('run_sd')}, or two systems."
                raise OptionError(Problem(opt(name), what, advice, "usage"))
        reading_options = [name for name in options if name not in values]
        if reading_options or metric is not None:
            what = "applies only to a pilot"
            raise OptionError(Problem(next(iter(reading_options), "metric"), what, "Leave it out.", "usage"))
        known_sds = {name: 0.0 if value is None else value for name, value in sds.items()}
        return plan_of_runs(RunVariances.of_sds(**known_sds), gain, items, **how_planned)
    for name, value in sds.items():
        if value is not None:
            what = "applies only without a pilot, whose runs determine the standard deviations"
            raise OptionError(Problem(opt(name), what, "Leave it out, or leave out the pilot.", "usage"))
    scores = already_read(systems, metric, how)
    if scores is None:
        how = replace(how, runs=how.runs or "random")
        scores = read_with_baseline(systems, metric, how, None).paired()
    return plan_of_runs(variances_of(scores), gain, items, seed=values["seed"], **how_planned)
