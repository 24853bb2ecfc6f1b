"""Rankings as JSON and CSV."""
