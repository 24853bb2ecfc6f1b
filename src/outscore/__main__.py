"""Run the command line: ``python -m outscore``."""

from outscore.cli import main

main()
