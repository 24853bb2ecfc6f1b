"""The command line: parsing, reading, calling and printing, and nothing else."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Exit status: 0 done, 1 where runs of `replicate` failed, 2 a usage or input error, 130 interrupted.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process by default.
    """
    # All imports stand in here, so that an interruption is one line from the start.
    try:
        from outscore.cli.start import started

        status = started(argv)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("outscore: interrupted; nothing was written.\n")
        status = 130
    sys.exit(status)
