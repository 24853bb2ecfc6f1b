"""Formats of logs of single benchmarks."""
