"""Measure the crossed t test of items, templates and runs beside those that leave a factor out; print Markdown.

`python benchmarks/designs_templates.py` takes some minutes on one core; `--count 200` is a trial run.
"""

from __future__ import annotations

import argparse
import sys
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from tests.calibration.templates import N_RUNS, N_TEMPLATES, p_value, paired_templates, rejected, systems

from outscore.design.runs import Runs
from outscore.rows import RunDesign

CELLS = {"neither": (0.0, 0.0), "templates": (0.1, 0.0), "runs": (0.0, 0.1), "both": (0.1, 0.1)}


def rates(p_values: list[float]) -> str:
    """Return how many true nulls are rejected at 5% and 1%, in per cent with the standard error."""
    shares = [rejected(p_values, alpha) / len(p_values) for alpha in (0.05, 0.01)]
    return " / ".join(f"{100 * share:.1f} ({100 * sqrt(share * (1 - share) / len(p_values)):.2f})" for share in shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3000, help="data sets a cell")
    count = parser.parse_args().count
    print(f"{N_TEMPLATES} templates × {N_RUNS} runs: true nulls rejected at 5% / 1%, in % (standard error)\n")
    print("| items | what matters | templates fixed, runs random | runs fixed, templates random | both random |")
    print("|---|---|---|---|---|")
    for n in (50, 200):
        for what, cell in CELLS.items():
            rng = np.random.default_rng([n, list(CELLS).index(what)])
            tests: dict[str, list[float]] = {"runs": [], "templates": [], "both": []}
            for _ in range(count):
                grids = systems(rng, n, *cell)
                one, other = (of.mean(axis=1) for of in grids)
                tests["runs"].append(p_value(one, other, Runs(RunDesign.RANDOM)))
                one, other = (of.mean(axis=0) for of in grids)
                tests["templates"].append(p_value(one, other))
                tests["both"].append(p_value(*grids))
            print(f"| {n} | {what} | {' | '.join(map(rates, tests.values()))} |", flush=True)
    print("\nTemplates alone (paired)\n\n| items | templates | ρ | crossed t |\n|---|---|---|---|")
    for n in (50, 500):
        for m in (3, 4, 5, 10):
            for rho in (0.0, 0.5, 2.0, 8.0):
                rng = np.random.default_rng([n, m, int(2 * rho)])
                p = [p_value(*paired_templates(rng, n, m, rho)) for _ in range(count)]
                print(f"| {n} | {m} | {rho:g} | {rates(p)} |", flush=True)


if __name__ == "__main__":
    main()
