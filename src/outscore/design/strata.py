"""Strata: parts of the test set whose size is fixed, and their weights in the score; items with human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self, TypeAlias

import numpy as np

from outscore._types import AnyArray, FloatArray, IntArray
from outscore.data.cells import each
from outscore.data.pairing import sorted_codes
from outscore.data.rows import Labels, Rows
from outscore.data.strata import merged_singles
from outscore.design.base import Factor, NamedLabels, Units, check_stratum_sizes
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics import Metric, RatioMetric
from outscore.options import opt
from outscore.results import PredictionPowered
from outscore.text.naming import listed, nearest, quoted
from outscore.text.numbers import format_count

# A name, or ω_h by stratum.
StratumWeights: TypeAlias = str | Mapping[str, Fraction]

_MOST_CELLS = 2**28  # numbers of one metric's rows if every stratum has columns of its own: 2 GiB
_SHARE_UNDEFINED = 0.01  # of a stratum's samples: above it the macro average of a ratio is not validated


@dataclass(frozen=True, eq=False)
class Strata(NamedLabels):
    """The stratum of each item, and the weights of the strata.

    Attributes
    ----------
    weights : tuple of Fraction, optional
        The weight ω_h of each stratum in the score; None if all items have the same weight.
    called : str
        Name of the strata: "test sets" if they are averaged over.
    """

    weights: tuple[Fraction, ...] | None = None
    called: str = "strata"

    name = "strata"

    @classmethod
    def of(cls, items: Rows, labels: Labels, clusters: AnyArray | None) -> tuple[Strata, tuple[str, ...]]:
        """Return the strata with the given labels, and notes on strata that were merged.

        Raise DataError if a stratum of one unit is not to be merged.
        """
        codes, names = sorted_codes(labels, items)
        unit = "item" if clusters is None else "cluster"
        units = codes if clusters is None else np.unique(np.column_stack([codes, clusters]), axis=0)[:, 0]
        sizes = np.bincount(units)
        if not labels.collapse:
            check_stratum_sizes(sizes, unit, names)
            return cls(codes, names), ()
        codes, names, notes = _collapsed(codes, sizes, names, unit)
        return cls(codes, names), notes

    @property
    def signature(self) -> Mapping[str, str]:
        if self.weights is None:
            return {}
        return {"weights": "macro" if len(set(self.weights)) == 1 else "by-stratum", "draws": "n-1"}

    def over(self, systems: Sequence[Rows]) -> str | None:
        del systems
        if self.weights is None:
            return None
        kind = "macro" if len(set(self.weights)) == 1 else "weighted"
        return f"{kind} average of {format_count(len(self.weights))} {self.called}"

    def take(self, index: IntArray) -> Self:
        """Return the strata of some items, without weights."""
        kept, codes = np.unique(self.codes[index], return_inverse=True)
        names = tuple(self.names[code] for code in kept.tolist()) if self.names else ()
        return replace(self, codes=codes, names=names, weights=None)

    def weighing(self, declared: StratumWeights) -> Strata:
        """Return the strata with weights ω_h that add up to 1.

        Raise OptionError if a name is unknown, a stratum has no weight, or weights are invalid.
        """
        names = self.names
        if isinstance(declared, str):
            if declared not in ("macro", "size"):
                what = f"expected macro, size or a table of weights, got {quoted(declared)}"
                raise OptionError(
                    Problem(opt("weights"), what, nearest(declared, ["macro", "size"]), "unknown-weights")
                )
            counts = np.bincount(self.codes) if declared == "size" else np.ones(len(names), dtype=np.int64)
            return replace(self, weights=tuple(Fraction(count, int(counts.sum())) for count in counts.tolist()))
        # A merged stratum has the sum of the weights.
        parts = {name: name.split(" + ") if name not in declared else [name] for name in names}
        absent = [part for name in names for part in parts[name] if part not in declared]
        if absent:
            what = f"{len(absent)} strata have no weight: {listed(absent)}"
            raise OptionError(Problem(opt("weights"), what, "Give each stratum a weight.", "missing-weight"))
        weights = [sum((Fraction(declared[part]) for part in parts[name]), Fraction()) for name in names]
        total = sum(weights, Fraction())
        if any(weight < 0 for weight in weights) or total <= 0:
            what = "expected weights of 0 or more, not all of them 0"
            raise OptionError(Problem(opt("weights"), what, "Give each stratum a weight.", "bad-weight"))
        return replace(self, weights=tuple(weight / total for weight in weights))

    def weighted(
        self, metric: Metric, systems: Sequence[FloatArray], units: Units
    ) -> tuple[Metric, Sequence[FloatArray]]:
        """Return the weighted mean of strata as a metric, and rows for it.

        `systems` are rows of the items of each system, shape (levels, ..., n, k). Ratios with the same denominator for
        all units of a stratum are linear, and rows are weighted by ω_h/n_h. For other metrics every stratum has columns
        of its own. Raise DataError if a stratum's score is undefined in more than 1% of its samples, or there are too
        many strata for memory.
        """
        from outscore.metrics.families.averages import AveragedRatio, StratumMean, stratum_multiples

        assert self.weights is not None
        strata, weights = self.codes, self.weights
        if isinstance(metric, RatioMetric):
            sizes = _common_sizes(metric, systems, units)
            if sizes is not None:
                whole = stratum_multiples(weights, [Fraction(size) for size in sizes])
                scale = whole if whole is not None else np.array(weights, dtype=np.float64) / sizes * sizes.sum()
                return AveragedRatio(metric), [rows * scale[strata][:, None] for rows in systems]
            self._check_defined(metric, systems, units)
        over = StratumMean(metric, tuple(map(float, weights)))
        if sum(rows.size for rows in systems) * len(weights) > _MOST_CELLS:
            what = f"{len(weights)} strata of {len(strata)} items need more than memory holds for their {metric.name}"
            raise DataError(Problem(opt("weights"), what, "Merge strata.", "too-many-strata"))
        return over, [over.placed(rows, strata) for rows in systems]

    def _check_defined(self, metric: RatioMetric, systems: Sequence[FloatArray], units: Units) -> None:
        """Raise an error if a stratum's denominator is 0 in more than 1% of its samples."""
        bottom = np.asarray(metric.denominator)
        if units.strata is None:
            return
        for cell in (cell for rows in systems for cell in each(rows)):
            empty = units.sums(cell) @ bottom == 0
            counts = np.bincount(units.strata)
            shares = (np.bincount(units.strata, weights=empty) / counts) ** (counts - 1)
            if shares.max() > _SHARE_UNDEFINED:
                name = self.names[int(shares.argmax())]
                what = (
                    f"the {metric.name} of stratum {quoted(name)} is undefined in {shares.max():.1%} of its bootstrap "
                    "samples, so its average was not validated"
                )
                raise DataError(
                    Problem(
                        opt("weights"),
                        what,
                        f"Merge small strata, or use {opt('weights', 'size')}.",
                        "undefined-stratum",
                    )
                )


