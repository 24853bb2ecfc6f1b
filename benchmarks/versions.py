"""Measure versions of Python beside each other: an exact mean, draws of F1, and the start of `outscore compare`.

``--python PATH``, which may be repeated, names further interpreters that have the packages outscore needs; outscore
itself is taken from this checkout.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from measuring import QUICK, ROOT, apart, cpu_seconds, pretty, print_json, table, told

TURNS = 2 if QUICK else 5
WHAT = {
    "mean": ("`outscore.compare(a, b)`, real-valued, n = 2,000, exact", "NumPy sorts and transforms 32,768 numbers"),
    "f1": ("paired bootstrap of F1, n = 2,000, 10⁵ resamples", "5·10⁷ 16-bit random words, `Generator.integers`"),
    "start": ("`outscore compare`, two files of 2,000 lines, whole process", '`python -c "import numpy"`'),
}


def measure() -> None:
    """Print what this Python takes, and what it takes for work of NumPy's."""
    from compare import f1_counts, p_value, pair_of

    import outscore
    from outscore.metrics import F1
    from outscore.results import Method
    from outscore.significance import Bootstrap, Resampling

    rng = np.random.default_rng(4)
    real, values = rng.normal(size=2000), rng.normal(size=2**15)
    noisy, pair = real + 0.5 * rng.normal(size=2000) + 0.02, pair_of(F1(), *f1_counts())
    runs = {
        "mean": (lambda: outscore.compare(real, noisy), lambda: (np.sort(values), np.fft.rfft(values)), 41),
        "f1": (
            lambda: p_value(Bootstrap(), pair, Resampling(Method.MONTE_CARLO, 10**5)),
            lambda: rng.integers(0, 2**16, 5 * 10**7, np.uint16),
            5,
        ),
    }
    figures: dict[str, Any] = {
        name: [cpu_seconds(run, repeats=repeats) for run in (ours, numpys)]
        for name, (ours, numpys, repeats) in runs.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, scores in (("a.txt", real), ("b.txt", noisy)):
            np.savetxt(Path(folder) / name, scores, fmt="%.17g")
        commands = ("-m", "outscore", "compare", "a.txt", "b.txt"), ("-c", "import numpy")
        times = [[started(folder, *command) for command in commands] for _ in range(3 if QUICK else 11)]
        figures["start"] = [min(each) for each in zip(*times[1:], strict=True)]  # the first writes the byte code
    figures["version"] = platform.python_version()
    figures["with"] = f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    print_json(figures)


def started(folder: str, *command: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure all versions in turns and print the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="a further interpreter")
    parser.add_argument("--quick", action="store_true", help="fewer turns")
    parser.add_argument("--measure", action="store_true", help="this interpreter alone, in this process")
    chosen = parser.parse_args()
    if chosen.measure:
        measure()
        return
    by_version: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as bytecode:
        # Byte code is kept, as that of installed packages is, whatever the environment of this process says.
        environment = {"PYTHONPATH": str(ROOT / "src"), "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        for turn in range(TURNS):
            for python in (sys.executable, *chosen.python):
                told(f"turn {turn + 1}, {python}")
                one = apart(__file__, "--measure", python=python, **environment)
                by_version.setdefault(one["version"], []).append(one)
    rows = []
    for name, (what, peer) in WHAT.items():
        cells = []
        for turns in by_version.values():
            ours, numpys = (min(turn[name][place] for turn in turns) for place in (0, 1))
            cells.append(f"{pretty(ours)}, **{ours / numpys:.2g} ×**")
        rows.append((f"{what}, beside: {peer}", *cells))
    print(f"The least of {TURNS} turns, each version in a process of its own; of the first two rows processor times.")
    print("In bold how many times as long it takes as work of NumPy's in the same process.\n")
    print(table(("what", *(f"Python {version}" for version in by_version)), rows))
    print()
    print("; ".join(f"Python {version}: {turns[0]['with']}" for version, turns in by_version.items()) + ".")


if __name__ == "__main__":
    main()
