"""The engine's replicates, one resample at a time."""

from __future__ import annotations

import math

import numpy as np

from outscore._types import FloatArray
from outscore.resampling import Scheme
from outscore.resampling.engine import Statistic, _drawn_together, _scaled, exactly_summable
from outscore.resampling.schemes import shard_stream


def plain_replicates(seed: int, scheme: Scheme, rows: FloatArray, statistic: Statistic, n_resamples: int) -> FloatArray:
    """Return what `Engine.replicates` returns, one resample at a time."""
    values = []
    divisor = 1.0 if scheme.scales is None else scheme.scales[1]
    scheme, columns = _drawn_together(scheme, rows, exactly_summable(scheme, _scaled(scheme, rows)))
    columns = columns.astype(np.float64)
    for resample in range(n_resamples):
        shard, within = divmod(resample, scheme.shard)
        weights = scheme.weights(shard_stream(seed, scheme.key, shard), scheme.shard)[within].astype(np.float64)
        totals = np.array([[math.fsum(weights * column) / divisor for column in columns.T]])
        values.append(statistic(totals))
    return np.concatenate(values)
