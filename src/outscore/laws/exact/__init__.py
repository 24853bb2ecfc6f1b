"""Exact distributions of gains: of sums on a grid, of two counts, and by enumeration."""

from __future__ import annotations

from outscore.laws.exact.enumeration import (
    enumerated_bootstrap_law,
    enumerated_crossed_law,
    enumerated_swap_law,
)
from outscore.laws.exact.lattice import Precision
from outscore.laws.exact.linear import GridLaw, bootstrap_law, grid_law, step_counts, swap_law
from outscore.laws.exact.subsets import subset_share
from outscore.laws.exact.two_counts import TwoCounts, two_count_swap_law

__all__ = [
    "GridLaw",
    "Precision",
    "TwoCounts",
    "bootstrap_law",
    "enumerated_bootstrap_law",
    "enumerated_crossed_law",
    "enumerated_swap_law",
    "grid_law",
    "step_counts",
    "subset_share",
    "swap_law",
    "two_count_swap_law",
]
