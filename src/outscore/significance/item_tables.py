"""What a comparison says of single items: their scores, and what was said on each side."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.metrics import AnyMetric
from outscore.results import ItemTable
from outscore.rows import Rows

__all__ = ["item_table"]


def item_table(
    metric: AnyMetric,
    baseline: Rows,
    candidate: Rows,
    *,
    sources: Sequence[str] | None = None,
    references: Sequence[Sequence[str]] | None = None,
    baseline_outputs: Sequence[str] | None = None,
    candidate_outputs: Sequence[str] | None = None,
) -> ItemTable:
    """Return the items of a comparison whose systems are aligned item by item.

    Parameters
    ----------
    metric : AnyMetric
    baseline, candidate : Rows
        Shape (n, k).
    sources, references, baseline_outputs, candidate_outputs : sequences of n, optional
        Texts, where they are known.
    """
    before, after = metric.item_scores(baseline.values), metric.item_scores(candidate.values)
    ids = baseline.item_ids or tuple(map(str, baseline.lines or range(1, len(baseline) + 1)))
    if before is None or after is None:
        scores: dict[str, Sequence[float]] = {}
    else:
        sign = 1.0 if metric.higher_is_better else -1.0
        scores = {
            "baseline_scores": before.tolist(),
            "candidate_scores": after.tolist(),
            "differences": (sign * (after - before)).tolist(),
        }
    return ItemTable(
        ids,
        **scores,
        sources=sources,
        references=references,
        baseline_outputs=baseline_outputs,
        candidate_outputs=candidate_outputs,
    )
