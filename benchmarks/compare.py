"""Measure outscore beside SciPy and NumPy, in one process on the same data."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import scipy.stats
from measuring import DATA, Line, cpu_seconds, pretty, process_cpu_seconds, seconds, table_of_lines

import outscore
from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.gains.gain_laws import GainLaws, Hypothesis, Resampling
from outscore.gains.pair import Pair
from outscore.laws.resampling.schemes import SHARD, multinomial_weights, shard_stream
from outscore.metrics import F1, ColumnMetric, Mean
from outscore.metrics.families.spans import SpanF1
from outscore.readers.corpora.tagged import TagColumns
from outscore.results import Alternative, Method
from outscore.significance.base import SignificanceTest
from outscore.significance.bootstrap import Bootstrap
from outscore.significance.randomization import Randomization
from outscore.significance.two_rates import Right, rates_interval, rates_p_value

N = 2000


def pair_of(metric: ColumnMetric, baseline: FloatArray, candidate: FloatArray) -> Pair:
    before, after = (
        metric.rows_of(Rows("system", values.reshape(len(values), -1))).values for values in (baseline, candidate)
    )
    return Pair(metric, before, after)


def p_value(test: SignificanceTest, pair: Pair, resampling: Resampling) -> float:
    return test.p_value(pair, GainLaws([pair], resampling), Hypothesis()).probability


def additive() -> list[Line]:
    rng = np.random.default_rng(1)
    base = rng.normal(size=N).round(3)
    right = rng.random(N)
    kinds = {
        "scores with three decimals": (base, (base + 0.5 * rng.normal(size=N) + 0.02).round(3)),
        "right or wrong": ((right < 0.6).astype(float), ((right + 0.1 * rng.normal(size=N)) < 0.62).astype(float)),
    }
    lines = []
    for kind, (a, b) in kinds.items():
        d = b - a
        peers = {
            "bootstrap": seconds(
                lambda d=d: scipy.stats.bootstrap((d,), np.mean, n_resamples=10_000, rng=1),  # type: ignore[misc]
                repeats=3,
            ),
            "randomization": seconds(
                lambda a=a, b=b: scipy.stats.permutation_test(  # type: ignore[misc]
                    (b, a),
                    lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
                    permutation_type="samples",
                    n_resamples=10_000,
                    vectorized=True,
                    rng=1,
                ),
                repeats=3,
            ),
        }
        tests: dict[str, tuple[SignificanceTest, str]] = {
            "bootstrap": (Bootstrap(), "scipy.stats.bootstrap"),
            "randomization": (Randomization(), "scipy.stats.permutation_test"),
        }
        for name, (test, peer) in tests.items():
            ours = seconds(
                lambda a=a, b=b, test=test: p_value(test, pair_of(Mean(), a, b), Resampling(Method.EXACT)),  # type: ignore[misc]
                repeats=21,
            )
            lines.append(
                Line(
                    f"exact {name} p, mean, n = 2,000, {kind}",
                    pretty(ours),
                    f"{pretty(peers[name])} (`{peer}`, 10⁴ resamples)",
                    f"{peers[name] / ours:,.0f} × faster",
                    "≥ 100 ×",
                )
            )
    return lines


def in_memory() -> list[Line]:
    """Return what `outscore.compare` of two arrays costs, beside work of NumPy's that is always the same."""
    rng = np.random.default_rng(4)
    real, right = rng.normal(size=N), rng.random(N)
    noisy = real + 0.5 * rng.normal(size=N) + 0.02
    kinds = {
        f"n = {N:,}, right or wrong": (
            (right < 0.6).astype(float),
            ((right + 0.1 * rng.normal(size=N)) < 0.62).astype(float),
            "≤ 6.4 ×",
        ),
        f"n = {N:,}, real-valued": (real, noisy, "≤ 26 ×"),
        "n = 50, real-valued": (real[:50], noisy[:50], ""),
        "n = 49, real-valued": (real[:49], noisy[:49], "≤ 43 ×"),
    }

    def compared(a: FloatArray, b: FloatArray) -> tuple[float, ...]:
        [comparison] = outscore.compare(a, b).comparisons
        return *(test.p_value for test in comparison.tests), comparison.interval.low, comparison.interval.high

    return [
        beside_numpy(f"`outscore.compare(a, b)`, {kind}, to p and interval", partial(compared, a, b), target)
        for kind, (a, b, target) in kinds.items()
    ]


