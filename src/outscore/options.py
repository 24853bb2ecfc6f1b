"""The table of options of the command line and arguments of Python, and their names in messages.

Messages name an option by `opt`, which returns ``--runs random`` on the command line and ``runs="random"`` in Python.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from typing import Literal, NamedTuple, ParamSpec, TypeVar

from outscore.formats import FORMATS
from outscore.text.naming import nearest, printable
from outscore.wings import has_wing

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Option(NamedTuple):
    """An option of the command line and its argument in Python: the only place that declares it.

    The command line, the keys of leaderboard files, the signatures, docstrings and stubs of Python follow from it.

    Attributes
    ----------
    argument : str
        The name of the argument in Python.
    help : str
        The text of ``--help``, unless the command has its own.
    type : str or tuple of str
        text, texts (may be repeated), words and wholes (texts and whole numbers, repeated or with commas), flag, whole,
        count (a whole number, possibly as 1e5), seed (or none, or that of the environment), number, pair (of numbers),
        an enumeration of `outscore.results`, or a tuple of choices.
    default : str, number, pair or True, optional
        The default in ``--help``. A flag without it is False.
    required : bool
        Whether the command line needs the option.
    name : str
        The option without hyphens, if it differs from the argument.
    short : str
        The short option, such as ``m`` for ``-m``.
    hyphen : bool
        Whether a value may begin with a hyphen.
    value : str
        The value of the option, if the argument is a flag.
    commands : str
        The commands that have it: compare, rank, score; read for all that read systems, boards for those that read
        leaderboards, writes for all that write results.
    functions : str, optional
        The functions that have the argument. By default those named as `commands`.
    python : str
        The type in Python, if it does not follow from `type` and the default.
    python_default : str, number or tuple, optional
        The default in Python, if it differs from `default`.
    kinds : str
        What Python accepts, in words, if this does not follow from `type`.
    doc : str
        The description in Python, if the help does not fit.
    key : str
        The key in leaderboard files.
    labels : bool
        Whether text in a leaderboard file may name a file of labels.
    """

    argument: str
    help: str = ""
    type: str | tuple[str, ...] = "text"
    default: str | float | tuple[float, float] | None = None
    required: bool = False
    name: str = ""
    short: str = ""
    hyphen: bool = False
    value: str = ""
    commands: str = ""
    functions: str | None = None
    python: str = ""
    python_default: str | float | tuple[int, ...] | None = None
    kinds: str = ""
    doc: str = ""
    key: str = ""
    labels: bool = False

    @property
    def parameter(self) -> str:
        """The name of the command's parameter."""
        return self.name or self.argument

    @property
    def written(self) -> str:
        """The option on the command line, without the two hyphens."""
        return self.parameter.rstrip("_").replace("_", "-")

    @property
    def spelled(self) -> tuple[str, str]:
        """The option with its value, if it is one of several of a flag, and the short option; both without hyphens."""
        return f"{self.written} {self.value}".rstrip(), self.short

    @property
    def enumeration(self) -> str | None:
        """The enumeration of `outscore.results` whose values the option takes, if any."""
        return self.type if isinstance(self.type, str) and self.type not in _PYTHON else None

    @property
    def annotation(self) -> str:
        """The type of the argument, as code."""
        if self.python:
            return self.python
        kind = "str" if isinstance(self.type, tuple) else _PYTHON.get(self.type, f"{self.type} | str")
        has_default = self.type == "flag" or self.default is not None or self.python_default is not None
        return kind if has_default else f"{kind} | None"


# Types of arguments by those of options; all others are enumerations.
_PYTHON = {
    "text": "str",
    "texts": "str | Sequence[str]",
    "words": "str | Sequence[str]",
    "flag": "bool",
    "whole": "int",
    "wholes": "int | Sequence[int]",
    "count": "int",
    "seed": "int",
    "number": "float",
    "pair": "tuple[float, float]",
}


# Commands of wings that share options.
ASSUMED = "plan-power plan-gain plan-items plan-gate"
STUDIES = "study-gain study-size study-domains study-calibration study-transfer"
# The group of options for data, including those of crossed factors.
FACTOR_OPTIONS = "Data (a leaderboard file can hold these)"

