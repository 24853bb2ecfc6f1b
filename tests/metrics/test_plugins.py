"""Metrics that other packages register as entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from outscore.errors import OptionError
from outscore.metrics import metric_named
from outscore.metrics.plugins import plugins
from tests.kit import output_metric
from tests.packages import installed

MODULE = '''
from dataclasses import KW_ONLY, dataclass
import numpy as np
from outscore import ColumnMetric, OutputMetric, RatioMetric

@dataclass(frozen=True)
class LengthError(RatioMetric, OutputMetric[str, str]):
    """How far off the lengths of outputs are."""
    characters: bool = False
    name = "length-error"
    statistics = ("difference", "reference length")
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better = False
    output_type = reference_type = str
    citation = "none"

    def rows(self, outputs, references):
        return np.array([(abs(len(a) - len(b)), len(b)) for a, b in zip(outputs, references)], float)

@dataclass(frozen=True)
class Share(RatioMetric, ColumnMetric):
    name = "share"
    columns = statistics = ("part", "whole")
    numerator, denominator = (1.0, 0.0), (0.0, 1.0)
    higher_is_better: bool = True

@dataclass(frozen=True)
class Failing(LengthError):
    name = "failing"

    def rows(self, outputs, references):
        raise ValueError("no\\nsuch thing")

@dataclass(frozen=True)
class Untyped(LengthError):
    name = "untyped"
    output_type = "text"

@dataclass(frozen=True)
class Picky(LengthError):
    name = "picky"

    def __post_init__(self):
        raise ValueError("not so")

@dataclass(frozen=True)
class Unfinished(OutputMetric[str, str]):
    name = "unfinished"

@dataclass(frozen=True)
class Needy(LengthError):
    name = "needy"
    _: KW_ONLY
    more: int

class Thawed(RatioMetric, ColumnMetric):
    name = "thawed"

a_number = 3
'''
Register = Callable[..., None]


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    """Install a tiny distribution that registers metrics, for one test."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(distribution: str = "tiny", **entries: str) -> None:
        points = {name.replace("_", "-"): value for name, value in entries.items()}
        installed(tmp_path, "outscore.metrics", points, distribution)
        (tmp_path / f"{distribution}_metrics.py").write_text(MODULE)

    yield install
    for module in ("tiny_metrics", "vast_metrics"):
        sys.modules.pop(module, None)


def test_a_registered_metric_of_outputs_is_found(register: Register) -> None:
    register(length_error="tiny_metrics:LengthError")
    metric = output_metric("length-error:characters")
    assert (metric.name, type(metric).__module__) == ("length-error", "tiny_metrics")
    assert metric.rows(["abc"], ["a"]).tolist() == [[2.0, 1.0]]
    assert [(plugin.name, plugin.distribution) for plugin in plugins()] == [("length-error", "tiny 1.2")]


def test_a_registered_metric_of_columns_is_found(register: Register) -> None:
    register(share="tiny_metrics:Share", length_error="tiny_metrics:LengthError")
    assert metric_named("share").columns == ("part", "whole")
    with pytest.raises(OptionError, match="share"):
        output_metric("share")
    with pytest.raises(OptionError, match="needs references"):
        metric_named("length-error")


def test_a_registered_metric_of_columns_has_options(register: Register) -> None:
    register(share="tiny_metrics:Share")
    assert metric_named("share:higher_is_better=no").higher_is_better is False
    with pytest.raises(OptionError, match='share has no option "other"'):
        metric_named("share:other=1")
    with pytest.raises(OptionError, match="It needs columns of scores: leave out the references"):
        output_metric("share:higher_is_better=no")


def test_a_registered_metric_that_fails_is_one_line(
    register: Register, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from outscore.cli import main

    register(failing="tiny_metrics:Failing")
    text = tmp_path / "a.txt"
    text.write_text("a\nb\n")
    with pytest.raises(SystemExit) as caught:
        main(["compare", "-m", "failing", "-r", str(text), str(text), str(text)])
    printed = capsys.readouterr()
    assert caught.value.code == 2
    assert printed.err.startswith(
        f"failing: cannot score the 2 items of {text}: ValueError: no such thing. Correct the"
    )
    assert printed.err.count("\n") == 1


def test_a_package_that_ends_the_program_does_not(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    from outscore.cli import main

    register("vast", leaving="vast_leaving:Metric", quitting="vast_metrics:Quitting")
    folder = Path(sys.path[0])
    (folder / "vast_leaving.py").write_text("import sys\nsys.exit()\n")
    with (folder / "vast_metrics.py").open("a") as file:
        file.write(
            "\n@dataclass(frozen=True)\nclass Quitting(LengthError):\n    name = 'quitting'\n\n"
            "    def rows(self, outputs, references):\n        raise SystemExit(0)\n"
        )
    with pytest.raises(OptionError, match=r'"vast_leaving:Metric" cannot be loaded: SystemExit\. .*Fix or remove'):
        output_metric("leaving")
    text = folder / "a.txt"
    text.write_text("a\nb\n")
    with pytest.raises(SystemExit) as caught:
        main(["compare", "-m", "quitting", "-r", str(text), str(text), str(text)])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith(f"quitting: cannot score the 2 items of {text}: SystemExit: 0")


def test_nothing_is_imported_for_names_of_our_own(register: Register) -> None:
    register("broken", bleu="broken_metrics:nothing", mean="no.such.module:x")
    assert output_metric("bleu").citation
    assert metric_named("mean").name == "mean"


def test_the_nearest_name_may_be_a_registered_one(register: Register) -> None:
    register(length_error="tiny_metrics:LengthError")
    with pytest.raises(OptionError, match='Did you mean "length-error"'):
        output_metric("length_eror")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("lost", "no_such_module:Metric", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("lost", "tiny_metrics:Absent", "cannot be loaded: AttributeError"),
        ("number", "tiny_metrics:a_number", "is not a class derived from OutputMetric"),
        ("unfinished", "tiny_metrics:Unfinished", "does not define rows, score"),
        ("other", "tiny_metrics:LengthError", 'has a different name: "length-error"'),
        ("needy", "tiny_metrics:Needy", "has no default for its option more"),
        ("thawed", "tiny_metrics:Thawed", "is not a frozen dataclass"),
        ("untyped", "tiny_metrics:Untyped", "is expected to have a output_type; it is 'text'"),
        ("picky", "tiny_metrics:Picky", "cannot be created: ValueError: not so"),
    ],
)
def test_broken_entry_points_are_one_line(register: Register, name: str, value: str, says: str) -> None:
    register(**{name: value})
    for find in (output_metric, metric_named):
        with pytest.raises(OptionError) as caught:
            find(name)
        assert says in str(caught.value)
        assert str(caught.value).startswith(f'tiny 1.2: outscore.metrics: {name}: "{value}" ')
        assert str(caught.value).count("\n") == 0


def test_two_packages_with_the_same_name_are_refused(register: Register) -> None:
    register("tiny", length_error="tiny_metrics:LengthError")
    register("vast", length_error="vast_metrics:LengthError")
    with pytest.raises(OptionError, match=r"registered by tiny 1\.2 and vast 1\.2"):
        output_metric("length-error")
