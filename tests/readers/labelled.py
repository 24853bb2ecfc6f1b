"""Labels of the items of one table of scores, as tests name them."""

from __future__ import annotations

from tests.readers.kit import split_spec

from outscore import Labels
from outscore.readers import InputFiles
from outscore.readers.tabular.columns import id_column_of, ids_of, repeats
from outscore.readers.tabular.labels import labels_beside
from outscore.readers.tabular.tables import Items, table_at


def read_labels(spec: str, scores: str, id_column: str | None = None, files: InputFiles | None = None) -> Labels:
    """Return the labels of the items in a file of scores, from its column or another file."""
    files = files or InputFiles()
    table = table_at(split_spec(scores), files)[0]
    id_name = id_column_of(table, id_column, labels=[spec], labelled=True)
    ids = None if id_name is None else ids_of(table, id_name)
    items = Items(id_name, None if ids is None or repeats(table, ids) else ids)
    return labels_beside(spec, table, items, files=files)
