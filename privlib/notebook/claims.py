r"""The ledger: verdicts on claims, derived from checks that ran.

A *claim* is one statement of a paper: a definition, an equation, a theorem, an example, a number.
``book/claims/<part>.yml`` says what it states and what it rests on, never whether it is right.
That comes from *evidence* in notebook cells::

    with claim("Y-P5.1") as c:
        c.exact(printed_update, schur_complement)      # identical, by algebra
        c.close(numeric, oracle, rtol=1e-12)           # two routes, in floats

Each check has a side. It **supports** the printed statement (or, where that fails, our correction
of it); it shows that the printed form **differs** from the truth; it shows a **limit**, a case
outside the claim's own words in which it no longer holds; or it states what is **missing** from the
paper, or that our copy of the **source** is **incomplete**:

==============================  ================
checks of the claim             verdict
==============================  ================
supports, with a limit or not   verified
differs                         corrected
missing, or source incomplete   not reproducible
==============================  ================

A limit does not change the verdict; it is a note beside it. A definition or an opinion has no
checks: the file of the claims says why it is *not checkable*.

A check that does not come out raises `CheckFailedError` and prints both sides; the notebook fails,
and with it the tests. So a verdict cannot outlive its evidence. A check has a *method*: *symbolic*
(algebra), *exact* (rational arithmetic, enumeration), *numeric* (tolerance stated), *statistical*
(z-score within a stated threshold).

A verdict is as strong as its **decisive** checks, whatever stronger checks stand beside them::

        c.decisive("exhaustive").exact(brute_force, formula)   # every case up to a stated size

The strengths are *proved* (holds for all cases), *exhaustive* (went through every case that the
claim quantifies over, up to a stated size), *sampled* (some cases out of many), *simulated* (random
draws with an error bar) and *one example*. Where several checks are decisive, the weakest counts.

When the block ends well, the cell shows a badge, with the record of the checks in the metadata of
the output; the tools gather them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib.util import find_spec
from numbers import Rational
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from privlib._checks import choice, non_negative, rational
from privlib._safety import exact_floats
from privlib.notebook._comparison import (
    holds_float,
    identical,
    markup,
    real_numbers,
    same_labels,
    short,
    typeset,
)

if TYPE_CHECKING:
    from privlib.notebook.derivations import derivation

PARTS: Mapping[str, str] = {
    "N": "laplace", "Y": "correlated", "K": "disclosure", "M": "location", "S": "sketch"
}  # fmt: skip
"""Letter of a claim's id -> part of the book."""

METHODS = ("symbolic", "exact", "numeric", "statistical")  # strongest first
STRENGTHS = ("proved", "exhaustive", "sampled", "simulated", "one example")  # strongest first
# The strength of a check of each method, if it does not say.
_USUAL_STRENGTH = {
    "symbolic": "proved",
    "exact": "one example",
    "numeric": "one example",
    "statistical": "simulated",
}

