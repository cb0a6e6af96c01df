"""What a claim rests on, as its checks show it, beside what the list of claims says.

``uses`` in ``book/claims/<part>.yml`` is typed by somebody who read the paper. The checks know
something of it too. The reference in the docstring of an object of the package names the statement
that it computes, such as "Theorem 5.1". That statement's own claims call it in their checks. So
**whoever calls the object rests on one of these claims**: if they fell, the value in the check
would mean nothing.

*Which claims.* Of the paper, and of a kind that can be computed by (`STATES`): at the numbered
statement that the reference names, if one of them calls the object. If the reference names a
section alone, or none of these does: those in the text of the section, at no numbered statement,
that call the object. The proof of a theorem is another place than the theorem.

*What this does not see.* Arguments: a theorem may follow from another without a call. Methods of an
object that a notebook made. What an object calls inside. So a typed arrow that is not seen is no
fault; an arrow that is seen and not typed wants an answer:

- ``typed``: the claim rests on one of them, directly or through others;
- ``corrected``: one of them is an error. The package has the corrected form, and who calls it does
  not rest on the printed one;
- ``other way``: one of them rests on the claim, which looks at their object from beneath;
- ``explained``: ``book/seen.yml`` says why it is none;
- ``open``: none of these. A test allows none.

Values that one claim's block sets and another's reads are not looked at: those are cases and
tables, which stand there whether or not the claim holds.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import reader

STATES = ("definition", "assumption", "equation", "theorem", "algorithm")
ANSWERS = ("typed", "corrected", "other way", "explained", "open")
WHOLE = ("section", "chapter", "appendix", "memo")  # places that hold many statements

_NUMBER = r"\(?\d+(?:\.\d+)*\)?(?:\([a-z]\))?"
_NAMED = re.compile(
    r"(?P<proof>proof of )?\b(?P<kind>equation|theorem|proposition|claim|definition|algorithm|lemma"
    rf"|corollary|section|chapter)s?\s+(?P<numbers>{_NUMBER}(?:(?:, | and | to ){_NUMBER})*)",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    r"^References\n-+\n(.*?)(?=\n\n[A-Z]\w+\n-+\n|\Z)", re.DOTALL | re.MULTILINE
)


def places(text: str) -> set[tuple[str, str]]:
    """Return the numbered places that a text names; a number in brackets is an equation's.

    Examples
    --------
    >>> sorted(places("Theorem 5.1, (24); sections 4.1.1 to 4.1.3, proof of Claim 2"))
    ... # doctest: +NORMALIZE_WHITESPACE
    [('equation', '24'), ('proof of claim', '2'), ('section', '4.1.1'), ('section', '4.1.2'),
     ('section', '4.1.3'), ('theorem', '5.1')]
    """
    text = " ".join(text.split())
    found = {(word, "") for word in WHOLE[2:] if re.search(rf"\b{word}\b", text, re.IGNORECASE)}
    for match in _NAMED.finditer(text):
        kind = f"{match['proof'] or ''}{match['kind']}".lower()
        ends: list[str] = []
        for link, bracket, number in re.findall(
            r"(, | and | to |^)(\(?)(\d+(?:\.\d+)*)", match["numbers"]
        ):
            if link == " to ":
                before, _, first = ends[-1].rpartition(".")
                last = int(number.rpartition(".")[2])
                found |= {(kind, f"{before}.{k}".lstrip(".")) for k in range(int(first), last)}
            ends.append(number)
            found.add(("equation" if bracket else kind, number))
    return found


@cache
def _resolved(path: str) -> tuple[str, str]:
    """Return where the object behind a dotted path was defined, and the text of its references.

    A method without references of its own stands for its class.
    """
    words = path.split(".")
    value: Any = importlib.import_module(words[0])
    found = (path, "")
    for k, word in enumerate(words[1:], 2):
        if not hasattr(value, word):
            importlib.import_module(".".join(words[:k]))
        value = getattr(value, word)
        if inspect.ismodule(value):
            continue
        if not (inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value))):
            break  # such as a constant, or a field
        value = inspect.unwrap(value)
        told = _REFERENCES.search(inspect.getdoc(value) or "")
        if told or found[0] == path:
            found = f"{value.__module__}.{value.__qualname__}", told[1] if told else ""
    return found


def called(root: Path, part: str) -> dict[str, dict[str, str]]:
    """Return for each claim the objects of its part that its checks call, with their references."""
    found: dict[str, dict[str, str]] = {}
    for notebook in reader.notebooks(root, part):
        for claim_id, paths in notebook.serves.items():
            objects = dict(_resolved(path) for path in paths)
            ours = {k: v for k, v in objects.items() if k.startswith(f"privlib.{part}.")}
            found.setdefault(claim_id, {}).update(ours)
    return found


def computed(root: Path, part: str) -> dict[str, tuple[str, ...]]:
    """Return for each object the claims that state what it computes; see above."""
    claims = reader.load_claims(root / "book" / "claims" / f"{part}.yml")
    calls = called(root, part)
    stated = {c.id: places(c.where) for c in claims if c.kind in STATES}
    sections = {k: {place for place in at if place[0] in WHOLE} for k, at in stated.items()}
    references = {name: text for objects in calls.values() for name, text in objects.items()}
    found: dict[str, tuple[str, ...]] = {}
    for name, text in sorted(references.items()):
        named = places(text)
        there = [k for k, at in stated.items() if at & named - sections[k]]
        if not any(name in calls.get(k, ()) for k in there):
            within = [k for k, at in stated.items() if at & named and at == sections[k]]
            there = [k for k in within if name in calls.get(k, ())]
        if there:
            found[name] = tuple(there)
    return found


@dataclass(frozen=True)
class Seen:
    """That a claim's checks call an object, which others state; what the list of claims says."""

    claim: str
    name: str
    states: tuple[str, ...]
    answer: str
    reason: str = ""


