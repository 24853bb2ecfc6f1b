"""What the first place, the largest gain and the best of several owe to having been chosen.

The reference has other normal samples, so its values are met up to sampling error, and exactly with its samples.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import outscore
from outscore._types import AnyArray, FloatArray
from outscore.errors import OptionError
from outscore.questions.chosen import FirstPlace, first_place, largest_of, share_of_best
from tests.kit import NormalDraws
from tests.laws.kit import proportion_ends

NORMAL = NormalDist()
TAIL = 0.025
# Six systems on 80 items, one bit per item.
SIX = (
    "df7c9b6b290975d9503e e359fdedfa07ff7b7ec6 e7adaeb23577a3765ef3 67fee7d47cf9cdaedfaa f7bfd3ecdd3f56eccef5 "
    "f7cfefdfbbf9eedbffdb"
)


@dataclass(frozen=True)
class Given:
    """Samples of errors from elsewhere, in place of `NormalDraws`."""

    covariance: FloatArray
    samples: FloatArray
    unit: float = 1.0

    def errors(self, block: int) -> AnyArray:
        half = self.samples.shape[1] // 2
        return np.asarray(self.samples[:, block * half : (block + 1) * half])


DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the evaluation data are not here")


def first(behind: FloatArray, draws: Any) -> FirstPlace:
    return first_place(behind, draws, TAIL)


def quantile(place: FirstPlace, index: int = 0) -> float:
    return -NORMAL.inv_cdf(TAIL * place.shares[index])


def influences_of(right: FloatArray) -> FloatArray:
    n = right.shape[1]
    return np.asarray((right - right.mean(axis=1, keepdims=True)) / n * math.sqrt(n / (n - 1)))


@pytest.mark.parametrize(("gap", "sd"), [(0.0, 1.0), (1.0, 1.0), (0.5, 2.0)])
def test_the_overstatement_of_two_systems_has_a_closed_form(gap: float, sd: float) -> None:
    """Theta phi(gap/theta), theta the standard error of the difference; 4.5 standard errors of 16,384 samples."""
    theta = sd * math.sqrt(2)
    place = first(np.array([0.0, gap]), NormalDraws(sd**2 * np.eye(2), 0))
    assert place.overstatement == pytest.approx(theta * NORMAL.pdf(gap / theta), abs=4.5 * theta / 128)
    assert place.is_notable


def test_twenty_equal_systems_have_the_quantile_and_mean_of_the_largest_of_twenty_normal_numbers() -> None:
    place = first(np.append(0.0, np.full(19, 1e-9)), NormalDraws(np.eye(20), 0))
    assert quantile(place) == pytest.approx(3.0197087, abs=0.08)
    assert place.overstatement == pytest.approx(1.8674751, abs=0.03)


def test_a_clear_winner_has_its_usual_interval() -> None:
    place = first(np.array([0.0, 30.0, 31.0]), NormalDraws(np.eye(3), 0))
    assert (place.overstatement, place.shares, place.is_notable) == (0.0, {0: 1.0}, False)


def test_a_table_has_the_reference_values_on_the_samples_of_the_reference() -> None:
    right = np.array([[float(bit) for bit in f"{int(row, 16):080b}"] for row in SIX.split()])
    influences = influences_of(right)
    samples = np.random.default_rng(0).standard_normal((16_384, 80)) @ influences.T
    scores = right.mean(axis=1)
    best = int(scores.argmax())
    place = first(scores.max() - scores, Given(influences @ influences.T, samples.T))
    count = 80 * scores[best]
    low, _ = proportion_ends(count, 80 - count, TAIL * place.shares[best])
    # The quantile is rounded to 1e-4 standard errors: half of that times the standard error of .043 is 2.2e-6.
    assert low == pytest.approx(0.6751360921460288, abs=3e-6)
    assert scores[best] - place.overstatement == pytest.approx(0.7982910465560046, abs=1e-10)
    ranking = outscore.rank({f"s{k}": row for k, row in enumerate(right)}, metric="accuracy")
    chosen = ranking.systems[0]
    assert chosen.interval_as_chosen is not None
    assert chosen.overstatement is not None
    assert chosen.interval_as_chosen.low == pytest.approx(low, abs=0.003)
    assert chosen.interval_as_chosen.high == pytest.approx(0.8910863118524706, abs=1e-10)
    assert chosen.overstatement == pytest.approx(place.overstatement, abs=0.001)


@needs_data
@pytest.mark.parametrize(
    ("n", "best", "low", "high", "expected", "is_overstated"),
    [
        (800, "o1-preview-2024-09-12", 0.9403699, 0.9714382, 0.9584239, False),
        (100, "o1-mini-2024-09-12", 0.8703550, 0.9889955, 0.9448061, True),
    ],
)
def test_the_first_place_of_cruxeval(
    n: int, best: str, low: float, high: float, expected: float, is_overstated: bool
) -> None:
    names, *lines = (DATA / "llm-cruxeval" / "correct.tsv").read_text(encoding="utf-8").strip().split("\n")
    right = np.array([[float(cell) for cell in line.split("\t")[1:]] for line in lines[:n]])
    ranking = outscore.rank(dict(zip(names.split("\t")[1:], right.T, strict=True)), metric="accuracy")
    chosen = ranking.systems[0]
    assert chosen.name == best
    assert chosen.interval_as_chosen is not None
    assert chosen.overstatement is not None
    assert chosen.interval_as_chosen.low == pytest.approx(low, abs=0.002)
    assert chosen.interval_as_chosen.high == pytest.approx(high, abs=1e-7)
    assert chosen.score - chosen.overstatement == pytest.approx(expected, abs=0.0005)
    assert chosen.is_overstated == is_overstated
    text = " ".join(ranking.to_text().split())
    # Both o1 models have 96 of 100 items right.
    said = "o1-mini-2024-09-12 and o1-preview-2024-09-12 come first by choice among 51: expect about 94.5% on new items"
    assert (said in text) == is_overstated
    assert ("rather than 96.0%" in text) == is_overstated


@needs_data
def test_the_first_place_of_trec_8() -> None:
    names, *lines = (DATA / "ir-trec8-scores" / "adhoc8_ap.csv").read_text(encoding="utf-8").strip().split("\n")
    scores = np.array([[float(cell) for cell in line.split(",")] for line in lines]).T
    influences = influences_of(scores)
    means = scores.mean(axis=1)
    place = first(means.max() - means, NormalDraws(influences @ influences.T, 0))
    assert len(names.split(",")) == len(scores) == 129
    assert means.max() == pytest.approx(0.469244)
    assert quantile(place, int(means.argmax())) == pytest.approx(2.3365518, abs=0.06)
    assert place.overstatement == pytest.approx(0.0036968, abs=0.0004)


def test_the_best_of_twenty() -> None:
    """The reference: 150 of 200 correct."""
    assert proportion_ends(150, 50, TAIL * share_of_best(20, TAIL))[0] == pytest.approx(0.6479079216754413, abs=1e-9)
    result = outscore.score([1] * 150 + [0] * 50, metric="accuracy", best_of=20)
    chosen = result.scores[0]
    assert chosen.interval_as_chosen is not None
    assert chosen.interval_as_chosen.low == pytest.approx(0.6479079216754413, abs=1e-9)
    assert chosen.interval_as_chosen.high == pytest.approx(0.8083928303774125, abs=1e-9)
    assert chosen.overstatement == pytest.approx(0.057322999631236056, abs=1e-9)
    assert "system was chosen as the best of 20: expect 69.3% to 75.0%" in " ".join(result.to_text().split())
    assert json.loads(result.to_json())["best_of"] == 20
    assert result.to_csv().splitlines()[0].endswith("overstatement,interval_as_chosen_low,interval_as_chosen_high")


@pytest.mark.parametrize(("k", "mean"), [(2, 1 / math.sqrt(math.pi)), (3, 1.5 / math.sqrt(math.pi)), (1000, 3.2414358)])
def test_the_mean_of_the_largest_of_normal_numbers(k: int, mean: float) -> None:
    assert largest_of(k) == pytest.approx(mean, abs=1e-7)


def test_equal_systems_miss_the_truth_no_more_often_than_stated() -> None:
    """150 sets of 10 equal systems on 200 items, of which the plain interval misses 15%.

    At a true rate of 5%, more than 16 misses of 150 come in 1 of 500 runs; the seed is fixed.
    """
    rng, truth, misses, plain = np.random.default_rng(5), 0.7, 0, 0
    for _ in range(150):
        common, shared = rng.random(200) < truth, rng.random(200) < 0.5
        right = np.where(shared, common, rng.random((10, 200)) < truth).astype(float)
        means, influences = right.mean(axis=1), influences_of(right)
        place = first(means.max() - means, NormalDraws(influences @ influences.T, 0))
        count = round(200 * means.max())
        share = place.shares[int(means.argmax())]
        misses += not proportion_ends(count, 200 - count, TAIL * share)[0] <= truth
        misses += not proportion_ends(count, 200 - count, TAIL)[1] >= truth
        plain += not proportion_ends(count, 200 - count, TAIL)[0] <= truth
    assert misses <= 7
    assert plain >= 15


def test_a_flawless_winner_is_not_widened_for_its_own_missing_error() -> None:
    """Without an error of its own, the usual quantile counts: c is that of the largest of the others."""
    covariance = np.diag([0.0, 1e-4])
    place = first(np.array([0.0, 0.01]), NormalDraws(covariance, 0))
    assert 1.9 < quantile(place) < 2.3
    assert place.is_notable


RNG = np.random.default_rng(8)
EASE = RNG.random(120)
RIGHT = {f"s{k}": (RNG.normal(0, 0.5, 120) + EASE < 0.6).astype(float) for k in range(8)}


def test_systems_that_share_the_first_place_have_the_same_columns() -> None:
    best = max(RIGHT, key=lambda name: RIGHT[name].mean())
    systems = {**RIGHT, "again": RIGHT[best].copy(), "turned": RIGHT[best][::-1].copy()}
    ranking = outscore.rank(systems, metric="accuracy")
    tied = [system for system in ranking.systems if system.rank == 1]
    assert len(tied) == 3
    assert len({system.overstatement for system in tied}) == 1
    assert all(system.interval_as_chosen is not None for system in tied)
    assert all((one.overstatement, one.interval_as_chosen) == (None, None) for one in ranking.systems[3:])
    assert f"{tied[0].name}, {tied[1].name} and {tied[2].name} come first by choice" in " ".join(
        ranking.to_text().split()
    )
    written = json.loads(ranking.to_json())["systems"]
    assert ["overstatement" in system for system in written] == [True] * 3 + [False] * 7
    assert "is_overstated" not in written[0]


def test_where_lower_is_better_the_upper_end_moves() -> None:
    ranking = outscore.rank(RIGHT, metric="accuracy")
    turned = outscore.rank({name: 1 - right for name, right in RIGHT.items()}, metric="mean", lower_is_better=True)
    chosen, mirrored = ranking.systems[0], turned.systems[0]
    assert chosen.interval_as_chosen is not None
    assert mirrored.interval_as_chosen is not None
    assert chosen.interval_as_chosen.high == chosen.interval.high
    assert chosen.interval_as_chosen.low < chosen.interval.low
    assert mirrored.interval_as_chosen.low == mirrored.interval.low
    assert mirrored.interval_as_chosen.high > mirrored.interval.high
    assert mirrored.overstatement == pytest.approx(chosen.overstatement, abs=1e-6)
    assert f"expect about {mirrored.score + (mirrored.overstatement or 0):.3f}" in " ".join(turned.to_text().split())


@pytest.mark.parametrize("power", [-300, -130, 130, 300])
def test_the_scale_of_the_scores_changes_no_digit(power: int) -> None:
    scores = {name: right + EASE for name, right in RIGHT.items()}
    scaled = {name: values * 2.0**power for name, values in scores.items()}
    plain, other = outscore.rank(scores).systems[0], outscore.rank(scaled).systems[0]
    assert plain.overstatement is not None
    assert other.overstatement == plain.overstatement * 2.0**power
    gains = (outscore.compare(of, baseline="s0") for of in (scores, scaled))
    one, two = (next(c.overstatement for c in result.comparisons if c.overstatement is not None) for result in gains)
    assert two == one * 2.0**power


WORDS = ["a", "cat", "sat", "on", "the", "old", "mat", "and", "saw", "a", "dog", "run", "in", "the", "rain"]
TEXTS = [" ".join(WORDS[(3 * k + j) % 15] for j in range(9)) for k in range(60)]


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({"metric": "accuracy"}, "clopper-pearson"),
        ({"metric": "accuracy", "clusters": [k // 3 for k in range(120)]}, "korn-graubard"),
        ({"metric": "accuracy", "strata": [k % 2 for k in range(120)]}, "korn-graubard"),
        ({"metric": "mean"}, "skew-t"),
        ({"metric": "wer"}, "skew-t"),
        ({"metric": "bleu"}, "skew-t"),
        ({"metric": "mean", "runs": "random"}, "skew-t"),
        ({"metric": "spearman", "n_resamples": 200}, "skew-t"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_every_kind_of_score_has_its_own_kind_of_interval(options: dict[str, Any], method: str) -> None:
    systems: dict[str, Any] = dict(RIGHT)
    if options["metric"] in ("wer", "bleu"):
        swaps = {name: right[:60] for name, right in RIGHT.items()}
        systems = {
            name: [text if good else text.replace("a ", "the ") for text, good in zip(TEXTS, swaps[name], strict=True)]
            for name in RIGHT
        }
        options = {**options, "references": TEXTS}
    elif options["metric"] == "spearman":
        systems = {name: (right[:24] + EASE[:24]).tolist() for name, right in list(RIGHT.items())[:4]}
        options = {**options, "references": EASE[:24].tolist()}
    elif "runs" in options:
        systems = {name: np.column_stack([right, right[::-1], EASE]) for name, right in RIGHT.items()}
    elif options["metric"] == "mean":
        systems = {name: right + EASE for name, right in RIGHT.items()}
    ranking = outscore.rank(systems, **options)
    chosen = ranking.systems[0]
    assert chosen.interval_as_chosen is not None
    assert chosen.overstatement is not None
    assert chosen.interval_as_chosen.method == chosen.interval.method == method
    plain, owed = chosen.interval, chosen.interval_as_chosen
    assert owed.low <= plain.low <= plain.high <= owed.high
    assert (owed.high if ranking.metric.higher_is_better else owed.low) in (plain.low, plain.high)
    assert 0 <= chosen.overstatement < plain.high - plain.low


def test_the_largest_gain_of_several_candidates() -> None:
    result = outscore.compare(RIGHT, metric="accuracy", baseline="s0")
    best = max(result.comparisons, key=lambda one: one.gain)
    others = [one for one in result.comparisons if one is not best]
    assert best.overstatement is not None
    assert best.interval_as_chosen is not None
    assert all(one.overstatement is None for one in others)
    # As if gains over the baseline were scores.
    gains = np.array([RIGHT[one.candidate] - RIGHT["s0"] for one in result.comparisons])
    influences = influences_of(gains)
    behind = best.gain - gains.mean(axis=1)
    behind[behind < 1e-12] = 0
    place = first(behind, NormalDraws(influences @ influences.T, 1))
    assert best.overstatement == pytest.approx(place.overstatement, rel=0.06)
    assert best.interval_as_chosen.high == best.interval.high
    assert best.interval_as_chosen.low < best.interval.low
    assert f"{best.candidate}'s gain was the largest of 7: expect about" in " ".join(result.to_text().split())
    alone = outscore.compare({name: RIGHT[name] for name in ("s0", best.candidate)}, metric="accuracy", baseline="s0")
    assert alone.comparisons[0].overstatement is None
    # Holm's p and the verdicts stay: p is 7 times that of one candidate.
    assert best.p_value == alone.p_value
    assert best.adjusted_p_value == min(7 * alone.p_value, 1)


def test_the_order_of_candidates_does_not_matter() -> None:
    one = outscore.compare(RIGHT, metric="accuracy", baseline="s0")
    other = outscore.compare(dict(reversed(RIGHT.items())), metric="accuracy", baseline="s0")
    best = max(one.comparisons, key=lambda each: each.gain).candidate
    assert one[best].overstatement == pytest.approx(other[best].overstatement, rel=1e-6)
    assert one[best].interval_as_chosen == other[best].interval_as_chosen


def test_two_crossed_clusterings_have_a_largest_gain() -> None:
    clusters = [[k // 6 for k in range(120)], [k % 10 for k in range(120)]]
    result = outscore.compare(RIGHT, metric="accuracy", baseline="s0", clusters=clusters)
    assert sum(one.overstatement is not None for one in result.comparisons) == 1


def test_a_comparison_of_a_chosen_candidate_warns() -> None:
    result = outscore.compare(RIGHT["s0"], RIGHT["s1"], metric="accuracy", best_of=20)
    (warning,) = (said for said in result.warnings if "best of 20" in said)
    assert "up to 1.87 standard errors" in warning
    assert "No p-value of this pair alone corrects for that." in warning
    unpaired = outscore.compare(RIGHT["s0"], RIGHT["s1"][:100], metric="accuracy", best_of=20, unpaired=True)
    assert any("best of 20" in note for note in (*unpaired.notes, *unpaired.warnings))


@pytest.mark.parametrize("best_of", [1, 0, 2_000_000, 1.5])
def test_a_number_of_systems_out_of_range_is_refused(best_of: Any) -> None:
    with pytest.raises(OptionError, match="best_of: expected"):
        outscore.score(RIGHT["s0"], metric="accuracy", best_of=best_of)
