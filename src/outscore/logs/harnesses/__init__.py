"""Formats of logs that harnesses write for any task."""
