"""Names of 0.7.0 that were renamed or moved work and warn, and for dropped ones the error says what to use."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import outscore
from outscore.former import FORMER_NAMES, Dropped
from outscore.options import FORMER_OPTIONS, FormerOption, opt, speaking_options
from tests.running import Runner

SCORES = [1, 0, 1, 0] * 20, [1, 1, 1, 0] * 20
ATTRIBUTES = [name for name in FORMER_NAMES if name[0].isupper() and "." in name]
PLACES = [name for name in FORMER_NAMES if name not in ATTRIBUTES]
RENAMED, DROPPED = ([former for former in FORMER_OPTIONS if former.is_renamed is renamed] for renamed in (True, False))


def line_of(former: FormerOption) -> tuple[str, ...]:
    """Return a command line with an option of an earlier version, without its value."""
    option = f"--{former.argument.replace('_', '-')}"
    margin = ("--margin", "0.1") if former.users == "gate" else ()
    return (former.users or "compare", "a.txt", "b.txt", "-m", "accuracy", *margin, option)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, scores in zip("ab", SCORES, strict=True):
        Path(f"{name}.txt").write_text("".join(f"{score}\n" for score in scores))


@pytest.mark.parametrize("former", RENAMED, ids=str)
@pytest.mark.usefixtures("files")
def test_a_renamed_option_works_and_prints_a_line(outscore: Runner, former: FormerOption) -> None:
    *words, option = line_of(former)
    with speaking_options():
        now = opt(*former.now)
    expected = outscore(*words, now, "pass")
    assert expected.status == 0, expected.err
    for given in ((option, "pass"), (f"{option}=pass",)):
        run = outscore(*words, *given)
        assert (run.status, run.out) == (0, expected.out)
        assert run.err == f"{option}: renamed to {now}. The old name works until version 2. [renamed]\n"


@pytest.mark.parametrize("former", DROPPED, ids=str)
@pytest.mark.usefixtures("files")
def test_a_dropped_option_says_what_to_use(outscore: Runner, former: FormerOption) -> None:
    words = line_of(former)
    with speaking_options():
        advice = f"Use {opt(*former.now)}." if former.now else "Omit the option."
    run = outscore(*words, former.value or "x")
    assert (run.status, run.out) == (2, "")
    where = f"{words[-1]} {former.value}".rstrip()
    assert run.err == f"{where}: dropped in version 1.0. {advice} [dropped]\n"


@pytest.mark.parametrize("former", [former for former in FORMER_OPTIONS if former.users], ids=str)
def test_former_arguments_in_python(former: FormerOption) -> None:
    function = getattr(outscore, former.users)
    options: dict[str, Any] = {"metric": "accuracy", **({"margin": 0.1} if former.users == "gate" else {})}
    if former.is_renamed:
        with pytest.warns(FutureWarning, match=f"^{former.argument}: renamed to {former.now[0]}. ") as caught:
            result = function(*SCORES, **options, **{former.argument: "pass"})
        assert caught[0].filename == __file__
        assert result.to_json() == function(*SCORES, **options, **{former.now[0]: "pass"}).to_json()
        with pytest.raises(TypeError) as error:
            function(*SCORES, **options, **{former.argument: "pass", former.now[0]: "fail"})
        assert str(error.value) == f"{former.argument}: renamed to {former.now[0]}. Pass only {former.now[0]}."
        return
    advice = f"Use {opt(*former.now)}." if former.now else "Omit it."
    with pytest.raises(TypeError) as error:
        function(*SCORES, **options, **{former.argument: former.value or "x"})
    assert str(error.value) == f"{former.argument}: dropped in version 1.0. {advice}"


IMPORTED = """
import importlib, sys, warnings
from outscore.former import FORMER_NAMES, Dropped
for name, now in FORMER_NAMES.items():
    if isinstance(now, Dropped) or (name[0].isupper() and "." in name):
        continue
    module, _, attribute = f"outscore.{now}".partition(":")
    new = importlib.import_module(module)
    known = attribute or next(other for other in vars(new) if other[0] != "_")
    place = f"outscore.{name}"
    imported = (place.rpartition(".")[0] if attribute else place, known)
    namespace = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("from {} import {} as moved".format(*imported), "program.py", "exec"), namespace)
    assert namespace["moved"] is getattr(new, known), name
    message = f"{place} is now outscore.{now.replace(':', '.')}. The old name works until version 2."
    found = [(str(warning.message), warning.category, warning.filename) for warning in caught]
    assert found == [(message, FutureWarning, "program.py")], found
    print(name)
