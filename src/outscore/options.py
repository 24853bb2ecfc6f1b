"""The options of the command line and the arguments of Python, in one table, and how messages call them.

A message calls an option by `opt`: the same line is ``--runs random`` on the command line and ``runs="random"`` in
Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple


class Option(NamedTuple):
    """An option of the command line, and the argument of Python that it is.

    Attributes
    ----------
    argument : str
        As Python calls it.
    help : str
        What ``--help`` says of it, where the command does not say something else. Empty for options of wings: their
        commands have it.
    type : str or tuple of str
        text, texts (it may be repeated), flag, whole, number, an enumeration of `outscore.results`, or the words that
        it can be.
    default : str or True, optional
        As ``--help`` shows it; nothing without it, and False of a flag.
    name : str
        The option without hyphens, where it is not the argument.
    short : str
        Of one letter, as ``m`` of ``-m``.
    hyphen : bool
        Whether a value may begin with a hyphen.
    value : str
        That of the option, where the argument is a flag.
    """

    argument: str
    help: str = ""
    type: str | tuple[str, ...] = "text"
    default: str | Literal[True] | None = None
    name: str = ""
    short: str = ""
    hyphen: bool = False
    value: str = ""

    @property
    def parameter(self) -> str:
        """The parameter of the command that it is."""
        return self.name or self.argument


def _of_wings(options: str) -> tuple[Option, ...]:
    """Return options whose commands tell the rest, each as ``argument`` or ``argument=name``."""
    named = (option.partition("=") for option in options.split())
    return tuple(Option(argument, name=name) for argument, _, name in named)


# The group of crossed factors' options, which stand beside the other options of data.
FACTOR_OPTIONS = "Data (a leaderboard file can hold these)"

# By group of the help. The first sentence of a help text is all that --help shows.
OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "Systems and metrics": (
        Option("baseline", "Baseline, by name or file (default: the first system)."),
        Option(
            "metric",
            "Metric, such as accuracy, bleu or ndcg@10. Repeat it or use commas for several: bleu,chrf. Metrics of "
            "columns are mean (one score per item), accuracy (0 or 1), ratio (numerator, denominator), precision, "
            "recall and f1 (tp, predicted, gold), perplexity and bits-per-byte. Metrics of outputs need --reference. "
            "Options follow a colon: bleu:tokenize=zh. outscore metrics lists all metrics and their options.",
            "texts",
            short="m",
        ),
        Option(
            "references",
            "References; the systems are then files of outputs. Repeat it for several references per item.",
            "texts",
            name="reference",
            short="r",
            hyphen=True,
        ),
        Option(
            "against",
            "Compare with a constant instead of a baseline. It is in the unit of the score: 0.5 for preferences (1, "
            "0.5 for a tie, 0). One system is then enough.",
            hyphen=True,
        ),
        Option(
            "input_format",
            "Format of outputs and references, if not recognized. It is written as NAME:OPTION=VALUE,...; outscore "
            "formats lists all formats.",
        ),
        Option("lower_is_better", "Lower scores are better (mean and ratio).", "flag"),
        Option("source", "Source texts to show in the report, one per item."),
        Option(
            "families", "Family of each system: FILE:COLUMN of a table. A family is a research group or base model."
        ),
        Option(
            "skip_unreadable",
            "Skip systems that cannot be read or lack items. A note names each one and says why.",
            "flag",
        ),
        Option(
            "task", "Task to read from evaluation logs. May be repeated. Default: all tasks, each a dataset.", "texts"
        ),
        Option(
            "total",
            "Number of items, for logs that list only solved ones. Or a file with all item ids.",
        ),
        Option(
            "duplicates",
            "Record to keep if an item occurs twice in a log. Default: different scores are an error.",
            ("first", "last"),
        ),
        *_of_wings("relations to from others=transfer stratum=transfer-from"),
    ),
    FACTOR_OPTIONS: (
        Option("id_column", "Column of item ids. Default: recognized by its name.", name="id"),
        Option("score_column", "Column of scores. Default: recognized by its name.", name="score"),
        Option(
            "drop_missing",
            "Missing items: error, drop them, or score them 0. The same holds for runs of items.",
            ("error", "drop", "zero"),
            default="error",
            name="missing",
            value="drop",
        ),
        Option("zero_missing", name="missing", value="zero"),
        Option(
            "clusters",
            "Items that are not independent: column or FILE. Documents and prompts are clusters, for example. Name a "
            "column of the score table, a file with one label per line, or FILE:COLUMN. Clusters are resampled as a "
            "whole. compare takes two crossed clusterings: --cluster document --cluster annotator.",
            "texts",
            name="cluster",
        ),
        Option(
            "strata",
            "Strata of fixed size, such as domains: column or FILE. They are named like clusters. Each stratum needs "
            "two items or clusters.",
            name="stratum",
        ),
        Option(
            "collapse_strata",
            "Merge strata of one item or cluster. Several become one stratum. A single one joins the smallest other "
            "stratum.",
            "flag",
        ),
        Option(
            "weights",
            "Weights of the strata: macro, size, or a table. macro weighs all strata equally, size by their items. A "
            "table has the columns stratum and weight. Default: all items weigh the same.",
        ),
        Option(
            "test_sets",
            "Datasets with scores of their own: column or FILE. Tasks and languages are datasets, for example. They "
            "are named like clusters.",
            name="test_set",
        ),
        *_of_wings("item_sd interaction_sd cost_item cost_run"),
    ),
    "Question": (
        Option(
            "claim",
            "Claim: better, not-worse or equivalent. not-worse and equivalent need --margin.",
            "Claim",
            default="better",
        ),
        Option(
            "margin",
            "Largest loss that does not matter, such as 1% or 0.5. It is in the unit of the score: 1% or 0.01 for "
            "proportions such as accuracy, 0.5 for half a BLEU point.",
            hyphen=True,
        ),
        Option("alpha", "Significance level (default: 0.05). Intervals have the confidence level 1 - alpha.", "number"),
        Option("confidence_level", "Confidence level, 1 - alpha. 0.95 is the same as --alpha 0.05.", "number"),
        Option(
            "alternative",
            "Direction of the test. Use greater or less only if the direction was fixed before looking at the data. "
            "Default: two-sided.",
            "Alternative",
        ),
        Option(
            "correction",
            "Correction for multiple comparisons. Default: max-t with the default test and the bootstrap, holm with "
            "other tests and with new runs.",
            "Correction",
        ),
        Option(
            "interval",
            "Interval of the gain. test: all gains that the test of the verdict does not reject. The others come from "
            "the bootstrap distribution.",
            "IntervalMethod",
            default="test",
        ),
        Option(
            "unpaired",
            "The systems were scored on different items. The tests are then welch (the default), rank-sum and "
            "label-permutation. The score must be the mean of item scores.",
            "flag",
        ),
        Option(
            "tasks",
            "Claim about several datasets (--test-set). count (default): on how many datasets the candidate is "
            "better, and on which. fixed: the average of these datasets. random: other datasets like these.",
            ("count", "fixed", "random"),
        ),
        Option(
            "combination",
            "How p-values of datasets are combined. fisher assumes that datasets are independent and finds more.",
            ("bonferroni", "fisher"),
            default="bonferroni",
        ),
        Option(
            "unit",
            "Unit that randomization swaps. response swaps single spans, brackets, attachments or links that only one "
            "system gave, as Yeh (2000) did. The verdict is still that of items or clusters.",
            "Unit",
            default="item",
        ),
        *_of_wings(
            "items gain observed helped hurt sd sizes subsets repeats comparisons window min_pairs looks look error "
            "undecided commit config same_run sequential target=power hurt_percents=hurt-percent rule=fit "
            "statistic epsilon systems documents ratings"
        ),
    ),
    "Training sets and runs": (
        *_of_wings("train out replicates family header suffix timeout redo keep_training_sets"),
    ),
    "Tests and resampling": (
        Option(
            "tests",
            "Test, such as bootstrap. It may be repeated, and the first test gives the verdict. all: all that apply. "
            "Default: randomization for binary items without clusters (exact), binomial for binary items with "
            "--against (exact), score with a margin if the range of scores is known, else skew-t, a t-test corrected "
            "for skewness. The bootstrap is shown beside it. Others: bootstrap, bootstrap-uncentred, paired-t, cr2-t, "
            "sign, wilcoxon, mcnemar, two-sample-t, two-proportion and chi-squared; crossed-t, permute-runs and "
            "pigeonhole for new runs; two-way-t for two crossed clusterings.",
            "texts",
            name="test",
            short="t",
        ),
        Option(
            "emulate",
            "Also print the p-values of another tool. sacrebleu: two-sided bootstrap and randomization, and beside "
            "them the p-values of sacreBLEU's formulas. rank knows wmt24 and wmt25.",
            ("sacrebleu", "wmt24", "wmt25"),
        ),
        Option(
            "method",
            "How p-values are computed. auto: exact if possible. exact: exact or an error. monte-carlo: sampled.",
            "Method",
            default="auto",
        ),
        Option(
            "n_resamples",
            "Largest number of resamples. It applies where p-values are sampled. 1e6 is understood.",
            default="100000",
            hyphen=True,
        ),
        Option("seed", "Random seed, or none to draw one. Default: $OUTSCORE_SEED, or 12345.", hyphen=True),
        Option(
            "jobs",
            "Threads for resampling and processes for scoring. Default: one thread, and one process per core if that "
            "saves time. The result does not depend on it.",
            "whole",
        ),
        Option(
            "executor",
            "Cluster that resamples: dask://HOST:PORT. Default: $OUTSCORE_EXECUTOR. The result does not depend on it.",
            hyphen=True,
        ),
        Option(
            "ties",
            "Whether resamples equal to the threshold count. count: at least as extreme (>=). strict: more extreme "
            "(>).",
            "Ties",
            default="count",
        ),
        Option(
            "estimator",
            "Estimator of sampled p-values. add-one: (c+1)/(r+1). plain: c/r.",
            "Estimator",
            default="add-one",
        ),
        Option("double_check", "Compute resampling tests a second way. Both results are shown.", "flag"),
        Option("max_t", "Compute max-T.", "flag", default=True),
        Option(
            "run_law",
            "Distribution of the crossed t-test of new runs. fiducial keeps its level with two runs as well, and finds "
            "less.",
            "RunLaw",
            default="satterthwaite",
        ),
        Option(
            "run_sd",
            "Standard deviation of a run's score, for systems with one run. A published figure, or borrowed from the "
            "other system.",
            hyphen=True,
        ),
        *_of_wings("test n_sets n_checks=checks"),
    ),
    "Output": (
        Option(
            "format",
            "Output format: text, json, csv, markdown, latex, ... Default: text, or the one of the output file (.txt, "
            ".json, .csv, .parquet, .md, .tex). CSV and Parquet have one row per metric, candidate and test. "
            "every-eval-ever writes one record per system: an array, or one file each if the output is a folder.",
            ("text", "json", "csv", "parquet", "markdown", "latex", "every-eval-ever"),
        ),
        Option("output", "Output file (written atomically).", short="o", hyphen=True),
        Option(
            "report",
            "Self-contained HTML report. It holds the tests, the figures and the items.",
        ),
        Option(
            "chart",
            "Chart: .svg, .png, .pdf, .html or .json. One comparison: the bootstrap distribution of the gain. Several "
            "candidates or datasets: a forest plot with a row per comparison. Several metrics: one panel each.",
        ),
        Option(
            "chart_of",
            "What the chart shows: scores, gains or p-values. scores have intervals; gains are drawn against "
            "confidence, as in Figure 2 of BK12; p-values are those of all pairs. Several metrics or datasets: one "
            "panel each.",
            ("scores", "gains", "p-values"),
            default="scores",
        ),
        Option("pairs", "List every pair.", "flag"),
        Option("details", "Print each candidate and metric in full. Several are a table by default.", "flag"),
        Option("bare", "LaTeX: only the tabular, without a table around it.", "flag"),
        Option("quiet", "Print one sentence per comparison, and no progress.", "flag", short="q"),
        *_of_wings("table shell junit github"),
    ),
}
_BY_ARGUMENT = {
    option.argument: f"{option.parameter.replace('_', '-')} {option.value}".rstrip()
    for options in OPTIONS.values()
    for option in options
}
_SHORT = {option.argument: option.short for options in OPTIONS.values() for option in options if option.short}

_SPEAKS_OPTIONS: ContextVar[bool] = ContextVar("outscore_speaks_options", default=False)


@contextmanager
def speaking_options(*, speaks: bool = True) -> Iterator[None]:
    """Let messages name options of the command line, as it does; else they name arguments of Python."""
    token = _SPEAKS_OPTIONS.set(speaks)
    try:
        yield
    finally:
        _SPEAKS_OPTIONS.reset(token)


def speak_options(*, speaks: bool = True) -> None:
    """Let messages name options in this thread or process from now on; new ones do not inherit it."""
    _SPEAKS_OPTIONS.set(speaks)


def speaks_options() -> bool:
    """Tell whether messages name options of the command line."""
    return _SPEAKS_OPTIONS.get()


def opt(argument: str, value: str | Literal[True] | None = None, *, short: bool = False) -> str:
    """Return how users write an argument: as an option on the command line, as an argument in Python.

    Parameters
    ----------
    argument : str
        As Python calls it.
    value : str or True, optional
        A word, or what stands for one in capital letters, or quoted text; True is that of a flag.
    short : bool
        Whether the command line has it as ``-m``.

    Examples
    --------
    >>> opt("runs", "random"), opt("clusters"), opt("drop_missing", True)
    ('runs="random"', 'clusters', 'drop_missing=True')
    >>> with speaking_options():
    ...     opt("runs", "random"), opt("clusters"), opt("drop_missing", True), opt("metric", "f", short=True)
    ('--runs random', '--cluster', '--missing drop', '-m f')
    """
    if _SPEAKS_OPTIONS.get():
        option = f"-{_SHORT[argument]}" if short else f"--{_BY_ARGUMENT.get(argument) or argument.replace('_', '-')}"
        return option if value is None or value is True else f"{option} {value}"
    if value is None:
        return argument
    if isinstance(value, bool) or value.startswith('"') or value.isupper() or value.replace(".", "").isdigit():
        return f"{argument}={value}"
    return f'{argument}="{value}"'


def leave_out() -> str:
    """Return the advice to leave out the option or argument that a problem is about."""
    return "Leave the option out." if speaks_options() else "Leave it out."
