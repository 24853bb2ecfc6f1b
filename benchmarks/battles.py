"""Measure intervals and corrections of battles: the table of docs/calibration/systems.md, some minutes with 1,000 sets.

`python benchmarks/battles.py [--count 1000]` prints it.
"""

from __future__ import annotations

import argparse
import sys
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.calibration.battles import Arena, measure

# Users, battles of each, tastes, systems, spread of strengths; and how many times as many sets.
ARENAS = (
    (Arena(30, 50, 0.7), 4),
    (Arena(60, 15, 0.7), 2),
    (Arena(10, 50, 0.7), 2),
    (Arena(5, 50, 0.7), 2),
    (Arena(30, 50, 0.7, 6, 0.25), 1),
    (Arena(60, 15, 0.7, 6, 0.25), 1),
    (Arena(10, 50, 1.5, 6, 0.25), 1),
    (Arena(5, 50, 0.7, 6, 0.25), 1),
    (Arena(200, 5, 0.7, 6, 0.25), 1),
    (Arena(10, 6, 0.7, 5, 0.8), 1),
    (Arena(600, 1, 0.0, 6, 0.25), 1),
)


def percent(hits: float, sets: int) -> str:
    """Return a share in per cent with its standard error."""
    share = hits / sets
    return f"{100 * share:.1f} ± {100 * sqrt(max(share * (1 - share), 1 / sets) / sets):.1f}"


def section(count: int) -> str:
    """Return the section of docs/calibration/systems.md, with `count` sets a row, or 2 or 4 times as many."""
    head = "| users × battles | tastes | systems, apart | two strongest | all pairs | battles alone | Holm | max-T |"
    lines = [head, "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for arena, times in ARENAS:
        spread = arena.spread > 0
        found = measure(arena, count * times, seed=2026, n_resamples=499, by_battle=spread and arena.per_user > 1)
        n = found.sets
        cells = (
            f"{arena.users} × {arena.per_user}",
            f"{arena.taste:g}",
            f"{arena.systems}, {arena.spread:g}",
            percent(found.first_pair, n),
            # Pairs of one set depend on each other: its error is no larger than that of one pair.
            f"{100 * found.all_pairs / n:.1f}",
            percent(found.of_battles, n) if found.of_battles else "–",
            *(("–", "–") if spread else (percent(found.holm, n), percent(found.max_t, n))),
        )
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return f"""\
## Battles

Strengths of `rank -m bradley-terry`, users resampled whole ([battles.md](../battles.md)): in how many sets of battles
the 95% intervals hold the true difference of the two strongest systems, those of all pairs, and those of the two
strongest where battles are taken for independent; where all systems are equal, in how many any two are told apart at 5%
(family-wise error). Tastes are normal over users, by system; a fifth of the battles are ties. 499 resamples,
{count:,} to {4 * count:,} sets a line, ± a standard error; `python benchmarks/battles.py` measures it,
`tests/calibration/battles.py` makes the sets.

{chr(10).join(lines)}"""


def main() -> None:
    """Print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="sets of battles a row, or 2 or 4 times as many")
    print(section(parser.parse_args().count))


if __name__ == "__main__":
    main()
