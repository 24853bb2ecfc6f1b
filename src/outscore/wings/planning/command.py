"""`outscore plan`: tables, power, detectable gains and required items, with their assumptions on the items."""

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


@Parameter(name="*")
@dataclass(frozen=True)
class Assumed:
    """Assumptions on the items.

    Parameters
    ----------
    helped
        Proportion of wins: items that the candidate gets right and the baseline wrong, as 0.07 or 7%.
    hurt
        Proportion of losses: items that the baseline gets right and the candidate wrong.
    sd
        Standard deviation of the score differences per item.
    n_sets
        Number of test sets simulated from a pilot per power. Default: 4000.
    checks
        Number of simulated test sets on which the test itself is run, to check the approximation. Default: 0.
    seed
        Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.
    jobs
        Threads for simulation; they do not change the result. Default: 1.
    executor
        The cluster for simulation, as for outscore compare.
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
    """Return the given options that apply only to a pilot."""
    options_set = [
        one.name
        for options in (assumed, reads)
        for one in fields(options)
        if getattr(options, one.name) != one.default and one.name not in ("helped", "hurt", "sd")
    ]
    return [f"--{name.replace('_', '-')}" for name in options_set]


def _without_accuracy(reads: SystemReads) -> SystemReads:
    """Return the reading options without the metric accuracy, which --hurt implies."""
    accuracy = Rates.metric.name
    named = [name for one in reads.metric or () for name in metrics_listed(one)]
    return replace(reads, metric=None) if all(own_spec(name, [accuracy]) == accuracy for name in named) else reads


@contextmanager
def assumed_population(
    systems: Sequence[str], assumed: Assumed, reads: SystemReads, *, quiet: bool
) -> Iterator[Population]:
    """Yield the population, from rates, a standard deviation or a pilot; exactly one must be given."""
    rates = assumed.helped is not None or assumed.hurt is not None
    named = [
        what for what, there in (("rates", rates), (opt("sd"), assumed.sd is not None), ("a pilot", systems)) if there
    ]
    if len(named) != 1:
        got = " and ".join(named) if named else "none"
        what = f"expected one of {opt('hurt')}, {opt('sd')} and a pilot of two systems, got {got}"
        raise OptionError(Problem("plan", what, "Describe the items in one way only.", "usage"))
    if not systems and (unused := _of_a_pilot(assumed, _without_accuracy(reads) if rates else reads)):
        what = "applies only to a pilot" + (
            f": with {opt('hurt')} scores are 0 or 1" if opt("metric") in unused and rates else ""
        )
        advice = "Leave it out, or pass two systems."
        raise OptionError(Problem(", ".join(unused), what, advice, "usage"))
    if rates:
        if assumed.hurt is None:
            what = "expected the proportion of losses as well"
            raise OptionError(Problem(opt("hurt"), what, "Pass 0 if there are none.", "usage"))
        rate = partial(share, of="the proportion of wins or losses")
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
    return Request(sources_named(systems), reads.metric or None, reading).systems().paired()


ALL_TESTS = "all"

plan = App(
    name="plan",
    help="Plan a test set: its power, the gains it detects, and how many items it needs.",
)
if has_wing("human"):
    human = "Find how many documents and ratings a human evaluation needs."
    plan.command("outscore.wings.human.command:human", name="human", help=human)


@Parameter(name="*")
@dataclass(frozen=True)
class Tested:
    """How the systems will be compared.

    Parameters
    ----------
    test
        A test; may be repeated, or be all. Default: bootstrap and the default of compare (randomization for binary
        scores, else skew-t), and paired-t without a pilot.
    alpha
        Significance level over all comparisons.
    comparisons
        Number of planned comparisons; each is tested at alpha divided by it.
    alternative
        two-sided, or greater (one-sided, for a direction fixed in advance). Claims with a margin are always tested
        one-sided.
    """

    test: Annotated[list[str] | None, Parameter(alias="-t", negative="")] = None
    alpha: float = 0.05
    comparisons: int = 1
    alternative: Literal["two-sided", "greater"] = "two-sided"


@Parameter(name="*")
@dataclass(frozen=True)
class Claimed:
    """What the comparison should show.

    Parameters
    ----------
    claim
        better, not-worse or equivalent. The last two need a margin; they use the score test if the range of the
        scores is known, else skew-t. --gain is then the true gain, by default 0 (equally good systems).
    margin
        The largest tolerated loss, in the unit of the gain.
    """

    claim: Claim = Claim.BETTER
    margin: str | None = None

    @property
    def with_margin(self) -> bool:
        """True if the plan has a true gain to be found."""
        return self.claim is not Claim.BETTER


@plan.command
def table(
    *,
    items: Annotated[list[str], Parameter(negative="")],
    gain: Annotated[list[str], Parameter(negative="", allow_leading_hyphen=True)],
    hurt_percent: Annotated[list[str] | None, Parameter(negative="", allow_leading_hyphen=True)] = None,
    test: Annotated[str | None, Parameter(alias="-t")] = None,
    alternative: Literal["greater", "two-sided"] = "two-sided",
    alpha: float = 0.05,
    writes: Writes = Writes(),  # noqa: B008 - frozen
) -> None:
    """Find the largest number of losses at which a gain is significant, and tabulate its p-value by losses.

    Every p-value is that of a test set with exactly these numbers of wins and losses. With --test
    bootstrap-uncentred --alternative greater it is Jansen's table (example 3).

    Parameters
    ----------
    items
        Sizes of test sets; several as 100,500 or by repetition.
    gain
        Gains, as proportions of the items: 2% or 0.02; several as 1%,2%.
    hurt_percent
        Percentages of losses, as 5 or 5%. Default: 0 to 19.
    test
        randomization, mcnemar, bootstrap, bootstrap-uncentred (Jansen's), paired-t, sign or wilcoxon. Default: the
        default of compare, randomization, which is McNemar's exact test here.
    alternative
        two-sided, or greater (one-sided).
    alpha
        The level at which a gain is significant.
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
    """Compute the power of tests, with type S and type M errors.

    Describe the items by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems, baseline first, as
    for outscore compare.

    Parameters
    ----------
    systems
        Baseline and candidate of a pilot.
    items
        Sizes of test sets; several as 100,500 or by repetition.
    gain
        The smallest true gain of interest, in the unit of the score: 0.02 or 2% for +2 points of a proportion, 2
        for two points of BLEU. Several as 1%,2%.
    observed
        Not available: power at the observed gain adds nothing to the p-value. The error message explains why.
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

    Describe the items by --hurt, by --sd, or by a pilot: two systems, baseline first.

    Parameters
    ----------
    systems
        Baseline and candidate of a pilot.
    items
        Sizes of test sets; several as 100,500 or by repetition.
    power
        The power: 0.8 or 80%.
    """
    if assumed.helped is not None:
        what = "the gain is computed here, and the proportion of wins follows from it"
        raise OptionError(Problem(opt("helped"), what, f"Pass only {opt('hurt')}.", "usage"))
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

    Describe the items by --hurt (and --helped or --gain), by --sd, or by a pilot: two systems, baseline first.

    Parameters
    ----------
    systems
        Baseline and candidate of a pilot.
    gain
        The smallest true gain of interest, in the unit of the score: 0.02 or 2% for +2 points of a proportion, 2
        for two points of BLEU. Several as 1%,2%.
    power
        The power: 0.8 or 80%.
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
    """Standard deviations in place of a pilot.

    Parameters
    ----------
    item_sd
        Without a pilot: standard deviation of the differences between the systems' expected scores per item.
    run_sd
        Without a pilot: standard deviation of the score between runs.
    interaction_sd
        Without a pilot: standard deviation of the interaction of items and runs. Default: 0.
    """

    item_sd: str | None = None
    run_sd: str | None = None
    interaction_sd: str | None = None


@Parameter(name="*")
@dataclass(frozen=True)
class Costs:
    """Costs of items and runs.

    Parameters
    ----------
    cost_item
        Cost of one more item. With --cost-run, the cheapest numbers of items and runs are reported.
    cost_run
        Cost of one more run of each system, in the same unit.
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
        Significance level over all comparisons.
    comparisons
        Number of planned comparisons; each is tested at alpha divided by it.
    alternative
        two-sided, or greater (one-sided, for a direction fixed in advance).
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
    """Find how many runs (seeds, checkpoints) of each system are needed to detect a gain over new items and new runs.

    Describe the variance by a pilot with at least two runs of each system, as for outscore compare (--run with a
    column, or NAME=FILE,FILE), or by --item-sd, --run-sd and --interaction-sd.

    Parameters
    ----------
    systems
        Baseline and candidate of a pilot.
    gain
        The smallest true gain of interest, in the unit of the score: 0.02 or 2% for +2 points of a proportion, 2
        for two points of BLEU.
    items
        Sizes of test sets; several as 100,500 or by repetition. Default: 1, 2 and 4 times the pilot's.
    power
        The power: 0.8 or 80%.
    seed
        Random seed for drawing items, or none for a random seed; used by metrics that are not means. Default:
        $OUTSCORE_SEED, or 12345.
    """
    with writing(writes) as write:
        sizes = None if items is None else whole_numbers(items, opt("items"))
        ask = partial(plan_runs, gain=gain, items=sizes, target=power, level=_level(tested), **vars(costs))
        if not systems:
            if unused := _of_a_pilot(Assumed(seed=seed), reads):
                what = "applies only to a pilot"
                raise OptionError(Problem(", ".join(unused), what, "Leave it out, or pass two systems.", "usage"))
            write(ask(**vars(deviations)))
            return
        _check_two(systems)
        scores = _scores(systems, reads, replace(reads.reading, runs=reads.runs or "random"))
        write(ask(scores, seed=seed_of(seed), **vars(deviations)))


@Parameter(name="*")
@dataclass(frozen=True)
class Looks:
    """The levels of a gate.

    Parameters
    ----------
    look
        The number of the check against the stored baseline to plan for. Checks 1, 5, 20 and 50 are reported as well.
    looks
        The number of planned checks, each at alpha / looks. Default: no limit, check k at alpha / k(k+1).
    error
        What alpha bounds: the error rate over all checks against a stored baseline, or over all checks of one
        commit. Use the latter if there is no stored baseline.
    alpha
        The level over all checks.
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
    """Find how many items a gate needs to pass a candidate that is as good as the baseline.

    Describe the items by --hurt (with as many wins), by --sd, or by a pilot: two systems, baseline first. With
    --runs random, the number of runs is planned as well.

    Parameters
    ----------
    systems
        Baseline and candidate of a pilot.
    margin
        The largest tolerated loss, in the unit of the score: 0.02 or 2% for a proportion, 2 for two points of BLEU.
    power
        How often an equally good candidate should pass: 0.8 or 80%. Several as 80%,90% (the default) or by repetition.
    """
    targets = None if power is None else several(power)

    def ask(population: Population | RunVariances, seed: int | None = None) -> GatePlan:
        return plan_gate(population, margin, target=targets, seed=seed, **vars(spent))

    with writing(writes) as write:
        if systems and reads.runs == "random":
            if assumed != Assumed(seed=assumed.seed):
                what = "does not apply to a pilot with random runs, which needs no simulation"
                raise OptionError(
                    Problem(opt("runs", "random"), what, "Leave out the other options that describe items.", "usage")
                )
            _check_two(systems)
            seed = seed_of(assumed.seed)
            write(ask(variances_of(_scores(systems, reads, reads.reading)), seed))
            return
        with assumed_population(systems, _equal(assumed), reads, quiet=writes.quiet) as population:
            write(ask(population))


def _equal(assumed: Assumed) -> Assumed:
    """Return the rates of two equally good systems: as many wins as losses."""
    if assumed.helped is None:
        return assumed
    if assumed.hurt not in (None, assumed.helped):
        what = f"a candidate as good as the baseline has as many wins as losses, got {printable(assumed.helped)} wins"
        raise OptionError(Problem(opt("helped"), what, f"Pass only {opt('hurt')}.", "usage"))
    return replace(assumed, helped=None, hurt=assumed.helped)


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


def _gains(wanted: Sequence[str] | None, population: Population, claimed: Claimed) -> Sequence[float | str]:
    own = population.implied_gain
    if wanted is not None:
        if own is not None:
            what = f"conflicts with {opt('helped')} and {opt('hurt')}, which determine the gain"
            advice = f"Pass {opt('hurt')} and {opt('gain')}, or {opt('helped')} and {opt('hurt')}."
            raise OptionError(Problem(opt("gain"), what, advice, "usage"))
        return several(wanted)
    if own is not None:
        return [own]
    if claimed.with_margin:
        return [0.0]
    if population.observed is not None:
        what = (
            "the smallest gain of interest is missing; the pilot's gain is no substitute, as it may be due to "
            "chance, and the power at it only restates its p-value"
        )
        advice = "Pass the smallest gain of interest."
        raise OptionError(Problem(opt("gain"), what, advice, "missing-gain"))
    raise OptionError(Problem(opt("gain"), "the smallest gain of interest is missing", "", "missing-gain"))


def _level(tested: Tested | OneTest) -> Level:
    return Level(tested.alpha, tested.comparisons, Alternative(tested.alternative))


def _tests(tested: Tested, population: Population) -> Sequence[SignificanceTest | str]:
    names = [name for text in tested.test or () for name in text.split(",")]
    if ALL_TESTS in names:
        return [test for kind in TESTS.values() if population.obstacle(test := kind()) is None]
    return names
