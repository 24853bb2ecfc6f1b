"""The options of wings, in the groups and the form of the table in `options.py`."""

from __future__ import annotations

from collections.abc import Mapping

from outscore.options import ASSUMED, FACTOR_OPTIONS, STUDIES, Option

_TESTED = "plan-power plan-gain plan-items"
_GAIN = (
    "The smallest true gain of interest, in the unit of the score: 0.02 or 2% for +2 points of a proportion, 2 for two "
    "points of BLEU."
)
_SIZES = "Sizes of test sets; several as 100,500 or by repetition."

WING_OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "Systems and metrics": (
        Option(
            "references",
            "For the leaderboard file: a file of references. May be repeated.",
            "texts",
            name="reference",
            short="r",
            commands="replicate",
        ),
        Option(
            "metric",
            "For the leaderboard file. May be repeated. A run fails if the metric cannot read its outputs.",
            "texts",
            short="m",
            commands="replicate",
        ),
        Option("metric", "Show only these metrics; may be repeated.", "texts", short="m", commands="logs"),
        Option("task", "Show only these tasks; may be repeated.", "texts", commands="logs"),
        Option(
            "task",
            "Task, such as a language pair, if the pilot has several.",
            commands="plan-human",
            functions="plan_human",
        ),
        Option("mapping", "Map of fields (TOML), to read files of any format.", name="map", commands="logs"),
        Option("follow_links", "Follow links that lead out of a folder.", "flag", commands="logs"),
        Option(
            "suggest_map", "Print a map of the fields of this file, to save and check.", hyphen=True, commands="logs"
        ),
        Option(
            "relations",
            "FILE:COLUMN of a table that marks some systems, for example as combination, and leaves the others empty. "
            "Pairs with a marked system form a separate relation.",
            commands=STUDIES,
            functions="study_gain study_size study_domains",
            python="Mapping[str, str] | None",
            doc="Marks of some systems by name, such as combination. Pairs with a marked system form a separate "
            "relation.",
        ),
        Option(
            "to",
            "Another leaderboard of the same systems, on which signs are compared. May be repeated.",
            "texts",
            commands="study-transfer",
        ),
        Option(
            "from",
            "With --stratum: take p-values from this stratum, such as news, and compare signs on each of the others.",
            name="from_",
            commands="study-transfer",
        ),
        Option("others", "As --to of outscore study transfer.", "texts", name="transfer", commands="study-calibration"),
        Option(
            "stratum",
            "As --from of outscore study transfer.",
            name="transfer_from",
            commands="study-calibration",
            functions="study_transfer",
            doc="Instead of `others`: p-values come from this stratum of the leaderboard, signs from each of its other "
            "strata.",
        ),
    ),
    FACTOR_OPTIONS: (
        Option(
            "item_sd",
            "Without a pilot: standard deviation of the differences between the systems' expected scores per item.",
            commands="plan-runs",
            functions="plan_runs",
            python="float | str | None",
        ),
        Option(
            "interaction_sd",
            "Without a pilot: standard deviation of the interaction of items and runs. Default: 0.",
            commands="plan-runs",
            functions="plan_runs",
            python="float | str | None",
        ),
        Option(
            "cost_item",
            "Cost of one more item. With --cost-run, the cheapest numbers of items and runs are reported.",
            commands="plan-runs",
            functions="plan_runs",
            python="float | str | None",
        ),
        Option(
            "cost_run",
            "Cost of one more run of each system, in the same unit.",
            commands="plan-runs",
            functions="plan_runs",
            python="float | str | None",
        ),
        Option(
            "id_column",
            "Column of items. Default: recognized by its name.",
            name="id",
            commands="meta",
            functions="meta meta_scores",
        ),
        Option(
            "clusters",
            "Column of documents, FILE:COLUMN, or none. Default: the documents of mt-metrics-eval, or a column called "
            "document.",
            name="cluster",
            commands="meta",
            functions="meta meta_scores",
            python="str | Sequence[object] | None",
            doc="Documents: one per item, a column, FILE:COLUMN or none. Default: the documents of mt-metrics-eval, or "
            "a column called document.",
        ),
        Option(
            "test_sets",
            "Column of language pairs or tasks. The score is their average.",
            name="test_set",
            commands="meta",
            functions="meta meta_scores",
        ),
        Option(
            "weights",
            "Weights of language pairs and statistics in the average, as NAME=WEIGHT,... Default: equal weights.",
            commands="meta",
            functions="meta meta_scores",
            python="Mapping[str, float] | None",
            doc="Weights of language pairs and statistics in the average. Default: equal weights.",
        ),
        Option(
            "clusters",
            "Column of documents. Default: that of the format, or document.",
            name="cluster",
            commands="plan-human",
            functions="plan_human",
        ),
        Option(
            "rater",
            "Column of raters. Default: that of the format, or rater.",
            commands="plan-human",
            functions="plan_human",
        ),
        Option(
            "strata",
            "Column of domains. Default: that of the format.",
            name="stratum",
            commands="plan-human",
            functions="plan_human",
        ),
        Option(
            "score_column",
            "Column of scores. Default: score.",
            name="score",
            commands="plan-human",
            functions="plan_human",
        ),
    ),
    "Question": (
        Option(
            "statistic",
            "Statistic of agreement. acc-t: accuracy on pairs, with ties. spa: soft pairwise accuracy. pearson: over "
            "all translations. pearson-item, spearman-item, kendall-item and kendall-c-item: mean correlation per "
            "segment. pearson-system, spearman-system, kendall-system, kendall-c-system and pairwise-accuracy: of the "
            "systems' means. preference: accuracy on pairs such as chosen and rejected. agreement and kappa: of "
            "labels. Several are averaged, such as spa,acc-t.",
            default="acc-t",
            short="s",
            commands="meta",
            functions="meta meta_scores",
            python="str | Sequence[str]",
        ),
        Option(
            "epsilon",
            "Largest difference of scores that acc-t counts as a tie. best: the best one for each metric. refit: the "
            "best one in each resample. Or a number.",
            default="best",
            hyphen=True,
            commands="meta",
            functions="meta meta_scores",
            python="str | float",
        ),
        Option(
            "systems",
            "Claim about these systems (fixed) or about new systems (sampled). If sampled, systems are the units. "
            "Names of systems, such as A,B,C or sampled,A,B,C, restrict the comparison to them.",
            default="fixed",
            commands="meta",
            functions="meta",
            python="str | Sequence[str]",
        ),
        Option(
            "correction",
            "Correction for the number of pairs. Default: max-t if it applies, else holm.",
            "Correction",
            commands="meta",
            functions="meta",
        ),
        Option(
            "columns",
            "Names of columns as ROLE=COLUMN,..., such as judge=annotator. Default: the usual names.",
            "texts",
            commands="judges",
            functions="judges",
            python="Mapping[str, str] | None",
            doc='Names of columns by role, such as {"judge": "annotator"}. Default: the usual names.',
        ),
        Option(
            "level",
            "Level of measurement: nominal, ordinal, interval or ratio. Default: nominal; of scores ordinal up to 10 "
            "whole numbers, else interval.",
            commands="judges",
            functions="judges",
        ),
        Option(
            "positions",
            "Verdicts such as A and B are places (A: shown first). Default: they are answers.",
            "flag",
            commands="judges",
            functions="judges",
        ),
        Option(
            "people",
            'Names of people among the judges, or of columns of their verdicts, such as "expert_*,author_*". Default: '
            "the column human, or a judge called human or people.",
            commands="judges",
            functions="judges",
            python="str | Sequence[str]",
            python_default=(),
        ),
        Option("items", _SIZES, "wholes", required=True, commands="plan-table plan-power plan-gain"),
        Option(
            "items",
            f"{_SIZES} Default: 1, 2 and 4 times the pilot's.",
            "wholes",
            commands="plan-runs",
            functions="plan_runs",
            python="int | Iterable[int] | None",
            kinds="int or iterable of int",
            doc="Sizes of test sets. Default: 1, 2 and 4 times that of the pilot.",
        ),
        Option(
            "items",
            "Items (or clusters) of each test set. Default: those of the smallest domain.",
            "whole",
            commands="study-domains",
            functions="study_domains",
        ),
        Option(
            "items",
            "Items (or clusters) of each test set. Default: those of the leaderboard.",
            "whole",
            commands="study-calibration",
            functions="study_calibration",
        ),
        Option(
            "gain",
            "Gains, as proportions of the items: 2% or 0.02; several as 1%,2%.",
            "words",
            required=True,
            hyphen=True,
            commands="plan-table",
        ),
        Option("gain", f"{_GAIN} Several as 1%,2%.", "words", hyphen=True, commands="plan-power plan-items"),
        Option("gain", _GAIN, required=True, hyphen=True, commands="plan-runs"),
        Option(
            "gain",
            "Smallest gain of interest, in points of the scale. The result is then the number of documents needed.",
            commands="plan-human",
            functions="plan_human",
            python="float | str | None",
        ),
        Option(
            "documents",
            "Numbers of documents, such as 100,200. Default: 0.5 to 3 times those of the pilot.",
            "wholes",
            commands="plan-human",
            functions="plan_human",
            python="Sequence[int] | None",
        ),
        Option(
            "ratings",
            "Numbers of ratings of each document of a system, by different raters. Default: 1,2,3.",
            "wholes",
            commands="plan-human",
            functions="plan_human",
            python="Sequence[int]",
            python_default=(1, 2, 3),
        ),
        Option(
            "power",
            "Target power: 0.8 or 80%.",
            default="0.8",
            commands="plan-human",
            functions="plan_human",
            python="float | str",
            python_default=0.8,
        ),
        Option(
            "target",
            "The power: 0.8 or 80%.",
            default="0.8",
            name="power",
            commands="plan-gain plan-items plan-runs",
            functions="plan_gain plan_items plan_runs",
            python="float | str",
            python_default=0.8,
            doc="The power, above the level and below 1.",
        ),
        Option(
            "target",
            "How often an equally good candidate should pass: 0.8 or 80%. Several as 80%,90% (the default) or by "
            "repetition.",
            "words",
            name="power",
            commands="plan-gate",
            functions="plan_gate",
            python="Numbers | None",
            kinds="float or str, or iterable of them",
            doc="How often the candidate should pass. Default: 80 and 90%.",
        ),
        Option(
            "hurt_percents",
            "Percentages of losses, as 5 or 5%. Default: 0 to 19.",
            "words",
            name="hurt_percent",
            hyphen=True,
            commands="plan-table",
            functions="plan_table",
            python="Numbers | None",
            kinds="float or str, or iterable of them",
            doc="Percentages of losses, rounded to whole items, halves up. A note lists those that this changes by "
            "more than a tenth. Default: 0 to 19.",
        ),
        Option(
            "observed",
            "Not available: power at the observed gain adds nothing to the p-value. The error message explains why.",
            "flag",
            commands="plan-power",
        ),
        Option(
            "helped",
            "Proportion of wins: items that the candidate gets right and the baseline wrong, as 0.07 or 7%.",
            commands=ASSUMED,
        ),
        Option(
            "hurt",
            "Proportion of losses: items that the baseline gets right and the candidate wrong.",
            commands=ASSUMED,
        ),
        Option("sd", "Standard deviation of the score differences per item.", "number", commands=ASSUMED),
        Option(
            "claim",
            "better, not-worse or equivalent. The last two need a margin; they use the score test if the range of the "
            "scores is known, else skew-t. --gain is then the true gain, by default 0 (equally good systems).",
            "Claim",
            default="better",
            commands="plan-power plan-items",
            functions="plan_power plan_items",
            doc="better; not-worse (H0: δ ≤ −margin) or equivalent (H0: |δ| ≥ margin, two one-sided tests).",
        ),
        Option(
            "margin",
            "The largest tolerated loss, in the unit of the gain.",
            commands="plan-power plan-items",
            functions="plan_power plan_items",
            python="float | str | None",
            doc="The largest tolerated loss, in the unit of the score.",
        ),
        Option(
            "level",
            functions="plan_power plan_gain plan_items plan_runs",
            python="Level | None",
            kinds="Level",
            doc="Default: α = 0.05, two-sided, one comparison. Claims with a margin are tested one-sided.",
        ),
        Option(
            "margin",
            "The largest tolerated loss, in the unit of the score: 0.02 or 2% for a proportion, 2 for two points of "
            "BLEU.",
            required=True,
            commands="plan-gate",
        ),
        Option(
            "margin",
            "The loss to rule out, in the unit of the score: 2% or 0.02 for a proportion such as accuracy, 0.5 for "
            "BLEU. May be repeated as METRIC=MARGIN or TASK/METRIC=MARGIN.",
            "texts",
            hyphen=True,
            commands="gate",
            python="float | str | None",
            doc="The loss to rule out, in the unit of each metric's score: 0.02 or 2% for a proportion, 0.5 for BLEU. "
            "A smaller loss fails if it is significant, unless a loss of the margin or more is ruled out.",
        ),
        Option(
            "alpha",
            "The largest probability of failing an equal candidate, and of passing one that loses the margin or more "
            "(unless inconclusive results pass). Default: 0.05.",
            "number",
            commands="gate",
            python_default=0.05,
        ),
        Option(
            "looks",
            "The number of planned checks against the stored baseline, each at alpha / looks. Default: no limit, check "
            "k at alpha / k(k+1).",
            "whole",
            commands="gate",
        ),
        Option(
            "error",
            "With a stored baseline, what alpha bounds: the error rate over all of its checks (default), or over all "
            "checks of one commit.",
            ("per-baseline", "per-commit"),
            commands="gate",
            python_default="per-baseline",
        ),
        Option(
            "inconclusive",
            "How an inconclusive result counts: pass is exit status 0, fail is 1. Default: 3.",
            ("pass", "fail"),
            commands="gate",
        ),
        Option(
            "commit",
            "The candidate's commit. Repeated runs of one commit are averaged. Default: from the environment of the CI "
            "service.",
            commands="gate",
            functions="gate gate_accept",
            doc="The commit of the candidate (or of the system to store). Repeated runs of one commit are averaged. "
            "Default: the commit that the CI service names in the environment; pass an empty text if it is not known.",
        ),
        Option("commit", "The system's commit. Default: as for outscore gate.", commands="gate-accept"),
        Option(
            "config",
            "A TOML file of margins and rules, which options override; no other file is read. Default: outscore.toml, "
            "or [tool.outscore.gate] of pyproject.toml.",
            commands="gate gate-accept gate-order",
            functions="",
        ),
        Option(
            "same_run",
            "Accept scores that were already checked. Use this only for deterministic systems.",
            "flag",
            commands="gate-accept",
            functions="gate_accept",
        ),
        Option(
            "sequential",
            "Check items one by one, in the random order that outscore gate order prints, and stop when the outcome is "
            "certain. With - as the candidate, items are read from standard input as they arrive, as JSON lines or CSV "
            "with a header.",
            "flag",
            commands="gate",
            doc="Check items one by one, in random order, and stop when the outcome is certain. Needs scores with a "
            "known range.",
        ),
        Option(
            "look",
            "The number of the check against the stored baseline to plan for. Checks 1, 5, 20 and 50 are reported as "
            "well.",
            "whole",
            default=1,
            commands="plan-gate",
            functions="plan_gate",
            doc="Number of the planned check.",
        ),
        Option(
            "looks",
            "The number of planned checks, each at alpha / looks. Default: no limit, check k at alpha / k(k+1).",
            "whole",
            commands="plan-gate",
            functions="plan_gate",
        ),
        Option(
            "error",
            "What alpha bounds: the error rate over all checks against a stored baseline, or over all checks of one "
            "commit. Use the latter if there is no stored baseline.",
            ("per-baseline", "per-commit"),
            default="per-baseline",
            commands="plan-gate",
            functions="plan_gate",
            doc="What alpha bounds. The first check of a commit, or a check without a stored baseline, uses all of "
            "alpha.",
        ),
        Option(
            "alpha",
            "The level over all checks.",
            "number",
            default=0.05,
            commands="plan-gate",
            functions="plan_gate",
            doc="In (0, 0.5), over all checks.",
        ),
        Option(
            "seed",
            functions="plan_gate",
            python="int | None",
            doc="The random seed with which the variances of runs were drawn, if any.",
        ),
        Option(
            "alpha",
            "The level at which a gain is significant.",
            "number",
            default=0.05,
            commands="plan-table",
            functions="plan_table",
            doc="The level of the largest number of losses; no p-value depends on it.",
        ),
        Option(
            "alpha",
            "Significance level over all comparisons.",
            "number",
            default=0.05,
            commands=f"{_TESTED} plan-runs plan-human",
            functions="plan_human",
        ),
        Option(
            "comparisons",
            "Number of planned comparisons; each is tested at alpha divided by it.",
            "whole",
            default=1,
            commands=f"{_TESTED} plan-runs plan-human",
            functions="plan_human",
        ),
        Option(
            "alternative",
            "two-sided, or greater (one-sided, for a direction fixed in advance). Claims with a margin are always "
            "tested one-sided.",
            ("two-sided", "greater"),
            default="two-sided",
            commands=_TESTED,
        ),
        Option(
            "alternative",
            "two-sided, or greater (one-sided, for a direction fixed in advance).",
            ("two-sided", "greater"),
            default="two-sided",
            commands="plan-table plan-runs",
            functions="plan_table",
            kinds='{"two-sided", "greater", "less"}',
            doc="Direction of the test. The gain is positive if the candidate is better.",
        ),
        Option(
            "sizes",
            "Sizes of smaller test sets in items (or clusters), such as 100,200,400.",
            required=True,
            commands="study-size",
        ),
        Option(
            "subsets",
            "Number of random subsets of each size, besides the first items; 0 for none.",
            "whole",
            default=10,
            commands="study-size",
            functions="study_size",
        ),
        Option(
            "subsets",
            "Number of random subsets of each domain.",
            "whole",
            default=10,
            commands="study-domains",
            functions="study_domains",
        ),
        Option(
            "repeats",
            "Number of test sets drawn. Default: 1000.",
            "whole",
            commands="study-calibration",
            functions="study_calibration",
            python_default=1000,
        ),
        Option(
            "rule",
            "Rule for thresholds: window (BK12's percentile of the gains of pairs with p near 0.05), or, for "
            "leaderboards with few pairs, scaled, isotonic or logistic.",
            ("window", "isotonic", "logistic", "scaled"),
            default="window",
            name="fit",
            commands=STUDIES,
        ),
        Option("window", "The p-values that count as near 0.05.", "pair", default=(0.04, 0.06), commands=STUDIES),
        Option("min_pairs", "The smallest number of pairs for a threshold.", "whole", default=10, commands=STUDIES),
        Option("confidence_level", "Confidence level of the intervals.", "number", default=0.95, commands=STUDIES),
        Option(
            "family",
            "Name of the family. Default: that of the script or program.",
            hyphen=True,
            commands="replicate",
        ),
        Option(
            "sizes",
            "Fractions of the training set, above 0 and at most 1, or percentages: 50%.",
            default="1.0,0.5,0.25",
            hyphen=True,
            commands="replicate",
        ),
    ),
    "Training sets and runs": (
        Option(
            "train",
            "The training set, possibly .gz. May be repeated for files that are aligned by item.",
            "texts",
            required=True,
            commands="replicate",
        ),
        Option(
            "out", "The folder of the runs and the leaderboard file.", required=True, hyphen=True, commands="replicate"
        ),
        Option(
            "unit",
            "Type of items: lines, blocks (separated by blank lines), conllu or jsonl. Default: from the file name, or "
            "lines.",
            ("lines", "blocks", "conllu", "jsonl"),
            commands="replicate",
        ),
        Option(
            "replicates",
            "Number of training sets of each size.",
            "count",
            default=10,
            hyphen=True,
            commands="replicate",
        ),
        Option(
            "header",
            "Number of header lines, which are copied to every drawn set.",
            "whole",
            hyphen=True,
            commands="replicate",
        ),
        Option("suffix", "Suffix of {out}. Default: that of the reference, or .txt.", commands="replicate"),
        Option("timeout", "Time limit per run in seconds.", "number", hyphen=True, commands="replicate"),
        Option(
            "redo",
            "Repeat the runs of this call. Each old run is kept until the new one is finished.",
            "flag",
            commands="replicate",
        ),
        Option("keep_training_sets", "Keep the drawn sets.", "flag", commands="replicate"),
    ),
    "Tests and resampling": (
        Option(
            "tests",
            "A test; may be repeated, or be all. Default: bootstrap and the default of compare (randomization for "
            "binary scores, else skew-t), and paired-t without a pilot.",
            "words",
            name="test",
            short="t",
            commands=_TESTED,
            functions="plan_power plan_gain plan_items",
            python="Sequence[SignificanceTest | str] | SignificanceTest | str",
            python_default=(),
            kinds="sequence of SignificanceTest or str",
            doc="Tests or their names. Default: the default test of `compare`, and the bootstrap. Claims with a margin "
            "have one test, by default that of `compare`: score if the range of the scores is known, else skew-t.",
        ),
        Option(
            "test",
            "randomization, mcnemar, bootstrap, bootstrap-uncentred (Jansen's), paired-t, sign or wilcoxon. Default: "
            "the default of compare, randomization, which is McNemar's exact test here.",
            short="t",
            commands="plan-table",
            functions="plan_table",
            python="SignificanceTest | str | None",
            doc="A test for paired systems, or its name. Default: that of `compare`, the randomization test. For right "
            "or wrong answers it is McNemar's exact test.",
        ),
        Option(
            "test",
            "bootstrap (default) or another test, one-sided in the observed direction.",
            default="bootstrap",
            short="t",
            commands=STUDIES,
        ),
        Option(
            "tests",
            "Test. Default: as for outscore rank, but the bootstrap for statistics of the systems' means.",
            default="auto",
            name="test",
            short="t",
            commands="meta",
            functions="meta",
            python="SignificanceTest | str",
        ),
        Option(
            "emulate",
            "Also print the results of another program. mtme: mt-metrics-eval, for acc-t and spa.",
            ("mtme",),
            commands="meta",
            functions="meta",
        ),
        Option(
            "n_resamples",
            "Resamples per test set for sampled p-values. Default: 1e5 for gain and transfer, 1e4 for size and "
            "domains, 1e3 for calibration.",
            "count",
            hyphen=True,
            commands=STUDIES,
        ),
        Option(
            "n_resamples",
            "Maximum number of bootstrap samples or permutations. Default: 1e4 for statistics of the systems' means, "
            "else 1e5.",
            "count",
            hyphen=True,
            commands="meta",
            functions="meta",
        ),
        Option(
            "n_sets",
            "Number of test sets simulated from a pilot per power. Default: 4000.",
            "count",
            commands=ASSUMED,
            functions="pilot",
            doc="Number of simulated test sets per power, 100 to 10⁶. Default: 4,000.",
        ),
        Option(
            "n_checks",
            "Number of simulated test sets on which the test itself is run, to check the approximation. Default: 0.",
            "count",
            name="checks",
            commands=ASSUMED,
            functions="pilot",
        ),
        Option(
            "seed",
            "Random seed for drawing items, or none for a random seed; used by metrics that are not means. Default: "
            "$OUTSCORE_SEED, or 12345.",
            "seed",
            hyphen=True,
            commands="plan-runs",
            functions="plan_runs",
            python_default=12345,
            doc="Random seed for drawing items, used by metrics that are not means.",
        ),
        Option(
            "seed",
            "Random seed for the item order. Default: $OUTSCORE_SEED, or 12345.",
            "seed",
            hyphen=True,
            commands="gate gate-order",
            python_default=12345,
            doc="Random seed for the item order, 0 or more.",
        ),
        Option("jobs", "Threads; they do not change the result.", "whole", default=1, commands=f"{STUDIES} {ASSUMED}"),
        Option(
            "jobs",
            "Processes for scoring outputs. Default: one per core.",
            "whole",
            commands="gate gate-accept gate-order",
            functions="",
        ),
        Option(
            "jobs",
            "Number of parallel runs; it does not change the result. Default: 1, or on a cluster the number of its "
            "workers.",
            "whole",
            hyphen=True,
            commands="replicate",
        ),
        Option(
            "executor",
            "The cluster for the runs: dask://HOST:PORT, a Dask scheduler. Default: $OUTSCORE_EXECUTOR, or none. "
            "Training sets and outputs are transferred; other files of the command must exist there.",
            hyphen=True,
            commands="replicate",
        ),
        Option(
            "run_sd",
            "Without a pilot: standard deviation of the score between runs.",
            commands="plan-runs",
            functions="plan_runs",
            python="float | str | None",
        ),
    ),
    "Output": (
        Option(
            "table",
            "Content of csv and parquet: one row per pair (default), or one per relation.",
            ("pairs", "thresholds"),
            commands="study-gain",
        ),
        Option("pairs", "CSV and Parquet: one row per pair of metrics.", "flag", commands="meta", functions=""),
        Option("details", "Also show all pairs and the signature.", "flag", commands="meta", functions=""),
        Option(
            "junit",
            "Write JUnit XML to this file, one test per metric and task, for GitLab, Jenkins and others.",
            hyphen=True,
            commands="gate",
            functions="",
        ),
        Option(
            "github",
            "In GitHub Actions: annotate the run, and write the summary and the outputs of the step.",
            "flag",
            commands="gate",
            functions="",
        ),
        Option(
            "comment",
            "Write a comment for a pull request to this file, in Markdown. Its last line is the hidden marker <!-- "
            "outscore gate -->, by which a workflow finds the comment to update.",
            hyphen=True,
            commands="gate",
            functions="",
        ),
        Option(
            "output",
            "The file of the baseline, for example store.json.",
            required=True,
            short="o",
            hyphen=True,
            commands="gate-accept",
        ),
        Option("output", "Output file. Default: standard output.", short="o", hyphen=True, commands="gate-order"),
        Option("quiet", "Print nothing.", "flag", short="q", commands="gate-accept"),
        Option(
            "format",
            "Output format. Default: text, or from the name of the output file (.txt, .json).",
            ("text", "json"),
            commands="replicate",
        ),
        Option("output", "Output file (written atomically).", short="o", hyphen=True, commands="replicate"),
        Option("quiet", "Print only failures.", "flag", short="q", commands="replicate"),
        Option("shell", "Shell.", commands=""),
    ),
}