Side = Literal["supports", "differs", "limit", "missing", "source incomplete"]
Verdict = Literal["verified", "corrected", "not reproducible", "not checkable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

_ID = re.compile(rf"([{''.join(PARTS)}])-[A-Za-z0-9][A-Za-z0-9.'-]*")


class CheckFailedError(AssertionError):
    """A check inside a `claim` block did not come out.

    Examples
    --------
    >>> claim("N-8a", show=False).exact(2 + 2, 5, "a sum")
    Traceback (most recent call last):
    privlib.notebook.claims.CheckFailedError: claim N-8a: exact() sides differ (a sum)
      left:  4
      right: 5
    """


def part_of(claim_id: str) -> str:
    """Return the part that a claim belongs to.

    Parameters
    ----------
    claim_id : str
        Letter of the part, hyphen, id within the paper.

    Returns
    -------
    str
        Name of the folder of that part: a value of `PARTS`.

    Raises
    ------
    ValueError
        If `claim_id` is not of that form.

    Examples
    --------
    >>> part_of("Y-P5.1")
    'correlated'
    """
    if (match := _ID.fullmatch(claim_id)) is None:
        rule = f"one of the letters {''.join(PARTS)}, a hyphen and an id"
        raise ValueError(f"part_of: claim_id must be {rule}, got {claim_id!r}")
    return PARTS[match[1]]


def anchor(claim_id: str) -> str:
    """Return the HTML anchor of a claim (letters, digits and hyphens only).

    Parameters
    ----------
    claim_id : str
        Letter of the part, hyphen, id within the paper; not checked.

    Returns
    -------
    str
        ``"claim-"`` and the id, with a hyphen for a dot and a p for a prime.

    Examples
    --------
    >>> anchor("Y-P5.1'")
    'claim-Y-P5-1p'
    """
    return "claim-" + claim_id.replace(".", "-").replace("'", "p")


# --- evidence -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """One check: its side, method and text, its strength, and whether it is marked as decisive.

    Parameters
    ----------
    side : {"supports", "differs", "limit", "missing", "source incomplete"}
        What the check says of the printed statement.
    method : {"symbolic", "exact", "numeric", "statistical", ""}
        How it was found; empty where nothing was computed.
    text : str
        What the check says, for the ledger.
    strength : {"proved", "exhaustive", "sampled", "simulated", "one example", ""}, optional
        How far it reaches.
    decisive : bool, optional
        Whether it is marked as one that decides the claim.

    Examples
    --------
    >>> check = Check("supports", "exact", "all graphs of four nodes", "exhaustive", decisive=True)
    >>> strength_of([check])
    'exhaustive'
    """

    side: Side
    method: str
    text: str
    strength: str = ""
    decisive: bool = False


@dataclass(frozen=True)
class Record:
    """All checks of one `claim` block.

    Parameters
    ----------
    id : str
        Id of the claim.
    checks : tuple of Check
        Its checks, in the order in which they ran.
    printed : str, optional
        The printed form of a claim that needs repair (Markdown with ``$…$``).
    corrected : str, optional
        The corrected form.
    consequence : str, optional
        What the error means for the rest of the paper.

    Examples
    --------
    >>> record = Record("N-8a", (Check("supports", "symbolic", "by integration", "proved"),))
    >>> verdict_line(record.checks)
    'verified, proved'
    """

    id: str
    checks: tuple[Check, ...]
    printed: str = ""
    corrected: str = ""
    consequence: str = ""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record:
        """Make the record again from its ``dataclasses.asdict``.

        Parameters
        ----------
        data : mapping
            What ``dataclasses.asdict`` makes of a record, also after a way through JSON.

        Returns
        -------
        Record
            One that equals the original.

        Examples
        --------
        >>> record = Record("N-8a", (Check("supports", "symbolic", "by integration", "proved"),))
        >>> Record.from_dict(asdict(record)) == record
        True
        """
        return cls(**{**data, "checks": tuple(Check(**check) for check in data["checks"])})


def verdict_of(checks: Iterable[Check]) -> Verdict:
    """Derive the verdict from the sides that the checks are on.

    Parameters
    ----------
    checks : iterable of Check
        The checks of one claim.

    Returns
    -------
    {"verified", "corrected", "not reproducible"}
        Not reproducible if something is missing or our source is incomplete; else corrected if the
        printed form differs; else verified, with a limit or not.

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
    if not sides - {"limit"}:
        raise ValueError("verdict_of: a claim needs at least one check that is no limit")
    if sides & {"missing", "source incomplete"}:
        return "not reproducible"
    return "corrected" if "differs" in sides else "verified"


def decisive_checks(checks: Sequence[Check]) -> list[Check]:
    """Return the supports that decide the claim: those marked, or the only one there is.

    Parameters
    ----------
    checks : sequence of Check
        The checks of one claim.

    Returns
    -------
    list of Check
        In their order. Empty if nothing supports the claim, or several checks do and none is
        marked.

    Examples
    --------
    >>> few = Check("supports", "numeric", "five matrices", "sampled")
    >>> proof = Check("supports", "symbolic", "all matrices", "proved", decisive=True)
    >>> [check.text for check in decisive_checks([few, proof])]
    ['all matrices']
    >>> [check.text for check in decisive_checks([few])]
    ['five matrices']
    """
    supports = [check for check in checks if check.side == "supports"]
    if len(supports) == 1:
        return supports
    return [check for check in supports if check.decisive]


def strength_of(checks: Sequence[Check]) -> str:
    """Return the strength of the evidence: that of the weakest decisive check.

    A lone support decides without a mark. Where nothing supports, one counterexample decides. Empty
    where several checks support the claim and none is marked.

    Parameters
    ----------
    checks : sequence of Check
        The checks of one claim.

    Returns
    -------
    {"proved", "exhaustive", "sampled", "simulated", "one example", ""}
        The strength.

    Examples
    --------
    >>> lone = Check("supports", "statistical", "10⁶ draws", "simulated")
    >>> proof = Check("supports", "symbolic", "d = 1", "proved", decisive=True)
    >>> strength_of([lone]), strength_of([lone, proof])
    ('simulated', 'proved')
    """
    strengths = [check.strength for check in decisive_checks(checks)]
    if strengths:
        return max(strengths, key=STRENGTHS.index)
    return "one example" if all(check.side == "differs" for check in checks) else ""


def is_rebuilt(checks: Iterable[Check]) -> bool:
    """Whether checks rebuild, from the paper's data, what our copy of the paper lacks.

    Parameters
    ----------
    checks : iterable of Check
        The checks of one claim.

    Returns
    -------
    bool
        True if our source is incomplete, something supports the claim, and nothing is missing.

    Examples
    --------
    >>> lost = Check("source incomplete", "", "the picture of figure 2")
    >>> again = Check("supports", "numeric", "its curve, from table 1", "one example")
    >>> is_rebuilt([lost]), is_rebuilt([lost, again])
    (False, True)
    """
    sides = {check.side for check in checks}
    return "source incomplete" in sides and "supports" in sides and "missing" not in sides


def notes_on(checks: Sequence[Check]) -> list[str]:
    """Return what stands beside the verdict of a claim: that it has a limit, or was rebuilt.

    Parameters
    ----------
    checks : sequence of Check
        The checks of one claim.

    Returns
    -------
    list of str
        Of ``"with a limit"``, for a verified claim only, and ``"rebuilt"``; empty if neither holds.

    Raises
    ------
    ValueError
        If there is no check, or there are limits only.

    Examples
    --------
    >>> notes_on([Check("supports", "exact", "n = 4"), Check("limit", "exact", "n = 5")])
    ['with a limit']
    """
    notes = []
    if verdict_of(checks) == "verified" and any(check.side == "limit" for check in checks):
        notes.append("with a limit")
    if is_rebuilt(checks):
        notes.append("rebuilt")
    return notes


def strongest(checks: Iterable[Check]) -> str:
    """Return the strongest method among the checks, ``""`` if none computes anything.

    Parameters
    ----------
    checks : iterable of Check
        The checks of one claim.

    Returns
    -------
    {"symbolic", "exact", "numeric", "statistical", ""}
        The method that comes first in this order.

    Examples
    --------
    >>> strongest([Check("supports", "numeric", "in floats"), Check("supports", "exact", "n = 4")])
    'exact'
    >>> strongest([Check("missing", "", "the data")])
    ''
    """
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
        ``False``: no badge of its own (`misprints` gathers several in one table).

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
        # The strength that `decisive` announced for the next check; "" stands for the usual one.
        self._announced: str | None = None

    @property
    def record(self) -> Record:
        """The checks so far.

        Examples
        --------
        >>> c = claim("N-8a", show=False)
        >>> c.exact(2 + 2, 4, "a sum")
        >>> c.record.id, [check.text for check in c.record.checks]
        ('N-8a', ['a sum'])
        """
        return Record(self.id, tuple(self._checks), *self._texts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            return
        if not self._checks:
            raise ValueError(f"claim {self.id}: the block ended without a check")
        if self._announced is not None:
            raise ValueError(f"claim {self.id}: no check follows decisive()")
        if self._show:
            show(self.record)

    def decisive(self, strength: str = "") -> Self:
        """Say that the next check decides the claim, and how strong it is.

        Parameters
        ----------
        strength : {"proved", "exhaustive", "sampled", "simulated", "one example"}, optional
            Default: *proved* for symbolic checks, *simulated* for statistical ones, *one example*
            for others. *Exhaustive* is a check that went through every case that the claim
            quantifies over, up to a stated size; some cases out of many are *sampled*.

        Returns
        -------
        claim
            This block, so that the check can follow on the same line.

        Raises
        ------
        ValueError
            If there is no such strength.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.decisive("exhaustive").exact([k % 2 for k in (1, 3)], [1, 1], "all odd k below 5")
        ...     c.exact(7 % 2, 1, "k = 7")
        >>> strength_of(c.record.checks)
        'exhaustive'
        """
        if strength:
            choice(f"claim {self.id}", "strength", strength, STRENGTHS)
        self._announced = strength
        return self

    def _add(self, side: Side, method: str, text: str) -> None:
        strength = self._announced or _USUAL_STRENGTH.get(method, "")
        decisive = self._announced is not None
        self._announced = None
        self._checks.append(Check(side, method, text, strength, decisive))

    def _arrays(self, *sides: Any, exact: bool = False) -> list[npt.NDArray[Any]]:
        """Return numbers, finite and not none at all, as arrays of one shape, or scalars.

        They are floats, or fractions if they are asked to be exact.
        """
        where = f"claim {self.id}"
        arrays: list[npt.NDArray[Any]] = []
        for side in sides:
            array = real_numbers(where, side)
            if exact:
                array = np.asarray(np.frompyfunc(partial(rational, where, "a side"), 1, 1)(array))
            else:
                array = exact_floats(where, "a side", array)
            arrays.append(array)
        good = all(a.size and (a.dtype == object or np.isfinite(a).all()) for a in arrays)
        shapes = {array.shape for array in arrays if array.ndim}
        if not good or len(shapes) > 1 or not same_labels(*sides):
            values = ", ".join(map(short, sides))
            raise CheckFailedError(
                f"{where}: empty, not finite, or of other shapes or labels: {values}"
            )
        return arrays

    def _fail(self, what: str, left: Any, right: Any, label: str) -> CheckFailedError:
        about = f" ({label})" if label else ""
        sides = f"\n  left:  {short(left)}\n  right: {short(right)}"
        return CheckFailedError(f"claim {self.id}: {what}{about}{sides}")

    # Supports ---------------------------------------------------------------------------------

    def exact(self, left: Any, right: Any, label: str = "") -> None:
        """Both sides are identical: algebra, rationals, integers, sets, enumerations.

        Parameters
        ----------
        left, right : object
            Expressions or matrices of sympy, ``Fraction``, int, bool, str, or lists, tuples, sets
            and object or integer arrays of these. Two empty lists are identical: that is how one
            says that there is no counterexample.
        label : str, optional
            What the check says, for the ledger.

        Raises
        ------
        TypeError
            If a side holds a float: equality of floats is what `close` is for.
        CheckFailedError
            If the sides differ, one of them is NaN or has it in a set or a key, or what pandas
            makes has other labels on one side than on the other.

        Examples
        --------
        >>> import sympy as sp
        >>> z = sp.Symbol("z", positive=True)
        >>> with claim("N-8a", show=False) as c:
        ...     c.exact(sp.integrate(sp.exp(-z), (z, 1, sp.oo)), sp.exp(-1), "the tail")
        ...     c.exact([], [n for n in range(9) if n**2 % 4 > 1], "no counterexample below 9")
        >>> [check.method for check in c.record.checks]
        ['exact', 'exact']
        """
        if holds_float(left) or holds_float(right):
            raise TypeError(f"claim {self.id}: exact() got a float; use close() with a tolerance")
        equal, symbols = identical(left, right)
        if not equal:
            raise self._fail("exact() sides differ", left, right, label)
        self._add("supports", "symbolic" if symbols else "exact", label or "both sides identical")

    def derived(self, chain: derivation, first: Any, last: Any, label: str = "") -> None:
        """A derivation, each step of which is proved, leads from one expression to the other.

        Parameters
        ----------
        chain : derivation
            The chain, whose steps were proved when they were added.
        first, last : sympy expression
            What it leads from, and to: as `exact` compares them.
        label : str, optional
            What the check says, for the ledger; the relation of the ends is added.

        Raises
        ------
        CheckFailedError
            If it begins or ends elsewhere.

        Examples
        --------
        >>> import sympy as sp
        >>> from privlib.notebook.derivations import derivation
        >>> x = sp.Symbol("x", positive=True)
        >>> chain = derivation((x + 1) ** 2).equal(x**2 + 2 * x + 1, "expand")
        >>> with claim("N-8a", show=False) as c:
        ...     c.derived(chain.at_least(x**2, "x is positive"), (x + 1) ** 2, x**2)
        >>> c.record.checks[0].text
        'derived in 2 steps (≥)'
        """
        ends = (chain.first, chain.last)
        if not identical(ends, (first, last))[0]:
            raise self._fail("derived() leads elsewhere", ends, (first, last), label)
        text = label or f"derived in {len(chain.steps)} steps"
        self._add("supports", "symbolic", f"{text} ({chain.relation})")

    def close(
        self, left: Any, right: Any, label: str = "", *, rtol: float = 1e-9, atol: float = 0.0
    ) -> None:
        """Both sides agree within ``atol + rtol * abs(right)``, elementwise, in floats.

        Parameters
        ----------
        left, right : array_like
            Two routes to the same numbers, of the same shape (or one of them a scalar), not empty.
        label : str, optional
            What the check says, for the ledger.
        rtol, atol : float, optional
            Tolerances; shown in the ledger.

        Raises
        ------
        ValueError
            If both sides are one and the same array: such a check cannot fail. If a tolerance is
            negative or not finite, or if a float would make a number 0 or another integer: say
            ``float(...)`` if that is meant, or use `exact`.
        TypeError
            If a side holds what is no real number (a complex one, text, a date) or has a mask.
        CheckFailedError
            If they do not agree, a value is not finite, or there is none to compare; if the shapes
            differ and neither side is a scalar, or the labels of pandas differ.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.close(0.3679, np.exp(-1), "the tail", rtol=1e-3)
        >>> c.record.checks[0].text
        'the tail (rtol 0.001)'
        """
        if left is right and not isinstance(left, (int, float, np.generic)):
            raise ValueError(f"claim {self.id}: close() got the same object twice")
        if not self._agree(left, right, rtol, atol):
            raise self._fail(f"close() beyond {rtol=!s}, {atol=!s}", left, right, label)
        bounds = [f"rtol {short(rtol)}"] * (rtol > 0) + [f"atol {short(atol)}"] * (atol > 0)
        self._add("supports", "numeric", f"{label or 'two routes agree'} ({', '.join(bounds)})")

    def _agree(self, left: Any, right: Any, rtol: float, atol: float) -> bool:
        for name, value in (("rtol", rtol), ("atol", atol)):
            non_negative(f"claim {self.id}", name, value)
        a, b = self._arrays(left, right)
        return bool(np.all(np.abs(a - b) <= atol + rtol * np.abs(b)))

    def at_most(self, left: Any, right: Any, label: str = "", *, slack: float = 0.0) -> None:
        """``left <= right + slack`` elementwise; exact for rationals when `slack` is 0.

        (The ledger calls it exact for two numbers, and for lists, cautiously, numeric.)

        Parameters
        ----------
        left, right : array_like
            The two sides, of the same shape (or one of them a scalar), not empty.
        label : str, optional
            What the check says, for the ledger.
        slack : float, optional
            By how much the left side may exceed the right one; shown in the ledger.

        Raises
        ------
        TypeError
            If a side holds a truth value among rationals: it is no number to compare. If it holds
            what is no real number (a complex one, text, a date) or has a mask.
        CheckFailedError
            If an element violates it or is not finite, or there is none; if the shapes differ and
            neither side is a scalar, or the labels of pandas differ.

        Examples
        --------
        >>> from fractions import Fraction
        >>> with claim("N-8a", show=False) as c:
        ...     c.at_most(Fraction(1, 3), Fraction(1, 2), "a third is at most a half")
        ...     c.at_most([0.1, 0.2], 0.2)
        >>> [check.method for check in c.record.checks]
        ['exact', 'numeric']
        """
        sides = [np.asarray(side, dtype=object) for side in (left, right)]
        exact = not slack and all(isinstance(entry, Rational) for s in sides for entry in s.flat)
        # Fractions, as products of numpy's integers can overflow.
        a, b, more = self._arrays(left, right, slack, exact=exact)
        if not np.all(a <= (b if exact else b + more)):
            raise self._fail("at_most() violated", left, right, label)
        method = "numeric" if a.ndim or b.ndim or not exact else "exact"
        note = f" (slack {short(slack)})" if slack else ""
        self._add("supports", method, (label or "left side at most the right side") + note)

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

        Examples
        --------
        >>> import networkx as nx
        >>> with claim("N-8a", show=False) as c:
        ...     c.holds(nx.is_tree(nx.path_graph(4)), "a path is a tree")
        >>> verdict_of(c.record.checks)
        'verified'
        """
        if not self._truth(condition, method):
            raise self._fail("holds() is false", condition, "True", label)
        self._add("supports", method, label)

    def _truth(self, condition: object, method: str) -> bool:
        choice(f"claim {self.id}", "method", method, METHODS[:3])
        if isinstance(condition, str) or str(condition) not in ("True", "False"):
            raise TypeError(f"claim {self.id}: condition must be a bool, got {condition!r}")
        return bool(condition)

    def sampled(
        self, estimate: Any, expected: Any, label: str = "", *, stderr: Any, threshold: float = 4.0
    ) -> None:
        """Simulated values lie within `threshold` standard errors of the expected ones.

        Parameters
        ----------
        estimate, expected : array_like
            Simulated values and what they should be near: of one shape, or one of them a scalar.
        label : str, optional
            What the check says, for the ledger.
        stderr : array_like
            Standard error of `estimate`, positive.
        threshold : float, optional
            Largest absolute z-score allowed; shown in the ledger.

        Raises
        ------
        ValueError
            If a standard error is not positive.
        TypeError
            If something is no real number (but complex, text, a date) or has a mask.
        CheckFailedError
            If the largest absolute z-score exceeds `threshold`, something is not finite, or shapes
            or the labels of pandas differ.

        Examples
        --------
        >>> draws = np.random.default_rng(1).exponential(size=10_000)
        >>> with claim("N-8a", show=False) as c:
        ...     c.sampled(draws.mean(), 1.0, "the mean is 1", stderr=0.01)
        >>> c.record.checks[0].text
        'the mean is 1 (|z| = 0.1, allowed 4)'
        """
        a, b, error, most = self._arrays(estimate, expected, stderr, threshold)
        if not np.all(error > 0):
            raise ValueError(f"claim {self.id}: stderr must be positive, got {short(stderr)}")
        z = float(np.max(np.abs(a - b) / error))
        if z > most:
            raise self._fail(f"sampled() |z| = {z:.2f} > {most:g}", estimate, expected, label)
        text = f"{label or 'simulation agrees'} (|z| = {z:.1f}, allowed {most:g})"
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
        TypeError
            If one side holds a float, and one holds what is no real number.
        CheckFailedError
            If the two agree (then there is nothing to correct), or are not seen to differ: sympy
            has to find their difference elsewhere than at 0, at one of a few values that its
            symbols may have. Numbers and lists of other shapes, things of two kinds, and NaN, are
            not compared, nor is what pandas makes with other labels.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.differs(2 * 4, 4**2, "n = 4, printed as 2n")
        ...     c.exact(sum([1, 3, 5, 7]), 4**2, "n = 4")
        >>> c.record.checks[0].text
        'n = 4, printed as 2n: the printed form gives 8, the truth is 16'
        >>> verdict_of(c.record.checks)
        'corrected'
        """
        form = "the printed form gives {}, the truth is {}"
        self._apart("differs", (printed, truth), label, form, rtol, atol)

    def limit(
        self, said: Any, truth: Any, label: str, *, rtol: float = 1e-6, atol: float = 0.0
    ) -> None:
        """Where the claim stops: beyond its own words, what it says is not the truth.

        Parameters
        ----------
        said, truth : object
            What the claim would give there, and what is so.
        label : str
            Where: the assumption that fails.
        rtol, atol : float, optional
            As in `differs`.

        Raises
        ------
        TypeError
            If one side holds a float, and one holds what is no real number.
        CheckFailedError
            If the two agree (then this is no limit), or are not seen to differ.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.exact(max(2, 3), 3, "the square root of x², x = 3")
        ...     c.limit(-3, 3, "x = -3, which is not positive")
        >>> c.record.checks[1].text
        'x = -3, which is not positive: -3 would follow, 3 is so'
        """
        self._apart("limit", (said, truth), label, "{} would follow, {} is so", rtol, atol)

    def _apart(self, side: Side, pair: tuple[Any, Any], label: str, form: str, *to: float) -> None:
        floats = holds_float(pair)
        agree, symbols = (self._agree(*pair, *to), None) if floats else identical(*pair)
        if agree is not False:
            reason = "both sides agree" if agree else "they are not seen to differ"
            raise self._fail(f"{side}() but {reason}", *pair, label)
        method = "numeric" if floats else "symbolic" if symbols else "exact"
        text = form.format(*map(typeset, pair))
        self._add(side, method, f"{label}: {text}" if label else text)

    def fails(self, condition: object, label: str, *, method: str = "exact") -> None:
        """The printed statement, a truth value, is false in the case that `label` names.

        Parameters
        ----------
        condition : bool
            The printed statement in that case. Anything else than a boolean is refused.
        label : str
            The case, and what is stated of it.
        method : {"symbolic", "exact", "numeric"}, optional
            How `condition` was found.

        Raises
        ------
        TypeError
            If `condition` is not a boolean.
        CheckFailedError
            If the statement is true after all.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.fails(all(9 % k for k in (2, 3, 5, 7)), "9 is odd, printed: so it is a prime")
        >>> verdict_of(c.record.checks)
        'corrected'
        """
        if self._truth(condition, method):
            raise self._fail("fails() but it is true", condition, "False", label)
        self._add("differs", method, label)

    # Missing ----------------------------------------------------------------------------------

    def missing(self, what: str) -> None:
        """State what would be needed to reproduce the claim and is not in the text that we have.

        Parameters
        ----------
        what : str
            What is missing: a parameter, a proof, data.

        Raises
        ------
        ValueError
            If `what` is empty.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.missing("the width of the bins")
        >>> verdict_of(c.record.checks)
        'not reproducible'
        """
        self._absent("missing", what)

    def source_incomplete(self, what: str) -> None:
        """State that the paper shows something, a picture, that our copy of its text lacks.

        Where checks support the claim all the same, they rebuild it from the paper's data.

        Parameters
        ----------
        what : str
            What the paper shows and our copy does not.

        Raises
        ------
        ValueError
            If `what` is empty.

        Examples
        --------
        >>> with claim("N-8a", show=False) as c:
        ...     c.source_incomplete("the picture of figure 2")
        ...     c.close(0.3679, np.exp(-1), "its right end, from the formula", rtol=1e-3)
        >>> verdict_line(c.record.checks)
        'not reproducible, rebuilt'
        """
        self._absent("source incomplete", what)

    def _absent(self, side: Side, what: str) -> None:
        if not what.strip():
            raise ValueError(f"claim {self.id}: {side}: say what is missing")
        self._add(side, "", what)


# --- badges ---------------------------------------------------------------------------------

MARKS = {"verified": "✓", "corrected": "✎", "not reproducible": "?", "not checkable": "☞"}
# Dark enough for white text on them (contrast ratio above 4.5).
COLOURS = {
    "verified": "#1b6e53",
    "corrected": "#8a5a00",
    "not reproducible": "#5b5f6b",
    "not checkable": "#3b5b92",
}


@cache
def _statements(path: Path, _modified: int) -> dict[str, str]:
    import yaml

    claims = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))["claims"]
    return {claim["id"]: claim["says"] for claim in claims}


