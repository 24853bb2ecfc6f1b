"""sacreBLEU's paired tests by our hands: its p-values, from its draws to the last digit, from ours within chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

import outscore
from outscore import Rows
from outscore.results import Alternative, Estimator, Method, Ties
from outscore.significance import (
    BY_NAME,
    TESTS,
    Bootstrap,
    Randomization,
    Resampling,
    SacrebleuBootstrap,
    SacrebleuRandomization,
)
from tests import oracles
from tests.kit import Settings, compare_scores, output_metrics
from tests.scored import scored
from tests.significance.kit import GainLaws, Hypothesis, Pair, bootstrap_exceeding, randomization_exceeding

Bleu, ChrF, Ter = output_metrics("bleu chrf ter")
EMULATIONS = [name for name, test in BY_NAME.items() if test.emulates]

sacrebleu = pytest.importorskip("sacrebleu")
peer_tests = pytest.importorskip("sacrebleu.significance")

Find = Callable[[str], Path]
R = 5000
# Fisher's exact test refuses two counts of one probability at most this often; so does the binomial test. With some
# 40 such checks in this file, one run in 2,500 raises a false alarm.
FALSE_ALARM = 1e-5


@dataclass(frozen=True)
class Case:
    """Two systems on a few segments, chosen to have p-values that are neither clear nor hopeless."""

    folder: str
    reference: str
    baseline: str
    candidate: str
    metric: Any
    n: int

    def __str__(self) -> str:
        return f"{self.metric.name} {self.baseline} {self.candidate}"

    @property
    def peer(self) -> Any:
        return getattr(sacrebleu.metrics, {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}[self.metric.name])()

    def texts(self, data: Find) -> tuple[list[str], list[str], list[str]]:
        folder = data(self.folder)
        paths = folder / self.reference, *(folder / "systems" / f"{name}.txt" for name in self.systems)
        reference, baseline, candidate = (path.read_text("utf-8").split("\n")[: self.n] for path in paths)
        return reference, baseline, candidate

    @property
    def systems(self) -> tuple[str, str]:
        return self.baseline, self.candidate

    def pair(self, data: Find) -> Pair:
        reference, *systems = self.texts(data)
        references = [(text,) for text in reference]
        baseline, candidate = (self.metric.rows(outputs, references) for outputs in systems)
        return Pair(self.metric, baseline, candidate)

    def peer_p_value(self, data: Find, kind: str, r: int) -> float:
        """The real tool's p-value, from its default seed, 12345."""
        reference, *systems = self.texts(data)
        named = list(zip(self.systems, systems, strict=True))
        _, found = peer_tests.PairedTest(named, {"m": self.peer}, [reference], kind, r)()
        [scores] = [results for name, results in found.items() if name != "System"]
        p = scores[1].p_value
        assert isinstance(p, float)
        return p


DE_EN, EN_CS = ("mt-wmt21-de-en", "ref.A.en.txt"), ("mt-wmt24-en-cs", "ref.A.cs.txt")
CASES = [
    Case(*EN_CS, "Aya23", "CUNI-GA", Bleu(), 120),
    Case(*EN_CS, "CUNI-GA", "CommandR-plus", ChrF(), 120),
    Case(*DE_EN, "Facebook-AI", "Online-B", Bleu(), 120),
    Case(*DE_EN, "HuaweiTSC", "Online-B", Bleu(), 120),
    Case(*DE_EN, "Online-A", "Online-B", ChrF(), 120),
    Case(*DE_EN, "Borderline", "ICL", Ter(), 60),
]
cases = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(autouse=True)
def its_default_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)


def laws_of(pair: Pair, **resampling: Any) -> GainLaws:
    return GainLaws([pair], Resampling(**resampling))


def same_probability(c: int, r: int, c_peer: int, r_peer: int) -> bool:
    return bool(fisher_exact(np.array([[c, r - c], [c_peer, r_peer - c_peer]])).pvalue > FALSE_ALARM)


