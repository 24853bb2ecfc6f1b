"""Other names of metrics, their options and tests: those of sacreBLEU, trec_eval, conlleval, scikit-learn and SciPy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# By the name without case, hyphens, underscores, dots and blanks. "\1" is the cutoff in a name of trec_eval.
METRIC_ALIASES: Mapping[str, str] = {
    # sacreBLEU
    "sacrebleu": "bleu",
    "chrf2": "chrf",
    "chrf2++": "chrf++",
    "chrfpp": "chrf++",
    "chrfplusplus": "chrf++",
    # trec_eval and ir-measures
    "map": "ap",
    r"mapcut(\d+)": r"ap@\1",
    "averageprecision": "ap",
    "reciprank": "rr",
    "mrr": "rr",
    r"reciprankcut(\d+)": r"rr@\1",
    r"ndcgcut(\d+)": r"ndcg@\1",
    r"(?:p|precision@)(\d+)": r"p@\1",
    "setp": "p:k=none",
    r"(?:r@|recall)(\d+)": r"recall@\1",
    "setrecall": "recall:k=none",
    # conlleval and seqeval
    "conlleval": "span-f1",
    "seqeval": "span-f1",
    "ner": "span-f1",
    "nerf1": "span-f1",
    "entityf1": "span-f1",
    # scikit-learn and SciPy
    "acc": "accuracy",
    "accuracyscore": "accuracy",
    "f1macro": "macro-f1",
    "f1micro": "micro-f1",
    "matthewscorrcoef": "mcc",
    "cohenkappa": "kappa",
    "cohenkappascore": "kappa",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    "meansquarederror": "mse",
    "meanabsoluteerror": "mae",
    # names used in papers
    "em": "exact-match",
    "ppl": "perplexity",
    "bpb": "bits-per-byte",
}

# Metrics of neural networks, which other programs compute: bare names.
COMPUTED_ELSEWHERE = frozenset({"bartscore", "bertscore", "bleurt", "comet", "cometkiwi", "metricx", "xcomet"})

OPTION_ALIASES: Mapping[str, str] = {
    # keys of sacreBLEU's signatures
    "tok": "tokenize",
    "tokenizer": "tokenize",
    "smooth": "smooth_method",
    "eff": "effective_order",
    "nc": "char_order",
    "nw": "word_order",
    "space": "whitespace",
    "norm": "normalized",
    "asian": "asian_support",
    "lc": "lowercase",
}

TEST_ALIASES: Mapping[str, str] = {
    # SciPy
    "permutation": "randomization",
    "permutationtest": "randomization",
    "ttest": "paired-t",
    "ttestrel": "paired-t",
    "ttestind": "two-sample-t",
    "binomtest": "binomial",
    "signtest": "sign",
    "signedrank": "wilcoxon",
    "wilcoxonsignedrank": "wilcoxon",
    "chi2": "chi-squared",
    "chi2contingency": "chi-squared",
    # sacreBLEU, and the papers
    "ar": "randomization",
    "pairedar": "randomization",
    "approximaterandomization": "randomization",
    "randomisation": "randomization",
    "bs": "bootstrap",
    "pairedbs": "bootstrap",
    "pairedbootstrap": "bootstrap",
    "pairedttest": "paired-t",
}


def own_name(name: str, known_names: Iterable[str], aliases: Mapping[str, str]) -> str:
    """Return this package's spelling of a name, or the name itself if it is unknown.

    Letter case, hyphens and underscores of the name do not matter. Only known names are returned in its place.

    Examples
    --------
    >>> own_name("TTest_rel", ["paired-t", "sign"], TEST_ALIASES), own_name("Rouge-L", ["rougeL"], METRIC_ALIASES)
    ('paired-t', 'rougeL')
    """
    names = list(known_names)
    if name in names:
        return name
    bare = _bare(name)
    same = next((name for name in names if _bare(name) == bare), None)
    if same is not None:
        return same
    for pattern, meant in aliases.items():
        match = re.fullmatch(pattern.replace("+", r"\+") if "(" not in pattern else pattern, bare)
        if match is not None and re.split("[@:]", meant)[0] in names:
            return match.expand(meant) if match.groups() else meant
    return name


def own_spec(spec: str, known_names: Iterable[str]) -> str:
    """Return ``name``, ``name@k`` or ``name:options`` of a metric with the name as this package spells it.

    Examples
    --------
    >>> own_spec("ndcg_cut_10", ["ndcg"]), own_spec("MAP:rel=2", ["ap"]), own_spec("set_P:rel=2", ["p"])
    ('ndcg@10', 'ap:rel=2', 'p:k=none,rel=2')
    """
    names, name = list(known_names), spec.partition(":")[0]
    meant = own_name(name.strip(), names, METRIC_ALIASES)  # with its cutoff, which may be what tells
    if meant == name.strip():
        name = name.partition("@")[0]
        meant = own_name(name.strip(), names, METRIC_ALIASES)
    rest = spec[len(name) :]
    return f"{meant},{rest[1:]}" if ":" in meant and rest.startswith(":") else meant + rest


def is_computed_elsewhere(name: str) -> bool:
    """Return whether other programs compute the scores of a metric, ignoring its version.

    Examples
    --------
    >>> is_computed_elsewhere("COMET-22"), is_computed_elsewhere("bert_score"), is_computed_elsewhere("bleu")
    (True, True, False)
    """
    return re.sub(r"\d+$", "", _bare(name)) in COMPUTED_ELSEWHERE


def _bare(name: str) -> str:
    return re.sub(r"[-_. ]", "", name).lower()
