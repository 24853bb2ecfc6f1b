"""Pairwise comparisons (arena): pairs of answers, and which one a user preferred."""
