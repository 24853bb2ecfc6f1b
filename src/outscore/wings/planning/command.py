"""`outscore plan`: tables, power, detectable gains and required items, with their assumptions on the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import Annotated, Any

from cyclopts import App, Parameter

from outscore.cli import arguments
from outscore.cli.arguments import computing
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.data.coercion import share
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.metrics.registry import metrics_listed
from outscore.options import opt
from outscore.readers.door import Request
from outscore.readers.reading import Reading
from outscore.readers.sources import sources_named
from outscore.results import Alternative, Claim
from outscore.significance import TESTS, SignificanceTest
from outscore.text.aliases import own_spec
from outscore.text.naming import printable
from outscore.wings import has_wing
from outscore.wings.planning import (
    Level,
    Population,
    Rates,
    RunVariances,
    Simulation,
    Spread,
    pilot_of,
    plan_gain,
    plan_gate,
    plan_items,
    plan_power,
    plan_table,
    variances_of,
)
from outscore.wings.planning.asking import plan_runs
from outscore.wings.planning.results import GatePlan

_OF_ITEMS = ("helped", "hurt", "sd")
_OF_SIMULATION = ("n_sets", "checks", "seed", "jobs", "executor")


def _of_a_pilot(given: Mapping[str, Any], reads: SystemReads) -> list[str]:
    """Return the given options that apply only to a pilot."""
    options_set = [name for name in _OF_SIMULATION if given.get(name) is not None]
    options_set += [field.name for field in fields(reads) if getattr(reads, field.name) != field.default]
    return [f"--{name.replace('_', '-')}" for name in options_set]


def _without_accuracy(reads: SystemReads) -> SystemReads:
    """Return the reading options without the metric accuracy, which --hurt implies."""
    accuracy = Rates.metric.name
    named = [name for text in reads.metric or () for name in metrics_listed(text)]
    return replace(reads, metric=None) if all(own_spec(name, [accuracy]) == accuracy for name in named) else reads


@contextmanager
def assumed_population(
    systems: Sequence[str], given: Mapping[str, Any], values: Mapping[str, Any], reads: SystemReads, *, quiet: bool
) -> Iterator[Population]:
    """Yield the population, from rates, a standard deviation or a pilot; exactly one must be given."""
    helped, hurt, sd = (values[name] for name in _OF_ITEMS)
    rates = helped is not None or hurt is not None
    named = [what for what, there in (("rates", rates), (opt("sd"), sd is not None), ("a pilot", systems)) if there]
    if len(named) != 1:
        got = " and ".join(named) if named else "none"
        what = f"expected one of {opt('hurt')}, {opt('sd')} and a pilot of two systems, got {got}"
        raise OptionError(Problem("plan", what, "Describe the items in one way only.", "usage"))
    if not systems and (unused := _of_a_pilot(given, _without_accuracy(reads) if rates else reads)):
        what = "applies only to a pilot" + (
            f": with {opt('hurt')} scores are 0 or 1" if opt("metric") in unused and rates else ""
        )
        advice = "Leave it out, or pass two systems."
        raise OptionError(Problem(", ".join(unused), what, advice, "usage"))
    if rates:
        if hurt is None:
            what = "expected the proportion of losses as well"
            raise OptionError(Problem(opt("hurt"), what, "Pass 0 if there are none.", "usage"))
        rate = partial(share, of="the proportion of wins or losses")
        population = Rates(rate(hurt, opt("hurt")), None if helped is None else rate(helped, opt("helped")))
        with progress_bar(shown=not quiet, doing="computing"):  # millions of items take seconds
            yield population
    elif sd is not None:
        yield Spread(sd)
    else:
        _check_two(systems)
        _, pool = computing(values["jobs"], values["executor"])
        n_sets = Simulation.n_sets if values["n_sets"] is None else values["n_sets"]
        n_checks = Simulation.n_checks if values["n_checks"] is None else values["n_checks"]
        simulation = Simulation(n_sets, values["seed"], n_checks)
        pilot = pilot_of(_scores(systems, reads, reads.reading), simulation)
        with pool as executor, progress_bar(shown=not quiet, doing="simulating") as progress:
            yield replace(pilot, simulation=replace(simulation, executor=executor, progress=progress))


def _check_two(systems: Sequence[str]) -> None:
    if len(systems) != 2:
        what = f"expected two systems for a pilot, baseline and candidate, got {len(systems)}"
        raise OptionError(Problem(systems[0], what, "", "usage"))


def _scores(systems: Sequence[str], reads: SystemReads, reading: Reading) -> Scores:
    return Request(sources_named(systems), reads.metric or None, reading).systems().paired()


ALL_TESTS = "all"

plan = App(
    name="plan",
    help="Plan a test set: its power, the gains it detects, and how many items it needs.",
)
if has_wing("human"):
    human = "Find how many documents and ratings a human evaluation needs."
    plan.command("outscore.wings.human.command:human", name="human", help=human)


_System = Annotated[str, Parameter(name="SYSTEM", help="Baseline and candidate of a pilot.")]


@plan.command
@arguments.from_table("plan-table")
def table(*, writes: Writes = Writes(), **options: Any) -> None:  # noqa: B008 - frozen
    """Find the largest number of losses at which a gain is significant, and tabulate its p-value by losses.

    Every p-value is that of a test set with exactly these numbers of wins and losses. With --test
    bootstrap-uncentred --alternative greater it is Jansen's table (example 3).
    """
    with writing(writes) as write:
        values = arguments.values_of("plan-table", options)
        write(plan_table(values["items"], values["gain"], **arguments.taken_by("plan_table", values)))


@plan.command
@arguments.from_table("plan-power")
def power(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Compute the power of tests, with type S and type M errors.

    Describe the items by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems, baseline first, as
    for outscore compare.
    """
    values = arguments.values_of("plan-power", options)
    if values["observed"]:
        raise _no_observed_power()
    with (
        writing(writes) as write,
        assumed_population(systems, options, values, reads, quiet=writes.quiet) as population,
    ):
        gains, values = _gains(values, population), values | _tested(values, population)
        write(plan_power(population, values["items"], gains, **arguments.taken_by("plan_power", values)))


