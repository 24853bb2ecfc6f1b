"""Random streams that depend on the seed, the scheme and the shard alone."""

from __future__ import annotations

import numpy as np

__all__ = ["SHARD", "shard_stream"]

# Resamples are drawn in shards of this many, each from its own stream, so that results are the same to the
# last bit for any block size, order, number of threads and executor.
SHARD = 256


def shard_stream(seed: int, scheme_key: int, shard: int) -> np.random.Generator:
    """Return the generator of one shard."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(scheme_key, shard))))