# By group of the help, in the order of help and signatures. --help shows only the first sentence of a help text.
OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "Systems and metrics": (
        Option(
            "baseline",
            "Baseline, by name or file (default: the first system).",
            commands="compare",
        ),
        Option(
            "metric",
            "Metric, such as accuracy, bleu or ndcg@10. Repeat it or use commas for several: bleu,chrf. Metrics of "
            "columns are mean (one score per item), accuracy (0 or 1), ratio (numerator, denominator), precision, "
            "recall and f1 (tp, predicted, gold), perplexity and bits-per-byte. Metrics of outputs need --reference. "
            "Options follow a colon: bleu:tokenize=zh. outscore metrics lists all metrics and their options.",
            "texts",
            short="m",
            commands="read",
            functions="",  # each function describes what it does with several
        ),
        Option(
            "references",
            "References; the systems are then files of outputs. Repeat it for several references per item.",
            "texts",
            name="reference",
            short="r",
            hyphen=True,
            commands="read",
            python="object",
            kinds="str, path, list, series or mapping",
            doc="One reference per item. For metrics that accept several references per item, also a list of such "
            "lists (or paths), one per reference. For a data frame of outputs, the name of its column of references.",
        ),
        Option(
            "names",
            functions="read",
            python="Sequence[str | None] | None",
            kinds="sequence of str",
            doc="Names of the systems. By default short file names, or the names of series or of a mapping.",
        ),
        Option(
            "input_format",
            "Format of outputs and references, if not recognized. Write it as NAME:OPTION=VALUE,... and list all "
            "formats with outscore formats.",
            commands="read",
            key="format",
        ),
        Option(
            "lower_is_better",
            "Lower scores are better (mean and ratio).",
            "flag",
            commands="read",
            key="lower_is_better",
        ),
        Option(
            "records",
            "Dotted path of the list of records in JSON files that have several, such as run.results.",
            commands="read meta judges plan-human",
            functions="read meta meta_scores judges plan_human",
        ),
        Option(
            "skip_unreadable",
            "Skip systems that cannot be read or lack items. A note names each one and says why.",
            "flag",
            commands="read",
        ),
        Option(
            "task",
            "Task to read from evaluation logs. May be repeated. Default: all tasks, each a dataset.",
            "texts",
            commands="read",
            doc="Tasks, or groups of tasks, to read from evaluation logs. By default all, each a dataset.",
        ),
        Option(
            "mapping",
            "Map of fields (TOML), to read files of any format like evaluation logs. outscore logs --suggest-map FILE "
            "suggests one.",
            name="map",
            commands="read",
            python="object",
            kinds="str, path or mapping",
            doc="Map of fields, as a TOML file or a mapping with the same keys: item, metrics (field names as keys, "
            '"higher" or "lower" as values), and optionally system, task, run, records and labels. '
            "Files of any format are then read like logs.",
        ),
        Option(
            "total",
            "Number of items, for logs that list only solved items. Or a file with all item ids.",
            commands="read",
            python="int | str | None",
        ),
        Option(
            "duplicates",
            "Record to keep if an item occurs twice in a log. Default: different scores are an error.",
            ("first", "last"),
            commands="read",
        ),
        Option(
            "follow_links",
            "Follow links in folders of logs that lead out of the folder. Default: they are left out with a note.",
            "flag",
            commands="read",
        ),
        Option(
            "against",
            "Compare with a constant instead of a baseline. The constant is in the unit of the score, such as 0.5 for "
            "preferences (1, 0.5 for a tie, 0). Pass one system or more. If a column such as order has the order of "
            "the answers, the verdicts on an item in both orders are one unit.",
            hyphen=True,
            commands="compare",
            python="float | str | None",
        ),
        Option(
            "families",
            "Family of each system: FILE:COLUMN of a table. A family is a research group or base model.",
            commands="boards",
            functions="read",
            python="Families",
            kinds="mapping from name to family, or FILE:COLUMN",
            doc="Systems that are expected to be correlated, such as those of one research group or base model.",
        ),
        Option(
            "metric",
            "Metric, as for outscore compare. Repeat it for several metrics.",
            "texts",
            required=True,
            short="m",
            commands="rows",
        ),
        Option(
            "references",
            "References, as for outscore compare. Repeat it for several references per item.",
            "texts",
            required=True,
            name="reference",
            short="r",
            hyphen=True,
            commands="rows",
        ),
        Option("input_format", "Format of outputs and references, as for outscore compare.", commands="rows"),
        Option("source", "Source texts to show in the report, one per item.", commands="compare", functions=""),
    ),
    FACTOR_OPTIONS: (
        Option(
            "id_column", "Column of item ids. Default: recognized by its name.", name="id", commands="read", key="id"
        ),
        Option(
            "score_column",
            "Column of scores. Default: recognized by its name.",
            name="score",
            commands="read",
            key="score",
        ),
        Option(
            "drop_missing",
            "Missing items: error, drop them, or score them 0. The same applies to missing runs of items.",
            ("error", "drop", "zero"),
            default="error",
            name="missing",
            value="drop",
            commands="read",
            python="bool",
            doc="Keep only the items that all systems have. By default missing items raise an error. In memory, a "
            "score of None, NaN or NA is missing.",
        ),
        Option(
            "zero_missing",
            name="missing",
            value="zero",
            commands="read",
            python="bool",
            doc="Score missing items 0.",
        ),
        Option(
            "clusters",
            "Items that are not independent: column or FILE. Documents and prompts are clusters, for example. Name a "
            "column of the score table, a file with one label per line, or FILE:COLUMN. Clusters are resampled as a "
            "whole. compare takes two crossed clusterings: --cluster document --cluster annotator. none: items are "
            "independent, whatever logs, formats or leaderboard files declare.",
            "texts",
            name="cluster",
            commands="read",
            python="object",
            kinds="sequence, mapping from item id, series, Labels or str",
            doc="One label per item of the first system, or the name of a column, a file with one label per line, or "
            "``FILE:COLUMN``. Clusters (such as documents) are resampled as a whole. A list of two clusterings, such "
            'as ``["document", "annotator"]``, means crossed clusterings, which only `compare` supports. "none" means '
            "no clusters, whatever logs, formats or leaderboard files declare.",
            key="clusters",
            labels=True,
        ),
        Option(
            "strata",
            "Strata of fixed size, such as domains: column or FILE. They are named like clusters. Each stratum needs "
            "two items or clusters. none: no strata.",
            name="stratum",
            commands="read",
            python="object",
            kinds="as clusters",
            key="strata",
            labels=True,
        ),
        Option(
            "collapse_strata",
            "Merge strata of one item or cluster. Several are merged into one stratum. A single one is merged with the "
            "smallest other stratum.",
            "flag",
            commands="read",
            key="collapse_strata",
        ),
        Option(
            "weights",
            "Weights of the strata: macro, size, or a table. macro weighs all strata equally, size by their items. A "
            "table has the columns stratum and weight. Default: all items weigh the same.",
            commands="read",
            python="object",
            kinds='{"macro", "size"}, mapping or str',
            doc='Weights of the strata in the score: equal ("macro"), by number of items ("size"), by name, or from a '
            "file. By default all items weigh the same.",
            key="weights",
            labels=True,
        ),
        Option(
            "test_sets",
            "Dataset of each item: column or FILE. Tasks and languages are datasets, for example, and each has its own "
            "score. They are named like clusters.",
            name="test_set",
            commands="read",
            python="object",
            kinds="as clusters",
            key="test_sets",
            labels=True,
        ),
        Option("human", "Column of human labels, empty for most items; needs --judge.", commands="read"),
        Option(
            "judge",
            "Column of a judge's labels of all items; needs --human. The score is prediction-powered: that of human "
            "labels, made more precise by the judge's. A judge is a metric or a language model.",
            commands="read",
        ),
    ),
    "Question": (
        Option(
            "alternative",
            "Direction of the test. Use greater or less only if the direction was fixed before looking at the data. "
            "Default: two-sided.",
            "Alternative",
            commands="compare rank",
            python_default="two-sided",
            doc="Direction of the test. The gain is positive if the candidate is better. Use greater or less only if "
            "the direction was fixed before looking at the data. Claims with a margin have their own alternative.",
        ),
        Option(
            "correction",
            "Correction for multiple comparisons. Default: max-t with the default test and the bootstrap, holm with "
            "other tests and with new runs.",
            "Correction",
            commands="rank",
        ),
        Option(
            "claim",
            "Claim: better, not-worse or equivalent. not-worse and equivalent need --margin.",
            "Claim",
            default="better",
            commands="compare",
            doc="The last two need a `margin`. A large p-value of a difference does not show equality.",
        ),
        Option(
            "margin",
            "Largest loss that does not matter, such as 1% or 0.5. It is in the unit of the score: 1% or 0.01 for "
            "proportions such as accuracy, 0.5 for half a BLEU point.",
            hyphen=True,
            commands="compare",
            python="float | str | None",
        ),
        Option(
            "best_of",
            "The system was chosen on these items as the best of this many, and the scores of the others are lost. "
            "score allows for the choice in the interval, and compare only warns. If you have all scores, pass all "
            "systems to rank or compare instead.",
            "whole",
            commands="compare score",
        ),
        Option(
            "alpha",
            "Significance level (default: 0.05). Intervals have the confidence level 1 - alpha.",
            "number",
            commands="compare rank score meta judges",
            functions="compare rank score meta judges",
        ),
        Option(
            "confidence_level",
            "Confidence level, 1 - alpha. 0.95 is the same as --alpha 0.05.",
            "number",
            commands="compare rank score meta",
            functions="compare rank score meta",
            doc="Confidence level of the intervals, 1 - alpha. Pass only one of the two.",
        ),
        Option(
            "interval",
            "Interval of the gain. test: all gains that the test of the verdict does not reject. percentile, basic and "
            "bca use the bootstrap distribution.",
            "IntervalMethod",
            default="test",
            commands="compare rank",
        ),
        Option(
            "tasks",
            "Claim about several datasets (--test-set). count (default): on how many datasets the candidate is "
            "better, and on which. fixed: the average of these datasets. random: other datasets like these.",
            ("count", "fixed", "random"),
            commands="compare rank",
            python="Tasks | str | None",
        ),
        Option(
            "combination",
            "How p-values of datasets are combined. fisher has more power but assumes that datasets are independent.",
            ("bonferroni", "fisher"),
            default="bonferroni",
            commands="compare",
        ),
        Option(
            "family",
            "Comparisons that are corrected together. table: all of one metric, candidates times datasets. candidates: "
            "all candidates on one dataset. datasets: all datasets of one candidate. all: those of all metrics.",
            "Family",
            default="table",
            commands="compare",
        ),
        Option(
            "unpaired",
            "The systems were scored on different items. The default is then an exact test for binary items "
            "(unconditional), else a t-test of two samples (skew-t). Others: permutation and brunner-munzel; for "
            "replication fisher, welch, rank-sum and label-permutation.",
            "flag",
            commands="compare",
            functions="",  # an argument of its own, as results are of another class
        ),
    ),
    "Training sets and runs": (),
    "Tests and resampling": (
        Option(
            "tests",
            "Test, such as bootstrap. May be repeated; the first test gives the verdict. all: all that apply. "
            "Default: randomization for binary items without clusters (exact), binomial for binary items with "
            "--against (exact), score with a margin if the range of scores is known, else skew-t, a t-test corrected "
            "for skewness, with the bootstrap beside it. Others: bootstrap, bootstrap-uncentred, paired-t, cr2-t, "
            "sign, wilcoxon, mcnemar, two-sample-t, two-proportion and chi-squared; crossed-t, permute-runs and "
            "pigeonhole for new runs; two-way-t for two crossed clusterings; randomization-by-response (no verdict) "
            "swaps single spans, brackets, attachments or links.",
            "words",
            name="test",
            short="t",
            commands="compare rank",
            python="SignificanceTest | str | Sequence[SignificanceTest | str] | None",
            kinds='SignificanceTest or str, a sequence of them, or "all"',
            doc="The first test gives the verdict. all: all tests that apply. The default is randomization (exact) for "
            "binary items without clusters, binomial (exact) for such items against a constant, and otherwise skew-t, "
            "a t-test corrected for skewness, with the bootstrap beside it. With a margin it is the score test, if the "
            "range of the scores is known.",
        ),
        Option(
            "emulate",
            "Also print the p-values of another tool. sacrebleu: the two-sided bootstrap and randomization tests "
            "replace the default test, with the p-values of sacreBLEU's formulas beside them. rank accepts wmt24, "
            "wmt25 and wmt26.",
            ("sacrebleu", "wmt24", "wmt25", "wmt26"),
            commands="compare rank",
            functions="rank",
            python='Literal["wmt24", "wmt25", "wmt26"] | None',
            doc="Also compute what WMT's rule would conclude from human scores, as ``ranking.emulated``. It is never "
            "the verdict.",
        ),
        Option(
            "method",
            "How p-values are computed. auto: exact if possible, else sampled. exact: exact, or an error. monte-carlo: "
            "sampled.",
            "Method",
            default="auto",
            commands=f"compare rank score {STUDIES}",
            functions="compare rank score",
        ),
        Option(
            "n_resamples",
            "Maximum number of bootstrap samples or permutations, such as 1e6. Exact p-values need none.",
            "count",
            default=100_000,
            hyphen=True,
            commands="compare rank score",
            doc="Maximum number of bootstrap samples or permutations, at least 1. Exact p-values need none.",
        ),
        Option(
            "seed",
            "Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.",
            "seed",
            hyphen=True,
            commands=f"compare rank score meta judges replicate {STUDIES} {ASSUMED}",
            functions="compare rank score meta judges pilot",
            python_default=12345,
            doc="Random seed, at least 0. The same seed gives the same result to the last bit.",
        ),
        Option(
            "jobs",
            "Threads for resampling, and processes for scoring. Default: one thread, and one process per core for "
            "at least 40,000 outputs. The result does not depend on it.",
            "whole",
            commands="compare rank score",
            functions="",
        ),
        Option(
            "jobs",
            "Processes for scoring. Default: one per core for at least 40,000 outputs.",
            "whole",
            commands="rows",
        ),
        Option(
            "executor",
            "Cluster for resampling: dask://HOST:PORT. Default: $OUTSCORE_EXECUTOR. The result does not depend on it.",
            hyphen=True,
            commands=f"compare rank score {ASSUMED} {STUDIES}",
            functions="compare rank score pilot",
            python="AnyExecutor | None",
            kinds="concurrent.futures.Executor, distributed.Client or str",
            doc='Threads, processes or a Dask cluster ("dask://HOST:PORT") for resampling. The result does not depend '
            "on it.",
        ),
        Option(
            "ties",
            "Whether resamples equal to the threshold count. count: at least as extreme (>=). strict: more extreme "
            "(>).",
            "Ties",
            default="count",
            commands=f"compare rank {STUDIES}",
            functions="compare rank",
        ),
        Option(
            "estimator",
            "Estimator of sampled p-values. add-one: (c+1)/(r+1). plain: c/r.",
            "Estimator",
            default="add-one",
            commands=f"compare rank {STUDIES}",
            functions="compare rank",
        ),
        Option(
            "double_check",
            "Compute resampling tests a second way. Both results are shown.",
            "flag",
            commands="compare",
            doc="Compute resampling tests a second time, with other resamples and exactly if possible (Yeh 2000).",
        ),
        Option("max_t", "Compute max-T p-values.", "flag", default=True, commands="rank"),
        Option(
            "run_law",
            "Distribution of the crossed t-test of new runs. fiducial controls the error rate even with two runs, but "
            "has less power.",
            "RunLaw",
            default="satterthwaite",
            commands="compare rank",
        ),
        Option(
            "run_sd",
            "Standard deviation of a run's score, for systems with one run. Pass a published value, or borrowed for "
            "the value of the other system.",
            hyphen=True,
            commands="compare rank",
            python="float | str | None",
            kinds='float or "borrowed"',
        ),
    ),
    "Output": (
        Option(
            "table",
            "Only the table of a paper: scores, or with intervals. It has the systems and metrics, the best scores, "
            "marks of significance (compare) or letters of groups (rank), and a caption. latex, typst and html always "
            "have this table.",
            ("scores", "intervals"),
            commands="compare rank",
            functions="",
        ),
        Option(
            "methods",
            "Paragraph on methods, with citations. It states data, metrics, tests, corrections, intervals and version "
            "for a paper. --format latex cites by natbib, and --format bibtex prints the references.",
            "flag",
            commands="compare rank score",
            functions="",
        ),
        Option("pairs", "List every pair.", "flag", commands="rank", functions=""),
        Option(
            "details",
            "Print the full result. By default only what decides is printed: no distributions, pairs, further tests or "
            "signature, and several candidates or metrics as a table.",
            "flag",
            commands="compare rank score",
            functions="",
        ),
        Option(
            "format",
            "Output format: text, json, csv, markdown, latex, ... Default: text, or by the suffix of the output file "
            f"({', '.join(end for known in FORMATS.values() for end in known.suffixes if end)}). CSV and Parquet have "
            "one row per metric, candidate and test. latex, typst and html are tables for a paper or a web page, "
            "bibtex the references of --methods.",
            tuple(FORMATS),
            commands="writes",
        ),
        Option("bare", "LaTeX and Typst: only the tabular, without a caption.", "flag", commands="writes"),
        Option(
            "output",
            "Output file (written atomically).",
            short="o",
            hyphen=True,
            commands="writes metrics formats schema skill",
        ),
        Option(
            "output",
            "Output file or folder. One system and one metric: a file ending in .npz. Otherwise a folder (existing, or "
            "ending in /) for files called SYSTEM.METRIC.npz.",
            required=True,
            short="o",
            hyphen=True,
            commands="rows",
        ),
        Option(
            "format",
            "Output format: text, json or markdown.",
            ("text", "json", "markdown"),
            default="text",
            commands="metrics",
        ),
        Option("format", "Output format: text or json.", ("text", "json"), default="text", commands="formats"),
        Option("report", "Self-contained HTML report: tests, figures, items.", commands="writes"),
        Option(
            "title",
            "Title of the HTML report. By default the names of the systems.",
            hyphen=True,
            commands="writes",
        ),
        Option(
            "chart",
            "Chart: .svg, .png, .pdf, .html or .json. One comparison: the bootstrap distribution of the gain. Several "
            "candidates or datasets: a forest plot with a row per comparison. Several metrics: one panel each.",
            commands="writes",
        ),
        Option(
            "chart_of",
            "Content of the chart: scores, gains or p-values. scores: with intervals. gains: by confidence, as in "
            "Figure 2 of BK12. p-values: of all pairs. Several metrics or datasets: one panel each.",
            ("scores", "gains", "p-values"),
            default="scores",
            commands="rank",
            functions="",
        ),
        Option(
            "quiet",
            "Print one sentence per comparison, and no progress.",
            "flag",
            short="q",
            commands="writes",
        ),
        Option("quiet", "Print nothing, and no progress.", "flag", short="q", commands="rows"),
    ),
}


