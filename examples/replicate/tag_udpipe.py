"""UDPipe's tagger, an averaged perceptron that searches for the best sequence (ufal.udpipe): TRAIN TEST OUT."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from conllu import read_sentences, write_counts
from ufal.udpipe import Model, ProcessingError, Sentences, Trainer
from ufal.udpipe import Sentence as Tree

OPTIONS = (
    "models=1;iterations_1=3;use_lemma_1=0;use_xpostag_1=0;use_feats_1=0;"
    "provide_lemma_1=0;provide_xpostag_1=0;provide_feats_1=0"
)


def tree(words: Sequence[str], tags: Sequence[str]) -> Tree:
    """Return a sentence as UDPipe takes it."""
    made = Tree()
    for word, tag in zip(words, tags, strict=True):
        made.addWord(word).upostag = tag
    return made


train, test, out = sys.argv[1:]
trees = Sentences()
for sentence in read_sentences(train):
    trees.append(tree(sentence.words, sentence.tags))
error = ProcessingError()
trained = Trainer.train("morphodita_parsito", trees, Sentences(), "none", OPTIONS, "none", error)
if error.occurred():
    sys.exit(error.message)
Path(f"{out}.model").write_bytes(trained)
model = Model.load(f"{out}.model")
gold = read_sentences(test)
tagged = []
for sentence in gold:
    made = tree(sentence.words, [""] * len(sentence.words))
    model.tag(made, Model.DEFAULT)
    tagged.append([word.upostag for word in list(made.words)[1:]])
Path(f"{out}.model").unlink()
write_counts(out, gold, tagged)