def unpaired_rates() -> list[Line]:
    """Return what the exact test of two independent rates and its interval cost."""
    a, b = Right(1200, N), Right(1270, N)
    p = partial(rates_p_value, a, b, 0.0, Alternative.TWO_SIDED)
    interval = partial(rates_interval, a, b, 0.05, Alternative.TWO_SIDED)
    what = f"the exact unconditional test, {N:,} and {N:,} binary items"
    return [beside_numpy(f"{what}, p", p, "≤ 25 ×"), beside_numpy(f"{what}, interval", interval, "≤ 250 ×")]


def beside_numpy(what: str, run: Callable[[], object], target: str) -> Line:
    """Return how long a call takes, beside work of NumPy's that is always the same."""
    values = np.random.default_rng(4).normal(size=2**15)
    # In turns, so that both meet the same machine.
    ours, numpys = [], []
    for _ in range(41):
        numpys.append(seconds(lambda: (np.sort(values), np.fft.rfft(values)), repeats=1))
        ours.append(seconds(run, repeats=1))
    one, other = min(ours), min(numpys)
    return Line(
        what,
        pretty(one),
        f"{pretty(other)} (NumPy sorts and transforms 32,768 numbers)",
        f"{one / other:.2g} × its time",
        target,
    )


def f1_counts() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(2)
    gold = rng.poisson(2, N)
    systems = []
    for recall in (0.80, 0.82):
        tp = rng.binomial(gold, recall)
        systems.append(np.column_stack([tp, tp + rng.poisson(0.5, N), gold]).astype(float))
    return systems[0], systems[1]


def f1_of_few_rows() -> tuple[FloatArray, FloatArray]:
    """Return counts of short texts, 200 distinct rows of both systems at most."""
    rng = np.random.default_rng(5)
    gold = np.minimum(rng.poisson(1, N), 3)
    systems = []
    for recall in (0.80, 0.82):
        tp = rng.binomial(gold, recall)
        systems.append(np.column_stack([tp, tp + rng.binomial(1, 0.3, N), gold]).astype(float))
    assert len(np.unique(np.column_stack(systems), axis=0)) <= 200
    return systems[0], systems[1]


def wnut_counts() -> tuple[FloatArray, FloatArray]:
    """Return the counts of two systems on the 1,287 posts of WNUT 2017."""
    metric = SpanF1()
    folder = DATA / "ner-wnut17"
    gold, *systems = (
        TagColumns().parse(path.read_text("utf-8"), path.name)
        for path in (folder / "gold.bio", folder / "systems" / "UH-RiTUAL.bio", folder / "systems" / "SJTU-Adapt.bio")
    )
    one, other = (metric.rows(system.items, gold.items) for system in systems)
    return one, other


def monte_carlo() -> list[Line]:
    cases = {
        f"n = {N:,}": (f1_counts(), "≥ 20 ×"),
        f"n = {N:,}, 200 distinct rows at most": (f1_of_few_rows(), "≥ 50 ×"),
    }
    if DATA.exists():
        cases["the 1,287 posts of WNUT 2017"] = wnut_counts(), "≥ 50 ×"
    return [line for what, (systems, target) in cases.items() for line in paired_bootstrap(what, *systems, target)]


def paired_bootstrap(what: str, a: FloatArray, b: FloatArray, target: str) -> list[Line]:
    """Time outscore and SciPy in turns, so that both meet the same machine: the least processor times."""
    pair = pair_of(F1(), a, b)
    r, peer_r = 102_400, 9_999

    def gain(*columns: FloatArray, axis: int) -> FloatArray:
        tp1, predicted1, gold1, tp2, predicted2, gold2 = (column.sum(axis=axis) for column in columns)
        return np.asarray(2 * tp2 / (predicted2 + gold2) - 2 * tp1 / (predicted1 + gold1))

    def peer(batch: int | None) -> object:
        columns = *a.T, *b.T
        return scipy.stats.bootstrap(
            columns, gain, paired=True, vectorized=True, n_resamples=peer_r, batch=batch, rng=1
        )

    ours, defaults, batches = [], [], []
    for _ in range(5):
        ours.append(cpu_seconds(lambda: p_value(Bootstrap(), pair, Resampling(Method.MONTE_CARLO, r)), repeats=1) / r)
        defaults.append(cpu_seconds(lambda: peer(None), repeats=1) / peer_r)
        batches.append(min((cpu_seconds(lambda k=k: peer(k), repeats=1) / peer_r, k) for k in (20, 50, 200)))  # type: ignore[misc]
    best, best_batch = min(batches)
    peers = [
        ("as called by default", min(defaults), target),
        (f"with its best batch size, {best_batch}", best, ""),
    ]
    return [
        Line(
            f"paired bootstrap of F1, {what}, per resample",
            f"{min(ours) * 1e6:.3g} µs",
            f"{theirs * 1e6:.3g} µs (`scipy.stats.bootstrap`, paired, vectorized, {how})",
            f"{theirs / min(ours):,.0f} × faster",
            goal,
        )
        for how, theirs, goal in peers
    ]


