"""Tables of ratings: several scores of an item, kept or averaged, and the defaults of formats of human evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from outscore._types import FloatArray
from outscore.data.rows import is_none
from outscore.design.registry import crossed_factors
from outscore.errors import OptionError, Problem
from outscore.options import opt
from outscore.readers.base import Conventions, Table
from outscore.readers.tabular.cells import are_mostly_numbers, scores_in, text_in
from outscore.readers.tabular.columns import SURE_SCORES, column_called, describes_items, id_column_of
from outscore.readers.tabular.labels import check_labels
from outscore.text.naming import listed, printable, quoted
from outscore.text.numbers import format_count, format_counted

if TYPE_CHECKING:
    from outscore.design.crossed import CrossedFactor
    from outscore.readers.reading import Reading
    from outscore.readers.registry import InputFiles

FEWEST_CLUSTERS = 5  # of a stratum that no user named: fewer do not determine its variance


def settled(
    tables: Mapping[str, Table], reading: Reading, files: InputFiles, paths: Sequence[str], *, several: bool
) -> tuple[Reading, list[str]]:
    """Prepare the tables in files for the question, and return the reading with notes; see `rated`.

    `tables` are by path, and `paths` all files; labels are columns of the first one, or named with their file.
    `several` tells whether there are several systems. Raise OptionError as `rated` does, and for z-scores of systems
    that are in several tables.
    """
    if reading.standardize is not None and several and len(tables) != 1:
        what = "expected one table of all systems, because z-scores need all scores of a rater, got several"
        advice = "Pass one table with a column of systems or with one column per system."
        raise OptionError(Problem(opt("standardize", reading.standardize), what, advice, "several-tables"))
    changed, notes = dict[str, object](), list[str]()
    for path, table in tables.items():
        averaged, completed, of_table = rated(table, reading)
        files.file(path).holds(averaged)
        notes += of_table
        for name in (field.name for field in fields(reading)):
            value = getattr(completed, name)
            if value is not getattr(reading, name):
                in_first = name not in ("clusters", "strata") or path == paths[0]
                changed.setdefault(name, value if in_first else f"{path}:{value}")
    return replace(reading, **changed), list(dict.fromkeys(notes))  # type: ignore[arg-type]


def rated(table: Table, reading: Reading) -> tuple[Table, Reading, list[str]]:
    """Return a table with the scores that the question needs, the reading with the defaults of its format, and notes.

    Scores of an item on several levels of a factor, such as raters, are averaged unless the factor is declared. They
    are also averaged if clusters carry the variance between levels: each rater scored one document, or each document
    has one rater, who is then the cluster. Raise OptionError if none of several tasks is named, for
    z-scores without a column of raters, or for a claim about new raters who scored some of the items on several
    documents. Raise DataError if a score to be averaged is not a number.
    """
    known = table.conventions or Conventions()
    notes = [*known.notes]
    if known.task is not None:
        table, reading = of_task(table, reading.task), replace(reading, task=None)
    for factor in (factor for factor in crossed_factors() if factor.always_shared):
        table, reading = _in_rows(table, reading, factor)
        column = _column_of(table, reading, factor, known)
        if reading.standardize == factor.plural:
            table, note = _standardized(table, reading, factor, column)
            notes.append(note)
        if column is not None:
            table, reading, note = _settled(table, reading, factor, column, known)
            notes += [note] if note else []
    strata = known.strata if reading.strata is None and reading.test_sets is None else None
    if known.clusters is not None and strata is not None:
        table, strata, note = large_strata(table, strata, known.clusters)
        notes += [note] if note else []
    reading, said_of_items = reading.by_default(clusters=known.clusters, strata=strata)
    return replace(table, conventions=None), reading, [*notes, *said_of_items]


def of_task(table: Table, task: str | Sequence[str] | None) -> Table:
    """Return the ratings of the task that the user names, or of the only one.

    Raise OptionError if there are several tasks and none is named, or the named one is missing.
    """
    column = None if table.conventions is None else table.conventions.task
    if column is None:
        return table
    of_rows = [text_in(cell) or "" for cell in table.columns[column]]
    tasks = Counter(of_rows)
    named = [task] if isinstance(task, str) else list(task or ())
    if not named and len(tasks) > 1:
        what = f"expected one task, got {len(tasks)}: {listed(list(tasks))}"
        advice = f"Pass {opt('task', next(iter(tasks)))}, for example."
        raise OptionError(Problem(printable(table.source), what, advice, "several-tasks"))
    if not named:
        return table
    if len(named) > 1 or named[0] not in tasks:
        what = f"expected one task of {printable(table.source)}, got {listed(named)}"
        raise OptionError(Problem(opt("task"), what, f"Known: {listed(list(tasks))}.", "unknown-task"))
    return table.take(place for place, of_row in enumerate(of_rows) if of_row == named[0])


def _in_rows(table: Table, reading: Reading, factor: type[CrossedFactor]) -> tuple[Table, Reading]:
    """Return a table with one row per level, if the user named a column of scores per level, separated by commas."""
    named = getattr(reading, factor.name)
    if not isinstance(named, str) or "," not in named or column_called(table, named) is not None:
        return table, reading
    columns = [column_called(table, part.strip()) for part in named.split(",")]
    if None in columns:
        return table, reading  # the error lists the columns
    scores = [str(column) for column in columns]
    others = [name for name in table.columns if name not in scores]
    cells = [
        (place, name, table.columns[name][place])
        for place in range(len(table))
        for name in scores
        if text_in(table.columns[name][place]) is not None
    ]
    places, levels, values = zip(*cells, strict=True) if cells else ((), (), ())
    rows = table.take(places)
    long = {**{name: rows.columns[name] for name in others}, factor.name: levels, "score": values}
    roles = {factor.name: factor.name, "score_column": "score"}
    return replace(rows, columns=long), replace(reading, **roles)  # type: ignore[arg-type]


def _column_of(table: Table, reading: Reading, factor: type[CrossedFactor], known: Conventions) -> str | None:
    """Return the column of a factor's levels: named, declared, standardized, or that of the format."""
    named = getattr(reading, factor.name)
    if isinstance(named, str):
        return column_called(table, named)
    is_used = getattr(reading, factor.plural) is not None or reading.standardize == factor.plural
    if factor.name in known.levels or not is_used:
        return known.levels.get(factor.name)
    return next(filter(None, (column_called(table, name) for name in factor.columns)), None)


