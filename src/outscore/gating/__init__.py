"""A gate for continuous integration: a candidate against a baseline, or a stored one whose looks are counted."""

from outscore.gating.gates import accept_source, gate, gate_accept, gate_sources
from outscore.gating.streaming import baseline_scores, gate_streamed

__all__ = ["accept_source", "baseline_scores", "gate", "gate_accept", "gate_sources", "gate_streamed"]
