"""Files of the command line that were meant as options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outscore.errors import OptionError, Problem
from outscore.readers.reading import split_name
from outscore.text.naming import nearest, shortened

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


def refuse_options(specs: Sequence[str], command: str, *, beside: Sequence[str] = ()) -> None:
    """Refuse systems that were meant as options; - alone is standard input, once among them and the other inputs.

    Raises
    ------
    OptionError
        An unknown option, or standard input for several files.
    """
    for spec in specs:
        if spec.startswith("-") and spec != "-" and not spec.startswith("-:"):
            from outscore.cli.app import options_of  # with all commands, for mistakes alone

            name = spec.partition("=")[0]
            offer = nearest(name, options_of(command))
            offer = f"{offer} " if offer.startswith("Did") else ""
            if name in _SACREBLEU_OPTIONS:
                offer = f"It is an option of sacreBLEU. {_SACREBLEU_OPTIONS[name]} "
            advice = f"{offer}Try 'outscore {command} --help'; a file of this name is ./{shortened(spec)}."
            raise OptionError(Problem(spec, "unknown option", advice, "usage"))
    if [*(split_name(spec)[1] for spec in specs), *beside].count("-") > 1:
        what = "standard input can be only one of the files"
        raise OptionError(Problem("-", what, "Name its columns as -:COLUMN, or use files.", "usage"))
