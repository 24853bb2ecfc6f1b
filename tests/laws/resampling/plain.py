"""The engine's replicates, one resample at a time."""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray
from tests.laws.kit import BootstrapScheme, Scheme, Statistic, exactly_summable, grouped, shard_stream


def plain_replicates(seed: int, scheme: Scheme, rows: FloatArray, statistic: Statistic, n_resamples: int) -> FloatArray:
    """Return what `Engine.replicates` returns, one resample at a time."""
    values = []
    divisor = 1.0 if scheme.scales is None else scheme.scales[1]
    columns = exactly_summable(scheme, rows if scheme.scales is None else rows * scheme.scales[0][:, None])
    alone = isinstance(scheme, BootstrapScheme) and not scheme.shared and scheme.strata is None
    if alone and (groups := grouped(rows)) is not None:
        scheme, columns = groups[0], columns[groups[1]]
    columns = columns.astype(np.float64)
    for resample in range(n_resamples):
        shard, within = divmod(resample, scheme.shard)
        weights = scheme.weights(shard_stream(seed, scheme.key, shard), scheme.shard)[within].astype(np.float64)
        totals = np.array([[math.fsum(weights * column) / divisor for column in columns.T]])
        values.append(statistic(totals))
    return np.concatenate(values)
