"""Resampling: schemes that draw weights, and the engine that multiplies them with rows."""

from __future__ import annotations

from outscore.resampling.base import Scheme
from outscore.resampling.bootstrap import BootstrapScheme
from outscore.resampling.engine import Engine, Progress
from outscore.resampling.sign_flip import SwapScheme

__all__ = ["BootstrapScheme", "Engine", "Progress", "Scheme", "SwapScheme"]
