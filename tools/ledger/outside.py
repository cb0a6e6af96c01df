"""Comparisons of our numbers with those that others printed or compute, by claim."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from privlib.notebook.claims import place_for_others

COMPARED = "benchmarks/results/outside.json"
# What is said of a claim with comparisons: the first outcome that one of them has.
AGREEMENT = {
    "agree": "others agree",
    "bound holds, loose": "a bound of others holds",
    "theirs is wrong": "others differ, and are wrong",
}


class Comparison(NamedTuple):
    """One comparison: id of the case, whose numbers, the outcome, the first numbers of both."""

    case: str
    source: str
    outcome: str
    numbers: str


def compared(root: Path) -> Mapping[str, Any]:
    """Return what the comparisons with others stored, nothing where there are none."""
    path = root / COMPARED
    if not path.exists():
        return {}
    stored: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def by_claim(root: Path) -> dict[str, tuple[Comparison, ...]]:
    """Return the comparisons with others that test each claim."""
    comparisons: dict[str, list[Comparison]] = {}
    for case in compared(root).get("cases", ()):
        numbers = f"theirs {first_numbers(case['theirs'])}; ours {first_numbers(case['ours'])}"
        comparison = Comparison(case["id"], case["source"], case["outcome"], numbers)
        for claim_id in case["claims"]:
            comparisons.setdefault(claim_id, []).append(comparison)
    return {claim_id: tuple(tests) for claim_id, tests in comparisons.items()}


def first_numbers(numbers: Sequence[float]) -> str:
    """Write the first three of some numbers, and how many they are if there are more.

    Examples
    --------
    >>> first_numbers([1, 2 / 3]), first_numbers([1, 2, 3, 4])
    ('1, 0.666667', '1, 2, 3, … (4)')
    """
    texts = [f"{0.0 if abs(number) < 1e-12 else number:.6g}" for number in numbers]
    shown = ", ".join(texts[:3])
    return f"{shown}, … ({len(texts)})" if len(texts) > 3 else shown


def with_others(body: str, root: Path) -> str:
    """Return a page whose badges say whether others agree, and lead to where that stands."""
    for claim_id, comparisons in by_claim(root).items():
        outcomes = [comparison.outcome for comparison in comparisons]
        said = next(outcome for outcome in AGREEMENT if outcome in outcomes)
        test = comparisons[outcomes.index(said)]
        title = escape(f"{test.source}: {test.numbers}")
        address = f"../../book/outside.html#outside-{test.case}"
        link = f', <a title="{title}" href="{address}">{AGREEMENT[said]}</a>'
        body = body.replace(place_for_others(claim_id), link)
    return body
