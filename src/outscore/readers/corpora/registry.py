"""The formats of outputs and references, by what their items are."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.items import Corpus
from outscore.naming import nearest, quoted
from outscore.readers.corpora.answers import GoldAnswerFields, PredictedAnswers, SquadPredictions, SquadQuestions
from outscore.readers.corpora.base import CorpusFormat
from outscore.readers.corpora.brackets import Brackets
from outscore.readers.corpora.conllu import ConllU, ConllX
from outscore.readers.corpora.kaldi import Kaldi
from outscore.readers.corpora.labels import GoldLabels, PredictedLabels
from outscore.readers.corpora.naacl import Naacl, NaaclGold
from outscore.readers.corpora.numbers import Numbers
from outscore.readers.corpora.pharaoh import Pharaoh, PharaohGold
from outscore.readers.corpora.segments import SegmentRecords, Segments
from outscore.readers.corpora.tagged import JsonlSpans, TagColumns
from outscore.readers.corpora.transcripts import PlainTranscripts
from outscore.readers.corpora.trec import Qrels, TrecRun
from outscore.readers.corpora.trn import Trn
from outscore.readers.files import read_bytes, text_in

__all__ = ["CORPUS_FORMATS", "read_corpus"]

# Among the formats of one type of item: the surest mark first, and last what takes anything.
CORPUS_FORMATS: dict[str, CorpusFormat[Any]] = {
    "jsonl": SegmentRecords(),
    "text": Segments(),
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


def read_corpus(path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]:
    """Return the items of a file of outputs or references; ``-`` is standard input, ``.gz`` is read.

    Parameters
    ----------
    path : str
    item_type : type
        What a metric takes; the formats that hold it are asked.
    format_name : str, optional
        One of `CORPUS_FORMATS`, where neither the file's name nor its first lines tell. It is ignored for files of
        another type of item, so that one name serves outputs and references.

    Raises
    ------
    FileAccessError, DataError
        A file that cannot be read, or not be understood.
    OptionError
        An unknown format.
    """
    if format_name is not None and format_name not in CORPUS_FORMATS:
        raise OptionError(
            Problem(
                "--input-format",
                f"unknown format {quoted(format_name)}",
                nearest(format_name, CORPUS_FORMATS),
                "unknown-format",
            )
        )
    fitting = [known for known in CORPUS_FORMATS.values() if known.item_type is item_type]
    named = None if format_name is None else CORPUS_FORMATS[format_name]
    text = text_in(read_bytes(path), path)
    if named is not None and named in fitting:
        return named.parse(text, path)
    extension = PurePath(path.lower().removesuffix(".gz")).suffix
    by_name = [known for known in fitting if extension in known.extensions and extension != ".txt"]
    choice = by_name or [known for known in fitting if known.sniff(text)] or fitting[-1:]
    return choice[0].parse(text, path)
