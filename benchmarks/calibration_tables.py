"""The data files of docs/calibration: all that calibration measured, by topic. Rates are in percent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from calibration_claims import Results, percent
from tests.calibration import populations

Cells = Sequence[object]


@dataclass(frozen=True)
class DataFile:
    """A CSV file.

    Attributes
    ----------
    columns : str
        Their names, with spaces between.
    rows : callable
        Results to the rows.
    """

    columns: str
    rows: Callable[[Results], Iterable[Cells]]


def of_kind(results: Results, *kinds: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the kind of each task, the rest of its name, and what was found."""
    for name, found in results.items():
        kind, _, rest = name.partition("/")
        if kind in kinds:
            yield kind, rest, found


def _split(name: str) -> tuple[str, str]:
    """Return the parts before and after the last slash."""
    start, _, end = name.rpartition("/")
    return start, end


def cells(found: Mapping[str, Any], *fields: str) -> list[str]:
    """Return rates in percent; those of counts are divided by the number of sets."""
    shown = []
    for field in fields:
        value = found.get(field)
        if value is None:
            shown.append("")
        elif isinstance(value, list):
            shown.append(percent(value[0] / value[1]))
        else:
            shown.append(percent(value if isinstance(value, float) else value / found["sets"]))
    return shown


def groups() -> dict[str, str]:
    """Return the group of each population of the default test."""
    named = {
        "items": populations.ITEMS,
        "clusters": populations.CLUSTERS,
        "strata": populations.STRATA,
        "not used to choose the rule": populations.APART,
        "made to break the rule": populations.HARD,
        "small strata of skewed differences": populations.SMALL_STRATA,
    }
    return {population.name: group for group, of in named.items() for population in of}


def default_rows(results: Results) -> Iterator[Cells]:
    group_of = groups()
    for kind, rest, found in of_kind(results, "default", "real"):
        population, units = _split(rest)
        group = "real systems" if kind == "real" else group_of[population]
        rates = cells(found, "at_5", "at_1", "one_sided")
        few = cells(found, "few", "unwarned")
        yield group, population, units, found["sets"], *rates, f"{found['effective']:.1f}", *few


def power_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "power"):
        if rest.endswith(("/+1", "/-1")):
            rest, side = _split(rest)
        else:
            side = ""
        population, units = _split(rest)
        rates = cells(found, "t", "cut", "default")
        yield population, units, side, found["sets"], f"{found['gain']:.3g}", *rates


def plan_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "plan"):
        items, losses, gain = rest.split("/")
        stated = found["stated"].get("randomization")
        yield items, losses, gain, percent(found["exact"]), "" if stated is None else percent(stated)


def named_rows(results: Results) -> Iterator[Cells]:
    for kind, rest, found in of_kind(results, "named", "few", "independent", "differing"):
        if kind == "differing":  # of 1,000 items, one-sided, summed
            for key, rate in found.items():
                test, level = key.split("|")
                yield f"binary, {rest} of 1000 items differ", 1000, test, "greater", level, percent(rate), "exact"
            continue
        population, n = (rest, "200") if kind == "independent" else _split(rest)
        for key, hits in found.items():
            if key.count("|") == 2:
                test, alternative, level = key.split("|")
                yield population, n, test, alternative, level, percent(hits[0] / hits[1]), hits[1]


def interval_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "named", "gains"):
        population, n = _split(rest)
        for key, held in found.items():
            if key.startswith("covered|"):
                yield population, n, key.partition("|")[2], percent(held / found["sets"]), found["sets"]
    for _, n, found in of_kind(results, "binary"):
        yield f"binary, least, at wins and losses of {found['at']}", n, "default", percent(found["least"]), "exact"
        yield "binary, mean over all rates", n, "default", percent(found["mean"]), "exact"


_CLAIMS = ("not-worse", "equivalent")


def margin_rows(results: Results) -> Iterator[Cells]:
    for kind, rest, found in of_kind(results, "behind", "losses", "margin", "margin power"):
        if kind == "margin":
            n, margin, wins = rest.split("/")
            for test, rates in found.items():
                for claim, rate in zip(_CLAIMS, rates, strict=True):
                    yield f"binary, wins {wins}", n, margin, test, claim, "0.05", percent(rate), "exact"
        elif kind == "margin power":
            n, margin, differing = rest.split("/")
            for claim, rates in found.items():
                for level, rate in zip(("0.05", "0.01"), rates, strict=True):
                    equal = f"equal, wins and losses {differing} each"
                    yield equal, n, margin, "score", claim, level, percent(rate), "exact"
        else:
            population, n = (rest, "200") if kind == "behind" else _split(rest)
            for key, hits in found.items():
                if "|" in key:
                    test, claim = key.split("|")
                    rate = percent(hits[0] / hits[1])
                    yield population, n, f"{found['margin']:.3g}", test, claim, "0.05", rate, hits[1]


def ranking_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "boards"):
        board, systems = _split(rest)
        power = [percent(found[f"power_of_{name}"] / found["sets"]) for name in ("holm", "max_t")]
        rates = cells(found, "holm", "max_t", "ranks")
        if board.startswith("new runs"):  # there is no max-T of new runs
            rates[1] = power[1] = ""
        yield board, systems, found["sets"], *rates, *(power if "better" in board else ("", ""))


