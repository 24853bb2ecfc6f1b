"""Translation edit rate: edit distances, the search for shifts, and the rows of a test set."""

from outscore.metrics.edit_rate.rows import TokenizedReferences

__all__ = ["TokenizedReferences"]
