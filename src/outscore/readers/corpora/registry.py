"""The formats of outputs and references, by what their items are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from outscore.errors import DataError, OptionError, Problem
from outscore.items import Corpus
from outscore.metrics.options import OptionOwner, WrittenOption, options_of, parsed
from outscore.naming import nearest, printable, quoted
from outscore.readers.corpora.answers import GoldAnswerFields, PredictedAnswers, SquadPredictions, SquadQuestions
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.corpora.brackets import Brackets
from outscore.readers.corpora.conllu import ConllU, ConllX
from outscore.readers.corpora.kaldi import Kaldi
from outscore.readers.corpora.labels import GoldLabels, PredictedLabels
from outscore.readers.corpora.naacl import Naacl, NaaclGold
from outscore.readers.corpora.numbers import Numbers
from outscore.readers.corpora.pharaoh import Pharaoh, PharaohGold
from outscore.readers.corpora.segments import SegmentRecords, Segments, UtteranceRecords
from outscore.readers.corpora.tagged import JsonlSpans, TagColumns
from outscore.readers.corpora.transcripts import PlainTranscripts
from outscore.readers.corpora.trec import Qrels, TrecRun
from outscore.readers.corpora.trn import Trn
from outscore.readers.files import read_bytes, split_spec, text_in

__all__ = ["CORPUS_FORMATS", "Corpora", "read_corpus", "refuse_other_format"]

_OPTION = "--input-format"

# Among the formats of one type of item: the surest mark first, and last what takes anything.
CORPUS_FORMATS: dict[str, CorpusFormat[Any]] = {
    "jsonl": SegmentRecords(),
    "text": Segments(),
    "jsonl-transcripts": UtteranceRecords(),
    "trn": Trn(),
    "kaldi": Kaldi(),
    "transcripts": PlainTranscripts(),
    "conllu": ConllU(),
    "conllx": ConllX(),
    "brackets": Brackets(),
    "naacl": Naacl(),
    "naacl-gold": NaaclGold(),
    "pharaoh": Pharaoh(),
    "pharaoh-gold": PharaohGold(),
    "jsonl-spans": JsonlSpans(),
    "tags": TagColumns(),
    "labels": PredictedLabels(),
    "gold-labels": GoldLabels(),
    "squad-predictions": SquadPredictions(),
    "squad": SquadQuestions(),
    "answers": PredictedAnswers(),
    "gold-answers": GoldAnswerFields(),
    "trec-run": TrecRun(),
    "qrels": Qrels(),
    "numbers": Numbers(),
}

# What one name means for outputs, and what for references.
_TWINS = {"naacl": "naacl-gold", "pharaoh": "pharaoh-gold"}


class Corpora:
    """Files of outputs and references, read and parsed once however often they are asked for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._corpora: dict[tuple[str, type, str | None], Corpus[Any]] = {}

    def read(self, path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]:
        """Return what `read_corpus` returns."""
        key = path, item_type, format_name
        if key not in self._corpora:
            self._corpora[key] = self._parsed(path, item_type, format_name)
        return self._corpora[key]

    def _text(self, file: str) -> str:
        if file not in self._texts:
            self._texts[file] = text_in(read_bytes(file), file)
        return self._texts[file]

    def _parsed(self, path: str, item_type: type, format_name: str | None) -> Corpus[Any]:
        given = None if format_name is None else _named(format_name)
        file, column = split_spec(path)
        text = self._text(file)
        fitting = [known for known in CORPUS_FORMATS.values() if known.item_type is item_type]
        if given is not None:
            named = given if given.item_type is item_type else _twin(format_name or "", item_type)
            if named is not None and (named is given or named.sniff(text)):
                fitting = [named]
        if column is not None:
            tables = [known.of_column(column) for known in fitting]
            fitting = [known for known in tables if known is not None]
            if not fitting:
                what = f"expected a file, got a column of one ({quoted(column)}), and this is no table"
                advice = "Name the file alone, or a format of tables with --input-format."
                raise DataError(Problem(printable(path), what, advice, "no-table"))
        extension = PurePath(file.lower().removesuffix(".gz")).suffix
        by_name = [known for known in fitting if extension in known.extensions and extension != ".txt"]
        choice = by_name or [known for known in fitting if known.sniff(text)] or fitting[-1:]
        found = choice[0].parse(text, file)
        return found if column is None else replace(found, name=path)


def read_corpus(path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]:
    """Return the items of a file of outputs or references; ``-`` is standard input, ``.gz`` is read.

    Parameters
    ----------
    path : str
        A file, or FILE:COLUMN for a column of a table.
    item_type : type
        What a metric takes; the formats that hold it are asked.
    format_name : str, optional
        One of `CORPUS_FORMATS`, where neither the file's name nor its first lines tell, perhaps with options:
        ``tags:scheme=IOB2,strict=true``. It is ignored for files of another type of item, so that one name serves
        outputs and references (`refuse_other_format` refuses one that serves neither); "naacl" and "pharaoh" and
        their options serve gold alignments that look like it, too.

    Raises
    ------
    FileAccessError, DataError
        A file that cannot be read, or not be understood; a column of what is no table.
    OptionError
        An unknown format or option of it.
    """
    return Corpora().read(path, item_type, format_name)


def refuse_other_format(format_name: str | None, metric: str, item_types: Collection[type]) -> None:
    """Refuse a format that holds none of these types of items: it would say nothing of any file.

    Parameters
    ----------
    format_name : str, optional
        As for `read_corpus`.
    metric : str
        What takes the items, for the message.
    item_types : collection of type

    Raises
    ------
    OptionError
    """
    if format_name is None:
        return
    name = parsed(format_name, _OPTION)[0]
    found = _named(format_name).item_type, CORPUS_FORMATS[_TWINS.get(name, name)].item_type
    if not {*found} & {*item_types}:
        fitting = [key for key, known in CORPUS_FORMATS.items() if known.item_type in item_types]
        what = f"{metric} does not read the format {quoted(name)}"
        raise OptionError(Problem(_OPTION, what, f"It reads: {', '.join(fitting)}.", "other-format"))


def _named(spec: str) -> CorpusFormat[Any]:
    """Return the format that a user writes as ``name`` or ``name:option=value,option=value``."""
    name, given = parsed(spec, _OPTION)
    if name not in CORPUS_FORMATS:
        offer = nearest(name, CORPUS_FORMATS)
        raise OptionError(Problem(_OPTION, f"unknown format {quoted(name)}", offer, "unknown-format"))
    return _with_options(CORPUS_FORMATS[name], name, given)


def _twin(spec: str, item_type: type) -> CorpusFormat[Any] | None:
    """Return the format of gold alignments that the name of one of alignments means, with its options."""
    name, given = parsed(spec, _OPTION)
    twin = _TWINS.get(name)
    if twin is None or CORPUS_FORMATS[twin].item_type is not item_type:
        return None
    return _with_options(CORPUS_FORMATS[twin], name, given)


def _with_options(known: CorpusFormat[Any], name: str, given: Sequence[WrittenOption]) -> CorpusFormat[Any]:
    options = options_of(type(known), given, OptionOwner(name, _OPTION, "format"))
    try:
        return replace(known, **options) if options else known  # type: ignore[type-var]
    except OptionError as error:
        raise OptionError(
            *(replace(problem, where=f"{_OPTION} {name}:{problem.where}") for problem in error.problems)
        ) from None
