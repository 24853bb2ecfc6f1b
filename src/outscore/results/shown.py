"""Methods of all results: tables, notebook display, charts and all formats."""

from __future__ import annotations

import importlib.util
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from outscore.errors import FileAccessError, MissingDependencyError, OptionError, Problem, WithFormerNames
from outscore.formats import FORMATS
from outscore.results.parts import Parts
from outscore.results.record import Table, csv_text, doc, json_text, parquet_bytes, record, state
from outscore.text.naming import printable

# Attributes that other modules need and users do not.
_NOT_LISTED = frozenset(
    ("json_keys", "later_types", "pair_columns", "score_format", "of_battles", "alone", "decimals", "second")
)
Target = str | os.PathLike[str] | None
_LIBRARIES = ("polars", "pandas", "pyarrow")
Value = TypeVar("Value")
Data = TypeVar("Data", str, bytes)


def _from_reports(address: str) -> Any:
    """Return a function that displays results; it is named, not imported, because reports are above results."""
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(f"outscore.{module}"), name)


def sentence_of(result: object) -> str:
    """Return the sentence of a comparison."""
    sentence: str = _from_reports("words.comparisons:write_sentence")(result)
    return sentence


class Shown(WithFormerNames, ABC):
    """A result with a table, and with reports and charts."""

    _items: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return state(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _NOT_LISTED]

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the tidy table, all with the same names, as in CSV and data frames."""

    def _form(self) -> object:
        """Return the record that is written as JSON."""
        return self

    def to_dataframe(self, *, backend: Any = None, **options: Any) -> Any:
        """Return the tidy table as a data frame.

        A comparison has one row per metric, candidate and test, and scores have one per metric and system. A ranking
        has one row per metric and system, or with `pairs=True` per pair.

        Parameters
        ----------
        backend : str or module, optional
            Such as "pandas" or "polars". By default the library that the program has imported.

        Raises
        ------
        MissingDependencyError
            No data frame library is installed.
        """
        return native_frame(_rows(self, options).plain, backend)

    def _reported(self) -> Sequence[Any]:
        """Return the results of a report: results of one kind, one per metric."""
        return (self,)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result in one or two sentences each, without tables, as printed with the option quiet."""
        return tuple(_from_reports("reports:answers")(self._reported()))

    @property
    def methods(self) -> str:
        """The paragraph on methods for a paper, of comparisons, rankings and scores.

        `to_latex(methods=True)` is the same with citations for natbib.
        """
        return self._methods("text").rstrip("\n")

    @property
    def bibtex(self) -> str:
        """The works that `methods` cites, as BibTeX."""
        return self._methods("bibtex")

    def _methods(self, format_name: str) -> str:
        text: str = _from_reports("reports:methods_of")(self._reported(), format_name)
        return text

    def chart(self, path: Target = None, **options: Any) -> Any:
        """Return an Altair chart, which notebooks draw; with a path, also write it there, in the format of its name.

        One comparison is drawn as the bootstrap distribution of its gain, several as a forest plot of gains with
        intervals. Only rankings have `kind`: "scores" (with intervals), "gains" (by confidence, as in Figure 2 of BK12)
        or "p-values" (of all pairs). Names end in .png, .svg, .pdf, .html or .json.

        Raises
        ------
        MissingDependencyError
            Altair is not installed.
        FileAccessError
            The file cannot be written.
        """
        drawn = _from_reports("reports:chart_of")(self._reported(), **options)
        if path is not None:
            _from_reports("reports.charts:save_chart")(drawn, path)
        return drawn

    def to_html(self, path: Target = None, *, title: str | None = None, table: str | None = None) -> str:
        """Return the result as a self-contained HTML report; with a path, also write it there.

        `title` replaces the title that is made from the names of the systems. `table="scores"` or
        `table="intervals"` returns only the table of a paper, as for `to_text`, to be pasted.

        Raises
        ------
        FileAccessError
            The file cannot be written.
        """
        if table is not None:
            return self._report("html", path, {"table": table})
        page: str = _from_reports("reports.html:results_to_html")(self._reported(), title=title)
        return written(page, path)

    def to_text(self, path: Target = None, **options: Any) -> str:
        """Return the result as text, as it is printed; with a path, also write it there.

        `details=True` adds all tests of a comparison, the distribution of the gain and the signature. `pairs=True`
        lists all pairs of a ranking, and `width` is the number of columns, 80 by default. `table="scores"` returns only
        the table of a comparison or ranking for a paper, and `table="intervals"` the same with intervals.
        """
        return self._report("text", path, options)

    def to_markdown(self, path: Target = None, **options: Any) -> str:
        """Return the result as GitHub-flavoured Markdown; with a path, also write it there.

        `pairs=True` lists all pairs of a ranking, however many there are. `table` is as for `to_text`.
        """
        return self._report("markdown", path, options)

    def to_latex(self, path: Target = None, **options: Any) -> str:
        """Return the table of a paper as LaTeX (booktabs); with a path, also write it there.

        `table="intervals"` adds intervals, and `bare=True` returns only the tabular. `details=True` adds the full
        tables of each metric, and `pairs=True` all pairs of a ranking.
        """
        return self._report("latex", path, options)

    def to_typst(self, path: Target = None, **options: Any) -> str:
        """Return the table of a paper as Typst; with a path, also write it there. Options are those of `to_latex`."""
        return self._report("typst", path, options)

    def to_json(self, path: Target = None) -> str:
        """Return the result as JSON with a stable schema; with a path, also write it there."""
        return written(json_text(self._form()), path)

    def to_csv(self, path: Target = None, **options: Any) -> str:
        """Return the tidy table as CSV; with a path, also write it there. Options are those of `records`."""
        return written(csv_text(_rows(self, options)), path)

    def to_parquet(self, path: Target = None, **options: Any) -> bytes:
        """Return the tidy table as a Parquet file with typed columns; with a path, also write it there.

        Options are those of `records`.

        Raises
        ------
        MissingDependencyError
            polars is not installed.
        """
        return written(parquet_bytes(_rows(self, options), "to_parquet"), path)

    def __repr__(self) -> str:
        return self._report("text", None, {}).rstrip("\n")

    def _repr_html_(self) -> str:
        html: str = _from_reports("reports.html:results_in_notebook")(self._reported())
        return html

    def _report(self, format_name: str, path: Target, options: dict[str, Any]) -> str:
        text: str = _from_reports("reports:report")(self._reported(), format_name, **options)
        return written(text, path)


