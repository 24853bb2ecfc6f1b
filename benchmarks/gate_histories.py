"""Measure a gate end to end, and write the section "Measured" of docs/gate-measured.md.

It simulates histories of commits that are checked against a stored baseline, of systems whose runs differ.

`python benchmarks/gate_histories.py --write` takes some minutes on one core; `--count 100` is a trial run. The p-values
depend only on the numbers of wins and losses, so all histories are tested at once. `--stored` of them also go through
`outscore.gate` and a baseline file, and every outcome has to be the same.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.calibration.gate_histories import Flags, Histories, P, Runs, failed, levels, p_values, passed

import outscore
from outscore.questions.looks import ErrorRate, GateRule, Margins, spent_level

ROOT = Path(__file__).resolve().parent.parent
SEED, MARGIN, COMMITS = 1, 0.03, 50
SIZES = (500, 1000, 2000)
RULES: Mapping[str, GateRule] = {
    "default": GateRule(Margins(MARGIN)),
    "`--looks 50`": GateRule(Margins(MARGIN), looks=COMMITS),
    "`--error per-commit`": GateRule(Margins(MARGIN), error=ErrorRate.PER_COMMIT),
}
HEADING = "## Measured"


def rate(flags: Flags) -> str:
    """Return a percentage."""
    return f"{100 * float(flags.mean()):.1f}"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown; all columns but the first hold numbers."""
    sides = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heading, sides, *rows))


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


def errors(sizes: Mapping[int, Measured]) -> str:
    """Return how often a gate is wrong."""
    rows = []
    for name, rule in RULES.items():
        per_commit = rule.error is ErrorRate.PER_COMMIT
        for what, loss in (("false positive", None), ("loss of the margin passed", MARGIN)):
            alarms = failed if loss is None else passed
            any_of = [rate(of.any_wrong(rule, 1, COMMITS, loss)) for of in sizes.values()]
            at_first = [rate(of.at_look(rule, 1, alarms, loss or 0.0)) for of in sizes.values()]
            rows.append(
                [f"{name}: {what}, any of {COMMITS} commits", *(f"({one})" if per_commit else one for one in any_of)]
            )
            rows.append([f"{name}: {what}, at the first check", *at_first])
    return table(["", *(f"n = {n:,}" for n in sizes)], rows)


def power(sizes: Mapping[int, Measured]) -> str:
    """Return how often a gate is right."""
    rows = []
    for n, of in sizes.items():
        for name, rule in RULES.items():
            every = rule.looks is None and rule.error is ErrorRate.PER_BASELINE
            for look in (1, 2, 5, 10, 20, 50) if every else (1,):
                cells = [(passed, 0.0), (failed, MARGIN), (failed, 2 * MARGIN)]
                at = f"check {look}" if every else "any check"
                rows.append([f"{n:,}", f"{name}, {at}", *(rate(of.at_look(rule, look, *cell)) for cell in cells)])
            stays = [rate(of.caught(rule, loss, 26, COMMITS)) for loss in (MARGIN, 2 * MARGIN)]
            rows.append([f"{n:,}", f"{name}, any of checks 26 to {COMMITS}", "", *stays])
    return table(["n", "", "equal passes", "3 points fail", "6 points fail"], rows)


def flaky(n_histories: int, sizes: Sequence[int]) -> str:
    """Return what running a commit again does."""
    rows: dict[str, list[str]] = {}
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
                rows.setdefault(f"{what} passes: {name}", []).append(rate(flags))
    return table(["", *(f"n = {n:,}" for n in sizes)], [[name, *cells] for name, cells in rows.items()])


def ratchet(n_histories: int, sizes: Sequence[int]) -> str:
    """Return what a baseline that won does to the next commit, which is equal."""
    rows: dict[str, list[str]] = {}
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
                rows.setdefault(f"{name}: {at}", []).append(rate(failed(p, level)))
    return table(["", *(f"n = {n:,}" for n in sizes)], [[name, *cells] for name, cells in rows.items()])


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


def section(count: int, stored: int) -> str:
    """Return the section of the page."""
    sizes = {n: Measured(count, n) for n in SIZES}
    looks, others = through_stores(stored, SIZES[0]) if stored else (0, 0)
    if others:
        sys.exit(f"{others} of {looks} looks through stored baselines had another outcome")
    error = 100 * sqrt(0.05 * 0.95 / count)
    half = 100 * sqrt(0.25 / count)
    return wrapped(
        f"""{HEADING}

{count:,} histories of {COMMITS} commits each, simulated (`python benchmarks/gate_histories.py --write`, seed {SEED};
outscore {outscore.__version__}). Each item has its own probability of a correct answer, from Beta(0.4, 0.6): some are
always correct, many never, the others now and then. Two runs of one system therefore differ on a quarter of the items.
The margin is {100 * MARGIN:g} points of accuracy, and the baseline is one stored run. Figures are in percent. With
{count:,} histories, a rate of 5% has a standard error of {error:.1f}, and one of 50% of {half:.1f}. As a check,
{stored} such histories ({looks:,} checks) also went through `outscore.gate` and a baseline file, with a planted
regression and three runs of every tenth commit. All outcomes and counts agreed with the simulation.

**Errors**: an equal commit fails (a false positive), or a loss of exactly the margin passes. By default both stay below
5% over *all* checks of a baseline. With `--error per-commit` they stay below 5% at each commit, and add up over
{COMMITS} commits (in brackets). Figures for one check are over all {COMMITS} runs of each history.

{errors(sizes)}

**Power**: an equal commit passes, and a loss of 3 points (the margin) or of 6 fails. All others are inconclusive, and
`--inconclusive pass` lets them through. Later checks have less of α. With few items that vary as much as these, few
checks are conclusive. Take more items, plan `--looks`, accept a new baseline now and then, or compare each commit with
its base commit. A regression that stays is checked again at every later commit, here from commit 26 on.

{power(sizes)}

**Repeated runs**: runs of one commit are averaged, and each check spends its part of α.

{flaky(count, SIZES)}

**Selection**: how often an equal commit fails if the baseline is a run that was kept because it won. `outscore gate
accept` rejects such a run unless you pass `--same-run`.

{ratchet(count, SIZES)}
"""
    )


def wrapped(text: str) -> str:
    """Return Markdown with its paragraphs filled to 120 columns."""
    filled = [
        block if block[:1] in "#|" else textwrap.fill(block, 120, break_on_hyphens=False)
        for block in text.strip().split("\n\n")
    ]
    return "\n\n".join(filled) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="histories of every size")
    parser.add_argument("--stored", type=int, default=20, help="of them through outscore.gate and a baseline file")
    parser.add_argument("--write", action="store_true", help="into docs/gate-measured.md")
    given = parser.parse_args()
    text = section(given.count, given.stored)
    page = ROOT / "docs" / "gate-measured.md"
    if not given.write:
        print(text, end="")
        return
    old = page.read_text(encoding="utf-8")
    own = re.compile(rf"^{HEADING}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    new = own.sub(lambda _: text + "\n", old) if own.search(old) else f"{old.rstrip()}\n\n{text}"
    page.write_text(new.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
