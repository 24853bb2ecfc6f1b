"""The default test keeps its level where items meet templates that systems share, and runs of their own.

Checks fail by chance as often as `tests.calibration.checks` says.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.calibration.checks import Check, assert_all
from tests.calibration.templates import p_value, paired_templates, rejected, systems

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("of_templates", "of_runs"), [(0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.1, 0.1)], ids=["none", "t", "r", "both"]
)
@pytest.mark.parametrize("n", [50])
def test_items_templates_and_runs(n: int, of_templates: float, of_runs: float) -> None:
    rng = np.random.default_rng([n, int(10 * of_templates), int(10 * of_runs)])
    p = [p_value(*systems(rng, n, of_templates, of_runs)) for _ in range(250)]
    assert_all([Check(f"n = {n}", rejected(p, 0.05), len(p), 0.015, 0.055)])


@pytest.mark.parametrize(("m", "rho", "most"), [(3, 8.0, 0.08), (5, 8.0, 0.06)])
def test_templates_alone(m: int, rho: float, most: float) -> None:
    rng = np.random.default_rng([m, int(rho)])
    p = [p_value(*paired_templates(rng, 200, m, rho)) for _ in range(250)]
    assert_all([Check(f"{m} templates", rejected(p, 0.05), len(p), 0.015, most)])
