"""Results as data frames of the user's own library."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from outscore.errors import MissingDependencyError, OptionError, Problem

__all__ = ["native_frame"]

_LIBRARIES = ("polars", "pandas", "pyarrow")


def native_frame(columns: Mapping[str, Sequence[object]], backend: Any = None) -> Any:
    """Return columns as a data frame of the library that the user has.

    `backend` names a library that narwhals can make frames of; by default the first of polars, pandas and pyarrow that
    the program has imported, or else that is installed.
    """
    import narwhals as nw

    chosen: Any = backend if backend is not None else _library()
    try:
        # Of data whose types are no question, so that the backend alone can be at fault.
        nw.from_dict({"item": [1]}, backend=chosen)
    except ModuleNotFoundError:
        advice = f"Install it: pip install {chosen}."
        raise _missing(str(chosen), advice) from None
    except (TypeError, ValueError, AttributeError):
        what = f"expected a data frame library such as polars or pandas, got {chosen!r}"
        raise OptionError(Problem("backend", what, "", "unknown-value")) from None
    return nw.from_dict(dict(columns), backend=chosen).to_native()


def _library() -> str:
    loaded = [name for name in _LIBRARIES if name in sys.modules]
    installed = loaded or [name for name in _LIBRARIES if importlib.util.find_spec(name) is not None]
    if not installed:
        raise _missing("a data frame library", 'Install one: pip install "outscore[frames]".')
    return installed[0]


def _missing(what: str, advice: str) -> MissingDependencyError:
    return MissingDependencyError(Problem("to_dataframe", f"{what} is not installed", advice, "missing-dependency"))
