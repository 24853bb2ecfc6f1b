"""Folders of mt-metrics-eval: ``human-scores/LP.NAME.seg.score`` and ``metric-scores/LP/METRIC-REF.seg.score``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.metaeval.judgements import Judgements
from outscore.readers.files import read_bytes
from outscore.text.naming import listed, printable, quoted
from outscore.text.numbers import format_count

ENDING, WHOLE = ".seg.score", ".sys.score"
_HUMAN = re.compile(r"([A-Za-z]+-[A-Za-z]+)\.(.+)")
_METRIC = re.compile(r"(.+)-(src|all|ref[\w.]*|[\w.]*_ref)")
_REFERENCE = re.compile(r"ref|ref[A-Z0-9]|.+_ref")
_NO_REFERENCE = "[noref]"  # mt-metrics-eval's mark of metrics without references


def are_segment_scores(spec: str) -> bool:
    """Return whether a name is that of segment scores of mt-metrics-eval, or of a folder of them."""
    return spec.endswith(ENDING) or (Path(spec).is_dir() and next(Path(spec).glob(f"*{ENDING}"), None) is not None)


def read_segment_scores(specs: Sequence[str]) -> list[Judgements]:
    """Return the judgements of each language pair.

    Parameters
    ----------
    specs : sequence of str
        One file of human scores per language pair, then files of metrics or folders of them.

    Raises
    ------
    DataError
        A line is not a system and a score, or systems have different numbers of segments.
    OptionError
        A language pair has no metric.
    """
    human = [spec for place, spec in enumerate(specs) if place == 0 or Path(spec).parent.name == "human-scores"]
    files = [file for spec in specs if spec not in human for file in _files_of(spec)]
    return [_language_pair(Path(spec), files, alone=len(human) == 1) for spec in human]


def _files_of(spec: str) -> list[Path]:
    path = Path(spec)
    return sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]


def _language_pair(human: Path, files: Sequence[Path], *, alone: bool) -> Judgements:
    """Return the judgements of one language pair; metrics of others are in other folders."""
    match = _HUMAN.fullmatch(human.name.removesuffix(ENDING))
    pair = match[1] if match else ""
    own = [file for file in files if alone or file.parent.name == pair]
    if not own:
        what = f"no metric scores for the language pair {quoted(pair)}"
        advice = "Pass their files, or the folder metric-scores/LP."
        raise OptionError(Problem(printable(str(human)), what, advice, "no-metric"))
    rated = _scores_in(human)
    n = len(next(iter(rated.values())))
    names = _names_of(own)
    scored = {name: _scores_in(file) for name, file in names.items()}
    for name, own_systems in scored.items():
        count = len(next(iter(own_systems.values())))
        if count != n:
            what = f"expected {format_count(n)} segments, as in {printable(human.name)}, got {format_count(count)}"
            raise DataError(Problem(printable(str(names[name])), what, "Pass files of one test set.", "wrong-length"))
    systems, notes = _compared(rated, scored, own)
    root = human.parent.parent if human.parent.name == "human-scores" else human.parent
    return Judgements(
        name=pair or printable(human.name.removesuffix(ENDING)),
        systems=tuple(systems),
        items=tuple(map(str, range(1, n + 1))),
        human=np.array([rated[system] for system in systems]),
        metrics={name: np.array([of[system] for system in systems]) for name, of in scored.items()},
        documents=_documents(root, pair, n),
        system_scores={
            name: own_scores
            for name, file in names.items()
            if (own_scores := _system_scores(file, systems, scored[name])) is not None
        },
        notes=notes,
    )


def _names_of(files: Sequence[Path]) -> Mapping[str, Path]:
    """Return the files of metrics by their names, with the reference only if names repeat."""
    stems = [printable(file.name.removesuffix(ENDING)) for file in files]
    matches = [_METRIC.fullmatch(stem) for stem in stems]
    short = [
        stem if match is None else match[1] + (_NO_REFERENCE if match[2] == "src" else "")
        for stem, match in zip(stems, matches, strict=True)
    ]
    names = [one if short.count(one) == 1 else stem for one, stem in zip(short, stems, strict=True)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        what = f"two metrics are called {quoted(twice[0])}"
        raise DataError(Problem("metrics", what, "Rename one of the files.", "duplicate-metric"))
    return dict(zip(names, files, strict=True))


def _compared(
    rated: Mapping[str, FloatArray], scored: Mapping[str, Mapping[str, FloatArray]], files: Sequence[Path]
) -> tuple[list[str], tuple[str, ...]]:
    """Return the systems that are not references and have all scores, and notes on what was left out."""
    used = {match[2] for file in files if (match := _METRIC.fullmatch(file.name.removesuffix(ENDING)))}
    references = [system for system in rated if system in used or _REFERENCE.fullmatch(system)]
    systems = [s for s in rated if s not in references and np.isfinite(rated[s]).any()]
    lacking = [system for system in systems if any(system not in of for of in scored.values())]
    kept = [system for system in systems if system not in lacking]
    if len(kept) < 2:
        what = f"expected at least two systems with scores of people and all metrics, got {len(kept)}"
        raise DataError(Problem("metrics", what, "Check that the files are of one test set.", "one-system"))
    notes = []
    if references:
        notes.append(f"Left out references: {listed(references)}.")
    if lacking:
        notes.append(f"Left out systems without scores of all metrics: {listed(lacking)}.")
    return kept, tuple(notes)


def _scores_in(file: Path) -> Mapping[str, FloatArray]:
    """Return the scores of each system in the order of the segments, NaN for None."""
    words = read_bytes(str(file)).split()
    scores: dict[bytes, list[float]] = {}
    try:
        for system, score in zip(words[::2], words[1::2], strict=True):
            scores.setdefault(system, []).append(math.nan if score == b"None" else float(score))
    except ValueError:
        raise _wrong_line(file) from None
    lengths = {system: len(of) for system, of in scores.items()}
    if not scores:
        raise DataError(Problem(printable(str(file)), "expected scores, got none", "", "empty"))
    if len(set(lengths.values())) > 1:
        other = next(system for system, count in lengths.items() if count != len(next(iter(scores.values()))))
        name = quoted(other.decode(errors="replace"))
        what = f"expected one score per segment, got {format_count(lengths[other])} of {name} and other numbers"
        raise DataError(Problem(printable(str(file)), what, "Write None for missing scores.", "wrong-length"))
    return {printable(system.decode(errors="replace")): np.array(of) for system, of in scores.items()}


def _wrong_line(file: Path) -> DataError:
    """Return the error of the first line that is not a system and a score."""
    for number, line in enumerate(read_bytes(str(file)).split(b"\n"), 1):
        words = line.split()
        if len(words) not in (0, 2) or (words and not _is_score(words[1])):
            what = f"expected a system and a score, got {quoted(line[:80].decode(errors='replace'))}"
            return DataError(Problem(f"{printable(str(file))}:{number}", what, "", "wrong-line"))
    return DataError(Problem(printable(str(file)), "expected a system and a score per line", "", "wrong-line"))


def _is_score(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return word == b"None"
    return True


def _system_scores(file: Path, systems: Sequence[str], segments: Mapping[str, FloatArray]) -> FloatArray | None:
    """Return the system scores of a metric's own file, if it has one and they are not the means over segments."""
    path = file.with_name(file.name.removesuffix(ENDING) + WHOLE)
    if not path.is_file():
        return None
    of = _scores_in(path)
    if any(system not in of for system in systems):
        return None
    own = np.array([of[system][0] for system in systems])
    means = np.array([np.nanmean(segments[system]) for system in systems])
    return None if np.allclose(own, means, rtol=1e-9, atol=1e-12) else own


def _documents(root: Path, pair: str, n: int) -> tuple[str, ...] | None:
    """Return the document of each segment, if there is a file of one line per segment."""
    path = root / "documents" / f"{pair}.docs"
    if not pair or not path.is_file():
        return None
    documents = tuple(_lines(path))
    return documents if len(documents) == n else None


def _lines(path: Path) -> Iterator[str]:
    for line in read_bytes(str(path)).rstrip(b"\n").split(b"\n"):
        yield printable(line.decode(errors="replace").replace("\t", " ").strip())
