"""Numbers of others beside ours: what a case of ``numbers.yml`` holds, and how it is judged.

A module ``test_<part>.py`` has for each case a function that computes our numbers, marked
``@ours("id of the case")``. ``@theirs`` marks a function that computes theirs again: where a
package that the tests have anyway answers, or where a formula of theirs is typed. ``@truth`` marks
the second route that tells who is right where the two differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ledger import outside

from privlib.notebook.datasets import DataUnavailableError

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ROOT / outside.COMPARED

AGREE = "agree"
LOOSE = "bound holds, loose"
WRONG = "theirs is wrong"

PRINTED = "printed"
ASKED = "answered here"
ASKED_BEFORE = "answered before"
FORMULA = "their formula, evaluated here"
KINDS = (PRINTED, ASKED, ASKED_BEFORE, FORMULA)

SETTLED = {"rtol": 1e-6, "atol": 1e-9}  # numbers this near are the stored ones, but for rounding


@dataclass(frozen=True)
class Case:
    """One entry of ``numbers.yml``, whose head says what the fields are."""

    id: str
    part: str
    claims: list[str]
    source: str
    compares: str
    kind: str
    outcome: str
    theirs: list[float]
    ours: list[float]
    rtol: float = 0.0
    atol: float = 0.0
    least: float = 0.0
    within: str = ""
    story: str = ""
    package: str = ""
    install: str = ""
    ask: str = ""
    by_hand: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.id

    def judge(self, our_numbers: Any, their_numbers: Any) -> None:
        """Raise an AssertionError unless the outcome is the one that the case states."""
        our_numbers = flat(our_numbers)
        their_numbers = flat(their_numbers)
        assert our_numbers.shape == their_numbers.shape, (
            f"{self.id}: {our_numbers.size} numbers of ours, {their_numbers.size} of theirs"
        )
        assert np.isfinite(our_numbers).all(), f"{self.id}: ours are not finite"
        tolerance = self.atol + self.rtol * np.abs(their_numbers)
        if self.outcome == AGREE:
            too_far = np.abs(our_numbers - their_numbers) > tolerance
            assert not too_far.any(), (
                f"{self.id}: ours {our_numbers[too_far]}, theirs {their_numbers[too_far]}"
            )
        elif self.outcome == LOOSE:
            assert (our_numbers <= their_numbers + tolerance).all(), f"{self.id}: ours is above"
            assert (our_numbers < their_numbers - tolerance).any(), f"{self.id}: it is not loose"
            assert (our_numbers >= self.least * their_numbers).all(), f"{self.id}: far below"
        else:
            assert self.outcome == WRONG, f"{self.id}: no outcome {self.outcome!r}"
            true_numbers = flat(TRUTH[self.id](self))
            tolerance = self.atol + self.rtol * np.abs(true_numbers)
            too_far = np.abs(our_numbers - true_numbers) > tolerance
            assert not too_far.any(), (
                f"{self.id}: ours {our_numbers[too_far]}, truth {true_numbers[too_far]}"
            )
            differs = np.abs(their_numbers - true_numbers) > 10 * tolerance
            assert differs.any(), f"{self.id}: theirs is right"


CASES = {entry["id"]: Case(**entry) for entry in outside.compared(ROOT)}

Compute = Callable[[Case], Any]
OURS: dict[str, Compute] = {}
THEIRS: dict[str, Compute] = {}
TRUTH: dict[str, Compute] = {}


def ours(case_id: str) -> Callable[[Compute], Compute]:
    """Mark the function that computes our numbers of a case."""
    return _enter(OURS, case_id)


def theirs(case_id: str) -> Callable[[Compute], Compute]:
    """Mark the function that computes their numbers of a case."""
    return _enter(THEIRS, case_id)


def truth(case_id: str) -> Callable[[Compute], Compute]:
    """Mark the second route of a case in which theirs is wrong."""
    return _enter(TRUTH, case_id)


def _enter(functions: dict[str, Compute], case_id: str) -> Callable[[Compute], Compute]:
    assert case_id in CASES, f"numbers.yml has no case {case_id}"
    assert case_id not in functions, f"{case_id} has a function already"

    def mark(function: Compute) -> Compute:
        functions[case_id] = function
        return function

    return mark


def of_part(part: str) -> list[Case]:
    """Return the cases of a part, in the order of the file."""
    return [case for case in CASES.values() if case.part == part]


def flat(numbers: Any) -> Any:
    """Return numbers, fractions among them, as a flat array of floats."""
    return np.array(numbers, dtype=np.float64).ravel()


def computed(case: Case) -> tuple[Any, Any]:
    """Return our numbers, and theirs: computed again where that is possible here."""
    our_numbers = flat(OURS[case.id](case))
    if case.id in THEIRS:
        return our_numbers, flat(THEIRS[case.id](case))
    return our_numbers, flat(case.theirs)


def compare(case: Case) -> None:
    """Compute a case, judge it, and compare both sides with what the file has."""
    try:
        our_numbers, their_numbers = computed(case)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    case.judge(our_numbers, their_numbers)
    for side, new, stored in (
        ("ours", our_numbers, case.ours),
        ("theirs", their_numbers, case.theirs),
    ):
        message = f"{case.id}: numbers.yml has other numbers as {side}; `make outside` renews them"
        np.testing.assert_allclose(new, stored, **SETTLED, err_msg=message)
