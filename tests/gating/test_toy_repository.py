"""A repository as a new user would have it: the example workflows fail on a regression, and otherwise pass.

Every step of the workflows in examples/gate and of action.yml that bash runs is run unchanged. outscore is installed
already, `git clone` takes the place of actions/checkout, and a script with jq takes the place of gh.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.gating.actions import MARKER, Done, Job, loaded

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
WORKFLOW, STORED = loaded("examples/gate/github-workflow.yml"), loaded("examples/gate/github-stored-baseline.yml")
GITLAB, ACTION = loaded("examples/gate/gitlab-ci.yml"), loaded("action.yml")
# The comments of a pull request: what `gh api` does with them, as far as the workflow uses it.
GH = """\
import json, os, pathlib, subprocess, sys

arguments = iter(sys.argv[1:])
assert next(arguments) == "api" and os.environ["GH_TOKEN"] == "token"
kept, method, chosen, body, path = pathlib.Path(os.environ["COMMENTS"]), "GET", None, None, None
for word in arguments:
    if word == "--method":
        method = next(arguments)
    elif word == "--jq":
        chosen = next(arguments)
    elif word == "--field":
        body = pathlib.Path(next(arguments).removeprefix("body=@")).read_text()
    elif word not in ("--silent", "--paginate"):
        path = word
comments = json.loads(kept.read_text())
if method == "GET":
    assert path == "repos/us/toy/issues/7/comments"
    subprocess.run(["jq", chosen], input=json.dumps(comments), text=True, check=True)
elif method == "POST":
    assert path == "repos/us/toy/issues/7/comments"
    comments.append({"id": len(comments) + 1, "user": {"type": "Bot"}, "body": body})
else:
    number = int(path.removeprefix("repos/us/toy/issues/comments/"))
    comments[number - 1]["body"] = body
