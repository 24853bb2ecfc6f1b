"""Randomization by response (Yeh 2000): the same algebra on finer rows, from the files that people have."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outscore
from outscore import Rows
from outscore.cli import main
from outscore.results import Alternative, Method
from outscore.significance import Resampling
from outscore.significance.by_response import RandomizationByResponse, response_pair
from tests.kit import Settings, compare_scores, output_metric
from tests.scored import scored

# Yeh 2000, section 3.3: of 103 relations 19 found by both, 28 by I only, 6 by II only; spurious 5, 43 and 9.
FOUND = [("gold", both) for both in [(1, 1)] * 19 + [(1, 0)] * 28 + [(0, 1)] * 6 + [(0, 0)] * 50]
SPURIOUS = [("none", both) for both in [(1, 1)] * 5 + [(1, 0)] * 43 + [(0, 1)] * 9]
SENTENCE = 8


@pytest.fixture
def yeh(tmp_path: Path) -> tuple[str, str, str]:
    """Write the gold relations and those of the methods II and I, as spans of one token, in CoNLL columns."""
    tokens = FOUND + SPURIOUS
    order = np.random.default_rng(1).permutation(len(tokens))
    shuffled = [tokens[i] for i in order]
    names = []
    for name in ("gold", "two", "one"):
        lines = []
        for i, (kind, (by_one, by_two)) in enumerate(shuffled):
            answered = {"gold": kind == "gold", "two": by_two, "one": by_one}[name]
            lines.append(f"w{i} {'B-R' if answered else 'O'}")
            if i % SENTENCE == SENTENCE - 1:
                lines.append("")
        path = tmp_path / f"{name}.conll"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        names.append(str(path))
    return names[0], names[1], names[2]


def json_comparison(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    with pytest.raises(SystemExit) as status:
        main(["compare", *arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert status.value.code == 0, captured.err
    found = json.loads(captured.out)["comparisons"][0]
    assert isinstance(found, dict)
    return found


def json_tests(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """Return the tests of a gain, as Yeh's are one-sided."""
    found = json_comparison(capsys, *arguments, "--alternative", "greater")["tests"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("metric", "one_over_two", "expected"),
    [
        # Of 2²⁰ shuffles, exactly; tests/test_papers.py derives them from binomial coefficients.
        ("span-recall", True, 102.302),
        ("span-f1", True, 15493.429),
        ("span-precision", False, 20965.532),
    ],
)
def test_yehs_example_from_three_files(
    yeh: tuple[str, str, str], metric: str, one_over_two: bool, expected: float, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, two, one = yeh
    systems = (two, one) if one_over_two else (one, two)
    test = json_tests(capsys, "-m", metric, "-r", gold, *systems, "-t", "randomization-by-response")[0]
    assert test["name"] == "randomization-by-response"
    assert test["exact"]
    assert test["p_value"] * 2**20 == pytest.approx(expected, abs=2e-3)
    assert "|n:86|unit:response|" in test["signature"]
    assert (test["unit"], test["n_units"]) == ("response", 86)


def test_it_gives_no_verdict(yeh: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    gold, two, one = yeh
    given = ["-m", "span-recall", "-r", gold, two, one]
    for tests in ("skew-t,randomization-by-response", "randomization-by-response,skew-t"):
        comparison = json_comparison(capsys, *given, "-t", tests)
        found = {test["name"]: test for test in comparison["tests"]}
        of_items, by_response = found["skew-t"], found["randomization-by-response"]
        assert (of_items["unit"], of_items["n_units"]) == ("item", 20)
        assert (by_response["unit"], by_response["n_units"]) == ("response", 86)
        assert by_response["p_value"] < 0.05
        is_first = tests.startswith("randomization")
        assert comparison["verdict"] == ("better" if of_items["p_value"] <= 0.05 and not is_first else "inconclusive")
        [caveat] = [warning for warning in comparison["warnings"] if "46.3% at a nominal 5%" in warning]
        assert caveat.endswith("So it gives no verdict.")


def test_all_tests_do_not_include_it(yeh: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    gold, two, one = yeh
    comparison = json_comparison(capsys, "-m", "span-recall", "-r", gold, two, one, "-t", "all")
    assert {test["unit"] for test in comparison["tests"]} == {"item"}
    assert not any("46.3%" in warning for warning in comparison["warnings"])


def test_sampling_and_the_bootstrap_beside_it(yeh: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    gold, two, one = yeh
    given = ["-m", "span-f1", "-r", gold, two, one, "-t", "bootstrap,randomization-by-response"]
    bootstrap, sampled = json_tests(capsys, *given, "--method", "monte-carlo", "--n-resamples", "1e5")
    # 5 standard errors: false alarms 6e-7, and the seed is fixed.
    p, r = 15493.429 / 2**20, sampled["n_resamples"]
    assert abs(sampled["p_value"] - p) < 5 * (p * (1 - p) / r) ** 0.5
    assert bootstrap["unit"] == "item"
    assert bootstrap["n_units"] == 20
    (by_item,) = json_tests(capsys, "-m", "span-f1", "-r", gold, two, one, "-t", "randomization")
    assert by_item["unit"] == "item"
    assert by_item["p_value"] != pytest.approx(p, rel=1e-3)


def test_every_response_is_swapped_by_itself() -> None:
    """Against an enumeration that knows nothing of rows: sets of links, exchanged link by link."""
    metric = output_metric("aer")
    from tests.kit import Alignment, GoldAlignment

    rng = np.random.default_rng(5)
    gold = [GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (1, 2)})) for _ in range(3)]
    systems = [
        [Alignment(frozenset((int(i), int(j)) for i, j in rng.integers(0, 3, (3, 2)))) for _ in gold] for _ in range(2)
    ]
    rows = [
        Rows(
            name,
            metric.rows(links, gold),
            scored=[*zip(links, gold, strict=True)],
        )
        for name, links in zip("ab", systems, strict=True)
    ]
    settings = Settings(
        tests=[RandomizationByResponse()],
        resampling=Resampling(Method.EXACT),
        alternative=Alternative.GREATER,
    )
    test = compare_scores(scored(metric, rows), settings)[0].comparisons[0].tests[0]
    assert test.unit == "response"

    def score(links: list[frozenset[tuple[int, int]]]) -> float:
        found = metric.rows([Alignment(one) for one in links], gold).sum(axis=0)
        return float(metric.score(found))

    own = [[alignment.links for alignment in system] for system in systems]
    differing = [(i, link) for i, (one, other) in enumerate(zip(*own, strict=True)) for link in sorted(one ^ other)]
    assert 5 < len(differing) <= 12
    assert test.n_units == len(differing)
    observed = score(own[0]) - score(own[1])  # lower is better
    reached = 0
    for bits in product([False, True], repeat=len(differing)):
        one, other = ([set(links) for links in side] for side in own)
        for swap, (i, link) in zip(bits, differing, strict=True):
            if swap:
                one[i] ^= {link}
                other[i] ^= {link}
        gain = score([frozenset(x) for x in one]) - score([frozenset(x) for x in other])
        reached += gain >= observed - 1e-12
    assert test.p_value == pytest.approx(reached / 2 ** len(differing), rel=1e-9)


def test_responses_that_count_differently_are_units_too() -> None:
    pair = response_pair(
        output_metric("span-f1"), np.array([1.0, 2, 3]), [{"a": (1, 1, 0), "b": (0, 1, 0)}], [{"a": (0, 1, 0)}]
    )
    assert pair.baseline.tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 3]]
    assert pair.candidate.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 3]]


