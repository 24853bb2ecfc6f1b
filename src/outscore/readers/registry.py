"""The formats, of tables and of items, and the files of one command, each read once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.options import OptionOwner, WrittenOption, options_of, parsed
from outscore.options import opt
from outscore.readers.base import Format, ItemFormat, Table, TableFormat
from outscore.readers.files import decoded, first_line, read_bytes, split_spec
from outscore.text.naming import nearest, printable, quoted

if TYPE_CHECKING:
    from outscore.data.items import Corpus

# By name, the modules and classes: all of them together take longer to import than most files to read. A type of item
# in front says that the format is not to be imported for others. In the order of sniffing, among tables and among the
# formats of one type of item: the surest mark first, and last what takes anything.
# Texts in front of a format of tables say that it is a layout of another format. It is asked first, whatever the file's
# extension, if the first line holds one of the texts.
TABLE_FORMATS = {
    "Appraise": ",TGT,|,BAD,|,REF,|,CHK, .tabular.human:Appraise",
    "MQM": "severity .tabular.human:GoogleMqm",
    "WMT scores": '"scores" .tabular.human:WmtScores',
    "Pearmut": '"annotation" .tabular.human:Pearmut',
    "Parquet": ".tabular.formats:Parquet",
    "JSON Lines": ".tabular.formats:JsonLines",
    "TSV": ".tabular.formats:Tsv",
    "CSV": ".tabular.formats:Csv",
    "plain": ".tabular.formats:Plain",
}
ITEM_FORMATS = {
    "jsonl": "str .corpora.simple:SegmentRecords",
    "text": "str .corpora.simple:Segments",
    "jsonl-transcripts": "Utterance .corpora.simple:UtteranceRecords",
    "trn": "Utterance .corpora.transcripts:Trn",
    "kaldi": "Utterance .corpora.transcripts:Kaldi",
    "transcripts": "Utterance .corpora.transcripts:PlainTranscripts",
    "conllu": "DependencyTree .corpora.conllu:ConllU",
    "conllx": "DependencyTree .corpora.conllu:ConllX",
    "brackets": "BracketedTree .corpora.brackets:Brackets",
    "naacl": "Alignment .corpora.alignments:Naacl",
    "naacl-gold": "GoldAlignment .corpora.alignments:NaaclGold",
    "pharaoh": "Alignment .corpora.alignments:Pharaoh",
    "pharaoh-gold": "GoldAlignment .corpora.alignments:PharaohGold",
    "jsonl-spans": "TaggedSentence .corpora.tagged:JsonlSpans",
    "tags": "TaggedSentence .corpora.tagged:TagColumns",
    "labels": "Label .corpora.simple:PredictedLabels",
    "gold-labels": "GoldLabel .corpora.simple:GoldLabels",
    "squad-predictions": "Answer .corpora.answers:SquadPredictions",
    "squad": "GoldAnswers .corpora.answers:SquadQuestions",
    "answers": "Answer .corpora.answers:PredictedAnswers",
    "gold-answers": "GoldAnswers .corpora.answers:GoldAnswerFields",
    "trec-run": "RankedDocuments .corpora.trec:TrecRun",
    "qrels": "Judgements .corpora.trec:Qrels",
    "numbers": "float .corpora.simple:Numbers",
}

# What one name means for outputs, and what for references.
_TWINS = {"naacl": "naacl-gold", "pharaoh": "pharaoh-gold"}

AnyFormat = TypeVar("AnyFormat", bound=Format)


@cache
def _loaded(place: str) -> Any:
    """Return the format whose class stands at ``module:Class``, perhaps after the type of its items."""
    module, _, name = place.rpartition(" ")[2].partition(":")
    return getattr(import_module(module, "outscore.readers"), name)()


def table_formats() -> Mapping[str, TableFormat]:
    """Return the formats of tables by name, in the order of sniffing."""
    return {name: _loaded(place) for name, place in TABLE_FORMATS.items()}


def item_formats() -> Mapping[str, ItemFormat[Any]]:
    """Return the formats of outputs and references by name, in the order of sniffing."""
    return {name: _loaded(place) for name, place in ITEM_FORMATS.items()}


def _general_tables() -> list[TableFormat]:
    """Return the formats of tables that are no layouts of others."""
    return [_loaded(place) for place in TABLE_FORMATS.values() if " " not in place]


def _by_extension(formats: Collection[AnyFormat], path: str) -> AnyFormat | None:
    """Return the first format that the extension of `path` means, ``.gz`` aside; .txt may mean anything."""
    extension = PurePath(path.lower().removesuffix(".gz")).suffix
    return next((known for known in formats if extension in known.extensions and extension != ".txt"), None)


def format_named(path: str) -> TableFormat | None:
    """Return the format of tables that the extension of `path` means, ``.gz`` aside; None for any other extension.

    Examples
    --------
    >>> format_named("scores.tsv.gz").name, format_named("scores.txt")
    ('TSV', None)
    """
    return _by_extension(_general_tables(), path)


def format_of(path: str, data: bytes) -> TableFormat:
    """Return the format of tables that the name says, or else the first that recognizes `data`.

    Examples
    --------
    >>> format_of("scores.txt", b"0.5").name, format_of("-", b'{"score": 1}').name
    ('plain', 'JSON Lines')
    """
    head, (*others, last) = first_line(data), _general_tables()
    for marks, _, layout in (place.rpartition(" ") for place in TABLE_FORMATS.values()):
        marked = marks and any(mark.encode() in head for mark in marks.split("|"))
        if marked and _loaded(layout).sniff(head):
            return cast("TableFormat", _loaded(layout))
    return _by_extension([*others, last], path) or next((known for known in others if known.sniff(head)), last)


@dataclass(eq=False)
class File:
    """A file, or standard input: read when something is asked of it.

    Attributes
    ----------
    path : str
        As the user typed it.
    """

    path: str
    _data: bytes | None = None
    _tables: dict[TableFormat | None, Table] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        """What it holds, decompressed; of a regular file read anew, as bytes are not to fill the memory twice.

        Raises
        ------
        FileAccessError, DataError, OptionError
            As `read_bytes`.
        """
        if self._data is not None:
            return self._data
        data = read_bytes(self.path)
        if not Path(self.path).is_file():  # standard input and pipes cannot be read again
            self._data = data
        return data

    @cached_property
    def text(self) -> str:
        """What it holds as text, which is UTF-8.

        Raises
        ------
        FileAccessError, DataError, OptionError
            As `read_bytes` and `decoded`.
        """
        return decoded(self.data, self.path)

    def table(self, written_as: TableFormat | None = None) -> Table:
        """Return the table in it, in the format that its name or its first line tells, or in this one.

        Raises
        ------
        FileAccessError, DataError, OptionError
            As `read_bytes`; data that are not of the format.
        MissingDependencyError
            Parquet without polars.
        """
        if written_as not in self._tables:
            data = self.data
            known = written_as or format_of(self.path, data)
            table = self._tables.get(known) or known.parse(data, self.path)
            self._tables |= {known: table, written_as: table}
        return self._tables[written_as]

    def holds(self, table: Table) -> None:
        """Put a table in the place of the one that the name or the first line tells."""
        self._tables[None] = table


@dataclass(eq=False)
class InputFiles:
    """The files of one command, read and parsed once however often, and as whatever, they are asked for."""

    _files: dict[str, File] = field(default_factory=dict)
    _corpora: dict[tuple[str, type, str | None], Corpus[Any]] = field(default_factory=dict)

    def file(self, path: str) -> File:
        """Return a file by its name; ``-`` is standard input."""
        return self._files.setdefault(path, File(path))

    @overload
    def read(self, path: str) -> Table: ...
    @overload
    def read(self, path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]: ...
    def read(self, path: str, item_type: type = Table, format_name: str | None = None) -> Table | Corpus[Any]:
        """Return what `read_table` returns, or of a type of items what `read_corpus` does."""
        if item_type is Table:
            return self.file(path).table()
        key = path, item_type, format_name
        if key in self._corpora:
            return self._corpora[key]
        chosen = None if format_name is None else _named(format_name)
        place, column = split_spec(path)
        file, of_type = self._files.setdefault(place, File(place)), {"", item_type.__name__}
        known_formats = [_loaded(known) for known in ITEM_FORMATS.values() if known.rpartition(" ")[0] in of_type]
        fitting = [known for known in known_formats if known.item_type is item_type]
        if chosen is not None:
            named = chosen if chosen.item_type is item_type else _twin(format_name or "", item_type)
            if named is not None and (named is chosen or named.sniff(file.text)):
                fitting = [named]
        if column is not None:
            tables = [known.of_column(column) for known in fitting]
            fitting = [known for known in tables if known is not None]
            if not fitting:
                what = f"expected a file, got a column of one ({quoted(column)}), and this is no table"
                advice = f"Name the file alone, or a format of tables with {opt('input_format')}."
                raise DataError(Problem(printable(path), what, advice, "no-table"))
        *others, last = fitting
        choice = _by_extension(fitting, place) or next((one for one in others if one.sniff(file.text)), last)
        corpus = choice.read(file)
        self._corpora[key] = corpus if column is None else replace(corpus, name=path)
        return self._corpora[key]


def read_table(path: str) -> Table:
    """Return the table in the file `path`, of whatever format; ``-`` is standard input.

    Raises
    ------
    FileAccessError
        A file that cannot be read.
    DataError
        A file that cannot be understood, or is empty.
    MissingDependencyError
        Parquet without polars.
    """
    return InputFiles().read(path)


def read_corpus(path: str, item_type: type, format_name: str | None = None) -> Corpus[Any]:
    """Return the items of a file of outputs or references; ``-`` is standard input, ``.gz`` is read.

    Parameters
    ----------
    path : str
        A file, or FILE:COLUMN for a column of a table.
    item_type : type
        What a metric takes; the formats that hold it are asked.
    format_name : str, optional
        One of `ITEM_FORMATS`, where neither the file's name nor its first lines tell, perhaps with options:
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
    return InputFiles().read(path, item_type, format_name)