@cache
def table() -> tuple[tuple[str, Option], ...]:
    """Return all options with their groups, in the order of the help; those of wings last."""
    of_wings = import_module("outscore.wing_options").WING_OPTIONS
    return tuple((group, option) for options in (OPTIONS, of_wings) for group in OPTIONS for option in options[group])


# Options of the core as they are written without the hyphens, and their short forms, by argument. The first of those
# with the same argument counts.
_OF_CORE = [option for several in OPTIONS.values() for option in several]
_WRITTEN = {option.argument: option.spelled for option in reversed(_OF_CORE)}


@cache
def _of_wing(argument: str) -> tuple[str, str]:
    """Return an option of a wing as it is written without the hyphens, and its short form."""
    return next((option for _, option in table() if option.argument == argument), Option(argument)).spelled


_SPEAKS_OPTIONS: ContextVar[bool] = ContextVar("outscore_speaks_options", default=False)


@contextmanager
def speaking_options(*, speaks: bool = True) -> Iterator[None]:
    """Make messages name options of the command line instead of arguments in Python."""
    token = _SPEAKS_OPTIONS.set(speaks)
    try:
        yield
    finally:
        _SPEAKS_OPTIONS.reset(token)


def speak_options(*, speaks: bool = True) -> None:
    """Make messages name options in this thread or process. New threads and processes do not inherit it."""
    _SPEAKS_OPTIONS.set(speaks)