def statement(claim_id: str, folder: Path | None = None) -> str:
    """Return what a claim says; empty outside a copy of the book, whose files say it.

    Parameters
    ----------
    claim_id : str
        Letter of the part, hyphen, id within the paper.
    folder : Path, optional
        A folder of the book, or one in it; default: the current one.

    Returns
    -------
    str
        One or two sentences in Markdown. Empty too if the book has no such claim, or PyYAML is not
        installed.

    Raises
    ------
    ValueError
        If `claim_id` is malformed.

    Examples
    --------
    >>> statement("N-8a", Path("/no/copy/of/the/book"))
    ''
    """
    folder = (folder or Path.cwd()).resolve()
    for above in (folder, *folder.parents):
        path = above / "book" / "claims" / f"{part_of(claim_id)}.yml"
        if path.exists() and find_spec("yaml"):
            return _statements(path, path.stat().st_mtime_ns).get(claim_id, "")
    return ""


def place_for_others(claim_id: str) -> str:
    """Return the empty element of a badge in which the book says whether others agree.

    Parameters
    ----------
    claim_id : str
        Letter of the part, hyphen, id within the paper; not checked.

    Returns
    -------
    str
        An HTML element, which the book fills.

    Examples
    --------
    >>> place_for_others("Y-P5.1")
    '<span data-others="Y-P5.1"></span>'
    """
    return f'<span data-others="{claim_id}"></span>'


