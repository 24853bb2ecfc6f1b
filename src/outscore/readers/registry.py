"""Formats of tables and items, and the input files of a command, each read once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.options import OptionOwner, WrittenOption, options_of, parsed
from outscore.options import leave_out, opt
from outscore.readers.base import Format, ItemFormat, Table, TableFormat
from outscore.readers.files import decoded, first_line, read_bytes, split_spec
from outscore.text.naming import nearest, printable, quoted

if TYPE_CHECKING:
    from outscore.data.items import Corpus

# Modules and classes by name: importing all takes longer than reading most files. A type of item before the place
# means that only readers of that type import the format. Tables, and the formats of each type of item, are in the
# order of sniffing: from the most distinctive format to the one that accepts any file.
# Texts before the place of a table format mean that it is a layout of another format. It is asked first, whatever the
# file's extension, if the first line has one of the texts.
TABLE_FORMATS = {
    "Appraise": ",TGT,|,BAD,|,REF,|,CHK,|,SRC, .tabular.human:Appraise",
    "MQM": "severity .tabular.human:GoogleMqm",
    "MQM averages": "mqm_avg_score .tabular.human:MqmAverages",
    "WMT scores": '"scores" .tabular.human:WmtScores',
    "Pearmut": '"annotation" .tabular.human:Pearmut',
    "Parquet": ".tabular.formats:Parquet",
    "JSON": ".tabular.formats:Json",
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

# Names that mean one format for outputs and another for references.
_TWINS = {"naacl": "naacl-gold", "pharaoh": "pharaoh-gold"}

# A file and a column, as `split_spec` returns them.
Place: TypeAlias = tuple[str, str | None]
AnyFormat = TypeVar("AnyFormat", bound=Format)


@cache
def _loaded(address: str) -> Any:
    """Return the format whose class is at ``module:Class``, optionally preceded by the type of its items."""
    module, _, name = address.rpartition(" ")[2].partition(":")
    return getattr(import_module(module, "outscore.readers"), name)()


def table_formats() -> Mapping[str, TableFormat]:
    """Return the formats of tables by name, in the order of sniffing."""
    return {name: _loaded(address) for name, address in TABLE_FORMATS.items()}


def item_formats() -> Mapping[str, ItemFormat[Any]]:
    """Return the formats of outputs and references by name, in the order of sniffing."""
    return {name: _loaded(address) for name, address in ITEM_FORMATS.items()}


def _general_tables() -> list[TableFormat]:
    """Return the formats of tables that are no layouts of others."""
    return [_loaded(address) for address in TABLE_FORMATS.values() if " " not in address]


def _by_extension(formats: Collection[AnyFormat], path: str) -> AnyFormat | None:
    """Return the first format with the extension of `path`, ignoring ``.gz``; None for .txt, which is ambiguous."""
    extension = PurePath(path.lower().removesuffix(".gz")).suffix
    fitting = (known for known in formats if extension in known.extensions and extension != ".txt")
    return next(fitting, None)


def format_named(path: str) -> TableFormat | None:
    """Return the table format with the extension of `path`, ignoring ``.gz``, or None.

    Examples
    --------
    >>> format_named("scores.tsv.gz").name, format_named("scores.txt")
    ('TSV', None)
    """
    return _by_extension(_general_tables(), path)


def format_of(path: str, data: bytes) -> TableFormat:
    """Return the table format named by the extension, else the first that recognizes `data`.

    Examples
    --------
    >>> format_of("scores.txt", b"0.5").name, format_of("-", b'{"score": 1}').name
    ('plain', 'JSON')
    """
    head, (*others, last) = first_line(data), _general_tables()
    for marks, _, layout in (address.rpartition(" ") for address in TABLE_FORMATS.values()):
        marked = marks and any(mark.encode().lower() in head.lower() for mark in marks.split("|"))
        if marked and _loaded(layout).sniff(head):
            return cast("TableFormat", _loaded(layout))
    named = _by_extension([*others, last], path)
    if named is _loaded(TABLE_FORMATS["JSON Lines"]) and head.startswith(b"["):
        return cast("TableFormat", _loaded(TABLE_FORMATS["JSON"]))
    return named or next((candidate for candidate in others if candidate.sniff(head)), last)


@dataclass(eq=False)
class File:
    """A file or standard input, read on demand.

    Attributes
    ----------
    path : str
        As the user typed it.
    records : str, optional
        The dotted path of the records in JSON documents.
    is_document : bool
        Whether a table was read from that path.
    """

    path: str
    records: str | None = None
    is_document: bool = False
    _data: bytes | None = None
    _tables: dict[TableFormat | None, Table] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        """Its bytes, decompressed. A regular file is read anew each time, to save memory.

        Raise the errors of `read_bytes`.
        """
        if self._data is not None:
            return self._data
        data = read_bytes(self.path)
        if not Path(self.path).is_file():  # standard input and pipes can be read only once
            self._data = data
        return data

    @cached_property
    def text(self) -> str:
        """Its content, decoded from UTF-8.

        Raise the errors of `read_bytes` and `decoded`.
        """
        return decoded(self.data, self.path)

    def table(self, written_as: TableFormat | None = None) -> Table:
        """Return its table, in the given format or the one detected from its name or first line.

        Raise the errors of `read_bytes`, DataError for data in another format, and MissingDependencyError for Parquet
        without polars.
        """
        if written_as not in self._tables:
            data = self.data
            table_format = written_as or format_of(self.path, data)
            inner = None if self.records is None else table_format.within(self.records)
            table_format, self.is_document = inner or table_format, self.is_document or inner is not None
            table = self._tables.get(table_format) or table_format.parse(data, self.path)
            self._tables |= {table_format: table, written_as: table}
        return self._tables[written_as]

    def holds(self, table: Table) -> None:
        """Replace the table of the detected format."""
        self._tables[None] = table


@dataclass(eq=False)
class InputFiles:
    """The input files of a command. Each is read and parsed once.

    Attributes
    ----------
    records : str, optional
        The dotted path of the records in JSON documents. Whoever passes it reads `notes`, which check it.
    """

    records: str | None = None
    _files: dict[str, File] = field(default_factory=dict)
    _corpora: dict[tuple[str, type, str | None], Corpus[Any]] = field(default_factory=dict)

    def file(self, path: str) -> File:
        """Return a file by name; ``-`` is standard input."""
        return self._files.setdefault(path, File(path, self.records))

    @property
    def notes(self) -> list[str]:
        """Notes on the parts of files that were read as tables.

        Raise OptionError if the user named the path of records, but no file is a JSON document.
        """
        if self.records is not None and not any(file.is_document for file in self._files.values()):
            raise OptionError(Problem(opt("records"), "applies only to JSON files", leave_out(), "not-json"))
        tables = [table for file in self._files.values() for table in file._tables.values()]
        return list(dict.fromkeys([table.note for table in tables if table.note]))

    def read(self, spec: str | Place, item_type: type, format_name: str | None = None) -> Corpus[Any]:
        """Return the items of a file of outputs or references; ``-`` is standard input, ``.gz`` is decompressed.

        Parameters
        ----------
        spec : str or Place
            A file, or FILE:COLUMN for a column of a table.
        item_type : type
            Type of items that a metric takes; only formats of this type are tried.
        format_name : str, optional
            One of `ITEM_FORMATS`, if neither name nor first lines identify the format, optionally with options:
            ``tags:scheme=IOB2,strict=true``. It is ignored for files of another type of item, so that one name works
            for outputs and references (`refuse_other_format` checks that it fits one of them). "naacl" and "pharaoh"
            with their options also apply to gold alignments.

        Raises
        ------
        FileAccessError, DataError
            A file that cannot be read or understood; a column of a file that is not a table.
        OptionError
            An unknown format or option.
        """
        place, column = split_spec(spec) if isinstance(spec, str) else spec
        path = place if column is None else f"{place}:{column}"
        key = path, item_type, format_name
        if key in self._corpora:
            return self._corpora[key]
        chosen = None if format_name is None else _named(format_name)
        file, of_type = self._files.setdefault(place, File(place, self.records)), {"", item_type.__name__}
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
                what = f"cannot read column {quoted(column)}: the file is not a table"
                advice = f"Pass only the file name, or a table format with {opt('input_format')}."
                raise DataError(Problem(printable(path), what, advice, "no-table"))
        *others, last = fitting
        choice = _by_extension(fitting, place) or next((other for other in others if other.sniff(file.text)), last)
        corpus = choice.read(file)
        self._corpora[key] = corpus if column is None else replace(corpus, name=path)
        return self._corpora[key]


def read_table(path: str) -> Table:
    """Return the table in the file `path`, in any format; ``-`` is standard input.

    Raise FileAccessError for an unreadable file. Raise DataError for a file that is empty or in no known format. Raise
    MissingDependencyError for Parquet without polars.
    """
    return File(path).table()


def refuse_other_format(format_name: str, metric: str, item_types: Collection[type]) -> None:
    """Raise OptionError if a format has none of these types of items, so that no file could be in it.

    The format is written as for `InputFiles.read`. `metric` is the name of the metric that takes the items.
    """
    name = parsed(format_name, opt("input_format"))[0]
    formats = item_formats()
    if not {_named(format_name).item_type, formats[_TWINS.get(name, name)].item_type} & {*item_types}:
        fitting = [key for key, item_format in formats.items() if item_format.item_type in item_types]
        what = f"{metric} does not read the format {quoted(name)}"
        raise OptionError(
            Problem(opt("input_format"), what, f"Supported formats: {', '.join(fitting)}.", "other-format")
        )


def _named(spec: str) -> ItemFormat[Any]:
    """Return the format that a user wrote as ``name`` or ``name:option=value,option=value``."""
    name, options = parsed(spec, opt("input_format"))
    if name not in ITEM_FORMATS:
        offer = nearest(name, ITEM_FORMATS)
        raise OptionError(Problem(opt("input_format"), f"unknown format {quoted(name)}", offer, "unknown-format"))
    return _with_options(_loaded(ITEM_FORMATS[name]), name, options)


def _twin(spec: str, item_type: type) -> ItemFormat[Any] | None:
    """Return the format of gold alignments that corresponds to one of alignments, with its options."""
    name, options = parsed(spec, opt("input_format"))
    twin = _TWINS.get(name)
    twin_format = None if twin is None else _loaded(ITEM_FORMATS[twin])
    if twin_format is None or twin_format.item_type is not item_type:
        return None
    return _with_options(twin_format, name, options)


def _with_options(item_format: ItemFormat[Any], name: str, options_written: Sequence[WrittenOption]) -> ItemFormat[Any]:
    options = options_of(type(item_format), options_written, OptionOwner(name, opt("input_format"), "format"))
    try:
        return replace(item_format, **options) if options else item_format  # type: ignore[type-var]
    except OptionError as error:
        raise OptionError(
            *(replace(problem, where=opt("input_format", f"{name}:{problem.where}")) for problem in error.problems)
        ) from None