def speaks_options() -> bool:
    """Return whether messages name options of the command line."""
    return _SPEAKS_OPTIONS.get()


def opt(argument: str, value: str | Literal[True] | None = None, *, short: bool = False) -> str:
    """Return an argument as users write it: an option on the command line, an argument in Python.

    `value` is a word, a placeholder in capital letters, or quoted text; True for a flag. `short` chooses the short
    option, such as ``-m``.

    Examples
    --------
    >>> opt("runs", "random"), opt("clusters"), opt("drop_missing", True)
    ('runs="random"', 'clusters', 'drop_missing=True')
    >>> with speaking_options():
    ...     opt("runs", "random"), opt("clusters"), opt("drop_missing", True), opt("metric", "f", short=True)
    ('--runs random', '--cluster', '--missing drop', '-m f')
    """
    if _SPEAKS_OPTIONS.get():
        long, letter = _WRITTEN.get(argument) or _of_wing(argument)
        option = f"-{letter}" if short else f"--{long}"
        return option if value is None or value is True else f"{option} {value}"
    if value is None:
        return argument
    if isinstance(value, bool) or value.startswith('"') or value.isupper() or value.replace(".", "").isdigit():
        return f"{argument}={value}"
    return f'{argument}="{value}"'


def advice_on_nested(path: str) -> str:
    """Return the advice on a file whose cells are objects. Maps need the wing of logs."""
    has_maps = has_wing("logs")
    return f"For nested fields pass a map: {suggest_map(path)}" if has_maps else "Write each field as a column."


