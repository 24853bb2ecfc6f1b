"""A factor that items are crossed with: languages, into which every item was translated."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.design import CrossedFactor


@dataclass(frozen=True)
class Languages(CrossedFactor):
    """Languages: these ones, or a population of languages of which they are a sample."""

    name = "language"
    columns = ("language", "lang")
    symbol = "L"
    levels = "languages, into which every item was translated"
