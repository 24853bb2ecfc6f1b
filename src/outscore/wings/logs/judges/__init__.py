"""Formats of logs of judged answers."""
