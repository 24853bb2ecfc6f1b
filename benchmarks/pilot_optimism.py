"""Measure what powers plans from pilots really have, and print the figures of docs/planning-pilots.md.

`python benchmarks/pilot_optimism.py` takes some ten minutes on one core; `--pilots 20` is a trial run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError
from outscore.wings.planning import Pilot, plan_items
from outscore.wings.planning.asking import pilot
from outscore.wings.planning.pilots import Tilting

GAIN = 0.3  # in standard deviations of the differences
TARGET = 0.8
UNITS = (30, 100, 300)
SIZES = np.unique(np.geomspace(4, 3_000, 40).astype(int))
Draw = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]


def _student(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return np.asarray(rng.standard_t(3, shape) / np.sqrt(3))


def _lognormal(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    return np.asarray((rng.lognormal(0, 1, shape) - np.exp(0.5)) / np.sqrt(np.exp(2) - np.exp(1)))


# Of mean 0 and variance 1.
POPULATIONS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "normal, on a fifth of the items": lambda rng, shape: (
        rng.normal(size=shape) * (rng.random(shape) < 0.2) * np.sqrt(5)
    ),
    "t, 3 degrees of freedom": _student,
    "lognormal, rare large losses": lambda rng, shape: -_lognormal(rng, shape),
    "lognormal, rare large gains": _lognormal,
}


def true_powers(draw: Draw, rng: np.random.Generator) -> FloatArray:
    """Return the power of the one-sided paired t-test at 5% for each of SIZES."""
    found = []
    for n in SIZES:
        x = draw(rng, (max(500, min(8_000, 4_000_000 // int(n))), int(n))) + GAIN
        spread = np.maximum(x.std(axis=1, ddof=1), 1e-300)
        found.append(float((x.mean(axis=1) * np.sqrt(n) / spread > -stdtrit(n - 1, 0.05)).mean()))
    return np.array(found)


def items_of_one(differences: FloatArray) -> int | None:
    """Return the items planned from one pilot; None where it is refused."""
    try:
        one: Pilot = pilot(np.zeros(len(differences)), differences, n_sets=1_000)
        return plan_items(one, GAIN, target=TARGET, tests="paired-t").rows[0].items
    except (DataError, OptionError):
        return None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pilots", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| differences | units of the pilot | effective | refused | power of the others | one in ten below |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, draw in POPULATIONS.items():
        rng = np.random.default_rng(given.seed)
        powers = true_powers(draw, rng)
        for n in UNITS:
            realised, effective, refused = [], [], 0
            for _ in range(given.pilots):
                # The pilot's own true gain is none, or the one that is planned for.
                differences = draw(rng, (n,)) + rng.choice([0.0, GAIN])
                items = items_of_one(differences)
                if items is None:
                    refused += 1
                    continue
                effective.append(Tilting(pilot(np.zeros(n), differences).pair).effective_units)
                realised.append(float(np.interp(np.log(items), np.log(SIZES), powers)))
            if not realised:
                print(f"| {name} | {n} | | 100% | | |", flush=True)
                continue
            error = 100 * np.std(realised) / np.sqrt(len(realised))
            print(
                f"| {name} | {n} | {np.median(effective):.0f} | {100 * refused / given.pilots:.0f}% | "
                f"{100 * np.mean(realised):.1f}% ± {error:.1f} | {100 * np.quantile(realised, 0.1):.0f}% |",
                flush=True,
            )


if __name__ == "__main__":
    main()
