"""Where real logs are, and how tests read them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / ".." / "shared" / "logs"


@pytest.fixture(scope="session")
def logs() -> Callable[[str], Path]:
    """Return the folder of a set of logs by its name; the test is skipped where the logs are not there."""
    root = Path(os.environ.get("OUTSCORE_LOGS", BESIDE))

    def folder(name: str) -> Path:
        if not (root / name).is_dir():
            pytest.skip(f"no {name} in {root}: set OUTSCORE_LOGS")
        return root / name

    return folder