@plan.command(name="gain")
@arguments.from_table("plan-gain")
def detectable(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Find the smallest true gain that a test set of a given size detects.

    Describe the items by --hurt, by --sd, or by a pilot: two systems, baseline first.
    """
    values = arguments.values_of("plan-gain", options)
    if values["helped"] is not None:
        what = "the gain is computed here, and the proportion of wins follows from it"
        raise OptionError(Problem(opt("helped"), what, f"Pass only {opt('hurt')}.", "usage"))
    with (
        writing(writes) as write,
        assumed_population(systems, options, values, reads, quiet=writes.quiet) as population,
    ):
        values |= _tested(values, population)
        write(plan_gain(population, values["items"], **arguments.taken_by("plan_gain", values)))


@plan.command(name="items")
@arguments.from_table("plan-items")
def needed(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Find how many items a test set needs to detect a given true gain.

    Describe the items by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems, baseline first.
    """
    values = arguments.values_of("plan-items", options)
    with (
        writing(writes) as write,
        assumed_population(systems, options, values, reads, quiet=writes.quiet) as population,
    ):
        gains, values = _gains(values, population), values | _tested(values, population)
        write(plan_items(population, gains, **arguments.taken_by("plan_items", values)))


@plan.command(name="runs")
@arguments.from_table("plan-runs")
def runs_needed(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Find how many runs (seeds, checkpoints) of each system are needed to detect a gain over new items and new runs.

    Describe the variance by a pilot with at least two runs of each system, as for outscore compare (--run with a
    column, or NAME=FILE,FILE), or by --item-sd, --run-sd and --interaction-sd.
    """
    with writing(writes) as write:
        values = arguments.values_of("plan-runs", options)
        gain, values["level"] = values["gain"], _level(values)
        if not systems:
            if unused := _of_a_pilot(options, reads):
                what = "applies only to a pilot"
                raise OptionError(Problem(", ".join(unused), what, "Leave it out, or pass two systems.", "usage"))
            write(plan_runs(gain=gain, **arguments.taken_by("plan_runs", values)))
            return
        _check_two(systems)
        scores = _scores(systems, reads, replace(reads.reading, runs=reads.runs or "random"))
        write(plan_runs(scores, gain=gain, **arguments.taken_by("plan_runs", values)))


@plan.command(name="gate")
@arguments.from_table("plan-gate")
def gate_needed(
    *systems: _System,
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
    **options: Any,
) -> None:
    """Find how many items a gate needs to pass a candidate that is as good as the baseline.

    Describe the items by --hurt (with as many wins), by --sd, or by a pilot: two systems, baseline first. With
    --runs random, the number of runs is planned as well.
    """
    values = arguments.values_of("plan-gate", options)

    def ask(population: Population | RunVariances, seed: int | None = None) -> GatePlan:
        return plan_gate(population, values["margin"], **arguments.taken_by("plan_gate", values | {"seed": seed}))

    with writing(writes) as write:
        if systems and reads.runs == "random":
            if any(options.get(name) is not None for name in (*_OF_ITEMS, *_OF_SIMULATION) if name != "seed"):
                what = "does not apply to a pilot with random runs, which needs no simulation"
                raise OptionError(
                    Problem(opt("runs", "random"), what, "Leave out the other options that describe items.", "usage")
                )
            _check_two(systems)
            write(ask(variances_of(_scores(systems, reads, reads.reading)), values["seed"]))
            return
        with assumed_population(systems, options, _equal(values), reads, quiet=writes.quiet) as population:
            write(ask(population))


def _equal(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the rates of two equally good systems: as many wins as losses."""
    helped, hurt = values["helped"], values["hurt"]
    if helped is None:
        return values
    if hurt not in (None, helped):
        what = f"a candidate as good as the baseline has as many wins as losses, got {printable(helped)} wins"
        raise OptionError(Problem(opt("helped"), what, f"Pass only {opt('hurt')}.", "usage"))
    return {**values, "helped": None, "hurt": helped}


def _no_observed_power() -> OptionError:
    return OptionError(
        Problem(
            opt("observed"),
            'power at the gain of the same data ("observed power") restates the p-value: it is about one half if '
            "p is near alpha, and less if p is larger, for any systems (Hoenig & Heisey 2001)",
            f"Pass the smallest gain of interest with {opt('gain')}. For the gain in these data, see its interval "
            "in outscore compare.",
            "observed-power",
        )
    )


def _gains(values: Mapping[str, Any], population: Population) -> Sequence[float | str]:
    wanted: Sequence[str] | None = values["gain"]
    implied_gain = population.implied_gain
    if wanted is not None:
        if implied_gain is not None:
            what = f"conflicts with {opt('helped')} and {opt('hurt')}, which determine the gain"
            advice = f"Pass {opt('hurt')} and {opt('gain')}, or {opt('helped')} and {opt('hurt')}."
            raise OptionError(Problem(opt("gain"), what, advice, "usage"))
        return wanted
    if implied_gain is not None:
        return [implied_gain]
    if values["claim"] is not Claim.BETTER:
        return [0.0]
    if population.observed is not None:
        what = (
            "the smallest gain of interest is missing; the pilot's gain is no substitute, as it may be due to "
            "chance, and the power at it only restates its p-value"
        )
        advice = "Pass the smallest gain of interest."
        raise OptionError(Problem(opt("gain"), what, advice, "missing-gain"))
    raise OptionError(Problem(opt("gain"), "the smallest gain of interest is missing", "", "missing-gain"))


def _level(values: Mapping[str, Any]) -> Level:
    return Level(values["alpha"], values["comparisons"], Alternative(values["alternative"]))


def _tested(values: Mapping[str, Any], population: Population) -> dict[str, Any]:
    """Return the tests and their level."""
    tests: Sequence[SignificanceTest | str] = values["tests"] or ()
    if ALL_TESTS in tests:
        tests = [test for kind in TESTS.values() if population.obstacle(test := kind()) is None]
    return {"tests": tests, "level": _level(values)}
