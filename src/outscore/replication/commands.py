"""The user's command with its placeholders. No shell sees it: a word stays one word, whatever is put into it."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from outscore.errors import FileAccessError, OptionError, Problem
from outscore.naming import quoted

__all__ = ["Command"]

# Other braces are left alone: they may be JSON, or a program.
_PLACEHOLDER = re.compile(r"\{(train\d*|out|seed|name)\}")


@dataclass(frozen=True)
class Command:
    """A program and its arguments.

    Placeholders: ``{train}`` and, of files drawn together, ``{train2}``, ``{train3}``, …; ``{out}``, where the outputs
    are to be written; ``{seed}``, a seed for the trainer; ``{name}``, the name of the run.

    Raises
    ------
    OptionError
        No command, one without a placeholder that it needs or with one that has no file, or a program that is not
        there.
    """

    words: Sequence[str]
    n_train: int

    def __post_init__(self) -> None:
        if not self.words:
            raise _problem("expected a command", "Put it at the end, after --.")
        if any("\0" in word for word in self.words):
            raise _problem("expected words without NUL characters", "")
        placeholders = {name for word in self.words for name in _PLACEHOLDER.findall(word)}
        needed = ["train", *(f"train{i}" for i in range(2, self.n_train + 1)), "out"]
        for name in needed:
            if name not in placeholders and not (name == "train" and "train1" in placeholders):
                meaning = "the outputs are to be written" if name == "out" else "the name of the training set belongs"
                raise _problem(f"expected {{{name}}} in it", f"Write {{{name}}} where {meaning}.")
        for name in sorted(placeholders - {*needed, "train1", "seed", "name"}):
            raise _problem(f"{{{name}}} has no file", f"Files given with --train: {self.n_train}.")
        if _PLACEHOLDER.search(self.words[0]) is None and shutil.which(self.words[0]) is None:
            raise OptionError(
                Problem(
                    quoted(self.words[0]),
                    "expected a program that can be run, found none of this name",
                    "Check its spelling and its permissions.",
                    "command-not-found",
                )
            )

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """Return the words with placeholders replaced; what is put in is not looked at again."""
        return [_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in self.words]

    @property
    def short_name(self) -> str:
        """The name of the script where the first argument is a file, else that of the program."""
        second = self.words[1] if len(self.words) > 1 else ""
        return PurePath(second if second and _is_file(second) else self.words[0]).stem

    def file_digests(self) -> dict[str, str]:
        """Return the SHA-256 of every file that the arguments name, as ``FILE`` or ``--option=FILE``.

        A script, a configuration or a test set that has changed makes other systems.
        """
        digests: dict[str, str] = {}
        for word in self.words[1:]:
            for name in (word, word.partition("=")[2]):
                if name and _is_file(name):
                    try:
                        with Path(name).open("rb") as file:
                            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
                    except OSError as error:
                        what = f"cannot be read: {(error.strerror or str(error)).lower()}"
                        raise FileAccessError(Problem(quoted(name), what, "", "cannot-read")) from None
        return digests


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _problem(what: str, advice: str) -> OptionError:
    return OptionError(Problem("the command", what, advice, "bad-command"))
