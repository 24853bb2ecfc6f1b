"""What programs pass, as the objects that it stands for: systems of every kind, labels, tests, numbers, names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outscore.errors import OptionError, Problem
from outscore.given import number, wrong
from outscore.metrics import AnyMetric, ColumnMetric, metric_named
from outscore.metrics.declarations import check_declared
from outscore.metrics.registry import METRICS
from outscore.naming import printable
from outscore.readers import Tables, labels_from, read_labels, read_system, system_from
from outscore.readers.files import split_spec
from outscore.readers.kept_files import is_kept
from outscore.readers.system_files import SystemFile, called
from outscore.rows import Labels, Rows
from outscore.significance import TESTS, SignificanceTest, test_named

__all__ = [
    "DEFAULT_SEED",
    "GivenSystems",
    "alpha_of",
    "given_systems",
    "given_tests",
    "named_candidates",
    "several_metrics",
]

DEFAULT_SEED = 12345
DEFAULT_ALPHA = 0.05
_A_TEST = 'tests such as outscore.Randomization() or "randomization"'


@dataclass(frozen=True, eq=False)
class GivenSystems:
    """Systems that a program passed, read.

    Attributes
    ----------
    metric : AnyMetric
    systems : list of Rows
        Of this metric; the first is the baseline.
    path : str or None
        The baseline's file, if it is one.
    id_column : str or None
    tables : Tables
        That were read.
    """

    metric: AnyMetric
    systems: list[Rows]
    path: str | None
    id_column: str | None
    tables: Tables

    def labels(self, given: object, name: str) -> Labels | None:
        """Return the clusters or strata that were passed beside the systems.

        Parameters
        ----------
        given : sequence, mapping from item id, series, Labels, str or None
            A str, as on the command line, where the baseline is a file.
        name : str
            Of the argument.

        Raises
        ------
        FileAccessError, DataError
        """
        if given is None:
            return None
        if isinstance(given, str) and self.path is not None:
            table = self.path if isinstance(self.metric, ColumnMetric) else None
            return read_labels(given, table, self.id_column, item_ids=self.systems[0].item_ids, tables=self.tables)
        return labels_from(given, name)


def given_systems(
    given: Sequence[object],
    metric: AnyMetric | str | None,
    references: object,
    *,
    names: Sequence[str | None] | None = None,
    default_names: Sequence[str] | None = None,
    with_responses: bool = False,
    input_format: str | None = None,
    lower_is_better: bool = False,
    id_column: str | None = None,
    score_column: str | None = None,
    drop_missing: bool = False,
) -> GivenSystems:
    """Return the rows of systems of any kind that `outscore.compare` takes, and their metric.

    Parameters
    ----------
    given : sequence
        The baseline and at least one candidate, or systems that are scored by themselves.
    metric, references, names, input_format, lower_is_better, id_column, score_column, drop_missing
        As for `outscore.compare`.
    default_names : sequence of str, optional
        Of systems that have none of their own; "baseline", "candidate", ... by default.
    with_responses : bool
        Whether the rows of outputs are to hold their single responses.

    Raises
    ------
    FileAccessError, DataError, OptionError, MissingDependencyError
    """
    if names is not None and (isinstance(names, str) or not all(isinstance(name, str | None) for name in names)):
        raise wrong("names", "a list of texts", names)
    if names is not None and len(names) != len(given):
        raise OptionError(
            Problem("names", f"expected {len(given)} names, got {len(names)}", "Name every system.", "names")
        )
    tables = Tables()
    default_names = _own_names(given, default_names or _default_names(len(given) - 1))
    paths = [os.fspath(data) if isinstance(data, str | os.PathLike) else None for data in given]
    of = _metric(metric, [path for path in paths if path is not None], references, lower_is_better=lower_is_better)
    if isinstance(of, ColumnMetric):
        for argument, value in (("references", references), ("input_format", input_format)):
            if value is not None:
                raise wrong(argument, f"none, as {of.name} is a metric of columns", value)
        systems = [
            system_from(data, of, name=name, id_column=id_column, score_column=score_column)
            if path is None
            else read_system(
                path, of, id_column=id_column, score_column=score_column, drop_missing=drop_missing, tables=tables
            )
            for name, data, path in zip(default_names, given, paths, strict=True)
        ]
    elif references is None and all(isinstance(data, Rows) for data in given):
        systems = [data for data in given if isinstance(data, Rows)]
    else:
        _refuse_for_outputs(id_column=id_column, score_column=score_column, drop_missing=drop_missing)
        of, systems = _scored(
            of, default_names, given, references, input_format=input_format, with_responses=with_responses
        )
    named = names or [None] * len(systems)
    places = [place for place, path in enumerate(paths) if path is not None and named[place] is None]
    files = [SystemFile(str(paths[place])) for place in places]
    for place, system in zip(places, called(files, [systems[place] for place in places]), strict=True):
        systems[place] = system
    systems = [
        system if name is None else replace(system, name=printable(name))
        for system, name in zip(systems, named, strict=True)
    ]
    return GivenSystems(of, systems, paths[0], id_column, tables)


def named_candidates(
    baseline: object, candidates: Sequence[object], metric: object, references: object, *, one_column: bool = False
) -> tuple[Sequence[object], Sequence[str | None]]:
    """Return candidates one by one, and their names where they have some.

    A single argument may hold several: a mapping from names to systems, a list of systems, or a data frame whose
    columns, all of numbers, are the systems.

    Parameters
    ----------
    baseline, candidates, metric, references
        As for `outscore.compare`.
    one_column : bool
        Whether columns of frames were named, so that a frame is one system.
    """
    found, names = list(candidates), [None] * len(candidates)
    if len(candidates) == 1:
        (only,) = candidates
        frame = None if one_column or references is not None else _columns_of_frame(only, baseline)
        if frame is not None:
            return list(frame.values()), list(frame)
        if isinstance(only, Mapping) and only and _are_systems(list(only.values()), only, baseline, metric, references):
            return list(only.values()), [printable(str(name)) for name in only]
        if isinstance(only, list | tuple) and only and _are_systems(only, only, baseline, metric, references):
            found, names = list(only), [None] * len(only)
    return found, names


def several_metrics(metric: object) -> Sequence[Any] | None:
    """Return the metrics of a list of them; None of a single one.

    Raises
    ------
    OptionError
        An empty list.
    """
    if not isinstance(metric, list | tuple):
        return None
    if not metric:
        raise wrong("metric", "at least one metric", metric)
    return metric


def _are_systems(values: Sequence[object], held: object, baseline: object, metric: object, references: object) -> bool:
    """Tell whether values are a system each, rather than an item each of one system."""
    if isinstance(held, Mapping) and isinstance(baseline, Mapping) and held.keys() & baseline.keys():
        return False  # items by their ids
    if isinstance(baseline, str | os.PathLike):
        return all(isinstance(value, os.PathLike) or _is_file(value) for value in values)
    if all(isinstance(value, Rows | os.PathLike) for value in values):
        return True
    if any(isinstance(value, str | bytes) or not isinstance(value, Sized) for value in values):
        return references is None and all(isinstance(value, str) for value in values)
    lengths = {len(value) for value in values if isinstance(value, Sized)}
    n = len(baseline) if isinstance(baseline, Sized) else None
    if references is not None:
        return lengths == {n} and (isinstance(held, Mapping) or len(values) != n)
    width = _width(metric)
    if width > 1:  # an item is a row of numbers, a system a list of rows
        return all(_holds_rows(value) for value in values)
    return lengths != {1}


def _is_file(value: object) -> bool:
    return isinstance(value, str) and (Path(value).exists() or Path(split_spec(value)[0]).exists())


def _holds_rows(value: object) -> bool:
    if hasattr(value, "shape"):
        return len(value.shape) == 2
    items = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(items, Sequence) and bool(items) and isinstance(items[0], Sized)


def _width(metric: object) -> int:
    """Return how many columns a metric takes; 1 where that is not known."""
    named = METRICS.get(metric.partition(":")[0]) if isinstance(metric, str) else metric
    return len(getattr(named, "columns", ("score",)))


def _columns_of_frame(data: object, baseline: object) -> Mapping[str, object] | None:
    """Return the columns of a data frame that are the systems; None of what is no frame, or one of one system."""
    import narwhals as nw

    frame, other = (nw.from_native(each, pass_through=True, eager_only=True) for each in (data, baseline))
    if not isinstance(frame, nw.DataFrame) or isinstance(other, nw.DataFrame):
        return None
    if not all(dtype.is_numeric() or dtype == nw.Boolean for dtype in frame.schema.values()):
        return None
    return {printable(str(name)): frame[name].to_native() for name in frame.columns}


def _name_of_series(data: object) -> str | None:
    """Return the name of a series; None of what is none, or has none."""
    name = getattr(data, "name", None)
    return printable(name) if isinstance(name, str) and name and hasattr(data, "to_list") else None


def given_tests(tests: SignificanceTest | str | Sequence[SignificanceTest | str]) -> Sequence[SignificanceTest]:
    """Return tests that may be named; "all" is every one.

    Raises
    ------
    OptionError
        An unknown name, or what is no test.
    """
    if isinstance(tests, str) and tests == "all":
        return [test() for test in TESTS.values()]
    several = tests.split(",") if isinstance(tests, str) else [tests] if isinstance(tests, SignificanceTest) else tests
    try:
        found = [test_named(test) if isinstance(test, str) else test for test in several]
    except TypeError:
        raise wrong("tests", _A_TEST, tests) from None
    for test in found:
        if not isinstance(test, SignificanceTest):
            raise wrong("tests", _A_TEST, test)
    return found


def alpha_of(alpha: float | None, confidence_level: float | None) -> float:
    """Return the level of a verdict, of which the confidence level of its interval is the complement: one sets both.

    Raises
    ------
    OptionError
        Both, and they contradict each other; or a confidence level that is none.
    """
    alpha = None if alpha is None else number(alpha, "alpha")
    if confidence_level is None:
        return DEFAULT_ALPHA if alpha is None else alpha
    confidence_level = number(confidence_level, "confidence_level")
    if not 0 < confidence_level < 1:
        what = f"expected a number between 0 and 1, got {confidence_level:g}"
        raise OptionError(Problem("--confidence-level", what, "", "out-of-range"))
    complement = round(1 - confidence_level, 12)
    if alpha is not None and abs(alpha - complement) > 1e-9:
        what = f"expected 1 - alpha, which is {1 - alpha:g}, got {confidence_level:g}"
        advice = "Leave one of the two out: each sets the other."
        raise OptionError(Problem("--confidence-level", what, advice, "two-levels"))
    return complement


def _metric(
    metric: AnyMetric | str | None, paths: Sequence[str], references: object, *, lower_is_better: bool
) -> AnyMetric:
    """Return the metric that was named; by default that of kept rows, if there are some, or else the mean."""
    kept = next((path for path in paths if is_kept(path)), None)
    if kept is None and references is None and (metric is None or isinstance(metric, str)):
        return metric_named("mean" if metric is None else metric, lower_is_better=lower_is_better)
    if lower_is_better:
        what = "only mean and ratio by name are told the direction; other metrics know it"
        advice = "Leave it out, or pass outscore.Mean(higher_is_better=False)."
        raise OptionError(Problem("lower_is_better", what, advice, "wrong-direction"))
    if metric is None and kept is not None:
        from outscore.readers.kept_rows import read_kept_rows

        return read_kept_rows(kept).named
    if metric is None:
        what = "expected the metric that scores outputs against the references, got none"
        raise OptionError(Problem("metric", what, 'Name one, such as metric="bleu".', "no-metric"))
    if isinstance(metric, str):
        from outscore.metrics.outputs import output_metric_named

        return output_metric_named(metric)
    if isinstance(metric, type) and issubclass(metric, AnyMetric):
        what = f"expected a metric, got the class {metric.__name__}"
        raise OptionError(Problem("metric", what, f"Call it: {metric.__name__}().", "wrong-type"))
    if not isinstance(metric, AnyMetric):
        raise wrong("metric", 'a metric such as outscore.F1() or "f1"', metric)
    check_declared(metric)
    return metric


def _refuse_for_outputs(**given: object) -> None:
    """Refuse what is told of score tables where there are none, rather than to leave it unheard."""
    for argument, value in given.items():
        if value:
            what = "it tells how score tables are read, and outputs are none"
            raise OptionError(Problem(argument, what, "Leave it out.", "not-for-outputs"))


def _scored(
    metric: AnyMetric,
    names: Sequence[str],
    systems: Sequence[object],
    references: object,
    *,
    input_format: str | None,
    with_responses: bool,
) -> tuple[AnyMetric, list[Rows]]:
    """Return the rows of systems whose outputs are files or in memory."""
    # Dozens of formats: who compares columns does not wait for them.
    from outscore.metrics.base import AnyOutputMetric
    from outscore.readers.in_memory import corpus_from
    from outscore.readers.outputs import read_outputs

    if not isinstance(metric, AnyOutputMetric):
        raise wrong("metric", "a metric of columns or of outputs", metric)

    def corpus(data: object, kind: type, name: str) -> Any:
        return os.fspath(data) if isinstance(data, str | os.PathLike) else corpus_from(data, kind, name)

    several = (
        metric.takes_several_references
        and isinstance(references, list | tuple)
        and not any(isinstance(one, str) for one in references)
    )
    given: Sequence[Any] = () if references is None else references if several else [references]  # type: ignore[assignment]
    return read_outputs(
        [corpus(data, metric.output_type, name) for name, data in zip(names, systems, strict=True)],
        [corpus(one, metric.reference_type, "references") for one in given],
        metric,
        format_name=input_format,
        with_responses=with_responses,
    )


def _own_names(given: Sequence[object], otherwise: Sequence[str]) -> Sequence[str]:
    """Return the names of series where they tell systems apart, and the others where there are none."""
    own = [_name_of_series(data) or name for data, name in zip(given, otherwise, strict=True)]
    return own if len(set(own)) == len(own) else otherwise


def _default_names(n_candidates: int) -> Sequence[str]:
    if n_candidates == 1:
        return ("baseline", "candidate")
    return ("baseline", *(f"candidate {i + 1}" for i in range(n_candidates)))
