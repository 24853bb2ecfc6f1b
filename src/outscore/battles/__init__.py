"""Battles: pairs of answers, and which one a user took."""
