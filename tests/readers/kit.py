"""What several tests use of the modules of readers: a module moves with one edit here."""

from __future__ import annotations

from outscore.readers.corpora.alignments import check_links
from outscore.readers.files import held_back, lines_in, most_bytes, read_bytes, split_spec
from outscore.readers.in_memory import corpus_from, labels_from, system_from
from outscore.readers.kept.files import Packed, from_npz, is_kept, to_npz, unpacked
from outscore.readers.kept.rows import (
    KeptRows,
    digest_of,
    implementation_of,
    packed_rows,
    read_kept_rows,
    refuse_mixture,
)
from outscore.readers.kept.stored import FORMER_STORE_SCHEMA, STORE_SCHEMA, is_store
from outscore.readers.outputs import read_outputs, rows_to_keep
from outscore.readers.reading import Reading
from outscore.readers.scoring import Scoring, score_systems
from outscore.readers.tabular.cells import NumberLines, in_words, is_missing, number_in, numbers_in, text_in
