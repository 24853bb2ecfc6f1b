"""`--stratum` and `--collapse-strata` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.running import Runner

COMMANDS = [
    ("compare", "t.csv:a", "t.csv:b", "--format", "json"),
    ("rank", "t.csv", "--n-resamples", "200", "--format", "json"),
    ("plan", "gain", "t.csv:a", "t.csv:b", "--items", "100", "--n-sets", "200", "-t", "paired-t", "--format", "json"),
]


@pytest.fixture
def table(tmp_path: Path) -> None:
    """One item of a third stratum, all others in two; scores on a coarse grid have a quick distribution."""
    rng = np.random.default_rng(8)
    strata = ["news"] * 15 + ["web"] * 24 + ["mail"]
    lines = [f"{i},{part},{rng.normal():.1f},{rng.normal(0.2):.1f}" for i, part in enumerate(strata)]
    (tmp_path / "t.csv").write_text("\n".join(["id,domain,a,b", *lines]) + "\n")


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_stratum_of_one_item_is_named_and_can_be_merged(outscore: Runner, command: tuple[str, ...]) -> None:
    refused = outscore(*command, "--stratum", "domain")
    assert (refused.status, refused.out) == (2, "")
    assert 'stratum "mail" has one item' in refused.err
    assert "--collapse-strata" in refused.err
    assert "[one-unit-stratum]" in refused.err
    merged = outscore(*command, "--stratum", "domain", "--collapse-strata")
    assert merged.status == 0, merged.err
    assert 'merged with \\"news\\", the smallest' in merged.out
    json.loads(merged.out)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_without_strata_there_is_nothing_to_merge(outscore: Runner, command: tuple[str, ...]) -> None:
    run = outscore(*command, "--collapse-strata")
    assert run.status == 2
    assert "[no-strata]" in run.err
