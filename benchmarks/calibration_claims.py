"""What the documentation says of the figures of calibration in its own words, and the figures that it quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import calibration_tasks as measured
from tests.calibration import nulls, populations
from tests.calibration.measuring import TWO_SIDED

Results = Mapping[str, Any]

MOST, MOST_AT_1, MOST_ONE_SIDED, LEAST_COVERED = 0.065, 0.016, 0.075, 0.93


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def error(rate: float, sets: int) -> float:
    """Return the standard error of a rate, that of one hit at least."""
    share = min(max(rate, 1 / sets), 1 - 1 / sets)
    return sqrt(share * (1 - share) / sets)


def marked(text: str, *, bold: bool) -> str:
    return f"**{text}**" if bold else text


def rate(value: float, sets: int, most: float = 1.0, least: float = 0.0) -> str:
    """Return a rate in per cent with its standard error; bold where it is beyond a bound."""
    return marked(f"{percent(value)} ± {percent(error(value, sets))}", bold=value > most or value < least)


# The default test, population by population: names of tasks end with the number of units.


def levels(results: Results, least: int = 0) -> dict[str, list[tuple[int, float]]]:
    """Return units and two-sided rates at 5% by population, from so many units on; clusters from 5 on."""
    found: dict[str, list[tuple[int, float]]] = {}
    clusters = {population.name for population in populations.CLUSTERS}
    for name, of in results.items():
        kind, _, rest = name.partition("/")
        population, _, n = rest.rpartition("/")
        if kind in {"default", "real"} and (int(n) >= least or population in clusters):
            found.setdefault(population, []).append((int(n), of["at_5"]))
    return found


def is_exception(population: str) -> bool:
    """Return whether the documentation names this population as an exception."""
    return population.startswith(tuple(name for names in EXCEPTIONS.values() for name in names))


BOUND = 0.07  # of the README, from 50 units on, or 5 clusters
# Populations that exceed it, by the words of README.md: their names start with one of these.
EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "rare large losses or wins": (
        "rare wins",
        "hallucinations",
        "normal, 2% much larger",
        "AP, TREC-8, one outlying topic",
        "AP, TREC-8: pairs of skewness",
        "ESA scores of documents",  # one document
    ),
    "latencies of unlike systems, with breaks or time-outs": ("latency", "time-outs", "seconds of annotators"),
    "extremely skewed differences (lognormal, σ = 2)": ("lognormal, σ = 2",),
    "skewed differences with many ties": ("60% ties", "80% ties"),
    "skewed differences in small strata": tuple(
        population.name for population in populations.SMALL_STRATA if "normal" not in population.name.split(", ")
    ),
    "data dominated by a few clusters": ("2 clusters of", "4 clusters of"),
}


@dataclass(frozen=True)
class Claim:
    """A statement of the documentation that this script does not write, and whether the figures bear it out.

    Attributes
    ----------
    place : str
        The file, from the root of the repository.
    text : str
        Words of that file.
    problem : callable
        Results to why it does not hold; empty if it does.
    """

    place: str
    text: str
    problem: Callable[[Results], str]


def _bound_of_readme(results: Results) -> str:
    beyond = [
        f"{population}, {n} units: {percent(rate)}%"
        for population, of in levels(results, 50).items()
        for n, rate in of
        if rate > BOUND and not is_exception(population)
    ]
    return ", ".join(beyond)


def _needless(names: tuple[str, ...]) -> Callable[[Results], str]:
    def problem(results: Results) -> str:
        found = [rate for name, of in levels(results, 50).items() if name.startswith(names) for _, rate in of]
        return "no population exceeds the bound" if found and max(found) <= MOST else ""

    return problem


def _lost(cells: Sequence[str], most: float) -> Callable[[Results], str]:
    """Return the problem of a statement that the default loses at most so many points of power."""

    def problem(results: Results) -> str:
        lost = {name: 100 * (of["t"] - of["default"]) for name in cells if (of := results.get(f"power/{name}"))}
        return ", ".join(f"{name}: {points:.1f} points" for name, points in lost.items() if points > most)

    return problem


NORMAL = ("normal/50/+1", "normal/200/+1")
HEAVY = (
    *(f"t with 3 degrees of freedom/{n}/+1" for n in (20, 50, 200)),
    *(f"exponential/{n}/+1" for n in (20, 50, 200)),
    *(f"lognormal, σ = 1/{n}/+1" for n in (50, 200)),
)


RESULTS, SEGMENTS = ("AP", "ROUGE-2", "litePyramid"), ("MQM", "COMET")


def _real_power(kinds: tuple[str, ...], n: int) -> list[str]:
    cells = (cell for cell in measured.power_cells() if cell.n == n and cell.name.startswith(measured.REAL_POWER))
    return [f"{cell.name}/{n}/+1" for cell in cells if cell.name.startswith(kinds)]


def _unconditional(results: Results) -> str:
    found = [of for name, of in results.items() if name.startswith("unpaired/Rates")]
    limits = {"at_5": 0.05, "at_1": 0.01, "at_0.1": 0.001, "one_sided": 0.05}
    return ", ".join(
        f"{key}: {max(of[key] for of in found):.4%}"
        for key, most in limits.items()
        if found and max(of[key] for of in found) > most
    )


def claims() -> list[Claim]:
    """Return the statements of the documentation that are checked."""
    readme, power = "README.md", "docs/statistics/power.md"
    return [
        Claim(readme, f"at most {100 * BOUND:.0f}%", _bound_of_readme),
        *(Claim(readme, phrase, _needless(names)) for phrase, names in EXCEPTIONS.items()),
        Claim(power, "at most 1.5 points with 20 items", _lost(["normal/20/+1"], 1.5)),
        Claim(power, "at most 0.5 from 50 items", _lost(NORMAL, 0.5)),
        Claim(power, "at most 9 points with 20 items", _lost(_real_power(RESULTS, 20), 9)),
        Claim(power, "at most 6 from 50", _lost([*_real_power(RESULTS, 50), *_real_power(RESULTS, 200)], 6)),
        Claim(power, "at most 17 points with 20 items", _lost(_real_power(SEGMENTS, 20), 17)),
        Claim(power, "at most 14 with 50", _lost(_real_power(SEGMENTS, 50), 14)),
        Claim(power, "at most 8 with 200", _lost(_real_power(SEGMENTS, 200), 8)),
        Claim(power, "up to 9 points", _lost(HEAVY, 9)),
        Claim(
            power, "3 to 9 points with 15% losses", _lost([f"binary, 15.00% lost/{n}" for n in (20, 30, 50, 200)], 9.4)
        ),
        Claim(power, "16 with almost none", _lost(["binary, 1.00% lost/50", "binary, 0.25% lost/200"], 16.4)),
        Claim(
            "docs/calibration.md",
            "the test of binary items keeps its level at all sizes and rates that were summed",
            _unconditional,
        ),
    ]


def broken_claims(results: Results) -> list[str]:
    """Return the statements that do not hold, each with what was measured."""
    return [f"{of.place}: {of.text!r} does not hold: {found}" for of in claims() if (found := of.problem(results))]


@dataclass(frozen=True)
class Quoted:
    """A passage of the documentation that quotes figures, which this script renews.

    Attributes
    ----------
    place : str
        The file, from the root of the repository.
    passage : str
        Its words, with "{}" for each figure.
    figures : callable
        Results to the figures in their order.
    """

    place: str
    passage: str
    figures: Callable[[Results], Sequence[str]]

    @property
    def pattern(self) -> re.Pattern[str]:
        """The passage with any figures."""
        return re.compile(r"([\d.]+(?: ± [\d.]+)?)".join(map(re.escape, self.passage.split("{}"))))

    def renewed(self, text: str, results: Results) -> str:
        """Return the text with the figures of the passage, or as it is where some were not measured."""
        try:
            passage = self.passage.format(*self.figures(results))
        except KeyError:
            return text
        return self.pattern.sub(lambda _: passage, text)


def _of_clusters(results: Results) -> list[str]:
    """Return how often `randomization` rejects with ignored and with named clusters."""
    found = (
        results[f"named/{of}/20"][f"randomization|{TWO_SIDED}|0.05"]
        for of in (nulls.clusters_ignored(), nulls.clustered())
    )
    return [percent(hits / sets) for hits, sets in found]


def _of_runs(results: Results) -> list[str]:
    rates = [of["items"] for name, of in results.items() if name.startswith("procedures/")]
    if not rates:
        raise KeyError("procedures")
    return [percent(max(rates))]


def _of_sacrebleu(results: Results) -> list[str]:
    return [percent(results["sacrebleu"][of]) for of in ("theirs", "ours")]


def quoted() -> list[Quoted]:
    """Return the passages that quote figures."""
    return [
        Quoted("README.md", "it has **{}%** false positives, ours {}% on the same", _of_sacrebleu),
        Quoted(
            "README.md", "independent: **{}%** false positives at a nominal 5%. With `--cluster`: {}%", _of_clusters
        ),
        Quoted(
            "docs/start/five-minutes.md",
            "[{}% false positives at a nominal 5%](../cal",
            lambda of: _of_clusters(of)[:1],
        ),
        Quoted("docs/howto/seeds.md", "up to [{}%](../calibration.md#in-short)", _of_runs),
    ]
