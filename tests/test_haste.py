"""What a build does faster gives what Docutils and Sphinx give."""

from __future__ import annotations

import haste
import numpy as np
import pytest
from docutils import nodes
from docutils.core import publish_doctree
from sphinx.search.en import SearchEnglish
from sphinx.util.nodes import NodeMatcher

TEXT = """
One
===
*Two* ``three`` [4]_, `five <https://example.org>`_.

- six

  - *seven*

    eight *nine*

.. [4] ten
"""
CONDITIONS = (
    nodes.Text, nodes.emphasis, nodes.Element, nodes.list_item, nodes.table, None,
    NodeMatcher(nodes.reference), NodeMatcher(nodes.emphasis, nodes.literal),
    lambda node: len(node.astext()) > 4,
)  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_found_is_what_docutils_finds_in_its_order(condition):
    tree = publish_doctree(TEXT)
    for root in tree.findall():
        for further in ({}, {"include_self": False}, {"siblings": True, "descend": False}):
            found = list(haste.findall(root, condition, **further))
            assert list(map(id, found)) == [id(n) for n in root.findall(condition, **further)]


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_that_changes_meanwhile_is_seen_as_docutils_sees_it(seed):
    """The node that was found loses or gains children, or gives way to others."""

    def changing(findall):
        rng, seen, tree = np.random.default_rng(seed), [], publish_doctree(TEXT)
        for node in findall(tree, nodes.Element):
            seen.append(str(node))
            what = rng.integers(5)
            if what == 0 and isinstance(node, nodes.paragraph):
                node.insert(0, nodes.emphasis("", nodes.Text("new").astext()))
            elif what == 1 and len(node):
                node.pop()
            elif what == 2 and node.parent is not None:
                node.replace_self([nodes.strong("", "other"), nodes.literal()])
        return [*seen, tree.pformat()]

    assert changing(haste.findall) == changing(haste._findall)


def test_each_word_is_looked_for_once():
    text = "noise on the noise 雑音 on count"
    words = haste.English({}).split(text)
    assert words == ["noise", "on", "the", "雑音", "count"]
    assert set(words) == set(SearchEnglish({}).split(text))
    assert haste.English.lang == "en"
