"""Drawings of rankings: scores and groups, gains against confidence, and the p-values of all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.reports.figures import LOOKS, Cell, Cells, Figure, Form, Level, Look, Mark, Panel, Scale, Series, p_levels
from outscore.results import Correction, RankedPair, Ranking, format_corrected_p
from outscore.text.naming import printable
from outscore.text.numbers import format_exactly
from outscore.words.rankings import AMONG_BEST, CORRECTIONS, matrix_title, not_drawn, p_levels_said, p_values

MOST_PAIRS = 4500  # those of 95 systems; of more some are shown
MOST_IN_MATRIX, MOST_SCORES = 60, 200  # systems
FAMILIES: dict[bool | None, tuple[str, Look]] = {
    False: ("different families", LOOKS[0]),
    True: ("same family", LOOKS[1]),
    None: ("family not known", LOOKS[-1]),
}


def ranking_figure(ranking: Ranking, kind: str, *, alone: bool) -> Figure:
    """Return the scores, the gains or the p-values of a ranking."""
    del alone
    return {"scores": score_figure, "gains": gain_figure, "p-values": matrix_figure}[kind](ranking)


def score_figure(ranking: Ranking) -> Figure:
    """Return scores with their intervals, the best first, and the letters of their groups.

    Systems with filled marks are not significantly worse than the best by the corrected tests; systems with hollow
    marks are. At most 200 systems are drawn, the best ones.
    """
    scores, scale, shown = ranking.score_format, ranking.metric.factor, ranking.systems[:MOST_SCORES]
    series: dict[bool, list[Mark]] = {True: [], False: []}
    for row, system in enumerate(shown):
        if math.isfinite(system.score):
            low, high = (
                end * scale if math.isfinite(end) else None for end in (system.interval.low, system.interval.high)
            )
            family = f" ({printable(system.family)})" if system.family is not None else ""
            number = scores.score(system.score)
            label = f"{printable(system.name)}{family}: {number}, groups {system.group}"
            mark = Mark(system.score * scale, row, label, low, high, aside=system.group, number=number)
            series[system.among_best].append(mark)
    systems = ranking.systems
    parted = tuple(i for i in range(1, len(shown)) if systems[i].cluster != systems[i - 1].cluster)
    return Figure(
        "Scores and groups",
        (f"{systems[0].interval.level} intervals; letters: groups",),
        Scale(printable(ranking.metric.heading)),
        Scale("", names=tuple(printable(system.name) for system in shown), parted=parted),
        (
            Panel(
                "",
                tuple(
                    Series(AMONG_BEST[best], LOOKS[0], tuple(marks), hollow=not best)
                    for best, marks in series.items()
                    if marks
                ),
                stacked=False,
            ),
        ),
        nothing=not_drawn("scores"),
    )


def readable_pairs(ranking: Ranking) -> Sequence[RankedPair]:
    """Return the pairs that a page shows, in their order: all, or so many as a person can read.

    Those of neighbours in the order of scores, of the best system with every other, and of the best systems with each
    other.
    """
    s = len(ranking.systems)
    if len(ranking.pairs) <= MOST_PAIRS:
        return ranking.pairs
    places = {system.name: index for index, system in enumerate(ranking.systems)}
    columns = ranking.pair_columns.columns
    better, worse = ([places[name] for name in columns[side]] for side in ("candidate", "baseline"))
    first, second = np.minimum(better, worse), np.maximum(better, worse)
    chosen = (second - first == 1) | (first == 0) | (second < min(s, MOST_IN_MATRIX))
    return [ranking.pairs[number] for number in np.flatnonzero(chosen).tolist()]


def gain_figure(ranking: Ranking, correction: Correction = Correction.NONE) -> Figure:
    """Return gain against confidence, 1 − p, by family (BK12, Figure 2, where p-values are uncorrected)."""
    scale, scores = ranking.metric.factor, ranking.score_format
    marks: dict[bool | None, list[Mark]] = {}
    for index, pair in enumerate(readable_pairs(ranking)):
        if math.isfinite(pair.gain):
            label = (
                f"{printable(pair.candidate)} over {printable(pair.baseline)}: gain {scores.gain(pair.gain)}, "
                f"p {format_corrected_p(ranking, pair, correction)}"
            )
            mark = Mark(pair.gain * scale, 1 - pair.corrected(correction), label, place=index)
            marks.setdefault(pair.same_family, []).append(mark)
    level = 1 - ranking.alpha
    return Figure(
        "Gain against confidence",
        (p_values(correction),),
        Scale(printable(ranking.metric.gain_heading), Form.GAIN, low=0.0),
        Scale("1 − p", low=0.0, high=1.0),
        (Panel("", tuple(Series(*kind, tuple(marks[same])) for same, kind in FAMILIES.items() if same in marks)),),
        levels=(Level(level, level, f"1 − α = {format_exactly(level)}"),),
        nothing=not_drawn("gains"),
    )


def matrix_figure(ranking: Ranking, correction: Correction | None = None) -> Figure:
    """Return the p-values of all pairs as shaded cells, the better system to the left; of many systems of the best.

    The correction is by default that of the ranking.
    """
    chosen, bounds = correction or ranking.correction, p_levels(ranking.alpha)
    shown = ranking.systems if len(ranking.pairs) <= MOST_PAIRS else ranking.systems[:MOST_IN_MATRIX]
    places = {system.name: index for index, system in enumerate(shown)}
    cells = []
    for k, pair in enumerate(readable_pairs(ranking)):
        if pair.candidate not in places or pair.baseline not in places:
            continue
        p = 1.0 if pair.opposed else pair.corrected(chosen)
        # Of systems that score the same either may stand first.
        row, column = sorted((places[pair.candidate], places[pair.baseline]))
        label = format_corrected_p(ranking, pair, chosen)
        cells.append(Cell(row, column, sum(p <= bound for bound in bounds), label, k))
    how = "uncorrected" if chosen is Correction.NONE else f"{CORRECTIONS[chosen]}-corrected"
    return Figure(
        matrix_title(len(shown), len(ranking.systems)),
        (how,),
        Scale(""),
        Scale(""),
        (),
        cells=Cells(
            tuple(printable(system.name) for system in shown),
            tuple(cells),
            p_levels_said(bounds),
            how,
            len(ranking.pairs),
        ),
    )
