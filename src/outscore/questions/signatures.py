"""Signatures: one line with the settings of a p-value, in the style of sacreBLEU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import numpy as np

from outscore._version import __version__
from outscore.gains.gain_laws import Hypothesis
from outscore.significance.base import SignificanceTest
from outscore.significance.p_values import PValue


def encoded(spec: str) -> str:
    """Return the spec of a metric as one word of a signature, with bars, quotes and blanks encoded.

    Examples
    --------
    >>> encoded('rougeLsum:sentence_separator=" | "'), encoded("chrf++"), encoded("ndcg@10")
    ('rougeLsum:sentence_separator=%22%20%7C%20%22', 'chrf++', 'ndcg@10')
    """
    return quote(spec, safe=":=,@+")


def joined(**parts: object) -> str:
    """Return a signature of parts by name. Parts without a value are omitted.

    Examples
    --------
    >>> joined(test="bootstrap", seed=12345, power=None)
    'test:bootstrap|seed:12345'
    """
    return "|".join(f"{key}:{value}" for key, value in parts.items() if value is not None)


def signature(
    test: SignificanceTest,
    hypothesis: Hypothesis,
    p_value: PValue[Any],
    *,
    metric: str,
    n_units: int,
    unit: str,
    seed: int,
    further: Mapping[str, str] | None = None,
) -> str:
    """Return `test:…|centre:…|alternative:…|ties:…|r:…|n:…|unit:…|seed:…|metric:…|version:…`.

    r is the number of resamples, "exact" or "asymptotic". `further` parts come before the version.
    """
    parts = {"test": test.name}
    if test.centre is not None:
        parts["centre"] = test.centre
    parts["alternative"] = hypothesis.alternative.value
    if hypothesis.null_gain != 0:
        parts["null"] = f"{hypothesis.null_gain:g}"
    if test.resamples:
        parts["ties"] = hypothesis.ties.value
        if p_value.n_resamples is not None:
            parts["estimator"] = p_value.estimator.value
    derived = "asymptotic" if np.any(p_value.is_asymptotic) else "exact"
    parts["r"] = derived if p_value.n_resamples is None else str(p_value.n_resamples)
    parts |= {"n": str(n_units), "unit": unit, "seed": str(seed), "metric": encoded(metric)}
    # Only the bootstrap draws one unit less in weighted strata.
    kept = {
        key: value for key, value in (further or {}).items() if key != "draws" or (test.resamples and not test.swaps)
    }
    parts |= {**kept, "version": __version__}
    return joined(**parts)
