"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

from tests.metrics.conftest import data

__all__ = ["data"]

# A test is as slow as the machine is busy: what takes long is not what is wrong. Examples are the same in every run.
settings.register_profile("outscore", deadline=None, derandomize=True)
settings.load_profile("outscore")
