"""Settings of `make lab`; what they are stands in ``tools/lab.py``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lab

lab.configure(get_config())  # type: ignore[name-defined]  # noqa: F821  (Jupyter gives it)
