"""The action and the example workflows: their structure, and the steps that bash runs.

Steps are run unchanged, with what GitHub would set. Here a script takes the place of outscore. It counts checks in the
baseline file, so that a lost check shows. test_toy_repository.py runs the steps with outscore itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.gating.actions import EXPRESSION, MARKER, ROOT, Done, Job, loaded

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or shutil.which("git") is None, reason="bash and git are needed"
)
ACTION = loaded("action.yml")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
WORKFLOW = loaded("examples/gate/github-workflow.yml")
STORED = loaded("examples/gate/github-stored-baseline.yml")
GITLAB = loaded("examples/gate/gitlab-ci.yml")

# Counts a look as `outscore gate` does, and says so where GitHub reads it; "rival", if there is such a file, is run
# once after the baseline file was read, as another run of the workflow would be.
COUNTS = """\
import json, os, pathlib, subprocess, sys
if sys.argv[1:2] == ["gate"] and "accept" not in sys.argv:
    store, arguments = pathlib.Path(sys.argv[2]), sys.argv[1:]
    if not store.exists():
        sys.exit(2)
    looks = json.loads(store.read_text())
    rival = pathlib.Path(os.environ["RIVAL"])
    if rival.exists():
        script = rival.read_text()
        rival.unlink()
        subprocess.run(["bash", "-c", script], check=True)
    commit = arguments[arguments.index("--commit") + 1]
    store.write_text(json.dumps([*looks, commit]))
    print(f"look {len(looks) + 1}:", json.dumps(arguments))
    for name, text in (("GITHUB_STEP_SUMMARY", "summary\\n"), ("GITHUB_OUTPUT", f"look={len(looks) + 1}\\n")):
        with open(os.environ[name], "a") as file:
            file.write(text)
    sys.exit(int(os.environ.get("STATUS", "0")))
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text("[]")
"""


WRITTEN = [
    *(ROOT / ".github" / "workflows").glob("*.yml"),
    ROOT / "action.yml",
    *(ROOT / "examples").rglob("*.yml"),
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "README.md",
]


def test_other_actions_are_pinned_by_their_commit_and_say_their_version() -> None:
    uses = re.compile(r"^\s*(?:- )?uses: (?P<action>\S+)(?P<comment>.*)$", re.MULTILINE)
    found = [match for path in WRITTEN for match in uses.finditer(path.read_text(encoding="utf-8"))]
    others = [match for match in found if not match["action"].startswith("./")]
    assert len(others) > 10
    for match in others:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", match["action"] + match["comment"]), match[0]


def git(folder: Path, *words: str) -> str:
    """Run git, and return what it prints."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@t.example")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


