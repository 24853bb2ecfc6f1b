"""Formats of outputs and references."""
