"""`--emulate sacrebleu`: sacreBLEU's p-values beside the sound ones, and which options it does not go with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from tests.running import Run, Runner

FALSE_ALARM = 1e-5  # of each of the two checks against the real tool
TESTS = ["bootstrap", "randomization", "sacrebleu-bootstrap", "sacrebleu-randomization"]


def by_name(run: Run) -> dict[str, dict[str, Any]]:
    assert run.status == 0, run.err
    [comparison] = json.loads(run.out)["comparisons"]
    return {test["name"]: test for test in comparison["tests"]}


def test_both_stand_side_by_side(outscore: Runner, jansen: tuple[str, str]) -> None:
    found = by_name(outscore("compare", *jansen, "--emulate", "sacrebleu", "--format", "json"))
    assert list(found) == TESTS
    assert [test["emulates"] for test in found.values()] == [None, None, "sacreBLEU", "sacreBLEU"]
    assert {test["alternative"] for test in found.values()} == {"two-sided"}
    assert [test["n_resamples"] for test in found.values()] == [None, None, 1000, 10_000]
    sound = outscore(
        "compare", *jansen, "-t", "bootstrap,randomization", "--alternative", "two-sided", "--format", "json"
    )
    for name, test in by_name(sound).items():
        assert found[name] == test


@pytest.mark.parametrize("format_name", ["text", "markdown", "latex"])
def test_reports_say_why_they_differ(format_name: str, outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, "--emulate", "sacrebleu", "--format", format_name, "--details")
    assert run.status == 0
    text = " ".join(run.out.replace("\\", "").replace("%", "").split())
    assert "centres the bootstrap after taking absolute values. Its type I error rate is 11.2" in text
    assert "The verdict does not use it" in text


def test_quiet_prints_them_too(outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, "--emulate", "sacrebleu", "-q")
    sound, emulated = run.out.splitlines()
    assert "two-sided paired bootstrap test, p = " in sound
    assert emulated.startswith("For comparison only, sacreBLEU's formula gives p = ")
    assert "(sacrebleu-bootstrap, " in emulated
    assert emulated.count(" of 1,000 resamples)") == emulated.count(" of 10,000 resamples)") == 1
    assert len(outscore("compare", *jansen, "-q").out.splitlines()) == 1


@pytest.mark.parametrize("options", [["--cluster", "c.txt"]])
def test_other_units_are_not_what_it_does(options: Sequence[str], outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, "--emulate", "sacrebleu", *options)
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert f"got {' '.join(options)}. Omit {options[0]}" in run.err
    assert "[emulate-other-units]" in run.err


def test_nothing_is_corrected_that_sacrebleu_does_not_correct(outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, jansen[0], "--emulate", "sacrebleu", "--format", "markdown")
    lines = [line for line in run.out.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    head = next(row for row in rows if "p (Holm)" in row and "H0" in row)
    place = head.index("p (Holm)")
    tests = [row for row in rows if len(row) == len(head) and "bootstrap" in row[2]]
    assert {row[2]: bool(row[place]) for row in tests} == {"bootstrap": True, "sacrebleu-bootstrap ‡": False}


def test_identical_systems(outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", jansen[0], jansen[0], "--emulate", "sacrebleu", "--format", "json")
    assert [test["p_value"] for test in by_name(run).values()] == [1.0, 1.0, 1 / 1001, 1 / 10_001]
    assert json.loads(run.out)["comparisons"][0]["verdict"] == "inconclusive"


def test_the_real_tool_prints_the_same_within_sampling_error(
    outscore: Runner, data: Callable[[str], Path], tmp_path: Path
) -> None:
    pair_of = pytest.importorskip("sacrebleu.significance").PairedTest
    metrics = pytest.importorskip("sacrebleu.metrics")
    folder = data("mt-wmt21-de-en")
    paths = {"ref": folder / "ref.A.en.txt"} | {
        name: folder / "systems" / f"{name}.txt" for name in ("Borderline", "Online-B")
    }
    texts = {name: path.read_text("utf-8").split("\n")[:120] for name, path in paths.items()}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    reference = texts.pop("ref")
    files = [f"{name}.txt" for name in texts]
    run = outscore("compare", "-m", "bleu", "-r", "ref.txt", *files, "--emulate", "sacrebleu", "--format", "json")
    found = by_name(run)
    for kind, name, r in (("bs", "sacrebleu-bootstrap", 1000), ("ar", "sacrebleu-randomization", 10_000)):
        _, theirs = pair_of(list(texts.items()), {"bleu": metrics.BLEU()}, [reference], kind)()
        c = round(theirs["BLEU"][1].p_value * (r + 1)) - 1
        ours = found[name]["n_exceeding"]
        assert 0 < c < r
        assert found[name]["n_resamples"] == r
        assert fisher_exact(np.array([[c, r - c], [ours, r - ours]])).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        (["-t", "randomization"], "emulate-with-test"),
        (["--alternative", "greater"], "emulate-one-sided"),
        (["--alternative", "less"], "emulate-one-sided"),
        (["--claim", "not-worse", "--margin", "0.1"], "emulate-with-claim"),
    ],
)
def test_what_contradicts_it_is_refused(
    options: Sequence[str], slug: str, outscore: Runner, jansen: tuple[str, str]
) -> None:
    run = outscore("compare", *jansen, "--emulate", "sacrebleu", *options)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("--emulate sacrebleu: ")
    assert run.err.endswith(f"[{slug}]\n")
    assert run.err.count("\n") == 1


def test_two_sided_may_be_said(outscore: Runner, jansen: tuple[str, str]) -> None:
    options = ["--emulate", "sacrebleu", "--format", "json"]
    assert by_name(outscore("compare", *jansen, *options, "--alternative", "two-sided")) == by_name(
        outscore("compare", *jansen, *options)
    )


def test_an_unknown_tool_is_refused(outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, "--emulate", "multeval")
    assert run.status == 2
    assert run.err.count("\n") == 1


@pytest.mark.parametrize("name", TESTS[2:])
def test_named_as_a_test_it_comes_after_a_sound_one(name: str, outscore: Runner, jansen: tuple[str, str]) -> None:
    run = outscore("compare", *jansen, "-t", name)
    assert run.status == 2
    assert "cannot give the verdict" in run.err
    assert run.err.endswith("[emulation-first]\n")
    assert run.err.count("\n") == 1
    run = outscore("compare", *jansen, "-t", "randomization", "-t", name, "--format", "json")
    assert list(by_name(run)) == ["randomization", name]
