"""Meta-evaluation: which metric agrees better with people."""
