"""Honnibal's greedy averaged perceptron (NLTK): TRAIN TEST OUT SEED."""

from __future__ import annotations

import random
import sys

from conllu import read_sentences, write_counts
from nltk.tag.perceptron import PerceptronTagger

train, test, out, seed = sys.argv[1:]
random.seed(int(seed))  # the tagger shuffles sentences
tagger = PerceptronTagger(load=False)
tagger.train([list(zip(sentence.words, sentence.tags, strict=True)) for sentence in read_sentences(train)], nr_iter=5)
gold = read_sentences(test)
write_counts(out, gold, ([tag for _, tag in tagger.tag(sentence.words)] for sentence in gold))
