"""The table of options of the command line and arguments of Python, and their names in messages.

Messages name an option by `opt`, which returns ``--runs random`` on the command line and ``runs="random"`` in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from typing import Literal, NamedTuple, ParamSpec, TypeVar

from outscore.text.naming import printable
from outscore.wings import has_wing

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Option(NamedTuple):
    """An option of the command line and its argument in Python.

    Attributes
    ----------
    argument : str
        The name of the argument in Python.
    help : str
        The text of ``--help``, unless the command has its own. Empty for options of wings, whose commands have it.
    type : str or tuple of str
        text, texts (may be repeated), flag, whole, number, an enumeration of `outscore.results`, or a tuple of choices.
    default : str or True, optional
        The default in ``--help``. A flag without it is False.
    name : str
        The option without hyphens, if it differs from the argument.
    short : str
        The short option, such as ``m`` for ``-m``.
    hyphen : bool
        Whether a value may begin with a hyphen.
    value : str
        The value of the option, if the argument is a flag.
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
        """The name of the command's parameter."""
        return self.name or self.argument


def _of_wings(options: str) -> tuple[Option, ...]:
    """Return options that are described in the commands of wings, each given as ``argument`` or ``argument=name``."""
    named = (option.partition("=") for option in options.split())
    return tuple(Option(argument, name=name) for argument, _, name in named)


# The group of options for data, including those of crossed factors.
FACTOR_OPTIONS = "Data (a leaderboard file can hold these)"

