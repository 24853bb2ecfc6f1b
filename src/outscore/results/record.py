"""JSON, JSON Schemas and tables of frozen results.

All of these follow from the class of a result, which is declared by `record`. The keys of the JSON object are the
fields, in their order. Annotations give the types, and `doc` the descriptions (for a property, its docstring). A class
can change this by its attributes:

- ``json_keys`` lists the first keys in their order, as ``name`` or ``name=path`` of a field or property, also in a
  nested record ("power_low=power.low"). ``-name`` is a field that is not written. Other public fields follow.
- ``schema`` is the name and version of the JSON format, and the first key. Its title is the docstring's summary.
- `Keywords` narrow a type. `Since` marks the key of a property that was added within a version and is therefore
  optional.
- ``later_types`` maps names of types to their modules, if they are imported only for type checkers.
- A field ``findings`` holds the keys that are `found` in it, by the annotations of a base class. Its other keys come
  last.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import cleandoc
from io import BytesIO, StringIO
from itertools import chain
from json.encoder import encode_basestring_ascii
from types import MappingProxyType, ModuleType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import numpy as np

from outscore._types import AnyArray
from outscore.errors import missing_package
from outscore.text.naming import printable

Path: TypeAlias = tuple[str, ...]
Record = TypeVar("Record")
Value = TypeVar("Value")
_ROWS_TOGETHER = 4096  # made of columns at once


class Keywords:
    """Keywords of JSON Schema that a type's annotation adds, such as `minimum`; the description is a default."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


class Since:
    """The version of outscore that added a property to an existing JSON format. Older outputs lack it."""

    def __init__(self, version: str) -> None:
        self.version = version


class _Doc(NamedTuple):
    """What `doc` says of a field."""

    text: str = ""
    since: str | None = None
    omitted: bool = False
    deferred: bool = False
    keywords: Mapping[str, Any] = MappingProxyType({})


_NO_DOC = _Doc()


def doc(
    text: str = "",
    *,
    default: Any = MISSING,
    since: str | None = None,
    null: bool = False,
    shown: bool = True,
    deferred: bool = False,
    **keywords: Any,
) -> Any:
    """Declare a field of a `record`.

    Parameters
    ----------
    text : str
        The description. By default that of the type.
    default : object, optional
        The default value.
    since : str, optional
        The version of outscore that added the field to an existing JSON format. Older outputs lack it.
    null : bool
        Whether JSON has null if the value is None. By default a field with `since` is then omitted.
    shown : bool
        Whether the field is part of the ``repr`` of the record.
    deferred : bool
        Whether the value may be computed on access; see `deferred`.
    **keywords
        Keywords of JSON Schema that narrow the type, such as `minimum`.
    """
    omitted = since is not None and default is None and not null
    return field(default=default, repr=shown, metadata={"doc": _Doc(text, since, omitted, deferred, keywords)})


class _Found:
    """An attribute that is looked up in the findings of a record: the value under its name, or None."""

    def __init__(self, doc: _Doc) -> None:
        self.doc = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return next((finding.value for finding in instance.findings if finding.key == self._name), None)


def found(text: str, *, since: str, **keywords: Any) -> Any:
    """Declare an attribute that is looked up in a record's ``findings``, by default None; otherwise like `doc`."""
    return _Found(_Doc(text, since, omitted=True, keywords=keywords))


@dataclass_transform(frozen_default=True, field_specifiers=(doc,))
def record(cls: type[Record]) -> type[Record]:
    """Return a class as a frozen dataclass whose docstring lists its fields, as declared by `doc`.

    Examples
    --------
    >>> @record
    ... class Power:
    ...     value: Share = doc("The proportion of test sets on which the test is significant.")
    ...     n_sets: Positive | None = doc("Number of simulated test sets.", default=None)
    >>> Power(0.8)
    Power(value=0.8, n_sets=None)
    """
    made: Any = dataclass(frozen=True, repr=cls.__repr__ is object.__repr__)(cls)
    lines = [cleandoc(made.__doc__), "", "Attributes", "----------"]  # Python 3.13 does so itself
    for declared in fields(made):
        description = declared.metadata.get("doc", _NO_DOC)
        lines += [f"{declared.name} : {declared.type}", *([f"    {description.text}"] if description.text else [])]
        if description.deferred:
            setattr(made, declared.name, _DeferredField(declared.name))
            made.__getstate__ = state
    made.__doc__ = "\n".join(lines)
    return cast(type[Record], made)


