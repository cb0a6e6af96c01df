"""The other side of `benchmarks.sketch`: pure-ldp, which needs older packages than privlib.

Runs under the Python of pure-ldp's own environment, imports nothing of this project, and speaks
JSON by line: the workload comes in, versions and hash positions go out; then each line names a
scheme, and the estimates of one run over all users go out.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from importlib.metadata import version
from typing import Any


def main() -> None:
    numpy: Any = importlib.import_module("numpy")
    cms: Any = importlib.import_module("pure_ldp.frequency_oracles.apple_cms")
    work = json.loads(sys.stdin.readline())
    random.seed(work["seed"])
    numpy.random.seed(work["seed"])
    items, users = work["items"], [work["items"][code] for code in work["codes"]]
    servers, clients = {}, {}
    for name, hadamard in (("CMS", False), ("HCMS", True)):
        # A server that is reset keeps an old transform: one for each run, made beforehand.
        servers[name] = [
            cms.CMSServer(work["epsilon"], work["hashes"], work["width"], is_hadamard=hadamard)
            for _ in range(work["runs"])
        ]
        clients[name] = cms.CMSClient(
            work["epsilon"], servers[name][0].get_hash_funcs(), work["width"], is_hadamard=hadamard
        )
    functions = servers["CMS"][0].get_hash_funcs()
    packages = {name: version(name) for name in ("pure-ldp", "numpy", "xxhash")}
    positions = [[h(item) for h in functions] for item in items]
    print(json.dumps({"packages": packages, "positions": positions}), flush=True)
    for line in sys.stdin:
        server, client = servers[line.strip()].pop(), clients[line.strip()]
        for user in users:
            server.aggregate(client.privatise(user))
        estimates = [float(server.estimate(item, suppress_warnings=True)) for item in items]
        print(json.dumps(estimates), flush=True)


if __name__ == "__main__":
    main()