kept.write_text(json.dumps(comments))
"""
GATE = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")


class Toy:
    """A repository, and what GitHub does when a commit is pushed or a job is started by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        self._git("init", "--quiet", "--bare", "--initial-branch=main", "origin", within=folder)
        self._git("clone", "--quiet", "origin", "work", within=folder)
        (self.work / "evaluate.py").write_text(EVALUATE)
        self.bin = folder / "bin"
        self.bin.mkdir()
        (folder / "gh.py").write_text(GH)
        (folder / "comments.json").write_text("[]")
        for name, call in (("outscore", "-m outscore"), ("gh", f"'{folder}/gh.py'"), ("pip", "-c ''")):
            (self.bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
            (self.bin / name).chmod(0o755)

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

    @property
    def head(self) -> str:
        """The newest commit."""
        return self._git("rev-parse", "HEAD")

    def checked_out(self) -> Path:
        """Return a new checkout of the newest commit."""
        checkout = self.folder / "checkout"
        shutil.rmtree(checkout, ignore_errors=True)
        self._git("clone", "--quiet", "origin", "checkout", within=self.folder)
        return checkout

    def machine(self, attempt: int = 1) -> dict[str, str]:
        """Return the variables of a runner."""
        return {
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "COMMENTS": str(self.folder / "comments.json"),
            "PATH": os.pathsep.join([str(self.bin), str(Path(sys.executable).parent), os.environ["PATH"]]),
        }

    def run(self, name: str, attempt: int = 1) -> Done:
        """Run a job of the workflow with a stored baseline on the newest commit, up to the first step that fails."""
        job = Job(self.checked_out(), self.folder / "github", self.machine(attempt), {"github.sha": self.head})
        done: Done | None = None
        for step in STORED["jobs"][name]["steps"]:
            if "run" in step:
                done = job.run(step)
            elif step["uses"] == "./vendor/outscore":
                done = self._action(job, step["with"])
            if done is not None and done.status:
                break
        assert done is not None
        return done

    def pull_request(self, base: str, attempt: int = 1) -> dict[str, Done]:
        """Run the workflow on a pull request, and return its steps; after a failure only those with always()."""
        contexts = {
            "github.repository": "us/toy",
            "github.token": "token",
            "github.event.pull_request.base.sha": base,
            "github.event.pull_request.number": "7",
        }
        shutil.rmtree(self.folder / "github", ignore_errors=True)  # GitHub empties RUNNER_TEMP before a job
        job = Job(self.checked_out(), self.folder / "github", self.machine(attempt), contexts)
        done: dict[str, Done] = {}
        for step in WORKFLOW["jobs"]["gate"]["steps"]:
            failed = any(one.status for one in done.values())
            if "run" in step and (not failed or "always()" in step.get("if", "")):
                done[step["name"]] = job.run(step)
        return done

    @property
    def comments(self) -> list[str]:
        """The comments on the pull request."""
        return [comment["body"] for comment in json.loads((self.folder / "comments.json").read_text())]

    def _action(self, job: Job, given: Mapping[str, Any]) -> Done:
        inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | dict(given)
        job.contexts |= {f"inputs.{name}": str(value) for name, value in inputs.items()}
        job.contexts["steps.install.outputs.outscore"] = "outscore"
        return job.run(GATE)

    @property
    def looks(self) -> list[dict[str, Any]]:
        """All checks in the stored baseline."""
        store = self._git("show", "outscore-gate:outscore-gate.json", within=self.folder / "origin")
        looks: list[dict[str, Any]] = json.loads(store)["looks"]
        return looks


def test_with_a_stored_baseline_only_a_regression_fails(tmp_path: Path) -> None:
    """Answers are drawn with fixed seeds. With others an equal commit would fail in 5% of the cases at most;
    tests/calibration/test_gate_histories.py has 600 histories of 20 checks.
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
    assert red.summary.startswith("**Failed**: new is worse than new (baseline) in accuracy (gain -")
    assert re.search(r"\| question-\d+ \| 100\.0 \| 0\.0 \|", red.summary)
    (annotation,) = [line for line in red.log.splitlines() if line.startswith("::")]
    assert annotation.startswith(
        "::error title=outscore gate%3A failed::Failed: new is worse than new (baseline) in accuracy"
    )
    assert re.search(r"%0A  question-\d+ ", annotation)
    failure = ElementTree.parse(tmp_path / "checkout" / "outscore-gate.xml").find("testsuite/testcase/failure")
    assert failure is not None
    assert re.search(r"\bquestion-\d+\b", str(failure.text))

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


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is needed")
def test_a_pull_request_is_compared_with_its_base_commit(tmp_path: Path) -> None:
    toy = Toy(tmp_path)
    (tmp_path / "comments.json").write_text(json.dumps([{"id": 1, "user": {"type": "User"}, "body": MARKER}]))
    toy.commit()
    base = toy.head
    toy.commit()
    green = toy.pull_request(base)
    assert {name: one.status for name, one in green.items()} == {
        "Install outscore": 0,
        "Evaluate the head commit": 0,
        "Evaluate the base commit": 0,
        "Gate": 0,
        "Comment": 0,
    }, green
    assert green["Gate"].outputs["outcome"] == "passed"
    assert green["Gate"].log.startswith("Passed: head is not worse than base by 2.00 points or more in accuracy")
    assert not re.search(r"\b(check|look)s?\b", green["Gate"].log, re.IGNORECASE)
    _, first = toy.comments
    assert first.startswith("**Passed**: head is not worse than base")
    assert first.endswith(f"\n{MARKER}\n")

    # A regression on the same pull request: the comment is updated in place, although the gate fails.
    toy.commit(broken=30)
    red = toy.pull_request(base)
    assert (red["Gate"].status, red["Gate"].outputs["outcome"], red["Comment"].status) == (1, "failed", 0), red
    assert "::error title=outscore gate%3A failed::Failed: head is worse than base in accuracy" in red["Gate"].log
    human, second = toy.comments
    assert human == MARKER, "comments of others are left alone"
    assert second.startswith("**Failed**: head is worse than base in accuracy (gain -")
    assert "<details><summary>10 of the largest losses in accuracy (" in second
    assert re.search(r"\| question-\d+ \| 100\.0 \| 0\.0 \|", second)
    assert second == red["Gate"].summary + f"\n{MARKER}\n"


def test_the_gitlab_script_compares_two_commits(tmp_path: Path) -> None:
    toy = Toy(tmp_path)
    toy.commit()
    base = toy.head
    toy.commit(broken=30)
    script = "\n".join([*GITLAB["gate"]["before_script"], *GITLAB["gate"]["script"]])
    assert script.count("/tmp/base") == 3
    machine = toy.machine() | {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    done = Job(toy.checked_out(), tmp_path / "gitlab", machine).run(
        {"run": script.replace("/tmp/base", str(tmp_path / "base"))}
    )
    assert done.status == 1, done.log
    assert "Failed: head is worse than base in accuracy" in done.log
    assert (tmp_path / "checkout" / "gate.xml").exists()
