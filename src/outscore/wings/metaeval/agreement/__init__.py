"""Statistics of agreement: rows of segments, and the score of their sums."""