def refuse_other_format(format_name: str, metric: str, item_types: Collection[type]) -> None:
    """Refuse a format that holds none of these types of items: it would say nothing of any file.

    Parameters
    ----------
    format_name : str
        As for `read_corpus`.
    metric : str
        What takes the items, for the message.
    item_types : collection of type

    Raises
    ------
    OptionError
    """
    name = parsed(format_name, opt("input_format"))[0]
    formats = item_formats()
    if not {_named(format_name).item_type, formats[_TWINS.get(name, name)].item_type} & {*item_types}:
        fitting = [key for key, known in formats.items() if known.item_type in item_types]
        what = f"{metric} does not read the format {quoted(name)}"
        raise OptionError(Problem(opt("input_format"), what, f"It reads: {', '.join(fitting)}.", "other-format"))


def _named(spec: str) -> ItemFormat[Any]:
    """Return the format that a user writes as ``name`` or ``name:option=value,option=value``."""
    name, options = parsed(spec, opt("input_format"))
    if name not in ITEM_FORMATS:
        offer = nearest(name, ITEM_FORMATS)
        raise OptionError(Problem(opt("input_format"), f"unknown format {quoted(name)}", offer, "unknown-format"))
    return _with_options(_loaded(ITEM_FORMATS[name]), name, options)


def _twin(spec: str, item_type: type) -> ItemFormat[Any] | None:
    """Return the format of gold alignments that the name of one of alignments means, with its options."""
    name, options = parsed(spec, opt("input_format"))
    twin = _TWINS.get(name)
    known = None if twin is None else _loaded(ITEM_FORMATS[twin])
    return _with_options(known, name, options) if known is not None and known.item_type is item_type else None


def _with_options(known: ItemFormat[Any], name: str, options_written: Sequence[WrittenOption]) -> ItemFormat[Any]:
    options = options_of(type(known), options_written, OptionOwner(name, opt("input_format"), "format"))
    try:
        return replace(known, **options) if options else known  # type: ignore[type-var]
    except OptionError as error:
        raise OptionError(
            *(replace(problem, where=opt("input_format", f"{name}:{problem.where}")) for problem in error.problems)
        ) from None
