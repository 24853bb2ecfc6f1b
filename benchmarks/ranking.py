"""Measure rankings beside the bare matrix product, each case in its own process."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from measuring import (
    PRODUCT,
    QUICK,
    apart,
    peak,
    pretty,
    print_json,
    product_seconds,
    table,
    timed,
    told,
)

from outscore._types import FloatArray
from outscore.data.rows import Rows
from outscore.design import Design
from outscore.design.scores import Scores
from outscore.gains.gain_laws import Hypothesis
from outscore.gains.tables import SystemTable
from outscore.laws.resampling.engine import distinct_columns
from outscore.metrics import Accuracy, Metric
from outscore.metrics.families.translation import Bleu
from outscore.questions.ranks.all_pairs import ExactLaws, p_values_of_pairs
from outscore.questions.ranks.inquiry import RankingSettings
from outscore.questions.ranks.ranking import rank_scores
from outscore.results import Alternative, Method, Ranking
from outscore.significance import Bootstrap, Resampling

CORES = 2
HEIGHT = 4096  # resamples in one bare product: tall enough for all threads of the library

Case = dict[str, float]


def bleu_rows(s: int, n: int) -> list[Rows]:
    """Return rows like those of s systems on n segments: lengths that differ, scores between 20 and 35."""
    rng = np.random.default_rng(0)
    reference = rng.integers(5, 60, n)
    hard = 0.05 * rng.normal(size=(n, 1))
    systems = []
    for k, quality in enumerate(np.linspace(0.85, 1.1, s)):
        length = np.maximum(4, reference + rng.integers(-3, 4, n))
        ngrams = length[:, None] - np.arange(4)
        matches = rng.binomial(ngrams, np.clip(np.array([0.65, 0.42, 0.30, 0.20]) * quality + hard, 0.02, 0.98))
        systems.append(Rows(f"s{k}", np.column_stack([length, reference, matches, ngrams]).astype(np.float64)))
    return systems


def binary_rows(s: int, n: int) -> list[Rows]:
    rng = np.random.default_rng(0)
    hard = rng.normal(size=n)
    return [
        Rows(f"s{k}", np.column_stack([(hard + rng.normal(size=n) < quality).astype(np.float64), np.ones(n)]))
        for k, quality in enumerate(np.linspace(-0.3, 1.0, s))
    ]


def bare_product(rows: FloatArray, r: int) -> tuple[float, float]:
    """Return the seconds of r × n weights by n × columns in float32 and nothing else; no draws, no scores."""
    narrow = np.ascontiguousarray(rows, dtype=np.float32)
    weights = np.random.default_rng(1).poisson(1, (HEIGHT, len(rows))).astype(np.float32)
    totals = np.empty((HEIGHT, narrow.shape[1]), dtype=np.float32)
    np.matmul(weights, narrow, out=totals)

    def run() -> None:
        for _ in range(max(1, r // HEIGHT)):
            np.matmul(weights, narrow, out=totals)

    return tuple(seconds * r / (max(1, r // HEIGHT) * HEIGHT) for seconds in timed(run))  # type: ignore[return-value]


def ranked(metric: Metric, systems: list[Rows], r: int, jobs: int) -> Case:
    with ThreadPoolExecutor(jobs) as threads:
        executor = threads if jobs > 1 else None
        settings = RankingSettings(resampling=Resampling(Method.AUTO, r, 12345, executor))
        scores = Scores((metric,), (tuple(systems),), (None,) * len(systems), Design(len(systems[0])))
        wall, cpu = timed(lambda: rank_scores(scores, settings))
    return {"wall": wall, "cpu": cpu, "peak": peak()}


def bleu_case(s: int, n: int, r: int, jobs: int) -> Case:
    systems = bleu_rows(s, n)
    rows = np.column_stack([system.values for system in systems])
    repeated = np.unique(rows, axis=1)
    case = ranked(Bleu(), systems, r, jobs)
    case["bare_wall"], case["bare_cpu"] = bare_product(rows, r)
    case["distinct_wall"], case["distinct_cpu"] = bare_product(repeated, r)
    case["columns"], case["distinct"] = rows.shape[1], repeated.shape[1]
    case["multiplied"] = distinct_columns(rows).columns.shape[1]
    return case


def binary_case(s: int, n: int, r: int, jobs: int) -> Case:
    systems = binary_rows(s, n)

    def run() -> None:
        order = SystemTable.order(Accuracy(), [system.values for system in systems])
        table = SystemTable(Accuracy(), [systems[i].values for i in order])
        question, resampling = Hypothesis(Alternative.TWO_SIDED), Resampling()
        exact = ExactLaws(table, resampling)
        p_values_of_pairs(
            Bootstrap(),
            exact,
            question,
            counted=lambda: np.zeros(0, dtype=np.int64),
            spreads=table.spreads,
        )

    wall, cpu = timed(run)
    whole = ranked(Accuracy(), systems, r, jobs)
    return {"wall": wall, "cpu": cpu, "rank_wall": whole["wall"], "rank_cpu": whole["cpu"], "peak": whole["peak"]}


def table_case(s: int, n: int, r: int, jobs: int) -> Case:
    """Measure the command as a whole, from a table of s columns to the text, beside a product of fixed size."""
    answers = np.column_stack([system.values[:, 0] for system in binary_rows(s, n)]).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.csv"
        lines = (",".join(map(str, [i, *row])) for i, row in enumerate(answers.tolist()))
        path.write_text("\n".join([",".join(["id", *(f"s{k}" for k in range(s))]), *lines]) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "outscore", "rank", str(path), "-m", "accuracy", "--jobs", str(jobs)]
        command += ["--n-resamples", str(r)]
        wall, _ = timed(lambda: subprocess.run(command, check=True, capture_output=True))
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    case = {"wall": wall, "cpu": of_children.ru_utime, "peak": of_children.ru_maxrss / 1024}
    return {**case, "product": product_seconds()}


WRITTEN: dict[str, Callable[[Ranking], str | bytes]] = {
    "Parquet": lambda ranking: ranking.to_parquet(pairs=True),
    "CSV": lambda ranking: ranking.to_csv(pairs=True),
    "JSON": lambda ranking: ranking.to_json(),
}


def written_case(s: int, n: int, r: int, jobs: int) -> Case:
    """Measure how all pairs are written; intervals are computed by the first format."""
    del jobs
    systems = binary_rows(s, n)
    scores = Scores((Accuracy(),), (tuple(systems),), (None,) * s, Design(n))
    (ranking,) = rank_scores(scores, RankingSettings(resampling=Resampling(Method.AUTO, r, 12345)))
    case = {"peak": peak()}
    for form, write in WRITTEN.items():
        start, begun = time.perf_counter(), time.process_time()
        case[f"{form}_size"] = len(write(ranking))
        case[f"{form}_wall"], case[f"{form}_cpu"] = time.perf_counter() - start, time.process_time() - begun
        case[f"{form}_peak"] = peak()
    return case


CASES: dict[str, Callable[[int, int, int, int], Case]] = {
    "bleu": bleu_case,
    "binary": binary_case,
    "table": table_case,
    "written": written_case,
}


def in_own_process(kind: str, s: int, n: int, r: int, *, jobs: int = CORES) -> Case:
    """Run one case in a fresh process, so that its peak memory is its own."""
    told(f"{kind}: {s:,} systems, {n:,} items, {r:,} resamples")
    # Threads share the shards among them: a product that took threads of its own would take them from each other.
    environment = {} if kind in ("table", "written") else {"OPENBLAS_NUM_THREADS": "1"}
    case: Case = apart(__file__, "--case", kind, s, n, r, jobs, **environment)
    return case


def both(case: Case, name: str = "") -> str:
    return f"{pretty(case[f'{name}wall'])} ({pretty(case[f'{name}cpu'])})"


def main() -> None:
    def count(r: float) -> int:
        return int(r / 10) if QUICK else int(r)

    rows = []
    case = in_own_process("bleu", 31, 2000, count(10**6))
    rows += [
        (
            f"31 systems × BLEU × 2,000 segments × {count(10**6):,} resamples, 465 pairs: everything",
            both(case),
            f"{case['peak']:.0f} MB",
            "1.6 × the product, < 1.5 GB",
        ),
        (
            f"the bare float32 product, {case['columns']:.0f} columns, one thread",
            f"{both(case, 'bare_')}: **{case['cpu'] / case['bare_cpu']:.2f} ×**",
            "",
            "",
        ),
        (
            f"the same without the {case['columns'] - case['distinct']:.0f} columns that repeat",
            f"{both(case, 'distinct_')}: {case['cpu'] / case['distinct_cpu']:.2f} ×; outscore multiplies "
            f"{case['multiplied']:.0f}",
            "",
            "",
        ),
    ]
    case = in_own_process("bleu", 150, 2000, count(10**5))
    what = f"150 systems × BLEU × 2,000 × {count(10**5):,}, 11,175 pairs"
    rows.append((what, both(case), f"{case['peak']:.0f} MB", "< 60 s"))
    case = in_own_process("binary", 200, 10_000, count(10**4))
    what = f"the whole ranking of these, {count(10**4):,} resamples for max-T"
    rows += [
        ("200 systems × 10,000 items right or wrong: exact p of all 19,900 pairs", both(case), "", "< 5 s"),
        (what, both(case, "rank_"), f"{case['peak']:.0f} MB", ""),
    ]
    for s, target in ((200, "30 ×"), (100 if QUICK else 1000, "330 ×, < 2 GB")):
        case = in_own_process("table", s, 10_000, count(10**5))
        rows.append(
            (
                f"`outscore rank` of {s:,} columns × 10,000 right or wrong, {s * (s - 1) // 2:,} pairs, as a whole",
                f"{pretty(case['wall'])}: **{case['wall'] / case['product']:.0f} ×** {PRODUCT}",
                f"{case['peak']:.0f} MB",
                target,
            )
        )
    case = in_own_process("written", s, 2000, 10**4)
    pairs = f"{s:,} systems × 2,000 items, all {s * (s - 1) // 2:,} pairs"
    rows += [
        (
            f"{pairs} as {form}: {case[f'{form}_size'] / 1e6:.1f} MB",
            f"{pretty(case[f'{form}_wall'])} ({pretty(case[f'{form}_cpu'])})",
            f"{case[f'{form}_peak']:.0f} MB ({case['peak']:.0f} MB before)",
            "",
        )
        for form in WRITTEN
    ]
    print("Seconds on the wall, with two threads; in brackets those of all processors together. Each case in a process")
    print("of its own; of what is written the first format computes the intervals.\n")
    print(table(("what", "took", "peak memory", "target"), rows))
    print("\nGrowth: BLEU, all pairs, one thread; processor seconds.\n")
    for what, sizes in (
        ("systems", [(s, 1000, count(10**5)) for s in (10, 20, 40, 80)]),
        ("items", [(20, n, count(10**5)) for n in (500, 1000, 2000, 4000)]),
        ("resamples", [(20, 1000, count(r)) for r in (5e4, 1e5, 2e5, 4e5)]),
    ):
        cells = []
        for s, n, r in sizes:
            value = {"systems": s, "items": n, "resamples": r}[what]
            cells.append(f"{value:,}: {pretty(in_own_process('bleu', s, n, r, jobs=1)['cpu'])}")
        print(f"- {what}: {', '.join(cells)}")
    print(
        "\nTime grows in proportion to resamples and items, and to systems but for the pairs, which cost about 3 ns a"
    )
    print("pair and resample.")


if __name__ == "__main__":
    if "--case" in sys.argv:
        kind, *numbers = sys.argv[sys.argv.index("--case") + 1 :]
        s, n, r, jobs = map(int, numbers[:4])
        print_json(CASES[kind](s, n, r, jobs))
    else:
        main()
