r"""The ledger: verdicts on claims, derived from checks that ran.

A *claim* is one statement of a paper: a definition, an equation, a theorem, an example, a number.
``book/claims/<part>.yml`` says what it states and what it rests on, never whether it is right.
That comes from *evidence* in notebook cells::

    with claim("Y-P5.1") as c:
        c.exact(printed_update, schur_complement)      # identical, by algebra
        c.close(numeric, oracle, rtol=1e-12)           # two routes, in floats

Each check either **supports** the printed statement (or, where it fails, our correction of it), or
shows that the printed form **differs** from the truth, or states that something is **missing**:

===========================  ====================
checks of the claim          verdict
===========================  ====================
supports only                verified
differs and supports         corrected
differs only                 refuted
missing                      not reproducible
===========================  ====================

A check that does not come out raises `CheckFailedError` and prints both sides; the notebook fails,
and with it the tests. So a verdict cannot outlive its evidence. The strength of a verdict is its
strongest method: *symbolic* (algebra), *exact* (rational arithmetic, enumeration), *numeric*
(tolerance stated), *statistical* (z-score within a stated threshold).

When the block ends well, the cell shows a badge, with the record of the checks in the metadata of
the output; `reader` gathers them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Rational
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from privlib.kit._comparison import holds_float, identical, short

PARTS: Mapping[str, str] = {
    "N": "laplace",
    "Y": "correlated",
    "K": "disclosure",
    "M": "location",
    "S": "sketch",
}
"""Letter of a claim's id -> part of the book."""

METHODS = ("symbolic", "exact", "numeric", "statistical")  # strongest first

Side = Literal["supports", "differs", "missing"]
Verdict = Literal["verified", "corrected", "refuted", "not reproducible", "read"]
VERDICTS: tuple[Verdict, ...] = ("verified", "corrected", "refuted", "not reproducible", "read")

_ID = re.compile(r"([NYKMS])-[A-Za-z0-9][A-Za-z0-9.'-]*")


class CheckFailedError(AssertionError):
    """A check inside a `claim` block did not come out."""


def part_of(claim_id: str) -> str:
    """Return the part that a claim belongs to.

    Parameters
    ----------
    claim_id : str
        Letter of the part, hyphen, id within the paper.

    Raises
    ------
    ValueError
        If `claim_id` is not of that form.

    Examples
    --------
    >>> part_of("Y-P5.1")
    'correlated'
    """
    match = _ID.fullmatch(claim_id)
    if match is None:
        raise ValueError(
            f"part_of: claim_id must be one of the letters {''.join(PARTS)}, a hyphen and an id, "
            f"got {claim_id!r}"
        )
    return PARTS[match[1]]


def anchor(claim_id: str) -> str:
    """Return the HTML anchor of a claim (letters, digits and hyphens only).

    Examples
    --------
    >>> anchor("Y-P5.1'")
    'claim-Y-P5-1p'
    """
    return "claim-" + claim_id.replace(".", "-").replace("'", "p")


# --- evidence -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """One check: which side it is on, how it was done, what it says."""

    side: Side
    method: str
    text: str


@dataclass(frozen=True)
class Record:
    """All checks of one `claim` block.

    Attributes
    ----------
    id : str
    checks : tuple of Check
    printed : str
        The printed form of a claim that needs repair (Markdown with ``$…$``).
    corrected : str
        The corrected form.
    consequence : str
        What the error means for the rest of the paper.
    """

    id: str
    checks: tuple[Check, ...]
    printed: str = ""
    corrected: str = ""
    consequence: str = ""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record:
        """Make the record again from its ``dataclasses.asdict``."""
        return cls(**{**data, "checks": tuple(Check(**check) for check in data["checks"])})


def verdict_of(checks: Iterable[Check]) -> Verdict:
    """Derive the verdict from the sides that the checks are on.

    Raises
    ------
    ValueError
        If there is no check at all: no evidence is no verdict.

    Examples
    --------
    >>> verdict_of([Check("differs", "exact", "n = 4"), Check("supports", "exact", "n = 4")])
    'corrected'
    """
    sides = {check.side for check in checks}
    if not sides:
        raise ValueError("verdict_of: a claim needs at least one check")
    if "missing" in sides:
        return "not reproducible"
    if sides == {"supports"}:
        return "verified"
    return "corrected" if "supports" in sides else "refuted"


def strongest(checks: Iterable[Check]) -> str:
    """Return the strongest method among the checks, ``""`` if none computes anything."""
    used = {check.method for check in checks}
    return next((method for method in METHODS if method in used), "")


