"""Scores that were kept in files, which stand in for outputs."""
