"""From the logs of several systems to their scores on the same items, and an audit of how these were paired."""

from __future__ import annotations
