"""Hold tilted p-values to exact laws and to 10^8 plain draws, and measure what they cost a ranking.

`python benchmarks/tilted.py` takes about ten minutes on one busy core; `--draws 1e6 --systems 12` is a trial run.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

import outscore
from outscore._types import FloatArray
from outscore.exact import bootstrap_law, swap_law
from outscore.laws import Probability
from outscore.metrics.registry import metric_named
from outscore.significance.pair import Pair
from outscore.significance.tilted import Event, bootstrap_tilting, swap_tilting

_DRAWN_AT_ONCE = 1_000_000


def line(what: str, estimate: Probability | None, truth: float, seconds: float) -> None:
    """Print a line of the table: what is true, the estimate over it, its relative standard error, seconds."""
    if estimate is None or estimate.low is None or estimate.high is None:
        print(f"{what:42} {truth:9.2e}  none, left to plain draws")
        return
    error = math.log(estimate.high / estimate.low) / (2 * 1.96)
    inside = "in" if estimate.low <= truth <= estimate.high else "OUT"
    print(f"{what:42} {truth:9.2e} {estimate.value / truth:7.3f} {error:7.1%} {inside:>4} {seconds:6.2f} s")


def means(n: int) -> None:
    """Compare with the exact laws of means, from 2 to 11.4 standard errors."""
    stream = np.random.default_rng(1)
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
                line(f"mean, {kind}, {name}, z = {z:g}", estimate, law.outside(*ends).value, seconds)


def f1_rows(n: int, recall: float, seed: int, kinds: int | None = None) -> FloatArray:
    """Return rows of right, said and gold spans; with `kinds` so many different ones at most."""
    stream = np.random.default_rng(seed)
    gold = 1 + np.random.default_rng(0).poisson(2, n if kinds is None else kinds)
    right = stream.binomial(gold, recall)
    rows = np.column_stack([right, right + stream.binomial(2, 0.3, len(gold)), gold]).astype(float)
    return rows if kinds is None else rows[np.arange(n) % kinds]


def against_plain_draws(n_draws: int, n: int = 300, kinds: int = 6) -> None:
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
    line(f"F1, {n_draws:.0e} plain draws, {plain:.0f} s", estimate, share, time.perf_counter() - begun)
    print(f"{'':42} {met} draws met the event: the share's own relative standard error is {met**-0.5:.1%}")


def ranking(systems: int, n: int) -> None:
    """Measure rankings by F1 with Holm's correction, with tilted p-values and without."""
    rows = {f"s{i}": f1_rows(n, 0.3 + 0.5 * i / systems, i + 1) for i in range(systems)}
    for method in ("monte-carlo", "auto"):
        begun = time.perf_counter()
        ranked = outscore.rank(rows, metric="f1", correction="holm", max_t=False, method=method)
        seconds = time.perf_counter() - begun
        at_floor = sum(pair.is_bound for pair in ranked.pairs)
        tilted = [pair for pair in ranked.pairs if pair.n_tilted]
        told = sum(pair.p_holm <= 0.05 for pair in ranked.pairs)
        print(
            f"{len(ranked.pairs)} pairs, {n} items, {method}: {seconds:.0f} s, {at_floor} bounds, {len(tilted)} tilted "
            f"by {tilted[0].n_tilted if tilted else 0} resamples each, {told} told apart by Holm's correction"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=float, default=1e8)
    parser.add_argument("--systems", type=int, default=25)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--only", choices=["means", "plain", "ranking"])
    asked = parser.parse_args()
    print(f"{'':42} {'exact':>9} {'ratio':>7} {'error':>7} {'':>4} {'time':>8}")
    if asked.only in (None, "means"):
        means(1000)
    if asked.only in (None, "plain"):
        against_plain_draws(int(asked.draws))
    if asked.only in (None, "ranking"):
        ranking(asked.systems, asked.items)


if __name__ == "__main__":
    main()
