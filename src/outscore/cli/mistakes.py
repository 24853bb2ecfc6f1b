"""Arguments that look like misplaced options, metrics, tests or references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from outscore.errors import FileAccessError, OptionError, Problem
from outscore.metrics.registry import is_metric
from outscore.options import named_otherwise
from outscore.readers.files import is_readable, split_spec
from outscore.readers.sources import Source
from outscore.significance import TESTS
from outscore.text.aliases import TEST_ALIASES, own_name
from outscore.text.naming import nearest, printable, shortened

# Replacements of sacreBLEU's options.
_SACREBLEU_OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("-i", "--input"), "Pass the systems without an option, baseline first, and references with -r."),
    **dict.fromkeys(
        ("--paired-bs", "--paired-ar"),
        "outscore compare always runs a paired test. Pass --emulate sacrebleu for sacreBLEU's p-values.",
    ),
    **dict.fromkeys(("--paired-bs-n", "--paired-ar-n", "--confidence-n"), "Use --n-resamples."),
    **dict.fromkeys(("-b", "--score-only"), "Use outscore score for scores, and outscore compare for differences."),
    "--confidence": "Use outscore score, which prints confidence intervals.",
    **dict.fromkeys(("-l", "--language-pair"), "Use an option of the metric: -m bleu:trg_lang=zh."),
    "--tokenize": "Use an option of the metric: -m bleu:tokenize=zh.",
    "-lc": "Use an option of the metric: -m bleu:lowercase=true.",
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
    """Refuse systems that look like something else.

    An option begins with a hyphen. A single - is standard input, allowed once among all inputs. Options take one value
    each time, so further metrics, tests and references would be taken for systems. A metric or test is a name without a
    file. A reference is the first of at least three systems if its name looks like one, or like the given reference and
    unlike all other systems. A named system, ``NAME=FILE``, is always accepted. Raise OptionError if a system looks
    like something else. The message has the corrected command line.
    """
    for spec in systems:
        if spec.startswith("-") and spec != "-" and not spec.startswith("-:"):
            raise _unknown_option(spec, command)
    if command == "compare" and len(systems) == 2 and all(map(_is_score, systems)):
        raise FileAccessError(
            Problem(systems[0], "no such file", _for_scores(systems[0], systems[1], metrics), "cannot-read")
        )
    others = [*(references or ()), *([] if source is None else [source])]
    # Few systems end in a hyphen, and only those are parsed here.
    if [*(Source.named(spec).spec for spec in systems if spec.endswith("-")), *others].count("-") > 1:
        what = "standard input can be used only once"
        raise OptionError(Problem("-", what, "Pass its columns as -:COLUMN, or use files.", "usage"))
    for named, values, short in (("--metric", metrics, "-m"), ("--test", tests, "-t")):
        files = () if not values else systems
        missing = (spec for spec in files if not is_readable(spec) and _is_called(spec, named))
        strays = [spec for spec in missing if not is_readable(split_spec(spec)[0])]
        if strays:
            values_given = [*(values or ()), *strays]
            what = f"no such file, and {named} takes one value at a time"
            advice = (
                f"Write {short} {','.join(values_given)} or {' '.join(f'{short} {value}' for value in values_given)}."
            )
            raise OptionError(Problem(printable(strays[0]), what, printable(advice), "several-values"))
    if len(systems) < 3 or not references:
        return
    first, *others = systems
    if not is_readable(first):
        return
    called, known = PurePath(first).name, PurePath(references[-1]).name
    form = _skeleton(called)
    alike = called != known and form == _skeleton(known)
    alike = alike and all(_skeleton(PurePath(other).name) != form for other in others)
    if alike or (_LIKE_A_REFERENCE.search(called) and not _LIKE_A_REFERENCE.search(PurePath(others[0]).name)):
        what = "looks like a reference but would be a system, because --reference takes one file at a time"
        advice = f"Write -r {references[-1]} -r {first}, or {PurePath(first).stem}={first} if it is a system."
        raise OptionError(Problem(printable(first), what, printable(advice), "reference-as-system"))


def _unknown_option(spec: str, command: str) -> OptionError:
    """Return the error of an unknown option, with the nearest option of the command."""
    from outscore.cli.app import options_of

    name = spec.partition("=")[0]
    options = options_of(command)
    offer = nearest(name, options)
    offer = f"{offer} " if offer.startswith("Did") else ""
    ours = [option for option in named_otherwise(name) if option.partition(" ")[0] in options]
    offer = f"Use {' or '.join(ours)}. " if ours else offer
    if name in _SACREBLEU_OPTIONS:
        offer = f"It is an option of sacreBLEU. {_SACREBLEU_OPTIONS[name]} "
    advice = f"{offer}See 'outscore {command} --help'."
    if is_readable(spec):
        advice += f" A file of this name is ./{shortened(spec)}."
    return OptionError(Problem(spec, "unknown option", advice, "usage"))


def _is_score(spec: str) -> bool:
    """Return whether a word is a number, such as 78.2 or 78.2%, and not a file."""
    return re.fullmatch(r"(\d+(\.\d*)?|\.\d+)%?", spec) is not None and not is_readable(spec)


def _for_scores(baseline: str, candidate: str, metrics: Sequence[str] | None) -> str:
    """Return the command for two published scores, taken for accuracies: percentages, or fractions up to 1."""
    from decimal import Decimal

    if metrics and [*metrics] != ["accuracy"]:
        return "Two published scores cannot be compared without the scores of items, except for accuracies."

    first, second = (Decimal(score.removesuffix("%")) for score in (baseline, candidate))
    as_fractions = max(first, second) <= 1 and not (baseline + candidate).count("%")
    gain = abs(second - first) * (100 if as_fractions else 1)
    if not 0 < gain <= 100:
        return "For the gain of one published accuracy over another, see outscore plan table."
    command = f"outscore plan table --items N --gain {gain.normalize():f}%"
    return f"For two published accuracies, run {command}, where N is the number of items."


def _is_called(spec: str, option: str) -> bool:
    """Return whether a word that is not a file is the name of a metric or test."""
    if "/" in spec:
        return False
    if option == "--metric":
        return all(is_metric(part) for part in spec.split(",")) and not spec.isdigit()
    return all(own_name(part, TESTS, TEST_ALIASES) in TESTS for part in spec.split(","))


def _skeleton(name: str) -> str:
    """Return a name without numbers and single letters, which count files of one kind."""
    return re.sub(r"[-_.]?(?:\d+|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))", "", name)
