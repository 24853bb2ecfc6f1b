"""Read systems' outputs and references as rows and as text, and cached rows in place of outputs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from outscore.data.coercion import wrong
from outscore.data.items import (
    Alignment,
    Corpus,
    GoldAlignment,
    Judgements,
    RankedDocuments,
    ReferenceDigest,
    TaggedSentence,
    Texts,
)
from outscore.data.pairing import pair_corpora
from outscore.data.rows import Reformatted, Rows
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.base import AnyMetric, AnyOutputMetric, ColumnMetric, Origin, ResponseMetric, is_shipped
from outscore.metrics.checked import metric_failures
from outscore.metrics.options import option_values, spec_of
from outscore.metrics.outputs import output_metric_named
from outscore.metrics.plugins import check_declared
from outscore.options import opt
from outscore.readers.files import STANDARD_INPUT
from outscore.readers.kept.files import METRIC_PLACE, in_file_name
from outscore.readers.kept.rows import (
    KeptRows,
    digest_of,
    implementation_of,
    read_kept_rows,
    refitted,
    refuse_mixture,
)
from outscore.readers.reading import Files, Reading, Work, once, reference_files
from outscore.readers.registry import InputFiles, refuse_other_format
from outscore.readers.scoring import Scoring, score_systems
from outscore.readers.sources import Source
from outscore.text.naming import in_roles, printable

_REFERENCES = re.compile(r"references(?:\[(\d+)\])?")  # the place in a metric's error

_MOST_DOCUMENTS = 10  # of a ranking shown as text

# A file, or an object in memory.
Input: TypeAlias = Source | Corpus[Any]


@dataclass(frozen=True, eq=False)
class OutputReader:
    """How to read and score systems of outputs or of cached rows.

    Attributes
    ----------
    of_files : bool
        Whether all systems are files. Then a str as references is a file name.
    """

    metrics: Sequence[AnyMetric | str]
    reading: Reading
    work: Work
    files: InputFiles
    of_files: bool

    def rows(self, systems: Sequence[Source]) -> list[tuple[AnyMetric, list[Rows]]]:
        """Return the rows of systems, by metric."""
        reading = self.reading
        by_metric: list[tuple[AnyMetric, list[Rows]]] = []
        named = [output_metric_named(metric) if isinstance(metric, str) else metric for metric in self.metrics]
        ready = [source.data for source in systems if isinstance(source.data, Rows)]
        for metric in (once(named) if len(named) > 1 else named) or [None]:
            if metric is not None:
                if isinstance(metric, ColumnMetric) and reading.has_references:
                    raise wrong("references", f"None, because {metric.name} is a metric of columns", reading.references)
                if not isinstance(metric, AnyOutputMetric):
                    raise wrong("metric", "a metric of columns or of outputs", metric)
                if not is_shipped(metric):
                    check_declared(metric)
            if metric is not None and len(ready) == len(systems) and not reading.has_references:
                by_metric.append((metric, ready))
                continue
            scored = read_outputs(
                [_input_of(source, metric) for source in systems],
                self._references(metric),
                metric,
                format_name=reading.input_format,
                scoring=Scoring(self.work.jobs, self.work.progress),
                files=self.files,
            )
            by_metric.append(scored)
        return by_metric

    def texts(self, systems: Sequence[Source], metrics: Sequence[AnyMetric]) -> tuple[Texts | None, ...]:
        """Return the texts of outputs, one per metric; None for metrics of columns."""
        return tuple(
            read_texts(
                [None if isinstance(source.data, Rows) else _outputs_of(source, metric) for source in systems],
                self._references(metric),
                metric,
                self.files,
                format_name=self.reading.input_format,
                source=self.work.source,
            )
            if isinstance(metric, AnyOutputMetric)
            else None
            for metric in metrics
        )

    def _references(self, metric: AnyOutputMetric[Any, Any] | None) -> Sequence[Input]:
        """Return the references one by one: files, or objects in memory."""
        references = self.reading.references
        if self._files_of_references is not None:
            return self._files_of_references
        several = (
            metric is not None
            and metric.takes_several_references
            and isinstance(references, list | tuple)
            and not any(isinstance(single, str) for single in references)
        )
        kind = object if metric is None else metric.reference_type
        return [
            Source.of(os.fspath(single)) if isinstance(single, os.PathLike) else _in_memory(single, kind, "references")
            for single in (references if several and isinstance(references, list | tuple) else [references])
        ]

    @cached_property
    def _files_of_references(self) -> Sequence[Source] | None:
        """The references if they are files; None if they are in memory."""
        references = self.reading.references
        if references is None:
            return ()
        files = references if isinstance(references, Files) else reference_files(references, self.of_files)
        return None if files is None else [Source.of(file) for file in files]


def _input_of(system: Source, metric: AnyOutputMetric[Any, Any] | None) -> Input | KeptRows:
    """Return the outputs or cached rows of a system.

    Raise OptionError for a placeholder for the metric in the file name, but no metric.
    """
    if system.path is None:
        return _outputs_of(system, metric) if system.stored is None else system.stored.kept_on(metric)
    if METRIC_PLACE not in system.spec or Path(system.spec).exists():
        return system
    if metric is None:
        what = f"{METRIC_PLACE} in the file name needs {opt('metric')}"
        raise OptionError(Problem(system.shown, what, "Name the metrics of the cached scores.", "no-metric"))
    return Source.of(system.spec.replace(METRIC_PLACE, in_file_name(spec_of(metric))))


def _outputs_of(system: Source, metric: AnyOutputMetric[Any, Any] | None) -> Input:
    """Return the outputs of a system: its file, or the items of its object."""
    if system.path is not None:
        return system
    return _in_memory(system.data, object if metric is None else metric.output_type, str(system.name))


def _in_memory(data: object, kind: type, name: str) -> Corpus[Any]:
    from outscore.readers.in_memory import corpus_from  # not needed by the command line

    return corpus_from(data, kind, name)


def read_outputs(
    systems: Sequence[str | Input | KeptRows],
    references: Sequence[str | Input] = (),
    metric: AnyOutputMetric[Any, Any] | None = None,
    *,
    format_name: str | None = None,
    scoring: Scoring | None = None,
    files: InputFiles | None = None,
) -> tuple[AnyOutputMetric[Any, Any], list[Rows]]:
    """Return the rows of systems read from outputs or cached rows, and their metric.

    Rows are in the order of the references. The metric is the given one, fitted to the labels or types that occur.

    Parameters
    ----------
    systems : sequence of str, Source, Corpus or KeptRows
        One file per system, with outputs or cached rows; the rows take its name. Or outputs or cached rows in memory.
    references : sequence of str or Corpus
        One file, or several if the metric takes several references; none if all files have cached rows. If given,
        cached rows are checked against them.
    metric : AnyOutputMetric, optional
        By default that of the cached rows.
    format_name : str, optional
        As for `InputFiles.read`.
    scoring : Scoring, optional
        How to score outputs; by default in this process.
    files : InputFiles, optional
        Holds files that were already read.

    Raises
    ------
    FileAccessError, DataError
        Files that cannot be read or understood, outputs that do not fit their references (with file and line), or
        fewer than two items.
    OptionError
        Several references for a metric that takes one; outputs without references or without a metric; cached rows of
        another metric, or that cannot be compared with the other systems.
    """
    references, outputs, by_place = _parsed(references), list[Input](), dict[int, KeptRows]()
    for index, system in enumerate(systems):
        if isinstance(system, KeptRows):
            by_place[index] = system
            continue
        (given,) = _parsed([system])
        if isinstance(given, Source) and given.is_kept:
            by_place[index] = read_kept_rows(given.spec)
        else:
            outputs.append(given)
    first = next(iter(by_place.values()), None)
    if first is not None:
        _check_kept(list(by_place.values()), metric)
    named = metric = metric or (None if first is None else first.named)
    if outputs and (metric is None or not references):
        raise _lacking(outputs[0], first, lacks_metric=metric is None)
    if first is None or (references and metric is not None):
        assert metric is not None  # without cached rows, there are outputs
        gold = _Gold.read(references, metric, files or InputFiles(), format_name)
        if first is not None and not first.references.matches(gold.digest()):
            what = f"was scored against references other than {', '.join(map(_name, references))}"
            raise OptionError(
                Problem(first.rows.name, what, "Score it again, or pass its own references.", "other-references")
            )
        metric, rows = gold.scored(outputs, scoring, kept=first)
        scored, digest = iter(rows), gold.digest
        signature = metric.reference_signature(gold.sets) if first is None else None
        remarks = (*in_roles(gold.columns), *dict.fromkeys(gold.notes), *metric.remarks_on_references(gold.sets))
    else:
        metric, scored, signature, remarks = first.metric, iter(()), None, ()
        digest = first.digest
    if first is not None and metric.packages:
        signature = first.signature
    kept = {index: refitted(kept_rows, metric) or kept_rows.rows for index, kept_rows in by_place.items()}
    metric = metric.with_origin(Origin(named or metric, signature, remarks, digest))
    return metric, [kept[index] if index in kept else next(scored) for index in range(len(systems))]


def rows_to_keep(
    systems: Sequence[str | Source],
    references: Sequence[str],
    metric: AnyOutputMetric[Any, Any],
    *,
    format_name: str | None = None,
    scoring: Scoring | None = None,
    files: InputFiles | None = None,
) -> list[KeptRows]:
    """Return the rows of systems of outputs, with all data that a file of cached rows contains.

    The arguments and errors are those of `read_outputs`. Files that already contain cached rows are also an error.
    """
    outputs = _parsed(systems)
    for source in outputs:
        if isinstance(source, Source) and source.is_kept:
            what = "expected outputs, got cached scores"
            raise OptionError(Problem(source.shown, what, "Copy the file instead.", "kept-already"))
    gold = _Gold.read(_parsed(references), metric, files or InputFiles(), format_name)
    fitted, rows = gold.scored(outputs, scoring)
    fitted = fitted.with_origin(Origin(metric, remarks=tuple(metric.remarks_on_references(gold.sets))))
    digest, implementation = gold.digest(), implementation_of(fitted)
    return [KeptRows(metric, fitted, implementation, digest, system) for system in rows]


def _parsed(inputs: Sequence[str | Input]) -> list[Input]:
    return [Source.of(given) if isinstance(given, str) else given for given in inputs]


@dataclass(frozen=True, eq=False)
class _Gold:
    """The references of a test set, and how to read and score outputs against them.

    Attributes
    ----------
    first : Corpus
        Outputs are paired with these.
    streams : sequence of sequences
        The items of each file, in the order of the first.
    sets : sequence
        One reference per item, or a tuple if the metric takes several.
    notes : list of str
        Notes on pairing, filled by `paired`.
    columns : dict of str to str
        Columns found among several with usual names, by role, filled likewise.
    """

    metric: AnyOutputMetric[Any, Any]
    files: InputFiles
    format_name: str | None
    first: Corpus[Any]
    streams: Sequence[Sequence[Any]]
    sets: Sequence[Any]
    notes: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        sources: Sequence[Input],
        metric: AnyOutputMetric[Any, Any],
        files: InputFiles,
        format_name: str | None,
    ) -> _Gold:
        if len(sources) > 1 and not metric.takes_several_references:
            what = f"{metric.name} takes one reference, got {len(sources)}"
            raise OptionError(Problem(opt("references"), what, "Pass one file.", "several-references"))
        if format_name is not None:
            refuse_other_format(format_name, metric.name, (metric.output_type, metric.reference_type))
        first, *others = [
            source if isinstance(source, Corpus) else files.read(source.place, metric.reference_type, format_name)
            for source in sources
        ]
        streams = [first.items, *(pair_corpora(other, first).items for other in others)]
        sets = list(zip(*streams, strict=True)) if metric.takes_several_references else first.items
        columns = {"references": str(first.column)} if first.guessed else {}
        return cls(metric, files, format_name, first, streams, sets, columns=columns)

    def paired(self, source: Input) -> Corpus[Any]:
        """Return the outputs of a file, in the order of the references."""
        if not isinstance(source, Corpus):
            source = self.files.read(source.place, self.metric.output_type, self.format_name)
        if source.guessed:
            role = "outputs" if self.columns.get("outputs", source.column) == source.column else source.name
            self.columns[role] = str(source.column)
        if source.table is not None and self.first.table is not None:
            from outscore.readers.tabular.guesses import paired_by_values

            source, notes = paired_by_values(source, self.first)
            self.notes.extend(notes)
        outputs = self.metric.paired(source, self.first)
        if len(self.first) < 2:
            what = f"expected at least 2 items, got {len(self.first)}"
            raise DataError(Problem(printable(self.first.name), what, "One item has no variance.", "one-item"))
        return outputs

    def scored(
        self,
        outputs: Sequence[Input],
        scoring: Scoring | None,
        *,
        kept: KeptRows | None = None,
    ) -> tuple[AnyOutputMetric[Any, Any], list[Rows]]:
        """Return the metric, fitted to the labels or types that occur, and the rows of systems.

        Errors about references name file and line; the metric only knows their indices.
        """
        systems = [self.paired(source) for source in outputs]
        try:
            with metric_failures(self.metric.name, "cannot be fitted to the items", "bad-rows"):
                metric = self.metric.fitted(self.sets, [system.items for system in systems])
            if kept is not None:
                metric = _covering(kept, metric, outputs)
            rows = score_systems(metric, systems, self.sets, scoring=scoring)
            if isinstance(metric, ResponseMetric):
                sets = [[*zip(system.items, self.sets, strict=True)] for system in systems]
                rows = [replace(system, scored=scored) for system, scored in zip(rows, sets, strict=True)]
            return metric, self._reformatted(metric, systems, rows, scoring)
        except DataError as error:
            raise DataError(*(self._placed(problem) for problem in error.problems)) from None

    def _reformatted(
        self,
        metric: AnyOutputMetric[Any, Any],
        systems: Sequence[Corpus[Any]],
        rows: list[Rows],
        scoring: Scoring | None,
    ) -> list[Rows]:
        """Return rows, with those without formatting if formatting seems to favour some of the systems."""
        if len(systems) < 2 or not metric.formatting:
            return rows
        from outscore.metrics.families.text import formatting_errors, without_all

        several = list(zip(*self.streams, strict=True))
        of_systems = formatting_errors(list(metric.formatting), [system.items for system in systems], several)
        kinds = [kind for kind in metric.formatting if any(kind in errors for errors in of_systems)]
        if not kinds:
            return rows
        plain = [without_all(kinds, stream) for stream in self.streams]
        references = list(zip(*plain, strict=True)) if metric.takes_several_references else plain[0]
        outputs = [replace(system, items=without_all(kinds, system.items)) for system in systems]
        others = score_systems(metric, outputs, references, scoring=scoring)
        return [
            replace(scored, reformatted=Reformatted(other.values, {kind: metric.formatting[kind] for kind in errors}))
            for scored, other, errors in zip(rows, others, of_systems, strict=True)
        ]

    def _placed(self, problem: Problem) -> Problem:
        in_references = _REFERENCES.fullmatch(problem.where)
        if in_references is None:
            return problem
        where = printable(self.first.name)
        if in_references[1] is not None:
            where += f":{self.first.lines[int(in_references[1])]}" if len(self.first.lines) else f"[{in_references[1]}]"
        return replace(problem, where=where)

    def digest(self) -> ReferenceDigest:
        return digest_of(self.streams, self.first.item_ids)


def _name(source: Input) -> str:
    return printable(source.name) if isinstance(source, Corpus) else source.shown


def _check_kept(kept: Sequence[KeptRows], metric: AnyOutputMetric[Any, Any] | None) -> None:
    for system in kept:
        name = system.rows.name
        if metric is not None and system.named != metric:
            what = f"expected scores of {spec_of(metric)}, got {spec_of(system.named)}"
            raise OptionError(
                Problem(
                    name,
                    what,
                    "Pass its metric, or none. For several metrics, write {metric} in the file names.",
                    "other-metric",
                )
            )
        refuse_mixture(kept[0], system)


def _lacking(outputs: Input, kept: KeptRows | None, *, lacks_metric: bool) -> OptionError:
    what = f"outputs need {opt('metric' if lacks_metric else 'references')}"
    advice = "Choose a metric, such as bleu." if lacks_metric else "Pass a file of references."
    advice = advice if kept is None else f"Pass that of {kept.rows.name}, or also cache the scores of these outputs."
    if isinstance(outputs, Source) and outputs.spec == STANDARD_INPUT:
        advice = f"{advice} Cached scores are read only from files.".lstrip()
    return OptionError(Problem(_name(outputs), what, advice, "no-metric" if lacks_metric else "no-reference"))


def _covering(kept: KeptRows, fitted: AnyOutputMetric[Any, Any], outputs: Sequence[Input]) -> AnyOutputMetric[Any, Any]:
    """Return the metric of cached rows, if it also covers the labels or types of the newly scored outputs.

    Raise OptionError if the cached rows lack a label or type, or were computed by other package versions.
    """
    name, again = kept.rows.name, "Score all systems with one call of outscore rows, or compare outputs."
    if outputs and implementation_of(fitted) != kept.implementation:
        what = f"was computed by {kept.implementation}; installed: {implementation_of(fitted)}"
        raise OptionError(Problem(name, what, again, "other-version"))
    options = option_values(kept.metric)
    if fitted.refitted(np.zeros((0, len(fitted.statistics))), kept.metric) is not None:
        return kept.metric
    for option, value in option_values(fitted).items():
        before = options[option]
        covers = isinstance(value, tuple) and isinstance(before, tuple) and {*value} <= {*before}
        if outputs and value != before and not covers:
            what = f"was scored with other {option} than {', '.join(map(_name, outputs))} need"
            raise OptionError(Problem(name, what, again, "other-labels"))
    return kept.metric


def read_texts(
    outputs: Sequence[Input | None],
    references: Sequence[Input],
    metric: AnyOutputMetric[Any, Any],
    files: InputFiles,
    *,
    format_name: str | None = None,
    source: str | None = None,
) -> Texts:
    """Return the texts of systems that `read_outputs` read.

    The arguments are as for `read_outputs`. `outputs` has None for a system without outputs, and `source` is a file
    with one source text per item. Files in `files` are not read again. Raise DataError if the number of sources is not
    that of the items.
    """
    if not references:
        return Texts(None, None, [None] * len(outputs))
    gold = _Gold.read(references, metric, files, format_name)
    by_item = [[_texts_of(item) for item in of_item] for of_item in zip(*gold.streams, strict=True)]
    known = all(texts is not None for of_item in by_item for texts in of_item)
    texts_of_references = [[text for texts in of_item for text in texts or ()] for of_item in by_item]
    sources = None
    if source is not None:
        sources = list(files.read(source, str, None).items)
        if len(sources) != len(gold.first):
            raise DataError(
                Problem(
                    printable(source),
                    f"expected {len(gold.first)} sources, one per reference, got {len(sources)}",
                    "Write one text per item.",
                    "different-lengths",
                )
            )
    return Texts(
        sources,
        texts_of_references if known else None,
        [
            None if given is None or (isinstance(given, Source) and given.is_kept) else _texts_in(gold.paired(given))
            for given in outputs
        ],
    )


def _texts_in(outputs: Corpus[Any]) -> Sequence[str] | None:
    texts = [_texts_of(item) for item in outputs.items]
    return None if any(text is None for text in texts) else [" ".join(text or ()) for text in texts]


def _texts_of(item: object) -> Sequence[str] | None:
    """Return an item as texts, several for several correct answers; None if it has no form as text."""
    match item:
        case str():
            return (str(item),)
        case float() | int():
            return (f"{item:g}",)
        case tuple():
            return tuple(map(str, item))
        case TaggedSentence(tokens, spans) if tokens is not None:
            return (_marked(tokens, sorted(spans)),)
        case Alignment(links):
            return (" ".join(f"{i}-{j}" for i, j in sorted(links)),)
        case GoldAlignment(sure, possible):
            return (" ".join(f"{i}{'-' if (i, j) in sure else 'p'}{j}" for i, j in sorted(possible)),)
        case RankedDocuments(documents):
            more = " …" if len(documents) > _MOST_DOCUMENTS else ""
            return (" ".join(documents[:_MOST_DOCUMENTS]) + more,)
        case Judgements(grades):
            relevant = sorted((document for document, grade in grades.items() if grade > 0), key=lambda d: -grades[d])
            more = " …" if len(relevant) > _MOST_DOCUMENTS else ""
            return (" ".join(f"{document} ({grades[document]})" for document in relevant[:_MOST_DOCUMENTS]) + more,)
    return None


def _marked(tokens: Sequence[str], spans: Sequence[tuple[int, int, str]]) -> str:
    """Return tokens with their spans in brackets: ``[Ada Lovelace]PER wrote``."""
    words = list(tokens)
    for start, end, kind in spans:
        words[start] = f"[{words[start]}"
        words[end - 1] = f"{words[end - 1]}]{kind}"
    return " ".join(words)
