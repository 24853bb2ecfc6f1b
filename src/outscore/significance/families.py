"""The correction for several comparisons of candidates with a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from outscore.results import Family, Multiplicity
from outscore.significance.p_values import holm


class Place(NamedTuple):
    """Where a p-value is among the comparisons of a result.

    Attributes
    ----------
    test : str
        The test. Tests are corrected separately.
    metric, candidate, dataset : int
        Their numbers.
    is_average : bool
        Whether it is the average over datasets, which has a table of its own.
    """

    test: str = ""
    metric: int = 0
    candidate: int = 0
    dataset: int = 0
    is_average: bool = False


_SHARED = {  # what the comparisons of a family have in common
    Family.TABLE: ("test", "metric", "is_average"),
    Family.CANDIDATES: ("test", "metric", "is_average", "dataset"),
    Family.DATASETS: ("test", "metric", "is_average", "candidate"),
    Family.ALL: ("test",),
}


def corrected(
    p_values: Sequence[float], entering: Sequence[float], places: Sequence[Place], family: Family
) -> tuple[list[float], list[Multiplicity]]:
    """Return p-values after Holm's correction within their families, and the family of each.

    Parameters
    ----------
    p_values : sequence of float
        In [0, 1].
    entering : sequence of float
        The p-values that Holm's correction multiplies (`PairTest.entering`).
    places : sequence of Place
        One per p-value.

    Examples
    --------
    >>> places = [Place(candidate=0), Place(candidate=1), Place(candidate=0, dataset=1), Place(candidate=1, dataset=1)]
    >>> p = [0.01, 0.04, 0.03, 0.5]
    >>> [round(p, 3) for p in corrected(p, p, places, Family.TABLE)[0]]
    [0.04, 0.09, 0.09, 0.5]
    >>> [round(p, 3) for p in corrected(p, p, places, Family.DATASETS)[0]]
    [0.02, 0.08, 0.03, 0.5]
    """
    members: dict[tuple[object, ...], list[int]] = {}
    for at, index in enumerate(places):
        members.setdefault(tuple(getattr(index, name) for name in _SHARED[family]), []).append(at)
    adjusted, families = list(p_values), [Multiplicity(family)] * len(p_values)
    for family_members in members.values():
        if len(family_members) > 1:
            of_family = holm(*([values[at] for at in family_members] for values in (p_values, entering)))
            for at, p in zip(family_members, of_family, strict=True):
                adjusted[at], families[at] = p, Multiplicity(family, len(family_members), "holm")
    return adjusted, families
