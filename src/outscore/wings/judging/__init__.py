"""Judges: consistency, position bias, flips, agreement with people and among judges, errors by system."""
