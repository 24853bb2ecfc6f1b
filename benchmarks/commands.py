"""Measure whole commands beside whole processes of peers: start, reading, scoring, test, interval and text.

Each pair runs in turns: processor seconds of the process and its children, and seconds on the wall. ranx comes with
``pip install 'outscore[benchmarks]'``; a row whose data or peer is missing is left out.
"""

from __future__ import annotations

import csv
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from measuring import DATA, QUICK, ROOT, pretty, table, told

LOGS = DATA.parent / "logs"
# Turns of a pair: until it took so long in all, but at least and at most so many.
SECONDS, LEAST, MOST = 10.0, 2, 11
# A first turn may write byte code: it counts only where that is little beside the rest.
LONG = 5.0
NUMPY = ("-c", "import numpy")
# Systems of WMT24 en-cs that differ in every metric by p < 1e-12, and two that are close.
CLEAR = "Claude-3.5", "IKUN-C"
CLOSE = "Claude-3.5", "ONLINE-W"
SACREBLEU_TARGETS = {"bleu": 0.6, "chrf": 0.5, "ter": 0.1, "bleu,chrf,ter": 0.15}


@dataclass(frozen=True)
class Row:
    """A command, what it is measured against, and the ratio that is aimed at.

    `ours` are the arguments of outscore, `peer` those of Python.
    """

    what: str
    ours: Sequence[str]
    called: str = "import numpy"
    peer: Sequence[str] = NUMPY
    target: float | None = None
    needs: Sequence[str] = ()  # modules

    def missing(self) -> list[str]:
        """Return the modules and files that are not there."""
        files = (part.partition(":")[0] for part in (*self.ours, *self.peer) if Path(part).is_absolute())
        modules = [name for name in self.needs if importlib.util.find_spec(name) is None]
        return [*modules, *sorted({file for file in files if not Path(file).exists()})]


@dataclass(frozen=True)
class Times:
    """Seconds of each turn of one process."""

    cpu: list[float]
    wall: list[float]

    def __str__(self) -> str:
        least, median, *walls = (pretty(of(each)) for each in (self.cpu, self.wall) for of in (min, statistics.median))
        return f"{least}, {median} ({', '.join(walls)})"


def outscore_command() -> list[str]:
    """Return what users run: the script beside this Python, or the module where it is not installed."""
    script = Path(sys.executable).with_name("outscore")
    return [str(script)] if script.exists() else [sys.executable, "-m", "outscore"]


def process_seconds(argv: Sequence[str]) -> tuple[float, float]:
    """Return the processor seconds of a process and all that it waited for, and its seconds on the wall."""
    # Byte code is kept, as that of installed packages is, whatever the environment of this process says.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # so that nothing waits for it again
        if process.returncode:
            errors.seek(0)
            message = errors.read().decode(errors="replace")
            raise subprocess.CalledProcessError(process.returncode, list(argv), stderr=message)
    return usage.ru_utime + usage.ru_stime, wall


def in_turns(row: Row) -> tuple[Times, Times]:
    """Run outscore and the peer in turns."""
    commands = [*outscore_command(), *row.ours], [sys.executable, *row.peer]
    turns = [[process_seconds(argv) for argv in commands]]
    if not QUICK:
        if sum(wall for _, wall in turns[0]) < LONG:
            turns.clear()
        end = time.perf_counter() + SECONDS
        while len(turns) < LEAST or (len(turns) < MOST and time.perf_counter() < end):
            turns.append([process_seconds(argv) for argv in commands])
    ours, peer = (Times(*(list(each) for each in zip(*one, strict=True))) for one in zip(*turns, strict=True))
    return ours, peer


def peer_script(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(Path(__file__).with_name("command_peers.py")), name, *arguments)


def translations(folder: Path) -> Iterator[Row]:
    """Return rows beside sacreBLEU: each metric and all three, of a clear and of a close pair."""
    files = DATA / "mt-wmt24-en-cs"

    def cut(path: Path) -> str:
        if not QUICK or not path.exists():
            return str(path)
        short = folder / path.name
        short.write_text("".join(path.open(encoding="utf-8", newline="\n").readlines()[:100]), encoding="utf-8")
        return str(short)

    reference = cut(files / "ref.A.cs.txt")
    for metrics, target in SACREBLEU_TARGETS.items():
        for pair, how in ((CLEAR, "p < 1e-12"), (CLOSE, "a close pair")):
            systems = [cut(files / "systems" / f"{name}.txt") for name in pair]
            names = metrics.split(",")
            yield Row(
                f"`compare -m {metrics}`, WMT24 en-cs, 997 segments, {how}",
                ("compare", *systems, "-r", reference, "-m", metrics),
                f"sacrebleu -m {' '.join(names)} --paired-bs",
                ("-m", "sacrebleu", reference, "-i", *systems, "-m", *names, "--paired-bs", "-f", "text"),
                target,
                ("sacrebleu",),
            )


