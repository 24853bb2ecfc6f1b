"""Hold tilted p-values to exact laws and to 10^8 plain draws."""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from measuring import QUICK, pretty, table

from outscore._types import FloatArray
from outscore.gains.pair import Pair
from outscore.gains.tilted import Event, bootstrap_tilting, swap_tilting
from outscore.laws.exact import bootstrap_law, swap_law
from outscore.laws.law import Probability
from outscore.metrics.registry import metric_named

_DRAWN_AT_ONCE = 1_000_000


Row = tuple[str, ...]
HEADER = ("p-value", "exact", "estimate / exact", "standard error told", "exact one within the 95% bracket", "time")


def row(what: str, estimate: Probability | None, truth: float, seconds: float) -> Row:
    """Return what is true, the estimate over it, its relative standard error, seconds."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return what, f"{truth:.2e}", "none: left to plain draws", "", "", ""
    error = math.log(estimate.high / estimate.low) / (2 * 1.96)
    inside = "yes" if estimate.low <= truth <= estimate.high else "**no**"
    return what, f"{truth:.2e}", f"{estimate.value / truth:.3f}", f"{error:.1%}", inside, pretty(seconds)


def means(n: int) -> list[Row]:
    """Compare with the exact laws of means, from 2 to 11.4 standard errors."""
    lines, stream = [], np.random.default_rng(1)
    kinds = {"normal": stream.normal(size=n), "exponential": stream.exponential(size=n)}
    kinds["binary"] = np.repeat([1.0, -1.0, 0.0], [n // 5, n // 5, n - 2 * (n // 5)])
    for kind, d in kinds.items():
        for z in (2.0, 4.0, 6.4, 8.0, 11.4):
            shifted = d - d.mean() + z * d.std() / math.sqrt(n)
            if kind == "binary":
                shifted = d.copy()
                shifted[-round(z * d.std() * math.sqrt(n)) :] = 1.0
            ones = np.ones(n)
            pair = Pair(metric_named("mean"), np.column_stack([0 * ones, ones]), np.column_stack([shifted, ones]))
            assert pair.linear is not None
            gain = pair.gain
            laws = (
                ("bootstrap", bootstrap_tilting(pair, 1), (0.0, 2 * gain)),
                ("randomization", swap_tilting(pair, 0.0, 1), (-gain, gain)),
            )
            for name, tilting, ends in laws:
                law = (
                    bootstrap_law(pair.linear.d, pair.linear.shared, None, probe=(2 * gain, 0.0))
                    if name == "bootstrap"
                    else swap_law(pair.linear.d, pair.linear.shared, 0.0, probe=(gain,))
                )
                assert law is not None
                begun = time.perf_counter()
                estimate = tilting.probability(Event(*ends, False, pair.tolerance))
                seconds = time.perf_counter() - begun
                lines.append(row(f"{kind}, {name}, z = {z:g}", estimate, law.outside(*ends).value, seconds))
    return lines


def f1_rows(n: int, recall: float, seed: int, kinds: int | None = None) -> FloatArray:
    """Return rows of right, said and gold spans; with `kinds` so many different ones at most."""
    stream = np.random.default_rng(seed)
    gold = 1 + np.random.default_rng(0).poisson(2, n if kinds is None else kinds)
    right = stream.binomial(gold, recall)
    rows = np.column_stack([right, right + stream.binomial(2, 0.3, len(gold)), gold]).astype(float)
    return rows if kinds is None else rows[np.arange(n) % kinds]


def against_plain_draws(n_draws: int, n: int = 300, kinds: int = 6) -> tuple[Row, int]:
    """Compare F1 of items of few kinds with plain draws: how often each kind is drawn is one multinomial."""
    rows = f1_rows(n, 0.5, 1, kinds), f1_rows(n, 0.7, 2, kinds)
    pair = Pair(metric_named("f1"), *rows)
    stream = np.random.default_rng(1)
    first = pair.gains(stream.multinomial(n // kinds * kinds, [1 / kinds] * kinds, 20_000) @ pair.columns[:kinds])
    event = Event(-math.inf, pair.gain + 4.265 * float(first.std()), False, pair.tolerance)
    met, begun = 0, time.perf_counter()
    for _ in range(max(1, n_draws // _DRAWN_AT_ONCE)):
        drawn = stream.multinomial(n, [1 / kinds] * kinds, size=_DRAWN_AT_ONCE)
        met += int(event.met(pair.gains(drawn @ pair.columns[:kinds])).sum())
    plain = time.perf_counter() - begun
    share = met / (max(1, n_draws // _DRAWN_AT_ONCE) * _DRAWN_AT_ONCE)
    begun = time.perf_counter()
    estimate = bootstrap_tilting(pair, 1).probability(event)
    what = f"{n_draws:,} plain draws, {plain:.0f} s"
    return row(what, estimate, share, time.perf_counter() - begun), met


def main() -> None:
    """Measure everything and print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the plain draws")
    parser.add_argument("--draws", type=float, default=1e6 if QUICK else 1e8)
    parser.add_argument("--only", choices=["means", "plain"])
    chosen = parser.parse_args()
    if chosen.only in (None, "means"):
        print("Means of 1,000 items at z standard errors, beside their exact laws:\n")
        print(table(HEADER, means(1000)), end="\n\n")
    if chosen.only in (None, "plain"):
        print("F1 of 300 items of 6 kinds, beside plain draws:\n")
        line, met = against_plain_draws(int(chosen.draws))
        print(table(HEADER, [line]))
        print(f"\n{met:,} plain draws met the event: the relative standard error of their share is {met**-0.5:.1%}.\n")


if __name__ == "__main__":
    main()
