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
        expected = plain_p(np.concatenate(list(differences.values())))
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


def test_wins_and_losses_agree_with_ranks(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    made.appraise(path)
    emulated = outscore.rank(path, emulate="wmt25").emulated
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
    [("en-cs", "wmt25", 86), ("en-cs", "wmt24", 103), ("en-ja", "wmt25", 40), ("en-ja", "wmt24", 50)],
)
def test_real_ratings(languages: str, rule: Literal["wmt24", "wmt25"], expected: int) -> None:
    ranking = outscore.rank(made.DATA / made.LANGUAGES[languages], emulate=rule, correction="none", max_t=False)
    assert ranking.emulated is not None
    assert ranking.emulated.n_significant == expected
    ours = sum(pair.p_value < 0.05 for pair in ranking.pairs)
    assert (ranking.n_items, ranking.n_units, ours) == (297, 85, {"en-cs": 55, "en-ja": 22}[languages])
    assert len(ranking.pairs) == len([*combinations(ranking.systems, 2)])
