# ruff: noqa: E501 -- lines of pages
"""The pages of docs/calibration.md and docs/calibration, from what was measured.

They show the cases that decide. All others are in data files (calibration_tables.py).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Any

import calibration_tasks as measured
import numpy as np
from calibration_claims import (
    EXCEPTIONS,
    LEAST_COVERED,
    MOST,
    MOST_AT_1,
    MOST_ONE_SIDED,
    Results,
    is_exception,
    levels,
    marked,
    percent,
    rate,
)
from figures import table
from tests.calibration import boards, nulls, populations, two_samples
from tests.calibration.measuring import GREATER, LESS, TWO_SIDED
from tests.calibration.runs import Procedures

SIDES = (GREATER, TWO_SIDED)
READING = "[Calibration](../calibration.md) explains how the figures were made."


# Text.


def wrapped(page: str) -> str:
    """Return a page with its paragraphs and list items filled to 120 characters; tables, code and headings stay."""
    blocks = []
    for block in page.strip().split("\n\n"):
        if block.startswith(("|", "#", "<", "```")):
            blocks.append(block.rstrip("\n"))
            continue
        items = re.split(r"\n(?=- )", block.strip())
        blocks.append(
            "\n".join(
                textwrap.fill(
                    " ".join(item.split()),
                    120,
                    subsequent_indent="  " if item.startswith("- ") else "",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                for item in items
            )
        )
    return "\n\n".join(blocks) + "\n"


def data(name: str, folder: str = "") -> str:
    """Return a link to a data file."""
    return f"[{name}.csv]({folder}{name}.csv)"


def sets_of(results: Results, start: str) -> str:
    """Return how many data sets the cells of one kind drew."""
    counts = sorted({of["sets"] for name, of in results.items() if name.startswith(start) and "sets" in of})
    if not counts:
        return "no"
    return f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"


def worst(results: Results, names: Iterable[str], field: str = "at_5") -> str:
    """Return the largest of some rates."""
    values = []
    for name in names:
        of = results.get(name)
        if of is not None:
            values.append(of[field] if isinstance(of[field], float) else of[field] / of["sets"])
    return f"{percent(max(values))}%" if values else "–"


def shown(results: Results, cells: Iterable[tuple[str, str]], row: Callable[[Any], Sequence[str]]) -> list[list[str]]:
    """Return the rows of some tasks, each under its title."""
    return [[title, *row(found)] for title, task in cells if (found := results.get(task)) is not None]


# The first page.

# Populations of the table of the default test: title, tasks.
DEFAULT: tuple[tuple[str, str], ...] = (
    ("normal", "default/normal"),
    ("exponential", "default/exponential"),
    ("lognormal, σ = 1", "default/lognormal, σ = 1"),
    ("lognormal, σ = 2", "default/lognormal, σ = 2"),
    ("binary, r = 0.5", "default/binary, r = 0.5"),
    ("word errors, unlike systems", "default/word errors, unlike systems"),
    ("latency, unlike systems", "default/latency, unlike systems"),
    ("rare wins", "default/rare wins"),
    ("clusters of 1 to 9", "default/clusters of 1 to 9"),
    ("2 clusters of 100, others of 1", "default/2 clusters of 100, others of 1"),
    ("strata: 10, 20, 40, 80, 350", "default/strata: 10, 20, 40, 80, 350"),
    ("WER, LibriSpeech: azure, watson", "real/WER, LibriSpeech: azure, watson"),
    ("BLEU, WMT24: CUNI-GA, GPT-4", "real/BLEU, WMT24: CUNI-GA, GPT-4"),
    ("F1, WNUT17: UH-RiTUAL, Arcada", "real/F1, WNUT17: UH-RiTUAL, Arcada"),
    ("AP, TREC-8: systems 10, 77", "real/AP, TREC-8: systems 10, 77"),
)
_UNITS: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("fewer than 20 units", lambda n: n < 20),
    ("20 to 49", lambda n: 20 <= n < 50),
    ("50 and more", lambda n: n >= 50),
)
POWER = (
    ("normal, 20 units", "power/normal/20/+1"),
    ("exponential, 50, to the short side", "power/exponential/50/-1"),
    ("lognormal, σ = 1, 200, to the short side", "power/lognormal, σ = 1/200/-1"),
    ("AP, TREC-8: all pairs, 50", "power/AP, TREC-8: all pairs/50/+1"),
    ("MQM, WMT23: all pairs, 50", "power/MQM, WMT23: all pairs/50/+1"),
    ("MQM, WMT23: all pairs, 200", "power/MQM, WMT23: all pairs/200/+1"),
    ("binary, 15% lost, 50", "power/binary, 15.00% lost/50"),
    ("binary, 0.25% lost, 200", "power/binary, 0.25% lost/200"),
)


def default_table(results: Results) -> str:
    """Return the largest rates of some populations by the number of units."""
    rows = []
    for title, task in DEFAULT:
        cells = []
        for _, holds in _UNITS:
            found = [
                of
                for name, of in results.items()
                if name.rpartition("/")[0] == task and holds(int(name.rpartition("/")[2]))
            ]
            rates = [
                marked(percent(value), bold=value > most)
                for field, most in (("at_5", MOST), ("one_sided", MOST_ONE_SIDED))
                if (value := max((of[field] for of in found), default=None)) is not None
            ]
            cells.append(" / ".join(rates) or "–")
        rows.append([title, *cells])
    return table(["population", *(name for name, _ in _UNITS)], rows)


def exceptions_table(results: Results) -> str:
    """Return where rates are above the bound, by kind of data: numbers of units, and the least and largest rate."""
    found: dict[str, list[tuple[int, float]]] = {kind: [] for kind in EXCEPTIONS}
    for population, of in levels(results).items():
        kinds = [kind for kind, names in EXCEPTIONS.items() if population.startswith(names)]
        kind = kinds[0] if kinds else "others, mostly skewed"
        found.setdefault(kind, []).extend((n, rate) for n, rate in of if rate > MOST)
    rows = []
    for kind, above in found.items():
        if above:
            units, rates = zip(*above, strict=True)
            rows.append([kind, _span(units, "{:,}"), _span([100 * rate for rate in rates], "{:.1f}")])
    return table(["differences", "units", "5%"], rows)


def _span(values: Sequence[float], form: str) -> str:
    ends = [form.format(end) for end in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


UNSEEN = ("scores/graded, 98% near 1, 2% at 0, range not known", "scores/1, and −9 on 2%")  # rare low scores


def points_lost(results: Results, task: str) -> str:
    """Return the points of power that the default loses against t."""
    found = results.get(task)
    return "–" if found is None else f"{100 * (found['t'] - found['default']):.1f}"


def first_page(results: Results) -> str:
    from_50 = levels(results, 50)
    usual = [rate for population, of in from_50.items() for _, rate in of if not is_exception(population)]
    excepted = sum(map(is_exception, from_50))
    weighted = [*populations.CLUSTERS, *populations.STRATA]
    ranked = [board for board in boards.every() if not board.better]
    few, other = (
        [f"boards/{board.name}/{board.systems}" for board in ranked if board.is_hard == hard] for hard in (True, False)
    )
    scores = [(name, of["held"] / of["sets"]) for name, of in results.items() if name.startswith("scores/")]
    covered = [share for name, share in scores if not name.startswith(UNSEEN)]
    binary = [of["least"] for name, of in results.items() if name.startswith("binary/")]
    chosen = [of for name, of in results.items() if name.startswith("chosen/")]
    scores_hold = f"{percent(min(covered))}%" if covered else "–"
    theirs = results.get("sacrebleu")
    ignored, named = (
        _named_rate(results, population, 20, "randomization", TWO_SIDED)
        for population in (nulls.clusters_ignored(), nulls.clustered())
    )
    of_items = [of["items"] for name, of in results.items() if name.startswith("procedures/")]
    real_50 = [of for name, of in results.items() if name.startswith("power/") and ": all pairs/50/" in name]
    software = results.get("software", {})
    return f"""# Calibration

