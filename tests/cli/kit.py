"""What several tests use of the modules of the command line: a module moves with one edit here."""

from __future__ import annotations

from outscore.cli.app import command_app, help_of, options_of, parsed
from outscore.cli.helping import COMMON, EXAMPLES, group_of
from outscore.cli.running import command_of, run
from outscore.design.options import all_options, options_of_command, options_of_function