class claim:  # noqa: N801  (reads as a statement: with claim("Y-P5.1") as c)
    r"""Gather evidence on one claim; on success show a badge.

    Parameters
    ----------
    claim_id : str
        Such as ``"Y-P5.1"``.
    printed : str, optional
        The printed form of a claim that needs repair, in Markdown with ``$…$``, for the badge and
        the errata page.
    corrected : str, optional
        The corrected form, likewise.
    consequence : str, optional
        What follows for the rest of the paper, likewise.
    show : bool, optional
        ``False``: no badge of its own (`slips` gathers several in one table).

    Raises
    ------
    ValueError
        If `claim_id` is malformed, or the block ends without a check.
    CheckFailedError
        If a check does not come out; the message has both sides.

    Examples
    --------
    >>> from fractions import Fraction
    >>> with claim("Y-T3", show=False) as c:
    ...     c.exact(Fraction(1, 10) + Fraction(9, 10), 1, "probabilities sum to one")
    >>> c.record.checks[0].method, verdict_of(c.record.checks)
    ('exact', 'verified')
    """

    def __init__(
        self,
        claim_id: str,
        *,
        printed: str = "",
        corrected: str = "",
        consequence: str = "",
        show: bool = True,
    ) -> None:
        part_of(claim_id)
        self.id = claim_id
        self._texts = (printed, corrected, consequence)
        self._show = show
        self._checks: list[Check] = []

    @property
    def record(self) -> Record:
        """The checks so far."""
        return Record(self.id, tuple(self._checks), *self._texts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            return
        if not self._checks:
            raise ValueError(f"claim {self.id}: the block ended without a check")
        if self._show:
            show(self.record)

    def _add(self, side: Side, method: str, text: str) -> None:
        self._checks.append(Check(side, method, text))

    def _floats(self, value: Any) -> npt.NDArray[np.float64]:
        array = np.asarray(value, dtype=np.float64)
        if not np.all(np.isfinite(array)):
            raise CheckFailedError(f"claim {self.id}: a side is not finite: {short(value)}")
        return array

    def _fail(self, what: str, left: Any, right: Any, label: str) -> CheckFailedError:
        about = f" ({label})" if label else ""
        return CheckFailedError(
            f"claim {self.id}: {what}{about}\n  left:  {short(left)}\n  right: {short(right)}"
        )

    # Supports ---------------------------------------------------------------------------------

    def exact(self, left: Any, right: Any, label: str = "") -> None:
        """Both sides are identical: algebra, rationals, integers, sets, enumerations.

        Parameters
        ----------
        left, right : object
            sympy expressions or matrices, ``Fraction``, int, bool, str, or lists, tuples, sets and
            object or integer arrays of these.
        label : str, optional
            What the check says, for the ledger.

        Raises
        ------
        TypeError
            If a side holds a float: equality of floats is what `close` is for.
        CheckFailedError
            If the sides differ.
        """
        if holds_float(left) or holds_float(right):
            raise TypeError(f"claim {self.id}: exact() got a float; use close() with a tolerance")
        equal, symbols = identical(left, right)
        if not equal:
            raise self._fail("exact() sides differ", left, right, label)
        self._add("supports", "symbolic" if symbols else "exact", label or "both sides identical")

    def close(
        self, left: Any, right: Any, label: str = "", *, rtol: float = 1e-9, atol: float = 0.0
    ) -> None:
        """Both sides agree within ``atol + rtol * abs(right)``, elementwise, in floats.

        Parameters
        ----------
        left, right : array_like
            Two routes to the same numbers, of the same shape (or one of them a scalar).
        rtol, atol : float, optional
            Tolerances; shown in the ledger.

        Raises
        ------
        ValueError
            If both sides are one and the same array: such a check cannot fail.
        CheckFailedError
            If they do not agree or a value is not finite.
        """
        if left is right and not isinstance(left, (int, float, np.generic)):
            raise ValueError(f"claim {self.id}: close() got the same object twice")
        a, b = self._floats(left), self._floats(right)
        same_shape = a.shape == b.shape or a.ndim == 0 or b.ndim == 0
        if not same_shape or not np.all(np.abs(a - b) <= atol + rtol * np.abs(b)):
            raise self._fail(f"close() beyond rtol={rtol:g}, atol={atol:g}", left, right, label)
        bounds = [f"rtol {rtol:g}"] * (rtol > 0) + [f"atol {atol:g}"] * (atol > 0)
        self._add("supports", "numeric", f"{label or 'two routes agree'} ({', '.join(bounds)})")

    def at_most(self, left: Any, right: Any, label: str = "", *, slack: float = 0.0) -> None:
        """``left <= right + slack`` elementwise; exact for rationals when `slack` is 0.

        Raises
        ------
        CheckFailedError
            If an element violates it or is not finite.
        """
        method = self._compare(left, right, label, slack)
        note = f" (slack {slack:g})" if slack else ""
        self._add("supports", method, (label or "left side at most the right side") + note)

    def _compare(self, left: Any, right: Any, label: str, slack: float) -> str:
        rational = isinstance(left, Rational) and isinstance(right, Rational) and not slack
        if rational:
            good = bool(left <= right)
        else:
            a, b = self._floats(left), self._floats(right)
            good = bool(np.all(a <= b + slack))
        if not good:
            raise self._fail("at_most() violated", left, right, label)
        return "exact" if rational else "numeric"

    def holds(self, condition: object, label: str, *, method: str = "exact") -> None:
        """A statement that is true or false, such as a property of a graph.

        Parameters
        ----------
        condition : bool
            Anything else is refused, so that a non-empty list does not pass for a truth.
        label : str
            The statement; required, since there are no two sides to show.
        method : {"symbolic", "exact", "numeric"}, optional
            How `condition` was found.

        Raises
        ------
        TypeError
            If `condition` is not a boolean.
        CheckFailedError
            If it is false.
        """
        if not self._truth(condition, method):
            raise self._fail("holds() is false", condition, "True", label)
        self._add("supports", method, label)

    def _truth(self, condition: object, method: str) -> bool:
        if method not in METHODS[:3]:
            raise ValueError(
                f"claim {self.id}: method must be one of {METHODS[:3]}, got {method!r}"
            )
        if not isinstance(condition, (bool, np.bool_)) and str(condition) not in ("True", "False"):
            raise TypeError(f"claim {self.id}: condition must be a bool, got {condition!r}")
        return bool(condition)

    def sampled(
        self,
        estimate: Any,
        expected: Any,
        label: str = "",
        *,
        stderr: Any,
        threshold: float = 4.0,
    ) -> None:
        """Simulated values lie within `threshold` standard errors of the expected ones.

        Parameters
        ----------
        estimate, expected : array_like
        stderr : array_like
            Standard error of `estimate`, positive.
        threshold : float, optional
            Largest absolute z-score allowed; shown in the ledger.

        Raises
        ------
        ValueError
            If a standard error is not positive.
        CheckFailedError
            If the largest absolute z-score exceeds `threshold`.
        """
        a, b = self._floats(estimate), self._floats(expected)
        error = self._floats(stderr)
        if not np.all(error > 0):
            raise ValueError(f"claim {self.id}: stderr must be positive, got {short(stderr)}")
        z = float(np.max(np.abs(a - b) / error))
        if z > threshold:
            raise self._fail(f"sampled() |z| = {z:.2f} > {threshold:g}", estimate, expected, label)
        text = f"{label or 'simulation agrees'} (|z| = {z:.1f}, allowed {threshold:g})"
        self._add("supports", "statistical", text)

    # Differs ----------------------------------------------------------------------------------

    def differs(
        self, printed: Any, truth: Any, label: str = "", *, rtol: float = 1e-6, atol: float = 0.0
    ) -> None:
        """The printed form gives another value than the truth: a counterexample.

        Parameters
        ----------
        printed, truth : object
            The value of the printed form and the right one.
        label : str, optional
            Where: the smallest case. Shown on the errata page with both values.
        rtol, atol : float, optional
            Floats count as different when they differ by more than this.

        Raises
        ------
        CheckFailedError
            If the two agree (then there is nothing to correct).
        """
        if holds_float(printed) or holds_float(truth):
            a, b = self._floats(printed), self._floats(truth)
            agree = a.shape == b.shape and bool(np.all(np.abs(a - b) <= atol + rtol * np.abs(b)))
            method = "numeric"
        else:
            agree, symbols = identical(printed, truth)
            method = "symbolic" if symbols else "exact"
        if agree:
            raise self._fail("differs() but both sides agree", printed, truth, label)
        values = f"printed {short(printed)}, correct {short(truth)}"
        self._add("differs", method, f"{label}: {values}" if label else values)

    def fails(self, condition: object, label: str, *, method: str = "exact") -> None:
        """The printed statement, a truth value, is false in the case that `label` names.

        Raises
        ------
        TypeError
            If `condition` is not a boolean.
        CheckFailedError
            If the statement is true after all.
        """
        if self._truth(condition, method):
            raise self._fail("fails() but it is true", condition, "False", label)
        self._add("differs", method, label)

    # Missing ----------------------------------------------------------------------------------

    def missing(self, what: str) -> None:
        """State what would be needed to reproduce the claim and is not in the text that we have.

        Raises
        ------
        ValueError
            If `what` is empty.
        """
        if not what.strip():
            raise ValueError(f"claim {self.id}: missing() must say what is missing")
        self._add("missing", "", what)


# --- badges ---------------------------------------------------------------------------------

MARKS = {"verified": "✓", "corrected": "✎", "refuted": "✗", "not reproducible": "?", "read": "☞"}
COLOURS = {
    "verified": "#1b6e53",
    "corrected": "#8a5a00",
    "refuted": "#a3271b",
    "not reproducible": "#5b5f6b",
    "read": "#3b5b92",
}  # dark enough for white text on them (contrast ratio above 4.5)


def _math(text: str) -> str:
    r"""Escape for HTML and turn ``$…$`` into ``\(…\)`` and back-ticks into ``<code>``."""
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"\$([^$]+)\$", r"\\(\1\\)", escaped)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def _counts(record: Record) -> str:
    count = len(record.checks)
    method = strongest(record.checks)
    return f"{method}, {count} check{'s' * (count != 1)}" if method else "see the ledger"


