"""Files of the command line that were meant as options, metrics, tests or references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from outscore.errors import OptionError, Problem
from outscore.metrics.registry import is_metric
from outscore.readers.files import is_readable, split_spec
from outscore.readers.reading import split_name
from outscore.significance import TESTS
from outscore.text.aliases import TEST_ALIASES, own_name
from outscore.text.naming import nearest, printable, shortened

# What to do in place of sacreBLEU's own options.
_SACREBLEU_OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("-i", "--input"), "Name the systems without an option, the baseline first; -r names references."),
    **dict.fromkeys(
        ("--paired-bs", "--paired-ar"),
        "outscore compare always tests the systems; with --emulate sacrebleu it prints sacreBLEU's p-values as well.",
    ),
    **dict.fromkeys(("--paired-bs-n", "--paired-ar-n", "--confidence-n"), "Pass --n-resamples."),
    **dict.fromkeys(
        ("-b", "--score-only"), "outscore score prints scores, and outscore compare prints their difference."
    ),
    "--confidence": "outscore score prints a confidence interval with every score.",
    **dict.fromkeys(("-l", "--language-pair"), "Name the target language as in -m bleu:trg_lang=zh."),
    "--tokenize": "Name the tokenizer as in -m bleu:tokenize=zh.",
    "-lc": "Pass -m bleu:lowercase=true.",
}
# "refA", "ref.0", "references-2", "gold_b"; not "refined" or "prefix".
_LIKE_A_REFERENCE = re.compile(r"(?<![A-Za-z])(?:refs?|references?|golds?|Refs?|References?|REFS?|Golds?)(?![a-z])")


def refuse_mistaken(
    systems: Sequence[str],
    command: str,
    *,
    metrics: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    tests: Sequence[str] | None = None,
    source: str | None = None,
) -> None:
    """Refuse systems that were meant as something else.

    An option begins with a hyphen; - alone is standard input, once among the systems and the other inputs. Options take
    one value each time, so that more metrics, tests and references are taken for systems. A metric or test is one that
    is no file. A reference is the first of at least three systems, where it is called like one, or like the reference
    that is named and unlike all other systems. A system with a name of its own, as ``NAME=FILE``, is no mistake.

    Raises
    ------
    OptionError
        With the line that helps.
    """
    for spec in systems:
        if spec.startswith("-") and spec != "-" and not spec.startswith("-:"):
            raise _unknown_option(spec, command)
    others = [*(references or ()), *([] if source is None else [source])]
    if [*(split_name(spec)[1] for spec in systems), *others].count("-") > 1:
        what = "standard input can be only one of the files"
        raise OptionError(Problem("-", what, "Name its columns as -:COLUMN, or use files.", "usage"))
    for named, values, short in (("--metric", metrics, "-m"), ("--test", tests, "-t")):
        files = () if not values else systems
        strays = [spec for spec in files if not is_readable(split_spec(spec)[0]) and _is_called(spec, named)]
        if strays:
            said = [*(values or ()), *strays]
            what = f"is no file, and {named} takes one value each time"
            advice = f"Write {short} {','.join(said)} or {' '.join(f'{short} {one}' for one in said)}."
            raise OptionError(Problem(printable(strays[0]), what, printable(advice), "several-values"))
    if len(systems) < 3 or not references:
        return
    first, *others = systems
    if split_name(first)[0] is not None or not is_readable(first):
        return
    called, known = PurePath(first).name, PurePath(references[-1]).name
    form = _skeleton(called)
    alike = called != known and form == _skeleton(known)
    alike = alike and all(_skeleton(PurePath(other).name) != form for other in others)
    if alike or (_LIKE_A_REFERENCE.search(called) and not _LIKE_A_REFERENCE.search(PurePath(others[0]).name)):
        what = "would be taken for a system, and is called like a reference: --reference takes one file each time"
        advice = f"Write -r {references[-1]} -r {first}; or {PurePath(first).stem}={first} if it is a system."
        raise OptionError(Problem(printable(first), what, printable(advice), "reference-as-system"))


def _unknown_option(spec: str, command: str) -> OptionError:
    """Return the error of an unknown option, which looks at all commands."""
    from outscore.cli.app import options_of

    name = spec.partition("=")[0]
    offer = nearest(name, options_of(command))
    offer = f"{offer} " if offer.startswith("Did") else ""
    if name in _SACREBLEU_OPTIONS:
        offer = f"It is an option of sacreBLEU. {_SACREBLEU_OPTIONS[name]} "
    advice = f"{offer}Try 'outscore {command} --help'; a file of this name is ./{shortened(spec)}."
    return OptionError(Problem(spec, "unknown option", advice, "usage"))


def _is_called(spec: str, option: str) -> bool:
    """Tell whether what is no file is the name of a metric or test."""
    if "/" in spec:
        return False
    if option == "--metric":
        return all(is_metric(one) for one in spec.split(",")) and not spec.isdigit()
    return all(own_name(one, TESTS, TEST_ALIASES) in TESTS for one in spec.split(","))


def _skeleton(name: str) -> str:
    """Return a name without what counts files of one kind: numbers, and single letters."""
    return re.sub(r"[-_.]?(?:\d+|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))", "", name)
