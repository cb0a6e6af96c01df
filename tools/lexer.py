"""Python read for its colours, as Pygments reads it, in less than half of its time.

A fifth of a build went into this: the notebooks name the lexer of IPython, which looks for magic
commands before each word, and then some fifty rules are tried in turn. `Quick` tries first what
most words are, in plain letters; whatever else it leaves to Pygments. A cell with a magic command
is an error to it, which stops the build.
"""

from __future__ import annotations

import keyword
from typing import Any

from pygments.lexer import inherit, words
from pygments.lexers import PythonLexer
from pygments.token import Name, Operator, Punctuation, Text


def special() -> set[str]:
    """Return the words for which Pygments has a rule of their own."""
    rules = [rule for state in PythonLexer.tokens.values() for rule in state]
    listed = [rule[0].words for rule in rules if isinstance(rule, tuple) and type(rule[0]) is words]
    others = {"lazy", "self", "cls", "Ellipsis", "NotImplemented"}  # in patterns, not in lists
    others.update(keyword.kwlist, keyword.softkwlist)
    return others.union(*listed)


_SPECIAL = words(special(), suffix=r"\b").get()


class Quick(PythonLexer):  # type: ignore[misc]
    """Python, where the commonest tokens are tried before the rules that do not fit them.

    Outside of strings, a run of those counts as one: `lighten.Sparse` gives none of them a colour.
    """

    _most = (
        (r"(?<=\S)[ \t]+(?=[!-~])", Text),  # not at the start of a line
        (r"[](){},;[]", Punctuation),
        (rf"""(?!{_SPECIAL})[A-Za-z_](?a:\w*)(?![\w"'\x80-\U0010ffff])""", Name),
        (r"=(?!=)|\.(?=[A-Za-z_])", Operator),
    )
    _run = (f"(?:{'|'.join(rule for rule, _ in _most)})+", Text)
    tokens = {"root": [_run, inherit], "expr": [*_most, inherit]}  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"stripnl": False, **options})  # as Sphinx has Python read
