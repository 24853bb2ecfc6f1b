"""`outscore plan`: the commands, what they refuse, and where they write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.running import Runner

ROOT = Path(__file__).resolve().parent.parent.parent
PILOT = [str(ROOT / "examples" / "wnut17" / name) for name in ("spinningbytes.tsv", "uh-ritual.tsv")]


@pytest.mark.parametrize(
    ("scores", "gain"),
    [
        (("91.5", "92.1"), "0.6%"),
        (("92.1", "91.5"), "0.6%"),
        (("91.5%", "92.1%"), "0.6%"),
        (("0.915", ".921"), "0.6%"),
        (("0.5%", "1%"), "0.5%"),
        (("91", "93"), "2%"),
    ],
)
def test_two_published_scores_point_to_the_table(outscore: Runner, scores: tuple[str, str], gain: str) -> None:
    run = outscore("compare", *scores)
    assert (run.status, run.out) == (2, "")
    command = f"plan table --items N --gain {gain}"
    said = f"For two published accuracies, run outscore {command}, where N is the number of items."
    assert run.err == f"{scores[0]}: no such file. {said} [cannot-read]\n"
    assert "Significant with 2,000 items: " in outscore(*command.replace("N", "2000").split()).out


def test_power_gain_and_items_agree(outscore: Runner) -> None:
    run = outscore("plan", "gain", "--hurt", "5%", "--items", "500", "-t", "mcnemar", "--format", "json")
    gain = json.loads(run.out)["rows"][0]["gain"]
    run = outscore(
        "plan", "power", "--hurt", "0.05", "--gain", repr(gain), "--items", "500", "-t", "mcnemar", "-o", "p.json"
    )
    assert (run.status, run.out) == (0, "")
    assert json.loads(Path("p.json").read_text())["rows"][0]["power"] == pytest.approx(0.8)
    run = outscore("plan", "items", "--hurt", "5%", "--gain", repr(gain), "-t", "mcnemar", "--format", "json")
    assert json.loads(run.out)["rows"][0]["items"] == 500


def test_helped_and_hurt_tell_the_gain(outscore: Runner) -> None:
    run = outscore("plan", "power", "--helped", "7%", "--hurt", "5%", "--items", "1000", "--format", "json")
    assert json.loads(run.out)["rows"][0]["gain"] == pytest.approx(0.02)
    asked = ("plan", "items", "--helped", "7%", "--hurt", "5%", "-t", "mcnemar", "--format", "json")
    for items, options in ((1940, ["--alternative", "greater"]), (2438, [])):
        assert json.loads(outscore(*asked, *options).out)["rows"][0]["items"] == items


@pytest.mark.parametrize("metric", ["accuracy", "acc"])
def test_rates_may_be_named_accuracy(metric: str, outscore: Runner) -> None:
    asked = ("plan", "gate", "--margin", "2%", "--hurt", "2%")
    assert outscore(*asked, "-m", metric) == outscore(*asked)
    run = outscore(*asked, "-m", "bleu")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("--metric: applies only to a pilot: with --hurt scores are 0 or 1.")


def test_a_gate_is_planned_from_a_pilot_with_9_differing_items(outscore: Runner, tmp_path: Path) -> None:
    for name, lost in (("a", range(100)), ("b", [*range(6, 100), 200, 201, 202])):
        (tmp_path / f"{name}.txt").write_text("".join(f"{int(i not in set(lost))}\n" for i in range(400)))
    run = outscore("plan", "gate", "a.txt", "b.txt", "--margin", "2%", "-m", "accuracy")
    assert run.status == 0
    assert "This plan is imprecise: the systems differ on only 9 of 400 units." in " ".join(run.out.split())


def test_a_pilot_of_f1(outscore: Runner) -> None:
    asked = ("plan", "gain", *PILOT, "-m", "f1", "--items", "500", "--n-sets", "500", "-t", "randomization")
    one_sided = (*asked, "--alternative", "greater")
    run = outscore(*one_sided)
    assert run.status == 0
    gain = re.match(r"500 items detect a true gain of \+(\d\.\d\d) points", run.out)
    assert gain is not None
    assert 5.5 < float(gain[1]) < 7
    assert "points of F1 with about 80% power" in run.out
    assert outscore(*one_sided, "--jobs", "2").out == run.out
    assert outscore(*one_sided, "--seed", "0").out != run.out
    assert outscore(*asked).out != run.out


def test_a_pilot_with_clusters_and_checks(outscore: Runner, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{i},{i // 4},{rng.normal():.3f},{rng.normal(0.1):.3f}" for i in range(200)]
    (tmp_path / "s.csv").write_text("\n".join(["item,document,a,b", *lines]) + "\n")
    options = ("--items", "120", "--gain", "0.3", "--n-sets", "256", "--checks", "5", "-t", "sign")
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", *options, "--cluster", "document", "--format", "json")
    row = json.loads(run.out)["rows"][0]
    assert (row["units"], row["n_sets"], row["check"]["n_sets"]) == (30, 256, 5)
    assert "in 50 clusters" in json.loads(run.out)["basis"]


def test_per_cent_are_of_metrics_that_are_shares(outscore: Runner, tmp_path: Path) -> None:
    lines = [f"{i},{i % 7},{(3 * i) % 11}" for i in range(60)]
    (tmp_path / "s.csv").write_text("\n".join(["item,a,b", *lines]) + "\n")
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", "--items", "120", "--gain", "1%")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("--gain: mean is not a proportion")
    assert "For scores of 0 or 1, use the metric accuracy. [no-share]" in run.err
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", "--items", "120", "--gain", "1", "-t", "sign")
    assert run.status == 0


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["power", *PILOT, "-m", "f1", "--gain", "2%", "--items", "99", "-t", "sign"], "not-applicable"),
        (["power", "--hurt", "60%", "--gain", "50%", "--items", "9"], "no-gain"),
        (["power", "--sd", "0.4", "--gain", "5%", "--items", "9"], "no-share"),
        (["table", "--items", "100", "--gain", "2%", "-o", "x.html"], "unknown-format"),
        (["table", "--items", "100", "--gain", "2%", "--test", "two-sample-t"], "not-applicable"),
        (["tabel", "--items", "100"], "usage"),
    ],
)
def test_what_is_refused_is_refused_in_one_line(arguments: list[str], slug: str, outscore: Runner) -> None:
    run = outscore("plan", *arguments)
    assert (run.status, run.out) == (2, "")
    assert f"[{slug}]" in run.err
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    [
        ["-m", "f1"],
        ["-r", "r.txt"],
        ["--input-format", "conll"],
        ["--lower-is-better"],
        ["--id", "x"],
        ["--score", "x"],
        ["--missing", "drop"],
        ["--cluster", "x"],
        ["--n-sets", "3"],
        ["--checks", "0"],
        ["--seed", "3"],
        ["--jobs", "0"],
    ],
    ids=lambda option: str(option[0]),
)
@pytest.mark.parametrize("basis", [["--hurt", "5%"], ["--sd", "0.4"]], ids=["rates", "sd"])
def test_options_of_a_pilot_are_refused_without_one(basis: list[str], option: list[str], outscore: Runner) -> None:
    run = outscore("plan", "power", *basis, "--gain", "2%", "--items", "100", *option)
    name = {"-m": "--metric", "-r": "--reference"}.get(option[0], option[0])
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith(f"{name}: ")
    assert "[usage]" in run.err


def test_claims_with_a_margin_are_planned_for(outscore: Runner) -> None:
    run = outscore("plan", "items", "--hurt", "5%", "--claim", "not-worse", "--margin", "1%", "--format", "json")
    found = json.loads(run.out)
    assert (found["claim"], found["margin"], found["rows"][0]["items"]) == ("not-worse", 0.01, 6203)
    run = outscore("plan", "power", "--sd", "3", "--claim", "equivalent", "--margin", "0.5", "--items", "1000")
    assert run.out.startswith(
        "With 1,000 items, the skewness-corrected t-test shows that the candidate is\nequivalent, with a margin of 0.5"
    )
    assert "Two one-sided tests" in " ".join(run.out.split())
    for wrong, slug in (
        (["--hurt", "5%", "--claim", "not-worse"], "missing-margin"),
        (["--hurt", "5%", "--gain", "1%", "--margin", "1%"], "usage"),
        (["--sd", "3", "--claim", "not-worse", "--margin", "1%"], "no-share"),
        (["--hurt", "5%", "--claim", "not-worse", "--margin", "1%", "-t", "bootstrap"], "not-applicable"),
    ):
        run = outscore("plan", "items", *wrong)
        assert run.status == 2
        assert run.err.endswith(f"[{slug}]\n")
