"""The readers, each with valid files to begin with; what is registered is here without being named."""

from __future__ import annotations

import gzip
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from outscore.api import ReadOptions, read
from outscore.metrics import METRICS
from outscore.metrics.base import AnyOutputMetric
from outscore.metrics.outputs import OUTPUT_METRICS, output_metric_named
from outscore.readers import read_labels, read_system
from outscore.readers.kept_files import KEPT_FORMATS, KeptFormat, Packed
from outscore.readers.kept_rows import packed_rows, read_kept_rows
from outscore.readers.logs.base import LogFile, LogFormat
from outscore.readers.logs.finding import logs_in
from outscore.readers.logs.registry import log_formats
from outscore.readers.outputs import read_outputs, rows_to_keep
from outscore.readers.registry import InputFiles, item_formats, table_formats
from outscore.replication.training_sets import read_training_set
from tests.fuzz.mutations import mutated

__all__ = ["CORPUS", "Target", "targets"]

CORPUS = Path(__file__).parent / "corpus"

# Metrics of which rows are kept; none needs an optional package.
KEPT = ("accuracy", "macro-f1", "mcc", "pearson", "mae", "exact-match", "las", "aer", "span-f1", "ndcg")


@dataclass(frozen=True)
class Target(ABC):
    """A reader, and what it reads.

    Attributes
    ----------
    name : str
    """

    name: str

    @cached_property
    def seeds(self) -> Sequence[tuple[str, bytes]]:
        """Names and contents of valid files; those of all other readers where the reader has none of its own."""
        own = sorted((CORPUS / self.name).glob("*"))
        return [(path.name, path.read_bytes()) for path in own or sorted(CORPUS.glob("*/*"))]

    def case(self, random: Random) -> tuple[str, bytes]:
        """Return a file: its name and content."""
        name, data = random.choice(self.seeds)
        data = mutated(data, [content for _, content in self.seeds], random)
        if random.random() < 0.02:
            compressed = gzip.compress(data)
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
        reading = ReadOptions(
            id_column=random.choice((None, None, "id", "q1")),
            score_column=random.choice((None, None, "score", "a")),
            clusters=random.choice((None, "doc")),
            drop_missing=random.random() < 0.5,
        )
        match random.randrange(4):
            case 0:
                rows = read_system(path, METRICS[metric](), drop_missing=reading["drop_missing"])
                assert np.isfinite(rows.values).all()
                assert rows.item_ids is None or len(rows.item_ids) == len(rows)
            case 1:
                read_labels(random.choice((path, "doc")), path)
            case 2:
                read(path, metric=metric, **reading)
            case _:
                read(path, path, metric=metric, **reading)


class _Parquet(_Tables):
    @cached_property
    def seeds(self) -> Sequence[tuple[str, bytes]]:
        from outscore.results.record import Table, parquet_bytes

        tables = (
            Table({"id": ["q1", "q2", "q3"], "score": [0.5, 1.0, None], "doc": [["a"], [], None]}, {}),
            Table({"score": [1, 2]}, {}),
        )
        return [(f"{name}.parquet", parquet_bytes(of, name)) for name, of in zip("ab", tables, strict=True)]


@dataclass(frozen=True)
class _Corpora(Target):
    def prepare(self, folder: Path) -> None:
        for key in item_formats():
            for place, seed in enumerate(sorted((CORPUS / key).glob("*"))):
                shutil.copy(seed, folder / f"{key}-{place}{seed.suffix}")

    def read(self, path: str, random: Random) -> None:
        item_type = item_formats()[self.name].item_type
        spec = random.choice((path, path, path, f"{path}:score"))
        form = random.choice((self.name, self.name, None))
        corpus = InputFiles().read(spec, item_type, form)
        assert corpus.item_ids is None or len(corpus.item_ids) == len(corpus)
        assert len(corpus.lines) in (0, len(corpus))
        metrics = [known for known in _metrics() if item_type in (known.output_type, known.reference_type)]
        if metrics:
            metric = random.choice(metrics)
            outputs = path if item_type is metric.output_type else self._other(path, metric.output_type)
            references = path if item_type is metric.reference_type else self._other(path, metric.reference_type)
            if random.random() < 0.5 and item_type is metric.output_type:
                references = self._other(path, metric.reference_type)
            read_outputs([outputs, outputs], [references], metric)

    @staticmethod
    def _other(path: str, item_type: type) -> str:
        """Return a valid file beside this one that holds such items."""
        key = next(key for key, known in item_formats().items() if known.item_type is item_type)
        return str(next(Path(path).parent.glob(f"{key}-0.*")))


