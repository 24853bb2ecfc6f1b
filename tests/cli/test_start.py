"""How the command line starts: what it waits for, and what an interruption does before anything is done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from outscore import results
from outscore._version import __version__
from outscore.cli.reading import BoardReads, SystemReads
from outscore.options import Option
from tests.cli.kit import command_app, command_of, options_of, options_of_command, parsed

# The interruption comes when the module is looked for, in the process itself: no clock is needed.
INTERRUPTED_AT = """
import os, signal, sys
awaited = sys.argv[1]

class Interrupts:
    def find_spec(self, name, path, target=None):
        if name == awaited:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from outscore.cli import main
sys.argv[:] = ["outscore", *(sys.argv[2:] or ["compare", "baseline.txt", "experimental.txt"])]
main()
"""
# What a plain comparison takes longer to import than to do without.
NOT_NEEDED = {
    "asyncio",
    "cyclopts",
    "concurrent.futures",
    "difflib",
    "hashlib",
    "html",
    "logging",
    "multiprocessing",
    "narwhals",
    "numpy.ma",
    "numpy.random",
    "outscore.destinations",
    "outscore.wings.studies.investigations",
    "outscore.data.items",
    "outscore.metrics.families.averages",
    "outscore.wings.planning",
    "outscore.readers.boards",
    "outscore.readers.corpora",
    "outscore.readers.in_memory",
    "outscore.reports.charts",
    "outscore.reports.html",
    "outscore.laws.resampling",
    "outscore.wings.gating.results",
    "outscore.wings.logs.results",
    "outscore.wings.planning.results",
    "outscore.results.rankings",
    "outscore.significance.crossed",
    "outscore.significance.classical",
    "outscore.significance.sacrebleu",
    "outscore.wings.studies",
    "rich",
    "scipy",
    "secrets",
    "shutil",
    "tempfile",
    "urllib.request",
}


def run(program: str, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("module", "argv"),
    [
        *(
            (one, ())
            for one in ("outscore.cli.running", "numpy", "numpy._core._multiarray_umath", "outscore.cli.compare")
        ),
        *((one, ("logs", "folder")) for one in ("outscore.cli.app", "cyclopts")),
    ],
)
def test_an_interruption_of_the_imports_is_one_line(
    jansen: tuple[str, str], module: str, argv: tuple[str, ...]
) -> None:
    done = run(INTERRUPTED_AT, module, *argv)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "outscore: interrupted; nothing was written.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interruption_of_what_is_imported_late_is_one_line(jansen: tuple[str, str], outscore: object) -> None:
    done = run(INTERRUPTED_AT, "outscore.reports.text")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "outscore: interrupted; nothing was written.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interruption_that_nobody_shall_hear_is_not_heard() -> None:
    program = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED_AT.replace(
        '"compare", "baseline.txt", "experimental.txt"', '"--version"'
    )
    done = run(program, "numpy")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_calls_the_command_line_keeps_its_handler_and_its_collector() -> None:
    program = (
        "import gc, signal\nfrom outscore.cli import main\n"
        "try: main(['--version'])\nexcept SystemExit: pass\n"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, gc.isenabled(), gc.get_freeze_count())"
    )
    assert run(program).stdout.splitlines()[1:] == ["True True 0"]


def test_a_plain_comparison_imports_little(
    jansen: tuple[str, str], outscore: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # who sets it has text laid out for a terminal
    for name in jansen:  # so many items that their subsets are not counted half by half
        Path(name).write_text(Path(name).read_text() * 7)
    program = (
        "import sys\nfrom outscore.cli import main\n"
        f"try: main(['compare', *{jansen!r}, '-m', 'accuracy'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print('imported', *sys.modules)"
    )
    loaded = run(program).stdout.rpartition("imported")[2].split()
    assert NOT_NEEDED & {*loaded} == set()
    ours = [name for name in loaded if name.split(".")[0] == "outscore"]
    assert "outscore.reports.text" in ours
    # Each costs about half a millisecond.
    assert len(ours) <= 131


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "2"}])
def test_linear_algebra_gets_one_thread_and_nobody_inherits_that(
    jansen: tuple[str, str], outscore: object, monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, threads in given.items():
        monkeypatch.setenv(name, threads)
    program = (
        "import os, sys\nclass Sees:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'numpy': print('before', os.environ.get('OPENBLAS_NUM_THREADS'), file=sys.stderr)\n"
        "sys.meta_path.insert(0, Sees())\nfrom outscore.cli import main\n"
        f"sys.argv[:] = ['outscore', 'compare', *{jansen!r}]\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        "print('after', os.environ.get('OPENBLAS_NUM_THREADS'), file=sys.stderr)"
    )
    own = given.get("OPENBLAS_NUM_THREADS")
    assert run(program).stderr.splitlines() == [f"before {own or (None if given else 1)}", f"after {own}"]


def test_the_version_imports_next_to_nothing() -> None:
    program = (
        "import sys\nfrom outscore.cli import main\n"
        "try: main(['--version'])\nexcept SystemExit as end: assert not end.code\n"
        "print('imported', *sys.modules)"
    )
    version, _, loaded = run(program).stdout.partition("imported")
    assert version == f"{__version__}\n"
    assert not {"cyclopts", "numpy", "outscore.cli.app", "outscore.cli.compare"} & {*loaded.split()}


def test_the_version_is_what_the_parser_of_all_options_says(capsys: pytest.CaptureFixture[str]) -> None:
    parsed(["--version"])
    assert capsys.readouterr().out == f"{__version__}\n"


LINES = [
    "compare a.txt b.txt",
    "compare a.txt b.txt -m accuracy",
    "compare --metric bleu:tokenize=zh b.csv:score new=./a.csv,/b.csv c.txt -m f1,ratio",
    "compare 1 2 -m 3",
    "compare None True -m none",
    "compare",
    "compare a b -r ref -m bleu -m chrf -q --format json -o x.json --alpha 0.01 --seed 3 --jobs 2",
    "compare a --against 0.5 --unpaired --details -t bootstrap -t sign,paired-t --n-resamples 1e4 --seed None",
    "compare a b --jobs 01 --alpha 5 --confidence-level .95 --missing drop --duplicates first",
    "rank a.csv --pairs --cluster doc --stratum null --cluster other --correction max-t --runs random --run seed",
    "rank board.toml --families x:y --alternative greater --report a.html",
    "score a.csv b -m mean --id null --score none --format json -o x.json",
]


def value_of(option: Option) -> list[str]:
    """Return a value of every kind, with as many words as the option takes."""
    if option.type == "flag":
        return []
    if isinstance(option.type, tuple):
        return [option.type[-1]]
    if hasattr(results, option.type):
        return [[*getattr(results, option.type)][-1].value]
    return ["7" if option.type in ("whole", "number") else "some.txt"]


def one_option_each() -> Iterator[str]:
    for name in ("compare", "rank", "score"):
        for long in options_of(name):
            parameter = long.removeprefix("--").replace("-", "_")
            groups = (name, "read", "writes", "boards")
            option = next((known[parameter] for known in map(options_of_command, groups) if parameter in known), None)
            if option is not None and option.default is not True:
                yield " ".join([name, "a", long, *value_of(option)])


@pytest.mark.parametrize("line", [*LINES, *one_option_each()])
def test_plain_command_lines_are_parsed_as_all_others(line: str) -> None:
    argv = line.split()
    plain = command_of(argv)
    assert isinstance(plain, partial)
    command, bound, _ = command_app().parse_args(argv, exit_on_error=False, print_error=False)
    assert (plain.func, plain.args) == (command, bound.args)
    assert {"reads": BoardReads() if argv[0] == "rank" else SystemReads(), **bound.kwargs} == plain.keywords


@pytest.mark.parametrize(
    "argv",
    [
        "compare -",
        "compare --",
        "compare --help",
        "compare -h",
        "compare -m",
        "compare a b -m",
        "compare a b --metric=f1",
        "compare a b -mf1",
        "compare a b -m -",
        "compare [a] b",
        "compare a b --alpha 1e-3",
        "compare a b --alpha nan",
        "compare a b --alpha 0.1 --alpha 0.1",
        "compare a b --jobs 1_0",
        "compare a b --margin -1",
        "compare a b --claim best",
        "compare a b --missing no",
        "compare a b --no-quiet",
        "compare a b --quiet=true",
        "compare a b --families c",
        "rank a --no-max-t",
        "rank a --max-t",
        "gate a b",
        "a b",
    ],
)
def test_what_says_more_is_not_plain(argv: str) -> None:
    other = command_of(argv.split())
    assert isinstance(other, partial)
    assert other.func is parsed


def test_outscore_itself_imports_next_to_nothing() -> None:
    loaded = run("import sys, outscore.cli; print(*sys.modules)").stdout.split()
    ours = [name for name in loaded if name.split(".")[0] == "outscore"]
    assert sorted(ours) == ["outscore", "outscore._version", "outscore.cli"]
    assert not {"numpy", "typing"} & {*loaded}


def test_tables_of_scores_need_no_scipy(tmp_path: Path) -> None:
    lines = []
    for kind in ("binary", "real"):
        for name, step in (("a", 7), ("b", 5), ("c", 3)):
            scores = [(i * step % 11 > 4) if kind == "binary" else round((i * step % 11) ** 1.5, 3) for i in range(90)]
            (tmp_path / f"{name}.{kind}").write_text("".join(f"{float(score)}\n" for score in scores))
        a, b, c = (str(tmp_path / f"{name}.{kind}") for name in "abc")
        lines += [["rank", a, b, c], ["compare", a, b, "-t", "randomization,bootstrap"], ["score", a, b]]
    program = (
        "import sys\nfrom outscore.cli import main\n"
        f"for line in {lines!r}:\n"
        "    try: main(line)\n    except SystemExit as end: assert end.code == 0\n"
        "print('imported', *sys.modules)"
    )
    done = run(program)
    loaded = done.stdout.rpartition("imported")[2].split()
    assert "numpy" in loaded, done.stderr
    assert "scipy" not in loaded
