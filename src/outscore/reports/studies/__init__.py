"""Reports of studies: what they say, and their data."""
