"""Time the studies: run `python benchmarks/studies.py`; each line says what, seconds, and the peak of memory.

The gain study of 150 systems on 2,000 items with 100,000 resamples, from rows of BLEU; and the calibration study of 40
systems with 1,000 test sets of 1,600 items.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from outscore.design import Design
from outscore.metrics import Accuracy, Metric
from outscore.metrics.translation import Bleu
from outscore.rows import Rows
from outscore.scores import Scores
from outscore.significance import Resampling
from outscore.studies import StudyOptions, StudySystems, calibration_study, gain_study

ORDERS = 4


def bleu_systems(s: int, n: int, seed: int = 0) -> StudySystems:
    """Return rows like those of BLEU: n-grams matched and given, and lengths, of sentences of 25 words."""
    stream = np.random.default_rng(seed)
    lengths = 5 + stream.poisson(20, n)
    hard = stream.normal(0, 0.35, n)
    systems = []
    for i in range(s):
        words = np.maximum(lengths + stream.integers(-2, 3, n), 4)
        skill = 0.55 + 0.1 * i / s
        rows = [words, lengths]
        share = np.clip(skill + 0.2 * (hard + stream.normal(0, 0.2, n)), 0.02, 0.98)
        matched, given = [], []
        for order in range(ORDERS):
            possible = words - order
            given.append(possible)
            matched.append(stream.binomial(possible, share ** (1 + 0.6 * order)))
        rows += [*matched, *given]
        systems.append(Rows(f"s{i}", np.column_stack(rows).astype(np.float64)))
    return _board(Bleu(), systems)


def accuracy_systems(s: int, n: int, seed: int = 0) -> StudySystems:
    """Return right or wrong answers."""
    stream = np.random.default_rng(seed)
    hard = stream.normal(0, 1, n)
    answers = [(hard + stream.normal(0, 1, n) < 0.2 * i / s) for i in range(s)]
    metric = Accuracy()
    rows = [metric.rows_of(Rows(f"s{i}", right.astype(np.float64)[:, None])) for i, right in enumerate(answers)]
    return _board(metric, rows)


def _board(metric: Metric, systems: list[Rows]) -> StudySystems:
    families = tuple(f"f{i % 50}" for i in range(len(systems)))
    return StudySystems.of_scores(Scores((metric,), (tuple(systems),), families, Design(len(systems[0]))))


def timed(what: str, start: tuple[float, float]) -> None:
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what}: {wall:.1f} s ({cpu:.1f} s of processor time), peak {peak:.0f} MB", flush=True)


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the resamples and test sets")
    part = 10 if parser.parse_args().quick else 1
    systems = bleu_systems(150, 2000)
    start = now()
    study = gain_study(systems, StudyOptions(resampling=Resampling(n_resamples=100_000 // part)))
    timed(f"gain, BLEU, {len(study.pairs):,} pairs, r = {100_000 // part:,}", start)
    for kind, made in (("BLEU", bleu_systems), ("accuracy", accuracy_systems)):
        population = made(40, 4000)
        start = now()
        options = StudyOptions(resampling=Resampling(n_resamples=1000))
        found = calibration_study(population, options, items=1600, repeats=1000 // part)
        share = found.window.share
        timed(f"calibration, {kind}, {found.n_test_sets:,} test sets, right near 0.05: {share or 0:.1%}", start)


if __name__ == "__main__":
    main()
