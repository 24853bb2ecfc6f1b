"""Where the real system outputs are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """Return the folder of a data set by its name; the test is skipped where the data are not there."""
    root = Path(os.environ.get("OUTSCORE_DATA", BESIDE))

    def folder(name: str) -> Path:
        if not (root / name).is_dir():
            pytest.skip(f"no {name} in {root}: set OUTSCORE_DATA")
        return root / name

    return folder
