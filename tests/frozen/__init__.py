"""The frozen corpus: what command lines and Python calls give, compared with what they gave."""

import os

# As in all tests: threads of the linear algebra library change last digits. NumPy, which reads it, is loaded later.
os.environ.setdefault("OMP_NUM_THREADS", "1")
