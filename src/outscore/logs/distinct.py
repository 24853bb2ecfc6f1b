"""Names for the systems of a folder: logs that mean different systems by one name get different names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePath

from outscore.logs.base import Log
from outscore.text.naming import printable

_WORD = re.compile(r"[-_. ]")


def distinctions(logs: Sequence[Log], *, by_path: bool = True) -> list[str]:
    """Return what to add to the name of each log's system, nothing where the name will do.

    Logs of one system on one task are logs of several where facts say so that the reader names as `Log.apart`: an
    agent, an argument of the task. Where the path alone names the system (`Log.named_by_path`), other paths are other
    systems. As few facts or folders are added as tell the logs apart. What else has one name are runs of one system.

    Parameters
    ----------
    logs : sequence of Log
    by_path : bool
        Whether paths may tell systems apart; they do not where the user says that logs are runs.
    """
    added = [""] * len(logs)
    for places in _alike(logs, added):
        facts = [{name: log.facts[name] for name in log.apart if name in log.facts} for log in _of(logs, places)]
        for place, part in zip(places, _parts(logs, places, facts), strict=True):
            added[place] = ", ".join(f"{name.rpartition('argument ')[2]} {value}" for name, value in part.items())
    for places in _alike(logs, added) if by_path else ():
        if all(log.named_by_path for log in _of(logs, places)):
            folders = _parts(logs, places, _folders(_of(logs, places)))
            for place, part in zip(places, folders, strict=True):
                path = "/".join(part[key] for key in sorted(part))
                added[place] = ", ".join(filter(None, (added[place], path)))
    return added


def _of(logs: Sequence[Log], places: Iterable[int]) -> list[Log]:
    return [logs[place] for place in places]


def _alike(logs: Sequence[Log], added: Sequence[str]) -> list[list[int]]:
    """Return the places of logs of each name that several logs of one task have."""
    by_name: dict[tuple[str, str], list[int]] = {}
    for place, log in enumerate(logs):
        by_name.setdefault((log.system, added[place]), []).append(place)
    return [places for places in by_name.values() if len({logs[place].task for place in places}) < len(places)]


def _parts(logs: Sequence[Log], places: Sequence[int], values: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return of the values of each log the few that tell the logs of a task apart."""
    by_task: dict[str, list[Mapping[str, str]]] = {}
    for place, own in zip(places, values, strict=True):
        by_task.setdefault(logs[place].task, []).append(own)
    telling = dict.fromkeys(key for of_task in by_task.values() for key in _telling(of_task))
    known = {task: {key for own in of_task for key in own} for task, of_task in by_task.items()}
    return [
        {key: own.get(key, "not set") for key in telling if key in known[logs[place].task]}
        for place, own in zip(places, values, strict=True)
    ]


def _telling(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return as few keys as possible whose values tell rows apart as far as all values do."""

    def kinds(keys: Iterable[str]) -> int:
        return len({tuple(row.get(key) for key in keys) for row in rows})

    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if kinds([key]) > 1]
    most = kinds(keys)
    for key in keys:
        if kinds([key]) == most:
            return [key]
    for key in reversed(keys):
        rest = [one for one in keys if one != key]
        if kinds(rest) == most:
            keys = rest
    return keys


def _folders(logs: Sequence[Log]) -> list[Mapping[str, str]]:
    """Return the folders in the path of each log, the innermost first, its name, and all its folders; sorted as there.

    Without the folders in which all are.
    """
    paths = [PurePath(log.path) for log in logs]
    names = _without_common_words([path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths])
    folders = [path.parts[:-1] for path in paths]
    start = _n_shared(folders)
    depth = min(map(len, folders))
    return [
        {f"folder {place:03}": printable(own[place]) for place in reversed(range(start, depth))}
        | {"name": printable(name), "all": printable("/".join(own[start:])) or "."}
        for own, name in zip(folders, names, strict=True)
    ]


def _without_common_words(names: Sequence[str]) -> list[str]:
    """Return names without the words that all begin with, where words are left that begin with a letter.

    Examples
    --------
    >>> _without_common_words(["results_gpt_5", "results_claude"]), _without_common_words(["run_1", "run_2"])
    (['gpt_5', 'claude'], ['run_1', 'run_2'])
    """
    words = [_WORD.split(name) for name in names]
    start = sum(len(word) + 1 for word in words[0][: _n_shared(words)])
    rest = [name[start:] for name in names]
    return rest if all(name[:1].isalpha() for name in rest) else list(names)


def _n_shared(rows: Sequence[Sequence[str]]) -> int:
    """Return how many entries, from the first on, are the same in all rows."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False)))
