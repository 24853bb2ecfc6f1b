"""Names until their callers use `Files`."""

from __future__ import annotations

from outscore.readers.registry import Files as Corpora
from outscore.readers.registry import refuse_other_format

__all__ = ["Corpora", "refuse_other_format"]
