"""Folders of mt-metrics-eval: ``human-scores/LP.NAME.seg.score`` and ``metric-scores/LP/METRIC-REF.seg.score``.

Human scores may also be ``LP.NAME.seg.rating``, with the errors that raters marked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError, Problem
from outscore.options import opt
from outscore.readers.files import read_bytes
from outscore.readers.tabular.human import scored_line
from outscore.text.naming import listed, printable, quoted
from outscore.text.numbers import format_count
from outscore.wings.metaeval.judgements import Judgements
from outscore.wings.metaeval.reading.sources import Key, Source, check_length, joined

ENDING, WHOLE, RATING = ".seg.score", ".sys.score", ".seg.rating"
_FOLDER = "human-scores"
_HUMAN = re.compile(r"(\w+-\w+)\.(.+)")
_METRIC = re.compile(r"(.+)-(src|all|ref[\w.]*|[\w.]*_ref)")
_REFERENCE = re.compile(r"ref|ref[A-Z0-9]|.+_ref")
_EVERY = "all"  # in the name of a metric that uses every reference
_NO_REFERENCE = "[noref]"  # mt-metrics-eval's mark of metrics without references


def are_segment_scores(spec: str) -> bool:
    """Return whether a name is that of segment scores or ratings of mt-metrics-eval."""
    return spec.endswith((ENDING, RATING))


def read_segment_scores(specs: Sequence[str], chosen: Collection[str] = ()) -> list[Judgements]:
    """Return the judgements of each language pair.

    `specs` are one file of human scores per language pair, then files of metrics or folders of them. Systems in
    `chosen` are compared even if metrics use them as references.
    """
    human = [Path(spec) for index, spec in enumerate(specs) if not index or Path(spec).parent.name == _FOLDER]
    others = [spec for index, spec in enumerate(specs) if index and Path(spec).parent.name != _FOLDER]
    files = [file for spec in others for file in _files_of(spec)]
    pairs = [_pair_of(file) for file in human]
    for index, pair in enumerate(pairs):
        if pair in pairs[:index]:
            what = f"expected one file of human scores per language pair, got two of {quoted(pair)}"
            raise OptionError(Problem(printable(str(human[index])), what, "Name one.", "duplicate-pair"))
    return [
        _language_pair(file, pair, [file for file in files if len(human) == 1 or file.parent.name == pair], chosen)
        for file, pair in zip(human, pairs, strict=True)
    ]


def _files_of(spec: str) -> list[Path]:
    path = Path(spec)
    return sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]


def _pair_of(human: Path) -> str:
    name = human.name.removesuffix(ENDING).removesuffix(RATING)
    match = _HUMAN.fullmatch(name)
    return match[1] if match else name


def _language_pair(human: Path, pair: str, files: Sequence[Path], chosen: Collection[str]) -> Judgements:
    """Return the judgements of one language pair by the metrics in these files."""
    if not files:
        what = f"expected metrics of {quoted(pair)}, got none"
        advice = "Name their files, or the folder metric-scores/LP."
        raise OptionError(Problem(printable(str(human)), what, advice, "no-metric"))
    rated = _scores_in(human)
    used = {match[2] for file in files if (match := _METRIC.fullmatch(file.name.removesuffix(ENDING)))}
    human_made = [system for system in rated if system in used or _REFERENCE.fullmatch(system)]
    references = [
        reference for reference in human_made if (reference in used or _EVERY in used) and reference not in chosen
    ]
    compared = [reference for reference in human_made if reference not in references and reference not in chosen]
    n = len(next(iter(rated.values())))
    keys = [Key("", str(number)) for number in range(1, n + 1)]

    def source(name: str, file: Path, scores: Mapping[str, FloatArray]) -> Source:
        check_length(
            printable(str(file)), f"the segments of {printable(human.name)}", len(next(iter(scores.values()))), n
        )
        systems = [system for system in scores if system not in references]
        values = np.array([scores[system] for system in systems]).reshape(len(systems), n)
        return Source(name, printable(str(file)), systems, keys, values, system_scores=_system_scores(file, scores))

    metrics = [source(name, file, _scores_in(file)) for name, file in _names_of(files)]
    whys = {
        "Left out, because metrics use them as references": references,
        f"Compared as systems, because no metric names them as its reference ({opt('systems')} chooses systems)": [
            reference for reference in compared if all(reference in metric.systems for metric in metrics)
        ],
    }
    notes = [f"{why}: {listed(names_left_out)}." for why, names_left_out in whys.items() if names_left_out]
    (data,) = joined(source("human", human, rated), metrics, notes=notes)
    root = human.parent.parent if human.parent.name == _FOLDER else human.parent
    return replace(data, name=printable(pair), documents=_documents(root, pair, n))


def _names_of(files: Sequence[Path]) -> Iterable[tuple[str, Path]]:
    """Return the names of metrics with their files, with the reference only if names repeat."""
    stems = [printable(file.name.removesuffix(ENDING)) for file in files]
    matches = [_METRIC.fullmatch(stem) for stem in stems]
    short = [
        stem if match is None else match[1] + (_NO_REFERENCE if match[2] == "src" else "")
        for stem, match in zip(stems, matches, strict=True)
    ]
    return zip(
        (name if short.count(name) == 1 else stem for name, stem in zip(short, stems, strict=True)), files, strict=True
    )


def _scores_in(file: Path) -> Mapping[str, FloatArray]:
    """Return the scores of each system in the order of the segments, NaN for None."""
    rating, scores = file.name.endswith(RATING), dict[bytes, list[float]]()
    for number, line in enumerate(read_bytes(str(file)).splitlines(), 1):
        if not line or line.isspace():
            continue
        scored = scored_line(line, rating=rating)
        if scored is None:
            kind, got = "rating" if rating else "score", quoted(line[:80].decode(errors="replace"))
            what, advice = f"expected a system and a {kind}, got {got}", f"Write None for a missing {kind}."
            raise DataError(Problem(f"{printable(str(file))}:{number}", what, advice, "wrong-line"))
        scores.setdefault(scored[0], []).append(scored[1])
    lengths = {system: len(values) for system, values in scores.items()}
    if not scores:
        raise DataError(Problem(printable(str(file)), "expected scores, got none", "", "empty"))
    if len(set(lengths.values())) > 1:
        other = next(system for system, count in lengths.items() if count != len(next(iter(scores.values()))))
        name = quoted(other.decode(errors="replace"))
        what = f"expected one score per segment, got {format_count(lengths[other])} of {name} and other numbers"
        raise DataError(Problem(printable(str(file)), what, "Write None for missing scores.", "wrong-length"))
    return {printable(system.decode(errors="replace")): np.array(values) for system, values in scores.items()}


def _system_scores(file: Path, segments: Mapping[str, FloatArray]) -> Mapping[str, float]:
    """Return the system scores in a metric's own file, if there is one and they are not the means over segments."""
    path = file.with_name(file.name.removesuffix(ENDING) + WHOLE)
    if not path.is_file():
        return {}
    system_scores = {system: float(values[0]) for system, values in _scores_in(path).items() if np.isfinite(values[0])}
    both = [
        (score, segments[system])
        for system, score in system_scores.items()
        if np.isfinite(segments.get(system, np.nan)).any()
    ]
    scores, means = [score for score, _ in both], [np.nanmean(values) for _, values in both]
    return {} if np.allclose(scores, means, rtol=1e-9, atol=1e-12) else system_scores


def _documents(root: Path, pair: str, n: int) -> tuple[str, ...] | None:
    """Return the document of each segment, if there is a file of one line per segment."""
    path = root / "documents" / f"{pair}.docs"
    if not path.is_file():
        return None
    lines = read_bytes(str(path)).rstrip(b"\n").split(b"\n")
    advice = f"Pass {opt('clusters', 'none')}, or correct the file."
    check_length(printable(str(path)), "one document per segment", len(lines), n, advice)
    return tuple(printable(line.decode(errors="replace").replace("\t", " ").strip()) for line in lines)
