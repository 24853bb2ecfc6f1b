"""Corpora: files of outputs and references, one format a file."""
