"""The metrics, one family per file."""
