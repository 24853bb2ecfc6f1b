"""Items made for reports."""

from __future__ import annotations

import random

from outscore.results import Comparison, ComparisonResult, ItemTable

from .conftest import a_comparison, a_result, a_test, bell

WORDS = ("the", "a", "of", "old", "green", "house", "river", "walks", "sings", "slowly", "bright", "never", "stone")


def a_table(n: int = 200, *, seed: int = 1, words: int = 12) -> ItemTable:
    """Return items with scores and texts, about a fifth of them unchanged."""
    rng = random.Random(seed)
    sources = [" ".join(rng.choices(WORDS, k=words)) for _ in range(n)]
    references = [" ".join(rng.choices(WORDS, k=words)) for _ in range(n)]
    outputs = [_changed(reference, rng) for reference in references]
    others = [output if rng.random() < 0.2 else _changed(output, rng) for output in outputs]
    baseline = [round(rng.uniform(0.1, 0.9), 3) for _ in range(n)]
    candidate = [
        b if one == other else round(b + rng.gauss(0.02, 0.15), 3)
        for b, one, other in zip(baseline, outputs, others, strict=True)
    ]
    return ItemTable(
        item_ids=[f"doc{i // 10}:{i % 10}" for i in range(n)],
        baseline_scores=baseline,
        candidate_scores=candidate,
        differences=[c - b for b, c in zip(baseline, candidate, strict=True)],
        sources=sources,
        references=[(reference,) for reference in references],
        baseline_outputs=outputs,
        candidate_outputs=others,
    )


def result_of(table: ItemTable) -> ComparisonResult:
    """Return a comparison that counts the items of a table."""
    differences = table.differences or ()
    helped, hurt = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return a_result(_comparison(helped, hurt, len(table) - helped - hurt))


def _comparison(helped: int, hurt: int, unchanged: int) -> Comparison:
    return a_comparison(
        helped=helped,
        hurt=hurt,
        unchanged=unchanged,
        gain=0.021,
        tests=(a_test(p=0.0214), a_test("randomization", 0.0231)),
        histogram=bell(0.021, 0.0117),
    )


def _changed(text: str, rng: random.Random) -> str:
    words = text.split()
    for _ in range(rng.randint(1, 3)):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)
