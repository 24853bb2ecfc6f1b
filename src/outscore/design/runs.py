"""Runs of a system, in which all items share a draw, and samples, with one draw per item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from outscore.data.cells import Axis, Cells
from outscore.data.reducers import Reducer, reducer_named
from outscore.data.rows import Rows, RunDesign
from outscore.design.crossed import CrossedFactor
from outscore.errors import DataError, OptionError, Problem
from outscore.options import Option, opt
from outscore.text.naming import listed

if TYPE_CHECKING:
    from outscore.declared import ReadingOptions


@dataclass(frozen=True)
class Runs(CrossedFactor):
    """Runs, these or new ones; or samples of each item.

    Attributes
    ----------
    paired : bool
        Whether run r of all systems shares its draw.
    reducer : Reducer, optional
        Reduces samples to one score per item; the mean by default.
    """

    paired: bool = False
    reducer: Reducer | None = None

    name = "run"
    columns = ("run", "seed", "sample", "epoch", "trial", "repeat", "attempt", "run_id", "sample_index", "checkpoint")
    symbol = "m"
    known_as = "runs or samples"
    always_shared = False
    claims = MappingProxyType({claim.value: claim for claim in RunDesign})
    options = (
        Option(
            "run",
            "Column of runs or samples in score tables. Files of runs are written as NAME=FILE,FILE,...",
        ),
        Option(
            "runs",
            "What runs are: samples, fixed or random. samples are answers drawn per item, as with a temperature. "
            "Otherwise all items of a run share its draw (seed, checkpoint, few-shot examples). fixed: the claim is "
            "about these runs on new items. random: it is about new runs on new items.",
            tuple(claims),
            python="RunDesign | str | None",
        ),
        Option(
            "reduce",
            "Score of an item's samples: mean, pass@K, pass^K, maj@K or best@K. maj@K needs a column answer, best@K a "
            "column selector.",
        ),
        Option("pair_runs", "Runs of the same name share their draw in both systems.", "flag"),
    )

    @classmethod
    def declared(cls, options: ReadingOptions) -> Self | None:
        claim = None if options.runs is None else cls.claim_of(options.runs)
        reducer = None
        if options.reduce is not None:
            claim = RunDesign.SAMPLES if claim is None else claim
            if claim is not RunDesign.SAMPLES:
                what = f"samples of an item are reduced, but these runs are {claim}"
                raise OptionError(
                    Problem(opt("reduce"), what, f"Pass {opt('runs', 'samples')}, or leave it out.", "not-samples")
                )
            reducer = reducer_named(options.reduce)
        for option, value in ((opt("run"), options.run), (opt("pair_runs"), options.pair_runs or None)):
            if value is not None and claim is None:
                what = (
                    f"needs {opt('runs', 'samples')} (answers drawn item by item), or {opt('runs', 'fixed')} or "
                    f"{opt('runs', 'random')} (all items of a run share a seed or checkpoint; the claim is about these "
                    "runs, or about new runs as well)"
                )
                raise OptionError(Problem(option, what, "", "runs-undeclared"))
        return None if claim is None else cls(claim, options.pair_runs, reducer)

    @staticmethod
    def undeclared(rows: Rows, axis: Axis) -> DataError:
        """Return the error for runs without a claim."""
        what = (
            f"{len(axis)} runs per item without a claim. {opt('runs', 'samples')}: answers drawn item by item, as with "
            f"a temperature. {opt('runs', 'fixed')}: all items of a run share a seed or checkpoint, and the claim is "
            f"about these runs. {opt('runs', 'random')}: the same, and the claim is about new runs as well"
        )
        return DataError(Problem(rows.where, what, f"Pass {opt('runs')}.", "runs-undeclared"))

    @property
    def is_shared(self) -> bool:
        return self.paired

    @property
    def signature(self) -> Mapping[str, str]:
        reduce = {} if self.reducer is None else {"reduce": self.reducer.name}
        return {**super().signature, **reduce}

    def placed(self, rows: Rows) -> Rows:
        """Return a system with an axis of runs, of length 1 if there is one run."""
        cells, axis = rows.cells, Axis(self.name, ("1",))
        if cells is None:
            return replace(rows, cells=Cells((axis,), rows.values[None]))
        if cells.axis(self.name) is not None:
            return rows
        answers, selectors = (None if beside is None else beside[None] for beside in (cells.answers, cells.selectors))
        return replace(rows, cells=Cells((axis, *cells.axes), cells.values[None], answers, selectors))

    def check(self, systems: Sequence[Rows]) -> None:
        """Raise DataError if runs are paired and systems have runs of different names."""
        if not self.paired or self.claim is RunDesign.SAMPLES:
            return
        first, *others = ((rows, rows.cells.axis(self.name)) for rows in systems if rows.cells is not None)
        for rows, axis in others:
            if axis != first[1]:
                assert axis is not None
                assert first[1] is not None
                what = (
                    f"expected runs with the names of {first[0].name}'s, {listed(first[1].levels)}, to pair them, "
                    f"got {listed(axis.levels)}"
                )
                raise DataError(
                    Problem(
                        rows.where,
                        what,
                        f"Name runs by their seeds, or leave out {opt('pair_runs', True)}.",
                        "unpaired-runs",
                    )
                )

    def counted(self, systems: Sequence[Cells]) -> str:
        """Return the number of runs in words, "5 runs each", or of samples: "mean of up to 4 samples per item"."""
        counted, axes = super().counted(systems), {cells.axis(self.name) for cells in systems}
        if self.claim is not RunDesign.SAMPLES:
            alike = len(systems) > 1 and len({0 if axis is None else len(axis) for axis in axes}) == 1
            return f"{counted} each" if alike else counted
        how = "means over" if self.reducer is None or self.reducer.kind == "mean" else f"{self.reducer.name} of"
        lacking = any(cells.lacking.any() for cells in systems)
        return f"{how} {'up to ' if lacking else ''}{counted.replace('run', 'sample')} per item"