@dataclass(frozen=True)
class _Deferred:
    """A value that is computed on access, and the first of its parts, if that is known before."""

    compute: Callable[[], object]
    first: object


class _DeferredField:
    """A field of a dataclass that computes its value once, on access."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        values = vars(instance)
        value = values[self._name]
        if isinstance(value, _Deferred):
            value = values[self._name] = value.compute()
        return value

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self._name] = value


def deferred(compute: Callable[[], Value], first: object = None) -> Value:
    """Return a placeholder for the value of a field that is declared with ``doc(deferred=True)``.

    Users do not see placeholders: accessing, comparing, copying and pickling compute the values. Several placeholders
    may share a cached computation.

    `first` is the first part of a value of several parts, which `first_of` returns without computing the others.

    Examples
    --------
    >>> @record
    ... class Result:
    ...     number: int
    ...     square: int = doc(deferred=True)
    >>> Result(3, deferred(lambda: 9)) == Result(3, 9)
    True
    """
    return cast(Value, _Deferred(compute, first))


def first_of(result: object, name: str) -> Any:
    """Return the first part of a field. The parts that follow may stay deferred."""
    value = vars(result)[name]
    return value.first if isinstance(value, _Deferred) else value[0]


def state(result: object) -> dict[str, Any]:
    """Return the state of a copy or pickle of a result: its computed fields, without its items."""
    return {name: value for name, value in vars(computed(result)).items() if name != "_items"}


def computed(result: Record) -> Record:
    """Return a result after computing all deferred fields, also those of nested records."""
    for name in vars(result):
        value = getattr(result, name)
        for part in value if isinstance(value, tuple) else ():
            if hasattr(part, "__dict__"):
                computed(part)
    return result


Natural: TypeAlias = Annotated[int, Keywords(minimum=0)]
Positive: TypeAlias = Annotated[int, Keywords(minimum=1)]
Size: TypeAlias = Annotated[float, Keywords(minimum=0)]
Share: TypeAlias = Annotated[float, Keywords(minimum=0, maximum=1)]
Margin: TypeAlias = Annotated[float, Keywords(exclusiveMinimum=0)]
Level: TypeAlias = Annotated[float, Keywords(exclusiveMinimum=0, exclusiveMaximum=1)]
PValue: TypeAlias = Annotated[
    float, Keywords(exclusiveMinimum=0, maximum=1, description="A p-value: above 0, at most 1.")
]
Null: TypeAlias = Annotated[float, Keywords(type=["number", "null"])]  # infinite or NaN at times, which JSON lacks
Seed: TypeAlias = Annotated[int, Keywords(minimum=0, description="The seed of the resamples.")]
Version: TypeAlias = Annotated[str, Keywords(description="The version of outscore that wrote this.")]
Signature: TypeAlias = Annotated[
    str,
    Keywords(
        description="The settings of the first p-value, in the style of sacreBLEU: "
        '"test:bootstrap|alternative:greater|...".'
    ),
]
Messages: TypeAlias = Annotated[tuple[str, ...], Keywords(description="Warnings, as full sentences.")]

UNITS = ["item", "cluster"]
_NUMBER = {"type": "number"}
FINITE = {"low": _NUMBER, "high": _NUMBER}  # properties of intervals that have both ends


def encode(value: Any, *, finite: bool = True) -> Any:
    """Return a result as objects, lists, text and numbers for JSON. Enumerations become their values.

    With `finite`, NaN and infinity, which JSON lacks, become null.
    """
    if isinstance(value, float):
        return None if finite and not math.isfinite(value) else value
    if isinstance(value, Enum):
        return value.value
    kind: Any = type(value)
    if _is_record(kind):
        return {name: encode(part, finite=finite) for name, part in _parts(value)}
    if isinstance(value, Mapping):
        return {name: encode(part, finite=finite) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [encode(part, finite=finite) for part in value]
    return value


def _parts(record: Any) -> list[tuple[str, Any]]:
    """Return the keys of a record with their values, without omitted keys."""
    kind: Any = type(record)
    parts = [
        (name, getattr(record, path[0]) if len(path) == 1 else value_at(record, path)) for name, path in _keys(kind)
    ]
    left_out = _omitted(kind)
    if not left_out:
        return parts
    written = {None, *(name for name, _ in parts)}
    further = [
        (finding.key, finding.value) for finding in getattr(record, "findings", ()) if finding.key not in written
    ]
    shown = [part for part in parts if part[1] is not None or part[0] not in left_out]
    return shown + [part for part in further if part[1] is not None]


def json_text(record: object) -> str:
    """Return a record as JSON.

    Floats have all digits, so that reading returns the same numbers. A number that is not finite is null. The output is
    ASCII, which survives any encoding. A list of numbers is on one line.
    """
    return _written(record, "\n") + "\n"


def _written(value: Any, line: str) -> str:
    """Return the result of `encode` as JSON; `line` is a line break with the indentation.

    Records are written one by one, because half a million pairs as objects would take gigabytes.
    """
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return scalar(value)
    if isinstance(value, Enum):
        return _written(value.value, line)
    within, kind = line + "  ", cast(Any, type(value))
    if _is_record(kind) or isinstance(value, Mapping):
        parts = value.items() if isinstance(value, Mapping) else _parts(value)
        texts = [f"{encode_basestring_ascii(name)}: {_written(part, within)}" for name, part in parts]
        return _enclosed("{", texts, "}", within, line)
    if isinstance(value, Sequence) and not isinstance(value, str):
        texts = [_written(part, within) for part in value]
        if any(text[0] in '[{"' for text in texts):
            return _enclosed("[", texts, "]", within, line)
        return f"[{', '.join(texts)}]"
    return json.dumps(encode(value), allow_nan=False)


def _enclosed(first: str, texts: list[str], last: str, within: str, line: str) -> str:
    """Return texts in brackets, one per line. They are joined at once, as they may take half a gigabyte."""
    if not texts:
        return first + last
    texts[0] = first + within + texts[0]
    texts[-1] += line + last
    return f",{within}".join(texts)


_SCALARS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring_ascii,
    float: lambda value: repr(value) if math.isfinite(value) else "null",
    int: repr,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
}


@dataclass(frozen=True, eq=False)
class Table(Sequence[Mapping[str, object]]):
    """The rows of a table, stored in columns. Rows are created on access."""

    columns: Mapping[str, Sequence[object] | AnyArray]  # the columns by name, all of the same length
    # str, int, float or bool, for columns with a known type, including columns without values.
    types: Mapping[str, type]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, object]]) -> Table:
        """Return rows with the same keys as columns."""
        if isinstance(rows, Table):
            return rows
        return cls({name: [row[name] for row in rows] for name in rows[0]} if rows else {}, {})

    @classmethod
    def joined(cls, tables: Sequence[Sequence[Mapping[str, object]]]) -> Table:
        """Return the concatenation of tables with the same columns."""
        parts = [part for part in map(cls.of, tables) if part.columns]
        if len(parts) < 2:
            return parts[0] if parts else cls({}, {})
        names = list(parts[0].columns)
        columns = {name: [value for part in parts for value in part.listed(name)] for name in names}
        return cls(columns, {name: kind for part in parts for name, kind in part.types.items()})

    def listed(self, name: str, rows: slice = slice(None)) -> Sequence[object]:
        """Return some rows of a column as Python values."""
        part = self.columns[name][rows]
        return part.tolist() if isinstance(part, np.ndarray) else part

    @property
    def plain(self) -> dict[str, Sequence[object] | AnyArray]:
        """The columns for data frames: arrays of numbers, or lists."""
        return {
            name: self.listed(name) if isinstance(column, np.ndarray) and column.dtype.hasobject else column
            for name, column in self.columns.items()
        }

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @overload
    def __getitem__(self, index: int) -> Mapping[str, object]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, object]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, object] | list[Mapping[str, object]]:
        if isinstance(index, slice):
            return list(self._made(index))
        row = range(len(self))[index]
        return next(self._made(slice(row, row + 1)))

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        for start in range(0, len(self), _ROWS_TOGETHER):
            yield from self._made(slice(start, start + _ROWS_TOGETHER))

    def _made(self, rows: slice) -> Iterator[Mapping[str, object]]:
        cells = zip(*(self.listed(name, rows) for name in self.columns), strict=True)
        return (dict(zip(self.columns, row, strict=True)) for row in cells)


def table(columns: str, rows: Iterable[Sequence[object]], *, kinds: Sequence[type] = ()) -> Table:
    """Return the rows of a table by the names of its columns.

    Columns are written as in ``json_keys``. "interval.low" is named "interval_low", and "*" means all keys of the first
    record of a row. The value comes from the first record of the row with that field, or else that property. It is
    empty if the value is None. `kinds` are the types of the records, if some may be None in all rows.
    """
    rows = list(rows)
    if not rows:
        return Table({}, {})
    kinds = kinds or [type(cell) for cell in rows[0]]
    places = places_of(columns, kinds[0])
    cells = {}
    for name, path in places.items():
        owner = _owner(kinds, path)
        values = [None] * len(rows) if owner is None else [value_at(records[owner], path) for records in rows]
        cells[name] = [encode(value, finite=False) for value in values]
    return Table(cells, column_types(places, kinds))


def places_of(columns: str, first: type) -> dict[str, Path]:
    """Return the paths of the columns of a `table` in its records, given the first row."""
    return dict(column for word in columns.split() for column in (_keys(first) if word == "*" else [_parsed(word)]))


def column_types(places: Mapping[str, Path], records: Sequence[type]) -> dict[str, type]:
    """Return the types of columns, given their paths, for columns with annotations."""
    types = {}
    for name, path in places.items():
        owner = _owner(records, path)
        kind = None if owner is None else _type_at(records[owner], path)
        if kind is not None:
            types[name] = kind
    return types


def _type_at(cls: Any, path: Path) -> type | None:
    """Return the type of the value at a path: str, int, float or bool, or None for other types."""
    hint = cls
    for step in path:
        hint = get_args(hint)[1] if issubclass(get_origin(hint) or hint, Mapping) else _hint(hint, step)
        hint = _plain(_without_none(_plain(hint))[0])
    if get_origin(hint) is Literal:
        return str
    kind: Any = get_origin(hint) or hint
    if not isinstance(kind, type):
        return None
    return next((scalar for scalar in (str, bool, int, float) if issubclass(kind, scalar)), None)


def parquet_bytes(table: Table, where: str) -> bytes:
    """Return a Parquet file of a table, as polars writes it. Without polars, raise an error that names `where`."""
    polars = parquet_library(where)
    file = BytesIO()
    polars.DataFrame(table.plain, schema_overrides=table.types, infer_schema_length=None).write_parquet(file)
    return file.getvalue()


def parquet_library(where: str) -> ModuleType:
    """Return polars, or raise an error that names `where`."""
    try:
        import polars
    except ImportError:
        raise missing_package(where, "polars") from None
    return polars


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows with the same keys as CSV with a header. Floats have all digits, and None is empty.

    Text that a spreadsheet would read as a formula is prefixed by an apostrophe.
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            text = printable(value)
            return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
        case _:
            return repr(value)


@cache
def _is_record(cls: type) -> bool:
    return is_dataclass(cls) and not issubclass(cls, Sequence)


def _names(cls: Any) -> Sequence[str]:
    """Return the fields of a record, with the keys of its findings in place of `findings`."""
    keys = _found(cls)
    names = (keys if declared.name == "findings" else [declared.name] for declared in fields(cls))
    return list(dict.fromkeys(chain.from_iterable(names)))


def _found(cls: type) -> dict[str, _Doc]:
    """Return the keys of the findings of a record, with their descriptions."""
    of_bases = (part for base in reversed(cls.__mro__) for part in vars(base).items())
    return {name: value.doc for name, value in of_bases if isinstance(value, _Found)}


@cache
def _docs(cls: Any) -> dict[str, _Doc]:
    """Return what is declared of the fields and of the keys of the findings of a record."""
    return {declared.name: declared.metadata.get("doc", _NO_DOC) for declared in fields(cls)} | _found(cls)


@cache
def _keys(cls: Any) -> tuple[tuple[str, Path], ...]:
    """Return the keys of a record with the paths of their values."""
    words = getattr(cls, "json_keys", "").split()
    named = [_parsed(word) for word in words if not word.startswith("-")]
    done = {word[1:] for word in words if word.startswith("-")} | {path[0] for _, path in named}
    rest = [(name, (name,)) for name in _names(cls) if name not in done and not name.startswith("_")]
    form: list[tuple[str, Path]] = [("schema", ("schema",))] if hasattr(cls, "schema") else []
    return (*form, *named, *rest)


@cache
def _omitted(cls: Any) -> frozenset[str]:
    """Return the keys of a record that are omitted without a value."""
    return frozenset(name for name, described in _docs(cls).items() if described.omitted)


def _parsed(word: str) -> tuple[str, Path]:
    """Return the name and the path of "name", "name=a.b" or "a.b" (named "a_b")."""
    name, _, path = word.rpartition("=")
    return name or path.replace(".", "_"), tuple(path.split("."))


def value_at(value: Any, path: Path) -> Any:
    """Return the value at a path, or None if a record on the path is missing."""
    for step in path:
        if value is None:
            return None
        value = value[step] if isinstance(value, Mapping) else getattr(value, step)
    return value


def _owner(kinds: Sequence[type], path: Path) -> int | None:
    """Return the place of the first record with the field, or else with the property, of a column."""
    of_fields = (index for index, kind in enumerate(kinds) if path[0] in _names(kind))
    return next(of_fields, next((index for index, kind in enumerate(kinds) if hasattr(kind, path[0])), None))


def schema_of_record(cls: type) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a JSON format, which is a record with a name and version.

    It is self-contained. Unknown keys are allowed, as keys may be added within a version.
    """
    name, (_, text) = cls.schema, _documented(cls)  # type: ignore[attr-defined]
    titled = {"title": _title(cls), "description": text}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **titled, **_object(cls)}