def scored_by_others() -> Iterator[Row]:
    """Return rows beside scripts that score both systems, and test nothing where no test is named."""
    speech, entities, summaries, runs = (
        DATA / name for name in ("asr-librispeech-test-clean", "ner-wnut17", "summ-realsumm", "ir-robust03-runs")
    )

    def row(what: str, metrics: str, peer: str, called: str, needs: str, *files: Path) -> Row:
        reference, *systems = map(str, files)
        command = ("compare", *systems, "-r", reference, "-m", metrics)
        return Row(
            f"`compare -m {metrics}`, {what}", command, called, peer_script(peer, *map(str, files)), 1.0, (needs,)
        )

    yield row(
        "LibriSpeech, 2,620 utterances",
        "wer",
        "wer",
        "jiwer.wer",
        "jiwer",
        *(speech / "ref.txt", speech / "systems" / "google.txt", speech / "systems" / "deepspeech.txt"),
    )
    yield row(
        "WNUT 2017, 1,287 posts",
        "span-f1",
        "span-f1",
        "seqeval.metrics.f1_score",
        "seqeval",
        *(entities / "gold.bio", entities / "systems" / "SJTU-Adapt.bio", entities / "systems" / "UH-RiTUAL.bio"),
    )
    yield row(
        "REALSumm, 100 summaries",
        "rouge1,rouge2,rougeL",
        "rouge",
        "RougeScorer.score",
        "rouge_score",
        *(
            summaries / "reference.txt",
            summaries / "systems" / "abs.bart.txt",
            summaries / "systems" / "abs.t5_11B.txt",
        ),
    )
    retrieval = runs / "qrels.txt", runs / "runs" / "pircRBa1.run", runs / "runs" / "uwmtCR0.run"
    yield row("Robust 2003, 100 topics", "ndcg@10", "ir", "ir_measures.calc_aggregate", "ir_measures", *retrieval)
    yield row("Robust 2003, 100 topics", "ndcg@10", "ranx", "ranx.compare", "ranx", *retrieval)


def answers(folder: Path) -> Iterator[Row]:
    """Return rows of language models: two columns of 0 and 1, and two logs of Inspect."""
    source, columns = DATA / "llm-cruxeval" / "correct.tsv", folder / "correct.csv"
    if source.exists():
        with source.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        names = "item", "claude-3-5-sonnet-20240620", "gpt-4o-2024-08-06"
        write_table(columns, names, ([row[name] for name in names] for row in rows))
    else:
        columns = source  # which is then reported as missing
    yield Row(
        "`compare -m accuracy`, CRUXEval, 800 items, a CSV of two columns",
        ("compare", f"{columns}:claude-3-5-sonnet-20240620", f"{columns}:gpt-4o-2024-08-06", "-m", "accuracy"),
        "scipy.stats.permutation_test, 10,000 resamples",
        peer_script("permutation", str(columns)),
        1.0,
    )
    made = LOGS / "inspect-made-gsm8k-epochs"
    logs = [str(path) for path in sorted(made.glob("*gsm8k*"), key=lambda path: -path.stat().st_size)[:2]]
    yield Row(
        "`compare -m exact`, the two largest of our logs of Inspect, 60 samples × 3 epochs",
        ("compare", *(logs or [str(made)]), "-m", "exact"),
        "inspect_ai.log.read_eval_log",
        peer_script("inspect", *logs),
        0.1,
        ("inspect_ai",),
    )


