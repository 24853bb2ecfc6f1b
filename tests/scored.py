"""Rows of systems as the scores that questions are asked of."""

from __future__ import annotations

from collections.abc import Sequence

from outscore import Rows, Scores
from outscore._types import AnyArray
from outscore.design import Clusters, Design, Strata
from outscore.metrics import AnyMetric

__all__ = ["scored"]


def scored(
    metric: AnyMetric,
    systems: Sequence[Rows],
    *,
    clusters: AnyArray | None = None,
    strata: AnyArray | None = None,
    families: Sequence[str | None] | None = None,
) -> Scores:
    """Return the scores of systems whose rows are aligned item by item, the baseline of a comparison first."""
    design = Design(len(systems[0]) if systems else 0).having(
        None if clusters is None else Clusters(clusters), None if strata is None else Strata(strata)
    )
    return Scores((metric,), (tuple(systems),), tuple(families or [None] * len(systems)), design)
