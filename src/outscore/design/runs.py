"""Runs of a system, whose draw all items share, and samples, of which each item has its own."""

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
    from outscore.design.crossed import CrossedOptions


@dataclass(frozen=True)
class Runs(CrossedFactor):
    """Runs: these very ones, or new ones as well; or samples of each item.

    Attributes
    ----------
    claim : RunDesign
    paired : bool
        Whether run r of all systems shares its draw.
    reducer : Reducer, optional
        Of samples to one score an item; the mean by default.
    """

    paired: bool = False
    reducer: Reducer | None = None

    name = "run"
    columns = ("run", "seed", "sample", "epoch", "trial", "run_id", "sample_index", "checkpoint")
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
        ),
        Option(
            "reduce",
            "Score of an item's samples: mean, pass@K, pass^K, maj@K or best@K. maj@K needs a column answer, best@K a "
            "column selector.",
        ),
        Option("pair_runs", "Runs of the same name share their draw in both systems.", "flag"),
    )

    @classmethod
    def declared(cls, said: CrossedOptions) -> Self | None:
        claim = None if said.runs is None else cls.claim_of(said.runs)
        reducer = None
        if said.reduce is not None:
            claim = RunDesign.SAMPLES if claim is None else claim
            if claim is not RunDesign.SAMPLES:
                what = f"samples of an item are reduced, and these runs are {claim}"
                raise OptionError(
                    Problem(opt("reduce"), what, f"Pass {opt('runs', 'samples')}, or leave it out.", "not-samples")
                )
            reducer = reducer_named(said.reduce)
        for option, value in ((opt("run"), said.run), (opt("pair_runs"), said.pair_runs or None)):
            if value is not None and claim is None:
                what = (
                    "expected what the runs are: samples (answers drawn item by item), fixed or random (a seed or "
                    "checkpoint that all items of a run share; the claim is about these, or about others too), got none"
                )
                raise OptionError(Problem(option, what, f"Pass {opt('runs')}.", "runs-undeclared"))
        return None if claim is None else cls(claim, said.pair_runs, reducer)

    @staticmethod
    def undeclared(rows: Rows, axis: Axis) -> DataError:
        """Return the error of runs that nobody says what they are."""
        what = (
            f"{len(axis)} runs an item, and nobody says what they are. {opt('runs', 'samples')}: answers drawn item by "
            f"item, as with a temperature. {opt('runs', 'fixed')}: all items of a run share a seed or checkpoint, and "
            f"the claim is about these very runs. {opt('runs', 'random')}: likewise, and the claim is about other "
            "seeds, too"
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
        """Return a system with an axis of runs: of one run where it has no several."""
        cells, one = rows.cells, Axis(self.name, ("1",))
        if cells is None:
            return replace(rows, cells=Cells((one,), rows.values[None]))
        if cells.axis(self.name) is not None:
            return rows
        answers, selectors = (None if of is None else of[None] for of in (cells.answers, cells.selectors))
        return replace(rows, cells=Cells((one, *cells.axes), cells.values[None], answers, selectors))

    def check(self, systems: Sequence[Rows]) -> None:
        """Refuse paired runs of which one has no fellow in another system: nothing tells which of them shares its seed.

        Raises
        ------
        DataError
        """
        if not self.paired or self.claim is RunDesign.SAMPLES:
            return
        first, *others = ((rows, rows.cells.axis(self.name)) for rows in systems if rows.cells is not None)
        for rows, own in others:
            if own != first[1]:
                assert own is not None
                assert first[1] is not None
                what = (
                    f"expected runs of the same names as {first[0].name} has, {listed(first[1].levels)}, to pair them, "
                    f"got {listed(own.levels)}"
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
        """Say how many runs systems have, "5 runs each", or samples items: "mean of up to 4 samples an item"."""
        counted, axes = super().counted(systems), {cells.axis(self.name) for cells in systems}
        if self.claim is not RunDesign.SAMPLES:
            alike = len(systems) > 1 and len({0 if axis is None else len(axis) for axis in axes}) == 1
            return f"{counted} each" if alike else counted
        how = "means over" if self.reducer is None or self.reducer.kind == "mean" else f"{self.reducer.name} of"
        lacking = any(cells.lacking.any() for cells in systems)
        return f"{how} {'up to ' if lacking else ''}{counted.replace('run', 'sample')} an item"
