"""Small p-values by tilted resamples are those of exact laws, and their brackets hold them as often as they say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import outscore
from outscore._types import FloatArray, IntArray
from outscore.gains import tilted
from outscore.gains.tilted import (
    Event,
    Tilting,
    _Bootstrap,
    _Draws,
    _shares,
    _Swaps,
    bootstrap_tilting,
    swap_tilting,
)
from outscore.metrics import metric_named
from tests.kit import Pair, Probability, bootstrap_law, swap_law

# Brackets are log-normal, of 1.96 standard errors to each side. Estimates are held to 4.5 of these, so that one of the
# hundred or so comparisons with exact laws fails by chance with a probability below 1 in 1,000; seeds are fixed.
_FAR = 4.5 / 1.96


def mean_pair(d: FloatArray, strata: IntArray | None = None) -> Pair:
    ones = np.ones(len(d))
    return Pair(metric_named("mean"), np.column_stack([0 * d, ones]), np.column_stack([d, ones]), strata)


def differences(kind: str, z: float, n: int = 150) -> FloatArray:
    """Return differences whose mean lies z standard errors above 0."""
    stream = np.random.default_rng(3)
    match kind:
        case "normal":
            d = stream.normal(size=n)
        case "exponential":
            d = stream.exponential(size=n)
        case "binary":
            return np.repeat([1.0, -1.0, 0.0], [n // 4, n // 8, n - n // 4 - n // 8])
        case _:  # one item outweighs all others
            d = np.append(stream.normal(size=n - 1), 15.0)
    d = d - d.mean()
    return np.asarray(d + z * d.std() / math.sqrt(n))


def assert_near(probability: Probability | None, exact: float, error: float = 0.1) -> None:
    """Hold an estimate to the exact value, and its bracket to a width."""
    assert probability is not None
    assert probability.low is not None
    assert probability.high is not None
    half = math.log(probability.high / probability.low) / 2
    assert abs(math.log(probability.value / exact)) <= _FAR * half
    assert half <= 1.96 * error


@pytest.mark.parametrize("z", [1.7, 5.0, 11.4])
@pytest.mark.parametrize("kind", ["normal", "exponential", "binary", "one item"])
def test_means_have_the_p_values_of_their_exact_laws(kind: str, z: float) -> None:
    pair = mean_pair(differences(kind, z))
    assert pair.linear is not None
    gain, infinity = pair.gain, math.inf
    bootstrap, swaps = bootstrap_tilting(pair, 1, 20_000), swap_tilting(pair, 0.0, 1, 20_000)
    for low, high in ((0.0, 2 * gain), (-infinity, 2 * gain)):
        exact = bootstrap_law(pair.linear.d, pair.linear.shared, None, probe=(2 * gain, 0.0))
        assert exact is not None
        strict = low == 0.0  # one of two, which are the same but for binary scores
        event = Event(low, high, strict, pair.tolerance)
        assert_near(bootstrap.probability(event), exact.outside(low, high, strict=strict).value, error=0.05)
    for low, high in ((-gain, gain), (-infinity, gain)):
        law = swap_law(pair.linear.d, pair.linear.shared, 0.0, probe=(gain,))
        assert law is not None
        event = Event(low, high, False, pair.tolerance)
        assert_near(swaps.probability(event), law.outside(low, high).value, error=0.05)


def test_strata_are_drawn_apart() -> None:
    d = differences("exponential", 5.0, n=90)
    strata = np.repeat([0, 1, 2], [6, 24, 60])
    pair = mean_pair(d, strata)
    assert pair.linear is not None
    law = bootstrap_law(pair.linear.d, pair.linear.shared, strata, probe=(2 * pair.gain, 0.0))
    assert law is not None
    event = Event(0.0, 2 * pair.gain, False, pair.tolerance)
    exact = law.outside(0.0, 2 * pair.gain).value
    assert_near(bootstrap_tilting(pair, 1, 20_000).probability(event), exact, error=0.05)


def f1_rows(n: int, recall: float, seed: int) -> FloatArray:
    stream = np.random.default_rng(seed)
    gold = 1 + np.random.default_rng(0).poisson(2, n)
    right = stream.binomial(gold, recall)
    return np.column_stack([right, right + stream.binomial(2, 0.3, n), gold]).astype(float)


@pytest.mark.parametrize(("recall", "least"), [(0.55, 1e-5), (0.7, 1e-20), (0.9, 1e-60)])
def test_f1_under_swaps_has_the_p_value_of_the_two_counts(recall: float, least: float) -> None:
    pair = Pair(metric_named("f1"), f1_rows(300, 0.5, 1), f1_rows(300, recall, 2))
    exact = outscore.compare(pair.baseline, pair.candidate, metric="f1", tests=("randomization",)).comparisons[0]
    assert exact.tests[0].computation == "exact: two counts"
    assert exact.tests[0].p_value > least
    event = Event(-abs(pair.gain), abs(pair.gain), False, pair.tolerance)
    assert_near(swap_tilting(pair, 0.0, 1, 20_000).probability(event), exact.tests[0].p_value, error=0.05)


# Gains of few kinds of units can be listed: how often each kind is drawn is multinomial, or binomial.


def f1(totals: FloatArray) -> FloatArray:
    size = totals[:, 1] + totals[:, 2]
    return np.divide(2 * totals[:, 0], size, out=np.zeros(len(totals)), where=size > 0)


def bleu(totals: FloatArray) -> FloatArray:
    """Score by matches of one and two words, and the brevity penalty with its kink."""
    one, two, length, reference = np.maximum(totals, 1e-9).T
    return np.asarray(np.where(length < reference, np.exp(1 - reference / length), 1.0) * np.sqrt(one * two) / length)


def listed_draws(n: int, kinds: int) -> IntArray:
    bars = np.array(list(itertools.combinations(range(n + kinds - 1), kinds - 1)))
    ends = np.full((len(bars), 1), n + kinds - 1)
    return np.diff(np.concatenate([np.full_like(ends, -1), bars, ends], axis=1), axis=1) - 1


def listed(log_p: FloatArray, gains: FloatArray, event: Event) -> float:
    met = event.met(gains)
    return math.exp(float(logsumexp(log_p[met]))) if met.any() else 0.0


def side_by_side(score: Callable[[FloatArray], FloatArray], k: int) -> Callable[[FloatArray], FloatArray]:
    return lambda totals: score(totals[:, k:]) - score(totals[:, :k])


def nasty_kinds(case: str, stream: np.random.Generator) -> FloatArray:
    """Return four kinds of units, rows of both systems side by side, whose gain is far from linear."""
    kinds = 4
    if case == "bleu":
        reference = stream.integers(8, 25, kinds)
        lengths = [np.maximum(reference + stream.integers(-4, 4, kinds), 2) for _ in range(2)]
        ones = [stream.binomial(length, share) for length, share in zip(lengths, (0.5, 0.75), strict=True)]
        twos = [stream.binomial(one, 0.6) for one in ones]
        parts = [[ones[i], twos[i], lengths[i], reference] for i in range(2)]
    else:
        gold = stream.poisson(2, kinds) + 1
        right = [stream.binomial(gold, 0.1 if case == "few right" else 0.4), stream.binomial(gold, 0.7)]
        said = [part + stream.poisson(1.0, kinds) for part in right]
        if case == "one huge":
            gold[0], right[1][0], said[1][0] = 60, 55, 60
        parts = [[right[i], said[i], gold] for i in range(2)]
    return np.column_stack([column for part in parts for column in part]).astype(float)


@pytest.mark.parametrize("case", ["f1", "few right", "one huge", "bleu"])
def test_gains_far_from_linear_have_the_probabilities_of_all_draws(case: str) -> None:
    stream = np.random.default_rng(5)
    score, k = (bleu, 4) if case == "bleu" else (f1, 3)
    gains = side_by_side(score, k)
    compared = inside = 0
    for trial in range(6):
        kinds, n = nasty_kinds(case, stream), 40
        times = stream.multinomial(n - 4, stream.dirichlet(np.ones(4))) + 1
        if case == "one huge":
            times = np.sort(times)
        draws = listed_draws(n, 4)
        log_p = gammaln(n + 1) - gammaln(draws + 1).sum(axis=1) + (draws * np.log(times / n)).sum(axis=1)
        gain = float(gains((times @ kinds)[None])[0])
        event = Event(min(0.0, 2 * gain), max(0.0, 2 * gain), False, 1e-12)
        exact = listed(log_p, gains(draws.astype(float) @ kinds), event)
        tilting = Tilting(
            bootstrap_tilting(mean_pair(np.arange(float(n))), 0).draws,
            np.repeat(kinds, times, 0),
            gains,
            False,
            True,
            trial,
        )
        probability = tilting.probability(event)
        if probability is None:
            continue
        assert_near(probability, exact, error=0.3)
        compared += 1
        assert probability.low is not None
        assert probability.high is not None
        inside += probability.low <= exact <= probability.high
    assert compared >= 2
    assert inside >= compared - 3


def ratio(totals: FloatArray) -> FloatArray:
    return np.divide(totals[:, 0], totals[:, 1], out=np.zeros(len(totals)), where=totals[:, 1] > 0)


@pytest.mark.parametrize(
    ("score", "times", "baseline", "candidate", "two_sided"),
    [
        (ratio, [6, 38, 76], [[9, 60], [4, 4], [1, 8]], [[6, 40], [4, 4], [1, 7]], True),
        (ratio, [1, 6, 34, 9], [[1, 3], [0, 5], [0, 4], [3, 4]], [[153, 240], [0, 4], [2, 4], [3, 3]], False),
        (f1, [2, 37, 81], [[11, 12, 15], [1, 11, 1], [3, 23, 3]], [[5, 5, 15], [0, 0, 1], [2, 2, 3]], True),
    ],
)
def test_the_likeliest_way_is_found_off_the_influence_values(
    score: Callable[[FloatArray], FloatArray],
    times: list[int],
    baseline: list[list[int]],
    candidate: list[list[int]],
    two_sided: bool,
) -> None:
    # From the influence values alone each of these was estimated 10^8 to 10^130 times too small.
    kinds, n = np.column_stack([baseline, candidate]).astype(float), sum(times)
    gains = side_by_side(score, len(baseline[0]))
    gain = float(gains((np.array(times) @ kinds)[None])[0])
    if gain < 0:
        kinds, gain = np.column_stack([candidate, baseline]).astype(float), -gain
    event = Event(0.0, 2 * gain if two_sided else math.inf, False, 1e-12)
    draws = listed_draws(n, len(times))
    log_p = gammaln(n + 1) - gammaln(draws + 1).sum(axis=1) + (draws * np.log(np.array(times) / n)).sum(axis=1)
    exact = listed(log_p, gains(draws.astype(float) @ kinds), event)
    plain = bootstrap_tilting(mean_pair(np.arange(float(n))), 0).draws
    tilting = Tilting(plain, np.repeat(kinds, times, 0), gains, False, True, 1, 5000)
    assert_near(tilting.probability(event), exact, error=0.3)


def plain_weights(draws: _Draws, stream: np.random.Generator, exponents: FloatArray) -> FloatArray:
    """Draw one weight vector unit by unit."""
    if isinstance(draws, _Swaps):
        return np.asarray(stream.random(len(exponents)) < draws.mean(exponents), dtype=np.float64)
    assert isinstance(draws, _Bootstrap)
    weights = np.zeros(len(exponents))
    for members, count in draws._parts:
        weights[members] = stream.multinomial(count, _shares(exponents[members]))
    return weights


def plain_tilted(tilting: Tilting, event: Event, stream: np.random.Generator) -> float:
    """Return what `Tilting.probability` estimates, one draw at a time."""
    mixture = tilting._mixture(event)
    assert mixture is not None
    alphas = mixture.counts / mixture.counts.sum()
    total = 0.0
    for exponents, count in zip(mixture.exponents, mixture.counts.tolist(), strict=True):
        for _ in range(count):
            weights = plain_weights(tilting.draws, stream, exponents)
            if event.met(tilting.gains((weights @ tilting.columns)[None, :]))[0]:
                ratios = [math.exp(weights @ e - k) for e, k in zip(mixture.exponents, mixture.cumulants, strict=True)]
                total += 1 / float(alphas @ ratios)
    return total / int(mixture.counts.sum())


def test_the_fast_way_estimates_what_the_plain_one_does() -> None:
    pair = Pair(metric_named("f1"), f1_rows(40, 0.4, 1), f1_rows(40, 0.7, 2), np.repeat([0, 1], [15, 25]))
    for tilting, limits in (
        (bootstrap_tilting(pair, 1), (0.0, 2 * pair.gain)),
        (swap_tilting(pair, 0.0, 1), (-abs(pair.gain), abs(pair.gain))),
    ):
        event = Event(*limits, False, pair.tolerance)
        reference = plain_tilted(replace(tilting, n_resamples=2500), event, np.random.default_rng(1))
        # Two estimates, of 2,500 draws and of 20,000: 3 times the error of the latter.
        probability = tilting.probability(event)
        assert probability is not None
        assert probability.high is not None
        error = math.log(probability.high / probability.value) / 1.96
        assert abs(math.log(probability.value / reference)) < 4.5 * 3 * error


@pytest.mark.parametrize("way", ["bootstrap", "swaps"])
def test_the_bracket_holds_the_probability_as_often_as_it_says(way: str) -> None:
    pair = mean_pair(differences("exponential", 6.4, n=60))
    assert pair.linear is not None
    if way == "bootstrap":
        limits = 0.0, 2 * pair.gain
        law = bootstrap_law(pair.linear.d, pair.linear.shared, None, probe=limits)
    else:
        limits = -pair.gain, pair.gain
        law = swap_law(pair.linear.d, pair.linear.shared, 0.0, probe=(pair.gain,))
    assert law is not None
    exact, event = law.outside(*limits).value, Event(*limits, False, pair.tolerance)
    tilt = bootstrap_tilting if way == "bootstrap" else partial(swap_tilting, null_gain=0.0)
    count = 120
    estimates = [p for seed in range(count) if (p := tilt(pair, seed=seed, n_resamples=500).probability(event))]
    assert len(estimates) == count
    held = sum((p.low or 0.0) <= exact <= (p.high or 0.0) for p in estimates)
    assert held >= 102  # of 120 at 95% there are fewer with a probability of 1e-5
    values = [p.value for p in estimates]
    assert abs(np.mean(values) / exact - 1) < 4.5 * np.std(values) / exact / math.sqrt(count)


def test_many_plain_draws_agree() -> None:
    # Few kinds of items: a resample is one multinomial draw of kinds.
    kinds, times = nasty_kinds("f1", np.random.default_rng(11)), np.array([70, 60, 50, 20])
    gains = side_by_side(f1, 3)
    rows = np.repeat(kinds, times, axis=0)
    pair = Pair(metric_named("f1"), rows[:, :3], rows[:, 3:])
    r = 400_000
    drawn = gains(np.random.default_rng(1).multinomial(200, times / 200, size=r).astype(float) @ kinds)
    event = Event(-math.inf, float(pair.gain + 3.3 * drawn[:1000].std()), False, pair.tolerance)
    share = event.met(drawn).mean()
    assert 1e-5 < share < 1e-2
    probability = bootstrap_tilting(pair, 1).probability(event)
    assert probability is not None
    assert abs(probability.value - share) < 4.5 * math.sqrt(share / r + (0.025 * share) ** 2)


def test_draws_count_at_most_the_inverse_of_the_plain_share() -> None:
    for tilting, limits in (
        (bootstrap_tilting(pair := mean_pair(differences("one item", 6.0)), 1), (0.0, 2 * pair.gain)),
        (swap_tilting(pair, 0.0, 1), (-pair.gain, pair.gain)),
    ):
        mixture = tilting._mixture(Event(*limits, False, pair.tolerance))
        assert mixture is not None
        sums = np.random.default_rng(1).normal(0, 100, size=(1000, len(mixture.counts)))
        sums[:, 0] = 0
        assert mixture.log_weights(sums).max() <= math.log(1 / 0.0999)


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1, 2], [50, 100, 50])])
def test_every_tilt_is_drawn_as_its_weights_take_it_to_be(strata: IntArray | None) -> None:
    # E_g f/g = 1 of each tilt alone, and the mean weights are those that it has.
    for tilting in (
        bootstrap_tilting(pair := mean_pair(differences("exponential", 3.0, 200), strata), 1),
        swap_tilting(pair, 0.0, 1),
    ):
        draws = tilting.draws
        exponents = draws.settled(0.4 * np.random.default_rng(2).normal(size=len(tilting.columns)))
        weights = draws.sampler(exponents)(np.random.default_rng(np.random.SFC64(1)), 20_000).astype(float)
        spread = np.sqrt(weights.var(axis=0) / len(weights)) + 1e-9
        assert (np.abs(weights.mean(axis=0) - draws.mean(exponents)) < 5 * spread).all()
        small = exponents / 20
        ratios = np.exp(
            draws.cumulant(small)
            - draws.sampler(draws.settled(small))(np.random.default_rng(np.random.SFC64(2)), 20_000)
            @ draws.settled(small)
        )
        assert abs(ratios.mean() - 1) < 4.5 * ratios.std() / math.sqrt(len(ratios)) + 1e-3


def test_units_are_picked_by_their_shares_exactly() -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(300))
    picker = tilted._Picker(shares)
    whole = np.bincount(np.asarray(picker._table), minlength=301)[:300]
    rest = np.diff(picker._rest, prepend=0) * (2**16 - whole.sum())
    np.testing.assert_allclose((whole + rest) / 2**16, shares, rtol=1e-9)


def test_what_no_draw_can_meet_is_left_to_plain_draws() -> None:
    pair = mean_pair(np.repeat([1.0, 0.0], [30, 30]))
    assert bootstrap_tilting(pair, 1).probability(Event(-math.inf, 1.5, False, 1e-12)) is None
    plain = Probability(0.0, n_resamples=1000, n_exceeding=0)
    assert tilted.tilted_where_few(plain, bootstrap_tilting(pair, 1), Event(-math.inf, 1.5, False, 1e-12)) is plain


def test_plain_draws_that_contradict_have_the_last_word() -> None:
    pair = mean_pair(differences("normal", 6.0))
    event = Event(0.0, 2 * pair.gain, False, pair.tolerance)
    plain = Probability(0.04, n_resamples=1000, n_exceeding=40)
    assert tilted.tilted_where_few(plain, bootstrap_tilting(pair, 1), event) is plain
    none = Probability(0.0, n_resamples=1000, n_exceeding=0)
    assert tilted.tilted_where_few(none, bootstrap_tilting(pair, 1), event).tilted


# What users see.

BASELINE, CANDIDATE = f1_rows(300, 0.5, 1), f1_rows(300, 0.8, 2)


def compared(**options: object) -> outscore.Comparison:
    given = {"metric": "f1", "tests": ("bootstrap",), "n_resamples": 2000, **options}
    result: outscore.ComparisonResult = outscore.compare(BASELINE, CANDIDATE, **given)  # type: ignore[call-overload]
    return result.comparisons[0]


def test_a_comparison_says_that_its_p_value_is_tilted() -> None:
    comparison = compared()
    test = comparison.tests[0]
    assert (test.computation, test.n_resamples, test.n_exceeding) == ("tilted", 4000, None)
    assert not test.exact
    assert not test.is_bound
    assert test.p_value < 1e-12
    assert test.p_value_low < test.p_value < test.p_value_high < 1.2 * test.p_value
    assert "|r:4000|draws:tilted|" in test.signature
    assert "estimated from 4,000 resamples (importance sampling)" in comparison.sentence


def test_the_same_seed_gives_the_same_bits_on_any_executor() -> None:
    alone = compared().tests[0]
    with ThreadPoolExecutor(2) as pool:
        assert compared(executor=pool).tests[0] == alone
    other = compared(seed=1).tests[0]
    assert other.p_value != alone.p_value
    assert other.p_value == pytest.approx(alone.p_value, rel=0.25)


@pytest.mark.parametrize("options", [{"method": "monte-carlo"}, {"estimator": "plain"}])
def test_sampling_as_the_papers_do_never_tilts(options: dict[str, str]) -> None:
    test = compared(**options).tests[0]
    assert (test.computation, test.n_resamples, test.n_exceeding) == ("Monte Carlo", 2000, 0)
    assert test.is_bound


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("name", ["bootstrap", "bootstrap-uncentred"])
def test_every_side_of_every_bootstrap(name: str, alternative: str) -> None:
    tested = [compared(tests=(name,), alternative=alternative, ties=ties).tests[0] for ties in ("count", "strict")]
    if alternative == "less":
        assert [test.computation for test in tested] == ["Monte Carlo"] * 2
    else:
        assert [test.computation for test in tested] == ["tilted"] * 2
        assert tested[1].p_value <= tested[0].p_value < 1e-12


def test_clusters_and_strata_are_tilted() -> None:
    for option in ({"clusters": np.arange(300) // 3}, {"strata": np.arange(300) % 3}):
        assert compared(**option).tests[0].computation == "tilted"


@pytest.mark.parametrize("z", [9.0, 20.0])
def test_brackets_of_the_fewest_resamples_hold_what_they_say(z: float) -> None:
    # Of 200 brackets at 95% more than 24 are outside with a probability of 3 in 100,000.
    outside = 0
    for kind in ("normal", "exponential"):
        pair = mean_pair(differences(kind, z))
        assert pair.linear is not None
        exact = bootstrap_law(pair.linear.d, pair.linear.shared, None, probe=(2 * pair.gain, 0.0))
        assert exact is not None
        ends = (0.0, 2 * pair.gain)
        truth = exact.outside(*ends).value
        for seed in range(100):
            estimate = bootstrap_tilting(pair, seed, tilted._FEWEST_TILTED).probability(Event(*ends, False, 0.0))
            assert estimate is not None
            assert estimate.low is not None
            assert estimate.high is not None
            outside += not estimate.low <= truth <= estimate.high
    assert outside <= 24