def verdict_line(checks: Sequence[Check]) -> str:
    """Return the verdict in words, with its strength and the notes beside it.

    Parameters
    ----------
    checks : sequence of Check
        The checks of one claim.

    Returns
    -------
    str
        Verdict, strength (where several checks support the claim and none is marked: the strongest
        method) and notes, with commas between.

    Raises
    ------
    ValueError
        If there is no check, or there are limits only.

    Examples
    --------
    >>> verdict_line([Check("supports", "exact", "n = 4", "one example")])
    'verified, one example'
    """
    verdict = verdict_of(checks)
    words: list[str] = [verdict]
    if verdict != "not reproducible":
        words.append(strength_of(checks) or strongest(checks))
    words += notes_on(checks)
    return ", ".join(words)


def badge_html(record: Record, *, texts: bool = True, says: str = "") -> str:
    """Return the badge of a record as HTML: mark, id, what it says, verdict, strength.

    Parameters
    ----------
    record : Record
        The checks of a claim, at least one of which is no limit.
    texts : bool, optional
        Whether to show the printed and the corrected form as well.
    says : str, optional
        The claim's sentence, in Markdown with ``$…$``.

    Returns
    -------
    str
        One ``div`` element, whose id is the `anchor` of the claim.

    Raises
    ------
    ValueError
        If the record has no check, or limits only.

    Examples
    --------
    >>> record = Record("N-8a", (Check("supports", "symbolic", "by integration", "proved"),))
    >>> badge = badge_html(record, says="The tail is exponential.")
    >>> "verified, proved" in badge, 'id="claim-N-8a"' in badge
    (True, True)
    """
    verdict = verdict_of(record.checks)
    lines = (("printed:", record.printed), ("corrected:", record.corrected)) if texts else ()
    rows = "".join(
        f'<div class="tex2jax_process mathjax_process"><em>{name}</em> {markup(text)}</div>'
        for name, text in lines
        if text
    )
    sentence = f'<span class="tex2jax_process mathjax_process">{markup(says)}</span> ' * bool(says)
    line = verdict_line(record.checks) + place_for_others(record.id)
    return (
        f'<div class="claim-badge" id="{anchor(record.id)}" '
        f'style="border-left:4px solid {COLOURS[verdict]};padding:.15em .7em;margin:.3em 0">'
        f'<a href="../../book/ledger/{part_of(record.id)}.html#{anchor(record.id)}" '
        f'style="background:{COLOURS[verdict]};color:#fff;border-radius:.3em;padding:.1em .5em;'
        f'text-decoration:none">{MARKS[verdict]} {record.id}</a> '
        f"{sentence}<small>{line}</small>{rows}</div>"
    )


