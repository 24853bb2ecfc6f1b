"""Prompt templates, shared by all systems."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.design.crossed import CrossedFactor


@dataclass(frozen=True)
class Templates(CrossedFactor):
    """Prompt templates: these ones, or a population of templates of which they are a sample."""

    name = "template"
    columns = ("template", "prompt_template")
    symbol = "T"
    levels = "prompt templates, which all systems meet"
