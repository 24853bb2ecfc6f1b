"""The items behind a result: wins, losses and ties, with the questions, references and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outscore.data.arguments import typed
from outscore.data.coercion import place_of, whole
from outscore.design.scores import Scores
from outscore.errors import DataError, OptionError, Problem
from outscore.metrics.options import describe_metric
from outscore.questions.item_tables import KnownItems, ScoredItems
from outscore.results import ItemTable, Ranking, Rankings
from outscore.results.comparisons import MetricDescription
from outscore.results.items import MOST_ITEMS
from outscore.results.shown import Target, items_known_to, native_frame, written
from outscore.text.naming import listed, quoted

_MOST = 200
_IN_TEXT = 10


@dataclass(frozen=True, eq=False)
class ExploredItems:
    """The items of a candidate and the baseline on one metric.

    Attributes
    ----------
    table : ItemTable
        All items, in the order of the test set.
    """

    baseline: str
    candidate: str
    metric: MetricDescription
    table: ItemTable


@dataclass(frozen=True, eq=False, repr=False)
class Exploration:
    """The items of a result. A notebook shows them as a table to search and sort, with the largest losses first.

    Attributes
    ----------
    views : tuple of ExploredItems
        One per metric and candidate.
    most : int
        Maximum number of items in a notebook, over all comparisons.
    """

    views: tuple[ExploredItems, ...]
    most: int = _MOST

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row per item of each comparison, in the order of the test set, all with the same keys."""
        return [
            {
                "metric": view.metric.spec,
                "baseline": view.baseline,
                "candidate": view.candidate,
                "test_set": _at(view.table.test_sets, index),
                "item": item,
                "baseline_score": _at(view.table.baseline_scores, index),
                "candidate_score": _at(view.table.candidate_scores, index),
                "difference": _at(view.table.differences, index),
                "source": _at(view.table.sources, index),
                "reference": "\n".join(_at(view.table.references, index) or ()) or None,
                "baseline_output": _at(view.table.baseline_outputs, index),
                "candidate_output": _at(view.table.candidate_outputs, index),
            }
            for view in self.views
            for index, item in enumerate(view.table.item_ids)
        ]

    def to_dataframe(self, *, backend: Any = None) -> Any:
        """Return all items as a data frame; see `records`.

        Parameters
        ----------
        backend : str or module, optional
            Such as "pandas" or "polars". By default the library that the program has imported.

        Raises
        ------
        MissingDependencyError
            If no data frame library is installed.
        """
        rows = self.records()
        return native_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_html(self, path: Target = None) -> str:
        """Return a self-contained HTML page of up to 20,000 items per comparison; with a path, also write it there.

        Raises
        ------
        FileAccessError
            If the file cannot be written.
        """
        from outscore.reports.html.explored import items_to_html

        return written(items_to_html(self.views, [view.table for view in self.views]), path)

    def __repr__(self) -> str:
        from outscore.reports.documents.items import items_document
        from outscore.reports.text import documents_to_text

        return documents_to_text([items_document(view, view.table, _IN_TEXT) for view in self.views]).rstrip("\n")

    def _repr_html_(self) -> str:
        from outscore.reports.html.explored import items_in_notebook

        return items_in_notebook(self.views, [view.table for view in self.views], self.most)


