"""A conditional random field over words, suffixes and neighbours (python-crfsuite): TRAIN TEST OUT."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pycrfsuite
from conllu import read_sentences, write_counts


def features(words: Sequence[str]) -> list[list[str]]:
    """Return what the model sees of each word."""
    lower = ["<", *(word.lower() for word in words), ">"]
    return [
        [
            "bias",
            f"word={lower[i]}",
            f"before={lower[i - 1]}",
            f"after={lower[i + 1]}",
            f"end={lower[i][-3:]}",
            f"last={lower[i][-2:]}",
            f"begin={lower[i][:2]}",
            f"shape={word.istitle():d}{word.isupper():d}{any(map(str.isdigit, word)):d}{'-' in word:d}",
        ]
        for i, word in enumerate(words, 1)
    ]


train, test, out = sys.argv[1:]
trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
trainer.set_params({"c2": 0.1, "max_iterations": 60})
for sentence in read_sentences(train):
    trainer.append(features(sentence.words), sentence.tags)
trainer.train(f"{out}.model")
tagger = pycrfsuite.Tagger()
tagger.open(f"{out}.model")
gold = read_sentences(test)
write_counts(out, gold, (tagger.tag(features(sentence.words)) for sentence in gold))
Path(f"{out}.model").unlink()
