"""`outscore gate` and `outscore gate accept`: exit status, options and configuration."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from outscore.wings.gating.command import _rule
from tests.gating.kit import Configuration
from tests.running import Run, Runner

N = 1500


@pytest.fixture(autouse=True)
def systems(tmp_path: Path) -> None:
    """A baseline, a system that is right as often, on a few other items, and one that is 6 points worse."""
    places = np.arange(N)
    right = places % 5 != 0
    for name, changed, lost in (("base", 0, 0), ("same", 75, 0), ("worse", 75, 90)):
        # Of the first items that change one in five is won, of those after them one in five loses.
        answers = np.where(places < changed, right | (places % 5 == 0), right)
        answers &= ~((places % 5 == 1) & (changed <= places) & (places < 2 * changed))
        answers &= ~((places % 5 == 2) & (places >= N - 5 * lost))
        lines = [f"q{place},{int(answer)}" for place, answer in enumerate(answers)]
        (tmp_path / f"{name}.csv").write_text("id,score\n" + "\n".join(lines) + "\n")


@pytest.mark.smoke
def test_the_exit_status_is_the_outcome(outscore: Runner) -> None:
    passed = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.02")
    assert passed.status == 0
    assert passed.out.startswith("Passed: same is not worse than base by 2.00 points or more in accuracy")
    failed = outscore("gate", "base.csv", "worse.csv", "-m", "accuracy", "--margin", "0.02", "--format", "json")
    assert failed.status == 1
    result = json.loads(failed.out)
    assert (result["schema"], result["outcome"], result["look"]) == ("outscore/gate/2", "failed", 1)
    inconclusive = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.001", "-q")
    assert (inconclusive.status, inconclusive.out[:12]) == (3, "Inconclusive")
    for policy, status in (("pass", 0), ("fail", 1)):
        options = ("-m", "accuracy", "--margin", "0.001", "--inconclusive", policy)
        assert outscore("gate", "base.csv", "same.csv", *options).status == status
    assert outscore("gate", "base.csv", "nowhere.csv", "--margin", "0.02").status == 2


def test_two_systems_are_compared_once_at_the_full_level(outscore: Runner) -> None:
    options = ("-m", "accuracy", "--margin", "0.02", "--commit", "abc")
    texts = [outscore("gate", "base.csv", name, *options).out for name in ("same.csv", "worse.csv")]
    for text in texts:
        assert "Both tests (score) at level 0.05. If p pass ≤ 0.05, a loss of the margin" in text
        assert "|level:0.05\n" in text
        assert not re.search(r"\b(looks?|checks?|budget|per-baseline)\b", text)
    result = json.loads(outscore("gate", "base.csv", "same.csv", *options, "--format", "json").out)
    assert (result["level"], result["alpha"], result["total_looks"]) == (0.05, 0.05, 0)


def test_the_former_name_of_the_policy_is_accepted_in_toml(outscore: Runner, tmp_path: Path) -> None:
    renamed = "outscore.toml [gate] undecided: renamed to inconclusive. The old name works until version 2. [renamed]\n"
    for name, error in (("inconclusive", ""), ("undecided", renamed)):
        (tmp_path / "outscore.toml").write_text(f'[gate]\nmargin = 0.001\n{name} = "pass"\n')
        run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--format", "json")
        assert (run.status, json.loads(run.out)["inconclusive"], run.err) == (0, "pass", error)


@pytest.mark.parametrize("names", [("undecided", "inconclusive"), ("inconclusive", "undecided")])
def test_both_names_of_the_policy_are_refused_in_toml(outscore: Runner, tmp_path: Path, names: tuple[str, str]) -> None:
    (tmp_path / "outscore.toml").write_text("[gate]\nmargin = 0.001\n" + "".join(f'{key} = "pass"\n' for key in names))
    run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy")
    error = "outscore.toml [gate] undecided: renamed to inconclusive. Pass only inconclusive. [renamed]\n"
    assert (run.status, run.out, run.err) == (2, "", error)


def test_no_cluster_is_asked_where_nothing_is_resampled(outscore: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSCORE_EXECUTOR", "nonsense")
    assert outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.02").status == 0


def test_a_margin_in_per_cent_is_clear_for_scores_of_0_and_1(outscore: Runner) -> None:
    for options in ([], ["--sequential", "-m", "mean:lowest=0,highest=1"]):
        by_per_cent, by_number = (
            outscore("gate", "base.csv", "worse.csv", *options, "--margin", margin) for margin in ("2%", "0.02")
        )
        assert by_per_cent == by_number
        assert by_per_cent.status in (1, 3)


def test_a_stored_baseline_needs_no_further_options(outscore: Runner, tmp_path: Path) -> None:
    accepted = outscore("gate", "accept", "base.csv", "-m", "accuracy", "-o", "store.json")
    assert (accepted.status, accepted.out) == (0, "store.json: base is the baseline (accuracy; 1,500 items).\n")
    for look, name, status in ((1, "same", 0), (2, "worse", 1), (3, "same", 0)):
        run = outscore("gate", "store.json", f"{name}.csv", "--margin", "0.02", "--format", "json")
        result = json.loads(run.out)
        assert (run.status, result["look"], result["level"]) == (status, look, 0.05 / (look * (look + 1)))
    again = outscore("gate", "accept", "same.csv", "-m", "accuracy", "-o", "store.json")
    assert again.status == 2
    assert "[same-run]" in again.err
    assert outscore("gate", "accept", "same.csv", "-m", "accuracy", "-o", "store.json", "--same-run").status == 0


def test_an_output_that_cannot_be_written_spends_no_look(outscore: Runner, tmp_path: Path) -> None:
    outscore("gate", "accept", "base.csv", "-m", "accuracy", "-o", "store.json", "-q")
    refused = outscore("gate", "store.json", "same.csv", "--margin", "0.02", "-o", "nowhere/result.json")
    assert refused.status == 2
    assert json.loads((tmp_path / "store.json").read_text())["looks"] == []


def test_a_project_says_its_rules_in_toml(outscore: Runner, tmp_path: Path) -> None:
    table = 'margin = 0.001\nmetric = "accuracy"\ninconclusive = "pass"\nlooks = 20\n[{}.margins]\naccuracy = "{}"\n'
    (tmp_path / "pyproject.toml").write_text("[tool.outscore.gate]\n" + table.format("tool.outscore.gate", "2%"))
    run = outscore("gate", "base.csv", "same.csv", "--format", "json")
    result = json.loads(run.out)
    assert (run.status, result["checks"][0]["margin"], result["level"]) == (0, 0.02, 0.05 / 20)
    (tmp_path / "outscore.toml").write_text("[gate]\n" + table.format("gate", "0.1%"))
    run = outscore("gate", "base.csv", "same.csv", "--format", "json")
    assert (run.status, json.loads(run.out)["outcome"]) == (0, "inconclusive")
    options = ("--margin", "accuracy=0.02", "--looks", "1", "--format", "json")
    result = json.loads(outscore("gate", "base.csv", "same.csv", *options).out)
    assert (result["checks"][0]["margin"], result["level"], result["outcome"]) == (0.02, 0.05, "passed")


@pytest.mark.parametrize(
    ("content", "place", "slug"),
    [
        ("[gate]\nmargn = 1\n", " [gate]", "unknown-key"),
        ("[gate]\nmargin = true\n", " [gate] margin", "wrong-type"),
        ("[gate]\nlooks = 2.5\n", " [gate] looks", "wrong-type"),
        ("[gate]\nlooks = 0\n", " [gate] looks", "out-of-range"),
        ('[gate]\nerror = "never"\n', " [gate] error", "unknown-value"),
        ('[gate]\ninconclusive = "passed"\n', " [gate] inconclusive", "unknown-value"),
        ("[gate\n", "", "not-toml"),
        (f"{'a.' * 200}b = 1\n", "", "unknown-key"),
        ("[other]\nx = 1\n", " [gate]", "no-table"),
        ("[gate.margins]\nacuracy = 1\n", " [gate] margins.acuracy", "unknown-metric"),
        ("[gate]\nalpha = 2\n", " [gate] alpha", "out-of-range"),
        ("[gate]\nmargin = 2\n", " [gate] margin", "not-a-share"),
        ("[gate.margins]\naccuracy = 0\n", " [gate] margins.accuracy", "bad-margin"),
    ],
)
def test_mistakes_in_toml_are_one_line(outscore: Runner, tmp_path: Path, content: str, place: str, slug: str) -> None:
    (tmp_path / "rules.toml").write_text(content)
    run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--config", "rules.toml")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert f"[{slug}]" in run.err
    # Who wrote no option is told of the file.
    assert run.err.startswith(f"rules.toml{place}: ")


def test_a_margin_out_of_range_is_called_so_also_beside_toml(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "outscore.toml").write_text('[gate]\nmargin = "2%"\n[gate.margins]\naccuracy = "1%"\n')
    for margin in ("2", "accuracy=2", "f1=1%"):
        run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", margin)
        assert (run.status, run.err.startswith("--margin: ")) == (2, True), run.err


@pytest.mark.parametrize(
    ("name", "table"), [("outscore.toml", "gate"), ("pyproject.toml", "tool.outscore.gate")], ids=("own", "project")
)
@pytest.mark.parametrize("margin", ["2%", "accuracy=2%"])
def test_margins_of_the_command_line_replace_those_of_a_file(
    outscore: Runner, tmp_path: Path, name: str, table: str, margin: str
) -> None:
    (tmp_path / name).write_text(f'[{table}.margins]\naccuracy = "50%"\n')
    usual = ("gate", "base.csv", "worse.csv", "-m", "accuracy")
    assert outscore(*usual).status == 0
    run = outscore(*usual, "--margin", margin, "--comment", "comment.md", "--junit", "gate.xml", "--github")
    assert run.status == 1
    assert f"Rules read from {name} [{table}]; options override them." in " ".join(run.out.split())
    assert f"Rules read from {name} \\[{table}\\]; options override them." in (tmp_path / "comment.md").read_text(
        encoding="utf-8"
    )
    assert f'name="outscore.rules-file" value="{name} [{table}]"' in (tmp_path / "gate.xml").read_text()
    result = json.loads(outscore(*usual, "--margin", margin, "--format", "json").out)
    assert (result["checks"][0]["margin"], result["rules_file"]) == (0.02, f"{name} [{table}]")
    # An empty file keeps the others from being read.
    (tmp_path / "empty.toml").touch()
    run = outscore(*usual, "--margin", margin, "--config", "empty.toml")
    assert (run.status, "Rules" in run.out) == (1, False)


def test_the_margin_of_a_metric_replaces_those_of_a_file_on_single_tasks() -> None:
    own = Configuration(margin=0.3, margins={"b/accuracy": "50%", "accuracy": "40%", "f1": 0.1}, where="rules")
    margins = _rule(own, ["accuracy=2%"], None, None, None, None).margins
    assert (margins.default, margins.by_name) == (0.3, {"accuracy": "2%", "f1": 0.1})
    margins = _rule(own, ["2%", "f1=3%"], None, None, None, None).margins
    assert (margins.default, margins.by_name) == ("2%", {"f1": "3%"})
    margins = _rule(own, None, None, None, None, None).margins
    assert (margins.default, margins.by_name) == (0.3, own.margins)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("base.csv", "-m", "accuracy"), "write it to outscore.toml in the current folder"),
        (
            ("base.csv", "-m", "accuracy", "--margin", "2%", "--margin", "3%"),
            'one margin for all metrics, got "2%", "3%"',
        ),
        (
            ("base.csv", "-m", "mean:highest=5", "--margin", "2%"),
            "mean is not a proportion, so",
        ),
        (("gone.json", "--margin", "2%"), "outscore gate accept SYSTEM -o gone.json"),
    ],
)
def test_what_people_forget_is_one_line(outscore: Runner, argv: tuple[str, ...], said: str) -> None:
    run = outscore("gate", argv[0], "same.csv", *argv[1:])
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert said in run.err


def test_a_report_says_what_to_do_next(outscore: Runner) -> None:
    usual = ("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin")
    assert "outscore plan gate computes how many" in " ".join(outscore(*usual, "0.001").out.split())
    assert "outscore plan gate" not in outscore(*usual, "0.02").out
    assert "same score" not in outscore(*usual, "0.02").out
    assert "same score on every item" in outscore("gate", "base.csv", "base.csv", *usual[3:], "0.02").out
    assert " interval" not in outscore(*usual, "0.05", "--sequential").out


@pytest.mark.parametrize("rule", ['error = "never"', 'inconclusive = "maybe"', "looks = 2.5"])
def test_a_mistake_in_toml_names_the_file(outscore: Runner, tmp_path: Path, rule: str) -> None:
    (tmp_path / "outscore.toml").write_text(f"[gate]\n{rule}\n")
    run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.02")
    assert run.err.startswith(f"outscore.toml [gate] {rule.split()[0]}: ")


@pytest.mark.parametrize("option", [("--alpha", "1e-300"), ("--looks", "1" + "0" * 400), ("--looks", "0")])
def test_levels_that_are_none_are_refused(outscore: Runner, option: tuple[str, str]) -> None:
    run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.02", *option)
    assert (run.status, run.err.startswith(f"{option[0]}: expected "), run.err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize("argv", [(), ("base.csv",), ("base.csv", "same.csv", "worse.csv")])
def test_a_gate_takes_two_systems(outscore: Runner, argv: tuple[str, ...]) -> None:
    run = outscore("gate", *argv, "-m", "accuracy", "--margin", "0.02")
    assert (run.status, run.err.count("\n")) == (2, 1)


def in_order(outscore: Runner, name: str, *options: str) -> str:
    """Return the lines of a system in the order of the gate."""
    order = outscore("gate", "order", "base.csv", *options).out.split()
    lines = dict(line.split(",") for line in Path(f"{name}.csv").read_text().splitlines()[1:])
    return "".join(json.dumps({"id": item, "score": int(lines[item])}) + "\n" for item in order)


Streamed = Callable[..., Run]


@pytest.fixture
def streamed(outscore: Runner, monkeypatch: pytest.MonkeyPatch) -> Streamed:
    """Run a command with a text on its standard input."""

    def run(*argv: str, text: str) -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return outscore(*argv)

    return run


def test_items_are_looked_at_one_by_one(outscore: Runner, streamed: Streamed) -> None:
    usual = ("-m", "accuracy", "--margin", "0.05", "--sequential", "--format", "json")
    for name, status in (("same", 0), ("worse", 1)):
        run = outscore("gate", "base.csv", f"{name}.csv", *usual)
        whole = json.loads(run.out)
        n = whole["sequential"]["n_read"]
        assert (run.status, whole["sequential"]["n_items"], whole["checks"][0]["test"]) == (status, N, "e-process")
        assert whole["checks"][0]["n_items"] == n < N
        lines = in_order(outscore, name)
        run = streamed("gate", "base.csv", "-", *usual, text=lines)
        assert json.loads(run.out)["checks"] == whole["checks"]
        # What follows is not read, whatever it is.
        cut = "".join(lines.splitlines(keepends=True)[:n])
        assert streamed("gate", "base.csv", "-", *usual, text=cut + "broken\n").status == status
    run = streamed("gate", "base.csv", "-", *usual, text='{"id": broken\n')
    assert run.status == 2
    assert run.err.startswith("-:1: ")
    run = outscore("gate", "base.csv", "same.csv", "-m", "accuracy", "--margin", "0.05", "--seed", "4")
    assert (run.status, run.err[:8]) == (2, "--seed: ")


def test_a_stream_is_a_look_at_a_stored_baseline(outscore: Runner, streamed: Streamed) -> None:
    outscore("gate", "accept", "base.csv", "-m", "accuracy", "-o", "store.json")
    assert outscore("gate", "order", "store.json").out == outscore("gate", "order", "base.csv").out
    usual = ("gate", "store.json", "-", "--margin", "0.05", "--sequential", "--format", "json")
    run = streamed(*usual, text=in_order(outscore, "worse"))
    assert (run.status, json.loads(run.out)["level"]) == (1, 0.025)
    # One that breaks off has spent its level, too.
    lines = in_order(outscore, "worse").splitlines(keepends=True)[:5]
    assert streamed(*usual, text="".join(lines) + "broken\n").status == 2
    run = outscore("gate", "store.json", "worse.csv", "--margin", "0.05", "--sequential", "--format", "json")
    result = json.loads(run.out)
    assert (run.status, result["look"], result["total_looks"]) == (1, 3, 3)
    looks = json.loads(Path("store.json").read_text())["looks"]
    assert [look["outcome"] for look in looks] == ["failed", "inconclusive", "failed"]


@pytest.mark.parametrize(
    "option",
    [("--cluster", "topic"), ("--missing", "drop"), ("--missing", "zero"), ("--runs", "random"), ("-r", "base.csv")],
)
def test_a_stream_takes_no_options_that_a_stored_baseline_knows(
    outscore: Runner, streamed: Streamed, option: tuple[str, str]
) -> None:
    outscore("gate", "accept", "base.csv", "-m", "accuracy", "-o", "store.json")
    run = streamed("gate", "store.json", "-", "--margin", "0.05", "--sequential", *option, text="broken\n")
    assert (run.status, "[already-stored]" in run.err) == (2, True)
    assert json.loads(Path("store.json").read_text())["looks"] == []


def test_a_stream_is_read_as_its_stored_baseline_was(outscore: Runner, streamed: Streamed) -> None:
    text = Path("base.csv").read_text()
    Path("other.csv").write_text(text.replace("id,score", "question,right", 1))
    outscore(
        "gate", "accept", "other.csv", "-m", "accuracy", "--id", "question", "--score", "right", "-o", "store.json"
    )
    run = streamed(
        *("gate", "store.json", "-", "--margin", "0.1", "--sequential", "-q"),
        text=text.replace("id,score", "question,right", 1),
    )
    assert (run.status, run.out[:6]) == (0, "Passed")


def test_a_baseline_is_one_system(outscore: Runner) -> None:
    logs = str(Path(__file__).parents[2] / "examples/logs/lm-eval")
    run = outscore("gate", "order", logs, "-m", "exact_match,strict-match", "--task", "sums")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "expected one system, got 2" in run.err
