"""Schematic drawings: as the script draws them, legible, and one of two forms shown."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
import schematics
from offline_page import NARROW, WIDE, OfflinePage

PAGES = {name: f"book/{name}" for name in schematics.DRAWINGS}

# Words that leave the paper, and pairs of words that touch.
CROWDED = """() => {
  const paper = document.querySelector("svg").viewBox.baseVal;
  const words = [...document.querySelectorAll("text")].filter(e => e.textContent)
    .map(e => [e.textContent, e.getBBox()]);
  const bad = [];
  for (const [said, a] of words) {
    if (a.x < 2 || a.y < 2 || a.x + a.width > paper.width - 2 || a.y + a.height > paper.height)
      bad.push(said);
    for (const [other, b] of words)
      if (other < said && a.x < b.x + b.width && b.x < a.x + a.width
          && a.y + 3 < b.y + b.height && b.y + 3 < a.y + a.height) bad.push(other + " | " + said);
  }
  return bad;
}"""


def test_what_is_stored_is_what_the_script_draws():
    """`make drawings` writes them again, after a change of the script or of the numbers."""
    made = schematics.files()
    stored = {path.name: path.read_text(encoding="utf-8") for path in schematics.FOLDER.iterdir()}
    assert stored == made


@pytest.mark.parametrize("name", schematics.files())
def test_text_is_large_and_shapes_speak_one_language(name):
    root = ET.fromstring(schematics.files()[name])
    assert float(root.get("font-size")) >= 15
    assert not [e for e in root.iter() if e is not root and e.get("font-size")]
    strokes = {e.get("stroke") for e in root.iter()} - {None}
    assert len(strokes) <= 7


def test_no_words_leave_the_paper_or_touch_others(browser):
    page = browser.new_page()
    crowded = {}
    for name, drawing in schematics.files().items():
        page.set_content(drawing)
        if found := page.evaluate(CROWDED):
            crowded[name] = found
    page.close()
    assert not crowded


def test_one_form_is_shown_and_both_say_the_same(browser, html):
    visitor = OfflinePage(browser, html)
    for address in PAGES.values():
        for screen, form in ((WIDE, "wide"), (NARROW, "narrow")):
            page = visitor.open(address, screen=screen)
            pictures = page.locator("figure img.schematic")
            alts = pictures.evaluate_all("es => es.map(e => e.alt)")
            assert len(alts) == 2, address
            assert alts[0] == alts[1]
            assert not re.search(r"[{}]", alts[0])
            shown = page.locator("figure img.schematic:visible")
            assert shown.count() == 1
            assert form in shown.get_attribute("class").split()
            box = shown.bounding_box()
            scale = box["width"] / (720 if form == "wide" else 344)
            size = 16 if form == "wide" else 15
            assert size * scale >= 14, (address, form, box)
            assert page.locator("figure:has(.schematic) a:has(img)").count() == 0
    assert not visitor.wrong
    visitor.context.close()
