"""What `--help` says: groups of options, examples that run; and shells that complete."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import outscore as outscore_package
from tests.cli.kit import COMMON, EXAMPLES, group_of, help_of, options_of
from tests.logs.made import lm_eval_log
from tests.running import Runner

ROOT = Path(__file__).resolve().parent.parent.parent
EVAL = {"version": 2, "status": "success", "eval": {"task": "sums", "model": "m", "dataset": {}}, "plan": {}}
TRAINER = "#!/bin/sh\nprintf '1\\n0\\n' > \"$2\"\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files that the examples name."""
    rng = np.random.default_rng(0)
    right = (rng.random((2, 400)) < [[0.6], [0.65]]).astype(int)
    for name, answers in zip(("baseline", "candidate"), right, strict=True):
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in answers))
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "dogs", "bark", "at", "night", "in", "town"])
    reference = [" ".join(rng.choice(words, 12)) for _ in range(60)]
    outputs = {"reference": reference}
    for name, share in (("old", 0.3), ("new", 0.2)):
        outputs[name] = [
            " ".join(rng.choice(words) if rng.random() < share else word for word in line.split()) for line in reference
        ]
    for name, lines in outputs.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    shutil.copytree(ROOT / "examples" / "meta", tmp_path, dirs_exist_ok=True)
    scored = [
        f"{system},{i},{rng.integers(4)},{rng.random():.2f},{rng.random():.2f}" for system in "ab" for i in range(30)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["system,item,human,comet,bleu", *scored]) + "\n")
    for name in ("board.toml", "correct.tsv"):
        shutil.copy(ROOT / "examples" / "cruxeval" / name, tmp_path)
    for name in ("human/esa.csv", "judges/verdicts.csv", "judges/ratings.csv"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    lines = (tmp_path / "correct.tsv").read_text().splitlines()
    (tmp_path / "half.tsv").write_text("\n".join(lines[:401]) + "\n")
    (tmp_path / "other.toml").write_text((tmp_path / "board.toml").read_text().replace("correct.tsv", "half.tsv"))
    cells = [
        f"{system},q{i},{run},{rng.normal(gain, 0.3):.3f}"
        for system, gain in (("base", 0.5), ("new", 0.6))
        for i in range(40)
        for run in range(4)
    ]
    (tmp_path / "pilot.csv").write_text("\n".join(["system,item,seed,score", *cells]) + "\n")
    (tmp_path / "domains.txt").write_text("news\nweb\n" * 400)
    for name, acc in (("base", right[0]), ("new", right[1])):
        lm_eval_log(tmp_path / "results" / name, name, {"acc": acc.tolist()})
        log = EVAL | {
            "samples": [{"id": i, "epoch": 1, "scores": {"exact": {"value": int(x)}}} for i, x in enumerate(acc)]
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    places = np.arange(600)
    for name, wrong in (("old", places % 5 == 0), ("new", (places % 5 == 0) ^ (places < 7))):
        lines = [f"q{place},{int(not bad)}" for place, bad in zip(places, wrong.tolist(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,score", *lines]) + "\n")
    first = {f"q{place}": int((place % 5 != 0) ^ (place < 2)) for place in places.tolist()}
    outscore_package.gate_accept(first, tmp_path / "store.json", metric="accuracy")
    for name in ("train.txt", "x.txt"):
        (tmp_path / name).write_text("".join(f"line {i}\n" for i in range(40)))
    (tmp_path / "fit.sh").write_text(TRAINER)
    (tmp_path / "fit.sh").chmod(0o755)
    return tmp_path


def commands() -> list[str]:
    lines = [line for examples in EXAMPLES.values() for _, line in examples]
    assert max(map(len, lines)) <= 76, "a terminal of 80 columns would break it"
    return lines


def not_on_pages() -> list[str]:
    """Return the examples that no page shows with their output: tests/test_documentation.py runs the others."""
    pages = (ROOT / "docs").rglob("*.md")
    shown = {line.removeprefix("$ ") for page in pages for line in page.read_text(encoding="utf-8").splitlines()}
    return [line for line in dict.fromkeys(commands()) if line not in shown and "completion" not in line]


@pytest.mark.parametrize("line", not_on_pages())
def test_examples_of_the_help_run(outscore: Runner, files: Path, line: str) -> None:
    name, *arguments = shlex.split(line)
    run = outscore(*arguments)
    assert (name, run.status, "Traceback" in run.err) == ("outscore", 0, False), run.err


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_command_has_two_examples_and_shows_them(outscore: Runner, command: str) -> None:
    assert len(EXAMPLES[command]) == 2
    for option in ("--help", "--help-all", "-h"):
        run = outscore(*command.split(), option)
        assert run.status == 0
        assert all(f"  # {what}\n  {line}\n" in run.out for what, line in EXAMPLES[command])
    assert all(f"$ outscore {command}".rstrip() in f"$ {line}" for _, line in EXAMPLES[command])


def test_every_command_of_the_program_has_examples() -> None:
    def named(*names: str) -> Sequence[str]:
        return [name for _, name, _ in help_of(names).commands]

    found = [*named(), *(f"{of} {name}" for of in ("gate", "plan", "study") for name in named(of))]
    assert sorted(found) == sorted(command for command in EXAMPLES if command and not command.startswith("-"))


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_fits_a_screen(outscore: Runner, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = outscore(*command.split(), "--help").out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    options = [line for line in lines if line.startswith("  -")]
    assert all(len(line) > 26 and line[25] == " " and line[26] != " " for line in options), "a description beside each"


@pytest.mark.parametrize("command", COMMON)
def test_common_options_are_options(command: str) -> None:
    assert {f"--{name}" for name in COMMON[command].split()} <= {*options_of(command)}


@pytest.mark.parametrize("group", ["plan", "study"])
def test_a_command_of_commands_shows_its_help(outscore: Runner, group: str) -> None:
    assert outscore(group) == outscore(group, "--help")


def test_an_unknown_command_has_no_help(outscore: Runner) -> None:
    run = outscore("comapre", "--help")
    assert (run.status, run.out) == (2, "")
    assert 'Did you mean "compare"?' in run.err
    assert outscore("plan", "powre", "--help").status == 2


@pytest.mark.parametrize("command", [command for command in EXAMPLES if command not in ("", "plan", "study")])
def test_all_options_are_in_groups_and_described(command: str) -> None:
    options = help_of(command.split()).options
    assert options
    assert all(said for _, _, said in options)
    assert not [called for group, called, _ in options if group == "Other options"], "it belongs into outscore.options"


@pytest.mark.parametrize("command", ["compare", "rank", "gate", "plan runs"])
def test_all_options_are_listed_by_help_all(outscore: Runner, command: str) -> None:
    options = help_of(command.split()).options
    everything = outscore(*command.split(), "--help-all").out
    assert all(f"\n  {called}" in everything for _, called, _ in options)
    assert f"{command} --help-all lists all {len(options)} options." in outscore(*command.split(), "--help").out


def test_groups_know_options_by_their_names() -> None:
    assert group_of("n-resamples") == "Tests and resampling"
    assert group_of("never-heard-of") == "Other options"


LOADED_BY = {
    "bash": ("bash-completion/completions/outscore", ".bashrc"),
    "zsh": (".zsh/completions/_cyclopts_outscore", ".zshrc"),
    "fish": (".config/fish/completions/outscore.fish", None),
}


@pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix")
@pytest.mark.parametrize("shell", LOADED_BY)
def test_completion_is_written_where_the_shell_looks(
    outscore: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ZSH", "ZSH_CUSTOM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    run = outscore("--install-completion", "--shell", shell)
    assert (run.status, run.err) == (0, "")
    end, startup = LOADED_BY[shell]
    [script] = [path for path in tmp_path.rglob("*outscore*") if str(path).endswith(end)]
    assert str(script) in run.out
    text = script.read_text(encoding="utf-8")
    assert all(word in text for word in ("compare", "transfer", "n-resamples", "max-t"))
    if startup is not None:
        once = (tmp_path / startup).read_text()
        assert str(script.parent) in once
        if shell == "bash":
            outscore("--install-completion", "--shell", shell)
            assert (tmp_path / startup).read_text() == once
    if program := shutil.which(shell):
        assert subprocess.run([program, "-n", str(script)], check=False).returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash")
def test_bash_completes_commands_and_options(outscore: Runner, tmp_path: Path) -> None:
    outscore("--install-completion", "--shell", "bash", "-o", "script.bash")
    assert [path.name for path in tmp_path.iterdir()] == ["script.bash"]

    def completed(*words: str) -> set[str]:
        line = " ".join(shlex.quote(word) for word in words)
        program = (
            f". ./script.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
            '_outscore; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
        return set(done.stdout.split())

    assert {"compare", "replicate", "study"} <= completed("outscore", "")
    assert completed("outscore", "study", "tr") == {"transfer"}
    assert "--margin" in completed("outscore", "compare", "--m")


def test_completion_says_in_a_line_why_not(outscore: Runner) -> None:
    run = outscore("--install-completion", "--shell", "tcsh")
    assert run.status == 2
    assert run.err.endswith("[usage]\n")
    Path("file").touch()
    run = outscore("--install-completion", "--shell", "bash", "-o", "file/x")
    assert run.err.endswith("Pass another file with -o. [cannot-write]\n")