def _standardized(table: Table, reading: Reading, factor: type[CrossedFactor], column: str | None) -> tuple[Table, str]:
    """Return a table with z-scores by level, and a note on them."""
    if column is None:
        what = f"expected a column of {factor.plural}, got none among {listed(list(table.columns))}"
        advice = f"Pass it as {opt(factor.name, 'COLUMN')}."
        raise OptionError(Problem(opt("standardize", factor.plural), what, advice, "no-levels"))
    names = _score_columns(table, reading, column)
    levels = [text_in(cell) or "" for cell in table.columns[column]]
    scores = np.column_stack([_numbers(table, name) for name in names])
    places: dict[str, list[int]] = {}
    for place, level in enumerate(levels):
        places.setdefault(level, []).append(place)
    counted = constant = 0
    for rows in places.values():
        given = scores[rows]
        known = given[np.isfinite(given)]
        if not known.size:
            continue
        counted += 1
        if np.ptp(known) == 0:  # rounding would make the standard deviation positive
            constant += 1
            scores[rows] = given - known[0]
        else:
            scores[rows] = (given - known.mean()) / known.std(ddof=1)
    columns = dict(table.columns)
    for name, z_scores in zip(names, scores.T.tolist(), strict=True):
        columns[name] = [cell if z != z else z for cell, z in zip(table.columns[name], z_scores, strict=True)]
    note = (
        f"Scores are z-scores by {factor.name} ({opt('standardize', factor.plural)}). Each of the "
        f"{format_counted(counted, factor.name)} has mean 0 and standard deviation 1. Gains are in standard "
        f"deviations of a {factor.name}, not in points of the scale."
    )
    system = column_called(table, "system")
    if system is not None and _parted([text_in(cell) or "" for cell in table.columns[system]], levels):
        note += f" Some systems share no {factor.name} with others: z-scores remove the differences between them."
    if constant:
        verb = "gives" if constant == 1 else "give"
        note += f" {format_counted(constant, factor.name)} {verb} all outputs the same score, so their z-scores are 0."
    return replace(table, columns=columns), note