@cases
def test_its_own_draws_give_its_p_values_to_the_last_digit(data: Find, case: Case) -> None:
    pair = case.pair(data)
    n, k = pair.baseline.shape
    drawn = np.random.default_rng(12345).choice(n, size=(R, n), replace=True)
    totals = [rows[drawn].sum(axis=1) for rows in (pair.baseline, pair.candidate)]
    gains = pair.sign * (pair.metric.score(totals[1]) - pair.metric.score(totals[0]))
    ours = (bootstrap_exceeding(gains, pair.gain, pair.tolerance) + 1) / (R + 1)
    assert ours == case.peer_p_value(data, "bs", R)

    kept = np.random.default_rng(12345).integers(2, size=(R, n), dtype=bool)
    as_they_are = np.column_stack([pair.baseline, pair.candidate])
    swapped = kept @ as_they_are + ~kept @ np.roll(as_they_are, k, axis=1)
    gains = pair.sign * (pair.metric.score(swapped[:, k:]) - pair.metric.score(swapped[:, :k]))
    ours = (randomization_exceeding(gains, pair.gain, pair.tolerance) + 1) / (R + 1)
    assert ours == case.peer_p_value(data, "ar", R)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [12345, 7])
@pytest.mark.parametrize("at_once", [2**22, 2**12])
@cases
def test_p_values_are_the_very_ones_that_it_prints(
    data: Find, case: Case, seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    monkeypatch.setattr("outscore.significance.sacrebleu.RANDOM_NUMBERS_BLOCK", at_once)
    reference, *systems = case.texts(data)
    pair = case.pair(data)
    laws = GainLaws([pair], Resampling(seed=seed))
    for kind, test in (("bs", SacrebleuBootstrap(200)), ("ar", SacrebleuRandomization(300))):
        named = list(zip(case.systems, systems, strict=True))
        found = peer_tests.PairedTest(named, {"it": case.peer}, [reference], kind, test.n_resamples)()[1]
        [name] = set(found) - {"System"}
        ours = test.p_value(pair, laws, Hypothesis())
        assert (ours.n_exceeding + 1) / (test.n_resamples + 1) == found[name][1].p_value


@pytest.mark.parametrize(
    ("seed", "metric", "why"),
    [(0, Bleu(), "seed 0 as no seed"), (5, outscore.Accuracy(), "sacreBLEU has no accuracy"), (5, Bleu(), None)],
)
def test_where_it_is_another_p_value_the_reason_is_said(seed: int, metric: Any, why: str | None) -> None:
    rows = np.ones((8, len(metric.statistics)))
    told = SacrebleuBootstrap().caveat_on(Pair(metric, rows, rows), seed)
    assert ("not what sacreBLEU prints" in told) == (why is not None)
    assert why is None or why in told


@pytest.mark.slow
@cases
def test_p_values_are_the_real_tools_within_sampling_error(data: Find, case: Case) -> None:
    """Both counts are binomial. That the bootstrap's are centred by their own mean makes them vary less, not more:
    for normal sizes by p(1 − p) − φ² instead of p(1 − p)."""
    laws, pair = laws_of(case.pair(data), seed=1), case.pair(data)
    for test, kind in ((SacrebleuBootstrap(R), "bs"), (SacrebleuRandomization(R), "ar")):
        found = test.p_value(pair, laws, Hypothesis())
        peer = round(case.peer_p_value(data, kind, R) * (R + 1)) - 1
        assert found.n_resamples == R
        assert 0 < peer < R
        assert same_probability(int(found.n_exceeding), R, peer, R), (test.name, found.n_exceeding, peer)


def test_the_check_above_tells_the_sound_bootstrap_from_it(data: Find) -> None:
    """Else it would show nothing."""
    told = 0
    for case in CASES:
        pair = case.pair(data)
        law = laws_of(pair, method=Method.MONTE_CARLO, n_resamples=R, seed=1)
        sound = Bootstrap().p_value(pair, law, Hypothesis(Alternative.TWO_SIDED)).n_exceeding
        told += not same_probability(int(sound), R, round(case.peer_p_value(data, "bs", R) * (R + 1)) - 1, R)
    assert told >= len(CASES) - 1


@pytest.mark.parametrize("metric", [Bleu(), ChrF(), Ter()], ids=lambda metric: metric.name)
def test_identical_systems_get_the_smallest_p_value_there_is(data: Find, metric: Any) -> None:
    case = Case(*DE_EN, "Online-B", "Online-B", metric, 20)
    assert case.peer_p_value(data, "bs", 1000) == 1 / 1001
    assert case.peer_p_value(data, "ar", 10_000) == 1 / 10_001
    pair = case.pair(data)
    rows = Rows("same", pair.baseline)
    tests = [Bootstrap(), Randomization(), SacrebleuBootstrap(), SacrebleuRandomization()]
    settings = Settings(tests, alternative=Alternative.TWO_SIDED, resampling=Resampling(n_resamples=100))
    [comparison] = compare_scores(scored(metric, [rows, rows]), settings)[0].comparisons
    assert [test.p_value for test in comparison.tests] == [1.0, 1.0, 1 / 1001, 1 / 10_001]
    assert comparison.verdict == "inconclusive"


def binomial(test: outscore.TestResult, probability: Fraction) -> float:
    """The p-value of a count against its true probability."""
    assert test.n_exceeding is not None
    assert test.n_resamples is not None
    return float(binomtest(test.n_exceeding, test.n_resamples, float(probability)).pvalue)


D = [1] * 6 + [-1] * 3 + [0] * 11


def test_the_bootstrap_is_what_the_formula_says_of_the_exact_law() -> None:
    law = oracles.convolved_draws(D)
    gain = Fraction(sum(D))
    mean_size = sum((abs(total) * chance for total, chance in law.items()), Fraction(0))
    # The mean of the replicates' sizes varies by a few per cent: far from a whole number it decides nothing.
    assert abs((mean_size + gain) % 1 - Fraction(1, 2)) < Fraction(3, 10)
    expected = oracles.event_probability(law, lambda total: abs(total) - mean_size > abs(gain))
    [test] = emulated(D, SacrebleuBootstrap(20_000))
    assert binomial(test, expected) > FALSE_ALARM


def test_the_randomization_leaves_ties_out() -> None:
    """The gain of -0.1 + 0.3, of 0.2 and of 0.1 + 0.1 are not the same floating-point number."""
    d = [0.1, 0.1, 0.1, -0.1, 0.3, 0.1]
    law = oracles.swap_law(
        [(Fraction(0), Fraction(1))] * 6, [(oracles.fraction(x), Fraction(1)) for x in d], oracles.ratio
    )
    gain = sum(map(oracles.fraction, d)) / 6
    strictly = oracles.event_probability(law, lambda reached: abs(reached) > gain)
    with_ties = oracles.event_probability(law, lambda reached: abs(reached) >= gain)
    [test] = emulated(d, SacrebleuRandomization(20_000))
    assert binomial(test, strictly) > FALSE_ALARM
    assert binomial(test, with_ties) < FALSE_ALARM


def emulated(d: list[int] | list[float], *tests: Any, **options: Any) -> list[outscore.TestResult]:
    options = {"alternative": "two-sided", **options}
    result = outscore.compare([0.0] * len(d), d, tests=["randomization", *tests], **options)
    return list(result.comparisons[0].tests[1:])


@pytest.mark.parametrize(
    "options",
    [
        {"alternative": "greater"},
        {"alternative": "less"},
        {"method": "monte-carlo"},
        {"method": "exact"},
        {"n_resamples": 10},
        {"ties": "strict"},
        {"estimator": "plain"},
    ],
    ids=str,
)
def test_no_option_changes_it(options: dict[str, Any]) -> None:
    expected = emulated(D, *EMULATIONS)
    found = emulated(D, *EMULATIONS, **options)
    assert found == expected
    for test, r in zip(found, (1000, 10_000), strict=True):
        assert test.n_exceeding is not None
        assert test.p_value == (test.n_exceeding + 1) / (r + 1)
        assert (test.alternative, test.ties, test.exact) == (Alternative.TWO_SIDED, Ties.STRICT, False)
        assert f"|alternative:two-sided|ties:strict|estimator:{Estimator.ADD_ONE}|r:{r}|" in test.signature


def test_it_takes_the_first_of_the_draws_that_other_tests_take() -> None:
    rng = np.random.default_rng(0)
    rows = [np.column_stack([rng.normal(size=30), np.ones(30)]) for _ in range(2)]
    pair = Pair(outscore.Mean(), rows[0], rows[1])
    few, many = (laws_of(pair, method=Method.MONTE_CARLO, n_resamples=r) for r in (400, 1000))
    assert (few.gains(400, swapped=False) == many.gains(1000, swapped=False)[:400]).all()
    assert (few.gains(400, swapped=True) == many.gains(1000, swapped=True)[:400]).all()
    for gains, law in ((few.gains(400, swapped=False), few.law()), (few.gains(400, swapped=True), few.law(0.0))):
        for value in np.quantile(gains, [0.1, 0.5, 0.9]):
            assert law.outside(-np.inf, value).n_exceeding == (gains >= value).sum()


def test_several_candidates_have_their_own() -> None:
    rng = np.random.default_rng(1)
    baseline, one, other = rng.normal(size=(3, 40))
    together = outscore.compare(baseline, one, other, tests=["bootstrap", *EMULATIONS])
    for candidate, comparison in zip((one, other), together.comparisons, strict=True):
        alone = outscore.compare(baseline, candidate, tests=["bootstrap", *EMULATIONS]).comparisons[0]
        assert [test.p_value for test in comparison.tests] == [test.p_value for test in alone.tests]


def test_double_checks_use_other_resamples_and_no_exact_law() -> None:
    for test in emulated(D, *EMULATIONS, double_check=True):
        [check] = test.checks
        assert check.computation == "Monte Carlo"
        assert check.seed not in (None, 12345)
        assert check.n_exceeding != test.n_exceeding
        assert check.agrees


def test_all_tests_are_sound_ones() -> None:
    assert not set(TESTS) & set(BY_NAME)
    result = outscore.compare([0.0] * len(D), D, tests="all")
    assert all(test.emulates is None for test in result.comparisons[0].tests)


@pytest.mark.parametrize("name", EMULATIONS)
def test_it_never_gives_the_verdict(name: str) -> None:
    with pytest.raises(outscore.OptionError, match=f"{name} .* cannot give the verdict.*bootstrap,{name}"):
        outscore.compare([0.0] * len(D), D, tests=name)
    result = outscore.compare([0.0] * len(D), D, tests=["bootstrap", name])
    alone = outscore.compare([0.0] * len(D), D, tests="bootstrap")
    assert result.comparisons[0].verdict == alone.comparisons[0].verdict


@pytest.mark.parametrize("claim", ["not-worse", "equivalent"])
def test_it_knows_no_margin(claim: str) -> None:
    with pytest.raises(outscore.NotApplicableError, match="does not support a margin"):
        outscore.compare([0.0] * len(D), D, tests=["bootstrap", *EMULATIONS], claim=claim, margin=0.1)


@pytest.mark.parametrize("name", EMULATIONS)
def test_it_knows_no_clusters(name: str) -> None:
    clusters = [str(i // 2) for i in range(len(D))]
    with pytest.raises(outscore.NotApplicableError, match="single items"):
        outscore.compare([0.0] * len(D), D, tests=["bootstrap", name], clusters=clusters)


def test_it_corrects_nothing_for_several_candidates() -> None:
    others = [list(D), [0.4 * d for d in D], [-d for d in D]]
    result = outscore.compare([0.0] * len(D), *others, tests=["bootstrap", *EMULATIONS], alternative="two-sided")
    sound, *theirs = zip(*(comparison.tests for comparison in result.comparisons), strict=True)
    assert any(test.adjusted_p_value > test.p_value for test in sound)
    assert all(test.adjusted_p_value == test.p_value for of_test in theirs for test in of_test)


def test_a_warning_says_why_the_p_values_differ() -> None:
    result = outscore.compare([0.0] * len(D), D, tests=["bootstrap", *EMULATIONS])
    warning, other = (text for text in result.comparisons[0].warnings if "sacreBLEU" in text)
    assert "centres the bootstrap after taking absolute values" in warning
    assert "11.2% at a nominal 5%" in warning
    assert "strictly" in warning
    assert "strictly" in other
    assert "centres" not in other  # each says what is wrong with that test alone
    assert not any("sacreBLEU" in text for text in outscore.compare([0.0] * 20, D).comparisons[0].warnings)


def test_the_rate_in_that_sentence_is_the_one_that_was_measured() -> None:
    page = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text("utf-8")
    assert "that formula rejects **11.2%** at a nominal 5%" in " ".join(page.split())


def test_a_p_value_near_alpha_asks_for_no_more_resamples() -> None:
    """Their number is part of the formula."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        d = rng.normal(0.3, 1, 40)
        [comparison] = outscore.compare(np.zeros(40), d, tests=["paired-t", "sacrebleu-bootstrap"]).comparisons
        test = comparison.tests[1]
        if test.p_value_low <= 0.05 <= test.p_value_high:
            assert not any("--n-resamples" in warning for warning in comparison.warnings)
            return
    pytest.fail("no p-value near 0.05")
