"""Measure a gate end to end: docs/calibration/gate-histories.csv and the section "Measured" of docs/gate-measured.md.

It simulates histories of commits that are checked against a stored baseline, of systems whose runs differ.

`python benchmarks/gate_histories.py --write` takes some minutes on one core; `--count 100` is a trial run. The p-values
depend only on the numbers of wins and losses, so all histories are tested at once. `--stored` of them also go through
`outscore.gate` and a baseline file, and every outcome has to be the same.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import figures
from tests.calibration.gate_histories import Flags, Histories, P, Runs, failed, levels, p_values, passed

import outscore
from outscore.questions.looks import ErrorRate, GateRule, Margins, spent_level

SEED, MARGIN, COMMITS = 1, 0.03, 50
SIZES = (500, 1000, 2000)
RULES: Mapping[str, GateRule] = {
    "default": GateRule(Margins(MARGIN)),
    "`--looks 50`": GateRule(Margins(MARGIN), looks=COMMITS),
    "`--error per-commit`": GateRule(Margins(MARGIN), error=ErrorRate.PER_COMMIT),
}
HEADER = ("part", "rule", "event", "check", "items", "percent")
Row = tuple[str, ...]


def rate(flags: Flags) -> str:
    """Return a percentage."""
    return f"{100 * float(flags.mean()):.1f}"


class Measured:
    """What happens to histories of one size."""

    def __init__(self, n_histories: int, n_items: int) -> None:
        self.histories = Histories(n_histories, n_items, SEED)
        self.equal = [self._look(0.0) for _ in range(COMMITS)]
        self.lost = {loss: [self._look(loss) for _ in range(COMMITS)] for loss in (MARGIN, 2 * MARGIN)}

    def _look(self, loss: float) -> P:
        return p_values(self.histories.baseline, [self.histories.run(loss)], MARGIN)

    def any_wrong(self, rule: GateRule, first: int, last: int, loss: float | None) -> Flags:
        """Return where any of some looks is wrong: an equal commit that fails, or one that loses the margin passes."""
        by_look = list(enumerate(levels(rule, last), start=1))[first - 1 :]
        wrong, looks = (failed, self.equal) if loss is None else (passed, self.lost[loss])
        return np.asarray(np.logical_or.reduce([wrong(looks[look - 1], level) for look, level in by_look]))

    def at_look(self, rule: GateRule, look: int, of: Callable[[P, float], Flags], loss: float) -> Flags:
        """Return where a candidate that loses so much passes, or fails, at one look; over all runs that there are."""
        level = levels(rule, look)[-1]
        looks = self.equal if loss == 0 else self.lost[loss]
        return np.concatenate([of(p, level) for p in looks])

    def caught(self, rule: GateRule, loss: float, first: int, last: int) -> Flags:
        """Return where a loss that stays from a commit on fails at one of its commits."""
        by_look = list(enumerate(levels(rule, last), start=1))[first - 1 :]
        return np.asarray(np.logical_or.reduce([failed(self.lost[loss][look - 1], level) for look, level in by_look]))


def errors(sizes: Mapping[int, Measured]) -> Iterator[Row]:
    """Yield how often a gate is wrong."""
    for name, rule in RULES.items():
        for what, loss in (("false positive", None), ("loss of the margin passed", MARGIN)):
            alarms = failed if loss is None else passed
            for n, of in sizes.items():
                any_of = rate(of.any_wrong(rule, 1, COMMITS, loss))
                yield "errors", name, f"{what}, any of {COMMITS} commits", "", str(n), any_of
            for n, of in sizes.items():
                at_first = rate(of.at_look(rule, 1, alarms, loss or 0.0))
                yield "errors", name, f"{what}, at the first check", "", str(n), at_first


def power(sizes: Mapping[int, Measured]) -> Iterator[Row]:
    """Yield how often a gate is right."""
    cells = {"equal passes": (passed, 0.0), "3 points fail": (failed, MARGIN), "6 points fail": (failed, 2 * MARGIN)}
    for n, of in sizes.items():
        for name, rule in RULES.items():
            every = rule.looks is None and rule.error is ErrorRate.PER_BASELINE
            for look in (1, 2, 5, 10, 20, 50) if every else (1,):
                at = f"check {look}" if every else "any check"
                for event, cell in cells.items():
                    yield "power", name, event, at, str(n), rate(of.at_look(rule, look, *cell))
            for event, (_, loss) in cells.items():
                if loss:
                    stays = rate(of.caught(rule, loss, 26, COMMITS))
                    yield "power", name, event, f"any of checks 26 to {COMMITS}", str(n), stays


def flaky(n_histories: int, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield what running a commit again does."""
    alone = GateRule(Margins(MARGIN), error=ErrorRate.PER_COMMIT, looks=3)
    for n in sizes:
        histories = Histories(n_histories, n, SEED + 1)
        for what, loss in (("loss of the margin", MARGIN), ("equal", 0.0)):
            runs = [histories.run(loss) for _ in range(3)]
            single = [p_values(histories.baseline, [run], MARGIN) for run in runs]
            means = [p_values(histories.baseline, runs[:m], MARGIN) for m in (1, 2, 3)]
            found = {
                "one run, α = 5%": passed(single[0], 0.05),
                "repeated until one of three runs passes, each at 5% (without outscore)": np.logical_or.reduce(
                    [passed(p, 0.05) for p in single]
                ),
                "the mean of three runs, α = 5%": passed(means[-1], 0.05),
                "`--error per-commit --looks 3`, any of three checks": np.logical_or.reduce(
                    [passed(p, spent_level(alone, look)) for look, p in enumerate(means, start=1)]
                ),
                "default, a first commit, any of three checks": np.logical_or.reduce(
                    [passed(p, spent_level(RULES["default"], look)) for look, p in enumerate(means, start=1)]
                ),
            }
            for name, flags in found.items():
                yield "repeated runs", name, f"{what} passes", "", str(n), rate(flags)


