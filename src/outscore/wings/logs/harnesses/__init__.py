"""Formats of logs of harnesses for any task."""
