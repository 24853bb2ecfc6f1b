"""Gates to report on: small systems whose gains are set, item by item."""

from __future__ import annotations

from collections.abc import Mapping

import outscore
from tests.gating.kit import GateResult, GateRule, InconclusivePolicy, Look, Margins, gate_scores

__all__ = ["ENOUGH", "HOSTILE", "LOST", "SAME", "TOO_FEW", "gate"]

# Of how many items the candidate helps and hurts how many.
SAME, LOST, TOO_FEW, ENOUGH = (400, 2, 2), (400, 2, 60), (20, 1, 1), (400, 0, 0)
HOSTILE = "a\x1b[31m\x00\n::error::\ud800\ufffe ]]> <b> & \"'"


def system(sizes: tuple[int, int, int], *, candidate: bool, prefix: str = "q") -> dict[str, int]:
    """Return right or wrong item by item: first those that are helped, then those that are hurt."""
    n, helped, hurt = sizes
    return {
        f"{prefix}{item}": int(candidate) if item < helped else int(not candidate or item >= helped + hurt)
        for item in range(n)
    }


def gate(
    sizes: tuple[int, int, int] | Mapping[str, tuple[int, int, int]],
    *,
    inconclusive: InconclusivePolicy | None = None,
    names: tuple[str, str] = ("base", "new"),
    prefix: str = "q",
    margin: float = 0.03,
) -> GateResult:
    """Return what a first look says of one task, or of tasks of these names."""
    baseline, candidate = (
        system(sizes, candidate=which, prefix=prefix)
        if isinstance(sizes, tuple)
        else {
            f"{task}/{item}": right
            for task, own in sizes.items()
            for item, right in system(own, candidate=which, prefix=prefix).items()
        }
        for which in (False, True)
    )
    design = {} if isinstance(sizes, tuple) else {"test_sets": [item.rsplit("/", 1)[0] for item in baseline]}
    scores = outscore.read(dict(zip(names, (baseline, candidate), strict=True)), metric="accuracy", **design)  # type: ignore[arg-type]
    return gate_scores(scores, GateRule(Margins(margin), inconclusive=inconclusive), Look(1, 1, 0.025))
