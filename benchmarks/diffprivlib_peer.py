"""The other side of `benchmarks.laplace`: diffprivlib, which needs an older scikit-learn.

Runs under the Python of diffprivlib's own environment and imports nothing of this project. Each
line is a number of calls; their answers go out. It has no call for arrays.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from importlib.metadata import version
from typing import Any


def main() -> None:
    mechanisms: Any = importlib.import_module("diffprivlib.mechanisms")
    work = json.loads(sys.stdin.readline())
    mechanism = mechanisms.Laplace(epsilon=work["epsilon"], sensitivity=work["sensitivity"])
    packages = {name: version(name) for name in ("diffprivlib", "scikit-learn", "numpy")}
    print(json.dumps({"packages": packages}), flush=True)
    for line in sys.stdin:
        calls = range(json.loads(line))
        start = time.perf_counter()
        answer = [mechanism.randomise(0.0) for _ in calls]
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