def suggest_map(path: str) -> str:
    """Return the advice to get a map of the fields of a file."""
    with speaking_options():
        command = f"outscore logs {opt('suggest_map', printable(path))}"
    return f"{command} suggests one for {opt('mapping')}."


class FormerOption(NamedTuple):
    """An option and argument of an earlier version, or a value of one.

    Attributes
    ----------
    argument : str
        Its name in Python. The option has hyphens.
    users : str
        The commands and functions that had it; all if empty.
    value : str
        The value that was dropped; all values if empty.
    now : tuple of str
        Its new name; or the option and value to use instead of it; or nothing, if it should be omitted.
    """

    argument: str
    users: str = ""
    value: str = ""
    now: tuple[str, ...] = ()

    @property
    def is_renamed(self) -> bool:
        """Whether only the name has changed. Otherwise it was dropped."""
        return len(self.now) == 1

    @property
    def what(self) -> str:
        """What happened to it."""
        return f"renamed to {opt(*self.now)}" if self.is_renamed else "dropped in version 1.0"

    @property
    def advice(self) -> str:
        """What to write instead."""
        if self.is_renamed:
            return "The old name works until version 2."
        return f"Use {opt(*self.now)}." if self.now else leave_out()


# Later entries count only if those before do not apply.
FORMER_OPTIONS = (
    FormerOption("undecided", "gate", value="undecided"),  # the default
    FormerOption("undecided", "gate", now=("inconclusive",)),
    FormerOption("unit", "compare", now=("tests", "randomization-by-response")),
    FormerOption("format", value="every-eval-ever", now=("format", "json")),
)


