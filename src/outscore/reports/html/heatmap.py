"""P-values of all pairs as a table whose cells are shaded."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.naming import printable
from outscore.numbers import format_exactly
from outscore.reports.html.elements import Content, Element, tag
from outscore.reports.html.page import boxed
from outscore.reports.rankings.wording import CORRECTIONS, corrected, corrections_of
from outscore.results import Correction, RankedPair, Ranking, format_corrected_p

__all__ = ["FEW", "MARKS", "correction_switch", "heat_caption", "heat_figure", "level", "levels"]

MARKS = ("·", "*", "**", "***")  # of levels, for whom shades do not tell enough
# Systems: up to the first p-values themselves stand in the cells, beyond the second cells are small, beyond the last so
# small that only their shades show.
FEW, MANY, MOST = 14, 30, 70


def levels(alpha: float) -> tuple[float, float, float]:
    """Return the bounds of the shades: α, a fifth and a fiftieth of it; 0.05, 0.01 and 0.001 for α = 0.05."""
    return (alpha, alpha / 5, alpha / 50)


def level(p: float, bounds: Sequence[float]) -> int:
    """Return how many of the bounds a p-value reaches."""
    return sum(p <= bound for bound in bounds)


def correction_switch(ranking: Ranking, prefix: str, chosen: Correction) -> Element:
    """Return the switch between corrections of one figure; it does something where a script runs."""
    options = [
        tag(
            "label",
            tag("input", type="radio", name=f"{prefix}-correction", value=each.value, checked=each == chosen),
            tag("span", CORRECTIONS[each]),
        )
        for each in corrections_of(ranking)
    ]
    choice = tag("fieldset", tag("legend", "Correction"), options, class_="choice corrections")
    return tag("div", choice, class_="tools scripted", hidden=True)


def heat_caption(correction: Correction) -> str:
    """Say what the cells are, under a correction."""
    return (
        "Each cell is a pair: the system of its row scores at least as well as that of its column. "
        f"p-values {corrected(correction)}."
    )


def heat_figure(ranking: Ranking, prefix: str) -> Content:
    """Return the heat map with its legend. Rows are the better, columns the worse system of a pair."""
    bounds, names = levels(ranking.alpha), [printable(system.name) for system in ranking.systems]
    of = {(pair.candidate, pair.baseline): (k, pair) for k, pair in enumerate(ranking.pairs)}
    plain = len(names) <= FEW
    columns = [tag("th", tag("span", name), scope="col", title=name) for name in names[1:]]
    rows = []
    for i, system in enumerate(ranking.systems[:-1]):
        cells: list[Content] = []
        for other in ranking.systems[i + 1 :]:
            # Of systems that score the same either may stand first.
            k, pair = of.get((system.name, other.name)) or of[other.name, system.name]
            cells.append(_cell(ranking, k, pair, bounds, plain=plain))
        # Names stand beside the diagonal, so that the eye need not cross the empty half; where windows are narrow, the
        # cell that heads the row shows its name instead, and stays in sight.
        head = tag("th", tag("span", names[i]), scope="row", title=names[i])
        beside = tag("td", tag("span", names[i]), class_="beside-diagonal", aria_hidden="true", colspan=i + 1)
        rows.append(tag("tr", head, beside, cells))
    kind = (
        "plain-p"
        if plain
        else "marks"
        if len(names) <= MANY
        else "marks dense"
        if len(names) <= MOST
        else "marks dense tiny"
    )
    table = tag(
        "table",
        tag("caption", "p-values of all pairs, the better system to the left", class_="unseen"),
        tag("thead", tag("tr", tag("td"), tag("td"), columns)),
        tag("tbody", rows),
        class_=f"heat {kind}",
        id=f"{prefix}-heat",
    )
    return [
        correction_switch(ranking, f"{prefix}-heat", ranking.correction),
        _legend(bounds),
        boxed("p-values of all pairs", table, class_="heat-box"),
        tag("p", heat_caption(ranking.correction), class_="note", data_caption=""),
    ]


def _cell(ranking: Ranking, k: int, pair: RankedPair, bounds: Sequence[float], *, plain: bool) -> Element:
    p = pair.corrected(ranking.correction)
    reached = level(p, bounds)
    text = format_corrected_p(ranking, pair, ranking.correction) if plain else MARKS[reached]
    return tag("td", text, class_=f"l{reached}", data_pair=k)


def _legend(bounds: Sequence[float]) -> Element:
    written = [format_exactly(bound) for bound in bounds]
    texts = [f"p > {written[0]}: not significant", *(f"p ≤ {bound}" for bound in written)]
    return tag(
        "ul",
        [tag("li", tag("i", MARKS[k], class_=f"l{k}"), text) for k, text in enumerate(texts)],
        class_="legend levels",
    )