def shown(
    records: Sequence[Record], *, table: bool = False, folder: Path | None = None
) -> dict[str, Any]:
    """Return what a cell shows of records: HTML, and a line of text for each.

    Parameters
    ----------
    records : sequence of Record
        One for each claim.
    table : bool, optional
        As a table of misprints.
    folder : Path, optional
        Where `statement` looks.

    Returns
    -------
    dict of str to str
        The two texts under ``"text/html"`` and ``"text/plain"``.

    Examples
    --------
    >>> record = Record("N-8a", (Check("supports", "symbolic", "by integration", "proved"),))
    >>> shown([record], folder=Path("/no/copy/of/the/book"))["text/plain"]
    'N-8a: verified, proved.'
    """
    says = [statement(record.id, folder) for record in records]
    lines = []
    for record, sentence in zip(records, says):
        lines.append(f"{record.id}: {verdict_line(record.checks)}. {sentence}".rstrip())
    whole = "".join(badge_html(r, says=sentence) for r, sentence in zip(records, says))
    if table:
        rows = "".join(
            f'<tr class="tex2jax_process mathjax_process"><td>{markup(r.printed)}</td>'
            f"<td>{markup(r.corrected)}</td><td>{badge_html(r, texts=False)}</td></tr>"
            for r in records
        )
        head = "<tr><th>printed</th><th>corrected</th><th>check</th></tr>"
        whole = f'<table class="claim-misprints">{head}{rows}</table>'
    return {"text/html": whole, "text/plain": "\n".join(lines)}


