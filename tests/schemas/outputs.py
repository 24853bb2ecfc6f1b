"""Real output of every form of JSON and in every variant, mostly as the command writes it."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import pytest

import outscore
from outscore.cli import main
from outscore.metrics import Mean
from outscore.reports.lists import list_to_json
from outscore.results import Alternative, ComparisonResults, MetricDescription, Rankings, RunSd
from tests.gating.kit import SequentialStop
from tests.logs.made import lm_eval_log
from tests.metrics.kit import describe
from tests.planning.kit import (
    GainPlan,
    GainRow,
    ItemsPlan,
    ItemsRow,
    PlanRow,
    Power,
    PowerCheck,
    PowerPlan,
    RunVariances,
)
from tests.reports.conftest import RESULTS
from tests.reports.rankings import a_ranking

Json: TypeAlias = dict[str, Any]
Write: TypeAlias = Callable[..., Json]

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
WNUT = [str(EXAMPLES / "wnut17" / name) for name in ("spinningbytes.tsv", "uh-ritual.tsv")]
S, N = 12, 80
FEW = ("--n-resamples", "200")
# A NaN among p-values is what should not happen: its null is no part of the form.
HAND_MADE = [make() for name, make in RESULTS.items() if name != "undefined"]


def prepare(folder: Path) -> None:
    """Write the files that the commands below read."""
    stream = np.random.default_rng(1)
    hard = stream.normal(size=N)
    right = np.array([(stream.normal(size=N) + 0.8 * i / S > hard).astype(int) for i in range(S)])
    _table(folder / "right.csv", right)
    _table(folder / "half.csv", right[:, : N // 2])
    _table(folder / "few.csv", right[:2, :4])
    _table(folder / "alike.csv", np.array([right[0], 1 - right[0]] * 2))
    _table(folder / "real.csv", stream.normal(size=(4, N)) + np.arange(4)[:, None] / 10)
    _table(folder / "shifted.csv", np.array([np.arange(N), np.arange(N) + 1.0]))
    seeds = [(s, r, j) for s in range(2) for r in range(3) for j in range(N)]
    noise = stream.normal(size=(2, N)), 0.1 * stream.normal(size=(2, 3)), stream.normal(size=(2, 3, N))
    drawn = [f"s{s},q{j},{r},{noise[0][s, j] + noise[1][s, r] + noise[2][s, r, j]:.3f}" for s, r, j in seeds]
    (folder / "pilot.csv").write_text("\n".join(["system,item,seed,score", *drawn]) + "\n")
    pairs = [(a, b) for a in range(S) for b in range(S) if a != b]
    outcomes = np.random.default_rng(2).integers(0, 3, 2 * len(pairs)) / 2
    judged = [f"s{a},s{b},{y:g},u{k % 13}" for k, ((a, b), y) in enumerate(zip(2 * pairs, outcomes, strict=True))]
    (folder / "battles.csv").write_text("\n".join(["system_a,system_b,outcome,user", *judged]) + "\n")
    won = [f"s{a},s{b},{int(user > 0)},u{user}" for a, b in ((0, 1), (1, 2), (0, 2)) for user in range(13)]
    (folder / "undefeated.csv").write_text("\n".join(["system_a,system_b,outcome,user", *won]) + "\n")
    cells = [
        f"s{s},q{i},{r},t{i % 6},{int(hard[i % N] + 0.4 * s + 0.2 * stream.normal() > 0.3)}"
        for s in range(3)
        for i in range(60)
        for r in range(3)
    ]
    (folder / "runs.csv").write_text("\n".join(["system,item,run,task,score", *cells]) + "\n")
    two = [cell for cell in cells if cell.split(",")[2] != "2"]
    (folder / "two-runs.csv").write_text("\n".join(["system,item,run,task,score", *two]) + "\n")
    once = [",".join([*cell.split(",")[:2], *cell.split(",")[3:]]) for cell in cells[::3]]
    (folder / "tasks.csv").write_text("\n".join(["system,item,task,score", *once]) + "\n")
    prompts = [f"{cell[: cell.index(',t')]},p{p},{cell[-1]}" for cell in cells for p in range(3)]
    for factor in ("template", "rater"):
        (folder / f"{factor}s.csv").write_text("\n".join([f"system,item,run,{factor},score", *prompts]) + "\n")
    both = [f"q{i},{order},{right[order, i]}" for i in range(N) for order in (1, 2)]
    (folder / "judged.csv").write_text("\n".join(["item,order,score", *both]) + "\n")
    labels = np.random.default_rng(3).normal(size=(2, 40, 2)).tolist()
    of_people = [
        f"s{s},q{i},{y if i % 2 else ''},{y + f},1" for s, rows in enumerate(labels) for i, (y, f) in enumerate(rows)
    ]
    (folder / "labelled.csv").write_text("\n".join(["system,item,human,judge,same", *of_people]) + "\n")
    (folder / "parts.txt").write_text("news\n" * 5 + "talks\n" * 5)
    marks = [f"s{i}\tf{i % 4}\t{'combination' if i == 5 else ''}" for i in range(S)]
    (folder / "systems.tsv").write_text("\n".join(["system\tgroup\tkind", *marks]) + "\n")
    (folder / "some.tsv").write_text("\n".join(["system\tgroup", *(f"s{i}\tf{i % 2 or ''}" for i in range(S))]) + "\n")
    for name in ("gold", "one", "two", "three"):
        (folder / f"{name}.num").write_text("".join(f"{x:.3f}\n" for x in np.arange(10) + stream.normal(size=10)))
        words = [" ".join(stream.choice(["a", "b", "c", "d", "e"], 8)) for _ in range(10)]
        (folder / f"{name}.txt").write_text("\n".join(words) + "\n")
        tags = ["\n".join(f"w\t{tag}" for tag in stream.choice(["O", "B-X"], 4)) for _ in range(10)]
        (folder / f"{name}.bio").write_text("\n\n".join(tags) + "\n")
    for name, n in (("texts", 10), ("half", 5)):
        systems = []
        for system in ("gold", "one", "two", "three"):
            kept = (folder / f"{system}.txt").read_text().splitlines()[:n]
            (folder / f"{name}-{system}.txt").write_text("\n".join(kept) + "\n")
            systems.append(f'[[systems]]\nname = "{system}"\nfile = "{name}-{system}.txt"\n')
        board = f'metrics = "bleu"\nreferences = "{name}-gold.txt"\n' + "".join(systems[1:])
        (folder / f"{name}.toml").write_text(board)
    _logs(folder)
    (folder / "train.txt").write_text("".join(f"{i}\n" for i in range(20)))


def _table(path: Path, scores: np.ndarray[Any, Any]) -> None:
    lines = [",".join(["item", "document", "domain", *(f"s{i}" for i in range(len(scores)))])]
    lines += [",".join([f"q{j}", f"t{j // 4}", f"d{j % 2}", *map(str, scores[:, j])]) for j in range(scores.shape[1])]
    path.write_text("\n".join(lines) + "\n")


def write(*argv: str) -> Json:
    """Run `outscore` and return the JSON that it writes, here."""
    command, given = (argv[: argv.index("--")], argv[argv.index("--") :]) if "--" in argv else (argv, ())
    with pytest.raises(SystemExit) as end:
        main([*command, "--format", "json", "-o", "written.json", *given])
    assert end.value.code in (0, 1), argv  # 1 where runs of a trainer failed
    found: Json = json.loads(Path("written.json").read_text(encoding="utf-8"))
    return found


def _all(*commands: str) -> Iterator[Json]:
    return (write(*command.split()) for command in commands)


RUNS = ("samples", "fixed", "random")


def comparison() -> Iterator[Json]:
    a, b = "right.csv:s1", "right.csv:s8"
    yield from _all(
        f"compare {a} {b} right.csv:s11 -m accuracy -t all --double-check",
        f"compare {a} {b} -m accuracy --alternative two-sided --method monte-carlo --double-check --n-resamples 200",
        f"compare {a} {b} -m accuracy --claim not-worse --margin 0.05 --cluster document --interval basic",
        f"compare {a} {b} --claim equivalent --margin 0.4 --stratum domain --interval bca -t bootstrap,randomization",
        f"compare {a} {b} right.csv:s11 --alternative less --ties strict --estimator plain --method monte-carlo "
        "--n-resamples 50",
        f"compare {a} {b} --emulate sacrebleu",
        f"compare {a} {a} -m accuracy -t all",
        "compare shifted.csv:s0 shifted.csv:s1 -t all",
        "compare alike.csv:s0 alike.csv:s1 -m accuracy -t all --n-resamples 50",
        "compare real.csv:s0 real.csv:s3 -t all --lower-is-better",
        f"compare {a} {b} right.csv:s11 -m accuracy --alternative greater",
        "compare real.csv:s0 real.csv:s3 -t sign,wilcoxon --alternative greater",
        "compare real.csv:s0 real.csv:s3 -t sign,wilcoxon --alternative less",
        "compare real.csv:s0 real.csv:s3 -t wilcoxon,sign",
        "compare real.csv:s0 real.csv:s3 -t wilcoxon --claim not-worse --margin 9",
        "compare real.csv:s0 real.csv:s3 -t wilcoxon --claim equivalent --margin 9",
        "compare one.txt two.txt -r gold.txt -m wer -t sign",
        "compare one.txt two.txt -r gold.txt -m bleu --n-resamples 200",
        "compare one.num two.num -r gold.num -m spearman -t all --n-resamples 200",
        "compare one.bio two.bio -r gold.bio -m span-f1 -t auto,randomization-by-response",
        "compare runs.csv:s0 runs.csv:s1 --run run --runs random",
        "compare two-runs.csv:s0 two-runs.csv:s1 --run run --runs random",
        f"compare {a} {b} --cluster document --cluster domain",
        "compare labelled.csv:s0 labelled.csv:s1 --human human --judge judge",
        "compare labelled.csv:s0 labelled.csv:s1 --human human --judge same",
        "compare right.csv:s1 --against 0.5",
        f"compare new={EXAMPLES}/designs/preferences.csv:preference --against 0.5",
        "compare judged.csv:score --against 0.5",
        "compare runs.csv:s0 runs.csv:s1 --run run --runs fixed -t bootstrap",
        "compare runs.csv:s0 runs.csv:s2 --run run --reduce mean",
        "compare templates.csv:s0 templates.csv:s2 --template template --templates random --run run --runs random",
        "compare templates.csv:s0 templates.csv:s2 --template template --templates random --run run --runs fixed "
        "-t crossed-t",
        "compare templates.csv:s0 templates.csv:s2 --template template --templates fixed --run run --runs fixed "
        "--missing drop",
        "compare raters.csv:s0 raters.csv:s2 --rater rater --raters sampled --run run --runs random",
        "compare raters.csv:s0 raters.csv:s2 --rater rater --raters sampled --run run --runs fixed",
        "compare logs/old-sums logs/new-sums",
        "compare other/old other/new",
        "compare pair/old pair/new --missing zero",
    )
    yield write("compare", *WNUT, "-m", "f1", "-t", "all", "--double-check", *FEW)
    yield from (json.loads(result.to_json()) for result in HAND_MADE)
    [first] = outscore.compare("real.csv:s0", "real.csv:s3", tests="sign").comparisons
    assert first.found is not None
    yield json.loads(replace(first, found=replace(first.found, interval=None)).to_json())  # a test of a user


def test_sets() -> Iterator[Json]:
    yield from _all(
        "compare tasks.csv --baseline s0 --test-set task",
        "compare tasks.csv:s0 tasks.csv:s2 --test-set task --tasks fixed --alternative greater",
        "compare tasks.csv:s0 tasks.csv:s2 --test-set task --tasks random --combination fisher",
        "compare tasks.csv:s2 tasks.csv:s0 --test-set task --alternative less",
        "compare tasks.csv:s2 tasks.csv:s0 --test-set task --alpha 0.4",
        "compare one.txt two.txt -r gold.txt -m bleu --test-set parts.txt --n-resamples 200",
        "compare runs.csv:s0 runs.csv:s2 --run run --runs random --test-set task --tasks random",
        "compare tasks.csv:s0 tasks.csv:s2 --test-set task --claim not-worse --margin 0.3",
        "compare real.csv:s0 real.csv:s2 --test-set domain -t sign --tasks fixed",
        "compare tasks.csv:s0 tasks.csv:s2 --test-set task --claim equivalent --margin 0.3",
        *(f"compare runs.csv:s0 runs.csv:s2 --run run --runs {runs} --test-set task" for runs in RUNS),
    )


test_sets.__test__ = False  # type: ignore[attr-defined]


def comparisons() -> Iterator[Json]:
    yield from _all(
        "compare one.txt two.txt -r gold.txt -m bleu -m chrf --n-resamples 200",
        "compare one.num two.num -r gold.num -m pearson -m mae --n-resamples 200 --alternative greater",
        "compare one.num two.num -r gold.num -m pearson -m mae --n-resamples 200 --alternative less",
    )
    yield json.loads(ComparisonResults(tuple(HAND_MADE)).to_json())


def ranking() -> Iterator[Json]:
    yield from _all(
        "rank right.csv -m accuracy --families some.tsv:group -t bootstrap,randomization,mcnemar --n-resamples 200",
        "rank labelled.csv --human human --judge judge",
        "rank right.csv --cluster document --method monte-carlo --alternative greater --n-resamples 200",
        "rank alike.csv --correction holm --no-max-t --n-resamples 200",
        "rank real.csv --stratum domain --correction bh --n-resamples 200 --lower-is-better",
        "rank one.num two.num three.num -r gold.num -m pearson --correction none --n-resamples 200",
        "rank one.num two.num three.num -r gold.num -m spearman -t bootstrap,randomization --n-resamples 50",
        "rank few.csv -t randomization --interval test --n-resamples 200",
        "rank real.csv --emulate wmt25 --n-resamples 200",
        "rank real.csv -t sign --n-resamples 50",
        "rank one.txt two.txt three.txt -r gold.txt -m bleu --interval bca --n-resamples 200",
        "rank battles.csv -m bradley-terry --cluster user --families some.tsv:group --n-resamples 200",
        "rank battles.csv -m bradley-terry --no-max-t --n-resamples 200",
        "rank undefeated.csv -m bradley-terry --cluster user --n-resamples 200",
        *(f"rank runs.csv --run run --runs {runs} --n-resamples 200" for runs in RUNS),
    )
    yield from (json.loads(a_ranking(max_t=max_t).to_json()) for max_t in (True, False))
    yield json.loads(_unbounded().to_json())


def _unbounded() -> outscore.Ranking:
    """A ranking with a pair whose items all gain the same, in scores of unknown range."""
    return outscore.rank({"a": [1.0, 2.0, 3.0], "b": [1.5, 2.5, 3.5]})


def rankings() -> Iterator[Json]:
    yield from _all(
        "rank one.txt two.txt three.txt -r gold.txt -m bleu -m ter --n-resamples 200 --no-max-t --correction holm",
        "rank one.num two.num three.num -r gold.num -m pearson -m mae --n-resamples 200",
        "rank few.csv -m accuracy -m mean -t randomization --interval test --n-resamples 200",
        *(f"rank runs.csv --run run --runs {runs} --test-set task --n-resamples 200" for runs in RUNS),
    )
    files = ("battles.csv", "undefeated.csv")
    battles = [outscore.rank(file, metric="bradley-terry", clusters="user", n_resamples=200) for file in files]
    yield json.loads(Rankings(tuple(battles)).to_json())
    given = [a_ranking(6), a_ranking(6, max_t=False)]
    yield json.loads(Rankings((_unbounded(), given[1])).to_json())
    yield json.loads(Rankings((given[0], replace(given[1], warnings=("A warning.",)))).to_json())


BOARD = "right.csv -m accuracy --n-resamples 200"
FAMILIES = "--families some.tsv:group --relations systems.tsv:kind"
STUDIES = {
    "gain": [
        f"study gain {BOARD} {FAMILIES} --min-pairs 1",
        f"study gain {BOARD} --min-pairs 1000",
        f"study gain {BOARD} --families systems.tsv:group --test randomization --fit isotonic",
        f"study gain {BOARD} --fit logistic",
        f"study gain {BOARD} --fit scaled --window 0.01 0.2 --cluster document",
        "study gain texts.toml --n-resamples 50",
    ],
    "size": [
        f"study size {BOARD} {FAMILIES} --sizes 20,40,80 --subsets 3 --min-pairs 1",
        f"study size {BOARD} --sizes 40 --subsets 1 --min-pairs 1000",
        f"study size {BOARD} --sizes 10,20 --subsets 1 --cluster document",
        "study size texts.toml --sizes 5,10 --subsets 2 --n-resamples 50",
    ],
    "domains": [
        f"study domains {BOARD} --stratum domain --subsets 4 --min-pairs 1 --window 0.01 0.3",
        f"study domains {BOARD} --stratum domain --subsets 2 --min-pairs 1000",
        "study domains texts.toml half.toml --subsets 2 --n-resamples 50",
        "study domains right.csv half.csv -m accuracy --subsets 2",
    ],
    "calibration": [
        f"study calibration {BOARD} --items 30 --repeats 8 --window 0.01 0.5",
        "study calibration texts.toml --items 5 --repeats 2 --n-resamples 50",
        "study calibration alike.csv -m accuracy --items 10 --repeats 2",
    ],
    "transfer": [
        f"study calibration {BOARD} --transfer half.csv --transfer alike.csv",
        "study calibration texts.toml --transfer half.toml --n-resamples 50",
    ],
}


def study(name: str) -> Callable[[], Iterator[Json]]:
    return lambda: _all(*STUDIES[name])


def studies() -> Iterator[Json]:
    for commands in STUDIES.values():
        yield {"schema": "outscore/studies/1", "results": list(_all(*commands))}
    yield from _all(f"study gain {BOARD} -m mean --min-pairs 1", f"study size {BOARD} -m mean --sizes 20,40")


def plan_table() -> Iterator[Json]:
    yield from _all(
        "plan table --items 100,500 --gain 1%,2.5%",
        "plan table --items 100 --gain 2% --test mcnemar --hurt-percent 0,99 --alternative two-sided",
    )


def plan_runs() -> Iterator[Json]:
    yield from _all(
        "plan runs pilot.csv:s0 pilot.csv:s1 --run seed --gain 0.4 --items 60,100000 --cost-item 1 --cost-run 10",
        "plan runs --item-sd 0.4 --run-sd 0.01 --gain 0.0001 --items 60 --cost-item 1 --cost-run 10",
        "plan runs pilot.csv:s0 pilot.csv:s1 --run seed --pair-runs --gain 0.4 --alternative greater --comparisons 3",
        "plan runs --item-sd 0.4 --run-sd 0 --gain 0.1 --items 60,100000 --cost-item 1 --cost-run 10",
    )
    metric = MetricDescription("bleu", higher_is_better=True, as_percentage=False, signature="nrefs:1")
    made = outscore.plan_runs(item_sd=0.4, run_sd=0.01, gain=0.1, items=60)
    yield json.loads(replace(made, metric=metric, run_sd=RunSd(0.1, 0.05, 0.4)).to_json())


def plan_human() -> Iterator[Json]:
    pilot = Path(__file__).resolve().parents[2] / "examples" / "human" / "esa.csv"
    yield from _all(f"plan human {pilot} --gain 3", f"plan human {pilot} --documents 40,80 --ratings 1 --comparisons 3")


def gate() -> Iterator[Json]:
    files = {"margin": 0.2, "metric": "accuracy"}
    made = [
        outscore.gate("right.csv:s0", "right.csv:s11", commit="abc", looks=3, inconclusive="pass", **files),  # type: ignore[arg-type]
        outscore.gate("right.csv:s11", "right.csv:s0", commit="", error="per-commit", inconclusive="fail", **files),  # type: ignore[arg-type]
        outscore.gate("right.csv:s1", "right.csv:s0", margin=0.001, metric="accuracy", clusters="document"),
        outscore.gate("tasks.csv:s0", "tasks.csv:s2", margin=0.3, test_sets="task"),
        outscore.gate("runs.csv:s0", "runs.csv:s2", margin=0.3, run="run", runs="fixed"),
        outscore.gate("logs/old-sums", "logs/new-sums", margin=0.3, drop_missing=True),
    ]
    first = made[0]
    metric = MetricDescription("bleu", higher_is_better=True, as_percentage=False, signature="nrefs:1")
    check = replace(first.checks[0], metric=metric, interval=None, helped=None, hurt=None, unchanged=None)
    made.append(replace(first, checks=(check,), sequential=SequentialStop(10, 80, 3), n_runs=2, total_looks=4))
    yield from (json.loads(one.to_json()) for one in made)


def plan_gate() -> Iterator[Json]:
    yield from _all(
        "plan gate --hurt 5% --margin 4% --error per-commit --power 0.8",
        "plan gate --sd 0.4 --margin 0.05 --looks 4 --look 2 --power 0.8",
        "plan gate real.csv:s0 real.csv:s3 --n-sets 128 --margin 0.2 --seed 3",
        "plan gate right.csv:s1 right.csv:s8 --n-sets 128 --cluster document --margin 0.2",
        "plan gate pilot.csv:s0 pilot.csv:s1 --runs random --run seed --margin 9",
        "plan gate pilot.csv:s0 pilot.csv:s1 --runs random --run seed --margin 0.01",
    )
    metric = MetricDescription("bleu", higher_is_better=True, as_percentage=False, signature="nrefs:1")
    yield json.loads(replace(outscore.plan_gate(outscore.Spread(0.4), 0.1, target=0.8), metric=metric).to_json())
    yield json.loads(outscore.plan_gate(RunVariances.of_sds(1.0, 1.0), 0.1).to_json())


def plan(question: str, asked: str) -> Callable[[], Iterator[Json]]:
    def outputs() -> Iterator[Json]:
        pilot = "right.csv:s1 right.csv:s8 --n-sets 128 --seed 3"
        yield from _all(
            f"plan {question} --hurt 5% -t all --comparisons 3 {asked} --alternative two-sided",
            f"plan {question} --sd 0.4 -t all {asked}",
            f"plan {question} real.csv:s0 real.csv:s3 --n-sets 128 --checks 5 -t sign {asked}",
            f"plan {question} {pilot} --cluster document -t randomization {asked}",
        )
        if question != "gain":
            yield from _all(f"plan {question} --sd 0.4 --claim equivalent --margin 0.2 {asked}")
        yield _hand_made(question)

    return outputs


def _hand_made(question: str) -> Json:
    # With so little power no simulated test set is significant, and there is no sign or size to be wrong about.
    power = Power(0.0, 0.0, 0.03, None, None, 0.5, "128 simulated test sets", 128, PowerCheck(10, 1, 2))
    metric = MetricDescription("bleu", higher_is_better=True, as_percentage=False, signature="nrefs:1")
    kind, row_of = {"power": (PowerPlan, PlanRow), "gain": (GainPlan, GainRow), "items": (ItemsPlan, ItemsRow)}[
        question
    ]
    row = row_of("bootstrap", 10, 10, 0.1, power)
    target = None if kind is PowerPlan else 0.8
    made = kind("A pilot.", metric, Alternative.GREATER, 0.05, 1, target, (row,), "test", ("A note.",), 1, "0.1.0")
    return cast(Json, json.loads(made.to_json()))


def formats() -> Iterator[Json]:
    return _all("formats")


def metrics() -> Iterator[Json]:
    yield from _all("metrics", "metrics bleu")
    yield json.loads(list_to_json([replace(describe(Mean), origin="a-package")], {}))


PYTHON = (sys.executable, "-ISc")
COPY = "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read())"


def replicated(out: str, *command: str, timeout: str = "60") -> Json:
    options = ("--train", "train.txt", "--sizes", "1.0,0.5", "--replicates", "1", "--timeout", timeout, "--out", out)
    return write("replicate", *options, "--", *command, "{train}", "{out}")


def replication() -> Iterator[Json]:
    no_program = Path("no-program")
    no_program.write_text("#!no/such/interpreter\n")
    no_program.chmod(0o755)
    yield replicated("runs", *PYTHON, COPY)
    yield replicated("runs", *PYTHON, COPY)
    yield replicated("failed", *PYTHON, "raise SystemExit(3)")
    yield replicated("slow", *PYTHON, "import time; time.sleep(60)", timeout="0.5")
    yield replicated("never", str(no_program.resolve()))


def replicate_run() -> Iterator[Json]:
    replicated("runs", *PYTHON, COPY)
    yield from (json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path("runs").glob("*/run.json")))


def inventory() -> Iterator[Json]:
    yield from _all("logs logs", "logs samples.json", "logs mixed", "logs logs unscored")


def _logs(folder: Path) -> None:
    """Write logs: of two systems on two tasks, with and without all that an inventory can tell; and of samples."""
    stream = np.random.default_rng(5)
    for system in ("old", "new"):
        for task in ("sums", "products"):
            right = stream.integers(0, 2, 30).tolist()
            results = {"results": {task: {"acc,none": 0.5}}, "n-shot": {task: len(task)} if system == "old" else {}}
            hashes = [f"{system}{place}" for place in range(30)]
            path = folder / "logs" / f"{system}-{task}"
            lm_eval_log(path, system, [*right[:-1], None] if task == "sums" else right, task=task, results=results)
            other = {"n-shot": {"sums": len(system + task)}} if system == "new" else {}
            lm_eval_log(folder / "other" / system, system, right, results=other, prompt_hash=hashes)
            lm_eval_log(folder / "pair" / system, system, right[:-1] + [None] * (system == "new"))
    samples = [
        {"id": i, "epoch": epoch, "metadata": {"page": i // 4}, "scores": {"exact": {"value": int(stream.integers(2))}}}
        for i in range(20)
        for epoch in (1, 2)
    ]
    log = {"version": 2, "status": "started", "eval": {"task": "sums", "model": "m", "dataset": {}}, "plan": {}}
    (folder / "samples.json").write_text(json.dumps(log | {"samples": samples}))
    (folder / "mixed").mkdir()
    (folder / "mixed" / "some.json").write_text(json.dumps(log | {"samples": [*samples, *samples[:2]]}))
    (folder / "mixed" / "none.json").write_text(json.dumps(log | {"status": "error", "samples": []}))
    lm_eval_log(folder / "unscored", "old", [None] * 3)


def scores() -> Iterator[Json]:
    yield from _all(
        "score right.csv:s0 right.csv:s1 -m accuracy,mean",
        "score real.csv:s0 --cluster document",
        "score right.csv:s0 half.csv:s0",
        "score labelled.csv:s0 --human human --judge judge",
        "score one.txt two.txt -r gold.txt -m bleu -m chrf --n-resamples 200",
        "score one.num -r gold.num -m spearman --n-resamples 200",
        *(f"score runs.csv:s0 --run run --runs {runs}" for runs in RUNS),
    )
    own = runpy.run_path(str(EXAMPLES.parent / "docs" / "own_metric.py"))["LengthError"]()  # has no range
    yield json.loads(outscore.score(["a b", ""], references=["a b c", ""], metric=own).to_json())


def unpaired() -> Iterator[Json]:
    tests = "-t welch,rank-sum,label-permutation,permutation --n-resamples 200"
    yield from _all(
        f"compare --unpaired real.csv:s0 real.csv:s1 real.csv:s3 {tests}",
        f"compare --unpaired right.csv:s1 half.csv:s8 -m accuracy --alternative greater {tests}",
        f"compare --unpaired right.csv:s8 half.csv:s1 -m accuracy --alternative less {tests}",
        "compare --unpaired right.csv:s0 right.csv:s11 --lower-is-better",
        "compare --unpaired right.csv:s0 right.csv:s11 -t brunner-munzel,fisher,unconditional --n-resamples 200",
        "compare --unpaired right.csv:s0 right.csv:s11 --claim not-worse --margin 0.1",
        "compare --unpaired real.csv:s0 real.csv:s1 -t brunner-munzel",
        "compare --unpaired real.csv:s0 real.csv:s1 --claim equivalent --margin 0.1",
        "compare --unpaired one.txt two.txt -r gold.txt -m rougeL",
        "compare --unpaired one.num two.num none.num -r gold.num -m mae --skip-unreadable",
    )
    yield json.loads(outscore.compare([4.0] * 9, [5.0] * 7, unpaired=True).to_json())


def meta() -> Iterator[Json]:
    root = EXAMPLES / "meta"
    files = f"{root}/human-scores/en-de.mqm.seg.score {root}/metric-scores/en-de"
    yield from _all(
        f"meta {files}",
        f"meta {files} --emulate mtme",
        f"meta {files} -s spa --emulate mtme --n-resamples 200",
        f"meta {files} -s acc-t,spa --n-resamples 200",
        f"meta {files} -s pairwise-accuracy --systems sampled",
        f"meta {files}/north-refA.seg.score",
        f"meta {root}/judges.csv:human {root}/judges.csv:large -s preference",
    )
    rows = [f"{system},{item},{item % 3},{item % 2}" for system in "ab" for item in range(8)]
    Path("lacking.csv").write_text("\n".join(["system,item,human,m", *rows, "c,1,2,"]) + "\n")
    yield write("meta", "lacking.csv:human", "lacking.csv:m")


def judges() -> Iterator[Json]:
    root = EXAMPLES / "judges"
    yield from _all(
        f"judges {root}/verdicts.csv",
        f"judges {root}/answers.csv",
        f"judges {root}/ratings.csv --columns judge=model",
    )
    Path("single.csv").write_text(
        "item,system,verdict,human\n" + "".join(f"{i},{'ab'[i == 1]},1,1\n" for i in range(6))
    )
    yield write("judges", "single.csv")
    Path("one.csv").write_text("item,system,verdict,human\n" + "".join(f"{i},a,{i % 2},1\n" for i in range(6)))
    yield write("judges", "one.csv")
    rated = [(item, judge, item % 3) for item in range(6) for judge in ("e1", "e2", "g")]
    rated += [(item, judge, 1) for item in (6, 7) for judge in ("e3", "e4")]  # without disagreement
    Path("people.csv").write_text("item,judge,score\n" + "".join(f"{i},{judge},{of}\n" for i, judge, of in rated))
    yield write("judges", "people.csv", "--people", "e*", "--level", "interval")


OUTPUTS: dict[str, Callable[[], Iterable[Json]]] = {
    "outscore/comparison/1": comparison,
    "outscore/comparisons/1": comparisons,
    "outscore/formats/1": formats,
    "outscore/gate/2": gate,
    "outscore/inventory/1": inventory,
    "outscore/judges/1": judges,
    "outscore/meta/1": meta,
    "outscore/metrics/1": metrics,
    "outscore/plan-gain/1": plan("gain", "--items 60,120"),
    "outscore/plan-items/1": plan("items", "--gain 0.1"),
    "outscore/plan-power/1": plan("power", "--gain 0.1 --items 60"),
    "outscore/plan-gate/1": plan_gate,
    "outscore/plan-human/1": plan_human,
    "outscore/plan-runs/1": plan_runs,
    "outscore/plan-table/1": plan_table,
    "outscore/ranking/1": ranking,
    "outscore/rankings/1": rankings,
    "outscore/replicate-run/1": replicate_run,
    "outscore/replication/1": replication,
    "outscore/scores/1": scores,
    "outscore/studies/1": studies,
    "outscore/study-calibration/1": study("calibration"),
    "outscore/study-domains/1": study("domains"),
    "outscore/study-gain/1": study("gain"),
    "outscore/study-size/1": study("size"),
    "outscore/study-transfer/1": study("transfer"),
    "outscore/test-sets/1": test_sets,
    "outscore/unpaired/1": unpaired,
}
