"""Regression gates for continuous integration, against a second system or a stored baseline that counts its checks."""

from outscore.wings.gating.gates import accept_source, gate, gate_accept, gate_sources
from outscore.wings.gating.streaming import baseline_scores, gate_streamed

__all__ = ["accept_source", "baseline_scores", "gate", "gate_accept", "gate_sources", "gate_streamed"]
