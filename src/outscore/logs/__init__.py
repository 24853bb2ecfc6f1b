"""Logs of evaluation harnesses: what stands in them, item by item."""

from __future__ import annotations
