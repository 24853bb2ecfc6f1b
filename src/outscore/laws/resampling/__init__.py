"""Resampling: schemes that draw weights, and the engine that multiplies them by rows."""

from __future__ import annotations

from outscore.laws.resampling.engine import Engine, Progress
from outscore.laws.resampling.schemes import BootstrapScheme, Scheme, SwapScheme

__all__ = ["BootstrapScheme", "Engine", "Progress", "Scheme", "SwapScheme"]
