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


# The group of crossed factors' options, which stand beside the factors.
FACTOR_OPTIONS = "Runs, samples, strata that weigh and test sets"

# By group of the help.
OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "Systems and items": (
        Option(
            "metric",
            "Of columns: mean (one score an item), accuracy (0 or 1), ratio (columns numerator, denominator), "
            "precision, recall or f1 (columns tp, predicted, gold), perplexity, bits-per-byte. Of outputs, with "
            "--reference: bleu, chrf, ter, rougeL, las, bracket-f1, aer, span-f1, accuracy, macro-f1, exact-match, "
            "wer, ap, ndcg@10, pearson and more; options as in bleu:tokenize=zh. Several as bleu,chrf or by "
            "repetition; in any letter case, and as sacreBLEU and trec_eval call them.",
            "texts",
            short="m",
        ),
        Option(
            "references",
            "A file of references: systems are then files of outputs. May be repeated for metrics that take several.",
            "texts",
            name="reference",
            short="r",
            hyphen=True,
        ),
        Option(
            "input_format",
            "How outputs and references are written, where neither name nor content tells, as NAME:OPTION=VALUE,...; "
            "outscore formats lists them.",
        ),
        Option("lower_is_better", "For mean and ratio: scores are losses or errors.", "flag"),
        Option("id_column", "The column of item ids. Guessed by default.", name="id"),
        Option("score_column", "The column of scores. Guessed by default.", name="score"),
        Option(
            "drop_missing",
            "What to do about items, or runs of items, that a system lacks: an error, leave the items out, or score 0.",
            ("error", "drop", "zero"),
            default="error",
            name="missing",
            value="drop",
        ),
        Option("zero_missing", name="missing", value="zero"),
        Option(
            "clusters",
            "Items that belong together (documents, prompts): a column of the score table, a file of one label a line, "
            "or FILE:COLUMN. Clusters are resampled and swapped whole. Two crossed clusterings (document, annotator) "
            "as --cluster A --cluster B, in compare alone.",
            "texts",
            name="cluster",
        ),
        Option(
            "strata",
            "Parts of the test set whose size is fixed (domains, languages), named like clusters. Each needs two "
            "items, or clusters.",
            name="stratum",
        ),
        Option(
            "collapse_strata",
            "Merge strata of one item, or cluster: into one together, a single one into the smallest other stratum.",
            "flag",
        ),
        Option(
            "skip_unreadable",
            "Leave out systems that cannot be read, or that lack items of the others, and say which and why.",
            "flag",
        ),
        Option("families", "FILE:COLUMN of a table that holds a family (research group, base model) for every system."),
        Option(
            "task",
            "Of logs: the task, or group of tasks, to read; may be repeated. Default: all, each a test set of its own.",
            "texts",
        ),
        Option(
            "total",
            "Of logs that name only what was solved: the number of items of the test set, or a file of their ids.",
        ),
        Option(
            "duplicates",
            "Of logs: which record is kept where several of an item and run have different scores. Default: an error.",
            ("first", "last"),
        ),
        Option(
            "baseline",
            "The system to beat, by its name or file; all others are candidates. Default: the first one named.",
        ),
        Option(
            "against",
            "A constant in the place of the baseline, in the unit of the score: of preferences (1, 0.5 for a tie, 0) "
            "0.5. All systems are then candidates, and one is enough.",
            hyphen=True,
        ),
        Option("source", "For the report: a file of one source text an item, such as what was to be translated."),
        *_of_wings("relations to from others=transfer stratum=transfer-from"),
    ),
    FACTOR_OPTIONS: (
        Option(
            "weights",
            "The share of each stratum in the score: macro (the same for all), size (as its items), or a table with "
            "the columns stratum and weight. Default: all items weigh the same.",
        ),
        Option(
            "test_sets",
            "Test sets, tasks, languages that have scores of their own, named like clusters.",
            name="test_set",
        ),
        Option(
            "run_law",
            "Of the crossed t test of random runs; fiducial keeps its level with two runs, too, and finds less.",
            "RunLaw",
            default="satterthwaite",
        ),
        Option(
            "run_sd",
            "Where a system has one run: the standard deviation of its score from run to run, as published, or "
            "borrowed from the other system.",
            hyphen=True,
        ),
        Option(
            "tasks",
            "With --test-set, what is claimed. count (default): on at least how many test sets the candidate is "
            "better, and on which; fixed: of their average; random: of other tasks like these.",
            ("count", "fixed", "random"),
        ),
        Option(
            "combination",
            "Of the p-values of test sets; fisher counts more, of independent ones.",
            ("bonferroni", "fisher"),
            default="bonferroni",
        ),
        *_of_wings("item_sd interaction_sd cost_item cost_run"),
    ),
    "What is asked": (
        Option(
            "unit",
            "response: beside the verdict, which is that of items (or clusters), a randomization that swaps every "
            "response by itself, as Yeh did: each span, bracket, attachment or link that one system gave and the other "
            "did not.",
            "Unit",
            default="item",
        ),
        Option(
            "alternative",
            "About the gain, which is positive where the candidate is better. Default: two-sided; greater and less are "
            "for a direction that was fixed before looking.",
            "Alternative",
        ),
        Option(
            "correction",
            "What ranks and groups go by: max-t (the default with the default test and the bootstrap), holm (the "
            "default with other tests and with random runs), bh or none.",
            "Correction",
        ),
        Option(
            "claim",
            "What is claimed of the candidate; not-worse and equivalent need a margin.",
            "Claim",
            default="better",
        ),
        Option(
            "margin",
            "The largest loss that would not matter, in the unit of the score: of a share such as accuracy, or of "
            "scores that are 0 or 1, 1% or 0.01, of a metric such as BLEU 1 for one point.",
            hyphen=True,
        ),
        Option("alpha", "Level of the verdict; the interval's confidence level is 1 - alpha. Default: 0.05.", "number"),
        Option("confidence_level", "The same, the other way round: 0.95 is --alpha 0.05.", "number"),
        Option(
            "interval",
            "test: all gains that the test of the verdict does not reject. Or one from the bootstrap law.",
            "IntervalMethod",
            default="test",
        ),
        Option(
            "unpaired",
            "The systems were scored on different items: two independent samples. Tests are then welch (the default), "
            "rank-sum and label-permutation, and the score has to be the mean of the items' own.",
            "flag",
        ),
        *_of_wings(
            "items gain observed helped hurt sd sizes subsets repeats comparisons window min_pairs looks look error "
            "undecided commit config same_run sequential target=power hurt_percents=hurt-percent rule=fit"
        ),
    ),
    "Training sets and runs": (
        *_of_wings("train out replicates family header suffix timeout redo keep_training_sets"),
    ),
    "Tests and resamples": (
        Option(
            "tests",
            "A test; may be repeated; the first gives the verdict. By default auto: randomization (exact) for items "
            "scored 0 or 1 without clusters, binomial (exact) for such items with --against, else skew-t, a t-test "
            "corrected for skewness; with a margin score, where the range of the scores is known. The bootstrap is "
            "shown beside it. Others: bootstrap, bootstrap-uncentred, paired-t, cr2-t, sign, wilcoxon, mcnemar, two-"
            "sample-t, two-proportion, chi-squared, or all; of random runs or templates crossed-t, permute-runs, "
            "pigeonhole; of two crossed clusterings two-way-t.",
            "texts",
            name="test",
            short="t",
        ),
        Option(
            "emulate",
            "sacrebleu: bootstrap and randomization, two-sided, and beside them the p-values of sacreBLEU's formula, "
            "with what makes them differ.",
            ("sacrebleu",),
        ),
        Option(
            "method",
            "auto: exact wherever possible; exact: or an error; monte-carlo: sampled.",
            "Method",
            default="auto",
        ),
        Option(
            "n_resamples",
            "Resamples at most, where p-values are sampled; 1e6 is understood.",
            default="100000",
            hyphen=True,
        ),
        Option("seed", "A whole number, or none to draw one. Default: $OUTSCORE_SEED, or 12345.", hyphen=True),
        Option(
            "jobs",
            "Threads for resampling (default: one), and processes for scoring outputs where that pays (default: one "
            "for each core). The result does not depend on it.",
            "whole",
        ),
        Option(
            "executor",
            "The cluster that resamples: dask://HOST:PORT, the scheduler of Dask. Default: $OUTSCORE_EXECUTOR, or "
            "none. The result does not depend on it.",
            hyphen=True,
        ),
        Option("ties", "Whether a replicate equal to the threshold counts (>=) or not (>).", "Ties", default="count"),
        Option("estimator", "Of sampled p-values: add-one (c+1)/(r+1), or plain c/r.", "Estimator", default="add-one"),
        Option("double_check", "Compute resampling tests a second time, another way, and show both.", "flag"),
        Option("max_t", "Whether to compute max-T at all.", "flag", default=True),
        *_of_wings("test n_sets n_checks=checks"),
    ),
    "Output": (
        Option(
            "format",
            "Default: text, or what the name of the output file says (.txt, .json, .csv, .parquet, .md, .tex). CSV and "
            "Parquet hold one row a metric, candidate and test. every-eval-ever is one record a system: an array of "
            "them, or a file each where the output is a folder.",
            ("text", "json", "csv", "parquet", "markdown", "latex", "every-eval-ever"),
        ),
        Option("output", "Write to this file; whole, or not at all.", short="o", hyphen=True),
        Option(
            "report",
            "Write a page (HTML) to this file: one file that loads nothing, with the law of the gain, the tests and "
            "the items.",
        ),
        Option(
            "chart",
            "Draw into this file: .svg, .png, .pdf, .html or .json. One comparison: the bootstrap distribution of the "
            "gain. Several candidates or test sets: a forest plot, one row per comparison with its gain, interval and "
            "a line at 0. Several metrics: a panel each.",
        ),
        Option(
            "chart_of",
            "What the chart shows: scores with their intervals; gains against confidence, as BK12's Figure 2; or the "
            "p-values of all pairs. Several metrics or test sets: a panel each.",
            ("scores", "gains", "p-values"),
            default="scores",
        ),
        Option("pairs", "List every pair.", "flag"),
        Option("details", "Show of several candidates or metrics not only the table, but each by itself, too.", "flag"),
        Option("bare", "In LaTeX: the tabular alone, without a table around it.", "flag"),
        Option("quiet", "Print only the sentence of each comparison, and no progress.", "flag", short="q"),
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
