"""Run Python as on an older processor: `python .ci/other_processor.py -m pytest …`.

NumPy uses only the instructions of its baseline, and OpenBLAS the kernels of the oldest processor that it supports.
Sums then have other last digits. NumPy warns of features that it or this processor lacks, so these are left out.
"""

from __future__ import annotations

import os
import platform
import sys

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

OLDEST = {"x86_64": "Prescott", "AMD64": "Prescott", "aarch64": "ARMV8", "arm64": "ARMV8"}


def main() -> None:
    features = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    changed = {"NPY_DISABLE_CPU_FEATURES": ",".join(features)}
    if kernels := OLDEST.get(platform.machine()):
        changed["OPENBLAS_CORETYPE"] = kernels
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], os.environ | changed)


if __name__ == "__main__":
    main()
