"""The readers, each with valid files to begin with; what is registered is here without being named."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from outscore import gate
from outscore.api import read
from outscore.cli.start import started
from outscore.data.rows import Missing
from outscore.errors import OutscoreError
from outscore.metrics import METRICS
from outscore.readers import InputFiles, read_system
from outscore.wings.replication.runs import read_board, records_in
from tests.battles.kit import read_battles
from tests.fuzz.mutations import mutated
from tests.gating.kit import StreamedItems, read_configuration, read_store, stored_labels, stored_systems
from tests.kit import OUTPUT_METRICS, item_formats, output_metric, table_formats
from tests.logs.kit import LogFile, log_formats
from tests.logs.kit import logs_found as logs_in
from tests.readers.kit import Packed, Reading, from_npz, packed_rows, read_kept_rows, read_outputs, rows_to_keep, to_npz
from tests.readers.labelled import read_labels
from tests.replication.kit import Unit, read_training_set

__all__ = ["CORPUS", "MENDED", "Target", "targets", "wrong_line"]

CORPUS = Path(__file__).parent / "corpus"
# Files that were handled wrongly once.
MENDED = Path(__file__).parent / "mended"
_EXAMPLES = Path(__file__).parents[2] / "examples"

# Files in examples that readers begin with, too.
_OF_EXAMPLES = {
    "table-CSV": ("designs/*.csv", "logs/alpaca-eval/*.csv"),
    "table-TSV": ("wnut17/*.tsv", "cruxeval/*.tsv"),
    "table-plain": ("jansen/*.txt",),
    "transcripts": ("designs/*.txt",),
    "text": ("designs/reference.txt",),
    "trec-run": ("retrieval/*.run",),
    "qrels": ("retrieval/*.qrels",),
    "battles": ("battles/*.csv",),
    "replicate-board": ("replicate/board.toml",),
    "training-set": ("designs/reference.txt",),
    "log-Inspect": ("logs/inspect/*.eval",),
    "log-OpenAI Evals": ("logs/openai-evals/*.jsonl",),
    "log-promptfoo": ("logs/promptfoo/*.json",),
    "log-lm-evaluation-harness": ("logs/lm-eval/made-up__*/samples_*",),
    "log-AlpacaEval": ("logs/alpaca-eval/results/*/*/*.json",),
    "log-MT-bench": ("logs/mt-bench/model_judgment/*",),
    "log-Arena-Hard": ("logs/arena-hard/*/*/*",),
    "log-Every Eval Ever": ("logs/every-eval-ever/data/*/*/*/*.jsonl",),
    "log-HELM": ("logs/helm/*/per_instance_stats.json",),
    "log-lighteval": ("logs/lighteval/details/*/*/*/*",),
    "log-eval-arena": ("logs/others/eval-arena.jsonl",),
    "log-SWE-bench": ("logs/swe-bench/*.json",),
    "log-EvalPerf": ("logs/evalperf/*.json",),
    "log-tau-bench": ("logs/tau-bench/*.json",),
}
_MOST_OF_LINES = 2**13  # bytes of a file of lines: what is wrong with long ones is wrong with short ones
_MOST_OF_TEXTS = 2**12  # bytes of texts that are scored, too
LONGEST_LINE = 2_500

# Metrics of which rows are kept; none needs an optional package.
KEPT = ("accuracy", "macro-f1", "mcc", "pearson", "mae", "exact-match", "las", "aer", "span-f1", "ndcg")


def _examples_of(name: str) -> Sequence[tuple[str, bytes]]:
    """Return names and contents of the examples that a reader begins with; of long files of lines the first."""
    files = []
    for pattern in _OF_EXAMPLES.get(name, ()):
        paths = sorted(_EXAMPLES.glob(pattern))
        assert paths, pattern
        for path in paths:
            data = path.read_bytes()
            if path.suffix not in (".eval", ".json", ".parquet") and len(data) > _MOST_OF_LINES:
                data = data[: data.index(b"\n", _MOST_OF_LINES) + 1]
            files.append((path.name, data))
    return files


def wrong_line(line: str) -> str | None:
    """Return what is wrong with a line that tells a problem."""
    if line.isprintable() and re.search(r" \[[a-z0-9-]+\]$", line) and len(line) <= LONGEST_LINE:
        return None
    return f"a problem that is no line: {line[:LONGEST_LINE]!r}"


@dataclass(frozen=True)
class Target(ABC):
    """A reader, and what it reads.

    Attributes
    ----------
    name : str
    writes : bool
        Whether it writes into the folder of what it reads; then it says itself what may not be written.
    """

    name: str
    writes: ClassVar[bool] = False

    @property
    def own(self) -> Sequence[tuple[str, bytes]]:
        """Names and contents of valid files."""
        own = sorted(path for path in (CORPUS / self.name).glob("*") if not path.name.startswith(_BESIDE))
        return [*((path.name, path.read_bytes()) for path in own), *_examples_of(self.name)]

    @cached_property
    def seeds(self) -> Sequence[tuple[str, bytes]]:
        """Names and contents of the files that are mutated."""
        return [*self.own, *((path.name, path.read_bytes()) for path in sorted((MENDED / self.name).glob("*")))]

    def case(self, random: Random) -> tuple[str, bytes]:
        """Return a file: its name and content."""
        name, data = random.choice(self.seeds)
        data = mutated(data, [content for _, content in self.seeds], random)
        if random.random() < 0.02:
            compressed = gzip.compress(data, mtime=0)
            return f"{name}.gz", compressed[: len(compressed) - random.choice((0, 0, 3))]
        return (random.choice(("a", "a.txt", "a.csv", "a.jsonl", name)) if random.random() < 0.1 else name), data

    def prepare(self, folder: Path) -> None:
        """Put other files into the folder that the file is read in."""
        assert folder.is_dir()

    @abstractmethod
    def read(self, path: str, random: Random) -> None:
        """Read the file as commands do."""


@dataclass(frozen=True)
class _Tables(Target):
    def read(self, path: str, random: Random) -> None:
        metric = random.choice(list(METRICS))
        reading: dict[str, Any] = {
            "id_column": random.choice((None, None, "id", "q1")),
            "score_column": random.choice((None, None, "score", "a")),
            "clusters": random.choice((None, None, "doc", path)),
            "strata": random.choice((None, None, None, "doc")),
            "collapse_strata": random.random() < 0.1,
            "test_sets": random.choice((None, None, None, "doc")),
            "drop_missing": random.random() < 0.5,
            "skip_unreadable": random.random() < 0.1,
            "zero_missing": random.random() < 0.1,
        }
        if random.random() < 0.3:
            reading["run"] = random.choice(("run", "doc", "id"))
            reading["runs"] = random.choice(("samples", "fixed", "random"))
            reading["pair_runs"] = random.random() < 0.3
            if reading["runs"] == "samples":
                reading["reduce"] = random.choice(("mean", "pass@2", "maj@1"))
        if reading["strata"] and random.random() < 0.3:
            reading["weights"] = random.choice(("macro", path))
        match random.randrange(6):
            case 0:
                missing = Missing.DROP if reading["drop_missing"] else Missing.ERROR
                rows = read_system(path, METRICS[metric](), missing=missing)
                assert np.isfinite(rows.values).all()
                assert rows.item_ids is None or len(rows.item_ids) == len(rows)
            case 1:
                read_labels(random.choice((path, "doc")), path)
            case 2 | 3 | 4:
                read(path, metric=random.choice((None, metric)))
            case _:
                read(*random.choice(((path,), (path, path))), metric=metric, **reading)


class _Parquet(_Tables):
    @property
    def own(self) -> Sequence[tuple[str, bytes]]:
        from tests.kit import Table, parquet_bytes

        tables = (
            Table({"id": ["q1", "q2", "q3"], "score": [0.5, 1.0, 1.0], "doc": [["a"], [], None]}, {}),
            Table({"id": ["q1", "q2"], "score": [0.5, 0.0], "doc": ["a", "b"], "ok": [True, False]}, {}),
            Table({"system": ["A", "A", "B", "B"], "item": [1, 2, 1, 2], "score": [1, 2, 2, 2]}, {}),
        )
        return [(f"{name}.parquet", parquet_bytes(of, name)) for name, of in zip("abc", tables, strict=True)]


@dataclass(frozen=True)
class _Corpora(Target):
    def prepare(self, folder: Path) -> None:
        for key in item_formats():
            for place, (name, data) in enumerate(_Corpora(key).own):
                (folder / f"{key}-{place}{Path(name).suffix}").write_bytes(data)

    def read(self, path: str, random: Random) -> None:
        item_type = item_formats()[self.name].item_type
        spec = random.choice((path, path, path, f"{path}:score"))
        form = random.choice((self.name, self.name, None))
        corpus = InputFiles().read(spec, item_type, form)
        assert corpus.item_ids is None or len(corpus.item_ids) == len(corpus)
        assert len(corpus.lines) in (0, len(corpus))
        metrics = [known for known in _metrics() if item_type in (known.output_type, known.reference_type)]
        # How long ROUGE-L takes of long lines is another matter.
        if metrics and (item_type is not str or Path(path).stat().st_size < _MOST_OF_TEXTS):
            metric = random.choice(metrics)
            outputs = path if item_type is metric.output_type else self._other(path, metric.output_type, random)
            own = item_type is metric.reference_type
            references = path if own else self._other(path, metric.reference_type, random)
            if random.random() < 0.5 and item_type is metric.output_type:
                references = self._other(path, metric.reference_type, random)
            read_outputs([outputs, outputs], [references], metric)

    @staticmethod
    def _other(path: str, item_type: type, random: Random) -> str:
        """Return a valid file beside this one that holds such items."""
        keys = [key for key, known in item_formats().items() if known.item_type is item_type]
        return str(random.choice(sorted(file for key in keys for file in Path(path).parent.glob(f"{key}-?.*"))))


def _metrics() -> Sequence[Any]:
    return [output_metric(name) for name in OUTPUT_METRICS]


@dataclass(frozen=True)
class _Boards(Target):
    def prepare(self, folder: Path) -> None:
        for name in ("a.csv", "b.csv"):
            shutil.copy(CORPUS / "table-CSV" / "a.csv", folder / name)
        shutil.copy(CORPUS / "gold-answers" / "a.jsonl", folder / "r.jsonl")
        for name in ("x.jsonl", "y.jsonl"):
            shutil.copy(CORPUS / "answers" / "b.jsonl", folder / name)

    def case(self, random: Random) -> tuple[str, bytes]:
        name, data = super().case(random)
        return f"board-{name.partition('.')[0]}.toml", data

    def read(self, path: str, random: Random) -> None:
        read(path, lower_is_better=random.random() < 0.1)


@dataclass(frozen=True)
class _TrainingSets(Target):
    def read(self, path: str, random: Random) -> None:
        assert len(read_training_set(path, random.choice((None, *Unit)), random.choice((None, 0, 1))))


@dataclass(frozen=True)
class _Families(_Boards):
    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        board = (CORPUS / "board" / "a.toml").read_bytes()
        (folder / "board.toml").write_bytes(board.replace(b'file = "b.csv"', b'name = "B"\nfile = "b.csv"'))

    def case(self, random: Random) -> tuple[str, bytes]:
        name, data = Target.case(self, random)
        return f"of-families-{name}", data

    def read(self, path: str, random: Random) -> None:
        read(str(Path(path).parent / "board.toml"), families=path)


@dataclass(frozen=True)
class _Kept(Target):
    """Kept rows: damaged bytes, and whole files that say what no outscore has written."""

    @cached_property
    def own(self) -> Sequence[tuple[str, bytes]]:
        files_of_metrics = []
        for name in KEPT:
            metric = output_metric(name)
            side = [
                next(key for key, known in item_formats().items() if known.item_type is item_type)
                for item_type in (metric.output_type, metric.reference_type)
            ]
            files = [str(min((CORPUS / key).glob("*"))) for key in side]
            kept = rows_to_keep([files[0]], [files[1]], metric)[0]
            files_of_metrics.append((f"{name}.npz", packed_rows(kept)))
        return files_of_metrics

    def case(self, random: Random) -> tuple[str, bytes]:
        if random.random() < 0.3:
            name, data = random.choice(self.seeds)
            return name, mutated(data, [data], random)
        name, data = random.choice(self.own)
        whole = from_npz(data, name)
        header = dict(whole.header)
        for _ in range(random.choice((0, 1, 1, 2))):
            key = random.choice(list(header))
            text = json.dumps(header[key])
            try:
                header[key] = json.loads(mutated(text.encode(), [text.encode()], random).decode())
            except (ValueError, RecursionError):
                header[key] = random.choice((None, 1, [], {}, "\x1b[31m", 10**400))
        values = whole.values.copy()
        if random.random() < 0.5:
            odd = (-1.0, 1e308, -1e308, np.nan, np.inf, 5e-324, 0.5, 1e9, 2.0**63)
            values[random.randrange(len(values)), random.randrange(values.shape[1])] = random.choice(odd)
        ids = random.choice((whole.item_ids, None, ("\x1b[1m",) * len(values), tuple(map(str, range(len(values))))))
        try:
            return name, to_npz(replace(whole, header=header, values=values, item_ids=ids))
        except Exception:  # what cannot be packed is no file
            return name, to_npz(Packed(whole.header, values, None, None))

    def prepare(self, folder: Path) -> None:
        for name, data in self.own:
            (folder / f"valid-{name}").write_bytes(data)

    def read(self, path: str, random: Random) -> None:
        assert np.isfinite(read_kept_rows(path).rows.values).all()
        name = random.choice((Path(path).name, random.choice(self.own)[0]))
        read_outputs([path, str(Path(path).with_name(f"valid-{name}"))])


@dataclass(frozen=True)
class _Logs(Target):
    """Logs of a harness; what stands beside them in the corpus as ``beside-NAME`` stands beside them as NAME."""

    known: Any

    def prepare(self, folder: Path) -> None:
        for path in (CORPUS / self.name).glob(f"{_BESIDE}*"):
            shutil.copy(path, folder / path.name.removeprefix(_BESIDE))

    def read(self, path: str, random: Random) -> None:
        match random.randrange(10):
            case 0 | 1:
                logs_in(path)
                return
            case 2 | 3:
                options: dict[str, Any] = {
                    "total": random.choice((None, None, None, 5, path)),
                    "duplicates": random.choice((None, "first", "last")),
                    "zero_missing": random.random() < 0.5,
                    "skip_unreadable": random.random() < 0.1,
                }
                read(*random.choice(((path,), (path, path), (str(Path(path).parent),))), **options)
                return
        file = LogFile(Path(path))
        self.known.recognizes(file)
        for log in self.known.read([file]):
            has_items = log.item_ids or log.n_unlisted or log.needs_total or log.fault is not None
            assert has_items or (not log.system and log.notes)  # a note on systems without scores
            columns = (*(metric.scores for metric in log.metrics), *log.labels.values(), *log.digests.values())
            assert {len(column) for column in columns} <= {len(log)}
            assert log.runs is None or len(log.runs) == len(log)
            assert all(isinstance(text, str) for text in (*log.item_ids, log.system, log.task, *log.notes))
            assert all(isinstance(text, str) and text.isprintable() for text in log.facts.values())
            self.known.texts(log, log.item_ids[:2])


_BESIDE = "beside-"


@dataclass(frozen=True)
class _Battles(Target):
    def read(self, path: str, random: Random) -> None:
        battles = read_battles([path], "bradley-terry", Reading(clusters=random.choice((None, "user"))))
        assert battles is not None
        assert len(battles.systems) > 1


@dataclass(frozen=True)
class _Streams(Target):
    def read(self, path: str, random: Random) -> None:
        metrics = [METRICS[name]() for name in random.choice((("mean",), ("accuracy",), ("mean", "accuracy")))]
        stream = BytesIO(Path(path).read_bytes())
        for _, _, scores in StreamedItems(stream, metrics, id_column=random.choice((None, "id"))):
            assert all(map(np.isfinite, scores.values()))


@dataclass(frozen=True)
class _Configurations(Target):
    def read(self, path: str, random: Random) -> None:
        if random.random() < 0.5:
            read_configuration(path)
        else:
            read_configuration(folder=str(Path(path).parent))


@dataclass(frozen=True)
class _Stores(Target):
    """Baselines of gates: a look is written whole, or the file stays as it is."""

    writes: ClassVar[bool] = True

    def prepare(self, folder: Path) -> None:
        (folder / "candidate.csv").write_bytes((CORPUS / "table-CSV" / "e.csv").read_bytes())

    def read(self, path: str, random: Random) -> None:
        if random.random() < 0.5:
            store = read_store(path)
            stored_systems(store, path, store.runs)
            stored_labels(store, path)
            return
        before = Path(path).read_bytes()
        candidate = str(Path(path).with_name("candidate.csv"))
        try:
            gate(path, random.choice((candidate, path)), margin=0.1, commit=random.choice((None, "abc")))
        except OutscoreError:
            assert Path(path).read_bytes() == before
            raise
        else:
            assert read_store(path).looks
        finally:
            assert not list(Path(path).parent.glob("*.part"))


@dataclass(frozen=True)
class _Records(Target):
    """The records and the board that stand in a folder of replicated systems."""

    writes: ClassVar[bool] = True

    def read(self, path: str, random: Random) -> None:
        run = Path(path).parent / "system"
        run.mkdir()
        try:
            shutil.copy(path, run / "run.json")
            records_in(run.parent)
        finally:
            shutil.rmtree(run)


@dataclass(frozen=True)
class _ReplicateBoards(Target):
    def case(self, random: Random) -> tuple[str, bytes]:
        return "board.toml", super().case(random)[1]

    def read(self, path: str, random: Random) -> None:
        read_board(Path(path).parent)


@dataclass(frozen=True)
class _Commands(Target):
    """Files of all readers on the command line: what it prints, its exit status, and what it writes."""

    writes: ClassVar[bool] = True
    others: Sequence[Target]

    @property
    def own(self) -> Sequence[tuple[str, bytes]]:
        return [seed for other in self.others for seed in other.own]

    def case(self, random: Random) -> tuple[str, bytes]:
        return random.choice(self.others).case(random)

    def prepare(self, folder: Path) -> None:
        (folder / "valid.csv").write_bytes((CORPUS / "table-CSV" / "e.csv").read_bytes())

    def read(self, path: str, random: Random) -> None:
        output = Path(path).with_name(f"output.{random.choice(('json', 'csv', 'txt', 'html'))}")
        valid = str(Path(path).with_name("valid.csv"))
        few = ("--n-resamples", "50")
        command: Sequence[str] = random.choice(
            (
                ("score", path, *few),
                ("compare", path, valid, *few),
                ("compare", path, path, *few),
                ("rank", path, *few),
                ("rank", path, valid, *few),
                ("logs", path),
                ("study", "gain", path, *few),
                ("gate", path, valid, "--margin", "0.1"),
                ("gate", "accept", path),
                ("rows", path, "-m", "exact-match", "-r", path),
            )
        )
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as err:
            status = started([*command, "-o", str(output)])
        told = err.getvalue().splitlines()
        assert status in (0, 1, 2, 3), (command, status)
        assert not any(line.endswith((" [unexpected]", " [out-of-memory]")) for line in told), (command, told)
        assert output.exists() == (status != 2), (command, status, told)
        assert not list(output.parent.glob("*.part")), command
        if status == 2:
            *lines, last = told
            if not re.fullmatch(r"\.\.\. and [\d,]+ more like these\.", last):
                lines.append(last)
            assert lines, command
            assert not any(map(wrong_line, lines)), (command, told)
        elif output.suffix == ".json":
            json.loads(output.read_bytes())


def targets() -> Sequence[Target]:
    """Return every reader: what is registered is here without being named."""
    kinds = {"Parquet": _Parquet}
    readers = [
        *(
            kinds.get(known.name, _Tables)(f"table-{known.name.replace(' ', '-')}")
            for known in table_formats().values()
        ),
        *(_Corpora(key) for key in item_formats()),
        _Kept("kept-npz"),
        *(_Logs(f"log-{name}", known) for name, known in log_formats().items()),
        _Boards("board"),
        _Families("families"),
        _Battles("battles"),
        _Streams("stream"),
        _Configurations("configuration"),
        _Stores("gate-store"),
        _TrainingSets("training-set"),
        _Records("replicate-record"),
        _ReplicateBoards("replicate-board"),
    ]
    return [*readers, _Commands("command-line", readers)]