def _metrics() -> Sequence[AnyOutputMetric[Any, Any]]:
    return [output_metric_named(name) for name in OUTPUT_METRICS]


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
        found = read_training_set(path, None, random.choice((None, 0, 1)))
        assert len(found)


@dataclass(frozen=True)
class _Families(_Boards):
    def case(self, random: Random) -> tuple[str, bytes]:
        return Target.case(self, random)

    def read(self, path: str, random: Random) -> None:
        board = str(Path(path).parent / "board.toml")
        Path(board).write_bytes(
            (CORPUS / "board" / "a.toml").read_bytes().replace(b'file = "b.csv"', b'name = "B"\nfile = "b.csv"')
        )
        read(board, families=path)


@dataclass(frozen=True)
class _Kept(Target):
    """Kept rows: damaged bytes, and whole files that say what no outscore has written."""

    known: KeptFormat

    @cached_property
    def seeds(self) -> Sequence[tuple[str, bytes]]:
        found = []
        for name in KEPT:
            metric = output_metric_named(name)
            side = [
                next(key for key, known in item_formats().items() if known.item_type is item_type)
                for item_type in (metric.output_type, metric.reference_type)
            ]
            files = [str(sorted((CORPUS / key).glob("*"))[0]) for key in side]
            kept = rows_to_keep([files[0]], [files[1]], metric)[0]
            found.append((f"{name}{self.known.extension}", packed_rows(kept, self.known)))
        return found

    def case(self, random: Random) -> tuple[str, bytes]:
        name, data = random.choice(self.seeds)
        if random.random() < 0.3:
            return name, mutated(data, [data], random)
        whole = self.known.unpacked(data, name)
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
            return name, self.known.packed(replace(whole, header=header, values=values, item_ids=ids))
        except Exception:  # what cannot be packed is no file
            return name, self.known.packed(Packed(whole.header, values, None, None))

    def prepare(self, folder: Path) -> None:
        for name, data in self.seeds:
            (folder / f"valid-{name}").write_bytes(data)

    def read(self, path: str, random: Random) -> None:
        found = read_kept_rows(path)
        assert np.isfinite(found.rows.values).all()
        read_outputs([path, str(Path(path).parent / f"valid-{random.choice(self.seeds)[0]}")])


@dataclass(frozen=True)
class _Logs(Target):
    """Logs of a harness; what stands beside them in the corpus as ``beside-NAME`` stands beside them as NAME."""

    known: LogFormat

    @cached_property
    def seeds(self) -> Sequence[tuple[str, bytes]]:
        own = sorted(path for path in (CORPUS / self.name).glob("*") if not path.name.startswith(_BESIDE))
        return [(path.name, path.read_bytes()) for path in own]

    def prepare(self, folder: Path) -> None:
        for path in (CORPUS / self.name).glob(f"{_BESIDE}*"):
            shutil.copy(path, folder / path.name.removeprefix(_BESIDE))

    def read(self, path: str, random: Random) -> None:
        if random.random() < 0.2:
            logs_in(path)
            return
        file = LogFile(Path(path))
        self.known.recognizes(file)
        for log in self.known.read([file]):
            assert log.item_ids or log.n_unlisted or log.needs_total
            columns = (*(metric.scores for metric in log.metrics), *log.labels.values(), *log.digests.values())
            assert {len(column) for column in columns} <= {len(log)}
            assert log.runs is None or len(log.runs) == len(log)
            assert all(isinstance(text, str) for text in (*log.item_ids, log.system, log.task, *log.notes))
            assert all(isinstance(text, str) and text.isprintable() for text in log.facts.values())
            self.known.texts(log, log.item_ids[:2])


_BESIDE = "beside-"


def targets() -> Sequence[Target]:
    """Return every reader."""
    kinds = {"Parquet": _Parquet}
    return [
        *(
            kinds.get(known.name, _Tables)(f"table-{known.name.replace(' ', '-')}")
            for known in table_formats().values()
        ),
        *(_Corpora(key) for key in item_formats()),
        *(_Kept(f"kept-{key}", known) for key, known in KEPT_FORMATS.items()),
        *(_Logs(f"log-{name}", known) for name, known in log_formats().items() if (CORPUS / f"log-{name}").is_dir()),
        _Boards("board"),
        _Families("families"),
        _TrainingSets("training-set"),
    ]