def _object(cls: type) -> dict[str, Any]:
    """Return the schema of a record."""
    properties: dict[str, Any] = {}
    required = []
    for name, path in _keys(cls):
        if name == "schema":
            properties[name] = {"const": cls.schema, "description": "The name and version of this JSON format."}  # type: ignore[attr-defined]
            required.append(name)
            continue
        properties[name], since = _property(cls, path)
        if since is None:
            required.append(name)
        elif name in _omitted(cls):
            _without_null(properties[name])
            properties[name]["description"] += f" Since outscore {since}; omitted without a value."
        else:
            properties[name]["description"] += f" Since outscore {since}."
    return {"type": "object", "properties": properties, "required": required}


def _property(cls: type, path: Path) -> tuple[dict[str, Any], str | None]:
    """Return the schema of the value at a path, with its description and the version that added it."""
    *way, last = path
    missing = False
    for step in way:
        hint, optional = _without_none(_plain(_hint(cls, step)))
        cls, missing = _plain(hint), missing or optional
    hint, described = _hint(cls, last), _docs(cls).get(last, _NO_DOC)
    schema = _narrowed(_type(hint), described.keywords)
    if missing:
        schema = _or_null(schema)
    description = {"description": _in_json(described.text or _of_property(cls, last) or schema.get("description", ""))}
    since = next((mark.version for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Since)), None)
    return {**description, **schema, **description}, described.since or since


