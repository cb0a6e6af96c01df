"""Run the checks of one claim: ``make check CLAIM=N-8``.

Of each notebook that checks the claim only those statements run that its checks rest on, so that a
change is tried in seconds and nothing is stored. The ``.md`` files are read, so that an edit is
checked before ``make notebooks``.
"""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any

import jupytext
from ledger import layout
from ledger.claims import claims_file, load_claims
from ledger.dataflow import Flow, sites
from ledger.evidence import code_cells

from privlib.notebook.claims import CheckFailedError, claim, part_of

ROOT = Path(__file__).resolve().parent.parent


def run(path: Path, claim_id: str) -> int:
    """Run the checks of a claim in one notebook; return how many blocks it has there."""
    codes = ["".join(cell["source"]) for cell in code_cells(jupytext.read(path).cells)]
    flow = Flow(codes)
    blocks = [site for site in sites(flow) if site.claim_id == claim_id]
    names: dict[str, Any] = {"__name__": "__main__"}
    done: set[int] = set()
    for site in blocks:
        for index in sorted({*site.within, site.end} - done):
            statement = flow.statements[index]
            code = compile(ast.Module([statement.tree], []), f"<cell {statement.cell}>", "exec")
            exec(code, names)
            done.add(index)
        for value in names.values():
            if isinstance(value, claim) and value.id == claim_id:
                for check in value.record.checks:
                    print(f"  {check.side}: {check.text} ({check.method})")
    return len(blocks)


def main(arguments: list[str]) -> int:
    """Run from the command line."""
    if len(arguments) != 1:
        print("name one claim: make check CLAIM=N-8")
        return 2
    (claim_id,) = arguments
    known = {claim.id for claim in load_claims(claims_file(ROOT, part_of(claim_id)))}
    if claim_id not in known:
        print(f"{claim_id}: no such claim; describe it in book/claims/{part_of(claim_id)}.yml")
        return 1
    number = 0
    for name in layout.names(ROOT, ".md"):
        path = ROOT / f"{name}.md"
        if f'"{claim_id}"' not in path.read_text(encoding="utf-8"):
            continue
        print(path.relative_to(ROOT))
        os.chdir(path.parent)
        try:
            number += run(path, claim_id)
        except CheckFailedError as error:
            print(error)
            return 1
    if not number:
        print(f"{claim_id}: no notebook has a block `with claim({claim_id!r})`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
