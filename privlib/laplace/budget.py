r"""A privacy budget: what is spent is written down, and what exceeds it is refused.

Mechanisms of the levels :math:`\varepsilon_1, \dots, \varepsilon_k` on the same records have
together the level :math:`\varepsilon_1 + \dots + \varepsilon_k` of differential privacy. The
`PrivacyBudget` adds in fractions and refuses the query that would exceed the total, before anything
is drawn.

**Where levels do not add up.** If records depend on one another, the levels of Bayesian
differential privacy of separate releases do not add up: two releases at one level may leak more
than twice as much to somebody who does not know all other records. Charge the *merged* query: all
numbers as one vector (``query=`` with a last axis in `privlib.correlated.FiniteDistribution`), or,
for one query released again with the scales :math:`\lambda_j`, one release of the scale
:math:`1 / \sum_j 1/\lambda_j`. In a jointly normal model
(`privlib.correlated.GaussianModel`) the leakage of one adversary is linear in
:math:`1/\lambda`, so levels of the same query do add up there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn, SupportsIndex

from privlib import _checks as checks
from privlib.laplace._levels import LONGEST, exact_level, float_down


class BudgetExceededError(ValueError):
    """A query would cost more than what is left of a budget. Nothing was spent.

    Examples
    --------
    >>> budget = PrivacyBudget("0.5")
    >>> try:
    ...     budget.spend("0.6", "a count")
    ... except BudgetExceededError:
    ...     print("nothing was spent:", budget.remaining == budget.epsilon)
    nothing was spent: True
    """


class PrivacyBudget:
    r"""A total level of privacy, and what has been spent of it.

    Parameters
    ----------
    epsilon : str, int, Fraction, Decimal or float
        Total level, positive and finite. ``"0.1"``, ``"1/3"`` and fractions are exact; a float is
        read as the decimal that Python prints of it, so that ten times ``0.1`` are ``1``.
    spent : iterable of (str, level), optional
        What was spent before, in another process: the `entries` of the earlier budget.

    Raises
    ------
    ValueError, TypeError
        A level is not positive, not finite or no number, or `spent` has an entry without a name.
    BudgetExceededError
        `spent` is more than `epsilon`.

    Notes
    -----
    The promise: the levels returned by `spend` add up to at most `epsilon`, in exact arithmetic, in
    all threads of one process. It does not know what is done with them. It covers **differential
    privacy** of queries on the same records with independent noise, also where a query is chosen
    after the answers before it. All queries must have **the same notion of neighbours**: levels for
    ``neighbours="replace"`` and ``"add-remove"`` do not add up. (Under *replace*, a query that is
    private under *add-remove* counts twice, because a person who changes is one record less and
    another one more; `privlib.laplace.private_mean` of one group counts once.) It does not cover
    the levels of Bayesian differential privacy of separate queries if records depend on one
    another: those do not add up, and the level of the merged query is charged (the second example).
    Two budgets for the same records do not know of each other; a copy would spend twice, so copies
    and pickles are refused. To go on in another process, store `entries`, and pass them as `spent`.

    Examples
    --------
    >>> budget = PrivacyBudget("0.5")
    >>> budget.spend("0.2", "flu, week 1"), budget.remaining
    (0.2, Fraction(3, 10))
    >>> budget.spend("0.4", "flu, week 2")
    Traceback (most recent call last):
    ...
    privlib.laplace.budget.BudgetExceededError: PrivacyBudget.spend: epsilon must be at most what
    is left of the budget, 3/10, got 2/5 for 'flu, week 2'
    >>> print(budget)
    flu, week 1    1/5
    spent          1/5
    remaining      3/10

    Two people, of whom the second is ill with probability 1/10 if the first is, and else with
    1/1000. Two releases at the scale 1 leak more than twice what one leaks. They are one release
    at the scale 1/2, whose level is charged:

    >>> from privlib.correlated import FiniteDistribution
    >>> pair = FiniteDistribution([[0.4995, 0.0005], [0.45, 0.05]])
    >>> round(2 * pair.worst_adversary(scale=1).leakage, 3)
    3.254
    >>> merged = pair.worst_adversary(scale=1 / 2).leakage
    >>> round(merged, 3)
    3.411
    >>> PrivacyBudget(4).spend(merged, "the same count, twice") == merged
    True
    """

    def __init__(self, epsilon: Any, *, spent: Iterable[tuple[str, Any]] = ()) -> None:
        where = "PrivacyBudget"
        self._lock = threading.RLock()
        self._total = exact_level(where, "epsilon", epsilon)
        self._entries: list[tuple[str, Fraction]] = []
        self._spent = Fraction(0)
        if isinstance(spent, str) or not isinstance(spent, Iterable):
            raise TypeError(f"{where}: spent must hold pairs of a name and a level")
        for entry in spent:
            if isinstance(entry, str) or not isinstance(entry, Iterable):
                raise TypeError(f"{where}: spent must hold pairs of a name and a level")
            pair = tuple(entry)
            if len(pair) != 2:
                raise TypeError(f"{where}: spent must hold pairs of a name and a level")
            self._add(where, pair[1], pair[0])

    @property
    def epsilon(self) -> Fraction:
        """The total level, as a fraction.

        Examples
        --------
        >>> PrivacyBudget(0.3).epsilon
        Fraction(3, 10)
        """
        return self._total

    @property
    def remaining(self) -> Fraction:
        """What is left, as a fraction that is at least 0.

        Examples
        --------
        >>> budget = PrivacyBudget(1)
        >>> budget.spend("1/3", "a count"), budget.remaining
        (0.333333, Fraction(2, 3))
        """
        with self._lock:
            return self._left()

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Name and level of what was spent, in order, as text such as ``("week 1", "1/20")``.

        Examples
        --------
        >>> budget = PrivacyBudget("0.5")
        >>> level = budget.spend("0.2", "week 1")
        >>> budget.entries
        (('week 1', '1/5'),)
        >>> PrivacyBudget("0.5", spent=budget.entries).remaining
        Fraction(3, 10)
        """
        with self._lock:
            return tuple((what, str(level)) for what, level in self._entries)

    def spend(self, epsilon: Any, what: str) -> float:
        """Write down that a level is spent, and return it.

        Parameters
        ----------
        epsilon : str, int, Fraction, Decimal or float
            Level of the query, as for the budget itself.
        what : str
            What it is spent on; not empty. It must be public.

        Returns
        -------
        float
            The level, rounded down where it is no float: pass this number to the mechanism.

        Raises
        ------
        BudgetExceededError
            It is more than what is left. Nothing is spent.
        ValueError, TypeError
            The level is not positive, not finite or no number, or `what` is no text.

        Notes
        -----
        The level counts as spent as soon as this returns, whatever becomes of the query: a query
        that fails may have told something.

        Examples
        --------
        >>> from privlib.laplace import laplace_mechanism
        >>> budget = PrivacyBudget("0.5")
        >>> count = laplace_mechanism(epsilon=budget.spend("0.2", "week 1"), sensitivity=1)(sum)
        >>> count.epsilon, budget.remaining
        (0.2, Fraction(3, 10))
        """
        level = self._add("PrivacyBudget.spend", epsilon, what)
        return float_down(level)

    def _left(self) -> Fraction:
        return self._total - self._spent

    def _add(self, where: str, epsilon: Any, what: Any) -> Fraction:
        """Append an entry if enough is left."""
        level = exact_level(where, "epsilon", epsilon)
        if not isinstance(what, str):
            raise TypeError(f"{where}: what must be a string, got {checks.kind_of(what)}")
        name = str(what)
        if not name.strip() or len(name.splitlines()) > 1:
            raise ValueError(f"{where}: what must be one line of text, not empty, got {name!r}")
        with self._lock:
            left = self._left()
            if level > left:
                raise BudgetExceededError(
                    f"{where}: epsilon must be at most what is left of the budget, {_text(left)}, "
                    f"got {_text(level)} for {name!r}"
                )
            self._entries.append((name, level))
            self._spent += level
        return level

    def __str__(self) -> str:
        """Return the ledger as a small table."""
        rows = list(self.entries)
        total = sum((Fraction(level) for _, level in rows), Fraction(0))
        rows += [("spent", _text(total)), ("remaining", _text(self._total - total))]
        widest = max(len(what) for what, _ in rows) + 4
        return "\n".join(f"{what:{widest}s}{level}" for what, level in rows)

    def __repr__(self) -> str:
        return f"PrivacyBudget(epsilon={self._total}, remaining={_text(self.remaining)})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(
            "PrivacyBudget: cannot be copied or pickled, a copy would spend twice; store its "
            "entries and pass them as spent="
        )

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled."""
        self.__reduce_ex__(2)

    def __copy__(self) -> Any:
        """Refuse to be copied."""
        self.__reduce_ex__(2)

    def __deepcopy__(self, memo: Any) -> Any:
        """Refuse to be copied."""
        self.__reduce_ex__(2)


def _text(level: Fraction) -> str:
    """Return a fraction as text, one with very many digits as a float."""
    if level.denominator < 10**LONGEST:
        return str(level)
    return f"about {float(level)!r}"
