"""The plugin of pytest, in test runs of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import outscore.pytest_plugin
from tests.gating.actions import ROOT
from tests.packages import installed

pytest_plugins = ["pytester"]

TESTS = """\
import json
import outscore, pytest

OLD = {f"q{item}": 1 for item in range(400)}
SAME = OLD
WORSE = OLD | {f"q{item}": 0 for item in range(60)}
FEW = {f"q{item}": int(item > 2) for item in range(20)}, {f"q{item}": int(item > 3) for item in range(20)}


def test_same(outscore_gate):
    assert outscore_gate(OLD, SAME, metric="accuracy", margin=0.02).outcome.value == "passed"


def test_worse(outscore_gate):
    outscore_gate(OLD, WORSE, metric="accuracy", margin="2%")


@pytest.mark.parametrize("policy", [None, "fail", "pass"], ids=["none", "fail", "pass"])
def test_few(outscore_gate, policy):
    assert outscore_gate(*FEW, metric="accuracy", margin=0.02, inconclusive=policy).outcome.value == "inconclusive"


def test_stored(outscore_gate):
    outscore.gate_accept(OLD, "store.json", metric="accuracy")
    for look in (1, 2):
        assert outscore_gate("store.json", SAME, margin=0.02, commit=f"c{look}").look == look


def test_bad_input(outscore_gate):
    outscore_gate(OLD, {"q0": 1}, metric="accuracy", margin=0.02)
"""


def test_the_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    # A process of its own: what is compiled is loaded once a process.
    run = pytester.runpytest_subprocess("-W", "error", "-p", "outscore.pytest_plugin", "-p", "no:randomly", "-rA")
    told = [re.fullmatch(r"(PASSED|FAILED) [\w.]+::(\S+)( - .*)?", line) for line in run.outlines]
    assert {match[2]: match[1] for match in told if match} == {
        "test_same": "PASSED",
        "test_worse": "FAILED",
        "test_few[none]": "FAILED",
        "test_few[fail]": "FAILED",
        "test_few[pass]": "PASSED",
        "test_stored": "PASSED",
        "test_bad_input": "FAILED",
    }
    run.stdout.re_match_lines(
        [
            r".*Failed: .* is worse than .* in accuracy \(gain -15\.0 points",
            r"10 of the largest losses in accuracy \(0 wins, 60 losses, 340 ties\):",
            r"\s+q3 +100\.0 +0\.0$",
            r"Inconclusive: ",
            r'An inconclusive result fails the test\. .*inconclusive="pass"',
            r"candidate: expected at least 2 items, got 1\. .*\[one-item\]",
        ]
    )
    # How the plugin works is not what the user has to see.
    assert "src/outscore" not in run.stdout.str()
    assert "another exception" not in run.stdout.str()
    assert len(json.loads((pytester.path / "store.json").read_text())["looks"]) == 2


def test_the_plugin_is_registered_under_the_name_of_its_module() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"outscore.pytest_plugin": outscore.pytest_plugin.__name__}


def started(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run pytest from Python code in a folder, with little else in the environment."""
    plain = {"PATH": "", "HOME": str(folder), "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{folder}", **environment}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True, check=False)


def test_pytest_starts_without_numpy(tmp_path: Path) -> None:
    code = "def test_it():\n    import sys\n    assert 'outscore.pytest_plugin' in sys.modules\n"
    loaded = "    assert not {'numpy', 'scipy', 'rich', 'outscore.api', 'outscore.wings.gating'} & {*sys.modules}\n"
    (tmp_path / "test_start.py").write_text(code + loaded)
    call = "import sys, pytest; sys.exit(pytest.main(['-q', '-W', 'error', '-p', 'outscore.pytest_plugin']))"
    # Of other plugins of this machine nothing is known.
    done = started(tmp_path, call, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_outscore_may_be_imported_before_pytest_starts(tmp_path: Path) -> None:
    # As pip installs it: pytest then wants to rewrite the asserts of all packages of the distribution, and warns of
    # those that are imported already.
    about = installed(tmp_path, "pytest11", {"outscore.pytest_plugin": "outscore.pytest_plugin"}, "installed", "1")
    (about / "RECORD").write_text("outscore/__init__.py,,\noutscore/pytest_plugin.py,,\n")
    (tmp_path / "test_start.py").write_text("def test_it(outscore_gate):\n    assert outscore_gate\n")
    done = started(tmp_path, "import sys, outscore, pytest; sys.exit(pytest.main(['-q', '-W', 'error']))")
    assert done.returncode == 0, done.stdout + done.stderr