"""


ACCESSED = """
import importlib, warnings
from outscore.former import FORMER_NAMES, Dropped
for name, now in FORMER_NAMES.items():
    if isinstance(now, Dropped) or (name[0].isupper() and "." in name):
        continue
    module, _, attribute = f"outscore.{now}".partition(":")
    new = importlib.import_module(module)
    owner, _, last = f"outscore.{name}".rpartition(".")
    namespace = {"owner": importlib.import_module(owner)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(f"moved = owner.{last}", "program.py", "exec"), namespace)
    known = attribute or next(other for other in vars(new) if other[0] != "_")
    moved = namespace["moved"] if attribute else getattr(namespace["moved"], known)
    assert moved is getattr(new, known), name
    message = f"outscore.{name} is now outscore.{now.replace(':', '.')}. The old name works until version 2."
    found = [(str(warning.message), warning.category, warning.filename) for warning in caught]
    assert found == [(message, FutureWarning, "program.py")], found
    print(name)
"""


@pytest.mark.parametrize("program", [IMPORTED, ACCESSED], ids=["imported", "accessed"])
def test_names_that_moved_work_with_a_warning(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [name for name in PLACES if not isinstance(FORMER_NAMES[name], Dropped)]


@pytest.mark.parametrize("name", [name for name in PLACES if isinstance(FORMER_NAMES[name], Dropped)])
def test_a_name_that_was_dropped_is_explained(name: str) -> None:
    parent, _, last = f"outscore.{name}".rpartition(".")
    message = f"outscore.{name} was dropped in version 1.0. {FORMER_NAMES[name]}"
    with pytest.raises(ImportError) as error:
        exec(f"from {parent} import {last}")
    assert str(error.value) == message
    owner = import_module(parent)
    with pytest.raises(AttributeError) as missing:
        getattr(owner, last)
    assert str(missing.value) == message


def test_an_error_within_a_module_is_not_taken_for_a_missing_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "outscore.broken":
                raise ImportError("broken within", name=name)

    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    with pytest.raises(ImportError, match=r"^broken within$"):
        _ = outscore.broken  # type: ignore[attr-defined]


def test_a_module_of_a_package_that_moved_is_the_same_module() -> None:
    with pytest.warns(FutureWarning) as caught:
        moved = import_module("outscore.readers.logs.registry")
    moves = ["outscore.readers.logs is now outscore.wings.logs", "outscore.readers.logs.registry is now "]
    assert all(str(warning.message).startswith(move) for warning, move in zip(caught, moves, strict=True))
    assert moved.LOG_FORMATS is import_module("outscore.wings.logs.registry").LOG_FORMATS
    with pytest.raises(ModuleNotFoundError), pytest.warns(FutureWarning):
        import_module("outscore.studies.nowhere")
    for owner in ("outscore", "outscore.readers", "outscore.results", "outscore.significance", "outscore.testing"):
        with pytest.raises(AttributeError, match=f"^module '{owner}' has no attribute 'nowhere'$"):
            _ = import_module(owner).nowhere


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_former_attributes(name: str) -> None:
    read = outscore.read(*SCORES, metric="accuracy")
    ranking = outscore.rank(*SCORES, metric="accuracy")
    objects = {
        "Comparison": outscore.compare(*SCORES, metric="accuracy").comparisons[0],
        "Design": read.design,
        "GateResult": outscore.gate(*SCORES, metric="accuracy", margin=0.1),
        "RankedPair": ranking.pairs[0],
        "Rows": read.rows[0][0],
    }
    kind, _, attribute = name.partition(".")
    owner, now = objects[kind], FORMER_NAMES[name]
    if isinstance(now, Dropped):
        with pytest.raises(AttributeError) as error:
            getattr(owner, attribute)
        assert str(error.value) == f"{name} was dropped in version 1.0. {now}"
        return
    with pytest.warns(FutureWarning, match=f"^{name} is now {now}. The old name works until version 2.$") as caught:
        value = getattr(owner, attribute)
    assert caught[0].filename == __file__
    expected: Any = owner
    for part in now.split("."):
        expected = getattr(expected, part)
    assert value == expected


def test_an_unknown_attribute_is_an_error() -> None:
    with pytest.raises(AttributeError, match="'Rows' object has no attribute 'nothing'"):
        outscore.read(*SCORES, metric="accuracy").rows[0][0].nothing  # type: ignore[attr-defined]  # noqa: B018
