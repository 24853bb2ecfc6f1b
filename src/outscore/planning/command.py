"""`outscore plan`: tables, power, detectable gains and items needed, and what is assumed of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Annotated, Literal

from cyclopts import App, Parameter

from outscore.cli.arguments import computing, seed_of, several, whole_numbers
from outscore.cli.output import Writes, progress_bar, writing
from outscore.cli.reading import SystemReads
from outscore.data.coercion import share, whole_number
from outscore.design.scores import Scores
from outscore.errors import OptionError, Problem
from outscore.metrics.registry import metrics_listed
from outscore.options import opt
from outscore.planning import (
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
from outscore.planning.asking import plan_runs
from outscore.planning.results import GatePlan
from outscore.readers.door import read_systems
from outscore.readers.reading import Reading, system_files
from outscore.results import Alternative, Claim
from outscore.significance import TESTS, SignificanceTest
from outscore.text.aliases import own_spec
from outscore.text.naming import printable


@Parameter(name="*")
@dataclass(frozen=True)
class Assumed:
    """What is assumed of the items.

    Parameters
    ----------
    helped
        The share of items that the candidate gets right and the baseline wrong: 0.07 or 7%.
    hurt
        The share of items that it is the other way round.
    sd
        The standard deviation of the differences between the systems' scores, item by item.
    n_sets
        Test sets that are simulated from a pilot for every power. Default: 4000.
    checks
        On how many of them the test itself is run, to check the shortcut that is taken. Default: 0.
    seed
        A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads for simulation, 1 by default. The result does not depend on it.
    executor
        The cluster that simulates, as for outscore compare.
    """

    helped: str | None = None
    hurt: str | None = None
    sd: float | None = None
    n_sets: str | None = None
    checks: str | None = None
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    jobs: int | None = None
    executor: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None


def _of_a_pilot(assumed: Assumed, reads: SystemReads) -> list[str]:
    """Return the options given that only a pilot has a use for."""
    options_set = [
        one.name
        for options in (assumed, reads)
        for one in fields(options)
        if getattr(options, one.name) != one.default and one.name not in ("helped", "hurt", "sd")
    ]
    return [f"--{name.replace('_', '-')}" for name in options_set]


def _without_accuracy(reads: SystemReads) -> SystemReads:
    """Return how systems are read without the metric accuracy: --hurt assumes it, so that naming it is no mistake."""
    accuracy = Rates.metric.name
    named = [name for one in reads.metric or () for name in metrics_listed(one)]
    return replace(reads, metric=None) if all(own_spec(name, [accuracy]) == accuracy for name in named) else reads


@contextmanager
def assumed_population(
    systems: Sequence[str], assumed: Assumed, reads: SystemReads, *, quiet: bool
) -> Iterator[Population]:
    """Yield the one population that is named: by rates, by a standard deviation, or by a pilot."""
    rates = assumed.helped is not None or assumed.hurt is not None
    named = [
        what for what, there in (("rates", rates), (opt("sd"), assumed.sd is not None), ("a pilot", systems)) if there
    ]
    if len(named) != 1:
        got = " and ".join(named) if named else "none"
        what = f"expected one of {opt('hurt')}, {opt('sd')} and a pilot of two systems, got {got}"
        raise OptionError(Problem("plan", what, "Say in one way what the items will be like.", "usage"))
    if not systems and (unused := _of_a_pilot(assumed, _without_accuracy(reads) if rates else reads)):
        what = "applies only to a pilot" + (
            f": with {opt('hurt')} scores are 0 or 1" if opt("metric") in unused and rates else ""
        )
        advice = "Leave it out, or name two systems."
        raise OptionError(Problem(", ".join(unused), what, advice, "usage"))
    if rates:
        if assumed.hurt is None:
            what = "expected the share of items hurt as well"
            raise OptionError(Problem(opt("hurt"), what, "It is 0 where none is.", "usage"))
        rate = partial(share, of="the rate of items helped or hurt")
        helped = None if assumed.helped is None else rate(assumed.helped, opt("helped"))
        population = Rates(rate(assumed.hurt, opt("hurt")), helped)
        with progress_bar(shown=not quiet, doing="computing"):  # millions of items take seconds
            yield population
    elif assumed.sd is not None:
        yield Spread(assumed.sd)
    else:
        _check_two(systems)
        _, pool = computing(assumed.jobs, assumed.executor)
        n_sets = Simulation.n_sets if assumed.n_sets is None else whole_number(assumed.n_sets, opt("n_sets"))
        n_checks = Simulation.n_checks if assumed.checks is None else whole_number(assumed.checks, opt("n_checks"))
        simulation = Simulation(n_sets, seed_of(assumed.seed), n_checks)
        pilot = pilot_of(_scores(systems, reads, reads.reading), simulation)
        with pool as executor, progress_bar(shown=not quiet, doing="simulating") as progress:
            yield replace(pilot, simulation=replace(simulation, executor=executor, progress=progress))


def _check_two(systems: Sequence[str]) -> None:
    if len(systems) != 2:
        what = f"expected two systems for a pilot, baseline and candidate, got {len(systems)}"
        raise OptionError(Problem(systems[0], what, "", "usage"))


def _scores(systems: Sequence[str], reads: SystemReads, reading: Reading) -> Scores:
    return read_systems(system_files(systems), reads.metric or None, reading, one_table=False).paired()


ALL_TESTS = "all"

plan = App(
    name="plan",
    help="Plan a test set: what it can show, and how large it has to be.",
)


@Parameter(name="*")
@dataclass(frozen=True)
class Tested:
    """How the systems will be compared.

    Parameters
    ----------
    test
        A test; may be repeated, or be all. By default the one that compare takes (randomization of items that are right
        or wrong, else skew-t) and bootstrap, and paired-t without a pilot.
    alpha
        The level over all comparisons together.
    comparisons
        How many comparisons will be made: each is tested at alpha divided by it.
    alternative
        two-sided; greater: one-sided, for a direction that is fixed beforehand. Tests of claims with a margin are
        one-sided whatever it is.
    """

    test: Annotated[list[str] | None, Parameter(alias="-t", negative="")] = None
    alpha: float = 0.05
    comparisons: int = 1
    alternative: Literal["two-sided", "greater"] = "two-sided"


@Parameter(name="*")
@dataclass(frozen=True)
class Claimed:
    """What the comparison is to show.

    Parameters
    ----------
    claim
        better; not-worse or equivalent, which need a margin: they have the score test where the range of the scores is
        known, else skew-t. --gain is then the true gain, 0 by default: two systems that are as good.
    margin
        The largest loss that would not matter, in the unit of the gain.
    """

    claim: Claim = Claim.BETTER
    margin: str | None = None

    @property
    def with_margin(self) -> bool:
        """Whether the gain is not what is to be found."""
        return self.claim is not Claim.BETTER


@plan.command
def table(
    *,
    items: Annotated[list[str], Parameter(negative="")],
    gain: Annotated[list[str], Parameter(negative="", allow_leading_hyphen=True)],
    hurt_percent: Annotated[list[str] | None, Parameter(negative="", allow_leading_hyphen=True)] = None,
    test: Annotated[str, Parameter(alias="-t")] = "bootstrap-uncentred",
    alternative: Literal["greater", "two-sided"] = "greater",
    alpha: float = 0.05,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Tabulate the p-value to expect of a gain, by how many items are hurt (Jansen's example 3).

    Every p-value is exact: that of a test set with just so many items helped and hurt.

    Parameters
    ----------
    items
        Sizes of test sets; several as 100,500 or by repetition.
    gain
        Gains, as shares of the items: 2% or 0.02; several as 1%,2%.
    hurt_percent
        Shares of items hurt, in per cent, as 5 or 5%. Default: 0 to 19.
    test
        bootstrap-uncentred (Jansen's), bootstrap, randomization, paired-t, sign, wilcoxon or mcnemar.
    alternative
        greater: one-sided; two-sided.
    alpha
        The level at which p-values are marked.
    """
    with writing(writes) as write:
        shares = {} if hurt_percent is None else {"hurt_percents": several(hurt_percent)}
        write(
            plan_table(
                whole_numbers(items, opt("items")),
                several(gain),
                test=test,
                alternative=Alternative(alternative),
                alpha=alpha,
                **shares,
            )
        )