class Project:
    """A repository with an origin, and as many checkouts of it as there are runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "origin")
        first = self.checkout("first")
        (first / "evaluate.py").write_text("")
        git(first, "add", ".")
        git(first, "commit", "--quiet", "-m", "first")
        git(first, "push", "--quiet", "origin", "HEAD:main")
        (folder / "counts.py").write_text(COUNTS)
        (folder / "outscore").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/counts.py" "$@"\n')
        (folder / "outscore").chmod(0o755)

    def checkout(self, name: str) -> Path:
        git(self.folder, "clone", "--quiet", "origin", name)
        return self.folder / name

    def job(self, name: str, *, status: int = 0, sha: str = "abc", **inputs: str) -> Job:
        """Return a job in a checkout of its own, whose action has these inputs and keeps the baseline on a branch."""
        values = {of: str(one.get("default", "")) for of, one in ACTION["inputs"].items()} | {"keep": "branch"} | inputs
        contexts = {f"inputs.{of}": value for of, value in values.items()}
        contexts |= {"github.sha": sha, "steps.install.outputs.outscore": str(self.folder / "outscore")}
        where = self.folder / name
        folder = where if where.exists() else self.checkout(name)
        machine = {"STATUS": str(status), "RIVAL": str(self.folder / "rival")}
        return Job(folder, self.folder / f"{name}-files", machine, contexts)

    def gate(self, name: str, *, status: int = 0, sha: str = "abc", **inputs: str) -> Done:
        return self.job(name, status=status, sha=sha, **{"candidate": "new.csv", **inputs}).run(STEPS["Gate"])

    def kept(self, path: str = "outscore-gate.json", branch: str = "outscore-gate") -> Any:
        """Return what the baseline file on its branch holds."""
        return json.loads(git(self.folder / "origin", "show", f"{branch}:{path}"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_look_is_kept_whatever_the_outcome(project: Project) -> None:
    assert project.gate("accepts", command="accept").status == 0
    for number, status in enumerate((0, 1, 3), start=1):
        done = project.gate(f"run-{status}", status=status, sha=f"sha-{number}")
        assert done.status == status
        assert (done.summary, done.outputs) == ("summary\n", {"look": str(number)})
        assert done.log.startswith(f"look {number}:")
        assert project.kept() == [f"sha-{one}" for one in range(1, number + 1)]
    # Nothing of it is to be seen in the checkout but the baseline file, and main has not moved.
    assert git(project.folder / "run-3", "status", "--short") == "?? outscore-gate.json"
    assert git(project.folder / "origin", "rev-list", "--count", "main") == "1"


def test_a_run_that_looks_at_the_same_time_loses_no_look(project: Project) -> None:
    project.gate("accepts", command="accept")
    rival = project.checkout("rivals")
    git(rival, "checkout", "--quiet", "outscore-gate")
    (rival / "outscore-gate.json").write_text('["rival"]')
    git(rival, "commit", "--quiet", "--all", "-m", "rival")
    (project.folder / "rival").write_text(f"git -C '{rival}' push --quiet origin outscore-gate")
    done = project.gate("run", sha="mine")
    assert project.kept() == ["rival", "mine"]
    assert (done.status, done.outputs, done.summary) == (0, {"look": "2"}, "summary\n")
    assert "look 2:" in done.log
    assert "look 1:" not in done.log  # what was seen at a file that is outdated


def test_a_look_that_cannot_be_kept_is_not_shown(project: Project) -> None:
    project.gate("accepts", command="accept")
    job = project.job("run", candidate="new.csv", sha="mine")
    hook = project.folder / "origin" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    # Without the waits in between.
    step = {**STEPS["Gate"], "run": STEPS["Gate"]["run"].replace("sleep ", ": ")}
    done = job.run(step)
    assert (done.status, done.outputs, done.summary) == (2, {}, "")
    assert "::error title=outscore gate::Cannot save the check on the branch outscore-gate. Give the job" in done.log
    assert not re.search(r"^look \d", done.log, re.MULTILINE)
    assert project.kept() == []


def test_bad_input_is_no_look(project: Project) -> None:
    assert project.gate("run").status == 2  # there is no baseline yet
    assert git(project.folder / "origin", "branch", "--list", "outscore-gate") == ""
    assert project.gate("run", command="compare").status == 2


def test_several_baselines_share_a_branch(project: Project) -> None:
    for path in ("a.json", "deep/b.json"):
        project.gate("accepts", command="accept", baseline=path)
        project.gate("run", baseline=f"./{path}", sha=path)
    assert (project.kept("a.json"), project.kept("deep/b.json")) == (["a.json"], ["deep/b.json"])


@pytest.mark.parametrize("keep", ["cache", "none"])
def test_elsewhere_the_script_keeps_nothing(project: Project, keep: str) -> None:
    job = project.job("run", candidate="new.csv", keep=keep)
    (job.folder / "outscore-gate.json").write_text("[]")
    assert job.run(STEPS["Gate"]).status == 0
    assert git(project.folder / "origin", "branch", "--list", "outscore-gate") == ""


def test_inputs_are_words_and_never_commands(project: Project) -> None:
    project.gate("accepts", command="accept")
    hostile = "x'; touch hacked; echo \"$(touch hacked)`touch hacked`"
    job = project.job("run")
    job.contexts |= {f"inputs.{name}": hostile for name in ("candidate", "margin", "metric", "args", "commit", "junit")}
    done = job.run(STEPS["Gate"])
    assert done.status == 0
    words = json.loads(done.log.partition(":")[2])
    assert words[:3] == ["gate", "outscore-gate.json", hostile]
    assert words[words.index("--margin") + 1] == hostile
    assert words[words.index("--commit") + 1] == hostile
    assert not list(project.folder.rglob("hacked"))


def test_options_are_passed_on(project: Project) -> None:
    project.gate("accepts", command="accept")
    job = project.job(
        "run", candidate="new.csv", metric="accuracy f1", args="--inconclusive pass * --looks 4", margin="0.02"
    )
    words = json.loads(job.run(STEPS["Gate"]).log.partition(":")[2])
    assert words[3:8] == ["--github", "--junit", "outscore-gate.xml", "--comment", "outscore-gate.md"]
    assert words[8:] == [
        *("--margin", "0.02", "--commit", "abc", "-m", "accuracy", "-m", "f1"),
        *("--inconclusive", "pass", "*", "--looks", "4"),
    ]


def test_of_a_pull_request_its_own_commit_is_named(project: Project) -> None:
    project.gate("accepts", command="accept")
    job = project.job("run", candidate="new.csv", sha="merge")
    job.contexts["github.event.pull_request.head.sha"] = "head"
    assert job.run(STEPS["Gate"]).status == 0
    assert project.kept() == ["head"]


def texts(value: object) -> Iterator[str]:
    """Yield all text in YAML."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    else:
        yield str(value)


