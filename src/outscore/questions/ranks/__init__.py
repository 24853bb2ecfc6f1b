"""Rankings: every pair of many systems, on shared draws."""