def _parted(systems: Sequence[str], levels: Sequence[str]) -> bool:
    """Return whether systems fall into groups that no level connects."""
    of_levels: dict[str, set[str]] = {}
    for system, level in zip(systems, levels, strict=True):
        of_levels.setdefault(level, set()).add(system)
    groups: list[set[str]] = []
    for joined in of_levels.values():
        touched = [group for group in groups if group & joined]
        groups = [group for group in groups if not group & joined] + [joined.union(*touched)]
    return len(groups) > 1


def _score_columns(table: Table, reading: Reading, levels: str) -> list[str]:
    """Return the columns of scores: one in a long table, else one per system."""
    sure = [reading.score_column] if reading.score_column else SURE_SCORES
    named = [column for name in sure if (column := column_called(table, name)) is not None]
    others = [
        name
        for name, cells in table.columns.items()
        if name not in {"", levels}
        and not describes_items(name)
        and are_mostly_numbers(cells, len(scores_in(cells).lacking))
    ]
    return named[:1] or others


def _numbers(table: Table, name: str) -> FloatArray:
    """Return a column of scores, with NaN for cells that are not numbers."""
    numbers, lacking, _ = scores_in(table.columns[name])
    scores = np.array(numbers, dtype=np.float64)
    scores[lacking] = np.nan
    return scores


@dataclass(frozen=True)
class _Crossing:
    """How the levels of a factor are combined with the items of systems.

    Attributes
    ----------
    outputs : int
        Pairs of a system and an item.
    repeated : int
        The number of them with several scores.
    filled : float
        The proportion of all outputs and levels that have a score.
    within : bool
        Whether each level has scores in one cluster only, as if each document had raters of its own.
    around : bool
        Whether each cluster has one level, the same for all systems, as if raters shared out the documents.
    alike : bool
        Whether all systems of an item have scores of the same levels, so that levels are no part of a gain.
    """

    outputs: int
    repeated: int
    filled: float
    within: bool
    around: bool
    alike: bool

    @classmethod
    def of(cls, keys: Sequence[tuple[str, str]], levels: Sequence[str], clusters: Sequence[str] | None) -> _Crossing:
        scored = Counter(keys)
        cells = {*zip(keys, levels, strict=True)}
        named = clusters or [item for _, item in keys]
        of_items = Counter((item, level) for (_, item), level in cells)
        systems = Counter(item for _, item in scored)
        meetings, n_levels = len({*zip(named, levels, strict=True)}), len(set(levels))
        return cls(
            len(scored),
            sum(times > 1 for times in scored.values()),
            len(cells) / (len(scored) * n_levels),
            meetings == n_levels,
            meetings == len(set(named)),
            all(times == systems[item] for (item, _), times in of_items.items()),
        )


