"""Analyses of scores: comparisons, single scores, several datasets and rankings, each with its result."""
