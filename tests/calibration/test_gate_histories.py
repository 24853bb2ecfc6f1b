"""Histories of commits at a gate: simulated ones are those of stored baselines, and their error rates are kept.

All seeds are fixed. A check of a rate fails by chance with a probability below 1e-6 (`checks.FALSE_ALARM`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import outscore
from tests.calibration.checks import Check, assert_all
from tests.calibration.gate_histories import Histories, Runs, failed, levels, p_values, passed
from tests.gating.kit import ErrorRate, GateRule, Look, Margins, gate_scores, spent_level

MARGIN = 0.03


def system(run: Runs) -> dict[str, int]:
    return {f"q{item}": int(right) for item, right in enumerate(run)}


def test_p_values_of_many_histories_are_those_of_the_gate() -> None:
    histories = Histories(8, 300, seed=3)
    for loss in (0.0, MARGIN, 0.1):
        runs = [histories.run(loss) for _ in range(3)]
        for n_runs in (1, 2, 3):
            p = p_values(histories.baseline, runs[:n_runs], MARGIN)
            for place in range(8):
                candidate = np.stack([run[place] for run in runs[:n_runs]], axis=1)
                several = {"runs": "samples"} if n_runs > 1 else {}
                base = histories.baseline[place]
                both = {
                    "a": np.stack([base] * n_runs, axis=1) if n_runs > 1 else base,
                    "b": candidate if n_runs > 1 else candidate[:, 0],
                }
                scores = outscore.read(both, metric="accuracy", **several)  # type: ignore[arg-type]
                (check,) = gate_scores(scores, GateRule(Margins(MARGIN)), Look(1, 1, 0.025)).checks
                # Where the gain lies on the wrong side of the null hypothesis, z is not worked out.
                for ours, theirs in ((p.passing[place], check.p_pass), (p.failing[place], check.p_fail)):
                    assert ours == pytest.approx(min(theirs, 0.5), rel=1e-9)


@pytest.mark.parametrize("error", list(ErrorRate))
def test_a_history_through_a_stored_baseline_is_the_one_simulated(error: ErrorRate, tmp_path: Path) -> None:
    histories, store = Histories(1, 400, seed=4), str(tmp_path / "store.json")
    rule = GateRule(Margins(MARGIN), error=error, looks=3 if error is ErrorRate.PER_COMMIT else None)
    outscore.gate_accept(system(histories.baseline[0]), store, metric="accuracy", commit="")
    look, seen = 0, set()
    for commit in range(8):
        runs: list[Runs] = []
        for again in range(3 if commit in (2, 6) else 1):
            look += 1
            runs.append(histories.run(0.15 if commit >= 5 else 0.0))
            p = p_values(histories.baseline, runs, MARGIN)
            level = spent_level(rule, again + 1 if error is ErrorRate.PER_COMMIT else look)
            outcome = "passed" if passed(p, level)[0] else "failed" if failed(p, level)[0] else "inconclusive"
            result = outscore.gate(
                store, system(runs[-1][0]), margin=MARGIN, error=error, looks=rule.looks, commit=f"c{commit}"
            )
            assert (result.outcome.value, result.level, result.n_runs) == (outcome, level, len(runs))
            assert result.total_looks == look
            seen.add(outcome)
    assert len(seen) >= 2


@pytest.mark.slow
def test_error_rates_of_histories_are_kept() -> None:
    n, commits, rule = 600, 20, GateRule(Margins(MARGIN))
    alone = GateRule(Margins(MARGIN), error=ErrorRate.PER_COMMIT)
    histories = Histories(n, 500, seed=5)
    wrong = {"alarms": np.zeros(n, bool), "missed": np.zeros(n, bool)}
    once = {"alarms": 0, "missed": 0}
    for level in levels(rule, commits):
        equal, lost = (p_values(histories.baseline, [histories.run(loss)], MARGIN) for loss in (0.0, MARGIN))
        for name, found in (("alarms", failed(equal, level)), ("missed", passed(lost, level))):
            wrong[name] |= found
        once["alarms"] += int(failed(equal, levels(alone, 1)[0]).sum())
        once["missed"] += int(passed(lost, levels(alone, 1)[0]).sum())
    checks = [Check(f"any {name} of {commits} looks", int(of.sum()), n, 0.0, 0.05) for name, of in wrong.items()]
    # Looks of one history share its baseline: the spread of their rate is that of n draws at least.
    checks += [Check(f"{name} a commit", round(of / commits), n, 0.03, 0.06) for name, of in once.items()]
    assert_all(checks)


@pytest.mark.slow
def test_runs_again_are_averaged_and_cannot_be_tried_until_they_pass() -> None:
    n = 3000
    histories = Histories(n, 500, seed=6)
    runs = [histories.run(MARGIN) for _ in range(3)]
    alone = [p_values(histories.baseline, [run], MARGIN) for run in runs]
    means = [p_values(histories.baseline, runs[:m], MARGIN) for m in (1, 2, 3)]
    tried = np.logical_or.reduce([passed(p, 0.05) for p in alone])
    rule = GateRule(Margins(MARGIN), error=ErrorRate.PER_COMMIT, looks=3)
    gated = np.logical_or.reduce([passed(p, spent_level(rule, look)) for look, p in enumerate(means, start=1)])
    assert_all(
        [
            Check("tried until one passes", int(tried.sum()), n, 0.10, 0.15),
            Check("the mean of three", int(passed(means[-1], 0.05).sum()), n, 0.035, 0.06),
            Check("three looks at one commit", int(gated.sum()), n, 0.0, 0.05),
        ]
    )
