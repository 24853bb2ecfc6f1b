"""What a verdict is said to mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outscore.reports.documents.comparisons import left_out
from outscore.results import Alternative, Claim, Comparison, ComparisonResult, Verdict
from tests.reports.kit import explain_independence, explain_verdict, null_hypothesis, plain


@pytest.fixture
def comparison(results: dict[str, ComparisonResult]) -> Comparison:
    return results["one_exact"].comparisons[0]


def asking(c: Comparison, alternative: Alternative, **fields: object) -> Comparison:
    tests = tuple(replace(test, alternative=alternative) for test in c.tests)
    return replace(c, tests=tests, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("alternative", "fields", "meaning"),
    [
        (Alternative.GREATER, {}, "The test rejects a gain of 0 or less at α = 0.05."),
        (Alternative.LESS, {"verdict": Verdict.WORSE}, "The test rejects a gain of 0 or more at α = 0.05."),
        (
            Alternative.TWO_SIDED,
            {},
            "The test rejects a gain of 0 at α = 0.05.",
        ),
        (
            Alternative.TWO_SIDED,
            {"verdict": Verdict.WORSE, "gain": -0.02},
            "The test rejects a gain of 0 at α = 0.05.",
        ),
        (
            Alternative.GREATER,
            {"verdict": Verdict.NOT_WORSE, "claim": Claim.NOT_WORSE, "margin": 0.005},
            "The test rejects a loss of 0.5 points or more at α = 0.05. Superiority was not tested.",
        ),
        (
            Alternative.LESS,
            {"verdict": Verdict.EQUIVALENT, "claim": Claim.EQUIVALENT, "margin": 0.1, "alpha": 0.001},
            "The test rejects a gain or loss of 10.0 points or more at α = 0.001.",
        ),
        (
            Alternative.GREATER,
            {"verdict": Verdict.INCONCLUSIVE},
            "The test does not reject a gain of 0 or less at α = 0.05. This does not show that the systems are equal.",
        ),
        (
            Alternative.GREATER,
            {"verdict": Verdict.INCONCLUSIVE, "gain": -0.02},
            "The test does not reject a gain of 0 or less at α = 0.05. "
            "This does not show that the systems are equal. "
            "The candidate did worse here, but this one-sided test only detects improvements.",
        ),
        (
            Alternative.GREATER,
            {"verdict": Verdict.INCONCLUSIVE, "claim": Claim.NOT_WORSE, "margin": 0.01},
            "The test does not reject a loss of 1.0 points or more at α = 0.05. "
            "This does not show that the systems are equal or that they differ.",
        ),
    ],
)
def test_verdicts_are_explained(
    comparison: Comparison, alternative: Alternative, fields: dict[str, object], meaning: str
) -> None:
    assert explain_verdict(asking(comparison, alternative, **fields)) == meaning


def test_the_correction_is_named_where_it_was_made(results: dict[str, ComparisonResult]) -> None:
    corrected = results["several_with_holm"].comparisons[1]
    assert explain_verdict(corrected).endswith("at α = 0.05 after Holm's correction.")


@pytest.mark.parametrize(
    ("alternative", "claim", "h0"),
    [
        (Alternative.GREATER, Claim.BETTER, "gain ≤ 0"),
        (Alternative.LESS, Claim.BETTER, "gain ≥ 0"),
        (Alternative.TWO_SIDED, Claim.BETTER, "gain = 0"),
        (Alternative.GREATER, Claim.NOT_WORSE, "gain ≤ -1.5"),
        (Alternative.LESS, Claim.EQUIVALENT, "|gain| ≥ 1.5"),
    ],
)
def test_null_hypotheses(comparison: Comparison, alternative: Alternative, claim: Claim, h0: str) -> None:
    margin = None if claim is Claim.BETTER else 0.015
    assert null_hypothesis(replace(comparison, claim=claim, margin=margin), alternative) == h0


def test_independence_overstates_or_understates(results: dict[str, ComparisonResult]) -> None:
    marked = results["assumes_independence"].comparisons[0]
    assert explain_independence(results["one_exact"].comparisons[0]) is None
    negative = replace(marked, correlation=-0.5, tests=tuple(replace(t, inflation=0.8164966) for t in marked.tests))
    said = explain_independence(negative)
    assert said is not None
    assert said.endswith(
        "With a correlation of -0.500 this understates the standard deviation of the gain by a factor of 1.22."
    )
    unknown = explain_independence(replace(marked, correlation=None))
    assert unknown is not None
    assert "a correlation of" not in unknown


def test_tests_left_out_for_one_reason_are_named_together(results: dict[str, ComparisonResult]) -> None:
    assert [plain(fact.text) for fact in left_out(results["assumes_independence"].comparisons[0])] == [
        "two-sample-t, wilcoxon: needs a score for every unit."
    ]