def _settled(
    table: Table, reading: Reading, factor: type[CrossedFactor], column: str, known: Conventions
) -> tuple[Table, Reading, str]:
    """Return a table in which levels that nothing is claimed of, or that clusters settle, are averaged, and a note."""
    scores = _score_columns(table, reading, column)
    system, clusters = column_called(table, "system"), reading.clusters or known.clusters
    clusters = None if is_none(clusters) else clusters
    ids = id_column_of(table, reading.id_column, beside=[column, *([system] if system else [])])
    claim = getattr(reading, factor.plural)
    averages = factor.name in known.levels or (claim is not None and clusters is not None)
    if not averages or not scores or ids is None:
        return table, reading, ""
    systems = None if system is None else table.columns[system]
    keys = [
        ("" if systems is None else text_in(systems[place]) or "", text_in(item) or "")
        for place, item in enumerate(table.columns[ids])
    ]
    levels = [text_in(cell) or "" for cell in table.columns[column]]
    of_clusters = column_called(table, clusters) if isinstance(clusters, str) else None
    labels = None if of_clusters is None else [text_in(cell) or "" for cell in table.columns[of_clusters]]
    if of_clusters is not None and of_clusters != column:
        check_labels(table, of_clusters, [item for _, item in keys])
    crossing = _Crossing.of(keys, levels, labels)
    undeclared = {factor.name: None, factor.plural: None}
    if claim == "fixed" and crossing.alike and crossing.filled < 1:
        note = f"The scores of an output are averaged over its {factor.plural}, who scored all systems of the item."
        return _averaged(table, keys, scores), replace(reading, **undeclared), note  # type: ignore[arg-type]
    if claim is not None and crossing.filled > 0.5:
        return _averaged(table, [*zip(keys, levels, strict=True)], scores), reading, ""
    ratings = _by_level(keys, levels, _numbers(table, scores[0])) if len(scores) == 1 else {}
    table = replace(_averaged(table, keys, scores), ratings=ratings)
    if claim is None:
        note = f"{format_count(crossing.repeated)} of {format_count(crossing.outputs)} outputs have several ratings, "
        return table, reading, f"{note}which are averaged." if crossing.repeated else ""
    unit = of_clusters or "cluster"
    if crossing.within:
        note = f"Each {factor.name} scored one {unit}, so new {unit}s have new {factor.plural}."
        return table, replace(reading, **undeclared), note  # type: ignore[arg-type]
    if crossing.around:
        note = f"Each {unit} has one {factor.name}, so all {unit}s of a {factor.name} are one unit"
        note += f" ({opt('clusters', column)})."
        return table, replace(reading, clusters=column, **undeclared), note  # type: ignore[arg-type]
    what = (
        f"expected {factor.plural} who scored all items, or one {unit} each, or one {factor.name} per {unit}. Others "
        f"do not show how much new {factor.plural} would change the result"
    )
    advice = f"Average the scores of each output, and omit {opt(factor.name)} and {opt(factor.plural)}."
    if crossing.alike:
        advice = f"Pass {opt(factor.plural, 'fixed')}: the claim is then about these {factor.plural}."
    raise OptionError(Problem(opt(factor.plural, claim), what, advice, "partly-crossed"))


def _by_level(
    keys: Sequence[tuple[str, str]], levels: Sequence[str], numbers: FloatArray
) -> dict[tuple[str, str], list[float]]:
    """Return the mean of each level for each key."""
    ratings: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key, level, number in zip(keys, levels, numbers.tolist(), strict=True):
        if number == number:
            ratings.setdefault(key, {}).setdefault(level, []).append(number)
    return {key: [sum(scores) / len(scores) for scores in of_key.values()] for key, of_key in ratings.items()}


def _averaged(table: Table, keys: Sequence[object], scores: Sequence[str]) -> Table:
    """Return a table with one row per key, whose scores are the means of each column."""
    places: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    if len(places) == len(keys):
        return table
    rows = table.take(group[0] for group in places.values())
    means: dict[str, Sequence[object]] = {}
    for score in scores:
        numbers, cells = _numbers(table, score), table.columns[score]
        means[score] = [
            cells[group[0]] if np.isnan(numbers[group]).all() else float(np.nanmean(numbers[group]))
            for group in places.values()
        ]
    return replace(rows, columns={**rows.columns, **means})


def large_strata(table: Table, strata: str, clusters: str) -> tuple[Table, str | None, str]:
    """Return a table whose small strata are merged with the smallest others, their column, and a note."""
    labels = [text_in(cell) or "" for cell in table.columns[strata]]
    of_clusters = dict(zip((text_in(cell) or "" for cell in table.columns[clusters]), labels, strict=True))
    sizes, merged = Counter(of_clusters.values()), {name: name for name in labels}
    small = [name for name, size in sizes.items() if size < FEWEST_CLUSTERS]
    while len(sizes) > 1 and min(sizes.values()) < FEWEST_CLUSTERS:
        first, second = sorted(sizes, key=lambda name: (sizes[name], name))[:2]
        joined = f"{first} + {second}"
        sizes[joined] = sizes.pop(first) + sizes.pop(second)
        merged = {name: joined if new_name in (first, second) else new_name for name, new_name in merged.items()}
    if len(sizes) == 1:
        return table, None, ""
    if not small:
        return table, strata, ""
    has = "has" if len(small) == 1 else "have"
    counted = f"{listed(small)} {has} fewer than {FEWEST_CLUSTERS} {clusters}s, too few"
    joined = ", ".join(quoted(name) for name in dict.fromkeys(merged[name] for name in small))
    note = f"{strata.capitalize()} {counted} to estimate a variance. The macro average counts {joined} as one {strata}."
    return replace(table, columns={**table.columns, strata: [merged[name] for name in labels]}), strata, note
