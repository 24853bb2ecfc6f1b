"""The command under limits on its memory, and charts that cannot be drawn."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.running import Runner

resource = pytest.importorskip("resource", reason="there are no limits on Windows")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not enforce the limit")
LINE = "[out-of-memory]\n"
needs_renderer = pytest.mark.skipif(
    importlib.util.find_spec("altair") is None or importlib.util.find_spec("vl_convert") is None,
    reason="charts need the extra [plots]",
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Two systems of 200 items: b gains 5 items, and loses none."""
    (tmp_path / "a.txt").write_text("1\n0\n" * 100)
    (tmp_path / "b.txt").write_text("1\n0\n" * 95 + "1\n1\n" * 5)
    return tmp_path


def limited(folder: Path, megabytes: int, *argv: str, **options: Any) -> subprocess.Popen[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6,) * 2)

    return subprocess.Popen(
        [sys.executable, "-m", "outscore", *argv],
        cwd=folder,
        preexec_fn=limit,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


GATE = ("gate", "a.txt", "b.txt", "--margin", "5%")


@pytest.mark.parametrize("megabytes", [40, 80, 110, 140])
def test_too_little_memory_is_never_a_failed_gate(scores: Path, megabytes: int) -> None:
    with limited(scores, megabytes, *GATE, "--junit", "gate.xml") as run:
        out, err = run.communicate()
    if run.returncode:  # other versions of NumPy may need less
        assert (run.returncode, out) == (2, "")
        assert err.endswith(LINE)
        assert f"under the limit of {megabytes} MB" in err.splitlines()[-1]
        assert not (scores / "gate.xml").exists()


@pytest.mark.parametrize(("systems", "status"), [(("a.txt", "b.txt"), 0), (("b.txt", "a.txt"), 1)])
def test_enough_memory_changes_no_status(scores: Path, systems: tuple[str, str], status: int) -> None:
    with limited(scores, 1000, "gate", *systems, "--margin", "1%", "-q") as run:
        out, err = run.communicate()
    assert (run.returncode, err) == (status, "")
    assert out.startswith("Failed" if status else "Passed")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("os._exit(1)", "outscore: probably out of memory under the limit of 2,000 MB: a library ended the process. "),
        ("os.abort()", "outscore: probably out of memory under the limit of 2,000 MB: SIGABRT ended the process. "),
        ("os.kill(os.getpid(), 9)", "outscore: probably out of memory under the limit of 2,000 MB: SIGKILL ended the "),
        ("os.kill(os.getpid(), 11)", "outscore: SIGSEGV ended the process. Run it without a limit on memory (ulimit "),
    ],
)
def test_only_some_ends_are_out_of_memory(end: str, message: str) -> None:
    code = f"""import os, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9,) * 2)
from outscore.cli.limited import limited
raise SystemExit(limited(lambda: {end}))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("libgfortran.so.5: cannot open shared object file", "outscore: unexpected error: ImportError: libgfortran.so"),
        ("x.so: failed to map segment from shared object", "outscore: out of memory under the limit of 1,000 MB. "),
        ("x.so: cannot allocate memory in static TLS block", "outscore: out of memory under the limit of 1,000 MB. "),
    ],
)
def test_only_some_failed_imports_are_out_of_memory(
    scores: Path, outscore: Runner, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImportError(text)

    monkeypatch.chdir(scores)
    monkeypatch.setattr("outscore.wings.gating.command.gate_sources", fail)
    for module in ("start", "streams"):
        monkeypatch.setattr(f"outscore.cli.{module}.memory_limit", lambda: 10**9)
    assert outscore(*GATE).err.startswith(message)


def test_a_signal_reaches_the_command(scores: Path) -> None:
    (scores / "items.csv").write_text("id,mean\n" + "".join(f"{item},1\n" for item in range(50)))
    argv = ("gate", "items.csv", "-", "--margin", "5%", "--sequential")
    with limited(scores, 1000, *argv, stdin=subprocess.PIPE) as run:
        while not any(int(word) for word in _children(run.pid)):
            time.sleep(0.01)
        (child,) = _children(run.pid)
        while "scipy" not in (Path("/proc") / child / "maps").read_text() and _cpu(child) < 0.3:
            time.sleep(0.01)  # until the handlers are installed, or nearly so
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate()
    assert (run.returncode, out) == (128 + signal.SIGTERM, "")


def _children(parent: int) -> list[str]:
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def _cpu(process: str) -> float:
    fields = (Path("/proc") / process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@needs_renderer
def test_a_chart_that_cannot_be_drawn_is_a_message(scores: Path) -> None:
    (scores / "chart.svg").write_text("old")
    with limited(scores, 1000, *GATE, "--junit", "gate.xml", "-o", "gate.json", "--chart", "chart.svg") as run:
        _, err = run.communicate()
    assert run.returncode == 0
    assert err.startswith("--chart: the chart was not drawn, as its renderer failed: ")
    assert err.endswith(" [not-drawn]\n")
    assert err.count("\n") == 1
    assert (scores / "chart.svg").read_text() == "old"
    assert (scores / "gate.xml").exists()
    assert (scores / "gate.json").exists()


@needs_renderer
def test_a_chart_is_drawn_after_all_other_files_are_written(
    scores: Path, outscore: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()

    def interrupted(figures: object, suffix: str) -> bytes:
        del figures, suffix
        seen.extend(sorted(path.name for path in scores.iterdir() if path.suffix in (".xml", ".md", ".json", ".html")))
        raise KeyboardInterrupt

    monkeypatch.setattr("outscore.reports.charts.chart_bytes", interrupted)
    files = ("--junit", "x.xml", "--comment", "x.md", "-o", "x.json", "--report", "x.html")
    run = outscore(*GATE, *files, "--chart", "chart.svg")
    assert seen == ["x.html", "x.json", "x.md", "x.xml"]
    assert run.err == "outscore: interrupted while the chart was drawn; all other files are written.\n"
    assert run.status == 130
