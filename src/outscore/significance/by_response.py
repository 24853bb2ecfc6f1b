"""The paired randomization test that swaps single responses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from outscore._types import FloatArray
from outscore.design import Units
from outscore.gains.canonical import row_order
from outscore.gains.gain_laws import GainLaws, Hypothesis
from outscore.gains.pair import Pair
from outscore.metrics import Metric
from outscore.metrics.base import ResponseMetric
from outscore.results.comparisons import RESPONSE
from outscore.significance.base import SignificanceTest, tail
from outscore.significance.p_values import PValue
from outscore.significance.randomization import Randomization
from outscore.words.warnings import OF_RESPONSES

Responses = Sequence[Mapping[Hashable, Sequence[float]]]


@dataclass(frozen=True)
class RandomizationByResponse(SignificanceTest):
    """The paired randomization test over responses: spans, brackets, attachments, links (Yeh 2000, section 3.3).

    It is `Randomization` with other units. A unit is a response that only one of the systems gave, or that counts
    differently for the two. This assumes that responses are independent, but those of one item are not. So the test
    gives no verdict.
    """

    name = "randomization-by-response"
    cites = ("noreen1989", "yeh2000")
    title = Randomization.title
    centre = Randomization.centre
    resamples = True
    swaps = True
    caveat = OF_RESPONSES
    samples = frozenset({"item"})

    def obstacle(self, pair: Pair, hypothesis: Hypothesis) -> str | None:
        if not isinstance(pair.metric, ResponseMetric) or pair.scored is None:
            return "swaps single responses, so it needs outputs of spans, brackets, dependencies or alignments"
        return Randomization().obstacle(pair, hypothesis)

    def unit_of(self, pair: Pair, units: Units) -> tuple[str, int]:
        del units
        return RESPONSE, _in_responses(pair).n_differing

    def withheld(self, pair: Pair) -> str:
        del pair
        return OF_RESPONSES

    def p_value(self, pair: Pair, laws: GainLaws, hypothesis: Hypothesis) -> PValue[float]:
        # A law of its own: the distributions of the other tests are over items, and their swaps cannot be reused.
        law = GainLaws([_in_responses(pair)], laws.resampling).law(hypothesis.null_gain)
        return tail(law, hypothesis, pair.gain, centre=hypothesis.null_gain)


def _in_responses(pair: Pair) -> Pair:
    """Return the pair in units of responses."""
    metric = pair.metric
    assert isinstance(metric, ResponseMetric)
    assert pair.scored is not None
    baseline, candidate = ([metric.responses(*both) for both in system] for system in pair.scored)
    return response_pair(metric, pair.baseline.sum(axis=0), baseline, candidate)


def response_pair(metric: Metric, totals: FloatArray, baseline: Responses, candidate: Responses) -> Pair:
    """Return two systems in units of responses, given for every item the rows of each system's responses, by response.

    The row of a unit is with the system that gave the response, and the other system has 0. The last unit is the rest,
    which both systems share, so swapping it has no effect. `totals`, shape (k,), are those of the baseline.
    """
    sides: tuple[list[FloatArray], list[FloatArray]] = [], []
    k = len(totals)
    nothing = np.zeros(k)
    for baseline_rows, candidate_rows in zip(baseline, candidate, strict=True):
        for key in dict.fromkeys((*baseline_rows, *candidate_rows)):
            before, after = (
                np.asarray(responses[key], dtype=np.float64) if key in responses else nothing
                for responses in (baseline_rows, candidate_rows)
            )
            if not np.array_equal(before, after):
                sides[0].append(before)
                sides[1].append(after)
    units = [np.array(side).reshape(-1, k) for side in sides]
    if sides[0]:
        order = row_order(*units)
        units = [side[order] for side in units]
    shared = totals - units[0].sum(axis=0)
    return Pair(metric, np.vstack([units[0], shared]), np.vstack([units[1], shared]))