def explanations(root: Path) -> list[dict[str, Any]]:
    """Read ``book/seen.yml``: why an arrow that is seen is none.

    Raises
    ------
    ValueError
        If an entry lacks a field, or its reason is empty.
    """
    import yaml

    path = root / "book" / "seen.yml"
    found: list[dict[str, Any]] = yaml.load(path.read_text("utf-8"), Loader=reader.loader()) or []
    for entry in found:
        if set(entry) != {"object", "claims", "reason"} or not entry["reason"]:
            raise ValueError(f"{path}: an entry has object, claims and reason, got {entry}")
    return found


def explained(claim_id: str, name: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return why a claim that calls an object does not rest on its statement, empty if unsaid."""
    return next(
        (
            str(entry["reason"])
            for entry in entries
            if name.endswith(f".{entry['object']}") and claim_id in entry["claims"]
        ),
        "",
    )


def seen(root: Path, part: str) -> tuple[Seen, ...]:
    """Return what the checks of a part show, each with the answer of the list of claims."""
    statuses = reader.statuses(root, part)
    calls, entries = called(root, part), explanations(root)
    found = []
    for name, states in computed(root, part).items():
        rest = {k for state in states for k in statuses[state].impact}
        wrong = [statuses[k].is_erratum and statuses[k].claim.weight == "error" for k in states]
        for k, status in statuses.items():
            if k in states or name not in calls.get(k, ()):
                continue
            reason = explained(k, name, entries)
            answer = (
                "typed" if k in rest
                else "other way" if set(states) & set(status.impact)
                else "corrected" if any(wrong)
                else "explained" if reason
                else "open"
            )  # fmt: skip
            found.append(Seen(k, name, states, answer, reason))
    return tuple(found)


def arrows(root: Path, part: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the typed arrows (claim, what it uses), each with the objects by which it is seen."""
    calls, objects = called(root, part), computed(root, part)
    return {
        (claim.id, use): tuple(
            name
            for name, states in objects.items()
            if use in states and name in calls.get(claim.id, ())
        )
        for claim in reader.load_claims(root / "book" / "claims" / f"{part}.yml")
        for use in claim.uses
    }


def counts(root: Path, part: str) -> dict[str, int]:
    """Count the typed arrows of a part, those that are seen, and the answers to what is seen."""
    typed = arrows(root, part)
    answers = Counter(one.answer for one in seen(root, part))
    total = {"typed": len(typed), "typed and seen": sum(map(bool, typed.values()))}
    return total | {f"seen, {answer}": answers[answer] for answer in ANSWERS}
