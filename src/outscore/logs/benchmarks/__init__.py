"""Formats of logs that single benchmarks write."""