def write_table(path: Path, header: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def wide(path: Path, scores: np.ndarray, *, digits: int) -> str:
    """Write a table of one column per system, items × systems, and return its path."""
    header = ("item", *(f"system{number:02}" for number in range(scores.shape[1])))
    write_table(path, header, ([f"i{number}", *(f"{x:.{digits}f}" for x in row)] for number, row in enumerate(scores)))
    return str(path)


def human_scores(path: Path) -> Path | None:
    """Write WMT24's human scores of en-cs as a table, 16 systems × 297 segments of 85 documents, if they are there.

    As the organisers do, control items are left out, and several scores of a segment are averaged.
    """
    source = DATA / "human-wmt24-esa" / "esa_wave2_eng-ces.csv"
    if not source.exists():
        return None
    scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with source.open(encoding="utf-8", newline="") as file:
        for _, system, item, kind, _, _, score, document, *_ in csv.reader(file):
            control = kind != "TGT" or "tutorial" in system or document == "canary"
            if not control and "#dup" not in document and "#incomplete" not in document:
                scores[document, item][system].append(float(score))
    systems = sorted({system for each in scores.values() for system in each})
    write_table(
        path,
        ("item", "document", *systems),
        (
            [f"{document}.{item}", document, *(statistics.fmean(each[system]) for system in systems)]
            for (document, item), each in scores.items()
        ),
    )
    return path


def starts(folder: Path) -> Iterator[Row]:
    """Return rows of comparisons beside the start of NumPy."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=2000)
    kinds = {"real-valued": np.stack([base, base + 0.5 * rng.normal(size=2000)]), "0 or 1": rng.random((2, 2000)) < 0.6}
    for kind, systems in kinds.items():
        paths = [folder / f"{kind} {letter}.txt" for letter in "ab"]
        for path, scores in zip(paths, systems, strict=True):
            np.savetxt(path, scores, fmt="%.17g")
        yield Row(f"`compare`, two files of 2,000 numbers, {kind}", ("compare", *map(str, paths)), target=2.6)
    files = DATA / "dep-conll17-cs_cac"
    parsers = [
        str(files / "systems" / f"{name}.conllu")
        for name in ("conll17-baseline_sw2_2017-05-15-09-35-05", "Stanford_sw1_2017-05-14-10-36-20")
    ]
    command = ("compare", *parsers, "-r", str(files / "gold.conllu"), "-m", "las")
    yield Row("`compare -m las`, CoNLL 2017 cs_cac, 622 sentences", command, target=6)


def rankings(folder: Path) -> Iterator[Row]:
    """Return rows of rankings and of a gate beside the start of NumPy."""
    rng = np.random.default_rng(4)
    human = human_scores(folder / "human.csv") or DATA / "human-wmt24-esa"
    yield Row("`rank`, 16 systems, 297 items, WMT24's human scores", ("rank", str(human)), target=8)
    clustered = ("rank", str(human), "--cluster", "document")
    yield Row("`rank --cluster`, the same, 85 clusters", clustered, target=8)
    source, first = DATA / "ir-trec8-scores" / "adhoc8_ap.csv", folder / "ap.csv"
    if source.exists():
        lines = source.read_text("utf-8").splitlines()
        first.write_text("".join(f"{','.join(line.split(',')[:25])}\n" for line in lines), encoding="utf-8")
    else:
        first = source
    yield Row("`rank`, 25 systems, 50 items, TREC-8's average precisions", ("rank", str(first)), target=8)
    skill, hard = np.linspace(0.3, 1.3, 60), rng.normal(size=(2000, 1))
    binary = hard + rng.logistic(size=(2000, 60)) < skill
    path = wide(folder / "binary.csv", binary, digits=0)
    yield Row(
        "`rank -m accuracy`, 60 systems, 2,000 items of 0 or 1, synthetic", ("rank", path, "-m", "accuracy"), target=8
    )
    runs = DATA / "ir-robust03-runs"
    yield Row(
        "`rank -m ndcg,map,P.10`, the 17 runs of Robust 2003, 100 topics",
        ("rank", str(runs / "runs"), "-r", str(runs / "qrels.txt"), "-m", "ndcg,map,P.10"),
        target=25,
    )
    wmt = str(DATA / "meta-wmt23-en-de" / "wmt23")
    ranked = ("rank", wmt, "--task", "wmt23 en-de", "-m", "mqm")
    yield Row("`rank -m mqm`, a folder of WMT23, 13 systems, 460 items", ranked)
    correct = ROOT / "examples" / "cruxeval" / "correct.tsv"
    one, other = "Meta-Llama-3.1-405B-Instruct@hyperbolic", "Llama-3.1-405B-Inst@sambanova"
    command = ("gate", f"{correct}:{one}", f"{correct}:{other}", "-m", "accuracy", "--margin", "3%")
    yield Row("`gate -m accuracy`, CRUXEval, 800 items", command)


def measured(rows: Iterable[Row]) -> tuple[list[Sequence[str]], list[str]]:
    """Return the cells of each row, and what is said of rows that are left out."""
    cells: list[Sequence[str]] = []
    left_out = []
    for row in rows:
        told(row.what)
        if missing := row.missing():
            left_out.append(f"Left out, for it needs {', '.join(missing)}: {row.what}.")
            continue
        try:
            ours, peer = in_turns(row)
        except subprocess.CalledProcessError as error:
            told(str(error.stderr))
            left_out.append(
                f"Left out, for it ended with status {error.returncode}: {' '.join(error.cmd[:3])} … of {row.what}."
            )
            continue
        ratios = {
            of: [of(one) / of(other) for one, other in ((ours.cpu, peer.cpu), (ours.wall, peer.wall))]
            for of in (min, statistics.median)
        }
        (least, wall), (median, median_wall) = ratios[min], ratios[statistics.median]
        ratio = f"**{least:.2f}**, {median:.2f} ({wall:.2f}, {median_wall:.2f})"
        goal = "" if row.target is None else f"≤ {row.target:g}"
        cells.append((row.what, str(ours), f"{peer} `{row.called}`", ratio, goal))
    return cells, left_out


def main() -> None:
    """Measure everything and print the section."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = [*translations(folder), *scored_by_others(), *answers(folder)]
        numpys = [*starts(folder), *rankings(folder)]
        beside, missing = measured(packages)
        started, also_missing = measured(numpys)
    header = "what", "outscore", "peer", "ratio", "target"
    print(f"""\
Whole processes, from start to text, each in turns with its peer: the least and the median of the processor seconds of
{LEAST} to {MOST} turns, and in brackets of the seconds on the wall. outscore reads, scores, tests and computes the
interval. sacreBLEU, SciPy and ranx test too; the other scripts (`benchmarks/command_peers.py`) only read or score both.

{table(header, beside)}

Beside the start of NumPy, `python -c "import numpy"`:

{table(header, started)}""")
    for line in (*missing, *also_missing):
        print(f"\n{line}")


if __name__ == "__main__":
    main()
