"""Logs of evaluation harnesses: reading them item by item."""

from __future__ import annotations
