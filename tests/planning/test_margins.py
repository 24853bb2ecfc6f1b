"""Powers of claims with a margin: against enumeration, simulation, and the likelihood that they are made from."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multinomial, norm

from outscore import Level, Rates, Spread, plan_gain, plan_items, plan_power
from outscore.errors import NotApplicableError, OptionError
from outscore.metrics import Accuracy, Mean
from outscore.reports import documents_of
from outscore.results import Claim
from tests.planning.kit import Margin, Simulation, exact_margin_power, score_statistic
from tests.planning.populations import pilot, real_f1
from tests.reports.kit import Table
from tests.reports.written import figure_of, to_json
from tests.significance.kit import SimulatedSets

CLAIMS = [Claim.NOT_WORSE, Claim.EQUIVALENT]


def shown(helped: int, hurt: int, n: int, margin: Margin) -> bool:
    """Say whether the claim is shown, z from the largest likelihood under the null, found by a search."""

    def z(h: int, t: int) -> float:
        m = margin.size

        def minus_log_likelihood(q: float) -> float:
            p, rest = q - m, 1 - 2 * q + m
            parts = [(h, p), (t, q), (n - h - t, rest)]
            return -sum(k * math.log(max(share, 1e-300)) for k, share in parts if k)

        q = minimize_scalar(minus_log_likelihood, bounds=(m, (1 + m) / 2), options={"xatol": 1e-12}).x
        return float((h - t + n * m) / math.sqrt(n * (2 * q - m - m * m)))

    critical = norm.isf(0.05)
    return bool(z(helped, hurt) >= critical and (not margin.equivalent or z(hurt, helped) >= critical))


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(("helped", "hurt", "size"), [(0.05, 0.05, 0.15), (0.0, 0.1, 0.3), (0.2, 0.1, 0.25)])
def test_power_is_the_sum_over_all_test_sets(claim: Claim, helped: float, hurt: float, size: float) -> None:
    n, margin = 25, Margin(claim, size)
    expected = sum(
        multinomial.pmf([h, t, n - h - t], n, [helped, hurt, 1 - helped - hurt])
        for h in range(n + 1)
        for t in range(n + 1 - h)
        if shown(h, t, n, margin)
    )
    found = exact_margin_power(n, helped, hurt, margin, Level())
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert 0 < found.value < 1


@pytest.mark.parametrize("n", [100, 200, 500])
@pytest.mark.parametrize("size", [0.01, 0.02, 0.05])
@pytest.mark.parametrize("helped", [0.0, 0.02])
def test_at_the_margin_itself_the_power_is_the_level(n: int, size: float, helped: float) -> None:
    """Losses are few, and none may be seen: the resampled law showed the claim in up to 36.6% of such test sets."""
    assert exact_margin_power(n, helped, helped + size, Margin(Claim.NOT_WORSE, size), Level()).value <= 0.06
    either = exact_margin_power(n, helped, helped + size, Margin(Claim.EQUIVALENT, size), Level()).value
    assert either <= 0.06


def test_the_limits_are_those_of_a_large_simulation() -> None:
    """100,000 test sets; 4 standard errors are 0.0055."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(1_000, [0.03, 0.04, 0.93], size=100_000)
    z = score_statistic(counts[:, 0], counts[:, 1], 1_000, 0.03)
    found = exact_margin_power(1_000, 0.03, 0.04, Margin(Claim.NOT_WORSE, 0.03), Level()).value
    assert found == pytest.approx(float((z >= norm.isf(0.05)).mean()), abs=0.0055)


@pytest.mark.parametrize("claim", CLAIMS)
def test_reweighting_is_tangos_test_where_items_are_right_or_wrong(claim: Claim) -> None:
    population = pilot(Accuracy(), np.repeat([0, 1, 1], [20, 20, 60]), np.repeat([1, 0, 1], [20, 20, 60]))
    counts = np.random.default_rng(1).multinomial(200, [0.03, 0.02, 0.95], size=500)
    counts = np.concatenate([counts, [[0, 0, 200], [0, 3, 197], [9, 0, 191]]])
    weights = np.zeros((len(counts), 100))
    weights[:, [0, 20, 99]] = counts
    margin = Margin(claim, 0.03, (1.0, 1.0))
    decided = margin.decides_draws(SimulatedSets(population.pair, weights), 0.05, two_sided=True)
    expected = [shown(int(h), int(t), 200, margin) for h, t, _ in counts]
    np.testing.assert_array_equal(decided, expected)


@pytest.mark.parametrize("claim", CLAIMS)
def test_simulated_decisions_are_those_of_the_test_itself(claim: Claim) -> None:
    """Those of means agree except where z is at its limit. F1 is linearised in another way: 6% of 1,280 sets differ."""
    rng = np.random.default_rng(6)
    shares = np.round(rng.beta(2, 2, (2, 200)), 2)
    for metric, scale, allowed in ((Mean(lowest=0, highest=1), 1.0, 1), (Mean(), 10.0, 1), (None, 1.0, 12)):
        simulation = Simulation(128, 7, n_checks=128)
        if metric is None:
            population, margin = real_f1(simulation), 0.06
        else:
            population, margin = pilot(metric, *(scale * shares), simulation=simulation), 0.05 * scale
        row = plan_power(population, 200, claim=claim, margin=margin).rows[0]
        check = row.power.check
        assert check is not None
        assert check.n_sets == 128
        assert check.n_more + check.n_fewer <= allowed
        assert 0.1 < row.power.value < 0.9 or claim is Claim.EQUIVALENT


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_pilot_of_normal_differences_needs_the_items_of_their_standard_deviation(claim: Claim) -> None:
    differences = np.random.default_rng(2).normal(0, 0.3, 400)
    population = pilot(Mean(), np.zeros(400), differences, simulation=Simulation(4_000, 3))
    found = plan_items(population, claim=claim, margin=0.03).rows[0]
    known = plan_items(Spread(float(differences.std())), claim=claim, margin=0.03).rows[0]
    assert found.items == pytest.approx(known.items, rel=0.06)
    assert found.low is not None
    assert found.power.type_s is None


