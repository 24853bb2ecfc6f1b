"""Systems that each are in a file, a column or an object of their own: outputs, cached rows, and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from outscore.data.coercion import place_of, wrong
from outscore.data.pairing import align, merged
from outscore.data.rows import Labels, Rows
from outscore.design.missing import Missing
from outscore.design.scores import Systems
from outscore.design.settling import Declaration
from outscore.errors import DataError, FileAccessError, OutscoreError, Problem
from outscore.metrics import AnyMetric, ColumnMetric
from outscore.metrics.base import AnyOutputMetric
from outscore.options import opt
from outscore.readers.base import Table
from outscore.readers.reading import Reading, Work, column_metrics
from outscore.readers.registry import InputFiles, format_named
from outscore.readers.sources import Source, called
from outscore.readers.tabular.columns import column_called, is_id, score_columns_of
from outscore.readers.tabular.tables import ColumnRoles, Items, rows_of_table, table_at
from outscore.text.naming import printable

if TYPE_CHECKING:
    from outscore.readers.outputs import OutputReader
    from outscore.readers.tabular.guesses import Part

# Errors of texts or files of tags that are read as scores.
_TEXT_SLUGS = {"blank-line", "duplicate-column", "not-csv", "ragged-row", "which-column"}
# Options of score tables, and why they do not apply to outputs.
_NOT_FOR_OUTPUTS = {
    "lower_is_better": "metrics of outputs define their direction",
    "id_column": "outputs are paired by the ids in their files, or line by line",
    "score_column": "outputs have no scores",
    "drop_missing": "every system needs an output for every reference",
}

_ByMetric: TypeAlias = Sequence[tuple[AnyMetric, Sequence[Rows]]]


def assembled(
    by_metric: _ByMetric,
    reading: Reading,
    declared: Declaration,
    files: InputFiles,
    labelled: Callable[[str], Labels],
    *,
    families: Sequence[str | None] | None = None,
    found: Mapping[str, Labels] | None = None,
    notes: Sequence[str] = (),
    **known: Any,
) -> Systems:
    """Return systems of any kind whose rows have been read.

    Parameters
    ----------
    labelled : callable
        Maps a column or file of labels, as users name it, to the labels.
    families : sequence of str or None, optional
        One per system, used if the user names none.
    found : mapping from str to Labels, optional
        Labels that override those in columns and files, by attribute of `Systems`.
    notes : sequence of str
        Further notes than those on the rows.
    **known
        Other attributes of `Systems`.
    """
    labels: dict[str, Any] = dict(found or {})
    for of, given in reading.labellings.items():
        if not isinstance(given, str):
            labels[of] = _labels_in_memory(given, of)
        elif of not in labels:
            labels[of] = labelled(given)
    metrics, rows = zip(*by_metric, strict=True)
    if reading.families is not None:
        from outscore.readers.boards import families_named  # rarely used

        names = [one.name for one in rows[0]]
        families = families_named(names, reading.families, families or [None] * len(names), files)
    strata = labels.pop("strata", None)
    on_rows = (note for systems in rows for system in systems for note in system.notes)
    return Systems(
        metrics,
        tuple(map(tuple, rows)),
        tuple(families or [None] * len(rows[0])),
        strata=Labels.collapsing(strata, reading.collapse_strata) if reading.collapse_strata else strata,
        declared=declared,
        notes=tuple(dict.fromkeys((*notes, *on_rows))),
        **labels,
        **known,
    )


def roles_of(reading: Reading, declared: Declaration) -> ColumnRoles:
    """Return what the user specified about columns of tables."""
    labels = (of if isinstance(of, str) else _labels_in_memory(of, name) for name, of in reading.labellings.items())
    test_sets = reading.test_sets if isinstance(reading.test_sets, str) else None
    drops = declared.missing is not Missing.ERROR
    roles = ColumnRoles(reading.id_column, drop_missing=drops, labels=tuple(labels), test_sets=test_sets)
    if not declared.crossed:
        return roles
    said = {factor.name: getattr(reading, factor.name) for factor in declared.crossed}
    samples = declared.samples
    return replace(
        roles,
        named={name: column for name, column in said.items() if column is not None},
        declared=declared.axes,
        beside=None if samples is None or samples.reducer is None else samples.reducer.needs,
    )


def _labels_in_memory(data: object, argument: str) -> Labels:
    """Return labels that are Python objects."""
    from outscore.readers.in_memory import labels_from  # not needed by the command line

    return labels_from(data, "clusters" if argument == "other_clusters" else argument)


def labels_in_file(spec: str, item_ids: Sequence[str] | None, files: InputFiles) -> Labels:
    """Return the labels in a file or column."""
    from outscore.readers.tabular.labels import labels_beside  # rarely used

    return labels_beside(spec, None, item_ids=item_ids, files=files)


def with_first(systems: Systems, place: int) -> Systems:
    """Return systems with that at a place put first."""
    return systems.ordered([place, *(other for other in range(len(systems.families)) if other != place)])


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Systems in files, in columns, or in memory."""

    sources: Sequence[Source]
    metrics: Sequence[AnyMetric | str]
    reading: Reading
    declared: Declaration
    work: Work
    files: InputFiles

    @cached_property
    def roles(self) -> ColumnRoles:
        """The roles of columns that the user specified."""
        return roles_of(self.reading, self.declared)

    @cached_property
    def outputs(self) -> OutputReader | None:
        """Reads outputs or cached rows; None if the systems are scores."""
        are_outputs = (
            self.reading.has_references
            or any(isinstance(metric, AnyOutputMetric) for metric in self.metrics)
            or any(source.is_kept or (source.stored and source.stored.of_outputs) for source in self.sources)
        )
        if not are_outputs:
            return None
        # Importing dozens of metrics and formats takes time, and comparing columns does not need them.
        from outscore.readers.outputs import OutputReader

        of_files = all(source.path is not None for source in self.sources)
        return OutputReader(self.metrics, self.reading, self.work, self.files, of_files)

    @cached_property
    def asked(self) -> tuple[list[ColumnMetric], str | None]:
        """The metrics of scores, and the column of scores if the user named one for all of them."""

        def table() -> Table | None:
            known = (self._readable_table(source.files[0])[0] for source in self.sources)
            return next((one for one in known if one is not None), None)

        return column_metrics(self.metrics, self.reading, table)

    @cached_property
    def items(self) -> tuple[Mapping[Source, Items], tuple[str, ...]]:
        """The items of each table, by the ids that the user named or that tables of paired systems share, and notes."""
        notes = dict[str, None]()
        found: dict[int, Part] = {}
        scored = self.sources if self.outputs is None else ()
        parts = [part for source in scored for part in source.files]
        with suppress(OutscoreError):  # that reading the system raises as well
            if all(
                table_at(part.place, self.files)[0].bare
                if part.path is not None
                else isinstance(part.data, Mapping | Sequence | np.ndarray)
                for part in parts
            ):
                return {}, ()  # nothing has columns
        tables = [self._readable_table(part) for part in parts]
        known = {part: items for part, (_, items) in zip(parts, tables, strict=True) if items is not None}
        specs = [part.column for part in parts]
        for (table, items), spec in zip(tables, specs, strict=True):
            if table is None or items is None or table.bare:
                continue
            from outscore.readers.tabular.guesses import Part, notes_on_score  # plain files have no columns

            found.setdefault(id(table), Part(table, items, {*items.levels.values()} | self.roles.label_columns(table)))
            metrics, score = self.asked
            score = (None if spec is None else column_called(table, spec)) or score
            for metric in metrics:
                with suppress(OutscoreError):  # that reading the system raises as well
                    own = score_columns_of(table, metric, score, items.id_column)
                    found[id(table)].taken.update(own)
                    if len(own) == 1 and (score is None or len({*specs}) == 1):  # not columns named like systems
                        chosen = score is not None
                        notes |= dict.fromkeys(notes_on_score(table, metric, own[0], items.id_column, chosen=chosen))
        for one in [*found.values()][:1]:
            from outscore.readers.tabular.guesses import notes_on_clusters

            notes |= dict.fromkeys(notes_on_clusters(one.table, one.items.ids, self.reading))
        named = self.reading.id_column is not None
        if not named and not self.reading.unpaired and len(found) > 1 and None not in dict(tables):
            from outscore.readers.tabular.guesses import shared_ids

            columns, said = shared_ids([*found.values()])
            of_table = dict(zip(found, columns or (None,) * len(found), strict=True))
            for part, (table, _) in zip(parts, tables, strict=True):
                column = of_table.get(id(table))
                items = None if column is None else self._table_and_items(part, column)[1]
                known |= {} if items is None else {part: items}
            notes |= dict.fromkeys(said)
        return known, tuple(notes)

    def systems(self, baseline: str | None, families: Sequence[str | None] | None = None) -> Systems:
        """Return the systems. With `skip_unreadable`, those that cannot be read are left out."""
        reading = self.reading
        if self.outputs is not None:
            reading.refuse(_NOT_FOR_OUTPUTS, "not-for-outputs")
        left_out, by_metric = self._readable() if reading.skip_unreadable else ({}, self._read(self.sources))
        places = [place for place in range(len(self.sources)) if place not in left_out]
        kept = [self.sources[place] for place in places]
        named = [(metric, called(kept, systems)) for metric, systems in by_metric]
        first = named[0][1]
        named[1:] = [
            (metric, [replace(rows, name=mine.name) for rows, mine in zip(systems, first, strict=True)])
            for metric, systems in named[1:]
        ]
        outputs = self.outputs
        systems = assembled(
            named,
            reading,
            self.declared,
            self.files,
            partial(self._labels, kept, first),
            families=None if families is None else [families[place] for place in places],
            notes=(*self.items[1], *(f"Left out: {why}." for why in left_out.values())),
            texts=None if outputs is None else partial(outputs.texts, kept, [metric for metric, _ in named]),
        )
        if baseline is None:
            return systems
        specs = [source.spec for source in self.sources]
        names = [source.name or PurePath(spec).stem for source, spec in zip(self.sources, specs, strict=True)]
        for place, rows in zip(places, first, strict=True):
            names[place] = rows.name
        chosen = place_of(baseline, names, specs) if baseline else 0
        if chosen in left_out:
            what = f"the baseline cannot be left out; {left_out[chosen]}"
            raise DataError(Problem(printable(specs[chosen]), what, "Correct the file.", "no-baseline"))
        return with_first(systems, places.index(chosen)) if baseline else systems

    def _readable(self) -> tuple[dict[int, str], _ByMetric]:
        """Return reasons why systems cannot be read or paired, by place, and the rows of the others."""
        left_out, kept = dict[int, str](), list(self.sources)
        try:
            by_metric = self._read(kept)
        except (FileAccessError, DataError):
            left_out = self._unreadable()
            kept = [source for place, source in enumerate(self.sources) if place not in left_out]
            if not left_out or not kept:
                raise  # the error is not about single systems
            by_metric = self._read(kept)
        if self.outputs is None:
            others = _unpaired(by_metric[0][1], drop_missing=self.declared.missing is Missing.DROP)
            places = [place for place in range(len(self.sources)) if place not in left_out]
            left_out |= {places[place]: why for place, why in others.items()}
            stay = [place for place in range(len(kept)) if place not in others]
            by_metric = [(metric, [systems[place] for place in stay]) for metric, systems in by_metric]
        n_kept = len(self.sources) - len(left_out)
        if left_out and n_kept < 2:
            what = f"expected at least two readable systems, got {n_kept} of {len(self.sources)}"
            first = next(iter(left_out.values()))
            raise DataError(
                Problem(opt("skip_unreadable"), f"{what}; {first}", "Correct the other files.", "one-system")
            )
        return left_out, by_metric

    def _unreadable(self) -> dict[int, str]:
        """Return reasons why single systems cannot be read, by place."""
        reasons = {}
        for place, source in enumerate(self.sources):
            try:
                self._read([source])
            except (FileAccessError, DataError) as error:
                spec = str(source.name) if source.path is None else source.spec
                reasons[place] = _reason_of(spec, error.problems[0])
        return reasons

    def _read(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems by metric. The files of one system are read separately, then merged."""
        read = self._scores if self.outputs is None else self.outputs.rows
        if not any(source.parts for source in sources):
            return read(sources)
        by_metric = []
        for metric, rows in read([part for source in sources for part in source.files]):
            left = iter(rows)
            by_part = [[next(left) for _ in source.files] for source in sources]
            systems = [
                self._merged(own, [part.spec for part in source.parts]) if source.parts else own[0]
                for source, own in zip(sources, by_part, strict=True)
            ]
            by_metric.append((metric, systems))
        return by_metric

    def _merged(self, parts: Sequence[Rows], files: Sequence[str]) -> Rows:
        """Merge the files of one system, as its runs or as levels of another declared factor.

        Runs are named after their files. Levels that systems share, such as paired runs, are numbered.
        """
        axis = self.declared.axis_of_files
        shared = any(factor.name == axis and factor.is_shared for factor in self.declared.crossed)
        names = [str(place + 1) for place in range(len(files))] if shared else files
        return merged(parts, names, parts[0].name, axis)

    def _scores(self, sources: Sequence[Source]) -> _ByMetric:
        """Return the rows of systems of scores, by metric."""
        reading = self.reading
        if reading.input_format is not None:
            raise wrong("input_format", "None, because the systems are scores", reading.input_format)
        metrics = self.asked[0]
        return [(metric, [self._scores_of(source, metric) for source in sources]) for metric in metrics]

    def _scores_of(self, source: Source, metric: ColumnMetric) -> Rows:
        """Return the rows of a system of scores. If it looks like outputs, the error names the options needed."""
        if source.stored is not None:
            return source.stored.rows_on(metric)
        roles, items = self._roles_of(source).scored_by(self.asked[1]), self.items[0].get(source)
        if source.path is None:
            from outscore.readers.in_memory import system_from

            return system_from(source.data, metric, name=str(source.name), roles=roles, items=items)
        try:
            table, column = table_at(source.place, self.files)
            return rows_of_table(table, metric, source.shown, roles.scored_by(column), items)
        except DataError as error:
            first, *others = error.problems
            is_text = first.slug in _TEXT_SLUGS or (first.slug == "not-a-number" and first.where.endswith(":1"))
            if not is_text or format_named(source.path) is not None:
                raise
            advice = f"{first.advice} Outputs, such as translations or tags, need {opt('metric')} and "
            advice += f"{opt('references')}."
            from outscore.data.verdicts import word_value  # only for this message

            if word_value(first.what.rpartition(", got ")[2]) is not None:
                advice += " Verdicts need a table with a column verdict."
            raise DataError(replace(first, advice=advice), *others) from None

    def _roles_of(self, source: Source) -> ColumnRoles:
        """Return the roles of columns. If files are the runs of a system, no column is."""
        return replace(self.roles, named={}, declared=(), beside=None) if source.is_part else self.roles

    def _labels(self, sources: Sequence[Source], systems: Sequence[Rows], column: str) -> Labels:
        """Return the labels of the first system's items, from a column or a file."""
        from outscore.readers.tabular.labels import check_same_labels, labels_beside  # rarely used

        table, items = self._known_items(sources[0])
        if table is not None and items is not None and is_id(column):
            for other in sources[1:]:
                check_same_labels(column, table, items, *self._known_items(other))
        return labels_beside(column, table, items, item_ids=systems[0].item_ids, files=self.files)

    def _known_items(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, of its first run if there are several, and the items found in it."""
        table, items = self._table_and_items(source.files[0])
        return table, self.items[0].get(source.files[0], items)

    def _readable_table(self, source: Source) -> tuple[Table | None, Items | None]:
        """Return the same as `_table_and_items`; None if that raises an error."""
        with suppress(OutscoreError):  # that reading the system raises as well
            return self._table_and_items(source)
        return None, None

    def _table_and_items(self, source: Source, id_column: str | None = None) -> tuple[Table | None, Items | None]:
        """Return the table of scores of a system, and its items; None if it is not a table."""
        if self.outputs is not None or source.stored is not None:
            return None, None
        roles = self._roles_of(source)
        roles = replace(roles, id_column=id_column or roles.id_column)
        if source.path is not None:
            table: Table | None = table_at(source.place, self.files)[0]
        else:
            from outscore.readers.in_memory import table_from

            table = table_from(source.data, str(source.name))
        return (None, None) if table is None else (table, Items.of(table, roles))


def _unpaired(systems: Sequence[Rows], *, drop_missing: bool) -> dict[int, str]:
    """Return reasons why systems cannot be paired, by place: their items differ from those of most systems."""
    items = [len(rows) if rows.item_ids is None else frozenset(rows.item_ids) for rows in systems]
    usual = systems[items.index(Counter(items).most_common(1)[0][0])]
    reasons = {}
    for place, rows in enumerate(systems):
        try:
            align([usual, rows], drop_missing=drop_missing)
        except DataError as error:
            own = [problem for problem in error.problems if problem.where != usual.where]
            reasons[place] = _reason_of(rows.where, (own or error.problems)[0])
    return reasons


def _reason_of(spec: str, problem: Problem) -> str:
    """Return why a system cannot be read, with the file."""
    place = problem.where if problem.where.startswith(printable(spec)) else f"{printable(spec)}: {problem.where}"
    return f"{place}: {problem.what}"
