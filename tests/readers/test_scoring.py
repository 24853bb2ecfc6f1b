"""Scoring in several processes: the same rows, the same errors, and nothing left behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import active_children, parent_process

import numpy as np
import pytest
from tests.kit import Corpus, TaggedSentence, output_metric
from tests.readers.kit import Scoring, score_systems

from outscore._types import FloatArray
from outscore.errors import DataError, OptionError
from outscore.metrics.families.text import TextMetric
from outscore.readers import scoring

REFERENCES = [(f"the cat number {i} sat on mat {i % 7}",) for i in range(60)]
SYSTEMS = [
    Corpus(f"s{j}", [f"the cat number {i} sat on mat {i % (j + 2)}" for i in range(60)], range(1, 61)) for j in range(3)
]


@pytest.fixture
def always_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_MANY", 0)


@pytest.mark.usefixtures("always_in_processes")
def test_rows_do_not_depend_on_the_number_of_processes() -> None:
    told: list[tuple[int, int]] = []
    alone = score_systems(output_metric("bleu"), SYSTEMS, REFERENCES)
    together = score_systems(
        output_metric("bleu"), SYSTEMS, REFERENCES, scoring=Scoring(2, lambda done, total: told.append((done, total)))
    )
    assert [rows.name for rows in together] == ["s0", "s1", "s2"]
    for one, other in zip(alone, together, strict=True):
        assert one.values.tobytes() == other.values.tobytes()
        assert list(one.lines or ()) == list(other.lines or ())
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert not active_children()


def tagged(name: str, *tokens: str) -> Corpus[TaggedSentence]:
    sentences = [TaggedSentence((token,), frozenset({(0, 1, "X")})) for token in tokens]
    return Corpus(name, sentences, range(1, len(sentences) + 1))


@pytest.mark.usefixtures("always_in_processes")
def test_errors_come_from_processes_too() -> None:
    gold = tagged("gold", "a", "b", "c").items
    good = tagged("good", "a", "b", "c")
    systems = [good, tagged("bad", "a", "b", "x"), tagged("worse", "y", "b", "x"), good]
    messages = []
    for jobs in 1, 2:
        with pytest.raises(DataError) as caught:
            score_systems(output_metric("span-f1"), systems, gold, scoring=Scoring(jobs))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("bad:3: token 1: expected")
    assert not active_children()


@dataclass(frozen=True)
class Fails(TextMetric):
    """A metric that fails in other processes than the first: it stops, ends the process, or does not go there."""

    how: str = "raise"

    name = "fails"
    statistics = ("x",)
    higher_is_better = True
    citation = ""

    def __getstate__(self) -> dict[str, str]:
        if self.how == "not sent":
            raise TypeError("cannot be pickled")
        return {"how": self.how}

    def text_rows(self, outputs: Sequence[str], references: tuple[tuple[str, ...], ...]) -> FloatArray:
        if parent_process() is not None:
            if self.how == "end":
                os._exit(3)
            raise RuntimeError("no rows")
        return np.ones((len(outputs), 1))

    def score(self, totals: FloatArray) -> FloatArray:
        return totals[..., 0]


@pytest.mark.usefixtures("always_in_processes")
def test_what_happens_in_a_process_is_told() -> None:
    with pytest.raises(
        OptionError, match=r"^fails: cannot score the 60 items of s0: RuntimeError: no rows\. .*bad-rows"
    ):
        score_systems(Fails(), SYSTEMS, REFERENCES, scoring=Scoring(2))
    with pytest.raises(OptionError, match=r"^jobs: the process scoring s\d ended.*process-ended"):
        score_systems(Fails("end"), SYSTEMS, REFERENCES, scoring=Scoring(2))
    assert len(score_systems(Fails("not sent"), SYSTEMS, REFERENCES, scoring=Scoring(2))) == 3
    assert not active_children()


@pytest.mark.usefixtures("always_in_processes")
def test_an_interruption_leaves_no_process_behind() -> None:
    def interrupt(done: int, total: int) -> None:
        assert active_children()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_systems(output_metric("bleu"), SYSTEMS, REFERENCES, scoring=Scoring(2, interrupt))
    assert not active_children()


def test_little_text_is_scored_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(scoring, "_in_processes", refuse)
    score_systems(output_metric("bleu"), SYSTEMS, REFERENCES, scoring=Scoring(2))
    monkeypatch.setattr(scoring, "_MANY", 0)
    score_systems(output_metric("bleu"), SYSTEMS[:1], REFERENCES, scoring=Scoring(2))
    with pytest.raises(AssertionError, match="was started"):
        score_systems(output_metric("bleu"), SYSTEMS, REFERENCES, scoring=Scoring(2))
