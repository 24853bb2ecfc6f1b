"""What several tests use of the modules of meta-evaluation: a module moves with one edit here."""

from __future__ import annotations

from outscore.wings.metaeval.reading.tables import MetaReading, read_judgements
