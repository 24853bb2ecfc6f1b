"""What p-values are, by definition, on data so small that everything can be listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tests import oracles
from tests.oracles import Law, Row

__all__ = ["Systems", "p_value"]


@dataclass(frozen=True)
class Systems:
    """Two systems' rows on the units that are resampled, and the score of summed rows."""

    baseline: Sequence[Row]
    candidate: Sequence[Row]
    score: oracles.Score
    strata: Sequence[int] | None = None

    @property
    def gain(self) -> Fraction:
        return self.score(oracles.totals(self.candidate)) - self.score(oracles.totals(self.baseline))

    def bootstrap(self) -> Law:
        return oracles.bootstrap_law(self.baseline, self.candidate, self.score, self.strata)

    def swap(self, null_gain: Fraction) -> Law:
        if null_gain == 0:
            return oracles.swap_law(self.baseline, self.candidate, self.score)
        # With a margin the signs of dᵢ − δ₀ℓᵢ are flipped, where both systems share the denominators ℓ.
        sign = self.score((Fraction(1),) * len(self.baseline[0]))
        shared = [row[-1] for row in self.baseline]
        d = [sign * (b[0] - a[0]) for a, b in zip(self.baseline, self.candidate, strict=True)]
        centred = [x - null_gain * weight for x, weight in zip(d, shared, strict=True)]
        law: Counter[Fraction] = Counter()
        for signs in product((1, -1), repeat=len(d)):
            total = sum((s * x for s, x in zip(signs, centred, strict=True)), Fraction(0))
            law[null_gain + total / sum(shared, Fraction(0))] += 1
        return {gain: Fraction(count, 2 ** len(d)) for gain, count in law.items()}


def _extreme(law: Law, value: Fraction, centre: Fraction, alternative: str, *, strict: bool) -> Fraction:
    def beyond(reached: Fraction, limit: Fraction) -> bool:
        return reached > limit if strict else reached >= limit

    match alternative:
        case "greater":
            return oracles.event_probability(law, lambda gain: beyond(gain, value))
        case "less":
            return oracles.event_probability(law, lambda gain: beyond(-gain, -value))
        case _:
            return oracles.event_probability(law, lambda gain: beyond(abs(gain - centre), abs(value - centre)))


def p_value(
    test: str,
    systems: Systems,
    alternative: str = "greater",
    null_gain: Fraction = Fraction(0),
    *,
    strict: bool = False,
) -> Fraction:
    """The p-value of a resampling test as DESIGN.md defines it."""
    if test == "randomization":
        return _extreme(systems.swap(null_gain), systems.gain, null_gain, alternative, strict=strict)
    law = systems.bootstrap()
    if test == "bootstrap":
        return _extreme(law, 2 * systems.gain - null_gain, systems.gain, alternative, strict=strict)
    at_most, at_least = (
        _extreme(law, null_gain, Fraction(0), direction, strict=strict) for direction in ("less", "greater")
    )
    return {"greater": at_most, "less": at_least, "two-sided": min(2 * min(at_most, at_least), Fraction(1))}[
        alternative
    ]
