"""The other side of `benchmarks.pure_ldp`: pure-ldp, which needs older packages than privlib.

Runs under the Python of pure-ldp's own environment, imports nothing of this project, and speaks
JSON by line (`benchmarks.peers`): the workload comes in, versions go out; then each line names a
scheme, and the estimates of one run over all users go out with the seconds that they took, or the
error as a string. The line "positions" asks for the hash functions.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from importlib.metadata import version
from typing import Any


def main() -> None:
    numpy: Any = importlib.import_module("numpy")
    oracles: Any = importlib.import_module("pure_ldp.frequency_oracles")
    cms: Any = importlib.import_module("pure_ldp.frequency_oracles.apple_cms")
    work = json.loads(sys.stdin.readline())
    random.seed(work["seed"])
    numpy.random.seed(work["seed"])
    items, users = work["items"], [work["items"][code] for code in work["codes"]]
    epsilon, size = work["epsilon"], len(items)
    servers, clients = {}, {}
    for name, hadamard in (("CMS", False), ("HCMS", True)):
        # A server that is reset keeps an old transform: one for each run, made beforehand.
        servers[name] = [
            cms.CMSServer(epsilon, work["hashes"], work["width"], is_hadamard=hadamard)
            for _ in range(work["runs"])
        ]
        clients[name] = cms.CMSClient(
            epsilon, servers[name][0].get_hash_funcs(), work["width"], is_hadamard=hadamard
        )
    functions = servers["CMS"][0].get_hash_funcs()
    packages = {name: version(name) for name in ("pure-ldp", "numpy", "xxhash")}
    positions = [[h(item) for h in functions] for item in items]
    print(json.dumps({"packages": packages}), flush=True)

    index = {item: k for k, item in enumerate(items)}.__getitem__
    both = {"index_mapper": index}
    others: Any = {  # they need no tables: a fresh pair for each run
        "OLH": lambda: (
            oracles.LHClient(epsilon, size, use_olh=True, **both),
            oracles.LHServer(epsilon, size, use_olh=True, **both),
        ),
        "Hadamard response": lambda: (
            oracles.HadamardResponseClient(epsilon, size, None, **both),
            oracles.HadamardResponseServer(epsilon, size, **both),
        ),
    }
    for line in sys.stdin:
        name = json.loads(line)
        if name == "positions":
            print(json.dumps(positions), flush=True)
            continue
        answer: Any
        start = time.perf_counter()
        try:
            if name in others:
                client, server = others[name]()
            else:
                client, server = clients[name], servers[name].pop()
            for user in users:
                server.aggregate(client.privatise(user))
            answer = [float(server.estimate(item, suppress_warnings=True)) for item in items]
        except Exception as error:  # noqa: BLE001  (whatever it raises is the result)
            answer = f"{type(error).__name__}: {error}"
        print(json.dumps({"seconds": time.perf_counter() - start, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
