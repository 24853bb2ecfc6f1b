"""Plans from pilots: pairs of systems, or of their runs, on some items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from outscore.asking import DEFAULT_SEED, already_read, read_with_baseline
from outscore.data.arguments import typed
from outscore.data.coercion import whole
from outscore.errors import OptionError, Problem
from outscore.laws.executors import executor_of
from outscore.metrics import AnyMetric
from outscore.options import opt
from outscore.signatures import reading_of

if TYPE_CHECKING:
    from outscore.declared import ReadOptions
    from outscore.laws.executors import AnyExecutor
    from outscore.wings.planning import Level, Pilot
    from outscore.wings.planning.results import RunsPlan


@typed
def pilot(
    *systems: object,
    metric: AnyMetric | str | None = None,
    n_sets: int | None = None,
    n_checks: int | None = None,
    seed: int = DEFAULT_SEED,
    executor: AnyExecutor | None = None,
    **reading: Unpack[ReadOptions],
) -> Pilot:
    """Return a pilot: two systems on some items, as the basis for planning test sets.

    `plan_power`, `plan_gain` and `plan_items` accept it in place of rates or a standard deviation. They draw test
    sets of other sizes from its items, or clusters, with replacement.

    Parameters
    ----------
    *systems : str or path, array, list, mapping, data frame, series, Rows or Scores
        Baseline and candidate, each a system as for `read`.
    metric
        As for `read`.
    n_sets : int, optional
        Number of simulated test sets per power, 100 to 10⁶. Default: 4,000.
    n_checks : int, optional
        Number of simulated test sets on which the tests themselves are run, to check the approximation. Default: 0.
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

    simulation = Simulation(
        Simulation.n_sets if n_sets is None else whole(n_sets, "n_sets"),
        whole(seed, "seed"),
        Simulation.n_checks if n_checks is None else whole(n_checks, "n_checks"),
        executor_of(executor),
    )
    how = reading_of(reading)
    scores = already_read(systems, metric, how) or read_with_baseline(systems, metric, how, None).paired()
    return pilot_of(scores, simulation)


@typed
def plan_runs(
    *systems: object,
    gain: float | str,
    items: int | Iterable[int] | None = None,
    item_sd: float | str | None = None,
    run_sd: float | str | None = None,
    interaction_sd: float | str | None = None,
    target: float | str = 0.8,
    level: Level | None = None,
    cost_item: float | str | None = None,
    cost_run: float | str | None = None,
    metric: AnyMetric | str | None = None,
    seed: int = DEFAULT_SEED,
    **reading: Unpack[ReadOptions],
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
    items : int or sequence of int, optional
        Sizes of test sets. Default: 1, 2 and 4 times that of the pilot.
    item_sd, run_sd, interaction_sd : float or str, optional
        σ_D, of the differences between the systems' expected scores per item; τ, of the score between runs; ω, of
        the interaction of items and runs, 0 by default. The same for both systems.
    target : float or str
        The power: 0.8 or "80%".
    level : Level, optional
        Default: 5%, two-sided, for one comparison.
    cost_item, cost_run : float or str, optional
        The cost of one more item, and of one more run of each system. Pass both to find the cheapest plan.
    metric
        As for `read`.
    seed : int
        Random seed for drawing items, used by metrics that are not means.
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

    plan = partial(plan_of_runs, target=target, level=level, cost_item=cost_item, cost_run=cost_run)
    sds = {opt("item_sd"): item_sd, opt("run_sd"): run_sd, opt("interaction_sd"): interaction_sd}
    if not systems:
        for option in (opt("item_sd"), opt("run_sd")):
            if sds[option] is None:
                what = "expected a pilot of two systems, or standard deviations, got neither"
                raise OptionError(
                    Problem(option, what, f"Pass {opt('item_sd')} and {opt('run_sd')}, or two systems.", "usage")
                )
        if reading or metric is not None:
            what = "applies only to a pilot"
            raise OptionError(Problem(next(iter(reading), "metric"), what, "Leave it out.", "usage"))
        return plan(
            RunVariances.of_sds(item_sd, run_sd, 0.0 if interaction_sd is None else interaction_sd), gain, items
        )
    if any(value is not None for value in sds.values()):
        option = next(name for name, value in sds.items() if value is not None)
        what = "applies only without a pilot, whose runs determine the standard deviations"
        raise OptionError(Problem(option, what, "Leave it out, or leave out the pilot.", "usage"))
    how = reading_of(reading)
    scores = already_read(systems, metric, how)
    if scores is None:
        how = replace(how, runs=how.runs or "random")
        scores = read_with_baseline(systems, metric, how, None).paired()
    return plan(variances_of(scores), gain, items, seed=seed)
