"""The items of a comparison: their scores and texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outscore.data.rows import Rows
from outscore.design.scores import Scores, Systems
from outscore.metrics import AnyMetric
from outscore.results.shown import Shown, let_know_items

if TYPE_CHECKING:
    from outscore.data.items import ItemTexts, Texts
    from outscore.results import ItemTable


def item_table(metric: AnyMetric, baseline: Rows, candidate: Rows) -> ItemTable:
    """Return the items of a comparison whose systems are aligned item by item."""
    from outscore.results import ItemTable

    before, after = metric.item_scores(baseline.values), metric.item_scores(candidate.values)
    ids = baseline.item_ids or tuple(map(str, baseline.lines or range(1, len(baseline) + 1)))
    if before is None or after is None:
        return ItemTable(ids)
    sign = 1.0 if metric.higher_is_better else -1.0
    return ItemTable(ids, before.tolist(), after.tolist(), (sign * (after - before)).tolist())


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """Scores of systems, with functions that collect the texts of their items on demand."""

    scores: Scores
    # See `Systems`. Its last outputs belong to the last systems.
    texts: Callable[[], Sequence[Texts | None]] | None = None
    read_texts: Callable[[Collection[str]], Mapping[str, Mapping[str, ItemTexts]]] | None = None  # see `Systems`

    @classmethod
    def of(cls, systems: Systems, scores: Scores) -> ScoredItems:
        """Return the scores of systems with their texts."""
        return cls(scores, systems.texts, systems.read_texts)

    def tables(self, metric: int, pairs: Sequence[tuple[int, int]], most: int) -> list[ItemTable]:
        """Return all items of pairs of systems, with texts if these are known.

        Metric, baselines and candidates are given by their places. At most `most` items per pair, those with the
        largest changes, have texts that are read from logs.
        """
        scores, design = self.scores, self.scores.design
        rows = scores.rows[metric]
        tables = [item_table(scores.metrics[metric], rows[baseline], rows[candidate]) for baseline, candidate in pairs]
        if design.test_sets is not None:
            of_sets = [design.test_set_names[code] for code in design.test_sets]
            tables = [replace(table, test_sets=of_sets) for table in tables]
        texts = None if self.texts is None else self.texts()[metric]
        if texts is not None:
            outputs = [*[None] * (len(scores) - len(texts.outputs)), *texts.outputs]
            tables = [
                replace(
                    table,
                    sources=texts.sources,
                    references=texts.references,
                    baseline_outputs=outputs[baseline],
                    candidate_outputs=outputs[candidate],
                )
                for table, (baseline, candidate) in zip(tables, pairs, strict=True)
            ]
        return tables if self.read_texts is None else self._with_logged(tables, pairs, most)

    def _with_logged(self, tables: Sequence[ItemTable], pairs: Sequence[tuple[int, int]], most: int) -> list[ItemTable]:
        """Return tables with the texts from logs of the items that changed most."""
        from outscore.data.items import ItemTexts

        assert self.read_texts is not None
        unknown = ItemTexts()
        ids = tables[0].item_ids
        read = self.read_texts({ids[index] for table in tables for index in table.most_changed(most)})
        by_system = [
            [read.get(name, {}).get(item, unknown) for item in ids] if name in read else None
            for name in self.scores.names
        ]
        known_texts = next((texts for texts in by_system if texts is not None), [])
        inputs, targets = _known(text.input for text in known_texts), _known(text.target for text in known_texts)
        outputs = [None if texts is None else _known(text.answer for text in texts) for texts in by_system]
        return [
            replace(
                table,
                sources=inputs,
                references=None if targets is None else [(target,) for target in targets],
                baseline_outputs=outputs[baseline],
                candidate_outputs=outputs[candidate],
            )
            for table, (baseline, candidate) in zip(tables, pairs, strict=True)
        ]


def _known(texts: Iterable[str | None]) -> list[str] | None:
    written = [text or "" for text in texts]
    return written if any(written) else None


@dataclass(frozen=True, eq=False)
class KnownItems:
    """The items attached to a result."""

    items: ScoredItems
    # The places of metric, baseline and candidate of each comparison. Empty if any two systems may be compared.
    pairs: tuple[tuple[int, int, int], ...] = ()


def know_pair(result: Shown, items: ScoredItems) -> None:
    """Attach the items of two systems, the baseline first, on all metrics to a result."""
    let_know_items(result, KnownItems(items, tuple((index, 0, 1) for index in range(len(items.scores.metrics)))))
