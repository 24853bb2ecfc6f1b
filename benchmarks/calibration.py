"""Measure how often tests reject true nulls and how often intervals cover, in docs/calibration.md and docs/calibration.

`python benchmarks/calibration.py` takes about half an hour on one busy core; `--count 100` is a trial run.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import comb, sqrt
from pathlib import Path

import numpy as np
import scipy
import scipy.stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from battles import section as battles_section
from tests.calibration.default import OWN, own_coverage
from tests.calibration.default import cells as default_cells
from tests.calibration.default import judge as judge_default
from tests.calibration.many_systems import Board, Judged, equal_systems, further_boards, judge
from tests.calibration.margins import passing, size
from tests.calibration.measuring import (
    GREATER,
    INDEPENDENT,
    LESS,
    N_RESAMPLES,
    TWO_SIDED,
    Ask,
    Measured,
    all_drawn_rejected,
    estimate,
    measure,
    sacrebleu_p_values,
)
from tests.calibration.nulls import (
    BEHIND,
    EXCHANGEABLE,
    FEW_LOSSES,
    FEW_STRATA,
    GAINS,
    ONLY_EQUAL,
    STRATIFIED,
    Losses,
    Population,
    binary_alike,
    binary_correlated,
    binary_independent,
    clustered,
    clusters_ignored,
    exponential,
    f1,
    f1_unlike,
    lognormal,
    normal,
    student,
    symmetric_lognormal,
)

import outscore
from outscore.metrics import Mean
from outscore.results import Claim, IntervalMethod
from outscore.significance import (
    Bootstrap,
    BootstrapUncentred,
    PairedT,
    Randomization,
    Resampling,
    ScoreTest,
    SignificanceTest,
)
from outscore.significance.base import PairLaws, Question
from outscore.significance.gain_laws import GainLaws
from outscore.significance.pair import Pair

ROOT = Path(__file__).resolve().parent.parent
SEED = 1  # the suite in tests/calibration draws from 0
SIZES = (20, 50, 200, 1000)
ALPHAS = (0.05, 0.01)
SIDES = (GREATER, TWO_SIDED)
COLUMNS = ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon")
ABOUT_THE_MEAN = COLUMNS[:4]
INTERVALS = (IntervalMethod.PERCENTILE, IntervalMethod.BASIC, IntervalMethod.BCA)
AT_A_MARGIN = (ScoreTest(), Bootstrap(), Randomization())
MARGINS = ((30, 0.1), (50, 0.05), (100, 0.01), (100, 0.02), (100, 0.05), (200, 0.02), (500, 0.01), (500, 0.02))
HELPED = (0.0, 0.01, 0.05, 0.2)
MAX_T_CELLS = ((50, 25), (50, 50), (100, 30), (200, 25), (200, 50))  # units, systems
FURTHER_CELLS = ((50, 25), (200, 12))
EDGE_CELLS = ((20, 12), (30, 12), (200, 100))
ALL = (*EXCHANGEABLE, *ONLY_EQUAL, clusters_ignored())


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(header), ["---"] * len(header), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wrapped(page: str) -> str:
    """Return a page with its paragraphs and list items filled to 120 characters; tables and headings stay."""
    blocks = []
    for block in page.split("\n\n"):
        if block.startswith(("|", "#", "<")):
            blocks.append(block.rstrip("\n"))
            continue
        items = re.split(r"\n(?=- )", block.strip())
        indents = ["  " if item.startswith("- ") else "" for item in items]
        blocks.append(
            "\n".join(
                textwrap.fill(
                    " ".join(item.split()),
                    120,
                    subsequent_indent=indent,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                for item, indent in zip(items, indents, strict=True)
            )
        )
    return "\n\n".join(blocks) + "\n"


def folded(summary: str, text: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


class Study:
    """Everything that is measured, each once, with a line of progress on standard error."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.start = time.perf_counter()
        self.nulls = {(str(population), n): self._levels(population, n) for population in ALL for n in SIZES}
        self.gains = {
            (str(population), n): self._run(population, n, count, tests=(), intervals=INTERVALS)
            for population in GAINS
            for n in SIZES
        }
        self.few_losses = [self._few_losses(population, n) for population in FEW_LOSSES for n in (100, 200, 500)]
        self.behind = [self._claims(population) for population in BEHIND]
        self.few = {
            (str(population), n): self._run(population, n, 4 * count, tests=(Bootstrap(), BootstrapUncentred()))
            for population in (normal(), student(), f1(), clustered())
            for n in (10, 15, 20, 30, 50, 100, 200)
        }
        self.strata = Strata(count)
        self.independent = [self._independent(population, n, count) for population, n in independent_cases()]
        self.sacrebleu = sacrebleu_p_values(normal(), 200, 2 * count, seed=SEED)
        self.minutes = (time.perf_counter() - self.start) / 60

    def _run(self, population: Population, n: int, count: int, **asked: object) -> Measured:
        found = measure(population, n, count, seed=SEED, **asked)  # type: ignore[arg-type]
        passed = time.perf_counter() - self.start
        print(f"{passed:7.0f} s  {population}, n = {n}", file=sys.stderr, flush=True)
        return found

    def _levels(self, population: Population, n: int) -> Measured:
        skewed = population.name.startswith("skewed")
        slow = {20: self.count, 50: self.count // 5, 200: self.count // 10, 1000: 0}[n]
        few_kinds = population.name.startswith("binary")
        return self._run(
            population,
            n,
            self.count,
            asks=(GREATER, LESS, TWO_SIDED) if skewed else SIDES,
            intervals=INTERVALS,
            slow={} if few_kinds else {"wilcoxon": slow},
        )

    def _claims(self, population: Population) -> Measured:
        asks = [Ask(claim, margin=-population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
        return self._run(population, 200, self.count, asks=asks)

    def _few_losses(self, population: Population, n: int) -> Measured:
        asks = [Ask(claim, margin=-population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
        return self._run(population, n, self.count, asks=asks, tests=AT_A_MARGIN)

    def _independent(self, population: Population, n: int, count: int) -> Measured:
        return self._run(population, n, count, tests=(*INDEPENDENT, PairedT()), asks=(TWO_SIDED,))

    def rate(self, population: Population, n: int, test: str, ask: Ask = GREATER, alpha: float = 0.05) -> float:
        return self.nulls[str(population), n].rate(test, ask, alpha)

    def covered(self, population: Population, n: int, method: IntervalMethod) -> float:
        return self.nulls[str(population), n].covered(method) / self.count


def independent_cases() -> Sequence[tuple[Population, int]]:
    """Nulls, and gains of 2.8 standard errors, at three correlations."""
    nulls = [normal(0.0), normal(0.5), normal(0.9), binary_independent(), binary_correlated(), binary_alike()]
    gains = [normal(r12, gain=2.8 * sqrt(2 * (1 - r12) / 200)) for r12 in (0.0, 0.5, 0.9)]
    binary = [
        kind(gain=2.8 * sqrt(differing / 200))
        for kind, differing in ((binary_independent, 0.42), (binary_correlated, 0.21))
    ]
    return [(population, 200) for population in (*nulls, *gains, *binary)]


def rate_cell(found: Measured, test: str, asks: Sequence[Ask], alpha: float) -> str:
    """Return the rates of several asks; bold where one is above alpha by more than 3 standard errors."""
    if (test, asks[0]) not in found.p_values:
        return "–"
    rates, excess = [], False
    for ask in asks:
        rejected, count = found.rejected(test, ask, alpha)
        rates.append(percent(rejected / count))
        excess |= rejected / count > alpha + 3 * sqrt(alpha * (1 - alpha) / count)
    cell = " / ".join(rates)
    return f"**{cell}**" if excess else cell


def level_table(study: Study, populations: Iterable[Population], sizes: Iterable[int], alpha: float) -> str:
    rows = [
        [population.name, str(n), *(rate_cell(study.nulls[str(population), n], test, SIDES, alpha) for test in COLUMNS)]
        for n in sizes
        for population in populations
    ]
    return table(["population", "n", *COLUMNS], rows)


def skew_table(study: Study) -> str:
    rows = []
    for population in (exponential(), lognormal()):
        for n in SIZES:
            found = study.nulls[str(population), n]
            for ask, side in ((GREATER, "a gain"), (LESS, "a loss")):
                rows.append([population.name, str(n), side, *(rate_cell(found, test, [ask], 0.05) for test in COLUMNS)])
    return table(["population", "n", "claimed", *COLUMNS], rows)


def few_units_table(study: Study) -> str:
    tests = ABOUT_THE_MEAN[:2]
    rows = [
        [name, str(n), *(rate_cell(found, test, SIDES, alpha) for alpha in ALPHAS for test in tests)]
        for (name, n), found in study.few.items()
    ]
    return table(["population", "n", *(f"{test}, {alpha:.0%}" for alpha in ALPHAS for test in tests)], rows)


def rejected_among(differing: int, test: SignificanceTest, alpha: float, n: int = 1000) -> float:
    """Return the exact probability that a one-sided test rejects where so many right-or-wrong items differ."""
    total = 0
    for helped in range(differing + 1):
        kinds = [helped, differing - helped, n - differing]
        baseline, candidate = np.repeat([0.0, 1.0, 1.0], kinds), np.repeat([1.0, 0.0, 1.0], kinds)
        ones = np.ones(n)
        pair = Pair(Mean(), np.column_stack([baseline, ones]), np.column_stack([candidate, ones]))
        outcome = test.outcome(pair, PairLaws(GainLaws([pair], Resampling()), 0), Question())
        if estimate(outcome) <= alpha:
            total += comb(differing, helped)
    return float(total / 2**differing)


def rare_table() -> str:
    tests: Sequence[SignificanceTest] = (Bootstrap(), BootstrapUncentred(), Randomization(), PairedT())
    rows = []
    for differing in (3, 4, 5, 6, 8, 10, 15, 20, 30, 50):
        cells = []
        for alpha in ALPHAS:
            for test in tests:
                rate = rejected_among(differing, test, alpha)
                cells.append(f"**{percent(rate)}**" if rate > alpha else percent(rate))
        rows.append([str(differing), *cells])
    return table(["items that differ", *(f"{test.name}, {a:.0%}" for a in ALPHAS for test in tests)], rows)


def coverage_table(study: Study) -> str:
    every = {**study.nulls, **study.gains}
    populations = dict.fromkeys(name for name, _ in every)
    rows = []
    for name in populations:
        cells = []
        for n in SIZES:
            found = every[name, n]
            cells.append(" / ".join(percent(found.covered(method) / found.count) for method in INTERVALS))
        rows.append([name, *cells])
    return table(["population", *(f"n = {n}" for n in SIZES)], rows)


def claim_table(study: Study) -> str:
    rows = []
    for found in study.behind:
        asks = [Ask(claim, margin=-found.population.gain) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
        rows.append([str(found.population), *(rate_cell(found, test, asks, 0.05) for test in ABOUT_THE_MEAN)])
    return table(["population, n = 200", *ABOUT_THE_MEAN], rows)


def exact_margin_table() -> str:
    """Return the exact sizes of claims about right-or-wrong items, by margin, number of items and share helped."""
    rows = []
    for n, margin in MARGINS:
        for helped in HELPED:
            losses = Losses(n, margin, helped)
            cells = []
            for test in AT_A_MARGIN:
                if test.resamples and n * helped > 10:  # thousands of laws, to learn what larger shares of losses show
                    cells.append("–")
                    continue
                sizes = [size(test, claim, losses) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
                cell = " / ".join(map(percent, sizes))
                cells.append(f"**{cell}**" if max(sizes) > 0.06 else cell)
            rows.append([str(n), f"{margin:g}", f"{helped:.0%}", *cells])
    return table(["n", "margin", "helped", *(test.name for test in AT_A_MARGIN)], rows)


def few_losses_table(study: Study) -> str:
    rows = []
    for found in study.few_losses:
        margin = -found.population.gain
        asks = [Ask(claim, margin=margin) for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)]
        cells = [rate_cell(found, test.name, asks, 0.05) for test in AT_A_MARGIN]
        rows.append([found.population.name, f"{margin:.3g}", str(found.n), *cells])
    return table(["population", "margin", "n", *(test.name for test in AT_A_MARGIN)], rows)


def margin_power_table() -> str:
    """Return how often equally good systems are shown not to be worse, exactly."""
    rows = []
    for n, margin, differing in ((200, 0.02, 0.0), (200, 0.05, 0.02), (500, 0.02, 0.0), (500, 0.02, 0.02),
                                 (1000, 0.01, 0.005), (1000, 0.02, 0.02)):  # fmt: skip
        # As many are helped as hurt: a margin of 0 makes them so.
        equal = Losses(n, 0.0, differing)
        cells = [
            " / ".join(percent(passing(ScoreTest(), claim, margin, equal, alpha)) for alpha in ALPHAS)
            for claim in (Claim.NOT_WORSE, Claim.EQUIVALENT)
        ]
        rows.append([str(n), f"{margin:g}", f"{differing:.1%}", *cells])
    return table(["n", "margin", "helped and hurt, each", "not-worse, 5% / 1%", "equivalent, 5% / 1%"], rows)


def independent_table(study: Study) -> str:
    tests = ("paired-t", *(test.name for test in INDEPENDENT))
    rows = [
        [
            found.population.name + (f", gain {found.population.gain:.2f}" if found.population.gain else ""),
            *(rate_cell(found, test, [TWO_SIDED], 0.05).strip("*") for test in tests),
        ]
        for found in study.independent
    ]
    return table(["population, n = 200", *tests], rows)


def judged(board: Board, n: int, s: int, count: int) -> list[Judged]:
    """Return what rankings of s systems on n units make of so many test sets."""
    rng = np.random.default_rng([SEED, n, s])
    return [judge(board, rng, n, s) for _ in range(count)]


def with_error(hits: Iterable[bool]) -> str:
    """Return a share in per cent with its standard error, that of one hit at least."""
    outcomes = np.array(list(hits))
    share = float(np.clip(outcomes.mean(), 1 / len(outcomes), 1 - 1 / len(outcomes)))
    return f"{percent(float(outcomes.mean()))} ± {percent(sqrt(share * (1 - share) / len(outcomes)))}"


def default_section(count: int) -> str:
    """Return the section on the default test: verdicts on true nulls, and coverage of the interval that it prints."""
    rows = []
    for population, n in default_cells():
        found = judge_default(population, n, count)
        rates = [percent(hits / count) if population.gain == 0 else "–" for hits in (found.rejected, found.rejected_1)]
        taken = ", ".join(f"{name} {percent(times / count)}" for name, times in found.tests.most_common())
        rows.append([str(population), str(n), *rates, percent(found.covered / count), taken])
    header = ("population", "n", "5%", "1%", "covered", "tests taken, in per cent")
    return f"""## The default

What `outscore compare` does where no test is named, two-sided: verdicts on systems that are equally good where 5% and
1% are meant, and how often the interval at 95% that it prints holds the true gain. {count:,} data sets a line: a
standard error of {percent_error(0.05, count)} at 5%.

{table(header, rows)}

Skewed scores of unknown range are what is left: of lognormal differences less their mean the largest, which make up
for all others, may be missing in a small test set, and nothing in it tells. Name the range where there is one
(`mean:lowest=0,highest=1`): then `score` allows for what is missing."""


def own_intervals_section(count: int) -> str:
    """Return the section on intervals that tests invert."""
    names = [test.name for test in OWN]
    rows = []
    for population in (*EXCHANGEABLE, *ONLY_EQUAL, *GAINS):
        for n in (20, 50, 200):
            held = own_coverage(population, n, count)
            rows.append(
                [str(population), str(n), *(percent(held[name] / count) if name in held else "–" for name in names)]
            )
    return f"""### Intervals of the tests' own

All gains that a test does not reject at 5%, two-sided: symmetric bootstrap, inverted randomization, Student's t, CR2 t,
skewness-corrected t and score. {count:,} data sets a line: a standard error of {percent_error(0.05, count)}.

{table(("population", "n", *names), rows)}"""


def max_t_section(count: int) -> str:
    """Return the section on max-T: family-wise error by systems and units, power, and how intervals hold together."""

    def line(board: Board, n: int, s: int) -> list[str]:
        found = judged(board, n, s, count)
        errors, held = (with_error(getattr(each, of) for each in found) for of in ("error", "intervals_hold"))
        print(f"max-T: {board}, n = {n}, s = {s}: {errors}, {held}", file=sys.stderr, flush=True)
        power = [percent(float(np.mean([getattr(each, of) for each in found]))) for of in ("power", "power_of_holm")]
        return [str(board), str(n), str(s), errors, held, *(power if board.gain else ["–", "–"])]

    heading = ["systems", "n", "s", "error", "rank intervals hold", "max-T finds", "Holm, paired t, finds"]
    equal = [line(board, n, s) for n, s in MAX_T_CELLS for board in equal_systems()]
    further = [line(board, n, s) for board in further_boards() for n, s in FURTHER_CELLS if n > 50 or not board.gain]
    edges = [line(equal_systems()[k], n, s) for n, s in EDGE_CELLS for k in (0, 2)]
    return f"""\
## Many systems: max-T

s systems on n units, all of them equal: in how many of {count:,} test sets does `rank` with max-T at 5% tell any two
apart (family-wise error), and in how many do the rank intervals hold all together? Two-sided, 999 resamples, ± a
standard error; `tests/calibration/many_systems.py` holds the populations. Below 200 units every replicate is divided by
its own standard error, from 200 on the observed t is put on the normal scale ([ranking.md](../ranking.md)).

{table(heading[:5], [row[:5] for row in equal])}

With half of the systems better than the other half, with other data, and where n is smaller or s larger than that:

{table(heading, [*further, *edges])}"""


def rates_by_lengths(count: int) -> tuple[list[float], list[float]]:
    """Return how often t within strata rejects true nulls of ratios at 5%, two-sided: with d itself, and d − δ̂ℓ.

    In plain NumPy, with lengths of several spreads in strata of several sizes.
    """
    rng = np.random.default_rng(SEED)
    found: tuple[list[float], list[float]] = [], []
    for sizes in ([2] * 5, [3] * 5, [5] * 5, [2] * 20, [10] * 3):
        starts = np.cumsum([0, *sizes])
        for spread in (0.5, 1.0, 1.5):
            lengths = rng.lognormal(0, spread, (count, starts[-1]))
            of_strata = rng.normal(0, 0.5, (count, len(sizes)))
            of_strata -= (of_strata @ np.array(sizes) / starts[-1])[:, None]
            d = lengths * (np.repeat(of_strata, sizes, axis=1) + rng.normal(size=lengths.shape))
            gains = d.sum(axis=1) / lengths.sum(axis=1)
            for values, rates in ((d, found[0]), (d - gains[:, None] * lengths, found[1])):
                parts = [values[:, i:j].var(axis=1, ddof=1) * (j - i) for i, j in pairwise(starts)]
                variance = np.sum(parts, axis=0)
                degrees = variance**2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
                t = np.abs(d.sum(axis=1)) / np.sqrt(variance)
                rates.append(float((2 * scipy.stats.t.sf(t, degrees) <= 0.05).mean()))
    return found


class Strata:
    """What is measured of strata; n_h draws of means alone, in plain NumPy."""

    def __init__(self, count: int) -> None:
        self.count = count
        tests = (Bootstrap(), PairedT(), Randomization())
        kinds = (IntervalMethod.PERCENTILE, IntervalMethod.BCA)
        self.found = [
            measure(population, sum(population.sizes), count, tests=tests, intervals=kinds, seed=SEED)
            for population in (*STRATIFIED, *FEW_STRATA)
        ]
        self.all_drawn = {
            str(found.population): all_drawn_rejected(found.population, count, seed=SEED)
            for found in self.found
            if not found.population.name.endswith("F1")
        }

    def section(self) -> str:
        """Return the section of the page."""
        of_null, of_gain = rates_by_lengths(self.count)
        rows = []
        for found in self.found:
            name = str(found.population)
            before = "–"
            if name in self.all_drawn:
                rejected, count = self.all_drawn[name]
                before = percent(rejected / count)
            rows.append(
                [
                    name,
                    str(sum(found.population.sizes) - len(found.population.sizes)),
                    before,
                    *(rate_cell(found, test, SIDES, 0.05) for test in ("bootstrap", "paired-t", "randomization")),
                    " / ".join(percent(found.covered(method) / found.count) for method in found.intervals),
                ]
            )
        tests = ("bootstrap", "paired-t", "randomization")
        header = ["population", "draws", "n_h draws", *tests, "percentile / bca cover"]
        return f"""## Strata

Of a stratum's n_h units n_h − 1 are drawn and weigh n_h/(n_h − 1), so that the variance of a gain is neither too small
nor too large however small the strata are. With n_h draws it would be short by 1/n_h: the third column, two-sided, is
what that rejects of true nulls where 5% is meant. Strata gain and lose (standard deviation 0.3 of an item's) and add
up to nothing, so that swaps are only nearly exchangeable. {self.count:,} data sets a line.

{table(header, rows)}

Where fewer than some 30 units are drawn in all (the second column) resampling has too few points to say anything at
1%, and too few at 5%: `paired-t`, which with strata has Satterthwaite's degrees of freedom, keeps its level there, on
its conservative side. Of units that weigh differently it tests Σ (dᵢ − δ₀ℓᵢ): with lengths that are lognormal (σ = 0.5
to 1.5) in 3 to 20 strata of 2 to 10 it rejects {span(of_null)}, two-sided, and with the residuals dᵢ − δ̂ℓᵢ it would
reject {span(of_gain)}."""


def both(found: Measured, test: str, alpha: float) -> str:
    """Return the one-sided and the two-sided rate."""
    return " and ".join(f"{percent(found.rate(test, ask, alpha))}%" for ask in SIDES)


def span(rates: Iterable[float]) -> str:
    ordered = sorted(rates)
    return f"{percent(ordered[0])}% to {percent(ordered[-1])}%"


def advice(study: Study) -> str:
    """Return what to do about it, test by test, with the figures that say so."""
    few = {n: study.few[str(normal()), n] for n in (20, 50, 100, 200)}
    heavy, skewed = symmetric_lognormal(), lognormal()
    percentile, basic, bca = INTERVALS
    held = span(
        study.rate(population, n, "randomization", ask)
        for population in EXCHANGEABLE
        if population.continuous
        for n in SIZES
        for ask in SIDES
    )
    loss, win = (span(study.rate(skewed, 200, test, ask) for test in ABOUT_THE_MEAN) for ask in (LESS, GREATER))
    ignored, named = (
        percent(study.rate(population, 20, "randomization", TWO_SIDED))
        for population in (clusters_ignored(), clustered())
    )
    found = next(case for case in study.independent if case.population.gain and "r12 = 0.5" in case.population.name)
    paired, two_sample = (percent(found.rate(test, TWO_SIDED, 0.05)) for test in ("paired-t", "two-sample-t"))

    def covered(population: Population, n: int, method: IntervalMethod) -> str:
        return f"{percent(study.covered(population, n, method))}%"

    return f"""\
- **`randomization`** keeps its level at any size wherever swapping the systems changes nothing: {held} at a nominal 5%
  of continuous scores, less of discrete ones. Take it below 50 units.
- **`bootstrap`** makes no allowance for few units. Where 5% is meant, it rejects {both(few[20], "bootstrap", 0.05)} of
  true nulls (one-sided and two-sided, normal differences) at n = 20, {both(few[50], "bootstrap", 0.05)} at n = 50 and
  {both(few[200], "bootstrap", 0.05)} at n = 200; where 1% is meant, {both(few[20], "bootstrap", 0.01)} at n = 20,
  {both(few[50], "bootstrap", 0.01)} at n = 50 and {both(few[100], "bootstrap", 0.01)} at n = 100. Take it from 50 units
  on, at 1% from 100 on.
- **`bootstrap-uncentred`** does the same, and worse where a few large differences decide:
  {both(study.nulls[str(heavy), 20], "bootstrap-uncentred", 0.05)} at n = 20 with very heavy tails. Where few items
  *differ*, it is too sure whatever n is: 3 items helped and none hurt are significant to it, and to `paired-t`, but
  not to `randomization` (p = 0.125) nor to `bootstrap`.
- **`paired-t`** is right for normal differences, and conservative with heavy tails
  ({both(study.nulls[str(heavy), 20], "paired-t", 0.05)} at n = 20).
- **`sign`, `mcnemar` and `wilcoxon`** keep their level where differences are symmetric, and stay far below it where few
  items differ. Of skewed differences they ask another question than whether the score is better: of true gains of 0
  `sign` rejects {percent(study.rate(skewed, 200, "sign", LESS))}% at n = 200.
- **Skewed differences**, a few large wins against many small losses, need many units whatever the test: with lognormal
  ones at n = 200 a gain of 0 is called a loss in {loss} of the cases where 5% is meant, and a gain in {win}.
- **Clusters** have to be named. Of 20 documents with 10 items each on average and an intraclass correlation of 0.2,
  taken for 200 independent items, `randomization` rejects {ignored}% where 5% is meant (two-sided), and {named}% with
  `--cluster`.
- **Intervals**: the percentile interval at 95% covers {covered(normal(), 20, percentile)} of normal gains at n = 20 and
  {covered(normal(), 200, percentile)} at n = 200. `bca` is better of skewed differences ({covered(skewed, 50, bca)}
  against {covered(skewed, 50, percentile)} at n = 50), and worse of heavy tails ({covered(heavy, 50, bca)} against
  {covered(heavy, 50, percentile)}; `basic` {covered(heavy, 50, basic)}).
- **Tests that assume independence** miss gains: where `paired-t` finds one in {paired}% of the cases (r12 = 0.5),
  `two-sample-t` finds it in {two_sample}%."""


def write(study: Study) -> str:
    """Return the page."""
    count = study.count
    theirs, ours = (percent(float((found <= 0.05).mean())) for found in study.sacrebleu)
    return f"""# Calibration

How often do the tests reject true nulls, and how often do the intervals hold the true gain?

Written by `python benchmarks/calibration.py` in {study.minutes:.0f} minutes: {count:,} data sets of every kind and
size, seed {SEED}; outscore {outscore.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__},
Python {platform.python_version()}. `tests/calibration` checks the same on fewer data sets whenever the tests run,
with a false-alarm rate below 1 in 1000 for the whole suite; `tests/calibration/nulls.py` holds the populations.

All figures are per cent; two figures are one-sided / two-sided. Of {count:,} data sets a rate of 5% has a standard
error of {percent_error(0.05, count)}, one of 1% of {percent_error(0.01, count)}; **bold** ones are above the nominal
level by more than three of them, as two or three of so many figures are by chance. Laws are exact for right-or-wrong
items and for grades, the others have {N_RESAMPLES:,} resamples. n counts what is resampled: items, or clusters. On
right-or-wrong items `mcnemar` is `sign`, and not shown.

## In short

{advice(study)}

{default_section(max(count // 5, 1))}

## Rejected true nulls

The systems are exchangeable, item by item, and 5% is meant:

{level_table(study, EXCHANGEABLE, (20, 200), 0.05)}

{folded("n = 50 and n = 1000, at 5%", level_table(study, EXCHANGEABLE, (50, 1000), 0.05))}

{folded("All sizes, at 1%", level_table(study, EXCHANGEABLE, SIZES, 0.01))}

`wilcoxon` takes longer without ties: but for right-or-wrong items its figures are from {count // 5:,} data sets at
n = 50 and {count // 10:,} at n = 200 (standard errors {percent_error(0.05, count // 5)} and
{percent_error(0.05, count // 10)} at 5%).

### The bootstrap by number of units

{4 * count:,} data sets a line: standard errors of {percent_error(0.05, 4 * count)} at 5% and
{percent_error(0.01, 4 * count)} at 1%.

{few_units_table(study)}

### Few items that differ

Of 1000 right-or-wrong items so many differ, each helped or hurt with probability ½. One-sided, computed from the exact
laws without simulation; **bold** is above the nominal level.

{rare_table()}

### Equal, but not alike

Where swapping the systems changes something, the null hypothesis of `randomization` is false though the gain is 0, and
it tests the gain approximately, as the bootstrap does. Such are systems of equal F1 by other means (precision and
recall 0.7 against precision 0.93 and recall 0.56), and skewed differences: many small losses and a few large wins.

{level_table(study, [f1_unlike()], SIZES, 0.05)}

{skew_table(study)}

Clusters that are ignored:

{level_table(study, [clusters_ignored()], SIZES, 0.05)}

{study.strata.section()}

## Coverage of intervals at 95%

percentile / basic / bca. Where few items differ, many data sets show no difference at all: their interval is the point
0, which holds a gain of 0 and no other.

{coverage_table(study)}

{own_intervals_section(max(count // 5, 1))}

## Claims with a margin

The candidate is worse by exactly the margin: how often is it called `not-worse` / `equivalent` where 5% is meant?

{claim_table(study)}

Where losses are few and large, the bootstrap and randomization cannot see those that happen not to be in the test set:
of 200 items of which 2% should be hurt, 9% of test sets hold one such item or none. `score`, the default of claims with
a margin, reweights the items together with one at the worst possible value, so that their mean is the margin
(Tango 1998). Right-or-wrong items, **exactly**, by enumeration; the candidate is worse by the margin, a share of items
is helped and so many more are hurt; bold above 6%, a dash where many differ and nothing was computed:

{exact_margin_table()}

Other metrics, {count:,} data sets each (a standard error of {percent_error(0.05, count)}): scores between 0 and 1, of
which few are large losses; F1, of which some sentences are lost; shares of right words in sentences of unequal length,
and clusters of 4 to 16 right-or-wrong items that are lost or won as a whole (randomization knows no margin of F1). The
level is far below 5% where the worst loss that could be is far worse than those that are:

{few_losses_table(study)}

Below 30 units `score` can be too sure, too (6.9% at n = 20 with a margin of 0.2, 7.9% with 5 clusters of equal size),
and says so. Scores that are neither means nor ratios of sums are linearised; they take 100 units, and none that one
unit alone moves by a fifth of the range (macro-F1 with one item of a class passed 9.7%). Clusters whose sizes are
lognormal (σ = 1) passed 6.1% at worst; with the mean size for that of the worst cluster, in place of Σℓ³/Σℓ², it was
15.4%.

What this costs: equally good systems that are shown not to be worse, or to be equivalent, exactly:

{margin_power_table()}
{max_t_section(max(count // 5, 1))}

{battles_section(max(count // 10, 1))}

## Mistakes

**Taking paired systems for independent** (Yeh 2000, section 2.1) overstates the standard error by 1/√(1 − r12). First
true nulls, then gains of 2.8 standard errors; two-sided, at 5%.

{independent_table(study)}

**Centring after taking sizes.** sacreBLEU's paired bootstrap takes the sizes |δ*| of the replicates, subtracts their
mean, and counts those that exceed |δ|. Where |δ| is large, so is that mean, and what is counted is one tail of two. Of
{2 * count:,} true nulls (normal differences, n = 200) that formula rejects **{theirs}%** where 5% is meant, and
`bootstrap`, two-sided, {ours}% on the same replicates.
"""


def percent_error(alpha: float, count: int) -> str:
    return f"{100 * sqrt(alpha * (1 - alpha) / count):.2f}"


def sections_of(page: str) -> dict[str, str]:
    """Return the sections of a page, and what comes before them, by their headings."""
    return {section.partition("\n")[0]: section for section in re.split(r"(?m)^(?=## )", page)}


def renewed(page: str, sections: dict[str, str]) -> str:
    """Return a page with those of its sections in place that have been measured anew."""
    return (
        "".join(sections.get(heading, old).rstrip() + "\n\n" for heading, old in sections_of(page).items()).rstrip()
        + "\n"
    )


SECTIONS: dict[str, Callable[[int], str]] = {
    "battles": battles_section,
    "default": default_section,
    "intervals": own_intervals_section,
    "margins": lambda _: exact_margin_table(),
    "max-t": max_t_section,
    "strata": lambda count: Strata(count).section(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="data sets of every kind and size")
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "docs", help="calibration.md and the folder beside it"
    )
    parser.add_argument("--section", choices=sorted(SECTIONS), help="print this section alone")
    given = parser.parse_args()
    if given.section is not None:
        print(wrapped(SECTIONS[given.section](given.count)))
        return
    sections = sections_of(wrapped(write(Study(given.count))))
    for path in (given.output / "calibration.md", *sorted((given.output / "calibration").glob("*.md"))):
        path.write_text(renewed(path.read_text(encoding="utf-8"), sections), encoding="utf-8")


if __name__ == "__main__":
    main()
