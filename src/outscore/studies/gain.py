"""Confidence against gain, and the gain from which on systems differ significantly (BK12, section 3)."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.results.studies import GainStudy, StudyPair
from outscore.studies.boards import StudyOptions, few_units_notes, thresholds_of
from outscore.studies.systems import StudySystems

__all__ = ["gain_study"]


def gain_study(systems: StudySystems, options: StudyOptions, *, notes: Sequence[str] = ()) -> GainStudy:
    """Return the p-values of all pairs by gain, and thresholds by relation.

    Parameters
    ----------
    systems : StudySystems
    options : StudyOptions
    notes : sequence of str
        What the caller has to say about the data; they go before the warnings.

    Notes
    -----
    Cost: that of `pair_tests`, and a bootstrap over systems. 150 systems and 2,000 items with 10⁵ resamples take
    well under a minute (docs/benchmarks.md).
    """
    tests = options.tests(systems)
    pairs = tuple(
        StudyPair(
            baseline=systems.names[worse],
            candidate=systems.names[better],
            gain=float(gain),
            p_value=float(p),
            relation=systems.relation(int(better), int(worse)),
        )
        for better, worse, gain, p in zip(tests.better, tests.worse, tests.gains, tests.p_values, strict=True)
    )
    return GainStudy(
        setting=options.setting(systems, exact=tests.exact),
        n_items=systems.n_items,
        n_units=systems.n_units,
        n_systems=len(systems),
        pairs=pairs,
        thresholds=thresholds_of(systems, tests, options),
        signature=options.signature(systems, "gain", exact=tests.exact),
        warnings=(*notes, *few_units_notes([systems.n_units], systems.unit, options)),
    )