def badge_html(record: Record, *, texts: bool = True) -> str:
    """Return the badge of a record as HTML.

    Parameters
    ----------
    record : Record
    texts : bool, optional
        Whether to show the printed and the corrected form as well.
    """
    verdict = verdict_of(record.checks)
    lines = (("printed:", record.printed), ("corrected:", record.corrected)) if texts else ()
    rows = "".join(
        f'<br><span class="tex2jax_process mathjax_process"><em>{name}</em> {_math(text)}</span>'
        for name, text in lines
        if text
    )
    return (
        f'<div class="claim-badge" id="{anchor(record.id)}" '
        f'style="border-left:4px solid {COLOURS[verdict]};padding:.15em .7em;margin:.3em 0">'
        f'<a href="../../book/ledger/{part_of(record.id)}.html#{anchor(record.id)}" '
        f'style="background:{COLOURS[verdict]};color:#fff;border-radius:.3em;padding:.1em .5em;'
        f'text-decoration:none">{MARKS[verdict]} {record.id} {verdict}</a> '
        f"<small>{_counts(record)}</small>{rows}</div>"
    )


def _display(markup: str, records: Sequence[Record]) -> None:
    """Show HTML with the records in its metadata; in a terminal, one line of text a record."""
    text = "\n".join(map(_line, records))
    try:
        from IPython import get_ipython
    except ImportError:  # pragma: no cover  (a plain interpreter without IPython)
        print(text)
        return
    if get_ipython() is None:
        print(text)
        return
    from IPython.display import display

    told = {"privlib": {"claims": [asdict(record) for record in records]}}
    display({"text/html": markup, "text/plain": text}, raw=True, metadata=told)


