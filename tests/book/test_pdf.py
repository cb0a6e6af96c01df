"""`make pdf`: the repaired papers and the errata on paper."""

from __future__ import annotations

import re
import shutil
import zlib

import pdf
import pytest
from offline_page import OfflinePage

import privlib


def texts(data):
    """Return the text of each page: what its strings are by the tables of their fonts."""
    objects = {
        int(found[1]): found[2]
        for found in re.finditer(rb"(\d+) 0 obj\n(.*?)\nendobj", data, re.DOTALL)
    }

    def stream(number):
        head, _, body = objects[number].partition(b"stream\n")
        body = body.rpartition(b"\nendstream")[0]
        return (zlib.decompress(body) if b"FlateDecode" in head else body).decode("latin-1")

    def table(number):
        found = re.search(rb"/ToUnicode (\d+) 0 R", objects[number])
        if not found:
            return 4, {}
        rows = [
            [int(digits, 16) for digits in re.findall(r"<(\w+)>", line)]
            for line in stream(int(found[1])).splitlines()
            if re.fullmatch(r"<\w+> <\w+>(?: <\w{4}>)?", line)
        ]
        width = len(re.search(r"begincodespacerange\n<(\w+)>", stream(int(found[1])))[1])
        return width, {
            code: chr(row[-1] + code - row[0])
            for row in rows[1:]
            for code in range(row[0], row[-2] + 1 if len(row) == 3 else row[0] + 1)
        }  # fmt: skip

    shown = []
    for page in objects.values():
        if not re.search(rb"/Type\s*/Page\b", page):
            continue
        fonts = re.findall(r"/(F\d+) (\d+) 0 R", page.decode("latin-1"))
        tables = {name: table(int(number)) for name, number in fonts}
        content = stream(int(re.search(rb"/Contents (\d+) 0 R", page)[1]))
        text, width, own = "", 4, {}
        for font, drawn in re.findall(r"/(F\d+) \S+ Tf|(\[[^]]*\] TJ|<\w*> Tj)", content):
            width, own = tables[font] if font else (width, own)
            for digits in re.findall(r"<(\w*)>", drawn):
                codes = (int(digits[k : k + width], 16) for k in range(0, len(digits), width))
                text += "".join(own.get(code, "") for code in codes)
        shown.append(text)
    return shown


@pytest.mark.slow
def test_a_page_is_printed_in_both_languages(html, tmp_path, monkeypatch, capsys):
    if not any(map(shutil.which, pdf.BROWSERS)):
        pytest.skip("no Chromium on the PATH: nothing was printed")
    pytest.importorskip("playwright.sync_api")
    monkeypatch.setenv("PRIVLIB_BOOK_URL", "https://book.example/")
    assert pdf.main(["laplace", "--html", str(html), "--out", str(tmp_path)]) == 0
    assert "laplace-ja.pdf" in capsys.readouterr().out
    sheets = {one: texts((tmp_path / f"laplace-{one}.pdf").read_bytes()) for one in pdf.LANGUAGES}
    for shown in sheets.values():
        assert len(shown) > 1
        for number, text in enumerate(shown, 1):
            assert f"privlib {privlib.__version__}" in text
            assert "https://book.example/book/repaired/laplace.html" in text
            assert f"{number} / {len(shown)}" in text
        assert "N-2" in "".join(shown)
        assert "\\(" not in "".join(shown)
    japanese = re.compile(r"[\u3041-\u30ff]{3}")
    assert len(japanese.findall("".join(sheets["ja"]))) > 100
    assert "Reading:" in "".join(sheets["en"])
    assert "Reading:" not in "".join(sheets["ja"])
    assert "解釈" in "".join(sheets["ja"])
    # The heading and the line above each sheet are in the language of the page.
    titles = {"en": "Repaired: the study note", "ja": "修正版：学習ノート"}
    for language, shown in sheets.items():
        (other,) = set(pdf.LANGUAGES) - {language}
        assert [text.count(titles[language]) for text in shown] == [2, *[1] * (len(shown) - 1)]
        assert titles[other] not in "".join(shown)


def test_each_sheet_of_a_page_that_a_reader_prints_says_what_it_belongs_to(browser, html):
    visitor = OfflinePage(browser, html, color_scheme="light")
    page = visitor.open("notebooks/laplace/02-laplace-mechanism")
    shown = texts(page.pdf(format="A4"))
    assert len(shown) > 3
    for number, text in enumerate(shown, 1):
        assert f"{page.title()}{number} / {len(shown)}" in text
    visitor.context.close()


def test_every_page_that_can_be_printed_is_one_of_the_book(root):
    for name in pdf.PAGES.values():
        assert (root / f"{name}.md").exists()


def test_without_a_browser_it_says_what_to_do(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert pdf.main(["--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert "no Chromium on the PATH" in told
    assert "print it there" in told
    assert not list(tmp_path.iterdir())


def test_a_page_that_is_not_built_is_named(tmp_path):
    with pytest.raises(pdf.CannotPrintError, match=r"no page .*sketch.html: `make book`"):
        pdf.print_page(None, tmp_path / "sketch.html", tmp_path, language="ja", address="")


def test_an_unknown_page_is_refused(capsys):
    with pytest.raises(SystemExit):
        pdf.main(["nothing"])
    assert "no page nothing; there are laplace" in capsys.readouterr().err


def test_what_stands_above_and_below_is_escaped():
    above, below = pdf.lines("a < b", "https://x/?a&b")
    assert "a &lt; b" in above
    assert "?a&amp;b" in below
    assert "pageNumber" in below
