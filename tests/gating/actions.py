"""Composite actions and workflows of GitHub, as far as they can be run without GitHub: steps that bash runs."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["MARKER", "ROOT", "Done", "Job", "loaded"]

ROOT = Path(__file__).resolve().parents[2]
MARKER = "<!-- outscore gate -->"  # the last line of a comment on a pull request
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def loaded(path: str) -> Any:
    """Return what a YAML file of this repository holds. YAML 1.1 takes the key `on` for true; GitHub does not."""
    found = msgspec.yaml.decode((ROOT / path).read_bytes())
    return {"on" if key is True else key: value for key, value in found.items()}


@dataclass(frozen=True)
class Done:
    """What a step left behind."""

    status: int
    log: str
    summary: str
    outputs: Mapping[str, str]


@dataclass
class Job:
    """A job in a folder, with what GitHub sets for its steps.

    Attributes
    ----------
    folder : Path
        The repository that was checked out.
    files : Path
        Where GitHub has its own files.
    environment : mapping from str to str
        Variables of the machine.
    contexts : dict
        What expressions name: "github.sha", "inputs.margin", "steps.install.outputs.outscore".
    """

    folder: Path
    files: Path
    environment: Mapping[str, str]
    contexts: dict[str, str] = field(default_factory=dict)

    def value(self, text: str) -> str:
        """Return text with its expressions replaced; of `a || b` the first that is not empty."""

        def evaluated(match: re.Match[str]) -> str:
            return next(filter(None, (self.contexts.get(name, "") for name in re.split(r"\s*\|\|\s*", match[1]))), "")

        return EXPRESSION.sub(evaluated, str(text))

    def run(self, step: Mapping[str, Any]) -> Done:
        """Run the script of a step by bash, as GitHub does where the shell is bash."""
        self.files.mkdir(exist_ok=True)
        summary, output = self.files / "summary", self.files / "output"
        for file in (summary, output):
            file.write_text("")
        script = self.files / "script.sh"
        script.write_text(str(step["run"]))
        environment = {
            **os.environ,
            **self.environment,
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(self.files),
            **{name: self.value(value) for name, value in step.get("env", {}).items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        if "id" in step:
            self.contexts |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
        return Done(done.returncode, done.stdout, summary.read_text(), outputs)
