"""What an inconclusive verdict says about the next step, and about the paired bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import outscore
from outscore.results import Comparison, ComparisonResult, Verdict
from outscore.words.comparisons import rounded_units


def compared(base: object, new: object, **options: Any) -> Comparison:
    result: ComparisonResult = outscore.compare(base, new, **options)
    return result.comparisons[0]


def binary(wins: int, losses: int, ties: int) -> tuple[list[int], list[int]]:
    return [0] * wins + [1] * losses + [1] * ties, [1] * wins + [0] * losses + [1] * ties


def text_of(c: Comparison, *, details: bool = False) -> str:
    return " ".join(c.to_text(details=details).split())


def test_few_items_that_differ_have_a_range_and_the_bootstrap_rejects_too_often() -> None:
    c = compared(*binary(4, 0, 8))
    assert c.verdict is Verdict.INCONCLUSIVE
    text = text_of(c)
    assert "80% power on some 22 to 56 items like these." in text  # the exact test needs 21 if a third are wins
    assert "bootstrap test would decide differently (p = 0.0265, exact). With only 4 items that differ, it has" in text
    assert "verdict inconclusive. The test does not reject" in text


def test_many_items_that_differ_have_one_number() -> None:
    c = compared(*binary(130, 110, 760))
    assert c.next_step is not None
    assert c.next_step.low == c.next_step.high
    # Connor (1987) with a continuity correction, by hand.
    gain, differing = 0.02, 0.24
    z = 1.959964 * math.sqrt(differing) + 0.841621 * math.sqrt(differing - gain**2)
    assert c.next_step.low == pytest.approx(((z + math.sqrt(z * z + 4 * gain)) / (2 * gain)) ** 2, rel=1e-5)
    assert "on about 4,900 items like these (3,900 more)." in text_of(c)
    assert "bootstrap" not in text_of(c).partition("verdict")[2]  # decides alike


def test_normal_scores_have_the_normal_number() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(size=600)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    c = compared(np.zeros(600).tolist(), (noise + 0.05).tolist())
    assert c.next_step is not None
    assert c.next_step.low == c.next_step.high == pytest.approx(2.8016**2 / 0.05**2, rel=0.01)
    loss = compared((noise + 0.05).tolist(), np.zeros(600).tolist())
    assert loss.next_step is not None
    assert loss.next_step.low == pytest.approx(c.next_step.low, rel=0.01)
    assert "A true loss of this size" in text_of(loss)


def test_tiny_gains_have_the_gain_that_would_be_found() -> None:
    c = compared(*binary(60, 60, 300))
    assert c.next_step is not None
    assert not c.next_step.is_known
    assert "With 80% power, 420 items like these show only a true difference of about" in text_of(c)


def test_margins_speak_of_the_claim() -> None:
    c = compared(*binary(30, 34, 336), claim="not-worse", margin=0.03)
    assert "the claim would be confirmed with 80% power on" in text_of(c)
    both = compared(*binary(32, 32, 336), claim="equivalent", margin=0.03)
    assert both.next_step is not None
    # Both one-sided tests at a gain of 0: power 80% where each has 90%.
    assert both.next_step.low == pytest.approx(0.16 * (1.6449 + 1.2816) ** 2 / 0.03**2, rel=0.5)
    against = compared(*binary(10, 60, 330), claim="not-worse", margin=0.01)
    assert against.next_step is None


@pytest.mark.parametrize("options", [{"tests": "two-sample-t"}, {"tests": "wilcoxon"}])
def test_tests_of_something_else_have_none(options: dict[str, str]) -> None:
    rng = np.random.default_rng(5)
    c = compared(rng.normal(size=80).tolist(), rng.normal(size=80).tolist(), **options)
    assert c.next_step is None


def test_clear_verdicts_and_equal_systems_have_none() -> None:
    assert compared(*binary(60, 20, 300)).next_step is None
    assert compared(*binary(0, 0, 30)).next_step is None


def test_skewness_is_the_reason_if_it_is_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(400):
        differences = np.round(0.35 - rng.exponential(size=60) ** 1.5 / 4, 1)
        c = compared(np.zeros(60).tolist(), differences.tolist())
        if c.contrary is not None:
            assert "items have skewness -" in c.contrary
            assert c.contrary in text_of(c, details=True)
            return
    pytest.fail("no sample in which the tests decide differently")


@pytest.mark.parametrize("n", [50, 800])
def test_unpaired_systems_need_a_multiple_of_their_items(n: int) -> None:
    base, new = np.linspace(0, 1, n), np.linspace(0.02, 1.02, n)
    options: dict[str, Any] = {"unpaired": True, "tests": "welch"}
    result = outscore.compare(base, new, **options)
    times = (2.8016 / 0.02) ** 2 * 2 * base.var(ddof=1) / n
    wanted = [times] if n == 800 else [times * 0.667, times * 1.5]
    [note] = [note for note in result.notes if "80% power" in note]
    said = [float(word) for word in note.partition("power on")[2].split() if word.replace(".", "").isdigit()]
    assert said == pytest.approx(wanted, rel=0.06)


def test_unpaired_systems_without_a_verdict_on_means_have_no_next_step() -> None:
    options: dict[str, Any] = {"unpaired": True, "tests": "brunner-munzel"}
    result = outscore.compare(np.linspace(0, 1, 50), np.linspace(0.1, 1.1, 50), **options)
    assert not any("80% power" in note for note in result.notes)


def test_equivalence_with_new_runs_has_a_step_or_needs_more_runs() -> None:
    kinds = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        items, options = rng.normal(size=(40, 1)), {"runs": "random", "claim": "equivalent", "margin": 0.3}
        old, new = (items + rng.normal(0, 0.4, 3) + rng.normal(0, 0.3, (40, 3)) for _ in range(2))
        c = compared(old, new, **options)
        kinds.add(None if c.next_step is None else c.next_step.is_out_of_reach)
    assert True in kinds


def test_no_gain_is_named_that_no_system_can_have() -> None:
    for n in (1, 3, 30):
        step = compared(*binary(n, n, 0)).next_step
        assert step is None or step.detectable is None or step.detectable < 1


def test_equal_numbers_of_a_table_are_said_once_and_numbers_are_rounded_up() -> None:
    base, new = binary(130, 110, 760)
    result: ComparisonResult = outscore.compare(base, {"one": new, "two": new})
    text = " ".join(result.to_text().split())
    number = result.comparisons[0].next_step
    assert number is not None
    assert f"about {rounded_units(number.high):,} items (one, two)." in text
    assert rounded_units(number.high) >= number.high > 0.9 * rounded_units(number.high)


def test_a_gain_of_new_runs_has_only_a_least_number_of_items() -> None:
    z = norm.ppf((np.arange(200) + 0.5) / 200)
    runs = 0.0289 * np.array([-1.0, 0.0, 1.0])
    c = compared(np.zeros((200, 1)) + runs, (z / z.std() + 0.11)[:, None] + runs, runs="random")
    assert c.next_step is not None
    assert math.isinf(c.next_step.high)
    assert "would be found with 80% power on at least " in text_of(c)  # 1,350 items by simulation
    assert c.next_step.low < 1_350


def test_few_units_have_no_number_and_one_sided_tests_none_of_the_other_side() -> None:
    assert compared([0, 0, 0], [0.4, 1.8, 1.2]).next_step is None
    options: dict[str, Any] = {"unpaired": True, "metric": "accuracy", "alternative": "greater"}
    result = outscore.compare([1] * 320 + [0] * 180, [1] * 300 + [0] * 200, **options)
    assert not any("80% power" in note for note in result.notes)


def test_a_corrected_p_of_1_plans_for_the_whole_family() -> None:
    rng = np.random.default_rng(0)
    base, new = binary(100, 85, 815)
    others = {f"other {k}": rng.permutation(base).tolist() for k in range(19)}
    result: ComparisonResult = outscore.compare(base, {"new": new, **others})
    step = result["new"].next_step
    assert result["new"].test.adjusted_p_value == 1
    assert step is not None
    assert step.low == step.high == pytest.approx(12_400, rel=0.02)  # of the binomial sum at α/20