def _type(hint: Any) -> dict[str, Any]:
    """Return the schema of an annotation."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = _type(args[0])
        for mark in args[1:]:
            schema = _narrowed(schema, mark.keywords) if isinstance(mark, Keywords) else schema
        return schema
    if origin in {Union, UnionType}:
        kinds = [_type(part) for part in args if part is not NoneType]
        schema = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        return _or_null(schema) if NoneType in args else schema
    if origin is Literal:
        values = [encode(value) for value in args]
        return {"const": values[0]} if len(values) == 1 else {"enum": values}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(args[1])}
    if origin is not None and issubclass(origin, Sequence):
        length = {} if origin is not tuple or args[-1] is Ellipsis else {"minItems": len(args), "maxItems": len(args)}
        return {"type": "array", "items": _type(args[0]), **length}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint], "description": _documented(hint)[0]}
    if isinstance(hint, type) and _is_record(hint):
        titled = {"title": _title(hint)} if hasattr(hint, "schema") else {}
        return {**titled, "description": _documented(hint)[0], **_object(hint)}
    return {"type": {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}[hint]}


def _narrowed(schema: dict[str, Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with more keywords; keywords of properties are merged."""
    of_keys = {
        name: {**schema["properties"][name], **narrow} for name, narrow in keywords.get("properties", {}).items()
    }
    properties = {"properties": {**schema["properties"], **of_keys}} if of_keys else {}
    return {**schema, **keywords, **properties}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may be missing."""
    if "oneOf" in schema or "enum" in schema or "const" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, *({"null"} - set(kinds))]}


def _without_null(schema: dict[str, Any]) -> None:
    """Remove null from the schema of a key that is omitted instead."""
    if "oneOf" in schema:
        (only,) = (part for part in schema.pop("oneOf") if part != {"type": "null"})
        schema |= {**only, "description": schema["description"]}
    else:
        kinds = [kind for kind in schema["type"] if kind != "null"]
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds


def _plain(hint: Any) -> Any:
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return an annotation without None, and whether it allows None."""
    others = [part for part in get_args(hint) if part is not NoneType]
    return (others[0], True) if NoneType in get_args(hint) else (hint, False)


