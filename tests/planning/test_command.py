"""`outscore plan`: the commands, what they refuse, and where they write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from outscore import pilot, plan_gain
from tests.running import Runner

ROOT = Path(__file__).resolve().parent.parent.parent
PILOT = [str(ROOT / "examples" / "wnut17" / name) for name in ("spinningbytes.tsv", "uh-ritual.tsv")]


def test_jansens_table_as_json(outscore: Runner) -> None:
    jansens = ("--test", "bootstrap-uncentred", "--alternative", "greater")
    run = outscore("plan", "table", "--items", "100", "--gain", "2%", "--format", "json", *jansens)
    found = json.loads(run.out)
    assert (run.status, run.err) == (0, "")
    assert found["schema"] == "outscore/plan-table/1"
    assert [row["hurt_percent"] for row in found["rows"]] == list(range(20))
    assert set(found["rows"][0]) == {"items", "gain", "hurt_percent", "helped", "hurt", "p_value"}
    assert found["rows"][0]["p_value"] == pytest.approx(0.132619555894753, rel=1e-12)
    assert found["limits"] == [{"items": 100, "gain": 2.0, "gained": 2, "hurt": None, "p_value": None, "possible": 49}]
    default = json.loads(outscore("plan", "table", "--items", "100", "--gain", "0.02", "--format", "json").out)
    assert (default["test"], default["alternative"]) == ("randomization", "two-sided")
    assert default["rows"][0]["p_value"] == 0.5


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


def test_two_scores_that_are_no_accuracies_or_the_same_have_no_command(outscore: Runner) -> None:
    for scores in (("92", "92"), ("120", "340")):
        assert "one published accuracy over another, see outscore plan table. [" in outscore("compare", *scores).err


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


def test_equal_systems_are_planned_for_with_a_margin(outscore: Runner) -> None:
    asked = ("plan", "items", "--claim", "not-worse", "--margin", "2%", "--hurt", "5%", "--format", "json")
    by_rates, by_hurt = (json.loads(outscore(*asked, *options).out) for options in (["--helped", "5%"], []))
    assert by_rates["rows"] == by_hurt["rows"]
    run = outscore("plan", "items", "--helped", "5%", "--hurt", "5%")
    assert (run.status, run.out) == (2, "")
    assert "pass --claim not-worse or --claim equivalent. [no-gain]" in run.err


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


def test_a_pilot_from_python_is_planned_with_alike(outscore: Runner) -> None:
    options = ("-m", "f1", "--items", "500", "--n-sets", "500", "--seed", "7", "-t", "randomization")
    [found] = json.loads(outscore("plan", "gain", *PILOT, *options, "--format", "json").out)["rows"]
    row = plan_gain(pilot(*PILOT, metric="f1", n_sets=500, seed=7), 500, tests="randomization").rows[0]
    assert (found["gain"], found["power"]) == (row.gain, row.power.value)


def test_a_pilot_with_clusters_and_checks(outscore: Runner, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{i},{i // 4},{rng.normal():.3f},{rng.normal(0.1):.3f}" for i in range(200)]
    (tmp_path / "s.csv").write_text("\n".join(["item,document,a,b", *lines]) + "\n")
    options = ("--items", "120", "--gain", "0.3", "--n-sets", "256", "--checks", "5", "-t", "sign")
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", *options, "--cluster", "document", "--format", "json")
    row = json.loads(run.out)["rows"][0]
    assert (row["units"], row["n_sets"], row["check"]["n_sets"]) == (30, 256, 5)
    assert "in 50 clusters" in json.loads(run.out)["basis"]


def test_observed_power_is_explained_instead(outscore: Runner) -> None:
    run = outscore("plan", "power", *PILOT, "-m", "f1", "--items", "1287", "--observed")
    assert (run.status, run.out) == (2, "")
    assert "Hoenig & Heisey 2001" in run.err
    assert "[observed-power]" in run.err
    compared = json.loads(outscore("compare", *PILOT, "-m", "f1", "--format", "json", "--n-resamples", "100").out)
    gain = compared["comparisons"][0]["gain"]
    run = outscore("plan", "power", *PILOT, "-m", "f1", "--items", "1287", "--gain", f"{gain:.6f}")
    assert "[observed-power]" in run.err
    run = outscore("plan", "power", *PILOT, "-m", "f1", "--items", "1287")
    assert "[missing-gain]" in run.err
    assert "no substitute" in run.err


def test_per_cent_are_of_metrics_that_are_shares(outscore: Runner, tmp_path: Path) -> None:
    lines = [f"{i},{i % 7},{(3 * i) % 11}" for i in range(60)]
    (tmp_path / "s.csv").write_text("\n".join(["item,a,b", *lines]) + "\n")
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", "--items", "120", "--gain", "1%")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("--gain: mean is not a proportion")
    assert "For scores of 0 or 1, use the metric accuracy. [no-share]" in run.err
    run = outscore("plan", "power", "s.csv:a", "s.csv:b", "--items", "120", "--gain", "1", "-t", "sign")
    assert run.status == 0


def test_many_sizes_stand_in_tables_that_fit_a_page(outscore: Runner) -> None:
    sizes = [100, 200, 300, 500, 700, 1000, 2000, 3000, 5000, 7000, 10000, 20000]
    for gain in ("2%", "1%,2%,3%,4%,5%,6%,7%,8%,9%"):
        run = outscore("plan", "table", "--items", ",".join(map(str, sizes)), "--gain", gain, "--hurt-percent", "0,5")
        lines = run.out.splitlines()
        assert max(map(len, [line for line in lines if not line.startswith("signature")])) <= 80
        assert [size for size in sizes if f"{size:,} items" not in " ".join(run.out.split())] == []
    parts = [line for line in lines if line.startswith("100 items")]
    assert parts == ["100 items, part 1 of 2", "100 items, part 2 of 2"]


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["power", "--hurt", "60%", "--helped", "50%", "--items", "9"], "rates-above-1"),
        (["power", "--hurt", "4%", "--gain", "2", "--items", "9"], "not-a-share"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "1"], "out-of-range"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "many"], "not-whole"),
        (["power", "--hurt", "4%", "--gain", "much", "--items", "9"], "not-a-number"),
        (["power", "--hurt", "4%", "--gain", "inf", "--items", "9"], "not-a-number"),
        (["power", "--hurt", "4%", "--items", "9"], "missing-gain"),
        (["power", "--hurt", "4%", "--helped", "9%", "--gain", "2%", "--items", "9"], "usage"),
        (["power", "--helped", "9%", "--items", "9"], "usage"),
        (["power", "--hurt", "4%", "--sd", "1", "--gain", "2%", "--items", "9"], "usage"),
        (["power", "--gain", "2%", "--items", "9"], "usage"),
        (["power", "one.txt", "--gain", "2%", "--items", "9"], "usage"),
        (["power", "one.txt", "two.txt", "--gain", "2%", "--items", "9"], "cannot-read"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "-t", "chi-squared"], "not-applicable"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "-t", "bootstrp"], "unknown-test"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "--alpha", "2"], "out-of-range"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "--comparisons", "0"], "out-of-range"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "--chart", "x.gif"], "chart-format"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "-o", "no/such/file"], "cannot-write"),
        (["power", *PILOT, "-m", "f1", "--gain", "2%", "--items", "99", "--n-sets", "3"], "out-of-range"),
        (["power", *PILOT, "-m", "f1", "--gain", "2%", "--items", "99", "--jobs", "0"], "out-of-range"),
        (["power", *PILOT, "-m", "f1", "--gain", "2%", "--items", "99", "-t", "sign"], "not-applicable"),
        (["power", "--hurt", "60%", "--gain", "50%", "--items", "9"], "no-gain"),
        (["power", "--sd", "0.4", "--gain", "5%", "--items", "9"], "no-share"),
        (["power", "--hurt", "4%", "--gain", "2%", "--items", "9", "-o", "x.pdf"], "unknown-format"),
        (["table", "--items", "100", "--gain", "2%", "-o", "x.html"], "unknown-format"),
        (["gain", "--hurt", "4%", "--helped", "9%", "--items", "99"], "usage"),
        (["gain", "--hurt", "4%", "--items", "99", "--power", "1.5"], "out-of-range"),
        (["items", "--hurt", "4%", "--gain", "0.000001"], "impossible-gain"),
        (["table", "--items", "100", "--gain", "0.02%"], "impossible-gain"),
        (["table", "--items", "100", "--gain", "2%", "--test", "two-sample-t"], "not-applicable"),
        (["table", "--items", "100"], "usage"),
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


def test_an_environment_seed_is_no_option_given(outscore: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSCORE_SEED", "7")
    assert outscore("plan", "power", "--hurt", "5%", "--gain", "2%", "--items", "100").status == 0


def test_rounding_noise_is_no_type_m_error(outscore: Runner) -> None:
    run = outscore("plan", "power", "--hurt", "5%", "--gain", "20%", "--items", "1000")
    assert "0.9999" not in run.out
    assert " 1.00 " in run.out


def test_the_format_named_wins_over_the_file(outscore: Runner) -> None:
    run = outscore("plan", "table", "--items", "100", "--gain", "2%", "-o", "x.out", "--format", "json")
    assert (run.status, run.err) == (0, "")
    assert json.loads(Path("x.out").read_text())["alpha"] == 0.05


def test_a_chart_is_written_beside_the_answer(outscore: Runner) -> None:
    pytest.importorskip("altair", reason="charts need the extra [plots]")
    run = outscore("plan", "table", "--items", "100,500", "--gain", "2%", "--chart", "t.svg")
    assert run.status == 0
    assert "100 items" in run.out
    assert Path("t.svg").read_text().startswith("<svg")
    run = outscore("plan", "power", "--hurt", "5%", "--gain", "99%", "--items", "100", "--chart", "none.svg")
    assert run.status == 2
    assert sorted(path.name for path in Path().iterdir()) == ["t.svg"]


@pytest.mark.parametrize("command", [[], ["table"], ["power"], ["gain"], ["items"]])
def test_help_of_every_command(command: list[str], outscore: Runner) -> None:
    run = outscore("plan", *command, "--help")
    assert run.status == 0
    assert "Usage: outscore plan" in run.out


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