def two_threads(what: str, pair: Pair) -> Line:
    """Compare two threads with one, in turns; r = 10⁶."""
    one: list[float] = []
    two: list[float] = []
    with ThreadPoolExecutor(2) as executor:
        for _ in range(3):
            for times, threads in ((one, None), (two, executor)):
                resampling = Resampling(Method.MONTE_CARLO, 10**6, executor=threads)
                times.append(seconds(lambda r=resampling: p_value(Bootstrap(), pair, r), repeats=1))  # type: ignore[misc]
    return Line(
        f"paired bootstrap of {what}, r = 10⁶, two threads",
        pretty(min(two)),
        f"{pretty(min(one))} (one thread)",
        f"{min(one) / min(two):.2f} × faster",
        "≥ 1.6 ×",
    )


MILLION = """
import sys, time
sys.path.insert(0, {here!r})
import compare
from outscore.significance.bootstrap import Bootstrap
from outscore.gains.gain_laws import Resampling
from outscore.results import Alternative, Method
pair = compare.pair_of(compare.F1(), *compare.f1_counts())
start = time.perf_counter()
compare.p_value(Bootstrap(), pair, Resampling(Method.MONTE_CARLO, 10**6))
took = time.perf_counter() - start
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(took, int(peak) / 1024)
"""


def million() -> Line:
    code = MILLION.format(here=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    took, megabytes = (float(part) for part in done.stdout.split())
    name = "paired bootstrap of F1, n = 2,000, r = 10⁶"
    return Line(name, f"{took:.1f} s", "", f"peak memory {megabytes:.0f} MB", "< 400 MB")


def drawing() -> Line:
    """Draw weights and words in turns; many shards each, and the fast ones count, which other work disturbs least."""
    ours: list[float] = []
    words: list[float] = []
    for start in range(0, 400, 40):
        shards = range(start, start + 40)
        ours += [cpu_seconds(partial(multinomial_weights, shard_stream(0, 1, s), SHARD, N), repeats=1) for s in shards]
        words += [
            cpu_seconds(partial(shard_stream(0, 2, s).integers, 0, 2**16, (SHARD, N), np.uint16), repeats=1)
            for s in shards
        ]
    one, other = (sorted(times)[len(times) // 4] / (SHARD * N) for times in (ours, words))
    return Line(
        "drawing bootstrap weights, n = 2,000, per weight",
        f"{one * 1e9:.2f} ns",
        f"{other * 1e9:.2f} ns (a 16-bit random word, `Generator.integers`)",
        f"{one / other:.2f} × its cost",
        "≤ 0.8 ×",
    )


def process() -> Line:
    """Time the start of the command, as a whole process: processor times, the least and the median."""
    commands = {"pass": ("-c", "pass"), "version": ("-m", "outscore", "--version")}
    with tempfile.TemporaryDirectory() as folder:
        # Byte code is kept, as that of installed packages is, whatever the environment of this process says.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        times = process_cpu_seconds(commands, repeats=41, folder=folder, environment=environment)
    each = {name: (min(seconds), statistics.median(seconds)) for name, seconds in times.items()}
    ours, other = (", ".join(pretty(one) for one in each[name]) for name in ("version", "pass"))
    beyond = ", ".join(pretty(one - 1.2 * peer) for one, peer in zip(each["version"], each["pass"], strict=True))
    ratio, target = f"1.2 × and {beyond}", "≤ 1.2 × and 40 ms"
    return Line("`outscore --version`, whole process", ours, f'{other} (`python -c "pass"`)', ratio, target)


def main() -> None:
    """Measure everything and print the section."""
    lines = [
        *additive(),
        *in_memory(),
        *unpaired_rates(),
        *monte_carlo(),
        million(),
        two_threads("F1, n = 2,000", pair_of(F1(), *f1_counts())),
        drawing(),
        process(),
    ]
    print(f"""\
SciPy runs beside outscore in one process, on the same data, in turns where a ratio is small. Medians of several runs,
and of the paired bootstrap and of drawing processor times; of whole processes the least and the median processor time.

{table_of_lines(lines)}

Exact p-values are timed from arrays to the p-value. `outscore.compare` is timed to the p-values of the default test and
of the bootstrap beside it, and to the interval. The peers' 10⁴ resamples give a p-value to two digits at best; ours is
exact. Peers run with their defaults, except as noted.

How much the paired bootstrap costs depends on how many items have equal rows, which are drawn together: of the 2,000 of
F1 323 differ. A weight or a count costs less than a random number; beside them there are the product with the rows and
the scores.""")


if __name__ == "__main__":
    main()
