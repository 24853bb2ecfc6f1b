"""Reports of plans: what they say, and their data."""
