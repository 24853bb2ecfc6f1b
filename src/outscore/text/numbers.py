"""Rounding of numbers in reports. Rounding never changes a conclusion.

A rounded number lies on the same side of every threshold that matters as the number itself: a p-value is
never rounded across alpha, nor to 0 or 1; a gain is never rounded to 0 or across a margin. Where the usual
digits would do so, more digits are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal
from functools import partial
from statistics import median

SMALLEST_P = 1e-12
LARGEST_P = 0.9999
MOST_DECIMALS = 10  # beyond these, scores are written with an exponent
UNDEFINED = "undefined"
NO_ITEM_DIFFERS = "no item differs"


def _on_the_same_sides(value: float, shown: float, thresholds: Collection[float]) -> bool:
    return all((shown > t) == (value > t) and (shown < t) == (value < t) for t in thresholds)


def _faithful(value: float, write: Callable[[int], str], digits: int, most: int, thresholds: Collection[float]) -> str:
    """Return `value` with the fewest digits, from `digits` to `most`, that cross no threshold; else all of them."""
    for more in range(digits, most + 1):
        text = write(more)
        if _on_the_same_sides(value, float(text), thresholds):
            return text
    return repr(value)


def format_p(p: float, alpha: float = 0.05, *, bound: bool = False) -> str:
    """Write a p-value in four decimals, smaller ones in three significant digits; never 0, never across alpha.

    Between 0.0001 and 0.001 five decimals are written. 1 is written only for 1. Values below 1e-12, including 0 (an
    underflow), are written as such; NaN is "undefined". An upper bound is rounded up to two digits unless that would
    cross alpha.

    Examples
    --------
    >>> format_p(0.04996), format_p(0.05), format_p(0.2717356), format_p(0.00032), format_p(3.2e-5)
    ('0.04996', '0.0500', '0.2717', '0.00032', '3.20e-05')
    >>> format_p(1e-20), format_p(0.0), format_p(0.99999), format_p(1.0)
    ('< 1e-12', '< 1e-12', '> 0.9999', '1.0000')
    >>> [format_p(p, bound=True) for p in (1 / 100_001, 1 / 3000, 1 / 2000, 0.0499, 1e-20)]
    ['≤ 1e-05', '≤ 0.00034', '≤ 0.0005', '≤ 0.0499', '< 1e-12']
    """
    if math.isnan(p):
        return UNDEFINED
    if bound and p >= min(SMALLEST_P, alpha):
        exact = Decimal(f"{p:.12e}")
        up = float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_UP))
        return f"≤ {format_p(p, alpha)}" if p < alpha <= up else f"≤ {up:g}"
    if p < SMALLEST_P < alpha:
        return f"< {SMALLEST_P:.0e}"
    if alpha <= LARGEST_P and LARGEST_P + 5e-5 < p < 1:
        return f"> {LARGEST_P}"
    if p < 1e-4:
        return _faithful(p, lambda digits: f"{p:.{digits}e}", 2, 17, (alpha,))
    return _faithful(p, lambda digits: f"{p:.{digits}f}", 4 if p >= 1e-3 else 5, 20, (alpha, 1.0))


def state_p(p: float, alpha: float = 0.05, *, bound: bool = False) -> str:
    """Write "p = ...", or "p < ...", "p ≤ ..." and "p > ..." for bounds.

    Examples
    --------
    >>> state_p(0.04996), state_p(1e-20), state_p(0.99999)
    ('p = 0.04996', 'p < 1e-12', 'p > 0.9999')
    """
    text = format_p(p, alpha, bound=bound)
    return f"p {text}" if text[0] in "<≤>" else f"p is {text}" if text == UNDEFINED else f"p = {text}"


def format_bracket(low: float, p: float, high: float, alpha: float = 0.05, *, bound: bool = True) -> str:
    """Write the interval of a p-value: both ends, or an error bound if it is below a thousandth of p.

    Empty if low = p = high, or if p is only written as small or large. No end is rounded across alpha. Error bounds are
    rounded up; without `bound` there are none.

    Examples
    --------
    >>> format_bracket(0.0487, 0.05, 0.0514), format_bracket(0.0, 1e-5, 3.7e-5), format_bracket(0.2, 0.2, 0.2)
    ('0.0487 to 0.0514', '0 to 3.70e-05', '')
    >>> format_bracket(0.2 - 3e-14, 0.2, 0.2 + 3.1e-14), format_bracket(0.0, 1e-20, 2e-20)
    ('± 4e-14', '')
    """
    if low == p == high or math.isnan(p + low + high) or high < SMALLEST_P:
        return ""
    if bound and alpha <= LARGEST_P and min(low, p) > LARGEST_P + 5e-5 and p < 1:
        return ""
    error = max(p - low, high - p)
    if not bound or error >= 1e-3 * p or not low <= p <= high:
        # Outwards, "0 to" and "to 1" claim less than the ends themselves.
        first, last = format_p(low, alpha), format_p(high, alpha)
        return f"{'0' if first[0] == '<' else first.removeprefix('> ')} to {'1' if last[0] == '>' else last}"
    exponent = math.floor(math.log10(error))
    leading = math.ceil(error / 10.0**exponent * (1 - 1e-9))
    return f"± {leading}e{exponent:+03d}" if leading < 10 else f"± 1e{exponent + 1:+03d}"


def score_decimals(scale: float, *, least: int = 1) -> int:
    """Return how many decimals give a scale, such as the half width of an interval, two significant digits.

    Scales from 10 to 100 have at least `least` decimals.

    Examples
    --------
    >>> score_decimals(1.8), score_decimals(0.023), score_decimals(0.0996), score_decimals(250.0), score_decimals(0.0)
    (1, 3, 2, 0, 4)
    >>> score_decimals(24.0), score_decimals(24.0, least=0)
    (1, 0)
    """
    if scale == 0 or not math.isfinite(scale):
        return 4
    exponent = int(f"{scale:.1e}".partition("e")[2])
    return 0 if exponent >= 2 else max(least, 1 - exponent)


def format_score(value: float, decimals: int, *, percentage: bool = False) -> str:
    """Write a score with that many decimals, as a percentage without its sign if asked to.

    Halves are rounded away from zero, and what misses a half by the rounding errors of a subtraction is one:
    72.375 less 68.125 is 4.3, not 4.2, beside 72.4 and 68.1. Numbers too large or too small for decimals are
    written with an exponent.

    Examples
    --------
    >>> format_score(0.4753, 2), format_score(0.4753, 1, percentage=True), format_score(-1e-9, 1)
    ('0.48', '47.5', '0.0')
    >>> format_score(0.0425, 1, percentage=True), format_score(0.1 + 0.2 - 0.05, 1)
    ('4.3', '0.3')
    >>> format_score(1.25e-13, 14), format_score(1e300, 1), format_score(float("nan"), 1)
    ('1.250e-13', '1.000e+300', 'undefined')
    """
    if not math.isfinite(value):
        return UNDEFINED if math.isnan(value) else repr(value)
    shown = Decimal(f"{value:.12e}") * (100 if percentage else 1)
    if abs(shown) >= 10**15 or (decimals > MOST_DECIMALS and shown != 0):
        return f"{float(shown):.3e}"
    rounded = shown.quantize(Decimal(1).scaleb(-min(decimals, MOST_DECIMALS)), rounding=ROUND_HALF_UP)
    return f"{rounded.copy_abs() if rounded == 0 else rounded:f}"


@dataclass(frozen=True, slots=True)
class ScoreFormat:
    """How the scores and gains of one comparison are written."""

    decimals: int
    percentage: bool = False
    noise: float = 0.0  # gains up to this size are rounding errors of the scores
    thresholds: tuple[float, ...] = ()  # gains that no gain is rounded across, besides 0

    def score(self, value: float, bounds: Collection[float] = (0.0,)) -> str:
        """Write a score, with more decimals where fewer would make it one of these bounds: 0.4 beside 63."""
        usual = format_score(value, self.decimals, percentage=self.percentage)
        if not math.isfinite(value) or any(abs(value - bound) <= 1e-9 for bound in bounds):
            return usual
        written = (format_score(value, more, percentage=self.percentage) for more in range(self.decimals, 12))
        scale = 100 if self.percentage else 1
        return next((text for text in written if float(text) / scale not in bounds), usual)

    def scores(self, low: float, high: float) -> str:
        """Return the ends of an interval of a score, or the one that is finite: "0.2 to 0.4", "at least 0.2".

        An end is written as 0 or 1, the bounds of most scores, only if it is one of them.
        """
        return _ends(partial(self.score, bounds=(0.0, 1.0)), low, high)

    def gain(self, value: float) -> str:
        """Write a gain like a score, with its sign, and as 0 only if it is 0.

        More decimals are written, at most 10, where the usual ones would show 0 or move the gain across a threshold.

        Examples
        --------
        >>> ScoreFormat(1, percentage=True).gain(0.025), ScoreFormat(2).gain(-0.0004), ScoreFormat(1).gain(0.0)
        ('+2.5', '-0.0004', '0.0')
        >>> ScoreFormat(2, noise=1e-15).gain(1e-17), ScoreFormat(1, thresholds=(-1.0,)).gain(-0.996)
        ('0.00', '-0.996')
        """
        value = 0.0 if abs(value) <= self.noise else value
        text = format_score(value, self.decimals_of(value), percentage=self.percentage)
        return f"+{text}" if value > 0 and text != UNDEFINED and float(text) != 0 else text

    def decimals_of(self, gain: float) -> int:
        """Return the number of decimals of a gain as it is written."""
        scale = 100 if self.percentage else 1
        sides = [0.0, *(threshold * scale for threshold in self.thresholds)]
        if math.isfinite(gain) and abs(gain) > self.noise:
            for decimals in range(self.decimals, max(self.decimals, MOST_DECIMALS) + 1):
                text = format_score(gain, decimals, percentage=self.percentage)
                if _on_the_same_sides(gain * scale, float(text), sides):
                    return decimals
        # If ten decimals are not enough (a gain of 1e-11), the usual ones are kept: an exponent is hard to read.
        return self.decimals

    def interval(self, low: float, high: float) -> str:
        """Return the ends of an interval of gains, or the one that is finite: "-0.5 to +1.3", "at least +0.2".

        A finite end that leaves out 0, and is too close to it to be written, is "above 0" or "below 0". An interval
        without width at 0, that of identical systems, says nothing about other items and is not written.
        """
        if max(abs(low), abs(high)) <= self.noise:
            return NO_ITEM_DIFFERS
        if 0 < low <= self.noise and math.isinf(high):
            return "above 0"
        if -self.noise <= high < 0 and math.isinf(low):
            return "below 0"
        return _ends(self.gain, low, high)

    def apart(self, value: float, other_value: float, *, gains: bool = False) -> tuple[str, str]:
        """Write two scores or gains, with up to two decimals more if they would look the same."""
        written = [tuple(map(form.gain if gains else form.score, (value, other_value))) for form in self.finer]
        first, second = next((pair for pair in written if pair[0] != pair[1]), written[0])
        return first, second

    def adding_up(self, scores: Collection[float], gain: float, parts: int = 10) -> ScoreFormat:
        """Return the format in which two scores as written differ by the gain as written, to a tenth (1/`parts`).

        It has up to two decimals more, or is this one if none adds up. Readers subtract the scores.

        Examples
        --------
        >>> ScoreFormat(2).adding_up([0.3944, 0.3793], -0.0151).decimals  # not 0.39, 0.38 and -0.02
        3
        """
        if all(map(math.isfinite, (*scores, gain))):
            for form in self.finer:
                first, second = (Decimal(form.score(score)) for score in scores)
                size = abs(Decimal(form.gain(gain)))
                if abs(abs(first - second) - size) <= size / parts:
                    return form
        return self

    @property
    def finer(self) -> Sequence[ScoreFormat]:
        """The format, and those with one and two decimals more."""
        return [replace(self, decimals=self.decimals + more) for more in range(3)]

    def size(self, value: float) -> str:
        """Write a number that the user chose, such as a margin, with all its digits."""
        return format_exactly(value * 100 if self.percentage else value, at_least=self.decimals)


def _ends(written: Callable[[float], str], low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "unbounded"
    if math.isinf(low):
        return f"at most {written(high)}"
    if math.isinf(high):
        return f"at least {written(low)}"
    return f"{written(low)} to {written(high)}"


def score_format(
    scores: Collection[float],
    half_widths: Iterable[float],
    gains: Sequence[float] = (),
    *,
    percentage: bool = False,
    thresholds: Iterable[float] = (),
) -> ScoreFormat:
    """Return the format of all scores of one result, with the same number of decimals.

    The half width of the interval has two significant digits. With several intervals, the median half width is used,
    without those of 0. Up to two more decimals are added if a gain would be shown as 0 or on the other side of a
    threshold. `gains` are all that are shown, including ends of intervals.

    Examples
    --------
    >>> score_format([0.724, 0.681], [0.023], [0.043], percentage=True).decimals
    1
    >>> score_format([0.724, 0.7236], [0.0023], percentage=True).decimals
    2
    """
    scale = 100 if percentage else 1
    largest = max((abs(score) for score in scores if math.isfinite(score)), default=0.0)
    noise = 1e-12 * largest
    widths = [width * scale for width in half_widths if math.isfinite(width) and width > noise]
    sizes = [abs(gain) * scale for gain in gains if math.isfinite(gain) and abs(gain) > noise]
    if widths:
        decimals = score_decimals(median(widths), least=0)
    elif sizes:
        decimals = score_decimals(min(sizes))
    elif percentage:
        decimals = 1
    else:  # four significant digits of scores without any difference
        decimals = min(max(0, 3 - math.floor(math.log10(largest))), 12) if largest > 0 else 1
    written = ScoreFormat(decimals, percentage, noise, tuple(thresholds))
    if not widths:
        return written
    needed = (written.decimals_of(gain) for gain in gains)
    return replace(written, decimals=max((most for most in needed if most <= decimals + 2), default=decimals))


def format_exactly(value: float, *, at_least: int = 0) -> str:
    """Write a number that the user chose (a margin, alpha) with all its digits, at most twelve significant ones.

    Examples
    --------
    >>> format_exactly(0.05), format_exactly(0.0125 * 100), format_exactly(1.0, at_least=1), format_exactly(1e-7)
    ('0.05', '1.25', '1.0', '1e-07')
    """
    text = f"{value:.12g}"
    fixed = f"{value:.{min(at_least, MOST_DECIMALS)}f}"
    return fixed if "e" not in text and float(fixed) == float(text) else text


def format_level(level: float) -> str:
    """Write a confidence level as a percentage.

    Examples
    --------
    >>> format_level(0.95), format_level(0.999), format_level(1 - 0.05 / 3)
    ('95%', '99.9%', '98.3333%')
    """
    return f"{_faithful(level * 100, lambda digits: f'{level * 100:.{digits}g}', 6, 17, (100.0,))}%"


def format_count(count: int) -> str:
    """Write a count with its thousands separated.

    Examples
    --------
    >>> format_count(800), format_count(100000)
    ('800', '100,000')
    """
    return f"{count:,}"


def format_counted(count: int, noun: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> format_counted(1, "pair"), format_counted(2000, "item")
    ('1 pair', '2,000 items')
    """
    return f"{format_count(count)} {noun}" + ("" if count == 1 else "s")


