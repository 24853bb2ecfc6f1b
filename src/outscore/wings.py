"""Where the core finds features that stand in folders of their own: by name alone, when they are asked for.

A wing (logs, metaeval, planning, gating, studies, battles, replication, human) imports the core, and the core imports
no wing. Commands, kinds of results and public names have registries of their own (`cli/app.py`, `reports`,
`schemas.py`, `__init__.py`).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def has_wing(name: str) -> bool:
    """Tell whether the folder of a wing is there: the core does without."""
    return find_spec(f"outscore.{name}") is not None


def from_wing(place: str) -> Any:
    """Return what a wing offers at a place such as "logs.finding:logs_in"."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"outscore.{module}"), name)
