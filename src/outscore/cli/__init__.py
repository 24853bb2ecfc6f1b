"""The command line: parsing, reading, calling and printing, and nothing else."""

from __future__ import annotations

from outscore.cli.app import main

__all__ = ["main"]
