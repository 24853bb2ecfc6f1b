"""Metrics, their options and tests as people write them."""

from __future__ import annotations

import re

import pytest

from outscore.errors import OptionError
from outscore.metrics import METRICS, metric_named, metrics_listed
from outscore.significance import BY_NAME, TESTS, test_named
from outscore.text.aliases import METRIC_ALIASES, OPTION_ALIASES, TEST_ALIASES, own_name
from tests.kit import OUTPUT_METRICS, output_metric


def bare(name: str) -> str:
    return re.sub(r"[-_. ]", "", name).lower()


@pytest.mark.parametrize(
    ("written", "own"),
    [
        *[("BLEU", "bleu"), ("Chrf++", "chrf++"), ("chrF2", "chrf"), ("chrF2++", "chrf++"), ("sacreBLEU", "bleu")],
        *[("bleu:tok:zh", "bleu:tokenize=zh"), ("bleu:tok=zh", "bleu:tokenize=zh"), ("BLEU:LC", "bleu:lowercase")],
        *[("map", "ap"), ("MAP", "ap"), ("map_cut_10", "ap@10"), ("map_cut.10", "ap@10"), ("recip_rank", "rr")],
        *[("ndcg_cut_10", "ndcg@10"), ("nDCG@20", "ndcg@20"), ("P_10", "p@10"), ("P@5", "p@5"), ("P.5", "p@5")],
        *[("recall_100", "recall@100"), ("R@100", "recall@100"), ("set_P", "p:k=none"), ("MAP:rel=2", "ap:rel=2")],
        *[("conlleval", "span-f1"), ("seqeval", "span-f1"), ("NER", "span-f1"), ("entity_f1", "span-f1")],
        *[("ROUGE-L", "rougeL"), ("rouge_1", "rouge1"), ("exact_match", "exact-match"), ("EM", "exact-match")],
        *[("Macro_F1", "macro-f1"), ("f1_macro", "macro-f1"), ("pearsonr", "pearson"), ("spearmanr", "spearman")],
    ],
)
def test_metrics_of_outputs_are_understood_as_people_write_them(written: str, own: str) -> None:
    assert output_metric(written) == output_metric(own)


@pytest.mark.parametrize(
    ("written", "own"), [("ACC", "accuracy"), ("F1", "f1"), ("Mean", "mean"), ("PPL", "perplexity")]
)
def test_metrics_of_columns_are_understood_as_people_write_them(written: str, own: str) -> None:
    assert metric_named(written) == metric_named(own)


@pytest.mark.parametrize(
    ("written", "own"),
    [
        *[("permutation", "randomization"), ("permutation_test", "randomization"), ("Bootstrap", "bootstrap")],
        *[("ttest", "paired-t"), ("ttest_rel", "paired-t"), ("Paired_T", "paired-t"), ("ttest_ind", "two-sample-t")],
        *[("WILCOXON", "wilcoxon"), ("McNemar", "mcnemar"), ("chi2_contingency", "chi-squared")],
    ],
)
def test_tests_are_understood_as_people_write_them(written: str, own: str) -> None:
    assert test_named(written) == test_named(own)


def test_no_two_names_are_one_to_whoever_looks_away_from_case_and_hyphens() -> None:
    for names in ([*METRICS], [*OUTPUT_METRICS], [*TESTS, *BY_NAME]):
        assert len({bare(name) for name in names}) == len(names)


def test_every_alias_leads_to_something_and_hides_nothing() -> None:
    for names, aliases in (({**METRICS, **OUTPUT_METRICS}, METRIC_ALIASES), (TESTS, TEST_ALIASES)):
        for alias, meant in aliases.items():
            assert re.split("[@:]", meant)[0] in names
            assert alias not in {bare(name) for name in names}
    options = {name for metric in OUTPUT_METRICS.values() for name in vars(metric)}
    assert {*OPTION_ALIASES.values()} <= options
    assert not {*OPTION_ALIASES} & {bare(name) for name in options if name in OPTION_ALIASES}


def test_an_own_name_goes_before_every_alias() -> None:
    assert own_name("p", ["p", "precision"], METRIC_ALIASES) == "p"
    assert own_name("nothing", ["bleu"], METRIC_ALIASES) == "nothing"


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("bleu,chrf", ["bleu", "chrf"]),
        ("bleu, chrf ,", ["bleu", "chrf"]),
        ("bleu:lowercase,tokenize=zh,chrf", ["bleu:lowercase,tokenize=zh", "chrf"]),
        ("bleu:tok:zh,chrf:word_order=2,TER", ["bleu:tok:zh", "chrf:word_order=2", "TER"]),
        ('bracket-f1:labelled,delete_label="TOP , las",las', ['bracket-f1:labelled,delete_label="TOP , las"', "las"]),
        ("macro-f1:labels=a,labels=bleu", ["macro-f1:labels=a,labels=bleu"]),
        ("ap:rel=2,map,ndcg@10,P_10", ["ap:rel=2", "map", "ndcg@10", "P_10"]),
        ("", [""]),
    ],
)
def test_commas_part_metrics_and_the_options_of_one(text: str, metrics: list[str]) -> None:
    assert metrics_listed(text) == metrics


def test_a_name_that_nobody_has_is_still_refused_with_an_offer() -> None:
    with pytest.raises(OptionError, match=r'unknown metric "blue" of outputs.*Did you mean "bleu"'):
        output_metric("blue")
    with pytest.raises(OptionError, match=r"[Pp]ass references"):
        metric_named("MAP")
    with pytest.raises(OptionError, match=r'bleu has no option "tokens"'):
        output_metric("bleu:tokens=zh")
