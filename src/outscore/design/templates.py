"""Prompt templates that all systems meet."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.design.crossed import CrossedFactor


@dataclass(frozen=True)
class Templates(CrossedFactor):
    """Prompt templates: these very ones, or others like them as well."""

    name = "template"
    columns = ("template", "prompt_template")
    symbol = "T"
    levels = "prompt templates, which all systems meet"
