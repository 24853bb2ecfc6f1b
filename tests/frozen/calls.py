"""Python calls of the frozen corpus."""
from collections.abc import Callable

CALLS: dict[str, Callable[[], object]] = {}