def former_option(user: str, argument: str, value: object) -> FormerOption | None:
    """Return the entry of `FORMER_OPTIONS` on an argument of a command or function, if there is one."""
    return next(
        (
            former
            for former in FORMER_OPTIONS
            if argument == former.argument
            and (not former.users or user in former.users.split())
            and former.value in ("", value)
        ),
        None,
    )


def named_otherwise(name: str) -> list[str]:
    """Return how to write what is called `name` on the other side, in Python or on the command line.

    Examples
    --------
    >>> named_otherwise("score"), named_otherwise("missing"), named_otherwise("m"), named_otherwise("seed")
    (['score_column'], ['drop_missing=True', 'zero_missing=True'], ['metric'], [])
    >>> with speaking_options():
    ...     named_otherwise("--score-column"), named_otherwise("drop_missing"), named_otherwise("score")
    (['--score'], ['--missing drop'], [])
    """
    name = name.strip("-").replace("-", "_")
    ways = list[str]()
    for _, option in table():
        name_here, names_there = option.argument, {option.parameter, option.short}
        if speaks_options():
            name_here, names_there = option.parameter, {option.argument}
        if name and name != name_here and name in names_there:
            ways.append(opt(option.argument, True if option.value else None))
    return list(dict.fromkeys(ways))


def explaining_names(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function that refuses unknown arguments; the error says what Python calls an option.

    A renamed argument of an earlier version works and warns.
    """
    known = signature(function).parameters
    takes_others = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())

    @wraps(function)
    def explaining(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        for name in kwargs.keys() - known:
            former = former_option(function.__name__, name, kwargs[name])
            if former is not None:
                message = f"{name}: {former.what}. {former.advice}"
                if not former.is_renamed:
                    raise TypeError(message)
                (current,) = former.now
                if current in kwargs:
                    raise TypeError(f"{name}: {former.what}. Pass only {current}.")
                warnings.warn(message, FutureWarning, stacklevel=3)
                kwargs[current] = kwargs.pop(name)
                continue
            ours = [argument for argument in named_otherwise(name) if argument.partition("=")[0] in known]
            if ours:
                raise TypeError(f"unexpected keyword argument {name!r}. Use {' or '.join(ours)}.")
            if not takes_others:
                offer = nearest(name, known)
                offer = f". {offer}" if offer.startswith("Did") else ""
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{offer}")
        return function(*args, **kwargs)

    return explaining


def leave_out() -> str:
    """Return the advice to omit the option or argument of a problem."""
    return "Omit the option." if speaks_options() else "Omit it."
