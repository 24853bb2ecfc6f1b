"""How options of metrics are written on the command line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.errors import OptionError, Problem
from tests.kit import output_metric, output_metrics
from tests.metrics.kit import options_of, parsed, written

AlignmentF1, Bleu, RougeLsum = output_metrics("alignment-f1 bleu rougeLsum")

COLLINS = "TOP -NONE- , : `` '' ."


@pytest.mark.parametrize(
    ("spec", "metric"),
    [
        (f'bracket-f1:delete_label="{COLLINS}"', output_metric("bracket-f1", delete_label=COLLINS)),
        (
            'bracket-f1:delete_label="TOP , :",eq_label=""',
            output_metric("bracket-f1", delete_label="TOP , :", eq_label=""),
        ),
        ("bracket-f1:eq_label=ADVP=PRT NX=NP", output_metric("bracket-f1", eq_label="ADVP=PRT NX=NP")),
        ("bracket-f1: labelled = no , skip", output_metric("bracket-f1", labelled=False, skip=True)),
        ('rougeLsum:sentence_separator=" , "', RougeLsum(sentence_separator=" , ")),
        ('rougeLsum:sentence_separator="""",use_stemmer', RougeLsum(sentence_separator='"', use_stemmer=True)),
        ("rougeLsum:sentence_separator=a:b", RougeLsum(sentence_separator="a:b")),
        ("micro-f1:labels=pos", output_metric("micro-f1", labels="pos")),
        ("micro-f1:labels=pos,labels=neg", output_metric("micro-f1", labels=("pos", "neg"))),
        ("macro-f1:labels=pos", output_metric("macro-f1", labels=("pos",))),
        ('macro-f1:labels="a,b",labels=c', output_metric("macro-f1", labels=("a,b", "c"))),
        ("exact-match:", output_metric("exact-match")),
    ],
)
def test_values_with_commas_and_several_values(spec: str, metric: object) -> None:
    assert output_metric(spec) == metric


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ('bracket-f1:delete_label="TOP', "[bad-quotes]"),
        ('bracket-f1:delete_label="TOP" , :', "has no option"),
        ('bracket-f1:delete_label="TOP":', "[bad-quotes]"),
        ("bleu:tokenize=zh,tokenize=char", "bleu:tokenize takes one value, got several. Give it once."),
        ("bleu:max_ngram_order=two", 'expected whole number, got "two"'),
        ("bleu:lowercase=perhaps", 'expected true or false, got "perhaps"'),
        ("alignment-f1:links=all", "alignment-f1:links expected one of both, sure, possible"),
        ("aer:links=sure", "aer has no options."),
        ("bleu:=zh", "has no option"),
        ("bleu@5", "bleu has no cutoff (@5). Leave it out; ndcg@10 has one."),
        ("bleu:max_ngram_order=1_0", 'expected whole number, got "1_0"'),
    ],
)
def test_bad_options_are_one_line(spec: str, says: str) -> None:
    with pytest.raises(OptionError) as caught:
        output_metric(spec)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


TEXTS = st.text(st.sampled_from("a,\"':=@ \nNone\x00é"), max_size=8)


@given(st.builds(RougeLsum, use_stemmer=st.booleans(), sentence_separator=TEXTS.filter(bool)))
def test_what_is_written_is_read_back(metric: Any) -> None:
    options = ",".join(f"{name}={written(getattr(metric, name))}" for name in ("use_stemmer", "sentence_separator"))
    assert output_metric(f"rougeLsum:{options}") == metric


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_labels_that_are_written_are_read_back(labels: list[str]) -> None:
    spec = "macro-f1:" + ",".join(f"labels={written(label)}" for label in labels)
    assert output_metric(spec) == output_metric("macro-f1", labels=tuple(labels))


@pytest.mark.parametrize("value", ["none", "None", "zh", "", " zh "])
def test_none_is_text_where_text_may_be_meant(value: str) -> None:
    assert options_of(Bleu, parsed(f"bleu:tokenize={written(value)}")[1]) == {"tokenize": value}
    assert output_metric("bleu:tokenize=none").tokenize == "none"
    assert output_metric("bleu:smooth_value=none") == Bleu()
    assert output_metric("kappa:weights=none") == output_metric("kappa")


@given(st.text(max_size=30))
def test_any_text_is_a_metric_or_one_line(text: str) -> None:
    for spec in (text, f"bracket-f1:{text}", f"ndcg@{text}"):
        problems: tuple[Problem, ...] = ()
        try:
            output_metric(spec)
        except OptionError as error:
            problems = error.problems
        assert all(str(problem).isprintable() for problem in problems)


@pytest.mark.parametrize("text", ["sure", "Sure", "SURE"])
def test_one_of_a_few_texts_is_understood_in_any_letter_case(text: str) -> None:
    assert output_metric(f"alignment-f1:links={text}") == AlignmentF1("sure")
