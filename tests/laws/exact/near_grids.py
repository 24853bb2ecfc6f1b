"""Values nearly on a grid, and their laws by two-dimensional convolution in whole numbers.

Each value is h·a + u·b for whole numbers a (the grid) and b (the noise). The joint law of Σa and Σb is a convolution
in two dimensions; an event of Σ(h·a + u·b) is a sum over it, without any noise of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore._types import AnyArray, FloatArray
from tests.kit import Law, bootstrap_law, swap_law

__all__ = ["NearGrid", "misses", "random_case"]

_MOST_CELLS = 2**20
_TOLERANCE = 1e-12  # relative to the largest sum: what lies closer counts as equal, or need not
_ROUNDING = 2e-11


@dataclass(frozen=True, eq=False)
class NearGrid:
    """n values h·a + u·b.

    Attributes
    ----------
    a, b : ndarray of int, shape (n,)
    step, unit : float
        h and u.
    signs : bool
        Whether signs are drawn, and not values.
    """

    a: AnyArray
    b: AnyArray
    step: float
    unit: float
    signs: bool

    @property
    def values(self) -> FloatArray:
        return self.step * self.a + self.unit * self.b

    def law(self) -> Law | None:
        values = self.values
        ones = np.ones(len(values))
        mean = float(values.mean())
        if self.signs:
            return swap_law(values, ones, probe=(mean,))
        return bootstrap_law(values, ones, probe=(2 * mean, 0.0))

    def thresholds(self) -> list[float]:
        """Of the tests' events, and of a point of the grid that is not one of them."""
        total = float(self.values.sum())
        further = self.step * round(total / self.step + 0.8 * len(self.a) ** 0.5)
        return [total, further] if self.signs else [2 * total, 0.0, total + further]

    def joint(self) -> tuple[AnyArray, AnyArray, FloatArray] | None:
        """Return Σa, Σb and their joint probabilities; None where they have too many values."""
        spans = [_window(part, self.signs) for part in (self.a, self.b)]
        if math.prod(size for size, _ in spans) > _MOST_CELLS:
            return None
        rows, columns = (size for size, _ in spans)
        s = 2 * np.pi * np.fft.fftfreq(rows)[:, None]
        t = 2 * np.pi * np.fft.fftfreq(columns)[None, :]
        pairs, counts = np.unique(np.column_stack([self.a, self.b]), axis=0, return_counts=True)
        n = len(self.a)
        if self.signs:
            # Σ ±v = 2 Σ of those taken − Σ v: the law of what is taken.
            transform = np.ones((rows, columns), dtype=np.complex128)
            for (a, b), count in zip(pairs, counts, strict=True):
                transform *= ((1 + np.exp(-1j * s * a) * np.exp(-1j * t * b)) / 2) ** count
        else:
            one = np.zeros((rows, columns), dtype=np.complex128)
            for (a, b), count in zip(pairs, counts, strict=True):
                one += count / n * np.exp(-1j * s * a) * np.exp(-1j * t * b)
            transform = one**n
        law = np.fft.ifft2(transform).real
        places = []
        for size, middle in spans:
            found = np.arange(size)
            places.append(found + size * np.rint((middle - found) / size).astype(np.int64))
        if self.signs:
            places = [2 * place - int(part.sum()) for place, part in zip(places, (self.a, self.b), strict=True)]
        return places[0][:, None], places[1][None, :], law

    def tail(self, joint: tuple[AnyArray, AnyArray, FloatArray], x: float) -> float:
        """Return P(S ≥ x)."""
        a, b, law = joint
        return float(law[self.step * a + self.unit * b >= x].sum())


def _window(part: AnyArray, signs: bool) -> tuple[int, float]:
    """Return how many neighbouring values of the sum hold all but nothing of its law, and the middle one."""
    n = len(part)
    if signs:
        middle, sd = part.sum() / 2, math.sqrt(float((part.astype(float) ** 2).sum())) / 2
    else:
        middle, sd = float(part.sum()), math.sqrt(n) * float(part.std())
    reach = int(9 * sd + 30 * np.ptp(np.append(part, 0))) + 2
    whole = n * int(np.ptp(np.append(part, 0))) + 1
    return 2 * min(reach, whole) + 1, middle


def random_case(rng: np.random.Generator) -> NearGrid:
    """Return a case of any step, noise, number of distinct values and n."""
    n = int(np.exp(rng.uniform(math.log(15), math.log(3000))))
    kinds = int(rng.integers(1, 9))
    grid = rng.integers(-6, 7, kinds) if rng.random() < 0.7 else rng.integers(-30, 31, kinds)
    shares = rng.dirichlet(np.full(kinds + 1, rng.choice([0.3, 1.0, 5.0])))
    a = rng.choice(np.append(grid, 0), n, p=shares)
    if rng.random() < 0.25:  # few values beside 0
        a[rng.random(n) > 40 / n] = 0
    levels = int(rng.choice([1, 2, 4, 8]))
    b = rng.integers(-levels, levels + 1, n)
    if rng.random() < 0.2:
        b[rng.random(n) < rng.random()] = 0
    step = float(rng.choice([1.0, 0.1, 1 / 3, 0.07, 12.5, 1e-3]))
    noise = 10 ** rng.uniform(-12, -3)
    unit = step * noise * float(rng.choice([1.0, 2**0.5 / 1.5]))
    return NearGrid(a, b, step, unit, bool(rng.random() < 0.4))


def misses(case: NearGrid, *, quantiles: bool = True) -> list[str] | None:
    """Return what the law says that is wrong, beyond the bound it gives; None where it is left to sampling."""
    joint = case.joint()
    law = None if joint is None else case.law()
    if law is None or joint is None:
        return None
    n, found = len(case.a), []
    values = case.values
    tolerance = _TOLERANCE * max(float(np.abs(values).sum()), n * float(np.ptp(values)))
    for x in case.thresholds():
        claimed = law.outside(-math.inf, x / n)
        low, high = case.tail(joint, x + tolerance), case.tail(joint, x - tolerance)
        slack = claimed.error + _ROUNDING
        if not low - slack <= claimed.value <= high + slack:
            found.append(f"P(S >= {x!r}) = {claimed.value!r} ± {claimed.error:.2g}, right {low!r} to {high!r}")
    spread = math.sqrt(n) * float(values.std() if not case.signs else np.sqrt(np.mean(values**2)))
    for level in (0.025, 0.975) if quantiles else ():
        x = law.quantile(level) * n
        # Within the blur around a point of the grid a quantile need be right to that blur alone.
        blur = 10 * case.unit * math.sqrt(n) * float(np.abs(case.b).max(initial=0))
        tolerance_of_quantiles = tolerance + 1e-9 * spread + min(blur, case.step / 3)
        above = 1 - case.tail(joint, x + tolerance_of_quantiles)  # P(S <= x), at least
        below = 1 - case.tail(joint, x - tolerance_of_quantiles)  # P(S < x), at most
        if not (above >= level - 2.1e-3 and below <= level + 2.1e-3):
            found.append(f"quantile {level}: {x!r}, where P is {below!r} to {above!r}")
    return found
