"""What can be asked of scores: comparisons, scores, test sets and rankings, each with its result."""
