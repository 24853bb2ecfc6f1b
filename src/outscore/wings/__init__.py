"""Access of the core to wings (features in their own folders), by name and on demand.

A wing (logs, metaeval, judging, planning, gating, studies, battles, replication, human) imports the core, and the core
imports no wing. Commands, kinds of results and public names have their own registries (`cli/app.py`, `reports`,
`schemas.py`, `__init__.py`).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def has_wing(name: str) -> bool:
    """Return whether a wing is installed. The core works without wings."""
    return find_spec(f"{__name__}.{name}") is not None


def from_wing(target: str) -> Any:
    """Return an object of a wing, given its place, such as "logs.finding:logs_in"."""
    module, _, name = target.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), name)