@plan.command
def power(
    *systems: Annotated[str, Parameter(name="SYSTEM")],
    items: Annotated[list[str], Parameter(negative="")],
    gain: Annotated[list[str] | None, Parameter(negative="", allow_leading_hyphen=True)] = None,
    claimed: Claimed = Claimed(),
    observed: Annotated[bool, Parameter(negative="")] = False,
    assumed: Assumed = Assumed(),
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    tested: Tested = Tested(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Tell the power of tests: on how many test sets they find a true gain, with type S and type M errors.

    What the items will be like is told by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems'
    files, baseline first, read as compare reads them.

    Parameters
    ----------
    systems
        Of a pilot: baseline and candidate.
    items
        Sizes of test sets; several as 100,500 or by repetition.
    gain
        The smallest true gain that would matter, in the unit of the score: 0.02 or 2% for +2 points of a share; of a
        metric like BLEU, 2 is two points. Several as 1%,2%.
    observed
        Not available: the power at the gain that the same data show says nothing new. The message explains.
    """
    if observed:
        raise _no_observed_power()
    with (
        writing(writes) as write,
        assumed_population(systems, assumed, reads, quiet=writes.quiet) as population,
    ):
        gains = _gains(gain, population, claimed)
        write(
            plan_power(
                population,
                whole_numbers(items, opt("items")),
                gains,
                tests=_tests(tested, population),
                level=_level(tested),
                claim=claimed.claim,
                margin=claimed.margin,
            )
        )


@plan.command(name="gain")
def detectable(
    *systems: Annotated[str, Parameter(name="SYSTEM")],
    items: Annotated[list[str], Parameter(negative="")],
    power: str = "0.8",
    assumed: Assumed = Assumed(),
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    tested: Tested = Tested(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find the smallest true gain that a test set of a given size detects.

    What the items will be like is told by --hurt, by --sd, or by a pilot: two systems' files, baseline first.

    Parameters
    ----------
    systems
        Of a pilot: baseline and candidate.
    items
        Sizes of test sets; several as 100,500 or by repetition.
    power
        How often it has to be detected: 0.8 or 80%.
    """
    if assumed.helped is not None:
        what = "the gain is what is asked for, and the items helped follow from it"
        raise OptionError(Problem(opt("helped"), what, f"Name {opt('hurt')} alone.", "usage"))
    with (
        writing(writes) as write,
        assumed_population(systems, assumed, reads, quiet=writes.quiet) as population,
    ):
        write(
            plan_gain(
                population,
                whole_numbers(items, opt("items")),
                target=power,
                tests=_tests(tested, population),
                level=_level(tested),
            )
        )


@plan.command(name="items")
def needed(
    *systems: Annotated[str, Parameter(name="SYSTEM")],
    gain: Annotated[list[str] | None, Parameter(negative="", allow_leading_hyphen=True)] = None,
    claimed: Claimed = Claimed(),
    power: str = "0.8",
    assumed: Assumed = Assumed(),
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    tested: Tested = Tested(),
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find how many items a test set needs to detect a given true gain.

    What the items will be like is told by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems'
    files, baseline first.

    Parameters
    ----------
    systems
        Of a pilot: baseline and candidate.
    gain
        The smallest true gain that would matter, in the unit of the score: 0.02 or 2% for +2 points of a share; of a
        metric like BLEU, 2 is two points. Several as 1%,2%.
    power
        How often it has to be detected: 0.8 or 80%.
    """
    with (
        writing(writes) as write,
        assumed_population(systems, assumed, reads, quiet=writes.quiet) as population,
    ):
        write(
            plan_items(
                population,
                _gains(gain, population, claimed),
                target=power,
                tests=_tests(tested, population),
                level=_level(tested),
                claim=claimed.claim,
                margin=claimed.margin,
            )
        )


@Parameter(name="*")
@dataclass(frozen=True)
class Deviations:
    """What is known of two systems in the place of a pilot.

    Parameters
    ----------
    item_sd
        Without a pilot: the standard deviation of the differences between the systems' expected scores, item by item.
    run_sd
        Without a pilot: the standard deviation of a run's score from run to run.
    interaction_sd
        Without a pilot: the standard deviation of an item's score from run to run beside that. Default: 0.
    """

    item_sd: str | None = None
    run_sd: str | None = None
    interaction_sd: str | None = None


@Parameter(name="*")
@dataclass(frozen=True)
class Costs:
    """What items and runs cost.

    Parameters
    ----------
    cost_item
        What one more item costs; with --cost-run the cheapest numbers of items and runs are told.
    cost_run
        What one more run of each system costs, in the same unit.
    """

    cost_item: str | None = None
    cost_run: str | None = None


@Parameter(name="*")
@dataclass(frozen=True)
class OneTest:
    """How the systems will be compared, by the crossed t test.

    Parameters
    ----------
    alpha
        The level over all comparisons together.
    comparisons
        How many comparisons will be made: each is tested at alpha divided by it.
    alternative
        two-sided; greater: one-sided, for a direction that is fixed beforehand.
    """

    alpha: float = 0.05
    comparisons: int = 1
    alternative: Literal["two-sided", "greater"] = "two-sided"


@plan.command(name="runs")
def runs_needed(
    *systems: Annotated[str, Parameter(name="SYSTEM")],
    gain: Annotated[str, Parameter(allow_leading_hyphen=True)],
    items: Annotated[list[str] | None, Parameter(negative="")] = None,
    power: str = "0.8",
    deviations: Deviations = Deviations(),
    costs: Costs = Costs(),
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    tested: OneTest = OneTest(),
    seed: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find how many runs (seeds, checkpoints) of each system a gain over new items and new runs needs.

    How items and runs vary is told by a pilot with two runs of each system at least, read as compare reads them (with
    --run and a column, or as NAME=FILE,FILE), or by --item-sd, --run-sd and --interaction-sd.

    Parameters
    ----------
    systems
        Of a pilot: baseline and candidate.
    gain
        The smallest true gain that would matter, in the unit of the score: 0.02 or 2% for +2 points of a share; of a
        metric like BLEU, 2 is two points.
    items
        Sizes of test sets; several as 100,500 or by repetition. Default: the pilot's, twice and four times as many.
    power
        How often it has to be detected: 0.8 or 80%.
    seed
        Of draws of items, with metrics that are no means: a whole number, or none to draw one. Default: $OUTSCORE_SEED,
        or 12345.
    """
    with writing(writes) as write:
        sizes = None if items is None else whole_numbers(items, opt("items"))
        ask = partial(plan_runs, gain=gain, items=sizes, target=power, level=_level(tested), **vars(costs))
        if not systems:
            if unused := _of_a_pilot(Assumed(seed=seed), reads):
                what = "only a pilot has a use for it, and none is named"
                raise OptionError(Problem(", ".join(unused), what, "Leave it out, or name two systems.", "usage"))
            write(ask(**vars(deviations)))
            return
        _check_two(systems)
        scores = _scores(systems, reads, replace(reads.reading, runs=reads.runs or "random"))
        write(ask(scores, seed=seed_of(seed), **vars(deviations)))


@Parameter(name="*")
@dataclass(frozen=True)
class Looks:
    """What a gate may spend.

    Parameters
    ----------
    look
        Which look at the stored baseline is planned for; looks 1, 5, 20 and 50 are told beside it.
    looks
        How many looks are planned, each at alpha / looks. Default: look k has alpha / k(k+1).
    error
        What alpha bounds: the errors of all looks at a stored baseline together, or of those at each commit, as also
        where there is no stored baseline.
    alpha
        The level over all looks together.
    """

    look: int = 1
    looks: int | None = None
    error: Literal["per-baseline", "per-commit"] = "per-baseline"
    alpha: float = 0.05


@plan.command(name="gate")
def gate_needed(
    *systems: Annotated[str, Parameter(name="SYSTEM")],
    margin: str,
    power: Annotated[list[str] | None, Parameter(negative="")] = None,
    spent: Looks = Looks(),
    assumed: Assumed = Assumed(),
    reads: SystemReads = SystemReads(),  # noqa: B008 - frozen
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find how many items a gate needs, so that a candidate as good as the baseline passes.

    What the items will be like is told by --hurt (as many are helped), by --sd, or by a pilot: two systems' files,
    baseline first. With --runs random the pilot's runs tell how many runs are needed as well.

    Parameters
    ----------
    systems
        Of a pilot: baseline and candidate.
    margin
        The largest loss that is tolerated, in the unit of the score: 0.02 or 2% of a share; of a metric like BLEU, 2 is
        two points.
    power
        How often an equal candidate is to pass: 0.8 or 80%. Several as 80%,90% (the default) or by repetition.
    """
    targets = None if power is None else several(power)

    def ask(population: Population | RunVariances, seed: int | None = None) -> GatePlan:
        return plan_gate(population, margin, target=targets, seed=seed, **vars(spent))

    with writing(writes) as write:
        if systems and reads.runs == "random":
            if assumed != Assumed(seed=assumed.seed):
                what = "a pilot with random runs tells how items and runs vary, and nothing is simulated"
                raise OptionError(
                    Problem(opt("runs", "random"), what, "Leave the other options of items out.", "usage")
                )
            _check_two(systems)
            seed = seed_of(assumed.seed)
            write(ask(variances_of(_scores(systems, reads, reads.reading)), seed))
            return
        with assumed_population(systems, _equal(assumed), reads, quiet=writes.quiet) as population:
            write(ask(population))


def _equal(assumed: Assumed) -> Assumed:
    """Return what is assumed of items of two systems that are as good: as many are helped as are hurt."""
    if assumed.helped is None:
        return assumed
    if assumed.hurt not in (None, assumed.helped):
        what = f"a candidate as good as the baseline helps as many items as it hurts, got {printable(assumed.helped)}"
        raise OptionError(Problem(opt("helped"), what, f"Name {opt('hurt')} alone.", "usage"))
    return replace(assumed, helped=None, hurt=assumed.helped)


def _no_observed_power() -> OptionError:
    return OptionError(
        Problem(
            opt("observed"),
            "the power of a test at the gain that its own data show is its p-value in other words: about one half "
            "where p is near alpha and less where it is larger, whatever the systems are (Hoenig & Heisey 2001)",
            f"Name the smallest gain that would matter with {opt('gain')}; what the data say of the gain is its "
            "interval in outscore compare.",
            "observed-power",
        )
    )


def _gains(wanted: Sequence[str] | None, population: Population, claimed: Claimed) -> Sequence[float | str]:
    own = population.implied_gain
    if wanted is not None:
        if own is not None:
            what = f"{opt('helped')} and {opt('hurt')} tell the gain already"
            advice = f"Name {opt('hurt')} and {opt('gain')}, or {opt('helped')} and {opt('hurt')}."
            raise OptionError(Problem(opt("gain"), what, advice, "usage"))
        return several(wanted)
    if own is not None:
        return [own]
    if claimed.with_margin:
        return [0.0]
    if population.observed is not None:
        what = (
            "expected the gain worth detecting, got none; the pilot's own gain is no substitute: planning on it would "
            "be to plan on what may be luck, and the power at it is its p-value in other words"
        )
        advice = "Name the smallest gain that would matter."
        raise OptionError(Problem(opt("gain"), what, advice, "missing-gain"))
    raise OptionError(Problem(opt("gain"), "expected the gain worth detecting, got none", "", "missing-gain"))


def _level(tested: Tested | OneTest) -> Level:
    return Level(tested.alpha, tested.comparisons, Alternative(tested.alternative))


def _tests(tested: Tested, population: Population) -> Sequence[SignificanceTest | str]:
    names = [name for text in tested.test or () for name in text.split(",")]
    if ALL_TESTS in names:
        return [test for kind in TESTS.values() if population.obstacle(test := kind()) is None]
    return names