This page shows how often the tests of outscore reject true null hypotheses, and how often its intervals contain the
true value. Data sets are drawn from simulated populations in which both systems are equally good, and with replacement
from real corpora.

```sh
python benchmarks/calibration.py    # measures all, 40 minutes on two cores
```

The figures are of outscore {results["version"]}, NumPy {software.get("numpy")}, SciPy {software.get("scipy")} and
Python {software.get("python")}, seed {measured.SEED}.
All are in percent, ± one standard error. **Bold** figures are beyond their bound: 6.5% at a nominal 5%, 1.6% at 1%,
7.5% one-sided, and 93% for the coverage of a 95% interval.

## In short

- **The default test** rejects at most {percent(max(usual, default=0.0))}% of true nulls at a nominal 5% from 50 units
  on, two-sided, and {percent(float(np.median(usual or [0.0])))}% in the median, in {len(from_50) - excepted} of
  {len(from_50)} populations. [The others](#where-no-test-holds-the-level) reject more. On up to 50 units skewed scores
  can reject too often.
- **Clusters of unequal sizes and weighted strata**: at most
  {worst(results, [f"default/{of.name}/{n}" for of in weighted for n in of.counts])}.
- **Many systems**: `rank` finds a difference between equal systems in at most {worst(results, other, "holm")} of the
  leaderboards with Holm's correction and {worst(results, other, "max_t")} with max-T. With few units and unlike
  skewness it is up to {worst(results, few, "max_t")} ([many systems](calibration/systems.md)).
- **First places**: the interval that allows for the choice misses the true score in at most
  {percent(max(((of["below"] + of["above"]) / of["sets"] for of in chosen), default=0.0))}% of the sets, and the
  system's own interval in up to {percent(max((of["plain"] / of["sets"] for of in chosen), default=0.0))}%.
- **New runs** on clusters of unequal sizes: at most
  {
        worst(results, [name for name in results if name.startswith("runs/")])
    } with 5 runs ([runs](calibration/systems.md#runs)).
- **Scores**: the 95% intervals of `score` contain the true score in at least {scores_hold} of the sets, except for
  [rare low scores](calibration/intervals.md#scores) that a set does not contain.
- **Gains of binary items**: at 65 rates of wins and losses their 95% interval covers at least
  {percent(min(binary, default=0.0))}%, exactly. Where nearly all items differ it covers less (85.2% with 16 items).
- **Different items** (`--unpaired`): the test of binary items keeps its level at all sizes and rates that were summed.
  The other default test rejects at most
  {worst(results, [name for name in results if name.startswith("unpaired/") and is_of_20(name)])} from 20 units in the
  smaller system ([exceptions](calibration/systems.md#different-items)).
- **Name the clusters.** With 20 documents of some 10 items and an intraclass correlation of 0.2, `randomization`
  rejects {ignored}% if they are treated as 200 independent items, and {named}% with `--cluster`.
- **Name the runs.** If runs vary, a test over items only rejects up to {percent(max(of_items, default=0.0))}%.
- **`bootstrap`** has no correction for [few units](calibration/nulls.md#the-bootstrap-by-number-of-units).

## The default

The rates of the test that `outscore compare` uses if you name none, at a nominal 5%: two-sided / one-sided. Each figure
is the largest of a range of units. {data("default", "calibration/")} has all populations and the rates at 1%, with
{sets_of(results, "default/")} data sets per line.

{default_table(results)}

## Power

The gain is such that Student's t, with the CR2 variance and the degrees of freedom of the design, finds it in 80% of
the data sets at 5%, two-sided. t owes a part of that to rejecting too many true null hypotheses of skewed differences.
"t, cut" is t at a level of at most 2.5% per side, which takes an oracle. No test can do much better. In "all pairs" each
data set is of another pair of real systems.

{
        table(
            ["population, units", "t, cut", "default"],
            shown(results, POWER, lambda of: ["–" if "cut" not in of else percent(of["cut"]), percent(of["default"])]),
        )
    }

With normal differences the default loses {
        points_lost(results, "power/normal/20/+1")
    } points against t with 20 units and
{points_lost(results, "power/normal/50/+1")} with 50. With real systems and 50 units it loses up to
{max((100 * (of["t"] - of["default"]) for of in real_50), default=0.0):.1f} points against t, and
{max((100 * (of["cut"] - of["default"]) for of in real_50), default=0.0):.1f} against t, cut
({data("power", "calibration/")}). For binary items, the power that `outscore plan` states equals the exact one
({data("plan", "calibration/")}).

## Where no test holds the level

This table has all rates above 6.5%, on any number of units. [The default test](statistics/default.md#where-no-test-keeps-its-level)
explains why no test avoids them, and what to do.

{exceptions_table(results)}

## Mistakes

**Treating paired systems as independent** (Yeh 2000, section 2.1) overstates the standard error by 1/√(1 − r), where r
is the correlation between the systems' scores. n = 200, normal scores, two-sided at 5%,
{sets_of(results, "independent/")} data sets per figure:

{_independent_table(results)}

**Centring after taking absolute values.** sacreBLEU's paired bootstrap takes the absolute values |δ*| of the bootstrap
samples, subtracts their mean, and counts those that exceed |δ|. Of {theirs["sets"] if theirs else 0:,} true nulls
(normal differences, n = 200) that formula rejects **{percent(theirs["theirs"]) if theirs else "–"}%** at a nominal 5%,
and `bootstrap`, two-sided, {percent(theirs["ours"]) if theirs else "–"}% on the same samples.

## Data files

[results.json](calibration/results.json) has all results. Each section links to its file of rates, here and on the pages
on [tests](calibration/nulls.md), [intervals](calibration/intervals.md) and [rankings](calibration/systems.md).
"""


def _independent_table(results: Results) -> str:
    tests = ("paired-t", "two-sample-t")
    found = {name.partition("/")[2]: of for name, of in results.items() if name.startswith("independent/normal")}
    rows = [
        [f"r = {r:g}", *(_rate_cell(found.get(f"normal, r12 = {r:g}", {}), test, [TWO_SIDED], 0.05) for test in tests)]
        + [
            _rate_cell(of, test, [TWO_SIDED], 0.05).strip("*")
            for name, of in found.items()
            if name.startswith(f"normal, r12 = {r:g}, gain")
            for test in tests
        ]
        for r in (0.0, 0.5, 0.9)
        if found
    ]
    header = [f"true nulls: {tests[0]}", tests[1], f"gains of 2.8 standard errors: {tests[0]}", tests[1]]
    return table(["correlation", *header], rows)


# Many systems, runs, different items and battles.

BOARDS = (
    ("20 items, 10 systems", "boards/20 items/10"),
    ("200 binary items, 25", "boards/200 binary items/25"),
    ("50 lognormal clusters, 25", "boards/lognormal clusters, 50/25"),
    ("half of the systems lognormal, 50 items, 25", "boards/half lognormal, 50 items/25"),
    ("the same, 200 items, 12", "boards/half lognormal, 200 items/12"),
    ("AP, TREC-8, 50 topics, 12", "boards/AP, TREC-8, 50 topics/12"),
    ("AP, TREC-8, 10 topics, 20", "boards/AP, TREC-8, 10 topics/20"),
    ("AP, TREC-8, 25 topics, 40", "boards/AP, TREC-8, 25 topics/40"),
)
FIRST = (
    ("20 equal systems, 50 items", "chosen/20 equal systems/50"),
    ("20 equal systems, 200", "chosen/20 equal systems/200"),
    ("20 systems within 10 points, 200", "chosen/20 systems within 10 points/200"),
    ("one of 20 better by 10 points, 200", "chosen/one of 20 better by 10 points/200"),
    ("2 equal systems, 200", "chosen/2 equal systems/200"),
)
BATTLES = (
    ("30 users, 50 comparisons each", "arenas/30 users, 50 battles each/equal"),
    ("10 users, 50 comparisons each", "arenas/10 users, 50 battles each/equal"),
    ("30 users, one with half", "arenas/30 users, one with half of the battles/equal"),
    ("60 users, 15 each, of three systems", "arenas/60 users, 15 battles each, three systems per user/equal"),
)
RUNS = (
    ("real-valued, 500 items, 3 runs", [Procedures("real", 500, (3, 3), (of, of)) for of in (0.0, 2.0, 8.0)]),
    ("real-valued, 500 items, 10 runs", [Procedures("real", 500, (10, 10), (of, of)) for of in (0.0, 2.0, 8.0)]),
    ("binary, 50 items, 3 runs", [Procedures("binary", 50, (3, 3), (of, of)) for of in (0.0, 2.0, 8.0)]),
    ("skewed items, 500, 5 runs", [Procedures("skew", 500, (5, 5), (of, of)) for of in (0.0, 2.0, 8.0)]),
)
ALONE = (
    ("2 runs", 2, "normal"),
    ("3 runs", 3, "normal"),
    ("5 runs", 5, "normal"),
    ("10 runs", 10, "normal"),
    ("5 runs, one in ten is bad", 5, "bad"),
)
UNPAIRED = (
    ("normal", ("normal", (20, 200))),
    ("normal, standard deviations of 3 and 1", ("normal, standard deviations of 3 and 1", (20, 100))),
    ("lognormal, σ = 1", ("lognormal, σ = 1", (10, 100))),
    ("lognormal, σ = 1, and gamma, shape 4", ("lognormal, σ = 1, and gamma, shape 4", (20, 200))),
    ("clusters of 1 to 9, lognormal effects", ("clusters of 1 to 9, lognormal effects", (50, 500))),
    (
        "binary of mean 0.05 and graded, range not known",
        ("binary of mean 0.05 and graded, range not known", (20, 20)),
    ),
    ("the same, range known", ("the same, range known", (20, 20))),
)


def systems_page(results: Results) -> str:
    against = results.get("against", {"sets": 1, "error": 0.0})
    lognormal = results.get("small/lognormal, σ = 1", {}).get("50", 0.0)

    def ranked(of: Any) -> list[str]:
        sets = of["sets"]
        return [f"{sets:,}", *(rate(of[name] / sets, sets, MOST) for name in ("holm", "max_t"))]

    def first(of: Any) -> list[str]:
        sets = of["sets"]
        return [
            rate(of["plain"] / sets, sets),
            rate((of["below"] + of["above"]) / sets, sets, MOST),
            f"{of['width'] / sets:.2f}",
            f"{100 * of['bias'] / sets:+.1f}",
            f"{100 * of['corrected'] / sets:+.1f}",
        ]

    def battle(of: Any) -> list[str]:
        sets = of["sets"]
        return [rate(of["pairs"] / sets, sets, least=LEAST_COVERED), rate(of["errors"] / sets, sets, MOST)]

    runs = [[title, *(_rates(results, f"procedures/{of!r}") for of in cells)] for title, cells in RUNS]
    fixed = [f"procedures/{Procedures('real', 500, (3, 3), (of, of))!r}" for of in (0.0, 2.0, 8.0)]
    runs.append(["the first line, runs treated as fixed", *(worst(results, [of], "items").strip("%") for of in fixed)])
    alone = [
        [title, _rates(results, f"procedures/{Procedures('real', 500, (m, m), (0.0, 8.0), seeds=kind)!r}")]
        for title, m, kind in ALONE
    ]
    unpaired = [
        [title, f"{counts[0]} / {counts[1]}", _rates(results, f"unpaired/{name}/{counts}")]
        for title, (name, counts) in UNPAIRED
    ]
    binary = [100 * of["at_5"] for name, of in results.items() if name.startswith("unpaired/Rates")]
    return f"""# Rankings, runs and different items

This page has the error rates of `rank`, of `--runs random` and of `--unpaired`. {READING}

## Many systems: max-T

The family-wise error of `rank` at 5%: how often it finds any difference between equal systems. Real leaderboards have
their columns centred to equal means, and their units are drawn with replacement.

{table(["items, systems", "sets", "Holm", "max-T"], shown(results, BOARDS, ranked))}

With few units, or systems of unlike skewness, the error is higher than 5%: `rank` warns below 15 units and above 20
pairs. Of lognormal differences of 50 items, the smallest of 50 p-values is below its corrected level
{lognormal:.1f} times as often as it should be ({data("small-levels")}). `compare --against` a constant,
with 50 systems of 50 items: an error in {rate(against["error"], against["sets"], MOST)} of {against["sets"]:,} sets.
All leaderboards, with rank intervals and power: {data("rankings")}.

## First places

The table shows how often the first system's own 95% interval and the interval that allows for the choice miss its true
score, the width of the second in widths of the first, and the mean error of the score, and of the score less its
expected overstatement, in points. Scores are binary ({data("first-places")}).

{table(["systems, items", "own interval misses", "as chosen misses", "width", "error", "less overstatement"], shown(results, FIRST, first))}

## Battles

Strengths of `rank -m bradley-terry`, by user ([battles](../battles.md)): how often the 95% intervals contain the true
differences of all pairs, and how often any difference between equal systems is found at 5%. Few sets were drawn
({sets_of(results, "arenas/")}); {data("battles")} also has unequal systems.

{table(["users", "all pairs", "family-wise error"], shown(results, BATTLES, battle))}

## Runs

The default test of `--runs random`, two-sided, at 5% / 1%; {sets_of(results, "procedures/")} data sets per figure. ρ is
the variance that a run adds to a gain of one run, divided by that of the items.

{table(["scores, items, runs", "ρ = 0", "ρ = 2", "ρ = 8"], runs)}

If only one system varies (ρ = 8, 500 items), few runs are not enough. With 2 runs the verdict is withheld, and with 3
and 4 there is a warning. No correction fixes bad runs.

{table(["runs of the system that varies", "5% / 1%"], alone)}

On clusters of unequal sizes, 5 runs: at most {worst(results, [name for name in results if name.startswith("runs/")])}.
All cells, also of paired and of unequal numbers of runs: {data("runs")}.

## Different items

`compare --unpaired`, at 5% / 1%. Binary items have an exact unconditional test, which rejects at most
{max(binary, default=0.0):.2f}%, summed over all tables. Others have a t-test of two samples, each with its own skewness;
{two_samples_sets(results)} data sets per line.

{table(["scores", "units", "5% / 1%"], unpaired)}

Few binary or nearly constant scores do not show their spread: name the range if the other system's scores are graded.
`permutation` and `brunner-munzel`, and all other cells: {data("unpaired")}.
"""


_DEFAULTS = tuple(f"unpaired/{samples.name}/" for samples in two_samples.SAMPLES)


def two_samples_sets(results: Results) -> str:
    sets = sorted({results[name]["sets"] for name in results if name.startswith(_DEFAULTS)})
    return f"{sets[-1]:,}" if sets else "no"


def is_of_20(name: str) -> bool:
    """Return whether a cell of different items has 20 units or more of both systems, not binary ones beside graded ones."""
    counts = re.search(r"\((\d+), (\d+)\)$", name)
    return (
        counts is not None
        and min(map(int, counts.groups())) >= 20
        and name.startswith(_DEFAULTS)
        and "graded, range" not in name
    )


def _rates(results: Results, task: str) -> str:
    found = results.get(task)
    if found is None:
        return "–"
    bold = found["at_5"] > MOST or found["at_1"] > MOST_AT_1
    return marked(f"{percent(found['at_5'])} / {percent(found['at_1'])}", bold=bold)


# Tests by name.

COLUMNS = ("bootstrap", "randomization", "paired-t", "sign", "wilcoxon")


def _rate_cell(found: Mapping[str, Any], test: str, asks: Iterable[Any], alpha: float) -> str:
    """Return the rates of several asks; bold where one is above alpha by more than 3 standard errors."""
    shares = []
    for ask in asks:
        hit = found.get(f"{test}|{ask}|{alpha:g}")
        if hit is None:
            return "–"
        shares.append((hit[0] / hit[1], hit[1]))
    excess = any(share > alpha + 3 * sqrt(alpha * (1 - alpha) / count) for share, count in shares)
    return marked(" / ".join(percent(share) for share, _ in shares), bold=excess)


def _named_rate(results: Results, population: nulls.Population, n: int, test: str, ask: Any) -> str:
    found = results.get(f"named/{population}/{n}")
    return "–" if found is None else _rate_cell(found, test, [ask], 0.05).strip("*")


def _named(population: nulls.Population) -> str:
    """Return the name of a population, with r for the correlation of the systems' scores."""
    return population.name.replace("r12 =", "r =")


def _named_table(results: Results, of: Iterable[tuple[nulls.Population, int]]) -> str:
    return table(
        ["population", "n", *COLUMNS],
        (
            [_named(population), str(n), *(_rate_cell(found, test, SIDES, 0.05) for test in COLUMNS)]
            for population, n in of
            if (found := results.get(f"named/{population}/{n}"))
        ),
    )


def nulls_page(results: Results) -> str:
    alike = [
        (population, n)
        for population in (nulls.normal(), nulls.symmetric_lognormal(), nulls.binary_correlated(), nulls.clustered())
        for n in (20, 200)
    ]
    few = [
        [
            str(n),
            *(
                _rate_cell(results.get(f"few/{population}/{n}", {}), "bootstrap", SIDES, alpha)
                for population in (nulls.normal(), nulls.clustered())
                for alpha in measured.ALPHAS
            ),
        ]
        for n in (10, 20, 30, 50, 100, 200)
    ]
    skewed = [
        [population.name, str(n), *(_rate_cell(found, test, [LESS], 0.05) for test in COLUMNS)]
        for population in (nulls.exponential(), nulls.lognormal())
        for n in (20, 200)
        if (found := results.get(f"named/{population}/{n}"))
    ]
    differing = [
        [
            str(n),
            *(
                marked(percent(of[f"{test}|0.05"]), bold=of[f"{test}|0.05"] > 0.05)
                for test in ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t")
            ),
        ]
        for n in (3, 5, 10, 20, 50)
        if (of := results.get(f"differing/{n}"))
    ]
    return f"""# Tests by name

This page has the type I error rates of the tests of `--test`, one-sided / two-sided, at a nominal 5%. {READING}
{sets_of(results, "named/")} data sets per figure, of `wilcoxon` fewer. **Bold** figures are above 5% by more than three
standard errors. n counts items or clusters. {data("tests")} has all populations, `bootstrap-uncentred`, and the rates at
1%.

## Rejected true nulls

The systems are exchangeable, item by item:

{_named_table(results, alike)}

If clusters are ignored, all tests reject far too often (20 clusters of 10 items on average):

{_named_table(results, [(nulls.clusters_ignored(), 20)])}

### The bootstrap by number of units

{sets_of(results, "few/")} data sets per line.

{table(["n", "normal, 5%", "normal, 1%", "clusters, 5%", "clusters, 1%"], few)}

### Few items that differ

Of 1,000 binary items so many differ, each a win or a loss with probability ½. One-sided at 5%, exact.

{table(["items that differ", "bootstrap", "bootstrap-uncentred", "randomization", "paired-t"], differing)}

### Equal, but not alike

The gain can be 0 although the systems are not exchangeable. The null hypothesis of `randomization` is then false, and
it tests the gain approximately, as the bootstrap does. Systems with equal F1 but different precision and recall:

{_named_table(results, [(nulls.f1_unlike(), n) for n in (20, 200)])}

Skewed differences, with many small losses and a few large wins, and how often a loss is claimed:

{table(["population", "n", *COLUMNS], skewed)}
"""


# Intervals and margins.

INTERVALS = (
    nulls.normal(),
    nulls.student(),
    nulls.binary_correlated(),
    nulls.f1(),
    nulls.clustered(),
    nulls.exponential(),
    nulls.lognormal(),
    nulls.clusters_ignored(),
)
SCORES = (
    "accuracy, error rate 0.0088, n = 20",
    "accuracy 0.95, 20 clusters, 20 each, correlation 0.5",
    "accuracy 0.95, 60 clusters, lognormal, correlation 0.3",
    "F1, recall 0.95, precision 0.95, n = 50",
    "lognormal scores, σ = 1.5, n = 100",
    "graded, 98% near 1, 2% at 0, range known, n = 30",
    "graded, 98% near 1, 2% at 0, range not known, n = 30",
    "graded, 98% near 1, 2% at 0, range not known, n = 100",
    "new runs, 20 clusters, lognormal",
)
MARGINS = ((30, 0.1, 0.0), (100, 0.02, 0.0), (100, 0.05, 0.01), (200, 0.02, 0.0), (200, 0.02, 0.05), (500, 0.01, 0.0))
LOSSES = ("graded, 2% hurt, 0% helped", "F1 of 0.95, 5% hurt, 2% helped", "clusters, 5% lost, 0% won")


def intervals_page(results: Results) -> str:
    covered = []
    for population in INTERVALS:
        cells = []
        for n in measured.SIZES:
            found = results.get(f"named/{population}/{n}")
            held = [found[f"covered|{method}"] / found["sets"] for method in measured.INTERVALS] if found else []
            cells.append(" / ".join(map(percent, held)) or "–")
        covered.append([_named(population), *cells])
    binary = [
        [str(n), percent(of["least"]), of["at"], percent(of["mean"])]
        for n in (10, 20, 30, 50, 100)
        if (of := results.get(f"binary/{n}"))
    ]

    def score(of: Any) -> list[str]:
        sets = of["sets"]
        held = rate(of["held"] / sets, sets, least=LEAST_COVERED)
        return [held, *(percent(of[field] / sets) for field in ("below", "above"))]

    tests = [test.name for test in measured.AT_A_MARGIN]
    exact = [
        [str(n), f"{margin:g}", f"{wins:.0%}"]
        + [marked(percent(found[test][0]), bold=found[test][0] > 0.06) if test in found else "–" for test in tests]
        for n, margin, wins in MARGINS
        if (found := results.get(f"margin/{n}/{margin:g}/{wins:g}"))
    ]
    losses = [
        [population.name, f"{found['margin']:.3g}", "100"]
        + [
            marked(percent(hit[0] / hit[1]), bold=hit[0] / hit[1] > 0.05 + 3 * sqrt(0.05 * 0.95 / hit[1]))
            if (hit := found.get(f"{test}|not-worse"))
            else "–"
            for test in tests
        ]
        for population in nulls.FEW_LOSSES
        if population.name in LOSSES and (found := results.get(f"losses/{population}/100"))
    ]
    power = [
        [str(n), f"{margin:g}", f"{differing:.0%}", *(percent(of[0]) for of in found.values())]
        for n, margin, differing in measured.MARGIN_POWER
        if (found := results.get(f"margin power/{n}/{margin:g}/{differing:g}"))
    ]
    return f"""# Intervals and margins

This page has the coverage of the bootstrap intervals of `--interval` and of intervals of scores, and the error rates of
claims with a margin. {READING} The default's interval misses the true gain as often as
[the default test](../calibration.md#the-default) rejects at 5%.

## Coverage of intervals at 95%

percentile / basic / BCa, {sets_of(results, "named/")} data sets per figure. {data("intervals")} has more populations.

{table(["population", *(f"n = {n}" for n in measured.SIZES)], covered)}

## Gains of binary items

The default's 95% interval: the least coverage over {len(measured.binary_rates())} rates of wins and losses, at which
rates it is, and the mean coverage over these rates, all summed exactly.

{table(["items", "least", "at wins, losses", "mean"], binary)}

## Scores

How often the 95% interval of `outscore score` contains a system's true score, is completely below it, or above it;
{sets_of(results, "scores/")} data sets each ({data("scores")}).

{table(["system", "holds the truth", "too low", "too high"], shown(results, [(name, f"scores/{name}") for name in SCORES], score))}

## Claims with a margin

The candidate is worse by exactly the margin: how often is it called `not-worse` at a nominal 5%? `score`, the default
for these claims if the range is known, allows for losses that are missing from the test set (Tango 1998); the bootstrap
and randomization cannot. Binary items, **exact**; bold is above 6%:

{table(["n", "margin", "wins", *tests], exact)}

Other metrics, {sets_of(results, "losses/")} data sets each:

{table(["population", "margin", "n", *tests], losses)}

The power of `score` at 5% for equally good systems (exact):

{table(["n", "margin", "wins and losses, each", "not-worse", "equivalent"], power)}

`equivalent`, other populations and 1%: {data("margins")}.
"""


def pages(results: Results) -> dict[str, str]:
    """Return all pages by their place in the documentation."""
    made = {
        "calibration.md": first_page,
        "calibration/nulls.md": nulls_page,
        "calibration/intervals.md": intervals_page,
        "calibration/systems.md": systems_page,
    }
    return {place: wrapped(page(results)) for place, page in made.items()}