# Frozen from --unit response of outscore 0.7.0.
@pytest.mark.parametrize(
    ("metric", "method", "p"),
    [
        ("span-f1", "auto", 0.0014132001670077443),
        ("span-f1", "monte-carlo", 0.0006664445184938354),
        ("span-precision", "auto", 0.007481304492102936),
        ("span-recall", "auto", 0.021270751953125),
        ("span-recall", "monte-carlo", 0.02332555814728424),
        ("macro-span-f1", "monte-carlo", 0.009330223258913695),
        ("macro-span-recall", "auto", 0.04165278240586471),
        ("span-f1:type=PER", "auto", 0.0013115294277668),
    ],
)
def test_p_values_are_those_of_the_unit_response(metric: str, method: str, p: float) -> None:
    rng = np.random.default_rng(8)
    kinds = ["O", "O", "O", "B-PER", "B-LOC", "I-PER"]

    def tags() -> list[list[str]]:
        return [[kinds[k] for k in rng.integers(0, 6, 8)] for _ in range(12)]

    def like(gold: list[list[str]], kept: float) -> list[list[str]]:
        answers = []
        for line in gold:
            other, same = [kinds[k] for k in rng.integers(0, 6, 8)], rng.random(8) < kept
            answers.append([g if s else o for g, o, s in zip(line, other, same, strict=True)])
        return answers

    gold = tags()
    one, two = like(gold, 0.6), like(gold, 0.75)
    result = outscore.compare(
        one, two, references=gold, metric=metric, tests="randomization-by-response", method=method, n_resamples=3000
    )
    assert result.p_value == pytest.approx(p, rel=1e-12)


def test_it_needs_outputs_with_responses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("r", "a", "b"):
        (tmp_path / name).write_text("one two\nthree four\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in "rab"]
    with pytest.raises(SystemExit):
        main(["compare", "-m", "wer", "-r", *files, "-t", "randomization-by-response"])
    assert "needs outputs of spans, brackets, dependencies or alignments" in capsys.readouterr().err


def test_it_swaps_single_items(yeh: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, two, one = yeh
    labels = tmp_path / "documents.txt"
    labels.write_text("d1\nd2\n" * 10, encoding="utf-8")
    arguments = ["-m", "span-f1", "-t", "randomization-by-response", "--cluster", str(labels)]
    with pytest.raises(SystemExit) as status:
        main(["compare", "-r", gold, two, one, *arguments])
    assert status.value.code == 2
    assert "single items" in capsys.readouterr().err


def test_the_option_that_it_replaces_is_named(yeh: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    gold, two, one = yeh
    with pytest.raises(SystemExit) as status:
        main(["compare", "-m", "span-f1", "-r", gold, two, one, "--unit", "response"])
    assert status.value.code == 2
    assert "--unit: dropped in version 1.0. Use --test randomization-by-response." in capsys.readouterr().err
    with pytest.raises(TypeError, match='Use tests="randomization-by-response"'):
        outscore.compare([0, 1], [1, 1], unit="response")  # type: ignore[call-overload]
