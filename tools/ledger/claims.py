"""What the papers claim: ``book/claims/<part>.yml``, read and validated.

A claim is one statement of a paper. The files say what it states, where it stands and what it rests
on, never whether it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from privlib.notebook.claims import PARTS, part_of

KINDS = (
    "definition", "assumption", "equation", "theorem", "algorithm", "example", "table", "figure",
    "number", "remark", "beyond",
)  # fmt: skip
WEIGHTS = ("error", "misprint")


class LedgerError(ValueError):
    """The files of the ledger contradict each other or themselves; the message names the remedy."""


@dataclass(frozen=True)
class Claim:
    """One claim of ``book/claims/<part>.yml``: what the paper says, no verdict."""

    id: str
    where: str
    kind: str
    says: str
    ja: str = ""
    uses: tuple[str, ...] = ()
    weight: str = "error"
    reading: str = ""
    not_checkable: str = ""
    """Why no computation can check a definition, a convention or an opinion."""
    root: str = ""
    """Id of the erratum from which this one follows."""
    source: str = ""
    """Who had a result beyond the paper first (Markdown)."""
    at: str = ""
    """Paragraph and line, or sentence, in the text as we have it; several apart by ``; ``."""

    @property
    def place(self) -> str:
        """Section, number and paragraph, as readers of the paper find it."""
        paragraphs = [piece.partition("line")[0].rstrip(", ") for piece in self.at.split("; ")]
        if not re.search(r"\bsections\b| and ", self.where):
            # In one section a paragraph is named once; of several each has its own.
            paragraphs = list(dict.fromkeys(paragraphs))
        new = [p for p in paragraphs if p and ("¶" in p or p.split()[0] not in self.where)]
        return f"{self.where}, {'; '.join(new)}" if new else self.where

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """First and last line of each place in the converted text; none where sentences count."""
        pairs = re.findall(r"lines? (\d+)(?:–(\d+))?", self.at)
        return tuple((int(first), int(last or first)) for first, last in pairs)


def yaml_loader() -> Any:
    """Return yaml's safe loader, in C where there is one."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def claims_file(root: Path, part: str) -> Path:
    """Return the file of the claims of a part."""
    return root / "book" / "claims" / f"{part}.yml"


def parts(root: Path) -> tuple[str, ...]:
    """Return the parts that have claims, in the order of the book."""
    return tuple(part for part in PARTS.values() if claims_file(root, part).exists())


def load_claims(path: Path) -> tuple[Claim, ...]:
    """Read and validate ``book/claims/<part>.yml``.

    Raises
    ------
    LedgerError
        If an id is malformed, doubled or of another part, a field or kind is unknown, `uses` names
        an unknown claim or makes a circle, `root` is unknown or has a root itself, a claim of the
        paper has a `source`, `at` is malformed, or a required field is missing.
    """
    import yaml

    claims: dict[str, Claim] = {}
    for item in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml_loader())["claims"]:
        fields = set(Claim.__dataclass_fields__)
        if unknown := sorted(set(item) - fields):
            known = ", ".join(sorted(fields))
            raise LedgerError(
                f"{path.name}: {item.get('id')}: unknown field {', '.join(unknown)};"
                f" there are {known}"
            )
        try:
            claim = Claim(**{**item, "uses": tuple(item.get("uses", ()))})
            _check_fields(claim, path.stem)
        except (TypeError, ValueError) as error:
            raise LedgerError(f"{path.name}: {item.get('id')}: {error}") from None
        if claim.id in claims:
            raise LedgerError(f"{path.name}: {claim.id}: the id stands twice")
        claims[claim.id] = claim
    for claim in claims.values():
        if fault := _wrong_reference(claim, claims):
            raise LedgerError(f"{path.name}: {claim.id}: {fault}")
    topological(claims.values())
    return tuple(claims.values())


_PLACE = (
    r"(?:(?:(?:title|[A-Za-z]+ \d+(?:\.\d+)*), )?(?:¶\d+(?:–\d+)?, )?lines? \d+(?:–\d+)?"
    r"|sentences? \d+(?:–\d+)?)"
)
_AT = re.compile(rf"{_PLACE}(?:; {_PLACE})*")


def _check_fields(claim: Claim, part: str) -> None:
    """Raise a `ValueError` if a field of a claim cannot be right by itself."""
    if part_of(claim.id) != part:
        raise ValueError(f"the id belongs to {part_of(claim.id)}")
    if claim.kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {claim.kind!r}")
    if claim.weight not in WEIGHTS:
        raise ValueError(f"weight must be one of {', '.join(WEIGHTS)}, got {claim.weight!r}")
    if claim.source and claim.kind != "beyond":
        raise ValueError("only a result beyond the paper has a source")
    if claim.at and not _AT.fullmatch(claim.at):
        raise ValueError(
            "at must be like '¶2, line 114', 'sentence 12' or 'Table 3, lines 210–212',"
            f" several apart by '; ', got {claim.at!r}"
        )


def _wrong_reference(claim: Claim, claims: Mapping[str, Claim]) -> str:
    """Say which claim of its part a claim names wrongly, empty if none."""
    unknown = [claim_id for claim_id in claim.uses if claim_id not in claims]
    if unknown:
        return f"uses unknown claims: {', '.join(unknown)}"
    if claim.root and (claim.root not in claims or claims[claim.root].root):
        return f"root must be a claim without a root, got {claim.root}"
    return ""


def topological(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Order the claims so that each comes after what it rests on.

    Raises
    ------
    LedgerError
        If `uses` leads round in a circle.
    """
    by_id = {claim.id: claim for claim in claims}
    sorter = TopologicalSorter({claim.id: claim.uses for claim in by_id.values()})
    try:
        return tuple(by_id[claim_id] for claim_id in sorter.static_order())
    except CycleError as error:
        circle = " rests on ".join(reversed(error.args[1]))
        raise LedgerError(f"uses leads round in a circle: {circle}") from None