def format_share(count: int, total: int) -> str:
    """Write a proportion of items as a percentage; 0% and 100% only for none and all of them.

    Examples
    --------
    >>> format_share(61, 800), format_share(712, 800), format_share(1, 5000), format_share(4999, 5000)
    ('7.6%', '89%', '<0.1%', '>99.9%')
    """
    if total == 0:
        return UNDEFINED
    per_cent = 100 * count / total
    if 0 < per_cent < 0.1:
        return "<0.1%"
    if 99.9 < per_cent < 100:
        return ">99.9%"
    if 10 <= per_cent <= 99 or per_cent in (0, 100):
        return f"{per_cent:.0f}%"
    return f"{per_cent:.1f}%"


def format_correlation(r12: float) -> str:
    """Write a correlation in three decimals; 1, -1 and 0 only for these exact values.

    Examples
    --------
    >>> format_correlation(0.345), format_correlation(0.9996), format_correlation(1.0), format_correlation(-0.0003)
    ('0.345', '0.9996', '1.000', '-0.0003')
    """
    if math.isnan(r12):
        return UNDEFINED
    r12 = 0.0 if abs(r12) < 1e-9 else math.copysign(1.0, r12) if abs(r12) > 1 - 1e-12 else r12
    return _faithful(r12, lambda digits: f"{r12:.{digits}f}", 3, 15, (-1.0, 0.0, 1.0))