def _method_of(format_name: str) -> Callable[..., str]:
    def write(result: Shown, path: Target = None, **options: Any) -> str:
        """Return the result in this format of reports; with a path, also write it there."""
        return result._report(format_name, path, options)

    return write


for _name in FORMATS:
    if not hasattr(Shown, f"to_{_name}"):
        setattr(Shown, f"to_{_name}".replace("-", "_"), _method_of(_name))

R = TypeVar("R", bound=Shown)


@record
class Several(Shown, Parts[R]):
    """Results on several metrics: the same systems, one result per metric."""

    _part = "metric"

    results: tuple[R, ...] = doc(
        "One per metric; the object can also be iterated, and indexed by number or by the metric's name: "
        '``results["bleu"]``.'
    )

    def records(self, **options: Any) -> Sequence[Mapping[str, object]]:
        """Return the rows of all results. Options are those of the single results."""
        return Table.joined([_rows(result, options) for result in self.results])

    def _reported(self) -> Sequence[R]:
        return self.results

    def _form(self) -> object:
        return self.results[0] if len(self.results) == 1 else self

    def _all_parts(self) -> Sequence[R]:
        return self.results

    def _labels(self, part: R) -> Sequence[Collection[str]]:
        """Return the names of the metric, or that of the task among several."""
        metric, test_set = cast(Any, part).metric, getattr(part, "test_set", None)
        return ((metric.spec, metric.name, metric.title),) if test_set is None else ((test_set,),)


def let_know_items(result: Shown, items: object) -> None:
    """Attach items to a result, not as a field, so that it is compared, copied and written without them.

    `items_known_to` returns them.
    """
    object.__setattr__(result, "_items", items)


def items_known_to(result: object) -> Any:
    """Return the items attached to a result, or None."""
    return result._items if isinstance(result, Shown) else None


def _rows(result: Shown, options: Mapping[str, Any]) -> Table:
    """Return the rows of a result, with the options that those of its kind have."""
    records: Callable[..., Sequence[Mapping[str, object]]] = result.records
    return Table.of(records(**options))


def written(data: Data, path: Target) -> Data:
    """Write a text, or bytes, into a file, if there is to be one."""
    if path is not None:
        try:
            Path(path).write_bytes(data.encode() if isinstance(data, str) else data)
        except OSError as error:
            what = f"cannot write: {(error.strerror or str(error)).lower()}"
            problem = Problem(printable(os.fspath(path)), what, "Choose another file.", "cannot-write")
            raise FileAccessError(problem) from None
    return data


def native_frame(columns: Mapping[str, Any], backend: Any = None) -> Any:
    """Return columns as a data frame of the library that the user has.

    `backend` names a library that narwhals can make frames of; by default the first of polars, pandas and pyarrow that
    the program has imported, or else that is installed.
    """
    import narwhals as nw

    chosen: Any = backend if backend is not None else _library()
    try:
        # Of data whose types are no question, so that the backend alone can be at fault.
        nw.from_dict({"item": [1]}, backend=chosen)
    except ModuleNotFoundError:
        advice = f"Install it: pip install {chosen}."
        raise _missing(str(chosen), advice) from None
    except (TypeError, ValueError, AttributeError):
        what = f"expected a data frame library such as polars or pandas, got {chosen!r}"
        raise OptionError(Problem("backend", what, "", "unknown-value")) from None
    return nw.from_dict(dict(columns), backend=chosen).to_native()


def _library() -> str:
    loaded = [name for name in _LIBRARIES if name in sys.modules]
    installed = loaded or [name for name in _LIBRARIES if importlib.util.find_spec(name) is not None]
    if not installed:
        raise _missing("a data frame library", "Install one: pip install polars")
    return installed[0]


def _missing(what: str, advice: str) -> MissingDependencyError:
    return MissingDependencyError(Problem("to_dataframe", f"{what} is not installed", advice, "missing-dependency"))
