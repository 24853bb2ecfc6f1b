"""A repository as a new user would have it: the example workflow goes red on a regression, and else stays green.

Every step of examples/gate/github-workflow.yml and of action.yml that bash runs is run as it stands; outscore is
installed already, and `git clone` takes the place of actions/checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.gating.actions import Done, Job, loaded

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None or shutil.which("git") is None, reason="bash and git are needed"),
]

# 1,000 questions: 780 are always answered rightly, 200 never, and 20 now and then, so that two runs of one model differ
# on some ten. A new draw each run, by the number of the commit and of the attempt.
EVALUATE = """\
import argparse, json, os, random, subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--output", required=True)
output = parser.parse_args().output
broken = json.load(open("model.json"))["broken"]
commits = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True).stdout
answers = random.Random(f"{commits.strip()} {os.environ['GITHUB_RUN_ATTEMPT']}")
with open(output, "w") as file:
    print("id,accuracy", file=file)
    for item in range(1000):
        right = item >= broken if item < 780 else item < 800 and answers.random() < 0.5
        print(f"question-{item},{int(right)}", file=file)
"""
WORKFLOW, ACTION = loaded("examples/gate/github-workflow.yml"), loaded("action.yml")
GATE = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")


class Toy:
    """A repository, and what GitHub does when a commit is pushed or a job is started by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        self._git("init", "--quiet", "--bare", "--initial-branch=main", "origin", within=folder)
        self._git("clone", "--quiet", "origin", "work", within=folder)
        (self.work / "evaluate.py").write_text(EVALUATE)
        outscore = folder / "outscore"
        outscore.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m outscore "$@"\n')
        outscore.chmod(0o755)

    def _git(self, *words: str, within: Path | None = None) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@t.example")
        command = ["git", *identity, *words]
        return subprocess.run(
            command, cwd=within or self.work, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, *, broken: int = 0) -> None:
        """Push a commit; so many questions are answered wrongly from now on."""
        (self.work / "model.json").write_text(json.dumps({"broken": broken}))
        self._git("add", ".")
        self._git("commit", "--quiet", "--allow-empty", "-m", "change")
        self._git("push", "--quiet", "origin", "HEAD:main")

    def run(self, name: str, attempt: int = 1) -> Done:
        """Run a job of the workflow on the newest commit, in a checkout of its own, up to the first step that fails."""
        checkout = self.folder / "checkout"
        shutil.rmtree(checkout, ignore_errors=True)
        self._git("clone", "--quiet", "origin", "checkout", within=self.folder)
        machine = {
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        job = Job(checkout, self.folder / "github", machine, {"github.sha": self._git("rev-parse", "HEAD")})
        done: Done | None = None
        for step in WORKFLOW["jobs"][name]["steps"]:
            if "run" in step:
                done = job.run(step)
            elif step["uses"].startswith("outscore/outscore@"):
                done = self._action(job, step["with"])
            if done is not None and done.status:
                break
        assert done is not None
        return done

    def _action(self, job: Job, given: Mapping[str, Any]) -> Done:
        inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | dict(given)
        job.contexts |= {f"inputs.{name}": str(value) for name, value in inputs.items()}
        job.contexts["steps.install.outputs.outscore"] = str(self.folder / "outscore")
        return job.run(GATE)

    @property
    def looks(self) -> list[dict[str, Any]]:
        """All looks that the branch of the baseline file keeps."""
        store = self._git("show", "outscore-gate:outscore-gate.json", within=self.folder / "origin")
        looks: list[dict[str, Any]] = json.loads(store)["looks"]
        return looks


def test_the_workflow_goes_red_on_a_regression_and_else_stays_green(tmp_path: Path) -> None:
    """Answers are drawn by fixed seeds. Of new seeds the equal commits would have a false alarm in 5% at most, which is
    what the gate bounds however many they are; tests/calibration/test_gate_histories.py has 600 histories
    of 20 looks.
    """
    toy = Toy(tmp_path)
    toy.commit()
    accepted = toy.run("accept")
    assert accepted.status == 0, accepted.log
    assert toy.looks == [], accepted.log

    for look in range(1, 7):
        toy.commit()
        green = toy.run("gate")
        assert green.status == 0, green.log
        assert green.outputs == {"outcome": toy.looks[-1]["outcome"], "look": str(look), "exit-status": "0"}
        assert "::error" not in green.log
        assert "::notice title=outscore gate%3A " in green.log
    assert toy.looks[0]["outcome"] == "passed"
    assert len({entry["commit"] for entry in toy.looks}) == 6

    toy.commit(broken=30)
    red = toy.run("gate")
    assert red.status == 1, red.log
    assert red.outputs == {"outcome": "failed", "look": "7", "exit-status": "1"}
    assert red.summary.startswith(
        "## outscore gate: failed\n\n**Failed**: new is worse than new (baseline) in accuracy (gain -"
    )
    assert "| question-0 | 100.0 | 0.0 |" in red.summary
    (annotation,) = [line for line in red.log.splitlines() if line.startswith("::")]
    assert annotation.startswith(
        "::error title=outscore gate%3A failed::Failed: new is worse than new (baseline) in accuracy"
    )
    assert "%0A  question-0 " in annotation
    failure = ElementTree.parse(tmp_path / "checkout" / "outscore-gate.xml").find("testsuite/testcase/failure")
    assert failure is not None
    assert "question-0" in str(failure.text)

    # To run it again does not make it green: the runs of a commit are averaged.
    again = toy.run("gate", attempt=2)
    assert (again.status, again.outputs["look"]) == (1, "8"), again.log
    assert "means over 2 runs of this commit" in again.log

    # Mended, and a new baseline: looks are counted anew.
    toy.commit()
    assert toy.run("gate").status == 0
    assert toy.run("accept", attempt=2).status == 0
    assert toy.looks == []
    toy.commit()
    assert toy.run("gate").outputs == {"outcome": "passed", "look": "1", "exit-status": "0"}