def _hint(cls: type, name: str) -> Any:
    """Return the annotation of a field or property."""
    later_types = getattr(cls, "later_types", {})
    later = {later_type: getattr(import_module(module), later_type) for later_type, module in later_types.items()}
    computed = _computed(cls, name)
    if computed is None:
        return get_type_hints(cls, localns=later, include_extras=True)[name]
    return get_type_hints(computed, include_extras=True)["return"]


def _computed(cls: type, name: str) -> Any:
    """Return the function of a property, cached or not, or None for a field."""
    attribute = getattr(cls, name, None)
    return getattr(attribute, "fget", getattr(attribute, "func", None))


def _of_property(cls: type, name: str) -> str:
    computed = _computed(cls, name)
    return "" if computed is None else " ".join((computed.__doc__ or "").split())


def _documented(cls: type) -> tuple[str, str]:
    """Return the first line of the docstring of a class, and its other lines before the first section."""
    summary, _, text = cleandoc(cls.__doc__ or "").partition("\n")
    return _in_json(summary), " ".join(re.split(r"\n\n[A-Z].*\n---", text)[0].split())


def _title(cls: type) -> str:
    return _documented(cls)[0].removesuffix(".")


def _in_json(text: str) -> str:
    """Return a description with JSON names of Python constants."""
    text = re.sub(r"(^|[.:] )None\b", r"\1Null", text)
    return re.sub(r"\bNone\b", "null", text)
