"""Rankings: all pairs of many systems, on shared resamples."""
