"""Tables of judges whose verdicts are nested: the outputs of JudgeBench, LLMBar and RewardBench, as plain tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from outscore.data.verdicts import word_value
from outscore.readers.base import Table
from outscore.readers.tabular.columns import column_called

_ORDERS = ("AB", "BA")
GOLD_IS_FIRST = (
    "The chosen answer of each pair counts as correct, so raw agreement is accuracy. "
    "Kappa and alpha are not informative."
)


class _Verdict(NamedTuple):
    """A verdict of a record: its order, the verdict on answers (not places), and the judge."""

    order: str
    verdict: object
    judge: object = None


def unnested(table: Table) -> tuple[Table, Mapping[str, str], Sequence[str]] | None:
    """Return a table with a row per verdict, its columns by role, and notes; None for tables that are not nested.

    JudgeBench writes a list of judgments, the second with the answers swapped, whose decisions name places. LLMBar
    writes a list of results, of which the last is final, with a winner in each order that names the answer. RewardBench
    writes whether the chosen answer had the higher reward.
    """
    if {"results", "scores_chosen", "scores_rejected"} <= table.columns.keys():
        return _of_rewards(table)
    for name, key, read in (("judgments", "decision", _of_judge_bench), ("results", "winner", _of_llm_bar)):
        column = column_called(table, name)
        cell = None if column is None else next((cell for cell in table.columns[column] if cell), None)
        if column is not None and isinstance(cell, list) and any(map(read, [cell])):
            return _unfolded(table, column, f"{column}.{key}", read)
    return None


def _unfolded(
    table: Table, column: str, called: str, read: Callable[[Any], Sequence[_Verdict]]
) -> tuple[Table, Mapping[str, str], Sequence[str]]:
    verdicts = [(index, verdict) for index, cell in enumerate(table.columns[column]) for verdict in read(cell)]
    rows = table.take(row for row, _ in verdicts)
    columns = {name: cells for name, cells in rows.columns.items() if name != column}
    columns |= {called: [verdict.verdict for _, verdict in verdicts]}
    roles = {"verdict": called}
    if len({verdict.order for _, verdict in verdicts}) > 1:
        columns["order"], roles["order"] = [verdict.order for _, verdict in verdicts], "order"
    if (gold := column_called(table, "label")) is not None:
        roles["human"] = gold
    named, models = rows.columns.get("judge_name"), [verdict.judge for _, verdict in verdicts]
    if any(models):
        names = named or [None] * len(models)
        columns["judge"] = [
            ", ".join(str(judge_name) for judge_name in both if judge_name) for both in zip(names, models, strict=True)
        ]
        roles["judge"] = "judge"
    item = next((name for name in ("pair_id", "item", "id") if column_called(table, name) is not None), None)
    if item is None:
        columns["row"] = [str(row + 1) for row, _ in verdicts]
    roles["item"] = item or "row"
    return replace(rows, columns=columns), roles, ()


def _of_judge_bench(cell: Any) -> list[_Verdict]:
    """Return the verdicts in a cell of JudgeBench's judgments; none of other cells."""
    return [*_decisions(cell)] if isinstance(cell, list) and len(cell) <= len(_ORDERS) else []


def _decisions(cell: Sequence[Any]) -> Iterator[_Verdict]:
    mirrored = {1.0: "B>A", 0.0: "A>B"}
    for order, decision in zip(_ORDERS, cell, strict=False):
        if isinstance(decision, Mapping) and "decision" in decision:
            text = decision["decision"] if isinstance(decision["decision"], str) else None
            value = None if text is None or order == "AB" else word_value(text)
            inner = decision.get("judgment")
            judge = inner.get("judge_model") if isinstance(inner, Mapping) else None
            yield _Verdict(order, text if value is None else mirrored.get(value, text), judge)


def _of_llm_bar(cell: Any) -> list[_Verdict]:
    """Return the verdicts in a cell of LLMBar's results; none of other cells."""
    last = cell[-1] if isinstance(cell, list) and cell else None
    results = [last.get(f"swap = {swap}") for swap in (False, True)] if isinstance(last, Mapping) else []
    both = zip(_ORDERS, results, strict=False)
    return [_Verdict(order, result.get("winner")) for order, result in both if isinstance(result, Mapping)]


def _of_rewards(table: Table) -> tuple[Table, Mapping[str, str], Sequence[str]]:
    n = len(table)
    columns = {**table.columns, "right": ["1"] * n}
    roles = {"verdict": "results", "human": "right"}
    if column_called(table, "id") is None:
        columns["row"], roles["item"] = [str(number + 1) for number in range(n)], "row"
    if (model := column_called(table, "model")) is not None:
        roles["judge"] = model
    return replace(table, columns=columns), roles, (GOLD_IS_FIRST,)
