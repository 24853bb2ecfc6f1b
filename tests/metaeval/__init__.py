"""Meta-evaluation: metrics against people."""
