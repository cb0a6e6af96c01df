"""Comparisons of our numbers with those that others printed or compute, by claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ledger.claims import yaml_loader
from privlib.notebook.claims import place_for_others

COMPARED = "tests/outside/numbers.yml"
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


def compared(root: Path) -> list[dict[str, Any]]:
    """Return the comparisons with others, none where the file is not there."""
    path = root / COMPARED
    return _read(path, path.stat().st_mtime_ns) if path.exists() else []


@cache
def _read(path: Path, _modified: int) -> list[dict[str, Any]]:
    import yaml

    cases: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml_loader())
    return cases


def by_claim(root: Path) -> dict[str, tuple[Comparison, ...]]:
    """Return the comparisons with others that test each claim."""
    comparisons: dict[str, list[Comparison]] = {}
    for case in compared(root):
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