def rounded_up(number: float) -> float:
    """Return a number rounded up to two significant digits: what is needed should suffice.

    Examples
    --------
    >>> rounded_up(1_049), rounded_up(26.4), rounded_up(1.1), rounded_up(0.25)
    (1100.0, 27.0, 1.1, 0.25)
    """
    if not 0 < number < math.inf:
        return number
    digits = 1 - math.floor(math.log10(number))
    nearest = round(number, digits)
    return nearest if nearest >= number * (1 - 1e-9) else round(nearest + 10.0**-digits, digits)


def format_factor(factor: float) -> str:
    """Write a factor in three significant digits; 1 only for exactly 1.

    Examples
    --------
    >>> format_factor(1.2700013), format_factor(2.2360679), format_factor(1.0004), format_factor(float("inf"))
    ('1.27', '2.24', '1.0004', 'infinity')
    >>> format_factor(1 - 1e-14)
    '1.00'
    """
    if not math.isfinite(factor):
        return UNDEFINED if math.isnan(factor) else "infinity"
    factor = 1.0 if abs(factor - 1) <= 1e-9 else factor
    return _faithful(factor, lambda digits: f"{factor:#.{digits}g}".rstrip("."), 3, 15, (1.0,))


def format_seconds(seconds: float) -> str:
    """Write a duration: tenths of a second, or what is longer in the units of clocks.

    Examples
    --------
    >>> format_seconds(0.02), format_seconds(12.345), format_seconds(71), format_seconds(7325)
    ('0.0 s', '12.3 s', '1 min 11 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def format_probability(p: float, trials: int | None = None) -> str:
    """Write a probability as a percentage with one decimal; 0% and 100% only for 0 and 1.

    If it is a proportion of trials, none or all of n show only that the probability is below 3/n, or above 1 − 3/n (at
    95%).

    Examples
    --------
    >>> format_probability(0.8047), format_probability(0.00004), format_probability(0.9999), format_probability(1.0)
    ('80.5%', '<0.1%', '>99.9%', '100%')
    >>> format_probability(0.0, 4000), format_probability(0.0, 500), format_probability(1.0, 500)
    ('<0.1%', '<0.6%', '>99.4%')
    """
    if math.isnan(p):
        return UNDEFINED
    if trials and p in (0.0, 1.0):
        tenths = min(math.ceil(3000 / trials - 1e-9), 1000)
        return f"<{tenths / 10:.1f}%" if p == 0 else f">{(1000 - tenths) / 10:.1f}%"
    if p in (0.0, 1.0):
        return f"{p:.0%}"
    if p < 0.001:
        return "<0.1%"
    return ">99.9%" if p > 0.999 else f"{p:.1%}"
