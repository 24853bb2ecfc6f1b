"""WMT's rules beside a ranking: p-values as SciPy's, ranks, and the numbers that are known of real data."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from scipy import stats

import outscore
from outscore.cli import main
from outscore.errors import OptionError
from outscore.wings.human.emulations import bca_p
from tests.human import made


def plain_p(differences: np.ndarray) -> float:
    return float(stats.wilcoxon(differences).pvalue)


@pytest.mark.parametrize("rule", ["wmt24", "wmt25"])
def test_a_rule_is_that_of_the_year(rule: Literal["wmt24", "wmt25"], tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    scores = made.appraise(path)
    ranking = outscore.rank(path, emulate=rule)
    assert ranking.emulated is not None
    for pair, p in zip(ranking.pairs, ranking.emulated.p_values, strict=True):
        differences = {
            domain: np.array([scores[pair.candidate, *key[1:]] - scores[pair.baseline, *key[1:]]
                              for key in scores if key[:2] == ("good", domain)])
            for domain in made.DOMAINS
        }  # fmt: skip
        every = np.concatenate(list(differences.values()))
        expected = float(stats.wilcoxon(every * np.sign(every.mean()), alternative="greater").pvalue)
        if rule == "wmt24":
            expected = stats.combine_pvalues(list(map(plain_p, differences.values())), method="stouffer").pvalue
        assert p == pytest.approx(expected, rel=1e-9)
    usual = outscore.rank(path)
    assert usual.systems == ranking.systems
    assert usual.emulated is None
    assert "emulated" not in usual.to_json()
    assert ranking.emulated.tool in ranking.to_text()


def test_opposite_differences_add_up_by_the_rule_of_2024(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = ["system,item,domain,score"]
    for place in range(80):
        domain, better = ("x", 2.0) if place < 40 else ("y", -2.0)
        for system, gain in (("a", 0.0), ("b", better)):
            rows.append(f"{system},{place},{domain},{rng.normal(gain, 1):.6f}")
    path = tmp_path / "opposite.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    ranking = outscore.rank(path, strata="domain", weights="macro", emulate="wmt24")
    assert ranking.emulated is not None
    assert ranking.emulated.n_significant == 1
    assert ranking.pairs[0].p_value > 0.3


def flat(waves: list[list[float]]) -> list[float]:
    """Return the first ratings of all segments, then the second ones, NaN if there is none."""
    return [of_segment[place] if place < len(of_segment) else np.nan for place in (0, 1) for of_segment in waves]


@pytest.mark.parametrize("form", ["numbered", "partly"])
def test_waves_are_crossed_by_the_rule_of_2025(form: str, tmp_path: Path) -> None:
    path = tmp_path / "wmt25.jsonl"
    waves = {name: flat(of_segments) for name, of_segments in made.waves(path, form).items()}
    n = len(waves["good"]) // 2

    def p_of(above: str, below: str) -> float:
        both = np.array(waves[above] * 2) - np.array(waves[below] + waves[below][n:] + waves[below][:n])
        return float(stats.wilcoxon(both[~np.isnan(both)], alternative="greater").pvalue)

    ranking = outscore.rank(path, emulate="wmt25")
    emulated = ranking.emulated
    assert emulated is not None
    order = sorted(waves, key=lambda name: -np.nanmean(waves[name]))
    for pair, p in zip(ranking.pairs, emulated.p_values, strict=True):
        assert p == pytest.approx(p_of(*sorted((pair.candidate, pair.baseline), key=order.index)), rel=1e-9)
    ends = []
    for place, name in enumerate(order):
        low = high = place + 1
        while low > 1 and p_of(order[low - 2], name) >= 0.025:
            low -= 1
        while high < len(order) and p_of(name, order[high]) >= 0.025:
            high += 1
        ends.append((low, high))
    assert len(set(ends)) > 2  # neither all the same nor all alone
    ours = {system.name: (system.rank_low, system.rank_high, system.tier) for system in emulated.systems}
    assert [ours[name][:2] for name in order] == ends
    parted = [
        place
        for place in (1, 2, 3)
        if max(high for _, high in ends[:place]) <= place < min(low for low, _ in ends[place:])
    ]
    assert [ours[name][2] for name in order] == [1 + sum(at <= place for at in parted) for place in range(4)]


@pytest.mark.parametrize("seed", range(20))
def test_the_bootstrap_of_2026_decides_as_scipy(seed: int) -> None:
    made_with = np.random.default_rng(seed)
    samples = [made_with.gamma(2, 1, 30) - 2 + 0.1 * seed / 4, -made_with.gamma(2, 1, 25 + seed) + 1.8]
    for used in (samples[:1], samples):
        for level in (0.01, 0.05, 0.2, 0.5):
            theirs = stats.bootstrap(
                used,
                lambda *of, axis=-1: sum(np.mean(one, axis=axis) for one in of),
                n_resamples=100,
                confidence_level=1 - level,
                alternative="greater",
                rng=np.random.default_rng(seed),
            )
            p = bca_p(used, np.random.default_rng(seed))
            assert (p < level) == (theirs.confidence_interval.low > 0)


def test_the_rule_of_2026(tmp_path: Path) -> None:
    path = tmp_path / "wmt25.jsonl"
    waves = made.waves(path, "numbered")
    emulated = outscore.rank(path, emulate="wmt26").emulated
    assert emulated is not None
    places = {system.name: system for system in emulated.systems}
    assert (places["good"].wins, places["poor"].losses) == (3, 3)
    assert [places[name].tier for name in waves] == [1, 2, 2, 3]
    assert bca_p([np.ones(5)], np.random.default_rng(0)) == 1  # no variance: SciPy has no interval
    assert bca_p([np.arange(9.0) + 30], np.random.default_rng(0)) == pytest.approx(1 / 101)
    assert bca_p([np.arange(9.0) - 30], np.random.default_rng(0)) == 1


def test_wins_and_losses_agree_with_ranks(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    emulated = outscore.rank(path, emulate="wmt24").emulated
    assert emulated is not None
    for system in emulated.systems:
        assert (system.rank_low, system.rank_high) == (1 + system.losses, 3 - system.wins)
    assert sum(system.wins for system in emulated.systems) == emulated.n_significant


@pytest.mark.parametrize("form", ["text", "latex", "markdown", "html"])
def test_the_table_of_wmt(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    report = tmp_path / "report.html"
    argv = [
        "rank",
        str(path),
        "--emulate",
        "wmt25",
        *(("--report", str(report)) if form == "html" else ("--format", form)),
    ]
    with pytest.raises(SystemExit) as done:
        main(argv)
    assert not done.value.code
    text = report.read_text(encoding="utf-8") if form == "html" else capsys.readouterr().out
    assert "WMT25: W/L" in text
    assert "wins/losses" in text.lower()
    assert "1/0" in text
    assert "independent" in text


def test_only_rankings_are_emulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    with pytest.raises(OptionError, match="wmt24"):
        outscore.rank(path, emulate="sacrebleu")  # type: ignore[call-overload]
    with pytest.raises(SystemExit) as done:
        main(["compare", f"{path}:good", f"{path}:fair", "--emulate", "wmt24"])
    assert done.value.code == 2
    assert "Use outscore rank" in capsys.readouterr().err


@pytest.mark.skipif(not made.DATA.is_dir(), reason="the ratings of WMT24 are not here")
@pytest.mark.parametrize(
    ("languages", "rule", "expected"),
    [("en-cs", "wmt25", 85), ("en-cs", "wmt24", 103), ("en-ja", "wmt25", 40), ("en-ja", "wmt24", 50)],
)
def test_real_ratings(languages: str, rule: Literal["wmt24", "wmt25"], expected: int) -> None:
    ranking = outscore.rank(made.DATA / made.LANGUAGES[languages], emulate=rule, correction="none", max_t=False)
    assert ranking.emulated is not None
    assert ranking.emulated.n_significant == expected
    ours = sum(pair.p_value < 0.05 for pair in ranking.pairs)
    assert (ranking.n_items, ranking.n_units, ours) == (297, 85, {"en-cs": 55, "en-ja": 22}[languages])
    assert len(ranking.pairs) == len([*combinations(ranking.systems, 2)])
