"""The verdict on each claim, from the claims of the papers and the evidence of the notebooks.

No verdict is stored: each is derived when somebody asks. A claim is *fully verified* when it and
everything that it rests on is verified. Assumptions and the like, which are *not checkable*, count
as given, and misprints count as put right, since every reader uses them so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledger import outside
from ledger.claims import Claim, LedgerError, claims_file, load_claims, topological
from ledger.evidence import notebooks
from privlib.notebook.claims import (
    Check,
    Record,
    Verdict,
    decisive_checks,
    is_rebuilt,
    notes_on,
    strength_of,
    strongest,
    verdict_of,
)

UNSTATED = "not stated"  # strength where several checks support and none is marked as decisive


@dataclass(frozen=True)
class Status:
    """What the evidence makes of a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str or None
        One of `VERDICTS`; ``None`` if there is no evidence.
    method : str
        Method of the check that decides the strength; the strongest method used where no check is
        marked as decisive.
    evidence : tuple of (str, Record)
        Notebook (path relative to the book's root, without suffix) and record.
    fully : bool
        The claim and everything that it rests on is verified (what is not checkable counts as
        given, misprints count as put right).
    strength : str
        One of `STRENGTHS`; `UNSTATED` where several checks support and none is marked as decisive;
        empty where nothing was verified or corrected.
    outside : tuple of Comparison
        Comparisons with numbers of others that test it.
    """

    claim: Claim
    verdict: Verdict | None
    method: str
    evidence: tuple[tuple[str, Record], ...]
    fully: bool = False
    strength: str = ""
    outside: tuple[outside.Comparison, ...] = ()

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks from all notebooks."""
        return tuple(check for _, record in self.evidence for check in record.checks)

    @property
    def decisive(self) -> tuple[Check, ...]:
        """The checks that decide the claim."""
        return tuple(decisive_checks(self.checks))

    @property
    def is_erratum(self) -> bool:
        """Whether a claim of a paper needs repair; results beyond it never do."""
        return self.verdict == "corrected" and self.claim.kind != "beyond"

    @property
    def texts(self) -> dict[str, str]:
        """The printed form, the corrected one and the consequence, from whichever notebook."""
        texts = {"printed": "", "corrected": "", "consequence": ""}
        for name in texts:
            for _, record in self.evidence:
                texts[name] = texts[name] or getattr(record, name)
        return texts

    @property
    def limits(self) -> tuple[str, ...]:
        """Cases outside the claim's own words in which it no longer holds."""
        return tuple(check.text for check in self.checks if check.side == "limit")

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands beside the verdict: *with a limit*, *rebuilt*."""
        return tuple(notes_on(self.checks)) if self.checks else ()

    @property
    def missing(self) -> tuple[str, ...]:
        """What the paper withholds, or our copy of it lacks."""
        sides = ("missing", "source incomplete")
        return tuple(check.text for check in self.checks if check.side in sides)

    @property
    def rebuilt(self) -> bool:
        """Whether checks rebuild what our copy of the paper lacks."""
        return is_rebuilt(self.checks)


Records = Sequence[tuple[str, Record]]  # of one claim: notebook and record


def assess(claims: Sequence[Claim], evidence: Mapping[str, Records]) -> dict[str, Status]:
    """Derive the status of every claim, in the order of `claims`.

    Raises
    ------
    LedgerError
        If there is evidence for an unknown claim, or for one that is marked as not checkable.
    """
    check_ids(claims, {claim_id: records[0][0] for claim_id, records in evidence.items()})
    statuses: dict[str, Status] = {}
    sound: set[str] = set()  # what a fully verified claim may rest on
    for claim in topological(claims):
        status = _status(claim, tuple(evidence.get(claim.id, ())))
        if sound.issuperset(claim.uses):
            status = replace(status, fully=status.verdict == "verified")
            if status.fully or (status.verdict == "corrected" and claim.weight == "misprint"):
                sound.add(claim.id)
        if status.verdict == "not checkable":
            sound.add(claim.id)
        statuses[claim.id] = status
    return {claim.id: statuses[claim.id] for claim in claims}


def check_ids(claims: Sequence[Claim], checked: Mapping[str, str]) -> None:
    """Look whether all claims that notebooks check are in the file of the claims, and checkable.

    Parameters
    ----------
    claims : sequence of Claim
        Of one part.
    checked : mapping of str to str
        Claim -> notebook that checks it.

    Raises
    ------
    LedgerError
        At the first that is not; the message names notebook, claim and remedy.
    """
    known = {claim.id: claim for claim in claims}
    for claim_id, notebook in checked.items():
        if claim_id not in known:
            raise LedgerError(
                f"{notebook} checks the unknown claim {claim_id}:"
                " describe it in book/claims, or correct the id"
            )
        if known[claim_id].not_checkable:
            raise LedgerError(
                f"{notebook} checks {claim_id}, which is marked as not checkable but has evidence:"
                " remove not_checkable in book/claims, or the checks"
            )


def _status(claim: Claim, records: tuple[tuple[str, Record], ...]) -> Status:
    """Return the status of a claim but for what it rests on."""
    checks = [check for _, record in records for check in record.checks]
    if claim.not_checkable:
        return Status(claim, "not checkable", "", records)
    if not checks:
        return Status(claim, None, "", records)
    verdict = verdict_of(checks)
    strength = ""
    if verdict in ("verified", "corrected"):
        strength = strength_of(checks) or UNSTATED
    weakest = [check for check in decisive_checks(checks) if check.strength == strength]
    return Status(claim, verdict, strongest(weakest or checks), records, strength=strength)


def statuses(root: Path, part: str) -> dict[str, Status]:
    """Return the statuses of a part from its claims and the evidence of its notebooks."""
    records: dict[str, list[tuple[str, Record]]] = {}
    for notebook in notebooks(root, part):
        for record in notebook.claims:
            records.setdefault(record.id, []).append((notebook.name, record))
    comparisons = outside.by_claim(root)
    rows = assess(load_claims(claims_file(root, part)), records)
    for claim_id, row in rows.items():
        if claim_id in comparisons:
            rows[claim_id] = replace(row, outside=comparisons[claim_id])
    return rows
