"""The other side of `benchmarks.location`: the min-cost flow of OR-tools, which needs protobuf.

Runs under the Python of OR-tools' own environment and imports nothing of this project. A line
with "cost" brings a network; a line with "pairs" asks for the costs with one person less from i to
j, solved anew for each pair on the network that is already there.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from importlib.metadata import version
from typing import Any


def network(work: Any, numpy: Any, flows: Any) -> Any:
    """Return a solver with the arcs of all pairs of places."""
    size = len(work["before"])
    solver = flows.SimpleMinCostFlow()
    tails = numpy.repeat(numpy.arange(size), size)
    heads = numpy.tile(numpy.arange(size, 2 * size), size)
    room = numpy.minimum.outer(numpy.array(work["before"]), numpy.array(work["after"])).ravel()
    costs = numpy.array(work["cost"], dtype=numpy.int64).ravel()
    solver.add_arcs_with_capacity_and_unit_cost(tails, heads, room, costs)
    return solver


def main() -> None:
    numpy: Any = importlib.import_module("numpy")
    flows: Any = importlib.import_module("ortools.graph.python.min_cost_flow")
    sys.stdin.readline()
    packages = {name: version(name) for name in ("ortools", "numpy")}
    print(json.dumps({"packages": packages}), flush=True)
    solver: Any = None
    supplies: Any = None
    for line in sys.stdin:
        work = json.loads(line)
        if "cost" in work:
            solver = network(work, numpy, flows)
            size = len(work["before"])
            supplies = numpy.array(work["before"] + [-x for x in work["after"]])
            nodes = numpy.arange(2 * size)
            print(json.dumps({"seconds": 0.0, "answer": size}), flush=True)
            continue
        answer = []
        start = time.perf_counter()
        for i, j in work["pairs"]:
            one = supplies.copy()
            if i is not None:
                one[i] -= 1
                one[size + j] += 1
            solver.set_nodes_supplies(nodes, one)
            status = solver.solve()
            if status != solver.OPTIMAL:
                raise ArithmeticError(f"min-cost flow: {status}")
            answer.append(solver.optimal_cost())
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
