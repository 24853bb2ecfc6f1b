"""The command line: parsing, reading, calling and printing, and nothing else."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line, by default with the arguments of the process, and exit.

    Exit status: 0 done, 1 where runs of `replicate` failed, 2 any error, 130 interrupted, 143 terminated; a gate that
    failed has 1, one that is inconclusive 3.
    """
    # All imports stand in here, so that an interruption is one line from the start.
    try:
        from outscore.cli.start import started
        from outscore.options import speaking_options

        with speaking_options():
            status = started(argv)
    except KeyboardInterrupt as error:
        if sys.stderr is not None:
            sys.stderr.write("outscore: interrupted; nothing was written.\n")
        status = 128 + getattr(error, "number", 2)
    sys.exit(status)
