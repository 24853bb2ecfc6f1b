"""The examples are what their script makes, and show what their page says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import outscore
from tests.test_documentation import ROOT, load

FOLDER = ROOT / "examples" / "judges"
FILES = ("verdicts.csv", "answers.csv", "ratings.csv")


def test_the_examples_are_made_by_their_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = load(FOLDER / "make.py")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    stream = np.random.default_rng(8)
    for make in (script.preferences, script.answers, script.ratings):
        make(stream)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_only_the_small_judge_has_a_bias() -> None:
    judges = {one.name: one.first_position for one in outscore.judges(FOLDER / "verdicts.csv").judges}
    p_values = {name: position.p_value for name, position in judges.items() if position is not None}
    assert p_values["small"] < 0.001 < 0.1 < p_values["large"]
    errors = {one.judge: one.p_value for one in outscore.judges(FOLDER / "answers.csv").errors}
    assert (errors["small"] or 1) < 0.01 < 0.1 < (errors["large"] or 0)
