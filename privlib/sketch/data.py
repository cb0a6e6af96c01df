"""The 43 item counts of the experiments, derived from a public data set.

The paper's items are the clothing models A1 to A43 of a web shop for maternity clothing, April to
August 2008 (UCI Machine Learning Repository, data set 553, doi:10.24432/C5QK7X, licence
CC BY 4.0; Łapczyński and Białowąs, Studia Ekonomiczne 151, 2013, 144-153). The paper calls them
purchases; each record is a *click*, and 24,026 sessions made them.

How many there are depends on a rule that the paper does not state. Models of the letter A are
those of main category 1 except for one click on A18, which the file books under category 2: by
category *n* = 49,742, by letter 49,743. The printed gains of the attacks fit the first.

Only the counts are here, which is all that a frequency oracle can see; the file itself is not part
of the package.
"""

from __future__ import annotations

from privlib import _checks as checks

# Clicks on A1, A2, ..., A43 in main category 1.
_CATEGORY_1 = (
    2265, 3013, 1932, 2522, 2354, 1802, 1622, 1585, 1923, 2280, 2789, 2010, 1577, 926, 2489,
    1388, 1531, 937, 359, 542, 1388, 622, 408, 288, 361, 478, 420, 509, 715, 695,
    1425, 643, 839, 558, 488, 356, 756, 464, 473, 348, 750, 666, 246,
)  # fmt: skip


def shop_counts(rule: str = "category") -> dict[str, int]:
    """Return the number of users of each of the models A1, A2, ..., A43, in this order.

    A record is a click; each counts as one user with one report, as in the paper.

    Parameters
    ----------
    rule : {"category", "letter"}, optional
        Count the records of main category 1, or those whose model starts with A.

    Returns
    -------
    dict of str to int
        A new dictionary.

    Raises
    ------
    ValueError
        Another word for `rule`.

    References
    ----------
    Section 6.2 of the paper, which names 43 items and 3013 records of A2.

    Examples
    --------
    >>> counts = shop_counts()
    >>> len(counts), counts["A2"], sum(counts.values()), sum(shop_counts("letter").values())
    (43, 3013, 49742, 49743)
    """
    checks.choice("shop_counts", "rule", rule, ("category", "letter"))
    counts = {f"A{i}": count for i, count in enumerate(_CATEGORY_1, start=1)}
    if rule == "letter":
        counts["A18"] += 1  # a click on a model of this letter in another main category
    return counts
