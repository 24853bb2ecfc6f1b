"""The configuration of a project's gate: outscore.toml, or the table [tool.outscore.gate] of pyproject.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outscore.cli.former import current_argument
from outscore.data.coercion import check_level, choice
from outscore.errors import OptionError, Problem
from outscore.options import speaking_options
from outscore.questions.looks import ErrorRate, InconclusivePolicy, check_looks
from outscore.text.naming import nearest, printable, quoted

_FILE, _PROJECT = "outscore.toml", "pyproject.toml"
_KEYS = ("margin", "margins", "alpha", "looks", "error", "inconclusive", "metric")


@dataclass(frozen=True)
class Configuration:
    """The configuration in a file; None for each key that it does not set."""

    margin: float | str | None = None  # the margin of all metrics that ``margins`` does not list
    margins: Mapping[str, float | str] = field(default_factory=dict)  # by metric, or by ``task/metric``
    alpha: float | None = None
    looks: int | None = None
    error: ErrorRate | None = None
    inconclusive: InconclusivePolicy | None = None
    metric: tuple[str, ...] = ()  # the metrics to test if the command names none
    where: str = field(default="", compare=False)  # the file and its table, for errors

    @property
    def places(self) -> Mapping[str, str]:
        """The margins that the file sets, as `outscore.questions.looks.Margins`."""
        return {"": f"{self.where} margin", **{name: f"{self.where} margins.{name}" for name in self.margins}}


def read_configuration(path: str | None = None, folder: str = ".") -> Configuration:
    """Read the configuration from a file; by default from outscore.toml or pyproject.toml in a folder.

    The table is ``[gate]`` in outscore.toml and ``[tool.outscore.gate]`` in pyproject.toml. A named file that cannot be
    read raises a FileAccessError, one that is not TOML a DataError, and an unknown key or a wrong type an OptionError.
    """
    if path is not None:
        return _read(path, named=True)
    for name in (_FILE, _PROJECT):
        file = Path(folder, name)
        if file.is_file():
            configuration = _read(str(file), named=name == _FILE)
            if name == _FILE or configuration != Configuration():
                return configuration
    return Configuration()


def _read(path: str, *, named: bool) -> Configuration:
    from outscore.readers.boards import read_toml  # a gate without a configuration does not need it

    content = read_toml(path, 'Put text in quotation marks: "2%".')
    tables = [*(("tool", "outscore") if Path(path).name == _PROJECT else ()), "gate"]
    table: Any = content
    for name in tables:
        table = table.get(name) if isinstance(table, dict) else None
    where = f"{printable(path)} [{'.'.join(tables)}]"
    if table is None:
        if named and Path(path).name != _PROJECT and content:
            advice = f"Write [{tables[-1]}] above its keys."
            raise OptionError(Problem(where, "expected this table, which is missing", advice, "no-table"))
        return Configuration()
    if not isinstance(table, dict):
        raise _wrong(where, "a table", table)
    with speaking_options(speaks=False):  # keys are arguments
        table = {current_argument("gate", key, value, f"{where} {key}", table): value for key, value in table.items()}
    for key in table:
        if key not in _KEYS:
            raise OptionError(Problem(where, f"unknown key {quoted(key)}", nearest(key, _KEYS), "unknown-key"))
    margins = table.get("margins", {})
    if not isinstance(margins, dict):
        raise _wrong(f"{where} margins", "a table of margins by metric", margins)
    metric = table.get("metric", [])
    metrics = [metric] if isinstance(metric, str) else metric
    if not isinstance(metrics, list) or not all(isinstance(metric, str) for metric in metrics):
        raise _wrong(f"{where} metric", "a metric or a list of metrics", metric)
    alpha = _of_type(table.get("alpha"), (float, int), "a number", f"{where} alpha")
    if alpha is not None:
        check_level(alpha, f"{where} alpha")
    looks = _of_type(table.get("looks"), (int,), "a whole number", f"{where} looks")
    if looks is not None:
        check_looks(looks, f"{where} looks")
    rate, policy = table.get("error"), table.get("inconclusive")
    return Configuration(
        margin=_amount(table.get("margin"), f"{where} margin"),
        margins={name: _amount(value, f"{where} margins.{name}") for name, value in margins.items()},
        alpha=alpha,
        looks=looks,
        error=None if rate is None else choice(ErrorRate, rate, f"{where} error"),
        inconclusive=None if policy is None else choice(InconclusivePolicy, policy, f"{where} inconclusive"),
        metric=tuple(metrics),
        where=where,
    )


def _amount(value: object, where: str) -> Any:
    """Return a margin, which may be a number or text."""
    return _of_type(value, (float, int, str), "a number", where)


def _of_type(value: object, kinds: tuple[type, ...], what: str, where: str) -> Any:
    if value is None or (isinstance(value, kinds) and not isinstance(value, bool)):
        return value
    raise _wrong(where, what, value)


def _wrong(where: str, what: str, value: object) -> OptionError:
    return OptionError(Problem(where, f"expected {what}, got {quoted(str(value))}", "", "wrong-type"))
