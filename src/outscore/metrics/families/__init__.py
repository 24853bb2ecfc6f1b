"""The metrics themselves, a family a file."""
