"""Readers of human and metric scores."""