def small_rows(results: Results) -> Iterator[Cells]:
    for _, population, found in of_kind(results, "small"):
        yield population, found["sets"], *(f"{found[k]:.2f}" for k in ("1", "20", "50"))


def first_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "chosen"):
        systems, items = _split(rest)
        sets = found["sets"]
        errors = [
            (f"{100 * found[mean] / sets:+.1f}", f"{100 * sqrt(found[square] / sets):.1f}")
            for mean, square in (("bias", "squares"), ("corrected", "corrected_squares"))
        ]
        rates = cells(found, "plain", "below", "above")
        yield systems, items, sets, *rates, f"{found['width'] / sets:.2f}", *errors[0], *errors[1]


def battle_rows(results: Results) -> Iterator[Cells]:
    for _, rest, found in of_kind(results, "arenas"):
        users, systems = _split(rest)
        covered = [percent(found[of] / found["sets"]) for of in ("pairs", "first")]
        yield users, systems, found["sets"], *covered, *(cells(found, "errors") if systems == "equal" else [""])


_PROCEDURES = re.compile(
    r"Procedures\(kind='(\w+)', n=(\d+), m=\((\d+), (\d+)\), rho=\(([\d.]+), ([\d.]+)\), seeds='(\w+)', shared=(\w+)\)"
)


def run_rows(results: Results) -> Iterator[Cells]:
    for kind, rest, found in of_kind(results, "runs", "procedures"):
        rates = cells(found, "at_5", "at_1", "items")
        if kind == "runs":  # of 5 runs, on clusters
            sizes, clusters, rho = rest.split("/")
            yield f"clusters, {sizes}", clusters, 5, 5, rho, rho, "normal", "no", found["sets"], *rates
            continue
        matched = _PROCEDURES.fullmatch(rest)
        assert matched is not None
        scores, *numbers, seeds, shared = matched.groups()
        paired = "yes" if shared == "True" else "no"
        yield scores, *numbers, seeds, paired, found["sets"], *rates


def score_rows(results: Results) -> Iterator[Cells]:
    for _, system, found in of_kind(results, "scores"):
        yield system, found["sets"], *cells(found, "held", "below", "above", "points")


_RATES = re.compile(r"Rates\(n_baseline=(\d+), n_candidate=(\d+), null=([-.\d]+)\)")
_COUNTS = re.compile(r"\((\d+), (\d+)\)")


def unpaired_rows(results: Results) -> Iterator[Cells]:
    fields = ("at_5", "at_1", "at_0.1", "one_sided")
    for _, rest, found in of_kind(results, "unpaired"):
        if matched := _RATES.fullmatch(rest):
            baseline, candidate, null = matched.groups()
            exact = (f"{100 * found[field]:.2f}" for field in fields)
            yield "default", f"binary, null {null}", baseline, candidate, "exact", *exact
            continue
        name, counts = _split(rest)
        test, slash, scores = name.partition("/")
        test, scores = (test, scores) if slash else ("default", name)
        ends = _COUNTS.fullmatch(counts)
        assert ends is not None
        yield test, scores, *ends.groups(), found["sets"], *cells(found, *fields)


def gate_rows(results: Results) -> Iterator[Cells]:
    for _, _, found in of_kind(results, "gate"):
        name = found["name"].replace("*", "")
        rates = map(percent, found["rates"])
        yield name, found["sets"], next(rates), f"{found['items']:.0f}", *rates


FILES: Mapping[str, DataFile] = {
    "default": DataFile(
        "group population units sets at_5 at_1 one_sided_5 effective_units m_below_5 at_5_without_warning",
        default_rows,
    ),
    "power": DataFile(
        "population units side sets gain t t_cut default",
        power_rows,
    ),
    "plan": DataFile(
        "items losses gain exact plan",
        plan_rows,
    ),
    "tests": DataFile(
        "population n test alternative level rejected sets",
        named_rows,
    ),
    "intervals": DataFile(
        "population n interval covered sets",
        interval_rows,
    ),
    "margins": DataFile(
        "population n margin test claim level rejected sets",
        margin_rows,
    ),
    "scores": DataFile(
        "system sets covered too_low too_high no_width",
        score_rows,
    ),
    "rankings": DataFile(
        "systems number sets holm max_t ranks_covered power_holm power_max_t",
        ranking_rows,
    ),
    "small-levels": DataFile(
        "population sets k_1 k_20 k_50",
        small_rows,
    ),
    "first-places": DataFile(
        "systems items sets own_interval_misses too_high too_low width bias error corrected_bias corrected_error",
        first_rows,
    ),
    "battles": DataFile(
        "users systems sets pairs_covered first_system_covered family_wise_error",
        battle_rows,
    ),
    "runs": DataFile(
        "scores n runs_baseline runs_candidate rho_baseline rho_candidate run_effects paired sets at_5 at_1 at_5_fixed",
        run_rows,
    ),
    "unpaired": DataFile(
        "test scores n_baseline n_candidate sets at_5 at_1 at_0.1 one_sided_5",
        unpaired_rows,
    ),
    "gate-early": DataFile(
        "population sets sequential items_used z_20_checks z_20_checks_corrected z_once",
        gate_rows,
    ),
}
