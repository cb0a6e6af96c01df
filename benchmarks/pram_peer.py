"""The other side of `benchmarks.disclosure`: the package pram, a port of R's, which needs pandas 2.

Runs under the Python of pram's own environment and imports nothing of this project. It has no
argument for a matrix and makes one from the data: "matrix" asks for it, "run" for one release, of
which the counts of (true, shown) pairs go out.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any


def main() -> None:
    warnings.simplefilter("ignore")  # it calls what pandas 2 calls obsolete
    numpy: Any = importlib.import_module("numpy")
    pandas: Any = importlib.import_module("pandas")
    pram: Any = importlib.import_module("pram")
    work = json.loads(sys.stdin.readline())
    numpy.random.seed(work["seed"])
    data = pandas.DataFrame({"value": work["values"]})
    labels = sorted(set(work["values"]))
    packages = {name: version(name) for name in ("pram", "pandas", "numpy")}
    print(json.dumps({"packages": packages}), flush=True)
    for line in sys.stdin:
        if json.loads(line) == "matrix":
            make = pram.Pram.__get_weighted_transition_matrix__
            columns = make(data["value"].values, work["m"], work["alpha"])  # true ones: columns
            answer = columns.loc[labels, labels].T.values.tolist()
            print(json.dumps({"seconds": 0.0, "answer": answer}), flush=True)
            continue
        start = time.perf_counter()
        shown = pram.pram(data, m=work["m"], alpha=work["alpha"])
        seconds = time.perf_counter() - start
        counts = pandas.crosstab(data["value"], shown["value"])
        answer = counts.reindex(index=labels, columns=labels, fill_value=0).values.tolist()
        print(json.dumps({"seconds": seconds, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