@pytest.mark.parametrize("claim", CLAIMS)
def test_normal_powers_are_those_of_simulated_means(claim: Claim) -> None:
    """200,000 means; 4 standard errors are 0.0045."""
    found = plan_power(Spread(0.3), 400, 0.01, claim=claim, margin=0.04).rows[0].power.value
    means = np.random.default_rng(4).normal(0.01, 0.3 / 20, 200_000)
    reach = norm.isf(0.05) * 0.3 / 20
    below = means - reach > -0.04
    expected = below & (means + reach < 0.04) if claim is Claim.EQUIVALENT else below
    assert found == pytest.approx(float(expected.mean()), abs=0.0045)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("population", [Rates(0.05), Spread(0.3)])
def test_the_items_needed_have_the_power(claim: Claim, population: Rates | Spread) -> None:
    row = plan_items(population, claim=claim, margin=0.05).rows[0]
    assert row.power.value >= 0.8
    assert plan_power(population, row.items - 1, claim=claim, margin=0.05).rows[0].power.value < 0.8
    worse = plan_items(population, -0.01, claim=claim, margin=0.05).rows[0]
    assert worse.items > row.items


def test_claims_of_f1_are_simulated() -> None:
    population = real_f1(Simulation(1_000, 5))
    few, many = (row.power.value for row in plan_power(population, [1_000, 6_000], claim="not-worse", margin=0.02).rows)
    sd = population.deviation(0.001)
    for found, n in ((few, 1_000), (many, 6_000)):
        assert found == pytest.approx(norm.cdf(0.02 * math.sqrt(n) / sd - norm.isf(0.05)), abs=0.05)


def test_right_or_wrong_pilots_have_exact_powers_of_claims() -> None:
    population = pilot(Accuracy(), np.repeat([0, 1, 1], [50, 50, 900]), np.repeat([1, 0, 1], [50, 50, 900]))
    found = plan_power(population, 2_000, claim="equivalent", margin=0.02).rows[0].power
    assert found.n_sets is None
    known = plan_power(Rates(0.05), 2_000, claim="equivalent", margin=0.02).rows[0].power
    assert found.value == pytest.approx(known.value, rel=1e-9)


def test_what_is_claimed_is_written() -> None:
    plan = plan_items(Rates(0.05), [0.0, 0.005], claim="not-worse", margin=0.02)
    assert (plan.claim, plan.margin) == (Claim.NOT_WORSE, 0.02)
    written = json.loads(to_json([plan]))
    assert (written["claim"], written["margin"], written["rows"][0]["type_m"]) == ("not-worse", 0.02, None)
    assert "claim:not-worse|margin:0.02" in plan.signature
    [document] = documents_of([plan])
    assert "not worse, with a margin of 2.00 points, needs" in document.lead
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    assert table.headings == ("test", "items", "gain (points)", "power")
    assert figure_of(plan).panels
    assert figure_of(plan_power(Rates(0.05), [500, 2000], claim="equivalent", margin=0.02)).panels
    assert json.loads(to_json([plan_gain(Rates(0.05), 500)]))["margin"] is None


@pytest.mark.parametrize(
    ("asked", "slug"),
    [
        ({"claim": "not-worse"}, "missing-margin"),
        ({"margin": 0.01, "gain": 0.02}, "usage"),
        ({"claim": "worse", "margin": 0.01}, "unknown-value"),
        ({"claim": "not-worse", "margin": 0.0}, "out-of-range"),
        ({"claim": "not-worse", "margin": math.nan}, "out-of-range"),
        ({"claim": "not-worse", "margin": 1.5}, "not-a-share"),
        ({"claim": "not-worse", "margin": "150%"}, "impossible-gain"),
        ({"claim": "not-worse", "margin": 0.01, "gain": -0.01}, "impossible-gain"),
        ({"claim": "equivalent", "margin": 0.01, "gain": 0.02}, "impossible-gain"),
        ({"claim": "equivalent", "margin": 0.01, "tests": "bootstrap"}, "not-applicable"),
        ({"claim": "not-worse", "margin": 1e-9}, "impossible-gain"),
        ({}, "missing-gain"),
        ({"gain": 0.01, "tests": "score"}, "not-applicable"),
    ],
)
def test_what_cannot_be_claimed_is_refused(asked: dict[str, object], slug: str) -> None:
    with pytest.raises((OptionError, NotApplicableError)) as caught:
        plan_items(Rates(0.05), **asked)  # type: ignore[arg-type]
    assert caught.value.problems[0].slug == slug
