"""A factor that items are crossed with: languages, into which every item was translated."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.design import CrossedFactor


@dataclass(frozen=True)
class Languages(CrossedFactor):
    """Languages: these very ones, or others like them as well."""

    name = "language"
    columns = ("language", "lang")
    symbol = "L"
    levels = "languages, into which every item was translated"
