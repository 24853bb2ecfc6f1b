"""Scores as JSON (schema "outscore/scores/1")."""

from __future__ import annotations

from dataclasses import asdict

from outscore.reports.json_report import written
from outscore.results.scores import Scores

__all__ = ["scores_to_json"]


def scores_to_json(result: Scores) -> str:
    """Write scores as JSON (schema "outscore/scores/1")."""
    whole = {
        "schema": result.schema,
        "version": result.version,
        "signature": result.signature,
        "scores": [asdict(one) for one in result.scores],
        "confidence_level": result.confidence_level,
        "unit": result.unit,
        "n_resamples": result.n_resamples,
        "seed": result.seed,
        "warnings": list(result.warnings),
    }
    return written(whole)
