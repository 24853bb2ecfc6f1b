"""What systems, metrics and margins may be called on the command line."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import numpy as np
import pytest

from tests.running import Runner

NAMES = ("base", "new", "third")


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> None:
    """Three systems right or wrong on 60 items, in a folder, on a board, and in one table."""
    rng = np.random.default_rng(3)
    right = {name: rng.integers(0, 2, 60) for name in NAMES}
    (tmp_path / "runs").mkdir()
    board = ['metrics = ["accuracy"]']
    for name, values in right.items():
        (tmp_path / "runs" / f"{name}.txt").write_text("".join(f"{value}\n" for value in values))
        board.append(f'[[systems]]\nname = "{name}"\nfile = "runs/{name}.txt"')
    (tmp_path / "board.toml").write_text("\n".join(board) + "\n")
    rows = [
        ",".join(["id", *NAMES]),
        *(",".join(map(str, (i, *row))) for i, row in enumerate(zip(*right.values(), strict=True))),
    ]
    (tmp_path / "all.csv").write_text("\n".join(rows) + "\n")


def compared(outscore: Runner, *arguments: str) -> list[tuple[str, str]]:
    run = outscore("compare", *arguments, "--format", "json", "--n-resamples", "100")
    assert run.status == 0, run.err
    found = json.loads(run.out)
    return [(one["baseline"], one["candidate"]) for one in found["comparisons"]]


@pytest.mark.parametrize(
    ("arguments", "pairs"),
    [
        (["runs/base.txt", "runs/new.txt"], [("base", "new")]),
        (["old=runs/base.txt", "best=runs/new.txt"], [("old", "best")]),
        (["runs/base.txt", "runs"], [("base", "new"), ("base", "third")]),
        (["runs/", "--baseline", "new"], [("new", "base"), ("new", "third")]),
        (["runs/base.txt", "runs/new.txt", "--baseline", "runs/new.txt"], [("new", "base")]),
        (["board.toml", "--baseline", "third"], [("third", "base"), ("third", "new")]),
        (["all.csv", "--baseline", "third", "-m", "accuracy"], [("third", "base"), ("third", "new")]),
        (["all.csv:base", "all.csv:new"], [("base", "new")]),
    ],
)
def test_systems_to_compare(outscore: Runner, arguments: list[str], pairs: list[tuple[str, str]]) -> None:
    assert compared(outscore, *arguments) == pairs


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["runs"], r"runs: .*Choose it with --baseline.*\[no-baseline\]"),
        (["board.toml"], r"board.toml: .*\[no-baseline\]"),
        (["board.toml", "--baseline", "bese"], r'unknown system "bese". Did you mean "base"\?'),
        (
            ["runs/base.txt"],
            r"a baseline and at least one candidate, got only runs/base.txt.*\[no-candidate\]",
        ),
        (["board.toml", "runs/base.txt"], r"\[several-boards\]"),
        (["runs/base.txt", "x=gone.txt"], r"gone.txt: cannot read file"),
    ],
)
def test_what_names_no_systems_is_one_line(outscore: Runner, arguments: list[str], says: str) -> None:
    run = outscore("compare", *arguments)
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert re.search(says, run.err)


def test_no_path_stands_in_anything_that_is_written(outscore: Runner, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / "runs" / ("base.txt" if folder == "one" else "new.txt")).rename(tmp_path / folder / "out.txt")
    for form in ("text", "json", "markdown", "latex"):
        run = outscore("compare", "one/out.txt", "two/out.txt", "--format", form, "--report", "page.html")
        assert run.status == 0, run.err
        for written in (run.out, (tmp_path / "page.html").read_text()):
            assert "one/" not in written
            assert "two/" not in written
    assert outscore("compare", "one/out.txt", "two/out.txt", "-q").out.startswith("two scores ")


def test_errors_still_name_the_files(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "runs" / "short.txt").write_text("1\n0\n")
    run = outscore("compare", "runs/base.txt", "brief=runs/short.txt")
    assert run.err.startswith("runs/short.txt: expected 60 items as in runs/base.txt, got 2")


@pytest.mark.parametrize("command", [["compare", "runs", "--baseline", "base"], ["rank", "runs"]])
def test_one_bad_run_stops_nothing_where_it_may_be_skipped(
    outscore: Runner, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "runs" / "bad.txt").write_text("1\nx\n")
    (tmp_path / "runs" / "short.txt").write_text("1\n0\n")
    assert outscore(*command).status == 2
    run = outscore(*command, "--skip-unreadable", "--format", "json", "--n-resamples", "100")
    assert run.status == 0, run.err
    found = json.loads(run.out)
    [warnings] = {tuple(one["warnings"]) for one in found.get("comparisons", [found])}
    assert 'Left out: runs/bad.txt:2: expected a number, got "x".' in warnings
    assert any(text.startswith("Left out: runs/short.txt: expected 60 items") for text in warnings)


def test_the_baseline_cannot_be_skipped(outscore: Runner, tmp_path: Path) -> None:
    (tmp_path / "runs" / "bad.txt").write_text("1\nx\n")
    for arguments in (["runs", "--baseline", "bad"], ["runs/bad.txt", "runs/new.txt", "runs/base.txt"]):
        run = outscore("compare", *arguments, "--skip-unreadable")
        assert run.status == 2
        assert "runs/bad.txt: the baseline cannot be left out" in run.err


def test_every_command_takes_names(outscore: Runner, tmp_path: Path) -> None:
    two = ["a=runs/base.txt", "b=runs/new.txt"]
    ranked = json.loads(outscore("rank", *two, "--format", "json", "--n-resamples", "100").out)
    assert {system["name"] for system in ranked["systems"]} == {"a", "b"}
    planned = outscore("plan", "items", *two, "-m", "accuracy", "--gain", "10%", "--n-sets", "200", "-t", "paired-t")
    assert planned.status == 0, planned.err
    assert outscore("study", "gain", *two, "c=runs/third.txt", "--min-pairs", "1", "--n-resamples", "50").status == 0
    (tmp_path / "ref.txt").write_text("a\nb\nc\n")
    for name in ("x", "y"):
        (tmp_path / f"{name}.txt").write_text(f"a\n{name}\nc\n")
    kept = outscore("rows", "-m", "Accuracy,Exact_Match", "-r", "ref.txt", "one=x.txt", "two=y.txt", "-o", "kept/")
    assert kept.status == 0, kept.err
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        f"{name}.{metric}.npz" for name in ("one", "two") for metric in ("accuracy", "exact-match")
    ]
    assert compared(outscore, "kept/one.accuracy.npz", "kept/two.accuracy.npz") == [("one", "two")]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-m", "accuracy", "F1", "runs/base.txt", "runs/new.txt"], "Write -m accuracy,F1 or -m accuracy -m F1."),
        (
            ["-t", "bootstrap", "ttest", "runs/base.txt", "runs/new.txt"],
            "Write -t bootstrap,ttest or -t bootstrap -t ttest.",
        ),
        (
            ["-m", "bleu", "-r", "refA.txt", "refB.txt", "runs/base.txt", "runs/new.txt"],
            "Write -r refA.txt -r refB.txt, or refB=refB.txt if it is a system.",
        ),
        (
            ["-m", "bleu", "-r", "set.1.en", "set.2.en", "runs/base.txt", "runs/new.txt"],
            "Write -r set.1.en -r set.2.en, or set.2=set.2.en if it is a system.",
        ),
    ],
)
def test_options_of_one_value_given_several_get_the_line_that_helps(
    outscore: Runner, tmp_path: Path, arguments: list[str], line: str
) -> None:
    for name in ("refA.txt", "refB.txt", "set.1.en", "set.2.en"):
        (tmp_path / name).write_text("a\n" * 60)
    run = outscore("compare", *arguments)
    assert (run.status, run.out) == (2, "")
    assert line in run.err


def test_what_is_no_mistake_is_not_refused(outscore: Runner, tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    for name in ("refA.txt", "refB.txt", "0.txt", "1.txt", "2.txt", "3.txt", "bleu"):
        (tmp_path / name).write_text("".join(f"a b c d e {name} {i}\n" for i in range(20)))
    for arguments in (
        ["-r", "refA.txt", "human=refB.txt", "1.txt", "2.txt"],  # said to be a system
        ["-r", "refA.txt", "1.txt", "refB.txt", "2.txt"],  # among the candidates
        ["-r", "refA.txt", "refB.txt", "1.txt"],  # too few for another reading
        ["-r", "0.txt", "1.txt", "2.txt", "3.txt"],  # all files count alike
        ["-r", "refA.txt", "bleu", "1.txt"],  # a file of that name
    ):
        run = outscore("compare", "-m", "chrf", *arguments, "-q", "--n-resamples", "50")
        assert run.status == 0, (arguments, run.err)


def test_margins_of_shares_are_the_same_in_per_cent(outscore: Runner) -> None:
    options = ["runs/base.txt", "runs/new.txt", "-m", "accuracy", "--claim", "not-worse", "--format", "json"]
    found = [outscore("compare", *options, "--margin", margin) for margin in ("5%", "0.05", "5e-2")]
    assert {json.loads(run.out)["comparisons"][0]["margin"] for run in found} == {0.05}
    run = outscore("compare", *options, "--margin", "1")
    assert run.status == 2
    assert "accuracy is a proportion, so 1 is too large. For 1%, write 1% or 0.01" in run.err
    for name in ("one", "other"):
        Path(f"{name}.txt").write_text("0.5\n0.25\n0.75\n")
    run = outscore("compare", "one.txt", "other.txt", "--claim", "not-worse", "--margin", "1%")
    assert "mean is not a proportion" in run.err
    run = outscore(
        "compare", *options[:2], "--claim", "not-worse", "--margin", "1", "-t", "paired-t", "--format", "json"
    )
    assert json.loads(run.out)["comparisons"][0]["margin"] == 1.0


@pytest.mark.parametrize("command", ["compare", "rank", "plan power", "plan items", "study gain"])
def test_errors_of_subcommands_name_their_own_help(outscore: Runner, command: str) -> None:
    run = outscore(*command.split(), "--alpha" if "plan" in command else "--seeed", "x")
    assert run.status == 2
    assert f"'outscore {command} --help'" in run.err


@pytest.fixture
def chinese(tmp_path: Path) -> list[str]:
    """Outputs that differ from references in few characters, in text without blanks, none of it segmented."""
    rng = np.random.default_rng(5)
    letters = "我们今天去北京参观故宫博物院他说中国经济发展迅速学生老师校朋友"
    gold = ["".join(rng.choice(list(letters), 24)) for _ in range(120)]
    (tmp_path / "gold.txt").write_text("\n".join(gold), encoding="utf-8")
    for name, rate in (("s.txt", 0.1), ("t.txt", 0.06)):
        noisy = ["".join("的" if rng.random() < rate else sign for sign in text) for text in gold]
        (tmp_path / name).write_text("\n".join(noisy), encoding="utf-8")
    return ["-r", "gold.txt", "s.txt", "t.txt", "--n-resamples", "50", "--format", "json"]


def test_text_without_blanks_brings_a_warning_that_names_the_option(outscore: Runner, chinese: list[str]) -> None:
    pytest.importorskip("sacrebleu")
    found = json.loads(outscore("compare", "-m", "bleu,chrf,chrf++,ter", *chinese).out)["results"]
    told = {
        result["metric"]["name"]: [text for text in result["comparisons"][0]["warnings"] if "Chinese" in text]
        for result in found
    }
    assert [name for name, texts in told.items() if len(texts) == 1] == ["bleu", "chrf++", "ter"]
    assert told["bleu"][0].endswith("use bleu:tokenize=zh or bleu:tokenize=char.")
    [right] = [json.loads(outscore("compare", "-m", "bleu:tok:zh", *chinese).out)["comparisons"]]
    assert not any("Chinese" in text for text in right[0]["warnings"])
    assert right[0]["baseline_score"] > 60


def test_sacrebleus_own_warnings_name_the_file_once(
    outscore: Runner, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("sacrebleu")
    for name in ("gold", "s", "t"):
        lines = [f"it is {name} number {i} {'of many .' if name == 's' else 'of many.'}" for i in range(120)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    with caplog.at_level(logging.WARNING):
        run = outscore("compare", "-m", "bleu", "-r", "gold.txt", "s.txt", "t.txt", "--n-resamples", "50")
    assert (run.err, caplog.records) == ("", [])
    assert run.out.count("120 outputs end in a space and a full stop") == 1
    assert "s: 120 outputs" in run.out
    quiet = outscore("compare", "-m", "bleu", "-r", "gold.txt", "s.txt", "t.txt", "--n-resamples", "50", "-q")
    assert (quiet.err, quiet.out.count("\n")) == ("", 1)


@pytest.mark.parametrize("baseline", ["one", "two"])
def test_texts_stand_beside_the_system_that_wrote_them(outscore: Runner, tmp_path: Path, baseline: str) -> None:
    for name, said in (("one", "alpha"), ("two", "beta"), ("ref", "gold")):
        (tmp_path / f"{name}.txt").write_text("".join(f"{said} {word}\n" for word in ("cat", "dog", "bird")))
    files = ["one.txt", "two.txt", "-r", "ref.txt", "-m", "chrf", "--baseline", baseline, "--report", "page.html", "-q"]
    assert outscore("compare", *files).status == 0
    page = (tmp_path / "page.html").read_text()
    first, second = ("alpha cat", "beta cat") if baseline == "one" else ("beta cat", "alpha cat")
    assert page.index("gold cat") < page.index(first) < page.index(second)
