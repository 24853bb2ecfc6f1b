"""Distributions of statistics: exact ones, resampled ones, and where they are computed."""
