"""The paired randomization test."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.significance.base import Outcome, PairLaws, Question, SignificanceTest, tail
from outscore.significance.pair import AnyPair

__all__ = ["Randomization"]


@dataclass(frozen=True)
class Randomization(SignificanceTest):
    """The paired randomization test (Yeh 2000, section 3.3; Noreen 1989), stratified by unit.

    Null hypothesis: on every unit the two systems' outputs are exchangeable, so that swapping their rows with
    probability ½ leaves the law of the gain as it is.

        greater: p = P(δ' ≥ δ);  less: p = P(δ' ≤ δ);  two-sided: p = P(|δ'| ≥ |δ|).

    It holds its level at any number of units. With a margin (linear gains only) the signs of dᵢ − δ₀ℓᵢ are flipped
    instead; that holds its level only where these are symmetric about 0, which they are not where losses are few and
    large: of 50 right-or-wrong items with losses alone, 27.9% of those that are worse by exactly a margin of 0.05 pass
    where 5% is meant. Prefer `ScoreTest` there.
    Exact for linear gains and for ratios of two counts (F1, precision); sampled otherwise.
    """

    name = "randomization"
    centre = "0"
    resamples = True
    swaps = True

    def obstacle(self, pair: AnyPair, question: Question) -> str | None:
        if question.null_gain != 0 and pair.linear is None:
            return f"cannot shift the {pair.metric.name} by a margin: the two systems' denominators differ"
        return None

    def outcome(self, pair: AnyPair, laws: PairLaws, question: Question) -> Outcome:
        law = laws.swap(question.null_gain)
        probability = tail(law, question, pair.gain, centre=question.null_gain)
        return Outcome(probability, law.how, least=law.least)
