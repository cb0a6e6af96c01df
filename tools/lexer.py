"""Python read for its colours, as Pygments reads it, in less than half of its time.

A fifth of a build went into this: the notebooks name the lexer of IPython, which looks for magic
commands before each word, and then forty rules are tried in turn. `Quick` tries first what most
words are.
"""

from __future__ import annotations

import keyword

from pygments.lexer import inherit, words
from pygments.lexers import PythonLexer
from pygments.token import Name, Operator, Punctuation, Text


def special() -> set[str]:
    """Return the words for which Pygments has a rule of their own."""
    rules = [rule for state in PythonLexer.tokens.values() for rule in state]
    listed = [rule[0].words for rule in rules if isinstance(rule, tuple) and type(rule[0]) is words]
    others = (*keyword.kwlist, *keyword.softkwlist, "self", "cls", "Ellipsis", "NotImplemented")
    return {*others, *(word for some in listed for word in some)}


class Quick(PythonLexer):  # type: ignore[misc]
    """Python, where the commonest tokens are tried before the rules that do not fit them."""

    _most = (
        (r"(?<=[^\s\\])[ \t]+", Text),  # not at the start of a line, nor after its continuation
        (r"[](){},;[]", Punctuation),
        (rf"""(?!__|{words(special(), suffix=chr(92) + "b").get()})[^\W\d]\w*(?![\w"'])""", Name),
        (r"=(?!=)|\.(?=[^\W\d])", Operator),
    )
    tokens = {"root": [*_most, inherit], "expr": [*_most, inherit]}  # noqa: RUF012
