"""Calls of every public function with wrong values in place of its arguments: a result, or one of outscore's errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from inspect import Parameter, isfunction, signature
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl

import outscore
from outscore.errors import OutscoreError
from tests.cli.kit import options_of_function
from tests.fuzz.targets import Target

__all__ = ["VALID", "Calls", "calls", "functions"]

OLD = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
NEW = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]
THIRD = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
SYSTEMS = {"old": OLD, "new": NEW, "third": THIRD}
FEW = {"n_resamples": 200}

# Made anew for each call: a generator is read once.
WRONG: Mapping[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a negative number": lambda: -1,
    "zero": lambda: 0,
    "a half": lambda: 0.5,
    "a number": lambda: 3,
    "a huge number": lambda: 10**400,
    "a large float": lambda: 1e308,
    "a complex number": lambda: 1 + 2j,
    "a Decimal": lambda: Decimal("0.5"),
    "no text": lambda: "",
    "text": lambda: "x",
    "text with NUL": lambda: "a\0b",
    "half a character": lambda: "\ud800",
    "long text": lambda: "x" * 5000,
    "bytes": lambda: b"x",
    "a path": lambda: Path("nowhere.csv"),
    "a folder": lambda: ".",
    "a date": lambda: date(2020, 1, 1),
    "an empty list": list,
    "an empty mapping": dict,
    "a list of one": lambda: [1],
    "lists of unequal length": lambda: [[1, 2], [3]],
    "a list of None": lambda: [None] * 12,
    "a list of text": lambda: ["x", "y"],
    "a list of objects": lambda: [object()] * 12,
    "a mapping": lambda: {"x": 1},
    "a mapping of objects": lambda: {3: object()},
    "a set": lambda: {1, 2},
    "a generator": lambda: (number for number in OLD),
    "a generator of text": lambda: (text for text in ("x", "y")),
    "a range": lambda: range(3),
    "an object": object,
    "a class": lambda: dict,
    "a function": lambda: len,
    "an array": lambda: np.arange(3.0),
    "an array of no numbers": lambda: np.zeros(0),
    "an array of one number": lambda: np.array(1.0),
    "an array of objects": lambda: np.array([object(), None, "x"], dtype=object),
    "an array of records": lambda: np.zeros(3, dtype=[("a", "f8"), ("b", "U3")]),
    "a matrix": lambda: np.zeros((2, 2)),
    "a cube": lambda: np.zeros((12, 2, 2)),
    "a number of NumPy": lambda: np.float64("nan"),
    "a Series": lambda: pd.Series([0.1, 0.2, 0.3]),
    "a Series of polars": lambda: pl.Series("p", [1.0, 2.0, 3.0]),
    "a DataFrame": lambda: pd.DataFrame({"x": [1, 2, 3], "y": [1, 2, 4]}),
    "an empty DataFrame": pd.DataFrame,
    "a DataFrame of polars": lambda: pl.DataFrame({"x": [1, 2, 3]}),
}

# What the tests put in place of each argument; the others come in the calls that are drawn.
FEWER = (
    "None", "True", "NaN", "infinity", "a negative number", "zero", "a huge number", "a large float", "no text",
    "text", "text with NUL", "bytes", "a path", "an empty list", "an empty mapping", "lists of unequal length",
    "a mapping of objects", "a generator", "a generator of text", "an object", "an array of one number",
    "an array of records", "a matrix", "a DataFrame",
)  # fmt: skip

# What no message says of a value.
_INTERNAL = ("dtype", "array(", "Name:", "object at 0x", "<class", "<built-in", "NoneType", "ndarray")

Call = tuple[Sequence[object], Mapping[str, object]]


@cache
def _ratings() -> pd.DataFrame:
    """Return human scores of two systems by three raters."""
    rng = np.random.default_rng(0)
    rows = [
        (system, f"{document}-{segment}", f"d{document}", f"r{(document + place) % 3}", float(rng.integers(100)))
        for place, system in enumerate("AB")
        for document in range(6)
        for segment in range(2)
    ]
    return pd.DataFrame(rows, columns=["system", "item", "document", "rater", "score"])


@cache
def _verdicts() -> pd.DataFrame:
    items = [item for item in range(8) for _ in "AB"]
    verdicts, people = [*"AAABBBABAAABBBAB"], [*"AABBBBAAAABBBBAA"]
    columns = {"item": items, "order": ["AB", "BA"] * 8, "verdict": verdicts, "human": people, "system": [*"xy"] * 8}
    return pd.DataFrame(columns)


@cache
def _judged() -> tuple[Any, Mapping[str, Any]]:
    """Return human scores of 24 segments and three systems, and two metrics."""
    rng = np.random.default_rng(0)
    human = rng.integers(0, 5, size=(24, 3)).astype(float)
    return human, {"a": human + rng.normal(size=human.shape), "b": rng.normal(size=human.shape)}


@cache
def _compared() -> Any:
    return outscore.compare(OLD, NEW, n_resamples=200)


# Valid calls of each function, to begin with. They are small and have few resamples.
VALID: Mapping[str, Sequence[Callable[[], Call]]] = {
    "compare": (
        lambda: ((OLD, NEW), FEW),
        lambda: ((OLD, NEW), {"metric": "accuracy", "claim": "not-worse", "margin": 0.1, **FEW}),
        lambda: ((OLD, NEW), {"unpaired": True, **FEW}),
        lambda: ((SYSTEMS,), {"clusters": [*"abcdefabcdef"], **FEW}),
        lambda: ((OLD, NEW), {"against": 0.5, **FEW}),
    ),
    "rank": (
        lambda: ((SYSTEMS,), FEW),
        lambda: ((SYSTEMS,), {"metric": ["mean", "accuracy"], "tests": "bootstrap", **FEW}),
        lambda: ((SYSTEMS,), {"test_sets": [*"ababababcdcd"], "tasks": "fixed", **FEW}),
    ),
    "score": (lambda: ((OLD,), FEW), lambda: ((OLD, NEW), {"strata": [*"aabbaabbaabb"], **FEW})),
    "read": (
        lambda: ((OLD, NEW), {}),
        lambda: ((["a", "b"], ["b", "b"]), {"references": ["a", "b"], "metric": "macro-f1"}),
    ),
    "explore": (lambda: ((_compared(),), {}), lambda: ((outscore.read(SYSTEMS), "old", "new"), {})),
    "gate": (
        lambda: ((OLD, NEW), {"margin": 0.1, "metric": "accuracy"}),
        lambda: ((OLD, NEW), {"margin": 0.1, "metric": "accuracy", "sequential": True}),
        lambda: (("store.json", NEW), {"margin": 0.1}),
    ),
    "gate_accept": (lambda: ((OLD, "new-store.json"), {}), lambda: ((NEW, Path("store.json")), {})),
    "judges": (lambda: ((_verdicts(),), {}),),
    "meta": (
        lambda: (_judged(), FEW),
        lambda: (_judged(), {"statistic": ["pearson", "spearman-item"], "weights": {"pearson": 2.0}, **FEW}),
        lambda: (_judged(), {"statistic": "spa", "systems": "sampled", **FEW}),
    ),
    "meta_scores": (lambda: (_judged(), {}),),
    "pilot": (lambda: ((OLD * 3, NEW * 3), {"n_sets": 100}),),
    "plan_human": (lambda: ((_ratings(),), {"gain": 5.0, "rater": "rater"}),),
    "plan_items": (
        lambda: ((outscore.Rates(0.05), 0.05), {"tests": "mcnemar"}),
        lambda: ((outscore.Rates(0.05), 0.0), {"claim": "not-worse", "margin": 0.1}),
    ),
    "plan_power": (lambda: ((outscore.Spread(0.3), 100, 0.05), {}), lambda: ((outscore.Rates(0.05), 100, "2%"), {})),
    "plan_gain": (lambda: ((outscore.Spread(0.3), 100), {}),),
    "plan_gate": (lambda: ((outscore.Rates(0.05), 0.05), {"target": 0.8, "looks": 3}),),
    "plan_table": (lambda: ((100, 0.05), {"hurt_percents": [2]}),),
    "plan_runs": (lambda: ((), {"gain": 0.3, "items": 50, "item_sd": 0.35, "run_sd": 0.006}),),
    "study_gain": (lambda: ((SYSTEMS, _study_options()), {}),),
    "study_size": (lambda: ((SYSTEMS, [6], _study_options()), {"subsets": 2}),),
    "study_domains": (
        lambda: ((outscore.read(SYSTEMS, strata=[*"aabbaabbaabb"]), _study_options()), {"subsets": 2}),
        lambda: (({"one": SYSTEMS, "other": SYSTEMS}, _study_options()), {"subsets": 2}),
    ),
    "study_calibration": (lambda: ((SYSTEMS, _study_options()), {"repeats": 3}),),
    "study_transfer": (
        lambda: ((SYSTEMS, {"other": SYSTEMS}, _study_options()), {}),
        lambda: ((SYSTEMS, None, _study_options()), {"stratum": "a", "strata": [*"aabbaabbaabb"]}),
    ),
}


def _study_options() -> outscore.StudyOptions:
    from outscore.significance import Resampling

    return outscore.StudyOptions(resampling=Resampling(n_resamples=50))


def functions() -> Sequence[str]:
    """Return the names of all public functions."""
    return sorted(name for name in outscore.__all__ if isfunction(getattr(outscore, name)))


def replaceable(name: str, number: int) -> Sequence[str]:
    """Return the arguments of a valid call of a function that can be replaced; positional ones by place."""
    positional, named = VALID[name][number]()
    places = [str(place) for place in range(len(positional))]
    parameters = list(signature(getattr(outscore, name)).parameters.values())
    arguments = []
    for at, parameter in enumerate(parameters):
        if parameter.kind is Parameter.VAR_POSITIONAL:
            places.append(str(len(positional)))
        elif parameter.kind is Parameter.VAR_KEYWORD:
            arguments += [*options_of_function("read")]
        elif parameter.kind is Parameter.KEYWORD_ONLY or at >= len(positional):
            arguments.append(parameter.name)
    return [*places, *dict.fromkeys([*arguments, *named])]


@dataclass(frozen=True)
class Calls(Target):
    """Calls of a public function, each written as JSON: the number of a valid call, and what replaces its arguments."""

    writes: ClassVar[bool] = True

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.name.removeprefix("call-")

    @property
    def own(self) -> Sequence[tuple[str, bytes]]:
        return [(f"{number}.json", _written(number, {})) for number in range(len(VALID[self.function]))]

    def case(self, random: Random) -> tuple[str, bytes]:
        number = random.randrange(len(VALID[self.function]))
        arguments = replaceable(self.function, number)
        chosen = random.sample(arguments, min(len(arguments), random.choice((1, 1, 2, 2, 3))))
        return "call.json", _written(number, {argument: random.choice([*WRONG]) for argument in chosen})

    def each(self) -> Iterator[bytes]:
        """Yield the first valid call with each argument replaced by each wrong value."""
        for argument in replaceable(self.function, 0):
            for value in FEWER:
                yield _written(0, {argument: value})

    def prepare(self, folder: Path) -> None:
        outscore.gate_accept(OLD, folder / "store.json", metric="accuracy")

    def read(self, path: str, random: Random) -> None:
        call = json.loads(Path(path).read_bytes())
        positional, named = VALID[self.function][call["valid"]]()
        positional, named = list(positional), dict(named)
        for argument, value in call["wrong"].items():
            if not argument.isdecimal():
                named[argument] = WRONG[value]()
            elif int(argument) < len(positional):
                positional[int(argument)] = WRONG[value]()
            else:
                positional.append(WRONG[value]())
        with chdir(Path(path).parent):
            try:
                getattr(outscore, self.function)(*positional, **named)
            except OutscoreError as error:
                for problem in error.problems:
                    assert problem.where.strip(), f"no place: {problem}"
                    assert problem.advice or re.search("expected|needs|missing", problem.what), f"no advice: {problem}"
                    said = re.sub(r'"[^"]*"', "", str(problem))  # what is quoted is the user's
                    assert not any(word in said for word in _INTERNAL), f"words of Python: {problem}"
                raise
            except BaseException as error:
                error.add_note(f"{self.function}: {call}")
                raise
            finally:
                assert not list(Path().glob("*.part"))


def _written(number: int, wrong: Mapping[str, str]) -> bytes:
    return json.dumps({"valid": number, "wrong": wrong}).encode()


def calls() -> Sequence[Calls]:
    """Return the calls of every public function."""
    return [Calls(f"call-{name}") for name in functions()]
