"""Sentences for HTML reports, whose readers have neither a command line nor Python: options are said in words."""

from __future__ import annotations

import re
from typing import Literal

from outscore.design.registry import crossed_factors
from outscore.options import OPTIONS, opt, speaking_options
from outscore.text.naming import capital


def _either(argument: str, value: str | Literal[True] | None = None) -> str:
    """Return a pattern of both spellings of an argument."""
    spelled = []
    for speaks in (True, False):
        with speaking_options(speaks=speaks):
            spelled.append(re.escape(opt(argument, value)))
    return f"(?:{'|'.join(spelled)})"


_PHRASES = (
    (rf"Omit {_either('tests')} for the default", "Use the default"),
    (rf"omit {_either('unpaired', True)}", "compare them as pairs"),
    (rf"with {_either('clusters')}\.", "as clusters."),
    (rf", pass {_either('inconclusive', 'pass')} or {_either('inconclusive', 'fail')}", ", let them pass or fail"),
)
_WORDS = {
    "n-resamples": "the number of resamples",
    "n-checks": "the number of checks",
    "run-law": "the {value} distribution of runs",
    "run-sd": "a standard deviation of runs",
    "test": "the {value} test",
    "tests": "the {value} test",
}
_ARGUMENTS = {option.argument for options in OPTIONS.values() for option in options}
_ARGUMENTS |= {word for factor in crossed_factors() for word in (factor.name, factor.plural)}
_NAMES = {option.parameter.replace("_", "-") for options in OPTIONS.values() for option in options}
_NAMES |= {argument.replace("_", "-") for argument in _ARGUMENTS}
_VALUES = "fixed|random|sampled|samples|fiducial|score|per-commit"
_LONG = "|".join(argument for argument in _ARGUMENTS if "_" in argument)
_FORMS = (
    rf" \((?:--(?P<name>{'|'.join(_NAMES)})|{_LONG})\)(?P<value>)",
    rf"(?<![\w-])--(?P<name>{'|'.join(_NAMES)})(?![\w-])(?: (?P<value>{_VALUES})\b)?",
    rf'(?<![\w.:,])(?P<name>{"|".join(_ARGUMENTS)})=(?:True\b|(?P<quote>"?)(?P<value>[a-z-]+)(?P=quote)(?!\w))',
    rf"(?<![\w.:,/])(?P<name>{_LONG})(?P<value>)(?![\w/]|\.\w)",
)


def without_options(text: str) -> str:
    """Return text with the options and arguments that it names said in words.

    Examples
    --------
    >>> without_options(f"Raise {opt('n_resamples')}. For the average use {opt('tasks', 'fixed')}.")
    'Raise the number of resamples. For the average use fixed tasks.'
    """
    for pattern, words in _PHRASES:
        text = re.sub(pattern, words, text)
    for form in _FORMS:
        text = re.sub(form, _said, text)
    return text


def _said(match: re.Match[str]) -> str:
    if match[0].startswith(" ("):
        return ""
    name = match["name"].replace("_", "-")
    words = " ".join(_WORDS.get(name, f"{{value}} {name.replace('-', ' ')}").format(value=match["value"] or "").split())
    return capital(words) if match.start() == 0 or match.string[: match.start()].endswith(". ") else words
