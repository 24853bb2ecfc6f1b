"""The board of the real case: it reads as it ships, and shows what the documentation says of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import outscore
from outscore.cli import main

BOARD = Path(__file__).parents[2] / "examples" / "replicate" / "board.toml"


def test_the_shipped_board_holds_what_the_documentation_says() -> None:
    board = outscore.read(BOARD)
    assert Counter(board.families) == {"crf": 50, "perceptron": 50, "udpipe": 50}
    assert board.design.n_items == 2077
    accuracy = {
        name: 1 - float(rows[:, 0].sum()) / 25_094 for name, rows in zip(board.names, board.values(), strict=True)
    }
    of_size = [accuracy[f"crf-1.0-{number:02d}"] for number in range(1, 11)]
    assert sum(of_size) / 10 == pytest.approx(0.8990, abs=0.00005)


def test_systems_of_one_family_need_smaller_gains(capsys: pytest.CaptureFixture[str]) -> None:
    # Sampled with a fixed seed: the result is always the same.
    argv = ["study", "gain", str(BOARD), "--method", "monte-carlo", "--n-resamples", "10000", "--format", "json"]
    with pytest.raises(SystemExit) as exit_:
        main(argv)
    assert exit_.value.code == 0
    found = {each["relation"]: each for each in json.loads(capsys.readouterr().out)["thresholds"]}
    same, different = found["same-family"], found["different-family"]
    assert min(same["n_pairs"], different["n_pairs"]) > 40
    assert 0.035 < same["threshold"] < 0.95 * different["threshold"] < 0.05
