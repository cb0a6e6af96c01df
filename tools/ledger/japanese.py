"""The words of the pages in two languages, and the Japanese wording of the claims.

The wording of each claim comes from ``book/claims/ja/<part>.yml``; what has none is in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ledger.claims import yaml_loader
from ledger.corrected_papers import OUTCOMES
from ledger.verdicts import Status

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


def titled(body: str) -> str:
    """Return a page in two languages with its titles in both.

    Examples
    --------
    >>> titled('<p class="languages"></p><h2>Misprints</h2>').partition("<h2>")[2]
    '<span class="in-en">Misprints</span><span class="in-ja" lang="ja">誤植</span></h2>'
    """

    def both(heading: re.Match[str]) -> str:
        tag, title = heading.groups()
        if title not in TITLES:
            return heading[0]
        japanese = f'<span class="in-ja" lang="ja">{TITLES[title]}</span>'
        return f'{tag}<span class="in-en">{title}</span>{japanese}'

    return re.sub(r"(<h[12]>)([^<]+)", both, body) if 'class="languages"' in body else body


_WORDS = {
    "after the references": "参考文献の後",
    "table of symbols": "記号の表",
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


TITLES = {
    "The repaired papers": "修正版の論文", "Repaired: the study note": "修正版：ノート",
    "Repaired: Yang, Sato, Nakagawa": "修正版：楊・佐藤・中川", "Repaired: Kikuchi": "修正版：菊池",
    "Repaired: Kawamoto, Sakuma": "修正版：川本・佐久間", "Repaired: Shimizu": "修正版：清水",
    "Errata": "正誤表", "Errors": "誤り", "Misprints": "誤植", "As files": "ファイル",
    "Limits of verified claims": "確認した言明の限界",
}  # fmt: skip
"""The titles of the pages in two languages, and of their sections."""
VERDICTS = {**OUTCOMES, "corrected": "修正"}
STRENGTHS = {
    "proved": "証明",
    "exhaustive": "網羅",
    "sampled": "標本",
    "simulated": "シミュレーション",
    "one example": "一例",
    "not stated": "記載なし",
}
NOTES = {"with a limit": "限界あり", "rebuilt": "データから再構成"}