@dataclass(frozen=True)
class Labelled(Factor):
    """Which items have human labels, as far as the score depends on it: λ and the numbers of labels.

    Attributes
    ----------
    remarks : tuple of str
        Warnings about the labels.
    """

    powered: PredictionPowered
    remarks: tuple[str, ...] = ()

    name = "human"

    @property
    def signature(self) -> Mapping[str, str]:
        labels = f"{self.powered.n_labelled}+{self.powered.n_unlabelled}"
        return {"labels": labels, "lambda": f"{self.powered.lambda_:.12g}"}

    def over(self, systems: Sequence[Rows]) -> str | None:
        del systems
        human, judge = self.powered.n_labelled, self.powered.n_labelled + self.powered.n_unlabelled
        return f"prediction-powered with {format_count(human)} human and {format_count(judge)} judge labels"

    def take(self, index: IntArray) -> None:
        del index


def _common_sizes(metric: RatioMetric, systems: Sequence[FloatArray], units: Units) -> FloatArray | None:
    """Return Σℓ of each stratum if all its units have the same denominator in all cells; else None."""
    bottom = np.asarray(metric.denominator)
    of_units = [units.sums(cell) @ bottom for rows in systems for cell in each(rows)]
    first = of_units[0]
    if units.strata is None or not all(np.array_equal(other, first) for other in of_units):
        return None
    sizes: FloatArray = np.bincount(units.strata, weights=first).astype(np.float64)
    if any(np.ptp(first[units.strata == h]) != 0 for h in range(len(sizes))) or not (sizes > 0).all():
        return None
    return sizes


def _collapsed(
    strata: AnyArray, sizes: IntArray, names: tuple[str, ...], unit: str
) -> tuple[AnyArray, tuple[str, ...], tuple[str, ...]]:
    """Return codes and names with strata of one unit merged, and a note on it."""
    merged = merged_singles(sizes)
    single = np.flatnonzero(sizes == 1)
    if len(single) == 0 or len(sizes) == 1:
        return strata, names, ()
    joined = tuple(" + ".join(names[old] for old in np.flatnonzero(merged == new)) for new in range(merged.max() + 1))
    called = [names[code] for code in single]
    if len(single) > 1:
        note = f"{len(single)} strata of one {unit} each were merged into one: {listed(called)}."
    else:
        (other,) = (old for old in np.flatnonzero(merged == merged[single[0]]) if old != single[0])
        note = f"Stratum {quoted(called[0])} has one {unit} and was merged with {quoted(names[other])}, the smallest."
    return merged[strata], joined, (note,)
