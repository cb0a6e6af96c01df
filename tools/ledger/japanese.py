"""The words of the pages in two languages, and the Japanese wording of the claims.

The wording of each claim comes from ``book/claims/ja/<part>.yml``, that of its limits and
counterexamples from ``book/claims/ja/checks/<part>.yml``; what has none is in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ledger.claims import yaml_loader
from ledger.corrected_papers import OUTCOMES
from ledger.verdicts import Status
from privlib.notebook.claims import part_of

_NUMBER = r"\d+(?:\.\d+)*"


@cache
def _wording(path: Path, _modified: int) -> Mapping[str, Mapping[str, str]]:
    import yaml

    wording: Mapping[str, Mapping[str, str]] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=yaml_loader()
    )
    return wording


def wording_of(root: Path, part: str) -> Mapping[str, Mapping[str, str]]:
    """Return the Japanese wording of a part: claim -> field -> text."""
    path = root / "book" / "claims" / "ja" / f"{part}.yml"
    return _wording(path, path.stat().st_mtime_ns)


def cases_of(root: Path, part: str) -> Mapping[str, Mapping[str, str]]:
    """Return the Japanese of limits and counterexamples: claim -> case in English -> Japanese."""
    path = root / "book" / "claims" / "ja" / "checks" / f"{part}.yml"
    return _wording(path, path.stat().st_mtime_ns)


_LIMIT = re.compile(r"(?:(.*): )?(.+?) would follow, (.+) is so", re.DOTALL)
_COUNTEREXAMPLE = re.compile(
    r"(?:(.*): )?the printed form gives (.+), the truth is (.+)", re.DOTALL
)
_VALUES = {"True": "真", "False": "偽", "shorter": "短い", "as long": "同じ長さ"}


def parted(check: str) -> tuple[str, str]:
    """Return the case of a limit or a counterexample, and its two values in Japanese, if any.

    Examples
    --------
    >>> parted("n = 3, δ: level: 1 would follow, 2 is so")
    ('n = 3, δ: level', '1 となるはずが、実際は 2')
    >>> parted("n = 3: the printed form gives 1, the truth is 2")
    ('n = 3', '原文では 1、正しくは 2')
    >>> parted("two rows: both are 1")
    ('two rows: both are 1', '')
    """
    for form, words in (
        (_LIMIT, "{} となるはずが、実際は {}"),
        (_COUNTEREXAMPLE, "原文では {}、正しくは {}"),
    ):
        if found := form.fullmatch(check):
            case, *values = found.groups(default="")
            return case, words.format(*(_VALUES.get(value, value) for value in values))
    return check, ""


def check_in_japanese(root: Path, claim_id: str, check: str) -> str:
    """Return a limit or a counterexample in Japanese; empty if its case has no Japanese."""
    case, values = parted(check)
    japanese = cases_of(root, part_of(claim_id)).get(claim_id, {}).get(case, "") if case else " "
    if not japanese:
        return ""
    return "：".join(filter(None, (japanese.strip(), values)))


def texts_of(root: Path, part: str, statuses: Iterable[Status]) -> dict[str, dict[str, str]]:
    """Return the texts of each claim of a part in Japanese, in English where there is none."""
    wording = wording_of(root, part)
    texts = {}
    for status in statuses:
        claim = status.claim
        english = {
            "says": claim.says,
            "reading": claim.reading,
            "not_checkable": claim.not_checkable,
            **status.texts,
        }
        texts[claim.id] = {**english, **wording.get(claim.id, {})}
    return texts


def meanings(root: Path) -> Mapping[str, str]:
    """Return what the terms of the glossary mean, in Japanese: first printed form -> meaning."""
    path = root / "book" / "claims" / "ja" / "glossary.yml"
    found: Mapping[str, Any] = _wording(path, path.stat().st_mtime_ns)
    return found


def pages(root: Path) -> Mapping[str, Mapping[str, str]]:
    """Return title and summary of each page of the course: notebook -> field -> text."""
    path = root / "book" / "claims" / "ja" / "pages.yml"
    return _wording(path, path.stat().st_mtime_ns)


def in_both(title: str) -> str:
    """Return a title of a page in two languages in both, any other title as it is.

    Examples
    --------
    >>> in_both("Misprints")
    '<span class="in-en">Misprints</span><span class="in-ja" lang="ja">誤植</span>'
    >>> in_both("Notation")
    'Notation'
    """
    if title not in TITLES:
        return title
    japanese = f'<span class="in-ja" lang="ja">{TITLES[title]}</span>'
    return f'<span class="in-en">{title}</span>{japanese}'


def titled(body: str) -> str:
    """Return a page in two languages with its titles in both, and its switch below the first.

    Examples
    --------
    >>> titled('<p class="languages"></p><h2>Misprints</h2>').partition("<h2>")[2]
    '<span class="in-en">Misprints</span><span class="in-ja" lang="ja">誤植</span></h2>'
    """

    def both(heading: re.Match[str]) -> str:
        return heading[1] + in_both(heading[2])

    switch = re.search(r'<p class="languages">.*?</p>', body, re.DOTALL)
    if not switch:
        return body
    body = re.sub(r"(<h[12]>)([^<]+)", both, body)
    if "</h1>" in body:
        body = body.replace(switch[0], "", 1).replace("</h1>", f"</h1>\n{switch[0]}", 1)
    return body


_WORDS = {
    "after the references": "参考文献の後",
    "table of symbols": "記号表",
    "end of the proof": "証明の終わり",
    "abstract (English)": "英文概要",
    "throughout": "全体",
    "first line": "1 行目",
    "declaration": "宣言",
    "privacy budget": "プライバシー予算",
    "vector length": "ベクトル長",
    "number of hashes": "ハッシュ関数の数",
    "abstract": "概要",
    "appendix": "付録",
    "memo": "メモ",
    "title": "標題",
    " and ": "、",
}
_KINDS = {
    "section": "節",
    "chapter": "章",
    "Definition": "定義",
    "Theorem": "定理",
    "Proposition": "命題",
    "Claim": "主張",
    "Algorithm": "アルゴリズム",
    "Table": "表",
    "Figure": "図",
    "Example": "例",
    "equation": "式",
    "footnote": "脚注",
    "reference": "文献",
    "case": "場合",
}


def place(english: str) -> str:
    """Return a place, such as the name of an object, in Japanese.

    Examples
    --------
    >>> place("section 4.4, proof of Claim 4.1, ¶1"), place("Figures 4, 5 and 6")
    ('4.4 節、主張 4.1 の証明、¶1', '図 4、5、6')
    """
    text = english
    for word, japanese in _WORDS.items():
        text = text.replace(word, japanese)
    text = re.sub(rf"proof of ([A-Z]\w+ {_NUMBER})", r"\1 の証明", text)
    text = text.replace("proof", "証明")
    text = re.sub(r"after (Theorem [\d.]+\d)", r"\1 の後", text)
    text = re.sub(rf"(section|chapter)s? ((?:{_NUMBER}(?:, |、)?)+)", _counted, text)
    text = re.sub(r"lines? (\d+(?:-\d+)?)", r"\1 行目", text)
    text = re.sub(r"sentences? ([\d–]+)", r"第 \1 文", text)
    for word, japanese in _KINDS.items():
        text = re.sub(rf"\b{word}s?\b ?(?=[\d(])", f"{japanese} ", text)
    return re.sub(r",? (?=、)|、 ", "", text.replace(", ", "、"))


def _counted(place: re.Match[str]) -> str:
    """Return sections with their numbers before the word for them."""
    kind, listed = place.groups()
    numbers = "、".join(re.findall(_NUMBER, listed))
    tail = listed[len(listed.rstrip(", 、")) :]
    return f"{numbers} {_KINDS[kind]}{tail}"


PARTS = {
    "laplace": "ラプラスメカニズム", "correlated": "相関データ",
    "disclosure": "サンプリングと PRAM", "location": "位置情報ヒストグラム",
    "sketch": "頻度スケッチ",
}  # fmt: skip
"""What each part is about."""
AUTHORS = {
    "laplace": "学習ノート", "correlated": "楊・佐藤・中川", "disclosure": "菊池",
    "location": "川本・佐久間", "sketch": "清水",
}  # fmt: skip
"""Who wrote the paper of each part."""


def in_japanese(name: str) -> str:
    """Return what a link to a page is called, in Japanese.

    Examples
    --------
    >>> in_japanese("evidence of laplace 2"), in_japanese("sketch, ledger"), in_japanese("location")
    ('ラプラスメカニズム 2 の証拠', '頻度スケッチ、台帳', '位置情報ヒストグラム')
    """
    if (bare := name.removeprefix("evidence of ")) != name:
        return f"{in_japanese(bare)} の証拠"
    if (bare := name.removeprefix("note: ")) != name:
        return f"研究ノート「{bare}」"
    part = re.match(r"[a-z]*", name)
    if part and part[0] in PARTS:
        name = PARTS[part[0]] + name[part.end() :]
    return name.replace(", ledger", "、台帳")


TITLES = {
    "The repaired papers": "修正版の論文", "Repaired: the study note": "修正版：学習ノート",
    **{
        f"Repaired: {names}": f"修正版：{AUTHORS[part]}"
        for names, part in {
            "Yang, Sato, Nakagawa": "correlated", "Kikuchi": "disclosure",
            "Kawamoto, Sakuma": "location", "Shimizu": "sketch",
        }.items()
    },
    "Errata": "正誤表", "Errors": "誤り", "Misprints": "誤植", "As files": "ファイル",
    "Limits of verified claims": "確認した言明の限界",
    "Glossary": "用語集", "Japanese to English": "日本語から英語",
    "English to Japanese": "英語から日本語",
}  # fmt: skip
"""The titles of the pages in two languages, and of their sections."""
VERDICTS = {**OUTCOMES, "corrected": "修正"}
STRENGTHS = {
    "proved": "証明",
    "exhaustive": "全数検査",
    "sampled": "標本検査",
    "simulated": "シミュレーション",
    "one example": "一例のみ",
    "not stated": "記載なし",
}
NOTES = {"with a limit": "条件付き", "rebuilt": "データから再構成"}