def test_no_script_holds_an_expression() -> None:
    jobs = [job["steps"] for workflow in (WORKFLOW, STORED) for job in workflow["jobs"].values()]
    scripts = [step["run"] for steps in [ACTION["runs"]["steps"], *jobs] for step in steps if "run" in step]
    assert len(scripts) >= 4
    assert not [script for script in scripts if "${{" in script]


def test_the_action_is_what_github_expects() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert "run" not in step or step["shell"] == "bash"
    used = {name for text in texts(ACTION["runs"]) for name in re.findall(r"inputs\.([\w-]+)", text)}
    assert used == set(ACTION["inputs"])
    assert [name for name, one in ACTION["inputs"].items() if one.get("required")] == ["candidate"]
    assert all("default" in one for one in ACTION["inputs"].values() if not one.get("required"))
    outputs = {EXPRESSION.sub(r"\1", one["value"]) for one in ACTION["outputs"].values()}
    assert outputs == {f"steps.gate.outputs.{name}" for name in ACTION["outputs"]}
    kept = STEPS["Keep the baseline file"]
    assert "always()" in kept["if"]
    assert kept["with"]["key"] == STEPS["Restore the baseline file"]["with"]["key"]
    assert kept["with"]["key"].startswith(STEPS["Restore the baseline file"]["with"]["restore-keys"])


def test_the_workflow_of_a_stored_baseline_uses_the_action_as_it_is() -> None:
    steps = [step for job in STORED["jobs"].values() for step in job["steps"]]
    ours = [step for step in steps if step.get("uses") == "./vendor/outscore"]
    assert len(ours) == 2
    assert all(set(step["with"]) <= set(ACTION["inputs"]) for step in ours)
    assert {step["with"].get("command", "gate") for step in ours} == {"gate", "accept"}
    assert {step["with"]["keep"] for step in ours} == {"branch"}
    assert STORED["permissions"] == {"contents": "write"}
    assert STORED["concurrency"]["cancel-in-progress"] is False
    assert set(STORED["on"]) == {"push", "pull_request", "workflow_dispatch"}
    assert "head.repo.full_name == github.repository" in STORED["jobs"]["gate"]["if"]


def test_the_workflow_needs_no_permission_but_that_to_comment() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert set(WORKFLOW["on"]) == {"push", "pull_request"}
    (comment,) = [step for step in WORKFLOW["jobs"]["gate"]["steps"] if step.get("name") == "Comment"]
    assert "head.repo.full_name == github.repository" in comment["if"]
    assert MARKER in comment["run"]


def test_no_example_names_a_repository_that_does_not_exist() -> None:
    for path in (*sorted((ROOT / "examples" / "gate").glob("*.yml")), *sorted((ROOT / "docs").rglob("*ga*.md"))):
        assert "outscore/outscore" not in path.read_text(encoding="utf-8"), path


def test_the_gitlab_job_keeps_its_report() -> None:
    gate = GITLAB["gate"]
    assert gate["artifacts"]["when"] == "always"
    assert f"--junit {gate['artifacts']['reports']['junit']}" in gate["script"][-1]
    assert gate["allow_failure"] == {"exit_codes": 3}


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say(tmp_path: Path) -> None:
    for number, step in enumerate(step for step in ACTION["runs"]["steps"] if "run" in step):
        script = tmp_path / f"{number}.sh"
        script.write_text("".join(f"export {name}=x\n" for name in step["env"]) + step["run"])
        done = subprocess.run(
            ["shellcheck", "--shell=bash", str(script)], capture_output=True, text=True, check=False, env=os.environ
        )
        assert done.returncode == 0, done.stdout


def test_files_are_where_the_action_says() -> None:
    description = (ROOT / "action.yml").read_text(encoding="utf-8")
    for path in re.findall(r"(?:docs|examples)/[\w./-]+", description):
        assert (ROOT / path.rstrip(".")).exists()