def _line(record: Record) -> str:
    return f"{record.id}: {verdict_of(record.checks)} ({_counts(record)})"


def show(record: Record) -> None:
    """Display the badge of a record (in a terminal: one line of text)."""
    _display(badge_html(record), [record])


def slips(
    rows: Sequence[tuple[str, str, str, Callable[[claim], object]]],
) -> tuple[Record, ...]:
    """Show small misprints in one table: printed, corrected, verdict.

    Parameters
    ----------
    rows : sequence of (claim id, printed, corrected, check)
        ``check(c)`` does the checks on the claim block `c`.

    Returns
    -------
    tuple of Record

    Raises
    ------
    CheckFailedError
        If a check does not come out.
    """
    records = []
    for claim_id, printed, corrected, check in rows:
        with claim(claim_id, printed=printed, corrected=corrected, show=False) as c:
            check(c)
        records.append(c.record)
    cells = "".join(
        f'<tr class="tex2jax_process mathjax_process"><td>{_math(record.printed)}</td>'
        f"<td>{_math(record.corrected)}</td><td>{badge_html(record, texts=False)}</td></tr>"
        for record in records
    )
    head = "<tr><th>printed</th><th>corrected</th><th>check</th></tr>"
    table = f'<table class="claim-slips">{head}{cells}</table>'
    _display(table, records)
    return tuple(records)
