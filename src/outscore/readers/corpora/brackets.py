"""Bracketed trees, as in the Penn Treebank: ``(S (NP (D the) (N cat)) (VP (V sleeps)))``."""

from __future__ import annotations

import re

from outscore.data.items import BracketedTree, Corpus
from outscore.errors import DataError, Problem
from outscore.readers.base import ItemFormat, empty
from outscore.text.naming import printable, quoted

# Only ASCII white space separates, as in EVALB: words may contain other spaces. A label directly follows its bracket.
_TOKEN = re.compile(r"\((?P<label>[^()\s]*)|(?P<close>\))|(?P<word>[^()\s]+)", re.ASCII)


class _Node:
    """An open bracket: its label, the line and word where it starts, and its word, if any."""

    __slots__ = ("is_inner", "label", "line", "start", "word")

    def __init__(self, label: str, start: int, line: int) -> None:
        self.label = label
        self.start = start
        self.line = line
        self.word: str | None = None
        self.is_inner = False


class Brackets(ItemFormat[BracketedTree]):
    r"""Trees in round brackets, on one or several lines. Blank lines are ignored.

    The outermost label may be empty, as in ``( (S ...) )``, and is kept as "". ``(())`` or ``()`` is a sentence without
    a parse: a tree without words.

    Examples
    --------
    >>> tree = Brackets().parse("(S (NP (D the) (N cat))\n   (VP (V sleeps)))", "a.mrg").items[0]
    >>> tree.words
    ('the', 'cat', 'sleeps')
    >>> tree.brackets
    (('NP', 0, 2), ('VP', 2, 3), ('S', 0, 3))
    """

    name = "brackets"
    item_type = BracketedTree
    extensions = (".mrg", ".ptb")

    def sniff(self, text: str) -> bool:
        return text.lstrip(" \t\n").startswith("(")

    def parse(self, text: str, source: str) -> Corpus[BracketedTree]:
        """Return the trees of a file.

        Raise DataError for unbalanced brackets, a word that does not have its own brackets, or no tree.
        """
        trees: list[BracketedTree] = []
        lines: list[int] = []
        problems: list[Problem] = []
        open_nodes: list[_Node] = []
        words: list[str] = []
        tags: list[str] = []
        brackets: list[tuple[str, int, int]] = []
        begun = 0

        def complain(line: int, what: str, advice: str, slug: str) -> None:
            problems.append(Problem(f"{printable(source)}:{line}", what, advice, slug))

        for number, line in enumerate(text.split("\n"), start=1):
            for token in _TOKEN.finditer(line):
                node = open_nodes[-1] if open_nodes else None
                if token["label"] is not None:
                    if node is None:
                        begun = number
                    elif node.word is not None:
                        what = f"expected ) after the word {quoted(node.word)}, got {quoted(token[0])}"
                        complain(number, what, "Write every word as (TAG word).", "not-a-tree")
                    else:
                        node.is_inner = True
                    open_nodes.append(_Node(token["label"], len(words), number))
                elif token["word"] is not None:
                    if node is None or node.is_inner or node.word is not None:
                        what = f"expected brackets around the word {quoted(token['word'])}, got none"
                        complain(number, what, "Write every word as (TAG word).", "not-a-tree")
                    else:
                        node.word = token["word"]
                elif node is None:
                    complain(
                        number, "closing bracket without an opening one", "Correct the tree.", "unbalanced-brackets"
                    )
                else:
                    open_nodes.pop()
                    if node.word is None:
                        brackets.append((node.label, node.start, len(words)))
                    else:
                        words.append(node.word)
                        tags.append(node.label)
                    if not open_nodes:
                        trees.append(BracketedTree(tuple(words), tuple(tags), tuple(brackets)))
                        lines.append(begun)
                        words, tags, brackets = [], [], []
        if open_nodes:
            what = f"the tree that starts here is not closed: {len(open_nodes)} bracket(s) are open at the end"
            complain(begun, what, "Correct the tree.", "unbalanced-brackets")
        if problems:
            raise DataError(*problems)
        if not trees:
            raise empty(source, "no tree")
        return Corpus(source, trees, lines)
