"""Pairing the logs of several systems on the same items, with an audit."""

from __future__ import annotations
