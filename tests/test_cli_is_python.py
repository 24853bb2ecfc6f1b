"""The command line and Python give the same result, to the byte, for the same question; or the same refusal.

Questions are made of the options below: every option with every value by itself, and several together, drawn at random.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import outscore
from outscore import Level, Rates, Scores, Spread, StudyOptions
from outscore.errors import OutscoreError
from outscore.options import speaking_options
from outscore.significance import Resampling
from tests.cli.kit import all_options, options_of_function
from tests.conftest import examples
from tests.frozen.cases import prepared, run
from tests.studies.kit import IsotonicFit, LogisticFit, ScaledFit, WindowRule

Build = Callable[[Sequence[str], dict[str, Any]], Any]
NAMES = {of.argument: of.written for _, of in all_options()}
FITS: dict[str, Callable[[], Any]] = {
    "window": WindowRule,
    "isotonic": IsotonicFit,
    "logistic": LogisticFit,
    "scaled": ScaledFit,
}


@dataclass(frozen=True)
class Option:
    """An option of the command line and its argument in Python.

    Attributes
    ----------
    argument : str
    values : sequence of str
        Values to draw from, as they are written on the command line; none of a flag.
    of : callable
        What makes the argument of a value.
    """

    argument: str
    values: Sequence[str] = ()
    of: Callable[[str], Any] = str
    flag: Any = True

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"--no-{NAMES[self.argument]}" if self.flag is False else f"--{NAMES[self.argument]}"


def _few(text: str) -> list[str]:
    return text.split(",")


def _fit(text: str) -> Any:
    return FITS[text]()


def _direction(text: str) -> outscore.Alternative:
    return outscore.Alternative(text)


METRIC = Option("metric", ("accuracy", "mean"))
REFERENCE = Option("references", ("gold.txt",))
LABELS = (
    Option("clusters", ("doc", "documents.txt", "base.csv:doc")),
    Option("strata", ("domain", "halves.txt")),
    Option("collapse_strata"),
)
DESIGN = (
    Option("run", ("seed", "nosuch")),
    Option("runs", ("samples", "fixed", "random")),
    Option("reduce", ("mean", "pass@2", "pass^2")),
    Option("pair_runs"),
    Option("zero_missing", ("zero",), "zero".__eq__),
    Option("weights", ("macro", "size", "weights.csv")),
    Option("test_sets", ("domain", "halves.txt")),
    Option("template", ("seed", "nosuch")),
    Option("templates", ("fixed", "random")),
    Option("rater", ("seed", "nosuch")),
    Option("raters", ("fixed", "sampled")),
    Option("standardize", ("raters",)),
)
OF_LOGS = (
    Option("task", ("sums", "nosuch")),
    Option("total", ("24",), int),
    Option("duplicates", ("first", "last")),
    Option("records", ("run.results",)),
    Option("mapping", ("none.toml",)),
    Option("follow_links"),
)
OF_JUDGES = (Option("human", ("score", "nosuch")), Option("judge", ("score",)))
OF_RUNS = (
    Option("run_law", ("satterthwaite", "fiducial")),
    Option("run_sd", ("0.1", "borrowed", "-1")),
)
TASKS = Option("tasks", ("count", "fixed", "random"))
SKIP = Option("skip_unreadable")
READING = (
    Option("lower_is_better"),
    Option("id_column", ("id",)),
    Option("score_column", ("score",)),
    Option("drop_missing", ("drop",), "drop".__eq__),
    SKIP,
)
FORMAT = Option("input_format", ("labels", "gold-labels", "text"))
LEVELS = (
    Option("alpha", ("0.1", "0.01", "2"), float),
    Option("confidence_level", ("0.9", "95"), float),
)
DRAWS = (
    Option("method", ("auto", "exact", "monte-carlo")),
    Option("n_resamples", ("50", "99"), int),
    Option("seed", ("0", "7"), int),
)
BEST_OF = Option("best_of", ("20", "1"), int)
EXECUTOR = Option("executor", ("slurm://host:1",))
DECISIONS = (Option("ties", ("count", "strict")), Option("estimator", ("add-one", "plain")))
TESTS = ("bootstrap", "randomization,mcnemar", "paired-t", "sign,wilcoxon", "bootstrap-uncentred", "f")
INTERVAL = Option("interval", ("test", "percentile", "basic", "bca"))
ALTERNATIVE = Option("alternative", ("greater", "less", "two-sided"))

COMPARE = (
    *(METRIC, REFERENCE, FORMAT, *LABELS, *READING, *LEVELS, *DRAWS, EXECUTOR, *DECISIONS, ALTERNATIVE),
    Option("tests", (*TESTS, "score", "auto"), _few),
    Option("claim", ("better", "not-worse", "equivalent")),
    Option("margin", ("0.1", "5%", "-1")),
    INTERVAL,
    Option("double_check"),
    Option("unpaired"),
    Option("baseline", ("new", "base")),
    Option("against", ("0.5", "50%", "half")),
    Option("combination", ("bonferroni", "fisher")),
    Option("family", ("table", "candidates", "datasets", "all")),
    BEST_OF,
    *(TASKS, *OF_RUNS, *DESIGN, *OF_LOGS, *OF_JUDGES),
)
RANK = (
    *(METRIC, REFERENCE, FORMAT, *LABELS, *READING, *LEVELS, *DRAWS, EXECUTOR, *DECISIONS, ALTERNATIVE),
    Option("tests", TESTS, _few),
    Option("families", ("families.csv:group",)),
    Option("correction", ("max-t", "holm", "bh", "none")),
    Option("max_t", flag=False),
    INTERVAL,
    *(TASKS, *OF_RUNS, *DESIGN, *OF_LOGS, *OF_JUDGES),
)
SCORE = (
    *(METRIC, REFERENCE, FORMAT, *LABELS, *READING, *LEVELS, *DRAWS, EXECUTOR, BEST_OF, *DESIGN, *OF_LOGS, *OF_JUDGES),
)
PLAN = (
    *(METRIC, REFERENCE, FORMAT, *LABELS, *(option for option in READING if option is not SKIP)),
    Option("tests", ("paired-t", "bootstrap", "sign"), _few),
    Option("n_sets", ("128",), int),
    Option("n_checks", ("2",), int),
    Option("seed", ("0", "7"), int),
    Option("alpha", ("0.1", "2"), float),
    Option("comparisons", ("3", "0"), int),
    Option("alternative", ("greater", "two-sided"), _direction),
)
GAIN = Option("gain", ("0.1,0.2", "10%"), _few)
ITEMS = Option("items", ("100", "60,200"), lambda text: [*map(int, text.split(","))])
POWER = Option("target", ("0.9", "70%"))
CLAIM = (Option("claim", ("better", "not-worse")), Option("margin", ("0.1", "5%")))
TABLE = (
    *(GAIN, ITEMS, Option("hurt_percents", ("0,5", "10%"), _few)),
    Option("test", ("bootstrap", "sign", "mcnemar")),
    Option("alpha", ("0.1", "0.01"), float),
    Option("alternative", ("greater", "two-sided"), _direction),
)
STUDY = (
    *(*READING, *DECISIONS, LEVELS[1], *DRAWS[1:]),
    Option("method", ("auto", "exact", "monte-carlo"), outscore.Method),
    Option("test", ("bootstrap", "mcnemar", "f")),
    Option("rule", tuple(FITS), _fit),
    Option("min_pairs", ("1", "0"), int),
)
BOARD = (Option("clusters", ("document",)), Option("strata", ("domain",)))
FAMILIES = Option("families", ("systems.tsv:group",))
SUBSETS = Option("subsets", ("1", "2"), int)
SIZE = Option("items", ("12", "400"), int)


def _split(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: arguments.pop(name) for name in names if name in arguments}


def _plan(make: Callable[..., Any], *first: str) -> Build:
    """Return a plan of rates, a spread or a pilot; what is not of the plan or its level is of the pilot."""

    def build(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
        level = _split(arguments, "alpha", "comparisons", "alternative")
        own = _split(arguments, "tests", "claim", "margin", "target", "gain", "items")
        of = RATES.get(" ".join(systems)) or outscore.pilot(*systems, **arguments)
        if level:
            own["level"] = Level(**level)
        return make(of, *(own.pop(name, None) for name in first), **own)

    return build


def _study(make: Callable[..., Any], *first: str) -> Build:
    def build(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
        resampling = _split(arguments, "method", "n_resamples", "seed")
        rules = _split(arguments, "rule", "min_pairs", "test", "ties", "estimator", "confidence_level")
        own = _split(arguments, "subsets", "repeats", "items", *first)
        options = StudyOptions(resampling=Resampling(**resampling), **rules)
        boards = [outscore.read(name, metric="accuracy", **arguments) for name in systems]
        return make(boards, *(own.pop(name) for name in first), options, **own)

    return build


@dataclass(frozen=True)
class Question:
    """A command, the calls of Python that ask the same, and what is drawn.

    Attributes
    ----------
    command : str
    build : callable
        Makes the result of systems and arguments.
    systems : sequence of str
        As they are written on the command line, to draw from.
    options : sequence of Option
        To draw from.
    always : mapping from Option to value
        What every question of the command says.
    """

    command: str
    build: Build
    systems: Sequence[str]
    options: Sequence[Option]
    always: dict[Option, str]

    def both(self, systems: str, drawn: Mapping[Option, str]) -> tuple[str, dict[str, Any]]:
        line, arguments = f"{self.command} {systems}", {}
        there = {option.argument: (option, value) for option, value in {**self.always, **drawn}.items()}
        for option, value in there.values():
            line += f" {option.name}" + (f" {value}" if option.values else "")
            arguments[option.argument] = option.of(value) if option.values else option.flag
        return line, arguments


PAIRS = ("base.csv new.csv", "base.txt new.txt", "base.csv new.jsonl", "right.csv:s1 right.csv:s6")
SCORES = (
    *PAIRS,
    "base.csv new.jsonl third.tsv",
    "base.csv new.csv ragged.csv",
    "base.csv few.csv",
    "one.txt two.txt",
    "base.csv ragged.csv",
)
# Runs as columns, as rows of one table, and as files.
RUNS = (
    "base.runs.csv new.runs.csv",
    "all.runs.csv:base all.runs.csv:new",
    "base=base.csv,new.csv new=new.csv,third.csv",
)
FEW = {DRAWS[1]: "50"}
AGAINST = Option("against", ("0.5",))
ONE_GAIN = Option("gain", ("0.1", "0.2", "-1", "10%"))
OF_PLANS = (
    Option("target", ("0.9", "70%", "2")),
    Option("cost_item", ("1",)),
    Option("cost_run", ("20",)),
    Option("alpha", ("0.1", "2"), float),
    Option("comparisons", ("3", "0"), int),
    Option("alternative", ("greater", "two-sided"), _direction),
)
DEVIATIONS = (
    *(ONE_GAIN, ITEMS, *OF_PLANS),
    Option("item_sd", ("0.4", "-1")),
    Option("run_sd", ("0.02", "0")),
    Option("interaction_sd", ("0.3",)),
    *READING[:1],
)
PLANNED_RUNS = (*(METRIC, *LABELS, *READING[:4], *DESIGN), *DEVIATIONS, DRAWS[2])
# A pilot of few sets, and a test of closed form: everything else takes seconds.
TEST = {Option("tests", ("paired-t",), _few): "paired-t"}
SETS = TEST | {Option("n_sets", ("128",), int): "128"}
# Helped items are told by --gain or --helped, and only the command line takes the one for the other.
RATES = {"--hurt 5%": Rates("5%"), "--sd 0.4": Spread(0.4)}  # type: ignore[arg-type]
OF_OUTPUTS = {REFERENCE: "gold.lab", Option("metric", ("accuracy",)): "accuracy"}
PLANNED = [option for option in PLAN if option.argument in ("tests", "alpha", "comparisons", "alternative")]


def _outputs(options: Sequence[Option]) -> list[Option]:
    """Return the options that outputs have, too."""
    scores = ("metric", "references", "clusters", "strata", *(option.argument for option in (*READING, *DESIGN)))
    return [FORMAT, *(option for option in options if option.argument not in (*scores, "input_format"))]


def _first(make: Callable[..., Any], *first: str, **more: Any) -> Build:
    """Return a study of one board."""
    return _study(lambda boards, *values, **options: make(boards[0], *values, **more, **options), *first)


def _compare(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
    return outscore.compare(*systems, **arguments)


def _rank(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
    return outscore.rank(systems[0] if len(systems) == 1 else [*systems], **arguments)


def _score(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
    return outscore.score(*systems, **arguments)


def _table(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
    return outscore.plan_table(arguments.pop("items"), arguments.pop("gain"), **arguments)


def _transfer(board: Scores, *values: Any, **options: Any) -> Any:
    return outscore.study_transfer(board, None, *values, stratum="d1", **options)


def _plan_runs(systems: Sequence[str], arguments: dict[str, Any]) -> Any:
    level = _split(arguments, "alpha", "comparisons", "alternative")
    return outscore.plan_runs(*systems, level=Level(**level) if level else None, **arguments)


# Where the two sides still differ, and no question asks. This list is only ever to get shorter.
# - Several metrics of a board: rank and studies answer on all on the command line, and on the first in Python.
# - plan: --helped with --hurt tells the gain; Python wants it said, and takes another one beside them.
# - study calibration and transfer refuse --fit and --min-pairs; Python passes over them.
# - The method of a study: Python takes a name in the place of a Method without a word, and means another method by it.
SIZES = Option("sizes", ("8,16",), lambda text: [*map(int, text.split(","))])
REPEATS = Option("repeats", ("2",), int)
WITHOUT_THRESHOLDS = [option for option in STUDY if option.argument not in ("rule", "min_pairs")]
QUESTIONS = {
    "compare": Question("compare", _compare, SCORES, COMPARE, FEW),
    "compare outputs": Question("compare", _compare, ("one.lab two.lab",), _outputs(COMPARE), FEW | OF_OUTPUTS),
    "compare a board": Question(
        "compare",
        _compare,
        ("board.toml", "long.csv", "runs"),
        COMPARE,
        FEW | {METRIC: "accuracy", Option("baseline", ("new",)): "new"},
    ),
    "compare runs": Question("compare", _compare, RUNS, COMPARE, FEW | {DESIGN[1]: "random"}),
    "rank runs": Question("rank", _rank, RUNS, RANK, FEW | {DESIGN[1]: "random"}),
    "score runs": Question("score", _score, RUNS, SCORE, FEW | {DESIGN[1]: "random"}),
    "compare with a constant": Question("compare", _compare, (*PAIRS, "base.csv"), COMPARE, FEW | {AGAINST: "0.5"}),
    "runs": Question("plan runs", _plan_runs, RUNS, PLANNED_RUNS, {ONE_GAIN: "0.2"}),
    "runs of deviations": Question("plan runs", _plan_runs, ("",), DEVIATIONS, {ONE_GAIN: "0.2", ITEMS: "100"}),
    "rank": Question("rank", _rank, SCORES, RANK, FEW),
    "rank a board": Question(
        "rank",
        _rank,
        ("board.toml", "long.csv", "alike.csv"),
        [option for option in RANK if option is not REFERENCE],
        FEW | {METRIC: "accuracy"},
    ),
    "rank outputs": Question("rank", _rank, ("one.lab two.lab",), _outputs(RANK), FEW | OF_OUTPUTS),
    "score": Question("score", _score, (*SCORES, "base.csv"), SCORE, FEW),
    "score outputs": Question("score", _score, ("one.lab two.lab", "one.lab"), _outputs(SCORE), FEW | OF_OUTPUTS),
    "power": Question(
        "plan power",
        _plan(outscore.plan_power, "items", "gain"),
        PAIRS,
        (*PLAN, *CLAIM),
        SETS | {ITEMS: "100", GAIN: "0.1"},
    ),
    "gain": Question("plan gain", _plan(outscore.plan_gain, "items"), PAIRS, (*PLAN, POWER), SETS | {ITEMS: "100"}),
    "items": Question(
        "plan items", _plan(outscore.plan_items, "gain"), PAIRS[1:], (*PLAN, POWER, *CLAIM), SETS | {GAIN: "0.2"}
    ),
    "power of rates": Question(
        "plan power",
        _plan(outscore.plan_power, "items", "gain"),
        tuple(RATES),
        (ITEMS, *CLAIM, *PLANNED),
        {ITEMS: "100", GAIN: "10%"},
    ),
    "items of rates": Question(
        "plan items", _plan(outscore.plan_items, "gain"), tuple(RATES), (POWER, *CLAIM, *PLANNED), TEST | {GAIN: "0.1"}
    ),
    "table": Question("plan table", _table, ("",), TABLE, {GAIN: "2%", ITEMS: "100"}),
    "study gain": Question(
        "study gain -m accuracy",
        _first(outscore.study_gain),
        ("right.csv", "board.toml"),
        (*STUDY, *BOARD, FAMILIES),
        FEW,
    ),
    "study size": Question(
        "study size -m accuracy",
        _first(outscore.study_size, "sizes"),
        ("right.csv",),
        (*STUDY, *BOARD[:1], FAMILIES, SUBSETS),
        FEW | {SIZES: "8,16"},
    ),
    "study domains": Question(
        "study domains -m accuracy",
        _first(outscore.study_domains),
        ("right.csv",),
        (*STUDY, FAMILIES, SUBSETS, SIZE),
        FEW | {BOARD[1]: "domain"},
    ),
    "study calibration": Question(
        "study calibration -m accuracy",
        _first(outscore.study_calibration),
        ("right.csv",),
        (*WITHOUT_THRESHOLDS, *BOARD, SIZE),
        FEW | {REPEATS: "2"},
    ),
    "study transfer": Question(
        "study transfer -m accuracy --from d1",
        _first(_transfer),
        ("right.csv",),
        WITHOUT_THRESHOLDS,
        FEW | {BOARD[1]: "domain"},
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with prepared(tmp_path_factory.mktemp("same").resolve()) as here:
        names = ("base", "new", "third", "s1", "s6", "s0", "s4", "s7")
        every = ["system,id,seed,score,doc,domain"]
        for system in ("base", "new"):
            rows = [
                f"q{j},s{r},{(j * (r + 2) + len(system) * (j // 3)) % 5 % 2},d{j // 3},{'web' if j % 2 else 'news'}"
                for j in range(24)
                for r in range(3)
            ]
            (here / f"{system}.runs.csv").write_text("\n".join(["id,seed,score,doc,domain", *rows]) + "\n")
            every += [f"{system},{row}" for row in rows]
        (here / "all.runs.csv").write_text("\n".join(every) + "\n")
        (here / "weights.csv").write_text("stratum,weight\nnews,1\nweb,3\nfirst,2\nsecond,1\n")
        (here / "families.csv").write_text("system,group\n" + "".join(f"{x},{x[0]}\n" for x in names))
        yield here


def refusal(text: str) -> list[str]:
    """Return the kinds of what is wrong: the options stand in the messages by the names of either side."""
    return re.findall(r"\[([a-z-]+)\]$", text, flags=re.MULTILINE)


def in_python(question: Question, systems: str, arguments: dict[str, Any]) -> tuple[str, list[str]]:
    try:
        with speaking_options():  # so that warnings can be compared to the byte
            return question.build(shlex.split(systems), arguments).to_json(), []
    except OutscoreError as error:
        return "", refusal(str(error))


# Where results go and how they are shown, how systems are named, and what runs the computation.
BY_COMMAND_ALONE = {
    *(
        "--format",
        "--output",
        "--report",
        "--chart",
        "--chart-of",
        "--details",
        "--table",
        "--methods",
        "--title",
        "--pairs",
        "--bare",
        "--quiet",
    ),
    *("--source", "--jobs", "--help", "--emulate", "--table", "--methods"),
}
BY_PYTHON_ALONE = {"names", "emulate"}  # compare and rank emulate different tools; tests/human has the latter
# What systems are is read as for rank; only there are families looked at.
READ = {name for name in options_of_function("read") if name != "families"}
FUNCTIONS: dict[str, Callable[..., Any]] = {"compare": outscore.compare, "rank": outscore.rank, "score": outscore.score}


@pytest.mark.parametrize("command", FUNCTIONS)
@pytest.mark.usefixtures("folder")
def test_no_option_and_no_argument_is_missing_here(command: str) -> None:
    options = [one for question in QUESTIONS.values() if question.command == command for one in question.options]
    status, out, _ = run(f"{command} --help-all")
    assert status == 0
    offered = set(
        re.findall(
            r"(?<=[ ])--[a-z][a-z-]+(?=[ \n])",
            "\n".join(f"{line[:40]} " for line in out.splitlines() if line[2:3] == "-"),
        )
    )
    assert {option.name for option in options} <= offered | {"--no-max-t"}
    assert offered - BY_COMMAND_ALONE <= {option.name for option in options} | {"--max-t"}
    parameters = inspect.signature(FUNCTIONS[command]).parameters.values()
    taken = READ | {one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}
    taken |= {"families"} if command == "rank" else set()
    assert {option.argument for option in options} <= taken
    assert taken - BY_PYTHON_ALONE <= {option.argument for option in options}


def ask(question: Question, systems: str, options: Mapping[Option, str]) -> tuple[str, list[str], list[str]]:
    """Ask both sides; return the command line, and what each refuses."""
    line, arguments = question.both(systems, options)
    status, out, err = run(f"{line} --format json")
    expected, wrong = in_python(question, systems, arguments)
    assert (status == 0) == (not wrong), (line, err, wrong)
    assert out == expected, line
    return line, refusal(err), wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("folder")
def test_every_option_is_an_argument(name: str) -> None:
    question = QUESTIONS[name]
    for systems in question.systems:
        line, here, there = ask(question, systems, {})
        assert here == there, line
    for option in question.options:
        for value in option.values or ("",):
            line, here, there = ask(question, question.systems[0], {option: value})
            assert here == there, line


@pytest.mark.smoke
@pytest.mark.parametrize("name", QUESTIONS)
@settings(
    max_examples=examples(5), phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
@pytest.mark.usefixtures("folder")
def test_options_together_are_arguments_together(name: str, data: st.DataObject) -> None:
    """Of several things wrong each side may name another one first."""
    question = QUESTIONS[name]
    systems = data.draw(st.sampled_from(question.systems))
    chosen = data.draw(
        st.lists(st.sampled_from(question.options), min_size=2, max_size=4, unique_by=lambda one: one.argument)
    )
    ask(question, systems, {option: data.draw(st.sampled_from(option.values or ("",))) for option in chosen})
