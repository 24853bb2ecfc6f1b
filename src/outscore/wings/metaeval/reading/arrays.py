"""Human and metric scores from arrays and data frames of items and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outscore._types import FloatArray
from outscore.data.coercion import described, wrong
from outscore.data.rows import is_none
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.text.naming import printable
from outscore.wings.metaeval.judgements import Judgements
from outscore.wings.metaeval.reading.sources import Key, Source, check_length, joined


def judgements_from(human: Any, metrics: Sequence[tuple[str, Any]], clusters: object = None) -> list[Judgements]:
    """Return the judgements of arrays of equal shapes, by position, or of data frames, by their equal labels."""
    values = _matrix(human, "human")
    n, s = values.shape
    systems = list(map(str, getattr(human, "columns", (f"system {number + 1}" for number in range(s)))))
    index = human.index if hasattr(human, "reindex") else range(n)  # only pandas has labels of rows
    keys, documents = [Key("", str(item)) for item in index], {}
    if clusters is not None and not is_none(clusters):
        if isinstance(clusters, str) or not hasattr(clusters, "__len__"):
            raise wrong(opt("clusters"), "one cluster per item, or none", clusters)
        check_length(opt("clusters"), "one cluster per item", len(clusters), n)
        labels = np.asarray(clusters, dtype=object).tolist()
        documents = {key: "" if label is None else str(label) for key, label in zip(keys, labels, strict=True)}
    sources = []
    for name, given in metrics:
        called, scores = printable(name), _in_order_of(human, given, printable(name))
        matrix = _matrix(scores, name)
        if matrix.shape != values.shape:
            what = f"expected an array of shape {values.shape}, as the human scores, got {matrix.shape}"
            raise OptionError(Problem(called, what, "Rows are items, columns are systems.", "wrong-shape"))
        sources.append(Source(called, called, systems, keys, matrix.T))
    return joined(Source("human", "human", systems, keys, values.T, documents), sources)


def _in_order_of(human: Any, scores: Any, name: str) -> Any:
    """Return the rows and columns of a data frame in the order of another one."""
    axes = [axis_name for axis_name in ("columns", "index") if hasattr(human, axis_name) and hasattr(scores, axis_name)]
    for axis in axes if hasattr(human, "columns") and hasattr(scores, "columns") else ():
        human_labels, labels = list(getattr(human, axis)), list(getattr(scores, axis))
        if human_labels == labels:
            continue
        if {*human_labels} != {*labels} or len({*labels}) < len(labels) or len(human_labels) != len(labels):
            what = f"expected the {axis} of the human scores, each label once, got other labels"
            raise OptionError(Problem(name, what, "Pass arrays to match by position.", "different-labels"))
        scores = scores[human_labels] if axis == "columns" else scores.loc[human_labels]
    return scores


def _matrix(values: Any, name: str) -> FloatArray:
    """Return an array of items and systems; NaN is a missing score."""
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        what = f"expected an array of numbers, got {described(values)}"
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
    """Return the names and scores of metrics, at least one, from mappings and arrays."""
    named = [
        (str(name), scores)
        for index, metric in enumerate(metrics)
        for name, scores in (
            metric.items()
            if isinstance(metric, Mapping)
            else [(getattr(metric, "name", None) or f"metric {index + 1}", metric)]
        )
    ]
    if not named:
        what = "expected human scores and at least one metric"
        raise OptionError(Problem("metrics", what, "Pass a mapping of names to arrays.", "no-metric"))
    return named
