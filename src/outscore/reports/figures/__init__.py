"""Figures: what studies and plans are drawn as."""
