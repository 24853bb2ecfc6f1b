"""A study: which items one system alone gets best. Its result, question, document and picture stand in this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from outscore.design.scores import Scores
from outscore.reports import KINDS, ResultKind
from outscore.reports.documents import Document, Table, name, overview
from outscore.reports.figures import LOOKS, Figure, Mark, Panel, Scale, Series
from outscore.results.record import Version, doc, record, table
from outscore.results.shown import Shown
from outscore.text.numbers import format_counted


@record
class LonelyWins:
    """One system."""

    system: str = doc("Its name.")
    items: int = doc("On how many items its score is better than those of all others.")


@record
class WinsStudy(Shown):
    """How many items one system alone gets best."""

    schema: ClassVar = "example/study-wins/1"

    systems: tuple[LonelyWins, ...] = doc("In the order of the scores.")
    n_items: int = doc("The items of the test set.")
    version: Version

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return one row a system."""
        return table("system items", [(one,) for one in self.systems])


def study_wins(scores: Scores) -> WinsStudy:
    """Return on how many items each system alone is best, of scores as `outscore.read` makes them."""
    from outscore import __version__

    metric, rows = scores.metrics[0], scores.rows[0]
    own = np.array([metric.item_scores(system.values) for system in rows], dtype=np.float64)
    own = own if metric.higher_is_better else -own
    best = own == own.max(axis=0)
    alone = (best & (best.sum(axis=0) == 1)).sum(axis=1)
    wins = tuple(LonelyWins(*pair) for pair in zip(scores.names, alone.tolist(), strict=True))
    return WinsStudy(wins, scores.design.n_items, __version__)


def wins_document(study: WinsStudy) -> Document:
    """Return what a report says of the study, in whatever format."""
    most = max(study.systems, key=lambda one: one.items)
    lead = f"{name(most.system)} alone is best on {most.items} of {format_counted(study.n_items, 'item')}."
    rows = tuple((name(one.system), str(one.items)) for one in study.systems)
    return overview(
        "Lonely wins",
        (lead,),
        (Table(("system", "items"), rows, frozenset({1})),),
        (),
        warnings=(),
        signature=f"study:wins|n:{study.n_items}",
        version=study.version,
        caption="Items that one system alone gets best.",
    )


def wins_figure(study: WinsStudy) -> Figure:
    """Return what is drawn of the study, on pages and charts."""
    marks = tuple(Mark(one.items, row, f"{one.system}: {one.items}") for row, one in enumerate(study.systems))
    names = tuple(one.system for one in study.systems)
    return Figure(
        "Lonely wins", (), Scale("items"), Scale("", names=names), (Panel("", (Series("items", LOOKS[0], marks),)),)
    )


KINDS[f"{__name__}:WinsStudy"] = ResultKind(f"{__name__}:wins_document", f"{__name__}:wins_figure")
