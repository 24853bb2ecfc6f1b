"""What long work tells on standard error where no terminal shows a bar."""

from __future__ import annotations

import pytest

from outscore.cli.output import ProgressLines, progress_bar


def lines(capsys: pytest.CaptureFixture[str], times: list[float], total: int) -> list[str]:
    """Tell of each step at its time, after a start at 0, and return what was written."""
    clock = iter(times)
    progress = ProgressLines("resampling", 0.0, 0.0, clock=lambda: next(clock))
    for step, _ in enumerate(times, 1):
        progress.advance(step, total)
    return capsys.readouterr().err.splitlines()


def test_what_is_soon_done_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(capsys, [0.09 * step for step in range(1, 101)], 100) == []


def test_a_line_comes_each_tenth_but_not_more_often_than_each_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    told = lines(capsys, [1.0 * step for step in range(1, 101)], 100)
    assert told[0] == "outscore: resampling, 10% after 10 s"
    assert len(told) == 10
    told = lines(capsys, [0.2 * step for step in range(1, 101)], 100)
    assert told == ["outscore: resampling, 50% after 10 s", "outscore: resampling, 100% after 20 s"]


def test_hours_have_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    told = lines(capsys, [5.0 * step for step in range(1, 721)], 10_000)
    assert 55 <= len(told) <= 60


def test_the_next_of_several_runs_begins_anew(capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([20.0, 40.0])
    progress = ProgressLines("scoring", 0.0, 0.0, clock=lambda: next(clock))
    progress.advance(90, 100)
    progress.advance(11, 100)
    assert capsys.readouterr().err.splitlines() == [
        "outscore: scoring, 90% after 20 s",
        "outscore: scoring, 11% after 40 s",
    ]


def test_a_bar_moves_back_and_forth_until_the_next_stage_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    states: list[dict[str, float | None]] = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **state: states.append(state))
    with progress_bar(shown=True) as progress:
        assert progress is not None
        progress(1, 1000)
        for done in range(2, 1000):  # within one refresh
            progress(done, 1000)
        progress(1000, 1000)
    assert states[0] == {"completed": 1, "total": 1000}
    assert len(states) < 100
    assert states[-1] == {"completed": 1000, "total": None}


def test_quiet_is_quiet() -> None:
    with progress_bar(shown=False) as progress:
        assert progress is None
    with progress_bar(shown=True) as progress:  # no terminal here
        assert progress is not None
