"""What an inconclusive verdict says about the next step, and about the paired bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import outscore
from outscore.results import Comparison, ComparisonResult, Verdict


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
    assert "80% power on some 21 to 38 items like these." in text  # the exact test needs 21 if a third are wins
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
    assert "on about 4,800 items like these (3,800 more)." in text_of(c)
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
    assert "With 80% power, 420 items like these show only a true gain of about" in text_of(c)


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