def ratchet(n_histories: int, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield what a baseline that won does to the next commit, which is equal."""
    for n in sizes:
        histories = Histories(n_histories, n, SEED + 2)
        best, shares = histories.baseline.copy(), {}
        for commit in range(1, COMMITS + 1):
            run = histories.run()
            better = run.sum(axis=1) > best.sum(axis=1)
            best[better] = run[better]
            if commit in (20, COMMITS):
                shares[commit] = best.copy()
        fresh = histories.run()
        for name, baseline in (
            *((f"the best of {commit + 1} equal runs, `--same-run`", of) for commit, of in shares.items()),
            ("a new run, as required", fresh),
        ):
            p = p_values(baseline, [histories.run()], MARGIN)
            for at, level in (("α = 5%", 0.05), ("default, first check", 0.025)):
                yield "selection", f"{name}: {at}", "equal fails", "", str(n), rate(failed(p, level))


def through_stores(n_histories: int, n_items: int) -> tuple[int, int]:
    """Return how many looks went through `outscore.gate` and a baseline file, and how many had another outcome."""
    looks = others = 0
    rule = RULES["default"]
    histories = Histories(n_histories, n_items, SEED + 3)
    # A regression is planted at commit 26; every tenth commit is run three times.
    plan = [(commit, again) for commit in range(COMMITS) for again in range(3 if commit % 10 == 9 else 1)]
    runs = [histories.run(2 * MARGIN if commit >= 25 else 0.0) for commit, _ in plan]
    with tempfile.TemporaryDirectory() as folder:
        for history in range(n_histories):
            store = str(Path(folder) / f"{history}.json")
            outscore.gate_accept(_system(histories.baseline[history]), store, metric="accuracy", commit="")
            for look, (commit, again) in enumerate(plan, start=1):
                own = runs[look - 1 - again : look]
                one = [run[history : history + 1] for run in own]
                p = p_values(histories.baseline[history : history + 1], one, MARGIN)
                level = spent_level(rule, look)
                expected = "passed" if passed(p, level)[0] else "failed" if failed(p, level)[0] else "inconclusive"
                system = _system(runs[look - 1][history])
                result = outscore.gate(store, system, margin=MARGIN, commit=f"c{commit}")
                looks += 1
                others += (result.outcome.value, result.look, result.n_runs) != (expected, look, again + 1)
    return looks, others


def _system(run: Runs) -> dict[str, int]:
    return {f"q{item}": int(right) for item, right in enumerate(run)}


def measured(count: int, stored: int) -> list[Row]:
    """Return the rows of the data file."""
    sizes = {n: Measured(count, n) for n in SIZES}
    looks, others = through_stores(stored, SIZES[0]) if stored else (0, 0)
    if others:
        sys.exit(f"{others} of {looks} looks through stored baselines had another outcome")
    return [*errors(sizes), *power(sizes), *flaky(count, SIZES), *ratchet(count, SIZES)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="histories of every size")
    parser.add_argument("--stored", type=int, default=20, help="of them through outscore.gate and a baseline file")
    parser.add_argument("--write", action="store_true", help="the data file, and its tables in docs/gate-measured.md")
    given = parser.parse_args()
    rows = measured(given.count, given.stored)
    for row in rows:
        print(", ".join(row))
    if given.write:
        figures.write("gate-histories", HEADER, rows)
        figures.renew()


if __name__ == "__main__":
    main()
