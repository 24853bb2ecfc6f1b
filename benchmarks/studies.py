"""Time the studies.

The gain study of 150 systems on 2,000 items with 100,000 resamples, from rows of BLEU; and the calibration study of 40
systems with 1,000 test sets of 1,600 items.
"""

from __future__ import annotations

import numpy as np
from measuring import PRODUCT, QUICK, peak, pretty, product_seconds, table, timed, told

from outscore.data.rows import Rows
from outscore.design import Design
from outscore.design.scores import Scores
from outscore.metrics import Accuracy, Metric
from outscore.metrics.families.translation import Bleu
from outscore.significance import Resampling
from outscore.wings.studies import StudyOptions, StudySystems, calibration_study, gain_study
from outscore.wings.studies.results import CalibrationStudy, GainStudy

ORDERS = 4


def bleu_systems(s: int, n: int, seed: int = 0) -> StudySystems:
    """Return rows like those of BLEU: n-grams matched and in all, and lengths, of sentences of 25 words."""
    stream = np.random.default_rng(seed)
    lengths = 5 + stream.poisson(20, n)
    hard = stream.normal(0, 0.35, n)
    systems = []
    for i in range(s):
        words = np.maximum(lengths + stream.integers(-2, 3, n), 4)
        skill = 0.55 + 0.1 * i / s
        rows = [words, lengths]
        share = np.clip(skill + 0.2 * (hard + stream.normal(0, 0.2, n)), 0.02, 0.98)
        matched, ngrams = [], []
        for order in range(ORDERS):
            possible = words - order
            ngrams.append(possible)
            matched.append(stream.binomial(possible, share ** (1 + 0.6 * order)))
        rows += [*matched, *ngrams]
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


def row(what: str, took: tuple[float, float], product: float) -> tuple[str, ...]:
    return what, f"{pretty(took[0])} ({pretty(took[1])})", f"**{took[0] / product:.0f} ×**", f"{peak():.0f} MB"


def main() -> None:
    """Measure everything and print the section."""
    part = 10 if QUICK else 1
    product = product_seconds()
    studies: list[GainStudy | CalibrationStudy] = []
    systems = bleu_systems(150, 2000)
    options = StudyOptions(resampling=Resampling(n_resamples=100_000 // part))
    took = timed(lambda: studies.append(gain_study(systems, options)))
    rows = [row(f"gain, BLEU, 150 systems × 2,000 items, 11,175 pairs, r = {100_000 // part:,}", took, product)]
    for kind, made in (("BLEU", bleu_systems), ("accuracy", accuracy_systems)):
        told(f"calibration, {kind}")
        population = made(40, 4000)
        options = StudyOptions(resampling=Resampling(n_resamples=1000))
        took = timed(
            lambda population=population, options=options: studies.append(  # type: ignore[misc]
                calibration_study(population, options, items=1600, repeats=1000 // part)
            )
        )
        what = f"calibration, {kind}, 40 systems, {1000 // part:,} test sets of 1,600 items, r = 1,000"
        rows.append(row(what, took, product))
    print("From rows to the result, one thread; seconds on the wall, in brackets those of all processors together.\n")
    print(table(("what", "took", f"beside {PRODUCT}", "peak memory so far"), rows))


if __name__ == "__main__":
    main()