@typed
def explore(
    result: object, *systems: str, metric: str | None = None, test_set: str | None = None, most: int = _MOST
) -> Exploration:
    """Return the items behind a result: wins, losses and ties of the candidate, with texts.

    Only the result object returned by `compare`, `gate` or `rank` has items. Copies and pickles do not. Texts are
    available if outputs with references, or logs, were compared. Logs are read again for them.

    Parameters
    ----------
    result : result or Scores
        The result of `compare`, `gate` or `rank`, one of its comparisons, or `Scores` from `read`.
    *systems : str
        Names of candidates. By default all. For a ranking or `Scores`, the names of baseline and candidate. By default
        the best system of a ranking against the second, or the second system of `Scores` against the first.
    metric, test_set : str, optional
        One metric or dataset. By default all.
    most : int
        Maximum number of items in a notebook, over all comparisons, at least 1: those that changed most. There are
        fewer if texts are long. HTML pages and data frames have all items.

    Raises
    ------
    OptionError
        If a system, metric or dataset is unknown, or an argument is out of range.
    DataError
        If the result has no items.

    Examples
    --------
    >>> from outscore import compare
    >>> result = compare([1, 0, 0, 1, 0, 1], [1, 1, 0, 0, 1, 1], metric="accuracy", names=["old", "new"])
    >>> items = explore(result)
    >>> items.views[0].table.differences
    [0.0, 1.0, 0.0, -1.0, 1.0, 0.0]
    >>> print(repr(items).splitlines()[0])
    new against old, accuracy: 2 wins, 1 loss, 3 ties on 6 items.
    """
    most = whole(most, "most")
    if most < 1:
        raise OptionError(Problem("most", f"expected at least 1, got {most}", "", "out-of-range"))
    known = KnownItems(ScoredItems(result)) if isinstance(result, Scores) else items_known_to(result)
    if known is None:
        what = "this result has no items"
        advice = "Pass the object that compare, gate or rank returned in this process, not a copy."
        raise DataError(Problem("explore", what, advice, "no-items"))
    scores: Scores = known.items.scores
    pairs = known.pairs if known.pairs else _pairs(result, scores, systems)
    if metric is not None:
        index = scores.place_of(metric)
        of_result = {on_metric: scores.metrics[on_metric].name for on_metric, _, _ in pairs}
        if index not in of_result:
            what = f"this result has no metric {quoted(scores.metrics[index].name)}"
            raise OptionError(Problem("metric", what, f"Known: {listed([*of_result.values()])}.", "unknown-metric"))
        pairs = tuple(pair for pair in pairs if pair[0] == index)
    if known.pairs and systems:
        candidates = [candidate for _, _, candidate in pairs]
        names = [scores.names[candidate] for candidate in candidates]
        chosen = {candidates[place_of(str(name), names, argument="explore")] for name in systems}
        pairs = tuple(pair for pair in pairs if pair[2] in chosen)
    views = []
    for index in dict.fromkeys(index for index, _, _ in pairs):
        of_metric = [(baseline, candidate) for on_metric, baseline, candidate in pairs if on_metric == index]
        tables = known.items.tables(index, of_metric, MOST_ITEMS)
        for (baseline, candidate), table in zip(of_metric, tables, strict=True):
            if test_set is not None:
                table = _on(table, test_set)
            described = describe_metric(scores.metrics[index])
            views.append(ExploredItems(scores.names[baseline], scores.names[candidate], described, table))
    return Exploration(tuple(views), most)


def _pairs(result: object, scores: Scores, systems: Sequence[str]) -> tuple[tuple[int, int, int], ...]:
    """Return any two systems on all metrics."""
    if systems and len(systems) != 2:
        what = f"expected two systems (baseline and candidate), got {len(systems)}"
        raise OptionError(Problem("explore", what, "Pass both, or none for the default.", "usage"))
    if len(scores) < 2:
        raise OptionError(
            Problem("explore", "expected scores of two systems, got one", "Pass another system.", "no-candidate")
        )
    metrics = range(len(scores.metrics))
    if systems or not isinstance(result, Ranking | Rankings):
        pair = systems or scores.names[:2]
        baseline, candidate = (place_of(str(name), scores.names, argument="explore") for name in pair)
        return tuple((metric, baseline, candidate) for metric in metrics)
    rankings = result.results if isinstance(result, Rankings) else (result,)
    best = [[scores.names.index(system.name) for system in ranking.systems[:2]] for ranking in rankings]
    return tuple((metric, second, first) for metric, (first, second) in zip(metrics, best, strict=True))


def _on(table: ItemTable, test_set: str) -> ItemTable:
    """Return the items of one test set."""
    names = list(dict.fromkeys(table.test_sets or ()))
    if test_set not in names:
        advice = f"Known: {listed(names)}." if names else "There is only one dataset."
        raise OptionError(Problem("test_set", f"unknown dataset {quoted(str(test_set))}", advice, "unknown-value"))
    return table.on([index for index, name in enumerate(table.test_sets or ()) if name == test_set])


def _at(column: Sequence[Any] | None, index: int) -> Any:
    return None if column is None else column[index]
