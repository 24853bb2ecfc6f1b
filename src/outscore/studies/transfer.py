"""Whether gains of some significance on one test set are gains on others (BK12, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.naming import quoted
from outscore.results.studies import TransferBin, TransferStudy
from outscore.significance.p_values import clopper_pearson
from outscore.significance.signatures import encoded
from outscore.studies.boards import StudyOptions, few_units_notes, indistinct_notes, resolution_of
from outscore.studies.pair_tests import PairTests
from outscore.studies.systems import StudySystems

__all__ = ["EDGES", "transfer_study"]

EDGES = (0.00125, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)
_TIE = 1e-12


def transfer_study(
    systems: StudySystems,
    others: Sequence[StudySystems],
    options: StudyOptions,
    *,
    notes: Sequence[str] = (),
) -> TransferStudy:
    """Return, by p-value on one board, the share of pairs in which the same system scores better on each other board.

    Parameters
    ----------
    systems : StudySystems
        The board whose p-values are asked about.
    others : sequence of StudySystems
        Boards of the same systems, known by their names, on other test sets; at least one.
    options : StudyOptions
    notes : sequence of str

    Raises
    ------
    OptionError
        No other board.
    DataError
        A board that shares fewer than two systems with the first.

    Notes
    -----
    Pairs whose p-value no resample met belong to no bin, nor does any other to a bin that begins below 1/(r + 1).
    Intervals are Clopper and Pearson's, as if pairs were independent. They share systems and each board is one test
    set, so that shares really vary more than that.
    """
    if not others:
        raise OptionError(Problem("--transfer", "expected at least one other board, got none", "", "no-other"))
    tests = options.tests(systems)
    resolution = resolution_of(tests.p_values, ~tests.valued)
    bins: list[TransferBin] = []
    warnings = [*notes]
    for other in others:
        places = {name: place for place, name in enumerate(other.names)}
        shared = [name for name in systems.names if name in places]
        if len(shared) < 2:
            what = f"expected at least two systems of {quoted(systems.source)}, got {len(shared)}"
            raise DataError(Problem(other.source, what, "Systems are known by their names.", "no-shared-systems"))
        if len(shared) < len(systems):
            warnings.append(
                f"{other.source} lacks {len(systems) - len(shared)} of the {len(systems)} systems: their pairs are "
                "left out."
            )
        bins += _bins(systems, tests, other, places, resolution, options)
    return TransferStudy(
        setting=options.setting(systems, exact=tests.exact),
        board=systems.source,
        others=tuple(other.source for other in others),
        n_items=systems.n_items,
        n_units=systems.n_units,
        n_systems=len(systems),
        bins=tuple(bins),
        signature=options.signature(
            systems,
            "transfer",
            exact=tests.exact,
            fit=False,
            window=False,
            others=",".join(encoded(other.source).replace(",", "%2C") for other in others),
        ),
        warnings=(
            *warnings,
            *few_units_notes([systems.n_units], systems.unit, options),
            *indistinct_notes(resolution, EDGES[0], options, "bins that begin below have no pairs"),
        ),
    )


def _bins(
    systems: StudySystems,
    tests: PairTests,
    other: StudySystems,
    places: dict[str, int],
    resolution: float,
    options: StudyOptions,
) -> list[TransferBin]:
    gains = _gains_on(systems, tests, other, places)
    common = ~np.isnan(gains)
    kept = gains > 0
    bins = []
    for low, high in pairwise(EDGES):
        # Pairs of p-values that are not told apart may belong to this bin or to a lower one.
        chosen = common & (tests.p_values > low) & (tests.p_values <= high) & (low >= resolution)
        n, c = int(chosen.sum()), int((chosen & kept).sum())
        ends = clopper_pearson(c, n, options.confidence_level) if n else (None, None)
        bins.append(TransferBin(other.source, low, high, n, c, c / n if n else None, *ends))
    return bins


def _gains_on(systems: StudySystems, tests: PairTests, other: StudySystems, places: dict[str, int]) -> FloatArray:
    """Return each pair's gain on another board, 0 where rounding is all, NaN where it lacks one of the systems."""
    sign = 1.0 if other.metric.higher_is_better else -1.0
    scores = np.array([sign * other.scores[places[name]] if name in places else np.nan for name in systems.names])
    gains = scores[tests.better] - scores[tests.worse]
    return np.where(np.abs(gains) <= _TIE * np.nanmax(np.abs(scores)), 0.0, gains)
