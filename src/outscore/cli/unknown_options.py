"""Files of the command line that were meant as options."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.aliases import SACREBLEU_OPTIONS
from outscore.errors import OptionError, Problem
from outscore.naming import nearest, shortened
from outscore.readers.reading import split_name


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
            if name in SACREBLEU_OPTIONS:
                offer = f"It is an option of sacreBLEU. {SACREBLEU_OPTIONS[name]} "
            advice = f"{offer}Try 'outscore {command} --help'; a file of this name is ./{shortened(spec)}."
            raise OptionError(Problem(spec, "unknown option", advice, "usage"))
    if [*(split_name(spec)[1] for spec in specs), *beside].count("-") > 1:
        what = "standard input can be only one of the files"
        raise OptionError(Problem("-", what, "Name its columns as -:COLUMN, or use files.", "usage"))