def show(*records: Record, table: bool = False) -> None:
    """Display records with themselves in the metadata (in a terminal: lines of text).

    Parameters
    ----------
    *records : Record
        One for each claim.
    table : bool, optional
        As a table of misprints, rather than a badge for each.

    Examples
    --------
    >>> show(Record("N-8a", (Check("supports", "symbolic", "by integration", "proved"),)))
    N-8a: verified, proved...
    """
    bundle = shown(records, table=table)
    if find_spec("IPython"):
        from IPython import get_ipython
        from IPython.display import display

        if get_ipython() is not None:
            stored: dict[str, Any] = {"claims": [asdict(record) for record in records]}
            if table:
                stored["table"] = True
            display(bundle, raw=True, metadata={"privlib": stored})
            return
    print(bundle["text/plain"])


def misprints(
    rows: Sequence[tuple[str, str, str, Callable[[claim], object]]],
) -> tuple[Record, ...]:
    """Show misprints in one table: printed, corrected, verdict.

    Parameters
    ----------
    rows : sequence of (str, str, str, callable)
        Id of the claim, printed and corrected form in Markdown with ``$…$``, and the check:
        ``check(c)`` does the checks on the claim block `c`.

    Returns
    -------
    tuple of Record
        One for each row, in their order.

    Raises
    ------
    CheckFailedError
        If a check does not come out.

    Examples
    --------
    >>> def check(c):
    ...     c.differs(2 * 4, 4**2, "n = 4")
    ...     c.exact(1 + 3 + 5 + 7, 4**2, "n = 4")
    >>> records = misprints([("N-8a", "$2n$", "$n^2$", check)])
    N-8a: corrected, one example...
    >>> records[0].corrected
    '$n^2$'
    """
    records = []
    for claim_id, printed, corrected, check in rows:
        with claim(claim_id, printed=printed, corrected=corrected, show=False) as c:
            check(c)
        records.append(c.record)
    show(*records, table=True)
    return tuple(records)
