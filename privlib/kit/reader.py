"""From what a paper claims and what the notebooks showed to the status of every claim.

``book/claims/<part>.yml`` lists the claims of a paper, without verdicts. The executed notebooks
carry the records of the checks in their badges (`privlib.kit.evidence`). This module reads both and
joins them. A claim is *fully verified* when it is verified and so is everything that it rests on,
apart from assumptions and the like, which no computation can touch (*read*).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from privlib.kit.evidence import Check, Record, Verdict, part_of, strongest, verdict_of

KINDS = (
    "definition", "assumption", "equation", "theorem", "algorithm", "example", "table", "figure",
    "number", "remark", "beyond",
)  # fmt: skip

_RECORD = re.compile(r'data-claim-record="([^"]*)"')


@dataclass(frozen=True)
class Entry:
    """One claim of ``book/claims/<part>.yml``: what the paper says, no verdict."""

    id: str
    where: str
    kind: str
    says: str
    ja: str = ""
    uses: tuple[str, ...] = ()
    weight: str = "error"
    reading: str = ""
    read: str = ""


@dataclass(frozen=True)
class Status:
    """What the evidence makes of a claim.

    Attributes
    ----------
    entry : Entry
    verdict : str or None
        One of `VERDICTS`; ``None`` if there is no evidence.
    method : str
        Strongest method used.
    evidence : tuple of (str, Record)
        Notebook (path relative to the book's root, without suffix) and record.
    fully : bool
        Verified, and so is everything that it rests on (assumptions, marked *read*, apart).
    """

    entry: Entry
    verdict: Verdict | None
    method: str
    evidence: tuple[tuple[str, Record], ...]
    fully: bool = field(default=False)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks from all notebooks."""
        return tuple(check for _, record in self.evidence for check in record.checks)


def load_claims(path: Path) -> tuple[Entry, ...]:
    """Read and validate ``book/claims/<part>.yml``.

    Raises
    ------
    ValueError
        If an id is malformed, doubled or of another part, a field or kind is unknown, `uses` names
        an unknown claim or makes a cycle, or a required field is missing.
    """
    import yaml

    part = path.stem
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
    entries: dict[str, Entry] = {}
    for item in raw:
        try:
            entry = Entry(**{**item, "uses": tuple(item.get("uses", ()))})
        except TypeError as error:
            raise ValueError(f"load_claims: {path.name}: {item.get('id')}: {error}") from None
        if part_of(entry.id) != part:
            raise ValueError(f"load_claims: {path.name}: {entry.id} belongs to {part_of(entry.id)}")
        if entry.id in entries:
            raise ValueError(f"load_claims: {path.name}: {entry.id} stands twice")
        if entry.kind not in KINDS:
            raise ValueError(f"load_claims: {entry.id}: kind must be one of {KINDS}")
        if entry.weight not in ("error", "slip"):
            raise ValueError(f"load_claims: {entry.id}: weight must be 'error' or 'slip'")
        entries[entry.id] = entry
    for entry in entries.values():
        unknown = [use for use in entry.uses if use not in entries]
        if unknown:
            raise ValueError(f"load_claims: {entry.id}: uses unknown claims {unknown}")
    topological(entries.values())
    return tuple(entries.values())


def topological(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Order the claims so that each comes after what it rests on.

    Raises
    ------
    ValueError
        If `uses` has a cycle.
    """
    from graphlib import CycleError, TopologicalSorter

    by_id = {entry.id: entry for entry in entries}
    try:
        order = TopologicalSorter({e.id: e.uses for e in by_id.values()}).static_order()
        return tuple(by_id[claim_id] for claim_id in order)
    except CycleError as error:
        raise ValueError(f"topological: uses has a cycle: {error.args[1]}") from None


def records_in(notebook: Path) -> tuple[Record, ...]:
    """Return the records in the stored outputs of an executed notebook, in order."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    found = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            markup = "".join(output.get("data", {}).get("text/html", ""))
            found += [Record.from_json(html.unescape(m)) for m in _RECORD.findall(markup)]
    return tuple(found)


def collect(root: Path, part: str) -> dict[str, list[tuple[str, Record]]]:
    """Gather the records of all notebooks of a part: claim id -> [(notebook, record), …]."""
    found: dict[str, list[tuple[str, Record]]] = {}
    for notebook in sorted((root / "notebooks" / part).glob("*.ipynb")):
        name = notebook.relative_to(root).with_suffix("").as_posix()
        for record in records_in(notebook):
            found.setdefault(record.id, []).append((name, record))
    return found


def assess(
    entries: Sequence[Entry], evidence: Mapping[str, Sequence[tuple[str, Record]]]
) -> dict[str, Status]:
    """Derive the status of every claim, in the order of `entries`.

    Raises
    ------
    ValueError
        If there is evidence for an unknown claim, or a claim is marked as judged by reading alone
        and has evidence too.
    """
    known = {entry.id for entry in entries}
    strangers = sorted(set(evidence) - known)
    if strangers:
        raise ValueError(f"assess: evidence for unknown claims {strangers}")
    found_so_far: dict[str, Status] = {}
    for entry in topological(entries):
        found = tuple(evidence.get(entry.id, ()))
        if found and entry.read:
            raise ValueError(f"assess: {entry.id} is marked 'read' but has evidence")
        checks = [check for _, record in found for check in record.checks]
        verdict: Verdict | None = "read" if entry.read else verdict_of(checks) if checks else None
        rests = [found_so_far[use] for use in entry.uses]
        fully = verdict == "verified" and all(s.fully or s.verdict == "read" for s in rests)
        found_so_far[entry.id] = Status(entry, verdict, strongest(checks), found, fully)
    return {entry.id: found_so_far[entry.id] for entry in entries}


def statuses(root: Path, part: str) -> dict[str, Status]:
    """Return the statuses of a part from its YAML and its executed notebooks.

    Parameters
    ----------
    root : Path
        The book's root, with ``book/claims`` and ``notebooks``.
    part : str
        One of ``PARTS.values()``.
    """
    entries = load_claims(root / "book" / "claims" / f"{part}.yml")
    return assess(entries, collect(root, part))
