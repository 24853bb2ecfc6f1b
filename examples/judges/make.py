"""Make verdicts of judges: preferences in both orders, verdicts on answers of three systems, and ratings.

The large judge agrees with people more often than the small one. The small judge prefers the answer shown first, and
accepts too many wrong answers of its own model, atlas.
"""

import csv
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent
ACCURACY = {"large": 0.92, "small": 0.78}
PULL = {"large": 0.04, "small": 0.22}  # how often the place decides
QUALITY = {"atlas": 0.6, "birch": 0.55, "cedar": 0.45}


def write(name: str, header: str, rows: list[tuple[object, ...]]) -> None:
    """Write a table beside this file."""
    with (ROOT / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header.split(), *rows])


def preferences(rng: np.random.Generator) -> None:
    """Write preferences of two judges in both orders, each twice, and those of people."""
    rows = []
    for prompt in range(60):
        human = "A" if rng.random() < 0.55 else "B"
        other = {"A": "B", "B": "A"}[human]
        for judge, accuracy in ACCURACY.items():
            mind = human if rng.random() < accuracy else other
            for order in ("AB", "BA"):
                for run in (1, 2):
                    verdict = mind if rng.random() < 0.9 else str(rng.choice(["A", "B", "tie"]))
                    verdict = order[0] if rng.random() < PULL[judge] else verdict
                    rows.append((f"p{prompt + 1:02}", judge, order, run, verdict, human))
    write("verdicts.csv", "prompt_id judge order run verdict human", rows)


def answers(rng: np.random.Generator) -> None:
    """Write whether two judges, and people, accept the answers of three systems to the same questions."""
    rows = []
    for question in range(100):
        hard = rng.normal()
        for system, quality in QUALITY.items():
            human = int(0.7 * hard + rng.normal() < 2.4 * (quality - 0.5))
            for judge in ACCURACY:
                wrong = 0.45 if (judge, system, human) == ("small", "atlas", 0) else 0.12
                rows.append((f"q{question + 1:03}", judge, system, int(human ^ (rng.random() < wrong)), human))
    write("answers.csv", "question_id judge system verdict human", rows)


def ratings(rng: np.random.Generator) -> None:
    """Write ratings from 1 to 5 by three models, some of them missing."""
    rows = []
    for item in range(40):
        quality = rng.normal(3.2, 1.1)
        for model, noise in (("large", 0.5), ("medium", 0.7), ("small", 1.1)):
            if rng.random() < 0.9:
                rows.append((f"s{item + 1:02}", model, int(np.clip(round(quality + noise * rng.normal()), 1, 5))))
    write("ratings.csv", "segment model score", rows)


if __name__ == "__main__":
    stream = np.random.default_rng(8)
    preferences(stream)
    answers(stream)
    ratings(stream)
