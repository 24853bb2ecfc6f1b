"""The options that declare the factors in `FACTORS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import make_dataclass
from typing import TYPE_CHECKING

from outscore.design.crossed import CrossedFactor
from outscore.design.registry import crossed_factors
from outscore.options import Option

CROSSED_OPTIONS: tuple[Option, ...] = tuple(option for factor in crossed_factors() for option in factor.options)

if TYPE_CHECKING:
    from outscore.design.crossed import CrossedOptions as CrossedOptions
else:
    CrossedOptions = make_dataclass(
        "CrossedOptions",
        [(option.argument, object, False if option.type == "flag" else None) for option in CROSSED_OPTIONS],
        frozen=True,
        kw_only=True,
    )


def said_of(options: CrossedOptions) -> Mapping[str, object]:
    """Return the options of crossed factors, by name."""
    return {option.argument: getattr(options, option.argument) for option in CROSSED_OPTIONS}


def declared_factors(options: CrossedOptions) -> tuple[CrossedFactor, ...]:
    """Return the crossed factors that options declare.

    Raises
    ------
    OptionError
    """
    if all(said is None or said is False for said in said_of(options).values()):
        return ()
    factors = (kind.declared(options) for kind in crossed_factors())
    return tuple(factor for factor in factors if factor is not None)
