"""Reports of rankings: pure functions from results to text, one file a format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outscore.reports.rankings.latex import ranking_to_latex
from outscore.reports.rankings.markdown import ranking_to_markdown
from outscore.results import Ranking, Rankings

__all__ = [
    "RANKING_FORMATS",
    "ranking_to_latex",
    "ranking_to_markdown",
    "ranking_to_text",
    "several_rankings_to",
]


def ranking_to_text(
    ranking: Ranking, *, width: int = 80, color: bool = False, ascii_only: bool = False, pairs: bool = False
) -> str:
    """Write a ranking for a terminal, or for a file that people read.

    Parameters
    ----------
    ranking : Ranking
    width : int
        Columns of the terminal; at least 72 are used.
    color : bool
        Whether to write ANSI escapes. Nothing is said by colour alone.
    ascii_only : bool
        For output encodings that lack signs: only ASCII comes back.
    pairs : bool
        Whether to list every pair, instead of a triangle of marks where there are many.
    """
    # rich takes longer to import than all other formats take to write: only who reads text waits for it.
    from outscore.reports.rankings.terminal import ranking_to_text as write

    return write(ranking, width=width, color=color, ascii_only=ascii_only, pairs=pairs)


def several_rankings_to(format_name: str, rankings: Sequence[Ranking], *, details: bool = False, **options: Any) -> str:
    """Write rankings of the same systems in a format; options are those of its writer.

    Several begin with a table of all of them, and in text each by itself follows only with details.
    """
    from outscore.reports.documents import documents_to_latex, documents_to_markdown, documents_to_text
    from outscore.reports.rankings.summary import summary_document

    if format_name == "csv":
        return Rankings(tuple(rankings)).to_csv(**options)
    if format_name == "json":
        return Rankings(tuple(rankings)).to_json()
    if len(rankings) == 1:
        return _WRITERS[format_name](rankings[0], **options)
    summary = [summary_document(rankings, details=details)]
    if format_name == "text":
        layout = {name: options[name] for name in ("width", "ascii_only") if name in options}
        parts = [documents_to_text(summary, **layout)]
        if details or options.get("pairs"):
            parts += [ranking_to_text(ranking, **options) for ranking in rankings]
        else:
            signatures = [f"signature  {ranking.signature}" for ranking in rankings]
            parts = ["\n".join([*parts, *signatures, ""])]
        return "\n\n".join(parts)
    if format_name == "latex":
        parts = [documents_to_latex(summary, bare=options.get("bare", False))]
    else:
        parts = [documents_to_markdown(summary)]
    return "\n".join([*parts, *(_WRITERS[format_name](ranking, **options) for ranking in rankings)])


_WRITERS: dict[str, Callable[..., str]] = {
    "text": ranking_to_text,
    "markdown": ranking_to_markdown,
    "latex": ranking_to_latex,
}

# From a ranking, and whether all pairs are to be listed, to text.
RANKING_FORMATS: dict[str, Callable[[Ranking, bool], str]] = {
    "text": lambda ranking, pairs: ranking_to_text(ranking, pairs=pairs),
    "json": lambda ranking, pairs: ranking.to_json(),  # noqa: ARG005 - pairs are always there
    "csv": lambda ranking, pairs: ranking.to_csv(pairs=pairs),
    "markdown": lambda ranking, pairs: ranking_to_markdown(ranking, pairs=pairs),
    "latex": lambda ranking, pairs: ranking_to_latex(ranking, pairs=pairs),
}
