"""Distributions of statistics, exact and resampled, and the executors that compute them."""