# By group of the help. --help shows only the first sentence of a help text.
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
            "Compare with a constant instead of a baseline. The constant is in the unit of the score, such as 0.5 for "
            "preferences (1, 0.5 for a tie, 0). Pass one system or more. If a column such as order has the order of "
            "the answers, the verdicts on an item in both orders are one unit.",
            hyphen=True,
        ),
        Option(
            "input_format",
            "Format of outputs and references, if not recognized. Write it as NAME:OPTION=VALUE,... and list all "
            "formats with outscore formats.",
        ),
        Option("lower_is_better", "Lower scores are better (mean and ratio).", "flag"),
        Option("records", "Dotted path of the list of records in JSON files that have several, such as run.results."),
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
            "mapping",
            "Map of fields (TOML), to read files of any format like evaluation logs. outscore logs --suggest-map FILE "
            "suggests one.",
            name="map",
        ),
        Option(
            "total",
            "Number of items, for logs that list only solved items. Or a file with all item ids.",
        ),
        Option(
            "duplicates",
            "Record to keep if an item occurs twice in a log. Default: different scores are an error.",
            ("first", "last"),
        ),
        Option(
            "follow_links",
            "Follow links in folders of logs that lead out of the folder. Default: they are left out with a note.",
            "flag",
        ),
        *_of_wings("relations to from others=transfer stratum=transfer-from suggest_map"),
    ),
    FACTOR_OPTIONS: (
        Option("id_column", "Column of item ids. Default: recognized by its name.", name="id"),
        Option("score_column", "Column of scores. Default: recognized by its name.", name="score"),
        Option("human", "Column of human labels, empty for most items; needs --judge."),
        Option(
            "judge",
            "Column of a judge's labels of all items; needs --human. The score is prediction-powered: that of human "
            "labels, made more precise by the judge's. A judge is a metric or a language model.",
        ),
        Option(
            "drop_missing",
            "Missing items: error, drop them, or score them 0. The same applies to missing runs of items.",
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
            "whole. compare takes two crossed clusterings: --cluster document --cluster annotator. none: items are "
            "independent, whatever logs, formats or leaderboard files declare.",
            "texts",
            name="cluster",
        ),
        Option(
            "strata",
            "Strata of fixed size, such as domains: column or FILE. They are named like clusters. Each stratum needs "
            "two items or clusters. none: no strata.",
            name="stratum",
        ),
        Option(
            "collapse_strata",
            "Merge strata of one item or cluster. Several are merged into one stratum. A single one is merged with the "
            "smallest other stratum.",
            "flag",
        ),
        Option(
            "weights",
            "Weights of the strata: macro, size, or a table. macro weighs all strata equally, size by their items. A "
            "table has the columns stratum and weight. Default: all items weigh the same.",
        ),
        Option(
            "test_sets",
            "Dataset of each item: column or FILE. Tasks and languages are datasets, for example, and each has its own "
            "score. They are named like clusters.",
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
        Option(
            "best_of",
            "The system was chosen on these items as the best of this many. For checkpoints of which only the best is "
            "at hand. score allows for the choice in the interval, and compare warns, because a test cannot. With the "
            "scores of all, use outscore rank.",
            "whole",
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
            "family",
            "Comparisons that are corrected together. table: all of one metric, candidates times datasets. candidates: "
            "all candidates on one dataset. datasets: all datasets of one candidate. all: those of all metrics.",
            "Family",
            default="table",
        ),
        Option(
            "interval",
            "Interval of the gain. test: all gains that the test of the verdict does not reject. percentile, basic and "
            "bca use the bootstrap distribution.",
            "IntervalMethod",
            default="test",
        ),
        Option(
            "unpaired",
            "The systems were scored on different items. The default is then an exact test for binary items "
            "(unconditional), else a t-test of two samples (skew-t). Others: permutation and brunner-munzel; for "
            "replication fisher, welch, rank-sum and label-permutation.",
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
            "How p-values of datasets are combined. fisher has more power but assumes that datasets are independent.",
            ("bonferroni", "fisher"),
            default="bonferroni",
        ),
        *_of_wings(
            "items gain observed helped hurt sd sizes subsets repeats comparisons window min_pairs looks look error "
            "inconclusive commit config same_run sequential target=power hurt_percents=hurt-percent rule=fit "
            "statistic epsilon systems documents ratings columns level positions people"
        ),
    ),
    "Training sets and runs": (*_of_wings("train out unit replicates header suffix timeout redo keep_training_sets"),),
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
            "texts",
            name="test",
            short="t",
        ),
        Option(
            "emulate",
            "Also print the p-values of another tool. sacrebleu: two-sided bootstrap and randomization tests, together "
            "with the p-values of sacreBLEU's formulas. rank accepts wmt24, wmt25 and wmt26.",
            ("sacrebleu", "wmt24", "wmt25", "wmt26"),
        ),
        Option(
            "method",
            "How p-values are computed. auto: exact if possible, else sampled. exact: exact, or an error. monte-carlo: "
            "sampled.",
            "Method",
            default="auto",
        ),
        Option(
            "n_resamples",
            "Maximum number of bootstrap samples or permutations, such as 1e6. Exact p-values need none.",
            default="100000",
            hyphen=True,
        ),
        Option("seed", "Random seed, or none for a random seed. Default: $OUTSCORE_SEED, or 12345.", hyphen=True),
        Option(
            "jobs",
            "Threads for resampling, and processes for scoring. Default: one thread, and one process per core for "
            "at least 40,000 outputs. The result does not depend on it.",
            "whole",
        ),
        Option(
            "executor",
            "Cluster for resampling: dask://HOST:PORT. Default: $OUTSCORE_EXECUTOR. The result does not depend on it.",
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
        Option("max_t", "Compute max-T p-values.", "flag", default=True),
        Option(
            "run_law",
            "Distribution of the crossed t-test of new runs. fiducial controls the error rate even with two runs, but "
            "has less power.",
            "RunLaw",
            default="satterthwaite",
        ),
        Option(
            "run_sd",
            "Standard deviation of a run's score, for systems with one run. Pass a published value, or borrowed for "
            "the value of the other system.",
            hyphen=True,
        ),
        *_of_wings("test n_sets n_checks=checks"),
    ),
    "Output": (
        Option(
            "format",
            "Output format: text, json, csv, markdown, latex, ... Default: text, or by the suffix of the output file "
            "(.txt, .json, .csv, .parquet, .md, .tex, .typ, .bib). CSV and Parquet have one row per metric, candidate "
            "and test. latex, typst and html are tables for a paper or a web page, bibtex the references of "
            "--methods.",
            ("text", "json", "csv", "parquet", "markdown", "latex", "typst", "html", "bibtex"),
        ),
        Option("output", "Output file (written atomically).", short="o", hyphen=True),
        Option("report", "Self-contained HTML report: tests, figures, items."),
        Option("title", "Title of the HTML report. By default the names of the systems.", hyphen=True),
        Option(
            "chart",
            "Chart: .svg, .png, .pdf, .html or .json. One comparison: the bootstrap distribution of the gain. Several "
            "candidates or datasets: a forest plot with a row per comparison. Several metrics: one panel each.",
        ),
        Option(
            "chart_of",
            "Content of the chart: scores, gains or p-values. scores: with intervals. gains: by confidence, as in "
            "Figure 2 of BK12. p-values: of all pairs. Several metrics or datasets: one panel each.",
            ("scores", "gains", "p-values"),
            default="scores",
        ),
        Option(
            "table",
            "Only the table of a paper: scores, or with intervals. It has the systems and metrics, the best scores, "
            "marks of significance (compare) or letters of groups (rank), and a caption. latex, typst and html always "
            "have this table.",
            ("scores", "intervals"),
        ),
        Option(
            "methods",
            "Paragraph on methods, with citations. It states data, metrics, tests, corrections, intervals and version "
            "for a paper. --format latex cites by natbib, and --format bibtex prints the references.",
            "flag",
        ),
        Option("pairs", "List every pair.", "flag"),
        Option(
            "details",
            "Print the full result. By default only what decides is printed: no distributions, pairs, further tests or "
            "signature, and several candidates or metrics as a table.",
            "flag",
        ),
        Option("bare", "LaTeX and Typst: only the tabular, without a caption.", "flag"),
        Option("quiet", "Print one sentence per comparison, and no progress.", "flag", short="q"),
        *_of_wings("shell junit github comment"),
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

    Parameters
    ----------
    argument : str
        The name of the argument in Python.
    value : str or True, optional
        A word, a placeholder in capital letters, or quoted text. True for a flag.
    short : bool
        Whether to use the short option, such as ``-m``.

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


def advice_on_nested(path: str) -> str:
    """Return the advice on a file whose cells are objects. Maps need the wing of logs."""
    has_maps = has_wing("logs")
    return f"For nested fields pass a map: {suggest_map(path)}" if has_maps else "Write each field as a column."


def suggest_map(path: str) -> str:
    """Return the advice to get a map of the fields of a file."""
    with speaking_options():
        command = f"outscore logs {opt('suggest_map', printable(path))}"
    return f"{command} suggests one for {opt('mapping')}."


_GONE = {"unit": ("tests", "randomization-by-response")}  # what to use instead of options of earlier versions


def named_otherwise(name: str) -> list[str]:
    """Return how to write what is called `name` on the other side, in Python or on the command line, or before.

    Examples
    --------
    >>> named_otherwise("score"), named_otherwise("missing"), named_otherwise("m"), named_otherwise("seed")
    (['score_column'], ['drop_missing=True', 'zero_missing=True'], ['metric'], [])
    >>> with speaking_options():
    ...     named_otherwise("--score-column"), named_otherwise("drop_missing"), named_otherwise("score")
    (['--score'], ['--missing drop'], [])
    """
    name = name.strip("-").replace("-", "_")
    found = [opt(*_GONE[name])] if name in _GONE else []
    for option in (option for options in OPTIONS.values() for option in options):
        own, theirs = option.argument, {option.parameter, option.short}
        if speaks_options():
            own, theirs = option.parameter, {option.argument}
        if name and name != own and name in theirs:
            found.append(opt(option.argument, True if option.value else None))
    return list(dict.fromkeys(found))


def explaining_names(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function whose error about an unknown argument says what Python calls that option."""
    known = signature(function).parameters

    @wraps(function)
    def explaining(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        for name in kwargs.keys() - known:
            ours = [argument for argument in named_otherwise(name) if argument.partition("=")[0] in known]
            if ours:
                raise TypeError(f"unexpected keyword argument {name!r}. Use {' or '.join(ours)}.")
        return function(*args, **kwargs)

    return explaining


def leave_out() -> str:
    """Return the advice to omit the option or argument of a problem."""
    return "Omit the option." if speaks_options() else "Omit it."
