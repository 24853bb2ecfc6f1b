# ruff: noqa: E501 -- lines of pages
"""The pages of docs/calibration.md and docs/calibration, from what was measured."""

from __future__ import annotations

import platform
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, TypeVar

import calibration_tasks as measured
import gate_sequential
import numpy as np
import scipy
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
from tests.calibration import arenas, boards, chosen, nulls, own_scores, populations, real, two_samples
from tests.calibration.measuring import GREATER, LESS, TWO_SIDED
from tests.calibration.runs import Procedures

_Case = TypeVar("_Case")

COLUMNS = ("bootstrap", "bootstrap-uncentred", "randomization", "paired-t", "sign", "wilcoxon")
ABOUT_THE_MEAN = COLUMNS[:4]
SIDES = (GREATER, TWO_SIDED)
READING = "[Calibration](../calibration.md) explains how the figures were made and how to read them."


# Text.


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [list(header), ["---"] * len(header), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def folded(summary: str, text: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def wrapped(page: str) -> str:
    """Return a page with its paragraphs and list items filled to 120 characters; tables and headings stay."""
    blocks = []
    for block in page.strip().split("\n\n"):
        if block.startswith(("|", "#", "<")):
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


def known(results: Results, cases: Iterable[_Case], task: Callable[[_Case], str]) -> Iterator[tuple[_Case, Any]]:
    """Yield the cases that were measured, with what was found of each."""
    for case in cases:
        found = results.get(task(case))
        if found is not None:
            yield case, found


def sets_of(results: Results, start: str) -> str:
    """Return how many data sets the cells of one kind drew."""
    counts = sorted({of["sets"] for name, of in results.items() if name.startswith(start) and "sets" in of})
    if not counts:
        return "no"
    return f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"


# The default.


def level_cells(found: Mapping[str, Any]) -> list[str]:
    """Return the rates of one cell: at 5%, at 1% and one-sided, and the diagnostic of few effective units."""
    bounds = ((found["at_5"], MOST), (found["at_1"], MOST_AT_1), (found["one_sided"], MOST_ONE_SIDED))
    return [
        *(marked(percent(value), bold=value > most) for value, most in bounds),
        f"{found['effective']:.0f}",
        f"{100 * found['few']:.0f}",
        percent(found["unwarned"]),
    ]


HEADER = ["population", "units", "5%", "1%", "one-sided 5%", "m", "m < 5", "5%, m ≥ 5"]


def level_table(results: Results, of: Iterable[populations.Population]) -> str:
    return table(
        HEADER,
        (
            [population.name, str(n), *level_cells(found)]
            for population in of
            for n in population.counts
            if (found := results.get(f"default/{population.name}/{n}"))
        ),
    )


def default_page(results: Results) -> str:
    corpora = table(
        HEADER,
        (
            [corpus.name, str(n), *level_cells(found)]
            for corpus in real.corpora()[0]
            for n in corpus.counts
            if (found := results.get(f"real/{corpus.name}/{n}"))
        ),
    )
    missing = "".join(f"\n- {line}." for line in real.corpora()[1])
    return f"""# The default test on all populations

{READING}

All columns except m are in percent. The first three are the rates at which the default test rejects a true null
hypothesis: at 5% and at 1%, two-sided, and at 5% one-sided, on the side that rejects more. Next is the median
effective number of units m. The last two are how often m is below 5, which causes a warning, and how often the test
rejects at 5% without that warning.
{sets_of(results, "default/")} data sets per line: a standard error of 0.2 at 5% and 0.1 at 1% with 10,000. **Bold**
figures are above the bounds: 6.5% at 5%, 1.6% at 1%, 7.5% one-sided. Binary items use the exact randomization test,
all others the skewness-corrected t-test. Its two-sided 95% interval misses the true gain as often as the test
rejects at 5%.

## Items

{level_table(results, populations.ITEMS)}

## Clusters

The intraclass correlation is 0.3 unless stated otherwise. Units are clusters.

{level_table(results, populations.CLUSTERS)}

## Strata of equal weight

`--weights macro`. Units are items.

{level_table(results, populations.STRATA)}

## Populations that had no part in choosing the rule

The constants of the rule were chosen on the populations above. These were measured afterwards.

{level_table(results, populations.APART)}

## Populations made to break the rule

Ties with a few large differences, rare large parts, and a few clusters with most of the items.

{level_table(results, populations.HARD)}

## Small strata of skewed differences

`--weights macro`, or the weights that are named. Units are items.

{level_table(results, populations.SMALL_STRATA)}

## Real systems

The items of a corpus are the population. Test sets are drawn from it with replacement, so that the true gain is known.
A figure at 5% is how often the 95% interval misses the true gain; {sets_of(results, "real/")} test sets per line. Units
are utterances, segments, sentences, queries and documents. "Made equal" weights the utterances so that both recognisers
have the same word error rate. "All pairs" are test sets of another pair of systems each, in either direction, whose
means are made equal. Its figures are then means over pairs.

{corpora}
{missing}
"""


# The first page.

# What levels of 0.7.0 were, in per cent: name of the cell, figure of 0.7.0, task, field, bound.
BEFORE: tuple[tuple[str, str, str, str], ...] = (
    ("`compare`, new runs, 10 lognormal clusters", "14.4", "runs/lognormal/10/0", "at_5"),
    ("`compare`, new runs, 20 clusters, one with half of the items", "26.6", "runs/one with half/20/0", "at_5"),
    ("`compare`, new runs, accuracy, 20 lognormal clusters", "12.6", "runs/lognormal, binary/20/0", "at_5"),
    ("`rank`, new runs, 20 clusters, one with half", "35.0", "boards/new runs, 20 clusters, one with half/5", "holm"),
    ("`rank`, new runs, 20 lognormal clusters", "21.3", "boards/new runs, 20 lognormal clusters/5", "holm"),
    ("`rank`, strata of 5, 5 and 300, macro", "36.3", "boards/strata: 2 of 5, 300/10", "max_t"),
    ("the same, binary", "9.6", "boards/strata: 2 of 5, 300, binary/10", "max_t"),
    ("`rank`, ten strata of 3 and one of 300, macro", "15.7", "boards/strata: 10 of 3, 300/10", "max_t"),
    ("`rank`, ten of 5 and one of 500, macro, binary", "11.0", "boards/strata: 10 of 5, 500, binary/10", "max_t"),
    ("`rank`, strata of 10 to 350, macro", "11.6", "boards/strata: 10, 20, 40, 80, 350/10", "max_t"),
    ("`rank`, 200 lognormal clusters, 25 systems", "14.0, 21.0", "boards/lognormal clusters, 200/25", "max_t"),
    ("`rank`, 50 lognormal clusters, 25 systems", "10.3", "boards/lognormal clusters, 50/25", "max_t"),
    ("`rank`, 200 clusters, one with half", "7.7", "boards/200 clusters, one with half of the items/10", "max_t"),
    ("`compare`, 5 clusters of 30, 400 of 1", "8.3", "default/5 clusters of 30, others of 1/405", "at_5"),
    ("the same, correlation 1", "9.9", "default/the same, correlation 1/405", "at_5"),
    ("`compare`, 5 clusters of 60, 1,000 of 1", "8.4", "default/5 clusters of 60, others of 1/1005", "at_5"),
    ("the same, correlation 1", "9.8", "default/the same, correlation 1 (60)/1005", "at_5"),
    ("`compare`, 200 lognormal clusters (0.7.0: 250)", "7.2", "default/lognormal clusters/200", "at_5"),
    ("`compare`, 300 Zipf clusters", "7.0", "default/Zipf clusters, 60/r^0.7/300", "at_5"),
    ("WER of two recognisers, n = 20", "8.1", "real/WER, LibriSpeech: azure, watson, made equal/20", "at_5"),
    ("n = 50", "7.9", "real/WER, LibriSpeech: azure, watson, made equal/50", "at_5"),
    ("n = 100", "7.8", "real/WER, LibriSpeech: azure, watson, made equal/100", "at_5"),
    ("the same one-sided, n = 20", "12.2", "real/WER, LibriSpeech: azure, watson, made equal/20", "one_sided"),
    ("n = 50", "11.0", "real/WER, LibriSpeech: azure, watson, made equal/50", "one_sided"),
    ("n = 100", "8.6", "real/WER, LibriSpeech: azure, watson, made equal/100", "one_sided"),
    ("latency of unlike systems, n = 50", "10.8", "default/latency, unlike systems/50", "at_5"),
    ("n = 200", "8.6", "default/latency, unlike systems/200", "at_5"),
    ("lognormal, σ = 1.5, n = 50", "6.9", "default/lognormal, σ = 1.5/50", "at_5"),
    ("lognormal, σ = 2, n = 50", "9.6", "default/lognormal, σ = 2/50", "at_5"),
    ("n = 200", "10.4", "default/lognormal, σ = 2/200", "at_5"),
    ("the same one-sided, n = 200", "16.2", "default/lognormal, σ = 2/200", "one_sided"),
    ("hallucinations in 1% of 200 outputs", "13.7", "default/hallucinations, 1%/200", "at_5"),
    ("in 0.2% of 500", "13.7", "default/hallucinations, 0.2%/500", "at_5"),
    ("in 0.2% of 1,000", "9.4", "default/hallucinations, 0.2%/1000", "at_5"),
    (
        "`rank`, half with rare large losses, n = 200",
        "10.2",
        "boards/half with rare large losses, 200 items/12",
        "max_t",
    ),
    ("`compare --against`, 50 systems, 50 items", "8.7", "against", "error"),
    ("battles, 30 users with lognormal numbers", "10.4", "arenas/30 users, lognormal/equal", "errors"),
    ("battles, 100 users with lognormal numbers", "11.6", "arenas/100 users, lognormal/equal", "errors"),
)
COVERED_BEFORE: tuple[tuple[str, str, str], ...] = (
    ("new runs, 20 clusters, one with half", "73.7", "scores/new runs, 20 clusters, one with half"),
    ("new runs, 20 lognormal clusters", "88.4", "scores/new runs, 20 clusters, lognormal"),
    (
        "graded, 98% near 1, range not known, n = 30",
        "46.7",
        "scores/graded, 98% near 1, 2% at 0, range not known, n = 30",
    ),
    ("the same, n = 100", "85.0", "scores/graded, 98% near 1, 2% at 0, range not known, n = 100"),
    ("graded, 98% near 1, range known, n = 30", "46.7", "scores/graded, 98% near 1, 2% at 0, range known, n = 30"),
    ("the same, n = 100", "85.0", "scores/graded, 98% near 1, 2% at 0, range known, n = 100"),
    ("accuracy 0.98, 20 clusters of 5", "79.0", "scores/accuracy 0.98, 20 clusters of 5"),
    ("accuracy 0.98, 5 strata of 20", "86.2", "scores/accuracy 0.98, 5 strata of 20"),
    ("accuracy 0.95, 10 clusters of 20", "88.5", "scores/accuracy 0.95, 10 clusters, 20 each, correlation 0.3"),
    ("accuracy, 20 items, error rate 0.0088", "84.9", "scores/accuracy, error rate 0.0088, n = 20"),
    ("battles, one user with half of them: pairs", "88.5", "arenas/30 users, one with half of the battles/apart"),
    ("a nearly undefeated system", "80", "arenas/a nearly undefeated system, 30 users, no ties/apart"),
)


def now(results: Results, task: str, field: str) -> str:
    """Return what is measured of a cell today."""
    found = results.get(task)
    if found is None:
        return "–"
    value, sets = found[field], found["sets"]
    value = value if isinstance(value, float) else value / sets
    return rate(value, sets, MOST_ONE_SIDED if field == "one_sided" else MOST)


def covered_now(results: Results, task: str) -> str:
    found = results.get(task)
    if found is None:
        return "–"
    held = found["first"] if "undefeated" in task else found.get("held", found.get("pairs"))
    return rate(held / found["sets"], found["sets"], least=LEAST_COVERED)


def summary_table(results: Results) -> str:
    """Return the largest rates of each population by the number of units."""
    groups: tuple[tuple[str, Callable[[int], bool]], ...] = (
        ("fewer than 20", lambda n: n < 20),
        ("20 to 49", lambda n: 20 <= n < 50),
        ("50 and more", lambda n: n >= 50),
    )
    rows = []
    for population in populations.EVERY.values():
        cells = []
        for _, holds in groups:
            found = [
                of for n in population.counts if holds(n) and (of := results.get(f"default/{population.name}/{n}"))
            ]
            if not found:
                cells.append("–")
                continue
            worst = [max(of[field] for of in found) for field in ("at_5", "at_1", "one_sided")]
            bounds = (MOST, MOST_AT_1, MOST_ONE_SIDED)
            cells.append(
                " / ".join(marked(percent(value), bold=value > most) for value, most in zip(worst, bounds, strict=True))
            )
        rows.append([population.name, *cells])
    return table(["population", *(f"{name} units" for name, _ in groups)], rows)


def worst(results: Results, names: Iterable[str], field: str = "at_5") -> str:
    """Return the largest of some rates."""
    values = []
    for name in names:
        of = results.get(name)
        if of is not None:
            values.append(of[field] if isinstance(of[field], float) else of[field] / of["sets"])
    return f"{percent(max(values))}%" if values else "–"


def exceptions_table(results: Results) -> str:
    """Return the populations with rates above the bound: the units at which, and the least and largest of these rates."""
    rows = []
    for population, of in levels(results).items():
        above = [(n, rate) for n, rate in of if rate > MOST]
        if above:
            units, rates = zip(*above, strict=True)
            rows.append([population, _span(units, "{:,}"), _span([100 * rate for rate in rates], "{:.1f}")])
    return table(["population", "units", "5%"], rows)


def _span(values: Sequence[float], form: str) -> str:
    ends = [form.format(end) for end in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


UNSEEN = ("scores/graded, 98% near 1, 2% at 0, range not known", "scores/1, and −9 on 2%")  # rare low scores
CLUSTERED = "correlation 0.5"  # within clusters: intervals of accuracies in few of them are too short


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
    covered = [share for name, share in scores if not name.startswith(UNSEEN) and CLUSTERED not in name]
    in_clusters = [share for name, share in scores if CLUSTERED in name]
    binary = [of["least"] for name, of in results.items() if name.startswith("binary/")]
    chosen_ = [of for name, of in results.items() if name.startswith("chosen/")]
    scores_hold = f"{percent(min(covered))}%" if covered else "–"
    theirs = results.get("sacrebleu")
    ignored, named = (
        _named_rate(results, population, 20, "randomization", TWO_SIDED)
        for population in (nulls.clusters_ignored(), nulls.clustered())
    )
    by_units = [_named_rates(results, nulls.normal(), n, "bootstrap") for n in (20, 50, 200)]
    of_items = [of["items"] for name, of in results.items() if name.startswith("procedures/")]
    return f"""# Calibration

This page shows how often the tests of outscore reject true null hypotheses, and how often its intervals contain the
true value.

`python benchmarks/calibration.py` measures all figures and writes all pages. It draws data sets from populations in
which both systems are equally good, with seed {measured.SEED}. These are of outscore {results["version"]}, NumPy
{np.__version__}, SciPy {scipy.__version__} and Python {platform.python_version()}. The default test of a comparison is a
closed form. It is measured by the functions that `outscore.compare` calls, on thousands of data sets at once, and the
first data set of each cell is checked against the public call. Rankings, scores and pairwise comparisons are
measured only by public calls. `tests/calibration` checks a selection whenever the tests run.

All figures are in percent, ± one standard error.
**Bold** figures are beyond their bound: 6.5% at a nominal 5%, 1.6% at 1%,
7.5% one-sided, and 93% for the coverage of a 95% interval.

## In short

- **The default test** rejects at most {percent(max(usual, default=0.0))}% of true nulls at a nominal 5% from 50 units
  on, two-sided, and {percent(float(np.median(usual or [0.0])))}% in the median, in {len(from_50) - excepted} of the
  {len(from_50)} populations of these pages. [The others](#where-no-test-holds-the-level) reject more:
  {"; ".join(EXCEPTIONS)}. On up to 50 units skewed scores can reject too often.
- **Clusters of unequal sizes and weighted strata** of these pages: at most
  {worst(results, [f"default/{of.name}/{n}" for of in weighted for n in of.counts])}.
  Two to four clusters with most of the weight, and small strata of skewed differences, are among the exceptions.
- **Many systems**: `rank` finds a difference between equal systems in at most
  {worst(results, other, "holm")} of the leaderboards with Holm's correction
  and {worst(results, other, "max_t")} with max-T. With few units, and systems whose skewness the units do not show, it
  is up to {worst(results, few, "max_t")} ([many systems](calibration/systems.md)).
- **First places**: the interval that allows for the choice misses the true score of the system in first place in at most
  {percent(max(((of["below"] + of["above"]) / of["sets"] for of in chosen_), default=0.0))}% of the sets, and its own
  interval in up to {percent(max((of["plain"] / of["sets"] for of in chosen_), default=0.0))}%.
- **New runs** on clusters of unequal sizes: at most
  {worst(results, [name for name in results if name.startswith("runs/")])} with 5 runs. Runs without an effect of
  their own and runs with skewed items are among the exceptions.
- **Scores**: the 95% intervals of `score` contain the true score in at least
  {scores_hold} of the sets of these pages, also
  near a bound. Exceptions are rare low scores that a set does not contain, if the range is not known
  ([scores](calibration/scores.md)), and accuracies in clusters with an intraclass correlation of 0.5, down to
  {percent(min(in_clusters, default=0.0))}%.
- **Gains of binary items**: at 65 rates of wins and losses their 95% interval covers at least
  {percent(min(binary, default=0.0))}%, exactly. Where nearly all items differ it covers less: 85.2% with 16 items, rates 0.8 and 0.2.
- **Different items** (`--unpaired`): the test of binary items keeps its level at all sizes and rates that were summed.
  The other default test rejects at most
  {worst(results, [name for name in results if name.startswith("unpaired/") and is_of_20(name)])} from 20 units in the
  smaller system, apart from a binary system beside a graded one without a known range
  ([different items](calibration/unpaired.md)).
- **Name the clusters.** With 20 documents of 10 items on average and an intraclass correlation of 0.2,
  `randomization` rejects {ignored}% at a nominal 5% if they are treated as 200 independent items, and {named}% with
  `--cluster`.
- **Name the runs.** If runs vary, a test over items only rejects up to
  {percent(max(of_items, default=0.0))}% at a nominal 5%.
- **`bootstrap`** has no correction for few units.
  It rejects {by_units[0]}% of true nulls at n = 20, {by_units[1]}% at n = 50 and
  {by_units[2]}% at n = 200 (normal differences, one-sided / two-sided).

## What 0.7.0 rejected, and what this version rejects

True nulls at a nominal 5%, two-sided unless said otherwise; for `rank` the family-wise error, with max-T, or Holm's
correction of new runs. The figures of 0.7.0 were measured on the same populations.

{table(["cell", "0.7.0", "now"], ([what, old, now(results, task, field)] for what, old, task, field in BEFORE))}

Coverage of 95% intervals:

{table(["interval", "0.7.0", "now"], ([what, old, covered_now(results, task)] for what, old, task in COVERED_BEFORE))}

## The default

This section measures the test that `outscore compare` uses if you name none. The figures are the largest of each
population and range of units, at 5% / at 1% / at 5% one-sided.
[All cells](calibration/default.md) are on a separate page, with
{sets_of(results, "default/")} data sets each.

{summary_table(results)}

## Where no test holds the level

Bahadur and Savage (1956) proved that no test of a mean keeps its level for all distributions without a known range and
has any power. The reason is simple. If one item in a thousand loses a hundred times as much as the others win, most test
sets of 200 items do not contain such an item, and nothing in them shows that it exists. Populations are of that
kind if large differences are on so few items that a test set contains one or two of them, or none. Skewed differences of
unlike systems are similar on fewer than 50 to 200 units, because the sample often shows skewness of the wrong sign. The
table lists all populations with a rate above 6.5% on any number of units.

{exceptions_table(results)}

If fewer than 5 effective units carry the variance, a warning names them and reports whether one more unit like the
worst would change the verdict. State the range if you can (`mean:lowest=0,highest=1`). Claims with a margin and
intervals of scores then allow for unseen items.

## The pages

| page | what it measures |
|---|---|
| this one | in short; what 0.7.0 rejected; where no test holds the level; mistakes |
| [the default on all populations](calibration/default.md) | each population by number of units; real systems |
| [power](calibration/power.md) | what the default finds where Student's t finds 80%; what `plan` states |
| [many systems and battles](calibration/systems.md) | family-wise errors; p-values at small levels; strengths of Bradley and Terry |
| [runs](calibration/runs.md) | new runs on items and on clusters of unequal sizes |
| [scores](calibration/scores.md) | coverage of the interval of one system's score, and of the first place of a ranking |
| [different items](calibration/unpaired.md) | `compare --unpaired`: binary items, other scores, tests by name |
| [tests by name](calibration/nulls.md) | bootstrap, randomization and others by number of units |
| [intervals and margins](calibration/intervals.md) | percentile, basic and BCa intervals; gains of binary items; claims with a margin |
| [a gate that stops early](calibration/gate.md) | false positives and power of `gate --sequential` |

## Mistakes

**Treating paired systems as independent**
(Yeh 2000, section 2.1) overstates the standard error by 1/√(1 − r), where r is
the correlation between the systems' scores. The table has first true null hypotheses, then gains of 2.8 standard
errors; two-sided, at 5%,
{sets_of(results, "independent/")} data sets per line.

{_independent_table(results)}

**Centring after taking absolute values.** sacreBLEU's paired bootstrap takes the absolute values |δ*| of the
bootstrap samples, subtracts their mean, and counts those that exceed |δ|. If |δ| is large, so is that mean, and
only one of two tails is counted.
Of {theirs["sets"] if theirs else 0:,} true nulls (normal differences, n = 200) that formula rejects
**{percent(theirs["theirs"]) if theirs else "–"}%** at a nominal 5%, and `bootstrap`, two-sided,
{percent(theirs["ours"]) if theirs else "–"}% on the same samples.
"""


# Many systems, and battles.


def systems_page(results: Results) -> str:
    rows = []
    for board, found in known(results, boards.every(), lambda board: f"boards/{board.name}/{board.systems}"):
        sets = found["sets"]
        max_t = "–" if board.name.startswith("new runs") else rate(found["max_t"] / sets, sets, MOST)
        power = (
            [percent(found[f"power_of_{name}"] / sets) for name in ("holm", "max_t")] if board.better else ["–", "–"]
        )
        rows.append(
            [
                board.name,
                str(board.systems),
                f"{sets:,}",
                rate(found["holm"] / sets, sets, MOST),
                max_t,
                rate(found["ranks"] / sets, sets),
                *power,
            ]
        )
    small = [
        [name.removeprefix("small/"), *(f"{of[str(k)]:.2f}" for k in measured.MULTIPLE)]
        for name, of in results.items()
        if name.startswith("small/")
    ]
    battles = []
    for arena in arenas.ARENAS:
        apart = any(arena.strengths)
        found = results.get(f"arenas/{arena.name}/{'apart' if apart else 'equal'}")
        if found is None:
            continue
        sets = found["sets"]
        battles.append(
            [
                arena.name,
                "apart" if apart else "equal",
                f"{sets:,}",
                rate(found["pairs"] / sets, sets, least=LEAST_COVERED),
                rate(found["first"] / sets, sets, least=LEAST_COVERED),
                "–" if apart else rate(found["errors"] / sets, sets, MOST),
            ]
        )
    against = results.get("against", {"sets": 1, "error": 0.0})
    return f"""# Many systems and battles

{READING}

## Many systems: max-T

The family-wise error of `rank` at 5%: how often it finds any difference between equal systems, with Holm's
correction and with max-T. The fifth column is how often all rank intervals together contain the true ranks.
`tests/calibration/boards.py` has the populations. New runs have only Holm's correction. Real boards have their columns
centred to equal means, and their units are drawn with replacement. With few units, or systems of unlike skewness, the
error is higher than 5%: `rank` warns below 15 units and above 20 pairs. Where half of the systems are better, it is by
that many standard errors of a difference, and the last two columns are the power.

{table(["systems", "number", "sets", "Holm", "max-T", "ranks hold", "Holm finds", "max-T finds"], rows)}

## Many comparisons

The table shows how often the p-value of one comparison is below α/k, as a multiple of α/k with α = 5%:
50 items, two-sided,
{sets_of(results, "small/")} data sets. Holm's correction of k comparisons compares its smallest p-value with α/k.
With lognormal differences, the rate is up to
{max((of[str(k)] for name, of in results.items() if name.startswith("small/lognormal") for k in measured.MULTIPLE), default=0.0):.1f}
times the nominal one at such levels.

{table(["population", *(f"k = {k}" for k in measured.MULTIPLE)], small)}

`compare --against` a constant, 50 independent systems of 50 normal items, Holm: any of them is called different in
{rate(against["error"], against["sets"], MOST)} of {against["sets"]:,} sets.

## Battles

Strengths of `rank -m bradley-terry`, by user ([battles.md](../battles.md)): how often the 95% intervals contain the
true differences of all pairs, and of the pairs of the first system. The last column is how often any difference
between equal systems is found at 5%.
Preferences are normal over users, by system. A fifth of the comparisons are ties unless
stated otherwise.
`tests/calibration/arenas.py` has the populations.

{table(["users", "systems", "sets", "all pairs", "first system", "family-wise error"], battles) if battles else ""}
"""


# Runs.


def _rates(results: Results, task: str) -> str:
    found = results.get(task)
    if found is None:
        return "–"
    bold = found["at_5"] > MOST or found["at_1"] > MOST_AT_1
    return marked(f"{percent(found['at_5'])} / {percent(found['at_1'])}", bold=bold)


def _of(results: Results, procedures: Procedures) -> str:
    return _rates(results, f"procedures/{procedures!r}")


def runs_page(results: Results) -> str:
    rho = measured.RHO
    clusters = [
        [kind, str(n), *(_rates(results, f"runs/{kind}/{n}/{ratio:g}") for ratio in measured.RATIOS)]
        for kind, n in measured.CLUSTER_RUNS
    ]
    cells = [(kind, n, m) for kind in ("binary", "real", "skew") for n in (50, 500) for m in (3, 5, 10)]
    alike = [
        [kind, str(n), str(m), *(_of(results, Procedures(kind, n, (m, m), (of, of))) for of in rho)]
        for kind, n, m in cells
    ]
    items = [
        [
            kind,
            str(n),
            str(m),
            *(
                percent(found["items"]) if (found := results.get(f"procedures/{key!r}")) else "–"
                for of in rho
                for key in [Procedures(kind, n, (m, m), (of, of))]
            ),
        ]
        for kind, n, m in cells
    ]
    alone = [
        [str(m), *(_of(results, Procedures("real", 500, (m, m), (0.0, of))) for of in rho[1:])]
        for m in (2, 3, 4, 5, 10)
    ]
    uneven = [
        [", ".join(map(str, m)), *(_of(results, Procedures("real", 500, m, (of, of))) for of in (0.0, 2.0))]
        for m in ((3, 10), (5, 8))
    ]
    paired = [
        [str(m), *(_of(results, Procedures("real", 500, (m, m), (of, of), shared=True)) for of in (0.0, 2.0, 8.0))]
        for m in (3, 5, 10)
    ]
    odd = [
        [what, *(_of(results, Procedures("real", 500, (m, m), (0.0, 8.0), seeds=kind)) for m in (3, 5, 10))]
        for kind, what in (("exponential", "exponential"), ("bad", "one run in ten is bad"))
    ]
    return f"""# Runs

{READING}

This page has the type I error rates of `--runs random`: the default test, two-sided, at 5% / 1%. The coverage of
95% intervals is 100 minus the first figure.

## New runs on clusters

Five runs of each system on items in clusters with an intraclass correlation of 0.3. ρ is the variance that a run
adds to the gain of one run, divided by that of the items. {sets_of(results, "runs/")} data sets per figure.

{table(["sizes", "clusters", *(f"ρ = {of:g}" for of in measured.RATIOS)], clusters)}

## Several runs

Single items, {sets_of(results, "procedures/")} data sets per figure; `tests/calibration/runs.py` makes the sets. Systems
share items; half of the variance σ² of the difference of one run each is interaction of items and runs. ρ = nτ²/σ² for
each system is how much a run adds to the variance of a gain of one run, against the items. With a fifth of 500 items
decided differently, a standard deviation of 1 point from seed to seed is ρ = 0.25; of 5,000 items it is 2.5. "skew" has
lognormal item effects.

{table(["scores", "n", "m", *(f"ρ = {of:g}" for of in rho)], alike)}

The same data sets with runs wrongly treated as fixed (the default over items, at 5%). The rate is 5% only at ρ = 0.

{table(["scores", "n", "m", *(f"ρ = {of:g}" for of in rho)], items)}

**Only one system varies**, n = 500. With 2 runs the verdict is withheld, and with 3 and 4 a warning says that the
test is rough.

{table(["m", *(f"ρ = 0; {of:g}" for of in rho[1:])], alone)}

**Unequal numbers of runs**, normal scores, n = 500:

{table(["m", "ρ = 0", "ρ = 2"], uneven)}

**Paired runs** (`--pair-runs`), normal scores, n = 500:

{table(["m", "ρ = 0", "ρ = 2", "ρ = 8"], paired)}

**Runs that are not normal**, of one system only, ρ = 8, n = 500. No correction fixes this. Check the per-run
scores, which results print. A warning marks outlying runs (Grubbs 1969, at 1%).

{table(["run effects", "3 runs", "5 runs", "10 runs"], odd)}
"""


# Scores.


def scores_page(results: Results) -> str:
    rows = []
    for scored, found in known(results, own_scores.SCORED, lambda scored: f"scores/{scored.name}"):
        sets = found["sets"]
        rows.append(
            [
                scored.name,
                f"{sets:,}",
                rate(found["held"] / sets, sets, least=LEAST_COVERED),
                *(percent(found[field] / sets) for field in ("below", "above", "points")),
            ]
        )
    firsts = []
    for choice, found in known(results, chosen.CHOICES, lambda choice: f"chosen/{choice.name}/{choice.n}"):
        sets = found["sets"]
        misses = (found["below"] + found["above"]) / sets
        errors = [
            f"{100 * found[mean] / sets:+.1f}, {100 * sqrt(found[square] / sets):.1f}"
            for mean, square in (("bias", "squares"), ("corrected", "corrected_squares"))
        ]
        firsts.append(
            [
                choice.name,
                f"{choice.n:,}",
                f"{sets:,}",
                rate(found["plain"] / sets, sets),
                rate(misses, sets, MOST),
                f"{percent(found['below'] / sets)} / {percent(found['above'] / sets)}",
                f"{found['width'] / sets:.2f}",
                *errors,
            ]
        )
    return f"""# Scores

{READING}

This page shows how often the 95% interval of `outscore score` contains a system's true score, how often it is
completely below or above it, and how often its width is 0. All are public calls;
`tests/calibration/own_scores.py` has the populations.

{table(["system", "sets", "holds the truth", "too low", "too high", "no width"], rows)}

## The first place of a ranking

The system in first place of `outscore rank` owes a part of its score to chance. The table shows how often its own 95%
interval and the interval that allows for the choice miss its true score, the width of the second in widths of the first,
and the mean and the root mean square of the error of the score, and of the score less its expected overstatement, in
points. The systems are binary, and share half of the latent error of an item.

{table(["systems", "items", "sets", "own interval misses", "as chosen misses", "too high / too low", "width", "error", "less overstatement"], firsts)}
"""


# Power.


def points_lost(results: Results, task: str) -> str:
    """Return the points of power that the default loses against t."""
    found = results.get(task)
    return "–" if found is None else f"{100 * (found['t'] - found['default']):.1f}"


def power_page(results: Results) -> str:
    rows = []
    for cell, found in known(results, measured.power_cells(), lambda of: f"power/{of.name}/{of.n}/{of.sign:+d}"):
        skewed = cell.name.startswith(measured.SKEWED)
        side = ("to the long side" if cell.sign > 0 else "to the short side") if skewed else "–"
        rows.append(
            [
                cell.name,
                str(cell.n),
                side,
                *(percent(found[of]) for of in ("t", "cut", "default")),
                f"{found['gain']:.3g}",
            ]
        )
    for (lost, n), found in known(results, measured.BINARY_POWER, lambda of: f"power/binary, {of[0]:.2%} lost/{of[1]}"):
        cells = [percent(found["t"]), "–", percent(found["default"]), f"{found['gain']:.3g}"]
        rows.append([f"binary, {100 * lost:g}% lost", str(n), "–", *cells])
    real_50 = [of for name, of in results.items() if name.startswith("power/") and ": all pairs/50/" in name]
    plans = []
    for n, hurt, gain in measured.PLANS:
        found = results.get(f"plan/{n}/{hurt:g}/{gain:g}")
        if found is not None:
            stated = found["stated"].get("randomization")
            cells = [percent(found["exact"]), "–" if stated is None else percent(stated)]
            plans.append([f"{n:,}", f"{100 * hurt:g}%", f"{100 * gain:g}%", *cells])
    return f"""# Power

{READING}

## The default beside Student's t

The gain is such that Student's t, with the CR2 variance and the degrees of freedom of the design, finds it in 80% of the
data sets at 5%, two-sided; {sets_of(results, "power/")} data sets per line. t rejects too many true null hypotheses of
skewed differences, which is a part of its power. "t, cut" is t whose tail has a level of at most 2.5%, which takes an
oracle that knows the population: no test can do much better. In "all pairs" each data set is of another pair of real
systems, in either direction, and gains are in standard deviations. Binary items use the exact randomization test.

With normal differences the default loses {points_lost(results, "power/normal/20/+1")} points against t with 20 units and
{points_lost(results, "power/normal/50/+1")} with 50. With real systems and 50 units it loses up to
{max((100 * (of["t"] - of["default"]) for of in real_50), default=0.0):.1f} points against t, and
{max((100 * (of["cut"] - of["default"]) for of in real_50), default=0.0):.1f} against t, cut.

{table(["population", "units", "gain", "t", "t, cut", "default", "gain of a unit"], rows)}

## What `plan` states

Binary items: the power of the default test, summed over all numbers of wins and losses, and what `outscore plan` states
for that test.

{table(["items", "losses", "gain", "exact sum", "plan"], plans)}
"""


# Tests by name.


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


def _named_rates(results: Results, population: nulls.Population, n: int, test: str) -> str:
    found = results.get(f"named/{population}/{n}")
    return "–" if found is None else _rate_cell(found, test, SIDES, 0.05).strip("*")


def _named_rate(results: Results, population: nulls.Population, n: int, test: str, ask: Any) -> str:
    found = results.get(f"named/{population}/{n}")
    return "–" if found is None else _rate_cell(found, test, [ask], 0.05).strip("*")


def _named_table(results: Results, of: Iterable[nulls.Population], alpha: float) -> str:
    return table(
        ["population", "n", *COLUMNS],
        (
            [population.name, str(n), *(_rate_cell(found, test, SIDES, alpha) for test in COLUMNS)]
            for n in measured.SIZES
            for population in of
            if (found := results.get(f"named/{population}/{n}"))
        ),
    )


def nulls_page(results: Results) -> str:
    skewed = []
    for population in (nulls.exponential(), nulls.lognormal()):
        for n in measured.SIZES:
            found = results.get(f"named/{population}/{n}", {})
            for ask, side in ((GREATER, "a gain"), (LESS, "a loss")):
                cells = (_rate_cell(found, test, [ask], 0.05) for test in COLUMNS)
                skewed.append([population.name, str(n), side, *cells])
    few = [
        [
            *name.split("/")[1:],
            *(_rate_cell(of, test, SIDES, alpha) for alpha in measured.ALPHAS for test in COLUMNS[:2]),
        ]
        for name, of in results.items()
        if name.startswith("few/")
    ]
    differing = [
        [
            name.split("/")[1],
            *(
                marked(percent(of[f"{test}|{alpha:g}"]), bold=of[f"{test}|{alpha:g}"] > alpha)
                for alpha in measured.ALPHAS
                for test in ABOUT_THE_MEAN
            ),
        ]
        for name, of in sorted(results.items(), key=lambda each: _number(each[0]))
        if name.startswith("differing/")
    ]
    few.sort(key=lambda line: (line[0], int(line[1])))
    return f"""# Tests by name

{READING}

This page has the type I error rates of all tests of `--test`, one-sided / two-sided.
{sets_of(results, "named/")} data sets per
figure where nothing else is said: a standard error of 0.7 at 5% with 1,000. **Bold** figures are above the nominal level
by more than three standard errors. P-values of binary items and grades are exact, the others have 1,999 resamples. n
counts what is resampled: items or clusters. On binary items `mcnemar` equals `sign`, and is not shown. `wilcoxon`
is slow without ties, so it has a fifth of the data sets at n = 50 and a tenth at n = 200.

## Rejected true nulls

The systems are exchangeable, item by item; at a nominal 5%:

{_named_table(results, nulls.EXCHANGEABLE, 0.05)}

{folded("The same at 1%", _named_table(results, nulls.EXCHANGEABLE, 0.01))}

### The bootstrap by number of units

{sets_of(results, "few/")} data sets per line.

{table(["population", "n", *(f"{test}, {alpha:.0%}" for alpha in measured.ALPHAS for test in COLUMNS[:2])], few)}

### Few items that differ

Of 1,000 binary items so many differ, each a win or a loss with probability ½. One-sided, exact; **bold** is above the
nominal level.

{table(["items that differ", *(f"{test}, {alpha:.0%}" for alpha in measured.ALPHAS for test in ABOUT_THE_MEAN)], differing)}

### Equal, but not alike

The gain can be 0 although the systems are not exchangeable. The null hypothesis of `randomization` is then false,
and it tests the gain approximately, as the bootstrap does. Examples are systems with equal F1 but different
precision and recall (0.7 and 0.7, 0.93 and 0.56), and skewed differences with many small losses and a few large
wins.

{_named_table(results, [nulls.f1_unlike()], 0.05)}

{table(["population", "n", "claimed", *COLUMNS], skewed)}

Ignored clusters:

{_named_table(results, [nulls.clusters_ignored()], 0.05)}
"""


def _number(name: str) -> float:
    last = name.rsplit("/", 1)[-1]
    return float(last) if last.replace(".", "").isdigit() else 0.0


def intervals_page(results: Results) -> str:
    covered = []
    for kind, of in (
        ("named", (*nulls.EXCHANGEABLE, *nulls.ONLY_EQUAL, nulls.clusters_ignored())),
        ("gains", nulls.GAINS),
    ):
        for population in of:
            cells = []
            for n in measured.SIZES:
                found = results.get(f"{kind}/{population}/{n}")
                held = [found[f"covered|{method}"] / found["sets"] for method in measured.INTERVALS] if found else []
                cells.append(" / ".join(map(percent, held)) or "–")
            covered.append([str(population), *cells])

    def claims(found: Mapping[str, Any], tests: Iterable[str]) -> list[str]:
        cells = []
        for test in tests:
            hits = [found.get(f"{test}|{claim}") for claim in ("not-worse", "equivalent")]
            rates = [hit[0] / hit[1] for hit in hits if hit]
            limit = 0.05 + 3 * sqrt(0.05 * 0.95 / found["sets"])
            cells.append(marked(" / ".join(map(percent, rates)), bold=max(rates) > limit) if rates else "–")
        return cells

    binary = [
        [
            name.removeprefix("binary/"),
            marked(percent(of["least"]), bold=of["least"] < LEAST_COVERED),
            of["at"],
            percent(of["mean"]),
        ]
        for name, of in sorted(results.items(), key=lambda each: _number(each[0]))
        if name.startswith("binary/")
    ]
    tests = [test.name for test in measured.AT_A_MARGIN]
    behind = [
        [name.removeprefix("behind/"), *claims(of, ABOUT_THE_MEAN)]
        for name, of in results.items()
        if name.startswith("behind/")
    ]
    losses = [
        [population.name, f"{found['margin']:.3g}", str(n), *claims(found, tests)]
        for population in nulls.FEW_LOSSES
        for n in (100, 200)
        if (found := results.get(f"losses/{population}/{n}"))
    ]
    exact = []
    for n, margin in measured.MARGINS:
        for helped in measured.HELPED:
            found = results.get(f"margin/{n}/{margin:g}/{helped:g}", {})
            cells = [
                marked(" / ".join(map(percent, found[test])), bold=max(found[test]) > 0.06) if test in found else "–"
                for test in tests
            ]
            exact.append([str(n), f"{margin:g}", f"{helped:.0%}", *cells])
    power = [
        [str(n), f"{margin:g}", f"{differing:.1%}", *(" / ".join(map(percent, of)) for of in found.values())]
        for n, margin, differing in measured.MARGIN_POWER
        if (found := results.get(f"margin power/{n}/{margin:g}/{differing:g}"))
    ]
    return f"""# Intervals and margins

{READING}

The default's own interval misses the true gain as often as the default test rejects at 5%: see
[the default on all populations](default.md). This page has the bootstrap intervals of `--interval`, and claims with
a margin.

## Coverage of intervals at 95%

percentile / basic / BCa, {sets_of(results, "named/")} data sets per figure. If few items differ, many data sets
have no difference at all. Their interval is the point 0, which contains only a gain of 0.

{table(["population", *(f"n = {n}" for n in measured.SIZES)], covered)}

## Gains of binary items

The least coverage of the 95% interval of a gain over {len(measured.binary_rates())} rates of wins and losses, at which
rates it is, and the mean coverage over these rates. All are sums over all numbers of wins and losses.

{table(["items", "least", "at wins, losses", "mean"], binary)}

## Claims with a margin

The candidate is worse by exactly the margin: how often is it called `not-worse` / `equivalent` at a nominal 5%?
{sets_of(results, "behind/")} data sets per figure.

{table(["population, n = 200", *ABOUT_THE_MEAN], behind)}

If losses are few and large, the bootstrap and randomization cannot allow for those missing from the test set. With
200 items and 2% losses, 9% of test sets contain at most one loss. `score`, the default for claims with a margin and
a known range, reweights the items together with one at the worst possible value, so that their mean is the margin
(Tango 1998). The next table is **exact**, for binary items: the candidate is worse by the margin, so the losses
exceed the wins by the margin. **Bold** is above 6%; a dash was not computed.

{table(["n", "margin", "wins", *tests], exact)}

Other metrics, {sets_of(results, "losses/")} data sets each: scores between 0 and 1 with a few large losses; F1 with
some lost sentences; proportions of correct words in sentences of unequal length; and clusters of 4 to 16 binary
items that are lost or won together (randomization cannot test a margin of F1). The level is far below 5% if the
worst possible loss is far worse than those that occur.

{table(["population", "margin", "n", *tests], losses)}

The power for equally good systems, claimed not to be worse or to be equivalent (exact):

{table(["n", "margin", "wins and losses, each", "not-worse, 5% / 1%", "equivalent, 5% / 1%"], power)}
"""


def _independent_table(results: Results) -> str:
    tests = ("paired-t", "two-sample-t", "two-proportion", "chi-squared")
    return table(
        ["population, n = 200", *tests],
        (
            [
                population.name + (f", gain {population.gain:.2f}" if population.gain else ""),
                *(_rate_cell(found, test, [TWO_SIDED], 0.05).strip("*") for test in tests),
            ]
            for population in measured.independent()
            if (found := results.get(f"independent/{population}"))
        ),
    )


def is_of_20(name: str) -> bool:
    """Return whether a cell of different items has 20 units or more of both systems, not binary ones beside graded ones."""
    counts = re.search(r"\((\d+), (\d+)\)$", name)
    return (
        counts is not None
        and min(map(int, counts.groups())) >= 20
        and name.startswith(_DEFAULTS)
        and "graded, range" not in name
    )


_DEFAULTS = tuple(f"unpaired/{samples.name}/" for samples in two_samples.SAMPLES)


def unpaired_page(results: Results) -> str:
    fields = (("at_5", 0.05), ("at_1", 0.01), ("at_0.1", 0.001), ("one_sided", 0.05))
    binary = [
        [
            f"{of.n_baseline} / {of.n_candidate}",
            f"{of.null:g}",
            *(marked(f"{100 * found[field]:.2f}", bold=found[field] > most) for field, most in fields),
        ]
        for of, found in known(results, two_samples.RATES, lambda of: f"unpaired/{of!r}")
    ]
    bounds = (("at_5", MOST), ("at_1", MOST_AT_1), ("at_0.1", 0.003), ("one_sided", MOST_ONE_SIDED))
    others = [
        [
            samples.name,
            f"{counts[0]} / {counts[1]}",
            *(marked(percent(found[field]), bold=found[field] > most) for field, most in bounds),
        ]
        for samples in two_samples.SAMPLES
        for counts in samples.counts
        if (found := results.get(f"unpaired/{samples.name}/{counts}"))
    ]
    named = [
        [
            test,
            samples.name,
            f"{counts[0]} / {counts[1]}",
            rate(found["at_5"], found["sets"], MOST),
            percent(found["at_1"]),
        ]
        for test, samples, counts in two_samples.NAMED
        if (found := results.get(f"unpaired/{test}/{samples.name}/{counts}"))
    ]
    sets = sorted({results[name]["sets"] for name in results if name.startswith(_DEFAULTS)}) or [0]
    return f"""# Different items

{READING}

This page has the type I error rates of `outscore compare --unpaired`, for systems that were scored on different items.
Units are items, or clusters.

## Binary items

The exact unconditional test: the largest level over 201 rates of the baseline, at which the candidate's rate differs by
the null hypothesis. These are sums over all tables. The default test rejects at most
{max((100 * of["at_5"] for name, of in results.items() if name.startswith("unpaired/Rates")), default=0.0):.2f}% at 5%.

{table(["items", "null hypothesis", "5%", "1%", "0.1%", "one-sided 5%"], binary)}

## Other scores

The t-test of two samples, each with its own skewness. Both systems have the same expected score, and the same
distribution unless two are named. {sets[-1]:,} data sets per line. **Bold** figures are above 6.5% at 5%, 1.6% at 1%,
0.3% at 0.1% and 7.5% one-sided. The 95% interval misses the true gain as often as the test rejects at 5%.

{table(["scores", "units", "5%", "1%", "0.1%", "one-sided 5%"], others)}

A system whose scores are binary, or nearly constant, does not show its spread. If it is compared with one whose scores
are not, name the range of the scores.

## Tests by name

How often tests reject that are not the default. The null hypothesis of `permutation` is that both distributions are
equal, for which it is exact. That of `brunner-munzel` is that the candidate's item is as often better as worse.

{table(["test", "scores", "units", "5%", "1%"], named)}
"""


def gate_page(results: Results) -> str:
    rows = []
    for index in range(len(gate_sequential.CELLS)):
        found = results.get(f"gate/{index}")
        if found is not None:
            cells = [rate(value, found["sets"]) for value in found["rates"]]
            rows.append([found["name"], cells[0], f"{found['items']:.0f}", *cells[1:]])
    header = ["items", "e-process", "items used", "z, 20 checks", "z, 20 checks at α/20", "z, all items once"]
    return f"""# A gate that stops early

{READING}

## A gate that stops early

`outscore gate --sequential` checks after every item, in random order. The table shows how often it rejects true
null hypotheses at 5%, its power, and the number of items used, of 2,000. For comparison it has a z-test with 20
uncorrected interim analyses, with 20 at α/20, and with one. The margin is 3 points;
{sets_of(results, "gate/")} sets per line.

{table(header, rows)}

If losses are few and large, a z-test at α/20 is no substitute, because early items contain none of them.
"""


def pages(results: Results) -> dict[str, str]:
    """Return all pages by their place in the documentation."""
    made = {
        "calibration.md": first_page,
        "calibration/default.md": default_page,
        "calibration/power.md": power_page,
        "calibration/systems.md": systems_page,
        "calibration/runs.md": runs_page,
        "calibration/scores.md": scores_page,
        "calibration/nulls.md": nulls_page,
        "calibration/intervals.md": intervals_page,
        "calibration/unpaired.md": unpaired_page,
        "calibration/gate.md": gate_page,
    }
    return {place: wrapped(page(results)) for place, page in made.items()}
