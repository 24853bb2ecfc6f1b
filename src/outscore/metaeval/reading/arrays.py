"""Human and metric scores from arrays and data frames of items and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outscore._types import FloatArray
from outscore.errors import OptionError, Problem
from outscore.metaeval.judgements import Judgements
from outscore.metaeval.reading.sources import Key, Source, check_length, joined
from outscore.options import opt
from outscore.text.naming import printable


def judgements_from(human: Any, metrics: Sequence[tuple[str, Any]], clusters: object = None) -> list[Judgements]:
    """Return the judgements of arrays, by position, or of data frames, by their labels.

    Raises
    ------
    OptionError
        Arrays of different shapes, frames with different labels, or values that are not numbers.
    DataError
        As `joined`.
    """
    values = _matrix(human, "human")
    n, s = values.shape
    index, columns = _labels(human)
    systems = [f"system {place + 1}" for place in range(s)] if columns is None else columns
    keys = [Key("", str(place)) for place in range(n)] if index is None else [Key("", one) for one in index]
    documents = {}
    if isinstance(clusters, str) or not (clusters is None or hasattr(clusters, "__len__")):
        if clusters != "none":
            what = f"expected one cluster per item, or none, got {printable(str(clusters))}"
            raise OptionError(Problem(opt("clusters"), what, "Pass a sequence with the scores.", "wrong-type"))
    elif clusters is not None:
        labels = np.asarray(clusters).tolist()
        check_length(opt("clusters"), "one cluster per item", len(labels), n)
        documents = {key: "" if label is None else str(label) for key, label in zip(keys, labels, strict=True)}
    sources = []
    for name, scores in metrics:
        matrix, called = _matrix(scores, name), printable(name)
        if matrix.shape != values.shape:
            what = f"expected an array of shape {values.shape}, as the human scores, got {matrix.shape}"
            raise OptionError(Problem(called, what, "Rows are items, columns are systems.", "wrong-shape"))
        matrix = matrix[_order(called, "index", index, _labels(scores)[0])]
        matrix = matrix[:, _order(called, "columns", columns, _labels(scores)[1])]
        sources.append(Source(called, called, systems, keys, matrix.T))
    return joined(Source("human", "human", systems, keys, values.T, documents), sources)


def _order(name: str, of: str, known: Sequence[str] | None, own: Sequence[str] | None) -> Any:
    """Return the places of the human labels among a metric's; all in their order if one of both has none."""
    if known is None or own is None or known == own:
        return slice(None)
    if sorted(known) != sorted(own) or len(set(own)) < len(own):
        what = f"expected the {of} of the human scores, each label once, got other labels"
        raise OptionError(Problem(name, what, "Pass arrays to match by position.", "different-labels"))
    places = {label: place for place, label in enumerate(own)}
    return [places[label] for label in known]


def _labels(values: Any) -> tuple[list[str] | None, list[str] | None]:
    """Return the labels of rows and columns of a data frame."""
    columns, index = getattr(values, "columns", None), getattr(values, "index", None)
    if columns is None:
        return None, None
    return None if index is None or callable(index) else list(map(str, index)), list(map(str, columns))


def _matrix(values: Any, name: str) -> FloatArray:
    """Return an array of items and systems; NaN is a missing score."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        what = f"expected an array of numbers, got {type(values).__name__}"
        raise OptionError(Problem(printable(name), what, "", "wrong-type")) from None
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    if matrix.ndim != 2:
        what = f"expected an array of items and systems, got {matrix.ndim} dimensions"
        raise OptionError(Problem(printable(name), what, "", "wrong-shape"))
    if np.isinf(matrix).any():
        what = "expected finite scores, got an infinite one"
        raise OptionError(Problem(printable(name), what, "Use NaN for missing scores.", "not-finite"))
    return matrix


def named_metrics(metrics: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the names and scores of metrics, from mappings and arrays.

    Raises
    ------
    OptionError
        No metric.
    """
    named = [
        (str(name), scores)
        for place, one in enumerate(metrics)
        for name, scores in (
            one.items() if isinstance(one, Mapping) else [(getattr(one, "name", None) or f"metric {place + 1}", one)]
        )
    ]
    if not named:
        what = "expected human scores and at least one metric"
        raise OptionError(Problem("metrics", what, "Pass a mapping of names to arrays.", "no-metric"))
    return named
